/* bounds.c - closed forms of a memory's speed. */
#include "memory/bounds.h"

#include <math.h>

#include "base/units.h"

enum { FAW_ACTS = 4 };

const char *memory_row_bound_name(enum memory_row_bound bound)
{
	static const char *const names[] = {
#define MEMORY_NAME(enumerator, name) [enumerator] = #name,
		MEMORY_ROW_BOUNDS(MEMORY_NAME)
#undef MEMORY_NAME
	};

	return names[bound];
}

/* Answers leave at an edge of the memory's clock. */
static double at_edge(double ns, double ck_ns)
{
	return ceil(ns / ck_ns - 1e-9) * ck_ns;
}

static double larger(uint64_t cycles, double least)
{
	return fmax((double)cycles, least);
}

void memory_bounds_init(struct memory_bounds *b, const struct memory_params *m, const struct dram_params *d)
{
	const struct sim_period ck = dram_clock_period(d);
	const double ck_ns = (double)ck.num_ps / (double)ck.den / BASE_PS_PER_NS;
	const double column_bytes = (double)dram_column_bytes(d), line_bytes = (double)m->line_bytes;
	const double vaults = (double)(m->channel_count * d->vault_count), columns = ceil(line_bytes / column_bytes);
	/* In clocks, of one vault: a burst on the data bus, and from one column of a bank group to the next. */
	const double burst = column_bytes * 1e9 / dram_vault_peak_bytes_per_s(d) / ck_ns;
	const double column = larger(d->group_count > 1 && d->t_ccd_l ? d->t_ccd_l : d->t_ccd, burst);
	const double added_ns = (double)(d->tsv_latency_ps + d->controller_latency_ps) / BASE_PS_PER_NS;
	const double bursts_ns = ((columns - 1) * column + burst) * ck_ns;
	const double row_commands = (double)d->command_act_cycles + (d->auto_precharge ? 0 : 1); /* ACT, PRE */
	const double column_commands = columns * (double)d->command_column_cycles;
	const double commands = d->dual_command_bus ? fmax(row_commands, column_commands) :
						      row_commands + column_commands;
	const double row_clocks[] = {
		[MEMORY_BY_DATA] = columns * larger(d->t_ccd, burst),
		[MEMORY_BY_RRD] = (double)d->t_rrd / (double)d->rank_count,
		[MEMORY_BY_FAW] = (double)d->t_faw / FAW_ACTS / (double)d->rank_count,
		[MEMORY_BY_BANKS] = (double)(d->t_rc ? d->t_rc : d->t_ras + d->t_rp) /
				    (double)dram_vault_bank_count(d),
		[MEMORY_BY_COMMANDS] = commands * (double)d->pseudo_count,
	};
	const double refreshed_ns = d->refresh_mode == DRAM_REFRESH_ALL_BANK ? d->t_rfc_ns : d->t_rfc_pb_ns;

	b->peak_gbytes_per_s = mem_memory_peak_bytes_per_s(m, d) / 1e9;
	b->open_ns = at_edge((double)d->t_cl * ck_ns + bursts_ns + added_ns, ck_ns);
	b->closed_ns = b->open_ns + (double)d->t_rcd * ck_ns;
	b->conflict_ns = b->closed_ns + (double)d->t_rp * ck_ns;
	b->rows_by = MEMORY_BY_DATA;
	for (uint32_t i = 0; i < sizeof(row_clocks) / sizeof(row_clocks[0]); i++) {
		if (row_clocks[i] > row_clocks[b->rows_by])
			b->rows_by = (enum memory_row_bound)i;
	}
	b->rows_gbytes_per_s = vaults * line_bytes / (row_clocks[b->rows_by] * ck_ns);
	b->group_gbytes_per_s = vaults * column_bytes / (column * ck_ns);
	b->bank_gbytes_per_s = line_bytes / (larger(d->t_rc ? d->t_rc : d->t_ras + d->t_rp, columns * column) * ck_ns);
	b->refresh_free_ratio = d->refresh ? 1 - refreshed_ns / d->t_refi_ns : 1;
}
