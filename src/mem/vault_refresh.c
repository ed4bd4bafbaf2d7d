/* vault_refresh.c - refresh, refresh management and power states of a vault's ranks.
 *
 * A rank owes a refresh each interval: REF, or in the other refresh modes REFB of its banks in turn. One that is owed
 * waits for requests to its banks till more than refresh_postpone_count are owed; a rank that has been idle for tRFC
 * refreshes ahead, by at most refresh_pull_in_count. Whatever is to be refreshed is blocked for requests, precharged
 * and refreshed; other banks go on working. RFM goes the same way, when a bank has had rfm_threshold_count activations.
 *
 * A rank that has been idle for power_down_idle_cycles powers down, with its rows as they are; after
 * self_refresh_idle_ns it refreshes itself. It wakes for requests and, from power-down, for refreshes.
 *
 * vault_service does all this, one command at a time, and says when it is to be asked again. A vault without requests
 * sleeps, so nobody asks; vault_catch_up later asks for each of those cycles. Asleep or awake, commands come at the
 * same cycles.
 */
#include <string.h>

#include "mem/vault_state.h"

enum {
	OFF_MAX = 8, /* refreshes, postponed or ahead: JESD79-3F section 4.12; and nine intervals from REF to REF */
	EARLY_SHARE = 8, /* of an interval: before the limits, to precharge in time; or what that takes, if more, */
	EARLY_BUS_CYCLES = 16 /* with the commands of others on the bus */
};

static const size_t service_counts[] = {
	offsetof(struct vault_stats, refreshes),     offsetof(struct vault_stats, bank_refreshes),
	offsetof(struct vault_stats, refreshed_banks), offsetof(struct vault_stats, precharges),
	offsetof(struct vault_stats, power_downs),   offsetof(struct vault_stats, self_refreshes),
};

/* Rounded down: how long something idles is no constraint. */
static uint64_t idle_cycles_of_ns(const struct mem_vault *v, double ns)
{
	return (uint64_t)(ns * 1000 * (double)v->units_per_ps / (double)v->banks.t->ck_units);
}

/* Ask again then. */
static inline void look_at(struct mem_vault *v, uint64_t cycle)
{
	v->service_cycle = base_min_u64(v->service_cycle, cycle);
}

/* From when a rank is blocked till its banks are precharged, at most: what was opened, read or written just before. */
static uint64_t closing_cycles(const struct mem_vault *v)
{
	const struct dram_params *p = v->config.dram;
	const struct dram_timing *t = v->banks.t;
	const uint64_t burst = t->burst_units / t->ck_units + 2, write = p->t_cwl + burst + p->t_wr;

	return base_max_u64(p->t_ras, base_max_u64(write, p->t_rtp)) + p->t_rp + EARLY_BUS_CYCLES;
}

/* Vaults refresh in turn, so that a stack never stands still as a whole; so do the ranks of a vault. Where the whole
 * rank is refreshed at a time, the first is due no later than an interval after the beginning: what it may owe counts
 * from there. */
static uint64_t first_due_cycle(const struct mem_vault *v, uint32_t rank)
{
	const uint64_t interval = v->interval_cycles, vault_count = v->config.dram->vault_count;
	const uint64_t due = interval * (v->config.index % vault_count + 1) / vault_count +
			     interval * rank / v->banks.t->rank_count;

	return v->unit_count == 1 && due > interval ? due - interval : due;
}

