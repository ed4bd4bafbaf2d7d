/* account.c - picojoules from statistics: one row per kind of event. */
#include "energy/events.h"

#include <stdio.h>

#include "base/check.h"

const struct sim_param_desc energy_param_rows[] = {
#define PARAM_STRUCT struct energy_params
#include "sim/param_rows.inc"
#include "energy/energy_params.def"
#include "sim/param_end.inc"
};
const uint32_t energy_param_row_count = ARRAY_COUNT(energy_param_rows);

enum component {
	SM_FRONT_END,
	SM_REGISTERS,
	SM_UNITS,
	SM_SHARED,
	SM_STATIC,
	L1,
	TLB,
	L2,
	L2_STATIC,
	XBAR,
	LINK_ACTIVE,
	LINK_IDLE,
	MESH_ACTIVE,
	MESH_IDLE,
	HOST_WIRES,
	DRAM_ACTIVATE,
	DRAM_REFRESH,
	DRAM_ROW_BUFFER,
	DRAM_STATIC,
	TSV,
	LOGIC_LAYER,
	STACK_STATIC,
	NSU_PIPELINE,
	NSU_BUFFERS,
	NSU_STATIC,
	COMPONENT_COUNT
};

_Static_assert((int)COMPONENT_COUNT <= (int)ENERGY_COMPONENT_MAX, "a component has no place in the report");

static const char *const component_names[COMPONENT_COUNT] = {
	[SM_FRONT_END] = "sm_front_end",     [SM_REGISTERS] = "sm_registers", [SM_UNITS] = "sm_units",
	[SM_SHARED] = "sm_shared",	     [SM_STATIC] = "sm_static",	      [L1] = "l1",
	[TLB] = "tlb",
	[L2] = "l2",			     [L2_STATIC] = "l2_static",	      [XBAR] = "xbar",
	[LINK_ACTIVE] = "link_active",	     [LINK_IDLE] = "link_idle",	      [MESH_ACTIVE] = "mesh_active",
	[MESH_IDLE] = "mesh_idle",	     [HOST_WIRES] = "host_wires",
	[DRAM_ACTIVATE] = "dram_activate", [DRAM_REFRESH] = "dram_refresh",
	[DRAM_ROW_BUFFER] = "dram_row_buffer", [DRAM_STATIC] = "dram_static", [TSV] = "tsv",
	[LOGIC_LAYER] = "logic_layer",	     [STACK_STATIC] = "stack_static",
	[NSU_PIPELINE] = "nsu_pipeline",     [NSU_BUFFERS] = "nsu_buffers",   [NSU_STATIC] = "nsu_static",
};

enum { BITS_PER_BYTE = 8 };

struct account {
	const struct sim_stats *stats;
	double pj[COMPONENT_COUNT];
};

/* The statistic of a group; 0 if the machine has no such group. */
static double read_stat(const struct sim_stats *stats, const char *group, const char *name)
{
	char key[64];
	uint64_t value = 0;

	if (sim_stats_instance_count(stats, group) == 0)
		return 0;
	snprintf(key, sizeof(key), "%s.%s", group, name);
	CHECK(sim_stats_value(stats, key, &value));
	return (double)value;
}

static void add(struct account *a, enum component c, const char *group, const char *name, double pj_each)
{
	a->pj[c] += read_stat(a->stats, group, name) * pj_each;
}

static void add_sm(struct account *a, const struct energy_params *p)
{
	add(a, SM_FRONT_END, "sm", "warp_instructions", p->fetch_decode_pj);
	add(a, SM_REGISTERS, "sm", "register_reads", p->register_access_pj);
	add(a, SM_REGISTERS, "sm", "register_writes", p->register_access_pj);
	add(a, SM_UNITS, "sm", "int_threads", p->int_thread_pj);
	add(a, SM_UNITS, "sm", "control_threads", p->int_thread_pj);
	add(a, SM_UNITS, "sm", "imul_threads", p->imul_thread_pj);
	add(a, SM_UNITS, "sm", "fp32_threads", p->fp32_thread_pj);
	add(a, SM_UNITS, "sm", "tensor_slots", p->tensor_slot_pj);
	add(a, SM_UNITS, "sm", "fp64_threads", p->fp64_thread_pj);
	add(a, SM_UNITS, "sm", "sfu_threads", p->sfu_thread_pj);
	add(a, SM_UNITS, "sm", "memory_threads", p->memory_thread_pj);
	add(a, SM_SHARED, "sm", "shared_accesses", p->shared_access_pj);
}

