/* machines.h - the machine of a command, or of each of its runs: by name, with the settings of --set, checked. */
#ifndef STRATA_CLI_MACHINES_H
#define STRATA_CLI_MACHINES_H

#include <glib.h>
#include <stdbool.h>

#include "cli/paths.h"
#include "machine/session.h"

/* Loads the machine, applies the --set texts, checks the whole. False after printed messages. */
bool cli_machine_load(const struct cli_paths *paths, const char *name, GPtrArray *sets, struct machine_session *out);
/* The same for who estimates what other machines would do: reads also what nothing of this machine reads. */
bool cli_machine_load_estimated(const struct cli_paths *paths, const char *name, GPtrArray *sets,
				struct machine_session *out);
/* Is there such a machine with these settings? Prints nothing and builds no design. */
bool cli_machine_is_legal(const struct cli_paths *paths, const char *name, const GPtrArray *sets);

/* Settings that a command gives to several machines: each machine has those that it reads. */
struct cli_shared {
	GHashTable *read;  /* texts "K=V" that some machine reads */
	GPtrArray *unread; /* those that one does not, each followed by why */
	bool is_quiet;
};
/* is_quiet: what a machine does not read is left out without a word. */
void cli_shared_init(struct cli_shared *s, bool is_quiet);
void cli_shared_free(struct cli_shared *s);
/* Those of sets that something of this machine reads, for cli_machine_load; wrong ones stay, for its messages. The
 * array is the caller's, its texts are those of sets. */
GPtrArray *cli_shared_of(struct cli_shared *s, const struct cli_paths *paths, const char *name, const GPtrArray *sets);
/* Has each setting been read by a machine? False after a message for each that no machine has. */
bool cli_shared_check(const struct cli_shared *s, const char *command);

#endif
