/* descriptor.c - calls that may wait for a file descriptor: a pipe, a socket, an eventfd, poll and its kin.
 *
 * All simulated threads are one thread of the host, so such a call asks first. Where it would block, its thread waits
 * in simulated time, and the others run: after each call that may have changed something the scheduler looks whether
 * a descriptor that is waited for is ready. Only when nobody else can go on does the process block really, and only
 * where the other end may be somebody else's: a terminal, another process, a signal. Times to wait are simulated ones.
 */
#include "threads/rt/rt.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { INTERRUPTED = -1, TIME_OVER, MAYBE_READY };
enum { INHERITED_MAX = 64, DESCRIPTORS_MAX = 1024 };
#define PS_PER_NS UINT64_C(1000)

static struct rt_thread *waiters; /* in the order of coming */
bool rt_descriptors_are_awaited;

/* Pipes and sockets that the process was started with. */
static struct {
	dev_t device;
	ino_t number;
} inherited[INHERITED_MAX];
static uint32_t inherited_count;
static bool is_anything_outside; /* there were too many, or one was given away */

/* errno is of whoever runs, and syscall() has hooks. */
static long host_call(long number, long a, const void *b, long c, const void *d, long e)
{
	register const void *r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
			 : "rcx", "r11", "memory");
	return result;
}

static bool is_one_ready(struct pollfd *fds, uint32_t count)
{
	return host_call(SYS_poll, (long)fds, (const void *)(uintptr_t)count, 0, NULL, 0) > 0;
}

/* ---- who waits ---- */

static void forget(struct rt_thread *t)
{
	for (struct rt_thread **at = &waiters; *at; at = &(*at)->descriptor_next)
		if (*at == t) {
			*at = t->descriptor_next;
			break;
		}
	rt_descriptors_are_awaited = waiters;
}

/* Until the scheduler has found one ready. */
static int wait_for(const char *call, struct pollfd *fds, uint32_t count, const sigset_t *mask, uint64_t deadline_ps)
{
	struct rt_thread *self = rt_self(), **at = &waiters;
	int error;

	self->call = call;
	self->descriptors = fds;
	self->descriptor_count = count;
	self->descriptor_mask = mask;
	self->is_interrupted = false;
	self->descriptor_next = NULL;
	while (*at)
		at = &(*at)->descriptor_next;
	*at = self;
	rt_descriptors_are_awaited = true;
	error = __strata_wait_point(&self->descriptor_word, 0, deadline_ps);
	forget(self);
	self->call = NULL;
	if (error == EINTR)
		rt_thread_cancel_now();
	if (self->is_interrupted) {
		self->is_restarted = rt_signals_restart(self);
		rt_signals_deliver();
		return INTERRUPTED;
	}
	return error == ETIMEDOUT ? TIME_OVER : MAYBE_READY;
}

void rt_descriptors_look(void)
{
	for (struct rt_thread *t = waiters; t; t = t->descriptor_next)
		if (t->state == RT_WAITING && t->word && is_one_ready(t->descriptors, t->descriptor_count))
			rt_end_wait(t);
}

void rt_descriptor_interrupt(struct rt_thread *t)
{
	if (!t->call || t->state != RT_WAITING || !t->word)
		return;
	t->is_interrupted = true;
	rt_end_wait(t);
}

/* ---- whose the other end is ---- */

void rt_descriptors_init(void)
{
	struct stat st;

	for (int fd = 0; fd < DESCRIPTORS_MAX; fd++) {
		if (host_call(SYS_fstat, fd, &st, 0, NULL, 0) || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))
			continue;
		if (inherited_count == INHERITED_MAX) {
			is_anything_outside = true;
			return;
		}
		inherited[inherited_count].device = st.st_dev;
		inherited[inherited_count++].number = st.st_ino;
	}
}

static bool is_inherited(const struct stat *st)
{
	for (uint32_t i = 0; i < inherited_count; i++)
		if (inherited[i].device == st->st_dev && inherited[i].number == st->st_ino)
			return true;
	return false;
}

static bool is_called(int fd, const char *name)
{
	char path[32], text[32] = "";

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return host_call(SYS_readlink, (long)path, text, sizeof(text) - 1, NULL, 0) > 0 &&
	       !strncmp(text, name, strlen(name));
}

