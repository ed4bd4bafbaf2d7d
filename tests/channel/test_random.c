/* Random accesses of processors and NDP cores to few lines: each reads the last write, a line has one writer or any
 * number of readers, the laws hold, all ends; every row of the protocol is done; the same run twice is the same. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <glib.h>

#include "channel/priv.h"
#include "rig.h"

enum { PAGES = 6, PAGE_LINES = 4 };

static uint64_t counts[COH_ROWS_MAX];

/* What waited for room, by queue. */
enum { QUEUES = 5 };
static uint64_t waits[QUEUES];

static uint64_t *queue_waits(struct channel_stats *stats, uint32_t i)
{
	uint64_t *const all[QUEUES] = {&stats->local_queue_waits, &stats->remote_queue_waits,
				       &stats->processor_queue_waits, &stats->write_queue_waits,
				       &stats->directory_queue_waits};

	return all[i];
}

/* The memory has no more under way than NDP-Ms have places: read and write of the NDP, the bus, the directory. */
static void are_queues_of_one(const struct rig *r)
{
	if (r->params.local_queue_count == 1)
		assert_in_range(r->cpu->channels.dram.under_way, 0, r->params.ndp_count * 6);
	for (uint32_t i = 0; i < r->params.ndp_count; i++) {
		assert_in_range(r->near->ms[i].directory_taken, 0, 1);
		assert_in_range(r->near->ms[i].directory_writes, 0, 1);
	}
}

/* Something that software says, with a page of which there are many other accesses. */
static void say_something(struct rig *r, uint32_t unit)
{
	const uint32_t page = (uint32_t)rig_random(r, PAGES);
	const uint64_t at = page * r->cpu_params.page_bytes + rig_random(r, PAGE_LINES * RIG_LINE_BYTES);

	switch (rig_random(r, 8)) {
	case 0:
		if (r->may_be_old)
			rig_keep(r, page % (PAGES / 2), rig_random(r, 4));
		break;
	case 1:
		rig_unmap(r, unit, page);
		break;
	case 2:
		rig_move(r, unit, page, (uint32_t)rig_random(r, r->cpu_params.channel_count));
		break;
	default:
		rig_flush(r, unit, at, at + 1 + rig_random(r, PAGE_LINES * RIG_LINE_BYTES));
	}
}

static void access_randomly(struct rig *r, uint64_t seed, uint32_t accesses)
{
	static const enum cpu_op ops[] = {CPU_READ, CPU_READ, CPU_READ, CPU_WRITE, CPU_WRITE, CPU_ATOMIC, CPU_PREFETCH};
	const uint64_t page_bytes = r->cpu_params.page_bytes, part = PAGE_LINES * RIG_LINE_BYTES;

	r->state = seed;
	for (uint32_t i = 0; i < accesses; i++) {
		const uint32_t unit = rig_next(r);

		assert_true(unit < RIG_UNITS_MAX);
		r->ready_ps[unit] += rig_random(r, 3) ? 0 : rig_random(r, 100000);
		if (rig_next(r) != unit)
			continue;
		if (r->claims && rig_random(r, 100) == 0) {
			const bool is_all = rig_random(r, 2);
			const uint64_t page = is_all ? 0 : rig_random(r, PAGES), end = is_all ? PAGES : page + 1;

			r->ready_ps[unit] = channel_claim(r->near, r->ready_ps[unit], page * page_bytes,
							  end * page_bytes, (enum channel_owner)rig_random(r, 3));
			continue;
		}
		if (r->has_software && rig_random(r, 20) == 0) {
			say_something(r, unit);
			continue;
		}
		if (rig_random(r, 50) == 0) {
			rig_fence(r, unit);
			continue;
		}
		rig_access(r, unit, rig_random(r, PAGES) * page_bytes + rig_random(r, part),
			   1 + (uint32_t)rig_random(r, 60), ops[rig_random(r, G_N_ELEMENTS(ops))]);
		assert_int_equal(r->wrong, 0);
		if (r->has_queues_of_one)
			are_queues_of_one(r);
	}
}

static uint64_t run(struct rig *r, uint64_t seed, uint32_t accesses, bool is_observed)
{
	rig_open(r, is_observed);
	access_randomly(r, seed, accesses);
	assert_true(!is_observed || r->observed > accesses / 4);
	for (uint32_t i = 0; i < coh_row_count; i++)
		counts[i] += channel_row_counts(r->near)[i];
	for (uint32_t i = 0; i < QUEUES; i++)
		waits[i] += *queue_waits(channel_system_stats(r->near), i);
	return rig_close(r);
}

