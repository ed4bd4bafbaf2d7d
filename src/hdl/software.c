/* software.c - what software does with accelerators: entries of their tables, lines and messages. */
#include <errno.h>
#include <string.h>

#include "hdl/priv.h"

static uint64_t entries_of(const struct hdl_system *s, uint64_t begin, uint64_t end)
{
	const uint64_t block = s->p->map_bytes;

	return (end + block - 1) / block - begin / block;
}

uint64_t hdl_map(struct hdl_system *s, uint32_t accelerator, uint64_t now_ps, uint64_t begin, uint64_t end,
		 bool is_writable)
{
	enum { ENTRY_BYTES = 8 };
	struct accelerator *a = &s->accelerators[accelerator];
	const uint64_t entries = entries_of(s, begin, end);
	const struct range range = {.begin = begin, .end = end, .is_writable = is_writable};
	uint64_t done_ps = now_ps;

	if (a->map_entries + entries > s->p->map_count)
		return 0;
	a->map_entries += entries;
	s->stats.map_entries += entries;
	g_array_append_val(a->ranges, range);
	for (uint64_t sent = 0; sent < entries; sent += HDL_MESSAGE_BYTES / ENTRY_BYTES)
		done_ps = channel_command(s->near, now_ps, a->number);
	return done_ps;
}

static void check_under_way(struct accelerator *a, uint64_t begin, uint64_t end)
{
	for (uint32_t i = 0; i < a->s->limit; i++) {
		const struct access *x = &a->accesses[i];

		if (x->bytes && !x->is_done && x->address < end && x->address + x->bytes > begin)
			hdl_fail(a, "the program takes memory away while it %s 0x%" G_GINT64_MODIFIER "x",
			     x->is_write ? "writes" : "reads", x->address);
	}
}

/* Whose memory has gone: an accelerator that has not heard of it uses the place that the memory had. */
static void make_stale(struct range *r)
{
	r->old = r->old ? r->old : g_memdup2((const void *)r->begin, r->end - r->begin);
}

void hdl_unmap(struct hdl_system *s, uint64_t begin, uint64_t end)
{
	for (uint32_t n = 0; n < s->count; n++) {
		struct accelerator *a = &s->accelerators[n];

		check_under_way(a, begin, end);
		for (uint32_t i = a->ranges->len; i--;) {
			const struct range r = g_array_index(a->ranges, struct range, i);

			if (r.begin >= end || r.end <= begin)
				continue;
			if (s->p->fault == HDL_FAULT_STALE_ENTRY) {
				make_stale(&g_array_index(a->ranges, struct range, i));
				continue;
			}
			a->map_entries -= entries_of(s, r.begin, r.end);
			g_array_remove_index_fast(a->ranges, i);
		}
	}
}

const uint8_t *hdl_key(const struct hdl_system *s, uint32_t accelerator)
{
	return s->accelerators[accelerator].key;
}

int hdl_refusal(const struct hdl_system *s, uint32_t accelerator, const struct hdl_line *line)
{
	const struct accelerator *a = &s->accelerators[accelerator];

	if (memcmp(line->key, a->key, sizeof(a->key)))
		return EACCES;
	switch (line->command) {
	case HDL_COMMAND_MESSAGE:
		return 0;
	case HDL_COMMAND_REGISTER:
		return !a->ports.has_registers ? ENOTSUP : line->arguments[0] < HDL_REGISTERS ? 0 : EINVAL;
	default:
		return EINVAL;
	}
}

/* Whatever it says, it crosses the channel. */
int hdl_line(struct hdl_system *s, uint32_t accelerator, uint64_t now_ps, const struct hdl_line *line)
{
	struct accelerator *a = &s->accelerators[accelerator];
	const uint64_t time_ps = channel_command(s->near, now_ps, accelerator);
	const int error = hdl_refusal(s, accelerator, line);
	struct message *m;

	if (error)
		return error;
	m = g_new(struct message, 1);
	*m = (struct message){.time_ps = time_ps, .line = *line};
	base_fifo_push(&a->messages, m, next);
	if (line->command == HDL_COMMAND_MESSAGE) {
		a->message_count++;
		s->stats.messages++;
	}
	sim_wake_units(s->engine, a->comp, MAX(sim_units_of_ps(s->engine, time_ps), sim_now_units(s->engine) + 1));
	return 0;
}

bool hdl_has_room(const struct hdl_system *s, uint32_t accelerator)
{
	return s->accelerators[accelerator].message_count < s->p->message_depth_count;
}
