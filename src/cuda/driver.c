/* driver.c - the one driver: start, end, the entry guard and the table of live handles. */
#include "cuda/driver.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/check.h"
#include "cuda/symbols.h"
#include "gpu/device.h"
#include "simt/check.h"
#include "simt/texture.h"

struct cuda_driver cuda_driver = {.lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP};

static _Thread_local bool is_in_callback;

/* ---- handles ---- */

void cuda_object_add(struct cuda_object *o, enum cuda_kind kind, struct CUctx_st *ctx,
		     void (*destroy)(struct cuda_object *o))
{
	o->kind = kind;
	o->ctx = ctx;
	o->destroy = destroy;
	o->prev = o->next = NULL;
	if (ctx) {
		o->next = ctx->first;
		if (o->next)
			o->next->prev = o;
		ctx->first = o;
	}
	g_hash_table_insert(cuda_driver.objects, o, o);
}

void cuda_object_remove(struct cuda_object *o)
{
	g_hash_table_remove(cuda_driver.objects, o);
	if (o->next)
		o->next->prev = o->prev;
	if (o->prev)
		o->prev->next = o->next;
	else if (o->ctx)
		o->ctx->first = o->next;
}

bool cuda_object_is(const void *handle, enum cuda_kind kind)
{
	const struct cuda_object *o = handle ? g_hash_table_lookup(cuda_driver.objects, handle) : NULL;

	return o && o->kind == kind;
}

/* ---- entry guard ---- */

struct cuda_call cuda_enter(enum cuda_needs needs)
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
		call.ctx = needs == CUDA_NEEDS_INIT ? NULL : cuda_context_current();
		if (needs != CUDA_NEEDS_INIT && !call.ctx)
			call.result = CUDA_ERROR_INVALID_CONTEXT;
		else if (needs == CUDA_NEEDS_HEALTH)
			call.result = call.ctx->sticky;
		call.is_timed = true;
		cuda_time_enter(call.ctx && needs == CUDA_NEEDS_HEALTH);
	}
	return call;
}

void cuda_leave(struct cuda_call *call)
{
	if (call->is_timed) {
		/* What a kernel asks of the device's run-time is a call inside its launch. */
		if (cuda_driver.is_keep_due && !cuda_time_is_nested())
			cuda_results_keep();
		cuda_time_leave();
	}
	if (call->is_locked)
		pthread_mutex_unlock(&cuda_driver.lock);
	cuda_end_wait();
}

void cuda_callback_begin(void)
{
	is_in_callback = true;
	pthread_mutex_unlock(&cuda_driver.lock);
}

void cuda_callback_end(void)
{
	pthread_mutex_lock(&cuda_driver.lock);
	is_in_callback = false;
}

/* ---- start ---- */

static void after_fork_in_child(void)
{
	if (cuda_driver.is_initialised)
		cuda_driver.is_forked = true;
}

enum { EXIT_OWN_FAILURE = 125 }; /* docs/cli.md */

/* Strata itself cannot go on, where strata has started the program: a status that no program's failure has. */
static CUresult give_up(const struct cuda_driver *d)
{
	if (!d->session.is_default)
		_exit(EXIT_OWN_FAILURE);
	return CUDA_ERROR_OUT_OF_MEMORY;
}

/* GLib ends the process where memory is short: so look before the machine is built. */
static bool has_memory(const struct gpu_config *c)
{
	const uint64_t bytes = gpu_host_bytes(c);
	void *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (room == MAP_FAILED) {
		cuda_message("error: this machine's caches need %llu bytes of the host's memory, which are not to be "
			     "had (%s); raise the limit (ulimit -v) or lower l1d.size_bytes, l1i, l1c, l1t or l2",
			     (unsigned long long)bytes, strerror(errno));
		return false;
	}
	munmap(room, bytes);
	return true;
}

