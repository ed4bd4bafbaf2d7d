/* account.c - attributes scheduler cycles to instructions, and waits on memory to stages. See account.h. */
#include "gpu/accounting.h"

#include <glib.h>
#include <string.h>

#include "gpu/account_lanes.h"
#include "gpu/beside.h"

_Static_assert((int)ACCOUNT_REASON_COUNT == (int)SM_WAIT_COUNT, "every reason has a name here");

enum { NO_PC = UINT32_MAX, PATHS = 4 /* of a warp's last loads */, PATH_NONE = UINT64_MAX };

/* How a load's last data came. */
struct path {
	uint64_t ready_cycle;
	uint64_t left_cycle[NET_STAGE_COUNT];
	uint32_t pc;
	bool is_shared, is_request;
	uint8_t row, stack, vault;
};

/* A block that is away. */
struct trip {
	uint64_t begin_units, left_units[ACCOUNT_TRIP_COUNT]; /* 0: not passed, or not yet */
	uint32_t pc;
	enum account_part rest; /* what the time after its last step is */
};

/* Since the last look. */
struct slot {
	uint64_t next_cycle;   /* the first that is not attributed */
	uint32_t reason, pc;   /* of the cycles from there on */
	uint64_t run_cycle;    /* since when it waits on memory without a break; PATH_NONE: it does not */
	uint64_t answer_cycle; /* since when it waits for another answer; PATH_NONE: it does not */
	uint32_t answer;       /* enum account_answer */
	uint32_t issued_pc;
	bool has_cause; /* the warp that has just issued had waited on memory: for this */
	struct path cause;
	uint64_t away_cycle;   /* since when it waits for a block without a break; PATH_NONE: it does not */
	bool has_trip;         /* a block's warp goes on, the first since the last look: this one's */
	struct trip trip;
};

struct warp_paths {
	struct path paths[PATHS];
	uint32_t next;
};

struct sm_account {
	struct slot slots[SM_SCHEDULER_MAX];
	uint64_t waiting[SM_SCHEDULER_MAX]; /* on memory at the last look */
	struct warp_paths *warps;
	struct trip *trips; /* [warp slot] */
	struct path *accesses; /* [access]: of its latest part */
	uint32_t access_cap;
	struct path answers[ACCOUNT_ANSWER_COUNT];                                      /* the last of each kind */
	/* All that is attributed. */
	uint64_t issued, stalls[SM_WAIT_COUNT], memory, answered[ACCOUNT_ANSWER_COUNT], away;
};

struct accounting {
	struct account all; /* first */
	struct gpu *gpu;
	struct account_kernel *kernel;    /* that runs */
	uint64_t uses[ACCOUNT_USE_COUNT]; /* when it began */
	struct sm_account *sms;
	struct account_lanes lanes;
};

/* What they are in words their statistics say. */
static const struct account_row reasons[] = {
    ACCOUNT_ROW(SM_WAIT_LSU, lsu, OWN, NULL)
    ACCOUNT_ROW(SM_WAIT_UNIT, unit, OWN, NULL)
    ACCOUNT_ROW(SM_WAIT_FETCH, fetch, OWN, NULL)
    ACCOUNT_ROW(SM_WAIT_EXECUTION, execution, OWN, NULL)
    ACCOUNT_ROW(SM_WAIT_MEMORY, memory, MEMORY, NULL)
    ACCOUNT_ROW(SM_WAIT_FENCE, fence, MEMORY, NULL)
    ACCOUNT_ROW(SM_WAIT_BARRIER, barrier, OTHERS, NULL)
    ACCOUNT_ROW(SM_WAIT_OFFLOAD, offload, OTHERS, NULL)
    ACCOUNT_ROW(SM_WAIT_MOVE, move, OTHERS, NULL)
    ACCOUNT_ROW(SM_WAIT_PAUSE, pause, OWN, NULL)
    ACCOUNT_ROW(SM_WAIT_IDLE, idle, IDLE, NULL)
};
const struct account_parts gpu_account_reasons = {reasons, SM_WAIT_COUNT};

