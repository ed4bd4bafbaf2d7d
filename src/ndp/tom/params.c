/* params.c - the table of what can be set. */
#include "ndp/tom/params.h"

#include "base/check.h"
#include "gpu/config.h"
#include "ndp/blocks/candidates.h"
#include "simt/simt.h"

static const struct sim_param_desc param_rows[] = {
#define PARAM_STRUCT struct tom_params
#include "sim/param_rows.inc"
#include "ndp/tom/tom_params.def"
#include "sim/param_end.inc"
};

struct ndp_cost_params tom_cost_of(const struct tom_params *p, bool allows_shuffles, const struct gpu_config *config)
{
	struct ndp_cost_params cost = ndp_cost_default;

	cost.pointer_words = (double)p->tom_pointer_words;
	cost.tag_trip_count = p->tom_tag_trip_count;
	cost.allows_shuffles = allows_shuffles;
	/* A warp has at least the register file to itself; see carry/block.c. */
	cost.register_limit = (uint32_t)(p->tom_block_register_count ? p->tom_block_register_count
								       : config->sm.register_count / SIMT_LANES);
	return cost;
}

static const struct sim_param_when param_whens[] = {
    {"*", "ndp.mechanism", "tom|tom-ideal"},
    {"tom_ideal_*", "ndp.mechanism", "tom-ideal"},
    {"tom_control", "ndp.mechanism", "tom"},
    {"tom_coherence", "ndp.mechanism", "tom"},
    {"tom_flush", "ndp.mechanism", "tom"},
    {"tom_copy_bytes", "ndp.mechanism", "tom"},
    {"tom_stay_*", "ndp.mechanism", "tom"},
    {"tom_latency_cycles", "ndp.mechanism", "tom"},
    {"tom_ask_again", "ndp.mechanism", "tom"},
    {"tom_busy_*", "ndp.mechanism", "tom"},
    {"tom_packet_bytes", "ndp.mechanism", "tom"},
    {"tom_free_messages", "ndp.mechanism", "tom"},
    {"tom_line_address_bytes", "ndp.mechanism", "tom"},
    {"tom_invalidate_cycles", "ndp.mechanism", "tom"},
    {"tom_table_*", "ndp.mechanism", "tom"},
    {"tom_begin_issues", "ndp.mechanism", "tom"},
    {"tom_alu_warp_count", "ndp.mechanism", "tom"},
    {"tom_flush", "ndp.tom_coherence", "true"},
    {"tom_busy_*", "ndp.tom_control", "!none"},
    {"tom_alu_warp_count", "ndp.tom_control", "ctrl_alu"},
    {0},
};

void tom_params_groups(struct tom_params *p, struct sim_param_groups *out)
{
	sim_param_groups_add(out, "ndp", param_rows, ARRAY_COUNT(param_rows), p);
	sim_param_groups_when(out, param_whens);
}
