/* inspect.c - what a program's ELF file says about the libraries it will use. */
#include "cli/inspect.h"

#include "base/check.h"
#include "cli/elf_file.h"
#include "cli/options.h"
#include "cuda/fatbin.h"
#include "threads/site.h"

#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

struct inspection {
	const struct cli_paths *paths;
	const char *path, *what;
	struct elf_file elf;
	bool has_device_code; /* fat binaries in its sections */
	GString *preload;
};

#define REFUSE(i, fmt, ...) (cli_error("cannot run %s: " fmt, (i)->what, ##__VA_ARGS__), false)
#define WARN(i, fmt, ...) cli_error("warning: %s " fmt, (i)->what, ##__VA_ARGS__)

/* ---- the file ---- */

static const char *machine_name(uint16_t machine)
{
	static const struct {
		uint16_t machine;
		const char *name;
	} known[] = {{EM_X86_64, "x86-64"}, {EM_386, "32-bit x86"}, {EM_AARCH64, "64-bit ARM"}, {EM_ARM, "32-bit ARM"},
		     {EM_PPC64, "64-bit POWER"}, {EM_RISCV, "RISC-V"}, {EM_CUDA, "an NVIDIA GPU"}};

	for (uint32_t i = 0; i < ARRAY_COUNT(known); i++)
		if (known[i].machine == machine)
			return known[i].name;
	return "another processor";
}

static uint16_t own_machine(void)
{
	g_autoptr(GMappedFile) self = g_mapped_file_new("/proc/self/exe", FALSE, NULL);
	struct elf_file elf = {0};

	if (self)
		elf_open((const uint8_t *)g_mapped_file_get_contents(self), g_mapped_file_get_length(self), &elf);
	return elf.machine;
}

static bool check_format(const struct inspection *i)
{
	const struct elf_file *f = &i->elf;
	const uint16_t own = own_machine();

	if (f->machine == EM_CUDA)
		return REFUSE(i, "it is device code for a GPU (a cubin); run the program that loads it");
	if (!f->is_64)
		return REFUSE(i, "it is a 32-bit program (%s); CUDA has been 64-bit only since version 9: compile it "
				 "with -m64",
			      f->is_little ? machine_name(f->machine) : "big-endian");
	if (!f->is_little || (own && f->machine != own))
		return REFUSE(i, "it is a program for %s, and this host is %s: compile it here",
			      f->is_little ? machine_name(f->machine) : "a big-endian processor", machine_name(own));
	if (f->type == ET_REL)
		return REFUSE(i, "it is an object file: link it to a program first");
	if (f->type == ET_CORE)
		return REFUSE(i, "it is a core dump");
	return true;
}

/* ---- device code ---- */

/* Are there fat binaries in the section, and can each be run? */
struct device_code {
	uint32_t good_count, bad_count;
	char *message; /* of the first that has no PTX */
};

static void read_section(const struct inspection *i, const char *name, struct device_code *d)
{
	const uint8_t *data;
	size_t size_bytes, bytes;

	if (!elf_section(&i->elf, name, &data, &size_bytes))
		return;
	for (size_t at = 0; at < size_bytes; at += bytes ? (bytes + 7) & ~(size_t)7 : 8) {
		struct base_diag_list diag;
		struct cuda_fatbin_ptx ptx = {0};

		bytes = cuda_fatbin_size(data + at, size_bytes - at);
		if (!bytes)
			continue; /* padding */
		base_diag_init(&diag);
		switch (cuda_fatbin_choose(data + at, bytes, UINT32_MAX, i->what, &ptx, &diag)) {
		case CUDA_FATBIN_FOUND:
			d->good_count++;
			break;
		case CUDA_FATBIN_NO_PTX:
			if (!d->bad_count++)
				d->message = base_diag_join(&diag);
			break;
		default: /* empty ones are the linker's; damaged ones are named when they are loaded */
			break;
		}
		free(ptx.text);
		base_diag_free(&diag);
	}
}

/* A program without kernels and variables of its own registers nothing; nvcc's linker adds a container all the same. */
static bool registers_device_code(const struct inspection *i)
{
	static const char call[] = "__cudaRegisterFatBinary";
	const uint8_t *names;
	size_t size_bytes;

	return !elf_section(&i->elf, ".dynstr", &names, &size_bytes) ||
	       memmem(names, size_bytes, call, sizeof(call)) != NULL;
}