/* Without a name on either side, as socketpair makes them. */
static bool is_of_pair(int fd)
{
	struct sockaddr_storage here, there;
	socklen_t here_bytes = sizeof(here), there_bytes = sizeof(there);

	return !host_call(SYS_getsockname, fd, &here, (long)&here_bytes, NULL, 0) &&
	       !host_call(SYS_getpeername, fd, &there, (long)&there_bytes, NULL, 0) && here.ss_family == AF_UNIX &&
	       here_bytes <= sizeof(sa_family_t) && there_bytes <= sizeof(sa_family_t);
}

/* What epoll watches is in the kernel's text about it. */
static bool is_outside(int fd);
static bool watches_outside(int fd)
{
	static char text[16384];
	char path[40];
	long bytes, in;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	in = host_call(SYS_open, (long)path, (const void *)O_RDONLY, 0, NULL, 0);
	if (in < 0)
		return true;
	bytes = host_call(SYS_read, in, text, sizeof(text) - 1, NULL, 0);
	host_call(SYS_close, in, NULL, 0, NULL, 0);
	if (bytes < 0 || bytes == sizeof(text) - 1)
		return true;
	text[bytes] = '\0';
	for (const char *at = text; (at = strstr(at, "tfd:")); at += 4)
		if (is_called(atoi(at + 4), "anon_inode:[eventpoll]") || is_outside(atoi(at + 4)))
			return true;
	return false;
}

static bool is_outside(int fd)
{
	struct stat st;

	if (fd < 0 || host_call(SYS_fstat, fd, &st, 0, NULL, 0))
		return false;
	if (is_inherited(&st))
		return true;
	if (S_ISFIFO(st.st_mode))
		return !is_called(fd, "pipe:[");
	if (S_ISSOCK(st.st_mode))
		return !is_of_pair(fd);
	if (is_called(fd, "anon_inode:[eventpoll]"))
		return watches_outside(fd);
	return !is_called(fd, "anon_inode:[eventfd]");
}

static bool waits_for_outside(const struct rt_thread *t)
{
	for (uint32_t i = 0; i < t->descriptor_count; i++)
		if (is_outside(t->descriptors[i].fd))
			return true;
	return false;
}

static bool has_children(void)
{
	const uintptr_t options = WEXITED | WNOHANG | WNOWAIT | __WALL;

	return host_call(SYS_waitid, P_ALL, NULL, 0, (const void *)options, 0) != -ECHILD;
}

/* May somebody else end a wait? */
static bool is_outside_awaited(void)
{
	if (is_anything_outside || rt_signals_are_handled() || has_children())
		return waiters;
	for (const struct rt_thread *t = waiters; t; t = t->descriptor_next)
		if (waits_for_outside(t))
			return true;
	return false;
}

/* ---- the process blocks ---- */

/* Of the host's time; false: a signal has come. */
static bool host_wait(struct pollfd *fds, uint32_t count, const struct timespec *time, const sigset_t *mask)
{
	enum { KERNEL_SET_BYTES = 8 };
	uint64_t all = UINT64_MAX, before = 0;
	struct timespec left = {0};
	long result = -EINTR;

	if (time)
		left = *time;
	host_call(SYS_rt_sigprocmask, SIG_SETMASK, &all, (long)&before, (const void *)KERNEL_SET_BYTES, 0);
	if (!rt_signal_is_kept)
		result = host_call(SYS_ppoll, (long)fds, (const void *)(uintptr_t)count, time ? (long)&left : 0,
				   mask ? (const void *)mask : &before, KERNEL_SET_BYTES);
	host_call(SYS_rt_sigprocmask, SIG_SETMASK, &before, 0, (const void *)KERNEL_SET_BYTES, 0);
	return result != -EINTR;
}

/* At most so long; true: it was not for nothing, or is not yet over. */
static bool block_really(const struct timespec *time)
{
	static struct pollfd all[DESCRIPTORS_MAX];
	const sigset_t *mask = NULL;
	uint32_t count = 0;

	for (const struct rt_thread *t = waiters; t; t = t->descriptor_next) {
		for (uint32_t i = 0; i < t->descriptor_count && count < DESCRIPTORS_MAX; i++)
			all[count++] = t->descriptors[i];
		mask = t == waiters && !t->descriptor_next ? t->descriptor_mask : NULL;
	}
	if (!host_wait(all, count, time, mask))
		rt_descriptor_interrupt(waiters);
	rt_descriptors_look();
	return true;
}

