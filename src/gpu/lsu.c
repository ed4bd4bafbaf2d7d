/* lsu.c - the load-store unit: memory instructions queue in order; the head gives one pass over the shared-memory
 * banks, one constant word, or one line per cycle. A line that finds no MSHR, miss-queue place or store-buffer place
 * holds everything behind it. With an MMU, a line whose page the TLB lacks waits there and comes back when its walk has
 * ended.
 */
#include "gpu/accounting.h"
#include "gpu/audit_log.h"
#include "gpu/beside.h"
#include "gpu/mmu.h"
#include "gpu/pages.h"
#include "gpu/priv.h"
#include "mem/sectors.h"

#include <glib.h>
#include <string.h>

/* The slot of the CTA that the ticket is of; by now it may be another's. */
static struct sm_cta *cta_of(struct sm *sm, uint32_t ticket)
{
	return &sm->ctas[ticket & ((1u << SM_CTA_SLOT_BITS) - 1)];
}

/* ---- run.audit ---- */

/* What acknowledges itself: lines of stores, and of atomics whose result nobody uses. */
static void audit_store_issued(struct sm *sm, const struct sm_warp *w, const struct lsu_entry *e)
{
	if (w->cta_slot != SM_NO_CTA)
		audit_say(sm, &(struct audit_record){AUDIT_STORE_ISSUED, e->count,
						     .value = sm->ctas[w->cta_slot].index});
}

static void audit_store_sent(struct sm *sm, const struct lsu_entry *e, struct mem_req *r)
{
	const struct sm_cta *c = cta_of(sm, e->cta);

	if (c->cta && c->ticket == e->cta)
		audit_say(sm, &(struct audit_record){AUDIT_STORE_SENT, .request = r, .value = c->index});
}

/* ---- accesses ---- */

static uint32_t access_new(struct sm *sm, struct sm_warp *w, const struct simt_inst *inst, uint32_t parts)
{
	uint32_t i = sm->access_free;

	if (unlikely(i == SM_NO_ACCESS)) {
		uint32_t old = sm->access_cap;

		sm->access_cap = old ? 2 * old : 128;
		sm->accesses = g_renew(struct sm_access, sm->accesses, sm->access_cap);
		for (i = old; i < sm->access_cap; i++)
			sm->accesses[i] =
			    (struct sm_access){.next_free = i + 1 < sm->access_cap ? i + 1 : SM_NO_ACCESS};
		i = old;
	}
	sm->access_free = sm->accesses[i].next_free;
	sm->accesses[i] = (struct sm_access){.inst = inst, .parts_left = parts, .slot = w->slot};
	w->loads_pending++;
	if (unlikely(inst->flags & SIMT_COPY))
		sm_copy_begin(w, &sm->accesses[i]);
	return i;
}

/* One part of an access has its data at cycle ready. Returns true when it was the last one. */
static inline __attribute__((always_inline)) bool part_done(struct sm *sm, uint32_t index, uint32_t ready)
{
	struct sm_access *a = &sm->accesses[index];
	struct sm_warp *w = &sm->warps[a->slot];
	const uint16_t *writes;

	if (ready > a->ready)
		a->ready = ready;
	if (--a->parts_left)
		return false;
	writes = sm->gpu->launch->program->sb + a->inst->sb_first + a->inst->read_count;
	for (uint32_t i = 0; i < a->inst->write_count; i++)
		w->sb[writes[i]] = a->ready << 1 | 1;
	a->next_free = sm->access_free;
	sm->access_free = index;
	w->loads_pending--;
	if (unlikely(a->inst->flags & SIMT_COPY))
		sm_copy_done(w, a);
	if (sm_is_watched(w, GPU_POINT_RETURNED))
		gpu_ext_returned(sm, w, true);
	if (w->wait == SM_WAIT_MEMORY || w->wait == SM_WAIT_FENCE)
		sm_evaluate(sm, w);
	return true;
}

static __attribute__((noinline)) bool part_accounted(struct sm *sm, uint32_t index, uint32_t ready)
{
	account_part(sm->gpu->account, sm, index, ready);
	return part_done(sm, index, ready);
}

bool lsu_access_part(struct sm *sm, uint32_t index, uint32_t ready)
{
	if (unlikely(sm->gpu->account != NULL))
		return part_accounted(sm, index, ready);
	return part_done(sm, index, ready);
}

static bool bypasses_l1(const struct simt_inst *inst)
{
	return inst->cache == PTX_CG || inst->cache == PTX_CV || inst->sem != PTX_SEM_WEAK;
}

