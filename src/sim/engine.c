/* engine.c - a timing wheel of bitmaps per clock domain.
 *
 * A wheel slot holds one bit per component of the domain; an occupancy bitmap finds the next slot with a bit set.
 * Waking costs two OR instructions, finding the next tick a few word scans, whatever the number of components. Wakes
 * further away than the wheel's length wait in an overflow list that is looked at once per turn of the wheel.
 */
#include "sim/engine.h"

#include <glib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/units.h"

enum {
	WHEEL_SLOTS = 1024, /* cycles; longer than any latency but refresh and PCI-E */
	WHEEL_MASK = WHEEL_SLOTS - 1,
	OCCUPANCY_WORDS = WHEEL_SLOTS / 64,
};

struct far_wake {
	uint64_t cycle;
	uint32_t index;
};

struct ticker {
	sim_tick_fn tick;
	void *component;
};

struct domain {
	struct sim_period period;
	uint64_t period_units;
	uint64_t period_inverse; /* floor((2^64 - 1) / period_units) */
	uint64_t open_cycle;  /* the first that has not begun to tick: every component may be woken for it */
	uint64_t wheel_cycle; /* no bit set for an earlier cycle; the wheel covers [wheel_cycle, +WHEEL_SLOTS) */
	uint64_t next_cycle;  /* first cycle with a bit set, or SIM_NEVER */
	uint64_t *slots; /* [WHEEL_SLOTS][words] */
	uint32_t comp_count, words; /* words per slot */
	uint64_t occupancy[OCCUPANCY_WORDS];
	struct ticker *tickers; /* [comp_count] */
	const char *name;
	const char **comp_name;
	struct far_wake *far;
	uint32_t far_count, far_cap;
	uint64_t far_min_cycle;
	uint32_t ticking_index;
};

struct sim_engine {
	struct sim_clock clock; /* first: sim_now_units reads it */
	uint64_t units_per_ps;
	uint32_t domain_count;
	struct domain *ticking; /* NULL between ticks */
	struct domain *last;	/* that ticks or has ticked */
	uint64_t others_units;	/* no other domain than the last has a tick before then */
	volatile bool stop;
	bool was_limited;
	uint64_t limit_units;
	uint64_t follow_units; /* until then no wheel has to follow the time */
	struct domain domains[SIM_DOMAIN_MAX];
};

static uint64_t gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t t = a % b;

		a = b;
		b = t;
	}
	return a;
}

struct sim_period sim_period_of_khz(uint64_t khz)
{
	const uint64_t ps_khz = BASE_PS_PER_MS; /* a 1 kHz period in ps */
	uint64_t g = gcd(ps_khz, khz);

	return (struct sim_period){ps_khz / g, khz / g};
}

struct sim_period sim_period_of_ps(uint64_t ps)
{
	return (struct sim_period){ps, 1};
}

struct sim_engine *sim_engine_new(void)
{
	struct sim_engine *e = g_new0(struct sim_engine, 1);

	e->last = &e->domains[0];
	e->units_per_ps = 1;
	e->limit_units = SIM_NEVER;
	return e;
}

/* Every domain's period in the units that there are now. */
static void periods_set(struct sim_engine *e)
{
	for (uint32_t i = 0; i < e->domain_count; i++) {
		struct domain *d = &e->domains[i];

		CHECK(d->comp_count == 0);
		d->period_units = d->period.num_ps * (e->units_per_ps / d->period.den);
		d->period_inverse = UINT64_MAX / d->period_units;
	}
}

bool sim_domain_add(struct sim_engine *e, const char *name, struct sim_period period, uint32_t *domain)
{
	/* 10^4 s = 10^16 ps must fit in 64 bits of units. */
	const uint64_t units_per_ps_max = 1800;
	const uint64_t units_per_ps = e->units_per_ps / gcd(e->units_per_ps, period.den) * period.den;

	CHECK(e->domain_count < SIM_DOMAIN_MAX);
	if (units_per_ps > units_per_ps_max)
		return false;
	*domain = e->domain_count++;
	e->domains[*domain] = (struct domain){
	    .name = name, .period = period, .next_cycle = SIM_NEVER, .far_min_cycle = SIM_NEVER};
	e->units_per_ps = units_per_ps;
	periods_set(e);
	return true;
}