static CUresult start(void)
{
	struct cuda_driver *d = &cuda_driver;
	struct base_diag_list diag;
	CUresult result = CUDA_SUCCESS;

	base_diag_init(&diag);
	d->isa = simt_isa_choose(getenv("STRATA_ISA"));
	if (d->isa == SIMT_ISA_COUNT) {
		cuda_message("error: STRATA_ISA=%s: expected portable, avx2 or avx512, and one that this host can run",
			     getenv("STRATA_ISA"));
		result = CUDA_ERROR_NO_DEVICE;
	} else if (!machine_session_load(&d->session, &diag)) {
		cuda_print_diag(&diag);
		result = CUDA_ERROR_NO_DEVICE;
	} else if (!has_memory(&d->session.config)) {
		result = give_up(d);
	} else if (!(d->machine = machine_new(&d->session.config, &diag))) {
		cuda_print_diag(&diag);
		result = CUDA_ERROR_NO_DEVICE;
	} else if (!(d->mem = simt_memory_new(d->session.config.run.device_memory_bytes))) {
		cuda_message("error: cannot reserve %llu bytes of address space for the device's memory: %s",
			     (unsigned long long)d->session.config.run.device_memory_bytes, strerror(errno));
		machine_free(d->machine);
		result = give_up(d);
	}
	base_diag_free(&diag);
	if (result == CUDA_SUCCESS && d->session.config.run.bounds == RUN_BOUNDS_PAGE)
		simt_memory_tolerate_pages(d->mem);
	if (result == CUDA_SUCCESS) {
		d->device = gpu_device(d->machine->gpu);
		cuda_check_begin();
	}
	return result;
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
			machine_session_claim(&d->session);
			d->kernels = machine_kernels_new(d->session.config.run.kernel_count);
			d->timeline = machine_timeline_new(&d->session.config, d->machine->ctx.stats);
			cuda_time_begin();
			d->is_initialised = true;
			pthread_atfork(NULL, NULL, after_fork_in_child);
			cuda_interrupt_install();
			if (d->session.is_default)
				cuda_message("no machine given (start programs with `strata run`): using %s",
					     d->session.machine);
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

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static struct machine_run run_now(const char *ended)
{
	const struct cuda_driver *d = &cuda_driver;
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	machine_timeline_settle(d->timeline);
	return (struct machine_run){
		.session = &d->session,
		.machine = d->machine,
		.kernels = d->kernels,
		.timeline = d->timeline,
		.host_seconds = cpu_seconds(),
		.peak_rss_bytes = (uint64_t)usage.ru_maxrss * 1024,
		.fault = d->fault,
		.timed_out = d->is_wall_over ? "wall" : d->is_simulated_over ? "simulated" : NULL,
		.is_interrupted = d->is_interrupted,
		.ended = ended,
	};
}

void cuda_results_keep(void)
{
	struct cuda_driver *d = &cuda_driver;
	const uint64_t work_count = machine_timeline_work_count(d->timeline), begin_ns = cuda_now_ns();

	d->is_keep_due = false;
	if (d->is_written || work_count == d->kept_work_count)
		return;

	const struct machine_run run = run_now(MACHINE_ENDED_UNSEEN);

	d->kept_work_count = work_count;
	/* Where it does not succeed, the end will say so. */
	machine_result_write(&run);
	d->keep_cost_ns = cuda_now_ns() - begin_ns;
}

void cuda_results_write(void)
{
	struct cuda_driver *d = &cuda_driver;

	if (d->is_written || !d->is_initialised)
		return;
	d->is_written = true;

	const struct machine_run run = run_now(d->ended);

	if (d->session.result_path[0] && !machine_result_write(&run)) {
		cuda_message("error: cannot write the results to %s: %s", d->session.result_path, strerror(errno));
		machine_result_lost(d->session.result_path);
	}
	if (d->session.is_default)
		machine_result_print_short(&run, STDERR_FILENO);
}

/* At exit or dlclose. A kernel that another thread still runs is ended first. */
__attribute__((destructor)) static void stop(void)
{
	struct cuda_driver *d = &cuda_driver;

	if (!d->is_initialised || d->is_forked || d->is_shut_down)
		return;
	cuda_interrupt_hold();
	cuda_end_begin();
	if (pthread_mutex_trylock(&d->lock)) {
		d->device.ops->interrupt(&d->device, DEVICE_STOP_USER);
		pthread_mutex_lock(&d->lock);
	}
	cuda_check_end(true);
	d->ended = "exit";
	cuda_results_write();
	cuda_interrupt_end();
	d->is_shut_down = true;
	/* The arena's addresses are fixed: after dlclose the next load needs them. */
	simt_memory_free(d->mem);
	simt_check_free(d->check);
	simt_textures_free(d->textures);
	machine_free(d->machine);
	machine_timeline_free(d->timeline);
	pthread_mutex_unlock(&d->lock);
}

/* ---- entry points by name ---- */

CUresult cuGetProcAddress_v2(const char *symbol, void **function, int cuda_version, cuuint64_t flags,
			     CUdriverProcAddressQueryResult *status)
{
	if (!symbol || !function || flags > CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM || cuda_version < 2000)
		return CUDA_ERROR_INVALID_VALUE;

	bool is_known;
	void *found = cuda_symbol_find(symbol, cuda_version, flags == CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM,
				       &is_known);

	if (status)
		*status = found	     ? CU_GET_PROC_ADDRESS_SUCCESS
			  : is_known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
				     : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
	*function = found;
	return found ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

#undef cuGetProcAddress
CUresult cuGetProcAddress(const char *symbol, void **function, int cuda_version, cuuint64_t flags);
__attribute__((visibility("default"))) CUresult cuGetProcAddress(const char *symbol, void **function,
								 int cuda_version, cuuint64_t flags)
{
	return cuGetProcAddress_v2(symbol, function, cuda_version, flags, NULL);
}

/* Tables of functions that only NVIDIA's own libraries know. They ask, and go on without. */
CUresult cuGetExportTable(const void **table, const CUuuid *id);
__attribute__((visibility("default"))) CUresult cuGetExportTable(const void **table, const CUuuid *id)
{
	if (!table || !id)
		return CUDA_ERROR_INVALID_VALUE;
	*table = NULL;
	return CUDA_ERROR_NOT_FOUND;
}

/* No profiler can be attached, and without one the two do nothing (CUDA Driver API reference, section 6.35). */
CUresult cuProfilerStart(void)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
	return CUDA_SUCCESS;
}

CUresult cuProfilerStop(void)
{
	CUDA_CALL(CUDA_NEEDS_HEALTH);
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
		cuda_message("%s is CUDA 3.1's form, with addresses and sizes of 32 bits; contexts here are of "
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
