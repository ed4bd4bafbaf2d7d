/* text.c - a program as one function of C: a label for each place where a turn can end, pieces and accesses between.
 *
 * Control that all running lanes share stays inside; where lanes part, meet, wait or leave, the interpreter's step does
 * it and says where to go on. `left` counts down the turn's instructions: what other warps can see (memory, barriers,
 * calls) is done only within the turn, arithmetic may be ahead of it, where that is allowed (is_strict).
 */
#include <string.h>

#include "simt/build.h"
#include "simt/native/native.h"

extern const char simt_native_common[];

enum { INSTRUCTIONS_MAX = 6000, NAME_BYTES = 16 };

struct text {
	const struct simt_program_priv *p;
	GString *parts, *body;
	GArray *heads; /* pcs that have labels */
	struct native_piece *piece;
	uint32_t piece_pc; /* where it begins */
	uint8_t *live, *live_preds;
	uint64_t *live_regs;
	const struct simt_program_func *f;
};

/* ---- what is read later ---- */

static void mark(const struct text *t, uint32_t reg)
{
	const struct ptx_reg *r = &t->f->ptx->regs[reg];
	const uint32_t slot = t->f->alloc->slot[reg];

	if (slot == UINT32_MAX)
		return;
	if (r->type == PTX_PRED) {
		t->live_preds[slot] = 1;
		return;
	}
	const uint32_t each = ptx_type_bytes(r->type) == 8 ? 2 : 1, count = each * (r->vec ? r->vec : 1);

	for (uint32_t k = 0; k < count; k++)
		t->live[slot + k] = 1;
}

/* Marks what is live behind instruction pc. */
static void find_live(struct text *t, uint32_t pc)
{
	const struct ptx_cfg *cfg = t->f->cfg;
	const uint32_t at = pc - t->f->first_pc;
	const struct ptx_block *b = &cfg->blocks[cfg->block_of[at]];

	memset(t->live, 0, t->f->row_count + 16);
	memset(t->live_preds, 0, t->f->alloc->pred_count + 1);
	if (at == b->last)
		memcpy(t->live_regs, cfg->live_out + (uint64_t)cfg->block_of[at] * cfg->live_words,
		       cfg->live_words * sizeof(*t->live_regs));
	else
		ptx_live_before(cfg, at + 1, t->live_regs);
	for (uint32_t r = 0; r < t->f->ptx->reg_count; r++)
		if (t->live_regs[r / 64] >> (r % 64) & 1)
			mark(t, r);
}

/* ---- pieces ---- */

static void label(struct text *t, uint32_t pc)
{
	g_string_append_printf(t->body, "L%u:\n", pc);
	g_array_append_val(t->heads, pc);
}

/* A place that lanes come to from elsewhere: they may be awaited there. */
static void arrival(struct text *t, uint32_t pc)
{
	g_string_append_printf(t->body, "A%u: __attribute__((unused));\nif (unlikely(rpc == %uu))\nMEET(%u);\n", pc, pc,
			       pc);
}

static void piece_close(struct text *t, uint32_t end, uint32_t count)
{
	char name[NAME_BYTES];

	if (!count)
		return;
	g_snprintf(name, sizeof(name), "%u", t->piece_pc);
	find_live(t, end - 1);
	native_piece_end(t->piece, name, t->live, t->live_preds, t->parts);
	label(t, t->piece_pc);
	g_string_append_printf(t->body, "if (left < (strict & %u) + 1)\nLEAVE(%u);\nleft -= %u;\n", count - 1,
			       t->piece_pc, count);
	g_string_append_printf(t->body, "piece_%u(F, S, P, t, lanes);\n", t->piece_pc);
}

static void begin_one(struct text *t, uint32_t pc)
{
	label(t, pc);
	g_string_append_printf(t->body, "if (left < 1)\nLEAVE(%u);\nleft--;\n", pc);
}