void vault_refresh_init(struct mem_vault *v)
{
	const struct dram_params *p = v->config.dram;
	const struct dram_timing *t = v->banks.t;
	uint32_t of_rank = t->bank_count / t->rank_count;

	v->unit_count = t->refresh_mode == DRAM_REFRESH_PER_BANK    ? of_rank
			: t->refresh_mode == DRAM_REFRESH_SAME_BANK ? of_rank / t->group_count
								    : 1;
	v->interval_cycles = t->refi / v->unit_count;
	v->interval_rest = (uint32_t)(t->refi % v->unit_count);
	v->postpone_count = (int32_t)p->refresh_postpone_count;
	v->pull_in_count = (int32_t)p->refresh_pull_in_count;
	v->pull_in_idle_cycles = v->pull_in_count ? idle_cycles_of_ns(v, p->t_rfc_ns) : SIM_NEVER;
	v->power_down_idle_cycles = p->power_down_idle_cycles ? p->power_down_idle_cycles : SIM_NEVER;
	v->self_refresh_idle_cycles = SIM_NEVER;
	if (p->self_refresh_idle_ns > 0)
		v->self_refresh_idle_cycles = idle_cycles_of_ns(v, p->self_refresh_idle_ns);
	v->never_sleeps_deeper = !p->power_down_idle_cycles && v->self_refresh_idle_cycles == SIM_NEVER;
	v->rfm_threshold = (uint32_t)p->rfm_threshold_count;
	v->watches_idle = v->postpone_count || v->pull_in_count || p->power_down_idle_cycles ||
			  v->self_refresh_idle_cycles != SIM_NEVER;
	/* Bank by bank, eight refreshes owed are less than eight of any bank. */
	v->early_cycles = v->interval_cycles / EARLY_SHARE;
	if (v->unit_count == 1)
		v->early_cycles = base_max_u64(v->early_cycles, closing_cycles(v));
	for (uint32_t i = 0; i < t->rank_count; i++) {
		v->ranks[i].banks = dram_reach(t, DRAM_REF, i * of_rank);
		v->all_banks |= v->ranks[i].banks;
		v->ranks[i].due_cycle = t->refi ? first_due_cycle(v, i) : SIM_NEVER;
	}
	v->service_cycle = SIM_NEVER;
	for (uint32_t i = 0; i < t->rank_count; i++)
		look_at(v, v->watches_idle ? 0 : v->ranks[i].due_cycle);
}

/* ---- time by state ---- */

static enum dram_rank_state state_of(const struct mem_vault *v, const struct vault_rank *k)
{
	return v->banks.rank[k - v->ranks].state;
}

void vault_count_time(struct mem_vault *v, struct vault_rank *k, uint64_t cycle)
{
	enum dram_rank_state state = state_of(v, k);
	enum vault_time time = v->banks.open_banks & k->banks ? TIME_OPEN : TIME_PRECHARGED;

	if (state != DRAM_AWAKE)
		time = state == DRAM_POWERED_DOWN ? TIME_POWER_DOWN : TIME_SELF_REFRESH;
	v->cycles_in[time] += cycle - k->counted_cycle;
	k->counted_cycle = cycle;
}

void vault_count_times(struct mem_vault *v, uint64_t now)
{
	for (uint32_t i = 0; i < v->banks.t->rank_count; i++)
		vault_count_time(v, &v->ranks[i], now);
}

/* ---- refresh ---- */

static inline uint64_t after(uint64_t cycle, uint64_t wait_cycles)
{
	return wait_cycles == SIM_NEVER ? SIM_NEVER : cycle + wait_cycles;
}

static inline bool is_wanted(const struct mem_vault *v, uint64_t banks)
{
	return (v->pending[READING] | v->pending[WRITING]) & banks || v->order_count;
}

static bool try_issue(struct mem_vault *v, enum dram_command c, uint32_t bank, uint64_t cycle)
{
	uint64_t legal = dram_banks_earliest(&v->banks, c, bank, cycle);

	if (legal > cycle) {
		look_at(v, legal);
		return false;
	}
	if (c == DRAM_PRE)
		vault_precharge(v, bank, cycle);
	else
		vault_rare(v, c, bank, cycle);
	vault_commanded(v, c, bank);
	return true;
}

static bool close_rows(struct mem_vault *v, const struct vault_rank *k, uint64_t reach, uint64_t cycle)
{
	if (reach == k->banks) {
		if (!try_issue(v, DRAM_PREA, first_bit(reach), cycle))
			return false;
		vault_rows_closed(v, reach);
		return true;
	}
	for (uint64_t open = v->banks.open_banks & reach; open; open &= open - 1) {
		if (try_issue(v, DRAM_PRE, first_bit(open), cycle)) {
			vault_rows_closed(v, 1ull << first_bit(open));
			return true;
		}
	}
	return false;
}

