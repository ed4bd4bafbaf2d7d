/* core.c - an NDP core: in order, one load or store at a time and prefetches beside it, a small cache. */
#include "channel/priv.h"

#include "base/check.h"

static void answer(struct ndp_core *k, uint64_t units)
{
	const struct cpu_user *user = &k->s->c->user;
	const uint64_t ps = cpu_ps_from(k->s->c, units);

	if (unlikely(k->trails != NULL))
		cpu_account_settle(k->s->c->account, k->unit, ps * k->s->c->per_ps);
	user->answer(user->self, k->unit, ps);
}

/* Arrays lie whole multiples of a few pages apart: all bits of the number count. */
static inline uint32_t page_set(uint64_t page)
{
	return (uint32_t)(page * UINT64_C(0x9e3779b97f4a7c15) >> (64 - CORE_PAGE_SETS_LOG2));
}

/* NULL: it is not known here. */
static inline const struct core_page *page_known(const struct ndp_core *k, uint64_t page)
{
	const struct core_page *set = k->pages[page_set(page)];

	for (uint32_t i = 0; i < CORE_PAGE_WAYS; i++)
		if (set[i].page == page)
			return &set[i];
	return NULL;
}

static const struct core_page *page_learn(struct ndp_core *k, uint64_t page)
{
	const uint32_t set = page_set(page);
	struct core_page *p = &k->pages[set][k->next_way[set]++ % CORE_PAGE_WAYS];
	const uint64_t line = cpu_pages_line_at(k->s->pages, k->unit, page, k->m->channel);

	p->granule = line * QUARTERS >> k->s->quarters_shift;
	p->page = page;
	return p;
}

static inline uint64_t granule_at(const struct channel_system *s, const struct core_page *p, uint64_t address)
{
	return p->granule + ((address & s->ahead.page_mask) >> s->ahead.access_shift);
}

static uint64_t granule_of(struct ndp_core *k, uint64_t address)
{
	const uint64_t page = address >> k->s->ahead.page_shift;
	const struct core_page *p = page_known(k, page);

	return granule_at(k->s, p ? p : page_learn(k, page), address);
}

void channel_core_forget(struct ndp_core *k, uint64_t page)
{
	struct core_page *set = k->pages[page_set(page)];

	for (uint32_t i = 0; i < CORE_PAGE_WAYS; i++)
		if (set[i].page == page)
			set[i].page = UINT64_MAX;
}

void channel_core_forget_pages(struct ndp_core *k)
{
	for (uint32_t i = 0; i < CORE_PAGE_SETS * CORE_PAGE_WAYS; i++)
		k->pages[i / CORE_PAGE_WAYS][i % CORE_PAGE_WAYS].page = UINT64_MAX;
}

static uint64_t next_granule(const struct ndp_core *k)
{
	return (k->address | (k->s->p->access_bytes - 1)) + 1;
}

static uint64_t line_of(const struct ndp_core *k, uint64_t granule)
{
	return granule >> k->s->granule_shift;
}

static cpu_version granule_quarters(const struct ndp_core *k, uint64_t granule)
{
	return k->s->quarters[granule & (k->s->granules - 1)];
}

static void see(struct ndp_core *k, uint64_t granule, bool is_write, cpu_version *version)
{
	if (is_write)
		*version = cpu_make(k->s->c, line_of(k, granule), *version, granule_quarters(k, granule));
	channel_observe(k->s, k->unit, line_of(k, granule), granule_quarters(k, granule), is_write, *version);
}

/* ---- its cache ---- */

static struct ndp_ask *ask_for(struct ndp_core *k, uint64_t granule)
{
	for (uint32_t i = 0; k->busy_count && i <= k->s->p->prefetch_count; i++)
		if (k->asks[i].is_busy && k->asks[i].granule == granule)
			return &k->asks[i];
	return NULL;
}

/* The state of coh.def: the tag's, and whether the granule is asked for. */
static enum coh_state state_of(struct ndp_core *k, uint64_t granule, const struct cpu_tag *tag)
{
	const struct ndp_ask *ask = ask_for(k, granule);

	if (tag && tag->state == CPU_MODIFIED)
		return COH_NEAR_MODIFIED;
	if (ask)
		return tag ? COH_NEAR_UPGRADE : ask->is_write ? COH_NEAR_WAIT_M : COH_NEAR_WAIT_S;
	return tag ? COH_NEAR_SHARED : COH_NEAR_INVALID;
}

