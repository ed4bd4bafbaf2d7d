#include <strata/kernel.h>

#include "btree.h"

/*
 * Every CTA answers one query; its threads compare the keys of a node side by side, and the one whose slot fits stores
 * the node to go on with.  Where a query is, lies in global memory.  `levels_count` does not count the leaves.
 */

/* The last slot whose key is not above `key`; the root's first key is 0, so that in every node one thread has it. */
static __device__ __forceinline__ bool slot_fits(const struct btree_node *node, unsigned int slot, unsigned int key)
{
	return node->key[slot] <= key && (slot + 1 == BTREE_ORDER || key < node->key[slot + 1]);
}

/* The value of the record with a key; BTREE_NONE when there is none. */
extern "C" __global__ void btree_find(const struct btree_node *nodes, const unsigned int *values,
				      const unsigned int *keys, unsigned int *places, unsigned int *answers,
				      unsigned int levels_count)
{
	unsigned int query = blockIdx.x;
	unsigned int slot = threadIdx.x;
	unsigned int key = keys[query];
	const struct btree_node *node;

	for (unsigned int level = 0; level < levels_count; level++) {
		node = nodes + places[query];
		__syncthreads();
		if (slot_fits(node, slot, key))
			places[query] = node->child[slot];
		__syncthreads();
	}
	node = nodes + places[query];
	if (node->key[slot] == key)
		answers[query] = values[node->child[slot]];
}

/* The records between two keys, both included. */
extern "C" __global__ void btree_find_range(const struct btree_node *nodes, const unsigned int *lows,
					    const unsigned int *highs, unsigned int *low_places,
					    unsigned int *high_places, struct btree_range *ranges,
					    unsigned int levels_count)
{
	unsigned int query = blockIdx.x;
	unsigned int slot = threadIdx.x;
	unsigned int low = lows[query];
	unsigned int high = highs[query];
	const struct btree_node *low_node;
	const struct btree_node *high_node;

	for (unsigned int level = 0; level < levels_count; level++) {
		low_node = nodes + low_places[query];
		high_node = nodes + high_places[query];
		__syncthreads();
		if (slot_fits(low_node, slot, low))
			low_places[query] = low_node->child[slot];
		if (slot_fits(high_node, slot, high))
			high_places[query] = high_node->child[slot];
		__syncthreads();
	}
	low_node = nodes + low_places[query];
	high_node = nodes + high_places[query];
	if (slot_fits(low_node, slot, low))
		ranges[query].first = low_node->child[slot] + (low_node->key[slot] < low);
	__syncthreads();
	if (slot_fits(high_node, slot, high))
		ranges[query].count = high_node->child[slot] + 1 - ranges[query].first;
}
