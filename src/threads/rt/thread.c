/* thread.c - threads that begin and end: each has the stack and the thread-local storage of a parked thread of the
 * host.
 *
 * pthread_create of the C library makes the parked thread on a stack at a fixed place, so that errno, _Thread_local,
 * the allocator's caches and pthread_self are right for whoever runs with its FS base. It sleeps until its simulated
 * thread has ended; then it returns and is joined.
 */
#include "threads/rt/rt.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

enum { HOST_STARTING, HOST_PARKED, HOST_RELEASED };
enum {
	PARK_BYTES = 8192,       /* of the stack, for the parked thread itself */
	MODEL_BYTES = RT_STACK_MODEL,
	DEFAULT_BYTES = 8 << 20
};

static struct rt_thread **threads; /* by number, NULL: gone */
static uint32_t thread_count, thread_room;
static struct rt_thread *by_slot[RT_STACK_SLOTS];
static uint32_t slot_count;
static struct rt_thread *to_reap;
static pthread_t main_handle;

static long host_futex(uint32_t *word, int op, uint32_t value)
{
	long result;
	register long timeout __asm__("r10") = 0;

	/* Not by syscall(): errno is of whoever runs. */
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"((long)SYS_futex), "D"(word), "S"((long)op | FUTEX_PRIVATE_FLAG), "d"((long)value),
			   "r"(timeout)
			 : "rcx", "r11", "memory");
	return result;
}

static void host_wait_while(uint32_t *word, uint32_t value)
{
	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == value)
		host_futex(word, FUTEX_WAIT, value);
}

static void host_set(uint32_t *word, uint32_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
	host_futex(word, FUTEX_WAKE, 1);
}

static void *park(void *arg)
{
	struct rt_thread *t = arg;

	__asm__("mov %%fs:0, %0" : "=r"(t->fs));
	t->sp = ((uint64_t)__builtin_frame_address(0) - PARK_BYTES) & ~(uint64_t)63;
	host_set(&t->host_state, HOST_PARKED);
	host_wait_while(&t->host_state, HOST_PARKED);
	return NULL;
}

/* A thread begins here, on its own stack. */
static void begin(void)
{
	struct rt_thread *t = rt_self();

	rt_thread_reap();
	rt_thread_exit(t->start(t->arg));
}

/* Where unwinders and backtraces end. */
__asm__(".pushsection strata_text, \"ax\", @progbits\n"
	".globl rt_entry\n.hidden rt_entry\n.type rt_entry, @function\n"
	"rt_entry:\n"
	"	.cfi_startproc\n	.cfi_undefined rip\n"
	"	xor %ebp, %ebp\n	call *%rbx\n	ud2\n"
	"	.cfi_endproc\n"
	".size rt_entry, .-rt_entry\n"
	".popsection\n");
void rt_entry(void);

/* The stack as rt_switch leaves it. */
static void make_frame(struct rt_thread *t, void (*first)(void))
{
	uint64_t *sp = (uint64_t *)t->sp;
	uint32_t modes[2];

	__asm__("stmxcsr %0\n	fnstcw %1" : "=m"(modes[0]), "=m"(modes[1]));
	*--sp = 0; /* two: the stack is aligned when rt_entry calls */
	*--sp = 0;
	*--sp = (uint64_t)rt_entry;
	*--sp = 0;               /* rbp */
	*--sp = (uint64_t)first; /* rbx */
	for (int i = 0; i < 4; i++)
		*--sp = 0;
	memcpy(--sp, modes, sizeof(modes));
	t->sp = (uint64_t)sp;
}

/* The program's blocks lie behind: where must not be a matter of what the scheduler keeps of a thread. */
enum { THREAD_ROOM_BYTES = 512 };
_Static_assert(sizeof(struct rt_thread) <= THREAD_ROOM_BYTES, "a thread has room");

static struct rt_thread *add(uint32_t slot)
{
	struct rt_thread *t;

	/* In the program's memory: its functions wait for words of it; the model's allocator is not to decide where. */
	if (thread_count == thread_room) {
		thread_room = thread_room ? 2 * thread_room : 64;
		threads = realloc(threads, thread_room * sizeof(threads[0]));
	}
	t = calloc(1, THREAD_ROOM_BYTES);
	t->id = thread_count;
	t->slot = slot;
	t->deadline_ps = RT_NEVER;
	threads[thread_count++] = t;
	by_slot[slot] = t;
	return t;
}

