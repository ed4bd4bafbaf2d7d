/* slice.c - the C-Box of a slice: transpose unit, MSHRs, crossbar, ways that are cache, and the way to memory. */
#include <string.h>

#include "dc/system/priv.h"

/* ---- places ---- */

/* The line's number among those of its socket. Where the first touch decides, a socket may have any pages. */
static uint64_t number_in_socket(const struct dc_system *s, uint64_t line)
{
	const uint64_t in_page = (1ull << s->page_shift) - 1;
	uint64_t rest;

	if (s->page_sockets)
		return line >> s->line_shift;
	return (base_divide(line >> s->page_shift, &s->by_sockets, &rest) << s->page_shift | (line & in_page)) >>
	       s->line_shift;
}

/* Lines of a socket go to its slices: of slice_count successive ones each has one, in an order that a hash turns. */
static uint32_t home_of(const struct dc_system *s, uint64_t line)
{
	uint64_t slice;
	const uint64_t group = base_divide(number_in_socket(s, line), &s->by_slices, &slice);

	base_divide(slice + (dc_mix(group) >> 20), &s->by_slices, &slice);
	return (uint32_t)(dc_socket_of(s, line) * s->p->slice_count + slice);
}

/* duality.pages=first_touch: a page that nobody has asked for yet is this slice's socket's from now on. */
static void touch(struct dc_system *s, const struct dc_slice *own, uint64_t line)
{
	if (s->page_sockets)
		dc_mmu_touch(s, line, own->socket);
}

/* ---- the link between sockets ---- */

static bool is_linked(const struct dc_slice *from, const struct dc_slice *to)
{
	return from->socket != to->socket && from->system->p->link_mbytes_per_s;
}

static uint64_t send_by(struct dc_system *s, struct net_wire *wire, uint64_t at, uint64_t bytes)
{
	const uint64_t start = dc_max(wire->free_units, at * 1000);

	s->stats.link_wait_cycles += (start - at * 1000) / 1000;
	s->stats.link_bytes += bytes;
	return net_wire_send(wire, start, bytes) / 1000 + s->link_cycles;
}

static struct dc_link *link_of(const struct dc_slice *from, const struct dc_slice *to)
{
	return &from->system->links[from->socket > to->socket];
}

/* A message begins to cross at `at`: the cycle in which it arrives. Lines that begin later are behind it. */
static uint64_t send_message(const struct dc_slice *from, const struct dc_slice *to, uint64_t at)
{
	struct dc_system *s = from->system;
	struct dc_link *link = link_of(from, to);

	net_wire_send(&link->wire, at * 1000, s->p->link_message_bytes);
	return send_by(s, &link->messages, at, s->p->link_message_bytes);
}

/* What it finds there it finds when it arrives, not now: queues are long here. */
static void cross(struct dc_system *s, struct dc_link *link, struct dc_crossings *queue, struct dc_crossing crossing)
{
	struct dc_crossing *c = base_pool_take(&s->crossing_pool, next);

	*c = crossing;
	if (!queue->first)
		sim_wake_cycle(s->ctx->engine, link->comp, c->at);
	base_fifo_push(queue, c, next);
}

/* A line, stored or as an answer. */
static void cross_line(const struct dc_slice *from, const struct dc_slice *to, struct dc_asker who, uint64_t at,
		       bool is_answer)
{
	struct dc_system *s = from->system;
	struct dc_link *link = link_of(from, to);

	cross(s, link, &link->lines,
	      (struct dc_crossing){.at = send_by(s, &link->wire, at, s->p->line_bytes), .who = who,
				   .is_answer = is_answer});
}

static void cross_request(const struct dc_slice *from, const struct dc_slice *to, struct dc_asker who, uint64_t at)
{
	struct dc_link *link = link_of(from, to);

	cross(from->system, link, &link->requests,
	      (struct dc_crossing){.at = send_message(from, to, at), .who = who});
}

/* ---- ways that are cache ---- */

