/* Stream capture: what becomes which node, forks and joins by events, and every error that a capture can end with. */
#include <pthread.h>

#include "common.h"

enum { COUNT = 32, BYTES = COUNT * 4 };

struct rig {
	CUcontext c;
	CUdeviceptr d;
	CUstream s[3]; /* two blocking streams and one that is not */
	CUevent e[3];
	CUfunction store;
	uint32_t *pinned;
};

static struct rig rig_begin(void)
{
	struct rig r = {.c = begin()};

	OK(cuMemAlloc(&r.d, BYTES));
	OK(cuMemHostAlloc((void **)&r.pinned, BYTES, 0));
	for (int i = 0; i < 3; i++) {
		OK(cuStreamCreate(&r.s[i], i == 2 ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT));
		OK(cuEventCreate(&r.e[i], 0));
	}
	r.store = kernel(PTX_KERNELS, "store");
	return r;
}

static void rig_end(struct rig *r)
{
	OK(cuCtxDestroy(r->c));
}

static void store(struct rig *r, CUstream s, uint32_t add)
{
	OK(cuLaunchKernel(r->store, 1, 1, 1, COUNT, 1, 1, 0, s, (void *[]){&r->d, &add}, NULL));
}

static void run(struct rig *r, CUgraph g)
{
	CUgraphExec e;

	OK(cuGraphInstantiate(&e, g, 0));
	OK(cuGraphLaunch(e, r->s[1]));
	OK(cuStreamSynchronize(r->s[1]));
	OK(cuGraphExecDestroy(e));
	OK(cuGraphDestroy(g));
}

static size_t edge_count(CUgraph g)
{
	size_t count;

	OK(cuGraphGetEdges(g, NULL, NULL, &count));
	return count;
}

static void expect_types(CUgraph g, const CUgraphNodeType *types, size_t count)
{
	CUgraphNode nodes[16];
	CUgraphNodeType type;
	size_t found = 16;

	OK(cuGraphGetNodes(g, nodes, &found));
	assert_int_equal(found, count);
	for (size_t i = 0; i < count; i++) {
		OK(cuGraphNodeGetType(nodes[i], &type));
		assert_int_equal(type, types[i]);
	}
}

static void note(void *data)
{
	++*(int *)data;
}

static void work_becomes_nodes(void **state)
{
	static const CUgraphNodeType types[] = {
		CU_GRAPH_NODE_TYPE_MEMSET,    CU_GRAPH_NODE_TYPE_KERNEL,       CU_GRAPH_NODE_TYPE_MEMCPY,
		CU_GRAPH_NODE_TYPE_MEMCPY,    CU_GRAPH_NODE_TYPE_HOST,	       CU_GRAPH_NODE_TYPE_MEM_ALLOC,
		CU_GRAPH_NODE_TYPE_MEM_FREE,  CU_GRAPH_NODE_TYPE_EVENT_RECORD, CU_GRAPH_NODE_TYPE_WAIT_EVENT,
	};
	struct rig r = rig_begin();
	uint32_t pageable[COUNT] = {0};
	const CUDA_MEMCPY2D box = {.srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = r.d,
				   .dstMemoryType = CU_MEMORYTYPE_HOST, .dstHost = pageable,
				   .WidthInBytes = 4, .srcPitch = 8, .dstPitch = 4, .Height = COUNT / 2};
	CUstreamCaptureStatus status;
	CUdeviceptr pooled;
	CUgraph g;
	int notes = 0;

	(void)state;
	OK(cuStreamIsCapturing(r.s[0], &status));
	assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_NONE);
	OK(cuStreamBeginCapture(r.s[0], CU_STREAM_CAPTURE_MODE_GLOBAL));
	OK(cuStreamIsCapturing(r.s[0], &status));
	assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
	OK(cuMemsetD32Async(r.d, 1, COUNT, r.s[0]));
	store(&r, r.s[0], 5);
	OK(cuMemcpyDtoHAsync(r.pinned, r.d, BYTES, r.s[0]));
	OK(cuMemcpy2DAsync(&box, r.s[0]));
	OK(cuLaunchHostFunc(r.s[0], note, &notes));
	OK(cuMemAllocAsync(&pooled, 64, r.s[0]));
	OK(cuMemFreeAsync(pooled, r.s[0]));
	OK(cuEventRecordWithFlags(r.e[0], r.s[0], CU_EVENT_RECORD_EXTERNAL));
	OK(cuStreamWaitEvent(r.s[0], r.e[1], CU_EVENT_WAIT_EXTERNAL));
	OK(cuStreamEndCapture(r.s[0], &g));
	/* Nothing has happened. */
	assert_int_equal(notes, 0);
	assert_int_equal(r.pinned[1], 0);
	expect_types(g, types, sizeof(types) / sizeof(*types));
	assert_int_equal(edge_count(g), sizeof(types) / sizeof(*types) - 1);
	run(&r, g);
	assert_int_equal(notes, 1);
	assert_int_equal(r.pinned[COUNT - 1], COUNT - 1 + 5);
	assert_int_equal(pageable[2], 4 + 5);
	OK(cuEventQuery(r.e[0]));
	/* The stream is free again. */
	store(&r, r.s[0], 6);
	OK(cuStreamSynchronize(r.s[0]));
	rig_end(&r);
}

