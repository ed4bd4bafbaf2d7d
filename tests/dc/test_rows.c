/* test_rows.c - the word-lines that routines use, bit by bit: never more at a time than ops.def says, and where these
 * and the operands are more than an array has, no more moves through the transpose units than the machine charges. */
#include <glib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "dc/array/serial.h"
#include "dc/word.h"

enum { A = 0, B = 64, C = 128, D = 192, T = 330 };

enum use_kind { READ, WRITE, PARTIAL };

struct event {
	uint32_t row;
	enum use_kind kind;
};

static struct dc_serial serial;
static GArray *events;
static uint64_t random_state = 5;

static uint64_t draw(void)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return random_state >> 11;
}

static void note(uint32_t row, enum use_kind kind)
{
	const struct event e = {row, kind};

	g_array_append_val(events, e);
}

static void reads(void *self, uint64_t cycle, uint32_t row)
{
	(void)self;
	(void)cycle;
	note(row, READ);
}

static void writes(void *self, uint64_t cycle, uint32_t row, bool is_partial)
{
	(void)self;
	(void)cycle;
	note(row, is_partial ? PARTIAL : WRITE);
}

static const struct dc_serial_watch watch = {.reads = reads, .writes = writes};

static uint32_t result_rows;

static bool is_scratch(uint32_t row)
{
	return row >= D + result_rows;
}

/* Most scratch rows at a time that hold what is read later. From the end to the begin: a row is needed from a read on,
 * back to what wrote it. */
static uint32_t most_needed(void)
{
	g_autofree bool *needed = g_new0(bool, DC_SERIAL_ROWS);
	uint32_t count = 0, most = 0;

	for (uint32_t n = events->len; n-- > 0;) {
		const struct event *e = &g_array_index(events, struct event, n);

		if (!is_scratch(e->row))
			continue;
		if (e->kind == READ || e->kind == PARTIAL) {
			count += !needed[e->row];
			needed[e->row] = true;
		}
		most = MAX(most, count + !needed[e->row]); /* what is written and not read has a row, too */
		if (e->kind == WRITE && needed[e->row]) {
			needed[e->row] = false;
			count--;
		}
	}
	return most;
}

/* ---- an array of 256 ---- */

struct array {
	bool is_in[DC_SERIAL_ROWS], is_live[DC_SERIAL_ROWS]; /* live: it holds something, here or in a unit */
	uint32_t *next; /* of each event, the next one of its row; events->len: none */
	uint32_t use[DC_SERIAL_ROWS]; /* the row's next event from now on */
	uint32_t count, moves;
};

static void find_next(struct array *a)
{
	for (uint32_t r = 0; r < DC_SERIAL_ROWS; r++)
		a->use[r] = events->len;
	a->next = g_new(uint32_t, events->len + 1);
	for (uint32_t n = events->len; n-- > 0;) {
		const uint32_t row = g_array_index(events, struct event, n).row;

		a->next[n] = a->use[row];
		a->use[row] = n;
	}
}

static bool is_dead(const struct array *a, uint32_t row)
{
	const uint32_t n = a->use[row];

	return is_scratch(row) && (n == events->len || g_array_index(events, struct event, n).kind == WRITE);
}

static void leave(struct array *a, uint32_t row)
{
	a->is_in[row] = false;
	a->count--;
	if (is_dead(a, row))
		a->is_live[row] = false;
	else
		a->moves++;
}

/* Out goes what is not used any more, or else for longest. */
static void make_room(struct array *a, uint32_t now)
{
	uint32_t victim = DC_SERIAL_ROWS;

	for (uint32_t r = 0; r < DC_SERIAL_ROWS; r++) {
		if (!a->is_in[r] || a->use[r] == now)
			continue;
		if (is_dead(a, r)) {
			victim = r;
			break;
		}
		if (victim == DC_SERIAL_ROWS || a->use[r] > a->use[victim])
			victim = r;
	}
	leave(a, victim);
}

static void bring(struct array *a, uint32_t row, uint32_t now, uint32_t rows)
{
	if (a->is_in[row])
		return;
	if (a->count == rows)
		make_room(a, now);
	a->is_in[row] = true;
	a->count++;
	a->moves += a->is_live[row];
	a->is_live[row] = true;
}

/* Moves of rows, out of an array of `rows` and in again, with which the routine can be done there: operands and what
 * its result's rows held before, of lanes that have no part, are all in it at the begin and at the end. */
