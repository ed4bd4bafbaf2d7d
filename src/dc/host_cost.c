/* host_cost.c - see host_cost.h. */
#include "dc/host_cost.h"

#include <glib.h>
#include <math.h>

#include "dc/param.h"
#include "dc/reach.h"
#include "dc/system/host_price.h"

/* How a register's value differs from a lane's to the next one's: by so many bytes, or in a way that is not known. */
#define UNSEEN INT64_MIN
#define ANY INT64_MAX

struct look {
	const struct simt_program *program;
	uint32_t func_count;
	uint32_t *first_pc, *first_reg; /* [func] */
	uint32_t reg_count;
	int64_t *strides; /* [registers of all functions]: of lanes in a row of the CTA */
	bool *rows;	  /* [the same]: and rows differ by more */
	uint32_t *blocks; /* [pc]: where its block begins */
	bool threads_are_rows; /* a vector's lanes are threads beside each other of one row of the CTA */
};

/* ---- functions, registers, blocks ---- */

static uint32_t place_of(const struct look *k, uint32_t pc, uint32_t reg)
{
	return k->first_reg[k->program->insts[pc].func] + reg;
}

static void find_functions(struct look *k)
{
	const struct simt_program *p = k->program;
	struct ptx_reg_use use;

	for (uint32_t pc = 0; pc < p->inst_count; pc++)
		k->func_count = MAX(k->func_count, p->insts[pc].func + 1);
	k->first_pc = g_new0(uint32_t, k->func_count + 1);
	k->first_reg = g_new0(uint32_t, k->func_count + 1);
	for (uint32_t pc = p->inst_count; pc-- > 0;) {
		const uint32_t f = p->insts[pc].func;

		k->first_pc[f] = pc;
		ptx_inst_regs(p->insts[pc].ptx, &use);
		for (uint32_t r = 0; r < use.read_count; r++)
			k->first_reg[f + 1] = MAX(k->first_reg[f + 1], use.reads[r] + 1);
		for (uint32_t w = 0; w < use.write_count; w++)
			k->first_reg[f + 1] = MAX(k->first_reg[f + 1], use.writes[w] + 1);
	}
	for (uint32_t f = 0; f < k->func_count; f++)
		k->first_reg[f + 1] += k->first_reg[f];
	k->reg_count = k->first_reg[k->func_count];
}

/* Where a branch goes, or the program's end where that is not said. */
static uint32_t target_of(const struct look *k, uint32_t pc)
{
	const struct simt_inst *inst = &k->program->insts[pc];
	const struct ptx_inst *i = inst->ptx;

	return i->op == PTX_OP_BRA && i->src[0].kind == PTX_OPND_LABEL ? k->first_pc[inst->func] + i->src[0].label
								     : k->program->inst_count;
}

static void find_blocks(struct look *k)
{
	const uint32_t count = k->program->inst_count;
	g_autofree bool *begins = g_new0(bool, count + 2);

	for (uint32_t pc = 0; pc < count; pc++) {
		begins[pc] |= !pc || k->program->insts[pc].func != k->program->insts[pc - 1].func;
		if (k->program->insts[pc].flags & (SIMT_BRANCH | SIMT_EXIT)) {
			begins[MIN(target_of(k, pc), count)] = true;
			begins[pc + 1] = true;
		}
	}
	k->blocks = g_new0(uint32_t, count + 1);
	for (uint32_t pc = 0; pc < count; pc++)
		k->blocks[pc] = begins[pc] ? pc : k->blocks[pc - 1];
}

static void look_at(struct look *k, const struct simt_program *program)
{
	*k = (struct look){.program = program};
	find_functions(k);
	find_blocks(k);
}

static void look_ends(struct look *k)
{
	g_free(k->first_pc);
	g_free(k->first_reg);
	g_free(k->blocks);
	g_free(k->strides);
	g_free(k->rows);
}

/* ---- how often ---- */

static void loops_are(const struct look *k, double rounds, double *out)
{
	for (uint32_t pc = 0; pc < k->program->inst_count; pc++)
		out[pc] = 1;
	for (uint32_t pc = 0; pc < k->program->inst_count; pc++)
		for (uint32_t in = target_of(k, pc); in <= pc; in++)
			out[in] *= rounds;
}

