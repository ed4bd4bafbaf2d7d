/* params.h - the parameters of a Duality Cache. */
#ifndef STRATA_DC_SYSTEM_PARAMS_H
#define STRATA_DC_SYSTEM_PARAMS_H

#include "dc/exec/exec.h"
#include "mem/memory.h"
#include "sim/explain.h"
#include "sim/param.h"

#define DC_PLACEMENTS(X) X(DC_PLACED, auto) X(DC_PACK, pack) X(DC_SPREAD, spread)
#define DC_FEEDS(X) X(DC_BROADCAST, broadcast) X(DC_PER_BLOCK, per_cb)
#define DC_CHOICES(X) X(DC_FIXED, fixed) X(DC_ANALYSED, analysed)
#define DC_HOST_KERNELS(X) X(DC_HOST_NONE, none) X(DC_HOST_REFUSED, refused) X(DC_HOST_SMALL, small) \
	X(DC_HOST_ALL, all)
#define DC_HOST_FORMS(X) X(DC_FORM_ANALYSED, analysed) X(DC_FORM_VECTOR, vector) X(DC_FORM_SCALAR, scalar)
#define DC_PAGES(X) X(DC_IN_TURN, in_turn) X(DC_FIRST_TOUCH, first_touch)
#define DC_COPIES(X) X(DC_COPY_NONE, none) X(DC_COPY_DRAM, dram)
#define DC_ROUNDINGS(X) X(DC_NEAREST, nearest) X(DC_TRUNCATE, truncate)
#define DC_COMPILERS(X) X(DC_COMPILER_FULL, full) X(DC_COMPILER_PLAIN, plain)
#define DC_UNDERFLOWS(X) X(DC_GRADUAL, gradual) X(DC_FLUSH, flush)
#define DC_FMAS(X) X(DC_FMA_FUSED, fused) X(DC_FMA_SEPARATE, separate)
#define DC_APPROX_ROOTS(X) X(DC_ROOTS_DIGITS, digits) X(DC_ROOTS_TABLE, table_1)
enum dc_fma { DC_FMAS(SIM_PARAM_ENUMERATOR) };
enum dc_roots { DC_APPROX_ROOTS(SIM_PARAM_ENUMERATOR) };
enum dc_placement { DC_PLACEMENTS(SIM_PARAM_ENUMERATOR) };
enum dc_feed { DC_FEEDS(SIM_PARAM_ENUMERATOR) };
enum dc_choice_rule { DC_CHOICES(SIM_PARAM_ENUMERATOR) };
enum dc_host_form { DC_HOST_FORMS(SIM_PARAM_ENUMERATOR) };
enum dc_host_kernels { DC_HOST_KERNELS(SIM_PARAM_ENUMERATOR) };
enum dc_pages { DC_PAGES(SIM_PARAM_ENUMERATOR) };
enum dc_copy { DC_COPIES(SIM_PARAM_ENUMERATOR) };
enum dc_rounding { DC_ROUNDINGS(SIM_PARAM_ENUMERATOR) };
enum dc_underflow { DC_UNDERFLOWS(SIM_PARAM_ENUMERATOR) };
#define DC_ADDRESSES(X) X(DC_ADDRESS_FLAT, flat) X(DC_ADDRESS_BASE_OFFSET, base_offset)
enum dc_address { DC_ADDRESSES(SIM_PARAM_ENUMERATOR) };
enum dc_compiler { DC_COMPILERS(SIM_PARAM_ENUMERATOR) };

struct dc_params {
#include "sim/param_fields.inc"
#include "dc/system/dc_params.def"
#include "sim/param_end.inc"
};
extern const struct sim_param_desc dc_param_rows[];
extern const uint32_t dc_param_row_count;

struct dc_stats {
#include "sim/stat_fields.inc"
#include "dc/system/dc_stats.def"
#include "sim/stat_end.inc"
};
extern const struct sim_stat_table dc_stat_table;
extern const struct sim_explain dc_explain;

/* Rules across the parameters, and those with its memory. */
bool dc_params_check(const struct dc_params *p, const struct memory_params *m, struct base_diag_list *diag);
/* Control blocks of all sockets, the ways that stay cache included. */
uint32_t dc_block_count(const struct dc_params *p);
struct dc_exec_params dc_exec_of(const struct dc_params *p);

#endif
