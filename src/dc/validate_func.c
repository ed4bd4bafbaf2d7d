/* validate_func.c - what no pass of the compiler may do to a function: operands that are nowhere, values of another
 * width than where they go, registers that are read before they are written, effects that are lost, doubled or
 * invented, and what a pass before has seen to. Nothing here is shared with the passes but PTX. */
#include "dc/validate.h"

#include <stdarg.h>
#include <string.h>

struct func_check {
	const struct ptx_func *f;
	char *wrong; /* the first that was found */
};

static void object(struct func_check *k, const struct ptx_inst *i, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static void object(struct func_check *k, const struct ptx_inst *i, const char *fmt, ...)
{
	g_autofree char *text = NULL;
	va_list args;

	if (k->wrong)
		return;
	va_start(args, fmt);
	text = g_strdup_vprintf(fmt, args);
	va_end(args);
	k->wrong = i ? g_strdup_printf("line %u: %s: %s", i->line, text, i->text ? i->text : "?") : g_strdup(text);
}

/* ---- an instruction by itself ---- */

static bool is_pred(const struct ptx_func *f, uint32_t reg)
{
	return f->regs[reg].type == PTX_PRED;
}

static uint32_t slots_of(enum ptx_type type)
{
	return type == PTX_PRED ? 0 : ptx_type_bytes(type) == 8 ? 2 : 1;
}

static void check_operand(struct func_check *k, const struct ptx_inst *i, const struct ptx_operand *o)
{
	if (o->kind == PTX_OPND_REG && o->reg >= k->f->reg_count)
		object(k, i, "register %u of %u", o->reg, k->f->reg_count);
	if (o->kind == PTX_OPND_ADDR && o->reg != UINT32_MAX && o->reg >= k->f->reg_count)
		object(k, i, "an address in register %u of %u", o->reg, k->f->reg_count);
	if (o->kind == PTX_OPND_ADDR && o->reg < k->f->reg_count && is_pred(k->f, o->reg))
		object(k, i, "an address in a predicate");
	if (o->kind == PTX_OPND_LABEL && o->label >= k->f->inst_count)
		object(k, i, "a branch to instruction %u of %u", o->label, k->f->inst_count);
	for (uint32_t e = 0; e < o->elem_count; e++)
		check_operand(k, i, &o->elems[e]);
}

/* Operations whose registers all have the width that they say. */
static bool is_even(const struct ptx_inst *i)
{
	switch (i->op) {
	case PTX_OP_ADD:
	case PTX_OP_SUB:
	case PTX_OP_AND:
	case PTX_OP_OR:
	case PTX_OP_XOR:
	case PTX_OP_MIN:
	case PTX_OP_MAX:
	case PTX_OP_MOV:
		return true;
	case PTX_OP_MUL:
		return ptx_type_is_float(i->type) || i->mods.part == PTX_LO_HALF;
	default:
		return false;
	}
}

static void check_width(struct func_check *k, const struct ptx_inst *i, const struct ptx_operand *o)
{
	if (o->kind == PTX_OPND_REG && k->f->regs[o->reg].vec <= 1 &&
	    slots_of(k->f->regs[o->reg].type) != slots_of(i->type))
		object(k, i, "%s has another width than the operation", k->f->regs[o->reg].name);
}

static void check_inst(struct func_check *k, const struct ptx_inst *i)
{
	if (i->has_guard && (i->guard_reg >= k->f->reg_count || !is_pred(k->f, i->guard_reg)))
		object(k, i, "a guard that is no predicate");
	check_operand(k, i, &i->dst);
	check_operand(k, i, &i->dst2);
	for (uint32_t s = 0; s < i->src_count; s++)
		check_operand(k, i, &i->src[s]);
	if (k->wrong || !is_even(i) || i->type == PTX_TYPE_NONE)
		return;
	check_width(k, i, &i->dst);
	for (uint32_t s = 0; s < i->src_count; s++)
		check_width(k, i, &i->src[s]);
}

/* ---- what passes before have seen to ---- */

static void check_low(struct func_check *k, const struct ptx_inst *i)
{
	switch (i->op) {
	case PTX_OP_BRX:
	case PTX_OP_CVTA:
	case PTX_OP_ISSPACEP:
		object(k, i, "an instruction that was lowered");
		break;
	default:
		break;
	}
	for (uint32_t s = 0; s < i->src_count; s++) {
		const struct ptx_var *var = i->src[s].kind == PTX_OPND_ADDR ? i->src[s].var : NULL;

		if (var && (var->space == PTX_SHARED || var->space == PTX_LOCAL))
			object(k, i, "the name of a variable whose place is a number");
	}
}

/* Every loop has one entry, which dominates where it is repeated from. */
static void check_loops(struct func_check *k, const struct ptx_cfg *cfg)
{
	g_autofree uint32_t *at = g_new0(uint32_t, cfg->block_count + 1);

	for (uint32_t n = 0; n < cfg->rpo_count; n++)
		at[cfg->rpo[n]] = n;
	for (uint32_t n = 0; n < cfg->rpo_count; n++) {
		const struct ptx_block *b = &cfg->blocks[cfg->rpo[n]];

		for (uint32_t s = 0; s < b->succ_count; s++)
			if (at[b->succs[s]] <= n && !ptx_dominates(cfg, b->succs[s], cfg->rpo[n]))
				object(k, &k->f->insts[b->last], "a loop with several entries");
	}
}

static bool is_reducible(const struct ptx_func *f)
{
	struct func_check k = {.f = f};
	struct ptx_cfg *cfg = ptx_cfg_build(f);
	bool is;

	check_loops(&k, cfg);
	is = !k.wrong;
	g_free(k.wrong);
	ptx_cfg_free(cfg);
	return is;
}

/* ---- registers that are read before they are written ---- */

static void write_all(const struct ptx_inst *i, uint64_t *set)
{
	struct ptx_reg_use u;

	ptx_inst_regs(i, &u);
	for (uint32_t w = 0; w < u.write_count; w++)
		set[u.writes[w] / 64] |= 1ull << u.writes[w] % 64;
}

/* Registers that every way to a block writes before it, in some lanes at least: [block_count][words], to be freed by
 * g_free. */
static uint64_t *written_before(const struct ptx_cfg *cfg, uint32_t words)
{
	uint64_t *before = g_new(uint64_t, (size_t)cfg->block_count * words);
	g_autofree uint64_t *behind = g_new(uint64_t, words);
	bool changed = true;

	memset(before, 0xff, (size_t)cfg->block_count * words * sizeof(*before));
	memset(before + (size_t)cfg->block_of[0] * words, 0, words * sizeof(*before));
	while (changed) {
		changed = false;
		for (uint32_t n = 0; n < cfg->rpo_count; n++) {
			const struct ptx_block *b = &cfg->blocks[cfg->rpo[n]];

			memcpy(behind, before + (size_t)cfg->rpo[n] * words, words * sizeof(*behind));
			for (uint32_t i = b->first; i <= b->last; i++)
				write_all(&cfg->func->insts[i], behind);
			for (uint32_t k = 0; k < b->succ_count * words; k++) {
				uint64_t *to = &before[(size_t)b->succs[k / words] * words + k % words];

				changed |= (*to & ~behind[k % words]) != 0;
				*to &= behind[k % words];
			}
		}
	}
	return before;
}

/* A register that some way reads before it has written it; UINT32_MAX: there is none. */
static uint32_t read_first(const struct ptx_cfg *cfg)
{
	const uint32_t words = cfg->func->reg_count / 64 + 1;
	g_autofree uint64_t *before = written_before(cfg, words);
	struct ptx_reg_use u;

	for (uint32_t n = 0; n < cfg->rpo_count; n++) {
		const struct ptx_block *b = &cfg->blocks[cfg->rpo[n]];
		uint64_t *now = before + (size_t)cfg->rpo[n] * words;

		for (uint32_t i = b->first; i <= b->last; i++) {
			ptx_inst_regs(&cfg->func->insts[i], &u);
			for (uint32_t r = 0; r < u.read_count; r++)
				if (!(now[u.reads[r] / 64] >> u.reads[r] % 64 & 1))
					return u.reads[r];
			write_all(&cfg->func->insts[i], now);
		}
	}
	return UINT32_MAX;
}

/* Of a program that never does so. Of others nothing is said: webs.c gives such a value a name of its own. */
static void check_defined(struct func_check *k, const struct ptx_cfg *cfg, const struct ptx_func *before)
{
	const uint32_t now = read_first(cfg);
	struct ptx_cfg *old;

	if (now == UINT32_MAX)
		return;
	old = ptx_cfg_build(before);
	if (read_first(old) == UINT32_MAX)
		object(k, NULL, "%s is read before it is written", k->f->regs[now].name);
	ptx_cfg_free(old);
}

/* ---- effects ---- */

/* What an instruction does to memory and to other threads, by where it is written in the program. */
static bool has_effect(const struct ptx_inst *i)
{
	switch (i->op) {
	case PTX_OP_ST:
		return i->mods.space != PTX_PARAM_CALL && !(i->src[0].var && i->src[0].var->space == PTX_PARAM_CALL);
	case PTX_OP_ATOM:
	case PTX_OP_RED:
	case PTX_OP_MEMBAR:
	case PTX_OP_FENCE:
	case PTX_OP_SHFL:
	case PTX_OP_VOTE:
	case PTX_OP_MATCH:
	case PTX_OP_REDUX:
	case PTX_OP_BRKPT:
		return true;
	case PTX_OP_BAR:
	case PTX_OP_BARRIER:
		return i->mods.bar != PTX_BAR_WARP_SYNC;
	case PTX_OP_TRAP:
		return !i->src_count; /* else it is of what was brx */
	default:
		return false;
	}
}

static uint64_t effect_key(const struct ptx_inst *i)
{
	return (uint64_t)i->line << 32 | (uint64_t)(i->col & 0xffff) << 16 | (uint64_t)(i->op & 0x3fff) << 2 |
	       (uint64_t)i->has_guard << 1 | i->guard_negate;
}

static int compare_keys(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* In order; each once with `once`. */
static GArray *effects_of(const struct ptx_func *f, bool once)
{
	GArray *keys = g_array_new(FALSE, TRUE, sizeof(uint64_t));
	guint kept = 0;

	for (uint32_t n = 0; n < f->inst_count; n++)
		if (has_effect(&f->insts[n])) {
			const uint64_t key = effect_key(&f->insts[n]);

			g_array_append_val(keys, key);
		}
	g_array_sort(keys, compare_keys);
	for (guint n = 0; n < keys->len && once; n++)
		if (!kept || g_array_index(keys, uint64_t, n) != g_array_index(keys, uint64_t, kept - 1))
			g_array_index(keys, uint64_t, kept++) = g_array_index(keys, uint64_t, n);
	if (once)
		g_array_set_size(keys, kept);
	return keys;
}

static void check_effects(struct func_check *k, const struct ptx_func *before, bool copies)
{
	g_autoptr(GArray) now = effects_of(k->f, copies), old = effects_of(before, copies);
	guint n = 0;

	while (n < now->len && n < old->len && g_array_index(now, uint64_t, n) == g_array_index(old, uint64_t, n))
		n++;
	if (n == now->len && n == old->len)
		return;
	const bool is_lost = n == now->len || (n < old->len &&
					       g_array_index(old, uint64_t, n) < g_array_index(now, uint64_t, n));
	const uint64_t key = g_array_index(is_lost ? old : now, uint64_t, n);

	object(k, NULL, "the effect in line %u, column %u, is %s", (uint32_t)(key >> 32),
	       (uint32_t)(key >> 16 & 0xffff), is_lost ? "lost" : "there too often, or another one");
}

/* ---- the whole ---- */

char *dc_validate_func(const struct ptx_func *f, uint32_t is, const struct ptx_func *before, uint32_t was,
		       bool copies)
{
	struct func_check k = {.f = f};
	const struct ptx_inst *last = f->inst_count ? &f->insts[f->inst_count - 1] : NULL;
	struct ptx_cfg *cfg;

	if (!last || last->has_guard || !ptx_inst_ends_block(last))
		object(&k, last, "a function that does not end");
	for (uint32_t n = 0; n < f->inst_count && !k.wrong; n++) {
		check_inst(&k, &f->insts[n]);
		if (is & DC_FUNC_IS_LOW)
			check_low(&k, &f->insts[n]);
		if (is & DC_FUNC_IS_WHOLE && f->insts[n].op == PTX_OP_CALL)
			object(&k, &f->insts[n], "a call that was to become what it calls");
	}
	if (k.wrong)
		return k.wrong;
	cfg = ptx_cfg_build(f);
	if (is & DC_FUNC_IS_REDUCIBLE && is_reducible(before))
		check_loops(&k, cfg);
	if (was & DC_FUNC_IS_LOW)
		check_defined(&k, cfg, before);
	if (was & DC_FUNC_IS_WHOLE)
		check_effects(&k, before, copies);
	ptx_cfg_free(cfg);
	return k.wrong;
}
