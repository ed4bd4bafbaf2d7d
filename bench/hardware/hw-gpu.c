/*
 * hw-gpu - what a GPU's caches, memory, atomics, launches and copies take: one measurement a run, or all of them,
 * self-checking.
 *
 * The same source runs on Strata's machines and on hardware: there with nvcc's kernels, from the top of the repository:
 * nvcc -ptx -arch=native -Iinclude bench/hardware/hw-gpu.cu -o hw-gpu.ptx && workloads/embed-ptx hw-gpu.ptx >hw-gpu.h
 * cc -O2 -D_GNU_SOURCE -DWORKLOAD_PTX='"hw-gpu.h"' -I. -Iinclude -Iworkloads bench/hardware/hw-gpu.c
 *    workloads/common/program.c workloads/common/workload.c -lcuda -lm -o hw-gpu
 */
#include "common/workload.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char hw_gpu_ptx[] =
#include WORKLOAD_PTX
	;

static const struct workload_about about = {
	.name = "hw-gpu",
	.summary = "Measures a GPU: latencies, atomics, streams, launches, copies.",
	.small_size = "all of it, as small as shows it",
	.paper_size = "all of it, arrays of 256 MB, as hardware wants them",
};

enum what { ALL, CHASE, SHARED, ATOMICS, COPY, TRIAD, LAUNCH, TO_DEVICE, TO_HOST };
static const char *const whats[] = {"all",   "chase",  "shared",    "atomics", "copy",
				    "triad", "launch", "to-device", "to-host", NULL};
enum pattern { SAME, COALESCED, SPREAD };
static const char *const patterns[] = {"same", "coalesced", "spread", NULL};
static const char *const memories[] = {"pageable", "pinned", NULL};

enum { DO, KBYTES, EACH, WARM, STRIDE, PATTERN, THREADS, MEMORY };
static const struct workload_count counts[] = {
	{"do", "what is measured", ALL, ALL, ALL, TO_HOST, 1, whats},
	{"kbytes", "KB of the working set of a chase, of each array, or of a copy", 1024, 262144, 8, 1u << 22, 8, NULL},
	{"each", "steps, additions of each thread, or launches; a multiple of 8", 1024, 65536, 8, 1u << 28, 8, NULL},
	{"warm", "1: a chase goes round once before it is timed", 1, 1, 0, 1, 1, NULL},
	{"stride", "bytes from a word of a chase to the next", 128, 128, 8, 1u << 21, 8, NULL},
	{"pattern", "the words of threads' additions: same, coalesced (next to each other), spread (a line each)", SAME,
	 SAME, SAME, SPREAD, 1, patterns},
	{"threads", "threads that add", 4096, 65536, 256, 1u << 22, 256, NULL},
	{"memory", "the host's, of a copy", 0, 0, 0, 1, 1, memories},
};

enum { STREAM_BLOCK = 1024, ATOMICS_BLOCK = 256, UNROLLED = 8, SHARED_WORDS = 1024, SHARED_STRIDE = 33 };

struct bench {
	struct workload_gpu gpu;
	CUevent begin, end;
	uint64_t seed;
	const char *prefix; /* of names, where there are several measurements */
};

static void measure(const struct bench *b, const char *name, double value, const char *unit)
{
	char full[64];

	/* Where something takes no time, it has no rate. */
	if (!isfinite(value))
		return;
	snprintf(full, sizeof(full), "%s%s", b->prefix, name);
	workload_measure(full, value, unit);
}

/* Two words about the same, or, where it stands alone, the second of them. */
static void measure_as(const struct bench *b, const char *all, const char *alone, double value, const char *unit)
{
	measure(b, *b->prefix ? all : alone, value, unit);
}

static double seconds_between(CUevent begin, CUevent end)
{
	float ms;

	WORKLOAD_CUDA(cuEventSynchronize(end));
	WORKLOAD_CUDA(cuEventElapsedTime(&ms, begin, end));
	return (double)ms * 1e-3;
}

/* Launches it twice and times the second time, which is given before the first has ended. */
static double seconds_of_second(const struct bench *b, const char *kernel, unsigned int ctas, unsigned int threads,
				void **params)
{
	CUfunction f = workload_gpu_kernel(&b->gpu, kernel);
	const struct workload_dim grid = {ctas, 1, 1}, block = {threads, 1, 1};

	workload_launch(f, grid, block, params);
	WORKLOAD_CUDA(cuEventRecord(b->begin, NULL));
	workload_launch(f, grid, block, params);
	WORKLOAD_CUDA(cuEventRecord(b->end, NULL));
	return seconds_between(b->begin, b->end);
}

