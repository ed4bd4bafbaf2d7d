/* dramsim3.cpp - a stream through DRAMsim3. Usage: CONFIG STREAM REQUESTS GROUP_BITS BANK_BITS CLOCK_NS FOLDER */
#include "feed.h"

#include <deque>
#include <unordered_map>

#include "dramsim3.h"

int main(int argc, char **argv)
{
	if (argc != 8)
		return 2;

	feed f(argv);
	uint64_t done = 0;
	std::unordered_map<uint64_t, std::deque<uint64_t>> since; /* by address: it answers with no more */
	auto read = [&](uint64_t addr) {
		done++;
		f.read_done(since[addr].front());
		since[addr].pop_front();
	};
	auto write = [&](uint64_t) { done++; };
	dramsim3::MemorySystem *m = dramsim3::GetMemorySystem(argv[1], argv[7], read, write);

	while (done < f.requests) {
		while (f.wants() && m->WillAcceptTransaction(f.stream.addr_bytes, f.stream.is_write)) {
			m->AddTransaction(f.stream.addr_bytes, f.stream.is_write);
			if (!f.stream.is_write) {
				since[f.stream.addr_bytes].push_back(f.clock);
				f.under_way++;
			}
			f.accepted();
		}
		m->ClockTick();
		f.clock++;
	}
	f.print("DRAMsim3");
	return 0;
}
