/* openmp.c - OpenMP as clang compiles it: each construct does what the specification says. */
#include "check.h"

#include <omp.h>
#include <string.h>

enum { N = 1000 };
static int seen[N];
static int mine;
#pragma omp threadprivate(mine)

static void clear(void)
{
	memset(seen, 0, sizeof(seen));
}

static void expect_each_once(void)
{
	for (int i = 0; i < N; i++)
		EXPECT(seen[i] == 1);
	clear();
}

static void regions(void)
{
	int count = 0, bits = 0;

#pragma omp parallel num_threads(3)
	{
#pragma omp atomic
		count++;
#pragma omp atomic
		bits |= 1 << omp_get_thread_num();
		EXPECT(omp_get_num_threads() == 3 && omp_in_parallel() && omp_get_level() == 1);
	}
	EXPECT(count == 3 && bits == 7 && !omp_in_parallel() && omp_get_level() == 0);
	count = 0;
#pragma omp parallel if (count) reduction(+ : count)
	count += omp_get_num_threads();
	EXPECT(count == 1);
}

static void loops(void)
{
#define EACH(clauses)                                \
	_Pragma(clauses) for (int i = 0; i < N; i++) \
	{                                            \
		_Pragma("omp atomic") seen[i]++;     \
	}                                            \
	expect_each_once();
	EACH("omp parallel for")
	EACH("omp parallel for schedule(static, 7)")
	EACH("omp parallel for schedule(static, 1) num_threads(5)")
	EACH("omp parallel for schedule(dynamic)")
	EACH("omp parallel for schedule(dynamic, 13)")
	EACH("omp parallel for schedule(guided)")
	EACH("omp parallel for schedule(guided, 9)")
	EACH("omp parallel for schedule(auto)")
	EACH("omp parallel for schedule(monotonic : dynamic, 3)")
	for (int k = 1; k <= 4; k++) {
		omp_set_schedule((omp_sched_t)k, k * 3);
		EACH("omp parallel for schedule(runtime)")
	}
	/* other types, directions and steps; and no iterations */
	long sum = 0;
#pragma omp parallel for schedule(dynamic, 2) reduction(+ : sum)
	for (unsigned long i = 10; i > 3; i -= 2)
		sum += (long)i;
	EXPECT(sum == 10 + 8 + 6 + 4);
#pragma omp parallel for reduction(+ : sum)
	for (long long i = 5; i < 5; i++)
		sum += 1000;
#pragma omp parallel for schedule(static, 2) reduction(+ : sum)
	for (int i = -7; i >= -21; i -= 3)
		sum += i;
	EXPECT(sum == 28 - (7 + 10 + 13 + 16 + 19));
	int last = -1, offset = 3;
#pragma omp parallel for lastprivate(last) firstprivate(offset) schedule(dynamic, 5)
	for (int i = 0; i < N; i++)
		last = i + offset;
	EXPECT(last == N + 2);
#pragma omp parallel for collapse(2)
	for (int i = 0; i < 20; i++)
		for (int k = 0; k < 50; k++) {
#pragma omp atomic
			seen[i * 50 + k]++;
		}
	expect_each_once();
	/* more loops without barrier than the runtime has room for */
#pragma omp parallel
	for (int k = 0; k < 40; k++) {
#pragma omp for schedule(dynamic, 50) nowait
		for (int i = 0; i < N; i++) {
#pragma omp atomic
			seen[i]++;
		}
	}
	for (int i = 0; i < N; i++)
		EXPECT(seen[i] == 40);
	clear();
}

static void ordered(void)
{
	int next = 0;

#pragma omp parallel for ordered schedule(dynamic, 3)
	for (int i = 0; i < 100; i++) {
		if (i % 3 == 0)
			continue;
#pragma omp ordered
		{
			EXPECT(i > next || (i == 1 && next == 0));
			next = i;
		}
	}
	EXPECT(next == 98);
	next = 0;
#pragma omp parallel for ordered schedule(static)
	for (int i = 0; i < 64; i++) {
#pragma omp ordered
		EXPECT(next++ == i);
	}
}

static void sharing(void)
{
	int count = 0, number = 7, sections = 0, total = 0;

#pragma omp parallel
	{
#pragma omp single
		count++;
#pragma omp single nowait
		count++;
#pragma omp barrier
		EXPECT(count == 2);
#pragma omp barrier
#pragma omp master
		count++;
#pragma omp barrier
		EXPECT(count == 3);
#pragma omp critical
		total++;
#pragma omp critical(named)
		sections++;
	}
	EXPECT(total == omp_get_max_threads() && sections == total);
#pragma omp parallel private(number)
	{
#pragma omp single copyprivate(number)
		number = 42;
		EXPECT(number == 42);
	}
	sections = 0;
#pragma omp parallel sections reduction(+ : sections)
	{
#pragma omp section
		sections += 1;
#pragma omp section
		sections += 10;
#pragma omp section
		sections += 100;
	}
	EXPECT(sections == 111);
}

static void reductions(void)
{
	double sum = 0.5, product = 1;
	int most = -1, least = 1 << 30, all = 1, any = 0, bits = 0, parts[4] = {0};
	float f = 0;

#pragma omp parallel for reduction(+ : sum, f) reduction(* : product) reduction(max : most) reduction(min : least)     \
    reduction(&& : all) reduction(|| : any) reduction(| : bits) reduction(+ : parts[ : 4])
	for (int i = 0; i < N; i++) {
		sum += i;
		f += 1;
		product *= i % 100 == 0 ? 2 : 1;
		most = i * 7 % N > most ? i * 7 % N : most;
		least = i + 5 < least ? i + 5 : least;
		all = all && i < N;
		any = any || i == 77;
		bits |= i;
		parts[i % 4] += i;
	}
	EXPECT(sum == 0.5 + N * (N - 1) / 2 && f == N && product == 1024 && most == N - 1 && least == 5);
	EXPECT(all && any && bits == 1023 && parts[0] + parts[1] + parts[2] + parts[3] == N * (N - 1) / 2);
}

