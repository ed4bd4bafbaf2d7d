/* A step of AdamW by threads: the input and the check of the CUDA program, parameters shared out. */
#include "adamw/host.h"
#include "common/jobs.h"

enum { WHO = 1 };
static const struct workload_count counts[] = {ADAMW_COUNTS, WORKLOAD_WHO};

static void job_make(void *job, const struct workload_options *options)
{
	*(struct adamw *)job = adamw_make(options);
	adamw_input(job);
}

static void job_part(void *job, const struct workload_part *part)
{
	const struct adamw a = *(struct adamw *)job; /* on the team's stack */
	const size_t begin = workload_part_begin(part, a.count), end = workload_part_end(part, a.count);

#pragma omp parallel for
	for (size_t i = begin; i < end; i++)
		adamw_update(&a.arrays[ADAMW_VALUES][i], &a.arrays[ADAMW_MEANS][i], &a.arrays[ADAMW_SQUARES][i],
			     a.arrays[ADAMW_GRADIENTS][i], a.mean_correction, a.square_correction);
}

static bool job_check(const void *job, const struct workload_options *options)
{
	return adamw_check(job, options);
}

static void job_free(void *job)
{
	adamw_free(job);
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {"adamw-omp", "A step of the optimiser AdamW, by threads.",
						    "524,288 parameters", "16,777,216 parameters"};
	static const struct job_kind kind = {sizeof(struct adamw), job_make, job_part, job_check, job_free};
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	const bool right = jobs_do(&kind, o, WHO, (ADAMW_ARRAYS + ADAMW_ARRAYS - 1.0) * o.counts[0] * sizeof(float));

	return workload_finish(right, "%u parameters", o.counts[0]);
}