static const struct {
	const char *name;
	uint32_t reason, part; /* part: without a request */
} answers[ACCOUNT_ANSWER_COUNT] = {
    [ACCOUNT_FETCH] = {"fetch", SM_WAIT_FETCH, NET_STAGE_L1},
    [ACCOUNT_FENCE] = {"fence", SM_WAIT_FENCE, ACCOUNT_OTHER},
};

static const struct account_row parts[] = {
#define X(enumerator, name, what) ACCOUNT_ROW(enumerator, name, MEMORY, what)
    NET_STAGES(X)
#undef X
    ACCOUNT_OTHER_PARTS(ACCOUNT_ROW)};
const struct account_parts gpu_account_parts = {parts, ACCOUNT_PART_COUNT};

static const uint8_t part_of_step[ACCOUNT_TRIP_COUNT] = {
#define X(enumerator, part) [enumerator] = (part),
    ACCOUNT_TRIP_STEPS(X)
#undef X
};

const char *account_answer_name(uint32_t answer)
{
	return answers[answer].name;
}

static const struct {
	const char *name, *statistic;
} uses[ACCOUNT_USE_COUNT] = {
#define X(enumerator, name, statistic) [enumerator] = {#name, statistic},
    ACCOUNT_USES(X)
#undef X
};

const char *account_use_name(enum account_use use)
{
	return uses[use].name;
}

static struct sm_account *sm_of(struct accounting *a, const struct sm *sm)
{
	return &a->sms[sm->index];
}

/* NULL: the SM ticks alone. */
static struct account_lane *lane_of(const struct accounting *a, const struct sm *sm)
{
	return unlikely(sm->is_beside) ? &a->lanes.items[sm->beside->hand->thread] : NULL;
}

static struct account_cell *cell_of(struct accounting *a, const struct sm *sm, uint32_t pc)
{
	const bool is_in_stack = sm->stack != UINT32_MAX;

	if (unlikely(sm->is_beside))
		return account_lane_cell(lane_of(a, sm), pc == NO_PC ? a->kernel->inst_count : pc);
	return pc == NO_PC ? &a->kernel->nowhere[is_in_stack] : &a->kernel->insts[pc].cell[is_in_stack];
}

/* ---- the way of a load ---- */

static void path_of_request(const struct accounting *a, struct mem_req *r, struct path *out)
{
	const struct net_stamps *stamps = net_stamps_of(r);
	const uint64_t period = sim_period_units(a->gpu->engine, a->gpu->clocks.sm);

	for (uint32_t i = 0; i < NET_STAGE_COUNT; i++)
		out->left_cycle[i] = stamps->left_units[i] / period;
	out->is_request = true;
	out->row = stamps->row;
	out->stack = r->stack;
	out->vault = r->vault;
}

void account_sent(struct mem_req *r)
{
	net_stamps_clear(r);
	net_stamp(r, NET_STAGE_L1, r->issue_units);
}

/* The warp has all that the access asked for. */
static void access_end(struct sm_account *s, const struct sm *sm, const struct sm_access *w, uint32_t access,
		       uint32_t ready)
{
	struct warp_paths *paths = &s->warps[w->slot];

	paths->paths[paths->next] = s->accesses[access];
	paths->paths[paths->next].ready_cycle = sm->base + ready;
	paths->next = (paths->next + 1) % PATHS;
}

void account_part(struct accounting *a, struct sm *sm, uint32_t access, uint32_t ready)
{
	struct sm_account *s = sm_of(a, sm);
	const struct sm_access *w = &sm->accesses[access];

	if (access >= s->access_cap) {
		s->accesses = g_renew(struct path, s->accesses, sm->access_cap);
		s->access_cap = sm->access_cap;
	}
	if (ready >= w->ready) { /* the latest so far */
		struct path *p = &s->accesses[access];

		*p = (struct path){.pc = (uint32_t)(w->inst - sm->gpu->launch->program->insts)};
		p->is_shared = w->inst->space == SIMT_MEM_SHARED || w->inst->space == SIMT_MEM_CONST ||
			       w->inst->space == SIMT_MEM_PARAM;
		if (sm->answer)
			path_of_request(a, sm->answer, p);
	}
	if (w->parts_left == 1)
		access_end(s, sm, w, access, MAX(ready, w->ready));
}

