/* test_values.c - versions with images against caches in which every copy has its own bytes. */
#include "values/values.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LINE = 128, LINES = 12, HOLDERS = 5, STEPS = 400000 };

/* One cache's copy of a line, or the memory's: with its bytes. */
struct copy {
	bool is_there, is_modified;
	cpu_version version;
	uint8_t bytes[LINE];
};

static struct world {
	struct values *values;
	struct copy copies[HOLDERS][LINES], memory[LINES];
	uint8_t program[LINES][LINE]; /* what the program has */
	uint64_t random, stale_reads;
	bool is_faulty; /* some caches keep a copy that they must drop */
} w;

static uint32_t draw(uint32_t below)
{
	w.random = w.random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(w.random >> 33) % below;
}

static void begin(uint32_t lines_max, uint32_t images_max)
{
	memset(&w, 0, sizeof(w));
	w.random = 7;
	w.values = values_new(LINE, lines_max, images_max);
	for (uint32_t line = 0; line < LINES; line++)
		for (uint32_t i = 0; i < LINE; i++)
			w.memory[line].bytes[i] = w.program[line][i] = (uint8_t)draw(256);
}

static void write_back(uint32_t holder, uint32_t line)
{
	struct copy *c = &w.copies[holder][line];

	values_moved(w.values, line, holder);
	memcpy(w.memory[line].bytes, c->bytes, LINE);
	w.memory[line].version = c->version;
	c->is_modified = false;
}

static void evict(uint32_t holder, uint32_t line)
{
	struct copy *c = &w.copies[holder][line];

	if (c->is_modified)
		write_back(holder, line);
	else
		values_dropped(w.values, line, holder);
	c->is_there = false;
}

/* All others give the line up, or share it. */
static void snoop(uint32_t holder, uint32_t line, bool is_write)
{
	for (uint32_t i = 0; i < HOLDERS; i++) {
		struct copy *c = &w.copies[i][line];

		if (i == holder || !c->is_there)
			continue;
		if (c->is_modified)
			write_back(i, line);
		else if (is_write && w.is_faulty && draw(3) == 0)
			continue;
		if (is_write)
			c->is_there = false;
	}
}

static void fetch(uint32_t holder, uint32_t line)
{
	struct copy *c = &w.copies[holder][line];

	values_moved(w.values, line, VALUES_NOBODY);
	*c = (struct copy){.is_there = true, .version = w.memory[line].version};
	memcpy(c->bytes, w.memory[line].bytes, LINE);
}

static void load(uint32_t holder, uint32_t line)
{
	struct copy *c = &w.copies[holder][line];
	uint32_t offset = draw(LINE), size = 1 + draw(LINE - offset);
	uint8_t others[LINE], *got = w.program[line] + offset;

	if (!c->is_there) {
		snoop(holder, line, false);
		fetch(holder, line);
	}
	if (values_read(w.values, holder, line, c->version, offset, size, others)) {
		got = others;
		w.stale_reads++;
	}
	assert_memory_equal(got, c->bytes + offset, size);
}

static void store(uint32_t holder, uint32_t line, uint32_t offset, uint32_t size)
{
	struct copy *c = &w.copies[holder][line];
	cpu_version quarters = 0;
	uint8_t *to;

	values_before_store(w.values, holder, line, w.program[line], c->version);
	c->version = cpu_version_next(c->version, CPU_VERSION_ALL);
	c->is_modified = true;
	for (uint32_t q = offset / (LINE / 4); q <= (offset + size - 1) / (LINE / 4); q++)
		quarters |= (cpu_version)1 << (16 * q);
	values_stored(w.values, holder, line, c->version, quarters);
	to = values_target(w.values, holder, line, offset, w.program[line] + offset);
	for (uint32_t i = 0; i < size; i++)
		to[i] = c->bytes[offset + i] = (uint8_t)draw(256);
}

/* A coherent store: who has an old copy gets the line anew before. */
static void own_and_store(uint32_t holder, uint32_t line)
{
	struct copy *c = &w.copies[holder][line];
	uint32_t offset = draw(LINE), size = 1 + draw(LINE - offset);

	if (!c->is_modified) {
		snoop(holder, line, true);
		if (!c->is_there || c->version != w.memory[line].version)
			fetch(holder, line);
	}
	store(holder, line, offset, size);
}

