/* current.c - the stack of contexts that each thread has. */
#include "cuda/driver.h"

enum { STACK_MAX = 64 };

/* Contexts that died stay on the stacks of other threads; they are recognised by their handle and id. */
static _Thread_local struct {
	CUcontext ctx;
	uint64_t id;
} stack[STACK_MAX];
static _Thread_local uint32_t depth;

struct CUctx_st *cuda_context_current(void)
{
	if (!depth)
		return NULL;

	CUcontext c = stack[depth - 1].ctx;

	return cuda_object_is(c, CUDA_KIND_CONTEXT) && c->id == stack[depth - 1].id ? c : NULL;
}

bool cuda_context_has_room(void)
{
	return depth < STACK_MAX;
}

CUresult cuda_context_push(CUcontext c)
{
	if (depth == STACK_MAX)
		return CUDA_ERROR_OUT_OF_MEMORY;
	stack[depth].ctx = c;
	stack[depth++].id = c->id;
	return CUDA_SUCCESS;
}

bool cuda_context_pop(CUcontext *c)
{
	if (!depth)
		return false;
	*c = stack[--depth].ctx;
	return true;
}
