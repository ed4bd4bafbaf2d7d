/* The timeline against closed forms: what copies take, when work begins, what overlaps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "gpu/device.h"
#include "machine/parts.h"
#include "machine/program.h"

#include <string.h>

static struct machine_config config;
static struct host_params *host;
static struct device_traits traits;
static struct machine_streams context;
static struct machine_stream legacy, blocking, other, free_stream;
static struct machine_timeline *t;

static int setup(void **state)
{
	(void)state;
	machine_config_defaults(&config, machine_parts);
	host = machine_config_at(&config, &machine_host_part);
	host->launch_ps = 0;
	context = (struct machine_streams){0};
	legacy = (struct machine_stream){&context, MACHINE_STREAM_LEGACY, 0, 0};
	blocking = (struct machine_stream){&context, MACHINE_STREAM_BLOCKING, 1, 0};
	other = (struct machine_stream){&context, MACHINE_STREAM_BLOCKING, 2, 0};
	free_stream = (struct machine_stream){&context, MACHINE_STREAM_NON_BLOCKING, 3, 0};
	traits = gpu_device_traits(machine_gpu_config(&config));
	t = machine_timeline_new(host, machine_run_params(&config), &traits, NULL);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	machine_timeline_free(t);
	return 0;
}

/* Gives work of a duration at given_ps and returns its start. */
static uint64_t give(enum machine_work_kind kind, struct machine_stream *s, uint64_t given_ps, uint64_t duration_ps)
{
	uint64_t start = machine_timeline_start_ps(t, kind, s, given_ps);

	machine_timeline_add(t, kind, s, NULL, start, start + duration_ps, 1, false);
	return start;
}

static const struct machine_program_stats *settled(void)
{
	machine_timeline_settle(t);
	return machine_timeline_program(t);
}

static void copy_is_latency_and_bytes(void **state)
{
	enum { BYTES = 1 << 20, PACKETS = BYTES / 128 };

	(void)state;
	/* 8 GB/s is 125 ps a byte; every 128 bytes travel with 24 more. */
	assert_int_equal(machine_timeline_copy_ps(t, MACHINE_WORK_TO_DEVICE, BYTES, false),
			 1000000 + (BYTES + PACKETS * 24ull) * 125);
	/* One byte more is one packet more. */
	assert_int_equal(machine_timeline_copy_ps(t, MACHINE_WORK_TO_HOST, BYTES + 1, false),
			 1000000 + (BYTES + 1 + (PACKETS + 1) * 24ull) * 125);
	/* Staging at 4 GB/s is slower than the wires. */
	assert_int_equal(machine_timeline_copy_ps(t, MACHINE_WORK_TO_DEVICE, BYTES, true), 1000000 + BYTES * 250ull);
	host->memcpy_mbytes_per_s = 1000000;
	assert_int_equal(machine_timeline_copy_ps(t, MACHINE_WORK_TO_DEVICE, BYTES, true),
			 1000000 + (BYTES + PACKETS * 24ull) * 125);
	assert_int_equal(machine_timeline_copy_ps(t, MACHINE_WORK_ON_HOST, BYTES, false), BYTES);
	host->link = 1;
	host->nvlink_bandwidth_mbytes_per_s = 100000;
	assert_int_equal(machine_timeline_copy_ps(t, MACHINE_WORK_TO_DEVICE, BYTES, false),
			 1000000 + (BYTES + BYTES / 256 * 16ull) * 10);
}

static void device_copies_go_at_the_memorys_rate(void **state)
{
	(void)state;
	/* tom-baseline: links of 4 x 40 GB/s in each direction, DRAM of 640 GB/s for reads and writes together. */
	assert_int_equal(machine_timeline_copy_ps(t, MACHINE_WORK_ON_DEVICE, 160000, false), 1000000);
	assert_int_equal(machine_timeline_copy_ps(t, MACHINE_WORK_FILL, 160000, false), 1000000);
	machine_timeline_free(t);
	((struct gpu_config *)machine_config_at(&config, &machine_gpu_part))->link.bandwidth_mbytes_per_s = 1000000;
	traits = gpu_device_traits(machine_gpu_config(&config));
	t = machine_timeline_new(host, machine_run_params(&config), &traits, NULL);

	uint64_t copy = machine_timeline_copy_ps(t, MACHINE_WORK_ON_DEVICE, 64000000, false);
	uint64_t fill = machine_timeline_copy_ps(t, MACHINE_WORK_FILL, 64000000, false);

	/* Behind wide links only the DRAM counts: a copy reads and writes, a memset only writes. */
	assert_in_range(copy, 2 * fill - 2, 2 * fill + 2);
}

