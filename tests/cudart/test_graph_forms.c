/* Calls of graphs and capture whose form depends on the version of the runtime, in the form of this one. */
#include <cuda_runtime_api.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define OK(call) assert_int_equal((call), cudaSuccess)

#if CUDART_VERSION >= 13000
#define EDGES(data) data,
#else
#define EDGES(data)
#endif

struct rig {
	cudaGraph_t graph;
	cudaGraphNode_t fill[2];
	unsigned char *d, host[2];
	cudaStream_t s;
};

/* Two memsets of one byte, the second after the first. */
static struct rig rig_begin(void)
{
	struct rig r = {0};

	OK(cudaMalloc((void **)&r.d, 1));
	OK(cudaStreamCreate(&r.s));
	OK(cudaGraphCreate(&r.graph, 0));
	for (unsigned int i = 0; i < 2; i++) {
		const struct cudaMemsetParams p = {r.d, 0, 10 + i, 1, 1, 1};

		OK(cudaGraphAddMemsetNode(&r.fill[i], r.graph, NULL, 0, &p));
	}
	OK(cudaGraphAddDependencies(r.graph, &r.fill[0], &r.fill[1], EDGES(NULL) 1));
	return r;
}

static void expect(struct rig *r, cudaGraphExec_t exec, int value)
{
	unsigned char byte;

	OK(cudaGraphLaunch(exec, r->s));
	OK(cudaStreamSynchronize(r->s));
	OK(cudaMemcpy(&byte, r->d, 1, cudaMemcpyDeviceToHost));
	assert_int_equal(byte, value);
}

static void instantiation_and_update(void **state)
{
	struct rig r = rig_begin();
	struct cudaMemsetParams p;
	cudaGraphExec_t exec;

	(void)state;
#if CUDART_VERSION >= 12000
	cudaGraphExecUpdateResultInfo info;

	OK(cudaGraphInstantiate(&exec, r.graph, 0));
	expect(&r, exec, 11);
	OK(cudaGraphMemsetNodeGetParams(r.fill[1], &p));
	p.value = 99;
	OK(cudaGraphMemsetNodeSetParams(r.fill[1], &p));
	OK(cudaGraphExecUpdate(exec, r.graph, &info));
	expect(&r, exec, 99);
	OK(cudaGraphDestroyNode(r.fill[0]));
	assert_int_equal(cudaGraphExecUpdate(exec, r.graph, &info), cudaErrorGraphExecUpdateFailure);
	assert_int_equal(info.result, cudaGraphExecUpdateErrorTopologyChanged);
#else
	enum cudaGraphExecUpdateResult result;
	cudaGraphNode_t node;
	char log[16] = "text";

	OK(cudaGraphInstantiate(&exec, r.graph, &node, log, sizeof(log)));
	assert_int_equal(log[0], 0);
	expect(&r, exec, 11);
	OK(cudaGraphMemsetNodeGetParams(r.fill[1], &p));
	p.value = 99;
	OK(cudaGraphMemsetNodeSetParams(r.fill[1], &p));
	OK(cudaGraphExecUpdate(exec, r.graph, &node, &result));
	expect(&r, exec, 99);
	OK(cudaGraphDestroyNode(r.fill[0]));
	assert_int_equal(cudaGraphExecUpdate(exec, r.graph, &node, &result), cudaErrorGraphExecUpdateFailure);
	assert_int_equal(result, cudaGraphExecUpdateErrorTopologyChanged);
#endif
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(r.graph));
}

static void lists(void **state)
{
	struct rig r = rig_begin();
	cudaGraphNode_t from[2], to[2], node;
	struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeEmpty};
	cudaGraphEdgeData data[2];
	size_t count = 2;

	(void)state;
	OK(cudaGraphGetEdges(r.graph, from, to, EDGES(data) &count));
	assert_int_equal(count, 1);
	assert_ptr_equal(from[0], r.fill[0]);
	assert_ptr_equal(to[0], r.fill[1]);
	OK(cudaGraphNodeGetDependencies(r.fill[1], from, EDGES(NULL) &count));
	assert_int_equal(count, 1);
	OK(cudaGraphNodeGetDependentNodes(r.fill[0], to, EDGES(NULL) &count));
	assert_ptr_equal(to[0], r.fill[1]);
	OK(cudaGraphRemoveDependencies(r.graph, &r.fill[0], &r.fill[1], EDGES(NULL) 1));
	OK(cudaGraphAddNode(&node, r.graph, r.fill, EDGES(NULL) 2, &p));
#if CUDART_VERSION < 13000
	count = 2;
	OK(cudaGraphGetEdges_v2(r.graph, from, to, data, &count));
	assert_int_equal(data[1].type, 0);
	OK(cudaGraphAddNode_v2(&node, r.graph, r.fill, data, 2, &p));
#endif
	OK(cudaGraphGetEdges(r.graph, NULL, NULL, EDGES(NULL) &count));
	assert_int_equal(count, CUDART_VERSION < 13000 ? 4 : 2);
	OK(cudaGraphDestroy(r.graph));
}

static void capture(void **state)
{
	struct rig r = rig_begin();
	enum cudaStreamCaptureStatus status;
	unsigned long long id = 0;
	const cudaGraphNode_t *nodes;
	cudaGraph_t graph;
	size_t count;

	(void)state;
	OK(cudaStreamBeginCapture(r.s, cudaStreamCaptureModeGlobal));
	OK(cudaMemsetAsync(r.d, 1, 1, r.s));
#if CUDART_VERSION >= 13000
	const cudaGraphEdgeData *data;

	OK(cudaStreamGetCaptureInfo(r.s, &status, &id, &graph, &nodes, &data, &count));
	OK(cudaStreamUpdateCaptureDependencies(r.s, NULL, NULL, 0, cudaStreamSetCaptureDependencies));
#else
#if CUDART_VERSION < 12000 /* 12's header gives the name to the form below */
	OK(cudaStreamGetCaptureInfo(r.s, &status, &id));
#endif
	OK(cudaStreamGetCaptureInfo_v2(r.s, &status, &id, &graph, &nodes, &count));
	OK(cudaStreamUpdateCaptureDependencies(r.s, NULL, 0, cudaStreamSetCaptureDependencies));
#endif
	assert_int_equal(status, cudaStreamCaptureStatusActive);
	assert_true(id);
	assert_int_equal(count, 1);
	assert_non_null(nodes);
	OK(cudaStreamEndCapture(r.s, &graph));
	OK(cudaGraphDestroy(graph));
	OK(cudaGraphDestroy(r.graph));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instantiation_and_update),
		cmocka_unit_test(lists),
		cmocka_unit_test(capture),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
