/* program.c - what all workloads share. */
#include "common/program.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The name that starts every message; set when the command line is parsed. */
static const char *workload_name = "workload";
/* By how much of max(1, |wanted|) floats may be off, if that is more than the check's own. */
static float workload_tolerance;

/* A program's command line: what it knows, and what has been given. */
struct command_line {
	const struct workload_about *about;
	const struct workload_count *counts;
	unsigned int counts_count;
	struct workload_options options;
	const char *given[WORKLOAD_COUNTS_MAX]; /* NULL: the count follows --size */
};

static void help_print(const struct command_line *line)
{
	const struct workload_about *about = line->about;

	printf("usage: %s [--size small|paper] [--seed N] [--tolerance X]", about->name);
	for (unsigned int i = 0; i < line->counts_count; i++)
		printf(" [--%s %s]", line->counts[i].name, line->counts[i].words ? "WORD" : "N");
	printf("\n\n%s\n\n", about->summary);
	printf("  --size small  %s (default)\n", about->small_size);
	printf("  --size paper  %s\n", about->paper_size);
	printf("  --seed N      seed of the generated input, 0 to 2^64 - 1 (default 1)\n");
	printf("  --tolerance X  floats may be off by X of max(1, |x|) (default: the check's own, mostly 0)\n");
	for (unsigned int i = 0; i < line->counts_count; i++) {
		const struct workload_count *c = &line->counts[i];

		if (c->words) {
			printf("  --%s WORD  %s:", c->name, c->text);
			for (unsigned int w = 0; w <= c->most; w++)
				printf(" %s", c->words[w]);
			printf(" (%s)\n", c->words[c->small]);
			continue;
		}
		printf("  --%s N  %s, %u to %u", c->name, c->text, c->least, c->most);
		if (c->multiple > 1)
			printf(" in steps of %u", c->multiple);
		printf(" (small %u, paper %u)\n", c->small, c->paper);
	}
	printf("  --help        print this text\n\n");
	printf("Exit status: 0 all results are right, 1 a result is wrong, 2 wrong usage or a failed call.\n");
}

static uint64_t seed_parse(const char *text)
{
	char *end;
	uint64_t seed;

	errno = 0;
	seed = strtoull(text, &end, 0);
	if (*text < '0' || *text > '9' || *end || errno)
		workload_fail("--seed wants a number from 0 to 2^64 - 1, not '%s'", text);
	return seed;
}

static float tolerance_parse(const char *text)
{
	char *end;
	float tolerance = strtof(text, &end);

	if (end == text || *end || !(tolerance >= 0 && tolerance <= 1))
		workload_fail("--tolerance wants a number from 0 to 1, not '%s'", text);
	return tolerance;
}

static bool size_parse(const char *text)
{
	if (strcmp(text, "small") && strcmp(text, "paper"))
		workload_fail("--size is small or paper, not '%s'", text);
	return !strcmp(text, "paper");
}

static unsigned int word_parse(const struct workload_count *c, const char *text)
{
	for (unsigned int w = 0; w <= c->most; w++)
		if (!strcmp(text, c->words[w]))
			return w;
	workload_fail("--%s: there is no '%s'; --help lists what there is", c->name, text);
}

static unsigned int count_parse(const struct workload_count *c, const char *text)
{
	char *end;
	unsigned long long count;

	if (c->words)
		return word_parse(c, text);
	errno = 0;
	count = strtoull(text, &end, 0);
	if (*text < '0' || *text > '9' || *end || errno || count < c->least || count > c->most)
		workload_fail("--%s wants a number from %u to %u, not '%s'", c->name, c->least, c->most, text);
	if (count % c->multiple)
		workload_fail("--%s wants a multiple of %u, not '%s'", c->name, c->multiple, text);
	return (unsigned int)count;
}

/* The count of this name; counts_count when there is none. */
static unsigned int count_find(const struct command_line *line, const char *name)
{
	unsigned int i = 0;

	while (i < line->counts_count && strcmp(name, line->counts[i].name))
		i++;
	return i;
}

/* Takes one option, and its value from `next` unless it holds it; true when it used next. */
static bool option_take(struct command_line *line, const char *argument, const char *next)
{
	const char *equals = strchr(argument, '=');
	const char *value = equals ? equals + 1 : next;
	char name[32] = "";
	unsigned int count;

	if (!strncmp(argument, "--", 2))
		snprintf(name, sizeof(name), "%.*s", equals ? (int)(equals - argument - 2) : 31, argument + 2);
	count = count_find(line, name);
	if (strcmp(name, "size") && strcmp(name, "seed") && strcmp(name, "tolerance") && count == line->counts_count)
		workload_fail("unknown argument '%s'; --help lists the options", argument);
	if (!value)
		workload_fail("%s wants a value; --help lists the options", argument);
	if (!strcmp(name, "size"))
		line->options.paper = size_parse(value);
	else if (!strcmp(name, "seed"))
		line->options.seed = seed_parse(value);
	else if (!strcmp(name, "tolerance"))
		workload_tolerance = tolerance_parse(value);
	else
		line->given[count] = value;
	return !equals;
}

