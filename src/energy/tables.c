/* tables.c - the tables of the GPU, of memory stacks, and of SIMD units in them. */
#include "base/check.h"
#include "energy/events.h"

const struct sim_param_desc energy_param_rows[] = {
#define PARAM_STRUCT struct energy_params
#include "sim/param_rows.inc"
#include "energy/energy_params.def"
#include "sim/param_end.inc"
};
const uint32_t energy_param_row_count = ARRAY_COUNT(energy_param_rows);

#define UNIT_EACH ENERGY_EACH, 0
#define UNIT_BITS ENERGY_BITS, 0
#define UNIT_ROWS ENERGY_SCALED, offsetof(struct energy_memory_counts, rows_per_row)
#define UNIT_ROW_BYTES ENERGY_SCALED, offsetof(struct energy_memory_counts, rows_per_byte)
#define UNIT_REFRESHES ENERGY_SCALED, offsetof(struct energy_memory_counts, rows_per_refresh)
#define UNIT_BANK_REFRESHES ENERGY_SCALED, offsetof(struct energy_memory_counts, rows_per_bank_refresh)
#define UNIT_RANK_CYCLES ENERGY_SCALED, offsetof(struct energy_memory_counts, pj_per_mw_cycle)
#define UNIT_UNITS ENERGY_SCALED, offsetof(struct energy_nsu_counts, units)
#define UNIT_UNIT_PS ENERGY_SCALED, offsetof(struct energy_nsu_counts, pj_per_mw_ps)
#define UNIT_NETWORK_BITS ENERGY_SCALED, offsetof(struct energy_nsu_counts, network_bits_per_ps)
#define ENERGY_PARAMS struct energy_params

#define ENERGY_TABLE energy_gpu_table
#define ENERGY_ROWS "energy/gpu_rows.def"
#define ENERGY_COUNTS struct energy_gpu_counts
#include "energy/table.inc"

#define ENERGY_TABLE energy_memory_table
#define ENERGY_ROWS "energy/memory_rows.def"
#define ENERGY_COUNTS struct energy_memory_counts
#include "energy/table.inc"

#define ENERGY_TABLE energy_nsu_table
#define ENERGY_ROWS "energy/nsu_rows.def"
#define ENERGY_COUNTS struct energy_nsu_counts
#include "energy/table.inc"

struct energy_nsu_counts energy_nsu_counts(uint32_t nsu_count, double network_bits_per_ps)
{
	return (struct energy_nsu_counts){.nsu_count = nsu_count,
					  .units = nsu_count,
					  .pj_per_mw_ps = 1e-3 * nsu_count,
					  .network_bits_per_ps = network_bits_per_ps};
}

struct energy_memory_counts energy_memory_counts(const struct energy_params *p, const struct energy_memory_shape *m)
{
	const double refreshes_count = 8192; /* restore all rows */
	const double rows_per_row = (double)m->row_bytes / p->dram_activate_row_bytes;
	const double banks = (double)(m->stack_count * m->vault_count * m->rank_count * m->bank_count);
	double rows = p->dram_refresh_rows_count;

	if (rows <= 0)
		rows = (double)m->capacity_bytes / banks / (double)m->row_bytes / refreshes_count;
	return (struct energy_memory_counts){
	    .stack_count = (uint32_t)m->stack_count,
	    .rows_per_row = rows_per_row,
	    .rows_per_byte = 1 / p->dram_activate_row_bytes,
	    .rows_per_refresh = rows_per_row * rows * (double)m->bank_count,
	    .rows_per_bank_refresh = rows_per_row * rows,
	    .pj_per_mw_cycle = 1e-3 * m->ck_ps / (double)(m->vault_count * m->rank_count),
	};
}
