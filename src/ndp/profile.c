/* profile.c - looks on while kernels run without timing. */
#include "ndp/profile.h"

#include "base/check.h"
#include "gpu/coalesce.h"
#include "ndp/nsu/blocks.h"
#include "ndp/blocks/candidates.h"

#include <glib.h>
#include <string.h>

enum { WARPS = 4096 /* whose state is known, by a hash */, WORD_BYTES = 4 };
#define NO_LINE UINT64_MAX
#define NO_STACK UINT32_MAX

/* LRU: the ways of a set in the order of use. */
struct cache {
	uint64_t *lines;
	uint32_t set_count, way_count;
	bool is_perfect;
};

/* Blocks of one mechanism in the running program. */
struct blocks {
	uint16_t *of_pc; /* number + 1; 0: in none */
	uint32_t *begin_pc;
	uint32_t *in_words, *out_words;
	uint32_t count;
};

/* Where a warp is in a mechanism's blocks. */
struct inside {
	uint32_t block; /* number + 1 */
	uint32_t stack; /* of its entry's first line */
};

struct warp_state {
	const struct simt_warp *warp;
	const struct simt_cta *cta;
	uint64_t count; /* instructions of the warp when it was seen last: smaller is another warp */
	struct inside tom, nsu;
	uint32_t stack; /* of the warp's first line */
};

struct ndp_profile {
	struct gpu *gpu;
	const struct gpu_config *config;
	GPtrArray *kernels;
	struct ndp_profile_kernel *kernel;
	const struct simt_program *program;
	struct cache *l1, l2; /* l1 by SM */
	struct blocks tom, nsu;
	struct warp_state warps[WARPS];
	struct ndp_lockstep *lockstep;
};

/* ---- caches ---- */

static void cache_size(struct cache *c, const struct cache_params *p, uint64_t bytes)
{
	const uint32_t ways = (uint32_t)p->way_count;
	const uint64_t lines = MAX(bytes / COALESCE_LINE_BYTES, ways);

	g_free(c->lines);
	c->is_perfect = p->is_perfect;
	c->way_count = ways;
	c->set_count = (uint32_t)(lines / ways);
	c->lines = g_new(uint64_t, (uint64_t)c->set_count * ways);
	for (uint64_t i = 0; i < (uint64_t)c->set_count * ways; i++)
		c->lines[i] = NO_LINE;
}

/* True: it was there. Without allocate a miss leaves the cache as it is. */
static bool cache_touch(struct cache *c, uint64_t line, bool allocate)
{
	if (c->is_perfect)
		return true;

	uint64_t *set = &c->lines[(line ^ line / c->set_count) % c->set_count * c->way_count];
	uint32_t i = 0;

	while (i < c->way_count && set[i] != line)
		i++;
	if (i == c->way_count && !allocate)
		return false;

	const bool is_hit = i < c->way_count;

	memmove(set + 1, set, (is_hit ? i : c->way_count - 1) * sizeof(set[0]));
	set[0] = line;
	return is_hit;
}

/* ---- blocks ---- */

static void blocks_free(struct blocks *b)
{
	g_free(b->of_pc);
	g_free(b->begin_pc);
	g_free(b->in_words);
	g_free(b->out_words);
}

static void blocks_clear(struct blocks *b, uint32_t inst_count, uint32_t count)
{
	blocks_free(b);
	*b = (struct blocks){.of_pc = g_new0(uint16_t, inst_count),
			     .begin_pc = g_new0(uint32_t, count + 1),
			     .in_words = g_new0(uint32_t, count + 1),
			     .out_words = g_new0(uint32_t, count + 1)};
}

static void blocks_add(struct blocks *b, uint32_t begin_pc, uint32_t last_pc, uint32_t in_words, uint32_t out_words)
{
	const uint32_t i = b->count++;

	b->begin_pc[i] = begin_pc;
	b->in_words[i] = in_words;
	b->out_words[i] = out_words;
	for (uint32_t pc = begin_pc; pc <= last_pc; pc++)
		b->of_pc[pc] = (uint16_t)(i + 1);
}

static void find_blocks(struct ndp_profile *p, const struct simt_launch *l, struct simt_program *program)
{
	struct ndp_candidate_set *tom = ndp_candidates_find(program->entry_cfg, &ndp_cost_default);
	const struct nsu_blocks *nsu = nsu_blocks_of(program, l, &p->config->nsu);
	const struct nsu_code *code = nsu->program->code;

	blocks_clear(&p->tom, program->inst_count, tom->count);
	for (uint32_t i = 0; i < tom->count; i++)
		blocks_add(&p->tom, tom->items[i].begin, tom->items[i].last,
			   (uint32_t)tom->items[i].reg_tx_words, (uint32_t)tom->items[i].reg_rx_words);
	ndp_candidates_free(tom);
	blocks_clear(&p->nsu, program->inst_count, code->block_count);
	for (uint32_t i = 0; i < code->block_count; i++)
		blocks_add(&p->nsu, code->blocks[i].begin_pc, code->blocks[i].last_pc, code->blocks[i].send_words,
			   code->blocks[i].return_words);
}

