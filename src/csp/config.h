/* config.h - the coprocessor's parameters: of its cores, of its memory and of its energy. */
#ifndef STRATA_CSP_CONFIG_H
#define STRATA_CSP_CONFIG_H

#include "mem/dram.h"
#include "sim/param.h"

#define CSP_TECHNOLOGIES(X) X(CSP_SRAM, sram) X(CSP_EDRAM, edram)
#define CSP_SHAPES(X) X(CSP_NARROW, narrow) X(CSP_WIDE, wide)
enum csp_technology { CSP_TECHNOLOGIES(SIM_PARAM_ENUMERATOR) };
#define CSP_MAPS(X) X(CSP_MAP_LINEAR, linear) X(CSP_MAP_SKEWED, skewed)
enum csp_map { CSP_MAPS(SIM_PARAM_ENUMERATOR) };
enum csp_shape { CSP_SHAPES(SIM_PARAM_ENUMERATOR) };

struct csp_params {
#include "sim/param_fields.inc"
#include "csp/csp_params.def"
#include "sim/param_end.inc"
};
struct csp_energy_params {
#include "sim/param_fields.inc"
#include "csp/energy_params.def"
#include "sim/param_end.inc"
};
extern const struct sim_param_desc csp_param_rows[], csp_energy_param_rows[];
extern const uint32_t csp_param_row_count, csp_energy_param_row_count;

struct csp_config {
	struct csp_params csp;
	struct dram_params dram;
	struct csp_energy_params energy;
};

/* The defaults of the tables: cores of point alpha, none of them, and a DRAM that is no cube's. */
void csp_config_defaults(struct csp_config *c);
/* Adds the groups csp, csp.dram (of a stack) and csp.energy, bound to the values in c. */
void csp_config_groups(struct csp_config *c, struct sim_param_groups *out);
/* All rules across parameters of a coprocessor that is there. False with messages. */
bool csp_config_check(const struct csp_config *c, struct base_diag_list *diag);

/* ---- what follows from parameters that have passed the check ---- */

/* Complex registers of a functional unit. */
uint32_t csp_register_count(const struct csp_params *p);
/* Vectors of the shared scalar register file, both halves. */
uint32_t csp_ssrf_line_count(const struct csp_params *p);
/* A line: one complex value of 8 bytes for each functional unit. */
uint32_t csp_line_bytes(const struct csp_params *p);
uint32_t csp_core_vault_count(const struct csp_params *p, uint32_t core);
/* Lines of a core's address space. */
uint64_t csp_core_line_count(const struct csp_params *p, uint32_t core);
/* Where a core's vaults begin. */
void csp_core_place(const struct csp_params *p, uint32_t vaults_per_stack, uint32_t core, uint32_t *stack,
		    uint32_t *vault);

#endif
