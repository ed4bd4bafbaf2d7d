/*
 * input.c - the digest of a program's input.
 *
 * It keeps nothing, allocates nothing, lies in a section of its own and, in programs of threads, is built without
 * hooks and linked behind all else: where such a program's code, variables and arrays lie is the same as without it,
 * and so is its time.
 */
#include "common/program.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define APART __attribute__((section("input_text")))
#define CONSTANT static const char __attribute__((section("input_constants")))

CONSTANT variable[] = "STRATA_MEASURES", form[] = "input\t%" PRIu64 "\tdigest\n",
		      wrong[] = "cannot write %s: %s: no digest of the input\n";

enum { DIGEST_BITS_LEFT_OUT = 32 };

APART uint64_t workload_digest(uint64_t digest, const void *data, size_t bytes)
{
	const unsigned char *at = data;

	digest = workload_mix(digest + bytes);
	for (size_t done = 0; done < bytes; done += sizeof(uint32_t)) {
		uint32_t word = 0;

		memcpy(&word, at + done, bytes - done < sizeof(word) ? bytes - done : sizeof(word));
		digest = workload_mix(digest + word);
	}
	return digest;
}

APART void workload_input(const void *data, size_t bytes)
{
	const char *path = getenv(variable);
	const int fd = path ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666) : -1;
	char line[64];
	int length;

	if (!path)
		return;
	length = snprintf(line, sizeof(line), form, workload_digest(0, data, bytes) >> DIGEST_BITS_LEFT_OUT);
	/* What the program computes is worth having without it; strata bench says which run has none. */
	if (fd < 0 || write(fd, line, (size_t)length) != length)
		dprintf(STDERR_FILENO, wrong, path, strerror(errno));
	if (fd >= 0)
		close(fd);
}
