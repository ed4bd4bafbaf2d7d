/* copy.c - copies and fills of every shape, each one call of the driver.
 *
 * The synchronous and the asynchronous form of a copy are the same call on different streams: the driver does its work
 * at call time. `kind` says which sides are the host's; the driver checks that they are.
 */
#include "cudart/priv.h"

static cudaError_t invalid_value(void)
{
	return cudart_fail(cudaErrorInvalidValue);
}

static bool is_kind(enum cudaMemcpyKind kind)
{
	return (unsigned int)kind <= cudaMemcpyDefault;
}

/* ---- lines ---- */

static cudaError_t copy(void *destination, const void *source, size_t bytes, enum cudaMemcpyKind kind,
			cudaStream_t stream)
{
	CUDART_ENTER();
	if (!is_kind(kind))
		return cudart_fail(cudaErrorInvalidMemcpyDirection);
	switch (kind) {
	case cudaMemcpyHostToDevice:
		return cudart_result(cuMemcpyHtoDAsync((CUdeviceptr)destination, source, bytes, stream));
	case cudaMemcpyDeviceToHost:
		return cudart_result(cuMemcpyDtoHAsync(destination, (CUdeviceptr)source, bytes, stream));
	case cudaMemcpyDeviceToDevice:
		return cudart_result(cuMemcpyDtoDAsync((CUdeviceptr)destination, (CUdeviceptr)source, bytes, stream));
	default:
		return cudart_result(cuMemcpyAsync((CUdeviceptr)destination, (CUdeviceptr)source, bytes, stream));
	}
}

CUDART_API cudaError_t cudaMemcpy(void *destination, const void *source, size_t bytes, enum cudaMemcpyKind kind)
{
	return copy(destination, source, bytes, kind, NULL);
}
CUDART_ALIAS(cudaMemcpy, _ptds);

CUDART_API cudaError_t cudaMemcpyAsync(void *destination, const void *source, size_t bytes, enum cudaMemcpyKind kind,
				       cudaStream_t stream)
{
	return copy(destination, source, bytes, kind, stream);
}
CUDART_ALIAS(cudaMemcpyAsync, _ptsz);

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
	return cudaMemcpyPeerAsync(destination, destination_device, source, source_device, bytes, NULL);
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

static cudaError_t copy_box(CUDA_MEMCPY3D *c, size_t width, size_t height, size_t depth, cudaStream_t stream)
{
	c->WidthInBytes = width;
	c->Height = height;
	c->Depth = depth;
	return cudart_result(cuMemcpy3DAsync(c, stream));
}

static cudaError_t copy_2d(void *destination, size_t destination_pitch, const void *source, size_t source_pitch,
			   size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	CUDA_MEMCPY3D c = {0};

	CUDART_ENTER();
	if (!is_kind(kind))
		return cudart_fail(cudaErrorInvalidMemcpyDirection);
	if (width > destination_pitch || width > source_pitch)
		return cudart_fail(cudaErrorInvalidPitchValue);
	set_source(&c, kind, source, source_pitch, 0);
	set_destination(&c, kind, destination, destination_pitch, 0);
	return copy_box(&c, width, height, 1, stream);
}

CUDART_API cudaError_t cudaMemcpy2D(void *destination, size_t destination_pitch, const void *source,
				    size_t source_pitch, size_t width, size_t height, enum cudaMemcpyKind kind)
{
	return copy_2d(destination, destination_pitch, source, source_pitch, width, height, kind, NULL);
}
CUDART_ALIAS(cudaMemcpy2D, _ptds);

CUDART_API cudaError_t cudaMemcpy2DAsync(void *destination, size_t destination_pitch, const void *source,
					 size_t source_pitch, size_t width, size_t height, enum cudaMemcpyKind kind,
					 cudaStream_t stream)
{
	return copy_2d(destination, destination_pitch, source, source_pitch, width, height, kind, stream);
}
CUDART_ALIAS(cudaMemcpy2DAsync, _ptsz);

