/* machine.c - makes the context, and the parts in it. */
#include "machine/machine.h"

#include <glib.h>

#include "ndp/registry.h"
#include "net/req.h"

struct machine *machine_new(const struct gpu_config *config, struct base_diag_list *diag)
{
	uint32_t errors_before = diag->error_count;
	void *guest_ctx = NULL;

	if (!gpu_config_check(config, diag))
		return NULL;

	const struct gpu_guest_ops *guest = ndp_mechanism_new(config, &guest_ctx, diag);

	if (diag->error_count != errors_before)
		return NULL;

	struct machine *m = g_new0(struct machine, 1);

	sim_ctx_open(&m->ctx, config->run.audit);
	m->ctx.pool = mem_req_pool_new();
	m->gpu = gpu_new(&m->ctx, config, guest, guest_ctx);
	return m;
}

void machine_free(struct machine *m)
{
	if (!m)
		return;
	gpu_free(m->gpu);
	mem_req_pool_free(m->ctx.pool);
	sim_ctx_close(&m->ctx);
	g_free(m);
}