/* Must a refresh that is owed go before requests? */
static bool is_forced(struct mem_vault *v, const struct vault_rank *k, uint64_t cycle)
{
	uint64_t early = v->early_cycles, limit = SIM_NEVER;

	if (k->owed > v->postpone_count || k->owes_exit_refresh)
		return true;
	if (k->owed == OFF_MAX)
		limit = k->due_cycle - early;
	if (k->refreshed_cycle && v->unit_count == 1)
		limit = base_min_u64(limit, k->refreshed_cycle + (OFF_MAX + 1) * v->interval_cycles - early);
	look_at(v, limit > cycle ? limit : SIM_NEVER);
	return cycle >= limit;
}

/* unit_count intervals are tREFI, to the cycle. */
static inline void pass_interval(const struct mem_vault *v, struct vault_rank *k)
{
	k->due_rest += v->interval_rest;
	k->due_cycle += v->interval_cycles + (k->due_rest >= v->unit_count);
	k->due_rest -= k->due_rest >= v->unit_count ? v->unit_count : 0;
}

/* Is it time for the refresh that comes next, of this bank? */
static bool is_refresh_time(struct mem_vault *v, struct vault_rank *k, enum dram_command c, uint32_t bank,
			    uint64_t cycle)
{
	uint64_t ahead_cycle;

	for (; k->due_cycle <= cycle; pass_interval(v, k))
		k->owed++;
	look_at(v, k->due_cycle);
	if (k->owed > 0 || k->owes_exit_refresh) {
		const uint64_t reach = dram_reach(v->banks.t, c, bank);

		if (is_forced(v, k, cycle) || !is_wanted(v, reach))
			return true;
		v->awaited |= reach;
		return false;
	}
	ahead_cycle = after(k->busy_cycle, v->pull_in_idle_cycles);
	if (k->owed <= -v->pull_in_count || is_wanted(v, k->banks))
		return false;
	if (cycle < ahead_cycle)
		look_at(v, ahead_cycle);
	return cycle >= ahead_cycle;
}

/* The refresh or RFM that is to be issued as soon as it is legal. */
static bool find_job(struct mem_vault *v, struct vault_rank *k, uint64_t cycle, enum dram_command *c, uint32_t *bank)
{
	const struct dram_timing *t = v->banks.t;
	uint32_t step = t->refresh_mode == DRAM_REFRESH_SAME_BANK ? t->group_count : 1;

	*c = v->unit_count > 1 ? DRAM_REFB : DRAM_REF;
	*bank = first_bit(k->banks) + k->unit * step;
	if (k->due_cycle != SIM_NEVER && is_refresh_time(v, k, *c, *bank, cycle))
		return true;
	if (!(v->rfm_banks & k->banks))
		return false;
	*c = DRAM_RFM;
	*bank = first_bit(v->rfm_banks & k->banks);
	/* Rows that have just been opened are used first. */
	return !((v->opened[READING] | v->opened[WRITING]) & dram_reach(t, *c, *bank));
}

/* RFM and refreshes lower the rolling count of activations: JESD79-5 section 4.36 (RAA). */
static void count_job(struct mem_vault *v, struct vault_rank *k, enum dram_command c, uint64_t reach, uint64_t cycle)
{
	for (uint64_t left = v->rfm_threshold ? reach : 0; left; left &= left - 1) {
		uint32_t b = first_bit(left);

		v->activations[b] -= v->activations[b] < v->rfm_threshold ? v->activations[b] : v->rfm_threshold;
		if (v->activations[b] < v->rfm_threshold)
			v->rfm_banks &= ~(1ull << b);
	}
	if (c == DRAM_REF) {
		v->stats->refreshes++;
	} else {
		v->stats->refreshed_banks += (uint64_t)__builtin_popcountll(reach);
		v->stats->bank_refreshes += c == DRAM_REFB;
		v->stats->managements += c == DRAM_RFM;
	}
	if (c == DRAM_RFM)
		return;
	k->owed--;
	k->owes_exit_refresh = false;
	k->unit = (k->unit + 1) % v->unit_count;
	k->refreshed_cycle = cycle;
}

