/* channel.h - near-data processors (NDPs) on the memory channels of a CPU: cores beside each channel's memory, the
 * NDP-M that keeps them coherent with the processors, and the NDP-AP on the system bus.
 *
 * Timing and coherence as in cpu/system.h, beside which it is put: units of the CPU come first, then those of the NDPs,
 * all cores of one after the other.
 */
#ifndef STRATA_CHANNEL_CHANNEL_H
#define STRATA_CHANNEL_CHANNEL_H

#include "coh/coh.h"
#include "sim/explain.h"
#include "cpu/system.h"

/* For rows that have it. */
#define CHANNEL_PLACES(X) \
	X(CHANNEL_PLACE_CPU, cpu) \
	X(CHANNEL_PLACE_FLAT, flat) \
	X(CHANNEL_PLACE_NESTED, nested)
enum channel_place { CHANNEL_PLACES(SIM_PARAM_ENUMERATOR) };

#define CHANNEL_ATTACHMENTS(X) \
	X(CHANNEL_ATTACHMENT_MANAGER, manager) \
	X(CHANNEL_ATTACHMENT_PEER, peer)
enum channel_attachment { CHANNEL_ATTACHMENTS(SIM_PARAM_ENUMERATOR) };

#define CHANNEL_COHERENCES(X) \
	X(CHANNEL_COHERENCE_DIRECTORY, directory) \
	X(CHANNEL_COHERENCE_SOFTWARE, software)
enum channel_coherence { CHANNEL_COHERENCES(SIM_PARAM_ENUMERATOR) };

/* Planted mistakes of the directory's items. */
#define CHANNEL_ITEM_FAULTS(X) \
	X(CHANNEL_ITEM_NONE, none) \
	X(CHANNEL_ITEM_LOST, lost) \
	X(CHANNEL_ITEM_STALE, stale) \
	X(CHANNEL_ITEM_OVERTAKEN, overtaken) \
	X(CHANNEL_ITEM_KEPT, kept)
enum channel_item_fault { CHANNEL_ITEM_FAULTS(SIM_PARAM_ENUMERATOR) CHANNEL_ITEM_FAULT_COUNT };

struct channel_params {
#include "sim/param_fields.inc"
#include "channel/channel_params.def"
#include "sim/param_end.inc"
};
extern const struct sim_param_desc channel_param_rows[];
extern const uint32_t channel_param_row_count;

struct channel_stats {
#include "sim/stat_fields.inc"
#include "channel/channel_stats.def"
#include "sim/stat_end.inc"
};
extern const struct sim_stat_table channel_stat_table;
extern const struct sim_explain channel_explain;

/* Rules across the parameters, and those with its processors. */
bool channel_params_check(const struct channel_params *p, const struct cpu_params *cpu,
			  struct base_diag_list *diag);

/* How long a message is under way between the bus and an NDP. */
static inline uint64_t channel_message_ps(const struct channel_params *p, const struct cpu_params *cpu)
{
	return p->attachment == CHANNEL_ATTACHMENT_PEER ? cpu->smp_hop_count * cpu->smp_hop_ps / 2 +
							      cpu->channel_latency_ps
							: p->message_ps;
}

/* The clock of the NDPs' cores, before any component is made. False: see sim_domain_add. */
bool channel_clock_add(const struct channel_params *p, struct sim_engine *e);

struct channel_system;
/* A cycle of that clock, in units of the engine's time. */
uint64_t channel_cycle_units(const struct channel_system *s);

/* Sees every access of an NDP core, in the order of coherence: the quarters of the line that it is about, with the
 * version that it reads or makes. */
struct channel_observer {
	void (*see)(void *self, uint32_t unit, uint64_t line, cpu_version quarters, bool is_write, cpu_version version);
	/* What the unit wrote has gone to the memory or an NDP-AP; CPU_NOBODY: a copy goes from there to somebody.
	 * NULL: nobody asks. */
	void (*moved)(void *self, uint64_t line, cpu_version quarters, uint32_t unit);
	/* Hint: the line is about to be seen or moved; changes nothing. NULL: nobody wants to know. */
	void (*ahead)(void *self, uint64_t line);
	void *self;
};

