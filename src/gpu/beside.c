/* beside.c - SMs that tick beside each other, see beside.h. */
#include "gpu/beside.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/accounting.h"
#include "gpu/mmu.h"
#include "sim/team.h"

enum {
	WRITTEN_MAX = 32, /* ranges that are told apart */
	HAND_REQUESTS = 16 * BESIDE_REQUESTS,
};

struct range {
	uint64_t first, last;
};

/* The answers that have come to a cluster in this cycle, or are left to the second half. */
struct inbox {
	_Alignas(HOST_LINE_BYTES) BASE_FIFO(struct mem_req);
};

struct beside {
	/* What does not change. */
	struct sim_team *threads;
	struct beside_hand *hands; /* [thread] */
	uint32_t hand_count;
	uint32_t word_count;       /* of bits by number of the SM */
	struct sim_comp first;     /* of the SMs; the others follow */
	uint32_t *clusters;        /* that have something to do */
	uint16_t *cluster_of;      /* [SM] */
	uint32_t *sm_first;        /* [cluster]: and the end of the last one */
	struct inbox *came, *left; /* [cluster] */
	/* What changes with each step and all look at: in one line, where SMs are few. */
	_Alignas(HOST_LINE_BYTES) uint64_t step;
	uint64_t cycle;
	uint64_t due[SIM_COMPS_MAX / 64]; /* SMs that tick, by component of the domain */
	/* Only the first thread looks at what follows. */
	_Alignas(HOST_LINE_BYTES) uint64_t work[SIM_COMPS_MAX / 64];   /* clusters */
	uint64_t turns[SIM_COMPS_MAX / 64], reads[SIM_COMPS_MAX / 64]; /* of all hands */
	bool is_second_half;
	uint32_t seen; /* in the second half: of SMs below this number it is seen what they have done in the cycle */
	/* What has been written in the second half of this cycle; more than WRITTEN_MAX: who knows where. */
	struct range written[WRITTEN_MAX];
	uint32_t written_count;
};

/* ---- values ---- */

static void written_add(struct beside *s, const struct simt_step *step)
{
	struct range r;

	if (s->written_count > WRITTEN_MAX || !simt_written(step, &r.first, &r.last))
		return;
	if (s->written_count < WRITTEN_MAX)
		s->written[s->written_count] = r;
	s->written_count++;
}

static bool is_written(const struct gpu *g, const struct simt_reading *r)
{
	const struct beside *s = g->beside;

	if (g->is_written_anywhere || s->written_count > WRITTEN_MAX)
		return true;
	for (uint32_t i = 0; i < s->written_count; i++)
		if (r->first <= s->written[i].last && s->written[i].first <= r->last)
			return true;
	return false;
}

bool beside_step(struct sm *sm, struct simt_warp *t, struct simt_step *step)
{
	struct sm_beside *b = sm->beside;

	if (sm->is_beside) {
		struct simt_reading *r = &b->readings[b->reading_count];
		const bool is_right = simt_beside_step(&b->view, t, step, r);

		b->reading_count += r->mask != 0;
		return is_right;
	}
	if (!simt_step(sm->gpu->launch, t, step))
		return false;
	written_add(sm->gpu->beside, step);
	return true;
}

/* ---- the first half ---- */

/* Is there a watched warp that waits for its data or its turn (SM_WAIT_OFFLOAD)? *is_due: its turn comes now. */
static bool has_leaving(const struct sm *sm, uint64_t cycle, bool *is_due)
{
	bool has = false;

	*is_due = false;
	for (uint32_t i = 0; i < sm->scheduler_count; i++) {
		for (uint64_t m = sm->schedulers[i].waiting[SM_WAIT_OFFLOAD]; m; m &= m - 1) {
			const struct sm_warp *w = &sm->warps[(uint32_t)__builtin_ctzll(m) * sm->scheduler_count + i];

			const bool is_watched = w->watch & sm->gpu->held_watch;

			has |= is_watched;
			*is_due |= is_watched && sm->base + w->ready == cycle;
		}
	}
	return has;
}

/* Might more than the SM hear of it when the LSU is through with the entry? The last access of a warp that has ended
 * retires it, and its CTA; extensions hear of the accesses of warps that they watch, and of an SM's last stores. */
