/* test_slice.c - slices, their link and their caches under made-up control blocks and a made-up memory: every word of
 * every CTA begins in the cycle in which slice_model.c, written apart from them, has it begin. */
#include <glib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/check.h"
#include "dc/system/host.h"
#include "mem/memory.h"
#include "slice_model.h"

enum { CASES = 300, LAUNCHES = 3 };

static const struct dc_behind behind = {.bytes = 1 << 30, .interleave_bytes = 64, .channel_count = 8};
static uint64_t begins[CTAS_MAX][WORDS_MAX];

/* ---- no core of the host: kernels run in the arrays alone ---- */

struct dc_host *dc_host_new(struct dc_system *s, const struct cpu_params *p)
{
	(void)s;
	(void)p;
	return NULL;
}

void dc_host_free(struct dc_host *h)
{
	assert_null(h);
}

void dc_host_leaves(struct dc_host *h)
{
	assert_null(h);
}

void dc_host_line(struct dc_system *s, struct cpu_request *r, uint64_t at)
{
	(void)s;
	(void)at;
	assert_null(r);
}

/* ---- in place of dc/exec: words that ask for what the case says ---- */

struct dc_program {
	const struct slice_case *c;
	struct dc_kernel kernel;
	struct dc_exec_counts counts;
	struct dc_word words[WORDS_MAX];
};

struct dc_block {
	const struct slice_case *c;
	uint64_t cta;
	uint32_t word;
	struct slice_word now;
};

bool dc_program_begin(struct dc_program *p, struct simt_launch *l)
{
	(void)p;
	(void)l;
	return true;
}

const struct dc_kernel *dc_program_kernel(const struct dc_program *p)
{
	return &p->kernel;
}

bool dc_program_may_repeat(const struct dc_program *p, uint32_t word)
{
	(void)p;
	(void)word;
	return false;
}

uint32_t dc_program_lanes(const struct dc_program *p)
{
	(void)p;
	return DC_BLOCK_LANES;
}

struct dc_exec_counts *dc_program_counts(struct dc_program *p)
{
	return &p->counts;
}

struct dc_block *dc_block_new(const struct dc_program *p, uint32_t index, uint32_t *registers)
{
	struct dc_block *b = g_new0(struct dc_block, 1);

	(void)index;
	(void)registers;
	b->c = p->c;
	return b;
}

void dc_block_free(struct dc_block *b)
{
	g_free(b);
}

void dc_block_begin(struct dc_block *b, const struct dc_warp *warps, uint32_t count, const struct dc_segments *segments)
{
	(void)segments;
	assert_int_equal(count, DC_BLOCK_LANES / 32);
	b->cta = warps[0].cta;
	b->word = 0;
}

uint32_t dc_block_word(const struct dc_block *b)
{
	return b->word;
}

bool dc_block_step(struct dc_program *p, struct dc_block *b, struct simt_launch *l, uint64_t cycle, struct dc_step *out)
{
	(void)p;
	(void)l;
	slice_word_of(b->c, b->cta, b->word, &b->now);
	begins[b->cta][b->word] = cycle;
	*out = (struct dc_step){.cycles = b->now.cycles,
				.access = b->now.access,
				.is_done = b->now.is_last,
				.executed = b->word};
	b->word++;
	return true;
}

/* ---- in place of mem/: one request after the other ---- */

struct mem_memory {
	const struct slice_memory *c;
	struct sim_ctx *ctx;
	struct sim_comp comp;
	struct dc_system *system;
	uint32_t domain;
	uint64_t last_due;
	GQueue queue; /* struct mem_req; ready_units is the cycle */
	bool is_refused;
};

static void memory_tick(void *self, uint64_t cycle)
{
	struct mem_memory *m = self;
	struct mem_req *r;

	while ((r = g_queue_peek_head(&m->queue)) && r->ready_units <= cycle) {
		g_queue_pop_head(&m->queue);
		dc_memory_done(m->system, r);
	}
	if (m->is_refused) {
		m->is_refused = false;
		dc_memory_room(m->system);
	}
}

bool mem_memory_can_accept(struct mem_memory *m, uint64_t addr_bytes, enum mem_op op)
{
	(void)addr_bytes;
	(void)op;
	m->is_refused |= m->queue.length >= m->c->depth;
	return m->queue.length < m->c->depth;
}

