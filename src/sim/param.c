/* param.c - parameters by name: lookup, parsing with units, ranges, printing.
 *
 * Numbers are read as an exact decimal fraction times the ratio of two units, so that "1.4GHz" for a parameter in
 * kHz is 1400000 and never 1399999.
 */
#include "sim/param.h"

#include <ctype.h>
#include <errno.h>
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"

/* A suffix a user may write, and what it is worth in the parameter's own unit: num / den. */
struct unit_suffix {
	const char *unit; /* of the parameter */
	const char *suffix;
	uint64_t num, den;
};

static const struct unit_suffix suffixes[] = {
	{"bytes", "B", 1, 1},		    {"bytes", "KiB", 1ull << 10, 1},  {"bytes", "MiB", 1ull << 20, 1},
	{"bytes", "GiB", 1ull << 30, 1},    {"bytes", "kB", 1000, 1},	      {"bytes", "MB", 1000000, 1},
	{"bytes", "GB", 1000000000, 1},	    {"bits", "b", 1, 1},	      {"khz", "Hz", 1, 1000},
	{"khz", "kHz", 1, 1},		    {"khz", "MHz", 1000, 1},	      {"khz", "GHz", 1000000, 1},
	{"ps", "ps", 1, 1},		    {"ps", "ns", 1000, 1},	      {"ps", "us", 1000000, 1},
	{"ps", "ms", 1000000000, 1},	    {"ps", "s", 1000000000000, 1},    {"ns", "ps", 1, 1000},
	{"ns", "ns", 1, 1},		    {"ns", "us", 1000, 1},	      {"ns", "ms", 1000000, 1},
	{"ns", "s", 1000000000, 1},	    {"ns", "min", 60000000000, 1},    {"ns", "h", 3600000000000, 1},
	{"mbps", "Mb/s", 1, 1},		    {"mbps", "Gb/s", 1000, 1},	      {"mbytes_per_s", "MB/s", 1, 1},
	{"mbytes_per_s", "GB/s", 1000, 1},  {"mbytes_per_s", "TB/s", 1000000, 1},
	{"cycles", "cycles", 1, 1},	    {"pj", "fJ", 1, 1000},	      {"pj", "pJ", 1, 1},
	{"pj", "nJ", 1000, 1},		    {"mw", "mW", 1, 1},		      {"mw", "W", 1000, 1},
	{"percent", "%", 1, 1},
};

/* mantissa * num / (10^decimals * den): what the user wrote, in the parameter's unit, before any rounding. */
struct exact {
	uint64_t mantissa, num, den;
	uint32_t decimals;
};

static void list_suffixes(const char *unit, GString *out)
{
	for (uint32_t i = 0; i < ARRAY_COUNT(suffixes); i++) {
		if (!strcmp(suffixes[i].unit, unit))
			g_string_append_printf(out, "%s%s", out->len ? ", " : "", suffixes[i].suffix);
	}
}

/* The parameter's own unit for a message: "MB/s" for mbytes_per_s, a word rather than one letter, none for counts. */
static const char *unit_shown(const char *unit)
{
	if (!strcmp(unit, "count"))
		return "";
	for (uint32_t i = 0; i < ARRAY_COUNT(suffixes); i++) {
		if (!strcmp(suffixes[i].unit, unit) && suffixes[i].num == suffixes[i].den && suffixes[i].suffix[1])
			return suffixes[i].suffix;
	}
	return unit;
}

/* Finds the ratio for a suffix; an empty suffix is the parameter's own unit. */
static bool find_suffix(const char *unit, const char *suffix, struct exact *x)
{
	x->num = x->den = 1;
	if (!*suffix)
		return true;
	for (uint32_t i = 0; i < ARRAY_COUNT(suffixes); i++) {
		if (!strcmp(suffixes[i].unit, unit) && !strcmp(suffixes[i].suffix, suffix)) {
			x->num = suffixes[i].num;
			x->den = suffixes[i].den;
			return true;
		}
	}
	return false;
}