/* What the warp had waited for: the load whose result is the last that its next instruction needs, or its last load.
 * NULL: that had come before from_cycle. */
static const struct path *path_of_warp(const struct accounting *a, const struct sm *sm, const struct sm_warp *w,
				       uint64_t from_cycle)
{
	const struct warp_paths *paths = &a->sms[sm->index].warps[w->slot];
	const struct path *last = &paths->paths[(paths->next + PATHS - 1) % PATHS];
	const struct simt_inst *inst = w->w && !w->w->is_done ? simt_next(sm->gpu->launch, w->w) : NULL;
	const uint16_t *sb = inst ? sm->gpu->launch->program->sb + inst->sb_first : NULL;
	uint32_t ready = 0;

	for (uint32_t i = 0; inst && i < (uint32_t)inst->read_count + inst->write_count; i++)
		if (w->sb[sb[i]] != SM_SB_PENDING && w->sb[sb[i]] & 1)
			ready = MAX(ready, w->sb[sb[i]] >> 1);
	for (uint32_t i = 0; i < PATHS; i++)
		if (ready && paths->paths[i].ready_cycle == sm->base + ready)
			last = &paths->paths[i];
	return last->ready_cycle >= from_cycle ? last : NULL;
}

static void charge_part(struct accounting *a, struct account_lane *lane, const struct path *p,
			struct account_cell *cell, uint32_t part, uint64_t cycles)
{
	const uint32_t vault = p->stack * a->all.vault_count + p->vault;
	struct account_vault *v = lane ? &lane->vaults[vault] : &a->all.vaults[vault];

	cell->memory[part] += cycles;
	(lane ? lane->stacks : a->all.stacks)[p->stack].memory[part] += cycles;
	if (part == NET_STAGE_QUEUE)
		v->queue += cycles;
	if (part == NET_STAGE_TSV)
		v->tsv += cycles;
	if (part == NET_STAGE_BANK) {
		v->bank += cycles;
		(lane ? lane->rows : a->all.rows)[p->row] += cycles;
	}
}

/* The cycles from..to-1 are of the stages that the request was in. */
static void charge_path(struct accounting *a, const struct sm *sm, const struct path *p, uint64_t from, uint64_t to)
{
	struct account_cell *cell = cell_of(a, sm, p->pc);
	struct account_lane *lane = lane_of(a, sm);

	if (!p->is_request) {
		cell->memory[p->is_shared ? ACCOUNT_SHARED : NET_STAGE_L1] += to - from;
		return;
	}
	for (uint32_t i = 0; i < NET_STAGE_COUNT; i++) {
		const uint64_t end = CLAMP(p->left_cycle[i], from, to);

		charge_part(a, lane, p, cell, i, end - from);
		from = end;
	}
	charge_part(a, lane, p, cell, NET_STAGE_L1, to - from);
}

/* ---- other answers ---- */

void account_answered(struct accounting *a, const struct sm *sm, enum account_answer kind, struct mem_req *r)
{
	struct path *p = &sm_of(a, sm)->answers[kind];

	*p = (struct path){.ready_cycle = sm->base + sm->now};
	path_of_request(a, r, p);
}

static void end_answer(struct accounting *a, struct sm *sm, uint32_t index, uint64_t to)
{
	struct sm_account *account = sm_of(a, sm);
	struct slot *s = &account->slots[index];
	const struct path *p = &account->answers[s->answer];
	uint64_t *out, from = s->answer_cycle;

	if (from == PATH_NONE)
		return;
	out = cell_of(a, sm, s->pc)->answers[s->answer];
	account->answered[s->answer] += to - from;
	s->answer_cycle = PATH_NONE;
	if (!p->is_request || p->ready_cycle < from) {
		out[answers[s->answer].part] += to - from;
		return;
	}
	for (uint32_t i = 0; i < NET_STAGE_COUNT; i++) {
		const uint64_t end = CLAMP(p->left_cycle[i], from, to);

		out[i] += end - from;
		from = end;
	}
	out[NET_STAGE_L1] += to - from;
}

static void begin_answer(struct slot *s)
{
	for (uint32_t i = 0; i < ACCOUNT_ANSWER_COUNT; i++)
		if (s->reason == answers[i].reason) {
			s->answer = i;
			s->answer_cycle = s->next_cycle;
		}
}

