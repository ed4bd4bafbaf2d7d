/* parse_inst.c - one instruction: guard, opcode, modifiers, operands as written. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/priv.h"

/* The length of a comment at s[0..length), 0 if there is none. */
static size_t comment_length(const char *s, size_t length)
{
	const char *end;

	if (length < 2 || s[0] != '/' || (s[1] != '/' && s[1] != '*'))
		return 0;
	end = s[1] == '/' ? memchr(s, '\n', length) : memmem(s + 2, length - 2, "*/", 2);
	if (!end)
		return length;
	return (size_t)(end - s) + (s[1] == '/' ? 1 : 2);
}

/* The text from start to the end of the last token, comments and runs of white space as one blank. */
static const char *one_line(struct ptx_parser *p, const char *start)
{
	size_t length = (size_t)(p->prev_end - start), n = 0;
	char *out = ptx_arena_alloc(p->arena, length + 1);

	for (size_t i = 0; i < length; i++) {
		size_t skipped = comment_length(start + i, length - i);
		bool blank = skipped || isspace((unsigned char)start[i]);

		if (skipped)
			i += skipped - 1;
		if (blank && n && out[n - 1] == ' ')
			continue;
		out[n++] = blank ? ' ' : start[i];
	}
	out[n] = 0;
	return out;
}

static bool parse_guard(struct ptx_parser *p, struct ptx_inst *i)
{
	if (!ptx_parse_take(p, '@'))
		return true;
	i->guard_negate = ptx_parse_take(p, '!');
	struct ptx_token t = p->tok;
	if (t.kind != PTX_TOK_IDENT)
		return ptx_parse_unexpected(p, "a predicate register after '@'");
	i->guard_reg = ptx_symbol_reg(p, t.text, t.length);
	if (i->guard_reg == PTX_NO_REG)
		return ptx_parse_error_tok(p, &t, "guard '%.*s' is not a declared register", (int)t.length, t.text);
	if (p->regs.at[i->guard_reg].type != PTX_PRED)
		return ptx_parse_error_tok(p, &t, "guard '%.*s' is of type .%s; expected .pred", (int)t.length, t.text,
					   ptx_type_name(p->regs.at[i->guard_reg].type));
	i->has_guard = true;
	ptx_parse_next(p);
	return true;
}

/* Keeps an instruction as text. why: arena or static text. */
static void make_unsupported(struct ptx_parser *p, struct ptx_inst *i, const struct ptx_token *op, const char *why)
{
	if (!i->unsupported)
		i->unsupported =
		    ptx_arena_printf(p->arena, "%.*s: %s", (int)(op->length > 60 ? 60 : op->length), op->text, why);
	if (!p->func->unsupported) {
		p->func->unsupported = i->unsupported;
		p->func->unsupported_line = i->line;
	}
}

/* Letters only, no word of PTX, and nearly one that the opcode takes: written by mistake. */
static bool is_misspelt(const char *word, uint32_t length)
{
	for (uint32_t k = 0; k < length; k++)
		if (!isalpha((unsigned char)word[k]))
			return false;
	return !ptx_mod_find(word, length, UINT64_MAX) && !ptx_word_find(word, length);
}

/* A word that the opcode does not take: the function that holds it cannot run, and the module's others can, for a later
 * PTX may have the word. Only what is misspelt is wrong, as for ptxas. */
static bool refuse_word(struct ptx_parser *p, struct ptx_inst *i, const struct ptx_form *form,
			const struct ptx_token *t)
{
	const char *why = ptx_mod_outside(t->text + 1, t->length - 1), *names[PTX_CLASS_COUNT * 4];
	const int length = (int)(t->length > 40 ? 40 : t->length);
	char word[40] = {0};
	uint32_t n = 0;

	if (why) {
		i->unsupported = ptx_arena_printf(p->arena, "%s: %s: outside Strata's scope", ptx_op_name(i->op), why);
		return true;
	}
	if (ptx_type_find(t->text + 1, t->length - 1) != PTX_TYPE_NONE) {
		i->unsupported =
		    ptx_arena_printf(p->arena, "'%s' has no form of type '%.*s'", ptx_op_name(i->op), length, t->text);
		return true;
	}
	for (uint32_t k = 0; k < ptx_mods_count && n < PTX_CLASS_COUNT * 4; k++)
		if (form->allowed >> ptx_mods_table[k].class_id & 1)
			names[n++] = ptx_mods_table[k].text;
	if (t->length - 1 < sizeof(word))
		memcpy(word, t->text + 1, t->length - 1);
	const char *near = word[0] ? base_nearest_name(word, names, n) : NULL;
	if (near && is_misspelt(t->text + 1, t->length - 1))
		return ptx_parse_error_tok(p, t, "'%s' takes no modifier '%.*s'; did you mean '.%s'?",
					   ptx_op_name(i->op), length, t->text, near);
	i->unsupported =
	    ptx_arena_printf(p->arena, "'%s' takes no modifier '%.*s'", ptx_op_name(i->op), length, t->text);
	return true;
}