/* Reads digits[.digits], which without the point must fit in 64 bits. Returns the rest of the text, NULL if it is no
 * such number. */
static const char *read_decimal(const char *s, struct exact *x)
{
	bool has_digit = false, in_fraction = false;

	x->mantissa = 0;
	x->decimals = 0;
	for (; isdigit((unsigned char)*s) || (*s == '.' && !in_fraction) || (*s == '_' && has_digit); s++) {
		if (*s == '_')
			continue;
		if (*s == '.') {
			in_fraction = true;
			continue;
		}
		if (__builtin_mul_overflow(x->mantissa, 10, &x->mantissa) ||
		    __builtin_add_overflow(x->mantissa, (uint64_t)(*s - '0'), &x->mantissa))
			return NULL;
		x->decimals += in_fraction;
		has_digit = true;
	}
	if (!has_digit)
		return NULL;
	while (*s == ' ')
		s++;
	return s;
}

static bool bad_value(struct base_place at, struct base_diag_list *diag, const char *key, const char *value,
		      const char *expected)
{
	base_diag_error(diag, at, "%s: bad value '%s', expected %s", key, value, expected);
	return false;
}

static bool bad_range(const struct sim_param_desc *row, struct base_place at, struct base_diag_list *diag,
		      const char *key, const char *value)
{
	const char *unit = unit_shown(row->unit);

	base_diag_error(diag, at, "%s: '%s' is out of range, expected %.15g to %.15g%s%s", key, value, row->min,
			row->max, *unit ? " " : "", unit);
	return false;
}

/* A number, but too small or too large for any parameter of whole numbers. */
static bool is_far(const char *value, const char *unit)
{
	const char *digits = value + (*value == '-');
	const char *rest = digits + strspn(digits, "0123456789._");
	struct exact x;

	return isdigit((unsigned char)*digits) && find_suffix(unit, rest + strspn(rest, " "), &x);
}

/* A number in a form that is not read, and the form that is; NULL: it is no number. */
static const char *other_form(const char *value)
{
	const char *digits = value + (*value == '-');
	const char *rest = digits + strspn(digits, "0123456789.");

	if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X'))
		return "a decimal number, not a hexadecimal one";
	if (rest > digits && (*rest == 'e' || *rest == 'E') && (isdigit((unsigned char)rest[1]) || rest[1] == '+'))
		return "a number without an exponent";
	return NULL;
}

static bool bad_number(const struct sim_param_desc *row, struct base_place at, struct base_diag_list *diag,
		       const char *key, const char *value)
{
	GString *units = g_string_new(NULL);
	const char *unit = unit_shown(row->unit);
	const char *form = other_form(value);
	char *expected;

	if (form)
		return bad_value(at, diag, key, value, form);
	list_suffixes(row->unit, units);
	if (units->len)
		expected = g_strdup_printf("a number of %s, or one followed by %s", unit, units->str);
	else
		expected = g_strdup_printf("a number%s%s without a suffix", *unit ? " of " : "", unit);
	bad_value(at, diag, key, value, expected);
	g_free(expected);
	g_string_free(units, TRUE);
	return false;
}

/* No unit is worth so small a part of another. */
enum { DECIMALS_MAX = 18 };

static bool set_u64(const struct sim_param_desc *row, void *field, const char *key, const char *value,
		    struct base_place at, struct base_diag_list *diag)
{
	struct exact x;
	const char *rest = read_decimal(value, &x);

	if (!rest && is_far(value, row->unit))
		return bad_range(row, at, diag, key, value);
	if (!rest || !find_suffix(row->unit, rest, &x))
		return bad_number(row, at, diag, key, value);

	for (; x.decimals && x.mantissa % 10 == 0; x.decimals--)
		x.mantissa /= 10;
	if (x.decimals > DECIMALS_MAX)
		return bad_value(at, diag, key, value, "a whole number in the parameter's own unit");

	unsigned __int128 n = (unsigned __int128)x.mantissa * x.num, d = x.den;

