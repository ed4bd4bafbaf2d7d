/* core_channels.h - which channel's lines processors and NDPs waited for. */
#ifndef STRATA_REPORT_CORE_CHANNELS_H
#define STRATA_REPORT_CORE_CHANNELS_H

#include <jansson.h>
#include <stdio.h>

struct machine_explain;

/* Of the account of a run (core_account of docs/results.md), by channel: ps of the processors and of the NDPs, and
 * what it was. Adds to findings if the channels are out of balance and that is much of all_ps, the time of all units.
 * Free with json_decref. */
json_t *report_core_channels(const json_t *account, const struct machine_explain *explain, double all_ps,
			     json_t *findings);
void report_core_channels_print(FILE *out, const json_t *channels);

#endif
