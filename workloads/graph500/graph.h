/*
 * The graph of Graph500: edges of a Kronecker graph by number, and the same in compressed rows, vertices in parts.
 *
 * Part p has the vertices from p << shift on: what belongs to a vertex lies with its part, neighbours may be anywhere.
 * A vertex has the number that its edges give it, and a label, by which it is searched.
 */
#ifndef GRAPH500_GRAPH_H
#define GRAPH500_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

/* Graph500 specification 2.1, section 3.2. */
enum { GRAPH_EDGE_FACTOR = 16, GRAPH_PARTS_MAX = 64, GRAPH_HUB_EDGES = 512 };

struct graph_edges {
	uint64_t seed, vertices, count;
	unsigned int scale;
};

struct graph_edge {
	uint64_t from, to;
};

/* Edge number i of count: the same whenever it is asked for, so the list is never stored. */
struct graph_edge graph_edge_of(const struct graph_edges *e, uint64_t i);

/* Section 6.5.1 of the thesis on near-data processors on memory channels. A rank is a place in the order of degrees,
 * the largest first. */
struct graph_layout {
	bool sorts_vertices;  /* rank r is vertex r / parts of part r % parts; else labels are numbers */
	bool sorts_adjacency; /* a vertex' neighbours are in the order of their ranks */
	bool has_heaviest;    /* then it sorts them */
};

struct graph_part {
	uint64_t count;	      /* vertices */
	uint64_t used;	      /* the first ones, behind which none has a neighbour */
	uint64_t *begin;      /* [count + 1], in neighbours */
	uint64_t *neighbours; /* of each vertex, as often as there are edges; none is the vertex itself */
	uint64_t *heaviest;   /* of each vertex, its first neighbour; itself where there is none. NULL: not apart */
	/* A search's: one bit per vertex, in words; and each vertex's predecessor, -1 for none. */
	uint64_t *visited, *queues[2];
	uint64_t *replica; /* of all parts' vertices, those in the frontier; NULL: frontiers are not replicated */
	uint64_t *summary; /* a bit for each word of the queue that is the frontier */
	uint64_t *hubs; /* room for all vertices that have GRAPH_HUB_EDGES or more */
	uint64_t hub_count;
	int64_t *predecessor;
};

struct graph {
	struct graph_edges edges;
	uint32_t part_count; /* a power of two */
	bool is_placed;	     /* part p is on memory channel p, its team on the NDP there */
	bool is_replicated;  /* the frontier of all vertices is at each part */
	uint32_t cpu_parts;  /* the first ones, whose teams are on the CPU all the same */
	unsigned int shift;  /* log2 of the vertices of a part, at least 6 */
	struct graph_layout layout;
	struct graph_part *parts;
	uint32_t *ranks; /* by number; NULL: nothing is sorted */
};

/* Words of a part's summary: a bit for each word of a queue. */
static inline uint64_t graph_summary_words(const struct graph_part *p)
{
	return (p->count / 64 + 63) / 64;
}

static inline uint64_t graph_label_of_rank(const struct graph *g, uint64_t rank)
{
	return ((rank & (g->part_count - 1)) << g->shift) + rank / g->part_count;
}

static inline uint64_t graph_label(const struct graph *g, uint64_t number)
{
	return g->layout.sorts_vertices ? graph_label_of_rank(g, g->ranks[number]) : number;
}

static inline struct graph_part *graph_part_of(const struct graph *g, uint64_t vertex)
{
	return &g->parts[vertex >> g->shift];
}

static inline uint64_t graph_local(const struct graph *g, uint64_t vertex)
{
	return vertex & ((UINT64_C(1) << g->shift) - 1);
}

static inline uint64_t graph_degree(const struct graph_part *p, uint64_t local)
{
	return p->begin[local + 1] - p->begin[local];
}

/* Kernel 1 of the benchmark: compressed rows from the edges, by `threads` threads for each part. */
void graph_make(struct graph *g, uint32_t threads);
/* All of it is shared by the CPU and the NDPs (section 4.9.1 of the thesis), or what a search writes is the NDPs'. */
void graph_claim(const struct graph *g, bool is_owned);
/* Frontiers and their summaries may stay in the caches of NDPs at other parts. */
void graph_make_cacheable(const struct graph *g);
void graph_free(struct graph *g);

/* ---- Kernel 2: breadth-first search ---- */

enum graph_direction { GRAPH_OPTIMISED, GRAPH_TOP_DOWN };

/* A statistic of the machine in levels from the top down, and from the bottom up, of all searches; before is UINT64_MAX
 * if the machine has none of that name. */
struct graph_counted {
	const char *name;
	uint64_t before, by[2];
};

struct graph_search {
	uint32_t threads;	  /* of each part's team; 0: as many as there are cores where it is */
	enum graph_direction direction;
	uint32_t alpha, beta;	  /* of the direction's choice */
	uint32_t phi;		  /* summaries are for frontiers of less than 1/phi of all vertices; 0: never */
	bool is_cacheable;	  /* frontiers stay in the caches of NDPs elsewhere, until they are flushed */
	bool counts_on_demand;	  /* a frontier's edges are counted from the top down only, where the choice asks */
	bool is_by_predecessor;	  /* from the bottom up that says which vertices are not visited; else the bitmap */
	bool is_prefetching;	  /* what says it */
	struct graph_counted *counted;
	uint32_t counted_count;
	uint32_t levels, bottom_up_levels, summary_levels; /* set */
	double seconds[2];	  /* of levels from the top down, and from the bottom up; added to */
	double seconds_before;	  /* the end of the last one */
};

/* Makes the teams' threads, which then wait for searches. */
void graph_begin(const struct graph *g, const struct graph_search *s);
/* Fills the predecessors, of labels; the root, a label, is its own. */
void graph_search(const struct graph *g, uint64_t root, struct graph_search *s);
/* The same by frontiers that are replicated. */
void graph_search_replicated(const struct graph *g, uint64_t root, struct graph_search *s);
/* One thread of all, before the first level, and behind each. */
void graph_count_begin(struct graph_search *s);
void graph_count_level(struct graph_search *s, bool is_bottom_up);

/* The five checks of the specification, section 8, after a search, and that no two vertices have one label. Returns the
 * number of edges whose ends were reached, loops and repetitions counted; 0 after a message about the first vertex or
 * edge that is wrong. */
uint64_t graph_validate(const struct graph *g, uint64_t root);

#endif
