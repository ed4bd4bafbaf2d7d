/* serial_int.c - integer arithmetic, bit by bit (Duality Cache, ISCA'19, Table 1 and section 3.1.2). */
#include "base/check.h"
#include "dc/array/serial.h"
#include "dc/formulas.h"

static bool is_on(const struct dc_serial *s, enum dc_saving what)
{
	return s->savings >> what & 1;
}

static void copy_rows(struct dc_serial *s, uint32_t d, uint32_t a, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		dc_serial_copy(s, d + i, a + i);
}

static void invert_rows(struct dc_serial *s, uint32_t d, uint32_t a, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		dc_serial_not(s, d + i, a + i);
}

static void add_rows(struct dc_serial *s, uint32_t d, uint32_t a, uint32_t b, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		dc_serial_add(s, d + i, a + i, b + i);
}

/* d = a - b: the carry is set where there is no borrow. */
static void subtract(struct dc_serial *s, uint32_t d, uint32_t a, uint32_t b, uint32_t t, uint32_t n)
{
	invert_rows(s, t, b, n);
	dc_serial_set_carry(s, true);
	add_rows(s, d, a, t, n);
}

/* A multi-row write that no cycle count of Table 1 has: up to 64 rows at once. */
static void fill_rows(struct dc_serial *s, uint32_t first, uint32_t count, bool value)
{
	const uint64_t before = s->cycles;

	for (uint32_t at = 0; at < count; at += 64)
		dc_serial_fill(s, first + at, count - at < 64 ? count - at : 64, value);
	if (count)
		s->cycles = before + 1;
}

/* ---- multiplication ---- */

/* The bits that an operand needs over all columns: a signed one is looked at as x ^ sign, and needs a row for the sign.
 */
static uint32_t width_of(struct dc_serial *s, uint32_t a, uint32_t n, bool is_signed)
{
	uint32_t width = n;

	if (!is_signed)
		return dc_serial_width(s, a, n);
	while (width > 1) {
		uint64_t any = 0;

		for (uint32_t i = 0; i < DC_COLUMN_WORDS; i++)
			any |= (s->row[a + width - 2].w[i] ^ s->row[a + n - 1].w[i]) & s->guard.w[i];
		if (any)
			break;
		width--;
	}
	return width;
}

struct widths {
	uint32_t w, top; /* of the multiplicand, of the multiplier */
};

static struct widths mul_widths(struct dc_serial *s, uint32_t a, uint32_t b, uint32_t n, bool is_signed)
{
	struct widths v = {n, n};
	const uint32_t least = is_signed ? 2 : 1;

	if (!is_on(s, DC_SAVE_LEADING_ZEROS))
		return v;
	dc_serial_idle(s, DC_LOG2(n) + 1); /* bisection, both at once */
	v.w = width_of(s, a, n, is_signed);
	v.top = width_of(s, b, n, is_signed);
	v.w = v.w < least ? least : v.w;
	v.top = v.top < least ? least : v.top;
	return v;
}

/* p, of 2 n rows, = a * b. */
void dc_serial_mul_unsigned(struct dc_serial *s, uint32_t p, uint32_t a, uint32_t b, uint32_t n)
{
	const struct widths v = mul_widths(s, a, b, n, false);

	if (v.w + v.top < 2 * n)
		fill_rows(s, p + 2 * v.w, 2 * n - 2 * v.w, false);
	for (uint32_t i = 0; i < v.w; i++)
		dc_serial_and(s, p + i, a + i, b);
	for (uint32_t i = v.w; i < 2 * v.w; i++) {
		dc_serial_fill(s, p + i, 1, false);
	}
	for (uint32_t i = 1; i < v.top; i++) {
		dc_serial_tag(s, b + i, false);
		if (is_on(s, DC_SAVE_PARTIAL_PRODUCTS) && !dc_serial_any(s))
			continue;
		dc_serial_tagged(s, true);
		dc_serial_set_carry(s, false);
		add_rows(s, p + i, p + i, a, v.w);
		dc_serial_write_carry(s, p + i + v.w);
		dc_serial_tagged(s, false);
	}
}