/* By the line's number in its slice: successive ones have all sets, in an order that a hash turns. */
static uint64_t set_of(const struct dc_system *s, uint64_t line)
{
	uint64_t rest;
	const uint64_t number = base_divide(number_in_socket(s, line), &s->by_slices, &rest);

	return (number ^ dc_mix(number / s->set_count) >> 20) & (s->set_count - 1);
}

/* The way that holds the line, or NULL. */
static struct dc_tag *tag_of(const struct dc_slice *slice, uint64_t line)
{
	return slice->way_count ? mem_tags_find(&slice->cache, set_of(slice->system, line), line) : NULL;
}

/* The host's memory for a look-up to come: first the marks, then, when these are there, the tag. */
static void prefetch_marks(const struct dc_system *s, uint64_t line)
{
	const struct dc_slice *slice = &s->slices[home_of(s, line)];

	__builtin_prefetch(slice->cache.marks + set_of(s, line) * slice->cache.way_count);
}

static void prefetch_tag(const struct dc_system *s, uint64_t line)
{
	const struct dc_slice *slice = &s->slices[home_of(s, line)];

	mem_tags_prefetch(&slice->cache, set_of(s, line), line);
}

/* Found: used now, and dirty from now on or as before. */
static bool find(struct dc_slice *slice, uint64_t line, bool makes_dirty)
{
	struct dc_tag *tag = tag_of(slice, line);

	if (!tag)
		return false;
	mem_tags_use(&slice->cache, tag);
	if (makes_dirty)
		tag->state = DC_TAG_DIRTY;
	return true;
}

static void queue_fetch(struct dc_slice *home, struct dc_fetch *f)
{
	f->physical = dc_physical(home->system, f->line);
	f->next = NULL;
	*home->queue_end = f;
	home->queue_end = &f->next;
	if (home->queue == f && !home->is_refused)
		sim_wake_cycle(home->system->ctx->engine, home->comp, dc_max(f->ready, dc_now(home->system)));
}

static struct dc_fetch *fetch_new(struct dc_slice *home, uint64_t line, uint64_t ready, bool is_write)
{
	struct dc_system *s = home->system;
	struct dc_fetch *f = base_pool_take(&s->fetch_pool, next);

	*f = (struct dc_fetch){.line = line, .ready = ready, .is_write = is_write, .home = home->index};
	return f;
}

static struct dc_fetch *write_back(struct dc_slice *home, uint64_t line, uint64_t at)
{
	struct dc_fetch *f = fetch_new(home, line, at, true);

	home->system->stats.cache_writebacks++;
	queue_fetch(home, f);
	return f;
}

/* Where a line that is not in the set comes to: a free place, or that of the line used longest ago. */
static struct dc_tag *room_in(const struct dc_slice *home, uint64_t set)
{
	const struct dc_tag *end = home->cache.tags + set * home->cache.way_count + home->way_count;

	return mem_tags_victim(&home->cache, set, way, way < end);
}

static void put(struct dc_slice *home, struct dc_tag *tag, uint64_t line, uint8_t state)
{
	mem_tags_take(&home->cache, tag, line);
	*tag = (struct dc_tag){.line = line, .state = state};
	mem_tags_use(&home->cache, tag);
}

/* The line may be there: a store of all of it was faster than what had been asked of memory. */
static void insert(struct dc_slice *home, uint64_t line, uint8_t state, uint64_t at)
{
	struct dc_tag *tag;

	if (!home->way_count || find(home, line, state == DC_TAG_DIRTY))
		return;
	tag = room_in(home, set_of(home->system, line));
	if (tag->state == DC_TAG_DIRTY)
		write_back(home, tag->line, at);
	put(home, tag, line, state);
}

/* A way that computes from now on. */
static void leave(struct dc_slice *slice, struct dc_tag *tag, uint64_t now)
{
	if (tag->state == DC_TAG_DIRTY) {
		write_back(slice, tag->line, now)->is_entry = true;
		slice->system->entry_left++;
	}
	tag->state = 0;
}

