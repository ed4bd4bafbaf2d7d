/* numa.c - memory by nodes, as Linux and libnuma have it: answered for the machine.
 *
 * Where memory is divided into channels, node 0 has the CPU's cores and no memory, and node n + 1 is channel n with its
 * NDP's cores. Where it is not, node 0 has all. The program's policies go to the model, which places pages when they
 * are touched; its answers about nodes are the model's.
 */
#include "threads/rt/rt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* linux/mempolicy.h */
enum { MODE_DEFAULT, MODE_PREFERRED, MODE_BIND, MODE_INTERLEAVE, MODE_LOCAL, MODE_PREFERRED_MANY, MODE_MASK = 0xff };
enum { GET_NODE = 1, GET_ADDRESS = 2, GET_ALLOWED = 4, MOVE = 2, MOVE_ALL = 4 };

static bool is_divided(void)
{
	return rt_machine()->node_count > 1;
}

/* Nodes as programs number them, from 0. */
static uint32_t node_count(void)
{
	return is_divided() ? rt_machine()->node_count + 1 : 1;
}

uint32_t rt_node_of(uint32_t unit)
{
	const uint32_t ndp = rt_ndp_of(unit);

	return is_divided() && ndp != UINT32_MAX ? ndp + 1 : 0;
}

static uint64_t memory_nodes(void)
{
	const uint32_t count = rt_machine()->node_count;

	return count >= 64 ? UINT64_MAX : ((uint64_t)1 << count) - 1;
}

static long fail(int error)
{
	errno = error;
	return -1;
}

static long ask(enum thread_ask_kind kind, const void *at, size_t bytes, uint64_t value, uint64_t nodes)
{
	return rt_ask(&(struct thread_ask){
	    .kind = kind, .address = bytes ? rt_address(at) : 0, .bytes = bytes, .value = value, .nodes = nodes});
}

/* The model's nodes of a mask: the CPU's has no memory. False: a node that is not there. */
static bool read_mask(const unsigned long *mask, unsigned long bits, uint64_t *nodes)
{
	*nodes = 0;
	for (unsigned long i = 0; mask && i < bits; i++)
		if (mask[i / 64] >> (i % 64) & 1) {
			if (i >= node_count())
				return false;
			*nodes |= i ? (uint64_t)1 << (i - 1) : 0;
		}
	return true;
}

/* A policy for a range, or, without bytes, for what the caller touches and has no other. */
static long place(const void *at, size_t bytes, int mode, const unsigned long *mask, unsigned long bits)
{
	uint64_t nodes;
	enum thread_placement placement = THREAD_PLACE_NODES;
	long result;

	mode &= MODE_MASK;
	if (mode > MODE_PREFERRED_MANY || !read_mask(mask, bits, &nodes))
		return fail(EINVAL);
	if (!is_divided())
		return 0;
	if (mode == MODE_DEFAULT)
		placement = THREAD_PLACE_DEFAULT;
	else if (mode == MODE_LOCAL || (mode == MODE_PREFERRED && !nodes))
		placement = THREAD_PLACE_FIRST_TOUCH;
	else if (!nodes)
		return fail(EINVAL);
	result = ask(THREAD_ASK_PLACE, at, bytes, placement, nodes);
	return result < 0 ? fail((int)-result) : 0;
}

/* The policy that the program has set, for get_mempolicy; nothing depends on it. */
static struct {
	int mode;
	unsigned long mask;
} own;

static long set_policy(int mode, const unsigned long *mask, unsigned long bits)
{
	if (place(NULL, 0, mode, mask, bits))
		return -1;
	own.mode = mode;
	own.mask = mask && bits ? *mask & (bits >= 64 ? ~0ul : (1ul << bits) - 1) : 0;
	return 0;
}

static long bind(void *at, size_t bytes, int mode, const unsigned long *mask, unsigned long bits, unsigned flags)
{
	const bool moves = flags & (MOVE | MOVE_ALL) && is_divided() && (mode & MODE_MASK) != MODE_DEFAULT;
	uint64_t nodes;
	long result;

	if ((uint64_t)at & 4095 || !read_mask(mask, bits, &nodes))
		return fail(EINVAL);
	if (!bytes)
		return 0;
	if (moves && __builtin_popcountll(nodes) != 1)
		return fail(ENOTSUP);
	if (place(at, bytes, mode, mask, bits))
		return -1;
	result = moves ? ask(THREAD_ASK_MOVE, at, bytes, 0, nodes) : 0;
	return result < 0 ? fail((int)-result) : 0;
}

