// Texture objects: lines of device memory, pitched rows, arrays of one to three dimensions and of layers, their
// addressing, filtering and normalisation.
#include <math.h>
#include <string.h>

#include "program.h"

enum { W = 24, H = 10, D = 4 };

__global__ void fetch_line(cudaTextureObject_t t, int n, int4 *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = tex1Dfetch<int4>(t, i);
}

__global__ void fetch_2d(cudaTextureObject_t t, int count, const float *x, const float *y, float *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		out[i] = tex2D<float>(t, x[i], y[i]);
}

__global__ void fetch_3d(cudaTextureObject_t t, float *out)
{
	out[(blockIdx.y * H + blockIdx.x) * W + threadIdx.x] =
		tex3D<float>(t, threadIdx.x + 0.5f, blockIdx.x + 0.5f, blockIdx.y + 0.5f);
}

__global__ void fetch_layers(cudaTextureObject_t t, uchar4 *out)
{
	out[(blockIdx.y * H + blockIdx.x) * W + threadIdx.x] =
		tex2DLayered<uchar4>(t, threadIdx.x + 0.5f, blockIdx.x + 0.5f, blockIdx.y);
}

__global__ void fetch_normalized(cudaTextureObject_t t, float *out)
{
	out[threadIdx.x] = tex1D<float>(t, threadIdx.x + 0.5f);
}

static cudaTextureDesc sampling(cudaTextureAddressMode address, cudaTextureFilterMode filter)
{
	cudaTextureDesc d;

	memset(&d, 0, sizeof(d));
	d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = address;
	d.filterMode = filter;
	d.readMode = cudaReadModeElementType;
	return d;
}

static cudaResourceDesc of_array(cudaArray_t array)
{
	cudaResourceDesc r;

	memset(&r, 0, sizeof(r));
	r.resType = cudaResourceTypeArray;
	r.res.array.array = array;
	return r;
}

static void test_line(void)
{
	enum { N = 100 };
	int4 *device, *out, host[N];
	cudaResourceDesc r;
	cudaTextureDesc d = sampling(cudaAddressModeClamp, cudaFilterModePoint);
	cudaTextureObject_t t;

	for (int i = 0; i < N; i++)
		host[i] = make_int4(i, -i, i * i, 7);
	OK(cudaMalloc(&device, sizeof(host)));
	OK(cudaMallocManaged(&out, sizeof(host)));
	OK(cudaMemcpy(device, host, sizeof(host), cudaMemcpyHostToDevice));
	memset(&r, 0, sizeof(r));
	r.resType = cudaResourceTypeLinear;
	r.res.linear.devPtr = device;
	r.res.linear.desc = cudaCreateChannelDesc<int4>();
	r.res.linear.sizeInBytes = sizeof(host);
	OK(cudaCreateTextureObject(&t, &r, &d, NULL));
	fetch_line<<<2, 64>>>(t, N, out);
	LAUNCHED();
	CHECK(!memcmp(out, host, sizeof(host)));

	cudaResourceDesc back;

	OK(cudaGetTextureObjectResourceDesc(&back, t));
	CHECK(back.resType == cudaResourceTypeLinear && back.res.linear.devPtr == device);
	CHECK(back.res.linear.desc.x == 32 && back.res.linear.desc.f == cudaChannelFormatKindSigned);
	OK(cudaDestroyTextureObject(t));
	OK(cudaFree(device));
	OK(cudaFree(out));
}

static float host_image[H][W];

static int clamp(int i, int n)
{
	return i < 0 ? 0 : i >= n ? n - 1 : i;
}

// Bilinear, with the edge repeated; the device's weights have eight bits of fraction.
static float bilinear(float x, float y)
{
	float fx = x - 0.5f, fy = y - 0.5f;
	int i = (int)floorf(fx), j = (int)floorf(fy);
	float a = fx - i, b = fy - j;

	return (1 - a) * (1 - b) * host_image[clamp(j, H)][clamp(i, W)] +
	       a * (1 - b) * host_image[clamp(j, H)][clamp(i + 1, W)] +
	       (1 - a) * b * host_image[clamp(j + 1, H)][clamp(i, W)] +
	       a * b * host_image[clamp(j + 1, H)][clamp(i + 1, W)];
}

