/* families.h - an algorithm in its forms, and the levels of near-data processing that run a form.
 *
 * A family is declared in workloads/families.list, or in the file that STRATA_FAMILIES names: a line for each form,
 *
 *   FAMILY <tab> FORM <tab> WORKLOAD [<tab> KEY=VALUE]...
 *
 * FORM is cuda, openacc, openmp, verilog or csp, the kind of program that the workload is (verilog: a program of
 * threads that hands work to a design). Keys: small and paper, its arguments for --size, which make the inputs of all
 * forms equal (default "--size small", "--size paper"; of csp none); levels, where it runs, with commas (default: all
 * that run its form); set, parameters of the machine; time, what it measures by itself that is the time of its kernels.
 */
#ifndef STRATA_CLI_FAMILIES_H
#define STRATA_CLI_FAMILIES_H

#include "cli/paths.h"
#include "cli/workloads.h"
#include "machine/session.h"

struct cli_family_form {
	char *family, *form, *workload;
	char *arguments[2];   /* small, paper */
	char *levels;	      /* NULL: all that run the form */
	char **sets, *time;   /* sets: NULL-terminated; time: NULL, or the measure's name */
	const struct cli_workload *program; /* of the families' workloads */
};

struct cli_families {
	GPtrArray *forms;     /* struct cli_family_form *, those of a family behind each other */
	GPtrArray *workloads; /* what they name */
};

/* False after messages with their places. Free in any case. */
bool cli_families_read(const struct cli_paths *paths, struct cli_families *out);
void cli_families_free(struct cli_families *f);

/* Where an algorithm is executed. */
struct cli_level {
	const char *name;
	const char *forms;   /* that it runs, with commas */
	const char *machine; /* its default */
	const char *set;     /* settings, with spaces, for the program to run there and be accounted for; NULL: none */
};
extern const struct cli_level cli_levels[];
extern const uint32_t cli_level_count;

/* The level of a machine: one of these, or a GPU's mechanism that is none of them. False: it runs no such programs. */
bool cli_level_of(const struct machine_config *c, struct cli_level *out);
/* Does the level run the form? */
bool cli_level_runs(const struct cli_level *level, const struct cli_family_form *form);

#endif
