/*
 * HPCG's problem and solver: conjugate gradients with a multigrid preconditioner for a sparse matrix of 27 points a
 * row.
 *
 * The grid is divided into parts, cubes of one side, each with its rows, the halo of values that its neighbours have,
 * and a grid of half the side for the next level. Rows are stored in the order in which they are smoothed: by colour,
 * then by block, then within the block (block multi-colouring), so that a block's rows lie together.
 */
#ifndef HPCG_H
#define HPCG_H

#include <stdbool.h>
#include <stdint.h>

enum {
	HPCG_LEVELS = 4,
	HPCG_COLOURS = 8,
	HPCG_PARTS_MAX = 8,
	HPCG_DIRECTIONS = 27, /* of neighbours; the middle one is the part itself */
	HPCG_ROW_MAX = 27,    /* nonzeros */
	HPCG_RANGES = 64,     /* partial sums of a dot product, however many threads there are */
	HPCG_PAD = 64,        /* elements before and after what is prefetched ahead of */
	HPCG_DIAGONAL = 26,
	HPCG_SIDE_MULTIPLE = 1 << (HPCG_LEVELS - 1)
};

/* What a part and its neighbour in some direction tell each other; none: count is 0. */
struct hpcg_neighbour {
	uint32_t part, count;
	uint32_t slot;         /* of the first value that comes, behind the rows */
	uint32_t first;        /* of what goes, in the part's outgoing values */
	const double *from[2]; /* what comes, at the neighbour's */
};

struct hpcg_level {
	uint32_t side, rows, halo, outgoing; /* halo: values that come; outgoing: that go */
	/* The matrix: nonzeros begin[row] .. begin[row + 1], by their place in the grid. */
	uint32_t *begin, *columns;
	double *values;
	uint32_t *diagonal;                              /* [rows], a place in values */
	uint32_t *blocks;                                /* [block_count + 1]: first rows */
	uint32_t block_count, colours[HPCG_COLOURS + 1]; /* first blocks */
	uint32_t *rows_out;                              /* [outgoing]: whose values go */
	uint32_t *fine;  /* [rows]: the finer level's row at the same place; NULL on the finest */
	uint32_t *cells; /* [rows]: row of each place in the grid, x fastest */
	struct hpcg_neighbour neighbours[HPCG_DIRECTIONS];
	double *out[2];     /* [outgoing]: one is read by others while the next is filled */
	double *r, *x, *ax; /* of the preconditioner; r and x of the finest level are the solver's */
};

enum hpcg_kind { HPCG_MATRIX, HPCG_VECTORS, HPCG_MEMORIES };

/* On the part's memory channel. */
struct hpcg_memory {
	char *at;
	uint64_t bytes, used;
};

/* On the part's memory channel, as is all that it points to. */
struct hpcg_part {
	struct hpcg_level levels[HPCG_LEVELS];
	double *b, *x, *r, *z, *p, *ap;      /* the finest level's; x, z and p with a halo */
	double sums[HPCG_RANGES], dot_value; /* of the dot product under way */
	struct hpcg_memory memories[HPCG_MEMORIES];
};

struct hpcg {
	uint32_t side, block; /* of a part; of a block of the finest level */
	uint32_t part_count, parts_x, parts_y, parts_z;
	bool is_placed; /* part p is on memory channel p */
	struct hpcg_part *parts[HPCG_PARTS_MAX];
};

/* ---- grid.c ---- */

void hpcg_make(struct hpcg *h);
void hpcg_free(struct hpcg *h);
uint64_t hpcg_rows(const struct hpcg *h, uint32_t level);
uint64_t hpcg_nonzeros(const struct hpcg *h, uint32_t level);
/* Number of a place in the whole grid of the level, x fastest. */
uint64_t hpcg_number(const struct hpcg *h, uint32_t level, uint32_t part, uint32_t cell);

/* ---- solve.c: by the teams ---- */

enum hpcg_prefetch { HPCG_NO_PREFETCH, HPCG_LINEAR, HPCG_INDIRECT };

struct hpcg_counted {
	const char *name;
	uint64_t value;
};

struct hpcg_solve {
	const struct hpcg *h;
	uint32_t threads; /* of a part's team; 0: as many as there are cores where it is */
	bool is_one_region;
	bool is_cacheable; /* what neighbours send stays in caches, and is flushed */
	enum hpcg_prefetch prefetch;
	uint32_t prefetch_ahead; /* nonzeros, or elements */
	bool is_preconditioned;
	bool is_exchange;             /* instead of iterations, exchanges of p's halo */
	uint32_t warm, iterations;    /* before what is timed; at most */
	double tolerance;             /* of the residual over the first one; 0: all iterations */
	struct hpcg_counted *counted; /* statistics of the machine, taken around what is timed */
	uint32_t counted_count;
	/* Set: of what is timed, and as the first part sees it. */
	uint32_t done;
	double first_residual, residual, seconds, exchange_seconds;
};

/* Makes the teams' threads, which then wait. */
void hpcg_begin(struct hpcg_solve *s);
/* x from 0 on. */
void hpcg_solve(struct hpcg_solve *s);
/* z = A p, and z = M^-1 r with the preconditioner M; whatever r and p are. */
void hpcg_apply_matrix(struct hpcg_solve *s);
void hpcg_apply_preconditioner(struct hpcg_solve *s);

/* ---- check.c: by one thread, with code of its own ---- */

enum hpcg_order { HPCG_COLOURED, HPCG_NATURAL };

/* Iterations, at most so many, until the residual is the first one times the tolerance; x[p] of each part, from 0 on.
 * In natural order it is HPCG's reference. */
uint32_t hpcg_reference(const struct hpcg *h, enum hpcg_order order, uint32_t iterations, double tolerance, double **x,
			double *residual);

/* p is filled, and its halo is what neighbours have; false after a message. */
void hpcg_halo_fill(const struct hpcg *h, uint64_t seed);
bool hpcg_halo_check(const struct hpcg *h);

/* Matrices, right-hand side and places of coarser grids are the specification's; false after a message. */
bool hpcg_problem_check(const struct hpcg *h, uint64_t seed);

/* HPCG's tests of an optimised program; false after a message. Needs the solver's x, r, z, p. */
bool hpcg_symmetry_check(struct hpcg_solve *s, uint64_t seed);
bool hpcg_convergence_check(struct hpcg_solve *s);

#endif
