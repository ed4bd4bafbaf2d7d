/* convert.c - cvt kernels of integers, f32 and f64. */
#include "simt/alu/lane.h"
#include "simt/alu/clamp.h"

#include "simt/alu/functions.h"
#include "simt/alu/convert.def"

static const struct simt_alu_row convert_rows[] = {
#include "simt/alu/table.h"
#include "simt/alu/convert.def"
};

const struct simt_alu_table LANE_BUILD(simt_alu_convert) = {convert_rows,
							    sizeof(convert_rows) / sizeof(convert_rows[0])};
