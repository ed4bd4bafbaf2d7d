/* memcpy.c - the entry points of copies: in all directions and shapes, and in batches. */
#include <string.h>

#include "base/check.h"
#include "cuda/capture.h"
#include "cuda/copy.h"
#include "cuda/driver.h"
#include "cuda/perthread.h"

/* In the current context: synchronous, in the default stream; or asynchronous in a stream. For entry points. */
#define SYNC (&(const struct cuda_order){call.ctx, NULL, false})
#define ASYNC(stream) (&(const struct cuda_order){call.ctx, (stream), true})

/* ---- linear copies ---- */

enum side_kind { SIDE_HOST, SIDE_DEVICE, SIDE_ANY };

static CUresult capture_linear(struct capture_branch *b, enum side_kind to, uint64_t destination, enum side_kind from,
			       uint64_t source, size_t bytes, const struct cuda_order *o)
{
	static const CUmemorytype types[] = {[SIDE_HOST] = CU_MEMORYTYPE_HOST,
					     [SIDE_DEVICE] = CU_MEMORYTYPE_DEVICE,
					     [SIDE_ANY] = CU_MEMORYTYPE_UNIFIED};
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEMCPY};

	p.memcpy.copyParams = (CUDA_MEMCPY3D){
	    .srcMemoryType = types[from], .srcHost = (const void *)source, .srcDevice = source,
	    .dstMemoryType = types[to], .dstHost = (void *)destination, .dstDevice = destination,
	    .WidthInBytes = bytes, .Height = 1, .Depth = 1,
	};
	return cuda_capture_add(o->ctx, b, &p);
}

static CUresult copy_linear(enum side_kind to, uint64_t destination, enum side_kind from, uint64_t source, size_t bytes,
			    const struct cuda_order *o)
{
	struct capture_branch *branch;
	CUresult result = cuda_capture_enter(o->ctx, o->stream, o->is_async, &branch);

	if (result != CUDA_SUCCESS || !bytes)
		return result;
	if (branch)
		return capture_linear(branch, to, destination, from, source, bytes, o);

	const struct {
		enum side_kind kind;
		uint64_t addr;
	} sides[2] = {{to, destination}, {from, source}};

	for (uint32_t i = 0; i < 2; i++) {
		bool is_right = sides[i].kind == SIDE_HOST     ? cuda_range_is_host((void *)sides[i].addr, bytes)
				: sides[i].kind == SIDE_DEVICE ? cuda_range_is_device(sides[i].addr, bytes)
							       : cuda_range_is_any(sides[i].addr, bytes);

		if (!is_right)
			return CUDA_ERROR_INVALID_VALUE;
	}
	simt_memory_touch(cuda_driver.mem);
	memmove((void *)destination, (const void *)source, bytes);
	cuda_copy_written(destination, source, bytes);
	cuda_copy_count(o, destination, source, bytes);
	return CUDA_SUCCESS;
}

#define COPY_LINEAR(name, to_type, to_kind, from_type, from_kind)                                                      \
	CUresult name##_v2(to_type destination, from_type source, size_t bytes)                                        \
	{                                                                                                              \
		CUDA_CALL(CUDA_NEEDS_HEALTH);                                                                          \
		return copy_linear(to_kind, (uint64_t)destination, from_kind, (uint64_t)source, bytes, SYNC);          \
	}                                                                                                              \
	CUDA_PER_THREAD(name##_v2, _ptds, to_type, from_type, size_t);                                                 \
	CUresult name##Async_v2(to_type destination, from_type source, size_t bytes, CUstream stream)                  \
	{                                                                                                              \
		CUDA_CALL(CUDA_NEEDS_HEALTH);                                                                          \
		return copy_linear(to_kind, (uint64_t)destination, from_kind, (uint64_t)source, bytes, ASYNC(stream)); \
	}                                                                                                              \
	CUDA_PER_THREAD(name##Async_v2, _ptsz, to_type, from_type, size_t, CUstream)

#undef cuMemcpyHtoD
#undef cuMemcpyDtoH
#undef cuMemcpyDtoD
COPY_LINEAR(cuMemcpyHtoD, CUdeviceptr, SIDE_DEVICE, const void *, SIDE_HOST);
COPY_LINEAR(cuMemcpyDtoH, void *, SIDE_HOST, CUdeviceptr, SIDE_DEVICE);
COPY_LINEAR(cuMemcpyDtoD, CUdeviceptr, SIDE_DEVICE, CUdeviceptr, SIDE_DEVICE);

CUresult cuMemcpyAsync(CUdeviceptr destination, CUdeviceptr source, size_t bytes, CUstream stream)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, stream);
	return copy_linear(SIDE_ANY, destination, SIDE_ANY, source, bytes, ASYNC(stream));
}
CUDA_PER_THREAD(cuMemcpyAsync, _ptsz, CUdeviceptr, CUdeviceptr, size_t, CUstream);

