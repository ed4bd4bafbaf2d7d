/* Shared by the host program and the kernel. */
#ifndef HOTSPOT3D_H
#define HOTSPOT3D_H

#define HOTSPOT3D_X 64 /* threads of a CTA along x and y: Rodinia's */
#define HOTSPOT3D_Y 4

/* Weights of a cell's own heat, its neighbours', and of the power and the ambient heat that it takes. */
struct hotspot3d_weights {
	float own, east_west, north_south, top_bottom, power, ambient;
};

#if !defined(__CUDA__) && !defined(__CUDACC__)
/* Stable, and what a cell takes from all sides is less than what it has. */
static const struct hotspot3d_weights hotspot3d_weights = {
    .own = 0.55f, .east_west = 0.1f, .north_south = 0.1f, .top_bottom = 0.02f, .power = 0.3f, .ambient = 0.8f};
#endif

#endif
