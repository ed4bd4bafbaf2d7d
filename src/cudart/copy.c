/* copy.c - copies and fills of every shape, each one call of the driver. `kind` says which sides are the host's; the
 * driver checks that they are.
 */
#include "cudart/order.h"

static cudaError_t invalid_value(void)
{
	return cudart_fail(cudaErrorInvalidValue);
}

static bool is_kind(enum cudaMemcpyKind kind)
{
	return (unsigned int)kind <= cudaMemcpyDefault;
}

/* ---- lines ---- */

static CUresult copy_now(void *destination, const void *source, size_t bytes, enum cudaMemcpyKind kind)
{
	switch (kind) {
	case cudaMemcpyHostToDevice:
		return cuMemcpyHtoD((CUdeviceptr)destination, source, bytes);
	case cudaMemcpyDeviceToHost:
		return cuMemcpyDtoH(destination, (CUdeviceptr)source, bytes);
	case cudaMemcpyDeviceToDevice:
		return cuMemcpyDtoD((CUdeviceptr)destination, (CUdeviceptr)source, bytes);
	default:
		return cuMemcpy((CUdeviceptr)destination, (CUdeviceptr)source, bytes);
	}
}

static CUresult copy_in(CUstream stream, void *destination, const void *source, size_t bytes, enum cudaMemcpyKind kind)
{
	switch (kind) {
	case cudaMemcpyHostToDevice:
		return cuMemcpyHtoDAsync((CUdeviceptr)destination, source, bytes, stream);
	case cudaMemcpyDeviceToHost:
		return cuMemcpyDtoHAsync(destination, (CUdeviceptr)source, bytes, stream);
	case cudaMemcpyDeviceToDevice:
		return cuMemcpyDtoDAsync((CUdeviceptr)destination, (CUdeviceptr)source, bytes, stream);
	default:
		return cuMemcpyAsync((CUdeviceptr)destination, (CUdeviceptr)source, bytes, stream);
	}
}

cudaError_t cudart_copy(void *destination, const void *source, size_t bytes, enum cudaMemcpyKind kind,
			const struct cudart_order *o)
{
	CUDART_ENTER();
	if (!is_kind(kind))
		return cudart_fail(cudaErrorInvalidMemcpyDirection);
	if (cudart_order_is_legacy(o))
		return cudart_result(copy_now(destination, source, bytes, kind));
	return cudart_order_end(o, copy_in(o->stream, destination, source, bytes, kind));
}

CUDART_SYNC(cudaMemcpy, (void *destination, const void *source, size_t bytes, enum cudaMemcpyKind kind),
	    cudart_copy(destination, source, bytes, kind, o));

CUDART_ASYNC(cudaMemcpyAsync, (void *destination, const void *source, size_t bytes, enum cudaMemcpyKind kind,
	      cudaStream_t stream),
	     cudart_copy(destination, source, bytes, kind, o));

CUDART_API cudaError_t cudaMemcpyPeerAsync(void *destination, int destination_device, const void *source,
					   int source_device, size_t bytes, cudaStream_t stream)
{
	CUDART_ENTER();
	if (destination_device || source_device)
		return cudart_fail(cudaErrorInvalidDevice);
	return cudart_result(cuMemcpyDtoDAsync((CUdeviceptr)destination, (CUdeviceptr)source, bytes, stream));
}

CUDART_API cudaError_t cudaMemcpyPeer(void *destination, int destination_device, const void *source, int source_device,
				      size_t bytes)
{
	CUDART_ENTER();
	if (destination_device || source_device)
		return cudart_fail(cudaErrorInvalidDevice);
	return cudart_result(cuMemcpyDtoD((CUdeviceptr)destination, (CUdeviceptr)source, bytes));
}

/* ---- boxes ---- */

enum { SOURCE = 0, DESTINATION = 1 };

/* Host, device or, for cudaMemcpyDefault, whatever the address says. */
static CUmemorytype side_type(enum cudaMemcpyKind kind, int side)
{
	static const CUmemorytype types[][2] = {
		[cudaMemcpyHostToHost] = {CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_HOST},
		[cudaMemcpyHostToDevice] = {CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_DEVICE},
		[cudaMemcpyDeviceToHost] = {CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_HOST},
		[cudaMemcpyDeviceToDevice] = {CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_DEVICE},
		[cudaMemcpyDefault] = {CU_MEMORYTYPE_UNIFIED, CU_MEMORYTYPE_UNIFIED},
	};

	return types[kind][side];
}

