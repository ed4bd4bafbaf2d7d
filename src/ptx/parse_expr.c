/* parse_expr.c - constant expressions: C operators over 64-bit integers and doubles (PTX ISA, section 4.6). */
#include <string.h>

#include "ptx/priv.h"

struct expr {
	struct ptx_parser *p;
	uint32_t depth;
};

static bool parse_ternary(struct expr *e, struct ptx_value *out);

bool ptx_expr_starts(const struct ptx_parser *p)
{
	enum ptx_token_kind k = p->tok.kind;

	return k == PTX_TOK_INT || k == PTX_TOK_F32 || k == PTX_TOK_F64 || ptx_parse_is(p, '-') ||
	       ptx_parse_is(p, '+') || ptx_parse_is(p, '~') || ptx_parse_is(p, '!') || ptx_parse_is(p, '(') ||
	       ptx_token_is(&p->tok, "WARP_SZ");
}

static double value_double(const struct ptx_value *v)
{
	double d;
	float f;

	if (v->kind == PTX_VALUE_INT)
		return v->is_unsigned ? (double)v->bits : (double)(int64_t)v->bits;
	if (v->kind == PTX_VALUE_F64) {
		memcpy(&d, &v->bits, sizeof(d));
		return d;
	}
	uint32_t bits = (uint32_t)v->bits;
	memcpy(&f, &bits, sizeof(f));
	return f;
}

static void set_double(struct ptx_value *v, double d)
{
	v->kind = PTX_VALUE_F64;
	memcpy(&v->bits, &d, sizeof(d));
}

static void set_int(struct ptx_value *v, uint64_t bits, bool is_unsigned)
{
	v->kind = PTX_VALUE_INT;
	v->bits = bits;
	v->is_unsigned = is_unsigned;
}

/* "(.s64)" or "(.u64)" before an operand; the '(' is the current token. */
static bool take_cast(struct expr *e, bool *is_cast, bool *to_unsigned)
{
	struct ptx_parser *p = e->p;

	*is_cast = p->ahead.kind == PTX_TOK_DOT;
	if (!*is_cast)
		return true;
	ptx_parse_next(p);
	if (!ptx_parse_is_dot(p, ".s64") && !ptx_parse_is_dot(p, ".u64"))
		return ptx_parse_unexpected(p, "the cast .s64 or .u64");
	*to_unsigned = ptx_parse_is_dot(p, ".u64");
	ptx_parse_next(p);
	return ptx_parse_expect(p, ')', "after the type of a cast");
}

static bool negate(struct ptx_value *v)
{
	if (v->kind == PTX_VALUE_INT)
		v->bits = 0 - v->bits;
	else
		v->bits ^= v->kind == PTX_VALUE_F32 ? 1ull << 31 : 1ull << 63;
	return true;
}

static bool parse_primary(struct expr *e, struct ptx_value *out)
{
	struct ptx_parser *p = e->p;
	struct ptx_token t = p->tok;

	if (t.kind == PTX_TOK_INT)
		set_int(out, t.bits, t.is_unsigned);
	else if (t.kind == PTX_TOK_F32 || t.kind == PTX_TOK_F64)
		*out = (struct ptx_value){t.kind == PTX_TOK_F32 ? PTX_VALUE_F32 : PTX_VALUE_F64, false, t.bits};
	else if (t.kind == PTX_TOK_IDENT && ptx_token_is(&t, "WARP_SZ"))
		set_int(out, 32, false); /* PTX ISA, WARP_SZ: 32 on every target */
	else
		return ptx_parse_unexpected(p, "a constant");
	ptx_parse_next(p);
	return true;
}

static bool parse_unary_in(struct expr *e, struct ptx_value *out)
{
	struct ptx_parser *p = e->p;
	struct ptx_token t = p->tok;
	bool is_cast = false, to_unsigned = false;

	if (ptx_parse_is(p, '(')) {
		if (!take_cast(e, &is_cast, &to_unsigned))
			return false;
		if (!is_cast) {
			ptx_parse_next(p);
			return parse_ternary(e, out) && ptx_parse_expect(p, ')', "after an expression");
		}
	} else if (ptx_parse_is(p, '-') || ptx_parse_is(p, '+') || ptx_parse_is(p, '~') || ptx_parse_is(p, '!')) {
		ptx_parse_next(p);
	} else {
		return parse_primary(e, out);
	}
	if (e->depth > PTX_EXPR_DEPTH_MAX)
		return ptx_parse_error_tok(p, &t, "expression is nested deeper than %d", PTX_EXPR_DEPTH_MAX);
	e->depth++;
	bool ok = parse_unary_in(e, out);
	e->depth--;
	if (!ok || t.punct == '+')
		return ok;
	if (t.punct == '-')
		return negate(out);
	if (out->kind != PTX_VALUE_INT)
		return ptx_parse_error_tok(p, &t, "this operator needs an integer, not a floating-point value");
	if (is_cast)
		out->is_unsigned = to_unsigned;
	else if (t.punct == '~')
		out->bits = ~out->bits;
	else
		set_int(out, !out->bits, false);
	return true;
}

