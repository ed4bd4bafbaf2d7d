/* The verdicts of a reproduction, and the reading of published numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <glib.h>
#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "reproduce/claim.h"
#include "reproduce/described.h"
#include "reproduce/outcome.h"

static const struct reproduce_config configs[] = {{"base", "m0", ""}, {"new", "m1", ""}};
static const char *const workloads[] = {"a", "b"};

typedef const struct reproduce_data data;
typedef const struct reproduce_row row_of;

/* NAN where one is missing. */
static double larger(double a, double b)
{
	return isnan(a) || isnan(b) ? NAN : fmax(a, b);
}

static double smaller(double a, double b)
{
	return -larger(-a, -b);
}

/* What the second configuration is against the first. */
static double speedup(data *d, row_of *row)
{
	(void)row;
	return reproduce_speedup_mean(d, 1, 0);
}

static double speedup_change(data *d, row_of *row)
{
	return 100 * (speedup(d, row) - 1);
}

static double speedup_most(data *d, row_of *row)
{
	(void)row;
	return larger(reproduce_speedup(d, 1, 0, 0), reproduce_speedup(d, 1, 0, 1));
}

static double speedup_least(data *d, row_of *row)
{
	(void)row;
	return 100 * (smaller(reproduce_speedup(d, 1, 0, 0), reproduce_speedup(d, 1, 0, 1)) - 1);
}

static double traffic_change(data *d, row_of *row)
{
	(void)row;
	return 100 * (reproduce_traffic_mean(d, 1, 0) - 1);
}

static double energy_least(data *d, row_of *row)
{
	(void)row;
	return 100 * (smaller(reproduce_energy_pj(d, 1, 0) / reproduce_energy_pj(d, 0, 0),
			   reproduce_energy_pj(d, 1, 1) / reproduce_energy_pj(d, 0, 1)) - 1);
}

static const struct reproduce_row rows[] = {
    {"X-1", speedup_change, 5, NULL}, {"X-2", speedup_most, 0.1, NULL}, {"X-3", traffic_change, 1, NULL},
    {"X-4", energy_least, 0, NULL},   {"X-5", speedup_least, 0, NULL},
};

static const struct reproduce_turn turns[] = {{0, "X-1"}, {0, "X-3"}, {1, "C1 (b) term 0"}};
static const struct reproduce_claim notes[] = {{.part = "X-3", .text = "arithmetic mean", .seen = ""}};

static const char *const which[] = {"none", "one", "two"};

/* Terms. */
#define PUBLISHED(id_) {.row = {.id = (id_)}}
#define SHOWN(measure_, expression_) {.row = {.measure = (measure_), .expression = (expression_)}}
#define NEAR(value_, within, index)                                                                                    \
	{.row = {.measure = number, .expression = (index), .tolerance = (within)},                               \
	 .must = REPRODUCE_MUST_BE_NEAR, .value = (value_)}
