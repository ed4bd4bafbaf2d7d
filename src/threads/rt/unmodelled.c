/* unmodelled.c - what the program executes in functions that have no hooks: which, how often, how many instructions.
 *
 * Instructions of a call are those of callees.def where the function is there. Of others some calls are executed step
 * by step: the processor traps after each instruction (the flag TF), and the trap's handler counts; which calls, and
 * for how many steps at most, is a matter of their number alone. No simulated time comes of any of this.
 */
#include "threads/rt/rt.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum {
	CALLEES = 4096,
	FIRST_SAMPLES = 2,    /* the first call, in which the function is looked up, and the second are counted, */
	SAMPLE_FACTOR = 32,   /* and then one where calls have become so many times more */
	CALL_STEPS = 16384,   /* counted of a call at most */
	ALL_STEPS = 65536,    /* and in all */
	BEFORE_STEPS = 256,   /* between the hook and the function */
	EXECUTABLE_END = 4095 /* an instruction there is not looked at: its second byte may not be there */
};
#define TRAP_FLAG 0x100u

static struct callee {
	const char *name;
	uint64_t calls, instructions;
	uint64_t each;      /* instructions of a call, as far as is known now */
	uint64_t sample_at; /* the number of the call that is counted next; 0: none */
	bool is_modelled;   /* built with strata cc */
	bool is_least;      /* more instructions than were counted */
} callees[CALLEES];
static uint32_t callee_count;
static bool is_lost; /* calls of more functions than there is room for */

/* Names and not places of names, which the linker would keep among the program's. */
static const struct {
	char name[28];
	uint32_t instructions;
} known[] = {
#define CALLEE(name, instructions, call) {#name, instructions},
#include "threads/rt/callees.def"
#undef CALLEE
};

/* ---- whose function is it? ---- */

struct own_symbols {
	const Elf64_Sym *symbols;
	size_t count;
	const char *names;
};

static struct own_symbols read_symbols(void)
{
	struct own_symbols own = {NULL, 0, NULL};
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat st;
	const char *file;

	if (fd < 0 || fstat(fd, &st))
		return own;
	file = RT_REAL(mmap)(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (file == MAP_FAILED)
		return own;

	const Elf64_Ehdr *h = (const Elf64_Ehdr *)file;
	const Elf64_Shdr *sections = (const Elf64_Shdr *)(file + h->e_shoff);

	if (!h->e_shoff || h->e_shoff + (uint64_t)h->e_shnum * sizeof(*sections) > (uint64_t)st.st_size)
		return own;
	for (uint32_t i = 0; i < h->e_shnum; i++)
		if (sections[i].sh_type == SHT_SYMTAB) {
			own.symbols = (const Elf64_Sym *)(file + sections[i].sh_offset);
			own.count = sections[i].sh_size / sizeof(Elf64_Sym);
			own.names = file + sections[sections[i].sh_link].sh_offset;
		}
	return own;
}

/* In the program's own symbol table. */
static bool is_defined(const char *name)
{
	static struct own_symbols own;
	static bool is_read;

	if (!is_read)
		own = read_symbols();
	is_read = true;
	for (size_t i = 0; i < own.count; i++)
		if (own.symbols[i].st_shndx != SHN_UNDEF && ELF64_ST_TYPE(own.symbols[i].st_info) == STT_FUNC &&
		    !strcmp(own.names + own.symbols[i].st_name, name))
			return true;
	return false;
}

/* In a shared library that strata cc has built. */
static bool is_in_library(const char *name)
{
	const void *at = dlsym(RTLD_DEFAULT, name);
	Dl_info info;

	return at && dladdr(at, &info) && info.dli_fname && rt_library_is_modelled(info.dli_fname);
}

/* No function: an instruction that is counted where it stands, and whose accesses are not seen. */
static bool is_instruction(const char *name)
{
	return *name == '(' || !strncmp(name, "llvm.", 5);
}

static void look_up(struct callee *f)
{
	f->sample_at = 1;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(known[i].name, f->name)) {
			f->each = known[i].instructions;
			f->sample_at = 0;
		}
	if (is_instruction(f->name) || !strcmp(f->name, "__errno_location")) { /* which tells where, touches nothing */
		f->sample_at = 0;
		f->is_least = !strcmp(f->name, RT_TSAN_CALLS);
	} else if (is_defined(f->name) || is_in_library(f->name)) {
		f->is_modelled = true;
		f->sample_at = 0;
	}
}