static bool parse_unary(struct expr *e, struct ptx_value *out)
{
	if (e->depth > PTX_EXPR_DEPTH_MAX)
		return ptx_parse_error_tok(e->p, &e->p->tok, "expression is nested deeper than %d", PTX_EXPR_DEPTH_MAX);
	e->depth++;
	bool ok = parse_unary_in(e, out);
	e->depth--;
	return ok;
}

static uint32_t precedence(const struct ptx_token *t)
{
	static const struct {
		uint32_t punct, level;
	} binary[] = {
	    {'*', 10},
	    {'/', 10},
	    {'%', 10},
	    {'+', 9},
	    {'-', 9},
	    {PTX_PUNCT2('<', '<'), 8},
	    {PTX_PUNCT2('>', '>'), 8},
	    {'<', 7},
	    {'>', 7},
	    {PTX_PUNCT2('<', '='), 7},
	    {PTX_PUNCT2('>', '='), 7},
	    {PTX_PUNCT2('=', '='), 6},
	    {PTX_PUNCT2('!', '='), 6},
	    {'&', 5},
	    {'^', 4},
	    {'|', 3},
	    {PTX_PUNCT2('&', '&'), 2},
	    {PTX_PUNCT2('|', '|'), 1},
	};

	if (t->kind == PTX_TOK_PUNCT)
		for (uint32_t i = 0; i < sizeof(binary) / sizeof(binary[0]); i++)
			if (binary[i].punct == t->punct)
				return binary[i].level;
	return 0;
}

static bool apply_float(struct expr *e, const struct ptx_token *op, struct ptx_value *a, const struct ptx_value *b)
{
	double x = value_double(a), y = value_double(b);

	switch (op->punct) {
	case '+':
		set_double(a, x + y);
		return true;
	case '-':
		set_double(a, x - y);
		return true;
	case '*':
		set_double(a, x * y);
		return true;
	case '/':
		set_double(a, x / y);
		return true;
	case '<':
		set_int(a, x < y, false);
		return true;
	case '>':
		set_int(a, x > y, false);
		return true;
	case PTX_PUNCT2('<', '='):
		set_int(a, x <= y, false);
		return true;
	case PTX_PUNCT2('>', '='):
		set_int(a, x >= y, false);
		return true;
	case PTX_PUNCT2('=', '='):
		set_int(a, x == y, false);
		return true;
	case PTX_PUNCT2('!', '='):
		set_int(a, x != y, false);
		return true;
	default:
		return ptx_parse_error_tok(e->p, op, "this operator needs integers, not floating-point values");
	}
}

static bool divide(struct expr *e, const struct ptx_token *op, struct ptx_value *a, const struct ptx_value *b, bool u)
{
	if (!b->bits)
		return ptx_parse_error_tok(e->p, op, "division by zero in a constant expression");
	if (u)
		set_int(a, op->punct == '/' ? a->bits / b->bits : a->bits % b->bits, true);
	else if (b->bits == UINT64_MAX) /* INT64_MIN / -1 would overflow */
		set_int(a, op->punct == '/' ? 0 - a->bits : 0, false);
	else
		set_int(a,
			(uint64_t)(op->punct == '/' ? (int64_t)a->bits / (int64_t)b->bits
						    : (int64_t)a->bits % (int64_t)b->bits),
			false);
	return true;
}

static uint64_t shift(const struct ptx_token *op, const struct ptx_value *a, uint64_t by)
{
	if (op->punct == PTX_PUNCT2('<', '<'))
		return by > 63 ? 0 : a->bits << by;
	if (a->is_unsigned)
		return by > 63 ? 0 : a->bits >> by;
	return (uint64_t)((int64_t)a->bits >> (by > 63 ? 63 : by));
}

