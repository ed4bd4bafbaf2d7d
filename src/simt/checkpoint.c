/* checkpoint.c - writes what launches leave in memory, and leaves it there again. */
#include "simt/checkpoint.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "simt/checkpoint_file.h"
#include "simt/priv.h"

/* ---- writing ---- */

struct simt_saver {
	char *path, *part; /* where it is written; part may be path */
	struct checkpoint_writer w;
	struct simt_memory *mem; /* watched; NULL: nothing was launched yet */
	struct checkpoint_image before; /* the batch */
	bool is_in_batch, is_in_launch, is_written;
	uint64_t launch_count;
	const char *why_not; /* there will be no file; NULL: there may be one */
	GString *text;	     /* that the launch prints */
	/* The launch's own, meanwhile. */
	void (*print)(void *ctx, const char *text, uint32_t bytes);
	void *print_ctx;
	uint32_t (*ask)(void *ctx, struct simt_ask *a);
	void *ask_ctx;
};

static void give_up(struct simt_saver *s, const char *why)
{
	if (!s->why_not)
		s->why_not = why;
	s->is_in_batch = false;
}

/* A file that is no plain one, such as a device, cannot be replaced by another. */
static char *part_of(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISREG(st.st_mode) ? g_strdup(path) : g_strdup_printf("%s.part", path);
}

struct simt_saver *simt_saver_new(const char *path)
{
	struct simt_saver *s = g_new0(struct simt_saver, 1);

	s->path = g_strdup(path);
	s->part = part_of(path);
	s->text = g_string_new(NULL);
	if (!checkpoint_writer_open(&s->w, s->part))
		give_up(s, strerror(s->w.error));
	return s;
}

/* Somebody is about to look at memory, or to change it. */
static void batch_end(void *saver)
{
	struct simt_saver *s = saver;

	if (s->is_in_launch)
		give_up(s, "a kernel before the mark takes memory from the device's heap");
	if (s->is_in_batch)
		checkpoint_image_put_changes(&s->before, &s->w);
	s->is_in_batch = false;
}

static void close_file(struct simt_saver *s, bool is_complete)
{
	if (!s->w.file)
		return;
	if (!checkpoint_writer_close(&s->w, is_complete))
		give_up(s, strerror(s->w.error));
	if (s->part && strcmp(s->part, s->path) != 0 && (s->why_not || !is_complete))
		unlink(s->part);
}

void simt_saver_free(struct simt_saver *s)
{
	if (!s)
		return;
	close_file(s, false);
	if (s->mem)
		simt_memory_watch(s->mem, NULL, NULL);
	checkpoint_image_free(&s->before);
	g_string_free(s->text, TRUE);
	g_free(s->part);
	g_free(s->path);
	g_free(s);
}

static void note_text(void *saver, const char *text, uint32_t bytes)
{
	struct simt_saver *s = saver;

	g_string_append_len(s->text, text, bytes);
	if (s->print)
		s->print(s->print_ctx, text, bytes);
}

static uint32_t note_ask(void *saver, struct simt_ask *a)
{
	struct simt_saver *s = saver;

	if (a->kind == SIMT_ASK_LAUNCH)
		give_up(s, "a kernel before the mark launches kernels");
	return s->ask(s->ask_ctx, a);
}

static void listen_to(struct simt_saver *s, struct simt_launch *l)
{
	g_string_truncate(s->text, 0);
	s->print = l->print;
	s->print_ctx = l->print_ctx;
	s->ask = l->ask;
	s->ask_ctx = l->ask_ctx;
	l->print = note_text;
	l->print_ctx = s;
	l->ask = s->ask ? note_ask : NULL;
	l->ask_ctx = s;
}

static void leave(struct simt_saver *s, struct simt_launch *l)
{
	l->print = s->print;
	l->print_ctx = s->print_ctx;
	l->ask = s->ask;
	l->ask_ctx = s->ask_ctx;
}

static void batch_begin(struct simt_saver *s, const struct simt_launch *l)
{
	checkpoint_image_take(&s->before, l->mem);
	checkpoint_put_kind(&s->w, CHECKPOINT_BATCH);
	checkpoint_put(&s->w, &s->before.hashes, sizeof(s->before.hashes));
	s->is_in_batch = true;
}

