/* outcome.c - the verdict of every row and claim, and their tables. */
#include "reproduce/outcome.h"

#include "base/check.h"
#include "reproduce/claim.h"

#include <glib.h>
#include <math.h>
#include <string.h>

const char *reproduce_status_name(enum reproduce_status status)
{
	static const char *const names[] = {"pass", "fail", "explained", "absent", "same", "input"};

	return names[status];
}

static bool is_within(const struct reproduce_published *p, double measured, double tolerance)
{
	/* Half a unit of the last place: what arithmetic in floating point may differ by. */
	const double rounding = 1e-9 * fmax(1, fabs(p->value));

	switch (p->relation) {
	case REPRODUCE_EXACT:
	case REPRODUCE_INPUT_OF_MODEL:
		return fabs(measured - p->value) <= tolerance + rounding;
	case REPRODUCE_ABOVE:
		return measured > p->value - tolerance + rounding;
	case REPRODUCE_AT_LEAST:
		return measured >= p->value - tolerance - rounding;
	case REPRODUCE_BELOW:
		return measured < p->value + tolerance - rounding;
	case REPRODUCE_AT_MOST:
		return measured <= p->value + tolerance + rounding;
	}
	CHECK(!"a relation");
}

static void note_add(struct reproduce_outcome *o, const char *text)
{
	if (!text || strstr(o->note, text))
		return;
	if (*o->note)
		g_strlcat(o->note, "; ", sizeof(o->note));
	g_strlcat(o->note, text, sizeof(o->note));
}

/* Adds the texts of an outcome's id, and of the numbers that are judged as it. False: there is none. */
static bool notes_add(struct reproduce_outcome *o, const struct reproduce_paper *paper, GHashTable *texts)
{
	const char *text = g_hash_table_lookup(texts, o->id);
	bool is_any = text != NULL;

	note_add(o, text);
	for (uint32_t i = 0; i < paper->same_count; i++) {
		if (strcmp(paper->same[i].as, o->id) != 0)
			continue;
		text = g_hash_table_lookup(texts, paper->same[i].id);
		note_add(o, text);
		is_any |= text != NULL;
	}
	return is_any;
}

/* A deviation with its reason and the experiment that shows the cause; a pass for another reason than the paper's. */
static void explain(struct reproduce_outcome *o, const struct reproduce_paper *paper,
		    const struct reproduce_published_set *published)
{
	if (o->status == REPRODUCE_PASS)
		notes_add(o, paper, published->passes);
	if (o->status != REPRODUCE_FAIL && o->status != REPRODUCE_ABSENT)
		return;
	if (!notes_add(o, paper, published->explanations))
		return;
	if (o->status == REPRODUCE_FAIL)
		o->status = REPRODUCE_EXPLAINED;
	notes_add(o, paper, published->experiments);
}

/* Papers say "on average". What a number is a mean of is said beside it; NULL: it is none. */
static const char *mean_name(const struct reproduce_paper *paper, const struct reproduce_row *row)
{
	static const struct reproduce_mean known[] = {
		{reproduce_row_speedup_change, "geometric mean"},
		{reproduce_row_speedup, "geometric mean"},
		{reproduce_row_speedup_points, "of geometric means"},
		{reproduce_row_traffic_change, "arithmetic mean"},
		{reproduce_row_energy_change, "arithmetic mean"},
	};

	if (row->workload)
		return NULL;
	for (size_t i = 0; i < ARRAY_COUNT(known); i++)
		if (row->measure == known[i].measure)
			return known[i].name;
	for (uint32_t i = 0; i < paper->mean_count; i++)
		if (row->measure == paper->means[i].measure)
			return paper->means[i].name;
	return NULL;
}

static void note_fill(struct reproduce_outcome *o, const struct reproduce_data *data,
		      const struct reproduce_claim *note)
{
	GString *text = g_string_new(NULL), *seen = g_string_new(NULL);

	reproduce_claim_judge(note, data, NULL, text, seen);
	note_add(o, text->str);
	g_string_free(text, TRUE);
	g_string_free(seen, TRUE);
}

