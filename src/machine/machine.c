/* machine.c - makes the context, and the parts in it. */
#include "machine/machine.h"

#include <errno.h>
#include <glib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/check.h"
#include "machine/message.h"
#include "net/req.h"

/* GLib ends the process where memory is short: so look before the machine is built. */
bool machine_has_memory(const struct machine_config *config)
{
	uint64_t bytes = 0;
	void *room;

	for (uint32_t i = 0; config->parts[i]; i++)
		if (config->parts[i]->host_bytes && machine_config_has(config, config->parts[i]))
			bytes += config->parts[i]->host_bytes(config);
	if (!bytes)
		return true;
	room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (room == MAP_FAILED) {
		machine_message("error: this machine's caches need %llu bytes of the host's memory, which are not to "
				"be had (%s); raise the limit (ulimit -v) or lower l1d.size_bytes, l1i, l1c, l1t or l2",
				(unsigned long long)bytes, strerror(errno));
		return false;
	}
	munmap(room, bytes);
	return true;
}

/* What a part counts without a row in its tables would be in no list and in no test of them. */
static void check_stats(const struct machine *m)
{
	struct sim_stat_tables declared = {.count = 0}, counted = {.count = 0};

	machine_config_stats(m->config, &declared);
	sim_stats_tables(m->ctx.stats, &counted);
	for (uint32_t i = 0; i < counted.count; i++) {
		const uint32_t before = declared.count;

		sim_stat_tables_add(&declared, &counted.items[i]);
		CHECK(declared.count == before);
	}
}

struct machine *machine_new(const struct machine_config *config, bool audit, struct base_diag_list *diag)
{
	if (!machine_config_check(config, diag))
		return NULL;

	struct machine *m = g_new0(struct machine, 1);

	m->config = config;
	sim_ctx_open(&m->ctx, audit);
	m->ctx.pool = mem_req_pool_new();
	CHECK(!machine_clocks_add(config, m->ctx.engine)); /* the check has tried it */
	for (uint32_t i = 0; config->parts[i]; i++) {
		CHECK(i < MACHINE_PARTS_MAX);
		if (config->parts[i]->build && machine_config_has(config, config->parts[i]))
			m->built[i] = config->parts[i]->build(m);
	}
	check_stats(m);
	return m;
}

void machine_free(struct machine *m)
{
	uint32_t count = 0;

	if (!m)
		return;
	while (m->config->parts[count])
		count++;
	while (count-- > 0)
		if (m->built[count] && m->config->parts[count]->free)
			m->config->parts[count]->free(m->built[count]);
	mem_req_pool_free(m->ctx.pool);
	sim_ctx_close(&m->ctx);
	g_free(m);
}