/* ---- latency ---- */

/* One cycle through all nodes, in random order: Sattolo's shuffle. */
static uint32_t *cycle_make(uint32_t count, uint64_t seed)
{
	uint32_t *next = workload_host_alloc(count, sizeof(*next));

	for (uint32_t i = 0; i < count; i++)
		next[i] = i;
	for (uint32_t i = count - 1; i > 0; i--) {
		const uint32_t other = (uint32_t)(workload_random(seed, 0, i) % i), kept = next[i];

		next[i] = next[other];
		next[other] = kept;
	}
	return next;
}

/* Writes what the kernel says of so many steps; its third word is where it ended. */
static uint64_t latency_measure(const struct bench *b, CUdeviceptr out, uint64_t steps)
{
	uint64_t said[3];

	WORKLOAD_CUDA(cuMemcpyDtoH(said, out, sizeof(said)));
	measure(b, "latency", (double)said[1] / (double)steps, "ns");
	measure(b, "latency_cycles", (double)said[0] / (double)steps, "cycles");
	return said[2];
}

static bool chase(const struct bench *b, const struct workload_options *o)
{
	const size_t bytes = (size_t)o->counts[KBYTES] * 1024, stride = o->counts[STRIDE];
	const uint32_t count = (uint32_t)(bytes / stride);
	unsigned int steps = o->counts[EACH] / UNROLLED;
	unsigned int before = o->counts[WARM] ? (count + UNROLLED - 1) / UNROLLED : 0;
	CUdeviceptr nodes = workload_device_alloc(bytes), out = workload_device_alloc(3 * sizeof(uint64_t));
	char *words = workload_host_alloc(bytes, 1);
	uint32_t *next = cycle_make(count, b->seed), at = 0;
	void *params[] = {&nodes, &before, &steps, &out};
	uint64_t want, got;

	for (uint32_t i = 0; i < count; i++) {
		const uint64_t to = nodes + next[i] * stride;

		memcpy(words + i * stride, &to, sizeof(to));
	}
	WORKLOAD_CUDA(cuMemcpyHtoD(nodes, words, bytes));
	workload_launch(workload_gpu_kernel(&b->gpu, "hw_chase"), (struct workload_dim){1, 1, 1},
			(struct workload_dim){1, 1, 1}, params);
	for (uint64_t i = 0; i < ((uint64_t)before + steps) * UNROLLED; i++)
		at = next[at];
	want = nodes + at * stride;
	got = latency_measure(b, out, (uint64_t)steps * UNROLLED);
	WORKLOAD_CUDA(cuMemFree(nodes));
	WORKLOAD_CUDA(cuMemFree(out));
	free(words);
	free(next);
	return workload_same_u64("the walk's end", &got, &want, 1);
}

static bool shared(const struct bench *b, const struct workload_options *o)
{
	unsigned int steps = o->counts[EACH] / UNROLLED;
	CUdeviceptr out = workload_device_alloc(3 * sizeof(uint64_t));
	void *params[] = {&steps, &out};
	const uint64_t want = (uint64_t)steps * UNROLLED * SHARED_STRIDE % SHARED_WORDS;
	uint64_t got;

	workload_launch(workload_gpu_kernel(&b->gpu, "hw_shared"), (struct workload_dim){1, 1, 1},
			(struct workload_dim){1, 1, 1}, params);
	got = latency_measure(b, out, (uint64_t)steps * UNROLLED);
	WORKLOAD_CUDA(cuMemFree(out));
	return workload_same_u64("the walk's end", &got, &want, 1);
}

/* ---- throughput ---- */

