/*
 * Decoding by a language model: a few tokens one after the other, each through all layers (norm, heads, RoPE, attention
 * over a cache, feed-forward with SwiGLU) to the logits, of which the highest is the next token.  Weights and cache are
 * in half precision, what lies between is in single precision.
 *
 * Checked with the same steps in double precision on the tokens that the device has chosen: every logit within 2e-3 of
 * max(1, |logit|), and the token chosen no further than that below the highest.
 */
#include "common/workload.h"
#include "llmdecode/host.h"

static const char llmdecode_ptx[] =
#include WORKLOAD_PTX
	;

static const struct workload_count counts[] = {LLMDECODE_COUNTS};

struct device_layer {
	CUdeviceptr matrices[MATRICES], keys, values, gains[2];
};

struct device {
	struct workload_gpu gpu;
	struct device_layer *layer;
	CUdeviceptr embedding, gains, turns;
	CUdeviceptr x, normed, heads, sums, marks, attended, inner, logits;
};

static unsigned int splits_count(unsigned int context)
{
	return workload_ctas(context, LLMDECODE_SPLIT);
}

static struct device device_open(const struct model *m)
{
	struct device d = {.gpu = workload_gpu_open(llmdecode_ptx)};
	size_t splits = (size_t)m->heads * splits_count(m->positions), half = sizeof(uint16_t), word = sizeof(float);

	d.layer = workload_host_alloc(m->layers, sizeof(*d.layer));
	for (unsigned int l = 0; l < m->layers; l++) {
		for (unsigned int i = 0; i < MATRICES; i++)
			d.layer[l].matrices[i] =
				workload_device_copy(m->layer[l].matrices[i], model_elements(m, i) * half);
		d.layer[l].keys = workload_device_copy(m->layer[l].keys, model_cache_elements(m) * half);
		d.layer[l].values = workload_device_copy(m->layer[l].values, model_cache_elements(m) * half);
		for (unsigned int i = 0; i < 2; i++)
			d.layer[l].gains[i] = workload_device_copy(m->layer[l].gains[i], m->width * word);
	}
	d.embedding = workload_device_copy(m->embedding, (size_t)m->vocabulary * m->width * half);
	d.gains = workload_device_copy(m->gains, m->width * word);
	d.turns = workload_device_copy(m->turns, (size_t)m->positions * LLMDECODE_PAIRS * 2 * word);
	d.x = workload_device_alloc(m->width * word);
	d.normed = workload_device_alloc(m->width * word);
	d.heads = workload_device_alloc(model_rows(m, MATRIX_HEADS) * word);
	d.sums = workload_device_alloc(splits * LLMDECODE_HEAD * word);
	d.marks = workload_device_alloc(splits * 2 * word);
	d.attended = workload_device_alloc(model_columns(m, MATRIX_OUT) * word);
	d.inner = workload_device_alloc(m->inner * word);
	d.logits = workload_device_alloc(m->vocabulary * word);
	return d;
}

static void device_close(struct device *d, const struct model *m)
{
	CUdeviceptr all[] = {d->embedding, d->gains, d->turns,	  d->x,	    d->normed, d->heads,
			     d->sums,	   d->marks, d->attended, d->inner, d->logits};

	for (unsigned int l = 0; l < m->layers; l++) {
		for (unsigned int i = 0; i < MATRICES; i++)
			WORKLOAD_CUDA(cuMemFree(d->layer[l].matrices[i]));
		WORKLOAD_CUDA(cuMemFree(d->layer[l].keys));
		WORKLOAD_CUDA(cuMemFree(d->layer[l].values));
		WORKLOAD_CUDA(cuMemFree(d->layer[l].gains[0]));
		WORKLOAD_CUDA(cuMemFree(d->layer[l].gains[1]));
	}
	free(d->layer);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		WORKLOAD_CUDA(cuMemFree(all[i]));
	workload_gpu_close(&d->gpu);
}

static void threads_launch(const struct device *d, const char *kernel, size_t threads, void **params)
{
	workload_launch(workload_gpu_kernel(&d->gpu, kernel),
			(struct workload_dim){workload_ctas(threads, LLMDECODE_BLOCK_THREADS), 1, 1},
			(struct workload_dim){LLMDECODE_BLOCK_THREADS, 1, 1}, params);
}

