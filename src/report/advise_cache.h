/* advise_cache.h - would the arrays of a server's last-level caches (Duality Cache) serve a program better than a GPU?
 *
 * A closed form like advise.h's, nothing of it fitted, of the whole program: a GPU behind a bus needs copies, the
 * caches none. See docs/advise.md for the terms.
 */
#ifndef STRATA_REPORT_ADVISE_CACHE_H
#define STRATA_REPORT_ADVISE_CACHE_H

#include <jansson.h>
#include <stdio.h>

/* run: a result with "profile" of the GPU server; kernels_s: what its kernels are predicted to take there. caches: what
 * machine_session_json says of the machine whose caches compute. An object: name ("cache"), what, machine, baseline,
 * time_ps and baseline_time_ps of the whole program, speedup of it, kernels_speedup, best ("cache", or "gpu" where it
 * gains less than 5 %), margin, confidence, and "bounds": seconds of each term. */
json_t *report_advise_cache(const json_t *run, double kernels_s, const json_t *caches);
void report_advise_cache_print(FILE *out, const json_t *advice);

#endif
