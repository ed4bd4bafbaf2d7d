/* message.c - messages on stderr, in the middle of what the program prints itself. */
#include "machine/message.h"

#include <glib.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/demangle.h"

/* One write per message, so that messages of several processes do not mix. Names of kernels are those of the program's
 * author. */
static void print_line(const char *prefix, const char *text)
{
	g_autofree char *plain = base_demangle(text), *line = g_strconcat(prefix, plain, "\n", NULL);
	size_t length = strlen(line);

	/* Not where a thread that does not go on meanwhile has it. */
	if (!ftrylockfile(stdout)) {
		fflush_unlocked(stdout);
		funlockfile(stdout);
	}
	for (size_t done = 0; done < length;) {
		ssize_t n = write(STDERR_FILENO, line + done, length - done);

		if (n <= 0)
			break;
		done += (size_t)n;
	}
}

void machine_message(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);

	g_autofree char *text = g_strdup_vprintf(fmt, args);

	va_end(args);
	print_line("strata: ", text);
}

void machine_print_diag(const struct base_diag_list *diag)
{
	for (const struct base_diag *d = diag->first; d; d = d->next)
		print_line("", d->text);
}
