/* csp.c - chapter 3 of the PhD thesis: the coprocessor for the correlator of SKA1-Low. */
#include "reproduce/claim.h"

#include "base/check.h"
#include "csp/space.h"
#include "machine/csp.h"
#include "machine/description.h"
#include "machine/parts.h"

#include <glib.h>
#include <math.h>

static const double giga = 1e9, tera = 1e12, sub_bands = 512;

/* What runs of the shipped programs counted: lines for a step of a channel, and cycles. */
struct run {
	bool is_there;
	double loads_per_step, stores_per_dump, cycles_per_dump; /* of the correlation of one channel */
	double load_bytes, store_bytes, units_share; /* of the channelization: for a sample of a signal; of its time */
};

struct models {
	struct csp_config alpha, beta;
	struct csp_application application;
	struct csp_power correlation[2], channelization; /* alpha, beta */
	double io_w;
	uint32_t transceivers;
	struct csp_designs space;
	struct run runs[2];
};

enum { ALPHA, BETA };

/* ---- runs of the cycle model ---- */

struct simulation {
	struct machine_config config;
	struct machine *machine;
	struct csp_program *program;
};

static uint64_t stat(const struct simulation *s, const char *key)
{
	uint64_t value = 0;

	CHECK(sim_stats_value(s->machine->ctx.stats, key, &value));
	return value;
}

static void simulation_free(struct simulation *s)
{
	machine_free(s->machine);
	csp_program_free(s->program);
	g_free(s);
}

static bool simulate(struct simulation *s, const char *path, const struct csp_config *c,
		     const struct csp_define *defines, uint32_t count, struct base_diag_list *diag)
{
	struct csp_machine *m;
	struct csp_result r;

	machine_config_defaults(&s->config, machine_parts);
	machine_config_drop(&s->config, &machine_gpu_part);
	*(struct csp_config *)machine_config_at(&s->config, &machine_csp_part) = *c;
	s->program = csp_assemble_file(path, c, defines, count, diag);
	s->machine = s->program ? machine_new(&s->config, false, diag) : NULL;
	m = s->machine ? machine_csp(s->machine) : NULL;
	return m && csp_machine_load(m, s->program, diag) && csp_machine_data(m, diag) &&
	       csp_machine_run(m, &r, diag) && r.checks && r.checks == r.checks_passed;
}

/* A program of ours on a machine; NULL: it did not run, or its results are wrong. */
static struct simulation *run(const struct reproduce_data *d, const struct csp_config *c, const char *name,
			      const struct csp_define *defines, uint32_t count)
{
	g_autofree char *path = g_build_filename(d->programs, name, NULL);
	struct simulation *s = g_new0(struct simulation, 1);
	struct base_diag_list diag;
	bool is_ok;

	base_diag_init(&diag);
	is_ok = simulate(s, path, c, defines, count, &diag);
	base_diag_free(&diag);
	if (is_ok)
		return s;
	simulation_free(s);
	return NULL;
}

/* One channel; a quick run has fewer samples, and a dump's cycles are then those of its steps. */
static void correlate(const struct reproduce_data *d, const struct csp_config *c, double dump, struct run *out)
{
	const int64_t times = d->size == REPRODUCE_QUICK ? 100 : 1200;
	const struct csp_define defines[] = {{"TIMES", times}};
	struct simulation *m = run(d, c, "corr.csp", defines, ARRAY_COUNT(defines));

	if (!m)
		return;
	out->loads_per_step = (double)(stat(m, "core.ssrf_lines") + stat(m, "core.load_lines")) / (double)times;
	out->stores_per_dump = (double)stat(m, "core.store_lines");
	out->cycles_per_dump = (double)stat(m, "core.end_cycles") * dump / (double)times;
	out->is_there = true;
	simulation_free(m);
}

/* One or four lines of signals, 16 samples of each channel. */
static void channelize(const struct reproduce_data *d, const struct csp_config *c, const struct csp_application *a,
		       struct run *out)
{
	enum { OUTPUTS = 16 };
	const int64_t lines = d->size == REPRODUCE_QUICK ? 1 : 4;
	const struct csp_define defines[] = {{"OUTPUTS", OUTPUTS}, {"LINES", lines}};
	const double samples = (double)lines * (double)c->csp.fu_count * OUTPUTS * a->channels;
	const double real_s = samples / (a->samples_per_s * a->signals);
	struct simulation *m = run(d, c, "chan.csp", defines, ARRAY_COUNT(defines));

