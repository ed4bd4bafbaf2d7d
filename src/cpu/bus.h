/* bus.h - the system bus: requests for lines take its slots, all agents on it snoop; the last level; and the seam to
 * what serves a line that no cache has (the home).
 *
 * Per line one request is under way, others wait for it. At its slot all other agents answer: who has to leave the line
 * has not got it any more from then on, and who has it modified hands it over. The agent that asks has it when the
 * request ends; in between nobody has.
 */
#ifndef STRATA_CPU_BUS_H
#define STRATA_CPU_BUS_H

#include "base/list.h"
#include "cpu/common.h"
#include "cpu/sockets.h"
#include "cpu/tags.h"

/* One agent's request for one line: under way, or waiting for the one that is. */
struct cpu_request {
	struct cpu_event event;
	uint64_t line;
	cpu_version version; /* of the line that another agent has handed over, a last level had, or the home sends */
	struct cpu_request *next;    /* of the bucket; the home's while it has it */
	struct cpu_request *waiting; /* for this one to end, in the order of coming; of one that waits: the next */
	struct cpu_request *next_locked; /* of those that wait for a locked line */
	uint32_t agent;
	uint32_t tag; /* the agent's own */
	struct cpu_trail *trail; /* its own; NULL: nobody accounts */
	uint64_t begun_units; /* when the agent asked */
	uint8_t op;   /* enum cpu_op */
	bool is_ending;	 /* a cache or the last level answers it: a claim waits for its end */
	bool is_at_home; /* the home has been asked for it */
	bool is_alone;	 /* of a read: nobody else has the line */
	bool is_handed;	 /* another agent had the line modified: it is on its way, in no cache */
	bool is_sent;	 /* of several sockets: a last level had it at the slot */
	uint64_t asked_units; /* all that is behind the home has been asked then; see struct cpu_home_ops */
};

/* Asks all agents to share a line or to leave it (is_write) for who is behind the home: an NDP. What they have modified
 * goes to the home, as lines written back; then done is called. A request that is at the home is no hindrance: it gets
 * the line after that. */
struct cpu_claim {
	struct cpu_event event;
	uint64_t line;
	bool is_write;
	struct cpu_claim *next; /* of those that wait */
	bool is_waiting, is_coming; /* in that list; nothing is in its way any more, it comes at once */
	void (*done)(void *self, struct cpu_claim *c);
	void *self;
};

/* Who snoops and asks for lines. CPU_SHARED as an answer to a snoop also means "it may be here": nobody else gets the
 * line as its only holder by a read. */
struct cpu_agent_ops {
	/* What it has of the line; *version is set where it has it. Changes nothing. */
	enum cpu_state (*state)(const void *self, uint64_t line, cpu_version *version);
	/* Another agent's request has its slot: the line, which is here, is left (is_write) or shared from now on. */
	void (*snoop)(void *self, uint64_t line, bool is_write);
	/* Its own request has its slot, and the others leave or share the line now: until the request ends, nobody else
	 * gets it. The agent may change the request's tag. NULL: it need not know. */
	void (*ordered)(void *self, struct cpu_request *r);
	/* Its own request has ended: the line is there, modified for a write, exclusive if r->is_alone. r is the bus'
	 * again on return. */
	void (*grant)(void *self, const struct cpu_request *r, cpu_version version);
	/* Another request on the line has ended, for which this one waited. False: it goes to the bus. */
	bool (*again)(void *self, const struct cpu_request *r);
	/* Its own request, or the one that it waits for, has been asked of the home (is_there), or has ended after
	 * that. NULL: it need not know. */
	void (*at_home)(void *self, const struct cpu_request *r, bool is_there);
	/* Others' requests and claims wait until it calls cpu_bus_unlocked. NULL: never. */
	bool (*is_locked)(const void *self, uint64_t line);
	/* It is beyond a link, and has the line: asks it to leave or share that, now; returns when its answer, or the
	 * line that it has modified, is at the bus. NULL: the bus' own times say so. */
	uint64_t (*ask)(void *self, uint64_t line, bool is_modified);
};

/* What is behind the bus and its last level. */
struct cpu_home_ops {
	/* Does a home that is the last level itself, for a bus without one (llc_bytes is 0), have the line that r is
	 * going to read? Changes nothing. NULL: the home is no last level. */
	bool (*holds)(const void *self, const struct cpu_request *r);
	/* Reads the line for r (r->op says what for), whose slot is now, and ends r by cpu_bus_end_at. */
	void (*read)(void *self, struct cpu_request *r);
	/* A modified line leaves the last level of a socket, now. Is not refused. */
	void (*write_back)(void *self, uint64_t line, cpu_version version, uint32_t socket);
	/* r is a write of a line that caches on the bus have, none of them modified. False: nobody behind the home
	 * needs to know. True: it calls cpu_bus_acknowledge. NULL: false. */
	bool (*invalidate)(void *self, struct cpu_request *r);
	/* A read ends for which no cache on the bus has the line: may others have it? NULL: no. */
	bool (*shares)(void *self, uint64_t line);
	/* May somebody behind the home have a copy of the line, who is told of a store when its Invalidate comes?
	 * Changes nothing. NULL: no. */
	bool (*is_beyond)(void *self, uint64_t line);
	/* A request has its slot, no agent has answered yet, and the bus reaches over links: returns when all beyond
	 * them have answered, before which the request does not end. NULL: it does not. */
	uint64_t (*snoop)(void *self, const struct cpu_request *r);
	/* The version of the line's newest bytes behind the bus; 0 while nobody observes. */
	cpu_version (*version)(const void *self, uint64_t line);
};

