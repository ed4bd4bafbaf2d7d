/* priv.h - what the passes of the compiler share. Not for other folders.
 *
 * A pass makes another PTX function, instruction by instruction (rewrite.c): labels in what it emits are indexes into
 * the old function, and are fixed at the end. Or it finds something out about the function (enum dcc_known). Which
 * passes there are, what each needs to know and what it leaves stale is in passes.def; compile.c runs them and sees to
 * it.
 */
#ifndef STRATA_DC_COMPILE_PRIV_H
#define STRATA_DC_COMPILE_PRIV_H

#include <glib.h>

#include "base/check.h"
#include "dc/compile/compile.h"
#include "ptx/arena.h"

/* What is known of the function, a bit each. A pass that makes another function leaves all of it stale. */
enum dcc_known {
	DCC_GRAPH = 1 << 0,  /* kernel->cfg */
	DCC_HOSTS = 1 << 1,  /* kernel->hosts, host_of, is_host */
	DCC_KEPT = 1 << 2,   /* kernel->is_kept */
	DCC_LINEAR = 1 << 3, /* linear */
	DCC_PREDS = 1 << 4,  /* phys, kernel->pred_count */
	DCC_HOMES = 1 << 5,  /* homes; kernel->spill_slots is theirs */
	DCC_WORDS = 1 << 6,  /* kernel->words */
	DCC_ALL = (1 << 7) - 1,
};

/* ---- linear code: linear.c ---- */

enum dcc_step_kind { DCC_OP, DCC_MASK, DCC_SKIP, DCC_LABEL, DCC_LOOP, DCC_JUMP };

/* A predicate of linear code: a PTX register of type pred (its number), or a mask (func->reg_count and up). */
struct dcc_guard {
	uint32_t pred; /* UINT32_MAX: none */
	bool negate;
};

struct dcc_step {
	uint8_t kind; /* enum dcc_step_kind */
	uint8_t mask_op;
	bool is_edge;
	uint32_t block;
	uint32_t inst;                /* OP: of func */
	struct dcc_guard guard;       /* OP: block mask and the instruction's guard as one */
	uint32_t pred;                /* MASK: written; SKIP, JUMP: asked */
	struct dc_source mask_src[2]; /* MASK: PRED (host holds the predicate) or IMM */
	uint32_t label;               /* SKIP: to LABEL; LABEL; LOOP and JUMP: the loop */
};

/* A block in linear order: steps [first, edge) compute, [edge, end) make the successors' masks. */
struct dcc_range {
	uint32_t block, first, edge, end;
};

struct dcc_linear {
	GArray *steps;       /* struct dcc_step; NULL: there is none */
	GArray *ranges;      /* struct dcc_range */
	uint32_t pred_count; /* PTX registers and masks */
	uint32_t label_count;
	uint32_t comes;         /* predicate of lanes that may still come to a barrier; UINT32_MAX: all do */
	struct dcc_guard *mask; /* [block_count]: of the block */
};

/* ---- what the passes share ---- */

struct dcc {
	const struct ptx_func *entry;
	const struct dc_options *o;
	struct base_diag_list *diag;
	bool failed;
	/* Why a try to place and schedule went no further, where it failed without a message. NULL: none did. */
	const char *stuck;
	const struct ptx_inst *stuck_at;
	struct dc_kernel *kernel;
	struct ptx_arena *arena;   /* the kernel's: instructions, operands, registers */
	struct ptx_func *func;     /* as the passes so far made it */
	GArray *insts;             /* struct ptx_inst: being emitted */
	uint32_t *map;             /* [old inst_count + 1]: index of what was emitted for it first */
	const struct ptx_inst *at; /* the old instruction: emitted ones have its line, text and guard */
	uint32_t reg_cap;
	uint32_t carry_reg; /* what add.cc leaves: 0 or 1; UINT32_MAX: none yet */
	uint32_t known;     /* enum dcc_known: of func as it is */
	uint32_t is;        /* enum dc_func_is: what the passes so far have made of it */
	struct dcc_linear linear;
	uint16_t *phys; /* [linear.pred_count] */
	struct dcc_home *homes;
	uint32_t others_free; /* registers that blocks have for themselves in each array but the first */
	uint8_t *depends;     /* dc_depends_of the function with these instructions; NULL: unasked */
	const struct ptx_inst *depends_of;
};

