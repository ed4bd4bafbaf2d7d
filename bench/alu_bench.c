/* alu_bench.c - nanoseconds per row of 32 lanes of arithmetic kernels, full and partial mask, in every build that the
 * host runs: alu_bench [KEY...], keys as in src/simt/alu's tables. CPU time, best of five. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "simt/alu/rows.h"

enum { CALLS = 200000, TRIES = 5 };

static uint64_t rows_of[5][32] __attribute__((aligned(64)));

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double row_ns(const struct simt_alu *alu, uint32_t mask)
{
	const void *const src[] = {rows_of[0], rows_of[1], rows_of[2], rows_of[3]};
	double best = 1e30;

	for (int t = 0; t < TRIES; t++) {
		const double start = cpu_ns();
		for (int i = 0; i < CALLS; i++)
			alu->fn(rows_of[4], src, mask, 0x5a5a5a5a);
		const double ns = (cpu_ns() - start) / CALLS;
		best = ns < best ? ns : best;
	}
	return best;
}

int main(int argc, char **argv)
{
	static const char *const usual[] = {"add_u32",         "mul_lo_u32",     "mad_lo_u32",     "add_rn_f32",
					    "mul_rn_f32",      "fma_rn_f32",     "fma_rn_f64",     "div_rn_f32",
					    "setp_lt_s32",     "setp_lt_f32",    "selp_b32",       "cvt_rn_f32_s32",
					    "cvt_rzi_s32_f32", "ex2_approx_f32", "sin_approx_f32", "add_rn_f16x2",
					    "fma_rn_f16x2",    "div_s32",        "lop3_b32",       "add_rz_f32"};
	static const char *const isas[] = {"portable", "avx2", "avx512"};
	const int count = argc > 1 ? argc - 1 : (int)(sizeof usual / sizeof usual[0]);

	for (int k = 0; k < 4; k++)
		for (int i = 0; i < 32; i++) /* two f32 about 1 in each: no subnormals in either width */
			rows_of[k][i] = 0x3f8000003f800000u + (uint64_t)(i * 4097 + k * 333) * 0x100000001u;
	printf("%-20s %-9s %8s %8s\n", "ns per row", "build", "full", "masked");
	for (int k = 0; k < count; k++) {
		const char *key = argc > 1 ? argv[k + 1] : usual[k];
		for (int isa = 0; isa < SIMT_ISA_COUNT; isa++) {
			const struct simt_alu_row *row = simt_alu_row(key, (enum simt_isa)isa);
			if (!row) {
				fprintf(stderr, "alu_bench: there is no row '%s'\n", key);
				return 2;
			}
			if (simt_isa_available((enum simt_isa)isa))
				printf("%-20s %-9s %8.2f %8.2f\n", key, isas[isa], row_ns(&row->alu, UINT32_MAX),
				       row_ns(&row->alu, 0x55aa1234));
		}
	}
	return 0;
}
