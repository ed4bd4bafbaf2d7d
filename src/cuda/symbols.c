/* symbols.c - every entry point of the interface, weak: it exists so that programs link and find it, and says that it
 * does nothing. Another file's definition of the same name takes its place. And the entry points by name and version.
 *
 * Built without cuda.h: the arguments are never read, so each is defined without any.
 */
#include "cuda/symbols.h"

#include <string.h>

#include "base/check.h"

#define WEAK(name, call)                                                                                               \
	__attribute__((weak, visibility("default"))) int name(void);                                                   \
	int name(void)                                                                                                 \
	{                                                                                                              \
		return call(#name);                                                                                    \
	}
#define SYMBOL(name, plain, since) WEAK(name, cuda_unsupported_call)
#define PER_THREAD(name, plain, since) WEAK(name, cuda_unsupported_call)
#define OLD(name, plain, since) WEAK(name, cuda_old_call)
#include "cuda/symbols.def"
#undef SYMBOL
#undef PER_THREAD
#undef OLD

static const struct symbol {
	const char *plain;
	int since;
	bool is_per_thread;
	int (*function)(void);
} symbols[] = {
#define SYMBOL(name, plain, since) {#plain, since, false, name},
#define PER_THREAD(name, plain, since) {#plain, since, true, name},
#define OLD(name, plain, since) {#plain, since, false, name},
#include "cuda/symbols.def"
#undef SYMBOL
#undef PER_THREAD
#undef OLD
};

static bool is_better(const struct symbol *s, const struct symbol *than)
{
	if (!than || s->is_per_thread != than->is_per_thread)
		return !than || s->is_per_thread;
	return s->since > than->since;
}

void *cuda_symbol_find(const char *name, int version, bool is_per_thread, bool *is_known)
{
	const struct symbol *best = NULL;

	*is_known = false;
	for (unsigned int i = 0; i < ARRAY_COUNT(symbols); i++) {
		const struct symbol *s = &symbols[i];

		if ((s->is_per_thread && !is_per_thread) || strcmp(s->plain, name))
			continue;
		*is_known = true;
		if (s->since <= version && is_better(s, best))
			best = s;
	}
	return best ? (void *)best->function : NULL;
}
