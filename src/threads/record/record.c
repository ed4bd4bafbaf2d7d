/* record.c - the model that records: fixed costs, no state; every access and event goes into a trace. */
#include "base/units.h"
#include "threads/record/record.h"
#include "threads/trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct recorder {
	struct thread_model model;
	struct thread_trace_writer *trace;
	struct record_params params;
	uint64_t class_cycles[THREAD_CLASS_COUNT];
	uint64_t kind_cycles[THREAD_KIND_COUNT];
	uint64_t *rests; /* of each hardware thread: what its cycles are beyond whole ps, in ps / clock_khz */
	char *path;
};

static uint64_t ps_of(struct recorder *r, const struct thread_at *at, uint64_t cycles)
{
	return base_cycles_ps(cycles, r->params.clock_khz, &r->rests[at->unit]);
}

static uint64_t compute(void *self, const struct thread_at *at, const uint16_t *counts)
{
	struct recorder *r = self;
	uint64_t cycles = 0;

	for (uint32_t i = 0; i < THREAD_CLASS_COUNT; i++)
		cycles += counts[i] * r->class_cycles[i];
	thread_trace_count(r->trace, at, counts);
	return ps_of(r, at, cycles);
}

static struct thread_answer record_access(void *self, const struct thread_at *at, uint64_t address, void *bytes,
					  uint32_t size, enum thread_kind kind)
{
	struct recorder *r = self;

	thread_trace_access(r->trace, at, address, size, kind);
	return (struct thread_answer){at->now_ps + ps_of(r, at, r->kind_cycles[kind]), bytes};
}

static uint64_t fence(void *self, const struct thread_at *at)
{
	struct recorder *r = self;

	thread_trace_fence(r->trace, at);
	return at->now_ps + ps_of(r, at, r->params.fence_cycles);
}

static void note(void *self, const struct thread_at *at, enum thread_event event, uint64_t value)
{
	thread_trace_event(((struct recorder *)self)->trace, at, event, value);
}

static void end(void *self, const struct thread_at *at, int signal)
{
	struct recorder *r = self;

	if (signal)
		fprintf(stderr, "strata: interrupted: keeping the trace so far\n");
	if (!thread_trace_end(r->trace, at)) {
		fprintf(stderr, "strata: cannot write all of %s: %s\n", r->path, strerror(errno));
		_Exit(125);
	}
}

static void set_costs(struct recorder *r)
{
	const struct record_params *p = &r->params;
	const uint64_t cycles[] = {
#define THREAD_CLASS(name, cycles, text) p->name##_cycles,
#include "threads/classes.def"
#undef THREAD_CLASS
	};

	memcpy(r->class_cycles, cycles, sizeof(cycles));
	r->kind_cycles[THREAD_READ] = r->kind_cycles[THREAD_ATOMIC_READ] = p->read_cycles;
	r->kind_cycles[THREAD_WRITE] = r->kind_cycles[THREAD_ATOMIC_WRITE] = p->write_cycles;
	r->kind_cycles[THREAD_RMW] = r->kind_cycles[THREAD_CMPXCHG] = p->atomic_cycles;
	r->model = (struct thread_model){
	    .machine = {.unit_count = r->model.machine.unit_count,
			.quantum_ps = p->quantum_ps,
			.slice_ps = p->slice_ps,
			.system_call_ps = p->system_call_ps,
			.wake_ps = p->wake_ps,
			.create_ps = p->create_ps},
	    .self = r,
	    .compute = compute,
	    .access = record_access,
	    .fence = fence,
	    .event = note,
	    .end = end,
	};
}

/* PATH, then the units and the parameters as numbers, then the text: what record_options writes. */
static const char *read_options(struct recorder *r, const char *options)
{
	uint64_t *values = (uint64_t *)(void *)&r->params;
	const char *at = strchr(options, '\n');
	char *next;

	if (!at)
		return NULL;
	r->path = strndup(options, (size_t)(at - options));
	r->model.machine.unit_count = (uint32_t)strtoul(at + 1, &next, 10);
	for (size_t i = 0; i < sizeof(r->params) / sizeof(uint64_t); i++)
		values[i] = strtoull(next, &next, 10);
	return *next == '\n' && r->model.machine.unit_count && r->params.clock_khz ? next + 1 : NULL;
}

__attribute__((visibility("default"))) thread_model_make strata_thread_model;
struct thread_model *strata_thread_model(const struct thread_runtime *runtime, const char *options)
{
	struct recorder *r = calloc(1, sizeof(*r));
	const char *text = r ? read_options(r, options) : NULL;

	(void)runtime;
	if (text)
		r->rests = calloc(r->model.machine.unit_count, sizeof(*r->rests));
	if (!text || !r->rests) {
		fputs("strata: the recorder's options are not understood\n", stderr);
		return NULL;
	}
	set_costs(r);
	r->trace = thread_trace_create(r->path, text, r->model.machine.unit_count);
	if (!r->trace) {
		fprintf(stderr, "strata: cannot write %s: %s\n", r->path, strerror(errno));
		return NULL;
	}
	return &r->model;
}
