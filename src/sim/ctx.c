/* ctx.c - a machine's context: made, freed, and hashed. */
#include "sim/ctx.h"

#include <string.h>

#include "base/hash.h"

void sim_ctx_open(struct sim_ctx *c, bool audit)
{
	*c = (struct sim_ctx){.engine = sim_engine_new(), .stats = sim_stats_new(), .audit = audit};
}

void sim_ctx_close(struct sim_ctx *c)
{
	sim_engine_free(c->engine);
	sim_stats_free(c->stats);
}

static void hash_stat(void *ctx, const char *prefix, const struct sim_stat_desc *row, uint64_t value,
		      const struct sim_hist *hist)
{
	uint64_t *sum = ctx, h = base_hash_add(BASE_HASH_BEGIN, prefix, strlen(prefix));

	h = base_hash_add(h, row->name, strlen(row->name));
	h = base_hash_add(h, &value, sizeof(value));
	if (hist) {
		const uint64_t head[] = {hist->count, hist->sum, hist->max};

		h = base_hash_add(h, head, sizeof(head));
		h = base_hash_add(h, hist->bucket, sizeof(hist->bucket));
	}
	*sum += h; /* the same in whatever order the parts have added their tables */
}

uint64_t sim_ctx_hash(const struct sim_ctx *c)
{
	uint64_t sum = 0, now = sim_now_units(c->engine);

	sim_stats_each(c->stats, hash_stat, &sum);
	return base_hash_add(base_hash_add(BASE_HASH_BEGIN, &sum, sizeof(sum)), &now, sizeof(now));
}