void sim_engine_free(struct sim_engine *e)
{
	if (!e)
		return;
	for (uint32_t i = 0; i < e->domain_count; i++) {
		g_free(e->domains[i].slots);
		g_free(e->domains[i].tickers);
		g_free(e->domains[i].comp_name);
		g_free(e->domains[i].far);
	}
	g_free(e);
}

struct sim_comp sim_engine_add(struct sim_engine *e, uint32_t domain, const char *name, sim_tick_fn tick,
			       void *component)
{
	CHECK(domain < e->domain_count && e->clock.now_units == 0);

	struct domain *d = &e->domains[domain];
	uint32_t index = d->comp_count++;

	CHECK(index < SIM_COMPS_MAX && d->next_cycle == SIM_NEVER && d->far_count == 0);
	d->tickers = g_renew(struct ticker, d->tickers, d->comp_count);
	d->comp_name = g_renew(const char *, d->comp_name, d->comp_count);
	d->tickers[index] = (struct ticker){tick, component};
	d->comp_name[index] = name;
	d->words = (d->comp_count + 63) / 64;
	g_free(d->slots);
	d->slots = g_new0(uint64_t, (size_t)WHEEL_SLOTS * d->words);
	return (struct sim_comp){(uint16_t)domain, (uint16_t)index};
}

void sim_engine_tick_with(struct sim_engine *e, struct sim_comp c, sim_tick_fn tick)
{
	e->domains[c.domain].tickers[c.index].tick = tick;
}

uint32_t sim_domain_find(const struct sim_engine *e, const char *name)
{
	for (uint32_t i = 0; i < e->domain_count; i++)
		if (!strcmp(e->domains[i].name, name))
			return i;
	UNREACHABLE("a clock domain that no part has added");
}

uint64_t sim_period_units(const struct sim_engine *e, uint32_t domain)
{
	return e->domains[domain].period_units;
}

uint64_t sim_units_per_ps(const struct sim_engine *e)
{
	return e->units_per_ps;
}

uint64_t sim_ps_of_units(const struct sim_engine *e, uint64_t units)
{
	return units / e->units_per_ps;
}

uint64_t sim_units_of_ps(const struct sim_engine *e, uint64_t ps)
{
	return ps * e->units_per_ps;
}

uint64_t sim_now_ps(const struct sim_engine *e)
{
	return sim_ps_of_units(e, e->clock.now_units);
}

/* units / period_units, exactly: the product with the inverse, rounded down, falls short of the quotient by at most
 * 1. */
static inline uint64_t cycles_of_units(const struct domain *d, uint64_t units)
{
	uint64_t cycles = (uint64_t)((unsigned __int128)units * d->period_inverse >> 64);

	return cycles + (units - cycles * d->period_units >= d->period_units);
}

uint64_t sim_cycle_now(const struct sim_engine *e, uint32_t domain)
{
	const struct domain *d = &e->domains[domain];

	if (d == e->ticking)
		return d->wheel_cycle;
	return cycles_of_units(d, e->clock.now_units + d->period_units - 1);
}

/* The domain may have a tick at this cycle, earlier than all that it had. */
static inline void set_next(struct sim_engine *e, struct domain *d, uint64_t *next_cycle, uint64_t cycle)
{
	*next_cycle = cycle;
	if (d != e->last)
		e->others_units = base_min_u64(e->others_units, cycle * d->period_units);
}

static inline void wheel_set(struct sim_engine *e, struct domain *d, uint32_t index, uint64_t cycle)
{
	uint32_t slot = (uint32_t)(cycle & WHEEL_MASK);

	d->slots[(size_t)slot * d->words + index / 64] |= 1ull << (index % 64);
	d->occupancy[slot / 64] |= 1ull << (slot % 64);
	if (cycle < d->next_cycle)
		set_next(e, d, &d->next_cycle, cycle);
}

static void far_add(struct sim_engine *e, struct domain *d, uint32_t index, uint64_t cycle)
{
	if (d->far_count == d->far_cap) {
		d->far_cap = d->far_cap ? 2 * d->far_cap : 64;
		d->far = g_renew(struct far_wake, d->far, d->far_cap);
	}
	d->far[d->far_count++] = (struct far_wake){cycle, index};
	if (cycle < d->far_min_cycle)
		set_next(e, d, &d->far_min_cycle, cycle);
}

