/* module.c - places a PTX module's variables in device memory and writes their initial images. */
#include "simt/priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"

static bool has_address(const struct ptx_var *v)
{
	return v->space == PTX_GLOBAL || v->space == PTX_CONST || v->space == PTX_TEX;
}

static uint32_t local_index(const struct ptx_var *var)
{
	for (uint32_t i = 0; i < var->owner->local_count; i++)
		if (var->owner->locals[i] == var)
			return i;
	UNREACHABLE("a local variable is in its owner's list");
}

/* The definition a reference means: an .extern one is satisfied by a definition of the same name in the module. */
static const struct ptx_var *defined(const struct simt_module *m, const struct ptx_var *var)
{
	if (var->owner || var->linkage != PTX_LINK_EXTERN)
		return var;
	for (uint32_t i = 0; i < m->ptx->var_count; i++) {
		const struct ptx_var *v = m->ptx->vars[i];

		if (v->linkage != PTX_LINK_EXTERN && !strcmp(v->name, var->name))
			return v;
	}
	return var;
}

uint64_t simt_module_var_addr(const struct simt_module *m, const struct ptx_var *var)
{
	var = defined(m, var);
	return var->owner ? m->local_addr[var->owner->index][local_index(var)] : m->addr[var->index];
}

const struct ptx_func *simt_func_unaliased(const struct ptx_func *f)
{
	for (uint32_t n = f->module->func_count; f->alias && n; n--) /* two names may stand for each other */
		f = f->alias;
	return f;
}

uint64_t simt_func_addr(const struct ptx_func *f)
{
	f = simt_func_unaliased(f);
	return SIMT_FUNC_BASE + (f->index + 1ull) * SIMT_FUNC_STEP;
}

static uint64_t place(struct simt_module *m, const struct ptx_var *v, struct base_diag_list *diag)
{
	/* An .extern .global that nothing defines has no place; only a kernel that uses it fails. */
	if (v->linkage == PTX_LINK_EXTERN && !v->init)
		return 0;
	uint64_t size = v->size_bytes ? v->size_bytes : 1;
	uint64_t addr = simt_memory_alloc(m->mem, size, v->align_bytes ? v->align_bytes : 1, SIMT_ALLOC_MODULE);

	if (!addr) {
		base_diag_error(diag, (struct base_place){m->ptx->name, v->line, 0},
				"no room in device memory for variable %s of %llu bytes", v->name,
				(unsigned long long)size);
		return 0;
	}
	if (v->init)
		memcpy((void *)addr, v->init, v->size_bytes);
	else
		memset((void *)addr, 0, size);
	return addr;
}

/* Value of a symbol in an initialiser. Shared and local variables have no address outside a program; their own-space
 * offset is laid out per kernel, so only global, const and functions can be meant. */
static bool reloc_value(const struct simt_module *m, const struct ptx_reloc *r, uint64_t *value)
{
	if (r->func)
		*value = simt_func_addr(r->func) + r->addend;
	else
		*value = simt_module_var_addr(m, r->var) + r->addend;
	return r->func || *value != r->addend;
}

static void relocate(struct simt_module *m, const struct ptx_var *v, uint64_t addr, struct base_diag_list *diag)
{
	for (uint32_t i = 0; i < v->reloc_count; i++) {
		const struct ptx_reloc *r = &v->relocs[i];
		uint64_t value;

		if (!reloc_value(m, r, &value)) {
			base_diag_error(diag, (struct base_place){m->ptx->name, v->line, 0},
					"initialiser of %s takes the address of %s, which has none in this module",
					v->name, r->var->name);
			continue;
		}
		value >>= r->mask_shift;
		memcpy((uint8_t *)addr + r->at_bytes, &value, r->bytes);
	}
}

static void for_each_var(struct simt_module *m, struct base_diag_list *diag,
			 void (*visit)(struct simt_module *, const struct ptx_var *, uint64_t *,
				       struct base_diag_list *))
{
	for (uint32_t i = 0; i < m->ptx->var_count; i++)
		if (has_address(m->ptx->vars[i]))
			visit(m, m->ptx->vars[i], &m->addr[i], diag);
	for (uint32_t f = 0; f < m->ptx->func_count; f++)
		for (uint32_t i = 0; i < m->ptx->funcs[f]->local_count; i++)
			if (has_address(m->ptx->funcs[f]->locals[i]))
				visit(m, m->ptx->funcs[f]->locals[i], &m->local_addr[f][i], diag);
}

static void visit_place(struct simt_module *m, const struct ptx_var *v, uint64_t *addr, struct base_diag_list *diag)
{
	*addr = place(m, v, diag);
}

static void visit_relocate(struct simt_module *m, const struct ptx_var *v, uint64_t *addr, struct base_diag_list *diag)
{
	if (*addr)
		relocate(m, v, *addr, diag);
}

static void visit_release(struct simt_module *m, const struct ptx_var *v, uint64_t *addr, struct base_diag_list *diag)
{
	(void)v, (void)diag;
	if (*addr)
		simt_memory_release(m->mem, *addr);
}

struct simt_module *simt_module_load(const struct ptx_module *ptx, struct simt_memory *mem, struct base_diag_list *diag)
{
	struct simt_module *m = calloc(1, sizeof(*m));
	uint32_t errors = diag->error_count;

	CHECK(m);
	m->ptx = ptx;
	m->mem = mem;
	m->addr = calloc(ptx->var_count + 1, sizeof(*m->addr));
	m->local_addr = calloc(ptx->func_count + 1, sizeof(*m->local_addr));
	CHECK(m->addr && m->local_addr);
	for (uint32_t f = 0; f < ptx->func_count; f++) {
		m->local_addr[f] = calloc(ptx->funcs[f]->local_count + 1, sizeof(uint64_t));
		CHECK(m->local_addr[f]);
	}
	if (ptx->address_bits == 32)
		base_diag_error(diag, (struct base_place){ptx->name, 1, 0},
				"module has .address_size 32; expected 64: compile for 64-bit device addresses (-m64)");
	else
		for_each_var(m, diag, visit_place);
	if (diag->error_count == errors)
		for_each_var(m, diag, visit_relocate);
	if (diag->error_count == errors)
		return m;
	simt_module_unload(m);
	return NULL;
}

void simt_module_unload(struct simt_module *m)
{
	if (!m)
		return;
	for_each_var(m, NULL, visit_release);
	for (uint32_t f = 0; f < m->ptx->func_count; f++)
		free(m->local_addr[f]);
	free(m->local_addr);
	free(m->addr);
	free(m);
}

bool simt_module_var(const struct simt_module *m, const char *name, uint64_t *addr, uint64_t *size_bytes)
{
	for (uint32_t i = 0; i < m->ptx->var_count; i++) {
		const struct ptx_var *v = m->ptx->vars[i];

		if (!m->addr[i] || strcmp(v->name, name))
			continue;
		*addr = m->addr[i];
		*size_bytes = v->size_bytes;
		return true;
	}
	return false;
}
