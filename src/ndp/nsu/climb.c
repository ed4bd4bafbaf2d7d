/* climb.c - a step of Algorithm 1 per epoch, as printed and as described. */
#include "ndp/nsu/climb.h"

#include "base/check.h"

#include <math.h>

static const int32_t one = 1000000;

const struct nsu_climb_params nsu_climb_default = {
	.ratio_init = 0.1,
	.step_max = 0.15,
	.step_min = 0.05,
	.step_unit = 0.05,
	.window = 4,
};

static int32_t millionths(double ratio)
{
	return (int32_t)lround(ratio * one);
}

void nsu_climb_init(struct nsu_climb *c, const struct nsu_climb_params *params)
{
	CHECK(params->window >= 1 && params->window <= NSU_CLIMB_WINDOW_MAX);
	*c = (struct nsu_climb){
		.params = *params,
		.ratio = millionths(params->ratio_init),
		.step = millionths(params->step_max),
		.direction = params->starts_down ? -1 : 1,
	};
}

static void turn(struct nsu_climb *c, bool is_worse)
{
	uint32_t window = c->params.window;
	uint64_t mask = window == NSU_CLIMB_WINDOW_MAX ? UINT64_MAX : (1ull << window) - 1;

	if (is_worse)
		c->direction = -c->direction;
	c->turned = (c->turned << 1 | is_worse) & mask;
	if (c->turned_count < window)
		c->turned_count++;
}

static void step_change(struct nsu_climb *c)
{
	const struct nsu_climb_params *p = &c->params;
	int32_t unit = millionths(p->step_unit), least = millionths(p->step_min), most = millionths(p->step_max);
	bool is_restless = 2 * (uint32_t)__builtin_popcountll(c->turned) > p->window;

	if (is_restless && c->step > least)
		c->step = c->step - unit > least ? c->step - unit : least;
	else if ((!is_restless || p->grows_at_least_step) && c->step < most)
		c->step = c->step + unit < most ? c->step + unit : most;
}

static void ratio_move(struct nsu_climb *c)
{
	const struct nsu_climb_params *p = &c->params;
	int32_t unit = millionths(p->step_unit);
	int32_t moved = c->ratio + c->direction * (p->moves_by_unit ? unit : c->step);

	if (p->guards_old_ratio) {
		if (c->ratio >= unit && c->ratio <= one - unit)
			c->ratio = moved;
		return;
	}
	c->ratio = moved < unit ? unit : moved > one - unit ? one - unit : moved;
}

void nsu_climb_epoch(struct nsu_climb *c, double ipc)
{
	if (ipc <= 0)
		return;
	if (c->has_before) {
		turn(c, ipc < c->before);
		step_change(c);
		ratio_move(c);
	}
	c->has_before = true;
	c->before = ipc;
}

double nsu_climb_ratio(const struct nsu_climb *c)
{
	double ratio = (double)c->ratio / one;

	return ratio < 0 ? 0 : ratio > 1 ? 1 : ratio;
}
