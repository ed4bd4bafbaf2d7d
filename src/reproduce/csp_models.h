/* csp_models.h - the coprocessor's closed forms for expressions (models.h), and its designs as points. */
#ifndef STRATA_REPRODUCE_CSP_MODELS_H
#define STRATA_REPRODUCE_CSP_MODELS_H

#include <stdint.h>

#include "reproduce/paper.h"

/* What is said of a power, csp_correlation_NAME, csp_channelization_NAME, csp_design_NAME: X(name, number of p). */
#define CSP_POWERS(X)                                  \
	X(total_w, p.total_w)                          \
	X(dram_w, p.dram_w)                            \
	X(logic_w, p.logic_w)                          \
	X(links_w, p.links_w)                          \
	X(network_w, p.network_w)                      \
	X(controllers_w, p.controllers_w)              \
	X(files_w, p.registers_w + p.ssrf_w)           \
	X(units_w, p.cfma_w)                           \
	X(area_mm2, p.area_mm2)                        \
	X(gops_per_w, p.gops_per_w)                    \
	X(ops_per_s, p.ops_per_s)                      \
	X(units, p.fus)                                \
	X(cores, p.cores)                              \
	X(utilisation, p.utilisation)                  \
	X(memory_share, p.memory_share)

/* What a design is, csp_design_NAME: X(name, field). */
#define CSP_DESIGNS(X)                   \
	X(width, fu_count)               \
	X(entries, ssrf_entry_count)     \
	X(technology, technology)        \
	X(shape, shape)

#define CSP_POWER_DECLARE(name, number)                   \
	double csp_correlation_##name(const double *x);   \
	double csp_channelization_##name(const double *x); \
	double csp_design_##name(const double *x);
#define CSP_DESIGN_DECLARE(name, field) double csp_design_##name(const double *x);
CSP_POWERS(CSP_POWER_DECLARE)
CSP_DESIGNS(CSP_DESIGN_DECLARE)
#undef CSP_POWER_DECLARE
#undef CSP_DESIGN_DECLARE

/* The design of this width whose power^2 * area is least. */
double csp_design_representative(const double *x);
/* What the chip's input and output take, and how many transceivers these are. */
double csp_node_io_w(const double *x);
double csp_node_transceivers(const double *x);

/* Figure 3.7: all designs, and those of table 3.2. */
uint32_t csp_design_points(const struct reproduce_data *d, struct reproduce_point *out);

#endif
