/* port_shapes.h - the ports that module ndp must have, with as many memory ports of such a width (ports.def), and what
 * is wrong with one of a design. C; the simulator's and that of vpi.c.
 */
#ifndef STRATA_HDL_PORT_SHAPES_H
#define STRATA_HDL_PORT_SHAPES_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "ports.h"

enum { HDL_SHAPES_MAX = 64, HDL_SHAPE_NAME_MAX = 32 };

struct hdl_shape {
	char name[HDL_SHAPE_NAME_MAX];
	uint32_t bits;
	bool is_in, is_needed, is_there;
};

struct hdl_shapes {
	const char *design; /* as hdl.design has it */
	uint32_t port_count, port_bytes, count;
	struct hdl_shape rows[HDL_SHAPES_MAX];
};

static inline void hdl_shape_add(struct hdl_shapes *s, const char *name, int index, uint32_t bits, bool is_in,
				 bool is_needed)
{
	struct hdl_shape *row = &s->rows[s->count++];

	*row = (struct hdl_shape){.bits = bits, .is_in = is_in, .is_needed = is_needed};
	if (index < 0)
		snprintf(row->name, sizeof(row->name), "%s", name);
	else
		snprintf(row->name, sizeof(row->name), "%s_%d", name, index);
}

static inline void hdl_shapes_init(struct hdl_shapes *s, const char *design, uint32_t count, uint32_t bytes)
{
	*s = (struct hdl_shapes){.design = design, .port_count = count, .port_bytes = bytes};
#define HDL_PORT(name, bits, direction, needed) hdl_shape_add(s, #name, -1, bits, #direction[0] == 'i', needed);
#define HDL_PORT_EACH(name, bits, direction, needed)                                                                   \
	for (uint32_t i = 0; i < count; i++)                                                                           \
		hdl_shape_add(s, #name, (int)i, bits, #direction[0] == 'i', needed);
#include "ports.def"
#undef HDL_PORT_EACH
#undef HDL_PORT
}

/* A design made for other memory ports than the run has: all that follows from it is said at once, by the port that
 * shows it. False: `bits` of this port say nothing of the kind. */
static inline bool hdl_shape_is_other(const struct hdl_shapes *s, const char *name, uint32_t bits, char *text,
				      size_t room)
{
	if (!strcmp(name, "request_valid") && bits != s->port_count && bits <= HDL_PORTS_MAX)
		snprintf(text, room,
			 "hdl.design: %s has %u memory ports (request_valid of module ndp has %u bits), and "
			 "hdl.port_count = %u",
			 s->design, bits, bits, s->port_count);
	else if (!strcmp(name, "answer_0") && bits != 8 * s->port_bytes && bits % 8 == 0)
		snprintf(text, room,
			 "hdl.design: %s has memory ports of %u bytes (answer_0 of module ndp has %u bits), and "
			 "hdl.port_bytes = %u",
			 s->design, bits / 8, bits, s->port_bytes);
	else
		return false;
	return true;
}

/* A port of the design against the table; false: what is wrong is in the text. */
static inline bool hdl_shape_check(struct hdl_shapes *s, const char *name, uint32_t bits, bool is_in, char *text,
				   size_t room)
{
	for (uint32_t i = 0; i < s->count; i++) {
		struct hdl_shape *row = &s->rows[i];

		if (strcmp(row->name, name))
			continue;
		row->is_there = true;
		if (row->bits == bits && row->is_in == is_in)
			return true;
		snprintf(text, room, "hdl.design: %s: port %s of module ndp is an %s of %u bits; expected an %s of %u",
			 s->design, name, is_in ? "input" : "output", bits, row->is_in ? "input" : "output", row->bits);
		return false;
	}
	snprintf(text, room, "hdl.design: %s: module ndp has a port %s (%s of %u bits), which no accelerator has",
		 s->design, name, is_in ? "input" : "output", bits);
	return false;
}

#endif
