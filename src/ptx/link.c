/* link.c - joins modules in place: symbols are resolved to one winner per name, then every pointer to a symbol in code,
 * initial values and aliases is moved to its winner, and the arenas become one. */
#include "ptx/link.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "ptx/priv.h"
#include "ptx/print.h"

/* One name of the result. While linking, the index of every module-scope variable and function is that of its entry. */
struct entry {
	const char *name;
	struct ptx_var *var; /* the winner, one of the two */
	struct ptx_func *func;
	uint32_t object; /* of the winner */
	int rank;
	bool is_used; /* by code, an initial value or an alias */
	bool is_moved, is_used_elsewhere; /* by live code of another object */
	uint32_t next; /* plus 1, of those that wait to be moved because live code uses them */
};

struct linker {
	struct ptx_module_priv *out;
	struct ptx_module_priv **objects;
	uint32_t object_count;
	struct base_diag_list *diag;
	bool (*is_builtin)(const char *name);
	uint32_t errors_before;
	bool is_live; /* what is being moved can be reached from a kernel or a variable */
	uint32_t waiting; /* plus 1: the first entry that waits */
	PTX_VECTOR(struct entry) entries;
	PTX_VECTOR(struct ptx_loc) locs;
	PTX_VECTOR(const char *) files;
};

/* How much a declaration has to say; the highest wins. */
enum { RANK_DECLARED, RANK_WEAK, RANK_COMMON, RANK_DEFINED };

static int rank_of(enum ptx_linkage linkage, bool is_definition)
{
	if (!is_definition)
		return RANK_DECLARED;
	return linkage == PTX_LINK_WEAK ? RANK_WEAK : linkage == PTX_LINK_COMMON ? RANK_COMMON : RANK_DEFINED;
}

static int var_rank(const struct ptx_var *v)
{
	return rank_of(v->linkage, v->linkage != PTX_LINK_EXTERN || v->init);
}

static int func_rank(const struct ptx_func *f)
{
	return rank_of(f->linkage, f->has_body || f->alias);
}

static bool is_file_local(enum ptx_linkage linkage, int rank)
{
	return linkage == PTX_LINK_LOCAL && rank != RANK_DECLARED;
}

static bool has_failed(const struct linker *l)
{
	return l->diag->error_count != l->errors_before;
}

static uint32_t entry_line(const struct entry *e)
{
	return e->var ? e->var->line : e->func->line;
}

static const char *object_name(const struct linker *l, uint32_t object)
{
	return l->objects[object]->pub.name;
}

/* ---- one winner per name ---- */

static struct entry *entry_add(struct linker *l, const char *name, uint32_t object)
{
	struct entry *e = PTX_VECTOR_ADD(&l->entries);
	struct ptx_symbol *s = ptx_symbol_add(l->out, 0, name, (uint32_t)strlen(name), PTX_SYM_VAR);

	s->index = l->entries.count - 1;
	e->name = s->name;
	e->object = object;
	e->rank = -1;
	return e;
}

static struct entry *entry_find(struct linker *l, const char *name)
{
	struct ptx_symbol *s = ptx_symbol_get(l->out, 0, name, (uint32_t)strlen(name));

	return s ? &l->entries.at[s->index] : NULL;
}

static void report_twice(struct linker *l, const struct entry *e, uint32_t object, uint32_t line)
{
	base_diag_error(l->diag, (struct base_place){object_name(l, object), line, 0},
			"'%s' is defined a second time; the first definition is in %s:%u; expected one definition, or "
			".weak on all but one",
			e->name, object_name(l, e->object), entry_line(e));
}

/* Which of two of the same name goes on as the winner; a kernel, function or variable that is new to the entry. */
static void compete(struct linker *l, struct entry *e, struct ptx_var *v, struct ptx_func *f, uint32_t object)
{
	int rank = v ? var_rank(v) : func_rank(f);
	bool is_larger = v && e->var && rank == e->rank && v->size_bytes > e->var->size_bytes &&
			 (rank == RANK_COMMON || rank == RANK_DECLARED);

	if (rank == RANK_DEFINED && e->rank == RANK_DEFINED)
		report_twice(l, e, object, v ? v->line : f->line);
	if (rank <= e->rank && !is_larger)
		return;
	e->var = v;
	e->func = f;
	e->object = object;
	e->rank = rank;
}