static void add_caches(struct account *a, const struct energy_params *p)
{
	static const char *const l1s[] = {"l1d", "l1i", "l1c", "l1t"};

	for (uint32_t i = 0; i < ARRAY_COUNT(l1s); i++) {
		add(a, L1, l1s[i], "reads", p->l1_access_pj);
		add(a, L1, l1s[i], "writes", p->l1_access_pj);
		add(a, L1, l1s[i], "fills", p->l1_fill_pj);
	}
	add(a, TLB, "mmu", "accesses", p->tlb_access_pj);
	add(a, TLB, "mmu", "walks_done", p->tlb_access_pj);
	add(a, L2, "l2", "reads", p->l2_access_pj);
	add(a, L2, "l2", "writes", p->l2_access_pj);
	add(a, L2, "l2", "fills", p->l2_fill_pj);
}

/* Units of NSU: the events of an SM's pipeline, without its caches; the buffers at both ends of the packets. */
static void add_nsu(struct account *a, const struct energy_params *p)
{
	add(a, NSU_PIPELINE, "nsu", "warp_instructions", p->fetch_decode_pj);
	add(a, NSU_PIPELINE, "nsu", "fetches", p->nsu_fetch_pj);
	add(a, NSU_PIPELINE, "nsu", "constant_reads", p->nsu_constant_pj);
	add(a, NSU_PIPELINE, "nsu", "register_reads", p->nsu_register_pj);
	add(a, NSU_PIPELINE, "nsu", "register_writes", p->nsu_register_pj);
	add(a, NSU_PIPELINE, "nsu", "int_threads", p->int_thread_pj);
	add(a, NSU_PIPELINE, "nsu", "control_threads", p->int_thread_pj);
	add(a, NSU_PIPELINE, "nsu", "imul_threads", p->imul_thread_pj);
	add(a, NSU_PIPELINE, "nsu", "fp32_threads", p->fp32_thread_pj);
	add(a, NSU_PIPELINE, "nsu", "fp64_threads", p->fp64_thread_pj);
	add(a, NSU_PIPELINE, "nsu", "sfu_threads", p->sfu_thread_pj);
	add(a, NSU_PIPELINE, "nsu", "memory_threads", p->memory_thread_pj);
	add(a, NSU_BUFFERS, "nsu", "buffer_writes", p->nsu_buffer_pj);
	add(a, NSU_BUFFERS, "nsu", "buffer_reads", p->nsu_buffer_pj);
	add(a, NSU_BUFFERS, "nsu", "cache_reads", p->nsu_cache_pj);
	add(a, NSU_BUFFERS, "nsu", "cache_fills", p->nsu_cache_pj);
	add(a, NSU_BUFFERS, "partition", "directory_probes", p->nsu_directory_pj);
	add(a, NSU_BUFFERS, "partition", "buffer_puts", p->packet_buffer_pj);
	add(a, SM_FRONT_END, "partition", "boundary_instructions", p->fetch_decode_pj);
	add(a, SM_FRONT_END, "partition", "skipped_instructions", p->fetch_decode_pj);
	add(a, L1, "partition", "l1_probes", p->l1_access_pj);
	add(a, L2, "partition", "l2_probes", p->l2_access_pj);
}

