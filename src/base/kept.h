/* kept.h - libraries that were compiled before and are kept in a folder, KEY-SUM.so: the key is all that decides what
 * is in one, the sum is of what is in it, so that a damaged one is not loaded. */
#ifndef STRATA_BASE_KEPT_H
#define STRATA_BASE_KEPT_H

#include <stdbool.h>

/* Libraries of one folder. */
struct base_kept {
	const char *folder;
	int sum_digits;	      /* of the sum in their names, at most 64 */
	bool is_of_user_only; /* one that somebody else owns, or may write, is none */
};

/* What a library of this key is called, to be freed with g_free; NULL: the file cannot be read. */
char *base_kept_name(const struct base_kept *k, const char *key, const char *library);
/* The library of this key, to be freed with g_free; NULL: there is none. Damaged ones are removed. */
char *base_kept_find(const struct base_kept *k, const char *key);
/* Is this a file of that kind (S_IFREG, S_IFDIR) that only the user may write? */
bool base_kept_is_ours(const char *path, unsigned kind);

#endif
