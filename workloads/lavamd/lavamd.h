/* Shared by the host program and the kernel. */
#ifndef LAVAMD_H
#define LAVAMD_H

#define LAVAMD_PARTICLES 100 /* of a box: Rodinia's */
#define LAVAMD_THREADS 128   /* of a CTA: Rodinia's */
#define LAVAMD_NEIGHBOURS 27 /* the box itself among them */

/* A box: its neighbours, itself first. */
struct lavamd_box {
	unsigned int neighbours_count;
	unsigned int neighbours[LAVAMD_NEIGHBOURS];
};

/* v: half of its square; x, y, z. As a force: the potential and its gradient. */
struct lavamd_vector {
	float v, x, y, z;
};

#endif
