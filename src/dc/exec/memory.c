/* memory.c - loads, stores and atomics of a control block: addresses, spaces, bounds, data, and the lines they touch.
 */
#include <string.h>

#include "dc/exec/priv.h"

enum place { PLACE_GLOBAL, PLACE_SHARED, PLACE_LOCAL, PLACE_PARAM };

struct spot {
	enum place place;
	uint64_t at; /* device address, or offset in the segment or the block */
};

static uint64_t shared_bytes(const struct dc_block *b, const struct simt_launch *l)
{
	return b->program->kernel->shared_bytes + l->shared_dynamic_bytes;
}

static struct spot spot_of(const struct dc_box *box, uint64_t address)
{
	switch (box->space) {
	case PTX_SHARED: return (struct spot){PLACE_SHARED, address};
	case PTX_LOCAL: return (struct spot){PLACE_LOCAL, address};
	case PTX_PARAM_ENTRY: return (struct spot){PLACE_PARAM, address};
	case PTX_SPACE_NONE: break;
	default: return (struct spot){PLACE_GLOBAL, address};
	}
	if (address - SIMT_SHARED_WINDOW < SIMT_WINDOW_BYTES)
		return (struct spot){PLACE_SHARED, address - SIMT_SHARED_WINDOW};
	if (address - SIMT_LOCAL_WINDOW < SIMT_WINDOW_BYTES)
		return (struct spot){PLACE_LOCAL, address - SIMT_LOCAL_WINDOW};
	return (struct spot){PLACE_GLOBAL, address};
}

/* What all lanes of an access have in common. */
struct op {
	struct dc_program *p;
	struct dc_block *b;
	struct simt_launch *l;
	const struct dc_word *w;
	const struct dc_box *box;
	struct dc_access *out;
	uint64_t added; /* to every lane's address: box->var's, the instruction's offset */
	uint32_t bytes; /* of an element */
	uint32_t elems;
	bool is_signed;
	uint64_t params; /* where the launch's are */
	uint64_t low, high; /* of the allocation found last: device addresses */
	bool is_readonly;
};

static bool illegal(const struct op *o, uint32_t warp, uint32_t lane, const char *where, uint64_t at, uint64_t limit)
{
	return dc_fault(o->l, o->b, o->box->inst, warp, lane, SIMT_FAULT_ADDRESS,
			"illegal %s of %u bytes at 0x%llx of %s, which has %llu bytes",
			o->out->is_store ? "write" : "read", o->bytes * o->elems, (unsigned long long)at, where,
			(unsigned long long)limit);
}

static bool check_global(struct op *o, uint64_t at, uint32_t warp, uint32_t lane)
{
	const uint32_t bytes = o->bytes * o->elems;
	const struct simt_alloc *found;

	if (at >= o->low && at < o->high && bytes <= o->high - at && !(o->is_readonly && o->out->is_store))
		return true;
	found = simt_memory_find(o->l->mem, at, bytes);
	if (found && o->box->has_base && found->size_bytes > INT32_MAX)
		return dc_fault(o->l, o->b, o->box->inst, warp, lane, SIMT_FAULT_ADDRESS,
				"0x%llx is of an object of %llu bytes; offsets of duality.address=base_offset have 32 "
				"bits, signed: use flat", (unsigned long long)at,
				(unsigned long long)found->size_bytes);
	if (found && !(found->is_readonly && o->out->is_store)) {
		o->low = found->addr;
		o->high = found->addr + found->size_bytes;
		o->is_readonly = found->is_readonly;
		return true;
	}
	if (simt_memory_tolerates_pages(o->l->mem) && simt_memory_shares_page(o->l->mem, at, bytes))
		return true;
	dc_fault(o->l, o->b, o->box->inst, warp, lane, SIMT_FAULT_ADDRESS, "illegal %s of %u bytes at 0x%llx",
		 o->out->is_store ? "write" : "read", bytes, (unsigned long long)at);
	simt_memory_describe_access(o->l->mem, at, bytes, o->l->fault.text, sizeof(o->l->fault.text));
	return false;
}

static bool is_aligned(const struct op *o, uint64_t at, uint32_t warp, uint32_t lane)
{
	const uint32_t bytes = o->bytes * o->elems;

	return !(at & (bytes - 1)) ||
	       dc_fault(o->l, o->b, o->box->inst, warp, lane, SIMT_FAULT_ALIGNMENT,
			"misaligned %s at 0x%llx: the address must be a multiple of %u",
			o->out->is_store ? "write" : "read", (unsigned long long)at, bytes);
}

