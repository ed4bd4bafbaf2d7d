/* The size of a convolution matrix, for the kernel and the host. */
enum {
	SKAGRID_SIDE = 16,		/* of the part of a matrix that a visibility is multiplied by */
	SKAGRID_SCALE = 8,		/* finer grid of a matrix: that part is 1/64 of it */
	SKAGRID_VISIBILITIES = 8,	/* of a CTA, one after the other, where every product is added */
	SKAGRID_TRACK = 32,		/* visibilities of a baseline */
	SKAGRID_STAY = 4,		/* of them in a place */
};
