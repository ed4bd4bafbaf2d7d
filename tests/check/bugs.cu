/* bugs.cu - kernels with one mistake each. A line that ends in "BUG KIND COUNT" is where strata check must find KIND,
 * COUNT times, and nothing else; kernels named right_* have none. bugs.ptx is this file compiled by tests/check/build-ptx. */
#include "strata/kernel.h"

typedef unsigned int u32;

extern "C" __device__ void *malloc(unsigned long);
extern "C" __device__ void free(void *);

/* ---- out of bounds: out has 100 words ---- */

extern "C" __global__ void write_past(u32 *out)
{
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;

	out[i] = i; /* BUG out-of-bounds 28 */
}

extern "C" __global__ void read_before(u32 *out)
{
	u32 i = threadIdx.x;

	if (i < 100)
		out[i] = out[(int)i - 1]; /* BUG out-of-bounds 1 */
}

extern "C" __global__ void read_far(u32 *out)
{
	out[0] = out[1u << 24]; /* BUG out-of-bounds 128 */
}

extern "C" __global__ void wide_past(u32 *out)
{
	asm volatile("st.global.v4.u32 [%0], {1, 1, 1, 1};" ::"l"(out + 96 + 4 * (threadIdx.x & 1))); /* BUG out-of-bounds 64 */
}

extern "C" __global__ void atomic_past(u32 *out)
{
	asm volatile("red.global.add.u32 [%0], 1;" ::"l"(out + 100)); /* BUG out-of-bounds 128 */
}

extern "C" __global__ void shared_past(u32 *out)
{
	__shared__ u32 s[100];

	s[threadIdx.x] = threadIdx.x; /* BUG out-of-bounds 28 */
	__syncthreads();
	out[0] = s[99];
}

static __device__ __noinline__ void put(u32 *p, u32 v)
{
	*p = v; /* BUG out-of-bounds 1 */
}

extern "C" __global__ void shared_past_in_call(u32 *out)
{
	__shared__ u32 s[64];

	if (threadIdx.x < 65)
		put(&s[threadIdx.x], 7);
	__syncthreads();
	out[0] = s[3];
}

extern "C" __global__ void local_past(u32 *out, u32 n)
{
	volatile u32 local[8];

	for (u32 i = 0; i < 8; i++)
		local[i] = i;
	local[n + threadIdx.x] = 1; /* BUG out-of-bounds 124 */
	if (threadIdx.x < 100)
		out[threadIdx.x] = local[7];
}

extern "C" __global__ void heap_past(u32 *out)
{
	if (threadIdx.x)
		return;
	u32 *p = (u32 *)malloc(40);

	p[10] = 1; /* BUG out-of-bounds 1 */
	out[0] = (u32)(unsigned long)p;
	free(p);
}

extern "C" __global__ void heap_freed(u32 *out)
{
	if (threadIdx.x)
		return;
	volatile u32 *p = (u32 *)malloc(40);

	p[0] = 1;
	free((void *)p);
	out[0] = p[0]; /* BUG out-of-bounds 1 */
}

extern "C" __global__ void use_freed(u32 *out)
{
	out[threadIdx.x % 100] = 1; /* BUG use-after-free 128 */
}

/* ---- misaligned ---- */

extern "C" __global__ void misaligned(u32 *out)
{
	*(volatile u32 *)((volatile char *)out + 4 * (threadIdx.x % 50) + 1) = 5; /* BUG misaligned 128 */
}

extern "C" __global__ void misaligned_vector(u32 *out)
{
	asm volatile("st.global.v4.u32 [%0], {1, 1, 1, 1};" ::"l"(out + threadIdx.x % 2)); /* BUG misaligned 64 */
}

/* ---- nobody wrote it ---- */

extern "C" __global__ void unwritten(u32 *out)
{
	u32 v = out[threadIdx.x % 64]; /* BUG uninitialised 128 */

	out[64] = v;
}

