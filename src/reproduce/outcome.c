/* outcome.c - the verdict of every row and claim, and their tables. */
#include "reproduce/outcome.h"

#include "base/check.h"
#include "reproduce/claim.h"

#include <glib.h>
#include <math.h>
#include <string.h>

const char *reproduce_status_name(enum reproduce_status status)
{
	static const char *const names[] = {"pass",	    "fail",   "explained", "open",
					    "contradicted", "absent", "same",	   "input"};

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
	if (!text || !*text || strstr(o->note, text))
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

/* What a deviation with a reason is. */
static void weigh(struct reproduce_outcome *o, const struct reproduce_published_set *published)
{
	g_autoptr(GString) why = g_string_new(NULL);
	bool is_explained;

	o->closed = reproduce_closed(published, o->id, &o->numbers, why, &is_explained);
	note_add(o, why->str);
	g_string_truncate(why, 0);
	if (!reproduce_is_held(published, o->id, &o->numbers, why))
		note_add(o, why->str);
	else if (o->numbers.is_contrary)
		o->status = REPRODUCE_CONTRADICTED;
	else
		o->status = is_explained ? REPRODUCE_EXPLAINED : REPRODUCE_OPEN;
}

/* A deviation with its reason and the experiment that shows the cause; a pass for another reason than the paper's. */
static void explain(struct reproduce_outcome *o, const struct reproduce_paper *paper,
		    const struct reproduce_published_set *published)
{
	if (o->status == REPRODUCE_PASS)
		notes_add(o, paper, published->passes);
	if (o->status != REPRODUCE_FAIL && o->status != REPRODUCE_ABSENT)
		return;
	o->has_reason = notes_add(o, paper, published->explanations);
	if (!o->has_reason)
		return;
	if (o->status == REPRODUCE_FAIL)
		weigh(o, published);
	notes_add(o, paper, published->experiments);
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

/* What the paper's file says beside a number that is there. */
static void notes_fill(struct reproduce_outcome *o, const struct reproduce_data *data)
{
	for (uint32_t i = 0; !isnan(o->measured) && i < data->paper->note_count; i++)
		if (!strcmp(data->paper->notes[i].part, o->id))
			note_fill(o, data, &data->paper->notes[i]);
}

static const char *judged_as(const struct reproduce_paper *paper, const char *id)
{
	for (uint32_t i = 0; i < paper->same_count; i++) {
		if (!strcmp(paper->same[i].id, id))
			return paper->same[i].as;
	}
	return NULL;
}

/* Does an estimate's interval have numbers that pass and others that do not? */
static bool is_unsure(const struct reproduce_outcome *o, double tolerance)
{
	const double e = isnan(o->error) ? 0 : o->error, x = o->measured;

	return isinf(e) || is_within(o->published, x - e, tolerance) != is_within(o->published, x, tolerance) ||
	       is_within(o->published, x + e, tolerance) != is_within(o->published, x, tolerance);
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
	o->error = data->size == EXPERIMENT_SAMPLED ? reproduce_row_error(data, row) : NAN;
	o->deviation = o->measured - o->published->value;
	if (isnan(o->measured))
		o->status = REPRODUCE_ABSENT;
	else if (!is_within(o->published, o->measured, row->tolerance))
		o->status = REPRODUCE_FAIL;
	else
		o->status = o->published->is_input ? REPRODUCE_INPUT : REPRODUCE_PASS;
	o->numbers = (struct reproduce_numbers){
	    .measured = {o->measured},
	    .wanted = {o->published->value},
	    .tolerance = {row->tolerance},
	    .relations = {o->published->relation},
	    .error = isnan(o->error) ? 0 : o->error,
	    .count = 1,
	    .is_contrary = reproduce_is_contrary(o->measured, o->published->value, o->published->relation,
						reproduce_turn_of(data->paper, row)),
	};
	notes_fill(o, data);
	if (is_unsure(o, row->tolerance))
		note_add(o, "with its error it may as well be on the other side of the tolerance");
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
		input_count += p && p->is_input;
	}
	return count && input_count == count;
}

/* A claim and what it is said to be. */
struct judged_claim {
	const struct reproduce_claim *claim;
	const struct reproduce_published_set *published;
	enum reproduce_verdict verdict;
};

static bool is_judged_so(void *ctx, const struct reproduce_data *moved)
{
	const struct judged_claim *j = ctx;
	g_autoptr(GString) text = g_string_new(NULL), seen = g_string_new(NULL);

	return reproduce_claim_judge(j->claim, moved, j->published, text, seen) == j->verdict;
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
	struct judged_claim judged = {.claim = claim, .published = published};

	o->id = claim->part;
	o->measured = o->deviation = NAN;
	judged.verdict = reproduce_claim_judge(claim, data, published, text, seen);
	o->status = statuses[judged.verdict];
	if (o->status == REPRODUCE_PASS && is_of_inputs(data->paper, claim->part, published))
		o->status = REPRODUCE_INPUT;
	g_strlcpy(o->note, seen->str, sizeof(o->note));
	g_string_free(seen, TRUE);
	o->text = g_string_free(text, FALSE);
	if (data->size == EXPERIMENT_SAMPLED && !reproduce_each_moved(data, is_judged_so, &judged))
		note_add(o, "with the error of one run it may as well be the other way");
	if (o->status == REPRODUCE_FAIL)
		o->numbers = reproduce_claim_numbers(claim, data, published);
	explain(o, data->paper, published);
}

struct reproduce_outcomes reproduce_judge(const struct reproduce_data *data,
					  const struct reproduce_published_set *published)
{
	const struct reproduce_paper *paper = data->paper;
	struct reproduce_outcomes o = {
	    .count = paper->row_count + paper->claim_count, .name = paper->name, .size = data->size};

	o.items = g_new0(struct reproduce_outcome, o.count);
	for (uint32_t i = 0; i < o.count; i++) {
		if (data->judging)
			data->judging(data->judging_ctx, i, o.count);
		o.items[i].closed = o.items[i].error = NAN;
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
		json_object_set_new(object, "error", number_json(item->error));
		json_object_set_new(object, "unit", json_string(item->published ? item->published->unit : ""));
		json_object_set_new(object, "deviation", number_json(item->deviation));
		json_object_set_new(object, "status", json_string(reproduce_status_name(item->status)));
		json_object_set_new(object, "closed", number_json(item->closed));
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
	fputs("id,quantity,paper,measured,error,unit,deviation,status,closed,note\n", out);
	for (uint32_t i = 0; i < o->count; i++) {
		const struct reproduce_outcome *item = &o->items[i];

		csv_text(out, item->id);
		fputc(',', out);
		csv_text(out, item->text);
		csv_number(out, item->published ? item->published->value : NAN);
		csv_number(out, item->measured);
		csv_number(out, item->error);
		fputc(',', out);
		csv_text(out, item->published ? item->published->unit : "");
		csv_number(out, item->deviation);
		fprintf(out, ",%s", reproduce_status_name(item->status));
		csv_number(out, item->closed);
		fputc(',', out);
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

/* Adds the rows of one status by their ids, with both numbers where they have such. */
static void ids_append(GString *out, const struct reproduce_outcomes *o, enum reproduce_status status)
{
	const char *separator = "";

	for (uint32_t i = 0; i < o->count; i++) {
		const struct reproduce_outcome *item = &o->items[i];

		if (item->status != status)
			continue;
		g_string_append_printf(out, "%s%s", separator, item->id);
		if (item->published)
			g_string_append_printf(out, " (paper %g, here %.4g %s)", item->published->value, item->measured,
					       item->published->unit);
		separator = ", ";
	}
}

void reproduce_outcomes_head(GString *out, const struct reproduce_outcomes *o)
{
	uint32_t counts[REPRODUCE_INPUT + 1] = {0}, decided = 0;

	for (uint32_t i = 0; i < o->count; i++)
		counts[o->items[i].status]++;
	for (uint32_t i = 0; i <= REPRODUCE_INPUT; i++)
		decided += i == REPRODUCE_SAME || i == REPRODUCE_INPUT ? 0 : counts[i];
	g_string_append_printf(out,
			       "%u rows that a run decides: %u pass, %u explained, %u open, %u contradicted, %u fail, "
			       "%u absent; besides %u judged under another id, %u input",
			       decided, counts[REPRODUCE_PASS], counts[REPRODUCE_EXPLAINED], counts[REPRODUCE_OPEN],
			       counts[REPRODUCE_CONTRADICTED], counts[REPRODUCE_FAIL], counts[REPRODUCE_ABSENT],
			       counts[REPRODUCE_SAME], counts[REPRODUCE_INPUT]);
	if (!counts[REPRODUCE_CONTRADICTED])
		return;
	g_string_append(out, ". Here the answer is the other way: ");
	ids_append(out, o, REPRODUCE_CONTRADICTED);
}

/* A tenth of the number or of its deviation, and no less than the tolerance. */
static double band_of(const struct reproduce_numbers *n, uint32_t i)
{
	const double tenth = 0.1 * fmax(fabs(n->measured[i]), fabs(n->measured[i] - n->wanted[i]));

	return fmax(tenth, n->tolerance[i]);
}

static void held_write(FILE *out, const struct reproduce_outcomes *o, const struct reproduce_outcome *item,
		       const struct reproduce_published_set *published)
{
	const struct reproduce_held *held = g_hash_table_lookup(published->held, item->id);
	const struct reproduce_numbers *n = &item->numbers;
	g_autoptr(GString) ignored = g_string_new(NULL);
	bool is_held = reproduce_is_held(published, item->id, n, ignored);

	fprintf(out, "%s,%s,", item->id, o->size == EXPERIMENT_QUICK ? "quick" : "full");
	for (uint32_t i = 0; i < n->count; i++)
		fprintf(out, "%s%.4g", i ? " " : "", is_held ? held->numbers[i] : n->measured[i]);
	fputc(',', out);
	for (uint32_t i = 0; i < n->count; i++)
		fprintf(out, "%s%.3g", i ? " " : "", is_held ? held->bands[i] : band_of(n, i));
	fputc('\n', out);
}

void reproduce_outcomes_record(FILE *out, const struct reproduce_outcomes *o,
			       const struct reproduce_published_set *published, const char *before)
{
	const char *mine = o->size == EXPERIMENT_QUICK ? ",quick," : ",full,";
	g_auto(GStrv) lines = g_strsplit(before, "\n", -1);

	fputs("id,run,measured,band\n", out);
	for (char **line = lines; *line; line++)
		if (**line && line != lines && !strstr(*line, mine))
			fprintf(out, "%s\n", *line);
	for (uint32_t i = 0; i < o->count; i++) {
		const struct reproduce_outcome *item = &o->items[i];
		bool is_deviation = item->status == REPRODUCE_FAIL || item->status == REPRODUCE_EXPLAINED ||
				    item->status == REPRODUCE_OPEN || item->status == REPRODUCE_CONTRADICTED;

		if (is_deviation && item->has_reason)
			held_write(out, o, item, published);
	}
}

void reproduce_outcomes_print(FILE *out, const struct reproduce_outcomes *o)
{
	g_autoptr(GString) head = g_string_new(NULL);

	reproduce_outcomes_head(head, o);
	fprintf(out, "%s: %s\n\n", o->name, head->str);
	fprintf(out, "%-8s %12s %12s  %-12s  %s\n", "id", "paper", "measured", "status", "what");
	for (uint32_t i = 0; i < o->count; i++) {
		const struct reproduce_outcome *item = &o->items[i];

		fprintf(out, "%-8s", item->id);
		print_number(out, item->published ? item->published->value : NAN,
			     item->published ? item->published->unit : "");
		print_number(out, item->measured, item->published ? item->published->unit : "");
		fprintf(out, "  %-12s  ", reproduce_status_name(item->status));
		if (item->published)
			fprintf(out, "%s, %s: ", item->published->workload, item->published->configuration);
		fprintf(out, "%s", item->text);
		if (!isnan(item->error))
			fprintf(out, isinf(item->error) ? ", +- unknown" : ", +- %.2g", item->error);
		if (!item->published && *item->note)
			fprintf(out, " [%s]", item->note);
		fputc('\n', out);
	}
	fprintf(out, "\n%s: %s\n", o->name, head->str);
}
