// shim.cpp - what is compiled with a design's C++ by Verilator: the ports of its module "ndp" as struct hdl_ports, of
// which HDL_PORT_COUNT, each of HDL_PORT_BYTES, are to memory.
#include "Vndp.h"
#include "Vndp___024root.h"
#include "ports.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <verilated.h>
#ifdef HDL_WAVE
#include <verilated_fst_c.h>
#endif

namespace {

// The program's threads are the simulator's: Verilator is to make none of its own.
struct one_thread : VerilatedContext {
	one_thread()
	{
		threads(1);
		fatalOnError(false);
	}
};

// What Verilator's library calls where a design cannot go on is thrown from there, out of the evaluation.
struct stopped {
	uint8_t error;
	std::string why;
};

// The last line that the library printed, of whichever design: $fatal prints its text before it stops.
std::string last_line;

std::string place(const char *file, int line)
{
	return file && *file ? std::string(file) + ":" + std::to_string(line) + ": " : "";
}

struct design {
	explicit design(uint64_t seed)
	{
		context.randReset(seed ? 2 : 0);
		context.randSeed(seed ? static_cast<int>(seed % 0x7fffffff) + 1 : 0);
		top.reset(new Vndp{&context});
	}

	one_thread context;
	std::unique_ptr<Vndp> top; // made when the context knows how registers begin
	uint8_t error = 0;
	std::string why;
#ifdef HDL_WAVE
	VerilatedFstC wave;
	std::string wave_path;
	bool is_ended = false;
#endif
};

#ifdef HDL_WAVE

void *make(const char *wave_path, uint64_t seed, uint64_t)
{
	design *self = new design(seed);

	self->wave_path = wave_path ? wave_path : "";
	self->context.traceEverOn(true);
	self->wave.set_time_unit("1ps");
	self->wave.set_time_resolution("1ps");
	self->top->trace(&self->wave, 99);
	return self;
}

// The signals as they are now.
void record(design *self, const hdl_ports *p, uint64_t time_ps)
{
	if (!p->is_recorded || self->is_ended)
		return;
	if (!self->wave.isOpen())
		self->wave.open(self->wave_path.c_str());
	self->wave.dump(time_ps);
}

void end(void *self)
{
	static_cast<design *>(self)->is_ended = true;
	static_cast<design *>(self)->wave.close();
}

#else

void *make(const char *, uint64_t seed, uint64_t)
{
	return new design(seed);
}

void record(design *, const hdl_ports *, uint64_t)
{
}

void end(void *)
{
}

#endif

void drop(void *self)
{
	delete static_cast<design *>(self);
}

// A port of as many bytes, as docs/hdl.md has them.
template <size_t bytes, typename Wide> void put(Wide &to, const uint8_t *from)
{
	static_assert(sizeof(to) == bytes, "a port of module ndp has another width than docs/hdl.md says");
	std::memcpy(&to, from, bytes);
}

template <size_t bytes, typename Wide> void get(uint8_t *to, const Wide &from)
{
	static_assert(sizeof(from) == bytes, "a port of module ndp has another width than docs/hdl.md says");
	std::memcpy(to, &from, bytes);
}

// Something for each of the memory ports.
#define FOR_1(X) X(0)
#define FOR_2(X) FOR_1(X) X(1)
#define FOR_3(X) FOR_2(X) X(2)
#define FOR_4(X) FOR_3(X) X(3)
#define FOR_5(X) FOR_4(X) X(4)
#define FOR_6(X) FOR_5(X) X(5)
#define FOR_7(X) FOR_6(X) X(6)
#define FOR_8(X) FOR_7(X) X(7)
#define FOR_COUNT_(count, X) FOR_##count(X)
#define FOR_COUNT(count, X) FOR_COUNT_(count, X)
#define FOR_PORTS(X) FOR_COUNT(HDL_PORT_COUNT, X)

// A design may do without special registers.
template <typename Top> auto put_registers(Top &top, const hdl_ports *p, int) -> decltype(top.registers, uint8_t())
{
	static_assert(sizeof(top.registers) == sizeof(p->registers),
		      "a port of module ndp has another width than docs/hdl.md says");
	std::memcpy(&top.registers[0], p->registers, sizeof(p->registers));
	return 1;
}

template <typename Top> uint8_t put_registers(Top &, const hdl_ports *, long)
{
	return 0;
}

void step(design *self, hdl_ports *p)
{
	Vndp &top = *self->top;

	top.clk = 0;
	top.reset = p->reset;
	if (p->are_registers_new)
		p->has_registers = put_registers(top, p, 0);
	top.message_valid = p->message_valid;
	if (p->message_valid)
		put<HDL_MESSAGE_BYTES>(top.message, p->message);
	top.reply_ready = p->reply_ready;
	top.request_ready = 0;
	top.answer_valid = 0;
#define GIVE(i)                                                                                                        \
	top.request_ready |= p->in[i].request_ready << i;                                                              \
	top.answer_valid |= p->in[i].answer_valid << i;                                                                \
	if (p->in[i].answer_valid)                                                                                     \
		put<HDL_PORT_BYTES>(top.answer_##i, p->in[i].answer);
	FOR_PORTS(GIVE)
	top.eval();
	record(self, p, p->time_ps);

	p->message_ready = top.message_ready;
	p->reply_valid = top.reply_valid;
	if (top.reply_valid)
		get<HDL_MESSAGE_BYTES>(p->reply, top.reply);
	p->busy = top.busy;
	p->error = top.error;
#define TAKE(i)                                                                                                        \
	p->out[i].request_valid = top.request_valid >> i & 1;                                                          \
	p->out[i].request_write = top.request_write >> i & 1;                                                          \
	p->out[i].request_bytes = top.request_bytes_##i;                                                               \
	p->out[i].request_address = top.request_address_##i;                                                           \
	if (p->out[i].request_valid && p->out[i].request_write)                                                        \
		get<HDL_PORT_BYTES>(p->out[i].request_data, top.request_data_##i);
	FOR_PORTS(TAKE)
	top.clk = 1;
	top.eval();
	record(self, p, p->time_ps + p->half_ps);
}

// A design that has stopped is not evaluated any more.
void cycle(void *of, hdl_ports *p)
{
	design *self = static_cast<design *>(of);

	Verilated::threadContextp(&self->context); // of several designs that of this one
	try {
		if (!self->error)
			step(self, p);
	} catch (const stopped &s) {
		self->error = s.error;
		self->why = s.why;
	}
	if (self->error)
		p->error = self->error;
}

const char *why(void *of)
{
	return static_cast<design *>(of)->why.c_str();
}

// The value as Verilog has it, from 32-bit words, the lowest first.
std::string verilog(const uint32_t *words, unsigned bits)
{
	std::string text = std::to_string(bits) + "'h";
	char part[9];

	for (unsigned i = (bits + 31) / 32; i--;) {
		const unsigned digits = ((i == bits / 32 ? bits % 32 : 32) + 3) / 4;

		std::snprintf(part, sizeof(part), "%0*x", static_cast<int>(digits), words[i]);
		text += part;
	}
	return text;
}

template <typename Value>
void tell_value(void (*tell)(void *, const char *, const char *), void *to, const char *name, const Value &value,
		unsigned bits)
{
	uint32_t words[(sizeof(value) + 3) / 4] = {0};
	uint32_t any = 0;

	std::memcpy(words, &value, sizeof(value));
	for (uint32_t word : words)
		any |= word;
	if (any)
		tell(to, name, verilog(words, bits).c_str());
}

void state(void *of, void (*tell)(void *to, const char *name, const char *value), void *to)
{
	const Vndp___024root *root = static_cast<design *>(of)->top->rootp;

#define REGISTER(name, member, bits) tell_value(tell, to, name, root->member, bits);
#include "registers.inc"
}

} // namespace

// The functions that Verilator's library leaves to its user.

int hdl_print(const char *format, ...)
{
	char text[4096];
	va_list args;

	va_start(args, format);
	const int length = std::vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	std::fputs(text, stdout);
	last_line = text;
	while (!last_line.empty() && last_line.back() == '\n')
		last_line.pop_back();
	return length;
}

void vl_fatal(const char *file, int line, const char *, const char *message)
{
	throw stopped{HDL_ERROR_FATAL, place(file, line) + message};
}

// $stop, $fatal, which has printed its text, and assertions that failed.
void vl_stop(const char *file, int line, const char *)
{
	throw stopped{HDL_ERROR_ENDED,
		      last_line.find("%Error") == std::string::npos && last_line.find("%Fatal") == std::string::npos
			  ? place(file, line) + "$stop"
			  : last_line};
}

void vl_finish(const char *file, int line, const char *)
{
	throw stopped{HDL_ERROR_ENDED, place(file, line) + "$finish"};
}

extern "C" {
extern const hdl_library strata_hdl_design;
const hdl_library strata_hdl_design = {sizeof(hdl_ports), make, drop, cycle, why, state, end};
}
