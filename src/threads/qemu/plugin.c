/* plugin.c - a plugin of QEMU's user mode: writes the trace of a program that nobody has rebuilt.
 *
 * Loads, stores and instructions are those that QEMU executes. A block's instructions are counted in front of its
 * accesses, by what lies between two of them; a block is over when its thread begins another one. Threads are threads
 * of the host here, so the order of their records is that of one run. Time is an instruction a nanosecond: it only says
 * how long somebody slept whom nobody woke. A process that the program makes is not recorded.
 *
 *     qemu-x86_64 -plugin strata-qemu.so,out=FILE,units=N PROGRAM
 */
#include "threads/qemu/api.h"
#include "threads/qemu/classify.h"
#include "threads/trace.h"

#include <errno.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INSTRUCTION_PS = 1000, VCPUS_MAX = 1 << 16 };

/* An instruction of a block that QEMU has translated. */
struct site {
	const struct block *block;
	uint32_t index;
	enum qemu_atomic atomic;
};

struct block {
	uint32_t count;
	uint16_t (*before)[THREAD_CLASS_COUNT]; /* [count + 1]: instructions in front of each, and all */
	struct site sites[];
};

/* What runs on a virtual processor: QEMU gives their numbers again when a thread has ended. */
struct lane {
	uint32_t thread;
	const struct block *block;
	uint32_t position; /* its instructions before this one are in the trace */
	uint64_t now_ps;
	uint64_t waits_for;   /* futex word; 0: it does not wait */
	uint64_t clear_word;  /* what the kernel clears and wakes when the thread ends */
	uint64_t child_clear; /* that of the thread that it is making */
	bool has_ended;
};