CUresult cuMemcpy(CUdeviceptr destination, CUdeviceptr source, size_t bytes)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	return copy_linear(SIDE_ANY, destination, SIDE_ANY, source, bytes, SYNC);
}
CUDA_PER_THREAD(cuMemcpy, _ptds, CUdeviceptr, CUdeviceptr, size_t);

static CUresult copy_peer(CUdeviceptr destination, CUcontext destination_context, CUdeviceptr source,
			  CUcontext source_context, size_t bytes, const struct cuda_order *o)
{
	if (!cuda_object_is(destination_context, CUDA_KIND_CONTEXT) ||
	    !cuda_object_is(source_context, CUDA_KIND_CONTEXT))
		return CUDA_ERROR_INVALID_CONTEXT;
	return copy_linear(SIDE_DEVICE, destination, SIDE_DEVICE, source, bytes, o);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr destination, CUcontext destination_context, CUdeviceptr source,
			   CUcontext source_context, size_t bytes, CUstream stream)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, stream);
	return copy_peer(destination, destination_context, source, source_context, bytes, ASYNC(stream));
}
CUDA_PER_THREAD(cuMemcpyPeerAsync, _ptsz, CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, size_t, CUstream);

CUresult cuMemcpyPeer(CUdeviceptr destination, CUcontext destination_context, CUdeviceptr source,
		      CUcontext source_context, size_t bytes)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	return copy_peer(destination, destination_context, source, source_context, bytes, SYNC);
}
CUDA_PER_THREAD(cuMemcpyPeer, _ptds, CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, size_t);

/* ---- arrays as lines ---- */

/* Bytes [offset, offset + bytes) of the first row of an array; 0 outside it. */
static uint64_t array_line(CUarray a, size_t offset, size_t bytes)
{
	uint64_t row_bytes = a->desc.Width * a->element_bytes;

	return offset <= row_bytes && bytes <= row_bytes - offset ? a->addr + offset : 0;
}

static CUresult copy_arrays(CUarray to, size_t to_offset, uint64_t to_addr, CUarray from, size_t from_offset,
			    uint64_t from_addr, enum side_kind other, size_t bytes, const struct cuda_order *o)
{
	if ((to && !cuda_object_is(to, CUDA_KIND_ARRAY)) || (from && !cuda_object_is(from, CUDA_KIND_ARRAY)))
		return CUDA_ERROR_INVALID_HANDLE;
	if (to)
		to_addr = array_line(to, to_offset, bytes);
	if (from)
		from_addr = array_line(from, from_offset, bytes);
	if (!to_addr || !from_addr)
		return CUDA_ERROR_INVALID_VALUE;
	return copy_linear(to ? SIDE_DEVICE : other, to_addr, from ? SIDE_DEVICE : other, from_addr, bytes, o);
}