static bool atomics(const struct bench *b, const struct workload_options *o)
{
	const enum pattern pattern = o->counts[PATTERN];
	const unsigned int threads = o->counts[THREADS];
	unsigned int stride = pattern == SAME ? 0 : pattern == COALESCED ? 1 : 32, each = o->counts[EACH];
	const size_t words = stride ? (size_t)threads * stride : 1;
	uint32_t *got = workload_host_alloc(words, sizeof(*got)), *want = workload_host_alloc(words, sizeof(*want));
	CUdeviceptr at = workload_device_copy(got, words * sizeof(*got));
	void *params[] = {&at, &stride, &each};
	double seconds;
	bool right;

	seconds = seconds_of_second(b, "hw_atomics", threads / ATOMICS_BLOCK, ATOMICS_BLOCK, params);
	measure_as(b, patterns[pattern], "throughput", (double)threads * each / seconds * 1e-9, "Gop/s");
	for (size_t i = 0; i < threads; i++)
		want[i * stride] += 2 * each;
	WORKLOAD_CUDA(cuMemcpyDtoH(got, at, words * sizeof(*got)));
	right = workload_same_u32("word", got, want, words);
	WORKLOAD_CUDA(cuMemFree(at));
	free(got);
	free(want);
	return right;
}

static bool stream(const struct bench *b, const struct workload_options *o, enum what what)
{
	const size_t bytes = (size_t)o->counts[KBYTES] * 1024, n = bytes / sizeof(double);
	double *x = workload_host_alloc(n, sizeof(*x)), *y = workload_host_alloc(n, sizeof(*y)), scalar = 3, seconds;
	CUdeviceptr from, other, to = workload_device_alloc(bytes);
	void *copied[] = {&from, &to}, *added[] = {&to, &from, &other, &scalar};
	bool right;

	for (size_t i = 0; i < n; i++) {
		x[i] = (double)i;
		y[i] = (double)(i % 7);
	}
	from = workload_device_copy(x, bytes);
	other = workload_device_copy(y, bytes);
	if (what == COPY)
		seconds = seconds_of_second(b, "hw_copy", (unsigned int)(n / STREAM_BLOCK), STREAM_BLOCK, copied);
	else
		seconds = seconds_of_second(b, "hw_triad", (unsigned int)(n / STREAM_BLOCK), STREAM_BLOCK, added);
	measure(b, "bandwidth", (what == COPY ? 2 : 3) * (double)bytes / seconds * 1e-9, "GB/s");
	for (size_t i = 0; what == TRIAD && i < n; i++)
		x[i] += scalar * y[i];
	WORKLOAD_CUDA(cuMemcpyDtoH(y, to, bytes));
	right = workload_same_f64("element", y, x, n, 0);
	WORKLOAD_CUDA(cuMemFree(from));
	WORKLOAD_CUDA(cuMemFree(other));
	WORKLOAD_CUDA(cuMemFree(to));
	free(x);
	free(y);
	return right;
}

/* ---- the host ---- */

/* Kernels that do nothing: one given behind the other, and each waited for. */
static bool launch(const struct bench *b, const struct workload_options *o)
{
	const struct workload_dim one = {1, 1, 1};
	CUfunction nothing = workload_gpu_kernel(&b->gpu, "hw_nothing");
	const unsigned int each = o->counts[EACH];

	for (int is_waited = 0; is_waited < 2; is_waited++) {
		workload_launch(nothing, one, one, NULL);
		WORKLOAD_CUDA(cuCtxSynchronize());
		WORKLOAD_CUDA(cuEventRecord(b->begin, NULL));
		for (unsigned int i = 0; i < each; i++) {
			workload_launch(nothing, one, one, NULL);
			if (is_waited)
				WORKLOAD_CUDA(cuCtxSynchronize());
		}
		WORKLOAD_CUDA(cuEventRecord(b->end, NULL));
		measure(b, is_waited ? "launch_and_wait" : "launch", seconds_between(b->begin, b->end) / each * 1e6,
			"us");
	}
	return true;
}

static void *host_memory(size_t bytes, bool is_pinned)
{
	void *memory;

	if (!is_pinned)
		return workload_host_alloc(bytes, 1);
	WORKLOAD_CUDA(cuMemAllocHost(&memory, bytes));
	return memory;
}

static void host_free(void *memory, bool is_pinned)
{
	if (is_pinned)
		WORKLOAD_CUDA(cuMemFreeHost(memory));
	else
		free(memory);
}

