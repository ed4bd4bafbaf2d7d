/* test_values.c - versions with images against caches in which every copy has its own bytes. */
#include "values/copies.h"
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
	uint64_t random, stale_reads, stored_again;
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
	w.values = values_new(LINE, lines_max, images_max, 256 << 20);
	for (uint32_t line = 0; line < LINES; line++)
		for (uint32_t i = 0; i < LINE; i++)
			w.memory[line].bytes[i] = w.program[line][i] = (uint8_t)draw(256);
}

static void write_back(uint32_t holder, uint32_t line)
{
	struct copy *c = &w.copies[holder][line];

	values_moved(w.values, line, holder, CPU_VERSION_ALL);
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

	values_moved(w.values, line, VALUES_NOBODY, CPU_VERSION_ALL);
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
	if (!values_is_newest(w.values, line, c->version) &&
	    values_read(w.values, holder, line, c->version, offset, size, others)) {
		got = others;
		w.stale_reads++;
	}
	assert_memory_equal(got, c->bytes + offset, size);
}

/* The version that its copy has before; makes that after it. In half of the cases as a store that may be one after
 * another of the same holder. Returns where it goes. */
static uint8_t *stored(uint32_t holder, uint32_t line, cpu_version *version, cpu_version quarters, uint32_t offset)
{
	const cpu_version next = cpu_version_next(*version, quarters);
	uint8_t *own = w.program[line] + offset;

	*version = next;
	if (draw(2) && values_stored_again(w.values, holder, line, next, quarters)) {
		w.stored_again++;
		assert_ptr_equal(values_target(w.values, holder, line, offset, own), own);
		return own;
	}
	values_before_store(w.values, holder, line, w.program[line], quarters);
	values_stored(w.values, holder, line, next, quarters);
	return values_target(w.values, holder, line, offset, own);
}

static void store(uint32_t holder, uint32_t line, uint32_t offset, uint32_t size)
{
	struct copy *c = &w.copies[holder][line];
	uint8_t *to = stored(holder, line, &c->version, CPU_VERSION_ALL, offset);

	c->is_modified = true;
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
	assert_true(w.stored_again > STEPS / 100);
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
	cpu_version next;

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
	next = cpu_version_next(b->version, CPU_VERSION_ALL);
	assert_false(values_stored_again(w.values, 1, 3, next, CPU_VERSION_ALL));
	store(1, 3, 65, 2);
	assert_true(values_read(w.values, 1, 3, b->version, 60, 20, others));
	assert_memory_equal(others, b->bytes + 60, 20);
	write_back(1, 3);
	assert_memory_equal(w.program[3], b->bytes, LINE);
	assert_false(values_read(w.values, 1, 3, b->version, 0, LINE, others));
	values_free(w.values);
}

/* A store is executed before it makes its version: copies that are told of it later have what was there when it was,
 * and not when it began; those that are asked as if told, and all when they are told, have it. */
static void test_untold(void **state)
{
	uint8_t others[LINE], before[LINE];
	struct copy *a = &w.copies[0][3], *b = &w.copies[1][3];
	bool is_before;

	(void)state;
	begin(LINES, 4);
	fetch(0, 3);
	fetch(1, 3);
	values_before_store(w.values, 0, 3, w.program[3], CPU_VERSION_ALL);
	w.program[3][40] ^= 1; /* by a store that has its version already */
	assert_false(values_read_before(w.values, 1, 3, b->version, 0, LINE, others, &is_before));
	values_untold(w.values, 3);
	memcpy(before, w.program[3], LINE);
	w.program[3][40] ^= 2;
	assert_false(values_is_newest(w.values, 3, b->version));
	assert_true(values_read_before(w.values, 1, 3, b->version, 8, 40, others, &is_before));
	assert_true(is_before);
	assert_memory_equal(others, before + 8, 40);
	assert_false(values_read(w.values, 0, 3, a->version, 0, LINE, others));
	values_told(w.values, 3);
	assert_false(values_read_before(w.values, 1, 3, b->version, 0, LINE, others, &is_before));
	values_untold(w.values, 3);
	assert_int_equal(values_statistics(w.values)->before, 1);
	/* Its version: an old copy has the old bytes by that. */
	values_stored(w.values, 0, 3, cpu_version_next(a->version, CPU_VERSION_ALL), CPU_VERSION_ALL);
	assert_false(values_read_before(w.values, 1, 3, cpu_version_next(b->version, CPU_VERSION_ALL), 0, LINE, others,
					&is_before));
	assert_int_equal(values_statistics(w.values)->stale, 0);
	values_free(w.values);
}