/* ---- blocks that are away ---- */

static uint64_t cycles_of_units(const struct accounting *a, uint64_t units)
{
	return units / sim_period_units(a->gpu->engine, a->gpu->clocks.sm);
}

static void end_away(struct accounting *a, struct sm *sm, uint32_t index, uint64_t to)
{
	struct slot *s = &sm_of(a, sm)->slots[index];
	const struct trip *t = &s->trip;
	uint64_t *out, from = s->away_cycle;

	if (from == PATH_NONE)
		return;
	sm_of(a, sm)->away += to - from;
	s->away_cycle = PATH_NONE;
	if (!s->has_trip) {
		cell_of(a, sm, s->pc)->offload[ACCOUNT_OTHER] += to - from;
		return;
	}
	out = cell_of(a, sm, t->pc)->offload;
	for (uint32_t i = 0; i <= ACCOUNT_TRIP_COUNT; i++) {
		/* Before it began the scheduler waited for another block's warp. */
		const uint64_t left = i ? t->left_units[i - 1] : t->begin_units;
		const uint64_t end = CLAMP(cycles_of_units(a, left), from, to);

		out[i ? part_of_step[i - 1] : ACCOUNT_OTHER] += end - from;
		from = end;
	}
	out[t->rest] += to - from;
}

static struct trip *trip_of(const struct gpu *g, const struct sm_warp *home)
{
	return &g->account->sms[home->sm->index].trips[home->slot];
}

void account_trip_begin(const struct gpu *g, const struct sm_warp *home, uint32_t pc)
{
	if (unlikely(g->account != NULL))
		*trip_of(g, home) = (struct trip){.begin_units = sim_now_units(g->engine), .pc = pc};
}

void account_trip_step(const struct gpu *g, const struct sm_warp *home, enum account_trip step)
{
	if (unlikely(g->account != NULL))
		trip_of(g, home)->left_units[step] = sim_now_units(g->engine);
}

void account_trip_out(const struct gpu *g, const struct sm_warp *home, struct mem_req *r)
{
	const uint64_t *left;
	uint64_t *to;

	if (likely(!g->account))
		return;
	left = net_stamps_of(r)->left_units;
	to = trip_of(g, home)->left_units;
	to[ACCOUNT_TRIP_ROOM] = left[NET_STAGE_L1];
	to[ACCOUNT_TRIP_XBAR] = left[NET_STAGE_XBAR];
	to[ACCOUNT_TRIP_L2] = left[NET_STAGE_L2];
	to[ACCOUNT_TRIP_TX] = sim_now_units(g->engine);
}

/* What has been to no vault has come from the GPU. */
void account_trip_operand(const struct gpu *g, const struct sm_warp *home, struct mem_req *r)
{
	static const uint8_t stages[][2] = {
	    {ACCOUNT_TRIP_OPERAND_ROOM, NET_STAGE_L1},     {ACCOUNT_TRIP_OPERAND_XBAR, NET_STAGE_XBAR},
	    {ACCOUNT_TRIP_OPERAND_L2, NET_STAGE_L2},       {ACCOUNT_TRIP_OPERAND_HOST, NET_STAGE_HOST},
	    {ACCOUNT_TRIP_OPERAND_TX, NET_STAGE_TX},       {ACCOUNT_TRIP_OPERAND_QUEUE, NET_STAGE_QUEUE},
	    {ACCOUNT_TRIP_OPERAND_BANK, NET_STAGE_BANK},   {ACCOUNT_TRIP_OPERAND_TSV, NET_STAGE_TSV},
	};
	const uint64_t *left;
	uint64_t *to;

	if (likely(!g->account))
		return;
	left = net_stamps_of(r)->left_units;
	to = trip_of(g, home)->left_units;
	for (uint32_t i = 0; i < ARRAY_COUNT(stages); i++)
		to[stages[i][0]] = left[stages[i][1]];
	to[left[NET_STAGE_TSV] ? ACCOUNT_TRIP_OPERAND_MESH : ACCOUNT_TRIP_OPERAND_TX] = sim_now_units(g->engine);
}