static void set_source(CUDA_MEMCPY3D *c, enum cudaMemcpyKind kind, const void *pointer, size_t pitch, size_t rows)
{
	c->srcMemoryType = side_type(kind, SOURCE);
	c->srcHost = pointer;
	c->srcDevice = (CUdeviceptr)pointer;
	c->srcPitch = pitch;
	c->srcHeight = rows;
}

static void set_destination(CUDA_MEMCPY3D *c, enum cudaMemcpyKind kind, void *pointer, size_t pitch, size_t rows)
{
	c->dstMemoryType = side_type(kind, DESTINATION);
	c->dstHost = pointer;
	c->dstDevice = (CUdeviceptr)pointer;
	c->dstPitch = pitch;
	c->dstHeight = rows;
}

static void set_source_array(CUDA_MEMCPY3D *c, cudaArray_const_t array, size_t x_bytes, size_t y)
{
	c->srcMemoryType = CU_MEMORYTYPE_ARRAY;
	c->srcArray = (CUarray)array;
	c->srcXInBytes = x_bytes;
	c->srcY = y;
}

static void set_destination_array(CUDA_MEMCPY3D *c, cudaArray_t array, size_t x_bytes, size_t y)
{
	c->dstMemoryType = CU_MEMORYTYPE_ARRAY;
	c->dstArray = (CUarray)array;
	c->dstXInBytes = x_bytes;
	c->dstY = y;
}

static cudaError_t copy_box(CUDA_MEMCPY3D *c, size_t width, size_t height, size_t depth, const struct cudart_order *o)
{
	c->WidthInBytes = width;
	c->Height = height;
	c->Depth = depth;
	return cudart_order_is_legacy(o) ? cudart_result(cuMemcpy3D(c))
					 : cudart_order_end(o, cuMemcpy3DAsync(c, o->stream));
}

static cudaError_t copy_2d(void *destination, size_t destination_pitch, const void *source, size_t source_pitch,
			   size_t width, size_t height, enum cudaMemcpyKind kind, const struct cudart_order *o)
{
	CUDA_MEMCPY3D c = {0};

	CUDART_ENTER();
	if (!is_kind(kind))
		return cudart_fail(cudaErrorInvalidMemcpyDirection);
	if (width > destination_pitch || width > source_pitch)
		return cudart_fail(cudaErrorInvalidPitchValue);
	set_source(&c, kind, source, source_pitch, 0);
	set_destination(&c, kind, destination, destination_pitch, 0);
	return copy_box(&c, width, height, 1, o);
}

CUDART_SYNC(cudaMemcpy2D, (void *destination, size_t destination_pitch, const void *source, size_t source_pitch,
	     size_t width, size_t height, enum cudaMemcpyKind kind),
	    copy_2d(destination, destination_pitch, source, source_pitch, width, height, kind, o));

CUDART_ASYNC(cudaMemcpy2DAsync, (void *destination, size_t destination_pitch, const void *source, size_t source_pitch,
	      size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream),
	     copy_2d(destination, destination_pitch, source, source_pitch, width, height, kind, o));

size_t cudart_element_bytes(cudaArray_const_t array)
{
	struct cudaChannelFormatDesc f;

	if (cudaGetChannelDesc(&f, array) != cudaSuccess)
		return 0;
	return (size_t)(f.x + f.y + f.z + f.w) / 8;
}

/* One side of a 3D copy has exactly one of array and pointer. */
static bool is_one_place(cudaArray_t array, const struct cudaPitchedPtr *p)
{
	return !array != !p->ptr;
}