/* Two's complement: partial products are added with their sign, that of the multiplier's sign is subtracted. Before it
 * is added to, row `last` of the product is its sign so far. */
static void mul_signed(struct dc_serial *s, uint32_t p, uint32_t a, uint32_t b, uint32_t t, uint32_t n)
{
	const struct widths v = mul_widths(s, a, b, n, true);
	const uint32_t sign = v.top - 1;
	bool subtracts = true;

	for (uint32_t i = 0; i < v.w; i++)
		dc_serial_and(s, p + i, a + i, b);
	for (uint32_t i = v.w; i < 2 * v.w; i++)
		dc_serial_and(s, p + i, a + v.w - 1, b);
	if (is_on(s, DC_SAVE_PARTIAL_PRODUCTS)) {
		uint64_t any = 0;

		for (uint32_t i = 0; i < DC_COLUMN_WORDS; i++)
			any |= s->row[b + sign].w[i] & s->guard.w[i];
		subtracts = any;
	}
	if (subtracts) {
		invert_rows(s, t, a, v.w);
		dc_serial_not(s, t + v.w, a + v.w - 1);
	}
	for (uint32_t i = 1; i < v.top; i++) {
		const bool is_sign = i == sign;

		dc_serial_copy(s, p + v.w + i, p + v.w + i - 1);
		dc_serial_tag(s, b + i, false);
		if (is_on(s, DC_SAVE_PARTIAL_PRODUCTS) && !dc_serial_any(s))
			continue;
		dc_serial_tagged(s, true);
		dc_serial_set_carry(s, is_sign);
		add_rows(s, p + i, p + i, is_sign ? t : a, v.w);
		dc_serial_add(s, p + i + v.w, p + i + v.w, is_sign ? t + v.w : a + v.w - 1);
		dc_serial_tagged(s, false);
	}
	dc_serial_idle(s, 2); /* the carry latch, set before the subtraction and cleared behind it */
	if (v.w + v.top < 2 * n) { /* the sign to the rows above, all at once */
		const uint64_t before = s->cycles;

		for (uint32_t r = v.w + v.top; r < 2 * n; r++)
			dc_serial_copy(s, p + r, p + v.w + v.top - 1);
		s->cycles = before + 1;
	}
}

/* ---- division ---- */

/* In place: -x where the sign's row says so, in one pass: the sensed complement and the carry latch. */
static void negate_where(struct dc_serial *s, uint32_t d, uint32_t a, uint32_t sign, uint32_t n)
{
	const uint64_t before = s->cycles;

	dc_serial_tag(s, sign, false);
	for (uint32_t i = 0; i < n; i++)
		dc_serial_copy(s, d + i, a + i);
	dc_serial_tagged(s, true);
	dc_serial_set_carry(s, true);
	for (uint32_t i = 0; i < n; i++) {
		dc_serial_not(s, d + i, d + i);
		dc_serial_add_one(s, d + i, d + i);
	}
	dc_serial_tagged(s, false);
	s->cycles = before + n; /* Table 1: 4 n for the four of a division */
}

static uint32_t quotient_digits(const struct dc_serial *s, uint32_t a, uint32_t b, uint32_t n, bool *by_zero)
{
	uint64_t x[DC_COLUMNS], y[DC_COLUMNS];
	uint32_t most = 0;

	*by_zero = false;
	dc_serial_get(s, a, n, x);
	dc_serial_get(s, b, n, y);
	for (uint32_t c = 0; c < DC_COLUMNS; c++) {
		if (!(s->guard.w[c / 64] >> c % 64 & 1))
			continue;
		const uint32_t bits_x = x[c] ? 64 - (uint32_t)__builtin_clzll(x[c]) : 0;
		const uint32_t bits_y = y[c] ? 64 - (uint32_t)__builtin_clzll(y[c]) : 0;

		*by_zero |= !y[c];
		if (bits_x + 1 > bits_y && bits_x + 1 - bits_y > most)
			most = bits_x + 1 - bits_y;
	}
	return most;
}

