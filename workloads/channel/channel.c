/*
 * channel - synthetic accesses of near-data processors (NDPs) on memory channels: those of the thesis on such
 * processors, section 4.8 (table 4.2 has the patterns), and the same by the CPU's cores.
 *
 * Each NDP, or each of as many teams of the CPU, has an array on its channel, in pieces of 32 bytes, the NDP's access.
 * All cores begin at one time; bandwidth is the pieces that all have accessed, over the time until the last has ended.
 * Every value that is read is checked by its sum, every value written afterwards.
 */
#include "common/teams.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct workload_about about = {
	.name = "channel",
	.summary = "Reads, writes and copies of near-data processors, in their own memory and in that of others.",
	.small_size = "the arrays have 64 KB, 1 team",
	.paper_size = "the arrays have 4 MB, 1 team",
};

enum pattern { LOCAL, ONE_TO_ONE, BROADCAST, SCATTER, GATHER, REDUCE, ALL_GATHER, ALL_REDUCE, COPY, INVALIDATE,
	       SEARCH };
enum access { READ, WRITE };
enum order { STREAM, RANDOM, CHASE };
enum where { NDPS, CPU };
enum state { STATE_CPU, STATE_SHARED, STATE_NDP };

static const char *const patterns[] = {"local",  "one-to-one", "broadcast",  "scatter", "gather",
				       "reduce", "all-gather", "all-reduce", "copy",     "invalidate", "search"};
static const char *const accesses[] = {"read", "write"};
static const char *const orders[] = {"stream", "random", "chase"};
static const char *const places[] = {"ndps", "cpu"};
static const char *const states[] = {"cpu", "shared", "ndp"};

enum { TEAMS_MAX = 64 };
enum { PATTERN, ACCESS, ORDER, WHERE, TEAMS, THREADS, KBYTES, EACH, STATE, PREFETCH, DIRTY, FILLED, TIMES };
static const struct workload_count counts[] = {
	{"pattern", "who accesses whose array", LOCAL, LOCAL, 0, SEARCH, 1, patterns},
	{"access", "of local and one-to-one", READ, READ, 0, WRITE, 1, accesses},
	{"order", "of local and one-to-one", STREAM, STREAM, 0, CHASE, 1, orders},
	{"where", "the cores that access; a machine without NDPs has only the CPU's", NDPS, NDPS, 0, CPU, 1, places},
	{"ndps", "NDPs, or teams of the CPU; the patterns between them need 2", 1, 1, 1, TEAMS_MAX, 1, NULL},
	{"threads", "cores of each; 0: all", 0, 0, 0, 4096, 1, NULL},
	{"kbytes", "kilobytes of each array", 64, 4096, 4, 1u << 26, 4, NULL},
	{"each", "a core's accesses in random order and chase; 0: as many as in a stream", 0, 0, 0, 1u << 30, 1, NULL},
	{"state", "who may have the arrays' lines at the beginning", STATE_CPU, STATE_CPU, 0, STATE_NDP, 1, states},
	{"prefetch", "pieces ahead that a core prefetches; in random order 1: every other one", 0, 0, 0, 64, 1, NULL},
	{"dirty", "megabytes of the first array that the CPU writes before", 0, 0, 0, 65536, 1, NULL},
	{"filled", "1: the arrays have values; 0: they are zero, and take no memory of the host", 1, 1, 0, 1, 1, NULL},
	{"times", "how often a search goes through the core's part", 1, 1, 1, 4096, 1, NULL},
};

enum { PIECE_WORDS = 4, PIECES_PER_LINE = 4 };

struct piece {
	uint64_t words[PIECE_WORDS];
};

