/* range.c - see range.h.
 *
 * An instruction depends when a value loaded in the block reaches it. What depends runs on the NSU and nowhere else.
 * What does not depend stays on the GPU, except where the NSU needs its result, which no packet could bring after
 * OFLD.BEG: then the NSU executes it too, from live-ins. If the GPU needs the result as well (an address, or a read
 * after the block), both execute it, so such a result is never returned.
 */
#include "nsu/range.h"

#include <glib.h>
#include <string.h>

struct nsu_range *nsu_range_new(const struct nsu_facts *f, const struct nsu_code_params *p)
{
	struct nsu_range *r = g_new0(struct nsu_range, 1);

	r->f = f;
	r->p = p;
	r->depends = g_new0(bool, f->func->inst_count + 1);
	r->is_on_nsu = g_new0(bool, f->func->inst_count + 1);
	r->live_in = g_new0(uint64_t, f->cfg->live_words + 1);
	r->held = g_new0(uint64_t, f->cfg->live_words + 1);
	return r;
}

void nsu_range_free(struct nsu_range *r)
{
	g_free(r->depends);
	g_free(r->is_on_nsu);
	g_free(r->live_in);
	g_free(r->held);
	g_free(r);
}

void nsu_range_begin(struct nsu_range *r, uint32_t first)
{
	const size_t bytes = r->f->cfg->live_words * sizeof(uint64_t);

	r->first = first;
	r->last = first - 1;
	memset(r->live_in, 0, bytes);
	memset(r->held, 0, bytes);
	r->live_in_bits = r->traffic_bytes = r->load_count = r->store_count = 0;
	r->load_entries = r->store_entries = 0;
	memset(r->apart, 0, sizeof(r->apart));
}

static bool is_inside(const struct nsu_range *r, uint32_t def)
{
	return def != NSU_NO_INST && def >= r->first;
}

static uint32_t cost_bits(const struct nsu_range *r, uint32_t reg)
{
	const uint32_t bits = nsu_reg_bits(r->f->func, reg);

	return bits == 1 ? r->p->predicate_bits : bits;
}

static void add_live_in(struct nsu_range *r, const struct nsu_read *read)
{
	const uint64_t *live = r->f->live_before + (size_t)r->first * r->f->cfg->live_words;

	/* An old value that nothing has written, or that nobody reads, need not travel. */
	if (nsu_bit(r->live_in, read->reg) || (read->use == NSU_USE_OLD && !nsu_bit(live, read->reg)))
		return;
	nsu_bit_set(r->live_in, read->reg);
	r->live_in_bits += cost_bits(r, read->reg);
}

/* The NSU executes instruction k: it needs what k reads. False where only the GPU can make that. */
static bool need_reads(struct nsu_range *r, uint32_t k)
{
	const struct nsu_facts *f = r->f;

	for (uint32_t n = f->first_read[k]; n < f->first_read[k + 1]; n++) {
		const struct nsu_read *read = &f->reads[n];

		if (read->use == NSU_USE_ADDRESS)
			continue;
		if (!is_inside(r, read->def)) {
			add_live_in(r, read);
			continue;
		}
		if (r->depends[read->def] || r->is_on_nsu[read->def])
			continue;
		if (f->class_of[read->def] == NSU_CLASS_GPU)
			return false;
		r->is_on_nsu[read->def] = true;
		if (!need_reads(r, read->def))
			return false;
	}
	return true;
}

static bool reads_dependent(const struct nsu_range *r, uint32_t k, bool is_for_gpu)
{
	const struct nsu_facts *f = r->f;

	for (uint32_t n = f->first_read[k]; n < f->first_read[k + 1]; n++) {
		const struct nsu_read *read = &f->reads[n];

		if (is_for_gpu && read->use != NSU_USE_ADDRESS && read->use != NSU_USE_GUARD)
			continue;
		if (is_inside(r, read->def) && r->depends[read->def])
			return true;
	}
	return false;
}

/* The same base register with the same value, and offsets that do not overlap. */
static bool have_same_base(const struct nsu_range *r, uint32_t load, uint32_t store)
{
	const struct ptx_inst *insts = r->f->func->insts;
	const struct nsu_address a = nsu_address_of(r->f, load), s = nsu_address_of(r->f, store);

	if (s.reg != a.reg || s.def != a.def || s.var != a.var)
		return false;
	return a.offset >= s.offset + (int64_t)nsu_access_bytes(&insts[store]) ||
	       s.offset >= a.offset + (int64_t)nsu_access_bytes(&insts[load]);
}

/* Pointers of different parameters, if the launch has them in different allocations. */
static bool have_own_params(struct nsu_range *r, uint32_t load, uint32_t store)
{
	const uint16_t a = r->f->origin[load], s = r->f->origin[store];

	if (!r->p->params_are_apart || a == NSU_NO_ORIGIN || s == NSU_NO_ORIGIN || a == s)
		return false;
	nsu_bit_set(r->apart, a);
	nsu_bit_set(r->apart, s);
	return true;
}

