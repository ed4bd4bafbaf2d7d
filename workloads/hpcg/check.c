/* check.c - the same by one thread, with code of its own; and the tests that HPCG makes of an optimised program. */
#include "common/program.h"
#include "hpcg.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the solver, part by part ---- */

/* Vectors of all parts on one level. */
struct vectors {
	double *of[HPCG_PARTS_MAX];
};

struct reference {
	const struct hpcg *h;
	enum hpcg_order order;
	struct vectors r[HPCG_LEVELS], x[HPCG_LEVELS], ax[HPCG_LEVELS]; /* the first x is z */
	struct vectors p, solution;
};

static const struct hpcg_level *level_of(const struct hpcg *h, uint32_t part, uint32_t level)
{
	return &h->parts[part]->levels[level];
}

static struct vectors vectors_make(const struct hpcg *h, uint32_t level)
{
	struct vectors v;

	for (uint32_t part = 0; part < h->part_count; part++) {
		const struct hpcg_level *l = level_of(h, part, level);

		v.of[part] = workload_host_alloc((size_t)l->rows + l->halo, sizeof(double));
	}
	return v;
}

static void vectors_free(const struct hpcg *h, const struct vectors *v)
{
	for (uint32_t part = 0; part < h->part_count; part++)
		free(v->of[part]);
}

static void halo_fill(const struct hpcg *h, uint32_t level, const struct vectors *x)
{
	for (uint32_t part = 0; part < h->part_count; part++)
		for (uint32_t i = 0; i < HPCG_DIRECTIONS; i++) {
			const struct hpcg_neighbour *n = &level_of(h, part, level)->neighbours[i];
			const struct hpcg_level *there = level_of(h, n->part, level);
			const uint32_t *rows = there->rows_out + there->neighbours[HPCG_DIRECTIONS - 1 - i].first;

			for (uint32_t k = 0; k < n->count; k++)
				x->of[part][n->slot + k] = x->of[n->part][rows[k]];
		}
}

static double row_sum(const struct hpcg_level *l, uint32_t row, const double *x, bool is_backward)
{
	const uint32_t begin = l->begin[row], end = l->begin[row + 1];
	double sum = 0;

	for (uint32_t i = begin; i < end; i++) {
		const uint32_t at = is_backward ? end - 1 - (i - begin) : i;

		sum += l->values[at] * x[l->columns[at]];
	}
	return sum;
}

static void multiply(const struct hpcg *h, uint32_t level, const struct vectors *x, const struct vectors *to)
{
	halo_fill(h, level, x);
	for (uint32_t part = 0; part < h->part_count; part++) {
		const struct hpcg_level *l = level_of(h, part, level);

		for (uint32_t row = 0; row < l->rows; row++)
			to->of[part][row] = row_sum(l, row, x->of[part], false);
	}
}

static void row_smooth(const struct hpcg_level *l, uint32_t row, const double *r, double *x, bool is_backward)
{
	const double d = l->values[l->diagonal[row]], sum = row_sum(l, row, x, is_backward);

	x[row] = (r[row] - sum + x[row] * d) / d;
}

static void smooth(const struct reference *e, uint32_t level)
{
	halo_fill(e->h, level, &e->x[level]);
	for (uint32_t part = 0; part < e->h->part_count; part++) {
		const struct hpcg_level *l = level_of(e->h, part, level);
		const bool is_natural = e->order == HPCG_NATURAL;
		const double *r = e->r[level].of[part];
		double *x = e->x[level].of[part];

		for (uint32_t i = 0; i < l->rows; i++)
			row_smooth(l, is_natural ? l->cells[i] : i, r, x, false);
		for (uint32_t i = l->rows; i-- > 0;)
			row_smooth(l, is_natural ? l->cells[i] : i, r, x, true);
	}
}

static void to_coarser(const struct reference *e, uint32_t level)
{
	for (uint32_t part = 0; part < e->h->part_count; part++) {
		const struct hpcg_level *l = level_of(e->h, part, level + 1);

		for (uint32_t row = 0; row < l->rows; row++)
			e->r[level + 1].of[part][row] =
			    e->r[level].of[part][l->fine[row]] - e->ax[level].of[part][l->fine[row]];
	}
}

