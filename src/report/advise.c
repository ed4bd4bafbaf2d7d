/* advise.c - the closed form of advise.h. */
#include "report/advise.h"

#include "report/advise_confidence.h"
#include "report/report.h"
#include "report/rows.h"

#include <glib.h>
#include <math.h>
#include <string.h>

enum { SHARES = 20 /* tried, of what a level may move */, RESOURCES = 7 };

static const double line_bytes = 128, lanes = 32, ps_per_s = 1e12, gain_least = 1.05;

/* Of the machine, per second or in seconds. */
struct rates {
	double issue, stack_issue, unit_issue; /* instructions of warps a second: GPU, SMs and units of the stacks */
	double tx, rx, mesh, dram;	       /* bytes a second */
	double header, ack;		       /* bytes */
	double l1_s, l2_s, dram_s, near_s, mesh_s, alu_s, trip_s; /* latencies; trip: to a stack and back */
	double sms, stack_warps, unit_warps;
	double sms_replaced; /* of the GPU's, by what a level has in the stacks */
	double request_bytes; /* beside registers, of TOM's requests */
	/* TOM's learning: instances that it sees, a read of the host's memory, the longest that it takes, its stop. */
	double learn_count, host_s, learn_limit_s, learn_bound_s, learn_stop_s;
};

uint64_t report_advise_sms_replaced(const json_t *machine)
{
	return (uint64_t)report_reckoned(machine, SIM_RECKONED_sms_replaced);
}

/* What is without limit is given as 0. */
static double limit(const json_t *run, enum sim_reckoned which)
{
	const double is = report_reckoned(run, which);

	return is > 0 ? is : INFINITY;
}

static struct rates rates_of(const json_t *run)
{
	return (struct rates){
	    .issue = report_reckoned(run, SIM_RECKONED_issue_per_s),
	    .stack_issue = report_reckoned(run, SIM_RECKONED_stack_issue_per_s),
	    .unit_issue = report_reckoned(run, SIM_RECKONED_unit_issue_per_s),
	    .tx = report_reckoned(run, SIM_RECKONED_tx_bytes_per_s),
	    .rx = report_reckoned(run, SIM_RECKONED_rx_bytes_per_s),
	    .mesh = limit(run, SIM_RECKONED_mesh_bytes_per_s),
	    .dram = report_reckoned(run, SIM_RECKONED_dram_bytes_per_s),
	    .header = report_reckoned(run, SIM_RECKONED_header_bytes),
	    .ack = report_reckoned(run, SIM_RECKONED_ack_bytes),
	    .l1_s = report_reckoned(run, SIM_RECKONED_l1_s),
	    .l2_s = report_reckoned(run, SIM_RECKONED_l2_s),
	    .dram_s = report_reckoned(run, SIM_RECKONED_dram_s),
	    .near_s = report_reckoned(run, SIM_RECKONED_near_s),
	    .mesh_s = report_reckoned(run, SIM_RECKONED_mesh_s),
	    .alu_s = report_reckoned(run, SIM_RECKONED_int_s),
	    .trip_s = report_reckoned(run, SIM_RECKONED_trip_s),
	    .sms = report_reckoned(run, SIM_RECKONED_sms),
	    .sms_replaced = report_reckoned(run, SIM_RECKONED_sms_replaced),
	    .stack_warps = report_reckoned(run, SIM_RECKONED_stack_warps),
	    .unit_warps = report_reckoned(run, SIM_RECKONED_unit_warps),
	    .request_bytes = report_reckoned(run, SIM_RECKONED_block_request_bytes),
	    .learn_count = report_reckoned(run, SIM_RECKONED_learn_count),
	    .host_s = report_reckoned(run, SIM_RECKONED_host_s),
	    .learn_limit_s = report_reckoned(run, SIM_RECKONED_learn_limit_s),
	    .learn_bound_s = report_reckoned(run, SIM_RECKONED_learn_bound_s),
	    .learn_stop_s = report_reckoned(run, SIM_RECKONED_learn_stop_s),
	};
}

