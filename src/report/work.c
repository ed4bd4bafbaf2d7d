/* work.c - did all machines of a comparison do the same work, and give the host the same bytes? */
#include "report/report.h"

#include <string.h>

static const struct {
	const char *key, *what;
} measures[] = {
    {"launches", "launches"},
    {"cta_count", "ctas"},
    {"thread_instructions", "thread_instructions"},
};

static const char *text_of(const json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text ? text : "";
}

static const json_t *kernel_named(const json_t *run, const char *name)
{
	const json_t *kernel;
	size_t i;

	json_array_foreach(json_object_get(run, "kernel_sums"), i, kernel) {
		if (!strcmp(text_of(kernel, "name"), name))
			return kernel;
	}
	return NULL;
}

/* A near-data mechanism has instructions of its own, and leaves some of the program's out: only where there is none on
 * either side must their number be equal. */
static size_t measure_count(const json_t *run, const json_t *base)
{
	const size_t all = sizeof(measures) / sizeof(measures[0]);
	bool has_mechanism = strcmp(text_of(run, "mechanism"), "none") || strcmp(text_of(base, "mechanism"), "none");

	return has_mechanism ? all - 1 : all;
}

/* One kernel; of and base may be NULL: it was not launched there. The first measure that differs is enough: the others
 * follow from it. */
static void compare_kernel(const char *name, const json_t *of, const json_t *base, size_t count,
			   const char *base_machine, json_t *differences)
{
	for (size_t i = 0; i < count; i++) {
		const double value = report_number(of, measures[i].key, NULL);
		const double base_value = report_number(base, measures[i].key, NULL);

		if (value == base_value)
			continue;
		json_array_append_new(differences, json_pack("{s:s, s:s, s:I, s:s, s:I}", "kernel", name, "what",
							     measures[i].what, "value", (json_int_t)value, "machine",
							     base_machine, "machine_value", (json_int_t)base_value));
		return;
	}
}

static json_t *differences_of(const json_t *run, const json_t *base)
{
	json_t *differences = json_array();
	const char *machine = text_of(base, "machine");
	const size_t count = measure_count(run, base);
	const json_t *kernel;
	size_t i;

	json_array_foreach(json_object_get(base, "kernel_sums"), i, kernel) {
		const char *name = text_of(kernel, "name");

		compare_kernel(name, kernel_named(run, name), kernel, count, machine, differences);
	}
	json_array_foreach(json_object_get(run, "kernel_sums"), i, kernel) {
		const char *name = text_of(kernel, "name");

		if (!kernel_named(base, name))
			compare_kernel(name, kernel, NULL, count, machine, differences);
	}
	return differences;
}

/* The run of the same workload, and process, that the others are held against, or NULL. */
static const json_t *base_of(const json_t *runs, const json_t *of, const char *base)
{
	const json_t *first = NULL, *run;
	size_t i;

	json_array_foreach(runs, i, run) {
		if (strcmp(text_of(run, "workload"), text_of(of, "workload")) != 0 || !report_has_run(run) ||
		    report_number(run, "process", NULL) != report_number(of, "process", NULL))
			continue;
		if (!strcmp(text_of(run, "machine"), base))
			return run;
		if (!first)
			first = run;
	}
	return first;
}

/* The machine of base, or null: the bytes are the same, or one has copied nothing. */
static json_t *copied_bytes_differ_from(const json_t *run, const json_t *base)
{
	const char *hash = text_of(run, "copied_to_host_hash"), *base_hash = text_of(base, "copied_to_host_hash");

	return *hash && *base_hash && strcmp(hash, base_hash) ? json_string(text_of(base, "machine")) : json_null();
}

void report_work_compare(json_t *runs, const char *base)
{
	json_t *run;
	size_t i;

	json_array_foreach(runs, i, run) {
		const json_t *other = base_of(runs, run, base);

		if (!other || !report_has_run(run))
			continue;
		json_object_set_new(run, "work_differs", differences_of(run, other));
		json_object_set_new(run, "copied_bytes_differ_from", copied_bytes_differ_from(run, other));
	}
}