	for (uint32_t i = 0; i < x.decimals; i++)
		d *= 10;
	if (n % d)
		return bad_value(at, diag, key, value, "a whole number in the parameter's own unit");

	unsigned __int128 v = n / d;

	if (v > UINT64_MAX || v < (unsigned __int128)row->min || v > (unsigned __int128)row->max)
		return bad_range(row, at, diag, key, value);
	*(uint64_t *)field = (uint64_t)v;
	return true;
}

static bool set_f64(const struct sim_param_desc *row, void *field, const char *key, const char *value,
		    struct base_place at, struct base_diag_list *diag)
{
	struct exact x;
	char *rest;
	double v;

	if (!isdigit((unsigned char)*value) && *value != '.' && *value != '-')
		return bad_number(row, at, diag, key, value); /* strtod would take "inf", "nan" and hexadecimal */
	if (value[0] == '0' && (value[1] == 'x' || value[1] == 'X'))
		return bad_number(row, at, diag, key, value);
	v = g_ascii_strtod(value, &rest);
	while (*rest == ' ')
		rest++;
	if (rest == value || !find_suffix(row->unit, rest, &x))
		return bad_number(row, at, diag, key, value);
	v = v * (double)x.num / (double)x.den;
	if (!(v >= row->min && v <= row->max))
		return bad_range(row, at, diag, key, value);
	*(double *)field = v;
	return true;
}

static bool set_bool(void *field, const char *key, const char *value, struct base_place at, struct base_diag_list *diag)
{
	if (!strcmp(value, "true") || !strcmp(value, "on") || !strcmp(value, "yes") || !strcmp(value, "1"))
		*(bool *)field = true;
	else if (!strcmp(value, "false") || !strcmp(value, "off") || !strcmp(value, "no") || !strcmp(value, "0"))
		*(bool *)field = false;
	else
		return bad_value(at, diag, key, value, "true or false");
	return true;
}

static bool set_enum(const struct sim_param_desc *row, void *field, const char *key, const char *value,
		     struct base_place at, struct base_diag_list *diag)
{
	char **names = g_strsplit(row->choices, "|", -1);
	uint32_t count = g_strv_length(names), i;
	bool is_known;

	for (i = 0; i < count && strcmp(names[i], value); i++)
		;
	is_known = i < count;
	if (is_known) {
		*(uint64_t *)field = i;
	} else {
		const char *nearest = base_nearest_name(value, (const char *const *)names, count);
		char *joined = g_strjoinv(", ", names);

		base_diag_error(diag, at, "%s: bad value '%s', expected one of %s%s%s%s", key, value, joined,
				nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
		g_free(joined);
	}
	g_strfreev(names);
	return is_known;
}

static bool set_text(void *field, const char *key, const char *value, struct base_place at, struct base_diag_list *diag)
{
	if (!*value || strlen(value) >= SIM_PARAM_TEXT_BYTES || strpbrk(value, "\n\r\t"))
		return bad_value(at, diag, key, value, "a name of up to 127 characters, or none");
	memset(field, 0, SIM_PARAM_TEXT_BYTES);
	if (strcmp(value, "none"))
		memcpy(field, value, strlen(value));
	return true;
}

void sim_param_groups_add(struct sim_param_groups *groups, const char *prefix, const struct sim_param_desc *rows,
			  uint32_t row_count, void *values)
{
	CHECK(groups->count < SIM_PARAM_GROUPS_MAX);
	groups->items[groups->count++] = (struct sim_param_group){prefix, rows, row_count, values, NULL};
}

void sim_param_groups_when(struct sim_param_groups *groups, const struct sim_param_when *whens)
{
	CHECK(groups->count);
	groups->items[groups->count - 1].whens = whens;
}

static void *field_of(const struct sim_param_group *g, const struct sim_param_desc *row)
{
	return (char *)g->values + row->offset;
}

void sim_param_defaults(const struct sim_param_group *g)
{
	for (uint32_t i = 0; i < g->row_count; i++) {
		const struct sim_param_desc *row = &g->rows[i];
		void *field = field_of(g, row);

		switch (row->kind) {
		case SIM_PARAM_F64:
			*(double *)field = row->dflt;
			break;
		case SIM_PARAM_BOOL:
			*(bool *)field = row->dflt != 0;
			break;
		case SIM_PARAM_U64:
		case SIM_PARAM_ENUM:
			*(uint64_t *)field = (uint64_t)row->dflt;
			break;
		case SIM_PARAM_TEXT:
			memset(field, 0, SIM_PARAM_TEXT_BYTES);
			break;
		}
	}
}

/* The group may be unknown, or known without this name: the message lists the nearest full key. */
static void report_unknown(const struct sim_param_group *groups, uint32_t group_count, const char *key,
			   struct base_place at, struct base_diag_list *diag)
{
	GPtrArray *keys = g_ptr_array_new_with_free_func(g_free);
	const char *nearest;

