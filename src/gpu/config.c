/* config.c - the table of parameter groups, the defaults per group, and the rules across parameters. */
#include "gpu/config.h"

#include "base/bits.h"
#include "base/check.h"

static const struct sim_param_desc gpu_rows[] = {
#define PARAM_STRUCT struct gpu_params
#include "sim/param_rows.inc"
#include "gpu/gpu_params.def"
#include "sim/param_end.inc"
};
static const struct sim_param_desc sm_rows[] = {
#define PARAM_STRUCT struct sm_params
#include "sim/param_rows.inc"
#include "gpu/sm_params.def"
#include "sim/param_end.inc"
};
static const struct sim_param_desc xbar_rows[] = {
#define PARAM_STRUCT struct xbar_params
#include "sim/param_rows.inc"
#include "gpu/xbar_params.def"
#include "sim/param_end.inc"
};
static const struct sim_param_desc link_rows[] = {
#define PARAM_STRUCT struct link_params
#include "sim/param_rows.inc"
#include "gpu/link_params.def"
#include "sim/param_end.inc"
};
static const struct sim_param_desc mmu_rows[] = {
#define PARAM_STRUCT struct mmu_params
#include "sim/param_rows.inc"
#include "gpu/mmu_params.def"
#include "sim/param_end.inc"
};
static const struct sim_param_desc nsu_rows[] = {
#define PARAM_STRUCT struct nsu_params
#include "sim/param_rows.inc"
#include "gpu/nsu_params.def"
#include "sim/param_end.inc"
};

static const struct sim_param_when gpu_whens[] = {
    {"map_bit", "gpu.address_map", "two_bit"},
    {"interleave_bytes", "gpu.address_map", "divided"},
    {"page_fetch_ps", "gpu.pages", "demand"},
    {"l2_far_*", "gpu.l2_partition_count", "!1"},
    {"stack_sm_warp_slot_count", "gpu.stack_sm_count", "!0"},
    {"stack_sm_mshr_count", "gpu.stack_sm_count", "!0"},
    {"stack_sm_registers", "gpu.stack_sm_count", "!0"},
    {"stack_sm_request_count", "gpu.stack_sm_count", "!0"},
    {"stack_sm_ctas", "gpu.stack_sm_count", "!0"},
    {"stack_sm_caches", "gpu.stack_sm_count", "!0"},
    {"stack_sm_shared*", "gpu.stack_sm_count", "!0"},
    {"stack_sm_l2_invalidate", "gpu.stack_sm_count", "!0"},
    {0},
};

void gpu_config_groups(struct gpu_config *c, struct sim_param_groups *out)
{
	sim_param_groups_add(out, "gpu", gpu_rows, ARRAY_COUNT(gpu_rows), &c->gpu);
	sim_param_groups_when(out, gpu_whens);
	sim_param_groups_add(out, "sm", sm_rows, ARRAY_COUNT(sm_rows), &c->sm);
	sim_param_groups_add(out, "l1d", cache_param_rows, cache_param_row_count, &c->l1d);
	sim_param_groups_add(out, "l1i", cache_param_rows, cache_param_row_count, &c->l1i);
	sim_param_groups_add(out, "l1c", cache_param_rows, cache_param_row_count, &c->l1c);
	sim_param_groups_add(out, "l1t", cache_param_rows, cache_param_row_count, &c->l1t);
	sim_param_groups_add(out, "mmu", mmu_rows, ARRAY_COUNT(mmu_rows), &c->mmu);
	sim_param_groups_add(out, "l2", cache_param_rows, cache_param_row_count, &c->l2);
	sim_param_groups_add(out, "xbar", xbar_rows, ARRAY_COUNT(xbar_rows), &c->xbar);
	sim_param_groups_add(out, "link", link_rows, ARRAY_COUNT(link_rows), &c->link);
	sim_param_groups_add(out, "mesh", link_rows, ARRAY_COUNT(link_rows), &c->mesh);
	sim_param_groups_add(out, "dram", dram_param_rows, dram_param_row_count, &c->dram);
}