void dc_slice_enter(struct dc_slice *slice, uint32_t ways)
{
	const uint64_t now = dc_now(slice->system);

	for (uint64_t set = 0; set < slice->cache.set_count; set++) {
		const uint64_t first = set * slice->cache.way_count;

		for (uint64_t w = first + ways; w < first + slice->way_count; w++)
			if (slice->cache.marks[w]) { /* else the tag's memory need not be read */
				leave(slice, &slice->cache.tags[w], now);
				slice->cache.marks[w] = 0;
			}
	}
	slice->way_count = ways;
}

/* ---- lines on their way ---- */

static struct dc_fetch **bucket_of(struct dc_system *s, uint64_t line)
{
	return &s->buckets[dc_mix(line >> s->line_shift) >> 8 & (DC_FETCH_BUCKETS - 1)];
}

/* The line that is on its way to this slice, or NULL. */
static struct dc_fetch *coming_to(const struct dc_slice *slice, uint64_t line)
{
	struct dc_fetch *f = *bucket_of(slice->system, line);

	while (f && (f->line != line || f->home != slice->index))
		f = f->chain;
	return f;
}

static struct dc_fetch *expect(struct dc_slice *slice, uint64_t line, uint64_t ready)
{
	struct dc_fetch **bucket = bucket_of(slice->system, line), *f = fetch_new(slice, line, ready, false);

	f->chain = *bucket;
	*bucket = f;
	return f;
}

static void unchain(struct dc_system *s, struct dc_fetch *f)
{
	struct dc_fetch **at = bucket_of(s, f->line);

	while (*at != f)
		at = &(*at)->chain;
	*at = f->chain;
}

/* ---- copies of other sockets' lines ---- */

/* The slice of a socket that keeps its copy of a line. */
static struct dc_slice *keeper_in(struct dc_system *s, uint32_t socket, uint64_t line)
{
	return &s->slices[socket * (uint32_t)s->p->slice_count + home_of(s, line) % (uint32_t)s->p->slice_count];
}

static bool forget(struct dc_slice *keeper, uint64_t line)
{
	struct dc_tag *tag = tag_of(keeper, line);
	struct dc_fetch *f = coming_to(keeper, line);
	const bool is_there = tag || (f && f->is_crossing && !f->is_stale);

	if (tag)
		tag->state = 0;
	if (f)
		f->is_stale = f->is_crossing;
	return is_there;
}

/* The home is about to change the line; its directory knows which sockets have a copy. Returns when none has, and who
 * had has said so. What it says has its time of the wire back from now on, not from when it is sent: until then the
 * wire is others'. */
static uint64_t invalidate(struct dc_slice *home, uint64_t line, uint64_t at)
{
	struct dc_system *s = home->system;
	uint64_t end = at;

	for (uint32_t k = 0; s->has_copies && k < s->p->socket_count; k++) {
		struct dc_slice *keeper = keeper_in(s, k, line);

		if (k == home->socket || !forget(keeper, line))
			continue;
		s->stats.copies_invalidated++;
		end = dc_max(end, send_message(home, keeper, at) + s->link_cycles);
		end = dc_max(end, send_message(keeper, home, at) + s->link_cycles);
	}
	return end;
}

/* What these lines take the place of has been written back in the host's time, too. */
void dc_slices_written(struct dc_system *s, uint64_t address, uint64_t bytes)
{
	const uint64_t size = s->p->line_bytes, room = (uint64_t)s->slice_count * s->set_count * s->p->way_count;
	const uint64_t end = (address + bytes - 1) / size;
	uint64_t line = address / size;

	if (end - line >= room) /* of more than the caches hold the last stays */
		line = end - room + 1;
	for (; line <= end; line++) {
		struct dc_slice *home = &s->slices[home_of(s, line * size)];

		for (uint32_t k = 0; s->has_copies && k < s->p->socket_count; k++)
			if (k != home->socket)
				s->stats.copies_invalidated += forget(keeper_in(s, k, line * size), line * size);
		if (!find(home, line * size, true))
			put(home, room_in(home, set_of(s, line * size)), line * size, DC_TAG_DIRTY);
	}
}

