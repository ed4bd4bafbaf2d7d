/* stat.h - statistics: declared once in tables, counted in plain struct fields, read by descriptor.
 *
 *   STAT_COUNT(name, unit, doc)     uint64_t, summed over instances
 *   STAT_MAX(name, unit, doc)       uint64_t, maximum over instances
 *   STAT_HIST(name, unit, doc)      struct sim_hist, merged over instances
 *   STAT_ARRAY(array, count)        uint64_t array[count], whose elements have rows of their own:
 *   STAT_ELEMENT(array, index, name, unit, doc)    as STAT_COUNT; index is an enumerator
 *
 * The hot path increments the field and nothing else. The same .def makes struct and table, as for parameters, with
 * "sim/stat_fields.inc", "sim/stat_rows.inc" (needs STAT_STRUCT) and "sim/stat_end.inc".
 */
#ifndef STRATA_SIM_STAT_H
#define STRATA_SIM_STAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Log-linear histogram: 16 linear steps per power of two; relative error below 1/16; 64-bit values. */
enum { SIM_HIST_STEPS = 16, SIM_HIST_BUCKETS = 61 * SIM_HIST_STEPS };

struct sim_hist {
	uint64_t count, sum, max;
	uint32_t bucket[SIM_HIST_BUCKETS];
};

static inline uint32_t sim_hist_bucket(uint64_t v)
{
	if (v < SIM_HIST_STEPS)
		return (uint32_t)v;

	uint32_t log2 = 63 - (uint32_t)__builtin_clzll(v);

	return (log2 - 3) * SIM_HIST_STEPS + (uint32_t)(v >> (log2 - 4)) - SIM_HIST_STEPS;
}

static inline void sim_hist_add(struct sim_hist *h, uint64_t v)
{
	h->count++;
	h->sum += v;
	if (v > h->max)
		h->max = v;
	h->bucket[sim_hist_bucket(v)]++;
}

/* Lower edge of the bucket that holds the q-quantile (0 < q <= 1); 0 when empty. */
uint64_t sim_hist_quantile(const struct sim_hist *h, double q);
/* The smallest value of bucket i. */
uint64_t sim_hist_edge(uint32_t i);
void sim_hist_merge(struct sim_hist *into, const struct sim_hist *from);

enum sim_stat_kind { SIM_STAT_COUNT, SIM_STAT_MAX, SIM_STAT_HIST };

struct sim_stat_desc {
	const char *name;
	enum sim_stat_kind kind;
	const char *unit;
	const char *doc;
	size_t offset;
};

/* A table of statistics and the prefix of their names: what a component says that it counts, before it is built. */
struct sim_stat_table {
	const char *prefix;
	const struct sim_stat_desc *rows;
	uint32_t row_count;
};
enum { SIM_STAT_TABLES_MAX = 96 };
struct sim_stat_tables {
	struct sim_stat_table items[SIM_STAT_TABLES_MAX];
	uint32_t count;
};
/* Adds a table unless it is there; its prefix and rows are kept. There must be room. */
void sim_stat_tables_add(struct sim_stat_tables *tables, const struct sim_stat_table *table);
/* Adds rows that several prefixes share. */
void sim_stat_tables_add_rows(struct sim_stat_tables *tables, const char *prefix, const struct sim_stat_desc *rows,
			      uint32_t row_count);
/* The row of "prefix.name", NULL if no table has it. A prefix may itself contain dots. */
const struct sim_stat_desc *sim_stat_tables_find(const struct sim_stat_tables *tables, const char *key);

/* All statistics of a run: groups of instances. Does not own the instances. */
struct sim_stats;

struct sim_stats *sim_stats_new(void);
void sim_stats_free(struct sim_stats *s);

/* Adds one instance to the group of prefix and table (created at first use; both are kept, not copied). Several tables
 * may share a prefix: then no name is in two. bytes is the size of the instance's struct. */
void sim_stats_add(struct sim_stats *s, const char *prefix, const struct sim_stat_desc *rows, uint32_t row_count,
		   void *instance, size_t bytes);

/* Adds one instance of a table. */
void sim_stats_add_table(struct sim_stats *s, const struct sim_stat_table *table, void *instance, size_t bytes);

/* Calls fn once per declared statistic, groups in order of addition, with the value merged over the instances: value
 * for counts and maxima, hist (else NULL) for histograms. */
void sim_stats_each(const struct sim_stats *s,
		    void (*fn)(void *ctx, const char *prefix, const struct sim_stat_desc *row, uint64_t value,
			       const struct sim_hist *hist),
		    void *ctx);

/* Adds the tables that instances have been added to. */
void sim_stats_tables(const struct sim_stats *s, struct sim_stat_tables *out);
/* Merged value of "prefix.name"; false if there is no such statistic or it is a histogram. */
bool sim_stats_value(const struct sim_stats *s, const char *key, uint64_t *value);
/* Merged histogram of "prefix.name" into *hist; false if there is none. */
bool sim_stats_hist(const struct sim_stats *s, const char *key, struct sim_hist *hist);
/* Where the instances of a count are, for whoever reads it often: an array of *count, to be freed with g_free; it stays
 * right until another instance is added. NULL if there is no such count. */
const uint64_t **sim_stats_addresses(const struct sim_stats *s, const char *key, uint32_t *count);
/* Value of one instance (by order of addition). */
bool sim_stats_instance_value(const struct sim_stats *s, const char *key, uint32_t instance, uint64_t *value);
/* How many instances the prefix's first table has. */
uint32_t sim_stats_instance_count(const struct sim_stats *s, const char *prefix);

/* ---- estimates: what was not counted, because it was not run in detail ---- */

/* How many counts (of all instances) there are, and their values in a fixed order. */
uint32_t sim_stats_count_total(const struct sim_stats *s);
void sim_stats_counts(const struct sim_stats *s, uint64_t *values);
/* From now on what is read of each count is by added[i] x scale more than what was counted (i as in sim_stats_counts);
 * laws stay about what was counted. No instance is added afterwards. */
void sim_stats_estimate(struct sim_stats *s, const double *added, double scale);
/* Something was estimated: maxima and histograms are of a part of the run only. */
bool sim_stats_is_estimated(const struct sim_stats *s);

/* A law: counts whose sums are equal whenever no kernel runs, such as "memory.requests = memory.answers" or
 * "a.x = a.y + b.z". text is kept, once however often it is given; what it names is there by the first check. */
void sim_stats_law(struct sim_stats *s, const char *text);
/* The text of a law that does not hold; NULL: all do. */
const char *sim_stats_broken_law(const struct sim_stats *s);
/* After an aborted kernel: what it left open stays open, and is the laws' no more. */
void sim_stats_laws_settle(struct sim_stats *s);

#endif
