/* offloads.h - the summary's lines about blocks that leave the GPU. Not for other folders. */
#ifndef STRATA_REPORT_OFFLOADS_H
#define STRATA_REPORT_OFFLOADS_H

#include <jansson.h>
#include <stdio.h>

/* One line about the instances of blocks where there were any, one about the mapping where the machine learns it. */
void report_offloads_print(FILE *out, const json_t *run);

#endif
