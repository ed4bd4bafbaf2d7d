/* graph_run.c - a launch of a graph: which node runs when.
 *
 * A plan, made once, flattens child graphs into steps. A launch takes the step whose predecessors end first, of several
 * the one that was added first, and puts it on the timeline as a stream would, after them. So branches overlap where
 * their engines are free, values are computed in an order that the dependencies allow, and equal launches are equal.
 */
#include <pthread.h>

#include "base/check.h"
#include "cuda/copy.h"
#include "cuda/event.h"
#include "cuda/graph.h"
#include "cuda/refused.h"

/* ---- the plan ---- */

struct plan {
	struct CUgraphExec_st *e;
	GArray *pairs; /* uint32_t: from, to, from, to, ... */
};

static uint32_t add_step(struct plan *p, struct CUgraphNode_st *node)
{
	const struct graph_step s = {.node = node};

	g_array_append_val(p->e->steps, s);
	return p->e->steps->len - 1;
}

static void add_pair(struct plan *p, uint32_t from, uint32_t to)
{
	g_array_append_val(p->pairs, from);
	g_array_append_val(p->pairs, to);
}

/* The first and the last step of a node; they differ for child graphs. */
struct ends {
	uint32_t first, last;
};

static void add_graph(struct plan *p, const struct CUgraph_st *g, const struct ends *around);

static struct ends add_node(struct plan *p, struct CUgraphNode_st *n)
{
	struct ends own;

	if (n->type != CU_GRAPH_NODE_TYPE_GRAPH) {
		own.first = own.last = add_step(p, n);
		return own;
	}
	own.first = add_step(p, NULL);
	own.last = add_step(p, NULL);
	add_graph(p, n->child, &own);
	return own;
}

/* around: of the child graph's node, NULL for the whole graph. */
static void add_graph(struct plan *p, const struct CUgraph_st *g, const struct ends *around)
{
	GHashTable *places = g_hash_table_new(NULL, NULL); /* node -> its place + 1 */
	struct ends *ends = g_new(struct ends, g->nodes->len + 1);

	for (uint32_t i = 0; i < g->nodes->len; i++) {
		ends[i] = add_node(p, g->nodes->pdata[i]);
		g_hash_table_insert(places, g->nodes->pdata[i], GUINT_TO_POINTER(i));
	}
	for (uint32_t i = 0; i < g->nodes->len; i++) {
		const struct CUgraphNode_st *n = g->nodes->pdata[i];

		for (uint32_t k = 0; k < n->to->len; k++) {
			const struct graph_edge *e = &g_array_index(n->to, struct graph_edge, k);

			add_pair(p, ends[i].last, ends[GPOINTER_TO_UINT(g_hash_table_lookup(places, e->node))].first);
		}
		if (around && !n->from->len)
			add_pair(p, around->first, ends[i].first);
		if (around && !n->to->len)
			add_pair(p, ends[i].last, around->last);
	}
	if (around && !g->nodes->len)
		add_pair(p, around->first, around->last);
	g_hash_table_destroy(places);
	g_free(ends);
}

/* Groups the pairs by where they come from. */
static void link_steps(struct plan *p)
{
	struct graph_step *steps = (struct graph_step *)(void *)p->e->steps->data;
	const uint32_t *pairs = (const uint32_t *)(void *)p->pairs->data;
	uint32_t first = 0;

	for (uint32_t i = 0; i < p->pairs->len; i += 2) {
		steps[pairs[i]].next_count++;
		steps[pairs[i + 1]].wait_count++;
	}
	for (uint32_t i = 0; i < p->e->steps->len; i++) {
		steps[i].first_next = first;
		first += steps[i].next_count;
		steps[i].next_count = 0;
	}
	g_array_set_size(p->e->next, first);
	for (uint32_t i = 0; i < p->pairs->len; i += 2) {
		struct graph_step *s = &steps[pairs[i]];

		g_array_index(p->e->next, uint32_t, s->first_next + s->next_count++) = pairs[i + 1];
	}
}

/* The first step, in the order of steps, that can never run; the number of steps if there is none. */
static uint32_t find_blocked(const struct CUgraphExec_st *e)
{
	const struct graph_step *steps = (const struct graph_step *)(void *)e->steps->data;
	uint32_t *wait = g_new(uint32_t, e->steps->len + 1), *ready = g_new(uint32_t, e->steps->len + 1), count = 0;
	uint32_t blocked = 0;

	for (uint32_t i = 0; i < e->steps->len; i++) {
		wait[i] = steps[i].wait_count;
		if (!wait[i])
			ready[count++] = i;
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct graph_step *s = &steps[ready[i]];

		for (uint32_t k = 0; k < s->next_count; k++) {
			uint32_t next = g_array_index(e->next, uint32_t, s->first_next + k);

			if (!--wait[next])
				ready[count++] = next;
		}
	}
	while (blocked < e->steps->len && !wait[blocked])
		blocked++;
	g_free(wait);
	g_free(ready);
	return blocked;
}

