/* places.h - where the processes of a program leave their results, or their findings: a file in the scratch directory,
 * and other folders for what it has no room for. */
#ifndef STRATA_CLI_PLACES_H
#define STRATA_CLI_PLACES_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "machine/session.h"

struct cli_places {
	char *path; /* each process appends its number */
	char *spares[MACHINE_SPARES_MAX];
};

enum cli_left {
	CLI_LEFT_NOTHING, /* there is no process with this number */
	CLI_LEFT_EMPTY,   /* it was killed, or left by _exit, before it had written anything */
	CLI_LEFT_LOST,    /* it could not write what it had, or had an internal error; it has said which */
	CLI_LEFT_JSON,
};

/* Names the places: dir/INDEX.SUFFIX, the folder of the run store, the host's memory. */
void cli_places_name(struct cli_places *p, const char *dir, uint32_t index, const char *suffix);
/* No process has left anything. */
bool cli_places_are_empty(const struct cli_places *p);
/* What process number (from 1) left; *json is it, to be released, or NULL. Removes it from a spare place. */
enum cli_left cli_places_read(const struct cli_places *p, uint32_t number, json_t **json);
void cli_places_free(struct cli_places *p);

#endif
