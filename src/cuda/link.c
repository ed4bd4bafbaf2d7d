/* link.c - the link interface for one PTX object; several objects are refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/driver.h"

struct CUlinkState_st {
	struct cuda_object object;
	struct cuda_jit jit;
	char *text; /* of the one object, NUL-terminated; the image too */
	size_t size_bytes;
	bool is_complete;
};

static void destroy_link(struct cuda_object *o)
{
	cuda_object_remove(o);
	g_free(((struct CUlinkState_st *)o)->text);
	free(o);
}

CUresult cuLinkCreate_v2(unsigned int options_count, CUjit_option *options, void **values, CUlinkState *state)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (!state)
		return CUDA_ERROR_INVALID_VALUE;

	struct CUlinkState_st *s = calloc(1, sizeof(*s));

	if (!s)
		return CUDA_ERROR_OUT_OF_MEMORY;

	CUresult result = cuda_jit_parse(&s->jit, options_count, options, values);

	if (result != CUDA_SUCCESS) {
		free(s);
		return result;
	}
	cuda_object_add(&s->object, CUDA_KIND_LINK, call.ctx, destroy_link);
	*state = s;
	return CUDA_SUCCESS;
}

/* Takes over text. */
static CUresult add_text(struct CUlinkState_st *s, CUjitInputType type, char *text, size_t size_bytes, const char *name)
{
	CUresult result = CUDA_SUCCESS;

	if (s->is_complete)
		result = CUDA_ERROR_INVALID_HANDLE;
	else if ((unsigned int)type > CU_JIT_INPUT_LIBRARY)
		result = CUDA_ERROR_INVALID_VALUE;
	else if (type != CU_JIT_INPUT_PTX)
		result = cuda_not_supported("cuLinkAddData of anything but PTX");
	else if (s->text)
		result = cuda_not_supported("cuLinkAddData of more than one object");
	else
		result = cuda_image_check(text, name);
	if (result != CUDA_SUCCESS) {
		g_free(text);
		return result;
	}
	s->text = text;
	s->size_bytes = size_bytes;
	return CUDA_SUCCESS;
}

CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t bytes, const char *name,
			  unsigned int options_count, CUjit_option *options, void **values)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (!cuda_object_is(state, CUDA_KIND_LINK))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!data || !bytes || (options_count && (!options || !values)))
		return CUDA_ERROR_INVALID_VALUE;

	/* bytes may or may not include the terminating NUL. */
	size_t length = strnlen(data, bytes);
	char *text = g_malloc(length + 1);

	memcpy(text, data, length);
	text[length] = '\0';
	return add_text(state, type, text, length, name ? name : "linked object");
}

CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path, unsigned int options_count,
			  CUjit_option *options, void **values)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (!cuda_object_is(state, CUDA_KIND_LINK))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!path || (options_count && (!options || !values)))
		return CUDA_ERROR_INVALID_VALUE;

	size_t length;
	char *text = cuda_file_read(path, &length);

	return text ? add_text(state, type, text, length, path) : CUDA_ERROR_FILE_NOT_FOUND;
}

CUresult cuLinkComplete(CUlinkState state, void **image, size_t *bytes)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (!cuda_object_is(state, CUDA_KIND_LINK))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!image || !state->text)
		return CUDA_ERROR_INVALID_VALUE;

	struct base_diag_list diag;

	base_diag_init(&diag);

	struct ptx_module *m = ptx_module_parse("linked object", state->text, state->size_bytes, &diag);
	char *log = base_diag_join(&diag);

	cuda_jit_finish(&state->jit, "", log);
	if (!m && !(state->jit.error && state->jit.error_bytes))
		cuda_print_diag(&diag);
	free(log);
	base_diag_free(&diag);
	if (!m)
		return CUDA_ERROR_INVALID_PTX;
	ptx_module_free(m);
	state->is_complete = true;
	*image = state->text;
	if (bytes)
		*bytes = state->size_bytes + 1;
	return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState state)
{
	CUDA_CALL(CUDA_NEEDS_CONTEXT);
	if (!cuda_object_is(state, CUDA_KIND_LINK))
		return CUDA_ERROR_INVALID_HANDLE;
	destroy_link(&state->object);
	return CUDA_SUCCESS;
}

#undef cuLinkCreate
#undef cuLinkAddData
CUresult cuLinkCreate(unsigned int options_count, CUjit_option *options, void **values, CUlinkState *state)
{
	return cuLinkCreate_v2(options_count, options, values, state);
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t bytes, const char *name,
		       unsigned int options_count, CUjit_option *options, void **values)
{
	return cuLinkAddData_v2(state, type, data, bytes, name, options_count, options, values);
}
