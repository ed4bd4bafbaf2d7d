/* priv.h - the parts of near-data processing on memory channels: cores, the NDP-M of each channel, the NDP-APs. */
#ifndef STRATA_CHANNEL_PRIV_H
#define STRATA_CHANNEL_PRIV_H

#include <string.h>

#include "base/check.h"
#include "base/list.h"
#include "channel/channel.h"
#include "coh/coh.h"
#include "cpu/inside.h"
#include "net/wire.h"

enum { LINE_BYTES = 128, QUARTER_BYTES = 32, QUARTERS = 4 };
enum { LINE_BUCKETS = 1024, POINT_BUCKETS = 1024 };

struct ndp_m;
struct ndp_core;

/* ---- waiting for room at an NDP-M ---- */

/* Does what the event is about. False: there is no room for it, and nothing has been done. */
typedef bool channel_queue_go(struct cpu_event *e);

struct gate_item {
	struct cpu_event *event;
	channel_queue_go *go;
};

/* A way to the NDP-M: who finds no room waits there, at its sender, and all that comes later behind it. */
struct ndp_gate {
	BASE_RING(struct gate_item);
};

/* In the order in which they get room. */
enum {
	GATE_DOWN,	 /* the channel: lines written back, acknowledgments, Invalidates */
	GATE_FILLS,	 /* items of the directory that push out a modified one */
	GATE_LINES,	 /* requests that may change the directory */
	GATE_DIRECTORY,	 /* look-ups that miss */
	GATE_STORES,	 /* of cores without caches, into the memory */
	GATE_PROCESSORS, /* requests of the bus, before the channel */
	GATE_LOCAL,	 /* of cores, for the channel's own memory */
	GATE_REMOTE,	 /* for others' */
	GATE_COUNT
};

/* ---- translations ---- */

/* An access that the TLB is looked up for; it waits for the walk of another one, or has one of its own. */
struct translation {
	struct cpu_event event;
	BASE_LINKS(struct translation) links; /* of those that are walked for, or wait, or of the free ones */
	struct {
		BASE_FIFO(struct translation);
	} waiting; /* for the same walk */
	struct ndp_core *core;
	struct cpu_event *then;
	struct cpu_trail *trail;
	uint64_t page;	/* of channel.tlb_page_bytes */
	uint32_t level; /* of its walk: the table that is read next, 0 is the last */
	bool is_old;	/* a TLB command has come meanwhile: it is not kept */
};

/* ---- a request at an NDP-M ---- */

struct near_request {
	struct cpu_event step;	     /* what it does next here: it comes, waits for room, looks up, is served */
	struct cpu_dram_access dram; /* its read of the memory */
	struct near_request *next;   /* of those that wait for the line, or of the free ones */
	struct ndp_m *m;
	struct ndp_core *core;	     /* NULL: of the bus */
	struct cpu_request *bus;
	uint64_t line, index;    /* index: of it, behind the channel */
	struct cpu_trail *trail; /* of who asks; NULL: nobody accounts */
	cpu_version version;   /* as read */
	uint8_t event;	       /* enum coh_event */
	uint8_t quarter, quarters; /* of a core's access: the first, and how many */
	bool is_prefetch;
	bool needs_old; /* of a core's: the bytes that were there before */
	bool is_storing; /* it waits for a place on its way into the memory, or has one */
	bool is_reading, is_read; /* the memory: under way; done, or brought by a line written back */
	bool is_served;		  /* it has only to be sent when read */
	bool is_ended;		  /* the rest of its read is of no use */
	bool is_snooping, is_snooped; /* on the bus, as each access is with channel.extended_bus */
};

/* A line, or some quarters of one, on their way from an NDP-M into its memory. */
struct near_write {
	struct cpu_dram_access dram;
	struct near_write *next; /* of the free ones */
	struct ndp_m *m;
	bool has_place; /* of the local queue's */
};

/* A line with something under way at its NDP-M: its miss status holding register. */
struct mshr {
	uint64_t line, index;
	struct mshr *next; /* of the bucket, or free */
	BASE_FIFO(struct near_request);
	struct near_request *serving; /* alone, in a transient state; else NULL */
	uint32_t reads;		      /* of shared lines, under way beside each other */
	uint32_t probes;	      /* not answered */
	uint8_t state;		      /* enum coh_state, while serving */
	uint32_t is_beginning;	      /* requests that begin just now: it is kept */
	bool is_held_up;	      /* the first waits for room in the directory's queue */
};

