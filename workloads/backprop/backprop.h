/* Shared by the host program and the kernels: hidden units, and input units per CTA. */
#define BACKPROP_HIDDEN 16
#define BACKPROP_ROWS 16
