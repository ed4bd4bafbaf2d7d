/*
 * Shared by the host program and the kernel: MD5 (RFC 1321) of one window of a stream.  A window and its padding fit
 * into one block of sixteen words.
 */
#ifndef STOREGPU_H
#define STOREGPU_H

enum {
	STOREGPU_BLOCK_THREADS = 128,
	STOREGPU_WINDOW_WORDS = 12, /* of 4 bytes */
	STOREGPU_BLOCK_WORDS = 16,
	STOREGPU_DIGEST_WORDS = 4,
};

#if defined(__CUDA__) || defined(__CUDACC__)
#define STOREGPU_BOTH static __device__ __forceinline__
#else
#define STOREGPU_BOTH static inline
#endif

STOREGPU_BOTH unsigned int storegpu_rotate(unsigned int word, unsigned int bits)
{
	return word << bits | word >> (32 - bits);
}

/* RFC 1321 section 3.4: one of sixty-four steps. `mix` is the round's function of b, c, d. */
#define STOREGPU_STEP(mix, a, b, word, sine, bits) ((a) = (b) + storegpu_rotate((a) + (mix) + (word) + (sine), (bits)))
#define STOREGPU_MIX_F(b, c, d) (((b) & (c)) | (~(b) & (d)))
#define STOREGPU_MIX_G(b, c, d) (((b) & (d)) | ((c) & ~(d)))
#define STOREGPU_MIX_H(b, c, d) ((b) ^ (c) ^ (d))
#define STOREGPU_MIX_I(b, c, d) ((c) ^ ((b) | ~(d)))

/* Four steps: the words taken are i, i + stride, ...; s0 to s3 are the rotations. */
#define STOREGPU_FOUR(FN, i, stride, k0, k1, k2, k3, s0, s1, s2, s3)                    \
	do {                                                                            \
		STOREGPU_STEP(FN(b, c, d), a, b, m[(i) % 16], k0, s0);                  \
		STOREGPU_STEP(FN(a, b, c), d, a, m[((i) + (stride)) % 16], k1, s1);     \
		STOREGPU_STEP(FN(d, a, b), c, d, m[((i) + 2 * (stride)) % 16], k2, s2); \
		STOREGPU_STEP(FN(c, d, a), b, c, m[((i) + 3 * (stride)) % 16], k3, s3); \
	} while (0)

/* The digest of a message of one block, padding included; the constants are 2^32 |sin(step)|. */
STOREGPU_BOTH void storegpu_block(const unsigned int *m, unsigned int *digest)
{
	unsigned int a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;

	STOREGPU_FOUR(STOREGPU_MIX_F, 0, 1, 0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 7, 12, 17, 22);
	STOREGPU_FOUR(STOREGPU_MIX_F, 4, 1, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501, 7, 12, 17, 22);
	STOREGPU_FOUR(STOREGPU_MIX_F, 8, 1, 0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 7, 12, 17, 22);
	STOREGPU_FOUR(STOREGPU_MIX_F, 12, 1, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821, 7, 12, 17, 22);
	STOREGPU_FOUR(STOREGPU_MIX_G, 1, 5, 0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 5, 9, 14, 20);
	STOREGPU_FOUR(STOREGPU_MIX_G, 5, 5, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8, 5, 9, 14, 20);
	STOREGPU_FOUR(STOREGPU_MIX_G, 9, 5, 0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 5, 9, 14, 20);
	STOREGPU_FOUR(STOREGPU_MIX_G, 13, 5, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a, 5, 9, 14, 20);
	STOREGPU_FOUR(STOREGPU_MIX_H, 5, 3, 0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 4, 11, 16, 23);
	STOREGPU_FOUR(STOREGPU_MIX_H, 1, 3, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70, 4, 11, 16, 23);
	STOREGPU_FOUR(STOREGPU_MIX_H, 13, 3, 0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 4, 11, 16, 23);
	STOREGPU_FOUR(STOREGPU_MIX_H, 9, 3, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665, 4, 11, 16, 23);
	STOREGPU_FOUR(STOREGPU_MIX_I, 0, 7, 0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 6, 10, 15, 21);
	STOREGPU_FOUR(STOREGPU_MIX_I, 12, 7, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1, 6, 10, 15, 21);
	STOREGPU_FOUR(STOREGPU_MIX_I, 8, 7, 0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 6, 10, 15, 21);
	STOREGPU_FOUR(STOREGPU_MIX_I, 4, 7, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391, 6, 10, 15, 21);
	digest[0] = 0x67452301 + a;
	digest[1] = 0xefcdab89 + b;
	digest[2] = 0x98badcfe + c;
	digest[3] = 0x10325476 + d;
}

/* The digest of the window that begins `shift` bytes (0 to 3) after words[0]; reads one word beyond it. */
STOREGPU_BOTH void storegpu_window(const unsigned int *words, unsigned int shift, unsigned int *digest)
{
	unsigned int m[STOREGPU_BLOCK_WORDS] = {0};

	for (unsigned int i = 0; i < STOREGPU_WINDOW_WORDS; i++) {
		unsigned long long pair = (unsigned long long)words[i + 1] << 32 | words[i];

		m[i] = (unsigned int)(pair >> 8 * shift);
	}
	m[STOREGPU_WINDOW_WORDS] = 0x80;    /* one bit after the message */
	m[14] = 32 * STOREGPU_WINDOW_WORDS; /* its length in bits */
	storegpu_block(m, digest);
}

#endif
