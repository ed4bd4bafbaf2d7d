/* report.c - messages that name thread, function and line: crashes, deadlocks. */
#include "threads/rt/rt.h"

#include <execinfo.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { FRAMES = 48, PLACES = 256 /* that addr2line is asked about at a time */ };

extern char __executable_start, etext;
/* The code of the OpenMP region that the calling thread executes; in programs with OpenMP. */
extern const void *__strata_region(void) __attribute__((weak, visibility("hidden")));
/* The runtime's own code: see rt/section.h. */
extern char __start_strata_text __attribute__((weak)), __stop_strata_text __attribute__((weak));
/* Mathematics: see math/. */
extern char __start_strata_math __attribute__((weak)), __stop_strata_math __attribute__((weak));

bool rt_is_own_code(const void *at)
{
	return (const char *)at >= &__executable_start && (const char *)at < &etext;
}

bool rt_is_program(const void *at)
{
	const char *p = at;

	return rt_is_own_code(at) && !(p >= &__start_strata_text && p < &__stop_strata_text) &&
	       !(p >= &__start_strata_math && p < &__stop_strata_math);
}

/* What addr2line says of the instructions before these; NULL: it cannot be asked. */
static char *addr2line(const char *const *options, const void *const *at, uint32_t count)
{
	static char addresses[PLACES][24], exe[4096], output[PLACES * 512];
	const char *argv[PLACES + 16] = {"addr2line"};
	uint32_t words = 1;
	posix_spawn_file_actions_t actions;
	ssize_t length = readlink("/proc/self/exe", exe, sizeof(exe) - 1), n;
	size_t got = 0;
	int ends[2];
	pid_t pid;

	if (length < 0 || pipe(ends))
		return NULL;
	exe[length] = '\0';
	while (*options)
		argv[words++] = *options++;
	argv[words++] = "-e";
	argv[words++] = exe;
	for (uint32_t i = 0; i < count; i++) {
		snprintf(addresses[i], sizeof(addresses[i]), "%p", (const void *)((const char *)at[i] - 1));
		argv[words++] = addresses[i];
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_addclose(&actions, ends[0]);
	if (posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)argv, environ))
		pid = 0;
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	while (pid && got < sizeof(output) - 1 && (n = read(ends[0], output + got, sizeof(output) - 1 - got)) > 0)
		got += (size_t)n;
	output[got] = '\0';
	close(ends[0]);
	if (pid)
		waitpid(pid, NULL, 0);
	return output;
}

/* "function at file:line" of an address, by addr2line, or the address. */
static void describe(const void *at, char *text, size_t size)
{
	static const char *const options[] = {"-f", "-C", "-s", "-p", NULL};
	char *output = addr2line(options, &at, 1), *unknown;

	snprintf(text, size, "%p", at);
	if (!output)
		return;
	output[strcspn(output, "\n")] = '\0';
	if (!*output || !strncmp(output, "??", 2))
		return;
	unknown = strstr(output, " at ??:");
	if (unknown)
		*unknown = '\0';
	snprintf(text, size, "%.*s", (int)size - 1, output);
}

static char *next_line(char **text)
{
	return *text ? strsep(text, "\n") : NULL;
}

/* A line with the function's name, one with "file:line", perhaps with words behind it. */
static void source_of(const char *function, const char *where, struct thread_source *out)
{
	const char *colon = strrchr(where, ':');

	*out = (struct thread_source){.line = 0};
	if (strcmp(function, "??"))
		snprintf(out->function, sizeof(out->function), "%s", function);
	if (!colon || !strncmp(where, "??", 2))
		return;
	snprintf(out->file, sizeof(out->file), "%.*s", (int)(colon - where), where);
	out->line = (uint32_t)strtoul(colon + 1, NULL, 10);
}

void rt_sources(const void *const *places, uint32_t count, struct thread_source *out)
{
	static const char *const options[] = {"-f", "-C", "-s", NULL};
	const bool was = rt_in_model;
	const uint8_t was_on = __strata_on;

	rt_in_model = true;
	__strata_on = 0;
	for (uint32_t from = 0; from < count; from += PLACES) {
		const uint32_t some = count - from < PLACES ? count - from : PLACES;
		char *rest = addr2line(options, places + from, some);

		for (uint32_t i = from; i < from + some; i++) {
			const char *function = next_line(&rest), *where = next_line(&rest);

			source_of(function ? function : "??", where ? where : "??", &out[i]);
		}
	}
	rt_in_model = was;
	__strata_on = was_on;
}

/* What a thread has done wrong. */
static struct {
	uint32_t thread;
	const char *text;
	const void *interrupted; /* by a signal; other places of a backtrace are those behind calls */
} failing;

/* Behind an instruction of the program that the calling thread is in: the innermost of a backtrace. Where there is
 * none, because a function's last call leaves nothing of it on the stack, the first of what the thread executes. */
static const void *place_of(const struct rt_thread *t)
{
	void *frames[FRAMES];
	const int count = backtrace(frames, FRAMES);
	const char *first = (const char *)(uintptr_t)t->start;

	for (int i = 0; i < count; i++)
		if (rt_is_program(frames[i]))
			return (const char *)frames[i] + (frames[i] == failing.interrupted);
	if (!rt_is_program(first) && __strata_region)
		first = __strata_region();
	return first && rt_is_program(first) ? first + 1 : NULL;
}

