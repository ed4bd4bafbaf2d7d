/* tree.h - a program with everything that it has started, and how it is brought to its end. */
#ifndef STRATA_CLI_TREE_H
#define STRATA_CLI_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Processes whose parent ends become children of this one, so that all that a program has started stay in its tree.
 * Called once. */
void cli_tree_adopt(void);
/* Sends the signal to the processes that this one has started, and to those that they have, at any depth. */
void cli_tree_kill(int signal_number);

/* Wall-clock time that does not jump. */
uint64_t cli_now_ns(void);

#endif
