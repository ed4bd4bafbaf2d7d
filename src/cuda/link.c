/* link.c - cuLink*: PTX objects are parsed as they are added and joined at the end. The image handed out is the linked
 * module as PTX text, so that the program may copy it, keep it in a file, or add it to another link. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/driver.h"
#include "cuda/fatbin.h"
#include "ptx/link.h"
#include "ptx/print.h"

struct CUlinkState_st {
	struct cuda_object object;
	struct cuda_jit jit;
	GPtrArray *objects; /* struct ptx_module *, until they are linked */
	GString *info, *errors;
	char *image; /* malloc'ed text; set when complete */
	size_t image_bytes; /* with the NUL */
	bool has_failed;
};

static void destroy_link(struct cuda_object *o)
{
	struct CUlinkState_st *s = (struct CUlinkState_st *)o;

	cuda_object_remove(o);
	g_ptr_array_free(s->objects, TRUE);
	g_string_free(s->info, TRUE);
	g_string_free(s->errors, TRUE);
	free(s->image);
	free(s);
}

static void free_module(gpointer m)
{
	ptx_module_free(m);
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
	s->objects = g_ptr_array_new_with_free_func(free_module);
	s->info = g_string_new(NULL);
	s->errors = g_string_new(NULL);
	cuda_object_add(&s->object, CUDA_KIND_LINK, call.ctx, destroy_link);
	*state = s;
	return CUDA_SUCCESS;
}

/* Adds the messages to the link's error log, and to that of an addition's own options (NULL: none); they go to stderr
 * where the program gave no log. */
static void take_messages(struct CUlinkState_st *s, struct cuda_jit *own, struct base_diag_list *diag)
{
	char *text = base_diag_join(diag);

	if (*text && !cuda_jit_has_error_log(&s->jit) && !(own && cuda_jit_has_error_log(own)))
		machine_print_diag(diag);
	if (*text && s->errors->len)
		g_string_append_c(s->errors, '\n');
	g_string_append(s->errors, text);
	if (own)
		cuda_jit_finish(own, "", text);
	free(text);
	base_diag_free(diag);
	cuda_jit_finish(&s->jit, s->info->str, s->errors->str);
}

static CUresult check_addition(const struct CUlinkState_st *s, CUjitInputType type)
{
	if (s->image || s->has_failed)
		return CUDA_ERROR_INVALID_HANDLE;
	if ((unsigned int)type > CU_JIT_INPUT_LIBRARY)
		return CUDA_ERROR_INVALID_VALUE;
	if (type == CU_JIT_INPUT_OBJECT || type == CU_JIT_INPUT_LIBRARY)
		return cuda_not_supported("cuLinkAddData of host objects and libraries (PTX and fat binaries are)");
	return CUDA_SUCCESS;
}

static CUresult add_text(struct CUlinkState_st *s, struct cuda_jit *own, const char *text, size_t size_bytes,
			 const char *name)
{
	CUresult result = cuda_image_check(text, name, NULL);

	if (result != CUDA_SUCCESS)
		return result;

	struct base_diag_list diag;

	base_diag_init(&diag);

	struct ptx_module *m = ptx_module_parse(name, text, size_bytes, &diag);

	take_messages(s, own, &diag);
	if (!m)
		return CUDA_ERROR_INVALID_PTX;
	cuda_jit_bound(own, m);
	cuda_jit_bound(&s->jit, m);
	g_ptr_array_add(s->objects, m);
	return CUDA_SUCCESS;
}

/* The container, or the wrapper in memory that points to it. */
static CUresult add_fatbin(struct CUlinkState_st *s, struct cuda_jit *own, const void *data, size_t limit_bytes,
			   const char *name)
{
	const uint32_t capability = cuda_jit_capability(own->capability ? own : &s->jit);
	struct cuda_fatbin_wrapper wrapper;
	struct cuda_fatbin_ptx ptx;
	struct base_diag_list diag;

	memcpy(&wrapper.magic, data, sizeof(wrapper.magic));
	if (wrapper.magic == CUDA_FATBIN_WRAPPER_MAGIC) {
		if (limit_bytes < sizeof(wrapper))
			return CUDA_ERROR_INVALID_IMAGE;
		memcpy(&wrapper, data, sizeof(wrapper));
		data = wrapper.container;
		limit_bytes = SIZE_MAX;
	}
	base_diag_init(&diag);

	enum cuda_fatbin_status status = cuda_fatbin_choose(data, limit_bytes, capability, name, &ptx, &diag);

	take_messages(s, own, &diag);
	if (status != CUDA_FATBIN_FOUND)
		return status == CUDA_FATBIN_INVALID ? CUDA_ERROR_INVALID_IMAGE : CUDA_ERROR_NO_BINARY_FOR_GPU;
	cuda_jit_limit_registers(own, ptx.register_max);

	CUresult result = add_text(s, own, ptx.text, ptx.size_bytes, name);

	free(ptx.text);
	return result;
}

