/* mutants.c - makes mutants of files, and looks after the process that reads them. */
#include "mutants.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"

/* What the process that reads says of itself. */
static struct state {
	uint64_t number; /* of the mutant, from 0 */
	uint64_t taken, refused;
	bool is_done;
	char path[64]; /* of mutants_file, "": not used */
	size_t bytes;
	char text[MUTANT_BYTES_MAX];
} *state;

const char *mutants_file(const char *text, size_t bytes)
{
	static char own[sizeof(state->path)];
	static int fd = -1;
	char *path = state ? state->path : own;

	if (fd < 0) {
		snprintf(path, sizeof(own), "/tmp/strata-mutant-XXXXXX.yaml");
		fd = mkstemps(path, (int)strlen(".yaml"));
		CHECK(fd >= 0);
	}
	CHECK(!ftruncate(fd, 0) && pwrite(fd, text, bytes, 0) == (ssize_t)bytes);
	return path;
}

/* The reader sees a text that is exactly as long as it is, so that the sanitizer sees what is beside it. */
static bool read_exactly(const char *text, size_t bytes)
{
	char *copy = malloc(bytes ? bytes : 1);

	CHECK(copy);
	memcpy(copy, text, bytes);

	const bool is_taken = mutants_kind.read(copy, bytes);

	free(copy);
	return is_taken;
}

#ifdef STRATA_LIBFUZZER
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_exactly((const char *)data, size);
	return 0;
}
#else

/* ---- chance ---- */

static uint64_t chance;

/* splitmix64: each mutant has its own numbers, whatever was made before it. */
static void chance_begin(uint64_t seed, uint64_t number)
{
	chance = seed * 0x9e3779b97f4a7c15 + number;
}

