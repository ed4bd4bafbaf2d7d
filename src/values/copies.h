/* copies.h - the bytes of every copy of a program's lines: what cpu.values=bytes compares values.h with.
 *
 * A version names the bytes that a copy has: each store makes a new name for each quarter of the line that it writes,
 * which no other store has, and the bytes of a name do not change afterwards. So whatever carries a version, a cache, a
 * message, a line on its way down or the memory, carries bytes. Nothing here depends on what values.h knows: which
 * copies have moved, which bytes were kept before a store.
 *
 * A store has its name when its cache owns the line, and its bytes when the program has executed it, before or after
 * that. Bytes of a store that the program executes before it has its line belong to the newest name, for everybody who
 * has that sees them.
 */
#ifndef STRATA_VALUES_COPIES_H
#define STRATA_VALUES_COPIES_H

#include "cpu/version.h"

#include <stdbool.h>
#include <stdint.h>

struct copies;

struct copies *copies_new(uint32_t line_bytes);
void copies_free(struct copies *c);

/* A store into a copy of these names: those that it has then, of these quarters others. */
cpu_version copies_make(struct copies *c, uint64_t line, cpu_version names, cpu_version quarters);
/* Before a store is executed: the line's newest bytes are there. */
void copies_begin(struct copies *c, uint64_t line, const void *host);
/* A store that began at that moment (copies_moment) has been executed: into the newest bytes. is_early: not at once
 * when its cache had made the name, but before or later: who has an older name, made meanwhile, may read either. */
void copies_write(struct copies *c, uint64_t line, uint64_t moment, bool is_early, uint32_t offset, uint32_t size,
		  const void *bytes);
uint64_t copies_moment(const struct copies *c);
/* All copies of these lines, or of all of them, have whatever the program's memory has. */
void copies_forget(struct copies *c, uint64_t first_line, uint64_t count);
void copies_forget_all(struct copies *c);

/* Has a store been into a copy that was not the newest? Such a line has two newest copies, and values.h has one number
 * for both. */
bool copies_is_forked(struct copies *c, uint64_t line);
/* How many stores lie behind each of the names: what values.h knows as the version. */
cpu_version copies_counts(struct copies *c, uint64_t line, cpu_version names);
/* Is the byte's name the newest one? */
bool copies_is_newest(struct copies *c, uint64_t line, cpu_version names, uint32_t offset);
/* What a copy has there, for a message; -1: nobody knows. */
int copies_byte(struct copies *c, uint64_t line, cpu_version names, uint32_t offset);
/* The first of these bytes of a copy that is another one than in `is`, or size; those of a name that nobody knows any
 * more are not compared. A copy that is not the newest may have bytes as they were before an early store, and so may
 * the newest one of who has not been told of that (is_before). */
uint32_t copies_differ(struct copies *c, uint64_t line, cpu_version names, uint32_t offset, uint32_t size,
		       const void *is, bool is_before);
/* The byte of the newest copy is what the program's memory has. */
void copies_adopt(struct copies *c, uint64_t line, cpu_version names, uint32_t offset, uint8_t byte);

#endif
