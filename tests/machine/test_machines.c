/* test_machines.c - what every shipped machine must keep: its caches hold what fits into them, whatever part of the
 * lines they see, and its memory gives a stream what is printed as its peak. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <glib.h>

#include "../gpu/rounds.h"
#include "base/check.h"
#include "base/units.h"
#include "cpu/inside.h"
#include "machine/cpu.h"
#include "machine/description.h"
#include "machine/duality.h"
#include "machine/explain.h"
#include "machine/hdl.h"
#include "machine/memories.h"
#include "machine/parts.h"
#include "mem/stack.h"
#include "memory/measure.h"

enum { STREAM_REQUESTS = 20000 };

/* Of the printed peak: refreshes, and pages at random that leave some vaults without work, take the rest. */
#define STREAM_SHARE 0.8

static const char *const machine_dirs[] = {TEST_MACHINES};
static const struct sim_search machines = {machine_dirs, 1};
static const char *const memory_dirs[] = {TEST_MEMORIES};
static const struct sim_search memories = {memory_dirs, 1};

static void load(const char *name, struct machine_description *d)
{
	struct base_diag_list diag;

	base_diag_init(&diag);
	if (!machine_description_load(name, &machines, &memories, d, &diag) || !machine_config_check(&d->config, &diag))
		fail_msg("%s: %s", name, diag.first ? diag.first->text : "");
	base_diag_free(&diag);
}

static void each(void (*test)(const char *name, const struct machine_config *c))
{
	g_auto(GStrv) names = sim_description_names(&machines);

	assert_true(g_strv_length(names) > 30);
	for (char **name = names; *name; name++) {
		struct machine_description d;

		load(*name, &d);
		test(*name, &d.config);
	}
}

/* ---- caches ---- */

/* Pages at random: see tests/gpu/test_parts.c. */
static void hold_slices(const char *name, struct gpu *g)
{
	const struct gpu_config *c = g->config;
	const bool is_random = c->gpu.address_map == GPU_MAP_RANDOM_PAGE;
	const uint64_t lines = c->l2.size_bytes / c->l2.line_bytes * (is_random ? 2 : 3) / 4;
	const uint64_t misses = rounds_slices(g, 1ull << 45, lines);

	if ((double)misses > (is_random ? 0.1 : 0.0) * (double)lines)
		fail_msg("%s: the L2 missed %llu of %llu lines in the second round", name, (unsigned long long)misses,
			 (unsigned long long)lines);
}

static void hold_stacks(const char *name, struct gpu *g)
{
	const struct sm *sm = gpu_stack_sm(g, 0, 0);
	struct mem_cache *caches[] = {sm->l1d, sm->l1c, sm->l1t};
	const uint64_t sizes[] = {g->config->l1d.size_bytes, g->config->l1c.size_bytes, g->config->l1t.size_bytes};

	for (uint32_t i = 0; i < 2 * ARRAY_COUNT(caches); i++) {
		struct mem_cache *c = caches[i / 2];
		const uint64_t lines = sizes[i / 2] / mem_cache_line_bytes(c) * 3 / 4;
		const uint64_t misses = rounds_stack(g, c, 0, 1ull << 45, lines, i % 2);

		if (misses && g->config->gpu.address_map != GPU_MAP_RANDOM_PAGE)
			fail_msg("%s: cache %u of a stack's SM missed %llu of %llu lines in the second round", name,
				 i / 2, (unsigned long long)misses, (unsigned long long)lines);
	}
}

static void gpu_caches(const char *name, const struct machine_config *c)
{
	struct base_diag_list diag;
	struct machine *m;

	if (!machine_config_has_gpu(c))
		return;
	base_diag_init(&diag);
	m = machine_new(c, false, &diag);
	assert_non_null(m);
	hold_slices(name, machine_gpu(m));
	if (machine_gpu(m)->stack_sm_count)
		hold_stacks(name, machine_gpu(m));
	machine_free(m);
	base_diag_free(&diag);
}

