/* library.c - host code of a kernel's text: kept where it is, else compiled, and loaded.
 *
 * Code is kept in $XDG_CACHE_HOME/strata/kernels (~/.cache) as KEY-SUM.so: the key is the checksum of all that decides
 * it (the text, the options, the compiler), the sum that of the file, so that a damaged one is not loaded. Two who
 * compile the same at once each make their own, and one of them stays. Where nothing can be kept, code is used once; so
 * it is where the folder or the file is another user's, or may be written by one.
 */
#include <dlfcn.h>
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/kept.h"
#include "simt/native/native.h"

static const char *const compilers[] = {"clang-16", "clang", "gcc", "cc"};

static const char *const common_options[] = {
    "-x",
    "c",
    "-std=gnu17",
    "-fPIC",
    "-shared",
    "-nostdlib",
    "-w",
    "-fvisibility=hidden",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-ffp-contract=off",
    "-fno-strict-aliasing",
    "-fwrapv",
    "-fno-stack-protector",
    "-fno-asynchronous-unwind-tables",
};

/* The instruction sets for which alu/ is built. */
static const char *const isa_options[SIMT_ISA_COUNT][14] = {
#if defined(__x86_64__)
    [SIMT_ISA_PORTABLE] = {"-march=x86-64"},
    [SIMT_ISA_AVX2] = {"-march=x86-64", "-mavx2", "-mfma", "-mf16c", "-mbmi", "-mbmi2", "-mlzcnt", "-mpopcnt"},
    [SIMT_ISA_AVX512] = {"-march=x86-64", "-mavx2", "-mfma", "-mf16c", "-mbmi", "-mbmi2", "-mlzcnt", "-mpopcnt",
			 "-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl", "-mavx512cd"},
#else
    [SIMT_ISA_PORTABLE] = {NULL},
#endif
};

static GPtrArray *command(char *compiler, enum simt_isa isa)
{
	GPtrArray *argv = g_ptr_array_new();

	g_ptr_array_add(argv, compiler);
	/* Both vectorise so; clang takes twice the time for the third level. */
	g_ptr_array_add(argv, (char *)(strstr(compiler, "clang") ? "-O2" : "-O3"));
	for (uint32_t i = 0; i < G_N_ELEMENTS(common_options); i++)
		g_ptr_array_add(argv, (char *)common_options[i]);
	for (uint32_t i = 0; isa_options[isa][i]; i++)
		g_ptr_array_add(argv, (char *)isa_options[isa][i]);
	return argv;
}

static char *compiler_find(void)
{
	for (uint32_t i = 0; i < G_N_ELEMENTS(compilers); i++) {
		char *path = g_find_program_in_path(compilers[i]);

		if (path)
			return path;
	}
	return NULL;
}

/* All that decides the code. Of the compiler, its file: asking it for its version takes longer than all else here. */
static char *key_of(const char *text, const GPtrArray *argv)
{
	g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
	g_autofree char *file = NULL;
	GStatBuf st;

	for (uint32_t i = 0; i < argv->len; i++)
		g_checksum_update(sum, argv->pdata[i], (gssize)strlen(argv->pdata[i]) + 1);
	if (!g_stat(argv->pdata[0], &st)) {
		file = g_strdup_printf("%lld %lld", (long long)st.st_size, (long long)st.st_mtime);
		g_checksum_update(sum, (const guchar *)file, -1);
	}
	g_checksum_update(sum, (const guchar *)text, -1);
	return g_strdup(g_checksum_get_string(sum));
}

static bool open_library(struct simt_native *n, const char *path)
{
	union {
		void *object;
		native_fn fn;
	} symbol;

	n->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!n->library) {
		n->why = g_strdup_printf("its host code cannot be loaded: %s", dlerror());
		return false;
	}
	symbol.object = dlsym(n->library, "strata_native");
	n->fn = symbol.fn;
	if (!n->fn)
		n->why = g_strdup_printf("its host code %s has no function strata_native", path);
	return n->fn != NULL;
}

