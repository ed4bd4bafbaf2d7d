/* slice_model.c - see slice_model.h. */
#include "slice_model.h"

#include <glib.h>
#include <string.h>

#include "base/check.h"

enum { NONE = UINT32_MAX, SETS = 131072 / 64 };

/* ---- what is asked ---- */

static uint64_t draw(uint64_t seed, uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t x = seed + a * 0x9e3779b97f4a7c15ull + b * 0xbf58476d1ce4e5b9ull + c * 0x94d049bb133111ebull;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

static uint64_t scramble(uint64_t x)
{
	x *= 0x9e3779b97f4a7c15ull;
	return x ^ x >> 29;
}

/* Pages go round the sockets, turned by a hash if each of them has some of the eight channels, and lines of a socket
 * round its slices. */
static uint64_t home_socket_of(const struct dc_params *p, uint64_t line)
{
	const uint64_t page = line / p->page_bytes;
	const bool is_turned = p->page_shuffle && p->channels_are_near && 8 % p->socket_count == 0;

	return (page + (is_turned ? scramble(page / p->socket_count) / (1 << 24) : 0)) % p->socket_count;
}

static uint64_t in_socket(const struct dc_params *p, uint64_t line)
{
	const uint64_t page = line / p->page_bytes / p->socket_count;

	return (page * p->page_bytes + line % p->page_bytes) / p->line_bytes;
}

uint32_t slice_home_of(const struct dc_params *p, uint64_t line)
{
	const uint64_t number = in_socket(p, line), turn = scramble(number / p->slice_count) / (1 << 20);

	return (uint32_t)(home_socket_of(p, line) * p->slice_count +
			  (number % p->slice_count + turn) % p->slice_count);
}

uint32_t slice_set_of(const struct dc_params *p, uint64_t line)
{
	const uint64_t number = in_socket(p, line) / p->slice_count;

	return (uint32_t)((number % SETS) ^ (scramble(number / SETS) / (1 << 20) % SETS));
}

enum { LOAD, STORE, ATOMIC, REDUCTION };

void slice_word_of(const struct slice_case *c, uint64_t cta, uint32_t word, struct slice_word *out)
{
	const uint64_t what = draw(c->seed, cta, word, 1);
	const uint32_t drawn = (uint32_t)what % (c->seed & 1 ? REDUCTION + 1 : 32), first = what >> 8 & 1023;
	const uint32_t kind = drawn > REDUCTION ? LOAD : drawn; /* every second case mostly loads */
	struct dc_access *a = &out->access;

	memset(out, 0, sizeof(*out));
	out->cycles = 1 + (what >> 20) % 90;
	out->is_last = word + 1 >= c->words - cta % 3;
	a->lines = out->lines;
	a->line_bytes = out->line_bytes;
	if (c->kinds[word] == DC_BOX_NONE || what >> 40 & 7 ? c->kinds[word] == DC_BOX_NONE : true)
		return; /* or no lane takes part */
	a->kind = c->kinds[word];
	a->lanes = 64;
	a->elem_bytes = 4;
	a->banks = 1 + (what >> 50) % 4;
	a->out_rows = 32 * (1 + (kind != LOAD));
	a->in_rows = kind == LOAD || kind == ATOMIC ? 32 : 0;
	if (a->kind == DC_BOX_WARP)
		return;
	a->is_store = kind != LOAD;
	a->is_atomic = kind >= ATOMIC;
	a->line_count = 1 + (uint32_t)((what >> 32) % ASKED_MAX);
	for (uint32_t k = 0; k < a->line_count; k++) {
		out->lines[k] = c->lines[(first + 7 * k) % LINES];
		out->line_bytes[k] = draw(c->seed, cta, word, 2 + k) % 3 ? 4 * (1 + k) : 64;
	}
}

/* ---- the model ---- */

struct way {
	uint64_t line, used;
	bool is_there, is_dirty;
	uint32_t stores; /* of a copy: how many had changed the line when its home sent it */
};

/* A line that a slice wants a copy of, and who waits for that. */
struct copy {
	uint64_t line;
	uint32_t keeper, stores;
	bool is_sent, is_old;
	GArray *waiting; /* struct asked */
};

/* A line of a control block's access, or a copy. */
struct asked {
	uint32_t cb, line;
	struct copy *copy;
};

/* A request of memory, from its queue to its answer. */
struct request {
	uint64_t line, ready, due;
	uint32_t home;
	bool is_write, is_dirty, is_entry;
	GArray *waiting; /* struct asked, of lines' own stores or of answers */
};

struct crossing {
	uint64_t at;
	struct asked who;
	bool is_answer;
};

enum state { REST, RUN, WAIT };

struct cb {
	enum state state;
	uint64_t cycle, acts, arrived, slots_end, wait_from;
	uint64_t cta;
	uint32_t word, next_line, pending, slice;
	uint32_t parked, swapped; /* rows in the units; rows that come back before the next word */
	bool has_left;		  /* what the next word swaps */
	bool is_last;
	struct slice_word now;
};

struct slice {
	uint64_t out[64], in[64]; /* transpose units */
	uint64_t crossbar_out, crossbar_in, registers, port, atomics; /* free from: places, see serve */
	uint32_t held; /* registers */
	GQueue waits;  /* control blocks without one */
	GQueue queue;  /* struct request */
	GQueue swaps;  /* control blocks whose rows find no room in the units */
	uint32_t parked;
	struct way *ways; /* [SETS][way_count] */
	uint32_t way_count;
};

struct slice_model {
	const struct slice_case *c;
	const struct dc_params *p;
	struct slice *slices;
	struct cb *cbs;
	uint32_t slice_count, cb_count, used_cbs, turn; /* turn: control blocks up to it have had this cycle */
	uint64_t time, next_cta, uses, llc_cycles, link_cycles, link_milli[2], message_milli[2], last_due, entry_left;
	GQueue links[2], requests[2]; /* struct crossing */
	GQueue memory;	  /* struct request */
	GPtrArray *reads; /* on their way */
	GPtrArray *copies; /* struct copy: on their way */
	GHashTable *stores; /* of each line, so far: what a copy that is found must have */
	uint64_t (*begins)[WORDS_MAX];
	struct dc_stats stats;
};

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Of `rate` places in a cycle the next `count` that are free. */
static uint64_t serve(uint64_t *from, uint64_t at, uint64_t count, uint64_t rate, uint64_t *waited)
{
	const uint64_t first = later(*from, at * rate), last = first + count - 1;

	if (waited)
		*waited += first / rate - at;
	*from = last + 1;
	return last / rate + 1;
}

static void issue(struct slice_model *m, uint32_t cb, uint64_t at);

static struct slice *own_of(struct slice_model *m, uint32_t cb)
{
	return &m->slices[m->cbs[cb].slice];
}

static uint64_t socket_of(const struct slice_model *m, uint32_t slice)
{
	return slice / m->p->slice_count;
}

static bool crosses(const struct slice_model *m, uint32_t a, uint32_t b)
{
	return m->p->link_mbytes_per_s && socket_of(m, a) != socket_of(m, b);
}

static void done(struct slice_model *m, uint32_t cb, uint64_t cycle)
{
	struct cb *b = &m->cbs[cb];

	b->cycle = later(cycle, b->slots_end);
	b->state = RUN;
	b->acts = later(b->cycle, m->turn != NONE && cb <= m->turn ? m->time + 1 : m->time);
}

enum { BANKS = 4, UNIT_ROWS = 256 };

/* A bank after the other, each by the unit that has the first free place. */
static uint64_t transposed(struct slice_model *m, uint64_t *units, uint64_t at, uint32_t banks, uint64_t rows)
{
	uint64_t end = at;

	for (uint32_t bank = 0; rows && bank < banks; bank++) {
		uint32_t first = 0;

		for (uint32_t k = 0; k < m->p->tmu_count; k++)
			first = units[k] < units[first] ? k : first;
		end = later(end, serve(&units[first], at, rows, m->p->tmu_rows_per_cycle,
				       bank ? NULL : &m->stats.tmu_wait_cycles));
		m->stats.tmu_rows += rows;
	}
	return end;
}

static void finish(struct slice_model *m, uint32_t cb)
{
	struct cb *b = &m->cbs[cb];

	done(m, cb, transposed(m, own_of(m, cb)->in, b->arrived, b->now.access.banks, b->now.access.in_rows));
}

static void settle(struct slice_model *m, uint32_t cb, uint64_t at)
{
	m->cbs[cb].arrived = later(m->cbs[cb].arrived, at);
	m->cbs[cb].pending--;
}

static void finish_if_last(struct slice_model *m, uint32_t cb)
{
	if (!m->cbs[cb].pending && m->cbs[cb].next_line == m->cbs[cb].now.access.line_count)
		finish(m, cb);
}

static void bring(struct slice_model *m, uint32_t cb, uint64_t at)
{
	if (m->cbs[cb].now.access.in_rows) {
		m->stats.crossbar_lines++;
		at = serve(&own_of(m, cb)->crossbar_in, at, 1, m->p->crossbar_lines_per_cycle,
			   &m->stats.crossbar_wait_cycles);
	}
	settle(m, cb, at);
}

static void bring_and_release(struct slice_model *m, uint32_t cb, uint64_t at)
{
	struct slice *own = own_of(m, cb);

	bring(m, cb, at);
	finish_if_last(m, cb);
	own->held--;
	while (own->held < m->p->mshr_count && !g_queue_is_empty(&own->waits)) {
		const uint32_t next = GPOINTER_TO_UINT(g_queue_pop_head(&own->waits));

		m->stats.mshr_wait_cycles += later(m->time, m->cbs[next].wait_from) - m->cbs[next].wait_from;
		issue(m, next, m->time);
	}
}

static uint64_t bytes_over_link(struct slice_model *m, uint64_t *milli, uint64_t bytes, uint64_t at)
{
	const uint64_t begin = later(*milli, at * 1000);

	m->stats.link_bytes += bytes;
	m->stats.link_wait_cycles += (begin - at * 1000) / 1000;
	*milli = begin + bytes * m->p->clock_khz / m->p->link_mbytes_per_s;
	return *milli / 1000 + m->link_cycles;
}

/* Before lines, which have so much less of the link. */
static uint64_t message_over_link(struct slice_model *m, uint32_t from, uint32_t to, uint64_t at)
{
	const uint32_t way = socket_of(m, from) > socket_of(m, to);
	const uint64_t bytes = m->p->link_message_bytes;

	m->link_milli[way] =
	    later(m->link_milli[way], at * 1000) + bytes * m->p->clock_khz / m->p->link_mbytes_per_s;
	return bytes_over_link(m, &m->message_milli[way], bytes, at);
}

static void put_crossing(GQueue *queue, uint64_t at, struct asked who, bool is_answer)
{
	struct crossing *x = g_new(struct crossing, 1);

	*x = (struct crossing){at, who, is_answer};
	g_queue_push_tail(queue, x);
}

static void over_link(struct slice_model *m, uint32_t from, uint32_t to, struct asked who, uint64_t at, bool is_answer)
{
	const uint32_t way = socket_of(m, from) > socket_of(m, to);

	put_crossing(&m->links[way], bytes_over_link(m, &m->link_milli[way], m->p->line_bytes, at), who, is_answer);
}

static void request_over_link(struct slice_model *m, uint32_t from, uint32_t to, struct asked who, uint64_t at)
{
	put_crossing(&m->requests[socket_of(m, from) > socket_of(m, to)], message_over_link(m, from, to, at), who,
		     false);
}

static struct request *request_new(struct slice_model *m, uint32_t home, uint64_t line, uint64_t ready, bool is_write)
{
	struct request *r = g_new0(struct request, 1);

	r->line = line;
	r->ready = ready;
	r->home = home;
	r->is_write = is_write;
	r->waiting = g_array_new(FALSE, FALSE, sizeof(struct asked));
	g_queue_push_tail(&m->slices[home].queue, r);
	return r;
}

static void request_free(struct request *r)
{
	g_array_free(r->waiting, TRUE);
	g_free(r);
}

static struct way *set_at(const struct slice_model *m, uint32_t home, uint64_t line)
{
	return m->slices[home].ways + slice_set_of(m->p, line) * m->p->way_count;
}

static struct way *held_in(const struct slice_model *m, uint32_t home, uint64_t line)
{
	struct way *set = set_at(m, home, line);

	for (uint32_t w = 0; w < m->slices[home].way_count; w++)
		if (set[w].is_there && set[w].line == line)
			return &set[w];
	return NULL;
}

/* The way for a line that is not there: a free one, or that used longest ago. */
static struct way *place_for(const struct slice_model *m, uint32_t home, uint64_t line)
{
	struct way *set = set_at(m, home, line), *oldest = NULL;

	for (uint32_t w = 0; w < m->slices[home].way_count; w++) {
		if (!set[w].is_there)
			return &set[w];
		if (!oldest || set[w].used < oldest->used)
			oldest = &set[w];
	}
	return oldest;
}

static void keep(struct slice_model *m, uint32_t home, uint64_t line, bool is_dirty, uint64_t at, bool is_host)
{
	struct way *w = held_in(m, home, line);

	if (!m->slices[home].way_count)
		return;
	if (w) {
		w->is_dirty |= is_dirty;
		w->used = ++m->uses;
		return;
	}
	w = place_for(m, home, line);
	if (w->is_there && w->is_dirty && !is_host) {
		m->stats.cache_writebacks++;
		request_new(m, home, w->line, at, true);
	}
	*w = (struct way){line, ++m->uses, true, is_dirty, 0};
}

/* ---- copies ---- */

static uint32_t stores_of(const struct slice_model *m, uint64_t line)
{
	return GPOINTER_TO_UINT(g_hash_table_lookup(m->stores, GSIZE_TO_POINTER(line)));
}

static struct copy *copy_on_its_way(const struct slice_model *m, uint32_t keeper, uint64_t line)
{
	for (uint32_t i = 0; i < m->copies->len; i++) {
		struct copy *c = m->copies->pdata[i];

		if (c->keeper == keeper && c->line == line && !c->is_old)
			return c;
	}
	return NULL;
}

/* A store changes the line: no other socket has a copy when this returns; when they have said so is the result. */
static uint64_t change(struct slice_model *m, uint32_t home, uint64_t line, uint64_t at, bool is_host)
{
	const uint32_t slices = (uint32_t)m->p->slice_count;
	uint64_t end = at;

	g_hash_table_insert(m->stores, GSIZE_TO_POINTER(line), GUINT_TO_POINTER(stores_of(m, line) + 1));
	for (uint32_t k = home % slices; k < m->slice_count; k += slices) {
		struct way *w = held_in(m, k, line);
		struct copy *c = copy_on_its_way(m, k, line);

		if (k == home || (!w && !(c && c->is_sent)))
			continue;
		if (w)
			w->is_there = false;
		if (c && c->is_sent)
			c->is_old = true;
		m->stats.copies_invalidated++;
		if (!is_host) { /* there and back: whichever way is free later */
			const uint64_t there = message_over_link(m, home, k, at);
			const uint64_t back = message_over_link(m, k, home, at);

			end = later(end, later(there, back) + m->link_cycles);
		}
	}
	return end;
}

static void send_copy(struct slice_model *m, uint32_t home, struct copy *c, uint64_t at)
{
	c->is_sent = true;
	c->stores = stores_of(m, c->line);
	over_link(m, home, c->keeper, (struct asked){0, 0, c}, at, true);
}

static void copy_is_there(struct slice_model *m, struct copy *c)
{
	g_ptr_array_remove(m->copies, c);
	if (!c->is_old && m->slices[c->keeper].way_count) {
		keep(m, c->keeper, c->line, false, m->time, false);
		held_in(m, c->keeper, c->line)->stores = c->stores;
	}
	for (uint32_t i = 0; i < c->waiting->len; i++)
		bring_and_release(m, g_array_index(c->waiting, struct asked, i).cb, m->time);
	g_array_free(c->waiting, TRUE);
	g_free(c);
}

static uint64_t atomics(struct slice_model *m, uint32_t home, struct asked who, uint64_t at)
{
	const struct dc_access *a = &m->cbs[who.cb].now.access;

	if (who.copy || !a->is_atomic)
		return at;
	return serve(&m->slices[home].atomics, at, a->line_bytes[who.line] / 4, 1, NULL);
}

static void at_home(struct slice_model *m, uint32_t home, struct asked who, uint64_t at)
{
	static const struct dc_access of_copy;
	struct cb *cb = &m->cbs[who.cb];
	const struct dc_access *a = who.copy ? &of_copy : &cb->now.access;
	const uint64_t line = who.copy ? who.copy->line : a->lines[who.line];
	const bool is_posted = a->is_store && !a->is_atomic;
	struct way *w;

	at = serve(&m->slices[home].port, at, 1, 1, NULL);
	if (a->is_store)
		at = change(m, home, line, at, false);
	w = held_in(m, home, line);
	if (w) {
		m->stats.cache_hits++;
		w->used = ++m->uses;
		w->is_dirty |= a->is_store;
		if (is_posted) {
			settle(m, who.cb, at);
			return;
		}
		at = atomics(m, home, who, at + m->llc_cycles);
		if (who.copy) {
			send_copy(m, home, who.copy, at);
		} else if (crosses(m, home, cb->slice)) {
			over_link(m, home, cb->slice, who, at, true);
		} else {
			own_of(m, who.cb)->held--;
			bring(m, who.cb, at);
		}
		return;
	}
	m->stats.cache_misses++;
	if (is_posted && !m->slices[home].way_count) {
		g_array_append_val(request_new(m, home, line, at, true)->waiting, who);
		return;
	}
	if (is_posted && a->line_bytes[who.line] >= 64) {
		keep(m, home, line, true, at, false);
		settle(m, who.cb, at);
		return;
	}
	struct request *r = NULL;

	for (uint32_t i = 0; i < m->reads->len; i++)
		if (((struct request *)m->reads->pdata[i])->line == line &&
		    ((struct request *)m->reads->pdata[i])->home == home)
			r = m->reads->pdata[i];
	if (r) {
		m->stats.mshr_merges++;
	} else {
		r = request_new(m, home, line, at, false);
		g_ptr_array_add(m->reads, r);
	}
	r->is_dirty |= a->is_store;
	if (is_posted) {
		settle(m, who.cb, at);
		return;
	}
	g_array_append_val(r->waiting, who);
}

/* A load of a line of another socket. */
static void at_keeper(struct slice_model *m, uint32_t home, struct asked who, uint64_t at)
{
	struct cb *cb = &m->cbs[who.cb];
	const uint32_t slices = (uint32_t)m->p->slice_count, keeper = cb->slice / slices * slices + home % slices;
	const uint64_t line = cb->now.lines[who.line];
	struct copy *c = copy_on_its_way(m, keeper, line);
	struct way *w = held_in(m, keeper, line);

	at = serve(&m->slices[keeper].port, at, 1, 1, NULL);
	if (w) {
		CHECK(w->stores == stores_of(m, line));
		m->stats.cache_hits++;
		m->stats.copy_hits++;
		w->used = ++m->uses;
		own_of(m, who.cb)->held--;
		bring(m, who.cb, at + m->llc_cycles);
		return;
	}
	if (c) {
		m->stats.mshr_merges++;
		g_array_append_val(c->waiting, who);
		return;
	}
	m->stats.copy_misses++;
	c = g_new0(struct copy, 1);
	c->line = line;
	c->keeper = keeper;
	c->waiting = g_array_new(FALSE, FALSE, sizeof(struct asked));
	g_array_append_val(c->waiting, who);
	g_ptr_array_add(m->copies, c);
	request_over_link(m, keeper, home, (struct asked){0, 0, c}, at);
}

static void issue(struct slice_model *m, uint32_t n, uint64_t at)
{
	struct cb *cb = &m->cbs[n];
	struct slice *own = own_of(m, n);

	while (cb->next_line < cb->now.access.line_count) {
		const struct asked who = {n, cb->next_line, NULL};
		uint32_t home;
		uint64_t leaves;

		if (own->held == m->p->mshr_count) {
			cb->wait_from = later(at, m->time);
			g_queue_push_tail(&own->waits, GUINT_TO_POINTER(n));
			return;
		}
		home = slice_home_of(m->p, cb->now.lines[cb->next_line++]);
		m->stats.lines++;
		own->held += !cb->now.access.is_store || cb->now.access.is_atomic;
		leaves = serve(&own->registers, at, 1, m->p->mshr_lines_per_cycle, NULL);
		if (!cb->now.access.is_store) {
			if (m->p->link_copies && crosses(m, cb->slice, home))
				at_keeper(m, home, who, leaves);
			else if (crosses(m, cb->slice, home))
				request_over_link(m, cb->slice, home, who, leaves);
			else
				at_home(m, home, who, leaves);
			continue;
		}
		m->stats.crossbar_lines++;
		leaves = serve(&own->crossbar_out, leaves, 1, m->p->crossbar_lines_per_cycle,
			       &m->stats.crossbar_wait_cycles);
		if (crosses(m, cb->slice, home))
			over_link(m, cb->slice, home, who, leaves, false);
		else
			at_home(m, home, who, leaves);
	}
	if (!cb->pending)
		finish(m, n);
}

/* ---- control blocks ---- */

static bool fill(struct slice_model *m, uint32_t n, uint64_t acts)
{
	struct cb *cb = &m->cbs[n];

	cb->state = REST;
	if (m->next_cta >= m->c->ctas)
		return false;
	cb->state = RUN;
	cb->cta = m->next_cta++;
	cb->word = 0;
	cb->is_last = false;
	cb->cycle = m->time;
	cb->acts = acts;
	m->stats.blocks_started++;
	return true;
}

static void access_begin(struct slice_model *m, uint32_t n)
{
	struct cb *cb = &m->cbs[n];
	const struct dc_access *a = &cb->now.access;
	struct slice *own = own_of(m, n);
	uint64_t rows = (uint64_t)a->out_rows * a->banks;

	if (a->kind == DC_BOX_WARP) {
		rows += (uint64_t)a->in_rows * a->banks;
		m->stats.warp_accesses++;
		m->stats.crossbar_lines += rows;
		done(m, n, serve(&own->crossbar_in, cb->cycle, rows, m->p->crossbar_lines_per_cycle,
				 &m->stats.crossbar_wait_cycles));
		return;
	}
	m->stats.accesses++;
	cb->next_line = 0;
	cb->pending = a->line_count;
	cb->arrived = transposed(m, own->out, cb->cycle, a->banks, a->out_rows);
	issue(m, n, cb->arrived);
}

/* ---- rows without room ---- */

/* As many banks at a time as the units hold; there is room for one, since a case has no larger swaps. */
static uint32_t banks_of(const struct slice_model *m, uint32_t rows)
{
	const uint32_t fit = (uint32_t)m->p->tmu_count * UNIT_ROWS / rows;

	return fit < BANKS ? fit : BANKS;
}

static bool rows_leave(struct slice_model *m, uint32_t n, uint64_t at)
{
	struct cb *cb = &m->cbs[n];
	struct slice *own = own_of(m, n);
	const uint32_t rows = m->c->swaps[cb->word], parked = rows * banks_of(m, rows);
	uint64_t there;

	if (own->parked + parked > m->p->tmu_count * UNIT_ROWS)
		return false;
	own->parked += parked;
	cb->parked = parked;
	cb->has_left = true;
	there = transposed(m, own->out, later(cb->cycle, at), BANKS, rows);
	m->stats.swap_rows += rows * BANKS;
	m->stats.swap_cycles += there - cb->cycle;
	cb->cycle = cb->acts = there;
	cb->state = RUN;
	return true;
}

static void rows_come_back(struct slice_model *m, uint32_t n)
{
	struct cb *cb = &m->cbs[n];
	struct slice *own = own_of(m, n);
	const uint64_t begin = cb->cycle, there = transposed(m, own->in, begin, BANKS, cb->swapped);

	m->stats.swap_cycles += there - cb->cycle;
	cb->cycle = there;
	cb->swapped = 0;
	own->parked -= cb->parked;
	while (!g_queue_is_empty(&own->swaps) && rows_leave(m, GPOINTER_TO_UINT(g_queue_peek_head(&own->swaps)), begin))
		g_queue_pop_head(&own->swaps);
}

static void run(struct slice_model *m, uint32_t n)
{
	struct cb *cb = &m->cbs[n];

	while (cb->state == RUN && cb->acts <= m->time) {
		const uint32_t swaps = cb->is_last ? 0 : m->c->swaps[cb->word];
		const bool is_seen = cb->is_last || cb->swapped || swaps || m->c->kinds[cb->word] != DC_BOX_NONE;

		if (is_seen && cb->cycle > m->time) {
			cb->acts = cb->cycle;
			return;
		}
		if (cb->swapped) {
			rows_come_back(m, n);
			continue;
		}
		if (cb->is_last) {
			fill(m, n, m->time + 1);
			return;
		}
		if (swaps && !cb->has_left) {
			if (g_queue_is_empty(&own_of(m, n)->swaps) && rows_leave(m, n, 0))
				continue;
			cb->state = WAIT;
			g_queue_push_tail(&own_of(m, n)->swaps, GUINT_TO_POINTER(n));
			return;
		}
		cb->swapped = swaps;
		cb->has_left = false;
		slice_word_of(m->c, cb->cta, cb->word, &cb->now);
		m->begins[cb->cta][cb->word++] = cb->cycle;
		cb->is_last = cb->now.is_last;
		cb->slots_end = cb->cycle + cb->now.cycles * (swaps ? (BANKS - 1) / banks_of(m, swaps) + 1 : 1);
		if (cb->now.access.kind == DC_BOX_NONE) {
			cb->cycle = cb->slots_end;
			continue;
		}
		cb->state = WAIT;
		access_begin(m, n);
		return;
	}
}

/* ---- cycles ---- */

static void begin_all(struct slice_model *m)
{
	for (uint32_t i = 0; i < m->used_cbs; i++)
		fill(m, i, m->time);
}

static void answer(struct slice_model *m, struct request *r)
{
	g_ptr_array_remove(m->reads, r);
	keep(m, r->home, r->line, r->is_dirty, m->time, false);
	if (r->is_dirty && !m->slices[r->home].way_count)
		request_new(m, r->home, r->line, m->time, true);
	for (uint32_t i = 0; i < r->waiting->len; i++) {
		const struct asked who = g_array_index(r->waiting, struct asked, i);
		const uint64_t at = atomics(m, r->home, who, m->time);

		if (who.copy)
			send_copy(m, r->home, who.copy, at);
		else if (crosses(m, r->home, m->cbs[who.cb].slice))
			over_link(m, r->home, m->cbs[who.cb].slice, who, at, true);
		else
			bring_and_release(m, who.cb, at);
	}
}

static void memory_tick(struct slice_model *m)
{
	struct request *r;

	while ((r = g_queue_peek_head(&m->memory)) && r->due <= m->time) {
		g_queue_pop_head(&m->memory);
		if (!r->is_write)
			answer(m, r);
		else if (r->is_entry && !--m->entry_left)
			begin_all(m);
		request_free(r);
	}
}

static void link_tick(struct slice_model *m, GQueue *link)
{
	struct crossing *x;

	while ((x = g_queue_peek_head(link)) && x->at <= m->time) {
		g_queue_pop_head(link);
		if (x->is_answer && x->who.copy) {
			copy_is_there(m, x->who.copy);
		} else if (x->is_answer) {
			bring_and_release(m, x->who.cb, m->time);
		} else {
			const uint64_t line =
			    x->who.copy ? x->who.copy->line : m->cbs[x->who.cb].now.lines[x->who.line];

			at_home(m, slice_home_of(m->p, line), x->who, m->time);
			if (!x->who.copy)
				finish_if_last(m, x->who.cb);
		}
		g_free(x);
	}
}

static void slice_tick(struct slice_model *m, struct slice *s)
{
	struct request *r;

	while ((r = g_queue_peek_head(&s->queue)) && r->ready <= m->time &&
	       m->memory.length < m->c->memory.depth) {
		g_queue_pop_head(&s->queue);
		r->due = later(m->last_due + m->c->memory.interval_cycles, m->time + m->c->memory.latency_cycles);
		m->last_due = r->due;
		g_queue_push_tail(&m->memory, r);
		*(r->is_write ? &m->stats.write_bytes : &m->stats.read_bytes) += 64;
		for (uint32_t i = 0; r->is_write && i < r->waiting->len; i++) {
			const struct asked who = g_array_index(r->waiting, struct asked, i);

			settle(m, who.cb, m->time);
			finish_if_last(m, who.cb);
		}
	}
}

static bool is_busy(const struct slice_model *m)
{
	bool busy = m->memory.length || m->links[0].length || m->links[1].length || m->requests[0].length ||
		    m->requests[1].length;

	for (uint32_t i = 0; i < m->slice_count; i++)
		busy |= m->slices[i].queue.length > 0;
	for (uint32_t i = 0; i < m->cb_count; i++)
		busy |= m->cbs[i].state != REST;
	return busy;
}

static void enter(struct slice_model *m)
{
	for (uint32_t i = 0; i < m->slice_count; i++) {
		struct slice *s = &m->slices[i];
		const uint32_t computing = m->used_cbs / m->slice_count + (i < m->used_cbs % m->slice_count);
		const uint32_t stay = (uint32_t)(m->p->unused_is_cache ? m->p->way_count - computing
								       : m->p->cache_way_count);

		for (uint32_t k = 0; k < SETS * m->p->way_count; k++) {
			struct way *w = &s->ways[k];

			if (k % m->p->way_count < stay)
				continue;
			if (w->is_there && w->is_dirty) {
				request_new(m, i, w->line, m->time, true)->is_entry = true;
				m->entry_left++;
				m->stats.cache_writebacks++;
				m->stats.entry_writebacks++;
			}
			w->is_there = false;
		}
		s->way_count = stay;
	}
	if (!m->entry_left)
		begin_all(m);
}

void slice_model_launch(struct slice_model *m, uint64_t cycle, uint64_t begins[CTAS_MAX][WORDS_MAX])
{
	const uint64_t most = m->slice_count * (m->p->way_count - m->p->cache_way_count);

	m->time = cycle;
	m->begins = begins;
	m->next_cta = 0;
	m->used_cbs = (uint32_t)MIN(most, m->c->ctas);
	enter(m);
	for (; is_busy(m); m->time++) {
		CHECK(m->time < cycle + 10000000);
		m->turn = NONE;
		memory_tick(m);
		for (uint32_t way = 0; way < 2; way++) {
			link_tick(m, &m->requests[way]);
			link_tick(m, &m->links[way]);
		}
		for (uint32_t i = 0; i < m->slice_count; i++)
			slice_tick(m, &m->slices[i]);
		for (m->turn = 0; m->turn < m->cb_count; m->turn++)
			run(m, m->turn);
	}
	for (uint32_t i = 0; i < m->slice_count; i++)
		m->slices[i].way_count = (uint32_t)m->p->way_count;
}

void slice_model_write(struct slice_model *m, uint64_t line)
{
	if (!m->p->host_lines_stay)
		return;
	change(m, slice_home_of(m->p, line), line, 0, true);
	keep(m, slice_home_of(m->p, line), line, true, 0, true);
}

const struct dc_stats *slice_model_stats(const struct slice_model *m)
{
	return &m->stats;
}

static uint64_t cycles_of(const struct dc_params *p, uint64_t ps)
{
	return (ps * p->clock_khz + 999999999) / 1000000000;
}

struct slice_model *slice_model_new(const struct slice_case *c)
{
	struct slice_model *m = g_new0(struct slice_model, 1);

	m->c = c;
	m->p = &c->p;
	m->slice_count = (uint32_t)(c->p.socket_count * c->p.slice_count);
	m->cb_count = (uint32_t)(m->slice_count * c->p.way_count);
	m->slices = g_new0(struct slice, m->slice_count);
	m->cbs = g_new0(struct cb, m->cb_count);
	for (uint32_t i = 0; i < m->cb_count; i++)
		m->cbs[i].slice = i % m->slice_count;
	for (uint32_t i = 0; i < m->slice_count; i++) {
		m->slices[i].ways = g_new0(struct way, SETS * c->p.way_count);
		m->slices[i].way_count = (uint32_t)c->p.way_count;
		g_queue_init(&m->slices[i].waits);
		g_queue_init(&m->slices[i].queue);
		g_queue_init(&m->slices[i].swaps);
	}
	m->reads = g_ptr_array_new();
	m->copies = g_ptr_array_new();
	m->stores = g_hash_table_new(g_direct_hash, g_direct_equal);
	m->llc_cycles = cycles_of(m->p, m->p->llc_latency_ps);
	m->link_cycles = cycles_of(m->p, m->p->link_latency_ps / 2);
	return m;
}

void slice_model_free(struct slice_model *m)
{
	for (uint32_t i = 0; i < m->slice_count; i++)
		g_free(m->slices[i].ways);
	g_ptr_array_free(m->reads, TRUE);
	g_ptr_array_free(m->copies, TRUE);
	g_hash_table_destroy(m->stores);
	g_free(m->slices);
	g_free(m->cbs);
	g_free(m);
}
