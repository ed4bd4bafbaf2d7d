/* sampling.c - which launches are timed, and the times of the others from those of launches like them.
 *
 * Launches are of one kind if they are of one kernel with one size of CTA. Within a kind they form groups of about
 * the same number of CTAs and instructions. How many instructions a launch has is known when it is over; which group
 * it will be in is foretold from the one that followed the last launch's group the last time.
 */
#include "gpu/sampling.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "device/launches.h"
#include "gpu/priv.h"
#include "simt/checkpoint.h"

enum { GROUPS_MAX = 64 }; /* of a kind; a launch that is in none of them is timed */

struct group {
	double cta_count, instructions; /* of its first launch */
	bool has_begun;		  /* its first launch, which finds cold caches and is no example, is over */
	struct sampling_ratio ps; /* per instruction, of the others that were timed */
	double error_ps;	  /* of these, where only parts were timed */
	uint64_t since_timed;
	struct group *next; /* that the last launch after one of this was of */
};

struct kind {
	char *name;
	uint32_t block[3], shared_bytes;
	struct group groups[GROUPS_MAX];
	uint32_t group_count;
	struct group *last; /* of the last launch; NULL: of none that is known */
	double *counts;	      /* what the timed ones have counted, and what was estimated of them */
	double counted;	      /* their instructions */
};

/* What run.only says. */
enum only { ONLY_NOTHING, ONLY_KERNEL, ONLY_NUMBERS, ONLY_REGION };

struct sampling {
	struct gpu *g;
	const struct run_params *run;
	bool is_forwarding;
	uint64_t forward_left; /* launches; UINT64_MAX: up to a kernel's */
	struct simt_saver *saver;	/* run.checkpoint_write */
	struct simt_restorer *restorer; /* run.checkpoint */
	enum only only;
	uint64_t only_first, only_last; /* ONLY_NUMBERS */
	bool is_in_region;	/* ONLY_REGION */
	uint64_t launch_count;	/* with the one that is about to run */
	GPtrArray *kinds;
	GHashTable *kind_of; /* by text */
	struct windows *windows; /* NULL: run.mode is not sampled */
	struct slices *slices;
	bool is_in_windows; /* the running launch */
	uint64_t *begin, *end;	 /* counts of the running launch */
	double *added;
	uint32_t count_total;
};

/* ---- building ---- */

static void kind_free(void *p)
{
	struct kind *k = p;

	g_free(k->name);
	g_free(k->counts);
	g_free(k);
}

/* "N", "N-M", "profiler", "range:NAME", or a kernel's name. */
static void only_read(struct sampling *s)
{
	const char *text = s->run->only;

	if (!*text)
		s->only = ONLY_NOTHING;
	else if (!strcmp(text, "profiler") || device_launches_range(text))
		s->only = ONLY_REGION;
	else if (device_launches_read(text, &s->only_first, &s->only_last))
		s->only = ONLY_NUMBERS;
	else
		s->only = ONLY_KERNEL;
}

struct sampling *sampling_new(struct gpu *g)
{
	const struct run_params *run = g->run;
	struct sampling *s;

	if (run->mode != RUN_SAMPLED && !*run->fast_forward && !*run->only && !*run->checkpoint)
		return NULL;
	s = g_new0(struct sampling, 1);
	s->g = g;
	s->run = run;
	s->is_forwarding = *run->fast_forward || *run->checkpoint;
	if (!device_launches_count(run->fast_forward, &s->forward_left))
		s->forward_left = UINT64_MAX;
	if (*run->checkpoint_write)
		s->saver = simt_saver_new(run->checkpoint_write);
	if (*run->checkpoint)
		s->restorer = simt_restorer_new(run->checkpoint);
	only_read(s);
	s->kinds = g_ptr_array_new_with_free_func(kind_free);
	s->kind_of = g_hash_table_new(g_str_hash, g_str_equal);
	if (run->mode != RUN_SAMPLED)
		return s;
	s->windows = windows_new(g);
	s->slices = slices_new(g);
	return s;
}

void sampling_free(struct sampling *s)
{
	if (!s)
		return;
	g_hash_table_unref(s->kind_of);
	g_ptr_array_free(s->kinds, TRUE);
	windows_free(s->windows);
	slices_free(s->slices);
	simt_saver_free(s->saver);
	simt_restorer_free(s->restorer);
	g_free(s->begin);
	g_free(s->end);
	g_free(s->added);
	g_free(s);
}

