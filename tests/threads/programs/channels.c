/* channels.c - threads that talk through descriptors: pipes, sockets, eventfd, poll and its kin. */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 50, BIG = 300000 };

static int there[2], back[2];
static atomic_int handled;

static pthread_t begin(void *(*code)(void *), void *arg)
{
	pthread_t t;

	EXPECT(!pthread_create(&t, NULL, code, arg));
	return t;
}

static void end(pthread_t t)
{
	EXPECT(!pthread_join(t, NULL));
}

static void *pong(void *arg)
{
	int n;

	while (read(there[0], &n, sizeof(n)) == sizeof(n)) {
		n = 3 * n + 1;
		EXPECT(write(back[1], &n, sizeof(n)) == sizeof(n));
	}
	close(back[1]);
	return arg;
}

static void ping_pong(void)
{
	unsigned sum = 0;
	pthread_t t;
	int n;

	EXPECT(!pipe(there) && !pipe(back));
	t = begin(pong, NULL);
	for (int i = 0; i < ROUNDS; i++) {
		EXPECT(write(there[1], &i, sizeof(i)) == sizeof(i));
		EXPECT(read(back[0], &n, sizeof(n)) == sizeof(n) && n == 3 * i + 1);
		sum += (unsigned)n;
	}
	close(there[1]);
	EXPECT(read(back[0], &n, sizeof(n)) == 0); /* its end */
	end(t);
	close(there[0]);
	close(back[0]);
	printf("ping pong %u\n", sum);
}

static unsigned char byte_of(size_t at)
{
	return (unsigned char)(at * 7 + at / 251);
}

/* More than a pipe or a socket has room for. */
static void *produce(void *arg)
{
	static unsigned char bytes[BIG];
	const int fd = *(int *)arg;
	struct iovec parts[2] = {{bytes, 1000}, {bytes + 1000, BIG - 1000}};

	for (size_t i = 0; i < BIG; i++)
		bytes[i] = byte_of(i);
	EXPECT(write(fd, bytes, BIG) == BIG);
	EXPECT(writev(fd, parts, 2) == BIG);
	close(fd);
	return NULL;
}

static void consume(int in, int out, const char *name)
{
	unsigned char some[5000];
	pthread_t t = begin(produce, &out);
	size_t at = 0;
	ssize_t bytes;

	while ((bytes = read(in, some, sizeof(some))) > 0)
		for (ssize_t i = 0; i < bytes; i++, at++)
			EXPECT(some[i] == byte_of(at % BIG));
	EXPECT(!bytes && at == 2 * BIG);
	end(t);
	close(in);
	printf("%s %zu\n", name, at);
}

static void *send_slowly(void *arg)
{
	const int fd = *(int *)arg;
	const struct timespec ms = {0, 1000000};

	for (char c = 'a'; c < 'e'; c++) {
		EXPECT(send(fd, &c, 1, 0) == 1);
		nanosleep(&ms, NULL);
	}
	return NULL;
}

