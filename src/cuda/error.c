/* error.c - names and texts of result codes, and the driver's messages on stderr. */
#include "base/check.h"
#include "cuda/driver.h"

static const struct error_row {
	CUresult code;
	const char *name, *text;
} rows[] = {
#define ERROR(code, text) {code, #code, text},
#include "cuda/error.def"
#undef ERROR
};

static const struct error_row *find(CUresult code)
{
	for (uint32_t i = 0; i < ARRAY_COUNT(rows); i++) {
		if (rows[i].code == code)
			return &rows[i];
	}
	return NULL;
}

const char *cuda_error_text(CUresult e)
{
	const struct error_row *row = find(e);

	return row ? row->text : NULL;
}

CUresult cuGetErrorString(CUresult error, const char **text)
{
	if (!text)
		return CUDA_ERROR_INVALID_VALUE;
	*text = cuda_error_text(error);
	return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorName(CUresult error, const char **name)
{
	const struct error_row *row = find(error);

	if (!name)
		return CUDA_ERROR_INVALID_VALUE;
	*name = row ? row->name : NULL;
	return row ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuda_not_supported(const char *name)
{
	static GHashTable *named;
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&lock);
	if (!named)
		named = g_hash_table_new(g_str_hash, g_str_equal);

	bool is_new = g_hash_table_add(named, (gpointer)name);

	pthread_mutex_unlock(&lock);
	if (is_new)
		machine_message("%s is not supported", name);
	return CUDA_ERROR_NOT_SUPPORTED;
}
