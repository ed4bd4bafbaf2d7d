/*
 * rows.h - a visibility's pixels by rows of the grid, LANES pixels at once (common/wide.h).
 */
static inline WIDE(wide) *WIDE(row_lanes)(float *plane, size_t first)
{
	return (WIDE(wide) *)(plane + first);
}

/* All is loaded before anything is stored: a processor that issues in order does not wait for each load. */
static void WIDE(row_add)(struct planes grid, size_t pixel, struct planes parts, size_t part, struct sample a)
{
	enum { VECTORS = SKAGRID_SIDE / LANES };
	WIDE(wide) *const grid_re = WIDE(row_lanes)(grid.re, pixel), *const grid_im = WIDE(row_lanes)(grid.im, pixel);
	const WIDE(wide) *const part_re = WIDE(row_lanes)(parts.re, part);
	const WIDE(wide) *const part_im = WIDE(row_lanes)(parts.im, part);
	WIDE(wide) re[VECTORS], im[VECTORS];

#pragma GCC unroll 4
	for (unsigned int i = 0; i < VECTORS; i++) {
		re[i] = grid_re[i] + (a.re * part_re[i] - a.im * part_im[i]);
		im[i] = grid_im[i] + (a.re * part_im[i] + a.im * part_re[i]);
	}
#pragma GCC unroll 4
	for (unsigned int i = 0; i < VECTORS; i++) {
		grid_re[i] = re[i];
		grid_im[i] = im[i];
	}
}

/* Of `threads` threads, row r of the grid is thread r modulo threads'. */
static void WIDE(own_rows_add)(struct planes grid, unsigned int side, struct planes parts, const struct place *p,
			       struct sample a, unsigned int thread, unsigned int threads)
{
	const unsigned int first = (thread + threads - p->y % threads) % threads;

	for (unsigned int y = first; y < SKAGRID_SIDE; y += threads)
		WIDE(row_add)(grid, (size_t)(p->y + y) * side + p->x, parts, part_first(p) + (size_t)y * SKAGRID_SIDE,
			      a);
}
