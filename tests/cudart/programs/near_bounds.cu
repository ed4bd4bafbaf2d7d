/* Reads and writes a little behind an allocation, in the page that it ends in: what hardware tolerates. */
#include "program.h"

enum { COUNT = 1000, BEHIND = 3 };

__global__ void smooth(const float *in, float *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	/* Written for n + BEHIND elements. */
	if (i < n)
		out[i + BEHIND] = in[i] + in[i + 1] + in[i + BEHIND];
}

int main()
{
	static float host[COUNT];
	float *in, *out;

	for (int i = 0; i < COUNT; i++)
		host[i] = (float)i;
	OK(cudaMalloc(&in, COUNT * sizeof(float)));
	OK(cudaMalloc(&out, COUNT * sizeof(float)));
	OK(cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice));
	smooth<<<(COUNT + 127) / 128, 128>>>(in, out, COUNT);
	LAUNCHED();
	OK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
	for (int i = BEHIND; i < COUNT; i++)
		CHECK(host[i] == (float)(i - BEHIND) + (float)(i - BEHIND + 1) + (float)i);
	OK(cudaFree(in));
	OK(cudaFree(out));
	printf("near_bounds: verified\n");
	return 0;
}