/* There and back again, and one of both is what counts. */
static bool host_copy(const struct bench *b, const struct workload_options *o, enum what what)
{
	const size_t bytes = (size_t)o->counts[KBYTES] * 1024, words = bytes / sizeof(uint64_t);
	const bool is_pinned = o->counts[MEMORY];
	uint64_t *from = host_memory(bytes, is_pinned), *to = host_memory(bytes, is_pinned);
	CUdeviceptr device = workload_device_alloc(bytes);
	double seconds[2];
	bool right;

	for (size_t i = 0; i < words; i++) {
		from[i] = workload_random(b->seed, 1, i);
		to[i] = 0;
	}
	WORKLOAD_CUDA(cuEventRecord(b->begin, NULL));
	WORKLOAD_CUDA(cuMemcpyHtoDAsync(device, from, bytes, NULL));
	WORKLOAD_CUDA(cuEventRecord(b->end, NULL));
	seconds[0] = seconds_between(b->begin, b->end);
	WORKLOAD_CUDA(cuEventRecord(b->begin, NULL));
	WORKLOAD_CUDA(cuMemcpyDtoHAsync(to, device, bytes, NULL));
	WORKLOAD_CUDA(cuEventRecord(b->end, NULL));
	seconds[1] = seconds_between(b->begin, b->end);
	measure_as(b, memories[is_pinned], "bandwidth", (double)bytes / seconds[what == TO_HOST] * 1e-9, "GB/s");
	right = workload_same_u64("word", to, from, words);
	WORKLOAD_CUDA(cuMemFree(device));
	host_free(from, is_pinned);
	host_free(to, is_pinned);
	return right;
}

/* ---- one, or all ---- */

static bool one(const struct bench *b, const struct workload_options *o, enum what what)
{
	switch (what) {
	case CHASE:
		return chase(b, o);
	case SHARED:
		return shared(b, o);
	case ATOMICS:
		return atomics(b, o);
	case COPY:
	case TRIAD:
		return stream(b, o, what);
	case LAUNCH:
		return launch(b, o);
	default:
		return host_copy(b, o, what);
	}
}

/* What --do all does, with the numbers that are not the command line's. 0: it is the command line's. */
static const struct part {
	const char *prefix;
	enum what what;
	unsigned int kbytes, each, pattern, memory;
} parts[] = {
	{"l1_", CHASE, 8, 0, 0, 0},	       {"l2_", CHASE, 512, 0, 0, 0},
	{"memory_", CHASE, 0, 0, 0, 0},	       {"shared_", SHARED, 0, 0, 0, 0},
	{"atomics_", ATOMICS, 0, 16, SAME, 0}, {"atomics_", ATOMICS, 0, 16, COALESCED, 0},
	{"atomics_", ATOMICS, 0, 16, SPREAD, 0}, {"copy_", COPY, 0, 0, 0, 0},
	{"triad_", TRIAD, 0, 0, 0, 0},	       {"host_", LAUNCH, 0, 64, 0, 0},
	{"to_device_", TO_DEVICE, 0, 0, 0, 0}, {"to_device_", TO_DEVICE, 0, 0, 0, 1},
	{"to_host_", TO_HOST, 0, 0, 0, 0},     {"to_host_", TO_HOST, 0, 0, 0, 1},
};

static bool all(struct bench *b, const struct workload_options *o)
{
	bool right = true;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		struct workload_options own = *o;

		b->prefix = parts[i].prefix;
		own.counts[PATTERN] = parts[i].pattern;
		own.counts[MEMORY] = parts[i].memory;
		if (parts[i].kbytes)
			own.counts[KBYTES] = parts[i].kbytes;
		if (parts[i].each)
			own.counts[EACH] = parts[i].each;
		/* What the caches have of it would be no memory's. */
		own.counts[WARM] = !!parts[i].kbytes;
		right = one(b, &own, parts[i].what) && right;
	}
	return right;
}

int main(int argc, char **argv)
{
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct bench b = {.seed = o.seed, .prefix = ""};
	const enum what what = o.counts[DO];
	bool right;

	b.gpu = workload_gpu_open(hw_gpu_ptx);
	WORKLOAD_CUDA(cuEventCreate(&b.begin, CU_EVENT_DEFAULT));
	WORKLOAD_CUDA(cuEventCreate(&b.end, CU_EVENT_DEFAULT));
	right = what == ALL ? all(&b, &o) : one(&b, &o, what);
	WORKLOAD_CUDA(cuEventDestroy(b.begin));
	WORKLOAD_CUDA(cuEventDestroy(b.end));
	workload_gpu_close(&b.gpu);
	return workload_finish(right, "%s", whats[what]);
}
