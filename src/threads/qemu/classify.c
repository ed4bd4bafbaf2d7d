/* classify.c - by the table of mnemonics. */
#include "threads/qemu/classify.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum rule {
	PLAIN,
	ORDERED,
	STORE,
	CHANGE,
	COMPARE,
	FENCE,
	IF_MEMORY, /* on integers if there is no operand in memory */
	FLOATS,
	INTEGERS,
	DIVISIONS,
	FLOATS_IF_PACKED, /* x86-64: if the suffix is ps or pd */
	FLOATS_IF_VECTOR, /* aarch64: if the operands say how many elements there are */
	INTEGERS_IF_VECTOR,
	DIVISIONS_IF_VECTOR,
};

static const struct mnemonic {
	const char *target, *begin;
	enum thread_class class;
	enum rule rule;
} mnemonics[] = {
#define MNEMONIC(target, begin, class, rule) {#target, begin, THREAD_CLASS_##class, rule},
#include "threads/qemu/mnemonics.def"
#undef MNEMONIC
};

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* x86-64: ss and sd at the end of a mnemonic are one float, ps and pd are packed ones. */
static const struct mnemonic *by_suffix(const char *text)
{
	static const struct mnemonic integer = {.class = THREAD_CLASS_integer}, one = {.class = THREAD_CLASS_float},
				     packed = {.class = THREAD_CLASS_vector, .rule = FLOATS};
	const size_t length = strcspn(text, " ");
	const char *const end = text + length;

	if (length < 4 || (end[-1] != 's' && end[-1] != 'd'))
		return &integer;
	return end[-2] == 's' ? &one : end[-2] == 'p' ? &packed : &integer;
}

static const struct mnemonic *mnemonic_of(bool is_x86, const char *target, const char *text)
{
	static const struct mnemonic other = {.class = THREAD_CLASS_integer};

	for (size_t i = 0; i < sizeof(mnemonics) / sizeof(mnemonics[0]); i++)
		if (!strcmp(mnemonics[i].target, target) && begins(text, mnemonics[i].begin))
			return &mnemonics[i];
	return is_x86 ? by_suffix(text) : &other;
}

/* AT&T's operands in memory have parentheses or a segment, or are an address without "$"; aarch64's have brackets. */
static bool has_memory_operand(const char *text)
{
	return strpbrk(text, "([:") || strstr(text, " 0x");
}

/* A fused multiplication of x86-64: its suffix says of how many, its class is that of multiplications. */
static bool is_packed(const char *text)
{
	const size_t length = strcspn(text, " ");

	return length > 1 && text[length - 2] == 'p';
}

/* The number in "v0.4s". */
static uint16_t arranged_elements(const char *text)
{
	const char *at = text;

	while ((at = strchr(at, '.')) && at > text) {
		char *end;
		const long n = strtol(at + 1, &end, 10);

		if (end > at + 1 && n <= 16 && strchr("bhsd", *end))
			return (uint16_t)n;
		at++;
	}
	return 0;
}

/* The last letter of a mnemonic is the size of its elements: b, w, d, q of integers, ps and pd of floats. */
static uint16_t packed_elements(const char *text)
{
	const size_t length = strcspn(text, " ");
	const uint16_t bytes = strstr(text, "%ymm") ? 32 : strstr(text, "%xmm") ? 16 : 8;
	const bool is_float = length > 1 && text[length - 2] == 'p';

	switch (length ? text[length - 1] : '\0') {
	case 'b':
		return bytes;
	case 'w':
		return bytes / 2;
	case 's':
		return bytes / 4;
	case 'd':
		return is_float ? bytes / 8 : bytes / 4;
	default:
		return bytes / 8;
	}
}

static void count_vector(enum thread_class lanes, uint16_t elements, uint16_t *counts)
{
	counts[THREAD_CLASS_vector]++;
	counts[lanes] = (uint16_t)(counts[lanes] + elements);
}

enum qemu_atomic qemu_classify(const char *target, const char *text, uint16_t counts[THREAD_CLASS_COUNT])
{
	static const enum thread_class lanes[] = {[FLOATS] = THREAD_CLASS_lane_float,
						  [INTEGERS] = THREAD_CLASS_lane_integer,
						  [DIVISIONS] = THREAD_CLASS_lane_divide,
						  [FLOATS_IF_PACKED] = THREAD_CLASS_lane_float,
						  [FLOATS_IF_VECTOR] = THREAD_CLASS_lane_float,
						  [INTEGERS_IF_VECTOR] = THREAD_CLASS_lane_integer,
						  [DIVISIONS_IF_VECTOR] = THREAD_CLASS_lane_divide};
	const bool is_x86 = !strcmp(target, "x86_64");
	const struct mnemonic *m;
	uint16_t elements = 0;

	if (!text)
		text = "";
	if (is_x86 && *text == 'v') /* AVX' three operands */
		text++;
	m = mnemonic_of(is_x86, target, text);
	if (m->rule >= FLOATS && (m->rule != FLOATS_IF_PACKED || is_packed(text)))
		elements = is_x86 ? packed_elements(text) : arranged_elements(text);
	if (elements)
		count_vector(lanes[m->rule], elements, counts);
	else if (m->rule == IF_MEMORY && !has_memory_operand(text))
		counts[THREAD_CLASS_integer]++;
	else
		counts[m->class]++;
	return m->rule == ORDERED ? QEMU_ORDERED
	       : m->rule == STORE ? QEMU_STORE
	       : m->rule == CHANGE ? QEMU_CHANGE
	       : m->rule == COMPARE ? QEMU_COMPARE
	       : m->rule == FENCE ? QEMU_FENCE
				  : QEMU_PLAIN;
}
