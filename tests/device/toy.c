/* toy.c - the toy device, and processes that use it. */
#include "toy.h"

#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine/machine.h"

static struct toy {
	uint64_t now_ps, steps;
	volatile int stop;
} toy;

static int ready_fd;
bool toy_is_ready_in_launch;

/* ---- the device ---- */

static uint32_t registers_per_thread(const struct device *d, uint64_t warps)
{
	(void)d;
	(void)warps;
	return SIMT_REGISTER_MAX;
}

static uint32_t ctas_fit(const struct device *d, const struct simt_program *p, uint32_t threads_per_cta,
			 uint64_t shared_dynamic_bytes, struct base_diag_list *diag)
{
	if (p->shared_static_bytes + shared_dynamic_bytes <= d->traits.shared_bytes)
		return TOY_THREADS / threads_per_cta;
	base_diag_error(diag, (struct base_place){0}, "too much shared memory for a toy");
	return 0;
}

static uint32_t warp_capacity(const struct device *d)
{
	(void)d;
	return TOY_THREADS / SIMT_LANES;
}

static uint64_t clock_cycles(void *ctx, uint32_t smid)
{
	const struct toy *t = ctx;

	(void)smid;
	return t->now_ps / TOY_CYCLE_PS;
}

static bool is_stopped(struct toy *t, struct simt_launch *l)
{
	if (!t->stop)
		return false;
	l->fault.kind = t->stop == DEVICE_STOP_USER ? SIMT_FAULT_STOPPED : SIMT_FAULT_TIMEOUT;
	g_strlcpy(l->fault.text, "the toy was stopped", sizeof(l->fault.text));
	return true;
}

/* Warps until they wait for each other. */
static bool run_cta(struct toy *t, struct simt_launch *l, struct simt_cta *cta, struct device_result *result)
{
	struct simt_step step;

	while (!simt_cta_is_done(cta)) {
		for (uint32_t i = 0; i < simt_cta_warp_count(cta); i++) {
			struct simt_warp *w = simt_cta_warp(cta, i);

			while (!w->is_done && !w->at_barrier) {
				if (is_stopped(t, l) || !simt_step(l, w, &step))
					return false;
				t->now_ps += TOY_CYCLE_PS;
				result->cycles++;
				result->warp_instructions++;
				result->thread_instructions += (uint64_t)__builtin_popcount(step.exec_mask);
			}
		}
	}
	return true;
}

static bool launch(struct device *d, struct simt_launch *l, struct device_result *result)
{
	struct toy *t = d->self;
	bool is_right = true;

	*result = (struct device_result){.start_ps = t->now_ps,
					 .cta_count = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2]};
	l->clock_cycles = clock_cycles;
	l->clock_ctx = t;
	if (toy_is_ready_in_launch)
		toy_ready();
	for (uint64_t i = 0; is_right && i < result->cta_count; i++) {
		struct simt_cta *cta = simt_cta_begin(l, i, 0);

		is_right = run_cta(t, l, cta, result);
		simt_cta_end(cta);
	}
	result->end_ps = t->now_ps;
	result->stop = (enum device_stop)t->stop;
	t->stop = DEVICE_STOP_NONE;
	return is_right;
}

static void interrupt(struct device *d, enum device_stop why)
{
	struct toy *t = d->self;

	t->stop = (int)why;
}

static uint64_t now_ps(const struct device *d)
{
	const struct toy *t = d->self;

	return t->now_ps;
}

static void advance_ps(struct device *d, uint64_t time_ps)
{
	struct toy *t = d->self;

	t->now_ps = MAX(t->now_ps, time_ps);
}

static void progress(const struct device *d, struct sim_progress *out)
{
	*out = (struct sim_progress){.time_ps = now_ps(d)};
}

static const struct device_ops ops = {
    .registers_per_thread = registers_per_thread,
    .ctas_fit = ctas_fit,
    .warp_capacity = warp_capacity,
    .launch = launch,
    .interrupt = interrupt,
    .now_ps = now_ps,
    .advance_ps = advance_ps,
    .progress = progress,
};

bool machine_has_memory(const struct machine_config *config)
{
	(void)config;
	return true;
}

struct machine *machine_new(const struct machine_config *config, bool audit, struct base_diag_list *diag)
{
	struct machine *m = g_new0(struct machine, 1);

	(void)diag;
	m->config = config;
	sim_ctx_open(&m->ctx, audit);
	m->device = (struct device){
	    .ops = &ops,
	    .self = &toy,
	    .traits = {.compute_capability = 70,
		       .clock_khz = 1000000,
		       .multiprocessor_count = TOY_PROCESSORS,
		       .cta_thread_count = TOY_THREADS,
		       .thread_count = TOY_THREADS,
		       .warp_count = TOY_THREADS / SIMT_LANES,
		       .cta_count = 1,
		       .register_count = 65536,
		       .shared_bytes = 16384,
		       .double_interval_ratio = 1,
		       .memory_count = 1,
		       .memory_mbytes_per_s = 1000,
		       .copy_mbytes_per_s = 1000,
		       .fill_mbytes_per_s = 1000},
	};
	return m;
}

void machine_free(struct machine *m)
{
	if (!m)
		return;
	sim_ctx_close(&m->ctx);
	g_free(m);
}

/* ---- processes ---- */

static char *scratch;

void toy_session(const char *settings)
{
	g_autofree char *path, *text;

	scratch = g_dir_make_tmp("strata-toy-XXXXXX", NULL);
	g_assert(scratch);
	path = g_build_filename(scratch, "session", NULL);
	text = g_strdup_printf("machine = a toy\nresult = %s/result\n%s", scratch, settings);
	g_assert(g_file_set_contents(path, text, -1, NULL));
	setenv("STRATA_SESSION", path, 1);
}

void toy_ready(void)
{
	g_assert(write(ready_fd, "r", 1) == 1);
}

int toy_child(void (*what)(void), int signal)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	const struct sigaction dflt = {.sa_handler = SIG_DFL};
	int fds[2], status;
	char byte;
	pid_t pid;

	g_assert(!pipe(fds));
	fflush(NULL);
	pid = fork();
	g_assert(pid >= 0);
	if (!pid) {
		close(fds[0]);
		/* What a parent ignores (nohup) stays ignored otherwise. */
		for (uint32_t i = 0; i < G_N_ELEMENTS(signals); i++)
			g_assert(sigaction(signals[i], &dflt, NULL) == 0);
		ready_fd = fds[1];
		what();
		exit(0);
	}
	close(fds[1]);
	if (signal && read(fds[0], &byte, 1) == 1)
		kill(pid, signal);
	g_assert(waitpid(pid, &status, 0) == pid);
	close(fds[0]);
	return status;
}

json_t *toy_results(void)
{
	g_autofree char *path = g_build_filename(scratch, "result.1", NULL);
	json_error_t error;
	json_t *o = json_load_file(path, 0, &error);

	if (!o)
		fprintf(stderr, "%s: %s\n", path, error.text);
	g_assert(o);
	return o;
}

uint64_t toy_int(const json_t *o, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(o, key));
}

void toy_end(void)
{
	static const char *const names[] = {"session", "result.1"};

	for (uint32_t i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *path = g_build_filename(scratch, names[i], NULL);

		g_unlink(path);
	}
	g_assert(!g_rmdir(scratch));
	g_free(scratch);
}
