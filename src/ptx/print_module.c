/* print_module.c - declarations, initial values and whole modules as PTX. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "ptx/print.h"
#include "ptx/tables.h"

static const char *linkage_text(enum ptx_linkage l)
{
	static const char *const texts[] = {[PTX_LINK_LOCAL] = "",
					    [PTX_LINK_VISIBLE] = ".visible ",
					    [PTX_LINK_EXTERN] = ".extern ",
					    [PTX_LINK_WEAK] = ".weak ",
					    [PTX_LINK_COMMON] = ".common "};
	return texts[l];
}

/* ".align 8 .b8 name[16]", the part that parameters and variables share. */
static void print_shape(FILE *out, const struct ptx_var *v, const char *name)
{
	uint64_t elem = ptx_type_bytes(v->type) * v->vec;

	fprintf(out, ".align %u ", v->align_bytes);
	if (v->vec > 1)
		fprintf(out, ".v%u ", v->vec);
	fprintf(out, ".%s ", ptx_type_name(v->type));
	if (v->is_ptr)
		fprintf(out, ".ptr %s .align %u ", v->ptr_space ? ptx_space_name(v->ptr_space) : "",
			v->ptr_align_bytes);
	fputs(name, out);
	if (v->is_unsized)
		fputs("[]", out);
	else if (v->size_bytes != elem)
		fprintf(out, "[%" PRIu64 "]", v->size_bytes / elem);
}

static void print_params(FILE *out, const struct ptx_var *params, uint32_t count, bool names)
{
	fputc('(', out);
	for (uint32_t k = 0; k < count; k++) {
		fprintf(out, "%s%s ", k ? ", " : "", ptx_space_name(params[k].space));
		print_shape(out, &params[k], names ? params[k].name : "_");
	}
	fputc(')', out);
}

void ptx_print_signature(FILE *out, const struct ptx_func *f, const char *name, bool names)
{
	if (f->ret_count) {
		print_params(out, f->rets, f->ret_count, names);
		fputc(' ', out);
	}
	fprintf(out, "%s ", name);
	print_params(out, f->params, f->param_count, names);
}

static void print_reloc(FILE *out, const struct ptx_reloc *r, bool is_byte)
{
	const char *name = r->var ? r->var->name : r->func->name;

	if (is_byte)
		fprintf(out, "0x%" PRIX64 "(", (uint64_t)0xFF << r->mask_shift);
	fprintf(out, r->is_generic ? "generic(%s)" : "%s", name);
	if (r->addend)
		fprintf(out, "+%" PRId64, (int64_t)r->addend);
	if (is_byte)
		fputc(')', out);
}

static void print_sampler(FILE *out, const struct ptx_var *v)
{
	static const char *const modes[] = {[PTX_ADDR_WRAP] = "wrap", [PTX_ADDR_MIRROR] = "mirror",
					    [PTX_ADDR_CLAMP_TO_EDGE] = "clamp_to_edge",
					    [PTX_ADDR_CLAMP_TO_BORDER] = "clamp_to_border"};
	uint64_t packed;

	memcpy(&packed, v->init, sizeof(packed));
	fputs(" = {", out);
	for (uint32_t k = 0; k < 3; k++)
		fprintf(out, "addr_mode_%u = %s, ", k, modes[packed >> (PTX_SAMPLER_ADDRESS_BITS * k) & 7]);
	fprintf(out, "filter_mode = %s, force_unnormalized_coords = %s}",
		packed & PTX_SAMPLER_LINEAR ? "linear" : "nearest",
		packed & PTX_SAMPLER_UNNORMALIZED ? "true" : "false");
}