#define MUST(must_, value_, index)                                                                                     \
	{.row = {.measure = number, .expression = (index)}, .must = REPRODUCE_MUST_##must_, .value = (value_)}

static const struct reproduce_claim claims[] = {
	{"C1 (a)", "gains {=0} % within {~0}", "seen {0:+.1} %", {PUBLISHED("X-1")}},
	{"C1 (b)", "never", "",
	 {{.row = {.id = "C1 (b) term 0", .measure = speedup}, .must = REPRODUCE_MUST_BE_BELOW}}},
};

static const struct reproduce_paper paper = {
	.name = "x",
	.title = "X",
	.configs = configs,
	.config_count = 2,
	.workloads = workloads,
	.workload_count = 2,
	.rows = rows,
	.row_count = 5,
	.claims = claims,
	.claim_count = 2,
	.turns = turns,
	.turn_count = ARRAY_COUNT(turns),
	.notes = notes,
	.note_count = ARRAY_COUNT(notes),
};

static const char results[] = "id,workload,configuration,quantity,value,unit,relation,where\n"
			      "X-1,all,new,\"change, in time\",44,%,average,section 1\n"
			      "X-2,one,new,ratio,4,x,up to,section 1\n"
			      "X-3,all,new,\"traffic \"\"off chip\"\"\",-30,%,exact,section 2\n"
			      "X-4,one,new,energy,-20,%,<=,section 2\n"
			      "\n"
			      "X-5,all,new,change,0,%,>,section 3\n";

static json_t *run_make(double time, double tx, double energy)
{
	return json_pack("{s:f, s:f, s:b, s:{s:f, s:f, s:f}, s:f}", "cycles", 1.0, "time_ps", time, "verified", 1,
			 "traffic_bytes", "tx", tx, "rx", 0.0, "stack_to_stack", 0.0, "energy_total_pj", energy);
}

/* Workload a: 2x faster, traffic 0.5, energy 0.9; b: half as fast after all, traffic 0.9, energy 0.7. */
static struct reproduce_data *data_make(void)
{
	struct reproduce_data *d = reproduce_data_new(&paper);

	d->runs[0] = run_make(100, 100, 10);
	d->runs[1] = run_make(100, 100, 10);
	d->runs[2] = run_make(25, 50, 9);
	d->runs[3] = run_make(200, 90, 7);
	return d;
}

/* The files of a paper's folder, NULL: it is not there. */
struct folder {
	const char *results, *explanations, *experiments, *measured, *closed;
};

static struct reproduce_published_set *folder_read(const struct folder *f, struct base_diag_list *diag)
{
	const char *names[] = {"results.csv", "explanations.csv", "experiments.csv", "measured.csv", "closed.csv"};
	const char *texts[] = {f->results, f->explanations, f->experiments, f->measured, f->closed};
	g_autofree char *dir = g_dir_make_tmp("strata-reproduce-XXXXXX", NULL);
	struct reproduce_published_set *set;

	for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
		g_autofree char *path = g_build_filename(dir, names[i], NULL);

		if (texts[i])
			assert_true(g_file_set_contents(path, texts[i], -1, NULL));
	}
	set = reproduce_published_read(dir, true, diag);
	for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
		g_autofree char *path = g_build_filename(dir, names[i], NULL);

		g_remove(path);
	}
	g_rmdir(dir);
	return set;
}

static struct reproduce_published_set *published_make(const char *text, const char *explanations,
						      const char *experiments, struct base_diag_list *diag)
{
	return folder_read(&(struct folder){text, explanations, experiments, NULL, NULL}, diag);
}

/* What X-3, -30 % off the chip in the paper, is with this traffic of the first workload (0.9 is that of the second). */
static enum reproduce_status status_of(double tx, const char *measured, const char *closed, const char *experiments,
				       double *share)
{
	const struct folder f = {results, "id,run,reason\nX-3,any,because\n", experiments, measured, closed};
	struct reproduce_published_set *set;
	struct reproduce_data *d = data_make();
	struct reproduce_outcomes o;
	struct base_diag_list diag;
	enum reproduce_status status;

	base_diag_init(&diag);
	set = folder_read(&f, &diag);
	assert_non_null(set);
	json_object_set_new(json_object_get(d->runs[2], "traffic_bytes"), "tx", json_real(tx));
	o = reproduce_judge(d, set);
	status = o.items[2].status;
	if (share)
		*share = o.items[2].closed;
	reproduce_outcomes_free(&o);
	reproduce_published_free(set);
	reproduce_data_free(d);
	base_diag_free(&diag);
	return status;
}

