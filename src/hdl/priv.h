/* priv.h - an accelerator, between the files of this part: its cycles (accelerator.c) and what software does with it
 * (software.c). */
#ifndef STRATA_HDL_PRIV_H
#define STRATA_HDL_PRIV_H

#include <glib.h>

#include "base/list.h"
#include "hdl/accelerator.h"
#include "hdl/account.h"
#include "hdl/held.h"

/* An access under way, by the core of channel_system that has it. A request of a port wider than the NDP-M's accesses
 * has several: the first one stands for all of them, and the others are behind it. */
struct access {
	uint64_t address, done_units;
	uint8_t bytes; /* 0: nobody has it */
	bool is_write, is_done;
	uint8_t *old;		/* its bytes by a stale entry; NULL: they are the program's */
	uint8_t *data;		/* its own, of those of the request */
	struct access *request; /* the first one */
	struct access *next;	/* of the request; NULL: it is the last */
	/* These are of the request, in its first access. */
	struct access *latest; /* that was done last */
	uint32_t left;	       /* accesses that are not done */
	uint8_t all[HDL_PORT_BYTES_MAX];
};

struct message {
	struct message *next;
	uint64_t time_ps;
	struct hdl_line line;
};

struct range {
	uint64_t begin, end;
	bool is_writable;
	uint8_t *old; /* of a stale entry (HDL_FAULT_STALE_ENTRY): what lay there when the memory went; else NULL */
};

struct accelerator {
	struct hdl_system *s;
	struct sim_comp comp;
	void *design;
	uint32_t number, first_core;
	struct hdl_ports ports;
	struct access *accesses; /* [limit] */
	uint32_t *free;          /* accesses that nobody has */
	uint32_t free_count;
	/* By port, the first accesses of its requests, in their order: a ring of [limit]. */
	struct {
		struct access **order;
		uint32_t first, count;
	} port[HDL_PORTS_MAX];
	/* Lines of software's lie here in the order in which they come. */
	struct {
		BASE_FIFO(struct message);
	} messages;
	uint32_t message_count;
	GArray *ranges; /* struct range, of its table; the one used last is the first */
	uint8_t key[HDL_KEY_BYTES];
	uint64_t map_entries;
	uint64_t quiet_cycles; /* see cycle_limit_count */
	/* See poll_limit_count: the addresses read since it last did anything else, and for how many cycles none of
	 * them was a new one. */
	uint64_t read_begin, read_end, poll_cycles;
	/* When the replies that the NDP-M has are with the processors: a ring of [reply_depth_count]. */
	uint64_t *reply_units;
	uint32_t reply_first, reply_held;
	uint64_t taken_count, reply_count; /* messages, from and to software */
	struct hdl_held replies, requests[HDL_PORTS_MAX]; /* offered, and not taken */
};

struct hdl_system {
	struct sim_engine *engine;
	const struct hdl_params *p;
	struct channel_system *near;
	const struct hdl_library *library;
	void *handle;
	struct hdl_user user;
	struct accelerator *accelerators;
	uint32_t count, limit, first_unit; /* limit: accesses of each under way */
	uint32_t port_count, port_bytes;
	uint32_t access_bytes, parts; /* of an access of the NDP-M, and how many a port's widest request has */
	bool is_waved;
	uint64_t wave_from_units, wave_to_units;
	uint64_t recorded_cycles;
	bool is_stopped;
	struct hdl_account *account; /* NULL: nobody accounts */
	struct hdl_stats stats;
};

/* The design did what it may not, and the program ends. */
_Noreturn void hdl_fail(struct accelerator *a, const char *format, ...) G_GNUC_PRINTF(2, 3);

#endif