/* Of memory that begins at 0. */
static bool check_block(const struct op *o, uint64_t at, uint64_t limit, const char *where, uint32_t warp,
			uint32_t lane)
{
	const uint32_t bytes = o->bytes * o->elems;

	if (at >= limit || bytes > limit - at)
		return illegal(o, warp, lane, where, at, limit);
	return is_aligned(o, at, warp, lane);
}

static bool check_spot(struct op *o, const struct spot *s, uint32_t warp, uint32_t lane)
{
	const uint64_t shared = shared_bytes(o->b, o->l), local = o->p->kernel->local_bytes;
	const uint64_t params = o->p->kernel->param_bytes;

	switch (s->place) {
	case PLACE_SHARED: return check_block(o, s->at, shared, "shared memory", warp, lane);
	case PLACE_LOCAL: return check_block(o, s->at, local, "local memory", warp, lane);
	case PLACE_PARAM: return check_block(o, s->at, params, "parameter space", warp, lane);
	case PLACE_GLOBAL: break;
	}
	return is_aligned(o, s->at, warp, lane) && check_global(o, s->at, warp, lane);
}

static uint64_t load(const void *at, uint32_t bytes)
{
	uint64_t value = 0;

	switch (bytes) {
	case 1: memcpy(&value, at, 1); break;
	case 2: memcpy(&value, at, 2); break;
	case 4: memcpy(&value, at, 4); break;
	default: memcpy(&value, at, 8); break;
	}
	return value;
}

static void store(void *at, uint64_t value, uint32_t bytes)
{
	switch (bytes) {
	case 1: memcpy(at, &value, 1); break;
	case 2: memcpy(at, &value, 2); break;
	case 4: memcpy(at, &value, 4); break;
	default: memcpy(at, &value, 8); break;
	}
}

/* Where element k of a lane lies: bytes of an element are together, but in local memory words of four. */
static uint64_t address_of(const struct op *o, const struct spot *s, uint32_t warp, uint32_t lane, uint32_t k,
			   uint32_t word)
{
	const struct dc_segments *g = &o->b->segments;
	const uint64_t at = s->at + (uint64_t)k * o->bytes + 4ull * word;

	switch (s->place) {
	case PLACE_SHARED: return g->shared + o->b->warps[warp].segment * g->shared_stride_bytes + at;
	case PLACE_LOCAL:
		return g->local + ((at / 4) * o->p->lanes + warp * DC_ROW_WORDS + lane) * 4 + at % 4;
	case PLACE_PARAM: return o->params + at;
	case PLACE_GLOBAL: break;
	}
	return at;
}

/* An element of local memory that is longer than a word lies in two places. */
static uint32_t words_of(const struct op *o, const struct spot *s)
{
	return s->place == PLACE_LOCAL && o->bytes == 8 ? 2 : 1;
}

static uint64_t read_elem(const struct op *o, const struct spot *s, uint32_t warp, uint32_t lane, uint32_t k)
{
	const uint32_t words = words_of(o, s);
	uint64_t value = 0;

	for (uint32_t i = 0; i < words; i++) {
		const uint64_t at = address_of(o, s, warp, lane, k, i);

		value |= load((const void *)(uintptr_t)at, o->bytes / words) << 32 * i;
		dc_line_add(o->b, o->out, at, o->bytes / words);
	}
	if (o->is_signed && o->bytes < 8 && value >> (8 * o->bytes - 1) & 1)
		value |= ~0ull << 8 * o->bytes;
	return value;
}

static void write_elem(const struct op *o, const struct spot *s, uint32_t warp, uint32_t lane, uint32_t k,
		       uint64_t value)
{
	const uint32_t words = words_of(o, s);

	for (uint32_t i = 0; i < words; i++) {
		const uint64_t at = address_of(o, s, warp, lane, k, i);

		store((void *)(uintptr_t)at, value >> 32 * i, o->bytes / words);
		dc_line_add(o->b, o->out, at, o->bytes / words);
	}
}

