/* Graphs: nodes of every type, what they depend on, what they compute when launched, and how they can be changed. */
#include <pthread.h>
#include <time.h>

#include "common.h"

enum { COUNT = 32, BYTES = COUNT * 4 };

/* add: p[tid] += add. */
static const char add_ptx[] = PTX_HEAD
	".visible .entry add(.param .u64 p, .param .u32 add)\n"
	"{\n .reg .b64 %rd<4>;\n .reg .b32 %r<4>;\n"
	" ld.param.u64 %rd1, [p];\n ld.param.u32 %r1, [add];\n mov.u32 %r2, %tid.x;\n"
	" mul.wide.u32 %rd2, %r2, 4;\n add.u64 %rd3, %rd1, %rd2;\n ld.global.u32 %r3, [%rd3];\n"
	" add.u32 %r3, %r3, %r1;\n st.global.u32 [%rd3], %r3;\n ret;\n}\n"
	".visible .entry scale(.param .u64 p, .param .u32 by)\n"
	"{\n .reg .b64 %rd<4>;\n .reg .b32 %r<4>;\n"
	" ld.param.u64 %rd1, [p];\n ld.param.u32 %r1, [by];\n mov.u32 %r2, %tid.x;\n"
	" mul.wide.u32 %rd2, %r2, 4;\n add.u64 %rd3, %rd1, %rd2;\n ld.global.u32 %r3, [%rd3];\n"
	" mul.lo.u32 %r3, %r3, %r1;\n st.global.u32 [%rd3], %r3;\n ret;\n}\n";

struct rig {
	CUcontext c;
	CUgraph g;
	CUdeviceptr d;
	CUstream s;
	CUfunction add, scale;
	uint32_t host[COUNT];
};

static struct rig rig_begin(void)
{
	struct rig r = {.c = begin()};

	r.add = kernel(add_ptx, "add");
	r.scale = kernel(add_ptx, "scale");
	OK(cuMemAlloc(&r.d, BYTES));
	OK(cuStreamCreate(&r.s, CU_STREAM_NON_BLOCKING));
	OK(cuGraphCreate(&r.g, 0));
	return r;
}

static void rig_end(struct rig *r)
{
	OK(cuGraphDestroy(r->g));
	OK(cuCtxDestroy(r->c));
}

static CUDA_KERNEL_NODE_PARAMS kernel_params(CUfunction f, void **params)
{
	return (CUDA_KERNEL_NODE_PARAMS){.func = f, .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = COUNT,
					 .blockDimY = 1, .blockDimZ = 1, .kernelParams = params};
}

/* A node that runs f(d, value) after `count` others. */
static CUgraphNode kernel_node(struct rig *r, CUfunction f, uint32_t value, const CUgraphNode *from, size_t count)
{
	CUDA_KERNEL_NODE_PARAMS p = kernel_params(f, (void *[]){&r->d, &value});
	CUgraphNode n;

	OK(cuGraphAddKernelNode(&n, r->g, from, count, &p));
	return n;
}

static CUgraphNode fill_node(struct rig *r, uint32_t value)
{
	const CUDA_MEMSET_NODE_PARAMS p = {r->d, 0, value, 4, COUNT, 1};
	CUgraphNode n;

	OK(cuGraphAddMemsetNode(&n, r->g, NULL, 0, &p, r->c));
	return n;
}

static CUDA_MEMCPY3D copy_out(struct rig *r)
{
	return (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = r->d,
			       .dstMemoryType = CU_MEMORYTYPE_HOST, .dstHost = r->host,
			       .WidthInBytes = BYTES, .Height = 1, .Depth = 1};
}

static void launch(struct rig *r, CUgraphExec e)
{
	OK(cuGraphLaunch(e, r->s));
	OK(cuStreamSynchronize(r->s));
}

static CUgraphExec instantiate(struct rig *r)
{
	CUgraphExec e;

	OK(cuGraphInstantiate(&e, r->g, 0));
	return e;
}

