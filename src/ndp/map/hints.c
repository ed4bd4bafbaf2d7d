/* hints.c - pages, their homes, and what moves when these change. */
#include "ndp/map/hints.h"

#include <glib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "ndp/map/mapping.h"
#include "simt/memory_declared.h"

struct hints_stats {
#include "sim/stat_fields.inc"
#include "ndp/map/hints_stats.def"
#include "sim/stat_end.inc"
};

static const struct sim_stat_desc rows[] = {
#define STAT_STRUCT struct hints_stats
#include "sim/stat_rows.inc"
#include "ndp/map/hints_stats.def"
#include "sim/stat_end.inc"
};
const struct sim_stat_table map_hints_stat_table = {"hints", rows, ARRAY_COUNT(rows)};

enum { NO_HOME = 0 }; /* else the stack, and one */

/* Homes of pages from the arena's first one on. */
struct pages {
	uint8_t *homes; /* [page] */
	uint64_t count;
};

struct map_hints {
	const struct gpu_config *config;
	const struct map_params *params;
	struct pages in_force, next; /* next: from map_hints_resumed on */
	bool is_moving;
	uint32_t seen_count;	/* of the declarations */
	uint32_t seen_ordinal;	/* of the allocations that there were when the last kernel began */
	bool has_run;		/* some kernel has begun */
	uint32_t group, home;	/* of the last range that has one */
	uint64_t *stack_bytes;	/* [stack]: of next */
	uint32_t page_shift, stack_count;
	struct gpu_map *maps; /* [stack] */
	struct hints_stats stats;
};

static void check(const struct ndp_site *site, struct base_diag_list *diag)
{
	const struct gpu_config *c = site->gpu;

	if (site->ndp->map.tom_mapping == TOM_MAPPING_LEARNED)
		base_diag_error(diag, (struct base_place){0},
				"ndp.hints = homes: with ndp.tom_mapping = learned data lies as was learned; set one "
				"of the two to its default");
	if (!base_is_power_of_two(site->ndp->map.hint_page_bytes))
		base_diag_error(diag, base_diag_place(diag, "ndp.hint_page_bytes"),
				"ndp.hint_page_bytes = %llu: expected a power of two",
				(unsigned long long)site->ndp->map.hint_page_bytes);
	if (!base_is_power_of_two(c->dram.vault_count))
		base_diag_error(diag, (struct base_place){0},
				"dram.vault_count = %llu: in a home (ndp.hints) address bits choose the vault; "
				"expected a power of two",
				(unsigned long long)c->dram.vault_count);
}

struct map_hints *map_hints_new(const struct ndp_site *site, struct base_diag_list *diag)
{
	const uint32_t before = diag->error_count;
	struct map_hints *h;

	if (site->ndp->map.hints == NDP_HINTS_IGNORE)
		return NULL;
	check(site, diag);
	if (diag->error_count != before)
		return NULL;
	h = g_new0(struct map_hints, 1);
	h->config = site->gpu;
	h->params = &site->ndp->map;
	h->stack_count = (uint32_t)site->gpu->gpu.stack_count;
	h->page_shift = (uint32_t)__builtin_ctzll(h->params->hint_page_bytes);
	h->stack_bytes = g_new0(uint64_t, h->stack_count);
	h->maps = g_new0(struct gpu_map, h->stack_count);
	for (uint32_t s = 0; s < h->stack_count; s++)
		gpu_map_one_stack(h->config, s, (uint32_t)h->config->l2.line_bytes, &h->maps[s]);
	return h;
}

void map_hints_free(struct map_hints *h)
{
	if (!h)
		return;
	g_free(h->in_force.homes);
	g_free(h->next.homes);
	g_free(h->stack_bytes);
	g_free(h->maps);
	g_free(h);
}

void map_hints_add_stats(struct map_hints *h, struct sim_stats *stats)
{
	sim_stats_add_table(stats, &map_hints_stat_table, &h->stats, sizeof(h->stats));
}

/* ---- declarations become homes ---- */

/* The first page whose middle is not before the offset: a page belongs to the range that has its middle. */
static uint64_t page_from(const struct map_hints *h, uint64_t offset)
{
	return (offset + (h->params->hint_page_bytes / 2 - 1)) >> h->page_shift;
}

/* What has a home already keeps it: programs say the same again. */
static uint32_t home_for(const struct map_hints *h, const struct simt_declaration *d)
{
	const uint64_t page = page_from(h, d->addr - SIMT_ARENA_BASE);
	uint32_t least = 0;

	if (page < h->next.count && h->next.homes[page] != NO_HOME)
		return h->next.homes[page] - 1u;
	for (uint32_t s = 1; s < h->stack_count; s++)
		if (h->stack_bytes[s] < h->stack_bytes[least])
			least = s;
	return least;
}

