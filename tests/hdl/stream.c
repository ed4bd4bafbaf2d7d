/* stream.c - words that an accelerator reads and adds up: stream BYTES. It reads a half of them, and then all; the
 * words are 1, 2, 3 ... A reply has the sum and the cycles that it took; how many more the second has is printed. */
#include <stdio.h>
#include <stdlib.h>
#include <strata/ndp.h>

int main(int argc, char **argv)
{
	const uint64_t bytes = argc > 1 ? strtoull(argv[1], NULL, 10) : 4096;
	uint64_t *words = aligned_alloc(65536, (bytes + 65535) / 65536 * 65536), reply[8], cycles[2];

	if (!words || !strata_accelerator_count()) {
		puts("no accelerator");
		return 3;
	}
	for (uint64_t i = 0; i < bytes / sizeof(uint64_t); i++)
		words[i] = i + 1;
	strata_accelerator_map(0, words, bytes);
	for (uint32_t round = 0; round < 2; round++) {
		const uint64_t message[8] = {(uint64_t)words, bytes / 2 * (round + 1)};
		const uint64_t count = message[1] / sizeof(uint64_t);

		strata_accelerator_send(0, message, sizeof(message));
		strata_accelerator_receive(0, reply, sizeof(reply));
		if (reply[0] != count * (count + 1) / 2) {
			puts("wrong");
			return 1;
		}
		cycles[round] = reply[1];
	}
	free(words);
	printf("%llu\n", (unsigned long long)(cycles[1] - cycles[0]));
	return 0;
}
