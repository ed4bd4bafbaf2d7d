/* accelerator.c - the cycles of designs, their accesses and their replies. */
#include "hdl/accelerator.h"

#include <dlfcn.h>
#include <string.h>

#include "base/check.h"
#include "hdl/priv.h"

static const char clock_name[] = "hdl";

const struct sim_param_desc hdl_param_rows[] = {
#define PARAM_STRUCT struct hdl_params
#include "sim/param_rows.inc"
#include "hdl/hdl_params.def"
#include "sim/param_end.inc"
};
const uint32_t hdl_param_row_count = ARRAY_COUNT(hdl_param_rows);

static const struct sim_stat_desc stat_rows[] = {
#define STAT_STRUCT struct hdl_stats
#include "sim/stat_rows.inc"
#include "hdl/hdl_stats.def"
#include "sim/stat_end.inc"
};
const struct sim_stat_table hdl_stat_table = {"ndp", stat_rows, ARRAY_COUNT(stat_rows)};

#define EXPLAIN_TABLE hdl_explain
#define EXPLAIN_ROWS "hdl/hdl_explain.def"
#include "sim/explain.inc"

static void end_designs(struct hdl_system *s)
{
	for (uint32_t i = 0; i < s->count; i++)
		if (s->accelerators[i].design)
			s->library->end(s->accelerators[i].design);
}

void hdl_fail(struct accelerator *a, const char *format, ...)
{
	g_autoptr(GString) text = g_string_new(NULL);
	va_list args;

	end_designs(a->s);
	g_string_printf(text, "the accelerator of NDP %u (%s), at its cycle %" G_GUINT64_FORMAT ": ", a->number,
			a->s->p->design, sim_cycle_now(a->s->engine, a->comp.domain));
	va_start(args, format);
	g_string_append_vprintf(text, format, args);
	va_end(args);
	a->s->user.failed(a->s->user.self, text->str);
	CHECK(!"the program has ended");
}

/* ---- accesses ---- */

/* NULL: its table does not have it. Valid until the next call. */
static const struct range *range_of(struct accelerator *a, uint64_t begin, uint64_t end)
{
	struct range *ranges = (struct range *)(void *)a->ranges->data;

	for (uint32_t i = 0; i < a->ranges->len; i++) {
		if (begin < ranges[i].begin || end > ranges[i].end)
			continue;
		if (i) {
			const struct range last = ranges[i];

			ranges[i] = ranges[0];
			ranges[0] = last;
		}
		return &ranges[0];
	}
	return NULL;
}

static uint32_t unit_of(const struct accelerator *a, uint32_t index)
{
	return a->s->first_unit + a->first_core + index;
}

/* Its bytes are those of the copy that has answered now. */
static void done(struct accelerator *a, uint32_t index, uint64_t time_ps)
{
	struct hdl_system *s = a->s;
	struct access *x = &a->accesses[index];
	void *bytes = s->user.bytes(s->user.self, unit_of(a, index), x->address);

	if (unlikely(x->old != NULL))
		bytes = x->old;
	if (x->is_write)
		memcpy(bytes, x->data, x->bytes);
	else
		memcpy(x->data, bytes, x->bytes);
	x->done_units = sim_units_of_ps(s->engine, time_ps);
	x->is_done = true;
	x->request->left--;
	if (!x->request->latest || x->done_units >= x->request->latest->done_units)
		x->request->latest = x;
}

void hdl_answered(struct hdl_system *s, uint32_t unit, uint64_t time_ps)
{
	struct accelerator *a = &s->accelerators[(unit - s->first_unit) / s->limit];

	done(a, unit - s->first_unit - a->first_core, time_ps);
}