void simt_saver_before(struct simt_saver *s, struct simt_launch *l)
{
	s->launch_count++;
	if (s->why_not)
		return;
	if (!s->mem)
		simt_memory_watch(l->mem, batch_end, s);
	s->mem = l->mem;
	if (!s->is_in_batch)
		batch_begin(s, l);
	listen_to(s, l);
	s->is_in_launch = true;
}

/* What the host can reach without a call may be looked at whenever no kernel runs. */
static bool is_in_the_open(const struct simt_memory *m)
{
	const struct simt_alloc *a;

	for (uint32_t i = 0; (a = simt_memory_entry(m, i)); i++)
		if (a->is_live && (a->kind == SIMT_ALLOC_MANAGED || a->kind == SIMT_ALLOC_HOST ||
				   a->kind == SIMT_ALLOC_REGISTERED))
			return true;
	return false;
}

void simt_saver_after(struct simt_saver *s, struct simt_launch *l, const struct simt_saved_counts *counts,
		      bool is_right)
{
	struct checkpoint_launch launch;

	if (!s->is_in_launch)
		return;
	s->is_in_launch = false;
	leave(s, l);
	if (!is_right)
		give_up(s, "a kernel before the mark failed");
	if (s->why_not)
		return;
	checkpoint_launch_of(l, &launch);
	launch.counts = *counts;
	launch.text_bytes = (uint32_t)s->text->len;
	checkpoint_put_kind(&s->w, CHECKPOINT_LAUNCH);
	checkpoint_put(&s->w, &launch, sizeof(launch));
	checkpoint_put(&s->w, l->program->name, launch.name_bytes);
	checkpoint_put(&s->w, s->text->str, launch.text_bytes);
	if (is_in_the_open(l->mem))
		batch_end(s);
	if (s->w.error)
		give_up(s, strerror(s->w.error));
}

void simt_saver_mark(struct simt_saver *s)
{
	if (!s->w.file)
		return;
	batch_end(s);
	if (!s->mem)
		give_up(s, "no launch is before the mark");
	if (!s->why_not) {
		checkpoint_image_take(&s->before, s->mem);
		checkpoint_put_kind(&s->w, CHECKPOINT_MARK);
		checkpoint_put(&s->w, &s->before.hashes, sizeof(s->before.hashes));
	}
	if (s->mem)
		simt_memory_watch(s->mem, NULL, NULL);
	s->mem = NULL;
	close_file(s, !s->why_not);
	if (!s->why_not && strcmp(s->part, s->path) != 0 && rename(s->part, s->path))
		give_up(s, strerror(errno));
	s->is_written = !s->why_not;
}

uint64_t simt_saver_launches(const struct simt_saver *s)
{
	return s->launch_count;
}

const char *simt_saver_why_not(const struct simt_saver *s)
{
	if (s->is_written)
		return NULL;
	return s->why_not ? s->why_not : "the program ends before the mark";
}

/* ---- reading ---- */

struct simt_restorer {
	char *path;
	struct checkpoint_reader r;
	struct checkpoint_image now;
	uint64_t launch_count;
};

struct simt_restorer *simt_restorer_new(const char *path)
{
	struct simt_restorer *r = g_new0(struct simt_restorer, 1);

	r->path = g_strdup(path);
	checkpoint_reader_open(&r->r, path);
	return r;
}

void simt_restorer_free(struct simt_restorer *r)
{
	if (!r)
		return;
	checkpoint_reader_close(&r->r);
	checkpoint_image_free(&r->now);
	g_free(r->path);
	g_free(r);
}

bool simt_restorer_has_launch(const struct simt_restorer *r)
{
	return r->r.kind != CHECKPOINT_MARK;
}

uint64_t simt_restorer_launches(const struct simt_restorer *r)
{
	return r->launch_count;
}

__attribute__((format(printf, 3, 4))) static bool refuse(const struct simt_restorer *r, struct simt_launch *l,
							 const char *fmt, ...)
{
	g_autofree char *what = NULL;
	va_list args;

	va_start(args, fmt);
	what = g_strdup_vprintf(fmt, args);
	va_end(args);
	l->fault.kind = SIMT_FAULT_TRAP;
	snprintf(l->fault.text, sizeof(l->fault.text), "kernel %s: checkpoint %s: %s", l->program->name, r->path, what);
	return false;
}

