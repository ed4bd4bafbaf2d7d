/* check.h - the two ways of stopping for our own bugs.
 *
 * CHECK is always on and must be O(1). It is for our mistakes only: what a user can cause goes through
 * base/diag.h. A failed CHECK prints the place, the expression and a state line, and aborts (exit by SIGABRT).
 */
#ifndef STRATA_BASE_CHECK_H
#define STRATA_BASE_CHECK_H

/* Prints "strata: internal error at FILE:LINE: WHAT" and a line of each state that was added, then aborts. */
_Noreturn void base_bug_at(const char *file, int line, const char *what);

/* Describes a part of the simulation's state in one line for the bug message; describe must not allocate. */
struct base_bug_state {
	void (*describe)(void *ctx, char *buf, unsigned long size_bytes);
	void *ctx;
	struct base_bug_state *next; /* added before */
};
/* The caller's own, from add to remove. */
void base_bug_state_add(struct base_bug_state *s);
void base_bug_state_remove(struct base_bug_state *s);

/* Names a file ("": none) that is made, empty, when a bug is found: who started the process learns that it was ours. */
void base_bug_set_mark(const char *path);

#define CHECK(e) (__builtin_expect(!!(e), 1) ? (void)0 : base_bug_at(__FILE__, __LINE__, #e))
#define UNREACHABLE(why) base_bug_at(__FILE__, __LINE__, "unreachable: " why)

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* For what all that is hot comes by, from one place or two for each form: a copy costs less than a call. */
#define ALWAYS_INLINE inline __attribute__((always_inline))

/* A cache line of the host: what is used together should lie in as few of them as possible. */
enum { HOST_LINE_BYTES = 64 };

#define ARRAY_COUNT(a) (sizeof(a) / sizeof((a)[0]))

#endif
