/* ops.c - runs the kernels of ops.cu, all or those of one kind, and checks every result: golden runs are made of it. */
#include "common/workload.h"
#include "ops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char ops_ptx[] =
#include WORKLOAD_PTX
	;

enum { STREAM_COUNT = 16384, STAGE = CTA_THREADS * 4 /* floats of a stage of copies */ };

static const char *const kinds[] = {"all",     "atomics", "textures",  "lanes",  "tensor", "copies",
				    "doubles", "wide",	  "constants", "stream", "together", NULL};

static void launch(const struct workload_gpu *gpu, const char *name, void **params)
{
	workload_launch(workload_gpu_kernel(gpu, name), (struct workload_dim){CTAS, 1, 1},
			(struct workload_dim){CTA_THREADS, 1, 1}, params);
}

static void *fetch(CUdeviceptr from, size_t bytes)
{
	void *to = workload_host_alloc(bytes, 1);

	WORKLOAD_CUDA(cuMemcpyDtoH(to, from, bytes));
	WORKLOAD_CUDA(cuMemFree(from));
	return to;
}

static bool is_u32(const char *what, CUdeviceptr got, const uint32_t *want, size_t count)
{
	uint32_t *values = fetch(got, count * sizeof(*values));
	const bool is_same = workload_same_u32(what, values, want, count);

	free(values);
	return is_same;
}

static bool is_f32(const char *what, CUdeviceptr got, const float *want, size_t count)
{
	float *values = fetch(got, count * sizeof(*values));
	const bool is_same = workload_same_f32(what, values, want, count, 0);

	free(values);
	return is_same;
}

static bool is_f64(const char *what, CUdeviceptr got, const double *want, size_t count)
{
	double *values = fetch(got, count * sizeof(*values));
	const bool is_same = workload_same_f64(what, values, want, count, 0);

	free(values);
	return is_same;
}

/* ---- atomics ---- */

/* Every thread has had a number of its own. */
static bool are_places(CUdeviceptr got)
{
	static uint32_t seen[THREADS], once[THREADS];
	uint32_t *places = fetch(got, sizeof(seen));

	for (uint32_t t = 0; t < THREADS; t++) {
		seen[places[t] % THREADS]++;
		once[t] = 1;
	}
	free(places);
	return workload_same_u32("places", seen, once, THREADS);
}

static bool atomics_global(const struct workload_gpu *gpu)
{
	static const uint32_t init[8] = {0, UINT32_MAX, 0, 0, UINT32_MAX, 5, 0, 0};
	static uint32_t row[2 * BINS + 1], scattered[SCATTERED + 32];
	const uint32_t one[8] = {THREADS, 7, THREADS + 6, UINT32_MAX, 0, 5, THREADS % 101, 101 - THREADS % 101};
	double doubles[8] = {0};
	float floats[32] = {0};
	uint64_t wide[16] = {0};
	CUdeviceptr at[7] = {workload_device_copy(init, sizeof(init)),
			     workload_device_alloc(THREADS * sizeof(uint32_t)),
			     workload_device_copy(row, sizeof(row)),
			     workload_device_copy(scattered, sizeof(scattered)),
			     workload_device_copy(wide, sizeof(wide)),
			     workload_device_copy(doubles, sizeof(doubles)),
			     workload_device_copy(floats, sizeof(floats))};
	void *params[] = {&at[0], &at[1], &at[2], &at[3], &at[4], &at[5], &at[6]};
	bool is_right;

	launch(gpu, "atomics_global", params);
	for (uint32_t t = 0; t < THREADS; t++) {
		for (uint32_t i = 0; i < 4; i++) {
			row[t % BINS] += i;
			row[t % 32 / 2 + BINS]++;
			scattered[(t * 2654435761u + i * 40503u) % SCATTERED]++;
		}
		wide[t % 16] += (uint64_t)t << 32;
		doubles[t % 8] += 0.5;
		floats[t % 32] += 0.25f;
		scattered[SCATTERED + t % 32] = 7;
	}
	row[2 * BINS] = 3 * WARPS;
	is_right = is_u32("one", at[0], one, 8) && are_places(at[1]) && is_u32("row", at[2], row, 2 * BINS + 1) &&
		   is_u32("scattered", at[3], scattered, SCATTERED + 32);
	is_right = is_right && is_u32("wide", at[4], (const uint32_t *)wide, 32);
	return is_right && is_f64("doubles", at[5], doubles, 8) && is_f32("floats", at[6], floats, 32);
}

