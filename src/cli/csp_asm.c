/* csp_asm.c - a program for the coprocessor as the assembler understands it. */
#include "cli/csp_asm.h"

#include <glib.h>
#include <stdio.h>

#include "machine/json.h"

static void expr_text(const struct csp_expr *e, GString *out)
{
	for (uint32_t i = 0; i < e->index_count; i++)
		g_string_append_printf(out, "%si%u", i ? "+" : "", e->index[i]);
	if (e->constant || !e->index_count)
		g_string_append_printf(out, e->index_count ? "%+lld" : "%lld", (long long)e->constant);
}

static void operand_text(const struct csp_operand *o, GString *out)
{
	static const char *const files[] = {
	    [CSP_REGISTERS] = "r", [CSP_SCALARS] = "s", [CSP_VECTORS] = "v", [CSP_LINES] = ""};

	if (o->space == CSP_ZERO) {
		g_string_append(out, "zero");
		return;
	}
	g_string_append_printf(out, "%s[", files[o->space]);
	expr_text(&o->base, out);
	if (o->stride.constant != 1 || o->stride.index_count) {
		g_string_append_c(out, ':');
		expr_text(&o->stride, out);
	}
	g_string_append_c(out, ']');
}

static bool has_value(enum csp_op op)
{
	return op != CSP_CORE && op != CSP_END && op != CSP_JUMP && op != CSP_BRANCH && op != CSP_LOAD &&
	       op != CSP_STORE && op != CSP_CFMA && op != CSP_HALT;
}

static bool has_index(enum csp_op op)
{
	return op <= CSP_CORE || (op >= CSP_BRANCH && op <= CSP_BNE);
}

static void instr_print(uint32_t number, const struct csp_instr *x)
{
	GString *s = g_string_new(csp_op_name(x->op));
	const char *comma = " ";

	if (x->is_conjugate || x->is_negative)
		g_string_append_printf(s, ".%s%s", x->is_conjugate ? "c" : "", x->is_negative ? "n" : "");
	if (has_index(x->op)) {
		g_string_append_printf(s, "%si%u", comma, x->index);
		comma = ", ";
	}
	if (x->op >= CSP_MUL && x->op <= CSP_REV)
		g_string_append_printf(s, "%si%u", comma, x->source);
	if (has_value(x->op)) {
		g_string_append(s, comma);
		expr_text(&x->value, s);
		comma = ", ";
	}
	for (uint32_t i = 0; i < x->operand_count; i++) {
		g_string_append(s, comma);
		operand_text(&x->operands[i], s);
		comma = ", ";
	}
	if (x->operand_count && (x->count.constant != 1 || x->count.index_count)) {
		g_string_append(s, " x");
		expr_text(&x->count, s);
	}
	for (uint32_t i = 0; i < x->target_count; i++)
		g_string_append_printf(s, "%s@%u", i || has_index(x->op) ? ", " : " ", x->targets[i]);
	printf("%5u  line %-5u %s\n", number, x->line, s->str);
	g_string_free(s, TRUE);
}

void cli_csp_program_print(const struct csp_program *p)
{
	for (uint32_t i = 0; i < p->instr_count; i++) {
		for (uint32_t c = 0; c < p->core_count; c++)
			if (p->entries[c] == i)
				printf("core %u:\n", c);
		instr_print(i, &p->instrs[i]);
	}
	printf("%u instructions\n", p->instr_count);
}

json_t *cli_csp_program_json(const struct csp_program *p)
{
	json_t *o = json_object(), *entries = json_array();

	put_text(o, "program", p->path);
	put_int(o, "instructions", p->instr_count);
	for (uint32_t i = 0; i < p->core_count; i++)
		json_array_append_new(entries,
				      p->entries[i] == UINT32_MAX ? json_null() : json_integer(p->entries[i]));
	json_object_set_new(o, "entries", entries);
	put_int(o, "data", p->data_count);
	put_int(o, "checks", p->check_count);
	return o;
}
