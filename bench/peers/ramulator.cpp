/* ramulator.cpp - a stream through Ramulator 2.1. Usage: CONFIG STREAM REQUESTS GROUP_BITS BANK_BITS CLOCK_NS */
#include "feed.h"

#include <ramulator/base/config.h>
#include <ramulator/base/factory.h>
#include <ramulator/base/request.h>
#include <ramulator/frontend/i_frontend.h>
#include <ramulator/memory_system/i_memory_system.h>

int main(int argc, char **argv)
{
	if (argc != 7)
		return 2;

	feed f(argv);
	auto config = Ramulator::Config::parse_config_file(argv[1]);
	auto *front = Ramulator::Factory::create_frontend(config);
	auto *m = Ramulator::Factory::create_memory_system(config);

	front->connect_memory_system(m);
	m->connect_frontend(front);
	while (f.left || f.under_way) { /* writes are not answered */
		while (f.wants()) {
			const uint64_t since = f.clock;
			auto done = [&f, since](Ramulator::Request &) { f.read_done(since); };
			bool is_write = f.stream.is_write;
			bool taken = is_write ? front->receive_external_requests(
						    1, (Ramulator::Addr_t)f.stream.addr_bytes, 0,
						    [](Ramulator::Request &) {}, 64) :
						front->receive_external_requests(
						    0, (Ramulator::Addr_t)f.stream.addr_bytes, 0, done, 64);
			if (!taken)
				break;
			f.under_way += !is_write;
			f.accepted();
		}
		m->tick();
		f.clock++;
	}
	f.print("Ramulator");
	return 0;
}
