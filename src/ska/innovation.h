/* innovation.h - equation (1.1) of the thesis: how much each fastest supercomputer brought over those before it.
 *
 * A list is a CSV file with a head line and lines "name,date,tflops,kilowatts,kind"; kind is custom, cots or start (the
 * system that the first one is compared with). In the order of their dates.
 */
#ifndef STRATA_SKA_INNOVATION_H
#define STRATA_SKA_INNOVATION_H

#include "base/diag.h"

enum ska_system_kind { SKA_START, SKA_CUSTOM, SKA_COTS };

struct ska_system {
	char name[64], date[16];
	double tflops, kilowatts;
	enum ska_system_kind kind;
	double performance, efficiency, innovation; /* ratios to those before; 0 for the first */
};

enum { SKA_SYSTEMS_MAX = 64 };

struct ska_systems {
	struct ska_system items[SKA_SYSTEMS_MAX];
	uint32_t count;
};

/* False with messages (file:line:column). */
bool ska_systems_read(const char *path, struct ska_systems *out, struct base_diag_list *diag);
/* The last list that the paper of chapter 2 could know. */
#define SKA_KNOWN_UNTIL "2013-06"

/* Mean innovation of the systems of a kind up to and with the date (NULL: of all); 0 when there is none. */
double ska_innovation_mean(const struct ska_systems *s, enum ska_system_kind kind, const char *until);

#endif
