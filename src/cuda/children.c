/* children.c - dynamic parallelism: the grids that a launch leads to, in which order and when they run.
 *
 * A grid's children run after it. A child waits for the work before it in its stream, and for the events for which the
 * stream was made to wait; one in the stream for the tail waits for all other children, with all that these launched.
 * Of those that wait for nothing the one that can begin first runs next, of several the one that was launched first.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "cuda/launch.h"

/* CUDA C++ Programming Guide: the deepest nesting. */
enum { DEPTH_MAX = 24 };

/* CUDA Runtime API: streams with a meaning of their own, and flags that streams and events of a device must have. */
enum { STREAM_PER_THREAD = 2, STREAM_TAIL, STREAM_FIRE_AND_FORGET };
enum { STREAM_NON_BLOCKING = 1, EVENT_DISABLE_TIMING = 2, EVENT_INTERPROCESS = 4 };

/* Between CUDA's device runtime library and the driver. */
enum { ERROR_INVALID_VALUE = 1, ERROR_MAX_DEPTH = 5, ERROR_INVALID_CONFIGURATION = 7 };

/* Handles are numbers: of the first object of a kind, of the next. Those of a grid mean nothing in another one. A
 * block's own stream is named by the block. */
#define FIRST_BLOCK_STREAM (1ull << 60)
#define FIRST_STREAM (2ull << 60)
#define FIRST_EVENT (3ull << 60)

struct grid {
	struct family *family;
	struct grid *parent; /* NULL: from the host */
	uint64_t number;     /* in the order of the launches */
	struct cuda_launch *launch;
	uint8_t *params;
	bool is_tail;
	uint32_t wait_count; /* for how many grids it waits before it runs */
	uint64_t ready_ps;   /* the latest end of these, and its launch */
	GPtrArray *next;     /* struct grid: who waits for it; NULL: nobody */
	/* its children */
	GPtrArray *children, *tails; /* struct grid; NULL: none */
	uint32_t open_count, tail_count; /* itself and those not for the tail; those for the tail: that are not over */
	uint64_t end_ps;		 /* of itself and of its descendants so far */
	uint64_t handle_count;
	GHashTable *places; /* streams and events: handle -> GPtrArray of grids that come before what follows */
	GHashTable *errors; /* thread -> the last error, of threads that had one */
};

struct family {
	struct CUctx_st *ctx;
	CUstream stream;  /* of the host's launch */
	CUmodule module;
	GPtrArray *grids; /* struct grid, all children; NULL: none */
	GSequence *open;  /* struct grid: can run, the first first; NULL as well */
	uint64_t issued_ps; /* when the device has taken in the last launch */
	bool is_said;	    /* that a launch was refused */
};

/* ---- grids ---- */

static void drop_tables(struct grid *g)
{
	g_clear_pointer(&g->places, g_hash_table_destroy);
	g_clear_pointer(&g->errors, g_hash_table_destroy);
	g_clear_pointer(&g->children, g_ptr_array_unref);
	g_clear_pointer(&g->tails, g_ptr_array_unref);
	g_clear_pointer(&g->next, g_ptr_array_unref);
}

static void free_grid(gpointer grid)
{
	struct grid *g = grid;

	drop_tables(g);
	free(g->params);
	g_free(g->launch);
	g_free(g);
}

static void make_wait(struct grid *g, struct grid *before)
{
	if (!before->next)
		before->next = g_ptr_array_new();
	g_ptr_array_add(before->next, g);
	g->wait_count++;
}

