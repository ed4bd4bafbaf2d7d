/* address.c - addresses as a base, the same in all threads, and an offset of 32 bits, signed, in the lanes: a register
 * and additions of half the rows. The C-Box adds the base, which the host knows, as it adds an instruction's offset.
 *
 * An address is split where it is a sum in registers that are written once: of what the host knows, and of integers
 * whose lower 32 bits follow from lower 32 bits. The long sums are nobody's then and go (clean.c). Offsets are exact as
 * long as an object has less than 2 GB, which the machine looks after.
 */
#include "dc/compile/priv.h"

enum { TERMS_MAX = 8 };
enum part { LOWER_HALF = 1, BASE_AND_OFFSET = 2 };

struct split {
	struct dcc *c;
	uint32_t *def;	   /* [reg_count]: the instruction that alone writes it, unguarded; UINT32_MAX: none */
	uint32_t *twin;	   /* [reg_count]: the register of its lower 32 bits; UINT32_MAX: none yet */
	uint8_t *is_wanted; /* [reg_count]: bits of enum part */
	uint32_t *base, *offset; /* [reg_count]: of a split address */
	uint32_t reg_count;
};

struct terms {
	uint32_t host[TERMS_MAX], lane[TERMS_MAX];
	uint32_t host_count, lane_count;
	uint64_t constant;
};

static bool is_host(const struct split *s, uint32_t reg)
{
	return s->c->kernel->host_of[reg] != UINT32_MAX;
}

static bool is_long(const struct ptx_inst *i)
{
	return i->type == PTX_U64 || i->type == PTX_S64 || i->type == PTX_B64;
}

static const struct ptx_inst *def_of(const struct split *s, uint32_t reg)
{
	return reg < s->reg_count && s->def[reg] != UINT32_MAX ? &s->c->func->insts[s->def[reg]] : NULL;
}

static bool has_twin(const struct split *s, uint32_t reg, uint32_t depth);

static bool operand_has_twin(const struct split *s, const struct ptx_operand *o, uint32_t depth)
{
	return o->kind == PTX_OPND_IMM ||
	       (o->kind == PTX_OPND_REG && !o->negate && (is_host(s, o->reg) || has_twin(s, o->reg, depth + 1)));
}

/* Its lower 32 bits follow from those of its operands. */
static bool has_twin(const struct split *s, uint32_t reg, uint32_t depth)
{
	enum { DEPTH_MAX = 16 };
	const struct ptx_inst *i = def_of(s, reg);

	if (!i || depth > DEPTH_MAX || !is_long(i))
		return false;
	switch (i->op) {
	case PTX_OP_CVT:
		return (i->type2 == PTX_U32 || i->type2 == PTX_S32) && i->src[0].kind == PTX_OPND_REG &&
		       (is_host(s, i->src[0].reg) || def_of(s, i->src[0].reg));
	case PTX_OP_SHL: return i->src[1].kind == PTX_OPND_IMM && i->src[1].imm < 32 &&
				operand_has_twin(s, &i->src[0], depth);
	case PTX_OP_MUL:
		if (i->mods.part != PTX_LO_HALF)
			return false;
		break;
	case PTX_OP_ADD:
	case PTX_OP_SUB:
		if (i->mods.sat || i->mods.cc)
			return false;
		break;
	default: return false;
	}
	return operand_has_twin(s, &i->src[0], depth) && operand_has_twin(s, &i->src[1], depth);
}

/* The sum that a register holds; false: not one that can be split. */
static bool find_terms(const struct split *s, const struct ptx_operand *o, struct terms *t, bool is_first)
{
	const struct ptx_inst *i = o->kind == PTX_OPND_REG || is_first ? def_of(s, o->reg) : NULL;

	if (o->kind == PTX_OPND_IMM) {
		t->constant += o->imm;
		return true;
	}
	if ((o->kind != PTX_OPND_REG && !is_first) || o->negate)
		return false;
	if (is_host(s, o->reg)) {
		if (t->host_count < TERMS_MAX)
			t->host[t->host_count] = o->reg;
		return ++t->host_count <= TERMS_MAX;
	}
	if (i && i->op == PTX_OP_ADD && is_long(i) && !i->mods.sat && !i->mods.cc)
		return find_terms(s, &i->src[0], t, false) && find_terms(s, &i->src[1], t, false);
	if (is_first || !has_twin(s, o->reg, 0))
		return false;
	if (t->lane_count < TERMS_MAX)
		t->lane[t->lane_count] = o->reg;
	return ++t->lane_count <= TERMS_MAX;
}

