/* capture.c - stream capture: streams, events and calls while graphs are made of what streams are given. */
#include "cuda/capture.h"

#include <pthread.h>

#include "base/check.h"
#include "cuda/graph.h"
#include "cuda/perthread.h"

struct cuda_capture {
	uint64_t id;
	struct CUctx_st *ctx;
	CUgraph graph;
	bool is_users_graph; /* it was there before, and stays whatever happens */
	bool is_invalid;
	CUstreamCaptureMode mode;
	pthread_t thread;    /* in which it began */
	GPtrArray *branches; /* struct capture_branch; the first is the stream in which it began */
};

struct capture_branch {
	struct cuda_capture *capture;
	struct machine_stream *place; /* NULL: the stream was destroyed */
	GArray *nodes; /* CUgraphNode: what the next node depends on */
	GArray *data;  /* CUgraphEdgeData: how */
};

static GPtrArray *captures; /* struct cuda_capture, those that have not ended; NULL before the first */

static _Thread_local CUstreamCaptureMode thread_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

/* ---- captures and branches ---- */

static struct capture_branch *find_branch(const struct machine_stream *place)
{
	for (uint32_t i = 0; captures && i < captures->len; i++) {
		const struct cuda_capture *c = captures->pdata[i];

		for (uint32_t k = 0; k < c->branches->len; k++) {
			struct capture_branch *b = c->branches->pdata[k];

			if (b->place == place)
				return b;
		}
	}
	return NULL;
}

static struct cuda_capture *find_capture(uint64_t id)
{
	for (uint32_t i = 0; captures && i < captures->len; i++) {
		struct cuda_capture *c = captures->pdata[i];

		if (c->id == id)
			return c;
	}
	return NULL;
}

static struct capture_branch *add_branch(struct cuda_capture *c, struct machine_stream *place)
{
	struct capture_branch *b = g_new0(struct capture_branch, 1);

	b->capture = c;
	b->place = place;
	b->nodes = g_array_new(FALSE, FALSE, sizeof(CUgraphNode));
	b->data = g_array_new(FALSE, FALSE, sizeof(CUgraphEdgeData));
	g_ptr_array_add(c->branches, b);
	return b;
}

static void free_branch(gpointer branch)
{
	struct capture_branch *b = branch;

	g_array_free(b->nodes, TRUE);
	g_array_free(b->data, TRUE);
	g_free(b);
}

static struct cuda_capture *new_capture(struct CUctx_st *ctx, CUgraph graph, CUstreamCaptureMode mode)
{
	struct cuda_capture *c = g_new0(struct cuda_capture, 1);

	c->id = ++cuda_driver.next_id;
	c->ctx = ctx;
	c->is_users_graph = graph;
	c->graph = graph ? graph : cuda_graph_new(ctx);
	c->mode = mode;
	c->thread = pthread_self();
	c->branches = g_ptr_array_new_with_free_func(free_branch);
	if (!captures)
		captures = g_ptr_array_new();
	g_ptr_array_add(captures, c);
	return c;
}

/* The capture has ended; without success, so has its graph. */
static void end_capture(struct cuda_capture *c, bool is_right)
{
	if (!is_right && !c->is_users_graph && cuda_graph_is(c->graph))
		cuda_graph_destroy(c->graph);
	g_ptr_array_remove(captures, c);
	g_ptr_array_free(c->branches, TRUE);
	g_free(c);
}

/* Makes the next node of b depend on this one too. */
static void depend(struct capture_branch *b, CUgraphNode node, const CUgraphEdgeData *data)
{
	for (uint32_t i = 0; i < b->nodes->len; i++) {
		if (g_array_index(b->nodes, CUgraphNode, i) == node)
			return;
	}
	g_array_append_val(b->nodes, node);
	g_array_append_val(b->data, *data);
}

static void depend_only(struct capture_branch *b, CUgraphNode node)
{
	g_array_set_size(b->nodes, 0);
	g_array_set_size(b->data, 0);
	depend(b, node, &cuda_graph_plain_edge);
}