static bool ends_beyond(const struct sm *sm, const struct lsu_entry *e, bool has_leaving)
{
	const struct sm_warp *w = &sm->warps[e->slot];
	const bool is_store = e->kind == LSU_STORE || e->kind == LSU_ATOMIC;

	return e->kind == LSU_CARRIED || (w->w && w->w->is_done) || sm_is_watched(w, GPU_POINT_RETURNED) ||
	       sm_is_watched(w, GPU_POINT_STORE) || (has_leaving && is_store);
}

/* Does an extension that ticks with the SM have something to do there? */
static bool ticker_has_work(const struct sm *sm)
{
	const struct gpu_ext *t = sm->gpu->ticker;

	return unlikely(t != NULL) && (sm->ext_waits_port || t->ops->sm_has_work(t->self, sm));
}

/* Must all of the SM's cycle wait? */
static bool waits(struct sm *sm, uint64_t cycle)
{
	bool is_due;
	const bool leaving = has_leaving(sm, cycle, &is_due);

	return is_due || sm->ctas_followed || ticker_has_work(sm) ||
	       (sm->lsu.count && ends_beyond(sm, base_ring_first(&sm->lsu), leaving)) ||
	       (sm->lines.count && ends_beyond(sm, base_ring_first(&sm->lines), leaving)) ||
	       (sm->lsu_ready_count && ends_beyond(sm, mmu_ready(sm->mmu), leaving));
}

/* What the SM has sent. */
static void pushes_hand_over(const struct sm *sm)
{
	const struct sm_beside *b = sm->beside;
	struct beside_hand *h = b->hand;

	if (b->pushed)
		h->pushes[h->push_count++] =
		    (struct beside_push){.sm = (uint16_t)sm->index, .count = b->pushed, .is_first = b->was_empty};
}

/* All of its cycle is for the second half. */
static void leave_whole(struct sm *sm)
{
	sm->beside->waits = true;
	sm->beside->hand->words[sm->index / 64].turns |= 1ull << sm->index % 64;
}

/* What else the SM has to say after its cycle. */
static void hand_over(struct sm *sm, uint64_t cycle)
{
	struct sm_beside *b = sm->beside;
	struct beside_hand *h = b->hand;
	const uint64_t bit = 1ull << sm->index % 64;
	const uint32_t word = sm->index / 64;

	if (b->reading_count)
		h->reads[word] |= bit;
	if (sm->breaks)
		h->words[word].turns |= bit;
	else if (sm->base + b->wake == cycle + 1)
		h->words[word].next |= bit;
	else if (b->wake != SM_NEVER)
		h->wakes[h->wake_count++] = (struct beside_wake){sm->index, sm->base + b->wake};
}

static void first_half(struct sm *sm, uint64_t cycle)
{
	struct sm_beside *b = sm->beside;

	if (b->hand->stash.count < BESIDE_REQUESTS || waits(sm, cycle)) {
		leave_whole(sm);
		return;
	}
	b->waits = false;
	b->wake = SM_NEVER;
	sm->is_beside = true;
	sm_cycle_begin(sm, cycle, &b->cycle);
	sm_cycle_issue(sm, &b->cycle);
	sm->is_beside = false;
	hand_over(sm, cycle);
}

/* The SM's first part in this step. */
static void sm_begin(struct sm *sm, struct beside_hand *h)
{
	struct sm_beside *b = sm->beside;

	if (b->last_step == h->step)
		return;
	b->last_step = h->step;
	b->hand = h;
	b->wake = SM_NEVER;
	b->reading_count = b->pushed = 0;
	b->was_empty = b->leaves = false;
	if (unlikely(sm->gpu->follows_reads))
		mem_cache_reads(sm->l1d, &b->reads_before, &b->misses_before);
}

/* Where a warp has ended but for what is under way, an answer may end its CTA, of which others hear; and an extension
 * may wait for it where it follows a CTA. */
static void answer_take(struct beside *s, struct beside_hand *h, const struct net_port *port, struct mem_req *r)
{
	struct sm *sm = ((struct sm_port *)port->self)->sm;
	struct sm_beside *b = sm->beside;

	sm_begin(sm, h);
	b->leaves |= sm->ending_warps || sm->ctas_followed || h->stash.count < BESIDE_REQUESTS;
	if (b->leaves) {
		r->next = NULL;
		base_fifo_push(&s->left[sm->cluster], r, next);
		h->has_left = true;
		return;
	}
	sm->is_beside = true;
	net_port_done(port, r);
	sm->is_beside = false;
}

