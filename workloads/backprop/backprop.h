/* Shared by the host program and the kernels: hidden units, and input units per CTA. */
#define BACKPROP_HIDDEN 16
#define BACKPROP_ROWS 16

/* Learning rate and momentum of Rodinia's program, double constants as there: the arithmetic around them is double. */
#define BACKPROP_RATE 0.3
#define BACKPROP_MOMENTUM 0.3
