/* bus.c - requests from their slot to their end, and what they change in the caches. */
#include "cpu/bus.h"

#include "base/check.h"
#include "base/list.h"

/* ---- requests ---- */

static struct cpu_request *request_new(struct cpu_bus *b)
{
	struct cpu_request *r = base_pool_take(&b->requests, next);

	if (b->c->account && !r->trail)
		r->trail = base_pool_take(&b->trails, next);
	return r;
}

static struct cpu_request *request_of(struct cpu_event *e)
{
	return base_owner(e, struct cpu_request, event);
}

static void request_put(struct cpu_bus *b, struct cpu_request *r)
{
	base_pool_put(&b->requests, r, next);
}

static struct cpu_request **bucket_of(struct cpu_bus *b, uint64_t line)
{
	return &b->buckets[line * 0x9e3779b97f4a7c15u >> 52];
}

static struct cpu_request *under_way(const struct cpu_bus *b, uint64_t line)
{
	struct cpu_request *r = b->buckets[line * 0x9e3779b97f4a7c15u >> 52];

	while (r && r->line != line)
		r = r->next;
	return r;
}

const struct cpu_request *cpu_bus_under_way(const struct cpu_bus *b, uint64_t line)
{
	return under_way(b, line);
}

static enum cpu_state state_of(const struct cpu_bus *b, uint32_t agent, uint64_t line, cpu_version *version)
{
	return b->agents[agent].ops->state(b->agents[agent].self, line, version);
}

bool cpu_bus_is_elsewhere(const struct cpu_bus *b, uint32_t agent, uint64_t line)
{
	cpu_version version;

	for (const struct cpu_request *r = under_way(b, line); r; r = r->waiting)
		if (r->agent != agent)
			return true;
	for (uint32_t i = 0; i < b->agent_count; i++)
		if (i != agent && state_of(b, i, line, &version))
			return true;
	return false;
}

/* ---- the last level ---- */

static uint32_t socket_of(const struct cpu_bus *b, uint32_t agent)
{
	return cpu_socket_of_agent(&b->sockets, agent);
}

static struct cpu_tags *llc_of(const struct cpu_bus *b, uint32_t socket, uint64_t line)
{
	return &b->llc[socket * b->c->p->llc_slice_count + cpu_tags_slice(b->llc, line)];
}

/* A socket's copy, or NULL; where the home is the last level, that answers for itself. */
static struct cpu_tag *llc_find(const struct cpu_bus *b, uint32_t socket, uint64_t line)
{
	return likely(b->llc != NULL) ? cpu_tags_find(llc_of(b, socket, line), line) : NULL;
}

/* The copy of a socket but this one (UINT32_MAX: of any), with its number, or NULL. All have the same bytes while no
 * private cache has them modified; one at most owes them to the memory. */
static struct cpu_tag *llc_find_but(const struct cpu_bus *b, uint32_t but, uint64_t line, uint32_t *socket)
{
	for (*socket = 0; *socket < b->sockets.count; ++*socket) {
		struct cpu_tag *tag = *socket == but ? NULL : llc_find(b, *socket, line);

		if (tag)
			return tag;
	}
	return NULL;
}

/* Slices are on a ring, cores beside them in their order; who is no core is beside the first. */
static uint64_t llc_ps(const struct cpu_bus *b, uint32_t agent, uint64_t line)
{
	const struct cpu_params *p = b->c->p;
	const uint32_t cores = (uint32_t)(p->core_count / p->socket_count);
	const uint32_t slices = (uint32_t)p->llc_slice_count, slice = cpu_tags_slice(b->llc, line);
	const uint32_t own = agent < p->core_count ? agent % cores * slices / cores : 0;
	const uint32_t hops = slice > own ? slice - own : own - slice;

	return p->llc_latency_ps + MIN(hops, slices - hops) * p->llc_hop_ps;
}