/* ---- what a kernel, or its blocks, need ---- */

struct need {
	double instructions, accesses, lines, l1_hits, l2_hits, misses, store_lines, store_bytes;
	double near, entries, in, out;
};

static struct need need_of(const json_t *o)
{
	struct need n = {.instructions = report_number(o, "warp_instructions", NULL),
			 .accesses = report_number(o, "accesses", NULL),
			 .lines = report_number(o, "load_lines", NULL),
			 .l1_hits = report_number(o, "l1_hits", NULL),
			 .l2_hits = report_number(o, "l2_hits", NULL),
			 .store_lines = report_number(o, "store_lines", NULL),
			 .store_bytes = report_number(o, "store_bytes", NULL),
			 .entries = report_number(o, "entries", NULL),
			 .in = report_number(o, "in_bytes", NULL),
			 .out = report_number(o, "out_bytes", NULL)};

	n.misses = n.lines - n.l1_hits - n.l2_hits;
	n.near = n.lines + n.store_lines > 0 ? report_number(o, "near_lines", NULL) / (n.lines + n.store_lines) : 1;
	return n;
}

/* Seconds that warps wait on the GPU, all together: every instruction for the one before it. */
static double waits_s(const struct rates *r, const struct need *n)
{
	if (n->lines <= 0)
		return n->instructions * r->alu_s;
	return n->instructions * r->alu_s +
	       n->accesses *
	       (n->l1_hits / n->lines * r->l1_s + n->l2_hits / n->lines * r->l2_s + n->misses / n->lines * r->dram_s);
}

/* Bytes and seconds of each resource; the slowest is the time. */
struct load {
	double issue, stack, tx, rx, mesh, dram, wait, stack_wait;
	double warps, stack_warps; /* that hide the waits */
	double stack_rate;
};

/* Of what is in the stacks. */
static double stack_time_of(const struct load *l)
{
	return MAX(l->stack_rate > 0 ? l->stack / l->stack_rate : 0, l->stack_wait / MAX(l->stack_warps, 1));
}

static double time_of(const struct rates *r, const struct load *l)
{
	const double all[RESOURCES] = {l->issue / r->issue,
				       stack_time_of(l),
				       l->tx / r->tx,
				       l->rx / r->rx,
				       l->mesh / r->mesh,
				       l->dram / r->dram,
				       l->wait / MAX(l->warps, 1)};
	double most = 0;

	for (uint32_t i = 0; i < RESOURCES; i++)
		most = MAX(most, all[i]);
	return most;
}

static struct load gpu_load(const struct rates *r, const json_t *kernel)
{
	const struct need n = need_of(kernel);
	const double launches = MAX(report_number(kernel, "launches", NULL), 1);

	return (struct load){
	    .issue = n.instructions,
	    .tx = n.misses * r->header + n.store_lines * r->header + n.store_bytes,
	    .rx = n.misses * (r->header + line_bytes) + n.store_lines * r->ack,
	    .dram = n.misses * line_bytes + n.store_bytes,
	    .wait = waits_s(r, &n),
	    .warps = MIN(report_number(kernel, "warps", NULL) / launches,
			 r->sms * report_number(kernel, "resident_warps", NULL)),
	};
}

/* ---- levels: what share x of the blocks does to the load ---- */

static void move_work(const struct rates *r, struct load *l, const struct need *b, double x)
{
	l->issue -= x * b->instructions;
	l->wait -= x * waits_s(r, b);
	l->stack += x * b->instructions;
}

/* Lines that are touched there, near or in another stack. */
static void touch_there(const struct rates *r, struct load *l, const struct need *b, double lines, double x)
{
	l->stack_wait += x * (b->instructions * r->alu_s + b->accesses * (r->near_s + (1 - b->near) * r->mesh_s));
	l->mesh += x * (1 - b->near) * (lines * (2 * r->header + line_bytes) + b->store_bytes);
}

/* A warp whose block is away keeps its place on the GPU and waits: for the trip, and as long as the block takes among
 * those that are there. */
