/* message.h - what a library that a program has loaded says on stderr. */
#ifndef STRATA_MACHINE_MESSAGE_H
#define STRATA_MACHINE_MESSAGE_H

#include "base/diag.h"

/* One line "strata: ...". */
void machine_message(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* All messages of the list. */
void machine_print_diag(const struct base_diag_list *diag);

#endif