/* The sharers of an access' worth of bytes: the cores whose caches have them, a bit for each. */
enum { SHARERS_MAX = 64 };
struct sharers {
	uint64_t key;
	uint64_t cores; /* 0: a free place */
	uint8_t owner;	/* core + 1; 0: none */
} __attribute__((aligned(32)));

/* ---- the directory ---- */

enum near_state { NEAR_CPU, NEAR_NDP, NEAR_SHR, NEAR_UNDEFINED };

struct near_region {
	uint8_t state;	    /* enum near_state, for all lines; NEAR_UNDEFINED: items has them */
	uint8_t *items;	    /* 2 bits a line */
	uint32_t counts[3]; /* of lines, by state, with items */
	uint32_t in_transit; /* lines on the way to another state */
	bool is_claimed;     /* software just claims lines of it */
};

/* 2 bits each of so many lines. */
enum { ITEM_LINES = 128, ITEM_BYTES = ITEM_LINES / 4 };

/* An item of the directory that the memory is asked for, or that is written there. */
struct directory_read {
	struct cpu_dram_access dram;
	BASE_LINKS(struct directory_read) links; /* of those under way, or of the free ones */
	struct ndp_m *m;
	uint64_t item;
	struct {
		BASE_FIFO(struct near_request);
	} waiting;
	uint8_t states[ITEM_BYTES];   /* what is written; see items.c */
};

struct ndp_m {
	struct channel_system *s;
	uint32_t channel;
	struct mshr *lines[LINE_BUCKETS];
	struct sharers *sharers; /* by granule */
	uint32_t sharer_mask, sharer_shift, sharer_count;
	struct near_region *regions;
	struct cpu_tags directory_cache, tlb;
	uint32_t tlb_pages; /* that the TLB holds */
	struct translation *walks; /* under way */
	struct directory_read *directory_reads;
	struct base_map items_under_way; /* to the memory: struct directory_read */
	struct items *items;		 /* NULL: nobody follows them */
	/* Places that are taken, of requests until they are answered, of writes until the memory has them. */
	uint32_t local_taken, local_writes, remote_taken, processors_taken, processor_writes, directory_taken,
	    directory_writes;
	struct ndp_gate gates[GATE_COUNT];
	uint32_t waiting; /* in these, and before them at the cores */
	bool is_trying, has_room;
};

/* ---- cores ---- */

/* What a core has asked for: its one load or store, or a prefetch. */
struct ndp_ask {
	uint64_t granule;
	uint64_t asked_units, wanted_units; /* is_wanted: since when */
	bool is_busy, is_write, is_remote, is_wanted;
	bool is_gone; /* its page has gone meanwhile: no copy of a remote line stays */
};

/* Sets of ways; those of a set are one of the host's lines. */
enum { CORE_PAGE_SETS_LOG2 = 1, CORE_PAGE_SETS = 1 << CORE_PAGE_SETS_LOG2, CORE_PAGE_WAYS = 4 };

/* What each of its hits needs comes first, in few of the host's lines: hundreds of cores take turns, and its caches are
 * small. */
struct ndp_core {
	struct cpu_tags cache;	/* lines are granules; state: enum cpu_state, or CORE_REMOTE */
	uint32_t coming_count;	/* probes and answers on their way to it */
	uint32_t busy_count;	/* of asks */
	struct core_page {
		uint64_t page, granule; /* its first */
	} pages[CORE_PAGE_SETS][CORE_PAGE_WAYS]; /* that it has used; UINT64_MAX: none */
	struct channel_system *s;
	struct ndp_m *m;
	uint64_t address, end;	  /* of the access that waits */
	struct ndp_ask *asks;	  /* the first: the load or store; the others: prefetches */
	struct cpu_trail *trails; /* of these; NULL: nobody accounts */
	uint64_t coming_units;	  /* when the first of what is coming comes, if that is known */
	uint32_t unit;
	uint32_t number; /* of its NDP */
	enum cpu_op op;
	bool is_counted;		   /* where it is, its access has been counted */
	uint32_t next_way[CORE_PAGE_SETS]; /* where the next page of the set goes */
	struct ndp_gate gate;		   /* its link to the NDP-M */
	struct cpu_event fault;		   /* a page fault that it waits for */
} __attribute__((aligned(HOST_LINE_BYTES)));
_Static_assert(offsetof(struct ndp_core, pages) % HOST_LINE_BYTES == 0, "a set of pages is one of the host's lines");
enum { CORE_REMOTE = CPU_MODIFIED + 1 };