/* The entry of the table that the request is translated by. */
static const struct range *entry_for(struct accelerator *a, const struct hdl_port_out *r)
{
	const char *what = r->request_write ? "writes" : "reads";
	const uint64_t at = r->request_address;
	const struct range *range;

	if (!r->request_bytes || at % a->s->port_bytes + r->request_bytes > a->s->port_bytes)
		hdl_fail(a, "%s %u bytes at 0x%" G_GINT64_MODIFIER "x; expected 1 to %u within a block of as many",
			 what, r->request_bytes, at, a->s->port_bytes);
	range = range_of(a, at, at + r->request_bytes);
	if (!range)
		hdl_fail(a,
		     "%s 0x%" G_GINT64_MODIFIER
		     "x, which its address-translation table does not have; strata_accelerator_map adds ranges",
		     what, at);
	if (r->request_write && !range->is_writable)
		hdl_fail(a, "writes 0x%" G_GINT64_MODIFIER "x, which the program cannot write itself", at);
	return range;
}

static void ask(struct accelerator *a, struct access *x)
{
	struct hdl_system *s = a->s;
	const enum cpu_op op = x->is_write ? CPU_WRITE : CPU_READ;
	const uint32_t index = (uint32_t)(x - a->accesses), unit = unit_of(a, index);
	uint64_t done_ps;

	if (unlikely(!channel_reaches(s->near, a->first_core + index, x->address)))
		hdl_fail(a, "%s 0x%" G_GINT64_MODIFIER
			 "x, which is another channel's memory; with channel.coherence = software there is no NDP-AP",
			 x->is_write ? "writes" : "reads", x->address);
	s->user.begin(s->user.self, unit, x->address, x->bytes, op);
	hdl_account_access(s->account, a->first_core + index, sim_now_units(s->engine));
	done_ps = channel_access(s->near, a->first_core + index, sim_now_ps(s->engine), x->address, x->bytes, op);
	s->user.taken(s->user.self, unit, done_ps == CPU_WAITS);
	if (done_ps != CPU_WAITS)
		done(a, index, done_ps);
}

static void count_access(struct hdl_stats *stats, const struct access *x)
{
	if (x->is_write) {
		stats->writes++;
		stats->write_bytes += x->bytes;
	} else {
		stats->reads++;
		stats->read_bytes += x->bytes;
	}
}

/* The access of a request that begins at `from` of its bytes, as far as the NDP-M's accesses go. */
static struct access *access_of(struct accelerator *a, const struct hdl_port_out *r, const struct range *entry,
				uint32_t from)
{
	const uint64_t address = r->request_address + from;
	const uint64_t within = a->s->access_bytes - address % a->s->access_bytes;
	struct access *x = &a->accesses[a->free[--a->free_count]];

	x->address = address;
	x->bytes = (uint8_t)MIN(within, r->request_bytes - from);
	x->is_write = r->request_write;
	x->is_done = false;
	x->old = entry->old ? entry->old + (address - entry->begin) : NULL;
	x->next = NULL;
	count_access(&a->s->stats, x);
	return x;
}

static void request(struct accelerator *a, uint32_t port)
{
	const struct hdl_port_out *r = &a->ports.out[port];
	const struct range *entry = entry_for(a, r);
	struct access *first = NULL, **link = &first;

	for (uint32_t from = 0; from < r->request_bytes;) {
		struct access *x = access_of(a, r, entry, from);

		*link = x;
		link = &x->next;
		x->request = first;
		x->data = first->all + from;
		from += x->bytes;
		first->left = x == first ? 1 : first->left + 1;
	}
	first->latest = NULL;
	memset(first->all, 0, a->s->port_bytes);
	if (r->request_write)
		memcpy(first->all, r->request_data, r->request_bytes);
	a->port[port].order[(a->port[port].first + a->port[port].count++) % a->s->limit] = first;
	for (struct access *x = first; x; x = x->next)
		ask(a, x);
}

/* ---- a cycle ---- */

