/* account.h - what the cycles of a core's functional units went to, by instruction of its program.
 *
 * In each cycle a multiply-add begins in all units of a core, or none, for a reason: an operand is still in the
 * pipeline; the controller has no vector instruction ready; it waits for another core, or for what arrives; for its
 * memory unit, which takes what is before; or for a line. Waiting for a line is laid over the way of the last block of
 * the line that ended it. Waits of the controller while the units have work are nobody's.
 *
 * A multiply-add and what it waited for are of its instruction, what the controller waits for of the one that waits.
 */
#ifndef STRATA_CSP_ACCOUNT_H
#define STRATA_CSP_ACCOUNT_H

#include <stdint.h>

#include "account/account.h"

struct csp_core;
struct csp_machine;
struct mem_req;

#define CSP_PARTS(X)                                                                                      \
	X(CSP_PART_BEGUN, multiply_add, WORK, "a multiply-add begins")                                    \
	X(CSP_PART_OPERAND, operand, OWN, "an operand is still in the pipeline")                          \
	X(CSP_PART_CONTROL, control, OWN, "the controller has no vector instruction ready")               \
	X(CSP_PART_SIGNAL, signal, OTHERS, "the controller waits for another core, or for arrivals")      \
	X(CSP_PART_UNIT, memory_unit, MEMORY, "the memory unit takes lines that are before")              \
	X(CSP_PART_TX, link_tx, MEMORY, "link to the stack, with the wait for it")                        \
	X(CSP_PART_QUEUE, queue, MEMORY, "at the stack, until its bank's first command for the line")     \
	X(CSP_PART_BANK, bank, MEMORY, "bank: precharge, activate, column access")                        \
	X(CSP_PART_TSV, tsv, MEMORY, "data over the TSVs, memory controller")                             \
	X(CSP_PART_RX, link_rx, MEMORY, "link from the stack, with the wait for it")                      \
	X(CSP_PART_OVER, over, IDLE, "the core's program has ended, or its last stores are on their way")

enum csp_part { CSP_PARTS(ACCOUNT_ENUMERATOR) CSP_PART_COUNT };
extern const struct account_parts csp_account_parts;

enum csp_wait { CSP_WAITS_NOT, CSP_WAITS_FOR_SIGNAL, CSP_WAITS_FOR_LINE, CSP_WAITS_FOR_UNIT };

/* The account of a core. */
struct csp_account {
	uint64_t (*cells)[CSP_PART_COUNT]; /* cycles, by instruction */
	enum csp_wait wait;	/* the controller waits, for what it found missing last */
	uint64_t wait_from;	/* since this cycle */
	uint64_t gap_cycles;	/* charged since the last multiply-add */
	/* The last line that came: the cycles in which its last block left each stage, and that in which it came. */
	uint64_t left_cycles[CSP_PART_COUNT], came_cycle;
};

/* The machine's instructions are there. */
void csp_account_init(struct csp_core *c);
void csp_account_release(struct csp_core *c);

/* The instruction at pc cannot go on, in or after this cycle. */
void csp_account_wait(struct csp_core *c, enum csp_wait wait, uint64_t cycle);
/* It goes on in this cycle. */
void csp_account_go_on(struct csp_core *c, uint64_t cycle);
/* Multiply-adds of the instruction at pc may begin at `at`, as far as the controller is concerned: before fu_free_cycle
 * is moved. */
void csp_account_begin(struct csp_core *c, uint64_t at);
/* So many begin, after so many cycles of waiting for operands. */
void csp_account_vector(struct csp_core *c, uint64_t begun_cycles, uint64_t operand_cycles);
/* The last block of a line has come, in this cycle. */
void csp_account_line(struct csp_core *c, struct mem_req *r, uint64_t cycle);

/* All cores have ended, the last one in this cycle. All cycles are somewhere: CHECKed. */
void csp_account_end(struct csp_machine *m, uint64_t cycles);

#endif
