/* partitioned.c - see partitioned.h. */
#include "partitioned.h"

#include <stdlib.h>

#include "base/check.h"

enum { WARPS_MAX = 32, TURN_INSTRUCTIONS = 64 };

/* A warp of the running CTA, and its block instance. */
struct place {
	struct nsu_warp *nsu;       /* NULL: no instance is in flight */
	struct simt_access *access; /* by sequence number */
	uint32_t captured_count;
	bool waits;     /* at last_pc */
	uint32_t eager; /* percent of turns in which the NSU runs before the GPU has done its part */
};

struct run {
	struct partitioned *p;
	struct simt_launch *l;
	struct place places[WARPS_MAX];
	uint64_t random;
};

static uint32_t draw(struct run *r, uint32_t below)
{
	r->random = r->random * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(r->random >> 33) % below;
}

/* The NSU executes one instruction if its data are there; the block may end. */
static void step_nsu(struct run *r, struct place *at, struct simt_warp *w)
{
	struct nsu_program *p = r->p->program;
	const struct nsu_inst *n = nsu_warp_next(p, at->nsu);

	if (n->op == NSU_OP_END) {
		if (at->waits) {
			nsu_warp_end(p, r->l, at->nsu, w);
			at->nsu = NULL;
			at->waits = false;
		}
		return;
	}
	if (n->entry_count && n->sequence >= at->captured_count)
		return;
	struct simt_access *access = n->entry_count ? &at->access[n->sequence] : NULL;
	const uint8_t op = n->op;

	if (access)
		CHECK(access->mask == nsu_warp_mask(p, at->nsu));
	nsu_warp_step(p, r->l, at->nsu, access);
	r->p->nsu_inst_count++;
	if (op == NSU_OP_STORE)
		simt_access_write(access);
}

/* The GPU's part of one instruction of the block. */
static bool step_gpu(struct run *r, struct place *at, struct simt_warp *w, struct simt_step *step)
{
	const struct nsu_code *code = r->p->program->code;
	const uint8_t role = code->role[w->pc];

	if (role == NSU_ROLE_GPU || role == NSU_ROLE_BOTH)
		return simt_step(r->l, w, step);
	if (role != NSU_ROLE_NSU && !simt_capture(r->l, w, &at->access[at->captured_count++], step))
		return false;
	if (w->pc == code->blocks[at->nsu->block].last_pc)
		at->waits = true;
	else
		simt_skip(r->l, w);
	return true;
}

static bool is_begin(const struct run *r, const struct simt_warp *w)
{
	const struct nsu_code *code = r->p->program->code;

	return w->pc < code->func->inst_count && code->block_of[w->pc] &&
	       code->blocks[code->block_of[w->pc] - 1].begin_pc == w->pc;
}

static void begin(struct run *r, struct place *at, struct simt_warp *w)
{
	const uint32_t block = r->p->program->code->block_of[w->pc] - 1;

	at->nsu = nsu_warp_begin(r->p->program, r->l, w, block);
	at->captured_count = 0;
	at->waits = false;
	at->eager = draw(r, 3) * 40;
	r->p->instance_count++;
}

static bool run_turn(struct run *r, struct place *at, struct simt_warp *w)
{
	struct simt_step step;

	for (uint32_t n = draw(r, TURN_INSTRUCTIONS) + 1; n && !w->is_done && !w->at_barrier; n--) {
		if (at->nsu && (at->waits || draw(r, 100) < at->eager)) {
			step_nsu(r, at, w);
			continue;
		}
		if (!at->nsu && is_begin(r, w) && draw(r, 100) < r->p->percent)
			begin(r, at, w);
		if (!(at->nsu ? step_gpu(r, at, w, &step) : simt_step(r->l, w, &step)))
			return false;
	}
	return true;
}

static bool run_cta(struct run *r, struct simt_cta *c)
{
	CHECK(simt_cta_warp_count(c) <= WARPS_MAX);
	while (!simt_cta_is_done(c))
		for (uint32_t k = 0; k < simt_cta_warp_count(c); k++)
			if (!run_turn(r, &r->places[k], simt_cta_warp(c, k)))
				return false;
	return true;
}

bool partitioned_run(struct partitioned *p, struct simt_launch *l)
{
	struct run *r = calloc(1, sizeof(*r));
	const uint64_t cta_count = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
	bool ok = true;

	CHECK(r);
	r->p = p;
	r->l = l;
	r->random = p->seed;
	for (uint32_t k = 0; k < WARPS_MAX; k++) {
		r->places[k].access = aligned_alloc(64, 256 * sizeof(struct simt_access));
		CHECK(r->places[k].access);
	}
	for (uint64_t c = 0; ok && c < cta_count; c++) {
		struct simt_cta *cta = simt_cta_begin(l, c, 0);

		ok = run_cta(r, cta);
		if (ok)
			simt_cta_end(cta);
	}
	for (uint32_t k = 0; k < WARPS_MAX; k++)
		free(r->places[k].access);
	free(r);
	return ok;
}
