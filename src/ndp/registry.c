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

void ndp_config_groups(struct ndp_config *c, struct sim_param_groups *out)
{
	sim_param_groups_add(out, "ndp", param_rows, ARRAY_COUNT(param_rows), &c->choice);
	tom_params_groups(&c->tom, out);
	map_params_groups(&c->map, out);
	ctas_params_groups(&c->ctas, out);
	bom_params_groups(&c->bom, out);
	nsu_control_params_groups(&c->nsu, out);
	for (uint32_t i = 0; i < mechanism_count; i++) {
		const struct ndp_mechanism *m = mechanisms[i];

		if (!m || !m->params)
			continue;
		CHECK(m->param_bytes <= sizeof(c->own[i]));
		sim_param_groups_add(out, "ndp", m->params, m->param_count, c->own[i]);
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

/* ---- what a mechanism does not read ---- */

static bool is_read(uint32_t mechanism, uint32_t setting)
{
	return mechanisms[mechanism] && mechanisms[mechanism]->reads >> setting & 1;
}

/* "tom, nsu": who reads it. */
static void readers(uint32_t setting, char *text, size_t size)
{
	*text = '\0';
	for (uint32_t i = 0; i < mechanism_count; i++) {
		const size_t at = strlen(text);

		if (is_read(i, setting))
			snprintf(text + at, size - at, "%s%s", at ? " or " : "", ndp_mechanism_name(i));
	}
}

/* What is chosen and changes nothing is a mistake. */
static void check_common(const struct ndp_config *c, struct base_diag_list *diag)
{
	const bool is_chosen[NDP_COMMON_COUNT] = {
	    [NDP_COMMON_DESTINATION] = c->choice.destination != CARRY_DESTINATION_FIRST,
	    [NDP_COMMON_SHUFFLES] = c->choice.shuffles,
	    [NDP_COMMON_TIMED] = c->choice.timed,
	    [NDP_COMMON_AWAY] = c->choice.away != NDP_AWAY_ANY,
	    [NDP_COMMON_CTAS] = c->ctas.ctas != NDP_CTAS_NONE,
	};
	static const char *const keys[NDP_COMMON_COUNT] = {
#define KEY(name, key, value) [NDP_COMMON_##name] = "ndp." #key,
	    NDP_COMMON(KEY)
#undef KEY
	};
	const uint32_t mechanism = (uint32_t)c->choice.mechanism;

	for (uint32_t i = 0; i < NDP_COMMON_COUNT; i++) {
		char who[128];

		if (!is_chosen[i] || is_read(mechanism, i))
			continue;
		readers(i, who, sizeof(who));
		base_diag_error(diag, base_diag_place(diag, keys[i]),
				"%s: ndp.mechanism = %s does not read it; expected ndp.mechanism = %s, or leave it out",
				keys[i], ndp_mechanism_name(mechanism), who);
	}
}

bool ndp_mechanism_check(const struct ndp_site *site, struct base_diag_list *diag)
{
	uint32_t before = diag->error_count;
	void *ctx;
	const struct carry_policy *ops = ndp_mechanism_new(site, &ctx, diag);

	if (ops)
		ops->free(ctx);
	check_common(site->ndp, diag);
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
