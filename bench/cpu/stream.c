/* stream.c - what a machine's memory gives a program, by the program's own clock:
 *
 *	stream read|copy|triad N	of N doubles by all threads; the second of two rounds counts
 *	stream chase N			one thread through N lines in a random order
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

struct line {
	struct line *next;
	char rest[120];
};

static int chase(long n)
{
	struct line *lines = aligned_alloc(128, n * sizeof(*lines)), *at = lines;
	long *order = malloc(n * sizeof(*order)), steps = 0;
	unsigned long state = 1;
	double begin;

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
	begin = now();
	do {
		at = at->next;
		steps++;
	} while (at != lines);
	printf("chase %ld: %.1f ns a step\n", n, (now() - begin) * 1e9 / (double)n);
	return steps != n;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "triad";
	const long n = argc > 2 ? atol(argv[2]) : 1000000;

	if (!strcmp(what, "chase"))
		return chase(n);

	double *a = malloc(n * sizeof(*a)), *b = malloc(n * sizeof(*b)), *c = malloc(n * sizeof(*c));
	double sum = 0, begin = 0;
	double bytes = 0, seconds;

#pragma omp parallel for
	for (long i = 0; i < n; i++) {
		a[i] = 0;
		b[i] = 1;
		c[i] = 2;
	}
	for (int round = 0; round < 2; round++) {
		begin = now();
		if (!strcmp(what, "read")) {
#pragma omp parallel for reduction(+ : sum)
			for (long i = 0; i < n; i++)
				sum += b[i];
			bytes = 8.0 * (double)n;
		} else if (!strcmp(what, "copy")) {
#pragma omp parallel for
			for (long i = 0; i < n; i++)
				a[i] = b[i];
			bytes = 16.0 * (double)n;
		} else {
#pragma omp parallel for
			for (long i = 0; i < n; i++)
				a[i] = b[i] + 3 * c[i];
			bytes = 24.0 * (double)n;
		}
	}
	seconds = now() - begin;
	for (long i = 0; i < n; i++)
		sum += a[i];
	printf("%s %ld: %.1f GB/s\n", what, n, bytes / seconds * 1e-9);
	return sum < 0;
}