/* Lines come to their effect in their order. */
static void set_registers(struct accelerator *a, uint64_t now)
{
	const struct message *m;

	a->ports.are_registers_new = 0;
	while ((m = a->messages.first) && m->line.command == HDL_COMMAND_REGISTER &&
	       sim_units_of_ps(a->s->engine, m->time_ps) <= now) {
		a->ports.registers[m->line.arguments[0]] = m->line.arguments[1];
		a->ports.are_registers_new = 1;
		g_free(base_fifo_pop(&a->messages, next));
	}
}

static void record(struct accelerator *a, uint64_t now)
{
	a->ports.time_ps = sim_ps_of_units(a->s->engine, now);
	a->ports.is_recorded = now >= a->s->wave_from_units && now < a->s->wave_to_units;
	a->s->recorded_cycles += a->ports.is_recorded;
}

/* Those that are with the processors have left the NDP-M. */
static bool has_room_for_reply(struct accelerator *a, uint64_t now)
{
	const uint32_t depth = (uint32_t)a->s->p->reply_depth_count;

	while (a->reply_held && a->reply_units[a->reply_first] <= now) {
		a->reply_first = (a->reply_first + 1) % depth;
		a->reply_held--;
	}
	return a->reply_held < depth;
}

/* What the design finds at its ports. A port may ask only if there is room for the requests of those before it, too. */
static void give(struct accelerator *a)
{
	const uint64_t now = sim_now_units(a->s->engine);
	const struct message *m;

	set_registers(a, now);
	m = a->messages.first;
	a->ports.reset = 0;
	a->ports.reply_ready = has_room_for_reply(a, now);
	if (a->s->is_waved)
		record(a, now);
	a->ports.message_valid = m && sim_units_of_ps(a->s->engine, m->time_ps) <= now;
	if (a->ports.message_valid)
		memcpy(a->ports.message, m->line.payload, sizeof(m->line.payload));
	for (uint32_t i = 0; i < a->s->port_count; i++) {
		const struct access *x = a->port[i].count ? a->port[i].order[a->port[i].first] : NULL;

		a->ports.in[i].request_ready = a->free_count >= (i + 1) * a->s->parts;
		a->ports.in[i].answer_valid = x && !x->left && x->latest->done_units <= now;
		if (a->ports.in[i].answer_valid)
			memcpy(a->ports.in[i].answer, x->all, a->s->port_bytes);
	}
}

static void take_answers(struct accelerator *a)
{
	for (uint32_t i = 0; i < a->s->port_count; i++) {
		if (!a->ports.in[i].answer_valid)
			continue;
		for (struct access *x = a->port[i].order[a->port[i].first]; x; x = x->next) {
			a->free[a->free_count++] = (uint32_t)(x - a->accesses);
			x->bytes = 0;
		}
		a->port[i].first = (a->port[i].first + 1) % a->s->limit;
		a->port[i].count--;
	}
}

/* A request, as hdl_held keeps it. */
struct asked {
	uint64_t address;
	uint32_t bytes, is_write;
};

static void fail_lost_request(struct accelerator *a, uint32_t port)
{
	struct asked r;

	memcpy(&r, a->requests[port].items[0], sizeof(r));
	hdl_fail(a,
	     "request_valid[%u] is down before request_ready[%u] was up: it %s %u bytes at 0x%" G_GINT64_MODIFIER
	     "x, and that is lost",
	     port, port, r.is_write ? "writes" : "reads", r.bytes, r.address);
}

static bool take_requests(struct accelerator *a)
{
	bool is_any = false;

	for (uint32_t i = 0; i < a->s->port_count; i++) {
		const struct hdl_port_out *out = &a->ports.out[i];
		const struct asked r = {out->request_address, out->request_bytes, out->request_write};

		if (unlikely(a->requests[i].count && !out->request_valid))
			fail_lost_request(a, i);
		if (!out->request_valid)
			continue;
		is_any = true;
		if (a->ports.in[i].request_ready) {
			hdl_held_taken(&a->requests[i], &r, sizeof(r));
			request(a, i);
		} else {
			hdl_held_offered(&a->requests[i], &r, sizeof(r));
			a->s->stats.port_waits++;
		}
	}
	return is_any;
}

