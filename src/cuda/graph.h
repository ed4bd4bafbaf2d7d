/* graph.h - what the files of graphs share: graphs, their nodes and dependencies, and what is made of them.
 *
 *   graph.c         graphs, dependencies, copies of graphs
 *   graph_node.c    nodes: adding, removing, copying
 *   graph_params.c  reading and changing their parameters
 *   graph_memory.c  memory that allocation nodes give out
 *   graph_exec.c    instantiation, and changes of what was instantiated
 *   graph_run.c     a launch: what runs when
 *   graph_dot.c     the text form
 *   graph_old.c     forms of calls of earlier versions
 *   user_object.c   user objects
 *   capture.c       graphs made from what streams are given
 *
 * A graph owns its nodes; an executable graph owns a copy of its graph. Handles of nodes are live as long as their
 * graph. All functions are called with the driver's lock held.
 */
#ifndef STRATA_CUDA_GRAPH_INTERNAL_H
#define STRATA_CUDA_GRAPH_INTERNAL_H

#include "cuda/driver.h"
#include "cuda/launch.h"

/* ---- graphs ---- */

struct CUgraph_st {
	struct cuda_object object;
	GPtrArray *nodes;	 /* struct CUgraphNode_st, in the order in which they were added */
	GArray *user_objects;	 /* struct graph_hold */
	struct CUgraphNode_st *parent; /* of a child graph, which goes with this node; NULL */
	const struct CUgraph_st *origin; /* of which this is a copy; may be dead; NULL */
};

struct graph_hold {
	CUuserObject object;
	unsigned int count;
};

/* ---- nodes ---- */

struct graph_edge {
	struct CUgraphNode_st *node;
	CUgraphEdgeData data;
};

struct graph_kernel {
	struct cuda_launch launch;
	uint8_t *block; /* the parameters */
	void **params;	/* to each of them */
	int priority;
	CUkernelNodeAttrValue window; /* of the caches; advice that is kept and given back */
};

struct CUgraphNode_st {
	struct cuda_object object;
	struct CUgraph_st *graph;
	const struct CUgraphNode_st *origin; /* of which this is a copy; may be dead; NULL */
	CUgraphNodeType type;
	bool is_disabled;
	struct CUctx_st *ctx; /* in which it runs */
	GArray *from, *to;    /* struct graph_edge */
	union {
		struct graph_kernel kernel;
		CUDA_MEMCPY3D copy;
		CUDA_MEMSET_NODE_PARAMS fill;
		CUDA_HOST_NODE_PARAMS host;
		struct CUgraph_st *child;
		CUevent event;		     /* of a record or wait */
		struct graph_memory *memory; /* of an allocation, holding a reference */
		CUdeviceptr freed;
	};
};

/* A graph that ctx owns. */
struct CUgraph_st *cuda_graph_new(struct CUctx_st *ctx);
void cuda_graph_destroy(struct CUgraph_st *g);
/* A copy of everything; nodes of memory share it. */
struct CUgraph_st *cuda_graph_copy(struct CUctx_st *ctx, const struct CUgraph_st *g);
/* Whether g or a child graph in it has a node of the type. */
bool cuda_graph_has(const struct CUgraph_st *g, CUgraphNodeType type);
/* The node of g, or of a child graph in it, that is a copy of origin; NULL. */
struct CUgraphNode_st *cuda_graph_find(const struct CUgraph_st *g, const struct CUgraphNode_st *origin);
/* Its place among the nodes of its graph. */
uint32_t cuda_graph_position(const struct CUgraphNode_st *n);

bool cuda_graph_is(CUgraph g);
/* All are nodes of g itself. */
bool cuda_graph_owns(const struct CUgraph_st *g, const CUgraphNode *nodes, size_t count);
bool cuda_graph_node_is(CUgraphNode n, CUgraphNodeType type);

/* The whole of one node for the whole of the other. */
extern const CUgraphEdgeData cuda_graph_plain_edge;
/* Adds dependencies, none of which may be there, or removes them, all of which must be. data may be NULL. */
CUresult cuda_graph_connect(struct CUgraph_st *g, const CUgraphNode *from, const CUgraphNode *to,
			    const CUgraphEdgeData *data, size_t count);

