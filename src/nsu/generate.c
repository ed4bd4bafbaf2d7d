/* generate.c - renumbers the registers of a block and writes its NSU code. */
#include "nsu/generate.h"

#include <string.h>

/* ---- what a block is ---- */

static uint32_t *list_of(const uint64_t *set, uint32_t reg_count, uint32_t *count)
{
	GArray *list = g_array_new(FALSE, FALSE, sizeof(uint32_t));

	for (uint32_t r = 0; r < reg_count; r++)
		if (nsu_bit(set, r))
			g_array_append_val(list, r);
	*count = list->len;
	return (uint32_t *)(void *)g_array_free(list, FALSE);
}

static void count_packet(const struct ptx_func *f, const uint32_t *regs, uint32_t count, uint32_t *words,
			 uint32_t *preds)
{
	for (uint32_t k = 0; k < count; k++) {
		const uint32_t bits = nsu_reg_bits(f, regs[k]);

		*words += bits / 32;
		*preds += bits == 1;
	}
}

static bool is_nsu_role(uint8_t role)
{
	return role >= NSU_ROLE_NSU;
}

/* ---- registers ---- */

/* From the first to the last NSU instruction that names a register; those of a block count from 1, BEG is 0. */
struct span {
	uint32_t reg, from, to;
};

static void span_take(GArray *spans, GHashTable *of, uint32_t reg, uint32_t at)
{
	gpointer found;

	if (g_hash_table_lookup_extended(of, GUINT_TO_POINTER(reg), NULL, &found)) {
		struct span *s = &g_array_index(spans, struct span, GPOINTER_TO_UINT(found));

		s->to = MAX(s->to, at);
		return;
	}
	const struct span s = {reg, at, at};

	g_hash_table_insert(of, GUINT_TO_POINTER(reg), GUINT_TO_POINTER(spans->len));
	g_array_append_val(spans, s);
}

/* In the order of their beginnings, live-ins first. */
static GArray *find_spans(const struct nsu_block *b, const struct nsu_range *r, const uint8_t *role)
{
	const struct nsu_facts *f = r->f;
	GArray *spans = g_array_new(FALSE, FALSE, sizeof(struct span));
	g_autoptr(GHashTable) of = g_hash_table_new(NULL, NULL);
	uint32_t at = 0;

	for (uint32_t k = 0; k < b->live_in_count; k++)
		span_take(spans, of, b->live_in[k], 0);
	for (uint32_t k = r->first; k <= r->last; k++) {
		if (!is_nsu_role(role[k - r->first]))
			continue;
		at++;
		for (uint32_t n = f->first_read[k]; n < f->first_read[k + 1]; n++)
			if (f->reads[n].use != NSU_USE_ADDRESS && f->reads[n].use != NSU_USE_OLD)
				span_take(spans, of, f->reads[n].reg, at);
		for (uint32_t w = 0; w < f->uses[k].write_count; w++)
			span_take(spans, of, f->uses[k].writes[w], at);
	}
	for (uint32_t k = 0; k < b->live_out_count; k++)
		span_take(spans, of, b->live_out[k], at + 1);
	return spans;
}

/* The lowest `width` adjacent registers, aligned, whose last users come before `from`. A register is not reused by the
 * instruction that reads it last: a 64-bit result may cover one 32-bit source and half of the other lanes' next. */
static uint32_t take_slot(uint32_t *busy_to, uint32_t count, uint32_t width, const struct span *s)
{
	for (uint32_t slot = 0; slot + width <= count; slot += width) {
		bool is_free = true;

		for (uint32_t k = 0; k < width; k++)
			is_free &= busy_to[slot + k] == 0 || busy_to[slot + k] - 1 < s->from;
		if (!is_free)
			continue;
		for (uint32_t k = 0; k < width; k++)
			busy_to[slot + k] = s->to + 1;
		return slot;
	}
	return UINT32_MAX;
}

static bool number_registers(struct nsu_block *b, const struct nsu_range *r, const uint8_t *role)
{
	const struct ptx_func *fn = r->f->func;
	g_autoptr(GArray) spans = find_spans(b, r, role);
	g_autofree uint32_t *words = g_new0(uint32_t, r->p->register_count + 1);
	g_autofree uint32_t *preds = g_new0(uint32_t, r->p->pred_count + 1);

	for (guint k = 0; k < spans->len; k++) {
		const struct span *s = &g_array_index(spans, struct span, k);
		const uint32_t bits = nsu_reg_bits(fn, s->reg);
		const uint32_t width = bits == 64 ? 2 : 1;
		const uint32_t slot = bits == 1 ? take_slot(preds, r->p->pred_count, 1, s)
						: take_slot(words, r->p->register_count, width, s);

		if (slot == UINT32_MAX)
			return false;
		b->slot[s->reg] = slot;
		if (bits == 1)
			b->pred_count = MAX(b->pred_count, slot + 1);
		else
			b->register_count = MAX(b->register_count, slot + width);
	}
	return true;
}

void nsu_block_clear(struct nsu_block *b)
{
	g_free(b->live_in);
	g_free(b->live_out);
	g_free(b->slot);
	memset(b, 0, sizeof(*b));
}

