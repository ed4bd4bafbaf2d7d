/*
 * One training step of a neural network with one wide input layer, 16 hidden units and one output: the device computes
 * the sums of the input layer and adjusts its weights, the host does the two small layers between (as in Rodinia).
 * Both device results are compared bit for bit with the same operations on the host.
 */
#include "common/workload.h"
#include "backprop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char backprop_ptx[] =
#include WORKLOAD_PTX
	;

static const float TARGET = 0.1f;

enum {
	HIDDEN = BACKPROP_HIDDEN,
	ROW_ELEMENTS = BACKPROP_HIDDEN + 1,
};

/* Unit 0 of a layer is its bias unit, whose value is 1. */
struct backprop {
	unsigned int inputs_count;
	unsigned int ctas_count;
	float *input;                /* inputs_count + 1 */
	float *weights;              /* (inputs_count + 1) rows of ROW_ELEMENTS */
	float *old_change;           /* the same */
	float *partial;              /* HIDDEN per CTA */
	float output_weights[HIDDEN + 1];
	float hidden_delta[HIDDEN + 1];
};

static size_t weights_count(const struct backprop *work)
{
	return ((size_t)work->inputs_count + 1) * ROW_ELEMENTS;
}

static void input_make(struct backprop *work, uint64_t seed)
{
	work->ctas_count = work->inputs_count / BACKPROP_ROWS;
	work->input = workload_host_alloc(work->inputs_count + 1, sizeof(float));
	work->weights = workload_host_alloc(weights_count(work), sizeof(float));
	work->old_change = workload_host_alloc(weights_count(work), sizeof(float));
	work->partial = workload_host_alloc((size_t)work->ctas_count * HIDDEN, sizeof(float));
	work->input[0] = 1.0f;
	for (unsigned int i = 1; i <= work->inputs_count; i++)
		work->input[i] = workload_random_float(seed, 0, i);
	for (size_t i = 0; i < weights_count(work); i++) {
		work->weights[i] = workload_random_float(seed, 1, i) - 0.5f;
		work->old_change[i] = 0.01f * workload_random_float(seed, 2, i);
	}
	for (unsigned int i = 0; i <= HIDDEN; i++)
		work->output_weights[i] = workload_random_float(seed, 3, i) - 0.5f;
}

static float squash(float x)
{
	return 1.0f / (1.0f + expf(-x));
}

/* The two small layers: from the device's partial sums to the errors of the hidden units. */
static void hidden_layer_compute(struct backprop *work)
{
	float hidden[HIDDEN + 1] = {1.0f};
	float sum = 0.0f;
	float output;
	float output_delta;

	for (unsigned int j = 1; j <= HIDDEN; j++) {
		float in = work->weights[j];

		for (unsigned int cta = 0; cta < work->ctas_count; cta++)
			in += work->partial[(size_t)cta * HIDDEN + j - 1];
		hidden[j] = squash(in);
	}
	for (unsigned int j = 0; j <= HIDDEN; j++)
		sum += work->output_weights[j] * hidden[j];
	output = squash(sum);
	output_delta = output * (1.0f - output) * (TARGET - output);
	for (unsigned int j = 1; j <= HIDDEN; j++)
		work->hidden_delta[j] = hidden[j] * (1.0f - hidden[j]) * output_delta * work->output_weights[j];
}

/* Compare the device's partial sums, and what it left of the products, with the same tree of additions. */
static bool forward_check(const struct backprop *work, const float *left)
{
	for (unsigned int cta = 0; cta < work->ctas_count; cta++) {
		size_t first = ((size_t)cta * BACKPROP_ROWS + 1) * ROW_ELEMENTS + 1;
		float sums[BACKPROP_ROWS][HIDDEN];

		for (unsigned int r = 0; r < BACKPROP_ROWS; r++) {
			float value = work->input[(size_t)cta * BACKPROP_ROWS + r + 1];

			for (unsigned int j = 0; j < HIDDEN; j++)
				sums[r][j] = work->weights[first + (size_t)r * ROW_ELEMENTS + j] * value;
		}
		for (unsigned int span = 2; span <= BACKPROP_ROWS; span *= 2)
			for (unsigned int r = 0; r < BACKPROP_ROWS; r += span)
				for (unsigned int j = 0; j < HIDDEN; j++)
					sums[r][j] += sums[r + span / 2][j];
		if (!workload_same_f32("partial", &work->partial[(size_t)cta * HIDDEN], sums[0], HIDDEN,
				       (size_t)cta * HIDDEN))
			return false;
		for (unsigned int r = 0; r < BACKPROP_ROWS; r++)
			if (!workload_same_f32("product", &left[first + (size_t)r * ROW_ELEMENTS], sums[r], HIDDEN,
					       first + (size_t)r * ROW_ELEMENTS))
				return false;
	}
	return true;
}

