/* Shared by the host program and the kernel of pagedattention: Llama 3 8B's heads, vLLM's pages. */
#ifndef PAGEDATTENTION_H
#define PAGEDATTENTION_H

enum {
	PAGEDATTENTION_BLOCK_THREADS = 128, /* one for each element of a head */
	PAGEDATTENTION_WARPS = PAGEDATTENTION_BLOCK_THREADS / 32,
	PAGEDATTENTION_HEADS = 8, /* of keys and values */
	PAGEDATTENTION_QUERIES = 4, /* that share a head */
	PAGEDATTENTION_PAGE = 16, /* positions */
};

#endif
