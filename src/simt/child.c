/* child.c - dynamic parallelism: what CUDA's device runtime library (cudadevrt) leaves to the driver. A thread gets a
 * buffer on the device's heap, fills in a kernel's parameters, and launches it; what to launch stands in front of the
 * parameters. Everything else is a question to whoever runs the kernels (simt_launch.ask). */
#include <string.h>

#include "base/check.h"
#include "simt/heap.h"
#include "simt/state.h"

struct order {
	uint64_t self; /* its own address: the buffer is one of ours */
	uint64_t func_addr;
	uint32_t grid[3], block[3], shared_dynamic_bytes, padding[5];
};

_Static_assert(sizeof(struct order) == 64, "parameters behind it stay aligned");

/* Between the library and the driver: invalid value, and what the library knows no name for. */
enum { ERROR_INVALID_VALUE = 1, ERROR_UNKNOWN = 999 };

/* ---- names ---- */

/* A function: its name behind the prefix, how many arguments it has, and how many bytes of a result it stores where the
 * first one says. func_arg: which of those after it is a kernel's address, counted from 1. */
static const struct row {
	const char *name;
	enum simt_ask_kind kind;
	uint8_t arg_count, result_bytes, func_arg;
} rows[] = {
	{"LaunchDeviceV2", SIMT_ASK_LAUNCH, 2, 0, 0},
	{"StreamCreate", SIMT_ASK_STREAM_CREATE, 2, 8, 0},
	{"StreamDestroy", SIMT_ASK_STREAM_DESTROY, 1, 0, 0},
	{"StreamWaitEvent", SIMT_ASK_STREAM_WAIT, 3, 0, 0},
	{"EventCreate", SIMT_ASK_EVENT_CREATE, 2, 8, 0},
	{"EventRecord", SIMT_ASK_EVENT_RECORD, 2, 0, 0},
	{"EventDestroy", SIMT_ASK_EVENT_DESTROY, 1, 0, 0},
	{"GetLimit", SIMT_ASK_LIMIT, 2, 8, 0},
	{"FuncGetAttribute", SIMT_ASK_FUNC_ATTRIBUTE, 3, 4, 2},
	{"MaxActiveBlocksPerMultiprocessor", SIMT_ASK_MAX_BLOCKS, 4, 4, 1},
	{"MaxActiveBlocksPerMultiprocessorWithFlags", SIMT_ASK_MAX_BLOCKS, 5, 4, 1},
	{"GetCacheConfig", SIMT_ASK_CACHE_CONFIG, 1, 4, 0},
	{"GetSharedMemConfig", SIMT_ASK_SHARED_CONFIG, 1, 4, 0},
	{"GetDeviceCount", SIMT_ASK_DEVICE_COUNT, 1, 4, 0},
	{"GetDevice", SIMT_ASK_DEVICE, 1, 4, 0},
	{"DeviceGetAttribute", SIMT_ASK_DEVICE_ATTRIBUTE, 3, 4, 0},
	{"GetLastError", SIMT_ASK_LAST_ERROR, 0, 0, 0},
	{"SetLastError", SIMT_ASK_SET_ERROR, 1, 0, 0},
};

/* The name behind the prefixes of dynamic parallelism before and since CUDA 11.6, NULL without one. */
static const char *behind_prefix(const char *name)
{
	static const char syscall[] = "__cuda_syscall_", cnp[] = "cnp";
	bool is_syscall = !strncmp(name, syscall, sizeof(syscall) - 1);

	name += is_syscall ? sizeof(syscall) - 1 : 0;
	if (strncmp(name, cnp, sizeof(cnp) - 1) != 0)
		return is_syscall ? name : NULL;
	name += sizeof(cnp) - 1;
	return strncmp(name, "v2", 2) != 0 ? name : name + 2;
}

enum simt_builtin simt_child_builtin(const char *name)
{
	name = behind_prefix(name);
	if (!name)
		return SIMT_BUILTIN_NONE;
	if (!strcmp(name, "GetParameterBufferV2"))
		return SIMT_BUILTIN_PARAMETER_BUFFER;
	for (uint32_t i = 0; i < ARRAY_COUNT(rows); i++)
		if (!strcmp(name, rows[i].name))
			return SIMT_BUILTIN_ASK + i;
	return SIMT_BUILTIN_DEVICE_RUNTIME;
}

uint32_t simt_child_argument_count(enum simt_builtin builtin)
{
	return rows[builtin - SIMT_BUILTIN_ASK].arg_count;
}

