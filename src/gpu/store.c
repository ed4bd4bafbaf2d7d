/* store.c - an SM's stores from issue to memory, counted by epoch: who must know that all stores of the SM up to now
 * are in memory closes the epoch as soon as the one before is empty, and waits until its own is. Later stores cannot
 * hold it.
 */
#include "gpu/priv.h"

bool sm_stores_drained(struct sm *sm, struct sm_drain *d)
{
	uint32_t *counts = sm->store_counts;

	if (counts[0] + counts[1] == 0)
		return true;
	if (!d->has_begun) {
		d->has_begun = true;
		d->epoch = sm->store_epoch;
	}
	if (d->epoch == sm->store_epoch && counts[(sm->store_epoch + 1) & 1] == 0)
		sm->store_epoch++;
	return sm->store_epoch - d->epoch > 1 || (sm->store_epoch != d->epoch && counts[d->epoch & 1] == 0);
}

void sm_store_end(struct sm *sm, uint8_t bank)
{
	const struct gpu_ext_list *list = &sm->gpu->exts;

	CHECK(sm->store_counts[bank]);
	if (--sm->store_counts[bank])
		return;
	for (uint32_t i = 0; i < list->count; i++) {
		if (list->items[i].ops->stores_done)
			list->items[i].ops->stores_done(list->items[i].self, sm);
	}
}
