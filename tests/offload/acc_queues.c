/* acc_queues.c - async queues: order within one, waits across two, updates and waits as clauses and calls. */
#include <openacc.h>

#include "check.h"

enum { N = 2000, QUEUES = 4 };

static int data[QUEUES][N], joined[N];

static void chains(void)
{
#pragma acc enter data create(data)
	for (int q = 0; q < QUEUES; q++) {
#pragma acc update device(data[q : 1][0 : N]) async(q)
#pragma acc parallel loop present(data) async(q)
		for (int i = 0; i < N; i++)
			data[q][i] += q + 1;
#pragma acc parallel loop present(data) async(q) num_gangs(3)
		for (int i = 0; i < N; i++)
			data[q][i] *= 10;
	}
#pragma acc wait(0, 1)
#pragma acc parallel loop present(data) copyout(joined) async(5) wait(2, 3)
	for (int i = 0; i < N; i++)
		joined[i] = data[0][i] + data[1][i] + data[2][i] + data[3][i];
	for (int q = 0; q < QUEUES; q++) {
#pragma acc update self(data[q : 1][0 : N]) async(q)
	}
#pragma acc wait
#pragma acc exit data delete (data)
	for (int i = 0; i < N; i++) {
		int sum = 0;

		for (int q = 0; q < QUEUES; q++) {
			check_value("queue", q * N + i, data[q][i], 10 * (i % 100 + q + 1));
			sum += data[q][i];
		}
		check_value("joined", i, joined[i], sum);
	}
}

static void calls(void)
{
	int *mine = malloc(N * sizeof(int));

	for (int i = 0; i < N; i++)
		mine[i] = i;
	acc_copyin_async(mine, N * sizeof(int), 7);
#pragma acc parallel loop present(mine[0 : N]) async(7)
	for (int i = 0; i < N; i++)
		mine[i] = N - mine[i];
	acc_wait_async(7, 8);
#pragma acc parallel loop present(mine[0 : N]) async(8)
	for (int i = 0; i < N; i++)
		mine[i] *= 2;
	acc_update_self_async(mine, N * sizeof(int), 8);
	acc_wait(8);
	check_value("acc_async_test", 0, acc_async_test(8) != 0, 1);
	check_value("acc_async_test_all", 0, acc_async_test_all() != 0, 1);
	acc_delete(mine, N * sizeof(int));
	for (int i = 0; i < N; i++)
		check_value("calls", i, mine[i], 2 * (N - i));
	free(mine);
}

int main(void)
{
	for (int q = 0; q < QUEUES; q++)
		for (int i = 0; i < N; i++)
			data[q][i] = i % 100;
	chains();
	calls();
	return check_report("acc_queues");
}