static const struct sim_param_when nsu_whens[] = {
    {"!is_present", "nsu.is_present", "true"},
    {"invalidate_cycles", "nsu.invalidate_by", "gpu"},
    {0},
};

void gpu_config_unit_groups(struct gpu_config *c, struct sim_param_groups *out)
{
	sim_param_groups_add(out, "nsu", nsu_rows, ARRAY_COUNT(nsu_rows), &c->nsu);
	sim_param_groups_when(out, nsu_whens);
}

void gpu_config_defaults(struct gpu_config *c)
{
	/* Choice: dependent issue 36 cycles after an L1 hit, between Fermi's shared memory and its measured L1. */
	c->l1d.hit_latency_cycles = 36;
	/* NSU (SC'17) Table 2: 4 KB, 4 ways, 2 MSHRs. The latency is that of GPGPU-Sim 3.2: a cycle each for L1I
	 * access and decode. */
	c->l1i.size_bytes = 4096;
	c->l1i.mshr_count = 2;
	c->l1i.mshr_merge_count = 64;
	c->l1i.hit_latency_cycles = 2;
	/* NSU (SC'17) Table 2 gives 4 KB for the NSU's constant cache; the SM's gets Fermi's 8 KB (choice). Hits cost
	 * about an ALU latency, since instructions take constants as operands. */
	c->l1c.size_bytes = 8192;
	c->l1c.mshr_count = 4;
	c->l1c.mshr_merge_count = 64;
	c->l1c.hit_latency_cycles = 10;
	/* Choice: Fermi's 12 KB rounded to a power of two; the latency is mostly the filter pipeline. */
	c->l1t.size_bytes = 16384;
	c->l1t.hit_latency_cycles = 100;
	/* TOM (ISCA'16) Table 1: 1 MB, 16 ways. NSU (SC'17) Table 2: 48 MSHRs, read as per slice. Latency (choice):
	 * tags, then data; gpu.l2_entry_cycles is before. */
	c->l2.size_bytes = 1048576;
	c->l2.way_count = 16;
	c->l2.hit_latency_cycles = 4;
	c->l2.mshr_merge_count = 16;
	/* TOM (ISCA'16) Table 1: 40 GB/s, both directions together. */
	c->mesh.bandwidth_mbytes_per_s = 20000;
}

static void check_power(struct base_diag_list *diag, const char *key, uint64_t value)
{
	if (!base_is_power_of_two(value))
		base_diag_value(diag, key, value, "must be a power of two");
}

static void check_cache(struct base_diag_list *diag, const char *prefix, const struct cache_params *p, uint64_t parts)
{
	uint64_t set_bytes = p->way_count * p->line_bytes;

	if (p->line_bytes != 128)
		base_diag_error(diag, (struct base_place){0},
				"%s.line_bytes = %llu: the GPU's caches have lines of 128 B (one warp access)", prefix,
				(unsigned long long)p->line_bytes);
	if (p->write_allocate && p->write_policy != MEM_CACHE_WRITE_POLICY_BACK)
		base_diag_error(diag, (struct base_place){0},
				"%s.write_allocate = true: only a cache with %s.write_policy = back allocates", prefix,
				prefix);
	if (p->allocate_on_miss && p->write_policy == MEM_CACHE_WRITE_POLICY_BACK)
		base_diag_error(
		    diag, (struct base_place){0},
		    "%s.allocate_on_miss = true: a cache with %s.write_policy = back chooses a way when the "
		    "line is here; set it to false",
		    prefix, prefix);
	if (!p->write_update && p->write_policy == MEM_CACHE_WRITE_POLICY_BACK)
		base_diag_error(diag, (struct base_place){0},
				"%s.write_update = false: a cache with %s.write_policy = back always updates", prefix,
				prefix);
	if (p->index_hash == MEM_CACHE_INDEX_FERMI && p->size_bytes != 32 * set_bytes * parts &&
	    p->size_bytes != 64 * set_bytes * parts)
		base_diag_error(diag, (struct base_place){0},
				"%s.index_hash = fermi: is for caches of 32 or 64 sets, this one has %llu", prefix,
				(unsigned long long)(p->size_bytes / (set_bytes * parts)));
	if (p->size_bytes % (set_bytes * parts) || !base_is_power_of_two(p->size_bytes / parts / set_bytes))
		base_diag_error(
		    diag, (struct base_place){0},
		    "%s.size_bytes = %llu: must give a power of two of sets with %llu ways of %llu B in %llu "
		    "part(s); change size_bytes or way_count",
		    prefix, (unsigned long long)p->size_bytes, (unsigned long long)p->way_count,
		    (unsigned long long)p->line_bytes, (unsigned long long)parts);
}

