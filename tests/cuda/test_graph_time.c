/* When the nodes of a graph happen: with round costs every figure has a closed form. */
#include "common.h"

/* us: a call 1, giving work 2, each node of a graph 3, a copy's set-up 10, a host function 50; one byte 1 ns over the
 * wires. */
static const char session[] = "machine = test\nhost.call_ps = 1us\nhost.issue_ps = 2us\nhost.launch_ps = 4us\n"
			      "host.graph_node_ps = 3us\nhost.callback_ps = 50us\nhost.pcie_latency_ps = 10us\n"
			      "host.pcie_bandwidth_mbytes_per_s = 1000\nhost.pcie_overhead_bytes = 0\n";

enum { BYTES = 100000, CALL_US = 1, ISSUE_US = 2, NODE_US = 3, COPY_US = 110, HOST_US = 50 };

struct rig {
	CUcontext c;
	CUstream s;
	CUevent e[2];
	CUdeviceptr d[2];
	void *pinned[2];
	CUgraph g;
};

static struct rig rig_begin(void)
{
	struct rig r = {.c = begin()};

	OK(cuStreamCreate(&r.s, CU_STREAM_NON_BLOCKING));
	OK(cuGraphCreate(&r.g, 0));
	for (int i = 0; i < 2; i++) {
		OK(cuEventCreate(&r.e[i], 0));
		OK(cuMemAlloc(&r.d[i], BYTES));
		OK(cuMemHostAlloc(&r.pinned[i], BYTES, 0));
	}
	return r;
}

static CUgraphNode copy_in(struct rig *r, const CUgraphNode *from, size_t count)
{
	const CUDA_MEMCPY3D c = {.srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = r->pinned[0],
				 .dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstDevice = r->d[0],
				 .WidthInBytes = BYTES, .Height = 1, .Depth = 1};
	CUgraphNode n;

	OK(cuGraphAddMemcpyNode(&n, r->g, from, count, &c, NULL));
	return n;
}

static CUgraphNode copy_out(struct rig *r, const CUgraphNode *from, size_t count)
{
	const CUDA_MEMCPY3D c = {.srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = r->d[1],
				 .dstMemoryType = CU_MEMORYTYPE_HOST, .dstHost = r->pinned[1],
				 .WidthInBytes = BYTES, .Height = 1, .Depth = 1};
	CUgraphNode n;

	OK(cuGraphAddMemcpyNode(&n, r->g, from, count, &c, NULL));
	return n;
}

static void nothing(void *data)
{
	(void)data;
}

static CUgraphNode host(struct rig *r, const CUgraphNode *from, size_t count)
{
	CUgraphNode n;

	OK(cuGraphAddHostNode(&n, r->g, from, count, &(CUDA_HOST_NODE_PARAMS){nothing, NULL}));
	return n;
}

/* What the stream is busy with for `launches` launches of the graph, in us, from the moment before the first. */
static double run_us(struct rig *r, int launches)
{
	CUgraphExec e;
	float ms;

	OK(cuGraphInstantiate(&e, r->g, 0));
	OK(cuEventRecord(r->e[0], r->s));
	for (int i = 0; i < launches; i++)
		OK(cuGraphLaunch(e, r->s));
	OK(cuEventRecord(r->e[1], r->s));
	OK(cuEventSynchronize(r->e[1]));
	OK(cuEventElapsedTime(&ms, r->e[0], r->e[1]));
	OK(cuGraphExecDestroy(e));
	OK(cuGraphDestroy(r->g));
	OK(cuGraphCreate(&r->g, 0));
	return ms * 1e3;
}

static void expect_us(double us, double expected)
{
	if (us < expected - 1e-3 || us > expected + 1e-3)
		fail_msg("%g us, expected %g", us, expected);
}

static void dependencies_take_turns_and_branches_overlap(void **state)
{
	struct rig r = rig_begin();
	CUgraphNode n, pair[2];

	(void)state;
	n = copy_in(&r, NULL, 0);
	copy_out(&r, &n, 1);
	expect_us(run_us(&r, 1), CALL_US + ISSUE_US + 2 * NODE_US + 2 * COPY_US);
	copy_in(&r, NULL, 0);
	copy_out(&r, NULL, 0);
	expect_us(run_us(&r, 1), CALL_US + ISSUE_US + 2 * NODE_US + COPY_US);
	/* One engine does one thing at a time. */
	copy_in(&r, NULL, 0);
	copy_in(&r, NULL, 0);
	expect_us(run_us(&r, 1), CALL_US + ISSUE_US + 2 * NODE_US + 2 * COPY_US);
	/* A fork and a join. */
	n = host(&r, NULL, 0);
	pair[0] = copy_in(&r, &n, 1);
	pair[1] = copy_out(&r, &n, 1);
	host(&r, pair, 2);
	expect_us(run_us(&r, 1), CALL_US + ISSUE_US + 4 * NODE_US + HOST_US + COPY_US + HOST_US);
	OK(cuCtxDestroy(r.c));
}

/* The copy out, added first, waits for the host's function; the one that is ready takes the engine meanwhile. */
static void what_is_ready_goes_first(void **state)
{
	struct rig r = rig_begin();
	CUgraphNode late, n;

	(void)state;
	late = copy_out(&r, NULL, 0);
	n = host(&r, NULL, 0);
	OK(cuGraphAddDependencies(r.g, &n, &late, 1));
	copy_out(&r, NULL, 0);
	expect_us(run_us(&r, 1), CALL_US + ISSUE_US + 3 * NODE_US + 2 * COPY_US);
	OK(cuCtxDestroy(r.c));
}

/* The host is busy once, a little longer for each node; launches of one instance come one after the other. */
static void a_launch_is_one_call(void **state)
{
	struct rig r = rig_begin();
	CUgraphNode n = NULL;

	(void)state;
	for (int i = 0; i < 100; i++)
		n = host(&r, &n, n ? 1 : 0);
	expect_us(run_us(&r, 1), CALL_US + ISSUE_US + 100 * NODE_US + 100 * HOST_US);
	copy_in(&r, NULL, 0);
	expect_us(run_us(&r, 3), CALL_US + ISSUE_US + NODE_US + 3 * COPY_US);
	/* A launch of nothing takes its place in the stream. */
	expect_us(run_us(&r, 1), CALL_US + ISSUE_US + CALL_US);
	OK(cuCtxDestroy(r.c));
}

static void child_graphs_overlap_too(void **state)
{
	struct rig r = rig_begin();
	CUgraph outer = r.g, inner;
	CUgraphNode n, child;

	(void)state;
	OK(cuGraphCreate(&r.g, 0));
	n = copy_in(&r, NULL, 0);
	host(&r, &n, 1);
	inner = r.g;
	r.g = outer;
	OK(cuGraphAddChildGraphNode(&child, r.g, NULL, 0, inner));
	copy_out(&r, NULL, 0);
	host(&r, &child, 1);
	expect_us(run_us(&r, 1), CALL_US + ISSUE_US + 4 * NODE_US + COPY_US + 2 * HOST_US);
	OK(cuCtxDestroy(r.c));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dependencies_take_turns_and_branches_overlap),
		cmocka_unit_test(what_is_ready_goes_first),
		cmocka_unit_test(a_launch_is_one_call),
		cmocka_unit_test(child_graphs_overlap_too),
	};
	char path[] = "strata-test-session-XXXXXX";
	int fd = mkstemp(path);
	FILE *f = fdopen(fd, "w");

	fputs(session, f);
	fclose(f);
	setenv("STRATA_SESSION", path, 1);
	cuInit(0);
	unlink(path);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
