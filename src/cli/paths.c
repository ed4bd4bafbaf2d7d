/* paths.c - looks beside the running binary: a build tree or an installation. */
#include "cli/paths.h"

#include "machine/parts.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* Where /proc is not mounted, as in a bare chroot, the kernel still tells the name that was executed. */
static char *binary_dir(void)
{
	char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (length > 0)
		path[length] = '\0';
	else if (!realpath((const char *)getauxval(AT_EXECFN), path))
		return g_strdup(".");
	return g_path_get_dirname(path);
}

/* The user's directory, if there is one, before ours (taken over). */
static struct sim_search search_of(char *dirs[2], const char *variable, char *ours)
{
	const char *own = getenv(variable);
	struct sim_search search = {.dirs = (const char *const *)dirs};

	dirs[0] = dirs[1] = NULL;
	if (own && *own)
		dirs[search.dir_count++] = g_strdup(own);
	dirs[search.dir_count++] = ours;
	return search;
}

/* As installed, below PREFIX/bin. */
static void find_installed(struct cli_paths *p, const char *bin)
{
	p->share_dir = g_build_filename(bin, "..", "share", "strata", NULL);
	p->doors_dir = g_build_filename(bin, "..", STRATA_LIBDIR, "strata", NULL);
	p->driver_dir = g_build_filename(bin, "..", STRATA_LIBDIR, NULL);
	p->runtime_dir = g_strdup(p->driver_dir);
	p->threads_dir = g_build_filename(p->doors_dir, "threads", NULL);
	p->workload_dir = g_build_filename(bin, "..", "libexec", "strata", NULL);
	p->workload_list = g_build_filename(p->share_dir, "workloads.list", NULL);
	p->designs = g_build_filename(p->share_dir, "hdl", NULL);
	p->hdl_shim = g_strdup(p->designs);
}

/* In a build tree, of which the binary is two folders below the root, in whichever. */
static void find_built(struct cli_paths *p)
{
	p->share_dir = g_strdup(STRATA_SOURCE_DIR);
	p->driver_dir = g_build_filename(p->build_dir, "src", "cuda", NULL);
	p->runtime_dir = g_build_filename(p->build_dir, "src", "cudart", NULL);
	p->threads_dir = g_build_filename(p->build_dir, "src", "threads", NULL);
	p->workload_dir = g_build_filename(p->build_dir, "workloads", NULL);
	p->workload_list = g_build_filename(STRATA_SOURCE_DIR, "workloads", "workloads.list", NULL);
	p->designs = g_build_filename(STRATA_SOURCE_DIR, "workloads", "hdl", NULL);
	p->hdl_shim = g_build_filename(STRATA_SOURCE_DIR, "src", "hdl", NULL);
}

void cli_paths_find(struct cli_paths *p)
{
	g_autofree char *bin = binary_dir();
	g_autofree char *root = g_build_filename(bin, "..", "..", NULL);
	g_autofree char *build_file = g_build_filename(root, "build.ninja", NULL);

	*p = (struct cli_paths){.build_dir = access(build_file, F_OK) ? NULL : g_steal_pointer(&root)};
	if (p->build_dir)
		find_built(p);
	else
		find_installed(p, bin);
	p->papers = g_build_filename(p->share_dir, "papers", NULL);
	p->machines =
	    search_of(p->machine_dirs, "STRATA_MACHINES", g_build_filename(p->share_dir, "machines", NULL));
	p->memories =
	    search_of(p->memory_dirs, "STRATA_MEMORIES", g_build_filename(p->share_dir, "memories", NULL));
}

char *cli_door_path(const struct cli_paths *p, const struct machine_part *part)
{
	return p->build_dir ? g_build_filename(p->build_dir, part->files->built, part->files->door, NULL)
			    : g_build_filename(p->doors_dir, part->files->door, NULL);
}

char *cli_files_dir(const struct cli_paths *p, const struct machine_part *part)
{
	return p->build_dir ? g_build_filename(p->share_dir, "workloads", part->name, NULL)
			    : g_build_filename(p->share_dir, part->name, NULL);
}

char *cli_library_path(const struct cli_paths *p)
{
	const char *old = getenv("LD_LIBRARY_PATH");

	return g_strjoin(":", p->driver_dir, p->runtime_dir, old && *old ? old : NULL, NULL);
}

void cli_paths_free(struct cli_paths *p)
{
	g_free(p->driver_dir);
	g_free(p->runtime_dir);
	g_free(p->threads_dir);
	g_free(p->workload_dir);
	g_free(p->workload_list);
	g_free(p->papers);
	g_free(p->designs);
	g_free(p->hdl_shim);
	g_free(p->build_dir);
	g_free(p->share_dir);
	g_free(p->doors_dir);
	g_free(p->machine_dirs[0]);
	g_free(p->machine_dirs[1]);
	g_free(p->memory_dirs[0]);
	g_free(p->memory_dirs[1]);
}

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