static void llc_put(struct cpu_bus *b, uint32_t socket, uint64_t line, cpu_version version, bool is_dirty)
{
	struct cpu_tag *tag = llc_find(b, socket, line);

	if (unlikely(!b->llc)) {
		if (is_dirty)
			b->home_ops->write_back(b->home, line, version, socket);
		return;
	}
	if (!tag) {
		tag = cpu_tags_victim(llc_of(b, socket, line), line);
		if (tag->state == CPU_MODIFIED) {
			b->c->stats.memory_writes++;
			b->home_ops->write_back(b->home, tag->line, tag->version, socket);
		}
		*tag = (struct cpu_tag){.line = line, .state = CPU_SHARED};
	}
	tag->version = version;
	if (is_dirty)
		tag->state = CPU_MODIFIED;
	cpu_tags_use(llc_of(b, socket, line), tag);
}

/* They will be older than what somebody writes: those of all sockets but one, or of all (UINT32_MAX). */
static void llc_drop(struct cpu_bus *b, uint32_t but, uint64_t line)
{
	for (uint32_t i = 0; i < b->sockets.count; i++) {
		struct cpu_tag *tag = i == but ? NULL : llc_find(b, i, line);

		if (tag)
			tag->state = CPU_INVALID;
	}
}

void cpu_bus_write_back(struct cpu_bus *b, uint32_t agent, uint64_t line, cpu_version version)
{
	b->c->stats.l2_write_backs++;
	llc_put(b, socket_of(b, agent), line, version, true);
}

cpu_version cpu_bus_version(const struct cpu_bus *b, uint32_t agent, uint64_t line)
{
	const struct cpu_request *r = under_way(b, line);
	const struct cpu_tag *last;
	cpu_version version;
	uint32_t socket;

	if (state_of(b, agent, line, &version))
		return version;
	if (r && (r->is_handed || r->is_sent))
		return r->version;
	for (uint32_t i = 0; i < b->agent_count; i++)
		if (state_of(b, i, line, &version) == CPU_MODIFIED)
			return version;
	last = llc_find_but(b, UINT32_MAX, line, &socket);
	return last ? last->version : b->home_ops->version(b->home, line);
}

void cpu_bus_cold(struct cpu_bus *b)
{
	for (uint32_t i = 0; b->llc && i < b->c->p->socket_count * b->c->p->llc_slice_count; i++)
		cpu_tags_clear(&b->llc[i]);
}

/* ---- from the slot to the end ---- */

/* What a request finds at its slot. */
struct found {
	const struct cpu_tag *last; /* its socket's last level's; NULL: that lacks it */
	bool is_owned; /* a private cache had it as its own alone, whether it has written it (is_handed) or not */
	bool is_far;   /* a private cache of another socket has it, or another last level */
	uint32_t socket; /* of who had it as its own, or of the other last level */
};

/* All other agents leave the line or share it from now on, for it has one writer or any number of readers. */
static void snoop(struct cpu_bus *b, struct cpu_request *r, uint32_t own, struct found *f)
{
	const bool is_write = cpu_is_write((enum cpu_op)r->op);
	cpu_version version;

	r->is_alone = !is_write && b->c->p->protocol == CPU_PROTOCOL_MESI && !b->agents[r->agent].is_beside_llc;
	for (uint32_t i = 0; i < b->agent_count; i++) {
		const enum cpu_state state = i == r->agent ? CPU_INVALID : state_of(b, i, r->line, &version);

		r->is_alone &= !state;
		if (!state)
			continue;
		f->is_far |= socket_of(b, i) != own;
		if (!is_write && state == CPU_SHARED)
			continue;
		if (state > CPU_SHARED) {
			f->is_owned = true;
			f->socket = socket_of(b, i);
		}
		if (!is_write && cpu_is_faulty(b->c, CPU_FAULT_OLD))
			continue;
		b->c->stats.invalidations += is_write;
		if (state == CPU_MODIFIED) {
			cpu_moved(b->c, r->line, i);
			r->is_handed = true;
			r->version = version;
			if (!is_write)
				cpu_bus_write_back(b, i, r->line, version);
		}
		b->agents[i].ops->snoop(b->agents[i].self, r->line, is_write);
		if (r->is_handed)
			break;
	}
}

/* The same of other sockets' last levels. What a last level has now counts, whatever it evicts until the end: another
 * one may owe it to the memory, and leave it for a write. */
