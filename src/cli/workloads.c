/* workloads.c - reads the list of workloads, and finds their programs. */
#include "cli/workloads.h"

#include "base/diag.h"
#include "machine/parts.h"

#include <string.h>
#include <unistd.h>

/* One line "name TAB summary TAB source", and TAB "threads", "openacc" or the part whose file it is, "csp", if it is no
 * CUDA program, and TAB and the program's file if that has another name. */
static void add_workload(GPtrArray *workloads, const char *line)
{
	g_auto(GStrv) fields = g_strsplit(line, "\t", 5);
	uint32_t count = g_strv_length(fields);

	if (!count || !fields[0][0])
		return;

	struct cli_workload *w = g_new0(struct cli_workload, 1);

	w->name = g_strdup(fields[0]);
	w->program = g_strdup(fields[count > 4 ? 4 : 0]);
	w->summary = g_strdup(count > 1 ? fields[1] : "");
	w->source = g_strdup(count > 2 ? fields[2] : "");
	w->is_of_threads = count > 3 && !strcmp(fields[3], "threads");
	w->is_openacc = count > 3 && !strcmp(fields[3], "openacc");
	w->part = count > 3 ? machine_part_named(fields[3]) : NULL;
	g_ptr_array_add(workloads, w);
}

GPtrArray *cli_workloads_read(const struct cli_paths *p)
{
	GPtrArray *workloads = g_ptr_array_new();
	g_autofree char *text = NULL;

	if (!g_file_get_contents(p->workload_list, &text, NULL, NULL))
		return workloads;

	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	for (char **line = lines; *line; line++)
		add_workload(workloads, *line);
	return workloads;
}

void cli_workloads_free(GPtrArray *workloads)
{
	for (uint32_t i = 0; i < workloads->len; i++) {
		struct cli_workload *w = workloads->pdata[i];

		g_free(w->name);
		g_free(w->program);
		g_free(w->summary);
		g_free(w->source);
		g_free(w);
	}
	g_ptr_array_free(workloads, TRUE);
}

const struct cli_workload *cli_workload_find(const GPtrArray *workloads, const char *name)
{
	for (uint32_t i = 0; i < workloads->len; i++)
		if (!strcmp(((const struct cli_workload *)workloads->pdata[i])->name, name))
			return workloads->pdata[i];
	return NULL;
}

char *cli_workload_unknown(const GPtrArray *workloads, const char *name)
{
	g_autofree const char **names = g_new0(const char *, workloads->len + 1);
	const char *nearest;

	for (uint32_t i = 0; i < workloads->len; i++)
		names[i] = ((const struct cli_workload *)workloads->pdata[i])->name;
	nearest = base_nearest_name(name, names, workloads->len);
	return g_strdup_printf("the program '%s' is no workload%s%s%s", name, nearest ? "; did you mean '" : "",
			       nearest ? nearest : "", nearest ? "'?" : "");
}

char *cli_workload_path(const struct cli_paths *p, const struct cli_workload *w)
{
	g_autofree char *dir = w->part ? cli_files_dir(p, w->part) : g_strdup(p->workload_dir);

	return g_build_filename(dir, w->program, NULL);
}

const char *cli_workload_absent(const struct cli_paths *p, const struct cli_workload *w)
{
	g_autofree char *path = cli_workload_path(p, w);
	g_autofree char *door = w->part ? cli_door_path(p, w->part) : NULL;

	if (!access(path, F_OK) && (!door || !access(door, X_OK)))
		return NULL;
	if (w->is_of_threads)
		return "strata cc is missing; install the Debian packages clang-16, llvm-16-dev and g++, "
		       "and build Strata again by ./quickstart";
	if (w->is_openacc)
		return "GCC's offload compiler is missing; install the Debian packages gcc-12-offload-nvptx and "
		       "libgomp-plugin-nvptx1, and build Strata again by ./quickstart";
	return "build or install Strata again";
}
