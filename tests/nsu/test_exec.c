/* test_exec.c - partitioned execution gives the memory that normal execution gives: kernels of the workloads on made-up
 * data, and random kernels. The registers of the NSU that nothing was sent to hold poison.
 */
#include <glib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "base/check.h"
#include "partitioned.h"

enum { SLICE_BYTES = 64 << 10, ARGS_MAX = 8, ELEMENTS = 1000, MEMORY_BYTES = SLICE_BYTES * ARGS_MAX };

static const char *workload_dir;

struct rig {
	struct base_diag_list diag;
	struct simt_memory *mem;
	struct ptx_module *ptx;
	struct simt_module *module;
	struct simt_program *program;
	struct nsu_program *nsu;
	uint64_t buffer;
	uint8_t params[256];
	struct simt_launch launch;
	uint32_t random;
};

static uint32_t draw(struct rig *r, uint32_t below)
{
	r->random = r->random * 1664525u + 1013904223u;
	return (r->random >> 8) % below;
}

/* Few of everything, so that blocks are refused and cut. */
static const struct nsu_code_params tight = {.register_count = 6,
					     .pred_count = 1,
					     .access_count_max = 5,
					     .length_max = 30,
					     .load_entries_max = 4,
					     .store_entries_max = 3,
					     .predicate_bits = 1,
					     .inst_bytes = 8};

static void open_text(struct rig *r, const char *text, const char *kernel, const struct nsu_code_params *p)
{
	memset(r, 0, sizeof(*r));
	base_diag_init(&r->diag);
	r->random = 1;
	r->mem = simt_memory_new(1ull << 30);
	r->ptx = ptx_module_parse("test.ptx", text, strlen(text), &r->diag);
	if (r->ptx)
		r->module = simt_module_load(r->ptx, r->mem, &r->diag);
	if (r->module)
		r->program = simt_program_build(r->module, kernel, simt_isa_choose(NULL), NULL, &r->diag);
	if (!r->program)
		fail_msg("%s\n%s", base_diag_join(&r->diag), text);
	r->nsu = nsu_program_build(r->program, p);
	r->buffer = simt_memory_alloc(r->mem, MEMORY_BYTES, 1, SIMT_ALLOC_DEVICE);
	assert_true(r->buffer != 0);
	r->launch = (struct simt_launch){.program = r->program,
					 .mem = r->mem,
					 .grid = {1, 1, 1},
					 .block = {1, 1, 1},
					 .params = r->params,
					 .sm_count = 1};
}

static void close_rig(struct rig *r)
{
	nsu_program_free(r->nsu);
	simt_program_free(r->program);
	simt_module_unload(r->module);
	ptx_module_free(r->ptx);
	simt_memory_free(r->mem);
	base_diag_free(&r->diag);
}

static uint8_t *memory_of(const struct rig *r)
{
	return (uint8_t *)(uintptr_t)r->buffer;
}

/* Runs normally, then partitioned from the same memory; the results must agree. Returns the offloaded instances. */
static uint64_t compare(struct rig *r, uint32_t percent, uint32_t seed, const char *what)
{
	g_autofree uint8_t *before = g_memdup2(memory_of(r), MEMORY_BYTES);
	struct partitioned p = {.program = r->nsu, .percent = percent, .seed = seed};
	uint64_t warps = 0, threads = 0;

	assert_true(simt_launch_begin(&r->launch, 64, &r->diag));
	if (!simt_run_functional(&r->launch, &warps, &threads, NULL))
		fail_msg("%s: %s\n", r->launch.fault.text, what);
	simt_launch_end(&r->launch);
	g_autofree uint8_t *want = g_memdup2(memory_of(r), MEMORY_BYTES);

	memcpy(memory_of(r), before, MEMORY_BYTES);
	assert_true(simt_launch_begin(&r->launch, 64, &r->diag));
	if (!partitioned_run(&p, &r->launch))
		fail_msg("%s: %s", r->launch.fault.text, what);
	simt_launch_end(&r->launch);
	for (uint32_t k = 0; k < MEMORY_BYTES / 4; k++)
		if (((uint32_t *)(void *)want)[k] != ((uint32_t *)(uintptr_t)r->buffer)[k])
			fail_msg("%s: word %u of slice %u is %08x partitioned, %08x else", what, k % (SLICE_BYTES / 4),
				 k / (SLICE_BYTES / 4), ((uint32_t *)(uintptr_t)r->buffer)[k],
				 ((uint32_t *)(void *)want)[k]);
	memcpy(memory_of(r), before, MEMORY_BYTES);
	return p.instance_count;
}