bool cuda_graph_plan(struct CUgraphExec_st *e, CUgraphNode *at)
{
	struct plan p = {e, g_array_new(FALSE, FALSE, sizeof(uint32_t))};

	add_graph(&p, e->graph, NULL);
	link_steps(&p);
	g_array_free(p.pairs, TRUE);

	uint32_t blocked = find_blocked(e);

	if (blocked == e->steps->len)
		return true;
	/* The step may be the begin of a child graph: its node is then the parent of those after it. */
	while (!g_array_index(e->steps, struct graph_step, blocked).node && blocked + 1 < e->steps->len)
		blocked++;
	*at = g_array_index(e->steps, struct graph_step, blocked).node;
	if (!*at)
		*at = e->graph->nodes->pdata[0];
	while ((*at)->graph->parent)
		*at = (*at)->graph->parent;
	return false;
}

/* ---- a launch ---- */

static pthread_cond_t launch_ended = PTHREAD_COND_INITIALIZER;

struct run {
	struct CUgraphExec_st *e;
	uint64_t *ready_ps; /* of each step: the latest end among those that it waits for */
	uint32_t *wait;	    /* for how many steps it still waits */
	uint32_t *lane;	    /* of the one that ended last */
	uint32_t *open, open_count; /* steps that can run */
	uint64_t end_ps;
};

static void run_begin(struct run *r, struct CUgraphExec_st *e, uint64_t start_ps)
{
	uint32_t count = e->steps->len;

	*r = (struct run){.e = e, .end_ps = start_ps};
	r->ready_ps = g_new(uint64_t, count + 1);
	r->wait = g_new(uint32_t, count + 1);
	r->lane = g_new0(uint32_t, count + 1);
	r->open = g_new(uint32_t, count + 1);
	for (uint32_t i = 0; i < count; i++) {
		r->ready_ps[i] = start_ps;
		r->wait[i] = g_array_index(e->steps, struct graph_step, i).wait_count;
		if (!r->wait[i])
			r->open[r->open_count++] = i;
	}
}

static void run_end(struct run *r)
{
	g_free(r->ready_ps);
	g_free(r->wait);
	g_free(r->lane);
	g_free(r->open);
}

/* Takes the step that can begin first out of those that can run. */
static uint32_t take_step(struct run *r)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < r->open_count; i++) {
		uint32_t a = r->open[i], b = r->open[best];

		if (r->ready_ps[a] < r->ready_ps[b] || (r->ready_ps[a] == r->ready_ps[b] && a < b))
			best = i;
	}

	uint32_t step = r->open[best];

	r->open[best] = r->open[--r->open_count];
	return step;
}

/* The lane in which the work of a step shows: that of the step before it, or else any that is idle by then. */
static uint32_t choose_lane(struct run *r, uint32_t step)
{
	GArray *lanes = r->e->lanes;
	uint32_t lane = r->lane[step];

	if (g_array_index(lanes, struct graph_lane, lane).end_ps <= r->ready_ps[step])
		return lane;
	for (lane = 0; lane < lanes->len; lane++) {
		if (g_array_index(lanes, struct graph_lane, lane).end_ps <= r->ready_ps[step])
			return lane;
	}

	const struct graph_lane fresh = {.number = cuda_time_stream_number()};

	g_array_append_val(lanes, fresh);
	return lane;
}

/* A kernel that could be launched when the node was made, and now cannot, counts as a refused launch. */
static CUresult run_kernel(const struct CUgraphNode_st *n, CUstream stream)
{
	struct cuda_launch l = n->kernel.launch;

	if (!cuda_object_is(l.f, CUDA_KIND_FUNCTION))
		return CUDA_ERROR_INVALID_HANDLE;
	if (cuda_driver.run.is_wall_over) {
		cuda_launch_refused(l.f->func->name, "the limit of wall-clock time has been reached");
		return CUDA_ERROR_LAUNCH_TIMEOUT;
	}
	l.has_run = false;

	CUresult result = cuda_launch_run(n->ctx, &l, stream, n->kernel.block);

	if (!l.has_run)
		cuda_launch_refused(l.f->func->name, l.reason);
	return result;
}

static CUresult run_host(const struct CUgraphNode_st *n, CUstream stream)
{
	const CUDA_HOST_NODE_PARAMS host = n->host; /* the function may change the graph */
	uint64_t cpu_ns = cuda_time_cpu_ns();

	cuda_callback_begin();
	host.fn(host.userData);
	cuda_callback_end();
	cuda_time_host_function(&stream->time, cuda_time_cpu_ns() - cpu_ns);
	return CUDA_SUCCESS;
}

static CUresult run_event(const struct CUgraphNode_st *n, CUstream stream)
{
	CUevent e = n->event;

	if (!cuda_object_is(e, CUDA_KIND_EVENT))
		return CUDA_ERROR_INVALID_HANDLE;
	if (n->type == CU_GRAPH_NODE_TYPE_EVENT_RECORD)
		cuda_event_record(e, MAX(stream->time.end_ps, cuda_time_now_ps()));
	else
		machine_stream_extend(&stream->time, e->time_ps);
	return CUDA_SUCCESS;
}