/* The lanes that an instruction is done on; what follows is done if there are any. */
static void guard(struct text *t, uint32_t pc)
{
	const struct simt_exec *e = &t->p->execs[pc];

	if (e->guard.index == SIMT_NO_PRED) {
		g_string_append(t->body, "{\nconst uint32_t on = lanes;\n");
		return;
	}
	g_string_append_printf(t->body,
			       "{\nconst uint32_t on = lanes & %sP[%u];\nidle += native_count(lanes & ~on);\nif (on)\n",
			       e->guard.flip ? "~" : "", e->guard.index);
}

/* ---- memory ---- */

static void addresses(GString *out, const struct simt_mem_op *op)
{
	const char *local = op->is_frame_local ? " + t->local_at" : "";

	if (op->addr.bytes == 8)
		g_string_append_printf(out, "LANES at[i] = ROW8(F + %u)[i] + (0x%llxull%s);\n", op->addr.off,
				       (unsigned long long)op->offset, local);
	else if (op->addr.bytes == 4)
		g_string_append_printf(out, "LANES at[i] = (uint32_t)(ROW4(F + %u)[i] + (uint32_t)(0x%llxull%s));\n",
				       op->addr.off, (unsigned long long)op->offset, local);
	else
		g_string_append_printf(out, "LANES at[i] = 0x%llxull%s;\n", (unsigned long long)op->offset, local);
}

static void element(GString *out, const struct simt_program_priv *p, const struct simt_mem_op *op, uint32_t k,
		    bool is_store)
{
	const struct simt_ref r = op->elem[k];

	if (!r.bytes)
		return;
	if (!is_store) {
		g_string_append_printf(out, "native_load_%u%c%u(ROW%u(F + %u), base + %u, at, on);\n", r.bytes,
				       op->is_signed ? 's' : 'u', op->bytes, r.bytes, r.off, k * op->bytes);
		return;
	}
	if (r.base == SIMT_BASE_CONST && !native_is_uniform(p, r))
		g_string_append_printf(out, "{\nconst uint%u_t *row = ROW%u(t->consts + %u);\n", r.bytes * 8u, r.bytes,
				       r.off);
	else if (r.base == SIMT_BASE_CONST)
		g_string_append_printf(out,
				       "{\nuint%u_t row[32] __attribute__((aligned(64)));\nLANES row[i] = 0x%llxull;\n",
				       r.bytes * 8u, (unsigned long long)simt_lane_get(p->rows + r.off, r.bytes, 0));
	else
		g_string_append_printf(out, "{\nconst uint%u_t *row = ROW%u(%c + %u);\n", r.bytes * 8u, r.bytes,
				       r.base == SIMT_BASE_SPECIAL ? 'S' : 'F', r.off);
	g_string_append_printf(out, "native_store_%u%u(row, base + %u, at, on);\n}\n", r.bytes, op->bytes,
			       k * op->bytes);
}

/* Ends a function that has done the access. */
static void access_done(GString *out, const struct simt_exec *e)
{
	if (e->polls)
		g_string_append_printf(out, "*t->polled |= %u;\n", e->polls);
	g_string_append(out, "return 1;\n");
}

/* Goes back without a thing done unless `bytes` may be accessed at a place. */
static void inside(GString *out, const struct simt_mem_op *op, uint32_t pc, bool is_store, const char *place,
		   uint32_t bytes)
{
	/* Addresses of 32 bits go on at 0 behind the last one. */
	if (op->addr.bytes == 4)
		g_string_append_printf(out, "if (%s > 0x%llxull)\nreturn 0;\n", place, (1ull << 32) - bytes);
	if (op->area == SIMT_AREA_SHARED)
		g_string_append_printf(out, "if (!native_is_in_room(t->shared_bytes, %s, %u, %u))\nreturn 0;\n", place,
				       bytes, op->natural);
	else
		g_string_append_printf(out, "if (!native_is_inside(&t->hints[%u], %s, %u, %u, %d))\nreturn 0;\n", pc,
				       place, bytes, op->natural, is_store);
}

/* Are the lanes of one row of registers one behind the other in memory as well? */
static bool is_row(const struct simt_mem_op *op)
{
	return op->vec == 1 && op->elem[0].bytes == op->bytes;
}