uint64_t sampling_clock_cycles(const struct sampling *s)
{
	if (!s->windows)
		return 0;
	return s->is_in_windows ? windows_clock_cycles(s->windows) : slices_clock_cycles(s->slices);
}

/* ---- run.fast_forward ---- */

/* A C++ function's symbol has its name behind the name's length. */
static bool is_kernel(const char *symbol, const char *name)
{
	g_autofree char *in_symbol = g_strdup_printf("%zu%s", strlen(name), name);

	return !strcmp(symbol, name) || (g_str_has_prefix(symbol, "_Z") && strstr(symbol, in_symbol));
}

/* ---- run.only ---- */

void sampling_region(struct sampling *s, bool is_begin)
{
	s->is_in_region = is_begin;
}

static bool is_left_out(const struct sampling *s)
{
	switch (s->only) {
	case ONLY_NOTHING:
		return false;
	case ONLY_KERNEL:
		return !is_kernel(s->g->launch->program->name, s->run->only);
	case ONLY_NUMBERS:
		return s->launch_count < s->only_first || s->launch_count > s->only_last;
	case ONLY_REGION:
		return !s->is_in_region;
	}
	UNREACHABLE("a choice of launches");
}

/* Is the launch before the first one that run.fast_forward lets be timed, or one of the checkpoint's? */
static bool is_before(struct sampling *s)
{
	if (!s->is_forwarding)
		return false;
	if (s->restorer)
		return simt_restorer_has_launch(s->restorer);
	if (s->forward_left == UINT64_MAX)
		return !is_kernel(s->g->launch->program->name, s->run->fast_forward);
	return s->forward_left-- > 0;
}

/* ---- kinds and groups ---- */

static struct kind *kind_of(struct sampling *s)
{
	const struct simt_launch *l = s->g->launch;
	g_autofree char *text = g_strdup_printf("%s %u %u %u %u", l->program->name, l->block[0], l->block[1],
						l->block[2], l->shared_dynamic_bytes);
	struct kind *k = g_hash_table_lookup(s->kind_of, text);

	if (!k) {
		k = g_new0(struct kind, 1);
		k->name = g_steal_pointer(&text);
		g_ptr_array_add(s->kinds, k);
		g_hash_table_insert(s->kind_of, k->name, k);
	}
	return k;
}

static bool is_alike(const struct sampling *s, double a, double b)
{
	return fabs(a - b) <= b * s->run->sample_alike_percent / 100;
}

/* The group that the coming launch is expected to be of, or NULL. */
static struct group *foretold(const struct sampling *s, const struct kind *k)
{
	struct group *c = k->last && k->last->next ? k->last->next : k->last;

	return c && is_alike(s, (double)s->g->cta_total, c->cta_count) ? c : NULL;
}

static bool is_known(const struct sampling *s, const struct group *c)
{
	return c && c->ps.n >= (double)s->run->sample_launch_count && c->since_timed < s->run->sample_interval_count &&
	       sampling_ratio_error(&c->ps) <= s->run->sample_error_percent / 100;
}

/* The group that the launch is of, or NULL. */
static struct group *group_of(const struct sampling *s, struct kind *k, double instructions)
{
	for (uint32_t i = 0; i < k->group_count; i++)
		if (is_alike(s, instructions, k->groups[i].instructions) &&
		    is_alike(s, (double)s->g->cta_total, k->groups[i].cta_count))
			return &k->groups[i];
	return NULL;
}

static struct group *group_new(const struct sampling *s, struct kind *k, double instructions)
{
	if (k->group_count == GROUPS_MAX)
		return NULL;
	k->groups[k->group_count] =
	    (struct group){.cta_count = (double)s->g->cta_total, .instructions = instructions};
	return &k->groups[k->group_count++];
}

static void follow(struct kind *k, struct group *c)
{
	if (k->last)
		k->last->next = c;
	k->last = c;
}