static void add_net(struct account *a, const struct energy_params *p, const struct energy_run *run)
{
	const double time = (double)run->time_ps;
	double tx = read_stat(a->stats, "link_tx", "wire_bytes"), rx = read_stat(a->stats, "link_rx", "wire_bytes");
	double link_bits = BITS_PER_BYTE * (tx + rx);
	double mesh_bits = BITS_PER_BYTE * (read_stat(a->stats, "mesh", "wire_bytes") +
					    read_stat(a->stats, "mapping", "remapped_wire_bytes"));
	double link_idle = run->link_count * run->link_bits_per_ps * time - link_bits;
	double mesh_idle = run->mesh_count * run->mesh_bits_per_ps * time - mesh_bits;

	add(a, XBAR, "xbar_request", "flits", p->xbar_flit_pj);
	add(a, XBAR, "xbar_reply", "flits", p->xbar_flit_pj);
	add(a, HOST_WIRES, "host_link", "up_wire_bytes", BITS_PER_BYTE * p->host_wire_pj);
	add(a, HOST_WIRES, "host_link", "down_wire_bytes", BITS_PER_BYTE * p->host_wire_pj);
	a->pj[LINK_ACTIVE] = link_bits * p->link_active_pj;
	a->pj[MESH_ACTIVE] = mesh_bits * p->link_active_pj;
	/* The last packets may still be on the wire when the run's time ends. */
	a->pj[LINK_IDLE] = link_idle > 0 ? link_idle * p->link_idle_pj : 0;
	a->pj[MESH_IDLE] = mesh_idle > 0 ? mesh_idle * p->link_idle_pj : 0;
}

static void add_dram(struct account *a, const struct energy_params *p, const struct energy_run *run)
{
	double row_pj = p->dram_activate_pj * (double)run->dram_row_bytes / p->dram_activate_row_bytes;
	/* Data that a changed mapping moves is read in one stack and written in another, row by row. */
	double moved_bytes = 2 * read_stat(a->stats, "mapping", "remapped_bytes");
	double bits = BITS_PER_BYTE * (read_stat(a->stats, "vault", "read_bytes") +
				       read_stat(a->stats, "vault", "write_bytes") + moved_bytes);

	CHECK(bits == 0 || (run->dram_row_bytes && run->dram_bank_count));
	add(a, DRAM_ACTIVATE, "vault", "activates", row_pj);
	if (moved_bytes > 0)
		a->pj[DRAM_ACTIVATE] += moved_bytes / (double)run->dram_row_bytes * row_pj;
	/* Like all energy, of the time in kernels only. */
	add(a, DRAM_REFRESH, "vault", "refreshes", row_pj * p->dram_refresh_rows_count * run->dram_bank_count);
	add(a, DRAM_REFRESH, "vault", "refreshes_between_kernels",
	    -row_pj * p->dram_refresh_rows_count * run->dram_bank_count);
	a->pj[DRAM_ROW_BUFFER] = bits * p->dram_row_buffer_pj;
	a->pj[TSV] = bits * p->tsv_pj;
	a->pj[LOGIC_LAYER] = bits * p->logic_layer_pj;
}

static void add_static(struct account *a, const struct energy_params *p, const struct energy_run *run)
{
	const double pj_per_mw = 1e-3 * (double)run->time_ps; /* 1 mW for 1 ps is 10^-15 J */

	a->pj[SM_STATIC] = pj_per_mw * p->sm_static_mw * run->sm_count;
	a->pj[L2_STATIC] = pj_per_mw * p->l2_static_mw;
	a->pj[STACK_STATIC] = pj_per_mw * p->stack_static_mw * run->stack_count;
	a->pj[NSU_STATIC] = pj_per_mw * p->nsu_static_mw * run->nsu_count;
	a->pj[DRAM_STATIC] = pj_per_mw * p->dram_static_mw * run->stack_count;
}

void energy_account(const struct energy_params *p, const struct sim_stats *stats, const struct energy_run *run,
		    struct energy_report *out)
{
	struct account a = {.stats = stats};

	add_sm(&a, p);
	add_caches(&a, p);
	add_nsu(&a, p);
	add_net(&a, p, run);
	add_dram(&a, p, run);
	add_static(&a, p, run);
	*out = (struct energy_report){.component_count = COMPONENT_COUNT};
	for (uint32_t i = 0; i < COMPONENT_COUNT; i++) {
		out->components[i] = (struct energy_component){component_names[i], a.pj[i]};
		out->total_pj += a.pj[i];
	}
}
