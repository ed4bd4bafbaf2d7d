/* elf_file.h - reading a 64-bit little-endian ELF file that nobody vouches for (System V gABI, chapters 4 and 5).
 *
 * Every offset and size is checked against the file before it is followed; what does not fit is as if it were absent.
 */
#ifndef STRATA_CLI_ELF_FILE_H
#define STRATA_CLI_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_file {
	const uint8_t *data; /* the whole file */
	size_t size_bytes;
	bool is_elf;	     /* it begins with the magic number */
	bool is_64, is_little;
	uint16_t machine, type; /* EM_*, ET_*: known when is_elf and is_little */
	const char *interpreter; /* PT_INTERP, NULL: none */
	bool has_dynamic;
};

/* Looks at the header and the program headers. The data must outlive *f. */
void elf_open(const uint8_t *data, size_t size_bytes, struct elf_file *f);

/* The n-th string of the dynamic section with this tag (DT_NEEDED, DT_RPATH, DT_RUNPATH), NULL past the last. */
const char *elf_dynamic_string(const struct elf_file *f, int64_t tag, uint32_t n);

/* The value of the dynamic section's first entry with this tag; 0: there is none. */
uint64_t elf_dynamic_value(const struct elf_file *f, int64_t tag);

/* The bytes of the section of that name; false if there is none with contents. */
bool elf_section(const struct elf_file *f, const char *name, const uint8_t **data, size_t *size_bytes);

#endif
