/* graph_node.c - nodes of graphs: adding and removing them, and their parameters. */
#include <stdlib.h>
#include <string.h>

#include "cuda/copy.h"
#include "cuda/graph.h"

bool cuda_graph_node_is(CUgraphNode n, CUgraphNodeType type)
{
	return cuda_object_is(n, CUDA_KIND_GRAPH_NODE) && n->type == type;
}

/* ---- nodes ---- */

static void release_params(struct CUgraphNode_st *n)
{
	if (n->type == CU_GRAPH_NODE_TYPE_KERNEL) {
		free(n->kernel.block);
		g_free(n->kernel.params);
	} else if (n->type == CU_GRAPH_NODE_TYPE_GRAPH && n->child) {
		cuda_graph_destroy(n->child);
	} else if (n->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC && n->memory) {
		cuda_graph_memory_release(n->memory);
	}
}

static void drop(GArray *list, const struct CUgraphNode_st *node)
{
	for (uint32_t i = list->len; i--;) {
		if (g_array_index(list, struct graph_edge, i).node == node)
			g_array_remove_index(list, i);
	}
}

static void destroy_node(struct cuda_object *o)
{
	struct CUgraphNode_st *n = (struct CUgraphNode_st *)o;

	cuda_object_remove(o);
	for (uint32_t i = 0; i < n->from->len; i++)
		drop(g_array_index(n->from, struct graph_edge, i).node->to, n);
	for (uint32_t i = 0; i < n->to->len; i++)
		drop(g_array_index(n->to, struct graph_edge, i).node->from, n);
	g_array_free(n->from, TRUE);
	g_array_free(n->to, TRUE);
	g_ptr_array_remove(n->graph->nodes, n);
	release_params(n);
	g_free(n);
}

void cuda_graph_destroy_node(struct CUgraphNode_st *n)
{
	destroy_node(&n->object);
}

static struct CUgraphNode_st *new_node(struct CUctx_st *ctx, struct CUgraph_st *g, CUgraphNodeType type)
{
	struct CUgraphNode_st *n = g_new0(struct CUgraphNode_st, 1);

	n->graph = g;
	n->type = type;
	n->ctx = ctx;
	n->from = g_array_new(FALSE, FALSE, sizeof(struct graph_edge));
	n->to = g_array_new(FALSE, FALSE, sizeof(struct graph_edge));
	g_ptr_array_add(g->nodes, n);
	cuda_object_add(&n->object, CUDA_KIND_GRAPH_NODE, NULL, destroy_node);
	return n;
}

/* ---- parameters of each type ---- */

static void take_kernel(struct CUgraphNode_st *n, const struct cuda_launch *l, uint8_t *block)
{
	const struct ptx_func *func = l->f->func;

	free(n->kernel.block);
	g_free(n->kernel.params);
	n->kernel.launch = *l;
	n->kernel.block = block;
	n->kernel.params = g_new0(void *, func->param_count + 1);
	for (uint32_t i = 0; i < func->param_count; i++)
		n->kernel.params[i] = block + func->params[i].offset_bytes;
}

static CUresult set_kernel(struct CUgraphNode_st *n, const CUDA_KERNEL_NODE_PARAMS *p)
{
	struct cuda_launch l = {
	    .f = p->func ? p->func : (CUfunction)p->kern,
	    .grid = {p->gridDimX, p->gridDimY, p->gridDimZ},
	    .block = {p->blockDimX, p->blockDimY, p->blockDimZ},
	    .dynamic_bytes = p->sharedMemBytes,
	    .is_cooperative = n->kernel.launch.is_cooperative,
	};
	uint8_t *block;
	CUresult result = cuda_launch_prepare(&l, p->kernelParams, p->extra, &block);

	if (p->ctx && !cuda_object_is(p->ctx, CUDA_KIND_CONTEXT))
		result = CUDA_ERROR_INVALID_VALUE;
	if (result != CUDA_SUCCESS) {
		free(block);
		return result == CUDA_ERROR_INVALID_HANDLE ? CUDA_ERROR_INVALID_VALUE : result;
	}
	take_kernel(n, &l, block);
	if (p->ctx)
		n->ctx = p->ctx;
	return CUDA_SUCCESS;
}