/* Bytes of an element of an array, 0 if it is none. */
static size_t element_bytes(cudaArray_const_t array)
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

static cudaError_t copy_3d(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
	CUDA_MEMCPY3D c = {0};
	size_t unit = 1; /* extents count elements as soon as an array takes part, and bytes otherwise */

	CUDART_ENTER();
	if (!p || !is_one_place(p->srcArray, &p->srcPtr) || !is_one_place(p->dstArray, &p->dstPtr))
		return invalid_value();
	if (!is_kind(p->kind))
		return cudart_fail(cudaErrorInvalidMemcpyDirection);
	if (p->srcArray || p->dstArray)
		unit = element_bytes(p->srcArray ? p->srcArray : p->dstArray);
	if (!unit)
		return cudaPeekAtLastError();
	if (p->srcArray) {
		set_source_array(&c, p->srcArray, p->srcPos.x * element_bytes(p->srcArray), p->srcPos.y);
	} else {
		set_source(&c, p->kind, p->srcPtr.ptr, p->srcPtr.pitch, p->srcPtr.ysize);
		c.srcXInBytes = p->srcPos.x;
		c.srcY = p->srcPos.y;
	}
	if (p->dstArray) {
		set_destination_array(&c, p->dstArray, p->dstPos.x * element_bytes(p->dstArray), p->dstPos.y);
	} else {
		set_destination(&c, p->kind, p->dstPtr.ptr, p->dstPtr.pitch, p->dstPtr.ysize);
		c.dstXInBytes = p->dstPos.x;
		c.dstY = p->dstPos.y;
	}
	c.srcZ = p->srcPos.z;
	c.dstZ = p->dstPos.z;
	return copy_box(&c, p->extent.width * unit, p->extent.height, p->extent.depth, stream);
}

CUDART_API cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *parameters)
{
	return copy_3d(parameters, NULL);
}
CUDART_ALIAS(cudaMemcpy3D, _ptds);

CUDART_API cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *parameters, cudaStream_t stream)
{
	return copy_3d(parameters, stream);
}
CUDART_ALIAS(cudaMemcpy3DAsync, _ptsz);

static cudaError_t copy_3d_peer(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream)
{
	if (!p)
		return invalid_value();
	if (p->srcDevice || p->dstDevice)
		return cudart_fail(cudaErrorInvalidDevice);

	const struct cudaMemcpy3DParms same = {
		.srcArray = p->srcArray, .srcPos = p->srcPos, .srcPtr = p->srcPtr, .dstArray = p->dstArray,
		.dstPos = p->dstPos, .dstPtr = p->dstPtr, .extent = p->extent, .kind = cudaMemcpyDeviceToDevice,
	};

	return copy_3d(&same, stream);
}

CUDART_API cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *parameters)
{
	return copy_3d_peer(parameters, NULL);
}
CUDART_ALIAS(cudaMemcpy3DPeer, _ptds);

CUDART_API cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *parameters, cudaStream_t stream)
{
	return copy_3d_peer(parameters, stream);
}
CUDART_ALIAS(cudaMemcpy3DPeerAsync, _ptsz);

/* ---- arrays and rectangles ---- */

static cudaError_t copy_to_array(cudaArray_t destination, size_t x, size_t y, const void *source, size_t source_pitch,
				 size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	CUDA_MEMCPY3D c = {0};

	CUDART_ENTER();
	if (!is_kind(kind))
		return cudart_fail(cudaErrorInvalidMemcpyDirection);
	if (width > source_pitch)
		return cudart_fail(cudaErrorInvalidPitchValue);
	set_source(&c, kind, source, source_pitch, 0);
	set_destination_array(&c, destination, x, y);
	return copy_box(&c, width, height, 1, stream);
}

