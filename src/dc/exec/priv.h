/* priv.h - what the files of exec/ share. */
#ifndef STRATA_DC_EXEC_PRIV_H
#define STRATA_DC_EXEC_PRIV_H

#include "base/check.h"
#include "dc/exec/exec.h"
#include "simt/service.h"

enum { DC_ROW_WORDS = 32, DC_ALU_SRCS = 4, DC_BARRIERS = 16 /* named ones of a CTA (PTX ISA, bar) */ };

/* A source as decoded: how a row of 32 lanes of it is made. */
struct dc_from {
	uint8_t kind; /* enum dc_source_kind */
	uint8_t want; /* 4 or 8: bytes of a lane */
	bool is_signed; /* extended so where the register has fewer */
	struct dc_loc loc;
	uint32_t host;
	_Alignas(64) uint64_t row[DC_ROW_WORDS]; /* IMM, HOST: the same in all lanes, want bytes each */
};

/* Values that are not those of simt/alu. */
enum dc_own { DC_OWN_NONE, DC_OWN_CORDIC, DC_OWN_TANH, DC_OWN_RSQRT32, DC_OWN_NEWTON32, DC_OWN_RSQRT64 };

enum dc_run { DC_RUN_NONE, DC_RUN_ALU, DC_RUN_MOVE, DC_RUN_LANE, DC_RUN_PRED, DC_RUN_MASK, DC_RUN_LOP3 };

struct dc_exec {
	uint8_t run; /* enum dc_run */
	uint8_t src_count, dst_bytes, have_bytes; /* the function's result; the register's, 0: none */
	uint8_t aux_kind, boolop;
	uint8_t own; /* enum dc_own */
	uint8_t function; /* CORDIC: enum dc_function */
	bool has_facts, is_exact, is_truncated, writes_carry, is_dst_signed;
	bool is_half_fma; /* the product of an fma that was done as two operations */
	bool is_gradual; /* its own denormals stay; see array/gradual.h */
	bool flushes_operands, flushes_result; /* denormals become zero, and are counted */
	uint32_t aux;
	simt_alu_fn fn;
	struct dc_use use;
	uint64_t base_cycles, fixed_cycles; /* with nothing saved; the same, but for conversions that are left out */
	struct dc_from from[DC_ALU_SRCS];
	struct dc_source pred; /* the predicate operand: kind NONE, PRED or IMM */
	struct dc_source pred2; /* second one of predicate logic */
};

/* The lines of the access that is being executed: a hash set, whose entries are those of gen. */
struct dc_line_set {
	struct dc_line_entry {
		uint64_t line;
		uint32_t gen, at; /* at: its number in the access */
	} *entries;
	uint32_t gen, mask, room; /* mask: of as many of room as this access may need */
};

struct dc_program {
	const struct dc_kernel *kernel;
	struct dc_exec_params params;
	uint32_t lanes, warps;
	struct dc_exec *slots; /* [word_count * DC_ARRAYS] */
	uint64_t *host_values; /* [host_count] */
	struct dc_exec *host_ops; /* [host_count] */
	simt_atomic_fn *atomics; /* [word_count] */
	struct dc_exec_counts counts;
	uint32_t again_rows; /* of the word that is being executed */
	struct dc_exact *exact; /* NULL: words alone */
	struct dc_line_set *lines;
	const struct simt_program *program; /* of the launch */
};

struct dc_block {
	const struct dc_program *program;
	uint32_t *regs;	 /* [array][register][lane] */
	uint32_t *preds; /* [predicate][warp]: a bit per lane */
	uint32_t *next_preds; /* written in this word: [predicate][warp], where dirty says so */
	uint16_t *dirty;
	uint32_t dirty_count;
	uint8_t *is_dirty;
	uint32_t *carry; /* [warp] */
	uint16_t *arrived; /* [warp of a CTA's begin][DC_BARRIERS]: threads */
	struct dc_warp warps[DC_WARPS_MAX];
	uint32_t launched[DC_WARPS_MAX];
	uint32_t warp_count;
	struct dc_segments segments;
	uint32_t word, index;
	uint64_t cycle; /* when the word begins */
	uint64_t launched_lanes;
	/* loops without progress */
	uint64_t rounds, idle_rounds, last_hash;
	uint64_t *lines; /* of the last access */
	uint32_t *line_bytes;
	uint32_t line_room;
	uint32_t last_line; /* where the last lane's access went */
};

static inline uint32_t *dc_reg_row(const struct dc_block *b, uint32_t array, uint32_t reg, uint32_t warp)
{
	return b->regs + ((uint64_t)(array * DC_REGS + reg) * b->program->lanes) + warp * DC_ROW_WORDS;
}

static inline uint32_t dc_pred_of(const struct dc_block *b, uint32_t pred, uint32_t warp)
{
	return b->preds[(uint64_t)pred * b->program->warps + warp];
}

