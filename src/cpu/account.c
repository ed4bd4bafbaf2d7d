/* account.c - cursors of units and trails of requests. */
#include "cpu/account.h"

#include "base/check.h"

#include <glib.h>

enum { RECENT = 32 };

struct unit {
	uint64_t cursor_units;
	uint64_t parts[CPU_PART_COUNT]; /* units of time */
	/* The last charges, for taking back: a ring. */
	struct {
		uint64_t units;
		enum cpu_part part;
		uint32_t place, channel;
	} recent[RECENT];
	uint32_t next;
	uint32_t place;
	bool is_near, is_hardware;
};

/* The first two places. */
enum { NOWHERE_CPU, NOWHERE_NEAR, NOWHERE_COUNT };

struct cpu_account {
	uint32_t unit_count, channel_count;
	uint64_t per_ps;
	uint64_t (*channels)[2][CPU_PART_COUNT]; /* by channel and is_near */
	GPtrArray *places;	  /* struct cpu_account_place */
	GHashTable *place_of[2]; /* by is_near: address to number */
	struct unit units[];
};

static const struct account_row rows[] = {CPU_ACCOUNT_PARTS(ACCOUNT_ROW)};
const struct account_parts cpu_account_parts = {rows, CPU_PART_COUNT};

static uint64_t trail_end(const struct cpu_trail *t)
{
	return t->count ? t->steps[t->count - 1].end_units : t->begin_units;
}

/* One that has gone round too often has its end in its last part. */
void cpu_trail_add(struct cpu_trail *t, enum cpu_part part, uint64_t units)
{
	if (units <= trail_end(t))
		return;
	if (t->count && (t->steps[t->count - 1].part == part || t->count == CPU_TRAIL_STEPS)) {
		t->steps[t->count - 1].end_units = units;
		return;
	}
	t->steps[t->count].part = part;
	t->steps[t->count++].end_units = units;
}

/* channel: behind which the line is that is waited for, or CPU_NO_CHANNEL. */
static void charge(struct cpu_account *a, uint32_t unit, enum cpu_part part, uint32_t channel, uint64_t units)
{
	struct unit *u = &a->units[unit];
	const uint64_t more = units - u->cursor_units;

	if (units <= u->cursor_units)
		return;
	if (u->is_hardware)
		channel = CPU_NO_CHANNEL;
	u->parts[part] += more;
	cpu_account_place(a, u->place)->parts[part] += more;
	if (channel != CPU_NO_CHANNEL)
		a->channels[channel][u->is_near][part] += more;
	u->recent[u->next].units = more;
	u->recent[u->next].part = part;
	u->recent[u->next].place = u->place;
	u->recent[u->next].channel = channel;
	u->next = (u->next + 1) % RECENT;
	u->cursor_units = units;
}

void cpu_account_until(struct cpu_account *a, uint32_t unit, enum cpu_part part, uint64_t units)
{
	charge(a, unit, part, CPU_NO_CHANNEL, units);
}

void cpu_account_trail(struct cpu_account *a, uint32_t unit, const struct cpu_trail *t, uint64_t later, uint64_t units)
{
	for (uint32_t i = 0; i < t->count; i++)
		charge(a, unit, t->steps[i].part, t->channel, MIN(t->steps[i].end_units + later, units));
	charge(a, unit, t->count ? t->steps[t->count - 1].part : CPU_PART_JOIN, t->channel, units);
}

void cpu_account_back(struct cpu_account *a, uint32_t unit, uint64_t units)
{
	struct unit *u = &a->units[unit];

	for (uint32_t i = 0; u->cursor_units > units; i++) {
		uint64_t back;

		u->next = (u->next + RECENT - 1) % RECENT;
		back = MIN(u->recent[u->next].units, u->cursor_units - units);
		CHECK(i < RECENT);
		u->recent[u->next].units -= back;
		u->parts[u->recent[u->next].part] -= back;
		cpu_account_place(a, u->recent[u->next].place)->parts[u->recent[u->next].part] -= back;
		if (u->recent[u->next].channel != CPU_NO_CHANNEL)
			a->channels[u->recent[u->next].channel][u->is_near][u->recent[u->next].part] -= back;
		u->cursor_units -= back;
	}
}

void cpu_account_settle(struct cpu_account *a, uint32_t unit, uint64_t units)
{
	const struct unit *u = &a->units[unit];
	uint32_t last;

	cpu_account_back(a, unit, units);
	CHECK(units - u->cursor_units < a->per_ps);
	last = (u->next + RECENT - 1) % RECENT;
	charge(a, unit, u->recent[last].part, u->recent[last].channel, units);
}