static void wait_for(struct dc_system *s, struct dc_fetch *f, struct dc_asker who)
{
	struct dc_waiter *w = base_pool_take(&s->waiter_pool, next);

	*w = (struct dc_waiter){.who = who};
	*(f->waiters ? &f->last_waiter->next : &f->waiters) = w;
	f->last_waiter = w;
}

static void waiters_free(struct dc_system *s, struct dc_fetch *f)
{
	for (struct dc_waiter *w = f->waiters, *next; w; w = next) {
		next = w->next;
		base_pool_put(&s->waiter_pool, w, next);
	}
	f->waiters = NULL;
}

static uint64_t through_crossbar(struct dc_system *s, uint64_t *free, uint64_t at)
{
	s->stats.crossbar_lines++;
	return dc_take(free, at, 1, s->p->crossbar_lines_per_cycle, &s->stats.crossbar_wait_cycles);
}

/* One line less to wait for. */
static void settle(struct dc_cb *cb, uint64_t at)
{
	cb->arrived = dc_max(cb->arrived, at);
	CHECK(cb->pending > 0);
	cb->pending--;
}

/* An answer has come to the control block's slice: a line, or, of an atomic whose result nobody wants, nothing. */
static void deliver(struct dc_cb *cb, uint64_t at)
{
	struct dc_system *s = cb->system;

	settle(cb, cb->access.in_rows ? through_crossbar(s, &s->slices[cb->slice].crossbar_in_free, at) : at);
}

/* It has waited until the first bank's begin. */
uint64_t dc_transpose(struct dc_system *s, uint64_t *free, uint64_t at, uint32_t rows, uint32_t banks)
{
	uint64_t end = at, waited = 0;

	for (uint32_t b = 0; rows && b < banks; b++) {
		uint64_t *unit = free;

		for (uint32_t k = 1; k < s->p->tmu_count; k++)
			if (free[k] < *unit)
				unit = &free[k];
		end = dc_max(end, dc_take(unit, at, rows, s->p->tmu_rows_per_cycle,
					  b ? &waited : &s->stats.tmu_wait_cycles));
		s->stats.tmu_rows += rows;
	}
	return end;
}

/* Its last line is there: into the arrays. */
static void finish(struct dc_cb *cb)
{
	struct dc_system *s = cb->system;

	dc_cb_access_done(cb, dc_transpose(s, s->slices[cb->slice].in_free, cb->arrived, cb->access.in_rows,
					cb->access.banks));
}

/* While lines are still to be asked for, who asks for the last looks whether all are there. */
static void finish_if_last(struct dc_cb *cb)
{
	if (!cb->pending && cb->next_line == cb->access.line_count)
		finish(cb);
}

/* Lanes of an atomic at the home slice, one a cycle. */
static uint64_t serve_atomics(struct dc_slice *home, uint64_t at, uint32_t lanes)
{
	uint64_t waited = 0;

	return lanes ? dc_take(&home->atomic_free, at, lanes, 1, &waited) : at;
}

/* ---- an access, line by line ---- */

static uint64_t line_of(const struct dc_system *s, struct dc_asker who)
{
	if (who.host)
		return who.host->line << s->line_shift;
	return who.cb ? who.cb->access.lines[who.line] : who.copy->line;
}

static struct dc_slice *slice_of(struct dc_system *s, struct dc_asker who)
{
	if (who.host)
		return keeper_in(s, who.line, line_of(s, who));
	return &s->slices[who.cb ? who.cb->slice : who.copy->home];
}

static uint32_t atomics_of(struct dc_asker who)
{
	const struct dc_access *a = who.cb ? &who.cb->access : NULL;

	return a && a->is_atomic ? a->line_bytes[who.line] / a->elem_bytes : 0;
}

