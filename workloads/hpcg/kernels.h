/* kernels.h - what HPCG spends its time in: loops that the threads of a region share, each with its barrier at the end.
 */
#ifndef HPCG_KERNELS_H
#define HPCG_KERNELS_H

#include "hpcg.h"

struct hpcg_work {
	struct hpcg_part *part;
	const struct hpcg_level *level;
	const double *x, *y;
	double *w;
	double beta;
	uint32_t turn;
	bool is_cacheable; /* what neighbours send */
	enum hpcg_prefetch prefetch;
	uint32_t ahead;
};

typedef void hpcg_kernel(const struct hpcg_work *w);

hpcg_kernel hpcg_multiply;      /* w = A x */
hpcg_kernel hpcg_sweep_forward; /* Gauss-Seidel of A w = y */
hpcg_kernel hpcg_sweep_backward;
hpcg_kernel hpcg_dot;              /* the part's sums of x y */
hpcg_kernel hpcg_add;              /* w = x + beta y: WAXPBY, as all calls have it */
hpcg_kernel hpcg_copy, hpcg_clear; /* w = x; w and its halo = 0 */
hpcg_kernel hpcg_restrict;         /* w = x - y where the coarser grid has a row; level: the coarser one */
hpcg_kernel hpcg_prolong;          /* w += x there */
hpcg_kernel hpcg_pack;             /* x for the neighbours */
hpcg_kernel hpcg_take;             /* of the neighbours, behind w's rows */

#endif