/* Where its stack ends, which begins there. */
static char *slot_top(uint32_t slot)
{
	return (char *)RT_STACK_BASE + (slot + 1) * RT_STACK_SLOT - rt_stack_shift(slot);
}

/* The stack; NULL: there is no room. */
static char *slot_map(uint32_t slot, size_t bytes)
{
	const uint64_t page = 4096, top = (uint64_t)slot_top(slot), first = (top - bytes) & ~(page - 1);
	const uint64_t end = (top + page - 1) & ~(page - 1);
	const void *at = mmap((void *)first, end - first, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK | MAP_FIXED_NOREPLACE, -1, 0);

	return at == MAP_FAILED ? NULL : slot_top(slot) - bytes;
}

static void slot_unmap(uint32_t slot)
{
	RT_REAL(munmap)((void *)(RT_STACK_BASE + slot * RT_STACK_SLOT), RT_STACK_SLOT);
	rt_pages_change();
}

/* The lowest that is free, so that equal runs have equal stacks. */
static uint32_t slot_find(void)
{
	uint32_t slot = 0;

	while (slot < slot_count && by_slot[slot])
		slot++;
	if (slot == slot_count)
		slot_count++;
	return slot;
}

/* The pages of a stack that was there before are gone: the new one's are whose who touches them first. */
static void forget_pages(char *stack, size_t bytes)
{
	if (__strata_on)
		rt_ask(&(struct thread_ask){
		    .kind = THREAD_ASK_UNMAP, .address = rt_address(stack), .bytes = bytes, .value = 1});
}

struct rt_thread *rt_thread_new(void *(*start)(void *), void *arg, size_t stack_bytes)
{
	const uint32_t slots_before = slot_count;
	uint32_t slot = slot_find();
	size_t bytes = ((stack_bytes ? stack_bytes : DEFAULT_BYTES) + MODEL_BYTES + PARK_BYTES + 4095) & ~(size_t)4095;
	struct rt_thread *t;
	sigset_t all, old;
	pthread_attr_t attr;
	char *stack;
	int error;

	if (slot == RT_STACK_SLOTS || bytes > RT_STACK_SLOT / 2)
		return NULL;
	stack = slot_map(slot, bytes);
	if (!stack)
		return NULL;
	t = add(slot);
	t->stack_end = (uint64_t)stack & ~(uint64_t)4095;
	t->start = start;
	t->arg = arg;
	if (slot < slots_before)
		forget_pages(stack, bytes);
	sigfillset(&all);
	rt_in_model = true;
	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, stack, bytes);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	error = RT_REAL(pthread_create)(&t->host, &attr, park, t);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	rt_in_model = false;
	if (error) {
		rt_message("cannot make thread %u on this host: %s", t->id, strerror(error));
		rt_fail(125);
	}
	host_wait_while(&t->host_state, HOST_STARTING);
	make_frame(t, begin);
	rt_place_new(t);
	return t;
}

struct rt_thread *rt_thread_of(pthread_t handle)
{
	uint64_t at = (uint64_t)handle;

	if (handle == main_handle)
		return threads[0];
	if (at < RT_STACK_BASE || at >= RT_STACK_BASE + slot_count * RT_STACK_SLOT)
		return NULL;
	return by_slot[(at - RT_STACK_BASE) / RT_STACK_SLOT];
}

struct rt_thread *rt_thread_by_id(uint32_t id)
{
	static struct rt_thread gone = {.state = RT_ENDED};

	if (id >= thread_count)
		return NULL;
	return threads[id] ? threads[id] : &gone;
}

/* Thread-local objects of C++ and the keys of pthreads go while their thread still runs, in simulated time. */
enum { KEY_ROUNDS = 4, KEYS = PTHREAD_KEYS_MAX };
static void (*destructors[KEYS])(void *);

RT_API int pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
	/* The parked thread must not find it when it returns. */
	int error = RT_REAL(pthread_key_create)(key, rt_is_modelled() ? NULL : destructor);

	if (!error && *key < KEYS)
		destructors[*key] = destructor;
	return error;
}

RT_API int pthread_key_delete(pthread_key_t key)
{
	if (key < KEYS)
		destructors[key] = NULL;
	return RT_REAL(pthread_key_delete)(key);
}

static void end_keys(void)
{
	bool any = true;

	for (int round = 0; any && round < KEY_ROUNDS; round++) {
		any = false;
		for (pthread_key_t key = 0; key < KEYS; key++) {
			void *value = destructors[key] ? pthread_getspecific(key) : NULL;

			if (!value)
				continue;
			any = true;
			pthread_setspecific(key, NULL);
			destructors[key](value);
		}
	}
}