static double *find_lines(GHashTable *lines, const struct ptx_inst *i)
{
	const uint64_t key = (uint64_t)i->line << 32 | i->col;
	double *times = g_hash_table_lookup(lines, &key);

	if (times)
		return times;
	times = g_new0(double, 1);
	g_hash_table_insert(lines, g_memdup2(&key, sizeof(key)), times);
	return times;
}

/* Rounds of all loops around a word. */
static double word_rounds(const struct dc_kernel *k, uint32_t word, double rounds)
{
	double all = 1;

	for (uint32_t w = word; w < k->word_count; w++)
		if (k->words[w].flow == DC_FLOW_JUMP && k->words[w].target <= word)
			all *= rounds;
	return all;
}

/* Of each place of the kernel's text, how often the words that were made of it are executed: copies of an unrolled loop
 * each count. */
static GHashTable *count_lines(const struct dc_kernel *k, double rounds)
{
	GHashTable *lines = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);

	for (uint32_t w = 0; w < k->word_count; w++) {
		const double all = word_rounds(k, w, rounds);

		for (uint32_t s = 0; s < DC_ARRAYS; s++)
			if (k->words[w].slot[s].kind == DC_SLOT_ALU && k->words[w].slot[s].inst)
				*find_lines(lines, k->words[w].slot[s].inst) += all;
		if (k->words[w].box.inst)
			*find_lines(lines, k->words[w].box.inst) += all;
	}
	return lines;
}

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* A block's instructions are done equally often. Some have become several words and some none, so that most say it. */
static void count_block(const struct look *k, GHashTable *lines, uint32_t first, uint32_t end, double *out)
{
	g_autofree double *times = g_new0(double, end - first);
	uint32_t count = 0;

	for (uint32_t pc = first; pc < end; pc++) {
		const double all = *find_lines(lines, k->program->insts[pc].ptx);

		if (all > 0)
			times[count++] = all;
	}
	if (!count)
		return;
	qsort(times, count, sizeof(*times), compare);
	for (uint32_t pc = first; pc < end; pc++)
		out[pc] = times[(count - 1) / 2];
}

double *dc_host_rounds(const struct simt_program *program, const struct dc_kernel *kernel, double rounds)
{
	double *out = g_new0(double, program->inst_count + 1);
	GHashTable *lines;
	struct look k;

	look_at(&k, program);
	loops_are(&k, rounds, out);
	if (kernel) {
		lines = count_lines(kernel, rounds);
		for (uint32_t first = 0, end; first < program->inst_count; first = end) {
			end = first + 1;
			while (end < program->inst_count && k.blocks[end] == first)
				end++;
			count_block(&k, lines, first, end, out);
		}
		g_hash_table_destroy(lines);
	}
	look_ends(&k);
	return out;
}

/* ---- lanes beside each other ---- */

static int64_t stride_of_sreg(const struct ptx_operand *o)
{
	switch (o->sreg) {
	case PTX_SREG_TID:
		return o->component <= 1;
	case PTX_SREG_LANEID:
		return 1;
	default:
		return 0;
	}
}

static int64_t stride_of(const struct look *k, uint32_t pc, const struct ptx_operand *o)
{
	if (o->kind == PTX_OPND_SREG)
		return stride_of_sreg(o);
	if (o->kind == PTX_OPND_REG || (o->kind == PTX_OPND_ADDR && o->reg != UINT32_MAX))
		return k->strides[place_of(k, pc, o->reg)];
	return 0;
}

static int64_t times(int64_t stride, const struct ptx_operand *by, bool is_shift)
{
	int64_t out;

	if (stride == UNSEEN || stride == 0)
		return stride;
	if (stride == ANY || by->kind != PTX_OPND_IMM || (is_shift && by->imm > 62))
		return ANY;
	return __builtin_mul_overflow(stride, is_shift ? (int64_t)1 << by->imm : (int64_t)by->imm, &out) ? ANY : out;
}

static int64_t plus(int64_t a, int64_t b, int64_t sign)
{
	int64_t out;

	if (a == UNSEEN || b == UNSEEN)
		return UNSEEN;
	if (a == ANY || b == ANY || __builtin_mul_overflow(b, sign, &b))
		return ANY;
	return __builtin_add_overflow(a, b, &out) || out == UNSEEN ? ANY : out;
}