static void copies_and_kernels_overlap(void **state)
{
	(void)state;
	assert_int_equal(give(MACHINE_WORK_KERNEL, &blocking, 0, 1000), 0);
	assert_int_equal(give(MACHINE_WORK_TO_DEVICE, &other, 100, 600), 100);
	assert_int_equal(give(MACHINE_WORK_TO_HOST, &free_stream, 200, 2000), 200);

	const struct machine_program_stats *p = settled();

	assert_int_equal(p->time_ps, 2200);
	assert_int_equal(p->device_busy_ps, 2200);
	assert_int_equal(p->device_idle_ps, 0);
	assert_int_equal(p->overlap_ps, 900);
	assert_int_equal(p->kernel_overlap_ps, 900);
	assert_int_equal(p->kernel_ps, 1000);
	assert_int_equal(p->to_device_ps, 600);
	assert_int_equal(p->to_host_ps, 2000);
}

static void one_engine_takes_turns(void **state)
{
	(void)state;
	assert_int_equal(give(MACHINE_WORK_TO_DEVICE, &blocking, 0, 500), 0);
	assert_int_equal(give(MACHINE_WORK_TO_DEVICE, &other, 0, 500), 500);
	assert_int_equal(give(MACHINE_WORK_TO_HOST, &free_stream, 0, 500), 0);
	assert_int_equal(give(MACHINE_WORK_KERNEL, &free_stream, 0, 500), 500);
	assert_int_equal(give(MACHINE_WORK_KERNEL, &other, 0, 500), 1000);
	assert_int_equal(settled()->kernel_overlap_ps, 500);
	host->copy_engine_count = 1;
	assert_int_equal(machine_timeline_start_ps(t, MACHINE_WORK_TO_HOST, &free_stream, 0), 1000);
	assert_int_equal(give(MACHINE_WORK_TO_HOST, &free_stream, 1200, 100), 1200);
	assert_int_equal(machine_timeline_start_ps(t, MACHINE_WORK_TO_DEVICE, &free_stream, 0), 1300);
}

static void default_stream_serialises(void **state)
{
	(void)state;
	assert_int_equal(give(MACHINE_WORK_TO_DEVICE, &blocking, 0, 1000), 0);
	assert_int_equal(give(MACHINE_WORK_TO_HOST, &free_stream, 0, 5000), 0);
	/* Waits for the blocking stream and not for the other one. */
	assert_int_equal(give(MACHINE_WORK_KERNEL, &legacy, 0, 300), 1000);
	/* A blocking stream waits for it in turn; a non-blocking one does not. */
	assert_int_equal(give(MACHINE_WORK_TO_DEVICE, &other, 0, 10), 1300);
	assert_int_equal(give(MACHINE_WORK_FILL, &free_stream, 0, 10), 5000);
	assert_int_equal(machine_stream_ready_ps(&legacy), 1310);
	assert_int_equal(context.end_ps, 5010);
}

static void waited_for_events_delay(void **state)
{
	(void)state;
	machine_stream_extend(&other, 700);
	assert_int_equal(give(MACHINE_WORK_KERNEL, &other, 0, 10), 700);
	/* An event of the past changes nothing. */
	machine_stream_extend(&other, 100);
	assert_int_equal(give(MACHINE_WORK_KERNEL, &other, 0, 10), 710);
	machine_stream_extend(&legacy, 2000);
	assert_int_equal(give(MACHINE_WORK_TO_DEVICE, &blocking, 0, 10), 2000);
}

static void launches_take_time_to_start(void **state)
{
	(void)state;
	host->launch_ps = 3000;
	assert_int_equal(give(MACHINE_WORK_KERNEL, &blocking, 100, 10000), 3100);
	/* Behind work that is under way the start is hidden. */
	assert_int_equal(give(MACHINE_WORK_KERNEL, &blocking, 200, 10), 13100);
	assert_int_equal(give(MACHINE_WORK_FILL, &free_stream, 0, 10), 3000);
	assert_int_equal(give(MACHINE_WORK_TO_DEVICE, &free_stream, 0, 10), 3010);
	assert_int_equal(give(MACHINE_WORK_HOST_FUNCTION, &free_stream, 4000, 10), 4000);
}

