/* latency.c - cycles from facts. */
#include "dc/array/latency.h"

#include "base/check.h"
#include "dc/formulas.h"

bool dc_has_facts(enum dc_op op)
{
	switch (op) {
	case DC_OP_MUL:
	case DC_OP_MAD:
	case DC_OP_DIV:
	case DC_OP_FADD:
	case DC_OP_FMUL:
	case DC_OP_FMA:
	case DC_OP_FDIV:
	case DC_OP_FSQRT:
	case DC_OP_FRSQRT:
	case DC_OP_INT_TO_FLOAT:
	case DC_OP_FLOAT_TO_INT:
	case DC_OP_FLOAT_ROUND: return true;
	default: return false;
	}
}

static uint32_t bits_of(uint64_t x)
{
	return x ? 64 - (uint32_t)__builtin_clzll(x) : 0;
}

static bool is_on(uint32_t savings, enum dc_saving s)
{
	return savings >> s & 1;
}

static uint64_t min64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* ---- multiplication ---- */

/* Rows 1 to top - 1 of the multiplier: a whole addition where some lane has the bit, else what finds that out. */
static uint64_t partial_products(uint64_t rows, uint32_t top, uint64_t add, uint64_t skip, bool can_skip)
{
	uint64_t cycles = 0;

	for (uint32_t i = 1; i < top; i++)
		cycles += !can_skip || rows >> i & 1 ? add : skip;
	return cycles;
}

static uint64_t mul_cycles(const struct dc_use *use, uint32_t savings, const struct dc_facts *f)
{
	const uint32_t n = use->n, s = use->is_signed;
	const bool can_skip = is_on(savings, DC_SAVE_PARTIAL_PRODUCTS),
		   is_narrow = is_on(savings, DC_SAVE_LEADING_ZEROS);
	uint32_t w = n, top = n;
	const uint64_t rows = f->multiplier_rows;
	uint64_t cycles = 0;

	if (is_narrow) {
		/* A signed value needs a row for its sign. */
		w = (uint32_t)min64(n, bits_of(f->or_a) + s);
		top = (uint32_t)min64(n, bits_of(f->or_b) + s);
		w = w < 1 + s ? 1 + s : w;
		top = top < 1 + s ? 1 + s : top;
		cycles += DC_LOG2(n) + 1;
		cycles += s ? w + top < 2 * n : w < n; /* rows above the product: at once */
	}
	if (!s)
		return cycles + 2 * w + partial_products(rows, top, w + 2, 1, can_skip);
	/* The sign's row subtracts: the multiplicand is inverted for it. */
	if (!can_skip || rows >> (top - 1) & 1)
		cycles += w + 1;
	return cycles + 2 + 2 * w + partial_products(rows, top, w + 3, 2, can_skip);
}

/* ---- division ---- */

static uint64_t div_cycles(const struct dc_use *use, uint32_t savings, const struct dc_facts *f)
{
	const uint32_t n = use->n;
	uint32_t dividend = n, divisor = n, digits = n;
	uint64_t cycles = 0;

	if (use->is_signed) {
		if (!is_on(savings, DC_SAVE_SIGNS))
			cycles += 4 * n;
		else
			cycles += 2 + (f->any_negative ? 4 * n : 0);
	}
	if (is_on(savings, DC_SAVE_LEADING_ZEROS)) {
		cycles += DC_LOG2(n) + 1;
		if (!f->any_zero_divisor) {
			dividend = bits_of(f->or_a);
			divisor = bits_of(f->or_b);
			digits = f->digits;
		}
	}
	const uint64_t width = min64(divisor + 1, n + 1);

	if (digits < dividend)
		cycles += min64(dividend - digits, divisor); /* the residue begins with that much of the dividend */
	for (uint32_t j = dividend - digits; j < dividend; j++) {
		const bool looks = is_on(savings, DC_SAVE_ZERO_RESIDUES);

		cycles += 2 + looks; /* the next row of the dividend, the quotient's digit */
		if (!looks || !(f->zero_residues >> (dividend - 1 - j) & 1))
			cycles += width + 1 + min64(j + 1, width);
	}
	/* The result: quotient or, inverted, residue. */
	return cycles + digits + (digits < n);
}

/* ---- floating point ---- */

static uint64_t groups_cycles(const uint64_t *present, uint32_t count, uint64_t each, uint64_t look, bool only_present)
{
	uint64_t cycles = 0;
	uint32_t last = 0;

	for (uint32_t k = 0; k < count; k++)
		if (present[k / 64] >> k % 64 & 1)
			last = k + 1;
	for (uint32_t k = 0; k < (only_present ? last : count); k++)
		cycles += look + (!only_present || (present[k / 64] >> k % 64 & 1) ? each : 0);
	return cycles;
}