/* ---- kernels of the workloads ---- */

/* f: floats, i: indexes of elements, b: bytes 0 or 1, e: the same at even places, v: the same at odd places and 1 at
 * even ones, c: all the same, o: ascending offsets 4 apart, d: doubles; n: the number given, D: the same as a double.
 */
struct kernel {
	const char *workload, *name, *args;
	uint32_t grid[3], block[3], numbers[5];
	bool has_blocks;
};

static const struct kernel kernels[] = {
    {"vectoradd", "vector_add", "fffn", {8, 1, 1}, {128, 1, 1}, {ELEMENTS}, true},
    {"fwt", "fwt_global", "fnn", {8, 1, 1}, {128, 1, 1}, {4, ELEMENTS}, true},
    {"fwt", "fwt_modulate", "ffnn", {2, 1, 1}, {128, 1, 1}, {0x3f000000, 4000}, true},
    {"bfs", "bfs_expand", "oiebvcn", {8, 1, 1}, {128, 1, 1}, {ELEMENTS}, true},
    {"bfs", "bfs_advance", "bbbin", {8, 1, 1}, {128, 1, 1}, {ELEMENTS}, true},
    {"kmeans", "kmeans_invert", "ffnn", {8, 1, 1}, {128, 1, 1}, {ELEMENTS, 8}, true},
    {"kmeans", "kmeans_assign", "ffinnn", {8, 1, 1}, {128, 1, 1}, {ELEMENTS, 5, 8}, true},
    {"kmeans", "kmeans_assign_rows", "ffinnn", {8, 1, 1}, {128, 1, 1}, {ELEMENTS, 5, 8}, true},
    {"stencil", "stencil_sweep", "nnffnn", {18, 8, 1}, {39, 1, 1}, {0x3e000000, 0x3e800000, 40, 20}, true},
    {"backprop", "adjust_weights", "ffff", {8, 1, 1}, {16, 16, 1}, {0}, true},
    {"cfd", "cfd_flux", "fiffn", {8, 1, 1}, {128, 1, 1}, {ELEMENTS}, true},
    {"cfd", "cfd_advance", "ffffnn", {8, 1, 1}, {128, 1, 1}, {0x3d000000, ELEMENTS}, true},
    {"bicg", "bicg_transposed", "fffnn", {1, 1, 1}, {128, 1, 1}, {100, 100}, true},
    {"scalarprod", "scalar_prod", "fffnn", {2, 1, 1}, {256, 1, 1}, {2, 1024}, true},
    {"minife", "minife_matvec", "diddn", {2, 1, 1}, {128, 1, 1}, {256}, true},
    {"minife", "minife_waxpby", "DdDddn", {8, 1, 1}, {128, 1, 1}, {2, 3, ELEMENTS}, true},
    {"minife", "minife_dot", "dddn", {4, 1, 1}, {256, 1, 1}, {2000}, true},
    {"reduction", "reduce", "ffnn", {2, 1, 1}, {256, 1, 1}, {2000, 4}, false},
};

static void fill_slice(struct rig *r, uint32_t slice, char kind)
{
	uint32_t *words = (uint32_t *)(uintptr_t)(r->buffer + slice * SLICE_BYTES);

	for (uint32_t k = 0; k < SLICE_BYTES / 4; k++) {
		const float f = 0.5f + (float)draw(r, 1000) / 1000;
		const double d = f;

		if (kind == 'f')
			memcpy(&words[k], &f, 4);
		else if (kind == 'd')
			memcpy(&words[k], (const uint32_t *)(const void *)&d + k % 2, 4);
		else if (kind == 'i')
			words[k] = draw(r, ELEMENTS);
		else if (kind == 'b')
			words[k] = draw(r, 2) | draw(r, 2) << 8 | draw(r, 2) << 16 | draw(r, 2) << 24;
		else if (kind == 'e')
			words[k] = draw(r, 2) | draw(r, 2) << 16;
		else if (kind == 'v')
			words[k] = 0x00010001 | draw(r, 2) << 8 | draw(r, 2) << 24;
		else if (kind == 'c')
			words[k] = 7;
		else
			words[k] = k * 4;
	}
}