struct channel_range {
	uint64_t begin, end; /* of the program's addresses */
};

/* p is kept. Units from first_unit on are the NDPs' cores. */
struct channel_system *channel_system_new(struct sim_ctx *ctx, const struct channel_params *p, struct cpu_system *cpu,
					  uint32_t first_unit);
void channel_system_free(struct channel_system *s);
/* After cpu_system_connect, whose user has to observe as well. */
void channel_system_observe(struct channel_system *s, const struct channel_observer *observer);

/* May a core of all NDPs', from 0, access that place? Without an NDP-AP only its channel's memory is there. */
bool channel_reaches(struct channel_system *s, uint32_t core, uint64_t address);
/* The two do what cpu_access and cpu_fence do. core: its number among all NDPs' cores, from 0. */
uint64_t channel_access(struct channel_system *s, uint32_t core, uint64_t now_ps, uint64_t address,
			uint32_t size_bytes, enum cpu_op op);
uint64_t channel_fence(struct channel_system *s, uint32_t core, uint64_t now_ps);
/* A load or store that hits its core's cache: the line that it is about, and with which version of which quarters. */
struct channel_hit {
	uint64_t line;
	cpu_version quarters, version;
};
/* In its turn or before it, nobody else doing anything before others_ps: a load or store that is a hit whatever others
 * will do, and no use to them before. False: it is none, and nothing has been done. Who asks sees it, and not the
 * observer. For cores with caches, without an account or a planted mistake. */
bool channel_ahead(struct channel_system *s, uint32_t core, uint64_t now_ps, uint64_t others_ps, uint64_t address,
		   uint32_t size_bytes, enum cpu_op op, struct channel_hit *out);
/* The way of the core's last access that was not its cache's, until its next; with run.account. */
const struct cpu_trail *channel_trail(const struct channel_system *s, uint32_t core);

/* Remote lines of these addresses may stay in the cores' caches until they are flushed; who reads them there may read
 * what was written before ("remote cache uninhibited"). */
void channel_uninhibit(struct channel_system *s, uint64_t begin, uint64_t end);
/* No longer, from the next miss on. */
void channel_inhibit(struct channel_system *s, uint64_t begin, uint64_t end);
/* A message of software to an NDP, by the NDP-AP; returns when it is there. from: the sender's NDP; UINT32_MAX: a
 * processor. */
uint64_t channel_send(struct channel_system *s, uint64_t now_ps, uint32_t from, uint32_t to);
/* A line of software's to what is an NDP and no core, by the NDP-AP; and one from there to a processor: when it is
 * there. NDP thesis section 5.4: messages of 128 B. */
uint64_t channel_command(struct channel_system *s, uint64_t now_ps, uint32_t to);
uint64_t channel_report(struct channel_system *s, uint64_t now_ps, uint32_t from);
/* Software claims the range's touched pages behind NDPs: what stands against it is written back or dropped; lines
 * with something under way keep their state. A region whose lines all have the state gets it in the summary. Each line
 * of which processors may have a copy that stands against it takes a slot of a snoop bus, one after the other from now
 * on: others wait behind them. Returns when all caches and the NDP-APs have answered. */
enum channel_owner { CHANNEL_OWNER_CPU, CHANNEL_OWNER_NDP, CHANNEL_OWNER_SHARED };
uint64_t channel_claim(struct channel_system *s, uint64_t now_ps, uint64_t begin, uint64_t end,
		       enum channel_owner owner);
/* With cpu_cold: all caches are empty, lines are the processors'; those with something under way keep their state and
 * copies. */
void channel_cold(struct channel_system *s);
/* The core's copies of remote lines of these addresses are dropped. It looks for each line of its cache there, or for
 * the cache's lines in the range if that are fewer: returns when it has. */
uint64_t channel_flush(struct channel_system *s, uint32_t core, uint64_t now_ps, uint64_t begin, uint64_t end);

/* Pages that the TLBs of all NDP-Ms hold. */
uint32_t channel_tlb_pages(const struct channel_system *s);
struct channel_stats *channel_system_stats(struct channel_system *s);
/* How often each row of the protocol was done. */
const uint64_t *channel_row_counts(const struct channel_system *s);

#endif
