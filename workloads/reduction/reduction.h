/* Shared by the host program and the kernel: threads per CTA, a power of two and at least 64. */
#define REDUCTION_BLOCK_THREADS 256
