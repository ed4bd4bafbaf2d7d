/* power.h - power and area of an accelerator that correlates in real time, in closed form: section 3.4 of the thesis.
 *
 * The same parameters are charged for the events of a run (csp_energy_table). Throughput is what the links carry,
 * packets whole; the thesis' energies for a bit in DRAM, logic layer and link are charged for all of it.
 */
#ifndef STRATA_CSP_POWER_H
#define STRATA_CSP_POWER_H

#include "csp/config.h"
#include "energy/events.h"

/* What events and parts cost, of the sizes that a machine has. */
struct csp_costs {
	double cfma_pj, rf_pj, ssrf_pj, noc_pj, dram_pj, logic_pj, link_pj;
	double leakage_mw, controller_mw;	   /* of a core */
	double logic_rest_mw, background_mw, transceiver_mw; /* of all stacks; of a transceiver */
	double cfma_mm2, rf_mm2, controller_mm2, link_mm2, transceiver_mm2; /* rf: of a core */
};
struct csp_costs csp_costs_of(const struct csp_config *c);

/* What the rows of csp_energy_table are scaled by. */
struct csp_energy_counts {
	double sram_access, edram_access;    /* of registers, over one of rf_reference_bytes; of the other kind 0 */
	double leaking_pj_per_ps, on_pj_per_ps; /* of a core, for each mW: of a KiB of registers; of itself */
	double background_mw;		     /* of all stacks, for each percent */
	uint32_t one;
};
struct csp_energy_counts csp_energy_counts(const struct csp_config *c);
extern const struct energy_table csp_energy_table; /* parameters: struct csp_energy_params */

/* What is to be done in real time: of one sub-band, both polarisations. */
struct csp_application {
	double signals;		  /* stations * polarisations */
	double samples_per_s;	  /* of one signal */
	double channels, taps, dump_samples;
};
/* Table 3.1. */
struct csp_application csp_application_default(void);

/* Everything in W, mm2, bytes per second. */
struct csp_power {
	double cfma_w, registers_w, ssrf_w, controllers_w, network_w, links_w, logic_w, dram_w, total_w, memory_share;
	double from_memory_bytes_per_s, to_memory_bytes_per_s; /* over the links, packets whole */
	double reads_bytes_per_s;			       /* data by equations (3.1) and (3.2) */
	double cfmas_per_s, ops_per_s;
	double fus, utilisation; /* functional units that are needed; of those that are there */
	uint32_t cores, links, stacks, chips;
	double area_mm2, gops_per_w, gops_per_mm2;
};

/* Lines that a channel's sample makes a core read, by equations (3.1) and (3.2) as they are printed. */
double csp_ssrf_reads(double signals, uint32_t fu_count);
double csp_rf_reads(double signals, uint32_t fu_count, uint32_t ssrf_entry_count);

/* Correlation only, on as many cores as it needs. A stack has four links (section 3.4.1); where the traffic needs more,
 * there are more stacks and more chips, each with as many stacks as csp.stack_count and transceivers of its own. */
void csp_power_correlation(const struct csp_config *c, const struct csp_application *a, struct csp_power *out);
/* Channelization on one core more: what it adds. */
void csp_power_channelization(const struct csp_config *c, const struct csp_application *a, struct csp_power *out);
/* Transceivers for what enters and leaves the chip. */
/* So many cores and links, mm2 at 14 nm. */
double csp_power_area_mm2(const struct csp_config *c, uint32_t cores, uint32_t links);
double csp_power_io_w(const struct csp_config *c, const struct csp_application *a, uint32_t *transceivers);

/* The machine so many process nodes after 14 nm (before: negative), by the factors of section 3.4.1. */
void csp_scale(struct csp_config *c, int32_t nodes);

#endif
