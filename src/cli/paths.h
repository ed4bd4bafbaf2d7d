/* paths.h - where the parts of Strata are, seen from the running binary: in a build tree or as installed.
 *
 *   build tree   BUILD/src/cli/strata  BUILD/src/cuda/libcuda.so.1  BUILD/workloads/NAME
 *                SOURCE/machines, memories, papers
 *   installed    PREFIX/bin/strata     PREFIX/LIBDIR/libcuda.so.1  PREFIX/libexec/strata/NAME
 *                PREFIX/share/strata/machines, memories, papers
 */
#ifndef STRATA_CLI_PATHS_H
#define STRATA_CLI_PATHS_H

#include "machine/description.h"

#include <glib.h>
#include <stdbool.h>

struct cli_paths {
	char *driver_dir;    /* holds libcuda.so.1 */
	char *runtime_dir;   /* holds libcudart.so.* */
	char *blas_dir;	     /* holds libcublas.so.13, libcublasLt.so.13 */
	char *threads_dir;   /* holds what strata cc adds, and the models of programs of threads */
	char *workload_dir;  /* holds the workloads' programs */
	char *workload_list; /* workloads.list */
	char *family_list;   /* families.list */
	char *build_dir;     /* of a build tree; NULL: Strata is installed */
	char *share_dir;     /* holds what is no program: machines, papers; a build tree's is the source's */
	char *doors_dir;     /* of an installation: holds the doors of parts */
	char *designs, *hdl_shim; /* holds our accelerators; what is built into each */
	char *papers;	     /* holds a folder of published numbers for each paper */
	char *machine_dirs[2], *memory_dirs[2];
	struct sim_search machines, memories;
};

/* All paths, whether or not there is something. STRATA_MACHINES and STRATA_MEMORIES, directories, come before our own
 * machines and memories. */
void cli_paths_find(struct cli_paths *p);
/* LD_LIBRARY_PATH for a program: our folders before those of the environment. Free with g_free. */
char *cli_library_path(const struct cli_paths *p);
void cli_paths_free(struct cli_paths *p);

/* The program that runs a part's files, and where our own files for it are. Free with g_free. */
char *cli_door_path(const struct cli_paths *p, const struct machine_part *part);
char *cli_files_dir(const struct cli_paths *p, const struct machine_part *part);

#endif
