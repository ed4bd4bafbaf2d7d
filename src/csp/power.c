/* power.c - costs, and the sums of section 3.4. */
#include "csp/power.h"

#include <math.h>

#include "base/check.h"

#define UNIT_EACH ENERGY_EACH, 0
#define UNIT_BITS ENERGY_BITS, 0
#define UNIT_SRAM_ACCESSES ENERGY_SCALED, offsetof(struct csp_energy_counts, sram_access)
#define UNIT_EDRAM_ACCESSES ENERGY_SCALED, offsetof(struct csp_energy_counts, edram_access)
#define UNIT_LEAKING ENERGY_SCALED, offsetof(struct csp_energy_counts, leaking_pj_per_ps)
#define UNIT_ON ENERGY_SCALED, offsetof(struct csp_energy_counts, on_pj_per_ps)
#define ENERGY_PARAMS struct csp_energy_params
#define ENERGY_TABLE csp_energy_table
#define ENERGY_ROWS "csp/energy_rows.def"
#define ENERGY_COUNTS struct csp_energy_counts
#include "energy/table.inc"

enum { COMPLEX_BYTES = 8, OPS_PER_CFMA = 8, TRANSCEIVER_GBITS = 15, STACK_LINKS = 4, CHIP_TRANSCEIVERS = 4 };
static const double kibi = 1024, giga = 1e9, pico = 1e-12, milli = 1e-3;

/* Registers of a functional unit. */
static double register_bytes(const struct csp_config *c)
{
	return (double)csp_register_count(&c->csp) * COMPLEX_BYTES;
}

static double core_kib(const struct csp_config *c)
{
	return register_bytes(c) * (double)c->csp.fu_count / kibi;
}

struct csp_energy_counts csp_energy_counts(const struct csp_config *c)
{
	const struct csp_energy_params *p = &c->energy;
	const bool is_edram = c->csp.rf_technology == CSP_EDRAM;
	const double shape = c->csp.rf_shape == CSP_WIDE ? p->wide_ratio : 1;
	const double access = shape * sqrt(register_bytes(c) / p->rf_reference_bytes);
	const double stacks_bytes_per_s = p->stack_gbytes_per_s * giga * (double)c->csp.stack_count;

	return (struct csp_energy_counts){
	    .sram_access = is_edram ? 0 : access,
	    .edram_access = is_edram ? access : 0,
	    .leaking_pj_per_ps = core_kib(c) * milli,
	    .on_pj_per_ps = milli,
	    .background_mw = p->dram_pj * pico * 8 * stacks_bytes_per_s / 100 / milli,
	    .one = 1,
	};
}

struct csp_costs csp_costs_of(const struct csp_config *c)
{
	const struct csp_energy_params *p = &c->energy;
	const struct csp_energy_counts counts = csp_energy_counts(c);
	const bool is_edram = c->csp.rf_technology == CSP_EDRAM;

	return (struct csp_costs){
	    .cfma_pj = p->cfma_pj,
	    .rf_pj = p->sram_pj * counts.sram_access + p->edram_pj * counts.edram_access,
	    .ssrf_pj = p->ssrf_pj,
	    .noc_pj = p->noc_pj,
	    .dram_pj = p->dram_pj,
	    .logic_pj = p->logic_pj,
	    .link_pj = p->link_pj,
	    .leakage_mw = p->sram_leakage_mw * core_kib(c),
	    .controller_mw = p->controller_mw,
	    .logic_rest_mw = p->logic_rest_mw,
	    .background_mw = p->background_percent * counts.background_mw,
	    .transceiver_mw = p->transceiver_mw,
	    .cfma_mm2 = p->cfma_mm2,
	    .rf_mm2 = (is_edram ? p->edram_mm2 : p->sram_mm2) * core_kib(c),
	    .controller_mm2 = p->controller_mm2,
	    .link_mm2 = p->link_mm2,
	    .transceiver_mm2 = p->transceiver_mm2,
	};
}

struct csp_application csp_application_default(void)
{
	return (struct csp_application){
	    .signals = 1024, .samples_per_s = 703125, .channels = 512, .taps = 8, .dump_samples = 1200};
}

double csp_ssrf_reads(double signals, uint32_t fu_count)
{
	return signals / (2.0 * fu_count) * (signals / fu_count + 1);
}

double csp_rf_reads(double signals, uint32_t fu_count, uint32_t ssrf_entry_count)
{
	return csp_ssrf_reads(signals, fu_count) / ssrf_entry_count;
}

