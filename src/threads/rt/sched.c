/* sched.c - which thread runs: units in order of simulated time, the threads of a unit in turns, timers, waiting. */
#include "threads/rt/rt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { HOST_LINE = 64 };
struct unit {
	uint64_t now_ps, slice_end_ps;
	struct rt_thread *running, *first, *last;
	uint32_t live_count;
	bool is_ready;	   /* it runs, or would in its turn; not while it waits for the model */
	uint64_t ahead_ps; /* how far it may be beyond the limit below */
	uint64_t sp;	   /* about: of its thread that waits for the model */
} __attribute__((aligned(HOST_LINE)));

static struct thread_machine machine;
static struct unit units[THREAD_UNITS_MAX];
static struct unit *current;
/* The current unit runs until it is beyond this: then another unit, the model or a timer comes first, so that what has
 * no effect on a unit (the model has nothing to do after all) does not change who comes before whom. */
static uint64_t limit_ps;
/* The current unit is beyond it, by accesses that nobody else finds before their time: what comes in between, calls of
 * the runtime and of libraries, first waits for the unit's turn. */
static bool is_ahead;
static struct rt_thread *timers;       /* by deadline, then in the order of coming */
static uint64_t event_ps = UINT64_MAX; /* the model's next */
static uint32_t live_count, stalled_count;
/* By the lowest bits of a thread's number, which waits for the model: where. The thread itself has long left the host's
 * caches where there are many. */
static struct stalled {
	uint32_t thread, place; /* place: the unit, + 1; 0: none */
} stalled[THREAD_UNITS_MAX];
static struct rt_thread *leaving; /* whose stack is used while the next thread is looked for, else NULL */
static bool is_elsewhere;
static bool has_fsgsbase, is_functional;
const void *rt_accessed;
static void (*reporting)(struct rt_thread *t);
static uint64_t stack_end; /* of the running thread's */

/* The callee-saved state on the stack, the stack pointer exchanged. */
__asm__(".text\n"
	".globl rt_switch\n.hidden rt_switch\n.type rt_switch, @function\n"
	"rt_switch:\n"
	"	push %rbp\n	push %rbx\n	push %r12\n	push %r13\n	push %r14\n	push %r15\n"
	"	sub $8, %rsp\n	stmxcsr (%rsp)\n	fnstcw 4(%rsp)\n"
	"	mov %rsp, (%rdi)\n"
	"	mov %rsi, %rsp\n"
	"	ldmxcsr (%rsp)\n	fldcw 4(%rsp)\n	add $8, %rsp\n"
	"	pop %r15\n	pop %r14\n	pop %r13\n	pop %r12\n	pop %rbx\n	pop %rbp\n"
	"	ret\n"
	".size rt_switch, .-rt_switch\n");

static uint64_t fs_loaded;

static void set_fs(uint64_t fs)
{
	if (fs == fs_loaded)
		return;
	fs_loaded = fs;
	if (has_fsgsbase)
		__asm__ volatile("wrfsbase %0" ::"r"(fs) : "memory");
	else
		__asm__ volatile("syscall" ::"a"((long)SYS_arch_prctl), "D"(0x1002l /* ARCH_SET_FS */), "S"(fs)
				 : "rcx", "r11", "memory");
}

#include "threads/rt/ready.inc"

void rt_sched_init(struct thread_machine m)
{
	machine = m;
	has_fsgsbase = getauxval(AT_HWCAP2) & 2; /* HWCAP2_FSGSBASE */
	for (uint32_t i = m.cpu_unit_count; m.ahead_ps && i < m.unit_count; i++)
		units[i].ahead_ps = m.ahead_ps;
}

/* ---- how far the current unit may go ---- */

static void limit_before(uint64_t time_ps)
{
	const uint64_t last_ps = time_ps ? time_ps - 1 : 0;

	if (last_ps < limit_ps)
		limit_ps = last_ps;
}

/* Of two at the same time the one with the lower number goes first. */
static void limit_by_unit(uint32_t unit, uint64_t now_ps)
{
	if (unit < (uint32_t)(current - units))
		limit_before(now_ps + machine.quantum_ps);
	else
		limit_before(now_ps + machine.quantum_ps + 1);
}

uint32_t rt_live_count(void)
{
	return live_count;
}

struct rt_thread *rt_self(void)
{
	return current->running;
}

uint64_t rt_now_ps(void)
{
	return current->now_ps;
}