static cudaError_t copy_from_array(void *destination, size_t destination_pitch, cudaArray_const_t source, size_t x,
				   size_t y, size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	CUDA_MEMCPY3D c = {0};

	CUDART_ENTER();
	if (!is_kind(kind))
		return cudart_fail(cudaErrorInvalidMemcpyDirection);
	if (width > destination_pitch)
		return cudart_fail(cudaErrorInvalidPitchValue);
	set_source_array(&c, source, x, y);
	set_destination(&c, kind, destination, destination_pitch, 0);
	return copy_box(&c, width, height, 1, stream);
}

CUDART_API cudaError_t cudaMemcpy2DToArray(cudaArray_t destination, size_t x, size_t y, const void *source,
					   size_t source_pitch, size_t width, size_t height, enum cudaMemcpyKind kind)
{
	return copy_to_array(destination, x, y, source, source_pitch, width, height, kind, NULL);
}
CUDART_ALIAS(cudaMemcpy2DToArray, _ptds);

CUDART_API cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t destination, size_t x, size_t y, const void *source,
						size_t source_pitch, size_t width, size_t height,
						enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return copy_to_array(destination, x, y, source, source_pitch, width, height, kind, stream);
}
CUDART_ALIAS(cudaMemcpy2DToArrayAsync, _ptsz);

CUDART_API cudaError_t cudaMemcpy2DFromArray(void *destination, size_t destination_pitch, cudaArray_const_t source,
					     size_t x, size_t y, size_t width, size_t height, enum cudaMemcpyKind kind)
{
	return copy_from_array(destination, destination_pitch, source, x, y, width, height, kind, NULL);
}
CUDART_ALIAS(cudaMemcpy2DFromArray, _ptds);

CUDART_API cudaError_t cudaMemcpy2DFromArrayAsync(void *destination, size_t destination_pitch,
						  cudaArray_const_t source, size_t x, size_t y, size_t width,
						  size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return copy_from_array(destination, destination_pitch, source, x, y, width, height, kind, stream);
}
CUDART_ALIAS(cudaMemcpy2DFromArrayAsync, _ptsz);

CUDART_API cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t destination, size_t destination_x, size_t destination_y,
						cudaArray_const_t source, size_t source_x, size_t source_y,
						size_t width, size_t height, enum cudaMemcpyKind kind)
{
	CUDA_MEMCPY3D c = {0};

	CUDART_ENTER();
	if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
		return cudart_fail(cudaErrorInvalidMemcpyDirection);
	set_source_array(&c, source, source_x, source_y);
	set_destination_array(&c, destination, destination_x, destination_y);
	return copy_box(&c, width, height, 1, NULL);
}
CUDART_ALIAS(cudaMemcpy2DArrayToArray, _ptds);

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
	*l = (struct array_line){array, x, y, d.Width * element_bytes(array), bytes};
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
				 enum cudaMemcpyKind kind, cudaStream_t stream)
{
	struct array_line l;

	CUDART_ENTER();

	cudaError_t e = start_line(&l, destination, x, y, bytes);

	for (const char *from = source; e == cudaSuccess && l.bytes;) {
		size_t piece = next_piece(&l, &x, &y);

		e = copy_to_array(destination, x, y, from, piece, piece, 1, kind, stream);
		from += piece;
	}
	return e;
}

static cudaError_t line_from_array(void *destination, cudaArray_const_t source, size_t x, size_t y, size_t bytes,
				   enum cudaMemcpyKind kind, cudaStream_t stream)
{
	struct array_line l;

	CUDART_ENTER();

	cudaError_t e = start_line(&l, source, x, y, bytes);

	for (char *to = destination; e == cudaSuccess && l.bytes;) {
		size_t piece = next_piece(&l, &x, &y);

		e = copy_from_array(to, piece, source, x, y, piece, 1, kind, stream);
		to += piece;
	}
	return e;
}

CUDART_API cudaError_t cudaMemcpyToArray(cudaArray_t destination, size_t x, size_t y, const void *source, size_t bytes,
					 enum cudaMemcpyKind kind)
{
	return line_to_array(destination, x, y, source, bytes, kind, NULL);
}
CUDART_ALIAS(cudaMemcpyToArray, _ptds);