/* ---- kernels ---- */

static uint64_t product(const uint32_t n[3])
{
	return (uint64_t)n[0] * n[1] * n[2];
}

static struct ndp_profile_kernel *kernel_of(struct ndp_profile *p, const char *name)
{
	struct ndp_profile_kernel *k;

	for (guint i = 0; i < p->kernels->len; i++) {
		k = p->kernels->pdata[i];
		if (!strcmp(k->name, name))
			return k;
	}
	k = g_new0(struct ndp_profile_kernel, 1);
	k->name = g_strdup(name);
	g_ptr_array_add(p->kernels, k);
	return k;
}

/* CTAs that fit an SM, by threads, slots, registers and shared memory. */
static uint64_t resident_ctas(const struct ndp_profile *p, uint64_t threads, uint64_t registers, uint64_t shared)
{
	const struct sm_params *sm = &p->config->sm;
	const uint64_t warps = (threads + SIMT_LANES - 1) / SIMT_LANES;
	uint64_t count = MIN(sm->cta_slot_count, sm->warp_slot_count / MAX(warps, 1));

	count = MIN(count, sm->register_count / MAX(registers, 1));
	if (shared)
		count = MIN(count, sm->shared_bytes / shared);
	return MAX(count, 1);
}

static void begin(void *self, struct simt_launch *l, struct simt_program *program)
{
	struct ndp_profile *p = self;
	const uint64_t threads = product(l->block), ctas = product(l->grid);
	const uint64_t registers = threads * program->slot_count;
	const uint64_t shared = program->shared_static_bytes + l->shared_dynamic_bytes;
	const uint64_t warps = (threads + SIMT_LANES - 1) / SIMT_LANES;
	uint64_t resident;

	p->kernel = kernel_of(p, program->name);
	p->program = program;
	find_blocks(p, l, program);
	ndp_lockstep_begin(p->lockstep, l, program, &p->kernel->arrays);
	resident = resident_ctas(p, threads, registers, shared);
	p->kernel->launches++;
	p->kernel->ctas += ctas;
	p->kernel->warps += ctas * warps;
	p->kernel->resident_warps = resident * warps;
	p->kernel->context_bytes += ctas * (registers * WORD_BYTES + shared);
	for (uint32_t i = 0; i < p->config->gpu.sm_count; i++)
		cache_size(&p->l1[i], &p->config->l1d, p->config->l1d.size_bytes / resident);
	memset(p->warps, 0, sizeof(p->warps));
}

/* ---- steps ---- */

static struct warp_state *state_of(struct ndp_profile *p, const struct simt_warp *w)
{
	struct warp_state *s = &p->warps[((uintptr_t)w * 0x9e3779b97f4a7c15u) >> 52];

	if (s->warp != w || s->cta != w->cta || w->instruction_count <= s->count)
		*s = (struct warp_state){.warp = w, .cta = w->cta, .stack = NO_STACK};
	s->count = w->instruction_count;
	return s;
}

/* The warp is at pc: in a block of the mechanism? It enters where it was in another one, or in none. */
static struct ndp_profile_block *enter(const struct blocks *b, struct inside *in, struct ndp_profile_block *sum,
				       const struct simt_step *step)
{
	const uint32_t block = b->of_pc[step->pc], lanes = simt_lane_count(step->exec_mask);

	if (block != in->block) {
		in->block = 0;
		in->stack = NO_STACK;
		if (block && step->pc == b->begin_pc[block - 1]) {
			in->block = block;
			sum->entries++;
			sum->in_bytes += (uint64_t)b->in_words[block - 1] * WORD_BYTES * lanes;
			sum->out_bytes += (uint64_t)b->out_words[block - 1] * WORD_BYTES * lanes;
		}
	}
	if (!in->block)
		return NULL;
	sum->warp_instructions++;
	return sum;
}

static bool is_near(uint32_t *stack, uint32_t own)
{
	if (*stack == NO_STACK)
		*stack = own;
	return *stack == own;
}

