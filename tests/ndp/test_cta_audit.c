/* test_cta_audit.c - the auditor of CTAs that move: a right move passes, and each way to be wrong is found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/check.h"
#include "ndp/carry/cta_audit.h"

enum { FROM, TO, SMS, CTA = 7, DIGEST = 99, BYTES = 160, ISSUE = 100, READY = 110 };

/* A CTA that runs, with a result on its way and a store of two lines. */
static struct cta_audit *running(void)
{
	struct cta_audit *a = cta_audit_new(SMS);

	cta_audit_kernel(a);
	assert_null(cta_audit_placed(a, CTA, FROM, 1));
	assert_null(cta_audit_stepped(a, CTA, FROM, READY));
	cta_audit_store_issued(a, CTA, 2);
	return a;
}

static int requests[2];

static void stored(struct cta_audit *a, uint32_t lines)
{
	for (uint32_t i = 0; i < lines; i++)
		cta_audit_store_sent(a, CTA, &requests[i]);
	for (uint32_t i = 0; i < lines; i++)
		cta_audit_store_acknowledged(a, &requests[i]);
}

/* It has stopped, and nothing of it is in flight from READY on. */
static struct cta_audit *drained(void)
{
	struct cta_audit *a = running();

	assert_null(cta_audit_stopped(a, CTA, DIGEST, BYTES));
	stored(a, 2);
	return a;
}

static struct cta_audit *under_way(void)
{
	struct cta_audit *a = drained();

	assert_null(cta_audit_leaves(a, CTA, READY, 0));
	assert_null(cta_audit_left(a, CTA, 0, 0));
	cta_audit_packet(a, CTA, 128);
	return a;
}

static void found(struct cta_audit *a, const char *why, const char *text)
{
	if (text)
		assert_string_equal(why, text);
	else
		assert_null(why);
	cta_audit_free(a);
}

static void right_move(void **state)
{
	struct cta_audit *a = under_way();
	uint64_t cta;

	(void)state;
	cta_audit_packet(a, CTA, BYTES - 128);
	assert_null(cta_audit_arrives(a, CTA, TO, DIGEST));
	assert_null(cta_audit_stepped(a, CTA, TO, 0));
	assert_null(cta_audit_placed(a, CTA + 1, FROM, 1)); /* its place */
	assert_null(cta_audit_done(a, CTA, TO, 0));
	assert_null(cta_audit_done(a, CTA + 1, FROM, 0));
	found(a, cta_audit_end(a, &cta), NULL);
}

static void in_flight(void **state)
{
	struct cta_audit *a = running();

	(void)state;
	assert_null(cta_audit_stopped(a, CTA, DIGEST, 0));
	stored(a, 2);
	found(a, cta_audit_leaves(a, CTA, READY, 1), "it leaves with a load under way");
	a = running();
	assert_null(cta_audit_stopped(a, CTA, DIGEST, 0));
	stored(a, 1);
	found(a, cta_audit_leaves(a, CTA, READY, 0), "it leaves before a store is acknowledged");
	a = drained();
	found(a, cta_audit_leaves(a, CTA, READY - 1, 0), "it leaves with an instruction in the pipeline");
}

static void arrives_complete(void **state)
{
	struct cta_audit *a = under_way();
	uint64_t cta;

	(void)state;
	found(a, cta_audit_arrives(a, CTA, TO, DIGEST), "it arrives without a part of its context");
	a = under_way();
	cta_audit_packet(a, CTA, BYTES - 128);
	found(a, cta_audit_arrives(a, CTA, TO, DIGEST + 1), "it arrives changed");
	a = drained();
	found(a, cta_audit_arrives(a, CTA, TO, DIGEST), "it arrives and has not left");
	a = under_way();
	assert_string_equal(cta_audit_end(a, &cta), "it has not come to its end");
	assert_int_equal(cta, CTA);
	cta_audit_free(a);
}

static void in_one_place(void **state)
{
	struct cta_audit *a = running();

	(void)state;
	found(a, cta_audit_placed(a, CTA, TO, 1), "it is placed twice");
	a = running();
	found(a, cta_audit_stepped(a, CTA, TO, 0), "it runs where it is not");
	a = running();
	found(a, cta_audit_stepped(a, CTA + 1, FROM, 0), "it runs and has never been placed, or has ended");
	a = drained();
	found(a, cta_audit_stepped(a, CTA, FROM, 0), "it runs while it is moved");
	a = under_way();
	found(a, cta_audit_stepped(a, CTA, TO, 0), "it runs while it is moved");
	a = under_way();
	found(a, cta_audit_done(a, CTA, TO, 0), "it runs while it is moved");
	a = drained();
	found(a, cta_audit_stopped(a, CTA, DIGEST, 0), "it is to move and does not run");
	a = running();
	found(a, cta_audit_leaves(a, CTA, READY, 0), "it leaves and was not to move");
}

static void places(void **state)
{
	static const char *const text = "places at its SM are not those of the CTAs there";
	struct cta_audit *a = drained();

	(void)state;
	found(a, cta_audit_left(a, CTA, 1, 0), text); /* kept */
	a = drained();
	found(a, cta_audit_left(a, CTA, 0, 1), "it leaves warps behind");
	a = drained();
	found(a, cta_audit_placed(a, CTA + 1, FROM, 1), text); /* given up before */
	a = under_way();
	found(a, cta_audit_placed(a, CTA + 1, TO, 2), text); /* there before it has arrived */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(right_move),   cmocka_unit_test(in_flight), cmocka_unit_test(arrives_complete),
	    cmocka_unit_test(in_one_place), cmocka_unit_test(places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
