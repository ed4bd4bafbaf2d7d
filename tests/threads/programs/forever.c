/* forever.c - a program that a signal of the host ends:
 *
 *	forever spin|host|handler|asks
 *
 * It says "begun", and then makes accesses for ever (spin), or is for ever in code that was not built with strata cc
 * (host: forever_host says it, too); handler: its own handler ends it, with status 7. asks: nobody has told it of a
 * handler that it did not set. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void forever_host(void);

static volatile sig_atomic_t came;
static volatile long words[1024];

static void on_signal(int number)
{
	came = number;
}

static void spin(void)
{
	for (long i = 0; !came; i++)
		words[i * 77 % 1024] += i;
}

static int ask(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction old;

	for (int i = 0; i < 3; i++)
		if (sigaction(numbers[i], NULL, &old) || old.sa_handler != SIG_DFL)
			return 1;
	signal(SIGHUP, SIG_IGN);
	raise(SIGHUP);
	return signal(SIGHUP, SIG_DFL) != SIG_IGN || sigaction(SIGHUP, NULL, &old) || old.sa_handler != SIG_DFL;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "spin";

	if (!strcmp(how, "asks"))
		return ask();
	if (!strcmp(how, "handler"))
		signal(SIGINT, on_signal);
	if (!strcmp(how, "host"))
		forever_host();
	printf("begun\n");
	fflush(stdout);
	printf("not yet written");
	spin();
	return 7;
}