/* A new folder for what is compiled now: in the cache, or, where that cannot be written, elsewhere for this run. */
static char *scratch_new(const char *kept)
{
	char *folder = g_build_filename(kept, "make-XXXXXX", NULL);

	if (!g_mkdir_with_parents(kept, 0700) && base_kept_is_ours(kept, S_IFDIR) && g_mkdtemp(folder))
		return folder;
	g_free(folder);
	return g_dir_make_tmp("strata-kernels-XXXXXX", NULL);
}

/* What changes code, or preloads libraries, is not the compiler's: it is in no key. */
static char **environment(void)
{
	static const char *const passed[] = {"PATH", "HOME", "TMPDIR"};
	char **e = g_environ_setenv(NULL, "LC_ALL", "C", TRUE);

	for (uint32_t i = 0; i < G_N_ELEMENTS(passed); i++)
		if (g_getenv(passed[i]))
			e = g_environ_setenv(e, passed[i], g_getenv(passed[i]), TRUE);
	return e;
}

static bool compile(struct simt_native *n, GPtrArray *argv, const char *source, const char *library)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *said = NULL;
	g_auto(GStrv) env = environment();
	char *const rest[] = {(char *)"-o", (char *)library, (char *)source, NULL};
	int status;

	for (uint32_t i = 0; i < G_N_ELEMENTS(rest); i++)
		g_ptr_array_add(argv, rest[i]);
	if (!g_spawn_sync(NULL, (char **)argv->pdata, env, G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL, &said,
			  &status, &error)) {
		n->why = g_strdup_printf("%s does not run: %s", (char *)argv->pdata[0], error->message);
		return false;
	}
	if (g_spawn_check_wait_status(status, NULL))
		return true;
	if (said && strchr(said, '\n'))
		*strchr(said, '\n') = '\0';
	n->why = g_strdup_printf("%s fails: %s", (char *)argv->pdata[0], said && *said ? said : "it says nothing");
	return false;
}

/* Nobody else can have written one: what is kept runs in this process. */
static struct base_kept kept_in(const char *folder)
{
	return (struct base_kept){.folder = folder, .sum_digits = 16, .is_of_user_only = true};
}

static void make(struct simt_native *n, GPtrArray *argv, const char *kept, const char *key)
{
	const struct base_kept libraries = kept_in(kept);
	g_autofree char *scratch = scratch_new(kept), *source = NULL, *library = NULL, *name = NULL;

	if (!scratch) {
		n->why = g_strdup_printf("no folder can be written: %s", strerror(errno));
		return;
	}
	source = g_build_filename(scratch, "kernel.c", NULL);
	library = g_build_filename(scratch, "kernel.so", NULL);
	if (!g_file_set_contents(source, n->text, -1, NULL)) {
		n->why = g_strdup_printf("%s cannot be written", source);
	} else if (compile(n, argv, source, library) && open_library(n, library)) {
		name = base_kept_is_ours(kept, S_IFDIR) ? base_kept_name(&libraries, key, library) : NULL;
		if (name && !g_chmod(library, 0700))
			(void)!g_rename(library, name);
	}
	g_remove(source);
	g_remove(library);
	g_rmdir(scratch);
}

void native_load(struct simt_native *n, enum simt_isa isa, bool may_compile)
{
	g_autofree char *kept = g_build_filename(g_get_user_cache_dir(), "strata", "kernels", NULL);
	g_autofree char *compiler = compiler_find(), *key = NULL, *found = NULL;
	const struct base_kept libraries = kept_in(kept);
	GPtrArray *argv;

	if (!compiler) {
		n->why = g_strdup("there is no C compiler: clang-16, clang, gcc or cc");
		return;
	}
	argv = command(compiler, isa);
	key = key_of(n->text, argv);
	found = base_kept_is_ours(kept, S_IFDIR) ? base_kept_find(&libraries, key) : NULL;
	if (found)
		open_library(n, found);
	else if (may_compile)
		make(n, argv, kept, key);
	g_ptr_array_free(argv, TRUE);
}

void native_unload(struct simt_native *n)
{
	if (n->library)
		dlclose(n->library);
	g_free(n->text);
	g_free(n->why);
	*n = (struct simt_native){0};
}