static void to_finer(const struct reference *e, uint32_t level)
{
	for (uint32_t part = 0; part < e->h->part_count; part++) {
		const struct hpcg_level *l = level_of(e->h, part, level + 1);

		for (uint32_t row = 0; row < l->rows; row++)
			e->x[level].of[part][l->fine[row]] += e->x[level + 1].of[part][row];
	}
}

static void cycle(const struct reference *e, uint32_t level)
{
	for (uint32_t part = 0; part < e->h->part_count; part++) {
		const struct hpcg_level *l = level_of(e->h, part, level);

		memset(e->x[level].of[part], 0, ((size_t)l->rows + l->halo) * sizeof(double));
	}
	smooth(e, level);
	if (level + 1 == HPCG_LEVELS)
		return;
	multiply(e->h, level, &e->x[level], &e->ax[level]);
	to_coarser(e, level);
	cycle(e, level + 1);
	to_finer(e, level);
	smooth(e, level);
}

static double dot(const struct hpcg *h, const struct vectors *x, const struct vectors *y)
{
	const uint32_t size = level_of(h, 0, 0)->rows / HPCG_RANGES;
	double all = 0;

	for (uint32_t part = 0; part < h->part_count; part++) {
		double sum = 0;

		for (uint32_t range = 0; range < HPCG_RANGES; range++) {
			double some = 0;

			for (uint32_t i = range * size; i < (range + 1) * size; i++)
				some += x->of[part][i] * y->of[part][i];
			sum += some;
		}
		all += sum;
	}
	return all;
}

/* to = x + beta y */
static void add(const struct hpcg *h, const struct vectors *x, double beta, const struct vectors *y,
		const struct vectors *to)
{
	for (uint32_t part = 0; part < h->part_count; part++)
		for (uint32_t row = 0; row < level_of(h, part, 0)->rows; row++)
			to->of[part][row] = x->of[part][row] + beta * y->of[part][row];
}

static uint32_t gradients(const struct reference *e, uint32_t iterations, double tolerance, double *residual)
{
	const struct hpcg *h = e->h;
	const struct vectors *r = &e->r[0], *z = &e->x[0], *ap = &e->ax[0];
	double first, rz = 0;
	uint32_t i = 0;

	for (uint32_t part = 0; part < h->part_count; part++)
		memcpy(r->of[part], h->parts[part]->b, level_of(h, part, 0)->rows * sizeof(double));
	first = *residual = sqrt(dot(h, r, r));
	for (; i < iterations && (*residual) > first * tolerance; i++) {
		const double before = rz;
		double alpha;

		cycle(e, 0);
		rz = dot(h, r, z);
		add(h, z, i ? rz / before : 0, &e->p, &e->p);
		multiply(h, 0, &e->p, ap);
		alpha = rz / dot(h, &e->p, ap);
		add(h, &e->solution, alpha, &e->p, &e->solution);
		add(h, r, -alpha, ap, r);
		*residual = sqrt(dot(h, r, r));
	}
	*residual /= first;
	return i;
}

uint32_t hpcg_reference(const struct hpcg *h, enum hpcg_order order, uint32_t iterations, double tolerance, double **x,
			double *residual)
{
	struct reference e = {.h = h, .order = order, .p = vectors_make(h, 0), .solution = vectors_make(h, 0)};
	uint32_t done;

	for (uint32_t level = 0; level < HPCG_LEVELS; level++) {
		e.r[level] = vectors_make(h, level);
		e.x[level] = vectors_make(h, level);
		e.ax[level] = vectors_make(h, level);
	}
	done = gradients(&e, iterations, tolerance, residual);
	for (uint32_t level = 0; level < HPCG_LEVELS; level++) {
		vectors_free(h, &e.r[level]);
		vectors_free(h, &e.x[level]);
		vectors_free(h, &e.ax[level]);
	}
	vectors_free(h, &e.p);
	for (uint32_t part = 0; part < h->part_count; part++)
		x[part] = e.solution.of[part];
	return done;
}

enum { STREAM_FIRST, STREAM_SECOND };

/* ---- the problem ---- */

/* 1 to 2, of 24 bits, so that sums of a row are exact in any order. */
static double random_at(uint64_t seed, uint32_t stream, uint64_t number)
{
	return 1 + (double)workload_random_float(seed, stream, number);
}