static void reply(struct accelerator *a)
{
	struct hdl_system *s = a->s;
	const uint64_t time_ps = channel_report(s->near, sim_now_ps(s->engine), a->number);

	s->stats.replies++;
	a->reply_count++;
	a->reply_units[(a->reply_first + a->reply_held++) % s->p->reply_depth_count] =
	    sim_units_of_ps(s->engine, time_ps);
	s->user.replied(s->user.self, a->number, time_ps, a->ports.reply);
}

/* Whether software gets a reply in this cycle. */
static bool take_reply(struct accelerator *a)
{
	const struct hdl_ports *p = &a->ports;

	if (unlikely(a->replies.count && !p->reply_valid)) {
		uint64_t word;

		memcpy(&word, a->replies.items[0], sizeof(word));
		hdl_fail(a,
		     "reply_valid is down before reply_ready was up: %u replies are lost, the first begins with 0x%"
		     G_GINT64_MODIFIER "x",
		     a->replies.count, word);
	}
	if (!p->reply_valid)
		return false;
	if (!p->reply_ready) {
		hdl_held_offered(&a->replies, p->reply, sizeof(p->reply));
		return false;
	}
	hdl_held_taken(&a->replies, p->reply, sizeof(p->reply));
	reply(a);
	return true;
}

static void add_register(void *to, const char *name, const char *value)
{
	g_string_append_printf(to, "\n  %s = %s", name, value);
}

/* A line of the ports, and one of each register that is not 0. */
static char *last_state(struct accelerator *a)
{
	const struct hdl_ports *p = &a->ports;
	GString *text = g_string_new(NULL);

	g_string_append_printf(text,
			       "its last state, without memories and registers that are 0:\n"
			       "  busy = %u, message_valid = %u, message_ready = %u, request_valid = ",
			       p->busy, p->message_valid, p->message_ready);
	for (uint32_t i = a->s->port_count; i--;)
		g_string_append_c(text, p->out[i].request_valid ? '1' : '0');
	g_string_append(text, ", request_ready = ");
	for (uint32_t i = a->s->port_count; i--;)
		g_string_append_c(text, p->in[i].request_ready ? '1' : '0');
	a->s->library->state(a->design, add_register, text);
	return g_string_free(text, FALSE);
}

static void count_quiet(struct accelerator *a, bool is_quiet)
{
	const uint64_t limit = a->s->p->cycle_limit_count;

	a->quiet_cycles = is_quiet ? a->quiet_cycles + 1 : 0;
	if (limit && a->quiet_cycles > limit) {
		g_autofree char *state = last_state(a);

		hdl_fail(a,
		     "busy for hdl.cycle_limit_count = %" G_GUINT64_FORMAT
		     " cycles without an access or a reply; %u messages wait for it; %s",
		     limit, a->message_count, state);
	}
}

/* Whether the requests of this cycle read what has not been read before. */
static bool reads_new(struct accelerator *a)
{
	bool is_new = false;

	for (uint32_t i = 0; i < a->s->port_count; i++) {
		const struct hdl_port_out *r = &a->ports.out[i];

		if (!r->request_valid || !a->ports.in[i].request_ready)
			continue;
		if (r->request_address < a->read_begin || r->request_address + r->request_bytes > a->read_end) {
			a->read_begin = MIN(a->read_begin, r->request_address);
			a->read_end = MAX(a->read_end, r->request_address + r->request_bytes);
			is_new = true;
		}
	}
	return is_new;
}