static void forks_and_joins(void **state)
{
	struct rig r = rig_begin();
	cuuint64_t id[2] = {0};
	CUstreamCaptureStatus status;
	CUgraph g[2];
	const CUgraphNode *nodes;
	size_t count;

	(void)state;
	OK(cuStreamBeginCapture(r.s[0], CU_STREAM_CAPTURE_MODE_GLOBAL));
	OK(cuMemsetD32Async(r.d, 1, COUNT, r.s[0]));
	OK(cuEventRecord(r.e[0], r.s[0]));
	OK(cuStreamWaitEvent(r.s[1], r.e[0], 0));
	OK(cuStreamWaitEvent(r.s[2], r.e[0], 0));
	OK(cuMemcpyDtoHAsync(r.pinned, r.d, 4, r.s[1]));
	OK(cuMemcpyDtoHAsync(r.pinned + 1, r.d, 4, r.s[2]));
	OK(cuStreamGetCaptureInfo(r.s[0], &status, &id[0], &g[0], NULL, NULL));
	OK(cuStreamGetCaptureInfo(r.s[2], &status, &id[1], &g[1], &nodes, &count));
	assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
	assert_int_equal(id[0], id[1]);
	assert_ptr_equal(g[0], g[1]);
	assert_int_equal(count, 1);
	OK(cuEventRecord(r.e[1], r.s[1]));
	OK(cuEventRecord(r.e[2], r.s[2]));
	OK(cuStreamWaitEvent(r.s[0], r.e[1], 0));
	OK(cuStreamWaitEvent(r.s[0], r.e[2], 0));
	OK(cuMemcpyDtoHAsync(r.pinned + 2, r.d, 4, r.s[0]));
	/* Only the stream in which it began may end it. */
	assert_int_equal(cuStreamEndCapture(r.s[1], &g[0]), CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
	OK(cuStreamEndCapture(r.s[0], &g[0]));
	/* The last copy waits for all three before it: the memset by the stream, the others by their events. */
	assert_int_equal(edge_count(g[0]), 5);
	run(&r, g[0]);
	for (int i = 0; i < 3; i++)
		assert_int_equal(r.pinned[i], 1);
	/* The others left the capture with it; its events stay captured. */
	OK(cuStreamSynchronize(r.s[2]));
	assert_int_equal(cuEventQuery(r.e[1]), CUDA_ERROR_CAPTURED_EVENT);
	assert_int_equal(cuStreamWaitEvent(r.s[1], r.e[1], 0), CUDA_ERROR_CAPTURED_EVENT);
	OK(cuEventRecord(r.e[1], r.s[1]));
	OK(cuEventQuery(r.e[1]));
	rig_end(&r);
}

/* An event of a stream that stands behind two nodes stands for both. */
static void events_behind_several_nodes(void **state)
{
	struct rig r = rig_begin();
	CUgraph g;

	(void)state;
	OK(cuStreamBeginCapture(r.s[0], CU_STREAM_CAPTURE_MODE_GLOBAL));
	OK(cuMemsetD32Async(r.d, 1, COUNT, r.s[0]));
	OK(cuEventRecord(r.e[0], r.s[0]));
	OK(cuStreamWaitEvent(r.s[1], r.e[0], 0));
	OK(cuMemcpyDtoHAsync(r.pinned, r.d, 4, r.s[0]));
	OK(cuMemcpyDtoHAsync(r.pinned + 1, r.d, 4, r.s[1]));
	OK(cuEventRecord(r.e[1], r.s[1]));
	OK(cuStreamWaitEvent(r.s[0], r.e[1], 0));
	OK(cuEventRecord(r.e[2], r.s[0]));
	OK(cuStreamWaitEvent(r.s[2], r.e[2], 0));
	OK(cuMemcpyDtoHAsync(r.pinned + 2, r.d, 4, r.s[2]));
	OK(cuEventRecord(r.e[0], r.s[2]));
	OK(cuStreamWaitEvent(r.s[0], r.e[0], 0));
	OK(cuStreamEndCapture(r.s[0], &g));
	assert_int_equal(edge_count(g), 4);
	run(&r, g);
	rig_end(&r);
}

static void unjoined_work(void **state)
{
	struct rig r = rig_begin();
	CUgraph g = (CUgraph)&r;

	(void)state;
	OK(cuStreamBeginCapture(r.s[0], CU_STREAM_CAPTURE_MODE_GLOBAL));
	OK(cuEventRecord(r.e[0], r.s[0]));
	OK(cuStreamWaitEvent(r.s[1], r.e[0], 0));
	store(&r, r.s[1], 1);
	assert_int_equal(cuStreamEndCapture(r.s[0], &g), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
	assert_null(g);
	assert_int_equal(cuStreamEndCapture(r.s[0], &g), CUDA_ERROR_ILLEGAL_STATE);
	/* A stream that joined and did nothing is no fork. */
	OK(cuStreamBeginCapture(r.s[0], CU_STREAM_CAPTURE_MODE_GLOBAL));
	store(&r, r.s[0], 1);
	OK(cuEventRecord(r.e[0], r.s[0]));
	OK(cuStreamWaitEvent(r.s[1], r.e[0], 0));
	OK(cuStreamEndCapture(r.s[0], &g));
	OK(cuGraphDestroy(g));
	rig_end(&r);
}

/* After the call the capture in s[0] is over in all but name. */
static void expect_invalidated(struct rig *r)
{
	CUstreamCaptureStatus status;
	CUgraph g = (CUgraph)r;

	OK(cuStreamIsCapturing(r->s[0], &status));
	assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_INVALIDATED);
	assert_int_equal(cuMemsetD32Async(r->d, 1, COUNT, r->s[0]), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
	assert_int_equal(cuStreamEndCapture(r->s[0], &g), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
	assert_null(g);
	OK(cuStreamSynchronize(r->s[0]));
}

#define FORBIDDEN(call, error)                                                                                         \
	do {                                                                                                           \
		OK(cuStreamBeginCapture(r.s[0], CU_STREAM_CAPTURE_MODE_GLOBAL));                                       \
		assert_int_equal((call), (error));                                                                     \
		expect_invalidated(&r);                                                                                \
	} while (0)

static void call_back(CUstream stream, CUresult status, void *data)
{
	(void)stream;
	(void)status;
	note(data);
}

static void illegal_calls(void **state)
{
	struct rig r = rig_begin();
	CUdeviceptr p;

	(void)state;
	OK(cuEventRecord(r.e[0], r.s[1]));
	FORBIDDEN(cuStreamSynchronize(r.s[0]), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
	FORBIDDEN(cuStreamQuery(r.s[0]), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
	FORBIDDEN(cuCtxSynchronize(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
	FORBIDDEN(cuMemAlloc(&p, 64), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
	FORBIDDEN(cuMemFree(r.d), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
	FORBIDDEN(cuStreamAddCallback(r.s[0], call_back, NULL, 0), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
	FORBIDDEN(cuMemcpyHtoD(r.d, r.pinned, 4), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
	FORBIDDEN(cuMemsetD8Async(r.d, 1, 4, NULL), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
	FORBIDDEN(cuEventRecord(r.e[0], NULL), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
	FORBIDDEN(cuStreamSynchronize(NULL), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
	FORBIDDEN(cuStreamWaitEvent(r.s[0], r.e[0], 0), CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
	FORBIDDEN((cuEventRecord(r.e[1], r.s[0]), cuEventSynchronize(r.e[1])), CUDA_ERROR_CAPTURED_EVENT);
	FORBIDDEN((cuEventRecord(r.e[1], r.s[0]), cuStreamWaitEvent(NULL, r.e[1], 0)),
		  CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
	/* Other streams are as they were. */
	OK(cuStreamBeginCapture(r.s[0], CU_STREAM_CAPTURE_MODE_GLOBAL));
	store(&r, r.s[1], 1);
	OK(cuStreamSynchronize(r.s[1]));
	assert_int_equal(cuStreamBeginCapture(r.s[0], CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_ERROR_ILLEGAL_STATE);
	assert_int_equal(cuStreamBeginCapture(NULL, CU_STREAM_CAPTURE_MODE_GLOBAL),
			 CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
	assert_int_equal(cuStreamBeginCapture(r.s[1], 3), CUDA_ERROR_INVALID_VALUE);
	rig_end(&r);
}

static void two_captures_do_not_merge(void **state)
{
	struct rig r = rig_begin();
	CUgraph g;

	(void)state;
	OK(cuStreamBeginCapture(r.s[0], CU_STREAM_CAPTURE_MODE_GLOBAL));
	OK(cuStreamBeginCapture(r.s[1], CU_STREAM_CAPTURE_MODE_GLOBAL));
	store(&r, r.s[1], 1);
	OK(cuEventRecord(r.e[1], r.s[1]));
	assert_int_equal(cuStreamWaitEvent(r.s[0], r.e[1], 0), CUDA_ERROR_STREAM_CAPTURE_MERGE);
	assert_int_equal(cuStreamEndCapture(r.s[1], &g), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
	assert_int_equal(cuStreamEndCapture(r.s[0], &g), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
	rig_end(&r);
}

static struct rig *shared;

static void *in_another_thread(void *expected)
{
	CUdeviceptr p;
	CUgraph g;

	OK(cuCtxSetCurrent(shared->c));
	assert_int_equal(cuMemAlloc(&p, 64), *(CUresult *)expected);
	assert_int_equal(cuStreamEndCapture(shared->s[2], &g), CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
	return NULL;
}

static void modes_and_threads(void **state)
{
	static const struct {
		CUstreamCaptureMode capture, own;
		CUresult own_result, other_result;
	} rows[] = {
		{CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_RELAXED, CUDA_SUCCESS,
		 CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED},
		{CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
		 CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, CUDA_SUCCESS},
	};
	struct rig r = rig_begin();
	pthread_t other;
	CUdeviceptr p;
	CUgraph g;

	(void)state;
	shared = &r;
	for (size_t i = 0; i < 2; i++) {
		CUstreamCaptureMode mode = rows[i].own;

		OK(cuThreadExchangeStreamCaptureMode(&mode));
		assert_int_equal(mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
		OK(cuStreamBeginCapture(r.s[2], rows[i].capture));
		assert_int_equal(cuMemAlloc(&p, 64), rows[i].own_result);
		assert_int_equal(pthread_create(&other, NULL, in_another_thread, (void *)&rows[i].other_result), 0);
		pthread_join(other, NULL);
		assert_int_equal(cuStreamEndCapture(r.s[2], &g), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
		OK(cuThreadExchangeStreamCaptureMode(&mode));
		assert_int_equal(mode, rows[i].own);
	}
	rig_end(&r);
}

static void into_a_graph_with_own_dependencies(void **state)
{
	struct rig r = rig_begin();
	CUgraphNode first, manual;
	CUgraph g, same;

	(void)state;
	OK(cuGraphCreate(&g, 0));
	OK(cuGraphAddEmptyNode(&first, g, NULL, 0));
	OK(cuStreamBeginCaptureToGraph(r.s[0], g, &first, NULL, 1, CU_STREAM_CAPTURE_MODE_RELAXED));
	store(&r, r.s[0], 1);
	OK(cuGraphAddEmptyNode(&manual, g, NULL, 0));
	OK(cuStreamUpdateCaptureDependencies(r.s[0], &manual, 1, CU_STREAM_ADD_CAPTURE_DEPENDENCIES));
	store(&r, r.s[0], 2);
	OK(cuStreamUpdateCaptureDependencies(r.s[0], NULL, 0, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
	OK(cuMemsetD32Async(r.d, 1, COUNT, r.s[0]));
	OK(cuStreamEndCapture(r.s[0], &same));
	assert_ptr_equal(same, g);
	assert_int_equal(edge_count(g), 3);
	assert_int_equal(cuStreamUpdateCaptureDependencies(r.s[0], NULL, 0, 1), CUDA_ERROR_ILLEGAL_STATE);
	OK(cuGraphDestroy(g));
	rig_end(&r);
}

static void launches_of_graphs_are_captured(void **state)
{
	static const CUgraphNodeType types[] = {CU_GRAPH_NODE_TYPE_GRAPH, CU_GRAPH_NODE_TYPE_MEMCPY};
	struct rig r = rig_begin();
	CUgraphExec e;
	CUgraph g;

	(void)state;
	OK(cuStreamBeginCapture(r.s[0], CU_STREAM_CAPTURE_MODE_GLOBAL));
	store(&r, r.s[0], 30);
	OK(cuStreamEndCapture(r.s[0], &g));
	OK(cuGraphInstantiate(&e, g, 0));
	OK(cuStreamBeginCapture(CU_STREAM_PER_THREAD, CU_STREAM_CAPTURE_MODE_GLOBAL));
	OK(cuGraphLaunch(e, CU_STREAM_PER_THREAD));
	OK(cuMemcpyDtoHAsync(r.pinned, r.d, BYTES, CU_STREAM_PER_THREAD));
	OK(cuStreamEndCapture(CU_STREAM_PER_THREAD, &g));
	OK(cuGraphExecDestroy(e));
	expect_types(g, types, 2);
	run(&r, g);
	assert_int_equal(r.pinned[1], 31);
	rig_end(&r);
}

static void streams_and_contexts_that_go(void **state)
{
	struct rig r = rig_begin();
	CUgraph g;

	(void)state;
	OK(cuStreamBeginCapture(r.s[0], CU_STREAM_CAPTURE_MODE_GLOBAL));
	OK(cuEventRecord(r.e[0], r.s[0]));
	OK(cuStreamWaitEvent(r.s[1], r.e[0], 0));
	/* A stream that joined may go before the end, but its work stays to be joined. */
	store(&r, r.s[1], 1);
	OK(cuEventRecord(r.e[1], r.s[1]));
	OK(cuStreamDestroy(r.s[1]));
	OK(cuStreamWaitEvent(r.s[0], r.e[1], 0));
	OK(cuStreamEndCapture(r.s[0], &g));
	OK(cuGraphDestroy(g));
	OK(cuStreamCreate(&r.s[1], 0));
	OK(cuStreamBeginCapture(r.s[0], CU_STREAM_CAPTURE_MODE_GLOBAL));
	OK(cuEventRecord(r.e[0], r.s[0]));
	OK(cuStreamWaitEvent(r.s[1], r.e[0], 0));
	store(&r, r.s[1], 1);
	OK(cuStreamDestroy(r.s[1]));
	assert_int_equal(cuStreamEndCapture(r.s[0], &g), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
	OK(cuStreamBeginCapture(r.s[0], CU_STREAM_CAPTURE_MODE_GLOBAL));
	store(&r, r.s[0], 1);
	OK(cuStreamDestroy(r.s[0]));
	OK(cuCtxSynchronize());
	OK(cuStreamBeginCapture(r.s[2], CU_STREAM_CAPTURE_MODE_GLOBAL));
	rig_end(&r);
	/* Nothing of it is left for the next context. */
	r = rig_begin();
	OK(cuCtxSynchronize());
	rig_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(work_becomes_nodes),
		cmocka_unit_test(forks_and_joins),
		cmocka_unit_test(events_behind_several_nodes),
		cmocka_unit_test(unjoined_work),
		cmocka_unit_test(illegal_calls),
		cmocka_unit_test(two_captures_do_not_merge),
		cmocka_unit_test(modes_and_threads),
		cmocka_unit_test(into_a_graph_with_own_dependencies),
		cmocka_unit_test(launches_of_graphs_are_captured),
		cmocka_unit_test(streams_and_contexts_that_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
