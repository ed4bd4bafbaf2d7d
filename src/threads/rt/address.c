/* address.c - the model's addresses: the program's where they are fixed, else region and offset.
 *
 * The image, heap, stacks (but for their shift) and maps lie at fixed places. What remains (shared libraries, the first
 * thread's storage, the kernel's stack) is at random ones: each such region gets a place of its own, in the order of
 * their first access.
 */
#include "threads/rt/rt.h"

#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#define REGION_BASE 0x600000000000u
#define REGION_STEP ((uint64_t)1 << 40)
enum { REGIONS = 256 };

static struct region {
	uint64_t begin, end, place; /* place of begin */
} regions[REGIONS];
static uint32_t region_count;
static struct region *last = regions;
extern char _end;

/* The line of /proc/self/maps that holds at; a stack grows down, so it is placed by its end. */
static bool find(uint64_t at, struct region *r, bool *is_stack)
{
	static char text[1 << 16];
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	size_t length = 0;
	bool is_found = false;

	if (fd < 0)
		return false;
	for (;;) {
		ssize_t got = read(fd, text + length, sizeof(text) - 1 - length);
		char *line = text, *end;

		if (got <= 0)
			break;
		length += (size_t)got;
		text[length] = '\0';
		for (; !is_found && (end = strchr(line, '\n')); line = end + 1) {
			uint64_t bounds[2] = {0, 0};
			const char *c = line;

			for (int i = 0; i < 2; i++, c++)
				for (; *c != '-' && *c != ' '; c++)
					bounds[i] = bounds[i] * 16 + (uint64_t)(*c <= '9' ? *c - '0' : *c - 'a' + 10);
			if (at < bounds[0] || at >= bounds[1])
				continue;
			*end = '\0';
			*r = (struct region){bounds[0], bounds[1], 0};
			*is_stack = strstr(c, "[stack]");
			is_found = true;
			*end = '\n';
		}
		length -= (size_t)(line - text);
		memmove(text, line, length);
		if (is_found)
			break;
	}
	close(fd);
	return is_found;
}

/* Below the FS base, the storage of the libraries that were there at the start. */
static int lowest_storage(struct dl_phdr_info *info, size_t size, void *out)
{
	uint64_t *lowest = out, at = (uint64_t)info->dlpi_tls_data;

	(void)size;
	if (at && *lowest - at < 1 << 16)
		*lowest = at;
	return 0;
}

/* The first thread's storage is the first region, by its own bounds: the kernel makes one region of what it maps
 * side by side, which differs from run to run. */
void rt_address_init(void)
{
	enum { DESCRIPTOR_BYTES = 2304 }; /* struct pthread of the C library */
	uint64_t fs, lowest;

	__asm__("mov %%fs:0, %0" : "=r"(fs));
	lowest = fs;
	dl_iterate_phdr(lowest_storage, &lowest);
	regions[region_count++] = (struct region){lowest, fs + DESCRIPTOR_BYTES, REGION_BASE};
}

static uint64_t elsewhere(uint64_t at)
{
	struct region r;
	bool is_stack;

	for (uint32_t i = 0; i < region_count; i++)
		if (at - regions[i].begin < regions[i].end - regions[i].begin) {
			last = &regions[i];
			return at - last->begin + last->place;
		}
	if (region_count == REGIONS || !find(at, &r, &is_stack))
		return at; /* nothing is there: the access will fault, or the map is too long */
	r.place = REGION_BASE + region_count * REGION_STEP;
	if (is_stack)
		r.place += REGION_STEP - (r.end - r.begin);
	regions[region_count] = r;
	last = &regions[region_count++];
	return at - r.begin + r.place;
}

uint64_t rt_address(const void *p)
{
	uint64_t at = (uint64_t)p;

	if (at - RT_STACK_BASE < RT_MAP_BASE - RT_STACK_BASE)
		return at + rt_stack_shift((uint32_t)((at - RT_STACK_BASE) / RT_STACK_SLOT));
	if (at - RT_HEAP_BASE < RT_FIXED_END - RT_HEAP_BASE || at < (uint64_t)&_end)
		return at;
	if (at - last->begin < last->end - last->begin)
		return at - last->begin + last->place;
	return elsewhere(at);
}
