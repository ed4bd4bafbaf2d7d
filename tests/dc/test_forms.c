/* test_forms.c - every form of instruction that PTX's tables allow (src/ptx/ptx_forms.def: opcodes, types, modifiers)
 * and that the GPU's functional executor runs is run by words of Duality Cache on the same random operands, and leaves
 * the same bits. So what one side learns and the other lacks fails here. What words cannot do at all is refused by its
 * line.
 *
 * An instruction's modifiers are those that it must have, each of the others alone, and each beside each rounding.
 *
 * Every N-th form is run bit by bit too: test_dc_forms N, which is 1 where nothing else is said. */
#include "rig.h"

#include <glib.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/check.h"
#include "dc/exec/exec.h"
#include "ptx/tables.h"

enum {
	LANES = 64,
	IN_BYTES = 64,  /* of a lane: seven operands of 8 bytes, and what atomics change */
	OUT_BYTES = 64, /* of a lane */
	OPERANDS = 7,
	BUFFER_BYTES = 1 << 20,
	IN = 0,
	OUT = LANES * IN_BYTES,
	SHARED = 1 << 16,
	LOCAL = 1 << 17,
	SPILL = 1 << 18,
};

static uint32_t exact_of = 1;

struct world {
	struct simt_memory *mem;
	uint64_t buffer;
	uint32_t random;
	uint8_t before[OUT + LANES * OUT_BYTES];
	uint32_t forms;
	uint32_t ran[PTX_OP_COUNT], refused[PTX_OP_COUNT], wrong[PTX_OP_COUNT];
	char *why[PTX_OP_COUNT]; /* the first refusal */
};

static uint64_t draw(struct world *w)
{
	uint64_t v = 0;

	for (uint32_t k = 0; k < 4; k++) {
		w->random = w->random * 1664525u + 1013904223u;
		v = v << 16 | w->random >> 16;
	}
	return v;
}

/* ---- operands ---- */

static uint64_t draw_float(struct world *w, uint32_t exponent_bits, uint32_t mantissa_bits)
{
	const uint64_t sign = draw(w) & 1, bias = (1ull << (exponent_bits - 1)) - 1, top = (1ull << exponent_bits) - 1;
	const uint64_t mantissa = draw(w) & ((1ull << mantissa_bits) - 1), kind = draw(w) % 16;
	uint64_t exponent = bias + draw(w) % 12 - 6;

	if (kind == 0)
		return sign << (exponent_bits + mantissa_bits);
	if (kind == 1)
		exponent = top;
	if (kind == 2)
		return sign << (exponent_bits + mantissa_bits) | top << mantissa_bits;
	if (kind < 6)
		exponent = 1 + draw(w) % (top - 1);
	if (kind == 6 && exponent_bits != 8) /* denormal: of f32 and bf16 the arrays have none */
		exponent = draw(w) % 3;
	return (sign << exponent_bits | exponent) << mantissa_bits | (kind == 7 ? 0 : mantissa);
}

static uint64_t draw_value(struct world *w, enum ptx_type t)
{
	const uint32_t bits = 8 * ptx_type_bytes(t);
	uint64_t v = draw(w);

	switch (t) {
	case PTX_F32:
	case PTX_TF32:
		return draw_float(w, 8, 23);
	case PTX_F64:
		return draw_float(w, 11, 52);
	case PTX_F16:
		return draw_float(w, 5, 10);
	case PTX_BF16:
		return draw_float(w, 8, 7);
	case PTX_F16X2:
		return draw_float(w, 5, 10) | draw_float(w, 5, 10) << 16;
	case PTX_BF16X2:
		return draw_float(w, 8, 7) | draw_float(w, 8, 7) << 16;
	default:
		break;
	}
	switch (v >> 32 & 7) {
	case 0:
		return v & 1 ? 1 : 0;
	case 1:
		return 1ull << (bits - 1);
	case 2:
		return (1ull << (bits - 1)) - 1;
	case 3:
		return UINT64_MAX;
	case 4:
		return v & 63;
	default:
		return v;
	}
}

/* ---- the text of a form ---- */