/* Data in packets of at most a block: headers of requests one way, of answers the other. */
struct traffic {
	double from_bytes_per_s, to_bytes_per_s;
};

static struct traffic packets(const struct csp_params *p, double read_bytes_per_s, double written_bytes_per_s)
{
	const double block = fmin((double)p->block_bytes, (double)csp_line_bytes(p));
	const double head = (double)p->packet_bytes / block;

	return (struct traffic){
	    .from_bytes_per_s =
		read_bytes_per_s * (1 + head) + (p->posted_writes ? 0 : written_bytes_per_s * head),
	    .to_bytes_per_s = read_bytes_per_s * head + written_bytes_per_s * (1 + head),
	};
}

static double watts(double events_per_s, double pj)
{
	return events_per_s * pj * pico;
}

/* What the registers are asked: two operands and a result of every multiply-add. */
enum { RF_ACCESSES = 3 };

static void sums(const struct csp_costs *k, const struct csp_params *p, struct csp_power *o)
{
	const double bits = 8 * (o->from_memory_bytes_per_s + o->to_memory_bytes_per_s);
	double memory_w;

	o->cfma_w = watts(o->cfmas_per_s, k->cfma_pj);
	o->registers_w = watts(o->cfmas_per_s * RF_ACCESSES, k->rf_pj) + o->cores * k->leakage_mw * milli;
	o->ssrf_w = watts(o->cfmas_per_s / (double)p->fu_count, k->ssrf_pj);
	o->controllers_w = o->cores * k->controller_mw * milli;
	o->network_w = watts(bits, k->noc_pj);
	o->links_w = watts(bits, k->link_pj);
	o->logic_w += watts(bits, k->logic_pj);
	o->dram_w += watts(bits, k->dram_pj);
	memory_w = o->links_w + o->logic_w + o->dram_w;
	o->total_w = memory_w + o->cfma_w + o->registers_w + o->ssrf_w + o->controllers_w + o->network_w;
	o->memory_share = memory_w / o->total_w;
	o->gops_per_w = o->ops_per_s / giga / o->total_w;
}

void csp_power_correlation(const struct csp_config *c, const struct csp_application *a, struct csp_power *out)
{
	const struct csp_params *p = &c->csp;
	const struct csp_costs k = csp_costs_of(c);
	const uint32_t m = (uint32_t)p->fu_count, entries = (uint32_t)p->ssrf_entry_count;
	const double lines = csp_ssrf_reads(a->signals, m) + csp_rf_reads(a->signals, m, entries);
	const double line_bytes = csp_line_bytes(p), clock = (double)p->clock_khz * 1e3;
	const uint32_t chip_links = STACK_LINKS * (uint32_t)p->stack_count;
	struct csp_power o = {0};
	double extra_w;
	const double in = a->samples_per_s * a->signals * COMPLEX_BYTES;
	const double visibilities = a->samples_per_s / a->dump_samples * a->signals * a->signals / 2 * COMPLEX_BYTES;
	const double link = (double)p->link_mbytes_per_s * 1e6;
	struct traffic t;

	o.cfmas_per_s = a->samples_per_s * a->signals * a->signals / 2;
	o.ops_per_s = OPS_PER_CFMA * o.cfmas_per_s;
	o.fus = o.cfmas_per_s / clock;
	o.cores = (uint32_t)ceil(o.fus / m);
	o.utilisation = o.fus / (o.cores * (double)m);
	o.reads_bytes_per_s = lines * line_bytes * a->samples_per_s;
	t = packets(p, o.reads_bytes_per_s, in + visibilities);
	o.from_memory_bytes_per_s = t.from_bytes_per_s;
	o.to_memory_bytes_per_s = t.to_bytes_per_s;
	/* As many links as the busier direction needs, at least one for each stack. */
	o.links = (uint32_t)fmax((double)p->stack_count, ceil(fmax(t.from_bytes_per_s, t.to_bytes_per_s) / link));
	o.chips = (o.links + chip_links - 1) / chip_links;
	o.stacks = o.chips * (uint32_t)p->stack_count;
	o.logic_w = o.chips * k.logic_rest_mw * milli;
	o.dram_w = o.chips * k.background_mw * milli;
	extra_w = (o.chips - 1) * CHIP_TRANSCEIVERS * k.transceiver_mw * milli;
	sums(&k, p, &o);
	o.total_w += extra_w;
	o.gops_per_w = o.ops_per_s / giga / o.total_w;
	o.area_mm2 = o.cores * (m * k.cfma_mm2 + k.rf_mm2 + k.controller_mm2) + o.links * k.link_mm2 +
		     (o.chips - 1) * CHIP_TRANSCEIVERS * k.transceiver_mm2;
	o.gops_per_mm2 = o.ops_per_s / giga / o.area_mm2;
	*out = o;
}