bool rt_descriptors_block(void)
{
	return is_outside_awaited() && block_really(NULL);
}

void rt_descriptors_await(const struct rt_thread *t, uint64_t ps)
{
	const struct timespec time = {(time_t)(ps / 1000 / 1000000000), (long)(ps / 1000 % 1000000000)};

	if (t->call && (has_children() || is_anything_outside || waits_for_outside(t)))
		block_really(&time);
	else
		rt_descriptors_look();
}

/* ---- calls for one descriptor ---- */

static void touch(const void *p, size_t bytes, enum thread_kind kind)
{
	enum { WIDE = 16 };
	static const struct thread_site reads = {.bytes = WIDE, .kind = THREAD_READ, .flags = THREAD_SITE_ORDERED},
					writes = {.bytes = WIDE, .kind = THREAD_WRITE, .flags = THREAD_SITE_ORDERED};

	for (size_t at = 0; at < bytes; at += WIDE)
		__strata_access((char *)(uintptr_t)p + at, kind == THREAD_READ ? &reads : &writes);
}

static void touch_parts(const struct iovec *parts, size_t count, ssize_t bytes, enum thread_kind kind)
{
	for (size_t i = 0; i < count && bytes > 0; i++) {
		const size_t some = (size_t)bytes < parts[i].iov_len ? (size_t)bytes : parts[i].iov_len;

		touch(parts[i].iov_base, some, kind);
		bytes -= (ssize_t)some;
	}
}

/* What a call gives; others may go on by it. */
#define CHANGED(call)                           \
	({                                      \
		__typeof__(call) result_ = call; \
		rt_descriptors_change();        \
		result_;                        \
	})

static bool is_nonblocking(int fd)
{
	return host_call(SYS_fcntl, fd, (const void *)F_GETFL, 0, NULL, 0) & O_NONBLOCK;
}

static bool is_kind(int fd, mode_t kind)
{
	struct stat st;

	return !host_call(SYS_fstat, fd, &st, 0, NULL, 0) && (st.st_mode & S_IFMT) == kind;
}

static uint64_t deadline_in(const struct timespec *t)
{
	return t ? rt_now_ps() + ((uint64_t)t->tv_sec * 1000000000 + (uint64_t)t->tv_nsec) * PS_PER_NS : RT_NEVER;
}

/* Of a socket that has one. */
static uint64_t socket_deadline(int fd, int option)
{
	struct timeval t = {0};
	socklen_t bytes = sizeof(t);

	if (host_call(SYS_getsockopt, fd, (const void *)SOL_SOCKET, option, &t, (long)&bytes) ||
	    (!t.tv_sec && !t.tv_usec))
		return RT_NEVER;
	return deadline_in(&(struct timespec){t.tv_sec, t.tv_usec * 1000});
}

/* Once; 0, or -1 and errno. */
static int wait_once(const char *call, int fd, short events, uint64_t deadline_ps)
{
	struct pollfd p = {fd, events, 0};

	switch (wait_for(call, &p, 1, NULL, deadline_ps)) {
	case TIME_OVER:
		errno = EAGAIN;
		return -1;
	case INTERRUPTED:
		if (rt_self()->is_restarted)
			return 0;
		errno = EINTR;
		return -1;
	default:
		return 0;
	}
}

/* Until the call would not block, whose own errors are left to it: 0, or -1 and errno. */
static int until_ready(const char *call, int fd, short events)
{
	uint64_t deadline = 0;

	for (struct pollfd p = {fd, events, 0}; !is_one_ready(&p, 1);) {
		if (is_nonblocking(fd))
			return 0;
		if (!deadline)
			deadline = socket_deadline(fd, events & POLLIN ? SO_RCVTIMEO : SO_SNDTIMEO);
		if (wait_once(call, fd, events, deadline))
			return -1;
	}
	return 0;
}

/* A socket may be ready and have no room for all. */
static int until_room(const char *call, int fd, uint64_t deadline_ps)
{
	struct pollfd p = {fd, POLLOUT, 0};
	const uint64_t soon = rt_now_ps() + rt_machine()->wake_ps + 1;

	if (!is_one_ready(&p, 1))
		return wait_once(call, fd, POLLOUT, deadline_ps);
	wait_for(call, NULL, 0, NULL, soon);
	return 0;
}

/* ---- writing ---- */

