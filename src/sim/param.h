/* param.h - parameters: declared once in tables, set by name, validated, listed.
 *
 * A component lists its parameters in a .def file, one row each (the same file expanded twice makes the struct and
 * the descriptor table):
 *
 *   PARAM_U64(name, unit, default, min, max, source, doc)
 *   PARAM_F64(name, unit, default, min, max, source, doc)
 *   PARAM_BOOL(name, default, source, doc)
 *   PARAM_ENUM(name, LIST, default, source, doc)      value: an enumerator, in a uint64_t
 *   PARAM_TEXT(name, source, doc)                     value: a name, in an array; by default empty, shown as "none"
 *
 * LIST(X) expands X(ENUMERATOR, name) for each choice and makes both the names a user writes and the C enum:
 *
 *   #define DRAM_SCHEDULERS(X) X(DRAM_FIFO, fifo) X(DRAM_FRFCFS, frfcfs)
 *   enum dram_scheduler { DRAM_SCHEDULERS(SIM_PARAM_ENUMERATOR) };
 *
 * The name of a U64 or F64 parameter ends in its unit's suffix (_count, _bytes, _cycles, _khz, _ps, ...), see units in
 * param.c. The key a user writes is GROUP.NAME, e.g. "l2.size_bytes".
 *
 * .h of a component:                              .c of the component:
 *   struct dram_params {                            static const struct sim_param_desc rows[] = {
 *   #include "sim/param_fields.inc"                 #define PARAM_STRUCT struct dram_params
 *   #include "mem/dram_params.def"                  #include "sim/param_rows.inc"
 *   #include "sim/param_end.inc"                    #include "mem/dram_params.def"
 *   };                                              #include "sim/param_end.inc"
 *                                                   };
 */
#ifndef STRATA_SIM_PARAM_H
#define STRATA_SIM_PARAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

#define SIM_PARAM_ENUMERATOR(enumerator, name) enumerator,
#define SIM_PARAM_CHOICE(enumerator, name) "|" #name
/* The names of a LIST, separated by '|'. */
#define SIM_PARAM_CHOICES(list) (&list(SIM_PARAM_CHOICE)[1])

enum sim_param_kind { SIM_PARAM_U64, SIM_PARAM_F64, SIM_PARAM_BOOL, SIM_PARAM_ENUM, SIM_PARAM_TEXT };
/* A name has at most so many bytes, its end included; sim_param_format needs no more for any value. */
enum { SIM_PARAM_TEXT_BYTES = 128 };

struct sim_param_desc {
	const char *name;
	enum sim_param_kind kind;
	const char *unit;    /* "bytes", "cycles", ...; "" for bool, enum and text */
	const char *choices; /* enum: names separated by '|'; else NULL */
	double dflt, min, max;
	const char *source; /* document and section, or "choice: why" */
	const char *doc;
	size_t offset; /* in the group's struct */
};

/* Some rows of a table are read only while another parameter has one of these values: what is set of them otherwise
 * would change nothing. */
struct sim_param_when {
	const char *names;  /* of the rows: a pattern with * and ?, as in a shell; "!PATTERN": of all others */
	const char *key;    /* "ndp.mechanism" */
	const char *values; /* "tom|nsu", as sim_param_format writes them; "!0": any other than this one */
};

/* One group of parameters: a table bound to one instance of its struct ("l1d" and "l2" share a table). */
struct sim_param_group {
	const char *prefix;
	const struct sim_param_desc *rows;
	uint32_t row_count;
	void *values;
	const struct sim_param_when *whens; /* to one without names; NULL: whatever the values, all rows are read */
};

/* All groups of a machine, in the order in which they are listed. Several may share a prefix. */
enum { SIM_PARAM_GROUPS_MAX = 64 };
struct sim_param_groups {
	struct sim_param_group items[SIM_PARAM_GROUPS_MAX];
	uint32_t count;
};
/* Adds a group; prefix, rows and values are kept and stay the caller's. There must be room. */
void sim_param_groups_add(struct sim_param_groups *groups, const char *prefix, const struct sim_param_desc *rows,
			  uint32_t row_count, void *values);

/* What has been added last is read under these conditions only, all of those whose names match; whens stays the
 * caller's, and ends with one without names. */
void sim_param_groups_when(struct sim_param_groups *groups, const struct sim_param_when *whens);

/* The first condition that does not hold of a row of a group of groups; NULL: the parameter is read. CHECKs that a
 * condition's key is a parameter of groups. */
const struct sim_param_when *sim_param_unread(const struct sim_param_groups *groups,
					      const struct sim_param_group *group,
					      const struct sim_param_desc *row);

/* "ndp.mechanism = tom or nsu", "gpu.stack_sm_count other than 0". */
char *sim_param_when_text(const struct sim_param_when *when); /* to be freed with g_free */
/* All conditions of a row of a group, with a comma between them, to be freed with g_free; NULL: it has none. */
char *sim_param_whens_text(const struct sim_param_group *group, const struct sim_param_desc *row);

/* The row of "prefix.name", and its group in *group (if not NULL); NULL: no group has it. */
const struct sim_param_desc *sim_param_groups_find(const struct sim_param_groups *groups, const char *key,
						   const struct sim_param_group **group);

/* Sets all values of the group to their defaults. */
void sim_param_defaults(const struct sim_param_group *g);

/* Sets "prefix.name" from text ("true", "48", "4KiB", "1.4GHz" with a unit the parameter accepts, a choice's name).
 * On an unknown name, bad value, or value out of range appends one message (with did-you-mean) and returns false. */
bool sim_param_set(const struct sim_param_group *groups, uint32_t group_count, const char *key, const char *value,
		   struct base_place at, struct base_diag_list *diag);

/* Writes the value as sim_param_set would read it. */
void sim_param_format(const struct sim_param_group *g, const struct sim_param_desc *row, char *buf, size_t size_bytes);

/* The value as a double (bool 0/1, enum index, text 0/1: there is one); exact for integers below 2^53. */
double sim_param_value(const struct sim_param_group *g, const struct sim_param_desc *row);

#endif