static void snoop_far(struct cpu_bus *b, struct cpu_request *r, uint32_t own, struct found *f)
{
	uint32_t socket;
	const struct cpu_tag *far = llc_find_but(b, own, r->line, &socket), *tag = f->last ? f->last : far;

	if (tag && !r->is_handed) {
		r->is_sent = true;
		r->version = tag->version;
	}
	if (!far)
		return;
	f->is_far = true;
	r->is_alone = false;
	if (!f->is_owned)
		f->socket = socket;
	if (cpu_is_write((enum cpu_op)r->op))
		llc_drop(b, own, r->line);
}

/* A line that a core reads and another socket has is in the last levels of both. */
static void come_over(struct cpu_bus *b, const struct cpu_request *r)
{
	const uint32_t own = socket_of(b, r->agent);

	if (b->sockets.count > 1 && !cpu_is_write((enum cpu_op)r->op) && !llc_find(b, own, r->line))
		llc_put(b, own, r->line, r->version, false);
}

/* At its end: the newest version of the line, from wherever it comes. */
static cpu_version come(struct cpu_bus *b, struct cpu_request *r, bool is_from_home)
{
	const uint32_t own = socket_of(b, r->agent);
	const struct cpu_tag *last;
	cpu_version version;

	if (r->is_handed) {
		come_over(b, r);
		return r->version;
	}
	r->is_alone = r->is_alone && !(b->home_ops->shares && b->home_ops->shares(b->home, r->line));
	cpu_moved(b->c, r->line, CPU_NOBODY);
	if (r->is_sent) {
		come_over(b, r);
		return r->version;
	}
	last = llc_find(b, own, r->line);
	if (last)
		return last->version;
	version = is_from_home ? r->version : b->home_ops->version(b->home, r->line);
	if (is_from_home && !b->agents[r->agent].is_beside_llc)
		llc_put(b, own, r->line, version, false);
	return version;
}

static void begin(struct cpu_bus *b, struct cpu_request *r, uint64_t units);

/* The request, and those that wait for it, are asked of the home or no longer. */
static void tell_at_home(struct cpu_bus *b, const struct cpu_request *r, bool is_there)
{
	for (; r; r = r->waiting) {
		const struct cpu_agent *a = &b->agents[r->agent];

		if (a->ops->at_home)
			a->ops->at_home(a->self, r, is_there);
	}
}

static void read_home(struct cpu_bus *b, struct cpu_request *r)
{
	r->is_at_home = true;
	tell_at_home(b, r, true);
	b->home_ops->read(b->home, r);
}

static void wait_for(struct cpu_bus *b, struct cpu_request *other, struct cpu_request *r)
{
	struct cpu_request **last = &other->waiting;

	while (*last)
		last = &(*last)->waiting;
	*last = r;
	b->c->stats.joins++;
	if (other->is_at_home)
		tell_at_home(b, r, true);
}

static void retry_claims(struct cpu_bus *b, uint64_t line);

static void end(struct cpu_bus *b, struct cpu_request *r, bool is_from_home)
{
	const uint64_t now = cpu_now_units(b->c);
	struct cpu_request **link = bucket_of(b, r->line), *w = r->waiting;

	while (*link != r)
		link = &(*link)->next;
	*link = r->next;
	if (r->is_at_home)
		tell_at_home(b, r, false);

	const cpu_version version = come(b, r, is_from_home);

	if (b->agents[r->agent].is_beside_llc && cpu_is_write((enum cpu_op)r->op))
		llc_drop(b, UINT32_MAX, r->line);
	CHECK(now >= r->begun_units);
	sim_hist_add(cpu_is_write((enum cpu_op)r->op) ? &b->c->stats.write_latency_ps : &b->c->stats.read_latency_ps,
		     (now - r->begun_units) / b->c->per_ps);
	b->agents[r->agent].ops->grant(b->agents[r->agent].self, r, version);
	/* Those that waited, in their order: the first that must goes to the bus, the others wait for that. A write
	 * waits even if its agent has the line now, for another one's came before it: who takes a lock again and again
	 * does not keep it from the others. */
	while (w) {
		struct cpu_request *next = w->waiting, *other = under_way(b, w->line);
		const bool is_write = cpu_is_write((enum cpu_op)w->op);
		const bool is_behind = is_write && other && other->agent != w->agent;

		w->waiting = NULL;
		b->c->stats.joins_over++;
		cpu_trail_step(w->trail, CPU_PART_JOIN, now);
		if (!is_behind && b->agents[w->agent].ops->again(b->agents[w->agent].self, w)) {
			b->c->stats.found_beside += b->agents[w->agent].is_beside_llc;
			request_put(b, w);
		} else if (other) {
			wait_for(b, other, w);
		} else {
			begin(b, w, MAX(now, w->begun_units)); /* it may not have come to the bus yet */
		}
		w = next;
	}
	if (unlikely(b->claims))
		retry_claims(b, r->line);
	request_put(b, r);
}

