/* syscall.c - functions the device's run-time provides: vprintf, malloc, free, __assertfail. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "simt/heap.h"
#include "simt/state.h"

enum {
	STRING_BYTES_MAX = 1 << 16, /* a longer or unterminated string is cut here */
	/* One call prints no more, as much as CUDA's buffer for all of them has where nothing else was asked for
	 * (CU_LIMIT_PRINTF_FIFO_SIZE): the rest is cut. */
	PRINT_BYTES_MAX = 1 << 20,
};

struct buffer {
	char *at;
	size_t used, cap;
};

static void put(struct buffer *b, const char *text, size_t bytes)
{
	if (b->used + bytes + 1 > b->cap) {
		b->cap = (b->used + bytes + 1) * 2;
		b->at = realloc(b->at, b->cap);
		CHECK(b->at);
	}
	memcpy(b->at + b->used, text, bytes);
	b->used += bytes;
	b->at[b->used] = '\0';
}

static void put_format(struct buffer *b, const char *fmt, ...)
{
	va_list ap, again;

	va_start(ap, fmt);
	va_copy(again, ap);
	int n = vsnprintf(NULL, 0, fmt, ap);
	char *text = malloc((size_t)n + 1);

	CHECK(text && n >= 0);
	vsnprintf(text, (size_t)n + 1, fmt, again);
	put(b, text, (size_t)n);
	free(text);
	va_end(again);
	va_end(ap);
}

/* One thread's view of the call in progress. */
struct caller {
	struct simt_launch *l;
	struct simt_warp *w;
	const struct simt_exec *e;
	uint32_t lane;
	uint64_t args; /* next argument of vprintf */
};

/* Reads a string from device memory; NULL (with the fault set) if it is not readable. The caller frees it. */
static char *read_string(const struct caller *c, uint64_t addr)
{
	struct buffer b = {0};
	char ch;

	put(&b, "", 0);
	while (b.used < STRING_BYTES_MAX) {
		if (!simt_generic_bytes(c->l, c->w, c->lane, addr + b.used, 1, &ch)) {
			simt_fault_access(c->l, c->w, c->e, c->lane, false, SIMT_MEM_GLOBAL, addr + b.used, 1, 0);
			free(b.at);
			return NULL;
		}
		if (!ch)
			break;
		put(&b, &ch, 1);
	}
	return b.at;
}

/* Arguments lie one behind the other, each aligned to its size (CUDA's vprintf convention). */
static bool next_argument(struct caller *c, uint32_t bytes, uint64_t *value)
{
	*value = 0;
	c->args = (c->args + bytes - 1) & ~(uint64_t)(bytes - 1);
	if (!simt_generic_bytes(c->l, c->w, c->lane, c->args, bytes, value)) {
		simt_fault_access(c->l, c->w, c->e, c->lane, false, SIMT_MEM_GLOBAL, c->args, bytes, 0);
		return false;
	}
	c->args += bytes;
	return true;
}

/* A conversion: its flags, width and precision, its length, its letter. */
struct conversion {
	char flags[8];
	int32_t width, precision; /* at most PRINT_BYTES_MAX; precision -1: none is given */
	uint32_t bytes;  /* of an integer argument */
	uint32_t narrow; /* hh: 1, h: 2, else 0 */
	char letter;
};

/* "*" or digits. A number that is too large is as good as the most that can be printed. */
static bool take_number(struct caller *c, const char **f, int32_t *n)
{
	int64_t value = 0;
	uint64_t argument;

	if (**f == '*') {
		if (!next_argument(c, 4, &argument))
			return false;
		value = (int32_t)argument;
		++*f;
	}
	for (; **f >= '0' && **f <= '9'; ++*f)
		value = value * 10 + (**f - '0') < PRINT_BYTES_MAX ? value * 10 + (**f - '0') : PRINT_BYTES_MAX;
	*n = (int32_t)(value > PRINT_BYTES_MAX ? PRINT_BYTES_MAX : value < -PRINT_BYTES_MAX ? -PRINT_BYTES_MAX : value);
	return true;
}

static void add_flag(struct conversion *v, char flag)
{
	const size_t n = strlen(v->flags);

	if (!strchr(v->flags, flag) && n + 1 < sizeof(v->flags))
		v->flags[n] = flag;
}

