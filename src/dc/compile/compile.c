/* compile.c - the passes in their order: passes.def. Each is told what it needs to know; behind each, whoever watches
 * sees the kernel, and an audit looks for what no pass may do. */
#include "dc/compile/priv.h"

#include <string.h>

enum { PREDS_MAX = 128 };

const struct dc_options dc_options_plain = {.array_count = 1};
const struct dc_options dc_options_full = {.array_count = DC_ARRAYS,
					   .isolate = true,
					   .balance = true,
					   .unroll = true,
					   .keep = true,
					   .unroll_insts = 2048,
					   .schedule = true,
					   .pressure_cost = 4};

/* ---- passes ---- */

/* Registers of an array beside the rows of predicates. */
static uint32_t reg_limit(const struct dcc *c)
{
	return MIN((DC_ROWS - c->kernel->pred_count) / DC_REG_ROWS, DC_REGS);
}

static void find_graph(struct dcc *c)
{
	c->kernel->cfg = ptx_cfg_build(c->func);
}

static void find_linear(struct dcc *c)
{
	if (c->linear.steps)
		dcc_linear_free(&c->linear);
	dcc_linear_build(c, &c->linear);
}

static void find_preds(struct dcc *c)
{
	g_free(c->phys);
	c->phys = dcc_preds(c, &c->linear);
	if (c->kernel->pred_count > PREDS_MAX)
		dcc_refuse(c, NULL, "%u predicates at a time; at most %u", c->kernel->pred_count, PREDS_MAX);
}

static void find_homes(struct dcc *c)
{
	g_free(c->homes);
	c->kernel->spill_slots = 0;
	c->homes = dcc_homes(c, &c->linear, reg_limit(c), c->others_free);
}

static void make_words(struct dcc *c)
{
	dcc_schedule(c, &c->linear, c->phys, c->homes, reg_limit(c));
}

enum pass_id {
#define PASS(name, function, needs, makes, stale, is) PASS_##name,
#include "dc/compile/passes.def"
#undef PASS
	PASS_COUNT
};

static const struct pass {
	const char *name;
	void (*run)(struct dcc *c);
	uint32_t needs, makes, stale, is;
} passes[] = {
#define PASS(name, function, needs, makes, stale, is) {#name, function, needs, makes, stale, is},
#include "dc/compile/passes.def"
#undef PASS
};

uint32_t dc_pass_count(void)
{
	return PASS_COUNT;
}

const char *dc_pass_name(uint32_t index)
{
	return passes[index].name;
}

bool dc_pass_is_shown(uint32_t index)
{
	return !(passes[index].makes & (DCC_LINEAR | DCC_PREDS | DCC_HOMES));
}

static void found_wrong(const struct dcc *c, const struct pass *p, const char *what)
{
	g_autofree char *text = NULL;

	if (c->o->watch && c->o->watch->wrong) {
		c->o->watch->wrong(c->o->watch->self, p->name, what);
		return;
	}
	text = g_strdup_printf("kernel %s: a mistake of the compiler's pass %s: %s", c->entry->name, p->name, what);
	base_bug_at(__FILE__, __LINE__, text);
}

/* What the pass has made of the function before. */
static void audit(const struct dcc *c, const struct pass *p, const struct ptx_func *before, uint32_t was,
		  const struct ptx_inst *copy)
{
	const bool is_another = c->func->insts != before->insts;
	g_autofree char *wrong = NULL;

	if (!is_another && memcmp(copy, before->insts, before->inst_count * sizeof(*copy)))
		wrong = g_strdup("it writes into the function, of which other passes know something");
	else if (is_another)
		wrong = dc_validate_func(c->func, c->is, before, was,
					 p - passes == PASS_split || p - passes == PASS_unroll);
	else if (p->makes & DCC_WORDS)
		wrong = dc_validate(c->kernel);
	if (wrong)
		found_wrong(c, p, wrong);
}

/* A pass whose needs are not met reads what is of another function, and one that makes another function leaves what is
 * known of the old one stale: both end the process, whatever the kernel. True: it has made another function. */
static bool run(struct dcc *c, enum pass_id id)
{
	const struct pass *p = &passes[id];
	const struct ptx_func before = *c->func;
	g_autofree struct ptx_inst *copy =
	    c->o->audit ? g_memdup2(before.insts, before.inst_count * sizeof(*before.insts)) : NULL;
	const uint32_t was = c->is;
	bool is_another;

	if (p->needs & ~c->known)
		found_wrong(c, p, "it needs what is not known, or is of a function before");
	p->run(c);
	is_another = c->func->insts != before.insts;
	if (is_another && p->stale != DCC_ALL)
		found_wrong(c, p, "it makes another function, and does not say that all is stale");
	c->known &= is_another ? ~p->stale : UINT32_MAX;
	c->known |= p->makes;
	c->is |= p->is;
	if (c->failed)
		return is_another;
	if (copy)
		audit(c, p, &before, was, copy);
	if (c->o->watch && c->o->watch->after)
		c->o->watch->after(c->o->watch->self, p->name, c->kernel);
	return is_another;
}

