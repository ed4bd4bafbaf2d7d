// shim.cpp - what is compiled with a design's C++ by Verilator: the ports of its module "ndp" as struct hdl_ports.
#include "Vndp.h"
#include "ports.h"

#include <cstring>
#include <verilated.h>

namespace {

// The program's threads are the simulator's: Verilator is to make none of its own.
struct one_thread : VerilatedContext {
	one_thread()
	{
		threads(1);
	}
};

struct design {
	one_thread context;
	Vndp top{&context};
};

void *make()
{
	return new design;
}

void drop(void *self)
{
	delete static_cast<design *>(self);
}

template <typename Wide> void put(Wide &to, const uint8_t *from, size_t bytes)
{
	std::memcpy(&to[0], from, bytes);
}

template <typename Wide> void get(uint8_t *to, const Wide &from, size_t bytes)
{
	std::memcpy(to, &from[0], bytes);
}

void cycle(void *self, hdl_ports *p)
{
	Vndp &top = static_cast<design *>(self)->top;

	top.clk = 0;
	top.reset = p->reset;
	top.message_valid = p->message_valid;
	if (p->message_valid)
		put(top.message, p->message, sizeof(p->message));
	top.reply_ready = p->reply_ready;
	top.request_ready = p->in[0].request_ready | p->in[1].request_ready << 1;
	top.answer_valid = p->in[0].answer_valid | p->in[1].answer_valid << 1;
	if (p->in[0].answer_valid)
		put(top.answer_0, p->in[0].answer, HDL_PORT_BYTES);
	if (p->in[1].answer_valid)
		put(top.answer_1, p->in[1].answer, HDL_PORT_BYTES);
	top.eval();

	p->message_ready = top.message_ready;
	p->reply_valid = top.reply_valid;
	if (top.reply_valid)
		get(p->reply, top.reply, sizeof(p->reply));
	p->busy = top.busy;
	p->error = top.error;
	for (int i = 0; i < HDL_PORTS; i++) {
		p->out[i].request_valid = top.request_valid >> i & 1;
		p->out[i].request_write = top.request_write >> i & 1;
	}
	p->out[0].request_bytes = top.request_bytes_0;
	p->out[1].request_bytes = top.request_bytes_1;
	p->out[0].request_address = top.request_address_0;
	p->out[1].request_address = top.request_address_1;
	if (top.request_valid & 1 && top.request_write & 1)
		get(p->out[0].request_data, top.request_data_0, HDL_PORT_BYTES);
	if (top.request_valid & 2 && top.request_write & 2)
		get(p->out[1].request_data, top.request_data_1, HDL_PORT_BYTES);
	top.clk = 1;
	top.eval();
}

} // namespace

extern "C" {
extern const hdl_library strata_hdl_design;
const hdl_library strata_hdl_design = {sizeof(hdl_ports), make, drop, cycle};
}
