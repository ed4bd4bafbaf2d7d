/* priv.h - private to gpu/: the machine's parts and how they are wired. */
#ifndef STRATA_GPU_PRIV_H
#define STRATA_GPU_PRIV_H

#include <glib.h>

#include "base/list.h"
#include "gpu/ext.h"
#include "gpu/gpu.h"
#include "gpu/sm.h"
#include "mem/map.h"
#include "mem/stack.h"
#include "net/network.h"
#include "net/port.h"
#include "sim/spans.h"

enum { GPU_STACKS_MAX = 64 }; /* as gpu.stack_count */

/* Where a port is (net/port.h), and what its number says. */
enum gpu_place {
	GPU_PLACE_CLUSTER, /* behind the crossbar: its output */
	GPU_PLACE_SLICE,   /* an L2 slice, the one of the request */
	GPU_PLACE_LINK,	   /* the GPU's end of the stacks' links */
	GPU_PLACE_STACK,   /* a stack: which */
};

/* Who has served a request: a stack's memory, by its number, or one of these. */
enum { GPU_AT_L2 = UINT32_MAX - 1, GPU_AT_HOST };

/* Where code lies in the address space, for the instruction caches: far above every allocation. */
#define GPU_CODE_BASE 0x0000600000000000ull
/* Where kernels' parameters lie, if they are read through the constant cache: above all code. */
#define GPU_PARAM_BASE (GPU_CODE_BASE + 0x10000 * 0x100000ull)

struct memory_stats {
#include "sim/stat_fields.inc"
#include "gpu/memory_stats.def"
#include "sim/stat_end.inc"
};
struct gpu_stats {
#include "sim/stat_fields.inc"
#include "gpu/gpu_stats.def"
#include "sim/stat_end.inc"
};
struct pages_stats {
#include "sim/stat_fields.inc"
#include "gpu/pages_stats.def"
#include "sim/stat_end.inc"
};
struct mmu_stats {
#include "sim/stat_fields.inc"
#include "gpu/mmu_stats.def"
#include "sim/stat_end.inc"
};
extern const struct sim_stat_table gpu_stat_table, gpu_memory_stat_table, gpu_mmu_stat_table, gpu_sm_stat_table,
    gpu_l2_stat_table, gpu_l2_far_stat_table, gpu_host_link_stat_table, gpu_pages_stat_table, gpu_switch_stat_table;

/* The SM side of a crossbar port: its SMs take turns in sending; what arrives is handed to them. */
struct cluster {
	struct gpu *gpu;
	struct sim_comp rx_comp; /* answers, before the SMs in a cycle */
	struct sim_comp tx_comp; /* requests, after them */
	uint32_t index, sm_first, sm_count;
	uint32_t turn;         /* SM whose request goes first */
	uint32_t queued_count; /* requests of all its SMs */
	uint64_t free_units;   /* the port has taken the last flit sent */
};

struct accounting;
struct host_link;
struct l2_slice;
struct logic_layer;
struct pages;
struct sampling;
struct slices;
struct windows;

/* Clock domains of the engine; nsu: only where there are SIMD units. */
struct gpu_clocks {
	uint32_t l2, sm, xbar, dram, nsu;
};

struct gpu {
	const struct gpu_config *config;
	const struct run_params *run;
	const struct host_params *host;
	struct gpu_ext_list exts;
	const struct gpu_ext *placer; /* of them, the one that places requests, or NULL */
	const struct gpu_ext *units; /* that has units in the stacks, or NULL */
	const struct gpu_ext *cta_starter; /* that is offered the CTAs of this launch, or NULL */
	const struct gpu_ext *ticker; /* that ticks with the SMs, or NULL */
	uint32_t spare_count; /* requests that are out while nothing is: kept by whoever looks into a cache */
	struct sim_engine *engine; /* of the context, as the next three */
	struct sim_stats *stats;
	struct mem_req_pool *pool;
	bool audits;
	struct gpu_clocks clocks;
	struct base_bug_state bug_state;
	struct net_ports ports;
	struct gpu_map map;
	struct gpu_mapper mapper; /* of an extension; map_of NULL: none */
	struct sm **sms;
	uint8_t *sm_has_request; /* [SM]: something waits for the crossbar; in one place, for clusters look often */
	uint32_t sm_count, sm_total; /* of the GPU; with those of the stacks */
	struct cluster *clusters;
	uint32_t cluster_count;
	struct net_xbar *requests, *replies;
	struct l2_slice **slices;
	uint32_t slice_count, slices_per_stack;
	uint32_t partition_slices; /* of each of two partitions of the L2; 0: it has one */
	uint32_t partition_clusters; /* of the first partition */
	uint32_t slice_bank_bits; /* low bits of a bank's number that choose among the slices of its vault */
	bool l2_has_sectors; /* requests have their bytes behind them, see mem_req_bytes_of */
	struct logic_layer **stacks;
	struct host_link *host_link;
	struct pages *pages; /* or NULL: all of memory is on the device (gpu.pages) */
	uint32_t stack_count, stack_sm_count;
	struct cache_params slice_params;

