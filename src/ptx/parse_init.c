/* parse_init.c - initial values of variables: numbers, nested braces, strings of bytes, addresses.
 *
 * Values go one after the other into the flat element array; a nested brace begins at a multiple of what is left of the
 * dimensions, which compilers always write out in full, so that plain sequence is the same.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "ptx/priv.h"

struct init {
	struct ptx_parser *p;
	struct ptx_var *var;
	uint32_t elem_bytes;
	uint64_t at_bytes, limit_bytes; /* limit: of the variable, or of any image if its size is open */
	uint8_t *bytes;                 /* malloc'ed, grows while the size is open */
	uint64_t cap_bytes;
	uint32_t depth;
	PTX_VECTOR(struct ptx_reloc) relocs;
};

static bool room(struct init *in, const struct ptx_token *at)
{
	uint64_t end = in->at_bytes + in->elem_bytes;

	if (end > in->limit_bytes)
		return ptx_parse_error_tok(in->p, at,
					   in->var->is_unsized
					       ? "initial values of '%s' exceed %llu bytes, the largest image accepted"
					       : "more initial values than '%s' holds (%llu bytes)",
					   in->var->name, (unsigned long long)in->limit_bytes);
	while (end > in->cap_bytes) {
		uint64_t cap = in->cap_bytes ? in->cap_bytes * 2 : 64;

		in->bytes = realloc(in->bytes, cap);
		CHECK(in->bytes);
		memset(in->bytes + in->cap_bytes, 0, cap - in->cap_bytes);
		in->cap_bytes = cap;
	}
	return true;
}

static void put(struct init *in, uint64_t bits)
{
	memcpy(in->bytes + in->at_bytes, &bits, in->elem_bytes); /* PTX is little-endian, as are all hosts supported */
	in->at_bytes += in->elem_bytes;
}

static bool parse_constant(struct init *in)
{
	struct ptx_token at = in->p->tok;
	struct ptx_value v;
	uint64_t bits;

	if (!room(in, &at) || !ptx_expr_parse(in->p, &v))
		return false;
	if (v.kind == PTX_VALUE_INT && ptx_type_is_float(in->var->type) && in->elem_bytes >= 4) {
		double d = v.is_unsigned ? (double)v.bits : (double)(int64_t)v.bits;

		v.kind = PTX_VALUE_F64;
		memcpy(&v.bits, &d, sizeof(d));
	}
	if (!ptx_value_to(&v, in->var->type, &bits))
		return ptx_parse_error_tok(in->p, &at, "floating-point value for '%s' of type .%s", in->var->name,
					   ptx_type_name(in->var->type));
	put(in, bits);
	return true;
}

/* "+ 4", "- 4" after a symbol. */
static bool parse_addend(struct init *in, uint64_t *addend)
{
	bool minus = ptx_parse_is(in->p, '-');
	struct ptx_token at = in->p->tok;
	struct ptx_value v;

	*addend = 0;
	if (!ptx_parse_is(in->p, '+') && !minus)
		return true;
	ptx_parse_next(in->p);
	if (!ptx_expr_parse(in->p, &v))
		return false;
	if (v.kind != PTX_VALUE_INT)
		return ptx_parse_error_tok(in->p, &at, "an address takes an integer offset");
	*addend = minus ? 0 - v.bits : v.bits;
	return true;
}

/* The mask of "0xFF00(sym)" picks one byte of the address: its shift, 255 if the mask is not a byte. */
static uint8_t mask_shift(uint64_t mask)
{
	for (uint8_t k = 0; k < 64; k += 8)
		if (mask == 0xFFull << k)
			return k;
	return 255;
}

static bool parse_symbol(struct init *in, struct ptx_reloc *r)
{
	struct ptx_token name = in->p->tok;
	struct ptx_symbol *s;

	if (name.kind != PTX_TOK_IDENT)
		return ptx_parse_unexpected(in->p, "the name of a variable or function");
	s = ptx_symbol_find(in->p, name.text, name.length);
	if (!s || (s->kind != PTX_SYM_VAR && s->kind != PTX_SYM_FUNC))
		return ptx_parse_error_tok(in->p, &name, "'%.*s' is not a declared variable or function",
					   (int)name.length, name.text);
	r->var = s->kind == PTX_SYM_VAR ? s->var : NULL;
	r->func = s->kind == PTX_SYM_FUNC ? s->func : NULL;
	ptx_parse_next(in->p);
	return true;
}