static void test_2d(void)
{
	enum { N = 200 };
	float *x, *y, *out, *pitched;
	unsigned int state = 7;
	cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
	cudaArray_t array;
	cudaTextureObject_t t;
	cudaResourceDesc r;
	size_t pitch;

	OK(cudaMallocManaged(&x, N * sizeof(float)));
	OK(cudaMallocManaged(&y, N * sizeof(float)));
	OK(cudaMallocManaged(&out, N * sizeof(float)));
	for (int i = 0; i < N; i++) {
		x[i] = (next_random(&state) >> 8) * (1.4f * W / 16777216) - 0.2f * W;
		y[i] = (next_random(&state) >> 8) * (1.4f * H / 16777216) - 0.2f * H;
	}
	for (int j = 0; j < H; j++) {
		for (int i = 0; i < W; i++)
			host_image[j][i] = sinf(i * 0.3f) + j;
	}
	OK(cudaMallocArray(&array, &format, W, H));
	OK(cudaMemcpy2DToArray(array, 0, 0, host_image, sizeof(host_image[0]), sizeof(host_image[0]), H,
			       cudaMemcpyHostToDevice));
	r = of_array(array);

	cudaTextureDesc d = sampling(cudaAddressModeClamp, cudaFilterModePoint);

	OK(cudaCreateTextureObject(&t, &r, &d, NULL));
	fetch_2d<<<4, 64>>>(t, N, x, y, out);
	LAUNCHED();
	for (int i = 0; i < N; i++)
		CHECK(out[i] == host_image[clamp((int)floorf(y[i]), H)][clamp((int)floorf(x[i]), W)]);
	OK(cudaDestroyTextureObject(t));

	d.filterMode = cudaFilterModeLinear;
	OK(cudaCreateTextureObject(&t, &r, &d, NULL));
	fetch_2d<<<4, 64>>>(t, N, x, y, out);
	LAUNCHED();
	for (int i = 0; i < N; i++)
		CHECK(fabsf(out[i] - bilinear(x[i], y[i])) < 0.02f);
	OK(cudaDestroyTextureObject(t));

	/* Beyond the border there is nothing; with normalised coordinates the image goes on. */
	d = sampling(cudaAddressModeBorder, cudaFilterModePoint);
	OK(cudaCreateTextureObject(&t, &r, &d, NULL));
	fetch_2d<<<4, 64>>>(t, N, x, y, out);
	LAUNCHED();
	for (int i = 0; i < N; i++) {
		int u = (int)floorf(x[i]), v = (int)floorf(y[i]);

		CHECK(out[i] == (u >= 0 && u < W && v >= 0 && v < H ? host_image[v][u] : 0.0f));
	}
	OK(cudaDestroyTextureObject(t));
	d = sampling(cudaAddressModeWrap, cudaFilterModePoint);
	d.normalizedCoords = 1;
	OK(cudaCreateTextureObject(&t, &r, &d, NULL));
	for (int i = 0; i < N; i++) {
		x[i] = ((int)floorf(x[i]) + 0.5f) / W;
		y[i] = ((int)floorf(y[i]) + 0.5f) / H;
	}
	fetch_2d<<<4, 64>>>(t, N, x, y, out);
	LAUNCHED();
	for (int i = 0; i < N; i++) {
		int u = (int)floorf(x[i] * W), v = (int)floorf(y[i] * H);

		CHECK(out[i] == host_image[(v + 4 * H) % H][(u + 4 * W) % W]);
	}
	OK(cudaDestroyTextureObject(t));

	/* The same image in pitched memory. */
	OK(cudaMallocPitch(&pitched, &pitch, sizeof(host_image[0]), H));
	OK(cudaMemcpy2D(pitched, pitch, host_image, sizeof(host_image[0]), sizeof(host_image[0]), H,
			cudaMemcpyHostToDevice));
	memset(&r, 0, sizeof(r));
	r.resType = cudaResourceTypePitch2D;
	r.res.pitch2D.devPtr = pitched;
	r.res.pitch2D.desc = format;
	r.res.pitch2D.width = W;
	r.res.pitch2D.height = H;
	r.res.pitch2D.pitchInBytes = pitch;
	d = sampling(cudaAddressModeClamp, cudaFilterModePoint);
	OK(cudaCreateTextureObject(&t, &r, &d, NULL));
	for (int i = 0; i < N; i++) {
		x[i] = i % W + 0.25f;
		y[i] = i % H + 0.75f;
	}
	fetch_2d<<<4, 64>>>(t, N, x, y, out);
	LAUNCHED();
	for (int i = 0; i < N; i++)
		CHECK(out[i] == host_image[i % H][i % W]);
	OK(cudaDestroyTextureObject(t));
	OK(cudaFree(pitched));
	OK(cudaFreeArray(array));
}