static void make_room(struct pages *p, uint64_t count)
{
	if (count <= p->count)
		return;
	p->homes = g_realloc(p->homes, count);
	memset(p->homes + p->count, NO_HOME, count - p->count);
	p->count = count;
}

/* What of a page crosses from stack to stack. Without a home each has as much of it as any other. */
static uint64_t crossing(const struct map_hints *h, uint8_t from, uint8_t to)
{
	const uint64_t bytes = h->params->hint_page_bytes;

	return from == NO_HOME || to == NO_HOME ? bytes / h->stack_count * (h->stack_count - 1) : bytes;
}

static void give_home(struct map_hints *h, const struct simt_declaration *d, uint8_t home)
{
	const uint64_t offset = d->addr - SIMT_ARENA_BASE, page_bytes = h->params->hint_page_bytes;
	const uint64_t end = page_from(h, offset + d->size_bytes);
	const bool has_been_used = d->ordinal && d->ordinal <= h->seen_ordinal;

	if (home != NO_HOME)
		make_room(&h->next, end);
	for (uint64_t p = page_from(h, offset); p < end && p < h->next.count; p++) {
		const uint8_t before = h->next.homes[p];

		if (before == home)
			continue;
		h->is_moving = true;
		if (has_been_used)
			h->stats.moved_bytes += crossing(h, before, home);
		if (before != NO_HOME)
			h->stack_bytes[before - 1] -= page_bytes;
		if (home != NO_HOME)
			h->stack_bytes[home - 1] += page_bytes;
		h->next.homes[p] = home;
	}
}

static void take_up(struct map_hints *h, const struct simt_declaration *d)
{
	if (d->addr < SIMT_ARENA_BASE || d->addr >= SIMT_RESERVE_BASE)
		return;
	if (!d->group || d->is_whole) {
		h->stats.whole_count += d->group != 0;
		give_home(h, d, NO_HOME);
		return;
	}
	if (d->group != h->group) {
		h->group = d->group;
		h->home = home_for(h, d);
		h->stats.group_count++;
	}
	h->stats.range_count++;
	give_home(h, d, (uint8_t)(h->home + 1));
}

static void put_in_force(struct map_hints *h)
{
	uint64_t bytes = 0;

	make_room(&h->in_force, h->next.count);
	if (h->next.count)
		memcpy(h->in_force.homes, h->next.homes, h->next.count);
	for (uint32_t s = 0; s < h->stack_count; s++)
		bytes += h->stack_bytes[s];
	if (bytes > h->stats.home_bytes)
		h->stats.home_bytes = bytes;
}

void map_hints_kernel_begin(struct map_hints *h, struct gpu *g, const struct simt_launch *l)
{
	const uint64_t before = h->stats.moved_bytes;
	const struct simt_declaration *d = simt_memory_declaration(l->mem, h->seen_count);
	uint64_t wire_bytes;

	/* Where is_moving is true before, a launch was aborted while data moved and has left it to this one. */
	for (; d; d = simt_memory_declaration(l->mem, h->seen_count)) {
		take_up(h, d);
		h->seen_count++;
	}
	h->seen_ordinal = simt_memory_last_ordinal(l->mem);
	wire_bytes = map_wire_bytes(h->config, h->stats.moved_bytes - before);
	h->stats.moved_wire_bytes += wire_bytes;
	if (h->is_moving && h->has_run)
		carry_pause(g, map_wires_ps(h->config, wire_bytes));
	else if (h->is_moving)
		map_hints_resumed(h);
	h->has_run = true;
}

bool map_hints_is_moving(const struct map_hints *h)
{
	return h && h->is_moving;
}

void map_hints_resumed(struct map_hints *h)
{
	h->is_moving = false;
	put_in_force(h);
}

/* ---- where data lies ---- */

static const struct gpu_map *map_of(const void *self, uint64_t addr_bytes)
{
	const struct map_hints *h = self;
	const uint64_t page = (addr_bytes - SIMT_ARENA_BASE) >> h->page_shift;
	const uint8_t home = page < h->in_force.count ? h->in_force.homes[page] : NO_HOME;

	return home != NO_HOME ? &h->maps[home - 1] : NULL;
}

void map_hints_place(const struct map_hints *h, struct mem_req *r)
{
	const struct gpu_map *map = map_of(h, r->addr_bytes);
	struct mem_place p;

	if (!map)
		return;
	p = mem_map_place(&map->places, r->addr_bytes);
	r->stack = (uint8_t)p.stack;
	r->vault = (uint8_t)p.vault;
	r->bank = (uint8_t)p.bank;
	r->row = p.row;
	r->column = (uint16_t)p.column_bytes;
}

void map_hints_maps(struct map_hints *h, struct gpu_mapper *out)
{
	*out = (struct gpu_mapper){map_of, h};
}