/* One element of all lanes, from or to `memory`, where each lane's part is behind the one's before. */
static void element_in_order(GString *out, const struct simt_mem_op *op, uint32_t k, bool is_store)
{
	const struct simt_ref r = op->elem[k];
	const uint32_t bits = op->bytes * 8u;
	const char *sign = op->is_signed ? "" : "u";

	if (!r.bytes)
		return;
	if (is_store)
		g_string_append_printf(out, "LANES memory[i * %u + %u] = (uint%u_t)ROW%u(%c + %u)[i];\n", op->vec, k,
				       bits, r.bytes, r.base == SIMT_BASE_SPECIAL ? 'S' : 'F', r.off);
	else
		g_string_append_printf(out, "LANES ROW%u(F + %u)[i] = (uint%u_t)(%sint%u_t)memory[i * %u + %u];\n",
				       r.bytes, r.off, r.bytes * 8u, sign, bits, op->vec, k);
}

static void elements_in_order(GString *out, const struct simt_mem_op *op, bool is_store)
{
	const uint32_t half = (uint32_t)op->bytes * op->vec * SIMT_LANES / 2;

	if (is_row(op))
		g_string_append_printf(out, "uint8_t *const memory = (uint8_t *)%c + %u;\n",
				       op->elem[0].base == SIMT_BASE_SPECIAL ? 'S' : 'F', op->elem[0].off);
	else
		g_string_append_printf(out, "uint%u_t memory[%u] __attribute__((aligned(64)));\n", op->bytes * 8u,
				       op->vec * SIMT_LANES);
	for (uint32_t k = 0; k < op->vec && is_store && !is_row(op); k++)
		element_in_order(out, op, k, true);
	if (is_store)
		g_string_append_printf(out,
				       "memcpy((void *)p, memory, %u);\n"
				       "memcpy((void *)q, (uint8_t *)memory + %u, %u);\n",
				       half, half, half);
	else
		g_string_append_printf(out,
				       "memcpy(memory, (const void *)p, %u);\n"
				       "memcpy((uint8_t *)memory + %u, (const void *)q, %u);\n",
				       half, half, half);
	for (uint32_t k = 0; k < op->vec && !is_store && !is_row(op); k++)
		element_in_order(out, op, k, false);
}

/* The elements at one place, or at one for each half of the warp, to all lanes. */
static void elements_of_one(GString *out, const struct simt_mem_op *op)
{
	const char *sign = op->is_signed ? "" : "u";

	for (uint32_t k = 0; k < op->vec; k++) {
		const struct simt_ref r = op->elem[k];

		if (!r.bytes)
			continue;
		g_string_append_printf(out,
				       "{\nconst uint%u_t v = (uint%u_t)((const %sint%u_t *)p)[%u];\n"
				       "const uint%u_t x = (uint%u_t)((const %sint%u_t *)q)[%u];\n"
				       "LANES ROW%u(F + %u)[i] = i < 16 ? v : x;\n}\n",
				       r.bytes * 8u, r.bytes * 8u, sign, op->bytes * 8u, k, r.bytes * 8u, r.bytes * 8u,
				       sign, op->bytes * 8u, k, r.bytes, r.off);
	}
}

/* Are all elements rows that may be stored from where they are? */
static bool are_rows(const struct simt_mem_op *op)
{
	for (uint32_t k = 0; k < op->vec; k++)
		if (!op->elem[k].bytes || op->elem[k].base == SIMT_BASE_CONST)
			return false;
	return true;
}

