/* homes.c - which stack a CTA's data lies in, and whether it begins there. */
#include "ndp/ctas/homes.h"

#include <glib.h>
#include <string.h>

#include "base/check.h"
#include "gpu/coalesce.h"
#include "ndp/blocks/blocks.h"
#include "simt/walk.h"

struct ctas_stats {
#include "sim/stat_fields.inc"
#include "ndp/ctas/ctas_stats.def"
#include "sim/stat_end.inc"
};

static const struct sim_stat_desc stat_rows[] = {
#define STAT_STRUCT struct ctas_stats
#include "sim/stat_rows.inc"
#include "ndp/ctas/ctas_stats.def"
#include "sim/stat_end.inc"
};
const struct sim_stat_table ctas_stat_table = {"ctas", stat_rows, ARRAY_COUNT(stat_rows)};

enum {
	SEEN_COUNT = 4096, /* lines of a look that are told apart */
	TRIED_COUNT = 16,  /* CTAs that are looked at before a launch is offered */
	NO_HOME = UINT32_MAX,
};

/* What is known of a CTA. */
struct look {
	uint64_t index; /* of the CTA */
	uint32_t home;	/* or NO_HOME */
	bool is_known;	/* some line is */
};

struct ctas_homes {
	const struct gpu_config *config;
	const struct ctas_params *params;
	struct gpu *gpu;
	struct simt_launch *launch;
	struct ndp_cta_notes *ctas; /* of the running launch's program, if its CTAs are offered */
	uint64_t total;	       /* CTAs of the grid */
	uint32_t places_here, places_away; /* for its CTAs: on the GPU, in a stack */
	bool may_wait;
	uint64_t free_cycle;	      /* when the scheduler's processor has done what it has to do */
	struct look last;
	uint64_t done_cycle;  /* of that look */
	uint64_t *why;	      /* the CTA of that look has been counted as refused */
	struct gpu_cta_times begun[2]; /* when the launch began: of CTAs of the GPU, of stacks */
	uint64_t seen[SEEN_COUNT]; /* line + 1, by hash */
	uint32_t *lines;	   /* [stack]: of the look */
	uint32_t line_count;
	struct ctas_stats stats;
};

struct ctas_homes *ctas_homes_new(const struct ndp_site *site, struct base_diag_list *diag)
{
	const struct gpu_config *config = site->gpu;
	struct ctas_homes *h;

	if (site->ndp->ctas.ctas == NDP_CTAS_NONE)
		return NULL;
	if (config->gpu.stack_sm_shared_stays) {
		base_diag_error(diag, (struct base_place){0},
				"gpu.stack_sm_shared_stays = true: CTAs that begin in stacks (ndp.ctas) have no SM of "
				"the GPU whose shared memory they could use; set it to false");
		return NULL;
	}
	h = g_new0(struct ctas_homes, 1);
	h->config = config;
	h->params = &site->ndp->ctas;
	h->lines = g_new0(uint32_t, config->gpu.stack_count);
	return h;
}

void ctas_homes_free(struct ctas_homes *h)
{
	if (!h)
		return;
	g_free(h->lines);
	g_free(h);
}

void ctas_homes_add_stats(struct ctas_homes *h, struct sim_stats *stats)
{
	sim_stats_add_table(stats, &ctas_stat_table, &h->stats, sizeof(h->stats));
	sim_stats_law(stats, "ctas.launched_in_stack = gpu.cta_starts");
	sim_stats_law(stats, "ctas.offered = ctas.launched_in_stack + ctas.refused_unknown + ctas.refused_homeless + "
			     "ctas.refused_full + ctas.refused_share + ctas.given_back");
}

bool ctas_homes_is_on(const struct ctas_homes *h)
{
	return h && h->ctas;
}

/* ---- a look at a CTA ---- */

/* True: the line is new. Where the table is full of others, it is taken for one. */
static bool is_new(struct ctas_homes *h, uint64_t line)
{
	const uint64_t key = line + 1;
	uint64_t at = (line / COALESCE_LINE_BYTES) * 0x9e3779b97f4a7c15u >> 52;

	for (uint32_t i = 0; i < 8; i++) {
		uint64_t *s = &h->seen[(at + i) % SEEN_COUNT];

		if (*s == key)
			return false;
		if (*s)
			continue;
		*s = key;
		return true;
	}
	return true;
}

