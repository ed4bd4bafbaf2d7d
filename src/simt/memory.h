/* memory.h - the simulated device's memory: allocations, bounds, and where they are.
 *
 * Device addresses are host addresses: the arena is one fixed-address mapping, so a device pointer can be dereferenced
 * by the simulator without translation, a managed pointer works on both sides, and registered host memory needs no
 * copy. The arena's base is a constant, hence device addresses are the same in every run.
 *
 * Generic addresses of shared and local memory lie in two windows far below the arena.
 */
#ifndef STRATA_SIMT_MEMORY_H
#define STRATA_SIMT_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#define SIMT_SHARED_WINDOW 0x0000000001000000ull /* generic address of a CTA's shared byte 0; 16 MiB long */
#define SIMT_LOCAL_WINDOW 0x0000000002000000ull	 /* generic address of a thread's local byte 0; 16 MiB long */
#define SIMT_WINDOW_BYTES 0x0000000001000000ull
/* Where in local memory the frames that a program is known to need begin; unused stack lies below. Above the largest
 * stack that a program can ask for. */
#define SIMT_LOCAL_BASE 0x0000000000100000ull
/* Device memory, and addresses that programs reserve, and map memory to, themselves. The thread sanitizer has nearly
 * all of the host's addresses for itself. */
#ifdef __SANITIZE_THREAD__
#define SIMT_ARENA_BASE 0x0000001000000000ull
#define SIMT_RESERVE_BASE 0x0000004000000000ull
#define SIMT_RESERVE_BYTES 0x0000002000000000ull
#else
#define SIMT_ARENA_BASE 0x0000200000000000ull
#define SIMT_RESERVE_BASE 0x0000300000000000ull
#define SIMT_RESERVE_BYTES 0x0000080000000000ull
#endif
#define SIMT_ARENA_ALIGN_BYTES 512u
#define SIMT_PROTECTION_BYTES (2ull << 20) /* pages by which GPUs protect their memory */

enum simt_alloc_kind {
	SIMT_ALLOC_DEVICE,
	SIMT_ALLOC_MANAGED,
	SIMT_ALLOC_HOST,       /* pinned host memory that we allocated (in the arena too, so its address is stable) */
	SIMT_ALLOC_REGISTERED, /* the user's own host memory */
	SIMT_ALLOC_MAPPED,     /* device memory mapped to reserved addresses */
	SIMT_ALLOC_MODULE,     /* module variables */
	SIMT_ALLOC_HEAP,       /* device-side malloc */
	SIMT_ALLOC_LOCAL,      /* backing of local memory: only the simulator's addresses */
	SIMT_ALLOC_PARAM,      /* a running kernel's parameter block; read-only */
};

struct simt_alloc {
	uint64_t addr, size_bytes;
	enum simt_alloc_kind kind;
	bool is_readonly;
	bool is_live; /* false: freed; kept for "use after free" messages until the range is reused */
	bool is_read_mostly; /* the program has declared that (simt_memory_declare_reading) */
	uint32_t ordinal; /* the user's allocations are numbered from 1 in the order of their making; 0: ours */
};

struct simt_memory;
struct simt_check; /* simt/check.h */

/* Reserves (not commits) capacity_bytes. NULL if the fixed range cannot be mapped (errno tells). */
struct simt_memory *simt_memory_new(uint64_t capacity_bytes);
void simt_memory_free(struct simt_memory *m);

/* Allocates size_bytes (>= 1), aligned to align_bytes (power of two, at least SIMT_ARENA_ALIGN_BYTES). First fit from
 * the lowest address: deterministic. LOCAL and PARAM blocks lie at the top, so launches do not move user memory. New
 * memory reads as zero in pages never used before and as left by the former owner otherwise, as on a real device.
 * Returns 0 if there is no room. */
