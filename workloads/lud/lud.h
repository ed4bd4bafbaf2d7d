/* Shared by the host program and the kernels. */
#ifndef LUD_H
#define LUD_H

/* Rows and columns of a block: the kernel of the diagonal has as many threads.  Duality Cache (ISCA'19, section 5.4)
 * says 32 of it. */
#define LUD_SIDE 32

#endif