static bool atomics_shared(const struct workload_gpu *gpu)
{
	static uint32_t want[THREADS];
	uint32_t few[FEW] = {0};
	CUdeviceptr out = workload_device_alloc(sizeof(want));
	void *params[] = {&out};

	launch(gpu, "atomics_shared", params);
	for (uint32_t t = 0; t < CTA_THREADS; t++)
		for (uint32_t i = 0; i < 8; i++)
			few[(t + i) / 32 % FEW]++;
	for (uint32_t t = 0; t < THREADS; t++)
		want[t] = 28 + (t % CTA_THREADS < FEW ? few[t % CTA_THREADS] << 16 : 0);
	return is_u32("shared", out, want, THREADS);
}

static bool atomics(const struct workload_gpu *gpu)
{
	return atomics_global(gpu) && atomics_shared(gpu);
}

/* ---- textures and surfaces ---- */

static CUtexObject texture_of(const CUDA_RESOURCE_DESC *resource)
{
	CUDA_TEXTURE_DESC texture;
	CUtexObject object;

	memset(&texture, 0, sizeof(texture));
	texture.addressMode[0] = texture.addressMode[1] = CU_TR_ADDRESS_MODE_CLAMP;
	WORKLOAD_CUDA(cuTexObjectCreate(&object, resource, &texture, NULL));
	return object;
}

static CUarray array_of(const float *texels)
{
	const CUDA_ARRAY3D_DESCRIPTOR shape = {.Width = SIDE, .Height = SIDE, .Format = CU_AD_FORMAT_FLOAT,
					       .NumChannels = 1, .Flags = CUDA_ARRAY3D_SURFACE_LDST};
	CUDA_MEMCPY2D copy;
	CUarray array;

	WORKLOAD_CUDA(cuArray3DCreate(&array, &shape));
	memset(&copy, 0, sizeof(copy));
	copy.srcMemoryType = CU_MEMORYTYPE_HOST;
	copy.srcHost = texels;
	copy.srcPitch = copy.WidthInBytes = SIDE * sizeof(float);
	copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
	copy.dstArray = array;
	copy.Height = SIDE;
	WORKLOAD_CUDA(cuMemcpy2D(&copy));
	return array;
}

static bool textures(const struct workload_gpu *gpu)
{
	static float line[TEXELS], plane[SIDE * SIDE], want[THREADS];
	CUDA_RESOURCE_DESC linear = {.resType = CU_RESOURCE_TYPE_LINEAR}, array = {.resType = CU_RESOURCE_TYPE_ARRAY};
	CUdeviceptr out = workload_device_alloc(sizeof(want));
	CUarray planes[2];
	CUtexObject objects[2];
	CUsurfObject surface;
	void *params[] = {&objects[0], &objects[1], &surface, &out};

	for (uint32_t i = 0; i < TEXELS; i++)
		line[i] = (float)(i * 7 % 101);
	for (uint32_t i = 0; i < SIDE * SIDE; i++)
		plane[i] = (float)(i * 11 % 97);
	linear.res.linear.devPtr = workload_device_copy(line, sizeof(line));
	linear.res.linear.format = CU_AD_FORMAT_FLOAT;
	linear.res.linear.numChannels = 1;
	linear.res.linear.sizeInBytes = sizeof(line);
	planes[0] = array.res.array.hArray = array_of(plane);
	objects[0] = texture_of(&linear);
	objects[1] = texture_of(&array);
	planes[1] = array.res.array.hArray = array_of(plane);
	WORKLOAD_CUDA(cuSurfObjectCreate(&surface, &array));
	launch(gpu, "textures", params);
	for (uint32_t t = 0; t < THREADS; t++) {
		for (uint32_t i = 0; i < 4; i++) {
			want[t] += line[(t * 5 + i * 77) % TEXELS];
			want[t] += plane[(t / SIDE + i * 3) % SIDE * SIDE + t % SIDE];
		}
		want[t] += want[t];
	}
	WORKLOAD_CUDA(cuTexObjectDestroy(objects[0]));
	WORKLOAD_CUDA(cuTexObjectDestroy(objects[1]));
	WORKLOAD_CUDA(cuSurfObjectDestroy(surface));
	WORKLOAD_CUDA(cuArrayDestroy(planes[0]));
	WORKLOAD_CUDA(cuArrayDestroy(planes[1]));
	WORKLOAD_CUDA(cuMemFree(linear.res.linear.devPtr));
	return is_f32("textures", out, want, THREADS);
}