void account_trip_home(const struct gpu *g, const struct sm_warp *home, struct mem_req *r)
{
	const uint64_t *left;
	uint64_t *to;

	if (likely(!g->account))
		return;
	left = net_stamps_of(r)->left_units;
	to = trip_of(g, home)->left_units;
	to[ACCOUNT_TRIP_RX] = left[NET_STAGE_RX];
	to[ACCOUNT_TRIP_L2_HOME] = left[NET_STAGE_L2_HOME];
	to[ACCOUNT_TRIP_XBAR_HOME] = sim_now_units(g->engine);
}

static void goes_on(const struct gpu *g, const struct sm_warp *home, enum account_part rest)
{
	struct slot *s = &g->account->sms[home->sm->index].slots[home->sm->schedulers[home->scheduler].issue];

	if (s->has_trip)
		return;
	s->has_trip = true;
	s->trip = *trip_of(g, home);
	s->trip.rest = rest;
}

void account_trip_room(const struct gpu *g, const struct sm_warp *home)
{
	if (unlikely(g->account != NULL))
		goes_on(g, home, ACCOUNT_ROOM);
}

void account_trip_end(const struct gpu *g, const struct sm_warp *home)
{
	const uint64_t now = sim_now_units(g->engine);
	const struct trip *t;
	struct account_block *row;
	uint64_t from, from_ps = 0;

	if (likely(!g->account))
		return;
	goes_on(g, home, ACCOUNT_OWN_SM);
	t = trip_of(g, home);
	row = account_block_at(g, t->pc);
	from = t->begin_units;
	for (uint32_t i = 0; i <= ACCOUNT_TRIP_COUNT; i++) {
		const bool is_rest = i == ACCOUNT_TRIP_COUNT;
		const uint64_t end = is_rest ? now : CLAMP(t->left_units[i], from, now);
		const uint64_t end_ps = sim_ps_of_units(g->engine, end - t->begin_units);

		row->there_parts_ps[is_rest ? ACCOUNT_OWN_SM : part_of_step[i]] += end_ps - from_ps;
		from = end;
		from_ps = end_ps;
	}
	row->there_count++;
	row->there_ps += from_ps;
}

/* ---- schedulers ---- */

static void charge(struct accounting *a, const struct sm *sm, struct slot *s, uint64_t to_cycle)
{
	struct account_cell *cell = cell_of(a, sm, s->pc);
	const uint64_t cycles = to_cycle - s->next_cycle;

	cell->stalls[s->reason] += cycles;
	sm_of(a, sm)->stalls[s->reason] += cycles;
	s->next_cycle = to_cycle;
}

/* The slot of the first warp of a scheduler's set. */
static uint32_t first_warp(const struct sm *sm, uint32_t scheduler, uint64_t set)
{
	return (uint32_t)__builtin_ctzll(set) * sm->scheduler_count + scheduler;
}

/* Why a wait on memory ended: what the first of the warps had waited for that have left off. */
static const struct path *cause_of(const struct accounting *a, const struct sm *sm, uint32_t index, uint64_t from_cycle)
{
	const struct sm_account *s = &a->sms[sm->index];

	if (s->slots[index].has_cause)
		return &s->slots[index].cause;
	for (uint32_t i = index; i < sm->scheduler_count; i += sm->issue_count) {
		const uint64_t left = s->waiting[i] & ~sm->schedulers[i].waiting[SM_WAIT_MEMORY];

		if (left)
			return path_of_warp(a, sm, &sm->warps[first_warp(sm, i, left)], from_cycle);
	}
	return NULL;
}

static void end_run(struct accounting *a, struct sm *sm, uint32_t index, uint64_t to_cycle)
{
	struct slot *s = &sm_of(a, sm)->slots[index];
	const struct path *p;

	if (s->run_cycle == PATH_NONE)
		return;
	p = cause_of(a, sm, index, s->run_cycle);
	if (p)
		charge_path(a, sm, p, s->run_cycle, to_cycle);
	else
		cell_of(a, sm, s->pc)->memory[ACCOUNT_OTHER] += to_cycle - s->run_cycle;
	sm_of(a, sm)->memory += to_cycle - s->run_cycle;
	s->run_cycle = PATH_NONE;
}

