/* priv.h - what the files of system/ share. */
#ifndef STRATA_DC_SYSTEM_PRIV_H
#define STRATA_DC_SYSTEM_PRIV_H

#include <glib.h>

#include "base/check.h"
#include "base/divide.h"
#include "base/list.h"
#include "cpu/bus.h"
#include "dc/system/system.h"
#include "mem/tags.h"
#include "net/req.h"
#include "net/wire.h"

#define DC_NEVER UINT64_MAX
enum { DC_SOCKETS_MAX = 4 };
enum { DC_FETCH_BUCKETS = 1 << 14, DC_WAY_BYTES = 131072, DC_TMUS_MAX = 64, DC_TMU_ROWS = 256 /* that it holds */ };

enum dc_cb_state { DC_CB_IDLE, DC_CB_RUN, DC_CB_ACCESS, DC_CB_FEED, DC_CB_WAVE, DC_CB_SWAP };
enum dc_swap_stage { DC_SWAP_NONE, DC_SWAP_OUT, DC_SWAP_IN }; /* rows have left; the operations are done */

/* A control block: a way of a slice. Times are in cycles. */
struct dc_cb {
	struct dc_system *system;
	struct sim_comp comp;
	struct dc_block *block; /* NULL until it is first used */
	uint32_t *registers; /* of all its launches */
	uint32_t index, slice;
	uint8_t state; /* enum dc_cb_state */
	uint32_t ctas; /* of those on it, to be counted when they end; parts of one count at its last */
	uint64_t cycle; /* when its next word begins */
	uint64_t filled; /* when its CTAs came */
	uint32_t fed_to; /* words below have been fed */
	/* Where it is in the words that its CTAs execute, and how many of these were rounds of loops that are sent
	 * again in each: the same in control blocks that are in the same round. */
	uint64_t place, rounds_words;
	uint64_t fed_words; /* in this run, that the host has to send */
	bool is_last; /* its last word has been executed: it ends at `cycle`, or with the access under way */
	/* the access under way */
	struct dc_access access;
	uint64_t asked; /* when its word began */
	uint64_t slots_end, arrived; /* of its word's slots; of its last line so far */
	uint64_t wait_from; /* for an MSHR, or for room in the transpose units */
	/* Rows of scratch without room, of the word that is next or has just been executed. */
	uint8_t swap; /* enum dc_swap_stage */
	uint32_t banks; /* with a thread; of the plain translator, whose arrays have lanes of their own, arrays */
	uint32_t parked_rows; /* in the slice's transpose units */
	uint32_t swapped_word;
	uint32_t next_line, pending;
	struct dc_cb *next; /* in a slice's list of those that wait for an MSHR, or of the system's for words */
};

/* A line in a way of the last level that is cache. */
enum { DC_TAG_CLEAN = 1, DC_TAG_DIRTY, DC_TAG_COPY };
struct dc_tag {
	MEM_TAG; /* state: of DC_TAG_CLEAN ...; a copy is of a line whose home is in another socket */
};

/* Who asks for a line: an access of a control block, a slice that wants a copy of it for those of its socket, or a core
 * of the host. */
struct dc_asker {
	struct dc_cb *cb; /* NULL: a slice */
	uint32_t line;	  /* of the access; of a core of the host its socket */
	struct dc_fetch *copy; /* the slice's */
	struct cpu_request *host; /* of a core of the host; else NULL */
};

struct dc_waiter {
	struct dc_asker who;
	struct dc_waiter *next;
};

/* A line on its way between a home slice and memory, or, as a copy, from its home to a slice of another socket. */
struct dc_fetch {
	uint64_t line, ready; /* may be offered from then on */
	uint64_t physical;    /* where the memory has it: set when it is queued */
	bool is_write, makes_dirty;
	bool is_entry; /* written back before a kernel begins */
	bool is_crossing, is_stale; /* a copy that its home has sent; and a store has changed the line since */
	uint32_t home; /* or the slice that wants the copy */
	struct dc_waiter *waiters, *last_waiter; /* in the order in which they came */
	struct dc_fetch *next, *chain; /* in the home's queue; of its bucket */
};

struct dc_slice {
	struct dc_system *system;
	struct sim_comp comp;
	uint32_t index, socket;
	uint64_t out_free[DC_TMUS_MAX], in_free[DC_TMUS_MAX]; /* of each transpose unit: see dc_take */
	uint64_t crossbar_out_free, crossbar_in_free, mshr_free, port_free, atomic_free;
	uint32_t mshr_used;
	struct dc_cb *wait_first, **wait_end; /* for an MSHR */
	uint32_t parked_rows; /* of its control blocks, in its transpose units */
	struct {
		BASE_FIFO(struct dc_cb);
	} swap_waits; /* for room there */
	struct dc_fetch *queue, **queue_end;
	bool is_refused;
	/* ways that are cache */
	struct {
		MEM_TAGS(struct dc_tag);
	} cache;
	uint32_t way_count; /* now; ways above hold nothing */
};

