/* virtual.c - reserved addresses, and the memory that is mapped to them.
 *
 * A reservation is a range of the host's addresses too, without access, since device addresses are the host's. What is
 * mapped side by side with the same access is one range for kernels and copies, as it is for hardware.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "base/check.h"
#include "cuda/physical.h"

struct mapping {
	struct mapping *next; /* by ascending address */
	uint64_t addr, size_bytes;
	struct cuda_physical *memory;
	CUmemAccess_flags access;
};

struct reservation {
	struct reservation *next; /* by ascending address */
	uint64_t addr, size_bytes;
	struct mapping *first;
};

static struct reservation *reservations;

/* ---- what kernels see ---- */

static uint64_t end_of(const struct mapping *m)
{
	return m->addr + m->size_bytes;
}

static void hide(const struct reservation *r)
{
	/* Those inside a run begin none, and releasing them does nothing. */
	for (const struct mapping *m = r->first; m; m = m->next)
		simt_memory_release(cuda_driver.mem, m->addr);
}

static void show_runs(const struct reservation *r)
{
	for (const struct mapping *m = r->first, *last; m; m = last->next) {
		for (last = m; last->next && last->next->addr == end_of(last) && last->next->access == m->access;)
			last = last->next;
		if (m->access)
			simt_memory_map(cuda_driver.mem, m->addr, end_of(last) - m->addr,
					m->access == CU_MEM_ACCESS_FLAGS_PROT_READ);
	}
}

/* ---- reservations ---- */

