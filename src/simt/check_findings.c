/* check_findings.c - the list of findings: merging what is the same, placing it in the PTX and in the source. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "simt/check_hooks.h"
#include "simt/check_priv.h"

static const char *const names[] = {
#define NAME(id, name) name,
    SIMT_FINDINGS(NAME)
#undef NAME
};

const char *simt_finding_name(enum simt_finding_kind kind)
{
	return names[kind];
}

/* Modules may be unloaded before the findings are read. */
static const char *intern(struct simt_check *c, const char *text)
{
	if (!text)
		return NULL;
	for (uint32_t i = 0; i < c->name_count; i++)
		if (!strcmp(c->names[i], text))
			return c->names[i];
	if (c->name_count == c->name_cap) {
		c->name_cap = c->name_cap ? 2 * c->name_cap : 64;
		c->names = realloc(c->names, c->name_cap * sizeof(*c->names));
		CHECK(c->names);
	}
	c->names[c->name_count] = strdup(text);
	CHECK(c->names[c->name_count]);
	return c->names[c->name_count++];
}

static struct simt_finding *add(struct simt_check *c, uint64_t key)
{
	if (c->count == SIMT_CHECK_FINDINGS_MAX) {
		c->dropped++;
		return NULL;
	}
	if (c->count == c->cap) {
		c->cap = c->cap ? 2 * c->cap : 64;
		c->findings = realloc(c->findings, c->cap * sizeof(*c->findings));
		c->keys = realloc(c->keys, c->cap * sizeof(*c->keys));
		CHECK(c->findings && c->keys);
	}
	c->keys[c->count] = key;
	c->findings[c->count] = (struct simt_finding){.count = 1};
	return &c->findings[c->count++];
}

static struct simt_check_place place(struct simt_check *c, const struct ptx_module *m, const struct simt_exec *e)
{
	struct simt_check_place p = {0};

	if (!e || !e->ptx->line)
		return p;
	p.ptx_name = intern(c, m->name);
	p.ptx_text = intern(c, e->ptx->text ? e->ptx->text : ptx_op_name(e->ptx->op));
	p.ptx_line = e->ptx->line;
	if (e->ptx->loc && m->locs[e->ptx->loc].line) {
		const struct ptx_loc *loc = &m->locs[e->ptx->loc];

		p.file = loc->file < m->file_count ? intern(c, m->files[loc->file]) : NULL;
		p.line = p.file ? loc->line : 0;
		p.col = p.file ? loc->col : 0;
	}
	return p;
}

static bool is_place(const struct simt_check_place *p, const struct ptx_module *m, const struct simt_exec *e)
{
	const uint32_t line = e ? e->ptx->line : 0;

	return p->ptx_line == line && (!line || !strcmp(p->ptx_name, m->name));
}

/* Are the two places of the finding these, in either order? */
static bool is_pair(const struct simt_finding *f, const struct ptx_module *m, const struct simt_exec *e,
		    const struct simt_exec *other)
{
	return (is_place(&f->at, m, e) && is_place(&f->other, m, other)) ||
	       (is_place(&f->at, m, other) && is_place(&f->other, m, e));
}

struct simt_finding *simt_check_note_at(struct simt_launch *l, const uint32_t *cta, uint32_t thread,
					const struct simt_exec *e, enum simt_finding_kind kind,
					const struct simt_exec *other, uint64_t count)
{
	struct simt_check *c = simt_memory_check(l->mem);
	const struct ptx_module *m = simt_program_of(l)->module->ptx;

	for (uint32_t i = 0; i < c->count; i++) {
		struct simt_finding *f = &c->findings[i];

		if (f->kind == kind && f->kernel && is_pair(f, m, e, other) && !strcmp(f->kernel, l->program->name)) {
			f->count += count;
			return NULL;
		}
	}
	struct simt_finding *f = add(c, 0);

	if (!f)
		return NULL;
	f->kind = kind;
	f->count = count;
	f->kernel = intern(c, l->program->name);
	f->at = place(c, m, e);
	f->other = place(c, m, other);
	memcpy(f->cta, cta, sizeof(f->cta));
	f->thread[0] = thread % l->block[0];
	f->thread[1] = thread / l->block[0] % l->block[1];
	f->thread[2] = thread / l->block[0] / l->block[1];
	return f;
}

