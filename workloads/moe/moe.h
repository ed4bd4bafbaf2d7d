/* Shared by the programs and the kernels of moe. */
#ifndef MOE_H
#define MOE_H

enum {
	MOE_BLOCK_THREADS = 256, /* eight rows */
	MOE_EXPERTS_MAX = 64,
	MOE_BEST_MAX = 8, /* experts of a token at most */
	MOE_MULTIPLE = 256, /* of both widths */
};

#endif