struct form {
	enum ptx_op op;
	enum ptx_type type[3];
	uint32_t type_count;
	const struct ptx_mod_info *mod[PTX_CLASS_COUNT];
	bool has_optional;  /* operands that may be left out are there */
	bool has_immediate; /* amounts are immediates */
	bool has_second;    /* a second result */
	uint32_t immediate;
};

static void add_name(GString *s, const struct form *f)
{
	g_string_append_printf(s, "%s", ptx_op_name(f->op));
	for (uint32_t c = 0; c < PTX_CLASS_PRMT; c++)
		if (f->mod[c])
			g_string_append_printf(s, ".%s", f->mod[c]->text);
	for (uint32_t t = 0; t < f->type_count; t++)
		g_string_append_printf(s, ".%s", ptx_type_name(f->type[t]));
	for (uint32_t c = PTX_CLASS_PRMT; c < PTX_CLASS_COUNT; c++)
		if (f->mod[c])
			g_string_append_printf(s, ".%s", f->mod[c]->text);
}

static enum ptx_type type_of(const struct form *f, char letter)
{
	const bool is_wide = f->mod[PTX_CLASS_PART] && f->mod[PTX_CLASS_PART]->value == PTX_WIDE;

	switch (letter) {
	case '1':
		return f->type[0];
	case '2':
		return f->type[1];
	case '3':
		return f->type[2];
	case 'n':
		return f->type_count > 1 ? f->type[1] : f->type[0];
	case 'w':
		if (!is_wide)
			return f->type[0];
		return ptx_type_bytes(f->type[0]) == 2 ? PTX_B32 : PTX_B64;
	case 'p':
		return PTX_PRED;
	default:
		return PTX_B32;
	}
}

static const char *register_type(enum ptx_type t)
{
	switch (ptx_type_bytes(t)) {
	case 1:
		return t == PTX_PRED ? "pred" : "b16";
	case 2:
		return "b16";
	case 4:
		return "b32";
	default:
		return "b64";
	}
}

static void add_load(GString *s, uint32_t k, enum ptx_type t)
{
	if (t == PTX_PRED)
		g_string_append_printf(s,
				       "\t.reg .b32 %%q%u;\n\t.reg .pred %%s%u;\n\tld.global.b32 %%q%u, [%%in+%u];\n"
				       "\tsetp.lt.s32 %%s%u, %%q%u, 5;\n",
				       k, k, k, 8 * k, k, k);
	else
		g_string_append_printf(s, "\t.reg .%s %%s%u;\n\tld.global.%s %%s%u, [%%in+%u];\n", register_type(t), k,
				       register_type(t), k, 8 * k);
}

static void add_store(GString *s, const char *reg, enum ptx_type t, uint32_t at)
{
	if (t == PTX_PRED)
		g_string_append_printf(
		    s, "\t.reg .b32 %%z%u;\n\tselp.b32 %%z%u, 1, 0, %s;\n\tst.global.b32 [%%out+%u], %%z%u;\n", at, at,
		    reg, at, at);
	else
		g_string_append_printf(s, "\tst.global.%s [%%out+%u], %s;\n", register_type(t), at, reg);
}

