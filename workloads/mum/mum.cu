#include <strata/kernel.h>

#include "mum.h"

/* One query per thread: the longest match of each of its suffixes that are long enough.  Matches lie interleaved. */
extern "C" __global__ void mum_match(const struct mum_node *nodes, const unsigned char *reference,
				     const unsigned char *queries, struct mum_match *matches,
				     unsigned int queries_count)
{
	unsigned int query = blockIdx.x * blockDim.x + threadIdx.x;

	if (query >= queries_count)
		return;
#pragma unroll 1
	for (unsigned int i = 0; i + MUM_LENGTH_MIN <= MUM_QUERY_LENGTH; i++)
		matches[i * queries_count + query] =
			mum_walk(nodes, reference, queries + query * MUM_QUERY_LENGTH + i, MUM_QUERY_LENGTH - i);
}
