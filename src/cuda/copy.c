/* copy.c - what a copy or a memset does, and what it costs.
 *
 * Every copy is one box of rows and slices between two sides; a side is resolved to host addresses (device addresses
 * are host addresses), checked against what it points into, and then rows are moved. A box costs as its bytes.
 */
#include <string.h>

#include "base/check.h"
#include "cuda/copy.h"
#include "cuda/driver.h"

/* ---- time ---- */

static bool is_synchronous(uint64_t addr)
{
	const struct cuda_alloc *a = cuda_alloc_find(addr);

	return a && a->is_synchronous;
}

void cuda_copy_written(uint64_t to, uint64_t from, uint64_t bytes)
{
	struct device *d = cuda_driver.run.device;
	const bool is_from_device = cuda_address_is_on_device(from), is_to_device = cuda_address_is_on_device(to);

	cuda_check_copied(to, from, bytes);
	if (d->ops->host_wrote && is_to_device && !is_from_device)
		d->ops->host_wrote(d, to, bytes);
	if (is_from_device && !is_to_device)
		machine_timeline_copied_to_host(cuda_driver.run.timeline, (const void *)to, bytes);
}

void cuda_copy_count(const struct cuda_order *o, uint64_t to, uint64_t from, uint64_t bytes)
{
	static const enum machine_work_kind kinds[2][2] = {
	    {MACHINE_WORK_ON_DEVICE, MACHINE_WORK_TO_HOST},
	    {MACHINE_WORK_TO_DEVICE, MACHINE_WORK_ON_HOST},
	};
	bool from_host = !cuda_address_is_on_device(from), to_host = !cuda_address_is_on_device(to);
	enum machine_work_kind kind = kinds[from_host][to_host];
	bool is_pageable = from_host != to_host && !simt_memory_find(cuda_driver.mem, from_host ? from : to, 1);
	bool is_waited_for = !o->is_async || is_synchronous(to) || is_synchronous(from);

	cuda_time_issue();

	const uint64_t duration = machine_timeline_copy_ps(cuda_driver.run.timeline, kind, bytes, is_pageable);
	uint64_t end = cuda_time_give(cuda_time_stream(o->ctx, o->stream), kind, duration, bytes, is_pageable);

	if (!cuda_time_is_in_graph() &&
	    (kind == MACHINE_WORK_ON_HOST || is_pageable || (is_waited_for && kind != MACHINE_WORK_ON_DEVICE)))
		cuda_time_wait_ps(end);
}

static void count_fill(struct CUctx_st *ctx, CUstream stream, uint64_t addr, uint64_t bytes)
{
	enum machine_work_kind kind = cuda_address_is_on_device(addr) ? MACHINE_WORK_FILL : MACHINE_WORK_TO_HOST;

	cuda_time_issue();
	cuda_time_give(cuda_time_stream(ctx, stream), kind,
		       machine_timeline_copy_ps(cuda_driver.run.timeline, kind, bytes, false), bytes, false);
}

/* ---- copies ---- */

/* A host pointer is any address, but inside the arena it must be allocated memory. */
bool cuda_range_is_host(const void *pointer, uint64_t bytes)
{
	uint64_t addr = (uint64_t)pointer;

	return pointer && (!cuda_address_is_arena(addr) || cuda_range_is_device(addr, bytes));
}

/* A unified address: memory this API knows if it points into any, else the host's. */
bool cuda_range_is_any(uint64_t addr, uint64_t bytes)
{
	if (simt_memory_find(cuda_driver.mem, addr, 1))
		return cuda_range_is_device(addr, bytes);
	return addr && !cuda_address_is_arena(addr);
}

/* One side of a box copy, as given and then resolved. */
struct side {
	CUmemorytype type;
	uint64_t addr; /* of the memory's start */
	CUarray array;
	uint64_t x_bytes, y, z, pitch_bytes, height;
};

struct box {
	uint64_t width_bytes, height, depth;
};

