/* float.c - IEEE kernels of f32 and f64. */
#include "simt/alu/lane.h"
#include "simt/alu/float.h"

#include "simt/alu/functions.h"
#include "simt/alu/float.def"

static const struct simt_alu_row float_rows[] = {
#include "simt/alu/table.h"
#include "simt/alu/float.def"
};

const struct simt_alu_table LANE_BUILD(simt_alu_float) = {float_rows, sizeof(float_rows) / sizeof(float_rows[0])};