/* ---- between lanes ---- */

/* Of 32 values, for the lane. */
static uint32_t exchanged(const uint32_t *in, uint32_t lane)
{
	uint32_t sum = 0, ballot = 0, match = 0, any = 0, most = 0;

	for (uint32_t l = 0; l < 32; l++) {
		sum += in[l];
		ballot |= (in[l] & 1) << l;
		match |= (uint32_t)(in[l] % 4 == in[lane] % 4) << l;
		any |= in[l] == 3;
		most = in[l] % 64 > most ? in[l] % 64 : most;
	}
	return sum + in[lane ? lane - 1 : 0] + in[lane < 30 ? lane + 2 : lane] + in[31 - lane] + ballot + any +
	       (sum != 0) + match + 31 * 16 + most;
}

static bool lanes(const struct workload_gpu *gpu)
{
	static uint32_t in[THREADS], want[THREADS];
	CUdeviceptr from, to = workload_device_alloc(sizeof(want));
	void *params[] = {&from, &to};

	for (uint32_t t = 0; t < THREADS; t++)
		in[t] = (uint32_t)workload_random(1, 0, t) % 1000;
	from = workload_device_copy(in, sizeof(in));
	launch(gpu, "lanes", params);
	for (uint32_t t = 0; t < THREADS; t++)
		want[t] = exchanged(in + t / 32 * 32, t % 32);
	WORKLOAD_CUDA(cuMemFree(from));
	return is_u32("lanes", to, want, THREADS);
}

/* ---- tensor instructions ---- */

struct matrices {
	uint16_t a[4 * TILE * DEPTH], b[DEPTH * TILE]; /* halves */
	double da[8 * DEPTH], db[DEPTH * 8];
	CUdeviceptr on_device[4];
};

static uint32_t element(uint32_t which, uint32_t i)
{
	return (uint32_t)workload_random(2, which, i) % 8;
}

static void matrices_make(struct matrices *m)
{
	static const uint16_t halves[8] = {0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700};

	for (uint32_t i = 0; i < 4 * TILE * DEPTH; i++)
		m->a[i] = halves[element(0, i)];
	for (uint32_t i = 0; i < DEPTH * TILE; i++)
		m->b[i] = halves[element(1, i)];
	for (uint32_t i = 0; i < 8 * DEPTH; i++) {
		m->da[i] = element(2, i);
		m->db[i] = element(3, i);
	}
	m->on_device[0] = workload_device_copy(m->a, sizeof(m->a));
	m->on_device[1] = workload_device_copy(m->b, sizeof(m->b));
	m->on_device[2] = workload_device_copy(m->da, sizeof(m->da));
	m->on_device[3] = workload_device_copy(m->db, sizeof(m->db));
}

/* An element of a product: rows of DEPTH times columns of a matrix so wide. */
static uint32_t product(uint32_t a, uint32_t row, uint32_t b, uint32_t column, uint32_t width)
{
	uint32_t sum = 0;

	for (uint32_t k = 0; k < DEPTH; k++)
		sum += element(a, row * DEPTH + k) * element(b, k * width + column);
	return sum;
}