/* Each element of a vector is an atomic by itself. */
static bool atomic_lane(struct op *o, const struct spot *s, uint32_t warp, uint32_t lane)
{
	const struct dc_box *box = o->box;

	if (s->place == PLACE_LOCAL)
		return dc_fault(o->l, o->b, box->inst, warp, lane, SIMT_FAULT_ADDRESS, "an atomic on local memory");
	for (uint32_t k = 0; k < o->elems; k++) {
		const uint64_t at = address_of(o, s, warp, lane, k, 0);
		const uint64_t x = box->src_count > 1 + k ? dc_lane_of(o->b, &box->src[1 + k], warp, lane) : 0;
		const uint64_t y = box->src_count > 2 ? dc_lane_of(o->b, &box->src[2], warp, lane) : 0;
		const uint64_t old = o->p->atomics[o->b->word]((void *)(uintptr_t)at, x, y);

		dc_line_add(o->b, o->out, at, o->bytes);
		if (box->elem_count > k)
			dc_lane_put(o->b, &box->dst[k], warp, lane, old);
	}
	return true;
}

/* Addresses of a warp's lanes. */
static void addresses(const struct op *o, uint32_t warp, uint64_t *at)
{
	const struct dc_source *s = &o->box->src[0];
	const uint64_t above = o->box->has_base ? ~0ull << 31 : 0; /* an offset's sign */
	const bool is_segment = o->box->space == PTX_SHARED || o->box->space == PTX_LOCAL;

	if (s->kind != DC_SRC_LOC) {
		const uint64_t base = s->kind == DC_SRC_NONE ? 0 : dc_lane_of(o->b, s, warp, 0);

		for (uint32_t i = 0; i < DC_ROW_WORDS; i++)
			at[i] = base + o->added;
		return;
	}
	const uint32_t *lo = dc_reg_row(o->b, s->loc.array, s->loc.lo, warp);

	if (s->loc.hi == DC_NO_REG) {
		for (uint32_t i = 0; i < DC_ROW_WORDS; i++)
			at[i] = is_segment ? (uint32_t)(lo[i] + o->added)
					   : (lo[i] | (lo[i] >> 31 ? above : 0)) + o->added;
		return;
	}
	const uint32_t *hi = dc_reg_row(o->b, s->loc.array, s->loc.hi, warp);

	for (uint32_t i = 0; i < DC_ROW_WORDS; i++)
		at[i] = ((uint64_t)hi[i] << 32 | lo[i]) + o->added;
}

/* What the lanes of a warp to come will read: of lanes that go to other places the host fetches something for nothing.
 */
static void prefetch(const struct op *o, uint32_t warp)
{
	uint64_t at[DC_ROW_WORDS];

	if (warp >= o->b->warp_count || o->box->space == PTX_SHARED || o->box->space == PTX_LOCAL)
		return;
	addresses(o, warp, at);
	for (uint32_t i = 0; i < DC_ROW_WORDS; i++)
		__builtin_prefetch((const void *)(uintptr_t)at[i]);
}

static bool access_lane(struct op *o, uint32_t warp, uint32_t lane, uint64_t at)
{
	const struct dc_box *box = o->box;
	const struct spot s = spot_of(box, at);

	if (!check_spot(o, &s, warp, lane))
		return false;
	if (o->out->is_atomic)
		return atomic_lane(o, &s, warp, lane);
	for (uint32_t k = 0; k < o->elems; k++) {
		if (o->out->is_store)
			write_elem(o, &s, warp, lane, k, dc_lane_of(o->b, &box->src[1 + k], warp, lane));
		else
			dc_lane_put(o->b, &box->dst[k], warp, lane, read_elem(o, &s, warp, lane, k));
	}
	return true;
}

/* A load's results may come to where its addresses are, but those of one warp only. */
static bool access_warp(struct op *o, uint32_t warp, uint32_t mask)
{
	enum { AHEAD = 2 }; /* warps */
	uint64_t at[DC_ROW_WORDS];

	if (!warp)
		for (uint32_t w = 0; w < AHEAD; w++)
			prefetch(o, w);
	prefetch(o, warp + AHEAD);
	addresses(o, warp, at);
	for (uint32_t left = mask; left; left &= left - 1) {
		const uint32_t lane = (uint32_t)__builtin_ctz(left);

		if (!access_lane(o, warp, lane, at[lane]))
			return false;
	}
	return true;
}

/* Rows that a source leaves its array in, a result enters one in. */
static uint32_t rows_of(const struct dc_loc *l)
{
	return l->lo == DC_NO_REG ? 0 : l->hi == DC_NO_REG ? DC_REG_ROWS : 2 * DC_REG_ROWS;
}

