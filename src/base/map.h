/* map.h - a number for a number, 0 for those that have none: for what is looked up with every access.
 *
 * Open addressing with linear probing; four keys that follow one another share a line of the host's cache, for lines
 * and pages are looked up in their order. It is at most half full.
 */
#ifndef STRATA_BASE_MAP_H
#define STRATA_BASE_MAP_H

#include <stdint.h>

struct base_map {
	struct base_map_slot {
		uint64_t key, value; /* value 0: empty */
	} *slots;
	uint64_t mask, count;
	uint32_t shift; /* of the product that is hashed with: as many bits as groups of four have */
};

/* An empty one. */
void base_map_init(struct base_map *m);
void base_map_free(struct base_map *m);
/* Value 0 takes the key out. */
void base_map_set(struct base_map *m, uint64_t key, uint64_t value);

/* The slot at which to begin to look for the key. */
static inline uint64_t base_map_home(const struct base_map *m, uint64_t key)
{
	return ((key >> 2) * 0x9e3779b97f4a7c15u >> m->shift << 2) | (key & 3);
}

static inline uint64_t base_map_get(const struct base_map *m, uint64_t key)
{
	for (uint64_t i = base_map_home(m, key);; i = (i + 1) & m->mask) {
		const struct base_map_slot *s = &m->slots[i];

		if (s->key == key || !s->value)
			return s->value;
	}
}

#endif