	out->is_there = out->is_there && m;
	if (!m)
		return;
	out->load_bytes = (double)stat(m, "core.load_bytes") / samples;
	out->store_bytes = (double)stat(m, "core.store_bytes") / samples;
	out->units_share = (double)stat(m, "core.cfma_cycles") / (real_s * (double)c->csp.clock_khz * 1e3);
	simulation_free(m);
}

static bool load(const struct reproduce_data *d, const char *name, struct csp_config *c)
{
	const char *const dirs[] = {d->machines};
	const struct sim_search search = {dirs, 1}, no_memories = {NULL, 0};
	g_autofree struct machine_description *about = g_new(struct machine_description, 1);
	struct base_diag_list diag;
	bool is_ok;

	base_diag_init(&diag);
	is_ok = machine_description_load(name, &search, &no_memories, about, &diag) &&
		machine_config_check(&about->config, &diag) && machine_csp_config(&about->config);
	if (is_ok)
		*c = *machine_csp_config(&about->config);
	base_diag_free(&diag);
	return is_ok;
}

/* NULL: descriptions are missing. */
static const struct models *models(const struct reproduce_data *d)
{
	struct models *m = d->models->value;

	if (m || !d->machines || !d->programs)
		return m;
	m = g_new0(struct models, 1);
	if (!load(d, "csp-alpha", &m->alpha) || !load(d, "csp-beta", &m->beta)) {
		g_free(m);
		return NULL;
	}
	m->application = csp_application_default();
	csp_power_correlation(&m->alpha, &m->application, &m->correlation[ALPHA]);
	csp_power_correlation(&m->beta, &m->application, &m->correlation[BETA]);
	csp_power_channelization(&m->alpha, &m->application, &m->channelization);
	m->io_w = csp_power_io_w(&m->alpha, &m->application, &m->transceivers);
	csp_space_make(&m->alpha, &m->application, &m->space);
	correlate(d, &m->alpha, m->application.dump_samples, &m->runs[ALPHA]);
	correlate(d, &m->beta, m->application.dump_samples, &m->runs[BETA]);
	channelize(d, &m->alpha, &m->application, &m->runs[ALPHA]);
	d->models->value = m;
	d->models->free = g_free;
	return m;
}

/* ---- numbers ---- */

struct traffic {
	double from, to; /* GB/s over the links, packets whole */
};

static struct traffic packets(const struct csp_params *p, double read, double written)
{
	const double head = (double)p->packet_bytes / (double)p->block_bytes;

	return (struct traffic){(read * (1 + head) + written * head) / giga,
				(read * head + written * (1 + head)) / giga};
}

/* All cores together, in real time; the samples that are correlated are written once. */
static struct traffic correlation_traffic(const struct models *m, uint32_t point)
{
	const struct csp_config *c = point == ALPHA ? &m->alpha : &m->beta;
	const struct csp_application *a = &m->application;
	const double line = csp_line_bytes(&c->csp), in = a->samples_per_s * a->signals * 8;
	const double out = m->runs[point].stores_per_dump * line * a->samples_per_s / a->dump_samples;

	if (!m->runs[point].is_there)
		return (struct traffic){NAN, NAN};
	return packets(&c->csp, m->runs[point].loads_per_step * line * a->samples_per_s, in + out);
}

static struct traffic channelization_traffic(const struct models *m)
{
	const double samples = m->application.samples_per_s * m->application.signals;

	if (!m->runs[ALPHA].is_there)
		return (struct traffic){NAN, NAN};
	return packets(&m->alpha.csp, m->runs[ALPHA].load_bytes * samples, m->runs[ALPHA].store_bytes * samples);
}

/* Time that a dump of all channels takes the 14 cores, of the time there is. */
static double schedule_share(const struct models *m)
{
	const struct csp_application *a = &m->application;
	const double clock = (double)m->alpha.csp.clock_khz * 1e3;
	const double available = a->dump_samples * a->channels / a->samples_per_s * clock;

	return m->runs[ALPHA].is_there ? m->runs[ALPHA].cycles_per_dump * a->channels /
					     (available * m->correlation[ALPHA].cores) :
					 NAN;
}

static double least_power_entries(const struct models *m, uint32_t fu_count)
{
	const struct csp_point *best = NULL;

	for (uint32_t i = 0; i < m->space.count; i++) {
		const struct csp_point *p = &m->space.points[i];

		if (p->fu_count == fu_count && (!best || p->power.total_w < best->power.total_w))
			best = p;
	}
	return best->ssrf_entry_count;
}

