/* piece.c - a run of arithmetic instructions as one function of C: a loop over lanes, values in between in variables.
 *
 * Lanes outside the mask compute along and are not stored: no lane function can fault. A register that nobody reads
 * later is not stored either.
 */
#include <string.h>

#include "simt/build.h"
#include "simt/native/native.h"

enum { ROWS_MAX = 96, PREDS_MAX = 64, INSTRUCTIONS_MAX = 32 };

/* A row of the frame, or a predicate, that the piece has in a variable. */
struct row_var {
	uint32_t off;
	uint8_t bytes;
	bool is_written;
};

struct pred_var {
	uint32_t index;
	bool is_written;
};

struct native_piece {
	const struct simt_program_priv *p;
	GString *loop;
	struct row_var rows[ROWS_MAX];
	struct pred_var preds[PREDS_MAX];
	uint32_t row_count, pred_count, count, temporaries;
	bool has_mixed_rows;
};

struct native_piece *native_piece_new(const struct simt_program_priv *p)
{
	struct native_piece *c = g_new0(struct native_piece, 1);

	c->p = p;
	c->loop = g_string_new(NULL);
	return c;
}

void native_piece_free(struct native_piece *c)
{
	g_string_free(c->loop, TRUE);
	g_free(c);
}

/* ---- which instructions ---- */

static bool takes_load(const struct simt_program_priv *p, const struct simt_exec *e)
{
	const struct simt_mem_op *op = e->mem;

	return !op->addr.bytes && !op->is_frame_local && op->offset >= 0 && !(op->offset & (op->natural - 1)) &&
	       (uint64_t)op->offset + op->align <= p->pub.param_bytes;
}

bool native_piece_takes(const struct simt_program_priv *p, uint32_t pc)
{
	const struct simt_exec *e = &p->execs[pc];
	struct native_form form;

	if (e->run == simt_run_alu || e->run == simt_run_alu_fixed)
		return !e->dynamic_sreg && native_form_find(p, e, &form);
	if (e->run == simt_run_mov)
		return !e->dynamic_sreg;
	if (e->run == simt_run_load_param)
		return takes_load(p, e);
	return e->run == simt_run_nop || e->run == simt_run_pred_logic || e->run == simt_run_cvta ||
	       e->run == simt_run_local_addr || e->run == simt_run_pack || e->run == simt_run_unpack;
}

/* ---- variables ---- */

static struct row_var *row_of(struct native_piece *c, struct simt_ref r, bool is_read)
{
	struct row_var *v;

	for (uint32_t i = 0; i < c->row_count; i++) {
		v = &c->rows[i];
		if (v->off == r.off && v->bytes == r.bytes)
			return v;
		if (v->off < r.off + 32 * r.bytes && r.off < v->off + 32u * v->bytes)
			c->has_mixed_rows = true; /* one register as two widths: the caller ends the piece before */
	}
	if (c->row_count == ROWS_MAX) {
		c->has_mixed_rows = true;
		return &c->rows[0];
	}
	v = &c->rows[c->row_count++];
	*v = (struct row_var){.off = r.off, .bytes = r.bytes};
	if (is_read)
		g_string_append_printf(c->loop, "r%u_%u = ROW%u(F + %u)[i];\n", v->off, v->bytes, v->bytes, v->off);
	return v;
}

bool native_is_uniform(const struct simt_program_priv *p, struct simt_ref r)
{
	for (uint32_t i = 1; i < SIMT_LANES; i++)
		if (simt_lane_get(p->rows + r.off, r.bytes, i) != simt_lane_get(p->rows + r.off, r.bytes, 0))
			return false;
	return true;
}

/* The raw value of a row, as an expression of as many bits as the row has. */
static char *raw(struct native_piece *c, struct simt_ref r)
{
	if (r.base == SIMT_BASE_CONST && !native_is_uniform(c->p, r))
		return g_strdup_printf("ROW%u(t->consts + %u)[i]", r.bytes, r.off);
	if (r.base == SIMT_BASE_CONST)
		return g_strdup_printf(r.bytes == 8 ? "0x%llxull" : "0x%llxu",
				       (unsigned long long)simt_lane_get(c->p->rows + r.off, r.bytes, 0));
	if (r.base == SIMT_BASE_SPECIAL)
		return g_strdup_printf("ROW%u(S + %u)[i]", r.bytes, r.off);
	row_of(c, r, true);
	return g_strdup_printf("r%u_%u", r.off, r.bytes);
}

