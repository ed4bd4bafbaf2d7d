/* start.c - a process begins and ends: natively, or with the model that the environment names. */
#include "threads/rt/rt.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

uint8_t __strata_on;
const struct thread_model *rt_model;
/* See THREAD_INTERFACE_SECTION. */
__attribute__((section(THREAD_INTERFACE_SECTION), used)) static const uint32_t built_by = THREAD_INTERFACE;
/* By their alignment .data, in which the program's are first, begins behind the linker's table of up to 8,000 called
 * functions, and .bss at a page, whatever of ours lies between the two. */
__attribute__((section(".data.begin"), aligned(65536), used, retain)) static uint8_t data_begin = 1;
__attribute__((section(".bss.begin"), aligned(4096), used, retain)) static uint8_t bss_begin;
static int (*program_main)(int, char **, char **);

void rt_message(const char *fmt, ...)
{
	char text[2048];
	long written;
	va_list args;
	int length = snprintf(text, sizeof(text), "strata: ");

	va_start(args, fmt);
	length += vsnprintf(text + length, sizeof(text) - (size_t)length - 1, fmt, args);
	va_end(args);
	if (length > (int)sizeof(text) - 2)
		length = sizeof(text) - 2;
	text[length++] = '\n';
	/* The program's write may wait, and others run meanwhile. */
	__asm__ volatile("syscall"
			 : "=a"(written)
			 : "a"((long)SYS_write), "D"((long)STDERR_FILENO), "S"(text), "d"((long)length)
			 : "rcx", "r11", "memory");
}

/* Its hooks may mean something else: nothing that was or will be modelled is right. */
static void refuse_libraries(void)
{
	const char *library = rt_library_of_another_version();

	if (!library)
		return;
	rt_message("%s was built by strata cc of another version; build it again", library);
	rt_fail_without_end(2);
}

bool rt_owes_end;

/* The model's last word; nothing is modelled after it. */
void rt_finish(int signal)
{
	struct thread_at at;

	if (!rt_owes_end)
		return;
	rt_owes_end = false;
	__strata_on = 0;
	refuse_libraries(); /* that were loaded on the way */
	at = rt_at();
	rt_in_model = true;
	rt_report_calls();
	rt_model->end(rt_model->self, &at, signal);
	rt_in_model = false;
}

static void finish_by_itself(void)
{
	rt_finish(0);
}

/* Not by syscall(), which has hooks. */
void rt_leave_process(int status)
{
	for (;;)
		__asm__ volatile("syscall" ::"a"((long)SYS_exit_group), "D"((long)status) : "rcx", "r11", "memory");
}

void rt_fail(int status)
{
	rt_finish(0);
	rt_leave_process(status);
}

void rt_fail_without_end(int status)
{
	rt_owes_end = false;
	rt_fail(status);
}

static void load_model(void)
{
	const char *path = getenv("STRATA_THREADS_MODEL"), *options = getenv("STRATA_THREADS_OPTIONS");
	thread_model_make *make;
	void *library;

	rt_in_model = true;
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		rt_message("cannot load the model: %s", dlerror());
		_exit(125);
	}
	make = (thread_model_make *)dlsym(library, THREAD_MODEL_ENTRY);
	if (!make) {
		rt_message("%s is no model, or one of another version than the strata cc that built the program", path);
		_exit(2);
	}
	rt_model = make(&rt_for_model, options ? options : "");
	rt_in_model = false;
	if (!rt_model)
		_exit(125);
	rt_sched_init(rt_model->machine);
	/* Programs that this one starts are not modelled. */
	unsetenv("STRATA_THREADS_MODEL");
	unsetenv("STRATA_THREADS_OPTIONS");
}

static int modelled_main(int argc, char **argv, char **envp)
{
	refuse_libraries();
	load_model();
	rt_report_init();
	rt_address_init();
	return rt_run_main(program_main, argc, argv, envp);
}

RT_API int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
			     void (*fini)(void), void (*rtld_fini)(void), void *stack_end);
RT_API int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
			     void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
	bool is_modelled = rt_is_modelled();

	program_main = main;
	/* The first that is registered is called last, after the program's own and the destructors of its objects. */
	if (is_modelled)
		atexit(finish_by_itself);
	return RT_REAL(__libc_start_main)(is_modelled ? modelled_main : main, argc, argv, init, fini, rtld_fini,
					  stack_end);
}

/* By a worker, while others have not ended. */
static void report_exit(const char *name, int status)
{
	char what[64];

	if (!__strata_on || !rt_self()->id || rt_live_count() == 1)
		return;
	snprintf(what, sizeof(what), "thread %u calls %s(%d)", rt_self()->id, name, status);
	rt_report_where(what, rt_self());
}

RT_API _Noreturn void exit(int status)
{
	if (__strata_on)
		__strata_turn();
	report_exit("exit", status);
	RT_REAL(exit)(status);
	__builtin_unreachable();
}

RT_API _Noreturn void _exit(int status)
{
	report_exit("_exit", status);
	rt_fail(status);
}

RT_API _Noreturn void _Exit(int status)
{
	report_exit("_Exit", status);
	rt_fail(status);
}

RT_API _Noreturn void quick_exit(int status)
{
	report_exit("quick_exit", status);
	rt_fail(status);
}

/* A second process would be a second model of the same machine. */
RT_API pid_t fork(void)
{
	if (__strata_on) {
		rt_message("fork: a program of several processes cannot be modelled");
		rt_fail(2);
	}
	return RT_REAL(fork)();
}

RT_API pid_t vfork(void)
{
	return fork();
}