static void print_init(FILE *out, const struct ptx_var *v)
{
	uint32_t bytes = ptx_type_bytes(v->type), reloc = 0;
	uint64_t end = v->size_bytes;

	/* Trailing zeros need not be written. */
	while (end > bytes && !v->init[end - 1] &&
	       (!v->reloc_count || end > v->relocs[v->reloc_count - 1].at_bytes + v->relocs[v->reloc_count - 1].bytes))
		end--;
	fputs(" = {", out);
	for (uint64_t at = 0; at < end; at += bytes) {
		uint64_t bits = 0;

		fputs(at ? ", " : "", out);
		memcpy(&bits, v->init + at, bytes);
		if (reloc < v->reloc_count && v->relocs[reloc].at_bytes == at) {
			print_reloc(out, &v->relocs[reloc], bytes < 4 || v->relocs[reloc].mask_shift);
			reloc++;
		} else if (v->type == PTX_F32) {
			fprintf(out, "0f%08" PRIX64, bits);
		} else if (v->type == PTX_F64) {
			fprintf(out, "0d%016" PRIX64, bits);
		} else {
			fprintf(out, "%" PRIu64 "%s", bits, bits > INT64_MAX ? "U" : "");
		}
	}
	fputc('}', out);
}

static void print_var(FILE *out, const struct ptx_var *v, enum ptx_linkage linkage, bool with_init)
{
	fprintf(out, "%s%s ", linkage_text(linkage), ptx_space_name(v->space));
	if (v->is_managed)
		fputs(".attribute(.managed) ", out);
	print_shape(out, v, v->name);
	if (with_init && v->init && v->type == PTX_SAMPLERREF)
		print_sampler(out, v);
	else if (with_init && v->init && v->size_bytes)
		print_init(out, v);
	fputs(";\n", out);
}

static size_t label_like(const char *name, size_t longest)
{
	size_t n = name[0] == '$' ? strspn(name + 1, "L") : 0;

	return n > longest ? n : longest;
}

/* "$L", with one L more than any name that a label could be taken for. malloc'ed. */
static char *label_prefix(const struct ptx_func *f)
{
	const struct ptx_module *m = f->module;
	size_t n = 0;

	for (uint32_t k = 0; k < f->reg_count; k++)
		n = label_like(f->regs[k].name, n);
	for (uint32_t k = 0; k < f->local_count; k++)
		n = label_like(f->locals[k]->name, n);
	for (uint32_t k = 0; k < f->param_count; k++)
		n = label_like(f->params[k].name, n);
	for (uint32_t k = 0; k < f->ret_count; k++)
		n = label_like(f->rets[k].name, n);
	for (uint32_t k = 0; k < m->var_count; k++)
		n = label_like(m->vars[k]->name, n);
	for (uint32_t k = 0; k < m->func_count; k++)
		n = label_like(m->funcs[k]->name, n);
	char *prefix = calloc(1, n + 3);
	CHECK(prefix);
	prefix[0] = '$';
	memset(prefix + 1, 'L', n + 1);
	return prefix;
}

static void mark_labels(const struct ptx_func *f, bool *is_target)
{
	for (uint32_t n = 0; n < f->inst_count; n++) {
		const struct ptx_inst *i = &f->insts[n];

		if (i->op == PTX_OP_BRA)
			is_target[i->src[0].label] = true;
		if (i->op == PTX_OP_BRX)
			for (uint32_t k = 0; k < i->src[1].elem_count; k++)
				is_target[i->src[1].elems[k].label] = true;
	}
}

static bool is_register_param(const struct ptx_func *f, uint32_t reg)
{
	for (uint32_t k = 0; k < f->param_count; k++)
		if (f->params[k].space == PTX_REG && f->params[k].index == reg)
			return true;
	for (uint32_t k = 0; k < f->ret_count; k++)
		if (f->rets[k].space == PTX_REG && f->rets[k].index == reg)
			return true;
	return false;
}

static void print_locals(FILE *out, const struct ptx_func *f)
{
	for (uint32_t k = 0; k < f->reg_count; k++) {
		if (is_register_param(f, k))
			continue;
		fputs("\t.reg ", out);
		if (f->regs[k].vec > 1)
			fprintf(out, ".v%u ", f->regs[k].vec);
		fprintf(out, ".%s %s;\n", ptx_type_name(f->regs[k].type), f->regs[k].name);
	}
	for (uint32_t k = 0; k < f->local_count; k++) {
		fputc('\t', out);
		print_var(out, f->locals[k], f->locals[k]->linkage, true);
	}
}

