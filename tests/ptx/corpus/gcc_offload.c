/* gcc_offload.c - source of gcc_openacc.ptx (gcc 12 -O2 -fopenacc) and gcc_openmp.ptx (-fopenmp), nvptx back end. */
#include <math.h>
struct P { double x, y; int n; };
static int fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }
double dot(int n, const double *a, const double *b, float *c, struct P *p)
{
	double s = 0;
#pragma acc parallel loop reduction(+:s) copyin(a[0:n], b[0:n]) copy(c[0:n])
	for (int i = 0; i < n; i++) {
		s += a[i] * b[i];
		c[i] = (float)(fact(i & 7)) / (c[i] + 1.0f) + copysignf(c[i], -1.0f);
	}
#pragma omp target teams distribute parallel for reduction(+:s) map(to: a[0:n]) map(tofrom: p[0:n])
	for (int i = 0; i < n; i++) {
		switch (p[i].n) { case 0: p[i].x = a[i]; break; case 1: p[i].y = a[i]; break; case 2: p[i].x++; break; case 3: p[i].n = 7; break; case 5: p[i].y = -1; break; default: s += p[i].x; }
	}
	return s;
}
