/* provenance.c - collects what made a result. */
#include "cli/provenance.h"

#include "cli/commit.h"
#include "cli/job.h"
#include "machine/cpu.h"
#include "machine/parts.h"

#include <errno.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

enum { READ_BYTES = 65536 };

static json_t *command_line;
static char *begin_date;

static json_t *text_json(const char *text)
{
	g_autofree char *valid = g_utf8_make_valid(text, -1); /* arguments and paths are bytes, JSON wants UTF-8 */

	return json_string(valid);
}

void cli_provenance_begin(int argc, char **argv)
{
	g_autoptr(GDateTime) now = g_date_time_new_now_utc();

	begin_date = g_date_time_format(now, "%Y-%m-%dT%H:%M:%SZ");
	command_line = json_array();
	for (int i = 0; i < argc; i++)
		json_array_append_new(command_line, text_json(argv[i]));
}

const char *cli_version(void)
{
	return STRATA_VERSION " (commit " STRATA_COMMIT ")";
}

char *cli_file_sha256(const char *path)
{
	GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
	FILE *f = fopen(path, "rb");
	char *text = NULL;
	guchar buffer[READ_BYTES];
	size_t length;

	while (f && (length = fread(buffer, 1, sizeof(buffer), f)) > 0)
		g_checksum_update(sum, buffer, (gssize)length);
	if (f && !ferror(f))
		text = g_strdup(g_checksum_get_string(sum));
	if (f)
		fclose(f);
	g_checksum_free(sum);
	return text;
}

static void put_text(json_t *o, const char *key, const char *text)
{
	json_object_set_new(o, key, text && *text ? text_json(text) : json_null());
}

/* Of a text that is in one file, the file's; of one that includes others, of a line for each with its file's sum. */
static char *sources_sha256(char **(*sources)(const char *path), const char *path)
{
	g_auto(GStrv) files = sources(path);
	g_autoptr(GString) sums = g_string_new(NULL);

	for (char **file = files; file && *file; file++) {
		g_autofree char *sum = cli_file_sha256(*file);

		if (!sum)
			return NULL;
		if (!files[1])
			return g_steal_pointer(&sum);
		g_string_append_printf(sums, "%s\n", sum);
	}
	return files ? g_compute_checksum_for_string(G_CHECKSUM_SHA256, sums->str, -1) : NULL;
}

static char *target_sha256(const struct cli_target *target)
{
	const char *file = cli_target_file(target);

	return target->part && target->part->files->sources ? sources_sha256(target->part->files->sources, file)
							    : cli_file_sha256(file);
}

static void program_add(const struct cli_target *target, json_t *o)
{
	g_autofree char *path = g_canonicalize_filename(cli_target_file(target), NULL);
	g_autofree char *sum = target_sha256(target);

	put_text(o, "program_path", path);
	put_text(o, "program_sha256", sum);
}

void cli_provenance_put(json_t *result)
{
	struct utsname host;

	put_text(result, "version", STRATA_VERSION);
	put_text(result, "source_commit", STRATA_COMMIT);
	put_text(result, "host", uname(&host) ? NULL : host.nodename);
	put_text(result, "date", begin_date);
	json_object_set(result, "command_line", command_line);
}

void cli_provenance_add(const struct cli_job *job, json_t *result)
{
	g_autofree char *machine = machine_description_text(&job->machine->config);

	program_add(job->target, result);
	put_text(result, "machine_file", job->machine->machine_file);
	put_text(result, "machine_text", machine);
	cli_provenance_put(result);
}

static void feed(GChecksum *sum, const char *text)
{
	/* With its NUL, so that "ab", "c" is not "a", "bc". */
	g_checksum_update(sum, (const guchar *)(text ? text : ""), text ? (gssize)strlen(text) + 1 : 1);
}

/* Limits of time decide whether a run ends, not what it is then: with another one it can be taken from the store. */
static char *machine_text_without_limits(const struct machine_session *machine)
{
	struct machine_config config = machine->config;
	struct run_params *run = machine_config_at(&config, &machine_run_part);

	run->timeout_wall_ns = run->timeout_simulated_ps = 0;
	return machine_description_text(&config);
}

/* Of the driver and of the BLAS, whose kernels are as much of a run as a program's own. Where there is no BLAS, of the
 * driver alone. */
static char *gpu_model_sha256(const struct cli_paths *paths)
{
	static const char *const names[] = {"libcublas.so.13", "libcublasLt.so.13"};
	g_autofree char *driver = g_build_filename(paths->driver_dir, "libcuda.so.1", NULL);
	g_autofree char *sum = cli_file_sha256(driver);
	GChecksum *all = g_checksum_new(G_CHECKSUM_SHA256);
	char *text = NULL;

	feed(all, sum);
	for (uint32_t i = 0; i < ARRAY_COUNT(names); i++) {
		g_autofree char *blas = g_build_filename(paths->blas_dir, names[i], NULL);
		g_autofree char *of_blas = cli_file_sha256(blas);

		feed(all, of_blas);
	}
	if (sum)
		text = g_strdup(g_checksum_get_string(all));
	g_checksum_free(all);
	return text;
}

struct cli_models cli_models_read(const struct cli_paths *paths)
{
	g_autofree char *processors = g_build_filename(paths->threads_dir, "strata-cpu.so", NULL);
	struct cli_models m = {.driver = gpu_model_sha256(paths), .processors = cli_file_sha256(processors)};

	for (uint32_t i = 0; machine_parts[i]; i++)
		if (machine_parts[i]->files) {
			g_autofree char *door = cli_door_path(paths, machine_parts[i]);

			m.doors[i] = cli_file_sha256(door);
		}
	return m;
}

void cli_models_free(struct cli_models *m)
{
	g_free(m->driver);
	g_free(m->processors);
	for (uint32_t i = 0; i < MACHINE_PARTS_MAX; i++)
		g_free(m->doors[i]);
}

static const char *model_of(const struct machine_config *config, const struct cli_models *models)
{
	for (uint32_t i = 0; machine_parts[i]; i++)
		if (machine_parts[i]->files && machine_config_has(config, machine_parts[i]))
			return models->doors[i];
	return machine_cpu_params(config) ? models->processors : models->driver;
}

char *cli_run_key(const struct cli_job *job, const struct cli_models *models)
{
	const char *model = model_of(&job->machine->config, models);
	g_autofree char *program = target_sha256(job->target);
	g_autofree char *input = job->input_path ? cli_file_sha256(job->input_path) : NULL;
	g_autofree char *machine = machine_text_without_limits(job->machine);
	/* The library is named by what decides it. */
	g_autofree char *design = g_path_get_basename(job->machine->design_path);

	if (!program || !model || (job->input_path && !input))
		return NULL;

	GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);

	feed(sum, model);
	feed(sum, program);
	feed(sum, job->machine->machine);
	feed(sum, machine);
	if (*job->machine->design_path)
		feed(sum, design);
	feed(sum, input);
	feed(sum, job->verify.command);
	feed(sum, job->verify.text);
	for (char **arg = cli_target_arguments(job->target); *arg; arg++)
		feed(sum, *arg);

	char *key = g_strdup(g_checksum_get_string(sum));

	g_checksum_free(sum);
	return key;
}