static void fire_end(void *bus, struct cpu_event *e)
{
	end(bus, request_of(e), false);
}

static void fire_end_from_home(void *bus, struct cpu_event *e)
{
	end(bus, request_of(e), true);
}

void cpu_bus_end_at(struct cpu_bus *b, struct cpu_request *r, uint64_t units)
{
	r->is_ending = r->asked_units > units; /* the line is here before the others have answered */
	if (r->is_ending && b->sockets.count > 1)
		cpu_trail_step(r->trail, CPU_PART_SOCKET, r->asked_units);
	units = MAX(units, r->asked_units);
	r->event.fire = fire_end_from_home;
	r->event.self = b;
	cpu_event_at(&b->c->events, &r->event, units);
}

bool cpu_bus_is_locked(const struct cpu_bus *b, uint64_t line)
{
	for (uint32_t i = 0; i < b->agent_count; i++)
		if (b->agents[i].ops->is_locked && b->agents[i].ops->is_locked(b->agents[i].self, line))
			return true;
	return false;
}

/* link_units: that the line takes from another socket, with the question for it. */
static void end_in(struct cpu_bus *b, struct cpu_request *r, uint64_t ps, enum cpu_part part, uint64_t link_units)
{
	const uint64_t there = cpu_now_units(b->c) + ps * b->c->per_ps, units = MAX(there + link_units, r->asked_units);

	r->is_ending = true;
	r->event.fire = fire_end;
	r->event.self = b;
	if (b->sockets.count > 1)
		cpu_trail_step(r->trail, part, there);
	cpu_trail_step(r->trail, b->sockets.count > 1 ? CPU_PART_SOCKET : part, units);
	cpu_event_at(&b->c->events, &r->event, units);
}

/* Agents beyond links that have to leave the line, or have it modified. Returns when the last has answered; 0: there is
 * none. */
static uint64_t ask_beyond(struct cpu_bus *b, uint32_t but, uint64_t line, bool is_write)
{
	uint64_t last = 0;
	cpu_version version;

	for (uint32_t i = 0; i < b->agent_count; i++) {
		const struct cpu_agent *a = &b->agents[i];
		const enum cpu_state state = i == but || !a->ops->ask ? CPU_INVALID : state_of(b, i, line, &version);

		if (state == CPU_MODIFIED || (state && is_write)) {
			const uint64_t units = a->ops->ask(a->self, line, state == CPU_MODIFIED);

			last = MAX(last, units);
		}
	}
	return last;
}

/* Of several sockets: all others are asked for what the own lacks, and for copies that have to go. Returns how many
 * units the line takes over the link to the own socket, with the question for it; 0: it does not. */
static uint64_t ask_far(struct cpu_bus *b, struct cpu_request *r, uint32_t own, const struct found *f)
{
	const bool is_here = f->is_owned ? f->socket == own : f->last != NULL;
	const bool is_write = cpu_is_write((enum cpu_op)r->op);
	const uint64_t lookup_units = b->c->p->llc_miss_ps * b->c->per_ps;
	cpu_version version;

	if (state_of(b, r->agent, r->line, &version) ? f->is_far : !is_here || (is_write && f->is_far)) {
		const uint64_t answered = cpu_now_units(b->c) + cpu_sockets_ask(&b->sockets);

		r->asked_units = MAX(r->asked_units, answered);
	}
	if (state_of(b, r->agent, r->line, &version) || (f->last && !f->is_owned) || f->socket == own)
		return 0;
	if (!r->is_handed && !r->is_sent && !f->is_owned)
		return 0;
	return lookup_units + b->sockets.latency_units + cpu_sockets_send(&b->sockets, f->socket, own);
}