static void evict(struct ndp_core *k, struct cpu_tag *tag)
{
	const struct coh_row *row;

	if (tag->state == CORE_REMOTE) {
		tag->state = CPU_INVALID;
		return;
	}
	row = coh_find(&k->s->table, tag->state == CPU_MODIFIED ? COH_NEAR_MODIFIED : COH_NEAR_SHARED, COH_EV_EVICT,
		       false);
	if (row->actions[0] == COH_DO_WRITE_BACK) {
		k->s->stats.evictions++;
		channel_manager_write_back(k, tag->line, tag->version);
	} else {
		channel_sharers_drop(k->m, tag->line, k->number);
	}
	tag->state = CPU_INVALID;
}

/* A place for the granule, but not that of one whose upgrade is under way. */
static struct cpu_tag *room(struct ndp_core *k, uint64_t granule)
{
	const uint64_t set = cpu_tags_set(&k->cache, granule);
	struct cpu_tag *tag = cpu_tags_find(&k->cache, granule);

	if (!tag)
		tag = mem_tags_victim(&k->cache, set, way, !way->state || !ask_for(k, way->line));
	if (!tag)
		tag = &k->cache.tags[set * k->cache.way_count];
	if (tag->state && tag->line != granule)
		evict(k, tag);
	cpu_tags_take(&k->cache, tag, granule);
	return tag;
}

static bool is_uninhibited(const struct ndp_core *k, uint64_t address)
{
	const GArray *ranges = k->s->uninhibited;

	for (uint32_t i = 0; i < ranges->len; i++) {
		const struct channel_range *r = &g_array_index(ranges, struct channel_range, i);

		if (address >= r->begin && address < r->end)
			return true;
	}
	return false;
}

/* ---- its accesses ---- */

static struct ndp_ask *prefetch_slot(struct ndp_core *k)
{
	for (uint32_t i = 1; i <= k->s->p->prefetch_count; i++)
		if (!k->asks[i].is_busy)
			return &k->asks[i];
	return NULL;
}

static struct cpu_trail *trail_of(const struct ndp_core *k, const struct ndp_ask *a)
{
	return unlikely(k->trails != NULL) ? &k->trails[a - k->asks] : NULL;
}

/* The core has waited for what it has asked for there. */
static void account(const struct ndp_core *k, const struct ndp_ask *a)
{
	if (unlikely(k->trails != NULL))
		cpu_account_trail(k->s->c->account, k->unit, trail_of(k, a), 0, now_units(k->s));
}

/* The host fetches what the line that has to make room will need. */
static void fetch_for_victim(const struct ndp_core *k, uint64_t granule)
{
	const struct cpu_tag *tag = mem_tags_victim(&k->cache, cpu_tags_set(&k->cache, granule), way, true);

	if (tag->state != CPU_INVALID)
		channel_mshr_fetch(k->m, tag->line);
}

static void ask(struct ndp_core *k, struct ndp_ask *a, uint64_t granule, uint64_t units)
{
	struct channel_system *s = k->s;
	const bool is_prefetch = a != &k->asks[0];
	const uint64_t line = line_of(k, granule);
	const enum coh_state before =
	    s->p->cache_bytes ? state_of(k, granule, cpu_tags_find(&k->cache, granule)) : COH_NEAR_INVALID;

	k->busy_count++;
	*a = (struct ndp_ask){.granule = granule,
			      .asked_units = units,
			      .is_busy = true,
			      .is_write = !is_prefetch && cpu_is_write(k->op),
			      .is_remote = cpu_line_channel(s->c, line) != k->m->channel};
	cpu_trail_begin(trail_of(k, a), units);
	cpu_trail_channel(trail_of(k, a), cpu_line_channel(s->c, line));
	if (!a->is_remote)
		coh_find(&s->table, before, a->is_write ? COH_EV_WRITE : COH_EV_LOAD, false);
	if (a->is_remote)
		channel_point_ask(k, granule, (uint32_t)(MIN(k->end, next_granule(k)) - k->address), k->op, units,
				  trail_of(k, a));
	else
		channel_manager_ask(k, granule, k->op, units, trail_of(k, a));
	if (s->p->cache_bytes)
		fetch_for_victim(k, granule);
}

