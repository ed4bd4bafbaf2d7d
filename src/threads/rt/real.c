/* real.c - the functions of the C library behind those that the runtime interposes. */
#include "threads/rt/rt.h"

#include <dlfcn.h>

void *rt_real(const char *name)
{
	bool was = rt_in_model;
	void *f;

	rt_in_model = true;
	f = dlsym(RTLD_NEXT, name);
	rt_in_model = was;
	return f;
}
