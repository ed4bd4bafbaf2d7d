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

struct energy_memory_counts energy_memory_counts(const struct energy_params *p, uint32_t stack_count,
						 uint64_t row_bytes, uint32_t bank_count)
{
	const double rows_per_row = (double)row_bytes / p->dram_activate_row_bytes;

	return (struct energy_memory_counts){
	    .stack_count = stack_count,
	    .rows_per_row = rows_per_row,
	    .rows_per_byte = 1 / p->dram_activate_row_bytes,
	    .rows_per_refresh = rows_per_row * p->dram_refresh_rows_count * bank_count,
	};
}