static void enqueue(struct unit *u, struct rt_thread *t)
{
	t->next = NULL;
	if (u->first)
		u->last->next = t;
	else
		u->first = t;
	u->last = t;
}

void rt_ready(struct rt_thread *t, uint64_t time_ps)
{
	struct unit *u = &units[t->unit];

	t->state = RT_READY;
	t->ready_ps = time_ps;
	if (!u->is_ready && !u->running) {
		if (u->now_ps < time_ps)
			u->now_ps = time_ps;
		enqueue(u, t);
		u->is_ready = true;
		ready_add(u);
	} else {
		enqueue(u, t);
		if (u->slice_end_ps > u->now_ps + machine.slice_ps)
			u->slice_end_ps = u->now_ps + machine.slice_ps;
	}
	if (u != current)
		limit_by_unit(t->unit, u->now_ps);
	else if (u->running) /* no longer alone there */
		limit_before(u->slice_end_ps);
}

void rt_timer_add(struct rt_thread *t, uint64_t deadline_ps)
{
	struct rt_thread **at = &timers;

	t->deadline_ps = deadline_ps;
	while (*at && (*at)->deadline_ps <= deadline_ps)
		at = &(*at)->timer_next;
	t->timer_next = *at;
	*at = t;
}

void rt_timer_remove(struct rt_thread *t)
{
	for (struct rt_thread **at = &timers; *at; at = &(*at)->timer_next)
		if (*at == t) {
			*at = t->timer_next;
			return;
		}
}

void rt_event_at(uint64_t time_ps)
{
	if (time_ps < event_ps)
		event_ps = time_ps;
	limit_before(event_ps);
}

/* Those who wait for a word, by its address; in each bucket in the order of coming. */
enum { BUCKETS = 1024 };
static struct rt_thread *waiting[BUCKETS];

static struct rt_thread **bucket_of(const void *word)
{
	return &waiting[((uintptr_t)word >> 2) * 0x9e3779b97f4a7c15u >> 54];
}

static void forget(struct rt_thread *t)
{
	for (struct rt_thread **at = bucket_of(t->word); *at; at = &(*at)->next)
		if (*at == t) {
			*at = t->next;
			return;
		}
}

static void advance_model(uint64_t others_ps)
{
	uint64_t until = event_ps;

	event_ps = UINT64_MAX;
	rt_enter_model();
	rt_model->advance(rt_model->self, until, others_ps);
	rt_leave_model();
}

/* Nobody comes to a hook while only the model has something to do. */
static void end_if_signalled(uint64_t now_ps)
{
	if (__builtin_expect(!rt_end_signal, 1))
		return;
	if (current->now_ps < now_ps)
		current->now_ps = now_ps;
	rt_end_by_signal();
}

/* Nothing happens before the thread's time is over, but what others than this process do. */
static bool is_one_ready_by(const struct rt_thread *t)
{
	rt_descriptors_await(t, t->deadline_ps > current->now_ps ? t->deadline_ps - current->now_ps : 0);
	end_if_signalled(current->now_ps);
	return ready.count;
}

/* The unit that is earliest, after all that comes before it: it waits no longer. */
static struct unit *take_earliest(void)
{
	for (;;) {
		uint64_t now = ready.count ? units[unit_of(ready_first())].now_ps : UINT64_MAX;

		if (event_ps != UINT64_MAX && event_ps <= now && (!timers || event_ps <= timers->deadline_ps)) {
			const uint64_t event = event_ps;

			advance_model(timers && timers->deadline_ps < now ? timers->deadline_ps : now);
			end_if_signalled(event);
		} else if (timers && timers->deadline_ps <= now) {
			struct rt_thread *t = timers;

			if (__builtin_expect(rt_descriptors_are_awaited, 0) && !ready.count && is_one_ready_by(t))
				continue;
			timers = t->timer_next;
			t->is_timed_out = true;
			if (t->word)
				forget(t);
			rt_ready(t, t->deadline_ps);
		} else if (ready.count) {
			return ready_take();
		} else if (rt_descriptors_are_awaited && rt_descriptors_block()) {
			end_if_signalled(current->now_ps);
		} else {
			rt_deadlock();
		}
	}
}