/* Reads are requested early and writes leave late: a load after a store of the block would read the old value. */
static bool may_follow_stores(struct nsu_range *r, uint32_t load)
{

	/* Non-coherent loads promise that nothing writes the memory while the kernel runs. */
	if (r->f->func->insts[load].mods.cache == PTX_NC)
		return true;
	for (uint32_t k = r->first; k < load; k++)
		if (r->f->class_of[k] == NSU_CLASS_STORE && !have_same_base(r, load, k) && !have_own_params(r, load, k))
			return false;
	return true;
}

static bool extend_access(struct nsu_range *r, uint32_t k)
{
	const bool is_load = r->f->class_of[k] == NSU_CLASS_LOAD;
	const uint32_t entries = nsu_access_entries(&r->f->func->insts[k]);

	if (entries > (is_load ? r->p->load_entries_max - r->load_entries : r->p->store_entries_max - r->store_entries))
		return false;
	if (reads_dependent(r, k, true) || r->load_count + r->store_count == r->p->access_count_max)
		return false;
	if (is_load && r->store_count && !may_follow_stores(r, k))
		return false;
	if (!need_reads(r, k))
		return false;
	r->load_count += is_load;
	r->store_count += !is_load;
	r->load_entries += is_load ? entries : 0;
	r->store_entries += is_load ? 0 : entries;
	r->traffic_bytes += nsu_access_bytes(&r->f->func->insts[k]);
	r->depends[k] = is_load;
	return true;
}

bool nsu_range_extend(struct nsu_range *r)
{
	const struct nsu_facts *f = r->f;
	const uint32_t k = r->last + 1;
	const enum nsu_class c = (enum nsu_class)f->class_of[k];

	r->depends[k] = r->is_on_nsu[k] = false;
	if (c == NSU_CLASS_FORBIDDEN || k - r->first == r->p->length_max)
		return false;
	if (c == NSU_CLASS_LOAD || c == NSU_CLASS_STORE) {
		if (!extend_access(r, k))
			return false;
	} else if (reads_dependent(r, k, false)) {
		if (c == NSU_CLASS_GPU || !need_reads(r, k))
			return false;
		r->depends[k] = true;
	}
	for (uint32_t w = 0; w < f->uses[k].write_count; w++) {
		if (r->depends[k])
			nsu_bit_set(r->held, f->uses[k].writes[w]);
		else
			nsu_bit_clear(r->held, f->uses[k].writes[w]);
	}
	r->last = k;
	return true;
}

void nsu_range_live_out(const struct nsu_range *r, uint64_t *live_out)
{
	const uint64_t *live = nsu_live_after(r->f, r->last);

	for (uint32_t w = 0; w < r->f->cfg->live_words; w++)
		live_out[w] = r->held[w] & live[w];
}

int32_t nsu_range_score_bits(const struct nsu_range *r)
{
	const uint64_t *live = nsu_live_after(r->f, r->last);
	uint32_t bits = r->live_in_bits;

	for (uint32_t w = 0; w < r->f->cfg->live_words; w++)
		for (uint64_t set = r->held[w] & live[w]; set; set &= set - 1)
			bits += cost_bits(r, w * 64 + (uint32_t)__builtin_ctzll(set));
	return (int32_t)(r->traffic_bytes * 8) - (int32_t)bits;
}

/* Does somebody after the block read what k writes? */
static bool is_last_live_write(const struct nsu_range *r, uint32_t k)
{
	const uint64_t *live = nsu_live_after(r->f, r->last);

	for (uint32_t w = 0; w < r->f->uses[k].write_count; w++) {
		const uint32_t reg = r->f->uses[k].writes[w];
		bool is_last = nsu_bit(live, reg);

		for (uint32_t later = k + 1; is_last && later <= r->last; later++)
			for (uint32_t n = 0; n < r->f->uses[later].write_count; n++)
				is_last &= r->f->uses[later].writes[n] != reg;
		if (is_last)
			return true;
	}
	return false;
}

void nsu_range_roles(const struct nsu_range *r, uint8_t *role)
{
	const struct nsu_facts *f = r->f;
	g_autofree bool *on_gpu = g_new0(bool, r->last - r->first + 1);

	for (uint32_t k = r->last + 1; k-- > r->first;) {
		const enum nsu_class c = (enum nsu_class)f->class_of[k];
		const bool is_access = c == NSU_CLASS_LOAD || c == NSU_CLASS_STORE;
		const bool runs = !is_access && !r->depends[k] &&
				  (!r->is_on_nsu[k] || on_gpu[k - r->first] || is_last_live_write(r, k));

		if (is_access)
			role[k - r->first] = c == NSU_CLASS_LOAD ? NSU_ROLE_LOAD : NSU_ROLE_STORE;
		else if (!runs)
			role[k - r->first] = NSU_ROLE_NSU;
		else
			role[k - r->first] = r->is_on_nsu[k] ? NSU_ROLE_BOTH : NSU_ROLE_GPU;
		for (uint32_t n = f->first_read[k]; n < f->first_read[k + 1]; n++) {
			const struct nsu_read *read = &f->reads[n];
			const bool is_needed =
			    runs || (is_access && (read->use == NSU_USE_ADDRESS || read->use == NSU_USE_GUARD));

			if (is_needed && is_inside(r, read->def))
				on_gpu[read->def - r->first] = true;
		}
	}
}
