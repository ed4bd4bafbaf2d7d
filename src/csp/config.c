/* config.c - the coprocessor's groups of parameters, and their rules. */
#include "csp/config.h"

#include <string.h>

#include "base/bits.h"
#include "base/check.h"

enum { COMPLEX_BYTES = 8 };

const struct sim_param_desc csp_param_rows[] = {
#define PARAM_STRUCT struct csp_params
#include "sim/param_rows.inc"
#include "csp/csp_params.def"
#include "sim/param_end.inc"
};
const uint32_t csp_param_row_count = ARRAY_COUNT(csp_param_rows);

const struct sim_param_desc csp_energy_param_rows[] = {
#define PARAM_STRUCT struct csp_energy_params
#include "sim/param_rows.inc"
#include "csp/energy_params.def"
#include "sim/param_end.inc"
};
const uint32_t csp_energy_param_row_count = ARRAY_COUNT(csp_energy_param_rows);

void csp_config_groups(struct csp_config *c, struct sim_param_groups *out)
{
	sim_param_groups_add(out, "csp", csp_param_rows, csp_param_row_count, &c->csp);
	sim_param_groups_add(out, "csp.dram", dram_param_rows, dram_param_row_count, &c->dram);
	sim_param_groups_add(out, "csp.energy", csp_energy_param_rows, csp_energy_param_row_count, &c->energy);
}

void csp_config_defaults(struct csp_config *c)
{
	struct sim_param_groups groups = {.count = 0};

	memset(c, 0, sizeof(*c));
	csp_config_groups(c, &groups);
	for (uint32_t i = 0; i < groups.count; i++)
		sim_param_defaults(&groups.items[i]);
}

uint32_t csp_register_count(const struct csp_params *p)
{
	if (p->rf_register_count)
		return (uint32_t)p->rf_register_count;
	return (uint32_t)((2 * p->fu_count + p->thread_count) * p->ssrf_entry_count);
}

uint32_t csp_ssrf_line_count(const struct csp_params *p)
{
	return 2 * (uint32_t)p->ssrf_entry_count;
}

uint32_t csp_line_bytes(const struct csp_params *p)
{
	return COMPLEX_BYTES * (uint32_t)p->fu_count;
}

uint32_t csp_core_vault_count(const struct csp_params *p, uint32_t core)
{
	return (uint32_t)(core + 1 == p->core_count ? p->last_vault_count : p->core_vault_count);
}

uint64_t csp_core_line_count(const struct csp_params *p, uint32_t core)
{
	return csp_core_vault_count(p, core) * (p->vault_bytes / csp_line_bytes(p));
}

void csp_core_place(const struct csp_params *p, uint32_t vaults_per_stack, uint32_t core, uint32_t *stack,
		    uint32_t *vault)
{
	uint32_t at = 0, in = 0;

	for (uint32_t i = 0; i < core; i++) {
		in += csp_core_vault_count(p, i);
		if (in + csp_core_vault_count(p, i + 1) > vaults_per_stack) {
			at++;
			in = 0;
		}
	}
	*stack = at;
	*vault = in;
}

/* Every core lies in one stack, one after the other. */
static void check_places(const struct csp_params *p, const struct dram_params *dram, struct base_diag_list *diag)
{
	uint32_t stack, vault;
	const uint32_t last = (uint32_t)p->core_count - 1;

	if (p->core_vault_count > dram->vault_count || p->last_vault_count > dram->vault_count) {
		base_diag_error(diag, (struct base_place){0},
				"csp.core_vault_count and csp.last_vault_count: more than the %llu vaults of a stack",
				(unsigned long long)dram->vault_count);
		return;
	}
	csp_core_place(p, (uint32_t)dram->vault_count, last, &stack, &vault);
	if (stack >= p->stack_count)
		base_diag_error(diag, (struct base_place){0},
				"csp.core_count = %llu: their vaults do not fit into csp.stack_count = %llu stacks of "
				"%llu vaults",
				(unsigned long long)p->core_count, (unsigned long long)p->stack_count,
				(unsigned long long)dram->vault_count);
}

bool csp_config_check(const struct csp_config *c, struct base_diag_list *diag)
{
	const struct csp_params *p = &c->csp;
	const uint32_t before = diag->error_count;
	const struct base_place at = {0};

	if (!base_is_power_of_two(p->fu_count))
		base_diag_error(diag, at, "csp.fu_count = %llu: must be a power of two",
				(unsigned long long)p->fu_count);
	if (!base_is_power_of_two(p->block_bytes))
		base_diag_error(diag, at, "csp.block_bytes = %llu: must be a power of two",
				(unsigned long long)p->block_bytes);
	if (p->block_bytes > c->dram.row_bytes)
		base_diag_error(diag, at, "csp.block_bytes = %llu: more than a row of csp.dram.row_bytes = %llu",
				(unsigned long long)p->block_bytes, (unsigned long long)c->dram.row_bytes);
	if (!base_is_power_of_two(p->vault_bytes) ||
	    p->vault_bytes < c->dram.row_bytes * c->dram.bank_count * c->dram.rank_count)
		base_diag_error(diag, at,
				"csp.vault_bytes = %llu: must be a power of two of at least a row in each bank",
				(unsigned long long)p->vault_bytes);
	if (dram_params_check(&c->dram, diag) && diag->error_count == before)
		check_places(p, &c->dram, diag);
	return diag->error_count == before;
}
