/* launches.c - which launches run.only and run.fast_forward name by their numbers. */
#include "device/launches.h"

#include <glib.h>
#include <string.h>

bool device_launches_are_numbers(const char *text)
{
	return g_ascii_isdigit(*text) || *text == '-';
}

bool device_launches_read(const char *text, uint64_t *first, uint64_t *last)
{
	const char *dash = strchr(text, '-');
	g_autofree char *begin = g_strndup(text, dash ? (size_t)(dash - text) : strlen(text));
	guint64 n, m;

	if (!g_ascii_string_to_unsigned(begin, 10, 1, G_MAXUINT64, &n, NULL))
		return false;
	m = n;
	if (dash && !g_ascii_string_to_unsigned(dash + 1, 10, n, G_MAXUINT64, &m, NULL))
		return false;
	*first = n;
	*last = m;
	return true;
}

const char *device_launches_range(const char *text)
{
	static const char range[] = "range:";

	return g_str_has_prefix(text, range) ? text + strlen(range) : NULL;
}

const char *device_launches_colon(const char *text)
{
	const char *at = strchr(text, ':');

	while (at && at[1] == ':')
		at = strchr(at + 2, ':');
	return at;
}

bool device_launches_count(const char *text, uint64_t *count)
{
	guint64 n;

	if (!g_ascii_string_to_unsigned(text, 10, 0, G_MAXUINT64 - 1, &n, NULL))
		return false;
	*count = n;
	return true;
}