static void set_rows(const struct dc_box *box, struct dc_access *a)
{
	for (uint32_t k = 0; k < box->src_count; k++)
		if (box->src[k].kind == DC_SRC_LOC)
			a->out_rows += rows_of(&box->src[k].loc);
	for (uint32_t k = 0; k < box->elem_count; k++)
		a->in_rows += rows_of(&box->dst[k]);
}

static void begin(struct dc_block *b, struct dc_access *a, uint32_t kind, uint32_t lines_per_lane)
{
	a->kind = (uint8_t)kind;
	a->line_count = 0;
	dc_lines_begin(b, lines_per_lane);
}

static void count_lanes(struct dc_access *a, uint32_t warp, uint32_t mask)
{
	enum { BANK_WARPS = DC_BANK_LANES / DC_ROW_WORDS };

	a->lanes += (uint32_t)__builtin_popcount(mask);
	a->banks |= 1u << warp / BANK_WARPS;
}

static void finish(struct dc_access *a)
{
	a->banks = (uint32_t)__builtin_popcount(a->banks);
	if (!a->lanes)
		a->kind = DC_BOX_NONE;
}

bool dc_memory_step(struct dc_program *p, struct dc_block *b, struct simt_launch *l, const struct dc_word *w,
		    struct dc_access *out)
{
	const struct dc_box *box = &w->box;
	const struct ptx_inst *i = box->inst;
	struct op o = {.p = p,
		       .b = b,
		       .l = l,
		       .w = w,
		       .box = box,
		       .out = out,
		       .bytes = ptx_type_bytes(i->type),
		       .elems = i->mods.vec > 1 ? i->mods.vec : 1,
		       .is_signed = ptx_type_is_signed(i->type),
		       .params = simt_launch_params(l)};

	/* An element lies in a line, or in local memory in two. */
	begin(b, out, DC_BOX_MEMORY, 2 * o.elems);
	if (i->op == PTX_OP_PREFETCH || i->op == PTX_OP_PREFETCHU || i->op == PTX_OP_DISCARD ||
	    i->op == PTX_OP_APPLYPRIORITY) {
		out->kind = DC_BOX_NONE;
		return true;
	}
	out->elem_bytes = o.bytes;
	out->is_atomic = p->atomics[b->word] != NULL;
	out->is_store = i->op == PTX_OP_ST || out->is_atomic;
	o.added = (uint64_t)box->offset + (box->var ? simt_program_variable(p->program, box->var) : 0);
	if (box->has_base)
		o.added += dc_lane_of(b, &box->src[box->src_count - 1], 0, 0);
	set_rows(box, out);
	for (uint32_t warp = 0; warp < b->warp_count; warp++) {
		const uint32_t mask = dc_guard_mask(b, &box->guard, warp);

		if (!mask)
			continue;
		count_lanes(out, warp, mask);
		if (!access_warp(&o, warp, mask))
			return false;
	}
	finish(out);
	return true;
}

bool dc_spill_step(struct dc_program *p, struct dc_block *b, const struct dc_word *w, struct dc_access *out)
{
	const struct dc_box *box = &w->box;
	const bool is_fill = box->kind == DC_BOX_FILL;
	const struct dc_loc *at = is_fill ? &box->dst[0] : &box->src[0].loc;
	const uint32_t slots = at->hi == DC_NO_REG ? 1 : 2;

	begin(b, out, box->kind, 2);
	out->is_store = !is_fill;
	set_rows(box, out);
	for (uint32_t warp = 0; warp < b->warp_count; warp++) {
		const uint32_t mask = dc_guard_mask(b, &box->guard, warp);

		if (!mask)
			continue;
		count_lanes(out, warp, mask);
		for (uint32_t k = 0; k < slots; k++) {
			uint32_t *reg = dc_reg_row(b, at->array, k ? at->hi : at->lo, warp);
			const uint64_t to = b->segments.spill +
					    ((uint64_t)(box->spill + k) * p->lanes + warp * DC_ROW_WORDS) * 4;
			uint32_t *memory = (uint32_t *)(uintptr_t)to;

			for (uint32_t left = mask; left; left &= left - 1) {
				const uint32_t lane = (uint32_t)__builtin_ctz(left);

				if (is_fill)
					reg[lane] = memory[lane];
				else
					memory[lane] = reg[lane];
			}
			dc_line_add(b, out, to, DC_ROW_WORDS * 4);
		}
	}
	finish(out);
	return true;
}
