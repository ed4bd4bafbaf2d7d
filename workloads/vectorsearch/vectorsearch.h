/*
 * Shared by the programs and the kernels of vectorsearch.  Elements are whole numbers from -20 to 20: inner products of
 * 128 of them are floats exactly, in any order, and the rows that are found have to be the reference's.
 */
#ifndef VECTORSEARCH_H
#define VECTORSEARCH_H

enum {
	VECTORSEARCH_BLOCK_THREADS = 256,
	VECTORSEARCH_WIDTH = 128, /* elements of a row */
	VECTORSEARCH_QUERIES_MAX = 4,
	VECTORSEARCH_CTA_ROWS = 128, /* whose scores a CTA makes: sixteen for each warp */
	VECTORSEARCH_BEST = 8, /* rows that are wanted */
	VECTORSEARCH_CHUNK = 1024, /* scores of which a CTA finds the best */
};

#endif
