/* kernels.c - counts, sums and a bounded list of launches. */
#include "machine/kernels.h"

#include "machine/json.h"
#include "machine/sums.h"

#include <glib.h>
#include <math.h>
#include <string.h>

struct sum {
	const char *name;
	uint64_t launches, faulted;
	uint64_t time_ps, time_min_ps, time_max_ps;
	uint64_t cycles, warp_instructions, thread_instructions, cta_count;
	uint64_t energy_time_ps, *counts; /* see struct machine_kernel; NULL: none */
	/* see struct machine_estimates */
	uint64_t by_detail[DEVICE_DETAIL_SKIPPED + 1], detailed_warp_instructions;
	uint64_t skipped_warp_instructions, skipped_thread_instructions;
	double error_common_ps, error_own_squares;
	/* see struct device_result; why: of the last launch that was not all host code */
	uint64_t untimed_warp_instructions, compiled_warp_instructions;
	double untimed_host_seconds;
	const char *interpreted_why;
};

struct refusal {
	const char *kernel; /* NULL: not known */
	const char *reason;
	uint64_t launches;
};

struct kept {
	uint64_t number;
	struct machine_kernel launch;
};

struct machine_kernels {
	struct machine_launch_counts counts;
	GStringChunk *texts;
	GHashTable *sum_of; /* name -> index in sums + 1 */
	GArray *sums;	    /* struct sum */
	GArray *refusals;   /* struct refusal */
	GArray *first;	    /* struct kept */
	GArray *last;	    /* struct kept; a ring once it is full */
	const struct machine_sums *measured; /* NULL: nothing beside the time */
	uint32_t count_length;
	GArray *first_counts, *last_counts; /* of the launches in first and last: count_length for each */
	uint64_t first_count, last_count; /* that are kept at most */
	uint64_t last_seen;		  /* went through the ring */
	bool shows_detail;
};

struct machine_kernels *machine_kernels_new(uint64_t kept_count)
{
	struct machine_kernels *k = g_new0(struct machine_kernels, 1);

	k->texts = g_string_chunk_new(4096);
	k->sum_of = g_hash_table_new(g_direct_hash, g_direct_equal);
	k->sums = g_array_new(FALSE, FALSE, sizeof(struct sum));
	k->refusals = g_array_new(FALSE, FALSE, sizeof(struct refusal));
	k->first = g_array_new(FALSE, FALSE, sizeof(struct kept));
	k->last = g_array_new(FALSE, FALSE, sizeof(struct kept));
	k->last_count = kept_count / 2;
	k->first_count = kept_count - k->last_count;
	return k;
}

void machine_kernels_free(struct machine_kernels *k)
{
	if (!k)
		return;
	g_string_chunk_free(k->texts);
	g_hash_table_unref(k->sum_of);
	for (uint32_t i = 0; i < k->sums->len; i++)
		g_free(g_array_index(k->sums, struct sum, i).counts);
	g_array_free(k->sums, TRUE);
	if (k->measured) {
		g_array_free(k->first_counts, TRUE);
		g_array_free(k->last_counts, TRUE);
	}
	g_array_free(k->refusals, TRUE);
	g_array_free(k->first, TRUE);
	g_array_free(k->last, TRUE);
	g_free(k);
}

void machine_kernels_measure(struct machine_kernels *k, const struct machine_sums *sums)
{
	k->measured = sums;
	k->count_length = machine_sums_length(sums);
	k->first_counts = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	k->last_counts = g_array_new(FALSE, FALSE, sizeof(uint64_t));
}

const char *machine_kernels_name(struct machine_kernels *k, const char *name)
{
	return g_string_chunk_insert_const(k->texts, name);
}

/* ---- launches ---- */

static struct sum *sum_of(struct machine_kernels *k, const char *name)
{
	uint32_t place = GPOINTER_TO_UINT(g_hash_table_lookup(k->sum_of, name));

	if (!place) {
		const struct sum new = {.name = name,
					.time_min_ps = UINT64_MAX,
					.counts = k->measured ? g_new0(uint64_t, k->count_length + 1) : NULL};

		g_array_append_val(k->sums, new);
		place = k->sums->len;
		g_hash_table_insert(k->sum_of, (gpointer)name, GUINT_TO_POINTER(place));
	}
	return &g_array_index(k->sums, struct sum, place - 1);
}