void rt_thread_exit(void *result)
{
	static void (*end_objects)(void);
	static bool is_looked_up;
	struct rt_thread *self = rt_self();

	__strata_turn();
	self->is_ending = true;
	if (!is_looked_up)
		end_objects = (void (*)(void))rt_real("__call_tls_dtors");
	is_looked_up = true;
	if (end_objects)
		end_objects();
	end_keys();
	rt_thread_finish(result);
}

void rt_thread_finish(void *result)
{
	struct rt_thread *self = rt_self();

	if (rt_live_count() == 1)
		exit(0);
	rt_signals_forget(self);
	rt_note(THREAD_END, 0);
	self->result = result;
	rt_call_system();
	if (rt_live_count() == 1) /* others have ended meanwhile */
		exit(0);
	self->ended = 1; /* from here on who joins may free it: no others run before it has left */
	rt_wake(&self->ended, INT32_MAX);
	self->state = RT_ENDED;
	to_reap = self;
	rt_leave(self);
	__builtin_unreachable();
}

void rt_thread_free(struct rt_thread *t)
{
	threads[t->id] = NULL;
	free(t);
}

/* The thread that ended before the one that runs now: its stack is no longer used by us. */
void rt_thread_reap(void)
{
	struct rt_thread *t = to_reap;

	if (!t)
		return;
	to_reap = NULL;
	if (t->id == 0) { /* main's by pthread_exit: its storage is the process's */
		return;
	}
	rt_in_model = true; /* nothing of the program's is there any more: who comes to a hook is said to */
	host_set(&t->host_state, HOST_RELEASED);
	RT_REAL(pthread_join)(t->host, NULL);
	rt_in_model = false;
	t->host_state = HOST_STARTING;
	if (t->is_detached) {
		slot_unmap(t->slot);
		by_slot[t->slot] = NULL;
		rt_thread_free(t);
	}
}

void rt_thread_joined(struct rt_thread *t)
{
	if (t->id == 0)
		return;
	slot_unmap(t->slot);
	by_slot[t->slot] = NULL;
	rt_thread_free(t);
}

/* main on a stack of its own, at a fixed place, with the storage of the process's first thread. */
static struct {
	int (*main)(int, char **, char **);
	int argc;
	char **argv, **envp;
} entry;

static void begin_main(void)
{
	rt_numa_init();
	exit(entry.main(entry.argc, entry.argv, entry.envp));
}

/* The arguments as texts on that stack: the kernel puts its own at random places. Their room has steps of
 * ARGUMENTS_BYTES, and the program's path is the last of them: neither main's frame nor another text moves with its
 * length. */
enum { ARGUMENTS_BYTES = 64 << 10 };

static char **copy_arguments(uint64_t *sp, int argc, char **argv)
{
	uint64_t bytes = (uint64_t)(argc + 1) * sizeof(char *);
	char **copy, *text;

	for (int i = 0; i < argc; i++)
		bytes += strlen(argv[i]) + 1;
	*sp = (*sp - bytes) & ~(uint64_t)(ARGUMENTS_BYTES - 1);
	copy = (char **)*sp;
	text = (char *)(copy + argc + 1);
	for (int i = 1; i <= argc; i++) {
		copy[i % argc] = text;
		text = stpcpy(text, argv[i % argc]) + 1;
	}
	copy[argc] = NULL;
	return copy;
}

int rt_run_main(int (*main)(int, char **, char **), int argc, char **argv, char **envp)
{
	static uint64_t here;
	uint32_t slot = slot_find();
	size_t bytes = RT_STACK_SLOT / 2;
	struct rt_thread *t;
	const char *stack;

	stack = slot_map(slot, bytes);
	if (!stack) {
		rt_message("no room for a stack");
		rt_fail(125);
	}
	t = add(slot);
	t->stack_end = (uint64_t)stack & ~(uint64_t)4095;
	main_handle = t->host = pthread_self();
	__asm__("mov %%fs:0, %0" : "=r"(t->fs));
	t->sp = (uint64_t)slot_top(slot) - 64;
	entry.main = main;
	entry.argc = argc;
	entry.argv = copy_arguments(&t->sp, argc, argv);
	entry.envp = envp;
	make_frame(t, begin_main);
	rt_begin(t);
	__strata_on = 1;
	rt_owes_end = true;
	rt_switch(&here, t->sp);
	__builtin_unreachable();
}