/* A product of which one factor is an immediate value, or that all lanes share. */
static int64_t product(const struct look *k, uint32_t pc, const struct ptx_inst *i)
{
	const int64_t a = stride_of(k, pc, &i->src[0]), b = stride_of(k, pc, &i->src[1]);

	if (i->src[0].kind == PTX_OPND_IMM)
		return times(b, &i->src[0], false);
	if (i->src[1].kind == PTX_OPND_IMM)
		return times(a, &i->src[1], false);
	return a == UNSEEN || b == UNSEEN ? UNSEEN : a == 0 && b == 0 ? 0 : ANY;
}

/* What all lanes share where they share all that it is computed of. */
static int64_t shared_by_all(const struct look *k, uint32_t pc, const struct ptx_reg_use *use)
{
	const struct ptx_inst *i = k->program->insts[pc].ptx;
	int64_t all = 0;

	for (uint32_t r = 0; r < use->read_count; r++) {
		const int64_t one = k->strides[place_of(k, pc, use->reads[r])];

		if (one == UNSEEN)
			return UNSEEN;
		all = one ? ANY : all;
	}
	for (uint32_t s = 0; s < i->src_count; s++)
		if (i->src[s].kind == PTX_OPND_SREG && stride_of_sreg(&i->src[s]))
			all = ANY;
	return all;
}

static int64_t stride_of_inst(const struct look *k, uint32_t pc, const struct ptx_reg_use *use)
{
	const struct ptx_inst *i = k->program->insts[pc].ptx;

	switch (i->op) {
	case PTX_OP_MOV:
	case PTX_OP_CVT:
	case PTX_OP_CVTA:
		return stride_of(k, pc, &i->src[0]);
	case PTX_OP_ADD:
	case PTX_OP_SUB:
		return plus(stride_of(k, pc, &i->src[0]), stride_of(k, pc, &i->src[1]), i->op == PTX_OP_ADD ? 1 : -1);
	case PTX_OP_MUL:
		return product(k, pc, i);
	case PTX_OP_MAD:
		return plus(product(k, pc, i), stride_of(k, pc, &i->src[2]), 1);
	case PTX_OP_SHL:
		return times(stride_of(k, pc, &i->src[0]), &i->src[1], true);
	case PTX_OP_ATOM:
		return ANY;
	case PTX_OP_LD:
		if (i->mods.space == PTX_PARAM_CALL)
			return ANY;
		return dc_param_is_load(i) ? 0 : shared_by_all(k, pc, use);
	default:
		return shared_by_all(k, pc, use);
	}
}

/* A vector has lanes of several rows, and something that it reads differs from row to row. */
static bool is_of_rows(const struct look *k, uint32_t pc, const struct ptx_reg_use *use)
{
	const struct ptx_inst *i = k->program->insts[pc].ptx;
	bool is = false;

	for (uint32_t s = 0; s < i->src_count && !k->threads_are_rows; s++)
		is |= i->src[s].kind == PTX_OPND_SREG && i->src[s].sreg == PTX_SREG_TID && i->src[s].component > 1;
	for (uint32_t r = 0; r < use->read_count; r++)
		is |= k->rows[place_of(k, pc, use->reads[r])];
	return is;
}

static bool see(struct look *k, uint32_t pc)
{
	struct ptx_reg_use use;
	bool changed = false, rows;
	int64_t stride;

	ptx_inst_regs(k->program->insts[pc].ptx, &use);
	stride = stride_of_inst(k, pc, &use);
	rows = is_of_rows(k, pc, &use);
	for (uint32_t w = 0; w < use.write_count && rows; w++) {
		changed |= !k->rows[place_of(k, pc, use.writes[w])];
		k->rows[place_of(k, pc, use.writes[w])] = true;
	}
	for (uint32_t w = 0; w < use.write_count && stride != UNSEEN; w++) {
		int64_t *at = &k->strides[place_of(k, pc, use.writes[w])];

		if (*at == stride || *at == ANY)
			continue;
		*at = *at == UNSEEN ? stride : ANY;
		changed = true;
	}
	return changed;
}

static void find_strides(struct look *k, const uint32_t block[3], uint32_t lanes)
{
	k->threads_are_rows = block[0] % lanes == 0 || (block[1] == 1 && block[2] == 1);
	k->strides = g_new(int64_t, k->reg_count + 1);
	k->rows = g_new0(bool, k->reg_count + 1);
	for (uint32_t r = 0; r < k->reg_count; r++)
		k->strides[r] = UNSEEN;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t pc = 0; pc < k->program->inst_count; pc++)
			changed |= see(k, pc);
	}
}

