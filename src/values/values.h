/* values.h - what the copies of a program's lines hold: caches carry versions, the bytes are here.
 *
 * The program's own memory has the newest bytes of every line. A copy that has the newest version uses them. Other
 * bytes are kept only where a copy may have them: an image of a line's quarters before a store, while others than the
 * storing cache may still have that version (once per store into quarters that have moved since the last one); and a
 * private line, or quarters of it, of a cache that stored into a copy which was not the newest. Its bytes become the
 * newest, over those of others, when it moves.
 *
 * A store may be in the program's memory before its cache owns the line, and so before it has made a version. Until it
 * has, copies that are told of it later have what was there before (values_untold).
 *
 * A version is that of cpu/version.h: four quarters of a line, counted modulo 65536. What is known of a line is there
 * from the first store into it, and there is room for a number of lines: one that has not been used for long goes,
 * and whoever has an old copy of it then reads the newest bytes. With room for all lines that the modelled
 * caches hold, what goes is in no cache. Images lie in a ring, in the order of the stores, so that the host writes them
 * one after the other: the latest are there, and who has an older copy reads the oldest of its quarter, or the newest
 * bytes.
 */
#ifndef STRATA_VALUES_VALUES_H
#define STRATA_VALUES_VALUES_H

#include "cpu/version.h"

#include <stdbool.h>
#include <stdint.h>

struct values;

struct values_stats {
	uint64_t images;   /* kept, ever */
	uint64_t stale;    /* reads that got other bytes than the newest */
	uint64_t before;   /* reads that got those from before a store without a version, and else the newest */
	uint64_t privates; /* copies that became private */
	uint64_t evicted;  /* lines */
};

/* Lines of line_bytes (a power of two, at least 32); room for lines_max lines; of images, for bytes_max (at least one
 * line and its head), and images_max of a quarter are looked through. Lines of the memory that is used are numbers near
 * one another. Holders are numbers below 65536. */
struct values *values_new(uint32_t line_bytes, uint32_t lines_max, uint32_t images_max, uint64_t bytes_max);
void values_free(struct values *v);

/* The host fetches meanwhile what it will be asked of the line. */
void values_prefetch(const struct values *v, uint64_t line);

bool values_is_known(const struct values *v, uint64_t line);
/* A store of the holder (a cache) comes into these quarters of the line (see cpu/version.h); host is where the program
 * has the line. */
void values_before_store(struct values *v, uint32_t holder, uint64_t line, void *host, cpu_version quarters);
/* A store into the line for which values_before_store was called is executed now, and values_stored is called for it
 * later: until then values_read_before has what was there before, where others may have copies. */
void values_untold(struct values *v, uint64_t line);
/* All are told of it at once. */
void values_told(struct values *v, uint64_t line);
/* It made this version of them in the holder's copy: of all quarters that the copy has, whatever it wrote. True: that
 * copy is private from now on. */
bool values_stored(struct values *v, uint32_t holder, uint64_t line, cpu_version version, cpu_version quarters);
/* Both of these at once, for the store after another of the same holder: true if nothing has to be kept for it and the
 * program's own bytes are where it goes. False: nothing has been done. */
bool values_stored_again(struct values *v, uint32_t holder, uint64_t line, cpu_version version, cpu_version quarters);
/* Another cache or the memory has a copy of the quarters from the holder; VALUES_NOBODY: from where nobody stores. */
#define VALUES_NOBODY UINT32_MAX
void values_moved(struct values *v, uint64_t line, uint32_t holder, cpu_version quarters);
/* The holder's copy is gone without a trace. */
void values_dropped(struct values *v, uint64_t line, uint32_t holder);

/* Every holder that reads this version reads the program's own bytes, whether it has been told of all stores or not.
 */
bool values_is_newest(const struct values *v, uint64_t line, cpu_version version);
/* A holder reads bytes of its copy, all of them or none in quarters that are private. False: they are the program's
 * own. True: they are others, and now in out. */
bool values_read(struct values *v, uint32_t holder, uint64_t line, cpu_version version, uint32_t offset, uint32_t size,
		 void *out);
/* A read as above, of a holder that has not been told of stores which are under way. *is_before: some of the bytes are
 * from before one. */
bool values_read_before(struct values *v, uint32_t holder, uint64_t line, cpu_version version, uint32_t offset,
			uint32_t size, void *out, bool *is_before);
/* Where a store of the holder goes: own, or the line's place in its private bytes. */
void *values_target(const struct values *v, uint32_t holder, uint64_t line, uint32_t offset, void *own);
/* The program's memory of these lines is no longer there. */
void values_forget(struct values *v, uint64_t first_line, uint64_t count);

const struct values_stats *values_statistics(const struct values *v);

#endif