/* What a machine's parts declare it counts, and it counts nothing else (machine_new has looked). */
static void counts(const char *name, const struct machine_config *c)
{
	struct sim_stat_tables declared, counted = {.count = 0};
	struct base_diag_list diag;
	struct machine *m;

	if (!machine_config_has_gpu(c) && !machine_cpu_params(c) && !machine_duality_params(c))
		return;
	if (machine_hdl_params(c))
		return; /* no design has been built */
	base_diag_init(&diag);
	m = machine_new(c, false, &diag);
	assert_non_null(m);
	machine_config_stats(c, &declared);
	sim_stats_tables(m->ctx.stats, &counted);
	for (uint32_t i = 0; i < declared.count; i++) {
		const struct sim_stat_table *t = &declared.items[i];
		const uint32_t before = counted.count;

		sim_stat_tables_add(&counted, t);
		/* Those of the program's timeline come with its run. */
		if (counted.count != before && strcmp(t->prefix, "copy") && strcmp(t->prefix, "program"))
			fail_msg("%s: '%s' is declared, and nothing counts it", name, t->prefix);
	}
	machine_free(m);
	base_diag_free(&diag);
}

static void statistics(void **state)
{
	(void)state;
	each(counts);
}

/* Lines of so many of the channels, of pages one after the other; of a page in turn. */
static uint64_t line_of(const struct cpu_common *c, uint64_t i, uint64_t used)
{
	const uint64_t all = cpu_place_count(c->p), shift = c->page_shift - c->line_shift, page = i >> shift;

	return (page / used * all + page % used) << shift | (i & ((1ull << shift) - 1));
}

static uint64_t processor_misses(const struct cpu_common *c, struct cpu_tags *slices, uint64_t lines, uint64_t used)
{
	uint64_t misses = 0;

	for (uint32_t round = 0; round < 2; round++) {
		misses = 0;
		for (uint64_t i = 0; i < lines; i++) {
			const uint64_t line = line_of(c, i, used);
			struct cpu_tags *tags = &slices[cpu_tags_slice(slices, line)];
			struct cpu_tag *tag = cpu_tags_find(tags, line);

			misses += !tag;
			if (!tag) {
				tag = cpu_tags_victim(tags, line);
				*tag = (struct cpu_tag){.line = line, .state = CPU_SHARED};
			}
			cpu_tags_use(tags, tag);
		}
	}
	return misses;
}

static void hold_processor(const char *name, const struct cpu_system *s, struct cpu_tags *slices, uint64_t bytes)
{
	const struct cpu_common *c = &s->common;
	const uint64_t lines = (bytes >> c->line_shift) * 3 / 4;

	for (uint64_t used = 1; used <= cpu_place_count(c->p); used += cpu_place_count(c->p) > 1 ? used : 1) {
		const uint64_t misses = processor_misses(c, slices, lines, used);

		if (misses)
			fail_msg("%s, pages of %llu channels: a cache of %llu bytes missed %llu of %llu lines in the "
				 "second round", name, (unsigned long long)used, (unsigned long long)bytes,
				 (unsigned long long)misses, (unsigned long long)lines);
	}
}

static void processors_caches(const char *name, const struct machine_config *c)
{
	const struct cpu_params *p = machine_cpu_params(c);
	struct base_diag_list diag;
	struct machine *m;

	if (!p)
		return;
	base_diag_init(&diag);
	m = machine_new(c, false, &diag);
	assert_non_null(m);
	hold_processor(name, machine_cpu(m), machine_cpu(m)->bus.llc, p->llc_bytes / p->socket_count);
	hold_processor(name, machine_cpu(m), &machine_cpu(m)->cores[0].l2, p->l2_bytes);
	hold_processor(name, machine_cpu(m), &machine_cpu(m)->cores[0].l1, p->l1_bytes);
	machine_free(m);
	base_diag_free(&diag);
}

static void caches(void **state)
{
	(void)state;
	each(gpu_caches);
	each(processors_caches);
}

/* ---- a stream of reads ---- */

struct stream {
	struct sim_ctx ctx;
	const struct gpu_config *config;
	struct gpu_map map;
	struct mem_stack *stack;
	struct sim_comp feeder;
	uint64_t address, left;
};

static void served(void *ctx, struct mem_req *r)
{
	mem_req_put(((struct stream *)ctx)->ctx.pool, r);
}