/* The host wrote three bytes of each word. */
extern "C" __global__ void unwritten_byte(u32 *out)
{
	if (threadIdx.x < 25)
		out[threadIdx.x] += 1; /* BUG uninitialised 25 */
}

extern "C" __global__ void unwritten_shared(u32 *out)
{
	__shared__ u32 s[128];

	if (threadIdx.x < 64)
		s[threadIdx.x] = 1;
	__syncthreads();
	if (s[threadIdx.x]) /* BUG uninitialised 64 */
		out[0] = 1;
}

/* ---- races ---- */

extern "C" __global__ void race_read(u32 *out)
{
	__shared__ u32 s[128];

	s[threadIdx.x] = threadIdx.x; /* BUG race 128 */
	out[threadIdx.x % 100] = s[127 - threadIdx.x]; /* BUG uninitialised 64 */
}

extern "C" __global__ void race_after_read(u32 *out)
{
	__shared__ u32 s[128];

	s[threadIdx.x] = threadIdx.x;
	__syncthreads();
	u32 v = s[127 - threadIdx.x]; /* BUG race 128 */

	s[threadIdx.x] = v;
	__syncthreads();
	out[threadIdx.x % 100] = s[threadIdx.x];
}

extern "C" __global__ void race_writes(u32 *out)
{
	__shared__ u32 s[32];

	s[threadIdx.x % 32] = threadIdx.x; /* BUG race 96 */
	__syncthreads();
	if (threadIdx.x < 32)
		out[threadIdx.x] = s[threadIdx.x];
}

extern "C" __global__ void race_in_instruction(u32 *out)
{
	__shared__ u32 s;

	if (threadIdx.x < 32)
		s = threadIdx.x; /* BUG race 31 */
	__syncthreads();
	out[0] = s;
}

extern "C" __global__ void race_in_warp(u32 *out)
{
	__shared__ u32 s[32];

	if (threadIdx.x >= 32)
		return;
	s[threadIdx.x] = threadIdx.x;
	out[threadIdx.x] = s[31 - threadIdx.x]; /* BUG race 32 */
}

extern "C" __global__ void race_bytes(u32 *out)
{
	__shared__ unsigned char s[128];

	s[threadIdx.x] = (unsigned char)threadIdx.x; /* BUG race 128 */
	out[threadIdx.x % 100] = s[127 - threadIdx.x]; /* BUG uninitialised 64 */
}

extern "C" __global__ void race_atomic(u32 *out)
{
	__shared__ u32 s;

	if (threadIdx.x == 0)
		s = 0;
	__syncthreads();
	asm volatile("{.reg .u64 a; cvta.to.shared.u64 a, %0; red.shared.add.u32 [a], 1;}" ::"l"(&s) : "memory"); /* BUG race 96 */
	if (threadIdx.x == 127)
		out[0] = s;
}

/* Without a fence the lock orders nothing. */
extern "C" __global__ void race_lock(u32 *out)
{
	__shared__ u32 lock, sum;

	if (threadIdx.x == 0)
		lock = sum = 0;
	__syncthreads();
	if (threadIdx.x % 32 == 0) {
		while (atomicExch((int *)&lock, 1))
			;
		sum += 1; /* BUG race 6 race 3 */
		atomicExch((int *)&lock, 0);
	}
	__syncthreads();
	out[0] = sum;
}

/* ---- control ---- */

extern "C" __global__ void divergent_barrier(u32 *out)
{
	if (threadIdx.x < 16) {
		__syncthreads();
		out[1] = 2;
	} else {
		out[2] = 3;
	}
	__syncthreads(); /* BUG barrier 1 */
	out[0] = 1;
}

extern "C" __global__ void trapped(u32 *out)
{
	if (threadIdx.x == 5 && out[0] != 77)
		asm volatile("trap;"); /* the text has the line */
}

/* ---- nothing wrong ---- */