static void add_detail(struct sum *s, const struct device_result *r)
{
	s->by_detail[r->detail]++;
	s->detailed_warp_instructions += r->warp_instructions - r->estimated_warp_instructions;
	if (r->detail == DEVICE_DETAIL_SKIPPED) {
		s->skipped_warp_instructions += r->warp_instructions;
		s->skipped_thread_instructions += r->thread_instructions;
	}
	s->error_common_ps += r->error_common_ps;
	s->error_own_squares += r->error_own_ps * r->error_own_ps;
}

static void add_counts(const struct machine_kernels *k, struct sum *s, const struct machine_kernel *launch)
{
	s->energy_time_ps += launch->time_ps;
	for (uint32_t i = 0; i < k->count_length; i++)
		s->counts[i] += launch->counts[i];
}

static void add_to_sum(struct sum *s, const struct machine_kernel *launch)
{
	const struct device_result *r = &launch->result;
	uint64_t time_ps = r->end_ps - r->start_ps;

	s->launches++;
	s->faulted += launch->is_faulted;
	s->time_ps += time_ps;
	if (r->detail != DEVICE_DETAIL_SKIPPED)
		s->time_min_ps = MIN(s->time_min_ps, time_ps);
	s->time_max_ps = MAX(s->time_max_ps, time_ps);
	s->cycles += r->cycles;
	s->warp_instructions += r->warp_instructions;
	s->thread_instructions += r->thread_instructions;
	s->cta_count += r->cta_count;
	s->untimed_warp_instructions += r->untimed_warp_instructions;
	s->compiled_warp_instructions += r->compiled_warp_instructions;
	s->untimed_host_seconds += r->untimed_host_seconds;
	add_detail(s, r);
}

static void keep_at_end(const struct machine_kernels *k, GArray *list, GArray *counts, const struct kept *launch)
{
	g_array_append_vals(list, launch, 1);
	if (k->measured)
		g_array_append_vals(counts, launch->launch.counts, k->count_length);
}

static void keep_at(const struct machine_kernels *k, uint64_t place, const struct kept *launch)
{
	g_array_index(k->last, struct kept, place) = *launch;
	if (k->count_length)
		memcpy(&g_array_index(k->last_counts, uint64_t, place * k->count_length), launch->launch.counts,
		       k->count_length * sizeof(uint64_t));
}

static void keep(struct machine_kernels *k, const struct kept *launch)
{
	if (k->first->len < k->first_count)
		keep_at_end(k, k->first, k->first_counts, launch);
	else if (k->last->len < k->last_count)
		keep_at_end(k, k->last, k->last_counts, launch);
	else if (k->last_count)
		keep_at(k, k->last_seen % k->last_count, launch);
	k->last_seen += launch->number > k->first_count;
}

void machine_kernels_add(struct machine_kernels *k, const struct machine_kernel *launch)
{
	struct kept one = {++k->counts.ran, *launch};

	k->counts.asked++;
	k->counts.faulted += launch->is_faulted;
	k->counts.warp_instructions += launch->result.warp_instructions;
	k->counts.thread_instructions += launch->result.thread_instructions;
	one.launch.name = machine_kernels_name(k, launch->name);
	one.launch.result.interpreted_why = NULL;
	if (launch->result.interpreted_why)
		sum_of(k, one.launch.name)->interpreted_why = machine_kernels_name(k, launch->result.interpreted_why);
	add_to_sum(sum_of(k, one.launch.name), launch);
	add_counts(k, sum_of(k, one.launch.name), launch);
	keep(k, &one);
}

void machine_kernels_refuse(struct machine_kernels *k, const char *kernel, const char *reason)
{
	k->counts.asked++;
	k->counts.refused++;
	for (uint32_t i = 0; i < k->refusals->len; i++) {
		struct refusal *r = &g_array_index(k->refusals, struct refusal, i);

		if (!g_strcmp0(r->kernel, kernel) && !strcmp(r->reason, reason)) {
			r->launches++;
			return;
		}
	}
	if (k->refusals->len == MACHINE_REFUSALS_MAX)
		return;

	const struct refusal new = {kernel ? machine_kernels_name(k, kernel) : NULL, machine_kernels_name(k, reason),
				    1};

	g_array_append_val(k->refusals, new);
}

struct machine_launch_counts machine_kernels_counts(const struct machine_kernels *k)
{
	return k ? k->counts : (struct machine_launch_counts){0};
}

