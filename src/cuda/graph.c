/* graph.c - graphs: their dependencies, what they contain, and copies of them. */
#include "cuda/graph.h"

#include <string.h>

#include "base/check.h"

const CUgraphEdgeData cuda_graph_plain_edge = {0};

/* ---- graphs ---- */

static void destroy_graph(struct cuda_object *o)
{
	struct CUgraph_st *g = (struct CUgraph_st *)o;

	cuda_object_remove(o);
	while (g->nodes->len)
		cuda_graph_destroy_node(g->nodes->pdata[g->nodes->len - 1]);
	cuda_graph_holds_release(g);
	g_array_free(g->user_objects, TRUE);
	g_ptr_array_free(g->nodes, TRUE);
	g_free(g);
}

struct CUgraph_st *cuda_graph_new(struct CUctx_st *ctx)
{
	struct CUgraph_st *g = g_new0(struct CUgraph_st, 1);

	g->nodes = g_ptr_array_new();
	g->user_objects = g_array_new(FALSE, FALSE, sizeof(struct graph_hold));
	cuda_object_add(&g->object, CUDA_KIND_GRAPH, ctx, destroy_graph);
	return g;
}

void cuda_graph_destroy(struct CUgraph_st *g)
{
	destroy_graph(&g->object);
}

bool cuda_graph_is(CUgraph g)
{
	return cuda_object_is(g, CUDA_KIND_GRAPH);
}

bool cuda_graph_has(const struct CUgraph_st *g, CUgraphNodeType type)
{
	for (uint32_t i = 0; i < g->nodes->len; i++) {
		const struct CUgraphNode_st *n = g->nodes->pdata[i];

		if (n->type == type || (n->type == CU_GRAPH_NODE_TYPE_GRAPH && cuda_graph_has(n->child, type)))
			return true;
	}
	return false;
}

struct CUgraphNode_st *cuda_graph_find(const struct CUgraph_st *g, const struct CUgraphNode_st *origin)
{
	for (uint32_t i = 0; i < g->nodes->len; i++) {
		struct CUgraphNode_st *n = g->nodes->pdata[i];

		if (n->origin == origin)
			return n;
		if (n->type == CU_GRAPH_NODE_TYPE_GRAPH && (n = cuda_graph_find(n->child, origin)))
			return n;
	}
	return NULL;
}

uint32_t cuda_graph_position(const struct CUgraphNode_st *n)
{
	guint i = 0;

	CHECK(g_ptr_array_find(n->graph->nodes, n, &i));
	return i;
}

/* The edges of the copy, as those of g stand in its lists. */
static void copy_edges(const struct CUgraph_st *g, struct CUgraph_st *copy)
{
	GHashTable *copies = g_hash_table_new(NULL, NULL);

	for (uint32_t i = 0; i < g->nodes->len; i++)
		g_hash_table_insert(copies, g->nodes->pdata[i], copy->nodes->pdata[i]);
	for (uint32_t i = 0; i < g->nodes->len; i++) {
		const struct CUgraphNode_st *n = g->nodes->pdata[i];
		struct CUgraphNode_st *c = copy->nodes->pdata[i];
		GArray *const lists[2][2] = {{n->from, c->from}, {n->to, c->to}};

		for (uint32_t k = 0; k < 2; k++) {
			g_array_append_vals(lists[k][1], lists[k][0]->data, lists[k][0]->len);
			for (uint32_t j = 0; j < lists[k][1]->len; j++) {
				struct graph_edge *e = &g_array_index(lists[k][1], struct graph_edge, j);

				e->node = g_hash_table_lookup(copies, e->node);
			}
		}
	}
	g_hash_table_destroy(copies);
}

struct CUgraph_st *cuda_graph_copy(struct CUctx_st *ctx, const struct CUgraph_st *g)
{
	struct CUgraph_st *copy = cuda_graph_new(ctx);

	copy->origin = g;
	for (uint32_t i = 0; i < g->nodes->len; i++)
		cuda_graph_copy_node(g->nodes->pdata[i], copy);
	copy_edges(g, copy);
	cuda_graph_holds_copy(copy, g);
	return copy;
}

/* ---- dependencies ---- */

static const struct graph_edge *find_edge(const GArray *list, const struct CUgraphNode_st *node)
{
	for (uint32_t i = 0; i < list->len; i++) {
		if (g_array_index(list, struct graph_edge, i).node == node)
			return &g_array_index(list, struct graph_edge, i);
	}
	return NULL;
}

