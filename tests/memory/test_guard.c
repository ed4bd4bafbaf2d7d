/* The guard against starvation on an overloaded bank, for every memory of memories/: it bounds what a request waits
 * for, and so must cost neither bandwidth nor make the longest wait longer. Seven of eight accesses go to four rows of
 * one bank, the others anywhere in its channel; a quarter are writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <glib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memory/measure.h"
#include "memory/standard.h"

enum { REQUESTS = 10000, WINDOW = 256, HOT_ROWS = 4 };

/* In picoseconds: longer than the run; one at which in a queue that a bank holds up everything is overdue always. */
static const uint64_t never_ps = 10000000000, always_ps = 250000;

static uint32_t below(uint64_t *random, uint64_t bound)
{
	*random = *random * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)((unsigned __int128)*random * bound >> 64);
}

/* A place's numbers: channel, pseudo channel, rank, group, bank, row, column, as far as the memory has them. */
static void add_place(GString *text, const struct memory_standard *s, const uint32_t at[4])
{
	const struct dram_params *d = &s->dram;
	const uint64_t groups = d->group_count, of_group = d->bank_count / groups;

	g_string_append(text, d->pseudo_count > 1 ? "0,0" : "0");
	g_string_append_printf(text, ",%u", at[0]);
	if (groups > 1)
		g_string_append_printf(text, ",%u", (uint32_t)(at[1] % groups));
	g_string_append_printf(text, ",%u,%u,%u\n", (uint32_t)(at[1] / groups % of_group), at[2], at[3]);
}

static GString *hot_bank(const struct memory_standard *s)
{
	const struct dram_params *d = &s->dram;
	const uint64_t bursts = d->data_bits * d->burst_beats / 8;
	GString *text = g_string_new(NULL);
	uint64_t random = 1;

	for (uint32_t i = 0; i < REQUESTS; i++) {
		const bool is_hot = below(&random, 8) > 0;
		const uint32_t at[4] = {
		    is_hot ? 0 : below(&random, d->rank_count),
		    is_hot ? 0 : below(&random, d->bank_count),
		    below(&random, is_hot ? HOT_ROWS : 1024),
		    below(&random, d->row_bytes / bursts),
		};

		g_string_append(text, below(&random, 4) ? "R " : "W ");
		add_place(text, s, at);
	}
	return text;
}

static struct memory_result measure(const struct memory_standard *s, const GString *text)
{
	const int fd = memfd_create("trace", 0);
	struct memory_stream_params stream;
	const struct sim_param_group group = {"stream", memory_stream_param_rows, memory_stream_param_row_count,
					      &stream, NULL};
	struct memory_measure_config c = {.memory = s, .stream = &stream, .kind = MEMORY_TRACE, .audit = true};
	struct base_diag_list diag;
	struct memory_result result;
	struct memory_measure *m;

	assert_int_equal(write(fd, text->str, text->len), (ssize_t)text->len);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	sim_param_defaults(&group);
	stream.request_count = 0;
	stream.window_count = WINDOW;
	base_diag_init(&diag);
	c.trace = memory_trace_open_fd(fd, "t", MEMORY_TRACE_READWRITE, &diag);
	m = c.trace ? memory_measure_new(&c, &diag) : NULL;
	if (!m)
		fail_msg("%s: %s", s->about.name, diag.first->text);
	memory_measure_run(m, &result);
	assert_int_equal(result.request_count, REQUESTS);
	memory_measure_free(m);
	memory_trace_close(c.trace);
	base_diag_free(&diag);
	return result;
}

/* With this cap at least so much of the bandwidth, and at most so much of the longest wait, that there is without. */
static void check_cap(struct memory_standard *s, const GString *text, uint64_t cap_ps, double least, double most)
{
	struct memory_result with, without;
	double longest[2];

	s->dram.starvation_cap_ps = never_ps;
	without = measure(s, text);
	s->dram.starvation_cap_ps = cap_ps;
	with = measure(s, text);
	longest[0] = (double)without.latency[MEMORY_LATENCY_ALL].max * without.latency_unit_ns;
	longest[1] = (double)with.latency[MEMORY_LATENCY_ALL].max * with.latency_unit_ns;
	if (with.gbytes_per_s < least * without.gbytes_per_s || longest[1] > most * longest[0])
		fail_msg("%s: guarded after %llu ps: %.2f GB/s and %.0f ns at most, without a guard %.2f and %.0f",
			 s->about.name, (unsigned long long)cap_ps, with.gbytes_per_s, longest[1],
			 without.gbytes_per_s, longest[0]);
}

/* As it is shipped: both within two parts of a hundred. Where everything is overdue a row takes only those with it
 * that had gathered when it was opened: four fifths of those that it takes without a guard, as each of four rows has a
 * quarter of what comes; and the same for a guard per bank. */
static void check_memory(const char *name, const struct sim_search *search)
{
	struct memory_standard s;
	struct base_diag_list diag;
	uint64_t shipped_ps;
	GString *text;

	base_diag_init(&diag);
	if (!memory_standard_load(name, search, &s, &diag) || !memory_standard_check(&s, &diag))
		fail_msg("%s: %s", name, diag.first->text);
	base_diag_free(&diag);
	s.link.is_present = false; /* the memory behind it */
	shipped_ps = s.dram.starvation_cap_ps;
	text = hot_bank(&s);
	check_cap(&s, text, shipped_ps, 0.98, 1.02);
	for (uint32_t is_global = 0; is_global < 2; is_global++) {
		s.dram.starvation_global = is_global;
		check_cap(&s, text, always_ps, 0.7, 1.5);
	}
	g_string_free(text, true);
}

static void test_guard(void **state)
{
	const char *const dirs[] = {TEST_MEMORIES};
	const struct sim_search search = {dirs, 1};
	g_auto(GStrv) names = sim_description_names(&search);

	(void)state;
	assert_true(g_strv_length(names) >= 13);
	for (char **name = names; *name; name++)
		check_memory(*name, &search);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_guard)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
