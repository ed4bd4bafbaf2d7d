/* arena.c - the program's allocator while it is modelled: at fixed places, sizes in classes, the lowest free block of a
 * class last in, first out. What it costs is what a thread cache costs: a read and a write of the list's head and a
 * read of the block.
 */
#include "threads/rt/rt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t bytes);
void __libc_free(void *p);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *p, size_t bytes);
void *__libc_memalign(size_t align, size_t bytes);

/* In front of each block. */
struct head {
	uint64_t bytes;  /* of the class; what the program may use */
	uint64_t offset; /* from the beginning of the class's block to the program's, for alignment */
};
struct free_block {
	struct free_block *next;
};

/* Classes: multiples of 16 to 1024, then four per power of two to 2^47. */
enum { SMALL = 64, CLASSES = SMALL + 4 * 38, CHUNK = 64 << 20 };

/* The machine sees accesses of these. */
#pragma clang section bss = "strata_modelled"
static struct free_block *lists[CLASSES];
#pragma clang section bss = "strata_variables"

static uint64_t heap_next = RT_HEAP_BASE, heap_end = RT_HEAP_BASE;
bool rt_in_model;

static const struct thread_site touch_read = {
    8, THREAD_READ, 1, 0, THREAD_SITE_ORDERED,
    {[THREAD_CLASS_integer] = 8, [THREAD_CLASS_branch] = 5, [THREAD_CLASS_memory] = 4}, 0, 0, 0, {{0}}, 0, 0, 0};
static const struct thread_site touch_write = {.bytes = 8, .kind = THREAD_WRITE, .flags = THREAD_SITE_ORDERED};

bool rt_is_modelled(void)
{
	static int is_modelled = -1;

	if (is_modelled < 0 && environ) {
		const char *model = getenv("STRATA_THREADS_MODEL");

		is_modelled = model && *model;
	}
	return is_modelled > 0 && !rt_in_model;
}

static bool is_ours(const void *p)
{
	return (uint64_t)p - RT_HEAP_BASE < RT_STACK_BASE - RT_HEAP_BASE;
}

static uint32_t class_of(size_t bytes, size_t *size)
{
	if (bytes <= SMALL * 16) {
		uint32_t class = bytes ? (uint32_t)((bytes - 1) / 16) : 0;

		*size = (size_t)(class + 1) * 16;
		return class;
	}

	uint32_t log2 = 63 - (uint32_t)__builtin_clzll(bytes - 1);
	uint64_t quarter = ((bytes - 1) >> (log2 - 2)) - 3; /* 1 to 4 */

	*size = ((uint64_t)4 + quarter) << (log2 - 2);
	return SMALL + (log2 - 10) * 4 + (uint32_t)quarter - 1;
}

/* Hundreds of threads use as many pages at a time: more than the host translates at once. By no function of the C
 * library, for errno is of whoever allocates, and looking a function up allocates as well. */
static void want_large_pages(void *at, size_t bytes)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"((long)SYS_madvise), "D"(at), "S"(bytes), "d"((long)MADV_HUGEPAGE)
			 : "rcx", "r11", "memory");
	(void)result; /* without them it is slower */
}