/* Shared memory as the CUDA C++ Programming Guide gives it for compute capability 7.0, 8.0 and 9.0, in KB. */
static const uint16_t pool_shares[][16] = {
    [SM_POOL_NONE] = {0},
    [SM_POOL_VOLTA] = {0, 8, 16, 32, 64, 96},
    [SM_POOL_AMPERE] = {0, 8, 16, 32, 64, 100, 132, 164},
    [SM_POOL_HOPPER] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228},
};

uint64_t gpu_pool_shared_bytes(const struct gpu_config *c, uint64_t bytes)
{
	const uint16_t *shares = pool_shares[c->sm.shared_pool];
	uint32_t i = 0;

	while (shares[i + 1] && shares[i] * 1024ull < bytes)
		i++;
	return shares[i] * 1024ull;
}

static void check_whole_lines(struct base_diag_list *diag, const char *prefix, const struct cache_params *p)
{
	if (p->sector_bytes)
		base_diag_error(diag, (struct base_place){0},
				"%s.sector_bytes = %llu: only lines of L1D and L2 have sectors; set it to 0", prefix,
				(unsigned long long)p->sector_bytes);
	if (p->write_validate)
		base_diag_error(diag, (struct base_place){0},
				"%s.write_validate = true: only the L2's lines have sectors here; set it to false",
				prefix);
}

/* The L1D asks for sectors by mask, and the L2 has to understand it. */
static void check_l1d_sectors(struct base_diag_list *diag, const struct gpu_config *c)
{
	const struct cache_params *p = &c->l1d;

	if (p->write_validate)
		base_diag_error(diag, (struct base_place){0},
				"l1d.write_validate = true: only the L2 takes lines in on writes; set it to false");
	if (!p->sector_bytes)
		return;
	if (p->sector_bytes != c->l2.sector_bytes)
		base_diag_value(diag, "l1d.sector_bytes", p->sector_bytes,
				"the L1D asks the L2 for its sectors: set l2.sector_bytes to the same");
	if (p->allocate_on_miss)
		base_diag_error(diag, (struct base_place){0},
				"l1d.allocate_on_miss = true: a line with sectors chooses its way when the first of "
				"them is here; set it to false");
}

/* The largest share of a pool that is shared memory. */
static void check_pool(struct base_diag_list *diag, const struct gpu_config *c)
{
	const uint64_t most = gpu_pool_shared_bytes(c, UINT64_MAX);

	if (c->sm.shared_pool == SM_POOL_NONE)
		return;
	if (c->sm.shared_bytes > most)
		base_diag_value(diag, "sm.shared_bytes", c->sm.shared_bytes,
				"is more than sm.shared_pool gives shared memory of its store");
	if (most >= c->l1d.size_bytes)
		base_diag_value(diag, "l1d.size_bytes", c->l1d.size_bytes,
				"with sm.shared_pool it is the store of L1 and shared memory, of which the latter "
				"must leave a part");
}

