/* host_price.c - see host_price.h: instructions by the CPU model's classes.
 *
 * Between two barriers the threads of a CTA are a loop's iterations, 32 of them at a time, as vectors, or one after the
 * other. An instruction of PTX is one of the core for each vector with a lane that takes part, or two where its
 * elements are twice as wide as 32 bits; else it is one of each thread. */
#include "dc/system/host_price.h"

#include <glib.h>

/* The classes of instructions that the CPU model prices (threads/classes.def has them for programs of threads). */
enum dc_host_class {
	DC_HOST_INTEGER, DC_HOST_MULTIPLY, DC_HOST_DIVIDE, DC_HOST_FLOAT, DC_HOST_FLOAT_MULTIPLY, DC_HOST_FLOAT_DIVIDE,
	DC_HOST_BRANCH, DC_HOST_MEMORY
};

static enum dc_host_class class_of(const struct simt_inst *inst)
{
	const struct ptx_inst *i = inst->ptx;
	const bool is_float = ptx_type_is_float(i->type);

	if (inst->flags & (SIMT_BRANCH | SIMT_EXIT))
		return DC_HOST_BRANCH;
	if (inst->unit == SIMT_UNIT_TENSOR)
		return DC_HOST_FLOAT_MULTIPLY;
	switch (i->op) {
	case PTX_OP_DIV:
	case PTX_OP_REM:
	case PTX_OP_RCP:
	case PTX_OP_SQRT:
	case PTX_OP_RSQRT:
		return is_float ? DC_HOST_FLOAT_DIVIDE : DC_HOST_DIVIDE;
	default:
		break;
	}
	if (inst->unit == SIMT_UNIT_SFU)
		return DC_HOST_FLOAT_MULTIPLY;
	if (inst->kind == SIMT_KIND_MUL || inst->kind == SIMT_KIND_MAD)
		return is_float ? DC_HOST_FLOAT_MULTIPLY : DC_HOST_MULTIPLY;
	return inst->unit == SIMT_UNIT_FP32 || inst->unit == SIMT_UNIT_FP64 ? DC_HOST_FLOAT : DC_HOST_INTEGER;
}

/* How many instructions of the core one of PTX is for a thread, or a vector of threads. */
static uint32_t repeats(const struct dc_params *p, const struct simt_inst *inst, enum dc_host_class class)
{
	enum { TENSOR_SLOT_LANE = 512 / SIMT_LANES /* multiply-adds of a lane: simt/tensor.h */ };

	if (inst->unit == SIMT_UNIT_TENSOR)
		return inst->issue_slots * TENSOR_SLOT_LANE;
	if (inst->unit == SIMT_UNIT_SFU && class == DC_HOST_FLOAT_MULTIPLY)
		return (uint32_t)p->host_function_count;
	return 1;
}

static uint32_t element_bytes(const struct simt_inst *inst)
{
	const uint32_t first = ptx_type_bytes(inst->ptx->type);
	const uint32_t second = inst->ptx->op == PTX_OP_CVT ? ptx_type_bytes(inst->ptx->type2) : 0;

	return MAX(MAX(first, second), 4);
}

static uint64_t scalar_cycles(const struct cpu_params *p, enum dc_host_class class)
{
	const uint64_t cycles[] = {p->integer_cycles,	       p->multiply_cycles,     p->divide_cycles,
				   p->float_cycles,	       p->float_multiply_cycles, p->float_divide_cycles,
				   p->branch_cycles,	       p->memory_cycles};

	return cycles[class];
}

static uint64_t lane_cycles(const struct cpu_params *p, enum dc_host_class class)
{
	if (class == DC_HOST_FLOAT_DIVIDE)
		return p->lane_divide_cycles;
	return class == DC_HOST_FLOAT || class == DC_HOST_FLOAT_MULTIPLY ? p->lane_float_cycles
									 : p->lane_integer_cycles;
}

static bool is_out_of_order(const struct cpu_params *p)
{
	return p->core_model == CPU_CORE_OUT_OF_ORDER;
}

/* One instruction of each thread: integer divisions, which vectors have not, too. Of cores that issue out of order only
 * dividers take time of those behind. */
static struct dc_host_price scalar_price(const struct cpu_params *p, enum dc_host_class class, uint32_t count)
{
	const uint64_t cycles = scalar_cycles(p, class);
	const bool is_divider = class == DC_HOST_DIVIDE || class == DC_HOST_FLOAT_DIVIDE;

	return (struct dc_host_price){
	    .instructions = count,
	    .slots = count,
	    .cycles = !is_out_of_order(p) || is_divider ? count * cycles : 0,
	    .latency = cycles};
}

/* Vectors: see cpu.vector_cycles and those of lanes. Their operations take as many slots as cycles. */
static struct dc_host_price vector_price(const struct cpu_params *p, enum dc_host_class class, uint32_t count,
					 uint32_t lanes)
{
	const uint64_t lane = lane_cycles(p, class), cycles = count * p->vector_cycles + lanes * lane;

	return (struct dc_host_price){.instructions = count,
				      .slots = (uint32_t)cycles,
				      .cycles = is_out_of_order(p) ? 0 : cycles,
				      .latency = scalar_cycles(p, class) + lanes * lane};
}

struct dc_host_price dc_host_price_of(const struct dc_params *p, const struct cpu_params *cores,
				      const struct simt_inst *inst, uint32_t vector_lanes, uint32_t lanes)
{
	const enum dc_host_class class = class_of(inst);
	const uint32_t count = repeats(p, inst, class), wide = element_bytes(inst) > 4 ? 2 : 1;

	if (class == DC_HOST_BRANCH)
		return scalar_price(cores, class, 1);
	if (vector_lanes == 1 || class == DC_HOST_DIVIDE)
		return scalar_price(cores, class, count * lanes);
	return vector_price(cores, class, count * wide, count * lanes);
}

/* A lane's address leaves its vector, and what it loads or stores enters or leaves another, by instructions each. */
struct dc_host_price dc_host_access_price(const struct dc_params *p, const struct cpu_params *cores, bool is_apart)
{
	struct dc_host_price price = scalar_price(cores, DC_HOST_MEMORY, 1);
	const uint32_t more = is_apart ? (uint32_t)p->host_gather_count : 0;

	price.instructions += more;
	price.slots += more;
	price.cycles += is_out_of_order(cores) ? 0 : more * cores->integer_cycles;
	return price;
}
