/* advise_channel.h - would near-data processors on the memory channels serve a program of threads better than its CPU
 * alone?
 *
 * A closed form like advise.h's, nothing of it fitted, from one run on the CPU and a recording with a thread for each
 * of the NDPs' cores: the threads of the program's parallel part are on these, which channel.place=flat does. See
 * docs/advise.md for the terms.
 */
#ifndef STRATA_REPORT_ADVISE_CHANNEL_H
#define STRATA_REPORT_ADVISE_CHANNEL_H

#include <jansson.h>
#include <stdio.h>

#include "report/advise_walk.h"

/* Is there a part of a CPU's run in which several cores work? The others would be on no NDP. */
bool report_advise_is_parallel(const json_t *run);

/* run: a result of a CPU's run. walk: of the recording, zeroed where nothing is parallel. ndps: what
 * machine_session_json says of the machine with NDPs. An object: "levels" (cpu and channel, the better first: name,
 * what, time_ps, speedup), best ("cpu" where NDPs gain less than 5 %), margin, confidence, "machine", "baseline",
 * "profile" (shares of time and accesses, bytes), "bounds" (seconds of each term on the NDPs), "why" (sentences). */
json_t *report_advise_channel(const json_t *run, const struct report_advise_walk *walk, const json_t *ndps);
void report_advise_channel_print(FILE *out, const json_t *advice);

#endif