/* What a store writes, where the L2 keeps sectors of lines. */
static void store_bytes(const struct sm *sm, struct lsu_entry *e, const struct simt_step *step, uint32_t lane_bytes)
{
	if (unlikely(sm->gpu->l2_has_sectors))
		coalesce_bytes(step->addr, step->access_mask, lane_bytes, e->lines, e->count, e->bytes);
}

static void classify_global(struct sm *sm, struct lsu_entry *e, const struct simt_step *step)
{
	const struct simt_inst *inst = step->inst;
	struct sm_stats *st = &sm->stats;

	bool is_local = step->space == SIMT_MEM_LOCAL;

	e->count = coalesce_lines(step->addr, step->access_mask, inst->access_bytes * inst->vec, e->lines);
	if (inst->flags & SIMT_ATOMIC) {
		e->kind = LSU_ATOMIC;
		e->port = inst->write_count ? SM_PORT_ATOMIC : SM_PORT_REDUCTION;
		coalesce_atomics(step->addr, step->access_mask, inst->access_bytes * inst->vec,
				 (uint32_t)sm->gpu->config->gpu.l2_atomic_bytes, e->lines, e->count);
		st->atomic_instructions++;
		st->atomic_lines += e->count;
	} else if (inst->flags & SIMT_STORE) {
		e->kind = LSU_STORE;
		e->port = SM_PORT_STORE;
		store_bytes(sm, e, step, inst->access_bytes * inst->vec);
		st->store_instructions++;
		st->store_lines += e->count;
		st->spill_stores += (inst->flags & SIMT_SPILL) != 0;
	} else {
		e->kind = LSU_LOAD;
		e->is_bypassing = !sm->has_caches || bypasses_l1(inst);
		if (e->is_bypassing)
			e->port = is_local ? SM_PORT_LOCAL_LOAD : SM_PORT_LOAD;
		else
			e->port = is_local ? SM_PORT_LOCAL : SM_PORT_DATA;
		if (unlikely(sm->loads_are_coalesced))
			e->count = coalesce_squeeze(e->lines, e->count);
		st->load_instructions++;
		st->load_lines += e->count;
		st->spill_loads += (inst->flags & SIMT_SPILL) != 0;
	}
}

/* Lanes pass over the banks of shared memory. */
static void pass_banks(struct sm *sm, struct lsu_entry *e, const struct simt_inst *inst, const uint64_t *at,
		       uint32_t mask)
{
	e->passes = coalesce_bank_passes(at, mask, inst->access_bytes * inst->vec, sm->bank_count,
					 inst->flags & SIMT_ATOMIC);
	e->latency = (uint32_t)sm->gpu->config->sm.shared_latency_cycles;
	sm->stats.shared_accesses += e->passes;
	sm->stats.shared_conflicts += e->passes - 1;
	if (unlikely(sm->far_shared))
		lsu_far_bytes(e, inst, mask);
}

/* What a copy writes to shared memory, or reads from there, passes over the banks like a store or a load; the time is
 * taken when it begins. */
static void classify_copy(struct sm *sm, struct lsu_entry *e, const struct simt_step *step)
{
	if (step->access_mask)
		classify_global(sm, e, step);
	sm->stats.async_copies += (step->inst->flags & SIMT_COPY) != 0;
	if (!step->exec_mask || !step->copy_mask)
		return;
	pass_banks(sm, e, step->inst, step->copy_at, step->copy_mask);
}

static void classify_const(struct sm *sm, struct lsu_entry *e, const struct simt_step *step, uint32_t mask)
{
	uint32_t words = coalesce_distinct_words(step->addr, mask);

	e->kind = LSU_CONST;
	e->port = SM_PORT_CONST;
	e->latency = (uint32_t)sm->gpu->config->l1c.hit_latency_cycles;
	e->count = coalesce_lines(step->addr, mask, step->inst->access_bytes, e->lines);
	e->passes = words > e->count ? words - e->count : 0;
	sm->stats.constant_instructions++;
	sm->stats.constant_accesses += words;
}

static void classify_texture(struct sm *sm, struct lsu_entry *e, const struct simt_step *step)
{
	uint32_t bytes = step->inst->access_bytes ? step->inst->access_bytes : 4;

	e->count = coalesce_lines(step->addr, step->access_mask, bytes, e->lines);
	e->kind = step->inst->flags & SIMT_STORE ? LSU_STORE : LSU_TEXTURE;
	if (e->kind == LSU_STORE) {
		e->port = SM_PORT_STORE;
		store_bytes(sm, e, step, bytes);
	} else {
		e->port = sm->has_caches ? SM_PORT_TEXTURE : SM_PORT_TEXTURE_LOAD;
	}
	sm->stats.texture_instructions++;
	sm->stats.texture_lines += e->count;
}