void rt_report_where(const char *what, const struct rt_thread *t)
{
	const bool was = rt_in_model;
	const uint8_t was_on = __strata_on;
	char place[1024] = "a library";
	const void *at;

	rt_in_model = true;
	__strata_on = 0; /* backtrace calls pthread_once, which is ours */
	at = place_of(t);
	if (at)
		describe(at, place, sizeof(place));
	rt_message("%s in %s", what, place);
	rt_in_model = was;
	__strata_on = was_on;
}

static void report_waiting(struct rt_thread *t)
{
	char what[64];

	if (t->state == RT_WAITING && t->waits_for == THREAD_FOR_WORK) {
		rt_message("  thread %u waits for a region of OpenMP", t->id);
		return;
	}
	snprintf(what, sizeof(what), "  thread %u waits%s%s", t->id, t->call ? " in " : "", t->call ? t->call : "");
	rt_report_where(what, t);
}

void rt_deadlock(void)
{
	if (rt_stalled_count()) {
		rt_message("Strata itself fails: its model does not answer %u threads", rt_stalled_count());
		rt_fail_without_end(125);
	}
	rt_message("deadlock: all threads wait, and nobody will wake one");
	rt_report_all(report_waiting);
	if (rt_model->stuck) {
		rt_enter_model();
		rt_model->stuck(rt_model->self);
		rt_leave_model();
	}
	rt_fail(1);
}

static void report_failing(struct rt_thread *t)
{
	char what[512];

	if (t->id != failing.thread)
		return;
	snprintf(what, sizeof(what), "thread %u %s", t->id, failing.text);
	rt_report_where(what, t);
}

static void report_thread(uint32_t thread, const char *text)
{
	failing.thread = thread;
	failing.text = text;
	if (rt_self() && rt_self()->id == thread && !rt_is_elsewhere())
		report_failing(rt_self());
	else
		rt_report_all(report_failing);
}

void rt_fail_thread(uint32_t thread, const char *text)
{
	report_thread(thread, text);
	rt_fail_without_end(2);
}

static const struct {
	int number;
	const char *text;
} crashes[] = {{SIGSEGV, "accesses memory that is not there"},
	       {SIGBUS, "accesses memory that cannot be had"},
	       {SIGFPE, "divides by zero or overflows"},
	       {SIGILL, "executes an illegal instruction"},
	       {SIGABRT, "aborts"}};

bool rt_is_crash(int number)
{
	for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++)
		if (crashes[i].number == number)
			return true;
	return false;
}

/* Where a call has gone to a place without code, nothing says who called: the thread stands behind the call. */
static void look_behind_call(const siginfo_t *info, ucontext_t *context)
{
	greg_t *registers = context->uc_mcontext.gregs;

	if (info->si_signo != SIGSEGV || info->si_code <= 0 || (greg_t)info->si_addr != registers[REG_RIP])
		return;
	registers[REG_RIP] = *(const greg_t *)registers[REG_RSP];
	registers[REG_RSP] += (greg_t)sizeof(registers[0]);
}

/* Of the running thread's stack: what is below its end, or the model's part. */
static bool is_below_stack(const void *at)
{
	enum { BELOW_BYTES = 1 << 20 };
	const uint64_t end = rt_self()->stack_end;

	return (uint64_t)at - (end - BELOW_BYTES) < BELOW_BYTES + RT_STACK_MODEL;
}

void rt_crash(int number, const siginfo_t *info, void *context)
{
	enum { NEAR_BYTES = 4096 };
	const struct sigaction as_usual = {.sa_handler = SIG_DFL};
	char what[128];

	RT_REAL(sigaction)(number, &as_usual, NULL);
	look_behind_call(info, context);
	failing.interrupted = (const void *)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
	/* The model looks at the bytes that the program is about to access, and keeps whole lines of them. */
	if (rt_in_model && (uint64_t)info->si_addr - (uint64_t)rt_accessed + NEAR_BYTES < 2 * NEAR_BYTES)
		rt_owes_end = false;
	else if (rt_in_model) { /* not the program's fault, and the model cannot go on */
		snprintf(what, sizeof(what), "Strata itself fails (%s) at what thread %u does", strsignal(number),
			 rt_self()->id);
		rt_report_where(what, rt_self());
		rt_leave_process(125);
	}
	for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++)
		if (crashes[i].number == number)
			snprintf(what, sizeof(what), "%s (%s)",
				 number == SIGSEGV && is_below_stack(info->si_addr) ? "overflows its stack"
										    : crashes[i].text,
				 strsignal(number));
	report_thread(rt_self()->id, what);
	rt_finish(0);
	raise(number);
}

static void on_crash(int number, siginfo_t *info, void *context)
{
	rt_crash(number, info, context);
}

int rt_crash_watch(int number)
{
	const struct sigaction action = {.sa_sigaction = on_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};

	return RT_REAL(sigaction)(number, &action, NULL);
}

void rt_report_init(void)
{
	static char stack[256 << 10];
	const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof(stack)};

	sigaltstack(&alternate, NULL);
	rt_signals_init();
	rt_descriptors_init();
	for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++) {
		struct sigaction before;

		if (!RT_REAL(sigaction)(crashes[i].number, NULL, &before) && before.sa_handler == SIG_DFL)
			rt_crash_watch(crashes[i].number);
	}
}