/* Adds a node to g. What `params` says is checked and copied; its outputs are filled in. */
CUresult cuda_graph_add(struct CUctx_st *ctx, struct CUgraph_st *g, const CUgraphNode *from,
			const CUgraphEdgeData *data, size_t count, CUgraphNodeParams *params, CUgraphNode *node);
/* A kernel whose parameters have been gathered; takes block. */
CUresult cuda_graph_add_kernel(struct CUctx_st *ctx, struct CUgraph_st *g, const CUgraphNode *from,
			       const CUgraphEdgeData *data, size_t count, const struct cuda_launch *l, uint8_t *block,
			       CUgraphNode *node);
/* Gives n the parameters of its type. */
CUresult cuda_graph_set(struct CUgraphNode_st *n, const CUgraphNodeParams *params);
/* Gives n the parameters that other, of the same type and shape, has. */
CUresult cuda_graph_take_params(struct CUgraphNode_st *n, const struct CUgraphNode_st *other);
/* The same for all nodes of a graph. */
CUresult cuda_graph_take_all(struct CUgraph_st *to, const struct CUgraph_st *from);
/* A node like n, without its dependencies, in g. */
struct CUgraphNode_st *cuda_graph_copy_node(const struct CUgraphNode_st *n, struct CUgraph_st *g);
void cuda_graph_destroy_node(struct CUgraphNode_st *n);

/* ---- executable graphs ---- */

/* One step of a launch: a node, or the begin or end of a child graph. */
struct graph_step {
	struct CUgraphNode_st *node; /* NULL: nothing to do but to wait */
	uint32_t first_next, next_count; /* in next: who waits for it */
	uint32_t wait_count;	     /* for how many it waits */
};

/* A stream of the results that branches of the graph appear in. */
struct graph_lane {
	uint32_t number; /* machine_stream.number; 0 until it was needed */
	uint64_t end_ps;
};

struct CUgraphExec_st {
	struct cuda_object object;
	struct CUgraph_st *graph;
	cuuint64_t flags;
	GArray *steps; /* struct graph_step */
	GArray *next;  /* uint32_t: steps */
	GArray *lanes; /* struct graph_lane; the first is the stream of the launch */
	uint64_t end_ps; /* of its last launch: launches do not overlap */
	bool is_running;
	uint32_t launch_count; /* under way, or waiting for that one: a host node lets other threads in */
	bool is_destroyed;     /* and goes with the last of these */
};

/* Gives the child graph of n, a node of an executable graph, the parameters that those of `child` have. */
CUresult cuda_graph_exec_set_child(struct CUgraphNode_st *n, CUgraph child);
/* Fills steps and next; false if there is a cycle, and then *at is a node on it or after it. */
bool cuda_graph_plan(struct CUgraphExec_st *e, CUgraphNode *at);
CUresult cuda_graph_run(struct CUctx_st *ctx, struct CUgraphExec_st *e, CUstream stream);
void cuda_graph_exec_free(struct CUgraphExec_st *e);

/* ---- memory (graph_memory.c) ---- */

/* Takes device memory for an allocation node and fills in params->dptr. */
CUresult cuda_graph_memory_new(struct CUctx_st *ctx, CUDA_MEM_ALLOC_NODE_PARAMS *params, struct graph_memory **m);
void cuda_graph_memory_retain(struct graph_memory *m);
void cuda_graph_memory_release(struct graph_memory *m);
/* One executable graph may use it. */
bool cuda_graph_memory_is_claimed(const struct graph_memory *m);
void cuda_graph_memory_claim(struct graph_memory *m, bool is_claimed);
const CUDA_MEM_ALLOC_NODE_PARAMS *cuda_graph_memory_params(const struct graph_memory *m);
/* The address is what an allocation node gives out. */
bool cuda_graph_memory_is(CUdeviceptr address);
/* An allocation node runs: INVALID_VALUE if the memory was not freed after the node ran last, unless it may be freed
 * now. */
CUresult cuda_graph_memory_begin(struct graph_memory *m, bool is_freed_first);
/* A free node runs, or the user frees it. */
CUresult cuda_graph_memory_end(CUdeviceptr address);

/* ---- user objects (user_object.c) ---- */

/* The copy of a graph holds what the graph does; destroying a graph lets go of it. */
void cuda_graph_holds_copy(struct CUgraph_st *to, const struct CUgraph_st *from);
void cuda_graph_holds_release(struct CUgraph_st *g);

#endif
