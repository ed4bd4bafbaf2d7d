/* shared.c - programs of direct.csv that run on processors, NDPs or both: streams, random and dependent accesses,
 * atomics, locks, barriers, lines that are handed on, and all of it at random. */
#include "direct.h"

#include <stdlib.h>
#include <string.h>

enum { WORD = 8, LINE_WORDS = 16, SPIN_MAX = 1 << 20 };

static const uint16_t loop[THREAD_CLASS_COUNT] = {
    [THREAD_CLASS_integer] = 2, [THREAD_CLASS_branch] = 1, [THREAD_CLASS_memory] = 1};
static const uint16_t address[THREAD_CLASS_COUNT] = {
    [THREAD_CLASS_integer] = 4, [THREAD_CLASS_multiply] = 1, [THREAD_CLASS_memory] = 1};
static const uint16_t pause_loop[THREAD_CLASS_COUNT] = {
    [THREAD_CLASS_integer] = 6, [THREAD_CLASS_branch] = 2, [THREAD_CLASS_memory] = 1};

static struct barrier *all; /* of all workers */

static uint64_t *words(uint64_t count)
{
	return direct_room(count * WORD);
}

static void make_barrier(void)
{
	all = direct_room(sizeof(*all));
}

/* A loop that waits turns until it sees the value. */
static void spin_until(const uint64_t *word, uint64_t value)
{
	for (uint32_t i = 0; i < SPIN_MAX && atomic_load(word) != value; i++)
		pass(pause_loop);
}

/* ---- stream: a = b + 3 c by pairs, each worker's part its own, and one that is read once more ---- */

static struct {
	double *a, *b, *c;
	uint64_t *stack;
	uint64_t stride; /* parts begin at pages */
} stream;

static void stream_begin(void)
{
	const uint64_t page = direct.machine->page_bytes / sizeof(double);
	size_t bytes;

	stream.stride = (direct.count + page - 1) / page * page;
	bytes = direct.workers * stream.stride * sizeof(double);

	stream.a = direct_room(bytes);
	stream.b = direct_room(bytes);
	stream.c = direct_room(bytes);
	stream.stack = direct_stack(direct.workers * LINE_WORDS * WORD);
}

static void triad(uint64_t first, uint64_t *spilled)
{
	static const uint16_t pair[THREAD_CLASS_COUNT] = {[THREAD_CLASS_integer] = 2, [THREAD_CLASS_branch] = 1,
		[THREAD_CLASS_memory] = 1, [THREAD_CLASS_vector] = 2, [THREAD_CLASS_lane_float] = 4};
	double b[2], c[2], a[2];

	for (uint64_t i = first; i < first + direct.count; i += 2) {
		memcpy(b, access_read(&stream.b[i], sizeof(b), 3), sizeof(b));
		memcpy(c, access_read(&stream.c[i], sizeof(c), 1), sizeof(c));
		pass(pair);
		a[0] = b[0] + 3 * c[0];
		a[1] = b[1] + 3 * c[1];
		memcpy(access_write(&stream.a[i], sizeof(a)), a, sizeof(a));
		if (i % 32 == 0)
			store(spilled, i);
	}
}

static void stream_work(uint32_t worker)
{
	const uint64_t first = worker * stream.stride;

	for (uint64_t i = first; i < first + direct.count; i++) {
		pass(loop);
		*(double *)access_write(&stream.b[i], sizeof(double)) = (double)i;
		*(double *)access_write(&stream.c[i], sizeof(double)) = (double)(i % 7);
	}
	fence();
	for (uint32_t round = 0; round < 2; round++)
		triad(first, &stream.stack[worker * LINE_WORDS]);
}

static bool stream_check(void)
{
	for (uint64_t i = 0; i < direct.workers * stream.stride; i++)
		if (i % stream.stride < direct.count && stream.a[i] != (double)i + 3 * (double)(i % 7))
			return false;
	return true;
}

