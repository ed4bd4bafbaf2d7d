/* The weights of one sweep: the grid's values stay bounded (6 * STENCIL_SIDE + STENCIL_CENTRE = 1). */
#define STENCIL_SIDE 0.125f
#define STENCIL_CENTRE 0.25f