/* By the memory that is accessed. */
static void classify_space(struct sm *sm, struct lsu_entry *e, const struct simt_step *step)
{
	switch (step->space) {
	case SIMT_MEM_GLOBAL:
	case SIMT_MEM_LOCAL:
	case SIMT_MEM_GENERIC:
		if (step->access_mask)
			classify_global(sm, e, step);
		if (step->shared_mask)
			pass_banks(sm, e, step->inst, step->addr, step->shared_mask);
		break;
	case SIMT_MEM_SHARED:
		if (step->access_mask | step->shared_mask)
			pass_banks(sm, e, step->inst, step->addr, step->access_mask | step->shared_mask);
		break;
	case SIMT_MEM_CONST:
		if (step->access_mask)
			classify_const(sm, e, step, step->access_mask);
		break;
	case SIMT_MEM_TEXTURE:
		if (step->access_mask)
			classify_texture(sm, e, step);
		break;
	case SIMT_MEM_PARAM:
		if (sm->gpu->config->sm.params_cached && step->inst->flags & SIMT_KERNEL_PARAM && step->exec_mask) {
			classify_const(sm, e, step, step->exec_mask);
			for (uint32_t i = 0; i < e->count; i++)
				e->lines[i].addr_bytes += GPU_PARAM_BASE;
			break;
		}
		e->passes = 1;
		e->latency = (uint32_t)sm->gpu->config->l1c.hit_latency_cycles;
		sm->stats.constant_instructions++;
		sm->stats.constant_accesses++;
		break;
	default:
		break;
	}
}

static void classify(struct sm *sm, struct lsu_entry *e, const struct simt_step *step)
{
	e->kind = LSU_FIXED;
	e->is_bypassing = e->is_translated = e->is_far = false;
	e->passes = e->count = e->next = 0;
	if (unlikely(step->inst->flags & (SIMT_COPY | SIMT_FROM_SHARED)))
		classify_copy(sm, e, step);
	else
		classify_space(sm, e, step);
	if (e->passes + e->count == 0) { /* shuffles, and accesses that no lane makes */
		e->passes = 1;
		e->latency = (uint32_t)sm->gpu->config->sm.shared_latency_cycles;
	}
	if (step->inst->flags & SIMT_SHUFFLE)
		sm->stats.shuffles++;
}

/* The CTA's stores, and atomics whose result nobody uses, are its own until each line is acknowledged. */
static void cta_stores(struct sm *sm, const struct sm_warp *w, struct lsu_entry *e)
{
	struct sm_cta *c = &sm->ctas[w->cta_slot];

	e->cta = c->ticket;
	c->stores_pending += e->count;
	if (unlikely(sm->gpu->audit))
		audit_store_issued(sm, w, e);
}

void lsu_issue(struct sm *sm, struct sm_warp *w, const struct simt_step *step)
{
	struct lsu_entry *e = base_ring_push(&sm->lsu);
	const struct simt_inst *inst = step->inst;
	const uint16_t *writes = sm->gpu->launch->program->sb + inst->sb_first + inst->read_count;

	e->slot = w->slot;
	e->due = sm->now + (uint32_t)sm->gpu->config->sm.lsu_entry_cycles;
	classify(sm, e, step);
	if (sm_is_watched(w, GPU_POINT_ACCESS) && e->kind != LSU_CONST)
		gpu_ext_access(sm, w, step, e->lines, e->count);
	e->access = SM_NO_ACCESS;
	if (e->kind == LSU_STORE || e->kind == LSU_ATOMIC) {
		/* Under way from now on, for fences and offload requests, not only once its lines leave. */
		e->store_bank = sm_store_begin(sm);
		e->issue_units = sim_now_units(sm->gpu->engine);
		w->stores_pending++;
	}
	if (inst->write_count == 0 && !(inst->flags & SIMT_COPY)) {
		if (e->kind == LSU_STORE || e->kind == LSU_ATOMIC)
			cta_stores(sm, w, e);
		return;
	}
	e->access = access_new(sm, w, inst, e->count + (e->passes ? 1 : 0));
	if (unlikely(inst->flags & SIMT_COPY && step->exec_mask))
		sm->accesses[e->access].complete = step->complete;
	for (uint32_t i = 0; i < inst->write_count; i++)
		w->sb[writes[i]] = SM_SB_PENDING;
}

/* ---- one line ---- */

