/* gpu_profile.c - the profile among the results. */
#include "machine/gpu_profile.h"

#include "machine/json.h"
#include "machine/parts.h"
#include "ndp/profile.h"

void *machine_gpu_profile_build(struct machine *m)
{
	struct ndp_profile *p;
	struct gpu_observer observer;

	if (!machine_run_params(m->config)->profile)
		return NULL;
	p = ndp_profile_new(machine_gpu(m), machine_gpu_config(m->config));
	observer = ndp_profile_observer(p);
	gpu_observe(machine_gpu(m), &observer);
	return p;
}

void machine_gpu_profile_free(void *built)
{
	ndp_profile_free(built);
}

static json_t *block_json(const struct ndp_profile_block *b)
{
	json_t *o = json_object();

#define X(name, what) put_int(o, #name, b->name);
	NDP_PROFILE_BLOCK(X)
#undef X
	return o;
}

static json_t *arrays_json(const struct ndp_lockstep_counts *a)
{
	json_t *o = json_object();

#define X(name, what) put_int(o, #name, a->name);
	NDP_LOCKSTEP(X)
#undef X
	return o;
}

static json_t *kernel_json(const struct ndp_profile_kernel *k)
{
	json_t *o = json_object();

	put_text(o, "name", k->name);
#define X(name, what) put_int(o, #name, k->name);
	NDP_PROFILE_KERNEL(X)
#undef X
	json_object_set_new(o, "tom", block_json(&k->tom));
	json_object_set_new(o, "nsu", block_json(&k->nsu));
	json_object_set_new(o, "arrays", arrays_json(&k->arrays));
	return o;
}

void machine_gpu_profile_result(const struct ndp_profile *p, json_t *o, json_t *units)
{
	json_t *kernels;

	if (!p)
		return;
	kernels = json_array();
	for (uint32_t i = 0; ndp_profile_kernel(p, i); i++)
		json_array_append_new(kernels, kernel_json(ndp_profile_kernel(p, i)));
	json_object_set_new(o, "profile", kernels);
	put_text(units, "profile", "counts; *_bytes: bytes");
}
