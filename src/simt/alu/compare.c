/* compare.c - comparison kernels. */
#include "simt/alu/lane.h"
#include "simt/alu/flt.h"

#include "simt/alu/functions.h"
#include "simt/alu/compare.def"

static const struct simt_alu_row compare_rows[] = {
#include "simt/alu/table.h"
#include "simt/alu/compare.def"
};

const struct simt_alu_table LANE_BUILD(simt_alu_compare) = {compare_rows,
							    sizeof(compare_rows) / sizeof(compare_rows[0])};