/* Section 3.4.2: samples are written as they come, filtered, and transformed; each time they are read, the last time to
 * be copied, which the correlation counts. Two multiply-adds for a butterfly. */
void csp_power_channelization(const struct csp_config *c, const struct csp_application *a, struct csp_power *out)
{
	const struct csp_params *p = &c->csp;
	const struct csp_costs k = csp_costs_of(c);
	const double samples = a->samples_per_s * a->signals, bytes = samples * COMPLEX_BYTES;
	const double stages = log2(a->channels);
	struct csp_power o = {.cores = 1};
	const struct traffic t = packets(p, 3 * bytes, 3 * bytes);

	o.cfmas_per_s = samples * (a->taps + stages);
	o.ops_per_s = samples * (4 * a->taps - 2 + 5 * stages);
	o.fus = o.cfmas_per_s / ((double)p->clock_khz * 1e3);
	o.utilisation = o.fus / (double)p->fu_count;
	o.reads_bytes_per_s = 3 * bytes;
	o.from_memory_bytes_per_s = t.from_bytes_per_s;
	o.to_memory_bytes_per_s = t.to_bytes_per_s;
	sums(&k, p, &o);
	o.area_mm2 = (double)p->fu_count * k.cfma_mm2 + k.rf_mm2 + k.controller_mm2;
	*out = o;
}

static double core_mm2(const struct csp_costs *k, const struct csp_params *p)
{
	return (double)p->fu_count * k->cfma_mm2 + k->rf_mm2 + k->controller_mm2;
}

double csp_power_area_mm2(const struct csp_config *c, uint32_t cores, uint32_t links)
{
	const struct csp_costs k = csp_costs_of(c);

	return cores * core_mm2(&k, &c->csp) + links * k.link_mm2;
}

double csp_power_io_w(const struct csp_config *c, const struct csp_application *a, uint32_t *transceivers)
{
	const double in = a->samples_per_s * a->signals * COMPLEX_BYTES;
	const double out = a->samples_per_s / a->dump_samples * a->signals * a->signals / 2 * COMPLEX_BYTES;

	/* A transceiver sends and receives. */
	*transceivers = (uint32_t)ceil(fmax(in, out) * 8 / (TRANSCEIVER_GBITS * giga));
	return *transceivers * c->energy.transceiver_mw * milli;
}

/* Per node of logic 0.53 in area and 0.8 in power; of SRAM 0.34 and 0.56 over the two nodes from 32 to 14 nm; 1.3 in
 * frequency. Memory and its links stay. */
void csp_scale(struct csp_config *c, int32_t nodes)
{
	struct csp_energy_params *p = &c->energy;
	const double logic_area = pow(0.53, nodes), logic_power = pow(0.8, nodes), faster = pow(1.3, nodes);
	const double sram_area = pow(sqrt(0.34), nodes), sram_power = pow(sqrt(0.56), nodes);
	/* Power at the new frequency is what scales: energy for an event by the frequency less. */
	double *const logic_pj[] = {&p->cfma_pj, &p->ssrf_pj, &p->noc_pj};
	double *const sram_pj[] = {&p->sram_pj, &p->edram_pj};

	for (uint32_t i = 0; i < ARRAY_COUNT(logic_pj); i++)
		*logic_pj[i] *= logic_power / faster;
	for (uint32_t i = 0; i < ARRAY_COUNT(sram_pj); i++)
		*sram_pj[i] *= sram_power / faster;
	p->controller_mw *= logic_power;
	p->sram_leakage_mw *= sram_power;
	p->transceiver_mw *= logic_power;
	p->cfma_mm2 *= logic_area;
	p->controller_mm2 *= logic_area;
	p->transceiver_mm2 *= logic_area;
	p->link_mm2 *= logic_area;
	p->sram_mm2 *= sram_area;
	p->edram_mm2 *= sram_area;
	c->csp.clock_khz = (uint64_t)llround((double)c->csp.clock_khz * faster);
}
