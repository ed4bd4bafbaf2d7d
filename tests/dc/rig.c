/* rig.c - see rig.h. */
#include "rig.h"

#include <glib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

uint32_t dc_rig_draw(struct dc_rig *r, uint32_t below)
{
	r->random = r->random * 1664525u + 1013904223u;
	return (r->random >> 8) % below;
}

void dc_rig_open(struct dc_rig *r, const char *text, const char *kernel)
{
	memset(r, 0, sizeof(*r));
	base_diag_init(&r->diag);
	r->random = 1;
	r->mem = simt_memory_new(1ull << 32);
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

void dc_rig_close(struct dc_rig *r)
{
	simt_program_free(r->program);
	simt_module_unload(r->module);
	ptx_module_free(r->ptx);
	simt_memory_free(r->mem);
	base_diag_free(&r->diag);
}

uint8_t *dc_rig_memory(const struct dc_rig *r)
{
	return (uint8_t *)(uintptr_t)r->buffer;
}

const struct dc_case dc_cases[] = {
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

const uint32_t dc_case_count = G_N_ELEMENTS(dc_cases);

static void fill_slice(struct dc_rig *r, uint32_t slice, char kind)
{
	uint32_t *words = (uint32_t *)(uintptr_t)(r->buffer + slice * SLICE_BYTES);

	for (uint32_t k = 0; k < SLICE_BYTES / 4; k++) {
		const float f = 0.5f + (float)dc_rig_draw(r, 1000) / 1000;
		const double d = f;

		if (kind == 'f')
			memcpy(&words[k], &f, 4);
		else if (kind == 'd')
			memcpy(&words[k], (const uint32_t *)(const void *)&d + k % 2, 4);
		else if (kind == 'i')
			words[k] = dc_rig_draw(r, ELEMENTS);
		else if (kind == 'b')
			words[k] = dc_rig_draw(r, 2) | dc_rig_draw(r, 2) << 8 | dc_rig_draw(r, 2) << 16 |
				   dc_rig_draw(r, 2) << 24;
		else if (kind == 'e')
			words[k] = dc_rig_draw(r, 2) | dc_rig_draw(r, 2) << 16;
		else if (kind == 'v')
			words[k] = 0x00010001 | dc_rig_draw(r, 2) << 8 | dc_rig_draw(r, 2) << 24;
		else if (kind == 'c')
			words[k] = 7;
		else if (kind == 'z')
			words[k] = 0;
		else
			words[k] = k * 4;
	}
}

void dc_rig_args(struct dc_rig *r, const struct dc_case *k)
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

void dc_rig_case(struct dc_rig *r, const char *workload_dir, const struct dc_case *c)
{
	g_autofree char *path = g_strdup_printf("%s/%s/%s.ptx", workload_dir, c->workload, c->workload);
	g_autofree char *text = NULL;

	assert_true(g_file_get_contents(path, &text, NULL, NULL));
	dc_rig_open(r, text, c->name);
	dc_rig_args(r, c);
}

uint8_t *dc_rig_wanted(struct dc_rig *r, const char *name)
{
	g_autofree uint8_t *before = g_memdup2(dc_rig_memory(r), MEMORY_BYTES);
	uint64_t warps = 0, threads = 0;
	uint8_t *want;

	assert_true(simt_launch_begin(&r->launch, 64, &r->diag));
	if (!simt_run_functional(&r->launch, &warps, &threads, NULL))
		fail_msg("%s: %s\n", r->launch.fault.text, name);
	simt_launch_end(&r->launch);
	want = g_memdup2(dc_rig_memory(r), MEMORY_BYTES);
	memcpy(dc_rig_memory(r), before, MEMORY_BYTES);
	return want;
}

struct watching {
	const struct ptx_func *entry;
	const struct dc_watch *other; /* the test's own, or NULL */
};

static void behind(void *self, const char *pass, const struct dc_kernel *k)
{
	const struct watching *w = self;

	if (w->other && w->other->after)
		w->other->after(w->other->self, pass, k);
}

static void mistaken(void *self, const char *pass, const char *what)
{
	const struct watching *w = self;

	fail_msg("%s: a mistake of pass %s: %s", w->entry->name, pass, what);
}

struct dc_kernel *dc_rig_compile(const struct ptx_func *entry, const struct dc_options *o, struct base_diag_list *diag)
{
	struct watching w = {entry, o->watch};
	const struct dc_watch watch = {&w, behind, mistaken};
	struct dc_options checked = *o;

	checked.audit = true;
	checked.watch = &watch;
	return dc_compile(entry, &checked, diag);
}