static bool is_warp_sync(const struct ptx_inst *i, const struct ptx_token *t)
{
	return i->op == PTX_OP_BAR && ptx_token_is(t, ".warp");
}

/* Does the opcode take the word anywhere? */
static bool takes_word(const struct ptx_inst *i, const struct ptx_form *form, const struct ptx_token *t)
{
	const enum ptx_type type = ptx_type_find(t->text + 1, t->length - 1);

	if (type != PTX_TYPE_NONE && (form->types >> type & 1))
		return true;
	return is_warp_sync(i, t) || ptx_mod_find(t->text + 1, t->length - 1, form->allowed);
}

static bool set_type(struct ptx_parser *p, struct ptx_inst *i, const struct ptx_form *form, const struct ptx_token *t,
		     uint32_t *count)
{
	const enum ptx_type type = ptx_type_find(t->text + 1, t->length - 1);
	const bool is_mixed = i->op == PTX_OP_ADD || i->op == PTX_OP_SUB || i->op == PTX_OP_FMA;
	/* Sums of an .f32 and a shorter float: the other forms of these opcodes have one type. */
	const uint32_t max = is_mixed ? 1 : form->type_max;
	const bool is_second = is_mixed && *count == 1 && (i->type != PTX_F32 || (type != PTX_F16 && type != PTX_BF16));

	if (*count == form->type_max || is_second)
		return ptx_parse_error_tok(p, t, "'%.*s': '%s' takes %s%u type suffix%s", (int)t->length, t->text,
					   ptx_op_name(i->op), form->type_max ? "at most " : "", max,
					   max == 1 ? "" : "es");
	*(*count == 0 ? &i->type : *count == 1 ? &i->type2 : *count == 2 ? &i->type3 : &i->type4) = type;
	++*count;
	return true;
}

/* One word that the opcode takes. */
static bool set_word(struct ptx_parser *p, struct ptx_inst *i, const struct ptx_form *form, const struct ptx_token *t,
		     uint64_t *seen, uint32_t *type_count)
{
	const char *word = t->text + 1;
	const uint32_t length = t->length - 1;

	if (ptx_type_find(word, length) != PTX_TYPE_NONE)
		return set_type(p, i, form, t, type_count);
	if (is_warp_sync(i, t)) {
		i->mods.bar = PTX_BAR_WARP_SYNC;
		return true;
	}
	const struct ptx_mod_info *m = ptx_mod_find(word, length, form->allowed & ~*seen);
	if (!m && i->op == PTX_OP_LD && ptx_token_is(t, ".nc")) /* behind a cache operator: the path that it goes */
		m = ptx_mod_find(word, length, form->allowed);
	if (!m)
		return ptx_parse_error_tok(p, t, "second %s modifier '%.*s'",
					   ptx_classes[ptx_mod_find(word, length, form->allowed)->class_id].what,
					   (int)t->length, t->text);
	if (m->class_id != PTX_CLASS_HINT)
		*seen |= 1ull << m->class_id;
	uint8_t *field = (uint8_t *)&i->mods + ptx_classes[m->class_id].field_offset;
	if (m->class_id == PTX_CLASS_BAR && *field == PTX_BAR_WARP_SYNC)
		return true;
	*field = m->value;
	return true;
}

static bool check_needed(struct ptx_parser *p, const struct ptx_inst *i, const struct ptx_form *form, uint64_t seen,
			 uint32_t type_count)
{
	uint64_t missing = form->needed & ~seen;

	if (missing)
		return ptx_parse_error(p, i->line, i->col, "'%s' needs a modifier: %s", ptx_op_name(i->op),
				       ptx_classes[__builtin_ctzll(missing)].what);
	if (type_count < form->type_min)
		return ptx_parse_error(p, i->line, i->col, "'%s' needs %u type suffix%s, found %u", ptx_op_name(i->op),
				       form->type_min, form->type_min == 1 ? "" : "es", type_count);
	return true;
}

/* 128 bits are two of 64: what takes them is the vector form of the same opcode. */
static bool split_b128(struct ptx_parser *p, struct ptx_inst *i)
{
	if (i->type != PTX_B128)
		return true;
	if (i->mods.vec > 1)
		return ptx_parse_error(p, i->line, i->col, "'%s' has no vectors of .b128", ptx_op_name(i->op));
	i->type = PTX_B64;
	i->mods.vec = 2;
	return true;
}