static void random_fill(const struct hpcg *h, uint32_t level, uint64_t seed, uint32_t stream, const struct vectors *v)
{
	for (uint32_t part = 0; part < h->part_count; part++) {
		const struct hpcg_level *l = level_of(h, part, level);

		for (uint32_t cell = 0; cell < l->rows; cell++)
			v->of[part][l->cells[cell]] = random_at(seed, stream, hpcg_number(h, level, part, cell));
	}
}

/* A row of the specification times these values, and times ones. */
struct products {
	double of_values, of_ones;
};

static bool is_outside(int64_t at, int64_t side)
{
	return at < 0 || at >= side;
}

static struct products row_products(const struct hpcg *h, uint32_t level, uint64_t seed, uint64_t number)
{
	const int64_t side = h->side >> level, place = (int64_t)number;
	const int64_t sides[] = {h->parts_x * side, h->parts_y * side, h->parts_z * side};
	const int64_t x = place % sides[0], y = place / sides[0] % sides[1], z = place / sides[0] / sides[1];
	struct products sum = {0, 0};

	for (int64_t i = 0; i < 27; i++) {
		const int64_t a = x + i % 3 - 1, b = y + i / 3 % 3 - 1, c = z + i / 9 - 1;
		const int64_t at = (c * sides[1] + b) * sides[0] + a;
		const double value = at == place ? 26 : -1;

		if (is_outside(a, sides[0]) || is_outside(b, sides[1]) || is_outside(c, sides[2]))
			continue;
		sum.of_values += value * random_at(seed, STREAM_FIRST, (uint64_t)at);
		sum.of_ones += value;
	}
	return sum;
}

/* The coarser grid's place is the finer one's of twice the coordinates. */
static bool is_fine_right(const struct hpcg *h, uint32_t level, uint32_t part, uint32_t cell)
{
	const struct hpcg_level *l = level_of(h, part, level), *finer = l - 1;
	const uint32_t x = cell % l->side * 2, y = cell / l->side % l->side * 2, z = cell / l->side / l->side * 2;

	return l->fine[l->cells[cell]] == finer->cells[(z * finer->side + y) * finer->side + x];
}

static bool level_check(const struct hpcg *h, uint32_t level, uint64_t seed)
{
	const struct vectors x = vectors_make(h, level), product = vectors_make(h, level);
	bool right = true;

	random_fill(h, level, seed, STREAM_FIRST, &x);
	multiply(h, level, &x, &product);
	for (uint32_t part = 0; part < h->part_count; part++)
		for (uint32_t cell = 0; cell < level_of(h, part, level)->rows && right; cell++) {
			const uint64_t number = hpcg_number(h, level, part, cell);
			const struct products wanted = row_products(h, level, seed, number);
			const uint32_t row = level_of(h, part, level)->cells[cell];

			right = product.of[part][row] == wanted.of_values;
			if (level)
				right = right && is_fine_right(h, level, part, cell);
			else
				right = right && h->parts[part]->b[row] == wanted.of_ones;
			if (!right)
				fprintf(stderr, "level %u: row %llu is not HPCG's\n", level,
					(unsigned long long)number);
		}
	vectors_free(h, &x);
	vectors_free(h, &product);
	return right;
}

bool hpcg_problem_check(const struct hpcg *h, uint64_t seed)
{
	bool right = true;

	for (uint32_t level = 0; level < HPCG_LEVELS && right; level++)
		right = level_check(h, level, seed);
	return right;
}

/* ---- HPCG's tests ---- */

static void copy(const struct hpcg *h, const struct vectors *from, const struct vectors *to)
{
	for (uint32_t part = 0; part < h->part_count; part++)
		memcpy(to->of[part], from->of[part], level_of(h, part, 0)->rows * sizeof(double));
}

void hpcg_halo_fill(const struct hpcg *h, uint64_t seed)
{
	struct vectors p;

	for (uint32_t part = 0; part < h->part_count; part++)
		p.of[part] = h->parts[part]->p;
	random_fill(h, 0, seed, STREAM_FIRST, &p);
}