static uint64_t next_random(void)
{
	uint64_t z = chance += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static size_t below(size_t bound)
{
	return bound ? (size_t)(next_random() % bound) : 0;
}

/* ---- places in a text ---- */

struct span {
	size_t at, bytes;
};

static bool is_word(char c)
{
	return g_ascii_isalnum(c) || strchr("_.%$-+", c);
}

/* The bytes around a random place for which is() holds; none where there are none there. */
static struct span span_of(const GString *s, bool (*is)(char))
{
	size_t from = below(s->len), to = from;

	while (from > 0 && s->str[from - 1] && is(s->str[from - 1]))
		from--;
	while (to < s->len && s->str[to] && is(s->str[to]))
		to++;
	return (struct span){from, to - from};
}

static bool is_digit(char c)
{
	return g_ascii_isxdigit(c) || c == 'x';
}

/* The line at a random place, with its newline. */
static struct span line_of(const GString *s)
{
	size_t from = below(s->len), to = from;

	while (from > 0 && s->str[from - 1] != '\n')
		from--;
	while (to < s->len && s->str[to] != '\n')
		to++;
	return (struct span){from, to + (to < s->len) - from};
}

static struct span range_of(const GString *s)
{
	const size_t at = below(s->len), bytes = below(24);

	return (struct span){at, MIN(bytes, s->len - at)};
}

static void put(GString *s, struct span at, const char *with, size_t bytes)
{
	g_string_erase(s, (gssize)at.at, (gssize)at.bytes);
	g_string_insert_len(s, (gssize)at.at, with, (gssize)bytes);
}

/* ---- mutations: each changes s, and takes what it needs from other ---- */

static void mutate_byte(GString *s, const GString *other)
{
	static const char signs[] = " \n\t:;,.{}[]()<>'\"&*!|@%-+/=#0_";
	const size_t at = below(s->len);

	if (!s->len)
		return;
	switch (below(4)) {
	case 0: s->str[at] = (char)next_random(); break;
	case 1: s->str[at] ^= (char)(1 << below(8)); break;
	case 2: s->str[at] = signs[below(sizeof(signs) - 1)]; break;
	default: g_string_insert_c(s, (gssize)at, signs[below(sizeof(signs) - 1)]);
	}
	(void)other;
}

static void mutate_range(GString *s, const GString *other)
{
	const struct span from = range_of(other), to = range_of(s);

	put(s, below(2) ? to : (struct span){to.at, 0}, other->str + from.at, below(2) ? from.bytes : 0);
}

static void mutate_word(GString *s, const GString *other)
{
	const struct span from = span_of(other, is_word), to = span_of(s, is_word);

	if (from.bytes && to.bytes)
		put(s, to, other->str + from.at, from.bytes);
}

/* Numbers at which sizes and indexes break. */
static void mutate_number(GString *s, const GString *other)
{
	static const char *const odd[] = {"0", "1", "-1", "2", "3", "7", "31", "32", "33", "63", "64", "65", "127",
					  "128", "255", "256", "1023", "1024", "4096", "65535", "65536", "1048576",
					  "2147483647", "2147483648", "4294967295", "4294967296", "1e9", "1e18",
					  "9223372036854775807", "9223372036854775808", "18446744073709551615",
					  "18446744073709551616", "0x10", "0xffffffffffffffff", "1e308", "-1e308",
					  "1e-308", "1e999", "nan", "inf", "0.0", "1.5", "-0", "00",
					  "99999999999999999999999999999999999999999999"};
	struct span at = span_of(s, is_digit);
	const char *text = odd[below(G_N_ELEMENTS(odd))];
	char little[24];

	/* From a place without one on to the next. */
	if (!at.bytes)
		at.at += strcspn(s->str + at.at, "0123456789");
	while (at.at + at.bytes < s->len && g_ascii_isdigit(s->str[at.at + at.bytes]))
		at.bytes++;
	if (!at.bytes)
		return;
	if (below(3) == 0) {
		const int64_t value = g_ascii_strtoll(s->str + at.at, NULL, 0);

		snprintf(little, sizeof(little), "%lld", (long long)(value / 2 + (int64_t)below(64) - 2));
		text = little;
	}
	put(s, at, text, strlen(text));
	(void)other;
}

static void mutate_line(GString *s, const GString *other)
{
	const struct span from = line_of(other), here = line_of(s), to = line_of(s);
	g_autofree char *line = g_memdup2(s->str + here.at, here.bytes + 1);

	switch (below(4)) {
	case 0: put(s, here, "", 0); break;
	case 1: put(s, (struct span){to.at, 0}, line, here.bytes); break;
	case 2: put(s, (struct span){to.at, 0}, other->str + from.at, from.bytes); break;
	default: put(s, here, other->str + from.at, from.bytes);
	}
}

/* What is between two brackets is gone. */
static void mutate_list(GString *s, const GString *other)
{
	const size_t begin = below(s->len), from = begin + strcspn(s->str + begin, "[{(");
	const size_t to = from + strcspn(s->str + from, "]})");

	if (to > from + 1)
		put(s, (struct span){from + 1, to - from - 1}, "", 0);
	(void)other;
}

/* The text ends here, or goes on as the other does. */
static void mutate_end(GString *s, const GString *other)
{
	const struct span here = line_of(s), there = line_of(other);
	const size_t from = there.at;

	g_string_truncate(s, below(2) ? here.at : below(s->len));
	if (below(4))
		g_string_append_len(s, other->str + from, (gssize)(other->len - from));
}

static void mutate(GString *s, GPtrArray *seeds)
{
	static void (*const ways[])(GString *, const GString *) = {
	    mutate_byte, mutate_range,	mutate_word,   mutate_word, mutate_word,
	    mutate_word, mutate_number, mutate_number, mutate_line, mutate_list};

	for (size_t count = 1 + below(4); count > 0 && s->len; count--) {
		const GString *other = below(2) ? seeds->pdata[below(seeds->len)] : NULL;
		g_autoptr(GString) same = other ? NULL : g_string_new_len(s->str, (gssize)s->len);

		(below(24) ? ways[below(G_N_ELEMENTS(ways))] : mutate_end)(s, other ? other : same);
		if (s->len > MUTANT_BYTES_MAX / 8)
			g_string_truncate(s, MUTANT_BYTES_MAX / 8);
	}
}

/* The input of this number; 0 to the number of seeds: the seeds as they are. Of several parts most stay as they are. */
static GString *input_of(GPtrArray *seeds, uint64_t number)
{
	GString *out = g_string_new(NULL);
	const size_t changed = below(mutants_kind.part_count);

	for (size_t p = 0; p < mutants_kind.part_count; p++) {
		const size_t which = number < seeds->len ? (size_t)number + p : below(seeds->len);
		const GString *seed = seeds->pdata[which % seeds->len];
		g_autoptr(GString) part = g_string_new_len(seed->str, (gssize)seed->len);

		if (number >= seeds->len && (p == changed || !below(3)))
			mutate(part, seeds);
		if (p)
			g_string_append_c(out, '\0');
		g_string_append_len(out, part->str, (gssize)part->len);
	}
	return out;
}

/* ---- the process that reads ---- */

static void limit_time(void)
{
	const struct itimerval t = {.it_value.tv_sec = MUTANT_SECONDS};

	setitimer(ITIMER_PROF, &t, NULL); /* SIGPROF ends the process */
}

static void read_inputs(GPtrArray *seeds, uint64_t count, uint64_t seed)
{
	for (uint64_t n = 0; n < count; n++) {
		chance_begin(seed, n);

		g_autoptr(GString) input = input_of(seeds, n);

		CHECK(input->len <= MUTANT_BYTES_MAX);
		state->number = n;
		state->bytes = input->len;
		memcpy(state->text, input->str, input->len);
		limit_time();
		*(read_exactly(input->str, input->len) ? &state->taken : &state->refused) += 1;
	}
	state->is_done = true;
}

/* Returns whether the process ended as it should. */
static bool watch(GPtrArray *seeds, uint64_t count, uint64_t seed)
{
	const pid_t parent = getpid(), child = fork();
	int status = 0;

	CHECK(child >= 0);
	if (!child) {
		CHECK(!prctl(PR_SET_PDEATHSIG, SIGKILL) && getppid() == parent);
		read_inputs(seeds, count, seed);
		g_ptr_array_free(seeds, TRUE);
		exit(0); /* after the sanitizer has looked for leaks */
	}
	while (waitpid(child, &status, 0) < 0)
		CHECK(errno == EINTR);
	if (*state->path)
		unlink(state->path);
	if (WIFEXITED(status) && !WEXITSTATUS(status) && state->is_done)
		return true;
	if (WIFSIGNALED(status))
		fprintf(stderr, "%s_mutants: FAILED: the reader ended by signal %d%s\n", mutants_kind.name,
			WTERMSIG(status), WTERMSIG(status) == SIGPROF ? ": it takes too long" : "");
	else
		fprintf(stderr, "%s_mutants: FAILED: the reader ended with status %d\n", mutants_kind.name,
			WEXITSTATUS(status));
	return false;
}

static void keep_mutant(uint64_t seed)
{
	g_autofree char *name = g_strdup_printf("%s-%llu-%llu.mutant", mutants_kind.name, (unsigned long long)seed,
						(unsigned long long)state->number);
	g_autofree char *path = g_canonicalize_filename(name, NULL);

	if (state->is_done)
		fprintf(stderr, "after the last of its mutants, of seed %llu\n", (unsigned long long)seed);
	else if (g_file_set_contents(path, state->text, (gssize)state->bytes, NULL))
		fprintf(stderr, "mutant %llu of seed %llu is kept: %s_mutants --file %s\n",
			(unsigned long long)state->number, (unsigned long long)seed, mutants_kind.name, path);
	else
		fprintf(stderr, "mutant %llu of seed %llu, which could not be written to %s\n",
			(unsigned long long)state->number, (unsigned long long)seed, path);
}

static int judge(uint64_t count)
{
	printf("%s: %llu mutants, %llu taken, %llu refused\n", mutants_kind.name, (unsigned long long)count,
	       (unsigned long long)state->taken, (unsigned long long)state->refused);
	if (count < 1000 || (state->taken >= count / 50 && state->refused >= count / 50))
		return 0;
	fprintf(stderr, "%s_mutants: FAILED: the mutations are too %s\n", mutants_kind.name,
		state->taken < state->refused ? "wild" : "tame");
	return 1;
}

static void string_free(void *s)
{
	g_string_free(s, TRUE);
}

static GPtrArray *read_seeds(char **paths, int count)
{
	GPtrArray *seeds = g_ptr_array_new_with_free_func(string_free);

	for (int k = 0; k < count; k++) {
		g_autofree char *text = NULL;
		gsize bytes;

		if (!g_file_get_contents(paths[k], &text, &bytes, NULL)) {
			fprintf(stderr, "%s_mutants: cannot read %s\n", mutants_kind.name, paths[k]);
			exit(2);
		}
		g_ptr_array_add(seeds, g_string_new_len(text, (gssize)bytes));
	}
	return seeds;
}

int main(int argc, char **argv)
{
	const bool is_file = argc == 3 && !strcmp(argv[1], "--file");

	if (!is_file && argc < 4) {
		fprintf(stderr, "usage: %s_mutants COUNT SEED FILE...\n       %s_mutants --file FILE\n",
			mutants_kind.name, mutants_kind.name);
		return 2;
	}
	state = mmap(NULL, sizeof(*state), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(state != MAP_FAILED);

	GPtrArray *seeds = is_file ? read_seeds(argv + 2, 1) : read_seeds(argv + 3, argc - 3);

	if (is_file) {
		const GString *text = seeds->pdata[0];

		limit_time();
		printf("%s: %s\n", mutants_kind.name, read_exactly(text->str, text->len) ? "taken" : "refused");
		g_ptr_array_free(seeds, TRUE);
		if (*state->path)
			unlink(state->path);
		return 0;
	}

	const uint64_t count = strtoull(argv[1], NULL, 0), seed = strtoull(argv[2], NULL, 0);
	const bool is_right = watch(seeds, count, seed);

	if (!is_right)
		keep_mutant(seed);
	g_ptr_array_free(seeds, TRUE);
	return is_right ? judge(count) : 1;
}
#endif
