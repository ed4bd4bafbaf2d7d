/*
 * One training step of a neural network with one wide input layer, 16 hidden units and one output, by threads: rows of
 * input units for each.  The sums are those of the CUDA program: 16 rows in a tree, then tree after tree.
 */
#include "backprop/backprop.h"
#include "common/steps.h"

#include <math.h>
#include <stdlib.h>

static const struct workload_about about = {"backprop-omp",
					    "One training step of a layered neural network, by threads.",
					    "8,192 input units", "524,288 input units"};
static const struct workload_count counts[] = {
	{"inputs", "input units", 1 << 13, 1 << 19, BACKPROP_ROWS, 1 << 22, BACKPROP_ROWS, NULL},
};

static const float TARGET = 0.1f;

enum { HIDDEN = BACKPROP_HIDDEN, ROW_ELEMENTS = BACKPROP_HIDDEN + 1 };

/* Unit 0 of a layer is its bias unit, whose value is 1; column 0 of the weights is not used. */
struct network {
	size_t inputs_count, groups_count;
	float *input;		      /* inputs_count + 1 */
	float *weights, *old_change; /* (inputs_count + 1) rows of ROW_ELEMENTS */
	float *partial;		      /* HIDDEN of each group of BACKPROP_ROWS units */
	float output_weights[HIDDEN + 1], hidden_delta[HIDDEN + 1];
};

static size_t weights_count(const struct network *n)
{
	return (n->inputs_count + 1) * ROW_ELEMENTS;
}

static struct network network_make(size_t inputs_count, uint64_t seed)
{
	struct network n = {.inputs_count = inputs_count, .groups_count = inputs_count / BACKPROP_ROWS};

	n.input = workload_host_alloc(inputs_count + 1, sizeof(float));
	n.weights = workload_host_alloc(weights_count(&n), sizeof(float));
	n.old_change = workload_host_alloc(weights_count(&n), sizeof(float));
	n.partial = workload_host_alloc(n.groups_count * HIDDEN, sizeof(float));
	n.input[0] = 1.0f;
	for (size_t i = 1; i <= inputs_count; i++)
		n.input[i] = workload_random_float(seed, 0, i);
	for (size_t i = 0; i < weights_count(&n); i++) {
		n.weights[i] = workload_random_float(seed, 1, i) - 0.5f;
		n.old_change[i] = 0.01f * workload_random_float(seed, 2, i);
	}
	for (unsigned int i = 0; i <= HIDDEN; i++)
		n.output_weights[i] = workload_random_float(seed, 3, i) - 0.5f;
	return n;
}

static void network_free(struct network *n)
{
	free(n->input);
	free(n->weights);
	free(n->old_change);
	free(n->partial);
}

static void forward(const struct network *n, bool is_team)
{
#pragma omp parallel for if (is_team)
	for (size_t group = 0; group < n->groups_count; group++) {
		const float *weights = n->weights + (group * BACKPROP_ROWS + 1) * ROW_ELEMENTS + 1;
		const float *input = n->input + group * BACKPROP_ROWS + 1;
		float sums[BACKPROP_ROWS][HIDDEN];

		for (size_t r = 0; r < BACKPROP_ROWS; r++)
			for (size_t j = 0; j < HIDDEN; j++)
				sums[r][j] = weights[r * ROW_ELEMENTS + j] * input[r];
		for (size_t span = 2; span <= BACKPROP_ROWS; span *= 2)
			for (size_t r = 0; r < BACKPROP_ROWS; r += span)
				for (size_t j = 0; j < HIDDEN; j++)
					sums[r][j] += sums[r + span / 2][j];
		for (size_t j = 0; j < HIDDEN; j++)
			n->partial[group * HIDDEN + j] = sums[0][j];
	}
}

static float squash(float x)
{
	return 1.0f / (1.0f + expf(-x));
}

/* The two small layers: from the partial sums to the errors of the hidden units; by one thread. */
static void hidden_layer(struct network *n)
{
	float hidden[HIDDEN + 1] = {1.0f}, sum = 0.0f, output, output_delta;

	for (size_t j = 1; j <= HIDDEN; j++) {
		float in = n->weights[j];

		for (size_t group = 0; group < n->groups_count; group++)
			in += n->partial[group * HIDDEN + j - 1];
		hidden[j] = squash(in);
	}
	for (size_t j = 0; j <= HIDDEN; j++)
		sum += n->output_weights[j] * hidden[j];
	output = squash(sum);
	output_delta = output * (1.0f - output) * (TARGET - output);
	for (size_t j = 1; j <= HIDDEN; j++)
		n->hidden_delta[j] = hidden[j] * (1.0f - hidden[j]) * output_delta * n->output_weights[j];
}

static void adjust(const struct network *n, bool is_team)
{
#pragma omp parallel for if (is_team)
	for (size_t unit = 0; unit <= n->inputs_count; unit++) {
		for (size_t j = 1; j <= HIDDEN; j++) {
			const size_t i = unit * ROW_ELEMENTS + j;
			const double change = BACKPROP_RATE * n->hidden_delta[j] * n->input[unit] +
					      BACKPROP_MOMENTUM * n->old_change[i];

			n->weights[i] = (float)(n->weights[i] + change);
			n->old_change[i] = (float)change;
		}
	}
}

static void step(struct network *n, bool is_team)
{
	forward(n, is_team);
	hidden_layer(n);
	adjust(n, is_team);
}

int main(int argc, char **argv)
{
	const struct workload_options o = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct network got, want;
	double begin;
	bool right;

	strata_modelling_end();
	got = network_make(o.counts[0], o.seed);
	want = network_make(o.counts[0], o.seed);
	workload_input(got.input, (got.inputs_count + 1) * sizeof(float));
	workload_input(got.weights, weights_count(&got) * sizeof(float));
	workload_input(got.old_change, weights_count(&got) * sizeof(float));
	begin = steps_begin();
	step(&got, true);
	steps_end(begin);
	step(&want, false);
	right = workload_same_f32("weight", got.weights, want.weights, weights_count(&got), 0) &&
		workload_same_f32("change", got.old_change, want.old_change, weights_count(&got), 0);
	network_free(&got);
	network_free(&want);
	return workload_finish(right, "%u input units, %d hidden units", o.counts[0], HIDDEN);
}
