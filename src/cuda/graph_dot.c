/* graph_dot.c - a graph as text in Graphviz' language.
 *
 * Nodes are named by their places, so that the text of a program is the same in every run unless it asks for handles.
 */
#include <stdio.h>

#include "cuda/graph.h"

static const char *type_name(CUgraphNodeType type)
{
	static const char *const names[] = {
	    [CU_GRAPH_NODE_TYPE_KERNEL] = "KERNEL",
	    [CU_GRAPH_NODE_TYPE_MEMCPY] = "MEMCPY",
	    [CU_GRAPH_NODE_TYPE_MEMSET] = "MEMSET",
	    [CU_GRAPH_NODE_TYPE_HOST] = "HOST",
	    [CU_GRAPH_NODE_TYPE_GRAPH] = "GRAPH",
	    [CU_GRAPH_NODE_TYPE_EMPTY] = "EMPTY",
	    [CU_GRAPH_NODE_TYPE_WAIT_EVENT] = "EVENT_WAIT",
	    [CU_GRAPH_NODE_TYPE_EVENT_RECORD] = "EVENT_RECORD",
	    [CU_GRAPH_NODE_TYPE_MEM_ALLOC] = "MEM_ALLOC",
	    [CU_GRAPH_NODE_TYPE_MEM_FREE] = "MEM_FREE",
	};

	return names[type];
}

static void print_kernel(FILE *f, const struct CUgraphNode_st *n)
{
	const struct cuda_launch *l = &n->kernel.launch;

	fprintf(f, "\\ngrid %u,%u,%u block %u,%u,%u shared %u", l->grid[0], l->grid[1], l->grid[2], l->block[0],
		l->block[1], l->block[2], l->dynamic_bytes);
}

static void print_copy(FILE *f, const CUDA_MEMCPY3D *c)
{
	static const char *const kinds[] = {"", "host", "device", "array", "unified"};

	fprintf(f, "\\n%s to %s, %zu x %zu x %zu bytes", kinds[c->srcMemoryType], kinds[c->dstMemoryType],
		c->WidthInBytes, c->Height, c->Depth);
}

/* What flags ask for of this node. */
static void print_params(FILE *f, const struct CUgraphNode_st *n, unsigned int flags)
{
	if (n->type == CU_GRAPH_NODE_TYPE_KERNEL && flags & CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_PARAMS)
		print_kernel(f, n);
	if (n->type == CU_GRAPH_NODE_TYPE_MEMCPY && flags & CU_GRAPH_DEBUG_DOT_FLAGS_MEMCPY_NODE_PARAMS)
		print_copy(f, &n->copy);
	if (n->type == CU_GRAPH_NODE_TYPE_MEMSET && flags & CU_GRAPH_DEBUG_DOT_FLAGS_MEMSET_NODE_PARAMS)
		fprintf(f, "\\nvalue %u, %zu x %zu elements of %u bytes", n->fill.value, n->fill.width, n->fill.height,
			n->fill.elementSize);
	if (n->type == CU_GRAPH_NODE_TYPE_HOST && flags & CU_GRAPH_DEBUG_DOT_FLAGS_HOST_NODE_PARAMS)
		fprintf(f, "\\nfunction %p data %p", (void *)n->host.fn, n->host.userData);
	if ((n->type == CU_GRAPH_NODE_TYPE_WAIT_EVENT || n->type == CU_GRAPH_NODE_TYPE_EVENT_RECORD) &&
	    flags & CU_GRAPH_DEBUG_DOT_FLAGS_EVENT_NODE_PARAMS)
		fprintf(f, "\\nevent %p", (void *)n->event);
	if (n->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC && flags & CU_GRAPH_DEBUG_DOT_FLAGS_MEM_ALLOC_NODE_PARAMS)
		fprintf(f, "\\n%zu bytes at %#llx", cuda_graph_memory_params(n->memory)->bytesize,
			cuda_graph_memory_params(n->memory)->dptr);
	if (n->type == CU_GRAPH_NODE_TYPE_MEM_FREE && flags & CU_GRAPH_DEBUG_DOT_FLAGS_MEM_FREE_NODE_PARAMS)
		fprintf(f, "\\naddress %#llx", n->freed);
	if (flags & CU_GRAPH_DEBUG_DOT_FLAGS_HANDLES)
		fprintf(f, "\\nhandle %p", (const void *)n);
}

/* name: of the graph, which its nodes' names begin with. */
static void print_graph(FILE *f, const struct CUgraph_st *g, const char *name, unsigned int flags)
{
	fprintf(f, "subgraph \"cluster_%s\" {\nlabel=\"%s\"\n", name, name);
	for (uint32_t i = 0; i < g->nodes->len; i++) {
		const struct CUgraphNode_st *n = g->nodes->pdata[i];

		fprintf(f, "\"%s_node_%u\" [shape=box, label=\"%u %s%s%s", name, i, i, type_name(n->type),
			n->type == CU_GRAPH_NODE_TYPE_KERNEL ? "\\n" : "",
			n->type == CU_GRAPH_NODE_TYPE_KERNEL ? n->kernel.launch.f->func->name : "");
		print_params(f, n, flags);
		fprintf(f, "\"]\n");
		for (uint32_t k = 0; k < n->to->len; k++)
			fprintf(f, "\"%s_node_%u\" -> \"%s_node_%u\"\n", name, i, name,
				cuda_graph_position(g_array_index(n->to, struct graph_edge, k).node));
	}
	fprintf(f, "}\n");
	for (uint32_t i = 0; i < g->nodes->len; i++) {
		const struct CUgraphNode_st *n = g->nodes->pdata[i];

		if (n->type == CU_GRAPH_NODE_TYPE_GRAPH) {
			char *child = g_strdup_printf("%s_%u", name, i);

			print_graph(f, n->child, child, flags);
			g_free(child);
		}
	}
}

CUresult cuGraphDebugDotPrint(CUgraph graph, const char *path, unsigned int flags)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, graph);
	if (!cuda_graph_is(graph) || !path)
		return CUDA_ERROR_INVALID_VALUE;

	FILE *f = fopen(path, "w");

	if (!f)
		return CUDA_ERROR_OPERATING_SYSTEM;
	fprintf(f, "digraph dot {\n");
	print_graph(f, graph, "graph",
		    flags & CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE ? ~0U
							     : flags);
	fprintf(f, "}\n");
	return fclose(f) ? CUDA_ERROR_OPERATING_SYSTEM : CUDA_SUCCESS;
}
