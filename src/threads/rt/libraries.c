/* libraries.c - shared libraries that strata cc has built: those of another version speak otherwise to the runtime. */
#include "threads/rt/rt.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Is there room for count items of the size at the offset? */
static bool is_inside(uint64_t file_bytes, uint64_t offset, uint64_t count, uint64_t size)
{
	return offset <= file_bytes && count <= (file_bytes - offset) / size;
}

static bool is_ours(const char *word, uint64_t bytes)
{
	const uint32_t ours = THREAD_INTERFACE;

	for (uint64_t i = 0; i + sizeof(ours) <= bytes; i += sizeof(ours))
		if (memcmp(word + i, &ours, sizeof(ours)))
			return false;
	return true;
}

/* What strata cc says of the library; NULL: it has not built it, or its sections cannot be read. */
static const Elf64_Shdr *interface_of(const char *file, uint64_t bytes)
{
	const Elf64_Ehdr *h = (const Elf64_Ehdr *)file;
	const Elf64_Shdr *sections = (const Elf64_Shdr *)(file + (bytes >= sizeof(*h) ? h->e_shoff : 0)), *names;

	if (bytes < sizeof(*h) || !h->e_shoff || !is_inside(bytes, h->e_shoff, h->e_shnum, sizeof(*sections)) ||
	    h->e_shstrndx >= h->e_shnum)
		return NULL;
	names = &sections[h->e_shstrndx];
	for (uint32_t i = 0; i < h->e_shnum; i++) {
		const Elf64_Shdr *s = &sections[i];

		if (s->sh_name < names->sh_size &&
		    is_inside(bytes, names->sh_offset, s->sh_name + sizeof(THREAD_INTERFACE_SECTION), 1) &&
		    !strcmp(file + names->sh_offset + s->sh_name, THREAD_INTERFACE_SECTION) &&
		    is_inside(bytes, s->sh_offset, s->sh_size, 1))
			return s;
	}
	return NULL;
}

/* NULL: it cannot be read. */
static char *map(const char *path, uint64_t *bytes)
{
	int fd = *path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	struct stat st;
	char *file = MAP_FAILED;

	if (fd >= 0 && !fstat(fd, &st) && st.st_size)
		file = RT_REAL(mmap)(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd >= 0)
		close(fd);
	*bytes = file == MAP_FAILED ? 0 : (uint64_t)st.st_size;
	return file == MAP_FAILED ? NULL : file;
}

static int look(struct dl_phdr_info *library, size_t size, void *wrong)
{
	uint64_t bytes;
	char *file = map(library->dlpi_name, &bytes);
	const Elf64_Shdr *s = file ? interface_of(file, bytes) : NULL;

	(void)size;
	if (s && !is_ours(file + s->sh_offset, s->sh_size))
		*(const char **)wrong = library->dlpi_name;
	if (file)
		RT_REAL(munmap)(file, bytes);
	return *(const char **)wrong != NULL;
}

bool rt_library_is_modelled(const char *path)
{
	uint64_t bytes;
	char *file = map(path, &bytes);
	const bool is = file && interface_of(file, bytes);

	if (file)
		RT_REAL(munmap)(file, bytes);
	return is;
}

static int count(struct dl_phdr_info *library, size_t size, void *loaded)
{
	(void)size;
	*(unsigned long long *)loaded = library->dlpi_adds;
	return 1;
}

const char *rt_library_of_another_version(void)
{
	static unsigned long long looked_at;
	unsigned long long loaded = 0;
	const char *wrong = NULL;

	dl_iterate_phdr(count, &loaded);
	if (loaded != looked_at)
		dl_iterate_phdr(look, &wrong);
	looked_at = loaded;
	return wrong;
}