/* Refuses the kernel: the first message is kept. */
void dcc_refuse(struct dcc *c, const struct ptx_inst *i, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

void dcc_rewrite_begin(struct dcc *c);
void dcc_rewrite_at(struct dcc *c, uint32_t old_index); /* what follows replaces this instruction */
void dcc_rewrite_end(struct dcc *c);
/* The function as it was before: nothing was changed. */
void dcc_rewrite_undo(struct dcc *c, const struct ptx_func *before);
uint32_t dcc_reg_new(struct dcc *c, enum ptx_type type);
struct ptx_inst *dcc_emit(struct dcc *c, const struct ptx_inst *i); /* a copy, valid until the next one */
/* Lanes that the instruction's guard leaves out go on at the label. */
void dcc_branch_around(struct dcc *c, const struct ptx_inst *i, uint32_t label);

struct ptx_operand dcc_reg(uint32_t reg);
struct ptx_operand dcc_imm(uint64_t value, enum ptx_type type);
/* op.type d, a, b, c with the guard of c->at; operands of kind NONE are left out. */
struct ptx_inst *dcc_op(struct dcc *c, enum ptx_op op, enum ptx_type type, struct ptx_operand d, struct ptx_operand a,
			struct ptx_operand b, struct ptx_operand e);
/* These put what those do into a new register, without the guard: a value that only this lowering reads. */
struct ptx_operand dcc_temp(struct dcc *c, enum ptx_op op, enum ptx_type type, struct ptx_operand a,
			    struct ptx_operand b);
struct ptx_operand dcc_temp_cvt(struct dcc *c, enum ptx_type to, enum ptx_type from, struct ptx_operand a);
struct ptx_operand dcc_temp_setp(struct dcc *c, enum ptx_cmp cmp, enum ptx_type type, struct ptx_operand a,
				 struct ptx_operand b);
struct ptx_operand dcc_temp_selp(struct dcc *c, enum ptx_type type, struct ptx_operand a, struct ptx_operand b,
				 struct ptx_operand p);
void dcc_mov(struct dcc *c, enum ptx_type type, struct ptx_operand d, struct ptx_operand a);

/* ---- passes: passes.def ---- */

void dcc_lower(struct dcc *c);                                /* lower.c: only what the arrays and the C-Box do */
bool dcc_lower_bits(struct dcc *c, const struct ptx_inst *i); /* lower_bits.c: bit fields, counts, permutes, carries */
/* texture.c: a fetch from an object that is known, in the function as it is written, becomes a load. */
bool dcc_lower_texture(struct dcc *c, const struct ptx_inst *i);
/* duality.fma=separate: replaced by a product and a sum; false: it stays. */
bool dcc_split_fma(struct dcc *c, const struct ptx_inst *i);
void dcc_inline(struct dcc *c);                               /* inline.c: one function without calls */
void dcc_split(struct dcc *c);                                /* split.c: loops with one entry each */
void dcc_clean(struct dcc *c);                                /* clean.c: no copies, nothing unread */
void dcc_unroll(struct dcc *c);                               /* unroll.c: one loop, an inner one first */
void dcc_webs(struct dcc *c);                                 /* webs.c: a register for each value */
void dcc_balance(struct dcc *c);                              /* balance.c */
void dcc_host(struct dcc *c);                                 /* host.c: fills kernel->hosts, host_of, is_host */

void dcc_keep(struct dcc *c); /* keep.c: fills kernel->is_kept */
/* convert.c: conversions of their own, where additions save more than these take; kernel->is_kept is of the function
 * then. */
void dcc_convert(struct dcc *c);
void dcc_keep_count(struct dcc *c);
/* An addition that array/serial_float.c or serial_fma.c does: rounded to nearest. */
bool dcc_inst_is_addition(const struct dcc *c, const struct ptx_inst *i);
/* Its operand k may lie in two's complement. */
bool dcc_inst_takes_kept(const struct dcc *c, const struct ptx_inst *i, uint32_t k);
bool dcc_inst_is_same_either_way(const struct dcc *c, const struct ptx_inst *i); /* a constant that is */

/* ---- behind these: rows, registers, words ---- */

void dcc_linear_build(struct dcc *c, struct dcc_linear *l);
void dcc_linear_free(struct dcc_linear *l);

/* Physical predicate of each predicate of linear code: phys[l->pred_count]; kernel->pred_count. preds.c */
uint16_t *dcc_preds(struct dcc *c, const struct dcc_linear *l);

/* Where registers live across blocks: homes.c */
struct dcc_home {
	bool is_global;    /* read or written in more than one block */
	bool is_spilled;   /* home is spill slot `spill` */
	struct dc_loc loc; /* else */
	uint32_t spill;
	uint32_t first, last; /* ranges in which the home is taken */
	bool ends_with_read; /* the last range only reads it, and no loop goes round with it */
};
/* others_free: registers that blocks have for themselves in each array but the first. */
struct dcc_home *dcc_homes(struct dcc *c, const struct dcc_linear *l, uint32_t reg_limit, uint32_t others_free);

/* Values without home that are cheap are computed again where they are read: remat.c. */
void dcc_remat(struct dcc *c);

/* Addresses in two parts: address.c. */
void dcc_addresses(struct dcc *c);
/* The last source is the base of such an address, the first the offset. */
bool dcc_inst_has_base(const struct ptx_func *f, const struct ptx_inst *i);

/* Words: schedule.c */
void dcc_schedule(struct dcc *c, const struct dcc_linear *l, const uint16_t *phys, struct dcc_home *homes,
		  uint32_t reg_limit);
uint32_t dcc_word_cycles(const struct dc_word *w); /* expected */

/* ---- facts: facts.c ---- */

uint32_t dcc_inst_cycles(const struct dc_kernel *k, const struct ptx_inst *i); /* expected, of a slot */
/* price.c: of the C-Box. The order of words goes by a latency that is the same everywhere: an access that takes longer
 * need not begin earlier, for nothing overlaps it but what is in its word. */
uint32_t dcc_box_latency(const struct ptx_inst *i);
uint32_t dcc_box_cycles(struct dcc *c, const struct ptx_inst *i);
uint32_t dcc_spill_cycles(const struct dcc *c);			   /* of one register */
uint32_t dcc_inst_scratch_rows(const struct dc_kernel *k, const struct ptx_inst *i);
uint32_t dcc_inst_bits(const struct ptx_inst *i);
/* What the C-Box does for the instruction, if it is the C-Box's at all (dcc_inst_is_box). */
enum dc_box_kind dcc_box_kind(const struct ptx_inst *i);
bool dcc_inst_is_box(const struct ptx_inst *i);
bool dcc_inst_is_barrier(const struct ptx_inst *i);
/* ld.param of what is in the block, a variable's address, the grid's dimensions: known to the host without computing.
 */
bool dcc_inst_is_given(const struct dcc *c, const struct ptx_inst *i);
bool dcc_inst_is_control(const struct ptx_inst *i); /* bra, ret, exit: in no word */
/* Registers (0, 1 or 2) that a value of the PTX register takes; 0: predicates. */
uint32_t dcc_reg_slots(const struct ptx_func *f, uint32_t reg);

#endif