/* What the tests ask for is by that number, or, of rare events, of nobody who makes fewer. */
enum { ENOUGH = 200000 };

static uint32_t accesses(void)
{
	const char *text = getenv("STRATA_TEST_ACCESSES");

	return text ? (uint32_t)strtoul(text, NULL, 10) : ENOUGH;
}

static void test_random(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 3; seed++) {
		struct rig r;

		rig_defaults(&r);
		run(&r, seed, accesses(), true);
	}
}

enum { VARIANTS = 19 };

static void set_variant(struct rig *r, uint32_t variant)
{
	rig_defaults(r);
	switch (variant) {
	case 0:
		r->params.overlapped_read = false;
		r->params.point_atomics = true;
		break;
	case 1:
		r->params.access_bytes = 64;
		r->params.point_count = 2;
		break;
	case 2:
		r->params.access_bytes = 128;
		r->params.cache_bytes = 512;
		r->params.summary_percent = 0;
		break;
	case 3:
		r->params.cache_bytes = 0;
		break;
	case 4:
		r->params.summary_by_hardware = true;
		r->params.shadow_filter = false;
		r->params.tlb_count = 2;
		r->params.tlb_page_bytes = 4096;
		break;
	case 5:
		r->cpu_params.dram_mbytes_per_s = 1000;
		r->params.local_queue_count = 2;
		break;
	case 6:
		r->params.point_cache_bytes = 2 * RIG_LINE_BYTES;
		r->params.point_cache_ways_count = 2;
		r->params.prefetch_count = 4;
		break;
	case 7:
		r->cpu_params.down_mbytes_per_s = 100;
		r->cpu_params.up_mbytes_per_s = 200;
		break;
	case 8:
		r->claims = true;
		break;
	case 9:
		r->claims = true;
		r->params.access_bytes = 64;
		r->params.summary_bytes = 65536;
		r->params.summary_percent = 50;
		break;
	case 10:
		r->params.extended_bus = true;
		r->claims = true;
		break;
	case 11:
		r->params.extended_bus = true;
		r->params.cache_bytes = 0;
		r->cpu_params.down_mbytes_per_s = 100;
		break;
	case 12:
		r->cpu_params.protocol = CPU_PROTOCOL_MESI;
		break;
	case 13:
		r->cpu_params.protocol = CPU_PROTOCOL_MESI;
		r->params.summary_by_hardware = true;
		r->claims = true;
		break;
	case 14:
	case 15:
	case 16:
		r->params.attachment = CHANNEL_ATTACHMENT_PEER;
		r->params.point_count = 2;
		r->cpu_params.smp_hop_count = 1;
		if (variant == 15) {
			r->params.point_atomics = r->claims = true;
			r->params.access_bytes = 64;
			r->cpu_params.protocol = CPU_PROTOCOL_MESI;
		} else if (variant == 16) {
			r->params.cache_bytes = 0;
			r->params.prefetch_count = 4;
			r->cpu_params.down_mbytes_per_s = 100;
		}
		break;
	case 17: /* the lines of two more channels go round them */
		r->memory_params.channel_count = r->cpu_params.channel_count = 4;
		r->cpu_params.striped_count = 2;
		break;
	default:
		r->params.ndp_count = 1; /* the other channel is plain */
		r->params.core_count = 8;
	}
}

static void test_variants(void **state)
{
	(void)state;
	for (uint32_t variant = 0; variant < VARIANTS; variant++) {
		struct rig r;

		set_variant(&r, variant);
		run(&r, 100 + variant, accesses() / 4, true);
	}
}

/* Bytes of a program that follow versions, and those of all copies: the same for each read, the newest. */
static void test_bytes(void **state)
{
	(void)state;
	for (uint32_t variant = 0; variant < VARIANTS; variant++) {
		struct rig r;
		uint32_t unit;

		set_variant(&r, variant);
		r.has_bytes = true;
		r.cpu_params.values = CPU_VALUES_BYTES;
		rig_open(&r, true);
		access_randomly(&r, 300 + variant, accesses() / 8);
		assert_true(bytes_compared(r.bytes) > accesses() / 40);
		assert_int_equal(bytes_foreign(r.bytes, &unit), 0);
		assert_int_equal(bytes_stale(r.bytes), 0);
		rig_close(&r);
	}
}

