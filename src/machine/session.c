/* session.c - the session file of a run: written by strata, read by the driver library. */
#include "machine/session.h"

#include "device/device.h"
#include "machine/memories.h"
#include "machine/message.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char default_machine[] = "tom-baseline";

struct session_reader {
	struct machine_session *session;
	uint32_t spare_count;
	struct sim_param_groups groups;
	struct base_diag_list *diag;
};

static void copy_text(char *out, size_t size_bytes, const char *key, const char *value, struct base_place at,
		      struct base_diag_list *diag)
{
	if (g_strlcpy(out, value, size_bytes) >= size_bytes)
		base_diag_error(diag, at, "'%s' is longer than %zu bytes", key, size_bytes - 1);
}

/* A memory by name; its values come later. */
static void add_memory(struct session_reader *r, const char *name, struct base_place at)
{
	machine_memory_need(&r->session->config, name, at, r->diag);
	machine_config_groups(&r->session->config, &r->groups);
}

static void drop_gpu(struct session_reader *r)
{
	machine_config_drop(&r->session->config, &machine_gpu_part);
	machine_config_groups(&r->session->config, &r->groups);
}

/* One line "key = value"; empty lines and lines that begin with '#' say nothing. */
static void read_line(struct session_reader *r, char *line, struct base_place at)
{
	g_strstrip(line);
	if (!*line || *line == '#')
		return;

	char *equals = strchr(line, '=');

	if (!equals) {
		base_diag_error(r->diag, at, "expected 'key = value', found '%s'", line);
		return;
	}
	*equals = '\0';

	char *key = g_strchomp(line);
	char *value = g_strchug(equals + 1);
	struct machine_session *s = r->session;

	if (!strcmp(key, "machine"))
		copy_text(s->machine, sizeof(s->machine), key, value, at, r->diag);
	else if (!strcmp(key, "result"))
		copy_text(s->result_path, sizeof(s->result_path), key, value, at, r->diag);
	else if (!strcmp(key, "design"))
		copy_text(s->design_path, sizeof(s->design_path), key, value, at, r->diag);
	else if (!strcmp(key, "check"))
		copy_text(s->check_path, sizeof(s->check_path), key, value, at, r->diag);
	else if (!strcmp(key, "live"))
		copy_text(s->live_path, sizeof(s->live_path), key, value, at, r->diag);
	else if (!strcmp(key, "program"))
		copy_text(s->program, sizeof(s->program), key, value, at, r->diag);
	else if (!strcmp(key, "threads"))
		s->threads = (uint32_t)strtoul(value, NULL, 10);
	else if (!strcmp(key, "gpu") && !strcmp(value, "none"))
		drop_gpu(r);
	else if (!strcmp(key, "memory"))
		add_memory(r, value, at);
	else if (!strcmp(key, "spare") && r->spare_count < MACHINE_SPARES_MAX)
		copy_text(s->spare_paths[r->spare_count++], sizeof(s->spare_paths[0]), key, value, at, r->diag);
	else
		sim_param_set(r->groups.items, r->groups.count, key, value, at, r->diag);
}

static bool read_file(const char *path, struct session_reader *r)
{
	struct base_place at = {path, 0, 0};
	FILE *f = fopen(path, "r");
	char *line = NULL;
	size_t line_bytes = 0;

	if (!f) {
		base_diag_error(r->diag, at, "cannot open the session that STRATA_SESSION names: %s", strerror(errno));
		return false;
	}
	at.col = 1;
	while (getline(&line, &line_bytes, f) >= 0) {
		at.line++;
		read_line(r, line, at);
	}
	if (ferror(f))
		base_diag_error(r->diag, (struct base_place){path, 0, 0}, "cannot read the session: %s",
				strerror(errno));
	free(line);
	fclose(f);
	return true;
}

uint32_t machine_session_use_threads(const struct machine_session *s, struct device *d)
{
	const char *why = "this machine steps one part after the other";
	uint32_t count = 1;

	if (s->threads < 2)
		return 1;
	if (d && d->ops && d->ops->use_threads)
		count = d->ops->use_threads(d, s->threads, &why);
	if (count == 1)
		machine_message("--threads %u: the simulation runs on one thread: %s", s->threads, why);
	return count;
}

uint64_t machine_session_deadline_ns(void)
{
	const char *text = getenv(MACHINE_DEADLINE_VARIABLE);

	return text ? strtoull(text, NULL, 10) : 0;
}

