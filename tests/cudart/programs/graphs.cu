// Graphs: built by hand and captured from streams, launched again and again, changed in between.
#include <string.h>

#include "program.h"

enum { N = 1024 };

__device__ int table[4];

__global__ void add(int *p, int value)
{
	p[blockIdx.x * blockDim.x + threadIdx.x] += value;
}

__global__ void scale(int *p, int by)
{
	p[blockIdx.x * blockDim.x + threadIdx.x] *= by;
}

__global__ void sum_table(int *p)
{
	*p = table[0] + table[1] + table[2] + table[3];
}

struct buffers {
	int *d, *e, *host;
	cudaStream_t s[2];
};

static void expect(const int *p, int value)
{
	for (int i = 0; i < N; i++)
		CHECK(p[i] == value);
}

static void launch(const struct buffers *b, cudaGraphExec_t exec)
{
	memset(b->host, 0, N * sizeof(int));
	OK(cudaGraphLaunch(exec, b->s[0]));
	OK(cudaStreamSynchronize(b->s[0]));
}

static cudaKernelNodeParams kernel(void *function, void **arguments)
{
	cudaKernelNodeParams p = {};

	p.func = function;
	p.gridDim = dim3(N / 256);
	p.blockDim = dim3(256);
	p.kernelParams = arguments;
	return p;
}

// memset 1, + 4, * 3, copy out; then other parameters, in the graph and in the instance.
static void by_hand(const struct buffers *b)
{
	cudaMemsetParams fill = {b->d, 0, 1, sizeof(int), N, 1};
	int value = 4, by = 3, *d = b->d;
	void *add_arguments[] = {&d, &value}, *scale_arguments[] = {&d, &by};
	cudaKernelNodeParams p = kernel((void *)add, add_arguments), q = kernel((void *)scale, scale_arguments);
	cudaGraphNode_t nodes[4], found[8];
	cudaGraphNodeType type;
	cudaGraphExec_t exec;
	cudaGraph_t graph;
	size_t count = 8;

	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphAddMemsetNode(&nodes[0], graph, NULL, 0, &fill));
	OK(cudaGraphAddKernelNode(&nodes[1], graph, &nodes[0], 1, &p));
	OK(cudaGraphAddKernelNode(&nodes[2], graph, &nodes[1], 1, &q));
	OK(cudaGraphAddMemcpyNode1D(&nodes[3], graph, &nodes[2], 1, b->host, b->d, N * sizeof(int),
				    cudaMemcpyDeviceToHost));
	OK(cudaGraphGetNodes(graph, found, &count));
	CHECK(count == 4 && found[3] == nodes[3]);
	OK(cudaGraphNodeGetType(nodes[3], &type));
	CHECK(type == cudaGraphNodeTypeMemcpy);
	OK(cudaGraphInstantiate(&exec, graph, 0));
	launch(b, exec);
	expect(b->host, 15);

	// The kernel comes back as the program named it.
	cudaKernelNodeParams back;

	OK(cudaGraphKernelNodeGetParams(nodes[1], &back));
	CHECK(back.func == (void *)add && back.blockDim.x == 256 && *(int *)back.kernelParams[1] == 4);
	value = 9;
	OK(cudaGraphExecKernelNodeSetParams(exec, nodes[1], &p));
	launch(b, exec);
	expect(b->host, 30);
	fill.value = 0;
	OK(cudaGraphMemsetNodeSetParams(nodes[0], &fill));

	cudaGraphExecUpdateResultInfo info;

	OK(cudaGraphExecUpdate(exec, graph, &info)); // back to + 4, and from 0
	CHECK(info.result == cudaGraphExecUpdateSuccess);
	launch(b, exec);
	expect(b->host, 12);

	cudaMemcpy3DParms copy;

	OK(cudaGraphMemcpyNodeGetParams(nodes[3], &copy));
	CHECK(copy.kind == cudaMemcpyDeviceToHost && copy.dstPtr.ptr == b->host && copy.extent.width == N * sizeof(int));
	copy.extent.width = sizeof(int);
	OK(cudaGraphExecMemcpyNodeSetParams(exec, nodes[3], &copy));
	launch(b, exec);
	CHECK(b->host[0] == 12 && b->host[1] == 0);
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
	FAILS(cudaErrorInvalidValue, cudaGraphDestroy(graph));
}

