/* driver.h - what the files of the CUDA driver share: the one driver, its handles, contexts and the entry guard.
 *
 * One mutex guards everything; every entry point begins with CUDA_CALL, which takes it, checks what the call needs
 * (initialised, a current context, a context without a sticky error) and gives it back on return. Handles are looked up
 * in a table before they are followed, so a dead or invented handle gives CUDA_ERROR_INVALID_HANDLE and nothing worse.
 *
 * Values are computed at call time, in call order: when an entry point returns, the copy or kernel has been done. When
 * it happens in simulated time is another matter (cuda/clock.h): streams and events keep the times at which their work
 * ends.
 */
#ifndef STRATA_CUDA_DRIVER_H
#define STRATA_CUDA_DRIVER_H

#include <cuda.h>
#include <glib.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "cuda/clock.h"
#include "cuda/refused.h"
#include "machine/message.h"
#include "machine/run.h"
#include "ptx/ptx.h"
#include "simt/memory.h"
#include "simt/simt.h"

/* ---- handles ---- */

enum cuda_kind {
	CUDA_KIND_CONTEXT, CUDA_KIND_MODULE, CUDA_KIND_FUNCTION, CUDA_KIND_STREAM, CUDA_KIND_EVENT, CUDA_KIND_ARRAY,
	CUDA_KIND_MIPMAP,
	CUDA_KIND_TEXREF, CUDA_KIND_SURFREF, CUDA_KIND_TEXOBJECT, CUDA_KIND_SURFOBJECT, CUDA_KIND_LINK, CUDA_KIND_ALLOC,
	CUDA_KIND_POOL, CUDA_KIND_GRAPH, CUDA_KIND_GRAPH_NODE, CUDA_KIND_GRAPH_EXEC, CUDA_KIND_USER_OBJECT,
	CUDA_KIND_LIBRARY, CUDA_KIND_KERNEL, CUDA_KIND_PHYSICAL,
};

/* First member of everything a context owns. */
struct cuda_object {
	enum cuda_kind kind;
	struct CUctx_st *ctx; /* owner; NULL for contexts */
	struct cuda_object *prev, *next; /* in the owner's list, newest first */
	void (*destroy)(struct cuda_object *o); /* frees it with everything it holds */
};

/* Registers o as a live handle and puts it on ctx's list (ctx may be NULL). */
void cuda_object_add(struct cuda_object *o, enum cuda_kind kind, struct CUctx_st *ctx,
		     void (*destroy)(struct cuda_object *o));
/* Takes o off the table and its list; destroy functions call it first. */
void cuda_object_remove(struct cuda_object *o);
bool cuda_object_is(const void *handle, enum cuda_kind kind);

/* ---- contexts ---- */

enum { CUDA_LIMIT_COUNT = 7 };

/* What cuStreamSetAttribute keeps, by number. */
enum { CUDA_STREAM_ATTRIBUTE_COUNT = CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN + 1 };
struct cuda_stream_attributes {
	CUstreamAttrValue value[CUDA_STREAM_ATTRIBUTE_COUNT];
};

struct CUctx_st {
	struct cuda_object object;
	unsigned int flags;
	uint64_t id;
	uint32_t attach_count;
	struct cuda_object *first; /* what it owns, newest first */
	CUresult sticky;	   /* a kernel failed: every call returns this */
	size_t limits[CUDA_LIMIT_COUNT];
	CUfunc_cache cache_config;
	CUsharedconfig shared_config;
	struct machine_streams streams;
	struct machine_stream legacy; /* the legacy default stream */
	struct cuda_stream_attributes attributes; /* of the built-in streams */
	GHashTable *per_thread;	      /* default streams of threads: number -> struct machine_stream; NULL: none yet */
	CUmemoryPool default_pool, current_pool; /* NULL until asked for; current: NULL is the default */
};

CUresult cuda_context_new(unsigned int flags, struct CUctx_st **ctx);
/* The calling thread's current context, or NULL. */
struct CUctx_st *cuda_context_current(void);
/* The calling thread's stack of contexts; those that died stay on it. */
bool cuda_context_has_room(void);
CUresult cuda_context_push(CUcontext c);
bool cuda_context_pop(CUcontext *c);

/* ---- the driver ---- */

