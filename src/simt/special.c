/* special.c - rows of special registers: filled when a warp begins, clocks when they are read. */
#include "ptx/tables.h"
#include "simt/state.h"

static uint32_t thread_component(const struct simt_launch *l, const struct simt_warp *w, uint32_t lane,
				 uint32_t component)
{
	uint32_t thread = w->index_in_cta * SIMT_LANES + lane;

	switch (component) {
	case 1:
		return thread % l->block[0];
	case 2:
		return thread / l->block[0] % l->block[1];
	case 3:
		return thread / l->block[0] / l->block[1];
	default:
		return 0;
	}
}

static uint64_t cycles(const struct simt_launch *l, const struct simt_warp *w)
{
	return l->clock_cycles ? l->clock_cycles(l->clock_ctx, w->smid) : l->state->steps;
}

static uint64_t time_ns(const struct simt_launch *l)
{
	return l->time_ns ? l->time_ns(l->clock_ctx) : 0;
}

/* Value of a register that is the same in all lanes. component 4 (.w) of vector registers reads 0. */
static uint64_t uniform_value(const struct simt_launch *l, const struct simt_warp *w, const struct simt_sreg_use *u)
{
	const uint32_t k = u->component - 1u;

	switch ((enum ptx_sreg)u->sreg) {
	case PTX_SREG_CLUSTERID: /* clusters of one CTA */
		return k < 3 ? w->cta->id[k] : 0;
	case PTX_SREG_NCLUSTERID:
		return k < 3 ? l->grid[k] : 0;
	case PTX_SREG_CLUSTER_NCTAID:
		return k < 3;
	case PTX_SREG_CLUSTER_NCTARANK:
		return 1;
	case PTX_SREG_NTID:
		return k < 3 ? l->block[k] : 0;
	case PTX_SREG_CTAID:
		return k < 3 ? w->cta->id[k] : 0;
	case PTX_SREG_NCTAID:
		return k < 3 ? l->grid[k] : 0;
	case PTX_SREG_WARPID:
		return w->index_in_cta;
	case PTX_SREG_NWARPID:
		return w->cta->warp_count;
	case PTX_SREG_SMID:
		return w->smid;
	case PTX_SREG_NSMID:
		return l->sm_count;
	case PTX_SREG_GRIDID:
		return l->grid_id;
	case PTX_SREG_CLOCK:
	case PTX_SREG_CLOCK64:
		return cycles(l, w);
	case PTX_SREG_CLOCK_HI:
		return cycles(l, w) >> 32;
	case PTX_SREG_GLOBALTIMER:
	case PTX_SREG_GLOBALTIMER_LO:
		return time_ns(l);
	case PTX_SREG_GLOBALTIMER_HI:
		return time_ns(l) >> 32;
	case PTX_SREG_DYNAMIC_SMEM_SIZE:
		return l->shared_dynamic_bytes;
	case PTX_SREG_TOTAL_SMEM_SIZE:
		return w->cta->shared_bytes - simt_program_of(l)->shared_reserved_bytes;
	case PTX_SREG_AGGR_SMEM_SIZE:
		return w->cta->shared_bytes;
	case PTX_SREG_RESERVED_SMEM_END:
	case PTX_SREG_RESERVED_SMEM_CAP:
		return SIMT_RESERVED_SHARED_BYTES;
	case PTX_SREG_RESERVED_SMEM_1:
		return SIMT_RESERVED_SHARED_1;
	case PTX_SREG_ENVREG: /* 1 and 2: the workspace of a cooperative launch, upper half first */
		return k == 1 ? l->state->workspace_addr >> 32 : k == 2 ? (uint32_t)l->state->workspace_addr : 0;
	default: /* %pm: nothing sets them; no grid is a device graph's; the reserved shared memory, its first part and
		  * a CTA's place in its cluster begin at 0 */
		return 0;
	}
}

static uint32_t bytes_of(const struct simt_sreg_use *u)
{
	return ptx_type_bytes(ptx_sreg_type((enum ptx_sreg)u->sreg)) == 8 ? 8 : 4;
}

static void fill(const struct simt_launch *l, struct simt_warp *w, const struct simt_sreg_use *u)
{
	uint8_t *row = w->state->special + u->off;

	if (u->sreg == PTX_SREG_TID) {
		for (uint32_t lane = 0; lane < SIMT_LANES; lane++)
			((uint32_t *)row)[lane] = thread_component(l, w, lane, u->component);
		return;
	}
	/* The one that most kernels read. */
	const bool is_cta = u->sreg == PTX_SREG_CTAID && u->component - 1u < 3;
	const uint64_t value = is_cta ? w->cta->id[u->component - 1u] : uniform_value(l, w, u);

	if (bytes_of(u) == 8)
		for (uint32_t lane = 0; lane < SIMT_LANES; lane++)
			((uint64_t *)row)[lane] = value;
	else
		for (uint32_t lane = 0; lane < SIMT_LANES; lane++)
			((uint32_t *)row)[lane] = (uint32_t)value;
}

void simt_special_fill(const struct simt_launch *l, struct simt_warp *w)
{
	const struct simt_program_priv *p = simt_program_of(l);

	for (uint32_t i = 0; i < p->sreg_count; i++)
		fill(l, w, &p->sregs[i]);
}

bool simt_special_is_of_place(enum ptx_sreg sreg)
{
	switch (sreg) {
	case PTX_SREG_TID:
	case PTX_SREG_NTID:
	case PTX_SREG_NCTAID:
	case PTX_SREG_NCLUSTERID:
	case PTX_SREG_WARPID:
	case PTX_SREG_NWARPID:
	case PTX_SREG_NSMID:
	case PTX_SREG_GRIDID:
		return true;
	default:
		return false;
	}
}

void simt_special_refill(const struct simt_launch *l, struct simt_warp *w)
{
	const struct simt_program_priv *p = simt_program_of(l);

	for (uint32_t i = 0; i < p->sreg_count; i++)
		if (!p->sregs[i].is_of_place)
			fill(l, w, &p->sregs[i]);
}

void simt_special_clocks(const struct simt_launch *l, struct simt_warp *w)
{
	const struct simt_program_priv *p = simt_program_of(l);

	for (uint32_t i = 0; i < p->sreg_count; i++)
		if (p->sregs[i].sreg >= PTX_SREG_CLOCK && p->sregs[i].sreg <= PTX_SREG_GLOBALTIMER_HI)
			fill(l, w, &p->sregs[i]);
}
