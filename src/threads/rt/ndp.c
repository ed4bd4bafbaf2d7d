/* ndp.c - what <strata/ndp.h> calls: while the program is modelled, the machine's answers. */
#include "threads/rt/rt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define STRATA_NDP_IN_RUNTIME
#include "strata/ndp.h"

uint32_t __strata_ndp_count(void)
{
	return __strata_on ? rt_machine()->ndp_count : 0;
}

uint32_t __strata_ndp_cores(void)
{
	return __strata_on ? rt_ndp_cores() : 0;
}

uint32_t __strata_ndp_channels(void)
{
	return __strata_on && rt_machine()->node_count ? rt_machine()->node_count : 1;
}

int __strata_ndp_run(uint32_t ndp, uint32_t core)
{
	if (!__strata_on)
		return ndp == STRATA_ANY ? 0 : ENODEV;
	return rt_run_on(ndp, core);
}

int __strata_ndp_team(uint32_t ndp)
{
	if (!__strata_on)
		return ndp == STRATA_ANY ? 0 : ENODEV;
	return rt_team_on(ndp);
}

/* ---- memory ---- */

static size_t page_rounded(size_t bytes)
{
	const size_t page = rt_machine()->page_bytes ? rt_machine()->page_bytes : 4096;

	return (bytes + page - 1) / page * page;
}

