/*
 * Exact string matching as in genome alignment: short queries against a long reference, by walking down the reference's
 * suffix tree.  Every step follows a pointer to a node elsewhere, and threads of a warp soon walk in different places.
 * The reference is random with repeats; most queries are cut out of it and then changed in a few letters.
 */
#include "common/workload.h"
#include "mum.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char mum_ptx[] =
#include WORKLOAD_PTX
    ;

enum {
	BLOCK_THREADS = 64,
	/* Matches of a query: of its suffixes that are long enough. */
	SUFFIXES_COUNT = MUM_QUERY_LENGTH - MUM_LENGTH_MIN + 1,
	TERMINATOR = MUM_LETTERS, /* ends the reference; greater than any letter, and in no query */
	REPEAT_LENGTH = 200,
	REPEAT_PERCENT = 10,  /* of the reference's pieces of that length are copies of earlier ones */
	CHANGED_PERCENT = 4,  /* of a query's letters */
	FOREIGN_PERCENT = 10, /* of the queries are not from the reference */
};

struct mum {
	unsigned int length; /* of the reference, terminator not counted */
	unsigned int queries_count;
	unsigned int nodes_count;
	unsigned char *reference;
	unsigned char *queries;
	struct mum_node *nodes;
	struct mum_match *matches; /* [suffix * queries_count + query] */
};

static unsigned int percent_draw(uint64_t seed, uint32_t stream, uint64_t index)
{
	return (unsigned int)(workload_random(seed, stream, index) % 100);
}

static void reference_make(struct mum *work, uint64_t seed)
{
	work->reference = workload_host_alloc(work->length + 1, 1);
	for (unsigned int i = 0; i < work->length; i++) {
		unsigned int piece = i / REPEAT_LENGTH;

		if (piece && percent_draw(seed, 1, piece) < REPEAT_PERCENT) {
			unsigned int from = (unsigned int)(workload_random(seed, 2, piece) % piece);

			work->reference[i] = work->reference[from * REPEAT_LENGTH + i % REPEAT_LENGTH];
		} else {
			work->reference[i] = (unsigned char)(workload_random(seed, 0, i) % MUM_LETTERS);
		}
	}
	work->reference[work->length] = TERMINATOR;
}

static void queries_make(struct mum *work, uint64_t seed)
{
	work->queries = workload_host_alloc(work->queries_count, MUM_QUERY_LENGTH);
	for (unsigned int query = 0; query < work->queries_count; query++) {
		uint64_t from = workload_random(seed, 3, query) % (work->length - MUM_QUERY_LENGTH);
		bool is_foreign = percent_draw(seed, 4, query) < FOREIGN_PERCENT;

		for (unsigned int i = 0; i < MUM_QUERY_LENGTH; i++) {
			uint64_t index = (uint64_t)query * MUM_QUERY_LENGTH + i;
			bool is_changed = is_foreign || percent_draw(seed, 5, index) < CHANGED_PERCENT;

			work->queries[index] = is_changed
						   ? (unsigned char)(workload_random(seed, 6, index) % MUM_LETTERS)
						   : work->reference[from + i];
		}
	}
}

/* Suffixes by the letters from there on; two of them differ at the latest where one has the terminator. */
static int suffix_compare(const void *a, const void *b)
{
	const unsigned char *x = *(const unsigned char *const *)a;
	const unsigned char *y = *(const unsigned char *const *)b;

	if (x == y)
		return 0;
	for (; *x == *y; x++)
		y++;
	return *x < *y ? -1 : 1;
}

static unsigned int common_length(const unsigned char *x, const unsigned char *y)
{
	unsigned int length = 0;

	while (x[length] == y[length])
		length++;
	return length;
}

/* All of `child` is known when it is attached. */
static void node_attach(struct mum *work, unsigned int parent, unsigned int child)
{
	unsigned char letter = work->reference[work->nodes[child].position + work->nodes[parent].depth];

	if (letter != TERMINATOR)
		work->nodes[parent].child[letter] = child;
	work->nodes[parent].places_count += work->nodes[child].places_count;
	work->nodes[parent].position = work->nodes[child].position;
}

/* Take the nodes deeper than `depth` off the path from the root; the path then ends in a node of that depth. */
static unsigned int path_cut(struct mum *work, unsigned int *path, unsigned int top, unsigned int depth)
{
	while (work->nodes[path[top]].depth > depth) {
		unsigned int child = path[top--];

		if (work->nodes[path[top]].depth < depth) {
			work->nodes[work->nodes_count].depth = depth;
			path[++top] = work->nodes_count++;
		}
		node_attach(work, path[top], child);
	}
	return top;
}

