/* decision.c - the steps of TOM section 4.2 in their order. */
#include "ndp/tom/decision.h"

#include "ndp/blocks/candidates.h"

enum tom_decision tom_decide(const struct tom_situation *s)
{
	if (!s->condition_holds)
		return TOM_KEEP_CONDITION;
	if (s->control == TOM_CONTROL_NONE)
		return TOM_OFFLOAD;
	if (s->tx_is_busy && !(s->tag & NDP_TAG_TX))
		return TOM_KEEP_TX_BUSY;
	if (s->rx_is_busy && !(s->tag & NDP_TAG_RX))
		return TOM_KEEP_RX_BUSY;
	if (s->pending_count >= s->warp_limit)
		return TOM_KEEP_FULL;
	if (s->control == TOM_CONTROL_CTRL_ALU && s->pending_alu + s->alu_ratio > s->alu_limit)
		return TOM_KEEP_ALU;
	return TOM_OFFLOAD;
}
