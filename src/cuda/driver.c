/* driver.c - the one driver: start, end, and the entry guard. */
#include "cuda/driver.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "cuda/nvtx.h"
#include "cuda/symbols.h"
#include "simt/check.h"
#include "simt/texture.h"

struct cuda_driver cuda_driver = {.lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP};

static _Thread_local bool is_in_callback;

/* ---- entry guard ---- */

/* The context of what is given to a call, or the current one. */
static struct CUctx_st *context_of(const void *handle, uint64_t address)
{
	const struct cuda_object *o = handle ? g_hash_table_lookup(cuda_driver.objects, handle) : NULL;
	const struct cuda_alloc *a = address ? cuda_alloc_find(address) : NULL;

	if (a)
		o = &a->object;
	return o && o->ctx ? o->ctx : cuda_context_current();
}

static struct cuda_call enter(enum cuda_needs needs, const void *handle, uint64_t address)
{
	struct cuda_call call = {CUDA_SUCCESS, false, false, NULL};

	if (cuda_driver.is_forked) {
		call.result = CUDA_ERROR_NOT_INITIALIZED;
		return call;
	}
	if (is_in_callback) {
		call.result = CUDA_ERROR_NOT_PERMITTED;
		return call;
	}
	pthread_mutex_lock(&cuda_driver.lock);
	call.is_locked = true;
	if (cuda_driver.is_shut_down) {
		call.result = CUDA_ERROR_DEINITIALIZED;
	} else if (!cuda_driver.is_initialised) {
		call.result = CUDA_ERROR_NOT_INITIALIZED;
	} else {
		call.ctx = needs == CUDA_NEEDS_INIT ? NULL : context_of(handle, address);
		if (needs != CUDA_NEEDS_INIT && !call.ctx)
			call.result = CUDA_ERROR_INVALID_CONTEXT;
		else if (needs == CUDA_NEEDS_HEALTH)
			call.result = call.ctx->sticky;
		call.is_timed = true;
		cuda_time_enter(call.ctx && needs == CUDA_NEEDS_HEALTH);
	}
	return call;
}

struct cuda_call cuda_enter(enum cuda_needs needs, const void *handle)
{
	return enter(needs, handle, 0);
}

struct cuda_call cuda_enter_at(enum cuda_needs needs, uint64_t address)
{
	return enter(needs, NULL, address);
}

void cuda_leave(struct cuda_call *call)
{
	if (call->is_timed) {
		/* What a kernel asks of the device's run-time is a call inside its launch. */
		if (cuda_driver.run.is_keep_due && !cuda_time_is_nested())
			machine_run_keep(&cuda_driver.run);
		cuda_time_leave();
	}
	if (call->is_locked)
		pthread_mutex_unlock(&cuda_driver.lock);
	machine_run_wait();
}

void cuda_callback_begin(void)
{
	is_in_callback = true;
	pthread_mutex_unlock(&cuda_driver.lock);
}

void cuda_callback_end(void)
{
	machine_run_wait();
	pthread_mutex_lock(&cuda_driver.lock);
	if (cuda_driver.is_shut_down) {
		/* The program's main has returned meanwhile: what the caller would go on with is gone. */
		pthread_mutex_unlock(&cuda_driver.lock);
		for (;;)
			pause();
	}
	is_in_callback = false;
}

/* ---- start ---- */

static void after_fork_in_child(void)
{
	if (cuda_driver.is_initialised)
		cuda_driver.is_forked = true;
}

static bool open_device(struct machine_run *run)
{
	struct cuda_driver *d = &cuda_driver;

	d->mem = simt_memory_new(run->params->device_memory_bytes);
	if (!d->mem) {
		machine_message("error: cannot reserve %llu bytes of address space for the device's memory: %s",
				   (unsigned long long)run->params->device_memory_bytes, strerror(errno));
		return false;
	}
	if (run->params->bounds == RUN_BOUNDS_PAGE)
		simt_memory_tolerate_pages(d->mem);
	if (run->is_checked)
		cuda_check_begin();
	return true;
}

static const struct machine_door door = {&cuda_driver.lock, open_device, cuda_check_end, cuda_nvtx_is_open};

