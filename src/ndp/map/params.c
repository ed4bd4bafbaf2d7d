/* params.c - the table of what can be set. */
#include "ndp/map/params.h"

#include "base/check.h"

static const struct sim_param_desc param_rows[] = {
#define PARAM_STRUCT struct map_params
#include "sim/param_rows.inc"
#include "ndp/map/map_params.def"
#include "sim/param_end.inc"
};

static const struct sim_param_when param_whens[] = {
    {"*", "ndp.mechanism", "tom|nsu"},
    {"tom_learn_*", "ndp.tom_mapping", "learned"},
    {"tom_relearn*", "ndp.tom_mapping", "learned"},
    {"tom_interrupt_ps", "ndp.tom_mapping", "learned"},
    {"tom_mapping_*", "ndp.tom_mapping", "learned"},
    {"tom_learn_code_*", "ndp.tom_learn_from", "code"},
    {"tom_relearn_*", "ndp.tom_relearn", "true"},
    {"hint_*", "ndp.hints", "homes"},
    {0},
};

void map_params_groups(struct map_params *p, struct sim_param_groups *out)
{
	sim_param_groups_add(out, "ndp", param_rows, ARRAY_COUNT(param_rows), p);
	sim_param_groups_when(out, param_whens);
}