enum { CPU_BUCKETS = 4096, CPU_AGENTS_BESIDE = 8 /* besides cores */ };

struct cpu_agent {
	const struct cpu_agent_ops *ops;
	void *self;
	bool is_beside_llc; /* what it reads and writes back is not put there */
};

struct cpu_bus {
	struct cpu_common *c;
	struct cpu_agent *agents;
	uint32_t agent_count, agents_max;
	const struct cpu_home_ops *home_ops;
	void *home;
	struct cpu_tags *llc; /* its slices, socket by socket; NULL: the home is the last level */
	struct cpu_sockets sockets;
	struct cpu_request *buckets[CPU_BUCKETS];
	BASE_POOL(struct cpu_request) requests;
	BASE_POOL(struct cpu_trail) trails; /* of requests, also of unused ones, where there is an account */
	uint64_t *slot_free_units, tick_units;
	struct cpu_claim *claims;   /* that wait */
	struct cpu_request *locked; /* requests that wait for a locked line */
	bool has_locks;
	bool has_links; /* an agent is beyond one */
};

void cpu_bus_init(struct cpu_bus *b, struct cpu_common *c, uint32_t domain, uint32_t agents_max);
void cpu_bus_home(struct cpu_bus *b, const struct cpu_home_ops *ops, void *self);
void cpu_bus_free(struct cpu_bus *b);
/* The last level is empty. */
void cpu_bus_cold(struct cpu_bus *b);
/* Returns its number, from 0. */
uint32_t cpu_bus_agent(struct cpu_bus *b, const struct cpu_agent_ops *ops, void *self);

/* The request on the line that is under way, with those that wait for it; NULL: none. */
const struct cpu_request *cpu_bus_under_way(const struct cpu_bus *b, uint64_t line);
/* Has another agent than this one the line, or asked for it? */
bool cpu_bus_is_elsewhere(const struct cpu_bus *b, uint32_t agent, uint64_t line);
/* May there be copies of the line behind the home? */
static inline bool cpu_bus_is_beyond(const struct cpu_bus *b, uint64_t line)
{
	return b->home_ops->is_beyond && b->home_ops->is_beyond(b->home, line);
}
/* The agent has no line good enough for op: asks for it, at units or later. */
void cpu_bus_ask(struct cpu_bus *b, uint32_t agent, uint64_t line, enum cpu_op op, uint32_t tag, uint64_t units);
/* A modified line leaves an agent's cache. */
void cpu_bus_write_back(struct cpu_bus *b, uint32_t agent, uint64_t line, cpu_version version);
/* A modified line leaves the cache of an agent that is beside the last level. */
void cpu_bus_write_beside(struct cpu_bus *b, uint64_t line, cpu_version version);
bool cpu_bus_is_locked(const struct cpu_bus *b, uint64_t line);
/* A claim waits for the line: who would lock it asks for it behind that. */
bool cpu_bus_is_claimed(const struct cpu_bus *b, uint64_t line);
/* The line is no longer locked by an agent. */
void cpu_bus_unlocked(struct cpu_bus *b, uint64_t line);
/* Takes a slot at units or later; line, is_write, done and self are set. */
void cpu_bus_claim(struct cpu_bus *b, struct cpu_claim *claim, uint64_t units);
/* Takes a slot at units or later, and returns when it is, for who is behind the home and only asks whether the line is
 * anywhere. */
uint64_t cpu_bus_slot_beside(struct cpu_bus *b, uint64_t units);
/* At once: all agents and the last levels share the line or leave it (is_write). True: one had it modified, *version.
 */
bool cpu_bus_take(struct cpu_bus *b, uint64_t line, bool is_write, cpu_version *version);
/* The home has invalidated what it was asked to, now. is_lost: a claim has taken the line from all caches. */
void cpu_bus_acknowledge(struct cpu_bus *b, struct cpu_request *r, bool is_lost);
/* The version of the agent's copy; where it has none, of the copy that it would get now. */
cpu_version cpu_bus_version(const struct cpu_bus *b, uint32_t agent, uint64_t line);
/* The home ends the request at units. */
void cpu_bus_end_at(struct cpu_bus *b, struct cpu_request *r, uint64_t units);

#endif
