/* Shared by the host program and the kernel: the number of partial sums per pair of vectors, a power of two. */
#define SCALARPROD_ACCUMULATORS 1024