static void run(void)
{
	for (uint32_t i = 0; i < STEPS; i++) {
		uint32_t holder = draw(HOLDERS), line = draw(LINES), what = draw(20);

		if (what < 11)
			load(holder, line);
		else if (what < 19)
			own_and_store(holder, line);
		else if (w.copies[holder][line].is_there)
			evict(holder, line);
	}
}

static void test_coherent(void **state)
{
	(void)state;
	begin(LINES, 4);
	run();
	assert_int_equal(w.stale_reads, 0);
	assert_true(values_statistics(w.values)->images > STEPS / 10);
	values_free(w.values);
}

/* Copies that should have gone are read as they were, quarters of the line of any mixture. */
static void test_stale(void **state)
{
	(void)state;
	begin(LINES, 100000);
	w.is_faulty = true;
	run();
	assert_true(w.stale_reads > STEPS / 100);
	assert_int_equal(values_statistics(w.values)->stale, w.stale_reads);
	assert_int_equal(values_statistics(w.values)->privates, 0);
	values_free(w.values);
}

/* Two caches store into the line at once: each has its own bytes, and the one that is written back wins all. */
static void test_lost_update(void **state)
{
	uint8_t others[LINE];
	struct copy *a = &w.copies[0][3], *b = &w.copies[1][3];

	(void)state;
	begin(LINES, 4);
	fetch(0, 3);
	fetch(1, 3);
	store(0, 3, 0, 8);
	store(1, 3, 64, 8); /* nobody told it that the line is another's */
	assert_int_equal(values_statistics(w.values)->privates, 1);
	assert_memory_equal(w.program[3], a->bytes, LINE);
	assert_true(values_read(w.values, 1, 3, b->version, 0, LINE, others));
	assert_memory_equal(others, b->bytes, LINE);
	store(1, 3, 65, 2);
	assert_true(values_read(w.values, 1, 3, b->version, 60, 20, others));
	assert_memory_equal(others, b->bytes + 60, 20);
	write_back(1, 3);
	assert_memory_equal(w.program[3], b->bytes, LINE);
	assert_false(values_read(w.values, 1, 3, b->version, 0, LINE, others));
	values_free(w.values);
}

/* A modified line that never gets to the memory: readers have what was there before. */
static void test_lost_line(void **state)
{
	uint8_t others[LINE], before[LINE];

	(void)state;
	begin(LINES, 4);
	memcpy(before, w.program[5], LINE);
	fetch(2, 5);
	store(2, 5, 10, 100);
	w.copies[2][5].is_there = false;
	values_dropped(w.values, 5, 2);
	fetch(3, 5);
	assert_true(values_read(w.values, 3, 5, w.copies[3][5].version, 0, LINE, others));
	assert_memory_equal(others, before, LINE);
	/* A store into that is one into an old copy: the lost bytes stay lost. */
	store(3, 5, 0, 4);
	write_back(3, 5);
	assert_memory_equal(w.program[5], w.copies[3][5].bytes, LINE);
	assert_memory_equal(w.program[5] + 4, before + 4, LINE - 4);
	values_free(w.values);
}

static void test_bound(void **state)
{
	uint8_t others[LINE];
	cpu_version old;

	(void)state;
	begin(4, 2);
	for (uint32_t line = 0; line < LINES; line++) {
		fetch(0, line);
		store(0, line, 0, 4);
	}
	assert_int_equal(values_statistics(w.values)->evicted, LINES - 4);
	assert_false(values_is_known(w.values, 0));
	assert_true(values_is_known(w.values, LINES - 1));
	/* Of three old versions two are kept; the third reads as the older of them. */
	old = w.copies[0][LINES - 1].version;
	values_forget(w.values, LINES - 1, 1);
	assert_false(values_is_known(w.values, LINES - 1));
	for (uint32_t i = 0; i < 3; i++) {
		store(0, LINES - 1, 0, 4);
		write_back(0, LINES - 1);
	}
	assert_true(values_read(w.values, 1, LINES - 1, old, 0, 4, others));
	values_free(w.values);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_coherent),    cmocka_unit_test(test_stale), cmocka_unit_test(test_lost_update),
	    cmocka_unit_test(test_lost_line),   cmocka_unit_test(test_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
