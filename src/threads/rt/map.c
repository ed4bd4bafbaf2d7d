/* map.c - the program's own maps: at fixed places, and what the machine must hear of when they change. */
#include "threads/rt/rt.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>

static uint64_t map_next = RT_MAP_BASE;

static void tell(enum thread_ask_kind kind, void *at, size_t bytes)
{
	const int error = errno;

	if (__strata_on && bytes)
		rt_ask(&(struct thread_ask){.kind = kind, .address = rt_address(at), .bytes = bytes});
	errno = error;
}

/* Maps without a wish for a place get a fixed one, each its own: addresses do not come again. */
static void *place_for(size_t bytes)
{
	return bytes && map_next + bytes < RT_FIXED_END ? (void *)map_next : NULL;
}

static void place_is_taken(size_t bytes)
{
	map_next = (map_next + bytes + 0x200000) & ~(uint64_t)0x1fffff;
}

RT_API void *mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	if (!at && rt_is_modelled() && !(flags & MAP_FIXED) && place_for(bytes)) {
		void *p = RT_REAL(mmap)(place_for(bytes), bytes, protection, flags | MAP_FIXED_NOREPLACE, fd, offset);

		if (p != MAP_FAILED)
			place_is_taken(bytes);
		return p;
	}
	if (flags & MAP_FIXED)
		tell(THREAD_ASK_UNMAP, at, bytes); /* what was there */
	return RT_REAL(mmap)(at, bytes, protection, flags, fd, offset);
}

static size_t whole_pages(size_t bytes)
{
	return (bytes + 4095) & ~(size_t)4095;
}

/* Pages that move are gone from where they were; where they come to, the machine meets them as new ones. */
static void *move_to(void *at, size_t old_bytes, size_t bytes, int flags, void *to)
{
	tell(THREAD_ASK_UNMAP, at, old_bytes);
	tell(THREAD_ASK_UNMAP, to, bytes);
	return RT_REAL(mremap)(at, old_bytes, bytes, flags | MREMAP_FIXED, to);
}

/* It grows where it is if it can; where it has to move is the same in each run. */
RT_API void *mremap(void *at, size_t old_bytes, size_t bytes, int flags, ...)
{
	const size_t pages = whole_pages(bytes), old_pages = whole_pages(old_bytes);
	void *to = NULL, *p = MAP_FAILED;
	va_list args;

	if (flags & MREMAP_FIXED) {
		va_start(args, flags);
		to = va_arg(args, void *);
		va_end(args);
	}
	if (!rt_is_modelled())
		return RT_REAL(mremap)(at, old_bytes, bytes, flags, to);
	if (flags & MREMAP_FIXED)
		return move_to(at, old_bytes, bytes, flags, to);
	if (flags & MREMAP_DONTUNMAP || pages > old_pages) {
		if (!(flags & MREMAP_DONTUNMAP))
			p = RT_REAL(mremap)(at, old_bytes, bytes, flags & ~MREMAP_MAYMOVE);
		if (p != MAP_FAILED || !(flags & MREMAP_MAYMOVE) || !place_for(bytes))
			return p;
		p = move_to(at, old_bytes, bytes, flags, place_for(bytes));
		if (p != MAP_FAILED)
			place_is_taken(bytes);
		return p;
	}
	tell(THREAD_ASK_UNMAP, (char *)at + pages, old_pages - pages);
	return RT_REAL(mremap)(at, old_bytes, bytes, flags);
}

RT_API int munmap(void *at, size_t bytes)
{
	int error;

	tell(THREAD_ASK_UNMAP, at, bytes); /* while its bytes are still there */
	error = RT_REAL(munmap)(at, bytes);
	rt_pages_change();
	return error;
}

RT_API int mprotect(void *at, size_t bytes, int protection)
{
	int error;

	tell(THREAD_ASK_PROTECT, at, bytes);
	error = RT_REAL(mprotect)(at, bytes, protection);
	rt_pages_change();
	return error;
}

RT_API int madvise(void *at, size_t bytes, int advice)
{
	if (advice == MADV_DONTNEED)
		tell(THREAD_ASK_UNMAP, at, bytes);
	return RT_REAL(madvise)(at, bytes, advice);
}