/* Of speed-ups both means are shown; what is judged is the geometric one. */
static void name_mean(struct reproduce_outcome *o, const struct reproduce_data *data, const struct reproduce_row *row)
{
	const char *name = mean_name(data->paper, row);
	g_autofree char *text = NULL;

	if (isnan(o->measured))
		return;
	for (uint32_t i = 0; i < data->paper->note_count; i++)
		if (!strcmp(data->paper->notes[i].part, row->id))
			note_fill(o, data, &data->paper->notes[i]);
	if (!name)
		return;
	if (row->measure == reproduce_row_speedup_change)
		text = g_strdup_printf("%s, the arithmetic one is %+.1f %%", name,
				       100 * (reproduce_speedup_mean_arithmetic(data, row->config, row->against) - 1));
	else if (row->measure == reproduce_row_speedup)
		text = g_strdup_printf("%s, the arithmetic one is %.2f", name,
				       reproduce_speedup_mean_arithmetic(data, row->config, row->against));
	else if (row->measure == reproduce_row_speedup_points)
		text = g_strdup_printf("%s, of arithmetic ones %+.1f points", name,
				       100 * (reproduce_speedup_mean_arithmetic(data, row->config, 0) -
					      reproduce_speedup_mean_arithmetic(data, row->against, 0)));
	note_add(o, text ? text : name);
}

/* The means that a claim's text or its terms speak of. */
static void name_means(struct reproduce_outcome *o, const struct reproduce_paper *paper,
		       const struct reproduce_claim *claim)
{
	for (uint32_t i = 0; i < REPRODUCE_TERM_MAX; i++) {
		const struct reproduce_term *term = &claim->terms[i];

		if (term->row.measure)
			note_add(o, mean_name(paper, &term->row));
		else if (term->row.id)
			note_add(o, mean_name(paper, reproduce_row_find(paper, term->row.id)));
	}
}

static const char *judged_as(const struct reproduce_paper *paper, const char *id)
{
	for (uint32_t i = 0; i < paper->same_count; i++) {
		if (!strcmp(paper->same[i].id, id))
			return paper->same[i].as;
	}
	return NULL;
}

static void judge_row(struct reproduce_outcome *o, const struct reproduce_data *data, const struct reproduce_row *row,
		      const struct reproduce_published_set *published)
{
	const char *as = judged_as(data->paper, row->id);

	o->id = row->id;
	o->published = reproduce_published_find(published, row->id);
	CHECK(o->published);
	o->text = g_strdup(o->published->quantity);
	o->measured = row->measure(data, row);
	o->deviation = o->measured - o->published->value;
	if (isnan(o->measured))
		o->status = REPRODUCE_ABSENT;
	else if (!is_within(o->published, o->measured, row->tolerance))
		o->status = REPRODUCE_FAIL;
	else
		o->status = o->published->relation == REPRODUCE_INPUT_OF_MODEL ? REPRODUCE_INPUT : REPRODUCE_PASS;
	name_mean(o, data, row);
	if (as && o->status != REPRODUCE_ABSENT && o->status != REPRODUCE_INPUT) {
		g_autofree char *text = g_strdup_printf("judged as %s", as);

		if (o->status == REPRODUCE_PASS)
			note_add(o, g_hash_table_lookup(published->passes, o->id));
		o->status = REPRODUCE_SAME;
		note_add(o, text);
		return;
	}
	explain(o, data->paper, published);
}

/* Do only inputs of the model stand behind this claim? */
static bool is_of_inputs(const struct reproduce_paper *paper, const char *part,
			 const struct reproduce_published_set *published)
{
	uint32_t count = 0, input_count = 0;

	for (uint32_t i = 0; i < paper->same_count; i++) {
		const struct reproduce_published *p = reproduce_published_find(published, paper->same[i].id);

		if (strcmp(paper->same[i].as, part) != 0)
			continue;
		count++;
		input_count += p && p->relation == REPRODUCE_INPUT_OF_MODEL;
	}
	return count && input_count == count;
}

static void judge_claim(struct reproduce_outcome *o, const struct reproduce_data *data,
			const struct reproduce_claim *claim, const struct reproduce_published_set *published)
{
	static const enum reproduce_status statuses[] = {
		[REPRODUCE_HOLDS] = REPRODUCE_PASS,
		[REPRODUCE_HOLDS_NOT] = REPRODUCE_FAIL,
		[REPRODUCE_UNKNOWN] = REPRODUCE_ABSENT,
	};
	GString *text = g_string_new(NULL), *seen = g_string_new(NULL);

	o->id = claim->part;
	o->measured = o->deviation = NAN;
	o->status = statuses[reproduce_claim_judge(claim, data, published, text, seen)];
	if (o->status == REPRODUCE_PASS && is_of_inputs(data->paper, claim->part, published))
		o->status = REPRODUCE_INPUT;
	g_strlcpy(o->note, seen->str, sizeof(o->note));
	g_string_free(seen, TRUE);
	o->text = g_string_free(text, FALSE);
	name_means(o, data->paper, claim);
	explain(o, data->paper, published);
}