// Two branches, one in each stream, joined again; the whole launched in a loop.
static void captured(const struct buffers *b)
{
	cudaEvent_t fork, join;
	cudaGraphExec_t exec;
	cudaGraph_t graph;
	size_t count;

	OK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
	OK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
	OK(cudaMemset(b->d, 0, N * sizeof(int)));
	OK(cudaMemset(b->e, 0, N * sizeof(int)));
	OK(cudaStreamBeginCapture(b->s[0], cudaStreamCaptureModeGlobal));
	OK(cudaEventRecord(fork, b->s[0]));
	OK(cudaStreamWaitEvent(b->s[1], fork, 0));
	for (int i = 0; i < 5; i++)
		add<<<N / 256, 256, 0, b->s[0]>>>(b->d, 1);
	add<<<N / 256, 256, 0, b->s[1]>>>(b->e, 2);
	OK(cudaEventRecord(join, b->s[1]));
	OK(cudaStreamWaitEvent(b->s[0], join, 0));
	OK(cudaMemcpyAsync(b->host, b->d, N * sizeof(int), cudaMemcpyDeviceToHost, b->s[0]));
	OK(cudaStreamEndCapture(b->s[0], &graph));
	OK(cudaGraphGetNodes(graph, NULL, &count));
	CHECK(count == 7);
	OK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	for (int i = 1; i <= 10; i++) {
		launch(b, exec);
		expect(b->host, 5 * i);
	}
	OK(cudaMemcpy(b->host, b->e, N * sizeof(int), cudaMemcpyDeviceToHost));
	expect(b->host, 20);
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));

	// What a capture does not allow.
	OK(cudaStreamBeginCapture(b->s[0], cudaStreamCaptureModeGlobal));
	void *p;

	FAILS(cudaErrorStreamCaptureUnsupported, cudaMalloc(&p, 16));
	FAILS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(b->s[0], &graph));
	OK(cudaStreamBeginCapture(b->s[0], cudaStreamCaptureModeGlobal));
	FAILS(cudaErrorStreamCaptureImplicit, cudaMemcpy(b->host, b->d, 4, cudaMemcpyDeviceToHost));
	FAILS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(b->s[0], &graph));
	CHECK(!graph);
}

static void count_up(void *data)
{
	++*(int *)data;
}

// Host functions, variables of the program, memory that the graph itself allocates, a child graph.
static void other_nodes(const struct buffers *b)
{
	static const int values[4] = {1, 10, 100, 1000};
	int calls = 0, sum = 0;
	cudaHostNodeParams host = {count_up, &calls};
	cudaMemAllocNodeParams alloc = {};
	cudaGraph_t graph, child;
	cudaGraphExec_t exec;
	cudaGraphNode_t first, n, symbol;

	OK(cudaGraphCreate(&child, 0));
	OK(cudaGraphAddMemcpyNodeToSymbol(&symbol, child, NULL, 0, table, values, sizeof(values), 0,
					  cudaMemcpyHostToDevice));
	OK(cudaGraphCreate(&graph, 0));
	alloc.bytesize = sizeof(int);
	alloc.poolProps.allocType = cudaMemAllocationTypePinned;
	alloc.poolProps.location.type = cudaMemLocationTypeDevice;
	OK(cudaGraphAddChildGraphNode(&first, graph, NULL, 0, child));
	OK(cudaGraphAddMemAllocNode(&n, graph, &first, 1, &alloc));

	void *arguments[] = {&alloc.dptr};
	cudaKernelNodeParams p = {};

	p.func = (void *)sum_table;
	p.gridDim = p.blockDim = dim3(1);
	p.kernelParams = arguments;
	OK(cudaGraphAddKernelNode(&n, graph, &n, 1, &p));
	OK(cudaGraphAddMemcpyNode1D(&n, graph, &n, 1, &sum, alloc.dptr, sizeof(sum), cudaMemcpyDeviceToHost));
	OK(cudaGraphAddMemFreeNode(&n, graph, &n, 1, alloc.dptr));
	OK(cudaGraphAddHostNode(&n, graph, &n, 1, &host));
	OK(cudaGraphInstantiate(&exec, graph, 0));
	launch(b, exec);
	launch(b, exec);
	CHECK(sum == 1111 && calls == 2);

	unsigned long long bytes = 1;

	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
	OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &bytes));
	CHECK(bytes == 0);
	OK(cudaGraphDestroy(child));
}

