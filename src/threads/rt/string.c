/* string.c - the C library's functions on memory that programs use most, as the program's code: the plugin sends the
 * program's own calls here. Without Strata they are the C library's. */
#include "threads/rt/rt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A core's width: what one load or store of these loops moves. */
typedef char wide __attribute__((vector_size(16), aligned(1)));
enum { WIDE = sizeof(wide) };

/* Not merged into the hooks' side, which the plugin leaves alone. */
#define OWN static __attribute__((noinline))

RT_API void *__strata_access(void *address, const struct thread_site *site);
RT_API void __strata_block(const struct thread_site *site);

OWN void copy_up(char *to, const char *from, size_t bytes)
{
	for (; bytes >= WIDE; bytes -= WIDE, to += WIDE, from += WIDE)
		*(wide *)to = *(const wide *)from;
	for (; bytes; bytes--)
		*to++ = *from++;
}

OWN void copy_down(char *to, const char *from, size_t bytes)
{
	for (; bytes >= WIDE; bytes -= WIDE)
		*(wide *)(to + bytes - WIDE) = *(const wide *)(from + bytes - WIDE);
	for (; bytes; bytes--)
		to[bytes - 1] = from[bytes - 1];
}

OWN void fill(char *to, int value, size_t bytes)
{
	const char c = (char)value;
	const wide all = {c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c};

	for (; bytes >= WIDE; bytes -= WIDE, to += WIDE)
		*(wide *)to = all;
	for (; bytes; bytes--)
		*to++ = c;
}

OWN int compare(const unsigned char *a, const unsigned char *b, size_t bytes)
{
	for (; bytes >= 8; bytes -= 8, a += 8, b += 8) {
		uint64_t x, y;

		__builtin_memcpy_inline(&x, a, 8);
		__builtin_memcpy_inline(&y, b, 8);
		if (x != y)
			break;
	}
	for (; bytes; bytes--, a++, b++)
		if (*a != *b)
			return *a < *b ? -1 : 1;
	return 0;
}

OWN size_t length(const char *s, size_t max)
{
	size_t n = 0;

	while (n < max && s[n])
		n++;
	return n;
}

OWN int compare_text(const unsigned char *a, const unsigned char *b, size_t max)
{
	for (; max; max--, a++, b++)
		if (*a != *b || !*a)
			return *a - *b;
	return 0;
}

OWN const void *find(const unsigned char *s, int value, size_t bytes)
{
	for (; bytes; bytes--, s++)
		if (*s == (unsigned char)value)
			return s;
	return NULL;
}

/* Stable, as the C library's: merges runs of doubling length between the array and a copy. */
OWN void sort(char *base, size_t count, size_t bytes, int (*order)(const void *, const void *))
{
	char *other = malloc(count * bytes ? count * bytes : 1), *from = base, *to = other;

	for (size_t run = 1; run < count; run *= 2) {
		for (size_t first = 0; first < count; first += 2 * run) {
			size_t middle = first + run < count ? first + run : count;
			size_t end = middle + run < count ? middle + run : count, a = first, b = middle;

			for (size_t at = first; at < end; at++) {
				size_t next = b >= end || (a < middle && order(from + a * bytes, from + b * bytes) <= 0)
						  ? a++
						  : b++;

				copy_up(to + at * bytes, from + next * bytes, bytes);
			}
		}

		char *swap = from;

		from = to;
		to = swap;
	}
	if (from != base)
		copy_up(base, from, count * bytes);
	free(other);
}

#define MODELLED(type, name, params, native, modelled) \
	RT_API type __strata_##name params;            \
	RT_API type __strata_##name params             \
	{                                              \
		if (!__strata_on)                      \
			return native;                 \
		modelled;                              \
	}

MODELLED(void *, memcpy, (void *to, const void *from, size_t n), memcpy(to, from, n), copy_up(to, from, n); return to)
MODELLED(void *, memset, (void *to, int c, size_t n), memset(to, c, n), fill(to, c, n); return to)
MODELLED(void *, memmove, (void *to, const void *from, size_t n), memmove(to, from, n),
	 if ((uintptr_t)to - (uintptr_t)from < n) copy_down(to, from, n);
	 else copy_up(to, from, n); return to)