static void request_init(const struct sm *sm, struct mem_req *r, const struct lsu_entry *e,
			 const struct coalesced_line *l, enum mem_op op, uint32_t size_bytes, struct sm_warp *w)
{
	r->addr_bytes = l->addr_bytes;
	r->size_bytes = (uint16_t)size_bytes;
	mem_req_set_access(r, op, MEM_KIND_DATA);
	r->port = port_number(sm, e->port);
	r->tag = e->access;
	r->owner = w;
}

/* Sends a request for words of the line. */
static void push_words(struct sm *sm, struct mem_req *r, const struct coalesced_line *l)
{
	if (unlikely(sm->gpu->l2_has_sectors)) {
		const struct mem_req_bytes b = coalesce_bytes_of_words(l->word_mask);

		port_push_bytes(sm, r, &b);
	} else {
		port_push(sm, r);
	}
}

static bool wait_for_port(struct sm *sm)
{
	sm->lsu_waits_port |= sm->lsu_at;
	sm->stats.request_stalls++;
	return false;
}

static bool line_through_cache(struct sm *sm, struct lsu_entry *e, const struct coalesced_line *l,
			       struct mem_cache *cache, uint32_t hit_latency)
{
	struct mem_req *r = sm->spare;
	uint32_t mshr;

	if (!port_has_room(sm, 1))
		return wait_for_port(sm);
	request_init(sm, r, e, l, MEM_READ, mem_cache_line_bytes(cache), NULL);
	r->issue_units = sim_now_units(sm->gpu->engine);
	switch (mem_cache_read(cache, r, &mshr)) {
	case MEM_CACHE_HIT:
		if (unlikely(sm->gpu->audit) && cache == sm->l1d)
			audit_hit(sm, &sm->warps[e->slot], r);
		lsu_access_part(sm, e->access, sm->now + hit_latency + sm->tlb_latency);
		return true;
	case MEM_CACHE_MISS:
		sm->spare = sm_req_get(sm);
		r = sm_req_get(sm);
		request_init(sm, r, e, l, MEM_READ, mem_cache_line_bytes(cache), NULL);
		r->tag = mshr;
		port_push(sm, r);
		return true;
	case MEM_CACHE_MERGED:
		sm->spare = sm_req_get(sm);
		return true;
	default:
		sm->lsu_waits_fill |= sm->lsu_at;
		return false;
	}
}

/* What a load lacks in the L1D, by sectors, in one request. */
static void ask_for_sectors(struct sm *sm, const struct lsu_entry *e, const struct coalesced_line *l, uint32_t mshr,
			    uint32_t sectors)
{
	const uint32_t count = (uint32_t)__builtin_popcount(sectors);
	struct mem_req *r = sm_req_get(sm);
	struct mem_req_bytes bytes = {{0, 0}};

	request_init(sm, r, e, l, MEM_READ, count * sm->l1d_sector_bytes, NULL);
	r->tag = mshr;
	for (; sectors; sectors &= sectors - 1) {
		const struct mem_req_bytes s =
		    mem_sector_bytes((uint32_t)__builtin_ctz(sectors), sm->l1d_sector_bytes);

		bytes.mask[0] |= s.mask[0];
		bytes.mask[1] |= s.mask[1];
	}
	port_push_bytes(sm, r, &bytes);
}

static bool line_by_sectors(struct sm *sm, struct lsu_entry *e, const struct coalesced_line *l, uint32_t hit_latency)
{
	const struct mem_req_bytes bytes = coalesce_bytes_of_words(l->word_mask);
	struct mem_req *r = sm->spare;
	enum mem_cache_result result;
	uint32_t mshr, sectors;

	if (!port_has_room(sm, 1))
		return wait_for_port(sm);
	request_init(sm, r, e, l, MEM_READ, mem_cache_line_bytes(sm->l1d), NULL);
	r->issue_units = sim_now_units(sm->gpu->engine);
	result = mem_cache_read_sectors(sm->l1d, r, &bytes, &mshr, &sectors);
	if (result == MEM_CACHE_HIT) {
		if (unlikely(sm->gpu->audit))
			audit_hit(sm, &sm->warps[e->slot], r);
		lsu_access_part(sm, e->access, sm->now + hit_latency + sm->tlb_latency);
		return true;
	}
	if (result == MEM_CACHE_STALL) {
		sm->lsu_waits_fill |= sm->lsu_at;
		return false;
	}
	if (result == MEM_CACHE_MISS)
		ask_for_sectors(sm, e, l, mshr, sectors);
	sm->spare = sm_req_get(sm);
	return true;
}

