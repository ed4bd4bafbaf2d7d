/* mem_ports.cpp - a memory behind two C++ interfaces, as simulators of whole systems have them.
 *
 *	c++ -std=c++11 -O2 -o mem_ports mem_ports.cpp $(pkg-config --cflags --libs strata-mem)
 *	./mem_ports ddr4-2400
 *
 * EventMemory is for a simulator with an event queue, such as gem5: a request is sent or refused, a refused one is
 * retried when the memory says so, answers come as events. CycleMemory is for one that steps cycles, such as ZSim's
 * memories: an access, a tick of the host's clock, a callback.
 */
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <queue>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <strata/mem.h>

/* A memory that is freed with its owner; a mistake in its name or values is an exception. */
class Memory {
public:
	explicit Memory(const std::string &name, const std::vector<const char *> &overrides = {})
	{
		char *error = nullptr;

		m_ = strata_mem_new(name.c_str(), overrides.data(), overrides.size(), &error);
		if (!m_) {
			std::string text = error ? error : "no memory";

			std::free(error);
			throw std::runtime_error(text);
		}
	}
	~Memory() { strata_mem_free(m_); }
	Memory(const Memory &) = delete;
	Memory &operator=(const Memory &) = delete;

	strata_mem *get() const { return m_; }

private:
	strata_mem *m_;
};

/* ---- a simulator of events ---- */

class EventQueue {
public:
	void schedule(uint64_t when_ps, std::function<void()> what)
	{
		events_.push(Event{when_ps, count_++, std::move(what)});
	}
	bool step()
	{
		if (events_.empty())
			return false;

		Event e = events_.top();

		events_.pop();
		now_ps_ = e.when_ps;
		e.what();
		return true;
	}
	uint64_t now() const { return now_ps_; }

private:
	struct Event {
		uint64_t when_ps, number;
		std::function<void()> what;
		bool operator<(const Event &other) const
		{
			return when_ps != other.when_ps ? when_ps > other.when_ps : number > other.number;
		}
	};
	std::priority_queue<Event> events_;
	uint64_t now_ps_ = 0, count_ = 0;
};

struct Packet {
	uint64_t addr;
	bool is_write;
	uint64_t sent_ps;
};

class EventMemory {
public:
	std::function<void(Packet *)> on_response;
	std::function<void()> on_retry; /* after send() was false */

	EventMemory(EventQueue &queue, const std::string &name) : queue_(queue), memory_(name)
	{
		strata_mem_on_done(memory_.get(), done, this);
		strata_mem_on_room(memory_.get(), room, this);
	}

	bool send(Packet *p)
	{
		/* The memory's time follows the queue's. */
		strata_mem_run_until(memory_.get(), queue_.now());

		enum strata_mem_offered offered = strata_mem_offer(memory_.get(), p->addr, line(),
				p->is_write ? STRATA_MEM_WRITE : STRATA_MEM_READ, p);

		if (offered == STRATA_MEM_WRONG)
			throw std::out_of_range(strata_mem_error(memory_.get()));
		p->sent_ps = queue_.now();
		wake();
		return offered == STRATA_MEM_TAKEN;
	}
	uint32_t line() const { return strata_mem_line_bytes(memory_.get()); }
	uint64_t capacity() const { return strata_mem_capacity_bytes(memory_.get()); }

private:
	/* Has the memory looked at when it next has something to do. */
	void wake()
	{
		uint64_t next_ps = strata_mem_next_ps(memory_.get());

		if (next_ps >= wake_ps_)
			return;
		wake_ps_ = next_ps;
		queue_.schedule(next_ps, [this, next_ps] {
			if (wake_ps_ != next_ps)
				return; /* an earlier one came between */
			wake_ps_ = STRATA_MEM_NEVER;
			strata_mem_run_until(memory_.get(), next_ps);
			deliver();
			wake();
		});
	}
	/* Not in the callbacks themselves: whoever hears of an answer may send at once, and time would pass in time. */
	void deliver()
	{
		std::vector<Packet *> answers;
		bool retries = has_room_;

		answers.swap(answers_);
		has_room_ = false;
		for (Packet *p : answers)
			on_response(p);
		if (retries)
			on_retry();
	}
	static void done(void *self, const struct strata_mem_answer *a)
	{
		static_cast<EventMemory *>(self)->answers_.push_back(static_cast<Packet *>(a->user));
	}
	static void room(void *self) { static_cast<EventMemory *>(self)->has_room_ = true; }