static bool tensor_wmma(const struct workload_gpu *gpu, struct matrices *m)
{
	static float want[WARPS * TILE * TILE];
	CUdeviceptr c = workload_device_alloc(sizeof(want));
	void *params[] = {&m->on_device[0], &m->on_device[1], &c};

	launch(gpu, "tensor_wmma", params);
	for (uint32_t i = 0; i < WARPS * TILE * TILE; i++)
		want[i] = (float)product(0, i / TILE % (4 * TILE), 1, i % TILE, TILE);
	return is_f32("wmma", c, want, WARPS * TILE * TILE);
}

static bool tensor_mma(const struct workload_gpu *gpu, struct matrices *m)
{
	static float want[WARPS * TILE * 8];
	static double wants[WARPS * 64];
	CUdeviceptr c = workload_device_alloc(sizeof(want)), dc = workload_device_alloc(sizeof(wants));
	void *params[] = {&m->on_device[0], &m->on_device[1], &m->on_device[2], &m->on_device[3], &c, &dc};

	launch(gpu, "tensor_mma", params);
	for (uint32_t i = 0; i < WARPS * TILE * 8; i++)
		want[i] = (float)product(0, i / 8 % (4 * TILE), 1, i % 8, TILE);
	for (uint32_t i = 0; i < WARPS * 64; i++)
		wants[i] = product(2, i % 64 / 8, 3, i % 8, 8);
	return is_f32("mma", c, want, WARPS * TILE * 8) && is_f64("mma of doubles", dc, wants, WARPS * 64);
}

static bool tensor(const struct workload_gpu *gpu)
{
	static struct matrices m;
	bool is_right;

	matrices_make(&m);
	is_right = tensor_wmma(gpu, &m) && tensor_mma(gpu, &m);
	for (uint32_t i = 0; i < 4; i++)
		WORKLOAD_CUDA(cuMemFree(m.on_device[i]));
	return is_right;
}

/* ---- the others ---- */

static bool copies(const struct workload_gpu *gpu)
{
	static float in[WORDS], want[THREADS];
	CUdeviceptr from, to = workload_device_alloc(sizeof(want));
	void *params[] = {&from, &to};

	for (uint32_t i = 0; i < WORDS; i++)
		in[i] = (float)(i * 13 % 1009);
	from = workload_device_copy(in, sizeof(in));
	launch(gpu, "copies", params);
	for (uint32_t t = 0; t < THREADS; t++)
		for (uint32_t k = 0; k < WORDS / STAGE; k++)
			for (uint32_t i = 0; i < 4; i++) {
				const uint32_t at = t % CTA_THREADS + i * CTA_THREADS + t / CTA_THREADS;

				want[t] += in[k * STAGE + at % STAGE];
			}
	WORKLOAD_CUDA(cuMemFree(from));
	return is_f32("copies", to, want, THREADS);
}

static bool doubles(const struct workload_gpu *gpu)
{
	static double in[WORDS], want[WORDS];
	float tiny = 0; /* no denormal: a run that flushes one on Duality Cache is not verified */
	CUdeviceptr from, to = workload_device_alloc(sizeof(want));
	void *params[] = {&from, &to, &tiny};

	for (uint32_t i = 0; i < WORDS; i++)
		in[i] = (double)workload_random_float(1, 3, i);
	from = workload_device_copy(in, sizeof(in));
	launch(gpu, "doubles", params);
	for (uint32_t i = 0; i < WORDS; i++) {
		double y = in[i];

		for (uint32_t k = 0; k < 6; k++)
			y = fma(y, in[i], 0.5) - in[i];
		want[i] = sqrt(y * y + 1.0) / (in[i] + 2.0) + (double)((float)y + tiny);
	}
	WORKLOAD_CUDA(cuMemFree(from));
	return is_f64("doubles", to, want, WORDS);
}

/* The words of shared memory hold i / 4 + i % 4. */
static float word(uint32_t i)
{
	return (float)(i / 4 + i % 4);
}

