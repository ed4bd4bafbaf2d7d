/* analyzer.h - the memory map analyzer of TOM (ISCA'16) sections 3.2 and 4.3: watches which lines the instances of
 * candidate blocks touch and says which consecutive address bits would keep an instance in one stack: two bits for the
 * paper's four stacks, log2 of as many as there are.
 *
 * The hardware needs one bit per mapping and stack for every running instance (10 x 4 = 40 bits). What is counted
 * beside them, accesses per stack, is for the statistics of Figures 5 and 6.
 */
#ifndef STRATA_NDP_MAP_ANALYZER_H
#define STRATA_NDP_MAP_ANALYZER_H

#include <stdbool.h>
#include <stdint.h>

enum {
	MAP_BIT_FIRST = 7, /* of lines of 128 bytes; section 3.2.1, footnote 3 */
	MAP_BIT_LAST = 16,
	MAP_COUNT = MAP_BIT_LAST - MAP_BIT_FIRST + 1, /* mapping i: the bits from 7 + i on */
	MAP_IN_FORCE = MAP_COUNT, /* the mapping that the machine has, beside the candidates */
	MAP_STACKS_MAX = 16,
};

/* One running instance. */
struct map_instance {
	bool is_open, is_judged, has_touched;
	uint8_t stack_count, hash_bit;
	uint16_t accesses[MAP_COUNT + 1][MAP_STACKS_MAX]; /* lines, at most 65535 */
};

/* Sums over ended instances that touched memory. */
struct map_totals {
	uint64_t instances, accesses;
	uint64_t stacks[MAP_COUNT + 1];	   /* touched, added up: the analyzer's own sums */
	uint64_t single[MAP_COUNT + 1];	   /* instances that touched one stack only */
	uint64_t most_used[MAP_COUNT + 1]; /* accesses to each instance's most used stack */
};

/* What a mapping is chosen from: sums over judged instances. */
struct map_judged {
	uint64_t instances;
	uint64_t stacks[MAP_COUNT]; /* touched, added up */
};

/* How evenly the stacks would have what all instances touch in a row, windows of lines: tom_learn_even_ratio. */
enum { MAP_WINDOW_LINES = 256 };
struct map_spread {
	uint32_t lines; /* of the window */
	uint16_t in_stack[MAP_COUNT + 1][MAP_STACKS_MAX];
	uint64_t fullest[MAP_COUNT + 1]; /* lines in the stack that has most of a window, added up over windows */
};

/* Can consecutive bits choose among so many stacks? */
bool map_has_bits(uint32_t stack_count);

/* Begins an instance on a machine with a stack_count that bits can choose from, whose learned mappings are hashed with
 * the bits below hash_bit (gpu.map_hash_bit; 0: with none); one that was open is lost, as after a fault. */
void map_instance_open(struct map_instance *in, uint32_t stack_count, uint32_t hash_bit);
/* The instance touches a line, which the mapping in force has in stack_in_force. */
void map_instance_touch(struct map_instance *in, uint64_t line_addr_bytes, uint32_t stack_in_force);
/* Judges an open instance by what it has touched so far, once: adds it to sums. False: not open, touched nothing, or
 * judged before. */
bool map_instance_judge(struct map_instance *in, struct map_judged *sums);
/* Ends it: adds it to totals. False when it was not open or touched nothing. */
bool map_instance_close(struct map_instance *in, struct map_totals *totals);

/* The address bit (7..16) whose mapping has the fewest stacks (stacks[MAP_COUNT], added up over the same
 * instances), the lowest on ties. */
uint32_t map_best_bit(const uint64_t *stacks);
/* A line that an instance touches on such a machine (map_instance_open), and its stack under the mapping in force. */
void map_spread_touch(struct map_spread *s, uint32_t stack_count, uint32_t hash_bit, uint64_t line_addr_bytes,
		      uint32_t stack_in_force);
/* It is map_best_bit of the mappings whose fullest stack has at most ratio times the lines of that under the mapping in
 * force; 0: there is none. Before the first whole window all are. */
uint32_t map_even_bit(const struct map_spread *s, const uint64_t *stacks, double ratio);
/* The address bit whose mapping has the most accesses in their instance's most used stack, the lowest on ties: what
 * only an oracle that counts accesses can know. */
uint32_t map_oracle_bit(const struct map_totals *totals);

#endif
