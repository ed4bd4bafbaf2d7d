/* diag.h - messages about the user's input: collected, each with its place, printed together.
 *
 * A diag list owns its texts. Functions that read input append to it and go on as far as makes sense, so that one
 * run reports all mistakes. Nothing here prints or exits; the cli and the driver do.
 */
#ifndef STRATA_BASE_DIAG_H
#define STRATA_BASE_DIAG_H

#include <stdbool.h>
#include <stdint.h>

struct base_diag {
	char *text;	   /* "FILE:LINE:COL: error: ..." or "error: ..." */
	struct base_diag *next;
};

struct base_diag_list {
	struct base_diag *first, *last;
	uint32_t error_count; /* all errors, also those dropped past BASE_DIAG_MAX */
	void *places;	      /* of keys that are known: base_diag_know */
	void *sources;	      /* their files' names, in the order of the first key of each */
	/* What follows is about this, which texts begin with, and its keys have this before them; NULL: nothing. Who
	 * sets them takes them back. */
	const char *about, *key_prefix;
};

enum { BASE_DIAG_MAX = 50 };

/* Where a message points. file may be NULL (no place); line and col are 1-based, 0 = unknown. */
struct base_place {
	const char *file;
	uint32_t line, col;
};

void base_diag_init(struct base_diag_list *list);
void base_diag_free(struct base_diag_list *list);

/* Appends one error; texts past BASE_DIAG_MAX are counted, not kept. */
void base_diag_error(struct base_diag_list *list, struct base_place at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The parameter's value stands here; a later place takes the place of an earlier one. */
void base_diag_know(struct base_diag_list *list, const char *key, struct base_place at);
/* Where that was; nowhere if nobody has said so. The file's name is the list's. */
struct base_place base_diag_place(const struct base_diag_list *list, const char *key);
/* Which of the sources, a file or the command line, that was, in the order in which they were read: 1 for the first, 0
 * if nobody has said so. */
uint32_t base_diag_source(const struct base_diag_list *list, const char *key);

/* Appends a warning, no error, about a parameter, with its place if that is known: "warning: KEY = VALUE: WHAT". */
void base_diag_warn(struct base_diag_list *list, const char *key, const char *value, const char *what);

/* One error about a parameter, with its place if that is known: "KEY = VALUE: WHAT". */
void base_diag_value(struct base_diag_list *list, const char *key, uint64_t value, const char *what);

/* All texts joined by newlines, malloc'ed, owned by the caller; "" if none. */
char *base_diag_join(const struct base_diag_list *list);

/* The member of names[0..count) nearest to word (edit distance at most a third of its length), or NULL: for
 * "did you mean". */
const char *base_nearest_name(const char *word, const char *const *names, uint32_t count);

#endif