bool mem_memory_offer(struct mem_memory *m, struct mem_req *r)
{
	const uint64_t now = sim_cycle_now(m->ctx->engine, m->domain);

	m->last_due = MAX(m->last_due + m->c->interval_cycles, now + m->c->latency_cycles);
	r->ready_units = m->last_due;
	g_queue_push_tail(&m->queue, r);
	sim_wake_cycle(m->ctx->engine, m->comp, m->last_due);
	return true;
}

void mem_memory_reset(struct mem_memory *m)
{
	(void)m;
	fail_msg("a launch ended too early");
}

uint32_t mem_memory_queued(const struct mem_memory *m)
{
	return m->queue.length;
}

/* ---- cases ---- */

static uint64_t random_state;

static uint64_t below(uint64_t count)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return (random_state >> 33) % count;
}

static void make_lines(struct slice_case *c)
{
	uint64_t line = 1 << 20;

	for (uint32_t count = 0; count < LINES; line += 64)
		if (slice_set_of(&c->p, line) < 2 + (c->seed & 3))
			c->lines[count++] = line;
}

static struct slice_case make_case(uint64_t seed)
{
	struct slice_case c = {.seed = seed};
	const struct sim_param_group group = {
	    .prefix = "duality", .rows = dc_param_rows, .row_count = dc_param_row_count, .values = &c.p};

	random_state = seed;
	sim_param_defaults(&group);
	c.p.socket_count = 1 + below(2);
	c.p.slice_count = 1 + below(3);
	c.p.way_count = 2 + below(3);
	c.p.feed = DC_PER_BLOCK;
	c.p.host_clock_khz = 100000000; /* words are there at once */
	c.p.feed_words_per_cycle = 64;
	c.p.tmu_count = 1 + below(5);
	c.p.tmu_rows_per_cycle = 1 + below(64);
	c.p.mshr_count = 1 + below(12);
	c.p.mshr_lines_per_cycle = 1 + below(2);
	c.p.crossbar_lines_per_cycle = 1 + below(2);
	c.p.llc_latency_ps = 400 * below(100);
	c.p.cache_way_count = below(c.p.way_count);
	c.p.unused_is_cache = below(2);
	c.p.host_lines_stay = below(2);
	c.p.channels_are_near = below(2);
	c.p.page_shuffle = below(2);
	c.p.link_mbytes_per_s = below(3) * 6000;
	c.p.link_latency_ps = 400 * below(200);
	c.p.link_copies = below(4);
	c.memory = (struct slice_memory){1 + below(300), below(40), 1 + (uint32_t)below(24)};
	c.words = 4 + (uint32_t)below(WORDS_MAX - 3);
	c.ctas = 1 + (uint32_t)below(CTAS_MAX);
	for (uint32_t i = 0; i < c.words; i++)
		c.swaps[i] = (uint16_t)(below(5) ? 0 : 1 + below(256));
	for (uint32_t i = 0; i < c.words; i++)
		c.kinds[i] = (uint8_t)(below(4) ? DC_BOX_MEMORY : below(2) ? DC_BOX_WARP : DC_BOX_NONE);
	make_lines(&c);
	return c;
}

static void compare_begins(uint64_t seed, uint32_t launch, uint32_t ctas, uint64_t expected[CTAS_MAX][WORDS_MAX])
{
	for (uint32_t i = 0; i < ctas; i++)
		for (uint32_t k = 0; k < WORDS_MAX; k++)
			if (begins[i][k] != expected[i][k])
				fail_msg("case %llu, launch %u: word %u of CTA %u begins at %llu, expected %llu",
					 (unsigned long long)seed, launch, k, i, (unsigned long long)begins[i][k],
					 (unsigned long long)expected[i][k]);
}

