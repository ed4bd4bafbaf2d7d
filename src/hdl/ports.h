/* ports.h - the ports of an accelerator in one cycle of its clock, as plain values: what the simulator and the shared
 * library that a design is built into say to each other. C and C++. docs/hdl.md has the ports as a designer sees them.
 */
#ifndef STRATA_HDL_PORTS_H
#define STRATA_HDL_PORTS_H

#include <stdint.h>

enum {
	HDL_ERROR_PORT = 1,  /* its port `error` is set */
	HDL_ERROR_ENDED,     /* $finish, $stop or $fatal */
	HDL_ERROR_FATAL,     /* it cannot go on: its logic does not settle, for example; why is known */
	HDL_ERROR_LOST,	     /* the process that simulates it has gone */
	HDL_ERROR_SILENT     /* ... has not answered in the time that make was told */
};
/* A design has hdl.port_count ports of hdl.port_bytes; here is room for the most of both. */
enum { HDL_PORTS_MAX = 8, HDL_PORT_BYTES_MAX = 128, HDL_MESSAGE_BYTES = 64, HDL_REGISTERS = 8 };

/* Bits of a request's size, 1 to so many bytes, a power of two. */
static inline uint32_t hdl_size_bits(uint32_t bytes)
{
	uint32_t bits = 1;

	while (bytes >>= 1)
		bits++;
	return bits;
}

struct hdl_port_in {
	uint8_t request_ready, answer_valid;
	uint8_t answer[HDL_PORT_BYTES_MAX];
};

struct hdl_port_out {
	uint8_t request_valid, request_write;
	uint8_t request_bytes; /* 1 to the port's width, within a block of as many */
	uint64_t request_address;
	uint8_t request_data[HDL_PORT_BYTES_MAX];
};

struct hdl_ports {
	/* The waveform: when the cycle begins, a half of it, and whether it is recorded. */
	uint64_t time_ps, half_ps;
	uint8_t is_recorded;
	/* To the design. */
	uint8_t reset, message_valid, reply_ready;
	uint8_t message[HDL_MESSAGE_BYTES];
	uint8_t are_registers_new; /* since the last cycle */
	uint64_t registers[HDL_REGISTERS];
	struct hdl_port_in in[HDL_PORTS_MAX];
	/* From it, in the same cycle. */
	uint8_t has_registers; /* its module has that port */
	uint8_t message_ready, reply_valid, busy, error; /* error: 0, or an HDL_ERROR */
	uint8_t reply[HDL_MESSAGE_BYTES];
	struct hdl_port_out out[HDL_PORTS_MAX];
};

/* What the library exports as strata_hdl_design. */
struct hdl_library {
	uint32_t ports_bytes; /* sizeof(struct hdl_ports) */
	/* wave_path: the file of its waveform, made in the first cycle that is recorded; NULL: none is. seed: of the
	 * values that registers begin with; 0: they are 0. answer_ns: of the host's time, in which a process that
	 * simulates it answers a cycle. Returns NULL where it cannot be simulated, and why has been said on standard
	 * error. */
	void *(*make)(const char *wave_path, uint64_t seed, uint64_t answer_ns);
	void (*free)(void *design);
	/* One cycle: what comes from the design follows from its registers and from what goes to it; then the edge. */
	void (*cycle)(void *design, struct hdl_ports *ports);
	/* What it said last before its error, without a newline; "" where nothing is known. */
	const char *(*why)(void *design);
	/* Tells its registers, memories not among them, that are not zero: names and values as Verilog has them. */
	void (*state)(void *design, void (*tell)(void *to, const char *name, const char *value), void *to);
	/* No cycle comes any more: the file of the waveform is complete. */
	void (*end)(void *design);
};

#endif
