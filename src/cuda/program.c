/* program.c - decoded programs of kernels, compiled for as many registers as launch bounds and options promise, or as
 * fit the launch.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "cuda/driver.h"

static uint64_t warps_of(uint64_t threads)
{
	return (threads + SIMT_LANES - 1) / SIMT_LANES;
}

/* Registers that .maxntid, .reqntid and .minnctapersm leave a thread. More CTAs than an SM can hold for other reasons
 * are no promise: the directive is ignored then, as ptxas does. */
static uint32_t launch_bound(const struct device *d, const struct ptx_func *f)
{
	const struct device_traits *t = &d->traits;
	const uint32_t *n = f->reqntid[0] ? f->reqntid : f->maxntid;
	uint64_t threads = 1, ctas = f->minnctapersm ? f->minnctapersm : 1;

	if (!n[0])
		return SIMT_REGISTER_MAX;
	for (uint32_t i = 0; i < 3 && threads <= t->thread_count; i++)
		threads *= n[i] ? n[i] : 1;
	if (ctas > t->cta_count || ctas * threads > t->thread_count || ctas * warps_of(threads) > t->warp_count)
		ctas = 1;
	return d->ops->registers_per_thread(d, ctas * warps_of(threads));
}

static struct simt_register_bounds bounds_of(const struct CUfunc_st *f)
{
	const struct device *d = cuda_driver.run.device;
	const uint64_t warps = warps_of(d->traits.thread_count);
	uint32_t max = launch_bound(d, f->func);

	if (f->func->maxnreg)
		max = MIN(max, f->func->maxnreg);
	if (f->register_max)
		max = MIN(max, f->register_max);
	return (struct simt_register_bounds){
	    d->ops->registers_per_thread(d, MIN(warps, d->traits.warp_count)), max};
}

static void build(struct CUfunc_st *f)
{
	const struct simt_register_bounds bounds = bounds_of(f);
	struct base_diag_list diag;

	base_diag_init(&diag);
	f->program = simt_program_build(f->module->simt, f->func->name, cuda_driver.isa, &bounds, &diag);
	if (!f->program) {
		f->has_failed_build = true;
		f->refusal = diag.first ? g_strdup(diag.first->text) : NULL;
		machine_print_diag(&diag);
	}
	base_diag_free(&diag);
	if (f->program && !f->register_max && f->program->needed_count > bounds.max)
		machine_message("kernel %s: spilling reaches %u registers per thread, not the bound of %u; SMs hold "
				"CTAs as for %u", f->func->name, f->program->needed_count, bounds.max,
				f->program->slot_count);
}

struct simt_program *cuda_function_program(struct CUfunc_st *f)
{
	if (!f->program && !f->has_failed_build)
		build(f);
	return f->program;
}

void cuda_function_fit(struct CUfunc_st *f, uint32_t threads)
{
	const struct device *d = cuda_driver.run.device;
	const uint32_t fit = d->ops->registers_per_thread(d, warps_of(threads)), before = f->program->slot_count;
	const bool is_first = !f->register_max, was_launched = f->program->guest_data || f->program->is_again;

	if (before <= fit || (f->register_max && f->register_max <= fit))
		return;
	f->register_max = fit ? fit : 1;
	simt_program_free(f->program);
	f->program = NULL;
	build(f);
	CHECK(f->program); /* it was built before */
	f->program->is_again = was_launched;
	if (is_first && f->program->slot_count < before)
		machine_message("kernel %s: %u registers per thread do not fit CTAs of %u threads (sm.register_count = "
				"%llu); it runs with %u, and keeps %u bytes per thread in local memory",
			     f->func->name, before, threads, (unsigned long long)d->traits.register_count,
			     f->program->slot_count, f->program->spill_bytes_per_thread);
}

static bool has_room(const struct device *d, const struct simt_program *p, uint32_t threads)
{
	struct base_diag_list unsaid;
	bool is_good = p->slot_count <= d->ops->registers_per_thread(d, warps_of(threads));

	base_diag_init(&unsaid);
	is_good = is_good && d->ops->ctas_fit(d, p, threads, 0, &unsaid);
	base_diag_free(&unsaid);
	return is_good;
}

/* The program as a launch of so many threads would have it (cuda_function_fit). NULL where it cannot be built. */
static struct simt_program *spilled(const struct CUfunc_st *f, uint32_t threads)
{
	const struct device *d = cuda_driver.run.device;
	struct simt_register_bounds bounds = bounds_of(f);
	struct base_diag_list unsaid;
	struct simt_program *p;

	bounds.max = MIN(bounds.max, MAX(d->ops->registers_per_thread(d, warps_of(threads)), 1));
	base_diag_init(&unsaid);
	p = simt_program_build(f->module->simt, f->func->name, cuda_driver.isa, &bounds, &unsaid);
	base_diag_free(&unsaid);
	return p;
}

uint32_t cuda_function_largest_cta(struct CUfunc_st *f, uint32_t limit)
{
	const struct device *d = cuda_driver.run.device;
	struct simt_program *fewest = NULL;

	if (f->largest_cta)
		return MIN(f->largest_cta, limit);
	if (!has_room(d, f->program, limit))
		fewest = spilled(f, limit);
	f->largest_cta = limit;
	while (f->largest_cta > SIMT_LANES && !has_room(d, fewest ? fewest : f->program, f->largest_cta))
		f->largest_cta = (f->largest_cta - 1) / SIMT_LANES * SIMT_LANES;
	simt_program_free(fewest);
	return f->largest_cta;
}
