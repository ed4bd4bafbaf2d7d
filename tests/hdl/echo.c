/* echo.c - words to an accelerator and back: echo MESSAGES [ADDRESS]. A second thread sends all messages at once; what
 * comes back is printed, a word a line. ADDRESS: each message is the address of a word that nobody writes. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <strata/ndp.h>

static uint64_t count, flag;
static int is_address;

static void *send_all(void *unused)
{
	for (uint64_t i = 0; i < count; i++) {
		const uint64_t message[8] = {is_address ? (uint64_t)&flag : 100 + i};

		strata_accelerator_send(0, message, sizeof(message));
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t sender;

	count = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	is_address = argc > 2;
	if (!strata_accelerator_count()) {
		puts("no accelerator");
		return 3;
	}
	strata_accelerator_map(0, &flag, sizeof(flag));
	pthread_create(&sender, NULL, send_all, NULL);
	for (uint64_t i = 0; i < count; i++) {
		uint64_t reply[8];

		strata_accelerator_receive(0, reply, sizeof(reply));
		printf("%llu\n", (unsigned long long)reply[0]);
	}
	pthread_join(sender, NULL);
	return 0;
}
