/* window.h - how many instances of a block may be away, by the rates that are seen (ndp.away = auto).
 *
 * A window bounds the instances of a block that are away. What an access takes, waits included, is known for those at
 * home and those away while they run: the time that they spend there, all added up, by their accesses. At a look the
 * window opens, four times as wide or twice, while an access takes no longer away; and also while it takes longer, if a
 * link to the GPU is full of what such blocks ask for, the delay of an instance is less than what the launch can hide,
 * and more is done, all instances together, than before it was opened. Else it closes by half, down to a probe, after
 * which the next ones come after 64, 256, 1,024 and 4,096 instances. Of more instances an access takes longer as far as
 * the units' issue is full of them then: until it is, they wait beside each other.
 *
 * What is sent cannot be called back, and may be long: where no link is full it opens as instances come back, or, where
 * the code says how long they are, once the units' issue has been seen with those that it let go. It closes as well
 * where a launch waited for those away by which they were slower than at home, and by which the last of them was longer
 * than others: nobody knows what that would have taken there.
 */
#ifndef STRATA_NDP_BLOCKS_WINDOW_H
#define STRATA_NDP_BLOCKS_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

/* The time that instances spend at a place, added up, and their accesses; both fade as accesses come. */
struct ndp_sum {
	double ps, accesses;
};

/* The instances at one place. */
struct ndp_side {
	uint32_t count;	   /* there now */
	uint64_t since_ps; /* the sums are as of then */
	uint64_t left_ps;  /* the last one left, in this launch */
	struct ndp_sum late, slow; /* of a few accesses of each; of many */
};

/* What is known of a block. Zeroed: nothing. */
struct ndp_window {
	struct ndp_side home, away;
	double took_ps;	   /* an instance away, mean of those that came back */
	double last_took_ps; /* the one that came back last */
	uint64_t first_ps; /* the first one went in this launch */
	uint64_t opened_ps; /* when it was opened last */
	uint32_t width;
	uint32_t returned_count; /* in all, up to the mean's length */
	uint32_t fresh_accesses; /* away, and instances that came back, since the last look */
	uint32_t fresh_returns;	 /* since it was opened */
	uint32_t rest_count, rest_all; /* instances until the next probe; of them all */
	uint32_t hold_count, hold_all; /* looks before it is opened again; of them all */
	double before;	/* accesses in a picosecond, of all, at the last look */
	bool is_opened; /* it was opened then */
	uint32_t asked_count;
};

/* What the machine is like when a block asks. */
struct ndp_scene {
	uint64_t now_ps;
	uint64_t so_far_ps; /* that the launch has taken */
	uint64_t slack_ps;  /* a delay that the launch hides */
	bool is_relief;	    /* a link is full of what such blocks ask for at home */
	double load;	    /* the share of the units' issue that was used, 1: all, or nobody knows */
	uint64_t load_ps;   /* from then on, for a while */
	bool is_counted;    /* the code says how long an instance is */
	uint32_t sure; /* so many may be away before one has come back */
	uint32_t first, most, most_relief; /* instances that may be away at first, and at most */
};

/* A launch begins: those that were away, if it ended in a fault, are so no more. */
void ndp_window_begin(struct ndp_window *w, uint64_t now_ps);
/* It has ended: closes the window if it waited for those that were away. */
void ndp_window_end(struct ndp_window *w, uint64_t begin_ps, uint64_t now_ps);
/* Nothing of the block goes for a while: true once for each instance of it. */
bool ndp_window_rests(struct ndp_window *w);
/* Looks at what has been seen since, and says whether one more may go. */
bool ndp_window_may_go(struct ndp_window *w, const struct ndp_scene *s);

/* ---- the instances under way, one a warp slot ---- */

struct ndp_visit {
	struct ndp_window *of; /* NULL: none is open */
	uint64_t begin_ps;
	bool is_away;
};

void ndp_visit_open(struct ndp_visit *v, struct ndp_window *of, uint64_t now_ps);
/* The instance, which is open, leaves; makes an access; ends. */
void ndp_visit_leave(struct ndp_visit *v, uint64_t now_ps);
void ndp_visit_access(struct ndp_visit *v, uint64_t now_ps);
void ndp_visit_close(struct ndp_visit *v, uint64_t now_ps);

#endif
