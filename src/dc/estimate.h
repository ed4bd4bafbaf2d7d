/* estimate.h - what a kernel's words say before they run: how long they compute, which lines they ask for, and which of
 * them again (Duality Cache, ISCA'19, section 3.5: kernel analysis for the size of the cache; 5.4: small kernels).
 *
 * Nothing is executed. A loop whose end the code does not know counts as so many rounds. Which lines are asked for
 * again is seen by the addresses: of shared and local memory and spills always; in global memory accesses whose
 * addresses differ by constants and values that are the same in the whole grid only, those that no CTA's number is in,
 * and those whose address a loop does not change. Threads whose places differ only in what an address has nothing of
 * have the same element; different ones lie beside each other, and threads that a branch or guard leaves out by their
 * places have none. What an address read from memory meets is not seen: as
 * if each line were new.
 */
#ifndef STRATA_DC_ESTIMATE_H
#define STRATA_DC_ESTIMATE_H

#include "dc/word.h"

/* [register] of a function that only the arrays, the C-Box and the host do: what its value depends on. To be freed by
 * g_free. */
enum {
	DC_OF_X = 1, /* the thread's place in its CTA */
	DC_OF_Y = 2,
	DC_OF_Z = 4,
	DC_OF_LANE = DC_OF_X | DC_OF_Y | DC_OF_Z,
	DC_OF_CTA = 8,
	DC_OF_MEMORY = 16
};
uint8_t *dc_depends_of(const struct ptx_func *f);

struct dc_estimate {
	double compute_cycles; /* of a control block: its words' expected times, accesses' too */
	double operations;     /* of a lane: words' operations and accesses */
	double fresh_lines;    /* of a control block with all lanes at work: asked for the first time */
	double again_lines;    /* asked for again */
	double home_lines;     /* of both, those that are asked of their home, whatever copies there are */
	double kept_bytes;     /* so that these are hits: of each control block, */
	double common_bytes;   /* and of all together; */
	bool uses_segments;    /* beside shared, local and spilled memory, which is the launch's */
};

/* lanes: of a control block; block: threads of a CTA, by x, y and z. access_cycles: that an access takes in the C-Box,
 * a spilled register half of it; DC_ACCESS_CYCLES where nothing is known of the launch. */
struct dc_estimate dc_estimate(const struct dc_kernel *k, uint32_t lanes, const uint32_t block[3],
			       uint32_t line_bytes, double rounds, uint32_t access_cycles);
/* Elements that the lanes of a control block have of an access, whose address depends on so much. */
double dc_elements_of(uint8_t depends, double lanes, const uint32_t block[3]);

/* A launch, and the caches and the memory that it would run on. */
struct dc_estimate_place {
	uint64_t units;		/* control blocks' worth of CTAs */
	uint64_t segment_bytes; /* of one: shared, local and spilled memory */
	uint32_t slices, ways; /* of all sockets; of a slice */
	bool unused_is_cache;
	uint64_t way_bytes, line_bytes;
	double memory_bytes_per_cycle;
};

/* Cycles where so many ways of each slice stay cache. */
double dc_estimate_cycles(const struct dc_estimate *e, const struct dc_estimate_place *at, uint32_t cache_ways);
/* How many ways are best, from least to most: the fewest of equals. */
uint32_t dc_estimate_ways(const struct dc_estimate *e, const struct dc_estimate_place *at, uint32_t least,
			  uint32_t most);

#endif