static bool has_host_range(uint64_t addr, uint64_t size_bytes)
{
	void *got = mmap((void *)addr, size_bytes, PROT_NONE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

	if (got != MAP_FAILED && got != (void *)addr)
		munmap(got, size_bytes); /* a kernel that takes the address as a hint */
	return got == (void *)addr;
}

static bool fits(const struct reservation *next, uint64_t addr, uint64_t size_bytes)
{
	const uint64_t limit = next ? next->addr : SIMT_RESERVE_BASE + SIMT_RESERVE_BYTES;

	return addr <= limit && size_bytes <= limit - addr;
}

/* Where the range begins: at the address that is wanted (0: none), else at the first that fits; 0 where there is no
 * room. Leaves *at where the reservation behind it is linked. */
static uint64_t find_room(uint64_t size_bytes, uint64_t alignment, uint64_t wanted, struct reservation ***at)
{
	uint64_t end = SIMT_RESERVE_BASE;

	for (*at = &reservations;; *at = &(**at)->next) {
		const uint64_t addr = wanted ? wanted : (end + alignment - 1) & ~(alignment - 1);

		if (addr >= end && fits(**at, addr, size_bytes))
			return addr;
		if (!**at)
			return 0;
		end = (**at)->addr + (**at)->size_bytes;
	}
}

CUresult cuMemAddressReserve(CUdeviceptr *address, size_t bytes, size_t alignment_bytes, CUdeviceptr wanted,
			     unsigned long long flags)
{
	CUDA_CALL(CUDA_NEEDS_INIT);

	const uint64_t alignment = MAX(alignment_bytes, CUDA_GRANULARITY_BYTES);
	struct reservation *r, **at;
	uint64_t addr = 0;

	if (!address || flags || !cuda_is_granular(bytes) || (alignment_bytes & (alignment_bytes - 1)))
		return CUDA_ERROR_INVALID_VALUE;
	if (wanted && wanted % alignment == 0)
		addr = find_room(bytes, alignment, wanted, &at);
	if (!addr)
		addr = find_room(bytes, alignment, 0, &at);
	if (!addr || !has_host_range(addr, bytes) || !(r = calloc(1, sizeof(*r))))
		return CUDA_ERROR_OUT_OF_MEMORY;
	*r = (struct reservation){*at, addr, bytes, NULL};
	*at = r;
	*address = addr;
	return CUDA_SUCCESS;
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes)
{
	CUDA_CALL(CUDA_NEEDS_INIT);

	struct reservation **at = &reservations, *r;

	while (*at && (*at)->addr != address)
		at = &(*at)->next;
	r = *at;
	if (!r || r->size_bytes != bytes || r->first)
		return CUDA_ERROR_INVALID_VALUE;
	munmap((void *)r->addr, r->size_bytes);
	*at = r->next;
	free(r);
	return CUDA_SUCCESS;
}

/* ---- mappings ---- */

/* The reservation that holds the whole range, or NULL. */
static struct reservation *reservation_of(uint64_t addr, uint64_t size_bytes)
{
	for (struct reservation *r = reservations; r; r = r->next)
		if (addr >= r->addr && addr - r->addr < r->size_bytes && size_bytes <= r->size_bytes - (addr - r->addr))
			return r;
	return NULL;
}

/* Where the first mapping that ends above addr is linked. */
static struct mapping **mapping_at(struct reservation *r, uint64_t addr)
{
	struct mapping **at = &r->first;

	while (*at && end_of(*at) <= addr)
		at = &(*at)->next;
	return at;
}

CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset_bytes, CUmemGenericAllocationHandle handle,
		  unsigned long long flags)
{
	CUDA_CALL(CUDA_NEEDS_INIT);

	struct cuda_physical *memory = cuda_physical_of(handle);
	struct reservation *r = reservation_of(address, bytes);
	struct mapping **at, *m;

	if (!memory || !r || flags || offset_bytes || !cuda_is_granular(bytes) || !cuda_is_granular(address) ||
	    bytes > memory->size_bytes)
		return CUDA_ERROR_INVALID_VALUE;
	at = mapping_at(r, address);
	if (*at && (*at)->addr < address + bytes)
		return CUDA_ERROR_INVALID_VALUE;
	m = calloc(1, sizeof(*m));
	if (!m || !cuda_physical_map(memory, address, bytes)) {
		free(m);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	*m = (struct mapping){*at, address, bytes, memory, CU_MEM_ACCESS_FLAGS_PROT_NONE};
	*at = m;
	return CUDA_SUCCESS;
}

/* Do whole mappings, without a gap, make up the range? */
static bool is_whole(const struct mapping *m, uint64_t addr, uint64_t end)
{
	for (; m && m->addr == addr && addr < end; m = m->next)
		addr = end_of(m);
	return addr == end;
}

/* The reservation whose whole mappings make up the range; NULL if they do not. */
static struct reservation *mapped_range(uint64_t addr, uint64_t bytes)
{
	struct reservation *r = cuda_is_granular(bytes) ? reservation_of(addr, bytes) : NULL;

	return r && is_whole(*mapping_at(r, addr), addr, addr + bytes) ? r : NULL;
}

CUresult cuMemUnmap(CUdeviceptr address, size_t bytes)
{
	CUDA_CALL(CUDA_NEEDS_INIT);

	struct reservation *r = mapped_range(address, bytes);
	struct mapping **at, *m;

	if (!r)
		return CUDA_ERROR_INVALID_VALUE;
	cuda_time_spend_ps(cuda_driver.run.host->alloc_ps);
	hide(r);
	CHECK(mmap((void *)address, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) !=
	      MAP_FAILED);
	for (at = mapping_at(r, address); (m = *at) && m->addr < address + bytes;) {
		*at = m->next;
		cuda_physical_unmapped(m->memory);
		free(m);
	}
	show_runs(r);
	return CUDA_SUCCESS;
}

/* ---- access ---- */

static CUresult check_access(const CUmemAccessDesc *d)
{
	if (d->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
		return cuda_not_supported("cuMemSetAccess for what is not the device");
	if (d->location.id)
		return CUDA_ERROR_INVALID_DEVICE;
	return d->flags == CU_MEM_ACCESS_FLAGS_PROT_NONE || d->flags == CU_MEM_ACCESS_FLAGS_PROT_READ ||
			       d->flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE
		       ? CUDA_SUCCESS
		       : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *descriptors, size_t count)
{
	CUDA_CALL(CUDA_NEEDS_INIT);

	struct reservation *r = mapped_range(address, bytes);

	if (!r || !descriptors || !count)
		return CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; i < count; i++) {
		CUresult result = check_access(&descriptors[i]);

		if (result != CUDA_SUCCESS)
			return result;
	}
	hide(r);
	for (struct mapping *m = *mapping_at(r, address); m && m->addr < address + bytes; m = m->next)
		m->access = descriptors[count - 1].flags;
	show_runs(r);
	return CUDA_SUCCESS;
}

static struct mapping *mapping_of(uint64_t addr)
{
	struct reservation *r = reservation_of(addr, 1);
	struct mapping *m = r ? *mapping_at(r, addr) : NULL;

	return m && m->addr <= addr ? m : NULL;
}

CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr address)
{
	CUDA_CALL(CUDA_NEEDS_INIT);

	const struct mapping *m = mapping_of(address);

	if (!flags || !location || !m)
		return CUDA_ERROR_INVALID_VALUE;
	if (location->type == CU_MEM_LOCATION_TYPE_DEVICE && location->id)
		return CUDA_ERROR_INVALID_DEVICE;
	*flags = location->type == CU_MEM_LOCATION_TYPE_DEVICE ? m->access : CU_MEM_ACCESS_FLAGS_PROT_NONE;
	return CUDA_SUCCESS;
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *address)
{
	CUDA_CALL(CUDA_NEEDS_INIT);

	struct mapping *m = mapping_of((uint64_t)address);

	if (!handle || !m)
		return CUDA_ERROR_INVALID_VALUE;
	*handle = cuda_physical_retain(m->memory);
	return CUDA_SUCCESS;
}
