/* channel.h - the home that is memory behind channels: lines read come up, lines written go down. */
#ifndef STRATA_CPU_CHANNEL_H
#define STRATA_CPU_CHANNEL_H

#include "cpu/bus.h"

struct channel_access;

struct cpu_channels {
	struct cpu_common *c;
	struct cpu_bus *bus;
	struct mem_memory *memory;
	GHashTable *versions; /* of lines in the memory; NULL: nobody observes */
	GHashTable *writes;   /* lines on their way down: the last of each, struct channel_access */
	struct channel_access *free, *refused, **refused_end;
	uint64_t *up_free_units, *down_free_units;
	uint64_t up_ps, down_ps; /* of a line */
};

extern const struct cpu_home_ops cpu_channels_home;

void cpu_channels_init(struct cpu_channels *h, struct cpu_common *c, struct cpu_bus *bus, struct mem_memory *memory);
void cpu_channels_free(struct cpu_channels *h);
/* From now on it knows the versions of lines. */
void cpu_channels_observe(struct cpu_channels *h);
/* By the memory. */
void cpu_channels_done(struct cpu_channels *h, struct mem_req *q);
void cpu_channels_room(struct cpu_channels *h);

#endif
