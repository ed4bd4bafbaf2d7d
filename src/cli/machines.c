/* machines.c - loading of machines; settings that several of them share. */
#include "cli/machines.h"

#include "cli/message.h"
#include "hdl/build.h"
#include "machine/description.h"
#include "machine/hdl.h"
#include "machine/machine.h"
#include "simt/checkpoint.h"

#include <string.h>

/* The design that stands for cores, built. */
static void design_load(const struct cli_paths *paths, struct machine_session *s, struct base_diag_list *diag)
{
	const struct hdl_sources from = {.designs = paths->designs, .shim = paths->hdl_shim};
	g_autofree char *file = hdl_design_find(&from, machine_hdl_params(&s->config)->design, diag);
	g_autofree char *library = file ? hdl_design_build(&from, file, machine_hdl_params(&s->config), diag) : NULL;

	if (library && g_strlcpy(s->design_path, library, sizeof(s->design_path)) >= sizeof(s->design_path))
		base_diag_error(diag, (struct base_place){0},
				"hdl.design: the folder of kept designs has too long a name");
}

/* The machine with the settings, unchecked. */
static void description_set(const struct cli_paths *paths, const char *name, const GPtrArray *sets,
			    struct machine_description *out, struct base_diag_list *diag)
{
	if (machine_description_load(name, &paths->machines, &paths->memories, out, diag))
		for (uint32_t i = 0; i < sets->len; i++)
			machine_description_set(&out->config, sets->pdata[i], "--set", &paths->memories, diag);
}

static void description_check(const struct machine_description *d, struct base_diag_list *diag)
{
	if (!diag->error_count)
		machine_config_check(&d->config, diag);
	if (!diag->error_count && !machine_config_runner(&d->config))
		base_diag_error(diag, (struct base_place){0},
				"machine '%s' has no GPU: nothing in it runs CUDA kernels; `strata mem` drives its "
				"memories",
				d->about.name);
}

/* is_estimated: who estimates what other machines would do reads what this one does not. */
static void description_read(const struct cli_paths *paths, const char *name, const GPtrArray *sets, bool is_estimated,
			     struct machine_description *out, struct base_diag_list *diag)
{
	description_set(paths, name, sets, out, diag);
	description_check(out, diag);
	if (!diag->error_count && !is_estimated)
		machine_config_check_read(&out->config, diag);
}

bool cli_machine_is_legal(const struct cli_paths *paths, const char *name, const GPtrArray *sets)
{
	struct base_diag_list diag;
	struct machine_description description;
	bool is_legal;

	base_diag_init(&diag);
	description_read(paths, name, sets, false, &description, &diag);
	is_legal = !diag.error_count;
	base_diag_free(&diag);
	return is_legal;
}

/* All of a checkpoint is looked at once, before anything runs. */
static void checkpoint_read(const struct machine_config *config, struct base_diag_list *diag)
{
	static const char *read; /* the last one, which was right */
	const char *path = machine_run_params(config)->checkpoint, *why;

	if (!*path || !g_strcmp0(read, path))
		return;
	if (simt_checkpoint_check(path, &why))
		read = g_intern_string(path);
	else
		base_diag_error(diag, (struct base_place){path, 0, 0}, "%s", why);
}

static bool load(const struct cli_paths *paths, const char *name, GPtrArray *sets, bool is_estimated,
		 struct machine_session *out)
{
	struct base_diag_list diag;
	struct machine_description description;

	base_diag_init(&diag);
	description_read(paths, name, sets, is_estimated, &description, &diag);

	*out = (struct machine_session){.config = description.config};
	if (!diag.error_count && machine_hdl_params(&out->config))
		design_load(paths, out, &diag);
	if (!diag.error_count)
		checkpoint_read(&out->config, &diag);

	bool is_ok = !diag.error_count;

	/* A command may load a machine for each of its runs: its warnings are said once. */
	if (is_ok) {
		machine_config_warn(&out->config, &diag);
		cli_diag_print_once(name, &diag);
	} else {
		cli_diag_print(&diag);
	}
	base_diag_free(&diag);
	g_autofree char *shown = cli_name_shown(description.about.name);

	g_strlcpy(out->machine, shown, sizeof(out->machine));
	g_strlcpy(out->machine_file, description.about.path, sizeof(out->machine_file));
	return is_ok;
}

bool cli_machine_load(const struct cli_paths *paths, const char *name, GPtrArray *sets, struct machine_session *out)
{
	return load(paths, name, sets, false, out);
}

bool cli_machine_load_estimated(const struct cli_paths *paths, const char *name, GPtrArray *sets,
				struct machine_session *out)
{
	return load(paths, name, sets, true, out);
}

/* ---- settings that several machines share ---- */

void cli_shared_init(struct cli_shared *s, bool is_quiet)
{
	s->is_quiet = is_quiet;
	s->read = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	s->unread = g_ptr_array_new_with_free_func(g_free);
}

void cli_shared_free(struct cli_shared *s)
{
	g_hash_table_unref(s->read);
	g_ptr_array_unref(s->unread);
}

/* Takes out of sets the first that the machine with all of them does not read, and says why; NULL: it reads all. */
static char *unread_take(const struct cli_paths *paths, const char *name, GPtrArray *sets, const char **set)
{
	struct machine_description d;
	struct base_diag_list diag;

	base_diag_init(&diag);
	description_set(paths, name, sets, &d, &diag);
	base_diag_free(&diag);
	for (uint32_t i = 0; i < sets->len; i++) {
		g_auto(GStrv) words = g_strsplit(sets->pdata[i], "=", 2);
		char *why = *words ? machine_config_unread(&d.config, g_strstrip(*words)) : NULL;

		if (!why)
			continue;
		*set = sets->pdata[i];
		g_ptr_array_remove_index(sets, i);
		return why;
	}
	return NULL;
}

static void warn(const char *name, const char *set, const char *why)
{
	g_auto(GStrv) words = g_strsplit(set, "=", 2);
	g_autofree char *what = g_strdup_printf("left out of machine '%s': %s", name, why);
	struct base_diag_list diag;

	base_diag_init(&diag);
	base_diag_warn(&diag, g_strstrip(words[0]), words[1] ? words[1] : "", what);
	cli_diag_print_once(name, &diag);
	base_diag_free(&diag);
}

GPtrArray *cli_shared_of(struct cli_shared *s, const struct cli_paths *paths, const char *name, const GPtrArray *sets)
{
	GPtrArray *own = g_ptr_array_new();
	const char *set;
	char *why;

	for (uint32_t i = 0; i < sets->len; i++)
		g_ptr_array_add(own, sets->pdata[i]);
	while ((why = unread_take(paths, name, own, &set))) {
		if (!s->is_quiet)
			warn(name, set, why);
		g_ptr_array_add(s->unread, g_strdup(set));
		g_ptr_array_add(s->unread, why);
	}
	for (uint32_t i = 0; i < own->len; i++)
		g_hash_table_add(s->read, g_strdup(own->pdata[i]));
	return own;
}

bool cli_shared_check(const struct cli_shared *s, const char *command)
{
	bool is_ok = true;

	for (uint32_t i = 0; i < s->unread->len; i += 2)
		if (g_hash_table_add(s->read, g_strdup(s->unread->pdata[i]))) {
			cli_error("%s: no machine here reads %s: %s", command, (char *)s->unread->pdata[i],
				  (char *)s->unread->pdata[i + 1]);
			is_ok = false;
		}
	return is_ok;
}
