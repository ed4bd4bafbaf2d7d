/* moves.c - pages that an NDP has written move to another channel: they keep their bytes, and are near there. With an
 * argument: they move to one channel until it has no room, which is said. */
#include "../threads/programs/check.h"

#include <errno.h>
#include <stdint.h>
#include <strata/ndp.h>
#include <sys/mman.h>

long move_pages(int pid, unsigned long count, void **pages, const int *nodes, int *status, int flags);

long mbind(void *at, unsigned long bytes, int mode, const unsigned long *mask, unsigned long bits, unsigned flags);

enum { BIND = 2, MOVE = 2 }; /* linux/mempolicy.h */
enum { PAGE = 65536, PAGES = 3, WORDS = PAGE / 8, EVERY = 37 };

static uint64_t grown(const char *name, uint64_t *before)
{
	const uint64_t now = (uint64_t)strata_statistic(name), some = now - *before;

	*before = now;
	return some;
}

static uint64_t wrong_words(const volatile uint64_t *words)
{
	uint64_t wrong = 0;

	for (uint64_t i = 0; i < PAGES * WORDS; i += EVERY)
		wrong += words[i] != i;
	return wrong;
}

static int fill(void)
{
	enum { MANY = 128 };
	char *all = mmap(NULL, (MANY + 1) * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const unsigned long second = 1 << 2, two = 3 << 1;
	const int to = 2;
	int status, from, moved = 0;

	EXPECT(all != MAP_FAILED);
	all += -(uintptr_t)all % PAGE;
	for (int i = 0; i < MANY; i++)
		all[i * PAGE] = (char)i;
	EXPECT(mbind(all, PAGE, BIND, &two, 64, MOVE) == -1 && errno == ENOTSUP);
	for (void *page = all; moved < MANY; moved++, page = all + moved * PAGE) {
		EXPECT(move_pages(0, 1, &page, NULL, &from, MOVE) == 0);
		if (move_pages(0, 1, &page, &to, &status, MOVE)) {
			EXPECT(errno == ENOMEM && status == -ENOMEM);
			EXPECT(mbind(page, PAGE, BIND, &second, 64, MOVE) == -1 && errno == ENOMEM);
			EXPECT(move_pages(0, 1, &page, NULL, &status, MOVE) == 0 && status == from && from != 2);
			break;
		}
		EXPECT(status == 2);
	}
	EXPECT(moved > 0 && moved < MANY);
	for (int i = 0; i < MANY; i++)
		EXPECT(all[i * PAGE] == (char)i);
	printf("right\n");
	return 0;
}

int main(int argc, char **argv)
{
	char *all = mmap(NULL, (2 * PAGES + 1) * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t *words = (uint64_t *)(((uintptr_t)all + PAGE - 1) & ~(uintptr_t)(PAGE - 1));
	void *pages[PAGES];
	const int to[PAGES] = {2, 2, 1};
	int status[PAGES];
	uint64_t reads = 0, commands = 0, moves = 0, began;

	(void)argv;
	if (argc > 1)
		return fill();
	EXPECT(all != MAP_FAILED);
	EXPECT(strata_run_on_ndp(0, 0) == 0);
	for (uint64_t i = 0; i < PAGES * WORDS; i += EVERY)
		words[i] = i;
	for (int i = 0; i < PAGES; i++)
		pages[i] = words + i * WORDS;
	grown("channel.remote_reads", &reads);
	EXPECT(wrong_words(words) == 0 && grown("channel.remote_reads", &reads) == 0);
	grown("channel.tlb_commands", &commands);
	grown("cpu.page_moves", &moves);
	began = strata_time_ps();
	EXPECT(move_pages(0, PAGES, pages, to, status, 2) == 0);
	EXPECT(strata_time_ps() - began > 2000000);
	EXPECT(status[0] == 2 && status[1] == 2 && status[2] == 1); /* the last is there already */
	EXPECT(grown("channel.tlb_commands", &commands) == 2 && grown("cpu.page_moves", &moves) == 2);
	grown("channel.remote_reads", &reads);
	EXPECT(wrong_words(words) == 0);
	EXPECT(grown("channel.remote_reads", &reads) >= 2 * WORDS / EVERY);
	EXPECT(strata_run_on_ndp(1, 0) == 0);
	grown("channel.remote_reads", &reads);
	EXPECT(wrong_words(words) == 0);
	EXPECT(grown("channel.remote_reads", &reads) < 2 * WORDS / EVERY);
	/* Others get the old places, of which caches still have lines. */
	EXPECT(strata_run_on_ndp(0, 0) == 0);
	for (uint64_t i = PAGES * WORDS; i < 2 * PAGES * WORDS; i++)
		words[i] = i - PAGES * WORDS;
	EXPECT(wrong_words(words + PAGES * WORDS) == 0 && wrong_words(words) == 0);
	printf("right\n");
	return 0;
}