/* What the machine counts, where it does, from the time when all begin until one core has ended. */
static const struct {
	const char *name, *unit;
} statistics[] = {
	{"channel.message_bytes", "bytes"},    {"channel.directory_bytes", "bytes"},
	{"channel.messages_up", "messages"},   {"channel.messages_down", "messages"},
	{"channel.point_lookups", "accesses"}, {"channel.point_hits", "accesses"},
	{"cpu.up_bytes", "bytes"},	       {"cpu.down_bytes", "bytes"},
	{"channel.data_up_bytes", "bytes"},    {"channel.data_down_bytes", "bytes"},
};
enum { STATISTIC_COUNT = sizeof(statistics) / sizeof(statistics[0]) };

struct bench {
	struct workload_options o;
	enum pattern pattern;
	enum order order;
	bool is_write, is_placed; /* on NDPs */
	uint32_t teams, threads;
	size_t pieces;	       /* of each array */
	struct piece **arrays; /* [teams] */
	struct piece **results; /* [teams]: of copies and sums; NULL: none */
	pthread_barrier_t ready;
	struct timespec begin;
	double *ended;	 /* [teams * threads]: seconds */
	uint64_t *sums;	 /* [teams * threads]: of what was read */
	size_t *counts;	 /* [teams * threads]: accesses */
	uint64_t statistics[STATISTIC_COUNT];
};

/* What word 0 of a piece holds; word 1 of one that was written. */
static uint64_t value_of(const struct bench *b, uint32_t team, size_t i)
{
	return b->o.counts[FILLED] ? i * 7 + team : 0;
}

static uint64_t mark_of(size_t i)
{
	return i ^ UINT64_C(0x5bd1e995);
}

/* A core's part of a stream. */
struct share {
	size_t begin, end;
};

static struct share share_of(size_t pieces, uint32_t part, uint32_t parts)
{
	const size_t lines = pieces / PIECES_PER_LINE;

	return (struct share){lines * part / parts * PIECES_PER_LINE, lines * (part + 1) / parts * PIECES_PER_LINE};
}

/* Random numbers at the price of a multiplication: Knuth's linear congruence, of which the upper bits are used. */
static uint64_t draw(uint64_t *state, size_t pieces)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint64_t)(((unsigned __int128)(*state >> 32) * pieces) >> 32);
}

static uint64_t draws_begin(const struct bench *b, uint32_t team, uint32_t thread)
{
	return workload_random(b->o.seed, team, thread);
}

/* ---- What a core does. Returns the sum of what it has read. ---- */

static uint64_t stream_read(const struct piece *at, struct share s, size_t ahead)
{
	uint64_t sum = 0;

	if (!ahead) {
		for (size_t i = s.begin; i < s.end; i++)
			sum += at[i].words[0];
		return sum;
	}
	for (size_t i = s.begin; i < s.end; i++) {
		__builtin_prefetch(&at[i + ahead]);
		sum += at[i].words[0];
	}
	return sum;
}

static void stream_write(struct piece *at, struct share s)
{
	for (size_t i = s.begin; i < s.end; i++)
		at[i].words[1] = mark_of(i);
}

/* One word of every line. */
static void lines_write(struct piece *at, struct share s)
{
	for (size_t i = s.begin; i < s.end; i += PIECES_PER_LINE)
		at[i].words[3] = mark_of(i);
}

static void copy(struct piece *to, const struct piece *from, struct share s, size_t ahead)
{
	for (size_t i = s.begin; i < s.end; i++) {
		if (ahead) {
			__builtin_prefetch(&from[i + ahead]);
			__builtin_prefetch(&to[i + ahead], 1);
		}
		to[i] = from[i];
	}
}

/* Two by two: the second is prefetched while the first is read, which is as many as a core can have under way. */
static uint64_t random_read(const struct piece *at, size_t pieces, uint64_t state, size_t n, bool is_ahead)
{
	uint64_t sum = 0;

	for (size_t k = 0; k + 1 < n; k += 2) {
		const size_t first = draw(&state, pieces), second = draw(&state, pieces);

		if (is_ahead)
			__builtin_prefetch(&at[second]);
		sum += at[first].words[0];
		sum += at[second].words[0];
	}
	if (n % 2)
		sum += at[draw(&state, pieces)].words[0];
	return sum;
}