static ssize_t send_part(const char *call, int fd, const struct msghdr *m, int flags, uint64_t deadline_ps)
{
	ssize_t sent;

	while ((sent = CHANGED(RT_REAL(sendmsg)(fd, m, flags | MSG_DONTWAIT))) < 0 && errno == EAGAIN)
		if (until_room(call, fd, deadline_ps))
			return -1;
	return sent;
}

/* All of it, of a stream in as many parts as there is room for. */
static ssize_t send_all(const char *call, int fd, const struct msghdr *m, int flags)
{
	const uint64_t deadline = socket_deadline(fd, SO_SNDTIMEO);
	const bool is_direct = (flags & MSG_DONTWAIT) || is_nonblocking(fd) || m->msg_iovlen > IOV_MAX;
	struct iovec left[is_direct ? 1 : m->msg_iovlen + 1];
	struct msghdr rest = *m;
	size_t done = 0;
	ssize_t sent;

	if (m->msg_controllen)
		is_anything_outside = true;
	if (is_direct)
		return CHANGED(RT_REAL(sendmsg)(fd, m, flags));
	memcpy(left, m->msg_iov, m->msg_iovlen * sizeof(left[0]));
	rest.msg_iov = left;
	for (;;) {
		sent = send_part(call, fd, &rest, flags, deadline);
		if (sent < 0)
			return done ? (ssize_t)done : -1;
		done += (size_t)sent;
		while (rest.msg_iovlen && (size_t)sent >= rest.msg_iov->iov_len) {
			sent -= (ssize_t)rest.msg_iov->iov_len;
			rest.msg_iov++;
			rest.msg_iovlen--;
		}
		if (!rest.msg_iovlen)
			return (ssize_t)done;
		rest.msg_iov->iov_base = (char *)rest.msg_iov->iov_base + sent;
		rest.msg_iov->iov_len -= (size_t)sent;
		rest.msg_controllen = 0;
	}
}

/* A pipe that is ready has room for PIPE_BUF bytes; more need not be written at once. */
static ssize_t write_pipe(const char *call, int fd, const struct iovec *parts, size_t count)
{
	size_t done = 0;

	for (size_t i = 0; i < count; i++)
		for (size_t at = 0, some; at < parts[i].iov_len; at += some, done += some) {
			ssize_t written = -1;

			some = parts[i].iov_len - at < PIPE_BUF ? parts[i].iov_len - at : PIPE_BUF;
			if (!until_ready(call, fd, POLLOUT))
				written = CHANGED(RT_REAL(write)(fd, (char *)parts[i].iov_base + at, some));
			if (written != (ssize_t)some)
				return done || written > 0 ? (ssize_t)done + (written > 0 ? written : 0) : -1;
		}
	return (ssize_t)done;
}

static ssize_t write_parts(const char *call, int fd, const struct iovec *parts, size_t count)
{
	const struct msghdr m = {.msg_iov = (struct iovec *)(uintptr_t)parts, .msg_iovlen = count};
	size_t bytes = 0;

	for (size_t i = 0; i < count && count <= IOV_MAX; i++)
		bytes += parts[i].iov_len;
	if (is_kind(fd, S_IFSOCK))
		return send_all(call, fd, &m, 0);
	if (bytes > PIPE_BUF && bytes <= SSIZE_MAX && is_kind(fd, S_IFIFO) && !is_nonblocking(fd))
		return write_pipe(call, fd, parts, count);
	if (bytes && until_ready(call, fd, POLLOUT))
		return -1;
	return CHANGED(count == 1 ? RT_REAL(write)(fd, parts->iov_base, parts->iov_len)
				  : RT_REAL(writev)(fd, parts, (int)count));
}

RT_API ssize_t write(int fd, const void *p, size_t n)
{
	const struct iovec part = {(void *)(uintptr_t)p, n};

	return __strata_on ? write_parts("write", fd, &part, 1) : RT_REAL(write)(fd, p, n);
}

RT_API ssize_t writev(int fd, const struct iovec *parts, int count)
{
	ssize_t bytes;

	if (!__strata_on || count < 1)
		return RT_REAL(writev)(fd, parts, count);
	bytes = write_parts("writev", fd, parts, (size_t)count);
	touch_parts(parts, (size_t)count, bytes, THREAD_READ);
	return bytes;
}