void *__strata_ndp_alloc(size_t bytes, uint32_t policy, uint32_t channel)
{
	const uint32_t count = __strata_ndp_channels();
	uint64_t nodes = count == 64 ? UINT64_MAX : ((uint64_t)1 << count) - 1;
	int64_t result = 0;
	void *p;

	if (policy == STRATA_NDP_ON && channel >= count) {
		errno = EINVAL;
		return NULL;
	}
	if (!__strata_on)
		return malloc(bytes);
	if (policy == STRATA_NDP_ON)
		nodes = (uint64_t)1 << channel;
	if (!bytes || bytes > (size_t)1 << 46) {
		errno = ENOMEM;
		return NULL;
	}
	p = mmap(NULL, page_rounded(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	if (count > 1)
		result = rt_ask(&(struct thread_ask){
		    .kind = THREAD_ASK_PLACE,
		    .address = rt_address(p),
		    .bytes = page_rounded(bytes),
		    .value = policy == STRATA_NDP_FIRST_TOUCH ? THREAD_PLACE_FIRST_TOUCH : THREAD_PLACE_NODES,
		    .nodes = nodes});
	if (result < 0) {
		munmap(p, page_rounded(bytes));
		errno = (int)-result;
		return NULL;
	}
	return p;
}

void __strata_ndp_free(void *p, size_t bytes)
{
	/* What was allocated before main or after its end is the allocator's. */
	if ((uint64_t)p - RT_MAP_BASE >= RT_FIXED_END - RT_MAP_BASE)
		free(p);
	else if (__strata_on)
		munmap(p, page_rounded(bytes));
}

static int prefetch(const char *p, size_t bytes)
{
	static const struct thread_site site = {
	    1, THREAD_PREFETCH, 1, 0, THREAD_SITE_ORDERED, {[THREAD_CLASS_memory] = 1}, 0, 0, 0, {{0}}, 0, 0, 0};
	const uint64_t line = rt_machine()->line_bytes ? rt_machine()->line_bytes : 64;

	for (const char *at = (const char *)((uintptr_t)p & ~(line - 1)); at < p + bytes; at += line)
		__strata_access((void *)at, &site);
	return 0;
}

int __strata_ndp_range(uint32_t what, const void *p, size_t bytes, uint64_t value)
{
	static const enum thread_ask_kind kinds[] = {[STRATA_NDP_CLAIM] = THREAD_ASK_CLAIM,
						     [STRATA_NDP_CACHEABLE] = THREAD_ASK_CACHEABLE,
						     [STRATA_NDP_FLUSH] = THREAD_ASK_FLUSH};
	static const struct thread_site fence = {.kind = THREAD_FENCE, .flags = THREAD_SITE_ORDERED};
	int64_t result;

	if (!__strata_on)
		return 0;
	if (what == STRATA_NDP_PREFETCH)
		return prefetch(p, bytes);
	if (what == STRATA_NDP_DRAIN) {
		__strata_fence(&fence);
		return 0;
	}
	if ((what == STRATA_NDP_CLAIM && value > STRATA_SHARED) || (uint64_t)p + bytes < (uint64_t)p)
		return EINVAL;
	if (!bytes)
		return 0;
	if (what == STRATA_NDP_FLUSH) /* of what the caller has stored */
		__strata_fence(&fence);
	result = rt_ask(&(struct thread_ask){
	    .kind = kinds[what], .address = rt_address(p), .bytes = bytes, .value = value});
	/* A machine without it is coherent by itself. */
	return result < 0 && result != -ENOSYS ? (int)-result : 0;
}

/* ---- messages ---- */

struct message {
	struct message *next;
	uint64_t time_ps; /* when it is there */
	uint32_t bytes;
	char data[STRATA_MESSAGE_BYTES];
};

static struct mailbox {
	struct message *first, *last;
	uint32_t count; /* futex */
} mailboxes[THREAD_UNITS_MAX];

int __strata_ndp_send(uint32_t ndp, const void *data, size_t bytes)
{
	struct mailbox *box = &mailboxes[ndp % THREAD_UNITS_MAX];
	struct message *m;
	int64_t when;

	if (!__strata_on || ndp >= rt_machine()->ndp_count)
		return ENODEV;
	if (bytes > STRATA_MESSAGE_BYTES)
		return EINVAL;
	when = rt_ask(&(struct thread_ask){.kind = THREAD_ASK_SEND, .value = ndp, .bytes = bytes});
	if (when < 0)
		return (int)-when;
	rt_in_model = true;
	m = malloc(sizeof(*m));
	rt_in_model = false;
	if (!m)
		return ENOMEM;
	*m = (struct message){.time_ps = (uint64_t)when, .bytes = (uint32_t)bytes};
	memcpy(m->data, data, bytes);
	if (box->first)
		box->last->next = m;
	else
		box->first = m;
	box->last = m;
	box->count++;
	rt_wake_free(&box->count);
	return 0;
}

size_t __strata_ndp_receive(void *data, size_t bytes)
{
	const uint32_t ndp = __strata_on ? rt_ndp_of(rt_self()->unit) : UINT32_MAX;
	struct mailbox *box;
	struct message *m;
	size_t size;

	if (ndp == UINT32_MAX)
		return 0;
	box = &mailboxes[ndp];
	while (!(m = box->first) || m->time_ps > rt_now_ps()) {
		uint32_t count = box->count;

		__strata_wait_point(&box->count, count, m ? m->time_ps : RT_NEVER);
	}
	box->first = m->next;
	size = m->bytes;
	memcpy(data, m->data, size < bytes ? size : bytes);
	rt_in_model = true;
	free(m);
	rt_in_model = false;
	return size;
}

/* ---- accelerators ---- */

uint32_t __strata_accelerator_count(void)
{
	return __strata_on ? rt_machine()->accelerator_count : 0;
}

static int accelerator_ask(enum thread_ask_kind kind, uint32_t number, const void *p, size_t bytes, void *data)
{
	int64_t result;

	if (number >= __strata_accelerator_count())
		return ENODEV;
	if (rt_is_functional()) /* they stand still, too */
		return ENOTSUP;
	result = rt_ask(&(struct thread_ask){
	    .kind = kind, .address = (uint64_t)p, .bytes = bytes, .value = number, .data = data});
	return result < 0 ? (int)-result : 0;
}

/* Accelerators and the program name memory alike, which holds where the model's addresses are the program's. */
int __strata_accelerator_map(uint32_t number, const void *p, size_t bytes)
{
	const uint64_t page = 4096, begin = (uint64_t)p / page * page, end = (uint64_t)p + bytes;

	if (!bytes)
		return 0;
	if (end < begin || rt_address(p) != (uint64_t)p || rt_address((const char *)p + bytes - 1) != end - 1 ||
	    msync((void *)begin, end - begin, MS_ASYNC))
		return EFAULT;
	return accelerator_ask(THREAD_ASK_MAP, number, p, bytes, NULL);
}

int __strata_accelerator_send(uint32_t number, const void *data, size_t bytes)
{
	char message[STRATA_MESSAGE_BYTES] = {0};

	if (bytes > sizeof(message))
		return EINVAL;
	memcpy(message, data, bytes);
	if (__strata_on)
		__strata_ndp_range(STRATA_NDP_DRAIN, NULL, 0, 0);
	return accelerator_ask(THREAD_ASK_COMMAND, number, NULL, sizeof(message), message);
}

int __strata_accelerator_key(uint32_t number, void *key)
{
	return accelerator_ask(THREAD_ASK_KEY, number, NULL, STRATA_KEY_BYTES, key);
}

int __strata_accelerator_line(uint32_t number, const struct strata_line *line)
{
	struct strata_line copy = *line;

	if (__strata_on)
		__strata_ndp_range(STRATA_NDP_DRAIN, NULL, 0, 0);
	return accelerator_ask(THREAD_ASK_LINE, number, NULL, sizeof(copy), &copy);
}

size_t __strata_accelerator_receive(uint32_t number, void *data, size_t bytes)
{
	char message[STRATA_MESSAGE_BYTES];

	if (accelerator_ask(THREAD_ASK_REPLY, number, NULL, sizeof(message), message))
		return 0;
	memcpy(data, message, bytes < sizeof(message) ? bytes : sizeof(message));
	return sizeof(message);
}

/* ---- time, phases, statistics ---- */

uint64_t __strata_ndp_time_ps(void)
{
	return __strata_on ? rt_now_ps() : 0;
}

void __strata_ndp_phase(uint32_t is_begin, uint32_t caches)
{
	if (!__strata_on || rt_is_functional() != is_begin)
		return;
	if (!is_begin)
		__strata_ndp_range(STRATA_NDP_DRAIN, NULL, 0, 0);
	rt_ask(&(struct thread_ask){.kind = is_begin ? THREAD_ASK_BEGIN : THREAD_ASK_END,
				    .value = caches == STRATA_CACHES_KEPT});
	rt_set_functional(!is_begin);
}

uint64_t __strata_ndp_statistic(const char *name)
{
	if (!__strata_on)
		return UINT64_MAX;
	return (uint64_t)rt_ask(&(struct thread_ask){.kind = THREAD_ASK_STATISTIC, .text = name});
}