/* ---- the NDP-AP ---- */

enum { POINT_RESERVED = CPU_MODIFIED + 1, POINT_LOCKED }; /* states of its tags after enum cpu_state */

/* A remote access at the NDP-AP. */
struct remote {
	struct cpu_event event;
	struct remote *next;
	struct ndp_core *core;
	struct cpu_trail *trail; /* the core's */
	struct ndp_m *m; /* of the core */
	struct translation *walk; /* it reads an entry for it; NULL: it is an access */
	uint64_t line;
	uint64_t waiting_units; /* since when, if it is or was waiting for a lock */
	cpu_version version;
	uint8_t coh_event, quarter, quarters;
	uint8_t operand_bytes; /* of an atomic that the NDP-AP executes: they go there with the request */
	uint8_t answer_bytes;  /* that come back to the core: its quarters, or the word that such an atomic has found */
	bool is_prefetch; /* of a peer: no data go to the core */
	bool is_looked_up, is_waiting, is_placeless;
	bool is_asking; /* its request to the bus is under way */
	struct remote *next_placeless;
};

struct ndp_point {
	struct channel_system *s;
	uint32_t number, agent;
	struct cpu_tags cache;
	/* For a line: locked, asked for, or without a place; by a hash, in the order of coming. */
	struct remote *waiting[POINT_BUCKETS];
	/* By set of the cache: those that wait for a place in it, in the order in which they came to need one. */
	struct point_queue {
		BASE_FIFO(struct remote);
	} *placeless;
	struct net_wire in, out; /* its ports: lines from the bus; data to the NDP-Ms */
};

struct claim {
	struct cpu_claim claim;
	struct claim *next;
	struct ndp_m *m;
};

/* ---- messages, a struct for each kind ---- */

/* Messages between a core's cache and its NDP-M, about a granule. */
struct grant_message { /* what it has asked for */
	struct ndp_core *core;
	uint64_t granule;
	cpu_version version;
	bool is_owned;
	bool has_old; /* with it come the bytes that were there before */
};
struct probe_message { /* it is to share the granule, or to leave it */
	struct ndp_core *core;
	uint64_t granule;
	bool is_invalid;
};
struct answer_message { /* it has */
	struct ndp_core *core;
	uint64_t granule;
};
struct written_message { /* a modified granule that leaves it */
	struct ndp_core *core;
	uint64_t granule;
	cpu_version version;
};

/* Messages between an NDP-M and its NDP-AP. */
struct acknowledge_message { /* an Invalidate of the bus is done; is_lost: its line is the NDP's by now */
	struct cpu_request *bus;
	bool is_lost;
};
struct claimed_message { /* the line is claimed */
	struct ndp_m *m;
	uint64_t line;
};
struct summary_message { /* a region has one state */
	struct ndp_m *m;
	uint64_t region;
	uint8_t state; /* enum near_state */
};
struct forget_message { /* a TLB command */
	struct ndp_m *m;
	uint64_t address;
};
struct snoop_message { /* with channel.extended_bus: the request takes a slot of the bus */
	struct near_request *request;
};

struct message {
	struct cpu_event event;
	struct message *next; /* of the free ones */
	union {
		struct grant_message grant;
		struct probe_message probe;
		struct answer_message answer;
		struct written_message written;
		struct acknowledge_message acknowledge;
		struct claimed_message claimed;
		struct summary_message summary;
		struct forget_message forget;
		struct snoop_message snoop;
	};
};

