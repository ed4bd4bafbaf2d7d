/* What the host program and the kernels of minife share. */
#ifndef MINIFE_H
#define MINIFE_H

enum {
	MINIFE_SLOTS = 27,	   /* neighbours of a node of a brick mesh, itself among them: entries of a row */
	MINIFE_DOT_THREADS = 256,  /* threads of a CTA of minife_dot; a power of two */
	MINIFE_DOT_CTAS_MAX = 512, /* partial sums that the host adds */
};

#endif