/* All lanes, one behind the other in memory; or all at one place, to be read. */
static void access_in_order(struct text *t, uint32_t pc, bool is_store)
{
	const struct simt_exec *e = &t->p->execs[pc];
	const struct simt_mem_op *op = e->mem;
	const uint32_t bits = op->addr.bytes * 8u, each = (uint32_t)op->bytes * op->vec;
	GString *out = t->parts;

	if (!op->addr.bytes || (is_store && !are_rows(op)))
		return;
	g_string_append_printf(out,
			       "if (likely(on == NATIVE_ALL && !t->is_observed)) {\n"
			       "const uint%u_t *row = ROW%u(F + %u), add = (uint%u_t)(0x%llxull%s);\n"
			       "const uint64_t first = (uint%u_t)(row[0] + add), second = (uint%u_t)(row[16] + add);\n"
			       "const uintptr_t base = %s, p = base + first, q = base + second;\n",
			       bits, op->addr.bytes, op->addr.off, bits, (unsigned long long)op->offset,
			       op->is_frame_local ? " + t->local_at" : "", bits, bits,
			       op->area == SIMT_AREA_SHARED ? "(uintptr_t)t->shared" : "0");
	g_string_append_printf(out, "if (native_follows_%u(row, %u)) {\n", bits, each);
	inside(out, op, pc, is_store, "first", each * SIMT_LANES / 2);
	inside(out, op, pc, is_store, "second", each * SIMT_LANES / 2);
	elements_in_order(out, op, is_store);
	access_done(out, e);
	g_string_append(out, "}\n");
	if (!is_store) {
		g_string_append_printf(out, "if (native_follows_%u(row, 0)) {\n", bits);
		inside(out, op, pc, is_store, "first", each);
		inside(out, op, pc, is_store, "second", each);
		elements_of_one(out, op);
		access_done(out, e);
		g_string_append(out, "}\n");
	}
	g_string_append(out, "}\n");
}

static bool is_overwritten(const struct simt_mem_op *op)
{
	for (uint32_t k = 0; k < op->vec; k++) {
		const struct simt_ref r = op->elem[k];

		if (r.bytes && r.off < op->addr.off + SIMT_LANES * op->addr.bytes &&
		    op->addr.off < r.off + SIMT_LANES * r.bytes)
			return true;
	}
	return false;
}

/* A load lane by lane: what some lanes have loaded when another cannot, the interpreter loads again. */
static void load_some(struct text *t, uint32_t pc)
{
	const struct simt_mem_op *op = t->p->execs[pc].mem;
	const char *sign = op->is_signed ? "" : "u";
	GString *out = t->parts;

	if (!op->addr.bytes || is_overwritten(op))
		return;
	g_string_append_printf(out,
			       "if (on != NATIVE_ALL && !t->is_observed) {\n"
			       "const uint%u_t *row = ROW%u(F + %u), add = (uint%u_t)(0x%llxull%s);\n"
			       "const uintptr_t base = %s;\n",
			       op->addr.bytes * 8u, op->addr.bytes, op->addr.off, op->addr.bytes * 8u,
			       (unsigned long long)op->offset, op->is_frame_local ? " + t->local_at" : "",
			       op->area == SIMT_AREA_SHARED ? "(uintptr_t)t->shared" : "0");
	if (op->area == SIMT_AREA_SHARED)
		g_string_append(out, "const uint64_t lo = 0, room = t->shared_bytes;\n");
	else
		g_string_append_printf(out, "const uint64_t lo = t->hints[%u].lo, room = t->hints[%u].hi - lo;\n", pc,
				       pc);
	g_string_append_printf(out,
			       "if (room < %u)\nreturn 0;\nconst uint64_t last = room - %u;\n"
			       "SOME_LANES(i, on)\n{\nconst uint64_t at = (uint%u_t)(row[i] + add);\n"
			       "if (unlikely(at - lo > last || (at & %u)))\nreturn 0;\n",
			       op->align, op->align, op->addr.bytes * 8u, op->natural - 1u);
	for (uint32_t k = 0; k < op->vec; k++) {
		const struct simt_ref r = op->elem[k];

		if (r.bytes)
			g_string_append_printf(out,
					       "ROW%u(F + %u)[i] = (uint%u_t)((const %sint%u_t *)(base + at))[%u];\n",
					       r.bytes, r.off, r.bytes * 8u, sign, op->bytes * 8u, k);
	}
	g_string_append(out, "}\n");
	access_done(out, &t->p->execs[pc]);
	g_string_append(out, "}\n");
}