/* True: it need not wait. */
static bool miss(struct ndp_core *k, uint64_t granule, uint64_t units)
{
	struct channel_system *s = k->s;
	struct ndp_ask *under_way = ask_for(k, granule);

	if (k->op == CPU_PREFETCH) {
		struct ndp_ask *slot = prefetch_slot(k);
		const bool is_remote = cpu_line_channel(s->c, line_of(k, granule)) != k->m->channel;

		if (under_way || !slot || (is_remote ? !s->is_peer : !s->p->cache_bytes))
			s->stats.drops++;
		else
			ask(k, slot, granule, units);
		return true;
	}
	if (under_way) {
		s->stats.joins++;
		under_way->is_wanted = true;
		under_way->wanted_units = units;
		return false;
	}
	ask(k, &k->asks[0], granule, units);
	return false;
}

static inline void count(const struct ndp_core *k, enum cpu_count what)
{
	if (unlikely(k->trails != NULL))
		cpu_account_count(k->s->c->account, k->unit, what);
}

/* Of its load or store: the law of atomics. */
static inline void got_old(const struct ndp_core *k, bool has_old)
{
	k->s->stats.atomic_reads += cpu_is_atomic(k->op) && has_old;
}

static bool go_on(struct ndp_core *k, uint64_t *units);

/* A copy of a remote line may be read only. */
static bool is_hit(struct ndp_core *k, uint64_t granule, const struct cpu_tag *tag)
{
	if (!tag || tag->state == CORE_REMOTE)
		return tag && !cpu_is_write(k->op);
	if (ask_for(k, granule))
		return !cpu_is_write(k->op);
	return coh_find(&k->s->table, tag->state == CPU_MODIFIED ? COH_NEAR_MODIFIED : COH_NEAR_SHARED,
			cpu_is_write(k->op) ? COH_EV_WRITE : COH_EV_LOAD, false)
		   ->actions[0] == COH_DO_HIT;
}

static void fire_fault(void *core, struct cpu_event *e)
{
	struct ndp_core *k = core;
	uint64_t units = now_units(k->s);

	(void)e;
	if (go_on(k, &units))
		answer(k, units);
}

/* The first touch of a page takes its time before the access begins. */
static bool is_fault(struct ndp_core *k, uint64_t units)
{
	const struct cpu_params *p = k->s->c->p;
	const uint64_t page = k->address >> k->s->c->page_shift;

	if (page_known(k, page) || !p->page_fault_ps || cpu_pages_is_touched(k->s->pages, page))
		return false;
	cpu_pages_line_at(k->s->pages, k->unit, page, k->m->channel);
	k->s->stats.page_faults++;
	if (unlikely(k->trails != NULL))
		cpu_account_until(k->s->c->account, k->unit, CPU_PART_FAULT,
				  units + ps_units(k->s, p->page_fault_ps));
	k->fault = (struct cpu_event){.fire = fire_fault, .self = k};
	cpu_event_at(&k->s->c->events, &k->fault, units + ps_units(k->s, p->page_fault_ps));
	return true;
}

/* Does its access from where it is. True: it is done, at *units. */
static bool go_on(struct ndp_core *k, uint64_t *units)
{
	struct channel_stats *stats = &k->s->stats;
	uint64_t *const counts[] = {&stats->reads,	&stats->writes, &stats->atomics,
				    &stats->prefetches, &stats->writes, &stats->atomics};

	for (; k->address < k->end; k->address = next_granule(k), k->is_counted = false) {
		if (k->op == CPU_PREFETCH && !cpu_pages_is_touched(k->s->pages, k->address >> k->s->c->page_shift)) {
			stats->prefetches++;
			stats->drops++;
			count(k, CPU_COUNT_ACCESSES);
			continue;
		}
		if (is_fault(k, *units))
			return false;

		const uint64_t granule = granule_of(k, k->address);
		struct cpu_tag *tag = k->s->p->cache_bytes ? cpu_tags_find(&k->cache, granule) : NULL;

		*counts[k->op] += !k->is_counted;
		if (!k->is_counted)
			count(k, CPU_COUNT_ACCESSES);
		k->is_counted = true;
		if (is_hit(k, granule, tag)) {
			stats->hits++;
			got_old(k, true);
			cpu_tags_use(&k->cache, tag);
			if (k->op != CPU_PREFETCH)
				see(k, granule, cpu_is_write(k->op), &tag->version);
			continue;
		}
		if (!miss(k, granule, *units))
			return false;
	}
	return true;
}

static void done(struct ndp_core *k)
{
	uint64_t units = now_units(k->s);

	k->address = next_granule(k);
	k->is_counted = false;
	if (go_on(k, &units))
		answer(k, units);
}

