/* image.c - what an image or a file holds, before it is a module. */
#include <string.h>

#include "cuda/driver.h"
#include "cuda/fatbin.h"

/* First four bytes of what toolchains write beside PTX. LLVM: Bitcode file format, Magic Numbers; the last as nvcc
 * -ltoir of CUDA 13.0 writes it. */
enum { ELF_MAGIC = 0x464c457f, BITCODE_MAGIC = (int)0xdec04342, BITCODE_WRAPPER_MAGIC = 0x0b17c0de,
       LTO_IR_MAGIC = 0x7f4e43ed };

/* What an image is that is not PTX text, in words; NULL: it may be PTX. */
static const char *image_kind(const unsigned char *bytes, CUresult *result)
{
	uint32_t magic = 0;

	/* Byte by byte: a shorter text ends in NUL. */
	for (uint32_t i = 0; i < 4 && (i == 0 || bytes[i - 1]); i++)
		magic |= (uint32_t)bytes[i] << (8 * i);
	*result = CUDA_ERROR_NO_BINARY_FOR_GPU;
	if (magic == ELF_MAGIC)
		return "this is a cubin for a real GPU";
	if (magic == (uint32_t)BITCODE_MAGIC || magic == BITCODE_WRAPPER_MAGIC)
		return "this is compiler bitcode";
	if (magic == LTO_IR_MAGIC)
		return "this is intermediate code for link-time optimisation";
	*result = CUDA_ERROR_INVALID_IMAGE;
	if (!bytes[0])
		return "the image is empty";
	for (uint32_t i = 0; i < 4 && bytes[i]; i++)
		if ((bytes[i] < ' ' && !strchr("\t\n\v\f\r", bytes[i])) || bytes[i] > '~')
			return "the image is neither PTX text nor any known binary";
	return NULL;
}

CUresult cuda_image_check(const void *image, const char *what, struct cuda_jit *j)
{
	CUresult result;
	const char *kind = image_kind(image, &result);

	if (!kind)
		return CUDA_SUCCESS;

	char *text = g_strdup_printf("%s: error: %s; expected PTX text (compile with -ptx)", what, kind);

	if (j && cuda_jit_has_error_log(j))
		cuda_jit_finish(j, "", text);
	else
		machine_message("%s", text);
	g_free(text);
	return result;
}

bool cuda_image_is_fatbin(const void *image)
{
	uint32_t magic;

	if (strnlen(image, sizeof(magic)) < sizeof(magic))
		return false;
	memcpy(&magic, image, sizeof(magic));
	return magic == CUDA_FATBIN_WRAPPER_MAGIC || magic == CUDA_FATBIN_MAGIC;
}

char *cuda_file_read(const char *path, size_t *size_bytes)
{
	gchar *text;
	gsize length;
	GError *error = NULL;

	if (!g_file_get_contents(path, &text, &length, &error)) {
		machine_message("error: %s", error->message);
		g_error_free(error);
		return NULL;
	}
	*size_bytes = length;
	return text;
}
