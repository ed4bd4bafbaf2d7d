/* webs.c - registers that a program uses again for another value become several: one for each union of definitions that
 * reach a common use. What was written twice only by its name is then written once, and needs no home for its whole
 * life; unrolled rounds hand their sums on without one. */
#include "dc/compile/priv.h"

#include <string.h>

struct webs {
	struct dcc *c;
	const struct ptx_cfg *cfg;
	uint32_t *inst, *reg; /* [count]: definitions in the order of the text */
	uint32_t *first_of;   /* [inst_count + 1]: an instruction's first definition */
	uint32_t *parent;     /* [count]: union-find */
	uint32_t count, words;
	GArray **of_reg; /* [reg_count]: uint32_t, definitions; NULL: none */
	uint64_t *in;    /* [block_count][words]: definitions that reach a block's begin */
};

static uint32_t root_of(const struct webs *w, uint32_t def)
{
	while (w->parent[def] != def) {
		w->parent[def] = w->parent[w->parent[def]];
		def = w->parent[def];
	}
	return def;
}

/* The earlier definition stands for both. */
static void join(const struct webs *w, uint32_t a, uint32_t b)
{
	a = root_of(w, a);
	b = root_of(w, b);
	w->parent[MAX(a, b)] = MIN(a, b);
}

static void find_definitions(struct webs *w)
{
	const struct ptx_func *f = w->c->func;
	struct ptx_reg_use u;

	for (uint32_t n = 0; n < f->inst_count; n++) {
		w->first_of[n] = w->count;
		ptx_inst_regs(&f->insts[n], &u);
		for (uint32_t k = 0; k < u.write_count; k++) {
			const uint32_t r = u.writes[k];

			if (f->regs[r].type == PTX_PRED)
				continue;
			w->inst = g_renew(uint32_t, w->inst, w->count + 1);
			w->reg = g_renew(uint32_t, w->reg, w->count + 1);
			w->inst[w->count] = n;
			w->reg[w->count] = r;
			if (!w->of_reg[r])
				w->of_reg[r] = g_array_new(FALSE, TRUE, sizeof(uint32_t));
			g_array_append_val(w->of_reg[r], w->count);
			w->count++;
		}
	}
	w->first_of[f->inst_count] = w->count;
	w->words = w->count / 64 + 1;
	w->parent = g_new(uint32_t, w->count + 1);
	for (uint32_t d = 0; d < w->count; d++)
		w->parent[d] = d;
}

/* What reaches behind the instruction. A write of some lanes keeps the value of the others: both are one web, for
 * which the later one stands. */
static void pass(const struct webs *w, uint32_t inst, uint64_t *reach)
{
	for (uint32_t d = w->first_of[inst]; d < w->first_of[inst + 1]; d++) {
		const GArray *all = w->of_reg[w->reg[d]];

		for (uint32_t k = 0; k < all->len; k++) {
			const uint32_t e = g_array_index(all, uint32_t, k);

			reach[e / 64] &= ~(1ull << e % 64);
		}
		reach[d / 64] |= 1ull << d % 64;
	}
}

static void find_reach(struct webs *w)
{
	const struct ptx_cfg *cfg = w->cfg;
	g_autofree uint64_t *out = g_new(uint64_t, w->words);
	bool changed = true;

	w->in = g_new0(uint64_t, (size_t)cfg->block_count * w->words);
	while (changed) {
		changed = false;
		for (uint32_t k = 0; k < cfg->rpo_count; k++) {
			const struct ptx_block *b = &cfg->blocks[cfg->rpo[k]];

			memcpy(out, w->in + (size_t)cfg->rpo[k] * w->words, w->words * sizeof(*out));
			for (uint32_t n = b->first; n <= b->last; n++)
				pass(w, n, out);
			for (uint32_t s = 0; s < b->succ_count; s++) {
				uint64_t *in = w->in + (size_t)b->succs[s] * w->words;

				for (uint32_t x = 0; x < w->words; x++) {
					changed |= (in[x] | out[x]) != in[x];
					in[x] |= out[x];
				}
			}
		}
	}
}

/* The definition that stands for what reaches a use of reg here; UINT32_MAX: none does. */
static uint32_t reaching(const struct webs *w, const uint64_t *reach, uint32_t reg)
{
	const GArray *all = w->of_reg[reg];

	for (uint32_t k = 0; all && k < all->len; k++) {
		const uint32_t d = g_array_index(all, uint32_t, k);

		if (reach[d / 64] >> d % 64 & 1)
			return d;
	}
	return UINT32_MAX;
}

static void join_reaching(const struct webs *w, const uint64_t *reach, uint32_t reg, uint32_t def)
{
	const GArray *all = w->of_reg[reg];

	for (uint32_t k = 0; all && k < all->len; k++) {
		const uint32_t d = g_array_index(all, uint32_t, k);

		if (!(reach[d / 64] >> d % 64 & 1))
			continue;
		if (def != UINT32_MAX)
			join(w, d, def);
		def = d;
	}
}

