/* models.c - models of the mechanisms as functions of numbers. */
#include "reproduce/models.h"

#include "ndp/nsu/target_study.h"
#include "reproduce/block_models.h"
#include "reproduce/csp_models.h"
#include "reproduce/dc_models.h"
#include "reproduce/ska_models.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* Figure 5 of NSU (SC'17): accesses that leave the target, of a block of x[0] accesses to x[1] stacks. */
static double nsu_first(const double *x)
{
	return x[0] >= 1 && x[1] >= 1 ? nsu_target_first((uint32_t)x[0], (uint32_t)x[1]) : NAN;
}

/* What takes long, and is asked for again and again, is kept: of the stacks that were asked for last. */
static double nsu_best(const double *x)
{
	static double known[NSU_TARGET_ACCESS_MAX + 1], stacks;
	const uint32_t count = x[0] >= 1 && x[0] <= NSU_TARGET_ACCESS_MAX ? (uint32_t)x[0] : 0;

	if (!count || x[1] < 1)
		return NAN;
	if (stacks != x[1])
		memset(known, 0, sizeof(known));
	stacks = x[1];
	if (known[count] == 0)
		known[count] = nsu_target_best(count, (uint32_t)x[1]);
	return known[count];
}

#define CSP_POWER_ROWS(name, number)                                       \
	{"csp_correlation_" #name, 4, csp_correlation_##name, 0, NULL},    \
	{"csp_channelization_" #name, 4, csp_channelization_##name, 0, NULL}, \
	{"csp_design_" #name, 1, csp_design_##name, 0, NULL},
#define CSP_DESIGN_ROW(name, field) {"csp_design_" #name, 1, csp_design_##name, 0, NULL},

#define BLOCK_ROW(name, number) {"block_" #name, 1, NULL, 2, block_##name},

const struct experiment_model reproduce_models_table[] = {
    BLOCK_NUMBERS(BLOCK_ROW)
    CSP_POWERS(CSP_POWER_ROWS)
    CSP_DESIGNS(CSP_DESIGN_ROW)
    {"csp_design_representative", 1, csp_design_representative, 0, NULL},
    {"csp_node_io_w", 4, csp_node_io_w, 0, NULL},
    {"csp_node_transceivers", 4, csp_node_transceivers, 0, NULL},
    {"dc_blocks", 3, dc_model_blocks, 0, NULL},
    {"dc_cycles", 3, NULL, 1, dc_model_cycles},
    {"dc_die_mm2", 0, NULL, 1, dc_model_die_mm2},
    {"dc_die_w", 0, NULL, 1, dc_model_die_w},
    {"dc_lanes", 4, dc_model_lanes, 0, NULL},
    {"dc_part_mm2", 5, NULL, 1, dc_model_part_mm2},
    {"dc_part_w", 0, NULL, 1, dc_model_part_w},
    {"dc_resources", 6, dc_model_resources, 0, NULL},
    {"dc_socket_alus", 2, dc_model_socket_alus, 0, NULL},
    {"dc_socket_arrays", 2, dc_model_socket_arrays, 0, NULL},
    {"nsu_target_first", 2, nsu_first, 0, NULL},
    {"nsu_target_best", 2, nsu_best, 0, NULL},
    {"ska_innovation", 0, NULL, 3, ska_innovation},
    {"ska_rate", 0, NULL, 2, ska_rate},
    {"ska_step_ops", 0, NULL, 2, ska_step_ops},
    {NULL, 0, NULL, 0, NULL},
};

const struct reproduce_points_model reproduce_points_table[] = {
    {"csp_design_points", csp_design_points},
    {"ska_points", ska_points},
    {NULL, NULL},
};
