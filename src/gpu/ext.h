/* ext.h - the points at which the GPU is extended. A carrier (ndp/carry/) fills a table of functions; the GPU calls
 * what is not NULL at these points, and knows nothing else of it.
 *
 * Points of a warp: an extension watches the warps that it has to do with (gpu_ext_watch) and is called for these
 * only; where no warp is watched a point costs one predictable branch. What an extension keeps per warp slot is its
 * own: warp_bytes of them, zero when a warp takes the slot.
 */
#ifndef STRATA_GPU_EXT_H
#define STRATA_GPU_EXT_H

#include <stdbool.h>
#include <stdint.h>

struct coalesced_line;
struct gpu;
struct gpu_ext;
struct gpu_series;
struct lsu_entry;
struct mem_req;
struct simt_cta;
struct simt_launch;
struct simt_program;
struct simt_step;
struct sm;
struct sm_warp;

enum { GPU_EXT_MAX = 8 };

/* What a warp may be watched for. */
enum gpu_point {
	GPU_POINT_EVALUATE,
	GPU_POINT_ENTER, /* marked instructions need no watch */
	GPU_POINT_ISSUE,
	GPU_POINT_STEPPED,
	GPU_POINT_ACCESS,
	GPU_POINT_RETURNED,
	GPU_POINT_STORE,
	GPU_POINT_DUE,
	GPU_POINT_COUNT
};

/* Whether SMs may tick beside each other (gpu/beside.h), one extension's say. */
enum gpu_beside {
	GPU_BESIDE_NEVER,   /* it looks at, or changes, what SMs share at places that are not held */
	GPU_BESIDE_NOT_NOW, /* not in this cycle */
	GPU_BESIDE_NOW,
};

/* In each function self is the extension's own. */
struct gpu_ext_ops {
	uint32_t warp_bytes;  /* of its state per warp slot */
	/* Bits of points (1 << GPU_POINT_...) at which it changes nothing but what is the SM's, its warps' and CTAs',
	 * and keeps the warp in its set: a warp that is watched for no other point is not held where SMs tick beside
	 * each other. */
	uint32_t own_points;

	/* ---- building ---- */
	/* Before the SMs exist: its components tick before theirs in a cycle. e is kept. */
	void (*build)(void *self, struct gpu *g, const struct gpu_ext *e);
	/* After all else exists: its components tick last in a cycle. */
	void (*complete)(void *self);
	void (*free)(void *self);
	/* Values over time: fills items, which it owns; returns their number, at most cap. */
	uint32_t (*series)(void *self, struct gpu_series *items, uint32_t cap);

	/* ---- a kernel ---- */
	/* Bytes of each SM's shared memory that it takes while a kernel of this program runs, where a CTA leaves room
	 * for them. May be asked before the program is launched. */
	uint64_t (*shared_bytes)(void *self, struct simt_program *p);
	/* Places and times of the launch are known, nothing runs yet: code may still be marked. */
	void (*kernel_begin)(void *self, struct simt_launch *l, struct simt_program *p);
	/* It has run to its end: CHECKs that nothing is left. */
	void (*check_end)(void *self);
	/* After an aborted launch: what was under way is forgotten. Requests and components are free already. */
	void (*reset)(void *self);
	/* The launch is over, however it ended. */
	void (*kernel_end)(void *self, struct simt_launch *l);
	/* Takes a CTA that is the next of the grid, and has it begin on an SM of its choice; false: it is placed as any
	 * other. While gpu.cta_starter is this one. */
	bool (*cta_starts)(void *self, uint64_t cta);
	/* The grid has no CTA left, and an SM of the GPU a place: gives one back that it has taken and that has not
	 * begun; false: it has none, or keeps it. While gpu.cta_starter is this one. */
	bool (*cta_back)(void *self, uint64_t *cta);
	void (*cta_placed)(void *self, struct sm *sm, uint64_t cta);
	/* Its place is free, and not yet taken by the next. */
	void (*cta_done)(void *self, struct sm *sm, uint64_t cta);
	/* Does it keep books about CTAs and warps, so that none may go on unseen? */
	bool (*follows_warps)(void *self);
	/* Does what it decides depend on what it has seen over a long time? Then no part of a run is like another. */
	bool (*learns)(void *self);
	/* May SMs tick beside each other in this cycle? What is held then: a marked instruction, one of a warp that is
	 * watched, a cycle in which a warp that is watched is due, or its access or a store that it may wait for ends,
	 * and all that comes after these in the SM's cycle. So an extension is called beside other SMs at branched,
	 * stores_done (where no watched warp waits), place and its own_points only, and there it may change nothing but
	 * what is the warp's. NULL: always. */
	enum gpu_beside (*beside)(void *self);
	/* Is nothing of its own under way? */
	bool (*is_idle)(void *self);
	/* Past the instruction limit: ends what is under way, for its values only. False: the launch has a fault, or is
	 * stopped. */
	bool (*finish_untimed)(void *self);
	/* Is the warp represented by another, which stands where it stands? */
	bool (*is_elsewhere)(void *self, const struct sm_warp *w);
	/* CTAs that no SM holds. */
	void (*each_cta)(void *self, void (*fn)(void *ctx, struct simt_cta *cta), void *ctx);

