/* fatbin.h - fat binaries: the containers in which nvcc and clang embed device code, and the PTX in them.
 *
 * Layout, little-endian, found by looking at the output of nvcc 11 to 13:
 *   wrapper, 24 bytes: u32 magic, u32 version, pointer to a container, pointer. Version 1: the last pointer is unused.
 *     Version 2 (nvcc -rdc=true): it is a NULL-terminated array of containers whose code must be linked.
 *   container: u32 magic, u16 version (1), u16 header size (16 or more), u64 bytes of entries after the header.
 *   entry: +0 u16 kind (1: PTX, 2: machine code), +4 u32 header size (64 or more), +8 u64 payload size, +16 u32 size
 *     of the compressed data (0: not compressed), +20 u32 offset of the options in the header (0: none), +24 u16 minor
 *     and u16 major PTX version, +28 u32 compute capability times 10, +32 u32 offset and +36 u32 length of the source's
 *     name in the header, +40 u64 flags (0x2000: LZ4 block, 0x8000: zstd frame), +56 u64 size when decompressed; the
 *     payload follows the header. Options: u32 offset of the command line in the header, u32 length; of the command
 *     line only "-maxrregcount=N" is read.
 *
 * Nothing here trusts the bytes: every offset and size is checked against what holds it before it is used.
 */
#ifndef STRATA_CUDA_FATBIN_H
#define STRATA_CUDA_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

enum { CUDA_FATBIN_WRAPPER_MAGIC = 0x466243b1, CUDA_FATBIN_HEADER_BYTES = 16 };
#define CUDA_FATBIN_MAGIC 0xba55ed50u

/* More than any compiler writes; what claims to be larger is refused. */
#define CUDA_FATBIN_MAX_BYTES (1ull << 28)

struct cuda_fatbin_wrapper {
	uint32_t magic, version;
	const void *container;
	const void *const *linked; /* version 2 */
};

enum cuda_fatbin_status {
	CUDA_FATBIN_FOUND,
	CUDA_FATBIN_NO_PTX,  /* well-formed, without PTX: one message that says which nvcc option embeds it */
	CUDA_FATBIN_EMPTY,   /* well-formed, without any code; no message */
	CUDA_FATBIN_INVALID, /* not well-formed: one message that says where */
};

/* The PTX that was chosen. */
struct cuda_fatbin_ptx {
	char *text;	   /* NUL-terminated, malloc'ed, owned by the caller */
	size_t size_bytes; /* without the NUL */
	uint32_t sm;	   /* compute capability times 10 */
	uint32_t register_max; /* of nvcc -maxrregcount; 0: not given */
};

/* Bytes of the container at data, header included, or 0 if its header is not one. limit_bytes is how many bytes there
 * are at data; SIZE_MAX when nobody knows (an image in memory), and then the header is believed. */
size_t cuda_fatbin_size(const void *data, size_t limit_bytes);

/* Chooses and unpacks the PTX for a device of compute capability `capability` (times 10): among the PTX entries the one
 * for the highest capability that is not above the device's, else the lowest. name is what messages begin with.
 * limit_bytes as in cuda_fatbin_size. out is written only on CUDA_FATBIN_FOUND. */
enum cuda_fatbin_status cuda_fatbin_choose(const void *data, size_t limit_bytes, uint32_t capability, const char *name,
					   struct cuda_fatbin_ptx *out, struct base_diag_list *diag);

#endif