static bool is_store(struct dc_asker who)
{
	return who.cb && who.cb->access.is_store;
}

/* Of a core of the host, which is to be the only one that has the line. */
static bool is_claim(struct dc_asker who)
{
	return who.host && cpu_is_write((enum cpu_op)who.host->op);
}

static bool is_posted(const struct dc_cb *cb)
{
	return cb && cb->access.is_store && !cb->access.is_atomic;
}

/* A store that the home need not fetch: all of the line, or no way to keep it. */
static bool writes_past(const struct dc_slice *home, struct dc_asker who)
{
	return is_posted(who.cb) &&
	       (!home->way_count || who.cb->access.line_bytes[who.line] >= home->system->p->line_bytes);
}

static void miss(struct dc_slice *home, struct dc_asker who, uint64_t at)
{
	struct dc_system *s = home->system;
	const uint64_t line = line_of(s, who);
	struct dc_fetch *f = coming_to(home, line);

	if (f) {
		s->stats.mshr_merges++;
	} else {
		f = expect(home, line, at);
		queue_fetch(home, f);
	}
	f->makes_dirty |= is_store(who);
	if (is_posted(who.cb)) /* the home has the bytes: the rest of the line is its own affair */
		settle(who.cb, at);
	else
		wait_for(s, f, who);
}

/* The home sends a line to who has asked for it from another socket. */
static void send_answer(struct dc_slice *home, struct dc_asker who, uint64_t at)
{
	if (who.copy)
		who.copy->is_crossing = true;
	cross_line(home, slice_of(home->system, who), who, at, true);
}

static void hit(struct dc_slice *home, struct dc_asker who, uint64_t at)
{
	struct dc_slice *own = slice_of(home->system, who);
	const uint64_t there = serve_atomics(home, at + home->system->llc_cycles, atomics_of(who));

	if (is_linked(home, own)) {
		send_answer(home, who, there);
	} else if (who.host) {
		dc_host_line(home->system, who.host, there);
	} else {
		own->mshr_used--; /* that it had for no time: nobody has come to wait for it */
		deliver(who.cb, there);
	}
}

/* In the home slice. */
static void look_up(struct dc_slice *home, struct dc_asker who, uint64_t at)
{
	struct dc_system *s = home->system;
	const uint64_t line = line_of(s, who);
	uint64_t waited = 0;

	at = dc_take(&home->port_free, at, 1, 1, &waited);
	if (is_store(who) || is_claim(who))
		at = invalidate(home, line, at);
	if (find(home, line, is_store(who)) || s->p->cache_is_perfect) {
		s->stats.cache_hits++;
		if (is_posted(who.cb))
			settle(who.cb, at);
		else
			hit(home, who, at);
		return;
	}
	s->stats.cache_misses++;
	if (!writes_past(home, who)) {
		miss(home, who, at);
	} else if (home->way_count) {
		insert(home, line, DC_TAG_DIRTY, at);
		settle(who.cb, at);
	} else {
		struct dc_fetch *f = fetch_new(home, line, at, true);

		wait_for(s, f, who);
		queue_fetch(home, f);
	}
}

/* A load of a line of another socket: a slice of its own keeps a copy, asks for one, or has done so. */
static void look_up_copy(struct dc_slice *keeper, struct dc_asker who, uint64_t at)
{
	struct dc_system *s = keeper->system;
	const uint64_t line = line_of(s, who);
	struct dc_fetch *f;
	uint64_t waited = 0;

	at = dc_take(&keeper->port_free, at, 1, 1, &waited);
	if (find(keeper, line, false)) {
		s->stats.cache_hits++;
		s->stats.copy_hits++;
		hit(keeper, who, at);
		return;
	}
	f = coming_to(keeper, line);
	if (f && !f->is_stale) {
		s->stats.mshr_merges++;
		wait_for(s, f, who);
		return;
	}
	s->stats.copy_misses++;
	s->has_copies = true;
	if (f) /* what comes is what the line was before a store */
		unchain(s, f);
	f = expect(keeper, line, at);
	wait_for(s, f, who);
	cross_request(keeper, &s->slices[home_of(s, line)], (struct dc_asker){.copy = f}, at);
}

