/* graph_exec.c - executable graphs: instantiation, changes afterwards, launching. */
#include "cuda/capture.h"
#include "cuda/graph.h"
#include "cuda/perthread.h"

enum {
	FLAGS_KNOWN = CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD |
		      CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY,
};

/* ---- instantiation ---- */

/* Some of its memory is another executable graph's. */
static bool has_claimed_memory(const struct CUgraph_st *g)
{
	for (uint32_t i = 0; i < g->nodes->len; i++) {
		const struct CUgraphNode_st *n = g->nodes->pdata[i];

		if ((n->type == CU_GRAPH_NODE_TYPE_GRAPH && has_claimed_memory(n->child)) ||
		    (n->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC && cuda_graph_memory_is_claimed(n->memory)))
			return true;
	}
	return false;
}

static void claim_memory(const struct CUgraph_st *g, bool is_claimed)
{
	for (uint32_t i = 0; i < g->nodes->len; i++) {
		const struct CUgraphNode_st *n = g->nodes->pdata[i];

		if (n->type == CU_GRAPH_NODE_TYPE_GRAPH)
			claim_memory(n->child, is_claimed);
		else if (n->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
			cuda_graph_memory_claim(n->memory, is_claimed);
	}
}

void cuda_graph_exec_free(struct CUgraphExec_st *e)
{
	cuda_graph_destroy(e->graph);
	g_array_free(e->steps, TRUE);
	g_array_free(e->next, TRUE);
	g_array_free(e->lanes, TRUE);
	g_free(e);
}

static void destroy_exec(struct cuda_object *o)
{
	struct CUgraphExec_st *e = (struct CUgraphExec_st *)o;

	cuda_object_remove(o);
	claim_memory(e->graph, false);
	e->is_destroyed = true;
	if (!e->launch_count)
		cuda_graph_exec_free(e);
}

static struct CUgraphExec_st *new_exec(const struct CUgraph_st *g, cuuint64_t flags)
{
	struct CUgraphExec_st *e = g_new0(struct CUgraphExec_st, 1);

	e->graph = cuda_graph_copy(NULL, g);
	e->flags = flags;
	e->steps = g_array_new(FALSE, TRUE, sizeof(struct graph_step));
	e->next = g_array_new(FALSE, TRUE, sizeof(uint32_t));
	e->lanes = g_array_new(FALSE, TRUE, sizeof(struct graph_lane));
	return e;
}

static CUresult instantiate(struct CUctx_st *ctx, CUgraphExec *exec, CUgraph graph,
			    CUDA_GRAPH_INSTANTIATE_PARAMS *params)
{
	CUgraphNode at = NULL;

	params->hErrNode_out = NULL;
	params->result_out = CUDA_GRAPH_INSTANTIATE_ERROR;
	if (!exec || !cuda_graph_is(graph) || params->flags & ~(cuuint64_t)FLAGS_KNOWN)
		return CUDA_ERROR_INVALID_VALUE;
	if (params->flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH)
		return cuda_not_supported("a graph that kernels launch");

	struct CUgraphExec_st *e = new_exec(graph, params->flags);

	if (!cuda_graph_plan(e, &at)) {
		params->hErrNode_out = (CUgraphNode)at->origin;
		params->result_out = CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE;
		cuda_graph_exec_free(e);
		return CUDA_ERROR_INVALID_VALUE;
	}
	if (has_claimed_memory(e->graph)) {
		cuda_graph_exec_free(e);
		return cuda_not_supported("a second instance of a graph with memory nodes");
	}
	claim_memory(e->graph, true);
	cuda_object_add(&e->object, CUDA_KIND_GRAPH_EXEC, ctx, destroy_exec);
	params->result_out = CUDA_GRAPH_INSTANTIATE_SUCCESS;
	*exec = e;
	return CUDA_SUCCESS;
}

CUresult cuGraphInstantiateWithParams(CUgraphExec *exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *params)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, graph);
	if (!params)
		return CUDA_ERROR_INVALID_VALUE;
	if (params->flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD &&
	    cuda_stream_check(params->hUploadStream) != CUDA_SUCCESS)
		return CUDA_ERROR_INVALID_HANDLE;
	return instantiate(call.ctx, exec, graph, params);
}
CUDA_PER_THREAD(cuGraphInstantiateWithParams, _ptsz, CUgraphExec *, CUgraph, CUDA_GRAPH_INSTANTIATE_PARAMS *);

CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, graph);
	/* Uploading needs a stream, which only the form above has. */
	if (flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD)
		return CUDA_ERROR_INVALID_VALUE;
	return instantiate(call.ctx, exec, graph, &(CUDA_GRAPH_INSTANTIATE_PARAMS){.flags = flags});
}

CUresult cuGraphInstantiate_v2(CUgraphExec *exec, CUgraph graph, CUgraphNode *error_node, char *log, size_t log_bytes)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, graph);

	CUDA_GRAPH_INSTANTIATE_PARAMS params = {0};
	CUresult result = instantiate(call.ctx, exec, graph, &params);

	if (error_node)
		*error_node = params.hErrNode_out;
	if (log && log_bytes)
		*log = '\0';
	return result;
}

CUresult cuGraphExecDestroy(CUgraphExec exec)
{
	CUDA_CALL_OF(CUDA_NEEDS_CONTEXT, exec);
	if (!cuda_object_is(exec, CUDA_KIND_GRAPH_EXEC))
		return CUDA_ERROR_INVALID_VALUE;
	destroy_exec(&exec->object);
	return CUDA_SUCCESS;
}

CUresult cuGraphExecGetFlags(CUgraphExec exec, cuuint64_t *flags)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, exec);
	if (!cuda_object_is(exec, CUDA_KIND_GRAPH_EXEC) || !flags)
		return CUDA_ERROR_INVALID_VALUE;
	*flags = exec->flags;
	return CUDA_SUCCESS;
}

/* ---- update ---- */

/* Whether n, of what was instantiated, and m, in the same place of the new graph, wait for nodes in the same places. */
static bool has_same_edges(const struct CUgraphNode_st *n, const struct CUgraphNode_st *m, GHashTable *twins,
			   CUgraphExecUpdateResultInfo *info)
{
	bool is_same = n->from->len == m->from->len;

	for (uint32_t i = 0; is_same && i < n->from->len; i++) {
		const struct CUgraphNode_st *twin =
			g_hash_table_lookup(twins, g_array_index(n->from, struct graph_edge, i).node);

		is_same = false;
		for (uint32_t k = 0; k < m->from->len && !is_same; k++)
			is_same = g_array_index(m->from, struct graph_edge, k).node == twin;
	}
	if (!is_same)
		info->errorFromNode = m->from->len ? g_array_index(m->from, struct graph_edge, 0).node : NULL;
	return is_same;
}

static CUgraphExecUpdateResult compare(const struct CUgraph_st *have, const struct CUgraph_st *want,
				       CUgraphExecUpdateResultInfo *info);

static CUgraphExecUpdateResult compare_node(const struct CUgraphNode_st *n, struct CUgraphNode_st *m,
					    GHashTable *twins, CUgraphExecUpdateResultInfo *info)
{
	info->errorNode = m;
	if (n->type != m->type)
		return CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
	if (!has_same_edges(n, m, twins, info))
		return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
	if (n->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || n->type == CU_GRAPH_NODE_TYPE_MEM_FREE)
		return CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED;
	if (n->type == CU_GRAPH_NODE_TYPE_KERNEL &&
	    n->kernel.launch.is_cooperative != m->kernel.launch.is_cooperative)
		return CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED;
	if (n->type == CU_GRAPH_NODE_TYPE_GRAPH)
		return compare(n->child, m->child, info);
	return CU_GRAPH_EXEC_UPDATE_SUCCESS;
}

