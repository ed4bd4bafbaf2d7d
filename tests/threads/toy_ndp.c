/* toy_ndp.c - a model with two near-data processors that only remembers what it was asked: fixed costs, pages of
 * 64 KiB, memory on three channels. With STRATA_TOY=teams it sends OpenMP's teams to the NDPs. */
#include "threads/model.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CPUS = 3, NDPS = 2, CORES = 4, NODES = 3, PAGE = 65536, RANGES = 256, ACCESS_PS = 5000, MESSAGE_PS = 24000000 };

/* What was asked last of a range, by kind of question. */
static struct range {
	uint64_t address, end, value, nodes;
	enum thread_ask_kind kind;
} ranges[RANGES];
static uint32_t range_count;
static struct thread_model toy;
static uint64_t accesses, counted_from, fences, begins;

static uint64_t compute(void *self, const struct thread_at *at, const uint16_t *counts)
{
	uint64_t sum = 0;

	(void)self;
	(void)at;
	for (uint32_t i = 0; i < THREAD_CLASS_lane_integer; i++)
		sum += counts[i];
	return sum * 1000;
}

static struct thread_answer toy_access(void *self, const struct thread_at *at, uint64_t address, void *bytes,
				       uint32_t size, enum thread_kind kind)
{
	(void)self;
	(void)address;
	(void)size;
	(void)kind;
	accesses++;
	return (struct thread_answer){at->now_ps + ACCESS_PS, bytes};
}

static uint64_t fence(void *self, const struct thread_at *at)
{
	(void)self;
	fences++;
	return at->now_ps;
}

static void note(void *self, const struct thread_at *at, enum thread_event event, uint64_t value)
{
	(void)self;
	(void)at;
	(void)event;
	(void)value;
}

/* The channel of a page, by the latest word about it. */
static int64_t where(uint64_t address)
{
	for (uint32_t i = range_count; i-- > 0;) {
		const struct range *r = &ranges[i];
		uint64_t left, n;

		if (address < r->address || address >= r->end)
			continue;
		if (r->kind == THREAD_ASK_UNMAP)
			return -1;
		if ((r->kind != THREAD_ASK_PLACE && r->kind != THREAD_ASK_MOVE) || !r->nodes)
			continue;
		left = (address - r->address) / PAGE % (uint64_t)__builtin_popcountll(r->nodes);
		for (n = 0; !(r->nodes >> n & 1) || left--;)
			n++;
		return (int64_t)n;
	}
	return 0;
}

static int64_t statistic(const char *name)
{
	if (!name) {
		counted_from = accesses;
		return 0;
	}
	if (!strcmp(name, "toy.accesses"))
		return (int64_t)(accesses - counted_from);
	if (!strcmp(name, "toy.fences"))
		return (int64_t)fences;
	if (!strncmp(name, "toy.asked.", 10)) { /* about ranges, of that kind */
		int64_t count = 0;

		for (uint32_t i = 0; i < range_count; i++)
			count += ranges[i].kind == (enum thread_ask_kind)atoi(name + 10);
		return count;
	}
	return -1;
}

static struct thread_reply ask(void *self, const struct thread_at *at, const struct thread_ask *a)
{
	struct thread_reply reply = {at->now_ps, 0};

	(void)self;
	switch (a->kind) {
	case THREAD_ASK_WHERE:
		reply.result = where(a->address);
		break;
	case THREAD_ASK_SEND:
		reply.done_ps += 1000;
		reply.result = (int64_t)(at->now_ps + MESSAGE_PS);
		break;
	case THREAD_ASK_STATISTIC:
		reply.result = statistic(a->text);
		break;
	case THREAD_ASK_BEGIN:
		begins += a->value == 0;
		break;
	case THREAD_ASK_END:
		break;
	default:
		if (range_count == RANGES)
			abort();
		ranges[range_count++] = (struct range){a->address, a->address + a->bytes, a->value, a->nodes, a->kind};
		reply.done_ps += 2000;
	}
	return reply;
}

static uint32_t unit_for(void *self, const struct thread_place *place)
{
	(void)self;
	if (!place->level)
		return THREAD_UNIT_ANY;
	return CPUS + (place->level > 1 ? place->team % NDPS * CORES + place->thread % CORES
					: place->thread % (NDPS * CORES));
}

static void end(void *self, const struct thread_at *at, int signal)
{
	(void)self;
	(void)at;
	(void)signal;
}

__attribute__((visibility("default"))) thread_model_make strata_thread_model;
struct thread_model *strata_thread_model(const struct thread_runtime *runtime, const char *options)
{
	const char *how = getenv("STRATA_TOY");

	(void)runtime;
	(void)options;
	toy = (struct thread_model){
	    .machine = {.unit_count = CPUS + NDPS * CORES,
			.cpu_unit_count = CPUS,
			.ndp_count = NDPS,
			.node_count = NODES,
			.line_bytes = 128,
			.page_bytes = PAGE,
			.slice_ps = 1000000,
			.system_call_ps = 1000,
			.wake_ps = 1000,
			.create_ps = 1000},
	    .compute = compute,
	    .access = toy_access,
	    .fence = fence,
	    .event = note,
	    .ask = ask,
	    .unit_for = how && !strcmp(how, "teams") ? unit_for : NULL,
	    .end = end,
	};
	return &toy;
}
