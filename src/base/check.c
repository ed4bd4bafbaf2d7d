#include "base/check.h"

#include <stdio.h>
#include <stdlib.h>

static void (*bug_describe)(void *ctx, char *buf, unsigned long size_bytes);
static void *bug_describe_ctx;

void base_bug_set_describe(void (*describe)(void *ctx, char *buf, unsigned long size_bytes), void *ctx)
{
	bug_describe = describe;
	bug_describe_ctx = ctx;
}

_Noreturn void base_bug_at(const char *file, int line, const char *what)
{
	fprintf(stderr, "strata: internal error at %s:%d: %s\n", file, line, what);
	if (bug_describe) {
		char state[512] = "";
		void (*describe)(void *, char *, unsigned long) = bug_describe;

		bug_describe = NULL; /* a failing description must not recurse */
		describe(bug_describe_ctx, state, sizeof(state));
		fprintf(stderr, "strata: state: %s\n", state);
	}
	abort();
}
