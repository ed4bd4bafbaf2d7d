/* Shared by the host program and the kernel. */
#ifndef LPS_H
#define LPS_H

/* One CTA's part of a plane. */
#define LPS_TILE_X 32
#define LPS_TILE_Y 4

/* The mean of six neighbours is their sum times this. */
#define LPS_SIXTH (1.0f / 6.0f)

#endif