static void set_args(struct rig *r, const struct kernel *k)
{
	uint32_t number = 0;

	for (uint32_t a = 0; k->args[a]; a++) {
		uint8_t *to = r->params + r->program->entry->params[a].offset_bytes;
		const uint64_t at = r->buffer + a * SLICE_BYTES;

		assert_true(a < ARGS_MAX);
		if (k->args[a] == 'n' || k->args[a] == 'D') {
			const double value = k->numbers[number];

			memcpy(to, k->args[a] == 'n' ? (const void *)&k->numbers[number] : &value,
			       k->args[a] == 'n' ? 4 : 8);
			number++;
			continue;
		}
		memcpy(to, &at, 8);
		fill_slice(r, a, k->args[a]);
	}
	memcpy(r->launch.grid, k->grid, sizeof(k->grid));
	memcpy(r->launch.block, k->block, sizeof(k->block));
}

/* Every argument has a slice of its own, as if they were allocations. */
static void workloads_compute_the_same(void **state)
{
	struct nsu_code_params params = nsu_code_default;

	(void)state;
	for (uint32_t n = 0; n < 2 * ARRAY_COUNT(kernels); n++) {
		const uint32_t k = n / 2;

		g_autofree char *path =
		    g_strdup_printf("%s/%s/%s.ptx", workload_dir, kernels[k].workload, kernels[k].workload);
		g_autofree char *text = NULL;
		struct rig r;

		assert_true(g_file_get_contents(path, &text, NULL, NULL));
		params.params_are_apart = n % 2;
		open_text(&r, text, kernels[k].name, &params);
		set_args(&r, &kernels[k]);
		const uint64_t all = compare(&r, 100, 1, kernels[k].name);
		const uint64_t some = compare(&r, 50, 2, kernels[k].name);

		assert_int_equal(all > 0, kernels[k].has_blocks);
		assert_int_equal(some > 0 && some < all, kernels[k].has_blocks);
		close_rig(&r);
	}
}

/* ---- random kernels ---- */

/* A thread has 64 words to read at %in and as many to read and write at %out, which wanders. */
enum { IN_WORDS = 64, OUT_WORDS = 64, THREADS = 96, LENGTH = 70 };

static const char *guard_of(struct rig *r)
{
	static const char *const guards[] = {"@%p0 ", "@!%p1 ", "@%p2 ", "@!%p3 "};

	return draw(r, 5) ? "" : guards[draw(r, 4)];
}

static void add_load(struct rig *r, GString *s)
{
	const char *g = guard_of(r), *base = draw(r, 4) ? "%in" : "%out";
	const uint32_t at = draw(r, IN_WORDS);

	switch (draw(r, 8)) {
	case 0:
		g_string_append_printf(s, "%sld.global.u8 %%r%u, [%s+%u];\n", g, draw(r, 6), base, at);
		break;
	case 1:
		g_string_append_printf(s, "%sld.global.s16 %%r%u, [%s+%u];\n", g, draw(r, 6), base, at * 2);
		break;
	case 2:
		g_string_append_printf(s, "%sld.global.u64 %%d%u, [%s+%u];\n", g, draw(r, 4), base, at / 2 * 8);
		break;
	case 3:
		g_string_append_printf(s, "%sld.global.v2.f32 {%%f%u, %%f%u}, [%s+%u];\n", g, draw(r, 3),
				       3 + draw(r, 3), base, at / 2 * 8);
		break;
	case 4: /* at an address that may derive from a loaded value */
		g_string_append_printf(s, "and.b32 %%t, %%r%u, 63;\nmul.wide.u32 %%u, %%t, 4;\n", draw(r, 6));
		g_string_append_printf(s, "add.s64 %%u, %%in, %%u;\n%sld.global.u32 %%r%u, [%%u];\n", g, draw(r, 6));
		break;
	case 5:
		g_string_append_printf(s, "%sld.global.u32 %%r%u, [%s+%u];\n", g, draw(r, 6), base, at * 4);
		break;
	default:
		g_string_append_printf(s, "%sld.global.f32 %%f%u, [%s+%u];\n", g, draw(r, 6), base, at * 4);
	}
}

