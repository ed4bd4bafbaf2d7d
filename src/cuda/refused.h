/* refused.h - what our runtime library tells the driver library beside the driver API. */
#ifndef STRATA_CUDA_REFUSED_H
#define STRATA_CUDA_REFUSED_H

/* Counts a launch that the program asked for and that did not begin, with its reason. kernel may be NULL: not known. */
__attribute__((visibility("default"))) void cuda_launch_refused(const char *kernel, const char *reason);

#endif