/* Flushes, remote copies that caches keep, pages that go and move: nobody reads what he must not. */
static void test_software(void **state)
{
	uint64_t old_reads = 0, flushes = 0, moves = 0;

	(void)state;
	for (uint32_t variant = 0; variant < VARIANTS; variant++) {
		struct rig r;

		set_variant(&r, variant);
		r.has_software = r.may_be_old = true;
		r.cpu_params.tlb_count = 16;
		if (r.params.cache_bytes) /* copies stay for a while */
			r.params.cache_bytes *= 4;
		rig_open(&r, true);
		access_randomly(&r, 700 + variant, accesses() / 8);
		old_reads += r.old_reads;
		flushes += channel_system_stats(r.near)->flushes;
		moves += cpu_system_stats(r.cpu)->page_moves;
		rig_close(&r);
	}
	print_message("%" PRIu64 " old reads, %" PRIu64 " copies flushed, %" PRIu64 " moves\n", old_reads, flushes,
		      moves);
	assert_true(old_reads > accesses() / 5000 && flushes > accesses() / 5000 && moves > accesses() / 5000);
}

/* The same with a program's bytes, all of which are new everywhere. */
static void test_software_bytes(void **state)
{
	(void)state;
	for (uint32_t variant = 0; variant < VARIANTS; variant++) {
		struct rig r;
		uint32_t unit;

		set_variant(&r, variant);
		r.has_software = r.has_bytes = true;
		r.cpu_params.values = CPU_VALUES_BYTES;
		rig_open(&r, true);
		access_randomly(&r, 800 + variant, accesses() / 16);
		assert_int_equal(bytes_foreign(r.bytes, &unit), 0);
		assert_int_equal(bytes_stale(r.bytes), 0);
		rig_close(&r);
	}
}

/* The directory's items have what the directory says, in its cache, on their way and in the memory, which all of them
 * come to: an item for each page, more than the cache has; regions gain and lose their state in the summary. */
static void test_items(void **state)
{
	uint64_t writes = 0, reads = 0, merges = 0, forwards = 0, changes = 0;

	(void)state;
	for (uint32_t variant = 0; variant < 12; variant++) {
		struct rig r;
		const struct channel_stats *stats;

		rig_defaults(&r);
		r.has_bytes = true;
		r.cpu_params.values = CPU_VALUES_BYTES;
		r.cpu_params.page_bytes = variant % 5 == 3 ? 8192 : 16384; /* an item has pages that nobody touches */
		r.params.directory_cache_bytes = variant % 2 ? 32 : 64;
		r.params.directory_cache_ways_count = 1;
		r.params.summary_percent = variant % 3 * 50;
		r.params.summary_by_hardware = variant & 4;
		r.params.directory_fill = variant != 2;
		r.claims = variant != 4;
		r.cpu_params.dram_mbytes_per_s = variant % 4 ? 100 + 10000 * (variant % 2) : 0;
		if (variant >= 6)
			r.params.directory_queue_count = r.params.processor_queue_count = 1;
		rig_open(&r, true);
		access_randomly(&r, 500 + variant, accesses() / 8);
		stats = channel_system_stats(r.near);
		writes += stats->directory_writes;
		reads += stats->directory_reads;
		merges += stats->directory_merges;
		forwards += stats->directory_forwards;
		changes += stats->summary_changes;
		rig_close(&r);
	}
	print_message("%" PRIu64 " writes, %" PRIu64 " reads, %" PRIu64 " merges, %" PRIu64 " forwards, %" PRIu64
		      " changes\n", writes, reads, merges, forwards, changes);
	assert_true(writes > accesses() / 20 && reads > accesses() / 20);
	assert_true(merges > 0 && forwards > 0 && changes > 0);
}