static bool apply(struct expr *e, const struct ptx_token *op, struct ptx_value *a, const struct ptx_value *b)
{
	if (a->kind != PTX_VALUE_INT || b->kind != PTX_VALUE_INT)
		return apply_float(e, op, a, b);
	bool u = a->is_unsigned || b->is_unsigned;
	uint64_t x = a->bits, y = b->bits;

	switch (op->punct) {
	case '/':
	case '%':
		return divide(e, op, a, b, u);
	case '*':
		set_int(a, x * y, u);
		break;
	case '+':
		set_int(a, x + y, u);
		break;
	case '-':
		set_int(a, x - y, u);
		break;
	case '&':
		set_int(a, x & y, u);
		break;
	case '^':
		set_int(a, x ^ y, u);
		break;
	case '|':
		set_int(a, x | y, u);
		break;
	case PTX_PUNCT2('<', '<'):
	case PTX_PUNCT2('>', '>'):
		a->bits = shift(op, a, y);
		break;
	case '<':
		set_int(a, u ? x < y : (int64_t)x < (int64_t)y, false);
		break;
	case '>':
		set_int(a, u ? x > y : (int64_t)x > (int64_t)y, false);
		break;
	case PTX_PUNCT2('<', '='):
		set_int(a, u ? x <= y : (int64_t)x <= (int64_t)y, false);
		break;
	case PTX_PUNCT2('>', '='):
		set_int(a, u ? x >= y : (int64_t)x >= (int64_t)y, false);
		break;
	case PTX_PUNCT2('=', '='):
		set_int(a, x == y, false);
		break;
	case PTX_PUNCT2('!', '='):
		set_int(a, x != y, false);
		break;
	case PTX_PUNCT2('&', '&'):
		set_int(a, x && y, false);
		break;
	default:
		set_int(a, x || y, false);
		break;
	}
	return true;
}

static bool parse_binary(struct expr *e, uint32_t level, struct ptx_value *out)
{
	if (!parse_unary(e, out))
		return false;
	for (;;) {
		struct ptx_token op = e->p->tok;
		uint32_t l = precedence(&op);
		struct ptx_value right;

		if (!l || l < level)
			return true;
		ptx_parse_next(e->p);
		if (!parse_binary(e, l + 1, &right) || !apply(e, &op, out, &right))
			return false;
	}
}

static bool parse_ternary(struct expr *e, struct ptx_value *out)
{
	struct ptx_value yes, no;

	if (e->depth > PTX_EXPR_DEPTH_MAX)
		return ptx_parse_error_tok(e->p, &e->p->tok, "expression is nested deeper than %d", PTX_EXPR_DEPTH_MAX);
	e->depth++;
	bool ok = parse_binary(e, 1, out);
	if (ok && ptx_parse_take(e->p, '?')) {
		ok = parse_ternary(e, &yes) && ptx_parse_expect(e->p, ':', "in a ?: expression") &&
		     parse_ternary(e, &no);
		if (ok)
			*out = value_double(out) != 0 ? yes : no;
	}
	e->depth--;
	return ok;
}

bool ptx_expr_parse(struct ptx_parser *p, struct ptx_value *out)
{
	struct expr e = {p, 0};

	return parse_ternary(&e, out);
}

bool ptx_expr_parse_count(struct ptx_parser *p, uint64_t max, const char *what, uint64_t *out)
{
	struct ptx_token at = p->tok;
	struct ptx_value v;

	if (!ptx_expr_parse(p, &v))
		return false;
	if (v.kind != PTX_VALUE_INT || (!v.is_unsigned && (int64_t)v.bits < 0))
		return ptx_parse_error_tok(p, &at, "%s must be a non-negative integer", what);
	if (v.bits > max)
		return ptx_parse_error_tok(p, &at, "%s is %llu; at most %llu is accepted", what,
					   (unsigned long long)v.bits, (unsigned long long)max);
	*out = v.bits;
	return true;
}

bool ptx_value_to(const struct ptx_value *v, enum ptx_type t, uint64_t *bits)
{
	uint32_t bytes = ptx_type_bytes(t);
	uint64_t mask = bytes >= 8 ? UINT64_MAX : (1ull << bytes * 8) - 1;

	if (v->kind == PTX_VALUE_INT) {
		*bits = t == PTX_PRED ? v->bits != 0 : v->bits & mask;
		return true;
	}
	if ((bytes == 4 && v->kind == PTX_VALUE_F32) || (bytes == 8 && v->kind == PTX_VALUE_F64)) {
		*bits = v->bits;
	} else if (bytes == 4) {
		float f = (float)value_double(v);
		uint32_t b;

		memcpy(&b, &f, sizeof(b));
		*bits = b;
	} else if (bytes == 8) {
		double d = value_double(v);

		memcpy(bits, &d, sizeof(d));
	} else {
		return false;
	}
	return t == PTX_F32 || t == PTX_F64 || t == PTX_B32 || t == PTX_B64;
}