/* ---- what a capture forbids ---- */

static CUresult invalidate(struct cuda_capture *c, CUresult why)
{
	c->is_invalid = true;
	return why;
}

static bool is_blocking(const struct capture_branch *b)
{
	return b->place && b->place->rule == MACHINE_STREAM_BLOCKING;
}

/* Work in the legacy stream would come after that of streams that capture, which never runs. */
static CUresult check_legacy(struct CUctx_st *ctx)
{
	CUresult result = CUDA_SUCCESS;

	for (uint32_t i = 0; i < captures->len; i++) {
		struct cuda_capture *c = captures->pdata[i];

		for (uint32_t k = 0; k < c->branches->len && c->ctx == ctx; k++) {
			if (is_blocking(c->branches->pdata[k]))
				result = invalidate(c, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
		}
	}
	return result;
}

CUresult cuda_capture_forbid_unsafe(void)
{
	CUresult result = CUDA_SUCCESS;

	if (thread_mode == CU_STREAM_CAPTURE_MODE_RELAXED)
		return CUDA_SUCCESS;
	for (uint32_t i = 0; captures && i < captures->len; i++) {
		struct cuda_capture *c = captures->pdata[i];
		bool is_own = pthread_equal(c->thread, pthread_self());

		if (is_own ? c->mode != CU_STREAM_CAPTURE_MODE_RELAXED
			   : c->mode == CU_STREAM_CAPTURE_MODE_GLOBAL && thread_mode == CU_STREAM_CAPTURE_MODE_GLOBAL)
			result = invalidate(c, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
	}
	return result;
}

CUresult cuda_capture_enter(struct CUctx_st *ctx, CUstream stream, bool is_async, struct capture_branch **branch)
{
	CUresult result = cuda_stream_check(stream);

	*branch = NULL;
	if (result != CUDA_SUCCESS || !captures || !captures->len)
		return result;

	const struct machine_stream *place = cuda_time_stream(ctx, stream);
	struct capture_branch *b = find_branch(place);

	if (b && b->capture->is_invalid)
		return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
	if (b && !is_async)
		return invalidate(b->capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
	*branch = b;
	if (!b && place->rule == MACHINE_STREAM_LEGACY)
		result = check_legacy(ctx);
	if (result == CUDA_SUCCESS && !is_async)
		result = cuda_capture_forbid_unsafe();
	return result;
}

CUresult cuda_capture_forbid(struct CUctx_st *ctx, CUstream stream)
{
	struct capture_branch *b;
	CUresult result = cuda_capture_enter(ctx, stream, true, &b);

	return result == CUDA_SUCCESS && b ? invalidate(b->capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED) : result;
}

CUresult cuda_capture_forbid_context(struct CUctx_st *ctx)
{
	CUresult result = CUDA_SUCCESS;

	for (uint32_t i = 0; captures && i < captures->len; i++) {
		struct cuda_capture *c = captures->pdata[i];

		if (c->ctx == ctx)
			result = invalidate(c, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
	}
	return result;
}

void cuda_capture_leave(struct CUctx_st *ctx, CUstream stream)
{
	struct capture_branch *b = find_branch(cuda_time_stream(ctx, stream));

	if (b && b->capture->branches->pdata[0] == b)
		end_capture(b->capture, false);
	else if (b)
		b->place = NULL;
}

void cuda_capture_drop(const struct CUctx_st *ctx)
{
	for (uint32_t i = captures ? captures->len : 0; i--;) {
		struct cuda_capture *c = captures->pdata[i];

		if (c->ctx == ctx)
			end_capture(c, false);
	}
}

/* ---- work ---- */

CUresult cuda_capture_add(struct CUctx_st *ctx, struct capture_branch *b, CUgraphNodeParams *params)
{
	CUgraphNode node;
	CUresult result = cuda_graph_add(ctx, b->capture->graph, (CUgraphNode *)(void *)b->nodes->data,
					 (CUgraphEdgeData *)(void *)b->data->data, b->nodes->len, params, &node);

	if (result == CUDA_SUCCESS)
		depend_only(b, node);
	return result;
}

CUresult cuda_capture_kernel(struct CUctx_st *ctx, struct capture_branch *b, const struct cuda_launch *l,
			     uint8_t *block)
{
	CUgraphNode node;
	CUresult result = cuda_graph_add_kernel(ctx, b->capture->graph, (CUgraphNode *)(void *)b->nodes->data,
						(CUgraphEdgeData *)(void *)b->data->data, b->nodes->len, l, block,
						&node);

	if (result == CUDA_SUCCESS)
		depend_only(b, node);
	return result;
}

/* ---- events ---- */

void cuda_capture_record(struct capture_branch *b, struct CUevent_st *e)
{
	cuda_capture_forget(e);
	e->capture_id = b->capture->id;
	e->capture_nodes = g_array_copy(b->nodes);
}

void cuda_capture_forget(struct CUevent_st *e)
{
	if (e->capture_nodes)
		g_array_free(e->capture_nodes, TRUE);
	e->capture_nodes = NULL;
	e->capture_id = 0;
}

CUresult cuda_capture_forbid_event(const struct CUevent_st *e)
{
	struct cuda_capture *c = find_capture(e->capture_id);

	return c ? invalidate(c, CUDA_ERROR_CAPTURED_EVENT) : CUDA_ERROR_CAPTURED_EVENT;
}

CUresult cuda_capture_isolate(struct capture_branch *b)
{
	return invalidate(b->capture, CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
}

CUresult cuda_capture_wait(struct CUctx_st *ctx, CUstream stream, struct capture_branch *b, struct CUevent_st *e)
{
	struct machine_stream *place = cuda_time_stream(ctx, stream);
	struct cuda_capture *c = find_capture(e->capture_id);

	if (!c)
		return b ? cuda_capture_isolate(b) : CUDA_ERROR_CAPTURED_EVENT;
	if (c->is_invalid)
		return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
	if (b && b->capture != c) {
		invalidate(b->capture, CUDA_SUCCESS);
		return invalidate(c, CUDA_ERROR_STREAM_CAPTURE_MERGE);
	}
	if (place->rule == MACHINE_STREAM_LEGACY)
		return invalidate(c, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
	if (!b)
		b = add_branch(c, place);
	for (uint32_t i = 0; i < e->capture_nodes->len; i++) {
		CUgraphNode node = g_array_index(e->capture_nodes, CUgraphNode, i);

		if (cuda_object_is(node, CUDA_KIND_GRAPH_NODE))
			depend(b, node, &cuda_graph_plain_edge);
	}
	return CUDA_SUCCESS;
}

/* ---- begin and end ---- */

static CUresult begin(struct CUctx_st *ctx, CUstream stream, CUgraph graph, CUstreamCaptureMode mode,
		      struct capture_branch **b)
{
	CUresult result = cuda_stream_check(stream);

	if (result != CUDA_SUCCESS)
		return result;
	if ((unsigned int)mode > CU_STREAM_CAPTURE_MODE_RELAXED)
		return CUDA_ERROR_INVALID_VALUE;

	struct machine_stream *place = cuda_time_stream(ctx, stream);

	if (place->rule == MACHINE_STREAM_LEGACY)
		return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	if (find_branch(place))
		return CUDA_ERROR_ILLEGAL_STATE;
	*b = add_branch(new_capture(ctx, graph, mode), place);
	return CUDA_SUCCESS;
}

CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, stream);

	struct capture_branch *b;

	return begin(call.ctx, stream, NULL, mode, &b);
}
CUDA_PER_THREAD(cuStreamBeginCapture_v2, _ptsz, CUstream, CUstreamCaptureMode);

CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph, const CUgraphNode *from,
				     const CUgraphEdgeData *data, size_t count, CUstreamCaptureMode mode)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, stream);
	if (!cuda_graph_is(graph) || (count && !from) || !cuda_graph_owns(graph, from, count))
		return CUDA_ERROR_INVALID_VALUE;

	struct capture_branch *b;
	CUresult result = begin(call.ctx, stream, graph, mode, &b);

	for (size_t i = 0; i < count && result == CUDA_SUCCESS; i++)
		depend(b, from[i], data ? &data[i] : &cuda_graph_plain_edge);
	return result;
}
CUDA_PER_THREAD(cuStreamBeginCaptureToGraph, _ptsz, CUstream, CUgraph, const CUgraphNode *, const CUgraphEdgeData *,
		size_t, CUstreamCaptureMode);

/* Puts the nodes, and all that they depend on, into seen. */
static void see(GHashTable *seen, const GArray *nodes)
{
	GPtrArray *open = g_ptr_array_new();

	for (uint32_t i = 0; i < nodes->len; i++)
		g_ptr_array_add(open, g_array_index(nodes, CUgraphNode, i));
	while (open->len) {
		const struct CUgraphNode_st *n = g_ptr_array_remove_index_fast(open, open->len - 1);

		if (!cuda_object_is(n, CUDA_KIND_GRAPH_NODE) || !g_hash_table_add(seen, (gpointer)n))
			continue;
		for (uint32_t i = 0; i < n->from->len; i++)
			g_ptr_array_add(open, g_array_index(n->from, struct graph_edge, i).node);
	}
	g_ptr_array_free(open, TRUE);
}

/* Everything that other streams did comes before the end of the first. */
static bool is_joined(const struct cuda_capture *c)
{
	GHashTable *seen = g_hash_table_new(NULL, NULL);
	const struct capture_branch *first = c->branches->pdata[0];
	bool is_right = true;

	see(seen, first->nodes);
	for (uint32_t i = 1; i < c->branches->len; i++) {
		const struct capture_branch *b = c->branches->pdata[i];

		for (uint32_t k = 0; k < b->nodes->len; k++)
			is_right &= g_hash_table_contains(seen, g_array_index(b->nodes, CUgraphNode, k));
	}
	g_hash_table_destroy(seen);
	return is_right;
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, stream);
	if (!graph)
		return CUDA_ERROR_INVALID_VALUE;
	if (cuda_stream_check(stream) != CUDA_SUCCESS)
		return CUDA_ERROR_INVALID_HANDLE;

	struct capture_branch *b = find_branch(cuda_time_stream(call.ctx, stream));
	CUresult result = CUDA_SUCCESS;

	if (!b)
		return CUDA_ERROR_ILLEGAL_STATE;

	struct cuda_capture *c = b->capture;

	if (c->branches->pdata[0] != b)
		return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
	if (c->mode != CU_STREAM_CAPTURE_MODE_RELAXED && !pthread_equal(c->thread, pthread_self()))
		return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
	if (c->is_invalid)
		result = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
	else if (!is_joined(c))
		result = CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
	*graph = result == CUDA_SUCCESS ? c->graph : NULL;
	end_capture(c, result == CUDA_SUCCESS);
	return result;
}
CUDA_PER_THREAD(cuStreamEndCapture, _ptsz, CUstream, CUgraph *);