/* Queues of one place each, whose senders wait: nothing is lost, and nobody waits for ever. */
static void test_full_queues(void **state)
{
	(void)state;
	memset(waits, 0, sizeof(waits));
	for (uint32_t variant = 0; variant < 9; variant++) {
		struct rig r;

		rig_defaults(&r);
		r.params.local_queue_count = r.params.remote_queue_count = r.params.processor_queue_count = 1;
		r.params.directory_queue_count = 1;
		r.params.directory_cache_bytes = 32;
		r.params.directory_cache_ways_count = 1;
		r.params.directory_fill = false; /* it is not queued */
		r.cpu_params.page_bytes = 16384; /* an item of the directory each, more than its cache has */
		r.params.prefetch_count = 3;
		r.has_queues_of_one = true;
		switch (variant) {
		case 0:
			break;
		case 1: /* the directory is in the memory, which is slow */
			r.params.summary_percent = 0;
			r.cpu_params.dram_mbytes_per_s = 200;
			break;
		case 2:
			r.params.cache_bytes = 0;
			r.cpu_params.dram_mbytes_per_s = 200;
			break;
		case 3:
			r.params.summary_percent = 0;
			r.params.summary_by_hardware = true;
			r.claims = true;
			r.has_queues_of_one = false; /* what software claims is written at once */
			break;
		case 7: /* requests wait for their line while its item leaves the cache */
			r.params.local_queue_count = r.params.processor_queue_count = 16;
			r.params.summary_percent = 0;
			r.cpu_params.dram_mbytes_per_s = 200;
			break;
		case 4: /* lines come faster than they are written */
			r.cpu_params.dram_mbytes_per_s = 100;
			r.cpu_params.write_queue_count = 1;
			r.params.shadow_filter = false;
			break;
		case 5:
			r.cpu_params.protocol = CPU_PROTOCOL_MESI;
			r.params.access_bytes = 128;
			r.params.cache_bytes = 512;
			break;
		case 6:
			r.params.point_cache_bytes = 2 * RIG_LINE_BYTES;
			r.params.point_atomics = true;
			r.params.summary_percent = 50;
			break;
		default:
			r.params.extended_bus = true;
			r.params.overlapped_read = false;
			r.params.cache_bytes = 128;
		}
		run(&r, 200 + variant, accesses() / 4, true);
	}
	for (uint32_t i = 0; i < QUEUES; i++)
		assert_true(waits[i] > accesses() / 200);
}

/* Rows that nothing has done; those that a random run cannot come to are none of them, with the reason. */
static uint32_t missing_rows(bool is_told)
{
	uint32_t missing = 0;

	for (uint32_t i = 0; i < coh_row_count; i++) {
		const enum coh_state of = (enum coh_state)coh_rows[i].state;

		const enum coh_event event = (enum coh_event)coh_rows[i].event;

		/* Of processors' caches, which cpu/ has; what the bus keeps from a locked line, and does not tell who
		 * shares a line; claims, which the bus tells an NDP-AP as others' requests; a core that waits for a
		 * line is not known to have it, so that nobody probes it. */
		if (counts[i] || (of >= COH_BUS_INVALID && of <= COH_BUS_MODIFIED) ||
		    (of == COH_POINT_LOCKED && event >= COH_EV_ANOTHER_READS) ||
		    (of == COH_POINT_SHARED && event == COH_EV_ANOTHER_READS) || event == COH_EV_CLAIM_READ ||
		    event == COH_EV_CLAIM_WRITE || (of == COH_NEAR_WAIT_M && event != COH_EV_GRANT))
			continue;
		if (is_told)
			print_message("not done: %s\n", coh_row_name(i));
		missing++;
	}
	return missing;
}

/* All rows are done, by as many accesses as a test makes by itself: by the runs before this, or, of those that need
 * several things at one moment, by a few more of the variants that come to these most often. */
static void test_rows(void **state)
{
	static const uint32_t variants[] = {13, 15, 18};
	enum { MORE = 60 };
	uint32_t missing;

	(void)state;
	for (uint32_t i = 0; i < MORE && missing_rows(false); i++) {
		struct rig r;

		set_variant(&r, variants[i % G_N_ELEMENTS(variants)]);
		run(&r, 2000 + i, accesses() / 4, true);
	}
	missing = missing_rows(true);
	if (missing && accesses() < ENOUGH) {
		print_message("%u accesses, of %u: too few to ask for all rows\n", accesses(), ENOUGH);
		skip();
	}
	assert_int_equal(missing, 0);
}

static void test_same(void **state)
{
	struct rig a, b;

	(void)state;
	rig_defaults(&a);
	rig_defaults(&b);
	assert_true(run(&a, 7, 50000, false) == run(&b, 7, 50000, true));
	rig_defaults(&a);
	rig_defaults(&b);
	assert_true(run(&a, 7, 50000, false) != run(&b, 8, 50000, false));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_random),	 cmocka_unit_test(test_variants), cmocka_unit_test(test_full_queues),
	    cmocka_unit_test(test_items), cmocka_unit_test(test_software),
	    cmocka_unit_test(test_software_bytes),
	    cmocka_unit_test(test_rows),   cmocka_unit_test(test_same),     cmocka_unit_test(test_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
