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

/* Also of a library that strata cc has not built, or whose sections cannot be read. */
static bool is_of_this_version(const char *file, uint64_t bytes)
{
	const Elf64_Ehdr *h = (const Elf64_Ehdr *)file;
	const Elf64_Shdr *sections = (const Elf64_Shdr *)(file + (bytes >= sizeof(*h) ? h->e_shoff : 0)), *names;

	if (bytes < sizeof(*h) || !h->e_shoff || !is_inside(bytes, h->e_shoff, h->e_shnum, sizeof(*sections)) ||
	    h->e_shstrndx >= h->e_shnum)
		return true;
	names = &sections[h->e_shstrndx];
	for (uint32_t i = 0; i < h->e_shnum; i++) {
		const Elf64_Shdr *s = &sections[i];

		if (s->sh_name < names->sh_size &&
		    is_inside(bytes, names->sh_offset, s->sh_name + sizeof(THREAD_INTERFACE_SECTION), 1) &&
		    !strcmp(file + names->sh_offset + s->sh_name, THREAD_INTERFACE_SECTION) &&
		    is_inside(bytes, s->sh_offset, s->sh_size, 1) && !is_ours(file + s->sh_offset, s->sh_size))
			return false;
	}
	return true;
}

static int look(struct dl_phdr_info *library, size_t size, void *wrong)
{
	int fd = *library->dlpi_name ? open(library->dlpi_name, O_RDONLY | O_CLOEXEC) : -1;
	struct stat st;
	char *file = MAP_FAILED;

	(void)size;
	if (fd >= 0 && !fstat(fd, &st) && st.st_size)
		file = RT_REAL(mmap)(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd >= 0)
		close(fd);
	if (file == MAP_FAILED)
		return 0;
	if (!is_of_this_version(file, (uint64_t)st.st_size))
		*(const char **)wrong = library->dlpi_name;
	RT_REAL(munmap)(file, (size_t)st.st_size);
	return *(const char **)wrong != NULL;
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
