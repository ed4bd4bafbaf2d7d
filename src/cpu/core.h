/* core.h - a core: its private caches, its loads and stores. */
#ifndef STRATA_CPU_CORE_H
#define STRATA_CPU_CORE_H

#include "cpu/bus.h"
#include "cpu/pages.h"

/* What its one instruction still has to do: from its present line on. */
struct cpu_core {
	struct cpu_common *c;
	struct cpu_bus *bus;
	struct cpu_pages *pages;
	uint32_t number; /* also as an agent */
	struct cpu_tags l1, l2;
	uint64_t address, end; /* of the access that waits */
	uint64_t last_page, last_frame;
	uint64_t stores, prefetches; /* under way */
	enum cpu_op op;
	bool is_fencing;
};

void cpu_core_init(struct cpu_core *k, struct cpu_common *c, struct cpu_bus *bus, struct cpu_pages *pages);
void cpu_core_free(struct cpu_core *k);
/* As cpu_access and cpu_fence. */
uint64_t cpu_core_access(struct cpu_core *k, uint64_t now_ps, uint64_t address, uint32_t size_bytes, enum cpu_op op);
uint64_t cpu_core_fence(struct cpu_core *k, uint64_t now_ps);
enum cpu_state cpu_core_state(const struct cpu_core *k, uint64_t line);
/* Its caches hold nothing; pages may be elsewhere. */
void cpu_core_cold(struct cpu_core *k);
void cpu_core_forget_page(struct cpu_core *k);

#endif