static void wait_for_block(const struct rates *r, struct load *l, const struct need *b, double x)
{
	l->wait += x * b->entries * r->trip_s + MAX(l->stack_wait, l->stack * l->stack_warps / l->stack_rate);
}

static void loops(const struct rates *r, const json_t *kernel, struct load *l, double x)
{
	const struct need b = need_of(json_object_get(kernel, "tom"));

	move_work(r, l, &b, x);
	touch_there(r, l, &b, b.lines - b.l1_hits, x);
	l->tx += x * (b.in + b.entries * r->request_bytes - b.misses * r->header - b.store_lines * r->header -
		      b.store_bytes);
	l->rx += x * (b.out - b.misses * (r->header + line_bytes) - b.store_lines * r->ack);
	l->dram += x * b.l2_hits * line_bytes; /* what the L2 had comes from the banks there */
	l->stack_rate = r->stack_issue;
	l->stack_warps = MIN(r->stack_warps, x * l->warps);
	wait_for_block(r, l, &b, x);
}

/* Loads are asked for by the GPU, whose caches answer what they have, to the unit. */
static void instructions(const struct rates *r, const json_t *kernel, struct load *l, double x)
{
	const struct need b = need_of(json_object_get(kernel, "nsu"));
	const double hits = b.l1_hits + b.l2_hits;

	l->wait -= x * waits_s(r, &b);
	l->stack += x * b.instructions;
	touch_there(r, l, &b, b.misses, x);
	l->tx += x * (b.in + b.entries * r->header + hits * (r->header + line_bytes) - b.store_bytes);
	l->rx += x * (b.out + b.entries * r->header - b.misses * (r->header + line_bytes) - b.store_lines * r->ack);
	l->stack_rate = r->unit_issue;
	l->stack_warps = MIN(r->unit_warps, x * l->warps);
	wait_for_block(r, l, &b, x);
}

/* SMs of the stacks have no caches and no shared memory. */
static void ctas(const struct rates *r, const json_t *kernel, struct load *l, double x)
{
	struct need b = need_of(kernel);

	if (report_number(kernel, "shared_accesses", NULL) > 0)
		return;
	move_work(r, l, &b, x);
	touch_there(r, l, &b, b.lines, x);
	l->tx += x * (report_number(kernel, "context_bytes", NULL) - b.misses * r->header - b.store_lines * r->header -
		      b.store_bytes);
	l->rx -= x * (b.misses * (r->header + line_bytes) + b.store_lines * r->ack);
	l->dram += x * (b.l1_hits + b.l2_hits) * line_bytes;
	l->stack_rate = r->stack_issue;
	l->stack_warps = MIN(r->stack_warps, x * l->warps);
}

static void nothing(const struct rates *r, const json_t *kernel, struct load *l, double x)
{
	(void)r;
	(void)kernel;
	(void)l;
	(void)x;
}

static const struct level {
	const char *name, *what, *blocks; /* blocks: key of the moved part, "" all of a kernel */
	bool is_greedy; /* it moves whatever finds a place in the stacks, not the share that is best */
	void (*move)(const struct rates *r, const json_t *kernel, struct load *l, double x);
	bool learns; /* where data should lie, before it moves anything */
} levels[] = {
    {"gpu", "no near-data processing", NULL, false, nothing, false},
    {"loops", "logic layer, by blocks of loops (TOM)", "tom", true, loops, true},
    {"instructions", "logic layer, by instructions (NSU)", "nsu", false, instructions, false},
    {"ctas", "logic layer, by CTAs (BOM)", "", false, ctas, false},
};

static struct rates beside_stacks(const struct rates *gpu)
{
	struct rates r = *gpu;

	r.issue *= (gpu->sms - gpu->sms_replaced) / gpu->sms;
	r.sms -= gpu->sms_replaced;
	return r;
}

