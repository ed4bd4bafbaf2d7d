/* grid.c - the problem: rows of 27 points (26 and -1) on a grid in parts, in the order of colours, on four levels. */
#include "common/program.h"
#include "hpcg.h"

#include <stdlib.h>
#include <strata/ndp.h>
#include <string.h>

/* A place in a part's grid, or one step outside of it. */
struct place {
	int x, y, z;
};

static bool is_inside(int at, uint32_t side)
{
	return at >= 0 && at < (int)side;
}

/* -1, 0 or 1: on which side of the grid a coordinate is. */
static int beyond(int at, uint32_t side)
{
	return at < 0 ? -1 : at >= (int)side;
}

static struct place part_place(const struct hpcg *h, uint32_t part)
{
	return (struct place){(int)(part % h->parts_x), (int)(part / h->parts_x % h->parts_y),
			      (int)(part / h->parts_x / h->parts_y)};
}

static uint32_t direction_of(struct place d)
{
	return (uint32_t)((d.z + 1) * 9 + (d.y + 1) * 3 + d.x + 1);
}

static struct place direction(uint32_t number)
{
	return (struct place){(int)(number % 3) - 1, (int)(number / 3 % 3) - 1, (int)(number / 9) - 1};
}

/* ---- memory ---- */

enum { LINE_BYTES = 128 };

/* Two pieces of memory for each part, of what is read only and of the rest: what is claimed lies together. */
static void memory_make(const struct hpcg *h, uint32_t part)
{
	uint64_t matrix = 0, vectors = 0;

	for (uint32_t level = 0; level < HPCG_LEVELS; level++) {
		const uint64_t side = h->side >> level, rows = side * side * side;
		const uint64_t shell = (side + 2) * (side + 2) * (side + 2) - rows;

		/* Five words a row besides its nonzeros, a word for each value that goes; eleven vectors at most. */
		matrix += rows * (HPCG_ROW_MAX * (sizeof(double) + sizeof(uint32_t)) + 5 * sizeof(uint32_t)) +
			  shell * sizeof(uint32_t) + HPCG_PAD * 4 * sizeof(double) + 8 * LINE_BYTES;
		vectors += 11 * ((rows + shell + HPCG_PAD) * sizeof(double) + LINE_BYTES);
	}
	for (uint32_t i = 0; i < HPCG_MEMORIES; i++) {
		struct hpcg_memory *m = &h->parts[part]->memories[i];

		m->bytes = (i == HPCG_MATRIX ? matrix : vectors) / LINE_BYTES * LINE_BYTES + LINE_BYTES;
		m->at = h->is_placed ? strata_alloc_on(m->bytes, part) : aligned_alloc(LINE_BYTES, m->bytes);
		if (!m->at)
			workload_fail("no memory for %llu bytes", (unsigned long long)m->bytes);
		memset(m->at, 0, m->bytes);
	}
}

