/* test_classify.c - the class of an instruction from what QEMU's disassembler says (Capstone, AT&T's syntax for x86-64;
 * the lines are what QEMU 7.2 writes with -d in_asm). */
#include "threads/qemu/classify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define ONE(target, text, class, atomic) {target, text, THREAD_CLASS_##class, THREAD_CLASS_integer, 0, QEMU_##atomic}
#define LANES(target, text, lanes, count)                                                                             \
	{target, text, THREAD_CLASS_vector, THREAD_CLASS_##lanes, count, QEMU_PLAIN}

/* One instruction of `class`; a vector one has so many of `lanes`. */
static const struct {
	const char *target, *text;
	enum thread_class class, lanes;
	uint16_t lane_count;
	enum qemu_atomic atomic;
} cases[] = {
	ONE("x86_64", "popcntq  %rax, %rbx", integer, PLAIN),
	ONE("x86_64", "popq     %rax", memory, PLAIN),
	ONE("x86_64", "pause    ", integer, PLAIN),
	ONE("x86_64", "prefetcht0 (%rax)", memory, PLAIN),
	ONE("x86_64", "vfmadd231sd %xmm0, %xmm1, %xmm2", float_multiply, PLAIN),
	ONE("x86_64", "vfnmadd231ss %xmm0, %xmm1, %xmm2", float_multiply, PLAIN),
	LANES("x86_64", "vfmadd213ps %ymm0, %ymm1, %ymm2", lane_float, 8),
	LANES("x86_64", "vfmadd213pd %ymm0, %ymm1, %ymm2", lane_float, 4),
	ONE("x86_64", "addsd    %xmm0, %xmm1", float, PLAIN),
	LANES("x86_64", "addps    %xmm0, %xmm1", lane_float, 4),
	ONE("x86_64", "addq     %rax, %rbx", integer, PLAIN),
	ONE("x86_64", "ucomisd  %xmm0, %xmm1", float, PLAIN),
	LANES("x86_64", "maxps    %xmm0, %xmm1", lane_float, 4),
	LANES("x86_64", "vminpd   %ymm0, %ymm1, %ymm2", lane_float, 4),
	LANES("x86_64", "cmpltps  %xmm0, %xmm1", lane_float, 4),
	ONE("x86_64", "cmpltsd  %xmm0, %xmm1", float, PLAIN),
	ONE("x86_64", "cmpl     $3, %eax", integer, PLAIN),
	LANES("x86_64", "mulpd    %xmm0, %xmm1", lane_float, 2),
	LANES("x86_64", "divps    %xmm0, %xmm1", lane_divide, 4),
	LANES("x86_64", "xorps    %xmm0, %xmm0", lane_integer, 4),
	LANES("x86_64", "andnpd   %xmm0, %xmm1", lane_integer, 2),
	LANES("x86_64", "shufps   $1, %xmm0, %xmm1", lane_integer, 4),
	LANES("x86_64", "paddd    %xmm0, %xmm1", lane_integer, 4),
	LANES("x86_64", "pmaxsd   %xmm0, %xmm1", lane_integer, 4),
	LANES("x86_64", "paddb    %xmm0, %xmm1", lane_integer, 16),
	ONE("x86_64", "movq     %fs:0x28, %rax", memory, PLAIN),
	ONE("x86_64", "movaps   (%rax), %xmm1", memory, PLAIN),
	ONE("x86_64", "movaps   %xmm0, %xmm1", integer, PLAIN),
	ONE("x86_64", "movl     $0x3c, %eax", integer, PLAIN),
	ONE("x86_64", "fmuls    (%rax)", float_multiply, PLAIN),
	ONE("x86_64", "fdivrp   %st(1)", float_divide, PLAIN),
	ONE("x86_64", "fldl     (%rax)", memory, PLAIN),
	ONE("x86_64", "fadd     %st(1)", float, PLAIN),
	ONE("x86_64", "lock xaddl %eax, (%rbx)", integer, CHANGE),
	ONE("x86_64", "lock cmpxchgl %eax, (%rbx)", integer, COMPARE),
	ONE("x86_64", "mfence   ", integer, FENCE),
	ONE("aarch64", "ldadd w0, w1, [x2]", memory, CHANGE),
	ONE("aarch64", "stadd w0, [x2]", memory, CHANGE),
	ONE("aarch64", "stclrl x0, [x2]", memory, CHANGE),
	ONE("aarch64", "ldapr w0, [x1]", memory, ORDERED),
	ONE("aarch64", "ldlar w0, [x1]", memory, ORDERED),
	ONE("aarch64", "ldp x0, x1, [x2]", memory, PLAIN),
	ONE("aarch64", "str x0, [x2]", memory, PLAIN),
	ONE("aarch64", "prfm pldl1keep, [x0]", memory, PLAIN),
	ONE("aarch64", "fmadd d0, d1, d2, d3", float_multiply, PLAIN),
	LANES("aarch64", "fmla v0.4s, v1.4s, v2.4s", lane_float, 4),
	LANES("aarch64", "add v0.2d, v1.2d, v2.2d", lane_integer, 2),
	ONE("aarch64", "add x0, x1, x2", integer, PLAIN),
};

static void each_instruction_has_its_class(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint16_t counts[THREAD_CLASS_COUNT] = {0}, wanted[THREAD_CLASS_COUNT] = {0};

		wanted[cases[i].class]++;
		if (cases[i].lane_count)
			wanted[cases[i].lanes] = cases[i].lane_count;
		if (qemu_classify(cases[i].target, cases[i].text, counts) != cases[i].atomic)
			fail_msg("%s: another kind of access", cases[i].text);
		if (memcmp(counts, wanted, sizeof(counts)))
			fail_msg("%s: another class", cases[i].text);
	}
}

static void without_a_disassembler_it_is_an_integer(void **state)
{
	uint16_t counts[THREAD_CLASS_COUNT] = {0};

	(void)state;
	assert_int_equal(qemu_classify("x86_64", NULL, counts), QEMU_PLAIN);
	assert_int_equal(counts[THREAD_CLASS_integer], 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_instruction_has_its_class),
		cmocka_unit_test(without_a_disassembler_it_is_an_integer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
