/* team.c - teams of all sizes, after each other and inside of each other, each thread once; with an argument, the time
 * of a region in which nothing is done. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static int region(int count)
{
	int sum = 0, size = 0, wrong = 0, before = 0;

#pragma omp parallel num_threads(count) reduction(+ : sum) reduction(+ : wrong)
	{
		const int team = omp_get_num_threads();

		sum += omp_get_thread_num() + 1;
#pragma omp single
		size = team;
		for (int i = 1; i <= 3; i++) {
#pragma omp atomic
			before++;
#pragma omp barrier
			wrong += before != i * team;
#pragma omp barrier
		}
	}
	return wrong + (size != count) + (sum != count * (count + 1) / 2);
}

static double empty_us(int count)
{
	enum { TIMES = 4 };
	double begin = 0;

	for (int i = 0; i <= TIMES; i++) {
		if (i == 1)
			begin = omp_get_wtime();
#pragma omp parallel num_threads(count)
		__asm__ volatile("" ::: "memory");
	}
	return (omp_get_wtime() - begin) * 1e6 / TIMES;
}

int main(int argc, char **argv)
{
	static const int sizes[] = {1, 2, 7, 8, 9, 63, 64, 65, 73, 100, 3, 66, 1, 101};
	int wrong = 0;

	if (argc > 1) {
		printf("%.0f\n", empty_us(atoi(argv[1])));
		return 0;
	}
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		wrong += region(sizes[i]);
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(9) reduction(+ : wrong)
	wrong += region(omp_get_thread_num() % 4 + 1);
	if (wrong)
		printf("%d wrong\n", wrong);
	return wrong != 0;
}