/* ---- questions ---- */

/* The stream's branch, or NULL; asking about the legacy stream while others of its context capture is an error, which
 * does no harm. */
static CUresult ask(struct CUctx_st *ctx, CUstream stream, struct capture_branch **b)
{
	CUresult result = cuda_stream_check(stream);

	if (result != CUDA_SUCCESS)
		return result;

	const struct machine_stream *place = cuda_time_stream(ctx, stream);

	*b = find_branch(place);
	for (uint32_t i = 0; captures && i < captures->len && place->rule == MACHINE_STREAM_LEGACY; i++) {
		const struct cuda_capture *c = captures->pdata[i];

		for (uint32_t k = 0; k < c->branches->len && c->ctx == ctx; k++) {
			if (is_blocking(c->branches->pdata[k]))
				return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
		}
	}
	return CUDA_SUCCESS;
}

static CUstreamCaptureStatus status_of(const struct capture_branch *b)
{
	if (!b)
		return CU_STREAM_CAPTURE_STATUS_NONE;
	return b->capture->is_invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED : CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, stream);
	if (!status)
		return CUDA_ERROR_INVALID_VALUE;

	struct capture_branch *b;
	CUresult result = ask(call.ctx, stream, &b);

	if (result == CUDA_SUCCESS)
		*status = status_of(b);
	return result;
}
CUDA_PER_THREAD(cuStreamIsCapturing, _ptsz, CUstream, CUstreamCaptureStatus *);