static void check_sectors(struct base_diag_list *diag, const struct gpu_config *c)
{
	const struct cache_params *p = &c->l2;

	if (p->write_validate && (!p->sector_bytes || !p->write_allocate))
		base_diag_error(
		    diag, (struct base_place){0},
		    "l2.write_validate = true: only a cache with sectors (l2.sector_bytes) that takes lines in "
		    "on writes (l2.write_allocate = true) has a use for it");
	if (!p->sector_bytes)
		return;
	check_power(diag, "l2.sector_bytes", p->sector_bytes);
	if (p->allocate_on_miss)
		base_diag_error(diag, (struct base_place){0},
				"l2.allocate_on_miss = true: a line with sectors chooses its way when the first of "
				"them is here; set it to false");
	if (p->sector_bytes < 16)
		base_diag_value(diag, "l2.sector_bytes", p->sector_bytes,
				"a line has eight sectors at most; set 16 or more");
	if (c->gpu.stack_sm_count || c->nsu.is_present)
		base_diag_value(diag, "l2.sector_bytes", p->sector_bytes,
				"with SMs or units in the stacks the L2 has whole lines; set it to 0");
}

/* Any number of stacks and vaults goes with one map, and mechanisms map by bits. */
static void check_places(struct base_diag_list *diag, const struct gpu_config *c)
{
	const uint64_t slices = c->gpu.l2_slices_per_stack_count, vaults = c->dram.vault_count;
	const bool has_powers = base_is_power_of_two(c->gpu.stack_count) && base_is_power_of_two(vaults);

	if (c->gpu.address_map != GPU_MAP_DIVIDED && !has_powers)
		base_diag_error(diag, (struct base_place){0},
				"gpu.stack_count = %llu, dram.vault_count = %llu: must be powers of two unless "
				"gpu.address_map = divided",
				(unsigned long long)c->gpu.stack_count, (unsigned long long)vaults);
	if ((c->gpu.stack_sm_count || c->nsu.is_present) && !has_powers)
		base_diag_error(
		    diag, (struct base_place){0},
		    "gpu.stack_count = %llu, dram.vault_count = %llu: must be powers of two where there are SMs "
		    "or units in the stacks",
		    (unsigned long long)c->gpu.stack_count, (unsigned long long)vaults);
	if ((c->gpu.stack_sm_count || c->nsu.is_present) && c->gpu.address_map == GPU_MAP_DIVIDED)
		base_diag_error(diag, (struct base_place){0},
				"gpu.address_map = divided: where there are SMs or units in the stacks, stack and "
				"vault are bits of the address; set it to another map");
	check_power(diag, "gpu.l2_slices_per_stack_count", slices);
	if (slices <= vaults ? vaults % slices != 0
			     : slices % vaults != 0 || slices / vaults > dram_vault_bank_count(&c->dram))
		base_diag_value(diag, "gpu.l2_slices_per_stack_count", slices,
				"must divide dram.vault_count, or, if there are more slices, the banks of each vault");
	check_power(diag, "gpu.interleave_bytes", c->gpu.interleave_bytes);
	check_power(diag, "gpu.l2_atomic_bytes", c->gpu.l2_atomic_bytes);
	if (c->gpu.interleave_bytes > c->dram.row_bytes)
		base_diag_value(diag, "gpu.interleave_bytes", c->gpu.interleave_bytes,
				"must not exceed dram.row_bytes");
}

/* Copies are kept right by the slice that has the line, which must have what was written. */
static void check_partitions(struct base_diag_list *diag, const struct gpu_config *c)
{
	const uint64_t count = c->gpu.l2_partition_count;

	if (count == 1)
		return;
	if (c->gpu.stack_sm_count || c->nsu.is_present)
		base_diag_value(diag, "gpu.l2_partition_count", count,
				"with SMs or units in the stacks the L2 is one; set it to 1");
	if (c->l2.write_policy != MEM_CACHE_WRITE_POLICY_BACK || !c->l2.write_allocate)
		base_diag_value(diag, "gpu.l2_partition_count", count,
				"only an L2 with l2.write_policy = back and l2.write_allocate = true has two; set it "
				"to 1");
	if (c->gpu.stack_count * c->gpu.l2_slices_per_stack_count % 2)
		base_diag_value(diag, "gpu.l2_partition_count", count,
				"does not divide the slices; change gpu.l2_slices_per_stack_count");
	if (c->gpu.sm_count <= c->gpu.sms_per_cluster_count)
		base_diag_value(diag, "gpu.l2_partition_count", count,
				"needs two clusters of SMs; lower gpu.sms_per_cluster_count");
	if (c->l2.mshr_count < 2)
		base_diag_value(diag, "l2.mshr_count", c->l2.mshr_count,
				"with gpu.l2_partition_count = 2 lines of each partition take one; set 2 or more");
}