/* Is the point of least power (is_area: area) the one of the machine? */
static double is_extreme(const struct models *m, const struct csp_config *c, bool is_area)
{
	const struct csp_point *p = is_area ? csp_space_least_area(&m->space) : csp_space_least_power(&m->space);

	return p->fu_count == c->csp.fu_count && p->ssrf_entry_count == c->csp.ssrf_entry_count &&
	       p->technology == c->csp.rf_technology && p->shape == c->csp.rf_shape;
}

/* The logic layers' own power is shared out by multiply-adds (section 3.4.2: constant overhead over the operations). */
static double channel_joules(const struct models *m, bool is_fir)
{
	const struct csp_application *a = &m->application;
	const double stages = log2(a->channels), cfmas = is_fir ? a->taps : stages;
	const double samples = a->samples_per_s * a->signals;
	const struct csp_power *p = &m->channelization;
	const double units_w = p->cfma_w + p->registers_w + p->ssrf_w + p->controllers_w;
	const double share = cfmas / (a->taps + stages);

	/* Of three reads and three writes of a sample half are the filter's: it is written, read, and written again. */
	return ((p->total_w - units_w) / 2 + share * (units_w + m->alpha.energy.logic_rest_mw * 1e-3)) / samples;
}

enum quantity {
	NODE_W, NODE_EFFICIENCY, PEAK, NODE_USED, NODE_AREA, NODE_FROM, NODE_TO, CHIP_IN, CHIP_OUT,
	POINT_W, POINT_AREA, POINT_EFFICIENCY, POINT_FROM, POINT_TO, POINT_USED, MEMORY_SHARE, WIDTH_SAVING,
	BEST_ENTRIES,
	USE_FIR, USE_FFT, USE_PHASE, USE_BANDPASS, CHANNEL_USED, CHANNEL_FROM, CHANNEL_TO, CHANNEL_W, FIR_NJ, FFT_UJ,
	TOTAL_FIR, TOTAL_FFT, TOTAL_CORRELATION, TRAFFIC_RATIO, SCHEDULE, IS_ALPHA, IS_BETA,
};

/* row->config: a quantity; row->against: a point. */
static double value(const struct models *m, enum quantity q, uint32_t point)
{
	const struct csp_application *a = &m->application;
	const struct csp_power *p = &m->correlation[point], *c = &m->channelization;
	const double node_w = m->correlation[ALPHA].total_w + c->total_w + m->io_w;
	const double cores = (double)m->alpha.csp.core_count, units = cores * (double)m->alpha.csp.fu_count;
	const double samples = a->samples_per_s * a->signals, ops_per_cfma = 8;

	switch (q) {
	case NODE_W:
		return node_w;
	case NODE_EFFICIENCY:
		return (m->correlation[ALPHA].ops_per_s + c->ops_per_s) / giga / node_w;
	case PEAK:
		return units * (double)m->alpha.csp.clock_khz * 1e3 * ops_per_cfma / tera;
	case NODE_USED:
		return 100 * (m->correlation[ALPHA].fus + c->fus) / units;
	case NODE_AREA:
		return m->correlation[ALPHA].area_mm2 + c->area_mm2 + m->transceivers * m->alpha.energy.transceiver_mm2;
	case NODE_FROM:
		return correlation_traffic(m, ALPHA).from + channelization_traffic(m).from;
	case NODE_TO:
		return correlation_traffic(m, ALPHA).to + channelization_traffic(m).to;
	case CHIP_IN:
		return samples * 8 / giga;
	case CHIP_OUT:
		return a->samples_per_s / a->dump_samples * a->signals * a->signals / 2 * 8 / giga;
	case POINT_W:
		return p->total_w;
	case POINT_AREA:
		return p->area_mm2;
	case POINT_EFFICIENCY:
		return p->gops_per_w;
	case POINT_FROM:
		return correlation_traffic(m, point).from;
	case POINT_TO:
		return correlation_traffic(m, point).to;
	case POINT_USED:
		return 100 * p->utilisation;
	case MEMORY_SHARE:
		return 100 * p->memory_share;
	case WIDTH_SAVING:
		return 100 * (1 - csp_space_least_power(&m->space)->power.total_w /
				      csp_space_representative(&m->space, 4)->power.total_w);
	case BEST_ENTRIES:
		return least_power_entries(m, 8);
	case USE_FIR:
		return 100 * (4 * a->taps - 2) / (ops_per_cfma * a->taps);
	case USE_FFT:
		return 100 * 10 / (ops_per_cfma * 2); /* a butterfly is two */
	case USE_PHASE:
		return 100 * 6 / ops_per_cfma; /* a complex product */
	case USE_BANDPASS:
		return 100 * 2 / ops_per_cfma; /* by a real number */
	case CHANNEL_USED:
		return m->runs[ALPHA].is_there ? 100 * m->runs[ALPHA].units_share : NAN;
	case CHANNEL_FROM:
		return channelization_traffic(m).from;
	case CHANNEL_TO:
		return channelization_traffic(m).to;
	case CHANNEL_W:
		return c->total_w;
	case FIR_NJ:
		return channel_joules(m, true) * 1e9;
	case FFT_UJ:
		return channel_joules(m, false) * a->channels * 1e6;
	case TOTAL_FIR:
		return sub_bands * samples * (4 * a->taps - 2) / tera;
	case TOTAL_FFT:
		return sub_bands * samples * 5 * log2(a->channels) / tera;
	case TOTAL_CORRELATION:
		return sub_bands * m->correlation[ALPHA].ops_per_s / 1e15;
	case TRAFFIC_RATIO:
		return correlation_traffic(m, BETA).from / correlation_traffic(m, ALPHA).from;
	case SCHEDULE:
		return 100 * schedule_share(m);
	case IS_ALPHA:
		return is_extreme(m, &m->alpha, false);
	case IS_BETA:
		return is_extreme(m, &m->beta, true);
	}
	UNREACHABLE("a quantity");
}

