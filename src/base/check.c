/* check.c - prints what failed and where, with the state that the model describes, and aborts. */
#include "base/check.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

static void (*bug_describe)(void *ctx, char *buf, unsigned long size_bytes);
static void *bug_describe_ctx;
static char bug_mark[4352];

void base_bug_set_describe(void (*describe)(void *ctx, char *buf, unsigned long size_bytes), void *ctx)
{
	bug_describe = describe;
	bug_describe_ctx = ctx;
}

void base_bug_set_mark(const char *path)
{
	snprintf(bug_mark, sizeof(bug_mark), "%s", path);
}

_Noreturn void base_bug_at(const char *file, int line, const char *what)
{
	fprintf(stderr, "strata: internal error at %s:%d: %s\n", file, line, what);
	if (*bug_mark && open(bug_mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) < 0)
		perror(bug_mark);
	if (bug_describe) {
		char state[512] = "";
		void (*describe)(void *, char *, unsigned long) = bug_describe;

		bug_describe = NULL; /* a failing description must not recurse */
		describe(bug_describe_ctx, state, sizeof(state));
		fprintf(stderr, "strata: state: %s\n", state);
	}
	abort();
}