/* ---- random: words of one table, anywhere; each fourth by an atomic that all see ---- */

enum { RANDOM_WORDS = 1 << 17, RANDOM_ATOMIC = 4 };

static struct {
	uint64_t *table, *sums;
} anywhere;

static void random_begin(void)
{
	anywhere.table = words(RANDOM_WORDS);
	anywhere.sums = words(direct.workers);
}

static void random_work(uint32_t worker)
{
	uint64_t state = worker + 1, sum = 0;

	for (uint64_t i = 0; i < direct.count; i++) {
		const uint64_t value = direct_random(&state);
		uint64_t *at = &anywhere.table[value % (RANDOM_WORDS / 2) * 2];

		pass(address);
		if (i % RANDOM_ATOMIC == 0) {
			fetch_xor(at, value);
			sum ^= value;
		} else {
			store(at + 1, load(at + 1, 2) ^ value);
		}
	}
	anywhere.sums[worker] = sum;
}

static bool random_check(void)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < RANDOM_WORDS; i += 2)
		sum ^= anywhere.table[i];
	for (uint32_t i = 0; i < direct.workers; i++)
		sum ^= anywhere.sums[i];
	return !sum;
}

/* ---- chase: each load's address is what the load before has found ---- */

enum { CHASE_NODES = 1 << 14, CHASE_WORDS = 16 };

static struct {
	uint64_t *nodes, *found;
} chase;

/* One ring through all nodes (Sattolo). */
static void chase_begin(void)
{
	uint64_t state = 1;

	chase.nodes = words(CHASE_NODES * CHASE_WORDS);
	chase.found = words(direct.workers);
	for (uint64_t i = 0; i < CHASE_NODES; i++)
		chase.nodes[i * CHASE_WORDS] = i;
	for (uint64_t i = CHASE_NODES - 1; i; i--) {
		uint64_t *a = &chase.nodes[i * CHASE_WORDS];
		uint64_t *b = &chase.nodes[direct_random(&state) % i * CHASE_WORDS], held = *a;

		*a = *b;
		*b = held;
	}
}

static void chase_work(uint32_t worker)
{
	uint64_t node = worker * (CHASE_NODES / direct.workers);

	for (uint64_t i = 0; i < direct.count; i++) {
		pass(loop);
		node = load(&chase.nodes[node * CHASE_WORDS], 1);
	}
	chase.found[worker] = node;
}

static bool chase_check(void)
{
	for (uint32_t worker = 0; worker < direct.workers; worker++) {
		uint64_t node = worker * (CHASE_NODES / direct.workers);

		for (uint64_t i = 0; i < direct.count; i++)
			node = chase.nodes[node * CHASE_WORDS];
		if (chase.found[worker] != node)
			return false;
	}
	return true;
}

/* ---- count: one word of all, then many, then a word of each worker's own in a line of all ---- */

enum { BUCKETS = 512 };

static struct {
	uint64_t *one, *buckets, *own;
} counted;

static void count_begin(void)
{
	counted.one = words(1);
	counted.buckets = words(BUCKETS);
	counted.own = words(direct.workers);
}

static void count_work(uint32_t worker)
{
	uint64_t state = worker + 1;

	for (uint64_t i = 0; i < direct.count; i++) {
		pass(loop);
		if (i % 8 == 0)
			fetch_add(counted.one, 1);
	}
	for (uint64_t i = 0; i < direct.count; i++) {
		pass(address);
		fetch_add(&counted.buckets[direct_random(&state) % BUCKETS], 1);
	}
	for (uint64_t i = 0; i < direct.count; i++) {
		pass(loop);
		store(&counted.own[worker], load(&counted.own[worker], 1) + 1);
	}
}

static bool count_check(void)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < BUCKETS; i++)
		sum += counted.buckets[i];
	for (uint32_t i = 0; i < direct.workers; i++)
		if (counted.own[i] != direct.count)
			return false;
	return sum == direct.workers * direct.count && *counted.one == direct.workers * ((direct.count + 7) / 8);
}

