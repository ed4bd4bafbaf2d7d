/* error.c - names and texts of result codes, and the driver's messages on stderr. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

/* One write per message, so that messages of several processes do not mix. */
static void print_line(const char *prefix, const char *text)
{
	char *line = g_strconcat(prefix, text, "\n", NULL);
	size_t length = strlen(line);

	fflush(stdout);
	for (size_t done = 0; done < length;) {
		ssize_t n = write(STDERR_FILENO, line + done, length - done);

		if (n <= 0)
			break;
		done += (size_t)n;
	}
	g_free(line);
}

void cuda_message(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);

	char *text = g_strdup_vprintf(fmt, args);

	va_end(args);
	print_line("strata: ", text);
	g_free(text);
}

void cuda_print_diag(const struct base_diag_list *diag)
{
	for (const struct base_diag *d = diag->first; d; d = d->next)
		print_line("", d->text);
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
		cuda_message("%s is not supported", name);
	return CUDA_ERROR_NOT_SUPPORTED;
}