/* A predicate's lanes as a source or guard says. */
static inline uint32_t dc_pred_source(const struct dc_block *b, const struct dc_source *s, uint32_t warp)
{
	if (s->kind == DC_SRC_IMM)
		return s->imm & 1 ? UINT32_MAX : 0;
	if (s->kind == DC_SRC_HOST)
		return b->program->host_values[s->host] & 1 ? UINT32_MAX : 0;
	return dc_pred_of(b, s->pred, warp) ^ (s->negate ? UINT32_MAX : 0);
}

static inline uint32_t dc_guard_mask(const struct dc_block *b, const struct dc_guard *g, uint32_t warp)
{
	if (g->pred == DC_NO_PRED)
		return b->launched[warp];
	return b->launched[warp] & (dc_pred_of(b, g->pred, warp) ^ (g->negate ? UINT32_MAX : 0));
}

/* A predicate written in this word: read only from the next one on. */
void dc_pred_write(struct dc_block *b, uint32_t pred, uint32_t warp, uint32_t mask, uint32_t value);
/* What operands that are left out point to: rows of zeros. */
extern const uint64_t dc_zero_row[DC_ROW_WORDS];
/* The lanes of a warp of a source, in tmp (64 bytes aligned, 8 bytes a lane) unless they lie there already. */
const void *dc_row_of(const struct dc_block *b, const struct dc_from *f, uint32_t warp, void *tmp);
/* The row's lanes of mask to a register: `bytes` of a lane in row, extended or cut to what the register has. */
void dc_row_put(struct dc_block *b, const struct dc_loc *to, uint32_t warp, const void *row, uint32_t bytes,
		bool is_signed, uint32_t mask);
/* One lane of a source. */
uint64_t dc_lane_of(const struct dc_block *b, const struct dc_source *s, uint32_t warp, uint32_t lane);
void dc_lane_put(struct dc_block *b, const struct dc_loc *to, uint32_t warp, uint32_t lane, uint64_t value);

/* The value of a special register in a warp's lane. */
uint64_t dc_special(const struct dc_block *b, const struct simt_launch *l, const struct ptx_operand *o, uint32_t warp,
		    uint32_t lane);

/* exact.c: the same operation bit by bit. Operands warp by warp, before the results overwrite them; then run, then
 * compare. */
struct dc_exact;
struct dc_exact *dc_exact_new(void);
void dc_exact_free(struct dc_exact *x);
/* truncates: the machine's rounding is truncation. */
bool dc_exact_knows(const struct dc_exec *e, const struct ptx_inst *i, bool truncates);
void dc_exact_take(struct dc_exact *x, const struct dc_exec *e, uint32_t warp, const void *const *src);
void dc_exact_run(struct dc_exact *x, const struct dc_program *p, const struct dc_block *b, const struct dc_slot *s,
		  const struct dc_exec *e);
void dc_exact_compare(const struct dc_exact *x, const struct dc_block *b, const struct dc_slot *s,
		      const struct dc_exec *e, uint64_t cycles);

/* decode.c */
/* An instruction with these sources, whose result goes to a register of have_bytes (0: none). False with a message. */
bool dc_decode(const struct dc_program *p, const struct ptx_inst *i, const struct dc_source *src, uint32_t src_count,
	       uint32_t have_bytes, enum simt_isa isa, struct dc_exec *e, struct base_diag_list *diag);
/* An access begins: it has no lines yet, and not more than so many of a lane. */
void dc_lines_begin(struct dc_block *b, uint32_t lines_per_lane);
/* values.c: one instruction on the lanes of mask of a warp, from rows of its sources: the result row is in tmp or,
 * where the instruction has a mask as its result, returned. */
uint32_t dc_value(const struct dc_exec *e, const void *const *src, uint32_t pred, uint32_t pred2, uint32_t *carry,
		  void *tmp, uint32_t mask, uint32_t *second);
void dc_from_fill(struct dc_from *f, uint64_t value);

/* box.c, memory.c: false on a fault */
bool dc_box_step(struct dc_program *p, struct dc_block *b, struct simt_launch *l, const struct dc_word *w,
		 struct dc_step *out);
bool dc_memory_step(struct dc_program *p, struct dc_block *b, struct simt_launch *l, const struct dc_word *w,
		    struct dc_access *out);
bool dc_spill_step(struct dc_program *p, struct dc_block *b, const struct dc_word *w, struct dc_access *out);
void dc_line_add(struct dc_block *b, struct dc_access *a, uint64_t address, uint32_t bytes);

bool dc_fault(struct simt_launch *l, const struct dc_block *b, const struct ptx_inst *i, uint32_t warp, uint32_t lane,
	      enum simt_fault_kind kind, const char *fmt, ...) __attribute__((format(printf, 7, 8)));

#endif
