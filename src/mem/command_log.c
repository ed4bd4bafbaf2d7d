/* command_log.c - the DRAM commands of a window of simulated time. */
#include "mem/command_log.h"

#include <glib.h>

struct mem_command_log *mem_command_log_new(uint64_t from_ps, uint64_t length_ps, uint64_t clock_ps, uint32_t cap)
{
	struct mem_command_log *l = g_new(struct mem_command_log, 1);

	*l = (struct mem_command_log){
	    .from_ps = from_ps,
	    .to_ps = from_ps + length_ps,
	    .clock_ps = clock_ps,
	    .cap = cap,
	    .items = g_new(struct mem_command, cap),
	};
	return l;
}

void mem_command_log_free(struct mem_command_log *l)
{
	if (l)
		g_free(l->items);
	g_free(l);
}

void mem_command_log_add(struct mem_command_log *l, const struct mem_command *c)
{
	if (c->at_ps < l->from_ps || c->at_ps >= l->to_ps)
		return;
	if (l->count < l->cap)
		l->items[l->count++] = *c;
	else
		l->left_out_count++;
}