/* A line between sockets, and one direction of the link: in the order in which they arrive. */
struct dc_crossing {
	uint64_t at;
	struct dc_asker who;
	struct dc_crossing *next;
	bool is_answer;
};
struct dc_link {
	struct dc_system *system;
	struct sim_comp comp;
	/* Units are thousandths of a cycle. Messages go before lines, which wait for both. */
	struct net_wire wire, messages;
	struct dc_crossings {
		BASE_FIFO(struct dc_crossing);
	} lines, requests;
};

struct dc_system {
	struct dc_host *host; /* its cores; NULL: no kernel runs there */
	struct sim_ctx *ctx;
	const struct dc_params *p;
	struct mem_memory *memory;
	struct dc_behind behind;
	uint32_t interleave_shift, frame_mask; /* of pages that the MMU moves within a block of them */
	struct base_divisor by_channels;
	uint64_t *channel_lines, window_lines; /* [channels]: of these last lines */
	uint32_t domain, slice_count, cb_count, set_count;
	uint32_t line_shift, page_shift;
	struct base_divisor by_sockets, by_slices; /* slices of a socket */
	struct dc_slice *slices;
	struct dc_cb *cbs;
	struct dc_fetch *buckets[DC_FETCH_BUCKETS];
	BASE_POOL(struct dc_fetch) fetch_pool;
	BASE_POOL(struct dc_waiter) waiter_pool;
	BASE_POOL(struct dc_crossing) crossing_pool;
	struct dc_link links[2]; /* to higher sockets, to lower ones */
	uint64_t llc_cycles, link_cycles; /* the link one way */
	bool has_copies; /* some slice has, or has had, a copy of a line of another socket */
	uint32_t *registers; /* of all control blocks; the host maps pages of those that are used */
	uint32_t near_sockets; /* whose channels are their own; 1: all channels are as near to each */
	struct base_divisor by_near_channels, by_pages;
	uint64_t frame_count, frames_used[DC_SOCKETS_MAX]; /* of pages, in the channels of a socket */
	uint8_t *page_sockets; /* [pages of the memory] first_touch: 0, or who touched first plus 1; else NULL */
	uint32_t *page_frames; /* [the same] which of the socket's it has */
	struct dc_stats stats;
	struct sim_sampler *sampler; /* NULL: off */
	struct sim_spans *spans;     /* NULL: off */
	uint64_t limit_units;
	/* the launch */
	struct dc_program *program;
	struct simt_launch *launch;
	uint64_t cta_count, next_cta, start_cycle, threads;
	uint64_t enter_cycle; /* when its first CTAs begin */
	uint32_t ctas_per_block, parts_per_cta, active, used_cbs, cache_ways;
	uint64_t shared_bytes, local_bytes, segments; /* of a control block; where they are */
	uint64_t entry_left; /* lines to be written back before it begins */
	bool is_spread; /* each CTA has a control block of its own */
	bool is_wrong;
	volatile int stop; /* enum device_stop */
	/* feeding */
	uint64_t feed_free_milli;
	uint64_t *sent_milli; /* [words of the kernel]: broadcast: when each of the first sent_to was there */
	uint32_t sent_to, sent_most; /* sent_most: of all rounds of this wave */
	uint64_t sent_rounds_words;  /* of the round that is being sent */
	uint64_t slowest;	     /* the place of the slowest of the group */
	struct dc_cb *feed_first;
};

static inline uint64_t dc_max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline uint64_t dc_now(const struct dc_system *s)
{
	return sim_cycle_now(s->ctx->engine, s->domain);
}

static inline uint64_t dc_ps(const struct dc_system *s, uint64_t cycle)
{
	return sim_ps_of_units(s->ctx->engine, cycle * sim_period_units(s->ctx->engine, s->domain));
}

/* A unit that takes count things, `rate` a cycle: from at the earliest; returns the cycle in which the last is through.
 * free counts places, `rate` to a cycle: what comes next may take those that are left of the same cycle. */
static inline uint64_t dc_take(uint64_t *free, uint64_t at, uint64_t count, uint64_t rate, uint64_t *waited)
{
	const uint64_t start = dc_max(*free, at * rate);

	*waited += start / rate - at;
	*free = start + count;
	return (*free + rate - 1) / rate;
}

/* samples.c: what duality.sample_ps samples, of a system that is being built. */
struct sim_sampler *dc_sampler_new(const struct dc_system *s);

/* mmu.c: DC-pages (section 3.3): where the memory's controller finds an address of the device's. */
uint64_t dc_physical(const struct dc_system *s, uint64_t address);
/* The page of an address among those that there are. */
uint64_t dc_page_of(const struct dc_system *s, uint64_t address);
void dc_mmu_init(struct dc_system *s);
void dc_mmu_free(struct dc_system *s);
/* duality.pages=first_touch: a page that nobody has asked for yet is this socket's from now on, or, where that has no
 * room, another one's. */