static const struct target {
	const char *name;
	int64_t futex, clone, exit, set_tid_address, execve, execveat;
	uint32_t child_word; /* argument of clone */
} targets[] = {
#define TARGET(name, futex, clone, exit, set_tid_address, execve, execveat, child_word)                            \
	{#name, futex, clone, exit, set_tid_address, execve, execveat, child_word},
#include "threads/qemu/targets.def"
#undef TARGET
};

QEMU_API int qemu_plugin_version = QEMU_API_VERSION;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const struct target *target;
static struct thread_trace_writer *trace; /* NULL in a process that the recorded one has made */
static char *path;
static struct lane *lanes[VCPUS_MAX];
static uint32_t thread_count, unit_count = 1;
static uint64_t wake_ps;		   /* of the last wake */
static __thread struct lane *on_this_host; /* the lane that this host thread executes */

static struct thread_at at_of(const struct lane *l)
{
	return (struct thread_at){.unit = l->thread % unit_count, .thread = l->thread, .now_ps = l->now_ps};
}

/* The block's instructions before `end` have been executed. */
static void count_until(struct lane *l, uint32_t end)
{
	const struct thread_at at = at_of(l);
	uint16_t counts[THREAD_CLASS_COUNT];

	if (!l->block || end <= l->position)
		return;
	for (uint32_t i = 0; i < THREAD_CLASS_COUNT; i++)
		counts[i] = (uint16_t)(l->block->before[end][i] - l->block->before[l->position][i]);
	thread_trace_count(trace, &at, counts);
	l->now_ps += (uint64_t)(end - l->position) * INSTRUCTION_PS;
	l->position = end;
}

static void block_end(struct lane *l)
{
	if (l->block)
		count_until(l, l->block->count);
	l->block = NULL;
	l->position = 0;
}

static void note(struct lane *l, enum thread_event event, uint64_t value)
{
	const struct thread_at at = at_of(l);

	thread_trace_event(trace, &at, event, value);
}

/* Which of the two processes after a fork writes on. */
static void before_fork(void)
{
	pthread_mutex_lock(&lock);
	fflush(NULL); /* what is in a buffer would be written by both */
}

static void after_fork(void)
{
	pthread_mutex_unlock(&lock);
}

static void after_fork_in_child(void)
{
	trace = NULL;
	pthread_mutex_unlock(&lock);
}

/* ---- what QEMU tells ---- */

static void block_executed(unsigned int vcpu, void *data)
{
	struct lane *l = lanes[vcpu];

	if (!trace)
		return;
	pthread_mutex_lock(&lock);
	on_this_host = l;
	block_end(l);
	l->block = data;
	pthread_mutex_unlock(&lock);
}

/* An atomic instruction is one access, of which QEMU may tell both halves. */
static bool kind_of(const struct site *s, bool is_store, enum thread_kind *kind)
{
	switch (s->atomic) {
	case QEMU_CHANGE:
	case QEMU_COMPARE:
		*kind = s->atomic == QEMU_CHANGE ? THREAD_RMW : THREAD_CMPXCHG;
		return is_store;
	case QEMU_STORE:
		*kind = THREAD_ATOMIC_WRITE;
		return is_store;
	case QEMU_ORDERED:
		*kind = is_store ? THREAD_ATOMIC_WRITE : THREAD_ATOMIC_READ;
		return true;
	default:
		*kind = is_store ? THREAD_WRITE : THREAD_READ;
		return true;
	}
}

static void accessed(unsigned int vcpu, uint32_t info, uint64_t address, void *data)
{
	const struct site *s = data;
	struct lane *l = lanes[vcpu];
	struct thread_at at;
	enum thread_kind kind;

	if (!trace)
		return;
	pthread_mutex_lock(&lock);
	count_until(l, s->index + 1);
	at = at_of(l);
	if (kind_of(s, qemu_plugin_mem_is_store(info), &kind))
		thread_trace_access(trace, &at, address, 1u << qemu_plugin_mem_size_shift(info), kind);
	pthread_mutex_unlock(&lock);
}

static void fenced(unsigned int vcpu, void *data)
{
	const struct site *s = data;
	struct lane *l = lanes[vcpu];
	struct thread_at at;

	if (!trace)
		return;
	pthread_mutex_lock(&lock);
	count_until(l, s->index + 1);
	at = at_of(l);
	thread_trace_fence(trace, &at);
	pthread_mutex_unlock(&lock);
}

static void *allocate(size_t bytes)
{
	void *p = calloc(1, bytes);

	if (!p) {
		fputs("strata: no memory for the trace\n", stderr);
		abort();
	}
	return p;
}

/* A block's sites stay for ever: QEMU may execute its code until the end. */
static void translated(uint64_t plugin, struct qemu_plugin_tb *tb)
{
	const size_t count = qemu_plugin_tb_n_insns(tb);
	struct block *b = allocate(sizeof(*b) + count * sizeof(b->sites[0]));

	(void)plugin;
	b->count = (uint32_t)count;
	b->before = allocate((count + 1) * sizeof(b->before[0]));
	qemu_plugin_register_vcpu_tb_exec_cb(tb, block_executed, QEMU_NO_REGISTERS, b);
	for (uint32_t i = 0; i < count; i++) {
		struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(tb, i);
		char *text = qemu_plugin_insn_disas(instruction);

		memcpy(b->before[i + 1], b->before[i], sizeof(b->before[i]));
		b->sites[i] = (struct site){b, i, qemu_classify(target->name, text, b->before[i + 1])};
		free(text);
		qemu_plugin_register_vcpu_mem_cb(instruction, accessed, QEMU_NO_REGISTERS, QEMU_READS_AND_WRITES,
						 &b->sites[i]);
		if (b->sites[i].atomic == QEMU_FENCE)
			qemu_plugin_register_vcpu_insn_exec_cb(instruction, fenced, QEMU_NO_REGISTERS, &b->sites[i]);
	}
}

/* In the host thread of the one that makes it. */
static void vcpu_made(uint64_t plugin, unsigned int vcpu)
{
	struct lane *maker = on_this_host, *l;

	(void)plugin;
	if (!trace)
		return;
	if (vcpu >= VCPUS_MAX) {
		fprintf(stderr, "strata: more than %d threads at once\n", VCPUS_MAX);
		abort();
	}
	pthread_mutex_lock(&lock);
	l = lanes[vcpu] ? lanes[vcpu] : allocate(sizeof(*l));
	lanes[vcpu] = l;
	*l = (struct lane){.thread = thread_count++};
	if (maker) {
		l->now_ps = maker->now_ps;
		l->clear_word = maker->child_clear;
		note(maker, THREAD_CREATE, l->thread);
	}
	pthread_mutex_unlock(&lock);
}

static void futex_called(struct lane *l, uint64_t word, uint64_t operation)
{
	switch ((int)operation & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
	case FUTEX_WAIT_REQUEUE_PI:
		l->waits_for = word;
		note(l, THREAD_WAIT, word);
		break;
	default: /* all others wake, or move who waits to a word that will be woken */
		wake_ps = l->now_ps > wake_ps ? l->now_ps : wake_ps;
		note(l, THREAD_WAKE, word);
		break;
	}
}

static void called(uint64_t plugin, unsigned int vcpu, int64_t number, uint64_t a1, uint64_t a2, uint64_t a3,
		   uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8)
{
	const uint64_t arguments[] = {a1, a2, a3, a4, a5};
	struct lane *l = lanes[vcpu];

	(void)plugin, (void)a6, (void)a7, (void)a8;
	if (!trace)
		return;
	if (number == target->execve || number == target->execveat) {
		fprintf(stderr, "strata: the program becomes another one (execve): record that one\n");
		_Exit(2);
	}
	pthread_mutex_lock(&lock);
	on_this_host = l;
	block_end(l);
	if (number == target->futex) {
		futex_called(l, a1, a2);
	} else if (number == target->clone) {
		l->child_clear = a1 & CLONE_CHILD_CLEARTID ? arguments[target->child_word] : 0;
	} else if (number == target->set_tid_address) {
		l->clear_word = a1;
	} else if (number == target->exit) {
		note(l, THREAD_END, 0);
		l->has_ended = true;
		wake_ps = l->now_ps > wake_ps ? l->now_ps : wake_ps;
		note(l, THREAD_WAKE, l->clear_word);
	}
	pthread_mutex_unlock(&lock);
}

static void returned(uint64_t plugin, unsigned int vcpu, int64_t number, int64_t result)
{
	struct lane *l = lanes[vcpu];

	(void)plugin, (void)number, (void)result;
	if (!trace)
		return;
	pthread_mutex_lock(&lock);
	if (l->waits_for) {
		l->now_ps = wake_ps > l->now_ps ? wake_ps : l->now_ps;
		note(l, THREAD_RESUME, l->waits_for);
		l->waits_for = 0;
	}
	pthread_mutex_unlock(&lock);
}

static void ended(uint64_t plugin, void *data)
{
	struct lane *last = NULL;
	struct thread_at at = {0};

	(void)plugin, (void)data;
	if (!trace)
		return;
	pthread_mutex_lock(&lock);
	for (uint32_t i = 0; i < VCPUS_MAX; i++) {
		if (!lanes[i])
			continue;
		block_end(lanes[i]);
		if (!lanes[i]->has_ended && !lanes[i]->waits_for)
			note(lanes[i], THREAD_END, 0);
		last = !last || lanes[i]->now_ps > last->now_ps ? lanes[i] : last;
	}
	if (last)
		at = at_of(last);
	if (!thread_trace_end(trace, &at)) {
		fprintf(stderr, "strata: cannot write all of %s: %s\n", path, strerror(errno));
		_Exit(125);
	}
	/* The lock stays: nobody may write any more. */
}

/* A whole number from 1 to THREAD_UNITS_MAX. */
static bool read_units(const char *text)
{
	char *end;
	const unsigned long n = strtoul(text, &end, 10);

	unit_count = (uint32_t)n;
	return *text >= '0' && *text <= '9' && !*end && n && n <= THREAD_UNITS_MAX;
}

static bool read_arguments(int argc, char **argv)
{
	for (int i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "out=", 4))
			path = strdup(argv[i] + 4);
		else if (strncmp(argv[i], "units=", 6) || !read_units(argv[i] + 6))
			return false;
	}
	return path;
}

