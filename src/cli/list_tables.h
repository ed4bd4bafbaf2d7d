/* list_tables.h - the tables of every part of a machine: parameters, statistics, energy. */
#ifndef STRATA_CLI_LIST_TABLES_H
#define STRATA_CLI_LIST_TABLES_H

#include <jansson.h>
#include <stdbool.h>

#include "cli/paths.h"
#include "machine/machine.h"
#include "machine/description.h"

/* What `strata list` is asked for. */
struct cli_list_request {
	const struct cli_paths *paths;
	bool is_json;
	const char *machine; /* NULL: not given */
	const char *parts;   /* names, separated by commas; NULL: all */
};

/* The machine that is asked for, else `otherwise`; without either (NULL) one with all defaults and a memory that stands
 * for any. False after messages. */
bool cli_list_machine(const struct cli_list_request *request, const char *otherwise, struct machine_description *out);

/* Each appends an object per row, of the parts that are asked for and that the machine has; without a machine of those
 * that there are. False after messages. */
bool cli_list_params(const struct cli_list_request *request, json_t *list);
bool cli_list_stats(const struct cli_list_request *request, json_t *list);
bool cli_list_energy(const struct cli_list_request *request, json_t *list);

/* Appends an object per parameter of the groups; part: whose they are, NULL: no part's. */
void cli_list_groups(json_t *list, const char *part, const struct sim_param_groups *groups);

#endif