static CUgraphExecUpdateResult compare(const struct CUgraph_st *have, const struct CUgraph_st *want,
				       CUgraphExecUpdateResultInfo *info)
{
	CUgraphExecUpdateResult result = CU_GRAPH_EXEC_UPDATE_SUCCESS;

	if (have->nodes->len != want->nodes->len)
		return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;

	GHashTable *twins = g_hash_table_new(NULL, NULL);

	for (uint32_t i = 0; i < have->nodes->len; i++)
		g_hash_table_insert(twins, have->nodes->pdata[i], want->nodes->pdata[i]);
	for (uint32_t i = 0; i < have->nodes->len && result == CU_GRAPH_EXEC_UPDATE_SUCCESS; i++)
		result = compare_node(have->nodes->pdata[i], want->nodes->pdata[i], twins, info);
	g_hash_table_destroy(twins);
	return result;
}

CUresult cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *info)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, exec);
	if (!cuda_object_is(exec, CUDA_KIND_GRAPH_EXEC) || !cuda_graph_is(graph) || !info)
		return CUDA_ERROR_INVALID_VALUE;
	*info = (CUgraphExecUpdateResultInfo){0};
	info->result = compare(exec->graph, graph, info);
	if (info->result != CU_GRAPH_EXEC_UPDATE_SUCCESS)
		return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
	info->errorNode = NULL;
	return cuda_graph_take_all(exec->graph, graph);
}

CUresult cuda_graph_exec_set_child(struct CUgraphNode_st *n, CUgraph child)
{
	CUgraphExecUpdateResultInfo info = {0};

	if (n->type != CU_GRAPH_NODE_TYPE_GRAPH || !cuda_graph_is(child) ||
	    compare(n->child, child, &info) != CU_GRAPH_EXEC_UPDATE_SUCCESS)
		return CUDA_ERROR_INVALID_VALUE;
	return cuda_graph_take_all(n->child, child);
}

/* ---- switching nodes off ---- */

static struct CUgraphNode_st *find_switchable(CUgraphExec exec, CUgraphNode node)
{
	if (!cuda_object_is(exec, CUDA_KIND_GRAPH_EXEC) || !cuda_object_is(node, CUDA_KIND_GRAPH_NODE))
		return NULL;

	struct CUgraphNode_st *n = cuda_graph_find(exec->graph, node);

	return n && n->type <= CU_GRAPH_NODE_TYPE_MEMSET ? n : NULL;
}

CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node, unsigned int is_enabled)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, exec);

	struct CUgraphNode_st *n = find_switchable(exec, node);

	if (!n)
		return CUDA_ERROR_INVALID_VALUE;
	n->is_disabled = !is_enabled;
	return CUDA_SUCCESS;
}

CUresult cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node, unsigned int *is_enabled)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, exec);

	const struct CUgraphNode_st *n = find_switchable(exec, node);

	if (!n || !is_enabled)
		return CUDA_ERROR_INVALID_VALUE;
	*is_enabled = !n->is_disabled;
	return CUDA_SUCCESS;
}

/* ---- launching ---- */

/* There is nothing to bring to the device before the launch. */
CUresult cuGraphUpload(CUgraphExec exec, CUstream stream)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, stream);
	if (!cuda_object_is(exec, CUDA_KIND_GRAPH_EXEC))
		return CUDA_ERROR_INVALID_VALUE;
	return cuda_capture_forbid(call.ctx, stream);
}
CUDA_PER_THREAD(cuGraphUpload, _ptsz, CUgraphExec, CUstream);

CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, stream);
	if (!cuda_object_is(exec, CUDA_KIND_GRAPH_EXEC))
		return CUDA_ERROR_INVALID_VALUE;

	struct capture_branch *branch;
	CUresult result = cuda_capture_enter(call.ctx, stream, true, &branch);

	if (result != CUDA_SUCCESS || !branch)
		return result == CUDA_SUCCESS ? cuda_graph_run(call.ctx, exec, stream) : result;

	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_GRAPH, .graph = {.graph = exec->graph}};

	return cuda_capture_add(call.ctx, branch, &p);
}
CUDA_PER_THREAD(cuGraphLaunch, _ptsz, CUgraphExec, CUstream);
