/* timed.c - the window of a block, by the times of its instances. */
#include "ndp/blocks/timed.h"

#include <stddef.h>

#include "base/check.h"

enum {
	MEAN_OF = 16, /* instances at home that the mean follows */
	REST_LEAST = 64,
	REST_MOST = 4096,
};

bool ndp_timed_may_go(struct ndp_timed *t, uint32_t first)
{
	if (!t->window)
		t->window = first;
	if (t->rest_count) {
		t->rest_count--;
		return false;
	}
	return t->away_count < t->window;
}

void ndp_timed_goes(struct ndp_timed *t)
{
	t->away_count++;
}

static void took_longer(struct ndp_timed *t)
{
	if (t->window > 1) {
		t->window--;
		return;
	}
	t->rest_all = t->rest_all ? t->rest_all * 2 : REST_LEAST;
	if (t->rest_all > REST_MOST)
		t->rest_all = REST_MOST;
	t->rest_count = t->rest_all;
}

static void took_no_longer(struct ndp_timed *t)
{
	t->window += t->window < UINT32_MAX;
	t->rest_all = 0;
}

void ndp_timed_ended(struct ndp_timed *t, bool was_away, uint64_t ps, uint32_t accesses)
{
	const double each = accesses ? (double)ps / accesses : 0;

	if (was_away) {
		CHECK(t->away_count);
		t->away_count--;
	}
	if (!accesses)
		return;
	if (!was_away) {
		t->home_ps += t->has_home ? (each - t->home_ps) / MEAN_OF : each;
		t->has_home = true;
	} else if (t->has_home && each > t->home_ps) {
		took_longer(t);
	} else if (t->has_home) {
		took_no_longer(t);
	}
}

void ndp_timed_leave(struct ndp_timed_instance *i, uint64_t now_ps)
{
	CHECK(i->of);
	ndp_timed_goes(i->of);
	i->begin_ps = now_ps;
	i->is_away = true;
}

void ndp_timed_close(struct ndp_timed_instance *i, uint64_t now_ps)
{
	if (!i->of)
		return;
	ndp_timed_ended(i->of, i->is_away, now_ps - i->begin_ps, i->accesses + (i->ends_in_access && !i->is_away));
	i->of = NULL;
}