/* From the end of the heap, which grows in chunks. */
static void *fresh(size_t bytes)
{
	void *p;

	if (heap_next + bytes > heap_end) {
		size_t more = (heap_next + bytes - heap_end + CHUNK - 1) / CHUNK * CHUNK;

		if (heap_end + more > RT_STACK_BASE ||
		    mmap((void *)heap_end, more, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED)
			return NULL;
		want_large_pages((void *)heap_end, more);
		heap_end += more;
	}
	p = (void *)heap_next;
	heap_next += bytes;
	return p;
}

static struct head *head_of(void *p)
{
	return (struct head *)p - 1;
}

/* *is_zero: it has never been used. */
static void *take(size_t align, size_t bytes, bool *is_zero)
{
	size_t size, extra = align > 16 ? align : 0;
	uint32_t class;
	char *block;
	uint64_t at;

	if (bytes > (size_t)1 << 46 || extra > (size_t)1 << 40) {
		errno = ENOMEM;
		return NULL;
	}
	class = class_of(bytes + extra, &size);
	block = (char *)lists[class];
	*is_zero = !block;
	if (block)
		lists[class] = lists[class]->next;
	else
		block = fresh(size + sizeof(struct head));
	if (!block) {
		errno = ENOMEM;
		return NULL;
	}
	at = (uint64_t)block + sizeof(struct head);
	if (extra)
		at = (at + align - 1) & ~(align - 1);
	*head_of((void *)at) = (struct head){size - (at - (uint64_t)block - sizeof(struct head)), at - (uint64_t)block};
	return (void *)at;
}

static void give(void *p)
{
	struct head *h = head_of(p);
	struct free_block *block = (struct free_block *)((char *)p - h->offset);
	size_t size;
	uint32_t class = class_of(h->bytes + h->offset - sizeof(*h), &size);

	block->next = lists[class];
	lists[class] = block;
}

static void *allocate(size_t align, size_t bytes)
{
	bool is_zero;

	return take(align, bytes, &is_zero);
}

static void *allocate_zero(size_t bytes)
{
	bool is_zero;
	void *p = take(16, bytes, &is_zero);

	return p && !is_zero ? memset(p, 0, bytes) : p;
}

static void *resize(void *p, size_t bytes)
{
	void *q;

	if (bytes <= head_of(p)->bytes)
		return p;
	q = allocate(16, bytes);
	if (!q)
		return NULL;
	memcpy(q, p, head_of(p)->bytes);
	give(p);
	return q;
}

RT_API void *malloc(size_t bytes)
{
	return rt_is_modelled() ? allocate(16, bytes) : __libc_malloc(bytes);
}

RT_API void free(void *p)
{
	if (!is_ours(p))
		__libc_free(p);
	else
		give(p);
}

RT_API void *calloc(size_t count, size_t bytes)
{
	size_t all;

	if (!rt_is_modelled())
		return __libc_calloc(count, bytes);
	if (__builtin_mul_overflow(count, bytes, &all)) {
		errno = ENOMEM;
		return NULL;
	}
	return allocate_zero(all);
}

RT_API void *realloc(void *p, size_t bytes)
{
	if (p && is_ours(p)) {
		if (bytes)
			return resize(p, bytes);
		give(p);
		return NULL;
	}
	if (p || !rt_is_modelled())
		return __libc_realloc(p, bytes);
	return allocate(16, bytes);
}

RT_API void *memalign(size_t align, size_t bytes)
{
	return rt_is_modelled() ? allocate(align, bytes) : __libc_memalign(align, bytes);
}

RT_API void *aligned_alloc(size_t align, size_t bytes)
{
	return memalign(align, bytes);
}

RT_API int posix_memalign(void **out, size_t align, size_t bytes)
{
	void *p;

	if (align < sizeof(void *) || align & (align - 1))
		return EINVAL;
	p = memalign(align, bytes);
	if (!p)
		return ENOMEM;
	*out = p;
	return 0;
}

RT_API void *valloc(size_t bytes)
{
	return memalign(4096, bytes);
}

RT_API size_t malloc_usable_size(void *p)
{
	return p && is_ours(p) ? head_of(p)->bytes : RT_REAL(malloc_usable_size)(p);
}

/* Calls from the program itself: the same, with their accesses. */
static void touch(void *p)
{
	__strata_access(p, &touch_read);
	__strata_access(p, &touch_write);
}

static void touch_block(void *p)
{
	size_t size;

	if (!p || !is_ours(p))
		return;
	touch(&lists[class_of(head_of(p)->bytes + head_of(p)->offset - sizeof(struct head), &size)]);
	touch(head_of(p));
}

#define MODELLED_ALLOCATION(name, params, args) \
	RT_API void *__strata_##name params;    \
	RT_API void *__strata_##name params     \
	{                                       \
		void *p = name args;            \
		if (__strata_on)                \
			touch_block(p);         \
		return p;                       \
	}
MODELLED_ALLOCATION(malloc, (size_t bytes), (bytes))
MODELLED_ALLOCATION(calloc, (size_t count, size_t bytes), (count, bytes))
MODELLED_ALLOCATION(realloc, (void *old, size_t bytes), (old, bytes))
MODELLED_ALLOCATION(aligned_alloc, (size_t align, size_t bytes), (align, bytes))

RT_API void __strata_free(void *p);
RT_API void __strata_free(void *p)
{
	if (__strata_on)
		touch_block(p);
	free(p);
}

/* Operators new and delete are C++'s or the program's own; they throw as they do. */
#define NEW(name)                                       \
	void *name(size_t bytes) __attribute__((weak)); \
	RT_API void *__strata_##name(size_t bytes);     \
	RT_API void *__strata_##name(size_t bytes)      \
	{                                               \
		void *p = name(bytes);                  \
		if (__strata_on)                        \
			touch_block(p);                 \
		return p;                               \
	}
#define DELETE(name, params, args)              \
	void name params __attribute__((weak)); \
	RT_API void __strata_##name params;     \
	RT_API void __strata_##name params      \
	{                                       \
		if (__strata_on)                \
			touch_block(p);         \
		name args;                      \
	}
NEW(_Znwm)
NEW(_Znam)
DELETE(_ZdlPv, (void *p), (p))
DELETE(_ZdaPv, (void *p), (p))
DELETE(_ZdlPvm, (void *p, size_t bytes), (p, bytes))
DELETE(_ZdaPvm, (void *p, size_t bytes), (p, bytes))