static bool check_device_code(struct inspection *i)
{
	struct device_code whole = {0}, parts = {0};
	bool is_ok = true;

	read_section(i, ".nv_fatbin", &whole);
	read_section(i, "__nv_relfatbin", &parts); /* of nvcc -rdc=true: what .nv_fatbin was linked from */
	i->has_device_code = whole.good_count + whole.bad_count + parts.good_count + parts.bad_count;
	if (!registers_device_code(i)) {
		i->has_device_code = false;
	} else if (whole.bad_count + parts.bad_count && !(whole.good_count + parts.good_count)) {
		fprintf(stderr, "strata: %s\n", whole.message ? whole.message : parts.message);
		is_ok = false;
	} else if (whole.bad_count > 1 || parts.bad_count) {
		/* One is nvcc's own: its linker adds a container without a kernel. */
		WARN(i, "holds PTX for some of its kernels only; the others, machine code, cannot run: compile all "
			"files with the same -gencode arch=compute_XX,code=compute_XX or -arch=sm_XX");
	}
	free(whole.message);
	free(parts.message);
	return is_ok;
}

/* ---- libraries ---- */

static bool needs(const struct inspection *i, const char *prefix)
{
	const char *name;

	for (uint32_t n = 0; (name = elf_dynamic_string(&i->elf, DT_NEEDED, n)); n++)
		if (g_str_has_prefix(name, prefix))
			return true;
	return false;
}

static bool holds_text(const struct inspection *i, const char *text)
{
	const uint8_t *data;
	size_t size_bytes;

	return elf_section(&i->elf, ".rodata", &data, &size_bytes) && memmem(data, size_bytes, text, strlen(text));
}

/* NVIDIA's static runtime opens the driver by name and keeps shared memory of this name; ours is linked to the driver.
 */
static bool has_static_runtime(const struct inspection *i)
{
	if (needs(i, "libcudart.so"))
		return false;
	return holds_text(i, "cudart.shm.") ||
	       (i->has_device_code && !needs(i, "libcuda.so") && holds_text(i, "libcuda.so.1"));
}

/* A program that is linked -static-pie needs no loader either. */
static bool is_library(const struct elf_file *f)
{
	return f->type == ET_DYN && f->has_dynamic &&
	       (elf_dynamic_string(f, DT_SONAME, 0) || !(elf_dynamic_value(f, DT_FLAGS_1) & DF_1_PIE));
}

static bool check_linkage(const struct inspection *i)
{
	if (has_static_runtime(i))
		return REFUSE(i, "it is linked to NVIDIA's static CUDA runtime, which works with NVIDIA's driver only; "
				 "link it to the shared one: nvcc -cudart shared, or for a whole make: "
				 "NVCC_APPEND_FLAGS=\"-cudart shared\" make");
	if (!i->elf.interpreter && i->has_device_code)
		return REFUSE(i, "it is statically linked, so that no library of ours can take the place of CUDA's: "
				 "link it without -static");
	if (!i->elf.interpreter && is_library(&i->elf))
		return REFUSE(i, "it is a shared library; run the program that uses it");
	if (i->elf.interpreter && access(i->elf.interpreter, X_OK))
		return REFUSE(i, "the loader that it names, %s, is not there; it was built for another system",
			      i->elf.interpreter);
	return true;
}

/* OpenACC and OpenMP regions compiled by GCC: libgomp runs them on the host when its plugin is missing, silently. */
static void check_offload(const struct inspection *i)
{
	const uint8_t *functions;
	size_t size_bytes;

	if (!needs(i, "libgomp.so.1") || !elf_section(&i->elf, ".gnu.offload_funcs", &functions, &size_bytes))
		return;
	if (!holds_text(i, "// BEGIN PREAMBLE")) {
		WARN(i, "holds no device code for its OpenACC or OpenMP target regions, which cannot run on the "
			"machine: compile it with -foffload=nvptx-none (package gcc-12-offload-nvptx)");
		return;
	}

	void *plugin = dlopen("libgomp-plugin-nvptx.so.1", RTLD_LAZY);

	if (plugin)
		dlclose(plugin);
	else
		WARN(i, "has OpenACC or OpenMP target regions, and libgomp does not find its plugin for GPUs; they "
			"run on the host: install libgomp-plugin-nvptx1");
}