uint64_t simt_memory_alloc(struct simt_memory *m, uint64_t size_bytes, uint64_t align_bytes, enum simt_alloc_kind kind);
/* Takes size_bytes of the device's capacity for memory that has no address yet; false if there are not so many. */
bool simt_memory_take(struct simt_memory *m, uint64_t size_bytes);
void simt_memory_give_back(struct simt_memory *m, uint64_t size_bytes);
/* Kernels may access [addr, addr + size_bytes), which lies among the reserved addresses and is mapped in the host. */
void simt_memory_map(struct simt_memory *m, uint64_t addr, uint64_t size_bytes, bool is_readonly);
/* Frees the allocation that starts at addr; false if there is none. Pages are given back to the host. */
bool simt_memory_release(struct simt_memory *m, uint64_t addr);
/* The user's own range becomes accessible to kernels; false if it overlaps a registered one. */
bool simt_memory_register(struct simt_memory *m, uint64_t addr, uint64_t size_bytes);

/* The live allocation that contains [addr, addr + size_bytes), or NULL. Valid until the next alloc or release. */
const struct simt_alloc *simt_memory_find(const struct simt_memory *m, uint64_t addr, uint64_t size_bytes);
/* Is all of [addr, addr + size_bytes) in pages (SIMT_PROTECTION_BYTES) that hold device memory of the user's, though
 * not in one allocation, and in nothing that is the simulator's or the host's? Hardware lets kernels access it. */
bool simt_memory_shares_page(const struct simt_memory *m, uint64_t addr, uint64_t size_bytes);
/* Kernels may do so here, too, from now on. */
void simt_memory_tolerate_pages(struct simt_memory *m); /* before the first allocation */
bool simt_memory_tolerates_pages(const struct simt_memory *m);
/* The live or freed allocation nearest to addr, for messages; NULL if there is none at all. */
const struct simt_alloc *simt_memory_nearest(const struct simt_memory *m, uint64_t addr);

/* Is there host memory (pinned or registered) that kernels could reach, and is addr in it? */
bool simt_memory_has_host(const struct simt_memory *m);
bool simt_memory_is_host(const struct simt_memory *m, uint64_t addr);

/* The allocation that has addr is, or is not, declared to be read far more often than written. */
void simt_memory_declare_reading(struct simt_memory *m, uint64_t addr, bool is_read_mostly);
/* The ordinal of the user's allocation that was made last; 0: none was. */
uint32_t simt_memory_last_ordinal(const struct simt_memory *m);
/* The list of what the program has declared of it (simt/memory_declared.h). */
struct simt_declared *simt_memory_declared(struct simt_memory *m);

/* Calls it before memory comes or goes that is no launch's own, and at simt_memory_touch: somebody but a kernel is
 * about to look at memory, or to change it. NULL: no more. */
void simt_memory_watch(struct simt_memory *m, void (*touched)(void *ctx), void *ctx);
void simt_memory_touch(struct simt_memory *m);

/* With a checker, the user's allocations keep a distance and freed ranges are not used again while there is room. */
void simt_memory_attach_check(struct simt_memory *m, struct simt_check *c);
struct simt_check *simt_memory_check(const struct simt_memory *m); /* NULL: none */
/* Entry i of the table of live and freed allocations by ascending address, NULL past its end. */
const struct simt_alloc *simt_memory_entry(const struct simt_memory *m, uint32_t i);
/* Appends "N bytes past the end of the nearest allocation, ..." to a message of at most size_bytes. */
void simt_memory_describe(const struct simt_memory *m, uint64_t addr, char *text, uint32_t size_bytes);
/* Describes an access, with the switch by which pages decide, as on hardware, where they would let it pass. */
void simt_memory_describe_access(const struct simt_memory *m, uint64_t addr, uint32_t bytes, char *text,
				 uint32_t size_bytes);

uint64_t simt_memory_capacity_bytes(const struct simt_memory *m);
uint64_t simt_memory_used_bytes(const struct simt_memory *m); /* device, managed, module, heap */

#endif
