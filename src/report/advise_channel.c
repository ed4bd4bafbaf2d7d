/* advise_channel.c - the closed form of advise_channel.h. */
#include "report/advise_channel.h"

#include "report/advise_confidence.h"
#include "report/report.h"

#include <glib.h>
#include <math.h>
#include <string.h>

static const double ps_per_s = 1e12, hz_per_khz = 1e3, bytes_per_mbyte = 1e6, gain_least = 1.05;

static double over(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

/* ---- the run on the CPU ---- */

struct profile {
	double time_s, parallel_s;     /* the program; of it, with all cores at work */
	double instructions, accesses; /* of the parallel part */
	double accesses_all, misses, memory_reads, interventions, footprint_bytes;
	double first_share; /* of the pages that were touched first, those that the program's first thread touched */
};

/* Only the first thread is there before the others, so what it touches first is what the others share. */
static double first_share(const json_t *units)
{
	double first = 0, all = 0;
	json_t *unit;
	size_t i;

	json_array_foreach(units, i, unit) {
		const double own = report_number(unit, "parts", "page_fault");

		all += own;
		first += i == 0 ? own : 0;
	}
	return over(first, all);
}

static double stat_of(const json_t *run, const char *name)
{
	return report_number(run, "stats", name);
}

/* As if there were one core, or all, at any time. */
static struct profile profile_of(const json_t *run)
{
	const double cores = report_number(run, "params", "cpu.core_count");
	const double awake_s = stat_of(run, "cpu.awake_ps") / ps_per_s;
	struct profile p = {.time_s = report_number(run, "time_ps", NULL) / ps_per_s};
	double share;

	p.parallel_s = cores > 1 ? CLAMP((awake_s - p.time_s) / (cores - 1), 0, p.time_s) : 0;
	share = over(cores * p.parallel_s, awake_s);
	p.accesses_all = stat_of(run, "cpu.reads") + stat_of(run, "cpu.writes") + stat_of(run, "cpu.atomics");
	p.accesses = share * p.accesses_all;
	p.instructions = share * stat_of(run, "cpu.instructions");
	p.misses = stat_of(run, "cpu.misses");
	p.memory_reads = stat_of(run, "cpu.memory_reads");
	p.interventions = stat_of(run, "cpu.interventions");
	p.footprint_bytes = stat_of(run, "cpu.pages") * report_number(run, "params", "cpu.page_bytes");
	p.first_share = first_share(json_object_get(json_object_get(run, "core_account"), "units"));
	return p;
}

/* ---- the machine with NDPs ---- */

struct ndps {
	double count, cores, hz, access_bytes;
	double local_s, remote_s;   /* an access; what a remote one takes more */
	double near, point, down;   /* bytes a second: memory of all, NDP-APs to NDPs, channels to NDPs */
	double begin_s, handover_s; /* of a thread: to begin; a line that threads write in turn */
};

static double param(const json_t *machine, const char *name)
{
	return report_number(machine, "params", name);
}

static double seconds(const json_t *machine, const char *name)
{
	return param(machine, name) / ps_per_s;
}

static double bytes_per_s(const json_t *machine, const char *name)
{
	return param(machine, name) * bytes_per_mbyte;
}

static struct ndps ndps_of(const json_t *m)
{
	struct ndps n = {.count = param(m, "channel.ndp_count"),
			 .hz = param(m, "channel.clock_khz") * hz_per_khz,
			 .access_bytes = param(m, "channel.access_bytes")};

	n.cores = n.count * param(m, "channel.core_count");
	n.local_s = seconds(m, "channel.core_link_ps") + seconds(m, "channel.erat_ps") +
		    seconds(m, "channel.summary_ps") + seconds(m, "cpu.dram_latency_ps");
	n.handover_s = 2 * seconds(m, "channel.message_ps") + seconds(m, "channel.point_ps");
	n.remote_s = n.handover_s + seconds(m, "channel.point_bus_ps");
	n.near = n.count * bytes_per_s(m, "cpu.dram_mbytes_per_s");
	n.point = param(m, "channel.point_count") * bytes_per_s(m, "channel.point_out_mbytes_per_s");
	n.down = n.count * bytes_per_s(m, "cpu.down_mbytes_per_s");
	n.begin_s = seconds(m, "cpu.system_call_ps");
	return n;
}

/* Seconds on the NDPs. */
struct terms {
	double serial, team, issue, latency, near, point, down;
};

static struct terms terms_of(const struct ndps *n, const struct profile *p)
{
	const double remote = p->first_share * (n->count - 1) / n->count;
	const double bytes = p->accesses * n->access_bytes;

	if (p->parallel_s <= 0)
		return (struct terms){.serial = p->time_s};
	return (struct terms){
	    .serial = p->time_s - p->parallel_s,
	    .team = n->cores * (n->begin_s + n->handover_s),
	    .issue = p->instructions / n->cores / n->hz,
	    .latency = p->accesses / n->cores * (n->local_s + remote * n->remote_s),
	    .near = bytes / n->near,
	    .point = remote * bytes / n->point,
	    .down = remote * bytes / n->down,
	};
}

/* An NDP's core issues, then waits: one load at a time. What all share is shared beside that. */
static double time_of(const struct terms *t)
{
	return t->serial + t->team + MAX(t->issue + t->latency, MAX(t->near, MAX(t->point, t->down)));
}

/* ---- what is said ---- */

static json_t *profile_json(const struct profile *p)
{
	return json_pack("{s:f, s:f, s:f, s:f, s:f}", "parallel_time", over(p->parallel_s, p->time_s),
			 "accesses_beyond_caches", over(p->memory_reads, p->accesses_all), "accesses_shared",
			 over(p->interventions, p->accesses_all), "footprint_bytes", p->footprint_bytes,
			 "pages_of_first_thread", p->first_share);
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
		   {"making the threads and letting them meet at a barrier", t->team},
		   {"instructions", t->issue},
		   {"accesses, one after the other", t->latency},
		   {"bandwidth of the memory beside the NDPs", t->near},
		   {"bandwidth of the NDP-AP", t->point},
		   {"bandwidth of the channels", t->down}};
	uint32_t best = 0;

	for (uint32_t i = 1; i < G_N_ELEMENTS(all); i++)
		if (all[i].s > all[best].s)
			best = i;
	return all[best].what;
}

