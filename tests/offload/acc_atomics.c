/* acc_atomics.c - atomic updates, captures, reads and writes from many gangs; where the code runs. */
#include <openacc.h>

#include "check.h"

enum { N = 6000, BINS = 16 };

static int key[N], slot[N], taken[N];
static int bins[BINS];
static float weights[BINS];
static double total;

static void histogram(void)
{
#pragma acc parallel loop num_gangs(20) num_workers(4) copyin(key) copy(bins, weights, total)
	for (int i = 0; i < N; i++) {
#pragma acc atomic update
		bins[key[i]]++;
#pragma acc atomic
		weights[key[i]] += 0.5f;
#pragma acc atomic
		total += key[i];
	}
	double sum = 0;
	int count[BINS] = {0};

	for (int i = 0; i < N; i++) {
		count[key[i]]++;
		sum += key[i];
	}
	for (int k = 0; k < BINS; k++) {
		check_value("bin", k, bins[k], count[k]);
		check_value("weight", k, weights[k], 0.5 * count[k]);
	}
	check_value("total", 0, total, sum);
}

/* Every iteration takes a number of its own. */
static void tickets(void)
{
	int next = 0, last = -1, biggest = 0;

#pragma acc parallel loop copy(next, biggest) copyout(slot)
	for (int i = 0; i < N; i++) {
		int mine;

#pragma acc atomic capture
		mine = next++;
		slot[i] = mine;
		if (mine == N - 1) {
#pragma acc atomic write
			biggest = mine;
		}
	}
#pragma acc parallel copyin(biggest) copyout(last) num_gangs(1) vector_length(32)
	{
#pragma acc atomic read
		last = biggest;
	}
	check_value("tickets", 0, next, N);
	check_value("last ticket", 0, last, N - 1);
	for (int i = 0; i < N; i++)
		taken[slot[i]]++;
	for (int i = 0; i < N; i++)
		check_value("ticket", i, taken[i], 1);
}

static void on_device(void)
{
	int where = 0;

#pragma acc parallel copyout(where) num_gangs(1) vector_length(32)
	where = acc_on_device(acc_device_nvidia) ? 2 : 1;
	check_value("on the device", 0, where, 2);
}

int main(void)
{
	for (int i = 0; i < N; i++)
		key[i] = (i * i + 3 * i) % 61 % BINS;
	histogram();
	tickets();
	on_device();
	return check_report("acc_atomics");
}
