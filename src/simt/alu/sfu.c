/* sfu.c - kernels of the approximate functions. */
#include "simt/alu/lane.h"
#include "simt/alu/sfu.h"

static inline double sfu_rsqrt(double x)
{
	return 1.0 / __builtin_sqrt(x);
}

static inline double sfu_ftz64(double f)
{
	const uint64_t u = flt_bits64(f);

	return flt_from64(u & 0x7ff0000000000000ull ? u : u & 1ull << 63);
}

/* A number of 1 sign, 11 exponent and 20 fraction bits, as the high word holds it. */
static inline double sfu_high(double f)
{
	return sfu_ftz64(flt_from64(flt_bits64(f) & ~(uint64_t)UINT32_MAX));
}

static inline double sfu_gross(double f)
{
	return f == f ? sfu_high(f) : flt_from64(0x7fffffff00000000ull);
}

#include "simt/alu/functions.h"
#include "simt/alu/sfu.def"

static const struct simt_alu_row sfu_rows[] = {
#include "simt/alu/table.h"
#include "simt/alu/sfu.def"
};

const struct simt_alu_table LANE_BUILD(simt_alu_sfu) = {sfu_rows, sizeof(sfu_rows) / sizeof(sfu_rows[0])};
