/* Shared by the host program and the kernel. */
#ifndef HOTSPOT3D_H
#define HOTSPOT3D_H

#define HOTSPOT3D_X 64 /* threads of a CTA along x and y: Rodinia's */
#define HOTSPOT3D_Y 4

/* Weights of a cell's own heat, its neighbours', and of the power and the ambient heat that it takes. */
struct hotspot3d_weights {
	float own, east_west, north_south, top_bottom, power, ambient;
};

#endif