/* Is the residue, kept inverted in `width` rows at r, zero in all columns? */
static bool is_zero_residue(const struct dc_serial *s, uint32_t r, uint32_t width)
{
	for (uint32_t i = 0; i < DC_COLUMN_WORDS; i++) {
		uint64_t all = ~0ull;

		for (uint32_t k = 0; k < width; k++)
			all &= s->row[r + k].w[i];
		if (~all & s->guard.w[i])
			return false;
	}
	return true;
}

/* Restoring, with the residue inverted: ~(r - b) = ~r + b, so that subtracting is adding, and a carry is a borrow. The
 * residue's rows run down as the dividend's come in: row base - 1 is its lowest. q: n rows of quotient; the residue is
 * left, inverted, at the returned row. */
static uint32_t divide(struct dc_serial *s, uint32_t q, uint32_t a, uint32_t b, uint32_t t, uint32_t n, uint32_t *rows,
		       uint32_t *digits_out)
{
	uint32_t dividend = n, divisor = n, digits = n, low;
	bool by_zero = false;
	const uint32_t sum = t, top = t + 3 * n + 4; /* trial sum: n + 2 rows; the residue below top */

	const uint32_t longest = quotient_digits(s, a, b, n, &by_zero);

	if (is_on(s, DC_SAVE_LEADING_ZEROS)) {
		dc_serial_idle(s, DC_LOG2(n) + 1);
		if (!by_zero) {
			dividend = dc_serial_width(s, a, n);
			divisor = dc_serial_width(s, b, n);
			digits = longest;
		}
	}
	const uint32_t width = divisor + 1 < n + 1 ? divisor + 1 : n + 1;

	/* Rows above what has come are zeros of the residue: ones, inverted. The controller knows. */
	for (uint32_t r = t + n + 2; r < top + n + 2; r++) {
		fill_rows(s, r, 1, true);
		s->cycles--;
	}
	low = top - (dividend - digits);
	for (uint32_t k = 0; digits < dividend && k < dividend - digits && k < divisor; k++)
		dc_serial_not(s, low + k, a + digits + k);
	for (uint32_t j = dividend - digits; j < dividend; j++) {
		const uint32_t bit = dividend - 1 - j;

		low--;
		dc_serial_not(s, low, a + bit);
		if (is_on(s, DC_SAVE_ZERO_RESIDUES)) {
			dc_serial_idle(s, 1);
			if (!by_zero && is_zero_residue(s, low, width)) {
				dc_serial_fill(s, q + bit, 1, false);
				continue;
			}
		}
		dc_serial_set_carry(s, false);
		for (uint32_t k = 0; k < width; k++) {
			if (k < divisor)
				dc_serial_add(s, sum + k, low + k, b + k);
			else
				dc_serial_add_one(s, sum + k, low + k);
		}
		/* no carry: no borrow: the digit is 1 */
		for (uint32_t i = 0; i < DC_COLUMN_WORDS; i++)
			s->tag.w[i] = ~s->carry.w[i];
		dc_serial_idle(s, 1);
		dc_serial_tagged(s, true);
		copy_rows(s, low, sum, j + 1 < width ? j + 1 : width);
		dc_serial_tagged(s, false);
		for (uint32_t i = 0; i < DC_COLUMN_WORDS; i++)
			s->carry.w[i] = ~s->carry.w[i];
		dc_serial_write_carry(s, q + bit);
	}
	*rows = divisor;
	*digits_out = digits;
	return low;
}