static void compare_stats(uint64_t seed, const struct dc_stats *is, const struct dc_stats *expected)
{
#define COMPARE(X)                                                                                                \
	X(blocks_started) X(accesses) X(warp_accesses) X(lines) X(mshr_merges) X(mshr_wait_cycles) X(tmu_rows)     \
	X(tmu_wait_cycles) X(crossbar_lines) X(crossbar_wait_cycles) X(cache_hits) X(cache_misses)                 \
	X(swap_rows) X(swap_cycles) X(copy_hits) X(copy_misses) X(copies_invalidated)          \
	X(cache_writebacks) X(entry_writebacks) X(link_bytes) X(link_wait_cycles) X(read_bytes) X(write_bytes)
#define X(field)                                                                                                  \
	if (is->field != expected->field)                                                                         \
		fail_msg("case %llu: " #field " %llu, expected %llu", (unsigned long long)seed,                   \
			 (unsigned long long)is->field, (unsigned long long)expected->field);
	COMPARE(X)
#undef X
}

static void host_writes(const struct slice_case *c, struct dc_system *s, struct slice_model *m)
{
	const uint32_t count = (uint32_t)below(LINES + 1);

	for (uint32_t i = 0; i < count; i++) {
		const uint64_t line = c->lines[below(LINES)];

		dc_system_host_wrote(s, line, 1 + below(64));
		slice_model_write(m, line);
	}
}

static void run_case(uint64_t seed, struct dc_stats *sum)
{
	const struct slice_case c = make_case(seed);
	struct dc_program program = {.c = &c, .kernel = {.word_count = c.words, .words = program.words}};
	struct simt_program named = {.name = "made up"};
	struct simt_launch l = {.program = &named, .grid = {c.ctas, 1, 1}, .block = {DC_BLOCK_LANES, 1, 1}};
	struct mem_memory memory = {.c = &c.memory};
	struct slice_model *model = slice_model_new(&c);
	struct sim_ctx ctx;

	for (uint32_t i = 0; i < c.words; i++)
		program.words[i] = (struct dc_word){.box.kind = c.kinds[i], .slot[0].swap_rows = c.swaps[i]};
	sim_ctx_open(&ctx, false);
	ctx.pool = mem_req_pool_new();
	assert_true(dc_clock_add(&c.p, ctx.engine));
	memory.ctx = &ctx;
	memory.domain = sim_domain_find(ctx.engine, "duality");
	memory.comp = sim_engine_add(ctx.engine, memory.domain, "memory", memory_tick, &memory);
	g_queue_init(&memory.queue);
	memory.system = dc_system_new(&ctx, &c.p, &memory, behind);
	for (uint32_t i = 0; i < LAUNCHES; i++) {
		uint64_t expected[CTAS_MAX][WORDS_MAX] = {{0}};
		struct device_result result;

		memset(begins, 0, sizeof(begins));
		dc_system_advance_ps(memory.system, dc_system_now_ps(memory.system) + 400000);
		host_writes(&c, memory.system, model);
		slice_model_launch(model, sim_cycle_now(ctx.engine, memory.domain), expected);
		assert_true(dc_system_launch(memory.system, &program, &l, (uint32_t)c.p.cache_way_count, false,
					     &result));
		compare_begins(seed, i, c.ctas, expected);
		compare_stats(seed, dc_system_stats(memory.system), slice_model_stats(model));
	}
	sum->mshr_merges += slice_model_stats(model)->mshr_merges;
	sum->mshr_wait_cycles += slice_model_stats(model)->mshr_wait_cycles;
	sum->link_wait_cycles += slice_model_stats(model)->link_wait_cycles;
	sum->cache_hits += slice_model_stats(model)->cache_hits;
	sum->swap_cycles += slice_model_stats(model)->swap_cycles;
	sum->copy_hits += slice_model_stats(model)->copy_hits;
	sum->copies_invalidated += slice_model_stats(model)->copies_invalidated;
	sum->cache_writebacks += slice_model_stats(model)->cache_writebacks;
	sum->entry_writebacks += slice_model_stats(model)->entry_writebacks;
	slice_model_free(model);
	dc_system_free(memory.system);
	mem_req_pool_free(ctx.pool);
	sim_ctx_close(&ctx);
}

