/* lockstep.c - counts a launch as control blocks of a cache would execute it. */
#include "ndp/lockstep.h"

#include "dc/ops.h"
#include "gpu/coalesce.h"

#include <glib.h>
#include <string.h>

enum {
	REGION_BYTES = 65536,
	REGION_LINES = REGION_BYTES / NDP_LOCKSTEP_LINE_BYTES,
	ADDRESS_ROWS = 64, /* word-lines of an address */
	WORDS_PER_LINE = NDP_LOCKSTEP_LINE_BYTES / 4,
	CORDIC_ITERATIONS = 26, /* duality.cordic_iterations_count, unless it is set */
};

/* Memory whose lines are known by the launch that touched them last; 0: none has. */
struct region {
	uint32_t launch[REGION_LINES];
};

/* A running CTA: how often each warp, and the one that was there most often, was at each pc. */
struct cta {
	uint32_t *of_warps, *most;
};

struct ndp_lockstep {
	GHashTable *regions, *ctas; /* by number; by struct simt_cta */
	const struct simt_cta *last_cta;
	struct cta *cta; /* of last_cta */
	struct ndp_lockstep_counts *counts;
	uint32_t *cycles; /* by pc */
	uint32_t pc_count, warp_count, bank_count, launch;
};

static void cta_free(void *p)
{
	struct cta *c = p;

	g_free(c->of_warps);
	g_free(c->most);
	g_free(c);
}

struct ndp_lockstep *ndp_lockstep_new(void)
{
	struct ndp_lockstep *s = g_new0(struct ndp_lockstep, 1);

	s->regions = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
	s->ctas = g_hash_table_new_full(NULL, NULL, NULL, cta_free);
	return s;
}

void ndp_lockstep_free(struct ndp_lockstep *s)
{
	if (!s)
		return;
	g_hash_table_destroy(s->regions);
	g_hash_table_destroy(s->ctas);
	g_free(s->cycles);
	g_free(s);
}

/* ---- a launch ---- */

/* What no array does by itself takes no cycle there: accesses are counted apart. */
static uint32_t cycles_of(const struct simt_inst *inst)
{
	const struct dc_arith arith = {.cordic_iterations = CORDIC_ITERATIONS};
	struct dc_use use;
	const char *why;

	return inst->ptx && dc_use_of(inst->ptx, false, &use, &why) ? (uint32_t)dc_usual_cycles(&use, &arith) : 0;
}

void ndp_lockstep_begin(struct ndp_lockstep *s, const struct simt_launch *l, const struct simt_program *program,
			struct ndp_lockstep_counts *counts)
{
	const uint32_t threads = l->block[0] * l->block[1] * l->block[2];

	g_hash_table_remove_all(s->ctas);
	s->last_cta = NULL;
	s->cta = NULL;
	s->counts = counts;
	s->pc_count = program->inst_count;
	s->warp_count = (threads + SIMT_LANES - 1) / SIMT_LANES;
	s->bank_count = (threads + NDP_LOCKSTEP_BANK_LANES - 1) / NDP_LOCKSTEP_BANK_LANES;
	s->launch++;
	g_free(s->cycles);
	s->cycles = g_new(uint32_t, s->pc_count);
	for (uint32_t pc = 0; pc < s->pc_count; pc++)
		s->cycles[pc] = cycles_of(&program->insts[pc]);
	counts->banks += (uint64_t)l->grid[0] * l->grid[1] * l->grid[2] * s->bank_count;
}

/* ---- steps ---- */

static struct cta *cta_of(struct ndp_lockstep *s, const struct simt_warp *w)
{
	const size_t count = (size_t)s->pc_count * s->warp_count;

	if (!s->cta || w->cta != s->last_cta) {
		s->last_cta = w->cta;
		s->cta = g_hash_table_lookup(s->ctas, w->cta);
		if (!s->cta) {
			s->cta = g_new(struct cta, 1);
			*s->cta = (struct cta){g_new0(uint32_t, count), g_new0(uint32_t, s->pc_count)};
			g_hash_table_insert(s->ctas, (void *)w->cta, s->cta);
		}
	}
	if (w->index_in_cta == 0 && w->instruction_count == 1) { /* another one has its place */
		memset(s->cta->of_warps, 0, count * sizeof(uint32_t));
		memset(s->cta->most, 0, s->pc_count * sizeof(uint32_t));
	}
	return s->cta;
}

static void touch(struct ndp_lockstep *s, uint64_t line)
{
	const uint64_t number = line / REGION_LINES;
	struct region *r = g_hash_table_lookup(s->regions, &number);
	uint32_t *launch;

	if (!r) {
		r = g_new0(struct region, 1);
		g_hash_table_insert(s->regions, g_memdup2(&number, sizeof(number)), r);
	}
	launch = &r->launch[line % REGION_LINES];
	s->counts->footprint_lines += *launch != s->launch;
	s->counts->new_lines += *launch == 0;
	*launch = s->launch;
}

static void count_lines(struct ndp_lockstep *s, const struct simt_step *step, uint32_t mask, uint32_t bytes,
			bool is_shared)
{
	struct coalesced_line lines[COALESCE_LINES_MAX];
	const uint32_t count = coalesce_lines(step->addr, mask, bytes, lines);

	for (uint32_t i = 0; i < count; i++)
		for (uint32_t part = 0; part < COALESCE_LINE_BYTES / NDP_LOCKSTEP_LINE_BYTES; part++) {
			if (!(lines[i].word_mask >> part * WORDS_PER_LINE & ((1u << WORDS_PER_LINE) - 1)))
				continue;
			s->counts->lines++;
			if (!is_shared)
				touch(s, lines[i].addr_bytes / NDP_LOCKSTEP_LINE_BYTES + part);
		}
}

static bool is_of_memory(const struct simt_step *step)
{
	return step->inst->unit == SIMT_UNIT_LDST && (step->access_mask | step->shared_mask) &&
	       (step->space == SIMT_MEM_GLOBAL || step->space == SIMT_MEM_LOCAL || step->space == SIMT_MEM_SHARED);
}

void ndp_lockstep_step(struct ndp_lockstep *s, const struct simt_warp *w, const struct simt_step *step)
{
	struct cta *c = cta_of(s, w);
	const uint32_t vec = MAX(step->inst->vec, 1), bytes = step->inst->access_bytes * vec;
	const bool is_access = is_of_memory(step);
	const bool is_store = step->inst->flags & SIMT_STORE, is_load = step->inst->flags & SIMT_LOAD;

	if (++c->of_warps[(size_t)w->index_in_cta * s->pc_count + step->pc] > c->most[step->pc]) {
		c->most[step->pc]++;
		s->counts->cycles += s->cycles[step->pc];
		if (is_access) {
			s->counts->accesses++;
			s->counts->out_rows += s->bank_count * (ADDRESS_ROWS + (is_store ? 8 * bytes : 0));
			s->counts->in_rows += s->bank_count * (is_load ? 8 * bytes : 0);
		}
	}
	if (is_access)
		count_lines(s, step, step->access_mask | step->shared_mask, bytes, step->space == SIMT_MEM_SHARED);
}