static void answers_take(struct gpu *g, struct beside_hand *h, uint32_t cluster)
{
	struct inbox *in = &g->beside->came[cluster];
	struct mem_req *r = in->first;

	while (r) {
		struct mem_req *next = r->next;

		answer_take(g->beside, h, net_port_of(&g->ports, r), r);
		r = next;
	}
	if (in->first)
		in->first = NULL;
}

static bool is_due(const struct beside *s, uint32_t sm)
{
	const uint32_t index = s->first.index + sm;

	return s->due[index / 64] >> index % 64 & 1;
}

static void hand_begin(struct beside_hand *h, const struct beside *s)
{
	h->step = s->step;
	h->cycle = s->cycle;
	h->threads = 0;
	h->requests = h->push_count = h->wake_count = 0;
	h->has_left = false;
	for (uint32_t w = 0; w < s->word_count; w++)
		h->words[w].turns = h->words[w].next = h->reads[w] = 0;
}

static void cluster_first_half(void *ctx, uint32_t thread, uint32_t cluster)
{
	struct gpu *g = ctx;
	struct beside *s = g->beside;
	struct beside_hand *hand = &s->hands[thread];

	if (hand->step != s->step)
		hand_begin(hand, s);
	answers_take(g, hand, cluster);
	for (uint32_t i = s->sm_first[cluster]; i < s->sm_first[cluster + 1]; i++) {
		struct sm *sm = g->sms[i];
		const bool is_woken = sm->beside->last_step == s->step && sm->beside->wake == sm->now;

		if (is_due(s, i) || is_woken) {
			sm_begin(sm, hand);
			if (sm->beside->leaves)
				leave_whole(sm);
			else
				first_half(sm, s->cycle);
		}
		if (sm->beside->last_step == s->step)
			pushes_hand_over(sm);
	}
	hand->has_used_stash = hand->stash.taken != 0;
}

/* ---- the second half ---- */

static struct sim_comp comp_of(const struct gpu *g, uint32_t sm)
{
	struct sim_comp c = g->beside->first;

	c.index = (uint16_t)(c.index + sm);
	return c;
}

static void fault_take(struct sm *sm)
{
	struct simt_launch *l = sm->gpu->launch;

	if (l->fault.kind == SIMT_FAULT_NONE)
		l->fault = sm->beside->view.launch.fault;
	gpu_fail(sm->gpu);
}

static void pushes_take(struct gpu *g, const struct beside_hand *h)
{
	for (uint32_t i = 0; i < h->push_count; i++) {
		struct cluster *c = &g->clusters[g->sms[h->pushes[i].sm]->cluster];

		g->sm_has_request[h->pushes[i].sm] = true;
		c->queued_count += h->pushes[i].count;
		if (h->pushes[i].is_first)
			cluster_wake(c);
	}
}

static void wakes_take(struct gpu *g, const struct beside_hand *h)
{
	const struct beside *s = g->beside;

	for (uint32_t i = 0; i < h->wake_count; i++)
		sim_wake_cycle(g->engine, comp_of(g, h->wakes[i].sm), h->wakes[i].cycle);
	for (uint32_t w = 0; w < s->word_count; w++) {
		for (uint64_t m = h->words[w].next; m; m &= m - 1)
			sim_wake_cycle(g->engine, comp_of(g, w * 64 + (uint32_t)__builtin_ctzll(m)), s->cycle + 1);
	}
}

/* What the SMs of a thread have counted and sent, and when they tick again. Returns whether one is held. */
static bool hand_take(struct gpu *g, struct beside_hand *h)
{
	struct beside *s = g->beside;
	uint64_t any = 0;

	if (h->threads)
		sm_count_threads(g, h->threads);
	g->memory_stats.requests += h->requests;
	if (unlikely(h->audit.count))
		audit_log_tell(g, &h->audit);
	pushes_take(g, h);
	wakes_take(g, h);
	for (uint32_t w = 0; w < s->word_count; w++) {
		s->turns[w] |= h->words[w].turns;
		any |= h->words[w].turns;
	}
	if (h->has_used_stash)
		mem_req_stash_fill(g->pool, &h->stash, HAND_REQUESTS);
	return any != 0;
}