/* ---- their order ---- */

/* A copy of the entry function that may be rewritten, with a return at its end. */
static void begin(struct dcc *c)
{
	struct ptx_func *f = ptx_arena_copy(c->arena, c->entry, sizeof(*f));
	struct ptx_inst *insts = ptx_arena_array(c->arena, c->entry->inst_count + 1u, sizeof(*insts));

	memcpy(insts, c->entry->insts, c->entry->inst_count * sizeof(*insts));
	insts[c->entry->inst_count] = (struct ptx_inst){.op = PTX_OP_RET, .line = c->entry->line, .text = "ret;"};
	f->insts = insts;
	f->inst_count = c->entry->inst_count + 1;
	f->regs = ptx_arena_array(c->arena, c->entry->reg_count + 64u, sizeof(*f->regs));
	memcpy(f->regs, c->entry->regs, c->entry->reg_count * sizeof(*f->regs));
	c->reg_cap = c->entry->reg_count + 64;
	c->func = f;
	c->kernel->func = f;
	c->kernel->source = c->entry;
	c->kernel->name = c->entry->name;
	c->kernel->param_bytes = c->entry->param_bytes;
	c->kernel->array_count = c->o->array_count;
	c->kernel->has_table_roots = c->o->table_roots;
	c->kernel->splits_fma = c->o->split_fma;
}

static void note_kinds(struct dcc *c)
{
	for (uint32_t n = 0; n < c->func->inst_count; n++) {
		c->kernel->has_barrier |= ptx_inst_is_barrier(&c->func->insts[n]);
		c->kernel->has_warp_ops |= ptx_inst_is_warp_wide(&c->func->insts[n]);
	}
	c->kernel->counts.insts = c->func->inst_count;
}

/* The words' expected time, of loops eight rounds. */
static uint64_t weigh(const struct dc_kernel *k)
{
	uint64_t sum = 0;

	for (uint32_t n = 0; n < k->word_count; n++) {
		uint64_t cycles = dcc_word_cycles(&k->words[n]);
		uint32_t depth = 0;

		for (uint32_t l = k->cfg->blocks[k->words[n].block].loop; l != UINT32_MAX && depth < 4;
		     l = k->cfg->loops[l].parent, depth++)
			cycles *= 8;
		sum += cycles;
	}
	return sum;
}

/* Registers that blocks may keep for themselves in each array but the first. The first of these numbers says which
 * values find no home. */
static const uint32_t others_free[] = {2, 1, 3, 5};

/* The kernel, and what is known of it, for when a try has led nowhere. */
struct snapshot {
	struct dc_kernel kernel;
	struct ptx_func func;
	uint32_t known;
};

static struct snapshot snapshot_of(const struct dcc *c)
{
	return (struct snapshot){*c->kernel, *c->func, c->known};
}

static void go_back(struct dcc *c, const struct snapshot *to)
{
	*c->kernel = to->kernel;
	*c->func = to->func;
	c->known = to->known;
}

/* Registers that blocks keep for themselves and those of values that live across blocks compete: the words of several
 * divisions are made, and those that are expected to take the least time are the kernel's. That time; UINT64_MAX: all
 * of them got stuck. */
static uint64_t place_and_schedule(struct dcc *c)
{
	const struct snapshot before = snapshot_of(c);
	struct snapshot best = before;
	uint64_t least = UINT64_MAX;

	for (uint32_t n = 0; n < (c->o->schedule ? G_N_ELEMENTS(others_free) : 1); n++) {
		uint64_t cost;

		go_back(c, &before);
		c->failed = false;
		c->others_free = others_free[n];
		run(c, PASS_homes);
		run(c, PASS_schedule);
		cost = c->failed ? UINT64_MAX : weigh(c->kernel);
		if (cost < least) {
			least = cost;
			best = snapshot_of(c);
		}
	}
	go_back(c, &best);
	c->failed = false;
	return least;
}

/* Blocks in linear order, and rows of predicates; false: refused. */
static bool make_linear(struct dcc *c)
{
	run(c, PASS_graph);
	run(c, PASS_linear);
	if (!c->failed)
		run(c, PASS_preds);
	return !c->failed;
}

/* What has no home although blocks keep few registers for themselves. */
static bool compute_again(struct dcc *c)
{
	bool changed;

	c->others_free = others_free[0];
	run(c, PASS_homes);
	changed = run(c, PASS_remat);
	c->kernel->spill_slots = 0;
	if (changed)
		run(c, PASS_clean);
	return changed;
}

/* Conversions of floats as operations of their own, if the words are expected to take less time with them. start: the
 * kernel before it had words. The time of the words that it has then. */
