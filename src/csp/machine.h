/* machine.h - the coprocessor: built, given a program and its data, run to its end, looked at.
 *
 * Values are computed when the controller executes an instruction; the model decides when that is over. A core's memory
 * is its own: another core sees of it what is sent, after the signal that follows.
 */
#ifndef STRATA_CSP_MACHINE_H
#define STRATA_CSP_MACHINE_H

#include "csp/account.h"
#include "csp/config.h"
#include "csp/program.h"
#include "sim/ctx.h"
#include "sim/explain.h"
#include "sim/progress.h"

struct csp_machine;

extern const struct sim_explain csp_explain;

struct csp_result {
	uint64_t time_ps, cycles;	  /* to the end of the last core */
	double utilisation;		  /* of the functional units of all cores that have a program, 0 to 1 */
	uint64_t cfmas;
	uint64_t from_memory_bytes, to_memory_bytes; /* over all links, packets whole */
	uint32_t cores;			  /* that have a program */
	uint32_t checks, checks_passed;
	double worst_error;		  /* of all checks: error over its bound */
	bool was_limited, was_stopped;
	bool is_accounted; /* csp_machine_account has all cycles: of runs with an account that came to their end */
	double host_seconds; /* of the simulation, without data and checks */
};

/* Adds the clock domains of cores and stacks; false: they have no common unit of time with those that are there. */
bool csp_clock_add(const struct csp_config *c, struct sim_engine *e);
/* Adds the tables of what it counts. */
void csp_stat_tables(struct sim_stat_tables *out);

/* Builds it, without a program, in a context that has its clocks; ctx and config (checked) are kept. is_accounted: the
 * run has an account (csp/account.h), which changes nothing else. */
struct csp_machine *csp_machine_new(struct sim_ctx *ctx, const struct csp_config *config, bool is_accounted);
void csp_machine_free(struct csp_machine *m);
/* A run ends at this time, in units; 0: never. Before the run. */
void csp_machine_limit(struct csp_machine *m, uint64_t units);

/* Gives its cores their program, which was assembled for its config and is kept. Once. False with messages when the
 * host has not the memory. */
bool csp_machine_load(struct csp_machine *m, const struct csp_program *program, struct base_diag_list *diag);
/* Fills memories as the program's data directives say. False with messages. */
bool csp_machine_data(struct csp_machine *m, struct base_diag_list *diag);
/* Runs to the end, and makes the program's checks. False with messages: the program did what it may not, or waits for
 * ever; *out is then what there was until then. Once. */
bool csp_machine_run(struct csp_machine *m, struct csp_result *out, struct base_diag_list *diag);

/* How far a run is, for another thread: cores that have ended, and what they wait for. */
void csp_machine_progress(const struct csp_machine *m, struct sim_progress *out);
/* Asks a run to end at once, from another thread or a signal handler: its results are those so far, without checks. */
void csp_machine_stop(struct csp_machine *m);

/* A file's values for an input of the program, by name: of each line fu_count complex values, real and imaginary part
 * as floats of 32 bits, the lowest byte first. Between csp_machine_data and the run. False with messages. */
bool csp_machine_input(struct csp_machine *m, const char *name, const char *path, struct base_diag_list *diag);
/* An output's values into a file of the same form, after the run. */
bool csp_machine_output(struct csp_machine *m, const char *name, const char *path, struct base_diag_list *diag);
/* Is there an output of this name, or an input? False with a message. */
bool csp_port_exists(const struct csp_machine *m, const char *name, bool is_output, struct base_diag_list *diag);

/* A line of a core's memory: fu_count real parts, then as many imaginary parts. */
float *csp_machine_line(struct csp_machine *m, uint32_t core, uint64_t line);
/* Cycles of the core's functional units, of one of the program's instructions; all of a core's are `cycles`. */
const uint64_t *csp_machine_account(const struct csp_machine *m, uint32_t core, uint32_t instr);
struct sim_stats *csp_machine_stats(const struct csp_machine *m);
/* NULL: none was loaded. */
const struct csp_program *csp_machine_program(const struct csp_machine *m);
/* The numbers of the run; NULL: there was none. */
const struct csp_result *csp_machine_result(const struct csp_machine *m);

/* data.c: one directive; false with messages. */
bool csp_data_make(struct csp_machine *m, const struct csp_directive *d, struct base_diag_list *diag);
/* check.c: compares; *worst is raised to the largest error over its bound. False with messages: the directive is wrong
 * in itself; true: *is_ok tells. */
bool csp_check_make(struct csp_machine *m, const struct csp_directive *d, bool *is_ok, double *worst,
		    struct base_diag_list *diag);

/* What a line of text about a directive begins with. */
struct base_place csp_directive_place(const struct csp_directive *d);
/* Are the lines there in every core of the directive? False with a message. */
bool csp_directive_lines(const struct csp_machine *m, const struct csp_directive *d, int64_t first, int64_t count,
			 struct base_diag_list *diag);

#endif