struct workload_options workload_sized_parse(const struct workload_about *about, const struct workload_count *counts,
					     unsigned int counts_count, int argc, char **argv)
{
	struct command_line line = {about, counts, counts_count, {.paper = false, .seed = 1}, {NULL}};

	workload_name = about->name;
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--help")) {
			help_print(&line);
			exit(WORKLOAD_EXIT_RIGHT);
		}
		i += option_take(&line, argv[i], i + 1 < argc ? argv[i + 1] : NULL);
	}
	for (unsigned int i = 0; i < counts_count; i++) {
		const struct workload_count *c = &counts[i];

		line.options.counts[i] = line.given[i]        ? count_parse(c, line.given[i])
					 : line.options.paper ? c->paper
							      : c->small;
	}
	return line.options;
}

struct workload_options workload_options_parse(const struct workload_about *about, int argc, char **argv)
{
	return workload_sized_parse(about, NULL, 0, argc, argv);
}

void workload_fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fprintf(stderr, "%s: ", workload_name);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	exit(WORKLOAD_EXIT_ERROR);
}

int workload_finish(bool right, const char *format, ...)
{
	va_list args;

	if (!right)
		return WORKLOAD_EXIT_WRONG;
	va_start(args, format);
	printf("%s: ", workload_name);
	vprintf(format, args);
	printf(", verified\n");
	va_end(args);
	return WORKLOAD_EXIT_RIGHT;
}

void workload_measure(const char *measure, double value, const char *unit)
{
	const char *path = getenv("STRATA_MEASURES");
	FILE *f = path ? fopen(path, "a") : NULL;

	printf("%s: %s %.6g %s\n", workload_name, measure, value, unit);
	if (path && !f)
		workload_fail("cannot write %s: %s", path, strerror(errno));
	if (f) {
		fprintf(f, "%s\t%.17g\t%s\n", measure, value, unit);
		fclose(f);
	}
}

double workload_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void *workload_host_alloc(size_t count, size_t element_bytes)
{
	void *memory = calloc(count ? count : 1, element_bytes);

	if (!memory)
		workload_fail("no host memory for %zu elements of %zu bytes", count, element_bytes);
	return memory;
}

float workload_random_float(uint64_t seed, uint32_t stream, uint64_t index)
{
	return (float)(workload_random(seed, stream, index) >> 40) * 0x1p-24f;
}

float workload_random_normal(uint64_t seed, uint32_t stream, uint64_t index)
{
	double radius = 1.0 - workload_random_float(seed, stream, 2 * index);
	double angle = 6.283185307179586 * workload_random_float(seed, stream, 2 * index + 1);

	return (float)(sqrt(-2.0 * log(radius)) * cos(angle));
}

static void mismatch_print_f32(const char *what, size_t index, float got, float want)
{
	fprintf(stderr, "%s: %s[%zu] is %.9g (%a), expected %.9g (%a)\n", workload_name, what, index, got, got, want,
		want);
}

bool workload_same_f32(const char *what, const float *got, const float *want, size_t count, size_t first)
{
	if (!memcmp(got, want, count * sizeof(*got)))
		return true;
	if (workload_tolerance > 0)
		return workload_close_f32(what, got, want, count, workload_tolerance);
	for (size_t i = 0; i < count; i++) {
		if (memcmp(&got[i], &want[i], sizeof(*got))) {
			mismatch_print_f32(what, first + i, got[i], want[i]);
			break;
		}
	}
	return false;
}

bool workload_same_f64(const char *what, const double *got, const double *want, size_t count, size_t first)
{
	for (size_t i = 0; i < count; i++) {
		const double within = (double)workload_tolerance * fmax(1, fabs(want[i]));

		/* Written so that a NaN fails, unless the same one is expected. */
		if (memcmp(&got[i], &want[i], sizeof(*got)) && !(within > 0 && fabs(got[i] - want[i]) <= within)) {
			fprintf(stderr, "%s: %s[%zu] is %.17g (%a), expected %.17g (%a)\n", workload_name, what,
				first + i, got[i], got[i], want[i], want[i]);
			return false;
		}
	}
	return true;
}

bool workload_same_u32(const char *what, const uint32_t *got, const uint32_t *want, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (got[i] != want[i]) {
			fprintf(stderr, "%s: %s[%zu] is %u, expected %u\n", workload_name, what, i, got[i], want[i]);
			return false;
		}
	}
	return true;
}

bool workload_same_u64(const char *what, const uint64_t *got, const uint64_t *want, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (got[i] != want[i]) {
			fprintf(stderr, "%s: %s[%zu] is %" PRIu64 ", expected %" PRIu64 "\n", workload_name, what, i,
				got[i], want[i]);
			return false;
		}
	}
	return true;
}

bool workload_close_f32(const char *what, const float *got, const float *want, size_t count, float tolerance)
{
	tolerance = fmaxf(tolerance, workload_tolerance);
	for (size_t i = 0; i < count; i++) {
		float scale = fabsf(want[i]) > 1.0f ? fabsf(want[i]) : 1.0f;

		/* Written so that a NaN fails. */
		if (!(fabsf(got[i] - want[i]) <= tolerance * scale)) {
			mismatch_print_f32(what, i, got[i], want[i]);
			return false;
		}
	}
	return true;
}
