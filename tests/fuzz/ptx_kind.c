/* ptx_kind.c - any bytes through PTX's parser, analyses, checks, printer, and what makes programs of modules.
 *
 * Besides crashes it finds modules that break an invariant, and modules whose printed form does not parse.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "ptx/print.h"
#include "simt/simt.h"
#include "../ptx/validate.h"
#include "mutants.h"

enum { VALIDATED_INSTS = 200, MEMORY_BYTES = 1 << 28 };

static void analyse(const struct ptx_func *f, FILE *out)
{
	char what[256];
	struct ptx_cfg *c = ptx_cfg_build(f);
	struct ptx_alloc *a = ptx_alloc_build(c, NULL);

	/* The slow check is for functions of some hundred instructions. */
	if (f->inst_count < VALIDATED_INSTS && !ptx_validate_cfg(c, a, what, sizeof(what)))
		base_bug_at(__FILE__, __LINE__, what);
	ptx_print_func(out, f, c, a);
	ptx_alloc_free(a);
	ptx_cfg_free(c);
}

static void check_module(const struct ptx_module *m)
{
	char what[256], *text = NULL;
	size_t size_bytes = 0;
	struct base_diag_list diag;
	FILE *out = open_memstream(&text, &size_bytes);

	CHECK(out);
	if (!ptx_validate(m, what, sizeof(what)))
		base_bug_at(__FILE__, __LINE__, what);
	for (uint32_t k = 0; k < m->func_count; k++)
		if (m->funcs[k]->has_body)
			analyse(m->funcs[k], out);
	rewind(out);
	ptx_print_module(out, m);
	fclose(out);
	base_diag_init(&diag);
	struct ptx_module *again = ptx_module_parse("printed", text, size_bytes, &diag);
	if (!again)
		base_bug_at(__FILE__, __LINE__, diag.first ? diag.first->text : "no message");
	ptx_module_free(again);
	base_diag_free(&diag);
	free(text);
}

/* What a launch executes of every kernel. */
static void decode(const struct ptx_module *ptx)
{
	struct simt_memory *mem = simt_memory_new(MEMORY_BYTES);
	struct base_diag_list diag;

	base_diag_init(&diag);

	struct simt_module *m = simt_module_load(ptx, mem, &diag);

	CHECK(!m == !!diag.error_count);
	for (uint32_t f = 0; m && f < ptx->func_count; f++) {
		const uint32_t before = diag.error_count;
		struct simt_program *p;

		if (!ptx->funcs[f]->is_entry || !ptx->funcs[f]->has_body)
			continue;
		p = simt_program_build(m, ptx->funcs[f]->name, SIMT_ISA_PORTABLE, NULL, &diag);
		CHECK(!p == (diag.error_count > before));
		simt_program_free(p);
	}
	if (m)
		simt_module_unload(m);
	base_diag_free(&diag);
	simt_memory_free(mem);
}

static bool read_ptx(const char *text, size_t bytes)
{
	struct base_diag_list diag;

	base_diag_init(&diag);

	struct ptx_module *m = ptx_module_parse("fuzz", text, bytes, &diag);
	const bool is_taken = m != NULL;

	CHECK(!m == !!diag.error_count);
	if (m) {
		check_module(m);
		decode(m);
	}
	ptx_module_free(m);
	base_diag_free(&diag);
	return is_taken;
}

const struct mutants_kind mutants_kind = {.name = "ptx", .part_count = 1, .read = read_ptx};