static void remove_edge(GArray *list, const struct CUgraphNode_st *node)
{
	const struct graph_edge *e = find_edge(list, node);

	CHECK(e);
	g_array_remove_index(list, (guint)(e - &g_array_index(list, struct graph_edge, 0)));
}

static void disconnect(struct CUgraphNode_st *from, struct CUgraphNode_st *to)
{
	remove_edge(from->to, to);
	remove_edge(to->from, from);
}

/* Only kernels have ports, and what is known of an edge must be zero beyond them. */
static bool is_edge_data(const CUgraphEdgeData *d, const struct CUgraphNode_st *from)
{
	static const unsigned char zero[sizeof(d->reserved)];

	if (memcmp(d->reserved, zero, sizeof(zero)) != 0 || d->to_port ||
	    d->type > CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC)
		return false;
	return (!d->from_port && !d->type) || (from->type == CU_GRAPH_NODE_TYPE_KERNEL && d->from_port <= 2);
}

bool cuda_graph_owns(const struct CUgraph_st *g, const CUgraphNode *nodes, size_t count)
{
	if (count && !nodes)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!cuda_object_is(nodes[i], CUDA_KIND_GRAPH_NODE) || nodes[i]->graph != g)
			return false;
	}
	return true;
}

CUresult cuda_graph_connect(struct CUgraph_st *g, const CUgraphNode *from, const CUgraphNode *to,
			    const CUgraphEdgeData *data, size_t count)
{
	if (!cuda_graph_owns(g, from, count) || !cuda_graph_owns(g, to, count))
		return CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; i < count; i++) {
		const CUgraphEdgeData *d = data ? &data[i] : &cuda_graph_plain_edge;

		if (from[i] == to[i] || find_edge(from[i]->to, to[i]) || !is_edge_data(d, from[i])) {
			while (i--)
				disconnect(from[i], to[i]);
			return CUDA_ERROR_INVALID_VALUE;
		}

		const struct graph_edge forth = {to[i], *d}, back = {from[i], *d};

		g_array_append_val(from[i]->to, forth);
		g_array_append_val(to[i]->from, back);
	}
	return CUDA_SUCCESS;
}

CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
				   const CUgraphEdgeData *data, size_t count)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, graph);
	return cuda_graph_is(graph) ? cuda_graph_connect(graph, from, to, data, count) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count)
{
	return cuGraphAddDependencies_v2(graph, from, to, NULL, count);
}

CUresult cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
				      const CUgraphEdgeData *data, size_t count)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, graph);
	if (!cuda_graph_is(graph) || !cuda_graph_owns(graph, from, count) || !cuda_graph_owns(graph, to, count))
		return CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; i < count; i++) {
		const struct graph_edge *e = find_edge(from[i]->to, to[i]);

		if (!e || memcmp(&e->data, data ? &data[i] : &cuda_graph_plain_edge, sizeof(e->data)) != 0)
			return CUDA_ERROR_INVALID_VALUE;
	}
	for (size_t i = 0; i < count; i++) {
		if (find_edge(from[i]->to, to[i])) /* a pair may be named twice */
			disconnect(from[i], to[i]);
	}
	return CUDA_SUCCESS;
}

CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count)
{
	return cuGraphRemoveDependencies_v2(graph, from, to, NULL, count);
}

/* ---- entry points: graphs ---- */

CUresult cuGraphCreate(CUgraph *graph, unsigned int flags)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (!graph || flags)
		return CUDA_ERROR_INVALID_VALUE;
	*graph = cuda_graph_new(call.ctx);
	return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph graph)
{
	CUDA_CALL_OF(CUDA_NEEDS_CONTEXT, graph);
	if (!cuda_graph_is(graph) || graph->parent)
		return CUDA_ERROR_INVALID_VALUE;
	cuda_graph_destroy(graph);
	return CUDA_SUCCESS;
}

CUresult cuGraphClone(CUgraph *clone, CUgraph original)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, original);
	if (!clone || !cuda_graph_is(original))
		return CUDA_ERROR_INVALID_VALUE;
	if (cuda_graph_has(original, CU_GRAPH_NODE_TYPE_MEM_ALLOC) ||
	    cuda_graph_has(original, CU_GRAPH_NODE_TYPE_MEM_FREE))
		return cuda_not_supported("cuGraphClone of a graph with memory nodes");
	*clone = cuda_graph_copy(call.ctx, original);
	return CUDA_SUCCESS;
}