static void counts(void **state)
{
	const struct machine_copy_stats *c = machine_timeline_copies(t);
	uint32_t count;

	(void)state;
	((struct run_params *)machine_config_at(&config, &machine_run_part))->timeline_count = 2;
	machine_timeline_add(t, MACHINE_WORK_TO_DEVICE, &legacy, NULL, 0, 10, 100, true);
	machine_timeline_add(t, MACHINE_WORK_TO_HOST, &legacy, NULL, 10, 20, 1000, false);
	machine_timeline_add(t, MACHINE_WORK_ON_DEVICE, &legacy, NULL, 20, 30, 10000, false);
	machine_timeline_add(t, MACHINE_WORK_FILL, &legacy, NULL, 30, 40, 100000, false);
	assert_int_equal(c->to_device_bytes, 100);
	assert_int_equal(c->to_host_bytes, 1000);
	assert_int_equal(c->on_device_bytes, 10000);
	assert_int_equal(c->fill_bytes, 100000);
	assert_int_equal(c->pageable_bytes, 100);
	assert_int_equal(c->wire_bytes, 100 + 24 + 1000 + 8 * 24);
	assert_int_equal(c->dram_read_bytes, 11000);
	assert_int_equal(c->dram_write_bytes, 110100);
	assert_int_equal(machine_timeline_work(t, &count)[1].bytes, 1000);
	assert_int_equal(count, 2);
	assert_int_equal(machine_timeline_work_count(t), 4);
	assert_int_equal(machine_timeline_host(t, MACHINE_HOST_WAIT, 5, 95), 100);
	machine_timeline_host(t, MACHINE_HOST_CALL, 100, 50);
	assert_int_equal(settled()->time_ps, 150);
	assert_int_equal(settled()->device_busy_ps, 40);
	assert_int_equal(settled()->device_idle_ps, 110);
	assert_int_equal(settled()->host_wait_ps, 95);
	assert_int_equal(settled()->host_call_ps, 50);
	assert_int_equal(settled()->overlap_ps, 0);
}

static json_int_t int_of(const json_t *o, const char *key)
{
	assert_true(json_is_integer(json_object_get(o, key)));
	return json_integer_value(json_object_get(o, key));
}

static void results(void **state)
{
	(void)state;
	machine_timeline_add(t, MACHINE_WORK_TO_DEVICE, &blocking, NULL, 0, 1000000, 4000, false);
	machine_timeline_add(t, MACHINE_WORK_KERNEL, &other, "k", 500000, 2000000, 0, false);
	machine_timeline_settle(t);

	json_t *program = machine_program_json(t), *work = machine_program_work_json(t);
	json_t *copies = json_object_get(json_object_get(program, "copies"), "to_device");
	json_t *kernel = json_array_get(work, 1);

	assert_int_equal(int_of(program, "time_ps"), 2000000);
	assert_int_equal(int_of(program, "kernel_ps"), 1500000);
	assert_int_equal(int_of(program, "kernel_overlap_ps"), 500000);
	assert_int_equal(int_of(program, "launches"), 1);
	assert_int_equal(int_of(copies, "count"), 1);
	assert_int_equal(int_of(copies, "bytes"), 4000);
	assert_int_equal(int_of(copies, "time_ps"), 1000000);
	assert_true(json_real_value(json_object_get(copies, "bytes_per_s")) == 4e9);
	assert_int_equal(json_array_size(work), 2);
	assert_string_equal(json_string_value(json_object_get(json_array_get(work, 0), "name")), "copy to device");
	assert_string_equal(json_string_value(json_object_get(kernel, "kind")), "kernel");
	assert_string_equal(json_string_value(json_object_get(kernel, "name")), "k");
	assert_int_equal(int_of(kernel, "stream"), 2);
	assert_int_equal(int_of(kernel, "start_ps"), 500000);
	assert_int_equal(int_of(kernel, "end_ps"), 2000000);
	json_decref(program);
	json_decref(work);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(copy_is_latency_and_bytes, setup, teardown),
		cmocka_unit_test_setup_teardown(device_copies_go_at_the_memorys_rate, setup, teardown),
		cmocka_unit_test_setup_teardown(copies_and_kernels_overlap, setup, teardown),
		cmocka_unit_test_setup_teardown(one_engine_takes_turns, setup, teardown),
		cmocka_unit_test_setup_teardown(default_stream_serialises, setup, teardown),
		cmocka_unit_test_setup_teardown(waited_for_events_delay, setup, teardown),
		cmocka_unit_test_setup_teardown(launches_take_time_to_start, setup, teardown),
		cmocka_unit_test_setup_teardown(counts, setup, teardown),
		cmocka_unit_test_setup_teardown(results, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
