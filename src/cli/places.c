/* places.c - names of result files by process, and where they are when a place is full. */
#include "cli/places.h"

#include "cli/keep.h"

#include <glib.h>
#include <unistd.h>

void cli_places_name(struct cli_places *p, const char *dir, uint32_t index, const char *suffix)
{
	g_autofree char *store = g_path_get_dirname(cli_store_path());
	const char *const folders[MACHINE_SPARES_MAX] = {store, "/dev/shm"};
	g_autofree char *of_command = g_path_get_basename(dir);
	g_autofree char *spare = g_strdup_printf("unread-%s-%u.%s", of_command, index, suffix);

	p->path = g_strdup_printf("%s/%u.%s", dir, index, suffix);
	for (uint32_t i = 0; i < MACHINE_SPARES_MAX; i++) {
		g_autofree char *path = g_build_filename(folders[i], spare, NULL);

		p->spares[i] = g_canonicalize_filename(path, NULL);
	}
}

/* A spare place is used when the others are full, so what is there is newer. */
static json_t *spare_read(const struct cli_places *p, uint32_t number)
{
	json_t *json = NULL;

	for (uint32_t i = MACHINE_SPARES_MAX; !json && i-- > 0;) {
		g_autofree char *path = g_strdup_printf("%s.%u", p->spares[i], number);

		json = json_load_file(path, 0, NULL);
		if (json)
			unlink(path);
	}
	return json;
}

bool cli_places_are_empty(const struct cli_places *p)
{
	g_autofree char *path = g_strdup_printf("%s.1", p->path);

	return access(path, F_OK) != 0;
}

enum cli_left cli_places_read(const struct cli_places *p, uint32_t number, json_t **json)
{
	g_autofree char *path = g_strdup_printf("%s.%u", p->path, number);
	g_autofree char *lost = g_strconcat(path, ".lost", NULL);

	*json = spare_read(p, number);
	if (!*json)
		*json = json_load_file(path, 0, NULL);
	if (!access(lost, F_OK))
		return CLI_LEFT_LOST;
	if (*json)
		return CLI_LEFT_JSON;
	return access(path, F_OK) ? CLI_LEFT_NOTHING : CLI_LEFT_EMPTY;
}

void cli_places_free(struct cli_places *p)
{
	g_free(p->path);
	for (uint32_t i = 0; i < MACHINE_SPARES_MAX; i++)
		g_free(p->spares[i]);
}