static void want(struct split *s, uint32_t reg)
{
	const struct ptx_inst *i = def_of(s, reg);

	if (s->is_wanted[reg] & LOWER_HALF || is_host(s, reg))
		return;
	s->is_wanted[reg] |= LOWER_HALF;
	s->twin[reg] = i->op == PTX_OP_CVT ? i->src[0].reg : dcc_reg_new(s->c, PTX_U32);
	for (uint32_t k = 0; i->op != PTX_OP_CVT && k < i->src_count; k++)
		if (i->src[k].kind == PTX_OPND_REG)
			want(s, i->src[k].reg);
}

bool dcc_inst_has_base(const struct ptx_func *f, const struct ptx_inst *i)
{
	const bool is_access = i->op == PTX_OP_LD || i->op == PTX_OP_LDU || i->op == PTX_OP_ST ||
			       i->op == PTX_OP_ATOM || i->op == PTX_OP_RED;

	return is_access && f->module->address_bits == 64 &&
	       (i->mods.space == PTX_GLOBAL || i->mods.space == PTX_SPACE_NONE) &&
	       i->src[0].kind == PTX_OPND_ADDR && i->src[0].reg != UINT32_MAX &&
	       ptx_type_bytes(f->regs[i->src[0].reg].type) == 4;
}

/* Accesses whose address is a sum of both. */
static bool can_split(const struct split *s, const struct ptx_inst *i, struct terms *t)
{
	const bool is_access = i->op == PTX_OP_LD || i->op == PTX_OP_LDU || i->op == PTX_OP_ST ||
			       i->op == PTX_OP_ATOM || i->op == PTX_OP_RED;

	*t = (struct terms){.constant = 0};
	return is_access && (i->mods.space == PTX_GLOBAL || i->mods.space == PTX_SPACE_NONE) &&
	       i->src[0].kind == PTX_OPND_ADDR && i->src[0].reg != UINT32_MAX && !i->src[0].var &&
	       i->src_count < PTX_SRC_MAX && !is_host(s, i->src[0].reg) && find_terms(s, &i->src[0], t, true) &&
	       t->host_count && t->lane_count;
}

/* ---- the new instructions, behind the old ---- */

static struct ptx_operand lower_half(struct split *s, const struct ptx_operand *o)
{
	if (o->kind == PTX_OPND_IMM)
		return dcc_imm(o->imm & UINT32_MAX, PTX_U32);
	if (is_host(s, o->reg))
		return dcc_temp_cvt(s->c, PTX_U32, PTX_U64, dcc_reg(o->reg));
	return dcc_reg(s->twin[o->reg]);
}

static void make_twin(struct split *s, const struct ptx_inst *i)
{
	struct ptx_operand low;

	if (i->op == PTX_OP_CVT)
		return;
	if (i->op == PTX_OP_SHL)
		low = dcc_temp(s->c, PTX_OP_SHL, PTX_B32, lower_half(s, &i->src[0]), dcc_imm(i->src[1].imm, PTX_U32));
	else
		low = dcc_temp(s->c, i->op, PTX_U32, lower_half(s, &i->src[0]), lower_half(s, &i->src[1]));
	if (i->op == PTX_OP_MUL)
		g_array_index(s->c->insts, struct ptx_inst, s->c->insts->len - 1).mods.part = PTX_LO_HALF;
	dcc_mov(s->c, PTX_B32, dcc_reg(s->twin[i->dst.reg]), low);
}

