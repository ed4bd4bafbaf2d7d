/* innovation.c - a list of supercomputers, and equation (1.1) over it. */
#include "ska/innovation.h"

#include <errno.h>
#include <glib.h>
#include <math.h>
#include <string.h>

#include "base/check.h"

enum { COLUMNS = 5 };

static bool number_read(const char *text, const char *what, const char *unit, struct base_place at, double *out,
			struct base_diag_list *diag)
{
	char *end;

	*out = g_ascii_strtod(text, &end);
	if (end != text && !*end && isfinite(*out) && *out > 0)
		return true;
	base_diag_error(diag, at, "bad %s '%s', expected a number above 0, in %s", what, text, unit);
	return false;
}

static bool kind_read(const char *text, struct base_place at, enum ska_system_kind *out, struct base_diag_list *diag)
{
	static const char *const kinds[] = {[SKA_START] = "start", [SKA_CUSTOM] = "custom", [SKA_COTS] = "cots"};

	for (uint32_t i = 0; i < ARRAY_COUNT(kinds); i++)
		if (!strcmp(text, kinds[i])) {
			*out = (enum ska_system_kind)i;
			return true;
		}
	base_diag_error(diag, at, "bad kind '%s', expected custom, cots or start", text);
	return false;
}

static bool line_read(const char *line, struct base_place at, struct ska_system *s, struct base_diag_list *diag)
{
	g_auto(GStrv) f = g_strsplit(line, ",", -1);

	if (g_strv_length(f) != COLUMNS) {
		base_diag_error(diag, at, "expected %d fields, found %u", COLUMNS, g_strv_length(f));
		return false;
	}
	g_strlcpy(s->name, f[0], sizeof(s->name));
	g_strlcpy(s->date, f[1], sizeof(s->date));
	return number_read(f[2], "performance", "TFLOPS", at, &s->tflops, diag) &&
	       number_read(f[3], "power", "kW", at, &s->kilowatts, diag) && kind_read(f[4], at, &s->kind, diag);
}

static void innovations_set(struct ska_systems *s)
{
	double best = 0;

	for (uint32_t i = 0; i < s->count; i++) {
		struct ska_system *x = &s->items[i];
		const double efficiency = x->tflops / x->kilowatts;

		if (i) {
			x->performance = x->tflops / s->items[i - 1].tflops;
			x->efficiency = efficiency / best;
			x->innovation = x->performance * x->efficiency;
		}
		best = fmax(best, efficiency);
	}
}

bool ska_systems_read(const char *path, struct ska_systems *out, struct base_diag_list *diag)
{
	const uint32_t before = diag->error_count;
	struct base_place at = {.file = path, .line = 0, .col = 1};
	g_autofree char *text = NULL;

	*out = (struct ska_systems){.count = 0};
	if (!g_file_get_contents(path, &text, NULL, NULL)) {
		base_diag_error(diag, at, "cannot read the list of systems: %s", strerror(errno));
		return false;
	}

	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	for (uint32_t i = 1; lines[0] && lines[i]; i++) {
		at.line = i + 1;
		if (!*lines[i])
			continue;
		if (out->count == SKA_SYSTEMS_MAX) {
			base_diag_error(diag, at, "more than %d systems", SKA_SYSTEMS_MAX);
			break;
		}
		if (line_read(lines[i], at, &out->items[out->count], diag))
			out->count++;
	}
	innovations_set(out);
	return diag->error_count == before;
}

double ska_innovation_mean(const struct ska_systems *s, enum ska_system_kind kind, const char *until)
{
	double sum = 0;
	uint32_t count = 0;

	for (uint32_t i = 0; i < s->count; i++) {
		const struct ska_system *x = &s->items[i];

		if (x->kind != kind || (until && strcmp(x->date, until) > 0))
			continue;
		sum += x->innovation;
		count++;
	}
	return count ? sum / count : 0;
}