extern "C" __global__ void right_reduction(u32 *out)
{
	__shared__ u32 s[128];
	u32 t = threadIdx.x;

	s[t] = out[t % 100];
	__syncthreads();
	for (u32 half = 64; half; half /= 2) {
		if (t < half)
			s[t] += s[t + half];
		__syncthreads();
	}
	if (!t)
		out[0] = s[0];
}

extern "C" __global__ void right_warp(u32 *out)
{
	__shared__ volatile u32 s[128];
	u32 t = threadIdx.x;

	s[t] = out[t % 100];
	__syncwarp();
	u32 v = s[t ^ 1];

	__syncwarp();
	s[t] = v;
	__syncwarp();
	out[t % 100] = s[t ^ 3];
}

extern "C" __global__ void right_lock(u32 *out)
{
	__shared__ u32 lock, sum;

	if (threadIdx.x == 0)
		lock = sum = 0;
	__syncthreads();
	if (threadIdx.x % 32 == 0) {
		while (atomicExch((int *)&lock, 1))
			;
		__threadfence_block();
		sum += 1;
		__threadfence_block();
		atomicExch((int *)&lock, 0);
	}
	__syncthreads();
	out[0] = sum;
}

/* Warps 0 and 1 fill, warps 2 and 3 take: named barriers with arrive. */
extern "C" __global__ void right_named(u32 *out)
{
	__shared__ u32 s[64];
	u32 t = threadIdx.x;

	for (u32 round = 0; round < 3; round++) {
		if (t < 64) {
			if (round)
				asm volatile("bar.sync 2, 128;" ::: "memory");
			s[t] = t + round;
			asm volatile("bar.arrive 1, 128;" ::: "memory");
		} else {
			asm volatile("bar.sync 1, 128;" ::: "memory");
			out[t - 64] = s[127 - t];
			if (round < 2)
				asm volatile("bar.arrive 2, 128;" ::: "memory");
		}
	}
}

/* All write the same. */
extern "C" __global__ void right_flag(u32 *out)
{
	__shared__ u32 flag;

	if (threadIdx.x == 0)
		flag = 0;
	__syncthreads();
	if (threadIdx.x & 1)
		flag = 1;
	__syncthreads();
	out[0] = flag;
}

extern "C" __global__ void right_bytes(u32 *out)
{
	__shared__ unsigned char s[128];

	s[threadIdx.x] = (unsigned char)threadIdx.x;
	__syncthreads();
	out[threadIdx.x % 100] = s[127 - threadIdx.x];
}

/* Half of the warps leave early. */
extern "C" __global__ void right_exit(u32 *out)
{
	__shared__ u32 s[128];

	s[threadIdx.x] = threadIdx.x;
	if (threadIdx.x >= 64)
		return;
	__syncthreads();
	out[threadIdx.x] = s[127 - threadIdx.x];
}

/* Lane 0 polls and comes to the barrier after the other lanes of its warp. */
extern "C" __global__ void right_poll(u32 *out)
{
	__shared__ u32 flag;

	if (threadIdx.x == 0)
		flag = 0;
	__syncthreads();
	if (threadIdx.x == 64)
		atomicExch((int *)&flag, 1);
	if (threadIdx.x == 0)
		while (!atomicAdd(&flag, 0))
			;
	__syncthreads();
	out[0] = flag;
}

/* ---- lanes that do not take part ---- */

/* Lanes 0 to 7 read lanes 8 to 15, which are not there. */
extern "C" __global__ void absent_source(u32 *out)
{
	u32 i = threadIdx.x, v = i;

	if (i < 8) {
		asm volatile("shfl.sync.down.b32 %0, %1, 8, 31, 0xff;" : "=r"(v) : "r"(i)); /* BUG warp-sync 8 */
		out[i] = v;
	}
}

