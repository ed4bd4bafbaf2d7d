/* verdict.c - the rules by which a reason counts: the numbers that it was written for, and the share that it closes. */
#include "reproduce/verdict.h"

#include "reproduce/data.h"

#include <math.h>
#include <string.h>

double reproduce_turn_of(const struct reproduce_paper *paper, const struct reproduce_row *row)
{
	for (uint32_t i = 0; row->id && i < paper->turn_count; i++)
		if (!strcmp(paper->turns[i].id, row->id))
			return paper->turns[i].turn;
	return NAN;
}

bool reproduce_is_contrary(double measured, double wanted, enum reproduce_relation relation, double turn)
{
	if (isnan(turn) || measured == turn)
		return false;
	if (wanted == turn)
		return relation != REPRODUCE_EXACT && relation != REPRODUCE_INPUT_OF_MODEL;
	return (measured - turn) * (wanted - turn) < 0;
}

/* Does the number keep the bound? A number that must be equal has none. */
static bool is_past(double x, double wanted, enum reproduce_relation relation)
{
	switch (relation) {
	case REPRODUCE_ABOVE:
	case REPRODUCE_AT_LEAST:
		return x >= wanted;
	case REPRODUCE_BELOW:
	case REPRODUCE_AT_MOST:
		return x <= wanted;
	case REPRODUCE_EXACT:
	case REPRODUCE_INPUT_OF_MODEL:
		break;
	}
	return false;
}

double reproduce_share_closed(double measured, double without, double wanted, enum reproduce_relation relation)
{
	const double gap = fabs(wanted - measured);

	if (is_past(without, wanted, relation))
		return 1;
	return gap > 0 ? fmax(0, 1 - fabs(wanted - without) / gap) : 0;
}

/* A change of closings: the least share that it closes, and at how many sizes it was tried. */
struct change {
	double least;
	uint32_t size_count;
};

static struct change change_judge(const GPtrArray *closings, const char *change, const struct reproduce_numbers *n)
{
	g_autoptr(GHashTable) sizes = g_hash_table_new(g_str_hash, g_str_equal);
	double least = 1;

	for (uint32_t i = 0; i < closings->len; i++) {
		const struct reproduce_closing *c = closings->pdata[i];

		if (strcmp(c->change, change) != 0)
			continue;
		g_hash_table_add(sizes, c->size);
		least = fmin(least, reproduce_share_closed(c->measured, c->without, n->wanted[0], n->relations[0]));
	}
	return (struct change){least, g_hash_table_size(sizes)};
}

double reproduce_closed(const struct reproduce_published_set *published, const char *id,
			const struct reproduce_numbers *n, GString *tried, bool *is_explained)
{
	const GPtrArray *closings = g_hash_table_lookup(published->closings, id);
	bool has_experiment = g_hash_table_contains(published->experiments, id);
	double best = NAN;

	*is_explained = false;
	if (!closings || n->count != 1)
		return NAN;
	for (uint32_t i = 0; i < closings->len; i++) {
		const struct reproduce_closing *c = closings->pdata[i];
		const struct change change = change_judge(closings, c->change, n);
		const double share =
		    reproduce_share_closed(c->measured, c->without, n->wanted[0], n->relations[0]);
		bool is_enough = has_experiment && change.size_count >= REPRODUCE_SIZES_EXPLAINED &&
				 change.least >= REPRODUCE_SHARE_EXPLAINED;

		g_string_append_printf(tried, "%s%s (%s): %g becomes %g, %.0f %% closed",
				       tried->len ? "; " : "tried: ", c->change, c->size, c->measured, c->without,
				       100 * share);
		if (is_enough && !*is_explained)
			best = change.least;
		else if (is_enough == *is_explained && !(best >= change.least))
			best = change.least;
		*is_explained |= is_enough;
	}
	return best;
}

bool reproduce_is_held(const struct reproduce_published_set *published, const char *id,
		       const struct reproduce_numbers *n, GString *why)
{
	const struct reproduce_held *held = g_hash_table_lookup(published->held, id);

	if (!held || held->count != n->count) {
		g_string_append(why, "the reason counts not: measured.csv has no number for which it was written");
		return false;
	}
	for (uint32_t i = 0; i < n->count; i++) {
		if (fabs(n->measured[i] - held->numbers[i]) <= held->bands[i] + (i ? 0 : n->error))
			continue;
		g_string_append_printf(why, "the reason counts not: it was written for %g within %g, not for %g",
				       held->numbers[i], held->bands[i], n->measured[i]);
		return false;
	}
	return true;
}