/* Moves far wakes that the wheel now reaches into it. */
static void far_drain(struct sim_engine *e, struct domain *d)
{
	uint32_t kept = 0;

	d->far_min_cycle = SIM_NEVER;
	for (uint32_t i = 0; i < d->far_count; i++) {
		struct far_wake f = d->far[i];

		if (f.cycle < d->wheel_cycle + WHEEL_SLOTS) {
			wheel_set(e, d, f.index, f.cycle);
		} else {
			d->far[kept++] = f;
			if (f.cycle < d->far_min_cycle)
				d->far_min_cycle = f.cycle;
		}
	}
	d->far_count = kept;
}

/* A wake for a cycle that has begun, or for one that the wheel does not reach. */
static __attribute__((noinline)) void wake_slowly(struct sim_engine *e, struct sim_comp c, uint64_t cycle)
{
	struct domain *d = &e->domains[c.domain];

	if (d == e->ticking && cycle <= d->wheel_cycle && c.index <= d->ticking_index)
		cycle = d->wheel_cycle + 1; /* has had its turn in this cycle */
	else if (d < e->ticking && cycle * d->period_units <= e->clock.now_units)
		cycle = cycles_of_units(d, e->clock.now_units) + 1; /* its domain has had its turn at this time */
	CHECK((cycle + 1) * d->period_units > e->clock.now_units);
	if (cycle < d->wheel_cycle)
		cycle = d->wheel_cycle; /* the domain has had this edge already */
	if (unlikely(cycle - d->wheel_cycle >= WHEEL_SLOTS)) {
		bool is_empty = d->next_cycle == SIM_NEVER && d->far_count == 0 && d != e->ticking;
		uint64_t now_cycle = cycles_of_units(d, e->clock.now_units);

		if (is_empty && now_cycle > d->wheel_cycle)
			d->wheel_cycle = d->open_cycle = now_cycle;
		if (cycle - d->wheel_cycle >= WHEEL_SLOTS) {
			far_add(e, d, c.index, cycle);
			return;
		}
	}
	wheel_set(e, d, c.index, cycle);
}

void sim_wake_cycle(struct sim_engine *e, struct sim_comp c, uint64_t cycle)
{
	struct domain *d = &e->domains[c.domain];

	if (likely(cycle - d->open_cycle < WHEEL_SLOTS - 1 && cycle * d->period_units > e->clock.now_units))
		wheel_set(e, d, c.index, cycle);
	else
		wake_slowly(e, c, cycle);
}

void sim_wake_units(struct sim_engine *e, struct sim_comp c, uint64_t time_units)
{
	struct domain *d = &e->domains[c.domain];
	uint64_t time = time_units > e->clock.now_units ? time_units : e->clock.now_units;
	uint64_t cycle = cycles_of_units(d, time + d->period_units - 1);

	if (likely(cycle - d->open_cycle < WHEEL_SLOTS - 1 && time_units > e->clock.now_units))
		wheel_set(e, d, c.index, cycle);
	else
		wake_slowly(e, c, cycle);
}

/* First occupied cycle of the wheel at or after from; SIM_NEVER if none. */
static uint64_t wheel_find(const struct domain *d, uint64_t from)
{
	uint32_t start = (uint32_t)(from & WHEEL_MASK);
	uint32_t word = start / 64;
	uint64_t bits = d->occupancy[word] & (~0ull << (start % 64));

	for (uint32_t n = 0; n <= OCCUPANCY_WORDS; n++) {
		if (bits) {
			uint32_t slot = word * 64 + (uint32_t)__builtin_ctzll(bits);

			return from + ((slot - start) & WHEEL_MASK);
		}
		word = (word + 1) % OCCUPANCY_WORDS;
		bits = d->occupancy[word];
	}
	return SIM_NEVER;
}

/* The next cycle at which the domain has something to do. The wheel does not move here: until that cycle is reached,
 * somebody may still wake a component for an earlier one. */
static uint64_t domain_next(const struct domain *d)
{
	return d->next_cycle < d->far_min_cycle ? d->next_cycle : d->far_min_cycle;
}

static void far_remove(struct domain *d, uint32_t index, uint64_t cycle)
{
	uint32_t kept = 0;

	d->far_min_cycle = SIM_NEVER;
	for (uint32_t i = 0; i < d->far_count; i++) {
		struct far_wake f = d->far[i];

		if (f.index == index && f.cycle == cycle)
			continue;
		d->far[kept++] = f;
		if (f.cycle < d->far_min_cycle)
			d->far_min_cycle = f.cycle;
	}
	d->far_count = kept;
}

