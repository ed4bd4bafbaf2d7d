/* mipmap.c - mipmapped arrays: one CUDA array per level. */
#include <stdlib.h>

#include "cuda/driver.h"

static void destroy_mipmap(struct cuda_object *o)
{
	struct CUmipmappedArray_st *m = (struct CUmipmappedArray_st *)o;

	for (uint32_t i = 0; i < m->levels; i++)
		m->level[i]->object.destroy(&m->level[i]->object);
	cuda_object_remove(o);
	free(m);
}

/* Levels down to one texel. */
static uint32_t levels_max(const CUDA_ARRAY3D_DESCRIPTOR *d)
{
	const bool is_layered = d->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP);
	uint64_t longest = d->Width > d->Height ? d->Width : d->Height;
	uint32_t levels = 0;

	if (!is_layered && d->Depth > longest)
		longest = d->Depth;
	for (; longest; longest >>= 1)
		levels++;
	return levels;
}

static size_t halved(size_t size, uint32_t level)
{
	return size && !(size >> level) ? 1 : size >> level;
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray *array, const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
				unsigned int levels_count)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (!array || !descriptor || !levels_count)
		return CUDA_ERROR_INVALID_VALUE;

	const uint32_t most = levels_max(descriptor), levels = levels_count < most ? levels_count : most;
	const bool is_layered = descriptor->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP);
	CUresult result = levels > CUDA_MIPMAP_LEVELS_MAX ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
	struct CUmipmappedArray_st *m = calloc(1, sizeof(*m));

	if (!m)
		return CUDA_ERROR_OUT_OF_MEMORY;
	while (result == CUDA_SUCCESS && m->levels < levels) {
		CUDA_ARRAY3D_DESCRIPTOR d = *descriptor;

		d.Width = halved(d.Width, m->levels);
		d.Height = halved(d.Height, m->levels);
		if (!is_layered)
			d.Depth = halved(d.Depth, m->levels);
		result = cuda_array_create(call.ctx, &d, &m->level[m->levels]);
		if (result == CUDA_SUCCESS)
			m->level[m->levels++]->is_level = true;
	}
	if (result != CUDA_SUCCESS || !m->levels) {
		for (uint32_t i = 0; i < m->levels; i++)
			m->level[i]->object.destroy(&m->level[i]->object);
		free(m);
		return result == CUDA_SUCCESS ? CUDA_ERROR_INVALID_VALUE : result;
	}
	/* After its levels: a dying context destroys what is newest first. */
	cuda_object_add(&m->object, CUDA_KIND_MIPMAP, call.ctx, destroy_mipmap);
	*array = m;
	return CUDA_SUCCESS;
}

CUresult cuMipmappedArrayGetLevel(CUarray *level, CUmipmappedArray array, unsigned int number)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, array);
	if (!cuda_object_is(array, CUDA_KIND_MIPMAP))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!level || number >= array->levels)
		return CUDA_ERROR_INVALID_VALUE;
	*level = array->level[number];
	return CUDA_SUCCESS;
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray array)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, array);
	if (!cuda_object_is(array, CUDA_KIND_MIPMAP))
		return CUDA_ERROR_INVALID_HANDLE;
	cuda_time_spend_ps(cuda_driver.run.host->alloc_ps);
	cuda_time_wait_ps(call.ctx->streams.end_ps);
	destroy_mipmap(&array->object);
	return CUDA_SUCCESS;
}
