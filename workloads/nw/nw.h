/* Shared by the host program and the kernel. */
#ifndef NW_H
#define NW_H

#define NW_TILE 16 /* cells along a side of a tile, and threads of a CTA: Rodinia's */

#endif