CUresult cuMemcpyDtoA_v2(CUarray destination, size_t destination_offset, CUdeviceptr source, size_t bytes)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, destination);
	if (!destination)
		return CUDA_ERROR_INVALID_HANDLE;
	return copy_arrays(destination, destination_offset, 0, NULL, 0, source, SIDE_DEVICE, bytes, SYNC);
}
CUDA_PER_THREAD(cuMemcpyDtoA_v2, _ptds, CUarray, size_t, CUdeviceptr, size_t);

CUresult cuMemcpyAtoD_v2(CUdeviceptr destination, CUarray source, size_t source_offset, size_t bytes)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, source);
	if (!source)
		return CUDA_ERROR_INVALID_HANDLE;
	return copy_arrays(NULL, 0, destination, source, source_offset, 0, SIDE_DEVICE, bytes, SYNC);
}
CUDA_PER_THREAD(cuMemcpyAtoD_v2, _ptds, CUdeviceptr, CUarray, size_t, size_t);

CUresult cuMemcpyHtoAAsync_v2(CUarray destination, size_t destination_offset, const void *source, size_t bytes,
			      CUstream stream)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, stream);
	if (!destination)
		return CUDA_ERROR_INVALID_HANDLE;
	return copy_arrays(destination, destination_offset, 0, NULL, 0, (uint64_t)source, SIDE_HOST, bytes,
			   ASYNC(stream));
}
CUDA_PER_THREAD(cuMemcpyHtoAAsync_v2, _ptsz, CUarray, size_t, const void *, size_t, CUstream);

CUresult cuMemcpyHtoA_v2(CUarray destination, size_t destination_offset, const void *source, size_t bytes)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, destination);
	if (!destination)
		return CUDA_ERROR_INVALID_HANDLE;
	return copy_arrays(destination, destination_offset, 0, NULL, 0, (uint64_t)source, SIDE_HOST, bytes, SYNC);
}
CUDA_PER_THREAD(cuMemcpyHtoA_v2, _ptds, CUarray, size_t, const void *, size_t);

CUresult cuMemcpyAtoHAsync_v2(void *destination, CUarray source, size_t source_offset, size_t bytes, CUstream stream)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, stream);
	if (!source)
		return CUDA_ERROR_INVALID_HANDLE;
	return copy_arrays(NULL, 0, (uint64_t)destination, source, source_offset, 0, SIDE_HOST, bytes, ASYNC(stream));
}
CUDA_PER_THREAD(cuMemcpyAtoHAsync_v2, _ptsz, void *, CUarray, size_t, size_t, CUstream);

CUresult cuMemcpyAtoH_v2(void *destination, CUarray source, size_t source_offset, size_t bytes)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, source);
	if (!source)
		return CUDA_ERROR_INVALID_HANDLE;
	return copy_arrays(NULL, 0, (uint64_t)destination, source, source_offset, 0, SIDE_HOST, bytes, SYNC);
}
CUDA_PER_THREAD(cuMemcpyAtoH_v2, _ptds, void *, CUarray, size_t, size_t);

CUresult cuMemcpyAtoA_v2(CUarray destination, size_t destination_offset, CUarray source, size_t source_offset,
			 size_t bytes)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, destination);
	if (!destination || !source)
		return CUDA_ERROR_INVALID_HANDLE;
	return copy_arrays(destination, destination_offset, 0, source, source_offset, 0, SIDE_DEVICE, bytes, SYNC);
}
CUDA_PER_THREAD(cuMemcpyAtoA_v2, _ptds, CUarray, size_t, CUarray, size_t, size_t);

/* ---- boxes ---- */

static CUresult copy_3d(const CUDA_MEMCPY3D *c, const struct cuda_order *o)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEMCPY};
	struct capture_branch *branch;
	CUresult result;

	if (!c)
		return CUDA_ERROR_INVALID_VALUE;
	result = cuda_capture_enter(o->ctx, o->stream, o->is_async, &branch);
	if (result != CUDA_SUCCESS || !branch)
		return result == CUDA_SUCCESS ? cuda_copy_run(c, o) : result;
	p.memcpy.copyParams = *c;
	return cuda_capture_add(o->ctx, branch, &p);
}

