/* params.c - the table of what can be set. */
#include "ndp/bom/params.h"

#include "base/check.h"

static const struct sim_param_desc param_rows[] = {
#define PARAM_STRUCT struct bom_params
#include "sim/param_rows.inc"
#include "ndp/bom/bom_params.def"
#include "sim/param_end.inc"
};

static const struct sim_param_when param_whens[] = {
    {"*", "ndp.mechanism", "bom"},
    {"bom_climb_cycles", "ndp.bom_pace", "climb"},
    {0},
};

void bom_params_groups(struct bom_params *p, struct sim_param_groups *out)
{
	sim_param_groups_add(out, "ndp", param_rows, ARRAY_COUNT(param_rows), p);
	sim_param_groups_when(out, param_whens);
}
