/* rig.c - see rig.h. */
#include "rig.h"

void rig_set_all(struct machine_config *c, const char *const *settings)
{
	struct base_diag_list diag;

	base_diag_init(&diag);
	for (uint32_t i = 0; settings && settings[i]; i += 2) {
		if (!machine_config_set(c, settings[i], settings[i + 1], (struct base_place){0}, &diag))
			fail_msg("%s", diag.first->text);
	}
	base_diag_free(&diag);
}

static void machine_new_of(struct rig *r, const char *const *machine, const char *const *settings,
			   void (*change)(struct carry_policy *ops))
{
	static const char *const small[] = {"gpu.sm_count", "4", "gpu.sms_per_cluster_count", "2",
					    "run.audit",    "true", NULL};
	const struct carry_policy *ops;
	struct base_diag_list diag;
	void *ctx;

	machine_config_defaults(&r->config, machine_parts);
	rig_set_all(&r->config, small);
	rig_set_all(&r->config, machine);
	rig_set_all(&r->config, settings);

	struct ndp_site site = machine_ndp_site(&r->config);
	const struct run_params *run = machine_run_params(&r->config);

	site.ctx = &r->ctx;
	base_diag_init(&diag);
	ops = ndp_mechanism_new(&site, &ctx, &diag);
	assert_non_null(ops);
	r->ops = *ops;
	if (change)
		change(&r->ops);
	if (!gpu_config_check(site.gpu, &diag))
		fail_msg("%s", diag.first->text);
	base_diag_free(&diag);
	sim_ctx_open(&r->ctx, run->audit);
	r->ctx.pool = mem_req_pool_new();

	const struct gpu_ext_list carriers = carry_new(site.gpu, &r->ops, ctx);

	assert_true(gpu_clocks_add(site.gpu, r->ctx.engine));
	r->gpu = gpu_new(&r->ctx, site.gpu, run, machine_host_params(&r->config), &carriers);
}

void rig_open(struct rig *r, const char *ptx, const char *const *machine, const char *const *settings,
	      void (*change)(struct carry_policy *ops))
{
	struct base_diag_list diag;

	memset(r, 0, sizeof(*r));
	base_diag_init(&diag);
	r->mem = simt_memory_new(1ull << 30);
	r->ptx = ptx_module_parse("test.ptx", ptx, strlen(ptx), &diag);
	if (!r->ptx)
		fail_msg("%s", diag.first->text);
	r->module = simt_module_load(r->ptx, r->mem, &diag);
	r->program = simt_program_build(r->module, "k", simt_isa_choose(NULL), NULL, &diag);
	assert_non_null(r->program);
	base_diag_free(&diag);
	r->in = (uint32_t *)(uintptr_t)simt_memory_alloc(r->mem, WORDS * 4, 4096, SIMT_ALLOC_DEVICE);
	r->out = (uint32_t *)(uintptr_t)simt_memory_alloc(r->mem, WORDS * 4, 4096, SIMT_ALLOC_DEVICE);
	for (uint32_t i = 0; i < WORDS; i++)
		r->in[i] = i;
	memset(r->out, 0, WORDS * 4);
	machine_new_of(r, machine, settings, change);
}

void rig_close(struct rig *r)
{
	gpu_free(r->gpu);
	mem_req_pool_free(r->ctx.pool);
	sim_ctx_close(&r->ctx);
	simt_program_free(r->program);
	simt_module_unload(r->module);
	ptx_module_free(r->ptx);
	simt_memory_free(r->mem);
}

bool rig_run(struct rig *r, uint32_t ctas, uint32_t threads, uint64_t n)
{
	const uint64_t params[] = {(uint64_t)(uintptr_t)r->in, (uint64_t)(uintptr_t)r->out, n};
	struct simt_launch l = {.program = r->program,
				.mem = r->mem,
				.grid = {ctas, 1, 1},
				.block = {threads, 1, 1},
				.params = (const uint8_t *)params};
	struct device_result result;
	struct base_diag_list diag;
	bool ok;

	base_diag_init(&diag);
	assert_true(simt_launch_begin(&l, gpu_warp_capacity(r->gpu), &diag));
	base_diag_free(&diag);
	ok = gpu_launch(r->gpu, &l, &result);
	r->fault = l.fault;
	simt_launch_end(&l);
	return ok;
}

uint64_t rig_stat(const struct rig *r, const char *key)
{
	uint64_t value;

	if (!sim_stats_value(r->ctx.stats, key, &value))
		fail_msg("no statistic %s", key);
	return value;
}
