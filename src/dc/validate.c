/* validate.c - is every word right by itself, complete and in order? What registers and masks hold is followed by
 * validate_flow.c. Nothing here is shared with the scheduler but the format of words. */
#include "dc/validate.h"

#include <stdarg.h>

#include "dc/ops.h"

char *dc_wrong(uint32_t word, const char *fmt, ...)
{
	g_autofree char *text = NULL;
	va_list args;

	va_start(args, fmt);
	text = g_strdup_vprintf(fmt, args);
	va_end(args);
	return g_strdup_printf("word %u: %s", word, text);
}

/* ---- a word by itself ---- */

static uint32_t regs_of(struct dc_loc l)
{
	return (l.lo == DC_NO_REG ? 0 : 1u << l.lo) | (l.hi == DC_NO_REG ? 0 : 1u << l.hi);
}

static bool loc_is_sane(const struct dc_kernel *k, struct dc_loc l)
{
	const uint32_t limit = (DC_ROWS - k->pred_count) / DC_REG_ROWS;

	if (l.lo == DC_NO_REG)
		return l.hi == DC_NO_REG;
	return l.array < k->array_count && l.lo < limit && (l.hi == DC_NO_REG || (l.hi < limit && l.hi != l.lo));
}

static bool pred_is_sane(const struct dc_kernel *k, uint16_t pred)
{
	return pred == DC_NO_PRED || pred < k->pred_count;
}

/* Rows that the operation's routine uses for itself: ops.def. Amounts of shifts are those of the words: an immediate or
 * a value of the host is the same in all lanes. */
static uint32_t wanted_rows(const struct dc_kernel *k, const struct dc_slot *s)
{
	const struct dc_arith arith = {.cordic_iterations = 1};
	bool is_fixed = s->src_count > 1;
	struct dc_use use;
	const char *why;

	for (uint32_t o = 1; o < s->src_count; o++)
		is_fixed &= s->src[o].kind == DC_SRC_IMM || s->src[o].kind == DC_SRC_HOST;
	if (!dc_use_of(s->inst, is_fixed, &use, &why))
		return 0;
	if (k->has_table_roots)
		dc_use_table_roots(&use);
	dc_use_keep(&use, k->is_kept, k->is_open, s->inst);
	return dc_scratch_rows(&use, &arith);
}

/* Rows of all registers, whether something lives there or not, but those that are lent to the routine; of predicates;
 * and all that the routine has at a time. */
static uint32_t all_rows(const struct dc_kernel *k, const struct dc_slot *s, uint32_t limit)
{
	return DC_REG_ROWS * (limit - (uint32_t)__builtin_popcount(s->scratch_regs)) + k->pred_count + s->scratch_rows;
}

/* Those of an array are at most its word-lines and what lies in the transpose units meanwhile: tests/dc/test_rows.c has
 * that a row goes there and back once. */
static char *check_rows(const struct dc_kernel *k, uint32_t n, uint32_t a)
{
	const struct dc_slot *s = &k->words[n].slot[a];
	const uint32_t limit = (DC_ROWS - k->pred_count) / DC_REG_ROWS;
	uint32_t used = regs_of(s->dst);

	for (uint32_t o = 0; o < s->src_count; o++)
		if (s->src[o].kind == DC_SRC_LOC)
			used |= regs_of(s->src[o].loc);
	if (s->kind == DC_SLOT_ALU && s->scratch_rows < wanted_rows(k, s))
		return dc_wrong(n, "array %c: %u rows of scratch for an operation that needs %u", 'A' + a,
				s->scratch_rows, wanted_rows(k, s));
	if (s->scratch_regs & used || s->scratch_regs >> limit)
		return dc_wrong(n, "array %c: scratch registers that are operands or not there", 'A' + a);
	if (s->swap_rows > s->scratch_rows || all_rows(k, s, limit) > (uint32_t)DC_ROWS + s->swap_rows)
		return dc_wrong(n, "array %c: %u rows, of which %u are swapped; more than %u rows", 'A' + a,
				all_rows(k, s, limit), s->swap_rows, DC_ROWS);
	return NULL;
}

