/* Shared by the host program and the kernel: the suffix tree, and how a query is matched. */
#ifndef MUM_H
#define MUM_H

enum {
	MUM_LETTERS = 4, /* A, C, G, T as 0 to 3 */
	MUM_QUERY_LENGTH = 25,
	MUM_LENGTH_MIN = 20, /* shorter matches are not reported */
};

#define MUM_NONE 0xffffffffu

/*
 * A node stands for the string that leads to it from the root (node 0); 32 bytes.  The letters on the edge into it are
 * those of the reference at position + (its parent's depth) to position + depth - 1.
 */
struct mum_node {
	unsigned int child[MUM_LETTERS]; /* by the first letter of the edge; 0: there is none */
	unsigned int position;           /* where in the reference the node's string begins, one of the places */
	unsigned int depth;              /* letters of its string */
	unsigned int places_count;       /* in how many places it begins */
	unsigned int unused;             /* a node is one sector */
};

/* The longest match of a suffix of a query: maximal, and unique if it occurs once in the reference. */
struct mum_match {
	unsigned int length;   /* 0: shorter than MUM_LENGTH_MIN, or not unique */
	unsigned int position; /* in the reference; MUM_NONE */
};

#if defined(__CUDA__) || defined(__CUDACC__)
#define MUM_BOTH static __device__ __forceinline__
#else
#define MUM_BOTH static inline
#endif

/* Walk down from the root along query[0] to query[length - 1]. */
MUM_BOTH struct mum_match mum_walk(const struct mum_node *nodes, const unsigned char *reference,
				   const unsigned char *query, unsigned int length)
{
	struct mum_match match = {0, MUM_NONE};
	unsigned int node = 0;
	unsigned int matched = 0;

	/* At the end of an edge: all of the node's string is matched. */
	while (matched < length && matched == nodes[node].depth) {
		unsigned int next = nodes[node].child[query[matched]];

		if (!next)
			break;
		node = next;
		do {
			matched++;
		} while (matched < length && matched < nodes[node].depth &&
			 query[matched] == reference[nodes[node].position + matched]);
	}
	if (matched >= MUM_LENGTH_MIN && nodes[node].places_count == 1) {
		match.length = matched;
		match.position = nodes[node].position;
	}
	return match;
}

#endif
