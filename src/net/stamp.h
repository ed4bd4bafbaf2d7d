/* stamp.h - when a request left each stage of its way, for who accounts for waiting on memory (gpu/account.h).
 *
 * Stamps lie behind their request where the pool makes room for them (mem_req_pool_stamp), and nowhere else: nothing
 * reads or writes them on a machine that does not account. They change nothing in the model.
 */
#ifndef STRATA_NET_STAMP_H
#define STRATA_NET_STAMP_H

#include "net/req.h"

/* In the order in which a request passes them; what it does not pass has no stamp. X(enumerator, name, what). */
#define NET_STAGES(X)                                                                       \
	X(NET_STAGE_L1, l1, "load-store unit and L1, out")                                  \
	X(NET_STAGE_XBAR, xbar, "crossbar to the L2, with the wait for it")                 \
	X(NET_STAGE_L2, l2, "L2, from its input to the tags")                               \
	X(NET_STAGE_HOST, host, "the way to the host's memory and back")                    \
	X(NET_STAGE_TX, link_tx, "link to the stack, with the wait for it")                 \
	X(NET_STAGE_MESH, mesh, "between stacks")                                           \
	X(NET_STAGE_QUEUE, queue, "at the stack, until its bank's first command for it")    \
	X(NET_STAGE_BANK, bank, "bank: precharge, activate, column access")                 \
	X(NET_STAGE_TSV, tsv, "data over the TSVs, memory controller")                      \
	X(NET_STAGE_MESH_HOME, mesh_home, "between stacks, the answer")                     \
	X(NET_STAGE_RX, link_rx, "link from the stack, with the wait for it")               \
	X(NET_STAGE_L2_HOME, l2_home, "L2, the answer: hit latency, fill, order of answers") \
	X(NET_STAGE_XBAR_HOME, xbar_home, "crossbar from the L2, with the wait for it")

enum net_stage {
#define X(enumerator, name, what) enumerator,
	NET_STAGES(X)
#undef X
	NET_STAGE_COUNT
};

/* What the bank had to do first. */
enum net_row { NET_ROW_NONE, NET_ROW_HIT, NET_ROW_MISS, NET_ROW_CONFLICT, NET_ROW_COUNT };

struct net_stamps {
	uint64_t left_units[NET_STAGE_COUNT]; /* 0: not passed, or not yet */
	uint8_t row;			      /* enum net_row */
};

/* Only of a pool with stamps. */
static inline struct net_stamps *net_stamps_of(struct mem_req *r)
{
	return (struct net_stamps *)(mem_req_bytes_of(r) + 1);
}

static inline void net_stamp(struct mem_req *r, enum net_stage stage, uint64_t units)
{
	net_stamps_of(r)->left_units[stage] = units;
}

/* A request begins its way. */
static inline void net_stamps_clear(struct mem_req *r)
{
	*net_stamps_of(r) = (struct net_stamps){0};
}

/* r has waited for what `from` has brought: it has passed the stages that `from` has. */
static inline void net_stamps_join(struct mem_req *r, struct mem_req *from)
{
	const struct net_stamps *f = net_stamps_of(from);
	struct net_stamps *to = net_stamps_of(r);

	for (uint32_t i = 0; i < NET_STAGE_COUNT; i++)
		if (f->left_units[i] > to->left_units[i])
			to->left_units[i] = f->left_units[i];
	to->row = f->row;
}

#endif
