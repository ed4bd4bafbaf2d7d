/* accelerator.h - near-data processors that are hardware: a design at each memory channel, stepped by its own clock,
 * whose accesses go to the NDP-M of its channel as those of NDP cores without caches do (channel/channel.h).
 *
 * Each of channel.core_count accesses that a design may have under way is one such core; the runtime of threads has no
 * unit for them. A port's requests, reads and writes, are answered in their order; a write's answer says that it is
 * done. Memory is not ordered between accesses under way.
 */
#ifndef STRATA_HDL_ACCELERATOR_H
#define STRATA_HDL_ACCELERATOR_H

#include "channel/channel.h"
#include "sim/explain.h"
#include "hdl/ports.h"

/* What steps a design. */
#define HDL_SIMULATORS(X) \
	X(HDL_SIMULATOR_ANY, any) \
	X(HDL_SIMULATOR_VERILATOR, verilator) \
	X(HDL_SIMULATOR_ICARUS, icarus)
enum hdl_simulator { HDL_SIMULATORS(SIM_PARAM_ENUMERATOR) };

/* Mistakes that a run may be asked for. */
#define HDL_FAULTS(X) \
	X(HDL_FAULT_NONE, none) \
	X(HDL_FAULT_STALE_ENTRY, stale_entry)
enum hdl_fault { HDL_FAULTS(SIM_PARAM_ENUMERATOR) };

/* A line of software's to an accelerator: NDP thesis section 5.4, 32 bytes of key, 32 of command and arguments, 64 of
 * payload. As struct strata_line of strata/ndp.h. */
enum { HDL_KEY_BYTES = 32, HDL_LINE_BYTES = 128 };
enum hdl_command {
	HDL_COMMAND_MESSAGE,  /* the payload is for the design */
	HDL_COMMAND_REGISTER  /* arguments: number, value */
};
struct hdl_line {
	uint8_t key[HDL_KEY_BYTES];
	uint64_t command, arguments[3];
	uint8_t payload[HDL_MESSAGE_BYTES];
};
_Static_assert(sizeof(struct hdl_line) == HDL_LINE_BYTES, "lines have 128 bytes");

struct hdl_params {
#include "sim/param_fields.inc"
#include "hdl/hdl_params.def"
#include "sim/param_end.inc"
};
extern const struct sim_param_desc hdl_param_rows[];
extern const uint32_t hdl_param_row_count;

struct hdl_stats {
#include "sim/stat_fields.inc"
#include "hdl/hdl_stats.def"
#include "sim/stat_end.inc"
};
extern const struct sim_stat_table hdl_stat_table;
extern const struct sim_explain hdl_explain;

/* Who has the bytes of accesses and gets the messages. */
struct hdl_user {
	/* An access of a unit (of channel_system) begins, and was taken on; then its bytes, once it is answered. */
	void (*begin)(void *self, uint32_t unit, uint64_t address, uint32_t size, enum cpu_op op);
	void (*taken)(void *self, uint32_t unit, bool is_waiting);
	void *(*bytes)(void *self, uint32_t unit, uint64_t address);
	/* A reply, HDL_MESSAGE_BYTES of it, is with the processors at time_ps. */
	void (*replied)(void *self, uint32_t accelerator, uint64_t time_ps, const uint8_t *message);
	/* A message has left the NDP-M for the design: one more may be sent (hdl_has_room). */
	void (*has_room)(void *self, uint32_t accelerator, uint64_t time_ps);
	/* The design did what it may not; the text says what, on one line or, with the design's last state, on several.
	 * Does not return. */
	void (*failed)(void *self, const char *text);
	void *self;
};

struct hdl_system;

/* The clock domain, before anything is built. */
bool hdl_clock_add(const struct hdl_params *p, struct sim_engine *e);
/* One accelerator for each NDP of near, whose params are near_params. Units as in channel_system_new; in the account,
 * which may be NULL, those of the accelerators come behind them (hdl/account.h). */
struct hdl_system *hdl_system_new(struct sim_ctx *ctx, const struct hdl_params *p, struct channel_system *near,
				  const struct channel_params *near_params, uint32_t first_unit,
				  struct cpu_account *account);
void hdl_system_free(struct hdl_system *s);
uint32_t hdl_system_count(const struct hdl_system *s);
/* Loads the library that the design was built into (hdl/build.h). False: why is in *message, to be freed. */
bool hdl_system_connect(struct hdl_system *s, const char *library, const struct hdl_user *user, char **message);

/* The range is in the accelerator's address-translation table from the returned time on; 0: the table is full. A design
 * that writes what is not writable fails. */
uint64_t hdl_map(struct hdl_system *s, uint32_t accelerator, uint64_t now_ps, uint64_t begin, uint64_t end,
		 bool is_writable);
/* The pages are gone, from all tables. */
void hdl_unmap(struct hdl_system *s, uint64_t begin, uint64_t end);
/* The key of its lines; HDL_KEY_BYTES. */
const uint8_t *hdl_key(const struct hdl_system *s, uint32_t accelerator);
/* Whether the NDP-M has room for a message: hdl_line only then. */
bool hdl_has_room(const struct hdl_system *s, uint32_t accelerator);
/* What hdl_line would return for the line. */
int hdl_refusal(const struct hdl_system *s, uint32_t accelerator, const struct hdl_line *line);
/* A line of software's. 0; EACCES: its key is another one, and nobody takes it; EINVAL: no such command or register;
 * ENOTSUP: the design has no special registers. */
int hdl_line(struct hdl_system *s, uint32_t accelerator, uint64_t now_ps, const struct hdl_line *line);
/* The program has ended: no design is stepped any more, and the account and the waveforms are whole. */
void hdl_stop(struct hdl_system *s, uint64_t now_ps);
/* That an accelerator has taken, and has sent. */
struct hdl_messages {
	uint64_t taken, replies;
};
struct hdl_messages hdl_messages(const struct hdl_system *s, uint32_t accelerator);
/* Nothing goes on: tells of each accelerator that has taken more messages than it has sent, and its last state. */
void hdl_tell_stuck(struct hdl_system *s, void (*tell)(const char *text));
/* Waveforms are asked for, and no cycle has been recorded. */
bool hdl_waves_are_empty(const struct hdl_system *s);
/* The access of this unit has been answered. */
void hdl_answered(struct hdl_system *s, uint32_t unit, uint64_t time_ps);

#endif
