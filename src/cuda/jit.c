/* jit.c - the options of loading and linking. There is no compiler: those that bound a kernel's registers and CTAs
 * become directives of the kernel, as if its source had them; those that only steer a compiler change nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/driver.h"

/* CUjit_target: 30 to 121, and what marks targets of one architecture (90a) and of a family (100f). */
enum { TARGET_MIN = 30, TARGET_MAX = 999, TARGET_MARKS = 0x30000 };

static CUresult unless(bool is_wrong)
{
	return is_wrong ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

static CUresult take_target(struct cuda_jit *j, uint32_t number)
{
	j->capability = number & ~(uint32_t)TARGET_MARKS;
	return unless(j->capability < TARGET_MIN || j->capability > TARGET_MAX);
}

/* Registers with which a CTA of so many threads can begin. */
static void take_threads(struct cuda_jit *j, uint32_t threads)
{
	const struct device *d = cuda_driver.run.device;
	const uint64_t warps = ((uint64_t)threads + SIMT_LANES - 1) / SIMT_LANES;

	if (threads)
		cuda_jit_limit_registers(j, MAX(d->ops->registers_per_thread(d, warps), 1u));
}

static CUresult take(struct cuda_jit *j, CUjit_option option, void *value)
{
	const uint32_t number = (uint32_t)(uintptr_t)value;

	switch (option) {
	case CU_JIT_INFO_LOG_BUFFER:
		j->info = value;
		break;
	case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
		j->info_bytes = number;
		break;
	case CU_JIT_ERROR_LOG_BUFFER:
		j->error = value;
		break;
	case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
		j->error_bytes = number;
		break;
	case CU_JIT_MAX_REGISTERS:
		cuda_jit_limit_registers(j, number);
		break;
	case CU_JIT_THREADS_PER_BLOCK:
		take_threads(j, number);
		break;
	case CU_JIT_MAX_THREADS_PER_BLOCK:
		j->thread_max = number;
		break;
	case CU_JIT_MIN_CTA_PER_SM:
		j->cta_min = number;
		break;
	case CU_JIT_OVERRIDE_DIRECTIVE_VALUES:
		j->is_override = number;
		break;
	case CU_JIT_TARGET:
		return take_target(j, number);
	case CU_JIT_TARGET_FROM_CUCONTEXT:
		j->capability = 0;
		break;
	case CU_JIT_OPTIMIZATION_LEVEL:
		return unless(number > 4);
	case CU_JIT_FALLBACK_STRATEGY:
		return unless(number > 1);
	case CU_JIT_CACHE_MODE:
		return unless(number > 2);
	case CU_JIT_GLOBAL_SYMBOL_NAMES:
	case CU_JIT_GLOBAL_SYMBOL_ADDRESSES:
	case CU_JIT_GLOBAL_SYMBOL_COUNT:
		return value ? cuda_not_supported("CU_JIT_GLOBAL_SYMBOL_NAMES (symbols at addresses of the host)")
			     : CUDA_SUCCESS;
	default:
		return unless((unsigned int)option > CU_JIT_SPLIT_COMPILE);
	}
	return CUDA_SUCCESS;
}

CUresult cuda_jit_parse(struct cuda_jit *j, unsigned int count, CUjit_option *options, void **values)
{
	CUresult result = CUDA_SUCCESS;

	memset(j, 0, sizeof(*j));
	if (count && (!options || !values))
		return CUDA_ERROR_INVALID_VALUE;
	j->count = count;
	j->options = options;
	j->values = values;
	for (unsigned int i = 0; result == CUDA_SUCCESS && i < count; i++)
		result = take(j, options[i], values[i]);
	return result;
}

bool cuda_jit_has_error_log(const struct cuda_jit *j)
{
	return j->error && j->error_bytes;
}

static size_t fill_log(char *buffer, size_t size_bytes, const char *text)
{
	if (!buffer || !size_bytes)
		return 0;

	size_t length = strlen(text) + 1 < size_bytes ? strlen(text) : size_bytes - 1;

	memcpy(buffer, text, length);
	buffer[length] = '\0';
	return length;
}

void cuda_jit_finish(struct cuda_jit *j, const char *info, const char *error)
{
	size_t info_used = fill_log(j->info, j->info_bytes, info);
	size_t error_used = fill_log(j->error, j->error_bytes, error);

	for (unsigned int i = 0; i < j->count; i++) {
		if (j->options[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES)
			j->values[i] = (void *)(uintptr_t)info_used;
		if (j->options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
			j->values[i] = (void *)(uintptr_t)error_used;
		if (j->options[i] == CU_JIT_WALL_TIME) {
			const float host_ms = 0; /* host time is never shown */

			memcpy(&j->values[i], &host_ms, sizeof(host_ms));
		}
	}
}

/* ---- bounds ---- */

void cuda_jit_limit_registers(struct cuda_jit *j, uint32_t max)
{
	if (max && (!j->register_max || max < j->register_max))
		j->register_max = max;
}

static void bound_kernel(const struct cuda_jit *j, struct ptx_func *f)
{
	if (j->register_max && (j->is_override || !f->maxnreg || j->register_max < f->maxnreg))
		f->maxnreg = j->register_max;
	if (j->thread_max && !f->reqntid[0] && (j->is_override || !f->maxntid[0])) {
		f->maxntid[0] = j->thread_max;
		f->maxntid[1] = f->maxntid[2] = 1;
	}
	if (j->cta_min && (j->is_override || !f->minnctapersm))
		f->minnctapersm = j->cta_min;
}

void cuda_jit_bound(const struct cuda_jit *j, struct ptx_module *m)
{
	for (uint32_t i = 0; i < m->func_count; i++)
		if (m->funcs[i]->is_entry && m->funcs[i]->has_body)
			bound_kernel(j, m->funcs[i]);
}

/* ---- targets ---- */

uint32_t cuda_jit_capability(const struct cuda_jit *j)
{
	const uint32_t device = (uint32_t)cuda_driver.run.device->traits.compute_capability;

	return j->capability && j->capability < device ? j->capability : device;
}

static uint32_t target_of(const struct ptx_module *m)
{
	const char *number = m->target ? strchr(m->target, '_') : NULL;

	return number ? (uint32_t)atoi(number + 1) : 0;
}

char *cuda_jit_note(const struct cuda_jit *j, const struct ptx_module *m)
{
	const uint32_t device = (uint32_t)cuda_driver.run.device->traits.compute_capability;

	if (j->capability > device)
		return g_strdup_printf("%s: CU_JIT_TARGET %u is above the device's compute capability %u.%u; a real "
				       "device would refuse it", m->name, j->capability, device / 10, device % 10);
	if (target_of(m) > device)
		return g_strdup_printf("%s: target %s is above the device's compute capability %u.%u; a real device "
				       "would refuse it", m->name, m->target, device / 10, device % 10);
	return g_strdup("");
}