	/* the running launch */
	struct simt_launch *launch;
	struct simt_step step;
	uint64_t code_base;
	uint64_t start_cycle;
	uint64_t cta_next, cta_total, ctas_left;
	uint32_t ctas_per_sm, ctas_per_stack_sm;
	uint32_t ctas_by_shared; /* of an SM's, as far as shared memory limits them */
	uint64_t l1d_bytes; /* of each SM, of this launch */
	bool has_host_memory; /* that its kernel could reach */
	bool has_failed; /* launch->fault is set */
	/* Answers are kept for the SMs' part of the cycle, see beside_answer; those that have been kept are given. */
	bool keeps_answers, gives_answers;
	bool limit_reached;
	int64_t thread_budget; /* thread instructions left before the limit */
	volatile int stop; /* enum device_stop */
	uint64_t untimed_limit; /* of totals.untimed_warp_instructions; 0: none */

	struct net_network *network; /* between the stacks, in the place of the mesh, or NULL */
	const struct gpu_audit_ops *audit; /* NULL: off */
	void *audit_self;
	bool is_paused; /* the SMs are stopped */
	bool marks_issue; /* see gpu_marks_issue */

	struct beside *beside; /* NULL: its SMs tick one after the other */
	struct sim_team *untimed_threads; /* of run.mode = functional, where no SM ticks; NULL: there are none */
	/* Who has an SM's turn in the second half of this cycle has written global memory anywhere, not by a step. */
	bool is_written_anywhere;
	struct sim_comp beside_comp; /* ticks between the answers' way to the SMs and these */
	struct sampling *sampling; /* NULL: everything is timed */
	struct windows *now_windows; /* that the running launch is timed in, or NULL */
	struct slices *now_slices;   /* or these, or NULL */
	/* Time that was estimated and that the engine has not seen: what the outside sees is later by so much. */
	uint64_t estimated_ps, estimated_cycles;
	struct sim_sampler *sampler; /* NULL: off */
	struct accounting *account; /* NULL: off */
	struct gpu_observer observer;
	uint64_t watch; /* what every warp is watched for, see sm_warp */
	bool follows_reads; /* see gpu_follow_reads */
	uint64_t held_watch; /* bits of it that concern others: not own_points of extensions */
	struct sim_spans *spans[GPU_SPANS_COUNT]; /* NULL: off */
	struct mem_command_log *command_log; /* NULL: off */
	struct memory_stats memory_stats;
	struct gpu_stats totals;
};

static inline struct sm *gpu_stack_sm(struct gpu *g, uint32_t stack, uint32_t i)
{
	return g->sms[g->sm_count + stack * g->stack_sm_count + i];
}

/* Something has lasted from start_units until now. The track is below the number that gpu_new gives each kind. */
static inline void gpu_span(struct gpu *g, enum gpu_spans kind, uint32_t track, uint64_t name,
			    uint64_t start_units)
{
	if (unlikely(g->spans[kind]))
		sim_spans_add(g->spans[kind], track, name, sim_ps_of_units(g->engine, start_units),
			      sim_now_ps(g->engine));
}

