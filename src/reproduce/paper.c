/* paper.c - the papers of papers.def by name. */
#include "reproduce/paper.h"

#include <stddef.h>
#include <string.h>

#define PAPER(name) extern const struct reproduce_paper reproduce_##name;
#include "reproduce/papers.def"
#undef PAPER

static const struct reproduce_paper *const papers[] = {
#define PAPER(name) &reproduce_##name,
#include "reproduce/papers.def"
#undef PAPER
};

static const char *const names[] = {
#define PAPER(name) #name,
#include "reproduce/papers.def"
#undef PAPER
	NULL,
};

const struct reproduce_paper *reproduce_paper_find(const char *name)
{
	for (uint32_t i = 0; names[i]; i++) {
		if (!strcmp(names[i], name))
			return papers[i];
	}
	return NULL;
}

const char *const *reproduce_paper_names(void)
{
	return names;
}
