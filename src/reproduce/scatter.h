/* scatter.h - plots of points: design spaces, systems by two of their numbers. */
#ifndef STRATA_REPRODUCE_SCATTER_H
#define STRATA_REPRODUCE_SCATTER_H

#include <stdio.h>

#include "reproduce/data.h"

/* SVG: a dot per point, coloured by its series; what it is, when pointed at. Nothing when it has no points. */
void reproduce_scatter_write(FILE *out, const struct reproduce_data *d, const struct reproduce_scatter *s);

#endif
