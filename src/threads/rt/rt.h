/* rt.h - the runtime inside a program that strata cc has built: threads as coroutines, and what they wait for.
 *
 * Files of two kinds. Those with plain code (sched, thread, signal, start, arena, address, clock, report, real) are the
 * simulator's side: between two hooks they are not interrupted. Those with the program's code (pthread, semaphore,
 * string, and omp/) go through the plugin like the program, so that they cost what they execute; they wait in
 * __strata_wait. Without STRATA_THREADS_MODEL in the environment __strata_on stays 0 and every interposed function is
 * the C library's.
 */
#ifndef STRATA_THREADS_RT_H
#define STRATA_THREADS_RT_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "threads/model.h"

#define RT_API __attribute__((visibility("default")))

/* Where the fixed parts of a process lie, so that addresses are the same in every run. */
#define RT_HEAP_BASE 0x100000000000u
#define RT_STACK_BASE THREAD_STACKS_BEGIN
#define RT_MAP_BASE THREAD_STACKS_END
#define RT_FIXED_END 0x500000000000u
#define RT_STACK_SLOT ((uint64_t)1 << 28)
enum {
	RT_STACK_SLOTS = 65536,
	RT_STACK_MODEL = 256 << 10 /* more than the program asks for: the model runs on it, too */
};

/* Equal places in all slots would be the same sets of the host's caches and of its table of translations, and there are
 * hundreds of stacks: each lies a page and a line further below its slot's end than the one before. The model's
 * addresses are without that. */
enum { RT_STACK_SHIFT = 4096 + 128, RT_STACK_SHIFTS = 1024 };
static inline uint64_t rt_stack_shift(uint32_t slot)
{
	return (uint64_t)(slot % RT_STACK_SHIFTS) * RT_STACK_SHIFT;
}

enum rt_state { RT_READY, RT_RUNNING, RT_STALLED, RT_WAITING, RT_ENDED };

struct rt_thread {
	uint32_t id, unit, slot;
	enum rt_state state;
	uint64_t sp, fs; /* while it does not run */
	uint64_t stack_end; /* its lowest address; nothing is below */
	const void *hooked_at;
	uint64_t ready_ps;
	struct rt_thread *next; /* in the queue of its unit, or of those that wait in the same bucket */
	pthread_t host;         /* the parked thread whose stack and thread-local storage it has */
	uint32_t host_state;    /* futex of the parked thread */
	void *(*start)(void *);
	void *arg, *result;
	uint32_t ended; /* futex of those that join */
	bool is_detached, is_joined;
	bool is_cancelled, is_uncancellable, is_ending, is_at_point;
	bool awaits_message; /* of an accelerator, or room for one to it: its unit is free meanwhile */
	bool is_plain; /* it is in a hook with THREAD_SITE_PLAIN */
	/* while it waits */
	const void *word;
	uint64_t deadline_ps;
	struct rt_thread *timer_next;
	bool is_timed_out;
	enum thread_waits_for waits_for;
	void *answer;               /* bytes that the model gave */
	/* The access that it makes when its unit's turn comes, and where; NULL: none. */
	const struct thread_site *site;
	void *address;
	/* The call that waits for descriptors, or NULL, and for which; the mask of signals that it has meanwhile. */
	const char *call;
	struct pollfd *descriptors;
	uint32_t descriptor_count, descriptor_word; /* the futex that it waits for; it stays 0 */
	const sigset_t *descriptor_mask;
	struct rt_thread *descriptor_next;
	bool is_interrupted, is_restarted; /* by a signal; whose handler wants the call to go on */
	bool is_asynchronous, is_struck;   /* cancelled at any place, at its next hook */
	const sigset_t *signal_set; /* that it waits for, or NULL */
	uint32_t signal_number;     /* futex: what came */
	uint64_t signals;           /* kept for its next hook, a bit each */
	void *cleanup;              /* innermost pthread_cleanup_push of C */
	uint32_t team_first, team_count; /* units of the threads that it makes; 0: the machine's choice */
	bool has_next;                   /* OpenMP makes its next thread for this place: */
	struct thread_place next_place;
};

extern RT_API uint8_t __strata_on;
extern const struct thread_model *rt_model;

/* sched.c */
void rt_sched_init(struct thread_machine machine);
struct rt_thread *rt_self(void);
uint64_t rt_now_ps(void);
void rt_spend(uint64_t ps);

/* Other threads run until the running one is the earliest: before what it does to the machine or to them. */
void rt_take_turn(void);