/* The load or store, until now. */
static uint64_t since_ps(const struct ndp_core *k, uint64_t units)
{
	uint64_t rest;

	return base_divide(now_units(k->s) - units, &k->s->c->by_per_ps, &rest);
}

static uint64_t waited_ps(const struct ndp_core *k)
{
	return since_ps(k, k->asks[0].asked_units);
}

/* A prefetch is there; the access that has waited for it goes on. */
static void prefetched(struct ndp_core *k, bool is_wanted)
{
	uint64_t units = now_units(k->s);

	if (is_wanted && go_on(k, &units))
		answer(k, units);
}

/* When the next one is there is not known. */
static void has_come(struct ndp_core *k)
{
	k->coming_count--;
	k->coming_units = 0;
}

void channel_core_grant(const struct grant_message *g)
{
	struct ndp_core *k = g->core;
	const uint64_t granule = g->granule;
	struct ndp_ask *a = ask_for(k, granule);
	const bool is_load_or_store = a == &k->asks[0], is_wanted = a->is_wanted;

	has_come(k);
	if (k->s->p->cache_bytes) {
		struct cpu_tag *tag = room(k, granule);
		const struct coh_row *row = coh_find(
		    &k->s->table, state_of(k, granule, tag->state ? tag : NULL), COH_EV_GRANT, false);

		*tag = (struct cpu_tag){.line = granule,
					.version = g->version,
					.state = row->next == COH_NEAR_MODIFIED ? CPU_MODIFIED : CPU_SHARED};
		CHECK(g->is_owned == (tag->state == CPU_MODIFIED));
		cpu_tags_use(&k->cache, tag);
		if (is_load_or_store)
			see(k, granule, g->is_owned, &tag->version);
	}
	k->busy_count--;
	a->is_busy = false;
	if (is_load_or_store || is_wanted)
		account(k, a);
	if (is_load_or_store) {
		got_old(k, g->has_old);
		sim_hist_add(&k->s->stats.local_latency_ps, waited_ps(k));
		done(k);
	} else {
		k->s->stats.join_wait_ps += is_wanted ? since_ps(k, a->wanted_units) : 0;
		prefetched(k, is_wanted);
	}
}

void channel_core_fetched(struct ndp_core *k, uint64_t granule)
{
	struct ndp_ask *a = ask_for(k, granule);
	const bool is_wanted = a->is_wanted;

	k->busy_count--;
	a->is_busy = false;
	if (is_wanted)
		account(k, a);
	k->s->stats.join_wait_ps += is_wanted ? since_ps(k, a->wanted_units) : 0;
	prefetched(k, is_wanted);
}

void channel_core_probe(struct ndp_core *k, uint64_t granule, bool is_invalid)
{
	struct cpu_tag *tag = cpu_tags_find(&k->cache, granule);
	const struct coh_row *row = coh_find(&k->s->table, state_of(k, granule, tag),
					     is_invalid ? COH_EV_TO_INVALID : COH_EV_TO_SHARED, false);

	has_come(k);
	if (row->actions[0] == COH_DO_WRITE_BACK) {
		k->s->stats.probe_write_backs++;
		channel_manager_write_back(k, granule, tag->version);
	}
	if (tag && (row->next == COH_NEAR_INVALID || row->next == COH_NEAR_WAIT_M))
		tag->state = CPU_INVALID;
	else if (tag && row->next == COH_NEAR_SHARED)
		tag->state = CPU_SHARED;
	else if (!tag && !is_invalid && row->next == COH_NEAR_INVALID)
		channel_sharers_drop(k->m, granule, k->number); /* it left meanwhile */
	channel_manager_answer(k, granule);
}

/* Its copy, which may be one of what it has written since. */
static void drop_remote(struct ndp_core *k, uint64_t granule)
{
	struct cpu_tag *tag = k->s->p->cache_bytes ? cpu_tags_find(&k->cache, granule) : NULL;

	if (tag && tag->state == CORE_REMOTE)
		tag->state = CPU_INVALID;
}

void channel_core_remote(struct ndp_core *k, struct remote *r)
{
	const uint64_t granule = k->asks[0].granule;

	k->busy_count--;
	k->asks[0].is_busy = false;
	account(k, &k->asks[0]);
	sim_hist_add(&k->s->stats.remote_latency_ps, waited_ps(k));
	got_old(k, true);
	if (r->coh_event != COH_EV_R_READ)
		drop_remote(k, granule);
	if (r->coh_event == COH_EV_R_WRITE) {
		see(k, granule, true, &r->version);
		channel_point_return(r);
	} else {
		if (r->coh_event == COH_EV_R_READ && k->s->p->cache_bytes && !k->asks[0].is_gone &&
		    is_uninhibited(k, k->address)) {
			struct cpu_tag *tag = room(k, granule);

			k->s->has_remote_copies = true;
			*tag = (struct cpu_tag){.line = granule, .version = r->version, .state = CORE_REMOTE};
			cpu_tags_use(&k->cache, tag);
		}
		base_pool_put(&k->s->remote_pool, r, next);
	}
	done(k);
}

