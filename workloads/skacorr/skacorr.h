/* The tile of a CTA, for the kernel and the host. */
enum {
	SKACORR_SIDE = 16,			/* threads of a side */
	SKACORR_TILE = 2 * SKACORR_SIDE,	/* signals of a side: each thread has two by two products */
	SKACORR_STEPS = 16,			/* samples that are in shared memory at a time */
};
