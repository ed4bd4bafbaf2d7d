/* bench.h - an algorithm on machines of many kinds, in one table: rows of results that are of other programs. */
#ifndef STRATA_REPORT_BENCH_H
#define STRATA_REPORT_BENCH_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* What a row is about. */
struct report_bench_pair {
	const char *family, *form, *level, *machine;
	const char *time; /* the measure that is the time of its kernels; NULL: what the machine has measured is */
	const json_t *run; /* NULL: there is no result */
	const char *not_run; /* why not; NULL: it ran */
	bool is_in_full;     /* though it was to be sampled: its machine cannot be */
};

/* A row: family, form, machine, level, time_ps (of kernels), program_ps, energy_pj (of report_bench_finish), bytes
 * (by wire: tx, rx, stack_to_stack, link, dram, host), why; beside them energy_parts_pj (compute, caches, links,
 * dram, of events, and static), power_w, peak_dram_bytes_per_s, dram_could_bytes (in the kernels' time), area_mm2
 * with area_nm, area_of and area_mm2_per_tbyte_s (of DRAM's peak), workload, args, verified, input (the digest of
 * what it worked on, null where its program says none), operations (null where it says none), not_run, time_ps_error
 * (null unless sampled), in_full. What is not known is null. */
json_t *report_bench_row(const struct report_bench_pair *pair);

/* Of the rows of one family, in whose order runs are (NULL: none): the energy of all of them becomes that of the
 * parts that each of them counts where it has them, and energy_scope names these; times_fastest is each one's
 * time_ps over the least, and times_fastest_error half of its 95 % interval (null where neither was sampled).
 * Returns a text to be freed with g_free, or NULL: why the rows are not of the same input. */
char *report_bench_finish(json_t *rows, const json_t *const *runs);

/* The rows of one family as a table. */
void report_bench_print(FILE *out, const json_t *rows);

#endif
