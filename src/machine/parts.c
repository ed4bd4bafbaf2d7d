/* parts.c - finds a part of the shipped machines. */
#include "machine/parts.h"

#include <glib.h>
#include <string.h>

const struct machine_part *machine_part_named(const char *name)
{
	for (const struct machine_part *const *p = machine_parts; *p; p++)
		if (!strcmp((*p)->name, name))
			return *p;
	return NULL;
}

const struct machine_part *machine_part_of_file(const char *path)
{
	for (const struct machine_part *const *p = machine_parts; *p; p++)
		if ((*p)->files && g_str_has_suffix(path, (*p)->files->suffix))
			return *p;
	return NULL;
}