/* The instruction of the warp that the reason is of. */
static uint32_t pc_of(const struct sm *sm, uint32_t index, uint32_t reason)
{
	for (uint32_t i = index; i < sm->scheduler_count; i += sm->issue_count) {
		const struct sm_scheduler *s = &sm->schedulers[i];
		uint64_t set = s->waiting[reason];

		if (reason == SM_WAIT_LSU)
			set = s->ready[SIMT_UNIT_LDST];
		for (uint32_t u = 0; u < SIMT_UNIT_COUNT && reason == SM_WAIT_UNIT; u++)
			set |= s->ready[u];
		if (set && reason != SM_WAIT_IDLE)
			return sm->warps[first_warp(sm, i, set)].w->pc;
	}
	return NO_PC;
}

/* Not the program's last pc: a warp that has ended stands behind it. */
static uint32_t valid_pc(const struct accounting *a, uint32_t pc)
{
	return pc < a->kernel->inst_count ? pc : NO_PC;
}

static void look(struct accounting *a, struct sm *sm, uint32_t index, bool has_issued)
{
	struct slot *s = &sm_of(a, sm)->slots[index];
	const uint64_t now = sm->base + sm->now;
	const uint32_t reason = sm->schedulers[index].reason;

	charge(a, sm, s, now);
	if (has_issued || reason != SM_WAIT_MEMORY)
		end_run(a, sm, index, now);
	if (has_issued || reason != answers[s->answer].reason)
		end_answer(a, sm, index, now);
	if (has_issued || reason != SM_WAIT_OFFLOAD || s->has_trip)
		end_away(a, sm, index, now);
	if (has_issued) {
		cell_of(a, sm, s->issued_pc)->issued++;
		sm_of(a, sm)->issued++;
		s->next_cycle++;
	}
	s->reason = reason;
	s->pc = valid_pc(a, pc_of(sm, index, reason));
	if (reason == SM_WAIT_MEMORY && s->run_cycle == PATH_NONE)
		s->run_cycle = s->next_cycle;
	if (s->answer_cycle == PATH_NONE)
		begin_answer(s);
	if (reason == SM_WAIT_OFFLOAD && s->away_cycle == PATH_NONE)
		s->away_cycle = s->next_cycle;
	s->has_cause = s->has_trip = false;
}

void account_ticked(struct accounting *a, struct sm *sm, uint32_t issued)
{
	struct sm_account *s = sm_of(a, sm);

	for (uint32_t i = 0; i < sm->issue_count; i++)
		look(a, sm, i, issued >> i & 1);
	for (uint32_t i = 0; i < sm->scheduler_count; i++)
		s->waiting[i] = sm->schedulers[i].waiting[SM_WAIT_MEMORY];
}

void account_sm_begin(struct accounting *a, struct sm *sm)
{
	struct sm_account *s = sm_of(a, sm);

	for (uint32_t i = 0; i < sm->issue_count; i++)
		s->slots[i] = (struct slot){.next_cycle = sm->base,
					    .reason = SM_WAIT_IDLE,
					    .pc = NO_PC,
					    .run_cycle = PATH_NONE,
					    .answer_cycle = PATH_NONE,
					    .away_cycle = PATH_NONE};
	memset(s->waiting, 0, sizeof(s->waiting));
}

void account_sm_end(struct accounting *a, struct sm *sm, bool is_whole)
{
	struct sm_account *s = sm_of(a, sm);
	const uint64_t end_cycle = sm->base + sm->accounted;

	for (uint32_t i = 0; i < sm->issue_count; i++) {
		charge(a, sm, &s->slots[i], end_cycle);
		end_run(a, sm, i, end_cycle);
		end_answer(a, sm, i, end_cycle);
		end_away(a, sm, i, end_cycle);
	}
	CHECK(s->memory == s->stalls[SM_WAIT_MEMORY] && s->away == s->stalls[SM_WAIT_OFFLOAD]);
	for (uint32_t i = 0; i < ACCOUNT_ANSWER_COUNT; i++)
		CHECK(s->answered[i] == s->stalls[answers[i].reason]);
	if (is_whole) {
		CHECK(s->issued == sm->stats.issued_cycles);
		CHECK(account_is_same(&gpu_account_reasons, s->stalls, sm->stats.stalls));
	}
	s->issued = sm->stats.issued_cycles;
	memcpy(s->stalls, sm->stats.stalls, sizeof(s->stalls));
	s->memory = s->stalls[SM_WAIT_MEMORY];
	s->away = s->stalls[SM_WAIT_OFFLOAD];
	for (uint32_t i = 0; i < ACCOUNT_ANSWER_COUNT; i++)
		s->answered[i] = s->stalls[answers[i].reason];
}

