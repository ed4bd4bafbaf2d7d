/* block.c - a control block: CTAs on its lanes, word after word, its access under way. */
#include <string.h>

#include "dc/system/priv.h"

/* Words that a control block may run ahead before it lets others have the host's time. */
enum { WORDS_AT_ONCE = 4096, BANK_WARPS = DC_BANK_LANES / 32 };

/* ---- CTAs ---- */

uint32_t dc_ctas_per_block(uint32_t lanes, uint32_t threads)
{
	const uint32_t padded = (threads + 31) / 32 * 32, banks = lanes / DC_BANK_LANES;

	if (padded > lanes)
		return 0;
	/* Up to a bank's lanes it does not straddle one; larger ones take whole banks. */
	if (padded <= DC_BANK_LANES)
		return DC_BANK_LANES / padded * banks;
	return banks / ((padded + DC_BANK_LANES - 1) / DC_BANK_LANES);
}

static void cta_id(const struct simt_launch *l, uint64_t cta, uint32_t *id)
{
	id[0] = (uint32_t)(cta % l->grid[0]);
	id[1] = (uint32_t)(cta / l->grid[0] % l->grid[1]);
	id[2] = (uint32_t)(cta / l->grid[0] / l->grid[1]);
}

static uint32_t lanes_launched(uint64_t threads, uint32_t warp)
{
	const uint64_t first = (uint64_t)warp * 32;

	return first >= threads ? 0 : threads - first >= 32 ? UINT32_MAX : (1u << (threads - first)) - 1;
}

static void put_warp(const struct dc_system *s, struct dc_warp *to, uint64_t cta, uint32_t warp, uint32_t segment)
{
	*to = (struct dc_warp){.cta = cta, .warp = warp, .segment = segment,
			       .launched = lanes_launched(s->threads, warp)};
	cta_id(s->launch, cta, to->cta_id);
}

/* Warps of whole CTAs, each from where its bank, or the first of its banks, begins. */
static uint32_t place_ctas(struct dc_system *s, struct dc_warp *warps, uint32_t lanes, uint32_t *ctas)
{
	const uint32_t per_cta = (uint32_t)((s->threads + 31) / 32);
	const uint32_t in_bank = per_cta <= BANK_WARPS ? BANK_WARPS / per_cta : 1;
	const uint32_t banks = per_cta <= BANK_WARPS ? 1 : (per_cta + BANK_WARPS - 1) / BANK_WARPS;
	const uint32_t most = s->is_spread ? 1 : s->ctas_per_block;
	uint32_t end = 0;

	memset(warps, 0, sizeof(*warps) * lanes / 32);
	for (*ctas = 0; *ctas < most && s->next_cta < s->cta_count; ++*ctas) {
		const uint32_t first = *ctas / in_bank * banks * BANK_WARPS + *ctas % in_bank * per_cta;

		for (uint32_t w = 0; w < per_cta; w++)
			put_warp(s, &warps[first + w], s->next_cta, w, *ctas);
		end = first + per_cta;
		s->next_cta++;
	}
	return end;
}

/* A CTA of more threads than a control block has lanes: so many of its warps as fit. next_cta counts parts. */
static uint32_t place_part(struct dc_system *s, struct dc_warp *warps, uint32_t lanes, uint32_t *ctas)
{
	const uint64_t cta = s->next_cta / s->parts_per_cta, part = s->next_cta % s->parts_per_cta;
	uint32_t count = 0;

	for (uint32_t w = 0; w < lanes / 32; w++) {
		const uint32_t warp = (uint32_t)part * (lanes / 32) + w;

		if (!lanes_launched(s->threads, warp))
			break;
		put_warp(s, &warps[count++], cta, warp, 0);
	}
	*ctas = part == s->parts_per_cta - 1;
	s->next_cta++;
	return count;
}

