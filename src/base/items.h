/* items.h - the YAML of descriptions: a mapping of texts and of groups of "name: value" lines, nothing more.
 *
 *   summary: one line            a text at the top
 *   extends: tom-baseline
 *   sm:                          a group
 *     warp_slots_count: 48       an item: group "sm", name "warp_slots_count", value "48"
 *   memories:                    where words.nest is "memories": a group of texts and groups
 *     ddr:
 *       channel_count: 12        an item: group "memories.ddr", name "channel_count", value "12"
 *
 * Everything that YAML has and this form does not (sequences, anchors, tags, deeper mappings, several documents) is an
 * error with its place, and so is a name given twice.
 */
#ifndef STRATA_BASE_ITEMS_H
#define STRATA_BASE_ITEMS_H

#include "base/diag.h"

struct base_item {
	char *group; /* NULL: a text at the top */
	char *name, *value;
	struct base_place group_at, name_at, value_at; /* file points to the path given to base_items_read */
};

struct base_items {
	struct base_item *items; /* in the order of the file */
	uint32_t count;
};

/* What messages say that the file describes. */
struct base_item_words {
	const char *thing;   /* "machine": "not a machine description" */
	const char *example; /* a group: "sm" */
	const char *nest;    /* the group that may hold groups; NULL: none may */
};

enum { BASE_ITEMS_BYTES_MAX = 1 << 20 };

/* Reads the file at path (kept in the places, so it must outlive *out). False with messages when it cannot be read or
 * has another form; *out then holds what was understood. Free with base_items_free in both cases. */
bool base_items_read(const char *path, const struct base_item_words *words, struct base_items *out,
		     struct base_diag_list *diag);
void base_items_free(struct base_items *items);

#endif