void sim_cancel(struct sim_engine *e, struct sim_comp c, uint64_t cycle)
{
	struct domain *d = &e->domains[c.domain];
	uint32_t slot = (uint32_t)(cycle & WHEEL_MASK);
	uint64_t *bits = d->slots + (size_t)slot * d->words, left = 0;

	far_remove(d, c.index, cycle);
	if (cycle < d->wheel_cycle || cycle - d->wheel_cycle >= WHEEL_SLOTS)
		return;
	bits[c.index / 64] &= ~(1ull << (c.index % 64));
	for (uint32_t w = 0; w < d->words; w++)
		left |= bits[w];
	if (left || (d == e->ticking && cycle == d->wheel_cycle))
		return;
	d->occupancy[slot / 64] &= ~(1ull << (slot % 64));
	if (d->next_cycle == cycle)
		d->next_cycle = wheel_find(d, d->wheel_cycle);
}

uint32_t sim_take_due(struct sim_engine *e, struct sim_comp first, uint32_t count, uint64_t *bits)
{
	struct domain *d = &e->domains[first.domain];
	uint64_t *due = d->slots + (size_t)(d->wheel_cycle & WHEEL_MASK) * d->words;
	const uint32_t end = first.index + count;
	uint32_t taken = 0;

	CHECK(d == e->ticking && end <= d->comp_count);
	for (uint32_t w = 0; w < d->words; w++) {
		const uint32_t low = w * 64, from = first.index > low ? first.index - low : 0;
		uint64_t mask = from < 64 ? ~0ull << from : 0;

		if (end < low + 64)
			mask &= end > low ? ~(~0ull << (end - low)) : 0;
		bits[w] = due[w] & mask;
		due[w] &= ~mask;
		taken += (uint32_t)__builtin_popcountll(bits[w]);
	}
	return taken;
}

void sim_take_turn(struct sim_engine *e, struct sim_comp c)
{
	struct domain *d = &e->domains[c.domain];

	CHECK(d == e->ticking && c.index >= d->ticking_index);
	d->ticking_index = c.index;
}

/* The cycle after which the wheel, which has just been emptied there, next has something. */
static inline uint64_t wheel_next(const struct domain *d, uint64_t cycle)
{
	const uint32_t slot = (uint32_t)(cycle & WHEEL_MASK);
	const uint64_t near = d->occupancy[slot / 64] >> slot % 64;

	return likely(near) ? cycle + (uint32_t)__builtin_ctzll(near) : wheel_find(d, cycle + 1);
}

static inline uint64_t domain_tick(struct sim_engine *e, struct domain *d)
{
	const uint64_t cycle = domain_next(d);
	const uint32_t slot = (uint32_t)(cycle & WHEEL_MASK);
	uint64_t *word = d->slots + (size_t)slot * d->words, ticks = 0;
	uint32_t first = 0; /* the number of the word's first component */

	d->wheel_cycle = cycle;
	d->open_cycle = cycle + 1;
	if (unlikely(d->far_min_cycle < cycle + WHEEL_SLOTS)) /* else a far wake could be passed over */
		far_drain(e, d);
	e->clock.now_units = cycle * d->period_units;
	e->ticking = d;
	do { /* every tick may wake a component that comes later */
		for (uint64_t left; (left = *word) != 0; ticks++) {
			const uint32_t index = first + (uint32_t)__builtin_ctzll(left);

			*word = left & (left - 1);
			d->ticking_index = index;
			d->tickers[index].tick(d->tickers[index].component, cycle);
		}
		word++;
		first += 64;
	} while (first < d->comp_count);
	e->ticking = NULL;
	d->occupancy[slot / 64] &= ~(1ull << (slot % 64));
	d->wheel_cycle = cycle + 1;
	d->next_cycle = wheel_next(d, cycle);
	return ticks;
}

const char *sim_last_tick(const struct sim_engine *e, uint32_t *index)
{
	const struct domain *d = e->last;

	*index = d->ticking_index;
	return d->comp_count ? d->comp_name[d->ticking_index] : d->name;
}

/* When its next tick is; SIM_NEVER: it has none. */
static inline uint64_t next_units(const struct domain *d)
{
	const uint64_t cycle = domain_next(d);

	return cycle == SIM_NEVER ? SIM_NEVER : cycle * d->period_units;
}

/* The domain whose turn is next, and when; NULL: nobody is scheduled. No other has a tick before *others_units.
 * Inlined, for it stands in the run loop. */
