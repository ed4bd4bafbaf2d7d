/* follow.c - settings of runs whose values are numbers of other runs. */
#include "experiment/expression.h"
#include "experiment/priv.h"

#include <math.h>

/* What a run is asked for while it is seen whether it follows itself. */
struct asking {
	const struct experiment *runs;
	bool is_of_following;
};

static double ask(void *ctx, uint32_t run, const char *path, struct base_place at, bool is_needed)
{
	struct asking *a = ctx;

	(void)path, (void)at, (void)is_needed;
	a->is_of_following |= ((const struct experiment_run *)a->runs->runs->pdata[run])->follows != NULL;
	return 1;
}

static void follow_read(struct experiment_names *names, struct experiment_follow *follow, struct base_diag_list *diag)
{
	struct asking asking = {.runs = names->runs};

	follow->is = experiment_expression_of(names, follow->text, follow->at, diag);
	if (!follow->is || !experiment_check(names, follow->is, 0, diag))
		return;
	experiment_number(names, follow->is, 0, ask, &asking);
	if (asking.is_of_following)
		base_diag_error(diag, follow->at, "'%s' is of a run that has `set_from:` itself", follow->text);
}

void experiment_follow_read(struct experiment_names *names, struct base_diag_list *diag)
{
	const GPtrArray *runs = names->runs->runs;

	for (uint32_t i = 0; i < runs->len; i++) {
		const struct experiment_run *run = runs->pdata[i];

		for (uint32_t k = 0; run->follows && k < run->follows->len; k++)
			follow_read(names, run->follows->pdata[k], diag);
	}
}

char *experiment_follow_sets(const struct experiment_names *names, const struct experiment_run *run,
			     experiment_field *field, void *ctx)
{
	g_autoptr(GString) sets = g_string_new(NULL);

	for (uint32_t i = 0; run->follows && i < run->follows->len; i++) {
		const struct experiment_follow *follow = run->follows->pdata[i];
		const double x = experiment_number(names, follow->is, 0, field, ctx);

		if (isnan(x))
			return NULL;
		g_string_append_printf(sets, "%s%s=%.17g", i ? " " : "", follow->parameter, x);
	}
	return g_strdup(sets->str);
}
