/* ends.c - ends in the way that its argument names; its thread is on NDP 1 if the second argument is "near". */
#include <dlfcn.h>
#include <omp.h>
#include <poll.h>
#include <pthread.h>
#include <strata/ndp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t met;
static const char *how;
static int *volatile nothing;

__attribute__((noinline)) static void walk(void)
{
	*nothing = 1; /* CRASH */
}

__attribute__((noinline)) static void take(pthread_mutex_t *a, pthread_mutex_t *b)
{
	pthread_mutex_lock(a);
	pthread_barrier_wait(&met);
	pthread_mutex_lock(b); /* TAKE */
	pthread_mutex_unlock(b);
	pthread_mutex_unlock(a);
}

__attribute__((noinline)) static void leave(void)
{
	exit(7); /* EXIT */
}

__attribute__((noinline)) static void leave_well(void)
{
	exit(0); /* EXIT_0 */
}

__attribute__((noinline)) static void leave_quietly(void)
{
	_exit(9); /* QUIET */
}

__attribute__((noinline)) static void leave_at_once(void)
{
	quick_exit(3); /* AT_ONCE */
}

/* The function's first instruction. */
__attribute__((noinline)) static void trap(void)
{
	__builtin_trap(); /* TRAP */
}

/* The second region's last thread, which has none, its first, which waits for the others at its end, and one that waits
 * for a lock. */
__attribute__((noinline)) static void team(void)
{
#pragma omp parallel num_threads(4)
	pthread_mutex_trylock(&first);
#pragma omp parallel num_threads(3) /* REGION */
	if (omp_get_thread_num() == 1) {
		pthread_mutex_lock(&first); /* HELD */
		pthread_mutex_unlock(&first);
	}
}

__attribute__((noinline)) static int deep(int n)
{
	volatile char here[4096];

	here[n & 4095] = (char)n;
	return n + deep(n + 1) + here[5];
}

/* A byte in each of the pages of 64 MB. */
__attribute__((noinline)) static void fill(void)
{
	volatile char *all = malloc(1 << 26);

	for (long i = 0; i < 1 << 26; i += 4096)
		all[i] = 1; /* FILLED */
}

/* To a place where there is no code. */
__attribute__((noinline)) static int go_astray(void)
{
	return ((int (*)(void))(uintptr_t)0x123000)() + 1; /* ASTRAY */
}

static void recover(int number)
{
	(void)number;
	_exit(6);
}

/* A handler of the program's own finds an overflow, too. */
static void deep_but_handled(void)
{
	static char stack[1 << 16];

	sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof(stack)}, NULL);
	sigaction(SIGSEGV, &(struct sigaction){.sa_handler = recover, .sa_flags = SA_ONSTACK}, NULL);
	deep(1);
}

static void free_late(void *value)
{
	*(int *)value = 0;
}

/* Behind the runtime's back: the destructor runs where the host's thread ends. */
static void key_of_host(void)
{
	static int value = 1;
	int (*create)(pthread_key_t *, void (*)(void *)) = (int (*)(pthread_key_t *, void (*)(void *)))dlsym(
	    dlopen("libc.so.6", RTLD_NOW), "pthread_key_create");
	pthread_key_t key;

	create(&key, free_late);
	pthread_setspecific(key, &value);
}

/* Each waits for what only the other one could write. */
static int ends_of_pipe[2], ends_of_pair[2];

static __attribute__((noinline)) void listen_to_pipe(void)
{
	char c;

	pthread_barrier_wait(&met);
	if (read(ends_of_pipe[0], &c, 1)) /* PIPE */
		puts("there is something");
}

static __attribute__((noinline)) void listen_to_pair(void)
{
	struct pollfd p = {epoll_create1(0), POLLIN, 0};
	struct epoll_event event = {.events = EPOLLIN};

	if (pipe(ends_of_pipe) || socketpair(AF_UNIX, SOCK_STREAM, 0, ends_of_pair) ||
	    epoll_ctl(p.fd, EPOLL_CTL_ADD, ends_of_pair[0], &event))
		exit(99);
	pthread_barrier_wait(&met);
	poll(&p, 1, -1); /* PAIR */
}

static void *work(void *arg)
{
	if (!strcmp(how, "crash"))
		walk();
	if (!strcmp(how, "deadlock"))
		take(&second, &first);
	if (!strcmp(how, "pipe"))
		listen_to_pipe();
	if (!strcmp(how, "exit"))
		leave();
	if (!strcmp(how, "abort"))
		abort(); /* ABORT */
	if (!strcmp(how, "deep"))
		return (void *)(long)deep(1);
	if (!strcmp(how, "deep-handled"))
		deep_but_handled();
	if (!strcmp(how, "astray"))
		return (void *)(long)go_astray();
	if (!strcmp(how, "key"))
		key_of_host();
	if (!strcmp(how, "fill"))
		fill();
	if (!strcmp(how, "exit-0"))
		leave_well();
	if (!strcmp(how, "quiet"))
		leave_quietly();
	if (!strcmp(how, "at-once"))
		leave_at_once();
	if (!strcmp(how, "trap"))
		trap();
	if (!strcmp(how, "both-exit"))
		pthread_barrier_wait(&met);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t;

	how = argc > 1 ? argv[1] : "";
	pthread_barrier_init(&met, NULL, 2);
	if (!strcmp(how, "fork") && !fork())
		_exit(0);
	if (argc > 2 && !strcmp(argv[2], "near") && strata_team_on_ndp(1))
		return 99;
	if (!strcmp(how, "team"))
		team();
	pthread_create(&t, NULL, work, NULL);
	if (!strcmp(how, "deadlock"))
		take(&first, &second);
	if (!strcmp(how, "pipe"))
		listen_to_pair();
	if (!strcmp(how, "alone")) {
		pthread_mutex_lock(&first);
		pthread_mutex_lock(&first); /* ALONE */
	}
	if (!strcmp(how, "both-exit")) /* nobody is the last one before the other has said that it ends */
		pthread_barrier_wait(&met);
	if (!strcmp(how, "main-exit") || !strcmp(how, "both-exit"))
		pthread_exit(NULL);
	pthread_join(t, NULL);
	puts("end of main");
	return strcmp(how, "five") ? 0 : 5;
}