/* A cache stores while another one's store of the line is under way: what others then get of it stays theirs. */
static void test_store_under_way(void **state)
{
	struct copy *a = &w.copies[0][3], *b = &w.copies[1][3];
	cpu_version next;

	(void)state;
	begin(LINES, 100000);
	fetch(0, 3);
	store(0, 3, 0, 8);
	values_before_store(w.values, 1, 3, w.program[3], CPU_VERSION_ALL);
	next = cpu_version_next(a->version, CPU_VERSION_ALL);
	assert_false(values_stored_again(w.values, 0, 3, next, CPU_VERSION_ALL));
	store(0, 3, 4, 8);
	write_back(0, 3);
	fetch(2, 3);
	fetch(1, 3);
	b->version = cpu_version_next(b->version, CPU_VERSION_ALL);
	values_stored(w.values, 1, 3, b->version, CPU_VERSION_ALL);
	memset(w.program[3], 0, LINE);
	load(2, 3);
	assert_true(w.stale_reads > 0);
	values_free(w.values);
}

/* A cache stores into what another one has stored and nobody has been told of: that one's bytes stay its own. */
static void test_store_of_another(void **state)
{
	uint8_t others[LINE], before[LINE];
	struct copy *a = &w.copies[0][3];
	cpu_version next;

	(void)state;
	begin(LINES, 4);
	fetch(0, 3);
	store(0, 3, 0, 8);
	memcpy(before, w.program[3], LINE);
	next = cpu_version_next(a->version, CPU_VERSION_ALL);
	assert_false(values_stored_again(w.values, 1, 3, next, CPU_VERSION_ALL));
	values_before_store(w.values, 1, 3, w.program[3], CPU_VERSION_ALL);
	assert_false(values_stored(w.values, 1, 3, next, CPU_VERSION_ALL));
	memset(w.program[3], 0, LINE);
	assert_true(values_read(w.values, 0, 3, a->version, 0, LINE, others));
	assert_memory_equal(others, before, LINE);
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

/* Of three old lines there is room for two: of the first one the newest bytes are read. */
static void test_room_of_images(void **state)
{
	enum { IMAGE_BYTES = 16 + LINE };
	uint8_t others[LINE], before[3][LINE];

	(void)state;
	begin(LINES, 4);
	values_free(w.values);
	w.values = values_new(LINE, LINES, 4, 2 * IMAGE_BYTES);
	for (uint32_t line = 0; line < 3; line++) {
		memcpy(before[line], w.program[line], LINE);
		fetch(0, line);
		store(0, line, 0, 4);
	}
	for (uint32_t line = 0; line < 3; line++) {
		assert_true(values_read(w.values, 1, line, w.memory[line].version, 0, LINE, others));
		assert_memory_equal(others, line ? before[line] : w.program[line], LINE);
	}
	values_free(w.values);
}

/* Caches of quarters of lines, as near-data processors have: a quarter moves, is stale or private by itself. */
struct part {
	bool is_there, is_modified;
	cpu_version version;
	uint8_t bytes[LINE / 4];
};
static struct part parts[HOLDERS][LINES][4], memory_parts[LINES][4];

static cpu_version quarter_of(uint32_t q)
{
	return (cpu_version)1 << 16 * q;
}

static void part_leave(uint32_t holder, uint32_t line, uint32_t q)
{
	struct part *c = &parts[holder][line][q];

	if (c->is_modified) {
		values_moved(w.values, line, holder, quarter_of(q));
		memory_parts[line][q] = *c;
	}
	c->is_there = c->is_modified = false;
}

static void part_fetch(uint32_t holder, uint32_t line, uint32_t q)
{
	values_moved(w.values, line, VALUES_NOBODY, quarter_of(q));
	parts[holder][line][q] = memory_parts[line][q];
	parts[holder][line][q].is_there = true;
	parts[holder][line][q].is_modified = false;
}

static void part_store(uint32_t holder, uint32_t line, uint32_t q)
{
	struct part *c = &parts[holder][line][q];
	const uint32_t offset = draw(LINE / 4), size = 1 + draw(LINE / 4 - offset), at = q * (LINE / 4) + offset;
	uint8_t *to;

	to = stored(holder, line, &c->version, quarter_of(q), at);
	c->is_modified = true;
	for (uint32_t i = 0; i < size; i++)
		to[i] = c->bytes[offset + i] = (uint8_t)draw(256);
}

static void part_load(uint32_t holder, uint32_t line, uint32_t q)
{
	const struct part *c = &parts[holder][line][q];
	uint8_t others[LINE / 4], *got = w.program[line] + q * (LINE / 4);

	if (values_read(w.values, holder, line, c->version, q * (LINE / 4), LINE / 4, others)) {
		got = others;
		w.stale_reads++;
	}
	assert_memory_equal(got, c->bytes, LINE / 4);
}

static void begin_parts(void)
{
	begin(LINES, 100000);
	memset(parts, 0, sizeof(parts));
	memset(memory_parts, 0, sizeof(memory_parts));
	for (uint32_t line = 0; line < LINES; line++)
		for (uint32_t q = 0; q < 4; q++)
			memcpy(memory_parts[line][q].bytes, w.program[line] + q * (LINE / 4), LINE / 4);
}

/* kept: one in so many unmodified copies that are to leave stays; 0: none. */
static void run_parts(uint32_t kept)
{
	begin_parts();
	for (uint32_t i = 0; i < STEPS; i++) {
		const uint32_t holder = draw(HOLDERS), line = draw(LINES), q = draw(4), what = draw(20);
		const bool is_write = what < 8;
		struct part *c = &parts[holder][line][q];

		if (what == 19) {
			part_leave(holder, line, q);
			continue;
		}
		for (uint32_t k = 0; k < HOLDERS && !(c->is_there && (c->is_modified || !is_write)); k++)
			if (k != holder && (parts[k][line][q].is_modified || (is_write && (!kept || draw(kept)))))
				part_leave(k, line, q);
		if (!c->is_there || (is_write && !c->is_modified && c->version != memory_parts[line][q].version))
			part_fetch(holder, line, q);
		if (is_write)
			part_store(holder, line, q);
		else
			part_load(holder, line, q);
	}
}

static void test_quarters(void **state)
{
	(void)state;
	run_parts(0);
	assert_int_equal(w.stale_reads, 0);
	assert_int_equal(values_statistics(w.values)->privates, 0);
	values_free(w.values);
	run_parts(3);
	assert_true(w.stale_reads > STEPS / 100);
	assert_int_equal(values_statistics(w.values)->privates, 0);
	values_free(w.values);
}

/* Two caches store into a quarter at once, and each into another one that is its own: only the first is private, and
 * what is written back overwrites that one. */
static void test_lost_quarter(void **state)
{
	uint8_t first[LINE / 4];

	(void)state;
	begin_parts();
	for (uint32_t holder = 0; holder < 2; holder++) {
		part_fetch(holder, 2, 1);
		part_fetch(holder, 2, 2 + holder);
	}
	part_store(0, 2, 1);
	part_store(1, 2, 1);
	part_store(0, 2, 2);
	part_store(1, 2, 3);
	assert_int_equal(values_statistics(w.values)->privates, 1);
	memcpy(first, parts[0][2][1].bytes, LINE / 4);
	assert_memory_equal(w.program[2] + 32, first, LINE / 4);
	part_load(1, 2, 1);
	part_load(0, 2, 2);
	part_load(1, 2, 3);
	assert_int_equal(w.stale_reads, 1);
	part_leave(1, 2, 3);
	assert_memory_equal(w.program[2] + 32, first, LINE / 4);
	part_leave(1, 2, 1);
	assert_memory_equal(w.program[2] + 32, parts[1][2][1].bytes, LINE / 4);
	assert_memory_equal(w.program[2] + 64, parts[0][2][2].bytes, LINE / 4);
	values_free(w.values);
}

/* Each copy has the bytes that were there when its name was made: old ones, and the newest, which the program's memory
 * has. */
static void test_copies(void **state)
{
	struct copies *c = copies_new(LINE);
	const cpu_version second = quarter_of(1);
	cpu_version old, names = 5 * CPU_VERSION_ALL;
	uint8_t host[LINE], before[LINE];

	(void)state;
	memset(host, 1, LINE);
	memcpy(before, host, LINE);
	assert_int_equal(copies_differ(c, 7, names, 0, LINE, host, false), LINE); /* nothing is known */
	copies_begin(c, 7, host);
	old = names;
	names = copies_make(c, 7, old, second);
	assert_true(names == cpu_version_next(old, second));
	assert_true(copies_counts(c, 7, names) == names);
	memset(host + 40, 2, 3);
	copies_write(c, 7, copies_moment(c), false, 40, 3, host + 40);
	assert_int_equal(copies_differ(c, 7, names, 0, LINE, host, false), LINE);
	assert_int_equal(copies_differ(c, 7, names, 0, LINE, before, false), 40);
	assert_int_equal(copies_differ(c, 7, old, 0, LINE, before, false), LINE);
	assert_int_equal(copies_differ(c, 7, old, 0, LINE, host, false), 40);
	assert_true(copies_is_newest(c, 7, names, 40));
	assert_false(copies_is_newest(c, 7, old, 40));
	/* Code without hooks writes there. */
	host[50] = 9;
	assert_int_equal(copies_differ(c, 7, names, 32, 32, host + 32, false), 18);
	copies_adopt(c, 7, names, 50, 9);
	assert_int_equal(copies_differ(c, 7, names, 32, 32, host + 32, false), 32);
	/* A store before its line is there: who has the copy before that reads it, or does not. */
	old = names;
	host[33] = 3;
	copies_write(c, 7, copies_moment(c), true, 33, 1, host + 33);
	names = copies_make(c, 7, names, CPU_VERSION_ALL);
	assert_int_equal(copies_differ(c, 7, names, 0, LINE, host, false), LINE);
	assert_int_equal(copies_differ(c, 7, old, 32, 32, host + 32, false), 32);
	host[33] = 1;
	assert_int_equal(copies_differ(c, 7, old, 32, 32, host + 32, false), 32);
	assert_int_equal(copies_differ(c, 7, names, 32, 32, host + 32, false), 1);
	host[33] = 4;
	assert_int_equal(copies_differ(c, 7, old, 32, 32, host + 32, false), 1);
	/* Two stores into one copy have two names, and one number. */
	assert_false(copies_is_forked(c, 7));
	names = copies_make(c, 7, old, second);
	assert_true(copies_is_forked(c, 7));
	assert_true(copies_counts(c, 7, names) == cpu_version_next(copies_counts(c, 7, old), second));
	copies_forget(c, 7, 1);
	assert_false(copies_is_forked(c, 7));
	assert_int_equal(copies_differ(c, 7, names, 0, LINE, host, false), LINE);
	copies_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_coherent),    cmocka_unit_test(test_stale), cmocka_unit_test(test_lost_update),
	    cmocka_unit_test(test_store_under_way), cmocka_unit_test(test_untold),
	    cmocka_unit_test(test_store_of_another),
	    cmocka_unit_test(test_lost_line),   cmocka_unit_test(test_bound), cmocka_unit_test(test_room_of_images),
	    cmocka_unit_test(test_quarters),    cmocka_unit_test(test_lost_quarter),
	    cmocka_unit_test(test_copies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
