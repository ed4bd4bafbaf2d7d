/* user_object.c - user objects: a function of the program that is called when the last reference is gone.
 *
 * References are the caller's, and those that graphs hold: a graph by cuGraphRetainUserObject, what is copied or made
 * from it by that.
 */
#include "base/check.h"
#include "cuda/graph.h"

struct CUuserObject_st {
	struct cuda_object object;
	CUhostFn destroy;
	void *pointer;
	uint64_t references; /* all */
	uint64_t held;	     /* those of graphs; the others are the caller's */
};

static void destroy_user_object(struct cuda_object *o)
{
	cuda_object_remove(o);
	g_free(o);
}

static void release(CUuserObject u, unsigned int count)
{
	CHECK(u->references >= count);
	u->references -= count;
	if (u->references)
		return;

	CUhostFn function = u->destroy;
	void *pointer = u->pointer;

	destroy_user_object(&u->object);
	cuda_callback_begin();
	function(pointer);
	cuda_callback_end();
}

static bool has_own(const struct CUuserObject_st *u, unsigned int count)
{
	return u->references - u->held >= count;
}

/* ---- what graphs hold ---- */

static struct graph_hold *find_hold(const struct CUgraph_st *g, CUuserObject u)
{
	for (uint32_t i = 0; i < g->user_objects->len; i++) {
		if (g_array_index(g->user_objects, struct graph_hold, i).object == u)
			return &g_array_index(g->user_objects, struct graph_hold, i);
	}
	return NULL;
}

static void hold(struct CUgraph_st *g, CUuserObject u, unsigned int count)
{
	struct graph_hold *h = find_hold(g, u);

	u->held += count;
	if (h)
		h->count += count;
	else
		g_array_append_val(g->user_objects, ((struct graph_hold){u, count}));
}

void cuda_graph_holds_copy(struct CUgraph_st *to, const struct CUgraph_st *from)
{
	for (uint32_t i = 0; i < from->user_objects->len; i++) {
		const struct graph_hold *h = &g_array_index(from->user_objects, struct graph_hold, i);

		hold(to, h->object, 1);
		h->object->references++;
	}
}

void cuda_graph_holds_release(struct CUgraph_st *g)
{
	for (uint32_t i = 0; i < g->user_objects->len; i++) {
		const struct graph_hold *h = &g_array_index(g->user_objects, struct graph_hold, i);

		h->object->held -= h->count;
		release(h->object, h->count);
	}
}

/* ---- entry points ---- */

CUresult cuUserObjectCreate(CUuserObject *object, void *pointer, CUhostFn destroy, unsigned int count,
			    unsigned int flags)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (!object || !destroy || !count || count > INT32_MAX || flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)
		return CUDA_ERROR_INVALID_VALUE;

	struct CUuserObject_st *u = g_new0(struct CUuserObject_st, 1);

	u->destroy = destroy;
	u->pointer = pointer;
	u->references = count;
	cuda_object_add(&u->object, CUDA_KIND_USER_OBJECT, NULL, destroy_user_object);
	*object = u;
	return CUDA_SUCCESS;
}

static bool is_right(CUuserObject u, unsigned int count)
{
	return cuda_object_is(u, CUDA_KIND_USER_OBJECT) && count && count <= INT32_MAX;
}

CUresult cuUserObjectRetain(CUuserObject object, unsigned int count)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (!is_right(object, count))
		return CUDA_ERROR_INVALID_VALUE;
	object->references += count;
	return CUDA_SUCCESS;
}

CUresult cuUserObjectRelease(CUuserObject object, unsigned int count)
{
	CUDA_CALL(CUDA_NEEDS_CONTEXT);
	if (!is_right(object, count) || !has_own(object, count))
		return CUDA_ERROR_INVALID_VALUE;
	release(object, count);
	return CUDA_SUCCESS;
}

CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned int count, unsigned int flags)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, graph);
	if (!cuda_graph_is(graph) || !is_right(object, count) || flags & ~(unsigned int)CU_GRAPH_USER_OBJECT_MOVE)
		return CUDA_ERROR_INVALID_VALUE;
	if (!(flags & CU_GRAPH_USER_OBJECT_MOVE))
		object->references += count;
	else if (!has_own(object, count)) /* the caller's become the graph's */
		return CUDA_ERROR_INVALID_VALUE;
	hold(graph, object, count);
	return CUDA_SUCCESS;
}

CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned int count)
{
	CUDA_CALL_OF(CUDA_NEEDS_CONTEXT, graph);
	if (!cuda_graph_is(graph) || !is_right(object, count))
		return CUDA_ERROR_INVALID_VALUE;

	struct graph_hold *h = find_hold(graph, object);

	if (!h || h->count < count)
		return CUDA_ERROR_INVALID_VALUE;
	h->count -= count;
	if (!h->count)
		g_array_remove_index(graph->user_objects,
				     (guint)(h - &g_array_index(graph->user_objects, struct graph_hold, 0)));
	object->held -= count;
	release(object, count);
	return CUDA_SUCCESS;
}