/* A function that does the access if it is of the common kind; 0: it has done nothing. */
static void access_anywhere(struct text *t, uint32_t pc, bool is_store)
{
	const struct simt_exec *e = &t->p->execs[pc];
	const struct simt_mem_op *op = e->mem;
	const bool is_shared = op->area == SIMT_AREA_SHARED;
	GString *out = t->parts;

	g_string_append_printf(out, "(void)S;\nconst uintptr_t base = %s;\nif (t->is_observed)\nreturn 0;\n",
			       is_shared ? "(uintptr_t)t->shared" : "0");
	g_string_append(out, "uint64_t at[32] __attribute__((aligned(64)));\n");
	addresses(out, op);
	if (is_shared)
		g_string_append_printf(out, "if (!native_are_inside(at, on, 0, t->shared_bytes, %u, %u))\nreturn 0;\n",
				       op->align, op->natural);
	else
		g_string_append_printf(out, "if (!native_hits(&t->hints[%u], at, on, %u, %u, %d))\nreturn 0;\n", pc,
				       op->align, op->natural, is_store);
	for (uint32_t k = 0; k < op->vec; k++)
		element(out, t->p, op, k, is_store);
	access_done(out, e);
}

/* In order first, without a place for 32 addresses. */
static void access_functions(struct text *t, uint32_t pc, bool is_store)
{
	static const char parameters[] = "uint8_t *F, const uint8_t *S, struct native_turn *t, uint32_t on";

	g_string_append_printf(t->parts, "NATIVE_PART uint32_t anywhere_%u(%s)\n{\n", pc, parameters);
	access_anywhere(t, pc, is_store);
	g_string_append_printf(t->parts, "}\nNATIVE_PART uint32_t access_%u(%s)\n{\n", pc, parameters);
	access_in_order(t, pc, is_store);
	if (!is_store)
		load_some(t, pc);
	g_string_append_printf(t->parts, "return anywhere_%u(F, S, t, on);\n}\n", pc);
}

static bool is_access(const struct simt_exec *e)
{
	const struct simt_mem_op *op = e->mem;

	if (e->run != simt_run_load && e->run != simt_run_store)
		return false;
	if (op->addr.bytes && op->addr.base != SIMT_BASE_FRAME)
		return false;
	return op->area == SIMT_AREA_GLOBAL || op->area == SIMT_AREA_GENERIC || op->area == SIMT_AREA_SHARED;
}

static void add_access(struct text *t, uint32_t pc)
{
	access_functions(t, pc, t->p->execs[pc].run == simt_run_store);
	begin_one(t, pc);
	guard(t, pc);
	g_string_append_printf(t->body, "if (unlikely(!access_%u(F, S, t, on)))\nONE(%u);\n}\n", pc, pc);
}

/* ---- other instructions ---- */

/* Does the interpreter's function always go on behind the instruction, and look at no clock? */
static bool goes_on(const struct simt_exec *e)
{
	static const simt_run_fn runs[] = {
	    simt_run_alu,        simt_run_alu_fixed,  simt_run_mov,        simt_run_mapa,       simt_run_nop,
	    simt_run_pred_logic, simt_run_pack,       simt_run_unpack,     simt_run_vector_mov, simt_run_local_addr,
	    simt_run_isspacep,   simt_run_cvta,       simt_run_lop3_pred,  simt_run_setp_pair,  simt_run_video_parts,
	    simt_run_load,       simt_run_load_param, simt_run_load_frame, simt_run_store,      simt_run_store_frame,
	    simt_run_atom,       simt_run_activemask,
	};

	if (e->dynamic_sreg)
		return false;
	for (uint32_t i = 0; i < G_N_ELEMENTS(runs); i++)
		if (e->run == runs[i])
			return true;
	return false;
}

static void add_one(struct text *t, uint32_t pc)
{
	begin_one(t, pc);
	guard(t, pc);
	g_string_append_printf(t->body, "ONE(%u);\n}\n", pc);
}

