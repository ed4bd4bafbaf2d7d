/* parse_matrix.c - operands of matrix instructions, asynchronous copies and barrier objects. */
#include <stdio.h>

#include "ptx/matrix.h"
#include "ptx/priv.h"

static bool wrong_form(struct ptx_parser *p, const struct ptx_inst *i, const char *expected)
{
	return ptx_parse_error(p, i->line, i->col, "'%s': expected %s", ptx_op_name(i->op), expected);
}

/* ---- fragments ---- */

/* count registers of so many bytes, in braces unless it is one. */
static bool check_registers(struct ptx_parser *p, const struct ptx_inst *i, struct ptx_operand *o, uint32_t count,
			    uint32_t bytes)
{
	char expected[64];

	snprintf(expected, sizeof(expected), "a vector of %u registers of %u bits", count, 8 * bytes);
	if (o->kind == PTX_OPND_REG && p->regs.at[o->reg].vec > 1 && !o->component)
		ptx_operand_spread(p, o);
	const bool is_vector = o->kind == PTX_OPND_VEC;

	if ((is_vector ? o->elem_count : 1u) != count)
		return ptx_check_fail(p, i, o, expected);
	for (uint32_t k = 0; k < count; k++) {
		const struct ptx_operand *e = is_vector ? &o->elems[k] : o;

		if (e->kind != PTX_OPND_REG || e->negate || p->regs.at[e->reg].type == PTX_PRED ||
		    ptx_type_bytes(p->regs.at[e->reg].type) != bytes)
			return ptx_check_fail(p, i, e, expected);
	}
	return true;
}

static bool check_fragment(struct ptx_parser *p, const struct ptx_inst *i, struct ptx_operand *o,
			   const struct ptx_fragment *f)
{
	return check_registers(p, i, o, f->reg_count, f->reg_bytes);
}

static bool add_source(struct ptx_inst *i, const struct ptx_operand *o)
{
	i->src[i->src_count++] = *o;
	return true;
}

static bool check_product(struct ptx_parser *p, struct ptx_inst *i, struct ptx_written *w)
{
	struct ptx_mma mma;

	if (!i->mods.b_layout)
		return wrong_form(p, i, "the layouts of A and B");
	if (!ptx_mma_find(i, &mma))
		return wrong_form(p, i, "types that this shape has");
	if (i->op == PTX_OP_MMA && !mma.is_quad && (i->mods.a_layout != PTX_ROW || i->mods.b_layout != PTX_COL))
		return wrong_form(p, i, "the layouts .row.col");
	if ((mma.a.type == PTX_B1) != (i->mods.variant == PTX_VARIANT_POPC) ||
	    (mma.a.type == PTX_B1) != (i->mods.atom == PTX_ATOM_XOR || i->mods.atom == PTX_ATOM_AND) ||
	    (i->mods.variant && mma.a.type != PTX_B1))
		return wrong_form(p, i, ".xor.popc or .and.popc with .b1, and only there");
	if (!ptx_check_count(p, i, w, 4, 4))
		return false;
	if (!check_fragment(p, i, &w->at[0], &mma.d) || !check_fragment(p, i, &w->at[1], &mma.a) ||
	    !check_fragment(p, i, &w->at[2], &mma.b) || !check_fragment(p, i, &w->at[3], &mma.c))
		return false;
	i->dst = w->at[0];
	return add_source(i, &w->at[1]) && add_source(i, &w->at[2]) && add_source(i, &w->at[3]);
}