CUresult cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
				   const CUgraphNode **nodes, const CUgraphEdgeData **data, size_t *count)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, stream);
	if (!status)
		return CUDA_ERROR_INVALID_VALUE;

	struct capture_branch *b;
	CUresult result = ask(call.ctx, stream, &b);

	if (result != CUDA_SUCCESS)
		return result;
	*status = status_of(b);
	if (*status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
		return CUDA_SUCCESS;
	if (id)
		*id = b->capture->id;
	if (graph)
		*graph = b->capture->graph;
	if (nodes)
		*nodes = (const CUgraphNode *)(void *)b->nodes->data;
	if (data)
		*data = (const CUgraphEdgeData *)(void *)b->data->data;
	if (count)
		*count = b->nodes->len;
	return CUDA_SUCCESS;
}
CUDA_PER_THREAD(cuStreamGetCaptureInfo_v3, _ptsz, CUstream, CUstreamCaptureStatus *, cuuint64_t *, CUgraph *,
		const CUgraphNode **, const CUgraphEdgeData **, size_t *);

CUresult cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
				   const CUgraphNode **nodes, size_t *count)
{
	return cuStreamGetCaptureInfo_v3(stream, status, id, graph, nodes, NULL, count);
}
CUDA_PER_THREAD(cuStreamGetCaptureInfo_v2, _ptsz, CUstream, CUstreamCaptureStatus *, cuuint64_t *, CUgraph *,
		const CUgraphNode **, size_t *);

