/* progress.c - the line of progress.h. */
#include "cli/progress.h"

#include "cli/tree.h"

#include <glib.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { COLUMNS_DEFAULT = 80 };

static const uint64_t period_ns = 500000000, plain_period_ns = 5000000000;

void cli_progress_begin(struct cli_progress *p)
{
	*p = (struct cli_progress){.begin_ns = cli_now_ns(), .is_shown = isatty(STDERR_FILENO)};
	p->next_ns = p->begin_ns + period_ns;
}

void cli_progress_begin_plain(struct cli_progress *p)
{
	cli_progress_begin(p);
	p->is_plain = !p->is_shown;
	p->is_shown = true;
	if (p->is_plain)
		p->next_ns = p->begin_ns + plain_period_ns;
}

bool cli_progress_is_due(struct cli_progress *p)
{
	return p->is_shown && cli_now_ns() >= p->next_ns;
}

double cli_progress_s(const struct cli_progress *p)
{
	return (double)(cli_now_ns() - p->begin_ns) * 1e-9;
}

const char *cli_duration(double seconds, char out[32])
{
	const uint64_t s = seconds > 0 ? (uint64_t)seconds : 0;

	if (s < 100)
		g_snprintf(out, 32, "%lu s", s);
	else if (s < 6000)
		g_snprintf(out, 32, "%lu min %lu s", s / 60, s % 60);
	else
		g_snprintf(out, 32, "%lu h %lu min", s / 3600, s / 60 % 60);
	return out;
}

uint32_t cli_terminal_columns(int fd)
{
	struct winsize size;

	return ioctl(fd, TIOCGWINSZ, &size) || !size.ws_col ? COLUMNS_DEFAULT : size.ws_col;
}

void cli_progress_draw(struct cli_progress *p, double done, const char *fmt, ...)
{
	const double elapsed = cli_progress_s(p);
	g_autofree char *text = NULL, *line = NULL, *shown = NULL;
	char since[32], left[32];
	va_list args;

	p->next_ns = cli_now_ns() + (p->is_plain ? plain_period_ns : period_ns);
	if (!p->is_shown)
		return;
	va_start(args, fmt);
	text = g_strdup_vprintf(fmt, args);
	va_end(args);
	line = g_strdup_printf("%s%s%s%s: %s", cli_duration(elapsed, since), done > 0 ? ", about " : "",
			       done > 0 ? cli_duration(elapsed * (1 - MIN(done, 1)) / done, left) : "",
			       done > 0 ? " left" : "", text);
	if (p->is_plain) {
		fprintf(stderr, "strata: %s\n", line);
		return;
	}
	/* A line that wraps could not be drawn over. */
	shown = g_utf8_substring(line, 0, MIN(g_utf8_strlen(line, -1), (glong)cli_terminal_columns(STDERR_FILENO) - 1));
	fprintf(stderr, "\r%s\033[K", shown);
	p->has_line = true;
}

void cli_progress_clear(struct cli_progress *p)
{
	if (p->has_line)
		fputs("\r\033[K", stderr);
	p->has_line = false;
}
