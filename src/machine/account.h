/* account.h - amounts of an account's parts as members of the results. */
#ifndef STRATA_MACHINE_ACCOUNT_H
#define STRATA_MACHINE_ACCOUNT_H

#include <jansson.h>

#include "account/account.h"

/* Puts those that are not 0, by the names of their parts. */
void machine_account_put(json_t *o, const struct account_parts *parts, const uint64_t *amounts);
/* An object of them. */
json_t *machine_account_json(const struct account_parts *parts, const uint64_t *amounts);
/* What each part is, in words, by its name. */
json_t *machine_account_docs(const struct account_parts *parts);

#endif