/* The SMs that answers have woken for this cycle are due, too. */
static void due_add(struct gpu *g)
{
	struct beside *s = g->beside;
	uint64_t woken[SIM_COMPS_MAX / 64] = {0};

	sim_take_due(g->engine, s->first, g->sm_count, woken);
	for (uint32_t w = 0; w < SIM_COMPS_MAX / 64; w++)
		s->due[w] |= woken[w];
}

/* Of the SMs whose answers were left, those that tick wait with all of it. */
static void due_wait(struct gpu *g)
{
	struct beside *s = g->beside;

	due_add(g);
	for (uint32_t i = 0; i < g->sm_count; i++) {
		struct sm_beside *b = g->sms[i]->beside;

		if (b->last_step == s->step && b->leaves && is_due(s, i)) {
			b->waits = true;
			s->turns[i / 64] |= 1ull << i % 64;
		}
	}
}

/* The answers of all clusters, in their order. */
static void answers_give(struct gpu *g, struct inbox *boxes)
{
	g->gives_answers = true;
	for (uint32_t i = 0; i < g->cluster_count; i++) {
		struct mem_req *r = boxes[i].first;

		boxes[i].first = NULL;
		while (r) {
			struct mem_req *next = r->next;

			net_port_done(net_port_of(&g->ports, r), r);
			r = next;
		}
	}
	g->gives_answers = false;
}

/* Loads of the SMs up to this one, of which none has been looked at yet: those that were to see what has been written
 * read again. */
static void reads_settle(struct gpu *g, uint32_t last)
{
	struct beside *s = g->beside;
	const bool is_any = s->written_count || g->is_written_anywhere;

	for (uint32_t w = 0; w <= last / 64; w++) {
		const uint64_t mask = w < last / 64 ? ~0ull : ~0ull >> (63 - last % 64);

		for (uint64_t m = is_any ? s->reads[w] & mask : 0; m; m &= m - 1) {
			const struct sm_beside *b = g->sms[w * 64 + (uint32_t)__builtin_ctzll(m)]->beside;

			for (uint32_t i = 0; i < b->reading_count; i++)
				if (is_written(g, &b->readings[i]))
					simt_read_again(&b->readings[i]);
		}
		s->reads[w] &= ~mask;
	}
}

static void second_half(struct sm *sm, uint64_t cycle)
{
	struct sm_beside *b = sm->beside;

	sim_take_turn(sm->gpu->engine, sm->comp);
	if (b->waits) {
		sm_tick_whole(sm, cycle);
	} else if (sm->breaks & SM_HELD) {
		sm->breaks &= (uint8_t)~SM_HELD;
		sm_cycle_issue(sm, &b->cycle);
	} else {
		fault_take(sm);
	}
}

static void turns_do(struct gpu *g)
{
	struct beside *s = g->beside;

	for (uint32_t w = 0; w < s->word_count; w++) {
		for (; s->turns[w]; s->turns[w] &= s->turns[w] - 1) {
			const uint32_t sm = w * 64 + (uint32_t)__builtin_ctzll(s->turns[w]);

			reads_settle(g, sm);
			s->seen = sm + 1;
			second_half(g->sms[sm], s->cycle);
		}
	}
	reads_settle(g, g->sm_count - 1);
}

static void second_halves(struct gpu *g)
{
	struct beside *s = g->beside;
	bool are_held = false, are_left = false;

	for (uint32_t i = 0; i < s->hand_count; i++) {
		if (s->hands[i].step == s->step) {
			are_held |= hand_take(g, &s->hands[i]);
			are_left |= s->hands[i].has_left;
		}
	}
	if (!are_held && !are_left)
		return; /* nobody writes */
	s->is_second_half = true;
	s->seen = 0;
	if (are_left) {
		answers_give(g, s->left);
		due_wait(g);
	}
	for (uint32_t i = 0; i < s->hand_count; i++)
		for (uint32_t w = 0; w < s->word_count && s->hands[i].step == s->step; w++)
			s->reads[w] |= s->hands[i].reads[w];
	turns_do(g);
	s->is_second_half = false;
}