/* ---- the extension ---- */

/* A warp is about to issue: what it does so late for is known now. */
static bool issue(void *self, struct sm *sm, struct sm_warp *w)
{
	struct accounting *a = self;
	struct sm_account *s = sm_of(a, sm);
	struct slot *slot = &s->slots[sm->schedulers[w->scheduler].issue];

	slot->issued_pc = w->w->pc;
	if (slot->run_cycle != PATH_NONE && s->waiting[w->scheduler] >> w->bit & 1) {
		const struct path *p = path_of_warp(a, sm, w, slot->run_cycle);

		slot->has_cause = p != NULL;
		if (p)
			slot->cause = *p;
	}
	return false;
}

/* Number of the basic block by pc; what is called comes after the entry. */
static uint32_t block_of(const struct simt_program *p, uint32_t pc)
{
	const struct ptx_cfg *cfg = p->entry_cfg;

	if (!cfg)
		return 0;
	return pc < cfg->func->inst_count ? cfg->block_of[pc] : cfg->block_count + p->insts[pc].func;
}

static const char *text_of(const struct ptx_inst *inst)
{
	return inst->text ? inst->text : ptx_op_name(inst->op);
}

static void describe(const struct simt_program *p, uint32_t pc, struct account_inst *out)
{
	const struct ptx_inst *inst = p->insts[pc].ptx;
	const struct ptx_module *m = p->entry ? p->entry->module : NULL;
	const struct ptx_loc *loc = inst && inst->loc && m ? &m->locs[inst->loc] : NULL;

	out->block = block_of(p, pc);
	if (!inst)
		return;
	out->line = inst->line;
	out->text = g_strdup(text_of(inst));
	if (loc && loc->line && loc->file < m->file_count && m->files[loc->file]) {
		out->source_line = loc->line;
		out->source_file = g_strdup(m->files[loc->file]);
	}
}

static bool is_of(const struct account_kernel *k, const struct simt_program *p)
{
	if (strcmp(k->name, p->name) != 0 || k->inst_count != p->inst_count)
		return false;
	for (uint32_t i = 0; i < p->inst_count; i++)
		if (p->insts[i].ptx && (k->insts[i].line != p->insts[i].ptx->line ||
					strcmp(k->insts[i].text, text_of(p->insts[i].ptx)) != 0))
			return false;
	return true;
}

static struct account_kernel *kernel_of(struct accounting *a, const struct simt_program *p)
{
	struct account_kernel *k;

	for (uint32_t i = 0; i < a->all.kernel_count; i++)
		if (is_of(a->all.kernels[i], p))
			return a->all.kernels[i];
	k = g_new0(struct account_kernel, 1);
	k->name = g_strdup(p->name);
	k->inst_count = p->inst_count;
	k->insts = g_new0(struct account_inst, p->inst_count);
	for (uint32_t i = 0; i < p->inst_count; i++)
		describe(p, i, &k->insts[i]);
	a->all.kernels = g_renew(struct account_kernel *, a->all.kernels, a->all.kernel_count + 1);
	a->all.kernels[a->all.kernel_count++] = k;
	return k;
}

/* Up to here all was for the kernel that ran; time is counted when it ends. */
static void uses_add(struct accounting *a)
{
	account_lanes_take(&a->lanes, &a->all, a->kernel);
	for (uint32_t i = 0; i < ACCOUNT_USE_COUNT; i++) {
		uint64_t now = 0;

		sim_stats_value(a->gpu->stats, uses[i].statistic, &now);
		if (a->kernel)
			a->kernel->uses[i] += now - a->uses[i];
		a->uses[i] = now;
	}
}