/* where: "before launch 5". */
static bool is_memory_as_then(struct simt_restorer *r, struct simt_launch *l, const char *where)
{
	struct checkpoint_hashes then;

	if (!checkpoint_get(&r->r, &then, sizeof(then)))
		return refuse(r, l, "%s", r->r.why);
	checkpoint_image_take(&r->now, l->mem);
	if (then.places != r->now.hashes.places)
		return refuse(r, l, "the program's memory is not where it was %s: another program or library, or a "
			      "machine of other run.allocation_bytes", where);
	return then.bytes == r->now.hashes.bytes ||
	       refuse(r, l, "the device's memory %s holds other bytes than it did: another program, or other input",
		      where);
}

static bool is_same(const struct simt_restorer *r, struct simt_launch *l, const struct checkpoint_launch *then,
		    const char *name)
{
	struct checkpoint_launch now;

	if (strcmp(name, l->program->name) != 0)
		return refuse(r, l, "its launch %llu is of kernel %s", (unsigned long long)r->launch_count, name);
	checkpoint_launch_of(l, &now);
	if (memcmp(now.grid, then->grid, sizeof(now.grid)) || memcmp(now.block, then->block, sizeof(now.block)) ||
	    now.shared_bytes != then->shared_bytes)
		return refuse(r, l, "its launch %llu is of %ux%ux%u CTAs of %ux%ux%u threads; a program may ask for "
			      "the machine's SMs", (unsigned long long)r->launch_count, then->grid[0], then->grid[1],
			      then->grid[2], then->block[0], then->block[1], then->block[2]);
	if (now.program_hash != then->program_hash)
		return refuse(r, l, "the kernel's code is not what it was");
	if (now.params_hash != then->params_hash)
		return refuse(r, l, "its launch %llu has other parameters", (unsigned long long)r->launch_count);
	return true;
}

static bool take_range(struct simt_restorer *r, struct simt_launch *l)
{
	struct checkpoint_range range;

	if (!checkpoint_get(&r->r, &range, sizeof(range)))
		return refuse(r, l, "%s", r->r.why);
	if (!checkpoint_range_is_there(&range, l->mem))
		return refuse(r, l, "it has memory that the program has not");
	return checkpoint_get(&r->r, (void *)(uintptr_t)range.addr, range.bytes) || refuse(r, l, "%s", r->r.why);
}

/* The ranges behind a launch, if it is the last of its batch. */
static bool take_ranges(struct simt_restorer *r, struct simt_launch *l)
{
	while (checkpoint_next(&r->r) && r->r.kind == CHECKPOINT_RANGE)
		if (!take_range(r, l))
			return false;
	return r->r.kind || refuse(r, l, "%s", r->r.why);
}

bool simt_restorer_launch(struct simt_restorer *r, struct simt_launch *l, struct simt_saved_counts *counts)
{
	g_autofree char *name = NULL, *text = NULL, *where = NULL;
	struct checkpoint_launch then;

	r->launch_count++;
	where = g_strdup_printf("before launch %llu", (unsigned long long)r->launch_count);
	if (r->r.kind == CHECKPOINT_BATCH && (!is_memory_as_then(r, l, where) || !checkpoint_next(&r->r)))
		return l->fault.kind ? false : refuse(r, l, "%s", r->r.why);
	if (r->r.kind != CHECKPOINT_LAUNCH || !checkpoint_get_launch(&r->r, &then, &name, &text))
		return refuse(r, l, "%s", r->r.why ? r->r.why : "the checkpoint is damaged");
	if (!is_same(r, l, &then, name))
		return false;
	if (then.text_bytes && l->print)
		l->print(l->print_ctx, text, then.text_bytes);
	*counts = then.counts;
	return take_ranges(r, l);
}

bool simt_restorer_mark(struct simt_restorer *r, struct simt_launch *l)
{
	return is_memory_as_then(r, l, "at the mark");
}
