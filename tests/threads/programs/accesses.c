/* accesses.c - accesses of every form to arrays of their own, and what a trace must have of each: lines
 * "expect FROM TO KIND SIZE COUNT" (SIZE 0: bytes in all, whatever the sizes), which the test holds against the trace.
 */
#include "check.h"

#include <immintrin.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define ALONE __attribute__((noinline))
#define AVX2 ALONE __attribute__((target("avx2,fma")))
#define AVX512 ALONE __attribute__((target("avx512f,avx512vl")))
enum { N = 96 };

struct big {
	char bytes[1000];
};
static struct arrays {
	char c[N];
	int64_t scalar[N];
	long double wide[N];
	double vector[4 * N], masked[4 * N], maskstore[4 * N], gather[4 * N], scatter[8 * N], wide512[8 * N],
	    masked512[8 * N];
	_Atomic int64_t atomic_a[N], rmw[N], cas[N];
	char prefetched[N * 64];
	struct big from, to, set, moved;
	char small_from[24], small_to[24], text[128], read_to[100];
} a __attribute__((aligned(64)));

static void expect_named(const void *from, size_t size, const char *kind, int bytes, long count)
{
	printf("expect 0x%lx 0x%lx %s %d %ld\n", (unsigned long)from, (unsigned long)from + size, kind, bytes, count);
}
#define expect(what, kind, bytes, count) expect_named(&(what), sizeof(what), kind, bytes, count)

static volatile double sink;
static volatile int64_t isink;

ALONE static void scalars(void)
{
	for (int i = 0; i < N; i++)
		*(volatile char *)&a.c[i] = (char)i;
	for (int i = 0; i < N; i++)
		*(volatile int64_t *)&a.scalar[i] += 1;
	for (int i = 0; i < N; i++)
		*(volatile long double *)&a.wide[i] = 1;
}

AVX2 static void vectors(void)
{
	const __m256i half = _mm256_set_epi64x(0, -1, -1, 0), ends = _mm256_set_epi64x(-1, 0, 0, -1);
	__m256d sum = _mm256_setzero_pd();

	for (int i = 0; i < N; i++)
		sum = _mm256_add_pd(sum, _mm256_loadu_pd(&a.vector[4 * i]));
	for (int i = 0; i < N; i++)
		sum = _mm256_add_pd(sum, _mm256_maskload_pd(&a.masked[4 * i], half));
	for (int i = 0; i < N; i++)
		_mm256_maskstore_pd(&a.maskstore[4 * i], ends, sum);
	for (int i = 0; i < N; i++)
		sum = _mm256_add_pd(
		    sum, _mm256_i64gather_pd(a.gather, _mm256_set_epi64x(i, i + N, i + 2 * N, i + 3 * N), 8));
	sink = sum[0] + sum[3];
}

AVX512 static void vectors512(void)
{
	__m512d sum = _mm512_setzero_pd();

	for (int i = 0; i < N; i++)
		sum = _mm512_add_pd(sum, _mm512_loadu_pd(&a.wide512[8 * i]));
	for (int i = 0; i < N; i++)
		_mm512_mask_storeu_pd(&a.masked512[8 * i], 0x3c, sum);
	for (int i = 0; i < N; i++)
		_mm512_mask_i64scatter_pd(a.scatter, 0x0f, _mm512_set_epi64(0, 0, 0, 0, i, i + N, i + 2 * N, i + 3 * N),
					  sum, 8);
	sink = sum[0] + sum[7];
}

ALONE static void atomics(void)
{
	for (int i = 0; i < N; i++) {
		atomic_store_explicit(&a.atomic_a[i], i, memory_order_release);
		isink += atomic_load(&a.atomic_a[i]);
		atomic_fetch_add(&a.rmw[i], 1);
		atomic_compare_exchange_strong(&a.cas[i], &(int64_t){0}, 1);
	}
}

ALONE static void memory(size_t n)
{
	for (int i = 0; i < N; i++)
		__builtin_prefetch(&a.prefetched[i * 64]);
	memcpy(&a.to, &a.from, n);
	memset(&a.set, 7, n);
	memmove((char *)&a.moved + 8, &a.moved, n - 8);
	memcpy(a.small_to, a.small_from, sizeof(a.small_to));
	__asm__ volatile("" ::"r"(a.small_to) : "memory");
	isink += (int64_t)strlen(a.text);
}

int main(void)
{
	int ends[2];

	memset(a.text, 0, sizeof(a.text)); /* before: what follows is counted by kind */
	for (int i = 0; i < 99; i++)
		*(volatile char *)&a.text[i] = 'x';
	scalars();
	atomics();
	memory(sizeof(struct big));
	EXPECT(!pipe(ends) && write(ends[1], "0123456789", 10) == 10 && read(ends[0], a.read_to, 100) == 10);
	expect(a.c, "write", 1, N);
	expect(a.scalar, "read", 8, N);
	expect(a.scalar, "write", 8, N);
	expect(a.wide, "write", 0, 10 * N);
	expect(a.atomic_a, "atomic-write", 8, N);
	expect(a.atomic_a, "atomic-read", 8, N);
	expect(a.rmw, "rmw", 8, N);
	expect(a.cas, "cmpxchg", 8, N);
	expect(a.prefetched, "prefetch", 1, N);
	expect(a.from, "read", 0, sizeof(a.from));
	expect(a.to, "write", 0, sizeof(a.to));
	expect(a.set, "write", 0, sizeof(a.set));
	expect(a.moved, "read", 0, sizeof(a.moved) - 8);
	expect(a.moved, "write", 0, sizeof(a.moved) - 8);
	expect(a.small_from, "read", 0, 24);
	expect(a.small_to, "write", 0, 24);
	expect(a.text, "read", 1, 100);
	expect(a.read_to, "write", 16, 1);
	if (__builtin_cpu_supports("avx2")) {
		vectors();
		expect(a.vector, "read", 32, N);
		expect(a.masked, "read", 16, N);
		expect(a.maskstore, "write", 8, 2 * N);
		expect(a.gather, "read", 8, 4 * N);
	}
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")) {
		vectors512();
		expect(a.wide512, "read", 64, N);
		expect(a.masked512, "write", 32, N);
		expect(a.scatter, "write", 8, 4 * N);
	}
	return 0;
}