/* Rows of an exponent difference that the search of its leading zeros leaves: up to 2^rows - 1 is looked for. */
static uint64_t align_cycles(const struct dc_use *use, uint64_t p, uint64_t r, bool only_present,
			     const struct dc_facts *f)
{
	const uint32_t count = (uint32_t)(p + 2 * r);
	uint64_t cycles = 0, bound = count;

	if (!only_present)
		return DC_ALIGN_BASE(p, r);
	for (uint32_t k = 0; k < count; k++)
		if (f->differences[k / 64] >> k % 64 & 1)
			bound = k;
	if (!f->any_rest && bound < count)
		bound = min64(count, 1ull << bits_of(bound));
	else
		bound = count;
	cycles = 1 + DC_LOG2(use->e) + 1 + 2 * bound + 1;
	for (uint32_t k = 0; k < count; k++)
		cycles += f->differences[k / 64] >> k % 64 & 1 ? DC_ALIGN(p, r) : 0;
	return cycles + (f->any_rest ? DC_ALIGN(p, r) : 0);
}

static uint64_t add_core_cycles(const struct dc_use *use, uint64_t p, uint64_t r, uint32_t savings,
				const struct dc_facts *f)
{
	const bool only_present = is_on(savings, DC_SAVE_DIFFERENCES);
	const uint64_t e = use->e;
	const uint64_t kept = dc_use_operands_kept(use), swap = use->op == DC_OP_FADD ? kept * DC_KEPT_SWAP : 0;
	uint64_t cycles = DC_DIFFERENCE(e) + DC_COMPLEMENT(p) - kept * DC_COMPLEMENT_ONE((uint64_t)use->m);

	cycles += dc_use_keeps_result(use) ? DC_KEPT_SIGN + DC_KEPT_ROUND : DC_MAGNITUDE(p, r);
	cycles += !is_on(savings, DC_SAVE_SIGNS) || f->any_swap ? DC_SWAP(e, p) + swap : 1;
	cycles += align_cycles(use, p, r, only_present, f);
	cycles += 1 + r + groups_cycles(f->shifts, (uint32_t)(p + 2 * r + 1), DC_NORMALISE(e, p, r), 1, only_present);
	return cycles;
}

static uint64_t mantissa_cycles(const struct dc_use *use, uint32_t savings, const struct dc_facts *f)
{
	const uint32_t m = use->m;

	return 2 * m + partial_products(f->or_b, m, m + 2, 1, is_on(savings, DC_SAVE_PARTIAL_PRODUCTS));
}

/* What a division of mantissas takes less than `digits` of 2 w + 4: the divisor's zeros are left out of each trial, and
 * when no lane has a residue the other digits are zeros at once. */
static uint64_t quotient_cycles(uint64_t divisors, uint64_t w, uint32_t digits, uint32_t needed, uint32_t savings)
{
	const bool looks = is_on(savings, DC_SAVE_ZERO_RESIDUES);
	const uint64_t done = looks ? min64(needed, digits) : digits;
	uint64_t zeros = 0, cycles = 0;

	if (is_on(savings, DC_SAVE_LEADING_ZEROS)) {
		cycles += DC_LOG2(w) + 1;
		zeros = divisors ? min64((uint64_t)__builtin_ctzll(divisors), w - 1) : w - 1;
	}
	return cycles + done * (looks + 2 * (w - zeros) + 4) + (done < digits ? 2 : 0);
}

/* Instead of DC_ROOT_DIGITS. */
static uint64_t root_cycles(uint32_t digits, uint32_t needed, uint32_t savings)
{
	const bool looks = is_on(savings, DC_SAVE_ZERO_RESIDUES);
	const uint64_t done = looks ? min64(needed, digits) : digits;

	return DC_ROOT_DIGITS(done) + looks * done + (done < digits ? 2 : 0);
}

static uint64_t digit_cycles(const struct dc_use *use, const struct dc_arith *a, uint32_t savings,
			     const struct dc_facts *f)
{
	const uint64_t base = dc_base_cycles(use, a) / use->times - dc_sense_cycles(use, a), m = use->m;
	const uint32_t r = !a->is_truncated, digits = use->op == DC_OP_FSQRT ? use->m + r : use->m + 1u;

	switch (use->op) {
	case DC_OP_FDIV:
		return base - (m + 1 + r) * (2 * m + 4) + quotient_cycles(f->or_b, m, digits + r, f->digits, savings);
	case DC_OP_FSQRT:
		return base - DC_ROOT_DIGITS((uint64_t)digits) + root_cycles(digits, f->digits, savings);
	default:
		return base - DC_ROOT_DIGITS(m + 1) + root_cycles(digits, f->digits, savings) - (m + 2) * (2 * m + 6) +
		       quotient_cycles(f->or_b, m + 1, use->m + 2u, f->more_digits, savings);
	}
}