/* The node of a page, negative errno: none. */
static long node_at(const void *at)
{
	long node;

	if (!is_divided())
		return 0;
	node = ask(THREAD_ASK_WHERE, at, 1, 0, 0);
	return node < 0 ? -ENOENT : node + 1;
}

static long get_policy(int *mode, unsigned long *mask, unsigned long bits, const void *at, unsigned flags)
{
	if (mask && bits)
		memset(mask, 0, (bits + 63) / 64 * 8);
	if (flags & GET_ALLOWED) {
		if (!mask || bits < node_count())
			return fail(EINVAL);
		for (uint32_t i = 0; i < node_count(); i++)
			mask[i / 64] |= 1ul << (i % 64);
		return 0;
	}
	if (flags & GET_NODE && flags & GET_ADDRESS) {
		long node = node_at(at);

		if (node < 0)
			return fail(EFAULT);
		if (mode)
			*mode = (int)node;
		return 0;
	}
	if (mode)
		*mode = own.mode;
	if (mask && bits)
		*mask = own.mask;
	return 0;
}

static long move(unsigned long count, void **pages, const int *nodes, int *status)
{
	long result = 0;

	for (unsigned long i = 0; i < count; i++) {
		if (nodes && (nodes[i] < 0 || (uint32_t)nodes[i] >= node_count()))
			return fail(ENODEV);
		if (nodes && is_divided() && nodes[i] && node_at(pages[i]) >= 0)
			result = ask(THREAD_ASK_MOVE, pages[i], 1, 0, (uint64_t)1 << (nodes[i] - 1));
		if (status)
			status[i] = result < 0 ? (int)result : (int)node_at(pages[i]);
		if (result < 0) /* those after it stay, and have no status, as Linux has it */
			return fail((int)-result);
	}
	return 0;
}

bool rt_is_numa_call(long number)
{
	return number == SYS_mbind || number == SYS_set_mempolicy || number == SYS_get_mempolicy ||
	       number == SYS_move_pages || number == SYS_getcpu;
}

long rt_numa_call(long number, const long *a)
{
	switch (number) {
	case SYS_mbind:
		return bind((void *)a[0], (size_t)a[1], (int)a[2], (unsigned long *)a[3], (unsigned long)a[4],
			    (unsigned)a[5]);
	case SYS_set_mempolicy:
		return set_policy((int)a[0], (unsigned long *)a[1], (unsigned long)a[2]);
	case SYS_get_mempolicy:
		return get_policy((int *)a[0], (unsigned long *)a[1], (unsigned long)a[2], (void *)a[3],
				  (unsigned)a[4]);
	case SYS_move_pages:
		return move((unsigned long)a[1], (void **)a[2], (int *)a[3], (int *)a[4]);
	default: /* getcpu */
		if (a[0])
			*(unsigned *)a[0] = rt_self()->unit;
		if (a[1])
			*(unsigned *)a[1] = rt_node_of(rt_self()->unit);
		return 0;
	}
}

/* STRATA_NUMA: what numactl says before a program: interleave, local, or the number of a node. */
void rt_numa_init(void)
{
	const char *text = getenv("STRATA_NUMA");
	const unsigned long all = memory_nodes() << 1;
	unsigned long one;
	char *end;

	if (!text || !*text)
		return;
	one = strtoul(text, &end, 10);
	if (!strcmp(text, "interleave")) {
		set_policy(is_divided() ? MODE_INTERLEAVE : MODE_DEFAULT, &all, is_divided() ? 64 : 0);
	} else if (!strcmp(text, "local")) {
		set_policy(MODE_LOCAL, NULL, 0);
	} else if (*end || end == text || one >= node_count() || (is_divided() && !one)) {
		rt_message("STRATA_NUMA is '%s': expected interleave, local, or a node with memory, %u to %u", text,
			   is_divided(), node_count() - 1);
		rt_fail_without_end(2);
	} else {
		one = 1ul << one;
		set_policy(MODE_BIND, &one, 64);
	}
}

/* ---- libnuma: what programs call of it, also where it is not linked ---- */

struct bitmask {
	unsigned long size; /* bits */
	unsigned long *maskp;
};

/* Of libnuma where it is, when nothing is modelled. */
#define NUMA(type, name, params, args, absent, modelled)                  \
	RT_API type name params;                                          \
	RT_API type name params                                           \
	{                                                                 \
		if (!__strata_on) {                                       \
			type(*real) params = (type(*) params)rt_real(#name); \
			return real ? real args : (absent);               \
		}                                                         \
		return modelled;                                          \
	}

static void *allocate(size_t bytes, int mode, unsigned long mask)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	if (mode != MODE_DEFAULT && place(p, bytes, mode, &mask, 64)) {
		munmap(p, bytes);
		return NULL;
	}
	return p;
}