uint32_t gpu_slice_bank_bits(const struct gpu_config *c)
{
	const uint64_t slices = c->gpu.l2_slices_per_stack_count, vaults = c->dram.vault_count;

	return slices > vaults ? base_log2(slices / vaults) : 0;
}

/* What a cache that is never written would ignore. */
static void check_read_only(struct base_diag_list *diag, const char *prefix, const struct cache_params *p)
{
	if (!p->write_update)
		base_diag_error(diag, (struct base_place){0},
				"%s.write_update = false: this cache is never written; leave it at true", prefix);
}

static void check_l1(struct base_diag_list *diag, const char *prefix, const struct cache_params *p)
{
	check_cache(diag, prefix, p, 1);
	if (p->write_policy)
		base_diag_error(
		    diag, (struct base_place){0},
		    "%s.write_policy = back: first-level caches are write-through here, since nothing keeps "
		    "those of different SMs coherent; set it to through",
		    prefix);
}

/* The engine's components in the clock of the SMs: they, two per cluster, and those of gpu/ and its carriers. */
static void check_component_count(struct base_diag_list *diag, const struct gpu_config *c)
{
	enum { OTHERS = 16 };
	const uint64_t sms = c->gpu.sm_count + c->gpu.stack_count * c->gpu.stack_sm_count;
	const uint64_t clusters =
	    (c->gpu.sm_count + c->gpu.sms_per_cluster_count - 1) / c->gpu.sms_per_cluster_count;

	if (sms + 2 * clusters + OTHERS > SIM_COMPS_MAX)
		base_diag_value(diag, "gpu.sm_count", c->gpu.sm_count,
		      "with the SMs in stacks and twice the clusters more than 4080: raise gpu.sms_per_cluster_count");
}

static void check_mmu(struct base_diag_list *diag, const struct gpu_config *c)
{
	const struct mmu_params *p = &c->mmu;
	uint64_t ways = p->tlb_way_count ? p->tlb_way_count : p->tlb_entry_count;

	check_power(diag, "mmu.page_bytes", p->page_bytes);
	if (p->tlb_entry_count % ways || !base_is_power_of_two(p->tlb_entry_count / ways))
		base_diag_value(diag, "mmu.tlb_way_count", p->tlb_way_count,
		      "must divide mmu.tlb_entry_count into a power of two of sets; 0 is fully associative");
	if (c->gpu.stack_sm_shared_stays && (c->gpu.stack_sm_shared || c->gpu.stack_sm_ctas))
		base_diag_error(diag, (struct base_place){0},
				"gpu.stack_sm_shared_stays = true: CTAs leave an SM of the GPU for one without shared "
				"memory; set gpu.stack_sm_shared and gpu.stack_sm_ctas to false");
	if (c->gpu.stack_sm_ctas && c->gpu.stack_sm_count == 0)
		base_diag_value(diag, "gpu.stack_sm_count", 0,
		      "with gpu.stack_sm_ctas = true no SM would take CTAs there; set one of the two");
	if (p->where == GPU_MMU_STACKS && c->gpu.stack_sm_count == 0)
		base_diag_value(diag, "gpu.stack_sm_count", 0,
		      "with mmu.where = stacks no SM would translate; set mmu.where to none or all");
}

