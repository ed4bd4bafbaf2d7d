/* registration.c - what a program's start-up code registers: fat binaries, their kernels and variables. Device code is
 * loaded at the first use of something that is in it, once per context. */
#include <glib.h>
#include <pthread.h>
#include <stdlib.h>

#include "cudart/priv.h"
#include "cudart/registration.h"

/* A binary's module in one context. */
struct instance {
	uint64_t context_id;
	CUmodule module;
	cudaError_t error; /* why it could not be loaded; said once */
};

struct cudart_binary {
	const void *wrapper;
	GArray *instances; /* struct instance */
	GPtrArray *kernels, *variables; /* owned */
};

struct kernel {
	struct cudart_binary *binary;
	const void *host;
	const char *name; /* in the program's read-only data */
	uint64_t context_id;
	CUfunction function; /* in that context; NULL before the first use */
	bool is_reported;    /* why it cannot be used was printed */
};

struct variable {
	struct cudart_binary *binary;
	const void *host;
	const char *name;
	void **managed; /* where host code finds the address of a managed variable; NULL for the others */
};

/* One lock for the tables: registration may come from dlopen in one thread while others launch. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static GHashTable *kernels;   /* host stub -> struct kernel, and each struct kernel -> itself, as a handle */
static GHashTable *variables; /* host shadow -> struct variable */

/* ---- registering ---- */

CUDART_API void **__cudaRegisterFatBinary(void *wrapper)
{
	struct cudart_binary *b = g_new0(struct cudart_binary, 1);

	b->wrapper = wrapper;
	b->instances = g_array_new(FALSE, FALSE, sizeof(struct instance));
	b->kernels = g_ptr_array_new_with_free_func(g_free);
	b->variables = g_ptr_array_new_with_free_func(g_free);
	pthread_mutex_lock(&lock);
	if (!kernels) {
		kernels = g_hash_table_new(NULL, NULL);
		variables = g_hash_table_new(NULL, NULL);
	}
	pthread_mutex_unlock(&lock);
	return (void **)b;
}

CUDART_API void __cudaRegisterFatBinaryEnd(void **handle)
{
	(void)handle;
}

CUDART_API void __cudaRegisterFunction(void **handle, const char *host, char *device_name, const char *name,
				       int thread_limit, void *tid, void *bid, dim3 *block, dim3 *grid, int *warp_size)
{
	struct cudart_binary *b = (struct cudart_binary *)handle;
	struct kernel *k = g_new0(struct kernel, 1);

	(void)device_name, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp_size;
	k->binary = b;
	k->host = host;
	k->name = name;
	g_ptr_array_add(b->kernels, k);
	pthread_mutex_lock(&lock);
	g_hash_table_insert(kernels, (gpointer)host, k);
	g_hash_table_insert(kernels, k, k);
	pthread_mutex_unlock(&lock);
}

CUDART_API void __cudaRegisterVar(void **handle, char *host, char *device_name, const char *name, int is_extern,
				  size_t bytes, int is_constant, int is_global)
{
	struct cudart_binary *b = (struct cudart_binary *)handle;
	struct variable *v = g_new0(struct variable, 1);

	(void)device_name, (void)is_extern, (void)bytes, (void)is_constant, (void)is_global;
	v->binary = b;
	v->host = host;
	v->name = name;
	g_ptr_array_add(b->variables, v);
	pthread_mutex_lock(&lock);
	g_hash_table_insert(variables, host, v);
	pthread_mutex_unlock(&lock);
}

/* Host code reaches a managed variable through *slot and calls __cudaInitModule before it does. */
CUDART_API void __cudaRegisterManagedVar(void **handle, void **slot, char *device_name, const char *name,
					 int is_extern, size_t bytes, int is_constant, int is_global)
{
	struct cudart_binary *b = (struct cudart_binary *)handle;
	struct variable *v;

	__cudaRegisterVar(handle, (char *)slot, device_name, name, is_extern, bytes, is_constant, is_global);
	v = b->variables->pdata[b->variables->len - 1];
	v->managed = slot;
}