cudaError_t cudart_copy_box(const struct cudaMemcpy3DParms *p, CUDA_MEMCPY3D *c)
{
	size_t unit = 1; /* extents count elements as soon as an array takes part, and bytes otherwise */

	*c = (CUDA_MEMCPY3D){0};
	if (!p || !is_one_place(p->srcArray, &p->srcPtr) || !is_one_place(p->dstArray, &p->dstPtr))
		return invalid_value();
	if (!is_kind(p->kind))
		return cudart_fail(cudaErrorInvalidMemcpyDirection);
	if (p->srcArray || p->dstArray)
		unit = cudart_element_bytes(p->srcArray ? p->srcArray : p->dstArray);
	if (!unit)
		return cudaPeekAtLastError();
	if (p->srcArray) {
		set_source_array(c, p->srcArray, p->srcPos.x * cudart_element_bytes(p->srcArray), p->srcPos.y);
	} else {
		set_source(c, p->kind, p->srcPtr.ptr, p->srcPtr.pitch, p->srcPtr.ysize);
		c->srcXInBytes = p->srcPos.x;
		c->srcY = p->srcPos.y;
	}
	if (p->dstArray) {
		set_destination_array(c, p->dstArray, p->dstPos.x * cudart_element_bytes(p->dstArray), p->dstPos.y);
	} else {
		set_destination(c, p->kind, p->dstPtr.ptr, p->dstPtr.pitch, p->dstPtr.ysize);
		c->dstXInBytes = p->dstPos.x;
		c->dstY = p->dstPos.y;
	}
	c->srcZ = p->srcPos.z;
	c->dstZ = p->dstPos.z;
	c->WidthInBytes = p->extent.width * unit;
	c->Height = p->extent.height;
	c->Depth = p->extent.depth;
	return cudaSuccess;
}

static cudaError_t copy_3d(const struct cudaMemcpy3DParms *p, const struct cudart_order *o)
{
	CUDA_MEMCPY3D c;

	CUDART_ENTER();

	cudaError_t e = cudart_copy_box(p, &c);

	return e == cudaSuccess ? copy_box(&c, c.WidthInBytes, c.Height, c.Depth, o) : e;
}

cudaError_t cudart_copy_line(void *destination, const void *source, size_t bytes, enum cudaMemcpyKind kind,
			     CUDA_MEMCPY3D *c)
{
	*c = (CUDA_MEMCPY3D){.WidthInBytes = bytes, .Height = 1, .Depth = 1};
	if (!is_kind(kind))
		return cudart_fail(cudaErrorInvalidMemcpyDirection);
	set_source(c, kind, source, 0, 0);
	set_destination(c, kind, destination, 0, 0);
	return cudaSuccess;
}

CUDART_SYNC(cudaMemcpy3D, (const struct cudaMemcpy3DParms *parameters),
	    copy_3d(parameters, o));

CUDART_ASYNC(cudaMemcpy3DAsync, (const struct cudaMemcpy3DParms *parameters, cudaStream_t stream),
	     copy_3d(parameters, o));

static cudaError_t copy_3d_peer(const struct cudaMemcpy3DPeerParms *p, const struct cudart_order *o)
{
	if (!p)
		return invalid_value();
	if (p->srcDevice || p->dstDevice)
		return cudart_fail(cudaErrorInvalidDevice);

	const struct cudaMemcpy3DParms same = {
		.srcArray = p->srcArray, .srcPos = p->srcPos, .srcPtr = p->srcPtr, .dstArray = p->dstArray,
		.dstPos = p->dstPos, .dstPtr = p->dstPtr, .extent = p->extent, .kind = cudaMemcpyDeviceToDevice,
	};

	return copy_3d(&same, o);
}

CUDART_SYNC(cudaMemcpy3DPeer, (const struct cudaMemcpy3DPeerParms *parameters),
	    copy_3d_peer(parameters, o));

CUDART_ASYNC(cudaMemcpy3DPeerAsync, (const struct cudaMemcpy3DPeerParms *parameters, cudaStream_t stream),
	     copy_3d_peer(parameters, o));

/* ---- arrays and rectangles ---- */

static cudaError_t copy_to_array(cudaArray_t destination, size_t x, size_t y, const void *source, size_t source_pitch,
				 size_t width, size_t height, enum cudaMemcpyKind kind, const struct cudart_order *o)
{
	CUDA_MEMCPY3D c = {0};

	CUDART_ENTER();
	if (!is_kind(kind))
		return cudart_fail(cudaErrorInvalidMemcpyDirection);
	if (source_pitch && width > source_pitch) /* 0: rows that touch, which NVIDIA's runtime takes here */
		return cudart_fail(cudaErrorInvalidPitchValue);
	set_source(&c, kind, source, source_pitch, 0);
	set_destination_array(&c, destination, x, y);
	return copy_box(&c, width, height, 1, o);
}