/* ---- what is estimated ---- */

void machine_kernels_show_detail(struct machine_kernels *k)
{
	k->shows_detail = true;
}

/* What launches of one kernel have in common is wrong in the same direction for all of them. */
static double error_of(const struct sum *s)
{
	return sqrt(s->error_common_ps * s->error_common_ps + s->error_own_squares);
}

bool machine_kernels_estimates(const struct machine_kernels *k, struct machine_estimates *out)
{
	double squares = 0;

	*out = (struct machine_estimates){.skipped_launches = 0};
	for (uint32_t i = 0; k && i < k->sums->len; i++) {
		const struct sum *s = &g_array_index(k->sums, struct sum, i);

		out->skipped_launches += s->by_detail[DEVICE_DETAIL_SKIPPED];
		out->estimated_launches += s->by_detail[DEVICE_DETAIL_NONE];
		out->windowed_launches += s->by_detail[DEVICE_DETAIL_WINDOWS];
		out->warp_instructions += s->warp_instructions - s->skipped_warp_instructions;
		out->thread_instructions += s->thread_instructions - s->skipped_thread_instructions;
		out->detailed_warp_instructions += s->detailed_warp_instructions;
		squares += error_of(s) * error_of(s);
	}
	out->time_error_ps = sqrt(squares);
	return k && k->shows_detail;
}

/* ---- what ran for its values only ---- */

json_t *machine_kernels_functional_json(const struct machine_kernels *k)
{
	uint64_t untimed = 0, compiled = 0, kernels[2] = {0, 0};
	double seconds = 0;
	json_t *list = json_array();

	for (uint32_t i = 0; k && i < k->sums->len; i++) {
		const struct sum *s = &g_array_index(k->sums, struct sum, i);
		json_t *o;

		if (!s->untimed_warp_instructions)
			continue;
		untimed += s->untimed_warp_instructions;
		compiled += s->compiled_warp_instructions;
		seconds += s->untimed_host_seconds;
		kernels[s->compiled_warp_instructions != 0]++;
		if (s->compiled_warp_instructions)
			continue;
		o = json_object();
		put_text(o, "kernel", s->name);
		put_text(o, "reason", s->interpreted_why);
		put_int(o, "warp_instructions", s->untimed_warp_instructions);
		json_array_append_new(list, o);
	}
	if (!untimed) {
		json_decref(list);
		return NULL;
	}
	json_t *all = json_object();

	put_int(all, "warp_instructions", untimed);
	put_int(all, "compiled_warp_instructions", compiled);
	if (seconds > 0)
		put_real(all, "host_seconds", seconds);
	put_int(all, "kernel_compiled_count", kernels[1]);
	put_int(all, "kernel_interpreted_count", kernels[0]);
	json_object_set_new(all, "interpreted", list);
	return all;
}

/* ---- results ---- */

static json_t *dim_json(const uint32_t dim[3])
{
	return json_pack("[I,I,I]", (json_int_t)dim[0], (json_int_t)dim[1], (json_int_t)dim[2]);
}

/* What was timed as a whole has no error, nor has what has no time. */
static void put_error(json_t *o, bool is_estimated, double error_ps)
{
	if (is_estimated)
		put_int(o, "time_ps_error", (uint64_t)ceil(error_ps));
	else
		put_text(o, "time_ps_error", NULL);
}

/* A launch that was skipped has no time. */
static void put_detail(json_t *o, const struct device_result *r)
{
	static const char *const names[] = {"full", "windows", "none", "skipped"};
	const double common = r->error_common_ps, own = r->error_own_ps;

	put_text(o, "detail", names[r->detail]);
	put_int(o, "detailed_warp_instructions", r->warp_instructions - r->estimated_warp_instructions);
	put_error(o, r->detail == DEVICE_DETAIL_WINDOWS || r->detail == DEVICE_DETAIL_NONE,
		  sqrt(common * common + own * own));
	if (r->detail == DEVICE_DETAIL_SKIPPED)
		put_text(o, "cycles", NULL);
}

