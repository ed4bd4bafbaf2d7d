/* formula.c - a formula is read and computed in one pass; nothing is kept. */
#include "base/formula.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"

enum { NAME_BYTES = 128, LEVELS_MAX = 64 };

struct reader {
	const char *at;
	const struct base_formula_scope *scope; /* NULL: only read */
	bool (*name)(void *ctx, const char *name, bool is_list);
	void *name_ctx;
	bool is_wrong;
	int level;
	const char *list; /* of whose item the names "own." are; NULL: of none */
	size_t item;
};

static double expression(struct reader *r);

static double wrong(struct reader *r)
{
	r->is_wrong = true;
	return NAN;
}

static void skip(struct reader *r)
{
	while (isspace((unsigned char)*r->at))
		r->at++;
}

static bool take(struct reader *r, char c)
{
	skip(r);
	if (*r->at != c)
		return false;
	r->at++;
	return true;
}

static void expect(struct reader *r, char c)
{
	if (!take(r, c))
		wrong(r);
}

static bool read_name(struct reader *r, char *out)
{
	size_t length = 0;

	skip(r);
	while (isalnum((unsigned char)r->at[length]) || r->at[length] == '_' || r->at[length] == '.')
		length++;
	if (!length || length >= NAME_BYTES || !isalpha((unsigned char)*r->at)) {
		wrong(r);
		return false;
	}
	memcpy(out, r->at, length);
	out[length] = '\0';
	r->at += length;
	return true;
}

static void told(struct reader *r, const char *name, bool is_list)
{
	if (r->name && !r->name(r->name_ctx, name, is_list))
		wrong(r);
}

static double named(struct reader *r, const char *name)
{
	static const char own[] = "own.";
	const bool is_own = !strncmp(name, own, strlen(own));

	told(r, name, false);
	if (!r->scope)
		return NAN;
	if (is_own && !r->list && !r->scope->has_own)
		return wrong(r);
	return is_own && r->list ? r->scope->own(r->scope->ctx, r->list, r->item, name + strlen(own))
		      : r->scope->value(r->scope->ctx, name);
}

/* min and max. */
static double extreme(struct reader *r, bool is_max)
{
	double best = expression(r);

	while (take(r, ',')) {
		const double next = expression(r);

		if (isnan(best) || isnan(next))
			best = NAN;
		else if (is_max ? next > best : next < best)
			best = next;
	}
	return best;
}

static double where(struct reader *r)
{
	const double condition = expression(r);
	double value;

	expect(r, ',');
	value = expression(r);
	return condition > 0 ? value : NAN;
}

/* The formula behind the comma once for each item, and once unread where there is none. */
static double over_list(struct reader *r, bool is_sum)
{
	const struct base_formula_scope *scope = r->scope;
	char list[NAME_BYTES];
	const char *begin;
	double result = is_sum ? 0 : NAN;
	size_t count;

	if (r->list || !read_name(r, list))
		return wrong(r);
	told(r, list, true);
	expect(r, ',');
	begin = r->at;
	count = scope ? scope->count(scope->ctx, list) : 0;
	r->list = list;
	r->scope = count ? scope : NULL;
	r->item = 0;
	do {
		double value;

		r->at = begin;
		value = expression(r);
		if (!count)
			break;
		if (is_sum)
			result += value;
		else if (isnan(result) || value > result)
			result = value;
	} while (++r->item < count && !r->is_wrong);
	r->scope = scope;
	r->list = NULL;
	return result;
}

static double counted(struct reader *r)
{
	char list[NAME_BYTES];

	if (!read_name(r, list))
		return NAN;
	told(r, list, true);
	return r->scope ? (double)r->scope->count(r->scope->ctx, list) : NAN;
}

static double called(struct reader *r, const char *name)
{
	double value = NAN;

	if (!strcmp(name, "min") || !strcmp(name, "max"))
		value = extreme(r, !strcmp(name, "max"));
	else if (!strcmp(name, "where"))
		value = where(r);
	else if (!strcmp(name, "missing"))
		value = isnan(expression(r));
	else if (!strcmp(name, "most") || !strcmp(name, "total"))
		value = over_list(r, !strcmp(name, "total"));
	else if (!strcmp(name, "count"))
		value = counted(r);
	else
		wrong(r);
	expect(r, ')');
	return value;
}

static double atom(struct reader *r)
{
	char name[NAME_BYTES];

	if (r->level >= LEVELS_MAX)
		return wrong(r);
	if (take(r, '(')) {
		const double value = expression(r);

		expect(r, ')');
		return value;
	}
	if (take(r, '-'))
		return -atom(r);
	if (isdigit((unsigned char)*r->at)) {
		char *end;
		const double value = strtod(r->at, &end);

		r->at = end;
		return value;
	}
	if (!read_name(r, name))
		return NAN;
	return take(r, '(') ? called(r, name) : named(r, name);
}

static double term(struct reader *r)
{
	double value = atom(r);

	for (;;) {
		if (take(r, '*')) {
			value *= atom(r);
		} else if (take(r, '/')) {
			const double by = atom(r);

			value = by == 0 ? NAN : value / by;
		} else {
			return value;
		}
	}
}

static double expression(struct reader *r)
{
	double value;

	r->level++;
	value = term(r);
	for (;;) {
		if (take(r, '+')) {
			value += term(r);
		} else if (take(r, '-')) {
			value -= term(r);
		} else {
			r->level--;
			return value;
		}
	}
}

static double read_whole(struct reader *r)
{
	const double value = expression(r);

	skip(r);
	if (*r->at)
		wrong(r);
	return value;
}

double base_formula_value(const char *text, const struct base_formula_scope *scope)
{
	struct reader r = {.at = text, .scope = scope};
	const double value = read_whole(&r);

	CHECK(!r.is_wrong);
	return value;
}

bool base_formula_check(const char *text, bool (*name)(void *ctx, const char *name, bool is_list), void *ctx)
{
	struct reader r = {.at = text, .name = name, .name_ctx = ctx};

	read_whole(&r);
	return !r.is_wrong;
}
