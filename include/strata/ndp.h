/* ndp.h - what a program of strata cc may ask of a machine with near-data processors (NDPs); C11 and C++.
 *
 * Everything here is a hint, or a question: a program that ignores the answers computes the same on every machine.
 * Natively, and built by another compiler, there is no NDP: the calls answer so at once, and memory is malloc's.
 * On a machine without NDPs placing on one is refused (ENODEV) and coherence states are no-ops; time, statistics,
 * prefetches and the phases of modelling work on every machine.
 *
 * Results of type int are 0, or an errno: EINVAL (no such core, channel or range), ENODEV (no such NDP), ENOTSUP (the
 * machine has NDPs, but cannot do that). Ranges are rounded outwards to lines, and to pages where pages are placed.
 */
#ifndef STRATA_NDP_H
#define STRATA_NDP_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STRATA_ANY UINT32_MAX

/* Who may have a line of a range: the directory's states. */
enum strata_owner { STRATA_CPU_OWNED, STRATA_NDP_OWNED, STRATA_SHARED };
/* The caches when modelling begins. */
enum strata_caches { STRATA_CACHES_COLD, STRATA_CACHES_KEPT };
/* Of one message, at most. */
enum { STRATA_MESSAGE_BYTES = 64 };
/* Of an accelerator. */
enum { STRATA_KEY_BYTES = 32, STRATA_SPECIAL_REGISTERS = 8 };
enum strata_command {
	STRATA_COMMAND_MESSAGE, /* the payload is a message to the design */
	STRATA_COMMAND_REGISTER /* special register arguments[0] gets the value arguments[1] */
};
/* What travels to an accelerator: a line of 128 bytes. */
struct strata_line {
	uint8_t key[STRATA_KEY_BYTES]; /* of the accelerator */
	uint64_t command, arguments[3];
	uint8_t payload[STRATA_MESSAGE_BYTES];
};

/* The runtime's, where a program has it. */
#ifdef STRATA_NDP_IN_RUNTIME
#define STRATA_NDP_RUNTIME __attribute__((visibility("default"))) extern
#else
#define STRATA_NDP_RUNTIME __attribute__((weak)) extern
#endif
STRATA_NDP_RUNTIME uint32_t __strata_ndp_count(void);
STRATA_NDP_RUNTIME uint32_t __strata_ndp_cores(void);
STRATA_NDP_RUNTIME uint32_t __strata_ndp_channels(void);
STRATA_NDP_RUNTIME int __strata_ndp_run(uint32_t ndp, uint32_t core);
STRATA_NDP_RUNTIME int __strata_ndp_team(uint32_t ndp);
STRATA_NDP_RUNTIME void *__strata_ndp_alloc(size_t bytes, uint32_t policy, uint32_t channel);
STRATA_NDP_RUNTIME void __strata_ndp_free(void *p, size_t bytes);
STRATA_NDP_RUNTIME int __strata_ndp_range(uint32_t what, const void *p, size_t bytes, uint64_t value);
STRATA_NDP_RUNTIME int __strata_ndp_send(uint32_t ndp, const void *data, size_t bytes);
STRATA_NDP_RUNTIME size_t __strata_ndp_receive(void *data, size_t bytes);
STRATA_NDP_RUNTIME uint32_t __strata_accelerator_count(void);
STRATA_NDP_RUNTIME int __strata_accelerator_map(uint32_t number, const void *p, size_t bytes);
STRATA_NDP_RUNTIME int __strata_accelerator_send(uint32_t number, const void *data, size_t bytes);
STRATA_NDP_RUNTIME int __strata_accelerator_key(uint32_t number, void *key);
STRATA_NDP_RUNTIME int __strata_accelerator_line(uint32_t number, const struct strata_line *line);
STRATA_NDP_RUNTIME size_t __strata_accelerator_receive(uint32_t number, void *data, size_t bytes);
STRATA_NDP_RUNTIME void __strata_ndp_phase(uint32_t is_begin, uint32_t caches);
STRATA_NDP_RUNTIME uint64_t __strata_ndp_time_ps(void);
STRATA_NDP_RUNTIME uint64_t __strata_ndp_statistic(const char *name);
#undef STRATA_NDP_RUNTIME

