/* rows.h - the table of lane kernels: one row per instruction form and build. */
#ifndef STRATA_SIMT_ALU_ROWS_H
#define STRATA_SIMT_ALU_ROWS_H

#include "simt/alu/alu.h"

/* key spells the form as find.c does: opcode, modifiers in a fixed order, types, joined by '_'. */
struct simt_alu_row {
	const char *key;
	struct simt_alu alu;
};

struct simt_alu_table {
	const struct simt_alu_row *rows;
	uint32_t count;
};

/* The tables that one build has; the last one has no rows. */
#define SIMT_ALU_TABLES(build)                                                                                         \
	extern const struct simt_alu_table simt_alu_int_##build, simt_alu_float_##build, simt_alu_compare_##build,     \
		simt_alu_convert_##build, simt_alu_half_##build, simt_alu_sfu_##build, simt_alu_video_##build
SIMT_ALU_TABLES(portable);
#if defined(__x86_64__)
SIMT_ALU_TABLES(avx2);
SIMT_ALU_TABLES(avx512);
#endif

/* The row of a key, NULL if there is none. Thread-safe. */
const struct simt_alu_row *simt_alu_row(const char *key, enum simt_isa isa);

/* All rows of a build, for tests: fills rows[0..max), returns how many there are. */
uint32_t simt_alu_row_list(enum simt_isa isa, const struct simt_alu_row **rows, uint32_t max);

#endif
