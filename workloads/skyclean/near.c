/* near.c - CLEAN's kernels beside the memory: messages to an accelerator, or a team of an NDP's cores. */
#include "clean.h"

#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <strata/ndp.h>
#include <string.h>

enum command { FIND, SUBTRACT, END };

struct near {
	const struct picture *picture;
	/* A team: the command, and the two that meet before it and after it. */
	pthread_t leader;
	pthread_barrier_t both;
	enum command command;
	struct peak *peaks; /* of its threads */
	uint32_t index;
	float factor;
};

/* As workloads/hdl/clean.v takes them. */
struct message {
	uint64_t command, address;
	union {
		uint64_t floats;
		uint64_t psf;
	} of;
	uint32_t image_stride, psf_stride, x_begin, x_end;
	int32_t x_shift;
	uint32_t rows;
	float factor;
	uint32_t rest[3];
};
_Static_assert(sizeof(struct message) == STRATA_MESSAGE_BYTES, "a message");

static bool is_accelerator(void)
{
	return strata_accelerator_count();
}

static struct peak ask(const struct message *m)
{
	struct {
		struct peak peak;
		uint64_t rest[7];
	} reply;

	if (strata_accelerator_send(0, m, sizeof(*m)) || strata_accelerator_receive(0, &reply, sizeof(reply)) == 0)
		workload_fail("the accelerator does not answer");
	return reply.peak;
}

/* ---- a team ---- */

static void team_do(struct near *n)
{
	const uint32_t threads = strata_ndp_cores();

#pragma omp parallel num_threads((int)threads)
	{
		const uint32_t part = (uint32_t)omp_get_thread_num();

		if (n->command == FIND)
			n->peaks[part] = find_part(n->picture, part, threads);
		else
			subtract_part(n->picture, n->index, n->factor, part, threads);
	}
	if (n->command == FIND)
		n->peaks[0] = peak_of(n->peaks, threads);
}

static void *lead(void *near)
{
	struct near *n = near;

	for (;;) {
		pthread_barrier_wait(&n->both);
		if (n->command == END)
			break;
		team_do(n);
		pthread_barrier_wait(&n->both);
	}
	return NULL;
}

static void command(struct near *n, enum command c)
{
	n->command = c;
	pthread_barrier_wait(&n->both);
	if (c != END)
		pthread_barrier_wait(&n->both);
}

/* ---- either ---- */

struct peak near_find(struct near *n)
{
	const struct picture *p = n->picture;
	const struct message m = {.command = FIND,
				  .address = (uint64_t)p->image,
				  .of.floats = (uint64_t)p->side * p->side};

	if (is_accelerator())
		return ask(&m);
	command(n, FIND);
	return n->peaks[0];
}

void near_subtract(struct near *n, uint32_t index, float factor)
{
	const struct picture *p = n->picture;
	const struct overlap o = overlap_of(p->side, index);
	const struct message m = {.command = SUBTRACT,
				  .address = (uint64_t)(p->image + (size_t)o.y_begin * p->side),
				  .of.psf = (uint64_t)(p->psf + ((int64_t)o.y_begin - o.y_shift) * (int64_t)p->side),
				  .image_stride = p->side * (uint32_t)sizeof(float),
				  .psf_stride = p->side * (uint32_t)sizeof(float),
				  .x_begin = o.x_begin,
				  .x_end = o.x_end,
				  .x_shift = o.x_shift,
				  .rows = o.y_end - o.y_begin,
				  .factor = factor};

	if (is_accelerator()) {
		ask(&m);
		return;
	}
	n->index = index;
	n->factor = factor;
	command(n, SUBTRACT);
}

static void map(const struct picture *p)
{
	const size_t bytes = (size_t)p->side * p->side * sizeof(float);

	if (strata_accelerator_map(0, p->image, bytes) || strata_accelerator_map(0, p->psf, bytes))
		workload_fail("the accelerator cannot map an image of %zu bytes", bytes);
}

struct near *near_make(const struct picture *p)
{
	struct near *n = workload_host_alloc(1, sizeof(*n));

	n->picture = p;
	if (is_accelerator()) {
		map(p);
		return n;
	}
	n->peaks = workload_host_alloc(strata_ndp_cores(), sizeof(*n->peaks));
	pthread_barrier_init(&n->both, NULL, 2);
	if (strata_team_on_ndp(0) || pthread_create(&n->leader, NULL, lead, n))
		workload_fail("no thread for an NDP");
	strata_team_on_ndp(STRATA_ANY);
	/* Makes its threads. */
	near_subtract(n, 0, 0);
	return n;
}

void near_free(struct near *n)
{
	if (!is_accelerator()) {
		command(n, END);
		pthread_join(n->leader, NULL);
		pthread_barrier_destroy(&n->both);
		free(n->peaks);
	}
	free(n);
}
