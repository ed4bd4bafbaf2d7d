/* params.c - the parameters' rows, and the rules across them. */
#include "base/bits.h"
#include "cpu/system.h"

#include "mem/order.h"

const struct sim_param_desc cpu_param_rows[] = {
#define PARAM_STRUCT struct cpu_params
#include "sim/param_rows.inc"
#include "cpu/cpu_params.def"
#include "sim/param_end.inc"
};
const uint32_t cpu_param_row_count = ARRAY_COUNT(cpu_param_rows);

static bool check_cache(const char *name, uint64_t bytes, uint64_t ways, uint64_t line, struct base_diag_list *diag)
{
	if (bytes % (ways * line) == 0 && bytes)
		return true;
	base_diag_error(diag, (struct base_place){0}, "cpu.%s_bytes = %llu: no whole number of sets of %llu ways", name,
			(unsigned long long)bytes, (unsigned long long)ways);
	return false;
}

bool cpu_params_check(const struct cpu_params *p, const struct memory_params *m, struct base_diag_list *diag)
{
	const uint32_t before = diag->error_count;

	if (!base_is_power_of_two(p->line_bytes) || p->line_bytes != m->line_bytes)
		base_diag_error(diag, (struct base_place){0},
				"cpu.line_bytes = %llu: expected a power of two, and the memory's line_bytes, %llu",
				(unsigned long long)p->line_bytes, (unsigned long long)m->line_bytes);
	if (!base_is_power_of_two(p->page_bytes) || m->capacity_bytes < p->page_bytes)
		base_diag_error(diag, (struct base_place){0},
				"cpu.page_bytes = %llu: expected a power of two, and at most the memory's capacity",
				(unsigned long long)p->page_bytes);
	check_cache("l1", p->l1_bytes, p->l1_ways_count, p->line_bytes, diag);
	check_cache("l2", p->l2_bytes, p->l2_ways_count, p->line_bytes, diag);
	check_cache("llc", p->llc_bytes, p->llc_ways_count * p->llc_slice_count * p->socket_count, p->line_bytes, diag);
	if (p->core_count % p->socket_count || p->channel_count % p->socket_count)
		base_diag_error(diag, (struct base_place){0},
				"cpu.socket_count = %llu: expected sockets of as many cores and channels each, of "
				"cpu.core_count = %llu and cpu.channel_count = %llu",
				(unsigned long long)p->socket_count, (unsigned long long)p->core_count,
				(unsigned long long)p->channel_count);
	if (m->channel_count % p->channel_count)
		base_diag_error(diag, (struct base_place){0},
				"cpu.channel_count = %llu: the memory's channel_count, %llu, is no multiple of it",
				(unsigned long long)p->channel_count, (unsigned long long)m->channel_count);
	if (p->tlb_count % p->tlb_ways_count)
		base_diag_error(diag, (struct base_place){0},
				"cpu.tlb_count = %llu: no whole number of sets of %llu ways",
				(unsigned long long)p->tlb_count, (unsigned long long)p->tlb_ways_count);
	if (p->placement != CPU_PLACE_LINE &&
	    (m->address_map > MEM_ORDER_ROBARACOCH || (m->interleave_bytes && m->interleave_bytes != m->line_bytes)))
		base_diag_error(diag, (struct base_place){0},
				"cpu.placement: pages behind some channels need a memory whose lines go round the "
				"channels (an address_map that ends in ch, interleave_bytes = 0)");
	if (p->striped_count && ((p->placement != CPU_PLACE_PAGE && p->placement != CPU_PLACE_TOUCH) ||
				 p->striped_count > p->channel_count))
		base_diag_error(diag, (struct base_place){0},
				"cpu.striped_count = %llu: expected at most cpu.channel_count, %llu, and "
				"cpu.placement = page or touch; with line and socket all are striped",
				(unsigned long long)p->striped_count, (unsigned long long)p->channel_count);
	if (!base_is_power_of_two(p->branch_counter_count))
		base_diag_error(diag, (struct base_place){0},
				"cpu.branch_counter_count = %llu: expected a power of two",
				(unsigned long long)p->branch_counter_count);
	if (p->core_model == CPU_CORE_OUT_OF_ORDER && p->values == CPU_VALUES_BYTES)
		base_diag_error(diag, (struct base_place){0},
				"cpu.core_model = out_of_order: a store is in the program's memory before it has its "
				"line; set cpu.values = versions or none");
	if (p->dram_log_ps && p->dram_mbytes_per_s)
		base_diag_error(diag, (struct base_place){0},
				"cpu.dram_log_ps: a memory that is a rate has no commands; set "
				"cpu.dram_mbytes_per_s = 0");
	return diag->error_count == before;
}
