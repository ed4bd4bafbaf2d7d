/* claim.c - judges the terms of a claim and fills in its texts. */
#include "reproduce/claim.h"

#include "base/check.h"
#include "reproduce/described.h"

#include <math.h>
#include <string.h>

/* A term's numbers: what was measured, what that is compared with, and how far it may be from that. */
struct numbers {
	double measured, wanted, tolerance;
	double more; /* what is added to wanted */
	enum reproduce_must must;
	const char *const *words;
	uint32_t word_count;
};

const struct reproduce_row *reproduce_row_find(const struct reproduce_paper *paper, const char *id)
{
	for (uint32_t i = 0; i < paper->row_count; i++) {
		if (!strcmp(paper->rows[i].id, id))
			return &paper->rows[i];
	}
	CHECK(!"a row of the paper");
}

static struct numbers term_measure(const struct reproduce_term *term, const struct reproduce_data *data)
{
	return (struct numbers){
		.measured = term->row.measure(data, &term->row),
		.wanted = term->value,
		.tolerance = term->row.tolerance,
		.must = term->must,
		.words = term->words,
		.word_count = term->word_count,
		.more = term->wanted ? reproduce_described_number(data, term->wanted, 0) : 0,
	};
}

static struct numbers published_measure(const char *id, const struct reproduce_data *data,
					const struct reproduce_published_set *published)
{
	const struct reproduce_row *row = reproduce_row_find(data->paper, id);
	const struct reproduce_published *p = reproduce_published_find(published, id);

	CHECK(p && (p->relation == REPRODUCE_EXACT || p->relation == REPRODUCE_INPUT_OF_MODEL));
	return (struct numbers){
		.measured = row->measure(data, row),
		.wanted = p->value,
		.tolerance = row->tolerance,
		.must = REPRODUCE_MUST_BE_NEAR,
	};
}

/* Returns how many terms there are. */
static uint32_t terms_measure(const struct reproduce_claim *claim, const struct reproduce_data *data,
			      const struct reproduce_published_set *published, struct numbers *n)
{
	uint32_t count = 0;

	for (; count < REPRODUCE_TERM_MAX; count++) {
		const struct reproduce_term *term = &claim->terms[count];

		if (term->row.measure)
			n[count] = term_measure(term, data);
		else if (term->row.id)
			n[count] = published_measure(term->row.id, data, published);
		else
			break;
	}
	return count;
}

static bool is_true(const struct numbers *n, double wanted)
{
	switch (n->must) {
	case REPRODUCE_MUST_NOTHING:
		return true;
	case REPRODUCE_MUST_BE_NEAR:
		return fabs(n->measured - wanted) <= n->tolerance;
	case REPRODUCE_MUST_EXCEED:
		return n->measured > wanted;
	case REPRODUCE_MUST_REACH:
		return n->measured >= wanted;
	case REPRODUCE_MUST_BE_BELOW:
		return n->measured < wanted;
	case REPRODUCE_MUST_NOT_EXCEED:
		return n->measured <= wanted;
	}
	CHECK(!"what a number must be");
}

static enum reproduce_verdict terms_judge(const struct numbers *n, uint32_t count)
{
	enum reproduce_verdict verdict = REPRODUCE_HOLDS;

	for (uint32_t i = 0; i < count; i++) {
		const double wanted = n[i].wanted + n[i].more;

		if (n[i].must == REPRODUCE_MUST_NOTHING)
			continue;
		if (isnan(n[i].measured) || isnan(wanted))
			return REPRODUCE_UNKNOWN;
		if (!is_true(&n[i], wanted))
			verdict = REPRODUCE_HOLDS_NOT;
	}
	return verdict;
}

static enum reproduce_relation relation_of(enum reproduce_must must)
{
	switch (must) {
	case REPRODUCE_MUST_EXCEED:
		return REPRODUCE_ABOVE;
	case REPRODUCE_MUST_REACH:
		return REPRODUCE_AT_LEAST;
	case REPRODUCE_MUST_BE_BELOW:
		return REPRODUCE_BELOW;
	case REPRODUCE_MUST_NOT_EXCEED:
		return REPRODUCE_AT_MOST;
	case REPRODUCE_MUST_NOTHING:
	case REPRODUCE_MUST_BE_NEAR:
		break;
	}
	return REPRODUCE_EXACT;
}