static const char head[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
			   ".visible .entry k(.param .u64 a)\n{\n\t.reg .b64 %base, %in, %out, %own, %off;\n"
			   "\t.reg .b32 %t, %half;\n\t.shared .align 16 .b8 common[8192];\n"
			   "\t.local .align 16 .b8 own[64];\n"
			   "\tld.param.u64 %base, [a];\n\tmov.u32 %t, %tid.x;\n"
			   "\tmul.wide.u32 %off, %t, 64;\n\tadd.u64 %in, %base, %off;\n"
			   "\tadd.u64 %out, %in, 4096;\n";

static bool is_last(const char *shape, const char *at)
{
	for (at++; *at; at++)
		if (strchr("123nwup", *at))
			return false;
	return shape != NULL;
}

/* Operands by the shape; types[]: what each source is. */
static char *write_form(const struct form *f, const char *shape, enum ptx_type *types, uint32_t *count)
{
	GString *s = g_string_new(head), *operands = g_string_new(NULL), *stores = g_string_new(NULL);
	bool is_source = false;

	*count = 0;
	for (const char *at = shape; *at; at++) {
		const enum ptx_type t = type_of(f, *at);
		const bool is_optional = is_source && strchr(at + 1, '?') && at[1] == '?';

		if (*at == ':')
			is_source = true;
		if (!strchr("123nwup", *at) || (is_optional && !f->has_optional))
			continue;
		g_string_append(operands, operands->len ? ", " : " ");
		if (!is_source) {
			g_string_append_printf(s, "\t.reg .%s %%d;\n", register_type(t));
			g_string_append(operands, "%d");
			add_store(stores, "%d", t, 0);
			if (strchr(at + 1, '|') && f->has_second) {
				g_string_append(s, "\t.reg .pred %e;\n");
				g_string_append(operands, "|%e");
				add_store(stores, "%e", PTX_PRED, 8);
			}
			continue;
		}
		types[*count] = t;
		if (f->mod[PTX_CLASS_SYNC] && is_last(shape, at)) {
			g_string_append(operands, "-1");
		} else if (*at == 'u' && f->has_immediate) {
			g_string_append_printf(operands, "%u", f->immediate);
		} else {
			add_load(s, *count, t);
			g_string_append_printf(operands, "%%s%u", *count);
		}
		++*count;
	}
	g_string_append(s, "\t");
	add_name(s, f);
	g_string_append_printf(s, "%s;\n%s\tret;\n}\n", operands->str, stores->str);
	g_string_free(operands, TRUE);
	g_string_free(stores, TRUE);
	return g_string_free(s, FALSE);
}

/* ---- a run ---- */

/* Exponent's bits of one number; 0: no floating point whose denormal numbers are zero. */
static uint64_t exponent_bits(enum ptx_type t)
{
	switch (t) {
	case PTX_BF16:
	case PTX_BF16X2: return 0x7f80;
	case PTX_F32: return 0x7f800000;
	default: return 0;
	}
}

/* Denormal numbers, of pairs in either half, are zero of their sign; all else is the same. */
static bool is_flushed(uint64_t want, uint64_t got, enum ptx_type t)
{
	const uint32_t bits = t == PTX_F32 ? 32 : 16, bytes = ptx_type_bytes(t);
	const uint64_t exponent = exponent_bits(t), sign = 1ull << (bits - 1);

	if (!exponent)
		return false;
	for (uint32_t at = 0; at < 8 * bytes; at += bits) {
		const uint64_t fraction = sign - 1 - exponent;

		if (!(want >> at & exponent))
			want &= ~(fraction << at);
	}
	return want == got;
}

/* Functions of the arrays' own routines have errors of their own (test_cordic.c and test_float.c bound them): here that
 * a sine is one, and that the others are as near as PTX asks. */
static bool is_near(enum ptx_op op, enum ptx_type result, uint64_t want, uint64_t got)
{
	const uint32_t bits[2] = {(uint32_t)want, (uint32_t)got};
	const uint64_t longs[2] = {want, got};
	double y[2];
	float x[2];

	memcpy(x, bits, sizeof(x));
	memcpy(y, longs, sizeof(y));
	if (op == PTX_OP_TANH && ptx_type_bytes(result) <= 4 && result != PTX_F32) /* f32's rounded: next to it */
		return abs((int)(want >> 16 & 0xffff) - (int)(got >> 16 & 0xffff)) <= 1 &&
		       abs((int)(want & 0xffff) - (int)(got & 0xffff)) <= 1;
	if (result == PTX_F64)
		return op == PTX_OP_RSQRT && fabs(y[1] - y[0]) <= 0x1p-51 * fabs(y[0]);
	if (result != PTX_F32 || isnan(x[0]) || isnan(x[1]) || isinf(x[0]))
		return false;
	switch (op) {
	case PTX_OP_SIN:
	case PTX_OP_COS: return fabsf(x[1]) <= 1;
	case PTX_OP_EX2: return fabsf(x[1] - x[0]) <= 0x1p-22f * x[0];
	case PTX_OP_LG2: return fabsf(x[1] - x[0]) <= 0x1p-22f * fmaxf(1, fabsf(x[0]));
	case PTX_OP_TANH: return fabsf(x[1] - x[0]) <= 0x1p-11f * fabsf(x[0]);
	case PTX_OP_RSQRT: return fabsf(x[1] - x[0]) <= 0x1.1p-22f * fabsf(x[0]);
	default: return false;
	}
}

static void compare(struct world *w, enum ptx_op op, const uint8_t *want, enum ptx_type result, const char *text)
{
	const uint8_t *got = (const uint8_t *)(uintptr_t)w->buffer + OUT;

	for (uint32_t lane = 0; lane < LANES; lane++) {
		uint64_t x = 0, y = 0;

		if (!memcmp(got + lane * OUT_BYTES, want + lane * OUT_BYTES, OUT_BYTES))
			continue;
		const uint32_t at =
		    lane * OUT_BYTES + (memcmp(got + lane * OUT_BYTES, want + lane * OUT_BYTES, 8) ? 0 : 8);

		memcpy(&x, want + at, 8);
		memcpy(&y, got + at, 8);
		if (is_flushed(x, y, result))
			continue;
		if (is_near(op, result, x, y))
			continue;
		if (!w->wrong[op]++)
			print_error("lane %u: %016" G_GINT64_MODIFIER "x, not %016" G_GINT64_MODIFIER "x\n%s", lane, y,
				    x, strstr(text, ".reg .b32 %d;") ? strstr(text, ".reg .b32 %d;") : text);
		return;
	}
}

static bool run_words(struct world *w, struct simt_launch *l, const struct ptx_func *entry, enum ptx_op op,
		      struct base_diag_list *diag, const char *text)
{
	const struct dc_exec_params params = {
	    .line_bytes = 64, .clock_khz = 2500000, .progress_rounds = 1 << 20, .arith.cordic_iterations = 26,
	    .savings = DC_SAVE_ALL, .is_bit_exact = w->forms++ % exact_of == 0};
	const struct dc_segments segments = {w->buffer + SHARED, 8192, w->buffer + LOCAL, w->buffer + SPILL};
	struct dc_kernel *k = dc_rig_compile(entry, &dc_options_full, diag);
	static _Alignas(HOST_LINE_BYTES) uint32_t registers[DC_BLOCK_REGISTERS];
	struct dc_warp warps[LANES / 32] = {0};
	struct dc_step out = {0};
	struct dc_program *p;
	struct dc_block *b;
	char *wrong;

	p = k ? dc_program_new(k, &params, SIMT_ISA_PORTABLE, diag) : NULL;
	if (!p) {
		w->refused[op]++;
		if (!w->why[op])
			w->why[op] = g_strdup(diag->first ? diag->first->text : "");
		dc_kernel_free(k);
		return false;
	}
	wrong = dc_validate(k);
	if (wrong)
		fail_msg("%s\n%s", wrong, text);
	assert_true(dc_program_begin(p, l));
	b = dc_block_new(p, 0, registers);
	for (uint32_t n = 0; n < LANES / 32; n++)
		warps[n] = (struct dc_warp){.warp = n, .launched = UINT32_MAX};
	dc_block_begin(b, warps, LANES / 32, &segments);
	while (!out.is_done)
		if (!dc_block_step(p, b, l, 0, &out))
			fail_msg("%s\n%s", l->fault.text, text);
	dc_block_free(b);
	dc_program_free(p);
	dc_kernel_free(k);
	return true;
}

static void run_text(struct world *w, enum ptx_op op, const char *text, enum ptx_type result)
{
	struct base_diag_list diag;
	struct ptx_module *ptx;
	struct simt_module *module;
	struct simt_program *program;
	uint8_t *memory = (uint8_t *)(uintptr_t)w->buffer;
	g_autofree uint8_t *want = NULL;
	uint8_t params[8];
	uint64_t warps = 0, threads = 0;

	base_diag_init(&diag);
	ptx = ptx_module_parse("form.ptx", text, strlen(text), &diag);
	module = ptx ? simt_module_load(ptx, w->mem, &diag) : NULL;
	program = module ? simt_program_build(module, "k", SIMT_ISA_PORTABLE, NULL, &diag) : NULL;
	if (program) {
		struct simt_launch l = {.program = program,
					.mem = w->mem,
					.grid = {1, 1, 1},
					.block = {LANES, 1, 1},
					.params = params,
					.sm_count = 1};

		memcpy(params, &w->buffer, 8);
		memcpy(memory, w->before, sizeof(w->before));
		assert_true(simt_launch_begin(&l, 64, &diag));
		if (!simt_run_functional(&l, &warps, &threads, NULL))
			fail_msg("%s\n%s", l.fault.text, text);
		simt_launch_end(&l);
		want = g_memdup2(memory + OUT, LANES * OUT_BYTES);
		memcpy(memory, w->before, sizeof(w->before));
		if (run_words(w, &l, ptx_module_func(ptx, "k"), op, &diag, text)) {
			compare(w, op, want, result, text);
			w->ran[op]++;
		}
	} /* else PTX has no such form */
	simt_program_free(program);
	simt_module_unload(module);
	ptx_module_free(ptx);
	base_diag_free(&diag);
}

static void run_form(struct world *w, const struct form *f, const char *shape)
{
	enum ptx_type types[OPERANDS] = {0};
	uint32_t count;
	g_autofree char *text = write_form(f, shape, types, &count);

	memset(w->before, 0xa5, sizeof(w->before));
	for (uint32_t lane = 0; lane < LANES; lane++)
		for (uint32_t k = 0; k < count; k++) {
			const uint64_t v = draw_value(w, types[k]);

			memcpy(w->before + lane * IN_BYTES + 8 * k, &v, 8);
		}
	run_text(w, f->op, text, f->type[0]);
}

/* ---- all of them ---- */

static void run_operands(struct world *w, struct form *f, const char *shape)
{
	const bool takes_amount = strchr(strchr(shape, ':'), 'u') != NULL;

	for (uint32_t n = 0; n < 8; n++) {
		f->has_optional = n & 1;
		f->has_immediate = n >> 1 & 1;
		f->has_second = n >> 2 & 1;
		f->immediate = f->op == PTX_OP_LOP3 ? (uint32_t)draw(w) & 255 : (uint32_t)draw(w) & 31;
		/* What PTX has no sense for: a table that is no immediate, a predicate without its operation, a
		 * secondary operation without its operand. */
		if (f->op == PTX_OP_LOP3 && (!f->has_immediate || f->has_second != (f->mod[PTX_CLASS_BOOLOP] != NULL) ||
					     f->has_optional != f->has_second))
			continue;
		if (f->mod[PTX_CLASS_VSECOND] && strchr(shape, '?') && !f->has_optional)
			continue;
		if ((f->has_optional && !strchr(shape, '?')) || (f->has_immediate && !takes_amount) ||
		    (f->has_second && !strchr(shape, '|')))
			continue;
		run_form(w, f, shape);
	}
}

static void run_optional(struct world *w, struct form *f, const struct ptx_form *form)
{
	run_operands(w, f, form->shape);
	for (uint32_t m = 0; m < ptx_mods_count; m++) {
		const struct ptx_mod_info *mod = &ptx_mods_table[m];

		if (!(form->allowed >> mod->class_id & 1) || f->mod[mod->class_id])
			continue;
		f->mod[mod->class_id] = mod;
		if (mod->class_id == PTX_CLASS_XORSIGN) /* only beside .abs */
			f->mod[PTX_CLASS_ABS] = ptx_mod_find("abs", 3, 1ull << PTX_CLASS_ABS);
		run_operands(w, f, form->shape);
		if (mod->class_id == PTX_CLASS_XORSIGN)
			f->mod[PTX_CLASS_ABS] = NULL;
		f->mod[mod->class_id] = NULL;
	}
}

/* Each rounding, if there are some, then what else it may have. */
static void run_rounded(struct world *w, struct form *f, const struct ptx_form *form)
{
	const bool is_chosen = f->mod[PTX_CLASS_ROUND] != NULL;

	run_optional(w, f, form);
	for (uint32_t m = 0; !is_chosen && form->allowed >> PTX_CLASS_ROUND & 1 && m < ptx_mods_count; m++)
		if (ptx_mods_table[m].class_id == PTX_CLASS_ROUND) {
			f->mod[PTX_CLASS_ROUND] = &ptx_mods_table[m];
			run_optional(w, f, form);
			f->mod[PTX_CLASS_ROUND] = NULL;
		}
}

static void run_needed(struct world *w, struct form *f, const struct ptx_form *form, uint32_t class_id)
{
	while (class_id < PTX_CLASS_COUNT && !(form->needed >> class_id & 1))
		class_id++;
	if (class_id == PTX_CLASS_COUNT) {
		run_rounded(w, f, form);
		return;
	}
	for (uint32_t m = 0; m < ptx_mods_count; m++)
		if (ptx_mods_table[m].class_id == class_id) {
			f->mod[class_id] = &ptx_mods_table[m];
			run_needed(w, f, form, class_id + 1);
			f->mod[class_id] = NULL;
		}
}

static void run_types(struct world *w, struct form *f, const struct ptx_form *form)
{
	if (f->type_count >= form->type_min)
		run_needed(w, f, form, 0);
	for (uint32_t t = 0; t < PTX_TYPE_COUNT && f->type_count < form->type_max; t++)
		if ((form->types >> t & 1) && t != PTX_B128) { /* which is two of .b64 */
			f->type[f->type_count++] = (enum ptx_type)t;
			run_types(w, f, form);
			f->type_count--;
		}
}

static void report(struct world *w)
{
	uint32_t ran = 0, refused = 0, wrong = 0;

	for (uint32_t op = 0; op < PTX_OP_COUNT; op++) {
		if (!w->ran[op] && !w->refused[op])
			continue;
		wrong += w->wrong[op] + w->refused[op];
		print_message("%-12s %5u run, %4u wrong, %4u refused%s%s\n", ptx_op_name((enum ptx_op)op), w->ran[op],
			      w->wrong[op], w->refused[op], w->why[op] ? ": " : "", w->why[op] ? w->why[op] : "");
		ran += w->ran[op];
		refused += w->refused[op];
		g_free(w->why[op]);
	}
	print_message("%u forms run, %u refused\n", ran, refused);
	assert_int_equal(wrong, 0);
}

static void world_open(struct world *w)
{
	*w = (struct world){.random = 7, .mem = simt_memory_new(1ull << 30)};
	w->buffer = simt_memory_alloc(w->mem, BUFFER_BYTES, 1, SIMT_ALLOC_DEVICE);
	assert_true(w->buffer != 0);
}

/* Those whose operands are registers, predicates and immediates. */
static void arithmetic(void **state)
{
	static struct world w;

	(void)state;
	world_open(&w);
	for (uint32_t op = 0; op < PTX_OP_COUNT; op++) {
		struct ptx_form form = ptx_forms[op];
		struct form f = {.op = (enum ptx_op)op};

		if (op == PTX_OP_MOV) {
			form.shape = "1:1"; /* its own parser: also vectors, which test_control has */
			form.allowed = 0;
		}
		if (!form.shape || !strchr("123nwup", form.shape[0]) || strpbrk(form.shape, "mtoA*") ||
		    strchr(form.shape, ':') == NULL)
			continue;
		run_types(&w, &f, &form);
	}
	report(&w);
	simt_memory_free(w.mem);
}

/* ---- memory ---- */

static const char *const spaces[] = {"", ".global", ".shared", ".local"};

/* %own: 64 bytes of the lane in the space; of atomics, which order lanes as they come, too. */
static GString *write_place(const char *space)
{
	GString *s = g_string_new(head);

	if (!strcmp(space, ".shared"))
		g_string_append(s, "\tmov.u64 %own, common;\n\tadd.u64 %own, %own, %off;\n");
	else if (!strcmp(space, ".local"))
		g_string_append(s, "\tmov.u64 %own, own;\n");
	else
		g_string_append(s, "\tadd.u64 %own, %out, 0;\n");
	return s;
}

static void fill_operands(struct world *w, enum ptx_type t)
{
	for (uint32_t at = 0; at < LANES * (IN_BYTES + OUT_BYTES); at += 8) {
		const uint64_t v = draw_value(w, t) | (ptx_type_bytes(t) < 8 ? draw_value(w, t) << 32 : 0);

		memcpy(w->before + at, &v, 8);
	}
}

/* Loads and stores of every type, one and as vectors: there and back. */
static void run_access(struct world *w, enum ptx_type t, const char *space, uint32_t count)
{
	GString *s = write_place(space), *list = g_string_new(count > 1 ? "{" : "");
	const char *const reg = register_type(t);
	g_autofree char *vec = count > 1 ? g_strdup_printf(".v%u", count) : g_strdup("");
	const uint32_t bytes = ptx_type_bytes(t);

	g_string_append_printf(s, "\t.reg .%s %%v<%u>;\n", reg, count);
	for (uint32_t k = 0; k < count; k++)
		g_string_append_printf(list, "%s%%v%u", k ? ", " : "", k);
	g_string_append(list, count > 1 ? "}" : "");
	g_string_append_printf(
	    s, "\tld.global%s.%s %s, [%%in];\n\tst%s%s.%s [%%own+%u], %s;\n\tld%s%s.%s %s, [%%own+%u];\n", vec,
	    ptx_type_name(t), list->str, space, vec, ptx_type_name(t), count * bytes, list->str, space, vec,
	    ptx_type_name(t), list->str, count * bytes);
	for (uint32_t k = 0; k < count; k++)
		g_string_append_printf(s, "\tst.global.%s [%%out+%u], %%v%u;\n", reg, 32 + 8 * k, k);
	g_string_append(s, "\tret;\n}\n");
	fill_operands(w, t);
	run_text(w, PTX_OP_LD, s->str, PTX_B64);
	g_string_free(s, TRUE);
	g_string_free(list, TRUE);
}

static void run_atomic(struct world *w, enum ptx_op op, const struct ptx_mod_info *mod, enum ptx_type t,
		       const char *space)
{
	GString *s = write_place(space);
	const char *const reg = register_type(t), *const name = ptx_type_name(t);

	g_string_append_printf(
	    s, "\t.reg .%s %%v, %%x, %%y;\n\tld.global.%s %%x, [%%in];\n\tld.global.%s %%y, [%%in+8];\n", reg, reg,
	    reg);
	/* A place for two lanes. */
	g_string_append_printf(
	    s, "\tand.b64 %%off, %%off, 64;\n\tsub.u64 %%own, %%own, %%off;\n\tst%s.%s [%%own], %%y;\n", space, reg);
	g_string_append_printf(s, "\t%s%s.%s.%s %s[%%own], %%x%s;\n", ptx_op_name(op), space, mod->text, name,
			       op == PTX_OP_ATOM ? "%v, " : "", mod->value == PTX_ATOM_CAS ? ", %y" : "");
	if (op == PTX_OP_ATOM)
		g_string_append_printf(s, "\tst.global.%s [%%out+8], %%v;\n", reg);
	g_string_append_printf(s, "\tld%s.%s %%y, [%%own];\n\tst.global.%s [%%out+16], %%y;\n\tret;\n}\n", space, reg,
			       reg);
	fill_operands(w, t);
	run_text(w, op, s->str, PTX_B64);
	g_string_free(s, TRUE);
}

static void memory(void **state)
{
	static struct world w;

	(void)state;
	world_open(&w);
	for (uint32_t t = 0; t < PTX_B128; t++) {
		for (uint32_t n = 0; ptx_forms[PTX_OP_LD].types >> t & 1 && n < G_N_ELEMENTS(spaces); n++)
			for (uint32_t count = 1; count <= 4; count *= 2)
				run_access(&w, (enum ptx_type)t, spaces[n], count);
		for (uint32_t m = 0; ptx_forms[PTX_OP_ATOM].types >> t & 1 && m < ptx_mods_count; m++)
			for (uint32_t n = 0; ptx_mods_table[m].class_id == PTX_CLASS_ATOM && n < 3; n++) {
				run_atomic(&w, PTX_OP_ATOM, &ptx_mods_table[m], (enum ptx_type)t, spaces[n]);
				run_atomic(&w, PTX_OP_RED, &ptx_mods_table[m], (enum ptx_type)t, spaces[n]);
			}
	}
	report(&w);
	simt_memory_free(w.mem);
}

/* Sources that are parts of both registers. */
static void parts(void **state)
{
	static const struct {
		enum ptx_op op;
		const char *text;
	} rows[] = {
	    {PTX_OP_ADD, ".reg .pred %p; mov.pred %p, %is_explicit_cluster; mov.u32 %d, %cluster_nctarank;"
			 " @%p mov.u32 %d, 77; mad.lo.u32 %d, %d, 10, %clusterid.x;"
			 " mad.lo.u32 %d, %d, 10, %nclusterid.x; mad.lo.u32 %d, %d, 10, %cluster_nctaid.y;"
			 " add.u32 %d, %d, %cluster_ctarank;"},
	    {PTX_OP_VADD2, "vadd2.u32.u32.u32 %d, %a.h13, %b.h20, %c;"},
	    {PTX_OP_VSUB2, "vsub2.s32.s32.s32.sat %d, %a.h00, %b, %c;"},
	    {PTX_OP_VMAX4, "vmax4.s32.u32.s32 %d, %a.b7610, %b.b0123, %c;"},
	    {PTX_OP_VABSDIFF4, "vabsdiff4.u32.u32.u32.add %d, %a, %b.b3345, %c;"},
	};
	static struct world w;

	(void)state;
	world_open(&w);
	fill_operands(&w, PTX_B32);
	for (uint32_t n = 0; n < G_N_ELEMENTS(rows); n++) {
		g_autofree char *text = g_strconcat(
		    head,
		    "\t.reg .b32 %a, %b, %c, %d;\n\tld.global.b32 %a, [%in];\n\tld.global.b32 %b, [%in+8];\n"
		    "\tld.global.b32 %c, [%in+16];\n\t",
		    rows[n].text, "\n\tst.global.b32 [%out], %d;\n\tret;\n}\n", NULL);

		run_text(&w, rows[n].op, text, PTX_B32);
	}
	report(&w);
	for (uint32_t n = 0; n < G_N_ELEMENTS(rows); n++)
		assert_int_equal(w.ran[rows[n].op], 1);
	simt_memory_free(w.mem);
}

/* ---- what is refused ---- */

/* Before it runs, with the instruction's line and why. */
static void rest_is_refused(void **state)
{
	static const struct {
		const char *body, *why;
	} rows[] = {
	    {"\t.reg .f32 %f<4>;\n\ttex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%base, {%t}];\n", "textures and surfaces"},
	    {"\t.reg .b32 %r;\n\tsuld.b.1d.b32.trap %r, [%base, {%t}];\n", "textures and surfaces"},
	    {"\tcp.async.ca.shared.global [%own], [%in], 4;\n", "asynchronous copies"},
	    {"\tmbarrier.init.shared.b64 [%own], 32;\n", "asynchronous copies"},
	    {"\t.reg .b32 %r<4>;\n\tldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%own];\n", "matrix instructions"},
	    {"\t.reg .b32 %r;\n\tmov.u32 %r, %envreg1;\n", "a barrier of the whole grid"},
	    {"\t.reg .b128 %q<2>;\n\tmov.b128 %q1, %q0;\n", "vector registers"},
	    {"\tbarrier.cluster.arrive;\n\tbarrier.cluster.wait;\n", "a barrier of thread-block clusters"},
	    {"\tmapa.u64 %own, %own, 0;\n", "an instruction without lowering"},
	};

	(void)state;
	for (uint32_t n = 0; n < G_N_ELEMENTS(rows); n++) {
		g_autofree char *text = g_strconcat(head, rows[n].body, "\tret;\n}\n", NULL);
		const struct dc_exec_params params = {.line_bytes = 64, .clock_khz = 1};
		struct base_diag_list diag;
		struct ptx_module *ptx;
		struct dc_kernel *k;

		base_diag_init(&diag);
		ptx = ptx_module_parse("form.ptx", text, strlen(text), &diag);
		if (!ptx)
			fail_msg("%s\n%s", base_diag_join(&diag), text);
		k = dc_rig_compile(ptx_module_func(ptx, "k"), &dc_options_full, &diag);
		if (k && dc_program_new(k, &params, SIMT_ISA_PORTABLE, &diag))
			fail_msg("runs: %s", rows[n].body);
		assert_non_null(strstr(diag.first->text, rows[n].why));
		assert_non_null(strstr(diag.first->text, "form.ptx:1"));
		dc_kernel_free(k);
		ptx_module_free(ptx);
		base_diag_free(&diag);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(arithmetic),
	    cmocka_unit_test(memory),
	    cmocka_unit_test(parts),
	    cmocka_unit_test(rest_is_refused),
	};

	if (argc > 1)
		exact_of = (uint32_t)strtoul(argv[1], NULL, 10);
	CHECK(exact_of > 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
