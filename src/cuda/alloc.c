/* alloc.c - the record of what this API has allocated. */
#include <stdlib.h>

#include "base/check.h"
#include "cuda/driver.h"

static GHashTable *by_addr(void)
{
	static GHashTable *table;

	if (!table)
		table = g_hash_table_new(g_int64_hash, g_int64_equal);
	return table;
}

static void destroy_alloc(struct cuda_object *o)
{
	struct cuda_alloc *a = (struct cuda_alloc *)o;

	if (!a->is_freed)
		cuda_check_leaked(a, "when its context is destroyed");
	g_hash_table_remove(by_addr(), &a->addr);
	cuda_object_remove(o);
	CHECK(simt_memory_release(cuda_driver.mem, a->addr));
	if (a->keeper)
		a->keeper->lost(a);
	free(a);
}

struct cuda_alloc *cuda_alloc_find(uint64_t addr)
{
	const struct simt_alloc *s = simt_memory_find(cuda_driver.mem, addr, 1);

	return s ? g_hash_table_lookup(by_addr(), &s->addr) : NULL;
}

struct cuda_alloc *cuda_alloc_add(struct CUctx_st *ctx, uint64_t addr, uint64_t size_bytes, enum simt_alloc_kind kind,
				  unsigned int flags)
{
	struct cuda_alloc *a = g_new0(struct cuda_alloc, 1);

	a->addr = addr;
	a->size_bytes = size_bytes;
	a->kind = kind;
	a->flags = flags;
	a->id = ++cuda_driver.next_id;
	a->preferred_location = a->prefetch_location = CU_DEVICE_INVALID;
	g_hash_table_insert(by_addr(), &a->addr, a);
	cuda_object_add(&a->object, CUDA_KIND_ALLOC, ctx, destroy_alloc);
	cuda_check_allocated(a);
	return a;
}

uint64_t cuda_alloc_new(struct CUctx_st *ctx, uint64_t size_bytes, enum simt_alloc_kind kind, unsigned int flags)
{
	uint64_t addr =
	    simt_memory_alloc(cuda_driver.mem, size_bytes, cuda_driver.run.params->allocation_bytes, kind);

	if (addr)
		cuda_alloc_add(ctx, addr, size_bytes, kind, flags);
	return addr;
}

CUresult cuda_alloc_free(uint64_t addr, enum simt_alloc_kind a, enum simt_alloc_kind b)
{
	struct cuda_alloc *found = cuda_alloc_find(addr);

	if (!found || found->addr != addr || (found->kind != a && found->kind != b)) {
		cuda_check_bad_free(addr);
		return CUDA_ERROR_INVALID_VALUE;
	}
	if (found->keeper && found->keeper->take_back)
		return found->keeper->take_back(found);
	found->is_freed = true;
	destroy_alloc(&found->object);
	return CUDA_SUCCESS;
}

bool cuda_range_is_device(uint64_t addr, uint64_t size_bytes)
{
	const struct simt_alloc *s = simt_memory_find(cuda_driver.mem, addr, size_bytes ? size_bytes : 1);

	return s && s->kind <= SIMT_ALLOC_MODULE; /* the heap of kernels and what launches need is not the host's */
}

bool cuda_address_is_arena(uint64_t addr)
{
	return (addr >= SIMT_ARENA_BASE && addr - SIMT_ARENA_BASE < simt_memory_capacity_bytes(cuda_driver.mem)) ||
	       (addr >= SIMT_RESERVE_BASE && addr - SIMT_RESERVE_BASE < SIMT_RESERVE_BYTES);
}

bool cuda_address_is_on_device(uint64_t addr)
{
	const struct simt_alloc *s = simt_memory_find(cuda_driver.mem, addr, 1);

	return s && s->kind != SIMT_ALLOC_HOST && s->kind != SIMT_ALLOC_REGISTERED;
}
