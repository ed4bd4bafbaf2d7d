/* epilogue.cuh - what becomes of a sum of a product: D := act(alpha sum + beta C + bias), in D's type. */
#ifndef STRATA_EPILOGUE_CUH
#define STRATA_EPILOGUE_CUH

#include "blas.cuh"

/* tanh, by one exponential and one division. */
DEVICE float tanh_of(float x)
{
	return 1 - 2 / (1 + __expf(2 * x));
}

DEVICE float gelu_inner(float x)
{
	return 0.7978845608f * (x + 0.044715f * x * x * x);
}

DEVICE float gelu(float x)
{
	return 0.5f * x * (1 + tanh_of(gelu_inner(x)));
}

DEVICE float gelu_slope(float x)
{
	const float t = tanh_of(gelu_inner(x)), slope = 0.7978845608f * (1 + 3 * 0.044715f * x * x);

	return 0.5f * (1 + t) + 0.5f * x * (1 - t * t) * slope;
}

/* Epilogues are of floats; the other types have none. */
template <class OUT, class S> DEVICE S finish(const struct blas_gemm_args &, unsigned int, int, int, S value)
{
	return value;
}

template <class OUT>
DEVICE float finish(const struct blas_gemm_args &args, unsigned int batch, int row, int column, float value)
{
	OUT *aux = (OUT *)args.aux + batch * args.aux_batch + row + column * args.aux_stride;

	if (!args.epilogue)
		return value;
	if (args.epilogue & BLAS_EPILOGUE_BIAS) {
		const long long at = batch * args.bias_batch + row;

		value += args.is_bias_float ? ((const float *)args.bias)[at] : to_float(((const OUT *)args.bias)[at]);
	}
	if (args.epilogue & BLAS_EPILOGUE_KEEP)
		from_float(aux, value);
	if (args.epilogue & BLAS_EPILOGUE_RELU)
		value = value > 0 ? value : 0;
	if (args.epilogue & BLAS_EPILOGUE_GELU)
		value = gelu(value);
	if (args.epilogue & BLAS_EPILOGUE_GELU_SLOPE)
		value *= gelu_slope(to_float(*aux));
	return value;
}

/* Where a block puts what it has: the operands of its batch, and the factors. S is the type of factors. */
template <class OUT, class S> struct output {
	const OUT *c;
	OUT *d;
	S alpha, beta;
	unsigned int batch;
};

template <class OUT, class S>
DEVICE struct output<OUT, S> output_of(const struct blas_gemm_args &args, unsigned int batch) {
	struct output<OUT, S> o;

	o.c = of_batch<const OUT>(args.c, batch);
	o.d = of_batch<OUT>(args.d, batch);
	o.batch = batch;
	o.alpha = scalar_get(args.alpha, (S)0);
	o.beta = scalar_get(args.beta, (S)0);
	return o;
}

template <class OUT, class S, class ACC>
DEVICE void put(const struct blas_gemm_args &args, const struct output<OUT, S> &o, int row, int column, ACC sum)
{
	if (row >= args.m || column >= args.n)
		return;

	const S value = combine(o.alpha, (S)sum, o.beta, &o.c[row * args.c.row_stride + column * args.c.column_stride]);

	from_float(&o.d[row * args.d.row_stride + column * args.d.column_stride],
		   finish<OUT>(args, o.batch, row, column, value));
}

#endif