static void add_store(struct rig *r, GString *s)
{
	const char *g = guard_of(r);
	const uint32_t at = draw(r, OUT_WORDS);

	switch (draw(r, 6)) {
	case 0:
		g_string_append_printf(s, "%sst.global.u8 [%%out+%u], %%r%u;\n", g, at, draw(r, 6));
		break;
	case 1:
		g_string_append_printf(s, "%sst.global.u64 [%%out+%u], %%d%u;\n", g, at / 2 * 8, draw(r, 4));
		break;
	case 2:
		g_string_append_printf(s, "%sst.global.v2.f32 [%%out+%u], {%%f%u, %%f%u};\n", g, at / 2 * 8, draw(r, 6),
				       draw(r, 6));
		break;
	case 3:
		g_string_append_printf(s, "%sst.global.u32 [%%out+%u], %u;\n", g, at * 4, draw(r, 100));
		break;
	default:
		g_string_append_printf(s, "%sst.global.f32 [%%out+%u], %%f%u;\n", g, at * 4, draw(r, 6));
	}
}

/* Arithmetic with letters where a register of a kind goes: R, H, F, D, P. */
static const char *const forms[] = {
    "add.f32 F, F, F;",
    "mul.f32 F, F, F;",
    "sub.f32 F, F, F;",
    "fma.rn.f32 F, F, F, %f0;",
    "fma.rn.f32 F, F, F, F;",
    "add.s32 R, R, R;",
    "xor.b32 R, R, R;",
    "mad.lo.s32 R, R, R, 77;",
    "setp.lt.s32 P, R, R;",
    "setp.gt.f32 P, F, F;",
    "setp.eq.u32 %p0|%p3, R, R;",
    "setp.ge.and.s32 P, R, R, P;",
    "selp.f32 F, F, F, P;",
    "selp.b64 D, D, D, P;",
    "add.s64 D, D, D;",
    "cvt.u32.u64 R, D;",
    "mul.wide.u32 D, R, R;",
    "mul.lo.s64 D, D, D;",
    "mov.b64 {%r1, %r4}, D;",
    "mov.b64 D, {R, R};",
    "mov.b32 {%h0, %h2}, R;",
    "ld.param.u32 R, [number];",
    "mov.u32 R, %tid.x;",
    "and.pred P, P, P;",
    "not.pred P, P;",
    "xor.pred P, P, P;",
    "lop3.b32 R, R, R, R, 0xe8;",
    "shf.l.wrap.b32 R, R, R, R;",
    "prmt.b32 R, R, R, R;",
    "bfe.u32 R, R, R, R;",
    "bfi.b32 R, R, R, R, R;",
    "popc.b64 R, D;",
    "clz.b32 R, R;",
    "brev.b32 R, R;",
    "bfind.s32 R, R;",
    "sad.u32 R, R, R, R;",
    "mul.hi.s32 R, R, R;",
    "min.s32 R, R, R;",
    "max.u64 D, D, D;",
    "abs.s32 R, R;",
    "neg.f32 F, F;",
    "shl.b64 D, D, R;",
    "shr.s32 R, R, R;",
    "div.s32 R, R, R;",
    "rem.u32 R, R, 13;",
    "cvt.rn.f32.s32 F, R;",
    "cvt.rzi.s32.f32 R, F;",
    "cvt.f64.f32 D, F;",
    "cvt.rn.f32.f64 F, D;",
    "cvt.u16.u32 H, R;",
    "cvt.s32.s16 R, H;",
    "add.u16 H, H, H;",
    "cvt.rn.f16.f32 H, F;",
    "cvt.f32.f16 F, H;",
    "add.f64 D, D, D;",
    "fma.rn.f64 D, D, D, D;",
    "sqrt.rn.f32 F, F;",
    "rcp.approx.f32 F, F;",
    "ex2.approx.f32 F, F;",
    "div.rn.f32 F, F, F;",
    "set.lt.u32.f32 R, F, F;",
    "slct.s32.f32 R, R, R, F;",
    "testp.finite.f32 P, F;",
    "copysign.f32 F, F, F;",
    "dp4a.s32.s32 R, R, R, R;",
    "cnot.b32 R, R;",
    "vadd.s32.u32.s32 R, R.b1, R.h0;",
    "cvt.sat.u8.s32 R, R;",
    "mov.f32 F, F;",
    "mov.b64 D, D;",
    "vadd4.u32.u32.u32 R, R, R, R;",
};

