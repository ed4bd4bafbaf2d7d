/*
 * Hashing for content-addressable storage: the MD5 digest of a sliding window at every byte of a stream, as is used to
 * find blocks that are stored already.  Integer work on data in shared memory; accesses to global memory are coalesced.
 */
#include "common/workload.h"
#include "storegpu.h"

#include <stdlib.h>
#include <string.h>

static const char storegpu_ptx[] =
#include WORKLOAD_PTX
    ;

static size_t stream_words_count(unsigned int windows_count)
{
	return windows_count / 4 + STOREGPU_WINDOW_WORDS + 1;
}

static void hash_run(const unsigned int *stream, unsigned int windows_count, unsigned int *digests)
{
	struct workload_gpu gpu = workload_gpu_open(storegpu_ptx);
	CUfunction kernel = workload_gpu_kernel(&gpu, "storegpu_hash");
	size_t digests_bytes = (size_t)windows_count * STOREGPU_DIGEST_WORDS * sizeof(*digests);
	CUdeviceptr from = workload_device_copy(stream, stream_words_count(windows_count) * sizeof(*stream));
	CUdeviceptr to = workload_device_alloc(digests_bytes);
	void *params[] = {&from, &to, &windows_count};

	workload_launch(kernel, (struct workload_dim){windows_count / STOREGPU_BLOCK_THREADS, 1, 1},
			(struct workload_dim){STOREGPU_BLOCK_THREADS, 1, 1}, params);
	WORKLOAD_CUDA(cuMemcpyDtoH(digests, to, digests_bytes));
	WORKLOAD_CUDA(cuMemFree(from));
	WORKLOAD_CUDA(cuMemFree(to));
	workload_gpu_close(&gpu);
}

static bool digests_check(const unsigned int *stream, unsigned int windows_count, const unsigned int *digests)
{
	unsigned int *want = workload_host_alloc((size_t)windows_count * STOREGPU_DIGEST_WORDS, sizeof(*want));
	bool right;

	for (unsigned int window = 0; window < windows_count; window++) {
		unsigned int digest[STOREGPU_DIGEST_WORDS];

		storegpu_window(stream + window / 4, window % 4, digest);
		for (unsigned int i = 0; i < STOREGPU_DIGEST_WORDS; i++)
			want[(size_t)i * windows_count + window] = digest[i];
	}
	right = workload_same_u32("word", digests, want, (size_t)windows_count * STOREGPU_DIGEST_WORDS);
	free(want);
	return right;
}

/* That the function which both sides share is MD5: "abc", of RFC 1321 appendix A.5. */
static bool function_check(void)
{
	static const unsigned int abc[STOREGPU_BLOCK_WORDS] = {0x80636261, [14] = 24};
	static const unsigned int want[STOREGPU_DIGEST_WORDS] = {0x98500190, 0xb04fd23c, 0x7d3f96d6, 0x727fe128};
	unsigned int got[STOREGPU_DIGEST_WORDS];

	storegpu_block(abc, got);
	return workload_same_u32("digest of 'abc', word", got, want, STOREGPU_DIGEST_WORDS);
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {"storegpu", "MD5 of a sliding window at every byte of a stream.",
						    "16,384 windows of 48 bytes", "49,152 windows of 48 bytes"};
	struct workload_options options = workload_options_parse(&about, argc, argv);
	unsigned int windows_count = options.paper ? 49152 : 16384;
	size_t words_count = stream_words_count(windows_count);
	unsigned int *stream = workload_host_alloc(words_count, sizeof(*stream));
	unsigned int *digests = workload_host_alloc((size_t)windows_count * STOREGPU_DIGEST_WORDS, sizeof(*digests));
	bool right;

	for (size_t i = 0; i < words_count; i++)
		stream[i] = (unsigned int)workload_random(options.seed, 0, i);
	hash_run(stream, windows_count, digests);
	right = digests_check(stream, windows_count, digests) && function_check();
	free(stream);
	free(digests);
	return workload_finish(right, "%u windows of %d bytes", windows_count, 4 * (int)STOREGPU_WINDOW_WORDS);
}