static CUresult start(void)
{
	static const CUresult results[] = {
	    [MACHINE_BEGUN] = CUDA_SUCCESS,
	    [MACHINE_REFUSED] = CUDA_ERROR_NO_DEVICE,
	    [MACHINE_NO_MEMORY] = CUDA_ERROR_OUT_OF_MEMORY,
	};
	struct cuda_driver *d = &cuda_driver;

	d->isa = simt_isa_choose(getenv("STRATA_ISA"));
	if (d->isa == SIMT_ISA_COUNT) {
		machine_message("error: STRATA_ISA=%s: expected portable, avx2 or avx512, and one that this host can "
				   "run", getenv("STRATA_ISA"));
		return CUDA_ERROR_NO_DEVICE;
	}
	return results[machine_run_begin(&d->run, &door)];
}

CUresult cuInit(unsigned int flags)
{
	struct cuda_driver *d = &cuda_driver;

	if (flags)
		return CUDA_ERROR_INVALID_VALUE;
	if (d->is_forked)
		return CUDA_ERROR_NOT_INITIALIZED;
	if (is_in_callback)
		return CUDA_ERROR_NOT_PERMITTED;
	pthread_mutex_lock(&d->lock);
	if (d->is_shut_down) {
		d->init_result = CUDA_ERROR_DEINITIALIZED;
	} else if (!d->is_initialised && d->init_result == CUDA_SUCCESS) {
		d->init_result = start();
		if (d->init_result == CUDA_SUCCESS) {
			d->objects = g_hash_table_new(NULL, NULL);
			d->textures = simt_textures_new();
			cuda_time_begin();
			d->is_initialised = true;
			pthread_atfork(NULL, NULL, after_fork_in_child);
		}
	}

	CUresult result = d->init_result;

	pthread_mutex_unlock(&d->lock);
	return result;
}

/* The newest runtime that works on this driver. */
enum { DRIVER_VERSION = 13000 };

CUresult cuDriverGetVersion(int *version)
{
	if (!version)
		return CUDA_ERROR_INVALID_VALUE;
	*version = DRIVER_VERSION;
	return CUDA_SUCCESS;
}

/* ---- end ---- */

/* At exit or dlclose. */
__attribute__((destructor)) static void stop(void)
{
	struct cuda_driver *d = &cuda_driver;

	if (!d->is_initialised || d->is_forked || d->is_shut_down)
		return;
	machine_run_end(&d->run);
	d->is_shut_down = true;
	machine_run_free(&d->run);
	/* The arena's addresses are fixed: after dlclose the next load needs them. */
	simt_memory_free(d->mem);
	simt_check_free(d->check);
	simt_textures_free(d->textures);
	pthread_mutex_unlock(&d->lock);
}

/* ---- calls that do nothing ---- */

/* No profiler can be attached, and without one the two do nothing (CUDA Driver API reference, section 6.35). Of
 * run.only = profiler what is between them is what is timed. */
CUresult cuProfilerStart(void)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	machine_run_region(&cuda_driver.run, true);
	return CUDA_SUCCESS;
}

CUresult cuProfilerStop(void)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	machine_run_region(&cuda_driver.run, false);
	return CUDA_SUCCESS;
}

static CUresult unsupported_call(const char *name)
{
	CUDA_CALL(CUDA_NEEDS_INIT);
	return cuda_not_supported(name);
}

static CUresult old_call(const char *name)
{
	static GHashTable *named;
	CUDA_CALL(CUDA_NEEDS_INIT);

	if (!named)
		named = g_hash_table_new(g_str_hash, g_str_equal);
	if (g_hash_table_add(named, (gpointer)name))
		machine_message("%s is CUDA 3.1's form, with addresses and sizes of 32 bits; contexts here are of "
				"CUDA 3.2 and newer, whose form is named %s_v2", name, name);
	return CUDA_ERROR_INVALID_CONTEXT;
}

int cuda_unsupported_call(const char *name)
{
	return (int)unsupported_call(name);
}

int cuda_old_call(const char *name)
{
	return (int)old_call(name);
}
