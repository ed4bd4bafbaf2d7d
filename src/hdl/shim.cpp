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
		fatalOnError(false);
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

// A port of as many bytes, as docs/hdl.md has them.
template <size_t bytes, typename Wide> void put(Wide &to, const uint8_t (&from)[bytes])
{
	static_assert(sizeof(to) == bytes, "a port of module ndp has another width than docs/hdl.md says");
	std::memcpy(&to[0], from, bytes);
}

template <size_t bytes, typename Wide> void get(uint8_t (&to)[bytes], const Wide &from)
{
	static_assert(sizeof(from) == bytes, "a port of module ndp has another width than docs/hdl.md says");
	std::memcpy(to, &from[0], bytes);
}

bool has_ended(const void *self)
{
	const VerilatedContext &context = static_cast<const design *>(self)->context;

	return context.gotFinish() || context.gotError();
}

void cycle(void *self, hdl_ports *p)
{
	Vndp &top = static_cast<design *>(self)->top;

	static_assert(sizeof(top.request_address_0) == 8 && sizeof(top.request_address_1) == 8,
		      "request_address_0 and _1 of module ndp have 64 bits");
	Verilated::threadContextp(&static_cast<design *>(self)->context); // of several designs that of this one
	if (has_ended(self)) { // at the last edge: Verilator would end the process the second time
		p->error = HDL_ERROR_ENDED;
		return;
	}
	top.clk = 0;
	top.reset = p->reset;
	top.message_valid = p->message_valid;
	if (p->message_valid)
		put(top.message, p->message);
	top.reply_ready = p->reply_ready;
	top.request_ready = p->in[0].request_ready | p->in[1].request_ready << 1;
	top.answer_valid = p->in[0].answer_valid | p->in[1].answer_valid << 1;
	if (p->in[0].answer_valid)
		put(top.answer_0, p->in[0].answer);
	if (p->in[1].answer_valid)
		put(top.answer_1, p->in[1].answer);
	top.eval();

	p->message_ready = top.message_ready;
	p->reply_valid = top.reply_valid;
	if (top.reply_valid)
		get(p->reply, top.reply);
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
		get(p->out[0].request_data, top.request_data_0);
	if (top.request_valid & 2 && top.request_write & 2)
		get(p->out[1].request_data, top.request_data_1);
	top.clk = 1;
	top.eval();
}

} // namespace

extern "C" {
extern const hdl_library strata_hdl_design;
const hdl_library strata_hdl_design = {sizeof(hdl_ports), make, drop, cycle};
}