/* A reason alone explains nothing, and holds for the number only for which it was written. */
static void reasons_must_hold(void **state)
{
	static const char near[] = "id,run,measured,band\nX-3,quick,-20,3\n";
	static const char two[] = "id,size,change,measured,without\nX-3,s,c,-20,-27\nX-3,l,c,-22,-29\n";
	static const char one[] = "h\nX-3,s,c,-20,-27\nX-3,s,c,-20,-28\n";
	static const char less[] = "h\nX-3,s,c,-20,-27\nX-3,l,c,-20,-26.9\n";
	static const char past[] = "h\nX-3,s,c,-20,-27\nX-3,l,c,-20,-34\n";
	static const char other[] = "h\nX-3,s,c,-20,-27\nX-3,l,e,-20,-27\n";
	static const char shown[] = "h\nX-3,m,p 1,--set a=1,time_ps,,-20,-10\n";
	double share;

	(void)state;
	/* (0.7 + 0.9) / 2 is -20 %. */
	assert_int_equal(status_of(70, NULL, two, shown, NULL), REPRODUCE_FAIL);
	assert_int_equal(status_of(70, "h\nX-3,full,-20,3\n", two, shown, NULL), REPRODUCE_FAIL);
	assert_int_equal(status_of(70, near, NULL, shown, &share), REPRODUCE_OPEN);
	assert_true(isnan(share));
	assert_int_equal(status_of(70, near, two, shown, &share), REPRODUCE_EXPLAINED);
	assert_true(fabs(share - 0.7) < 1e-9);
	assert_int_equal(status_of(70, near, two, NULL, NULL), REPRODUCE_OPEN);
	assert_int_equal(status_of(70, near, one, shown, NULL), REPRODUCE_OPEN);
	assert_int_equal(status_of(70, near, less, shown, NULL), REPRODUCE_OPEN);
	assert_int_equal(status_of(70, near, past, shown, &share), REPRODUCE_OPEN);
	assert_true(fabs(share - 0.6) < 1e-9);
	assert_int_equal(status_of(70, near, other, shown, NULL), REPRODUCE_OPEN);
	/* What was explained at -20 % has drifted to -90, or only just out of the band. */
	assert_int_equal(status_of(-70, near, two, shown, NULL), REPRODUCE_FAIL);
	assert_int_equal(status_of(76.1, near, two, shown, NULL), REPRODUCE_FAIL);
	assert_int_equal(status_of(75.9, near, two, shown, NULL), REPRODUCE_EXPLAINED);
	/* More traffic where the paper has less is the other answer, whatever explains it. */
	assert_int_equal(status_of(120, "h\nX-3,quick,5,1\n", two, shown, NULL), REPRODUCE_CONTRADICTED);
	assert_int_equal(status_of(120, near, two, shown, NULL), REPRODUCE_FAIL);
}