bool beside_reads_before(const struct gpu *g, uint32_t sm, uint64_t *reads, uint64_t *misses)
{
	const struct beside *s = g->beside;
	const struct sm_beside *b = g->sms[sm]->beside;

	if (!s || !s->is_second_half || sm < s->seen || !b || b->last_step != s->step)
		return false;
	*reads = b->reads_before;
	*misses = b->misses_before;
	return true;
}

/* ---- the cycle ---- */

enum gpu_beside beside_allowed(const struct gpu *g)
{
	enum gpu_beside all = GPU_BESIDE_NOW;

	GPU_EXT_EACH(g, e, beside)
		all = MIN(all, e->ops->beside(e->self));
	return all;
}

/* The clusters that have something to do. */
static uint32_t clusters_list(struct gpu *g)
{
	struct beside *s = g->beside;
	const uint32_t base = s->first.index;
	uint32_t count = 0;

	for (uint32_t w = base / 64; w <= (base + g->sm_count - 1) / 64; w++) {
		for (uint64_t m = s->due[w]; m; m &= m - 1) {
			const uint32_t cluster = s->cluster_of[w * 64 + (uint32_t)__builtin_ctzll(m) - base];

			s->work[cluster / 64] |= 1ull << cluster % 64;
		}
	}
	for (uint32_t w = 0; w <= (g->cluster_count - 1) / 64; w++)
		for (; s->work[w]; s->work[w] &= s->work[w] - 1)
			s->clusters[count++] = w * 64 + (uint32_t)__builtin_ctzll(s->work[w]);
	return count;
}

/* Has a cluster kept answers? They are given by who asks. */
static bool have_come(struct gpu *g)
{
	uint64_t any = 0;

	for (uint32_t w = 0; w <= (g->cluster_count - 1) / 64; w++) {
		any |= g->beside->work[w];
		g->beside->work[w] = 0;
	}
	return any != 0;
}

static void step_do(struct gpu *g, uint64_t cycle)
{
	struct beside *s = g->beside;

	s->step++;
	s->cycle = cycle;
	s->written_count = 0;
	g->is_written_anywhere = false;
	if (!g->is_paused && beside_allowed(g) == GPU_BESIDE_NOW) {
		sim_team_run(s->threads, s->clusters, clusters_list(g), cluster_first_half, g);
		second_halves(g);
		return;
	}
	if (have_come(g)) {
		answers_give(g, s->came);
		due_add(g);
	}
	for (uint32_t i = 0; i < g->sm_count; i++) {
		if (is_due(s, i)) {
			sim_take_turn(g->engine, g->sms[i]->comp);
			sm_tick_whole(g->sms[i], cycle);
		}
	}
}

/* Ticks the SMs of the GPU that have been woken for this cycle; component is the first of them. */
static void tick(void *component, uint64_t cycle)
{
	const struct sm *first = component;
	struct gpu *g = first->gpu;
	struct beside *s = g->beside;

	sim_take_due(g->engine, first->comp, g->sm_count - first->index, s->due);
	s->due[first->comp.index / 64] |= 1ull << first->comp.index % 64;
	step_do(g, cycle);
}

/* The same, after answers have come. */
static void tick_answers(void *component, uint64_t cycle)
{
	struct gpu *g = component;

	sim_take_due(g->engine, g->beside->first, g->sm_count, g->beside->due);
	step_do(g, cycle);
}

void beside_answer(struct gpu *g, uint32_t cluster, struct mem_req *r)
{
	struct beside *s = g->beside;
	const struct net_port *port = net_port_of(&g->ports, r);
	const struct sm_port *to = port->self;

	CHECK(port->place == GPU_PLACE_CLUSTER);
	if (r->op != MEM_MESSAGE)
		port_count(g, r, to->latency_ps);
	if (unlikely(g->units) && r->op != MEM_READ && r->op != MEM_MESSAGE)
		g->units->ops->store_answered(g->units->self, r);
	r->next = NULL;
	base_fifo_push(&s->came[cluster], r, next);
	s->work[cluster / 64] |= 1ull << cluster % 64;
	sim_wake_cycle(g->engine, g->beside_comp, sim_cycle_now(g->engine, g->clocks.sm));
}

