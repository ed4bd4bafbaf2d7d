/*
 * A step of AdamW, the optimiser that trains most language models: four streams are read, three are written, and
 * nothing is used twice.  Checked bit for bit, and with the formula in double precision to 1e-6.
 */
#include "common/workload.h"
#include "adamw/host.h"

static const char adamw_ptx[] =
#include WORKLOAD_PTX
	;

static void step_compute(struct adamw *a)
{
	struct workload_gpu gpu = workload_gpu_open(adamw_ptx);
	size_t bytes = a->count * sizeof(float);
	CUdeviceptr arrays[ADAMW_ARRAYS];
	void *params[] = {&arrays[ADAMW_VALUES], &arrays[ADAMW_MEANS], &arrays[ADAMW_SQUARES], &arrays[ADAMW_GRADIENTS],
			  &a->count, &a->mean_correction, &a->square_correction};

	for (unsigned int array = 0; array < ADAMW_ARRAYS; array++)
		arrays[array] = workload_device_copy(a->arrays[array], bytes);
	workload_launch(workload_gpu_kernel(&gpu, "adamw_step"),
			(struct workload_dim){workload_ctas(a->count / ADAMW_LANE, ADAMW_BLOCK_THREADS), 1, 1},
			(struct workload_dim){ADAMW_BLOCK_THREADS, 1, 1}, params);
	for (unsigned int array = 0; array < ADAMW_ARRAYS; array++) {
		WORKLOAD_CUDA(cuMemcpyDtoH(a->arrays[array], arrays[array], bytes));
		WORKLOAD_CUDA(cuMemFree(arrays[array]));
	}
	workload_gpu_close(&gpu);
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {"adamw", "A step of the optimiser AdamW.", "524,288 parameters",
						    "16,777,216 parameters"};
	static const struct workload_count counts[] = {ADAMW_COUNTS};
	struct workload_options options = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct adamw a = adamw_make(&options);
	bool right;

	adamw_input(&a);
	step_compute(&a);
	right = adamw_check(&a, &options);
	adamw_free(&a);
	return workload_finish(right, "%u parameters", a.count);
}
