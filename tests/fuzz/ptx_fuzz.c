/* ptx_fuzz.c - libFuzzer target: any bytes through parser, analyses, checks and printer.
 *
 * Build and run by hand (clang): see docs/ptx.md. Besides crashes it finds modules that break an invariant, and modules
 * whose printed form does not parse.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "ptx/print.h"
#include "../ptx/validate.h"

static void analyse(const struct ptx_func *f, FILE *out)
{
	char what[256];
	struct ptx_cfg *c = ptx_cfg_build(f);
	struct ptx_alloc *a = ptx_alloc_build(c, NULL);

	if (f->inst_count < 300 && !ptx_validate_cfg(c, a, what, sizeof(what)))
		base_bug_at(__FILE__, __LINE__, what);
	if (f->inst_count < 300)
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct base_diag_list diag;

	base_diag_init(&diag);
	struct ptx_module *m = ptx_module_parse("fuzz", (const char *)data, size, &diag);
	if (m)
		check_module(m);
	else
		CHECK(diag.error_count);
	ptx_module_free(m);
	base_diag_free(&diag);
	return 0;
}
