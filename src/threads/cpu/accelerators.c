/* accelerators.c - which bytes a design's accesses use, and threads that wait for its messages. */
#include "threads/cpu/accelerators.h"

#include <errno.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/list.h"
#include "machine/message.h"

struct reply {
	struct reply *next;
	uint64_t time_ps;
	uint8_t text[HDL_MESSAGE_BYTES];
};

/* Who waits for a message of an accelerator, and where it wants it. */
struct waiter {
	struct waiter *next;
	uint32_t thread;
	void *data;
};

struct replies {
	BASE_FIFO(struct reply);
};

struct waiters {
	BASE_FIFO(struct waiter);
};

/* Who waits for room for a line in the NDP-M. */
struct sender {
	struct sender *next;
	uint32_t thread;
	struct hdl_line line;
};

struct senders {
	BASE_FIFO(struct sender);
};

struct accelerators {
	struct hdl_system *hdl;
	struct bytes *bytes;
	struct accelerator_user user;
	/* By accelerator. */
	struct replies *replies;
	struct waiters *waiters;
	struct senders *senders;
};

/* ---- accesses: where the program has the bytes, the address says ---- */

static void begin(void *self, uint32_t unit, uint64_t address, uint32_t size, enum cpu_op op)
{
	struct accelerators *a = self;

	if (a->bytes)
		bytes_begin(a->bytes, unit, address, (void *)address, size, op);
}

static void taken(void *self, uint32_t unit, bool is_waiting)
{
	struct accelerators *a = self;

	if (a->bytes)
		bytes_taken(a->bytes, unit, is_waiting);
}

static void *bytes(void *self, uint32_t unit, uint64_t address)
{
	struct accelerators *a = self;

	return a->bytes ? bytes_of(a->bytes, unit) : (void *)address;
}

void accelerators_answered(struct accelerators *a, uint32_t unit, uint64_t time_ps)
{
	hdl_answered(a->hdl, unit, time_ps);
}

void accelerators_stop(struct accelerators *a, uint64_t now_ps)
{
	hdl_stop(a->hdl, now_ps);
	if (hdl_waves_are_empty(a->hdl))
		machine_message("warning: hdl.wave: no design had anything to do in that time; there are no waveforms");
}

void accelerators_unmap(struct accelerators *a, uint64_t address, uint64_t size)
{
	hdl_unmap(a->hdl, address, address + size);
}

static void tell(const char *text)
{
	machine_message("%s", text);
}

/* ---- messages ---- */

static void replied(void *self, uint32_t accelerator, uint64_t time_ps, const uint8_t *message)
{
	struct accelerators *a = self;

	if (a->waiters[accelerator].first) {
		struct waiter *w = base_fifo_pop(&a->waiters[accelerator], next);

		memcpy(w->data, message, HDL_MESSAGE_BYTES);
		a->user.resume(a->user.self, w->thread, time_ps);
		g_free(w);
	} else {
		struct reply *r = g_new(struct reply, 1);

		r->time_ps = time_ps;
		memcpy(r->text, message, sizeof(r->text));
		base_fifo_push(&a->replies[accelerator], r, next);
	}
}

static struct thread_reply receive(struct accelerators *a, const struct thread_at *at, const struct thread_ask *ask)
{
	struct thread_reply reply = {THREAD_WAITS, HDL_MESSAGE_BYTES};

	if (a->replies[ask->value].first) {
		struct reply *r = base_fifo_pop(&a->replies[ask->value], next);

		memcpy(ask->data, r->text, sizeof(r->text));
		reply.done_ps = MAX(r->time_ps, at->now_ps);
		g_free(r);
	} else {
		struct waiter *w = g_new(struct waiter, 1);

		*w = (struct waiter){.thread = at->thread, .data = ask->data};
		base_fifo_push(&a->waiters[ask->value], w, next);
	}
	return reply;
}

/* The first that waits sends its line, and goes on. */
static void has_room(void *self, uint32_t accelerator, uint64_t time_ps)
{
	struct accelerators *a = self;
	struct sender *s;

	if (!a->senders[accelerator].first)
		return;
	s = base_fifo_pop(&a->senders[accelerator], next);
	hdl_line(a->hdl, accelerator, time_ps, &s->line);
	a->user.resume(a->user.self, s->thread, time_ps);
	g_free(s);
}