static void add_guarded_piece(struct text *t, uint32_t pc)
{
	char name[NAME_BYTES];

	g_snprintf(name, sizeof(name), "%u", pc);
	find_live(t, pc);
	native_piece_end(t->piece, name, t->live, t->live_preds, t->parts);
	begin_one(t, pc);
	guard(t, pc);
	g_string_append_printf(t->body, "piece_%u(F, S, P, t, on);\n}\n", pc);
}

static void add_step(struct text *t, uint32_t pc)
{
	label(t, pc);
	g_string_append_printf(t->body, "if (left < 1)\nLEAVE(%u);\nSTEP(%u);\n", pc, pc);
}

static void add_halt(struct text *t, uint32_t pc)
{
	const struct simt_exec *e = &t->p->execs[pc];

	label(t, pc);
	g_string_append_printf(t->body, "if (left < 1)\nLEAVE(%u);\n", pc);
	if (e->guard.index != SIMT_NO_PRED)
		g_string_append_printf(t->body, "if (lanes & %sP[%u])\nSTEP(%u);\n", e->guard.flip ? "" : "~",
				       e->guard.index, pc);
	g_string_append_printf(t->body, "HALT(%u);\n", pc);
}

/* Of a branch back, lanes that have parted from others may only poll: then the interpreter does it. */
static void add_branch(struct text *t, uint32_t pc)
{
	const struct simt_exec *e = &t->p->execs[pc];
	const uint32_t target = e->branch->target;
	const bool is_back = target <= pc;

	label(t, pc);
	g_string_append_printf(t->body, "if (left < 1)\nLEAVE(%u);\n{\n", pc);
	if (e->guard.index == SIMT_NO_PRED)
		g_string_append(t->body, "const uint32_t on = lanes;\n");
	else
		g_string_append_printf(t->body, "const uint32_t on = lanes & %sP[%u];\n", e->guard.flip ? "~" : "",
				       e->guard.index);
	if (is_back)
		g_string_append_printf(
		    t->body,
		    "if (on && (on != lanes || lanes != t->live) && unlikely(rpc == %uu || !native_goes_back(t)))\n"
		    "STEP(%u);\n", /* lanes that meet there do so before the interpreter counts the round */
		    target, pc);
	g_string_append_printf(t->body, "left--;\nif (on == lanes)\ngoto A%u;\nidle += native_count(lanes & ~on);\n",
			       target);
	g_string_append_printf(
	    t->body, "if (on) {\nSAVE;\nt->pc = %u;\nt->part(t, on, %u, %uu);\npc = t->pc;\nLOAD;\ngoto go;\n}\n}\n",
	    pc, target, e->branch->rpc);
}

static void add_other(struct text *t, uint32_t pc)
{
	const struct simt_exec *e = &t->p->execs[pc];

	if (e->run == simt_run_bra)
		add_branch(t, pc);
	else if (!e->dynamic_sreg && is_access(e))
		add_access(t, pc);
	else if (e->run == simt_run_barrier || e->run == simt_run_exit)
		add_halt(t, pc);
	else if (goes_on(e))
		add_one(t, pc);
	else
		add_step(t, pc);
}

/* ---- functions ---- */

static void add_block(struct text *t, uint32_t first, uint32_t last)
{
	uint32_t count = 0;

	arrival(t, first);
	for (uint32_t pc = first; pc <= last; pc++) {
		const bool is_guarded = t->p->execs[pc].guard.index != SIMT_NO_PRED;
		const bool is_taken = native_piece_takes(t->p, pc);

		if (is_taken && !is_guarded && count && native_piece_add(t->piece, pc)) {
			count++;
			continue;
		}
		piece_close(t, pc, count);
		count = 0;
		if (!is_taken || !native_piece_add(t->piece, pc)) {
			add_other(t, pc);
		} else if (is_guarded) {
			add_guarded_piece(t, pc);
		} else {
			t->piece_pc = pc;
			count = 1;
		}
	}
	piece_close(t, last + 1, count);
}

