/* window.c - the window of a block, by the rates of its instances. */
#include "ndp/blocks/window.h"

#include <stddef.h>

#include "base/check.h"

enum {
	SIDE_ACCESSES = 128, /* and two of each instance there: so long sums remember */
	LONGER = 64,	     /* times as many, of the sums that remember longer */
	EVIDENCE = 8,	     /* accesses away, and one of each instance there, before the width is looked at */
	MEAN_OF = 16,	     /* instances that the mean follows */
	WIDER = 4,
	REST_LEAST = 64,
	REST_MOST = 4096,
	HOLD_LEAST = 4,
	HOLD_MOST = 64,
	SAMPLE_OF = 32, /* one of so many instances stays, so that it is known what they take at home */
	RISK_PART = 8,	/* of the time of the launch so far: what instances away may take, with a full link */
	TAIL_PART = 32, /* of a launch: so much later than the last at home the last away may be back */
	LONG_TAIL_PART = 8, /* after a longer one only probes go */
};
static const double LESS = 0.97; /* of what was done before: the rest is noise */

/* ---- rates ---- */

static void pass(struct ndp_side *d, uint64_t now_ps)
{
	const double ps = (double)d->count * (double)(now_ps - d->since_ps);

	d->late.ps += ps;
	d->slow.ps += ps;
	d->since_ps = now_ps;
}

static void enter(struct ndp_side *d, uint64_t now_ps)
{
	pass(d, now_ps);
	d->count++;
}

static void leave(struct ndp_side *d, uint64_t now_ps)
{
	pass(d, now_ps);
	CHECK(d->count);
	d->count--;
	d->left_ps = now_ps;
}

/* What came so many accesses before counts a third. */
static void sum_access(struct ndp_sum *s, double length)
{
	s->ps -= s->ps / length;
	s->accesses += 1 - s->accesses / length;
}

static void note_access(struct ndp_side *d, uint64_t now_ps)
{
	const double length = SIDE_ACCESSES + 2.0 * d->count;

	pass(d, now_ps);
	sum_access(&d->late, length);
	sum_access(&d->slow, LONGER * length);
}

/* What an access takes; before the first one what all have waited for it. */
static double access_ps(const struct ndp_sum *s)
{
	return s->accesses > 1 ? s->ps / s->accesses : s->ps;
}

/* What is known of the block at a look. */
struct seen {
	double home_ps, away_ps; /* of an access */
	double took_ps;		 /* of an instance away */
	double throughput;	 /* accesses in a picosecond, wherever they are made */
};

static struct seen see(struct ndp_window *w, uint64_t now_ps)
{
	struct seen n = {.took_ps = w->returned_count ? w->took_ps : (double)(now_ps - w->first_ps)};
	double late_ps, slow_ps;

	pass(&w->home, now_ps);
	pass(&w->away, now_ps);
	late_ps = access_ps(&w->home.late);
	slow_ps = access_ps(&w->home.slow);
	/* A launch's begin and end are slow wherever its warps are. */
	n.home_ps = slow_ps < late_ps ? slow_ps : late_ps;
	n.away_ps = access_ps(&w->away.late);
	n.throughput = n.home_ps > 0 ? w->home.count / n.home_ps : 0;
	n.throughput += n.away_ps > 0 ? w->away.count / n.away_ps : 0;
	return n;
}

/* How much longer an instance takes away than at home, if it takes so many times what it does. */
static double delay_ps(const struct seen *n, double times)
{
	const double away_ps = times * n->away_ps;

	return away_ps > n->home_ps ? times * n->took_ps * (1 - n->home_ps / away_ps) : 0;
}

/* ---- the width ---- */

static void close_it(struct ndp_window *w)
{
	if (w->width > 1) {
		w->width /= 2;
		return;
	}
	w->rest_all = w->rest_all ? 4 * w->rest_all : REST_LEAST;
	if (w->rest_all > REST_MOST)
		w->rest_all = REST_MOST;
	w->rest_count = w->rest_all;
}

/* It was opened too far, and is not opened again before so many looks. */
static void hold(struct ndp_window *w)
{
	w->hold_all = w->hold_all ? 2 * w->hold_all : HOLD_LEAST;
	if (w->hold_all > HOLD_MOST)
		w->hold_all = HOLD_MOST;
	w->hold_count = w->hold_all;
}

/* Has the units' issue been seen since those were away that the window lets go? */
static bool is_load_known(const struct ndp_window *w, const struct ndp_scene *s)
{
	return s->is_counted && w->opened_ps < s->load_ps && w->away.count >= w->width;
}

static bool may_open(struct ndp_window *w, const struct ndp_scene *s)
{
	if (w->hold_count) {
		w->hold_count--;
		return false;
	}
	if (s->is_relief)
		return w->returned_count || w->width < s->sure;
	return 2 * w->fresh_returns >= w->width || is_load_known(w, s);
}

/* May it be so many times as wide? Those that are away then take as many times what they do, if the units' issue is
 * full; as long as it is not, no longer than now. */
static bool may_be(const struct ndp_scene *s, const struct seen *n, uint32_t times)
{
	const double longer = times * s->load > 1 ? times * s->load : 1;

	return delay_ps(n, longer) <= (double)s->slack_ps ||
	       (s->is_relief && times * n->took_ps <= (double)s->so_far_ps / RISK_PART);
}