struct channel_system {
	const struct channel_params *p;
	bool is_peer; /* channel.attachment */
	bool asks_nobody; /* channel.coherence */
	uint64_t message_ps;
	uint64_t cycle_units; /* of an NDP core's clock, exactly */
	struct cpu_system *cpu;
	struct cpu_common *c;
	struct cpu_bus *bus;
	struct cpu_channels *channels;
	struct cpu_pages *pages;
	struct cpu_near_ops near;
	struct channel_observer observer;
	struct coh_table table;
	struct channel_stats stats;
	struct ndp_m *ms;
	struct ndp_core *cores;
	struct ndp_point *points;
	uint8_t **shadow;     /* by channel and region: enum near_state */
	bool is_observed;
	struct base_table versions; /* of lines in the memory, where somebody observes */
	uint64_t item_fault_chances;
	BASE_POOL(struct near_request) request_pool;
	BASE_POOL(struct near_write) write_pool;
	BASE_POOL(struct mshr) mshr_pool;
	BASE_POOL(struct remote) remote_pool;
	BASE_POOL(struct claim) claim_pool;
	BASE_POOL(struct message) message_pool;
	BASE_POOL(struct directory_read) directory_read_pool;
	BASE_POOL(struct translation) translation_pool;
	uint32_t walk_levels; /* tables that a walk reads, one after the other */
	uint64_t regions_count, region_lines, region_shift; /* of 1 << region_shift lines */
	uint64_t channel_lines; /* of a channel, that pages may have; the directory comes behind them */
	/* Quarters in a core's line; such lines in one of the bus; both are powers of two, with their logarithms. */
	uint32_t granule_quarters, granules, quarters_shift, granule_shift;
	cpu_version quarters[QUARTERS]; /* of each core's line in one of the bus */
	/* What a core's hit before its turn needs. rows: how often these were done, by whether it writes, and whether
	 * the line is modified. */
	struct {
		uint64_t ps, page_mask, access_mask;
		uint32_t page_shift, access_shift;
		uint64_t *rows[2][2];
	} ahead;
	GArray *uninhibited;		     /* ranges of addresses that remote caches may keep */
	bool has_remote_copies;		     /* some cache may have kept one */
};

/* Whose event it is. */
static inline struct message *message_of(struct cpu_event *e)
{
	return base_owner(e, struct message, event);
}
static inline struct near_request *request_of(struct cpu_event *e)
{
	return base_owner(e, struct near_request, step);
}
static inline struct remote *remote_of(struct cpu_event *e)
{
	return base_owner(e, struct remote, event);
}
static inline struct claim *claim_of(struct cpu_event *e)
{
	return base_owner(e, struct claim, claim.event);
}
static inline struct translation *translation_of(struct cpu_event *e)
{
	return base_owner(e, struct translation, event);
}
static inline struct directory_read *read_of(struct cpu_event *e)
{
	return base_owner(e, struct directory_read, dram.event);
}

static inline uint64_t now_units(const struct channel_system *s)
{
	return cpu_now_units(s->c);
}
static inline uint64_t ps_units(const struct channel_system *s, uint64_t ps)
{
	return ps * s->c->per_ps;
}
static inline uint64_t cycles_units(const struct channel_system *s, uint64_t cycles)
{
	return cycles * s->cycle_units;
}
/* The line's number among those behind the channel. */
static inline uint64_t index_of(const struct ndp_m *m, uint64_t line)
{
	return cpu_line_index(m->s->c, line);
}
static inline cpu_version quarters_of(uint32_t first, uint32_t count)
{
	return (CPU_VERSION_ALL >> 16 * (QUARTERS - count)) << 16 * first;
}
/* What may change the core's cache is on its way to it from now on. */
static inline void channel_core_send(struct ndp_core *k, struct cpu_event *e)
{
	const uint64_t units = now_units(k->s) + ps_units(k->s, k->s->p->core_link_ps);

	if (!k->coming_count++)
		k->coming_units = units;
	cpu_event_at(&k->s->c->events, e, units);
}

/* queue.c */
void channel_queue_wait(struct ndp_m *m, struct ndp_gate *g, struct cpu_event *e, channel_queue_go *go);
/* go is called now, or in its turn, when there is room; true: now. */
static inline bool channel_queue_enter(struct ndp_m *m, struct ndp_gate *g, struct cpu_event *e,
				       channel_queue_go *go)
{
	if (likely(!g->count && go(e)))
		return true;
	channel_queue_wait(m, g, e, go);
	return false;
}
/* Something has left a queue of m. Not while a line of it is in the midst of a step. */
void channel_queue_room(struct ndp_m *m);
void channel_queue_free(struct ndp_m *m);

