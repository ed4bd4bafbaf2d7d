/* programs.c - a program of threads that checks itself: `triad N`, `shared N`, `chase N`, which is one thread's walk
 * through N lines in a random order, `held N`, whose threads wait for one lock, or `uneven N`, whose threads wait at a
 * barrier for the first one. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int triad(long n)
{
	double *a = malloc(n * sizeof(*a)), *b = malloc(n * sizeof(*b)), *c = malloc(n * sizeof(*c)), sum = 0;

#pragma omp parallel for
	for (long i = 0; i < n; i++) {
		b[i] = (double)i;
		c[i] = 1;
	}
#pragma omp parallel for
	for (long i = 0; i < n; i++)
		a[i] = b[i] + 3 * c[i];
#pragma omp parallel for reduction(+ : sum)
	for (long i = 0; i < n; i++)
		sum += a[i];
	return sum != (double)n * (double)(n - 1) / 2 + 3 * (double)n;
}

static int shared(long n)
{
	long atomic = 0, locked = 0;

#pragma omp parallel for
	for (long i = 0; i < n; i++) {
#pragma omp atomic
		atomic++;
#pragma omp critical
		locked += i;
	}
	return atomic != n || locked != n * (n - 1) / 2;
}

struct line {
	struct line *next;
	char rest[120];
};

static int chase(long n)
{
	struct line *lines = aligned_alloc(128, n * sizeof(*lines)), *at;
	unsigned long state = 1;
	struct timespec begin, end;
	long *order = malloc(n * sizeof(*order)), steps = 0;

	for (long i = 0; i < n; i++)
		order[i] = i;
	for (long i = n - 1; i > 0; i--) {
		long other, kept = order[i];

		state = state * 6364136223846793005u + 1442695040888963407u;
		other = (long)((state >> 33) % (unsigned long)i);
		order[i] = order[other];
		order[other] = kept;
	}
	for (long i = 0; i < n; i++)
		lines[order[i]].next = &lines[order[(i + 1) % n]];
	at = lines;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		at = at->next;
		steps++;
	} while (at != lines);
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("%ld ns a step\n", ((end.tv_sec - begin.tv_sec) * 1000000000 + end.tv_nsec - begin.tv_nsec) / n);
	return steps != n;
}

static void count(volatile long *sum, long n)
{
	for (long i = 0; i < n; i++)
		++*sum;
}

static int held(long n)
{
	long sum = 0;

#pragma omp parallel
	for (int i = 0; i < 8; i++) {
#pragma omp critical
		count(&sum, n);
	}
	return sum % (8 * n) != 0;
}

static int uneven(long n)
{
	long sum = 0, after = 0;

#pragma omp parallel
	{
#pragma omp master
		count(&sum, 8 * n);
#pragma omp barrier
#pragma omp atomic
		after += sum;
	}
	return after % (8 * n) != 0;
}

/* Eight threads add to one word. */
static int counter(long n)
{
	static long sum __attribute__((aligned(4096)));

#pragma omp parallel num_threads(8)
	{
#pragma omp barrier
		for (long i = 0; i < n; i++)
			__atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
	}
	return sum != 8 * n;
}

/* Two threads pass a flag to each other, and find what the other one wrote before that. */
static int flag(long n)
{
	static long turn __attribute__((aligned(4096))), word __attribute__((aligned(4096)));
	long wrong = 0;

#pragma omp parallel num_threads(2) reduction(+ : wrong)
	for (long i = omp_get_thread_num(); i < n; i += 2) {
		while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != i)
			;
		wrong += word++ != i;
		__atomic_store_n(&turn, i + 1, __ATOMIC_RELEASE);
	}
	return wrong != 0;
}

static const struct {
	const char *name;
	int (*run)(long n);
} cases[] = {{"triad", triad}, {"shared", shared}, {"chase", chase}, {"held", held}, {"uneven", uneven},
	     {"counter", counter}, {"flag", flag}};

int main(int argc, char **argv)
{
	long n = argc > 2 ? atol(argv[2]) : 1000;
	const char *what = argc > 1 ? argv[1] : "triad";
	int wrong = 1;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (!strcmp(what, cases[i].name))
			wrong = cases[i].run(n);

	puts(wrong ? "wrong" : "right");
	return wrong;
}
