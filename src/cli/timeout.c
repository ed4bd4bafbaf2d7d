/* timeout.c - reads --timeout. */
#include "cli/timeout.h"

#include "cli/options.h"

#include <string.h>

static const char simulated[] = "simulated:";

/* The parameters' own reader says what is wrong with a number or a unit; without a unit it would take the
 * parameter's. */
static bool add(const char *command, const char *limit, GPtrArray *sets)
{
	const bool is_simulated = g_str_has_prefix(limit, simulated);
	const char *value = is_simulated ? limit + strlen(simulated) : limit;
	const size_t length = strlen(value);

	if (!length || !g_ascii_isdigit(value[0]) || !g_ascii_isalpha(value[length - 1])) {
		cli_error("%s: bad --timeout '%s', expected a time with its unit, such as 30s or simulated:10ms",
			  command, limit);
		return false;
	}
	/* As a parameter 0 means that there is no limit, which nobody asks for in this way. */
	if (!strpbrk(value, "123456789")) {
		cli_error("%s: bad --timeout '%s', expected a time longer than 0; without --timeout there is no limit",
			  command, limit);
		return false;
	}

	g_autofree char *setting = g_strdup_printf(
	    "%s=%s", is_simulated ? "run.timeout_simulated_ps" : "run.timeout_wall_ns", value);

	g_ptr_array_add(sets, (gpointer)g_intern_string(setting));
	return true;
}

bool cli_timeout_add(const char *command, const char *text, GPtrArray *sets)
{
	g_auto(GStrv) limits = g_strsplit(text ? text : "", ",", -1);
	bool is_ok = true;

	for (uint32_t i = 0; is_ok && limits[i]; i++)
		is_ok = add(command, limits[i], sets);
	return is_ok;
}