/* wmma.load.M r, [p] {, stride}; wmma.store.d [p], r {, stride}. */
static bool check_wmma_access(struct ptx_parser *p, struct ptx_inst *i, struct ptx_written *w)
{
	const bool is_store = i->mods.wmma == PTX_WMMA_STORE;
	struct ptx_operand *address = &w->at[is_store ? 0 : 1], *registers = &w->at[is_store ? 1 : 0];
	struct ptx_mma mma;

	if (!i->mods.matrix || is_store != (i->mods.matrix == PTX_MATRIX_D))
		return wrong_form(p, i, ".load.a, .load.b, .load.c or .store.d");
	if (i->type2 || i->mods.b_layout || !ptx_mma_find(i, &mma))
		return wrong_form(p, i, "one layout, and a type that this matrix of this shape has");
	const struct ptx_fragment *of[] = {&mma.a, &mma.b, &mma.c, &mma.d};

	if (!ptx_check_count(p, i, w, 2, 3) || !ptx_check_operand(p, i, address, 'm', false, false, false) ||
	    !check_fragment(p, i, registers, of[i->mods.matrix - PTX_MATRIX_A]) ||
	    (w->count == 3 && !ptx_check_operand(p, i, &w->at[2], 'u', false, false, false)))
		return false;
	add_source(i, address);
	if (is_store)
		add_source(i, registers);
	else
		i->dst = *registers;
	return w->count < 3 || add_source(i, &w->at[2]);
}

static bool check_wmma(struct ptx_parser *p, struct ptx_inst *i, struct ptx_written *w)
{
	if (i->mods.wmma != PTX_WMMA_MMA)
		return check_wmma_access(p, i, w);
	if (i->mods.matrix || i->mods.space || !i->type2 || (i->type3 && !i->type4))
		return wrong_form(p, i, "the types of D and C, or of D, A, B and C");
	return check_product(p, i, w);
}

/* ldmatrix r, [p]; stmatrix [p], r. */
static bool check_8x8(struct ptx_parser *p, struct ptx_inst *i, struct ptx_written *w)
{
	const bool is_store = i->op == PTX_OP_STMATRIX;
	struct ptx_operand *address = &w->at[is_store ? 0 : 1], *registers = &w->at[is_store ? 1 : 0];

	if (i->mods.shape != PTX_M8N8 || (i->mods.variant && i->mods.variant != PTX_VARIANT_TRANS))
		return wrong_form(p, i, "the shape .m8n8, and .trans or nothing");
	if (!ptx_check_count(p, i, w, 2, 2) || !ptx_check_operand(p, i, address, 'm', false, false, false) ||
	    !check_registers(p, i, registers, i->mods.num, 4))
		return false;
	add_source(i, address);
	if (is_store)
		return add_source(i, registers);
	i->dst = *registers;
	return true;
}

static bool check_movmatrix(struct ptx_parser *p, struct ptx_inst *i, struct ptx_written *w)
{
	if (i->mods.shape != PTX_M8N8 || i->mods.variant != PTX_VARIANT_TRANS)
		return wrong_form(p, i, ".m8n8.trans");
	if (!ptx_check_count(p, i, w, 2, 2) || !check_registers(p, i, &w->at[0], 1, 4) ||
	    !check_registers(p, i, &w->at[1], 1, 4))
		return false;
	i->dst = w->at[0];
	return add_source(i, &w->at[1]);
}

/* ---- asynchronous copies ---- */

/* cp.async [to], [from], bytes {, source bytes or a predicate} {, policy}. */
static bool check_copy(struct ptx_parser *p, struct ptx_inst *i, struct ptx_written *w)
{
	const uint32_t policy = i->mods.policy;
	struct ptx_operand *bytes = &w->at[2];

	if (i->mods.space != PTX_SHARED || i->mods.space2 != PTX_GLOBAL || !i->mods.cache)
		return wrong_form(p, i, ".ca or .cg, .shared.global");
	if (!ptx_check_count(p, i, w, 3 + policy, 4 + policy) ||
	    !ptx_check_operand(p, i, &w->at[0], 'm', false, false, false))
		return false;
	i->mods.space = PTX_GLOBAL;
	const bool is_right = ptx_check_operand(p, i, &w->at[1], 'm', false, false, false);

	i->mods.space = PTX_SHARED;
	if (!is_right || !ptx_check_operand(p, i, bytes, 'u', false, false, false))
		return false;
	if (bytes->kind != PTX_OPND_IMM ||
	    !(bytes->imm == 16 || (i->mods.cache == PTX_CA && (bytes->imm == 4 || bytes->imm == 8))))
		return ptx_check_fail(p, i, bytes, i->mods.cache == PTX_CA ? "4, 8 or 16 bytes" : "16 bytes");
	i->src_count = (uint8_t)(4 + policy);
	for (uint32_t k = 0; k < 3; k++)
		i->src[k] = w->at[k];
	if (w->count == 4 + policy) {
		struct ptx_operand *o = &w->at[3];
		const bool is_pred = o->kind == PTX_OPND_REG && p->regs.at[o->reg].type == PTX_PRED;

		if (!ptx_check_operand(p, i, o, is_pred ? 'p' : 'u', false, false, false))
			return false;
		i->src[3] = *o;
	}
	if (policy) {
		if (!ptx_check_operand(p, i, &w->at[w->count - 1], '*', false, false, false))
			return false;
		i->src[4] = w->at[w->count - 1];
	}
	return true;
}