/* directory.c: the state of lines, and how long it takes to find. index: of the line, see index_of. */
void channel_directory_init(struct ndp_m *m);
void channel_directory_free(struct ndp_m *m);
static inline enum near_state channel_directory_state(const struct ndp_m *m, uint64_t index)
{
	const struct near_region *r = &m->regions[index >> m->s->region_shift];
	const uint64_t i = index & (m->s->region_lines - 1);

	return (enum near_state)(r->state != NEAR_UNDEFINED ? r->state : r->items[i / 4] >> 2 * (i % 4) & 3);
}
/* The state, in coh.def's words, of a line with nothing under way. */
static inline enum coh_state channel_directory_resting(const struct ndp_m *m, uint64_t index)
{
	static const enum coh_state states[] = {COH_HOME_CPU, COH_HOME_NDP, COH_HOME_SHR};

	return states[channel_directory_state(m, index)];
}
/* The line comes to this state, if it is one in which nothing is under way. */
void channel_directory_rest(struct ndp_m *m, uint64_t index, enum coh_state state);
void channel_directory_set(struct ndp_m *m, uint64_t index, enum near_state state);
/* Its queue has room for what a change of the line's state may push out of the cache. */
bool channel_directory_may_set(const struct ndp_m *m, uint64_t index);
/* r goes on, by channel_manager_ready, when the state of its line is known. */
void channel_directory_look_up(struct ndp_m *m, struct near_request *r, uint64_t units);
/* All lines are the processors', but for these, whose state stays; its cache is empty. */
void channel_directory_cold(struct ndp_m *m, const uint64_t *lines, uint32_t count);
/* One line more, or less, of the region is on its way to another state: the region is not summarised. */
void channel_directory_transit(struct ndp_m *m, uint64_t index, int32_t change);
/* All its lines are in this state, and stay there. */
void channel_directory_summarise(struct ndp_m *m, uint64_t region, enum near_state state);

/* region.c */
uint64_t channel_region_of(const struct ndp_m *m, uint64_t line);
bool channel_region_is_summarised(const struct channel_system *s, uint64_t region);
/* How many lines the region has: of a channel's last one the memory may have only a part. */
uint64_t channel_region_lines(const struct channel_system *s, uint64_t region);
/* The state of line i of a region that has items. */
void channel_region_set(struct near_region *r, uint64_t i, enum near_state state);
/* The line's state is the one that an item has by a planted mistake. */
void channel_region_believe(struct ndp_m *m, uint64_t index, enum near_state state);

/* items.c: with cpu.values=bytes, what is in the directory's items where these are: in the cache, on their way, in the
 * memory. The NDP-M goes by what comes into the cache, and by what a look-up finds there; without a planted mistake
 * that is what was written last. d: the item on its way; NULL: it is not. */
void channel_items_init(struct ndp_m *m);
void channel_items_free(struct ndp_m *m);
void channel_items_cold(struct ndp_m *m);
void channel_items_come(struct ndp_m *m, const struct directory_read *d, uint64_t item);
void channel_items_leave(struct ndp_m *m, uint64_t item);
/* A line's state changes, in the cache. */
void channel_items_set(struct ndp_m *m, uint64_t index, enum near_state state);
void channel_items_found(struct ndp_m *m, uint64_t index);
/* One of the chances for this mistake, which is planted, and taken. */
bool channel_items_mistake(struct channel_system *s, enum channel_item_fault fault);
/* The cache's goes its way to the memory, or what a region is filled with; it is there. */
void channel_items_write(struct ndp_m *m, struct directory_read *d);
void channel_items_written(struct ndp_m *m, const struct directory_read *d);
/* All of it is as its region says now, in the cache if it is there, on its way, and in the memory where nothing has to
 * be written. */
void channel_items_fill(struct ndp_m *m, struct directory_read *d, uint64_t item, bool is_cached);