/* A line has been registered; if it is to be answered, until then. What is stored goes with it. */
static void ask(struct dc_cb *cb, uint32_t k, uint64_t at)
{
	struct dc_system *s = cb->system;
	struct dc_slice *own = &s->slices[cb->slice], *home;
	const struct dc_asker who = {.cb = cb, .line = k};

	touch(s, own, cb->access.lines[k]);
	home = &s->slices[home_of(s, cb->access.lines[k])];
	own->mshr_used += !is_posted(cb);
	if (cb->access.is_store)
		at = through_crossbar(s, &own->crossbar_out_free, at);
	if (cb->access.is_store && is_linked(own, home))
		cross_line(own, home, who, at, false);
	else if (is_linked(own, home) && s->p->link_copies)
		look_up_copy(keeper_in(s, own->socket, line_of(s, who)), who, at);
	else if (is_linked(own, home))
		cross_request(own, home, who, at);
	else
		look_up(home, who, at);
}

/* For look-ups that are to come. */
static void prefetch(const struct dc_cb *cb)
{
	enum { TAGS_AHEAD = 8, MARKS_AHEAD = 16 };
	const struct dc_access *a = &cb->access;

	if (cb->next_line + MARKS_AHEAD < a->line_count)
		prefetch_marks(cb->system, a->lines[cb->next_line + MARKS_AHEAD]);
	if (cb->next_line + TAGS_AHEAD < a->line_count)
		prefetch_tag(cb->system, a->lines[cb->next_line + TAGS_AHEAD]);
}

/* Lines from next_line on, as long as the slice has MSHRs. */
static void issue(struct dc_cb *cb, uint64_t at)
{
	struct dc_system *s = cb->system;
	struct dc_slice *own = &s->slices[cb->slice];
	uint64_t waited = 0;

	while (cb->next_line < cb->access.line_count) {
		prefetch(cb);
		if (own->mshr_used >= s->p->mshr_count) {
			cb->next = NULL;
			*own->wait_end = cb;
			own->wait_end = &cb->next;
			cb->wait_from = dc_max(at, dc_now(s));
			return;
		}
		s->stats.lines++;
		ask(cb, cb->next_line++, dc_take(&own->mshr_free, at, 1, s->p->mshr_lines_per_cycle, &waited));
	}
	if (!cb->pending)
		finish(cb);
}

/* Those that wait go on, in turn, as long as there is a register: one may find that it needs none. */
static void release_mshr(struct dc_slice *slice, uint64_t at)
{
	const uint64_t count = slice->system->p->mshr_count;

	CHECK(slice->mshr_used > 0);
	slice->mshr_used--;
	while (slice->wait_first && slice->mshr_used < count) {
		struct dc_cb *cb = slice->wait_first;

		slice->wait_first = cb->next;
		if (!slice->wait_first)
			slice->wait_end = &slice->wait_first;
		slice->system->stats.mshr_wait_cycles += at > cb->wait_from ? at - cb->wait_from : 0;
		issue(cb, at);
	}
}

/* An answer for which a register was kept; at may lie ahead, by an atomic's lanes. */
static void answered(struct dc_cb *cb, uint64_t at)
{
	struct dc_system *s = cb->system;

	deliver(cb, at);
	finish_if_last(cb);
	release_mshr(&s->slices[cb->slice], dc_now(s));
}

/* The same, of whoever has asked. */
static void answered_by(struct dc_system *s, struct dc_asker who, uint64_t at)
{
	if (who.host)
		dc_host_line(s, who.host, at);
	else
		answered(who.cb, at);
}