static void div_rem(struct dc_serial *s, const struct dc_use *use, uint32_t d, uint32_t a, uint32_t b, uint32_t t,
		    bool wants_rest)
{
	const uint32_t n = use->n, q = t + 5 * n + 10, x = q + n, y = x + n, sign = y + n;
	uint32_t from_a = a, from_b = b, rows, digits, low;
	bool has_signs = use->is_signed;
	uint64_t before;

	if (use->is_signed && is_on(s, DC_SAVE_SIGNS)) {
		uint64_t any = 0;

		dc_serial_idle(s, 2);
		for (uint32_t i = 0; i < DC_COLUMN_WORDS; i++)
			any |= (s->row[a + n - 1].w[i] | s->row[b + n - 1].w[i]) & s->guard.w[i];
		has_signs = any;
	}
	if (has_signs) {
		negate_where(s, x, a, a + n - 1, n);
		negate_where(s, y, b, b + n - 1, n);
		from_a = x;
		from_b = y;
	}
	low = divide(s, q, from_a, from_b, t, n, &rows, &digits);
	/* The result: of quotient or residue what has digits; the other's rows are zeros. */
	before = s->cycles;
	if (wants_rest) {
		invert_rows(s, d, low, rows);
		fill_rows(s, d + rows, n - rows, false);
	} else {
		copy_rows(s, d, q, digits);
		fill_rows(s, d + digits, n - digits, false);
	}
	s->cycles = before + digits + (digits < n);
	if (!has_signs)
		return;
	before = s->cycles;
	if (wants_rest) {
		dc_serial_copy(s, sign, a + n - 1);
	} else {
		dc_serial_xor(s, sign, a + n - 1, b + n - 1);
	}
	s->cycles = before;
	negate_where(s, d, d, sign, n);
	dc_serial_idle(s, n); /* quotient and residue, of which one is asked for */
}

/* ---- the rest ---- */

/* Each amount in turn: those lanes' rows, from where the amount says. Table 1 has n^2 cycles for it. */
static void shift(struct dc_serial *s, const struct dc_use *use, uint32_t d, uint32_t a, uint32_t b, bool is_right)
{
	const uint32_t n = use->n;
	const uint64_t before = s->cycles;

	/* First what an amount of n and more leaves, in all rows at once. */
	for (uint32_t i = 0; i < n; i++) {
		if (is_right && use->is_signed)
			dc_serial_copy(s, d + i, a + n - 1);
		else
			dc_serial_fill(s, d + i, 1, false);
	}
	s->cycles = before + 1;
	for (uint32_t k = 0; k < n; k++) {
		dc_serial_search(s, b, n, k);
		dc_serial_tagged(s, true);
		for (uint32_t i = 0; i < n - k; i++)
			dc_serial_copy(s, is_right ? d + i : d + i + k, is_right ? a + i + k : a + i);
		dc_serial_tagged(s, false);
	}
}

/* By a constant: other rows are copied, and zeros or the sign to those that have none. */
static void shift_fixed(struct dc_serial *s, const struct dc_use *use, uint32_t d, uint32_t a, uint32_t variant)
{
	const uint32_t n = use->n, amount = variant / 2 < n ? variant / 2 : n;
	const bool is_right = variant & 1;

	for (uint32_t i = 0; i < n; i++) {
		const bool has_row = is_right ? i + amount < n : i >= amount;

		if (has_row)
			dc_serial_copy(s, d + i, is_right ? a + i + amount : a + i - amount);
		else if (is_right && use->is_signed)
			dc_serial_copy(s, d + i, a + n - 1);
		else
			dc_serial_fill(s, d + i, 1, false);
	}
}

static void logic(struct dc_serial *s, uint32_t d, uint32_t a, uint32_t b, uint32_t n, enum dc_logic how)
{
	for (uint32_t i = 0; i < n; i++) {
		switch (how) {
		case DC_LOGIC_AND: dc_serial_and(s, d + i, a + i, b + i); break;
		case DC_LOGIC_OR: dc_serial_or(s, d + i, a + i, b + i); break;
		case DC_LOGIC_NOT: dc_serial_not(s, d + i, a + i); break;
		case DC_LOGIC_XOR: dc_serial_xor(s, d + i, a + i, b + i); break;
		}
	}
}

/* Row d = a < b. Unsigned: a borrow, the carry's complement. Signed: the sum of both signs, b's inverted, and the
 * carry, which is a cycle of the adder. */
static void less(struct dc_serial *s, uint32_t d, uint32_t a, uint32_t b, uint32_t t, uint32_t n, bool is_signed)
{
	subtract(s, t + n, a, b, t, n);
	if (is_signed) {
		dc_serial_add(s, d, a + n - 1, t + n - 1);
		return;
	}
	for (uint32_t i = 0; i < DC_COLUMN_WORDS; i++)
		s->carry.w[i] = ~s->carry.w[i];
	dc_serial_write_carry(s, d);
}

/* Of the row that was written last: it goes through the complement's driver. */
static void write_inverted(struct dc_serial *s, uint32_t d)
{
	for (uint32_t i = 0; i < DC_COLUMN_WORDS; i++)
		s->row[d].w[i] ^= s->guard.w[i];
}