static void atomics(void)
{
	double d = 0;
	float f = 0;
	long long l = 0;
	unsigned char c = 0;
	short s = 100;
	int capture = 0, order[64] = {0};

#pragma omp parallel for num_threads(4)
	for (int i = 0; i < 64; i++) {
		int old;
#pragma omp atomic
		d += 0.5;
#pragma omp atomic
		f -= 1;
#pragma omp atomic
		l ^= 1ll << i;
#pragma omp atomic
		c++;
#pragma omp atomic
		s = s - 1;
#pragma omp atomic capture
		old = capture++;
		order[old]++;
#pragma omp atomic read
		old = capture;
		EXPECT(old > 0);
	}
	EXPECT(d == 32 && f == -64 && l == -1 && c == 64 && s == 36 && capture == 64);
	for (int i = 0; i < 64; i++)
		EXPECT(order[i] == 1);
}

static void privates(void)
{
	int ok = 0;

	mine = 5;
#pragma omp parallel copyin(mine) num_threads(4)
	{
		EXPECT(mine == 5);
		mine += omp_get_thread_num();
	}
#pragma omp parallel num_threads(4) reduction(+ : ok)
	ok += mine == 5 + omp_get_thread_num();
	EXPECT(ok == 4);
}

static void nested(void)
{
	int count = 0;

	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) reduction(+ : count)
	{
		int outer = omp_get_thread_num();

#pragma omp parallel num_threads(3) reduction(+ : count)
		{
			EXPECT(omp_get_level() == 2 && omp_get_num_threads() == 3);
			EXPECT(omp_get_ancestor_thread_num(1) == outer && omp_get_team_size(1) == 2);
#pragma omp for
			for (int i = 0; i < 9; i++)
				count++;
#pragma omp parallel num_threads(4) reduction(+ : count)
			count += omp_get_num_threads() == 1 ? 100 : 100000;
		}
	}
	EXPECT(count >= 600 && count < 100000);
	omp_set_max_active_levels(1);
}

static void locks(void)
{
	omp_lock_t l;
	omp_nest_lock_t n;
	int count = 0, deep = 0;

	omp_init_lock(&l);
	omp_init_nest_lock(&n);
#pragma omp parallel num_threads(4)
	for (int i = 0; i < 25; i++) {
		omp_set_lock(&l);
		count++;
		omp_unset_lock(&l);
		while (!omp_test_lock(&l))
			;
		count++;
		omp_unset_lock(&l);
		omp_set_nest_lock(&n);
		omp_set_nest_lock(&n);
		deep++;
		EXPECT(omp_test_nest_lock(&n) == 3);
		omp_unset_nest_lock(&n);
		omp_unset_nest_lock(&n);
		omp_unset_nest_lock(&n);
	}
	EXPECT(count == 200 && deep == 100);
	omp_destroy_lock(&l);
	omp_destroy_nest_lock(&n);
}

static long fib(int n)
{
	long a, b;

	if (n < 2)
		return n;
#pragma omp task shared(a)
	a = fib(n - 1);
#pragma omp task shared(b) if (n > 5)
	b = fib(n - 2);
#pragma omp taskwait
	return a + b;
}

static void tasks(void)
{
	long result = 0;
	int count = 0, chain = 0, sum = 0, parts[4] = {0};

#pragma omp parallel
#pragma omp single
	result = fib(12);
	EXPECT(result == 144);
#pragma omp parallel
#pragma omp single nowait
	for (int i = 0; i < 300; i++)
#pragma omp task firstprivate(i)
	{
#pragma omp atomic
		count += i;
	}
	EXPECT(count == 300 * 299 / 2);
#pragma omp parallel
#pragma omp single
	{
		for (int i = 0; i < 20; i++)
#pragma omp task depend(inout : chain) firstprivate(i)
			chain = chain == i ? i + 1 : -1000;
#pragma omp task depend(in : chain) depend(out : parts[0])
		parts[0] = chain;
#pragma omp task depend(in : chain) depend(out : parts[1])
		parts[1] = chain + 1;
#pragma omp task depend(in : parts[0], parts[1])
		parts[2] = parts[0] + parts[1];
	}
	EXPECT(chain == 20 && parts[2] == 41);
#pragma omp parallel
#pragma omp single
	{
#pragma omp taskgroup
		{
#pragma omp task
			{
#pragma omp task
			    {
#pragma omp atomic
				sum += 1;
		}
	}
#pragma omp task
	{
#pragma omp atomic
		sum += 2;
	}
}
EXPECT(sum == 3);
#pragma omp taskloop grainsize(10)
for (int i = 0; i < N; i++)
	seen[i]++;
expect_each_once();
#pragma omp taskloop num_tasks(7)
for (int i = 0; i < N; i++)
	seen[i]++;
expect_each_once();
#pragma omp task final(1)
EXPECT(omp_in_final());
}
}

int main(void)
{
	regions();
	loops();
	ordered();
	sharing();
	reductions();
	atomics();
	privates();
	nested();
	locks();
	tasks();
	puts("openmp: all right");
	return 0;
}