static bool line_bypassing(struct sm *sm, struct lsu_entry *e, const struct coalesced_line *l)
{
	struct mem_req *r;

	if (!port_has_room(sm, 1))
		return wait_for_port(sm);
	r = sm_req_get(sm);
	request_init(sm, r, e, l, MEM_READ, coalesce_sector_bytes(l->word_mask, sm->sector_bytes), &sm->warps[e->slot]);
	push_words(sm, r, l);
	return true;
}

/* Stores and reductions hold a place of the store buffer until they are acknowledged. */
static bool store_place(struct sm *sm, struct sm_warp *w)
{
	if (!port_has_room(sm, 1))
		return wait_for_port(sm);
	if (sm->stores_left == 0) {
		sm->lsu_waits_fill |= sm->lsu_at;
		return false;
	}
	sm->stores_left--;
	w->stores_pending++;
	return true;
}

static bool line_store(struct sm *sm, struct lsu_entry *e, const struct coalesced_line *l)
{
	struct sm_warp *w = &sm->warps[e->slot];
	struct mem_req *r;
	uint32_t mshr;

	if (!store_place(sm, w))
		return false;
	r = sm_req_get(sm);
	request_init(sm, r, e, l, MEM_WRITE, coalesce_sector_bytes(l->word_mask, sm->sector_bytes), w);
	/* From its first sector on: writes of one line that wait for the same link may lie apart. */
	r->addr_bytes += (4 * (uint32_t)__builtin_ctz(l->word_mask)) & ~(sm->sector_bytes - 1);
	r->tag = e->cta;
	r->store_bank = (uint8_t)(e->store_bank & 1);
	sm->store_counts[e->store_bank]++;
	if (likely(sm->has_caches))
		CHECK(mem_cache_write(sm->l1d, r, &mshr) == MEM_CACHE_WRITE_THROUGH);
	if (sm_is_watched(w, GPU_POINT_STORE))
		gpu_ext_store(sm, w, l->addr_bytes);
	if (unlikely(sm->gpu->audit)) {
		audit_store(sm, r, w, e->issue_units);
		audit_store_sent(sm, e, r);
	}
	if (unlikely(sm->gpu->l2_has_sectors))
		port_push_bytes(sm, r, &e->bytes[e->next]);
	else
		port_push(sm, r);
	return true;
}

static bool line_atomic(struct sm *sm, struct lsu_entry *e, const struct coalesced_line *l)
{
	struct sm_warp *w = &sm->warps[e->slot];
	struct mem_req *r;

	if (e->access == SM_NO_ACCESS ? !store_place(sm, w) : !port_has_room(sm, 1) && !wait_for_port(sm))
		return false;
	mem_cache_invalidate_line(sm->l1d, l->addr_bytes);
	if (sm_is_watched(w, GPU_POINT_STORE))
		gpu_ext_store(sm, w, l->addr_bytes);
	r = sm_req_get(sm);
	request_init(sm, r, e, l, MEM_ATOMIC, 4u * l->word_count, w);
	CHECK(l->access_count <= MEM_REQ_ACCESSES_MAX);
	r->access_count = (uint8_t)l->access_count;
	r->brings_data = e->access != SM_NO_ACCESS;
	r->store_bank = (uint8_t)(e->store_bank & 1);
	sm->store_counts[e->store_bank]++; /* until the L2 has written it on */
	if (!r->brings_data) {
		r->tag = e->cta;
		if (unlikely(sm->gpu->audit))
			audit_store_sent(sm, e, r);
	}
	push_words(sm, r, l);
	return true;
}

/* Nobody waits for what it brings: it is left out. */
static bool is_prefetch(const struct lsu_entry *e)
{
	return e->access == SM_NO_ACCESS && e->kind != LSU_STORE && e->kind != LSU_ATOMIC;
}

/* Stores that wait behind the LSU's queue are under way like the rest of their instruction. */
static void store_waits(struct sm *sm, const struct lsu_entry *e)
{
	if (e->kind != LSU_STORE && e->kind != LSU_ATOMIC)
		return;
	sm->store_counts[e->store_bank]++;
	sm->warps[e->slot].stores_pending++;
}

static bool goes_to_l1d(const struct lsu_entry *e)
{
	return e->kind == LSU_STORE || (e->kind == LSU_LOAD && !e->is_bypassing);
}

