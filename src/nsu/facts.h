/* facts.h - what is known about the instructions of one function before blocks are chosen. Not for other folders. */
#ifndef STRATA_NSU_FACTS_H
#define STRATA_NSU_FACTS_H

#include "nsu/code.h"

#define NSU_NO_INST UINT32_MAX
#define NSU_NO_ORIGIN UINT16_MAX

enum nsu_class {
	NSU_CLASS_FORBIDDEN, /* in no block */
	NSU_CLASS_GPU,       /* in a block, but only the GPU can execute it */
	NSU_CLASS_ALU,       /* arithmetic that both sides can execute */
	NSU_CLASS_CONST,     /* load of a parameter or constant at a fixed address; both sides can execute it */
	NSU_CLASS_LOAD,
	NSU_CLASS_STORE,
};

enum nsu_use {
	NSU_USE_VALUE,   /* an operand */
	NSU_USE_GUARD,   /* decides whether the instruction executes */
	NSU_USE_OLD,     /* the destination's old value, which stays where the guard is false */
	NSU_USE_ADDRESS, /* of a load or store */
};

struct nsu_read {
	uint32_t reg;
	uint32_t def; /* the last instruction of the same basic block before this one that writes reg, or NSU_NO_INST */
	uint8_t use;  /* enum nsu_use */
};

struct nsu_facts {
	const struct ptx_cfg *cfg;
	const struct ptx_func *func;
	uint8_t *class_of;        /* [inst_count], enum nsu_class */
	struct ptx_reg_use *uses; /* [inst_count] */
	struct nsu_read *reads;
	uint32_t *first_read;  /* [inst_count + 1]: reads of instruction k are first_read[k] up to first_read[k + 1] */
	uint64_t *live_before; /* [inst_count][live_words] */
	bool *is_indirect;     /* [inst_count]: a LOAD whose address derives from a loaded value */
	uint16_t *origin;      /* [inst_count]: of a LOAD or STORE, see nsu/origin.h */
};

struct nsu_facts *nsu_facts_new(const struct ptx_cfg *cfg, const struct nsu_code_params *p);
void nsu_facts_free(struct nsu_facts *f);

/* Registers live after instruction k, as a bitset of cfg->live_words. */
const uint64_t *nsu_live_after(const struct nsu_facts *f, uint32_t k);

/* Loads a parameter or constant variable at an address known before the launch, all of it inside. */
bool nsu_is_fixed(const struct ptx_inst *i);

/* Bytes that a load or store moves per thread. */
uint32_t nsu_access_bytes(const struct ptx_inst *i);
/* Buffer entries that it needs, of one 32-bit word per thread. */
uint32_t nsu_access_entries(const struct ptx_inst *i);
/* Size of a register in packets: 32 bits for a word, 64, or 1 for a predicate. */
uint32_t nsu_reg_bits(const struct ptx_func *f, uint32_t reg);

/* Address of a LOAD or STORE as root + offset. Two addresses with the same root register and definition differ by
 * their offsets in every thread. */
struct nsu_address {
	uint32_t reg, def; /* reg UINT32_MAX: none, the variable var */
	const struct ptx_var *var;
	int64_t offset;
};
struct nsu_address nsu_address_of(const struct nsu_facts *f, uint32_t k);

#endif