static void has_room(void *ctx, uint32_t vault)
{
	struct stream *s = ctx;

	(void)vault;
	sim_wake_units(s->ctx.engine, s->feeder, sim_now_units(s->ctx.engine));
}

static bool is_of_first_stack(const struct stream *s)
{
	const struct gpu_params *p = &s->config->gpu;

	if (p->address_map == GPU_MAP_RANDOM_PAGE)
		return !mem_map_random_page_stack(s->address, p->page_bytes, 1, (uint32_t)p->stack_count);
	return !mem_map_place(&s->map.places, s->address).stack;
}

/* Every line of the first stack in turn, as soon as its vault has room. */
static void feed(void *component, uint64_t cycle)
{
	struct stream *s = component;
	const uint64_t line_bytes = s->config->l2.line_bytes;

	(void)cycle;
	for (; s->left; s->address += line_bytes) {
		const struct mem_place at = mem_map_place(&s->map.places, s->address);
		struct mem_req *r;

		if (!is_of_first_stack(s))
			continue;
		if (!mem_stack_can_accept(s->stack, at.vault, MEM_READ))
			return;
		r = mem_req_get(s->ctx.pool);
		*r = (struct mem_req){.addr_bytes = s->address,
				      .size_bytes = (uint16_t)line_bytes,
				      .op = MEM_READ,
				      .vault = (uint8_t)at.vault,
				      .bank = (uint8_t)at.bank,
				      .row = at.row,
				      .column = (uint16_t)at.column_bytes};
		mem_stack_accept(s->stack, r);
		s->left--;
	}
}

/* Of what the data buses of a stack could carry. */
static double stack_share(const struct gpu_config *c)
{
	struct stream s = {.config = c, .address = 1ull << 45, .left = STREAM_REQUESTS};
	const struct mem_stack_config config = {.dram = &c->dram, .done = served, .room = has_room, .ctx = &s};
	struct mem_stack_config of = config;
	double seconds;

	sim_ctx_open(&s.ctx, false);
	s.ctx.pool = mem_req_pool_new();
	assert_true(gpu_clocks_add(c, s.ctx.engine));
	gpu_map_init(c, &s.map);
	of.engine = s.ctx.engine;
	of.dram_domain = sim_domain_find(s.ctx.engine, "dram");
	s.stack = mem_stack_new(&of);
	s.feeder = sim_engine_add(s.ctx.engine, of.dram_domain, "feeder", feed, &s);
	sim_wake_cycle(s.ctx.engine, s.feeder, 0);
	sim_run(s.ctx.engine);
	assert_int_equal(s.left, 0);
	seconds = (double)sim_now_ps(s.ctx.engine) / BASE_PS_PER_S;
	mem_stack_free(s.stack);
	mem_req_pool_free(s.ctx.pool);
	sim_ctx_close(&s.ctx);
	return (double)(STREAM_REQUESTS * c->l2.line_bytes) / seconds /
	       ((double)c->dram.vault_count * dram_vault_peak_bytes_per_s(&c->dram));
}

static double memory_share(const struct machine_memory *m)
{
	struct memory_standard standard = {.memory = m->memory, .dram = m->dram, .link = m->link, .energy = m->energy};
	struct memory_stream_params stream;
	const struct sim_param_group group = {"stream", memory_stream_param_rows, memory_stream_param_row_count,
					      &stream, NULL};
	const struct memory_measure_config config = {
	    .memory = &standard, .stream = &stream, .kind = MEMORY_SEQUENTIAL};
	struct memory_result result;
	struct memory_measure *measure;
	struct base_diag_list diag;

	base_diag_init(&diag);
	sim_param_defaults(&group);
	stream.request_count = STREAM_REQUESTS;
	measure = memory_measure_new(&config, &diag);
	assert_non_null(measure);
	memory_measure_run(measure, &result);
	memory_measure_free(measure);
	base_diag_free(&diag);
	return result.gbytes_per_s * 1e9 / memory_measure_peak_bytes_per_s(&standard, 1);
}

static void near_peak(const char *name, const char *memory, double share)
{
	if (share < STREAM_SHARE || share > 1.001)
		fail_msg("%s, %s: a stream of reads gets %.2f of the peak that is printed", name, memory, share);
}