/* The next line enters the way to the L1D's tags. */
static bool line_enter(struct sm *sm, const struct lsu_entry *e)
{
	struct lsu_entry *way;

	if (sm->lines.count == sm->lines.cap)
		return false;
	way = base_ring_push(&sm->lines);
	memcpy(way, e, offsetof(struct lsu_entry, lines));
	way->count = 1;
	way->next = 0;
	way->due = sm->now + sm->lines.cap;
	way->lines[0] = e->lines[e->next];
	way->bytes[0] = e->bytes[e->next];
	store_waits(sm, e);
	return true;
}

static bool line_do(struct sm *sm, struct lsu_entry *e)
{
	const struct coalesced_line *l = &e->lines[e->next];
	const struct gpu_config *c = sm->gpu->config;

	if (is_prefetch(e))
		return true;
	if (sm->lines.cap && sm->lsu_at == LSU_AT_QUEUE && goes_to_l1d(e))
		return line_enter(sm, e);
	switch (e->kind) {
	case LSU_LOAD:
		if (e->is_bypassing)
			return line_bypassing(sm, e, l);
		if (unlikely(sm->l1d_sector_bytes))
			return line_by_sectors(sm, e, l, (uint32_t)c->l1d.hit_latency_cycles);
		return line_through_cache(sm, e, l, sm->l1d, (uint32_t)c->l1d.hit_latency_cycles);
	case LSU_STORE:
		return line_store(sm, e, l);
	case LSU_ATOMIC:
		return line_atomic(sm, e, l);
	case LSU_CONST:
		return line_through_cache(sm, e, l, sm->l1c, (uint32_t)c->l1c.hit_latency_cycles);
	case LSU_CARRIED:
		if (sm->gpu->exts.items[e->ext].ops->line(sm->gpu->exts.items[e->ext].self, sm, e, l))
			return true;
		sm->lsu_waits_fill |= sm->lsu_at; /* until the extension clears it */
		return false;
	case LSU_TEXTURE:
		if (unlikely(!sm->has_caches))
			return line_bypassing(sm, e, l);
		return line_through_cache(sm, e, l, sm->l1t, (uint32_t)c->l1t.hit_latency_cycles);
	default:
		UNREACHABLE("an entry of fixed latency has no lines");
	}
}

/* One store less under way: at a fence, or where an extension says so, the warp waits for the last. */
static bool store_done(struct sm *sm, struct sm_warp *w)
{
	bool is_wanted = sm_is_watched(w, GPU_POINT_RETURNED) && gpu_ext_returned(sm, w, false);

	if (--w->stores_pending || (w->wait != SM_WAIT_FENCE && !is_wanted))
		return false;
	sm_evaluate(sm, w);
	return true;
}

static void stores_sent(struct sm *sm, const struct lsu_entry *e)
{
	if (e->kind == LSU_STORE || e->kind == LSU_ATOMIC) {
		sm_store_end(sm, e->store_bank);
		store_done(sm, &sm->warps[e->slot]);
	}
}

static void pop_if_done(struct sm *sm, const struct lsu_entry *e)
{
	if (e->passes || e->next < e->count)
		return;
	base_ring_pop(&sm->lsu);
	stores_sent(sm, e);
}

/* The next line of the first entry. False: it holds everything behind it. */
static bool line_translate_and_do(struct sm *sm, struct lsu_entry *e)
{
	if (unlikely(sm->gpu->pages != NULL) && e->next == 0 && e->kind != LSU_CONST && !is_prefetch(e) &&
	    !pages_are_here(sm->gpu->pages, sm, e))
		return false;
	if (likely(!sm->mmu) || e->is_translated || is_prefetch(e))
		return line_do(sm, e);
	switch (mmu_translate(sm->mmu, e)) {
	case MMU_HIT:
		e->is_translated = true;
		return line_do(sm, e);
	case MMU_WAITS:
		store_waits(sm, e);
		return true;
	default:
		return false;
	}
}

static uint32_t next_tick(const struct sm *sm)
{
	return sm->lsu_ready_count || (sm->lsu.count && !sm->lsu_waits_walk) ? sm->lsu_free : SM_NEVER;
}

/* A line whose walk has ended. */
static uint32_t tick_ready(struct sm *sm)
{
	struct lsu_entry *e = mmu_ready(sm->mmu);

	if (!line_do(sm, e))
		return SM_NEVER;
	stores_sent(sm, e);
	mmu_ready_done(sm->mmu);
	sm->lsu_free = sm->now + 1;
	return next_tick(sm);
}

