/*
 * Queries of a B+ tree by threads: the record of a key, and the records between two keys; queries for each thread,
 * which looks for a key in a node by halves, where the CUDA program has a thread for each.
 */
#include "btree/btree.h"
#include "common/steps.h"

#include <stdlib.h>
#include <string.h>

static const struct workload_about about = {"btree-omp", "Queries of a B+ tree, single keys and ranges, by threads.",
					    "65,536 records, 640 keys, 320 ranges",
					    "1,000,000 records, 10,000 keys, 6,000 ranges"};
static const struct workload_count counts[] = {
	{"records", "records in the tree", 65536, 1000000, 1, 16000000, 1, NULL},
	{"finds", "queries for one key", 640, 10000, 1, 1000000, 1, NULL},
	{"ranges", "queries for a range of keys", 320, 6000, 1, 1000000, 1, NULL},
};

enum { NODE_FILL = 192, KEY_GAP_MAX = 16, RANGE_KEYS_MAX = 4096 /* as in btree */ };

struct tree {
	uint32_t records_count, nodes_count, root, levels_count; /* levels above the leaves */
	uint32_t *keys, *values;				     /* [record], keys ascending from 0 */
	struct btree_node *nodes;
};

struct queries {
	uint32_t finds_count, ranges_count;
	uint32_t *finds, *lows, *highs;
	uint32_t *answers;
	struct btree_range *ranges;
};

/* One level of nodes over `count` entries with the given first keys; those of the nodes replace them. */
static uint32_t level_add(struct tree *tree, uint32_t *first_keys, uint32_t count, uint32_t first_child)
{
	uint32_t added = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct btree_node *node = &tree->nodes[tree->nodes_count + i / NODE_FILL];
		const uint32_t key = first_keys[i];

		if (i % NODE_FILL == 0) {
			memset(node->key, 0xff, sizeof(node->key));
			first_keys[added++] = key;
		}
		node->key[i % NODE_FILL] = key;
		node->child[i % NODE_FILL] = first_child + i;
	}
	tree->nodes_count += added;
	return added;
}

static struct tree tree_make(uint32_t records_count, uint64_t seed)
{
	struct tree tree = {.records_count = records_count};
	uint32_t *first_keys = workload_host_alloc(records_count, sizeof(*first_keys)), count = records_count;

	tree.keys = workload_host_alloc(count, sizeof(*tree.keys));
	tree.values = workload_host_alloc(count, sizeof(*tree.values));
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t gap = 1 + (uint32_t)(workload_random(seed, 0, i) % KEY_GAP_MAX);

		tree.keys[i] = i ? tree.keys[i - 1] + gap : 0;
		tree.values[i] = (uint32_t)(workload_random(seed, 1, i) >> 33);
	}
	memcpy(first_keys, tree.keys, count * sizeof(*first_keys));
	tree.nodes = workload_host_alloc(2 * (size_t)(count / NODE_FILL + 1) + 1, sizeof(*tree.nodes));
	count = level_add(&tree, first_keys, count, 0);
	while (count > 1) {
		count = level_add(&tree, first_keys, count, tree.nodes_count - count);
		tree.levels_count++;
	}
	tree.root = tree.nodes_count - 1;
	free(first_keys);
	return tree;
}

static struct queries queries_make(const struct tree *tree, uint32_t finds_count, uint32_t ranges_count, uint64_t seed)
{
	struct queries q = {.finds_count = finds_count, .ranges_count = ranges_count};

	q.finds = workload_host_alloc(finds_count, sizeof(*q.finds));
	q.answers = workload_host_alloc(finds_count, sizeof(*q.answers));
	q.lows = workload_host_alloc(ranges_count, sizeof(*q.lows));
	q.highs = workload_host_alloc(ranges_count, sizeof(*q.highs));
	q.ranges = workload_host_alloc(ranges_count, sizeof(*q.ranges));
	for (uint32_t i = 0; i < finds_count; i++)
		q.finds[i] = tree->keys[workload_random(seed, 2, i) % tree->records_count] + i % 2;
	for (uint32_t i = 0; i < ranges_count; i++) {
		q.lows[i] = tree->keys[workload_random(seed, 3, i) % tree->records_count] + i % 2;
		q.highs[i] = q.lows[i] + (uint32_t)(workload_random(seed, 4, i) % RANGE_KEYS_MAX);
	}
	return q;
}