/* As many bytes as wanted, by simt_row_convert. */
static char *widened(const char *value, uint32_t have, uint32_t want, bool sign)
{
	if (have == want)
		return g_strdup(value);
	if (want == 4)
		return g_strdup_printf("(uint32_t)(%s)", value);
	return g_strdup_printf(sign ? "(uint64_t)(int64_t)(int32_t)(%s)" : "(uint64_t)(%s)", value);
}

static char *source(struct native_piece *c, struct simt_ref r, uint32_t want, bool sign)
{
	g_autofree char *value = raw(c, r);

	return widened(value, r.bytes, want, sign);
}

static void set_row(struct native_piece *c, struct simt_ref r, const char *value)
{
	row_of(c, r, false)->is_written = true;
	g_string_append_printf(c->loop, "r%u_%u = %s;\n", r.off, r.bytes, value);
}

static struct pred_var *pred_of(struct native_piece *c, uint32_t index, bool is_read)
{
	struct pred_var *v;

	for (uint32_t i = 0; i < c->pred_count; i++)
		if (c->preds[i].index == index)
			return &c->preds[i];
	if (c->pred_count == PREDS_MAX) {
		c->has_mixed_rows = true;
		return &c->preds[0];
	}
	v = &c->preds[c->pred_count++];
	*v = (struct pred_var){.index = index};
	if (is_read)
		g_string_append_printf(c->loop, "p%u = P%u & lane_bit[i] ? NATIVE_ALL : 0;\n", index, index);
	return v;
}

/* All ones in lanes where the predicate holds. */
static char *pred(struct native_piece *c, struct simt_pred_ref r)
{
	if (r.index == SIMT_NO_PRED)
		return g_strdup(r.flip ? "NATIVE_ALL" : "0");
	pred_of(c, r.index, true);
	return g_strdup_printf(r.flip ? "~p%u" : "p%u", r.index);
}

static void set_pred(struct native_piece *c, uint32_t index, const char *value)
{
	if (index == SIMT_NO_PRED)
		return;
	pred_of(c, index, false)->is_written = true;
	g_string_append_printf(c->loop, "p%u = %s;\n", index, value);
}

/* ---- arithmetic ---- */

static uint32_t type_bytes(const char *type)
{
	return strstr(type, "64") ? 8 : 4;
}

static char *typed(const char *type, const char *value)
{
	if (!strcmp(type, "f32"))
		return g_strdup_printf("flt_from(%s)", value);
	if (!strcmp(type, "f64"))
		return g_strdup_printf("flt_from64(%s)", value);
	return g_strdup_printf("(val_%s)(%s)", type, value);
}

static char *untyped(const char *type, const char *value)
{
	if (!strcmp(type, "f32"))
		return g_strdup_printf("flt_bits(%s)", value);
	if (!strcmp(type, "f64"))
		return g_strdup_printf("flt_bits64(%s)", value);
	if (type_bytes(type) == 8)
		return g_strdup_printf("(uint64_t)(val_%s)(%s)", type, value);
	return g_strdup_printf(type[0] == 's' ? "(uint32_t)(int32_t)(val_%s)(%s)" : "(uint32_t)(val_%s)(%s)", type,
			       value);
}

static const char *combined(enum ptx_boolop op, bool is_second)
{
	switch (op) {
	case PTX_BOOL_AND:
		return is_second ? "x & ~y" : "y & x";
	case PTX_BOOL_OR:
		return is_second ? "x | ~y" : "y | x";
	case PTX_BOOL_XOR:
		return is_second ? "~y" : "y ^ x";
	default:
		return is_second ? "~y" : "y";
	}
}

