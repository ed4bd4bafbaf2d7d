/*
 * graph500 - the Graph500 benchmark by its specification (version 2.1): a Kronecker graph, breadth-first searches from
 * random roots, validation of every tree, and the statistics of traversed edges per second (TEPS).
 *
 * As in the thesis on near-data processors on memory channels, section 4.9: vertices are distributed over the
 * processors of memory channels, a thread for each makes its team; bitmaps of what was visited and of the queues. The
 * optimisations of section 6.5 are options.
 */
#include "common/teams.h"
#include "graph.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static const struct workload_about about = {
	.name = "graph500",
	.summary = "Graph500: breadth-first searches of a Kronecker graph with 16 edges per vertex, each validated.",
	.small_size = "scale 10, 4 roots",
	.paper_size = "scale 20, 64 roots",
};

enum { SCALE, ROOTS, NDPS, THREADS, WHERE, DIRECTION, ALPHA, BETA, CLAIM, CONSTRUCTION,
       VERTICES, ADJACENCY, SUMMARY, REMOTE, UNVISITED, PREFETCH, COUNT, FRONTIER };
enum { ON_NDPS, ON_CPU, APART, SHARED };
enum { CLAIM_SHARED, CLAIM_NOTHING, CLAIM_OWNED };
enum { FUNCTIONAL, MODELLED };
enum { NUMBERED, BY_DEGREE };
enum { UNSORTED, SORTED, HEAVIEST };
enum { INHIBITED, CACHEABLE };
enum { BITMAP, PREDECESSORS };
enum { NO_PREFETCH, PREFETCH_UNVISITED };
enum { COUNT_ALL, COUNT_TOP_DOWN };
enum { DISTRIBUTED, REPLICATED };
enum { ALPHA_DEFAULT = 14, BETA_DEFAULT = 24 };
static const char *const vertex_orders[] = {"numbered", "sorted"};
static const char *const adjacencies[] = {"unsorted", "sorted", "heaviest"};
static const char *const remotes[] = {"inhibited", "cacheable"};
static const char *const unvisiteds[] = {"bitmap", "predecessors"};
static const char *const prefetches[] = {"none", "unvisited"};
static const char *const countings[] = {"all", "top-down"};
static const char *const frontiers[] = {"distributed", "replicated"};
static const char *const places[] = {"ndps", "cpu", "apart", "shared"};
static const char *const directions[] = {"optimised", "top-down"};
static const char *const claims[] = {"shared", "nothing", "owned"};
static const char *const constructions[] = {"functional", "modelled"};
static const struct workload_count counts[] = {
	{"scale", "2^N vertices, 16 * 2^N edges", 10, 20, 6, 32, 1, NULL},
	{"roots", "searches", 4, 64, 1, 64, 1, NULL},
	{"ndps", "parts of the graph, each with its team of threads; a power of two", 1, 1, 1, GRAPH_PARTS_MAX, 1,
	 NULL},
	{"threads", "threads of a team; 0: as many as there are cores for each", 0, 0, 0, 4096, 1, NULL},
	{"where",
	 "the searches; apart: the CPU searches another graph meanwhile; shared: the first part's team is the CPU's; "
	 "a machine without NDPs has only the CPU",
	 ON_NDPS, ON_NDPS, 0, SHARED, 1, places},
	{"direction", "of the searches", GRAPH_OPTIMISED, GRAPH_OPTIMISED, 0, GRAPH_TOP_DOWN, 1, directions},
	/* Beamer, Asanovic, Patterson, SC 2012, section 6. */
	{"alpha", "bottom-up when the frontier has more than 1/N of the unexplored edges", ALPHA_DEFAULT,
	 ALPHA_DEFAULT, 1, 1000000, 1, NULL},
	{"beta", "top-down again when it has less than 1/N of the vertices", BETA_DEFAULT, BETA_DEFAULT, 1, 1000000,
	 1, NULL},
	{"claim", "state of the graph before a search; owned: the NDPs own what they write", CLAIM_SHARED, CLAIM_SHARED,
	 0, CLAIM_OWNED, 1, claims},
	{"construction", "of the rows, on a modelled machine", FUNCTIONAL, FUNCTIONAL, 0, MODELLED, 1, constructions},
	{"vertices", "as they are numbered, or by degree, dealt to the parts in turns", NUMBERED, NUMBERED, 0,
	 BY_DEGREE, 1, vertex_orders},
	{"adjacency",
	 "each vertex' neighbours as they came, or by degree; heaviest: and the first of them in an array of its own",
	 UNSORTED, UNSORTED, 0, HEAVIEST, 1, adjacencies},
	{"summary",
	 "phi: from the bottom up, a bit for 64 of a frontier of less than 1/N of the vertices is asked before them; "
	 "0: never, 1: always",
	 0, 0, 0, 1000000, 1, NULL},
	{"remote", "other parts' frontiers in NDPs' caches: not, or until they are flushed", INHIBITED, INHIBITED, 0,
	 CACHEABLE, 1, remotes},
	{"unvisited", "what says from the bottom up that a vertex is: its bit, or its predecessor", BITMAP, BITMAP, 0,
	 PREDECESSORS, 1, unvisiteds},
	{"prefetch", "by software, from the bottom up: nothing, or what says that vertices are unvisited", NO_PREFETCH,
	 NO_PREFETCH, 0, PREFETCH_UNVISITED, 1, prefetches},
	{"count", "levels that count the next frontier's edges: all, or where the choice of a direction needs them",
	 COUNT_ALL, COUNT_ALL, 0, COUNT_TOP_DOWN, 1, countings},
	{"frontier",
	 "each part has its vertices', or that of all, from the bottom up, which the CPU exchanges after each level",
	 DISTRIBUTED, DISTRIBUTED, 0, REPLICATED, 1, frontiers},
};