/* Its slot has come: who has the line? */
static void look(void *bus, struct cpu_event *e)
{
	struct cpu_bus *b = bus;
	struct cpu_request *r = request_of(e);
	const struct cpu_params *p = b->c->p;
	struct cpu_stats *stats = &b->c->stats;
	const uint32_t own = socket_of(b, r->agent);
	struct found f = {.socket = own};
	enum cpu_part part = CPU_PART_SNOOP;
	uint64_t ps, link_units = 0;
	cpu_version version;

	cpu_trail_step(r->trail, CPU_PART_BUS, cpu_now_units(b->c));
	if (unlikely(b->has_locks) && cpu_bus_is_locked(b, r->line)) {
		r->next_locked = b->locked;
		b->locked = r;
		return;
	}
	r->asked_units = b->home_ops->snoop ? b->home_ops->snoop(b->home, r) : 0;
	if (unlikely(b->has_links)) {
		const uint64_t units = ask_beyond(b, r->agent, r->line, cpu_is_write((enum cpu_op)r->op));

		r->asked_units = MAX(r->asked_units, units);
	}
	f.last = llc_find(b, own, r->line);
	snoop(b, r, own, &f);
	if (unlikely(b->sockets.count > 1)) {
		snoop_far(b, r, own, &f);
		link_units = ask_far(b, r, own, &f);
	}
	if (b->agents[r->agent].ops->ordered)
		b->agents[r->agent].ops->ordered(b->agents[r->agent].self, r);
	if (state_of(b, r->agent, r->line, &version)) {
		stats->upgrades++;
		ps = p->snoop_latency_ps;
	} else if (r->is_handed) {
		stats->interventions++;
		stats->socket_interventions += f.socket != own;
		ps = p->intervention_ps;
	} else if (f.last && !f.is_owned) {
		stats->llc_hits++;
		ps = llc_ps(b, r->agent, r->line);
		part = CPU_PART_LLC;
	} else if (r->is_sent && !f.is_owned) {
		stats->llc_hits++;
		stats->socket_hits++;
		ps = p->llc_latency_ps;
		part = CPU_PART_LLC;
	} else if (f.is_owned) { /* who is alone with a line may have written it, and so has to answer */
		stats->interventions++;
		stats->socket_interventions += f.socket != own;
		ps = p->intervention_ps;
	} else {
		if (unlikely(b->home_ops->holds != NULL) && b->home_ops->holds(b->home, r))
			stats->llc_hits++;
		else
			stats->memory_reads++;
		read_home(b, r);
		if (unlikely(b->claims))
			retry_claims(b, r->line);
		return;
	}
	f.is_owned |= f.last && f.last->state == CPU_MODIFIED;
	if (cpu_is_write((enum cpu_op)r->op) && !f.is_owned && b->home_ops->invalidate &&
	    b->home_ops->invalidate(b->home, r)) {
		if (unlikely(b->claims))
			retry_claims(b, r->line);
		return;
	}
	end_in(b, r, ps, part, link_units);
}

void cpu_bus_acknowledge(struct cpu_bus *b, struct cpu_request *r, bool is_lost)
{
	cpu_trail_step(r->trail, CPU_PART_CLAIM, cpu_now_units(b->c));
	if (!is_lost) {
		if (unlikely(r->asked_units > cpu_now_units(b->c)))
			end_in(b, r, 0, CPU_PART_SNOOP, 0);
		else
			end(b, r, false);
		return;
	}
	b->c->stats.lost_upgrades++;
	read_home(b, r);
}

/* Of the first bus that is free, at units or later. */
static uint64_t take_slot(struct cpu_bus *b, uint64_t units)
{
	uint64_t *bus = b->slot_free_units;
	const uint64_t edge = (units + b->tick_units - 1) / b->tick_units * b->tick_units;

	for (uint32_t i = 1; i < b->c->p->snoop_bus_count; i++)
		if (b->slot_free_units[i] < *bus)
			bus = &b->slot_free_units[i];

	const uint64_t slot = MAX(edge, *bus);

	*bus = slot + b->tick_units;
	b->c->stats.slots++;
	b->c->stats.slot_wait_ps += (slot - edge) / b->c->per_ps;
	return slot;
}