bool channel_core_take(struct ndp_core *k, uint64_t granule, bool is_invalid, cpu_version *version)
{
	struct cpu_tag *tag = cpu_tags_find(&k->cache, granule);
	const bool is_modified = tag && tag->state == CPU_MODIFIED;

	if (!tag)
		return false;
	*version = tag->version;
	tag->state = is_invalid ? CPU_INVALID : CPU_SHARED;
	return is_modified;
}

bool channel_core_owns(const struct ndp_core *k, uint64_t granule)
{
	const struct cpu_tag *tag = cpu_tags_find(&k->cache, granule);

	return tag && tag->state == CPU_MODIFIED;
}

bool channel_core_asks(struct ndp_core *k, uint64_t line)
{
	for (uint32_t i = 0; i <= k->s->p->prefetch_count; i++)
		if (k->asks[i].is_busy && line_of(k, k->asks[i].granule) == line)
			return true;
	return false;
}

void channel_core_cold(struct ndp_core *k)
{
	for (uint64_t i = 0; i < k->cache.set_count * k->cache.way_count; i++) {
		struct cpu_tag *tag = &k->cache.tags[i];

		if (tag->state == CORE_REMOTE) {
			tag->state = CPU_INVALID;
		} else if (tag->state && !channel_manager_is_busy(k->m, line_of(k, tag->line))) {
			channel_sharers_drop(k->m, tag->line, k->number);
			tag->state = CPU_INVALID;
		}
	}
}

uint64_t channel_core_flush(struct ndp_core *k, uint64_t begin, uint64_t end)
{
	const uint64_t bytes = k->s->p->access_bytes, first = begin / bytes * bytes;

	if (!k->s->p->cache_bytes || end <= first)
		return 0;
	for (uint64_t at = first; at < end; at += bytes) {
		struct cpu_tag *tag;

		if (!cpu_pages_is_touched(k->s->pages, at >> k->s->c->page_shift))
			continue;
		tag = cpu_tags_find(&k->cache, granule_of(k, at));
		if (tag && tag->state == CORE_REMOTE) {
			k->s->stats.flushes++;
			tag->state = CPU_INVALID;
		}
	}
	return MIN((end - first + bytes - 1) / bytes, k->cache.set_count * k->cache.way_count);
}

void channel_core_leave_remote(struct ndp_core *k, uint64_t first_line, uint64_t end_line)
{
	for (uint64_t i = 0; i < k->cache.set_count * k->cache.way_count; i++) {
		struct cpu_tag *tag = &k->cache.tags[i];
		const uint64_t line = line_of(k, tag->line);

		if (tag->state == CORE_REMOTE && line >= first_line && line < end_line)
			tag->state = CPU_INVALID;
	}
	if (line_of(k, k->asks[0].granule) >= first_line && line_of(k, k->asks[0].granule) < end_line)
		k->asks[0].is_gone = true;
}

bool channel_reaches(struct channel_system *s, uint32_t core, uint64_t address)
{
	struct ndp_core *k = &s->cores[core];

	return !s->asks_nobody || cpu_line_channel(s->c, line_of(k, granule_of(k, address))) == k->m->channel;
}

uint64_t channel_access(struct channel_system *s, uint32_t core, uint64_t now_ps, uint64_t address,
			uint32_t size_bytes, enum cpu_op op)
{
	struct ndp_core *k = &s->cores[core];
	uint64_t units = MAX(now_ps * s->c->per_ps, now_units(s));

	if (unlikely(k->trails != NULL))
		cpu_account_until(s->c->account, k->unit, CPU_PART_L1, units);
	k->address = address;
	k->end = address + size_bytes;
	k->op = op;
	k->is_counted = false;
	if (!go_on(k, &units))
		return CPU_WAITS;
	return MAX(now_ps, cpu_ps_from(s->c, units));
}

/* Its cache can be changed from outside only by what takes core_link_ps to come here, and its copies until then are
 * coherent. Remote ones need not be. */