/* sharers.c: who of the NDP's caches has a granule. */
void channel_sharers_init(struct ndp_m *m);
/* The host fetches what it will look into. */
void channel_sharers_prefetch(const struct ndp_m *m, uint64_t granule);
/* NULL: nobody. Until the next one that is added or dropped. */
struct sharers *channel_sharers_find(const struct ndp_m *m, uint64_t granule);
void channel_sharers_add(struct ndp_m *m, uint64_t granule, uint32_t core, bool is_owner);
void channel_sharers_drop(struct ndp_m *m, uint64_t granule, uint32_t core);
void channel_sharers_free(struct ndp_m *m);

/* probe.c */
static inline uint64_t request_granule(const struct near_request *r)
{
	return (r->line * QUARTERS + r->quarter) >> r->m->s->quarters_shift;
}
/* Does a cache of the NDP stand against the request? Of a core it is about its granule, of the bus about the line. */
bool channel_probe_is_due(const struct near_request *r);
/* These caches share the granules or leave them, each by manager_answer. */
void channel_probe_send(struct mshr *l, const struct near_request *r, bool is_invalid);

/* mshr.c */
/* The granule will be asked for, or written back: the host fetches what is kept of it and of its line. */
void channel_mshr_fetch(const struct ndp_m *m, uint64_t granule);
struct mshr *channel_mshr_find(struct ndp_m *m, uint64_t line);
struct mshr *channel_mshr_get(struct ndp_m *m, uint64_t line, uint64_t index);
void channel_mshr_put(struct ndp_m *m, struct mshr *l);

/* translate.c: the TLB of an NDP-M. */
void channel_translate_init(struct ndp_m *m);
void channel_translate_free(struct ndp_m *m);
/* e happens at units, when the ERAT has been looked up, or, where the TLB lacks the page of the core's access, when
 * that has been walked for. trail: of the access. */
void channel_translate(struct ndp_core *core, uint64_t units, struct cpu_event *e, struct cpu_trail *trail);
/* Has it the page of the address, or is that walked for? */
bool channel_translate_has(const struct ndp_m *m, uint64_t address);
/* No longer, now; what is walked for is not kept. */
void channel_translate_forget(struct ndp_m *m, uint64_t address);
void channel_translate_cold(struct ndp_m *m);
/* By the NDP-AP, which has walked for it: the translation is there. */
void channel_translate_walked(struct translation *t);

/* manager.c: the NDP-M. */
void channel_manager_init(struct ndp_m *m, struct channel_system *s, uint32_t channel);
void channel_manager_free(struct ndp_m *m);
void channel_manager_ready(struct near_request *r);
/* From a core, at its end of the link, now. */
void channel_manager_ask(struct ndp_core *core, uint64_t granule, enum cpu_op op, uint64_t units,
			 struct cpu_trail *trail);
void channel_manager_write_back(struct ndp_core *core, uint64_t granule, cpu_version version);
void channel_manager_answer(struct ndp_core *core, uint64_t granule);
/* The NDP-AP's acknowledgment, a struct message of m and line, has come. */
void channel_manager_acknowledged(struct cpu_event *e);
void channel_manager_snooped(struct near_request *r);
bool channel_manager_read(void *system, struct cpu_request *r);
bool channel_manager_write(void *system, struct cpu_channel_access *a);
void channel_manager_written(void *system, uint64_t line);
/* At the NDP-AP: it is sent when the NDP-M has a place for it. */
void channel_manager_invalidate(struct ndp_m *m, struct cpu_request *r);
/* What software's claims ask for: is something under way? The memory gets a line; the NDP's caches share or drop it. */
bool channel_manager_is_busy(struct ndp_m *m, uint64_t line);
/* After its cores: lines are the processors', but for those with something under way. */
void channel_manager_cold(struct ndp_m *m);
void channel_manager_store(struct ndp_m *m, uint64_t line, cpu_version version);
void channel_manager_take(struct ndp_m *m, uint64_t line, bool is_invalid);
struct ndp_m *channel_manager_of(struct channel_system *s, uint64_t line);
cpu_version channel_memory_version(const struct channel_system *s, uint64_t line);

