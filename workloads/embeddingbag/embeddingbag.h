/*
 * Shared by the programs and the kernel of embeddingbag.  The table's elements are whole numbers from -100 to 100: the
 * sum of up to 65,536 rows is a float exactly, in any order, and has to be the reference's bit for bit.
 */
#ifndef EMBEDDINGBAG_H
#define EMBEDDINGBAG_H

enum {
	EMBEDDINGBAG_BLOCK_THREADS = 256,
	EMBEDDINGBAG_WIDTH = 64, /* elements of a row */
};

#endif