/* A copy has come to the slice that keeps it, and those that have waited for it have the line. */
static void keep_copy(struct dc_system *s, struct dc_fetch *f, uint64_t now)
{
	if (!f->is_stale) {
		unchain(s, f);
		insert(&s->slices[f->home], f->line, DC_TAG_COPY, now);
	} else if (coming_to(&s->slices[f->home], f->line) == f) { /* and nobody has asked anew */
		unchain(s, f);
	}
	for (const struct dc_waiter *w = f->waiters; w; w = w->next)
		answered_by(s, w->who, now);
	waiters_free(s, f);
	base_pool_put(&s->fetch_pool, f, next);
}

static void crossed(struct dc_system *s, struct dc_crossings *queue, uint64_t cycle)
{
	while (queue->first && queue->first->at <= cycle) {
		struct dc_crossing *c = base_fifo_pop(queue, next);
		const struct dc_asker who = c->who;

		if (!c->is_answer) {
			look_up(&s->slices[home_of(s, line_of(s, who))], who, cycle);
			if (who.cb)
				finish_if_last(who.cb);
		} else if (who.copy) {
			keep_copy(s, who.copy, cycle);
		} else {
			answered_by(s, who, cycle);
		}
		base_pool_put(&s->crossing_pool, c, next);
	}
}

void dc_link_tick(void *self, uint64_t cycle)
{
	struct dc_link *link = self;
	struct dc_system *s = link->system;
	const struct dc_crossings *const queues[] = {&link->requests, &link->lines};

	crossed(s, &link->requests, cycle);
	crossed(s, &link->lines, cycle);
	for (uint32_t k = 0; k < ARRAY_COUNT(queues); k++)
		if (queues[k]->first)
			sim_wake_cycle(s->ctx->engine, link->comp, dc_max(queues[k]->first->at, cycle + 1));
}

static uint64_t through_tmu(struct dc_cb *cb)
{
	struct dc_system *s = cb->system;

	return dc_transpose(s, s->slices[cb->slice].out_free, cb->cycle, cb->access.out_rows, cb->access.banks);
}

/* Shuffles and votes: rows of every bank out, through the crossbar, and in again: a fixed time. */
static void shuffle(struct dc_cb *cb)
{
	struct dc_system *s = cb->system;
	struct dc_slice *own = &s->slices[cb->slice];
	const uint64_t rows = (uint64_t)(cb->access.out_rows + cb->access.in_rows) * cb->access.banks;

	s->stats.warp_accesses++;
	s->stats.crossbar_lines += rows;
	dc_cb_access_done(cb, dc_take(&own->crossbar_in_free, cb->cycle, rows, s->p->crossbar_lines_per_cycle,
				      &s->stats.crossbar_wait_cycles));
}

void dc_access_begin(struct dc_cb *cb)
{
	struct dc_system *s = cb->system;
	struct dc_access *a = &cb->access;

	if (a->kind == DC_BOX_WARP || a->kind == DC_BOX_BARRIER) {
		shuffle(cb);
		return;
	}
	cb->asked = dc_now(s);
	s->stats.accesses++;
	s->stats.access_lanes += a->lanes;
	s->stats.spill_accesses += a->kind == DC_BOX_SPILL || a->kind == DC_BOX_FILL;
	cb->next_line = 0;
	cb->pending = a->line_count;
	cb->arrived = through_tmu(cb);
	issue(cb, cb->arrived);
}

/* ---- memory ---- */

static bool offer(struct dc_slice *home, struct dc_fetch *f)
{
	struct dc_system *s = home->system;
	const uint64_t address = f->physical;
	const enum mem_op op = f->is_write ? MEM_WRITE : MEM_READ;

	if (!mem_memory_can_accept(s->memory, address, op))
		return false;

	struct mem_req *q = mem_req_get(s->ctx->pool);

	*q = (struct mem_req){.addr_bytes = address, .size_bytes = (uint16_t)s->p->line_bytes};
	mem_req_set_access(q, op, MEM_KIND_DATA);
	q->issue_units = sim_now_units(s->ctx->engine);
	q->owner = f;
	if (f->is_write)
		s->stats.write_bytes += s->p->line_bytes;
	else
		s->stats.read_bytes += s->p->line_bytes;
	dc_channel_count(s, address);
	CHECK(mem_memory_offer(s->memory, q));
	return true;
}