/* ---- its life ---- */

/* Zeroed, in lines that hold nothing else. */
static void *lines_new(size_t bytes)
{
	const size_t whole = (bytes + HOST_LINE_BYTES - 1) / HOST_LINE_BYTES * HOST_LINE_BYTES;
	void *lines = aligned_alloc(HOST_LINE_BYTES, whole);

	CHECK(lines);
	return memset(lines, 0, whole);
}

void beside_prepare(struct gpu *g)
{
	g->beside_comp = sim_engine_add(g->engine, g->clocks.sm, "beside", tick_answers, g);
}

static void hands_new(struct gpu *g)
{
	struct beside *s = g->beside;

	s->hand_count = sim_team_threads(s->threads);
	s->hands = lines_new(s->hand_count * sizeof(*s->hands));
	for (uint32_t i = 0; i < s->hand_count; i++) {
		s->hands[i].thread = (uint16_t)i;
		s->hands[i].pushes = lines_new(g->sm_count * sizeof(*s->hands[i].pushes));
		s->hands[i].wakes = lines_new(g->sm_count * sizeof(*s->hands[i].wakes));
		mem_req_stash_fill(g->pool, &s->hands[i].stash, HAND_REQUESTS);
	}
}

struct sim_team *beside_team(const struct gpu *g)
{
	return g->beside ? g->beside->threads : NULL;
}

uint32_t beside_new(struct gpu *g, uint32_t thread_count)
{
	struct sim_team *threads = sim_team_new(thread_count, g->cluster_count);
	struct beside *s;

	if (!threads)
		return 1;
	s = g->beside = lines_new(sizeof(*s));
	s->threads = threads;
	s->clusters = g_new0(uint32_t, g->cluster_count);
	s->word_count = (g->sm_count + 63) / 64;
	s->first = g->sms[0]->comp;
	g->held_watch = ~0ull;
	GPU_EXT_EACH(g, e, own_points)
		g->held_watch &= ~((uint64_t)e->ops->own_points << GPU_POINT_COUNT * e->number);
	if (g->account)
		account_use_threads(g->account, sim_team_threads(threads));
	s->sm_first = g_new0(uint32_t, g->cluster_count + 1);
	s->cluster_of = g_new0(uint16_t, g->sm_count);
	s->came = lines_new(g->cluster_count * sizeof(*s->came));
	s->left = lines_new(g->cluster_count * sizeof(*s->left));
	hands_new(g);
	for (uint32_t i = 0; i < g->sm_count; i++) {
		struct sm *sm = g->sms[i];

		CHECK(sm->comp.index == g->sms[0]->comp.index + i);
		s->cluster_of[i] = (uint16_t)sm->cluster;
		s->sm_first[sm->cluster + 1] = i + 1;
		sm->beside = lines_new(sizeof(*sm->beside));
		sim_engine_tick_with(g->engine, sm->comp, tick);
	}
	return s->hand_count;
}

void beside_end(struct gpu *g)
{
	struct beside *s = g->beside;

	if (!s)
		return;
	sim_team_free(s->threads);
	for (uint32_t i = 0; i < s->hand_count; i++) {
		free(s->hands[i].pushes);
		free(s->hands[i].wakes);
		audit_log_free(&s->hands[i].audit);
	}
	free(s->hands);
	g_free(s->clusters);
	g_free(s->cluster_of);
	free(s->came);
	free(s->left);
	g_free(s->sm_first);
	free(s);
	g->beside = NULL;
}

/* Where an extension watches warps, or an SM translates addresses, what an answer does may concern others. */
void beside_launch_begin(struct gpu *g)
{
	g->keeps_answers = g->beside && !g->sms[0]->mmu && !(g->watch & g->held_watch);
}

/* A hand that has been taken holds no more than its requests. */
void beside_reset(struct gpu *g)
{
	struct beside *s = g->beside;

	for (uint32_t i = 0; s && i < s->hand_count; i++) {
		s->hands[i].stash = (struct mem_req_stash){0};
		mem_req_stash_fill(g->pool, &s->hands[i].stash, HAND_REQUESTS);
	}
}

void beside_free(struct sm *sm)
{
	if (sm->beside)
		simt_beside_end(&sm->beside->view);
	free(sm->beside);
}