/* A name stands once in each file. NULL: there is no room. */
static struct callee *callee_of(struct thread_call *c)
{
	const bool was = rt_in_model;
	const uint8_t was_on = __strata_on;
	const int error = errno;

	if (c->callee)
		return c->callee > CALLEES ? NULL : &callees[c->callee - 1];
	for (uint32_t i = 0; i < callee_count; i++)
		if (!strcmp(callees[i].name, c->name)) {
			c->callee = i + 1;
			return &callees[i];
		}
	if (callee_count == CALLEES) {
		is_lost = true;
		c->callee = CALLEES + 1;
		return NULL;
	}
	c->callee = ++callee_count;
	callees[callee_count - 1].name = c->name;
	rt_in_model = true;
	__strata_on = 0;
	look_up(&callees[callee_count - 1]);
	rt_in_model = was;
	__strata_on = was_on;
	errno = error;
	return &callees[callee_count - 1];
}

/* ---- step by step ---- */

static struct {
	struct callee *volatile of; /* NULL: no call is counted */
	volatile bool is_inside;
	volatile uint64_t before, steps, sp; /* sp: at the first step inside, or below */
	uint64_t steps_left;
	bool is_watching; /* the handler is there */
} stepping = {.steps_left = ALL_STEPS};

/* System calls that neither change what becomes of a trap, nor make a thread or a process, nor wait for long. */
static bool may_step_over(uint64_t number)
{
	static const uint16_t harmless[] = {
	    SYS_read, SYS_write, SYS_pread64, SYS_pwrite64, SYS_readv, SYS_writev, SYS_open, SYS_openat,
	    SYS_close, SYS_stat, SYS_fstat, SYS_lstat, SYS_newfstatat, SYS_lseek, SYS_mmap, SYS_munmap,
	    SYS_brk, SYS_mremap, SYS_madvise, SYS_mprotect, SYS_ioctl, SYS_access, SYS_fcntl, SYS_getpid,
	    SYS_uname, SYS_getcwd, SYS_futex, SYS_getuid, SYS_getgid, SYS_gettid, SYS_getrandom, SYS_getdents64,
	    SYS_unlink, SYS_rename, SYS_mkdir, SYS_rmdir, SYS_readlink, SYS_sysinfo, SYS_getrusage,
	    SYS_clock_gettime, SYS_gettimeofday, SYS_time, SYS_sched_getaffinity,
	};

	for (size_t i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++)
		if (harmless[i] == number)
			return true;
	return false;
}

static bool is_system_call(uint64_t rip)
{
	const uint8_t *code = (const uint8_t *)rip;

	return (rip & EXECUTABLE_END) != EXECUTABLE_END && code[0] == 0x0f && code[1] == 0x05;
}

static void end_steps(bool is_whole)
{
	struct callee *f = stepping.of;

	stepping.of = NULL;
	stepping.steps_left -= stepping.steps < stepping.steps_left ? stepping.steps : stepping.steps_left;
	f->each = stepping.steps;
	f->instructions += stepping.steps;
	f->is_least |= !is_whole;
}

/* One more instruction has been executed, and this is the next. True: so it goes on. */
static bool step(const ucontext_t *context)
{
	const uint64_t rip = (uint64_t)context->uc_mcontext.gregs[REG_RIP];
	const uint64_t sp = (uint64_t)context->uc_mcontext.gregs[REG_RSP];
	const bool is_outside = !rt_is_own_code((const void *)rip);

	if (!stepping.is_inside) {
		stepping.is_inside = is_outside;
		stepping.sp = sp;
		if (!is_outside && ++stepping.before == BEFORE_STEPS)
			end_steps(true); /* the function is the program's after all */
	} else if (!is_outside && sp > stepping.sp) {
		end_steps(true);
	} else if (++stepping.steps == CALL_STEPS || stepping.steps == stepping.steps_left || rt_in_model ||
		   (is_system_call(rip) && !may_step_over((uint64_t)context->uc_mcontext.gregs[REG_RAX]))) {
		end_steps(false);
	}
	return stepping.of;
}