enum { /* of __strata_ndp_alloc and _range */
	STRATA_NDP_ON,
	STRATA_NDP_INTERLEAVED,
	STRATA_NDP_FIRST_TOUCH,
	STRATA_NDP_CLAIM = 0,
	STRATA_NDP_CACHEABLE,
	STRATA_NDP_FLUSH,
	STRATA_NDP_PREFETCH,
	STRATA_NDP_DRAIN
};

#ifndef STRATA_NDP_IN_RUNTIME

/* NDPs of the machine, one at each memory channel; 0: none. */
static inline uint32_t strata_ndp_count(void)
{
	return __strata_ndp_count ? __strata_ndp_count() : 0;
}

/* Cores of each. */
static inline uint32_t strata_ndp_cores(void)
{
	return __strata_ndp_cores ? __strata_ndp_cores() : 0;
}

/* Memory channels on which pages can be placed. */
static inline uint32_t strata_channel_count(void)
{
	return __strata_ndp_channels ? __strata_ndp_channels() : 1;
}

/* The calling thread goes to a core of an NDP, and comes back from this call there. STRATA_ANY: the emptiest core. */
static inline int strata_run_on_ndp(uint32_t ndp, uint32_t core)
{
	return __strata_ndp_run && ndp != STRATA_ANY ? __strata_ndp_run(ndp, core) : ENODEV;
}

/* To a core of the CPU; STRATA_ANY: the emptiest. It undoes strata_run_on_ndp, too. */
static inline int strata_run_on_cpu(uint32_t core)
{
	return __strata_ndp_run ? __strata_ndp_run(STRATA_ANY, core) : 0;
}

/* Threads that the caller makes from now on, and the teams of its OpenMP regions (without the caller itself), go to
 * that NDP's cores; STRATA_ANY: to where the machine puts them. Threads inherit this from who makes them. */
static inline int strata_team_on_ndp(uint32_t ndp)
{
	return __strata_ndp_team ? __strata_ndp_team(ndp) : ndp == STRATA_ANY ? 0 : ENODEV;
}

static inline void *strata_ndp_alloc_(size_t bytes, uint32_t policy, uint32_t channel)
{
	return __strata_ndp_alloc ? __strata_ndp_alloc(bytes, policy, channel) : malloc(bytes);
}

/* Memory whose pages are on one channel (NDP n is at channel n), on all in turns, or on the channel of the NDP that
 * touches them first. NULL: no room, or no such channel. Free it by strata_free with the same size. */
static inline void *strata_alloc_on(size_t bytes, uint32_t channel)
{
	return strata_ndp_alloc_(bytes, STRATA_NDP_ON, channel);
}

static inline void *strata_alloc_interleaved(size_t bytes)
{
	return strata_ndp_alloc_(bytes, STRATA_NDP_INTERLEAVED, 0);
}

static inline void *strata_alloc_first_touch(size_t bytes)
{
	return strata_ndp_alloc_(bytes, STRATA_NDP_FIRST_TOUCH, 0);
}

static inline void strata_free(void *p, size_t bytes)
{
	if (__strata_ndp_free)
		__strata_ndp_free(p, bytes);
	else
		free(p);
}

static inline int strata_ndp_range_(uint32_t what, const void *p, size_t bytes, uint64_t value)
{
	return __strata_ndp_range ? __strata_ndp_range(what, p, bytes, value) : 0;
}

/* The lines of the range get this state. Pages that nobody has touched have no lines yet, and stay as they are. */
static inline int strata_claim(const void *p, size_t bytes, enum strata_owner owner)
{
	return strata_ndp_range_(STRATA_NDP_CLAIM, p, bytes, (uint64_t)owner);
}

/* Lines of the range may stay in caches of NDPs at other channels (is_cacheable != 0), which do not hear of writes:
 * who reads what another has written must strata_flush the range before. */
static inline int strata_remote_cacheable(const void *p, size_t bytes, int is_cacheable)
{
	return strata_ndp_range_(STRATA_NDP_CACHEABLE, p, bytes, is_cacheable != 0);
}

/* The caller's caches write its lines back, and forget them: an NDP core's the remote ones that it keeps, a processor's
 * and all others' of processors what they have. Takes its time, by channel.flush_cycles or a slot of the bus each. */
static inline int strata_flush(const void *p, size_t bytes)
{
	return strata_ndp_range_(STRATA_NDP_FLUSH, p, bytes, 0);
}

/* As so many prefetch instructions; the core may drop what it has no room for. */
static inline int strata_prefetch(const void *p, size_t bytes)
{
	return strata_ndp_range_(STRATA_NDP_PREFETCH, p, bytes, 0);
}

