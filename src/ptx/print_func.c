/* print_func.c - one function with its analyses, for people. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/check.h"
#include "ptx/analysis.h"
#include "ptx/print.h"

static void print_block_list(FILE *out, const char *what, const uint32_t *list, uint32_t count)
{
	fprintf(out, "  %s", what);
	for (uint32_t k = 0; k < count; k++)
		fprintf(out, " B%u", list[k]);
	if (!count)
		fputs(" none", out);
}

static void print_block_head(FILE *out, const struct ptx_cfg *c, uint32_t n)
{
	const struct ptx_block *b = &c->blocks[n];

	fprintf(out, "B%u:", n);
	print_block_list(out, "from", b->preds, b->pred_count);
	print_block_list(out, "to", b->succs, b->succ_count);
	if (b->idom != PTX_NO_BLOCK)
		fprintf(out, "  dominator B%u", b->idom);
	if (b->ipdom == c->block_count)
		fputs("  post-dominator exit", out);
	else
		fprintf(out, "  post-dominator B%u", b->ipdom);
	if (b->loop != UINT32_MAX)
		fprintf(out, "  loop L%u", b->loop);
	fputs(b->is_reachable ? "\n" : "  unreachable\n", out);
}

static uint32_t live_slots(const struct ptx_func *f, const uint64_t *live)
{
	uint32_t n = 0;

	for (uint32_t r = 0; r < f->reg_count; r++)
		if (ptx_bit(live, r) && f->regs[r].type != PTX_PRED)
			n += (ptx_type_bytes(f->regs[r].type) > 4 ? 2u : 1u) * f->regs[r].vec;
	return n;
}

static void print_code(FILE *out, const struct ptx_func *f, const struct ptx_cfg *c, uint64_t *live)
{
	for (uint32_t b = 0; b < c->block_count; b++) {
		print_block_head(out, c, b);
		for (uint32_t n = c->blocks[b].first; n <= c->blocks[b].last; n++) {
			ptx_live_before(c, n, live);
			fprintf(out, "%6u  %3u  ", n, live_slots(f, live));
			ptx_print_inst(out, f, &f->insts[n], "@");
			fputc('\n', out);
		}
	}
}

static void print_loops(FILE *out, const struct ptx_cfg *c)
{
	for (uint32_t k = 0; k < c->loop_count; k++) {
		const struct ptx_loop *l = &c->loops[k];

		fprintf(out, "loop L%u: header B%u, back edge from B%u", k, l->header, l->latch);
		if (l->parent != UINT32_MAX)
			fprintf(out, ", inside L%u", l->parent);
		print_block_list(out, "blocks", l->blocks, l->block_count);
		fputc('\n', out);
	}
}

struct extent {
	uint32_t first, last;
};

static void extend(struct extent *e, uint32_t at)
{
	e->first = at < e->first ? at : e->first;
	e->last = at > e->last ? at : e->last;
}

/* First and last instruction of each register's range, block boundaries included. */
static struct extent *find_extents(const struct ptx_func *f, const struct ptx_cfg *c)
{
	struct extent *e = calloc(f->reg_count + 1u, sizeof(*e));
	struct ptx_reg_use use;

	CHECK(e);
	for (uint32_t r = 0; r < f->reg_count; r++)
		e[r] = (struct extent){UINT32_MAX, 0};
	for (uint32_t n = 0; n < f->inst_count; n++) {
		ptx_inst_regs(&f->insts[n], &use);
		for (uint32_t k = 0; k < use.read_count; k++)
			extend(&e[use.reads[k]], n);
		for (uint32_t k = 0; k < use.write_count; k++)
			extend(&e[use.writes[k]], n);
	}
	for (uint32_t b = 0; b < c->block_count; b++) {
		for (uint32_t r = 0; r < f->reg_count; r++) {
			if (ptx_bit(c->live_in + (size_t)b * c->live_words, r))
				extend(&e[r], c->blocks[b].first);
			if (ptx_bit(c->live_out + (size_t)b * c->live_words, r))
				extend(&e[r], c->blocks[b].last);
		}
	}
	return e;
}

static void print_registers(FILE *out, const struct ptx_func *f, const struct ptx_cfg *c, const struct ptx_alloc *a)
{
	struct extent *e = find_extents(f, c);

	for (uint32_t r = 0; r < f->reg_count; r++) {
		if (a->slot[r] == UINT32_MAX)
			continue;
		fprintf(out, "register %s .%s", f->regs[r].name, ptx_type_name(f->regs[r].type));
		fprintf(out, ": %s %u, live from %u to %u\n", f->regs[r].type == PTX_PRED ? "predicate" : "slot",
			a->slot[r], e[r].first, e[r].last);
	}
	free(e);
}

void ptx_print_func(FILE *out, const struct ptx_func *f, const struct ptx_cfg *c, const struct ptx_alloc *a)
{
	uint64_t *live = calloc(c->live_words + 1u, sizeof(uint64_t));

	CHECK(live);
	fprintf(out, "%s %s: %u instructions, %u blocks, %u loops\n", f->is_entry ? "kernel" : "function", f->name,
		f->inst_count, c->block_count, c->loop_count);
	fprintf(out, "parameters %" PRIu64 " B, shared %" PRIu64 " B, local %" PRIu64 " B, call frame %" PRIu64 " B\n",
		f->param_bytes, f->static_shared_bytes, f->frame_local_bytes, f->frame_param_bytes);
	fprintf(out, "registers: %u of 32 bits (at most %u live at once, constants included), %u predicates\n",
		a->register_count, a->live_max, a->pred_count);
	if (f->unsupported)
		fprintf(out, "cannot run: %s (line %u)\n", f->unsupported, f->unsupported_line);
	fputs("number, live slots before it, instruction; @N is the instruction numbered N\n", out);
	print_code(out, f, c, live);
	print_loops(out, c);
	print_registers(out, f, c, a);
	free(live);
}
