/* phases.c - what modelling sees of memory, by its argument: "maps", more maps one after the other than the machine has
 * memory; "touch", pages; "stack", an array on the stack; "phases", the same reads before, after and without caches. */
#include "check.h"

#include <string.h>
#include <strata/ndp.h>
#include <sys/mman.h>

enum { BYTES = 1 << 20, PAGE = 65536, LINE = 128 };

static char *map(void)
{
	char *p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	EXPECT(p != MAP_FAILED);
	return p;
}

static void use_maps(void)
{
	for (int i = 0; i < 200; i++) {
		char *p = map();

		for (int at = 0; at < BYTES; at += PAGE)
			EXPECT(p[at] == 0 && (p[at] = 1));
		EXPECT(munmap(p, BYTES) == 0);
	}
}

static void touch_pages(void)
{
	volatile char *p = map();

	for (int at = 0; at < BYTES; at += PAGE)
		p[at] = 1;
}

static void use_stack(void)
{
	volatile int array[1000];

	for (int i = 0; i < 1000; i++)
		array[i] = i;
}

static uint64_t misses_of_reads(const volatile char *p)
{
	strata_reset_statistics();
	for (int at = 0; at < 100 * LINE; at += LINE)
		(void)p[at];
	return strata_statistic("cpu.misses");
}

static void use_phases(void)
{
	char *p = map();
	uint64_t time_ps, reads;

	EXPECT(misses_of_reads(p) >= 100 && misses_of_reads(p) < 10);
	strata_modelling_end();
	time_ps = strata_time_ps();
	reads = strata_statistic("cpu.reads");
	for (int i = 0; i < 1000; i++)
		memset(p, i, BYTES);
	EXPECT(strata_statistic("cpu.reads") == reads && strata_time_ps() - time_ps < 1000000000);
	strata_modelling_begin(STRATA_CACHES_KEPT);
	EXPECT(misses_of_reads(p) < 10);
	strata_modelling_end();
	strata_modelling_begin(STRATA_CACHES_COLD);
	EXPECT(misses_of_reads(p) >= 100 && p[5] == (char)999);
}

int main(int argc, char **argv)
{
	(void)argc;
	if (!strcmp(argv[1], "maps"))
		use_maps();
	else if (!strcmp(argv[1], "touch"))
		touch_pages();
	else if (!strcmp(argv[1], "stack"))
		use_stack();
	else
		use_phases();
	return 0;
}