static void set_limit(void)
{
	limit_ps = UINT64_MAX;
	if (ready.count) {
		const uint32_t next = unit_of(ready_first());

		limit_by_unit(next, units[next].now_ps);
	}
	if (timers)
		limit_before(timers->deadline_ps);
	limit_before(event_ps);
	if (current->first)
		limit_before(current->slice_end_ps);
	if (__builtin_expect(rt_descriptors_are_awaited, 0))
		limit_before(current->now_ps + machine.slice_ps);
}

#include "threads/rt/look.inc"

/* The thread that has waited longest; the unit is not earlier than when that is ready. */
static void take_next(struct unit *u)
{
	u->running = u->first;
	u->first = u->first->next;
	if (u->now_ps < u->running->ready_ps)
		u->now_ps = u->running->ready_ps;
	u->slice_end_ps = u->now_ps + machine.slice_ps;
}

/* Behind the hook that the running thread called last. */
static const void *hooked_at;

/* The hooks' side of time, here because they need current. */
static struct thread_at at_now(void)
{
	const struct rt_thread *t = current->running; /* NULL: all wait, and the program ends */

	return (struct thread_at){t ? t->unit : 0, t ? t->id : 0, current->now_ps, 0, hooked_at, NULL};
}

/* An access of the current unit's thread. False: it waits for it. */
static inline bool is_done(struct rt_thread *self, void *address, uint32_t size, const struct thread_site *site)
{
	struct thread_at at = at_now();
	struct thread_answer answer;

	at.site = site;
	rt_accessed = address;
	rt_enter_model();
	answer = rt_model->access(rt_model->self, &at, rt_address(address), address, size,
				  (enum thread_kind)site->kind);
	rt_leave_model();
	if (answer.done_ps == THREAD_WAITS)
		return false;
	current->now_ps = answer.done_ps;
	self->answer = answer.bytes;
	return true;
}

/* Until the model answers: the unit has nothing else to do. */
static void stall(struct unit *u, uint64_t sp)
{
	struct rt_thread *t = u->running;

	t->state = RT_STALLED;
	stalled[t->id % THREAD_UNITS_MAX] = (struct stalled){t->id, (uint32_t)(u - units) + 1};
	u->sp = sp;
	stalled_count++;
	u->is_ready = false;
}

bool rt_is_elsewhere(void)
{
	return is_elsewhere;
}

/* A unit's turn has come, and its thread has an access to make: no need to go to its stack only to leave it again.
 * True: it goes on, after the access or, where signals are kept, before it. */
static bool makes_access(struct unit *u, struct rt_thread *t)
{
	const struct thread_site *site = t->site;
	bool is_over;

	if (__builtin_expect(rt_signal_is_kept, 0))
		return true;
	t->site = NULL;
	current = u;
	hooked_at = t->hooked_at;
	is_elsewhere = t != leaving;
	t->state = RT_STALLED; /* for whoever reports where it is */
	is_over = is_done(t, t->address, site->bytes, site);
	is_elsewhere = false;
	if (!is_over)
		stall(u, t->sp);
	return is_over;
}

/* From the thread that ran to the next one. */
static void switch_from(struct rt_thread *from)
{
	struct unit *u;
	struct rt_thread *t;

	leaving = from;
	from->hooked_at = hooked_at;
	is_ahead = false;
	if (current->is_ready)
		ready_add(current);
	if (__builtin_expect(rt_descriptors_are_awaited, 0))
		look_at_descriptors();
	for (;;) {
		u = take_earliest();
		t = u->running;
		if (!t) {
			take_next(u);
			ready_add(u); /* another unit may be the earliest now */
		} else if (!t->site || makes_access(u, t)) {
			break;
		}
	}
	t->state = RT_RUNNING;
	current = u;
	stack_end = t->stack_end;
	set_limit();
	leaving = NULL;
	hooked_at = t->hooked_at;
	if (t == from)
		return;
	/* It takes a system call where instructions for it are off. */
	if (!t->is_plain || from->state == RT_ENDED)
		set_fs(t->fs);
	rt_switch(&from->sp, t->sp);
	rt_thread_reap();
}

void rt_spend(uint64_t ps)
{
	current->now_ps += ps;
}

void rt_rotate(void)
{
	struct unit *u = current;
	struct rt_thread *self = u->running;

	if (u->first) {
		u->running = NULL;
		self->state = RT_READY;
		self->ready_ps = u->now_ps;
		enqueue(u, self);
	}
	switch_from(self);
}