/* ---- what a warp takes ---- */

struct reckoning {
	const struct dc_host_machine *m;
	struct look k;
	const double *rounds;
	struct dc_reach *reach; /* of the entry function */
	uint32_t lanes, row_threads;
	double slots, busy, loads, chain; /* of a warp: instructions, cycles of dividers (in order: of all), loads */
	double *ready; /* [register]: cycles of its block until it is there */
};

static bool is_access(const struct simt_inst *i)
{
	return i->flags & (SIMT_LOAD | SIMT_STORE | SIMT_COPY) && i->space != SIMT_MEM_PARAM;
}

static bool has_rows(const struct look *k, uint32_t pc, const struct ptx_operand *o)
{
	return o->kind == PTX_OPND_ADDR && o->reg != UINT32_MAX && k->rows[place_of(k, pc, o->reg)];
}

/* Accesses of a vector, and whether they are one for each lane. */
static double accesses_of(const struct reckoning *r, uint32_t pc, bool *are_apart)
{
	const struct simt_inst *inst = &r->k.program->insts[pc];
	const double bytes = inst->access_bytes * MAX(inst->vec, 1), most = (double)r->m->p->host_vector_bytes;
	const struct ptx_operand *o = &inst->ptx->src[0];
	const bool has_place = o->kind == PTX_OPND_ADDR && !(inst->flags & SIMT_ATOMIC);
	const int64_t stride = has_place ? stride_of(&r->k, pc, o) : ANY;
	const double rows = has_rows(&r->k, pc, o) ? fmax(1, (double)r->lanes / r->row_threads) : 1;

	*are_apart = rows == r->lanes && r->lanes > 1;
	if (stride == 0 && !(inst->flags & SIMT_STORE))
		return rows;
	if (stride == (int64_t)bytes)
		return fmax(rows, r->lanes * bytes / most);
	*are_apart = r->lanes > 1;
	return r->lanes;
}

/* How often a warp does it: in vectors with a thread that does, or in each such thread. */
static double times_of(const struct reckoning *r, uint32_t pc, uint32_t lanes)
{
	return r->rounds[pc] * dc_reach_share(r->reach, r->k.program->insts[pc].ptx, lanes);
}

/* Adds what an instruction takes; what is computed of its operands is there so much later. */
static double add_inst(struct reckoning *r, uint32_t pc)
{
	const struct simt_inst *inst = &r->k.program->insts[pc];
	const struct cpu_params *cores = r->m->cores;
	double vectors = times_of(r, pc, r->lanes) * SIMT_LANES / r->lanes;
	struct dc_host_price price;
	bool are_apart;
	double count;

	if (!is_access(inst)) {
		price = dc_host_price_of(r->m->p, cores, inst, r->lanes, r->lanes);
		r->slots += vectors * price.slots;
		r->busy += vectors * (double)price.cycles;
		return (double)price.latency;
	}
	count = accesses_of(r, pc, &are_apart) * (inst->flags & SIMT_COPY ? 2 : 1);
	if (are_apart)
		vectors = times_of(r, pc, 1) * SIMT_LANES / r->lanes;
	price = dc_host_access_price(r->m->p, cores, are_apart);
	r->slots += vectors * count * price.slots;
	r->busy += vectors * count * (double)price.cycles;
	if (inst->flags & (SIMT_LOAD | SIMT_COPY))
		r->loads += vectors * count;
	return (double)cores->l1_cycles;
}

static double pass_block(struct reckoning *r, uint32_t first, uint32_t end, const double *latency)
{
	double longest = 0;
	struct ptx_reg_use use;

	for (uint32_t pc = first; pc < end; pc++) {
		double at = 0;

		ptx_inst_regs(r->k.program->insts[pc].ptx, &use);
		for (uint32_t n = 0; n < use.read_count; n++)
			at = fmax(at, r->ready[place_of(&r->k, pc, use.reads[n])]);
		at += latency[pc - first];
		for (uint32_t n = 0; n < use.write_count; n++)
			r->ready[place_of(&r->k, pc, use.writes[n])] = at;
		longest = fmax(longest, at);
	}
	return longest;
}

