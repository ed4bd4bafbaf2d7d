/* machine.c - makes the context, and the parts in it. */
#include "machine/machine.h"

#include <errno.h>
#include <glib.h>
#include <string.h>
#include <sys/mman.h>

#include "gpu/device.h"
#include "machine/message.h"
#include "ndp/registry.h"
#include "net/req.h"

/* GLib ends the process where memory is short: so look before the machine is built. */
bool machine_has_memory(const struct gpu_config *config)
{
	const uint64_t bytes = gpu_host_bytes(config);
	void *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (room == MAP_FAILED) {
		machine_message("error: this machine's caches need %llu bytes of the host's memory, which are not to "
				"be had (%s); raise the limit (ulimit -v) or lower l1d.size_bytes, l1i, l1c, l1t or l2",
				(unsigned long long)bytes, strerror(errno));
		return false;
	}
	munmap(room, bytes);
	return true;
}

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

	const struct gpu_ext_list carriers = carry_new(config, guest, guest_ctx);

	m->gpu = gpu_new(&m->ctx, config, &carriers);
	m->device = gpu_device(m->gpu);
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
