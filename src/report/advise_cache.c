/* advise_cache.c - the closed form of advise_cache.h. */
#include "report/advise_cache.h"

#include "report/advise_confidence.h"
#include "report/report.h"
#include "report/rows.h"

#include <glib.h>
#include <math.h>

/* A way: 16 arrays of 256 x 256 cells, 1,024 lanes in four banks. */
static const double way_bytes = 131072, banks_per_block = 4, line_bytes = 64;
static const double ps_per_s = 1e12, gain_least = 1.05;

/* Of the machine. */
struct caches {
	double slices, blocks, cache_blocks; /* slices of all sockets; control blocks, ways that stay cache */
	bool unused_is_cache;
	double hz, rows_per_s, lines_per_s; /* of a slice */
	double dram, link;                  /* bytes a second; link: both ways */
	double hit_s, remote_s, miss_s;
};

static struct caches caches_of(const json_t *m)
{
	const double link = report_reckoned(m, SIM_RECKONED_array_link_bytes_per_s);

	return (struct caches){
	    .slices = report_reckoned(m, SIM_RECKONED_array_slices),
	    .blocks = report_reckoned(m, SIM_RECKONED_array_blocks),
	    .cache_blocks = report_reckoned(m, SIM_RECKONED_array_cache_blocks),
	    .unused_is_cache = report_reckoned(m, SIM_RECKONED_array_unused_is_cache) > 0,
	    .hz = report_reckoned(m, SIM_RECKONED_array_hz),
	    .rows_per_s = report_reckoned(m, SIM_RECKONED_array_rows_per_s),
	    .lines_per_s = report_reckoned(m, SIM_RECKONED_array_lines_per_s),
	    .dram = report_reckoned(m, SIM_RECKONED_dram_bytes_per_s),
	    .link = link > 0 ? link : INFINITY,
	    .hit_s = report_reckoned(m, SIM_RECKONED_array_hit_s),
	    .remote_s = report_reckoned(m, SIM_RECKONED_array_remote_s),
	    .miss_s = report_reckoned(m, SIM_RECKONED_array_miss_s),
	};
}

/* Seconds of all launches of a kernel. */
struct terms {
	double compute, transpose, lines, latency, dram, link;
};

/* A control block computes, then waits for its access; all do so at about the same time, for one core feeds them all.
 */
static double time_of(const struct terms *t)
{
	return t->compute + MAX(t->transpose + t->lines + t->latency, MAX(t->dram, t->link));
}

static double over(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

static struct terms terms_of(const struct caches *c, const json_t *kernel)
{
	const json_t *a = json_object_get(kernel, "arrays");
	const double launches = MAX(report_number(kernel, "launches", NULL), 1);
	const double ctas = MAX(report_number(kernel, "ctas", NULL), 1);
	const double wanted = MAX(ceil(report_number(a, "banks", NULL) / banks_per_block / launches), 1);
	const double waves = ceil(wanted / c->blocks), at_once = MIN(wanted, c->blocks),
		     slices = MIN(at_once, c->slices);
	const double lines = report_number(a, "lines", NULL), fresh = report_number(a, "new_lines", NULL);
	const double footprint_bytes = report_number(a, "footprint_lines", NULL) / launches * line_bytes;
	const double cache_blocks = c->cache_blocks + (c->unused_is_cache ? c->blocks - at_once : 0);
	const double kept = footprint_bytes > 0 ? MIN(cache_blocks * way_bytes / footprint_bytes, 1) : 1;
	const double misses = fresh + (lines - fresh) * (1 - kept);
	const double accesses = report_number(a, "accesses", NULL) / ctas;

	return (struct terms){
	    .compute = launches * waves * report_number(a, "cycles", NULL) / ctas / c->hz,
	    .transpose =
		(report_number(a, "out_rows", NULL) + report_number(a, "in_rows", NULL)) / slices / c->rows_per_s,
	    .lines = lines / slices / c->lines_per_s,
	    .latency = launches * waves * accesses * (c->hit_s + c->remote_s + over(misses, lines) * c->miss_s),
	    .dram = misses * line_bytes / c->dram,
	    .link = lines * line_bytes / c->link,
	};
}

static void add(struct terms *sum, const struct terms *t)
{
	sum->compute += t->compute;
	sum->transpose += t->transpose;
	sum->lines += t->lines;
	sum->latency += t->latency;
	sum->dram += t->dram;
	sum->link += t->link;
}

/* What the program takes beside its kernels; copies among it, unless they are placement there. */
static double rest_s(const json_t *run, bool has_copies)
{
	const double all = report_number(run, "program", "time_ps"),
		     busy = report_number(run, "program", "device_busy_ps");

	return (has_copies ? all : all - busy) / ps_per_s;
}

json_t *report_advise_cache(const json_t *run, double kernels_s, const json_t *caches)
{
	const struct caches c = caches_of(caches);
	const json_t *kernels = json_object_get(run, "profile");
	const double base_s = rest_s(run, true) + kernels_s;
	struct terms sum = {0};
	double own_s = 0, all_s, margin;
	json_t *kernel, *out;
	bool is_cache;
	size_t i;

	json_array_foreach(kernels, i, kernel) {
		const struct terms t = terms_of(&c, kernel);

		add(&sum, &t);
		own_s += time_of(&t);
	}
	all_s = rest_s(run, false) + own_s;
	is_cache = base_s > all_s * gain_least;
	margin = 1 - over(MIN(base_s, all_s), MAX(base_s, all_s));
	out = json_pack(
	    "{s:s, s:s, s:O, s:O, s:f, s:f, s:f, s:f, s:s, s:f, s:f}", "name", "cache", "what",
	    "arrays of a server's last-level caches (Duality Cache)", "machine", json_object_get(caches, "machine"),
	    "baseline", json_object_get(run, "machine"), "time_ps", all_s * ps_per_s, "baseline_time_ps",
	    base_s * ps_per_s, "speedup", over(base_s, all_s), "kernels_speedup", over(kernels_s, own_s), "best",
	    is_cache ? "cache" : "gpu", "margin", margin, "confidence",
	    report_advise_confidence(REPORT_ADVISE_CACHE, json_string_value(json_object_get(run, "workload")),
				     !is_cache, margin));
	json_object_set_new(out, "bounds",
			    json_pack("{s:f, s:f, s:f, s:f, s:f, s:f}", "compute_s", sum.compute, "transpose_s",
				      sum.transpose, "lines_s", sum.lines, "latency_s", sum.latency, "dram_s", sum.dram,
				      "link_s", sum.link));
	return out;
}

void report_advise_cache_print(FILE *out, const json_t *advice)
{
	fprintf(out,
		"predicted of a server, the whole program with its copies: %s for %s\n"
		"  %-14s %6.2fx  %s; kernels alone %.2fx\n"
		"best: %s, %.2f ahead of the other; confidence %.2f, as often as such predictions were right\n",
		json_string_value(json_object_get(advice, "machine")),
		json_string_value(json_object_get(advice, "baseline")),
		json_string_value(json_object_get(advice, "name")), report_number(advice, "speedup", NULL),
		json_string_value(json_object_get(advice, "what")), report_number(advice, "kernels_speedup", NULL),
		json_string_value(json_object_get(advice, "best")), report_number(advice, "margin", NULL),
		report_number(advice, "confidence", NULL));
}
