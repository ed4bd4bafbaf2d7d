/* acc_data.c - data regions and the run-time's memory calls: presence, parts of arrays, structures, raw pointers. */
#include <openacc.h>

#include "check.h"

enum { N = 1500 };

struct particle {
	double x, v;
	int hits;
};

static struct particle particles[N];
static int whole[N];

static void step(struct particle *p, int n, double dt)
{
#pragma acc parallel loop present(p[0 : n])
	for (int i = 0; i < n; i++) {
		p[i].x += p[i].v * dt;
		if (p[i].x > 10) {
			p[i].x = 20 - p[i].x;
			p[i].v = -p[i].v;
			p[i].hits++;
		}
	}
}

static void regions(void)
{
	for (int i = 0; i < N; i++)
		particles[i] = (struct particle){i % 10, 1 + i % 3, 0};
#pragma acc data copy(particles)
	{
		check_value("present", 0, acc_is_present(particles, sizeof(particles)) != 0, 1);
		for (int k = 0; k < 8; k++)
			step(particles, N, 0.5);
	}
	check_value("present after", 0, acc_is_present(particles, sizeof(particles)) != 0, 0);
	for (int i = 0; i < N; i++) {
		struct particle p = {i % 10, 1 + i % 3, 0};

		for (int k = 0; k < 8; k++) {
			p.x += p.v * 0.5;
			if (p.x > 10) {
				p.x = 20 - p.x;
				p.v = -p.v;
				p.hits++;
			}
		}
		check_value("x", i, particles[i].x, p.x);
		check_value("hits", i, particles[i].hits, p.hits);
	}
}

/* Only the middle travels; the host sees the device's values when it asks. */
static void parts(void)
{
	for (int i = 0; i < N; i++)
		whole[i] = i;
#pragma acc enter data copyin(whole[500 : 400])
#pragma acc parallel loop present(whole[500 : 400])
	for (int i = 500; i < 900; i++)
		whole[i] = -i;
	check_value("host's own", 600, whole[600], 600);
#pragma acc update self(whole[600 : 100])
	check_value("updated", 650, whole[650], -650);
	check_value("not updated", 750, whole[750], 750);
#pragma acc exit data copyout(whole[500 : 400])
	for (int i = 0; i < N; i++)
		check_value("parts", i, whole[i], i >= 500 && i < 900 ? -i : i);
}

/* Device memory by hand, and the device's address of a host array. */
static void pointers(void)
{
	int *device = acc_malloc(N * sizeof(int)), back[N];
	int if_false = 0;

	acc_memcpy_to_device(device, whole, N * sizeof(int));
#pragma acc parallel loop deviceptr(device)
	for (int i = 0; i < N; i++)
		device[i] += 1;
	acc_memcpy_from_device(back, device, N * sizeof(int));
	acc_free(device);
	for (int i = 0; i < N; i++)
		check_value("deviceptr", i, back[i], whole[i] + 1);
#pragma acc data copyin(whole)
	{
		void *seen = NULL;

#pragma acc host_data use_device(whole)
		seen = whole;
		check_value("host_data", 0, seen == acc_deviceptr(whole) && seen != (void *)whole, 1);
		check_value("acc_hostptr", 0, acc_hostptr(acc_deviceptr(whole)) == (void *)whole, 1);
	}
#pragma acc parallel loop if (if_false) copy(back)
	for (int i = 0; i < N; i++)
		back[i] = acc_on_device(acc_device_host);
	for (int i = 0; i < N; i++)
		check_value("if", i, back[i], 1);
}

int main(void)
{
	check_value("devices", 0, acc_get_num_devices(acc_device_nvidia), 1);
	regions();
	parts();
	pointers();
	return check_report("acc_data");
}
