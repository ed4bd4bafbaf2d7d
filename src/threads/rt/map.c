/* map.c - the program's own maps: at fixed places, and what the machine must hear of when they change. */
#include "threads/rt/rt.h"

#include <errno.h>
#include <sys/mman.h>

static uint64_t map_next = RT_MAP_BASE;

/* Maps without a wish for a place get a fixed one, each its own: addresses do not come again. */
RT_API void *mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	if (!at && bytes && rt_is_modelled() && !(flags & MAP_FIXED) && map_next + bytes < RT_FIXED_END) {
		void *p = RT_REAL(mmap)((void *)map_next, bytes, protection, flags | MAP_FIXED_NOREPLACE, fd, offset);

		if (p != MAP_FAILED)
			map_next = (map_next + bytes + 0x200000) & ~(uint64_t)0x1fffff;
		return p;
	}
	return RT_REAL(mmap)(at, bytes, protection, flags, fd, offset);
}

static void tell(enum thread_ask_kind kind, void *at, size_t bytes)
{
	const int error = errno;

	if (__strata_on && bytes)
		rt_ask(&(struct thread_ask){.kind = kind, .address = rt_address(at), .bytes = bytes});
	errno = error;
}

RT_API int munmap(void *at, size_t bytes)
{
	tell(THREAD_ASK_UNMAP, at, bytes); /* while its bytes are still there */
	return RT_REAL(munmap)(at, bytes);
}

RT_API int mprotect(void *at, size_t bytes, int protection)
{
	tell(THREAD_ASK_PROTECT, at, bytes);
	return RT_REAL(mprotect)(at, bytes, protection);
}

RT_API int madvise(void *at, size_t bytes, int advice)
{
	if (advice == MADV_DONTNEED)
		tell(THREAD_ASK_UNMAP, at, bytes);
	return RT_REAL(madvise)(at, bytes, advice);
}