static void shows(void *self, const uint64_t *addr, uint32_t mask, uint32_t bytes)
{
	struct ctas_homes *h = self;
	struct coalesced_line lines[COALESCE_LINES_MAX];
	const uint32_t count = coalesce_lines(addr, mask, bytes, lines);

	for (uint32_t i = 0; i < count; i++) {
		if (!is_new(h, lines[i].addr_bytes))
			continue;
		h->lines[gpu_stack_of(h->gpu, 0, lines[i].addr_bytes)]++;
		h->line_count++;
	}
}

static uint32_t home_of(const struct ctas_homes *h)
{
	uint32_t most = 0;

	for (uint32_t s = 1; s < h->config->gpu.stack_count; s++)
		if (h->lines[s] > h->lines[most])
			most = s;
	return h->lines[most] > h->params->cta_home_ratio * h->line_count ? most : NO_HOME;
}

/* The processor begins with it when it has done with the one before. Loads of different CTAs go on beside each other:
 * it waits for none. */
static void charge(struct ctas_homes *h, const struct simt_walked *w)
{
	const uint64_t now = gpu_now_cycles(h->gpu), begin = h->free_cycle > now ? h->free_cycle : now;

	h->free_cycle = begin + w->instructions;
	h->done_cycle = h->free_cycle + w->lookups * h->params->cta_lookup_cycles;
	h->stats.looked_instructions += w->instructions;
	h->stats.looked_lookups += w->lookups;
}

static void look_at(struct ctas_homes *h, struct simt_cta *cta, uint64_t index)
{
	const struct simt_walk_bounds bounds = {.instructions = h->params->cta_look_instruction_count,
						.accesses = h->params->cta_look_access_count,
						.shows = shows,
						.self = h};
	const uint32_t warps = simt_cta_warp_count(cta), wanted = (uint32_t)h->params->cta_look_warp_count;
	const uint32_t count = warps < wanted ? warps : wanted;
	struct simt_walked walked = {0};

	memset(h->seen, 0, sizeof(h->seen));
	memset(h->lines, 0, h->config->gpu.stack_count * sizeof(*h->lines));
	h->line_count = 0;
	for (uint32_t i = 0; i < count; i++)
		simt_walk_run(h->ctas->walk, h->launch, simt_cta_warp(cta, i * warps / count), &bounds, &walked);
	charge(h, &walked);
	h->last = (struct look){.index = index, .home = home_of(h), .is_known = h->line_count != 0};
	h->why = NULL;
}

/* ---- a launch ---- */

/* Have most of some CTAs, spread over the grid, a home? */
static bool has_homes(struct ctas_homes *h)
{
	const uint64_t count = h->total < TRIED_COUNT ? h->total : TRIED_COUNT;
	uint64_t homes = 0;

	for (uint64_t i = 0; i < count; i++) {
		const uint64_t index = i * h->total / count;
		struct simt_cta *cta = simt_cta_begin(h->launch, index, 0);

		look_at(h, cta, index);
		simt_cta_end(cta);
		homes += h->last.home != NO_HOME;
	}
	return 2 * homes > count;
}

static uint32_t places(const struct ctas_homes *h, uint32_t first, uint32_t count)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < count; i++)
		n += gpu_cta_room(h->gpu, first + i);
	return n;
}

static void launch_open(struct ctas_homes *h, struct gpu *g, struct simt_launch *l)
{
	h->gpu = g;
	h->launch = l;
	h->total = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
	h->places_here = places(h, 0, (uint32_t)h->config->gpu.sm_count);
	h->places_away = places(h, (uint32_t)h->config->gpu.sm_count, (uint32_t)h->config->gpu.stack_sm_count);
	/* One that waits for others must not keep them waiting. */
	h->may_wait = !l->is_cooperative && !simt_program_may_wait(l->program);
	h->free_cycle = 0;
	for (uint32_t i = 0; i < 2; i++)
		h->begun[i] = gpu_cta_times(g, i);
}

