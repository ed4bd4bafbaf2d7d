/* account.c - gaps between multiply-adds, and who had the controller wait in them. */
#include "csp/account.h"

#include <glib.h>

#include "base/bits.h"
#include "base/check.h"
#include "csp/priv.h"
#include "net/stamp.h"

static const struct account_row rows[] = {CSP_PARTS(ACCOUNT_ROW)};
const struct account_parts csp_account_parts = {rows, CSP_PART_COUNT};

void csp_account_init(struct csp_core *c)
{
	c->account.cells = g_malloc0_n(c->machine->program->instr_count, sizeof(c->account.cells[0]));
}

void csp_account_release(struct csp_core *c)
{
	g_free(c->account.cells);
}

void csp_account_wait(struct csp_core *c, enum csp_wait wait, uint64_t cycle)
{
	if (c->account.wait == CSP_WAITS_NOT)
		c->account.wait_from = cycle;
	c->account.wait = wait;
}

/* Of the cycles from *at to before `to`, which then is *at. */
static void charge(struct csp_core *c, enum csp_part part, uint64_t *at, uint64_t to)
{
	if (to <= *at)
		return;
	c->account.cells[c->pc][part] += to - *at;
	c->account.gap_cycles += to - *at;
	*at = to;
}

/* A line that came before the wait, or never, has not ended it: what did is behind others in the memory unit. */
static void charge_way(struct csp_core *c, uint64_t at, uint64_t cycle)
{
	const struct csp_account *a = &c->account;

	if (a->came_cycle < a->wait_from) {
		charge(c, CSP_PART_UNIT, &at, cycle);
		return;
	}
	for (enum csp_part i = CSP_PART_UNIT; i < CSP_PART_RX; i++)
		charge(c, i, &at, MIN(a->left_cycles[i], cycle));
	charge(c, CSP_PART_RX, &at, cycle);
}

void csp_account_go_on(struct csp_core *c, uint64_t cycle)
{
	const enum csp_wait wait = c->account.wait;
	uint64_t at = base_max_u64(c->account.wait_from, c->fu_free_cycle);

	if (wait == CSP_WAITS_NOT)
		return;
	if (wait == CSP_WAITS_FOR_LINE)
		charge_way(c, at, cycle);
	else
		charge(c, wait == CSP_WAITS_FOR_SIGNAL ? CSP_PART_SIGNAL : CSP_PART_UNIT, &at, cycle);
	c->account.wait = CSP_WAITS_NOT;
}

/* What is left of the gap: nobody has waited for anything. */
static void charge_rest(struct csp_core *c, uint64_t at)
{
	uint64_t from = c->fu_free_cycle + c->account.gap_cycles;

	charge(c, CSP_PART_CONTROL, &from, at);
	c->account.gap_cycles = 0;
}

void csp_account_begin(struct csp_core *c, uint64_t at)
{
	charge_rest(c, at);
}

void csp_account_vector(struct csp_core *c, uint64_t begun_cycles, uint64_t operand_cycles)
{
	c->account.cells[c->pc][CSP_PART_BEGUN] += begun_cycles;
	c->account.cells[c->pc][CSP_PART_OPERAND] += operand_cycles;
}

void csp_account_line(struct csp_core *c, struct mem_req *r, uint64_t cycle)
{
	static const struct {
		enum csp_part part;
		enum net_stage stage;
	} stages[] = {{CSP_PART_TX, NET_STAGE_TX},
		      {CSP_PART_QUEUE, NET_STAGE_QUEUE},
		      {CSP_PART_BANK, NET_STAGE_BANK},
		      {CSP_PART_TSV, NET_STAGE_TSV}};
	const uint64_t period = sim_period_units(c->machine->ctx->engine, c->machine->domain);
	const uint64_t *left = net_stamps_of(r)->left_units;

	c->account.left_cycles[CSP_PART_UNIT] = r->issue_units / period;
	for (size_t i = 0; i < ARRAY_COUNT(stages); i++)
		c->account.left_cycles[stages[i].part] = left[stages[i].stage] / period;
	c->account.came_cycle = cycle;
}

/* A core whose units have nothing to do ends with its controller. */
static void end(struct csp_core *c, uint64_t cycles)
{
	uint64_t at = base_max_u64(c->fu_free_cycle, c->local_cycle), sum = 0;

	charge_rest(c, c->local_cycle);
	charge(c, CSP_PART_OVER, &at, cycles);
	for (uint32_t pc = 0; pc < c->machine->program->instr_count; pc++)
		sum += account_sum(&csp_account_parts, c->account.cells[pc]);
	CHECK(sum == cycles);
}

void csp_account_end(struct csp_machine *m, uint64_t cycles)
{
	for (uint32_t i = 0; i < m->core_count; i++)
		if (m->program->entries[i] != UINT32_MAX)
			end(&m->cores[i], cycles);
}