void rt_yield(void)
{
	struct unit *u = current;

	if (u->first && u->now_ps >= u->slice_end_ps)
		rt_rotate();
	else
		switch_from(u->running);
}

/* From a thread that does not run; it may be back only to report where it is: see rt_report_all. */
static void switch_away(struct rt_thread *self)
{
	switch_from(self);
	while (reporting) {
		reporting(self);
		rt_switch(&self->sp, current->running->sp);
	}
}

void rt_block(void)
{
	struct unit *u = current;
	struct rt_thread *self = u->running;

	self->state = RT_WAITING;
	u->running = NULL;
	u->is_ready = u->first;
	switch_away(self);
}

static void wait_for_model(bool is_plain)
{
	enum { BELOW_BYTES = 64 }; /* what rt_switch pushes, about */
	struct rt_thread *self = current->running;

	stall(current, (uint64_t)__builtin_frame_address(0) - BELOW_BYTES);
	self->is_plain = is_plain;
	switch_away(self);
	self->is_plain = false;
}

/* NULL: it waited for a message, and is ready. */
static struct unit *unit_of_stalled(uint32_t thread, uint64_t time_ps)
{
	struct rt_thread *t = rt_thread_by_id(thread);

	if (t && t->awaits_message) {
		t->awaits_message = false;
		rt_ready(t, time_ps);
		return NULL;
	}
	if (!t || t->state != RT_STALLED) {
		rt_message("Strata itself fails: its model answers thread %u, which does not wait for it", thread);
		rt_fail_without_end(125);
	}
	return &units[t->unit];
}

static void resume(uint32_t thread, uint64_t time_ps, void *bytes)
{
	enum { FRAME_LINES = 6 }; /* of the hook, and some of the program's own */
	struct stalled *s = &stalled[thread % THREAD_UNITS_MAX];
	struct unit *u;
	struct rt_thread *t;

	if (s->place && s->thread == thread) {
		u = &units[s->place - 1];
		s->place = 0;
	} else {
		u = unit_of_stalled(thread, time_ps);
		if (!u)
			return;
	}
	t = u->running;
	/* It runs soon. */
	for (uint32_t i = 0; i < FRAME_LINES; i++)
		__builtin_prefetch((const char *)u->sp + HOST_LINE * i);
	t->state = RT_READY;
	stalled_count--;
	t->answer = bytes;
	if (u->now_ps < time_ps)
		u->now_ps = time_ps;
	u->is_ready = true;
	ready_add(u);
	limit_by_unit(t->unit, u->now_ps);
}

const struct thread_runtime rt_for_model = {.resume = resume,
					     .event = rt_event_at,
					     .fail = rt_fail_thread,
					     .is_program = rt_is_program,
					     .unmodelled = rt_unmodelled,
					     .sources = rt_sources};

uint32_t rt_stalled_count(void)
{
	return stalled_count;
}

uint32_t rt_emptiest(uint32_t first, uint32_t count)
{
	uint32_t best = first;

	for (uint32_t i = first; i < first + count && i < machine.unit_count; i++)
		if (units[i].live_count < units[best].live_count)
			best = i;
	return best;
}

void rt_assign(struct rt_thread *t, uint32_t first, uint32_t count)
{
	t->unit = rt_emptiest(first, count);
	units[t->unit].live_count++;
	live_count++;
}

void rt_leave(struct rt_thread *t)
{
	units[t->unit].live_count--;
	live_count--;
	current->running = NULL;
	current->is_ready = current->first;
	switch_from(t);
	abort();
}

void rt_move(uint32_t unit)
{
	struct rt_thread *self = current->running;
	struct unit *u = current;

	if (unit == self->unit)
		return;
	u->live_count--;
	units[unit].live_count++;
	self->unit = unit;
	u->running = NULL;
	u->is_ready = u->first;
	rt_ready(self, u->now_ps + machine.wake_ps);
	switch_from(self);
}

void rt_report_all(void (*report)(struct rt_thread *t))
{
	static struct rt_thread here;
	struct unit fake = {.running = &here}, *before = current;

	current = &fake;
	reporting = report;
	for (uint32_t id = 0;; id++) {
		struct rt_thread *t = rt_thread_by_id(id);

		if (!t)
			break;
		if (t->state != RT_WAITING && t->state != RT_STALLED)
			continue;
		if (t == leaving) {
			report(t);
		} else {
			set_fs(t->fs);
			rt_switch(&here.sp, t->sp);
		}
	}
	current = before;
}