/* ---- power ---- */

static bool wake_from_self_refresh(struct mem_vault *v, struct vault_rank *k, uint64_t cycle)
{
	if (!try_issue(v, DRAM_SRX, first_bit(k->banks), cycle))
		return false;
	/* At least one REF before the next self-refresh: JESD79-3F section 4.13. */
	k->owes_exit_refresh = v->interval_cycles && k->owed > 1 - OFF_MAX;
	k->due_cycle = after(cycle, k->due_cycle);
	k->refreshed_cycle = cycle;
	return true;
}

/* A rank that is awake and for which nobody waits. */
static bool sleep_deeper(struct mem_vault *v, struct vault_rank *k, uint64_t cycle)
{
	uint64_t down_cycle = after(k->busy_cycle, v->power_down_idle_cycles);
	uint64_t self_cycle = after(k->busy_cycle, v->self_refresh_idle_cycles);

	if (cycle >= self_cycle) {
		if (v->banks.open_banks & k->banks)
			return close_rows(v, k, k->banks, cycle);
		if (!try_issue(v, DRAM_SRE, first_bit(k->banks), cycle))
			return false;
		v->stats->self_refreshes++;
		k->due_cycle = k->due_cycle == SIM_NEVER ? SIM_NEVER : k->due_cycle - cycle;
		return true;
	}
	look_at(v, self_cycle);
	if (cycle < down_cycle) {
		look_at(v, down_cycle);
		return false;
	}
	if (!try_issue(v, DRAM_PDE, first_bit(k->banks), cycle))
		return false;
	v->stats->power_downs++;
	return true;
}

static bool service_rank(struct mem_vault *v, struct vault_rank *k, uint64_t cycle)
{
	enum dram_rank_state state = state_of(v, k);
	bool waits = is_wanted(v, k->banks);
	enum dram_command job;
	uint64_t reach;
	uint32_t bank;

	if (state != DRAM_AWAKE)
		v->blocked |= k->banks;
	if (state == DRAM_SELF_REFRESHING)
		return waits && wake_from_self_refresh(v, k, cycle);
	if (find_job(v, k, cycle, &job, &bank)) {
		reach = dram_reach(v->banks.t, job, bank);
		v->blocked |= reach;
		if (state == DRAM_POWERED_DOWN)
			return try_issue(v, DRAM_PDX, bank, cycle);
		if (v->banks.open_banks & reach)
			return close_rows(v, k, reach, cycle);
		if (!try_issue(v, job, bank, cycle))
			return false;
		count_job(v, k, job, reach, cycle);
		return true;
	}
	if (state == DRAM_POWERED_DOWN) {
		uint64_t self_cycle = after(k->busy_cycle, v->self_refresh_idle_cycles);

		if (waits || cycle >= self_cycle)
			return try_issue(v, DRAM_PDX, first_bit(k->banks), cycle);
		look_at(v, self_cycle);
		return false;
	}
	/* Rows that nobody wants are closed first. */
	if (waits || (v->closes_pages && v->banks.open_banks & k->banks))
		return false;
	return sleep_deeper(v, k, cycle);
}

/* A rank that is awake, whose next refresh is to come and which has nothing else to do: what service_rank would find
 * out. Of a vault that sleeps that is most of the ranks, most of the time. */
static inline bool rests(const struct mem_vault *v, const struct vault_rank *k, uint64_t cycle)
{
	return k->due_cycle > cycle && k->owed <= -v->pull_in_count && !k->owes_exit_refresh &&
	       v->never_sleeps_deeper && !(v->rfm_banks & k->banks);
}

