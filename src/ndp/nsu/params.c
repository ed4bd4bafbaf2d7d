/* params.c - the table of what can be set. */
#include "ndp/nsu/params.h"

#include "base/check.h"

static const struct sim_param_desc param_rows[] = {
#define PARAM_STRUCT struct nsu_control_params
#include "sim/param_rows.inc"
#include "ndp/nsu/nsu_control_params.def"
#include "sim/param_end.inc"
};

static const struct sim_param_when param_whens[] = {
    {"*", "ndp.mechanism", "nsu"},
    {"nsu_ratio", "ndp.nsu_decision", "static"},
    {"nsu_climb_*", "ndp.nsu_decision", "climb"},
    {"nsu_benefit_*", "ndp.nsu_cache_aware", "true"},
    {0},
};

void nsu_control_params_groups(struct nsu_control_params *p, struct sim_param_groups *out)
{
	sim_param_groups_add(out, "ndp", param_rows, ARRAY_COUNT(param_rows), p);
	sim_param_groups_when(out, param_whens);
}