static void stream_of(const char *name, const struct machine_config *c)
{
	const struct machine_memories *all = machine_memories_of(c);

	if (machine_config_has_gpu(c))
		near_peak(name, "the stacks", stack_share(machine_gpu_config(c)));
	for (uint32_t i = 0; i < all->count; i++)
		near_peak(name, all->items[i].name, memory_share(&all->items[i]));
}

static void streams(void **state)
{
	(void)state;
	each(stream_of);
}

/* A sector that is less than the memory's shortest access moves more than it is. Only the machine that is compared with
 * GPGPU-Sim has that, as GPGPU-Sim does (docs/decisions/0042-two-gtx-480.md). */
static void whole_accesses(const char *name, const struct machine_config *c)
{
	const struct gpu_config *g = machine_gpu_config(c);
	uint64_t access_bytes;

	if (!machine_config_has_gpu(c) || !g->l2.sector_bytes || !strcmp(name, "gtx480"))
		return;
	access_bytes = g->dram.data_bits * g->dram.burst_beats / 8;
	if (g->l2.sector_bytes < access_bytes)
		fail_msg("%s: each sector of %llu B of the L2 moves %llu B of DRAM", name,
			 (unsigned long long)g->l2.sector_bytes, (unsigned long long)access_bytes);
}

static void sectors(void **state)
{
	(void)state;
	each(whole_accesses);
}

/* Duality Cache's kernels alone are compared with the GPU server's on equal memories. */
static void equal_memories(void **state)
{
	struct machine_description server, duality;
	const struct machine_memory *m;
	const struct gpu_config *c;

	(void)state;
	load("gpu-server", &server);
	load("duality-gddr5", &duality);
	c = machine_gpu_config(&server.config);
	m = &machine_memories_of(&duality.config)->items[0];
	assert_int_equal(machine_memories_of(&duality.config)->count, 1);
	assert_int_equal(m->memory.channel_count, c->gpu.stack_count);
	assert_memory_equal(&m->dram, &c->dram, sizeof(c->dram));
}

/* ---- settings that nobody reads ---- */

/* A what-if that takes the mechanism away is a machine, whatever was chosen for the mechanism. */
static void hold_without(const char *name, const struct machine_config *of)
{
	struct machine_explain rows;

	machine_explain_of(of, &rows);
	for (uint32_t i = 0; i < rows.count; i++)
		for (const struct sim_explain_case *one = rows.items[i]->cases; one->name; one++) {
			g_auto(GStrv) words = g_strsplit(one->settings, " ", -1);
			struct machine_config c = *of;
			struct base_diag_list diag;

			if (strcmp(one->name, "no mechanism"))
				continue;
			base_diag_init(&diag);
			for (char **word = words; *word; word++) {
				g_auto(GStrv) pair = g_strsplit(*word, "=", 2);

				assert_true(machine_config_set(&c, pair[0], pair[1], (struct base_place){0}, &diag));
			}
			if (!machine_config_check(&c, &diag))
				fail_msg("%s: '%s' is no machine: %s", name, one->settings, diag.first->text);
			base_diag_free(&diag);
		}
}

/* What is chosen beside a mechanism that does not read it is refused by its name, and only there. */
static void hold_settings(const char *name, const struct machine_config *of)
{
	static const struct {
		const char *key, *value, *readers;
	} settings[] = {
	    {"ndp.destination", "turn", " tom nsu "},
	    {"ndp.shuffles", "true", " tom tom-ideal "},
	    {"ndp.timed", "true", " tom nsu "},
	    {"ndp.away", "auto", " tom nsu "},
	    {"ndp.ctas", "rest", " tom "},
	    {"ndp.tom_mapping", "learned", " tom nsu "},
	    {"ndp.tom_latency_cycles", "11", " tom "},
	    {"ndp.tom_pointer_words", "2", " tom tom-ideal "},
	    {"ndp.bom_latency_cycles", "4", " bom "},
	    {"ndp.nsu_decision", "climb", " nsu "},
	    {"ndp.hints", "homes", " tom nsu "},
	};
	const char *mechanism = ndp_mechanism_name((uint32_t)machine_ndp_site(of).ndp->choice.mechanism);
	g_autofree char *word = g_strdup_printf(" %s ", mechanism);

	for (uint32_t i = 0; i < ARRAY_COUNT(settings) && machine_config_has_gpu(of); i++) {
		const bool is_read = strstr(settings[i].readers, word) != NULL;
		struct machine_config c = *of;
		struct base_diag_list diag;
		g_autofree char *said = NULL;
		char *text;

		base_diag_init(&diag);
		assert_true(machine_config_set(&c, settings[i].key, settings[i].value,
					       (struct base_place){"--set", 0, 0}, &diag));
		machine_config_check_read(&c, &diag);
		text = base_diag_join(&diag);
		said = g_strdup_printf("'%s' is read with ndp.mechanism = ", settings[i].key);
		if (is_read == (strstr(text, said) != NULL))
			fail_msg("%s, %s=%s: '%s'", name, settings[i].key, settings[i].value, text);
		free(text);
		base_diag_free(&diag);
		if (is_read)
			hold_without(name, &c);
	}
}