static bool parse_address(struct init *in, bool has_mask, uint64_t mask)
{
	struct ptx_parser *p = in->p;
	struct ptx_token at = p->tok;
	struct ptx_reloc r = {.at_bytes = in->at_bytes, .bytes = in->elem_bytes};
	uint64_t more = 0;

	if (!room(in, &at))
		return false;
	bool parens = has_mask && ptx_parse_take(p, '(');
	if (ptx_token_is(&p->tok, "generic") && ptx_token_is_punct(&p->ahead, '(')) {
		ptx_parse_next(p);
		ptx_parse_next(p);
		r.is_generic = true;
	}
	if (!parse_symbol(in, &r) || !parse_addend(in, &r.addend))
		return false;
	if (r.is_generic && (!ptx_parse_expect(p, ')', "after generic(symbol") || !parse_addend(in, &more)))
		return false;
	r.addend += more;
	if (parens && (!ptx_parse_expect(p, ')', "after mask(symbol") || !parse_addend(in, &more)))
		return false;
	if (parens)
		r.addend += more;
	if (has_mask) {
		r.mask_shift = mask_shift(mask);
		if (r.mask_shift == 255)
			return ptx_parse_error_tok(p, &at, "mask 0x%llx: expected one byte, such as 0xFF or 0xFF00",
						   (unsigned long long)mask);
	} else if (in->elem_bytes < 4) {
		return ptx_parse_error_tok(p, &at, "an address does not fit in type .%s", ptx_type_name(in->var->type));
	}
	*PTX_VECTOR_ADD(&in->relocs) = r;
	put(in, 0);
	return true;
}

static bool parse_string(struct init *in)
{
	struct ptx_token t = in->p->tok;

	if (in->elem_bytes != 1)
		return ptx_parse_error_tok(in->p, &t, "a string initialises variables of 8-bit type only");
	for (uint32_t i = 0; i < t.length; i++) {
		if (!room(in, &t))
			return false;
		put(in, (unsigned char)t.text[i]);
	}
	ptx_parse_next(in->p);
	return true;
}

static bool parse_value(struct init *in)
{
	struct ptx_parser *p = in->p;

	if (p->tok.kind == PTX_TOK_STRING)
		return parse_string(in);
	if (p->tok.kind == PTX_TOK_INT && ptx_token_is_punct(&p->ahead, '(')) {
		uint64_t mask = p->tok.bits;

		ptx_parse_next(p);
		return parse_address(in, true, mask);
	}
	if (p->tok.kind == PTX_TOK_IDENT && !ptx_token_is(&p->tok, "WARP_SZ"))
		return parse_address(in, false, 0);
	return parse_constant(in);
}

static bool parse_braces(struct init *in)
{
	struct ptx_parser *p = in->p;

	if (!ptx_parse_is(p, '{'))
		return parse_value(in);
	if (in->depth >= PTX_NESTING_MAX)
		return ptx_parse_error_tok(p, &p->tok, "braces are nested deeper than %d", PTX_NESTING_MAX);
	ptx_parse_next(p);
	in->depth++;
	if (!ptx_parse_is(p, '}')) {
		do {
			if (ptx_parse_is(p, '}'))
				break;
			if (!parse_braces(in))
				return false;
		} while (ptx_parse_take(p, ','));
	}
	in->depth--;
	return ptx_parse_expect(p, '}', "after initial values");
}

static void finish(struct init *in)
{
	struct ptx_var *v = in->var;

	if (v->is_unsized) {
		v->size_bytes = in->at_bytes;
		v->is_unsized = false;
	}
	v->init = ptx_arena_alloc(in->p->arena, v->size_bytes);
	if (in->at_bytes)
		memcpy(v->init, in->bytes, in->at_bytes);
	v->relocs = ptx_arena_copy(in->p->arena, in->relocs.at, in->relocs.count * sizeof(in->relocs.at[0]));
	v->reloc_count = in->relocs.count;
	in->p->image_bytes += v->size_bytes;
}