static gint compare_begin(gconstpointer first, gconstpointer second, gpointer unused)
{
	const struct grid *a = first, *b = second;

	(void)unused;
	if (a->ready_ps != b->ready_ps)
		return a->ready_ps < b->ready_ps ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

/* One of those that g waits for has ended. */
static void release(struct grid *g, uint64_t end_ps)
{
	g->ready_ps = MAX(g->ready_ps, end_ps);
	if (!--g->wait_count)
		g_sequence_insert_sorted(g->family->open, g, compare_begin, NULL);
}

static void child_is_over(struct grid *parent, const struct grid *child);

/* All that it led to has ended. */
static void is_over(struct grid *g)
{
	for (guint i = 0; g->next && i < g->next->len; i++)
		release(g->next->pdata[i], g->end_ps);
	if (g->parent)
		child_is_over(g->parent, g);
}

/* Itself, or one of the children that are not for the tail, has ended. */
static void count_end(struct grid *g)
{
	if (--g->open_count)
		return;
	if (g->tails)
		release(g->tails->pdata[0], g->end_ps);
	else
		is_over(g);
}

static void child_is_over(struct grid *parent, const struct grid *child)
{
	parent->end_ps = MAX(parent->end_ps, child->end_ps);
	if (!child->is_tail)
		count_end(parent);
	else if (!--parent->tail_count)
		is_over(parent);
}

/* It has run itself: its children may. What its threads made and knew is gone. */
static void has_run(struct grid *g)
{
	g->end_ps = g->launch->end_ps;
	g_clear_pointer(&g->places, g_hash_table_destroy);
	g_clear_pointer(&g->errors, g_hash_table_destroy);
	for (guint i = 0; g->children && i < g->children->len; i++)
		release(g->children->pdata[i], g->end_ps);
	g_clear_pointer(&g->children, g_ptr_array_unref);
	count_end(g);
}

/* ---- streams and events ---- */

static GPtrArray *find_place(const struct grid *g, uint64_t handle)
{
	return g->places ? g_hash_table_lookup(g->places, &handle) : NULL;
}

static GPtrArray *add_place(struct grid *g, uint64_t handle)
{
	GPtrArray *place = g_ptr_array_new();
	uint64_t *key = g_new(uint64_t, 1);

	*key = handle;
	if (!g->places)
		g->places = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free,
						  (GDestroyNotify)g_ptr_array_unref);
	g_hash_table_insert(g->places, key, place);
	return place;
}

static GPtrArray *find_made_stream(const struct grid *g, uint64_t stream)
{
	return stream >= FIRST_STREAM && stream < FIRST_EVENT ? find_place(g, stream) : NULL;
}

/* The stream that a thread of the block names, NULL if there is none. */
static GPtrArray *find_stream(struct grid *g, uint64_t block, uint64_t stream)
{
	if (stream > STREAM_PER_THREAD)
		return find_made_stream(g, stream);

	GPtrArray *place = find_place(g, FIRST_BLOCK_STREAM + block);

	return place ? place : add_place(g, FIRST_BLOCK_STREAM + block);
}

static GPtrArray *find_event(const struct grid *g, uint64_t event)
{
	return event >= FIRST_EVENT ? find_place(g, event) : NULL;
}

static uint32_t create(struct grid *g, struct simt_ask *a, uint64_t first, bool is_right)
{
	if (!is_right)
		return ERROR_INVALID_VALUE;
	a->result = first + g->handle_count++;
	add_place(g, a->result);
	return 0;
}

static uint32_t destroy(struct grid *g, const GPtrArray *place, uint64_t handle)
{
	if (!place)
		return ERROR_INVALID_VALUE;
	g_hash_table_remove(g->places, &handle);
	return 0;
}

static uint32_t record(GPtrArray *event, const GPtrArray *stream)
{
	if (!event || !stream)
		return ERROR_INVALID_VALUE;
	g_ptr_array_set_size(event, 0);
	for (guint i = 0; i < stream->len; i++)
		g_ptr_array_add(event, stream->pdata[i]);
	return 0;
}

static uint32_t wait(GPtrArray *stream, const GPtrArray *event)
{
	if (!event || !stream)
		return ERROR_INVALID_VALUE;
	for (guint i = 0; i < event->len; i++) {
		if (!g_ptr_array_find(stream, event->pdata[i], NULL))
			g_ptr_array_add(stream, event->pdata[i]);
	}
	return 0;
}

/* ---- launches ---- */

static void say_refused(struct family *f, const char *kernel, const char *parent, const char *why)
{
	if (!f->is_said)
		machine_message("error: kernel %s, launched by kernel %s, does not run: %s", kernel, parent, why);
	f->is_said = true;
	cuda_launch_refused(kernel, why);
}

static uint32_t check(struct grid *g, const struct simt_child *c)
{
	struct cuda_launch l = {0};
	uint32_t error = 0;

	memcpy(l.grid, c->grid, sizeof(l.grid));
	memcpy(l.block, c->block, sizeof(l.block));
	if (cuda_launch_check_shape(&l) != CUDA_SUCCESS) {
		error = ERROR_INVALID_CONFIGURATION;
	} else if (g->launch->depth == DEPTH_MAX) {
		snprintf(l.reason, sizeof(l.reason), "kernels nested deeper than %d", DEPTH_MAX);
		error = ERROR_MAX_DEPTH;
	}
	if (error)
		say_refused(g->family, c->func->name, g->launch->f->func->name, l.reason);
	return error;
}