/* ---- lock: a mutex that waits, a lock that spins, and a barrier after each round ---- */

static struct {
	uint64_t *mutex, *spin, *held, *spun;
} locked;

static void lock_begin(void)
{
	make_barrier();
	locked.mutex = words(1);
	locked.spin = words(1);
	locked.held = words(4);
	locked.spun = words(1);
}

static void lock_work(uint32_t worker)
{
	(void)worker;
	for (uint64_t i = 0; i < direct.count; i++) {
		lock(locked.mutex);
		for (uint32_t word = 0; word < 4; word++) {
			pass(loop);
			store(&locked.held[word], load(&locked.held[word], 1) + 1);
		}
		unlock(locked.mutex);
		while (!compare_exchange(locked.spin, 0, 1))
			spin_until(locked.spin, 0);
		store(locked.spun, load(locked.spun, 1) + 1);
		atomic_store(locked.spin, 0);
		if (i % 4 == 3)
			barrier(all);
	}
}

static bool lock_check(void)
{
	return locked.held[0] == direct.workers * direct.count && locked.held[3] == locked.held[0] &&
	       *locked.spun == locked.held[0];
}

/* ---- hand: a flag and two lines go round; each worker adds to all words ---- */

enum { HANDED_WORDS = 2 * LINE_WORDS };

static struct {
	uint64_t *turn, *words;
} handed;

static void hand_begin(void)
{
	handed.turn = words(1);
	handed.words = words(HANDED_WORDS);
}

static void hand_work(uint32_t worker)
{
	for (uint64_t i = 0; i < direct.count; i++) {
		spin_until(handed.turn, i * direct.workers + worker);
		for (uint32_t word = 0; word < HANDED_WORDS; word++) {
			pass(loop);
			store(&handed.words[word], load(&handed.words[word], 1) + word);
		}
		fence();
		atomic_store(handed.turn, i * direct.workers + worker + 1);
	}
}

static bool hand_check(void)
{
	for (uint64_t word = 0; word < HANDED_WORDS; word++)
		if (handed.words[word] != word * direct.workers * direct.count)
			return false;
	return true;
}

/* ---- gather: sums of words that others have made, prefetched; made anew for the second round ---- */

enum { GATHER_TERMS = 6, GATHER_AHEAD = 8 };

static struct {
	uint64_t *x, *y;
	uint32_t *index;
} gather;

static void gather_begin(void)
{
	const uint64_t rows = direct.workers * direct.count;
	uint64_t state = 3;

	make_barrier();
	gather.x = words(rows);
	gather.y = words(rows);
	gather.index = direct_room(rows * GATHER_TERMS * sizeof(*gather.index));
	for (uint64_t i = 0; i < rows * GATHER_TERMS; i++)
		gather.index[i] = (uint32_t)(direct_random(&state) % rows);
}

static void sum_row(uint64_t row)
{
	static const uint16_t term[THREAD_CLASS_COUNT] = {[THREAD_CLASS_integer] = 3, [THREAD_CLASS_float] = 1,
		[THREAD_CLASS_float_multiply] = 1, [THREAD_CLASS_branch] = 1, [THREAD_CLASS_memory] = 2};
	static const uint16_t divide[THREAD_CLASS_COUNT] = {[THREAD_CLASS_divide] = 1, [THREAD_CLASS_float_divide] = 1};
	const uint64_t first = row * GATHER_TERMS, last = direct.workers * direct.count * GATHER_TERMS - 1;
	uint64_t sum = 0;

	for (uint64_t i = first; i < first + GATHER_TERMS; i++) {
		uint32_t index;

		pass(term);
		memcpy(&index, access_read(&gather.index[i], sizeof(index), 1), sizeof(index));
		prefetch(&gather.x[gather.index[i + GATHER_AHEAD < last ? i + GATHER_AHEAD : last]]);
		sum += load(&gather.x[index], 2);
	}
	pass(divide);
	store(&gather.y[row], sum);
}

