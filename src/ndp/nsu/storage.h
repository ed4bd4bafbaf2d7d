/* storage.h - what partitioned execution stores. */
#ifndef STRATA_NDP_NSU_STORAGE_H
#define STRATA_NDP_NSU_STORAGE_H

#include "gpu/config.h"
#include "ndp/registry.h"

/* What partitioned execution stores, see ndp_mechanism_storage; NSU (SC'17) section 7.5. */
uint32_t nsu_storage(const struct ndp_site *site, struct ndp_storage *items);

#endif