bool ctas_homes_kernel_begin(struct ctas_homes *h, struct gpu *g, struct simt_launch *l, struct ndp_cta_notes *ctas,
			     bool has_blocks)
{
	h->ctas = NULL;
	if (!ctas || !simt_walk_known_count(ctas->walk) || (has_blocks && h->params->ctas == NDP_CTAS_REST))
		return false;
	h->ctas = ctas;
	launch_open(h, g, l);
	if (!ctas->is_tried && h->params->ctas == NDP_CTAS_HOMES) {
		ctas->has_homes = has_homes(h);
		ctas->is_tried = true;
	}
	h->last.index = UINT64_MAX;
	if ((h->params->ctas == NDP_CTAS_HOMES && !ctas->has_homes) || !h->places_away) {
		h->stats.launches_without_home++;
		h->ctas = NULL;
		return false;
	}
	h->stats.launches++;
	return true;
}

/* Mean cycles of CTAs here and away. False: one side has ended none, in this launch and before. */
static bool known_times(const struct ctas_homes *h, double *here, double *away)
{
	double mean[2];

	*here = h->ctas->here_cycles;
	*away = h->ctas->away_cycles;
	for (uint32_t i = 0; i < 2; i++) {
		const struct gpu_cta_times t = gpu_cta_times(h->gpu, i);

		if (t.count == h->begun[i].count)
			return *here > 0;
		mean[i] = (double)(t.cycles - h->begun[i].cycles) / (double)(t.count - h->begun[i].count);
	}
	*here = mean[0];
	*away = mean[1];
	return true;
}

void ctas_homes_kernel_end(struct ctas_homes *h)
{
	double here, away;

	if (!h->ctas || !known_times(h, &here, &away))
		return;
	h->ctas->here_cycles = here;
	h->ctas->away_cycles = away;
}

/* ---- the next CTA ---- */

/* The SM of the stack with most room; CARRY_NO_SM: none has any. */
static uint32_t roomiest(const struct ctas_homes *h, uint32_t stack)
{
	const uint32_t each = (uint32_t)h->config->gpu.stack_sm_count;
	const uint32_t begin = (uint32_t)h->config->gpu.sm_count + stack * each;
	uint32_t most = CARRY_NO_SM, room = 0;

	for (uint32_t i = begin; i < begin + each; i++) {
		const uint32_t r = gpu_cta_room(h->gpu, i);

		if (r > room) {
			room = r;
			most = i;
		}
	}
	return most;
}

/* To run or to wait. */
static bool has_place(const struct ctas_homes *h, uint32_t stack)
{
	const uint32_t waiting = carry_ctas_waiting(h->gpu, stack);

	return (!waiting && roomiest(h, stack) != CARRY_NO_SM) || (h->may_wait && waiting < h->params->cta_wait_count);
}

static uint64_t ctas_of(const struct ctas_homes *h, uint32_t first, uint32_t count)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < count; i++)
		n += gpu_ctas_of(h->gpu, first + i);
	return n;
}

/* CTAs that a stack has, and that wait for it. */
static uint64_t ctas_away(const struct ctas_homes *h, uint32_t stack)
{
	const uint32_t each = (uint32_t)h->config->gpu.stack_sm_count;

	return ctas_of(h, (uint32_t)h->config->gpu.sm_count + stack * each, each) + carry_ctas_waiting(h->gpu, stack);
}

/* Until so many CTAs have ended, of which each takes so long and so many run at a time. */
static double drain_cycles(uint64_t ctas, uint32_t at_a_time, double each_cycles)
{
	return each_cycles * (ctas > at_a_time ? (double)ctas / at_a_time : 1);
}

/* How many CTAs a stack has before times are known: while the others fill the GPU, what its SMs have places for and as
 * many that wait, else as many as each SM of the machine would have. */
static uint64_t share(const struct ctas_homes *h, uint64_t left, uint64_t here)
{
	const uint64_t each = h->config->gpu.stack_sm_count;
	const uint64_t sms = h->config->gpu.sm_count + h->config->gpu.stack_count * each;
	const uint64_t fair = each * ((h->total + sms - 1) / sms);

	if (here + left > h->places_here)
		return h->may_wait ? 2 * h->places_away : h->places_away;
	return fair < h->places_away ? fair : h->places_away;
}