static double measure(const struct reproduce_data *d, const struct reproduce_row *row)
{
	const struct models *m = models(d);

	return m ? value(m, (enum quantity)row->config, row->against) : NAN;
}

#define Q(quantity) .measure = measure, .config = (quantity)

/* Tolerances: 1 % of what is exact arithmetic or calibrated, 12 % of traffic and 15 % of power, as claims C1 and C2
 * have it. */
static const struct reproduce_row rows[] = {
    {.id = "CSP-01", Q(NODE_W), .tolerance = 2.16},
    {.id = "CSP-02", Q(NODE_EFFICIENCY), .tolerance = 31.2},
    {.id = "CSP-03", Q(PEAK), .tolerance = 0.05},
    {.id = "CSP-04", Q(NODE_USED), .tolerance = 1},
    {.id = "CSP-05", Q(NODE_AREA), .tolerance = 0.16},
    {.id = "CSP-06", Q(NODE_FROM), .tolerance = 11.2},
    {.id = "CSP-07", Q(NODE_TO), .tolerance = 4.44},
    {.id = "CSP-08", Q(CHIP_IN), .tolerance = 0.005},
    {.id = "CSP-09", Q(CHIP_OUT), .tolerance = 0.005},
    {.id = "CSP-10", Q(POINT_W), .against = ALPHA, .tolerance = 0.12},
    {.id = "CSP-11", Q(POINT_AREA), .against = ALPHA, .tolerance = 0.15},
    {.id = "CSP-12", Q(POINT_EFFICIENCY), .against = ALPHA, .tolerance = 38.6},
    {.id = "CSP-13", Q(POINT_W), .against = BETA, .tolerance = 0.12},
    {.id = "CSP-14", Q(POINT_AREA), .against = BETA, .tolerance = 0.1},
    {.id = "CSP-15", Q(POINT_EFFICIENCY), .against = BETA, .tolerance = 36.8},
    {.id = "CSP-16", Q(POINT_FROM), .against = ALPHA, .tolerance = 8.2},
    {.id = "CSP-17", Q(POINT_FROM), .against = BETA, .tolerance = 9.7},
    {.id = "CSP-18", Q(POINT_TO), .against = ALPHA, .tolerance = 2.2},
    {.id = "CSP-19", Q(POINT_USED), .against = ALPHA, .tolerance = 1},
    {.id = "CSP-20", Q(MEMORY_SHARE), .against = ALPHA, .tolerance = 10},
    {.id = "CSP-21", Q(WIDTH_SAVING), .tolerance = 7},
    {.id = "CSP-22", Q(BEST_ENTRIES), .tolerance = 0},
    {.id = "CSP-23", Q(USE_FIR), .tolerance = 0.5},
    {.id = "CSP-24", Q(USE_FFT), .tolerance = 0},
    {.id = "CSP-25", Q(USE_PHASE), .tolerance = 0},
    {.id = "CSP-26", Q(USE_BANDPASS), .tolerance = 0},
    {.id = "CSP-27", Q(CHANNEL_USED), .tolerance = 1},
    {.id = "CSP-28", Q(CHANNEL_FROM), .tolerance = 2.64},
    {.id = "CSP-29", Q(CHANNEL_TO), .tolerance = 2.16},
    {.id = "CSP-30", Q(CHANNEL_W), .tolerance = 0.33},
    {.id = "CSP-31", Q(FIR_NJ), .tolerance = 0.33},
    {.id = "CSP-32", Q(FFT_UJ), .tolerance = 0.21},
};