/* The share that the level moves of the kernel, and its time. */
static double kernel_time(const struct rates *r, const struct level *level, const json_t *kernel, double *share)
{
	double least = INFINITY;

	*share = 0;
	for (uint32_t i = 0; i <= SHARES; i++) {
		struct load l = gpu_load(r, kernel);
		const double x = (double)i / SHARES;
		double time;

		level->move(r, kernel, &l, x);
		time = time_of(r, &l);
		if (time < least || level->is_greedy) {
			least = time;
			*share = x;
		}
		if (level->is_greedy && stack_time_of(&l) >= time)
			break; /* the places in the stacks are taken all the time */
	}
	return least;
}

/* Until enough blocks have been seen what misses comes from the host's memory, whose wires have a latency only: what
 * the kernel takes longer for it, until learning ends without them. */
static double waiting_for_blocks_s(const struct rates *r, const json_t *kernel)
{
	struct rates far = *r;
	double share;

	far.tx = far.rx = far.dram = INFINITY;
	far.dram_s = r->l2_s + r->host_s;

	const double more_s =
	    kernel_time(&far, &levels[0], kernel, &share) - kernel_time(r, &levels[0], kernel, &share);

	return CLAMP(more_s, 0, r->learn_bound_s);
}

/* What TOM takes before it knows where data should lie: nearly all of the first kernel that has blocks stands still
 * while a few of them read the host's memory, one load after the other, and then all of it. */
static double learning_s(const struct rates *r, const json_t *kernels)
{
	json_t *kernel;
	size_t i;

	json_array_foreach(kernels, i, kernel) {
		const struct need b = need_of(json_object_get(kernel, "tom"));
		const double lines = b.lines + b.store_lines;
		const double reads = lines > 0 ? b.accesses * (b.lines - b.l1_hits) / lines : 0;

		if (b.entries >= r->learn_count)
			return MIN(reads / b.entries * r->host_s, r->learn_limit_s) + r->learn_stop_s;
		if (b.entries > 0)
			return waiting_for_blocks_s(r, kernel);
	}
	return 0;
}

static json_t *level_of(const struct rates *gpu, const json_t *kernels, const struct level *level, double base_s)
{
	const struct rates own_rates = level->blocks ? beside_stacks(gpu) : *gpu, *r = &own_rates;
	double time = level->learns ? learning_s(gpu, kernels) : 0, moved = 0, all = 0, share;
	json_t *kernel;
	size_t i;

	json_array_foreach(kernels, i, kernel) {
		const double own = report_number(kernel, "warp_instructions", NULL);

		time += kernel_time(r, level, kernel, &share);
		all += own;
		if (level->blocks)
			moved += share * (*level->blocks ? report_number(json_object_get(kernel, level->blocks),
									 "warp_instructions", NULL)
							 : own);
	}
	return json_pack("{s:s, s:s, s:f, s:f, s:f}", "name", level->name, "what", level->what, "time_ps",
			 time * ps_per_s, "speedup", time > 0 ? (base_s > 0 ? base_s / time : 1) : 1, "moved",
			 all > 0 ? moved / all : 0);
}

/* ---- the whole program ---- */

static double sum_of(const json_t *kernels, const char *key)
{
	double sum = 0;
	json_t *kernel;
	size_t i;

	json_array_foreach(kernels, i, kernel)
		sum += report_number(kernel, key, NULL);
	return sum;
}

