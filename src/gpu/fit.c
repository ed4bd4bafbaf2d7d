/* fit.c - how many warps, registers and CTAs the SMs have room for. */
#include "gpu/priv.h"

uint32_t gpu_warp_capacity(const struct gpu *g)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < g->sm_total; i++)
		n += g->sms[i]->warp_slot_count;
	return n;
}

static uint64_t round_up(uint64_t v, uint64_t unit)
{
	return (v + unit - 1) / unit * unit;
}

uint32_t gpu_registers_per_thread(const struct gpu_config *c, uint64_t warps)
{
	const uint64_t unit = c->sm.register_alloc_count, per_warp = c->sm.register_count / warps / unit * unit;

	return (uint32_t)(per_warp / SIMT_LANES < SIMT_REGISTER_MAX ? per_warp / SIMT_LANES : SIMT_REGISTER_MAX);
}

uint64_t gpu_cta_shared_bytes(const struct gpu_config *c, const struct simt_program *p, uint64_t dynamic_bytes)
{
	return round_up(p->shared_static_bytes + dynamic_bytes + c->sm.shared_reserved_bytes, c->sm.shared_alloc_bytes);
}

uint64_t gpu_taken_shared_bytes(const struct gpu *g, const struct simt_program *p, uint64_t dynamic_bytes)
{
	const struct sm_params *s = &g->config->sm;
	const uint64_t cta = gpu_cta_shared_bytes(g->config, p, dynamic_bytes);
	uint64_t taken = 0;

	if (g->run->mode == RUN_FUNCTIONAL)
		return 0;
	GPU_EXT_EACH(g, e, shared_bytes) {
		const uint64_t bytes = e->ops->shared_bytes(e->self, (struct simt_program *)(uintptr_t)p);

		taken += round_up(bytes, s->shared_alloc_bytes);
	}
	return cta + taken <= s->shared_bytes ? taken : 0;
}

uint32_t gpu_ctas_per_sm(const struct gpu *g, const struct simt_program *p, uint32_t threads_per_cta,
			 uint64_t shared_dynamic_bytes, struct base_diag_list *diag)
{
	const struct sm_params *s = &g->config->sm;
	uint64_t warps = (threads_per_cta + SIMT_LANES - 1) / SIMT_LANES;
	uint64_t registers = warps * round_up((uint64_t)p->slot_count * SIMT_LANES, s->register_alloc_count);
	/* Registers hold a CTA back in time only. */
	if (g->run->mode == RUN_FUNCTIONAL && registers > s->register_count)
		registers = s->register_count;

	const uint64_t shared = gpu_cta_shared_bytes(g->config, p, shared_dynamic_bytes);
	const uint64_t taken = gpu_taken_shared_bytes(g, p, shared_dynamic_bytes);
	const struct {
		const char *what, *key;
		uint64_t need, have;
	} limits[] = {
	    {"CTAs", "sm.cta_slot_count", 1, s->cta_slot_count},
	    {"threads", "sm.thread_slot_count", threads_per_cta, s->thread_slot_count},
	    {"warps", "sm.warp_slot_count", warps, s->warp_slot_count},
	    {"registers", "sm.register_count", registers, s->register_count},
	    {"bytes of shared memory", "sm.shared_bytes", shared, s->shared_bytes - taken},
	};
	uint64_t fit = UINT32_MAX;

	for (uint32_t i = 0; i < ARRAY_COUNT(limits); i++) {
		if (limits[i].need && limits[i].have / limits[i].need < fit)
			fit = limits[i].have / limits[i].need;
		if (limits[i].need > limits[i].have)
			base_diag_error(diag, (struct base_place){0},
					"kernel %s: a CTA needs %llu %s, an SM has %llu (%s)", p->name,
					(unsigned long long)limits[i].need, limits[i].what,
					(unsigned long long)limits[i].have, limits[i].key);
	}
	return (uint32_t)fit;
}