RT_API ssize_t sendmsg(int fd, const struct msghdr *m, int flags)
{
	ssize_t bytes;

	if (!__strata_on)
		return RT_REAL(sendmsg)(fd, m, flags);
	bytes = send_all("sendmsg", fd, m, flags);
	touch_parts(m->msg_iov, m->msg_iovlen, bytes, THREAD_READ);
	return bytes;
}

static ssize_t send_to(const char *call, int fd, const void *p, size_t n, int flags, const struct sockaddr *to,
		       socklen_t to_bytes)
{
	struct iovec part = {(void *)(uintptr_t)p, n};
	const struct msghdr m = {
	    .msg_name = (void *)(uintptr_t)to, .msg_namelen = to_bytes, .msg_iov = &part, .msg_iovlen = 1};
	const ssize_t bytes = send_all(call, fd, &m, flags);

	touch_parts(&part, 1, bytes, THREAD_READ);
	return bytes;
}

RT_API ssize_t send(int fd, const void *p, size_t n, int flags)
{
	return __strata_on ? send_to("send", fd, p, n, flags, NULL, 0) : RT_REAL(send)(fd, p, n, flags);
}

RT_API ssize_t sendto(int fd, const void *p, size_t n, int flags, const struct sockaddr *to, socklen_t to_bytes)
{
	return __strata_on ? send_to("sendto", fd, p, n, flags, to, to_bytes)
			   : RT_REAL(sendto)(fd, p, n, flags, to, to_bytes);
}

/* ---- reading ---- */

RT_API ssize_t read(int fd, void *p, size_t n)
{
	if (__strata_on && n && until_ready("read", fd, POLLIN))
		return -1;
	return CHANGED(RT_REAL(read)(fd, p, n));
}

/* The name under which _FORTIFY_SOURCE has it. */
RT_API ssize_t __read_chk(int fd, void *p, size_t n, size_t room);
RT_API ssize_t __read_chk(int fd, void *p, size_t n, size_t room)
{
	if (n > room)
		abort();
	return read(fd, p, n);
}

RT_API ssize_t readv(int fd, const struct iovec *parts, int count)
{
	ssize_t bytes;

	if (!__strata_on)
		return RT_REAL(readv)(fd, parts, count);
	if (until_ready("readv", fd, POLLIN))
		return -1;
	bytes = CHANGED(RT_REAL(readv)(fd, parts, count));
	touch_parts(parts, count > 0 ? (size_t)count : 0, bytes, THREAD_WRITE);
	return bytes;
}

static ssize_t receive_once(const char *call, int fd, char *p, size_t n, int flags, struct sockaddr *from,
			    socklen_t *from_bytes)
{
	if (!(flags & (MSG_DONTWAIT | MSG_ERRQUEUE | MSG_OOB)) && until_ready(call, fd, POLLIN))
		return -1;
	return CHANGED(RT_REAL(recvfrom)(fd, p, n, flags, from, from_bytes));
}

/* With MSG_WAITALL as long as something comes. */
static ssize_t receive(const char *call, int fd, char *p, size_t n, int flags, struct sockaddr *from,
		       socklen_t *from_bytes)
{
	const bool is_all = (flags & (MSG_WAITALL | MSG_PEEK | MSG_DONTWAIT)) == MSG_WAITALL;
	size_t done = 0;
	ssize_t bytes;
	int type = 0;
	socklen_t type_bytes = sizeof(type);

	if (is_all) {
		host_call(SYS_getsockopt, fd, (const void *)SOL_SOCKET, SO_TYPE, &type, (long)&type_bytes);
		flags &= ~MSG_WAITALL;
	}
	do {
		bytes = receive_once(call, fd, p + done, n - done, flags, from, from_bytes);
		done += bytes > 0 ? (size_t)bytes : 0;
	} while (is_all && type == SOCK_STREAM && bytes > 0 && done < n);
	touch(p, done < n ? done : n, THREAD_WRITE);
	return done ? (ssize_t)done : bytes;
}

RT_API ssize_t recv(int fd, void *p, size_t n, int flags)
{
	return __strata_on ? receive("recv", fd, p, n, flags, NULL, NULL) : RT_REAL(recv)(fd, p, n, flags);
}

RT_API ssize_t __recv_chk(int fd, void *p, size_t n, size_t room, int flags);
RT_API ssize_t __recv_chk(int fd, void *p, size_t n, size_t room, int flags)
{
	if (n > room)
		abort();
	return recv(fd, p, n, flags);
}