static char *check_slot(const struct dc_kernel *k, uint32_t n, uint32_t a)
{
	const struct dc_word *w = &k->words[n];
	const struct dc_slot *s = &w->slot[a];
	const bool is_copy = s->kind == DC_SLOT_COPY;

	if (s->kind == DC_SLOT_NONE || s->kind == DC_SLOT_BUSY)
		return NULL;
	if (a >= k->array_count)
		return dc_wrong(n, "array %c is not there", 'A' + a);
	if (!loc_is_sane(k, s->dst) || !pred_is_sane(k, s->pred_dst) || !pred_is_sane(k, s->pred_dst2) ||
	    !pred_is_sane(k, s->guard.pred))
		return dc_wrong(n, "array %c: a place that is not there", 'A' + a);
	if (s->dst.lo != DC_NO_REG && s->dst.array != a)
		return dc_wrong(n, "array %c writes a register of another array", 'A' + a);
	for (uint32_t o = 0; o < s->src_count; o++) {
		const struct dc_source *x = &s->src[o];

		if (x->kind == DC_SRC_PRED && !pred_is_sane(k, x->pred))
			return dc_wrong(n, "array %c: a predicate that is not there", 'A' + a);
		if (x->kind != DC_SRC_LOC)
			continue;
		if (!loc_is_sane(k, x->loc) || is_copy == (x->loc.array == a))
			return dc_wrong(n, "array %c: operand %u is in the wrong array", 'A' + a, o);
		if (is_copy && w->slot[x->loc.array].kind != DC_SLOT_BUSY)
			return dc_wrong(n, "a copy out of array %c, which does something else", 'A' + x->loc.array);
	}
	return check_rows(k, n, a);
}

static char *check_box(const struct dc_kernel *k, uint32_t n)
{
	const struct dc_word *w = &k->words[n];
	uint32_t arrays = 0;

	if (w->box.kind == DC_BOX_NONE)
		return NULL;
	for (uint32_t o = 0; o < w->box.src_count; o++)
		if (w->box.src[o].kind == DC_SRC_LOC) {
			if (!loc_is_sane(k, w->box.src[o].loc))
				return dc_wrong(n, "the C-Box reads a register that is not there");
			arrays |= 1u << w->box.src[o].loc.array;
		}
	for (uint32_t e = 0; e < w->box.elem_count; e++) {
		if (!loc_is_sane(k, w->box.dst[e]))
			return dc_wrong(n, "the C-Box writes a register that is not there");
		if (w->box.dst[e].lo != DC_NO_REG)
			arrays |= 1u << w->box.dst[e].array;
	}
	for (uint32_t a = 0; a < DC_ARRAYS; a++)
		if (arrays >> a & 1 && w->slot[a].kind != DC_SLOT_BUSY)
			return dc_wrong(n, "the C-Box uses array %c, which does something else", 'A' + a);
	if (!pred_is_sane(k, w->box.guard.pred) || !pred_is_sane(k, w->box.pred_dst) ||
	    !pred_is_sane(k, w->box.comes))
		return dc_wrong(n, "the C-Box: a predicate that is not there");
	return NULL;
}

static char *check_flow(const struct dc_kernel *k, uint32_t n)
{
	const struct dc_word *w = &k->words[n];

	if ((n + 1 == k->word_count) != (w->flow == DC_FLOW_END))
		return dc_wrong(n, "the end is the last word");
	if (w->flow == DC_FLOW_SKIP && (w->target <= n || w->target >= k->word_count || w->flow_pred >= k->pred_count))
		return dc_wrong(n, "a skip to word %u", w->target);
	if (w->flow != DC_FLOW_JUMP)
		return NULL;
	if (w->target > n || !k->words[w->target].is_loop_begin || w->flow_pred >= k->pred_count)
		return dc_wrong(n, "a jump to word %u, which begins no loop", w->target);
	if (w->loop_words != n - w->target + 1)
		return dc_wrong(n, "the ring buffer is told of %u words of a loop of %u", w->loop_words,
				n - w->target + 1);
	return NULL;
}

/* ---- floats in two's complement ---- */

static bool is_kept(const struct dc_kernel *k, const struct ptx_operand *o)
{
	return o->kind == PTX_OPND_REG && k->is_kept && k->is_kept[o->reg / 64] >> o->reg % 64 & 1;
}

/* Additions that the arrays do in this way, conversions, and constants that are the same in both; all others would take
 * one for a number that it is not. Copies between arrays and spills do not look at it. */
