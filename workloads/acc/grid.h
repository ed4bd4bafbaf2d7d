/*
 * What the OpenACC programs share: a grid in x, y and z (fastest first), its arrays, the sweeps over it on the device
 * and again on the host, and the comparison of both, bit for bit.  The programs are those of Duality Cache's
 * Table 3, which names PathScale's test suite; the stencils here are ours, of the kind that their names say.
 *
 * A program's sweep is written once: its `if` clause says whether the device or the host does it.  Gangs are of 256
 * threads, as many as a bank of Duality Cache has lanes.  Built with OpenMP in place of OpenACC the device is the
 * host's processors, a thread each, which takes rows of points.
 */
#ifndef ACC_GRID_H
#define ACC_GRID_H

#include "common/program.h"

#ifdef _OPENMP
#define ACC_NAME(name) "acc-" name "-omp"
#else
#define ACC_NAME(name) name
#endif

enum { ACC_ARRAYS_MAX = 8, ACC_HALO = 2 };

struct acc_grid {
	int nx, ny, nz;	      /* points, ACC_HALO at each border included; nz is 1 in 2D */
	int row, plane, count; /* from a point to the next in y, in z; points in all */
	int gangs;	       /* of 256 points */
	unsigned int step;     /* of time, from 0 on */
	bool is_reuse;	       /* its variant */
};

struct acc_program {
	struct workload_about about;
	unsigned int dimensions, array_count;
	/* One step of time, on the device or not; which of the arrays are read and which are written is its own. */
	void (*sweep)(const struct acc_grid *g, float *const *a, bool on_device);
	/* The same, `--variant reuse`: what threads share is loaded once and used in a loop of fixed length, by as many
	 * threads as that leaves (Duality Cache, section 5.4).  The host's results are those of sweep.  NULL: there is
	 * none. */
	void (*reuse)(const struct acc_grid *g, float *const *a, bool on_device);
};

/* Runs the program's steps on the device, then on the host, and compares all arrays.  Returns the exit status. */
int acc_main(const struct acc_program *program, int argc, char **argv);

/* grid.c, for device.c and threads.c: so many steps of time. */
void grid_steps(const struct acc_program *p, struct acc_grid *g, float **a, unsigned int step_count, bool on_device);

/* device.c with OpenACC, threads.c with OpenMP. */
void device_open(void); /* before anything else */
void device_steps(const struct acc_program *p, struct acc_grid *g, float **a, unsigned int step_count);

#endif