/* ---- parameters ---- */

static const struct ptx_func *kernel_at(const struct simt_launch *l, uint64_t addr)
{
	const struct ptx_module *m = simt_program_of(l)->module->ptx;
	uint64_t n = (addr - SIMT_FUNC_BASE) / SIMT_FUNC_STEP;

	if (addr < SIMT_FUNC_BASE || addr % SIMT_FUNC_STEP || !n || n > m->func_count)
		return NULL;
	return m->funcs[n - 1]->is_entry && m->funcs[n - 1]->has_body ? m->funcs[n - 1] : NULL;
}

uint64_t simt_child_buffer(struct simt_launch *l, struct simt_warp *w, const struct simt_call_op *op, uint32_t lane)
{
	const struct ptx_func *func = kernel_at(l, simt_call_arg(l, w, op, 0, lane));
	uint64_t addr = func ? simt_heap_alloc(l->mem, sizeof(struct order) + func->param_bytes) : 0;
	struct order *o = (struct order *)addr;

	if (!addr)
		return 0;
	*o = (struct order){.self = addr, .func_addr = simt_func_addr(func),
			    .shared_dynamic_bytes = (uint32_t)simt_call_arg(l, w, op, 3, lane)};
	for (uint32_t i = 0; i < 3; i++) {
		o->grid[i] = simt_call_arg_word(l, w, op, 1, i, lane);
		o->block[i] = simt_call_arg_word(l, w, op, 2, i, lane);
	}
	return addr + sizeof(*o);
}

/* ---- questions ---- */

static uint32_t launch(struct simt_launch *l, struct simt_ask *a)
{
	const uint64_t addr = a->args[0] - sizeof(struct order);
	const struct order *o = (const struct order *)addr;

	if (!simt_heap_is_used(l->mem, addr, sizeof(*o)) || o->self != addr)
		return ERROR_INVALID_VALUE;

	/* The thread may have written over all of it. */
	const struct ptx_func *func = kernel_at(l, o->func_addr);

	if (!func || !simt_heap_is_used(l->mem, addr, sizeof(*o) + func->param_bytes))
		return ERROR_INVALID_VALUE;

	struct simt_child c = {.func = func,
			       .shared_dynamic_bytes = o->shared_dynamic_bytes,
			       .params = (const uint8_t *)(o + 1)};

	memcpy(c.grid, o->grid, sizeof(c.grid));
	memcpy(c.block, o->block, sizeof(c.block));
	a->child = &c;

	uint32_t error = l->ask(l->ask_ctx, a);

	simt_heap_release(l->mem, addr);
	return error;
}

static struct simt_ask ask_of_lane(const struct simt_launch *l, const struct simt_warp *w, const struct row *r,
				   uint32_t lane)
{
	const struct simt_cta *c = w->cta;
	const uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
	const uint64_t block = c->id[0] + l->grid[0] * (c->id[1] + (uint64_t)l->grid[1] * c->id[2]);

	return (struct simt_ask){.kind = r->kind,
				 .block = block,
				 .thread = block * threads + w->index_in_cta * SIMT_LANES + lane};
}

bool simt_child_ask(struct simt_launch *l, struct simt_warp *w, const struct simt_exec *e,
		    const struct simt_call_op *op, enum simt_builtin builtin, uint32_t lane)
{
	const struct row *r = &rows[builtin - SIMT_BUILTIN_ASK];
	const uint32_t first = r->result_bytes ? 1 : 0;
	const uint64_t at = first ? simt_call_arg(l, w, op, 0, lane) : 0;
	struct simt_ask a = ask_of_lane(l, w, r, lane);
	uint32_t error = ERROR_UNKNOWN;

	for (uint32_t i = first; i < r->arg_count; i++)
		a.args[i - first] = simt_call_arg(l, w, op, i, lane);
	if (r->func_arg)
		a.func = kernel_at(l, a.args[r->func_arg - 1]);
	if (l->ask)
		error = r->kind == SIMT_ASK_LAUNCH ? launch(l, &a) : l->ask(l->ask_ctx, &a);
	if (first && !error && !simt_generic_put(l, w, lane, at, r->result_bytes, a.result)) {
		simt_fault_access(l, w, e, lane, true, SIMT_MEM_GLOBAL, at, r->result_bytes, 0);
		return false;
	}
	simt_call_result(l, w, op, lane, error);
	return true;
}