/* No two arrays share a line. */
static void *part_alloc(const struct hpcg *h, uint32_t part, uint64_t bytes, enum hpcg_kind kind)
{
	struct hpcg_memory *m = &h->parts[part]->memories[kind];
	void *at = m->at + m->used;

	m->used += (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
	if (m->used > m->bytes)
		workload_fail("part %u needs more memory than was thought", part);
	return at;
}

static uint32_t *words(const struct hpcg *h, uint32_t part, uint64_t count)
{
	return part_alloc(h, part, count * sizeof(uint32_t), HPCG_MATRIX);
}

static double *vector(const struct hpcg *h, uint32_t part, uint64_t count)
{
	return part_alloc(h, part, (count + HPCG_PAD) * sizeof(double), HPCG_VECTORS);
}

/* ---- rows: colour, block, place ---- */

/* Blocks are halved as the grid is, so that each level has as many of a colour. */
static uint32_t block_side(const struct hpcg *h, uint32_t level)
{
	return h->block >> level ? h->block >> level : 1;
}

/* The rows of one block from `row` on; returns the one after. */
static uint32_t block_rows(struct hpcg_level *l, struct place first, uint32_t size, uint32_t row)
{
	for (uint32_t z = (uint32_t)first.z; z < l->side && z < (uint32_t)first.z + size; z++)
		for (uint32_t y = (uint32_t)first.y; y < l->side && y < (uint32_t)first.y + size; y++)
			for (uint32_t x = (uint32_t)first.x; x < l->side && x < (uint32_t)first.x + size; x++)
				l->cells[(z * l->side + y) * l->side + x] = row++;
	return row;
}

/* A block's colour is the parity of its place in the whole grid, so that neighbours differ beyond the part, too. */
static void rows_order(const struct hpcg *h, uint32_t part, struct hpcg_level *l, uint32_t size)
{
	const uint32_t blocks = (l->side + size - 1) / size;
	const struct place at = part_place(h, part);
	uint32_t block = 0, row = 0;

	for (uint32_t colour = 0; colour < HPCG_COLOURS; colour++) {
		l->colours[colour] = block;
		for (uint32_t b = 0; b < blocks * blocks * blocks; b++) {
			const uint32_t x = b % blocks, y = b / blocks % blocks, z = b / blocks / blocks;
			const uint32_t of = (((uint32_t)at.x * blocks + x) & 1) |
					    (((uint32_t)at.y * blocks + y) & 1) << 1 |
					    (((uint32_t)at.z * blocks + z) & 1) << 2;

			if (of != colour)
				continue;
			l->blocks[block++] = row;
			row =
			    block_rows(l, (struct place){(int)(x * size), (int)(y * size), (int)(z * size)}, size, row);
		}
	}
	l->colours[HPCG_COLOURS] = l->block_count = block;
	l->blocks[block] = row;
}

/* ---- neighbours ---- */

/* Values between a part and its neighbour in a direction: a face, an edge or a corner. */
static uint32_t shared_count(struct place d, uint32_t side)
{
	return (d.x ? 1 : side) * (d.y ? 1 : side) * (d.z ? 1 : side);
}

static void neighbours_find(const struct hpcg *h, uint32_t part, struct hpcg_level *l)
{
	const struct place at = part_place(h, part);

	for (uint32_t i = 0; i < HPCG_DIRECTIONS; i++) {
		const struct place d = direction(i);
		struct hpcg_neighbour *n = &l->neighbours[i];

		if (i == HPCG_DIRECTIONS / 2 || !is_inside(at.x + d.x, h->parts_x) ||
		    !is_inside(at.y + d.y, h->parts_y) || !is_inside(at.z + d.z, h->parts_z))
			continue;
		n->part = (uint32_t)(((at.z + d.z) * (int)h->parts_y + at.y + d.y) * (int)h->parts_x + at.x + d.x);
		n->count = shared_count(d, l->side);
		n->slot = l->rows + l->halo;
		n->first = l->outgoing;
		l->halo += n->count;
		l->outgoing += n->count;
	}
}

/* The extent of what is shared along one axis: all of it, or the end. */
static void extent(int d, uint32_t side, uint32_t *first, uint32_t *end)
{
	*first = d > 0 ? side - 1 : 0;
	*end = d < 0 ? 1 : side;
}

/* In the order in which the neighbour numbers its halo. */
static void outgoing_fill(struct hpcg_level *l, uint32_t i)
{
	uint32_t first[3], end[3], *out = l->rows_out + l->neighbours[i].first;
	const struct place d = direction(i);

	extent(d.x, l->side, &first[0], &end[0]);
	extent(d.y, l->side, &first[1], &end[1]);
	extent(d.z, l->side, &first[2], &end[2]);
	for (uint32_t z = first[2]; z < end[2]; z++)
		for (uint32_t y = first[1]; y < end[1]; y++)
			for (uint32_t x = first[0]; x < end[0]; x++)
				*out++ = l->cells[(z * l->side + y) * l->side + x];
}

/* Of a place in the part or in its halo; UINT32_MAX: it is outside of the whole grid. */
static uint32_t column_of(const struct hpcg_level *l, struct place at)
{
	const struct place d = {beyond(at.x, l->side), beyond(at.y, l->side), beyond(at.z, l->side)};
	const struct hpcg_neighbour *n = &l->neighbours[direction_of(d)];
	const uint32_t x = d.x ? 0 : (uint32_t)at.x, y = d.y ? 0 : (uint32_t)at.y, z = d.z ? 0 : (uint32_t)at.z;

	if (!d.x && !d.y && !d.z)
		return l->cells[(z * l->side + y) * l->side + x];
	if (!n->count)
		return UINT32_MAX;
	return n->slot + (z * (d.y ? 1 : l->side) + y) * (d.x ? 1 : l->side) + x;
}

/* ---- the matrix ---- */

static struct place cell_place(uint32_t cell, uint32_t side)
{
	return (struct place){(int)(cell % side), (int)(cell / side % side), (int)(cell / side / side)};
}

/* Columns of a place's row; returns how many. */
static uint32_t columns_of(const struct hpcg_level *l, uint32_t cell, uint32_t columns[HPCG_ROW_MAX])
{
	const struct place at = cell_place(cell, l->side);
	uint32_t count = 0;

	for (uint32_t i = 0; i < HPCG_DIRECTIONS; i++) {
		const struct place d = direction(i);
		const uint32_t column = column_of(l, (struct place){at.x + d.x, at.y + d.y, at.z + d.z});

		if (column != UINT32_MAX)
			columns[count++] = column;
	}
	return count;
}

static void matrix_fill(const struct hpcg *h, uint32_t part, struct hpcg_level *l)
{
	uint32_t columns[HPCG_ROW_MAX];

	for (uint32_t cell = 0; cell < l->rows; cell++)
		l->begin[l->cells[cell] + 1] = columns_of(l, cell, columns);
	for (uint32_t row = 0; row < l->rows; row++)
		l->begin[row + 1] += l->begin[row];
	l->columns = words(h, part, (uint64_t)l->begin[l->rows] + 2 * HPCG_PAD) + HPCG_PAD;
	l->values = part_alloc(h, part, ((uint64_t)l->begin[l->rows] + 2 * HPCG_PAD) * sizeof(double), HPCG_MATRIX);
	l->values += HPCG_PAD;
	for (uint32_t cell = 0; cell < l->rows; cell++) {
		const uint32_t row = l->cells[cell], count = columns_of(l, cell, columns);

		for (uint32_t i = 0; i < count; i++) {
			const uint32_t place = l->begin[row] + i;

			l->columns[place] = columns[i];
			l->values[place] = columns[i] == row ? HPCG_DIAGONAL : -1;
			if (columns[i] == row)
				l->diagonal[row] = place;
		}
	}
}

/* The coarser grid has every second place of the finer one. */
static void fine_fill(const struct hpcg_level *finer, struct hpcg_level *l)
{
	for (uint32_t cell = 0; cell < l->rows; cell++) {
		const struct place at = cell_place(cell, l->side);
		const uint32_t side = finer->side;

		l->fine[l->cells[cell]] =
		    finer->cells[((uint32_t)at.z * 2 * side + (uint32_t)at.y * 2) * side + (uint32_t)at.x * 2];
	}
}

static void level_make(const struct hpcg *h, uint32_t part, uint32_t number)
{
	struct hpcg_level *l = &h->parts[part]->levels[number];
	const uint32_t size = block_side(h, number);
	uint32_t blocks;

	l->side = h->side >> number;
	l->rows = l->side * l->side * l->side;
	blocks = (l->side + size - 1) / size;
	l->blocks = words(h, part, (uint64_t)blocks * blocks * blocks + 1);
	l->cells = words(h, part, l->rows);
	l->begin = words(h, part, (uint64_t)l->rows + 1);
	l->diagonal = words(h, part, l->rows);
	rows_order(h, part, l, size);
	neighbours_find(h, part, l);
	l->rows_out = words(h, part, l->outgoing);
	for (uint32_t i = 0; i < HPCG_DIRECTIONS; i++)
		if (l->neighbours[i].count)
			outgoing_fill(l, i);
	matrix_fill(h, part, l);
	if (number) {
		l->fine = words(h, part, l->rows);
		fine_fill(l - 1, l);
		l->r = vector(h, part, l->rows);
		l->x = vector(h, part, (uint64_t)l->rows + l->halo);
	}
	l->ax = vector(h, part, l->rows);
	l->out[0] = vector(h, part, l->outgoing);
	l->out[1] = vector(h, part, l->outgoing);
}

/* The exact solution is 1 everywhere. */
static void vectors_make(const struct hpcg *h, uint32_t part)
{
	struct hpcg_part *p = h->parts[part];
	const struct hpcg_level *l = &p->levels[0];
	const uint64_t with_halo = (uint64_t)l->rows + l->halo;

	p->b = vector(h, part, l->rows);
	p->x = vector(h, part, with_halo);
	p->r = vector(h, part, l->rows);
	p->z = vector(h, part, with_halo);
	p->p = vector(h, part, with_halo);
	p->ap = vector(h, part, l->rows);
	for (uint32_t row = 0; row < l->rows; row++)
		p->b[row] = HPCG_DIAGONAL - (double)(l->begin[row + 1] - l->begin[row] - 1);
}

/* What comes from a neighbour is what goes to the opposite direction there. */
static void neighbours_join(const struct hpcg *h)
{
	for (uint32_t part = 0; part < h->part_count; part++)
		for (uint32_t level = 0; level < HPCG_LEVELS; level++)
			for (uint32_t i = 0; i < HPCG_DIRECTIONS; i++) {
				struct hpcg_neighbour *n = &h->parts[part]->levels[level].neighbours[i];

				const struct hpcg_level *there = n->count ? &h->parts[n->part]->levels[level] : NULL;

				for (uint32_t turn = 0; there && turn < 2; turn++)
					n->from[turn] =
					    there->out[turn] + there->neighbours[HPCG_DIRECTIONS - 1 - i].first;
			}
}

void hpcg_make(struct hpcg *h)
{
	h->parts_z = h->part_count > 1 ? 2 : 1;
	h->parts_y = h->part_count > 2 ? 2 : 1;
	h->parts_x = h->part_count > 4 ? 2 : 1;
	for (uint32_t part = 0; part < h->part_count; part++) {
		h->parts[part] = h->is_placed ? strata_alloc_on(sizeof(**h->parts), part)
					      : aligned_alloc(128, (sizeof(**h->parts) / 128 + 1) * 128);
		if (!h->parts[part])
			workload_fail("no memory for part %u", part);
		memset(h->parts[part], 0, sizeof(**h->parts));
		memory_make(h, part);
		for (uint32_t level = 0; level < HPCG_LEVELS; level++)
			level_make(h, part, level);
		vectors_make(h, part);
	}
	neighbours_join(h);
}

void hpcg_free(struct hpcg *h)
{
	for (uint32_t part = 0; part < h->part_count; part++) {
		struct hpcg_part *p = h->parts[part];

		for (uint32_t i = 0; i < HPCG_MEMORIES; i++) {
			if (h->is_placed)
				strata_free(p->memories[i].at, p->memories[i].bytes);
			else
				free(p->memories[i].at);
		}
		if (h->is_placed)
			strata_free(p, sizeof(*p));
		else
			free(p);
	}
}

uint64_t hpcg_rows(const struct hpcg *h, uint32_t level)
{
	return (uint64_t)h->part_count * h->parts[0]->levels[level].rows;
}

uint64_t hpcg_nonzeros(const struct hpcg *h, uint32_t level)
{
	uint64_t sum = 0;

	for (uint32_t part = 0; part < h->part_count; part++) {
		const struct hpcg_level *l = &h->parts[part]->levels[level];

		sum += l->begin[l->rows];
	}
	return sum;
}

uint64_t hpcg_number(const struct hpcg *h, uint32_t level, uint32_t part, uint32_t cell)
{
	const uint64_t side = h->side >> level;
	const struct place at = part_place(h, part), in = cell_place(cell, (uint32_t)side);
	const uint64_t x = (uint64_t)at.x * side + (uint64_t)in.x, y = (uint64_t)at.y * side + (uint64_t)in.y,
		       z = (uint64_t)at.z * side + (uint64_t)in.z;

	return (z * h->parts_y * side + y) * h->parts_x * side + x;
}
