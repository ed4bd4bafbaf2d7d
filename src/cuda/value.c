/* value.c - stream memory operations: a stream writes a word, or waits until one has a value.
 *
 * What a stream is given is computed at once, so that a wait finds the words of all that was given before it, to
 * whichever stream. One that would have to wait for what is given later is refused.
 */
#include "cuda/capture.h"
#include "cuda/copy.h"
#include "cuda/driver.h"
#include "cuda/perthread.h"

static CUresult check(struct CUctx_st *ctx, CUstream stream, CUdeviceptr address, uint32_t bytes)
{
	CUresult result = cuda_capture_forbid(ctx, stream);

	if (result != CUDA_SUCCESS)
		return result;
	return address % bytes || !cuda_range_is_device(address, bytes) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

static CUresult write_value(struct CUctx_st *ctx, CUstream stream, CUdeviceptr address, uint64_t value, uint32_t bytes,
			    unsigned int flags)
{
	CUresult result = check(ctx, stream, address, bytes);

	if (result != CUDA_SUCCESS)
		return result;
	if (flags & ~(unsigned int)CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER)
		return CUDA_ERROR_INVALID_VALUE;
	for (uint32_t i = 0; result == CUDA_SUCCESS && i < bytes / 4; i++) {
		const CUDA_MEMSET_NODE_PARAMS word = {.dst = address + 4 * i, .value = (uint32_t)(value >> 32 * i),
						      .elementSize = 4, .width = 1, .height = 1};

		result = cuda_fill_run(ctx, &word, stream);
	}
	return result;
}

static bool is_reached(uint64_t word, uint64_t value, uint32_t bytes, unsigned int condition)
{
	const uint64_t difference = word - value, mask = bytes == 8 ? UINT64_MAX : UINT32_MAX;

	switch (condition) {
	case CU_STREAM_WAIT_VALUE_GEQ: /* signed, so that counters may wrap */
		return !(difference >> (8 * bytes - 1) & 1);
	case CU_STREAM_WAIT_VALUE_EQ:
		return !(difference & mask);
	case CU_STREAM_WAIT_VALUE_AND:
		return word & value;
	default:
		return ~(word | value) & mask;
	}
}

static CUresult wait_value(struct CUctx_st *ctx, CUstream stream, CUdeviceptr address, uint64_t value, uint32_t bytes,
			   unsigned int flags)
{
	CUresult result = check(ctx, stream, address, bytes);

	if (result != CUDA_SUCCESS)
		return result;
	if (flags > CU_STREAM_WAIT_VALUE_NOR) /* flushes of remote writes among them, which the device does not offer */
		return CUDA_ERROR_INVALID_VALUE;
	simt_memory_touch(cuda_driver.mem);
	if (is_reached(bytes == 8 ? *(const uint64_t *)address : *(const uint32_t *)address, value, bytes, flags))
		return CUDA_SUCCESS;
	return cuda_not_supported("cuStreamWaitValue for a value that is written after the call");
}

#define VALUE(bits)                                                                                                    \
	CUresult cuStreamWriteValue##bits##_v2(CUstream stream, CUdeviceptr address, cuuint##bits##_t value,           \
					       unsigned int flags)                                                     \
	{                                                                                                              \
		CUDA_CALL_OF(CUDA_NEEDS_HEALTH, stream);                                                               \
		return write_value(call.ctx, stream, address, value, bits / 8, flags);                                 \
	}                                                                                                              \
	CUDA_PER_THREAD(cuStreamWriteValue##bits##_v2, _ptsz, CUstream, CUdeviceptr, cuuint##bits##_t, unsigned int);  \
	CUresult cuStreamWaitValue##bits##_v2(CUstream stream, CUdeviceptr address, cuuint##bits##_t value,            \
					      unsigned int flags)                                                      \
	{                                                                                                              \
		CUDA_CALL_OF(CUDA_NEEDS_HEALTH, stream);                                                               \
		return wait_value(call.ctx, stream, address, value, bits / 8, flags);                                  \
	}                                                                                                              \
	CUDA_PER_THREAD(cuStreamWaitValue##bits##_v2, _ptsz, CUstream, CUdeviceptr, cuuint##bits##_t, unsigned int)

VALUE(32);
VALUE(64);

static CUresult run(struct CUctx_st *ctx, CUstream stream, const CUstreamBatchMemOpParams *p)
{
	switch (p->operation) {
	case CU_STREAM_MEM_OP_WRITE_VALUE_32:
		return write_value(ctx, stream, p->writeValue.address, p->writeValue.value, 4, p->writeValue.flags);
	case CU_STREAM_MEM_OP_WRITE_VALUE_64:
		return write_value(ctx, stream, p->writeValue.address, p->writeValue.value64, 8, p->writeValue.flags);
	case CU_STREAM_MEM_OP_WAIT_VALUE_32:
		return wait_value(ctx, stream, p->waitValue.address, p->waitValue.value, 4, p->waitValue.flags);
	case CU_STREAM_MEM_OP_WAIT_VALUE_64:
		return wait_value(ctx, stream, p->waitValue.address, p->waitValue.value64, 8, p->waitValue.flags);
	case CU_STREAM_MEM_OP_BARRIER: /* everything is done in its order */
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

CUresult cuStreamBatchMemOp_v2(CUstream stream, unsigned int count, CUstreamBatchMemOpParams *operations,
			       unsigned int flags)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, stream);

	enum { COUNT_MAX = 256 };
	const bool is_valid = (!count || operations) && count <= COUNT_MAX && !flags;
	CUresult result = is_valid ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;

	for (unsigned int i = 0; result == CUDA_SUCCESS && i < count; i++)
		result = run(call.ctx, stream, &operations[i]);
	return result;
}
CUDA_PER_THREAD(cuStreamBatchMemOp_v2, _ptsz, CUstream, unsigned int, CUstreamBatchMemOpParams *, unsigned int);
