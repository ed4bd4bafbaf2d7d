/* candidates.h - TOM's static selection of offload candidate blocks (TOM, ISCA'16, section 3.1).
 *
 * A candidate is a single-entry, single-exit region of one entry function: instructions [begin, last] in text order,
 * entered only at begin and left only to end. It contains no shared-memory access, no barrier, fence or atomic, no
 * call, no exit, nothing that only the home SM knows (special registers), and no loop without a memory access
 * (docs/decisions/0005); instructions across the lanes of a warp only where allows_shuffles is set. Its cost and
 * benefit in words per warp:
 *
 *   BW_TX = REG_TX*S_W - (N_LD*Coal_LD*Miss_LD + N_ST*(S_W + Coal_ST))            equation 3
 *   BW_RX = REG_RX*S_W - (N_LD*Coal_LD*S_C*Miss_LD + 1/4*N_ST*Coal_ST)            equation 4
 *
 * with a loop's loads and stores multiplied by its trip count; candidate <=> BW_TX + BW_RX < 0.
 */
#ifndef STRATA_NDP_BLOCKS_CANDIDATES_H
#define STRATA_NDP_BLOCKS_CANDIDATES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "ptx/cfg.h"

/* The cost model's constants (TOM section 3.1.1). */
struct ndp_cost_params {
	double warp_size;	 /* S_W, threads */
	double line_words;	 /* S_C: line size over address size */
	double load_coalescing;	 /* Coal_LD, lines per warp access */
	double store_coalescing; /* Coal_ST */
	double load_miss_rate;	 /* Miss_LD, 0..1 */
	/* A register whose only definition is a kernel parameter, an immediate or a variable's address need not travel:
	 * the block loads it again from the constant bank that every SM of the launch has. */
	bool rematerialise;
	/* Words of a 64-bit integer that flows into an address. TOM counts an address as one (section 3.1.1: address,
	 * data word and register have the same size), as on a machine of 32-bit addresses. */
	double pointer_words;
	/* The 2-bit tag of a conditional candidate is that of this many iterations, where it needs no more; 0: that of
	 * the fewest that pay, which is all that the compiler knows. */
	uint64_t tag_trip_count;
	bool allows_shuffles; /* shuffles, votes, matches and reductions of a warp may be in a candidate */
	uint32_t register_limit; /* a candidate has at most so many 32-bit registers live at once; 0: any number */
};
extern const struct ndp_cost_params ndp_cost_default; /* 32, 32, 1, 1, 0.5, true, 1, 0, false, 0 */

struct ndp_bandwidth {
	double tx_words, rx_words; /* change caused by offloading; negative saves */
};

/* Equations 3 and 4. Registers in 4-byte words per thread (a 64-bit register is two); a predicate costs one word per
 * warp, so it enters as 1/S_W. Loads and stores in 4-byte accesses per thread. */
struct ndp_bandwidth ndp_bandwidth_change(const struct ndp_cost_params *p, double reg_tx, double reg_rx, double loads,
					  double stores);

enum ndp_trip_kind {
	NDP_TRIP_NO_LOOP,
	NDP_TRIP_STATIC,  /* case 1: known at compile time */
	NDP_TRIP_RUNTIME, /* case 2: known before the loop and needed: conditional candidate */
	NDP_TRIP_UNKNOWN, /* case 3: counted as one; also case 2 where one pass already pays */
};

enum { NDP_NO_REG = UINT32_MAX };

/* Offload only if the register, or its difference from another of the same width, read as a signed 64-bit or 32-bit
 * integer, is at least (or at most) threshold. Two registers are the paper's own second example, a loop from Nmat to N
 * (Figure 4). */
struct ndp_condition {
	bool exists;
	uint32_t reg, less_reg; /* virtual registers of the function; less_reg may be NDP_NO_REG */
	bool is_at_most;
	int64_t threshold;
};

enum { NDP_TAG_TX = 1, NDP_TAG_RX = 2 }; /* offloading saves this direction */

struct ndp_candidate {
	uint32_t begin, last; /* first and last instruction of the region in text order */
	uint32_t end;	      /* where execution goes on afterwards (last + 1, or the loop's exit) */
	uint32_t *live_in, live_in_count; /* virtual registers, ascending */
	uint32_t *live_out, live_out_count;
	uint32_t *remat, remat_count; /* registers that the block recomputes from constants, see ndp_cost_params */
	uint32_t live_max; /* most 32-bit registers live at once, of those that the region reads, writes or returns */
	double reg_tx_words, reg_rx_words; /* per thread */
	uint32_t load_count, store_count;  /* static instructions */
	double loads, stores; /* 4-byte accesses per thread with static trip counts, the outermost run-time loop once */
	enum ndp_trip_kind trip_kind;
	bool is_counted; /* how often each of its loops runs is known when that begins */
	uint64_t trip_count; /* static: the outermost loop's count; run-time: the smallest count that pays */
	struct ndp_condition condition;
	struct ndp_bandwidth bandwidth; /* with trip_count applied */
	uint8_t tag;
};

struct ndp_candidate_set {
	const struct ptx_func *func;
	struct ndp_candidate *items;
	uint32_t count;
};

/* Finds the candidates of a function, non-overlapping, in text order: first profitable loops, the innermost of a nest;
 * then the outermost of the other profitable regions; then, within a straight run, the sub-range with the largest
 * saving, the shorter on ties. docs/decisions/0005 says why. */
struct ndp_candidate_set *ndp_candidates_find(const struct ptx_cfg *cfg, const struct ndp_cost_params *p);
void ndp_candidates_free(struct ndp_candidate_set *set);

/* One paragraph per candidate: lines, live-ins, live-outs, score, tags, condition. */
void ndp_candidates_print(FILE *out, const struct ndp_candidate_set *set);

#endif