// Stream-ordered memory in a capture, and a graph's launch in another capture.
static void nested_capture(const struct buffers *b)
{
	cudaGraph_t inner, outer;
	cudaGraphExec_t exec, whole;
	int *p;

	OK(cudaMemset(b->e, 0, N * sizeof(int)));
	OK(cudaStreamBeginCapture(b->s[0], cudaStreamCaptureModeRelaxed));
	add<<<N / 256, 256, 0, b->s[0]>>>(b->e, 7);
	OK(cudaStreamEndCapture(b->s[0], &inner));
	OK(cudaGraphInstantiate(&exec, inner, 0));
	OK(cudaStreamBeginCapture(b->s[1], cudaStreamCaptureModeThreadLocal));
	OK(cudaMallocAsync(&p, N * sizeof(int), b->s[1]));
	OK(cudaMemcpyAsync(p, b->e, N * sizeof(int), cudaMemcpyDeviceToDevice, b->s[1]));
	OK(cudaGraphLaunch(exec, b->s[1]));
	OK(cudaMemcpyAsync(b->host, p, N * sizeof(int), cudaMemcpyDeviceToHost, b->s[1]));
	OK(cudaFreeAsync(p, b->s[1]));
	OK(cudaStreamEndCapture(b->s[1], &outer));
	OK(cudaGraphInstantiate(&whole, outer, 0));
	launch(b, whole);
	expect(b->host, 0);
	launch(b, whole);
	expect(b->host, 7);
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphExecDestroy(whole));
	OK(cudaGraphDestroy(inner));
	OK(cudaGraphDestroy(outer));
}

// Nodes that are given as one structure, and what is not modelled.
static void any_node(const struct buffers *b)
{
	cudaGraphNodeParams p = {};
	cudaGraphNode_t n, none;
	cudaGraphExec_t exec;
	cudaGraph_t graph;

	OK(cudaGraphCreate(&graph, 0));
	p.type = cudaGraphNodeTypeMemset;
	p.memset.dst = b->d;
	p.memset.value = 6;
	p.memset.elementSize = sizeof(int);
	p.memset.width = N;
	p.memset.height = 1;
	OK(cudaGraphAddNode(&n, graph, NULL, NULL, 0, &p));
	memset(&p, 0, sizeof(p));
	p.type = cudaGraphNodeTypeMemcpy;
	p.memcpy.copyParams.srcPtr = make_cudaPitchedPtr(b->d, N * sizeof(int), N * sizeof(int), 1);
	p.memcpy.copyParams.dstPtr = make_cudaPitchedPtr(b->host, N * sizeof(int), N * sizeof(int), 1);
	p.memcpy.copyParams.extent = make_cudaExtent(N * sizeof(int), 1, 1);
	p.memcpy.copyParams.kind = cudaMemcpyDefault;
	OK(cudaGraphAddNode(&n, graph, &n, NULL, 1, &p));
	OK(cudaGraphInstantiate(&exec, graph, 0));
	launch(b, exec);
	expect(b->host, 6);
	memset(&p, 0, sizeof(p));
	p.type = cudaGraphNodeTypeConditional;
	FAILS(cudaErrorNotSupported, cudaGraphAddNode(&none, graph, NULL, NULL, 0, &p));
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
}

int main()
{
	struct buffers b;

	OK(cudaMalloc(&b.d, N * sizeof(int)));
	OK(cudaMalloc(&b.e, N * sizeof(int)));
	OK(cudaMallocHost(&b.host, N * sizeof(int)));
	for (int i = 0; i < 2; i++)
		OK(cudaStreamCreate(&b.s[i]));
	by_hand(&b);
	captured(&b);
	other_nodes(&b);
	nested_capture(&b);
	any_node(&b);
	puts("graphs: ok");
	return 0;
}
