/* choices.h - what the enumerations among the parameters of gpu/ may be: per list the enumerator and the name that a
 * user writes. The rows (*_params.def) name a list and the default's enumerator. */
#ifndef STRATA_GPU_CHOICES_H
#define STRATA_GPU_CHOICES_H

#include "net/network.h" /* NET_TOPOLOGIES */
#include "sim/param.h"

#define SM_SCHEDULERS(X) X(SM_LRR, lrr) X(SM_GTO, gto)
#define SM_POOLS(X) X(SM_POOL_NONE, none) X(SM_POOL_VOLTA, volta) X(SM_POOL_AMPERE, ampere) X(SM_POOL_HOPPER, hopper)
#define GPU_ADDRESS_MAPS(X) \
	X(GPU_MAP_BASELINE, baseline) X(GPU_MAP_TWO_BIT, two_bit) X(GPU_MAP_RANDOM_PAGE, random_page) \
	X(GPU_MAP_DIVIDED, divided)
#define GPU_BANK_HASHES(X) X(GPU_BANK_HASH_NONE, none) X(GPU_BANK_HASH_LOW, low_row) X(GPU_BANK_HASH_ALL, all_row)
#define GPU_MMUS(X) X(GPU_MMU_NONE, none) X(GPU_MMU_STACKS, stacks) X(GPU_MMU_ALL, all)
#define NSU_INVALIDATORS(X) X(NSU_BY_VAULT, vault) X(NSU_BY_GPU, gpu)
#define GPU_PAGES(X) X(GPU_PAGES_RESIDENT, resident) X(GPU_PAGES_DEMAND, demand)
enum gpu_pages { GPU_PAGES(SIM_PARAM_ENUMERATOR) };
enum nsu_invalidator { NSU_INVALIDATORS(SIM_PARAM_ENUMERATOR) };
enum sm_scheduling { SM_SCHEDULERS(SIM_PARAM_ENUMERATOR) };
enum sm_pool { SM_POOLS(SIM_PARAM_ENUMERATOR) };
enum gpu_address_map { GPU_ADDRESS_MAPS(SIM_PARAM_ENUMERATOR) };
enum gpu_bank_hash { GPU_BANK_HASHES(SIM_PARAM_ENUMERATOR) };
enum gpu_mmu { GPU_MMUS(SIM_PARAM_ENUMERATOR) };

#endif
