/* test_words.c - compiled kernels leave the memory that the functional simulator leaves: kernels of the workloads on
 * made-up data, by both compilers, every word checked by the validator. Shows the counters side by side. */
#include <glib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "base/check.h"
#include "dc/compile/compile.h"
#include "interpret.h"

enum { SLICE_BYTES = 64 << 10, ARGS_MAX = 20, ELEMENTS = 1000, MEMORY_BYTES = SLICE_BYTES * ARGS_MAX };

static const char *workload_dir;

struct rig {
	struct base_diag_list diag;
	struct simt_memory *mem;
	struct ptx_module *ptx;
	struct simt_module *module;
	struct simt_program *program;
	uint64_t buffer;
	uint8_t params[512];
	struct simt_launch launch;
	uint32_t random;
};

static uint32_t draw(struct rig *r, uint32_t below)
{
	r->random = r->random * 1664525u + 1013904223u;
	return (r->random >> 8) % below;
}

static void open_text(struct rig *r, const char *text, const char *kernel)
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

/* The same launch by words, from the same memory. */
static void compare(struct rig *r, const char *name, const char *what, const struct dc_options *o,
		    const uint8_t *before, const uint8_t *want, struct interpreted *counts)
{
	struct dc_kernel *k = dc_compile(ptx_module_func(r->ptx, name), o, &r->diag);
	char *text = NULL, *wrong;

	if (!k)
		fail_msg("%s", base_diag_join(&r->diag));
	wrong = dc_validate(k);
	if (wrong)
		fail_msg("%s %s: %s", name, what, wrong);
	memcpy(memory_of(r), before, MEMORY_BYTES);
	if (!interpret(k, r->module, &r->launch, counts, &text))
		fail_msg("%s %s: %s", name, what, text);
	for (uint32_t n = 0; n < MEMORY_BYTES / 4; n++)
		if (((const uint32_t *)(const void *)want)[n] != ((uint32_t *)(uintptr_t)r->buffer)[n])
			fail_msg("%s %s: word %u of slice %u is %08x, not %08x", name, what, n % (SLICE_BYTES / 4),
				 n / (SLICE_BYTES / 4), ((uint32_t *)(uintptr_t)r->buffer)[n],
				 ((const uint32_t *)(const void *)want)[n]);
	dc_kernel_free(k);
}

static void compare_all(struct rig *r, const char *name)
{
	g_autofree uint8_t *before = g_memdup2(memory_of(r), MEMORY_BYTES), *want = NULL;
	struct dc_options full = dc_options_full;
	struct interpreted plain_counts = {0}, full_counts = {0};
	uint64_t warps = 0, threads = 0;

	assert_true(simt_launch_begin(&r->launch, 64, &r->diag));
	if (!simt_run_functional(&r->launch, &warps, &threads, NULL))
		fail_msg("%s: %s\n", r->launch.fault.text, name);
	simt_launch_end(&r->launch);
	want = g_memdup2(memory_of(r), MEMORY_BYTES);
	memcpy(full.block, r->launch.block, sizeof(full.block));
	memcpy(full.grid, r->launch.grid, sizeof(full.grid));
	full.params = r->params;
	compare(r, name, "plain", &dc_options_plain, before, want, &plain_counts);
	compare(r, name, "full", &full, before, want, &full_counts);
	print_message("%-22s cycles %9" G_GUINT64_FORMAT " -> %9" G_GUINT64_FORMAT ", accesses %7" G_GUINT64_FORMAT
		      " -> %7" G_GUINT64_FORMAT ", spills %7" G_GUINT64_FORMAT " -> %7" G_GUINT64_FORMAT "\n",
		      name, plain_counts.cycles, full_counts.cycles, plain_counts.accesses, full_counts.accesses,
		      plain_counts.spills, full_counts.spills);
}

/* f: floats, i: indexes of elements, b: bytes 0 or 1, e: the same at even places, v: the same at odd places and 1 at
 * even ones, c: all the same, o: ascending offsets 4 apart, d: doubles, z: zeros; n: the number given, D: the same as a
 * double. */
struct kernel {
	const char *workload, *name, *args;
	uint32_t grid[3], block[3], numbers[8], shared_bytes;
};

static const struct kernel kernels[] = {
    {"vectoradd", "vector_add", "fffn", {8, 1, 1}, {128, 1, 1}, {ELEMENTS}, 0},
    {"fwt", "fwt_global", "fnn", {8, 1, 1}, {128, 1, 1}, {4, ELEMENTS}, 0},
    {"fwt", "fwt_modulate", "ffnn", {2, 1, 1}, {128, 1, 1}, {0x3f000000, 4000}, 0},
    {"bfs", "bfs_expand", "oiebvcn", {8, 1, 1}, {128, 1, 1}, {ELEMENTS}, 0},
    {"bfs", "bfs_advance", "bbbin", {8, 1, 1}, {128, 1, 1}, {ELEMENTS}, 0},
    {"kmeans", "kmeans_invert", "ffnn", {8, 1, 1}, {128, 1, 1}, {ELEMENTS, 8}, 0},
    {"kmeans", "kmeans_assign", "ffinnn", {8, 1, 1}, {128, 1, 1}, {ELEMENTS, 5, 8}, 0},
    {"kmeans", "kmeans_assign_rows", "ffinnn", {8, 1, 1}, {128, 1, 1}, {ELEMENTS, 5, 8}, 0},
    {"stencil", "stencil_sweep", "nnffnn", {18, 8, 1}, {39, 1, 1}, {0x3e000000, 0x3e800000, 40, 20}, 0},
    {"backprop", "adjust_weights", "ffff", {8, 1, 1}, {16, 16, 1}, {0}, 0},
    {"cfd", "cfd_flux", "fiffn", {8, 1, 1}, {128, 1, 1}, {ELEMENTS}, 0},
    {"cfd", "cfd_advance", "ffffnn", {8, 1, 1}, {128, 1, 1}, {0x3d000000, ELEMENTS}, 0},
    {"bicg", "bicg_transposed", "fffnn", {1, 1, 1}, {128, 1, 1}, {100, 100}, 0},
    {"scalarprod", "scalar_prod", "fffnn", {2, 1, 1}, {256, 1, 1}, {2, 1024}, 0},
    {"minife", "minife_matvec", "diddn", {2, 1, 1}, {128, 1, 1}, {256}, 0},
    {"minife", "minife_waxpby", "DdDddn", {8, 1, 1}, {128, 1, 1}, {2, 3, ELEMENTS}, 0},
    {"minife", "minife_dot", "dddn", {4, 1, 1}, {256, 1, 1}, {2000}, 0},
    {"reduction", "reduce", "ffnn", {2, 1, 1}, {256, 1, 1}, {2000, 4}, 0},
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
		else if (kind == 'z')
			words[k] = 0;
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
	r->launch.shared_dynamic_bytes = k->shared_bytes;
}

static void workloads_compute_the_same(void **state)
{
	(void)state;
	for (uint32_t n = 0; n < G_N_ELEMENTS(kernels); n++) {
		const struct kernel *k = &kernels[n];
		g_autofree char *path = g_strdup_printf("%s/%s/%s.ptx", workload_dir, k->workload, k->workload);
		g_autofree char *text = NULL;
		struct rig r;

		assert_true(g_file_get_contents(path, &text, NULL, NULL));
		open_text(&r, text, k->name);
		set_args(&r, k);
		compare_all(&r, k->name);
		close_rig(&r);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(workloads_compute_the_same),
	};

	CHECK(argc == 2);
	workload_dir = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
