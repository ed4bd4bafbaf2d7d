/* Shared by the host program and the kernels: the largest transform that one CTA does in shared memory. */
#define FWT_SHARED_LOG2 11
#define FWT_SHARED_ELEMENTS (1 << FWT_SHARED_LOG2)
