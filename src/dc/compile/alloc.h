/* alloc.h - registers inside a block: who is where, and words that move values. For schedule.c. */
#ifndef STRATA_DC_COMPILE_ALLOC_H
#define STRATA_DC_COMPILE_ALLOC_H

#include "dc/compile/priv.h"

/* LOCAL: the only place of a value of the block, which is written once. COPY: it is elsewhere too. PENDING: a result on
 * its way to its home. */
enum dcc_what { DCC_FREE, DCC_HOMED, DCC_LOCAL, DCC_COPY, DCC_PENDING };

struct dcc_file {
	uint32_t owner[DC_REGS]; /* PTX register */
	uint8_t what[DC_REGS];   /* enum dcc_what */
	uint32_t lock[DC_REGS];  /* stamp of who needs it now */
};

/* A PTX register inside the block. */
struct dcc_val {
	struct dc_loc at[DC_ARRAYS];
	uint8_t in;        /* arrays that hold its value */
	bool has_slot;     /* spill slot `slot` belongs to it */
	bool slot_valid;   /* and holds its value */
	bool is_slot_home; /* writes go to the slot */
	uint8_t home;      /* array of its home, DC_ARRAYS: none yet */
	uint32_t slot;
	uint32_t uses_left; /* in the block */
	bool is_global;
};

/* What must follow a result that was not written to its home. */
struct dcc_pending {
	uint32_t reg;
	struct dc_loc from;
	struct dcc_guard guard;
	bool is_partial; /* the instruction has a guard of its own: only the home is whole */
};

struct dcc_alloc {
	struct dcc *c;
	const uint16_t *phys;
	const struct dcc_home *homes;
	uint32_t limit, loose_rows; /* registers of an array; rows above them without those of predicates */
	struct dcc_file file[DC_ARRAYS];
	struct dcc_val *val; /* [reg_count] */
	GArray *words;       /* struct dc_word */
	GArray *pending;     /* struct dcc_pending */
	uint32_t stamp;
	uint32_t block;
	uint16_t comes;                          /* see struct dc_box */
	struct dcc_guard mask;                   /* of the block */
	uint32_t slot_base, slot_next, slot_max; /* spill slots of values of the block */
	const uint32_t *next_use;                /* [reg_count]: how soon the register is read, larger is later */
	uint32_t reserve;  /* registers that operations which need not come yet leave; 0: the order does not ask */
	const char *stuck; /* NULL, or why an operation found no place, static */
	const struct ptx_inst *stuck_at;
};

struct dc_guard dcc_phys_guard(const struct dcc_alloc *s, struct dcc_guard g);
struct dc_word *dcc_word_new(struct dcc_alloc *s, bool is_edge); /* index words->len - 1 */

void dcc_alloc_block(struct dcc_alloc *s, uint32_t range);
/* Registers of array a for `slots`; evicts copies, and with may_spill writes values to memory, in words of their own
 * before the one that is filled next. False: none. */
bool dcc_alloc_regs(struct dcc_alloc *s, uint32_t a, uint32_t slots, uint32_t reg, enum dcc_what what, bool may_spill,
		    struct dc_loc *out);
void dcc_alloc_release(struct dcc_alloc *s, uint32_t reg, uint32_t a);
void dcc_alloc_drop_copies(struct dcc_alloc *s, uint32_t reg, uint32_t but); /* but: array, DC_ARRAYS: all */
uint32_t dcc_alloc_free_count(const struct dcc_alloc *s, uint32_t a);
/* Registers of all arrays that are free or hold copies. */
uint32_t dcc_alloc_spare(const struct dcc_alloc *s);
/* Free registers after evicting and spilling all that is not locked. */
uint32_t dcc_alloc_room(const struct dcc_alloc *s, uint32_t a);
void dcc_alloc_lock(struct dcc_alloc *s, uint32_t reg, uint32_t a);
/* The value of reg into array a, in word `word` (the newest); false: it has no room, or nothing holds the value. */
bool dcc_alloc_bring(struct dcc_alloc *s, uint32_t reg, uint32_t a, uint32_t word, bool may_spill);
/* Puts as many pending writes as fit into the word; all: puts them in words of their own, until none is left. */
uint32_t dcc_alloc_flush(struct dcc_alloc *s, uint32_t word);
void dcc_alloc_flush_all(struct dcc_alloc *s);

#endif
