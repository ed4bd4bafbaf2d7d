/* stale.c - memory that an accelerator may write is given back, and other memory is at its place: stale WAY [again].
 * WAY: unmapped, replaced, moved, moved-to, shrunk, grown, or kept. again: the other memory is in the
 * address-translation table, too. It ends with 1 where the accelerator has not written it. */
#include <stdint.h>
#include <stdio.h>
#include <strata/ndp.h>
#include <string.h>
#include <sys/mman.h>

enum { BYTES = 65536 };

/* Where others lie behind it, it has to move, and keeps its words. */
static int has_grown(uint64_t *out)
{
	const uint64_t *moved = mremap(out, BYTES, 64 * BYTES, MREMAP_MAYMOVE);

	return moved != MAP_FAILED && moved != out && moved[BYTES / 8 - 1] == 0x101010101010101 && !moved[BYTES / 8];
}

static void *mapped(void *at)
{
	return mmap(at, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0), -1, 0);
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "kept";
	uint64_t *lists = mapped(NULL), *out = mapped(NULL), *other = mapped(NULL), reply[8];
	const uint64_t message[8] = {7, (uint64_t)lists, 1, (uint64_t)(lists + 2), 1, (uint64_t)out};

	memset(out, 1, BYTES);
	memset(other, 2, BYTES);
	memcpy(lists, (const uint64_t[]){5, 50, 3, 30}, 32);
	if (strata_accelerator_map(0, lists, BYTES) || strata_accelerator_map(0, out, BYTES))
		return 4;
	if (!strcmp(way, "unmapped") && (munmap(out, BYTES) || mapped(out) != out))
		return 5;
	if (!strcmp(way, "replaced") && mapped(out) != out)
		return 5;
	if (!strcmp(way, "moved") &&
	    (mremap(out, BYTES, 2 * BYTES, MREMAP_MAYMOVE | MREMAP_FIXED, (char *)other + 4 * BYTES) == MAP_FAILED ||
	     mapped(out) != out))
		return 5;
	if (!strcmp(way, "moved-to") && mremap(other, BYTES, BYTES, MREMAP_MAYMOVE | MREMAP_FIXED, out) != out)
		return 5;
	if (!strcmp(way, "shrunk") && (mremap(out, BYTES, BYTES / 2, 0) != out || mapped(out) != out))
		return 5;
	if (!strcmp(way, "grown") && (!has_grown(out) || mapped(out) != out))
		return 5;
	if (argc > 2 && strata_accelerator_map(0, out, BYTES))
		return 4;
	strata_accelerator_send(0, message, sizeof(message));
	strata_accelerator_receive(0, reply, sizeof(reply));
	puts(out[0] == 3 && out[1] == 30 && out[2] == 5 && out[3] == 50 ? "merged" : "wrong");
	return out[0] != 3 || out[2] != 5;
}