/* A line crosses the channel at once where the NDP-M has room for it, or refuses it; else its thread waits. */
static struct thread_reply send(struct accelerators *a, const struct thread_at *at, uint32_t accelerator,
				const struct hdl_line *line)
{
	struct thread_reply reply = {at->now_ps, -hdl_refusal(a->hdl, accelerator, line)};
	struct sender *s;

	if (reply.result || (hdl_has_room(a->hdl, accelerator) && !a->senders[accelerator].first)) {
		hdl_line(a->hdl, accelerator, at->now_ps, line);
		return reply;
	}
	s = g_new(struct sender, 1);
	*s = (struct sender){.thread = at->thread, .line = *line};
	base_fifo_push(&a->senders[accelerator], s, next);
	reply.done_ps = THREAD_WAITS;
	return reply;
}

static struct thread_reply send_message(struct accelerators *a, const struct thread_at *at, uint32_t accelerator,
					const struct thread_ask *ask)
{
	struct hdl_line line = {.command = HDL_COMMAND_MESSAGE};

	memcpy(line.key, hdl_key(a->hdl, accelerator), sizeof(line.key));
	memcpy(line.payload, ask->data, ask->bytes);
	return send(a, at, accelerator, &line);
}

void accelerators_stuck(const struct accelerators *a)
{
	hdl_tell_stuck(a->hdl, tell);
}

/* All of the range, by the kernel's list of the process' maps. */
static bool is_writable(uint64_t begin, uint64_t end)
{
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;
	bool is_good = g_file_get_contents("/proc/self/maps", &text, NULL, NULL);

	lines = g_strsplit(is_good ? text : "", "\n", -1);
	for (char **line = lines; is_good && *line; line++) {
		uint64_t first, last;
		char may[5];

		if (sscanf(*line, "%" G_GINT64_MODIFIER "x-%" G_GINT64_MODIFIER "x %4s", &first, &last, may) == 3)
			is_good = last <= begin || first >= end || may[1] == 'w';
	}
	return is_good;
}

struct thread_reply accelerators_ask(struct accelerators *a, const struct thread_at *at, const struct thread_ask *ask)
{
	const uint32_t number = (uint32_t)ask->value;
	struct thread_reply reply = {at->now_ps, 0};

	switch (ask->kind) {
	case THREAD_ASK_MAP:
		reply.done_ps = hdl_map(a->hdl, number, at->now_ps, ask->address, ask->address + ask->bytes,
					is_writable(ask->address, ask->address + ask->bytes));
		if (!reply.done_ps)
			return (struct thread_reply){at->now_ps, -ENOSPC};
		return reply;
	case THREAD_ASK_COMMAND:
		return send_message(a, at, number, ask);
	case THREAD_ASK_KEY:
		memcpy(ask->data, hdl_key(a->hdl, number), HDL_KEY_BYTES);
		return reply;
	case THREAD_ASK_LINE:
		return send(a, at, number, ask->data);
	default:
		return receive(a, at, ask);
	}
}

/* ---- making ---- */

static void failed(void *self, const char *text)
{
	const struct accelerators *a = self;

	a->user.fail(a->user.self, text);
}

struct accelerators *accelerators_new(struct hdl_system *hdl, const char *library, struct bytes *values,
				      struct accelerator_user threads)
{
	struct accelerators *a = g_new0(struct accelerators, 1);
	const struct hdl_user user = {
	    .begin = begin, .taken = taken, .bytes = bytes, .replied = replied, .has_room = has_room, .failed = failed,
	    .self = a};
	g_autofree char *why = NULL;

	a->hdl = hdl;
	a->bytes = values;
	a->replies = g_new0(struct replies, hdl_system_count(hdl));
	a->waiters = g_new0(struct waiters, hdl_system_count(hdl));
	a->senders = g_new0(struct senders, hdl_system_count(hdl));
	a->user = threads;
	if (hdl_system_connect(hdl, library, &user, &why))
		return a;
	machine_message("error: hdl.design: %s", why);
	g_free(a);
	return NULL;
}
