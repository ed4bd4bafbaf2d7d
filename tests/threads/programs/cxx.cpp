/* cxx.cpp - C++: std::thread and what belongs to it, exceptions in threads, objects of threads, the library. */
#include "check.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static std::atomic<int> destroyed;

struct Mark {
	int value = 1;
	~Mark() { destroyed += value; }
};

static thread_local Mark mark;

struct Slow {
	Slow()
	{
		made++;
		std::this_thread::sleep_for(std::chrono::milliseconds(1));
	}
	static inline std::atomic<int> made;
};

static Slow &once()
{
	static Slow s;
	return s;
}

static int thrower(int n)
{
	if (n == 0)
		throw std::runtime_error("deep");
	return thrower(n - 1) + 1;
}

static void each(int count, const auto &work)
{
	std::vector<std::thread> threads;

	for (int i = 0; i < count; i++)
		threads.emplace_back(work, i);
	for (auto &t : threads)
		t.join();
}

int main()
{
	std::mutex m;
	std::condition_variable ready;
	std::map<int, std::string> names;
	int caught = 0;

	each(5, [&](int i) {
		mark.value = 10;
		once();
		for (int k = 0; k < 20; k++) {
			std::lock_guard<std::mutex> lock(m);
			names[i * 100 + k] = std::to_string(k) + " is a text that is too long for a small string";
		}
		try {
			thrower(i);
		} catch (const std::runtime_error &e) {
			std::lock_guard<std::mutex> lock(m);
			caught += std::string(e.what()) == "deep";
		}
	});
	EXPECT(names.size() == 100 && caught == 5 && destroyed == 50 && Slow::made == 1);

	std::shared_mutex shared;
	int value = 0;
	each(4, [&](int i) {
		for (int k = 0; k < 20; k++)
			if (i == 0) {
				std::unique_lock lock(shared);
				value++;
			} else {
				std::shared_lock lock(shared);
				EXPECT(value <= 20);
			}
	});
	EXPECT(value == 20);

	auto f = std::async(std::launch::async, [] { return 6 * 7; });
	auto bad = std::async(std::launch::async, []() -> int { throw std::logic_error("from a thread"); });
	EXPECT(f.get() == 42);
	try {
		bad.get();
		EXPECT(!"reached");
	} catch (const std::logic_error &) {
		caught++;
	}
	EXPECT(caught == 6);

	std::promise<int> promise;
	std::thread giver([&] { promise.set_value(11); });
	EXPECT(promise.get_future().get() == 11);
	giver.join();

	bool is_set = false;
	std::thread setter([&] {
		std::this_thread::sleep_for(std::chrono::microseconds(50));
		std::lock_guard<std::mutex> lock(m);
		is_set = true;
		ready.notify_all();
	});
	{
		std::unique_lock<std::mutex> lock(m);
		ready.wait(lock, [&] { return is_set; });
		EXPECT(ready.wait_for(lock, std::chrono::milliseconds(2)) == std::cv_status::timeout);
	}
	setter.join();

	std::atomic<int> turn{0};
	std::thread waiter([&] {
		turn.wait(0);
		turn = 2;
		turn.notify_all();
	});
	turn = 1;
	turn.notify_all();
	turn.wait(1);
	EXPECT(turn == 2);
	waiter.join();

	std::vector<int> numbers(5000);
	for (size_t i = 0; i < numbers.size(); i++)
		numbers[i] = (int)(i * 7919 % 5003);
	std::sort(numbers.begin(), numbers.end());
	EXPECT(std::is_sorted(numbers.begin(), numbers.end()));
	EXPECT(std::thread::hardware_concurrency() > 0);
	puts("cxx: all right");
	return 0;
}