/* cp.async.bulk [to], [from], bytes {, [mbarrier]} {, policy}; prefetch [from], bytes {, policy}. */
static bool check_bulk(struct ptx_parser *p, struct ptx_inst *i, struct ptx_written *w)
{
	const bool is_prefetch = i->mods.cp_op == PTX_CP_PREFETCH, is_load = i->mods.complete == PTX_COMPLETE_MBARRIER;
	const uint32_t policy = i->mods.policy, count = is_prefetch ? 2 : is_load ? 4 : 3;
	const uint8_t space = i->mods.space, space2 = i->mods.space2;
	bool is_right = true;

	if (is_prefetch ? space != PTX_GLOBAL || space2 || i->mods.level != PTX_LEVEL_L2
			: is_load ? space != PTX_SHARED : i->mods.complete != PTX_COMPLETE_GROUP || space != PTX_GLOBAL)
		return wrong_form(p, i, ".shared.global.mbarrier::complete_tx::bytes, .global.shared.bulk_group or "
					".prefetch.L2.global");
	if (is_load && space2 == PTX_SHARED) {
		i->unsupported = "bulk copies within shared memory";
		return true;
	}
	if (!is_prefetch && space2 != (is_load ? PTX_GLOBAL : PTX_SHARED))
		return wrong_form(p, i, "one side in .global and one in .shared");
	if (!ptx_check_count(p, i, w, count + policy, count + policy))
		return false;
	for (uint32_t k = 0; k < count && is_right; k++) {
		const bool is_bytes = k == (is_prefetch ? 1 : 2);

		i->mods.space = is_bytes ? space : k == 3 ? PTX_SHARED : k == 1 ? space2 : space;
		is_right = ptx_check_operand(p, i, &w->at[k], is_bytes ? 'u' : 'm', false, false, false) &&
			   add_source(i, &w->at[k]);
	}
	i->mods.space = space;
	return is_right && (!policy || (ptx_check_operand(p, i, &w->at[count], '*', false, false, false) &&
					add_source(i, &w->at[count])));
}

/* Copies, and the words that only one kind of them has. */
static bool is_bulk_right(const struct ptx_inst *i)
{
	const uint8_t op = i->mods.cp_op;

	if (!i->mods.kind)
		return op != PTX_CP_PREFETCH && !i->mods.complete && !i->mods.level;
	if (i->mods.kind != PTX_KIND_BULK || i->mods.cache || i->mods.variant || i->mods.bar)
		return false;
	return op != PTX_CP_WAIT_ALL && op != PTX_CP_ARRIVE &&
	       (i->mods.complete == PTX_COMPLETE_READ ? op == PTX_CP_WAIT_GROUP
						       : !i->mods.complete || op == PTX_CP_COPY);
}