static inline __attribute__((always_inline)) struct domain *first_domain(struct sim_engine *e, uint64_t *first_units,
									 uint64_t *others_units)
{
	struct domain *first = NULL;

	*first_units = *others_units = SIM_NEVER;
	for (uint32_t i = 0; i < e->domain_count; i++) {
		const uint64_t t = next_units(&e->domains[i]);

		if (t < *first_units) {
			*others_units = *first_units;
			*first_units = t;
			first = &e->domains[i];
		} else {
			*others_units = base_min_u64(*others_units, t);
		}
	}
	return first;
}

/* All ticks up to last_units, unless stopped. Returns their number. */
static inline uint64_t run_to(struct sim_engine *e, uint64_t last_units, bool *is_behind)
{
	uint64_t ticks = 0;

	*is_behind = false;
	while (!e->stop) {
		uint64_t first_units;
		struct domain *first = first_domain(e, &first_units, &e->others_units);

		if (!first)
			break;
		e->last = first;
		do {
			if (unlikely(first_units > last_units)) {
				*is_behind = true;
				return ticks;
			}
			ticks += domain_tick(e, first);
			first_units = next_units(first);
		} while (first_units < e->others_units && !e->stop);
	}
	return ticks;
}

uint64_t sim_run(struct sim_engine *e)
{
	uint64_t ticks = run_to(e, e->limit_units, &e->was_limited);

	e->stop = false;
	return ticks;
}

/* After time has moved over idle cycles: the wheel follows, so that wakes find their cycles in it. */
static void wheel_follow(struct sim_engine *e)
{
	if (likely(e->clock.now_units < e->follow_units))
		return;
	e->follow_units = SIM_NEVER;
	for (uint32_t i = 0; i < e->domain_count; i++) {
		struct domain *d = &e->domains[i];
		if (e->clock.now_units >= (d->wheel_cycle + WHEEL_SLOTS / 2) * d->period_units)
			d->wheel_cycle = d->open_cycle =
				cycles_of_units(d, e->clock.now_units + d->period_units - 1);
		e->follow_units =
			base_min_u64(e->follow_units, (d->wheel_cycle + WHEEL_SLOTS / 2) * d->period_units);
	}
}

void sim_pass_units(struct sim_engine *e, uint64_t time_units)
{
	CHECK(time_units >= e->clock.now_units);
	e->clock.now_units = time_units;
	wheel_follow(e);
}

uint64_t sim_run_until(struct sim_engine *e, uint64_t time_units)
{
	bool is_short = time_units > e->limit_units, is_behind;
	uint64_t ticks;

	CHECK(time_units >= e->clock.now_units);
	ticks = run_to(e, is_short ? e->limit_units : time_units, &is_behind);
	e->was_limited = is_short && is_behind;
	if (!e->stop && !e->was_limited) {
		e->clock.now_units = time_units;
		wheel_follow(e);
	}
	e->stop = false;
	return ticks;
}

uint64_t sim_next_units(struct sim_engine *e)
{
	uint64_t first_units, others_units;

	first_domain(e, &first_units, &others_units);
	return first_units;
}

void sim_resume(struct sim_engine *e)
{
	e->stop = false;
}

void sim_limit(struct sim_engine *e, uint64_t limit_units)
{
	e->limit_units = limit_units;
}

bool sim_was_limited(const struct sim_engine *e)
{
	return e->was_limited;
}

void sim_stop(struct sim_engine *e)
{
	e->stop = true;
}

void sim_cancel_all(struct sim_engine *e)
{
	for (uint32_t i = 0; i < e->domain_count; i++) {
		struct domain *d = &e->domains[i];

		memset(d->occupancy, 0, sizeof(d->occupancy));
		if (d->slots)
			memset(d->slots, 0, sizeof(uint64_t) * WHEEL_SLOTS * d->words);
		d->far_count = 0;
		d->far_min_cycle = d->next_cycle = SIM_NEVER;
	}
}

void sim_advance_units(struct sim_engine *e, uint64_t time_units)
{
	CHECK(time_units >= e->clock.now_units);
	for (uint32_t i = 0; i < e->domain_count; i++) {
		uint64_t cycle = domain_next(&e->domains[i]);

		CHECK(cycle == SIM_NEVER || cycle * e->domains[i].period_units >= time_units);
	}
	e->clock.now_units = time_units;
}

void sim_advance_ps(struct sim_engine *e, uint64_t time_ps)
{
	uint64_t units = sim_units_of_ps(e, time_ps);

	if (units > e->clock.now_units)
		sim_advance_units(e, units);
}
