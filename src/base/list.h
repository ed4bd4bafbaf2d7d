/* list.h - chains of objects through a field of their own; nothing is allocated. An object is in one chain per field.
 *
 * A FIFO is any struct with the fields of BASE_FIFO; zeroed, it is empty. Its owner may read `first`, and walk. */
#ifndef STRATA_BASE_LIST_H
#define STRATA_BASE_LIST_H

#include <stddef.h>

#define BASE_FIFO(type) type *first, *last /* last: valid only while there is a first */

/* Appends item; link is the name of its field that holds the next one. */
#define base_fifo_push(fifo, item, link)                \
	do {                                            \
		__typeof__(fifo) onto_ = (fifo);        \
		__typeof__(item) added_ = (item);        \
                                                        \
		added_->link = NULL;                     \
		if (onto_->first)                       \
			onto_->last->link = added_;      \
		else                                    \
			onto_->first = added_;           \
		onto_->last = added_;                    \
	} while (0)

/* Removes the oldest item and yields it. The FIFO must not be empty. */
#define base_fifo_pop(fifo, link)                           \
	({                                                  \
		__typeof__(fifo) fifo_ = (fifo);            \
		__typeof__(fifo_->first) item_ = fifo_->first; \
                                                            \
		fifo_->first = item_->link;                 \
		item_;                                      \
	})

#endif