static void *allocate_on(size_t bytes, int node)
{
	if (node < 0 || (uint32_t)node >= node_count() || (is_divided() && !node))
		return NULL;
	return allocate(bytes, MODE_BIND, 1ul << node);
}

static void *allocate_interleaved(size_t bytes)
{
	return is_divided() ? allocate(bytes, MODE_INTERLEAVE, memory_nodes() << 1) : allocate(bytes, MODE_DEFAULT, 0);
}

static int node_of(int cpu)
{
	if (cpu < 0 || (uint32_t)cpu >= rt_machine()->unit_count) {
		errno = EINVAL;
		return -1;
	}
	return (int)rt_node_of((uint32_t)cpu);
}

static int run_on_node(int node)
{
	if (node < 0 || (uint32_t)node >= node_count())
		return (int)fail(EINVAL);
	errno = rt_run_on(node ? (uint32_t)node - 1 : UINT32_MAX, UINT32_MAX);
	return errno ? -1 : 0;
}

NUMA(int, numa_available, (void), (), -1, 0)
NUMA(int, numa_max_node, (void), (), 0, (int)node_count() - 1)
NUMA(int, numa_max_possible_node, (void), (), 0, (int)node_count() - 1)
NUMA(int, numa_num_configured_nodes, (void), (), 1, (int)node_count())
NUMA(int, numa_num_task_nodes, (void), (), 1, (int)node_count())
NUMA(int, numa_num_configured_cpus, (void), (), 1, (int)rt_machine()->unit_count)
NUMA(int, numa_num_task_cpus, (void), (), 1, (int)rt_processor_count())
NUMA(int, numa_node_of_cpu, (int cpu), (cpu), 0, node_of(cpu))
NUMA(int, numa_run_on_node, (int node), (node), 0, run_on_node(node))
NUMA(int, numa_preferred, (void), (), 0, (int)rt_node_of(rt_self()->unit))
NUMA(void *, numa_alloc, (size_t bytes), (bytes), malloc(bytes), allocate(bytes, MODE_DEFAULT, 0))
NUMA(void *, numa_alloc_local, (size_t bytes), (bytes), malloc(bytes), allocate(bytes, MODE_LOCAL, 0))
NUMA(void *, numa_alloc_onnode, (size_t bytes, int node), (bytes, node), malloc(bytes), allocate_on(bytes, node))
NUMA(void *, numa_alloc_interleaved, (size_t bytes), (bytes), malloc(bytes), allocate_interleaved(bytes))
NUMA(void *, numa_alloc_interleaved_subset, (size_t bytes, struct bitmask *mask), (bytes, mask), malloc(bytes),
     allocate(bytes, MODE_INTERLEAVE, *mask->maskp))
NUMA(long, mbind,
     (void *at, unsigned long bytes, int mode, const unsigned long *mask, unsigned long bits, unsigned flags),
     (at, bytes, mode, mask, bits, flags), fail(ENOSYS), bind(at, bytes, mode, mask, bits, flags))
NUMA(long, set_mempolicy, (int mode, const unsigned long *mask, unsigned long bits), (mode, mask, bits), fail(ENOSYS),
     set_policy(mode, mask, bits))
NUMA(long, get_mempolicy, (int *mode, unsigned long *mask, unsigned long bits, void *at, unsigned flags),
     (mode, mask, bits, at, flags), fail(ENOSYS), get_policy(mode, mask, bits, at, flags))
NUMA(long, move_pages, (int pid, unsigned long count, void **pages, const int *nodes, int *status, int flags),
     (pid, count, pages, nodes, status, flags), fail(ENOSYS), move(count, pages, nodes, status))

RT_API void numa_free(void *p, size_t bytes);
RT_API void numa_free(void *p, size_t bytes)
{
	void (*real)(void *, size_t) = (void (*)(void *, size_t))rt_real("numa_free");

	if ((uint64_t)p - RT_MAP_BASE < RT_FIXED_END - RT_MAP_BASE)
		munmap(p, bytes);
	else if (real)
		real(p, bytes);
	else
		free(p);
}

RT_API void numa_tonode_memory(void *at, size_t bytes, int node);
RT_API void numa_tonode_memory(void *at, size_t bytes, int node)
{
	void (*real)(void *, size_t, int) = (void (*)(void *, size_t, int))rt_real("numa_tonode_memory");
	unsigned long mask = node < 0 || node > 63 ? 0 : 1ul << node;

	if (__strata_on)
		bind(at, bytes, MODE_BIND, &mask, 64, 0);
	else if (real)
		real(at, bytes, node);
}