static void put_sum_detail(json_t *o, const struct sum *s)
{
	put_int(o, "launches_estimated", s->by_detail[DEVICE_DETAIL_NONE]);
	put_int(o, "launches_in_windows", s->by_detail[DEVICE_DETAIL_WINDOWS]);
	put_int(o, "launches_skipped", s->by_detail[DEVICE_DETAIL_SKIPPED]);
	put_int(o, "detailed_warp_instructions", s->detailed_warp_instructions);
	put_error(o, s->by_detail[DEVICE_DETAIL_NONE] + s->by_detail[DEVICE_DETAIL_WINDOWS] > 0, error_of(s));
	if (s->by_detail[DEVICE_DETAIL_SKIPPED] == s->launches)
		put_text(o, "time_min_ps", NULL);
}

static json_t *launch_json(const struct machine_kernels *all, const struct kept *one, const GArray *counts,
			   uint64_t place)
{
	const struct machine_kernel *k = &one->launch;
	json_t *o = json_object();

	put_text(o, "name", k->name);
	put_int(o, "number", one->number);
	json_object_set_new(o, "grid", dim_json(k->grid));
	json_object_set_new(o, "block", dim_json(k->block));
	json_object_set_new(o, "faulted", json_boolean(k->is_faulted));
	put_int(o, "start_ps", k->result.start_ps);
	put_int(o, "end_ps", k->result.end_ps);
	put_int(o, "cycles", k->result.cycles);
	put_int(o, "warp_instructions", k->result.warp_instructions);
	put_int(o, "thread_instructions", k->result.thread_instructions);
	put_int(o, "cta_count", k->result.cta_count);
	if (all->measured)
		machine_sums_put(all->measured,
				 k->result.detail == DEVICE_DETAIL_SKIPPED
				     ? NULL
				     : &g_array_index(counts, uint64_t, place * all->count_length),
				 k->time_ps, false, o);
	if (all->shows_detail)
		put_detail(o, &k->result);
	return o;
}

json_t *machine_kernels_json(const struct machine_kernels *k)
{
	json_t *list = json_array();

	for (uint32_t i = 0; k && i < k->first->len; i++)
		json_array_append_new(
		    list, launch_json(k, &g_array_index(k->first, struct kept, i), k->first_counts, i));
	for (uint32_t i = 0; k && i < k->last->len; i++) {
		uint64_t oldest = k->last_seen > k->last_count ? k->last_seen % k->last_count : 0;
		const uint64_t place = (oldest + i) % k->last->len;

		json_array_append_new(
		    list, launch_json(k, &g_array_index(k->last, struct kept, place), k->last_counts, place));
	}
	return list;
}

/* All of its launches ran for their values only. */
static bool is_untimed(const struct sum *s)
{
	return !s->time_ps && !s->cycles && !s->faulted;
}

static void put_sum_times(json_t *o, const struct sum *s)
{
	const struct {
		const char *key;
		uint64_t value;
	} times[] = {{"time_ps", s->time_ps},
		     {"time_min_ps", s->time_min_ps},
		     {"time_max_ps", s->time_max_ps},
		     {"cycles", s->cycles}};

	for (uint32_t i = 0; i < G_N_ELEMENTS(times); i++)
		if (is_untimed(s))
			put_text(o, times[i].key, NULL);
		else
			put_int(o, times[i].key, times[i].value);
}

json_t *machine_kernels_sums_json(const struct machine_kernels *k)
{
	json_t *list = json_array();

	for (uint32_t i = 0; k && i < k->sums->len; i++) {
		const struct sum *s = &g_array_index(k->sums, struct sum, i);
		json_t *o = json_object();

		put_text(o, "name", s->name);
		put_int(o, "launches", s->launches);
		put_int(o, "faulted", s->faulted);
		put_sum_times(o, s);
		put_int(o, "warp_instructions", s->warp_instructions);
		put_int(o, "thread_instructions", s->thread_instructions);
		put_int(o, "cta_count", s->cta_count);
		if (k->measured)
			machine_sums_put(k->measured,
					 is_untimed(s) ? NULL : s->counts,
					 s->energy_time_ps, true, o);
		if (k->shows_detail)
			put_sum_detail(o, s);
		json_array_append_new(list, o);
	}
	return list;
}

json_t *machine_kernels_refusals_json(const struct machine_kernels *k)
{
	json_t *list = json_array();

	for (uint32_t i = 0; k && i < k->refusals->len; i++) {
		const struct refusal *r = &g_array_index(k->refusals, struct refusal, i);
		json_t *o = json_object();

		put_text(o, "kernel", r->kernel);
		put_text(o, "reason", r->reason);
		put_int(o, "launches", r->launches);
		json_array_append_new(list, o);
	}
	return list;
}
