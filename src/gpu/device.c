/* device.c - the timed GPU behind the table that doors use. */
#include "gpu/device.h"

#include <glib.h>
#include <string.h>

#include "base/units.h"
#include "gpu/priv.h"
#include "gpu/sampling.h"

static uint32_t registers_per_thread(const struct device *d, uint64_t warps)
{
	const struct gpu *g = d->self;

	return gpu_registers_per_thread(g->config, warps);
}

static uint32_t ctas_fit(const struct device *d, const struct simt_program *p, uint32_t threads_per_cta,
			 uint64_t shared_dynamic_bytes, struct base_diag_list *diag)
{
	const struct gpu *g = d->self;

	return gpu_ctas_per_sm(g, p, threads_per_cta, shared_dynamic_bytes, diag);
}

static uint32_t warp_capacity(const struct device *d)
{
	return gpu_warp_capacity(d->self);
}

static bool launch(struct device *d, struct simt_launch *l, struct device_result *result)
{
	return gpu_launch(d->self, l, result);
}

static void interrupt(struct device *d, enum device_stop why)
{
	gpu_interrupt(d->self, why);
}

static void region(struct device *d, bool is_begin)
{
	const struct gpu *g = d->self;

	if (g->sampling)
		sampling_region(g->sampling, is_begin);
}

static uint64_t now_ps(const struct device *d)
{
	const struct gpu *g = d->self;

	return gpu_now_ps(g);
}

static void advance_ps(struct device *d, uint64_t time_ps)
{
	const struct gpu *g = d->self;

	sim_advance_ps(g->engine, time_ps > g->estimated_ps ? time_ps - g->estimated_ps : 0);
}

/* "issued", and the reasons in the order of enum sm_wait. */
static const char *const wait_names[SM_WAIT_COUNT] = {
#define STAT_COUNT(name, unit, doc)
#define STAT_MAX(name, unit, doc)
#define STAT_HIST(name, unit, doc)
#define STAT_ARRAY(array, count)
#define STAT_ELEMENT(array, index, name, unit, doc) [index] = #name,
#include "gpu/sm_stats.def"
#undef STAT_COUNT
#undef STAT_MAX
#undef STAT_HIST
#undef STAT_ARRAY
#undef STAT_ELEMENT
};

static void progress(const struct device *d, struct sim_progress *out)
{
	const struct gpu *g = d->self;
	uint64_t issued = 0, stalls[SM_WAIT_COUNT] = {0};

	*out = (struct sim_progress){.time_ps = gpu_now_ps(g)};
	out->instructions = sim_progress_count(&g->totals.untimed_warp_instructions) * SIMT_LANES;
	for (uint32_t i = 0; i < g->sm_total; i++) {
		const struct sm_stats *s = &g->sms[i]->stats;

		issued += sim_progress_count(&s->issued_cycles);
		for (uint32_t k = 0; k < SM_WAIT_COUNT; k++)
			stalls[k] += sim_progress_count(&s->stalls[k]);
		out->instructions += sim_progress_count(&s->thread_instructions);
		out->accesses += sim_progress_count(&s->load_lines) + sim_progress_count(&s->store_lines) +
				 sim_progress_count(&s->atomic_lines);
	}
	sim_progress_spent_add(out, "issued", issued);
	for (uint32_t k = 0; k < SM_WAIT_COUNT; k++)
		sim_progress_spent_add(out, wait_names[k] + strlen("stall_"), stalls[k]);
	out->of = "CTAs";
	out->total = sim_progress_count(&g->ctas_left) ? sim_progress_count(&g->cta_total) : 0;
	out->done = out->total ? out->total - sim_progress_count(&g->ctas_left) : 0;
}

static uint32_t use_threads(struct device *d, uint32_t thread_count, const char **why)
{
	return gpu_use_threads(d->self, thread_count, why);
}

static const struct device_ops ops = {
    .registers_per_thread = registers_per_thread,
    .ctas_fit = ctas_fit,
    .warp_capacity = warp_capacity,
    .launch = launch,
    .interrupt = interrupt,
    .now_ps = now_ps,
    .advance_ps = advance_ps,
    .region = region,
    .progress = progress,
    .use_threads = use_threads,
};

struct device_traits gpu_device_traits(const struct gpu_config *c)
{
	const struct gpu_params *p = &c->gpu;
	const struct sm_params *sm = &c->sm;
	const double vault = dram_vault_peak_bytes_per_s(&c->dram) / BASE_BYTES_PER_MBYTE;
	const uint64_t links = c->link.bandwidth_mbytes_per_s * p->stack_count;
	const uint64_t dram = (uint64_t)vault * c->dram.vault_count * p->stack_count;

	return (struct device_traits){
	    .compute_capability = p->compute_capability,
	    .clock_khz = p->sm_clock_khz,
	    .multiprocessor_count = p->sm_count,
	    .cta_thread_count = MIN(sm->thread_slot_count, SIMT_CTA_THREADS_MAX),
	    .thread_count = sm->thread_slot_count,
	    .warp_count = sm->warp_slot_count,
	    .cta_count = sm->cta_slot_count,
	    .register_count = sm->register_count,
	    .shared_bytes = sm->shared_bytes,
	    .shared_reserved_bytes = sm->shared_reserved_bytes,
	    .double_interval_ratio = sm->fp64_interval_cycles / sm->fp32_interval_cycles,
	    .cache_bytes = c->l2.size_bytes,
	    .memory_count = p->stack_count,
	    .memory_mbytes_per_s = c->link.bandwidth_mbytes_per_s,
	    /* A copy inside the device reads over the links' one direction while it writes over the other, and reads
	     * and writes share the DRAM; a memset only writes. */
	    .copy_mbytes_per_s = MAX(MIN(links, dram / 2), 1),
	    .fill_mbytes_per_s = MAX(MIN(links, dram), 1),
	    .child_issue_ps = p->child_issue_ps,
	    .child_launch_ps = p->child_launch_ps,
	};
}

struct device gpu_device(struct gpu *g)
{
	return (struct device){.ops = &ops, .self = g, .traits = gpu_device_traits(g->config)};
}