struct cuda_driver {
	pthread_mutex_t lock;
	bool is_initialised;
	CUresult init_result; /* of the first cuInit; later ones return it too */
	volatile bool is_shut_down, is_forked;
	struct machine_run run;
	struct simt_memory *mem;
	struct simt_check *check; /* NULL: not under `strata check` */
	struct simt_textures *textures;
	enum simt_isa isa;
	GHashTable *objects; /* live handles: address -> struct cuda_object */
	uint64_t next_id;
	struct CUctx_st *primary;
	uint32_t primary_count;
	unsigned int primary_flags;
};

extern struct cuda_driver cuda_driver;

/* ---- entry guard ---- */

enum cuda_needs {
	CUDA_NEEDS_INIT,    /* cuInit was called */
	CUDA_NEEDS_CONTEXT, /* and there is a current context */
	CUDA_NEEDS_HEALTH,  /* and none of its kernels has failed */
};

struct cuda_call {
	CUresult result;
	bool is_locked, is_timed;
	struct CUctx_st *ctx;
};

/* handle: a live handle whose context is the call's; NULL, and what is no live handle: the current context is. */
struct cuda_call cuda_enter(enum cuda_needs needs, const void *handle);
/* The same by an address, whose allocation has the context. */
struct cuda_call cuda_enter_at(enum cuda_needs needs, uint64_t address);
void cuda_leave(struct cuda_call *call);

/* First statement of an entry point; `call.ctx` is the context that it works in. A call that is given a handle works in
 * the handle's context (CUDA_CALL_OF), and needs no current one; others work in the current one. */
#define CUDA_CALL_BY(entered) \
	struct cuda_call call __attribute__((cleanup(cuda_leave))) = entered; \
	if (call.result != CUDA_SUCCESS) \
		return call.result
#define CUDA_CALL(needs) CUDA_CALL_BY(cuda_enter(needs, NULL))
#define CUDA_CALL_OF(needs, handle) CUDA_CALL_BY(cuda_enter(needs, handle))
#define CUDA_CALL_AT(needs, address) CUDA_CALL_BY(cuda_enter_at(needs, address))

/* Runs the user's code without the driver's lock; calls of this API from it are refused. */
void cuda_callback_begin(void);
void cuda_callback_end(void);

/* ---- messages ---- */

/* Names what is missing, once per name and process. Returns CUDA_ERROR_NOT_SUPPORTED. */
CUresult cuda_not_supported(const char *name);
/* Text of an error code, or NULL. */
const char *cuda_error_text(CUresult e);

/* ---- the device ---- */

/* CUDA_SUCCESS for the one device there is. */
CUresult cuda_device_check(CUdevice device);
int cuda_device_attribute(CUdevice_attribute a, bool *is_known);
/* One that it knows and that is not negative. */
uint32_t cuda_device_limit(CUdevice_attribute a);

/* ---- memory ---- */

struct cuda_alloc;

/* Who else has to do with an allocation: its pool, or its node in a graph. */
struct cuda_keeper {
	CUresult (*take_back)(struct cuda_alloc *a); /* in place of freeing it; NULL: it is freed */
	void (*lost)(struct cuda_alloc *a);	     /* it is gone */
};

/* An allocation made by this API; address and size are in simt_memory. */
struct cuda_alloc {
	struct cuda_object object;
	uint64_t addr, size_bytes, id;
	enum simt_alloc_kind kind;
	unsigned int flags;
	bool is_readonly, is_read_mostly;
	bool is_freed; /* by the user, not with its context */
	void *caller;  /* of the allocating call, for the memory checker */
	bool is_synchronous; /* CU_POINTER_ATTRIBUTE_SYNC_MEMOPS */
	int preferred_location, prefetch_location;
	const struct cuda_keeper *keeper; /* or NULL */
	CUmemoryPool pool; /* that it is counted for, or NULL */
	struct graph_memory *graph; /* an allocation node's, which is freed by being given back to it; or NULL */
};