RT_API ssize_t recvfrom(int fd, void *restrict p, size_t n, int flags, struct sockaddr *restrict from,
			socklen_t *restrict from_bytes)
{
	return __strata_on ? receive("recvfrom", fd, p, n, flags, from, from_bytes)
			   : RT_REAL(recvfrom)(fd, p, n, flags, from, from_bytes);
}

RT_API ssize_t recvmsg(int fd, struct msghdr *m, int flags)
{
	ssize_t bytes;

	if (!__strata_on)
		return RT_REAL(recvmsg)(fd, m, flags);
	if (!(flags & (MSG_DONTWAIT | MSG_ERRQUEUE | MSG_OOB)) && until_ready("recvmsg", fd, POLLIN))
		return -1;
	bytes = CHANGED(RT_REAL(recvmsg)(fd, m, flags));
	touch_parts(m->msg_iov, m->msg_iovlen, bytes, THREAD_WRITE);
	return bytes;
}

RT_API int accept4(int fd, struct sockaddr *restrict from, socklen_t *restrict bytes, int flags)
{
	if (__strata_on && until_ready("accept", fd, POLLIN))
		return -1;
	return CHANGED(RT_REAL(accept4)(fd, from, bytes, flags));
}

RT_API int accept(int fd, struct sockaddr *restrict from, socklen_t *restrict bytes)
{
	if (__strata_on && until_ready("accept", fd, POLLIN))
		return -1;
	return CHANGED(RT_REAL(accept)(fd, from, bytes));
}

RT_API int eventfd_read(int fd, eventfd_t *value)
{
	if (!__strata_on)
		return RT_REAL(eventfd_read)(fd, value);
	return read(fd, value, sizeof(*value)) == sizeof(*value) ? 0 : -1;
}

RT_API int eventfd_write(int fd, eventfd_t value)
{
	if (!__strata_on)
		return RT_REAL(eventfd_write)(fd, value);
	return write(fd, &value, sizeof(value)) == sizeof(value) ? 0 : -1;
}

/* ---- calls for several ---- */

static const struct timespec no_time;

/* -1 and errno: a signal has come while nothing waited. */
static int found(int result)
{
	if (result < 0 && errno == EINTR && rt_signal_is_kept)
		rt_signals_deliver();
	return result;
}

/* Goes on until the deadline: true: to look once more. */
static bool goes_on(const char *call, struct pollfd *fds, uint32_t count, const sigset_t *mask, uint64_t deadline_ps,
		    int *result)
{
	*result = 0;
	if (deadline_ps <= rt_now_ps())
		return false;
	if (wait_for(call, fds, count, mask, deadline_ps) != INTERRUPTED)
		return true;
	errno = EINTR;
	*result = -1;
	return false;
}

static int poll_until(const char *call, struct pollfd *fds, nfds_t count, const sigset_t *mask, uint64_t deadline_ps)
{
	int result;

	do
		result = found(RT_REAL(ppoll)(fds, count, &no_time, mask));
	while (!result && goes_on(call, fds, (uint32_t)count, mask, deadline_ps, &result));
	return result;
}

static uint64_t deadline_ms(int ms)
{
	return ms < 0 ? RT_NEVER : rt_now_ps() + (uint64_t)ms * 1000000 * PS_PER_NS;
}

RT_API int poll(struct pollfd *fds, nfds_t count, int ms)
{
	return __strata_on ? poll_until("poll", fds, count, NULL, deadline_ms(ms)) : RT_REAL(poll)(fds, count, ms);
}

RT_API int __poll_chk(struct pollfd *fds, nfds_t count, int ms, size_t room);
RT_API int __poll_chk(struct pollfd *fds, nfds_t count, int ms, size_t room)
{
	if (room / sizeof(*fds) < count)
		abort();
	return poll(fds, count, ms);
}

RT_API int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *time, const sigset_t *mask)
{
	return __strata_on ? poll_until("ppoll", fds, count, mask, deadline_in(time))
			   : RT_REAL(ppoll)(fds, count, time, mask);
}

static size_t set_bytes(int count)
{
	return ((size_t)count + NFDBITS - 1) / NFDBITS * sizeof(fd_mask);
}