bool hpcg_halo_check(const struct hpcg *h)
{
	const struct vectors wanted = vectors_make(h, 0);
	bool right = true;

	for (uint32_t part = 0; part < h->part_count; part++)
		memcpy(wanted.of[part], h->parts[part]->p, level_of(h, part, 0)->rows * sizeof(double));
	halo_fill(h, 0, &wanted);
	for (uint32_t part = 0; part < h->part_count && right; part++) {
		const struct hpcg_level *l = level_of(h, part, 0);

		right =
		    workload_same_f64("halo", h->parts[part]->p + l->rows, wanted.of[part] + l->rows, l->halo, l->rows);
	}
	vectors_free(h, &wanted);
	return right;
}

/* |x M y - y M x|, over what rounding may be. */
static bool is_symmetric(struct hpcg_solve *s, const char *what, void (*apply)(struct hpcg_solve *),
			 const struct vectors *in, const struct vectors *x, const struct vectors *y)
{
	const struct hpcg *h = s->h;
	const double norms = sqrt(dot(h, x, x)) * sqrt(dot(h, y, y)) * 2 * HPCG_DIAGONAL * 2 * DBL_EPSILON;
	struct vectors z;
	double there, back;

	for (uint32_t part = 0; part < h->part_count; part++)
		z.of[part] = h->parts[part]->z;
	copy(h, y, in);
	apply(s);
	there = dot(h, x, &z);
	copy(h, x, in);
	apply(s);
	back = dot(h, y, &z);
	if (fabs(there - back) <= norms)
		return true;
	fprintf(stderr, "%s is not symmetric: %.17g one way, %.17g the other\n", what, there, back);
	return false;
}

bool hpcg_symmetry_check(struct hpcg_solve *s, uint64_t seed)
{
	const struct hpcg *h = s->h;
	const struct vectors x = vectors_make(h, 0), y = vectors_make(h, 0);
	struct vectors p, r;
	bool right;

	for (uint32_t part = 0; part < h->part_count; part++) {
		p.of[part] = h->parts[part]->p;
		r.of[part] = h->parts[part]->r;
	}
	random_fill(h, 0, seed, STREAM_FIRST, &x);
	random_fill(h, 0, seed, STREAM_SECOND, &y);
	right = is_symmetric(s, "the matrix", hpcg_apply_matrix, &p, &x, &y) &&
		is_symmetric(s, "the preconditioner", hpcg_apply_preconditioner, &r, &x, &y);
	vectors_free(h, &x);
	vectors_free(h, &y);
	return right;
}

/* Multiplies the diagonal and the right-hand side: each of the first nine rows by another number, so that there are ten
 * different ones. */
static void exaggerate(const struct hpcg *h, bool is_undone)
{
	enum { FIRST_ROWS = 9 };

	for (uint32_t part = 0; part < h->part_count; part++) {
		struct hpcg_part *p = h->parts[part];
		const struct hpcg_level *l = &p->levels[0];

		for (uint32_t cell = 0; cell < l->rows; cell++) {
			const uint64_t number = hpcg_number(h, 0, part, cell);
			const uint32_t row = l->cells[cell];
			const double by = number < FIRST_ROWS ? ((double)number + 2) * 1e6 : 1e6;
			const double plain_b = HPCG_DIAGONAL - (double)(l->begin[row + 1] - l->begin[row] - 1);

			l->values[l->diagonal[row]] = is_undone ? HPCG_DIAGONAL : HPCG_DIAGONAL * by;
			p->b[row] = is_undone ? plain_b : plain_b * by;
		}
	}
}

static bool converges(struct hpcg_solve *s, bool is_preconditioned, uint32_t most)
{
	enum { ITERATIONS = 50 };
	struct hpcg_solve test = *s;

	test.is_preconditioned = is_preconditioned;
	test.warm = 0;
	test.iterations = ITERATIONS;
	test.tolerance = 1e-12;
	test.counted_count = 0;
	hpcg_solve(&test);
	if (test.done <= most)
		return true;
	fprintf(stderr, "%u iterations with%s preconditioner, at most %u wanted\n", test.done,
		is_preconditioned ? "" : "out", most);
	return false;
}

bool hpcg_convergence_check(struct hpcg_solve *s)
{
	enum { MOST = 12, MOST_PRECONDITIONED = 2 };
	bool right;

	exaggerate(s->h, false);
	right = converges(s, false, MOST) && converges(s, true, MOST_PRECONDITIONED);
	exaggerate(s->h, true);
	return right;
}