static uint32_t moves_needed(const struct dc_use *u, uint32_t operands, uint32_t rows)
{
	static struct array a;
	uint32_t moves;

	memset(&a, 0, sizeof(a));
	find_next(&a);
	for (uint32_t k = 0; k < 4; k++)
		for (uint32_t i = 0; i < u->n && (k == 3 || k < operands); i++) {
			a.is_live[(k == 3 ? D : k * B) + i] = true;
			bring(&a, (k == 3 ? D : k * B) + i, 0, DC_SERIAL_ROWS);
		}
	a.moves = 0;
	while (a.count > rows)
		make_room(&a, UINT32_MAX);
	for (uint32_t n = 0; n < events->len; n++) {
		const struct event *e = &g_array_index(events, struct event, n);

		bring(&a, e->row, n, rows);
		a.use[e->row] = a.next[n];
	}
	for (uint32_t r = 0; r < D + result_rows; r++) /* back to where they were */
		a.moves += a.is_live[r] && !a.is_in[r];
	moves = a.moves;
	g_free(a.next);
	return moves;
}

static void operate(const struct dc_use *u, const struct dc_arith *arith)
{
	switch (u->op) {
	case DC_OP_FADD:
		if (u->kept & DC_KEPT_OPEN)
			dc_serial_open_add(&serial, u, D, A, B, T);
		else
			dc_serial_fadd(&serial, u, arith, D, A, B, T);
		break;
	case DC_OP_FMUL: dc_serial_fmul(&serial, u, arith, D, A, B, T); break;
	case DC_OP_FMA: dc_serial_fma(&serial, u, arith, D, A, B, C, T); break;
	case DC_OP_FDIV: dc_serial_fdiv(&serial, u, arith, D, A, B, T); break;
	case DC_OP_FSQRT: dc_serial_fsqrt(&serial, u, arith, D, A, T); break;
	case DC_OP_FRSQRT: dc_serial_frsqrt(&serial, u, arith, D, A, T); break;
	case DC_OP_FNEWTON: dc_serial_fnewton(&serial, u, arith, D, A, T); break;
	case DC_OP_FTANH: dc_serial_ftanh(&serial, u, arith, D, A, T); break;
	case DC_OP_FSIN: dc_serial_cordic(&serial, u, arith, DC_SIN, D, A, T); break;
	case DC_OP_FCOS: dc_serial_cordic(&serial, u, arith, DC_COS, D, A, T); break;
	case DC_OP_FEXP: dc_serial_cordic(&serial, u, arith, DC_EX2, D, A, T); break;
	case DC_OP_FLOG: dc_serial_cordic(&serial, u, arith, DC_LG2, D, A, T); break;
	case DC_OP_FROOT: dc_serial_cordic(&serial, u, arith, DC_SQRT, D, A, T); break;
	case DC_OP_FCOMPARE: dc_serial_fcompare(&serial, u, PTX_LT, D, A, B, T); break;
	case DC_OP_FMINMAX: dc_serial_fminmax(&serial, u, true, D, A, B, T); break;
	case DC_OP_INT_TO_FLOAT: dc_serial_itof(&serial, u, arith, D, A, T); break;
	case DC_OP_FLOAT_TO_INT: dc_serial_ftoi(&serial, u, true, D, A, T); break;
	case DC_OP_FLOAT_TO_FLOAT: dc_serial_ftof(&serial, u, arith, D, A, T); break;
	case DC_OP_FLOAT_ROUND: dc_serial_fround(&serial, u, D, A, T); break;
	default: dc_serial_int(&serial, u, D, A, B, C, T, u->op == DC_OP_COMPARE ? PTX_LT : 0); break;
	}
}

static uint32_t operand_count(const struct dc_use *u)
{
	switch (u->op) {
	case DC_OP_FMA:
	case DC_OP_MAD: return 3;
	case DC_OP_FADD:
	case DC_OP_FMUL:
	case DC_OP_FDIV:
	case DC_OP_FCOMPARE:
	case DC_OP_FMINMAX: return 2;
	default: return u->e ? 1 : 2;
	}
}

/* What the machine charges: what finds no room goes out once and in once. */
static void check_moves(const struct dc_use *u, uint32_t scratch)
{
	const uint32_t operands = operand_count(u), rows = operands * u->n + result_rows + scratch;
	uint32_t moves;

	if (rows <= DC_ROWS)
		return;
	moves = moves_needed(u, operands, DC_ROWS);
	if (moves > 2 * (rows - DC_ROWS))
		fail_msg("%s n=%u e=%u m=%u kept %x: %u moves, %u are charged", dc_op_name(u->op), u->n, u->e, u->m,
			 u->kept, moves, 2 * (rows - DC_ROWS));
}

