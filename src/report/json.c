/* json.c - writes result objects, or a text, to a file, whole or not at all. */
#include "report/report.h"

#include <errno.h>
#include <glib.h>
#include <unistd.h>

/* What is written: a value, or a text where that is NULL. */
struct content {
	const json_t *value;
	const char *text;
	size_t length;
};

static bool put(FILE *f, const struct content *c)
{
	if (!c->value)
		return fwrite(c->text, 1, c->length, f) == c->length;
	return !json_dumpf(c->value, f, JSON_INDENT(1) | JSON_REAL_PRECISION(15)) && fputc('\n', f) != EOF;
}

bool report_put_to(FILE *f, const json_t *value, const char *text, size_t length)
{
	const struct content c = {value, text, length};

	return put(f, &c);
}

static bool dump(const char *path, const struct content *c)
{
	FILE *f = fopen(path, "w");

	if (!f)
		return false;

	bool is_written = put(f, c);
	int error = errno;

	if (fclose(f))
		return false;
	errno = error;
	return is_written;
}

static bool write_whole(const char *path, const struct content *c)
{
	/* A device or pipe is written in place; a file is replaced whole. */
	if (g_file_test(path, G_FILE_TEST_EXISTS) && !g_file_test(path, G_FILE_TEST_IS_REGULAR))
		return dump(path, c);

	g_autofree char *part = g_strconcat(path, ".part", NULL);

	if (dump(part, c) && !rename(part, path))
		return true;

	int error = errno;

	unlink(part);
	errno = error;
	return false;
}

bool report_json_write(const char *path, const json_t *value)
{
	const struct content c = {.value = value};

	return write_whole(path, &c);
}

bool report_text_write(const char *path, const char *text, size_t length)
{
	const struct content c = {.text = text, .length = length};

	return write_whole(path, &c);
}
