/* trace.c - prints a stream as a trace of Ramulator's form, which `strata mem --stream FILE` reads.
 *
 * Usage: trace STREAM REQUESTS GROUP_BITS BANK_BITS
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "streams.h"

int main(int argc, char **argv)
{
	struct stream s;

	if (argc != 5 || !stream_init(&s, argv[1], (uint32_t)atoi(argv[3]), (uint32_t)atoi(argv[4]))) {
		fprintf(stderr, "usage: trace STREAM REQUESTS GROUP_BITS BANK_BITS\n");
		return 2;
	}
	for (uint64_t left = strtoull(argv[2], NULL, 10); left; left--) {
		stream_next(&s);
		printf("0x%" PRIx64 " %c\n", s.addr_bytes, s.is_write ? 'W' : 'R');
	}
	return 0;
}