/* A design that waits for a value in memory that nobody writes. */
static void count_polls(struct accelerator *a, bool has_acted)
{
	const uint64_t limit = a->s->p->poll_limit_count;

	for (uint32_t i = 0; i < a->s->port_count; i++)
		has_acted |= a->ports.out[i].request_valid && a->ports.out[i].request_write;
	if (has_acted) {
		a->read_begin = UINT64_MAX;
		a->read_end = 0;
	}
	if (has_acted || reads_new(a))
		a->poll_cycles = 0;
	else if (limit && ++a->poll_cycles > limit)
		hdl_fail(a,
		     "busy for hdl.poll_limit_count = %" G_GUINT64_FORMAT " cycles in which it only reads, between 0x%"
		     G_GINT64_MODIFIER "x and 0x%" G_GINT64_MODIFIER "x; it seems to wait for what nobody writes",
		     limit, a->read_begin, a->read_end);
}

/* Awake while the design is busy or has something under way, and in the cycle after it took a message. */
static void sleep_or_not(struct accelerator *a, uint64_t cycle, bool has_taken)
{
	const struct message *m = a->messages.first;

	if (has_taken || a->ports.busy || a->free_count < a->s->limit ||
	    (a->ports.reply_valid && !a->ports.reply_ready))
		sim_wake_cycle(a->s->engine, a->comp, cycle + 1);
	else if (m)
		sim_wake_units(a->s->engine, a->comp,
			       MAX(sim_units_of_ps(a->s->engine, m->time_ps), sim_now_units(a->s->engine) + 1));
}

/* Of the port's first request, the access that was done last. */
static uint32_t latest_of(const struct accelerator *a, uint32_t port)
{
	return (uint32_t)(a->port[port].order[a->port[port].first]->latest - a->accesses);
}

/* The way of what is answered in this cycle, by the first port that is; NULL: by none. */
static const struct cpu_trail *answered(const struct accelerator *a)
{
	for (uint32_t i = 0; i < a->s->port_count; i++)
		if (a->ports.in[i].answer_valid)
			return channel_trail(a->s->near, a->first_core + latest_of(a, i));
	return NULL;
}

static bool is_requested(const struct accelerator *a, bool is_ready)
{
	for (uint32_t i = 0; i < a->s->port_count; i++)
		if (a->ports.out[i].request_valid && a->ports.in[i].request_ready == is_ready)
			return true;
	return false;
}

/* What the design did with the cycle, before its accesses change. */
static void account(const struct accelerator *a, bool has_taken)
{
	const struct hdl_cycle c = {.is_own = has_taken || is_requested(a, true) || a->free_count == a->s->limit,
				    .is_without_place = is_requested(a, false),
				    .answered = answered(a)};

	hdl_account_cycle(a->s->account, a->number, sim_now_units(a->s->engine), &c);
}

static void fail_by(struct accelerator *a, uint8_t error)
{
	const char *why = error > HDL_ERROR_PORT ? a->s->library->why(a->design) : "";

	switch (error) {
	case HDL_ERROR_ENDED:
		hdl_fail(a, "it called $finish, $stop or $fatal: %s", why);
		break;
	case HDL_ERROR_FATAL:
		hdl_fail(a, "it cannot be simulated any further: %s", why);
		break;
	case HDL_ERROR_LOST:
		hdl_fail(a, "vvp, which simulates it, has gone");
		break;
	case HDL_ERROR_SILENT:
		hdl_fail(a,
		     "vvp, which simulates it, has not answered for hdl.answer_limit_ns = %" G_GUINT64_FORMAT
		     "; its logic may not settle",
		     a->s->p->answer_limit_ns);
		break;
	default:
		hdl_fail(a, "its port `error` is set");
	}
}

static void tick(void *accelerator, uint64_t cycle)
{
	struct accelerator *a = accelerator;
	struct hdl_system *s = a->s;
	bool is_asking, has_taken, has_replied;

	if (s->is_stopped)
		return;
	give(a);
	s->library->cycle(a->design, &a->ports);
	s->stats.cycles++;
	s->stats.busy_cycles += a->ports.busy;
	if (a->ports.error)
		fail_by(a, a->ports.error);
	has_taken = a->ports.message_valid && a->ports.message_ready;
	if (has_taken) {
		g_free(base_fifo_pop(&a->messages, next));
		a->message_count--;
		a->taken_count++;
		s->user.has_room(s->user.self, a->number, sim_now_ps(s->engine));
	}
	if (unlikely(s->account != NULL))
		account(a, has_taken);
	take_answers(a);
	is_asking = take_requests(a);
	has_replied = take_reply(a);
	count_quiet(a, (a->ports.busy || (a->ports.message_valid && !has_taken)) && !is_asking &&
			   !a->ports.reply_valid && a->free_count == s->limit);
	count_polls(a, !a->ports.busy || has_taken || has_replied);
	sleep_or_not(a, cycle, has_taken);
}