/* Parses what follows '%'. Returns the text after the conversion, NULL on a fault. */
static const char *parse_conversion(struct caller *c, const char *f, struct conversion *v)
{
	*v = (struct conversion){.bytes = 4, .precision = -1};
	for (; *f && strchr("-+ #0", *f); f++)
		add_flag(v, *f);
	if (!take_number(c, &f, &v->width))
		return NULL;
	if (v->width < 0) { /* C17 7.21.6.1: a negative one is a flag '-' and a width */
		add_flag(v, '-');
		v->width = -v->width;
	}
	if (*f == '.') {
		f++;
		if (!take_number(c, &f, &v->precision))
			return NULL;
	}
	for (; *f && strchr("hlLqjzt", *f); f++) {
		if (*f == 'h')
			v->narrow = v->narrow == 2 ? 1 : 2;
		else
			v->bytes = 8;
	}
	v->letter = *f;
	return *f ? f + 1 : f;
}

/* The conversion for the host's printf, of a value with that length and letter. */
static void host_format(const struct conversion *v, const char *length, char fmt[64])
{
	char width[16] = "", precision[16] = "";

	if (v->width)
		snprintf(width, sizeof(width), "%d", v->width);
	if (v->precision >= 0)
		snprintf(precision, sizeof(precision), ".%d", v->precision);
	snprintf(fmt, 64, "%%%s%s%s%s", v->flags, width, precision, length);
}

static int64_t signed_value(const struct conversion *v, uint64_t value)
{
	if (v->narrow)
		return v->narrow == 1 ? (int8_t)value : (int16_t)value;
	return v->bytes == 8 ? (int64_t)value : (int32_t)value;
}

static uint64_t unsigned_value(const struct conversion *v, uint64_t value)
{
	return v->narrow == 1 ? (uint8_t)value : v->narrow == 2 ? (uint16_t)value : value;
}

static bool put_string(struct caller *c, const struct conversion *v, uint64_t addr, struct buffer *out)
{
	char fmt[64], *text = addr ? read_string(c, addr) : NULL;

	if (addr && !text)
		return false;
	host_format(v, "s", fmt);
	put_format(out, fmt, text ? text : "(null)");
	free(text);
	return true;
}

static bool put_conversion(struct caller *c, const struct conversion *v, struct buffer *out)
{
	char fmt[64];
	uint64_t value;
	double d;

	switch (v->letter) {
	case 'd':
	case 'i':
		if (!next_argument(c, v->bytes, &value))
			return false;
		host_format(v, "lld", fmt);
		put_format(out, fmt, (long long)signed_value(v, value));
		return true;
	case 'u':
	case 'o':
	case 'x':
	case 'X':
		if (!next_argument(c, v->bytes, &value))
			return false;
		host_format(v, (char[]){'l', 'l', v->letter, 0}, fmt);
		put_format(out, fmt, (unsigned long long)unsigned_value(v, value));
		return true;
	case 'e':
	case 'E':
	case 'f':
	case 'F':
	case 'g':
	case 'G':
	case 'a':
	case 'A':
		if (!next_argument(c, 8, &value))
			return false;
		memcpy(&d, &value, sizeof(d));
		host_format(v, (char[]){v->letter, 0}, fmt);
		put_format(out, fmt, d);
		return true;
	case 'c':
		if (!next_argument(c, 4, &value))
			return false;
		host_format(v, "c", fmt);
		put_format(out, fmt, (int)value);
		return true;
	case 'p':
		if (!next_argument(c, 8, &value))
			return false;
		host_format(v, "p", fmt);
		put_format(out, fmt, (void *)(uintptr_t)value);
		return true;
	case 's':
		return next_argument(c, 8, &value) && put_string(c, v, value, out);
	case '%':
		put(out, "%", 1);
		return true;
	default: /* not a conversion: printed as it is */
		host_format(v, (char[]){v->letter, 0}, fmt);
		put(out, fmt, strlen(fmt));
		return true;
	}
}

static bool format_all(struct caller *c, const char *f, struct buffer *out)
{
	while (*f && out->used < PRINT_BYTES_MAX) {
		size_t plain = strcspn(f, "%");
		struct conversion v;

		put(out, f, plain);
		f += plain;
		if (!*f)
			break;
		f = parse_conversion(c, f + 1, &v);
		if (!f || !put_conversion(c, &v, out))
			return false;
	}
	return true;
}