static const struct reproduce_claim claims[] = {
    {"C1 (a)",
     "totals of table 3.1 within 1 %: {=0} and {=1} Tops/s of FIR and FFT, {=2} Pops/s of correlation",
     "{0:.2}, {1:.2} and {2:.2}",
     {NEAR(11.06, 0.11, Q(TOTAL_FIR)), NEAR(16.59, 0.17, Q(TOTAL_FFT)), NEAR(1.51, 0.015, Q(TOTAL_CORRELATION))}},
    {"C1 (a) use",
     "units used by correlation, node and channelization within 1 %",
     "{0:.1}, {1:.1} and {2:.1} %; the schedule of figure 3.6, with lines by themselves whole, takes {3:.1} % of the "
     "14 cores' time",
     {PUBLISHED("CSP-19"), PUBLISHED("CSP-04"), PUBLISHED("CSP-27"), SHOWN(Q(SCHEDULE))}},
    {"C1 (b)",
     "traffic of points alpha and beta within 12 %, their ratio {=2} within {~2}",
     "{0:.1} and {1:.1} GB/s, {2:.2}",
     {PUBLISHED("CSP-16"), PUBLISHED("CSP-17"), NEAR(1.19, 0.03, Q(TRAFFIC_RATIO))}},
    {"C2 (a)",
     "of the design space alpha needs least power and beta least area",
     "{0:.0} and {1:.0} (1: so it is)",
     {MUST(REACH, 1, Q(IS_ALPHA)), MUST(REACH, 1, Q(IS_BETA))}},
    {"C2 (b)",
     "efficiency of the node and of point alpha within 15 %",
     "{0:.0} and {1:.0} GFLOPS/W",
     {PUBLISHED("CSP-02"), PUBLISHED("CSP-12")}},
    {"C3 (a)", "85 % of the power saved from 4 to 64 units, within 7 points", "{0:.1} %", {PUBLISHED("CSP-21")}},
    {"C3 (b)", "memory and links take 73 % of the power, within 10 points", "{0:.1} %", {PUBLISHED("CSP-20")}},
    {"C3 (c)",
     "with 8 units least power is at 16, 32 or 64 entries",
     "{0:.0}",
     {MUST(REACH, 16, Q(BEST_ENTRIES)), MUST(NOT_EXCEED, 64, Q(BEST_ENTRIES))}},
};

/* ---- figure 3.8: power by width ---- */

static const char *const widths[] = {"4", "8", "16", "32", "64"};
static const char *const parts[] = {"DRAM",  "logic layer",    "links",   "network",
				    "controllers", "RF and SSRF", "units", "all"};

static double part_w(const struct csp_power *p, uint32_t part)
{
	const double w[] = {p->dram_w,	      p->logic_w, p->links_w, p->network_w, p->controllers_w,
			    p->registers_w + p->ssrf_w, p->cfma_w,  p->total_w};

	return w[part];
}

static double width_power(const struct reproduce_data *d, uint32_t bar, uint32_t group)
{
	const struct models *m = models(d);

	if (!m)
		return NAN;
	return part_w(&csp_space_representative(&m->space, 4u << bar)->power, group) /
	       csp_space_representative(&m->space, 4)->power.total_w;
}

/* ---- figure 3.9: power at 8 units by the shared file's size; figure 3.10: of the two steps ---- */

static const char *const sizes[] = {"2", "4", "8", "16", "32", "64"};