void dc_mmu_touch(struct dc_system *s, uint64_t line, uint32_t socket);
/* A line is asked of the memory, or given to it. */
void dc_channel_count(struct dc_system *s, uint64_t physical);
/* Counts the lines of the channel that had most of the last ones, and begins anew: also between kernels. */
void dc_channels_settle(struct dc_system *s);
static inline uint64_t dc_mix(uint64_t x)
{
	x *= 0x9e3779b97f4a7c15ull;
	return x ^ x >> 29;
}

/* The socket in which a line is at home: pages go round the sockets, and where these have channels of their own in an
 * order that a hash turns, so that no stride of pages has one socket's alone. */
static inline uint64_t dc_socket_of(const struct dc_system *s, uint64_t line)
{
	const uint8_t touched = s->page_sockets ? s->page_sockets[dc_page_of(s, line)] : 0;
	uint64_t page = line >> s->page_shift, rest, group;

	if (touched)
		return touched - 1u;
	if (s->near_sockets > 1) /* the page among those that there are: no two have the same place */
		base_divide(page, &s->by_pages, &page);
	group = base_divide(page, &s->by_sockets, &rest);
	if (s->near_sockets > 1 && s->p->page_shuffle)
		base_divide(rest + (dc_mix(group) >> 24), &s->by_sockets, &rest);
	return rest;
}

/* slice.c */
void dc_slice_tick(void *slice, uint64_t cycle);
void dc_link_tick(void *link, uint64_t cycle);
/* system.c: the first fault of a launch; drops all that is on its way, after an aborted one. */
void dc_system_fault(struct simt_launch *l, enum simt_fault_kind kind, const char *text);
void dc_system_clean(struct dc_system *s);
/* slice.c: the line that a core of the host in this socket asks for; dc_host_line is called when it is there. */
void dc_host_read(struct dc_system *s, struct cpu_request *r, uint32_t socket, uint64_t at);
/* A line that its second level had modified comes to its home. */
void dc_host_write(struct dc_system *s, uint64_t line, uint32_t socket, uint64_t at);
/* Do the ways where it is looked for first have the line? Is there a copy in another socket than its home's? */
bool dc_host_holds(struct dc_system *s, uint64_t line, uint32_t socket, bool is_write);
bool dc_host_has_copies(struct dc_system *s, uint64_t line);
/* Copies become invalid; when those who had them have said so. */
uint64_t dc_host_invalidates(struct dc_system *s, uint64_t line, uint64_t at);
/* A core's request asks the caches of the cores in another socket, which answer, with the line if they have it alone:
 * when the answer is there, besides the time until it is given. 0: nothing is between the two. */
uint64_t dc_host_crosses(struct dc_system *s, uint64_t line, uint32_t from, uint32_t to, bool has_line, uint64_t at);
/* host_home.c */
void dc_host_line(struct dc_system *s, struct cpu_request *r, uint64_t at);
/* swap.c: rows that must leave for the word's operations, of a bank; of the array that needs most. */
uint32_t dc_swap_rows(const struct dc_system *s, const struct dc_word *w);
/* Rows of each bank leave from now on and come back, for what a word does again: the cycle in which they are there. */
uint64_t dc_swap_again(struct dc_cb *cb, uint32_t rows);
/* The rows leave now, and the word is executed at cb->cycle; false: there is no room, and cb is woken. */
bool dc_swap_begin(struct dc_cb *cb, const struct dc_word *w);
/* They come back: the next word begins at cb->cycle. */
void dc_swap_end(struct dc_cb *cb, const struct dc_word *w);
/* How many times the operations of a word are done, each time in as many banks and arrays as there is room for. */
uint32_t dc_swap_passes(const struct dc_cb *cb, const struct dc_word *w);
/* Can the kernel's words be executed? Else l->fault says why. */
bool dc_swap_fits(const struct dc_system *s, struct simt_launch *l);
/* Rows of some banks through transpose units of a slice, those of each bank through the one that is free first; when
 * the last one has passed. */
uint64_t dc_transpose(struct dc_system *s, uint64_t *free, uint64_t at, uint32_t rows, uint32_t banks);
/* The access of a control block whose word begins now; it is woken when it ends. */
void dc_access_begin(struct dc_cb *cb);
/* Accelerator mode: so many ways stay cache; what is dirty in the others is written back, and counted in entry_left. */
void dc_slice_enter(struct dc_slice *slice, uint32_t ways);
/* In cache mode: the host has written these bytes. */
void dc_slices_written(struct dc_system *s, uint64_t address, uint64_t bytes);
/* After an aborted launch, and before the first: cache mode, all ways empty. */
void dc_slices_reset(struct dc_system *s);

/* system.c: all that was to be written back before the launch has been. */
void dc_entered(struct dc_system *s);

/* block.c */
void dc_cb_tick(void *cb, uint64_t cycle);
void dc_cb_access_done(struct dc_cb *cb, uint64_t cycle);
/* Gives CTAs to a control block that has none; false: there are no more. */
bool dc_cb_fill(struct dc_cb *cb, uint64_t cycle);

#endif