static void collect_shared_names(struct linker *l, uint32_t object)
{
	const struct ptx_module *m = &l->objects[object]->pub;

	for (uint32_t k = 0; k < m->var_count; k++) {
		struct ptx_var *v = m->vars[k];
		struct entry *e = entry_find(l, v->name);

		if (is_file_local(v->linkage, var_rank(v)))
			continue;
		e = e ? e : entry_add(l, v->name, object);
		compete(l, e, v, NULL, object);
		v->index = (uint32_t)(e - l->entries.at);
	}
	for (uint32_t k = 0; k < m->func_count; k++) {
		struct ptx_func *f = m->funcs[k];
		struct entry *e = entry_find(l, f->name);

		if (is_file_local(f->linkage, func_rank(f)))
			continue;
		e = e ? e : entry_add(l, f->name, object);
		compete(l, e, NULL, f, object);
		f->index = (uint32_t)(e - l->entries.at);
	}
}

/* A name that a function of the object gives to something of its own would hide a symbol renamed to it. */
static bool is_name_inside(const struct ptx_module *m, const char *name)
{
	for (uint32_t k = 0; k < m->func_count; k++) {
		const struct ptx_func *f = m->funcs[k];

		for (uint32_t n = 0; n < f->reg_count; n++)
			if (strcmp(f->regs[n].name, name) == 0)
				return true;
		for (uint32_t n = 0; n < f->local_count; n++)
			if (strcmp(f->locals[n]->name, name) == 0)
				return true;
		for (uint32_t n = 0; n < f->param_count + f->ret_count; n++) {
			const struct ptx_var *p = n < f->param_count ? &f->params[n] : &f->rets[n - f->param_count];

			if (strcmp(p->name, name) == 0)
				return true;
		}
	}
	return false;
}

static const char *local_name(struct linker *l, const char *name, uint32_t object)
{
	const char *unique = name;

	for (uint32_t n = object + 1; entry_find(l, unique) || (unique != name &&
	     is_name_inside(&l->objects[object]->pub, unique)); n += l->object_count)
		unique = ptx_arena_printf(&l->out->arena, "%s$o%u", name, n);
	return unique;
}

static void collect_local_names(struct linker *l, uint32_t object)
{
	const struct ptx_module *m = &l->objects[object]->pub;

	for (uint32_t k = 0; k < m->var_count; k++) {
		struct ptx_var *v = m->vars[k];

		if (!is_file_local(v->linkage, var_rank(v)))
			continue;
		v->name = local_name(l, v->name, object);
		compete(l, entry_add(l, v->name, object), v, NULL, object);
		v->index = l->entries.count - 1;
	}
	for (uint32_t k = 0; k < m->func_count; k++) {
		struct ptx_func *f = m->funcs[k];

		if (!is_file_local(f->linkage, func_rank(f)))
			continue;
		f->name = local_name(l, f->name, object);
		compete(l, entry_add(l, f->name, object), NULL, f, object);
		f->index = l->entries.count - 1;
	}
}

/* ---- does every declaration fit the winner? ---- */

static bool params_fit(const struct ptx_var *a, uint32_t a_count, const struct ptx_var *b, uint32_t b_count)
{
	if (a_count != b_count)
		return false;
	for (uint32_t k = 0; k < a_count; k++)
		if (a[k].space != b[k].space || a[k].size_bytes != b[k].size_bytes)
			return false;
	return true;
}

/* "(results) name (parameters)", malloc'ed. */
static char *signature(const struct ptx_func *f, const char *name)
{
	char *text = NULL;
	size_t size_bytes;
	FILE *out = open_memstream(&text, &size_bytes);

	CHECK(out);
	fputs(f->is_entry ? ".entry " : ".func ", out);
	ptx_print_signature(out, f, name, false);
	fclose(out);
	CHECK(text);
	return text;
}

static void check_func(struct linker *l, const struct entry *e, const struct ptx_func *f, uint32_t object)
{
	const struct ptx_func *w = e->func;

	if (f->is_entry == w->is_entry && params_fit(f->params, f->param_count, w->params, w->param_count) &&
	    params_fit(f->rets, f->ret_count, w->rets, w->ret_count))
		return;
	char *here = signature(f, e->name), *there = signature(w, e->name);

	base_diag_error(l->diag, (struct base_place){object_name(l, object), f->line, 0},
			"'%s' does not match: here %.180s, in %s:%u %.180s; expected the same parameters and results",
			e->name, here, object_name(l, e->object), w->line, there);
	free(here);
	free(there);
}

