/* ext.c - calls the extensions that watch a warp. */
#include "gpu/priv.h"

void gpu_ext_list_add(struct gpu_ext_list *list, const struct gpu_ext_ops *ops, void *self)
{
	CHECK(list->count < GPU_EXT_MAX);
	list->items[list->count] = (struct gpu_ext){ops, self, list->count};
	list->count++;
}

void *gpu_ext_self(const struct gpu *g, const struct gpu_ext_ops *ops)
{
	for (uint32_t i = 0; i < g->exts.count; i++)
		if (g->exts.items[i].ops == ops)
			return g->exts.items[i].self;
	return NULL;
}

/* Who watches the warp for a point: bit GPU_POINT_COUNT * number. */
static uint64_t watchers(const struct sm_warp *w, enum gpu_point point)
{
	return w->watch >> point & GPU_POINT_ALL;
}

/* The first of them. */
static const struct gpu_ext *ext_of(const struct sm *sm, uint64_t watchers)
{
	return &sm->gpu->exts.items[(uint32_t)__builtin_ctzll(watchers) / GPU_POINT_COUNT];
}

void sm_watch(const struct gpu_ext *e, struct sm_warp *w, uint32_t points)
{
	w->watch |= (uint64_t)points << GPU_POINT_COUNT * e->number;
	if (points & ~e->ops->own_points)
		w->sm->gpu->keeps_answers = false;
}

bool gpu_ext_evaluate(struct sm *sm, struct sm_warp *w)
{
	for (uint64_t m = watchers(w, GPU_POINT_EVALUATE); m; m &= m - 1) {
		const struct gpu_ext *e = ext_of(sm, m);

		if (e->ops->evaluate(e->self, sm, w))
			return true;
	}
	return false;
}

bool gpu_ext_enter(struct sm *sm, struct sm_warp *w)
{
	const struct gpu_ext_list *list = &sm->gpu->exts;

	for (uint32_t i = 0; i < list->count; i++) {
		if (list->items[i].ops->enter && list->items[i].ops->enter(list->items[i].self, sm, w))
			return true;
	}
	return false;
}

bool gpu_ext_issue(struct sm *sm, struct sm_warp *w)
{
	for (uint64_t m = watchers(w, GPU_POINT_ISSUE); m; m &= m - 1) {
		const struct gpu_ext *e = ext_of(sm, m);

		if (e->ops->issue(e->self, sm, w))
			return true;
	}
	return false;
}

void gpu_ext_stepped(struct sm *sm, struct sm_warp *w, const struct simt_step *step)
{
	for (uint64_t m = watchers(w, GPU_POINT_STEPPED); m; m &= m - 1) {
		const struct gpu_ext *e = ext_of(sm, m);

		e->ops->stepped(e->self, sm, w, step);
	}
}

void gpu_ext_branched(struct sm *sm, struct sm_warp *w, uint32_t from_pc)
{
	const struct gpu_ext_list *list = &sm->gpu->exts;

	for (uint32_t i = 0; i < list->count; i++) {
		if (list->items[i].ops->branched)
			list->items[i].ops->branched(list->items[i].self, w, from_pc);
	}
}

void gpu_ext_access(struct sm *sm, struct sm_warp *w, const struct simt_step *step, const struct coalesced_line *lines,
		    uint32_t count)
{
	for (uint64_t m = watchers(w, GPU_POINT_ACCESS); m; m &= m - 1) {
		const struct gpu_ext *e = ext_of(sm, m);

		e->ops->access(e->self, w, step, lines, count);
	}
}

bool gpu_ext_returned(struct sm *sm, struct sm_warp *w, bool is_load)
{
	bool wants_evaluation = false;

	for (uint64_t m = watchers(w, GPU_POINT_RETURNED); m; m &= m - 1) {
		const struct gpu_ext *e = ext_of(sm, m);

		wants_evaluation |= e->ops->returned(e->self, sm, w, is_load);
	}
	return wants_evaluation;
}

void gpu_ext_store(struct sm *sm, struct sm_warp *w, uint64_t line_addr_bytes)
{
	for (uint64_t m = watchers(w, GPU_POINT_STORE); m; m &= m - 1) {
		const struct gpu_ext *e = ext_of(sm, m);

		e->ops->store(e->self, w, line_addr_bytes);
	}
}

void gpu_ext_due(struct sm *sm, struct sm_warp *w)
{
	for (uint64_t m = watchers(w, GPU_POINT_DUE); m; m &= m - 1) {
		const struct gpu_ext *e = ext_of(sm, m);

		e->ops->due(e->self, sm, w);
	}
}