bool dc_cb_fill(struct dc_cb *cb, uint64_t cycle)
{
	struct dc_system *s = cb->system;
	const uint32_t lanes = dc_program_lanes(s->program);
	const struct dc_kernel *k = dc_program_kernel(s->program);
	const uint64_t own =
	    s->segments + cb->index * (s->shared_bytes * dc_max(s->ctas_per_block, 1) + s->local_bytes);
	const uint64_t local = own + s->shared_bytes * dc_max(s->ctas_per_block, 1);
	const struct dc_segments segments = {.shared = own,
					     .shared_stride_bytes = s->shared_bytes,
					     .local = local,
					     .spill = local + (k->local_bytes + 3) / 4 * 4 * lanes};
	struct dc_warp warps[DC_WARPS_MAX];
	uint32_t count;

	if (s->next_cta >= s->cta_count)
		return false;
	count = s->parts_per_cta > 1 ? place_part(s, warps, lanes, &cb->ctas) : place_ctas(s, warps, lanes, &cb->ctas);
	if (!cb->block)
		cb->block = dc_block_new(s->program, cb->index, cb->registers);
	dc_block_begin(cb->block, warps, count, &segments);
	s->stats.blocks_started++;
	cb->cycle = cb->filled = cycle;
	cb->swap = DC_SWAP_NONE;
	cb->banks = (count * 32 + DC_BANK_LANES - 1) / DC_BANK_LANES;
	cb->place = cb->rounds_words = 0;
	if (k->word_count > s->p->ring_words)
		cb->fed_to = 0; /* else the code is still in the ring */
	cb->state = DC_CB_RUN;
	s->active++;
	sim_wake_cycle(s->ctx->engine, cb->comp, dc_max(cycle, dc_now(s)));
	return true;
}

/* ---- feeding ---- */

/* Thousandths of a cycle of the arrays that the host core takes for a word. */
static uint64_t word_milli(const struct dc_system *s)
{
	return s->p->clock_khz * 1000 / (s->p->host_clock_khz * s->p->feed_words_per_cycle);
}

static uint64_t place_of(const struct dc_cb *cb)
{
	return cb->rounds_words + dc_block_word(cb->block);
}

static void find_slowest(struct dc_system *s)
{
	s->slowest = DC_NEVER;
	for (uint32_t i = 0; i < s->used_cbs; i++) {
		const struct dc_cb *cb = &s->cbs[i];

		if (cb->state != DC_CB_IDLE && cb->state != DC_CB_WAVE && cb->place < s->slowest)
			s->slowest = cb->place;
	}
}

/* The slowest of the group has moved on: those whose words have found room run again. */
static void feed_more(struct dc_system *s, uint64_t cycle)
{
	struct dc_cb *waiting = s->feed_first;

	find_slowest(s);
	s->feed_free_milli = dc_max(s->feed_free_milli, cycle * 1000);
	s->feed_first = NULL;
	for (struct dc_cb *cb = waiting, *next; cb; cb = next) {
		next = cb->next;
		cb->state = DC_CB_RUN;
		s->stats.feed_wait_cycles += cycle > cb->cycle ? cycle - cb->cycle : 0;
		cb->cycle = dc_max(cb->cycle, cycle);
		sim_wake_cycle(s->ctx->engine, cb->comp, dc_max(cb->cycle, dc_now(s)));
	}
}

/* Has the next word been sent? With one stream for all it may not overwrite what the slowest has not executed. */
static bool is_fed(struct dc_cb *cb)
{
	struct dc_system *s = cb->system;
	const uint64_t place = place_of(cb);

	if (s->p->feed != DC_BROADCAST || dc_program_kernel(s->program)->word_count <= s->p->ring_words ||
	    place < s->slowest + s->p->ring_words)
		return true;
	cb->place = place;
	find_slowest(s);
	if (place < s->slowest + s->p->ring_words)
		return true;
	cb->state = DC_CB_FEED;
	cb->next = s->feed_first;
	s->feed_first = cb;
	return false;
}

/* One stream for all: the host sends word after word from the launch on, and goes on where the slowest has made room;
 * what the ring still has is not sent again. */
static void wait_for_stream(struct dc_cb *cb)
{
	struct dc_system *s = cb->system;
	const uint32_t word = dc_block_word(cb->block);

	if (s->p->feed != DC_BROADCAST)
		return;
	if (cb->rounds_words < s->sent_rounds_words && word < s->sent_most)
		return; /* of a round before the one that is being sent */
	for (; s->sent_to <= word; s->sent_to++)
		s->sent_milli[s->sent_to] = s->feed_free_milli += word_milli(s);
	s->sent_most = MAX(s->sent_most, s->sent_to);

	const uint64_t there = (s->sent_milli[word] + 999) / 1000;

	if (there > cb->cycle) {
		s->stats.feed_wait_cycles += there - cb->cycle;
		cb->cycle = there;
	}
}

