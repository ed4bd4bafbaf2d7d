/* stack.c - a stack is its vaults; the switch in front of them belongs to the owner's network. */
#include "mem/stack.h"

#include <glib.h>
#include <stdio.h>

#include "base/check.h"
#include "mem/audit.h"
#include "mem/vault.h"

struct stack_audit {
	uint32_t stack, vault;
	struct mem_audit *audit;
};

struct mem_stack {
	uint32_t vault_count;
	struct mem_vault **vaults;
	struct stack_audit *audits;
	struct vault_stats stats;   /* of all its vaults, */
	struct dram_timing timing; /* and this */
};

static void stop_on_violation(void *ctx, const char *text)
{
	const struct stack_audit *a = ctx;

	fprintf(stderr, "strata: DRAM audit: stack %u vault %u: %s\n", a->stack, a->vault, text);
	UNREACHABLE("the controller issued a DRAM command against the timing table");
}

static void add_stats(const struct mem_stack_config *c, struct vault_stats *stats)
{
	const char *p = c->stats_prefix;
	char *law = g_strdup_printf("%s.rank_cycles = %s.open_cycles + %s.precharged_cycles + %s.power_down_cycles + "
				    "%s.self_refresh_cycles",
				    p, p, p, p, p);

	sim_stats_add(c->stats, p, vault_stat_rows, vault_stat_row_count, stats, sizeof(*stats));
	sim_stats_law(c->stats, g_intern_string(law)); /* which keeps it */
	g_free(law);
}

struct mem_stack *mem_stack_new(const struct mem_stack_config *c)
{
	struct mem_stack *s = g_new0(struct mem_stack, 1);

	s->vault_count = (uint32_t)c->dram->vault_count;
	s->vaults = g_new0(struct mem_vault *, s->vault_count);
	s->audits = g_new0(struct stack_audit, s->vault_count);
	dram_timing_init(&s->timing, c->dram, sim_period_units(c->engine, c->dram_domain), sim_units_per_ps(c->engine));
	if (c->stats)
		add_stats(c, &s->stats);
	for (uint32_t i = 0; i < s->vault_count; i++) {
		struct stack_audit *a = &s->audits[i];
		bool shares_bus = i % c->dram->pseudo_count != 0; /* with the one before */

		a->stack = c->index;
		a->vault = i;
		if (c->audit)
			a->audit = mem_audit_new(c->dram, sim_units_per_ps(c->engine), stop_on_violation, a);

		if (shares_bus && c->audit)
			mem_audit_share_bus(a->audit, s->audits[i - 1].audit);

		const struct mem_vault_config vault = {
			.dram = c->dram,
			.timing = &s->timing,
			.engine = c->engine,
			.dram_domain = c->dram_domain,
			.index = i,
			.audit = a->audit,
			.stamps = c->stamps,
			.log = c->log,
			.stack = c->index,
			.partner = shares_bus ? s->vaults[i - 1] : NULL,
			.done = c->done,
			.room = c->room,
			.ctx = c->ctx,
			.stats = &s->stats,
		};
		s->vaults[i] = mem_vault_new(&vault);
	}
	return s;
}

void mem_stack_free(struct mem_stack *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->vault_count; i++) {
		mem_vault_free(s->vaults[i]);
		mem_audit_free(s->audits[i].audit);
	}
	g_free(s->vaults);
	g_free(s->audits);
	g_free(s);
}

bool mem_stack_can_accept(struct mem_stack *s, uint32_t vault, enum mem_op op)
{
	CHECK(vault < s->vault_count);
	return mem_vault_can_accept(s->vaults[vault], op);
}

void mem_stack_accept(struct mem_stack *s, struct mem_req *r)
{
	CHECK(r->vault < s->vault_count);
	mem_vault_accept(s->vaults[r->vault], r);
}

uint32_t mem_stack_queued(const struct mem_stack *s)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < s->vault_count; i++)
		count += mem_vault_queued(s->vaults[i]);
	return count;
}

bool mem_stack_is_idle(const struct mem_stack *s)
{
	for (uint32_t i = 0; i < s->vault_count; i++) {
		if (!mem_vault_is_idle(s->vaults[i]))
			return false;
	}
	return true;
}

void mem_stack_reset(struct mem_stack *s)
{
	for (uint32_t i = 0; i < s->vault_count; i++)
		mem_vault_reset(s->vaults[i]);
}

void mem_stack_settle(struct mem_stack *s, bool is_between_kernels)
{
	for (uint32_t i = 0; i < s->vault_count; i++)
		mem_vault_settle(s->vaults[i], is_between_kernels);
}