static void add_function(struct text *t, const struct simt_program_func *f)
{
	t->f = f;
	t->live = g_malloc0(f->row_count + 16);
	t->live_preds = g_malloc0(f->alloc->pred_count + 1);
	t->live_regs = g_new0(uint64_t, f->cfg->live_words + 1);
	for (uint32_t b = 0; b < f->cfg->block_count; b++)
		add_block(t, f->first_pc + f->cfg->blocks[b].first, f->first_pc + f->cfg->blocks[b].last);
	g_string_append_printf(t->body, "LEAVE(%u);\n", f->first_pc + f->inst_count);
	g_free(t->live);
	g_free(t->live_preds);
	g_free(t->live_regs);
}

static const char head[] =
    "#define LOAD F = t->frame, P = t->pred, lanes = t->lanes, rpc = t->rpc, left = t->left\n"
    "#define SAVE t->left = left, t->idle += idle, idle = 0\n"
    "#define LEAVE(at) do { pc = at; goto leave; } while (0)\n"
    "#define MEET(at) do { pc = at; goto meet; } while (0)\n"
    "#define STEP(at) do { pc = at; goto step; } while (0)\n"
    "#define HALT(at) do { pc = at; goto halt; } while (0)\n"
    "#define ONE(at) do { SAVE; if (unlikely(!t->one(t, at, on))) return NATIVE_OVER; } while (0)\n";

static const char entry[] =
    "enum native_end strata_native(struct native_turn *t);\n"
    "__attribute__((visibility(\"default\"))) enum native_end strata_native(struct native_turn *t)\n{\n"
    "uint8_t *F;\nuint32_t *P;\nuint32_t lanes, rpc, pc = t->pc;\nint32_t left;\nuint64_t idle = 0;\n"
    "const uint8_t *const S = t->special;\nconst int32_t strict = t->is_strict;\n"
    "(void)S, (void)strict;\nLOAD;\ngoto go;\n"
    "step:\nSAVE;\nif (!t->step(t, pc))\nreturn NATIVE_OVER;\npc = t->pc;\nLOAD;\ngoto go;\n"
    "halt: __attribute__((unused));\nSAVE;\nif (!t->halt(t, pc))\nreturn NATIVE_OVER;\npc = t->pc;\nLOAD;\ngoto go;\n"
    "meet:\nSAVE;\nt->meet(t, pc);\npc = t->pc;\nLOAD;\ngoto go;\n"
    "leave:\nSAVE;\nt->pc = pc;\nreturn left > 0 ? NATIVE_INSIDE : NATIVE_OVER;\n"
    "go:\nswitch (pc) {\n";

char *native_text(const struct simt_program_priv *p, char **why)
{
	struct text t = {.p = p};
	GString *out;

	if (p->pub.inst_count > INSTRUCTIONS_MAX) {
		*why = g_strdup_printf("it has %u instructions, more than %d", p->pub.inst_count, INSTRUCTIONS_MAX);
		return NULL;
	}
	t.parts = g_string_new(NULL);
	t.body = g_string_new(NULL);
	t.heads = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	t.piece = native_piece_new(p);
	for (uint32_t i = 0; i < p->func_count; i++)
		if (!p->funcs[i].builtin && p->funcs[i].cfg)
			add_function(&t, &p->funcs[i]);
	out = g_string_new(simt_native_common);
	g_string_append(out, head);
	g_string_append(out, t.parts->str);
	g_string_append(out, entry);
	for (uint32_t i = 0; i < t.heads->len; i++)
		g_string_append_printf(out, "case %u: goto L%u;\n", g_array_index(t.heads, uint32_t, i),
				       g_array_index(t.heads, uint32_t, i));
	g_string_append(out, "default: LEAVE(pc);\n}\n");
	g_string_append(out, t.body->str);
	g_string_append(out, "}\n");
	native_piece_free(t.piece);
	g_array_free(t.heads, TRUE);
	g_string_free(t.body, TRUE);
	g_string_free(t.parts, TRUE);
	return g_string_free(out, FALSE);
}