static struct graph_counted counted[] = {
	{.name = "channel.local"}, {.name = "channel.remote_reads"},
	{.name = "channel.remote_writes"}, {.name = "channel.remote_atomics"},
	{.name = "channel.point_lookups"}, {.name = "channel.point_hits"},
	{.name = "channel.lock_waits"}, {.name = "channel.lock_wait_ps"},
	{.name = "channel.near_bytes"}, {.name = "channel.point_in_bytes"},
	{.name = "channel.remote_bytes"}, {.name = "channel.processor_bytes"},
	{.name = "channel.directory_bytes"}, {.name = "channel.data_up_bytes"},
	{.name = "channel.point_out_bytes"}, {.name = "channel.instructions"},
	{.name = "channel.awake_ps"},
};

enum { ROOTS_MAX = 64, STREAM_ROOTS = 2 };

/* Specification, section 7: different vertices that have an edge to another one, by label. Returns how many there
 * are. */
static uint32_t roots_choose(const struct graph *g, uint64_t *roots, uint32_t wanted)
{
	uint32_t count = 0;

	for (uint64_t i = 0; count < wanted && i < 64 * g->edges.vertices; i++) {
		const uint64_t v =
			graph_label(g, workload_random(g->edges.seed, STREAM_ROOTS, i) & (g->edges.vertices - 1));
		bool is_new = graph_degree(graph_part_of(g, v), graph_local(g, v));

		for (uint32_t k = 0; is_new && k < count; k++)
			is_new = roots[k] != v;
		if (is_new)
			roots[count++] = v;
	}
	return count;
}

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Of sorted values, between neighbours in proportion. */
static double quantile(const double *x, uint32_t n, double q)
{
	const double at = q * (n - 1);
	const uint32_t below = (uint32_t)at;

	return below + 1 < n ? x[below] + (at - below) * (x[below + 1] - x[below]) : x[below];
}

/* Specification, section 10. TEPS is a rate: its mean is harmonic; the standard error of it is N. Norris', "The
 * standard errors of the geometric and harmonic means", 1940. */
static void statistics_say(double *teps, uint32_t n)
{
	static const struct {
		const char *name;
		double q;
	} quantiles[] = {{"min_TEPS", 0}, {"firstquartile_TEPS", 0.25}, {"median_TEPS", 0.5},
			 {"thirdquartile_TEPS", 0.75}, {"max_TEPS", 1}};
	double inverse = 0, squares = 0;

	for (uint32_t i = 0; i < n; i++)
		inverse += 1 / teps[i] / n;
	for (uint32_t i = 0; i < n; i++)
		squares += (1 / teps[i] - inverse) * (1 / teps[i] - inverse);
	qsort(teps, n, sizeof(*teps), compare);
	for (size_t i = 0; i < sizeof(quantiles) / sizeof(quantiles[0]); i++)
		workload_measure(quantiles[i].name, quantile(teps, n, quantiles[i].q), "edges/s");
	workload_measure("harmonic_mean_TEPS", 1 / inverse, "edges/s");
	workload_measure("harmonic_stddev_TEPS", n > 1 ? sqrt(squares) / (n - 1) / (inverse * inverse) : 0, "edges/s");
}

