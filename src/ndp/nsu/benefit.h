/* benefit.h - does offloading a block save traffic with the caches as they are? (NSU, SC'17, section 7.3)
 *
 * Equation 1 again, with the loads' part measured: lines that the block's reads did not find in the GPU's caches. A
 * block whose score is not positive stays on the GPU, except for probes that notice when that changes.
 */
#ifndef STRATA_NDP_NSU_BENEFIT_H
#define STRATA_NDP_NSU_BENEFIT_H

#include <stdbool.h>
#include <stdint.h>

struct nsu_benefit_params {
	/* The paper multiplies the loads' term, whole lines of a warp, by the SIMD width again; its stores' term counts
	 * a warp's words once. Choice: without that factor; set: as printed. */
	bool as_printed;
	uint32_t line_bytes;	    /* 128 */
	uint32_t learn_count;	    /* offloaded instances before a block is judged; choice: 64 */
	uint32_t decay_epoch_count; /* the sums are halved after this many epochs; choice: 16 */
	double probe_ratio;	    /* share of a suppressed block's instances that go; choice: 0.01 */
};
extern const struct nsu_benefit_params nsu_benefit_default;

/* One block of a kernel; all zero but for the first two at first. */
struct nsu_benefit {
	uint32_t overhead_bytes; /* of a warp: registers sent and returned */
	uint32_t store_bytes;	 /* of a warp: what its stores write */
	bool is_suppressed;
	/* private */
	uint64_t read_count, hit_count, instance_count; /* sums that decay */
	uint32_t judged_count; /* instances so far, up to learn_count */
};

/* An offloaded instance has ended: its reads sent this many packets, of which the caches answered hit_count. */
void nsu_benefit_add(struct nsu_benefit *b, const struct nsu_benefit_params *p, uint32_t read_count,
		     uint32_t hit_count);
/* Bytes of a warp that offloading saves, by the sums; negative: it costs. 0 when nothing is known. */
int64_t nsu_benefit_score(const struct nsu_benefit *b, const struct nsu_benefit_params *p);
/* Halves the sums; called every decay_epoch_count epochs. */
void nsu_benefit_decay(struct nsu_benefit *b);

#endif
