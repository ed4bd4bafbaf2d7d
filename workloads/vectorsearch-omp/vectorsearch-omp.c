/*
 * The vectors with the largest inner products, by threads: the table and the check of the CUDA program.  Each thread
 * has a list of the best of its rows; a team's are put together, and then those of all teams.
 */
#include "common/jobs.h"
#include "vectorsearch/host.h"

#include <string.h>

enum { WHO = VECTORSEARCH_COUNTS_COUNT };
static const struct workload_count counts[] = {VECTORSEARCH_COUNTS, WORKLOAD_WHO};

enum { TEAMS_MAX = 65 };

struct job {
	struct vectorsearch v;
	struct vectorsearch_list (*teams)[VECTORSEARCH_QUERIES_MAX]; /* of each team */
};

static void job_make(void *job, const struct workload_options *options)
{
	struct job *j = job;

	j->v = vectorsearch_make(options);
	j->teams = workload_host_alloc(TEAMS_MAX, sizeof(*j->teams));
}

static void job_free(void *job)
{
	struct job *j = job;

	vectorsearch_free(&j->v);
	free(j->teams);
}

static void list_add(struct vectorsearch_list *to, const struct vectorsearch_list *from)
{
	for (unsigned int i = 0; i < from->count; i++)
		vectorsearch_offer(to, from->score[i], from->row[i]);
}

static void team_search(const struct vectorsearch *v, size_t begin, size_t end, struct vectorsearch_list *found)
{
#pragma omp parallel
	{
		struct vectorsearch_list own[VECTORSEARCH_QUERIES_MAX];

		memset(own, 0, sizeof(own));
#pragma omp for nowait
		for (size_t row = begin; row < end; row++)
			for (unsigned int q = 0; q < v->queries; q++)
				vectorsearch_offer(&own[q], vectorsearch_product(v, (unsigned int)row, q),
						   (uint32_t)row);
#pragma omp critical
		for (unsigned int q = 0; q < v->queries; q++)
			list_add(&found[q], &own[q]);
	}
}

static void job_part(void *job, const struct workload_part *part)
{
	const struct job j = *(struct job *)job; /* on the team's stack */

	team_search(&j.v, workload_part_begin(part, j.v.rows), workload_part_end(part, j.v.rows),
		    j.teams[part->number]);
	workload_part_wait(part);
	if (part->number)
		return;
	for (unsigned int q = 0; q < j.v.queries; q++) {
		for (uint32_t team = 1; team < part->count; team++)
			list_add(&j.teams[0][q], &j.teams[team][q]);
		memcpy(j.v.best + (size_t)q * VECTORSEARCH_BEST, j.teams[0][q].row, sizeof(j.teams[0][q].row));
	}
}

static bool job_check(const void *job, const struct workload_options *options)
{
	(void)options;
	return vectorsearch_check(&((const struct job *)job)->v);
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {"vectorsearch-omp",
						    "The eight vectors with the largest inner products, by threads.",
						    "1 query, 16,384 vectors of 128",
						    "1 query, 1,000,000 vectors of 128"};
	static const struct job_kind kind = {sizeof(struct job), job_make, job_part, job_check, job_free};
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	const double elements = (double)o.counts[VECTORSEARCH_ROWS] * VECTORSEARCH_WIDTH;
	const bool right = jobs_do(&kind, o, WHO, elements * sizeof(float));

	return workload_finish(right, "%u queries, %u vectors", o.counts[VECTORSEARCH_QUERIES],
			       o.counts[VECTORSEARCH_ROWS]);
}