/* Of the shapes and technologies that of least power^2 * area: what the size changes is to be seen. */
static double entries_power(const struct reproduce_data *d, uint32_t bar, uint32_t group)
{
	enum { FUS = 8 };
	const struct models *m = models(d);
	const struct csp_point *best;
	double least_w = INFINITY;

	if (!m)
		return NAN;
	best = csp_space_representative(&m->space, FUS);
	for (uint32_t i = 0; i < m->space.count; i++) {
		const struct csp_point *p = &m->space.points[i];

		if (p->fu_count == FUS && p->technology == best->technology && p->shape == best->shape)
			least_w = fmin(least_w, p->power.total_w);
	}
	for (uint32_t i = 0; i < m->space.count; i++) {
		const struct csp_point *p = &m->space.points[i];

		if (p->fu_count == FUS && p->technology == best->technology && p->shape == best->shape &&
		    p->ssrf_entry_count == 2u << bar)
			return part_w(&p->power, group) / least_w;
	}
	return NAN;
}

static const char *const applications[] = {"correlation", "channelization", "both"};

static double step_power(const struct reproduce_data *d, uint32_t bar, uint32_t group)
{
	const struct models *m = models(d);
	const struct csp_power *of[] = {m ? &m->correlation[ALPHA] : NULL, m ? &m->channelization : NULL};
	double w = 0, total_w = 0;

	if (!m)
		return NAN;
	for (uint32_t i = 0; i < ARRAY_COUNT(of); i++)
		if (bar == i || bar == ARRAY_COUNT(of)) {
			w += part_w(of[i], group);
			total_w += of[i]->total_w;
		}
	return w / total_w;
}

static const struct reproduce_chart charts[] = {
    {"Figure 3.8: power by part, for 4 to 64 units per core, relative to 4", width_power, widths, ARRAY_COUNT(widths),
     parts, ARRAY_COUNT(parts), NULL},
    {"Figure 3.9: power by part, for 2 to 64 entries of the shared file and 8 units per core, relative to the least "
     "(the thesis: at 32)",
     entries_power, sizes, ARRAY_COUNT(sizes), parts, ARRAY_COUNT(parts), NULL},
    {"Figure 3.10: power by part, as shares: correlation, channelization, both", step_power, applications,
     ARRAY_COUNT(applications), parts, ARRAY_COUNT(parts), NULL},
};

/* ---- figure 3.7: the design space ---- */

static void published_point(struct reproduce_point *p, const char *name, uint32_t series, double gops_per_w, double w,
			    double area_mm2)
{
	*p = (struct reproduce_point){1 / gops_per_w, area_mm2 / (gops_per_w * w), series, true, ""};
	g_strlcpy(p->name, name, sizeof(p->name));
}

static uint32_t designs(const struct reproduce_data *d, struct reproduce_point *out)
{
	const struct models *m = models(d);
	uint32_t count = 0;

	if (!m)
		return 0;
	for (uint32_t i = 0; i < m->space.count; i++) {
		const struct csp_point *p = &m->space.points[i];
		struct reproduce_point *q = &out[count++];

		*q = (struct reproduce_point){1 / p->power.gops_per_w, 1 / p->power.gops_per_mm2,
					      (uint32_t)log2(p->fu_count / 4.0), false, ""};
		g_snprintf(q->name, sizeof(q->name), "%u units, %u entries, %s, %s%s", p->fu_count,
			   p->ssrf_entry_count, p->technology == CSP_SRAM ? "SRAM" : "eDRAM",
			   p->shape == CSP_NARROW ? "narrow" : "wide", p->is_pareto ? ", on the front" : "");
	}
	/* Table 3.2: efficiency, power and area. */
	published_point(&out[count++], "alpha", ARRAY_COUNT(widths) - 1, 257, 11.47, 14.54);
	published_point(&out[count++], "beta", ARRAY_COUNT(widths) - 1, 245, 12.04, 9.73);
	return count;
}

static const struct reproduce_scatter scatters[] = {
    {"Figure 3.7: the design space, by units per core", "W for each GFLOPS", "mm2 for each GFLOPS", true, widths,
     ARRAY_COUNT(widths), designs},
};

const struct reproduce_paper reproduce_csp = {
    .name = "csp",
    .title = "The CSP coprocessor (PhD thesis, chapter 3)",
    .rows = rows,
    .row_count = ARRAY_COUNT(rows),
    .claims = claims,
    .claim_count = ARRAY_COUNT(claims),
    .charts = charts,
    .chart_count = ARRAY_COUNT(charts),
    .scatters = scatters,
    .scatter_count = ARRAY_COUNT(scatters),
};