static bool do_vprintf(struct caller *c, const struct simt_call_op *op)
{
	char *fmt = read_string(c, simt_call_arg(c->l, c->w, op, 0, c->lane));
	struct buffer out = {0};

	if (!fmt)
		return false;
	c->args = simt_call_arg(c->l, c->w, op, 1, c->lane);
	bool ok = format_all(c, fmt, &out);

	out.used = out.used < PRINT_BYTES_MAX ? out.used : PRINT_BYTES_MAX;
	if (ok && out.used && c->l->print)
		c->l->print(c->l->print_ctx, out.at, (uint32_t)out.used);
	simt_call_result(c->l, c->w, op, c->lane, out.used);
	free(out.at);
	free(fmt);
	return ok;
}

static bool do_free(struct caller *c, const struct simt_call_op *op)
{
	uint64_t addr = simt_call_arg(c->l, c->w, op, 0, c->lane);

	if (!addr || simt_heap_release(c->l->mem, addr))
		return true;
	simt_fault(c->l, c->w, c->e, c->lane, SIMT_FAULT_ADDRESS,
		   "free of 0x%llx, which is not the start of a block from device-side malloc",
		   (unsigned long long)addr);
	return false;
}

/* __assertfail(message, file, line, function, character size) */
static bool do_assertfail(struct caller *c, const struct simt_call_op *op)
{
	char *message = read_string(c, simt_call_arg(c->l, c->w, op, 0, c->lane));
	char *file = message ? read_string(c, simt_call_arg(c->l, c->w, op, 1, c->lane)) : NULL;
	char *function = file ? read_string(c, simt_call_arg(c->l, c->w, op, 3, c->lane)) : NULL;

	if (function)
		simt_fault(c->l, c->w, c->e, c->lane, SIMT_FAULT_ASSERT,
			   "assertion failed: %.120s, in %.100s at %.120s:%u", message, function, file,
			   (uint32_t)simt_call_arg(c->l, c->w, op, 2, c->lane));
	free(message);
	free(file);
	free(function);
	return false;
}

static bool do_one(struct caller *c, const struct simt_call_op *op, enum simt_builtin builtin)
{
	switch (builtin) {
	case SIMT_BUILTIN_VPRINTF:
		return do_vprintf(c, op);
	case SIMT_BUILTIN_MALLOC:
		simt_call_result(c->l, c->w, op, c->lane,
				 simt_heap_alloc(c->l->mem, simt_call_arg(c->l, c->w, op, 0, c->lane)));
		return true;
	case SIMT_BUILTIN_FREE:
		return do_free(c, op);
	case SIMT_BUILTIN_ASSERTFAIL:
		return do_assertfail(c, op);
	case SIMT_BUILTIN_PARAMETER_BUFFER:
		simt_call_result(c->l, c->w, op, c->lane, simt_child_buffer(c->l, c->w, op, c->lane));
		return true;
	case SIMT_BUILTIN_NONE:
	case SIMT_BUILTIN_DEVICE_RUNTIME:
		break;
	default:
		return simt_child_ask(c->l, c->w, c->e, op, builtin, c->lane);
	}
	UNREACHABLE("not a system call");
}

enum simt_next simt_builtin_call(struct simt_launch *l, struct simt_warp *w, const struct simt_exec *e,
				 const struct simt_call_op *op, enum simt_builtin builtin, uint32_t mask)
{
	static const uint8_t arguments[SIMT_BUILTIN_DEVICE_RUNTIME] = {0, 2, 1, 1, 5, 4};
	const uint32_t expected =
		builtin < SIMT_BUILTIN_ASK ? arguments[builtin] : simt_child_argument_count(builtin);
	struct caller c = {.l = l, .w = w, .e = e};

	if (op->arg_count != expected)
		return simt_fault(l, w, e, (uint32_t)__builtin_ctz(mask), SIMT_FAULT_INSTRUCTION,
				  "a system call with %u arguments; expected %u", op->arg_count, expected);
	SIMT_FOR_LANES(lane, mask) {
		if (unlikely(l->stop && *l->stop)) /* what a launch that ends would print is not waited for */
			break;
		c.lane = lane;
		if (!do_one(&c, op, builtin))
			return SIMT_FAULTED;
	}
	return SIMT_NEXT;
}
