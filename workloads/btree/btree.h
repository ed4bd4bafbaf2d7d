/* Shared by the host program and the kernels: the tree's layout. */
#ifndef BTREE_H
#define BTREE_H

enum {
	BTREE_ORDER = 256, /* keys of a node, and threads of a CTA */
};

#define BTREE_NO_KEY 0xffffffffu /* in the slots that are not used; no record has it */
#define BTREE_NONE 0xffffffffu   /* no record */

/* Keys ascend.  Inside the tree, child[i] is the node of the keys from key[i] up to before key[i + 1]; in a leaf it is
 * the record of key[i]. */
struct btree_node {
	unsigned int key[BTREE_ORDER];
	unsigned int child[BTREE_ORDER];
};

/* Records between two keys, both included; they are numbered in the order of their keys. */
struct btree_range {
	unsigned int first; /* with a key that is not below the lower one */
	unsigned int count;
};

#endif
