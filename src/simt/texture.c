/* texture.c - the table of texture and surface objects. */
#include "simt/texture.h"

#include <stdlib.h>

#include "base/check.h"

/* Handles are slot numbers from 1; a destroyed slot is used again. */
struct simt_textures {
	struct simt_tex_desc *descs;
	bool *is_used;
	uint32_t count;
};

struct simt_textures *simt_textures_new(void)
{
	struct simt_textures *t = calloc(1, sizeof(*t));

	CHECK(t);
	return t;
}

void simt_textures_free(struct simt_textures *t)
{
	if (!t)
		return;
	free(t->descs);
	free(t->is_used);
	free(t);
}

static uint32_t free_slot(struct simt_textures *t)
{
	for (uint32_t i = 0; i < t->count; i++)
		if (!t->is_used[i])
			return i;
	uint32_t more = t->count ? t->count * 2 : 16;

	t->descs = realloc(t->descs, more * sizeof(*t->descs));
	t->is_used = realloc(t->is_used, more * sizeof(*t->is_used));
	CHECK(t->descs && t->is_used);
	for (uint32_t i = t->count; i < more; i++)
		t->is_used[i] = false;
	uint32_t first = t->count;

	t->count = more;
	return first;
}

uint64_t simt_texture_create(struct simt_textures *t, const struct simt_tex_desc *desc)
{
	uint32_t i = free_slot(t);

	t->descs[i] = *desc;
	t->is_used[i] = true;
	return i + 1ull;
}

const struct simt_tex_desc *simt_texture_get(const struct simt_textures *t, uint64_t handle)
{
	if (!t || !handle || handle > t->count || !t->is_used[handle - 1])
		return NULL;
	return &t->descs[handle - 1];
}

bool simt_texture_destroy(struct simt_textures *t, uint64_t handle)
{
	if (!simt_texture_get(t, handle))
		return false;
	t->is_used[handle - 1] = false;
	return true;
}

bool simt_texture_update(struct simt_textures *t, uint64_t handle, const struct simt_tex_desc *desc)
{
	if (!simt_texture_get(t, handle))
		return false;
	t->descs[handle - 1] = *desc;
	return true;
}
