/* graph_memory.c - memory that allocation nodes of graphs give out.
 *
 * The address is fixed when the node is made, and device memory stands behind it as long as a node, or the user, has
 * it: unlike on a real device it is not shared with memory that another node uses at another time. It is live from the
 * run of its node until it is freed, by a free node or by the user. It counts as used from the first run until it goes.
 */
#include "cuda/graph.h"

struct graph_memory {
	CUDA_MEM_ALLOC_NODE_PARAMS params;
	uint32_t references; /* nodes, and one while it is live */
	bool is_live, is_claimed;
	bool is_used; /* its node has run */
	bool is_lost; /* the context that owned the allocation is gone */
};

static struct {
	uint64_t used_bytes, used_high_bytes, reserved_bytes, reserved_high_bytes;
} total;

void cuda_graph_memory_retain(struct graph_memory *m)
{
	m->references++;
}

/* Nothing stands behind it any more. */
static void uncount(const struct graph_memory *m)
{
	total.reserved_bytes -= m->params.bytesize;
	if (m->is_used)
		total.used_bytes -= m->params.bytesize;
}

static void forget(const struct graph_memory *m)
{
	struct cuda_alloc *a = cuda_alloc_find(m->params.dptr);

	a->keeper = NULL;
	a->graph = NULL;
}

void cuda_graph_memory_release(struct graph_memory *m)
{
	if (--m->references)
		return;
	if (!m->is_lost) {
		forget(m);
		cuda_alloc_free(m->params.dptr, SIMT_ALLOC_DEVICE, SIMT_ALLOC_DEVICE);
		uncount(m);
	}
	g_free(m);
}

bool cuda_graph_memory_is_claimed(const struct graph_memory *m)
{
	return m->is_claimed;
}

void cuda_graph_memory_claim(struct graph_memory *m, bool is_claimed)
{
	m->is_claimed = is_claimed;
}

const CUDA_MEM_ALLOC_NODE_PARAMS *cuda_graph_memory_params(const struct graph_memory *m)
{
	return &m->params;
}

static struct graph_memory *find(CUdeviceptr address)
{
	const struct cuda_alloc *a = cuda_alloc_find(address);

	return a && a->addr == address ? a->graph : NULL;
}

bool cuda_graph_memory_is(CUdeviceptr address)
{
	return find(address);
}

CUresult cuda_graph_memory_begin(struct graph_memory *m, bool is_freed_first)
{
	if (m->is_lost)
		return CUDA_ERROR_CONTEXT_IS_DESTROYED;
	if (m->is_live)
		return is_freed_first ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
	m->is_live = true;
	m->references++;
	cuda_alloc_find(m->params.dptr)->is_freed = false;
	if (!m->is_used)
		total.used_bytes += m->params.bytesize;
	m->is_used = true;
	total.used_high_bytes = MAX(total.used_high_bytes, total.used_bytes);
	return CUDA_SUCCESS;
}

static void end(struct graph_memory *m)
{
	m->is_live = false;
	cuda_graph_memory_release(m);
}

CUresult cuda_graph_memory_end(CUdeviceptr address)
{
	struct graph_memory *m = find(address);

	if (!m || !m->is_live)
		return CUDA_ERROR_INVALID_VALUE;
	cuda_alloc_find(address)->is_freed = true;
	end(m);
	return CUDA_SUCCESS;
}

static CUresult take_back(struct cuda_alloc *a)
{
	return cuda_graph_memory_end(a->addr);
}

static void lost(struct cuda_alloc *a)
{
	struct graph_memory *m = a->graph;

	m->is_lost = true;
	uncount(m);
	if (m->is_live)
		end(m);
}

static const struct cuda_keeper keeper = {take_back, lost};

CUresult cuda_graph_memory_new(struct CUctx_st *ctx, CUDA_MEM_ALLOC_NODE_PARAMS *params, struct graph_memory **memory)
{
	const CUmemPoolProps *props = &params->poolProps;

	if (!params->bytesize || props->allocType != CU_MEM_ALLOCATION_TYPE_PINNED)
		return CUDA_ERROR_INVALID_VALUE;
	if (props->handleTypes || props->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
		return cuda_not_supported("a graph's allocation of memory that is shared or not the device's");
	if (props->location.id)
		return CUDA_ERROR_INVALID_DEVICE;

	uint64_t addr = cuda_alloc_new(ctx, params->bytesize, SIMT_ALLOC_DEVICE, 0);

	if (!addr)
		return CUDA_ERROR_OUT_OF_MEMORY;

	struct graph_memory *m = g_new0(struct graph_memory, 1);
	struct cuda_alloc *a = cuda_alloc_find(addr);

	params->dptr = addr;
	m->params = *params;
	m->references = 1;
	a->keeper = &keeper;
	a->graph = m;
	a->is_freed = true; /* until it is live */
	total.reserved_bytes += params->bytesize;
	total.reserved_high_bytes = MAX(total.reserved_high_bytes, total.reserved_bytes);
	*memory = m;
	return CUDA_SUCCESS;
}

/* ---- entry points ---- */

/* Memory stands behind nodes only: there is none to give back. */
CUresult cuDeviceGraphMemTrim(CUdevice device)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	return cuda_device_check(device);
}

CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void *value)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);

	const uint64_t values[] = {
	    [CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT] = total.used_bytes,
	    [CU_GRAPH_MEM_ATTR_USED_MEM_HIGH] = total.used_high_bytes,
	    [CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT] = total.reserved_bytes,
	    [CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH] = total.reserved_high_bytes,
	};

	if (cuda_device_check(device) != CUDA_SUCCESS)
		return CUDA_ERROR_INVALID_DEVICE;
	if (!value || (unsigned int)attribute >= G_N_ELEMENTS(values))
		return CUDA_ERROR_INVALID_VALUE;
	*(cuuint64_t *)value = values[attribute];
	return CUDA_SUCCESS;
}

CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void *value)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	if (cuda_device_check(device) != CUDA_SUCCESS)
		return CUDA_ERROR_INVALID_DEVICE;
	if (!value || *(cuuint64_t *)value)
		return CUDA_ERROR_INVALID_VALUE;
	if (attribute == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH)
		total.used_high_bytes = total.used_bytes;
	else if (attribute == CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH)
		total.reserved_high_bytes = total.reserved_bytes;
	else
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}
