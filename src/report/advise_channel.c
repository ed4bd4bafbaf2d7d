/* advise_channel.c - the closed form of advise_channel.h. */
#include "report/advise_channel.h"

#include "report/advise_confidence.h"
#include "report/report.h"
#include "report/rows.h"

#include <glib.h>
#include <string.h>

static const double ps_per_s = 1e12, bytes_per_mbyte = 1e6, gain_least = 1.05;

static double over(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

/* ---- the run on the CPU ---- */

struct profile {
	double time_s, parallel_s; /* the program; of it, with all cores at work */
	double accesses_all, memory_reads, interventions, footprint_bytes;
};

/* As if there were one core, or all, at any time. */
static struct profile profile_of(const json_t *run)
{
	const double cores = report_reckoned(run, SIM_RECKONED_cores);
	const double awake_s = report_reckoned(run, SIM_RECKONED_awake_s);
	struct profile p = {.time_s = report_number(run, "time_ps", NULL) / ps_per_s};

	p.parallel_s = cores > 1 ? CLAMP((awake_s - p.time_s) / (cores - 1), 0, p.time_s) : 0;
	p.accesses_all = report_reckoned(run, SIM_RECKONED_accesses);
	p.memory_reads = report_reckoned(run, SIM_RECKONED_memory_reads);
	p.interventions = report_reckoned(run, SIM_RECKONED_interventions);
	p.footprint_bytes = report_reckoned(run, SIM_RECKONED_footprint_bytes);
	return p;
}

/* ---- on the NDPs ---- */

/* Seconds. */
struct terms {
	double serial, threads, shared, line, point, channels, memory;
};

static struct terms terms_of(const struct report_advise_walk *w, const struct profile *p)
{
	if (p->parallel_s <= 0)
		return (struct terms){.serial = p->time_s};
	return (struct terms){
	    .serial = p->time_s - p->parallel_s,
	    .threads = w->threads_s,
	    .shared = w->shared_s,
	    .line = w->line_s,
	    .point = w->point_s,
	    .channels = MAX(w->up_s, w->down_s),
	    .memory = w->memory_s,
	};
}

/* The threads, with what they wait for what they share; but for a line that all change, which they wait for as well. */
static double time_of(const struct terms *t)
{
	return t->serial + MAX(t->shared, t->line);
}

/* ---- what is said ---- */

static json_t *profile_json(const struct profile *p, const struct report_advise_walk *w)
{
	return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f}", "parallel_time", over(p->parallel_s, p->time_s),
			 "accesses_beyond_caches", over(p->memory_reads, p->accesses_all), "accesses_shared",
			 over(p->interventions, p->accesses_all), "footprint_bytes", p->footprint_bytes,
			 "ndp_accesses_remote", over(w->remote, w->accesses), "ndp_accesses_kept",
			 over(w->hits, w->accesses));
}

static json_t *level_of(const char *name, const char *what, double time_s, double cpu_s)
{
	return json_pack("{s:s, s:s, s:f, s:f}", "name", name, "what", what, "time_ps", time_s * ps_per_s, "speedup",
			 over(cpu_s, time_s));
}

static const char *largest(const struct terms *t)
{
	const struct {
		const char *what;
		double s;
	} all[] = {{"the part of the program that is serial", t->serial},
		   {"instructions and accesses, one after the other, and threads that wait for each other", t->threads},
		   {"one line that all change, each access after the other", t->line},
		   {"bandwidth of the NDP-AP", t->point},
		   {"bandwidth of the busiest channel", t->channels},
		   {"bandwidth of the busiest memory", t->memory}};
	uint32_t best = 0;

	for (uint32_t i = 1; i < G_N_ELEMENTS(all); i++)
		if (all[i].s > all[best].s)
			best = i;
	return all[best].what;
}

static json_t *sentences_of(const struct profile *p, const struct report_advise_walk *w, const struct terms *t)
{
	json_t *out = json_array();
	g_autofree char *profile = g_strdup_printf(
	    "%.0f %% of the time with all cores at work; %.1f %% of the accesses go to memory, %.1f %% to another "
	    "core's cache; %.3f MB touched; on the NDPs %.0f %% of the accesses are to lines behind other channels",
	    100 * over(p->parallel_s, p->time_s), 100 * over(p->memory_reads, p->accesses_all),
	    100 * over(p->interventions, p->accesses_all), p->footprint_bytes / bytes_per_mbyte,
	    100 * over(w->remote, w->accesses));
	g_autofree char *most = g_strdup_printf("on the NDPs most of it is %s", largest(t));

	json_array_append_new(out, json_string(profile));
	json_array_append_new(out, json_string(p->parallel_s > 0 ? most
								 : "nothing of it is parallel: nothing would be on "
								   "the NDPs"));
	return out;
}

bool report_advise_is_parallel(const json_t *run)
{
	const struct profile p = profile_of(run);

	return p.parallel_s > 0;
}

json_t *report_advise_channel(const json_t *run, const struct report_advise_walk *walk, const json_t *ndps)
{
	const struct profile p = profile_of(run);
	const struct terms t = terms_of(walk, &p);
	const double ndp_s = time_of(&t);
	const bool is_cpu = p.time_s < ndp_s * gain_least;
	const double margin = 1 - over(MIN(p.time_s, ndp_s), MAX(p.time_s, ndp_s));
	json_t *levels = json_array(), *out = json_object();

	json_array_append_new(levels, level_of("cpu", "the CPU alone", p.time_s, p.time_s));
	json_array_insert_new(levels, is_cpu ? 1 : 0,
			      level_of("channel", "cores of NDPs on the memory channels", ndp_s, p.time_s));
	json_object_set_new(out, "levels", levels);
	json_object_set_new(out, "best", json_string(is_cpu ? "cpu" : "channel"));
	json_object_set_new(out, "margin", json_real(margin));
	json_object_set_new(
	    out, "confidence",
	    json_real(report_advise_confidence(REPORT_ADVISE_CHANNEL,
					       json_string_value(json_object_get(run, "workload")), is_cpu, margin)));
	json_object_set(out, "baseline", json_object_get(run, "machine"));
	json_object_set(out, "machine", json_object_get(ndps, "machine"));
	json_object_set_new(out, "profile", profile_json(&p, walk));
	json_object_set_new(out, "bounds",
			    json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "serial_s", t.serial, "threads_s",
				      t.threads, "shared_s", t.shared, "line_s", t.line, "point_s", t.point,
				      "channels_s", t.channels, "memory_s", t.memory));
	json_object_set_new(out, "why", sentences_of(&p, walk, &t));
	return out;
}

void report_advise_channel_print(FILE *out, const json_t *advice)
{
	json_t *row;
	size_t i;

	fprintf(out, "predicted for %s, by a closed form of the machine, from one run on %s and a recording:\n",
		json_string_value(json_object_get(advice, "machine")),
		json_string_value(json_object_get(advice, "baseline")));
	json_array_foreach(json_object_get(advice, "levels"), i, row)
		fprintf(out, "  %-14s %6.2fx  %s\n", json_string_value(json_object_get(row, "name")),
			report_number(row, "speedup", NULL), json_string_value(json_object_get(row, "what")));
	fprintf(out, "best: %s, %.2f ahead of the other; confidence %.2f, as often as such predictions were right\n",
		json_string_value(json_object_get(advice, "best")), report_number(advice, "margin", NULL),
		report_number(advice, "confidence", NULL));
	json_array_foreach(json_object_get(advice, "why"), i, row)
		fprintf(out, "  - %s\n", json_string_value(row));
}