static CUresult set_copy(struct CUgraphNode_st *n, const CUDA_MEMCPY_NODE_PARAMS *p)
{
	CUresult result = p->flags ? CUDA_ERROR_INVALID_VALUE : cuda_copy_check(&p->copyParams);

	if (p->copyCtx && !cuda_object_is(p->copyCtx, CUDA_KIND_CONTEXT))
		result = CUDA_ERROR_INVALID_VALUE;
	if (result != CUDA_SUCCESS)
		return result;
	n->copy = p->copyParams;
	if (p->copyCtx)
		n->ctx = p->copyCtx;
	return CUDA_SUCCESS;
}

static CUresult set_fill(struct CUgraphNode_st *n, const CUDA_MEMSET_NODE_PARAMS_v2 *p)
{
	const CUDA_MEMSET_NODE_PARAMS f = {p->dst, p->pitch, p->value, p->elementSize, p->width, p->height};
	CUresult result = cuda_fill_check(&f);

	if (p->ctx && !cuda_object_is(p->ctx, CUDA_KIND_CONTEXT))
		result = CUDA_ERROR_INVALID_VALUE;
	if (result != CUDA_SUCCESS)
		return result;
	n->fill = f;
	if (p->ctx)
		n->ctx = p->ctx;
	return CUDA_SUCCESS;
}

static CUresult set_child(struct CUgraphNode_st *n, const CUDA_CHILD_GRAPH_NODE_PARAMS *p)
{
	if (!cuda_graph_is(p->graph) || p->graph == n->graph || p->graph->parent ||
	    (unsigned int)p->ownership > CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE)
		return CUDA_ERROR_INVALID_VALUE;
	if (p->ownership == CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE) {
		struct cuda_object *o = &p->graph->object;
		void (*destroy)(struct cuda_object *) = o->destroy;

		cuda_object_remove(o);
		cuda_object_add(o, CUDA_KIND_GRAPH, NULL, destroy);
		n->child = p->graph;
	} else if (cuda_graph_has(p->graph, CU_GRAPH_NODE_TYPE_MEM_ALLOC) ||
		   cuda_graph_has(p->graph, CU_GRAPH_NODE_TYPE_MEM_FREE)) {
		return cuda_not_supported("a copy of a graph with memory nodes as a child graph");
	} else {
		n->child = cuda_graph_copy(NULL, p->graph);
	}
	n->child->parent = n;
	return CUDA_SUCCESS;
}

static CUresult set_event(struct CUgraphNode_st *n, CUevent event)
{
	if (!cuda_object_is(event, CUDA_KIND_EVENT))
		return CUDA_ERROR_INVALID_VALUE;
	n->event = event;
	return CUDA_SUCCESS;
}

static CUresult set_free(struct CUgraphNode_st *n, CUdeviceptr address)
{
	if (!cuda_graph_memory_is(address))
		return CUDA_ERROR_INVALID_VALUE;
	for (uint32_t i = 0; i < n->graph->nodes->len; i++) {
		const struct CUgraphNode_st *other = n->graph->nodes->pdata[i];

		if (other != n && other->type == CU_GRAPH_NODE_TYPE_MEM_FREE && other->freed == address)
			return CUDA_ERROR_INVALID_VALUE;
	}
	n->freed = address;
	return CUDA_SUCCESS;
}

CUresult cuda_graph_set(struct CUgraphNode_st *n, const CUgraphNodeParams *p)
{
	if (p->type != n->type)
		return CUDA_ERROR_INVALID_VALUE;
	switch (p->type) {
	case CU_GRAPH_NODE_TYPE_KERNEL:
		return set_kernel(n, &p->kernel);
	case CU_GRAPH_NODE_TYPE_MEMCPY:
		return set_copy(n, &p->memcpy);
	case CU_GRAPH_NODE_TYPE_MEMSET:
		return set_fill(n, &p->memset);
	case CU_GRAPH_NODE_TYPE_HOST:
		if (!p->host.fn)
			return CUDA_ERROR_INVALID_VALUE;
		n->host = p->host;
		return CUDA_SUCCESS;
	case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
		return set_event(n, p->eventWait.event);
	case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
		return set_event(n, p->eventRecord.event);
	default:
		return CUDA_ERROR_INVALID_VALUE; /* the others are what they were made as */
	}
}

/* As cuda_graph_set, of a new node. */
static CUresult set_first(struct CUgraphNode_st *n, CUgraphNodeParams *p)
{
	switch (p->type) {
	case CU_GRAPH_NODE_TYPE_EMPTY:
		return CUDA_SUCCESS;
	case CU_GRAPH_NODE_TYPE_GRAPH:
		return set_child(n, &p->graph);
	case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
		return cuda_graph_memory_new(n->ctx, &p->alloc, &n->memory);
	case CU_GRAPH_NODE_TYPE_MEM_FREE:
		return set_free(n, p->free.dptr);
	case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
	case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
		return cuda_not_supported("a graph node for external semaphores");
	case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
		return cuda_not_supported("a graph node for batches of memory operations");
	case CU_GRAPH_NODE_TYPE_CONDITIONAL:
		return cuda_not_supported("a conditional graph node");
	default:
		return cuda_graph_set(n, p);
	}
}

