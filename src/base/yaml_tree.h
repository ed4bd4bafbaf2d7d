/* yaml_tree.h - a file of YAML whose lists and mappings nest, as a tree of nodes that know their places. Descriptions,
 * which are flat, have a form of their own: items.h. */
#ifndef STRATA_BASE_YAML_TREE_H
#define STRATA_BASE_YAML_TREE_H

#include "base/diag.h"

#include <yaml.h>

struct base_yaml {
	const char *path; /* kept in the places of messages */
	struct base_diag_list *diag;
	yaml_document_t doc;
};

/* What messages say that the file is: "a sweep", with "`machines:`, ..." in it. */
struct base_yaml_words {
	const char *thing, *example;
};

enum { BASE_YAML_BYTES_MAX = 1 << 20 };

/* Reads the file, whose root is a mapping, and gives that to take. False when there were messages. The nodes are gone
 * afterwards. */
bool base_yaml_read(const char *path, const struct base_yaml_words *words,
		    void (*take)(void *ctx, struct base_yaml *y, yaml_node_t *root), void *ctx,
		    struct base_diag_list *diag);

yaml_node_t *base_yaml_node(struct base_yaml *y, int index);
struct base_place base_yaml_place(const struct base_yaml *y, const yaml_node_t *n);

/* A value's text; NULL after a message: "expected WHAT", for it is a list or a mapping, or it is empty. */
const char *base_yaml_text(struct base_yaml *y, const yaml_node_t *n, const char *what);
/* A scalar's text as above, which may be empty. */
const char *base_yaml_words(struct base_yaml *y, const yaml_node_t *n, const char *what);
bool base_yaml_number(struct base_yaml *y, const yaml_node_t *n, const char *what, double *out);
/* A whole number of that range. */
bool base_yaml_count(struct base_yaml *y, const yaml_node_t *n, const char *what, double min, double max,
		     uint32_t *out);
/* Is it a mapping, a list? False after a message: "expected WHAT". */
bool base_yaml_is_mapping(struct base_yaml *y, const yaml_node_t *n, const char *what);
bool base_yaml_is_list(struct base_yaml *y, const yaml_node_t *n, const char *what);

#define BASE_YAML_EACH_ITEM(n, item) \
	for (yaml_node_item_t *item = (n)->data.sequence.items.start; item < (n)->data.sequence.items.top; item++)
#define BASE_YAML_EACH_PAIR(n, pair) \
	for (yaml_node_pair_t *pair = (n)->data.mapping.pairs.start; pair < (n)->data.mapping.pairs.top; pair++)

/* A mapping whose names are known: where the value of each is kept, NULL when it is not given. A name that is not
 * known, or given twice, is a mistake: "a sweep has no 'axis'; did you mean 'axes'?". */
struct base_yaml_entry {
	const char *name;
	yaml_node_t **value;
};
void base_yaml_entries(struct base_yaml *y, const yaml_node_t *n, const char *thing,
		       const struct base_yaml_entry *entries, uint32_t count);

#endif