static struct graph graph_of(const struct workload_options *o, uint64_t seed, uint32_t parts, bool is_on_ndps)
{
	return (struct graph){.edges = {.seed = seed,
					.scale = o->counts[SCALE],
					.vertices = UINT64_C(1) << o->counts[SCALE],
					.count = (uint64_t)GRAPH_EDGE_FACTOR << o->counts[SCALE]},
			      .part_count = parts,
			      .is_placed = is_on_ndps && strata_ndp_count(),
			      .is_replicated = o->counts[FRONTIER] == REPLICATED,
			      .cpu_parts = o->counts[WHERE] == SHARED,
			      .layout = {.sorts_vertices = o->counts[VERTICES] == BY_DEGREE,
					 .sorts_adjacency = o->counts[ADJACENCY] != UNSORTED,
					 .has_heaviest = o->counts[ADJACENCY] == HEAVIEST},
			      .shift = o->counts[SCALE] - (unsigned int)__builtin_ctz(parts)};
}

/* What has no meaning where all levels are from the bottom up, by a frontier that is at hand. */
static void frontier_check(const struct workload_options *o)
{
	static const unsigned int others[] = {DIRECTION, SUMMARY, REMOTE, UNVISITED, PREFETCH, COUNT};

	if (o->counts[FRONTIER] == DISTRIBUTED)
		return;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (o->counts[others[i]] != counts[others[i]].small)
			workload_fail("--frontier replicated has no --%s", counts[others[i]].name);
	if (o->counts[ALPHA] != ALPHA_DEFAULT || o->counts[BETA] != BETA_DEFAULT)
		workload_fail("--frontier replicated has no --alpha and --beta: it chooses no direction");
	if (o->counts[WHERE] == APART || o->counts[WHERE] == SHARED)
		workload_fail("--frontier replicated is --where ndps or cpu: the CPU exchanges");
	if (o->counts[ADJACENCY] == HEAVIEST)
		workload_fail("--frontier replicated has no --adjacency heaviest");
}

static void parts_check(const struct workload_options *o)
{
	const uint32_t parts = o->counts[NDPS];

	if (parts & (parts - 1))
		workload_fail("--ndps wants a power of two, not %u", parts);
	if (o->counts[WHERE] != ON_CPU && strata_ndp_count() && parts > strata_ndp_count())
		workload_fail("--ndps %u, but the machine has %u", parts, strata_ndp_count());
	if ((UINT64_C(1) << o->counts[SCALE]) / parts < 64)
		workload_fail("--ndps %u is too many for 2^%u vertices: a part has at least 64", parts,
			      o->counts[SCALE]);
	if (o->counts[WHERE] == SHARED && parts < 2)
		workload_fail("--where shared wants --ndps 2 or more: the first part is the CPU's");
}

/* Kernel 1. Its time is known natively, and where it is modelled. */
static void construct(struct graph *g, uint32_t threads, bool is_modelled)
{
	const double begin = workload_seconds();

	if (is_modelled)
		strata_modelling_begin(STRATA_CACHES_COLD);
	graph_make(g, threads);
	if (is_modelled || !strata_time_ps())
		workload_measure("construction_time", workload_seconds() - begin, "s");
	strata_modelling_end();
}

/* One graph, or two that are searched at once, by the NDPs and by the CPU. */
struct searched {
	uint32_t count;
	struct graph graphs[2];
	struct graph_search searches[2];
	uint64_t roots[2][ROOTS_MAX];
	uint32_t now; /* which of the roots */
};

static void one_search(void *searched, uint32_t i)
{
	struct searched *s = searched;

	graph_search(&s->graphs[i], s->roots[i][s->now], &s->searches[i]);
}

static void one_begin(void *searched, uint32_t i)
{
	struct searched *s = searched;

	graph_begin(&s->graphs[i], &s->searches[i]);
}

/* By threads of the CPU, which make the teams. */
static void all_do(struct searched *s, void (*work)(void *searched, uint32_t i))
{
	static const uint32_t on_cpu[] = {STRATA_ANY, STRATA_ANY};

	workload_teams(s->count, on_cpu, work, s);
}

/* Seconds of a search, and the edges that it traversed (0: it is wrong). Nothing else is modelled: caches are as the
 * search before has left them. All lines are the CPU's when modelling begins, so that what is shared is claimed. */
static double search_timed(struct searched *s, uint32_t claim, uint64_t *edges)
{
	double seconds;

	strata_modelling_begin(STRATA_CACHES_KEPT);
	for (uint32_t i = 0; claim != CLAIM_NOTHING && i < s->count; i++)
		graph_claim(&s->graphs[i], claim == CLAIM_OWNED);
	seconds = workload_seconds();
	all_do(s, one_search);
	seconds = workload_seconds() - seconds;
	strata_modelling_end();
	*edges = 0;
	for (uint32_t i = 0; i < s->count; i++) {
		const uint64_t traversed = graph_validate(&s->graphs[i], s->roots[i][s->now]);

		if (!traversed) {
			*edges = 0;
			break;
		}
		*edges += traversed;
	}
	return seconds;
}

