/* channel.h - the home that is memory behind channels: lines read come up, lines written go down. What is at the far
 * end of a channel, in front of the memory, may be somebody else's (struct cpu_near_ops): an NDP-M. */
#ifndef STRATA_CPU_CHANNEL_H
#define STRATA_CPU_CHANNEL_H

#include "base/list.h"
#include "base/map.h"
#include "base/table.h"
#include "cpu/bus.h"
#include "cpu/dram.h"
#include "net/wire.h"

/* A line on its way through a channel and the memory. */
struct cpu_channel_access {
	struct cpu_dram_access dram;
	struct cpu_channel_access *next;
	struct cpu_request *request; /* whose line it is; NULL: a write */
	cpu_version version;	     /* written */
};

/* What becomes of a page's translation: it goes with the page; it is another one; it goes, and nobody has to be told.
 */
enum cpu_translation { CPU_TRANSLATION_GOES, CPU_TRANSLATION_CHANGES, CPU_TRANSLATION_SILENT };

/* The far end of the channels. Each function may say that it leaves the work to the memory. */
struct cpu_near_ops {
	/* The request to read a line has come: false, or later cpu_channels_line_up. */
	bool (*read)(void *self, struct cpu_request *r);
	/* A line written back has come. False: it goes to the memory now. True: cpu_channels_take is called for it when
	 * there is room, now or later, and written when the memory has it. */
	bool (*write)(void *self, struct cpu_channel_access *a);
	void (*written)(void *self, uint64_t line);
	/* At the bus: see cpu_home_ops. */
	bool (*invalidate)(void *self, struct cpu_request *r);
	/* At the bus: see cpu_home_ops. NULL: the bus ends before the channels. */
	uint64_t (*snoop)(void *self);
	/* At the bus: see cpu_home_ops. */
	bool (*shares)(void *self, uint64_t line);
	/* At the bus: see cpu_home_ops. */
	bool (*is_beyond)(void *self, uint64_t line);
	/* Caches beyond leave the line, to the memory if it is modified there, where nothing is under way with it. */
	void (*leave)(void *self, uint64_t line);
	/* A TLB command for a touched page is at the bus, now. Returns when who had to hear of it has answered, in
	 * units; 0: nobody had to. */
	uint64_t (*forget)(void *self, uint64_t page, enum cpu_translation why);
	void *self;
};

struct cpu_channels {
	struct cpu_common *c;
	struct cpu_bus *bus;
	struct cpu_dram dram;
	const struct cpu_near_ops *near; /* NULL: memory only */
	struct base_table versions;	 /* of lines in the memory, while somebody observes */
	struct base_map writes;		 /* lines on their way down: the last of each, struct cpu_channel_access */
	bool is_observed;
	BASE_POOL(struct cpu_channel_access) accesses;
	struct net_wire *up, *down; /* by channel */
};

extern const struct cpu_home_ops cpu_channels_home;

/* One way, with the links of a multiprocessor that the memory is behind. */
static inline uint64_t cpu_channel_latency_ps(const struct cpu_params *p)
{
	return p->channel_latency_ps + p->smp_hop_count * p->smp_hop_ps / 2;
}

void cpu_channels_init(struct cpu_channels *h, struct cpu_common *c, struct cpu_bus *bus, struct mem_memory *memory);
void cpu_channels_free(struct cpu_channels *h);
/* From now on it knows the versions of lines. */
void cpu_channels_observe(struct cpu_channels *h);
/* The memory has this version of the line. */
void cpu_channels_store(struct cpu_channels *h, uint64_t line, cpu_version version);

/* For who is at the far end. Takes the wire for so many bytes, after what was sent before; returns when they are there,
 * if that takes latency_ps after the last of them has left. */
uint64_t cpu_channels_up(struct cpu_channels *h, uint32_t channel, uint64_t bytes, uint64_t latency_ps);
uint64_t cpu_channels_down(struct cpu_channels *h, uint32_t channel, uint64_t bytes, uint64_t latency_ps);
/* Lines of one channel are copied to another one, by the processors: they are read, go up, go down and are written.
 * All of that begins now, none of it after what it needs. Returns when the wires have carried the last one: a bound
 * from below. */
uint64_t cpu_channels_copy(struct cpu_channels *h, uint64_t from, uint64_t to, uint64_t count);
/* When the line that was written back last to the line's channel is there. */
uint64_t cpu_channels_written(const struct cpu_channels *h, uint64_t line);
/* By struct cpu_near_ops. */
void cpu_channels_take(struct cpu_channels *h, struct cpu_channel_access *a);
/* The line of r is read and goes up, now, with this version. */
void cpu_channels_line_up(struct cpu_channels *h, struct cpu_request *r, cpu_version version);

#endif