static void verdicts(void **state)
{
	struct base_diag_list diag;
	struct reproduce_data *d = data_make();
	struct reproduce_published_set *set;
	struct reproduce_outcomes o;

	(void)state;
	base_diag_init(&diag);
	set = folder_read(
	    &(struct folder){
		results,
		"id,run,reason\nX-3,quick,\"because, so\"\nX-2,full,of other runs\nX-1,any,unused\n",
		"h\n\"X-3,X-2\",m,p 1,--set a=1,time_ps,,-20,-10\n"
		"X-3,m,p 1,-- p 2,energy_total_pj,b,1,2\n",
		"h\nX-3,quick,-50,1\nX-3,full,0,1\n", "h\nX-3,s,c,-50,-34\n"},
	    &diag);
	assert_non_null(set);
	o = reproduce_judge(d, set);
	assert_int_equal(o.count, 7);
	/* sqrt(4 * 0.5) = 1.414: +41.4 %, within 5 of 44. */
	assert_true(fabs(o.items[0].measured - 41.4214) < 1e-3);
	assert_int_equal(o.items[0].status, REPRODUCE_PASS);
	assert_string_equal(o.items[0].text, "change, in time");
	assert_true(fabs(o.items[1].measured - 4) < 1e-9);
	assert_int_equal(o.items[1].status, REPRODUCE_PASS);
	/* (0.5 + 0.9) / 2 = 0.7: -30 %. */
	assert_true(fabs(o.items[2].measured + 30) < 1e-9);
	assert_int_equal(o.items[2].status, REPRODUCE_PASS);
	assert_string_equal(o.items[2].text, "traffic \"off chip\"");
	assert_int_equal(o.items[3].status, REPRODUCE_PASS);
	assert_int_equal(o.items[4].status, REPRODUCE_FAIL);
	assert_int_equal(o.items[5].status, REPRODUCE_PASS);
	assert_string_equal(o.items[5].text, "gains 44 % within 5");
	assert_string_equal(o.items[5].note, "seen +41.4 %");
	assert_int_equal(o.items[6].status, REPRODUCE_FAIL);
	reproduce_outcomes_free(&o);

	/* Off by more than the tolerance: with a reason for this run it is open, without one it fails. */
	json_object_set_new(json_object_get(d->runs[2], "traffic_bytes"), "tx", json_real(10));
	json_object_set_new(d->runs[2], "time_ps", json_real(20));
	o = reproduce_judge(d, set);
	assert_int_equal(o.items[2].status, REPRODUCE_OPEN);
	assert_string_equal(o.items[2].note,
			    "arithmetic mean; because, so; tried: c (s): -50 "
			    "becomes -34, 80 % closed; experiment: --set a=1 on m with `p 1`: time_ps by -20 "
			    "to -10 %; experiment: -- p 2 on m with `p 1`: energy_total_pj over b by 1 to 2 %");
	assert_int_equal(o.items[1].status, REPRODUCE_FAIL);
	reproduce_outcomes_free(&o);
	reproduce_published_free(set);
	reproduce_data_free(d);
	base_diag_free(&diag);
}

/* The numbers of the terms below, by the expression's digit. */
static double number(data *d, row_of *row)
{
	static const double numbers[] = {1, 2, -2.5, NAN};

	(void)d;
	return numbers[row->expression[0] - '0'];
}

/* Each relation just met and just missed. */
static void terms_are_judged(void **state)
{
	static const struct {
		struct reproduce_term terms[2];
		enum reproduce_verdict verdict;
	} cases[] = {
		{{NEAR(1.5, 0.5, "0")}, REPRODUCE_HOLDS},
		{{NEAR(1.5, 0.25, "0")}, REPRODUCE_HOLDS_NOT},
		{{MUST(EXCEED, 0.5, "0")}, REPRODUCE_HOLDS},
		{{MUST(EXCEED, 1, "0")}, REPRODUCE_HOLDS_NOT},
		{{MUST(REACH, 1, "0")}, REPRODUCE_HOLDS},
		{{MUST(REACH, 1.5, "0")}, REPRODUCE_HOLDS_NOT},
		{{MUST(BE_BELOW, 1.5, "0")}, REPRODUCE_HOLDS},
		{{MUST(BE_BELOW, 1, "0")}, REPRODUCE_HOLDS_NOT},
		{{MUST(NOT_EXCEED, 1, "0")}, REPRODUCE_HOLDS},
		{{MUST(NOT_EXCEED, 0.5, "0")}, REPRODUCE_HOLDS_NOT},
		/* All terms must hold; a number that is only shown may be missing, none that is compared. */
		{{MUST(REACH, 1, "0"), MUST(REACH, 3, "1")}, REPRODUCE_HOLDS_NOT},
		{{MUST(REACH, 1, "0"), SHOWN(number, "3")}, REPRODUCE_HOLDS},
		{{MUST(REACH, 3, "1"), MUST(REACH, 0, "3")}, REPRODUCE_UNKNOWN},
		{{PUBLISHED("X-1"), MUST(REACH, 1, "0")}, REPRODUCE_UNKNOWN},
	};
	struct reproduce_data *d = reproduce_data_new(&paper);
	struct base_diag_list diag;
	struct reproduce_published_set *set;
	GString *ignored = g_string_new(NULL);

	(void)state;
	base_diag_init(&diag);
	set = published_make(results, NULL, NULL, &diag);
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct reproduce_claim claim = {.part = "C", .text = "", .seen = ""};

		memcpy(claim.terms, cases[i].terms, sizeof(cases[i].terms));
		if (reproduce_claim_judge(&claim, d, set, ignored, ignored) != cases[i].verdict)
			fail_msg("case %zu", i);
	}
	g_string_free(ignored, TRUE);
	reproduce_published_free(set);
	reproduce_data_free(d);
	base_diag_free(&diag);
}

