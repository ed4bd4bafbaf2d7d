/* check.c - prints what failed and where, with the state that the model describes, and aborts. */
#include "base/check.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

static struct base_bug_state *bug_states;
static char bug_mark[4352];

void base_bug_state_add(struct base_bug_state *s)
{
	s->next = bug_states;
	bug_states = s;
}

void base_bug_state_remove(struct base_bug_state *s)
{
	struct base_bug_state **link = &bug_states;

	while (*link && *link != s)
		link = &(*link)->next;
	if (*link)
		*link = s->next;
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
	while (bug_states) {
		char state[512] = "";
		const struct base_bug_state *s = bug_states;

		bug_states = s->next; /* a failing description must not recurse */
		s->describe(s->ctx, state, sizeof(state));
		fprintf(stderr, "strata: state: %s\n", state);
	}
	abort();
}