extern "C" __global__ void unnamed_lanes(u32 *out)
{
	u32 v;

	asm volatile("{.reg .pred p; setp.eq.u32 p, %1, 3; vote.sync.ballot.b32 %0, p, 0xff;}" : "=r"(v) : "r"(threadIdx.x)); /* BUG warp-sync 96 */
	if (threadIdx.x < 8)
		out[threadIdx.x] = v;
}

/* ---- between CTAs: four of 128 threads ---- */

/* CTA 1 writes what CTA 0 writes, too, and so on. */
extern "C" __global__ void ctas_write(u32 *out)
{
	if (threadIdx.x < 3)
		out[threadIdx.x] = blockIdx.x * 10 + 7; /* BUG race 9 */
}

/* CTA 0 says by a flag that there is something; the others may look before. */
extern "C" __global__ void ctas_flag(u32 *out)
{
	if (blockIdx.x == 0 && threadIdx.x == 0)
		out[0] = 1;
	if (out[0] && blockIdx.x && threadIdx.x == 0) /* BUG race 384 */
		out[blockIdx.x] = 1;
}

/* CTAs read what one after them writes. */
extern "C" __global__ void ctas_after_read(u32 *out)
{
	u32 v = out[threadIdx.x % 32];

	if (threadIdx.x == 0)
		out[40 + blockIdx.x] = v;
	if (blockIdx.x == 3 && threadIdx.x < 32)
		out[threadIdx.x] = v + 1; /* BUG race 32 */
}

/* The last CTA sums up what the others wrote; no fence says that it is there. */
extern "C" __global__ void ctas_last(u32 *out)
{
	__shared__ u32 is_last;

	if (threadIdx.x == 0) {
		out[blockIdx.x] = blockIdx.x + 1;
		is_last = atomicAdd((int *)out + 99, 1) == 3;
	}
	__syncthreads();
	if (is_last && threadIdx.x < 4)
		out[10 + threadIdx.x] = out[threadIdx.x]; /* BUG race 3 */
}

/* A fence for threads of the CTA orders no other one. */
extern "C" __global__ void ctas_last_block_fence(u32 *out)
{
	__shared__ u32 is_last;

	if (threadIdx.x == 0) {
		out[blockIdx.x] = blockIdx.x + 1;
		__threadfence_block();
		is_last = atomicAdd((int *)out + 99, 1) == 3;
	}
	__syncthreads();
	if (is_last && threadIdx.x < 4)
		out[10 + threadIdx.x] = out[threadIdx.x]; /* BUG race 3 */
}

/* The fence comes from a warp that has not waited for those that write. */
extern "C" __global__ void ctas_last_no_barrier(u32 *out)
{
	__shared__ u32 is_last;

	if (threadIdx.x % 32 == 31)
		out[4 * blockIdx.x + threadIdx.x / 32] = blockIdx.x + 1;
	if (threadIdx.x == 0) {
		__threadfence();
		is_last = atomicAdd((int *)out + 99, 1) == 3;
	}
	__syncthreads();
	if (is_last && threadIdx.x < 16)
		out[20 + threadIdx.x] = out[threadIdx.x]; /* BUG race 9 */
}

extern "C" __global__ void ctas_bytes(unsigned char *out)
{
	out[(blockIdx.x * 128 + threadIdx.x) % 399] = (unsigned char)(blockIdx.x + 1); /* BUG race 113 */
}

/* Others count while one reads plainly. */
extern "C" __global__ void ctas_count(u32 *out)
{
	if (threadIdx.x)
		return;
	if (blockIdx.x != 1)
		atomicAdd((int *)out, 1);
	else
		out[1] = out[0]; /* BUG race 3 */
}

/* Each its own, shared ones read, the same value, a value that is there: none is a race. */
extern "C" __global__ void right_ctas(u32 *out)
{
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i % 8 == 0)
		out[i / 8] = out[80] + i;
	out[90] = 5;
	if (out[90] == 5)
		out[91] = out[92];
}