static void count_line(struct ndp_profile *p, const struct simt_step *step, uint32_t sm,
		       const struct coalesced_line *line, struct warp_state *s, struct ndp_profile_block *const sums[2])
{
	const bool is_store = step->inst->flags & SIMT_STORE, is_load = step->inst->flags & SIMT_LOAD;
	const uint64_t number = line->addr_bytes / COALESCE_LINE_BYTES;
	const uint32_t stack = gpu_stack_of(p->gpu, sm, line->addr_bytes);
	const uint32_t bytes = WORD_BYTES * (uint32_t)__builtin_popcount(line->word_mask);
	struct inside *const in[2] = {&s->tom, &s->nsu};
	const bool l1_hit = cache_touch(&p->l1[sm], number, !is_store);
	const bool l2_hit = !l1_hit && cache_touch(&p->l2, number, !is_store);

	p->kernel->near_lines += is_near(&s->stack, stack);
	p->kernel->load_lines += is_load;
	p->kernel->l1_hits += is_load && l1_hit;
	p->kernel->l2_hits += is_load && l2_hit;
	p->kernel->store_lines += is_store;
	p->kernel->store_bytes += is_store ? bytes : 0;
	for (uint32_t i = 0; i < 2; i++) {
		if (!sums[i])
			continue;
		sums[i]->near_lines += is_near(&in[i]->stack, stack);
		sums[i]->load_lines += is_load;
		sums[i]->l1_hits += is_load && l1_hit;
		sums[i]->l2_hits += is_load && l2_hit;
		sums[i]->store_lines += is_store;
		sums[i]->store_bytes += is_store ? bytes : 0;
	}
}

static void count_access(struct ndp_profile *p, const struct simt_warp *w, const struct simt_step *step,
			 struct warp_state *s, struct ndp_profile_block *const sums[2])
{
	const uint32_t width = step->inst->vec ? step->inst->vec : 1;
	struct coalesced_line lines[COALESCE_LINES_MAX];
	uint32_t count;

	if (step->space == SIMT_MEM_SHARED) {
		p->kernel->shared_accesses++;
		return;
	}
	if (!step->access_mask || (step->space != SIMT_MEM_GLOBAL && step->space != SIMT_MEM_LOCAL))
		return;
	p->kernel->accesses++;
	for (uint32_t i = 0; i < 2; i++)
		if (sums[i])
			sums[i]->accesses++;
	count = coalesce_lines(step->addr, step->access_mask, step->inst->access_bytes * width, lines);
	for (uint32_t i = 0; i < count; i++)
		count_line(p, step, w->smid % (uint32_t)p->config->gpu.sm_count, &lines[i], s, sums);
}

static void step(void *self, const struct simt_warp *w, const struct simt_step *step)
{
	struct ndp_profile *p = self;
	struct warp_state *s = state_of(p, w);
	struct ndp_profile_block *const sums[2] = {enter(&p->tom, &s->tom, &p->kernel->tom, step),
						   enter(&p->nsu, &s->nsu, &p->kernel->nsu, step)};

	p->kernel->warp_instructions++;
	p->kernel->thread_instructions += simt_lane_count(step->exec_mask);
	p->kernel->barriers += (step->inst->flags & SIMT_BARRIER) != 0;
	if (step->inst->unit == SIMT_UNIT_LDST)
		count_access(p, w, step, s, sums);
	ndp_lockstep_step(p->lockstep, w, step);
}

/* ---- made and freed ---- */

struct gpu_observer ndp_profile_observer(struct ndp_profile *p)
{
	return (struct gpu_observer){.begin = begin, .step = step, .self = p};
}

const struct ndp_profile_kernel *ndp_profile_kernel(const struct ndp_profile *p, uint32_t i)
{
	return i < p->kernels->len ? p->kernels->pdata[i] : NULL;
}

struct ndp_profile *ndp_profile_new(struct gpu *gpu, const struct gpu_config *config)
{
	struct ndp_profile *p = g_new0(struct ndp_profile, 1);

	p->gpu = gpu;
	p->config = config;
	p->kernels = g_ptr_array_new();
	p->lockstep = ndp_lockstep_new();
	p->l1 = g_new0(struct cache, config->gpu.sm_count);
	cache_size(&p->l2, &config->l2, config->l2.size_bytes);
	return p;
}

void ndp_profile_free(struct ndp_profile *p)
{
	if (!p)
		return;
	for (guint i = 0; i < p->kernels->len; i++) {
		struct ndp_profile_kernel *k = p->kernels->pdata[i];

		g_free(k->name);
		g_free(k);
	}
	g_ptr_array_free(p->kernels, TRUE);
	for (uint32_t i = 0; i < p->config->gpu.sm_count; i++)
		g_free(p->l1[i].lines);
	g_free(p->l1);
	g_free(p->l2.lines);
	blocks_free(&p->tom);
	blocks_free(&p->nsu);
	ndp_lockstep_free(p->lockstep);
	g_free(p);
}
