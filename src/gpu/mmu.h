/* mmu.h - private to gpu/: an SM's address translation, as TOM (ISCA'16) section 4.4.1 gives stack SMs: a TLB, and an
 * MMU that walks the page tables in memory.
 *
 * Virtual and physical addresses are the same number; what is modelled is when the translation is there. The tables are
 * radix trees of 4 KB nodes with 8-byte entries under 48-bit addresses. Their nodes lie in memory like everything else,
 * so the machine's address map decides the stack of each, and a walk's reads are requests of kind MEM_KIND_TABLE on
 * the SM's usual way. Tables never change while a kernel runs.
 *
 * A line that misses waits here, and lines behind it go on; lines of one page keep their order.
 */
#ifndef STRATA_GPU_MMU_H
#define STRATA_GPU_MMU_H

#include <stdbool.h>
#include <stdint.h>

struct lsu_entry;
struct mem_req;
struct mmu;
struct sm;

enum mmu_result {
	MMU_HIT,
	MMU_WAITS, /* a copy of the line waits here */
	MMU_FULL,  /* no place to wait: sm->lsu_waits_walk is set */
};

/* NULL when mmu.where leaves the SM out. */
struct mmu *mmu_new(struct sm *sm);
void mmu_free(struct mmu *m);
/* Translates line e->next. */
enum mmu_result mmu_translate(struct mmu *m, const struct lsu_entry *e);
/* The oldest line whose walk has ended, as an entry of this one line; to be called when sm->lsu_ready_count > 0. */
struct lsu_entry *mmu_ready(struct mmu *m);
/* That line has gone. */
void mmu_ready_done(struct mmu *m);
/* A page-table read's answer. */
extern const struct net_port_ops mmu_port_ops;
bool mmu_is_idle(const struct mmu *m);
/* All translations are void (page tables have changed). */
void mmu_forget(struct mmu *m);
/* After an aborted launch. */
void mmu_reset(struct mmu *m);

/* Tables that a walk reads without page-walk cache. */
uint32_t mmu_level_count(uint64_t page_bytes);

#endif