bool vault_service(struct mem_vault *v, uint64_t cycle)
{
	bool has_issued = false;

	v->service_cycle = SIM_NEVER;
	v->blocked = v->awaited = 0;
	/* All are asked, for what they block. */
	for (uint32_t i = 0; i < v->banks.t->rank_count; i++) {
		if (rests(v, &v->ranks[i], cycle))
			look_at(v, v->ranks[i].due_cycle);
		else
			has_issued |= service_rank(v, &v->ranks[i], cycle);
	}
	if (!has_issued)
		return false;
	v->service_cycle = cycle + 1;
	/* Without a guard over all banks only this shows a bank whose oldest request has waited too long. */
	if (!v->guards_all)
		v->dirty = ALL_BANKS;
	return true;
}

/* ---- while it slept ---- */

static struct mem_vault *first_of(struct mem_vault *v, struct mem_vault *partner)
{
	if (!partner || partner->service_cycle > v->service_cycle)
		return v;
	/* As they tick: the lower number first. */
	return partner->service_cycle < v->service_cycle || partner->config.index < v->config.index ? partner : v;
}

static void run_until(struct mem_vault *v, struct mem_vault *partner, uint64_t now)
{
	for (struct mem_vault *u; (u = first_of(v, partner))->service_cycle < now;)
		vault_service(u, u->service_cycle);
}

static uint64_t *count_at(struct mem_vault *v, size_t i)
{
	return (uint64_t *)((char *)v->stats + service_counts[i]);
}

static void move(struct mem_vault *v, uint64_t cycles)
{
	for (uint32_t i = 0; i < v->banks.t->rank_count; i++) {
		v->ranks[i].due_cycle = after(cycles, v->ranks[i].due_cycle);
		v->ranks[i].refreshed_cycle += cycles;
		v->ranks[i].counted_cycle += cycles;
	}
	v->service_cycle = after(cycles, v->service_cycle);
}

/* A vault that nobody uses does the same every round of refreshes: sees one and counts the others. */
static void skip_rounds(struct mem_vault *v, struct mem_vault *partner, uint64_t now)
{
	const uint64_t round = v->banks.t->refi;
	const uint64_t settling = round * (4 + (uint64_t)v->pull_in_count + (uint64_t)v->postpone_count);
	uint64_t counts[ARRAY_COUNT(service_counts)], times[2][TIME_COUNT], rounds;
	struct mem_vault *vaults[] = {v, partner};
	uint64_t begin = first_of(v, partner)->service_cycle;

	if (v->is_watched || !round || v->self_refresh_idle_cycles != SIM_NEVER || begin >= now ||
	    now - begin < settling + 4 * round)
		return;
	run_until(v, partner, begin + settling);
	for (size_t i = 0; i < ARRAY_COUNT(service_counts); i++)
		counts[i] = *count_at(v, i);
	for (uint32_t u = 0; u < 2 && vaults[u]; u++) {
		vault_count_times(vaults[u], begin + settling);
		memcpy(times[u], vaults[u]->cycles_in, sizeof(times[u]));
	}
	run_until(v, partner, begin + settling + round);
	rounds = (now - begin - settling) / round - 2;
	for (size_t i = 0; i < ARRAY_COUNT(service_counts); i++)
		*count_at(v, i) += (*count_at(v, i) - counts[i]) * rounds;
	for (uint32_t u = 0; u < 2 && vaults[u]; u++) {
		vault_count_times(vaults[u], begin + settling + round);
		for (uint32_t i = 0; i < TIME_COUNT; i++)
			vaults[u]->cycles_in[i] += (vaults[u]->cycles_in[i] - times[u][i]) * rounds;
		move(vaults[u], rounds * round);
	}
}

void vault_catch_up(struct mem_vault *v, uint64_t now)
{
	/* While its partner works, it ticks when it has something to do. */
	if (v->partner && vault_works(v->partner))
		return;
	skip_rounds(v, v->partner, now);
	run_until(v, v->partner, now);
}
