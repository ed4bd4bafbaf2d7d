/* advise.h - which level of near-data processing would serve a program, from the profile of one run without timing.
 *
 * A closed form with the machine's parameters, nothing of it fitted to programs. A kernel takes as long as its slowest
 * resource: issue, each link direction, the links between stacks, DRAM, and the latency of its misses over the warps
 * that hide it. A level moves a share of its blocks, or CTAs, to the stacks: their lines leave the links, their
 * registers come on them, the stacks' SMs or units become a resource as well, and a warp whose block is away waits for
 * it. TOM moves whatever finds a place there; for the others the share is the one that is best, of which a real
 * mechanism knows nothing.
 */
#ifndef STRATA_REPORT_ADVISE_H
#define STRATA_REPORT_ADVISE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* SMs of the GPU in whose place the levels have a core in each stack, as on the machines that are shipped; 0 where the
 * machine has SMs or units in its stacks already. A machine with no more SMs than that has none left: no advice.
 * machine: a result, or what machine_session_json says of a machine. */
uint64_t report_advise_sms_replaced(const json_t *machine);

/* run: a result with "profile". An object:
 * - "levels": gpu (none), loops (TOM), instructions (NSU), CTAs (BOM): name, what, time_ps, speedup over gpu, share of
 *   the kernels' instructions that it moves; the best first;
 * - "best": the name of the first, gpu where no other gains more than 5 %;
 * - "margin": 0 to 1, how far the best is ahead of the next;
 * - "confidence": the share of right ones among predictions of other programs that were checked by real runs, of the
 *   same kind (gpu, or some level) and near in margin;
 * - "why": sentences with the profile's numbers;
 * - "profile": of all kernels: warps' instructions for a byte of DRAM, lanes in use, hits, near share. */
json_t *report_advise(const json_t *run);
/* What the kernels are predicted to take on the GPU alone. */
double report_advise_kernels_s(const json_t *run);
void report_advise_print(FILE *out, const json_t *advice);

#endif
