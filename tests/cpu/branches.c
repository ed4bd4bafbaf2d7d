/* Branches by what is in the first level and by what comes from memory: cycles of a step of loops on a core that issues
 * out of order. branches NAME prints them. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define CLOCK_NS 3.5 /* cycles of channel-cpu in a ns */

enum { WORDS = 1 << 15, STRIDE = 16, STEPS = 2000 };

static uint64_t far[WORDS * STRIDE];
static uint32_t order[STEPS];
static uint8_t ways[3][STEPS]; /* of a branch: always the same one, in turns, at random */
static volatile uint64_t sink;

static double ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void fill(void)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < WORDS; i++) { /* more than the caches hold */
		at = at * 1664525u + 1013904223u;
		far[i * STRIDE] = at >> 31;
	}
	for (uint32_t i = 0; i < STEPS; i++) {
		at = at * 1664525u + 1013904223u;
		order[i] = at % WORDS * STRIDE;
		ways[0][i] = 1;
		ways[1][i] = i & 1;
		ways[2][i] = at >> 31;
	}
}

/* The two ways are code of their own, which no conditional move takes the place of. */
static void near_branches(const uint8_t *way)
{
	uint64_t a = 0, b = 0;

	for (uint32_t i = 0; i < STEPS; i++) {
		if (way[i]) {
			a += i;
			__asm__ volatile("" : "+r"(a));
		} else {
			b ^= i;
			__asm__ volatile("" : "+r"(b));
		}
	}
	sink = a ^ b;
}

static void far_branches(void)
{
	uint64_t a = 0, b = 0;

	for (uint32_t i = 0; i < STEPS; i++) {
		if (far[order[i]]) {
			a += i;
			__asm__ volatile("" : "+r"(a));
		} else {
			b ^= i;
			__asm__ volatile("" : "+r"(b));
		}
	}
	sink = a ^ b;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	const uint8_t *way = ways[!strcmp(name, "same") ? 0 : !strcmp(name, "turns") ? 1 : 2];
	const int is_far = !strcmp(name, "far");
	double begin;

	fill();
	if (!is_far)
		near_branches(way);
	begin = ns();
	if (is_far)
		far_branches();
	else
		near_branches(way);
	printf("%.2f\n", (ns() - begin) * CLOCK_NS / STEPS);
	return 0;
}