static void print_body(FILE *out, const struct ptx_func *f)
{
	bool *is_target = calloc(f->inst_count + 1, sizeof(bool));
	const struct ptx_loc *last = &f->module->locs[0];
	char *prefix = label_prefix(f);

	CHECK(is_target);
	mark_labels(f, is_target);
	print_locals(out, f);
	for (uint32_t n = 0; n < f->inst_count; n++) {
		const struct ptx_loc *loc = &f->module->locs[f->insts[n].loc];

		if (is_target[n])
			fprintf(out, "%s%u:\n", prefix, n);
		if (f->insts[n].loc && memcmp(loc, last, sizeof(*loc)) != 0)
			fprintf(out, "\t.loc %u %u %u\n", loc->file, loc->line, loc->col);
		last = loc;
		fputc('\t', out);
		ptx_print_inst(out, f, &f->insts[n], prefix);
		fputc('\n', out);
	}
	free(is_target);
	free(prefix);
}

static void print_header(FILE *out, const struct ptx_func *f)
{
	fprintf(out, "%s%s ", linkage_text(f->linkage), f->is_entry ? ".entry" : ".func");
	ptx_print_signature(out, f, f->name, true);
	if (f->maxntid[0] || f->maxntid[1] || f->maxntid[2])
		fprintf(out, " .maxntid %u, %u, %u", f->maxntid[0], f->maxntid[1], f->maxntid[2]);
	if (f->reqntid[0] || f->reqntid[1] || f->reqntid[2])
		fprintf(out, " .reqntid %u, %u, %u", f->reqntid[0], f->reqntid[1], f->reqntid[2]);
	if (f->minnctapersm)
		fprintf(out, " .minnctapersm %u", f->minnctapersm);
	if (f->maxnreg)
		fprintf(out, " .maxnreg %u", f->maxnreg);
	if (f->is_noreturn)
		fputs(" .noreturn", out);
	if (f->has_clusters)
		fputs(" .explicitcluster", out);
}

/* Initial values may name variables that come later: then all are declared first. */
static bool has_forward_address(const struct ptx_module *m)
{
	for (uint32_t k = 0; k < m->var_count; k++)
		for (uint32_t r = 0; r < m->vars[k]->reloc_count; r++)
			if (m->vars[k]->relocs[r].var && m->vars[k]->relocs[r].var->index >= k)
				return true;
	return false;
}

static void print_vars(FILE *out, const struct ptx_module *m)
{
	if (has_forward_address(m))
		for (uint32_t k = 0; k < m->var_count; k++)
			print_var(out, m->vars[k], PTX_LINK_EXTERN, false);
	for (uint32_t k = 0; k < m->var_count; k++)
		print_var(out, m->vars[k], m->vars[k]->linkage, true);
}

void ptx_print_module(FILE *out, const struct ptx_module *m)
{
	fprintf(out, ".version %u.%u\n.target %s\n.address_size %u\n", m->version_major, m->version_minor, m->target,
		m->address_bits);
	for (uint32_t k = 0; k < m->file_count; k++)
		if (m->files[k])
			fprintf(out, ".file %u \"%s\"\n", k, m->files[k]);
	for (uint32_t k = 0; k < m->func_count; k++) {
		print_header(out, m->funcs[k]);
		fputs(";\n", out);
	}
	print_vars(out, m);
	for (uint32_t k = 0; k < m->func_count; k++) {
		if (!m->funcs[k]->has_body)
			continue;
		fputc('\n', out);
		print_header(out, m->funcs[k]);
		fputs("\n{\n", out);
		print_body(out, m->funcs[k]);
		fputs("}\n", out);
	}
	for (uint32_t k = 0; k < m->func_count; k++)
		if (m->funcs[k]->alias)
			fprintf(out, ".alias %s, %s;\n", m->funcs[k]->name, m->funcs[k]->alias->name);
}