static uint32_t place_new(struct cpu_account *a, const void *address, bool is_near)
{
	struct cpu_account_place *p = g_new0(struct cpu_account_place, 1);

	p->address = address;
	p->is_near = is_near;
	g_ptr_array_add(a->places, p);
	return a->places->len - 1;
}

void cpu_account_at(struct cpu_account *a, uint32_t unit, const void *address)
{
	struct unit *u = &a->units[unit];
	gpointer number;

	if (cpu_account_place(a, u->place)->address == address)
		return;
	if (!address) {
		u->place = u->is_near ? NOWHERE_NEAR : NOWHERE_CPU;
		return;
	}
	number = g_hash_table_lookup(a->place_of[u->is_near], address);
	if (!number) {
		number = GUINT_TO_POINTER(place_new(a, address, u->is_near));
		g_hash_table_insert(a->place_of[u->is_near], (gpointer)(uintptr_t)address, number);
	}
	u->place = GPOINTER_TO_UINT(number);
}

void cpu_account_hardware(struct cpu_account *a, uint32_t unit, const char *name)
{
	cpu_account_at(a, unit, name);
	cpu_account_place(a, a->units[unit].place)->hardware = name;
	a->units[unit].is_hardware = true;
}

const char *cpu_count_name(enum cpu_count count)
{
	static const char *const names[CPU_COUNT_COUNT] = {
#define X(enumerator, name) [enumerator] = #name,
	    CPU_ACCOUNT_COUNTS(X)
#undef X
	};

	return names[count];
}

void cpu_account_count(struct cpu_account *a, uint32_t unit, enum cpu_count count)
{
	cpu_account_place(a, a->units[unit].place)->counts[count]++;
}

uint32_t cpu_account_place_count(const struct cpu_account *a)
{
	return a->places->len;
}

struct cpu_account_place *cpu_account_place(struct cpu_account *a, uint32_t index)
{
	return a->places->pdata[index];
}

uint32_t cpu_account_channel_count(const struct cpu_account *a)
{
	return a->channel_count;
}

uint64_t cpu_account_channel_ps(const struct cpu_account *a, uint32_t channel, bool is_near, enum cpu_part part)
{
	return a->channels[channel][is_near][part] / a->per_ps;
}

uint64_t cpu_account_units_per_ps(const struct cpu_account *a)
{
	return a->per_ps;
}

void cpu_account_check(const struct cpu_account *a)
{
	uint64_t of_units[CPU_PART_COUNT] = {0}, of_places[CPU_PART_COUNT] = {0};

	for (uint32_t i = 0; i < a->unit_count; i++) {
		CHECK(account_sum(&cpu_account_parts, a->units[i].parts) == a->units[i].cursor_units);
		account_add(&cpu_account_parts, of_units, a->units[i].parts);
	}
	for (uint32_t i = 0; i < a->places->len; i++)
		account_add(&cpu_account_parts, of_places,
			    ((const struct cpu_account_place *)a->places->pdata[i])->parts);
	CHECK(account_is_same(&cpu_account_parts, of_units, of_places));
}

uint64_t cpu_account_ps(const struct cpu_account *a, uint32_t unit, enum cpu_part part)
{
	uint64_t before = 0, ps = 0;

	for (uint32_t k = 0; k <= part; k++)
		ps = account_rounded(a->units[unit].parts[k], a->per_ps, &before);
	return ps;
}

struct cpu_account *cpu_account_new(uint32_t unit_count, uint32_t cpu_unit_count, uint32_t channel_count,
				    uint64_t units_per_ps)
{
	struct cpu_account *a = g_malloc0(sizeof(*a) + unit_count * sizeof(a->units[0]));

	a->unit_count = unit_count;
	a->channel_count = channel_count;
	a->channels = g_malloc0_n(channel_count, sizeof(a->channels[0]));
	a->per_ps = units_per_ps;
	a->places = g_ptr_array_new_with_free_func(g_free);
	for (uint32_t i = 0; i < NOWHERE_COUNT; i++) {
		place_new(a, NULL, i == NOWHERE_NEAR);
		a->place_of[i] = g_hash_table_new(NULL, NULL);
	}
	for (uint32_t i = cpu_unit_count; i < unit_count; i++) {
		a->units[i].is_near = true;
		a->units[i].place = NOWHERE_NEAR;
	}
	return a;
}

void cpu_account_free(struct cpu_account *a)
{
	if (!a)
		return;
	g_ptr_array_free(a->places, TRUE);
	g_free(a->channels);
	for (uint32_t i = 0; i < NOWHERE_COUNT; i++)
		g_hash_table_destroy(a->place_of[i]);
	g_free(a);
}
