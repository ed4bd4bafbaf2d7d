/* fault.c - the one message of a launch that went wrong: kernel, PTX line, CTA, thread, what, nearest allocation. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "simt/state.h"

struct text {
	char *at;
	size_t left;
};

static void add(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void add(struct text *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	int n = vsnprintf(t->at, t->left, fmt, ap);
	va_end(ap);
	size_t used = n < 0 ? 0 : (size_t)n < t->left ? (size_t)n : t->left - 1;

	t->at += used;
	t->left -= used;
}

static void add_place(struct text *t, const struct simt_launch *l, const struct simt_warp *w, const struct simt_exec *e,
		      uint32_t lane)
{
	const struct simt_cta *c = w->cta;
	uint64_t thread = (uint64_t)w->index_in_cta * SIMT_LANES + lane;

	add(t, "kernel %s", l->program->name);
	if (e && e->ptx->line) {
		const struct ptx_module *m = simt_program_of(l)->module->ptx;
		const struct ptx_loc *loc = e->ptx->loc ? &m->locs[e->ptx->loc] : NULL;

		add(t, ", %s line %u (%s)", m->name, e->ptx->line,
		    e->ptx->text ? e->ptx->text : ptx_op_name(e->ptx->op));
		if (loc && loc->line && loc->file < m->file_count && m->files[loc->file])
			add(t, ", source %s:%u", m->files[loc->file], loc->line);
	}
	add(t, ", CTA (%u,%u,%u), thread (%llu,%llu,%llu): ", c->id[0], c->id[1], c->id[2],
	    (unsigned long long)(thread % l->block[0]), (unsigned long long)(thread / l->block[0] % l->block[1]),
	    (unsigned long long)(thread / l->block[0] / l->block[1]));
}

static struct text begin(struct simt_launch *l, const struct simt_warp *w, const struct simt_exec *e, uint32_t lane,
			 enum simt_fault_kind kind)
{
	struct text t = {l->fault.text, sizeof(l->fault.text)};

	l->fault.kind = kind;
	add_place(&t, l, w, e, lane);
	return t;
}

enum simt_next simt_fault(struct simt_launch *l, const struct simt_warp *w, const struct simt_exec *e, uint32_t lane,
			  enum simt_fault_kind kind, const char *fmt, ...)
{
	char what[384];
	va_list ap;

	if (l->fault.kind)
		return SIMT_FAULTED;
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	struct text t = begin(l, w, e, lane, kind);

	add(&t, "%s", what);
	return SIMT_FAULTED;
}

/* What a thread has of local memory: frames, and below them what is left of its stack. */
static void describe_local(struct text *t, const struct simt_warp_state *s)
{
	const uint64_t first = SIMT_LOCAL_BASE - s->below_bytes;

	add(t, " of local memory; the thread's is 0x%llx to 0x%llx, its frames begin at 0x%llx",
	    (unsigned long long)first, (unsigned long long)(SIMT_LOCAL_BASE + s->local_bytes - 1),
	    (unsigned long long)s->frame.local_at);
	if (s->below_bytes)
		add(t, " (what lies below is unused stack: cudaLimitStackSize)");
}

enum simt_next simt_fault_access(struct simt_launch *l, const struct simt_warp *w, const struct simt_exec *e,
				 uint32_t lane, bool is_store, enum simt_space space, uint64_t addr, uint32_t bytes,
				 uint64_t limit)
{
	static const char *const spaces[] = {[SIMT_MEM_SHARED] = "shared memory",
					     [SIMT_MEM_PARAM] = "parameter space",
					     [SIMT_MEM_TEXTURE] = "texture"};

	if (l->fault.kind)
		return SIMT_FAULTED;
	struct text t = begin(l, w, e, lane, SIMT_FAULT_ADDRESS);

	add(&t, "illegal %s of %u bytes at 0x%llx", is_store ? "write" : "read", bytes, (unsigned long long)addr);
	if (space == SIMT_MEM_GLOBAL)
		simt_memory_describe_access(l->mem, addr, bytes, l->fault.text, sizeof(l->fault.text));
	else if (space == SIMT_MEM_LOCAL)
		describe_local(&t, w->state);
	else
		add(&t, " of %s, which has %llu bytes", spaces[space], (unsigned long long)limit);
	return SIMT_FAULTED;
}

enum simt_next simt_fault_align(struct simt_launch *l, const struct simt_warp *w, const struct simt_exec *e,
				uint32_t lane, bool is_store, uint64_t addr, uint32_t bytes)
{
	if (l->fault.kind)
		return SIMT_FAULTED;
	struct text t = begin(l, w, e, lane, SIMT_FAULT_ALIGNMENT);

	add(&t, "misaligned %s at 0x%llx: the address must be a multiple of %u", is_store ? "write" : "read",
	    (unsigned long long)addr, bytes);
	return SIMT_FAULTED;
}