/* The time of a system call; what the call does comes after all that is earlier. */
void rt_call_system(void);
void rt_yield(void);  /* lets earlier units run; and, where its slice is over, other threads of the unit */
void rt_rotate(void); /* the other threads of the unit first */
bool rt_is_elsewhere(void); /* what happens is the calling thread's, but on another one's stack */
void rt_check_time(void);
void rt_pages_change(void); /* some of the program's memory is gone, or may be accessed no longer */
void rt_block(void); /* until rt_ready */
void rt_ready(struct rt_thread *t, uint64_t time_ps);
void rt_timer_add(struct rt_thread *t, uint64_t deadline_ps);
void rt_timer_remove(struct rt_thread *t);
void rt_event_at(uint64_t time_ps);
void rt_assign(struct rt_thread *t, uint32_t first, uint32_t count); /* to the emptiest of these units */
void rt_leave(struct rt_thread *t);                                  /* ended: does not come back */
uint32_t rt_live_count(void);                                        /* threads that have not ended */
void rt_move(uint32_t unit);                                         /* the calling thread, to another unit */
void rt_wait_cancel(struct rt_thread *t);
void rt_note(enum thread_event event, uint64_t value);
struct thread_at rt_at(void);
void rt_begin(struct rt_thread *t);
const struct thread_machine *rt_machine(void);
uint64_t rt_create_ps(void);
uint32_t rt_emptiest(uint32_t first, uint32_t count); /* of these units */
int64_t rt_ask(const struct thread_ask *ask);         /* the reply's result, when the thread goes on */
int rt_wake(const uint32_t *word, int count); /* what __strata_wake does when its time is over */
void rt_wake_free(const uint32_t *word);              /* as __strata_wake of all, at once and for nothing */
extern const void *rt_accessed;                       /* at the last hook */
bool rt_is_functional(void);                          /* accesses do not reach the model */
void rt_set_functional(bool is);
extern const struct thread_runtime rt_for_model;
void rt_switch(uint64_t *save_sp, uint64_t sp);
void rt_report_all(void (*report)(struct rt_thread *t)); /* called on the stack of each thread that waits */
uint32_t rt_stalled_count(void);                         /* threads that the model has not answered */

/* thread.c */
struct rt_thread *rt_thread_new(void *(*start)(void *), void *arg, size_t stack_bytes);
struct rt_thread *rt_thread_of(pthread_t handle); /* NULL: none that lives or can be joined */
struct rt_thread *rt_thread_by_id(uint32_t id);
_Noreturn void rt_thread_exit(void *result);
_Noreturn void rt_thread_finish(void *result);
void rt_thread_free(struct rt_thread *t); /* joined, or ended detached */
void rt_thread_reap(void);
void rt_thread_joined(struct rt_thread *t); /* its memory goes */
int rt_run_main(int (*main)(int, char **, char **), int argc, char **argv, char **envp);

/* Waiting, also in the program's code. It ends with 0, EAGAIN (the word is another) or ETIMEDOUT; at a point of
 * cancellation also with EINTR. Addresses of words tell waits apart. */
#define RT_NEVER UINT64_MAX
RT_API int __strata_wait(const uint32_t *word, uint32_t expected, uint64_t deadline_ps);
RT_API int __strata_wait_lock(const uint32_t *word, uint32_t expected, uint64_t deadline_ps);
RT_API int __strata_wait_barrier(const uint32_t *word, uint32_t expected, uint64_t deadline_ps);
RT_API int __strata_wait_work(const uint32_t *word, uint32_t expected, uint64_t deadline_ps);
RT_API int __strata_wait_join(const uint32_t *word, uint32_t expected, uint64_t deadline_ps); /* is such a point */
RT_API int __strata_wait_point(const uint32_t *word, uint32_t expected, uint64_t deadline_ps);
RT_API int __strata_wake(const uint32_t *word, int count); /* returns how many */
RT_API uint64_t __strata_now_ps(void);

/* clock.c: simulated time at which the clock shows this. */
uint64_t rt_deadline_ps(clockid_t clock, const struct timespec *at);
/* pthread.c: the calling thread is cancelled. */
_Noreturn void rt_thread_cancel_now(void);

/* address.c: of the model. */
uint64_t rt_address(const void *p);
void rt_address_init(void); /* on the process's first thread */

/* arena.c */
bool rt_is_modelled(void); /* the process was started to be modelled, and this is not its model's code */
extern bool rt_in_model;   /* allocations are the model's */
/* The model runs, and what it calls of the C library is the C library's. */
static inline void rt_enter_model(void)
{
	rt_in_model = true;
	__strata_on = 0;
}
static inline void rt_leave_model(void)
{
	rt_in_model = false;
	__strata_on = 1;
}