struct reproduce_outcomes reproduce_judge(const struct reproduce_data *data,
					  const struct reproduce_published_set *published)
{
	const struct reproduce_paper *paper = data->paper;
	struct reproduce_outcomes o = {.count = paper->row_count + paper->claim_count};

	o.items = g_new0(struct reproduce_outcome, o.count);
	for (uint32_t i = 0; i < o.count; i++) {
		if (data->judging)
			data->judging(data->judging_ctx, i, o.count);
		if (i < paper->row_count)
			judge_row(&o.items[i], data, &paper->rows[i], published);
		else
			judge_claim(&o.items[i], data, &paper->claims[i - paper->row_count], published);
	}
	return o;
}

void reproduce_outcomes_free(struct reproduce_outcomes *o)
{
	for (uint32_t i = 0; i < o->count; i++)
		g_free(o->items[i].text);
	g_free(o->items);
	*o = (struct reproduce_outcomes){0};
}

static json_t *number_json(double x)
{
	return isfinite(x) ? json_real(x) : json_null();
}

json_t *reproduce_outcomes_json(const struct reproduce_outcomes *o)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < o->count; i++) {
		const struct reproduce_outcome *item = &o->items[i];
		json_t *object = json_object();

		json_object_set_new(object, "id", json_string(item->id));
		json_object_set_new(object, "quantity", json_string(item->text));
		json_object_set_new(object, "paper", number_json(item->published ? item->published->value : NAN));
		json_object_set_new(object, "measured", number_json(item->measured));
		json_object_set_new(object, "unit", json_string(item->published ? item->published->unit : ""));
		json_object_set_new(object, "deviation", number_json(item->deviation));
		json_object_set_new(object, "status", json_string(reproduce_status_name(item->status)));
		json_object_set_new(object, "note", json_string(item->note));
		json_array_append_new(array, object);
	}
	return array;
}

static void csv_text(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static void csv_number(FILE *out, double x)
{
	if (isfinite(x))
		fprintf(out, ",%.6g", x);
	else
		fputc(',', out);
}

void reproduce_outcomes_csv(FILE *out, const struct reproduce_outcomes *o)
{
	fputs("id,quantity,paper,measured,unit,deviation,status,note\n", out);
	for (uint32_t i = 0; i < o->count; i++) {
		const struct reproduce_outcome *item = &o->items[i];

		csv_text(out, item->id);
		fputc(',', out);
		csv_text(out, item->text);
		csv_number(out, item->published ? item->published->value : NAN);
		csv_number(out, item->measured);
		fputc(',', out);
		csv_text(out, item->published ? item->published->unit : "");
		csv_number(out, item->deviation);
		fprintf(out, ",%s,", reproduce_status_name(item->status));
		csv_text(out, item->note);
		fputc('\n', out);
	}
}

static void print_number(FILE *out, double x, const char *unit)
{
	if (isfinite(x))
		fprintf(out, " %8.1f %-3s", x, strlen(unit) > 3 ? "" : unit);
	else
		fprintf(out, " %8s %-3s", "-", "");
}

void reproduce_outcomes_print(FILE *out, const struct reproduce_outcomes *o)
{
	uint32_t counts[REPRODUCE_INPUT + 1] = {0};

	fprintf(out, "%-8s %12s %12s  %-9s  %s\n", "id", "paper", "measured", "status", "what");
	for (uint32_t i = 0; i < o->count; i++) {
		const struct reproduce_outcome *item = &o->items[i];

		counts[item->status]++;
		fprintf(out, "%-8s", item->id);
		print_number(out, item->published ? item->published->value : NAN,
			     item->published ? item->published->unit : "");
		print_number(out, item->measured, item->published ? item->published->unit : "");
		fprintf(out, "  %-9s  ", reproduce_status_name(item->status));
		if (item->published)
			fprintf(out, "%s, %s: ", item->published->workload, item->published->configuration);
		fprintf(out, "%s", item->text);
		if (!item->published && *item->note)
			fprintf(out, " [%s]", item->note);
		fputc('\n', out);
	}
	fprintf(out, "\n%u pass, %u fail, %u explained, %u absent", counts[REPRODUCE_PASS], counts[REPRODUCE_FAIL],
		counts[REPRODUCE_EXPLAINED], counts[REPRODUCE_ABSENT]);
	if (counts[REPRODUCE_SAME])
		fprintf(out, ", %u judged under another id", counts[REPRODUCE_SAME]);
	if (counts[REPRODUCE_INPUT])
		fprintf(out, ", %u input", counts[REPRODUCE_INPUT]);
	fputc('\n', out);
}