static void kernel_begin(void *self, struct simt_launch *l, struct simt_program *p)
{
	struct accounting *a = self;

	(void)l;
	uses_add(a);
	a->kernel = kernel_of(a, p);
	account_lanes_fit(&a->lanes, a->kernel);
}

static const struct gpu_ext_ops ops = {
    .own_points = 1 << GPU_POINT_ISSUE,
    .issue = issue,
    .kernel_begin = kernel_begin,
};

/* ---- the ledger of blocks ---- */

struct account_block *account_block_at(const struct gpu *g, uint32_t pc)
{
	struct account_inst *inst;

	if (likely(!g->account))
		return NULL;
	inst = &g->account->kernel->insts[pc];
	if (!inst->ledger)
		inst->ledger = g_new0(struct account_block, 1);
	return inst->ledger;
}

void account_block_offered(const struct gpu *g, uint32_t pc, const char *why)
{
	struct account_block *b = account_block_at(g, pc);

	if (likely(!b))
		return;
	b->offered++;
	b->taken += why == NULL;
	for (uint32_t i = 0; why; i++) {
		CHECK(i < ACCOUNT_REFUSALS);
		if (b->refused[i].why && strcmp(b->refused[i].why, why) != 0)
			continue;
		b->refused[i].why = why;
		b->refused[i].count++;
		return;
	}
}

void account_cta_done(const struct gpu *g, const struct sm *sm, uint64_t cycles)
{
	struct account_block *b = g->account->kernel->insts[0].ledger;
	const uint64_t ps = sim_ps_of_units(g->engine, cycles * sim_period_units(g->engine, g->clocks.sm));

	if (!b || !b->is_ctas)
		return;
	*(sm->stack == UINT32_MAX ? &b->here_count : &b->there_count) += 1;
	*(sm->stack == UINT32_MAX ? &b->here_ps : &b->there_ps) += ps;
}

/* ---- building ---- */

struct accounting *account_new(struct gpu *g)
{
	struct accounting *a = g_new0(struct accounting, 1);
	const struct gpu_params *p = &g->config->gpu;

	a->gpu = g;
	a->all.stack_count = g->stack_count;
	a->all.vault_count = (uint32_t)g->config->dram.vault_count;
	a->all.stacks = g_new0(struct account_stack, g->stack_count);
	a->all.vaults = g_new0(struct account_vault, g->stack_count * a->all.vault_count);
	a->sms = g_new0(struct sm_account, g->sm_total);
	for (uint32_t i = 0; i < g->sm_total; i++) {
		const uint64_t slots =
		    i < g->sm_count ? g->config->sm.warp_slot_count : p->stack_sm_warp_slot_count;

		a->sms[i].warps = g_new0(struct warp_paths, slots);
		a->sms[i].trips = g_new0(struct trip, i < g->sm_count ? slots : 0);
	}
	gpu_ext_list_add(&g->exts, &ops, a);
	g->watch = 1ull << GPU_POINT_ISSUE; /* it is the first */
	mem_req_pool_stamp(g->pool);
	return a;
}

void account_use_threads(struct accounting *a, uint32_t count)
{
	account_lanes_new(&a->lanes, &a->all, count);
}

void account_free(struct accounting *a)
{
	if (!a)
		return;
	for (uint32_t i = 0; i < a->all.kernel_count; i++) {
		struct account_kernel *k = a->all.kernels[i];

		for (uint32_t pc = 0; pc < k->inst_count; pc++) {
			g_free(k->insts[pc].ledger);
			g_free(k->insts[pc].text);
			g_free(k->insts[pc].source_file);
		}
		g_free(k->insts);
		g_free(k->name);
		g_free(k);
	}
	for (uint32_t i = 0; i < a->gpu->sm_total; i++) {
		g_free(a->sms[i].warps);
		g_free(a->sms[i].trips);
		g_free(a->sms[i].accesses);
	}
	account_lanes_free(&a->lanes);
	g_free(a->all.kernels);
	g_free(a->sms);
	g_free(a->all.stacks);
	g_free(a->all.vaults);
	g_free(a);
}

const struct account *gpu_account_of(const struct gpu *g)
{
	if (!g->account)
		return NULL;
	uses_add(g->account);
	return &g->account->all;
}