CUresult cuGraphNodeFindInClone(CUgraphNode *node, CUgraphNode original, CUgraph clone)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, original);
	if (!node || !cuda_object_is(original, CUDA_KIND_GRAPH_NODE) || !cuda_graph_is(clone))
		return CUDA_ERROR_INVALID_VALUE;

	CUgraphNode found = cuda_graph_find(clone, original);

	if (!found)
		return CUDA_ERROR_INVALID_VALUE;
	*node = found;
	return CUDA_SUCCESS;
}

/* ---- entry points: lists ---- */

/* Gives out a list of edges, of which one end may not be wanted. More room than edges is filled with zeros. */
static CUresult give(const GArray *edges, const GArray *other_ends, CUgraphNode *nodes, CUgraphNode *others,
		     CUgraphEdgeData *data, size_t *count)
{
	if (nodes || others) {
		for (size_t i = 0; i < *count; i++) {
			const bool is_there = i < edges->len;
			const struct graph_edge *e = is_there ? &g_array_index(edges, struct graph_edge, i) : NULL;

			if (nodes)
				nodes[i] = e ? e->node : NULL;
			if (others)
				others[i] = e ? g_array_index(other_ends, CUgraphNode, i) : NULL;
			if (data)
				data[i] = e ? e->data : cuda_graph_plain_edge;
		}
		if (*count < edges->len)
			return CUDA_SUCCESS;
	}
	*count = edges->len;
	return CUDA_SUCCESS;
}

static CUresult give_nodes(const GPtrArray *list, bool is_root_wanted, CUgraphNode *nodes, size_t *count)
{
	GArray *edges = g_array_new(FALSE, FALSE, sizeof(struct graph_edge));
	CUresult result;

	for (uint32_t i = 0; i < list->len; i++) {
		const struct graph_edge e = {list->pdata[i], cuda_graph_plain_edge};

		if (!is_root_wanted || !e.node->from->len)
			g_array_append_val(edges, e);
	}
	result = give(edges, NULL, nodes, NULL, NULL, count);
	g_array_free(edges, TRUE);
	return result;
}

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, graph);
	if (!cuda_graph_is(graph) || !count)
		return CUDA_ERROR_INVALID_VALUE;
	return give_nodes(graph->nodes, false, nodes, count);
}

CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, graph);
	if (!cuda_graph_is(graph) || !count)
		return CUDA_ERROR_INVALID_VALUE;
	return give_nodes(graph->nodes, true, nodes, count);
}

CUresult cuGraphGetEdges_v2(CUgraph graph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *data, size_t *count)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, graph);
	if (!cuda_graph_is(graph) || !count || !from != !to || (data && !from))
		return CUDA_ERROR_INVALID_VALUE;

	GArray *edges = g_array_new(FALSE, FALSE, sizeof(struct graph_edge));
	GArray *ends = g_array_new(FALSE, FALSE, sizeof(CUgraphNode));

	for (uint32_t i = 0; i < graph->nodes->len; i++) {
		CUgraphNode n = graph->nodes->pdata[i];

		g_array_append_vals(edges, n->to->data, n->to->len);
		for (uint32_t k = 0; k < n->to->len; k++)
			g_array_append_val(ends, n);
	}

	CUresult result = give(edges, ends, to, from, data, count);

	g_array_free(edges, TRUE);
	g_array_free(ends, TRUE);
	return result;
}

CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count)
{
	return cuGraphGetEdges_v2(graph, from, to, NULL, count);
}

CUresult cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *data, size_t *count)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, node);
	if (!cuda_object_is(node, CUDA_KIND_GRAPH_NODE) || !count || (data && !nodes))
		return CUDA_ERROR_INVALID_VALUE;
	return give(node->from, NULL, nodes, NULL, data, count);
}

CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *nodes, size_t *count)
{
	return cuGraphNodeGetDependencies_v2(node, nodes, NULL, count);
}

CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *data, size_t *count)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, node);
	if (!cuda_object_is(node, CUDA_KIND_GRAPH_NODE) || !count || (data && !nodes))
		return CUDA_ERROR_INVALID_VALUE;
	return give(node->to, NULL, nodes, NULL, data, count);
}

CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *nodes, size_t *count)
{
	return cuGraphNodeGetDependentNodes_v2(node, nodes, NULL, count);
}
