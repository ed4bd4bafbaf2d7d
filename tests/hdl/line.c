/* line.c - lines to an accelerator as they are: line [NONE]. The design adds special register 1 to the tags that it
 * tells; NONE: it has no special registers. */
#include <errno.h>
#include <stdio.h>
#include <strata/ndp.h>
#include <string.h>

static int failed;

static void expect(const char *what, uint64_t is, uint64_t wanted)
{
	if (is != wanted) {
		printf("%s: %llu, not %llu\n", what, (unsigned long long)is, (unsigned long long)wanted);
		failed = 1;
	}
}

/* A merge of nothing and nothing, which is told at once. */
static uint64_t told(struct strata_line *line, uint64_t tag)
{
	uint64_t reply[8] = {0};

	line->command = STRATA_COMMAND_MESSAGE;
	memset(line->payload, 0, sizeof(line->payload));
	memcpy(line->payload, &tag, sizeof(tag));
	expect("message", (uint64_t)strata_accelerator_line(0, line), 0);
	strata_accelerator_receive(0, reply, sizeof(reply));
	return reply[0];
}

int main(int argc, char **argv)
{
	const int has_none = argc > 1 && !strcmp(argv[1], "NONE");
	struct strata_line line = {.command = STRATA_COMMAND_REGISTER, .arguments = {1, 1000}};
	uint8_t other[STRATA_KEY_BYTES];

	expect("no such accelerator", (uint64_t)strata_accelerator_key(64, line.key), ENODEV);
	expect("key", (uint64_t)strata_accelerator_key(0, line.key), 0);
	expect("other key", (uint64_t)strata_accelerator_key(1, other), 0);
	expect("keys differ", memcmp(other, line.key, sizeof(other)) != 0, 1);
	expect("before", told(&line, 7), 7);
	line.command = STRATA_COMMAND_REGISTER;
	expect("register", (uint64_t)strata_accelerator_line(0, &line), has_none ? ENOTSUP : 0);
	expect("after", told(&line, 7), has_none ? 7 : 1007);
	line.command = STRATA_COMMAND_REGISTER;
	line.arguments[0] = STRATA_SPECIAL_REGISTERS;
	expect("no such register", (uint64_t)strata_accelerator_line(0, &line), has_none ? ENOTSUP : EINVAL);
	line.command = 2;
	expect("no such command", (uint64_t)strata_accelerator_line(0, &line), EINVAL);
	line.key[31] ^= 1;
	line.command = STRATA_COMMAND_REGISTER;
	line.arguments[0] = 1;
	line.arguments[1] = 5;
	expect("wrong key", (uint64_t)strata_accelerator_line(0, &line), EACCES);
	line.key[31] ^= 1;
	expect("last", told(&line, 7), has_none ? 7 : 1007);
	puts(failed ? "wrong" : "lines");
	return failed;
}