/* ---- the program's end ---- */

static bool is_under_way(const void *system, uint32_t access)
{
	const struct hdl_system *s = system;
	const struct access *x = &s->accelerators[access / s->limit].accesses[access % s->limit];

	return x->bytes && !x->is_done;
}

void hdl_stop(struct hdl_system *s, uint64_t now_ps)
{
	if (!s->is_stopped)
		end_designs(s);
	s->is_stopped = true;
	hdl_account_end(s->account, sim_units_of_ps(s->engine, now_ps), is_under_way, s);
}

struct hdl_messages hdl_messages(const struct hdl_system *s, uint32_t accelerator)
{
	const struct accelerator *a = &s->accelerators[accelerator];

	return (struct hdl_messages){a->taken_count, a->reply_count};
}

void hdl_tell_stuck(struct hdl_system *s, void (*tell)(const char *text))
{
	for (uint32_t i = 0; i < s->count; i++) {
		struct accelerator *a = &s->accelerators[i];
		g_autofree char *state = NULL, *text = NULL;

		if (a->taken_count <= a->reply_count)
			continue;
		state = last_state(a);
		text = g_strdup_printf("  the accelerator of NDP %u (%s) took %" G_GUINT64_FORMAT
				       " messages, sent %" G_GUINT64_FORMAT
				       " replies, and is not busy, so that nobody steps it; %s",
				       a->number, s->p->design, a->taken_count, a->reply_count, state);
		tell(text);
	}
}

bool hdl_waves_are_empty(const struct hdl_system *s)
{
	return s->is_waved && !s->recorded_cycles;
}

/* ---- making ---- */

bool hdl_clock_add(const struct hdl_params *p, struct sim_engine *e)
{
	uint32_t domain;

	return sim_domain_add(e, clock_name, sim_period_of_khz(p->clock_khz), &domain);
}

/* One that no other line has by chance, and the same in every run: of splitmix64. */
static void make_key(struct accelerator *a)
{
	for (uint32_t i = 0; i < HDL_KEY_BYTES; i += sizeof(uint64_t)) {
		uint64_t x = (a->number * HDL_KEY_BYTES + i + 1) * 0x9e3779b97f4a7c15;

		x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
		x = (x ^ x >> 27) * 0x94d049bb133111eb;
		x ^= x >> 31;
		memcpy(&a->key[i], &x, sizeof(x));
	}
}

static void accelerator_init(struct accelerator *a, struct hdl_system *s, uint32_t number)
{
	*a = (struct accelerator){.s = s, .number = number, .first_core = number * s->limit};
	make_key(a);
	a->comp = sim_engine_add(s->engine, sim_domain_find(s->engine, clock_name), "accelerator", tick, a);
	a->accesses = g_new0(struct access, s->limit);
	a->free = g_new(uint32_t, s->limit);
	for (uint32_t i = s->limit; i--;)
		a->free[a->free_count++] = i;
	for (uint32_t i = 0; i < s->port_count; i++)
		a->port[i].order = g_new0(struct access *, s->limit);
	a->ranges = g_array_new(FALSE, FALSE, sizeof(struct range));
	a->reply_units = g_new0(uint64_t, s->p->reply_depth_count);
	a->read_begin = UINT64_MAX;
}

