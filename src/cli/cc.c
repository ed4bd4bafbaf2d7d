/* cc.c - strata cc and strata c++: clang with our plugin, and our runtime where it links a program. */
#include "cli/command.h"

#include "base/check.h"
#include "cli/options.h"
#include "cli/paths.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* Options whose value is the next argument. */
static const char *const with_value[] = {"-o",
					 "-x",
					 "-I",
					 "-D",
					 "-U",
					 "-L",
					 "-l",
					 "-include",
					 "-isystem",
					 "-iquote",
					 "-idirafter",
					 "-imacros",
					 "-isysroot",
					 "-iprefix",
					 "-iwithprefix",
					 "--sysroot",
					 "-MF",
					 "-MT",
					 "-MQ",
					 "-MJ",
					 "-Xlinker",
					 "-Xclang",
					 "-Xpreprocessor",
					 "-Xassembler",
					 "-mllvm",
					 "-target",
					 "-arch",
					 "-T",
					 "-u",
					 "-z",
					 "-e",
					 "-rpath",
					 "--param",
					 "-B",
					 "-gcc-toolchain",
					 "-working-directory"};
/* Options after which nothing is linked, or no program that runs by itself. */
static const char *const no_program[] = {
    "-c", "-S",        "-E",        "-M",           "-MM",          "-fsyntax-only",      "-shared",
    "-r", "--analyze", "-emit-ast", "-dumpmachine", "-dumpversion", "-print-search-dirs", "--version"};
static const char *const sanitizers[] = {"-fsanitize=address", "-fsanitize=thread", "-fsanitize=memory",
					 "-fsanitize=leak", "-fsanitize=hwaddress"};

struct line {
	bool is_program; /* something is linked that gets the runtime */
	bool is_library; /* -shared: it has the functions of mathematics itself */
	bool has_input, is_lld;
	const char *refused; /* an option that cannot be */
};

static bool is_one_of(const char *text, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(text, list[i]))
			return true;
	return false;
}

static void look(struct line *line, int argc, char **argv, uint32_t depth);

/* The options that a response file holds, by the shell's rules of quoting, as clang reads them. */
static void look_into(struct line *line, const char *path, uint32_t depth)
{
	g_autofree char *text = NULL;
	g_auto(GStrv) words = NULL;
	gint count;

	if (depth < 8 && g_file_get_contents(path, &text, NULL, NULL) && g_shell_parse_argv(text, &count, &words, NULL))
		look(line, count, words, depth + 1);
}

static void look(struct line *line, int argc, char **argv, uint32_t depth)
{
	for (int i = 0; i < argc; i++) {
		const char *a = argv[i];

		if (a[0] == '@' && a[1])
			look_into(line, a + 1, depth);
		else if (a[0] != '-' || !a[1] || !strncmp(a, "-l", 2))
			line->has_input = true;
		if (!strcmp(a, "-shared"))
			line->is_library = true;
		if ((!strncmp(a, "-fuse-ld=", 9) || !strncmp(a, "--ld-path=", 10)) && strstr(a, "lld"))
			line->is_lld = true;
		if (is_one_of(a, no_program, ARRAY_COUNT(no_program)) || !strncmp(a, "-print-", 7))
			line->is_program = false;
		else if (!strcmp(a, "-static") || !strcmp(a, "-static-pie") ||
			 is_one_of(a, sanitizers, ARRAY_COUNT(sanitizers)))
			line->refused = a;
		if (is_one_of(a, with_value, ARRAY_COUNT(with_value)))
			i++;
	}
}

/* What programs execute in the place of the C library's functions of mathematics; where it was built (math/build). */
static void add_math(GPtrArray *args, const char *dir)
{
	g_autofree char *library = g_build_filename(dir, "libstrata-math.a", NULL);

	if (access(library, R_OK))
		return;
	g_ptr_array_add(args, g_strdup_printf("-Wl,%s,--push-state,--as-needed", library));
	g_ptr_array_add(args, g_strdup("-lm"));
	g_ptr_array_add(args, g_strdup("-Wl,--pop-state"));
}

static int start(const char *compiler, const char *dir, int argc, char **argv)
{
	struct line line = {.is_program = true};
	g_autoptr(GPtrArray) args = g_ptr_array_new_with_free_func(g_free);

	look(&line, argc - 1, argv + 1, 0);
	if (line.refused) {
		cli_error(
		    "%s: %s: the runtime loads the model when the program starts, and has an allocator of its own",
		    argv[0], line.refused);
		return CLI_USAGE;
	}
	g_ptr_array_add(args, g_strdup(compiler));
	g_ptr_array_add(args, g_strdup("--start-no-unused-arguments"));
	g_ptr_array_add(args, g_strdup_printf("-fpass-plugin=%s/strata-plugin.so", dir));
	g_ptr_array_add(args, g_strdup("-isystem"));
	g_ptr_array_add(args, g_strdup_printf("%s/include", dir));
	g_ptr_array_add(args, g_strdup_printf("-L%s", dir));
	g_ptr_array_add(args, g_strdup("--end-no-unused-arguments"));
	for (int i = 1; i < argc; i++)
		g_ptr_array_add(args, g_strdup(argv[i]));
	g_ptr_array_add(args, g_strdup("--start-no-unused-arguments"));
	g_ptr_array_add(args, g_strdup("-fno-lto"));
	if (line.is_program && line.has_input) {
		g_ptr_array_add(args, g_strdup("-no-pie"));
		/* Data begin at a multiple of 1 MB whatever the code before them takes, ours included, so that the
		 * model's addresses, and with them a run's time, are not a matter of our code's size (start.c has the
		 * rest). LLVM's linker makes programs of these options that do not start. */
		if (!line.is_lld)
			g_ptr_array_add(args,
					g_strdup("-Wl,-z,max-page-size=0x100000,-z,common-page-size=0x100000"));
		g_ptr_array_add(args,
				g_strdup_printf("-Wl,--whole-archive,%s/libstrata-threads.a,--no-whole-archive", dir));
		g_ptr_array_add(args, g_strdup_printf("-Wl,%s/libstrata-tsan.a", dir));
		g_ptr_array_add(args, g_strdup("-Wl,--export-dynamic-symbol=__strata_*"));
		add_math(args, dir);
		g_ptr_array_add(args, g_strdup("-lgcc_s"));
	} else if (line.is_library && line.has_input) {
		add_math(args, dir);
	}
	g_ptr_array_add(args, g_strdup("--end-no-unused-arguments"));
	g_ptr_array_add(args, NULL);
	signal(SIGPIPE, SIG_DFL);
	execvp(compiler, (char **)args->pdata);
	cli_error("%s: cannot start %s: %s", argv[0], compiler, strerror(errno));
	return CLI_UNABLE;
}

static int compile(const char *compiler, int argc, char **argv)
{
	struct cli_paths paths;
	int exit_status;

	cli_paths_find(&paths);

	g_autofree char *plugin = g_build_filename(paths.threads_dir, "strata-plugin.so", NULL);

	if (access(plugin, R_OK)) {
		cli_error(
		    "%s: this Strata was built without it: install the Debian packages clang-16, llvm-16-dev and g++, "
		    "and build Strata again by ./quickstart",
		    argv[0]);
		exit_status = CLI_UNABLE;
	} else {
		exit_status = start(compiler, paths.threads_dir, argc, argv);
	}
	cli_paths_free(&paths);
	return exit_status;
}

int cli_cc(int argc, char **argv)
{
	return compile("clang-16", argc, argv);
}

int cli_cxx(int argc, char **argv)
{
	return compile("clang++-16", argc, argv);
}
