/* climb.h - the offload ratio by hill climbing (NSU, SC'17, section 7.2, Algorithm 1).
 *
 * At the end of every epoch the ratio moves on in its direction, which turns when less was done than in the epoch
 * before. Many turns shorten the step, few lengthen it. Where the listing and the text disagree, or the listing cannot
 * be meant, a switch chooses; the defaults follow the text.
 */
#ifndef STRATA_NDP_NSU_CLIMB_H
#define STRATA_NDP_NSU_CLIMB_H

#include <stdbool.h>
#include <stdint.h>

enum { NSU_CLIMB_WINDOW_MAX = 64 };

struct nsu_climb_params {
	double ratio_init, step_max, step_min, step_unit; /* in millionths at the finest */
	uint32_t window; /* epochs of the history of turns, at most NSU_CLIMB_WINDOW_MAX */
	bool starts_down; /* the first direction; the paper states none */
	/* Listing: the ratio moves by step_unit; text: by the current step. */
	bool moves_by_unit;
	/* Listing: a ratio outside [step_unit, 1 - step_unit] does not move any more. Else the ratio that it moves to
	 * is kept within these bounds. */
	bool guards_old_ratio;
	/* Listing: with many turns at the least step the step grows. Else it stays. */
	bool grows_at_least_step;
};
extern const struct nsu_climb_params nsu_climb_default; /* the constants of section 7.2, all switches off */

struct nsu_climb {
	struct nsu_climb_params params;
	/* private; millionths, so that no rounding moves a bound */
	int32_t ratio, step;
	int32_t direction;
	uint64_t turned; /* bit n: n epochs ago */
	uint32_t turned_count; /* epochs of it that are known */
	double before;	       /* the epoch before */
	bool has_before;
};

void nsu_climb_init(struct nsu_climb *c, const struct nsu_climb_params *params);

/* An epoch has ended in which this much was done: instructions of offload blocks per cycle, wherever they ran. An epoch
 * without any (0) is skipped; the first one only begins the history. */
void nsu_climb_epoch(struct nsu_climb *c, double ipc);

double nsu_climb_ratio(const struct nsu_climb *c); /* 0 to 1 */

#endif