/* Does what the node says, after stream->time.end_ps, which becomes its end. */
static CUresult run_node(const struct run *r, const struct CUgraphNode_st *n, CUstream stream)
{
	if (!cuda_object_is(n->ctx, CUDA_KIND_CONTEXT))
		return CUDA_ERROR_CONTEXT_IS_DESTROYED;
	switch (n->type) {
	case CU_GRAPH_NODE_TYPE_KERNEL:
		return run_kernel(n, stream);
	case CU_GRAPH_NODE_TYPE_MEMCPY:
		return cuda_copy_run(&n->copy, &(const struct cuda_order){n->ctx, stream, true});
	case CU_GRAPH_NODE_TYPE_MEMSET:
		return cuda_fill_run(n->ctx, &n->fill, stream);
	case CU_GRAPH_NODE_TYPE_HOST:
		return run_host(n, stream);
	case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
	case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
		return run_event(n, stream);
	case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
		return cuda_graph_memory_begin(n->memory,
					       r->e->flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);
	case CU_GRAPH_NODE_TYPE_MEM_FREE:
		return cuda_graph_memory_end(n->freed);
	default:
		CHECK(n->type == CU_GRAPH_NODE_TYPE_EMPTY);
		return CUDA_SUCCESS;
	}
}

static CUresult run_step(struct run *r, uint32_t step)
{
	const struct graph_step *s = &g_array_index(r->e->steps, struct graph_step, step);
	struct machine_streams alone = {0};
	uint32_t lane = choose_lane(r, step);
	struct CUstream_st stream = {.time = {
		.context = &alone,
		.rule = MACHINE_STREAM_NON_BLOCKING,
		.number = g_array_index(r->e->lanes, struct graph_lane, lane).number,
		.end_ps = r->ready_ps[step],
	}};
	CUresult result = CUDA_SUCCESS;

	if (s->node && !s->node->is_disabled)
		result = run_node(r, s->node, &stream);

	const uint64_t end_ps = stream.time.end_ps;

	g_array_index(r->e->lanes, struct graph_lane, lane).end_ps = end_ps;
	r->end_ps = MAX(r->end_ps, end_ps);
	for (uint32_t i = 0; i < s->next_count; i++) {
		uint32_t next = g_array_index(r->e->next, uint32_t, s->first_next + i);

		if (end_ps >= r->ready_ps[next]) {
			r->ready_ps[next] = end_ps;
			r->lane[next] = lane;
		}
		if (!--r->wait[next])
			r->open[r->open_count++] = next;
	}
	return result;
}

/* The first lane is the stream itself; the others are idle. */
static void set_lanes(GArray *lanes, uint32_t number)
{
	if (!lanes->len)
		g_array_set_size(lanes, 1);
	g_array_index(lanes, struct graph_lane, 0).number = number;
	for (uint32_t i = 0; i < lanes->len; i++)
		g_array_index(lanes, struct graph_lane, i).end_ps = 0;
}

/* Launches of one executable graph follow one another. One that a thread gives while a host node of another runs waits
 * here: its values come after. */
static void begin_launch(struct CUgraphExec_st *e)
{
	e->launch_count++;
	while (e->is_running)
		pthread_cond_wait(&launch_ended, &cuda_driver.lock);
	e->is_running = true;
}

static void end_launch(struct CUgraphExec_st *e)
{
	e->is_running = false;
	if (!--e->launch_count && e->is_destroyed)
		cuda_graph_exec_free(e);
	pthread_cond_broadcast(&launch_ended);
}

/* Gives the nodes to the device, which takes the host a while for each. */
static void issue(const struct CUgraphExec_st *e)
{
	uint64_t node_count = 0;

	for (uint32_t i = 0; i < e->steps->len; i++)
		node_count += g_array_index(e->steps, struct graph_step, i).node ? 1 : 0;
	cuda_time_issue();
	cuda_time_spend_ps(node_count * cuda_driver.run.host->graph_node_ps);
}

static CUresult run_all(struct CUgraphExec_st *e, struct run *r)
{
	CUresult result = CUDA_SUCCESS;

	cuda_time_graph_begin();
	while (r->open_count && result == CUDA_SUCCESS)
		result = run_step(r, take_step(r));
	cuda_time_graph_end();
	e->end_ps = r->end_ps;
	run_end(r);
	return result;
}

CUresult cuda_graph_run(struct CUctx_st *ctx, struct CUgraphExec_st *e, CUstream stream)
{
	CUresult result = CUDA_ERROR_INVALID_HANDLE;
	struct machine_stream *place;
	struct run r;

	begin_launch(e);
	place = cuda_stream_place(ctx, stream);
	if (place) {
		issue(e);
		set_lanes(e->lanes, place->number);
		run_begin(&r, e, MAX(machine_stream_ready_ps(place), e->end_ps));
		result = run_all(e, &r);
		place = cuda_stream_place(ctx, stream);
	}
	if (place)
		machine_stream_extend(place, r.end_ps);
	end_launch(e);
	return result;
}
