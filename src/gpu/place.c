/* place.c - where an address lies: stack, vault, bank, row and column, by the machine's mapping or the policy's. */
#include "gpu/priv.h"

void gpu_place(struct gpu *g, uint32_t sm, struct mem_req *r)
{
	struct mem_place p = mem_map_place(&g->map.places, r->addr_bytes);

	r->stack = (uint8_t)p.stack;
	r->vault = (uint8_t)p.vault;
	r->bank = (uint8_t)p.bank;
	r->row = p.row;
	r->column = (uint16_t)p.column_bytes;
	if (g->config->gpu.address_map == GPU_MAP_RANDOM_PAGE)
		r->stack = (uint8_t)mem_map_random_page_stack(r->addr_bytes, g->config->gpu.page_bytes,
							      g->run->seed, g->stack_count);
	if (g->placer)
		g->placer->ops->place(g->placer->self, sm, r);
}

void sm_place(struct sm *sm, struct mem_req *r)
{
	struct gpu *g = sm->gpu;

	gpu_place(g, sm->index, r);
	/* Every stack has its own copy of the code: fetches of its SMs stay there. */
	if (r->kind == MEM_KIND_CODE && sm->stack != UINT32_MAX)
		r->stack = (uint8_t)sm->stack;
}

bool gpu_caches_hold(struct gpu *g, uint32_t sm, uint64_t line_addr_bytes)
{
	static const struct mem_req_bytes any = {{0}};
	struct mem_req r = {.addr_bytes = line_addr_bytes, .kind = MEM_KIND_DATA};

	if (mem_cache_holds(g->sms[sm]->l1d, line_addr_bytes, &any))
		return true;
	gpu_place(g, sm, &r);
	return l2_slice_holds(g->slices[slice_of_place(g, r.stack, &r)], line_addr_bytes);
}

uint32_t gpu_stack_of(struct gpu *g, uint32_t sm, uint64_t addr_bytes)
{
	struct mem_req r = {.addr_bytes = addr_bytes, .kind = MEM_KIND_DATA};

	gpu_place(g, sm, &r);
	return r.stack;
}