static void make_split(struct split *s, const struct ptx_inst *i)
{
	const struct ptx_operand at = {.kind = PTX_OPND_REG, .reg = i->dst.reg};
	struct ptx_operand base, offset;
	struct terms t = {.constant = 0};

	CHECK(find_terms(s, &at, &t, true));
	base = dcc_reg(t.host[0]);
	for (uint32_t k = 1; k < t.host_count; k++)
		base = dcc_temp(s->c, PTX_OP_ADD, PTX_U64, base, dcc_reg(t.host[k]));
	if (t.constant)
		base = dcc_temp(s->c, PTX_OP_ADD, PTX_U64, base, dcc_imm(t.constant, PTX_U64));
	offset = dcc_reg(s->twin[t.lane[0]]);
	for (uint32_t k = 1; k < t.lane_count; k++)
		offset = dcc_temp(s->c, PTX_OP_ADD, PTX_U32, offset, dcc_reg(s->twin[t.lane[k]]));
	dcc_mov(s->c, PTX_B64, dcc_reg(s->base[i->dst.reg]), base);
	dcc_mov(s->c, PTX_B32, dcc_reg(s->offset[i->dst.reg]), offset);
}

static void emit(struct split *s, const struct ptx_inst *i)
{
	struct ptx_inst out = *i;
	struct terms t;

	if (can_split(s, i, &t)) {
		out.src[0].reg = s->offset[i->src[0].reg];
		out.src[out.src_count++] = dcc_reg(s->base[i->src[0].reg]);
	}
	dcc_emit(s->c, &out);
	if (i->dst.kind != PTX_OPND_REG || i->dst.reg >= s->reg_count || !s->is_wanted[i->dst.reg])
		return;
	if (s->is_wanted[i->dst.reg] & LOWER_HALF)
		make_twin(s, i);
	if (s->is_wanted[i->dst.reg] & BASE_AND_OFFSET)
		make_split(s, i);
}

static void find_defs(struct split *s)
{
	const struct ptx_func *f = s->c->func;
	g_autofree uint32_t *count = g_new0(uint32_t, f->reg_count + 1);
	struct ptx_reg_use u;

	for (uint32_t n = 0; n < f->inst_count; n++) {
		ptx_inst_regs(&f->insts[n], &u);
		for (uint32_t k = 0; k < u.write_count; k++) {
			s->def[u.writes[k]] = n;
			count[u.writes[k]] += f->insts[n].has_guard ? 2 : 1;
		}
	}
	for (uint32_t r = 0; r < f->reg_count; r++)
		if (count[r] != 1)
			s->def[r] = UINT32_MAX;
}

static bool find_accesses(struct split *s)
{
	const struct ptx_func *f = s->c->func;
	bool any = false;
	struct terms t;

	for (uint32_t n = 0; n < f->inst_count; n++) {
		if (!can_split(s, &f->insts[n], &t))
			continue;
		any = true;
		for (uint32_t k = 0; k < t.lane_count; k++)
			want(s, t.lane[k]);
		const uint32_t at = f->insts[n].src[0].reg;

		if (s->is_wanted[at] & BASE_AND_OFFSET)
			continue;
		s->is_wanted[at] |= BASE_AND_OFFSET;
		s->base[at] = dcc_reg_new(s->c, PTX_U64);
		s->offset[at] = dcc_reg_new(s->c, PTX_U32);
	}
	return any;
}

void dcc_addresses(struct dcc *c)
{
	const uint32_t regs = c->func->reg_count;
	struct split s = {.c = c, .reg_count = regs, .def = g_new(uint32_t, regs + 1),
			  .twin = g_new(uint32_t, regs + 1), .is_wanted = g_new0(uint8_t, regs + 1),
			  .base = g_new(uint32_t, regs + 1), .offset = g_new(uint32_t, regs + 1)};

	for (uint32_t r = 0; r < regs; r++)
		s.def[r] = s.twin[r] = UINT32_MAX;
	find_defs(&s);
	if (find_accesses(&s)) {
		const uint32_t count = c->func->inst_count;
		const struct ptx_inst *insts = c->func->insts;

		dcc_rewrite_begin(c);
		for (uint32_t n = 0; n < count; n++) {
			dcc_rewrite_at(c, n);
			emit(&s, &insts[n]);
		}
		dcc_rewrite_end(c);
	}
	g_free(s.def);
	g_free(s.twin);
	g_free(s.is_wanted);
	g_free(s.base);
	g_free(s.offset);
}
