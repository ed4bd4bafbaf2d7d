/* frames.c - another page gets the place in the memory of one that has moved or gone: caches and values have forgotten
 * the one before. */
#include "../threads/programs/check.h"

#include <stdint.h>
#include <strata/ndp.h>
#include <string.h>
#include <sys/mman.h>

long move_pages(int pid, unsigned long count, void **pages, const int *nodes, int *status, int flags);

enum { PAGE = 65536, WORDS = PAGE / 8, MOST = PAGE / 128 * 9 / 10 }; /* MOST: of its lines; some are under way */

static uint64_t grown(const char *name, uint64_t *before)
{
	const uint64_t now = (uint64_t)strata_statistic(name), some = now - *before;

	*before = now;
	return some;
}

static volatile uint64_t *page_new(void)
{
	char *all = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	EXPECT(all != MAP_FAILED);
	return (uint64_t *)(void *)(all + -(uintptr_t)all % PAGE);
}

static void fill(volatile uint64_t *page, uint64_t word)
{
	for (int i = 0; i < WORDS; i++)
		page[i] = word;
}

static void move_to(volatile uint64_t *page, int node)
{
	void *one = (void *)page;
	int status;

	EXPECT(move_pages(0, 1, &one, &node, &status, 2) == 0 && status == node);
}

static void unmap(volatile uint64_t *page)
{
	EXPECT(munmap((void *)page, PAGE) == 0);
}

/* A remote copy that software keeps has the bytes of its own page, and none of who was there before. */
static void keeps_old_bytes(int does_move)
{
	volatile uint64_t *before, *after;
	uint64_t reads = 0;

	EXPECT(strata_run_on_ndp(0, 0) == 0);
	before = page_new();
	after = page_new();
	fill(before, 0x1111);
	EXPECT(strata_remote_cacheable((void *)before, PAGE, 1) == 0);
	EXPECT(strata_remote_cacheable((void *)after, PAGE, 1) == 0);
	EXPECT(strata_run_on_ndp(1, 0) == 0);
	EXPECT(before[0] == 0x1111);
	EXPECT(strata_run_on_ndp(0, 0) == 0);
	if (does_move)
		move_to(before, 3);
	else
		unmap(before);
	after[0] = 0x2222;
	EXPECT(strata_run_on_ndp(1, 0) == 0);
	grown("channel.remote_reads", &reads);
	EXPECT(after[0] == 0x2222 && grown("channel.remote_reads", &reads) == 1);
	EXPECT(strata_run_on_ndp(0, 0) == 0);
	after[0] = 0x3333;
	EXPECT(strata_run_on_ndp(1, 0) == 0);
	EXPECT(after[0] == 0x2222 && grown("channel.remote_reads", &reads) == 0); /* old: nobody has flushed it */
	strata_flush((void *)after, PAGE);
	EXPECT(after[0] == 0x3333);
	if (does_move)
		unmap(before);
	unmap(after);
}

/* What is modified in caches goes to the memory before it is copied, and the new place is in no cache. */
static void leaves_caches(void)
{
	volatile uint64_t *page = page_new(), *other = page_new();
	uint64_t written = 0, read = 0, near = 0, sum = 0;

	EXPECT(strata_run_on_cpu(0) == 0);
	fill(page, 1);
	move_to(page, 4);
	fill(page, 2);
	grown("cpu.memory_writes", &written);
	grown("cpu.memory_reads", &read);
	move_to(page, 5);
	EXPECT(grown("cpu.memory_writes", &written) >= MOST);
	for (int i = 0; i < WORDS; i++)
		sum += page[i];
	EXPECT(sum == 2 * WORDS && grown("cpu.memory_reads", &read) >= MOST);
	/* Who gets a place by a move has no lines of the one before: the processors have some of it. */
	fill(other, 3);
	move_to(other, 6);
	fill(other, 4);
	unmap(other);
	grown("cpu.memory_reads", &read);
	move_to(page, 6);
	for (int i = 0; i < WORDS; i++)
		sum += page[i];
	EXPECT(sum == 4 * WORDS && grown("cpu.memory_reads", &read) >= MOST);

	EXPECT(strata_run_on_ndp(5, 0) == 0);
	fill(page, 5);
	move_to(page, 5);
	EXPECT(strata_run_on_ndp(4, 0) == 0);
	fill(page, 6);
	grown("channel.near_write_back_bytes", &near);
	move_to(page, 7);
	EXPECT(grown("channel.near_write_back_bytes", &near) > 0);
	EXPECT(page[0] == 6 && page[WORDS - 1] == 6);
	unmap(page);
}

int main(void)
{
	keeps_old_bytes(1);
	keeps_old_bytes(0);
	leaves_caches();
	printf("right\n");
	return 0;
}