QEMU_API int qemu_plugin_install(uint64_t plugin, const struct qemu_about *about, int argc, char **argv)
{
	char text[64];

	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++)
		if (!strcmp(targets[i].name, about->target_name))
			target = &targets[i];
	if (about->system_emulation || !target || !read_arguments(argc, argv)) {
		fprintf(stderr,
			"strata: the plugin is for x86_64 and aarch64 in user mode, with out=FILE and units=1 to %d\n",
			THREAD_UNITS_MAX);
		return 1;
	}
	snprintf(text, sizeof(text), "qemu.target=%s\nqemu.instruction_ps=%d\n", target->name, INSTRUCTION_PS);
	trace = thread_trace_create(path, text, unit_count);
	if (!trace) {
		fprintf(stderr, "strata: cannot write %s: %s\n", path, strerror(errno));
		return 1;
	}
	if (pthread_atfork(before_fork, after_fork, after_fork_in_child)) {
		fprintf(stderr, "strata: no memory for the trace\n");
		return 1;
	}
	qemu_plugin_register_vcpu_init_cb(plugin, vcpu_made);
	qemu_plugin_register_vcpu_tb_trans_cb(plugin, translated);
	qemu_plugin_register_vcpu_syscall_cb(plugin, called);
	qemu_plugin_register_vcpu_syscall_ret_cb(plugin, returned);
	qemu_plugin_register_atexit_cb(plugin, ended, NULL);
	return 0;
}
