/* main.c - strata-toy FILE.toy: a program of the toy, on the machine of the session. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <glib.h>

#include "machine/message.h"
#include "toy.h"

enum { EXIT_MISTAKE = 2 };

struct program {
	const char *path;
	GArray *steps; /* struct toy_step */
	struct toy *toy;
};

/* "work N" or "load N"; empty lines, and those that begin with '#', say nothing. */
static void read_line(struct program *p, const char *line, uint32_t number, struct base_diag_list *diag)
{
	struct toy_step step = {0};
	char word[8];
	int length = 0;

	if (!*line || *line == '#')
		return;
	if (sscanf(line, "%7s %" SCNu64 " %n", word, &step.amount, &length) != 2 || line[length] || !step.amount ||
	    (strcmp(word, "work") && strcmp(word, "load"))) {
		base_diag_error(diag, (struct base_place){p->path, number, 1},
				"'%s': expected 'work OPERATIONS' or 'load BYTES'", line);
		return;
	}
	step.is_load = !strcmp(word, "load");
	g_array_append_val(p->steps, step);
}

static bool read_program(void *ctx, const struct machine_config *c, struct base_diag_list *diag)
{
	struct program *p = ctx;
	g_autofree char *text = NULL;
	g_autoptr(GError) error = NULL;

	(void)c;
	if (!g_file_get_contents(p->path, &text, NULL, &error)) {
		base_diag_error(diag, (struct base_place){0}, "%s", error->message);
		return false;
	}

	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	for (uint32_t i = 0; lines[i]; i++)
		read_line(p, lines[i], i + 1, diag);
	return !diag->error_count;
}

static bool load(void *ctx, const struct machine *m, struct base_diag_list *diag)
{
	struct program *p = ctx;

	(void)diag;
	p->toy = toy_of(m);
	return true;
}

static bool run(void *ctx, struct machine_part_end *end, struct base_diag_list *diag)
{
	const struct program *p = ctx;

	(void)diag;
	toy_run(p->toy, (const struct toy_step *)(void *)p->steps->data, p->steps->len, end);
	return true;
}

static void progress(void *ctx, struct sim_progress *out)
{
	const struct program *p = ctx;

	toy_progress(p->toy, out);
}

static void stop(void *ctx)
{
	const struct program *p = ctx;

	toy_stop(p->toy);
}

int main(int argc, char **argv)
{
	static const struct machine_part_door door = {.part = &machine_toy_part,
						      .read = read_program,
						      .load = load,
						      .run = run,
						      .progress = progress,
						      .stop = stop};
	struct program program = {.path = argv[1]};
	int exit_status;

	if (argc != 2) {
		machine_message("error: expected FILE.toy, and nothing behind it");
		return EXIT_MISTAKE;
	}
	program.steps = g_array_new(FALSE, FALSE, sizeof(struct toy_step));
	exit_status = machine_part_door_main(&door, &program);
	g_array_free(program.steps, TRUE);
	return exit_status;
}