static cudaError_t copy_from_array(void *destination, size_t destination_pitch, cudaArray_const_t source, size_t x,
				   size_t y, size_t width, size_t height, enum cudaMemcpyKind kind,
				   const struct cudart_order *o)
{
	CUDA_MEMCPY3D c = {0};

	CUDART_ENTER();
	if (!is_kind(kind))
		return cudart_fail(cudaErrorInvalidMemcpyDirection);
	if (width > destination_pitch)
		return cudart_fail(cudaErrorInvalidPitchValue);
	set_source_array(&c, source, x, y);
	set_destination(&c, kind, destination, destination_pitch, 0);
	return copy_box(&c, width, height, 1, o);
}

CUDART_SYNC(cudaMemcpy2DToArray, (cudaArray_t destination, size_t x, size_t y, const void *source,
	     size_t source_pitch, size_t width, size_t height, enum cudaMemcpyKind kind),
	    copy_to_array(destination, x, y, source, source_pitch, width, height, kind, o));

CUDART_ASYNC(cudaMemcpy2DToArrayAsync, (cudaArray_t destination, size_t x, size_t y, const void *source,
	      size_t source_pitch, size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream),
	     copy_to_array(destination, x, y, source, source_pitch, width, height, kind, o));

CUDART_SYNC(cudaMemcpy2DFromArray, (void *destination, size_t destination_pitch, cudaArray_const_t source, size_t x,
	     size_t y, size_t width, size_t height, enum cudaMemcpyKind kind),
	    copy_from_array(destination, destination_pitch, source, x, y, width, height, kind, o));

CUDART_ASYNC(cudaMemcpy2DFromArrayAsync, (void *destination, size_t destination_pitch, cudaArray_const_t source,
	      size_t x, size_t y, size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream),
	     copy_from_array(destination, destination_pitch, source, x, y, width, height, kind, o));

static cudaError_t copy_arrays(cudaArray_t destination, size_t destination_x, size_t destination_y,
			       cudaArray_const_t source, size_t source_x, size_t source_y, size_t width,
			       size_t height, enum cudaMemcpyKind kind, const struct cudart_order *o)
{
	CUDA_MEMCPY3D c = {0};

	CUDART_ENTER();
	if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
		return cudart_fail(cudaErrorInvalidMemcpyDirection);
	set_source_array(&c, source, source_x, source_y);
	set_destination_array(&c, destination, destination_x, destination_y);
	return copy_box(&c, width, height, 1, o);
}

CUDART_SYNC(cudaMemcpy2DArrayToArray, (cudaArray_t destination, size_t destination_x, size_t destination_y,
	     cudaArray_const_t source, size_t source_x, size_t source_y, size_t width, size_t height,
	     enum cudaMemcpyKind kind),
	    copy_arrays(destination, destination_x, destination_y, source, source_x, source_y, width, height, kind,
		o));

/* ---- arrays and lines: a line goes on in the next row ---- */

/* What is left of a line of bytes in an array. */
struct array_line {
	cudaArray_const_t array;
	size_t x, y, row_bytes, bytes;
};

static cudaError_t start_line(struct array_line *l, cudaArray_const_t array, size_t x, size_t y, size_t bytes)
{
	CUDA_ARRAY3D_DESCRIPTOR d;
	CUresult result = cuArray3DGetDescriptor(&d, (CUarray)array);

	*l = (struct array_line){0};
	if (result != CUDA_SUCCESS)
		return cudart_result(result);
	*l = (struct array_line){array, x, y, d.Width * cudart_element_bytes(array), bytes};
	return l->x < l->row_bytes ? cudaSuccess : invalid_value();
}

/* Takes the next piece, which lies in one row; returns its size. */
static size_t next_piece(struct array_line *l, size_t *x, size_t *y)
{
	size_t piece = l->row_bytes - l->x < l->bytes ? l->row_bytes - l->x : l->bytes;

	*x = l->x;
	*y = l->y;
	l->bytes -= piece;
	l->x = 0;
	l->y++;
	return piece;
}

static cudaError_t line_to_array(cudaArray_t destination, size_t x, size_t y, const void *source, size_t bytes,
				 enum cudaMemcpyKind kind, const struct cudart_order *o)
{
	struct array_line l;

	CUDART_ENTER();

	cudaError_t e = start_line(&l, destination, x, y, bytes);

	for (const char *from = source; e == cudaSuccess && l.bytes;) {
		size_t piece = next_piece(&l, &x, &y);

		e = copy_to_array(destination, x, y, from, piece, piece, 1, kind, o);
		from += piece;
	}
	return e;
}