static CUresult add_data(struct CUlinkState_st *s, struct cuda_jit *own, const char *data, size_t bytes,
			 const char *name)
{
	char start[8] = {0};

	memcpy(start, data, MIN(bytes, sizeof(start) - 1));
	if (cuda_image_is_fatbin(start))
		return add_fatbin(s, own, data, bytes, name);

	/* bytes may or may not include the terminating NUL. */
	char *text = g_strndup(data, bytes);
	CUresult result = add_text(s, own, text, strlen(text), name);

	g_free(text);
	return result;
}

CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t bytes, const char *name,
			  unsigned int options_count, CUjit_option *options, void **values)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, state);

	struct cuda_jit own;
	CUresult result;

	if (!cuda_object_is(state, CUDA_KIND_LINK))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!data || !bytes)
		return CUDA_ERROR_INVALID_VALUE;
	if ((result = cuda_jit_parse(&own, options_count, options, values)) != CUDA_SUCCESS ||
	    (result = check_addition(state, type)) != CUDA_SUCCESS)
		return result;

	g_autofree char *unnamed = g_strdup_printf("object-%u", state->objects->len + 1);

	return add_data(state, &own, data, bytes, name ? name : unnamed);
}

CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path, unsigned int options_count,
			  CUjit_option *options, void **values)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, state);

	struct cuda_jit own;
	CUresult result;

	if (!cuda_object_is(state, CUDA_KIND_LINK))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!path)
		return CUDA_ERROR_INVALID_VALUE;
	if ((result = cuda_jit_parse(&own, options_count, options, values)) != CUDA_SUCCESS ||
	    (result = check_addition(state, type)) != CUDA_SUCCESS)
		return result;

	size_t length;
	g_autofree char *data = cuda_file_read(path, &length);

	if (!data)
		return CUDA_ERROR_FILE_NOT_FOUND;
	return length ? add_data(state, &own, data, length, path) : cuda_image_check("", path, NULL);
}

/* The objects as one module; NULL after messages. */
static struct ptx_module *join_objects(struct CUlinkState_st *s, struct base_diag_list *diag)
{
	guint count = s->objects->len;
	gpointer *objects = g_ptr_array_steal(s->objects, NULL);
	struct ptx_module *m = ptx_link("linked", (struct ptx_module **)objects, count, simt_builtin_is, diag);

	g_free(objects);
	if (m)
		g_string_append_printf(s->info, "%u objects linked: %u functions, %u variables", count, m->func_count,
				       m->var_count);
	return m;
}

static CUresult write_image(struct CUlinkState_st *s, const struct ptx_module *m)
{
	FILE *out = open_memstream(&s->image, &s->image_bytes);

	if (!out)
		return CUDA_ERROR_OUT_OF_MEMORY;
	ptx_print_module(out, m);

	bool is_written = !ferror(out);

	if (fclose(out) || !is_written) {
		free(s->image);
		s->image = NULL;
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	s->image_bytes++;
	return CUDA_SUCCESS;
}

CUresult cuLinkComplete(CUlinkState state, void **image, size_t *bytes)
{
	CUDA_CALL_OF(CUDA_NEEDS_HEALTH, state);
	if (!cuda_object_is(state, CUDA_KIND_LINK) || state->has_failed)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!image || (!state->image && !state->objects->len))
		return CUDA_ERROR_INVALID_VALUE;
	if (!state->image) {
		struct base_diag_list diag;

		base_diag_init(&diag);

		struct ptx_module *m = join_objects(state, &diag);
		CUresult result = m ? write_image(state, m) : CUDA_ERROR_INVALID_PTX;

		take_messages(state, NULL, &diag);
		ptx_module_free(m);
		state->has_failed = result != CUDA_SUCCESS;
		if (result != CUDA_SUCCESS)
			return result;
	}
	*image = state->image;
	if (bytes)
		*bytes = state->image_bytes;
	return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState state)
{
	CUDA_CALL_OF(CUDA_NEEDS_CONTEXT, state);
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