static bool check_cp(struct ptx_parser *p, struct ptx_inst *i, struct ptx_written *w)
{
	const uint8_t op = i->mods.cp_op;

	if (!is_bulk_right(i))
		return wrong_form(p, i, "the words of cp.async, or those of cp.async.bulk");
	if (i->mods.kind == PTX_KIND_BULK && (op == PTX_CP_COPY || op == PTX_CP_PREFETCH))
		return check_bulk(p, i, w);
	if (op == PTX_CP_COPY)
		return check_copy(p, i, w);
	if (op == PTX_CP_ARRIVE) {
		if (i->mods.bar != PTX_BAR_ARRIVE || i->type != PTX_B64)
			return wrong_form(p, i, "cp.async.mbarrier.arrive.b64");
		return ptx_check_count(p, i, w, 1, 1) && ptx_check_operand(p, i, &w->at[0], 'm', false, false, false) &&
		       add_source(i, &w->at[0]);
	}
	if (!ptx_check_count(p, i, w, op == PTX_CP_WAIT_GROUP, op == PTX_CP_WAIT_GROUP))
		return false;
	if (op != PTX_CP_WAIT_GROUP)
		return true;
	if (!ptx_check_operand(p, i, &w->at[0], 'u', false, false, false))
		return false;
	if (w->at[0].kind != PTX_OPND_IMM)
		return ptx_check_fail(p, i, &w->at[0], "a constant number of groups");
	return add_source(i, &w->at[0]);
}

/* ---- barrier objects ---- */

struct mbar_form {
	uint8_t min, max; /* operands, the result included */
	char result;      /* letter of the result, 0: none; _ is allowed for a state */
	const char *sources;
};

static bool check_mbarrier(struct ptx_parser *p, struct ptx_inst *i, struct ptx_written *w)
{
	static const struct mbar_form forms[] = {
	    [PTX_MBAR_INIT] = {2, 2, 0, "mu"},           [PTX_MBAR_INVAL] = {1, 1, 0, "m"},
	    [PTX_MBAR_ARRIVE] = {2, 3, '1', "mu"},       [PTX_MBAR_ARRIVE_DROP] = {2, 3, '1', "mu"},
	    [PTX_MBAR_TEST_WAIT] = {3, 3, 'p', "m1"},    [PTX_MBAR_TRY_WAIT] = {3, 4, 'p', "m1u"},
	    [PTX_MBAR_PENDING_COUNT] = {2, 2, 'u', "1"}, [PTX_MBAR_NONE] = {2, 2, 0, "mu"},
	};
	const struct mbar_form *f = &forms[i->mods.mbar];
	const bool is_arrival = i->mods.mbar == PTX_MBAR_ARRIVE || i->mods.mbar == PTX_MBAR_ARRIVE_DROP;
	const bool is_expect = i->mods.variant == PTX_VARIANT_EXPECT_TX;
	const bool is_tx = is_expect || i->mods.variant == PTX_VARIANT_COMPLETE_TX;
	const bool is_parity = i->mods.variant == PTX_VARIANT_PARITY;
	uint32_t at = 0;

	if (i->mods.mbar ? is_tx && !(is_expect && is_arrival) : !is_tx)
		return wrong_form(p, i, "an operation, .expect_tx, .complete_tx, or an arrival with .expect_tx");
	if (!ptx_check_count(p, i, w, is_tx ? f->max : f->min, f->max))
		return false;
	if (f->result && w->at[0].kind == PTX_OPND_SINK && f->result == '1')
		i->dst = w->at[at++];
	else if (f->result) {
		if (!ptx_check_operand(p, i, &w->at[0], f->result, false, false, true))
			return false;
		i->dst = w->at[at++];
	}
	for (const char *letter = f->sources; at < w->count; at++, letter++) {
		const char want = *letter == '1' && is_parity ? 'u' : *letter;

		if (!ptx_check_operand(p, i, &w->at[at], want, false, false, false))
			return false;
		add_source(i, &w->at[at]);
	}
	return true;
}

bool ptx_check_matrix(struct ptx_parser *p, struct ptx_inst *i, struct ptx_written *w)
{
	switch (i->op) {
	case PTX_OP_MMA:
		return check_product(p, i, w);
	case PTX_OP_WMMA:
		return check_wmma(p, i, w);
	case PTX_OP_MOVMATRIX:
		return check_movmatrix(p, i, w);
	case PTX_OP_CP:
		return check_cp(p, i, w);
	case PTX_OP_MBARRIER:
		return check_mbarrier(p, i, w);
	default:
		return check_8x8(p, i, w);
	}
}