/* Of a loop's block what a round must wait for the one before; of another all that waits for each other in it. */
static void add_block(struct reckoning *r, uint32_t first, uint32_t end)
{
	g_autofree double *latency = g_new0(double, end - first);
	const bool is_loop = target_of(&r->k, end - 1) == first;
	const double share = dc_reach_share(r->reach, r->k.program->insts[first].ptx, SIMT_LANES);
	double once, again = 0, last;

	for (uint32_t n = 0; n < r->k.reg_count; n++)
		r->ready[n] = 0;
	for (uint32_t pc = first; pc < end; pc++)
		latency[pc - first] = add_inst(r, pc);
	last = once = pass_block(r, first, end, latency);
	for (uint32_t n = 0; n < 4 && is_loop; n++) {
		const double now = pass_block(r, first, end, latency);

		again = now - last;
		last = now;
	}
	r->chain += share * (is_loop ? once + again * fmax(0, r->rounds[first] - 1) : once * r->rounds[first]);
}

double dc_host_warp_cycles(const struct dc_host_machine *m, const struct simt_program *program, const double *rounds,
			   const uint32_t block[3], uint32_t lanes)
{
	const struct cpu_params *cores = m->cores;
	struct reckoning r = {.m = m, .rounds = rounds, .lanes = lanes, .row_threads = block[0]};
	double cycles;

	look_at(&r.k, program);
	find_strides(&r.k, block, lanes);
	r.ready = g_new0(double, r.k.reg_count + 1);
	r.reach = dc_reach_new(program->entry, block);
	for (uint32_t first = 0, end; first < program->inst_count; first = end) {
		end = first + 1;
		while (end < program->inst_count && r.k.blocks[end] == first)
			end++;
		add_block(&r, first, end);
	}
	cycles = r.busy;
	if (cores->core_model == CPU_CORE_OUT_OF_ORDER) {
		cycles = fmax(cycles, r.slots / (double)cores->issue_count);
		cycles = fmax(cycles, r.loads / (double)cores->load_port_count);
		cycles = fmax(cycles, r.chain * fmin(1, r.slots / (double)cores->rob_entries));
	}
	look_ends(&r.k);
	dc_reach_free(r.reach);
	g_free(r.ready);
	return cycles;
}

uint32_t dc_host_form(const struct dc_host_machine *m, const struct simt_program *program, const double *rounds,
		      const uint32_t block[3])
{
	const uint32_t most = (uint32_t)m->p->host_vector_bytes / 4;

	if (m->p->host_form != DC_FORM_ANALYSED)
		return m->p->host_form == DC_FORM_SCALAR ? 1 : most;
	return dc_host_warp_cycles(m, program, rounds, block, 1) < dc_host_warp_cycles(m, program, rounds, block, most)
		   ? 1
		   : most;
}

/* A team is made and waited for; each core does its CTAs, and waits for lines: as many at a time as it may have under
 * way, and of all cores as fast as memory and link give them. Those of the other sockets come later. */
double dc_host_us(const struct dc_host_machine *m, const struct simt_launch *l, const double *rounds, uint32_t lanes,
		  double lines, double link_us)
{
	const struct cpu_params *c = m->cores;
	const uint64_t ctas = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
	const uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
	const uint64_t warps = (threads + SIMT_LANES - 1) / SIMT_LANES, team = MIN(ctas, c->core_count);
	const double each = (double)((ctas + team - 1) / team * warps);
	const double cycles = each * dc_host_warp_cycles(m, l->program, rounds, l->block, lanes);
	const uint64_t places = c->l2_miss_count ? c->l2_miss_count : c->load_count;
	const double far_ps = (double)m->p->link_latency_ps * (1 - 1 / (double)m->p->socket_count);
	const double line_ps = (double)(m->p->llc_latency_ps + c->snoop_latency_ps) + far_ps;
	const double compute_ps = cycles / (double)c->clock_khz * 1e9;
	const double lines_ps = lines / (double)team * line_ps / (double)places;
	const double memory_ps = lines * (double)m->p->line_bytes / m->memory_bytes_per_s * 1e12;
	const double team_ps = team > 1 ? 2 * (double)(c->system_call_ps + c->wake_ps) : 0;

	return (team_ps + compute_ps + fmax(lines_ps, fmax(memory_ps, link_us * 1e6))) / 1e6;
}
