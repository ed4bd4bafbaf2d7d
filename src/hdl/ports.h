/* ports.h - the ports of an accelerator in one cycle of its clock, as plain values: what the simulator and the shared
 * library that a design is built into say to each other. C and C++. docs/hdl.md has the ports as a designer sees them.
 */
#ifndef STRATA_HDL_PORTS_H
#define STRATA_HDL_PORTS_H

#include <stdint.h>

enum { HDL_ERROR_ENDED = 2 }; /* $finish, $stop or $fatal */
enum { HDL_PORTS = 2, HDL_PORT_BYTES = 32, HDL_MESSAGE_BYTES = 64 };

struct hdl_port_in {
	uint8_t request_ready, answer_valid;
	uint8_t answer[HDL_PORT_BYTES];
};

struct hdl_port_out {
	uint8_t request_valid, request_write;
	uint8_t request_bytes; /* 1 to HDL_PORT_BYTES, within a block of as many */
	uint64_t request_address;
	uint8_t request_data[HDL_PORT_BYTES];
};

struct hdl_ports {
	/* To the design. */
	uint8_t reset, message_valid, reply_ready;
	uint8_t message[HDL_MESSAGE_BYTES];
	struct hdl_port_in in[HDL_PORTS];
	/* From it, in the same cycle. */
	uint8_t message_ready, reply_valid, busy, error; /* error: 0, 1 of the port, or HDL_ERROR_ENDED */
	uint8_t reply[HDL_MESSAGE_BYTES];
	struct hdl_port_out out[HDL_PORTS];
};

/* What the library exports as strata_hdl_design. */
struct hdl_library {
	uint32_t ports_bytes; /* sizeof(struct hdl_ports) */
	void *(*make)(void);
	void (*free)(void *design);
	/* One cycle: what comes from the design follows from its registers and from what goes to it; then the edge. */
	void (*cycle)(void *design, struct hdl_ports *ports);
};

#endif