static void on_trap(int number, siginfo_t *info, void *context)
{
	ucontext_t *c = context;
	const bool is_ours = stepping.of && info->si_code != TRAP_BRKPT && info->si_code != SI_KERNEL;

	if (is_ours ? step(c) : false)
		return;
	c->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
	if (is_ours || info->si_code == TRAP_TRACE)
		return;
	/* The program's own, without a handler for it. */
	RT_REAL(sigaction)(number, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
	raise(number);
}

/* May a trap come, and only to us? */
static bool may_trap(void)
{
	struct sigaction action, now;
	sigset_t blocked;

	memset(&action, 0, sizeof(action));
	action.sa_sigaction = on_trap;
	action.sa_flags = SA_SIGINFO | SA_ONSTACK;
	if (!rt_model->machine.wants_unmodelled || !stepping.steps_left || RT_REAL(sigaction)(SIGTRAP, NULL, &now))
		return false;
	if (now.sa_sigaction != on_trap && (now.sa_handler != SIG_DFL || stepping.is_watching))
		return false;
	if (!stepping.is_watching && (rt_is_traced() || RT_REAL(sigaction)(SIGTRAP, &action, NULL)))
		return false;
	stepping.is_watching = true;
	return !RT_REAL(pthread_sigmask)(SIG_BLOCK, NULL, &blocked) && !sigismember(&blocked, SIGTRAP);
}

static void count_steps(struct callee *f)
{
	f->sample_at = f->calls < FIRST_SAMPLES ? f->calls + 1 : f->calls * SAMPLE_FACTOR;
	if (!may_trap()) {
		f->is_least |= f->calls == 1;
		f->sample_at = 0;
		f->instructions += f->each;
		return;
	}
	stepping.before = stepping.steps = 0;
	stepping.is_inside = false;
	stepping.of = f;
	__builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() | TRAP_FLAG);
}

void __strata_called(struct thread_call *c)
{
	struct callee *f;

	if (rt_is_functional() || stepping.of)
		return;
	f = callee_of(c);
	if (!f)
		return;
	f->calls++;
	if (f->calls == f->sample_at)
		count_steps(f);
	else
		f->instructions += f->each;
}

/* ---- what came of it ---- */

bool rt_unmodelled(uint64_t *instructions)
{
	bool is_exact = !is_lost;

	*instructions = 0;
	for (uint32_t i = 0; i < callee_count; i++) {
		*instructions += callees[i].instructions;
		is_exact &= !callees[i].calls || !callees[i].is_least;
	}
	return is_exact;
}

static int by_count(const void *a, const void *b)
{
	const struct callee *x = a, *y = b;

	return x->calls != y->calls ? (x->calls < y->calls ? 1 : -1) : strcmp(x->name, y->name);
}

char *__cxa_demangle(const char *name, char *text, size_t *size, int *status) __attribute__((weak));

static void add_call(char *text, size_t size, const struct callee *f)
{
	char *plain = __cxa_demangle ? __cxa_demangle(f->name, NULL, NULL, NULL) : NULL;
	size_t length = strlen(text);

	snprintf(text + length, size - length, "%s%.40s %lu", length ? ", " : "", plain ? plain : f->name, f->calls);
	free(plain);
}

void rt_report_calls(void)
{
	static struct callee shown[CALLEES];
	size_t count = 0;
	uint64_t sum = 0;
	char text[1024] = "";

	for (uint32_t i = 0; i < callee_count; i++)
		if (callees[i].calls && !callees[i].is_modelled && strcmp(callees[i].name, "__errno_location")) {
			sum += callees[i].calls;
			shown[count++] = callees[i];
		}
	if (!count)
		return;
	qsort(shown, count, sizeof(shown[0]), by_count);
	for (size_t i = 0; i < count && i < 8; i++)
		add_call(text, sizeof(text), &shown[i]);
	rt_message("unmodelled_calls %lu, of %zu functions that were not built with strata cc: %s%s", sum, count, text,
		   count > 8 ? " ..." : "");
}
