/* Shared by the programs and the kernels of kvattention: Llama 3 8B's heads. */
#ifndef KVATTENTION_H
#define KVATTENTION_H

enum {
	KVATTENTION_BLOCK_THREADS = 128,
	KVATTENTION_HEADS = 8, /* of keys and values */
	KVATTENTION_QUERIES = 4, /* that share a head */
	KVATTENTION_SPLIT_MAX = 256, /* positions */
};

#endif
