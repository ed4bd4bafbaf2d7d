/* timed.h - a block goes only while it takes no longer away than at home (ndp.timed).
 *
 * So many warps run at a time, whatever they wait for: what shortens their blocks makes a kernel faster. For each block
 * the time of an access, waits included, is known where it ran at home, and of each instance that comes back. A window
 * bounds how many instances are away; one that took no longer than at home opens it by one, one that took longer
 * closes it by one, down to a probe. After a probe that took longer the next one comes after 64 instances, and after
 * each such probe in a row after twice as many, up to 4,096.
 */
#ifndef STRATA_NDP_BLOCKS_TIMED_H
#define STRATA_NDP_BLOCKS_TIMED_H

#include <stdbool.h>
#include <stdint.h>

/* What is known of a block. Zeroed: nothing. */
struct ndp_timed {
	double home_ps; /* an access, mean of the latest instances */
	bool has_home;	/* it is known */
	uint32_t window, away_count;
	uint32_t rest_count, rest_all; /* instances until the next probe; of them all */
};

/* May one more instance go? first: the window of a block of which nothing is known. */
bool ndp_timed_may_go(struct ndp_timed *t, uint32_t first);
void ndp_timed_goes(struct ndp_timed *t);
/* An instance of so many accesses has ended, at home or away, after so long. Without accesses it says nothing. */
void ndp_timed_ended(struct ndp_timed *t, bool was_away, uint64_t ps, uint32_t accesses);

/* ---- the instances under way, one a warp slot ---- */

struct ndp_timed_instance {
	struct ndp_timed *of; /* NULL: none is open */
	uint64_t begin_ps;
	uint32_t accesses;
	bool is_away;
	bool ends_in_access; /* one more access at home: it has ended once that is issued, before it is told of it */
};

static inline void ndp_timed_open(struct ndp_timed_instance *i, struct ndp_timed *of, uint64_t now_ps)
{
	*i = (struct ndp_timed_instance){.of = of, .begin_ps = now_ps};
}

/* The instance, which is open, leaves. */
void ndp_timed_leave(struct ndp_timed_instance *i, uint64_t now_ps);
void ndp_timed_close(struct ndp_timed_instance *i, uint64_t now_ps);

#endif