static void random_write(struct piece *at, size_t pieces, uint64_t state, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		const size_t i = draw(&state, pieces);

		at[i].words[1] = mark_of(i);
	}
}

/* Word 2 leads from line to line, in one cycle. Returns the number of the last. The loop's own instructions are few
 * beside a load's time. */
static uint64_t chase(const struct piece *at, size_t n)
{
	const struct piece *p = at;

#pragma clang loop unroll_count(8)
	for (size_t k = 0; k < n; k++)
		p = (const struct piece *)p->words[2];
	return (uint64_t)(p - at);
}

/* Sums of words 0 of all arrays, into a result of the team's. */
static uint64_t reduce(const struct bench *b, uint32_t team, struct share s, uint32_t first)
{
	const struct piece *from[TEAMS_MAX]; /* on the core's stack: the table of all lies behind one channel */
	struct piece *result = b->results[team];
	const uint32_t teams = b->teams;
	uint64_t all = 0;

	memcpy(from, b->arrays, teams * sizeof(*from));
	for (size_t i = s.begin; i < s.end; i++) {
		uint64_t sum = 0;

		for (uint32_t q = first; q < teams; q++)
			sum += from[q][i].words[0];
		result[i].words[0] = sum;
		all += sum;
	}
	return all;
}

/* One search after the other through all of it. */
static uint64_t search(const struct bench *b, const struct piece *at, struct share s)
{
	uint64_t sum = 0;

	for (uint32_t k = 0; k < b->o.counts[TIMES]; k++)
		sum += stream_read(at, s, b->o.counts[PREFETCH]);
	return sum;
}

static size_t random_count(const struct bench *b)
{
	return b->o.counts[EACH] ? b->o.counts[EACH] : b->pieces / b->threads;
}

/* Of array `from`, a core's own part, or random pieces of all of it. */
static uint64_t access_array(struct bench *b, uint32_t team, uint32_t thread, uint32_t from, size_t *count)
{
	const struct share s = share_of(b->pieces, thread, b->threads);
	struct piece *at = b->arrays[from];

	*count = b->order == STREAM ? s.end - s.begin : random_count(b);
	if (b->order == CHASE)
		return chase(at, *count);
	if (b->order == RANDOM && b->is_write)
		random_write(at, b->pieces, draws_begin(b, team, thread), *count);
	else if (b->order == RANDOM)
		return random_read(at, b->pieces, draws_begin(b, team, thread), *count, b->o.counts[PREFETCH]);
	else if (b->is_write)
		stream_write(at, s);
	else
		return stream_read(at, s, b->o.counts[PREFETCH]);
	return 0;
}

/* Which of all arrays but the first, in pieces, by the root. */
static uint64_t gather(const struct bench *b, uint32_t thread, size_t *count)
{
	struct share all = share_of(b->pieces * (b->teams - 1), thread, b->threads);
	uint64_t sum = 0;

	*count = all.end - all.begin;
	while (all.begin < all.end) {
		const uint32_t from = 1 + (uint32_t)(all.begin / b->pieces);
		const size_t base = all.begin / b->pieces * b->pieces;
		const size_t end = all.end < base + b->pieces ? all.end : base + b->pieces;

		sum += stream_read(b->arrays[from], (struct share){all.begin - base, end - base},
				   b->o.counts[PREFETCH]);
		all.begin = end;
	}
	return sum;
}

