/* mistake.c - what a program may not do: said at its line; and the lines of memory that are there. */
#include "csp/priv.h"

#include <glib.h>
#include <stdarg.h>
#include <string.h>

void csp_mistake(struct csp_core *c, const struct csp_instr *x, const char *fmt, ...)
{
	struct csp_machine *m = c->machine;
	g_autofree char *what = NULL;
	va_list args;

	if (m->mistake)
		return;
	va_start(args, fmt);
	what = g_strdup_vprintf(fmt, args);
	va_end(args);

	const bool is_included = strcmp(x->file, m->program->path) != 0;

	m->mistake = g_strdup_printf("core %u, '%s' of line %u%s%s: %s", c->number, csp_op_name(x->op), x->line,
				     is_included ? " of " : "", is_included ? x->file : "", what);
	sim_stop(m->ctx->engine);
}

struct base_place csp_directive_place(const struct csp_directive *d)
{
	return (struct base_place){.file = d->file, .line = d->line, .col = 1};
}

bool csp_directive_lines(const struct csp_machine *m, const struct csp_directive *d, int64_t first, int64_t count,
			 struct base_diag_list *diag)
{
	for (uint32_t i = d->first_core; i <= d->last_core; i++)
		if ((uint64_t)first + (uint64_t)count > m->cores[i].line_count) {
			base_diag_error(diag, csp_directive_place(d),
					".%s: lines %lld to %lld: core %u has %llu", csp_directive_name(d->kind),
					(long long)first, (long long)(first + count - 1), i,
					(unsigned long long)m->cores[i].line_count);
			return false;
		}
	return true;
}

float *csp_machine_line(struct csp_machine *m, uint32_t core, uint64_t line)
{
	CHECK(core < m->core_count && line < m->cores[core].line_count);
	return m->cores[core].lines + line * 2 * m->cores[core].m;
}