/* The live allocation of this API that holds addr, or NULL. */
struct cuda_alloc *cuda_alloc_find(uint64_t addr);
/* Allocates device memory owned by ctx; 0 when there is none left. */
uint64_t cuda_alloc_new(struct CUctx_st *ctx, uint64_t size_bytes, enum simt_alloc_kind kind, unsigned int flags);
/* Records memory that is there as allocated. */
struct cuda_alloc *cuda_alloc_add(struct CUctx_st *ctx, uint64_t addr, uint64_t size_bytes, enum simt_alloc_kind kind,
				  unsigned int flags);
CUresult cuda_alloc_free(uint64_t addr, enum simt_alloc_kind a, enum simt_alloc_kind b);
/* Host code may pass [addr, addr + size_bytes) as device memory to a copy or fill. */
bool cuda_range_is_device(uint64_t addr, uint64_t size_bytes);
/* Whether addr lies where only device-visible memory can lie. */
bool cuda_address_is_arena(uint64_t addr);
/* Where the bytes physically are. */
bool cuda_address_is_on_device(uint64_t addr);

/* ---- the memory checker (check.c): nothing happens where none is attached ---- */

/* The checker is asked for. */
void cuda_check_begin(void);
void cuda_check_allocated(struct cuda_alloc *a);
/* when: "when the program ends" */
void cuda_check_leaked(const struct cuda_alloc *a, const char *when);
void cuda_check_bad_free(uint64_t addr);
/* Host code wrote device memory, or copied it. */
void cuda_check_written(uint64_t addr, uint64_t bytes);
void cuda_check_copied(uint64_t to, uint64_t from, uint64_t bytes);
void cuda_check_launched(void);
/* A launch that the program asked for did not begin; kernel may be NULL. */
void cuda_check_refused(const char *kernel, const char *reason);
/* Writes the findings; is_complete: the program has ended by itself, what is not freed now never will be. */
void cuda_check_end(struct machine_run *run, bool is_complete);

/* ---- arrays ---- */

struct CUarray_st {
	struct cuda_object object;
	CUDA_ARRAY3D_DESCRIPTOR desc;
	uint64_t addr, pitch_bytes, slice_bytes; /* rows and slices of texels in device memory */
	uint32_t element_bytes;
	uint64_t rows, slices; /* at least 1 */
	bool is_level;	       /* of a mipmapped array, and goes with it */
};

enum { CUDA_MIPMAP_LEVELS_MAX = 18 };

struct CUmipmappedArray_st {
	struct cuda_object object;
	uint32_t levels;
	CUarray level[CUDA_MIPMAP_LEVELS_MAX];
};

CUresult cuda_array_create(struct CUctx_st *ctx, const CUDA_ARRAY3D_DESCRIPTOR *d, CUarray *array);
/* Made for surfaces, or a level of a mipmapped array: NVIDIA's driver takes those without the flag. */
bool cuda_array_takes_surface(const struct CUarray_st *a);

/* Bytes of one component, 0 for an unknown format. */
uint32_t cuda_format_bytes(CUarray_format f);

/* ---- modules and functions ---- */

struct CUmod_st {
	struct cuda_object object;
	struct ptx_module *ptx;
	struct simt_module *simt;
};

struct CUfunc_st {
	struct cuda_object object;
	struct CUmod_st *module;
	const struct ptx_func *func;
	struct simt_program *program; /* built at the first need, and again where a launch needs fewer registers */
	uint32_t register_max;	      /* per thread, that a launch needed; 0: none */
	uint32_t largest_cta;	      /* threads of it, see cuda_function_largest_cta; 0: not computed yet */
	bool has_failed_build;	      /* its messages were printed */
	char *refusal;		      /* the first of them */
	int max_dynamic_shared_bytes, carveout_percent;
	CUfunc_cache cache_config;
};

/* The object is a texture or surface reference of m (texref.c). */
bool cuda_reference_is_of(const struct cuda_object *o, const struct CUmod_st *m);

/* Log buffers and options of cuModuleLoadDataEx, cuLibraryLoad* and cuLink*. A bound of 0 is not given. */
struct cuda_jit {
	char *info, *error;
	size_t info_bytes, error_bytes;
	uint32_t register_max; /* registers per thread: of the options, or of a fat binary (nvcc -maxrregcount) */
	uint32_t thread_max, cta_min; /* of a CTA; per SM */
	bool is_override;	      /* the bounds take the place of the kernels' own */
	uint32_t capability;	      /* times 10, that code is made for; 0: the device's */
	unsigned int count;
	CUjit_option *options;
	void **values;
};