static void receive_all(void)
{
	char text[5] = "";
	pthread_t t;
	int pair[2];

	EXPECT(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	t = begin(send_slowly, &pair[1]);
	EXPECT(recv(pair[0], text, 4, MSG_WAITALL) == 4 && !strcmp(text, "abcd"));
	end(t);
	EXPECT(recv(pair[0], text, 4, MSG_DONTWAIT) == -1 && errno == EAGAIN);
	close(pair[0]);
	close(pair[1]);
	printf("received %s\n", text);
}

static void *add_later(void *arg)
{
	const struct timespec t = {0, 20000000};

	nanosleep(&t, NULL);
	EXPECT(!eventfd_write(*(int *)arg, 5));
	return NULL;
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void poll_event(void)
{
	int fd = eventfd(0, 0), ep = epoll_create1(0);
	struct epoll_event event = {.events = EPOLLIN, .data = {.u64 = 17}}, got;
	struct pollfd p = {fd, POLLIN, 0};
	struct timeval soon = {0, 5000}, late = {100, 0};
	double before = now_ms(), passed;
	eventfd_t value;
	pthread_t t;
	fd_set set;

	EXPECT(fd >= 0 && ep >= 0 && !epoll_ctl(ep, EPOLL_CTL_ADD, fd, &event));
	t = begin(add_later, &fd);
	EXPECT(poll(&p, 1, 5) == 0);
	FD_ZERO(&set);
	FD_SET(fd, &set);
	EXPECT(select(fd + 1, &set, NULL, NULL, &soon) == 0 && !FD_ISSET(fd, &set));
	EXPECT(epoll_wait(ep, &got, 1, 1) == 0);
	passed = now_ms() - before;
	EXPECT(passed >= 11 && passed < 20);
	EXPECT(poll(&p, 1, 1000000) == 1 && p.revents == POLLIN);
	FD_SET(fd, &set);
	EXPECT(select(fd + 1, &set, NULL, NULL, &late) == 1 && FD_ISSET(fd, &set) && late.tv_sec >= 99);
	EXPECT(epoll_wait(ep, &got, 1, -1) == 1 && got.data.u64 == 17);
	EXPECT(!eventfd_read(fd, &value) && value == 5);
	end(t);
	passed = now_ms() - before;
	EXPECT(passed >= 20 && passed < 1000);
	t = begin(add_later, &fd);
	EXPECT(epoll_wait(ep, &got, 1, -1) == 1 && !eventfd_read(fd, &value) && value == 5);
	end(t);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	EXPECT(eventfd_read(fd, &value) == -1 && errno == EAGAIN);
	close(fd);
	close(ep);
	printf("events %d\n", (int)value);
}

static void on_signal(int number)
{
	(void)number;
	atomic_fetch_add(&handled, 1);
}

static void *read_interrupted(void *arg)
{
	char c;

	EXPECT(read(there[0], &c, 1) == -1 && errno == EINTR && atomic_load(&handled) == 1);
	EXPECT(write(back[1], "i", 1) == 1);
	EXPECT(read(there[0], &c, 1) == 1 && c == 'x' && atomic_load(&handled) == 2); /* goes on after SA_RESTART */
	return arg;
}

static void set_handler(int flags)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_handler = on_signal;
	action.sa_flags = flags;
	EXPECT(!sigaction(SIGUSR1, &action, NULL));
}

static void interrupt(void)
{
	const struct timespec t = {0, 20000000};
	pthread_t reader;
	char c;

	EXPECT(!pipe(there) && !pipe(back));
	set_handler(0);
	reader = begin(read_interrupted, NULL);
	nanosleep(&t, NULL);
	EXPECT(!pthread_kill(reader, SIGUSR1));
	EXPECT(read(back[0], &c, 1) == 1 && c == 'i');
	set_handler(SA_RESTART);
	nanosleep(&t, NULL);
	EXPECT(!pthread_kill(reader, SIGUSR1));
	nanosleep(&t, NULL);
	EXPECT(write(there[1], "x", 1) == 1);
	end(reader);
	signal(SIGUSR1, SIG_DFL);
	printf("interrupted %d\n", atomic_load(&handled));
}

static void *read_for_ever(void *arg)
{
	char c;

	EXPECT(read(*(int *)arg, &c, 1) == 1);
	return NULL;
}

static void cancel(void)
{
	pthread_t t;
	void *result;
	int fds[2];

	EXPECT(!pipe(fds));
	t = begin(read_for_ever, &fds[0]);
	EXPECT(!pthread_cancel(t) && !pthread_join(t, &result) && result == PTHREAD_CANCELED);
	close(fds[0]);
	close(fds[1]);
	printf("cancelled\n");
}

/* Buffered by the C library, whose write is its own. */
static void *print_line(void *arg)
{
	FILE *f = fdopen(*(int *)arg, "w");

	EXPECT(f);
	fprintf(f, "a line\n");
	fflush(f);
	return f;
}

static void read_line(void)
{
	char text[20] = "";
	pthread_t t;
	void *f;
	int fds[2];

	EXPECT(!pipe(fds));
	t = begin(print_line, &fds[1]);
	EXPECT(read(fds[0], text, sizeof(text)) == 7);
	EXPECT(!pthread_join(t, &f));
	fclose(f);
	close(fds[0]);
	printf("read %s", text);
}

/* Of another process, which the host runs. */
static void read_child(void)
{
	FILE *f = popen("sleep 0.2; echo from a child", "r");
	char text[20] = "";

	EXPECT(f && read(fileno(f), text, sizeof(text)) == 13);
	EXPECT(pclose(f) == 0);
	printf("read %s", text);
}

int main(void)
{
	int fds[2];

	ping_pong();
	EXPECT(!pipe(fds));
	consume(fds[0], fds[1], "pipe");
	EXPECT(!socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
	consume(fds[0], fds[1], "socketpair");
	receive_all();
	poll_event();
	interrupt();
	cancel();
	read_line();
	fflush(stdout);
	read_child();
	return 0;
}