static char *check_kept(const struct dc_kernel *k, const struct ptx_inst *i, uint32_t n)
{
	const bool is_float = (i->type == PTX_F32 || i->type == PTX_F64) && !i->mods.sat && !i->mods.relu &&
			      (i->mods.round == PTX_ROUND_NONE || i->mods.round == PTX_RN);
	const bool is_sum = is_float && (i->op == PTX_OP_ADD || i->op == PTX_OP_SUB);
	/* Open numbers: no product is added to one, and of constants zero alone is the same. */
	const bool is_fma = is_float && !k->is_open && (i->op == PTX_OP_FMA || i->op == PTX_OP_MAD);
	const bool is_positive = i->op == PTX_OP_MOV && i->src[0].kind == PTX_OPND_IMM &&
				 !(k->is_open ? i->src[0].imm : i->src[0].imm >> (8 * ptx_type_bytes(i->type) - 1) & 1);

	bool is_part = false;

	/* A move converts where one side alone is kept: then it must say of which format; else it is a copy. */
	if (i->op == PTX_OP_MOV && i->dst.kind == PTX_OPND_REG && i->src[0].kind == PTX_OPND_REG) {
		if (is_kept(k, &i->dst) == is_kept(k, &i->src[0]) || (is_float && !i->src[0].negate))
			return NULL;
		return dc_wrong(n, "a move to or from two's complement that is of no float: %s", i->text);
	}
	for (uint32_t e = 0; e < i->dst.elem_count; e++)
		is_part |= is_kept(k, &i->dst.elems[e]);
	if (is_part || (is_kept(k, &i->dst) && !is_sum && !is_fma && !is_positive))
		return dc_wrong(n, "no addition, but its result is read in two's complement: %s", i->text);
	for (uint32_t o = 0; o < i->src_count; o++) {
		const bool may = i->op == PTX_OP_ADD || (i->op == PTX_OP_SUB && o == 0) || (is_fma && o == 2);
		bool is_elem = false;

		for (uint32_t e = 0; e < i->src[o].elem_count; e++)
			is_elem |= is_kept(k, &i->src[o].elems[e]);
		if (is_elem || (is_kept(k, &i->src[o]) && !(may && (is_sum || is_fma) && !i->src[o].negate)))
			return dc_wrong(n, "operand %u lies in two's complement: %s", o, i->text);
	}
	return NULL;
}

/* ---- completeness and order ---- */

bool dc_is_in_words(const struct dc_kernel *k, const struct ptx_inst *i)
{
	if (i->op == PTX_OP_BRA || i->op == PTX_OP_RET || i->op == PTX_OP_EXIT)
		return false;
	return i->dst.kind != PTX_OPND_REG || k->host_of[i->dst.reg] == UINT32_MAX;
}

static bool orders(const struct ptx_inst *i)
{
	return i->op == PTX_OP_ATOM || i->op == PTX_OP_RED || i->op == PTX_OP_BAR || i->op == PTX_OP_BARRIER ||
	       i->op == PTX_OP_MEMBAR || i->op == PTX_OP_FENCE || i->op == PTX_OP_CALL || i->op == PTX_OP_TRAP ||
	       i->op == PTX_OP_BRKPT || i->mods.sem != PTX_SEM_WEAK;
}

static bool is_written_between(const struct dc_kernel *k, uint32_t reg, uint32_t first, uint32_t last)
{
	struct ptx_reg_use u;

	for (uint32_t n = first; n < last; n++) {
		ptx_inst_regs(&k->func->insts[n], &u);
		for (uint32_t w = 0; w < u.write_count; w++)
			if (u.writes[w] == reg)
				return true;
	}
	return false;
}

/* May the later of two instructions of a block be done first? */
static bool may_swap(const struct dc_kernel *k, uint32_t first, uint32_t second)
{
	const struct ptx_inst *a = &k->func->insts[first], *b = &k->func->insts[second];
	const struct ptx_operand *x = &a->src[0], *y = &b->src[0];
	const int64_t size_a = (int64_t)ptx_type_bytes(a->type) * MAX(a->mods.vec, 1);
	const int64_t size_b = (int64_t)ptx_type_bytes(b->type) * MAX(b->mods.vec, 1);

	if (orders(a) || orders(b))
		return false;
	if (a->op != PTX_OP_ST && b->op != PTX_OP_ST)
		return true;
	if (a->mods.space && b->mods.space && a->mods.space != b->mods.space && a->mods.space != PTX_CONST &&
	    b->mods.space != PTX_CONST)
		return true;
	if (a->mods.space != b->mods.space || x->kind != PTX_OPND_ADDR || y->kind != PTX_OPND_ADDR ||
	    x->reg != y->reg || x->var != y->var)
		return false;
	if (x->reg != UINT32_MAX && is_written_between(k, x->reg, first, second))
		return false;
	return x->offset + size_a <= y->offset || y->offset + size_b <= x->offset;
}

