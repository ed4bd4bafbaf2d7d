/* rig.c - see rig.h. */
#include "rig.h"

#include <string.h>

bool rig_has_host_memory;

void rig_config(struct rig *r, struct sim_param_groups *groups)
{
	groups->count = 0;
	gpu_config_groups(&r->config, groups);
	gpu_config_unit_groups(&r->config, groups);
	run_params_groups(&r->run, groups);
	host_params_groups(&r->host, groups);
	sim_param_groups_add(groups, "host_memory", memory_param_rows, memory_param_row_count, &r->host_memory);
	sim_param_groups_add(groups, "host_dram", dram_param_rows, dram_param_row_count, &r->host_dram);
	for (uint32_t i = 0; i < groups->count; i++)
		sim_param_defaults(&groups->items[i]);
	gpu_config_defaults(&r->config);
	/* A front end that holds nothing up: tests of the others see their own cycles. */
	r->config.sm.ibuffer_count = 4;
	r->config.sm.fetch_warp_count = 0;
	r->config.sm.fetch_ahead = true;
	r->config.sm.collector_count = 0;
	r->config.l1i.hit_latency_cycles = 4;
}

static void memory_done(void *ctx, struct mem_req *part)
{
	gpu_host_memory_done(((struct rig *)ctx)->gpu, part);
}

static void memory_room(void *ctx, uint32_t stack, uint32_t vault)
{
	(void)stack;
	(void)vault;
	gpu_host_memory_room(((struct rig *)ctx)->gpu);
}

static struct mem_memory_config memory_config(struct rig *r)
{
	return (struct mem_memory_config){.memory = &r->host_memory,
					  .dram = &r->host_dram,
					  .clock = "host_memory",
					  .stats_prefix = "host_memory",
					  .vault_prefix = "host_vault",
					  .done = memory_done,
					  .room = memory_room,
					  .ctx = r};
}

void rig_open(struct rig *r, const struct carry_policy *guest, void *guest_ctx, const char *const *settings)
{
	static const char *const small[] = {"gpu.sm_count", "1", "run.audit", "true", NULL}, *const none[] = {NULL};
	const char *const *const all[] = {small, settings ? settings : none};
	struct sim_param_groups groups;
	struct base_diag_list diag;

	rig_config(r, &groups);
	base_diag_init(&diag);
	for (uint32_t k = 0; k < 2; k++)
		for (const char *const *s = all[k]; *s; s += 2)
			if (!sim_param_set(groups.items, groups.count, s[0], s[1], (struct base_place){0}, &diag))
				fail_msg("%s", diag.first->text);
	if (!gpu_config_check(&r->config, &diag))
		fail_msg("%s", diag.first->text);
	base_diag_free(&diag);
	sim_ctx_open(&r->ctx, r->run.audit);
	r->ctx.pool = mem_req_pool_new();

	const struct gpu_ext_list carriers = carry_new(&r->config, guest, guest_ctx);

	const struct mem_memory_config memory = memory_config(r);

	assert_true(gpu_clocks_add(&r->config, r->ctx.engine));
	assert_true(!rig_has_host_memory || mem_memory_clock_add(&r->ctx, &memory));
	r->gpu = gpu_new(&r->ctx, &r->config, &r->run, &r->host, &carriers);
	r->memory = rig_has_host_memory ? mem_memory_new(&r->ctx, &memory) : NULL;

	const struct gpu_host_memory host = {r->memory, r->host_memory.capacity_bytes,
					     (uint32_t)r->host_memory.line_bytes};

	if (r->memory)
		gpu_host_memory_set(r->gpu, &host);
}

void rig_close(struct rig *r)
{
	gpu_free(r->gpu);
	mem_memory_free(r->memory);
	mem_req_pool_free(r->ctx.pool);
	sim_ctx_close(&r->ctx);
}

uint64_t rig_run(struct rig *r, const struct fake_inst *insts, uint32_t count, uint32_t ctas, uint32_t threads)
{
	struct simt_program *p = fake_program_new("test", insts, count);
	struct simt_launch l = fake_launch(p, ctas, threads);
	struct device_result result;

	fake_trace_count = 0;
	assert_true(gpu_launch(r->gpu, &l, &result));
	assert_int_equal(result.cta_count, ctas);
	fake_program_free(p);
	return result.cycles;
}

uint64_t rig_stat(struct rig *r, const char *key)
{
	uint64_t value;

	if (!sim_stats_value(r->ctx.stats, key, &value))
		fail_msg("no statistic %s", key);
	return value;
}

uint64_t rig_cycles(const char *const *settings, const struct fake_inst *insts, uint32_t count, uint32_t ctas,
		    uint32_t threads)
{
	struct rig r;
	uint64_t cycles;

	rig_open(&r, NULL, NULL, settings);
	cycles = rig_run(&r, insts, count, ctas, threads);
	rig_close(&r);
	return cycles;
}