/* From this word on it sends again. */
static void restart_stream(struct dc_system *s, uint32_t word, uint64_t cycle)
{
	s->sent_to = word < s->sent_to ? word : s->sent_to;
	s->feed_free_milli = dc_max(s->feed_free_milli, cycle * 1000);
}

/* Words of this run that the host core sent to this control block alone: it waits for the last of them. */
static void charge_feed(struct dc_cb *cb, uint64_t begin)
{
	struct dc_system *s = cb->system;
	const uint64_t milli = word_milli(s), ahead = s->p->ring_words * milli;
	uint64_t end;

	if (s->p->feed == DC_PER_BLOCK && cb->fed_words) {
		const uint64_t from = begin * 1000 > ahead ? begin * 1000 - ahead : 0;

		s->feed_free_milli = dc_max(s->feed_free_milli, from) + cb->fed_words * milli;
		end = (s->feed_free_milli + 999) / 1000;
		if (end > cb->cycle) {
			s->stats.feed_wait_cycles += end - cb->cycle;
			cb->cycle = end;
		}
	}
	cb->fed_words = 0;
}

/* A loop that the ring does not hold is sent again in every round: when the first control block begins it, for all. */
static void begin_round(struct dc_cb *cb, const struct dc_word *last, uint32_t executed)
{
	struct dc_system *s = cb->system;

	cb->fed_to = last->target;
	cb->rounds_words += executed + 1 - last->target;
	if (s->p->feed != DC_BROADCAST || cb->rounds_words <= s->sent_rounds_words)
		return;
	s->sent_rounds_words = cb->rounds_words;
	restart_stream(s, last->target, cb->cycle);
}

static void count_fed(struct dc_cb *cb, const struct dc_step *step)
{
	struct dc_system *s = cb->system;
	const struct dc_word *w = &dc_program_kernel(s->program)->words[step->executed];
	const bool is_sent_again = w->loop_words > s->p->ring_words;

	if (step->executed >= cb->fed_to) {
		cb->fed_to = step->executed + 1;
		cb->fed_words++;
	}
	if (!step->jumped) {
		if (is_sent_again) /* what follows comes after the others' rounds */
			cb->rounds_words = dc_max(cb->rounds_words, s->sent_rounds_words);
		return;
	}
	s->stats.jumps++;
	s->stats.jump_cycles += s->p->jump_cycles;
	cb->cycle += s->p->jump_cycles;
	if (is_sent_again)
		begin_round(cb, w, step->executed);
}

/* ---- the end of its CTAs ---- */

/* All have ended: only under broadcast. */
static void next_wave(struct dc_system *s, uint64_t cycle)
{
	if (dc_program_kernel(s->program)->word_count > s->p->ring_words) {
		restart_stream(s, 0, cycle);
		s->sent_most = 0;
		s->sent_rounds_words = 0;
	}
	for (uint32_t i = 0; i < s->used_cbs; i++) {
		struct dc_cb *cb = &s->cbs[i];

		if (cb->state != DC_CB_WAVE)
			continue;
		s->stats.wave_wait_cycles += s->next_cta < s->cta_count ? cycle - cb->cycle : 0;
		cb->state = DC_CB_IDLE;
		dc_cb_fill(cb, cycle);
	}
}

static void ended(struct dc_cb *cb, uint64_t cycle)
{
	struct dc_system *s = cb->system;

	s->stats.ctas += cb->ctas;
	if (s->spans)
		sim_spans_add(s->spans, cb->index, s->stats.kernels + 1, dc_ps(s, cb->filled), dc_ps(s, cycle));
	s->active--;
	cb->state = DC_CB_IDLE;
	cb->place = DC_NEVER;
	if (s->p->feed == DC_PER_BLOCK) {
		dc_cb_fill(cb, cycle);
		return;
	}
	cb->state = DC_CB_WAVE;
	if (!s->active) /* all others ended at their time, which is not after this one */
		next_wave(s, cycle);
}

/* ---- running ---- */

static void fail(struct dc_system *s)
{
	s->is_wrong = true;
	sim_stop(s->ctx->engine);
}

