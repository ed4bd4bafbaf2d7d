// Every kind of memory, from host and device: plain, pinned, mapped, registered, managed, pitched, in three dimensions.
#include <string.h>

#include "program.h"

enum { N = 1000 };

__global__ void add_one(int *p, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		p[i] += 1;
}

__global__ void fill_volume(cudaPitchedPtr p, int height)
{
	char *row = (char *)p.ptr + (blockIdx.y * height + blockIdx.x) * p.pitch;

	((int *)row)[threadIdx.x] = threadIdx.x + 100 * blockIdx.x + 10000 * blockIdx.y;
}

static cudaPointerAttributes attributes(const void *pointer)
{
	cudaPointerAttributes a;

	OK(cudaPointerGetAttributes(&a, pointer));
	return a;
}

static void run(int *device, const int *host)
{
	add_one<<<(N + 127) / 128, 128>>>(device, N);
	LAUNCHED();
	for (int i = 0; host && i < N; i++)
		CHECK(host[i] == i + 1);
}

static void count(int *p)
{
	for (int i = 0; i < N; i++)
		p[i] = i;
}

int main()
{
	static int own[N], back[N];
	size_t free_before, free_during, total;
	int *device, *pinned, *mapped, *managed;
	unsigned int flags = 0;

	OK(cudaMemGetInfo(&free_before, &total));
	OK(cudaMalloc(&device, N * sizeof(int)));
	OK(cudaMemGetInfo(&free_during, &total));
	CHECK(free_during + N * sizeof(int) <= free_before);
	count(own);
	OK(cudaMemcpy(device, own, sizeof(own), cudaMemcpyHostToDevice));
	run(device, NULL);
	OK(cudaMemcpy(back, device, sizeof(back), cudaMemcpyDeviceToHost));
	for (int i = 0; i < N; i++)
		CHECK(back[i] == i + 1);
	CHECK(attributes(device + 5).type == cudaMemoryTypeDevice && attributes(device + 5).devicePointer == device + 5);
	CHECK(attributes(own).type == cudaMemoryTypeUnregistered);

	OK(cudaMallocHost(&pinned, N * sizeof(int)));
	CHECK(attributes(pinned).type == cudaMemoryTypeHost && attributes(pinned).hostPointer == pinned);
	count(pinned);
	OK(cudaMemcpyAsync(device, pinned, N * sizeof(int), cudaMemcpyHostToDevice, 0));
	run(device, NULL);
	OK(cudaFreeHost(pinned));

	OK(cudaHostAlloc(&mapped, N * sizeof(int), cudaHostAllocMapped | cudaHostAllocPortable));
	OK(cudaHostGetFlags(&flags, mapped));
	CHECK(flags & cudaHostAllocMapped);
	OK(cudaHostGetDevicePointer(&pinned, mapped, 0));
	count(mapped);
	run(pinned, mapped);
	OK(cudaFreeHost(mapped));

	OK(cudaHostRegister(own, sizeof(own), cudaHostRegisterMapped));
	FAILS(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(own, sizeof(own), cudaHostRegisterDefault));
	OK(cudaHostGetDevicePointer(&pinned, own, 0));
	count(own);
	run(pinned, own);
	OK(cudaHostUnregister(own));
	FAILS(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(own));

	OK(cudaMallocManaged(&managed, N * sizeof(int)));
	CHECK(attributes(managed).type == cudaMemoryTypeManaged);
	count(managed);
#if CUDART_VERSION >= 13000
	cudaMemLocation here = {cudaMemLocationTypeDevice, 0};

	OK(cudaMemAdvise(managed, N * sizeof(int), cudaMemAdviseSetReadMostly, here));
	OK(cudaMemPrefetchAsync(managed, N * sizeof(int), here, 0, 0));
#else
	OK(cudaMemAdvise(managed, N * sizeof(int), cudaMemAdviseSetReadMostly, 0));
	OK(cudaMemPrefetchAsync(managed, N * sizeof(int), 0, 0));
#endif
	OK(cudaMemRangeGetAttribute(&flags, sizeof(flags), cudaMemRangeAttributeReadMostly, managed, N * sizeof(int)));
	CHECK(flags == 1);
	run(managed, managed);
	OK(cudaFree(managed));

	size_t pitch = 0;

	OK(cudaMallocPitch(&managed, &pitch, 100 * sizeof(int), 7));
	CHECK(pitch >= 100 * sizeof(int) && pitch % 256 == 0);
	OK(cudaFree(managed));

	enum { W = 20, H = 6, D = 3 };
	static int volume[D][H][W];
	cudaPitchedPtr p;
	cudaMemcpy3DParms copy;

	OK(cudaMalloc3D(&p, make_cudaExtent(W * sizeof(int), H, D)));
	CHECK(p.pitch >= W * sizeof(int) && p.xsize == W * sizeof(int) && p.ysize == H);
	fill_volume<<<dim3(H, D), W>>>(p, H);
	LAUNCHED();
	memset(&copy, 0, sizeof(copy));
	copy.srcPtr = p;
	copy.dstPtr = make_cudaPitchedPtr(volume, W * sizeof(int), W, H);
	copy.extent = make_cudaExtent(W * sizeof(int), H, D);
	copy.kind = cudaMemcpyDeviceToHost;
	OK(cudaMemcpy3D(&copy));
	for (int i = 0; i < W * H * D; i++)
		CHECK((&volume[0][0][0])[i] == i % W + 100 * (i / W % H) + 10000 * (i / W / H));
	OK(cudaFree(p.ptr));

	OK(cudaFree(device));
	OK(cudaFree(NULL));
	OK(cudaMemGetInfo(&free_during, &total));
	CHECK(free_during == free_before);
	FAILS(cudaErrorInvalidValue, cudaFree(device));
	FAILS(cudaErrorMemoryAllocation, cudaMalloc(&device, (size_t)1 << 60));
	return 0;
}
