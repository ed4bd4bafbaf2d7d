/* registry.c - makes the mechanism that the configuration names. */
#include "ndp/registry.h"

#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "ndp/mechanism.h"

static const struct sim_param_desc param_rows[] = {
#define PARAM_STRUCT struct ndp_params
#include "sim/param_rows.inc"
#include "ndp/ndp_params.def"
#include "sim/param_end.inc"
};

#define ONE(choice, name) +1
enum { LISTED_COUNT = 0 NDP_MECHANISMS(ONE) };

/* By value of ndp.mechanism: those of mechanisms.def, then those that a program has added. */
static const struct ndp_mechanism *mechanisms[NDP_MECHANISMS_MAX] = {
#define MECHANISM(choice, symbol) [choice] = &ndp_##symbol,
#include "ndp/mechanisms.def"
#undef MECHANISM
};
static uint32_t mechanism_count = LISTED_COUNT;

static const char *const names[] = {
#define NAME(choice, name) #name,
	NDP_MECHANISMS(NAME)
#undef NAME
};

/* ---- what a mechanism reads ---- */

static bool is_read(uint32_t mechanism, uint32_t setting)
{
	return mechanisms[mechanism] && mechanisms[mechanism]->reads >> setting & 1;
}

enum { READERS_BYTES = 128 };

/* "tom|nsu": who reads it. */
static void readers(uint32_t setting, char text[READERS_BYTES])
{
	*text = '\0';
	for (uint32_t i = 0; i < mechanism_count; i++) {
		const size_t at = strlen(text);

		if (is_read(i, setting))
			snprintf(text + at, READERS_BYTES - at, "%s%s", at ? "|" : "", ndp_mechanism_name(i));
	}
}

/* Of the tables that are nobody's own: what some mechanisms have in common. A mechanism that a program has added may
 * be among them. */
static const struct sim_param_when *common_whens(void)
{
	static char who[NDP_COMMON_COUNT][READERS_BYTES];
	static const struct sim_param_when whens[] = {
#define WHEN(name, names) {names, "ndp.mechanism", who[NDP_COMMON_##name]},
	    NDP_COMMON(WHEN)
#undef WHEN
	    {"destination_access_count", "ndp.destination", "most|unshared"},
	    {"destination_line_count", "ndp.destination", "unshared"},
	    {"timed_first_count", "ndp.timed", "true"},
	    {"away_*", "ndp.away", "auto"},
	    {"cta_*", "ndp.ctas", "!none"},
	    {0},
	};

	for (uint32_t i = 0; i < NDP_COMMON_COUNT; i++)
		readers(i, who[i]);
	return whens;
}

/* Parameters of a mechanism's own. */
static const struct sim_param_when *own_whens(uint32_t mechanism)
{
	static struct sim_param_when whens[NDP_MECHANISMS_MAX][2];

	whens[mechanism][0] = (struct sim_param_when){"*", "ndp.mechanism", ndp_mechanism_name(mechanism)};
	return whens[mechanism];
}

void ndp_config_groups(struct ndp_config *c, struct sim_param_groups *out)
{
	sim_param_groups_add(out, "ndp", param_rows, ARRAY_COUNT(param_rows), &c->choice);
	sim_param_groups_when(out, common_whens());
	tom_params_groups(&c->tom, out);
	map_params_groups(&c->map, out);
	ctas_params_groups(&c->ctas, out);
	sim_param_groups_when(out, common_whens());
	bom_params_groups(&c->bom, out);
	nsu_control_params_groups(&c->nsu, out);
	for (uint32_t i = 0; i < mechanism_count; i++) {
		const struct ndp_mechanism *m = mechanisms[i];

		if (!m || !m->params)
			continue;
		CHECK(m->param_bytes <= sizeof(c->own[i]));
		sim_param_groups_add(out, "ndp", m->params, m->param_count, c->own[i]);
		sim_param_groups_when(out, own_whens(i));
	}
}

const void *ndp_own_params(const struct ndp_config *c)
{
	return c->own[c->choice.mechanism];
}

const struct carry_policy *ndp_mechanism_new(const struct ndp_site *site, void **ctx, struct base_diag_list *diag)
{
	uint64_t which = site->ndp->choice.mechanism;

	CHECK(which < mechanism_count);
	*ctx = NULL;
	if (!mechanisms[which])
		return NULL;
	*ctx = mechanisms[which]->create(site, diag);
	return *ctx ? &mechanisms[which]->ops : NULL;
}

bool ndp_mechanism_check(const struct ndp_site *site, struct base_diag_list *diag)
{
	uint32_t before = diag->error_count;
	void *ctx;
	const struct carry_policy *ops = ndp_mechanism_new(site, &ctx, diag);

	if (ops)
		ops->free(ctx);
	return diag->error_count == before;
}

uint32_t ndp_mechanism_storage(const struct ndp_site *site, struct ndp_storage *items)
{
	const struct ndp_mechanism *m = mechanisms[site->ndp->choice.mechanism];

	return m && m->storage ? m->storage(site, items) : 0;
}

const struct sim_explain *ndp_mechanism_explain(const char *name)
{
	for (uint32_t i = 1; i < mechanism_count; i++)
		if (mechanisms[i] && !strcmp(ndp_mechanism_name(i), name))
			return mechanisms[i]->explain;
	return NULL;
}

void ndp_stat_tables(const struct ndp_site *site, struct sim_stat_tables *out)
{
	for (uint32_t i = 0; i < mechanism_count; i++) {
		const struct ndp_mechanism *m = site && site->ndp->choice.mechanism != i ? NULL : mechanisms[i];

		if (m && m->stats)
			m->stats(site, out);
	}
}

const char *ndp_mechanism_name(uint32_t mechanism)
{
	if (mechanism < LISTED_COUNT)
		return names[mechanism];
	return mechanism < mechanism_count ? mechanisms[mechanism]->ops.name : NULL;
}

uint32_t ndp_mechanism_add(const struct ndp_mechanism *m)
{
	CHECK(mechanism_count < NDP_MECHANISMS_MAX);
	mechanisms[mechanism_count] = m;
	return mechanism_count++;
}