/* Reads the options; one that Strata does not have, and that changes what programs compute, is refused by name. */
CUresult cuda_jit_parse(struct cuda_jit *j, unsigned int count, CUjit_option *options, void **values);
bool cuda_jit_has_error_log(const struct cuda_jit *j);
/* Fills the buffers and writes back the sizes used. */
void cuda_jit_finish(struct cuda_jit *j, const char *info, const char *error);
/* One more bound of the registers; 0: none. */
void cuda_jit_limit_registers(struct cuda_jit *j, uint32_t max);
/* Gives the bounds of j to m's kernels, as directives. */
void cuda_jit_bound(const struct cuda_jit *j, struct ptx_module *m);
/* The highest compute capability, times 10, that code for the device may be for. */
uint32_t cuda_jit_capability(const struct cuda_jit *j);
/* For the information log: what a real driver would not have run. malloc'ed. */
char *cuda_jit_note(const struct cuda_jit *j, const struct ptx_module *m);
/* Recognises what is not PTX text; prints why and returns the error, else CUDA_SUCCESS. */
CUresult cuda_image_check(const void *image, const char *what, struct cuda_jit *j);
/* Loads PTX text or a fat binary from memory; messages go to j's log. */
CUresult cuda_image_load(struct CUctx_st *ctx, const void *image, struct cuda_jit *j, CUmodule *module);
/* Whether the image begins like a fat binary. */
bool cuda_image_is_fatbin(const void *image);
/* Loads the PTX of a fat binary, linked if there are several. limit_bytes: of the image, SIZE_MAX when unknown.
 * Messages begin with the name of the program or library that holds the image, or with name; they are printed. */
CUresult cuda_fatbin_load(struct CUctx_st *ctx, const void *image, size_t limit_bytes, const char *name,
			  struct cuda_jit *j, CUmodule *module);
/* Parses and places PTX text; messages go to the log and, without an error log, to stderr. */
CUresult cuda_module_load(struct CUctx_st *ctx, const char *name, const char *text, size_t size_bytes,
			  struct cuda_jit *j, CUmodule *module);
/* The kernel's function in the current context where handle is a CUkernel, which calls of kernels take as well; handle
 * itself for everything else, and where the kernel cannot be loaded. */
CUfunction cuda_function_of(CUfunction handle);
/* The decoded program of f; NULL after printing (once) what it needs and Strata lacks. */
struct simt_program *cuda_function_program(struct CUfunc_st *f);
/* Builds f's program again with fewer registers where CTAs of so many threads do not fit an SM otherwise, and says so
 * once. The program must be there. */
void cuda_function_fit(struct CUfunc_st *f, uint32_t threads);
/* Most threads of a CTA that an SM has room for, in whole warps and up to limit, with as few registers as spilling
 * reaches (cuda_function_fit). The program must be there. */
uint32_t cuda_function_largest_cta(struct CUfunc_st *f, uint32_t limit);
/* Dynamic shared memory that a launch of f may have. */
uint64_t cuda_function_dynamic_bytes(const struct CUfunc_st *f);
/* CTAs per SM for this shape, 0 if none; diag may be NULL. */
uint32_t cuda_function_ctas_per_sm(struct CUfunc_st *f, uint32_t threads, uint64_t dynamic_bytes,
				   struct base_diag_list *diag);
/* Reads the whole file, NUL-terminated; NULL with errno. */
char *cuda_file_read(const char *path, size_t *size_bytes);

/* ---- streams ---- */

struct CUstream_st {
	struct cuda_object object;
	unsigned int flags;
	uint64_t id;
	struct machine_stream time;
	struct cuda_stream_attributes attributes;
};

/* CUDA_SUCCESS for a live stream and the three built-in ones. */
CUresult cuda_stream_check(CUstream s);
/* The same for a batch, which the legacy stream does not take. */
CUresult cuda_stream_check_batch(struct CUctx_st *ctx, CUstream s);
/* The stream's place on the timeline; NULL where another thread has destroyed it, or its context, while this one was
 * without the lock. */
struct machine_stream *cuda_stream_place(struct CUctx_st *ctx, CUstream s);

#endif