static void check_var(struct linker *l, const struct entry *e, const struct ptx_var *v, uint32_t object)
{
	struct ptx_var *w = e->var;
	struct base_place at = {object_name(l, object), v->line, 0};

	if (v->space != w->space)
		base_diag_error(l->diag, at, "'%s' is in %s here and in %s in %s:%u; expected one state space", e->name,
				ptx_space_name(v->space), ptx_space_name(w->space), object_name(l, e->object), w->line);
	else if (v->size_bytes != w->size_bytes && !v->is_unsized && !w->is_unsized &&
		 !(v->linkage == PTX_LINK_COMMON && v->size_bytes < w->size_bytes))
		base_diag_error(l->diag, at,
				"'%s' has %" PRIu64 " bytes here and %" PRIu64 " in %s:%u; expected the same size",
				e->name, v->size_bytes, w->size_bytes, object_name(l, e->object), w->line);
	if (v->align_bytes > w->align_bytes)
		w->align_bytes = v->align_bytes;
	w->is_managed |= v->is_managed;
}

static void check_kind(struct linker *l, const struct entry *e, const char *kind, uint32_t object, uint32_t line)
{
	base_diag_error(l->diag, (struct base_place){object_name(l, object), line, 0},
			"'%s' is a %s here and a %s in %s:%u; expected one kind of symbol", e->name, kind,
			e->var ? "variable" : "function", object_name(l, e->object), entry_line(e));
}

static void check_object(struct linker *l, uint32_t object)
{
	const struct ptx_module *m = &l->objects[object]->pub;

	for (uint32_t k = 0; k < m->var_count; k++) {
		const struct entry *e = &l->entries.at[m->vars[k]->index];

		if (!e->var)
			check_kind(l, e, "variable", object, m->vars[k]->line);
		else if (e->var != m->vars[k])
			check_var(l, e, m->vars[k], object);
	}
	for (uint32_t k = 0; k < m->func_count; k++) {
		const struct entry *e = &l->entries.at[m->funcs[k]->index];

		if (!e->func)
			check_kind(l, e, "function", object, m->funcs[k]->line);
		else if (e->func != m->funcs[k])
			check_func(l, e, m->funcs[k], object);
	}
}

/* ---- moving pointers to the winners ---- */

/* Who mentions a symbol, for the message when it has no definition. */
struct user {
	const struct entry *by;
	uint32_t line;
};

/* Another object may have the name for itself alone. */
static const char *private_owner(const struct linker *l, const char *name)
{
	for (uint32_t o = 0; o < l->object_count; o++) {
		const struct ptx_module *m = &l->objects[o]->pub;
		const struct ptx_symbol *s = ptx_symbol_get(l->objects[o], 0, name, (uint32_t)strlen(name));

		if (s && s->kind == PTX_SYM_VAR && is_file_local(s->var->linkage, var_rank(s->var)))
			return m->name;
		if (s && s->kind == PTX_SYM_FUNC && is_file_local(s->func->linkage, func_rank(s->func)))
			return m->name;
	}
	return NULL;
}

static void use(struct linker *l, struct entry *e, struct user u)
{
	bool is_dynamic_shared = e->var && e->var->space == PTX_SHARED && e->var->is_unsized;

	if (l->is_live && !e->is_moved && !e->next) {
		e->next = l->waiting ? l->waiting : UINT32_MAX;
		l->waiting = (uint32_t)(e - l->entries.at) + 1;
	}
	e->is_used_elsewhere |= l->is_live && u.by->object != e->object;
	if (e->is_used)
		return;
	e->is_used = true;
	if (!l->is_live)
		return;
	if (e->rank != RANK_DECLARED || is_dynamic_shared || (e->func && l->is_builtin(e->name)))
		return;
	const char *owner = private_owner(l, e->name);
	struct base_place at = {object_name(l, u.by->object), u.line, 0};

	if (owner)
		base_diag_error(l->diag, at, "'%s', used by '%s', is not defined: that of %s is not .visible", e->name,
				u.by->name, owner);
	else
		base_diag_error(l->diag, at,
				"'%s', used by '%s', is not defined in any of the %u objects; expected one more object "
				"or library that defines it",
				e->name, u.by->name, l->object_count);
}

static const struct ptx_var *move_var(struct linker *l, const struct ptx_var *v, struct user u)
{
	if (v->owner)
		return v;
	use(l, &l->entries.at[v->index], u);
	return l->entries.at[v->index].var;
}

static const struct ptx_func *move_func(struct linker *l, const struct ptx_func *f, struct user u)
{
	if (f->is_prototype) {
		((struct ptx_func *)f)->module = &l->out->pub; /* the code that is being moved owns it */
		return f;
	}
	use(l, &l->entries.at[f->index], u);
	return l->entries.at[f->index].func;
}

