/* waits.c - may threads of a program wait for threads of other CTAs? */
#include "simt/build.h"

/* Does a branch at pc lead back to `to` or further? Code that runs again lies between a branch and where it leads back
 * to, whatever the order of its blocks. */
static bool leads_back(const struct simt_exec *e, uint32_t to)
{
	const struct simt_branch_op *op = e->branch;

	if (e->run == simt_run_bra)
		return op->target <= to;
	for (uint32_t i = 0; e->run == simt_run_brx && i < op->table_count; i++)
		if (op->table[i] <= to)
			return true;
	return false;
}

static bool is_in_loop(const struct simt_program_priv *p, const struct simt_program_func *f, uint32_t pc)
{
	/* Whoever calls the function may do so in a loop. */
	if (f != p->funcs)
		return true;
	for (uint32_t k = pc; k < f->first_pc + f->inst_count; k++)
		if (leads_back(&p->execs[k], pc))
			return true;
	return false;
}

bool simt_program_may_wait(const struct simt_program *program)
{
	const struct simt_program_priv *p = (const struct simt_program_priv *)program;

	for (uint32_t i = 0; i < p->func_count; i++) {
		const struct simt_program_func *f = &p->funcs[i];

		for (uint32_t pc = f->first_pc; pc < f->first_pc + f->inst_count; pc++)
			if ((p->execs[pc].polls & SIMT_POLL_STRONG) && p->insts[pc].space != SIMT_MEM_SHARED &&
			    p->insts[pc].space != SIMT_MEM_LOCAL && is_in_loop(p, f, pc))
				return true;
	}
	return false;
}
