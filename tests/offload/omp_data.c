/* omp_data.c - target data, enter and exit, updates, declare target variables and functions, device memory, nowait. */
#include <omp.h>

#include "check.h"

enum { N = 2500 };

#pragma omp declare target
static int offset = 4;
static int table[64];
static int calls;

static int shifted(int x)
{
#pragma omp atomic
	calls++;
	return x + offset;
}
#pragma omp end declare target

static int x[N], y[N];

static void regions(void)
{
	for (int i = 0; i < N; i++)
		x[i] = i;
#pragma omp target data map(to : x) map(from : y)
	{
#pragma omp target teams distribute parallel for num_teams(4)
		for (int i = 0; i < N; i++)
			y[i] = x[i] * 2;
		for (int i = 0; i < N; i++)
			x[i] = -i;
#pragma omp target update to(x [0:N / 2])
#pragma omp target teams distribute parallel for num_teams(3)
		for (int i = 0; i < N; i++)
			y[i] += x[i];
#pragma omp target update from(y [10:5])
		check_value("update from", 12, y[12], 12);
	}
	for (int i = 0; i < N; i++)
		check_value("target data", i, y[i], i < N / 2 ? i : 3 * i);
}

static void declared(void)
{
	int sum = 0;

	offset = 11;
	for (int i = 0; i < 64; i++)
		table[i] = i * i;
#pragma omp target update to(offset, table)
#pragma omp target teams distribute parallel for num_teams(5) map(tofrom : sum) reduction(+ : sum)
	for (int i = 0; i < 640; i++) {
		sum += shifted(table[i % 64]);
		if (i < 64)
			table[i] = -1;
	}
#pragma omp target update from(calls, offset)
	check_value("calls", 0, calls, 640);
	check_value("offset", 0, offset, 11);
	(void)sum;
}

static void unstructured(void)
{
	int *p = malloc(N * sizeof(int));

	for (int i = 0; i < N; i++)
		p[i] = 7;
#pragma omp target enter data map(to : p[0 : N])
	for (int k = 0; k < 3; k++) {
#pragma omp target teams distribute parallel for num_teams(2) map(alloc : p[0 : N])
		for (int i = 0; i < N; i++)
			p[i] += i + k;
	}
	check_value("present", 0, omp_target_is_present(p, omp_get_default_device()), 1);
#pragma omp target exit data map(from : p[0 : N])
	check_value("present after", 0, omp_target_is_present(p, omp_get_default_device()), 0);
	for (int i = 0; i < N; i++)
		check_value("enter data", i, p[i], 7 + 3 * i + 3);
	free(p);
}

static void pointers(void)
{
	int device = omp_get_default_device(), host = omp_get_initial_device();
	int *p = omp_target_alloc(N * sizeof(int), device);

	for (int i = 0; i < N; i++)
		x[i] = 5 * i;
	check_value("memcpy to", 0, omp_target_memcpy(p, x, N * sizeof(int), 0, 0, device, host), 0);
#pragma omp target teams distribute parallel for is_device_ptr(p) num_teams(3)
	for (int i = 0; i < N; i++)
		p[i]++;
	check_value("memcpy from", 0, omp_target_memcpy(y, p, N * sizeof(int), 0, 0, host, device), 0);
	omp_target_free(p, device);
	for (int i = 0; i < N; i++)
		check_value("is_device_ptr", i, y[i], 5 * i + 1);
}

/* Two regions that the host does not wait for, in the order that their dependences give. */
static void deferred(void)
{
	int first = 0, second = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp target map(tofrom : first) depend(out : first) nowait
		first = 21;
#pragma omp target map(to : first) map(from : second) depend(in : first) depend(out : second) nowait
		second = 2 * first;
#pragma omp taskwait
	}
	check_value("nowait, first", 0, first, 21);
	check_value("nowait, second", 0, second, 42);
}

int main(void)
{
	check_value("devices", 0, omp_get_num_devices(), 1);
	regions();
	declared();
	unstructured();
	pointers();
	deferred();
	return check_report("omp_data");
}