static float wide_sum(uint32_t t)
{
	float sum = 0;

	for (uint32_t k = 0; k < 4; k++) {
		const uint32_t p = t * (k + 1) % (SHARED_FLOATS / 2) * 2, q = (t * 2 + k) % (SHARED_FLOATS / 4) * 4;

		const uint32_t one = k * 2, same = (k + 8) * 4;

		sum += word(p) - word(p + 1) + word(one) - word(one + 1) + word(q) + word(q + 1) - word(q + 2) +
		       word(q + 3) + word(same) - word(same + 1) + word(same + 2) + word(same + 3);
	}
	return sum;
}

static bool wide(const struct workload_gpu *gpu)
{
	static float want[THREADS];
	CUdeviceptr to = workload_device_alloc(sizeof(want));
	void *params[] = {&to};

	launch(gpu, "wide", params);
	for (uint32_t t = 0; t < THREADS; t++)
		want[t] = wide_sum((t % CTA_THREADS + 1) % CTA_THREADS) + 1 + wide_sum(t % CTA_THREADS);
	return is_f32("wide", to, want, THREADS);
}

static uint32_t table_word(uint32_t i)
{
	return i % TABLE * 2654435761u;
}

static void table_fill(const struct workload_gpu *gpu)
{
	static uint32_t table[TABLE];
	CUdeviceptr at;
	size_t bytes;

	for (uint32_t i = 0; i < TABLE; i++)
		table[i] = table_word(i);
	WORKLOAD_CUDA(cuModuleGetGlobal(&at, &bytes, gpu->module, "table"));
	WORKLOAD_CUDA(cuMemcpyHtoD(at, table, sizeof(table)));
}

static bool constants(const struct workload_gpu *gpu)
{
	static uint32_t want[THREADS];
	CUdeviceptr to = workload_device_alloc(sizeof(want));
	void *params[] = {&to};

	table_fill(gpu);
	launch(gpu, "constants", params);
	for (uint32_t t = 0; t < THREADS; t++)
		for (uint32_t i = 0; i < 8; i++)
			want[t] += table_word(t / 32 * 129 + i * 300) + table_word(t + i * 500) +
				   table_word(t * 37 + i * 129);
	return is_u32("constants", to, want, THREADS);
}

/* Two arrays and what the kernel stream makes of them. */
struct streams {
	uint32_t a[STREAM_COUNT], b[STREAM_COUNT], want[STREAM_COUNT];
};

static void streams_make(struct streams *s)
{
	for (uint32_t i = 0; i < STREAM_COUNT; i++) {
		s->a[i] = i;
		s->b[i] = i % 37;
		s->want[i] = s->a[i] * s->b[i] + table_word(0) + table_word(2048);
	}
}

static bool marks(const struct workload_gpu *gpu)
{
	static uint32_t want[STREAM_COUNT], last[THREADS];
	unsigned int count = STREAM_COUNT;
	CUdeviceptr at[2] = {workload_device_alloc(sizeof(want)), workload_device_alloc(sizeof(last))};
	void *params[] = {&at[0], &at[1], &count};

	launch(gpu, "marks", params);
	for (uint32_t t = 0; t < THREADS; t++) {
		uint32_t x = t, y = 1, z = 2;

		for (uint32_t i = t; i < 4 * STREAM_COUNT; i += THREADS) { /* four rounds */
			want[i % STREAM_COUNT] = x;
			x = x * 5 + y;
			y += z;
			z ^= x;
		}
		last[t] = x ^ y ^ z;
	}
	return is_u32("marks", at[0], want, STREAM_COUNT) && is_u32("last", at[1], last, THREADS);
}