CUresult cuStreamUpdateCaptureDependencies_v2(CUstream stream, CUgraphNode *nodes, const CUgraphEdgeData *data,
					      size_t count, unsigned int flags)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, stream);
	if ((count && !nodes) || flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES)
		return CUDA_ERROR_INVALID_VALUE;

	struct capture_branch *b;
	CUresult result = ask(call.ctx, stream, &b);

	if (result != CUDA_SUCCESS)
		return result;
	if (!b)
		return CUDA_ERROR_ILLEGAL_STATE;
	if (b->capture->is_invalid)
		return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
	if (!cuda_graph_owns(b->capture->graph, nodes, count))
		return CUDA_ERROR_INVALID_VALUE;
	if (flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES) {
		g_array_set_size(b->nodes, 0);
		g_array_set_size(b->data, 0);
	}
	for (size_t i = 0; i < count; i++)
		depend(b, nodes[i], data ? &data[i] : &cuda_graph_plain_edge);
	return CUDA_SUCCESS;
}
CUDA_PER_THREAD(cuStreamUpdateCaptureDependencies_v2, _ptsz, CUstream, CUgraphNode *, const CUgraphEdgeData *, size_t,
		unsigned int);

CUresult cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *nodes, size_t count, unsigned int flags)
{
	return cuStreamUpdateCaptureDependencies_v2(stream, nodes, NULL, count, flags);
}
CUDA_PER_THREAD(cuStreamUpdateCaptureDependencies, _ptsz, CUstream, CUgraphNode *, size_t, unsigned int);

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
	if (!mode || (unsigned int)*mode > CU_STREAM_CAPTURE_MODE_RELAXED)
		return CUDA_ERROR_INVALID_VALUE;

	CUstreamCaptureMode before = thread_mode;

	thread_mode = *mode;
	*mode = before;
	return CUDA_SUCCESS;
}
