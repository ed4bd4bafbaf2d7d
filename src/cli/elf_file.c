/* elf_file.c - sections, segments and strings, each offset checked before it is followed. */
#include "cli/elf_file.h"

#include <elf.h>
#include <string.h>

/* Copies size bytes at offset, which need not be aligned; false outside the file. */
static bool get(const struct elf_file *f, uint64_t offset, void *to, size_t size)
{
	if (offset > f->size_bytes || size > f->size_bytes - offset)
		return false;
	memcpy(to, f->data + offset, size);
	return true;
}

/* Entry i of a table of entry_bytes each. */
static bool get_entry(const struct elf_file *f, uint64_t table, uint64_t i, uint64_t entry_bytes, void *to, size_t size)
{
	uint64_t offset;

	if (entry_bytes < size || __builtin_mul_overflow(i, entry_bytes, &offset) ||
	    __builtin_add_overflow(offset, table, &offset))
		return false;
	return get(f, offset, to, size);
}

/* The NUL-terminated string at offset that ends before `end`; NULL if there is none. */
static const char *string_at(const struct elf_file *f, uint64_t offset, uint64_t end)
{
	if (end > f->size_bytes)
		end = f->size_bytes;
	if (offset >= end || !memchr(f->data + offset, '\0', end - offset))
		return NULL;
	return (const char *)f->data + offset;
}

static bool program_header(const struct elf_file *f, uint32_t i, Elf64_Phdr *p)
{
	Elf64_Ehdr h;

	return get(f, 0, &h, sizeof(h)) && i < h.e_phnum && get_entry(f, h.e_phoff, i, h.e_phentsize, p, sizeof(*p));
}

void elf_open(const uint8_t *data, size_t size_bytes, struct elf_file *f)
{
	uint8_t ident[EI_NIDENT];
	Elf64_Ehdr h;
	Elf64_Phdr p;

	*f = (struct elf_file){.data = data, .size_bytes = size_bytes};
	if (!get(f, 0, ident, sizeof(ident)) || memcmp(ident, ELFMAG, SELFMAG) != 0)
		return;
	f->is_elf = true;
	f->is_64 = ident[EI_CLASS] == ELFCLASS64;
	f->is_little = ident[EI_DATA] == ELFDATA2LSB;
	/* Type and machine are at the same place in both classes. */
	if (size_bytes < EI_NIDENT + 4)
		return;
	memcpy(&f->type, data + EI_NIDENT, 2);
	memcpy(&f->machine, data + EI_NIDENT + 2, 2);
	if (!f->is_64 || !f->is_little || !get(f, 0, &h, sizeof(h)))
		return;
	for (uint32_t i = 0; program_header(f, i, &p); i++) {
		uint64_t end;

		if (p.p_type == PT_DYNAMIC)
			f->has_dynamic = true;
		if (p.p_type == PT_INTERP && !__builtin_add_overflow(p.p_offset, p.p_filesz, &end))
			f->interpreter = string_at(f, p.p_offset, end);
	}
}

/* Where the byte that will be loaded at addr lies in the file; false if nowhere. */
static bool offset_of(const struct elf_file *f, uint64_t addr, uint64_t *offset)
{
	Elf64_Phdr p;

	for (uint32_t i = 0; program_header(f, i, &p); i++) {
		if (p.p_type != PT_LOAD || addr < p.p_vaddr || addr - p.p_vaddr >= p.p_filesz)
			continue;
		return !__builtin_add_overflow(p.p_offset, addr - p.p_vaddr, offset);
	}
	return false;
}

/* Entry i of the dynamic section; false at its end. */
static bool dynamic_entry(const struct elf_file *f, uint32_t i, Elf64_Dyn *d)
{
	Elf64_Phdr p;

	for (uint32_t k = 0; program_header(f, k, &p); k++) {
		if (p.p_type == PT_DYNAMIC)
			return i < p.p_filesz / sizeof(*d) && get_entry(f, p.p_offset, i, sizeof(*d), d, sizeof(*d)) &&
			       d->d_tag != DT_NULL;
	}
	return false;
}

const char *elf_dynamic_string(const struct elf_file *f, int64_t tag, uint32_t n)
{
	uint64_t strings = 0, strings_bytes = 0, value = 0, end;
	bool is_found = false;
	Elf64_Dyn d;

	if (!f->is_64 || !f->is_little)
		return NULL;
	for (uint32_t i = 0; dynamic_entry(f, i, &d); i++) {
		if (d.d_tag == DT_STRTAB)
			strings = d.d_un.d_ptr;
		if (d.d_tag == DT_STRSZ)
			strings_bytes = d.d_un.d_val;
		if (d.d_tag == tag && !is_found && !n--) {
			value = d.d_un.d_val;
			is_found = true;
		}
	}
	if (!is_found || value >= strings_bytes || !offset_of(f, strings, &strings) ||
	    __builtin_add_overflow(strings, strings_bytes, &end))
		return NULL;
	return string_at(f, strings + value, end);
}

uint64_t elf_dynamic_value(const struct elf_file *f, int64_t tag)
{
	Elf64_Dyn d;

	if (!f->is_64 || !f->is_little)
		return 0;
	for (uint32_t i = 0; dynamic_entry(f, i, &d); i++)
		if (d.d_tag == tag)
			return d.d_un.d_val;
	return 0;
}

bool elf_section(const struct elf_file *f, const char *name, const uint8_t **data, size_t *size_bytes)
{
	Elf64_Ehdr h;
	Elf64_Shdr names, s;
	uint64_t end;

	if (!f->is_64 || !f->is_little || !get(f, 0, &h, sizeof(h)) || h.e_shstrndx >= h.e_shnum ||
	    !get_entry(f, h.e_shoff, h.e_shstrndx, h.e_shentsize, &names, sizeof(names)) ||
	    __builtin_add_overflow(names.sh_offset, names.sh_size, &end))
		return false;
	for (uint32_t i = 0; i < h.e_shnum && get_entry(f, h.e_shoff, i, h.e_shentsize, &s, sizeof(s)); i++) {
		uint64_t at;
		const char *found = __builtin_add_overflow(names.sh_offset, (uint64_t)s.sh_name, &at)
					? NULL
					: string_at(f, at, end);

		if (!found || strcmp(found, name) != 0 || s.sh_type == SHT_NOBITS || !s.sh_size)
			continue;
		if (s.sh_offset > f->size_bytes || s.sh_size > f->size_bytes - s.sh_offset)
			return false;
		*data = f->data + s.sh_offset;
		*size_bytes = s.sh_size;
		return true;
	}
	return false;
}