/* The teams' sizes: of the CPU's alone as its processors are divided among them. */
static uint32_t threads_wanted(const struct workload_options *o, const struct graph *g)
{
	if (o->counts[THREADS] || g->is_placed)
		return o->counts[THREADS];
	return ((uint32_t)omp_get_num_procs() + g->part_count - 1) / g->part_count;
}

static void searched_make(struct searched *s, const struct workload_options *o)
{
	const bool is_on_ndps = o->counts[WHERE] != ON_CPU;

	s->count = o->counts[WHERE] == APART ? 2 : 1;
	s->graphs[0] = graph_of(o, o->seed, o->counts[NDPS], is_on_ndps);
	s->graphs[1] = graph_of(o, o->seed + 1, 1, false);
	for (uint32_t i = 0; i < s->count; i++) {
		const uint32_t threads = threads_wanted(o, &s->graphs[i]);

		s->searches[i] = (struct graph_search){.threads = threads,
						       .direction = o->counts[DIRECTION],
						       .alpha = o->counts[ALPHA],
						       .beta = o->counts[BETA],
						       .phi = o->counts[SUMMARY],
						       .is_cacheable = o->counts[REMOTE] == CACHEABLE,
						       .is_by_predecessor = o->counts[UNVISITED] == PREDECESSORS,
						       .is_prefetching = o->counts[PREFETCH] == PREFETCH_UNVISITED,
						       .counts_on_demand = o->counts[COUNT] == COUNT_TOP_DOWN};
		construct(&s->graphs[i], threads ? threads : strata_ndp_cores(), o->counts[CONSTRUCTION] == MODELLED);
	}
}

/* The statistics are of the whole machine, so that one graph's searches count them. */
static void counting_make(struct searched *s)
{
	s->searches[0].counted = counted;
	s->searches[0].counted_count = sizeof(counted) / sizeof(counted[0]);
}

static void directions_say(const struct graph_search *s, uint32_t searches)
{
	static const char *const words[] = {"top_down", "bottom_up"};
	char name[64];

	for (uint32_t d = 0; d < 2; d++) {
		snprintf(name, sizeof(name), "%s.time", words[d]);
		workload_measure(name, s->seconds[d] / searches, "s");
		for (uint32_t i = 0; i < s->counted_count; i++) {
			if (counted[i].before == UINT64_MAX)
				continue;
			snprintf(name, sizeof(name), "%s.%s", words[d], counted[i].name);
			workload_measure(name, (double)counted[i].by[d] / searches, "");
		}
	}
}

static uint32_t searched_roots(struct searched *s, uint32_t wanted)
{
	uint32_t count = wanted;

	for (uint32_t i = 0; i < s->count; i++) {
		const uint32_t found = roots_choose(&s->graphs[i], s->roots[i], wanted);

		count = found < count ? found : count;
	}
	return count;
}

int main(int argc, char **argv)
{
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct searched *s = workload_host_alloc(1, sizeof(*s));
	uint64_t edges, levels = 0, bottom_up_levels = 0, summary_levels = 0;
	double teps[ROOTS_MAX], seconds, searching = 0;
	uint32_t root_count;
	bool is_right = true;

	parts_check(&o);
	frontier_check(&o);
	omp_set_dynamic(0);
	omp_set_max_active_levels(2);
	strata_modelling_end();
	searched_make(s, &o);
	strata_modelling_begin(STRATA_CACHES_COLD);
	all_do(s, one_begin);
	for (uint32_t i = 0; o.counts[REMOTE] == CACHEABLE && i < s->count; i++)
		graph_make_cacheable(&s->graphs[i]);
	strata_modelling_end();
	root_count = searched_roots(s, o.counts[ROOTS]);
	counting_make(s);
	for (s->now = 0; is_right && s->now < root_count; s->now++) {
		seconds = search_timed(s, o.counts[CLAIM], &edges);
		searching += seconds;
		levels += s->searches[0].levels;
		bottom_up_levels += s->searches[0].bottom_up_levels;
		summary_levels += s->searches[0].summary_levels;
		teps[s->now] = (double)edges / seconds;
		is_right = edges;
	}
	for (uint32_t i = 0; i < s->count; i++)
		graph_free(&s->graphs[i]);
	if (is_right) {
		workload_measure("mean_time", searching / root_count, "s");
		workload_measure("levels", (double)levels / root_count, "levels");
		workload_measure("bottom_up_levels", (double)bottom_up_levels / root_count, "levels");
		workload_measure("summary_levels", (double)summary_levels / root_count, "levels");
		directions_say(&s->searches[0], root_count);
		statistics_say(teps, root_count);
	}
	free(s);
	return workload_finish(is_right, "scale %u, %u roots, %u parts", o.counts[SCALE], root_count, o.counts[NDPS]);
}