/* The suffix tree from the sorted suffixes: neighbours share the path down to where they differ. */
static void tree_make(struct mum *work)
{
	unsigned int count = work->length + 1;
	const unsigned char **suffixes = workload_host_alloc(count, sizeof(*suffixes));
	unsigned int *path = workload_host_alloc(count + 1, sizeof(*path));
	unsigned int top = 0;

	work->nodes = workload_host_alloc(2 * (size_t)count, sizeof(*work->nodes));
	for (unsigned int i = 0; i < count; i++)
		suffixes[i] = work->reference + i;
	qsort(suffixes, count, sizeof(*suffixes), suffix_compare);
	work->nodes_count = 1;
	for (unsigned int i = 0; i < count; i++) {
		unsigned int position = (unsigned int)(suffixes[i] - work->reference);

		top = path_cut(work, path, top, i ? common_length(suffixes[i - 1], suffixes[i]) : 0);
		work->nodes[work->nodes_count].position = position;
		work->nodes[work->nodes_count].depth = count - position;
		work->nodes[work->nodes_count].places_count = 1;
		path[++top] = work->nodes_count++;
	}
	path_cut(work, path, top, 0);
	free(suffixes);
	free(path);
}

static void match_run(struct mum *work)
{
	struct workload_gpu gpu = workload_gpu_open(mum_ptx);
	CUfunction kernel = workload_gpu_kernel(&gpu, "mum_match");
	size_t matches_bytes = (size_t)work->queries_count * SUFFIXES_COUNT * sizeof(struct mum_match);
	CUdeviceptr nodes = workload_device_copy(work->nodes, work->nodes_count * sizeof(*work->nodes));
	CUdeviceptr reference = workload_device_copy(work->reference, work->length + 1);
	CUdeviceptr queries = workload_device_copy(work->queries, (size_t)work->queries_count * MUM_QUERY_LENGTH);
	CUdeviceptr matches = workload_device_alloc(matches_bytes);
	void *params[] = {&nodes, &reference, &queries, &matches, &work->queries_count};

	workload_launch(kernel, (struct workload_dim){workload_ctas(work->queries_count, BLOCK_THREADS), 1, 1},
			(struct workload_dim){BLOCK_THREADS, 1, 1}, params);
	WORKLOAD_CUDA(cuMemcpyDtoH(work->matches, matches, matches_bytes));
	WORKLOAD_CUDA(cuMemFree(nodes));
	WORKLOAD_CUDA(cuMemFree(reference));
	WORKLOAD_CUDA(cuMemFree(queries));
	WORKLOAD_CUDA(cuMemFree(matches));
	workload_gpu_close(&gpu);
}

static bool match_same(unsigned int query, unsigned int suffix, struct mum_match got, struct mum_match want)
{
	if (got.length == want.length && got.position == want.position)
		return true;
	fprintf(stderr, "mum: query %u from letter %u matches %u letters at %u, expected %u at %u\n", query, suffix,
		got.length, got.position, want.length, want.position);
	return false;
}

static bool walks_check(const struct mum *work)
{
	for (unsigned int query = 0; query < work->queries_count; query++) {
		for (unsigned int i = 0; i < SUFFIXES_COUNT; i++) {
			const unsigned char *letters = work->queries + (size_t)query * MUM_QUERY_LENGTH + i;

			if (!match_same(query, i, work->matches[(size_t)i * work->queries_count + query],
					mum_walk(work->nodes, work->reference, letters, MUM_QUERY_LENGTH - i)))
				return false;
		}
	}
	return true;
}

/* Without the tree: try every place of the reference. */
static struct mum_match place_search(const struct mum *work, const unsigned char *letters, unsigned int length)
{
	struct mum_match best = {0, MUM_NONE};
	bool is_unique = false;

	for (unsigned int place = 0; place < work->length; place++) {
		unsigned int matched = 0;

		while (matched < length && letters[matched] == work->reference[place + matched])
			matched++;
		is_unique = matched > best.length || (is_unique && matched < best.length);
		if (matched > best.length) {
			best.length = matched;
			best.position = place;
		}
	}
	return is_unique && best.length >= MUM_LENGTH_MIN ? best : (struct mum_match){0, MUM_NONE};
}

static bool places_check(const struct mum *work)
{
	enum { CHECKED = 16 };

	for (unsigned int n = 0; n < CHECKED; n++) {
		unsigned int query = n * (work->queries_count / CHECKED);

		for (unsigned int i = 0; i < SUFFIXES_COUNT; i++) {
			const unsigned char *letters = work->queries + (size_t)query * MUM_QUERY_LENGTH + i;

			if (!match_same(query, i, work->matches[(size_t)i * work->queries_count + query],
					place_search(work, letters, MUM_QUERY_LENGTH - i)))
				return false;
		}
	}
	return true;
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {
	    "mum", "Exact matches of short queries in a suffix tree of a long reference.",
	    "5,120 queries of 25 letters, 65,536 letters", "50,000 queries of 25 letters, 140,000 letters"};
	struct workload_options options = workload_options_parse(&about, argc, argv);
	struct mum work = {
	    .length = options.paper ? 140000 : 65536,
	    .queries_count = options.paper ? 50000 : 5120,
	};
	bool right;

	reference_make(&work, options.seed);
	queries_make(&work, options.seed);
	tree_make(&work);
	work.matches = workload_host_alloc((size_t)work.queries_count * SUFFIXES_COUNT, sizeof(*work.matches));
	match_run(&work);
	right = walks_check(&work) && places_check(&work);
	free(work.reference);
	free(work.queries);
	free(work.nodes);
	free(work.matches);
	return workload_finish(right, "%u queries of %d letters in a reference of %u", work.queries_count,
			       (int)MUM_QUERY_LENGTH, work.length);
}
