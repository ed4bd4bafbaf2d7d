/* validate.h - what the two halves of the validator share. The check itself is dc_validate (dc/compile/compile.h). */
#ifndef STRATA_DC_VALIDATE_H
#define STRATA_DC_VALIDATE_H

#include <glib.h>

#include "dc/compile/compile.h"

/* A message about a word, to be freed by g_free. */
char *dc_wrong(uint32_t word, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Is it done by a slot or the C-Box, rather than by masks or the host? */
bool dc_is_in_words(const struct dc_kernel *k, const struct ptx_inst *i);
/* Forward dataflow over the words. */
char *dc_validate_flow(const struct dc_kernel *k);

/* ---- the state of the dataflow ---- */

enum { DC_EXIT = -1, DC_REG_PLACES = DC_ARRAYS * DC_REGS };

/* WHOLE; PART: only in lanes where the guard was true when it was written; OLD: only where it was false. */
enum held_kind { DC_HELD_NOTHING, DC_HELD_WHOLE, DC_HELD_PART, DC_HELD_OLD };

struct dc_held {
	uint32_t reg;
	uint32_t def;   /* instruction + 1 of this block that wrote it; 0: before the block */
	uint32_t guard; /* PART, OLD: PTX predicate * 2 + negate */
	uint8_t kind, half;
};

enum bit_kind { DC_BIT_UNKNOWN, DC_BIT_FALSE, DC_BIT_TRUE, DC_BIT_PRED };

/* What a row of predicates says in the lanes of a class: DC_BIT_PRED: the PTX predicate reg, inverted if negate. */
struct dc_bit {
	uint32_t reg, def;
	uint8_t kind;
	bool negate;
};

struct dc_lanes {
	int64_t block;        /* that they wait for; DC_EXIT */
	bool is_fresh;        /* have just left a block: the words that make masks for them are not done */
	struct dc_held *held; /* [places] */
	struct dc_bit *bits;  /* [pred_count] */
	uint8_t *known;       /* [reg_count]: PTX predicates: enum bit_kind FALSE, TRUE or UNKNOWN */
	uint64_t *defined;    /* bit set over registers: may have been written */
	/* [reg_count]: the block's last instruction + 1 that left a register what it was, for its guard is false in
	 * all of these lanes; 0: none did. */
	uint32_t *passed;
	/* [reg_count]: guard + 1: in the other lanes nothing has ever written the register; 0: that is not known. */
	uint32_t *only;
};

struct dc_state {
	GPtrArray *lanes; /* struct dc_lanes *, by block */
};

/* How many places, predicates and registers are followed. */
struct dc_sizes {
	uint32_t places, pred_count, reg_count;
};

struct dc_lanes *dc_lanes_new(const struct dc_sizes *f, int64_t block);
void dc_lanes_copy(const struct dc_sizes *f, struct dc_lanes *to, const struct dc_lanes *from);
void dc_lanes_free(void *lanes);
/* What a row says, where the value of its PTX predicate is known. */
uint8_t dc_lanes_bit(const struct dc_lanes *l, struct dc_bit b);
bool dc_lanes_defined(const struct dc_lanes *l, uint32_t reg);
/* to becomes what is known in both; true if that is less than before. */
bool dc_lanes_meet(const struct dc_sizes *f, struct dc_lanes *to, const struct dc_lanes *from);

struct dc_lanes *dc_state_find(const struct dc_state *s, int64_t block, bool is_fresh);
bool dc_state_join(const struct dc_sizes *f, struct dc_state *to, const struct dc_lanes *from);
bool dc_state_join_all(const struct dc_sizes *f, struct dc_state *to, const struct dc_state *from);
void dc_state_clear(struct dc_state *s);

#endif