/* Texture and surface references (until CUDA 11) are of no use without the calls that bind them; those say that they
 * are not supported. */
CUDART_API void __cudaRegisterTexture(void **handle, const void *host, const void **device, const char *name,
				      int dimensions, int is_normalized, int is_extern)
{
	(void)handle, (void)host, (void)device, (void)name, (void)dimensions, (void)is_normalized, (void)is_extern;
}

CUDART_API void __cudaRegisterSurface(void **handle, const void *host, const void **device, const char *name,
				      int dimensions, int is_extern)
{
	(void)handle, (void)host, (void)device, (void)name, (void)dimensions, (void)is_extern;
}

/* Frees what the current context has of it. At exit the driver may be gone, and all with it. */
static void unload(struct cudart_binary *b)
{
	uint64_t context_id;

	cudart_context_id(&context_id);
	for (guint i = 0; i < b->instances->len; i++) {
		const struct instance *known = &g_array_index(b->instances, struct instance, i);

		if (known->context_id == context_id && known->module)
			cuModuleUnload(known->module);
	}
}

CUDART_API void __cudaUnregisterFatBinary(void **handle)
{
	struct cudart_binary *b = (struct cudart_binary *)handle;

	pthread_mutex_lock(&lock);
	unload(b);
	for (guint i = 0; i < b->kernels->len; i++) {
		struct kernel *k = b->kernels->pdata[i];

		g_hash_table_remove(kernels, k);
		if (g_hash_table_lookup(kernels, k->host) == k)
			g_hash_table_remove(kernels, k->host);
	}
	for (guint i = 0; i < b->variables->len; i++) {
		struct variable *v = b->variables->pdata[i];

		if (g_hash_table_lookup(variables, v->host) == v)
			g_hash_table_remove(variables, v->host);
	}
	pthread_mutex_unlock(&lock);
	g_ptr_array_free(b->kernels, TRUE);
	g_ptr_array_free(b->variables, TRUE);
	g_array_free(b->instances, TRUE);
	g_free(b);
}

/* ---- loading ---- */

/* Tells host code where the managed variables of a module are. */
static void place_managed(const struct cudart_binary *b, CUmodule module)
{
	for (guint i = 0; i < b->variables->len; i++) {
		const struct variable *v = b->variables->pdata[i];
		CUdeviceptr address;

		if (v->managed && cuModuleGetGlobal(&address, NULL, module, v->name) == CUDA_SUCCESS)
			*v->managed = (void *)address;
	}
}

/* The binary's module in the current context. Called with the lock held. */
static cudaError_t load(struct cudart_binary *b, uint64_t context_id, CUmodule *module)
{
	for (guint i = 0; i < b->instances->len; i++) {
		struct instance *known = &g_array_index(b->instances, struct instance, i);

		if (known->context_id == context_id) {
			*module = known->module;
			return known->error;
		}
	}

	struct instance new = {.context_id = context_id};

	new.error = cudart_error(cuModuleLoadFatBinary(&new.module, b->wrapper));
	if (new.error == cudaSuccess)
		place_managed(b, new.module);
	if (!cudart_is_sticky(new.error))
		g_array_append_val(b->instances, new);
	*module = new.module;
	return new.error;
}

CUDART_API char __cudaInitModule(void **handle)
{
	uint64_t context_id;
	CUmodule module;
	cudaError_t error = cudart_enter();

	if (error != cudaSuccess)
		return 0;
	pthread_mutex_lock(&lock);
	cudart_context_id(&context_id);
	error = load((struct cudart_binary *)handle, context_id, &module);
	pthread_mutex_unlock(&lock);
	return cudart_fail(error) == cudaSuccess;
}

