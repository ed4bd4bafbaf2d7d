// Bodies that attract each other: positions of a tile in shared memory, rsqrtf, vectors of four floats.
#include <math.h>
#include <string.h>

#include "program.h"

enum { BODIES = 128, TILE = 64, STEPS = 2 };
#define SOFTENING 0.01f

__device__ float3 attract(float4 me, float4 other, float3 sum)
{
	float x = other.x - me.x, y = other.y - me.y, z = other.z - me.z;
	float inverse = rsqrtf(x * x + y * y + z * z + SOFTENING), strength = other.w * inverse * inverse * inverse;

	sum.x += x * strength;
	sum.y += y * strength;
	sum.z += z * strength;
	return sum;
}

__global__ void step(const float4 *from, float4 *to, float4 *velocity, int n, float dt)
{
	__shared__ float4 tile[TILE];
	int i = blockIdx.x * TILE + threadIdx.x;
	float4 me = from[i], v = velocity[i];
	float3 sum = make_float3(0, 0, 0);

	for (int t = 0; t < n / TILE; t++) {
		tile[threadIdx.x] = from[t * TILE + threadIdx.x];
		__syncthreads();
		for (int k = 0; k < TILE; k++)
			sum = attract(me, tile[k], sum);
		__syncthreads();
	}
	v.x += sum.x * dt;
	v.y += sum.y * dt;
	v.z += sum.z * dt;
	velocity[i] = v;
	to[i] = make_float4(me.x + v.x * dt, me.y + v.y * dt, me.z + v.z * dt, me.w);
}

static void reference(double (*p)[4], double (*v)[3], double dt)
{
	double sums[BODIES][3];

	memset(sums, 0, sizeof(sums));
	for (int i = 0; i < BODIES; i++) {
		for (int k = 0; k < BODIES; k++) {
			double x = p[k][0] - p[i][0], y = p[k][1] - p[i][1], z = p[k][2] - p[i][2];
			double s = p[k][3] * pow(x * x + y * y + z * z + SOFTENING, -1.5);

			sums[i][0] += x * s;
			sums[i][1] += y * s;
			sums[i][2] += z * s;
		}
	}
	for (int i = 0; i < BODIES; i++) {
		for (int c = 0; c < 3; c++) {
			v[i][c] += sums[i][c] * dt;
			p[i][c] += v[i][c] * dt;
		}
	}
}

int main()
{
	static double p[BODIES][4], v[BODIES][3];
	float4 *from, *to, *velocity;
	unsigned int state = 11;
	const float dt = 0.01f;

	OK(cudaMallocManaged(&from, BODIES * sizeof(float4)));
	OK(cudaMallocManaged(&to, BODIES * sizeof(float4)));
	OK(cudaMallocManaged(&velocity, BODIES * sizeof(float4)));
	OK(cudaMemset(velocity, 0, BODIES * sizeof(float4)));
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < BODIES; i++) {
		float *x = &from[i].x;

		for (int c = 0; c < 4; c++)
			p[i][c] = x[c] = (next_random(&state) >> 8) / 16777216.0f;
	}
	for (int s = 0; s < STEPS; s++) {
		step<<<BODIES / TILE, TILE>>>(from, to, velocity, BODIES, dt);
		LAUNCHED();
		reference(p, v, dt);

		float4 *swap = from;

		from = to;
		to = swap;
	}
	for (int i = 0; i < BODIES; i++) {
		CHECK(fabs(from[i].x - p[i][0]) < 1e-4 && fabs(from[i].y - p[i][1]) < 1e-4);
		CHECK(fabs(from[i].z - p[i][2]) < 1e-4 && from[i].w == (float)p[i][3]);
	}
	return 0;
}
