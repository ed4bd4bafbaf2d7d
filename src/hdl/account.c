/* account.c - cycles of designs as charges of their units. */
#include "hdl/account.h"

#include <glib.h>

enum state { SLEEPS, WAITS };

struct hdl_account {
	struct cpu_account *account;
	uint32_t first_unit, count, access_count;
	uint64_t cycle_units;
	uint8_t *states; /* enum state, of what is after the cursors */
};

struct hdl_account *hdl_account_new(struct cpu_account *account, uint32_t first_unit, uint32_t accelerator_count,
				    uint32_t access_count, uint64_t cycle_units, const char *design)
{
	struct hdl_account *h;

	if (!account)
		return NULL;
	h = g_new(struct hdl_account, 1);
	*h = (struct hdl_account){account, first_unit, accelerator_count, access_count, cycle_units,
				  g_new0(uint8_t, accelerator_count)};
	for (uint32_t n = 0; n < accelerator_count; n++) {
		g_autofree char *name = g_strdup_printf("%s at channel %u", design, n);

		for (uint32_t i = 0; i < access_count; i++)
			cpu_account_hardware(account, first_unit + n * access_count + i, g_intern_string(name));
	}
	return h;
}

void hdl_account_free(struct hdl_account *h)
{
	if (!h)
		return;
	g_free(h->states);
	g_free(h);
}

void hdl_account_access(struct hdl_account *h, uint32_t access, uint64_t units)
{
	if (h)
		cpu_account_until(h->account, h->first_unit + access, CPU_PART_NONE, units);
}

static uint32_t unit_of(const struct hdl_account *h, uint32_t accelerator)
{
	return h->first_unit + h->count * h->access_count + accelerator;
}

/* What was asked for before the wait began has its way from then on; a page touched first is before the way begins. */
static void answered(struct hdl_account *h, uint32_t unit, const struct cpu_trail *t, uint64_t units)
{
	cpu_account_until(h->account, unit, CPU_PART_FAULT, MIN(t->begin_units, units));
	cpu_account_trail(h->account, unit, t, 0, units);
}

void hdl_account_cycle(struct hdl_account *h, uint32_t accelerator, uint64_t units, const struct hdl_cycle *c)
{
	uint32_t unit;

	if (!h)
		return;
	unit = unit_of(h, accelerator);
	if (h->states[accelerator] == SLEEPS)
		cpu_account_until(h->account, unit, CPU_PART_IDLE, units);
	else if (c->answered)
		answered(h, unit, c->answered, units);
	else if (c->is_own || c->is_without_place)
		cpu_account_until(h->account, unit, CPU_PART_DESIGN, units);
	h->states[accelerator] = SLEEPS;
	if (c->is_own || c->answered)
		cpu_account_until(h->account, unit, CPU_PART_DESIGN, units + h->cycle_units);
	else if (c->is_without_place)
		cpu_account_until(h->account, unit, CPU_PART_PLACE, units + h->cycle_units);
	else
		h->states[accelerator] = WAITS;
}

static void end_unit(struct hdl_account *h, uint32_t unit, enum cpu_part part, uint64_t units)
{
	cpu_account_back(h->account, unit, units);
	cpu_account_until(h->account, unit, part, units);
}

void hdl_account_end(struct hdl_account *h, uint64_t units, bool (*is_under_way)(const void *self, uint32_t access),
		     const void *self)
{
	if (!h)
		return;
	for (uint32_t i = 0; i < h->count * h->access_count; i++)
		end_unit(h, h->first_unit + i, is_under_way(self, i) ? CPU_PART_ENDED : CPU_PART_NONE, units);
	for (uint32_t n = 0; n < h->count; n++)
		end_unit(h, unit_of(h, n), h->states[n] == WAITS ? CPU_PART_ENDED : CPU_PART_IDLE, units);
}