static uint64_t core_work(struct bench *b, uint32_t team, uint32_t thread, size_t *count)
{
	const struct share own = share_of(b->pieces, thread, b->threads);
	const size_t ahead = b->o.counts[PREFETCH];

	*count = 0;
	switch (b->pattern) {
	case LOCAL:
		return access_array(b, team, thread, team, count);
	case ONE_TO_ONE:
		return team ? 0 : access_array(b, team, thread, 1, count);
	case BROADCAST:
		*count = team ? own.end - own.begin : 0;
		return team ? stream_read(b->arrays[0], own, ahead) : 0;
	case SCATTER: {
		const struct share s = share_of(b->pieces, (team - 1) * b->threads + thread,
						(b->teams - 1) * b->threads);

		*count = team ? s.end - s.begin : 0;
		return team ? stream_read(b->arrays[0], s, ahead) : 0;
	}
	case GATHER:
		return team ? 0 : gather(b, thread, count);
	case REDUCE:
		*count = team ? 0 : (own.end - own.begin) * (b->teams - 1);
		return team ? 0 : reduce(b, team, own, 1);
	case ALL_GATHER:
		*count = own.end - own.begin;
		return stream_read(b->arrays[(team + 1) % b->teams], own, ahead);
	case ALL_REDUCE:
		*count = (own.end - own.begin) * b->teams;
		return reduce(b, team, own, 0);
	case COPY:
		*count = own.end - own.begin;
		copy(b->results[team], b->arrays[team], own, ahead);
		return 0;
	case INVALIDATE:
		*count = own.end - own.begin;
		lines_write(b->arrays[team], own);
		return 0;
	case SEARCH:
		*count = (own.end - own.begin) * b->o.counts[TIMES];
		return search(b, b->arrays[team], own);
	}
	return 0;
}

/* ---- Before and after ---- */

static size_t bytes_of(const struct bench *b)
{
	/* More, so that parts do not begin in the same sets, and for what is prefetched. */
	return (b->pieces + 64) * sizeof(struct piece);
}

static struct piece *array_make(const struct bench *b, uint32_t team)
{
	struct piece *at = strata_alloc_on(bytes_of(b), team % strata_channel_count());

	if (!at)
		workload_fail("no memory for an array of %zu bytes on channel %u", bytes_of(b), team);
	return at;
}

/* One cycle through the lines, in random order. */
static void chase_make(const struct bench *b, struct piece *at)
{
	const size_t lines = b->pieces / PIECES_PER_LINE;

	for (size_t i = 0; i < lines; i++)
		at[i * PIECES_PER_LINE].words[2] = (uint64_t)&at[i * PIECES_PER_LINE];
	for (size_t i = lines - 1; i > 0; i--) {
		uint64_t *a = &at[i * PIECES_PER_LINE].words[2];
		uint64_t *other = &at[workload_random(b->o.seed, 0, i) % i * PIECES_PER_LINE].words[2], kept = *a;

		*a = *other;
		*other = kept;
	}
}

static void arrays_make(struct bench *b)
{
	const bool has_results = b->pattern == COPY || b->pattern == REDUCE || b->pattern == ALL_REDUCE;

	b->arrays = workload_host_alloc(b->teams, sizeof(struct piece *));
	b->results = workload_host_alloc(b->teams, sizeof(struct piece *));
	for (uint32_t team = 0; team < b->teams; team++) {
		b->arrays[team] = array_make(b, team);
		if (has_results)
			b->results[team] = array_make(b, team);
		if (!b->o.counts[FILLED])
			continue;
		for (size_t i = 0; i < b->pieces; i++)
			b->arrays[team][i] = (struct piece){{value_of(b, team, i), 0, 0, i}};
		if (has_results)
			memset(b->results[team], 0, bytes_of(b));
		if (b->order == CHASE)
			chase_make(b, b->arrays[team]);
	}
}

/* The state that was asked for; when modelling begins, all is the CPU's. */
static void claim(const struct bench *b, const void *at)
{
	static const enum strata_owner owners[] = {STRATA_CPU_OWNED, STRATA_SHARED, STRATA_NDP_OWNED};

	if (!at || b->o.counts[STATE] == STATE_CPU)
		return;
	workload_touch(at, bytes_of(b));
	strata_claim(at, bytes_of(b), owners[b->o.counts[STATE]]);
}

