/* input.c - what the node's transceivers bring to a core's memory while its cores work.
 *
 * Lines come one after the other at the rate of the input, whether or not the node keeps up, and each goes into the
 * memory as a store does: in blocks over the link of the stack, to a vault and a bank. When all lines of a group are
 * written the core learns of it, as it learns of another core's signal.
 */
#include <glib.h>

#include "base/check.h"
#include "csp/priv.h"

static void fail(struct csp_input *in)
{
	struct csp_machine *m = in->machine;
	const struct csp_arrivals *a = &m->program->arrivals;
	const uint64_t depth = m->config->csp.input_depth_count;

	m->mistake = g_strdup_printf("'.arrivals' of line %u: line %llu comes while %llu wait for the memory of core "
				     "%u, and csp.input_depth_count is no more",
				     a->line, (unsigned long long)(in->first + in->begun + depth),
				     (unsigned long long)depth, in->core->number);
	sim_stop(m->ctx->engine);
}

static uint64_t come(const struct csp_input *in)
{
	return MIN(in->count, sim_now_units(in->machine->ctx->engine) / in->line_units);
}

static void line_begin(struct csp_input *in)
{
	struct csp_transfer *x = base_stack_pop(&in->free, next);

	*x = (struct csp_transfer){.target = in->core->number,
				   .line = in->first + in->begun++,
				   .is_store = true,
				   .blocks_left = in->machine->blocks_per_line};
	in->current = x;
}

static void input_tick(void *input, uint64_t cycle)
{
	struct csp_input *in = input;
	struct csp_machine *m = in->machine;
	struct net_channel *tx = m->stacks[in->core->stack].tx;
	const uint64_t waiting = come(in) - in->begun;

	if (m->mistake)
		return;
	if (waiting > m->config->csp.input_depth_count) {
		fail(in);
		return;
	}
	if (!in->current && waiting && in->free)
		line_begin(in);
	if (in->begun < in->count) /* also to see that too many wait */
		sim_wake_units(m->ctx->engine, in->comp, (come(in) + 1) * in->line_units);
	if (!in->current || !net_channel_ready(tx, &in->comp))
		return;
	csp_block_send(m, in->current, tx);
	if (in->current->sent_blocks == m->blocks_per_line)
		in->current = NULL;
	if (in->current || come(in) > in->begun)
		sim_wake_cycle(m->ctx->engine, in->comp, cycle + 1);
}

void csp_input_written(struct csp_input *in, struct csp_transfer *x)
{
	struct sim_engine *e = in->machine->ctx->engine;
	const uint64_t heard = sim_now_units(e) + sim_units_of_ps(e, in->machine->config->csp.signal_ps);

	in->left[(x->line - in->first) / in->each]--;
	base_stack_push(&in->free, x, next);
	sim_wake_units(e, in->comp, sim_now_units(e));
	if (in->left[in->written_groups])
		return;
	while (in->written_groups < in->group_count && !in->left[in->written_groups])
		in->group_units[in->written_groups++] = heard;
	if (!in->core->is_halted)
		sim_wake_units(e, in->core->comp, heard);
}

/* ---- building ---- */

void csp_input_init(struct csp_input *in, struct csp_machine *m)
{
	in->machine = m;
	in->comp = sim_engine_add(m->ctx->engine, m->domain, "input", input_tick, in);
}

void csp_input_release(struct csp_input *in)
{
	g_free(in->left);
	g_free(in->group_units);
	g_free(in->transfers);
}

static void groups_make(struct csp_input *in)
{
	in->group_count = (in->count + in->each - 1) / in->each;
	in->left = g_new(uint32_t, in->group_count);
	in->group_units = g_new0(uint64_t, in->group_count);
	for (uint64_t g = 0; g < in->group_count; g++)
		in->left[g] = (uint32_t)MIN(in->each, in->count - g * in->each);
}

bool csp_input_load(struct csp_input *in, struct base_diag_list *diag)
{
	struct csp_machine *m = in->machine;
	const struct csp_arrivals *a = &m->program->arrivals;
	const struct csp_params *p = &m->config->csp;
	struct csp_core *core = &m->cores[a->core];
	const uint64_t bytes_units = m->line_bytes * 1000000 * sim_units_per_ps(m->ctx->engine);

	if (!a->count)
		return true;
	if ((uint64_t)a->first + (uint64_t)a->count > core->line_count || a->count > UINT32_MAX) {
		base_diag_error(diag, (struct base_place){a->file, a->line, 1},
				"lines %lld to %lld: core %u has %llu", (long long)a->first,
				(long long)(a->first + a->count - 1), a->core, (unsigned long long)core->line_count);
		return false;
	}
	in->core = core;
	in->first = (uint64_t)a->first;
	in->count = (uint64_t)a->count;
	in->each = (uint64_t)a->each;
	in->line_units = (bytes_units + p->input_mbytes_per_s - 1) / p->input_mbytes_per_s;
	groups_make(in);
	in->transfers = g_new0(struct csp_transfer, p->line_entry_count);
	for (uint32_t i = 0; i < p->line_entry_count; i++)
		base_stack_push(&in->free, &in->transfers[i], next);
	csp_order_arrivals(core, in->first, in->count, in->each);
	return true;
}

void csp_input_begin(struct csp_input *in)
{
	if (in->core)
		sim_wake_units(in->machine->ctx->engine, in->comp, in->line_units);
}