/* What the hooks do before an access: instructions have passed. */
void rt_check_time(void)
{
	if (current->now_ps > limit_ps)
		rt_yield();
}

static void note_at(const struct thread_at *at, enum thread_event event, uint64_t value)
{
	rt_enter_model();
	rt_model->event(rt_model->self, at, event, value);
	rt_leave_model();
}

static void note(enum thread_event event, uint64_t value)
{
	const struct thread_at at = at_now();

	note_at(&at, event, value);
}

static void note_wait(enum thread_waits_for what, uint64_t address)
{
	struct thread_at at = at_now();

	at.waits_for = what;
	note_at(&at, THREAD_WAIT, address);
}

/* While nothing is modelled, a block is a tick of the clock by which threads take turns. */
static inline bool is_passed_over(void)
{
	return __builtin_expect(is_functional, 0) && !rt_signal_is_kept && current->now_ps < limit_ps &&
	       ++current->now_ps;
}

/* The instructions' time. */
static inline void pass(const struct thread_site *site)
{
	if (__builtin_expect(is_functional, 0)) {
		current->now_ps++;
	} else if (site->has_counts) {
		struct thread_at at = at_now();

		at.site = site;
		rt_enter_model();
		current->now_ps += rt_model->compute(rt_model->self, &at, site->counts);
		rt_leave_model();
	}
}

/* What a call does to the machine or to other threads comes after all that is earlier. */
void rt_take_turn(void)
{
	if (current->now_ps > limit_ps)
		rt_yield();
}

static void in_turn(void)
{
	rt_take_turn();
	if (__builtin_expect(rt_signal_is_kept, 0))
		rt_signals_deliver();
}

static void in_turn_at(const struct thread_site *site)
{
	struct rt_thread *self = current->running;

	self->is_plain = site->flags & THREAD_SITE_PLAIN;
	in_turn();
	self->is_plain = false;
}

/* May the unit be there before its turn? Who shares it takes turns with it, and handlers are called in order. */
static inline bool may_be_ahead(const struct unit *u)
{
	return u->now_ps < limit_ps + u->ahead_ps && u->live_count == 1 && !is_functional && !rt_signal_is_kept;
}

static void *ahead(void *address, const struct thread_site *site)
{
	const struct thread_at at = at_now();
	void *bytes;

	rt_accessed = address;
	rt_enter_model();
	bytes = rt_model->ahead(rt_model->self, &at, limit_ps, rt_address(address), address, site->bytes,
				(enum thread_kind)site->kind);
	rt_leave_model();
	return bytes;
}

static __attribute__((cold, noinline)) void entered_twice(void)
{
	__strata_on = 0; /* whatever the message calls has no hooks */
	rt_message("Strata itself fails: the program's code runs while its model does");
	rt_leave_process(125);
}

#include "threads/rt/fault.inc"

static void *one(void *address, uint32_t size, const struct thread_site *site)
{
	struct rt_thread *self = current->running;

	if (__builtin_expect(rt_in_model, 0))
		entered_twice();
	if (__builtin_expect(is_functional, 0))
		return address;
	if (!is_done(self, address, size, site))
		wait_for_model(site->flags & THREAD_SITE_PLAIN);
	return self->answer;
}

/* Others come first. */
static void *one_behind(void *address, const struct thread_site *site)
{
	struct unit *u = current;
	struct rt_thread *self = u->running;

	if (may_be_ahead(u) && !(site->flags & THREAD_SITE_ORDERED)) {
		void *bytes = ahead(address, site);

		if (bytes) {
			is_ahead = true;
			return bytes;
		}
	}
	if (u->first || is_functional) { /* threads take turns; nothing is modelled */
		in_turn();
		return one(address, site->bytes, site);
	}
	self->site = site;
	self->address = address;
	self->is_plain = site->flags & THREAD_SITE_PLAIN;
	switch_away(self);
	self->is_plain = false;
	if (__builtin_expect(!self->site, 1))
		return self->answer;
	self->site = NULL;
	rt_signals_deliver();
	return one(address, site->bytes, site);
}