/* Where pages come on demand each lies in one stack, and only the GPU asks for them. */
static void check_pages(struct base_diag_list *diag, const struct gpu_config *c)
{
	if (c->gpu.pages != GPU_PAGES_DEMAND)
		return;
	if (c->gpu.address_map != GPU_MAP_RANDOM_PAGE)
		base_diag_error(diag, (struct base_place){0},
				"gpu.pages = demand: a page must lie in one stack; set gpu.address_map to random_page");
	if (c->gpu.stack_sm_count)
		base_diag_value(diag, "gpu.stack_sm_count", c->gpu.stack_sm_count,
				"with gpu.pages = demand no SM in a stack can ask for a page; set it to 0");
	if (c->nsu.is_present && !c->nsu.slot_credits)
		base_diag_error(diag, (struct base_place){0},
				"nsu.slot_credits = false: with gpu.pages = demand a command that waits for a slot may "
				"wait for ever; set it to true");
}

static void check_nsu(struct base_diag_list *diag, const struct gpu_config *c)
{
	const struct nsu_params *p = &c->nsu;

	if (!p->is_present)
		return;
	check_power(diag, "nsu.lane_count", p->lane_count);
	check_power(diag, "nsu.inst_cache_bytes", p->inst_cache_bytes);
	check_power(diag, "nsu.const_cache_bytes", p->const_cache_bytes);
	if (p->cache_bytes % c->l2.line_bytes)
		base_diag_value(diag, "nsu.cache_bytes", p->cache_bytes,
				"not a whole number of lines; set a multiple of 128");
	if (p->register_count % 2)
		base_diag_value(diag, "nsu.register_count", p->register_count,
				"64-bit values take pairs; set an even number");
	if (c->gpu.stack_sm_count)
		base_diag_value(diag, "gpu.stack_sm_count", c->gpu.stack_sm_count,
		      "with nsu.is_present = true the logic layers hold SIMD units and no SMs; set it to 0");
	if (c->gpu.stack_count < 2)
		base_diag_value(diag, "gpu.stack_count", c->gpu.stack_count,
				"nsu.is_present = true needs two stacks or more");
	if (c->l2.write_policy != MEM_CACHE_WRITE_POLICY_THROUGH)
		base_diag_error(diag, (struct base_place){0},
				"l2.write_policy = back: with nsu.is_present = true the units read memory, which must "
				"be current (NSU section 5); set it to through");
}

static void check_warp_slots(struct base_diag_list *diag, const char *key, uint64_t slots, uint64_t schedulers)
{
	if ((slots + schedulers - 1) / schedulers > 64)
		base_diag_value(diag, key, slots, "at most 64 warp slots per scheduler; raise sm.scheduler_count");
}

bool gpu_clocks_add(const struct gpu_config *c, struct sim_engine *e)
{
	uint32_t number;

	return sim_domain_add(e, "l2", sim_period_of_khz(c->gpu.l2_clock_khz), &number) &&
	       sim_domain_add(e, "sm", sim_period_of_khz(c->gpu.sm_clock_khz), &number) &&
	       sim_domain_add(e, "xbar", sim_period_of_khz(c->gpu.xbar_clock_khz), &number) &&
	       sim_domain_add(e, "dram", dram_clock_period(&c->dram), &number) &&
	       (!c->nsu.is_present ||
		sim_domain_add(e, "nsu", sim_period_of_khz(c->nsu.clock_khz), &number));
}

/* Instructions go through collectors to units whose results meet. */
static void check_pipe(struct base_diag_list *diag, const struct sm_params *p)
{
	const struct {
		const char *key;
		uint64_t cycles;
	} latencies[] = {
	    {"sm.int_latency_cycles", p->int_latency_cycles},	{"sm.imul_latency_cycles", p->imul_latency_cycles},
	    {"sm.fp32_latency_cycles", p->fp32_latency_cycles}, {"sm.ctrl_latency_cycles", p->ctrl_latency_cycles},
	    {"sm.mad_latency_cycles", p->mad_latency_cycles},	{"sm.minmax_latency_cycles", p->minmax_latency_cycles},
	    {"sm.move_latency_cycles", p->move_latency_cycles},
	};

	if (!p->result_bus_count)
		return;
	if (!p->collector_count)
		base_diag_value(diag, "sm.result_bus_count", p->result_bus_count,
				"results meet behind operand collectors only; set sm.collector_count");
	for (uint32_t i = 0; i < ARRAY_COUNT(latencies); i++)
		if (latencies[i].cycles &&
		    (latencies[i].cycles < GPU_PIPE_LATENCY_MIN || latencies[i].cycles > GPU_PIPE_LATENCY_MAX))
			base_diag_value(diag, latencies[i].key, latencies[i].cycles,
					"with sm.result_bus_count it must be between 5 and 200");
}

