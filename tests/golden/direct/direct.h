/* direct.h - what the programs of direct.csv are written in: workers, each on a hardware thread of its own, that ask
 * the machine's model themselves what their instructions and accesses take.
 *
 * Nothing of the runtime of programs of threads is in them, and all that they access has an address of its own that no
 * linker and no allocator chooses. So what such a run costs is a matter of the models and of the program's text alone.
 */
#ifndef STRATA_GOLDEN_DIRECT_H
#define STRATA_GOLDEN_DIRECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "threads/model.h"

enum place { ON_CPU, ON_NEAR, ON_APART, ON_BOTH };

/* A program: begin makes its memory, before time begins; work is what each worker does; check says whether the memory
 * holds what it has to when all have ended. */
struct kind {
	const char *name;
	void (*begin)(void);
	void (*work)(uint32_t worker);
	bool (*check)(void);
};
extern const struct kind direct_shared[], direct_near[]; /* the last one has no name */

/* What the command line says. */
struct direct {
	enum place place;
	uint32_t workers;
	uint64_t count;
	const struct thread_machine *machine;
};
extern struct direct direct;

/* Memory of 0 that begins at a place which only this program's calls before decide; a multiple of 64 KiB. */
void *direct_room(size_t bytes);
/* Memory that the machine takes for a stack. */
void *direct_stack(size_t bytes);
/* The same numbers in each run. */
uint64_t direct_random(uint64_t *state);

/* ---- what workers do; each returns when its worker goes on ---- */

/* Instructions: enum thread_class times each; the array stays as it is. */
void pass(const uint16_t *counts);
/* The bytes are good until the worker's next call. use: the instructions until the first that uses them. */
const void *access_read(const void *p, uint32_t bytes, uint32_t use);
void *access_write(void *p, uint32_t bytes);
void *access_atomic(void *p, uint32_t bytes, enum thread_kind kind);
void prefetch(const void *p);
void fence(void);

uint64_t load(const uint64_t *p, uint32_t use);
void store(uint64_t *p, uint64_t value);
uint64_t atomic_load(const uint64_t *p);
void atomic_store(uint64_t *p, uint64_t value);
uint64_t fetch_add(uint64_t *p, uint64_t value);
uint64_t fetch_xor(uint64_t *p, uint64_t value);
bool compare_exchange(uint64_t *p, uint64_t expected, uint64_t value);

/* Waits while the word is that, for a wake; wakes all who wait for the word. */
void wait_while(const uint64_t *word, uint64_t value, enum thread_waits_for what);
void wake(const uint64_t *word);
void sleep_until(uint64_t time_ps);
uint64_t now_ps(void);

/* Of these, each on a line of its own: made by direct_room. */
struct barrier {
	uint64_t arrived, generation;
};
void barrier(struct barrier *b);
void lock(uint64_t *word);
void unlock(uint64_t *word);

/* The machine's answer; a request that it refuses for good ends the program. */
int64_t ask(const struct thread_ask *a);
void ask_range(enum thread_ask_kind kind, const void *p, size_t bytes, uint64_t value, uint64_t nodes);
uint32_t unit_ndp(uint32_t worker); /* the NDP that a worker is on; UINT32_MAX: on the CPU */

#endif