/* Does a term that does not hold say the opposite? Of two numbers of which one must be greater the other one is; what
 * must be on one side of where the answer turns is on the other one. */
static bool term_is_contrary(const struct reproduce_paper *paper, const struct reproduce_term *term,
			     const struct numbers *n, double wanted)
{
	const struct reproduce_row *row =
	    term->row.measure ? &term->row : reproduce_row_find(paper, term->row.id);

	if (is_true(n, wanted))
		return false;
	if (n->must != REPRODUCE_MUST_BE_NEAR && term->wanted && term->value == 0)
		return n->measured != wanted;
	return reproduce_is_contrary(n->measured, wanted, relation_of(n->must), reproduce_turn_of(paper, row));
}

struct reproduce_numbers reproduce_claim_numbers(const struct reproduce_claim *claim, const struct reproduce_data *data,
						 const struct reproduce_published_set *published)
{
	struct numbers n[REPRODUCE_TERM_MAX] = {0};
	const uint32_t count = terms_measure(claim, data, published, n);
	struct reproduce_numbers out = {0};

	for (uint32_t i = 0; i < count; i++) {
		const double wanted = n[i].wanted + n[i].more;

		if (n[i].must == REPRODUCE_MUST_NOTHING)
			continue;
		out.measured[out.count] = n[i].measured;
		out.wanted[out.count] = wanted;
		out.tolerance[out.count] = n[i].tolerance;
		out.relations[out.count++] = relation_of(n[i].must);
		out.is_contrary |= term_is_contrary(data->paper, &claim->terms[i], &n[i], wanted);
	}
	return out;
}

/* Format, up to a brace: "", "+", ".1" or "+.1". What is not there is a dash. */
static void number_append(GString *out, double x, const char *format)
{
	bool is_signed = *format == '+';

	format += is_signed;
	if (isnan(x))
		g_string_append(out, "-");
	else if (*format == '.') /* one digit */
		g_string_append_printf(out, is_signed ? "%+.*f" : "%.*f", format[1] - '0', x);
	else
		g_string_append_printf(out, is_signed ? "%+g" : "%g", x);
}

static void measured_append(GString *out, const struct numbers *n, const char *format)
{
	if (*format != 's')
		number_append(out, n->measured, format);
	else
		g_string_append(out, n->measured >= 0 && n->measured < n->word_count ? n->words[(uint32_t)n->measured]
											 : "-");
}

/* Field: what is between { and }. */
static void field_append(GString *out, const char *field, const struct numbers *n)
{
	bool is_wanted = *field == '=', is_tolerance = *field == '~';
	const char *index = field + (is_wanted || is_tolerance), *format = index + 1 + (index[1] == ':');

	n += *index - '0';
	if (is_wanted)
		number_append(out, *format == '+' ? n->wanted : fabs(n->wanted), format);
	else if (is_tolerance)
		number_append(out, n->tolerance, format);
	else
		measured_append(out, n, format);
}

static void template_append(GString *out, const char *template, const struct numbers *n)
{
	for (const char *open; (open = strchr(template, '{')); template = strchr(open, '}') + 1) {
		g_string_append_len(out, template, open - template);
		field_append(out, open + 1, n);
	}
	g_string_append(out, template);
}

enum reproduce_verdict reproduce_claim_judge(const struct reproduce_claim *claim, const struct reproduce_data *data,
					     const struct reproduce_published_set *published, GString *text,
					     GString *seen)
{
	struct numbers n[REPRODUCE_TERM_MAX] = {0};
	uint32_t count = terms_measure(claim, data, published, n);

	template_append(text, claim->text, n);
	template_append(seen, claim->seen, n);
	return terms_judge(n, count);
}