static void test_3d(void)
{
	static float host[D][H][W];
	static uchar4 layers[D][H][W];
	cudaChannelFormatDesc format = cudaCreateChannelDesc<float>(), bytes = cudaCreateChannelDesc<uchar4>();
	cudaExtent extent = make_cudaExtent(W, H, D);
	cudaArray_t array;
	cudaTextureObject_t t;
	float *out;
	uchar4 *out4;
	cudaTextureDesc d = sampling(cudaAddressModeClamp, cudaFilterModePoint);

	for (int i = 0; i < W * H * D; i++) {
		(&host[0][0][0])[i] = i * 0.5f;
		(&layers[0][0][0])[i] = make_uchar4(i, i / 3, i / 5, i / 7);
	}
	OK(cudaMalloc3DArray(&array, &format, extent));

	cudaMemcpy3DParms p;

	memset(&p, 0, sizeof(p));
	p.srcPtr = make_cudaPitchedPtr(host, W * sizeof(float), W, H);
	p.dstArray = array;
	p.extent = extent;
	p.kind = cudaMemcpyHostToDevice;
	OK(cudaMemcpy3D(&p));

	cudaResourceDesc r = of_array(array);

	OK(cudaCreateTextureObject(&t, &r, &d, NULL));
	OK(cudaMallocManaged(&out, sizeof(host)));
	fetch_3d<<<dim3(H, D), W>>>(t, out);
	LAUNCHED();
	CHECK(!memcmp(out, host, sizeof(host)));
	OK(cudaDestroyTextureObject(t));
	OK(cudaFreeArray(array));

	OK(cudaMalloc3DArray(&array, &bytes, extent, cudaArrayLayered));
	p.srcPtr = make_cudaPitchedPtr(layers, W * sizeof(uchar4), W, H);
	p.dstArray = array;
	OK(cudaMemcpy3D(&p));
	r = of_array(array);
	OK(cudaCreateTextureObject(&t, &r, &d, NULL));
	OK(cudaMallocManaged(&out4, sizeof(layers)));
	fetch_layers<<<dim3(H, D), W>>>(t, out4);
	LAUNCHED();
	CHECK(!memcmp(out4, layers, sizeof(layers)));
	OK(cudaDestroyTextureObject(t));
	OK(cudaFreeArray(array));
	OK(cudaFree(out));
	OK(cudaFree(out4));
}

static void test_normalized(void)
{
	unsigned char host[32];
	float *out;
	cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned char>(), back;
	cudaTextureDesc d = sampling(cudaAddressModeClamp, cudaFilterModePoint);
	cudaArray_t array;
	cudaTextureObject_t t;

	for (int i = 0; i < 32; i++)
		host[i] = (unsigned char)(i * 8);
	OK(cudaMallocArray(&array, &format, 32));
	OK(cudaMemcpy2DToArray(array, 0, 0, host, 32, 32, 1, cudaMemcpyHostToDevice));
	d.readMode = cudaReadModeNormalizedFloat;

	cudaResourceDesc r = of_array(array);

	OK(cudaCreateTextureObject(&t, &r, &d, NULL));
	OK(cudaMallocManaged(&out, 32 * sizeof(float)));
	fetch_normalized<<<1, 32>>>(t, out);
	LAUNCHED();
	for (int i = 0; i < 32; i++)
		CHECK(fabsf(out[i] - i * 8 / 255.0f) < 1e-6f);
	OK(cudaDestroyTextureObject(t));

	/* Integers cannot be filtered, and this array is of bytes. */
	d.readMode = cudaReadModeElementType;
	d.filterMode = cudaFilterModeLinear;
	FAILS(cudaErrorInvalidFilterSetting, cudaCreateTextureObject(&t, &r, &d, NULL));
	OK(cudaGetChannelDesc(&back, array));
	CHECK(back.x == 8 && back.y == 0 && back.f == cudaChannelFormatKindUnsigned);
	OK(cudaFreeArray(array));
	OK(cudaFree(out));
}

int main()
{
	test_line();
	test_2d();
	test_3d();
	test_normalized();
	return 0;
}
