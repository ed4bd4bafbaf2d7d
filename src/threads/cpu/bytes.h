/* bytes.h - which bytes an access of the program uses: those of the copy that its cache has (values/values.h). */
#ifndef STRATA_THREADS_CPU_BYTES_H
#define STRATA_THREADS_CPU_BYTES_H

#include "channel/channel.h"

struct bytes;

/* Of the processors, whose user calls bytes_observe and bytes_moved, with cpu.values=bytes bytes_make as well, and of
 * the NDPs beside them (NULL: none), whose observer calls bytes_see and bytes_moved_near. */
struct bytes *bytes_new(struct cpu_system *cpu, const struct cpu_params *p, const struct channel_params *near);
void bytes_free(struct bytes *b);

/* The unit's access begins. host: where the program has the bytes of the address. */
void bytes_begin(struct bytes *b, uint32_t unit, uint64_t address, void *host, uint32_t size, enum cpu_op op);
/* The processors have taken it on; is_waiting: its instruction has not been executed when they answer. */
void bytes_taken(struct bytes *b, uint32_t unit, bool is_waiting);
/* Its instruction can go on: the bytes that it uses, until the unit's next access. */
void *bytes_of(struct bytes *b, uint32_t unit);

/* In place of the three above and of bytes_see, the bytes of a unit beside the memory for a load or store that its
 * cache answers at once, within its line. bytes_before_hit: before the cache is asked, which may then answer
 * otherwise. */
void bytes_before_hit(struct bytes *b, uint32_t unit, uint64_t address, void *host, uint32_t size, bool is_write);
void *bytes_hit(struct bytes *b, uint32_t unit, const struct channel_hit *hit, uint64_t address, void *host,
		uint32_t size, bool is_write);

void bytes_observe(struct bytes *b, uint32_t core, uint64_t line, bool is_write, cpu_version version);
void bytes_moved(struct bytes *b, uint64_t line, uint32_t core);
void bytes_see(struct bytes *b, uint32_t unit, uint64_t line, cpu_version quarters, bool is_write,
	       cpu_version version);
void bytes_moved_near(struct bytes *b, uint64_t line, cpu_version quarters, uint32_t unit);
/* See struct cpu_user. */
cpu_version bytes_make(struct bytes *b, uint64_t line, cpu_version version, cpu_version quarters);
/* One of the next of these is about the line: the host fetches what is kept of it. */
void bytes_ahead(const struct bytes *b, uint64_t line);
/* What the program has in its memory is what everybody has. */
void bytes_forget_all(struct bytes *b);
/* Before the range is unmapped. */
void bytes_unmap(struct bytes *b, uint64_t address, uint64_t size);
/* The unit wakes another one, or makes a thread: the system sees to it that all see its stores before. */
void bytes_tell(struct bytes *b, uint32_t unit);
/* Reads that got other bytes than the newest, ever, but for those of copies that were told of a store later. */
uint64_t bytes_stale(const struct bytes *b);
/* And those, ever. */
uint64_t bytes_before(const struct bytes *b);
/* The unit's load has got such. */
bool bytes_is_before(const struct bytes *b, uint32_t unit);
/* Reads that found bytes which no store had written, ever; unit: of the first. */
uint64_t bytes_foreign(const struct bytes *b, uint32_t *unit);
/* Reads whose bytes were compared with those of the copy; 0: that is off. */
uint64_t bytes_compared(const struct bytes *b);

#endif