static void move_operand(struct linker *l, struct ptx_operand *o, struct user u)
{
	if (o->var)
		o->var = move_var(l, o->var, u);
	if (o->func)
		o->func = move_func(l, o->func, u);
	for (uint32_t k = 0; k < o->elem_count; k++)
		move_operand(l, &o->elems[k], u);
}

static void move_relocs(struct linker *l, struct ptx_var *v, struct user u)
{
	for (uint32_t k = 0; k < v->reloc_count; k++) {
		if (v->relocs[k].var)
			v->relocs[k].var = move_var(l, v->relocs[k].var, u);
		if (v->relocs[k].func)
			v->relocs[k].func = move_func(l, v->relocs[k].func, u);
	}
}

static void move_code(struct linker *l, struct ptx_func *f, const struct entry *e, uint32_t loc_base)
{
	for (uint32_t n = 0; n < f->inst_count; n++) {
		struct ptx_inst *i = &f->insts[n];
		struct user u = {e, i->line};

		move_operand(l, &i->dst, u);
		move_operand(l, &i->dst2, u);
		for (uint32_t k = 0; k < i->src_count; k++)
			move_operand(l, &i->src[k], u);
		if (i->prototype)
			i->prototype = move_func(l, i->prototype, u);
		i->loc += i->loc ? loc_base : 0;
	}
	for (uint32_t k = 0; k < f->local_count; k++)
		move_relocs(l, f->locals[k], (struct user){e, f->locals[k]->line});
}

static void move_entry(struct linker *l, struct entry *e, const uint32_t *loc_bases)
{
	struct user u = {e, entry_line(e)};

	if (e->is_moved)
		return;
	e->is_moved = true;
	if (e->var) {
		move_relocs(l, e->var, u);
		return;
	}
	if (e->func->alias)
		e->func->alias = move_func(l, e->func->alias, u);
	move_code(l, e->func, e, loc_bases[e->object]);
	e->func->module = &l->out->pub;
}

/* Kernels, variables, aliases and what they lead to; an undefined name there is an error. Then the rest: functions that
 * nothing calls, such as those of a library of which the program uses others, or none. */
static void move_all(struct linker *l, const uint32_t *loc_bases)
{
	l->is_live = true;
	for (uint32_t k = 0; k < l->entries.count; k++) {
		struct entry *e = &l->entries.at[k];

		if (e->var || e->func->is_entry || e->func->alias)
			move_entry(l, e, loc_bases);
		while (l->waiting) {
			struct entry *used = &l->entries.at[l->waiting - 1];

			l->waiting = used->next == UINT32_MAX ? 0 : used->next;
			move_entry(l, used, loc_bases);
		}
	}
	l->is_live = false;
	for (uint32_t k = 0; k < l->entries.count; k++)
		move_entry(l, &l->entries.at[k], loc_bases);
}

/* ---- the result ---- */

/* Source places: files are numbered anew from 1, so that 0 is a file nobody declared. */
static uint32_t append_locs(struct linker *l, const struct ptx_module *m)
{
	uint32_t base = l->locs.count - 1, *numbers = calloc(m->file_count + 1, sizeof(*numbers));

	CHECK(numbers);
	for (uint32_t k = 0; k < m->file_count; k++) {
		if (!m->files[k])
			continue;
		numbers[k] = l->files.count;
		*PTX_VECTOR_ADD(&l->files) = m->files[k];
	}
	for (uint32_t k = 1; k < m->loc_count; k++) {
		struct ptx_loc *loc = PTX_VECTOR_ADD(&l->locs);

		*loc = m->locs[k];
		loc->file = loc->file < m->file_count ? numbers[loc->file] : 0;
	}
	free(numbers);
	return base;
}

/* "sm_75" as 75; a target without a number counts least. */
static unsigned long target_number(const char *target)
{
	return strtoul(target + strcspn(target, "0123456789"), NULL, 10);
}

static void join_heads(struct linker *l)
{
	struct ptx_module *out = &l->out->pub;
	const struct ptx_module *first = &l->objects[0]->pub;

	out->version_major = first->version_major;
	out->version_minor = first->version_minor;
	out->target = first->target;
	out->address_bits = first->address_bits;
	for (uint32_t o = 1; o < l->object_count; o++) {
		const struct ptx_module *m = &l->objects[o]->pub;

		if (m->address_bits != out->address_bits)
			base_diag_error(l->diag, (struct base_place){m->name, 0, 0},
					"this object has .address_size %u, %s has %u; expected the same in all objects",
					m->address_bits, first->name, first->address_bits);
		if (m->version_major > out->version_major ||
		    (m->version_major == out->version_major && m->version_minor > out->version_minor)) {
			out->version_major = m->version_major;
			out->version_minor = m->version_minor;
		}
		if (target_number(m->target) < target_number(out->target))
			out->target = m->target;
	}
}