static void check(const struct dc_use *u)
{
	const struct dc_arith plain = {.cordic_iterations = 26};
	const uint32_t scratch = dc_scratch_rows(u, &plain);
	static uint64_t v[DC_COLUMNS];
	uint32_t most = 0;

	result_rows = u->op == DC_OP_COMPARE || u->op == DC_OP_FCOMPARE ? 1 : u->n;

	for (uint32_t k = 0; k < 8; k++) {
		const struct dc_arith arith = {
		    .cordic_iterations = 26, .is_truncated = !u->kept && k & 1, .flushes = true};

		dc_serial_begin(&serial, k & 2 ? DC_SAVE_ALL : 0);
		for (uint32_t row = A; row <= C; row += B) {
			for (uint32_t i = 0; i < DC_COLUMNS; i++)
				v[i] = draw() << (k & 4 ? 0 : 11);
			dc_serial_put(&serial, row, 64, v);
		}
		g_array_set_size(events, 0);
		serial.watch = &watch;
		operate(u, &arith);
		serial.watch = NULL;
		most = MAX(most, most_needed());
		check_moves(u, scratch);
	}
	if (most > scratch)
		fail_msg("%s n=%u e=%u m=%u signed %d kept %x: %u rows at a time, ops.def says %u",
			 dc_op_name(u->op), u->n, u->e, u->m, u->is_signed, u->kept, most, scratch);
}

static struct dc_use float_use(enum dc_op op, const uint8_t *format, uint8_t kept)
{
	return (struct dc_use){.op = op, .n = (uint8_t)(format[0] + format[1]), .e = format[0], .m = format[1],
			       .bits = 32, .is_signed = true, .kept = kept, .times = 1};
}

static const uint8_t formats[][2] = {{8, 24}, {11, 53}, {5, 11}, {8, 8}};

static void test_floats(void **state)
{
	static const enum dc_op all[] = {DC_OP_FADD, DC_OP_FMUL, DC_OP_FMA, DC_OP_FDIV, DC_OP_FSQRT, DC_OP_FRSQRT,
					 DC_OP_FCOMPARE, DC_OP_FMINMAX, DC_OP_INT_TO_FLOAT, DC_OP_FLOAT_TO_INT,
					 DC_OP_FLOAT_ROUND};
	static const enum dc_op of_f32[] = {DC_OP_FNEWTON, DC_OP_FTANH, DC_OP_FSIN, DC_OP_FCOS,
					    DC_OP_FEXP,	   DC_OP_FLOG,	DC_OP_FROOT};
	struct dc_use u;

	(void)state;
	for (uint32_t f = 0; f < G_N_ELEMENTS(formats); f++)
		for (uint32_t n = 0; n < G_N_ELEMENTS(all); n++) {
			u = float_use(all[n], formats[f], 0);
			check(&u);
		}
	for (uint32_t n = 0; n < G_N_ELEMENTS(of_f32); n++) {
		u = float_use(of_f32[n], formats[0], 0);
		check(&u);
	}
}

/* Operands and results in two's complement, and open ones. */
static void test_kept(void **state)
{
	(void)state;
	for (uint8_t kept = 1; kept < 2 * DC_KEPT_OPEN; kept++)
		for (uint32_t f = 0; f < 2; f++) {
			const struct dc_use sum = float_use(DC_OP_FADD, formats[f], kept),
					    fma = float_use(DC_OP_FMA, formats[f], kept);

			if (!(kept & DC_KEPT_C) && kept != DC_KEPT_OPEN)
				check(&sum);
			if (!(kept & DC_KEPT_OPEN))
				check(&fma);
		}
}

static void test_integers(void **state)
{
	static const enum dc_op ops[] = {DC_OP_SUB,	DC_OP_MUL,    DC_OP_MAD,   DC_OP_DIV,
					 DC_OP_COMPARE, DC_OP_MINMAX, DC_OP_SHIFT, DC_OP_ABS};

	(void)state;
	for (uint32_t n = 0; n < G_N_ELEMENTS(ops); n++)
		for (uint8_t bits = 16; bits <= 64; bits *= 2)
			for (uint32_t is_signed = 0; is_signed < 2; is_signed++)
				check(&(struct dc_use){.op = ops[n], .n = bits, .is_signed = is_signed, .times = 1});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_floats),
	    cmocka_unit_test(test_kept),
	    cmocka_unit_test(test_integers),
	};
	int failed;

	events = g_array_new(FALSE, FALSE, sizeof(struct event));
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	g_array_free(events, TRUE);
	return failed;
}
