/* duality_tables.h - measures of duality.c that need no run but for the machine's geometry. */
#ifndef STRATA_REPRODUCE_DUALITY_TABLES_H
#define STRATA_REPRODUCE_DUALITY_TABLES_H

#include "reproduce/data.h"

enum { REPRODUCE_DUALITY = 1 }; /* the configuration whose machine has the geometry */

/* What a socket has, and what that is against a GPU. */
reproduce_measure duality_arrays, duality_socket_blocks, duality_bit_line_alus, duality_resources, duality_threads;
/* Table 1: cycles with nothing saved; how many of its rows are not to the cycle. */
reproduce_measure duality_cycles_add, duality_cycles_sub, duality_cycles_logic, duality_cycles_mul,
    duality_cycles_mul_signed, duality_cycles_div, duality_cycles_div_signed, duality_cycles_shift, duality_cycles_sin,
    duality_cycles_exp, duality_cycles_log, duality_table_1_off;
/* Table 2; row->config is the server of dc_servers. */
reproduce_measure duality_server_mm2, duality_server_w;
/* Table 4; row->config is the part of dc_areas. */
reproduce_measure duality_area_overhead, duality_area_added, duality_area_added_share, duality_area_total,
    duality_power_total;

#endif