static void expect_all(const struct rig *r, uint32_t value)
{
	for (int i = 0; i < COUNT; i++)
		assert_int_equal(r->host[i], value);
}

/* fill 5, + 2, * 3, copy out, in an order that only the dependencies give. */
static void dependencies_order_the_nodes(void **state)
{
	struct rig r = rig_begin();
	CUDA_MEMCPY3D copy = copy_out(&r);
	CUgraphNode out, scale, add, fill;

	(void)state;
	OK(cuGraphAddMemcpyNode(&out, r.g, NULL, 0, &copy, r.c));
	scale = kernel_node(&r, r.scale, 3, NULL, 0);
	add = kernel_node(&r, r.add, 2, NULL, 0);
	fill = fill_node(&r, 5);
	OK(cuGraphAddDependencies(r.g, (CUgraphNode[]){scale, add, fill}, (CUgraphNode[]){out, scale, add}, 3));

	CUgraphExec e = instantiate(&r);

	memset(r.host, 0, sizeof(r.host));
	launch(&r, e);
	expect_all(&r, 21);
	/* The instance is a copy: the graph may change and go. */
	OK(cuGraphRemoveDependencies(r.g, &fill, &add, 1));
	memset(r.host, 0, sizeof(r.host));
	launch(&r, e);
	expect_all(&r, 21);
	OK(cuGraphExecDestroy(e));
	assert_int_equal(cuGraphLaunch(e, r.s), CUDA_ERROR_INVALID_VALUE);
	rig_end(&r);
}

static void lists_of_nodes_and_edges(void **state)
{
	struct rig r = rig_begin();
	CUgraphNode n[4], from[8], to[8], list[8];
	CUgraphEdgeData data[8];
	size_t count = 0;

	(void)state;
	for (int i = 0; i < 4; i++)
		OK(cuGraphAddEmptyNode(&n[i], r.g, n, (size_t)i)); /* each after all before it */
	OK(cuGraphGetNodes(r.g, NULL, &count));
	assert_int_equal(count, 4);
	count = 8;
	OK(cuGraphGetNodes(r.g, list, &count));
	assert_int_equal(count, 4);
	assert_memory_equal(list, n, sizeof(n));
	assert_null(list[4]);
	OK(cuGraphGetRootNodes(r.g, NULL, &count));
	assert_int_equal(count, 1);
	count = 8;
	OK(cuGraphGetEdges(r.g, from, to, &count));
	assert_int_equal(count, 6);
	assert_ptr_equal(from[0], n[0]);
	assert_ptr_equal(to[0], n[1]);
	OK(cuGraphNodeGetDependencies(n[3], NULL, &count));
	assert_int_equal(count, 3);
	count = 2;
	OK(cuGraphNodeGetDependentNodes_v2(n[0], list, data, &count));
	assert_int_equal(count, 2);
	assert_ptr_equal(list[1], n[2]);
	assert_int_equal(data[1].type, CU_GRAPH_DEPENDENCY_TYPE_DEFAULT);
	/* Twice the same, a node after itself, one that is not there. */
	assert_int_equal(cuGraphAddDependencies(r.g, n, n + 1, 1), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuGraphAddDependencies(r.g, n, n, 1), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuGraphRemoveDependencies(r.g, n + 1, n, 1), CUDA_ERROR_INVALID_VALUE);
	OK(cuGraphDestroyNode(n[1]));
	count = 8;
	OK(cuGraphGetEdges(r.g, from, to, &count));
	assert_int_equal(count, 3);
	assert_int_equal(cuGraphDestroyNode(n[1]), CUDA_ERROR_INVALID_VALUE);
	rig_end(&r);
}

