/* accounts_print.h - accounts (report/accounts.h) as text. Not for other folders. */
#ifndef STRATA_REPORT_ACCOUNTS_PRINT_H
#define STRATA_REPORT_ACCOUNTS_PRINT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Tables of each account: its parts, their splits, its places; then what was waited for. */
void report_accounts_print(FILE *out, const json_t *accounts, const json_t *behind);

/* A place in words: "KERNEL FUNCTION FILE:LINE OP", of that what it has; to be freed with g_free. */
char *report_place_text(const json_t *place);
/* Does it say where it is? Time that no line of the program has is a place, too. */
bool report_place_is_named(const json_t *place);

#endif