static uint64_t convert_if_shorter(struct dcc *c, const struct snapshot *start, uint64_t cycles)
{
	const struct snapshot without = snapshot_of(c);
	uint64_t with = UINT64_MAX;

	go_back(c, start);
	if (run(c, PASS_convert)) {
		run(c, PASS_hosts);
		dcc_keep_count(c);
		CHECK(make_linear(c)); /* no block or predicate is there that was not before */
		with = place_and_schedule(c);
	}
	if (with < cycles) {
		ptx_cfg_free(without.kernel.cfg);
		return with;
	}
	if (c->kernel->cfg != without.kernel.cfg)
		ptx_cfg_free(c->kernel->cfg);
	go_back(c, &without);
	return cycles;
}

static void back_end(struct dcc *c)
{
	enum { ROUNDS_MAX = 4 };
	const bool again = c->o->isolate && c->o->schedule;

	for (uint32_t round = 0;; round++) {
		run(c, PASS_hosts);
		run(c, PASS_keep);
		ptx_cfg_free(c->kernel->cfg);
		if (!make_linear(c) || !again || round == ROUNDS_MAX || !compute_again(c))
			break;
	}
	if (!c->failed) {
		const struct snapshot start = snapshot_of(c);
		const uint64_t cycles = place_and_schedule(c), least = convert_if_shorter(c, &start, cycles);

		if (least == UINT64_MAX)
			dcc_refuse(c, c->stuck_at, "%s", c->stuck);
		c->kernel->counts.weight = least;
	}
	for (uint32_t a = 0; a < DC_ARRAYS; a++)
		c->kernel->reg_rows[a] = DC_REG_ROWS * c->kernel->reg_count[a];
}

/* Copies that webs make visible are found by another round. */
static void clean(struct dcc *c)
{
	run(c, PASS_clean);
	run(c, PASS_webs);
	run(c, PASS_clean);
}

/* Loop by loop; true: there was one. */
static bool unroll(struct dcc *c)
{
	bool any = false;

	while (run(c, PASS_unroll)) {
		run(c, PASS_clean);
		any = true;
	}
	return any;
}

static bool find_addresses(struct dcc *c)
{
	run(c, PASS_hosts);
	return run(c, PASS_addresses);
}

static void front_end(struct dcc *c)
{
	const struct dc_options *o = c->o;

	run(c, PASS_inline);
	if (!c->failed)
		run(c, PASS_lower);
	if (c->failed)
		return;
	run(c, PASS_split);
	if (o->isolate)
		clean(c);
	if (o->unroll && unroll(c) && o->isolate)
		clean(c);
	if (o->balance)
		run(c, PASS_balance);
	if (o->base_offset && o->isolate && find_addresses(c))
		clean(c);
	note_kinds(c);
}

static struct dc_kernel *compile(const struct ptx_func *entry, const struct dc_options *o, struct base_diag_list *diag)
{
	struct dcc c = {.entry = entry, .o = o, .diag = diag, .carry_reg = UINT32_MAX};

	CHECK(entry->has_body && entry->is_entry && (o->array_count == 1 || o->array_count == DC_ARRAYS));
	c.kernel = g_new0(struct dc_kernel, 1);
	c.arena = g_new0(struct ptx_arena, 1);
	c.kernel->owned = c.arena;
	if (entry->unsupported) {
		base_diag_error(diag, (struct base_place){entry->module->name, entry->unsupported_line, 1},
				"kernel %s cannot run in the cache: %s", entry->name, entry->unsupported);
		c.failed = true;
	}
	if (!c.failed) {
		begin(&c);
		front_end(&c);
	}
	if (!c.failed)
		back_end(&c);
	if (c.linear.steps)
		dcc_linear_free(&c.linear);
	g_free(c.phys);
	g_free(c.homes);
	g_free(c.depends);
	if (c.failed) {
		dc_kernel_free(c.kernel);
		return NULL;
	}
	return c.kernel;
}

/* Addresses in two parts need fewer registers, or more: those words are the kernel's that promise to be faster. */
static struct dc_kernel *compile_either_way(const struct ptx_func *entry, const struct dc_options *o,
					    struct base_diag_list *diag)
{
	struct dc_kernel *parts = compile(entry, o, diag), *whole;
	struct dc_options flat = *o;
	struct base_diag_list unused; /* there is a kernel, whatever is said of this one */

	if (!parts)
		return NULL;
	flat.base_offset = false;
	base_diag_init(&unused);
	whole = compile(entry, &flat, &unused);
	base_diag_free(&unused);
	if (whole && whole->counts.weight < parts->counts.weight) {
		dc_kernel_free(parts);
		return whole;
	}
	dc_kernel_free(whole);
	return parts;
}

struct dc_kernel *dc_compile(const struct ptx_func *entry, const struct dc_options *o, struct base_diag_list *diag)
{
	return o->base_offset && o->isolate && o->prices.lanes ? compile_either_way(entry, o, diag)
							       : compile(entry, o, diag);
}

void dc_kernel_free(struct dc_kernel *k)
{
	if (!k)
		return;
	ptx_cfg_free(k->cfg);
	ptx_arena_free(k->owned);
	g_free(k->owned);
	g_free(k);
}