	/* ---- a warp ---- */
	/* Puts it into a set of its scheduler; false: it goes on as any other. */
	bool (*evaluate)(void *self, struct sm *sm, struct sm_warp *w);
	/* A warp of a GPU SM is about to issue; it is watched, or stands at a marked instruction. True: it has left the
	 * set that it was in. */
	bool (*enter)(void *self, struct sm *sm, struct sm_warp *w);
	/* Issues what the warp stands at; false: an instruction like any other. */
	bool (*issue)(void *self, struct sm *sm, struct sm_warp *w);
	/* It has issued an instruction and has not been evaluated yet. */
	void (*stepped)(void *self, struct sm *sm, struct sm_warp *w, const struct simt_step *step);
	/* It has jumped to a marked instruction. Of all warps. */
	void (*branched)(void *self, struct sm_warp *w, uint32_t from_pc);
	/* Its instruction accesses these lines; constants left out. */
	void (*access)(void *self, struct sm_warp *w, const struct simt_step *step, const struct coalesced_line *lines,
		       uint32_t count);
	/* One of its loads has all its data, or one of its stores is done. True: evaluate it when no store is left. */
	bool (*returned)(void *self, struct sm *sm, struct sm_warp *w, bool is_load);
	/* A line of a store or an atomic leaves for memory. */
	void (*store)(void *self, struct sm_warp *w, uint64_t line_addr_bytes);
	/* It waits in SM_WAIT_OFFLOAD until w->ready, which is now. */
	void (*due)(void *self, struct sm *sm, struct sm_warp *w);

	/* ---- an SM ---- */
	/* In each cycle in which the SM ticks; has_work: it must tick in the next one, and is held. Of one extension
	 * only. */
	void (*sm_tick)(void *self, struct sm *sm);
	bool (*sm_has_work)(void *self, const struct sm *sm);
	/* The next line of an LSU_CARRIED entry. False: it waits; clear sm->lsu_waits_fill when it may go on. */
	bool (*line)(void *self, struct sm *sm, struct lsu_entry *e, const struct coalesced_line *l);
	/* The passes of lsu_issue_passes have their turn: what the warp reads is there at cycle ready, a later one. */
	void (*passed)(void *self, struct sm_warp *w, uint32_t ready);
	/* An access to shared memory that the entry's CTA has left at another SM has its turn; lsu_access_part ends it,
	 * if it has an access. Of SMs whose far_shared it is. */
	void (*far_shared)(void *self, struct sm *sm, const struct lsu_entry *e);
	/* All stores of a CTA that it watches (sm_cta.watcher) are acknowledged. */
	void (*cta_stored)(void *self);
	/* All stores of the SM that were counted together (sm_stores_drained) are in memory. */
	void (*stores_done)(void *self, struct sm *sm);

	/* ---- requests ---- */
	/* A request is about to leave an SM: its place may be replaced (stack, vault, bank, row, column, is_host). */
	void (*place)(void *self, uint32_t sm, struct mem_req *r);