static void norm_launch(struct device *d, const struct model *m, CUdeviceptr gains)
{
	unsigned int width = m->width;
	void *params[] = {&d->x, &gains, &d->normed, &width};

	threads_launch(d, "llmdecode_norm", 1, params);
}

static void rows_launch(struct device *d, CUdeviceptr matrix, CUdeviceptr vector, CUdeviceptr result, unsigned int rows,
			unsigned int columns, unsigned int is_added)
{
	void *params[] = {&matrix, &vector, &result, &rows, &columns, &is_added};

	threads_launch(d, "llmdecode_rows", 32 * (size_t)rows, params);
}

/* From the heads to what attention makes of them. */
static void attention_launch(struct device *d, const struct model *m, struct device_layer *l, unsigned int position)
{
	unsigned int heads = m->heads, cached = model_cached_heads(m), stride = m->positions, context = position + 1;
	unsigned int splits = splits_count(context);
	void *rotate_params[] = {&d->heads, &d->turns, &l->keys, &l->values, &heads, &position, &stride};
	void *attend_params[] = {&l->keys, &l->values, &d->heads, &d->sums, &d->marks,
				 &heads,   &stride,    &context,  &splits};
	void *combine_params[] = {&d->sums, &d->marks, &d->attended, &splits};

	threads_launch(d, "llmdecode_rotate", (heads + 2 * (size_t)cached) * LLMDECODE_PAIRS, rotate_params);
	threads_launch(d, "llmdecode_attend", 32 * (size_t)cached * splits, attend_params);
	workload_launch(workload_gpu_kernel(&d->gpu, "llmdecode_combine"), (struct workload_dim){heads, 1, 1},
			(struct workload_dim){LLMDECODE_HEAD, 1, 1}, combine_params);
}

static void layer_launch(struct device *d, const struct model *m, struct device_layer *l, unsigned int position)
{
	unsigned int inner = m->inner, width = m->width;
	CUdeviceptr *gates = &l->matrices[MATRIX_GATE], *ups = &l->matrices[MATRIX_UP];
	void *swiglu_params[] = {gates, ups, &d->normed, &d->inner, &inner, &width};

	norm_launch(d, m, l->gains[0]);
	rows_launch(d, l->matrices[MATRIX_HEADS], d->normed, d->heads, model_rows(m, MATRIX_HEADS), width, 0);
	attention_launch(d, m, l, position);
	rows_launch(d, l->matrices[MATRIX_OUT], d->attended, d->x, width, model_columns(m, MATRIX_OUT), 1);
	norm_launch(d, m, l->gains[1]);
	threads_launch(d, "llmdecode_swiglu", 32 * (size_t)inner, swiglu_params);
	rows_launch(d, l->matrices[MATRIX_DOWN], d->inner, d->x, width, inner, 1);
}

/* The logits after `token` at `position`. */
static void step_compute(struct device *d, const struct model *m, unsigned int token, unsigned int position,
			 float *logits)
{
	unsigned int width = m->width;
	void *embed_params[] = {&d->embedding, &d->x, &token, &width};

	threads_launch(d, "llmdecode_embed", width, embed_params);
	for (unsigned int l = 0; l < m->layers; l++)
		layer_launch(d, m, &d->layer[l], position);
	norm_launch(d, m, d->gains);
	rows_launch(d, d->embedding, d->normed, d->logits, m->vocabulary, width, 0);
	WORKLOAD_CUDA(cuMemcpyDtoH(logits, d->logits, m->vocabulary * sizeof(*logits)));
}

static void tokens_make(struct decoding *d)
{
	struct device device = device_open(&d->m);

	for (unsigned int s = 0; s < d->steps; s++) {
		step_compute(&device, &d->m, d->tokens[s], d->m.context + s, decoding_logits(d, s));
		decoding_choose(d, s);
	}
	device_close(&device, &d->m);
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {
		"llmdecode", "Tokens by a language model's decoding.",
		"2 layers of 256, 1,024 tokens, 2 steps after 512 positions",
		"2 layers of 1,024, 151,936 tokens, 2 steps after 512 positions"};
	struct workload_options options = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct decoding d = decoding_make(&options);
	bool right;

	tokens_make(&d);
	right = decoding_check(&d);
	decoding_free(&d);
	return workload_finish(right, "%u layers, %u tokens after %u positions", d.m.layers, d.steps, d.m.context);
}