static struct grid *new_child(struct grid *parent, const struct simt_child *c)
{
	struct grid *g = g_new0(struct grid, 1);
	struct family *f = parent->family;

	if (!f->grids) {
		f->grids = g_ptr_array_new_with_free_func(free_grid);
		f->open = g_sequence_new(NULL);
	}
	g_ptr_array_add(f->grids, g);
	g->family = f;
	g->parent = parent;
	g->number = f->grids->len;
	g->open_count = 1;
	g->launch = g_new0(struct cuda_launch, 1);
	g->launch->depth = parent->launch->depth + 1;
	g->launch->dynamic_bytes = c->shared_dynamic_bytes;
	memcpy(g->launch->grid, c->grid, sizeof(c->grid));
	memcpy(g->launch->block, c->block, sizeof(c->block));
	g->params = malloc(c->func->param_bytes + 1);
	CHECK(g->params);
	memcpy(g->params, c->params, c->func->param_bytes);
	return g;
}

static void put_at_tail(struct grid *parent, struct grid *g)
{
	g->is_tail = true;
	if (!parent->tails)
		parent->tails = g_ptr_array_new();
	if (parent->tails->len)
		make_wait(g, parent->tails->pdata[parent->tails->len - 1]);
	else
		g->wait_count++; /* for the end of all others */
	g_ptr_array_add(parent->tails, g);
	parent->tail_count++;
}

static void put_in_stream(struct grid *parent, struct grid *g, GPtrArray *stream)
{
	g->wait_count++; /* for its parent */
	if (!parent->children)
		parent->children = g_ptr_array_new();
	g_ptr_array_add(parent->children, g);
	parent->open_count++;
	if (!stream)
		return;
	for (guint i = 0; i < stream->len; i++)
		make_wait(g, stream->pdata[i]);
	g_ptr_array_set_size(stream, 0);
	g_ptr_array_add(stream, g);
}

/* The device takes launches in one after the other; each can begin some time after that. */
static uint64_t take_in(struct family *f)
{
	const struct device *d = cuda_driver.run.device;

	f->issued_ps = MAX(f->issued_ps, d->ops->now_ps(d)) + d->traits.child_issue_ps;
	return f->issued_ps + d->traits.child_launch_ps;
}

static uint32_t launch(struct grid *parent, const struct simt_ask *a)
{
	const uint64_t name = a->args[1];
	GPtrArray *stream = find_stream(parent, a->block, name);
	CUfunction f;

	if (!stream && name != STREAM_TAIL && name != STREAM_FIRE_AND_FORGET)
		return ERROR_INVALID_VALUE;

	uint32_t error = check(parent, a->child);

	if (error)
		return error;
	if (cuModuleGetFunction(&f, parent->family->module, a->child->func->name) != CUDA_SUCCESS)
		return ERROR_INVALID_VALUE;

	struct grid *g = new_child(parent, a->child);

	g->launch->f = f;
	g->ready_ps = take_in(parent->family);
	if (name == STREAM_TAIL)
		put_at_tail(parent, g);
	else
		put_in_stream(parent, g, stream);
	return 0;
}

/* ---- questions ---- */

static uint32_t set_error(struct grid *g, uint64_t thread, uint32_t error)
{
	if (!g->errors)
		g->errors = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);

	uint64_t *key = g_new(uint64_t, 1);

	*key = thread;
	g_hash_table_insert(g->errors, key, GUINT_TO_POINTER(error));
	return error;
}

static uint32_t last_error(const struct grid *g, uint64_t thread)
{
	return g->errors ? GPOINTER_TO_UINT(g_hash_table_lookup(g->errors, &thread)) : 0;
}

static uint32_t answer(struct simt_ask *a, bool is_right, uint64_t result)
{
	a->result = result;
	return is_right ? 0 : ERROR_INVALID_VALUE;
}

static uint32_t answer_limit(const struct grid *g, struct simt_ask *a)
{
	const bool is_known = a->args[0] < CUDA_LIMIT_COUNT;

	return answer(a, is_known, is_known ? g->family->ctx->limits[a->args[0]] : 0);
}

static uint32_t answer_device(struct simt_ask *a)
{
	bool is_known = false;
	int value = cuda_device_attribute((CUdevice_attribute)a->args[0], &is_known);

	return answer(a, is_known && !a->args[1], (uint32_t)value);
}

