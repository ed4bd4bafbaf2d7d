/* decision.h - what TOM's offload controller decides for one instance of a candidate block (TOM section 4.2), as a
 * function of what its hardware sees. */
#ifndef STRATA_NDP_TOM_DECISION_H
#define STRATA_NDP_TOM_DECISION_H

#include <stdbool.h>
#include <stdint.h>

#include "ndp/tom/params.h"

enum tom_decision {
	TOM_OFFLOAD,
	TOM_KEEP_CONDITION, /* step 1 */
	TOM_KEEP_TX_BUSY,   /* step 2 */
	TOM_KEEP_RX_BUSY,
	TOM_KEEP_FULL, /* step 3 */
	TOM_KEEP_ALU,  /* ctrl_alu, after step 3 */
};

struct tom_situation {
	enum tom_control control;
	bool condition_holds; /* true for unconditional candidates */
	uint8_t tag;          /* NDP_TAG_TX, NDP_TAG_RX: offloading saves this direction */
	bool tx_is_busy, rx_is_busy;
	uint32_t pending_count, warp_limit; /* of the destination */
	double alu_ratio;                   /* of this block, 0 to 1 */
	double pending_alu, alu_limit;      /* sum over the blocks pending at the destination */
};

enum tom_decision tom_decide(const struct tom_situation *s);

#endif
