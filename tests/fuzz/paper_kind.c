/* paper_kind.c - files of papers: what is taken has runs, and numbers that can be asked for without them. */
#include "base/check.h"
#include "mutants.h"
#include "reproduce/described.h"

static void check_paper(const struct reproduce_paper *p)
{
	struct reproduce_data *d = reproduce_data_new(p);

	CHECK(p->config_count && p->config_count <= p->cell_count && p->workload_count && *p->title);
	for (uint32_t i = 0; i < p->row_count; i++)
		p->rows[i].measure(d, &p->rows[i]);
	for (uint32_t i = 0; i < p->chart_count; i++)
		for (uint32_t b = 0; b < p->charts[i].bar_count; b++)
			for (uint32_t g = 0; g < p->charts[i].group_count; g++)
				reproduce_described_number(d, p->charts[i].expressions[b], g);
	reproduce_data_free(d);
}

static bool read_paper(const char *text, size_t bytes)
{
	bool is_taken = true;

	for (uint32_t is_quick = 0; is_quick < 2; is_quick++) {
		const struct reproduce_paper *paper;
		struct base_diag_list diag;

		base_diag_init(&diag);
		paper = reproduce_described_read(mutants_file(text, bytes),
						 is_quick ? EXPERIMENT_QUICK : EXPERIMENT_FULL, &diag);
		CHECK(!paper == (diag.error_count > 0));
		is_taken = is_taken && paper;
		if (paper) {
			check_paper(paper);
			reproduce_described_free(paper);
		}
		base_diag_free(&diag);
	}
	return is_taken;
}

const struct mutants_kind mutants_kind = {.name = "paper", .part_count = 1, .read = read_paper};
