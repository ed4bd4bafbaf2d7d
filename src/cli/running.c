/* running.c - sums over the live files of a batch's jobs. */
#include "cli/running.h"

#include "cli/keep.h"
#include "cli/live.h"
#include "report/report.h"
#include "report/runs.h"

#include <glib.h>

static const double unknown = -1, most = 0.99;

void cli_running_ended(struct cli_job *job)
{
	job->work = report_number(job->result, "thread_instructions", NULL);
}

/* Instructions of the job's program; unknown or 0: nobody knows. */
static double work_of(struct cli_job *job, const struct cli_job *jobs, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (jobs[i].is_done && jobs[i].target == job->target && jobs[i].work > 0)
			return jobs[i].work;
	if (job->work == 0)
		job->work =
		    report_runs_instructions(cli_store_path(), job->target->name, cli_target_arguments(job->target));
	if (job->work <= 0)
		job->work = unknown;
	return job->work;
}

void cli_running_look(struct cli_job *jobs, uint32_t count, struct cli_running *out)
{
	*out = (struct cli_running){0};
	for (uint32_t i = 0; i < count; i++) {
		json_t *processes, *process;
		double instructions = 0, work;
		size_t at;

		if (!jobs[i].pid || jobs[i].is_done)
			continue;
		processes = json_array();
		cli_live_read_job(jobs[i].session_path, processes);
		json_array_foreach(processes, at, process) {
			instructions += report_number(process, "instructions", NULL);
			out->instructions_per_s += report_number(process, "instructions_per_s", NULL);
		}
		json_decref(processes);
		work = work_of(&jobs[i], jobs, count);
		out->done += work > 0 ? MIN(instructions / work, most) : 0;
	}
}