static void learn(struct sampling *s, struct kind *k, const struct device_result *result)
{
	const double instructions = (double)result->warp_instructions;
	struct group *c = group_of(s, k, instructions);

	if (!c)
		c = group_new(s, k, instructions);
	follow(k, c);
	if (!c)
		return;
	c->since_timed = 0;
	if (!c->has_begun) {
		c->has_begun = true;
		return;
	}
	if (!k->counts)
		k->counts = g_new0(double, s->count_total);
	for (uint32_t i = 0; i < s->count_total; i++)
		k->counts[i] += (double)(s->end[i] - s->begin[i]) + s->added[i];
	k->counted += instructions;
	sampling_ratio_add(&c->ps, instructions, (double)(result->end_ps - result->start_ps));
	c->error_ps += result->error_common_ps;
}

/* ---- times from those of others ---- */

/* The timed group whose launches are nearest in instructions. */
static const struct group *nearest(const struct kind *k, double instructions)
{
	const struct group *best = NULL;

	for (uint32_t i = 0; i < k->group_count; i++) {
		const struct group *c = &k->groups[i];

		if (c->ps.n > 0 && (!best || fabs(log(c->instructions / instructions)) <
					     fabs(log(best->instructions / instructions))))
			best = c;
	}
	return best;
}

/* What launches of one group do not say of one of another: as far as the times per instruction of all groups lie
 * apart, and at least as far as the launch is from them. */
static double strangeness(const struct kind *k, const struct group *c, double instructions)
{
	double worst = fabs(instructions / c->instructions - 1) * sampling_ratio_of(&c->ps);

	for (uint32_t i = 0; i < k->group_count; i++)
		if (k->groups[i].ps.n > 0)
			worst = fmax(worst, fabs(sampling_ratio_of(&k->groups[i].ps) - sampling_ratio_of(&c->ps)));
	return worst * instructions;
}

static void estimate(struct sampling *s, struct kind *k, struct device_result *result)
{
	const double instructions = (double)result->warp_instructions;
	struct group *own = group_of(s, k, instructions);
	const struct group *c = own && own->ps.n > 0 ? own : nearest(k, instructions);
	const double ps = instructions * sampling_ratio_of(&c->ps), mean = c->ps.x / c->ps.n,
		     deviation = sampling_student(c->ps.n) * sampling_ratio_deviation(&c->ps) * instructions / mean;
	const double windows_ps = c->error_ps * instructions / c->ps.x;

	follow(k, own);
	if (own)
		own->since_timed++;
	result->detail = DEVICE_DETAIL_NONE;
	result->estimated_warp_instructions = result->warp_instructions;
	result->end_ps = result->start_ps + (uint64_t)ps;
	result->cycles = sim_units_of_ps(s->g->engine, (uint64_t)ps) / sim_period_units(s->g->engine, s->g->clocks.sm);
	result->error_common_ps = sqrt(deviation * deviation / c->ps.n + windows_ps * windows_ps) +
				  ps * s->run->sample_bias_percent / 100;
	result->error_own_ps = c == own ? deviation : strangeness(k, c, instructions);
	sim_stats_estimate(s->g->stats, k->counts, instructions / k->counted);
}

/* ---- launches ---- */

static void room_for_counts(struct sampling *s)
{
	const uint32_t total = sim_stats_count_total(s->g->stats);

	if (s->count_total == total)
		return;
	CHECK(!s->count_total); /* all parts are there when the first kernel is */
	s->count_total = total;
	s->begin = g_new0(uint64_t, total);
	s->end = g_new0(uint64_t, total);
	s->added = g_new0(double, total);
}

void sampling_begin(struct sampling *s)
{
	if (!s->windows)
		return;
	room_for_counts(s);
	memset(s->added, 0, s->count_total * sizeof(*s->added));
	sim_stats_counts(s->g->stats, s->begin);
}

void sampling_placed(struct sampling *s)
{
	if (!s->windows)
		return;
	s->is_in_windows = windows_begin(s->windows);
	if (s->is_in_windows) {
		s->g->now_windows = s->windows;
		return;
	}
	slices_begin(s->slices);
	s->g->now_slices = s->slices;
}

struct simt_cta *sampling_running(const struct sampling *s)
{
	return s->windows ? windows_running(s->windows) : NULL;
}

/* The engine has not seen the time that was estimated. */
static void time_add(struct gpu *g, uint64_t ps, uint64_t cycles)
{
	g->estimated_ps += ps;
	g->estimated_cycles += cycles;
	sim_limit(g->engine, gpu_limit_units(g));
}