/* ---- adding and copying ---- */

static CUresult connect_from(struct CUgraphNode_st *n, const CUgraphNode *from, const CUgraphEdgeData *data,
			     size_t count)
{
	CUgraphNode *to = g_new(CUgraphNode, count + 1);

	for (size_t i = 0; i < count; i++)
		to[i] = n;

	CUresult result = cuda_graph_connect(n->graph, from, to, data, count);

	g_free(to);
	return result;
}

CUresult cuda_graph_add(struct CUctx_st *ctx, struct CUgraph_st *g, const CUgraphNode *from,
			const CUgraphEdgeData *data, size_t count, CUgraphNodeParams *params, CUgraphNode *node)
{
	if (!cuda_graph_is(g) || !node || (data && !from))
		return CUDA_ERROR_INVALID_VALUE;

	struct CUgraphNode_st *n = new_node(ctx, g, params->type);
	CUresult result = connect_from(n, from, data, count);

	if (result == CUDA_SUCCESS)
		result = set_first(n, params);
	if (result == CUDA_SUCCESS)
		*node = n;
	else
		cuda_graph_destroy_node(n);
	return result;
}

CUresult cuda_graph_add_kernel(struct CUctx_st *ctx, struct CUgraph_st *g, const CUgraphNode *from,
			       const CUgraphEdgeData *data, size_t count, const struct cuda_launch *l, uint8_t *block,
			       CUgraphNode *node)
{
	struct CUgraphNode_st *n = new_node(ctx, g, CU_GRAPH_NODE_TYPE_KERNEL);
	CUresult result = connect_from(n, from, data, count);

	take_kernel(n, l, block);
	if (result == CUDA_SUCCESS)
		*node = n;
	else
		cuda_graph_destroy_node(n);
	return result;
}

CUresult cuda_graph_take_all(struct CUgraph_st *to, const struct CUgraph_st *from)
{
	for (uint32_t i = 0; i < to->nodes->len; i++) {
		CUresult result = cuda_graph_take_params(to->nodes->pdata[i], from->nodes->pdata[i]);

		if (result != CUDA_SUCCESS)
			return result;
	}
	return CUDA_SUCCESS;
}

CUresult cuda_graph_take_params(struct CUgraphNode_st *n, const struct CUgraphNode_st *other)
{
	n->ctx = other->ctx;
	switch (n->type) {
	case CU_GRAPH_NODE_TYPE_KERNEL: {
		const struct cuda_launch *l = &other->kernel.launch;
		size_t bytes;

		if (!cuda_object_is(l->f, CUDA_KIND_FUNCTION))
			return CUDA_ERROR_INVALID_HANDLE;
		bytes = l->f->program->param_bytes + 1;
		take_kernel(n, l, memcpy(g_malloc(bytes), other->kernel.block, bytes));
		n->kernel.priority = other->kernel.priority;
		n->kernel.window = other->kernel.window;
		return CUDA_SUCCESS;
	}
	case CU_GRAPH_NODE_TYPE_GRAPH:
		return cuda_graph_take_all(n->child, other->child);
	case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
		return CUDA_SUCCESS; /* its memory is its own */
	case CU_GRAPH_NODE_TYPE_MEMCPY:
		n->copy = other->copy;
		return CUDA_SUCCESS;
	case CU_GRAPH_NODE_TYPE_MEMSET:
		n->fill = other->fill;
		return CUDA_SUCCESS;
	case CU_GRAPH_NODE_TYPE_HOST:
		n->host = other->host;
		return CUDA_SUCCESS;
	case CU_GRAPH_NODE_TYPE_MEM_FREE:
		n->freed = other->freed;
		return CUDA_SUCCESS;
	case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
	case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
		n->event = other->event;
		return CUDA_SUCCESS;
	default:
		return CUDA_SUCCESS;
	}
}

struct CUgraphNode_st *cuda_graph_copy_node(const struct CUgraphNode_st *n, struct CUgraph_st *g)
{
	struct CUgraphNode_st *copy = new_node(n->ctx, g, n->type);