/* core.c */
void channel_core_ahead_init(struct channel_system *s);
void channel_core_free(struct ndp_core *k);
/* The page may lie elsewhere, or nowhere, from now on; all pages. */
void channel_core_forget(struct ndp_core *k, uint64_t page);
void channel_core_forget_pages(struct ndp_core *k);
/* Leaves or shares the granule at once; true: it was modified. */
bool channel_core_take(struct ndp_core *k, uint64_t granule, bool is_invalid, cpu_version *version);
bool channel_core_asks(struct ndp_core *k, uint64_t line);
/* It has the granule modified. */
bool channel_core_owns(const struct ndp_core *k, uint64_t granule);
/* Its cache is empty but for what is under way; nothing is written back. */
void channel_core_cold(struct ndp_core *k);
/* Returns how many lines it has looked at. */
uint64_t channel_core_flush(struct ndp_core *k, uint64_t begin, uint64_t end);
/* Copies of these lines as remote ones, which nothing else takes from it. */
void channel_core_leave_remote(struct ndp_core *k, uint64_t first_line, uint64_t end_line);
void channel_core_init(struct ndp_core *k, struct channel_system *s, struct ndp_m *m, uint32_t number, uint32_t unit);
/* has_old: the bytes that were there before are in version, or the core has them. */
void channel_core_grant(const struct grant_message *g);
void channel_core_probe(struct ndp_core *k, uint64_t granule, bool is_invalid);
/* What it asked an NDP-AP for has come. */
void channel_core_remote(struct ndp_core *k, struct remote *r);
/* The peer's cache has the remote line that it has asked for by a prefetch. */
void channel_core_fetched(struct ndp_core *k, uint64_t granule);

/* point.c: the NDP-AP. */
void channel_point_init(struct ndp_point *a, struct channel_system *s, uint32_t number);
void channel_point_claim(struct ndp_m *m, uint64_t line, bool is_write);
bool channel_point_invalidate(void *system, struct cpu_request *r);
/* A read on the bus that no cache there answers: the line may be at an NDP. */
bool channel_point_shares(void *system, uint64_t line);
/* May an NDP have a copy of the line? Changes nothing. */
bool channel_point_is_beyond(void *system, uint64_t line);
/* With channel.extended_bus: r takes a slot of the bus and goes on by channel_manager_snooped; all NDPs are asked. */
void channel_point_snoop(struct near_request *r);
uint64_t channel_point_ask_all(void *system);
/* A TLB command about the page of the address, which begins with the line, is passed on to m, or not. Returns when m
 * has answered; 0: it is not. */
uint64_t channel_point_tlb_command(struct ndp_m *m, uint64_t line, uint64_t address);
/* From m, now: the tables are read, one after the other. */
void channel_point_walk(struct ndp_m *m, struct translation *t);
void channel_point_free(struct ndp_point *a);
/* What is neither locked nor asked for is gone, without being written back. */
void channel_point_cold(struct ndp_point *a);
void channel_point_summarised(struct ndp_m *m, uint64_t region, enum near_state state);
/* A line of the region is no longer as the summary has it. */
void channel_point_changed(struct ndp_m *m, uint64_t region);
/* From a core, at units. */
void channel_point_ask(struct ndp_core *core, uint64_t granule, uint32_t bytes, enum cpu_op op, uint64_t units,
		       struct cpu_trail *trail);
void channel_point_return(struct remote *r);

/* software.c: a page goes or moves, and copies of its line in the NDP's caches with it, to the memory if they are
 * modified. A line with something under way stays as it is. */
void channel_software_leave(void *system, uint64_t line);
/* See struct cpu_near_ops. */
uint64_t channel_software_forget(void *system, uint64_t page, enum cpu_translation why);

/* message.c */
struct message *channel_message_new(struct channel_system *s, void (*fire)(void *self, struct cpu_event *e));
uint64_t channel_message_up(struct channel_system *s, uint32_t channel);
/* A message with data behind it. */
uint64_t channel_message_up_with(struct channel_system *s, uint32_t channel, uint32_t data_bytes);
uint64_t channel_message_down(struct channel_system *s, uint32_t channel);
void channel_observe(struct channel_system *s, uint32_t unit, uint64_t line, cpu_version quarters, bool is_write,
	     cpu_version version);
/* See struct channel_observer. */
void channel_moved(struct channel_system *s, uint64_t line, cpu_version quarters, uint32_t unit);

#endif