static CUresult copy_2d(const CUDA_MEMCPY2D *c, bool is_any_pitch, const struct cuda_order *o)
{
	if (!c)
		return CUDA_ERROR_INVALID_VALUE;
	if (!is_any_pitch && (c->srcPitch > INT32_MAX || c->dstPitch > INT32_MAX))
		return CUDA_ERROR_INVALID_VALUE;

	const CUDA_MEMCPY3D box = {
	    .srcXInBytes = c->srcXInBytes, .srcY = c->srcY, .srcMemoryType = c->srcMemoryType,
	    .srcHost = c->srcHost, .srcDevice = c->srcDevice, .srcArray = c->srcArray, .srcPitch = c->srcPitch,
	    .dstXInBytes = c->dstXInBytes, .dstY = c->dstY, .dstMemoryType = c->dstMemoryType,
	    .dstHost = c->dstHost, .dstDevice = c->dstDevice, .dstArray = c->dstArray, .dstPitch = c->dstPitch,
	    .WidthInBytes = c->WidthInBytes, .Height = c->Height, .Depth = 1,
	};

	return copy_3d(&box, o);
}

CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *copy, CUstream stream)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, stream);
	return copy_2d(copy, false, ASYNC(stream));
}
CUDA_PER_THREAD(cuMemcpy2DAsync_v2, _ptsz, const CUDA_MEMCPY2D *, CUstream);

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *copy)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	return copy_2d(copy, false, SYNC);
}
CUDA_PER_THREAD(cuMemcpy2D_v2, _ptds, const CUDA_MEMCPY2D *);

CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *copy)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	return copy_2d(copy, true, SYNC);
}
CUDA_PER_THREAD(cuMemcpy2DUnaligned_v2, _ptds, const CUDA_MEMCPY2D *);

CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *copy, CUstream stream)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, stream);
	return copy_3d(copy, ASYNC(stream));
}
CUDA_PER_THREAD(cuMemcpy3DAsync_v2, _ptsz, const CUDA_MEMCPY3D *, CUstream);

CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *copy)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	return copy_3d(copy, SYNC);
}
CUDA_PER_THREAD(cuMemcpy3D_v2, _ptds, const CUDA_MEMCPY3D *);

/* ---- between contexts ---- */

static CUresult copy_3d_peer(const CUDA_MEMCPY3D_PEER *c, const struct cuda_order *o)
{
	if (!c)
		return CUDA_ERROR_INVALID_VALUE;
	if (!cuda_object_is(c->srcContext, CUDA_KIND_CONTEXT) || !cuda_object_is(c->dstContext, CUDA_KIND_CONTEXT))
		return CUDA_ERROR_INVALID_CONTEXT;

	/* The same but for the contexts, in place of what is reserved. */
	_Static_assert(sizeof(CUDA_MEMCPY3D) == sizeof(*c) &&
			       offsetof(CUDA_MEMCPY3D, reserved0) == offsetof(CUDA_MEMCPY3D_PEER, srcContext) &&
			       offsetof(CUDA_MEMCPY3D, reserved1) == offsetof(CUDA_MEMCPY3D_PEER, dstContext),
		       "one layout");
	CUDA_MEMCPY3D inside;

	memcpy(&inside, c, sizeof(inside));
	inside.reserved0 = inside.reserved1 = NULL;
	return copy_3d(&inside, o);
}

CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *copy, CUstream stream)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, stream);
	return copy_3d_peer(copy, ASYNC(stream));
}
CUDA_PER_THREAD(cuMemcpy3DPeerAsync, _ptsz, const CUDA_MEMCPY3D_PEER *, CUstream);

CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *copy)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	return copy_3d_peer(copy, SYNC);
}
CUDA_PER_THREAD(cuMemcpy3DPeer, _ptds, const CUDA_MEMCPY3D_PEER *);