/* The weights' step on the host, in place. */
static void weights_adjust(struct backprop *work)
{
	for (size_t unit = 0; unit <= work->inputs_count; unit++) {
		for (unsigned int j = 1; j <= HIDDEN; j++) {
			size_t i = unit * ROW_ELEMENTS + j;
			double change = BACKPROP_RATE * work->hidden_delta[j] * work->input[unit] +
					BACKPROP_MOMENTUM * work->old_change[i];

			work->weights[i] = (float)(work->weights[i] + change);
			work->old_change[i] = (float)change;
		}
	}
}

/* Compare `count` floats at `address` with `want`, through a buffer of the caller. */
static bool device_check(const char *what, CUdeviceptr address, const float *want, size_t count, float *buffer)
{
	WORKLOAD_CUDA(cuMemcpyDtoH(buffer, address, count * sizeof(float)));
	return workload_same_f32(what, buffer, want, count, 0);
}

static bool step_run(struct backprop *work)
{
	struct workload_gpu gpu = workload_gpu_open(backprop_ptx);
	size_t count = weights_count(work);
	CUdeviceptr input = workload_device_copy(work->input, (work->inputs_count + 1) * sizeof(float));
	CUdeviceptr weights = workload_device_copy(work->weights, count * sizeof(float));
	CUdeviceptr old_change = workload_device_copy(work->old_change, count * sizeof(float));
	CUdeviceptr partial = workload_device_alloc((size_t)work->ctas_count * HIDDEN * sizeof(float));
	CUdeviceptr delta = workload_device_alloc(sizeof(work->hidden_delta));
	struct workload_dim grid = {work->ctas_count, 1, 1};
	struct workload_dim block = {HIDDEN, BACKPROP_ROWS, 1};
	void *forward_params[] = {&input, &weights, &partial};
	void *adjust_params[] = {&delta, &input, &weights, &old_change};
	float *buffer = workload_host_alloc(count, sizeof(float));
	bool right;

	workload_launch(workload_gpu_kernel(&gpu, "layer_forward"), grid, block, forward_params);
	WORKLOAD_CUDA(cuMemcpyDtoH(work->partial, partial, (size_t)work->ctas_count * HIDDEN * sizeof(float)));
	WORKLOAD_CUDA(cuMemcpyDtoH(buffer, weights, count * sizeof(float)));
	right = forward_check(work, buffer);
	hidden_layer_compute(work);
	WORKLOAD_CUDA(cuMemcpyHtoD(delta, work->hidden_delta, sizeof(work->hidden_delta)));
	WORKLOAD_CUDA(cuMemcpyHtoD(weights, work->weights, count * sizeof(float)));
	workload_launch(workload_gpu_kernel(&gpu, "adjust_weights"), grid, block, adjust_params);
	weights_adjust(work);
	right = right && device_check("weight", weights, work->weights, count, buffer) &&
		device_check("change", old_change, work->old_change, count, buffer);
	free(buffer);
	WORKLOAD_CUDA(cuMemFree(input));
	WORKLOAD_CUDA(cuMemFree(weights));
	WORKLOAD_CUDA(cuMemFree(old_change));
	WORKLOAD_CUDA(cuMemFree(partial));
	WORKLOAD_CUDA(cuMemFree(delta));
	workload_gpu_close(&gpu);
	return right;
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {
		"backprop", "One training step of a layered neural network.", "8,192 input units",
		"524,288 input units (NSU Table 1)"};
	static const struct workload_count counts[] = {
		{"inputs", "input units", 1 << 13, 1 << 19, BACKPROP_ROWS, 1 << 22, BACKPROP_ROWS, NULL},
	};
	struct workload_options options = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct backprop work = {.inputs_count = options.counts[0]};
	bool right;

	input_make(&work, options.seed);
	workload_input(work.input, (work.inputs_count + 1) * sizeof(float));
	workload_input(work.weights, weights_count(&work) * sizeof(float));
	workload_input(work.old_change, weights_count(&work) * sizeof(float));
	right = step_run(&work);
	free(work.input);
	free(work.weights);
	free(work.old_change);
	free(work.partial);
	return workload_finish(right, "%u input units, %d hidden units", work.inputs_count, HIDDEN);
}