static void add_arithmetic(struct rig *r, GString *s)
{
	static const char kinds[] = "RHFDP", names[] = "rhfdp";
	static const uint32_t counts[] = {6, 4, 6, 4, 4};

	g_string_append(s, guard_of(r));
	for (const char *c = forms[draw(r, ARRAY_COUNT(forms))]; *c; c++) {
		const char *kind = strchr(kinds, *c);

		if (kind)
			g_string_append_printf(s, "%%%c%u", names[kind - kinds], draw(r, counts[kind - kinds]));
		else
			g_string_append_c(s, *c);
	}
	g_string_append_c(s, '\n');
}

static void add_branch(struct rig *r, GString *s, uint32_t label)
{
	g_string_append_printf(s, "@%%p%u bra L%u;\nadd.s32 %%r0, %%r0, 5;\nL%u:\n", draw(r, 4), label, label);
}

static char *random_kernel(struct rig *r)
{
	GString *s = g_string_new(
	    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out,\n"
	    ".param .u32 number)\n{\n.reg .pred %p<4>; .reg .b32 %r<6>, %t; .reg .b16 %h<4>; .reg .f32 %f<6>;\n"
	    ".reg .b64 %d<4>, %u;\n"
	    ".reg .b64 %in, %out;\nmov.u32 %t, %tid.x;\nmul.wide.u32 %u, %t, 512;\nld.param.u64 %in, [in];\n"
	    "add.s64 %in, %in, %u;\nld.param.u64 %out, [out];\nadd.s64 %out, %out, %u;\n");

	for (uint32_t k = 0; k < 6; k++)
		g_string_append_printf(s, "mad.lo.u32 %%r%u, %%t, %u, %u;\ncvt.rn.f32.u32 %%f%u, %%r%u;\n", k, k + 3, k,
				       k, k);
	for (uint32_t k = 0; k < 4; k++)
		g_string_append_printf(s,
				       "mul.wide.u32 %%d%u, %%r%u, 12345;\nsetp.gt.u32 %%p%u, %%r%u, %u;\n"
				       "cvt.u16.u32 %%h%u, %%r%u;\n",
				       k, k, k, k, 100 * (k + 1), k, k);
	for (uint32_t k = 0; k < LENGTH; k++) {
		const uint32_t kind = draw(r, 40);

		if (kind < 10)
			add_load(r, s);
		else if (kind < 18)
			add_store(r, s);
		else if (kind == 18)
			g_string_append(s, "membar.gl;\n");
		else if (kind == 20)
			g_string_append(s, "add.s64 %out, %out, 8;\n");
		else if (kind == 19)
			add_branch(r, s, k);
		else
			add_arithmetic(r, s);
	}
	for (uint32_t k = 0; k < 6; k++)
		g_string_append_printf(s, "st.global.f32 [%%out+%u], %%f%u;\nst.global.u32 [%%out+%u], %%r%u;\n", k * 4,
				       k, (6 + k) * 4, k);
	for (uint32_t k = 0; k < 4; k++)
		g_string_append_printf(s,
				       "st.global.u64 [%%out+%u], %%d%u;\nselp.u32 %%t, 1, 0, %%p%u;\n"
				       "st.global.u32 [%%out+%u], %%t;\nst.global.u16 [%%out+%u], %%h%u;\n",
				       64 + k * 8, k, k, 128 + k * 4, 144 + k * 2, k);
	g_string_append(s, "ret;\n}\n");
	return g_string_free(s, FALSE);
}

static void random_kernels_compute_the_same(void **state)
{
	uint64_t instances = 0;

	(void)state;
	for (uint32_t seed = 1; seed <= 150; seed++) {
		struct rig maker = {.random = seed};
		g_autofree char *text = random_kernel(&maker);
		struct nsu_code_params params = seed % 3 ? nsu_code_default : tight;
		struct rig r;

		params.params_are_apart = seed % 2;
		open_text(&r, text, "k", &params);
		fill_slice(&r, 0, 'f');
		fill_slice(&r, 1, 'i');
		((uint64_t *)(void *)r.params)[0] = r.buffer;
		((uint64_t *)(void *)r.params)[1] = r.buffer + SLICE_BYTES;
		((uint64_t *)(void *)r.params)[2] = 4711;
		r.launch.block[0] = THREADS - 5;
		instances += compare(&r, 100, seed, text);
		close_rig(&r);
	}
	assert_true(instances > 1000);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(workloads_compute_the_same),
	    cmocka_unit_test(random_kernels_compute_the_same),
	};

	CHECK(argc == 2);
	workload_dir = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
