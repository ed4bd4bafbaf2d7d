/* exec.h - values: a control block executes words (Duality Cache, ISCA'19, section 3.3).
 *
 * A control block is a way of a cache slice: four banks of four arrays, 1,024 lanes (four times as many for code of one
 * array). A register of an array is a row of 32 bits for each lane. The machine decides when a word is executed; here
 * is what it computes, how many cycles its slots take with these values, and which lines its access touches.
 */
#ifndef STRATA_DC_EXEC_EXEC_H
#define STRATA_DC_EXEC_EXEC_H

#include "dc/array/latency.h"
#include "dc/word.h"
#include "simt/simt.h"

enum { DC_BANK_LANES = 256, DC_BANKS = 4, DC_BLOCK_LANES = DC_BANK_LANES * DC_BANKS, DC_WARPS_MAX = 128 };
/* Registers of a control block's arrays, 32 bits each; code of one array, whose lanes are four times as many, has the
 * same. */
enum { DC_BLOCK_REGISTERS = DC_ARRAYS * DC_REGS * DC_BLOCK_LANES };

struct dc_exec_params {
	struct dc_arith arith;
	uint32_t savings; /* bits of enum dc_saving */
	uint32_t line_bytes; /* of accesses */
	uint64_t clock_khz;  /* of the arrays: %globaltimer */

	bool is_bit_exact;   /* arrays' operations are done bit by bit, too */
	bool operations_are_free; /* an operation takes a cycle, whatever it is, and nothing is swapped */
	uint64_t progress_rounds; /* rounds of a loop in which no register, predicate or memory changes: a fault */
};

/* A kernel's words, decoded. */
struct dc_program;

/* May an operation of the word be done again? Then it is executed at its time. */
bool dc_program_may_repeat(const struct dc_program *p, uint32_t word);
/* The kernel is kept and must live as long. NULL with a message: something that the machine does not have. */
struct dc_program *dc_program_new(const struct dc_kernel *kernel, const struct dc_exec_params *params,
				  enum simt_isa isa, struct base_diag_list *diag);
void dc_program_free(struct dc_program *p);

/* What a launch adds: its parameters become the values of host operations. False: l->fault is set. */
bool dc_program_begin(struct dc_program *p, struct simt_launch *l);

/* Where lanes of 32 come from: warp `warp` of a CTA. */
struct dc_warp {
	uint64_t cta; /* linear */
	uint32_t cta_id[3];
	uint32_t warp;	   /* within the CTA */
	uint32_t launched; /* lanes that have a thread */
	uint32_t segment;  /* which of the control block's shared segments is its CTA's */
};

/* Memory of a control block's own: in device memory. */
struct dc_segments {
	uint64_t shared, shared_stride_bytes; /* first CTA's; between two */
	uint64_t local, spill; /* lane-interleaved words: word k of lane i at (k * lanes + i) * 4 */
};

/* What the C-Box did in a word. */
struct dc_access {
	uint8_t kind; /* enum dc_box_kind; DC_BOX_NONE: nothing, or no lane took part */
	bool is_store, is_atomic;
	uint32_t lanes; /* that took part */
	/* Banks with one of them; where a bank's arrays have lanes of their own (the plain translator), its arrays. */
	uint32_t banks;
	uint32_t out_rows, in_rows; /* word-lines of each of banks that leave and enter the arrays */
	uint32_t line_count;
	uint64_t *lines; /* the line addresses, each once, in order of first use */
	uint32_t *line_bytes; /* of each, what lanes accessed: more than once where several accessed the same */
	uint32_t elem_bytes;
};

struct dc_step {
	uint64_t cycles; /* of the slots, without the C-Box's and without what swapping of rows takes */
	uint32_t again_rows; /* of each bank, that leave and come back for what is done again: array/gradual.h */
	struct dc_access access;
	bool is_done; /* the control block has come to its end */
	bool jumped;  /* back, to a loop's begin */
	uint32_t executed; /* word number */
};

enum { DC_DIFFERENCES_COUNT = 5 };

/* Counts of what was executed; the machine adds them to its statistics. */
struct dc_exec_counts {
	uint64_t fma_separated; /* fma that were done as product and sum */
	uint64_t words, skips, slots, lane_operations, active_lane_cycles, lane_cycles;
	uint64_t denormals; /* that became zero */
	uint64_t gradual;   /* operations, of pairs halves, that were done again for denormals */
	uint64_t conversions_kept; /* left out: of operands and results that lie in two's complement */
	uint64_t conversions_made; /* by operations of their own */
	uint64_t cycles[DC_OP_COUNT], operations[DC_OP_COUNT], base_cycles[DC_OP_COUNT];
	/* Float additions by how many distinct exponent differences their lanes have; the last: that many or more. */
	uint64_t differences[DC_DIFFERENCES_COUNT];
	uint64_t array_cycles; /* cycles of all slots, for each of a bank's arrays that works: for energy */
};

struct dc_block;

/* A control block; used for one CTA's lanes after the other's. index: its number, %smid. registers: DC_BLOCK_REGISTERS
 * of them from a HOST_LINE_BYTES boundary on, which hold anything and stay the caller's. */
struct dc_block *dc_block_new(const struct dc_program *p, uint32_t index, uint32_t *registers);
void dc_block_free(struct dc_block *b);
/* Puts warps on the lanes, and goes to word 0. At most kernel lanes / 32. */
void dc_block_begin(struct dc_block *b, const struct dc_warp *warps, uint32_t count,
		    const struct dc_segments *segments);
/* Executes the next word, which begins in this cycle (%clock). False on a fault, which is in l->fault. */
bool dc_block_step(struct dc_program *p, struct dc_block *b, struct simt_launch *l, uint64_t cycle,
		   struct dc_step *out);
uint32_t dc_block_word(const struct dc_block *b);

uint32_t dc_program_lanes(const struct dc_program *p);
const struct dc_kernel *dc_program_kernel(const struct dc_program *p);
struct dc_exec_counts *dc_program_counts(struct dc_program *p);

#endif