static cudaError_t find_function(struct kernel *k, CUfunction *function)
{
	uint64_t context_id;
	CUmodule module;
	cudaError_t error;

	cudart_context_id(&context_id);
	if (!k->function || k->context_id != context_id) {
		error = load(k->binary, context_id, &module);
		if (error == cudaSuccess)
			error = cudart_error(cuModuleGetFunction(&k->function, module, k->name));
		if (error != cudaSuccess) {
			k->function = NULL;
			if (!k->is_reported)
				cudart_message("error: kernel %s cannot be loaded: %s", k->name,
					       cudaGetErrorString(error));
			k->is_reported = true;
			return error == cudaErrorSymbolNotFound ? cudaErrorInvalidDeviceFunction : error;
		}
		k->context_id = context_id;
	}
	*function = k->function;
	return cudaSuccess;
}

static struct kernel *find_kernel(const void *kernel)
{
	return kernels ? g_hash_table_lookup(kernels, kernel) : NULL;
}

cudaError_t cudart_function(const void *kernel, CUfunction *function)
{
	pthread_mutex_lock(&lock);

	struct kernel *k = find_kernel(kernel);
	cudaError_t error = k ? find_function(k, function) : cudaErrorInvalidDeviceFunction;

	pthread_mutex_unlock(&lock);
	/* Or one that the program loaded by itself. */
	if (!k && kernel && cuKernelGetFunction(function, (CUkernel)kernel) == CUDA_SUCCESS)
		return cudaSuccess;
	return error;
}

const void *cudart_function_host(CUfunction function)
{
	const void *host = NULL;
	GHashTableIter i;
	gpointer value;

	pthread_mutex_lock(&lock);
	if (kernels) {
		g_hash_table_iter_init(&i, kernels);
		while (!host && g_hash_table_iter_next(&i, NULL, &value)) {
			if (((struct kernel *)value)->function == function)
				host = ((struct kernel *)value)->host;
		}
	}
	pthread_mutex_unlock(&lock);
	return host;
}

const char *cudart_function_name(const void *kernel)
{
	const char *own = NULL;

	pthread_mutex_lock(&lock);

	struct kernel *k = find_kernel(kernel);

	pthread_mutex_unlock(&lock);
	if (!k && kernel)
		cuKernelGetName(&own, (CUkernel)kernel);
	return k ? k->name : own;
}

/* By its shadow, or, as host code names a managed variable, by where it is. */
static struct variable *find_variable(const void *symbol)
{
	GHashTableIter i;
	gpointer value;

	if (!variables)
		return NULL;
	value = g_hash_table_lookup(variables, symbol);
	if (value)
		return value;
	g_hash_table_iter_init(&i, variables);
	while (g_hash_table_iter_next(&i, NULL, &value)) {
		struct variable *v = value;

		if (v->managed && symbol && *v->managed == symbol)
			return v;
	}
	return NULL;
}

static cudaError_t locate(const struct variable *v, CUdeviceptr *address, size_t *bytes)
{
	uint64_t context_id;
	CUmodule module;
	CUdeviceptr found_address;
	size_t found_bytes;

	cudart_context_id(&context_id);

	cudaError_t error = load(v->binary, context_id, &module);

	if (error == cudaSuccess)
		error = cudart_error(cuModuleGetGlobal(&found_address, &found_bytes, module, v->name));
	if (error != cudaSuccess)
		return error == cudaErrorSymbolNotFound ? cudaErrorInvalidSymbol : error;
	if (address)
		*address = found_address;
	if (bytes)
		*bytes = found_bytes;
	return cudaSuccess;
}

cudaError_t cudart_variable(const void *symbol, CUdeviceptr *address, size_t *bytes)
{
	pthread_mutex_lock(&lock);

	struct variable *v = find_variable(symbol);
	cudaError_t error = v ? locate(v, address, bytes) : cudaErrorInvalidSymbol;

	pthread_mutex_unlock(&lock);
	return error;
}

cudaError_t cudart_kernel_handle(const void *host, const void **handle)
{
	pthread_mutex_lock(&lock);
	*handle = find_kernel(host);
	pthread_mutex_unlock(&lock);
	return *handle ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}
