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

/* One row of memory is one row of registers. */
static void whole_row(GString *out, const struct simt_mem_op *op, bool is_store, uint32_t pc)
{
	const struct simt_ref r = op->elem[0];

	if (op->vec != 1 || r.bytes != op->bytes || r.base == SIMT_BASE_CONST)
		return;
	g_string_append_printf(out, "if (on == NATIVE_ALL && native_is_row(at, %u)) {\n", op->bytes);
	if (op->area == SIMT_AREA_SHARED)
		g_string_append_printf(out, "if (!native_are_inside(at, 1, 0, t->shared_bytes, %u, %u))\nreturn 0;\n",
				       op->bytes * 32u, op->natural);
	else
		g_string_append_printf(out, "if (!native_is_inside(&t->hints[%u], at[0], %u, %u, %d))\nreturn 0;\n", pc,
				       op->bytes * 32u, op->natural, is_store);
	if (is_store)
		g_string_append_printf(out, "memcpy((void *)(base + at[0]), %c + %u, %u);\n",
				       r.base == SIMT_BASE_SPECIAL ? 'S' : 'F', r.off, op->bytes * 32u);
	else
		g_string_append_printf(out, "memcpy(F + %u, (const void *)(base + at[0]), %u);\n", r.off,
				       op->bytes * 32u);
}

/* A function that does the access if it is of the common kind; 0: it has done nothing. */
static void access_function(struct text *t, uint32_t pc, bool is_store)
{
	const struct simt_exec *e = &t->p->execs[pc];
	const struct simt_mem_op *op = e->mem;
	const bool is_shared = op->area == SIMT_AREA_SHARED;
	GString *out = t->parts;

	g_string_append_printf(out,
			       "NATIVE_PART uint32_t access_%u(uint8_t *F, const uint8_t *S, struct native_turn *t, "
			       "uint32_t on)\n{\n",
			       pc);
	g_string_append(out, "uint64_t at[32] __attribute__((aligned(64)));\n(void)S;\n");
	g_string_append_printf(out, "const uintptr_t base = %s;\nif (t->is_observed)\nreturn 0;\n",
			       is_shared ? "(uintptr_t)t->shared" : "0");
	addresses(out, op);
	const gsize row = out->len;

	whole_row(out, op, is_store, pc);
	if (out->len != row) {
		if (e->polls)
			g_string_append_printf(out, "*t->polled |= %u;\n", e->polls);
		g_string_append(out, "return 1;\n}\n");
	}
	if (is_shared)
		g_string_append_printf(out, "if (!native_are_inside(at, on, 0, t->shared_bytes, %u, %u))\nreturn 0;\n",
				       op->align, op->natural);
	else
		g_string_append_printf(out, "if (!native_hits(&t->hints[%u], at, on, %u, %u, %d))\nreturn 0;\n", pc,
				       op->align, op->natural, is_store);
	for (uint32_t k = 0; k < op->vec; k++)
		element(out, t->p, op, k, is_store);
	if (e->polls)
		g_string_append_printf(out, "*t->polled |= %u;\n", e->polls);
	g_string_append(out, "return 1;\n}\n");
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
	access_function(t, pc, t->p->execs[pc].run == simt_run_store);
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
    "#define ONE(at) do { SAVE; if (unlikely(!t->one(t, at, on))) return NATIVE_OVER; } while (0)\n";

static const char entry[] =
    "enum native_end strata_native(struct native_turn *t);\n"
    "__attribute__((visibility(\"default\"))) enum native_end strata_native(struct native_turn *t)\n{\n"
    "uint8_t *F;\nuint32_t *P;\nuint32_t lanes, rpc, pc = t->pc;\nint32_t left;\nuint64_t idle = 0;\n"
    "const uint8_t *const S = t->special;\nconst int32_t strict = t->is_strict;\n"
    "(void)S, (void)strict;\nLOAD;\ngoto go;\n"
    "step:\nSAVE;\nif (!t->step(t, pc))\nreturn NATIVE_OVER;\npc = t->pc;\nLOAD;\ngoto go;\n"
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
