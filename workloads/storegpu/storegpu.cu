#include <strata/kernel.h>

#include "storegpu.h"

/*
 * The digest of every window of the stream: thread t's window begins at byte t.  The CTA's part of the stream is read
 * once, coalesced, into shared memory; windows overlap there.  Digests lie word by word, so that stores are coalesced.
 */
extern "C" __global__ void storegpu_hash(const unsigned int *stream, unsigned int *digests, unsigned int windows_count)
{
	__shared__ unsigned int words[STOREGPU_BLOCK_THREADS / 4 + STOREGPU_WINDOW_WORDS + 1];
	unsigned int window = blockIdx.x * STOREGPU_BLOCK_THREADS + threadIdx.x;
	unsigned int begin = blockIdx.x * (STOREGPU_BLOCK_THREADS / 4);
	unsigned int digest[STOREGPU_DIGEST_WORDS];

	if (threadIdx.x < STOREGPU_BLOCK_THREADS / 4 + STOREGPU_WINDOW_WORDS + 1)
		words[threadIdx.x] = stream[begin + threadIdx.x];
	__syncthreads();
	storegpu_window(words + threadIdx.x / 4, threadIdx.x % 4, digest);
	for (unsigned int i = 0; i < STOREGPU_DIGEST_WORDS; i++)
		digests[i * windows_count + window] = digest[i];
}