static void settings(void **state)
{
	(void)state;
	each(hold_settings);
}

/* Every condition is of rows that there are, and of values that a parameter can have. */
static void hold_conditions(const char *name, const struct machine_config *of)
{
	struct machine_config c = *of;
	struct sim_param_groups groups;

	machine_config_groups(&c, &groups);
	for (uint32_t g = 0; g < groups.count; g++) {
		const struct sim_param_when *when = groups.items[g].whens;

		for (; when && when->names; when++) {
			g_auto(GStrv) values = g_strsplit(when->values + (*when->values == '!'), "|", -1);
			const char *names = when->names + (*when->names == '!');
			struct machine_config changed = *of;
			struct base_diag_list diag;
			uint32_t count = 0;

			for (uint32_t i = 0; i < groups.items[g].row_count; i++)
				count += g_pattern_match_simple(names, groups.items[g].rows[i].name) ? 1 : 0;
			/* Of "away*" and "cta*" each has rows in one of two tables. */
			if (!count && strcmp(groups.items[g].prefix, "ndp") != 0)
				fail_msg("%s: %s.%s: no row is named so", name, groups.items[g].prefix, names);
			base_diag_init(&diag);
			for (char **value = values; *value; value++)
				if (!machine_config_set(&changed, when->key, *value, (struct base_place){0}, &diag))
					fail_msg("%s: %s = %s: %s", name, when->key, *value, diag.first->text);
			base_diag_free(&diag);
		}
	}
}

static void conditions(void **state)
{
	(void)state;
	each(hold_conditions);
}

/* How many messages there are when the parameter is set in one place and what decides about it in another. */
static uint32_t refused(const char *where, const char *decider_where, bool is_decider_first)
{
	const struct {
		const char *key, *value, *where;
	} sets[] = {{"ndp.nsu_ratio", "0.3", where}, {"ndp.mechanism", "none", decider_where}};
	struct machine_config c;
	struct base_diag_list diag;
	uint32_t count;

	machine_config_defaults(&c, machine_parts);
	base_diag_init(&diag);
	for (uint32_t i = 0; i < ARRAY_COUNT(sets); i++) {
		const uint32_t k = is_decider_first ? 1 - i : i;

		assert_true(machine_config_set(&c, sets[k].key, sets[k].value, (struct base_place){sets[k].where, 1, 1},
					       &diag));
	}
	machine_config_check_read(&c, &diag);
	count = diag.error_count;
	base_diag_free(&diag);
	return count;
}

static void places(void **state)
{
	(void)state;
	assert_int_equal(refused("a.yaml", "a.yaml", false), 1);
	assert_int_equal(refused("a.yaml", "--set", false), 0); /* what the file had is taken away */
	assert_int_equal(refused("--set", "a.yaml", true), 1);
	assert_int_equal(refused("--set", "--set", false), 1);
	assert_int_equal(refused("--set", NULL, false), 1); /* nobody has said ndp.mechanism */
	assert_int_equal(refused(NULL, "--set", false), 0); /* nobody has set it */
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(caches), cmocka_unit_test(statistics),
					   cmocka_unit_test(streams), cmocka_unit_test(sectors),
					   cmocka_unit_test(equal_memories), cmocka_unit_test(settings),
					   cmocka_unit_test(conditions), cmocka_unit_test(places)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
