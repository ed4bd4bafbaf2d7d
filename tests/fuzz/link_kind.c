/* link_kind.c - PTX objects, a NUL between them, through the linker and the printer.
 *
 * Besides crashes it finds linked modules that break an invariant, and those whose printed form does not parse.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "ptx/link.h"
#include "ptx/print.h"
#include "../ptx/validate.h"
#include "mutants.h"

enum { OBJECTS_MAX = 4 };

static bool is_builtin(const char *name)
{
	return !strcmp(name, "vprintf");
}

static void check_linked(const struct ptx_module *m)
{
	char what[256], *text = NULL;
	size_t size_bytes = 0;
	struct base_diag_list diag;
	FILE *out = open_memstream(&text, &size_bytes);

	CHECK(out);
	if (!ptx_validate(m, what, sizeof(what)))
		base_bug_at(__FILE__, __LINE__, what);
	ptx_print_module(out, m);
	fclose(out);
	base_diag_init(&diag);
	struct ptx_module *again = ptx_module_parse("printed", text, size_bytes, &diag);
	if (!again)
		base_bug_at(__FILE__, __LINE__, diag.first ? diag.first->text : "no message");
	CHECK(again->var_count == m->var_count && again->func_count == m->func_count);
	ptx_module_free(again);
	base_diag_free(&diag);
	free(text);
}

static bool link_objects(struct ptx_module **objects, uint32_t count)
{
	struct base_diag_list diag;

	base_diag_init(&diag);

	struct ptx_module *m = ptx_link("linked", objects, count, is_builtin, &diag);
	const bool is_linked = m != NULL;

	CHECK(!m == !!diag.error_count);
	if (m)
		check_linked(m);
	ptx_module_free(m);
	base_diag_free(&diag);
	return is_linked;
}

static bool read_objects(const char *text, size_t bytes)
{
	struct ptx_module *objects[OBJECTS_MAX];
	uint32_t count = 0;
	struct base_diag_list diag;

	base_diag_init(&diag);
	for (size_t at = 0, end; at < bytes && count < OBJECTS_MAX; at = end + 1) {
		const char *nul = memchr(text + at, 0, bytes - at);

		end = nul ? (size_t)(nul - text) : bytes;
		objects[count] = ptx_module_parse("object", text + at, end - at, &diag);
		count += objects[count] != NULL;
	}
	base_diag_free(&diag);
	return count && link_objects(objects, count);
}

const struct mutants_kind mutants_kind = {.name = "link", .part_count = 3, .read = read_objects};
