/* order.h - what rows.c needs of order.c. */
#ifndef GRAPH500_ORDER_H
#define GRAPH500_ORDER_H

#include "graph.h"

/* Sets the ranks: by degree, and of one degree by number. */
void order_degrees(struct graph *g);
/* Labels by rank. Free it. */
uint32_t *order_labels(const struct graph *g);
/* The rows of a part, of neighbours' ranks, become rows of their labels, in the order of the layout; and the heaviest
 * ones are set. */
void order_rows(const struct graph *g, uint32_t part, const uint32_t *labels);

#endif