/* The CPU's caches have the beginning of the first array, modified. */
static void dirty(const struct bench *b)
{
	const size_t wanted = ((size_t)b->o.counts[DIRTY] << 20) / sizeof(struct piece);
	const size_t n = wanted < b->pieces ? wanted : b->pieces;

	for (size_t i = 0; i < n; i += PIECES_PER_LINE)
		b->arrays[0][i].words[3] = i;
}

/* All begin when the clock has come to a time after all are there: nobody then waits for, or wakes, anybody. */
static void begin_together(struct bench *b)
{
	if (pthread_barrier_wait(&b->ready) == PTHREAD_BARRIER_SERIAL_THREAD) {
		clock_gettime(CLOCK_MONOTONIC, &b->begin);
		b->begin.tv_nsec += 5000000;
		if (b->begin.tv_nsec >= 1000000000) {
			b->begin.tv_nsec -= 1000000000;
			b->begin.tv_sec++;
		}
	}
	pthread_barrier_wait(&b->ready);
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &b->begin, NULL))
		;
}

/* A core and the one before it then have its lines in their caches, unmodified. */
static uint64_t share_lines(const struct bench *b, uint32_t team, uint32_t thread)
{
	return stream_read(b->arrays[team], share_of(b->pieces, thread, b->threads), 0) +
	       stream_read(b->arrays[team], share_of(b->pieces, (thread + 1) % b->threads, b->threads), 0);
}

static void core_do(struct bench *b, uint32_t team)
{
	const uint32_t thread = (uint32_t)omp_get_thread_num(), index = team * b->threads + thread;
	const uint64_t before = b->pattern == INVALIDATE ? share_lines(b, team, thread) : 0;

	begin_together(b);
	if (!index)
		strata_reset_statistics();
	b->sums[index] = before + core_work(b, team, thread, &b->counts[index]);
	b->ended[index] = workload_seconds();
	/* By one core, as the others end: nothing that they share would be as quick. */
	if (thread || team != (b->pattern == BROADCAST || b->pattern == SCATTER))
		return;
	for (uint32_t i = 0; i < STATISTIC_COUNT; i++)
		b->statistics[i] = strata_statistic(statistics[i].name);
}

static void team_do(void *bench, uint32_t team)
{
	struct bench *b = bench;

#pragma omp parallel num_threads(b->threads)
	core_do(b, team);
}

static void teams_do(struct bench *b)
{
	uint32_t *ndps = workload_host_alloc(b->teams, sizeof(*ndps));

	for (uint32_t team = 0; team < b->teams; team++)
		ndps[team] = b->is_placed ? team : STRATA_ANY;
	workload_teams(b->teams, ndps, team_do, b);
	free(ndps);
}

/* ---- The check ---- */

static uint64_t sum_of(const struct bench *b, uint32_t from, struct share s)
{
	uint64_t sum = 0;

	for (size_t i = s.begin; i < s.end; i++)
		sum += value_of(b, from, i);
	return sum;
}

static uint64_t random_sum(const struct bench *b, uint32_t team, uint32_t thread, uint32_t from)
{
	uint64_t state = draws_begin(b, team, thread), sum = 0;

	for (size_t k = 0; k < random_count(b); k++)
		sum += value_of(b, from, draw(&state, b->pieces));
	return sum;
}