void sampling_end(struct sampling *s, struct device_result *result)
{
	if (!s->windows)
		return;
	const uint64_t cycles = result->cycles;

	s->g->now_windows = NULL;
	s->g->now_slices = NULL;
	sim_stats_counts(s->g->stats, s->end);
	if (s->is_in_windows)
		windows_end(s->windows, result, s->added);
	else
		slices_end(s->slices, result, s->added);

	const uint64_t added = result->cycles - cycles,
		       ps = sim_ps_of_units(s->g->engine, added * sim_period_units(s->g->engine, s->g->clocks.sm));

	result->end_ps += ps;
	time_add(s->g, ps, added);
}

static void totals_add(struct gpu *g, const struct device_result *result)
{
	g->totals.cycles += result->cycles;
	g->totals.time_ps += result->end_ps - result->start_ps;
	g->totals.warp_instructions += result->warp_instructions;
	g->totals.thread_instructions += result->thread_instructions;
}

/* ---- checkpoints ---- */

bool sampling_checkpoint(const struct sampling *s, struct gpu_checkpoint *out)
{
	*out = (struct gpu_checkpoint){0};
	if (s && s->saver) {
		out->path = s->run->checkpoint_write;
		out->why_not = simt_saver_why_not(s->saver);
		out->launch_count = simt_saver_launches(s->saver);
	} else if (s && s->restorer) {
		out->path = s->run->checkpoint;
		out->is_read = true;
		out->launch_count = simt_restorer_launches(s->restorer);
	}
	return out->path;
}

/* A launch that run.fast_forward skips. */
static bool save(struct sampling *s, struct device_result *result)
{
	struct simt_launch *l = s->g->launch;
	bool is_right;

	simt_saver_before(s->saver, l);
	is_right = gpu_launch_untimed(s->g, result);
	simt_saver_after(s->saver, l,
			 &(struct simt_saved_counts){result->warp_instructions, result->thread_instructions}, is_right);
	return is_right;
}

/* The same, executed by another run. */
static bool restore(struct sampling *s, struct device_result *result)
{
	struct gpu *g = s->g;
	struct simt_saved_counts counts = {0};
	const bool is_right = simt_restorer_launch(s->restorer, g->launch, &counts);

	result->start_ps = result->end_ps = gpu_now_ps(g);
	result->warp_instructions = counts.warp_instructions;
	result->thread_instructions = counts.thread_instructions;
	g->totals.untimed_warp_instructions += counts.warp_instructions;
	g->totals.kernels_untimed++;
	return is_right;
}

static bool skip(struct sampling *s, bool is_early, struct device_result *result)
{
	bool is_right;

	result->detail = DEVICE_DETAIL_SKIPPED;
	if (is_early && s->restorer)
		is_right = restore(s, result);
	else if (is_early && s->saver)
		is_right = save(s, result);
	else
		is_right = gpu_launch_untimed(s->g, result);
	result->estimated_warp_instructions = result->warp_instructions;
	return is_right;
}

/* The first launch that is not skipped for being early. False: memory is not the checkpoint's, the launch says so. */
static bool mark(struct sampling *s, struct device_result *result)
{
	s->is_forwarding = false;
	result->start_ps = result->end_ps = gpu_now_ps(s->g);
	if (s->saver)
		simt_saver_mark(s->saver);
	return !s->restorer || simt_restorer_mark(s->restorer, s->g->launch);
}

/* ---- a launch ---- */

bool sampling_launch(struct sampling *s, struct device_result *result)
{
	struct gpu *g = s->g;
	struct kind *k;
	bool is_early, is_right;

	is_early = is_before(s);
	if (s->is_forwarding && !is_early && !mark(s, result))
		return false;
	s->launch_count++;
	if (is_early || is_left_out(s))
		return skip(s, is_early, result);
	if (!s->windows)
		return gpu_launch_timed(g, result);
	k = kind_of(s);
	if (sampling_learns(g) || !is_known(s, foretold(s, k))) {
		is_right = gpu_launch_timed(g, result);
		if (is_right)
			learn(s, k, result);
		return is_right;
	}
	is_right = gpu_launch_untimed(g, result);
	const uint64_t seen_ps = result->end_ps;

	estimate(s, k, result);
	time_add(g, result->end_ps - seen_ps, result->cycles);
	totals_add(g, result);
	return is_right;
}