/* The engine's common unit of time must exist: the same call that machine_new makes, on a throw-away engine. */
static void check_clocks(const struct gpu_config *c, struct base_diag_list *diag)
{
	struct sim_engine *e = sim_engine_new();

	if (!gpu_clocks_add(c, e))
		base_diag_error(
		    diag, (struct base_place){0},
		    "the clocks gpu.sm_clock_khz = %llu, gpu.xbar_clock_khz = %llu, gpu.l2_clock_khz = %llu, "
		    "dram.t_ck_ps = %llu%s have no common unit of time of 1/1800 ps or more; choose rounder "
		    "frequencies",
		    (unsigned long long)c->gpu.sm_clock_khz, (unsigned long long)c->gpu.xbar_clock_khz,
		    (unsigned long long)c->gpu.l2_clock_khz, (unsigned long long)c->dram.t_ck_ps,
		    c->nsu.is_present ? " and nsu.clock_khz" : "");
	sim_engine_free(e);
}

bool gpu_config_check(const struct gpu_config *c, struct base_diag_list *diag)
{
	uint32_t before = diag->error_count;

	check_places(diag, c);
	check_sectors(diag, c);
	check_partitions(diag, c);
	check_l1d_sectors(diag, c);
	check_pool(diag, c);
	check_power(diag, "gpu.page_bytes", c->gpu.page_bytes);
	check_power(diag, "sm.shared_bank_count", c->sm.shared_bank_count);
	check_power(diag, "sm.ibuffer_count", c->sm.ibuffer_count);
	check_power(diag, "sm.inst_bytes", c->sm.inst_bytes);
	check_power(diag, "sm.sector_bytes", c->sm.sector_bytes);
	if (c->sm.inst_bytes * c->sm.ibuffer_count > 128)
		base_diag_value(diag, "sm.ibuffer_count", c->sm.ibuffer_count,
				"one fetch must not exceed a line of 128 B");
	check_pipe(diag, &c->sm);
	check_component_count(diag, c);
	check_warp_slots(diag, "sm.warp_slot_count", c->sm.warp_slot_count, c->sm.scheduler_count);
	check_mmu(diag, c);
	check_nsu(diag, c);
	check_pages(diag, c);
	check_l1(diag, "l1d", &c->l1d);
	check_l1(diag, "l1i", &c->l1i);
	check_l1(diag, "l1c", &c->l1c);
	check_l1(diag, "l1t", &c->l1t);
	check_whole_lines(diag, "l1i", &c->l1i);
	check_whole_lines(diag, "l1c", &c->l1c);
	check_whole_lines(diag, "l1t", &c->l1t);
	check_read_only(diag, "l1i", &c->l1i);
	check_read_only(diag, "l1c", &c->l1c);
	check_read_only(diag, "l1t", &c->l1t);
	check_cache(diag, "l2", &c->l2, c->gpu.stack_count * c->gpu.l2_slices_per_stack_count);
	if (dram_params_check(&c->dram, diag))
		check_clocks(c, diag);
	return diag->error_count == before;
}

void gpu_config_warn(const struct gpu_config *c, struct base_diag_list *diag)
{
	if (c->l2.write_policy == MEM_CACHE_WRITE_POLICY_BACK && !c->l2.write_allocate)
		base_diag_warn(diag, "l2.write_policy", "back",
			       "without l2.write_allocate a store that misses goes to memory, and is not in the cache "
			       "for who reads it next");
}