static void add_comparison(struct native_piece *c, const struct simt_exec *e, const struct native_form *f)
{
	g_autofree char *other = e->aux_kind == SIMT_AUX_PRED ? pred(c, e->pred_src) : g_strdup("0");

	if (e->pred_dst != SIMT_NO_PRED)
		pred_of(c, e->pred_dst, false)->is_written = true;
	if (e->pred_dst2 != SIMT_NO_PRED)
		pred_of(c, e->pred_dst2, false)->is_written = true;
	g_string_append_printf(c->loop, "const uint32_t x = %s;\nuint32_t y = (%s) ? NATIVE_ALL : 0;\n(void)x;\n",
			       other, f->expr);
	g_string_append_printf(c->loop, "y = %s;\n", combined(f->boolop, false));
	set_pred(c, e->pred_dst, "y");
	/* Of what the record combines: testp and setp without an operator have none. */
	set_pred(c, e->pred_dst2, combined((enum ptx_boolop)e->boolop, true));
}

static char *expression(const struct simt_exec *e, const struct native_form *f)
{
	return f->expr ? g_strdup(f->expr) : g_strdup_printf("int_lop3(a, b, c, 0x%x)", e->aux);
}

static void add_alu(struct native_piece *c, const struct simt_exec *e)
{
	static const char names[] = "abce";
	struct native_form f;
	g_autoptr(GString) operands = g_string_new(NULL);

	native_form_find(c->p, e, &f);
	for (uint32_t k = 0; k < 4 && f.src[k]; k++) {
		g_autofree char *value = source(c, e->src[k], type_bytes(f.src[k]), e->fix_src[k] == SIMT_FIX_SIGN);
		g_autofree char *as = typed(f.src[k], value);

		g_string_append_printf(operands, "const val_%s %c = %s;\n", f.src[k], names[k], as);
	}
	/* Variables that are loaded here stand in front of the block. */
	g_autofree char *select = f.is_select ? pred(c, e->pred_src) : NULL;
	g_autofree char *dst = NULL;

	if (!f.dst && e->aux_kind == SIMT_AUX_PRED)
		g_free(pred(c, e->pred_src));
	if (f.dst && e->dst.bytes)
		row_of(c, e->dst, false);
	g_string_append_printf(c->loop, "{\n%s", operands->str);
	if (select)
		g_string_append_printf(c->loop, "const uint32_t p = %s;\n", select);
	if (!f.dst) {
		add_comparison(c, e, &f);
	} else if (e->dst.bytes) {
		g_autofree char *expr = expression(e, &f), *value = untyped(f.dst, expr);

		dst = widened(value, type_bytes(f.dst), e->dst.bytes, e->fix_dst == SIMT_FIX_SIGN);
		set_row(c, e->dst, dst);
	}
	g_string_append(c->loop, "}\n");
}

/* ---- moves ---- */

static void add_mov(struct native_piece *c, const struct simt_exec *e)
{
	if (!e->dst.bytes)
		return;
	g_autofree char *value = source(c, e->src[0], e->dst.bytes, e->fix_src[0] == SIMT_FIX_SIGN);

	set_row(c, e->dst, value);
}

static void add_cvta(struct native_piece *c, const struct simt_exec *e)
{
	g_autofree char *from = NULL, *value = NULL;

	if (e->aux == 3) {
		value = g_strdup_printf("(uint%u_t)(0x%llxull + t->local_at)", e->dst.bytes * 8u,
					(unsigned long long)e->imm);
		set_row(c, e->dst, value);
		return;
	}
	from = raw(c, e->src[0]);
	if (e->aux)
		value = g_strdup_printf("(uint%u_t)((uint64_t)(%s) %s (uint64_t)t->params)", e->dst.bytes * 8u, from,
					e->aux == 1 ? "+" : "-");
	else
		value = g_strdup_printf("(uint%u_t)((uint64_t)(%s) + 0x%llxull)", e->dst.bytes * 8u, from,
					(unsigned long long)e->imm);
	set_row(c, e->dst, value);
}

static void add_local_addr(struct native_piece *c, const struct simt_exec *e)
{
	g_autofree char *value =
	    g_strdup_printf("(uint%u_t)(0x%llxull + t->local_at)", e->dst.bytes * 8u, (unsigned long long)e->imm);

	if (e->dst.bytes)
		set_row(c, e->dst, value);
}

