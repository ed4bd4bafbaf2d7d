/* device.c - an OpenACC program's steps on the device, its arrays copied there and back. */
#include "acc/grid.h"

#include <openacc.h>

void device_open(void)
{
	acc_init(acc_device_nvidia);
}

void device_steps(const struct acc_program *p, struct acc_grid *g, float **a, unsigned int step_count)
{
	const size_t bytes = (size_t)g->count * sizeof(float);

	for (unsigned int n = 0; n < p->array_count; n++)
		acc_copyin(a[n], bytes);
	grid_steps(p, g, a, step_count, true);
	for (unsigned int n = 0; n < p->array_count; n++)
		acc_copyout(a[n], bytes);
}
