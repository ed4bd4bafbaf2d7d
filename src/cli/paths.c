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
	p->blas_dir = g_strdup(p->driver_dir);
	p->threads_dir = g_build_filename(p->doors_dir, "threads", NULL);
	p->workload_dir = g_build_filename(bin, "..", "libexec", "strata", NULL);
	p->workload_list = g_build_filename(p->share_dir, "workloads.list", NULL);
	p->family_list = g_build_filename(p->share_dir, "families.list", NULL);
	p->designs = g_build_filename(p->share_dir, "hdl", NULL);
	p->hdl_shim = g_strdup(p->designs);
}

/* In a build tree, of which the binary is two folders below the root, in whichever. */
static void find_built(struct cli_paths *p)
{
	p->share_dir = g_strdup(STRATA_SOURCE_DIR);
	p->driver_dir = g_build_filename(p->build_dir, "src", "cuda", NULL);
	p->runtime_dir = g_build_filename(p->build_dir, "src", "cudart", NULL);
	p->blas_dir = g_build_filename(p->build_dir, "src", "cublas", NULL);
	p->threads_dir = g_build_filename(p->build_dir, "src", "threads", NULL);
	p->workload_dir = g_build_filename(p->build_dir, "workloads", NULL);
	p->workload_list = g_build_filename(STRATA_SOURCE_DIR, "workloads", "workloads.list", NULL);
	p->family_list = g_build_filename(STRATA_SOURCE_DIR, "workloads", "families.list", NULL);
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

	return g_strjoin(":", p->driver_dir, p->runtime_dir, p->blas_dir, old && *old ? old : NULL, NULL);
}

void cli_paths_free(struct cli_paths *p)
{
	g_free(p->driver_dir);
	g_free(p->runtime_dir);
	g_free(p->blas_dir);
	g_free(p->threads_dir);
	g_free(p->workload_dir);
	g_free(p->workload_list);
	g_free(p->family_list);
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