static void add_pred_logic(struct native_piece *c, const struct simt_exec *e)
{
	const struct simt_pred_ref other = {(uint32_t)(e->imm >> 32), (uint32_t)e->imm};
	const char sign = e->aux == PTX_OP_AND ? '&' : e->aux == PTX_OP_OR ? '|' : '^';
	const bool is_two = e->aux == PTX_OP_AND || e->aux == PTX_OP_OR || e->aux == PTX_OP_XOR;
	g_autofree char *a = pred(c, e->pred_src), *b = is_two ? pred(c, other) : NULL, *value = NULL;

	value = is_two                 ? g_strdup_printf("(%s) %c (%s)", a, sign, b)
		: e->aux == PTX_OP_NOT ? g_strdup_printf("~(%s)", a)
				       : g_strdup(a);
	set_pred(c, e->pred_dst, value);
}

static void add_load(struct native_piece *c, const struct simt_exec *e)
{
	const struct simt_mem_op *op = e->mem;

	for (uint32_t k = 0; k < op->vec; k++) {
		const char *sign = op->is_signed ? "" : "u";
		g_autofree char *value = NULL;

		if (!op->elem[k].bytes)
			continue;
		value = g_strdup_printf("(uint%u_t)*(const %sint%u_t *)(t->params + %llu)", op->elem[k].bytes * 8u,
					sign, op->bytes * 8u, (unsigned long long)op->offset + (uint64_t)k * op->bytes);
		set_row(c, op->elem[k], value);
	}
}

static void add_pack(struct native_piece *c, const struct simt_exec *e)
{
	const struct simt_pack_op *op = e->pack;
	const uint64_t keep = (1ull << (op->part_bytes * 8)) - 1;
	g_autoptr(GString) sum = g_string_new("0ull");
	g_autofree char *value = NULL;

	if (!op->whole.bytes)
		return;
	for (uint32_t k = 0; k < op->count; k++) {
		g_autofree char *part = op->part[k].bytes ? raw(c, op->part[k]) : NULL;

		if (part)
			g_string_append_printf(sum, " | ((uint64_t)(%s) & 0x%llxull) << %u", part,
					       (unsigned long long)keep, 8 * op->part_bytes * k);
	}
	value = g_strdup_printf("(uint%u_t)(%s)", op->whole.bytes * 8u, sum->str);
	set_row(c, op->whole, value);
}

static void add_unpack(struct native_piece *c, const struct simt_exec *e)
{
	const struct simt_pack_op *op = e->pack;
	const uint64_t keep = (1ull << (op->part_bytes * 8)) - 1;
	const uint32_t number = c->temporaries++;
	g_autofree char *whole = raw(c, op->whole);

	g_string_append_printf(c->loop, "const uint64_t w%u = %s;\n", number, whole);
	for (uint32_t k = 0; k < op->count; k++) {
		g_autofree char *value = g_strdup_printf("(uint%u_t)(w%u >> %u & 0x%llxull)", op->part[k].bytes * 8u,
							 number, 8 * op->part_bytes * k, (unsigned long long)keep);

		if (op->part[k].bytes)
			set_row(c, op->part[k], value);
	}
}

/* ---- pieces ---- */

static void add(struct native_piece *c, const struct simt_exec *e)
{
	if (e->run == simt_run_alu || e->run == simt_run_alu_fixed)
		add_alu(c, e);
	else if (e->run == simt_run_mov)
		add_mov(c, e);
	else if (e->run == simt_run_load_param)
		add_load(c, e);
	else if (e->run == simt_run_pred_logic)
		add_pred_logic(c, e);
	else if (e->run == simt_run_cvta)
		add_cvta(c, e);
	else if (e->run == simt_run_local_addr)
		add_local_addr(c, e);
	else if (e->run == simt_run_pack)
		add_pack(c, e);
	else if (e->run == simt_run_unpack)
		add_unpack(c, e);
}

bool native_piece_add(struct native_piece *c, uint32_t pc)
{
	const struct native_piece before = *c;
	const gsize length = c->loop->len;

	if (c->count == INSTRUCTIONS_MAX)
		return false;
	c->has_mixed_rows = false;
	add(c, &c->p->execs[pc]);
	if (c->has_mixed_rows) {
		GString *loop = c->loop;

		*c = before;
		c->loop = loop;
		g_string_truncate(loop, length);
		return false;
	}
	c->count++;
	return true;
}