static void test_two_models(void **state)
{
	struct dc_stats sum = {0};

	(void)state;
	for (uint64_t seed = 1; seed <= CASES; seed++)
		run_case(seed, &sum);
	/* what the cases are for happened */
	assert_true(sum.mshr_merges > CASES);
	assert_true(sum.mshr_wait_cycles > CASES);
	assert_true(sum.link_wait_cycles > CASES);
	assert_true(sum.cache_hits > CASES);
	assert_true(sum.swap_cycles > CASES * 1000);
	assert_true(sum.copy_hits > CASES);
	assert_true(sum.copies_invalidated > CASES);
	assert_true(sum.cache_writebacks > CASES);
	assert_true(sum.entry_writebacks > CASES);
}

/* ---- what fits ---- */

static uint64_t lines_held(const struct dc_system *s)
{
	uint64_t held = 0;

	for (uint32_t i = 0; i < s->slice_count; i++)
		for (uint64_t k = 0; k < s->set_count * s->p->way_count; k++)
			held += s->slices[i].cache.tags[k].state != 0;
	return held;
}

/* Three quarters of all slices' lines, which the host has written, are there, wherever they begin. */
static void hold(uint32_t sockets, uint32_t slices, uint32_t ways, uint64_t page_bytes)
{
	struct slice_case c = make_case(1);
	struct mem_memory memory = {.c = &c.memory};
	struct sim_ctx ctx;
	uint64_t lines;

	c.p.socket_count = sockets;
	c.p.slice_count = slices;
	c.p.way_count = ways;
	c.p.cache_way_count = 0;
	c.p.host_lines_stay = true;
	c.p.page_bytes = page_bytes;
	sim_ctx_open(&ctx, false);
	assert_true(dc_clock_add(&c.p, ctx.engine));
	memory.ctx = &ctx;
	memory.system = dc_system_new(&ctx, &c.p, &memory, behind);
	lines = (uint64_t)memory.system->slice_count * memory.system->set_count * ways * 3 / 4;
	lines -= lines * c.p.line_bytes % (page_bytes * sockets) / c.p.line_bytes; /* as many pages of each socket */
	dc_system_host_wrote(memory.system, 5 * page_bytes * sockets, lines * c.p.line_bytes);
	if (lines_held(memory.system) != lines)
		fail_msg("%u sockets of %u slices, %u ways, pages of %llu bytes: of %llu lines %llu are there", sockets,
			 slices, ways, (unsigned long long)page_bytes, (unsigned long long)lines,
			 (unsigned long long)lines_held(memory.system));
	dc_system_free(memory.system);
	sim_ctx_close(&ctx);
}

static void test_what_fits_is_held(void **state)
{
	(void)state;
	for (uint32_t sockets = 1; sockets <= 4; sockets++)
		for (uint32_t slices = 1; slices <= 14; slices += 1 + slices / 3)
			for (uint32_t ways = 4; ways <= 20; ways += 8)
				for (uint64_t page = 4096; page <= 65536; page *= 16)
					hold(sockets, slices, ways, page);
}

/* ---- DC-pages ---- */

/* Each address has a place of its own, within the capacity; and accesses with a stride have all channels and banks:
 * none has more than twice its share of 8,192 lines, nor has a channel of each 64 a channel, among those of a socket
 * where the 64 may be one's. */