	copy->origin = n;
	if (n->type == CU_GRAPH_NODE_TYPE_GRAPH) {
		copy->child = cuda_graph_copy(NULL, n->child);
		copy->child->parent = copy;
	} else if (n->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC) {
		copy->memory = n->memory;
		cuda_graph_memory_retain(copy->memory);
	} else {
		cuda_graph_take_params(copy, n);
	}
	return copy;
}

/* ---- entry points: adding ---- */

CUresult cuGraphAddNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *from, const CUgraphEdgeData *data,
			   size_t count, CUgraphNodeParams *params)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, graph);
	if (!params)
		return CUDA_ERROR_INVALID_VALUE;
	return cuda_graph_add(call.ctx, graph, from, data, count, params, node);
}

CUresult cuGraphAddNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *from, size_t count,
			CUgraphNodeParams *params)
{
	return cuGraphAddNode_v2(node, graph, from, NULL, count, params);
}

CUresult cuGraphAddKernelNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *from, size_t count,
				 const CUDA_KERNEL_NODE_PARAMS *params)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_KERNEL};

	if (!params)
		return CUDA_ERROR_INVALID_VALUE;
	p.kernel = *params;
	return cuGraphAddNode(node, graph, from, count, &p);
}

CUresult cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *from, size_t count,
			      const CUDA_MEMCPY3D *copy, CUcontext context)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEMCPY};

	if (!copy)
		return CUDA_ERROR_INVALID_VALUE;
	p.memcpy = (CUDA_MEMCPY_NODE_PARAMS){.copyCtx = context, .copyParams = *copy};
	return cuGraphAddNode(node, graph, from, count, &p);
}

static CUDA_MEMSET_NODE_PARAMS_v2 fill_in(const CUDA_MEMSET_NODE_PARAMS *p, CUcontext context)
{
	return (CUDA_MEMSET_NODE_PARAMS_v2){p->dst, p->pitch, p->value, p->elementSize, p->width, p->height, context};
}

CUresult cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *from, size_t count,
			      const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEMSET};

	if (!params)
		return CUDA_ERROR_INVALID_VALUE;
	p.memset = fill_in(params, context);
	return cuGraphAddNode(node, graph, from, count, &p);
}

CUresult cuGraphAddHostNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *from, size_t count,
			    const CUDA_HOST_NODE_PARAMS *params)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_HOST};

	if (!params)
		return CUDA_ERROR_INVALID_VALUE;
	p.host = *params;
	return cuGraphAddNode(node, graph, from, count, &p);
}

CUresult cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *from, size_t count,
				  CUgraph child)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_GRAPH, .graph = {.graph = child}};

	return cuGraphAddNode(node, graph, from, count, &p);
}

CUresult cuGraphAddEmptyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *from, size_t count)
{
	return cuGraphAddNode(node, graph, from, count, &(CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_EMPTY});
}

CUresult cuGraphAddEventRecordNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *from, size_t count,
				   CUevent event)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_EVENT_RECORD, .eventRecord = {event}};

	return cuGraphAddNode(node, graph, from, count, &p);
}

CUresult cuGraphAddEventWaitNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *from, size_t count,
				 CUevent event)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_WAIT_EVENT, .eventWait = {event}};

	return cuGraphAddNode(node, graph, from, count, &p);
}

CUresult cuGraphAddMemAllocNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *from, size_t count,
				CUDA_MEM_ALLOC_NODE_PARAMS *params)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC};

	if (!params)
		return CUDA_ERROR_INVALID_VALUE;
	p.alloc = *params;

	CUresult result = cuGraphAddNode(node, graph, from, count, &p);

	params->dptr = p.alloc.dptr;
	return result;
}

CUresult cuGraphAddMemFreeNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *from, size_t count,
			       CUdeviceptr address)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEM_FREE, .free = {address}};

	return cuGraphAddNode(node, graph, from, count, &p);
}

CUresult cuGraphDestroyNode(CUgraphNode node)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, node);
	if (!cuda_object_is(node, CUDA_KIND_GRAPH_NODE))
		return CUDA_ERROR_INVALID_VALUE;
	if (node->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || node->type == CU_GRAPH_NODE_TYPE_MEM_FREE)
		return cuda_not_supported("cuGraphDestroyNode of a memory node");
	cuda_graph_destroy_node(node);
	return CUDA_SUCCESS;
}

CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, node);
	if (!cuda_object_is(node, CUDA_KIND_GRAPH_NODE) || !type)
		return CUDA_ERROR_INVALID_VALUE;
	*type = node->type;
	return CUDA_SUCCESS;
}
