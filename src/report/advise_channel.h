/* advise_channel.h - would near-data processors on the memory channels serve a program of threads better than its CPU
 * alone?
 *
 * A closed form like advise.h's, nothing of it fitted, from one run on the CPU: the threads of the program's parallel
 * part are on the NDPs' cores, which channel.place=flat does. See docs/advise.md for the terms.
 */
#ifndef STRATA_REPORT_ADVISE_CHANNEL_H
#define STRATA_REPORT_ADVISE_CHANNEL_H

#include <jansson.h>
#include <stdio.h>

/* run: a result of a CPU's run with "core_account". ndps: what machine_session_json says of the machine with NDPs. An
 * object: "levels" (cpu and channel, the better first: name, what, time_ps, speedup), best ("cpu" where NDPs gain less
 * than 5 %), margin, confidence, "machine", "baseline", "profile" (shares of time and accesses, bytes), "bounds"
 * (seconds of each term on the NDPs), "why" (sentences). */
json_t *report_advise_channel(const json_t *run, const json_t *ndps);
void report_advise_channel_print(FILE *out, const json_t *advice);

#endif
