/* child.c - dynamic parallelism: a thread gets a buffer on the device's heap, fills in a kernel's parameters, and
 * launches it. What to launch stands in front of the parameters. */
#include <string.h>

#include "simt/heap.h"
#include "simt/state.h"

struct order {
	uint64_t self; /* its own address: the buffer is one of ours */
	uint64_t func_addr;
	uint32_t grid[3], block[3], shared_dynamic_bytes, padding[5];
};

_Static_assert(sizeof(struct order) == 64, "parameters behind it stay aligned");

/* CUDA Runtime API: cudaErrorInvalidValue, cudaErrorNotSupported, and the stream that is the tail of the launch. */
enum { ERROR_INVALID_VALUE = 1, ERROR_NOT_SUPPORTED = 801, STREAM_TAIL = 3 };

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

uint64_t simt_child_launch(struct simt_launch *l, struct simt_warp *w, const struct simt_call_op *op, uint32_t lane)
{
	const uint64_t addr = simt_call_arg(l, w, op, 0, lane) - sizeof(struct order);
	const struct order *o = (const struct order *)addr;

	if (!simt_heap_is_used(l->mem, addr, sizeof(*o)) || o->self != addr)
		return ERROR_INVALID_VALUE;

	/* The thread may have written over all of it. */
	const struct ptx_func *func = kernel_at(l, o->func_addr);

	if (!func || !simt_heap_is_used(l->mem, addr, sizeof(*o) + func->param_bytes))
		return ERROR_INVALID_VALUE;
	if (!l->add_child)
		return ERROR_NOT_SUPPORTED;

	struct simt_child c = {.func = func,
			       .shared_dynamic_bytes = o->shared_dynamic_bytes,
			       .is_tail = simt_call_arg(l, w, op, 1, lane) == STREAM_TAIL,
			       .params = (const uint8_t *)(o + 1)};

	memcpy(c.grid, o->grid, sizeof(c.grid));
	memcpy(c.block, o->block, sizeof(c.block));
	l->add_child(l->child_ctx, &c);
	simt_heap_release(l->mem, addr);
	return 0;
}