static char *note(const struct dc_kernel *k, const struct dc_range *r, const struct ptx_inst *i, uint32_t n, bool *done)
{
	const uint32_t at = (uint32_t)(i - k->func->insts);

	if (at >= k->func->inst_count || k->cfg->block_of[at] != r->block)
		return dc_wrong(n, "an instruction of another block");
	if (done[at])
		return dc_wrong(n, "an instruction for the second time: %s", i->text);
	done[at] = true;
	return check_kept(k, i, n);
}

static char *check_range(const struct dc_kernel *k, const struct dc_range *r, bool *done)
{
	const struct ptx_block *b = &k->cfg->blocks[r->block];
	GArray *memory = g_array_new(FALSE, TRUE, sizeof(uint32_t));
	char *wrong = NULL;

	for (uint32_t n = r->first; n < r->edge && !wrong; n++) {
		const struct dc_word *w = &k->words[n];

		for (uint32_t a = 0; a < DC_ARRAYS && !wrong; a++)
			if (w->slot[a].kind == DC_SLOT_ALU)
				wrong = note(k, r, w->slot[a].inst, n, done);
		if (wrong || !w->box.inst)
			continue;
		wrong = note(k, r, w->box.inst, n, done);
		const uint32_t at = (uint32_t)(w->box.inst - k->func->insts);

		for (uint32_t m = 0; m < memory->len && !wrong && w->box.kind != DC_BOX_WARP; m++) {
			uint32_t before = g_array_index(memory, uint32_t, m);

			if (before > at && !may_swap(k, at, before))
				wrong = dc_wrong(n, "memory operations out of order: %s", w->box.inst->text);
		}
		if (w->box.kind != DC_BOX_WARP)
			g_array_append_val(memory, at);
	}
	for (uint32_t i = b->first; i <= b->last && !wrong; i++)
		if (dc_is_in_words(k, &k->func->insts[i]) && !done[i])
			wrong =
			    dc_wrong(r->first, "block %u lacks an instruction: %s", r->block, k->func->insts[i].text);
	g_array_free(memory, TRUE);
	return wrong;
}

static char *check_ranges(const struct dc_kernel *k)
{
	g_autofree bool *done = g_new0(bool, k->func->inst_count + 1);
	g_autofree bool *seen = g_new0(bool, k->cfg->block_count + 1);
	uint32_t at = 0;

	for (uint32_t n = 0; n < k->range_count; n++) {
		const struct dc_range *r = &k->ranges[n];
		char *wrong;

		if (r->first < at || r->edge < r->first || r->end < r->edge || r->end > k->word_count ||
		    r->block >= k->cfg->block_count || seen[r->block])
			return dc_wrong(r->first, "block %u is out of place", r->block);
		/* Between blocks there are only masks and flow. */
		for (; at < r->first; at++)
			for (uint32_t a = 0; a < DC_ARRAYS; a++)
				if (k->words[at].box.kind || (k->words[at].slot[a].kind != DC_SLOT_NONE &&
							      k->words[at].slot[a].kind != DC_SLOT_MASK))
					return dc_wrong(at, "an operation outside all blocks");
		seen[r->block] = true;
		wrong = check_range(k, r, done);
		if (wrong)
			return wrong;
		at = r->edge;
	}
	for (uint32_t b = 0; b < k->cfg->block_count; b++)
		if (k->cfg->blocks[b].is_reachable && !seen[b])
			return dc_wrong(0, "block %u is missing", b);
	return NULL;
}

char *dc_validate(const struct dc_kernel *k)
{
	char *wrong = NULL;

	for (uint32_t n = 0; n < k->word_count && !wrong; n++) {
		for (uint32_t a = 0; a < DC_ARRAYS && !wrong; a++)
			wrong = check_slot(k, n, a);
		if (!wrong)
			wrong = check_box(k, n);
		if (!wrong)
			wrong = check_flow(k, n);
	}
	if (!wrong)
		wrong = check_ranges(k);
	return wrong ? wrong : dc_validate_flow(k);
}