struct simt_finding *simt_check_note(struct simt_launch *l, const struct simt_warp *w, const struct simt_exec *e,
				     uint32_t lane, enum simt_finding_kind kind, const struct simt_exec *other)
{
	return simt_check_note_at(l, w->cta->id, w->index_in_cta * SIMT_LANES + lane, e, kind, other, 1);
}

static void set_text(struct simt_finding *f, const char *fmt, va_list ap)
{
	char text[sizeof(((struct simt_fault *)NULL)->text)];

	vsnprintf(text, sizeof(text), fmt, ap);
	f->text = strdup(text);
	CHECK(f->text);
}

void simt_check_text(struct simt_finding *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	set_text(f, fmt, ap);
	va_end(ap);
}

void simt_check_host(struct simt_check *c, enum simt_finding_kind kind, uint64_t key, const char *fmt, ...)
{
	struct simt_finding *f;
	va_list ap;

	for (uint32_t i = 0; key && i < c->count; i++) {
		if (c->findings[i].kind == kind && c->keys[i] == key) {
			c->findings[i].count++;
			return;
		}
	}
	f = add(c, key);
	if (!f)
		return;
	f->kind = kind;
	va_start(ap, fmt);
	set_text(f, fmt, ap);
	va_end(ap);
}

void simt_check_unnamed_lane(struct simt_launch *l, struct simt_warp *w, const struct simt_exec *e, uint32_t lane,
			     uint32_t members)
{
	struct simt_finding *f = simt_check_note(l, w, e, lane, SIMT_FINDING_WARP, NULL);

	if (f)
		simt_check_text(f, "lane %u executes a .sync instruction whose member mask, 0x%08x, does not name it",
				lane, members);
}

void simt_check_parted(struct simt_launch *l, struct simt_warp *w, const struct simt_exec *e, uint32_t here,
		       uint32_t elsewhere)
{
	struct simt_finding *f = simt_check_note(l, w, e, (uint32_t)__builtin_ctz(here), SIMT_FINDING_WARP, NULL);

	if (f)
		simt_check_text(f,
				"lanes 0x%08x execute a .sync instruction whose member masks name lanes 0x%08x, which "
				"wait at another one",
				here, elsewhere);
}

void simt_check_absent_source(struct simt_launch *l, struct simt_warp *w, const struct simt_exec *e, uint32_t lane,
			      uint32_t from)
{
	struct simt_finding *f = simt_check_note(l, w, e, lane, SIMT_FINDING_WARP, NULL);

	if (f)
		simt_check_text(f,
				"lane %u shuffles from lane %u, which does not execute the shuffle: undefined, here 0",
				lane, from);
}

/* The kernel is named by the fault's own text, which has everything else too. */
void simt_check_fault(struct simt_launch *l)
{
	const enum simt_finding_kind kind =
	    l->fault.kind == SIMT_FAULT_TIMEOUT ? SIMT_FINDING_TIMEOUT : SIMT_FINDING_FAULT;

	if (l->fault.kind != SIMT_FAULT_NONE && l->fault.kind != SIMT_FAULT_STOPPED)
		simt_check_host(simt_memory_check(l->mem), kind, 0, "%s", l->fault.text);
}

uint32_t simt_check_finding_count(const struct simt_check *c)
{
	return c->count;
}

const struct simt_finding *simt_check_finding(const struct simt_check *c, uint32_t i)
{
	CHECK(i < c->count);
	return &c->findings[i];
}

uint64_t simt_check_dropped_count(const struct simt_check *c)
{
	return c->dropped;
}