/* Every form of a field of a template. */
static void claims_speak(void **state)
{
	struct reproduce_claim claim = {
		"C", "from {=1:+} by {=1} within {~1} to {=0}", "{0}, {0:.2}, {1:+.1}, {2:s}, {3:s}, {3:.1}.",
		{MUST(EXCEED, 0.5, "1"), NEAR(-3, 1.25, "2"), MUST(EXCEED, 0, "0"),
		 SHOWN(number, "3")}};
	struct reproduce_data *d = reproduce_data_new(&paper);
	GString *text = g_string_new(NULL), *seen = g_string_new(NULL);

	(void)state;
	claim.terms[2].words = claim.terms[3].words = which;
	claim.terms[2].word_count = claim.terms[3].word_count = ARRAY_COUNT(which);
	assert_int_equal(reproduce_claim_judge(&claim, d, NULL, text, seen), REPRODUCE_HOLDS);
	assert_string_equal(text->str, "from -3 by 3 within 1.25 to 0.5");
	assert_string_equal(seen->str, "2, 2.00, -2.5, one, -, -.");
	g_string_free(text, TRUE);
	g_string_free(seen, TRUE);
	reproduce_data_free(d);
}

/* A share of one estimate, which stays as it is but for its last digit. */
static double share_of_time(data *d, row_of *row)
{
	(void)row;
	return (reproduce_time_ps(d, 1, 0) + 0.3 * reproduce_time_ps(d, 1, 0)) / reproduce_time_ps(d, 1, 0);
}

static void rounding_is_no_error(void **state)
{
	const struct reproduce_row row = {.measure = share_of_time};
	struct reproduce_data *d = data_make();
	bool is_rounded = false;

	(void)state;
	for (uint32_t i = 1; i < 20; i++) {
		struct reproduce_data moved = *d;

		json_object_set_new(d->runs[2], "time_ps_error", json_real(i));
		moved.moved = 3;
		moved.moved_by = 1;
		is_rounded |= share_of_time(&moved, &row) != share_of_time(d, &row);
		assert_true(isnan(reproduce_row_error(d, &row)));
	}
	assert_true(is_rounded);
	reproduce_data_free(d);
}