/* All words are looked at before one is judged: what two known words mean beside an unknown one nobody here knows. */
static bool parse_modifiers(struct ptx_parser *p, struct ptx_inst *i, const struct ptx_form *form)
{
	struct ptx_token words[PTX_MODS_MAX];
	uint64_t seen = 0;
	uint32_t type_count = 0, count = 0;

	for (; p->tok.kind == PTX_TOK_DOT; ptx_parse_next(p)) {
		if (count == PTX_MODS_MAX)
			return ptx_parse_error_tok(p, &p->tok, "more than %d modifiers", PTX_MODS_MAX);
		if (!i->unsupported && !takes_word(i, form, &p->tok) && !refuse_word(p, i, form, &p->tok))
			return false;
		words[count++] = p->tok;
	}
	for (uint32_t k = 0; k < count && !i->unsupported; k++)
		if (!set_word(p, i, form, &words[k], &seen, &type_count))
			return false;
	if (i->unsupported)
		return true;
	return check_needed(p, i, form, seen, type_count) && split_b128(p, i);
}

static bool parse_operands(struct ptx_parser *p, struct ptx_written *w)
{
	if (ptx_parse_is(p, ';'))
		return true;
	do {
		if (w->count == PTX_OPERANDS_MAX)
			return ptx_parse_error_tok(p, &p->tok, "more than %d operands", PTX_OPERANDS_MAX);
		if (!ptx_parse_operand(p, &w->at[w->count]))
			return false;
		if (w->count++ == 0 && ptx_parse_take(p, '|')) {
			w->has_second = true;
			if (!ptx_parse_operand(p, &w->second))
				return false;
		}
	} while (ptx_parse_take(p, ','));
	return true;
}

/* Skips what is left of an instruction that is kept as text only. */
static bool skip_rest(struct ptx_parser *p)
{
	struct ptx_token at = p->tok;

	while (p->tok.kind != PTX_TOK_END && !ptx_parse_is(p, ';')) {
		if (p->tok.kind == PTX_TOK_BAD)
			return ptx_parse_unexpected(p, "an operand");
		/* A '{' of operands is closed before the ';'; a block's brace means that the ';' is missing. */
		if (ptx_token_is_punct(&p->tok, '}') && ptx_token_is_punct(&p->ahead, '}'))
			return ptx_parse_error_tok(p, &at, "instruction without ';'");
		ptx_parse_next(p);
	}
	return ptx_parse_expect(p, ';', "after an instruction");
}

static bool parse_known(struct ptx_parser *p, struct ptx_inst *i, const struct ptx_token *op)
{
	const struct ptx_form *form = &ptx_forms[i->op];
	struct ptx_written w = {0};

	if (!parse_modifiers(p, i, form))
		return false;
	if (i->unsupported) {
		make_unsupported(p, i, op, "");
		i->op = PTX_OP_UNSUPPORTED;
		return skip_rest(p);
	}
	if (i->op == PTX_OP_CALL) {
		if (!ptx_parse_call(p, i))
			return false;
	} else if (!parse_operands(p, &w) || !ptx_check_inst(p, i, &w)) {
		return false;
	}
	if (i->unsupported) {
		make_unsupported(p, i, op, "");
		i->op = PTX_OP_UNSUPPORTED;
		i->src_count = 0;
		memset(&i->dst, 0, sizeof(i->dst));
		memset(&i->dst2, 0, sizeof(i->dst2));
		memset(i->src, 0, sizeof(i->src));
	}
	return ptx_parse_expect(p, ';', "after an instruction");
}

bool ptx_parse_inst(struct ptx_parser *p)
{
	struct ptx_token start = p->tok;
	struct ptx_inst i = {.line = start.line, .col = start.col, .loc = p->loc};

	if (!parse_guard(p, &i))
		return false;
	struct ptx_token op = p->tok;
	if (op.kind != PTX_TOK_IDENT)
		return ptx_parse_unexpected(p, "an instruction");
	ptx_parse_next(p);
	i.op = ptx_op_find(op.text, op.length);
	if (i.op == PTX_OP_UNSUPPORTED || !ptx_forms[i.op].shape) {
		i.op = PTX_OP_UNSUPPORTED;
		make_unsupported(p, &i, &op, ptx_op_outside(op.text, op.length));
		if (!skip_rest(p))
			return false;
	} else if (!parse_known(p, &i, &op)) {
		return false;
	}
	i.text = one_line(p, start.text);
	*PTX_VECTOR_ADD(&p->insts) = i;
	p->label_at_end = false;
	return true;
}