static uint32_t as_poll(struct pollfd *out, int count, const fd_set *const *sets)
{
	static const short events[] = {POLLIN, POLLOUT, POLLPRI};
	uint32_t used = 0;

	for (int fd = 0; fd < count; fd++) {
		out[used] = (struct pollfd){fd, 0, 0};
		for (int i = 0; i < 3; i++)
			if (sets[i] && (sets[i]->fds_bits[fd / NFDBITS] & (fd_mask)(1ul << fd % NFDBITS)))
				out[used].events |= events[i];
		used += out[used].events != 0;
	}
	return used;
}

static int select_until(const char *call, int count, fd_set **sets, const sigset_t *mask, uint64_t deadline_ps)
{
	enum { SELECT_MAX = 65536 };
	const size_t bytes = count > 0 && count <= SELECT_MAX ? set_bytes(count) : 0;
	struct pollfd fds[bytes ? count + 1 : 1];
	char asked[3 * bytes + 1];
	uint32_t used;
	int result;

	if (count < 0 || count > SELECT_MAX)
		return RT_REAL(pselect)(count, sets[0], sets[1], sets[2], &no_time, mask);
	used = as_poll(fds, count, (const fd_set *const *)sets);
	for (int i = 0; i < 3; i++)
		if (sets[i])
			memcpy(asked + (size_t)i * bytes, sets[i], bytes);
	do {
		for (int i = 0; i < 3; i++)
			if (sets[i])
				memcpy(sets[i], asked + (size_t)i * bytes, bytes);
		result = found(RT_REAL(pselect)(count, sets[0], sets[1], sets[2], &no_time, mask));
	} while (!result && goes_on(call, fds, used, mask, deadline_ps, &result));
	return result;
}

RT_API int select(int count, fd_set *restrict in, fd_set *restrict out, fd_set *restrict other,
		  struct timeval *restrict time)
{
	uint64_t deadline, left;
	int result;

	if (!__strata_on || (time && (time->tv_sec < 0 || time->tv_usec < 0)))
		return RT_REAL(select)(count, in, out, other, time);
	deadline = time ? deadline_in(&(struct timespec){time->tv_sec, time->tv_usec * 1000}) : RT_NEVER;
	result = select_until("select", count, (fd_set *[]){in, out, other}, NULL, deadline);
	if (time) { /* the time that is left, as on Linux */
		left = deadline > rt_now_ps() ? (deadline - rt_now_ps()) / PS_PER_NS / 1000 : 0;
		*time = (struct timeval){(time_t)(left / 1000000), (suseconds_t)(left % 1000000)};
	}
	return result;
}

RT_API int pselect(int count, fd_set *restrict in, fd_set *restrict out, fd_set *restrict other,
		   const struct timespec *restrict time, const sigset_t *restrict mask)
{
	return __strata_on ? select_until("pselect", count, (fd_set *[]){in, out, other}, mask, deadline_in(time))
			   : RT_REAL(pselect)(count, in, out, other, time, mask);
}

static int epoll_until(const char *call, int fd, struct epoll_event *events, int most, const sigset_t *mask,
		       uint64_t deadline_ps)
{
	struct pollfd p = {fd, POLLIN, 0};
	int result;

	do
		result = found(RT_REAL(epoll_pwait)(fd, events, most, 0, mask));
	while (!result && goes_on(call, &p, 1, mask, deadline_ps, &result));
	return result;
}

RT_API int epoll_wait(int fd, struct epoll_event *events, int most, int ms)
{
	return __strata_on ? epoll_until("epoll_wait", fd, events, most, NULL, deadline_ms(ms))
			   : RT_REAL(epoll_wait)(fd, events, most, ms);
}

RT_API int epoll_pwait(int fd, struct epoll_event *events, int most, int ms, const sigset_t *mask)
{
	return __strata_on ? epoll_until("epoll_pwait", fd, events, most, mask, deadline_ms(ms))
			   : RT_REAL(epoll_pwait)(fd, events, most, ms, mask);
}

RT_API int epoll_pwait2(int fd, struct epoll_event *events, int most, const struct timespec *time, const sigset_t *mask)
{
	return __strata_on ? epoll_until("epoll_pwait2", fd, events, most, mask, deadline_in(time))
			   : RT_REAL(epoll_pwait2)(fd, events, most, time, mask);
}

/* Until a handler has run. */
RT_API int pause(void)
{
	if (!__strata_on)
		return RT_REAL(pause)();
	while (wait_for("pause", NULL, 0, NULL, RT_NEVER) != INTERRUPTED)
		;
	errno = EINTR;
	return -1;
}