extern "C" __global__ void right_ctas_bytes(unsigned char *out)
{
	if (threadIdx.x < 100)
		out[4 * threadIdx.x + blockIdx.x] = (unsigned char)(blockIdx.x + 1);
}

extern "C" __global__ void right_ctas_last(u32 *out)
{
	__shared__ u32 is_last;

	if (threadIdx.x % 32 == 31)
		out[4 * blockIdx.x + threadIdx.x / 32] = blockIdx.x + 1;
	__syncthreads();
	if (threadIdx.x == 0) {
		__threadfence();
		is_last = atomicAdd((int *)out + 99, 1) == 3;
	}
	__syncthreads();
	if (!is_last)
		return;
	if (threadIdx.x < 16)
		out[20 + threadIdx.x] = out[threadIdx.x];
	if (threadIdx.x == 0)
		out[99] = 0;
}

/* A barrier of the grid: a counter, polled. */
static __device__ void grid_barrier(u32 *count, u32 wanted)
{
	__syncthreads();
	if (threadIdx.x == 0) {
		__threadfence();
		atomicAdd((int *)count, 1);
		while (*(volatile u32 *)count < wanted)
			;
		__threadfence();
	}
	__syncthreads();
}

extern "C" __global__ void right_ctas_barrier(u32 *out)
{
	u32 i = threadIdx.x;

	for (u32 round = 1; round <= 3; round++) {
		if (i < 16)
			out[16 * blockIdx.x + i] = round;
		grid_barrier(out + 99, 8 * round - 4);
		u32 v = out[16 * ((blockIdx.x + round) % 4) + i % 16];

		grid_barrier(out + 99, 8 * round);
		if (i < 16)
			out[16 * blockIdx.x + i] = v;
	}
}

/* From CTA to CTA, with what the former ones hand on: release and acquire. */
extern "C" __global__ void right_ctas_chain(u32 *out)
{
	u32 flag = 1;

	if (threadIdx.x)
		return;
	if (blockIdx.x)
		do
			asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(flag) : "l"(out + 90 + blockIdx.x - 1) : "memory");
		while (!flag);
	u32 sum = 1;

	for (u32 i = 0; i < blockIdx.x; i++)
		sum += out[i];
	out[blockIdx.x] = sum;
	asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(out + 90 + blockIdx.x) : "memory");
}

/* The first read of a loop around compare-and-swap is a plain one. */
extern "C" __global__ void right_ctas_swap(u32 *out)
{
	int old = (int)out[0], assumed;

	do {
		assumed = old;
		asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;" : "=r"(old) : "l"(out), "r"(assumed), "r"(assumed + 3) : "memory");
	} while (old != assumed);
}

/* In place: a CTA has read its part when it says so, and only then do others write there. */
extern "C" __global__ void right_ctas_in_place(u32 *out)
{
	u32 v = out[16 * blockIdx.x + threadIdx.x % 16];

	__syncthreads();
	if (threadIdx.x == 0) {
		while (blockIdx.x && !*(volatile u32 *)(out + 90 + blockIdx.x - 1))
			;
		*(volatile u32 *)(out + 90 + blockIdx.x) = v + 1;
	}
	__syncthreads();
	if (blockIdx.x && threadIdx.x < 16)
		out[16 * (blockIdx.x - 1) + threadIdx.x] = v + 1;
}

/* The lock is given back by a plain store behind a fence. */
extern "C" __global__ void right_ctas_lock(u32 *out)
{
	if (threadIdx.x)
		return;
	while (atomicExch((int *)out + 99, 1))
		;
	__threadfence();
	out[0] += 3;
	__threadfence();
	out[99] = 0;
}

/* Without a fence it guards nothing. */
extern "C" __global__ void ctas_lock(u32 *out)
{
	if (threadIdx.x)
		return;
	while (atomicExch((int *)out + 99, 1))
		;
	out[0] += 3; /* BUG race 3 race 3 */
	atomicExch((int *)out + 99, 0);
}