static void join_uses(struct webs *w)
{
	const struct ptx_func *f = w->c->func;
	g_autofree uint64_t *reach = g_new(uint64_t, w->words);
	struct ptx_reg_use u;

	for (uint32_t k = 0; k < w->cfg->rpo_count; k++) {
		const struct ptx_block *b = &w->cfg->blocks[w->cfg->rpo[k]];

		memcpy(reach, w->in + (size_t)w->cfg->rpo[k] * w->words, w->words * sizeof(*reach));
		for (uint32_t n = b->first; n <= b->last; n++) {
			ptx_inst_regs(&f->insts[n], &u);
			for (uint32_t r = 0; r < u.read_count; r++)
				if (f->regs[u.reads[r]].type != PTX_PRED)
					join_reaching(w, reach, u.reads[r], UINT32_MAX);
			for (uint32_t d = w->first_of[n]; d < w->first_of[n + 1]; d++)
				if (!ptx_write_is_total(f, &f->insts[n], w->reg[d]))
					join_reaching(w, reach, w->reg[d], d);
			pass(w, n, reach);
		}
	}
}

/* ---- new names ---- */

struct names {
	const struct webs *w;
	const uint32_t *name; /* [count]: of a definition */
	const uint64_t *reach;
	uint32_t inst;
};

static uint32_t name_of_write(const struct names *x, uint32_t reg)
{
	for (uint32_t d = x->w->first_of[x->inst]; d < x->w->first_of[x->inst + 1]; d++)
		if (x->w->reg[d] == reg)
			return x->name[d];
	return reg;
}

static void rename_operand(const struct names *x, struct ptx_operand *o, bool is_write)
{
	if ((o->kind == PTX_OPND_REG || o->kind == PTX_OPND_ADDR) && o->reg != UINT32_MAX) {
		const uint32_t d = is_write ? UINT32_MAX : reaching(x->w, x->reach, o->reg);

		o->reg = is_write && o->kind == PTX_OPND_REG ? name_of_write(x, o->reg)
			 : d == UINT32_MAX                   ? o->reg
							     : x->name[d];
	}
	if (!o->elem_count)
		return;
	o->elems = ptx_arena_copy(x->w->c->arena, o->elems, o->elem_count * sizeof(*o->elems));
	for (uint32_t e = 0; e < o->elem_count; e++)
		rename_operand(x, &o->elems[e], is_write);
}

/* The first web of a register keeps its name. */
static uint32_t *name_webs(const struct webs *w)
{
	uint32_t *name = g_new(uint32_t, w->count + 1);

	for (uint32_t d = 0; d < w->count; d++) {
		const uint32_t root = root_of(w, d), reg = w->reg[d];

		if (root != d)
			name[d] = name[root];
		else if (g_array_index(w->of_reg[reg], uint32_t, 0) == d)
			name[d] = reg;
		else
			name[d] = dcc_reg_new(w->c, w->c->func->regs[reg].type);
	}
	return name;
}

static void rename_all(struct webs *w)
{
	struct dcc *c = w->c;
	const uint32_t blocks = w->cfg->block_count;
	g_autofree uint32_t *name = name_webs(w);
	g_autofree uint64_t *reach = g_new(uint64_t, w->words);

	dcc_rewrite_begin(c);
	for (uint32_t b = 0; b < blocks; b++) {
		const struct ptx_block *x = &w->cfg->blocks[b];

		memcpy(reach, w->in + (size_t)b * w->words, w->words * sizeof(*reach));
		for (uint32_t n = x->first; n <= x->last; n++) {
			struct ptx_inst i = c->func->insts[n];
			const struct names names = {w, name, reach, n};

			dcc_rewrite_at(c, n);
			for (uint32_t s = 0; s < i.src_count; s++)
				rename_operand(&names, &i.src[s], false);
			rename_operand(&names, &i.dst, true);
			rename_operand(&names, &i.dst2, true);
			dcc_emit(c, &i);
			pass(w, n, reach);
		}
	}
	dcc_rewrite_end(c);
}

void dcc_webs(struct dcc *c)
{
	const uint32_t regs = c->func->reg_count;
	struct ptx_cfg *cfg = ptx_cfg_build(c->func);
	struct webs w = {.c = c,
			 .cfg = cfg,
			 .first_of = g_new(uint32_t, c->func->inst_count + 1),
			 .of_reg = g_new0(GArray *, regs + 1)};

	find_definitions(&w);
	find_reach(&w);
	join_uses(&w);
	rename_all(&w);
	for (uint32_t r = 0; r < regs; r++)
		if (w.of_reg[r])
			g_array_free(w.of_reg[r], TRUE);
	g_free(w.of_reg);
	g_free(w.first_of);
	g_free(w.inst);
	g_free(w.reg);
	g_free(w.parent);
	g_free(w.in);
	ptx_cfg_free(cfg);
}
