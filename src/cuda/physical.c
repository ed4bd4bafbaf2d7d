/* physical.c - device memory without an address. All of it lies in one file of the host's memory, so that it can be
 * mapped to several addresses, and to another after the first.
 */
#include "cuda/physical.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/check.h"

static struct {
	struct cuda_physical *first; /* by ascending offset */
	uint64_t file_bytes;
	int fd; /* plus 1; 0: not open yet */
} all;

static bool has_file(void)
{
	if (!all.fd)
		all.fd = memfd_create("strata-device-memory", MFD_CLOEXEC) + 1;
	return all.fd;
}

/* The first gap of the file that is long enough. Leaves *at where the memory behind it is linked. */
static uint64_t find_gap(uint64_t size_bytes, struct cuda_physical ***at)
{
	uint64_t end = 0;

	for (*at = &all.first; **at && (**at)->offset_bytes - end < size_bytes; *at = &(**at)->next)
		end = (**at)->offset_bytes + (**at)->size_bytes;
	return end;
}

static bool grow_file(uint64_t end)
{
	if (end <= all.file_bytes)
		return true;
	if (ftruncate(all.fd - 1, (off_t)end))
		return false;
	all.file_bytes = end;
	return true;
}

static void free_unused(struct cuda_physical *p)
{
	struct cuda_physical **at = &all.first;

	if (p->handle_count || p->map_count)
		return;
	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
	/* The pages go back to the host, and the next owner finds zeros. */
	CHECK(!fallocate(all.fd - 1, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)p->offset_bytes,
			 (off_t)p->size_bytes));
	simt_memory_give_back(cuda_driver.mem, p->size_bytes);
	free(p);
}

struct cuda_physical *cuda_physical_of(CUmemGenericAllocationHandle handle)
{
	void *p = (void *)(uintptr_t)handle;

	return cuda_object_is(p, CUDA_KIND_PHYSICAL) ? p : NULL;
}

CUmemGenericAllocationHandle cuda_physical_retain(struct cuda_physical *p)
{
	if (!p->handle_count++)
		cuda_object_add(&p->object, CUDA_KIND_PHYSICAL, NULL, NULL);
	return (CUmemGenericAllocationHandle)(uintptr_t)p;
}

bool cuda_physical_map(struct cuda_physical *p, uint64_t addr, uint64_t size_bytes)
{
	if (mmap((void *)addr, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, all.fd - 1,
		 (off_t)p->offset_bytes) == MAP_FAILED)
		return false;
	p->map_count++;
	return true;
}

void cuda_physical_unmapped(struct cuda_physical *p)
{
	p->map_count--;
	free_unused(p);
}

/* ---- entry points ---- */

static CUresult check_properties(const CUmemAllocationProp *prop, const char *who)
{
	g_autofree char *shared = g_strdup_printf("%s with handle types to share the memory", who);
	g_autofree char *elsewhere = g_strdup_printf("%s of memory that is not the device's", who);
	g_autofree char *special = g_strdup_printf("%s of memory for sparse arrays, RDMA or decompression", who);

	if (!prop || prop->type != CU_MEM_ALLOCATION_TYPE_PINNED)
		return CUDA_ERROR_INVALID_VALUE;
	if (prop->requestedHandleTypes)
		return cuda_not_supported(shared);
	if (prop->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
		return cuda_not_supported(elsewhere);
	if (prop->allocFlags.gpuDirectRDMACapable || prop->allocFlags.usage)
		return cuda_not_supported(special);
	return prop->location.id ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}

CUresult cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *properties,
				       CUmemAllocationGranularity_flags which)
{
	CUDA_CALL(CUDA_NEEDS_INIT);

	CUresult result = check_properties(properties, "cuMemGetAllocationGranularity");

	if (!granularity || (unsigned int)which > CU_MEM_ALLOC_GRANULARITY_RECOMMENDED)
		return CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		*granularity = CUDA_GRANULARITY_BYTES;
	return result;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes, const CUmemAllocationProp *properties,
		     unsigned long long flags)
{
	CUDA_CALL(CUDA_NEEDS_INIT);

	struct cuda_physical *p, **at;
	CUresult result;

	if (!handle || flags || !cuda_is_granular(bytes))
		return CUDA_ERROR_INVALID_VALUE;
	if ((result = check_properties(properties, "cuMemCreate")) != CUDA_SUCCESS)
		return result;
	cuda_time_spend_ps(cuda_driver.run.host->alloc_ps);
	if (!has_file() || !simt_memory_take(cuda_driver.mem, bytes))
		return CUDA_ERROR_OUT_OF_MEMORY;

	const uint64_t offset = find_gap(bytes, &at);

	if (!grow_file(offset + bytes) || !(p = calloc(1, sizeof(*p)))) {
		simt_memory_give_back(cuda_driver.mem, bytes);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	p->prop = *properties;
	p->prop.allocFlags.compressionType = 0; /* asked for as a hint; not given */
	p->offset_bytes = offset;
	p->size_bytes = bytes;
	p->next = *at;
	*at = p;
	*handle = cuda_physical_retain(p);
	return CUDA_SUCCESS;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
	CUDA_CALL(CUDA_NEEDS_INIT);

	struct cuda_physical *p = cuda_physical_of(handle);

	if (!p)
		return CUDA_ERROR_INVALID_VALUE;
	if (!--p->handle_count)
		cuda_object_remove(&p->object);
	free_unused(p);
	return CUDA_SUCCESS;
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *properties, CUmemGenericAllocationHandle handle)
{
	CUDA_CALL(CUDA_NEEDS_INIT);

	const struct cuda_physical *p = cuda_physical_of(handle);

	if (!p || !properties)
		return CUDA_ERROR_INVALID_VALUE;
	*properties = p->prop;
	return CUDA_SUCCESS;
}
