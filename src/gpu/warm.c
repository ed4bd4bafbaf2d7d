/* warm.c - what is executed for its values only leaves its lines in the L2, in no time. The first-level caches are
 * small: what runs in detail before anything is measured fills them.
 */
#include "gpu/coalesce.h"
#include "gpu/priv.h"
#include "gpu/sampling.h"

void warming_look(struct warming *w, double instructions_left)
{
	const struct cache_params *l2 = &w->g->config->l2;
	const double lines = 2.0 * (double)(l2->size_bytes / l2->line_bytes);

	w->is_on = !w->line_count || instructions_left * w->line_count / w->instruction_count <= lines;
}

/* The slice that the line passes, of the GPU's SMs. */
static struct l2_slice *slice_at(struct gpu *g, uint64_t addr_bytes)
{
	const struct mem_place p = mem_map_place(&gpu_map_of(g, addr_bytes)->places, addr_bytes);
	const struct mem_req r = {.vault = (uint8_t)p.vault, .bank = (uint8_t)p.bank};
	uint32_t stack = p.stack;

	if (g->config->gpu.address_map == GPU_MAP_RANDOM_PAGE)
		stack = mem_map_random_page_stack(addr_bytes, g->config->gpu.page_bytes, g->run->seed, g->stack_count);
	return g->slices[slice_of_place(g, stack, &r)];
}

void warming_step(struct warming *w, const struct simt_step *step)
{
	const struct simt_inst *inst = step->inst;
	struct coalesced_line lines[COALESCE_LINES_MAX];
	const bool is_write = inst->flags & SIMT_STORE;
	uint32_t count;

	w->instruction_count++;
	if (!(inst->flags & (SIMT_LOAD | SIMT_STORE)) || !step->access_mask ||
	    (step->space != SIMT_MEM_GLOBAL && step->space != SIMT_MEM_LOCAL && step->space != SIMT_MEM_TEXTURE))
		return;
	count = coalesce_lines(step->addr, step->access_mask, inst->access_bytes * inst->vec, lines);
	w->line_count += count;
	for (uint32_t i = 0; i < count; i++) {
		const struct mem_req_bytes bytes = coalesce_bytes_of_words(lines[i].word_mask);

		if (!host_link_has(w->g, lines[i].addr_bytes))
			l2_slice_warm(slice_at(w->g, lines[i].addr_bytes), lines[i].addr_bytes, &bytes, is_write);
	}
}
