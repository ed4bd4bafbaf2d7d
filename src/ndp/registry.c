/* registry.c - makes the mechanism that the configuration names. */
#include "ndp/registry.h"

#include "base/check.h"
#include "ndp/mechanism.h"

static const struct ndp_mechanism *const mechanisms[] = {
#define MECHANISM(choice, symbol) [choice] = &ndp_##symbol,
#include "ndp/mechanisms.def"
#undef MECHANISM
};

static const char *const names[] = {
#define NAME(choice, name) #name,
	NDP_MECHANISMS(NAME)
#undef NAME
};

const struct gpu_guest_ops *ndp_mechanism_new(const struct gpu_config *config, void **ctx, struct base_diag_list *diag)
{
	uint64_t which = config->ndp.mechanism;

	CHECK(which < ARRAY_COUNT(mechanisms));
	*ctx = NULL;
	if (!mechanisms[which])
		return NULL;
	*ctx = mechanisms[which]->create(config, diag);
	return *ctx ? &mechanisms[which]->ops : NULL;
}

bool ndp_mechanism_check(const struct gpu_config *config, struct base_diag_list *diag)
{
	uint32_t before = diag->error_count;
	void *ctx;
	const struct gpu_guest_ops *ops = ndp_mechanism_new(config, &ctx, diag);

	if (ops)
		ops->free(ctx);
	return diag->error_count == before;
}

uint32_t ndp_mechanism_storage(const struct gpu_config *config, struct ndp_storage *items)
{
	const struct ndp_mechanism *m = mechanisms[config->ndp.mechanism];

	return m && m->storage ? m->storage(config, items) : 0;
}

const char *ndp_mechanism_name(uint32_t mechanism)
{
	return mechanism < ARRAY_COUNT(names) ? names[mechanism] : NULL;
}