bool nsu_block_make(struct nsu_block *b, const struct nsu_range *r, enum nsu_block_kind kind)
{
	const struct ptx_func *fn = r->f->func;
	g_autofree uint64_t *live_out = g_new0(uint64_t, r->f->cfg->live_words + 1);
	g_autofree uint8_t *role = g_new0(uint8_t, r->last - r->first + 1);

	nsu_range_roles(r, role);
	nsu_range_live_out(r, live_out);
	*b = (struct nsu_block){
	    .begin_pc = r->first,
	    .last_pc = r->last,
	    .end_pc = r->last + 1,
	    .kind = kind,
	    .score_bits = nsu_range_score_bits(r),
	    .traffic_bytes = r->traffic_bytes,
	    .load_count = r->load_count,
	    .store_count = r->store_count,
	    .load_entries = r->load_entries,
	    .store_entries = r->store_entries,
	};
	b->live_in = list_of(r->live_in, fn->reg_count, &b->live_in_count);
	b->live_out = list_of(live_out, fn->reg_count, &b->live_out_count);
	count_packet(fn, b->live_in, b->live_in_count, &b->send_words, &b->send_preds);
	count_packet(fn, b->live_out, b->live_out_count, &b->return_words, &b->return_preds);
	b->slot = g_new(uint32_t, fn->reg_count + 1);
	memset(b->slot, 0xff, (fn->reg_count + 1) * sizeof(*b->slot));
	if (number_registers(b, r, role))
		return true;
	nsu_block_clear(b);
	return false;
}

/* ---- code ---- */

struct writer {
	const struct nsu_block *b;
	const struct nsu_facts *f;
	const struct nsu_code_params *p;
	GArray *sb;
};

static uint8_t add_sb(const struct writer *w, uint32_t reg)
{
	const uint32_t bits = nsu_reg_bits(w->f->func, reg);
	uint16_t id = (uint16_t)(w->b->slot[reg] + (bits == 1 ? w->p->register_count : 0));

	g_array_append_val(w->sb, id);
	if (bits != 64)
		return 1;
	id++;
	g_array_append_val(w->sb, id);
	return 2;
}

static uint8_t add_all(const struct writer *w, const uint32_t *regs, uint32_t count)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < count; k++)
		n += add_sb(w, regs[k]);
	return (uint8_t)n;
}

static enum nsu_op op_of(enum nsu_class c)
{
	switch (c) {
	case NSU_CLASS_LOAD:
		return NSU_OP_LOAD;
	case NSU_CLASS_STORE:
		return NSU_OP_STORE;
	case NSU_CLASS_CONST:
		return NSU_OP_CONST;
	default:
		return NSU_OP_ALU;
	}
}

static void translate(const struct writer *w, uint32_t k, struct nsu_inst *n)
{
	const struct nsu_facts *f = w->f;
	const struct ptx_inst *i = &f->func->insts[k];

	n->op = (uint8_t)op_of((enum nsu_class)f->class_of[k]);
	if (n->op != NSU_OP_ALU) {
		n->access_bytes = (uint8_t)ptx_type_bytes(i->type);
		n->vec = i->mods.vec ? i->mods.vec : 1;
	}
	if (n->op == NSU_OP_LOAD || n->op == NSU_OP_STORE)
		n->entry_count = (uint8_t)nsu_access_entries(i);
	for (uint32_t r = f->first_read[k]; r < f->first_read[k + 1]; r++)
		if (f->reads[r].use == NSU_USE_VALUE || f->reads[r].use == NSU_USE_GUARD)
			n->read_count = (uint8_t)(n->read_count + add_sb(w, f->reads[r].reg));
	n->write_count = add_all(w, f->uses[k].writes, f->uses[k].write_count);
}

void nsu_block_generate(struct nsu_block *b, uint32_t number, const struct nsu_facts *f,
			const struct nsu_code_params *p, const uint8_t *role, GArray *insts, GArray *sb)
{
	const struct writer w = {b, f, p, sb};
	struct nsu_inst n = {.op = NSU_OP_BEG, .gpu_pc = b->begin_pc, .block = number, .sb_first = sb->len};
	uint8_t sequence = 0;

	b->first_inst = insts->len;
	n.write_count = add_all(&w, b->live_in, b->live_in_count);
	g_array_append_val(insts, n);
	for (uint32_t k = b->begin_pc; k <= b->last_pc; k++) {
		if (!is_nsu_role(role[k]))
			continue;
		n = (struct nsu_inst){.gpu_pc = k, .block = number, .sb_first = sb->len};
		translate(&w, k, &n);
		if (n.entry_count)
			n.sequence = sequence++;
		b->alu_count += n.op == NSU_OP_ALU;
		b->const_count += n.op == NSU_OP_CONST;
		g_array_append_val(insts, n);
	}
	n = (struct nsu_inst){.op = NSU_OP_END, .gpu_pc = b->last_pc, .block = number, .sb_first = sb->len};
	n.read_count = add_all(&w, b->live_out, b->live_out_count);
	g_array_append_val(insts, n);
	b->inst_count = insts->len - b->first_inst;
}
