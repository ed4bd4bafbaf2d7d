/* unmaps.c - what an NDP has touched goes or changes: a TLB command for each page that is wholly gone, or of which a
 * part has other rights. */
#include "../threads/programs/check.h"

#include <stdint.h>
#include <strata/ndp.h>
#include <sys/mman.h>

enum { PAGE = 65536, PART = 4096, PAGES = 3 };

static uint64_t commands(void)
{
	static uint64_t before;
	const uint64_t now = strata_statistic("channel.tlb_commands"), some = now - before;

	before = now;
	return some;
}

int main(void)
{
	char *all = mmap(NULL, (PAGES + 1) * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *p;

	EXPECT(all != MAP_FAILED);
	p = (char *)(((uintptr_t)all + PAGE - 1) & ~(uintptr_t)(PAGE - 1));
	EXPECT(strata_run_on_ndp(0, 0) == 0);
	for (int i = 0; i < PAGES; i++)
		p[i * PAGE] = 1;
	commands();
	EXPECT(munmap(p + PART, PAGE) == 0); /* parts of two pages, which stay */
	EXPECT(commands() == 0);
	EXPECT(mprotect(p + 2 * PAGE + PART, PART, PROT_READ) == 0);
	EXPECT(commands() == 1);
	EXPECT(munmap(p + PAGE, 2 * PAGE) == 0);
	EXPECT(commands() == 2);
	printf("right\n");
	return 0;
}