	for (uint32_t i = 0; i < group_count; i++) {
		for (uint32_t j = 0; j < groups[i].row_count; j++)
			g_ptr_array_add(keys, g_strdup_printf("%s.%s", groups[i].prefix, groups[i].rows[j].name));
	}
	nearest = base_nearest_name(key, (const char *const *)keys->pdata, keys->len);
	if (nearest)
		base_diag_error(diag, at, "unknown parameter '%s'; did you mean '%s'?", key, nearest);
	else
		base_diag_error(diag, at, "unknown parameter '%s'; see `strata list params`", key);
	g_ptr_array_free(keys, TRUE);
}

static const struct sim_param_desc *find_row(const struct sim_param_group *groups, uint32_t group_count,
					     const char *key, const struct sim_param_group **group)
{
	for (uint32_t i = 0; i < group_count; i++) {
		size_t length = strlen(groups[i].prefix);

		if (strncmp(key, groups[i].prefix, length) || key[length] != '.')
			continue;
		for (uint32_t j = 0; j < groups[i].row_count; j++) {
			if (!strcmp(groups[i].rows[j].name, key + length + 1)) {
				*group = &groups[i];
				return &groups[i].rows[j];
			}
		}
	}
	return NULL;
}

const struct sim_param_desc *sim_param_groups_find(const struct sim_param_groups *groups, const char *key,
						   const struct sim_param_group **group)
{
	const struct sim_param_group *own;

	return find_row(groups->items, groups->count, key, group ? group : &own);
}

static bool set_value(const struct sim_param_desc *row, void *field, const char *key, const char *value,
		      struct base_place at, struct base_diag_list *diag)
{
	switch (row->kind) {
	case SIM_PARAM_U64:
		return set_u64(row, field, key, value, at, diag);
	case SIM_PARAM_F64:
		return set_f64(row, field, key, value, at, diag);
	case SIM_PARAM_BOOL:
		return set_bool(field, key, value, at, diag);
	case SIM_PARAM_ENUM:
		return set_enum(row, field, key, value, at, diag);
	case SIM_PARAM_TEXT:
		return set_text(field, key, value, at, diag);
	}
	UNREACHABLE("parameter kind");
}

bool sim_param_set(const struct sim_param_group *groups, uint32_t group_count, const char *key, const char *value,
		   struct base_place at, struct base_diag_list *diag)
{
	const struct sim_param_group *group = NULL;
	const struct sim_param_desc *row = find_row(groups, group_count, key, &group);