	/* ---- units in the stacks; of one extension only ---- */
	/* Write addresses that have left for units, of lines in this stack, and whose lines the GPU has not been told
	 * to drop; pages_are_clear is called when there are none any more. */
	uint32_t (*addresses_under_way)(void *self, uint32_t stack);
	/* A store or an atomic of an SM has come to a slice. */
	void (*slice_written)(void *self, uint64_t addr_bytes);
	/* An SM has got the answer of a store or an atomic. */
	void (*store_answered)(void *self, const struct mem_req *r);
	/* A stack takes requests of its logic layer again that logic_layer_unit_offer has refused. */
	void (*stack_room)(void *self, uint32_t stack);
	/* r leaves the stack over RX and is there at r->ready_units; at the far end RX is looked at. */
	void (*rx_sent)(void *self, uint32_t stack, const struct mem_req *r);
	void (*rx_tick)(void *self, uint32_t stack);
};

/* One that is registered. */
struct gpu_ext {
	const struct gpu_ext_ops *ops;
	void *self;
	uint32_t number; /* its place in the list */
};

/* What gpu_new registers, in the order in which they are called. */
struct gpu_ext_list {
	struct gpu_ext items[GPU_EXT_MAX];
	uint32_t count;
};
void gpu_ext_list_add(struct gpu_ext_list *list, const struct gpu_ext_ops *ops, void *self);
/* What the GPU's extension with these operations was added with; NULL: it has none. */
void *gpu_ext_self(const struct gpu *g, const struct gpu_ext_ops *ops);

/* Who audits which store a load sees, and what CTAs have under way (run.audit); all are called when there is one. A
 * line's number says when it was read from DRAM or written there. */
struct gpu_audit_ops {
	void (*kernel_begin)(void *self);
	/* r is a store of the warp, issued at issue_units. */
	void (*store)(void *self, const struct sm_warp *w, const struct mem_req *r, uint64_t issue_units);
	/* A load of the warp, issued at issue_units, has got the line that r has brought. */
	void (*load)(void *self, const struct sm_warp *w, const struct mem_req *r, uint64_t issue_units);
	/* A memory has done r. */
	void (*memory)(void *self, const struct mem_req *r, bool is_store);
	/* A cache (an SM's L1, or cache UINT32_MAX: the L2) takes in the line that r has brought / answers r. */
	void (*fill)(void *self, uint32_t cache, const struct mem_req *r);
	void (*hit)(void *self, uint32_t cache, const struct mem_req *r);
	/* `to`, which has waited for it, brings on the line that `from` has brought. */
	void (*pass)(void *self, const struct mem_req *from, const struct mem_req *to);
	/* A store or a reduction of a CTA (its index in the grid) is issued, of so many lines; one of them leaves its
	 * SM as r; r is acknowledged. */
	void (*store_issued)(void *self, uint64_t cta, uint32_t line_count);
	void (*store_sent)(void *self, uint64_t cta, const struct mem_req *r);
	void (*store_acknowledged)(void *self, const struct mem_req *r);
};

/* ---- called by the GPU where an extension may have to do with the warp ---- */

bool gpu_ext_evaluate(struct sm *sm, struct sm_warp *w);
bool gpu_ext_enter(struct sm *sm, struct sm_warp *w);
bool gpu_ext_issue(struct sm *sm, struct sm_warp *w);
void gpu_ext_stepped(struct sm *sm, struct sm_warp *w, const struct simt_step *step);
void gpu_ext_branched(struct sm *sm, struct sm_warp *w, uint32_t from_pc);
void gpu_ext_access(struct sm *sm, struct sm_warp *w, const struct simt_step *step, const struct coalesced_line *lines,
		    uint32_t count);
bool gpu_ext_returned(struct sm *sm, struct sm_warp *w, bool is_load);
void gpu_ext_store(struct sm *sm, struct sm_warp *w, uint64_t line_addr_bytes);
void gpu_ext_due(struct sm *sm, struct sm_warp *w);

#endif
