/* reader.h - the YAML of machine descriptions: a mapping of texts and of groups of "name: value" lines, nothing more.
 *
 *   summary: one line            a text at the top
 *   extends: tom-baseline
 *   sm:                          a group
 *     warp_slots_count: 48       an item: group "sm", name "warp_slots_count", value "48"
 *
 * Everything that YAML has and this form does not (sequences, anchors, tags, deeper mappings, several documents) is an
 * error with its place, and so is a name given twice.
 */
#ifndef STRATA_MACHINE_READER_H
#define STRATA_MACHINE_READER_H

#include "base/diag.h"

struct machine_item {
	char *group; /* NULL: a text at the top */
	char *name, *value;
	struct base_place group_at, name_at, value_at; /* file points to the path given to machine_items_read */
};

struct machine_items {
	struct machine_item *items; /* in the order of the file */
	uint32_t count;
};

enum { MACHINE_FILE_BYTES_MAX = 1 << 20 };

/* Reads the file at path (kept in the places, so it must outlive *out). False with messages when it cannot be read or
 * has another form; *out then holds what was understood. Free with machine_items_free in both cases. */
bool machine_items_read(const char *path, struct machine_items *out, struct base_diag_list *diag);
void machine_items_free(struct machine_items *items);

#endif
