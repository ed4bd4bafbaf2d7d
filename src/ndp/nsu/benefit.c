/* benefit.c - traffic saved by a block, from the hits and misses that were seen. */
#include "ndp/nsu/benefit.h"

#include "base/check.h"

enum { WARP_LANES = 32 };

const struct nsu_benefit_params nsu_benefit_default = {
	.line_bytes = 128,
	.learn_count = 64,
	.decay_epoch_count = 16,
	.probe_ratio = 0.01,
};

int64_t nsu_benefit_score(const struct nsu_benefit *b, const struct nsu_benefit_params *p)
{
	uint64_t miss_count = b->read_count - b->hit_count;
	uint64_t line_bytes = (uint64_t)p->line_bytes * (p->as_printed ? WARP_LANES : 1);

	if (!b->instance_count)
		return 0;

	/* The average number of lines times their miss rate, rounded up: misses per instance. */
	uint64_t line_count = (miss_count + b->instance_count - 1) / b->instance_count;

	return (int64_t)(line_count * line_bytes + b->store_bytes) - (int64_t)b->overhead_bytes;
}

void nsu_benefit_add(struct nsu_benefit *b, const struct nsu_benefit_params *p, uint32_t read_count,
		     uint32_t hit_count)
{
	CHECK(hit_count <= read_count);
	b->read_count += read_count;
	b->hit_count += hit_count;
	b->instance_count++;
	if (b->judged_count < p->learn_count)
		b->judged_count++;
	if (b->judged_count == p->learn_count)
		b->is_suppressed = nsu_benefit_score(b, p) <= 0;
}

void nsu_benefit_decay(struct nsu_benefit *b)
{
	b->read_count /= 2;
	b->hit_count /= 2;
	b->instance_count /= 2;
	if (b->hit_count > b->read_count)
		b->hit_count = b->read_count;
}
