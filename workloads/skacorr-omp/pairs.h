/*
 * pairs.h - sums of pairs of signals, LANES side by side (common/wide.h).
 */
typedef float WIDE(lanes) __attribute__((vector_size(LANES * sizeof(float))));

typedef struct {
	WIDE(lanes) re, im;
} WIDE(step);

/* Group after group, of each all times: what a tile reads lies together. */
static void WIDE(pack)(const struct packed *p, const struct sample *input)
{
	WIDE(step) *steps = p->steps;

#pragma omp for
	for (size_t g = 0; g < p->signals / LANES; g++)
		for (size_t t = 0; t < p->times; t++) {
			const struct sample *x = input + t * p->signals + g * LANES;
			WIDE(step) s;

#pragma GCC unroll 8
			for (size_t l = 0; l < LANES; l++) {
				s.re[l] = x[l].re;
				s.im[l] = x[l].im;
			}
			steps[g * p->times + t] = s;
		}
}

/* What the rows multiply: all lanes of a group, which are there in two loads; of eight every second half, and AVX
 * broadcasts a float as it loads it. */
#if LANES == 4
#define FACTORS const WIDE(lanes) u_re = x[t].re, u_im = x[t].im;
#else
#define FACTORS const float *u_re = (const float *)&x[t].re + row, *u_im = (const float *)&x[t].im + row;
#endif

/* All pairs of ROWS signals of a group with those of another: as many sums as the registers take. */
static void WIDE(rows_compute)(const struct packed *p, size_t a, size_t b, size_t row, struct sample *output)
{
	const WIDE(step) *steps = p->steps, *x = steps + a * p->times, *y = steps + b * p->times;
	WIDE(lanes) re[ROWS] = {0}, im[ROWS] = {0};

	for (size_t t = 0; t < p->times; t++) {
		FACTORS
		const WIDE(step) v = y[t];
		const WIDE(lanes) turned = -v.im;

#pragma GCC unroll 4
		for (size_t r = 0; r < ROWS; r++) {
			re[r] = u_im[r] * v.im + (u_re[r] * v.re + re[r]);
			im[r] = u_re[r] * turned + (u_im[r] * v.re + im[r]);
		}
	}
	for (size_t r = 0; r < ROWS; r++)
		for (size_t l = 0; l < LANES; l++)
			output[(a * LANES + row + r) * p->signals + b * LANES + l] =
				(struct sample){re[r][l], im[r][l]};
}

static void WIDE(pairs_compute)(const struct packed *p, struct sample *output)
{
	const size_t groups = p->signals / LANES;

#pragma omp for schedule(static, 1) nowait
	for (size_t i = 0; i < groups * groups; i++)
		for (size_t row = 0; i % groups <= i / groups && row < LANES; row += ROWS)
			WIDE(rows_compute)(p, i / groups, i % groups, row, output);
}
#undef FACTORS
