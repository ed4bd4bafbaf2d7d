/* stale.c - sees what a model hands out: a word that reads as something else, and its own memory untouched. Its threads
 * end one after the other where a second argument says so. */
#include "check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

static volatile uint64_t plain = 0x1234, marked;
static _Atomic int sum;

static void *add(void *arg)
{
	for (int i = 0; i < *(const int *)arg; i++)
		sum++;
	return NULL;
}

int main(int argc, char **argv)
{
	uint64_t expected = argc > 1 && !strcmp(argv[1], "stale") ? 0x1111111111111111 : 0x5757575757575757;
	int counts[6], expected_sum = 0;
	pthread_t t[6];

	marked = 0x5757575757575757;
	EXPECT(marked == expected && plain == 0x1234);
	for (int i = 0; i < 6; i++) {
		counts[i] = argc > 2 ? 200 * (i + 1) : 1000;
		expected_sum += counts[i];
		pthread_create(&t[i], NULL, add, &counts[i]);
	}
	for (int i = 0; i < 6; i++)
		pthread_join(t[i], NULL);
	atomic_thread_fence(memory_order_seq_cst);
	EXPECT(sum == expected_sum);
	marked = 5;
	EXPECT(marked == 5);
	return 0;
}
