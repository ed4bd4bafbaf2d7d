/* params.c - the table of what can be set. */
#include "ndp/tom/params.h"

#include "base/check.h"

static const struct sim_param_desc param_rows[] = {
#define PARAM_STRUCT struct tom_params
#include "sim/param_rows.inc"
#include "ndp/tom/tom_params.def"
#include "sim/param_end.inc"
};

void tom_params_groups(struct tom_params *p, struct sim_param_groups *out)
{
	sim_param_groups_add(out, "ndp", param_rows, ARRAY_COUNT(param_rows), p);
}