/* A program that gains rights makes the loader ignore LD_LIBRARY_PATH. */
static bool check_rights(const struct inspection *i)
{
	struct stat st;

	if (stat(i->path, &st))
		return true;

	const bool gains_user = st.st_mode & S_ISUID && st.st_uid != geteuid();
	const bool gains_group = st.st_mode & S_ISGID && st.st_mode & S_IXGRP && st.st_gid != getegid();
	const bool gains_capability = geteuid() && getxattr(i->path, "security.capability", NULL, 0) > 0;

	if (gains_user || gains_group || gains_capability)
		return REFUSE(i,
			      "it is set-%s, and for such a program the loader ignores our libraries: run a copy of it",
			      gains_user    ? "user-id"
			      : gains_group ? "group-id"
					    : "capability");
	return true;
}

/* What the program's own loader says about its libraries: lines "NAME => PATH (0x...)" and "NAME => not found". NULL if
 * it cannot say. */
static char *loader_list(const struct inspection *i)
{
	g_autofree char *name = g_path_get_basename(i->elf.interpreter);
	const bool is_glibc = g_str_has_prefix(name, "ld-linux");
	char *argv[] = {(char *)i->elf.interpreter, is_glibc ? (char *)i->path : (char *)"--list", (char *)i->path,
			NULL};
	g_auto(GStrv) env = g_get_environ();
	g_autofree char *libraries = cli_library_path(i->paths);
	char *out = NULL;

	if (!is_glibc && !g_str_has_prefix(name, "ld-musl"))
		return NULL;
	/* glibc's --list gives up at the first library that is missing; as ldd(1) asks, it names all. */
	if (is_glibc) {
		argv[2] = NULL;
		env = g_environ_setenv(env, "LD_TRACE_LOADED_OBJECTS", "1", TRUE);
	}
	env = g_environ_setenv(env, "LD_LIBRARY_PATH", libraries, TRUE);
	if (!g_spawn_sync(NULL, argv, env, G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &out, NULL, NULL, NULL)) {
		g_free(out);
		return NULL;
	}
	return out;
}

static bool is_in(const char *path, const char *dir)
{
	g_autofree char *of_path = g_path_get_dirname(path);
	char *a = realpath(of_path, NULL), *b = realpath(dir, NULL);
	bool is_same = a && b && !strcmp(a, b);

	free(a);
	free(b);
	return is_same;
}

/* Our own file of that name, or NULL. */
static char *own_library(const struct cli_paths *paths, const char *name)
{
	const char *dirs[] = {paths->driver_dir, paths->runtime_dir, paths->blas_dir};

	for (uint32_t k = 0; k < ARRAY_COUNT(dirs); k++) {
		char *path = g_build_filename(dirs[k], name, NULL);

		if (!access(path, R_OK))
			return path;
		g_free(path);
	}
	return NULL;
}

/* Whether the library is one that we have too, in whatever version. */
static bool is_own_name(const char *name)
{
	return !strcmp(name, "libcuda.so.1") || g_str_has_prefix(name, "libcudart.so.") ||
	       !strcmp(name, "libcublas.so.13") || !strcmp(name, "libcublasLt.so.13");
}

/* Libraries of device code that are not part of CUDA proper, and that we do not have. */
static const char *foreign_library(const char *name)
{
	static const struct {
		const char *prefix, *title;
	} known[] = {{"libcublas", "cuBLAS; Strata has version 13 of it, libcublas.so.13 and libcublasLt.so.13"},
		     {"libcufft", "cuFFT"},	 {"libcurand", "cuRAND"},
		     {"libcusparse", "cuSPARSE"}, {"libcusolver", "cuSOLVER"}, {"libcudnn", "cuDNN"},
		     {"libnccl", "NCCL"},	  {"libnpp", "NPP"},		 {"libnvjpeg", "nvJPEG"},
		     {"libcutensor", "cuTENSOR"}, {"libnvinfer", "TensorRT"},  {"libcupti", "CUPTI"}};

	if (is_own_name(name))
		return NULL;
	for (uint32_t k = 0; k < ARRAY_COUNT(known); k++)
		if (g_str_has_prefix(name, known[k].prefix))
			return known[k].title;
	return NULL;
}

