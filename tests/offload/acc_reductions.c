/* acc_reductions.c - every reduction operator, over gangs, workers, vectors and all of them. */
#include "check.h"

enum { N = 4001 };

static int value[N];
static double real[N];

static void integers(void)
{
	long sum = 100, sum_host = 100;
	int low = 1 << 30, high = -(1 << 30), low_host = low, high_host = high;
	unsigned all = ~0u, any = 0, odd = 0, all_host = ~0u, any_host = 0, odd_host = 0;
	int every = 1, some = 0;

#pragma acc parallel loop gang worker vector num_gangs(12) num_workers(4) copyin(value) \
	reduction(+ : sum) reduction(min : low) reduction(max : high) reduction(& : all) \
	reduction(| : any) reduction(^ : odd)
	for (int i = 0; i < N; i++) {
		sum += value[i];
		low = value[i] < low ? value[i] : low;
		high = value[i] > high ? value[i] : high;
		all &= (unsigned)value[i] | 0xf0;
		any |= (unsigned)value[i];
		odd ^= (unsigned)value[i];
	}
#pragma acc parallel loop num_gangs(20) copyin(value) reduction(&& : every) reduction(|| : some)
	for (int i = 0; i < N; i++) {
		every = every && value[i] > -5000;
		some = some || value[i] == 3;
	}
	for (int i = 0; i < N; i++) {
		sum_host += value[i];
		low_host = value[i] < low_host ? value[i] : low_host;
		high_host = value[i] > high_host ? value[i] : high_host;
		all_host &= (unsigned)value[i] | 0xf0;
		any_host |= (unsigned)value[i];
		odd_host ^= (unsigned)value[i];
	}
	check_value("sum", 0, (double)sum, (double)sum_host);
	check_value("min", 0, low, low_host);
	check_value("max", 0, high, high_host);
	check_value("and", 0, all, all_host);
	check_value("or", 0, any, any_host);
	check_value("xor", 0, odd, odd_host);
	check_value("every", 0, every, 1);
	check_value("some", 0, some, 1);
}

static void floats(void)
{
	double sum = 0, sum_host = 0, high = -1e30, high_host = -1e30, product = 1, product_host = 1;
	float single = 0, single_host = 0;

#pragma acc parallel loop num_gangs(20) copyin(real) reduction(+ : sum, single) \
	reduction(max : high) reduction(* : product)
	for (int i = 0; i < N; i++) {
		sum += real[i];
		single += (float)real[i];
		high = real[i] > high ? real[i] : high;
		product *= i % 100 ? 1.0 : 1.25;
	}
	for (int i = 0; i < N; i++) {
		sum_host += real[i];
		single_host += (float)real[i];
		high_host = real[i] > high_host ? real[i] : high_host;
		product_host *= i % 100 ? 1.0 : 1.25;
	}
	check_near("sum of doubles", 0, sum, sum_host, 1e-12);
	check_near("sum of floats", 0, single, single_host, 1e-4);
	check_value("largest double", 0, high, high_host);
	check_near("product", 0, product, product_host, 1e-12);
}

/* A sum per gang over workers and vectors, and a sum per worker over a vector. */
static void levels(void)
{
	static int row_sum[40], part_sum[40][4];

#pragma acc parallel num_gangs(10) num_workers(4) vector_length(32) copyin(value) copyout(row_sum, part_sum)
	{
#pragma acc loop gang
		for (int row = 0; row < 40; row++) {
			int sum = 0;

#pragma acc loop worker vector reduction(+ : sum)
			for (int k = 0; k < 100; k++)
				sum += value[row * 100 + k];
			row_sum[row] = sum;
#pragma acc loop worker
			for (int part = 0; part < 4; part++) {
				int some = 0;

#pragma acc loop vector reduction(+ : some)
				for (int k = 0; k < 25; k++)
					some += value[row * 100 + part * 25 + k];
				part_sum[row][part] = some;
			}
		}
	}
	for (int row = 0; row < 40; row++) {
		int sum = 0;

		for (int part = 0; part < 4; part++) {
			int some = 0;

			for (int k = 0; k < 25; k++)
				some += value[row * 100 + part * 25 + k];
			check_value("sum of a part", row * 4 + part, part_sum[row][part], some);
			sum += some;
		}
		check_value("sum of a row", row, row_sum[row], sum);
	}
}

int main(void)
{
	for (int i = 0; i < N; i++) {
		value[i] = (i * 7919) % 2003 - 1000;
		real[i] = 0.5 * value[i] + 0.125;
	}
	value[17] = 3;
	integers();
	floats();
	levels();
	return check_report("acc_reductions");
}
