/* The size of the transform, for the kernel and the host: section 2.4.3 of the PhD thesis. */
enum {
	SKAFFT_LOG = 7,
	SKAFFT_SIDE = 1 << SKAFFT_LOG,
	SKAFFT_THREADS = SKAFFT_SIDE / 2,
};