RT_API void *__strata_access(void *address, const struct thread_site *site)
{
	if (is_passed_over())
		return address;
	hooked_at = __builtin_return_address(0);
	if (__builtin_expect(rt_in_model, 0))
		entered_twice();
	if (__builtin_expect(is_overflowing(), 0))
		overflow();
	check(address, site);
	pass(site);
	if (current->now_ps > limit_ps)
		return one_behind(address, site);
	if (__builtin_expect(rt_signal_is_kept, 0))
		rt_signals_deliver();
	return one(address, site->bytes, site);
}

static void block(const struct thread_site *site, const void *behind)
{
	if (is_passed_over())
		return;
	hooked_at = behind;
	pass(site);
	in_turn_at(site);
}

RT_API void __strata_block(const struct thread_site *site);
RT_API void __strata_block(const struct thread_site *site)
{
	if (is_passed_over())
		return;
	hooked_at = __builtin_return_address(0);
	if (__builtin_expect(is_overflowing(), 0))
		overflow();
	pass(site);
	if (current->now_ps > limit_ps && may_be_ahead(current))
		is_ahead = true;
	else
		in_turn_at(site);
}

void __strata_turn(void)
{
	if (is_ahead)
		rt_yield();
	if (__builtin_expect(rt_descriptors_are_awaited, 0))
		rt_descriptors_change();
	__strata_own();
}

void __strata_own(void)
{
	set_fs(current->running->fs);
}

/* Until all that the thread has under way has ended. */
static void end_own(void)
{
	const struct thread_at at = at_now();
	uint64_t done;

	if (is_functional)
		return;
	rt_enter_model();
	done = rt_model->fence(rt_model->self, &at);
	rt_leave_model();
	if (done == THREAD_WAITS)
		wait_for_model(false);
	else
		current->now_ps = done;
}

RT_API void __strata_fence(const struct thread_site *site)
{
	hooked_at = __builtin_return_address(0);
	pass(site);
	in_turn();
	end_own();
}

#include "threads/rt/lanes.inc"
#include "threads/rt/wait.inc"

uint64_t __strata_now_ps(void)
{
	if (machine.ends_before_calls)
		end_own();
	rt_spend(machine.system_call_ps);
	return current->now_ps;
}

void rt_note(enum thread_event event, uint64_t value)
{
	note(event, value);
}

struct thread_at rt_at(void)
{
	return at_now();
}

/* The first thread of the program: it runs already, on the stack that calls. */
void rt_begin(struct rt_thread *t)
{
	rt_assign(t, 0, 1);
	current = &units[t->unit];
	current->running = t;
	t->state = RT_RUNNING;
	stack_end = t->stack_end;
	current->slice_end_ps = machine.slice_ps;
	current->is_ready = true;
	set_limit();
}

const struct thread_machine *rt_machine(void)
{
	return &machine;
}

bool rt_is_functional(void)
{
	return is_functional;
}

/* Nothing costs more than a block, and units may be far ahead of each other: they only take turns. */
void rt_set_functional(bool is)
{
	enum { BLOCK_PS = 1, FAR_BLOCKS = 100000 };

	is_functional = is;
	machine = rt_model->machine;
	if (is) {
		machine.system_call_ps = machine.wake_ps = machine.create_ps = BLOCK_PS;
		machine.quantum_ps = machine.slice_ps = FAR_BLOCKS * BLOCK_PS;
	}
	limit_ps = 0; /* at the next hook it is set anew */
}

/* A thread that waits for a message of an accelerator, or for room for one to it, leaves its unit to others. */
static bool is_of_accelerator(uint32_t kind)
{
	return kind == THREAD_ASK_REPLY || kind == THREAD_ASK_COMMAND || kind == THREAD_ASK_LINE;
}

int64_t rt_ask(const struct thread_ask *ask)
{
	struct thread_at at;
	struct thread_reply reply;

	if (!rt_model->ask)
		return -ENOSYS;
	rt_take_turn();
	at = at_now();
	rt_enter_model();
	reply = rt_model->ask(rt_model->self, &at, ask);
	rt_leave_model();
	if (reply.done_ps == THREAD_WAITS && is_of_accelerator(ask->kind)) {
		current->running->awaits_message = true;
		note(THREAD_WAIT, 0);
		rt_block();
		note(THREAD_RESUME, 0);
	} else if (reply.done_ps == THREAD_WAITS) {
		wait_for_model(false);
	} else if (!is_functional && reply.done_ps > current->now_ps)
		rt_spend(reply.done_ps - current->now_ps);
	return reply.result;
}

uint64_t rt_create_ps(void)
{
	return machine.create_ps;
}