/* A store past the caches is done when memory has taken it. */
static void accepted(struct dc_system *s, struct dc_fetch *f, uint64_t at)
{
	for (const struct dc_waiter *w = f->waiters; w; w = w->next) {
		settle(w->who.cb, at);
		finish_if_last(w->who.cb);
	}
	waiters_free(s, f);
}

void dc_slice_tick(void *self, uint64_t cycle)
{
	struct dc_slice *home = self;
	struct dc_fetch *f;

	while ((f = home->queue)) {
		if (f->ready > cycle) {
			sim_wake_cycle(home->system->ctx->engine, home->comp, f->ready);
			return;
		}
		if (!offer(home, f)) {
			home->is_refused = true;
			return;
		}
		home->queue = f->next;
		if (!home->queue)
			home->queue_end = &home->queue;
		if (f->is_write)
			accepted(home->system, f, cycle);
	}
}

void dc_memory_room(void *system)
{
	struct dc_system *s = system;

	for (uint32_t i = 0; i < s->slice_count; i++) {
		struct dc_slice *home = &s->slices[i];

		if (!home->is_refused)
			continue;
		home->is_refused = false;
		sim_wake_cycle(s->ctx->engine, home->comp, dc_now(s));
	}
}

#include "dc/system/slice_host.inc"

static void arrive(struct dc_system *s, struct dc_fetch *f)
{
	struct dc_slice *home = &s->slices[f->home];
	const uint64_t now = dc_now(s);

	unchain(s, f);
	insert(home, f->line, f->makes_dirty ? DC_TAG_DIRTY : DC_TAG_CLEAN, now);
	if (f->makes_dirty && !home->way_count)
		queue_fetch(home, fetch_new(home, f->line, now, true));
	for (const struct dc_waiter *w = f->waiters; w; w = w->next) {
		const uint64_t at = serve_atomics(home, now, atomics_of(w->who));

		if (is_linked(home, slice_of(s, w->who)))
			send_answer(home, w->who, at);
		else
			answered_by(s, w->who, at);
	}
	waiters_free(s, f);
}

void dc_memory_done(void *system, struct mem_req *q)
{
	struct dc_system *s = system;
	struct dc_fetch *f = q->owner;

	mem_req_put(s->ctx->pool, q);
	if (!f->is_write)
		arrive(s, f);
	else if (f->is_entry && !--s->entry_left)
		dc_entered(s);
	base_pool_put(&s->fetch_pool, f, next);
}

void dc_slices_reset(struct dc_system *s)
{
	memset(s->buckets, 0, sizeof(s->buckets)); /* what hung there, and in the queues, is unused */
	base_pool_reset(&s->fetch_pool, next);
	base_pool_reset(&s->waiter_pool, next);
	base_pool_reset(&s->crossing_pool, next);
	for (uint32_t i = 0; i < ARRAY_COUNT(s->links); i++)
		s->links[i].lines.first = s->links[i].requests.first = NULL;
	for (uint32_t i = 0; i < s->slice_count; i++) {
		struct dc_slice *slice = &s->slices[i];

		slice->queue = NULL;
		slice->queue_end = &slice->queue;
		slice->wait_first = NULL;
		slice->wait_end = &slice->wait_first;
		slice->mshr_used = 0;
		slice->swap_waits.first = NULL;
		slice->parked_rows = 0;
		slice->is_refused = false;
		slice->way_count = (uint32_t)s->p->way_count;
		if (slice->cache.clock)
			mem_tags_clear(&slice->cache);
	}
}