static void gather_work(uint32_t worker)
{
	const uint64_t first = worker * direct.count;

	for (uint64_t round = 1; round <= 2; round++) {
		for (uint64_t i = first; i < first + direct.count; i++) {
			pass(loop);
			store(&gather.x[i], i * round);
		}
		barrier(all);
		for (uint64_t row = first; row < first + direct.count; row++)
			sum_row(row);
		barrier(all);
	}
}

static bool gather_check(void)
{
	for (uint64_t row = 0; row < direct.workers * direct.count; row++) {
		uint64_t sum = 0;

		for (uint32_t i = 0; i < GATHER_TERMS; i++)
			sum += 2 * (uint64_t)gather.index[row * GATHER_TERMS + i];
		if (gather.y[row] != sum)
			return false;
	}
	return true;
}

/* ---- stencil: rows of each worker, whose neighbours' border rows change in each sweep ---- */

enum { STENCIL_ROWS = 4, STENCIL_COLUMNS = 128 };

static uint64_t *stencil[2];

static uint64_t stencil_words(void)
{
	return (direct.workers * STENCIL_ROWS + 2) * STENCIL_COLUMNS;
}

static void stencil_begin(void)
{
	make_barrier();
	for (uint32_t i = 0; i < 2; i++) {
		stencil[i] = words(stencil_words());
		for (uint64_t word = 0; word < stencil_words(); word++)
			stencil[i][word] = word;
	}
}

static void stencil_work(uint32_t worker)
{
	static const uint16_t cell[THREAD_CLASS_COUNT] = {
	    [THREAD_CLASS_integer] = 2, [THREAD_CLASS_branch] = 1, [THREAD_CLASS_memory] = 4};
	const uint64_t begin = (worker * STENCIL_ROWS + 1) * STENCIL_COLUMNS;
	const uint64_t end = begin + STENCIL_ROWS * STENCIL_COLUMNS;

	for (uint64_t sweep = 0; sweep < direct.count; sweep++) {
		const uint64_t *from = stencil[sweep % 2];

		for (uint64_t at = begin; at < end; at++) {
			const uint64_t up = load(&from[at - STENCIL_COLUMNS], 4);
			const uint64_t down = load(&from[at + STENCIL_COLUMNS], 3);

			pass(cell);
			store(&stencil[(sweep + 1) % 2][at], up + down + load(&from[at], 2));
		}
		barrier(all);
	}
}

/* The borders stay. */
static bool is_column_right(uint32_t column, uint64_t *now, uint64_t *next)
{
	const uint64_t rows = direct.workers * STENCIL_ROWS + 2;
	bool is_right = true;

	for (uint64_t row = 0; row < rows; row++)
		now[row] = next[row] = row * STENCIL_COLUMNS + column;
	for (uint64_t sweep = 0; sweep < direct.count; sweep++) {
		for (uint64_t row = 1; row + 1 < rows; row++)
			next[row] = now[row - 1] + now[row] + now[row + 1];
		memcpy(now, next, rows * sizeof(*now));
	}
	for (uint64_t row = 0; row < rows; row++)
		is_right &= now[row] == stencil[direct.count % 2][row * STENCIL_COLUMNS + column];
	return is_right;
}

static bool stencil_check(void)
{
	const size_t rows = direct.workers * STENCIL_ROWS + 2;
	uint64_t *column = calloc(2 * rows, sizeof(*column));
	bool is_right = true;

	for (uint32_t i = 0; i < STENCIL_COLUMNS; i++)
		is_right &= is_column_right(i, column, column + rows);
	free(column);
	return is_right;
}

/* ---- mix: accesses of all kinds and sizes at random, most of them to few lines of all; all classes of instructions
 * ---- */