static cudaError_t line_from_array(void *destination, cudaArray_const_t source, size_t x, size_t y, size_t bytes,
				   enum cudaMemcpyKind kind, const struct cudart_order *o)
{
	struct array_line l;

	CUDART_ENTER();

	cudaError_t e = start_line(&l, source, x, y, bytes);

	for (char *to = destination; e == cudaSuccess && l.bytes;) {
		size_t piece = next_piece(&l, &x, &y);

		e = copy_from_array(to, piece, source, x, y, piece, 1, kind, o);
		to += piece;
	}
	return e;
}

CUDART_SYNC(cudaMemcpyToArray, (cudaArray_t destination, size_t x, size_t y, const void *source, size_t bytes,
	     enum cudaMemcpyKind kind),
	    line_to_array(destination, x, y, source, bytes, kind, o));

CUDART_ASYNC(cudaMemcpyToArrayAsync, (cudaArray_t destination, size_t x, size_t y, const void *source, size_t bytes,
	      enum cudaMemcpyKind kind, cudaStream_t stream),
	     line_to_array(destination, x, y, source, bytes, kind, o));

CUDART_SYNC(cudaMemcpyFromArray, (void *destination, cudaArray_const_t source, size_t x, size_t y, size_t bytes,
	     enum cudaMemcpyKind kind),
	    line_from_array(destination, source, x, y, bytes, kind, o));

CUDART_ASYNC(cudaMemcpyFromArrayAsync, (void *destination, cudaArray_const_t source, size_t x, size_t y, size_t bytes,
	      enum cudaMemcpyKind kind, cudaStream_t stream),
	     line_from_array(destination, source, x, y, bytes, kind, o));

static cudaError_t line_between_arrays(cudaArray_t destination, size_t destination_x, size_t destination_y,
				       cudaArray_const_t source, size_t source_x, size_t source_y, size_t bytes,
				       enum cudaMemcpyKind kind, const struct cudart_order *o)
{
	struct array_line to, from;

	CUDART_ENTER();

	cudaError_t e = start_line(&to, destination, destination_x, destination_y, bytes);

	if (e == cudaSuccess)
		e = start_line(&from, source, source_x, source_y, bytes);
	while (e == cudaSuccess && to.bytes) {
		/* The piece that stays within a row on both sides. */
		size_t to_rest = to.row_bytes - to.x, from_rest = from.row_bytes - from.x;
		size_t piece = to_rest < from_rest ? to_rest : from_rest;

		if (piece > to.bytes)
			piece = to.bytes;
		e = copy_arrays(destination, to.x, to.y, source, from.x, from.y, piece, 1, kind, o);
		to.bytes -= piece;
		to.x = piece == to_rest ? 0 : to.x + piece;
		to.y += piece == to_rest;
		from.x = piece == from_rest ? 0 : from.x + piece;
		from.y += piece == from_rest;
	}
	return e;
}

CUDART_SYNC(cudaMemcpyArrayToArray, (cudaArray_t destination, size_t destination_x, size_t destination_y,
	     cudaArray_const_t source, size_t source_x, size_t source_y, size_t bytes, enum cudaMemcpyKind kind),
	    line_between_arrays(destination, destination_x, destination_y, source, source_x, source_y, bytes, kind,
		o));

/* ---- fills ---- */

static cudaError_t fill(void *pointer, int value, size_t bytes, const struct cudart_order *o)
{
	CUDART_ENTER();
	if (cudart_order_is_legacy(o))
		return cudart_result(cuMemsetD8((CUdeviceptr)pointer, (unsigned char)value, bytes));
	return cudart_order_end(o, cuMemsetD8Async((CUdeviceptr)pointer, (unsigned char)value, bytes, o->stream));
}

CUDART_SYNC(cudaMemset, (void *pointer, int value, size_t bytes), fill(pointer, value, bytes, o));
CUDART_ASYNC(cudaMemsetAsync, (void *pointer, int value, size_t bytes, cudaStream_t stream),
	     fill(pointer, value, bytes, o));

static cudaError_t fill_2d(void *pointer, size_t pitch, int value, size_t width, size_t height,
			   const struct cudart_order *o)
{
	CUDART_ENTER();
	if (cudart_order_is_legacy(o))
		return cudart_result(cuMemsetD2D8((CUdeviceptr)pointer, pitch, (unsigned char)value, width, height));
	return cudart_order_end(o, cuMemsetD2D8Async((CUdeviceptr)pointer, pitch, (unsigned char)value, width, height,
						     o->stream));
}

