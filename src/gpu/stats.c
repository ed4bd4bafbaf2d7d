/* stats.c - the tables of statistics that a GPU counts, and the rows that explain its runs. */
#include "gpu/priv.h"

#include "base/check.h"
#include "gpu/account.h"
#include "mem/vault.h"

void gpu_stat_tables(const struct gpu_config *c, struct sim_stat_tables *out)
{
	static const char *const caches[] = {"l1d", "l1i", "l1c", "l1t", "l2"};
	static const char *const links[] = {"xbar_request", "xbar_reply", "link_tx", "link_rx"};

	sim_stat_tables_add(out, &gpu_stat_table);
	sim_stat_tables_add(out, &gpu_memory_stat_table);
	sim_stat_tables_add(out, &gpu_sm_stat_table);
	sim_stat_tables_add(out, &gpu_l2_stat_table);
	sim_stat_tables_add(out, &gpu_host_link_stat_table);
	if (!c || c->gpu.pages != GPU_PAGES_RESIDENT)
		sim_stat_tables_add(out, &gpu_pages_stat_table);
	if (!c || c->mmu.where != GPU_MMU_NONE)
		sim_stat_tables_add(out, &gpu_mmu_stat_table);
	if (!c || c->gpu.l2_partition_count > 1) {
		sim_stat_tables_add(out, &gpu_l2_far_stat_table);
		sim_stat_tables_add_rows(out, "l2_far_request", net_channel_stat_rows, net_channel_stat_row_count);
		sim_stat_tables_add_rows(out, "l2_far_answer", net_channel_stat_rows, net_channel_stat_row_count);
	}
	if (!c || c->gpu.stack_switch_entry_count)
		sim_stat_tables_add(out, &gpu_switch_stat_table);
	for (uint32_t i = 0; i < ARRAY_COUNT(caches); i++)
		sim_stat_tables_add_rows(out, caches[i], cache_stat_rows, cache_stat_row_count);
	for (uint32_t i = 0; i < ARRAY_COUNT(links); i++)
		sim_stat_tables_add_rows(out, links[i], net_channel_stat_rows, net_channel_stat_row_count);
	sim_stat_tables_add_rows(out, "vault", vault_stat_rows, vault_stat_row_count);
	if (!c || (c->gpu.stack_count > 1 && ((c->gpu.stack_sm_count && !c->gpu.mesh_is_free) || c->nsu.is_present)))
		sim_stat_tables_add_rows(out, "mesh", net_channel_stat_rows, net_channel_stat_row_count);
	if (!c || c->nsu.is_present)
		sim_stat_tables_add_rows(out, "network", net_network_stat_rows, net_network_stat_row_count);
}

#define EXPLAIN_TABLE gpu_explain
#define EXPLAIN_ROWS "gpu/gpu_explain.def"
#include "sim/explain.inc"