static double over(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

static json_t *summary_of(const json_t *kernels)
{
	const double lines = sum_of(kernels, "load_lines"), l1 = sum_of(kernels, "l1_hits"),
		     l2 = sum_of(kernels, "l2_hits"), stores = sum_of(kernels, "store_lines");
	const double bytes = (lines - l1 - l2) * line_bytes + sum_of(kernels, "store_bytes");

	return json_pack("{s:f, s:f, s:f, s:f, s:f}", "thread_instructions_per_dram_byte",
			 over(sum_of(kernels, "thread_instructions"), bytes), "lanes_in_use",
			 over(sum_of(kernels, "thread_instructions"), lanes * sum_of(kernels, "warp_instructions")),
			 "l1_hits", over(l1, lines), "l2_hits", over(l2, lines - l1), "near_lines",
			 over(sum_of(kernels, "near_lines"), lines + stores));
}

static json_t *sentences_of(const json_t *advice)
{
	const json_t *p = json_object_get(advice, "profile");
	const json_t *first = json_array_get(json_object_get(advice, "levels"), 0);
	json_t *out = json_array();
	g_autofree char *profile = g_strdup_printf(
	    "%.2f instructions of threads for a byte of DRAM; %.0f %% of the lanes in use; L1 %.0f %%, L2 %.0f %% "
	    "hits; %.0f %% of the lines in the stack of their warp's first",
	    report_number(p, "thread_instructions_per_dram_byte", NULL), 100 * report_number(p, "lanes_in_use", NULL),
	    100 * report_number(p, "l1_hits", NULL), 100 * report_number(p, "l2_hits", NULL),
	    100 * report_number(p, "near_lines", NULL));
	g_autofree char *best =
	    g_strdup_printf("%s: %.2fx, with %.0f %% of the instructions moved",
			    json_string_value(json_object_get(first, "what")), report_number(first, "speedup", NULL),
			    100 * report_number(first, "moved", NULL));

	json_array_append_new(out, json_string(profile));
	json_array_append_new(out, json_string(best));
	return out;
}

/* Kernels on the GPU alone. */
static double gpu_s(const struct rates *r, const json_t *kernels)
{
	double sum = 0, share;
	json_t *kernel;
	size_t i;

	json_array_foreach(kernels, i, kernel)
		sum += kernel_time(r, &levels[0], kernel, &share);
	return sum;
}

double report_advise_kernels_s(const json_t *run)
{
	const struct rates r = rates_of(run);

	return gpu_s(&r, json_object_get(run, "profile"));
}

json_t *report_advise(const json_t *run)
{
	const json_t *kernels = json_object_get(run, "profile");
	const struct rates r = rates_of(run);
	json_t *out = json_object(), *list = json_array();
	const double base_s = gpu_s(&r, kernels);
	double first, second, margin;

	for (size_t k = 0; k < G_N_ELEMENTS(levels); k++) {
		json_t *row = level_of(&r, kernels, &levels[k], base_s);
		const double own = report_number(row, "speedup", NULL);
		size_t at = 0;

		/* The GPU alone is first among those that hardly gain. */
		while (at < json_array_size(list) &&
		       report_number(json_array_get(list, at), "speedup", NULL) >= (at ? own : own / gain_least))
			at++;
		json_array_insert_new(list, at, row);
	}
	first = report_number(json_array_get(list, 0), "speedup", NULL);
	second = report_number(json_array_get(list, 1), "speedup", NULL);
	json_object_set_new(out, "levels", list);
	json_object_set(out, "best", json_object_get(json_array_get(list, 0), "name"));
	margin = 1 - MIN(first, second) / MAX(first, second);
	json_object_set_new(out, "margin", json_real(margin));
	json_object_set_new(out, "confidence",
			    json_real(report_advise_confidence(
				REPORT_ADVISE_STACKS, json_string_value(json_object_get(run, "workload")),
				!strcmp(json_string_value(json_object_get(out, "best")), "gpu"), margin)));
	json_object_set_new(out, "profile", summary_of(kernels));
	json_object_set_new(out, "why", sentences_of(out));
	return out;
}

void report_advise_print(FILE *out, const json_t *advice)
{
	json_t *row;
	size_t i;

	fputs("predicted, by a closed form of the machine, from one run without timing:\n", out);
	json_array_foreach(json_object_get(advice, "levels"), i, row)
		fprintf(out, "  %-14s %6.2fx  %s\n", json_string_value(json_object_get(row, "name")),
			report_number(row, "speedup", NULL), json_string_value(json_object_get(row, "what")));
	fprintf(out, "best: %s, %.2f ahead of the next; confidence %.2f, as often as such predictions were right\n",
		json_string_value(json_object_get(advice, "best")), report_number(advice, "margin", NULL),
		report_number(advice, "confidence", NULL));
	json_array_foreach(json_object_get(advice, "why"), i, row)
		fprintf(out, "  - %s\n", json_string_value(row));
}