CUDART_SYNC(cudaMemset2D, (void *pointer, size_t pitch, int value, size_t width, size_t height),
	    fill_2d(pointer, pitch, value, width, height, o));
CUDART_ASYNC(cudaMemset2DAsync, (void *pointer, size_t pitch, int value, size_t width, size_t height,
				 cudaStream_t stream),
	     fill_2d(pointer, pitch, value, width, height, o));

static cudaError_t fill_3d(struct cudaPitchedPtr pitched, int value, struct cudaExtent extent,
			   const struct cudart_order *o)
{
	CUDART_ENTER();
	if (extent.depth > 1 && extent.height > pitched.ysize)
		return invalid_value();

	/* Slices that follow each other without a gap are one rectangle. */
	bool is_dense = extent.height == pitched.ysize;
	size_t rows = is_dense ? extent.height * extent.depth : extent.height;
	cudaError_t e = cudaSuccess;

	for (size_t z = 0; e == cudaSuccess && z < (is_dense ? 1 : extent.depth); z++)
		e = fill_2d((char *)pitched.ptr + z * pitched.ysize * pitched.pitch, pitched.pitch, value, extent.width,
			    rows, o);
	return e;
}

CUDART_SYNC(cudaMemset3D, (struct cudaPitchedPtr pitched, int value, struct cudaExtent extent),
	    fill_3d(pitched, value, extent, o));
CUDART_ASYNC(cudaMemset3DAsync, (struct cudaPitchedPtr pitched, int value, struct cudaExtent extent,
				 cudaStream_t stream),
	     fill_3d(pitched, value, extent, o));

/* ---- batches: the structures are the driver's ---- */

static cudaError_t copy_batch(const void *to, const void *from, const size_t *sizes, size_t count,
			      struct cudaMemcpyAttributes *attributes, size_t *first, size_t attributes_count,
			      const struct cudart_order *o)
{
	CUDART_ENTER();
	return cudart_result(cuMemcpyBatchAsync_v2((CUdeviceptr *)(uintptr_t)to, (CUdeviceptr *)(uintptr_t)from,
						   (size_t *)(uintptr_t)sizes, count, (CUmemcpyAttributes *)attributes,
						   first, attributes_count, o->stream));
}

static cudaError_t copy_box_batch(size_t count, void *copies, unsigned long long flags, const struct cudart_order *o)
{
	CUDART_ENTER();
	return cudart_result(cuMemcpy3DBatchAsync_v2(count, copies, flags, o->stream));
}

#if CUDART_VERSION >= 13000
CUDART_ASYNC(cudaMemcpyBatchAsync,
	     (void *const *to, const void *const *from, const size_t *sizes, size_t count,
	      struct cudaMemcpyAttributes *attributes, size_t *first, size_t attributes_count, cudaStream_t stream),
	     copy_batch(to, from, sizes, count, attributes, first, attributes_count, o));
CUDART_API cudaError_t cudaMemcpy3DBatchAsync(size_t count, void *copies, unsigned long long flags,
					      cudaStream_t stream);
CUDART_ASYNC(cudaMemcpy3DBatchAsync, (size_t count, void *copies, unsigned long long flags, cudaStream_t stream),
	     copy_box_batch(count, copies, flags, o));
#else
/* Whichever copy is at fault, none is named: SIZE_MAX. */
static cudaError_t failed_as_a_whole(cudaError_t e, size_t *failed)
{
	if (e != cudaSuccess && failed)
		*failed = SIZE_MAX;
	return e;
}

CUDART_ASYNC(cudaMemcpyBatchAsync,
	     (void **to, void **from, size_t *sizes, size_t count, struct cudaMemcpyAttributes *attributes,
	      size_t *first, size_t attributes_count, size_t *failed, cudaStream_t stream),
	     failed_as_a_whole(copy_batch(to, from, sizes, count, attributes, first, attributes_count, o), failed));
CUDART_API cudaError_t cudaMemcpy3DBatchAsync(size_t count, void *copies, size_t *failed, unsigned long long flags,
					      cudaStream_t stream);
CUDART_ASYNC(cudaMemcpy3DBatchAsync,
	     (size_t count, void *copies, size_t *failed, unsigned long long flags, cudaStream_t stream),
	     failed_as_a_whole(copy_box_batch(count, copies, flags, o), failed));
#endif
