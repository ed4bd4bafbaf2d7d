#include <strata/kernel.h>

/* What the compiler may neither move nor leave out: clocks, loads that wait for each other, additions. */
static __device__ __forceinline__ unsigned long long clock_cycles(void)
{
	unsigned long long now;

	asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
	return now;
}

static __device__ __forceinline__ unsigned long long clock_ns(void)
{
	unsigned long long now;

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
	return now;
}

#define STEPS_8(step) step step step step step step step step
#define GLOBAL_STEP asm volatile("ld.global.u64 %0, [%0];" : "+l"(at)::"memory");
#define SHARED_STEP asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at)::"memory");

/* One thread, from a word to the word whose address it holds: `before` steps, then `steps` that are timed, of 8 each. */
extern "C" __global__ void hw_chase(unsigned long long begin, unsigned int before, unsigned int steps,
				    unsigned long long *out)
{
	unsigned long long at = begin, cycles, ns;

	for (unsigned int i = 0; i < before; i++) {
		STEPS_8(GLOBAL_STEP)
	}
	ns = clock_ns();
	cycles = clock_cycles();
	for (unsigned int i = 0; i < steps; i++) {
		STEPS_8(GLOBAL_STEP)
	}
	cycles = clock_cycles() - cycles;
	ns = clock_ns() - ns;
	out[0] = cycles;
	out[1] = ns;
	out[2] = at;
}

enum { SHARED_WORDS = 1024, SHARED_STRIDE = 33 };

/* The same in shared memory: 1024 words, each holds the address of the one 33 further on. */
extern "C" __global__ void hw_shared(unsigned int steps, unsigned long long *out)
{
	__shared__ unsigned int words[SHARED_WORDS];
	unsigned long long cycles, ns;
	unsigned int base, at;

	asm("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }" : "=r"(base) : "l"(words));
	for (unsigned int i = 0; i < SHARED_WORDS; i++)
		words[i] = base + 4 * ((i + SHARED_STRIDE) % SHARED_WORDS);
	at = base;
	ns = clock_ns();
	cycles = clock_cycles();
	for (unsigned int i = 0; i < steps; i++) {
		STEPS_8(SHARED_STEP)
	}
	cycles = clock_cycles() - cycles;
	ns = clock_ns() - ns;
	out[0] = cycles;
	out[1] = ns;
	out[2] = (at - base) / 4;
}

/* Additions of 1 to a thread's word, which is `stride` words from the one before; stride 0: all have the same. */
extern "C" __global__ void hw_atomics(unsigned int *words, unsigned int stride, unsigned int each)
{
	const unsigned long long thread = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
	unsigned int *word = words + thread * stride;

	for (unsigned int i = 0; i < each; i++)
		asm volatile("red.global.add.u32 [%0], 1;" ::"l"(word) : "memory");
}

/* As BabelStream has them: an element a thread. */
extern "C" __global__ void hw_copy(const double *a, double *c)
{
	const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;

	c[i] = a[i];
}

extern "C" __global__ void hw_triad(double *a, const double *b, const double *c, double scalar)
{
	const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;

	a[i] = b[i] + scalar * c[i];
}

extern "C" __global__ void hw_nothing(void)
{
}