bool channel_ahead(struct channel_system *s, uint32_t core, uint64_t now_ps, uint64_t others_ps, uint64_t address,
		   uint32_t size_bytes, enum cpu_op op, struct channel_hit *out)
{
	struct ndp_core *k = &s->cores[core];
	const bool is_write = op == CPU_WRITE;
	const struct core_page *page;
	uint64_t granule;
	struct cpu_tag *tag;
	bool is_modified;

	if (now_ps >= others_ps + s->ahead.ps || (k->coming_count && now_ps * s->c->per_ps >= k->coming_units) ||
	    (address ^ (address + size_bytes - 1)) > s->ahead.access_mask)
		return false;
	page = page_known(k, address >> s->ahead.page_shift);
	if (!page)
		return false;
	granule = granule_at(s, page, address);
	tag = cpu_tags_find(&k->cache, granule);
	if (!tag)
		return false;
	is_modified = tag->state == CPU_MODIFIED;
	if (is_write ? !is_modified || ask_for(k, granule) : tag->state == CORE_REMOTE)
		return false;
	++*s->ahead.rows[is_write][is_modified];
	*(is_write ? &s->stats.writes : &s->stats.reads) += 1;
	s->stats.hits++;
	cpu_tags_use(&k->cache, tag);
	out->line = granule >> s->granule_shift;
	out->quarters = s->quarters[granule & (s->granules - 1)];
	if (is_write)
		tag->version = cpu_make(s->c, out->line, tag->version, out->quarters);
	out->version = tag->version;
	return true;
}

/* The rows of such hits, by the protocol without planted mistakes: with one, nobody is ahead. */
void channel_core_ahead_init(struct channel_system *s)
{
	static const enum coh_state states[] = {COH_NEAR_SHARED, COH_NEAR_MODIFIED};
	static const enum coh_event events[] = {COH_EV_LOAD, COH_EV_WRITE};

	s->ahead.ps = s->p->core_link_ps;
	s->ahead.page_shift = s->c->page_shift;
	s->ahead.page_mask = s->c->p->page_bytes - 1;
	s->ahead.access_shift = (uint32_t)__builtin_ctzll(s->p->access_bytes);
	s->ahead.access_mask = s->p->access_bytes - 1;
	for (uint32_t is_write = 0; is_write < 2; is_write++)
		for (uint32_t is_modified = is_write; is_modified < 2; is_modified++) {
			const uint32_t number = s->table.find[states[is_modified]][events[is_write]][false];

			CHECK(s->p->fault || (number && coh_rows[number - 1].actions[0] == COH_DO_HIT));
			s->ahead.rows[is_write][is_modified] = number ? &s->table.counts[number - 1] : NULL;
		}
}

/* A store is done before its core goes on: at its cache, or at the NDP-M if there is none. There the barrier goes, too.
 */
uint64_t channel_fence(struct channel_system *s, uint32_t core, uint64_t now_ps)
{
	struct cpu_account *account = s->c->account;

	if (unlikely(account != NULL) && !s->p->cache_bytes)
		cpu_account_until(account, s->cores[core].unit, CPU_PART_LINK,
				  ps_units(s, now_ps + 2 * s->p->core_link_ps));
	return s->p->cache_bytes ? now_ps : now_ps + 2 * s->p->core_link_ps;
}

const struct cpu_trail *channel_trail(const struct channel_system *s, uint32_t core)
{
	return s->cores[core].trails;
}

void channel_core_init(struct ndp_core *k, struct channel_system *s, struct ndp_m *m, uint32_t number, uint32_t unit)
{
	*k = (struct ndp_core){.s = s, .m = m, .number = number, .unit = unit};
	channel_core_forget_pages(k);
	k->asks = g_new0(struct ndp_ask, s->p->prefetch_count + 1);
	k->trails = s->c->account ? g_new0(struct cpu_trail, s->p->prefetch_count + 1) : NULL;
	if (s->p->cache_bytes) {
		cpu_tags_init(&k->cache, s->p->cache_bytes, (uint32_t)s->p->cache_ways_count, s->p->access_bytes);
		cpu_tags_is_part(&k->cache, 1, cpu_place_count(s->c->p),
				 s->c->page_shift - s->c->line_shift + s->granule_shift);
	}
}

void channel_core_free(struct ndp_core *k)
{
	g_free(k->asks);
	g_free(k->gate.items);
	g_free(k->trails);
	if (k->s->p->cache_bytes)
		cpu_tags_free(&k->cache);
}