/* What all cores together must have read; they have their parts in the order of their numbers. */
static uint64_t sum_wanted(const struct bench *b)
{
	const struct share all = {0, b->pieces};
	const bool is_one = b->pattern == ONE_TO_ONE;
	uint64_t sum = 0, of_all = 0;

	for (uint32_t q = 0; q < b->teams; q++)
		of_all += sum_of(b, q, all);
	switch (b->pattern) {
	case LOCAL:
	case ONE_TO_ONE:
		if (b->is_write)
			return 0;
		for (uint32_t team = 0; team < (is_one ? 1 : b->teams); team++) {
			const uint32_t from = is_one ? 1 : team;

			if (b->order == STREAM)
				sum += sum_of(b, from, all);
			for (uint32_t t = 0; b->order == RANDOM && t < b->threads; t++)
				sum += random_sum(b, team, t, from);
			if (b->order == CHASE)
				sum += b->threads * chase(b->arrays[from], random_count(b));
		}
		return sum;
	case BROADCAST:
		return (b->teams - 1) * sum_of(b, 0, all);
	case SCATTER:
		return sum_of(b, 0, all);
	case GATHER:
	case REDUCE:
		return of_all - sum_of(b, 0, all);
	case ALL_GATHER:
		return of_all;
	case ALL_REDUCE:
		return b->teams * of_all;
	case COPY:
		return 0;
	case INVALIDATE:
		return 2 * of_all;
	case SEARCH:
		return b->o.counts[TIMES] * of_all;
	}
	return 0;
}

/* Pieces that were written have their mark, others none; in a stream all were. */
static bool marks_are_right(const struct bench *b, uint32_t from)
{
	size_t written = 0;

	for (size_t i = 0; i < b->pieces; i++) {
		const uint64_t mark = b->arrays[from][i].words[1];

		if (mark && mark != mark_of(i)) {
			fprintf(stderr, "piece %zu of array %u has mark %llx\n", i, from, (unsigned long long)mark);
			return false;
		}
		written += mark != 0;
	}
	return b->order == STREAM ? written == b->pieces : written > 0;
}

static bool lines_are_right(const struct bench *b)
{
	for (uint32_t team = 0; team < b->teams; team++)
		for (size_t i = 0; i < b->pieces; i += PIECES_PER_LINE)
			if (b->arrays[team][i].words[3] != mark_of(i))
				return false;
	return true;
}

static bool copies_are_right(const struct bench *b)
{
	for (uint32_t team = 0; team < b->teams; team++)
		if (memcmp(b->results[team], b->arrays[team], b->pieces * sizeof(struct piece)))
			return false;
	return true;
}

static bool is_right(const struct bench *b)
{
	uint64_t sum = 0;
	const uint64_t wanted = sum_wanted(b);

	for (uint32_t i = 0; i < b->teams * b->threads; i++)
		sum += b->sums[i];
	if (sum != wanted) {
		fprintf(stderr, "channel: the sum of what was read is %llu, not %llu\n", (unsigned long long)sum,
			(unsigned long long)wanted);
		return false;
	}
	if (b->pattern == COPY)
		return copies_are_right(b);
	if (b->pattern == INVALIDATE)
		return lines_are_right(b);
	return !b->is_write || marks_are_right(b, b->pattern == ONE_TO_ONE ? 1 : 0);
}

/* ---- All together ---- */

/* As many as the cores' parts of an odd number of lines have: parts a power of two apart would all be in the same sets
 * of the NDP-AP's cache. At most a line for each core more than was asked for. */
static size_t pieces_of(size_t wanted, uint32_t threads)
{
	const size_t lines = wanted / PIECES_PER_LINE / threads;

	return lines ? (lines | 1) * threads * PIECES_PER_LINE : wanted;
}

static struct bench bench_of(const struct workload_options *o)
{
	const uint32_t ndps = strata_ndp_count();
	struct bench b = {.o = *o,
			  .pattern = o->counts[PATTERN],
			  .order = o->counts[ORDER],
			  .is_write = o->counts[ACCESS] == WRITE,
			  .is_placed = o->counts[WHERE] == NDPS && ndps,
			  .teams = o->counts[TEAMS],
			  .threads = o->counts[THREADS]};
	const bool has_kinds = b.pattern == LOCAL || b.pattern == ONE_TO_ONE;
	const bool is_between = b.pattern != LOCAL && b.pattern != COPY && b.pattern != INVALIDATE &&
				b.pattern != SEARCH;

