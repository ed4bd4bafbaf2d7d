/* profile.h - what kernels do, from one run without timing (run.profile): reuse, intensity, divergence, and what the
 * blocks of TOM and of NSU would ship and touch, and what arrays of a cache would do. For strata advise.
 *
 * Reuse is that of caches of the machine's sizes, LRU, a line at a time. Without timing CTAs come one after the other:
 * the L1 of each has the share that it would have with as many CTAs as fit an SM.
 */
#ifndef STRATA_NDP_PROFILE_H
#define STRATA_NDP_PROFILE_H

#include "gpu/config.h"
#include "gpu/gpu.h"
#include "ndp/lockstep.h"

/* What a mechanism's blocks do, of those entered by warps; bytes of registers with all active lanes. */
#define NDP_PROFILE_BLOCK(X)                                                                           \
	X(entries, "entries of warps into blocks")                                                     \
	X(warp_instructions, "instructions of warps in them")                                          \
	X(in_bytes, "registers to there")                                                              \
	X(out_bytes, "registers back")                                                                 \
	X(accesses, "accesses of warps to memory")                                                     \
	X(load_lines, "lines that they read")                                                          \
	X(l1_hits, "of them, in the SM's L1")                                                          \
	X(l2_hits, "of the rest, in the L2")                                                           \
	X(store_lines, "lines that they write")                                                        \
	X(store_bytes, "bytes of these")                                                               \
	X(near_lines, "lines, read and written, in the stack of the first one of their entry")

#define NDP_PROFILE_KERNEL(X)                                                 \
	X(launches, "launches")                                               \
	X(ctas, "CTAs of all launches")                                       \
	X(warps, "warps of all launches")                                     \
	X(resident_warps, "warps that fit an SM")                             \
	X(warp_instructions, "instructions of warps")                         \
	X(thread_instructions, "instructions of threads")                     \
	X(accesses, "accesses of warps to global and local memory")           \
	X(load_lines, "lines read")                                           \
	X(l1_hits, "of them, in the SM's L1")                                 \
	X(l2_hits, "of the rest, in the L2")                                  \
	X(store_lines, "lines written")                                       \
	X(store_bytes, "bytes of these")                                      \
	X(shared_accesses, "accesses of warps to shared memory")              \
	X(barriers, "warps at barriers")                                      \
	X(near_lines, "lines, read and written, in the stack of their warp's first one") \
	X(context_bytes, "registers and shared memory of all CTAs")

struct ndp_profile_block {
#define X(name, what) uint64_t name;
	NDP_PROFILE_BLOCK(X)
#undef X
};

struct ndp_profile_kernel {
	char *name;
#define X(name, what) uint64_t name;
	NDP_PROFILE_KERNEL(X)
#undef X
	struct ndp_profile_block tom, nsu;
	struct ndp_lockstep_counts arrays;
};

struct ndp_profile;

/* Lines lie where gpu, of this config, would have them. Both are borrowed. */
struct ndp_profile *ndp_profile_new(struct gpu *gpu, const struct gpu_config *config);
void ndp_profile_free(struct ndp_profile *p);
/* For gpu_observe. */
struct gpu_observer ndp_profile_observer(struct ndp_profile *p);
/* In the order in which they ran first; NULL: there are no more. */
const struct ndp_profile_kernel *ndp_profile_kernel(const struct ndp_profile *p, uint32_t i);

#endif
