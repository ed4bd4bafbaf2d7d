/* command.h - the commands: one function each, argv[0] is the command's name, the result is the exit status. */
#ifndef STRATA_CLI_COMMAND_H
#define STRATA_CLI_COMMAND_H

int cli_run(int argc, char **argv);
int cli_bench(int argc, char **argv);
int cli_compare(int argc, char **argv);
int cli_check(int argc, char **argv);
int cli_reproduce(int argc, char **argv);
int cli_advise(int argc, char **argv);
int cli_why(int argc, char **argv);
int cli_correlate(int argc, char **argv);
int cli_report(int argc, char **argv);
int cli_timeline(int argc, char **argv);
int cli_sweep(int argc, char **argv);
int cli_top(int argc, char **argv);
int cli_runs(int argc, char **argv);
int cli_list(int argc, char **argv);
int cli_mem(int argc, char **argv);
int cli_csp(int argc, char **argv);
int cli_ska(int argc, char **argv);
int cli_cc(int argc, char **argv);
int cli_cxx(int argc, char **argv);
int cli_trace(int argc, char **argv);
int cli_ptx(int argc, char **argv);

#endif
