/* wait.c - sleeps until the program ends, a signal comes or the time is up. */
#include "cli/wait.h"

#include "cli/options.h"
#include "cli/tree.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

static const uint64_t ns_per_s = 1000000000;
enum { SAME_WISH_NS = 300 * 1000 * 1000, TICK_NS = 500 * 1000 * 1000 };

static sigset_t waited, before;
static void (*on_tick)(void *ctx);
static void *tick_ctx;

void cli_wait_begin(void)
{
	struct sigaction hangup;

	sigemptyset(&waited);
	sigaddset(&waited, SIGCHLD);
	sigaddset(&waited, SIGINT);
	sigaddset(&waited, SIGTERM);
	if (!sigaction(SIGHUP, NULL, &hangup) && hangup.sa_handler != SIG_IGN) /* nohup stays nohup */
		sigaddset(&waited, SIGHUP);
	sigprocmask(SIG_BLOCK, &waited, &before);
	cli_tree_adopt();
}

void cli_wait_child(void)
{
	sigprocmask(SIG_SETMASK, &before, NULL);
}

void cli_wait_tick(void (*tick)(void *ctx), void *ctx)
{
	on_tick = tick;
	tick_ctx = ctx;
}

struct state {
	uint32_t wishes; /* to end, of the user */
	int signal;	 /* the first of them */
	uint64_t wish_ns;
	uint64_t deadline_ns, kill_ns, tick_ns; /* next steps; 0: none */
	bool is_timed_out, is_killed;
};

static void end_tree(struct state *s)
{
	cli_tree_kill(SIGTERM);
	s->kill_ns = cli_now_ns() + CLI_WAIT_KILL_S * ns_per_s;
}

static void kill_tree(struct state *s)
{
	cli_tree_kill(SIGKILL);
	s->is_killed = true;
	s->kill_ns = 0;
}

/* A signal comes twice when the whole process group has it, from a terminal or from timeout(1). */
static void on_wish(struct state *s, const siginfo_t *info)
{
	const uint64_t now = cli_now_ns();

	if (s->wishes && now - s->wish_ns < SAME_WISH_NS)
		return;
	s->wish_ns = now;
	if (++s->wishes == 1) {
		s->signal = info->si_signo;
		if (info->si_code != SI_KERNEL) /* a terminal has sent it to the program as well */
			cli_tree_kill(info->si_signo);
	} else if (s->wishes == 2) {
		end_tree(s);
	} else {
		kill_tree(s);
	}
}

static void on_time(struct state *s)
{
	const uint64_t now = cli_now_ns();

	if (s->tick_ns && now >= s->tick_ns) {
		on_tick(tick_ctx);
		s->tick_ns = now + TICK_NS;
	}
	if (s->kill_ns && now >= s->kill_ns)
		kill_tree(s);
	if (s->deadline_ns && now >= s->deadline_ns) {
		cli_error("the limit of wall-clock time is over: ending the program");
		s->deadline_ns = 0;
		s->is_timed_out = true;
		end_tree(s);
	}
}

/* The earlier of two times, of which 0 is none. */
static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a && (!b || a < b) ? a : b;
}

/* Waits for a signal or the next step. */
static void wait_some(struct state *s)
{
	const uint64_t now = cli_now_ns();
	uint64_t next = earlier(s->tick_ns, earlier(s->kill_ns, s->deadline_ns));
	uint64_t left = next > now ? next - now : 0;
	const struct timespec span = {.tv_sec = (time_t)(left / ns_per_s), .tv_nsec = (long)(left % ns_per_s)};
	siginfo_t info;
	int number = next ? sigtimedwait(&waited, &info, &span) : sigwaitinfo(&waited, &info);

	if (number > 0 && number != SIGCHLD)
		on_wish(s, &info);
	on_time(s);
}

/* Has the child ended, or, with 0, have all? Others, that have become children of this process, are forgotten. *status
 * stays as it is where nobody can tell: there is no such child. */
static bool has_ended(pid_t pid, int *status)
{
	int any;
	pid_t ended;

	while ((ended = waitpid(-1, &any, WNOHANG)) > 0) {
		if (ended != pid)
			continue;
		*status = any;
		return true;
	}
	return ended < 0 && errno == ECHILD;
}

int cli_wait(pid_t pid, uint64_t deadline_ns, bool *is_timed_out)
{
	struct state s = {.deadline_ns = deadline_ns ? deadline_ns + CLI_WAIT_GRACE_S * ns_per_s : 0,
			  .tick_ns = on_tick ? cli_now_ns() + TICK_NS : 0};
	int status = CLI_WAIT_UNKNOWN, ignored;

	while (!has_ended(pid, &status))
		wait_some(&s);
	/* What is left of a program that did not end by itself may still be writing its results. */
	if (s.wishes || s.is_timed_out) {
		s.kill_ns = s.kill_ns ? s.kill_ns : cli_now_ns() + CLI_WAIT_KILL_S * ns_per_s;
		while (!has_ended(0, &ignored) && !s.is_killed)
			wait_some(&s);
	}
	*is_timed_out = s.is_timed_out;
	if (s.wishes > 1 && status != CLI_WAIT_UNKNOWN && WIFSIGNALED(status))
		return W_EXITCODE(EXIT_BY_SIGNAL + s.signal, 0);
	return status;
}