static bool stream(const struct workload_gpu *gpu)
{
	static struct streams s;
	unsigned int count = STREAM_COUNT;
	CUdeviceptr at[3];
	void *params[] = {&at[0], &at[1], &at[2], &count};

	table_fill(gpu);
	streams_make(&s);
	at[0] = workload_device_copy(s.a, sizeof(s.a));
	at[1] = workload_device_copy(s.b, sizeof(s.b));
	at[2] = workload_device_alloc(sizeof(s.want));
	launch(gpu, "stream", params);
	WORKLOAD_CUDA(cuMemFree(at[0]));
	WORKLOAD_CUDA(cuMemFree(at[1]));
	return is_u32("stream", at[2], s.want, STREAM_COUNT) && marks(gpu);
}

static void count_call(void *count)
{
	++*(uint32_t *)count;
}

/* Kernels and copies of two streams at a time, a function of the host's, and a copy within the host's memory. */
static bool together(const struct workload_gpu *gpu)
{
	static struct streams s;
	const CUfunction kernel = workload_gpu_kernel(gpu, "stream");
	unsigned int count = STREAM_COUNT;
	CUdeviceptr at[5];
	void *params[2][4] = {{&at[0], &at[1], &at[2], &count}, {&at[0], &at[1], &at[3], &count}};
	uint32_t *host[2], calls = 0;
	const uint32_t one_call = 1;
	CUstream streams[2];
	bool is_right;

	table_fill(gpu);
	streams_make(&s);
	at[0] = workload_device_copy(s.a, sizeof(s.a));
	at[1] = workload_device_copy(s.b, sizeof(s.b));
	for (uint32_t i = 2; i < 5; i++)
		at[i] = workload_device_alloc(sizeof(s.want));
	for (uint32_t i = 0; i < 2; i++) {
		WORKLOAD_CUDA(cuMemHostAlloc((void **)&host[i], sizeof(s.want), 0));
		WORKLOAD_CUDA(cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING));
	}
	memcpy(host[0], s.a, sizeof(s.a));
	for (uint32_t i = 0; i < 2; i++)
		WORKLOAD_CUDA(cuLaunchKernel(kernel, CTAS, 1, 1, CTA_THREADS, 1, 1, 0, streams[i], params[i], NULL));
	WORKLOAD_CUDA(cuMemcpyHtoDAsync(at[4], host[0], sizeof(s.a), streams[0]));
	WORKLOAD_CUDA(cuLaunchHostFunc(streams[1], count_call, &calls));
	WORKLOAD_CUDA(cuMemcpyAsync((CUdeviceptr)host[1], (CUdeviceptr)host[0], sizeof(s.a), streams[0]));
	WORKLOAD_CUDA(cuCtxSynchronize());
	is_right = workload_same_u32("host", host[1], s.a, STREAM_COUNT) &&
		   workload_same_u32("calls", &calls, &one_call, 1);
	for (uint32_t i = 0; i < 2; i++) {
		WORKLOAD_CUDA(cuMemFreeHost(host[i]));
		WORKLOAD_CUDA(cuStreamDestroy(streams[i]));
		WORKLOAD_CUDA(cuMemFree(at[i]));
	}
	is_right = is_right && is_u32("first", at[2], s.want, STREAM_COUNT);
	return is_right && is_u32("second", at[3], s.want, STREAM_COUNT) && is_u32("copy", at[4], s.a, STREAM_COUNT);
}

int main(int argc, char **argv)
{
	static bool (*const runs[])(const struct workload_gpu *) = {
	    NULL, atomics, textures, lanes, tensor, copies, doubles, wide, constants, stream, together};
	static const struct workload_about about = {"ops", "Atomics, textures and other kinds of instructions.",
						    "all of them", "the same"};
	static const struct workload_count counts[] = {
		{"only", "kernels of one kind", 0, 0, 0, sizeof(runs) / sizeof(runs[0]) - 1, 1, kinds},
	};
	const struct workload_options options = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct workload_gpu gpu = workload_gpu_open(ops_ptx);
	bool is_right = true;

	for (unsigned int i = 1; i < sizeof(runs) / sizeof(runs[0]); i++)
		if (!options.counts[0] || options.counts[0] == i)
			is_right = runs[i](&gpu) && is_right;
	workload_gpu_close(&gpu);
	return workload_finish(is_right, "%s", kinds[options.counts[0]]);
}