	if (is_between && b.teams < 2)
		workload_fail("--pattern %s wants --ndps 2 or more", patterns[b.pattern]);
	if (!has_kinds && (b.is_write || b.order != STREAM))
		workload_fail("--access and --order are for the patterns local and one-to-one");
	if (b.pattern != SEARCH && o->counts[TIMES] > 1)
		workload_fail("--times is for the pattern search");
	if (b.is_write && b.order == CHASE)
		workload_fail("a chase reads");
	if (!o->counts[FILLED] && (b.order == CHASE || b.is_write))
		workload_fail("--filled 0 is for reads in streams and random order");
	if (b.is_placed && b.teams > ndps)
		workload_fail("--ndps %u, but the machine has %u", b.teams, ndps);
	if (!b.threads && b.is_placed)
		b.threads = strata_ndp_cores();
	if (!b.threads)
		b.threads = ((uint32_t)omp_get_num_procs() + b.teams - 1) / b.teams;
	b.pieces = pieces_of((size_t)o->counts[KBYTES] * 1024 / sizeof(struct piece), b.threads);
	return b;
}

static double seconds_of(const struct bench *b)
{
	const double begin = (double)b->begin.tv_sec + (double)b->begin.tv_nsec * 1e-9;
	double last = 0;

	for (uint32_t i = 0; i < b->teams * b->threads; i++)
		if (b->counts[i] && b->ended[i] > last)
			last = b->ended[i];
	return last - begin;
}

static void statistics_say(const struct bench *b)
{
	for (uint32_t i = 0; i < STATISTIC_COUNT; i++)
		if (b->statistics[i] != UINT64_MAX)
			workload_measure(statistics[i].name, (double)b->statistics[i], statistics[i].unit);
}

int main(int argc, char **argv)
{
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct bench b = bench_of(&o);
	const uint32_t cores = b.teams * b.threads;
	size_t count = 0, most = 0;
	bool right;

	b.ended = workload_host_alloc(cores, sizeof(*b.ended));
	b.sums = workload_host_alloc(cores, sizeof(*b.sums));
	b.counts = workload_host_alloc(cores, sizeof(*b.counts));
	omp_set_dynamic(0);
	omp_set_max_active_levels(2);
	pthread_barrier_init(&b.ready, NULL, cores);
	strata_modelling_end();
	arrays_make(&b);
	strata_modelling_begin(STRATA_CACHES_COLD);
	dirty(&b);
	for (uint32_t team = 0; team < b.teams; team++) {
		claim(&b, b.arrays[team]);
		claim(&b, b.results[team]);
	}
	teams_do(&b);
	strata_modelling_end();
	statistics_say(&b);
	for (uint32_t i = 0; i < cores; i++) {
		count += b.counts[i];
		most = b.counts[i] > most ? b.counts[i] : most;
	}
	right = is_right(&b);
	workload_measure("bandwidth", (double)(count * sizeof(struct piece)) / seconds_of(&b) * 1e-9, "GB/s");
	workload_measure("time_per_access", seconds_of(&b) / (double)most * 1e9, "ns");
	workload_measure("measured_time", seconds_of(&b), "s");
	for (uint32_t team = 0; team < b.teams; team++) {
		strata_free(b.arrays[team], bytes_of(&b));
		if (b.results[team])
			strata_free(b.results[team], bytes_of(&b));
	}
	free(b.arrays);
	free(b.results);
	free(b.ended);
	free(b.sums);
	free(b.counts);
	pthread_barrier_destroy(&b.ready);
	return workload_finish(right, "%s %s in %s, %u teams of %u cores, %zu accesses",
			       patterns[b.pattern], accesses[b.is_write], orders[b.order], b.teams, b.threads, count);
}
