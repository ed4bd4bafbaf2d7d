/* A wire takes packets one after the other at its rate, to a unit of time, and none of its owner's rounding adds up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "net/wire.h"

static void test_rate(void **state)
{
	enum { PACKETS = 3000, BYTES = 128, UNITS_PER_PS = 9 };
	struct net_wire w = net_wire_of_rate(30000, UNITS_PER_PS);
	uint64_t end = 0;

	(void)state;
	assert_int_equal(net_wire_units(&w, BYTES), 38400);
	for (uint32_t i = 0; i < PACKETS; i++)
		end = net_wire_send(&w, 0, BYTES);
	assert_int_equal(end, (uint64_t)PACKETS * 38400); /* 4266.67 ps each: nothing is lost */
	assert_int_equal(w.bytes, PACKETS * BYTES);
	/* One that comes when the wire has long been free begins at once; one that comes before waits for it. */
	end = net_wire_send(&w, 2 * end, 1);
	assert_int_equal(end, (uint64_t)2 * PACKETS * 38400 + 300);
	assert_int_equal(net_wire_send(&w, 5, 1), end + 300);
	assert_int_equal(w.free_units, end + 300);
	assert_int_equal(net_wire_send(&w, 0, 0), end + 300); /* nothing takes nothing, and its turn */
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_rate)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