/* What a word means among a sampler's values; UINT32_MAX: nothing. */
static uint32_t sampler_value(const struct ptx_token *t)
{
	static const struct {
		const char *word;
		uint32_t value;
	} words[] = {
	    {"wrap", PTX_ADDR_WRAP}, {"mirror", PTX_ADDR_MIRROR}, {"clamp_to_edge", PTX_ADDR_CLAMP_TO_EDGE},
	    {"clamp_to_border", PTX_ADDR_CLAMP_TO_BORDER}, {"nearest", 0}, {"linear", 1}, {"true", 1}, {"false", 0},
	};

	if (t->kind == PTX_TOK_INT)
		return t->bits <= 1 ? (uint32_t)t->bits : UINT32_MAX;
	for (uint32_t i = 0; i < ARRAY_COUNT(words); i++)
		if (ptx_token_is(t, words[i].word))
			return words[i].value;
	return UINT32_MAX;
}

/* "{ addr_mode_0 = wrap, filter_mode = nearest }" (PTX ISA, Texture Sampler and Surface Types). */
static bool parse_sampler_field(struct ptx_parser *p, uint64_t *packed)
{
	static const struct {
		const char *word;
		uint32_t shift;
	} fields[] = {{"addr_mode_0", 0}, {"addr_mode_1", 3}, {"addr_mode_2", 6}, {"filter_mode", 9},
		      {"force_unnormalized_coords", 10}};
	struct ptx_token name = p->tok;

	ptx_parse_next(p);
	for (uint32_t i = 0; i < ARRAY_COUNT(fields); i++) {
		if (!ptx_token_is(&name, fields[i].word))
			continue;
		if (!ptx_parse_expect(p, '=', "after a sampler's field"))
			return false;

		const uint32_t value = sampler_value(&p->tok);

		if (value == UINT32_MAX || (i >= 3 && value > 1))
			return ptx_parse_unexpected(p, "a value of this field, such as clamp_to_edge, nearest or true");
		*packed |= (uint64_t)value << fields[i].shift;
		ptx_parse_next(p);
		return true;
	}
	return ptx_parse_error_tok(p, &name, "'%.*s' is no field of a sampler; expected addr_mode_0, addr_mode_1, "
				   "addr_mode_2, filter_mode or force_unnormalized_coords",
				   (int)name.length, name.text);
}

static bool parse_sampler(struct ptx_parser *p, struct ptx_var *var)
{
	uint64_t packed = PTX_SAMPLER_PACKED;

	if (var->size_bytes != sizeof(packed))
		return ptx_parse_unexpected(p, "one sampler: arrays of them take no initial value");
	if (!ptx_parse_expect(p, '{', "before a sampler's settings"))
		return false;
	do {
		if (ptx_parse_is(p, '}'))
			break;
		if (!parse_sampler_field(p, &packed))
			return false;
	} while (ptx_parse_take(p, ','));
	var->init = ptx_arena_copy(p->arena, &packed, sizeof(packed));
	return ptx_parse_expect(p, '}', "after a sampler's settings");
}

bool ptx_parse_init(struct ptx_parser *p, struct ptx_var *var)
{
	struct ptx_token at = p->tok;
	uint64_t left = PTX_IMAGE_BYTES_MAX - p->image_bytes;
	struct init in = {.p = p, .var = var, .elem_bytes = ptx_type_bytes(var->type)};

	if (var->type == PTX_SAMPLERREF)
		return parse_sampler(p, var);
	if (var->type == PTX_TEXREF || var->type == PTX_SURFREF)
		return ptx_parse_is(p, '{') ? ptx_parse_skip_braces(p)
					    : ptx_parse_unexpected(p, "'{' of a texture's settings");
	if (var->size_bytes > left)
		return ptx_parse_error_tok(
		    p, &at, "'%s' has %llu initialised bytes; a module may have at most %llu in all", var->name,
		    (unsigned long long)var->size_bytes, (unsigned long long)PTX_IMAGE_BYTES_MAX);
	in.limit_bytes = var->is_unsized ? left : var->size_bytes;
	bool ok = parse_braces(&in);
	if (ok)
		finish(&in);
	free(in.bytes);
	free(in.relocs.at);
	return ok;
}