static json_t *sentences_of(const struct profile *p, const struct terms *t)
{
	json_t *out = json_array();
	g_autofree char *profile = g_strdup_printf(
	    "%.0f %% of the time with all cores at work; %.1f %% of the accesses go to memory, %.1f %% to another "
	    "core's "
	    "cache; %.3f MB touched, %.0f %% of the pages by the first thread first",
	    100 * over(p->parallel_s, p->time_s), 100 * over(p->memory_reads, p->accesses_all),
	    100 * over(p->interventions, p->accesses_all), p->footprint_bytes / bytes_per_mbyte, 100 * p->first_share);
	g_autofree char *most = g_strdup_printf("on the NDPs most of it is %s", largest(t));

	json_array_append_new(out, json_string(profile));
	json_array_append_new(out, json_string(p->parallel_s > 0 ? most
								 : "nothing of it is parallel: nothing would be on "
								   "the NDPs"));
	return out;
}

json_t *report_advise_channel(const json_t *run, const json_t *ndps)
{
	const struct profile p = profile_of(run);
	const struct ndps n = ndps_of(ndps);
	const struct terms t = terms_of(&n, &p);
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
	json_object_set_new(out, "profile", profile_json(&p));
	json_object_set_new(out, "bounds",
			    json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "serial_s", t.serial, "team_s", t.team,
				      "issue_s", t.issue, "latency_s", t.latency, "memory_s", t.near, "point_s",
				      t.point, "channels_s", t.down));
	json_object_set_new(out, "why", sentences_of(&p, &t));
	return out;
}

void report_advise_channel_print(FILE *out, const json_t *advice)
{
	json_t *row;
	size_t i;

	fprintf(out, "predicted for %s, by a closed form of the machine, from one run on %s:\n",
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
