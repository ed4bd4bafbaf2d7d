/* mem_library.c - what libstrata-mem costs: the streams of bench/run through the library, driven in three ways.
 *
 * Usage: mem_library [requests]. Its first column beside `strata mem --memory bench/vault.yaml` says what the interface
 * takes.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <strata/mem.h>

enum { LINE_BYTES = 128 };
enum drive { CALLBACKS, EVENTS, TICKS, DRIVES };

struct feeder {
	strata_mem *m;
	uint64_t left, done, address, seed, next_addr_bytes;
	enum strata_mem_op next_op;
	uint32_t write_percent;
	bool is_random, has_next;
};

static uint64_t next_random(struct feeder *f)
{
	f->seed ^= f->seed << 13;
	f->seed ^= f->seed >> 7;
	f->seed ^= f->seed << 17;
	return f->seed;
}

static void feed(void *ctx)
{
	struct feeder *f = ctx;
	const uint64_t span_bytes = 1ull << 28;

	while (f->left) {
		if (!f->has_next) {
			uint64_t at = f->is_random ? next_random(f) / LINE_BYTES * LINE_BYTES : f->address;

			f->next_addr_bytes = at % span_bytes;
			f->next_op = next_random(f) % 100 < f->write_percent ? STRATA_MEM_WRITE : STRATA_MEM_READ;
			f->address += LINE_BYTES;
			f->has_next = true;
		}
		if (strata_mem_offer(f->m, f->next_addr_bytes, LINE_BYTES, f->next_op, NULL) != STRATA_MEM_TAKEN)
			return;
		f->has_next = false;
		f->left--;
	}
}

static void done(void *ctx, const struct strata_mem_answer *answer)
{
	struct feeder *f = ctx;

	(void)answer;
	f->done++;
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Millions of requests per CPU second. */
static double run(uint64_t count, bool is_random, uint32_t write_percent, enum drive drive)
{
	struct feeder f = {.left = count, .seed = 1, .write_percent = write_percent, .is_random = is_random};
	char *error;
	double begin, seconds;

	f.m = strata_mem_new(BENCH_MEMORY, NULL, 0, &error);
	if (!f.m) {
		fprintf(stderr, "mem_library: %s\n", error);
		exit(2);
	}
	strata_mem_on_done(f.m, done, &f);
	begin = cpu_seconds();
	if (drive == CALLBACKS) {
		strata_mem_on_room(f.m, feed, &f);
		feed(&f);
		strata_mem_run_until(f.m, STRATA_MEM_NEVER);
	}
	while (f.done < count) {
		feed(&f);
		if (drive == EVENTS)
			strata_mem_run_until(f.m, strata_mem_next_ps(f.m));
		else
			strata_mem_tick(f.m);
	}
	seconds = cpu_seconds() - begin;
	strata_mem_free(f.m);
	return (double)count / seconds / 1e6;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		uint32_t write_percent;
		bool is_random;
	} streams[] = {
		{"streaming reads", 0, false},
		{"streaming, 1/3 wr", 33, false},
		{"random reads", 0, true},
		{"random, 1/3 wr", 33, true},
	};
	uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 2000000;

	if (argc > 2 || count == 0) {
		fprintf(stderr, "usage: mem_library [requests]\n");
		return 2;
	}
	printf("M requests per CPU second  callbacks  events   ticks\n");
	for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++) {
		printf("%-26s", streams[i].name);
		for (unsigned d = 0; d < DRIVES; d++)
			printf(" %8.2f", run(count, streams[i].is_random, streams[i].write_percent, (enum drive)d));
		printf("\n");
	}
	return 0;
}