/* ---- batches ---- */

static bool is_order_known(CUmemcpySrcAccessOrder order)
{
	return order >= CU_MEMCPY_SRC_ACCESS_ORDER_STREAM && order <= CU_MEMCPY_SRC_ACCESS_ORDER_ANY;
}

/* The attributes of a batch: each holds from the copy that its index names, and the first from copy 0. All are advice
 * here, where the source is read at the call. */
static bool are_attributes_valid(const CUmemcpyAttributes *attributes, const size_t *first, size_t attributes_count,
				 size_t count)
{
	if (!attributes || !first || !attributes_count || attributes_count > count || first[0])
		return false;
	for (size_t i = 0; i < attributes_count; i++) {
		if (!is_order_known(attributes[i].srcAccessOrder) || first[i] >= count ||
		    (i && first[i] <= first[i - 1]))
			return false;
	}
	return true;
}

/* *failed: the copy at fault, SIZE_MAX for the batch as a whole. */
static CUresult copy_batch(const CUdeviceptr *to, const CUdeviceptr *from, const size_t *sizes, size_t count,
			   size_t *failed, const struct cuda_order *o)
{
	CUresult result = cuda_stream_check_batch(o->ctx, o->stream);

	*failed = SIZE_MAX;
	if (!to || !from || !sizes)
		return CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; result == CUDA_SUCCESS && i < count; i++) {
		result = sizes[i] ? copy_linear(SIDE_ANY, to[i], SIDE_ANY, from[i], sizes[i], o)
				  : CUDA_ERROR_INVALID_VALUE;
		if (result != CUDA_SUCCESS)
			*failed = i;
	}
	return result;
}

CUresult cuMemcpyBatchAsync_v2(CUdeviceptr *to, CUdeviceptr *from, size_t *sizes, size_t count,
			       CUmemcpyAttributes *attributes, size_t *first, size_t attributes_count, CUstream stream)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, stream);

	size_t failed;

	if (!are_attributes_valid(attributes, first, attributes_count, count))
		return CUDA_ERROR_INVALID_VALUE;
	return copy_batch(to, from, sizes, count, &failed, ASYNC(stream));
}
CUDA_PER_THREAD(cuMemcpyBatchAsync_v2, _ptsz, CUdeviceptr *, CUdeviceptr *, size_t *, size_t, CUmemcpyAttributes *,
		size_t *, size_t, CUstream);

#undef cuMemcpyBatchAsync
CUresult cuMemcpyBatchAsync(CUdeviceptr *to, CUdeviceptr *from, size_t *sizes, size_t count,
			    CUmemcpyAttributes *attributes, size_t *first, size_t attributes_count, size_t *failed,
			    CUstream stream)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, stream);

	size_t unwanted;

	if (!are_attributes_valid(attributes, first, attributes_count, count))
		return CUDA_ERROR_INVALID_VALUE;
	return copy_batch(to, from, sizes, count, failed ? failed : &unwanted, ASYNC(stream));
}
CUDA_PER_THREAD(cuMemcpyBatchAsync, _ptsz, CUdeviceptr *, CUdeviceptr *, size_t *, size_t, CUmemcpyAttributes *,
		size_t *, size_t, size_t *, CUstream);

/* Operands count elements: texels of the array, if one side is an array, else bytes. */
static void set_source(CUDA_MEMCPY3D *c, const CUmemcpy3DOperand *p, uint64_t element_bytes)
{
	if (p->type == CU_MEMCPY_OPERAND_TYPE_ARRAY) {
		c->srcMemoryType = CU_MEMORYTYPE_ARRAY;
		c->srcArray = p->op.array.array;
		c->srcXInBytes = p->op.array.offset.x * element_bytes;
		c->srcY = p->op.array.offset.y;
		c->srcZ = p->op.array.offset.z;
	} else {
		c->srcMemoryType = CU_MEMORYTYPE_UNIFIED;
		c->srcDevice = p->op.ptr.ptr;
		c->srcPitch = p->op.ptr.rowLength * element_bytes;
		c->srcHeight = p->op.ptr.layerHeight;
	}
}