enum { MIX_SHARED = 64, MIX_COUNTED = 8, MIX_OWN = 512, MIX_KINDS = 16, MIX_SIZE_MAX = 32 };

static struct {
	uint64_t *shared, *counted, *own, *added;
	uint16_t classes[THREAD_CLASS_COUNT][THREAD_CLASS_COUNT]; /* of instructions, one of each */
} mix;

static void mix_begin(void)
{
	for (uint32_t i = 0; i < THREAD_CLASS_COUNT; i++)
		mix.classes[i][i] = 1;
	mix.shared = words(MIX_SHARED * LINE_WORDS);
	mix.counted = words(MIX_COUNTED * LINE_WORDS);
	mix.own = words(direct.workers * MIX_OWN);
	mix.added = words(direct.workers);
}

/* Bytes from anywhere in the shared lines to anywhere else. */
static void mix_bytes(uint64_t random)
{
	const uint32_t size = 1u << random % 6;
	const uint64_t most = MIX_SHARED * LINE_WORDS * WORD - MIX_SIZE_MAX;
	uint8_t bytes[MIX_SIZE_MAX];

	memcpy(bytes, access_read((uint8_t *)mix.shared + random / 8 % most, size, (uint32_t)(random % 5)), size);
	memcpy(access_write((uint8_t *)mix.shared + random / 65536 % most, size), bytes, size);
}

static void mix_own(uint32_t worker, uint64_t random)
{
	uint64_t *own = &mix.own[worker * MIX_OWN + random % (MIX_OWN - 1)];

	store(own, load(own + 1, 1) + 1);
}

static void mix_once(uint32_t worker, uint64_t random)
{
	uint64_t *line = &mix.shared[random / 16 % MIX_SHARED * LINE_WORDS];
	uint64_t *count = &mix.counted[random / 16 % MIX_COUNTED * LINE_WORDS], before;

	switch (random % MIX_KINDS) {
	case 0:
		fence();
		break;
	case 1:
		prefetch(line);
		break;
	case 2:
		atomic_store(line, atomic_load(line + 1));
		break;
	case 3:
		before = atomic_load(count);
		mix.added[worker] += compare_exchange(count, before, before + 1);
		break;
	case 4:
	case 5:
		fetch_add(count, 1);
		mix.added[worker]++;
		break;
	case 6:
	case 7:
	case 8:
		mix_bytes(random / MIX_KINDS);
		break;
	case 9:
		store(line, random);
		break;
	case 10:
	case 11:
		load(line, (uint32_t)(random / 1024 % 9));
		break;
	default:
		mix_own(worker, random / MIX_KINDS);
	}
}

static void mix_work(uint32_t worker)
{
	uint64_t state = worker + 1;

	for (uint64_t i = 0; i < direct.count; i++) {
		pass(i % 3 ? loop : mix.classes[i / 3 % THREAD_CLASS_COUNT]);
		mix_once(worker, direct_random(&state));
	}
}

static bool mix_check(void)
{
	uint64_t sum = 0, added = 0;

	for (uint32_t i = 0; i < MIX_COUNTED; i++)
		sum += mix.counted[i * LINE_WORDS];
	for (uint32_t i = 0; i < direct.workers; i++)
		added += mix.added[i];
	return sum == added;
}

const struct kind direct_shared[] = {
    {"stream", stream_begin, stream_work, stream_check},
    {"random", random_begin, random_work, random_check},
    {"chase", chase_begin, chase_work, chase_check},
    {"count", count_begin, count_work, count_check},
    {"lock", lock_begin, lock_work, lock_check},
    {"hand", hand_begin, hand_work, hand_check},
    {"gather", gather_begin, gather_work, gather_check},
    {"stencil", stencil_begin, stencil_work, stencil_check},
    {"mix", mix_begin, mix_work, mix_check},
    {NULL, NULL, NULL, NULL},
};