bool machine_session_load(struct machine_session *s, struct base_diag_list *diag)
{
	const char *path = getenv("STRATA_SESSION");
	uint32_t errors_before = diag->error_count;
	struct session_reader r = {.session = s, .diag = diag};

	*s = (struct machine_session){.is_default = !path || !*path};
	g_strlcpy(s->machine, default_machine, sizeof(s->machine));
	machine_config_defaults(&s->config, machine_parts);
	machine_config_groups(&s->config, &r.groups);
	if (s->is_default)
		return true;
	return read_file(path, &r) && machine_config_check(&s->config, diag) && diag->error_count == errors_before;
}

void machine_session_write_threads(FILE *session, uint32_t threads)
{
	fprintf(session, "threads = %u\n", threads);
}

bool machine_session_write(const char *path, const struct machine_session *s)
{
	struct machine_config config = s->config;
	struct sim_param_groups groups;
	FILE *f = fopen(path, "w");

	if (!f)
		return false;
	fprintf(f, "machine = %s\n", s->machine);
	if (*s->result_path)
		fprintf(f, "result = %s\n", s->result_path);
	if (*s->design_path)
		fprintf(f, "design = %s\n", s->design_path);
	if (*s->check_path)
		fprintf(f, "check = %s\n", s->check_path);
	if (*s->live_path)
		fprintf(f, "live = %s\n", s->live_path);
	if (*s->program)
		fprintf(f, "program = %s\n", s->program);
	if (s->threads)
		machine_session_write_threads(f, s->threads);
	for (uint32_t i = 0; i < MACHINE_SPARES_MAX; i++)
		if (*s->spare_paths[i])
			fprintf(f, "spare = %s\n", s->spare_paths[i]);
	if (!machine_config_has_gpu(&config))
		fputs("gpu = none\n", f);
	for (uint32_t i = 0; i < machine_memories_of(&config)->count; i++)
		fprintf(f, "memory = %s\n", machine_memories_of(&config)->items[i].name);
	machine_config_groups_present(&config, &groups);
	for (uint32_t g = 0; g < groups.count; g++) {
		const struct sim_param_group *group = &groups.items[g];

		for (uint32_t i = 0; i < group->row_count; i++) {
			char value[128];

			sim_param_format(group, &group->rows[i], value, sizeof(value));
			fprintf(f, "%s.%s = %s\n", group->prefix, group->rows[i].name, value);
		}
	}

	bool is_written = !ferror(f);
	int error = errno;

	if (fclose(f))
		return false;
	if (!is_written)
		errno = error;
	return is_written;
}

/* Makes the file of process number n. False when another process has it. */
static bool take(const char *base, uint32_t n, char *path, size_t path_bytes)
{
	char numbered[sizeof(((struct machine_session *)NULL)->result_path) + 16];
	int fd;

	snprintf(numbered, sizeof(numbered), "%s.%u", base, n);
	fd = open(numbered, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 && errno == EEXIST)
		return false;
	/* Where no file can be made, writing the results will say so. */
	if (fd >= 0)
		close(fd);
	g_strlcpy(path, numbered, path_bytes);
	return true;
}

static void number_append(char *path, size_t path_bytes, uint32_t n)
{
	char number[16];

	if (!*path)
		return;
	snprintf(number, sizeof(number), ".%u", n);
	g_strlcat(path, number, path_bytes);
}

void machine_session_claim(struct machine_session *s)
{
	char *path = *s->result_path ? s->result_path : s->check_path;
	g_autofree char *base = g_strdup(path);

	s->process = 1;
	if (!*base)
		return;
	while (!take(base, s->process, path, sizeof(s->result_path)))
		s->process++;
	g_autofree char *mark = g_strconcat(path, ".lost", NULL);

	base_bug_set_mark(mark);
	if (path == s->result_path)
		number_append(s->check_path, sizeof(s->check_path), s->process);
	number_append(s->live_path, sizeof(s->live_path), s->process);
	for (uint32_t i = 0; i < MACHINE_SPARES_MAX; i++)
		number_append(s->spare_paths[i], sizeof(s->spare_paths[i]), s->process);
}

bool machine_session_keep(const struct machine_session *s, const char *path,
			  bool (*write)(const char *path, const void *what), const void *what)
{
	bool is_kept = write(path, what);
	const int error = errno;

	for (uint32_t i = 0; i < MACHINE_SPARES_MAX && *s->spare_paths[i]; i++) {
		if (is_kept)
			unlink(s->spare_paths[i]);
		else
			is_kept = write(s->spare_paths[i], what);
	}
	errno = error;
	return is_kept;
}