/* Each extension e that has the operation op. */
#define GPU_EXT_EACH(g, e, op) \
	for (const struct gpu_ext *e = (g)->exts.items, *e##_end = e + (g)->exts.count; e < e##_end; e++) \
		if (e->ops->op)

/* sm_port.c */
/* Wakes the cluster for the first cycle before whose end its port is free. */
void cluster_wake(struct cluster *c);

/* cluster.c */
void xbars_new(struct gpu *g);
void clusters_new(struct gpu *g);
/* After the SMs: what they send in a cycle leaves in it. */
void clusters_complete(struct gpu *g);

static inline uint64_t gpu_now_ps(const struct gpu *g)
{
	return sim_now_ps(g->engine) + g->estimated_ps;
}

/* launch.c: the running launch, in detail or for its values only */
bool gpu_launch_timed(struct gpu *g, struct device_result *result);
bool gpu_launch_untimed(struct gpu *g, struct device_result *result);

/* ctas.c */
/* One CTA per SM and round, as long as there are CTAs and places. */
void gpu_ctas_begin(struct gpu *g);
void gpu_cta_done(struct gpu *g, struct sm *sm, uint64_t index, uint64_t start_cycle);
/* The SM has a free place: takes the next CTA, if there is one. */
void gpu_cta_next(struct gpu *g, struct sm *sm);
/* The CTA starter may take CTAs that it has refused. */
void gpu_ctas_offer(struct gpu *g);

/* stop.c */
void gpu_fail(struct gpu *g);
/* The running launch was ended from outside: its fault, with where its warps stand; extra, which may be NULL, is a CTA
 * that no SM holds. */
void gpu_stop_fault(struct gpu *g, struct simt_cta *extra);
/* Sets the launch's fault: stopped, and these words of where. */
void gpu_stop_say(struct gpu *g, const char *where);
/* The limit of simulated time, as a limit of totals.untimed_warp_instructions: each counts as one SM cycle. */
void gpu_untimed_limit_set(struct gpu *g);
/* run.timeout_simulated_ps, or SIM_NEVER. */
uint64_t gpu_limit_units(const struct gpu *g);

/* untimed.c: runs the rest of the launch without timing; false: launch->fault says why. */
bool gpu_finish_untimed(struct gpu *g);
/* One instruction of the warp, for its values; false: stopped or failed. */
bool gpu_untimed_step(struct gpu *g, struct simt_warp *w);

/* l2.c */
struct l2_slice *l2_slice_new(struct gpu *g, uint32_t index, struct logic_layer *stack);
/* See mem_cache_warm. */
void l2_slice_warm(struct l2_slice *s, uint64_t addr_bytes, const struct mem_req_bytes *bytes, bool is_write);
/* Tells its cache which lines it sees. */
void l2_slice_map(struct l2_slice *s);
/* What the slice holds and has asked for. */
const struct mem_cache *l2_slice_cache(const struct l2_slice *s);
void l2_slice_free(struct l2_slice *s);
/* Has the slice room for what an arriving answer may produce? */
bool l2_slice_can_take(const struct l2_slice *s);
/* What has come from the stack or from the host's memory. */
void l2_slice_take(struct l2_slice *s, struct mem_req *r);
/* An answer or a message, from here on to its port behind the crossbar. */
void l2_slice_reply(struct l2_slice *s, struct mem_req *r);
/* The line has been written in memory. */
void l2_slice_drop(struct l2_slice *s, uint64_t addr_bytes);
/* A message to this port has its slice drop the line. */
uint16_t l2_slice_drop_port(const struct l2_slice *s);
/* A request or a line will arrive soon, see mem_cache_prefetch. */
void l2_slice_prefetch(const struct l2_slice *s, uint64_t addr_bytes);
/* Does a packet from an SM pass the slice's tags by (gpu.l2_messages_pass)? Such a one, after net_xbar_send_past. */
bool l2_slice_is_passed(const struct gpu *g, const struct mem_req *r);
void l2_slice_pass(struct l2_slice *s, struct mem_req *r);
void l2_slice_invalidate_all(struct l2_slice *s);
bool l2_slice_holds(const struct l2_slice *s, uint64_t line_addr_bytes);
/* Where the L2 has two partitions, each slice has its mirror in the other and the links to it: after all slices. */
void l2_far_connect(struct gpu *g);
bool l2_slice_is_idle(const struct l2_slice *s);
void l2_slice_reset(struct l2_slice *s);

/* host_link.c */
struct host_link *host_link_new(struct gpu *g);
void host_link_free(struct host_link *h);
/* Does the line or part at addr_bytes lie in host memory that the running launch may reach? */
bool host_link_has(const struct gpu *g, uint64_t addr_bytes);
/* A slice's read or write; the answer goes to l2_slice_take. */
void host_link_send(struct host_link *h, struct mem_req *r, uint64_t now_units);
/* Data that the host sends by itself, beginning now: when the last of them is here. */
uint64_t host_link_bring(struct host_link *h, uint64_t bytes, uint64_t now_units);
/* A packet without data goes to the host: when it has left. */
uint64_t host_link_ask(struct host_link *h, uint64_t now_units);
bool host_link_is_idle(const struct host_link *h);
/* See mem_memory_settle. */
void host_link_settle(struct host_link *h, bool is_between_kernels);
void host_link_reset(struct host_link *h);

/* logic_layer.c */
struct logic_layer *logic_layer_new(struct gpu *g, uint32_t index);
void logic_layer_free(struct logic_layer *p);
struct net_channel *logic_layer_tx(struct logic_layer *p);
struct net_channel *logic_layer_rx(struct logic_layer *p);
/* A slice has room again for answers. */
void logic_layer_slice_room(struct logic_layer *p);
/* From an SM of this stack: false if it must wait; it is woken. */
bool logic_layer_offer(struct logic_layer *p, struct sm *sm, struct mem_req *r);
/* To the GPU over RX: an answer, a message, or what goes on to the host's memory. */
void logic_layer_reply(struct logic_layer *p, struct mem_req *r);
/* What r has written here, its slice is to drop. */
void logic_layer_invalidate(struct logic_layer *p, const struct mem_req *r);
void logic_layer_connect(struct gpu *g); /* mesh channels, after all ports exist */
/* From the unit of this stack, to a vault here or elsewhere: false if it must wait; stack_room is called. */
bool logic_layer_unit_offer(struct logic_layer *p, struct mem_req *r);
/* The network between the stacks, when there are units. */
struct net_network *logic_layer_network_new(struct gpu *g);
/* Requests that wait in its vaults' queues. */
uint32_t logic_layer_vault_requests(const struct logic_layer *p);
bool logic_layer_is_idle(const struct logic_layer *p);
void logic_layer_reset(struct logic_layer *p);
/* Refreshes owed up to now, see mem_stack_settle. */
void logic_layer_settle(struct logic_layer *p, bool is_between_kernels);
/* All stacks and the host's memory are settled. */
void gpu_settle_stacks(struct gpu *g, bool is_between_kernels);

/* place.c */
/* Finds the stack, vault, bank, row and column of r's address for an SM, by the mechanism's mapping if it has one. */
void gpu_place(struct gpu *g, uint32_t sm, struct mem_req *r);
/* The map that has the address; see struct gpu_mapper. */
static inline const struct gpu_map *gpu_map_of(const struct gpu *g, uint64_t addr_bytes)
{
	const struct gpu_map *m = NULL;

	if (unlikely(g->mapper.map_of != NULL))
		m = g->mapper.map_of(g->mapper.self, addr_bytes);
	return m ? m : &g->map;
}

/* One of the slices in front of the stack: any number spreads over them. */
static inline uint16_t slice_of(const struct gpu *g, uint32_t stack, uint32_t number)
{
	return (uint16_t)(stack * g->slices_per_stack + (number & (g->slices_per_stack - 1)));
}

/* The slice, in front of the stack, that the lines of r's vault pass, or, where it has several, of r's bank. */
static inline uint16_t slice_of_place(const struct gpu *g, uint32_t stack, const struct mem_req *r)
{
	const uint32_t bank = r->bank & ((1u << g->slice_bank_bits) - 1);

	return slice_of(g, stack, (uint32_t)r->vault << g->slice_bank_bits | bank);
}

/* The cluster hangs on this one of two partitions. */
static inline uint32_t partition_of_cluster(const struct gpu *g, uint32_t cluster)
{
	return cluster >= g->partition_clusters;
}

/* The slice that a cluster's requests for a line go to, which is at home in `home`: in its own partition, the home or
 * the one at the same place. */
static inline uint16_t near_slice(const struct gpu *g, uint32_t cluster, uint16_t home)
{
	if (likely(!g->partition_slices))
		return home;
	return (uint16_t)(home % g->partition_slices + partition_of_cluster(g, cluster) * g->partition_slices);
}

/* What gpu.sample_ps samples, of a GPU that is being built. */
struct sim_sampler *gpu_sampler_new(const struct gpu *g);

/* Bytes of a request or answer on a wire, header included. */
static inline uint32_t packet_bytes(const struct mem_req *r, uint32_t header_bytes, uint32_t ack_bytes)
{
	bool is_ack = r->is_reply && r->payload_bytes == 0 && r->op != MEM_MESSAGE;

	return is_ack ? ack_bytes : header_bytes + r->payload_bytes;
}

/* Counts an answer, and how long it took. */
static inline void port_count(struct gpu *g, const struct mem_req *r, struct sim_hist *latency_ps)
{
	g->memory_stats.answers++;
	sim_hist_add(latency_ps, sim_ps_of_units(g->engine, sim_now_units(g->engine) - r->issue_units));
}

#endif
