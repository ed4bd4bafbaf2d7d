/* workloads.h - the programs that Strata brings, as workloads.list declares them. */
#ifndef STRATA_CLI_WORKLOADS_H
#define STRATA_CLI_WORKLOADS_H

#include "cli/paths.h"

#include <glib.h>
#include <stdbool.h>

struct cli_workload {
	char *name, *summary, *source; /* "vectoradd", "vector addition", "VADD (NSU)" */
	char *program;                 /* its file in workload_dir (in its part's folder), mostly its name */
	bool is_of_threads;	       /* built by strata cc, for machines with processors; else for GPUs */
	bool is_openacc;	       /* of those for GPUs: built by GCC's offload compiler */
	const struct machine_part *part; /* whose file it is; NULL: it is a program for the host */
};

/* The declared workloads; free with cli_workloads_free. Empty when the list is missing. */
GPtrArray *cli_workloads_read(const struct cli_paths *p);
void cli_workloads_free(GPtrArray *workloads);
/* NULL when there is none of this name. */
const struct cli_workload *cli_workload_find(const GPtrArray *workloads, const char *name);
/* What is said then: "the program 'vectorad' is no workload; did you mean 'vectoradd'?" Free with g_free. */
char *cli_workload_unknown(const GPtrArray *workloads, const char *name);
/* Where the workload's program is. Free with g_free. */
char *cli_workload_path(const struct cli_paths *p, const struct cli_workload *w);
/* Why this Strata was built without the workload's program; NULL: it is there. */
const char *cli_workload_absent(const struct cli_paths *p, const struct cli_workload *w);

#endif
