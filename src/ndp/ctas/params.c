/* params.c - the table of what can be set. */
#include "ndp/ctas/params.h"

#include "base/check.h"

static const struct sim_param_desc param_rows[] = {
#define PARAM_STRUCT struct ctas_params
#include "sim/param_rows.inc"
#include "ndp/ctas/ctas_params.def"
#include "sim/param_end.inc"
};

void ctas_params_groups(struct ctas_params *p, struct sim_param_groups *out)
{
	sim_param_groups_add(out, "ndp", param_rows, ARRAY_COUNT(param_rows), p);
}