/* Runs that are estimates: workload a's in the second configuration takes 25 within 5, b's in both are exact. */
static void estimates_have_errors(void **state)
{
	static const char held[] = "id,run,measured,band\nX-1,quick,20,15\n";
	const struct folder f = {results, "id,run,reason\nX-1,any,because\n", NULL, held, NULL};
	struct reproduce_data *d = data_make();
	struct reproduce_published_set *set;
	struct reproduce_outcomes o;
	struct base_diag_list diag;
	const double gain = 100 * (sqrt(2) - 1);

	(void)state;
	base_diag_init(&diag);
	set = folder_read(&f, &diag);
	assert_non_null(set);
	json_object_set_new(d->runs[2], "time_ps_error", json_real(5));
	o = reproduce_judge(d, set);
	assert_true(isnan(o.items[0].error)); /* nothing of a run that is timed is an estimate */
	reproduce_outcomes_free(&o);
	d->size = EXPERIMENT_SAMPLED;
	o = reproduce_judge(d, set);
	/* The mean of 4 and 0.5 with 30 and 20 for 25: 29.1 and 58.1 %. */
	assert_true(fabs(o.items[0].measured - gain) < 1e-9);
	assert_true(fabs(o.items[0].error - sqrt((pow(100 * sqrt(0.5 / 0.3) - 100 - gain, 2) +
						 pow(100 * sqrt(0.5 / 0.2) - 100 - gain, 2)) / 2)) < 1e-9);
	assert_int_equal(o.items[0].status, REPRODUCE_PASS);
	assert_non_null(strstr(o.items[0].note, "on the other side of the tolerance"));
	/* 0.5 and 0.9 of the traffic, a's within 20 %. */
	assert_true(fabs(o.items[2].error - 100 * 0.5 * 0.2 / 2) < 1e-9);
	assert_true(isnan(o.items[4].error));				    /* b, which gains least */
	assert_non_null(strstr(o.items[5].note, "the other way")); /* C1 (a): X-1 within 5 */
	assert_null(strstr(o.items[6].note, "the other way"));
	reproduce_outcomes_free(&o);
	/* 50 for 44 within 5 fails; the reason, for 20 within 15, ends at 35, which the interval reaches. */
	json_object_set_new(d->runs[2], "time_ps", json_real(22.2));
	o = reproduce_judge(d, set);
	assert_int_equal(o.items[0].status, REPRODUCE_OPEN);
	reproduce_outcomes_free(&o);
	json_object_set_new(d->runs[2], "time_ps_error", json_real(0.1));
	o = reproduce_judge(d, set);
	assert_int_equal(o.items[0].status, REPRODUCE_FAIL);
	reproduce_outcomes_free(&o);
	/* An error above the time itself: nothing is known, and so it says. */
	json_object_set_new(d->runs[2], "time_ps_error", json_real(30));
	o = reproduce_judge(d, set);
	assert_true(isinf(o.items[0].error));
	assert_non_null(strstr(o.items[0].note, "on the other side of the tolerance"));
	reproduce_outcomes_free(&o);
	reproduce_published_free(set);
	reproduce_data_free(d);
	base_diag_free(&diag);
}

/* What the model was given is no result, however near; but it must come back. */
static void inputs_do_not_pass(void **state)
{
	g_autofree char *text = NULL;
	g_auto(GStrv) parts = g_strsplit(results, ",exact,", 2);
	struct reproduce_published_set *set;
	struct reproduce_data *d = data_make();
	struct reproduce_outcomes o;
	struct base_diag_list diag;

	(void)state;
	base_diag_init(&diag);
	text = g_strjoin(",input,", parts[0], parts[1], NULL);
	set = published_make(text, NULL, NULL, &diag);
	assert_non_null(set);
	o = reproduce_judge(d, set);
	assert_int_equal(o.items[2].status, REPRODUCE_INPUT);
	reproduce_outcomes_free(&o);
	json_object_set_new(json_object_get(d->runs[2], "traffic_bytes"), "tx", json_real(10));
	o = reproduce_judge(d, set);
	assert_int_equal(o.items[2].status, REPRODUCE_FAIL);
	reproduce_outcomes_free(&o);
	reproduce_published_free(set);
	reproduce_data_free(d);
	base_diag_free(&diag);
}