uint64_t cpu_bus_slot_beside(struct cpu_bus *b, uint64_t units)
{
	b->c->stats.slots_beside++;
	return take_slot(b, units);
}

static void begin(struct cpu_bus *b, struct cpu_request *r, uint64_t units)
{
	struct cpu_request **bucket = bucket_of(b, r->line);

	b->c->stats.misses++;
	r->next = *bucket;
	*bucket = r;
	r->event.fire = look;
	r->event.self = b;
	cpu_event_at(&b->c->events, &r->event, take_slot(b, units));
}

void cpu_bus_ask(struct cpu_bus *b, uint32_t agent, uint64_t line, enum cpu_op op, uint32_t tag, uint64_t units)
{
	struct cpu_request *r = request_new(b), *other = under_way(b, line);
	const uint64_t at = MAX(units, cpu_now_units(b->c)); /* who asks may be less than a ps behind */

	*r = (struct cpu_request){.line = line, .agent = agent, .tag = tag, .op = (uint8_t)op, .trail = r->trail,
				  .begun_units = at};
	cpu_trail_begin(r->trail, at);
	b->c->stats.asked_beside += b->agents[agent].is_beside_llc;
	if (other)
		wait_for(b, other, r);
	else
		begin(b, r, at);
}

/* ---- claims of near-data processors ---- */

static bool must_wait(const struct cpu_bus *b, uint64_t line)
{
	const struct cpu_request *r = under_way(b, line);

	return (r && r->is_ending) || (b->has_locks && cpu_bus_is_locked(b, line));
}

bool cpu_bus_take(struct cpu_bus *b, uint64_t line, bool is_write, cpu_version *version)
{
	bool is_modified = false;
	cpu_version copy;

	for (uint32_t i = 0; i < b->agent_count; i++) {
		const enum cpu_state state = state_of(b, i, line, &copy);

		if (!state || (state == CPU_SHARED && !is_write))
			continue;
		b->c->stats.invalidations += is_write;
		if (state == CPU_MODIFIED) {
			cpu_moved(b->c, line, i);
			is_modified = true;
			*version = copy;
		}
		b->agents[i].ops->snoop(b->agents[i].self, line, is_write);
	}
	if (is_modified) { /* the last levels' are older */
		llc_drop(b, UINT32_MAX, line);
		return true;
	}
	for (uint32_t i = 0; i < b->sockets.count; i++) {
		struct cpu_tag *last = llc_find(b, i, line);

		if (!last || last->state != CPU_MODIFIED)
			continue;
		is_modified = true;
		*version = last->version;
		last->state = CPU_SHARED;
	}
	if (is_write)
		llc_drop(b, UINT32_MAX, line);
	return is_modified;
}

bool cpu_bus_is_claimed(const struct cpu_bus *b, uint64_t line)
{
	for (const struct cpu_claim *c = b->claims; c; c = c->next)
		if (c->line == line)
			return true;
	return false;
}

static void leave(struct cpu_bus *b, struct cpu_claim *claim)
{
	struct cpu_claim **link = &b->claims;

	while (*link != claim)
		link = &(*link)->next;
	*link = claim->next;
}

static void claim_answered(void *bus, struct cpu_event *e)
{
	struct cpu_claim *claim = base_owner(e, struct cpu_claim, event);

	(void)bus;
	claim->done(claim->self, claim);
}

static void claim_now(void *bus, struct cpu_event *e)
{
	struct cpu_bus *b = bus;
	struct cpu_claim *claim = base_owner(e, struct cpu_claim, event);
	uint64_t answered_units = 0;
	cpu_version version;

	claim->is_coming = false;
	if (must_wait(b, claim->line)) {
		if (!claim->is_waiting) {
			claim->next = b->claims;
			b->claims = claim;
			claim->is_waiting = true;
		}
		return;
	}
	if (claim->is_waiting)
		leave(b, claim);
	if (unlikely(b->has_links))
		answered_units = ask_beyond(b, UINT32_MAX, claim->line, claim->is_write);
	if (cpu_bus_take(b, claim->line, claim->is_write, &version)) {
		b->c->stats.memory_writes++;
		b->home_ops->write_back(b->home, claim->line, version, 0);
	}
	if (answered_units) {
		e->fire = claim_answered;
		cpu_event_at(&b->c->events, e, answered_units);
	} else {
		claim->done(claim->self, claim);
	}
}