static void set_destination(CUDA_MEMCPY3D *c, const CUmemcpy3DOperand *p, uint64_t element_bytes)
{
	if (p->type == CU_MEMCPY_OPERAND_TYPE_ARRAY) {
		c->dstMemoryType = CU_MEMORYTYPE_ARRAY;
		c->dstArray = p->op.array.array;
		c->dstXInBytes = p->op.array.offset.x * element_bytes;
		c->dstY = p->op.array.offset.y;
		c->dstZ = p->op.array.offset.z;
	} else {
		c->dstMemoryType = CU_MEMORYTYPE_UNIFIED;
		c->dstDevice = p->op.ptr.ptr;
		c->dstPitch = p->op.ptr.rowLength * element_bytes;
		c->dstHeight = p->op.ptr.layerHeight;
	}
}

static CUresult copy_operands(const CUDA_MEMCPY3D_BATCH_OP *c, const struct cuda_order *o)
{
	const CUmemcpy3DOperand *sides[2] = {&c->dst, &c->src};
	uint64_t element_bytes = 1;

	if (!is_order_known(c->srcAccessOrder) || !c->extent.width || !c->extent.height || !c->extent.depth)
		return CUDA_ERROR_INVALID_VALUE;
	for (uint32_t i = 0; i < 2; i++) {
		if (sides[i]->type == CU_MEMCPY_OPERAND_TYPE_ARRAY) {
			if (!cuda_object_is(sides[i]->op.array.array, CUDA_KIND_ARRAY))
				return CUDA_ERROR_INVALID_HANDLE;
			element_bytes = sides[i]->op.array.array->element_bytes;
		} else if (sides[i]->type != CU_MEMCPY_OPERAND_TYPE_POINTER) {
			return CUDA_ERROR_INVALID_VALUE;
		}
	}

	CUDA_MEMCPY3D box = {.WidthInBytes = c->extent.width * element_bytes, .Height = c->extent.height,
			     .Depth = c->extent.depth};

	set_source(&box, &c->src, element_bytes);
	set_destination(&box, &c->dst, element_bytes);
	return copy_3d(&box, o);
}

static CUresult copy_box_batch(size_t count, const CUDA_MEMCPY3D_BATCH_OP *copies, unsigned long long flags,
			       size_t *failed, const struct cuda_order *o)
{
	CUresult result = cuda_stream_check_batch(o->ctx, o->stream);

	*failed = SIZE_MAX;
	if (!count || !copies || flags)
		return CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; result == CUDA_SUCCESS && i < count; i++) {
		result = copy_operands(&copies[i], o);
		if (result != CUDA_SUCCESS)
			*failed = i;
	}
	return result;
}

CUresult cuMemcpy3DBatchAsync_v2(size_t count, CUDA_MEMCPY3D_BATCH_OP *copies, unsigned long long flags,
				 CUstream stream)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, stream);

	size_t failed;

	return copy_box_batch(count, copies, flags, &failed, ASYNC(stream));
}
CUDA_PER_THREAD(cuMemcpy3DBatchAsync_v2, _ptsz, size_t, CUDA_MEMCPY3D_BATCH_OP *, unsigned long long, CUstream);

#undef cuMemcpy3DBatchAsync
CUresult cuMemcpy3DBatchAsync(size_t count, CUDA_MEMCPY3D_BATCH_OP *copies, size_t *failed, unsigned long long flags,
			      CUstream stream)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, stream);

	size_t unwanted;

	return copy_box_batch(count, copies, flags, failed ? failed : &unwanted, ASYNC(stream));
}
CUDA_PER_THREAD(cuMemcpy3DBatchAsync, _ptsz, size_t, CUDA_MEMCPY3D_BATCH_OP *, size_t *, unsigned long long, CUstream);
