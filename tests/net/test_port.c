/* Ports: an answer reaches the one who asked, by its port's number alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "net/port.h"

enum { ASKERS = 1000 };

struct asker {
	uint32_t done_count, served_count, soon_count, where;
};

static void done(void *self, struct mem_req *r)
{
	struct asker *a = self;

	(void)r;
	a->done_count++;
}

/* What it asked for is to go on to the next one. */
static void served(void *self, struct mem_req *r, uint32_t where)
{
	struct asker *a = self;

	a->served_count++;
	a->where = where;
	r->port++;
}

static void soon(void *self, const struct mem_req *r)
{
	struct asker *a = self;

	(void)r;
	a->soon_count++;
}

static const struct net_port_ops plain = {.done = done};
static const struct net_port_ops all = {.done = done, .served = served, .soon = soon};

static void test_by_number(void **state)
{
	struct net_ports ports = {0};
	static struct asker askers[ASKERS];

	(void)state;
	for (uint32_t i = 0; i < ASKERS; i++)
		assert_int_equal(net_port_add(&ports, &plain, &askers[i], (uint16_t)(i % 3), i), i);
	for (uint32_t i = 0; i < ASKERS; i += 7) {
		struct mem_req r = {.port = (uint16_t)i};
		const struct net_port *p = net_port_of(&ports, &r);

		assert_int_equal(p->place, i % 3);
		assert_int_equal(p->number, i);
		net_port_soon(p, &r);
		net_port_served(p, &r, 0);
		net_port_done(p, &r);
	}
	for (uint32_t i = 0; i < ASKERS; i++)
		assert_int_equal(askers[i].done_count, i % 7 == 0);
	net_ports_free(&ports);
	assert_int_equal(ports.count, 0);
}

static void test_served_redirects(void **state)
{
	struct net_ports ports = {0};
	struct asker first = {0}, second = {0};
	struct mem_req r = {.port = net_port_add(&ports, &all, &first, 0, 0)};

	(void)state;
	net_port_add(&ports, &all, &second, 0, 0);
	net_port_soon(net_port_of(&ports, &r), &r);
	net_port_served(net_port_of(&ports, &r), &r, 5);
	net_port_done(net_port_of(&ports, &r), &r);
	assert_int_equal(first.soon_count, 1);
	assert_int_equal(first.served_count, 1);
	assert_int_equal(first.where, 5);
	assert_int_equal(first.done_count, 0);
	assert_int_equal(second.done_count, 1);
	net_ports_free(&ports);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_by_number),
	    cmocka_unit_test(test_served_redirects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
