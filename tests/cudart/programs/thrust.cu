// The algorithms of Thrust, as nvcc ships it, against loops on the host.
#include <thrust/adjacent_difference.h>
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/merge.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/unique.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "program.h"

enum { N = 5003 };

struct is_odd {
	__host__ __device__ bool operator()(int x) const { return x & 1; }
};

struct add_seven {
	__device__ void operator()(int &x) const { x += 7; }
};

/* Not one of the orders for which Thrust has a radix sort: a merge sort. */
struct by_last_digit {
	__host__ __device__ bool operator()(int a, int b) const { return a % 10 < b % 10; }
};

using device = thrust::device_vector<int>;
using host = std::vector<int>;

static host host_of(const device &d, size_t count)
{
	host h(count);

	thrust::copy(d.begin(), d.begin() + count, h.begin());
	return h;
}

static void reductions(const host &h, const device &d)
{
	CHECK(thrust::reduce(d.begin(), d.end()) == std::accumulate(h.begin(), h.end(), 0));
	CHECK(thrust::count_if(d.begin(), d.end(), is_odd()) == std::count_if(h.begin(), h.end(), is_odd()));
	CHECK(thrust::max_element(d.begin(), d.end()) - d.begin() == std::max_element(h.begin(), h.end()) - h.begin());
	CHECK(thrust::inner_product(d.begin(), d.end(), d.begin(), 0) ==
	      std::inner_product(h.begin(), h.end(), h.begin(), 0));
}

static void scans(const host &h, const device &d)
{
	device out(N);
	host expected(N);

	thrust::inclusive_scan(d.begin(), d.end(), out.begin());
	std::partial_sum(h.begin(), h.end(), expected.begin());
	CHECK(host_of(out, N) == expected);
	thrust::exclusive_scan(d.begin(), d.end(), out.begin(), 5);
	for (int i = 0, sum = 5; i < N; sum += h[i++])
		expected[i] = sum;
	CHECK(host_of(out, N) == expected);
	thrust::adjacent_difference(d.begin(), d.end(), out.begin());
	std::adjacent_difference(h.begin(), h.end(), expected.begin());
	CHECK(host_of(out, N) == expected);
}

static void sorts(const host &h, const device &d)
{
	device keys = d, values(N);
	host expected = h;

	thrust::sort(keys.begin(), keys.end());
	std::sort(expected.begin(), expected.end());
	CHECK(host_of(keys, N) == expected);

	keys = d;
	thrust::stable_sort(keys.begin(), keys.end(), by_last_digit());
	expected = h;
	std::stable_sort(expected.begin(), expected.end(), by_last_digit());
	CHECK(host_of(keys, N) == expected);

	keys = d;
	thrust::sequence(values.begin(), values.end());
	thrust::sort_by_key(keys.begin(), keys.end(), values.begin(), thrust::greater<int>());

	host sorted = host_of(keys, N), place = host_of(values, N);

	for (int i = 0; i < N; i++)
		CHECK(h[place[i]] == sorted[i] && (!i || sorted[i - 1] >= sorted[i]));
}

static void selections(const host &h, const device &d)
{
	device out(N), keys = d;
	host expected;

	size_t count = thrust::copy_if(d.begin(), d.end(), out.begin(), is_odd()) - out.begin();
	std::copy_if(h.begin(), h.end(), std::back_inserter(expected), is_odd());
	CHECK(host_of(out, count) == expected);

	size_t odd = thrust::stable_partition(keys.begin(), keys.end(), is_odd()) - keys.begin();
	expected = h;
	CHECK((long)odd == std::stable_partition(expected.begin(), expected.end(), is_odd()) - expected.begin());
	CHECK(host_of(keys, N) == expected);

	keys = d;
	thrust::sort(keys.begin(), keys.end());
	expected = host_of(keys, N);
	count = thrust::unique(keys.begin(), keys.end()) - keys.begin();
	expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
	CHECK(host_of(keys, count) == expected);
}

/* Of sorted ranges: merging, sets, searching, sums of equal keys. */
static void sorted_ranges(const device &d)
{
	device a(d.begin(), d.begin() + N / 2), b(d.begin() + N / 2, d.end()), out(N), found(N), sums(N);

	thrust::sort(a.begin(), a.end());
	thrust::sort(b.begin(), b.end());

	host x = host_of(a, a.size()), y = host_of(b, b.size()), expected(N);

	thrust::merge(a.begin(), a.end(), b.begin(), b.end(), out.begin());
	std::merge(x.begin(), x.end(), y.begin(), y.end(), expected.begin());
	CHECK(host_of(out, N) == expected);

	thrust::lower_bound(a.begin(), a.end(), b.begin(), b.end(), found.begin());
	for (size_t i = 0; i < y.size(); i++)
		expected[i] = (int)(std::lower_bound(x.begin(), x.end(), y[i]) - x.begin());
	expected.resize(y.size());
	CHECK(host_of(found, y.size()) == expected);

	size_t keys = thrust::reduce_by_key(a.begin(), a.end(), thrust::constant_iterator<int>(1), out.begin(),
					    sums.begin()).first - out.begin();
	host key = host_of(out, keys), sum = host_of(sums, keys);

	for (size_t i = 0; i < keys; i++)
		CHECK(std::count(x.begin(), x.end(), key[i]) == sum[i]);

	size_t common = thrust::set_intersection(a.begin(), a.end(), b.begin(), b.end(), out.begin()) - out.begin();
	expected.clear();
	std::set_intersection(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(expected));
	CHECK(host_of(out, common) == expected);
}

static void transforms(const host &h, const device &d)
{
	device out(N);
	host expected(N);

	thrust::transform(d.begin(), d.end(), d.begin(), out.begin(), thrust::multiplies<int>());
	thrust::for_each(out.begin(), out.end(), add_seven());
	for (int i = 0; i < N; i++)
		expected[i] = h[i] * h[i] + 7;
	CHECK(host_of(out, N) == expected);
}

int main()
{
	unsigned int seed = 17;
	host h(N);

	for (int &x : h)
		x = (int)(next_random(&seed) >> 20);

	device d(h.begin(), h.end());

	reductions(h, d);
	scans(h, d);
	sorts(h, d);
	selections(h, d);
	sorted_ranges(d);
	transforms(h, d);
	return 0;
}