	EventQueue &queue_;
	Memory memory_;
	std::vector<Packet *> answers_;
	bool has_room_ = false;
	uint64_t wake_ps_ = STRATA_MEM_NEVER;
};

/* ---- a simulator of cycles ---- */

class CycleMemory {
public:
	using Callback = std::function<void(uint64_t addr, uint64_t cycle)>;

	CycleMemory(const std::string &name, uint64_t host_mhz, Callback callback)
	    : memory_(name), host_mhz_(host_mhz), callback_(std::move(callback))
	{
		strata_mem_on_done(memory_.get(), done, this);
	}
	void access(uint64_t addr, bool is_write) { waiting_.push_back({addr, is_write}); }
	uint32_t line() const { return strata_mem_line_bytes(memory_.get()); }
	uint64_t capacity() const { return strata_mem_capacity_bytes(memory_.get()); }
	/* One cycle of the host, whatever the memory's clock. */
	void tick()
	{
		while (!waiting_.empty() && offer(waiting_.front()))
			waiting_.pop_front();
		cycle_++;
		strata_mem_run_until(memory_.get(), cycle_ * 1000000 / host_mhz_);
	}
	uint64_t cycle() const { return cycle_; }

private:
	struct Access {
		uint64_t addr;
		bool is_write;
	};
	bool offer(const Access &a)
	{
		enum strata_mem_offered offered = strata_mem_offer(memory_.get(), a.addr, line(),
				a.is_write ? STRATA_MEM_WRITE : STRATA_MEM_READ, nullptr);

		if (offered == STRATA_MEM_WRONG)
			throw std::out_of_range(strata_mem_error(memory_.get()));
		return offered == STRATA_MEM_TAKEN;
	}
	static void done(void *self, const struct strata_mem_answer *a)
	{
		CycleMemory *me = static_cast<CycleMemory *>(self);

		me->callback_(a->addr_bytes, me->cycle_);
	}

	Memory memory_;
	uint64_t host_mhz_, cycle_ = 0;
	Callback callback_;
	std::deque<Access> waiting_;
};

/* ---- both, with the same random reads ---- */

static uint64_t next_random(uint64_t &state)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return state >> 20;
}

static double mean_of_events(const std::string &name, unsigned count)
{
	EventQueue queue;
	EventMemory memory(queue, name);
	std::vector<Packet> packets(count);
	unsigned sent = 0, answered = 0;
	uint64_t seed = 1;
	double sum_ns = 0;
	bool is_refused = false;
	auto send = [&] {
		while (!is_refused && sent < count && sent - answered < 16)
			is_refused = !memory.send(&packets[sent]) || (sent++, false);
	};

	for (Packet &p : packets)
		p = Packet{next_random(seed) % memory.capacity() / memory.line() * memory.line(), false, 0};
	memory.on_response = [&](Packet *p) {
		answered++;
		sum_ns += static_cast<double>(queue.now() - p->sent_ps) / 1000;
		send();
	};
	memory.on_retry = [&] {
		is_refused = false;
		send();
	};
	queue.schedule(0, send);
	while (queue.step())
		;
	if (answered != count)
		throw std::runtime_error("answers are missing");
	return sum_ns / count;
}

static double requests_per_cycle(const std::string &name, unsigned count)
{
	unsigned sent = 0, answered = 0;
	uint64_t seed = 1;
	CycleMemory memory(name, 3000, [&](uint64_t, uint64_t) { answered++; });

	while (answered < count) {
		for (; sent < count && sent - answered < 16; sent++)
			memory.access(next_random(seed) % memory.capacity() / memory.line() * memory.line(),
				      sent % 4 == 3);
		memory.tick();
	}
	return static_cast<double>(count) / static_cast<double>(memory.cycle());
}

int main(int argc, char **argv)
{
	const std::string name = argc > 1 ? argv[1] : "ddr4-2400";

	try {
		std::printf("%s by events: 16 random reads at a time, %.1f ns each\n", name.c_str(),
			    mean_of_events(name, 20000));
		std::printf("%s by cycles of 3 GHz: 16 random requests at a time, %.4f per cycle\n", name.c_str(),
			    requests_per_cycle(name, 20000));
	} catch (const std::exception &e) {
		std::fprintf(stderr, "%s\n", e.what());
		return 2;
	}
	return 0;
}
