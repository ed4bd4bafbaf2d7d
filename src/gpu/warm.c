/* warm.c - what is executed for its values only leaves its lines in the L2, in no time, and in the L1D of the SM that
 * it comes back to, where that is known.
 */
#include "gpu/coalesce.h"
#include "gpu/priv.h"
#include "gpu/sampling.h"

void warming_look(struct warming *w, double instructions_left)
{
	const struct cache_params *l2 = &w->g->config->l2;
	const double lines = 2.0 * (double)(l2->size_bytes / l2->line_bytes);

	w->is_on = w->line_count <= 0 || instructions_left * w->line_count / w->instruction_count <= lines;
}

/* The slice that the line passes, of the GPU's SMs. */
static uint16_t slice_at(struct gpu *g, uint64_t addr_bytes)
{
	const struct gpu_map *map = gpu_map_of(g, addr_bytes);
	const struct mem_place p = mem_map_place(&map->places, addr_bytes);
	const struct mem_req r = {.vault = (uint8_t)p.vault, .bank = (uint8_t)p.bank};
	uint32_t stack = p.stack;

	if (g->config->gpu.address_map == GPU_MAP_RANDOM_PAGE && map == &g->map)
		stack = mem_map_random_page_stack(addr_bytes, g->config->gpu.page_bytes, g->run->seed, g->stack_count);
	return slice_of_place(g, stack, &r);
}

/* Where the line is at home, and as a copy in the partition of an SM that reads it, if that is another. */
static void warm_l2(struct gpu *g, const struct sm *sm, uint64_t addr_bytes, const struct mem_req_bytes *bytes,
		    bool is_write)
{
	const uint16_t home = slice_at(g, addr_bytes), near = sm ? near_slice(g, sm->cluster, home) : home;

	l2_slice_warm(g->slices[home], addr_bytes, bytes, is_write);
	if (near != home && !is_write && g->config->gpu.l2_far_copies)
		l2_slice_warm(g->slices[near], addr_bytes, bytes, false);
}

/* True: the L2 does not hear of it. */
static bool warm_l1d(struct sm *sm, const struct simt_inst *inst, uint64_t addr_bytes,
		     const struct mem_req_bytes *bytes)
{
	const bool is_write = inst->flags & SIMT_STORE;
	const bool is_bypassing = inst->cache == PTX_CG || inst->cache == PTX_CV || inst->sem != PTX_SEM_WEAK;
	bool is_hit;

	if (!sm || !sm->has_caches || inst->space == SIMT_MEM_TEXTURE || (is_bypassing && !is_write))
		return false;
	is_hit = !is_write && mem_cache_holds(sm->l1d, addr_bytes, bytes);
	mem_cache_warm(sm->l1d, addr_bytes, bytes, is_write);
	return is_hit;
}

void warming_step(struct warming *w, struct sm *sm, const struct simt_step *step)
{
	const struct simt_inst *inst = step->inst;
	struct coalesced_line lines[COALESCE_LINES_MAX];
	const bool is_write = inst->flags & SIMT_STORE;
	uint32_t count;

	if (!(inst->flags & (SIMT_LOAD | SIMT_STORE)) || !step->access_mask ||
	    (step->space != SIMT_MEM_GLOBAL && step->space != SIMT_MEM_LOCAL && step->space != SIMT_MEM_TEXTURE))
		return;
	count = coalesce_lines(step->addr, step->access_mask, inst->access_bytes * inst->vec, lines);
	w->line_count += count;
	for (uint32_t i = 0; i < count; i++) {
		const struct mem_req_bytes bytes = coalesce_bytes_of_words(lines[i].word_mask);

		if (!warm_l1d(sm, inst, lines[i].addr_bytes, &bytes) && !host_link_has(w->g, lines[i].addr_bytes))
			warm_l2(w->g, sm, lines[i].addr_bytes, &bytes, is_write);
	}
}
