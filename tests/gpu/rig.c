/* rig.c - see rig.h. */
#include "rig.h"

#include <string.h>

static void set(struct gpu_config *c, const char *key, const char *value)
{
	struct sim_param_group groups[GPU_CONFIG_GROUPS_MAX];
	uint32_t count = gpu_config_groups(c, groups);
	struct base_diag_list diag;

	base_diag_init(&diag);
	if (!sim_param_set(groups, count, key, value, (struct base_place){0}, &diag))
		fail_msg("%s", diag.first->text);
	base_diag_free(&diag);
}

void rig_open(struct rig *r, const struct gpu_guest_ops *guest, void *guest_ctx, const char *const *settings)
{
	struct base_diag_list diag;

	gpu_config_defaults(&r->config);
	set(&r->config, "gpu.sm_count", "1");
	set(&r->config, "run.audit", "true");
	for (uint32_t i = 0; settings && settings[i]; i += 2)
		set(&r->config, settings[i], settings[i + 1]);
	base_diag_init(&diag);
	if (!gpu_config_check(&r->config, &diag))
		fail_msg("%s", diag.first->text);
	base_diag_free(&diag);
	sim_ctx_open(&r->ctx, r->config.run.audit);
	r->ctx.pool = mem_req_pool_new();

	const struct gpu_ext_list carriers = carry_new(&r->config, guest, guest_ctx);

	r->gpu = gpu_new(&r->ctx, &r->config, &carriers);
}

void rig_close(struct rig *r)
{
	gpu_free(r->gpu);
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