static void shuffle(struct dc_behind of, uint64_t page_bytes, uint32_t sockets)
{
	enum { LINES_ASKED = 8192, BANK_BYTES = 65536, BANKS = 16, CHANNELS = 16 };
	struct slice_case c = make_case(1);
	struct dc_system s = {.p = &c.p, .behind = of, .page_shift = (uint32_t)__builtin_ctzll(page_bytes)};
	const uint64_t lines = of.bytes / 64;
	const bool is_near = of.channel_count % sockets == 0 && of.bytes % (page_bytes * sockets) == 0;
	uint8_t *taken = g_new0(uint8_t, lines);

	c.p.page_bytes = page_bytes;
	c.p.socket_count = sockets;
	c.p.channels_are_near = c.p.page_shuffle = true;
	s.by_sockets = base_divisor_of(sockets);
	dc_mmu_init(&s);
	for (uint64_t i = 0; i < lines; i++) {
		const uint64_t at = dc_physical(&s, i * 64 + 4);

		/* A page lies in every so-many-th channel, its socket's. */
		assert_true(!is_near || at / of.interleave_bytes % sockets == dc_socket_of(&s, i * 64));

		if (at >= of.bytes || at % 64 != 4 || taken[at / 64]++)
			fail_msg("%u channels, %llu bytes: address %llu comes to %llu", of.channel_count,
				 (unsigned long long)of.bytes, (unsigned long long)i * 64, (unsigned long long)at);
		assert_true(of.bytes > page_bytes * 256 || dc_physical(&s, i * 64 + of.bytes) == at - 4);
	}
	for (uint64_t stride = 1; stride * LINES_ASKED <= lines; stride++) {
		uint64_t banks[BANKS] = {0}, channels[CHANNELS] = {0}, most = 0, all = 0;

		for (uint64_t i = 0; i < LINES_ASKED; i++) {
			const uint64_t at = dc_physical(&s, i * stride * 64);

			dc_channel_count(&s, at);
			banks[at / BANK_BYTES % BANKS]++;
			channels[at / of.interleave_bytes % of.channel_count]++;
		}
		for (uint32_t i = 0; i < BANKS; i++)
			most = MAX(most, banks[i]);
		for (uint32_t i = 0; i < of.channel_count; i++)
			all = MAX(all, channels[i]);
		dc_channels_settle(&s);
		if (s.stats.channel_most_lines * of.channel_count > LINES_ASKED * 2 * (is_near ? sockets : 1) ||
		    all * of.channel_count > LINES_ASKED * 2 ||
		    (stride >= 16 && most * BANKS > LINES_ASKED * 2))
			fail_msg("%u channels, a stride of %llu lines: %llu of %u lines in one channel, %llu in a bank",
				 of.channel_count, (unsigned long long)stride,
				 (unsigned long long)s.stats.channel_most_lines, LINES_ASKED, (unsigned long long)most);
		s.stats.channel_most_lines = 0;
	}
	g_free(taken);
	dc_mmu_free(&s);
}

static void test_pages_are_shuffled(void **state)
{
	(void)state;
	for (uint32_t sockets = 1; sockets <= 4; sockets++) {
		shuffle((struct dc_behind){1 << 27, 64, 8}, 4096, sockets);
		shuffle((struct dc_behind){1 << 27, 64, 16}, 4096, sockets);
		shuffle((struct dc_behind){3 << 24, 64, 6}, 4096, sockets);
		shuffle((struct dc_behind){1 << 25, 256, 4}, 65536, sockets);
		shuffle((struct dc_behind){5 << 20, 64, 12}, 4096, sockets);
	}
}

/* A page is the socket's that touches it first, and lies in its channels while it has room there; then in another's.
 * Two of three pages are touched by the first socket. */
static void test_pages_are_touched(void **state)
{
	const struct dc_behind of = {1 << 24, 64, 8};
	struct slice_case c = make_case(1);
	struct dc_system s = {.p = &c.p, .behind = of, .page_shift = 12};
	uint8_t *taken = g_new0(uint8_t, of.bytes / 64);
	uint64_t first = 0;

	(void)state;
	c.p.page_bytes = 4096;
	c.p.socket_count = 2;
	c.p.channels_are_near = true;
	c.p.pages = DC_FIRST_TOUCH;
	s.by_sockets = base_divisor_of(2);
	dc_mmu_init(&s);
	assert_int_equal(s.near_sockets, 2);
	for (uint64_t page = 0; page < of.bytes / 4096; page++) {
		const uint32_t by = page % 3 == 2;

		dc_mmu_touch(&s, page * 4096, by);
		assert_true(dc_socket_of(&s, page * 4096) == by || first == of.bytes / 4096 / 2);
		first += !dc_socket_of(&s, page * 4096);
		for (uint64_t at = page * 4096; at < (page + 1) * 4096; at += 64) {
			assert_int_equal(taken[dc_physical(&s, at) / 64]++, 0);
			assert_int_equal(dc_physical(&s, at) / 64 % 2, dc_socket_of(&s, at));
		}
	}
	assert_int_equal(first, of.bytes / 4096 / 2);
	g_free(taken);
	dc_mmu_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_two_models), cmocka_unit_test(test_what_fits_is_held),
					   cmocka_unit_test(test_pages_are_shuffled),
					   cmocka_unit_test(test_pages_are_touched)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