struct hdl_system *hdl_system_new(struct sim_ctx *ctx, const struct hdl_params *p, struct channel_system *near,
				  const struct channel_params *near_params, uint32_t first_unit,
				  struct cpu_account *account)
{
	struct hdl_system *s = g_new0(struct hdl_system, 1);

	s->engine = ctx->engine;
	s->p = p;
	s->near = near;
	s->count = (uint32_t)near_params->ndp_count;
	s->limit = (uint32_t)near_params->core_count;
	s->first_unit = first_unit;
	s->port_count = (uint32_t)p->port_count;
	s->port_bytes = (uint32_t)p->port_bytes;
	s->access_bytes = (uint32_t)near_params->access_bytes;
	s->parts = MAX(1, s->port_bytes / s->access_bytes);
	s->is_waved = *p->wave;
	s->wave_from_units = sim_units_of_ps(ctx->engine, p->wave_from_ps);
	s->wave_to_units = p->wave_to_ps ? sim_units_of_ps(ctx->engine, p->wave_to_ps) : SIM_NEVER;
	s->accelerators = g_new0(struct accelerator, s->count);
	for (uint32_t i = 0; i < s->count; i++)
		accelerator_init(&s->accelerators[i], s, i);
	s->account = hdl_account_new(account, first_unit, s->count, s->limit,
				     sim_period_units(s->engine, sim_domain_find(s->engine, clock_name)), p->design);
	sim_stats_add_table(ctx->stats, &hdl_stat_table, &s->stats, sizeof(s->stats));
	return s;
}

static void accelerator_free(struct accelerator *a)
{
	if (a->design)
		a->s->library->free(a->design);
	g_free(a->accesses);
	g_free(a->free);
	g_free(a->reply_units);
	for (uint32_t i = 0; i < a->s->port_count; i++)
		g_free(a->port[i].order);
	while (a->messages.first)
		g_free(base_fifo_pop(&a->messages, next));
	for (uint32_t i = 0; i < a->ranges->len; i++)
		g_free(g_array_index(a->ranges, struct range, i).old);
	g_array_free(a->ranges, TRUE);
}

uint32_t hdl_system_count(const struct hdl_system *s)
{
	return s->count;
}

void hdl_system_free(struct hdl_system *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->count; i++)
		accelerator_free(&s->accelerators[i]);
	hdl_account_free(s->account);
	if (s->handle)
		dlclose(s->handle);
	g_free(s->accelerators);
	g_free(s);
}

/* A cycle of reset before the first message. */
static bool reset(struct accelerator *a)
{
	const struct hdl_system *s = a->s;
	g_autofree char *wave = *s->p->wave ? g_strdup_printf("%s.%u.fst", s->p->wave, a->number) : NULL;
	const uint64_t period_units = sim_period_units(s->engine, a->comp.domain);

	a->design = s->library->make(wave, s->p->initial_seed ? s->p->initial_seed + a->number : 0,
				     s->p->answer_limit_ns);
	if (!a->design)
		return false;
	a->ports.reset = 1;
	a->ports.are_registers_new = 1;
	a->ports.half_ps = sim_ps_of_units(s->engine, period_units) / 2;
	s->library->cycle(a->design, &a->ports);
	if (a->ports.error > HDL_ERROR_PORT)
		fail_by(a, a->ports.error);
	return true;
}

bool hdl_system_connect(struct hdl_system *s, const char *library, const struct hdl_user *user, char **message)
{
	s->user = *user;
	/* Its locks and its memory are not the program's, whose functions of these names are the scheduler's. */
	s->handle = dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
	s->library = s->handle ? dlsym(s->handle, "strata_hdl_design") : NULL;
	if (!s->library || s->library->ports_bytes != sizeof(struct hdl_ports)) {
		*message = g_strdup(s->library ? "built for another version" : dlerror());
		return false;
	}
	for (uint32_t i = 0; i < s->count; i++) {
		if (reset(&s->accelerators[i]))
			continue;
		*message = g_strdup("the design cannot be simulated; why is above");
		return false;
	}
	return true;
}