/* Would it end in the stack before those of the GPU have ended? */
static bool is_better_off(const struct ctas_homes *h, uint64_t index, uint32_t stack)
{
	const uint64_t left = h->total - index, here = ctas_of(h, 0, (uint32_t)h->config->gpu.sm_count);
	const uint64_t away = ctas_away(h, stack) + 1, now = gpu_now_cycles(h->gpu);
	const uint64_t behind = h->free_cycle > now ? h->free_cycle - now : 0;
	double here_cycles, away_cycles;

	if (!known_times(h, &here_cycles, &away_cycles))
		return away <= share(h, left, here);
	return (double)behind + drain_cycles(away, h->places_away, away_cycles) <=
	       drain_cycles(here + left, h->places_here, here_cycles);
}

/* Would any stack take the CTA if it were its home? Else it is not looked at. */
static bool is_taken_by_any(const struct ctas_homes *h, uint64_t index)
{
	for (uint32_t s = 0; s < h->config->gpu.stack_count; s++)
		if (has_place(h, s) && is_better_off(h, index, s))
			return true;
	return false;
}

/* Why it is refused: the count of that; NULL: it is not, and *out says where it begins. */
static uint64_t *refused(struct ctas_homes *h, uint64_t index, struct carry_start *out)
{
	if (!h->last.is_known)
		return &h->stats.refused_unknown;
	if (h->last.home == NO_HOME)
		return &h->stats.refused_homeless;
	out->stack = h->last.home;
	out->sm = carry_ctas_waiting(h->gpu, out->stack) ? CARRY_NO_SM : roomiest(h, out->stack);
	if (!has_place(h, out->stack))
		return &h->stats.refused_full;
	return is_better_off(h, index, out->stack) ? NULL : &h->stats.refused_share;
}

/* One that is refused may be offered again. Where it stays in the end, it has been refused for the last reason. */
bool ctas_homes_start(struct ctas_homes *h, struct gpu *g, struct simt_cta *cta, uint64_t index,
		      struct carry_start *out)
{
	const uint64_t now = gpu_now_cycles(g);
	uint64_t *why;

	if (h->last.index != index) {
		if (!is_taken_by_any(h, index))
			return false;
		look_at(h, cta, index);
		h->stats.offered++;
	}
	why = refused(h, index, out);
	if (h->why)
		--*h->why;
	h->why = why;
	if (why) {
		++*why;
		return false;
	}
	out->latency_cycles = (uint32_t)(h->done_cycle > now ? h->done_cycle - now : 0);
	out->message_bytes = (uint32_t)h->params->cta_message_bytes;
	sim_hist_add(&h->stats.latency_cycles, out->latency_cycles);
	h->stats.launched_in_stack++;
	return true;
}

/* Of the stack that will be busy for longest, if one of its CTAs would end here before it did there. */
uint32_t ctas_homes_back(struct ctas_homes *h, struct gpu *g)
{
	uint32_t most = UINT32_MAX;
	uint64_t ctas = 0;
	double here, away;

	for (uint32_t s = 0; s < h->config->gpu.stack_count; s++) {
		const uint64_t n = carry_ctas_waiting(g, s) ? ctas_away(h, s) : 0;

		if (n > ctas) {
			ctas = n;
			most = s;
		}
	}
	if (most == UINT32_MAX ||
	    (known_times(h, &here, &away) && drain_cycles(ctas, h->places_away, away) <= here))
		return UINT32_MAX;
	h->stats.launched_in_stack--;
	h->stats.given_back++;
	return most;
}

void ctas_homes_placed(struct ctas_homes *h, uint64_t index)
{
	h->stats.not_offered += h->last.index != index;
}

void ctas_homes_access(struct ctas_homes *h, const struct gpu *g, uint32_t sm, const struct mem_req *r)
{
	const uint32_t stack = gpu_sm_stack(g, sm);

	if (stack == UINT32_MAX || r->kind != MEM_KIND_DATA || r->is_host)
		return;
	if (r->stack == stack)
		h->stats.local_lines++;
	else
		h->stats.remote_lines++;
}
