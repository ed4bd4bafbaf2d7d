/* edges.c - the edges of a Kronecker graph by number. */
#include "common/program.h"
#include "graph.h"

/* Graph500 specification 2.1, section 3.2: A = 0.57, B = 0.19, C = 0.19, as limits of a uniform 32-bit number. */
static const uint32_t limit_a = 2448131359u, limit_ab = 3264175145u, limit_abc = 4080218931u;

enum { STREAM_EDGES = 0, STREAM_LABELS = 1, DRAWS = 64 };

/* Vertices get other names, so that a name says nothing about the degree: a bijection of scale-bit numbers in rounds of
 * odd multiplications and shifts. The specification shuffles the edges as well, which makes no difference where they
 * are drawn independently. */
static uint64_t label(const struct graph_edges *e, uint64_t vertex)
{
	const uint64_t mask = e->vertices - 1;

	for (uint32_t round = 0; round < 4; round++) {
		const uint64_t key = workload_random(e->seed, STREAM_LABELS, round);

		vertex = (vertex * (key | 1) + (key >> 32)) & mask;
		vertex ^= vertex >> (e->scale / 2 + 1);
	}
	return vertex;
}

struct graph_edge graph_edge_of(const struct graph_edges *e, uint64_t i)
{
	struct graph_edge edge = {0, 0};
	uint64_t draws = 0;

	for (unsigned int level = 0; level < e->scale; level++) {
		uint32_t draw;

		/* One random word is two draws. */
		if (level % 2 == 0)
			draws = workload_random(e->seed, STREAM_EDGES, i * DRAWS + level / 2);
		draw = (uint32_t)(draws >> (level % 2 * 32));
		edge.from = edge.from << 1 | (draw >= limit_ab);
		edge.to = edge.to << 1 | ((draw >= limit_a && draw < limit_ab) || draw >= limit_abc);
	}
	return (struct graph_edge){label(e, edge.from), label(e, edge.to)};
}