/* Of a library of which nothing is used, the target does not count. */
static void join_targets(struct linker *l)
{
	const char *highest = NULL;

	for (uint32_t k = 0; k < l->entries.count; k++) {
		const struct entry *e = &l->entries.at[k];
		const char *target = l->objects[e->object]->pub.target;
		bool is_kernel = e->func && e->func->is_entry && e->func->linkage == PTX_LINK_VISIBLE;

		if ((is_kernel || e->is_used_elsewhere) && e->rank != RANK_DECLARED &&
		    (!highest || target_number(target) > target_number(highest)))
			highest = target;
	}
	if (highest)
		l->out->pub.target = highest;
}

static void resolve(struct linker *l)
{
	uint32_t *loc_bases = calloc(l->object_count, sizeof(*loc_bases));

	CHECK(loc_bases);
	(void)PTX_VECTOR_ADD(&l->locs);
	(void)PTX_VECTOR_ADD(&l->files);
	for (uint32_t o = 0; o < l->object_count; o++) {
		check_object(l, o);
		loc_bases[o] = append_locs(l, &l->objects[o]->pub);
	}
	if (l->files.count > PTX_FILES_MAX)
		base_diag_error(l->diag, (struct base_place){l->out->pub.name, 0, 0},
				"the objects have %u .file directives; at most %d are accepted", l->files.count - 1,
				PTX_FILES_MAX - 1);
	/* A symbol that is a variable here and a function there has no winner that code could point to. */
	bool has_winners = !has_failed(l);

	if (has_winners)
		move_all(l, loc_bases);
	free(loc_bases);
}

/* Undefined names that nobody mentions are left out. */
static void publish(struct linker *l)
{
	struct ptx_module *out = &l->out->pub;
	struct ptx_arena *arena = &l->out->arena;

	out->vars = ptx_arena_array(arena, l->entries.count, sizeof(out->vars[0]));
	out->funcs = ptx_arena_array(arena, l->entries.count, sizeof(out->funcs[0]));
	for (uint32_t k = 0; k < l->entries.count; k++) {
		struct entry *e = &l->entries.at[k];
		struct ptx_symbol *s = ptx_symbol_get(l->out, 0, e->name, (uint32_t)strlen(e->name));

		s->kind = e->var ? PTX_SYM_VAR : PTX_SYM_FUNC;
		s->var = e->var;
		s->func = e->func;
		s->line = entry_line(e);
		if (e->rank == RANK_DECLARED && !e->is_used)
			s->kind = PTX_SYM_LABEL; /* no symbol that a look-up finds */
		else if (e->var)
			out->vars[e->var->index = out->var_count++] = e->var;
		else
			out->funcs[e->func->index = out->func_count++] = e->func;
	}
	out->locs = ptx_arena_copy(arena, l->locs.at, l->locs.count * sizeof(l->locs.at[0]));
	out->loc_count = l->locs.count;
	out->files = ptx_arena_copy(arena, l->files.at, l->files.count * sizeof(l->files.at[0]));
	out->file_count = l->files.count;
}

static void adopt(struct linker *l, struct ptx_module_priv *object)
{
	ptx_arena_join(&l->out->arena, &object->arena);
	ptx_module_free(&object->pub);
}

struct ptx_module *ptx_link(const char *name, struct ptx_module **objects, uint32_t count,
			    bool (*is_builtin)(const char *name), struct base_diag_list *diag)
{
	struct linker l = {.out = calloc(1, sizeof(*l.out)),
			   .objects = (struct ptx_module_priv **)objects,
			   .object_count = count,
			   .diag = diag,
			   .errors_before = diag->error_count,
			   .is_builtin = is_builtin};

	CHECK(l.out && count);
	l.out->pub.name = ptx_arena_text(&l.out->arena, name, strlen(name));
	join_heads(&l);
	for (uint32_t o = 0; o < count; o++)
		collect_shared_names(&l, o);
	for (uint32_t o = 0; o < count; o++)
		collect_local_names(&l, o);
	resolve(&l);
	if (!has_failed(&l)) {
		join_targets(&l);
		publish(&l);
	}
	for (uint32_t o = 0; o < count; o++)
		adopt(&l, l.objects[o]);
	free(l.entries.at);
	free(l.locs.at);
	free(l.files.at);
	if (!has_failed(&l))
		return &l.out->pub;
	ptx_module_free(&l.out->pub);
	return NULL;
}