/* A number that a claim judges is shown only; what explains it explains the claim, once. A claim of inputs is one. */
static void claims_take_what_explains_their_numbers(void **state)
{
	static const struct reproduce_same same[] = {{"X-1", "C1 (b)"}, {"X-3", "C1 (b)"}, {"X-2", "C1 (a)"}};
	g_auto(GStrv) parts = g_strsplit(results, ",up to,", 2);
	g_autofree char *text = g_strjoin(",input,", parts[0], parts[1], NULL);
	struct reproduce_paper judged = paper;
	struct reproduce_data *d = data_make();
	struct reproduce_published_set *set;
	struct reproduce_outcomes o;
	struct base_diag_list diag;

	(void)state;
	judged.same = same;
	judged.same_count = ARRAY_COUNT(same);
	d->paper = &judged;
	base_diag_init(&diag);
	set = folder_read(&(struct folder){text,
					   "id,run,reason\nX-1,any,because\nX-3,any,therefore\nC1 (b),any,because\n"
					   "X-3,pass,by chance\n",
					   NULL, "h\nC1 (b),quick,1.4142,0.001\n", NULL},
			  &diag);
	assert_non_null(set);
	o = reproduce_judge(d, set);
	assert_int_equal(o.items[0].status, REPRODUCE_SAME);
	assert_int_equal(o.items[1].status, REPRODUCE_INPUT);
	assert_string_equal(o.items[2].note, "arithmetic mean; by chance; judged as C1 (b)");
	assert_int_equal(o.items[5].status, REPRODUCE_INPUT);
	assert_int_equal(o.items[6].status, REPRODUCE_CONTRADICTED);
	assert_string_equal(o.items[6].note, "because; therefore");
	reproduce_outcomes_free(&o);
	reproduce_published_free(set);
	reproduce_data_free(d);
	base_diag_free(&diag);
}

static void missing_runs_are_absent(void **state)
{
	struct base_diag_list diag;
	struct reproduce_data *d = data_make();
	struct reproduce_published_set *set;
	struct reproduce_outcomes o;
	json_t *json;

	(void)state;
	base_diag_init(&diag);
	set = published_make(results, NULL, NULL, &diag);
	assert_non_null(set);
	/* A wrong result is no result. */
	json_object_set_new(d->runs[2], "verified", json_false());
	o = reproduce_judge(d, set);
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(o.items[i].status, REPRODUCE_ABSENT);
	assert_int_equal(o.items[6].status, REPRODUCE_ABSENT);
	json = reproduce_outcomes_json(&o);
	assert_int_equal(json_array_size(json), 7);
	assert_true(json_is_null(json_object_get(json_array_get(json, 0), "measured")));
	assert_string_equal(json_string_value(json_object_get(json_array_get(json, 0), "status")), "absent");
	json_decref(json);
	reproduce_outcomes_free(&o);
	reproduce_published_free(set);
	reproduce_data_free(d);
	base_diag_free(&diag);
}