	if (!row) {
		report_unknown(groups, group_count, key, at, diag);
		return false;
	}
	if (!set_value(row, field_of(group, row), key, value, at, diag))
		return false;
	base_diag_know(diag, key, at);
	return true;
}

void sim_param_format(const struct sim_param_group *g, const struct sim_param_desc *row, char *buf, size_t size_bytes)
{
	const void *field = field_of(g, row);
	char **names;

	switch (row->kind) {
	case SIM_PARAM_U64:
		snprintf(buf, size_bytes, "%" G_GUINT64_FORMAT, *(const uint64_t *)field);
		break;
	case SIM_PARAM_F64:
		g_ascii_formatd(buf, (gint)size_bytes, "%.17g", *(const double *)field);
		for (int digits = 1; digits < 17; digits++) { /* the shortest text that reads back the same */
			char shorter[G_ASCII_DTOSTR_BUF_SIZE], format[16];

			snprintf(format, sizeof(format), "%%.%dg", digits);
			g_ascii_formatd(shorter, sizeof(shorter), format, *(const double *)field);
			if (g_ascii_strtod(shorter, NULL) == *(const double *)field) {
				snprintf(buf, size_bytes, "%s", shorter);
				break;
			}
		}
		break;
	case SIM_PARAM_BOOL:
		snprintf(buf, size_bytes, "%s", *(const bool *)field ? "true" : "false");
		break;
	case SIM_PARAM_ENUM:
		names = g_strsplit(row->choices, "|", -1);
		CHECK(*(const uint64_t *)field < g_strv_length(names));
		snprintf(buf, size_bytes, "%s", names[*(const uint64_t *)field]);
		g_strfreev(names);
		break;
	case SIM_PARAM_TEXT:
		snprintf(buf, size_bytes, "%s", *(const char *)field ? (const char *)field : "none");
		break;
	}
}

double sim_param_value(const struct sim_param_group *g, const struct sim_param_desc *row)
{
	const void *field = field_of(g, row);

	switch (row->kind) {
	case SIM_PARAM_F64:
		return *(const double *)field;
	case SIM_PARAM_BOOL:
		return *(const bool *)field;
	case SIM_PARAM_U64:
	case SIM_PARAM_ENUM:
		return (double)*(const uint64_t *)field;
	case SIM_PARAM_TEXT:
		return *(const char *)field != '\0';
	}
	UNREACHABLE("parameter kind");
}

/* ---- which parameters are read ---- */

static bool is_among(const char *value, const char *values)
{
	g_auto(GStrv) names = g_strsplit(values, "|", -1);

	return g_strv_contains((const char *const *)names, value);
}

static bool when_holds(const struct sim_param_groups *groups, const struct sim_param_when *when)
{
	const struct sim_param_group *group;
	const struct sim_param_desc *row = sim_param_groups_find(groups, when->key, &group);
	char value[SIM_PARAM_TEXT_BYTES];

	CHECK(row);
	sim_param_format(group, row, value, sizeof(value));
	return *when->values == '!' ? !is_among(value, when->values + 1) : is_among(value, when->values);
}

static bool when_is_of(const struct sim_param_when *when, const char *name)
{
	return *when->names == '!' ? !g_pattern_match_simple(when->names + 1, name)
				   : g_pattern_match_simple(when->names, name);
}

const struct sim_param_when *sim_param_unread(const struct sim_param_groups *groups,
					      const struct sim_param_group *group,
					      const struct sim_param_desc *row)
{
	for (const struct sim_param_when *when = group->whens; when && when->names; when++)
		if (when_is_of(when, row->name) && !when_holds(groups, when))
			return when;
	return NULL;
}

char *sim_param_when_text(const struct sim_param_when *when)
{
	const bool is_other = *when->values == '!';
	g_auto(GStrv) names = g_strsplit(when->values + is_other, "|", -1);
	g_autofree char *list = g_strjoinv(" or ", names);

	return g_strdup_printf("%s %s %s", when->key, is_other ? "other than" : "=", list);
}

char *sim_param_whens_text(const struct sim_param_group *group, const struct sim_param_desc *row)
{
	GString *text = g_string_new(NULL);

	for (const struct sim_param_when *when = group->whens; when && when->names; when++) {
		g_autofree char *one = when_is_of(when, row->name) ? sim_param_when_text(when) : NULL;

		if (one)
			g_string_append_printf(text, "%s%s", text->len ? ", " : "", one);
	}
	return g_string_free(text, !text->len);
}