/* The first of the lines on their way to the L1D is looked up there. */
static uint32_t tick_lines(struct sm *sm)
{
	struct lsu_entry *e = base_ring_first(&sm->lines);
	bool is_done;

	if ((sm->lsu_waits_fill | sm->lsu_waits_port) & LSU_AT_LINES)
		return SM_NEVER;
	if (e->due > sm->now)
		return e->due;
	sm->lsu_at = LSU_AT_LINES;
	is_done = line_do(sm, e);
	sm->lsu_at = LSU_AT_QUEUE;
	if (!is_done)
		return SM_NEVER;
	stores_sent(sm, e);
	base_ring_pop(&sm->lines);
	return sm->now + 1;
}

/* The entry passes over the banks of shared memory, or reads constants. */
static void passes_do(struct sm *sm, struct lsu_entry *e)
{
	const uint32_t ready = sm->now + e->passes - 1 + e->latency;

	sm->lsu_free = sm->now + e->passes;
	if (unlikely(e->is_far)) {
		lsu_far_issue(sm, e);
		return;
	}
	e->passes = 0;
	if (e->access != SM_NO_ACCESS)
		lsu_access_part(sm, e->access, ready);
	else if (unlikely(e->kind == LSU_CARRIED))
		sm->gpu->exts.items[e->ext].ops->passed(sm->gpu->exts.items[e->ext].self, &sm->warps[e->slot], ready);
}

static uint32_t tick_queue(struct sm *sm)
{
	if (!(sm->lsu.count | sm->lsu_ready_count) || ((sm->lsu_waits_fill | sm->lsu_waits_port) & LSU_AT_QUEUE))
		return SM_NEVER;
	if (sm->lsu_free > sm->now)
		return sm->lsu_free;
	if (unlikely(sm->lsu_ready_count))
		return tick_ready(sm);
	if (unlikely(sm->lsu_waits_walk))
		return SM_NEVER;

	struct lsu_entry *e = base_ring_first(&sm->lsu);

	if (e->due > sm->now)
		return e->due;
	if (e->passes) {
		passes_do(sm, e);
	} else {
		if (!line_translate_and_do(sm, e))
			return SM_NEVER;
		e->next++;
		e->is_translated = false;
		sm->lsu_free = sm->now + 1;
	}
	pop_if_done(sm, e);
	return next_tick(sm);
}

uint32_t lsu_tick(struct sm *sm)
{
	const bool had_lines = sm->lines.count;
	uint32_t next = unlikely(had_lines) ? tick_lines(sm) : SM_NEVER, at = tick_queue(sm);

	if (unlikely(sm->lines.count && !had_lines))
		next = base_ring_first(&sm->lines)->due;
	return at < next ? at : next;
}

/* ---- answers ---- */

/* An answer is here. */
static void answer_begin(const struct sm_port *p, struct mem_req *r)
{
	port_answered(p->sm, r, p->latency_ps);
	p->sm->answer = r;
}

/* It has been used. */
static void answer_end(struct sm *sm, struct mem_req *r, bool needs_tick)
{
	sm->answer = NULL;
	sm_req_put(sm, r);
	if (needs_tick)
		sm_wake(sm, sm->now);
}

static bool store_acknowledged(struct sm *sm, struct mem_req *r)
{
	bool needs_tick = sm->lsu_waits_fill != 0;
	struct sm_cta *c = cta_of(sm, r->tag);

	if (unlikely(sm->gpu->audit))
		audit_say(sm, &(struct audit_record){AUDIT_STORE_ACKNOWLEDGED, .request = r});
	if (c->ticket == r->tag && --c->stores_pending == 0 && unlikely(c->watcher))
		c->watcher->ops->cta_stored(c->watcher->self);
	sm->stores_left++;
	sm->lsu_waits_fill = 0;
	return store_done(sm, r->owner) | needs_tick;
}

/* Those that waited for the line, if nothing of what it lacks is still on its way. */
static struct mem_req *sectors_filled(struct sm *sm, struct mem_req *reply)
{
	const uint32_t count = mem_cache_line_bytes(sm->l1d) / sm->l1d_sector_bytes;
	uint32_t sectors = mem_sectors_of(mem_req_bytes_of(reply), sm->l1d_sector_bytes, count);
	struct mem_cache_victim victim; /* is never dirty */
	struct mem_req *first = NULL;

	for (; sectors; sectors &= sectors - 1)
		first = mem_cache_fill_sector(sm->l1d, reply->tag, (uint32_t)__builtin_ctz(sectors), &victim);
	return first;
}