/* An attribute of a kernel, or how many of its blocks fit on an SM. */
static uint32_t answer_function(const struct grid *g, struct simt_ask *a)
{
	CUfunction f;
	int value = 0;
	CUresult result = CUDA_ERROR_INVALID_VALUE;

	if (!a->func || cuModuleGetFunction(&f, g->family->module, a->func->name) != CUDA_SUCCESS)
		return ERROR_INVALID_VALUE;
	if (a->kind == SIMT_ASK_FUNC_ATTRIBUTE)
		result = cuFuncGetAttribute(&value, (CUfunction_attribute)a->args[0], f);
	else
		result = cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, f, (int)a->args[1], a->args[2]);
	return answer(a, result == CUDA_SUCCESS, (uint32_t)value);
}

static uint32_t answer_thread(void *grid, struct simt_ask *a)
{
	struct grid *g = grid;

	switch (a->kind) {
	case SIMT_ASK_LAUNCH:
		return launch(g, a);
	case SIMT_ASK_STREAM_CREATE:
		return create(g, a, FIRST_STREAM, a->args[0] == STREAM_NON_BLOCKING);
	case SIMT_ASK_STREAM_DESTROY:
		return destroy(g, find_made_stream(g, a->args[0]), a->args[0]);
	case SIMT_ASK_STREAM_WAIT:
		return wait(find_stream(g, a->block, a->args[0]), find_event(g, a->args[1]));
	case SIMT_ASK_EVENT_CREATE:
		return create(g, a, FIRST_EVENT,
			      a->args[0] & EVENT_DISABLE_TIMING && !(a->args[0] & EVENT_INTERPROCESS));
	case SIMT_ASK_EVENT_RECORD:
		return record(find_event(g, a->args[0]), find_stream(g, a->block, a->args[1]));
	case SIMT_ASK_EVENT_DESTROY:
		return destroy(g, find_event(g, a->args[0]), a->args[0]);
	case SIMT_ASK_LIMIT:
		return answer_limit(g, a);
	case SIMT_ASK_FUNC_ATTRIBUTE:
	case SIMT_ASK_MAX_BLOCKS:
		return answer_function(g, a);
	case SIMT_ASK_CACHE_CONFIG:
		return answer(a, true, CU_FUNC_CACHE_PREFER_NONE);
	case SIMT_ASK_SHARED_CONFIG:
		return answer(a, true, CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE);
	case SIMT_ASK_DEVICE_COUNT:
		return answer(a, true, 1);
	case SIMT_ASK_DEVICE:
		return answer(a, true, 0);
	case SIMT_ASK_DEVICE_ATTRIBUTE:
		return answer_device(a);
	case SIMT_ASK_LAST_ERROR:
		return last_error(g, a->thread);
	case SIMT_ASK_SET_ERROR:
		return set_error(g, a->thread, (uint32_t)a->args[0]);
	}
	UNREACHABLE("all questions are above");
}

/* ---- running ---- */

static CUresult run_child(struct grid *g)
{
	struct family *f = g->family;
	struct cuda_launch *l = g->launch;
	size_t bytes = l->f->func->param_bytes;
	void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, g->params, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
			 CU_LAUNCH_PARAM_END};
	uint8_t *block = NULL;
	CUresult result = cuda_launch_prepare(l, NULL, extra, &block);

	l->ready_ps = g->ready_ps;
	if (result == CUDA_SUCCESS)
		result = cuda_launch_grid(f->ctx, l, f->stream, block, answer_thread, g);
	free(block);
	if (!l->has_run)
		say_refused(f, l->f->func->name, g->parent->launch->f->func->name,
			    *l->reason ? l->reason : cuda_error_text(result));
	return result;
}

CUresult cuda_launch_run(struct CUctx_st *ctx, struct cuda_launch *l, CUstream stream, const uint8_t *block)
{
	struct family f = {.ctx = ctx, .stream = stream, .module = l->f->module};
	struct grid root = {.family = &f, .launch = l, .open_count = 1};
	CUresult result = cuda_launch_grid(ctx, l, stream, block, answer_thread, &root);

	if (result == CUDA_SUCCESS)
		has_run(&root);
	while (result == CUDA_SUCCESS && f.open && g_sequence_get_length(f.open)) {
		GSequenceIter *first = g_sequence_get_begin_iter(f.open);
		struct grid *g = g_sequence_get(first);

		g_sequence_remove(first);
		result = run_child(g);
		if (result == CUDA_SUCCESS)
			has_run(g);
	}
	drop_tables(&root);
	if (f.grids) {
		g_ptr_array_free(f.grids, TRUE);
		g_sequence_free(f.open);
	}
	return result;
}