static void cycles_are_found(void **state)
{
	struct rig r = rig_begin();
	CUDA_GRAPH_INSTANTIATE_PARAMS p = {0};
	CUgraphNode n[3];
	CUgraphExec e;

	(void)state;
	for (int i = 0; i < 3; i++)
		OK(cuGraphAddEmptyNode(&n[i], r.g, n, i == 2 ? 2 : 0));
	OK(cuGraphAddDependencies(r.g, n + 2, n + 1, 1));
	assert_int_equal(cuGraphInstantiateWithParams(&e, r.g, &p), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(p.result_out, CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE);
	assert_ptr_equal(p.hErrNode_out, n[1]);
	assert_int_equal(cuGraphInstantiate(&e, r.g, 16), CUDA_ERROR_INVALID_VALUE);
	rig_end(&r);
}

static void parameters_change(void **state)
{
	struct rig r = rig_begin();
	CUgraphNode fill = fill_node(&r, 1), add = kernel_node(&r, r.add, 10, &fill, 1), out;
	CUDA_MEMCPY3D copy = copy_out(&r);
	CUDA_KERNEL_NODE_PARAMS p;
	CUDA_MEMSET_NODE_PARAMS m;
	uint32_t other[COUNT] = {0}, value = 20;
	unsigned int is_enabled;

	(void)state;
	OK(cuGraphAddMemcpyNode(&out, r.g, &add, 1, &copy, r.c));
	OK(cuGraphKernelNodeGetParams(add, &p));
	assert_ptr_equal(p.func, r.add);
	assert_int_equal(p.blockDimX, COUNT);
	assert_int_equal(*(uint32_t *)p.kernelParams[1], 10);

	CUgraphExec e = instantiate(&r);

	/* In the graph: what is instantiated later has it. */
	p.kernelParams = (void *[]){&r.d, &value};
	OK(cuGraphKernelNodeSetParams(add, &p));
	launch(&r, e);
	expect_all(&r, 11);

	/* In the instance, by the graph's nodes; another kernel is allowed. */
	p.func = r.scale;
	OK(cuGraphExecKernelNodeSetParams(e, add, &p));
	OK(cuGraphMemsetNodeGetParams(fill, &m));
	m.value = 3;
	OK(cuGraphExecMemsetNodeSetParams(e, fill, &m, r.c));
	copy.dstHost = other;
	OK(cuGraphExecMemcpyNodeSetParams(e, out, &copy, r.c));
	launch(&r, e);
	expect_all(&r, 11);
	assert_int_equal(other[COUNT - 1], 60);
	OK(cuGraphNodeSetEnabled(e, add, 0));
	OK(cuGraphNodeGetEnabled(e, add, &is_enabled));
	assert_false(is_enabled);
	launch(&r, e);
	assert_int_equal(other[COUNT - 1], 3);
	/* Wrong ones change nothing. */
	p.blockDimX = 4096;
	assert_int_equal(cuGraphExecKernelNodeSetParams(e, add, &p), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuGraphExecMemsetNodeSetParams(e, add, &m, r.c), CUDA_ERROR_INVALID_VALUE);
	m.dst = 0;
	assert_int_equal(cuGraphMemsetNodeSetParams(fill, &m), CUDA_ERROR_INVALID_VALUE);
	rig_end(&r);
}

static void updates_of_the_whole(void **state)
{
	struct rig r = rig_begin();
	CUgraphNode fill = fill_node(&r, 1), add = kernel_node(&r, r.add, 10, &fill, 1), out, error;
	CUDA_MEMCPY3D copy = copy_out(&r);
	CUgraphExecUpdateResultInfo info;
	CUgraph first = r.g;

	(void)state;
	OK(cuGraphAddMemcpyNode(&out, r.g, &add, 1, &copy, r.c));

	CUgraphExec e = instantiate(&r);

	OK(cuGraphClone(&r.g, first));
	OK(cuGraphNodeFindInClone(&add, add, r.g));
	CUDA_KERNEL_NODE_PARAMS p;

	OK(cuGraphKernelNodeGetParams(add, &p));
	*(uint32_t *)p.kernelParams[1] = 41;
	OK(cuGraphExecUpdate(e, r.g, &info));
	assert_int_equal(info.result, CU_GRAPH_EXEC_UPDATE_SUCCESS);
	launch(&r, e);
	expect_all(&r, 42);
	OK(cuGraphAddEmptyNode(&error, r.g, NULL, 0));
	assert_int_equal(cuGraphExecUpdate(e, r.g, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
	assert_int_equal(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
	OK(cuGraphDestroyNode(error));
	OK(cuGraphDestroyNode(add));
	OK(cuGraphNodeFindInClone(&fill, fill, r.g));
	OK(cuGraphAddEmptyNode(&add, r.g, &fill, 1));
	assert_int_equal(cuGraphExecUpdate(e, r.g, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
	assert_int_equal(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED);
	OK(cuGraphDestroy(first));
	rig_end(&r);
}

/* The same nodes in the same order, and as many edges: multiply the sum, or the first value beside the sum. */
static CUgraph sum_then_scale(struct rig *r, bool is_beside)
{
	CUgraph outer = r->g, made;
	CUgraphNode n[2];

	OK(cuGraphCreate(&r->g, 0));
	n[0] = fill_node(r, 1);
	n[1] = kernel_node(r, r->add, 2, &n[0], 1);
	kernel_node(r, r->scale, 5, &n[is_beside ? 0 : 1], 1);
	made = r->g;
	r->g = outer;
	return made;
}

static void updates_keep_the_edges(void **state)
{
	struct rig r = rig_begin();
	CUgraphExecUpdateResultInfo info;
	CUgraph right = sum_then_scale(&r, false), wrong = sum_then_scale(&r, true), other;
	CUgraphExec e, outer;
	CUgraphNode child;

	(void)state;
	OK(cuGraphInstantiate(&e, right, 0));
	assert_int_equal(cuGraphExecUpdate(e, wrong, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
	assert_int_equal(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
	launch(&r, e);
	OK(cuMemcpyDtoH(r.host, r.d, BYTES));
	expect_all(&r, 15);
	/* Of child graphs as well. */
	OK(cuGraphAddChildGraphNode(&child, r.g, NULL, 0, right));
	outer = instantiate(&r);
	OK(cuGraphCreate(&other, 0));
	OK(cuGraphAddChildGraphNode(&child, other, NULL, 0, wrong));
	assert_int_equal(cuGraphExecUpdate(outer, other, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
	assert_int_equal(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
	rig_end(&r);
}

static char noted[8];

static void note_letter(void *letter)
{
	noted[strlen(noted)] = *(char *)letter;
}

static CUgraphNode letter_node(struct rig *r, char *letter, const CUgraphNode *from, size_t count)
{
	CUgraphNode n;

	OK(cuGraphAddHostNode(&n, r->g, from, count, &(CUDA_HOST_NODE_PARAMS){note_letter, letter}));
	return n;
}

/* A node that waits for two runs once, after both; of two that are ready the first that was added is first. */
static void forks_and_joins(void **state)
{
	struct rig r = rig_begin();
	char letters[] = "abcd";
	CUgraphNode a = letter_node(&r, &letters[0], NULL, 0), pair[2];

	(void)state;
	pair[0] = letter_node(&r, &letters[2], &a, 1);
	pair[1] = letter_node(&r, &letters[1], &a, 1);
	letter_node(&r, &letters[3], pair, 2);
	launch(&r, instantiate(&r));
	assert_string_equal(noted, "acbd");
	rig_end(&r);
}

static void child_graphs(void **state)
{
	struct rig r = rig_begin();
	CUgraph outer = r.g, copied;
	CUgraphNode add, child, fill, out;
	CUDA_MEMCPY3D copy = copy_out(&r);
	size_t count;
	uint32_t value = 7;

	(void)state;
	OK(cuGraphCreate(&r.g, 0));
	add = kernel_node(&r, r.add, 4, NULL, 0);
	kernel_node(&r, r.scale, 2, &add, 1);
	CUgraph inner = r.g;

	r.g = outer;
	fill = fill_node(&r, 1);
	OK(cuGraphAddChildGraphNode(&child, r.g, &fill, 1, inner));
	OK(cuGraphAddMemcpyNode(&out, r.g, &child, 1, &copy, r.c));
	OK(cuGraphChildGraphNodeGetGraph(child, &copied));
	assert_ptr_not_equal(copied, inner);
	assert_int_equal(cuGraphDestroy(copied), CUDA_ERROR_INVALID_VALUE);
	OK(cuGraphGetNodes(copied, NULL, &count));
	assert_int_equal(count, 2);

	CUgraphExec e = instantiate(&r);

	launch(&r, e);
	expect_all(&r, 10);
	/* New parameters for the nodes inside: one by one, named in the child's copy, or from a graph of its shape. */
	OK(cuGraphNodeFindInClone(&add, add, copied));
	CUDA_KERNEL_NODE_PARAMS p = kernel_params(r.add, (void *[]){&r.d, &value});

	OK(cuGraphExecKernelNodeSetParams(e, add, &p));
	launch(&r, e);
	expect_all(&r, 16);
	OK(cuGraphExecChildGraphNodeSetParams(e, child, inner));
	launch(&r, e);
	expect_all(&r, 10);
	OK(cuGraphDestroy(inner));
	rig_end(&r);
}

static int calls;

static void count_call(void *by)
{
	calls += *(int *)by;
	assert_int_equal(cuCtxSynchronize(), CUDA_ERROR_NOT_PERMITTED);
}

static void host_and_event_nodes(void **state)
{
	struct rig r = rig_begin();
	int by = 3;
	const CUDA_HOST_NODE_PARAMS host = {count_call, &by};
	CUgraphNode first, record, wait;
	CUevent e[2], found;

	(void)state;
	for (int i = 0; i < 2; i++)
		OK(cuEventCreate(&e[i], 0));
	OK(cuGraphAddHostNode(&first, r.g, NULL, 0, &host));
	OK(cuGraphAddEventRecordNode(&record, r.g, &first, 1, e[0]));
	OK(cuGraphAddEventWaitNode(&wait, r.g, &record, 1, e[1]));
	OK(cuGraphEventWaitNodeGetEvent(wait, &found));
	assert_ptr_equal(found, e[1]);
	assert_int_equal(cuGraphEventRecordNodeGetEvent(wait, &found), CUDA_ERROR_INVALID_VALUE);
	OK(cuEventRecord(e[1], r.s));

	CUgraphExec exec = instantiate(&r);

	launch(&r, exec);
	assert_int_equal(calls, 3);
	OK(cuEventQuery(e[0]));
	float ms;

	OK(cuEventElapsedTime(&ms, e[1], e[0]));
	assert_true(ms > 0);
	OK(cuGraphExecEventRecordNodeSetEvent(exec, record, e[1]));
	OK(cuEventDestroy(e[1]));
	assert_int_equal(cuGraphLaunch(exec, r.s), CUDA_ERROR_INVALID_HANDLE);
	rig_end(&r);
}

static CUDA_MEM_ALLOC_NODE_PARAMS alloc_params(void)
{
	return (CUDA_MEM_ALLOC_NODE_PARAMS){.poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
							  .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}},
					    .bytesize = BYTES};
}

static uint64_t used_bytes(CUgraphMem_attribute a)
{
	cuuint64_t bytes;

	OK(cuDeviceGetGraphMemAttribute(0, a, &bytes));
	return bytes;
}

static void memory_nodes(void **state)
{
	struct rig r = rig_begin();
	CUDA_MEM_ALLOC_NODE_PARAMS a = alloc_params();
	CUgraphNode alloc, fill, out, release;
	CUDA_MEMCPY3D copy = copy_out(&r);
	CUgraphExec e, second;
	CUgraph clone;

	(void)state;
	OK(cuGraphAddMemAllocNode(&alloc, r.g, NULL, 0, &a));
	assert_true(a.dptr);
	OK(cuGraphAddMemsetNode(&fill, r.g, &alloc, 1, &(CUDA_MEMSET_NODE_PARAMS){a.dptr, 0, 77, 4, COUNT, 1}, r.c));
	copy.srcDevice = a.dptr;
	OK(cuGraphAddMemcpyNode(&out, r.g, &fill, 1, &copy, r.c));
	OK(cuGraphAddMemFreeNode(&release, r.g, &out, 1, a.dptr));
	assert_int_equal(cuGraphAddMemFreeNode(&release, r.g, &out, 1, a.dptr), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuGraphAddMemFreeNode(&release, r.g, &out, 1, r.d), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(used_bytes(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT), 0);
	assert_int_equal(used_bytes(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT), BYTES);
	e = instantiate(&r);
	launch(&r, e);
	launch(&r, e);
	expect_all(&r, 77);
	assert_int_equal(used_bytes(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH), BYTES);
	assert_int_equal(used_bytes(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT), BYTES);
	OK(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &(cuuint64_t){0}));
	assert_int_equal(used_bytes(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH), BYTES);
	/* One instance at a time, and no copies. */
	assert_int_equal(cuGraphInstantiate(&second, r.g, 0), CUDA_ERROR_NOT_SUPPORTED);
	assert_int_equal(cuGraphClone(&clone, r.g), CUDA_ERROR_NOT_SUPPORTED);
	OK(cuGraphExecDestroy(e));
	OK(cuGraphInstantiate(&second, r.g, 0));
	rig_end(&r);
	r = rig_begin();
	assert_int_equal(used_bytes(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT), 0);
	assert_int_equal(used_bytes(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT), 0);
	rig_end(&r);
}

static void memory_that_outlives_the_launch(void **state)
{
	struct rig r = rig_begin();
	CUDA_MEM_ALLOC_NODE_PARAMS a = alloc_params();
	CUgraphNode alloc, fill;
	CUgraphExec e;

	(void)state;
	OK(cuGraphAddMemAllocNode(&alloc, r.g, NULL, 0, &a));
	OK(cuGraphAddMemsetNode(&fill, r.g, &alloc, 1, &(CUDA_MEMSET_NODE_PARAMS){a.dptr, 0, 5, 4, COUNT, 1}, r.c));
	assert_int_equal(cuMemFree(a.dptr), CUDA_ERROR_INVALID_VALUE); /* not allocated yet */
	e = instantiate(&r);
	launch(&r, e);
	assert_int_equal(cuGraphLaunch(e, r.s), CUDA_ERROR_INVALID_VALUE); /* allocated already */
	OK(cuMemFree(a.dptr));
	launch(&r, e);
	OK(cuMemFreeAsync(a.dptr, r.s));
	OK(cuGraphExecDestroy(e));
	OK(cuGraphInstantiate(&e, r.g, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH));
	launch(&r, e);
	launch(&r, e);
	/* It stays when graph and instance go. */
	OK(cuGraphExecDestroy(e));
	OK(cuGraphDestroy(r.g));
	OK(cuMemcpyDtoH(r.host, a.dptr, BYTES));
	expect_all(&r, 5);
	OK(cuMemFree(a.dptr));
	assert_int_equal(cuMemcpyDtoH(r.host, a.dptr, BYTES), CUDA_ERROR_INVALID_VALUE);
	OK(cuGraphCreate(&r.g, 0));
	rig_end(&r);
}

static void user_objects(void **state)
{
	struct rig r = rig_begin();
	CUuserObject u;
	int by = 100;

	(void)state;
	calls = 0;
	OK(cuUserObjectCreate(&u, &by, count_call, 2, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
	assert_int_equal(cuGraphRetainUserObject(r.g, u, 3, CU_GRAPH_USER_OBJECT_MOVE), CUDA_ERROR_INVALID_VALUE);
	OK(cuGraphRetainUserObject(r.g, u, 1, CU_GRAPH_USER_OBJECT_MOVE));

	CUgraphExec e = instantiate(&r);

	/* The graphs' references are not the caller's to give away. */
	assert_int_equal(cuUserObjectRelease(u, 2), CUDA_ERROR_INVALID_VALUE);
	OK(cuUserObjectRelease(u, 1));
	assert_int_equal(cuGraphRetainUserObject(r.g, u, 1, CU_GRAPH_USER_OBJECT_MOVE), CUDA_ERROR_INVALID_VALUE);
	OK(cuGraphReleaseUserObject(r.g, u, 1));
	assert_int_equal(calls, 0);
	OK(cuGraphExecDestroy(e));
	assert_int_equal(calls, 100);
	assert_int_equal(cuUserObjectRelease(u, 1), CUDA_ERROR_INVALID_VALUE);
	rig_end(&r);
}

/* Any node by its parameters' type; what is not modelled is named. */
static void nodes_of_any_type(void **state)
{
	struct rig r = rig_begin();
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEMSET, .memset = {r.d, 0, 9, 4, COUNT, 1, NULL}};
	CUgraphNode n, none;
	CUgraphNodeType type;
	struct capture text;
	char *message;

	(void)state;
	OK(cuGraphAddNode(&n, r.g, NULL, 0, &p));
	OK(cuGraphNodeGetType(n, &type));
	assert_int_equal(type, CU_GRAPH_NODE_TYPE_MEMSET);
	p = (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_MEMCPY, .memcpy = {.copyParams = copy_out(&r)}};
	OK(cuGraphAddNode_v2(&n, r.g, &n, &(CUgraphEdgeData){0}, 1, &p));
	launch(&r, instantiate(&r));
	expect_all(&r, 9);
	p = (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_CONDITIONAL};
	text = capture_begin(STDERR_FILENO);
	assert_int_equal(cuGraphAddNode(&none, r.g, NULL, 0, &p), CUDA_ERROR_NOT_SUPPORTED);
	message = capture_end(&text);
	assert_non_null(strstr(message, "conditional graph node"));
	free(message);
	p = (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_HOST};
	assert_int_equal(cuGraphAddNode(&none, r.g, NULL, 0, &p), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuGraphAddNode(&none, r.g, (CUgraphNode[]){n, n}, 2, &p), CUDA_ERROR_INVALID_VALUE);
	size_t count;

	OK(cuGraphGetNodes(r.g, NULL, &count));
	assert_int_equal(count, 2);
	rig_end(&r);
}

static void text_form(void **state)
{
	struct rig r = rig_begin();
	CUgraphNode fill = fill_node(&r, 1);
	char path[] = "strata-test-graph-XXXXXX", text[1024] = "";
	int fd = mkstemp(path);

	(void)state;
	kernel_node(&r, r.add, 10, &fill, 1);
	OK(cuGraphDebugDotPrint(r.g, path, CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_PARAMS));
	assert_true(read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	unlink(path);
	assert_non_null(strstr(text, "digraph"));
	assert_non_null(strstr(text, "KERNEL\\nadd\\ngrid 1,1,1 block 32,1,1"));
	assert_non_null(strstr(text, "\"graph_node_0\" -> \"graph_node_1\""));
	assert_int_equal(cuGraphDebugDotPrint(r.g, "/nonexistent/x", 0), CUDA_ERROR_OPERATING_SYSTEM);
	rig_end(&r);
}

static void faults_end_the_launch(void **state)
{
	struct rig r = rig_begin();
	CUfunction wild = kernel(PTX_KERNELS, "wild");
	CUDA_KERNEL_NODE_PARAMS p = kernel_params(wild, (void *[]){&(CUdeviceptr){16}});
	int by = 1;
	const CUDA_HOST_NODE_PARAMS host = {count_call, &by};
	CUgraphNode n, after;

	(void)state;
	calls = 0;
	OK(cuGraphAddKernelNode(&n, r.g, NULL, 0, &p));
	OK(cuGraphAddHostNode(&after, r.g, &n, 1, &host));

	CUgraphExec e = instantiate(&r);
	struct capture text = capture_begin(STDERR_FILENO);

	assert_int_equal(cuGraphLaunch(e, r.s), CUDA_ERROR_ILLEGAL_ADDRESS);
	free(capture_end(&text));
	assert_int_equal(calls, 0);
	assert_int_equal(cuGraphLaunch(e, r.s), CUDA_ERROR_ILLEGAL_ADDRESS);
	rig_end(&r);
}

/* ---- launches of one instance from two threads ---- */

static struct {
	CUgraphExec exec;
	CUcontext ctx;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	char order[8];
	int count;
	bool is_launching;
} twice = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void note(char what)
{
	pthread_mutex_lock(&twice.lock);
	twice.order[twice.count++] = what;
	pthread_cond_broadcast(&twice.changed);
	pthread_mutex_unlock(&twice.lock);
}

/* The first of all lets the other thread launch and gives it time to come in between. */
static void first_node(void *data)
{
	struct timespec limit;

	(void)data;
	note('a');
	pthread_mutex_lock(&twice.lock);
	if (twice.count == 1) {
		twice.is_launching = true;
		pthread_cond_broadcast(&twice.changed);
		clock_gettime(CLOCK_REALTIME, &limit);
		limit.tv_sec += 1;
		while (twice.count == 1 && !pthread_cond_timedwait(&twice.changed, &twice.lock, &limit))
			;
	}
	pthread_mutex_unlock(&twice.lock);
}

static void second_node(void *data)
{
	(void)data;
	note('b');
}

static void *launch_too(void *data)
{
	(void)data;
	pthread_mutex_lock(&twice.lock);
	while (!twice.is_launching)
		pthread_cond_wait(&twice.changed, &twice.lock);
	pthread_mutex_unlock(&twice.lock);
	OK(cuCtxSetCurrent(twice.ctx));
	OK(cuGraphLaunch(twice.exec, CU_STREAM_PER_THREAD));
	return NULL;
}

static void launches_of_one_instance_do_not_mix(void **state)
{
	struct rig r = rig_begin();
	CUgraphNode n, m;
	pthread_t other;

	(void)state;
	OK(cuGraphAddHostNode(&n, r.g, NULL, 0, &(CUDA_HOST_NODE_PARAMS){first_node, NULL}));
	OK(cuGraphAddHostNode(&m, r.g, &n, 1, &(CUDA_HOST_NODE_PARAMS){second_node, NULL}));
	twice.exec = instantiate(&r);
	OK(cuCtxGetCurrent(&twice.ctx));
	pthread_create(&other, NULL, launch_too, NULL);
	OK(cuGraphLaunch(twice.exec, r.s));
	pthread_join(other, NULL);
	assert_string_equal(twice.order, "abab");
	rig_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dependencies_order_the_nodes), cmocka_unit_test(lists_of_nodes_and_edges),
		cmocka_unit_test(cycles_are_found),		cmocka_unit_test(parameters_change),
		cmocka_unit_test(updates_of_the_whole),		cmocka_unit_test(child_graphs),
		cmocka_unit_test(host_and_event_nodes),		cmocka_unit_test(memory_nodes),
		cmocka_unit_test(memory_that_outlives_the_launch), cmocka_unit_test(user_objects),
		cmocka_unit_test(nodes_of_any_type),		cmocka_unit_test(text_form),
		cmocka_unit_test(updates_keep_the_edges),	cmocka_unit_test(forks_and_joins),
		cmocka_unit_test(faults_end_the_launch),	cmocka_unit_test(launches_of_one_instance_do_not_mix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
