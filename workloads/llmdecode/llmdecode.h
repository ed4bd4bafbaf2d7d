/* Shared by the host program and the kernels of llmdecode. */
#ifndef LLMDECODE_H
#define LLMDECODE_H

enum {
	LLMDECODE_BLOCK_THREADS = 256, /* eight rows of a matrix */
	LLMDECODE_HEAD = 128, /* elements */
	LLMDECODE_PAIRS = LLMDECODE_HEAD / 2, /* that are rotated: elements i and i + 64 */
	LLMDECODE_QUERIES = 2, /* that share a head of keys and values */
	LLMDECODE_SPLIT = 32, /* positions of a warp */
	LLMDECODE_MULTIPLE = 256, /* of the widths */
};

#define LLMDECODE_EPSILON 1e-6f /* of the norm */

#endif