static bool line_filled(struct sm *sm, struct mem_cache *cache, struct mem_req *reply)
{
	uint64_t victim;
	bool is_audited = sm->gpu->audit && cache == sm->l1d;
	bool is_kept = !mem_cache_mshr_is_stale(cache, reply->tag);
	struct mem_req *r = cache == sm->l1d && sm->l1d_sector_bytes ? sectors_filled(sm, reply)
								     : mem_cache_fill(cache, reply->tag, &victim);
	bool needs_tick = sm->lsu_waits_fill != 0;

	sm->lsu_waits_fill = 0;
	if (unlikely(is_audited) && is_kept)
		audit_say(sm, &(struct audit_record){AUDIT_FILL, sm->index, .request = reply});
	while (r) {
		struct mem_req *next = r->next;

		if (unlikely(is_audited))
			audit_load(sm, &sm->warps[sm->accesses[r->tag].slot], reply, r->issue_units);
		needs_tick |= lsu_access_part(sm, r->tag, sm->now + 1 + sm->tlb_latency);
		sm_req_put(sm, r);
		r = next;
	}
	return needs_tick;
}

static void take_line(void *self, struct mem_req *r)
{
	const struct sm_port *p = self;

	answer_begin(p, r);
	answer_end(p->sm, r, line_filled(p->sm, p->cache, r));
}

static void line_comes(void *self, const struct mem_req *r)
{
	const struct sm_port *p = self;

	if (!p->sm->gpu->keeps_answers) /* else another core may have its lines */
		mem_cache_prefetch(p->cache, r->addr_bytes);
}

static void take_load(void *self, struct mem_req *r)
{
	const struct sm_port *p = self;
	struct sm *sm = p->sm;

	answer_begin(p, r);
	answer_end(sm, r, lsu_access_part(sm, r->tag, sm->now + 1 + sm->tlb_latency));
}

static void take_store(void *self, struct mem_req *r)
{
	const struct sm_port *p = self;

	answer_begin(p, r);
	if (unlikely(p->sm->gpu->account != NULL))
		account_answered(p->sm->gpu->account, p->sm, ACCOUNT_FENCE, r);
	sm_store_end(p->sm, r->store_bank);
	answer_end(p->sm, r, store_acknowledged(p->sm, r));
}

/* What an SM in a stack has written there, or in the host's memory, the L2 is to drop. */
static void store_served(void *self, struct mem_req *r, uint32_t where)
{
	const struct sm_port *p = self;
	struct gpu *g = p->sm->gpu;

	if (p->sm->stack == UINT32_MAX)
		return;
	if (where == GPU_AT_HOST)
		l2_slice_drop(g->slices[r->slice], r->addr_bytes);
	else if (g->config->gpu.stack_sm_l2_invalidate || unlikely(g->cta_starter != NULL))
		logic_layer_invalidate(g->stacks[where], r);
}

/* A GPU SM's atomics are done in the L2: served there means that the result is in memory. */
static void atomic_served(void *self, struct mem_req *r, uint32_t where)
{
	const struct sm_port *p = self;

	if (p->sm->stack == UINT32_MAX) {
		sm_touch(p->sm);
		sm_store_end(p->sm, r->store_bank);
	} else {
		store_served(self, r, where);
	}
}

/* A message: the result is in memory. */
static bool is_written_message(struct sm_port *p, struct mem_req *r)
{
	if (r->op != MEM_MESSAGE)
		return false;
	atomic_served(p, r, 0);
	sm_req_put(p->sm, r);
	return true;
}

/* An atomic's answer. In a stack its vault has written the result before. */
static void atomic_answered(const struct sm_port *p, struct mem_req *r)
{
	answer_begin(p, r);
	if (p->sm->stack != UINT32_MAX)
		sm_store_end(p->sm, r->store_bank);
}

static void take_atomic(void *self, struct mem_req *r)
{
	struct sm_port *p = self;

	if (is_written_message(p, r))
		return;
	atomic_answered(p, r);
	answer_end(p->sm, r, lsu_access_part(p->sm, r->tag, p->sm->now + 1 + p->sm->tlb_latency));
}

static void take_reduction(void *self, struct mem_req *r)
{
	struct sm_port *p = self;

	if (is_written_message(p, r))
		return;
	atomic_answered(p, r);
	answer_end(p->sm, r, store_acknowledged(p->sm, r));
}

const struct net_port_ops lsu_line_ops = {.done = take_line, .soon = line_comes};
const struct net_port_ops lsu_load_ops = {.done = take_load};
const struct net_port_ops lsu_store_ops = {.done = take_store, .served = store_served};
const struct net_port_ops lsu_atomic_ops = {.done = take_atomic, .served = atomic_served};
const struct net_port_ops lsu_reduction_ops = {.done = take_reduction, .served = atomic_served};