/* Returns when all accesses of the caller are done. */
static inline int strata_drain(void)
{
	return strata_ndp_range_(STRATA_NDP_DRAIN, NULL, 0, 0);
}

/* A message of up to STRATA_MESSAGE_BYTES to an NDP; its threads receive an NDP's messages in order, each once. */
static inline int strata_send(uint32_t ndp, const void *data, size_t bytes)
{
	return __strata_ndp_send ? __strata_ndp_send(ndp, data, bytes) : ENODEV;
}

/* Waits for the next message to the NDP that the caller runs on; returns its size, of which at most `bytes` are in
 * data; 0: the caller runs on none. */
static inline size_t strata_receive(void *data, size_t bytes)
{
	return __strata_ndp_receive ? __strata_ndp_receive(data, bytes) : 0;
}

/* Accelerators of the machine: NDPs that are hardware (hdl.design), number n at memory channel n; 0: none. */
static inline uint32_t strata_accelerator_count(void)
{
	return __strata_accelerator_count ? __strata_accelerator_count() : 0;
}

/* The accelerator may access the range until a part of it is unmapped or protected (free does so for large pieces
 * only); it has to be writable if it is written. ENOSPC: its table of translations is full; EFAULT: no memory is
 * there, or a library's, or a thread's own. This and those that follow say ENOTSUP, or 0 bytes, where nothing is
 * modelled. */
static inline int strata_accelerator_map(uint32_t number, const void *p, size_t bytes)
{
	return __strata_accelerator_map ? __strata_accelerator_map(number, p, bytes) : ENODEV;
}

/* A message of up to STRATA_MESSAGE_BYTES, the rest 0, when all accesses of the caller before it are done. */
static inline int strata_accelerator_send(uint32_t number, const void *data, size_t bytes)
{
	return __strata_accelerator_send ? __strata_accelerator_send(number, data, bytes) : ENODEV;
}

/* The STRATA_KEY_BYTES of the accelerator's key, by which its NDP-M knows lines that are meant for it from others. */
static inline int strata_accelerator_key(uint32_t number, void *key)
{
	return __strata_accelerator_key ? __strata_accelerator_key(number, key) : ENODEV;
}

/* A line as it is, when all accesses of the caller before it are done; strata_accelerator_send makes one of a message.
 * EACCES: the key is another one, and nobody takes the line; EINVAL: no such command or register; ENOTSUP: the design
 * has no special registers. */
static inline int strata_accelerator_line(uint32_t number, const struct strata_line *line)
{
	return __strata_accelerator_line ? __strata_accelerator_line(number, line) : ENODEV;
}

/* Waits for the next message of the accelerator; returns its size, of which at most `bytes` are in data; 0: there is no
 * such accelerator. */
static inline size_t strata_accelerator_receive(uint32_t number, void *data, size_t bytes)
{
	return __strata_accelerator_receive ? __strata_accelerator_receive(number, data, bytes) : 0;
}

/* Simulated time since main began; natively 0. */
static inline uint64_t strata_time_ps(void)
{
	return __strata_ndp_time_ps ? __strata_ndp_time_ps() : 0;
}

/* Between end and begin the program runs fast: nothing is modelled, time stands nearly still (1 ps for a basic block).
 * It is of all threads. A program is modelled from main on. When modelling begins, caches are empty or as they were;
 * the lines are the CPU's. */
static inline void strata_modelling_end(void)
{
	if (__strata_ndp_phase)
		__strata_ndp_phase(0, 0);
}

static inline void strata_modelling_begin(enum strata_caches caches)
{
	if (__strata_ndp_phase)
		__strata_ndp_phase(1, (uint32_t)caches);
}

/* A statistic of the machine (`strata list stats`) by its name, of a distribution NAME the sum by NAME.sum, since
 * strata_reset_statistics or main; UINT64_MAX: there is none of that name. The results of the run are of the whole
 * program, without what was not modelled. */
static inline uint64_t strata_statistic(const char *name)
{
	return __strata_ndp_statistic ? __strata_ndp_statistic(name) : UINT64_MAX;
}

static inline void strata_reset_statistics(void)
{
	if (__strata_ndp_statistic)
		__strata_ndp_statistic(NULL);
}

#endif

#ifdef __cplusplus
}
#endif

#endif
