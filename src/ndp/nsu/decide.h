/* decide.h - which instances of which blocks are offloaded (NSU, SC'17, sections 6 and 7), with what was decided when.
 *
 * A decider belongs to one machine. Kernels are known by name: what has been learned about a kernel's blocks stays from
 * launch to launch. Epochs count cycles in kernels and go on from one kernel to the next.
 */
#ifndef STRATA_NDP_NSU_DECIDE_H
#define STRATA_NDP_NSU_DECIDE_H

#include "base/diag.h"
#include "ndp/blocks/timed.h"
#include "ndp/blocks/window.h"
#include "ndp/registry.h"
#include "ndp/carry/carry.h"
#include "nsu/code.h"

struct nsu_decider;

/* NULL with a message when the settings contradict each other. What the site points to is kept. */
struct nsu_decider *nsu_decider_new(const struct ndp_site *site, struct base_diag_list *diag);
void nsu_decider_free(struct nsu_decider *d);
extern const struct sim_stat_table nsu_control_stat_table;
void nsu_decider_add_stats(struct nsu_decider *d, struct sim_stats *stats);

/* cycle: SM cycles in kernels so far, at the kernel's begin and at its end. */
void nsu_decider_kernel_begin(struct nsu_decider *d, const char *kernel, const struct nsu_code *code, uint64_t cycle,
			      uint64_t now_ps);
void nsu_decider_kernel_end(struct nsu_decider *d, uint64_t cycle);

/* ndp.timed: what is known of the block's times, for who times its instances; NULL: they do not count. */
struct ndp_timed *nsu_decider_timed(struct nsu_decider *d, uint32_t block);
/* ndp.away = auto: the block's window. */
struct ndp_window *nsu_decider_window(struct nsu_decider *d, uint32_t block);
/* What instances of the block that came back show: do its reads miss in the GPU's caches? True if nothing is known. */
bool nsu_decider_saves(const struct nsu_decider *d, uint32_t block);
/* A warp stands at the begin of a block of the running kernel; scene: for ndp.away = auto, else NULL. False: *why it
 * stays. */
bool nsu_decider_offload(struct nsu_decider *d, uint32_t block, const struct ndp_scene *scene, const char **why);
/* An instance that was offloaded has ended: its reads, and those that the GPU's caches answered. */
void nsu_decider_ended(struct nsu_decider *d, uint32_t block, uint32_t read_count, uint32_t hit_count);
/* carry_policy.learns */
bool nsu_decider_learns(const struct nsu_decider *d);
/* carry_policy.epoch: in the kernel's cycle; returns when to ask again, 0: never. */
uint64_t nsu_decider_epoch(struct nsu_decider *d, uint64_t kernel_cycle);

/* carry_policy.series: one value per epoch each; "benefit" has a series per block that has been judged. */
uint32_t nsu_decider_series(struct nsu_decider *d, struct gpu_series *items, uint32_t cap);

#endif