static void compare(struct dc_serial *s, const struct dc_use *use, uint32_t d, uint32_t a, uint32_t b, uint32_t t,
		    enum ptx_cmp how)
{
	const bool is_signed = use->is_signed && how <= PTX_GE;
	const uint32_t n = use->n;

	switch (how) {
	case PTX_EQ:
	case PTX_NE:
		subtract(s, t + n, a, b, t, n);
		dc_serial_none(s, d, t + n, n);
		break;
	case PTX_GT:
	case PTX_LE:
	case PTX_HI:
	case PTX_LS: less(s, d, b, a, t, n, is_signed); break;
	default: less(s, d, a, b, t, n, is_signed); break;
	}
	if (how == PTX_NE || how == PTX_LE || how == PTX_GE || how == PTX_LS || how == PTX_HS)
		write_inverted(s, d);
}

/* As a comparison whose result goes to the tag, and a selection. */
static void min_max(struct dc_serial *s, const struct dc_use *use, uint32_t d, uint32_t a, uint32_t b, uint32_t t,
		    bool is_max)
{
	const uint32_t n = use->n, flag = t + 2 * n;

	less(s, flag, is_max ? b : a, is_max ? a : b, t, n, use->is_signed);
	s->tag = s->row[flag];
	copy_rows(s, d, b, n);
	dc_serial_tagged(s, true);
	copy_rows(s, d, a, n);
	dc_serial_tagged(s, false);
}

/* Copied where the sign is not set, negated where it is: one pass each. */
static void absolute(struct dc_serial *s, uint32_t d, uint32_t a, uint32_t n)
{
	const uint64_t before = s->cycles;

	negate_where(s, d, a, a + n - 1, n);
	s->cycles = before + 2 * n + 2;
}

void dc_serial_int(struct dc_serial *s, const struct dc_use *use, uint32_t d, uint32_t a, uint32_t b, uint32_t c,
		   uint32_t t, uint32_t variant)
{
	const uint32_t n = use->n;

	switch (use->op) {
	case DC_OP_COPY: copy_rows(s, d, a, n); break;
	case DC_OP_ADD:
		dc_serial_set_carry(s, false);
		add_rows(s, d, a, b, n);
		break;
	case DC_OP_SUB: subtract(s, d, a, b, t, n); break;
	case DC_OP_NEG:
		invert_rows(s, d, a, n);
		dc_serial_set_carry(s, true);
		for (uint32_t i = 0; i < n; i++)
			dc_serial_add_one(s, d + i, d + i);
		break;
	case DC_OP_ABS: absolute(s, d, a, n); break;
	case DC_OP_LOGIC: logic(s, d, a, b, n, (enum dc_logic)variant); break;
	case DC_OP_MUL:
		if (use->is_signed)
			mul_signed(s, d, a, b, t, n);
		else
			dc_serial_mul_unsigned(s, d, a, b, n);
		break;
	case DC_OP_MAD:
		if (use->is_signed)
			mul_signed(s, t, a, b, t + 2 * n, n);
		else
			dc_serial_mul_unsigned(s, t, a, b, n);
		dc_serial_set_carry(s, false);
		add_rows(s, d, t, c, n);
		break;
	case DC_OP_DIV: div_rem(s, use, d, a, b, t, variant & 1); break;
	case DC_OP_SHIFT: shift(s, use, d, a, b, variant & 1); break;
	case DC_OP_SHIFT_FIXED: shift_fixed(s, use, d, a, variant); break;
	case DC_OP_COMPARE: compare(s, use, d, a, b, t, (enum ptx_cmp)variant); break;
	case DC_OP_MINMAX: min_max(s, use, d, a, b, t, variant & 1); break;
	case DC_OP_SELECT: /* c ? a : b */
		dc_serial_tag(s, c, false);
		copy_rows(s, d, b, n);
		dc_serial_tagged(s, true);
		copy_rows(s, d, a, n);
		dc_serial_tagged(s, false);
		break;
	default: UNREACHABLE("an operation without a bit-serial algorithm");
	}
}
