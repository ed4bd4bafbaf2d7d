/* input.c - what the picture is; built without hooks, for it is no part of what is modelled. */
#include "clean.h"

void picture_input(const struct picture *p, const struct workload_options *o)
{
	const size_t bytes = (size_t)p->side * p->side * sizeof(float);

	workload_input(p->image, bytes);
	workload_input(p->psf, bytes);
	workload_input_number(o->counts[ITERATIONS]);
}