/* The last slot whose key is not above `key`; the root's first key is 0, so that every node has one. */
static uint32_t slot_of(const struct btree_node *node, uint32_t key)
{
	uint32_t low = 0, high = BTREE_ORDER;

	while (high - low > 1) {
		const uint32_t middle = (low + high) / 2;

		if (node->key[middle] <= key)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static const struct btree_node *leaf_of(const struct tree *tree, uint32_t key)
{
	const struct btree_node *node = &tree->nodes[tree->root];

	for (uint32_t level = 0; level < tree->levels_count; level++)
		node = &tree->nodes[node->child[slot_of(node, key)]];
	return node;
}

static void queries_run(const struct tree *tree, const struct queries *q)
{
#pragma omp parallel for
	for (uint32_t i = 0; i < q->finds_count; i++) {
		const struct btree_node *leaf = leaf_of(tree, q->finds[i]);
		const uint32_t slot = slot_of(leaf, q->finds[i]);

		q->answers[i] = leaf->key[slot] == q->finds[i] ? tree->values[leaf->child[slot]] : BTREE_NONE;
	}
#pragma omp parallel for
	for (uint32_t i = 0; i < q->ranges_count; i++) {
		const struct btree_node *low = leaf_of(tree, q->lows[i]), *high = leaf_of(tree, q->highs[i]);
		const uint32_t first = slot_of(low, q->lows[i]), last = slot_of(high, q->highs[i]);

		q->ranges[i].first = low->child[first] + (low->key[first] < q->lows[i]);
		q->ranges[i].count = high->child[last] + 1 - q->ranges[i].first;
	}
}

/* Without the tree: the number of records with keys below `key`. */
static uint32_t records_below(const struct tree *tree, uint32_t key)
{
	uint32_t low = 0, high = tree->records_count;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (tree->keys[middle] < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool answers_check(const struct tree *tree, const struct queries *q)
{
	uint32_t *want = workload_host_alloc(q->finds_count + 2 * (size_t)q->ranges_count, sizeof(*want));
	uint32_t *ranges = want + q->finds_count;
	bool right;

	for (uint32_t i = 0; i < q->finds_count; i++) {
		const uint32_t record = records_below(tree, q->finds[i]);

		want[i] = record < tree->records_count && tree->keys[record] == q->finds[i] ? tree->values[record]
											       : BTREE_NONE;
	}
	for (uint32_t i = 0; i < q->ranges_count; i++) {
		ranges[2 * i] = records_below(tree, q->lows[i]);
		ranges[2 * i + 1] = records_below(tree, q->highs[i] + 1) - ranges[2 * i];
	}
	right = workload_same_u32("answer", q->answers, want, q->finds_count) &&
		workload_same_u32("range's first record, and its records", &q->ranges->first, ranges,
				  2 * (size_t)q->ranges_count);
	free(want);
	return right;
}

int main(int argc, char **argv)
{
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct tree tree;
	struct queries q;
	double begin;
	bool right;

	strata_modelling_end();
	tree = tree_make(o.counts[0], o.seed);
	q = queries_make(&tree, o.counts[1], o.counts[2], o.seed);
	workload_input(tree.keys, tree.records_count * sizeof(*tree.keys));
	workload_input(tree.values, tree.records_count * sizeof(*tree.values));
	workload_input(q.finds, q.finds_count * sizeof(*q.finds));
	workload_input(q.lows, q.ranges_count * sizeof(*q.lows));
	workload_input(q.highs, q.ranges_count * sizeof(*q.highs));
	begin = steps_begin();
	queries_run(&tree, &q);
	steps_end(begin);
	right = answers_check(&tree, &q);
	free(tree.keys);
	free(tree.values);
	free(tree.nodes);
	free(q.finds);
	free(q.answers);
	free(q.lows);
	free(q.highs);
	free(q.ranges);
	return workload_finish(right, "%u keys and %u ranges in %u records", q.finds_count, q.ranges_count,
			       tree.records_count);
}