static void bad_tables_are_refused(void **state)
{
	static const struct {
		const char *text, *explanations, *message, *experiments;
	} cases[] = {
		{"h\nX-1,a,b,c,1,%,exact\n", NULL, "results.csv:2:1: error: expected 8 fields, found 7", NULL},
		{"h\nX-1,a,b,c,one,%,exact,s\n", NULL, "results.csv:2:1: error: 'one' is no number", NULL},
		{"h\n\nX-1,a,b,c,1,%,nearly,s\n", NULL,
		 "results.csv:3:1: error: 'nearly' is no relation, expected exact, average, approx, up to, >, >=, <, "
		 "<= or input",
		 NULL},
		{"h\n", "h\nX-1,fast,so\n",
		 "explanations.csv:2:1: error: 'fast' is no run, expected quick, full, any or pass", NULL},
		{"h\n", NULL, "experiments.csv:2:1: error: 'some' is no number",
		 "h\nX-1,m,p,--set a=1,time_ps,,some,2\n"},
		{"h\n", NULL, "experiments.csv:2:1: error: expected 8 fields, found 6",
		 "h\nX-1,m,p,a=1,1,2\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct base_diag_list diag;
		char *text;

		base_diag_init(&diag);
		assert_null(published_make(cases[i].text, cases[i].explanations, cases[i].experiments, &diag));
		text = base_diag_join(&diag);
		assert_non_null(strstr(text, cases[i].message));
		free(text);
		base_diag_free(&diag);
	}
}

static bool is_shown_only(const struct reproduce_paper *p, const char *id)
{
	for (uint32_t i = 0; i < p->same_count; i++)
		if (!strcmp(p->same[i].id, id))
			return true;
	return false;
}

static bool is_one_number(const struct reproduce_paper *p, const struct reproduce_row *a, const struct reproduce_row *b)
{
	return reproduce_described_is_same(p, a->expression, b->expression);
}

/* Does a term judge this number, by the paper's value or by a bound? How it stands to another number is another thing,
 * and so is the sign of a number of which the row judges the quantity. */
static bool is_judged_by(const struct reproduce_paper *p, const struct reproduce_term *term,
			 const struct reproduce_row *row)
{
	const bool is_sign = term->value == 0 && term->must != REPRODUCE_MUST_BE_NEAR;

	if (!term->row.measure)
		return term->row.id && !strcmp(term->row.id, row->id);
	return term->must != REPRODUCE_MUST_NOTHING && !term->wanted &&
	       is_one_number(p, &term->row, row) && (!is_sign || row->tolerance == 0);
}

static void is_judged_once(const struct reproduce_paper *p, const struct reproduce_row *row)
{
	if (is_shown_only(p, row->id))
		return;
	for (const struct reproduce_row *other = p->rows; other < row; other++)
		if (is_one_number(p, row, other) && !is_shown_only(p, other->id))
			fail_msg("%s is %s", row->id, other->id);
	for (uint32_t c = 0; c < p->claim_count; c++)
		for (uint32_t t = 0; t < REPRODUCE_TERM_MAX; t++)
			if (is_judged_by(p, &p->claims[c].terms[t], row))
				fail_msg("%s is judged by %s", row->id, p->claims[c].part);
}

/* A number that a claim judges, or another row, is not judged once more under an id of its own. */
static void numbers_are_judged_once(void **state)
{
	static const char *const names[] = {"tom", "nsu", "bom", "clean", "ska"};

	(void)state;
	for (size_t n = 0; n < ARRAY_COUNT(names); n++) {
		g_autofree char *path = g_build_filename(PAPERS_DIR, names[n], REPRODUCE_FILE, NULL);
		const struct reproduce_paper *p;
		struct base_diag_list diag;

		base_diag_init(&diag);
		p = reproduce_described_read(path, EXPERIMENT_QUICK, &diag);
		assert_non_null(p);
		for (uint32_t i = 0; i < p->row_count; i++)
			is_judged_once(p, &p->rows[i]);
		reproduce_described_free(p);
		base_diag_free(&diag);
	}
}

/* What is not in the list is no run; each has its own arguments. */
static void runs_are_listed(void **state)
{
	static const struct reproduce_cell cells[] = {{0, "b", "-q"}, {1, "a", ""}};
	struct reproduce_paper listed = paper;

	(void)state;
	listed.cells = cells;
	listed.cell_count = 2;
	assert_true(reproduce_is_run(&listed, 0, 1) && reproduce_is_run(&listed, 1, 0));
	assert_false(reproduce_is_run(&listed, 0, 0) || reproduce_is_run(&listed, 1, 1));
	assert_string_equal(reproduce_arguments(&listed, 0, 1), "-q");
	assert_string_equal(reproduce_arguments(&listed, 1, 0), "");
	assert_null(reproduce_arguments(&listed, 0, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verdicts),
		cmocka_unit_test(reasons_must_hold),
		cmocka_unit_test(terms_are_judged),
		cmocka_unit_test(claims_speak),
		cmocka_unit_test(numbers_are_judged_once),
		cmocka_unit_test(estimates_have_errors),
		cmocka_unit_test(rounding_is_no_error),
		cmocka_unit_test(inputs_do_not_pass),
		cmocka_unit_test(claims_take_what_explains_their_numbers),
		cmocka_unit_test(missing_runs_are_absent),
		cmocka_unit_test(bad_tables_are_refused),
		cmocka_unit_test(runs_are_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
