/* tee.c - passes a program's output on and keeps it. */
#include "cli/tee.h"

#include "cli/options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { COPY_BYTES = 65536 };

static bool write_all(int fd, const char *data, size_t length)
{
	while (length) {
		ssize_t n = write(fd, data, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		data += n;
		length -= (size_t)n;
	}
	return true;
}

/* A reader of ours that has gone does not stop the program: the file is what the check needs. */
static void *pass_on(void *ctx)
{
	struct cli_tee *tee = ctx;
	char buffer[COPY_BYTES];
	bool has_reader = true, is_kept = true;

	for (;;) {
		ssize_t length = read(tee->read_fd, buffer, sizeof(buffer));

		if (length < 0 && errno == EINTR)
			continue;
		if (length <= 0)
			break;
		has_reader = has_reader && write_all(STDOUT_FILENO, buffer, (size_t)length);
		if (is_kept && !write_all(tee->file_fd, buffer, (size_t)length)) {
			cli_error("cannot keep the program's output for its check: %s", strerror(errno));
			is_kept = false;
		}
	}
	return NULL;
}

int cli_tee_start(struct cli_tee *tee, const char *path)
{
	int fds[2];

	tee->file_fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (tee->file_fd < 0 || pipe2(fds, O_CLOEXEC)) {
		cli_error("cannot keep the program's output in %s: %s", path, strerror(errno));
		return -1;
	}
	tee->read_fd = fds[0];
	tee->thread = g_thread_new("tee", pass_on, tee);
	return fds[1];
}

void cli_tee_end(struct cli_tee *tee)
{
	if (!tee->thread)
		return;
	g_thread_join(tee->thread);
	close(tee->read_fd);
	close(tee->file_fd);
	tee->thread = NULL;
}