static void open_it(struct ndp_window *w, const struct ndp_scene *s, const struct seen *n)
{
	const uint32_t all = s->is_relief ? s->most_relief : s->most, most = w->returned_count ? all : s->sure;
	uint32_t times = WIDER;

	while (times > 1 && !may_be(s, n, times))
		times /= 2;
	if (times == 1)
		return;
	w->is_opened = true;
	w->opened_ps = s->now_ps;
	w->fresh_returns = 0;
	w->rest_all = 0;
	if (w->width < most)
		w->width = w->width < most / times ? times * w->width : most;
}

/* Those that an earlier close has not let go again, but that are not back yet, say nothing of a narrower window. Before
 * any has come back nobody knows for how long they will not be. */
static bool is_reached(const struct ndp_window *w)
{
	return !w->returned_count || w->away.count <= w->width;
}

static void look(struct ndp_window *w, const struct ndp_scene *s)
{
	const struct seen n = see(w, s->now_ps);
	const double delay = delay_ps(&n, 1);
	const bool was_opened = w->is_opened, is_worse = was_opened && n.throughput < LESS * w->before;

	w->is_opened = false;
	if (delay > 0 && (!s->is_relief || delay > (double)s->slack_ps || is_worse)) {
		if (is_reached(w))
			close_it(w);
		if (was_opened)
			hold(w);
	} else if (may_open(w, s)) {
		open_it(w, s, &n);
	}
	w->before = n.throughput;
	w->fresh_accesses = 0;
}

/* Have those that are away shown enough? */
static bool is_time(const struct ndp_window *w)
{
	const uint32_t least = w->width < EVIDENCE ? w->width : EVIDENCE;

	return w->fresh_accesses >= least && w->fresh_accesses >= w->away.count;
}

void ndp_window_begin(struct ndp_window *w, uint64_t now_ps)
{
	w->home.count = w->away.count = 0;
	w->home.since_ps = w->away.since_ps = now_ps;
	w->home.left_ps = w->away.left_ps = w->first_ps = 0;
	w->is_opened = false;
}

/* So long the launch waited for the last one away: after the last one at home, and no longer than it was slower than
 * there. What it took longer than others is not known of home. */
static double tail_ps(struct ndp_window *w, uint64_t begin_ps, uint64_t now_ps)
{
	const uint64_t last_ps = w->home.left_ps > begin_ps ? w->home.left_ps : begin_ps;
	double later_ps, slower_ps;
	struct seen n;

	if (w->away.left_ps <= last_ps)
		return 0;
	later_ps = (double)(w->away.left_ps - last_ps);
	n = see(w, now_ps);
	slower_ps = delay_ps(&n, 1);
	if (w->last_took_ps > w->took_ps)
		slower_ps += w->last_took_ps - w->took_ps;
	return slower_ps < later_ps ? slower_ps : later_ps;
}

void ndp_window_end(struct ndp_window *w, uint64_t begin_ps, uint64_t now_ps)
{
	const double tail = tail_ps(w, begin_ps, now_ps), all_ps = (double)(now_ps - begin_ps);

	if (tail <= all_ps / TAIL_PART)
		return;
	if (tail > all_ps / LONG_TAIL_PART)
		w->width = 1;
	close_it(w);
	hold(w);
}

bool ndp_window_rests(struct ndp_window *w)
{
	if (!w->rest_count)
		return false;
	w->rest_count--;
	return true;
}

bool ndp_window_may_go(struct ndp_window *w, const struct ndp_scene *s)
{
	if (!w->width)
		w->width = s->first;
	if (is_time(w))
		look(w, s);
	if (++w->asked_count % SAMPLE_OF == 0)
		return false;
	return !w->rest_count && w->away.count < w->width;
}

/* ---- instances ---- */

void ndp_visit_open(struct ndp_visit *v, struct ndp_window *of, uint64_t now_ps)
{
	ndp_visit_close(v, now_ps);
	*v = (struct ndp_visit){.of = of, .begin_ps = now_ps};
	enter(&of->home, now_ps);
}

void ndp_visit_leave(struct ndp_visit *v, uint64_t now_ps)
{
	struct ndp_window *w = v->of;

	CHECK(w && !v->is_away);
	leave(&w->home, now_ps);
	enter(&w->away, now_ps);
	if (!w->first_ps)
		w->first_ps = now_ps;
	v->begin_ps = now_ps;
	v->is_away = true;
}

void ndp_visit_access(struct ndp_visit *v, uint64_t now_ps)
{
	struct ndp_window *w = v->of;

	if (!w)
		return;
	note_access(v->is_away ? &w->away : &w->home, now_ps);
	w->fresh_accesses += v->is_away;
}

static void came_back(struct ndp_window *w, double took_ps)
{
	w->returned_count += w->returned_count < MEAN_OF;
	w->took_ps += (took_ps - w->took_ps) / w->returned_count;
	w->last_took_ps = took_ps;
	w->fresh_returns++;
	w->fresh_accesses++;
}

void ndp_visit_close(struct ndp_visit *v, uint64_t now_ps)
{
	struct ndp_window *w = v->of;

	if (!w)
		return;
	v->of = NULL;
	leave(v->is_away ? &w->away : &w->home, now_ps);
	if (v->is_away)
		came_back(w, (double)(now_ps - v->begin_ps));
}