static bool add_mul(uint64_t *sum, uint64_t a, uint64_t b)
{
	uint64_t product;

	return !__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(*sum, product, sum);
}

/* Makes s->addr the address of the box's first byte, after checking that the box lies in the side. */
static CUresult resolve(struct side *s, const struct box *b)
{
	if (s->type == CU_MEMORYTYPE_ARRAY) {
		if (!cuda_object_is(s->array, CUDA_KIND_ARRAY))
			return CUDA_ERROR_INVALID_HANDLE;

		uint64_t row_bytes = s->array->desc.Width * s->array->element_bytes;

		if (s->x_bytes > row_bytes || b->width_bytes > row_bytes - s->x_bytes || s->y > s->array->rows ||
		    b->height > s->array->rows - s->y || s->z > s->array->slices ||
		    b->depth > s->array->slices - s->z || s->x_bytes % s->array->element_bytes ||
		    b->width_bytes % s->array->element_bytes)
			return CUDA_ERROR_INVALID_VALUE;
		s->pitch_bytes = s->array->pitch_bytes;
		s->height = s->array->rows;
		s->addr = s->array->addr + s->z * s->array->slice_bytes + s->y * s->pitch_bytes + s->x_bytes;
		return CUDA_SUCCESS;
	}
	/* A pitch of 0 means rows that touch. */
	if (!s->pitch_bytes)
		s->pitch_bytes = s->x_bytes + b->width_bytes;
	if (!s->height)
		s->height = s->y + b->height;
	if (!s->addr || (b->height > 1 && s->pitch_bytes < s->x_bytes + b->width_bytes) ||
	    (b->depth > 1 && s->height < s->y + b->height))
		return CUDA_ERROR_INVALID_VALUE;

	uint64_t first = s->x_bytes, last, slice_bytes;

	if (__builtin_mul_overflow(s->pitch_bytes, s->height, &slice_bytes) || !add_mul(&first, s->y, s->pitch_bytes) ||
	    !add_mul(&first, s->z, slice_bytes))
		return CUDA_ERROR_INVALID_VALUE;
	last = first;
	if (!add_mul(&last, b->height - 1, s->pitch_bytes) || !add_mul(&last, b->depth - 1, slice_bytes) ||
	    !add_mul(&last, b->width_bytes, 1) || __builtin_add_overflow(s->addr, last, &last))
		return CUDA_ERROR_INVALID_VALUE;
	s->addr += first;

	uint64_t bytes = last - s->addr;
	bool is_right = s->type == CU_MEMORYTYPE_HOST	  ? cuda_range_is_host((void *)s->addr, bytes)
			: s->type == CU_MEMORYTYPE_DEVICE ? cuda_range_is_device(s->addr, bytes)
							  : cuda_range_is_any(s->addr, bytes);

	return is_right ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static bool is_type(CUmemorytype t)
{
	return t >= CU_MEMORYTYPE_HOST && t <= CU_MEMORYTYPE_UNIFIED;
}

static void move_box(const struct side *to, const struct side *from, const struct box *b)
{
	simt_memory_touch(cuda_driver.mem);
	for (uint64_t z = 0; z < b->depth; z++) {
		for (uint64_t y = 0; y < b->height; y++) {
			const uint64_t row = to->addr + (z * to->height + y) * to->pitch_bytes;
			const uint64_t from_row = from->addr + (z * from->height + y) * from->pitch_bytes;

			memmove((void *)row, (const void *)from_row, b->width_bytes);
			cuda_copy_written(row, from_row, b->width_bytes);
		}
	}
}

static uint64_t side_addr(CUmemorytype type, const void *host, CUdeviceptr device)
{
	return type == CU_MEMORYTYPE_HOST ? (uint64_t)host : device;
}

static CUresult resolve_3d(const CUDA_MEMCPY3D *c, struct side *to, struct side *from, struct box *b)
{
	CUresult result;

	if (c->srcLOD || c->dstLOD || c->reserved0 || c->reserved1 || !is_type(c->srcMemoryType) ||
	    !is_type(c->dstMemoryType))
		return CUDA_ERROR_INVALID_VALUE;
	*b = (struct box){c->WidthInBytes, c->Height, c->Depth};
	*from = (struct side){.type = c->srcMemoryType, .addr = side_addr(c->srcMemoryType, c->srcHost, c->srcDevice),
			      .array = c->srcArray, .x_bytes = c->srcXInBytes, .y = c->srcY, .z = c->srcZ,
			      .pitch_bytes = c->srcPitch, .height = c->srcHeight};
	*to = (struct side){.type = c->dstMemoryType, .addr = side_addr(c->dstMemoryType, c->dstHost, c->dstDevice),
			    .array = c->dstArray, .x_bytes = c->dstXInBytes, .y = c->dstY, .z = c->dstZ,
			    .pitch_bytes = c->dstPitch, .height = c->dstHeight};
	if (!b->width_bytes || !b->height || !b->depth)
		return CUDA_SUCCESS;
	result = resolve(to, b);
	return result == CUDA_SUCCESS ? resolve(from, b) : result;
}

CUresult cuda_copy_check(const CUDA_MEMCPY3D *c)
{
	struct side from, to;
	struct box b;

	return resolve_3d(c, &to, &from, &b);
}

CUresult cuda_copy_run(const CUDA_MEMCPY3D *c, const struct cuda_order *o)
{
	struct side from, to;
	struct box b;
	CUresult result = resolve_3d(c, &to, &from, &b);

	if (result != CUDA_SUCCESS || !b.width_bytes || !b.height || !b.depth)
		return result;
	move_box(&to, &from, &b);
	cuda_copy_count(o, to.addr, from.addr, b.width_bytes * b.height * b.depth);
	return CUDA_SUCCESS;
}

/* ---- memsets ---- */

static void fill_row(uint64_t addr, uint32_t value, uint32_t element_bytes, uint64_t count)
{
	if (element_bytes == 1) {
		memset((void *)addr, (int)value, count);
		return;
	}
	if (element_bytes == 2) {
		for (uint64_t i = 0; i < count; i++)
			((uint16_t *)addr)[i] = (uint16_t)value;
		return;
	}
	for (uint64_t i = 0; i < count; i++)
		((uint32_t *)addr)[i] = value;
}

CUresult cuda_fill_check(const CUDA_MEMSET_NODE_PARAMS *f)
{
	uint64_t row_bytes, skip_bytes, bytes;

	if (f->elementSize != 1 && f->elementSize != 2 && f->elementSize != 4)
		return CUDA_ERROR_INVALID_VALUE;
	if (!f->width || !f->height)
		return CUDA_SUCCESS;
	if (__builtin_mul_overflow(f->width, f->elementSize, &row_bytes) || f->dst % f->elementSize)
		return CUDA_ERROR_INVALID_VALUE;
	if (f->height > 1 && (f->pitch < row_bytes || f->pitch % f->elementSize))
		return CUDA_ERROR_INVALID_VALUE;
	if (__builtin_mul_overflow(f->height - 1, f->pitch, &skip_bytes) ||
	    __builtin_add_overflow(skip_bytes, row_bytes, &bytes) || !cuda_range_is_device(f->dst, bytes))
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

CUresult cuda_fill_run(struct CUctx_st *ctx, const CUDA_MEMSET_NODE_PARAMS *f, CUstream stream)
{
	CUresult result = cuda_fill_check(f);
	uint64_t row_bytes = f->width * f->elementSize;

	if (result != CUDA_SUCCESS || !f->width || !f->height)
		return result;
	simt_memory_touch(cuda_driver.mem);
	for (uint64_t y = 0; y < f->height; y++) {
		fill_row(f->dst + y * f->pitch, f->value, f->elementSize, f->width);
		cuda_check_written(f->dst + y * f->pitch, row_bytes);
	}
	count_fill(ctx, stream, f->dst, row_bytes * f->height);
	return CUDA_SUCCESS;
}
