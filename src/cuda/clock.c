/* clock.c - host threads' clocks, and the work that driver calls put on the timeline. */
#include <time.h>

#include "cuda/driver.h"

/* A query that finds unfinished work takes at least this long (choice), so that loops of them come to an end even on a
 * host whose calls cost nothing. */
enum { POLL_MIN_PS = 100000 };

static _Thread_local struct {
	uint64_t now_ps;
	uint64_t cpu_ns;   /* at the end of the last call; with host.code = measured */
	uint64_t number;   /* of the thread, from 1; 0: it made no call yet */
	uint32_t depth;	   /* entry points under way */
	bool is_per_thread; /* no stream means the thread's own */
	bool is_in_graph;   /* what it gives was given by a graph's launch */
} me;

/* The main thread's clock as others see it, and names given out. */
static struct {
	uint64_t main_now_ps, thread_count;
	uint32_t stream_count;
} all;

/* ---- clocks ---- */

static bool is_code_measured(void)
{
	return cuda_driver.run.host->code == HOST_CODE_MEASURED;
}

uint64_t cuda_time_cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint64_t code_ps(uint64_t cpu_ns)
{
	return cpu_ns * cuda_driver.run.host->code_scale_percent * 10; /* ps per ns x percent */
}

static void advance(enum machine_host_time what, uint64_t duration_ps)
{
	me.now_ps = machine_timeline_host(cuda_driver.run.timeline, what, me.now_ps, duration_ps);
	if (me.number == 1)
		all.main_now_ps = me.now_ps;
}

void cuda_time_begin(void)
{
	me.number = ++all.thread_count;
	me.now_ps = 0;
	me.cpu_ns = is_code_measured() ? cuda_time_cpu_ns() : 0;
}

void cuda_time_enter(bool is_paid)
{
	if (!me.number) {
		me.number = ++all.thread_count;
		me.now_ps = all.main_now_ps;
		me.cpu_ns = is_code_measured() ? cuda_time_cpu_ns() : 0;
	}
	if (me.depth++ || !is_paid)
		return;
	if (is_code_measured())
		advance(MACHINE_HOST_CODE, code_ps(cuda_time_cpu_ns() - me.cpu_ns));
	machine_timeline_count_call(cuda_driver.run.timeline);
	advance(MACHINE_HOST_CALL, cuda_driver.run.host->call_ps);
}

void cuda_time_leave(void)
{
	if (!--me.depth && is_code_measured())
		me.cpu_ns = cuda_time_cpu_ns();
}

bool cuda_time_is_nested(void)
{
	return me.depth > 1;
}

uint64_t cuda_time_now_ps(void)
{
	return me.now_ps;
}

void cuda_time_spend_ps(uint64_t duration_ps)
{
	advance(MACHINE_HOST_CALL, duration_ps);
}

void cuda_time_issue(void)
{
	if (!me.is_in_graph)
		advance(MACHINE_HOST_CALL, cuda_driver.run.host->issue_ps);
}

void cuda_time_graph_begin(void)
{
	me.is_in_graph = true;
}

void cuda_time_graph_end(void)
{
	me.is_in_graph = false;
}

void cuda_time_wait_ps(uint64_t until_ps)
{
	if (until_ps > me.now_ps)
		advance(MACHINE_HOST_WAIT, until_ps - me.now_ps);
}

bool cuda_time_is_over(uint64_t end_ps)
{
	uint64_t call_ps = cuda_driver.run.host->call_ps;

	if (end_ps <= me.now_ps)
		return true;
	if (call_ps < POLL_MIN_PS)
		advance(MACHINE_HOST_CALL, POLL_MIN_PS - call_ps);
	return false;
}

/* ---- streams ---- */

bool cuda_per_thread_begin(void)
{
	bool before = me.is_per_thread;

	me.is_per_thread = true;
	return before;
}

void cuda_per_thread_end(bool before)
{
	me.is_per_thread = before;
}

uint32_t cuda_time_stream_number(void)
{
	return ++all.stream_count;
}

static struct machine_stream *per_thread_stream(struct CUctx_st *ctx)
{
	struct machine_stream *s;

	if (!ctx->per_thread)
		ctx->per_thread = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
	s = g_hash_table_lookup(ctx->per_thread, &me.number);
	if (!s) {
		uint64_t *key = g_new(uint64_t, 1);

		*key = me.number;
		s = g_new0(struct machine_stream, 1);
		*s = (struct machine_stream){.context = &ctx->streams, .rule = MACHINE_STREAM_BLOCKING,
					     .number = cuda_time_stream_number()};
		g_hash_table_insert(ctx->per_thread, key, s);
	}
	return s;
}

struct machine_stream *cuda_time_stream(struct CUctx_st *ctx, CUstream s)
{
	if (s == CU_STREAM_PER_THREAD || (!s && me.is_per_thread))
		return per_thread_stream(ctx);
	return s && s != CU_STREAM_LEGACY ? &s->time : &ctx->legacy;
}

CUresult cuda_stream_check(CUstream s)
{
	if (!s || s == CU_STREAM_LEGACY || s == CU_STREAM_PER_THREAD || cuda_object_is(s, CUDA_KIND_STREAM))
		return CUDA_SUCCESS;
	return CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuda_stream_check_batch(struct CUctx_st *ctx, CUstream s)
{
	if (cuda_stream_check(s) != CUDA_SUCCESS)
		return CUDA_ERROR_INVALID_HANDLE;
	return cuda_time_stream(ctx, s) == &ctx->legacy ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

struct machine_stream *cuda_stream_place(struct CUctx_st *ctx, CUstream s)
{
	return cuda_object_is(ctx, CUDA_KIND_CONTEXT) && cuda_stream_check(s) == CUDA_SUCCESS ? cuda_time_stream(ctx, s)
											     : NULL;
}

/* ---- work ---- */

uint64_t cuda_time_give(struct machine_stream *s, enum machine_work_kind kind, uint64_t duration_ps,
			uint64_t bytes, bool is_pageable)
{
	struct machine_timeline *t = cuda_driver.run.timeline;
	uint64_t start = machine_timeline_start_ps(t, kind, s, me.now_ps);

	machine_timeline_add(t, kind, s, NULL, start, start + duration_ps, bytes, is_pageable);
	return start + duration_ps;
}

void cuda_time_host_function(struct machine_stream *place, uint64_t cpu_ns)
{
	cuda_time_give(place, MACHINE_WORK_HOST_FUNCTION,
	     cuda_driver.run.host->callback_ps + (is_code_measured() ? code_ps(cpu_ns) : 0), 0, false);
}

bool cuda_time_is_in_graph(void)
{
	return me.is_in_graph;
}
