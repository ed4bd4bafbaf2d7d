/* block_models.c - TOM's candidates of a PTX file, with the paper's cost model, as functions of the file's name. */
#include "reproduce/block_models.h"

#include "ndp/blocks/candidates.h"
#include "ptx/ptx.h"

#include <glib.h>
#include <math.h>

static double once_words(const struct ndp_candidate *c)
{
	const struct ndp_bandwidth b =
	    ndp_bandwidth_change(&ndp_cost_default, c->reg_tx_words, c->reg_rx_words, c->loads, c->stores);

	return b.tx_words + b.rx_words;
}

/* NAN, and why, where the function has no such block. */
static double of_block(const struct ptx_func *f, const char *const *texts, double number,
		       double (*of)(const struct ndp_candidate *c), char **why)
{
	struct ptx_cfg *cfg = ptx_cfg_build(f);
	struct ndp_candidate_set *set = ndp_candidates_find(cfg, &ndp_cost_default);
	double x = NAN;

	if (number >= 0 && number < set->count)
		x = of(&set->items[(uint32_t)number]);
	else
		*why = g_strdup_printf("%s has %u blocks that pay, no number %g", texts[1], set->count, number);
	ndp_candidates_free(set);
	ptx_cfg_free(cfg);
	return x;
}

static double of_file(const char *dir, const char *const *texts, double number,
		      double (*of)(const struct ndp_candidate *c), char **why)
{
	g_autofree char *path = g_build_filename(dir, texts[0], NULL), *text = NULL;
	struct ptx_module *module = NULL;
	const struct ptx_func *f;
	struct base_diag_list diag;
	double x = NAN;
	gsize length;

	base_diag_init(&diag);
	if (g_file_get_contents(path, &text, &length, NULL))
		module = ptx_module_parse(path, text, length, &diag);
	f = module ? ptx_module_func(module, texts[1]) : NULL;
	if (f && f->has_body)
		x = of_block(f, texts, number, of, why);
	else if (module)
		*why = g_strdup_printf("%s has no function '%s'", texts[0], texts[1]);
	else
		*why = text ? base_diag_join(&diag) : g_strdup_printf("there is no file %s", path);
	if (module)
		ptx_module_free(module);
	base_diag_free(&diag);
	return x;
}

#define BLOCK(name, number)                                                                           \
	static double of_##name(const struct ndp_candidate *c)                                        \
	{                                                                                             \
		return number;                                                                        \
	}                                                                                             \
                                                                                                      \
	double block_##name(const char *dir, const char *const *texts, const double *x, char **why)   \
	{                                                                                             \
		return of_file(dir, texts, x[0], of_##name, why);                                     \
	}
BLOCK_NUMBERS(BLOCK)