CUDART_API cudaError_t cudaMemcpyToArrayAsync(cudaArray_t destination, size_t x, size_t y, const void *source,
					      size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return line_to_array(destination, x, y, source, bytes, kind, stream);
}
CUDART_ALIAS(cudaMemcpyToArrayAsync, _ptsz);

CUDART_API cudaError_t cudaMemcpyFromArray(void *destination, cudaArray_const_t source, size_t x, size_t y,
					   size_t bytes, enum cudaMemcpyKind kind)
{
	return line_from_array(destination, source, x, y, bytes, kind, NULL);
}
CUDART_ALIAS(cudaMemcpyFromArray, _ptds);

CUDART_API cudaError_t cudaMemcpyFromArrayAsync(void *destination, cudaArray_const_t source, size_t x, size_t y,
						size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return line_from_array(destination, source, x, y, bytes, kind, stream);
}
CUDART_ALIAS(cudaMemcpyFromArrayAsync, _ptsz);

CUDART_API cudaError_t cudaMemcpyArrayToArray(cudaArray_t destination, size_t destination_x, size_t destination_y,
					      cudaArray_const_t source, size_t source_x, size_t source_y, size_t bytes,
					      enum cudaMemcpyKind kind)
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
		e = cudaMemcpy2DArrayToArray(destination, to.x, to.y, source, from.x, from.y, piece, 1, kind);
		to.bytes -= piece;
		to.x = piece == to_rest ? 0 : to.x + piece;
		to.y += piece == to_rest;
		from.x = piece == from_rest ? 0 : from.x + piece;
		from.y += piece == from_rest;
	}
	return e;
}
CUDART_ALIAS(cudaMemcpyArrayToArray, _ptds);

/* ---- fills ---- */

CUDART_API cudaError_t cudaMemsetAsync(void *pointer, int value, size_t bytes, cudaStream_t stream)
{
	CUDART_ENTER();
	return cudart_result(cuMemsetD8Async((CUdeviceptr)pointer, (unsigned char)value, bytes, stream));
}
CUDART_ALIAS(cudaMemsetAsync, _ptsz);

CUDART_API cudaError_t cudaMemset(void *pointer, int value, size_t bytes)
{
	return cudaMemsetAsync(pointer, value, bytes, NULL);
}
CUDART_ALIAS(cudaMemset, _ptds);

CUDART_API cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height,
					 cudaStream_t stream)
{
	CUDART_ENTER();
	return cudart_result(cuMemsetD2D8Async((CUdeviceptr)pointer, pitch, (unsigned char)value, width, height,
					       stream));
}
CUDART_ALIAS(cudaMemset2DAsync, _ptsz);

CUDART_API cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height)
{
	return cudaMemset2DAsync(pointer, pitch, value, width, height, NULL);
}
CUDART_ALIAS(cudaMemset2D, _ptds);

CUDART_API cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr pitched, int value, struct cudaExtent extent,
					 cudaStream_t stream)
{
	CUDART_ENTER();
	if (extent.depth > 1 && extent.height > pitched.ysize)
		return invalid_value();

	/* Slices that follow each other without a gap are one rectangle. */
	bool is_dense = extent.height == pitched.ysize;
	size_t rows = is_dense ? extent.height * extent.depth : extent.height;
	cudaError_t e = cudaSuccess;

	for (size_t z = 0; e == cudaSuccess && z < (is_dense ? 1 : extent.depth); z++)
		e = cudaMemset2DAsync((char *)pitched.ptr + z * pitched.ysize * pitched.pitch, pitched.pitch, value,
				      extent.width, rows, stream);
	return e;
}
CUDART_ALIAS(cudaMemset3DAsync, _ptsz);

CUDART_API cudaError_t cudaMemset3D(struct cudaPitchedPtr pitched, int value, struct cudaExtent extent)
{
	return cudaMemset3DAsync(pitched, value, extent, NULL);
}
CUDART_ALIAS(cudaMemset3D, _ptds);