static void declare(const struct native_piece *c, GString *out)
{
	for (uint32_t i = 0; i < c->pred_count; i++) {
		g_string_append_printf(out, "const uint32_t P%u = P[%u];\n(void)P%u;\n", c->preds[i].index,
				       c->preds[i].index, c->preds[i].index);
		if (c->preds[i].is_written)
			g_string_append_printf(out, "uint32_t b%u[32] __attribute__((aligned(64)));\n",
					       c->preds[i].index);
	}
	g_string_append(out, "LANES {\n");
	for (uint32_t i = 0; i < c->row_count; i++)
		g_string_append_printf(out, "uint%u_t r%u_%u;\n", c->rows[i].bytes * 8u, c->rows[i].off,
				       c->rows[i].bytes);
	for (uint32_t i = 0; i < c->pred_count; i++)
		g_string_append_printf(out, "uint32_t p%u;\n", c->preds[i].index);
}

static bool is_live(const struct row_var *v, const uint8_t *live)
{
	return v->is_written && (live[v->off / SIMT_ROW_BYTES] || (v->bytes == 8 && live[v->off / SIMT_ROW_BYTES + 1]));
}

static void store(const struct native_piece *c, const uint8_t *live, const uint8_t *live_preds, GString *out)
{
	for (uint32_t i = 0; i < c->row_count; i++) {
		const struct row_var *v = &c->rows[i];

		if (is_live(v, live))
			g_string_append_printf(
			    out, "ROW%u(F + %u)[i] = is_all || (lanes & lane_bit[i]) ? r%u_%u : ROW%u(F + %u)[i];\n",
			    v->bytes, v->off, v->off, v->bytes, v->bytes, v->off);
	}
	for (uint32_t i = 0; i < c->pred_count; i++)
		if (c->preds[i].is_written && live_preds[c->preds[i].index])
			g_string_append_printf(out, "b%u[i] = p%u;\n", c->preds[i].index, c->preds[i].index);
	g_string_append(out, "}\n");
	for (uint32_t i = 0; i < c->pred_count; i++)
		if (c->preds[i].is_written && live_preds[c->preds[i].index])
			g_string_append_printf(out, "P[%u] = (P%u & ~lanes) | (native_pack(b%u) & lanes);\n",
					       c->preds[i].index, c->preds[i].index, c->preds[i].index);
}

static bool is_used(const struct native_piece *c, const uint8_t *live, const uint8_t *live_preds)
{
	for (uint32_t i = 0; i < c->row_count; i++)
		if (is_live(&c->rows[i], live))
			return true;
	for (uint32_t i = 0; i < c->pred_count; i++)
		if (c->preds[i].is_written && live_preds[c->preds[i].index])
			return true;
	return false;
}

void native_piece_end(struct native_piece *c, const char *name, const uint8_t *live, const uint8_t *live_preds,
		      GString *out)
{
	static const char parameters[] =
	    "uint8_t *F, const uint8_t *S, uint32_t *P, struct native_turn *t, uint32_t lanes";

	g_string_append_printf(out, "NATIVE_INLINE void do_%s(%s, const int is_all)\n{\n", name, parameters);
	g_string_append(out, "(void)F, (void)S, (void)P, (void)t, (void)lanes, (void)is_all;\n");
	if (is_used(c, live, live_preds)) {
		declare(c, out);
		g_string_append(out, c->loop->str);
		store(c, live, live_preds, out);
	}
	g_string_append(out, "}\n");
	g_string_append_printf(out, "NATIVE_PART void all_%s(%s)\n{\ndo_%s(F, S, P, t, NATIVE_ALL, 1);\n}\n", name,
			       parameters, name);
	g_string_append_printf(out, "NATIVE_PART void some_%s(%s)\n{\ndo_%s(F, S, P, t, lanes, 0);\n}\n", name,
			       parameters, name);
	g_string_append_printf(out, "NATIVE_INLINE void piece_%s(%s)\n{\nif (likely(lanes == NATIVE_ALL))\n", name,
			       parameters);
	g_string_append_printf(out, "all_%s(F, S, P, t, lanes);\nelse\nsome_%s(F, S, P, t, lanes);\n}\n", name, name);
	g_string_truncate(c->loop, 0);
	c->row_count = c->pred_count = c->count = c->temporaries = 0;
}
