/* sanitized.c - accesses that the thread sanitizer's interface has: of 1 to 8 bytes, atomics, and threads that wait for
 * each other. Prints what it expects of its array: "expect FROM TO KIND BYTES COUNT". */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { ITEMS = 100, THREADS = 4, ROUNDS = 50 };

static volatile uint64_t words[ITEMS];
static volatile uint8_t bytes[ITEMS];
static char copied[4096], from[4096];
static _Atomic uint32_t arrived, total;
static _Atomic uint64_t largest;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned guarded;

static void *work(void *argument)
{
	const uint64_t number = (uint64_t)(uintptr_t)argument;
	uint64_t before = atomic_load(&largest);

	for (int i = 0; i < ROUNDS; i++) {
		atomic_fetch_add(&total, 1);
		pthread_mutex_lock(&lock);
		guarded++;
		pthread_mutex_unlock(&lock);
	}
	while (before < number && !atomic_compare_exchange_weak(&largest, &before, number))
		;
	atomic_fetch_add_explicit(&arrived, 1, memory_order_release);
	while (atomic_load_explicit(&arrived, memory_order_acquire) < THREADS)
		;
	return NULL;
}

static void expect(const volatile void *begin, size_t size, const char *kind, unsigned access_bytes, unsigned count)
{
	const volatile char *end = (const volatile char *)begin + size;

	printf("expect %p %p %s %u %u\n", (const void *)begin, (const void *)end, kind, access_bytes, count);
}

int main(void)
{
	pthread_t threads[THREADS];
	uint64_t sum = 0;

	for (int i = 0; i < ITEMS; i++) {
		words[i] = (uint64_t)i;
		bytes[i] = (uint8_t)i;
	}
	for (int i = 0; i < ITEMS; i++)
		sum += words[i] + bytes[i];
	memset(from, 7, sizeof(from));
	memcpy(copied, from, sizeof(copied));
	for (uintptr_t t = 0; t < THREADS; t++)
		pthread_create(&threads[t], NULL, work, (void *)(t + 1));
	for (int t = 0; t < THREADS; t++)
		pthread_join(threads[t], NULL);
	expect(words, sizeof(words), "write", 8, ITEMS);
	expect(words, sizeof(words), "read", 8, ITEMS);
	expect(bytes, sizeof(bytes), "write", 1, ITEMS);
	expect(bytes, sizeof(bytes), "read", 1, ITEMS);
	expect(&total, sizeof(total), "rmw", 4, THREADS * ROUNDS);
	expect(copied, sizeof(copied), "write", 16, sizeof(copied) / 16);
	return sum != 2 * (ITEMS * (ITEMS - 1) / 2) || guarded != THREADS * ROUNDS ||
	       atomic_load(&total) != THREADS * ROUNDS || atomic_load(&largest) != THREADS || copied[4095] != 7;
}