/* real.c: a function of the C library behind one of ours. */
void *rt_real(const char *name);
#define RT_REAL(name)                                              \
	({                                                         \
		static __typeof__(&name) real_;                    \
		if (!real_)                                        \
			real_ = (__typeof__(&name))rt_real(#name); \
		real_;                                             \
	})

/* report.c */
void rt_report_init(void);
bool rt_is_own_code(const void *place); /* the program's or the runtime's, not a library's */
bool rt_is_program(const void *place);
void rt_sources(const void *const *places, uint32_t count, struct thread_source *out);
void rt_report_where(const char *what, const struct rt_thread *t);
_Noreturn void rt_deadlock(void);
_Noreturn void rt_fail_thread(uint32_t thread, const char *text); /* see struct thread_runtime */
bool rt_is_crash(int number);                                      /* signals that end a program with a message */
int rt_crash_watch(int number);
void rt_crash(int number, const siginfo_t *info, void *context);
void rt_message(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* unmodelled.c. The plugin puts this before calls of functions that the file does not define. */
#define RT_TSAN_CALLS "(functions of -fsanitize=thread)"
RT_API void __strata_called(struct thread_call *c);
void rt_report_calls(void);
bool rt_unmodelled(uint64_t *instructions); /* see struct thread_runtime */

/* place.c */
uint32_t rt_processor_count(void); /* that programs are told of */
uint32_t rt_ndp_cores(void);
uint32_t rt_ndp_of(uint32_t unit); /* UINT32_MAX: a core of the CPU */
void rt_place_new(struct rt_thread *t);
int rt_run_on(uint32_t ndp, uint32_t core); /* UINT32_MAX: the CPU; the emptiest core */
int rt_team_on(uint32_t ndp);

/* descriptor.c: calls that wait for file descriptors. */
extern bool rt_descriptors_are_awaited;
void rt_descriptors_init(void); /* before main */
void rt_descriptors_change(void); /* sched.c: something may be ready now, looked at before the next hook */
void rt_descriptors_look(void); /* who waits for one that is ready goes on */
bool rt_descriptors_block(void); /* of the host, until there is one; false: nobody outside can make one ready */
void rt_descriptors_await(const struct rt_thread *t, uint64_t ps); /* its time is over after this */
void rt_descriptor_interrupt(struct rt_thread *t);
void rt_end_wait(struct rt_thread *t); /* sched.c */

/* The hooks that the runtime itself uses. */
RT_API void *__strata_access(void *address, const struct thread_site *site);
RT_API void __strata_fence(const struct thread_site *site);
/* Before what others may see and the model does not: in the order of time. The plugin puts it before calls of what has
 * no hooks. */
RT_API void __strata_turn(void);
/* See THREAD_SITE_PLAIN. */
RT_API void __strata_own(void);

/* handler.c: a debugger gets the traps of this process. */
bool rt_is_traced(void);

/* libraries.c: NULL, or a shared library that is loaded and cannot be modelled. Looks only if there are new ones. */
const char *rt_library_of_another_version(void);
bool rt_library_is_modelled(const char *path); /* strata cc has built it */

/* numa.c */
uint32_t rt_node_of(uint32_t unit); /* as programs number nodes */
bool rt_is_numa_call(long number);
long rt_numa_call(long number, const long *args); /* as syscall(): -1 and errno */
void rt_numa_init(void);                          /* the policy that the environment names */

/* handler.c: signals that wait for a hook. */
extern bool rt_signal_is_kept;
void rt_signals_init(void);
void rt_signals_deliver(void);
/* Of the host, for which the program has no handler, and which ends it; 0: none has come. */
extern volatile sig_atomic_t rt_end_signal;
_Noreturn void rt_end_by_signal(void);
bool rt_signal_direct(struct rt_thread *t, int number); /* to that thread; false: the program has no handler */
void rt_signals_forget(struct rt_thread *t);
void rt_signal_strike(struct rt_thread *t); /* cancels it at its next hook */
bool rt_signals_are_handled(void);          /* some signal, by the program */
bool rt_signals_restart(const struct rt_thread *t); /* all that are kept for it: they restart system calls */

/* start.c */
extern bool rt_owes_end; /* the model is to be told of the program's end */
void rt_finish(int signal); /* 0: it ends by itself */
_Noreturn void rt_fail(int status);             /* ends the process at once */
_Noreturn void rt_leave_process(int status);    /* without any code of the program or of a library */
_Noreturn void rt_fail_without_end(int status); /* the model is not told: it failed, or said it cannot go on */

#endif
