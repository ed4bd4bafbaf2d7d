/* feed.h - what the drivers of the simulators share: arguments, latencies, the line that is printed. */
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "streams.h"

struct feed {
	struct stream stream;
	uint64_t left, under_way = 0, clock = 0;
	double ck_ns, cpu_s;
	std::vector<uint64_t> latencies; /* of reads, in clocks */
	bool has_next = false;
	uint64_t requests;

	feed(char **argv)
	{
		if (!stream_init(&stream, argv[2], (uint32_t)atoi(argv[4]), (uint32_t)atoi(argv[5]))) {
			fprintf(stderr, "no stream '%s'\n", argv[2]);
			exit(2);
		}
		requests = left = strtoull(argv[3], nullptr, 10);
		ck_ns = atof(argv[6]);
		cpu_s = now();
	}

	static double now()
	{
		struct timespec t;

		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
		return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
	}

	/* Is there a request to offer? It is stream.addr_bytes, stream.is_write. */
	bool wants()
	{
		if (!left || under_way >= stream_window(&stream))
			return false;
		if (!has_next)
			stream_next(&stream);
		has_next = true;
		return true;
	}

	void accepted()
	{
		has_next = false;
		left--;
	}

	void read_done(uint64_t since)
	{
		under_way--;
		latencies.push_back(clock - since);
	}

	void print(const char *simulator)
	{
		double sum = 0, ns = (double)clock * ck_ns;

		cpu_s = now() - cpu_s;
		std::sort(latencies.begin(), latencies.end());
		for (uint64_t l : latencies)
			sum += (double)l;
		printf("%s,%s,%.3f,%.1f,%.1f,%.3f\n", simulator, stream_names[stream.kind],
		       (double)requests * 64 / ns, sum / (double)latencies.size() * ck_ns,
		       (double)latencies[latencies.size() * 99 / 100] * ck_ns, (double)requests / cpu_s / 1e6);
	}
};