static uint64_t float_cycles(const struct dc_use *use, const struct dc_arith *a, uint32_t savings,
			     const struct dc_facts *f)
{
	const uint64_t e = use->e, m = use->m, r = !a->is_truncated, b = use->bits, q = use->rounding != DC_TO_ZERO;
	const uint64_t kept = dc_use_operands_kept(use);
	const bool only_present = is_on(savings, DC_SAVE_DIFFERENCES);

	switch (use->op) {
	case DC_OP_FADD:
		return DC_UNPACK(e, m) + kept * DC_KEPT_UNPACK + add_core_cycles(use, m, r, savings, f) +
		       DC_ROUND(e, m, r) + DC_PACK(e, m);
	case DC_OP_FDIV:
	case DC_OP_FSQRT:
	case DC_OP_FRSQRT: return digit_cycles(use, a, savings, f);
	case DC_OP_FMUL:
		return DC_FMUL_BASE(e, m, r) - (m * m + 3 * m - 2) + mantissa_cycles(use, savings, f);
	case DC_OP_FMA:
		return DC_UNPACK(e, m) + kept * (DC_KEPT_UNPACK + 1) + 1 + 2 * (e + 2) +
		       mantissa_cycles(use, savings, f) + add_core_cycles(use, 2 * m, r, savings, f) +
		       DC_ROUND(e, m, r) + DC_PACK(e, m);
	case DC_OP_INT_TO_FLOAT:
		return 2 * b + 2 + groups_cycles(f->shifts, (uint32_t)b, m + 2 * r + e, 1, only_present) +
		       DC_ROUND(e, m, r) + e + m;
	case DC_OP_FLOAT_TO_INT:
		return 2 * b + 8 + (f->any_rest || !only_present ? DC_FTOI_REST(m) + 8 * q : 2) +
		       groups_cycles(f->shifts, (uint32_t)b, m + 3 * q, 2, only_present) + q * (b + 5);
	case DC_OP_FLOAT_ROUND:
		return use->n + 9u + (f->any_rest || !only_present ? 12u : 0u) + 2 * (m - 1) +
		       (only_present ? (uint32_t)__builtin_popcountll(f->shifts[0]) : m - 1) * (use->n + 3u);
	default:
		UNREACHABLE("a routine without facts");
	}
}

static uint64_t open_end_cycles(const struct dc_use *use, bool only_present, const struct dc_facts *f)
{
	const uint64_t e = use->e, m = use->m;

	return DC_OPEN_NORMALISE(e, m) + 1 +
	       groups_cycles(f->shifts, use->m, DC_NORMALISE(e, (m - 1), 0), 1, only_present);
}

/* Of open numbers: algorithm 1 with a bit of mantissa less, nothing rounded. */
static uint64_t open_cycles(const struct dc_use *use, uint32_t savings, const struct dc_facts *f)
{
	const uint64_t e = use->e, m = use->m, k = dc_use_operands_kept(use);
	const bool only_present = is_on(savings, DC_SAVE_DIFFERENCES), stays = dc_use_keeps_result(use);
	uint64_t cycles;

	if (use->op == DC_OP_COMPLEMENT)
		return stays ? DC_OPEN_OF(e, m) : m + 2 + open_end_cycles(use, only_present, f);
	cycles = DC_OPEN_TAKE(e, m, k) + align_cycles(use, m - 1, 0, only_present, f);
	cycles += !is_on(savings, DC_SAVE_SIGNS) || f->any_swap ? DC_OPEN_SWAP(e, m, k) : 1;
	cycles += DC_OPEN_EXPONENT(e) + (!only_present || f->any_overflow ? DC_OPEN_OVERFLOW(m) : 0);
	return cycles + (stays ? DC_OPEN_PACK(e, m) : open_end_cycles(use, only_present, f));
}

uint64_t dc_cycles(const struct dc_use *use, const struct dc_arith *a, uint32_t savings, const struct dc_facts *f)
{
	uint64_t cycles;

	if (savings && use->kept & DC_KEPT_OPEN)
		return open_cycles(use, savings, f);
	if (!savings || !dc_has_facts(use->op))
		return dc_base_cycles(use, a) / use->times;
	if (use->op == DC_OP_MUL)
		cycles = mul_cycles(use, savings, f);
	else if (use->op == DC_OP_MAD)
		cycles = mul_cycles(use, savings, f) + use->n;
	else if (use->op == DC_OP_DIV)
		cycles = div_cycles(use, savings, f);
	else
		cycles = float_cycles(use, a, savings, f) + dc_sense_cycles(use, a);
	return cycles;
}