static bool missing(const struct inspection *i, const char *name)
{
	const char *title = foreign_library(name);

	if (title)
		return REFUSE(i, "it needs %s (%s), a library of device code that Strata does not have and this host "
				 "lacks: build the program without it",
			      name, title);
	if (g_str_has_prefix(name, "libcudart.so"))
		return REFUSE(i, "it needs %s; Strata has the runtime of CUDA 11 (libcudart.so.11.0), 12 and 13: "
				 "compile it with one of these",
			      name);
	return REFUSE(i, "it needs the library %s, which the loader does not find: install it, or name its folder in "
			 "LD_LIBRARY_PATH",
		      name);
}

static void found(struct inspection *i, const char *name, const char *path)
{
	const char *title = foreign_library(name);

	if (title && needs(i, name))
		WARN(i, "needs %s (%s), a library of device code that Strata does not have; NVIDIA's, %s, does not run "
			"on it: calls of it will fail",
		     name, title, path);
	if (!is_own_name(name) || is_in(path, i->paths->driver_dir) || is_in(path, i->paths->runtime_dir) ||
	    is_in(path, i->paths->blas_dir))
		return;

	/* A DT_RPATH comes before LD_LIBRARY_PATH, a preloaded library before both. */
	g_autofree char *own = own_library(i->paths, name);

	if (own)
		g_string_append_printf(i->preload, "%s%s", i->preload->len ? ":" : "", own);
	else
		WARN(i, "would use %s, which is not ours: Strata has the runtime of CUDA 11 (libcudart.so.11.0), 12 "
			"and 13",
		     path);
}

static bool check_libraries(struct inspection *i)
{
	g_autofree char *list = i->elf.interpreter ? loader_list(i) : NULL;
	g_auto(GStrv) lines = g_strsplit(list ? list : "", "\n", -1);
	bool is_ok = true;

	for (char **line = lines; *line && is_ok; line++) {
		char *name = g_strstrip(*line), *arrow = strstr(name, " => "), *path, *end;

		if (!arrow)
			continue;
		*arrow = '\0';
		path = arrow + strlen(" => ");
		if (!strcmp(path, "not found")) {
			is_ok = missing(i, name);
			continue;
		}
		end = strstr(path, " (0x");
		if (end)
			*end = '\0';
		found(i, name, path);
	}
	return is_ok;
}

/* ---- all ---- */

bool cli_inspect(const struct cli_paths *paths, const char *path, const char *what, char **preload)
{
	g_autoptr(GMappedFile) file = g_mapped_file_new(path, FALSE, NULL);
	struct inspection i = {.paths = paths, .path = path, .what = what, .preload = g_string_new("")};
	bool is_ok = true;

	if (file)
		elf_open((const uint8_t *)g_mapped_file_get_contents(file), g_mapped_file_get_length(file), &i.elf);
	if (i.elf.is_elf)
		is_ok = check_format(&i) && check_device_code(&i) && check_linkage(&i) && check_rights(&i) &&
			check_libraries(&i);
	if (i.elf.is_elf && is_ok)
		check_offload(&i);
	*preload = g_string_free(i.preload, FALSE);
	return is_ok;
}

/* Is there such a section, and, where words are given, does it hold nothing but that word? */
static bool has_section(const char *path, const char *name, const uint32_t *word)
{
	g_autoptr(GMappedFile) file = g_mapped_file_new(path, FALSE, NULL);
	struct elf_file elf;
	const uint8_t *data;
	size_t size;

	if (!file)
		return false;
	elf_open((const uint8_t *)g_mapped_file_get_contents(file), g_mapped_file_get_length(file), &elf);
	if (!elf.is_elf || !elf_section(&elf, name, &data, &size))
		return false;
	for (size_t i = 0; word && i + sizeof(*word) <= size; i += sizeof(*word))
		if (memcmp(data + i, word, sizeof(*word)))
			return false;
	return true;
}

bool cli_is_of_threads(const char *path)
{
	return has_section(path, "strata_text", NULL);
}

bool cli_is_of_this_version(const char *path)
{
	const uint32_t ours = THREAD_INTERFACE;

	return has_section(path, THREAD_INTERFACE_SECTION, &ours);
}