/* A word that others can see is executed at its time. */
static bool must_wait(const struct dc_cb *cb, uint64_t now)
{
	const struct dc_word *w = &dc_program_kernel(cb->system->program)->words[dc_block_word(cb->block)];

	return (w->box.kind != DC_BOX_NONE || dc_swap_rows(cb->system, w) ||
		dc_program_may_repeat(cb->system->program, dc_block_word(cb->block))) &&
	       cb->cycle > now;
}

/* The word has been executed, and its access is done: what has left for it comes back. False: not yet. */
static bool swap_back(struct dc_cb *cb, uint64_t now)
{
	if (cb->swap != DC_SWAP_IN)
		return true;
	if (cb->cycle > now)
		return false;
	dc_swap_end(cb, &dc_program_kernel(cb->system->program)->words[cb->swapped_word]);
	return true;
}

/* True: it runs on; else it has been told when. */
static bool step(struct dc_cb *cb)
{
	struct dc_system *s = cb->system;
	const struct dc_word *w = &dc_program_kernel(s->program)->words[dc_block_word(cb->block)];
	struct dc_step out;

	if (dc_swap_rows(s, w)) {
		if (cb->swap == DC_SWAP_NONE)
			return dc_swap_begin(cb, w);
		cb->swap = DC_SWAP_IN;
		cb->swapped_word = dc_block_word(cb->block);
	}
	if (!dc_block_step(s->program, cb->block, s->launch, cb->cycle, &out)) {
		fail(s);
		return false;
	}
	out.cycles *= dc_swap_passes(cb, w);
	s->stats.compute_cycles += out.cycles;
	if (out.again_rows)
		cb->cycle = dc_swap_again(cb, out.again_rows);
	cb->is_last = out.is_done;
	if (out.access.kind == DC_BOX_NONE) {
		cb->cycle += out.cycles;
		count_fed(cb, &out);
		return true;
	}
	cb->access = out.access;
	cb->state = DC_CB_ACCESS;
	count_fed(cb, &out);
	cb->slots_end = cb->cycle + out.cycles; /* a jump comes first */
	dc_access_begin(cb);
	return false;
}

void dc_cb_access_done(struct dc_cb *cb, uint64_t cycle)
{
	struct dc_system *s = cb->system;

	if (cb->access.kind != DC_BOX_WARP && cb->access.kind != DC_BOX_BARRIER)
		sim_hist_add(&s->stats.access_latency_ps, dc_ps(s, cycle - cb->asked));
	s->stats.memory_cycles += cycle > cb->slots_end ? cycle - cb->slots_end : 0;
	cb->cycle = dc_max(cycle, cb->slots_end);
	cb->state = DC_CB_RUN;
	sim_wake_cycle(s->ctx->engine, cb->comp, dc_max(cb->cycle, dc_now(s)));
}

void dc_cb_tick(void *self, uint64_t cycle)
{
	struct dc_cb *cb = self;
	struct dc_system *s = cb->system;
	const uint64_t begin = cb->cycle;
	const uint64_t place = cb->place;
	bool runs = true;

	if (cb->state != DC_CB_RUN)
		return;
	if (s->stop) {
		sim_stop(s->ctx->engine);
		return;
	}
	for (uint32_t i = 0; runs && i < WORDS_AT_ONCE; i++) {
		if (!swap_back(cb, cycle))
			break;
		if (cb->is_last) {
			charge_feed(cb, begin);
			if (cb->cycle > cycle) /* words without an access run ahead: it ends when the last one does */
				break;
			cb->is_last = false;
			ended(cb, cycle);
			runs = false;
		} else if (!is_fed(cb)) {
			runs = false;
		} else {
			wait_for_stream(cb);
			if (must_wait(cb, cycle))
				break;
			runs = step(cb);
		}
	}
	if (runs) {
		charge_feed(cb, begin);
		cb->place = place_of(cb);
		sim_wake_cycle(s->ctx->engine, cb->comp, dc_max(cb->cycle, cycle + 1));
	} else if (cb->state != DC_CB_IDLE && cb->state != DC_CB_WAVE) {
		cb->place = place_of(cb);
	}
	if (s->feed_first && place <= s->slowest)
		feed_more(s, cycle);
}
