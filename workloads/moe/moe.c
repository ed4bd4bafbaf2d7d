/*
 * A layer of experts of a language model for a few tokens: a router gives each token to its two best experts, each of
 * which is a feed-forward network with weights in half precision; their results are added by their shares.
 *
 * Checked with double precision: scores that decide within 1e-4, results within 1e-3.
 */
#include "common/homes.h"
#include "moe/host.h"

static const char moe_ptx[] =
#include WORKLOAD_PTX
	;

struct moe_device {
	struct workload_gpu gpu;
	CUdeviceptr router, gates, ups, downs, x, chosen, shares, hidden, parts, result;
};

enum { DECLARE = MOE_COUNTS_COUNT, DECLARE_NOTHING = 0, DECLARE_HOMES };

/* What a CTA of the kernels reads of an expert's weights has a home: of both upper matrices the rows of one. */
static void homes_declare(const struct moe *m, const struct moe_device *d)
{
	const size_t rows = MOE_BLOCK_THREADS / 32, up_bytes = rows * m->width * sizeof(uint16_t);
	const size_t down_bytes = rows * m->inner * sizeof(uint16_t);
	struct workload_homes homes = {0};

	for (size_t i = 0; i < (size_t)m->experts * (m->inner / rows); i++) {
		workload_home(&homes);
		workload_home_range(&homes, d->gates + i * up_bytes, up_bytes);
		workload_home_range(&homes, d->ups + i * up_bytes, up_bytes);
	}
	for (size_t i = 0; i < (size_t)m->experts * (m->width / rows); i++) {
		workload_home(&homes);
		workload_home_range(&homes, d->downs + i * down_bytes, down_bytes);
	}
	workload_homes_declare(&homes);
}

static struct moe_device device_open(const struct moe *m, bool has_homes)
{
	CUdeviceptr (*copy)(const void *source, size_t bytes) =
		has_homes ? workload_managed_copy : workload_device_copy;
	struct moe_device d = {.gpu = workload_gpu_open(moe_ptx)};
	size_t weights_bytes = m->experts * moe_expert_elements(m) * sizeof(uint16_t);
	size_t slots = (size_t)m->tokens * m->best;

	d.router = workload_device_copy(m->router, (size_t)m->experts * m->width * sizeof(float));
	d.gates = copy(m->gates, weights_bytes);
	d.ups = copy(m->ups, weights_bytes);
	d.downs = copy(m->downs, weights_bytes);
	d.x = workload_device_copy(m->x, (size_t)m->tokens * m->width * sizeof(float));
	d.chosen = workload_device_alloc(slots * sizeof(uint32_t));
	d.shares = workload_device_alloc(slots * sizeof(float));
	d.hidden = workload_device_alloc(slots * m->inner * sizeof(float));
	d.parts = workload_device_alloc(slots * m->width * sizeof(float));
	d.result = workload_device_alloc((size_t)m->tokens * m->width * sizeof(float));
	if (has_homes)
		homes_declare(m, &d);
	return d;
}

static void device_close(struct moe_device *d)
{
	CUdeviceptr all[] = {d->router, d->gates,  d->ups,    d->downs, d->x,
			     d->chosen, d->shares, d->hidden, d->parts, d->result};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		WORKLOAD_CUDA(cuMemFree(all[i]));
	workload_gpu_close(&d->gpu);
}

/* `rows` rows, a warp each, for every token and expert of it. */
static void rows_launch(struct moe_device *d, const char *kernel, unsigned int rows, unsigned int slots, void **params)
{
	workload_launch(workload_gpu_kernel(&d->gpu, kernel),
			(struct workload_dim){workload_ctas(32 * (size_t)rows, MOE_BLOCK_THREADS), slots, 1},
			(struct workload_dim){MOE_BLOCK_THREADS, 1, 1}, params);
}

static void layer_compute(struct moe *m, bool has_homes)
{
	struct moe_device d = device_open(m, has_homes);
	unsigned int slots = m->tokens * m->best;
	void *route_params[] = {&d.router, &d.x, &d.chosen, &d.shares, &m->experts, &m->best, &m->width};
	void *up_params[] = {&d.gates, &d.ups, &d.x, &d.chosen, &d.hidden, &m->best, &m->width, &m->inner};
	void *down_params[] = {&d.downs, &d.hidden, &d.chosen, &d.parts, &m->width, &m->inner};
	void *mix_params[] = {&d.parts, &d.shares, &d.result, &m->best, &m->width};

	workload_launch(workload_gpu_kernel(&d.gpu, "moe_route"), (struct workload_dim){m->tokens, 1, 1},
			(struct workload_dim){32, 1, 1}, route_params);
	rows_launch(&d, "moe_up", m->inner, slots, up_params);
	rows_launch(&d, "moe_down", m->width, slots, down_params);
	workload_launch(workload_gpu_kernel(&d.gpu, "moe_mix"),
			(struct workload_dim){workload_ctas(m->width, MOE_BLOCK_THREADS), m->tokens, 1},
			(struct workload_dim){MOE_BLOCK_THREADS, 1, 1}, mix_params);
	WORKLOAD_CUDA(cuMemcpyDtoH(m->chosen, d.chosen, slots * sizeof(*m->chosen)));
	WORKLOAD_CUDA(cuMemcpyDtoH(m->result, d.result, (size_t)m->tokens * m->width * sizeof(float)));
	device_close(&d);
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {
		"moe", "A layer of experts: a router, and the two best of eight feed-forward networks.",
		"2 tokens of 512, experts of 768 rows", "8 tokens of 1,024, experts of 3,584 rows"};
	static const char *const declarations[] = {"nothing", "homes"};
	static const struct workload_count counts[] = {
		MOE_COUNTS,
		{"declare", "what is declared of the weights: those that a CTA reads lie together", DECLARE_NOTHING,
		 DECLARE_NOTHING, 0, 1, 1, declarations}};
	struct workload_options options = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct moe m = moe_make(&options);
	bool right;

	layer_compute(&m, options.counts[DECLARE] == DECLARE_HOMES);
	right = moe_check(&m);
	moe_free(&m);
	return workload_finish(right, "%u tokens of %u, %u of %u experts of %u rows", m.tokens, m.width, m.best,
			       m.experts, m.inner);
}