static void fire_claim(void *bus, struct cpu_event *e)
{
	struct cpu_bus *b = bus;

	e->fire = claim_now;
	cpu_event_at(&b->c->events, e, cpu_now_units(b->c) + b->c->p->snoop_latency_ps * b->c->per_ps);
}

void cpu_bus_claim(struct cpu_bus *b, struct cpu_claim *claim, uint64_t units)
{
	b->c->stats.claims++;
	claim->event.fire = fire_claim;
	claim->event.self = b;
	cpu_event_at(&b->c->events, &claim->event, take_slot(b, units));
}

static void retry_claims(struct cpu_bus *b, uint64_t line)
{
	for (struct cpu_claim *claim = b->claims; claim; claim = claim->next)
		if (claim->line == line && !claim->is_coming && !must_wait(b, line)) {
			claim->is_coming = true;
			cpu_event_at(&b->c->events, &claim->event, cpu_now_units(b->c));
		}
}

void cpu_bus_unlocked(struct cpu_bus *b, uint64_t line)
{
	for (struct cpu_request **link = &b->locked; *link;) {
		struct cpu_request *r = *link;

		if (r->line == line) {
			*link = r->next_locked;
			cpu_trail_step(r->trail, CPU_PART_LOCK, cpu_now_units(b->c));
			cpu_event_at(&b->c->events, &r->event, cpu_now_units(b->c));
		} else {
			link = &r->next_locked;
		}
	}
	retry_claims(b, line);
}

void cpu_bus_write_beside(struct cpu_bus *b, uint64_t line, cpu_version version)
{
	b->c->stats.memory_writes++;
	b->home_ops->write_back(b->home, line, version, 0);
}

/* ---- made and freed ---- */

static void llc_init(struct cpu_bus *b)
{
	const struct cpu_common *c = b->c;
	const uint64_t parts = c->p->socket_count * c->p->llc_slice_count;

	if (!c->p->llc_bytes)
		return;
	b->llc = g_new(struct cpu_tags, parts);
	for (uint32_t i = 0; i < parts; i++) {
		cpu_tags_init(&b->llc[i], c->p->llc_bytes / parts, (uint32_t)c->p->llc_ways_count, c->p->line_bytes);
		cpu_tags_is_part(&b->llc[i], c->p->llc_slice_count, cpu_place_count(c->p),
				 c->page_shift - c->line_shift);
	}
}

void cpu_bus_init(struct cpu_bus *b, struct cpu_common *c, uint32_t domain, uint32_t agents_max)
{
	*b = (struct cpu_bus){.c = c, .agents_max = agents_max};
	b->agents = g_new0(struct cpu_agent, agents_max);
	cpu_sockets_init(&b->sockets, c);
	llc_init(b);
	b->slot_free_units = g_new0(uint64_t, c->p->snoop_bus_count);
	b->tick_units = sim_period_units(c->events.engine, domain);
}

void cpu_bus_home(struct cpu_bus *b, const struct cpu_home_ops *ops, void *self)
{
	b->home_ops = ops;
	b->home = self;
}

uint32_t cpu_bus_agent(struct cpu_bus *b, const struct cpu_agent_ops *ops, void *self)
{
	CHECK(b->agent_count < b->agents_max);
	b->agents[b->agent_count] = (struct cpu_agent){.ops = ops, .self = self};
	return b->agent_count++;
}

void cpu_bus_free(struct cpu_bus *b)
{
	base_pool_free(&b->requests);
	base_pool_free(&b->trails);
	for (uint32_t i = 0; b->llc && i < b->c->p->socket_count * b->c->p->llc_slice_count; i++)
		cpu_tags_free(&b->llc[i]);
	g_free(b->llc);
	cpu_sockets_free(&b->sockets);
	g_free(b->slot_free_units);
	g_free(b->agents);
}
