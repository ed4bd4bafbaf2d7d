/* live.c - the file that says what a run does now. */
#include "machine/live.h"

#include <dlfcn.h>
#include <glib.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/check.h"
#include "machine/json.h"

struct machine_live {
	char *path, *part, *machine, *program;
	uint64_t start, last_ns; /* last_ns 0: nothing is written yet */
	struct sim_progress last;
};

uint64_t machine_process_start(pid_t pid)
{
	g_autofree char *path = g_strdup_printf("/proc/%ld/stat", (long)pid);
	g_autofree char *text = NULL;
	const char *rest;
	uint64_t start;
	char state;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return 0;
	rest = strrchr(text, ')'); /* behind the name, in which anything may stand */
	if (!rest || sscanf(rest, ") %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
				  "%" SCNu64, &state, &start) != 2)
		return 0;
	return state == 'Z' || state == 'X' ? 0 : start;
}

struct machine_live *machine_live_new(const char *path, const char *machine, const char *program)
{
	struct machine_live *l;

	if (!path || !*path)
		return NULL;
	l = g_new0(struct machine_live, 1);
	l->path = g_strdup(path);
	l->part = g_strconcat(path, ".part", NULL);
	l->machine = g_strdup(machine);
	l->program = g_strdup(program);
	l->start = machine_process_start(getpid());
	return l;
}

void machine_live_free(struct machine_live *l)
{
	if (!l)
		return;
	unlink(l->path);
	g_free(l->path);
	g_free(l->part);
	g_free(l->machine);
	g_free(l->program);
	g_free(l);
}

/* The C library's own: in a program of threads clock_gettime is the machine's clock, and a call of the program. */
uint64_t machine_live_now_ns(void)
{
	static int (*gettime)(clockid_t clock, struct timespec *out);
	struct timespec t = {0};

	if (!gettime)
		gettime = (int (*)(clockid_t, struct timespec *))dlsym(dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD),
									"clock_gettime");
	CHECK(gettime);
	gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Counts may be of moments that differ: none goes back. */
static double grown(uint64_t now, uint64_t before)
{
	return now > before ? (double)(now - before) : 0;
}

static json_t *spent_json(const struct sim_progress *now, const struct sim_progress *before)
{
	double whole = grown(now->whole, before->whole);
	json_t *spent = json_object();

	for (uint32_t i = 0; !now->whole && i < now->spent_count; i++)
		whole += grown(now->spent[i].amount, before->spent[i].amount);
	for (uint32_t i = 0; whole > 0 && i < now->spent_count; i++)
		put_real(spent, now->spent[i].what, grown(now->spent[i].amount, before->spent[i].amount) / whole);
	return spent;
}

static json_t *live_json(const struct machine_live *l, const struct sim_progress *p, double period_s)
{
	json_t *o = json_object();

	put_int(o, "pid", (uint64_t)getpid());
	put_int(o, "start", l->start);
	put_text(o, "machine", l->machine);
	put_text(o, "program", l->program);
	put_int(o, "time_ps", p->time_ps);
	put_int(o, "instructions", p->instructions);
	put_int(o, "accesses", p->accesses);
	put_int(o, "done", p->done);
	put_int(o, "total", p->total);
	put_text(o, "of", p->of);
	put_real(o, "period_s", period_s);
	put_real(o, "simulated_ps_per_s", period_s > 0 ? grown(p->time_ps, l->last.time_ps) / period_s : 0);
	put_real(o, "instructions_per_s", period_s > 0 ? grown(p->instructions, l->last.instructions) / period_s : 0);
	json_object_set_new(o, "spent", spent_json(p, &l->last));
	return o;
}

void machine_live_write(struct machine_live *l, const struct sim_progress *p, const char *kernel, uint64_t kernels)
{
	const uint64_t now = machine_live_now_ns();
	json_t *o;

	if (!l)
		return;
	o = live_json(l, p, l->last_ns ? (double)(now - l->last_ns) * 1e-9 : 0);
	put_text(o, "kernel", kernel);
	put_int(o, "kernels", kernels);
	if (!json_dump_file(o, l->part, JSON_COMPACT))
		rename(l->part, l->path);
	json_decref(o);
	l->last = *p;
	l->last_ns = now;
}
