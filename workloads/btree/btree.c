/*
 * Queries of a B+ tree: the record of a key, and the records between two keys.  One CTA per query goes down from the
 * root, a thread per key of a node; nodes are read coalesced, but every level waits for the one before.
 */
#include "common/workload.h"
#include "btree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char btree_ptx[] =
#include WORKLOAD_PTX
    ;

enum {
	NODE_FILL = 192, /* slots used in a new tree: three of four */
	KEY_GAP_MAX = 16,
	RANGE_KEYS_MAX = 4096, /* between the ends of a range */
};

struct btree {
	uint32_t records_count;
	uint32_t *keys; /* [record], ascending from 0 */
	uint32_t *values;
	struct btree_node *nodes;
	uint32_t nodes_count;
	uint32_t root;
	uint32_t levels_count; /* above the leaves */
};

struct queries {
	uint32_t finds_count;
	uint32_t *finds;
	uint32_t *answers;
	uint32_t ranges_count;
	uint32_t *lows;
	uint32_t *highs;
	struct btree_range *ranges;
};

/* One level of nodes over `count` entries with the given first keys; those of the nodes replace them. */
static uint32_t level_add(struct btree *tree, uint32_t *first_keys, uint32_t count, uint32_t first_child)
{
	uint32_t added = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct btree_node *node = &tree->nodes[tree->nodes_count + i / NODE_FILL];
		uint32_t key = first_keys[i];

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

static void tree_make(struct btree *tree, uint64_t seed)
{
	uint32_t *first_keys = workload_host_alloc(tree->records_count, sizeof(*first_keys));
	uint32_t count = tree->records_count;

	tree->keys = workload_host_alloc(count, sizeof(*tree->keys));
	tree->values = workload_host_alloc(count, sizeof(*tree->values));
	for (uint32_t i = 0; i < count; i++) {
		uint32_t gap = 1 + (uint32_t)(workload_random(seed, 0, i) % KEY_GAP_MAX);

		tree->keys[i] = i ? tree->keys[i - 1] + gap : 0;
		tree->values[i] = (uint32_t)(workload_random(seed, 1, i) >> 33);
	}
	memcpy(first_keys, tree->keys, count * sizeof(*first_keys));
	/* The leaves, and at most as many nodes above them. */
	tree->nodes = workload_host_alloc(2 * (size_t)(count / NODE_FILL + 1) + 1, sizeof(*tree->nodes));
	count = level_add(tree, first_keys, count, 0);
	while (count > 1) {
		uint32_t children = tree->nodes_count - count;

		count = level_add(tree, first_keys, count, children);
		tree->levels_count++;
	}
	tree->root = tree->nodes_count - 1;
	free(first_keys);
}

static void queries_make(struct queries *queries, const struct btree *tree, uint64_t seed)
{
	queries->finds = workload_host_alloc(queries->finds_count, sizeof(*queries->finds));
	queries->answers = workload_host_alloc(queries->finds_count, sizeof(*queries->answers));
	queries->lows = workload_host_alloc(queries->ranges_count, sizeof(*queries->lows));
	queries->highs = workload_host_alloc(queries->ranges_count, sizeof(*queries->highs));
	queries->ranges = workload_host_alloc(queries->ranges_count, sizeof(*queries->ranges));
	/* One key after that of a record: now and then that of another one. */
	for (uint32_t i = 0; i < queries->finds_count; i++)
		queries->finds[i] = tree->keys[workload_random(seed, 2, i) % tree->records_count] + i % 2;
	for (uint32_t i = 0; i < queries->ranges_count; i++) {
		queries->lows[i] = tree->keys[workload_random(seed, 3, i) % tree->records_count] + i % 2;
		queries->highs[i] = queries->lows[i] + (uint32_t)(workload_random(seed, 4, i) % RANGE_KEYS_MAX);
	}
}

/* Device memory of one word per query. */
static CUdeviceptr words_fill(uint32_t word, uint32_t count)
{
	CUdeviceptr words = workload_device_alloc(count * sizeof(word));

	WORKLOAD_CUDA(cuMemsetD32(words, word, count));
	return words;
}

static void finds_run(const struct workload_gpu *gpu, CUdeviceptr nodes, const struct btree *tree,
		      struct queries *queries)
{
	uint32_t count = queries->finds_count;
	uint32_t levels_count = tree->levels_count;
	CUdeviceptr values = workload_device_copy(tree->values, tree->records_count * sizeof(*tree->values));
	CUdeviceptr keys = workload_device_copy(queries->finds, count * sizeof(*queries->finds));
	CUdeviceptr places = words_fill(tree->root, count);
	CUdeviceptr answers = words_fill(BTREE_NONE, count);
	void *params[] = {&nodes, &values, &keys, &places, &answers, &levels_count};

	workload_launch(workload_gpu_kernel(gpu, "btree_find"), (struct workload_dim){count, 1, 1},
			(struct workload_dim){BTREE_ORDER, 1, 1}, params);
	WORKLOAD_CUDA(cuMemcpyDtoH(queries->answers, answers, count * sizeof(*queries->answers)));
	WORKLOAD_CUDA(cuMemFree(values));
	WORKLOAD_CUDA(cuMemFree(keys));
	WORKLOAD_CUDA(cuMemFree(places));
	WORKLOAD_CUDA(cuMemFree(answers));
}

static void ranges_run(const struct workload_gpu *gpu, CUdeviceptr nodes, const struct btree *tree,
		       struct queries *queries)
{
	uint32_t count = queries->ranges_count;
	uint32_t levels_count = tree->levels_count;
	CUdeviceptr lows = workload_device_copy(queries->lows, count * sizeof(*queries->lows));
	CUdeviceptr highs = workload_device_copy(queries->highs, count * sizeof(*queries->highs));
	CUdeviceptr low_places = words_fill(tree->root, count);
	CUdeviceptr high_places = words_fill(tree->root, count);
	CUdeviceptr ranges = workload_device_alloc(count * sizeof(*queries->ranges));
	void *params[] = {&nodes, &lows, &highs, &low_places, &high_places, &ranges, &levels_count};

	workload_launch(workload_gpu_kernel(gpu, "btree_find_range"), (struct workload_dim){count, 1, 1},
			(struct workload_dim){BTREE_ORDER, 1, 1}, params);
	WORKLOAD_CUDA(cuMemcpyDtoH(queries->ranges, ranges, count * sizeof(*queries->ranges)));
	WORKLOAD_CUDA(cuMemFree(lows));
	WORKLOAD_CUDA(cuMemFree(highs));
	WORKLOAD_CUDA(cuMemFree(low_places));
	WORKLOAD_CUDA(cuMemFree(high_places));
	WORKLOAD_CUDA(cuMemFree(ranges));
}

static void queries_run(const struct btree *tree, struct queries *queries)
{
	struct workload_gpu gpu = workload_gpu_open(btree_ptx);
	CUdeviceptr nodes = workload_device_copy(tree->nodes, tree->nodes_count * sizeof(*tree->nodes));

	finds_run(&gpu, nodes, tree, queries);
	ranges_run(&gpu, nodes, tree, queries);
	WORKLOAD_CUDA(cuMemFree(nodes));
	workload_gpu_close(&gpu);
}

/* Without the tree: the number of records with keys below `key`. */
static uint32_t records_below(const struct btree *tree, uint32_t key)
{
	uint32_t low = 0;
	uint32_t high = tree->records_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (tree->keys[middle] < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool answers_check(const struct btree *tree, const struct queries *queries)
{
	for (uint32_t i = 0; i < queries->finds_count; i++) {
		uint32_t record = records_below(tree, queries->finds[i]);
		bool is_there = record < tree->records_count && tree->keys[record] == queries->finds[i];
		uint32_t want = is_there ? tree->values[record] : BTREE_NONE;

		if (queries->answers[i] != want) {
			fprintf(stderr, "btree: key %u has value %u, expected %u\n", queries->finds[i],
				queries->answers[i], want);
			return false;
		}
	}
	for (uint32_t i = 0; i < queries->ranges_count; i++) {
		uint32_t first = records_below(tree, queries->lows[i]);
		uint32_t count = records_below(tree, queries->highs[i] + 1) - first;

		if (queries->ranges[i].first != first || queries->ranges[i].count != count) {
			fprintf(stderr, "btree: keys %u to %u are %u records from %u, expected %u from %u\n",
				queries->lows[i], queries->highs[i], queries->ranges[i].count, queries->ranges[i].first,
				count, first);
			return false;
		}
	}
	return true;
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {"btree", "Queries of a B+ tree: single keys and ranges.",
						    "65,536 records, 640 keys, 320 ranges",
						    "1,000,000 records, 10,000 keys, 6,000 ranges"};
	static const struct workload_count counts[] = {
	    {"records", "records in the tree", 65536, 1000000, 1, 16000000, 1, NULL},
	    {"finds", "queries for one key", 640, 10000, 1, 1000000, 1, NULL},
	    {"ranges", "queries for a range of keys", 320, 6000, 1, 1000000, 1, NULL},
	};
	struct workload_options options = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct btree tree = {.records_count = options.counts[0]};
	struct queries queries = {.finds_count = options.counts[1], .ranges_count = options.counts[2]};
	bool right;

	tree_make(&tree, options.seed);
	queries_make(&queries, &tree, options.seed);
	workload_input(tree.keys, tree.records_count * sizeof(*tree.keys));
	workload_input(tree.values, tree.records_count * sizeof(*tree.values));
	workload_input(queries.finds, queries.finds_count * sizeof(*queries.finds));
	workload_input(queries.lows, queries.ranges_count * sizeof(*queries.lows));
	workload_input(queries.highs, queries.ranges_count * sizeof(*queries.highs));
	queries_run(&tree, &queries);
	right = answers_check(&tree, &queries);
	free(tree.keys);
	free(tree.values);
	free(tree.nodes);
	free(queries.finds);
	free(queries.answers);
	free(queries.lows);
	free(queries.highs);
	free(queries.ranges);
	return workload_finish(right, "%u keys and %u ranges in %u records", queries.finds_count, queries.ranges_count,
			       tree.records_count);
}