MODELLED(int, memcmp, (const void *a, const void *b, size_t n), memcmp(a, b, n), return compare(a, b, n))
MODELLED(int, bcmp, (const void *a, const void *b, size_t n), memcmp(a, b, n), return compare(a, b, n))
MODELLED(void *, memchr, (const void *s, int c, size_t n), (void *)memchr(s, c, n), return (void *)find(s, c, n))
MODELLED(size_t, strlen, (const char *s), strlen(s), return length(s, SIZE_MAX))
MODELLED(size_t, strnlen, (const char *s, size_t n), strnlen(s, n), return length(s, n))
MODELLED(int, strcmp, (const char *a, const char *b), strcmp(a, b),
	 return compare_text((const unsigned char *)a, (const unsigned char *)b, SIZE_MAX))
MODELLED(int, strncmp, (const char *a, const char *b, size_t n), strncmp(a, b, n),
	 return compare_text((const unsigned char *)a, (const unsigned char *)b, n))
MODELLED(char *, strcpy, (char *to, const char *from), strcpy(to, from), copy_up(to, from, length(from, SIZE_MAX) + 1);
	 return to)
MODELLED(char *, strncpy, (char *to, const char *from, size_t n), strncpy(to, from, n), size_t l = length(from, n);
	 copy_up(to, from, l); fill(to + l, 0, n - l); return to)
MODELLED(char *, strcat, (char *to, const char *from), strcat(to, from),
	 copy_up(to + length(to, SIZE_MAX), from, length(from, SIZE_MAX) + 1);
	 return to)
MODELLED(char *, strchr, (const char *s, int c), (char *)strchr(s, c),
	 return (char *)find((const unsigned char *)s, c, length(s, SIZE_MAX) + 1))
MODELLED(
    char *, strrchr, (const char *s, int c), (char *)strrchr(s, c), const char *last = NULL; for (;; s++) {
	    if (*s == (char)c)
		    last = s;
	    if (!*s)
		    return (char *)last;
    })
MODELLED(char *, strdup, (const char *s), strdup(s), size_t n = length(s, SIZE_MAX) + 1; char *copy = malloc(n);
	 if (copy) copy_up(copy, s, n); return copy)

RT_API void __strata_qsort(void *base, size_t count, size_t bytes, int (*order)(const void *, const void *));
RT_API void __strata_qsort(void *base, size_t count, size_t bytes, int (*order)(const void *, const void *))
{
	if (__strata_on)
		sort(base, count, bytes, order);
	else
		qsort(base, count, bytes, order);
}

/* Reading and writing touch their buffers. */
static const struct thread_site io_read = {.bytes = WIDE, .kind = THREAD_READ, .flags = THREAD_SITE_ORDERED},
				io_write = {.bytes = WIDE, .kind = THREAD_WRITE, .flags = THREAD_SITE_ORDERED};

static void __strata_touch(const void *p, ssize_t bytes, const struct thread_site *site)
{
	if (__strata_on)
		for (ssize_t at = 0; at < bytes; at += WIDE)
			__strata_access((char *)p + at, site);
}

#define IO(type, name, params, args, buffer, bytes_of, site)       \
	RT_API type __strata_##name params;                        \
	RT_API type __strata_##name params                         \
	{                                                          \
		type result = name args;                           \
		__strata_touch(buffer, (ssize_t)(bytes_of), site); \
		return result;                                     \
	}
IO(ssize_t, read, (int fd, void *p, size_t n), (fd, p, n), p, result, &io_write)
IO(ssize_t, write, (int fd, const void *p, size_t n), (fd, p, n), p, result, &io_read)
IO(ssize_t, pread, (int fd, void *p, size_t n, off_t at), (fd, p, n, at), p, result, &io_write)
IO(ssize_t, pwrite, (int fd, const void *p, size_t n, off_t at), (fd, p, n, at), p, result, &io_read)
IO(size_t, fread, (void *p, size_t size, size_t n, FILE *f), (p, size, n, f), p, result *size, &io_write)
IO(size_t, fwrite, (const void *p, size_t size, size_t n, FILE *f), (p, size, n, f), p, result *size, &io_read)
