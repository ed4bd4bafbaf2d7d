/* fixture.c - files, modules, and equality of modules. */
#include "fixture.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

char *fixture_read(const char *path, size_t *size_bytes)
{
	FILE *f = fopen(path, "rb");
	size_t cap = 1 << 16, n = 0, got;
	char *text = malloc(cap + 1);

	if (!f)
		fail_msg("cannot open %s", path);
	while ((got = fread(text + n, 1, cap - n, f)) > 0) {
		n += got;
		if (n == cap)
			text = realloc(text, (cap *= 2) + 1);
	}
	fclose(f);
	text[n] = 0;
	*size_bytes = n;
	return text;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char **fixture_list(const char *folder, const char *suffix)
{
	DIR *d = opendir(folder);
	char **list = calloc(1, sizeof(*list));
	size_t count = 0;

	if (!d)
		fail_msg("cannot open folder %s", folder);
	for (struct dirent *e; (e = readdir(d));) {
		size_t n = strlen(e->d_name), s = strlen(suffix);

		if (n < s || strcmp(e->d_name + n - s, suffix) != 0)
			continue;
		list = realloc(list, (count + 2) * sizeof(*list));
		if (asprintf(&list[count++], "%s/%s", folder, e->d_name) < 0)
			fail();
		list[count] = NULL;
	}
	closedir(d);
	qsort(list, count, sizeof(*list), compare_names);
	return list;
}

void fixture_list_free(char **list)
{
	for (char **l = list; *l; l++)
		free(*l);
	free(list);
}

struct ptx_module *fixture_parse(const char *name, const char *text, size_t size_bytes)
{
	struct base_diag_list diag;

	base_diag_init(&diag);
	struct ptx_module *m = ptx_module_parse(name, text, size_bytes, &diag);
	if (!m) {
		char *all = base_diag_join(&diag);

		print_error("%s\n", all);
		free(all);
		fail_msg("%s does not parse", name);
	}
	base_diag_free(&diag);
	return m;
}

struct ptx_module *fixture_kernel(const char *body)
{
	char *text;
	int n = asprintf(&text,
			 ".version 7.0\n.target sm_70\n.address_size 64\n.entry k(.param .u64 a, .param .u32 n)\n{\n"
			 ".reg .pred %%p<8>; .reg .b16 %%h<8>; .reg .b32 %%r<16>; .reg .f32 %%f<8>; .reg .b64 %%d<8>;\n"
			 ".reg .f64 %%e<8>;\n%s\n}\n",
			 body);

	assert_true(n > 0);
	struct ptx_module *m = fixture_parse("kernel", text, (size_t)n);
	free(text);
	return m;
}

struct compare {
	char *what;
	size_t size_bytes;
};

static bool differ(struct compare *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(c->what, c->size_bytes, fmt, ap);
	va_end(ap);
	return false;
}

static bool same_name(const char *a, const char *b)
{
	return (!a && !b) || (a && b && strcmp(a, b) == 0);
}

static bool operand_equal(struct compare *c, const struct ptx_operand *a, const struct ptx_operand *b)
{
	if (a->kind != b->kind || a->negate != b->negate || a->is_float_literal != b->is_float_literal ||
	    a->component != b->component || a->sel != b->sel || a->type != b->type || a->elem_count != b->elem_count)
		return differ(c, "operand of kind %u against %u", a->kind, b->kind);
	if (a->reg != b->reg || a->label != b->label || a->sreg != b->sreg || a->offset != b->offset ||
	    a->imm != b->imm)
		return differ(c, "value of an operand of kind %u", a->kind);
	if (!same_name(a->var ? a->var->name : NULL, b->var ? b->var->name : NULL) ||
	    !same_name(a->func ? a->func->name : NULL, b->func ? b->func->name : NULL))
		return differ(c, "symbol of an operand of kind %u", a->kind);
	for (uint32_t k = 0; k < a->elem_count; k++)
		if (!operand_equal(c, &a->elems[k], &b->elems[k]))
			return false;
	return true;
}

static bool loc_equal(const struct ptx_func *f, const struct ptx_inst *a, const struct ptx_func *g,
		      const struct ptx_inst *b)
{
	return memcmp(&f->module->locs[a->loc], &g->module->locs[b->loc], sizeof(struct ptx_loc)) == 0;
}

static bool inst_equal(struct compare *c, const struct ptx_func *f, const struct ptx_inst *a, const struct ptx_func *g,
		       const struct ptx_inst *b)
{
	if (a->op != b->op || a->type != b->type || a->type2 != b->type2 || a->type3 != b->type3)
		return differ(c, "%s against %s", a->text, b->text);
	if (memcmp(&a->mods, &b->mods, sizeof(a->mods)) != 0)
		return differ(c, "modifiers of %s", a->text);
	if (a->has_guard != b->has_guard || a->guard_negate != b->guard_negate || a->guard_reg != b->guard_reg ||
	    a->src_count != b->src_count || !a->prototype != !b->prototype)
		return differ(c, "guard, sources or prototype of %s", a->text);
	if (!loc_equal(f, a, g, b))
		return differ(c, "source line of %s", a->text);
	if (!same_name(a->unsupported, b->unsupported))
		return differ(c, "reason of %s", a->text);
	if (!operand_equal(c, &a->dst, &b->dst) || !operand_equal(c, &a->dst2, &b->dst2))
		return false;
	for (uint32_t k = 0; k < a->src_count; k++)
		if (!operand_equal(c, &a->src[k], &b->src[k]))
			return false;
	return true;
}

static bool var_equal(struct compare *c, const struct ptx_var *a, const struct ptx_var *b)
{
	if (!same_name(a->name, b->name) || a->space != b->space || a->linkage != b->linkage || a->type != b->type ||
	    a->vec != b->vec || a->size_bytes != b->size_bytes || a->align_bytes != b->align_bytes ||
	    a->is_unsized != b->is_unsized || a->is_ptr != b->is_ptr || a->is_managed != b->is_managed ||
	    a->ptr_space != b->ptr_space || a->reloc_count != b->reloc_count)
		return differ(c, "declaration of %s", a->name);
	if (a->space != PTX_PARAM_CALL && a->offset_bytes != b->offset_bytes)
		return differ(c, "place of %s", a->name);
	if (!a->init != !b->init || (a->init && memcmp(a->init, b->init, a->size_bytes) != 0))
		return differ(c, "initial value of %s", a->name);
	for (uint32_t k = 0; k < a->reloc_count; k++) {
		const struct ptx_reloc *x = &a->relocs[k], *y = &b->relocs[k];

		if (x->at_bytes != y->at_bytes || x->addend != y->addend || x->bytes != y->bytes ||
		    x->is_generic != y->is_generic || x->mask_shift != y->mask_shift ||
		    !same_name(x->var ? x->var->name : x->func->name, y->var ? y->var->name : y->func->name))
			return differ(c, "address %u in %s", k, a->name);
	}
	return true;
}

static bool func_equal(struct compare *c, const struct ptx_func *a, const struct ptx_func *b)
{
	if (!same_name(a->name, b->name) || a->is_entry != b->is_entry || a->has_body != b->has_body ||
	    a->linkage != b->linkage || a->param_count != b->param_count || a->ret_count != b->ret_count ||
	    a->reg_count != b->reg_count || a->inst_count != b->inst_count || a->local_count != b->local_count ||
	    a->param_bytes != b->param_bytes || a->frame_local_bytes != b->frame_local_bytes ||
	    a->static_shared_bytes != b->static_shared_bytes ||
	    memcmp(a->maxntid, b->maxntid, sizeof(a->maxntid)) != 0 ||
	    memcmp(a->reqntid, b->reqntid, sizeof(a->reqntid)) != 0 || !a->alias != !b->alias)
		return differ(c, "function %s", a->name);
	for (uint32_t k = 0; k < a->reg_count; k++)
		if (!same_name(a->regs[k].name, b->regs[k].name) || a->regs[k].type != b->regs[k].type ||
		    a->regs[k].vec != b->regs[k].vec)
			return differ(c, "register %s", a->regs[k].name);
	for (uint32_t k = 0; k < a->param_count; k++)
		if (!var_equal(c, &a->params[k], &b->params[k]))
			return false;
	for (uint32_t k = 0; k < a->local_count; k++)
		if (!var_equal(c, a->locals[k], b->locals[k]))
			return false;
	for (uint32_t k = 0; k < a->inst_count; k++)
		if (!inst_equal(c, a, &a->insts[k], b, &b->insts[k]))
			return false;
	return true;
}

bool fixture_equal(const struct ptx_module *a, const struct ptx_module *b, char *what, size_t size_bytes)
{
	struct compare c = {what, size_bytes};

	if (a->version_major != b->version_major || a->version_minor != b->version_minor ||
	    !same_name(a->target, b->target) || a->address_bits != b->address_bits || a->var_count != b->var_count ||
	    a->func_count != b->func_count)
		return differ(&c, "header or counts");
	for (uint32_t k = 0; k < a->var_count; k++)
		if (!var_equal(&c, a->vars[k], b->vars[k]))
			return false;
	for (uint32_t k = 0; k < a->func_count; k++)
		if (!func_equal(&c, a->funcs[k], b->funcs[k]))
			return false;
	return true;
}
