/* device.c - launches of CUDA kernels on a Duality Cache: compiled when they are first launched, then run. */
#include "dc/device.h"

#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/units.h"
#include "dc/choice.h"
#include "dc/compile/compile.h"
#include "dc/waits.h"
#include "simt/service.h"
#include "simt/texture.h"

enum {
	COMPUTE_CAPABILITY = 70, /* what PTX and host code may ask for: the GPU machines' default */
	THREADS = DC_BLOCK_LANES,
	REGISTERS = 65536, /* of a multiprocessor in programs' eyes: 64 a thread; spilling is the compiler's */
	SHARED_BYTES = 98304, /* of a CTA: it lies in DC-pages; what programs may ask for, as on GPUs */
};

struct dc_device {
	struct dc_system *system;
	const struct dc_params *p;
	struct device_traits traits;
	struct cpu_params cores; /* of the host, where it has any */
	struct dc_host_machine host;
	double memory_bytes_per_s;
	enum simt_isa isa;
	GPtrArray *kernels; /* struct dc_kernel_counts */
};

/* A texture object that code was compiled for, and where its handle was: in a variable, or a parameter. */
struct texture {
	const struct ptx_var *var;
	uint64_t param_at;
	struct simt_tex_desc desc;
};

/* A kernel as it was compiled for a block, a grid, those bytes of its parameters that its loops' lengths depend
 * on, and textures. */
struct code {
	struct dc_kernel *kernel;
	struct dc_program *program;
	struct dc_waits waits;
	uint32_t block[3], grid[3];
	uint8_t *params, *used; /* [param_bytes] */
	uint64_t param_bytes;
	GArray *textures; /* struct texture */
	struct code *next;
};

static void codes_free(void *list)
{
	for (struct code *c = list, *next; c; c = next) {
		next = c->next;
		dc_program_free(c->program);
		dc_kernel_free(c->kernel);
		g_free(c->params);
		g_free(c->used);
		g_array_free(c->textures, TRUE);
		g_free(c);
	}
}

static void refused(struct simt_launch *l, const struct base_diag_list *diag)
{
	snprintf(l->fault.text, sizeof(l->fault.text), "%s",
		 diag->first ? diag->first->text : "the kernel cannot be compiled for Duality Cache");
}

static const struct simt_tex_desc *object_of(const struct simt_launch *l, const struct ptx_var *var, uint64_t param_at)
{
	const uint64_t var_at = var ? simt_program_variable(l->program, var) : 0;
	uint64_t handle = 0;

	if (!l->textures || (var && !var_at))
		return NULL;
	memcpy(&handle, var ? (const void *)(uintptr_t)var_at : l->params + param_at, sizeof(handle));
	return simt_texture_get(l->textures, handle);
}

/* For whom a kernel is compiled. */
struct asker {
	struct code *code;
	const struct simt_launch *launch;
};

static const struct simt_tex_desc *texture_of(void *asker, const struct ptx_var *var, uint64_t param_at)
{
	const struct asker *a = asker;
	struct texture t = {.var = var, .param_at = param_at};
	const struct simt_tex_desc *desc = object_of(a->launch, var, param_at);

	if (!desc)
		return NULL;
	t.desc = *desc;
	g_array_append_val(a->code->textures, t);
	return desc;
}

static struct code *compile(struct dc_device *d, struct simt_launch *l, bool knows_params)
{
	struct dc_options o = d->p->compiler == DC_COMPILER_PLAIN ? dc_options_plain : dc_options_full;
	const struct dc_exec_params exec = dc_exec_of(d->p);
	struct code *c = g_new0(struct code, 1);
	struct asker asker = {c, l};
	struct base_diag_list diag;

	base_diag_init(&diag);
	o.open = o.keep && d->p->elide_conversions && d->p->elide_normalisation;
	o.keep = o.keep && d->p->elide_conversions && (d->p->rounding == DC_NEAREST || o.open);
	o.balance_float = o.balance && d->p->balance_floats;
	o.audit = dc_system_is_audited(d->system);
	o.split_fma = d->p->fma == DC_FMA_SEPARATE;
	o.table_roots = d->p->approx_roots == DC_ROOTS_TABLE;
	o.prices = dc_prices_of(d->p, l, o.array_count, d->memory_bytes_per_s);
	o.base_offset = d->p->address == DC_ADDRESS_BASE_OFFSET;
	o.unroll_insts = (uint32_t)MIN(o.unroll_insts, d->p->ring_words); /* longer, it would be sent in every wave */
	for (uint32_t k = 0; k < 3; k++) {
		c->block[k] = o.block[k] = l->block[k];
		c->grid[k] = o.grid[k] = l->grid[k];
	}
	c->param_bytes = l->program->entry->param_bytes;
	c->params = g_memdup2(l->params, c->param_bytes);
	c->used = g_new0(uint8_t, c->param_bytes + 1);
	c->textures = g_array_new(FALSE, TRUE, sizeof(struct texture));
	if (knows_params && c->param_bytes) {
		o.params = c->params;
		o.param_used = c->used;
	}
	if (knows_params) {
		o.texture = texture_of;
		o.texture_self = &asker;
	}
	c->kernel = dc_compile(l->program->entry, &o, &diag);
	if (c->kernel)
		c->waits = dc_waits_of(c->kernel);
	if (c->kernel)
		c->program = dc_program_new(c->kernel, &exec, d->isa, &diag);
	if (!c->program) {
		refused(l, &diag);
		codes_free(c);
		c = NULL;
	}
	base_diag_free(&diag);
	return c;
}

static bool is_of_shape(const struct code *c, const struct simt_launch *l)
{
	return !memcmp(c->block, l->block, sizeof(c->block)) && !memcmp(c->grid, l->grid, sizeof(c->grid));
}

static bool has_params(const struct code *c, const struct simt_launch *l)
{
	for (uint64_t n = 0; n < c->param_bytes; n++)
		if (c->used[n] && c->params[n] != l->params[n])
			return false;
	return true;
}

static bool has_textures(const struct code *c, const struct simt_launch *l)
{
	for (uint32_t n = 0; n < c->textures->len; n++) {
		const struct texture *t = &g_array_index(c->textures, struct texture, n);
		const struct simt_tex_desc *now = object_of(l, t->var, t->param_at);

		if (!now || memcmp(now, &t->desc, sizeof(t->desc)) != 0)
			return false;
	}
	return true;
}

static bool has_no_params(const struct code *c)
{
	if (c->textures->len)
		return false;
	for (uint64_t n = 0; n < c->param_bytes; n++)
		if (c->used[n])
			return false;
	return true;
}

/* The code of these values, or one that depends on none; past the limit of codes such a one is made. */
static struct code *code_of(struct dc_device *d, struct simt_launch *l)
{
	struct simt_program *owner = (struct simt_program *)(uintptr_t)l->program; /* guest_data is ours to set */
	uint32_t count = 0;
	struct code *c, *general = NULL;

	for (c = owner->guest_data; c; c = c->next) {
		if (!is_of_shape(c, l))
			continue;
		if (has_no_params(c))
			general = c;
		else if (has_params(c, l) && has_textures(c, l))
			return c;
		count++;
	}
	if (general)
		return general;
	c = compile(d, l, count < d->p->code_variants_count);
	if (!c)
		return NULL;
	c->next = owner->guest_data;
	owner->guest_data = c;
	owner->guest_free = codes_free;
	return c;
}

/* ---- the table ---- */

static uint32_t registers_per_thread(const struct device *d, uint64_t warps)
{
	(void)d;
	(void)warps;
	return SIMT_REGISTER_MAX; /* registers of the PTX machine; those of arrays are the compiler's affair */
}

static uint32_t ctas_fit(const struct device *d, const struct simt_program *p, uint32_t threads_per_cta,
			 uint64_t shared_dynamic_bytes, struct base_diag_list *diag)
{
	const uint64_t shared = p->shared_static_bytes + shared_dynamic_bytes;

	if (threads_per_cta > THREADS && (p->threads_communicate || shared)) {
		base_diag_error(diag, (struct base_place){0},
				"kernel %s: %u threads that communicate, by shared memory, a barrier or a warp-wide "
				"instruction; such a CTA has the %llu lanes of a control block at most",
				p->name, threads_per_cta, (unsigned long long)THREADS);
		return 0;
	}
	if (shared <= d->traits.shared_bytes)
		return MAX(dc_ctas_per_block(DC_BLOCK_LANES, threads_per_cta), 1);
	base_diag_error(
	    diag, (struct base_place){0},
	    "kernel %s: %llu bytes of shared memory; a CTA has at most %llu bytes",
	    p->name, (unsigned long long)shared, (unsigned long long)d->traits.shared_bytes);
	return 0;
}

static uint32_t warp_capacity(const struct device *d)
{
	(void)d;
	return THREADS / SIMT_LANES; /* simt/ runs no warp here: one CTA's is enough */
}

static struct dc_kernel_counts *counts_of(struct dc_device *d, const char *name)
{
	struct dc_kernel_counts *k;

	for (uint32_t i = 0; i < d->kernels->len; i++) {
		k = d->kernels->pdata[i];
		if (!strcmp(k->name, name))
			return k;
	}
	k = g_new0(struct dc_kernel_counts, 1);
	k->name = g_intern_string(name);
	g_ptr_array_add(d->kernels, k);
	return k;
}

static void count_launch(struct dc_kernel_counts *k, const struct dc_stats *before, const struct dc_stats *after,
			 const struct device_result *result)
{
	if (after->blocks_started == before->blocks_started) /* a fault came first */
		return;
	k->taken++;
	k->time_ps += result->end_ps - result->start_ps;
#define X(field) k->field += after->field - before->field;
	DC_KERNEL_COUNTS(X)
#undef X
}

/* A kernel that waits for another CTA, in a loop of lanes in lock step: its CTAs have a control block each. Who takes
 * a lock waits for one that has begun; who looks for anything else may wait for any of them, and all must be there.
 * False: they are not, and l->fault says so. */
static bool place(const struct dc_device *d, const struct code *c, struct simt_launch *l, struct dc_placing *out)
{
	const uint64_t ctas = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
	const uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
	const uint32_t blocks = dc_system_blocks(d->system);
	struct base_diag_list diag;

	*out = (struct dc_placing){.is_spread = d->p->placement == DC_SPREAD};
	if (d->p->placement != DC_PLACED || c->waits.what == DC_WAITS_NOT ||
	    dc_ctas_per_block(dc_program_lanes(c->program), (uint32_t)threads) <= 1)
		return true;
	*out = (struct dc_placing){.is_spread = true, .waits = c->waits.what == DC_WAITS_FLAG};
	if (!out->waits || ctas <= blocks)
		return true;
	base_diag_init(&diag);
	base_diag_error(&diag,
			(struct base_place){l->program->entry->module->name, c->waits.at->line, c->waits.at->col},
			"kernel %s cannot run in the cache: it waits for other CTAs, and of its %llu no more than %u "
			"have a control block at a time; --set duality.placement=spread begins the others behind "
			"these: %s",
			l->program->name, (unsigned long long)ctas, blocks, c->waits.at->text);
	refused(l, &diag);
	base_diag_free(&diag);
	return false;
}

/* A kernel that does not compile, or has CTAs that cannot wait for each other, is refused, or runs on the host's cores.
 */
static bool accepts(struct device *d, struct simt_launch *l)
{
	struct dc_device *self = d->self;
	struct dc_kernel_counts *counts = counts_of(self, l->program->name);

	struct dc_placing placing;
	struct code *c;

	if (self->p->host_kernels != DC_HOST_NONE)
		return true;
	c = code_of(self, l);
	if (c && place(self, c, l, &placing))
		return true;
	counts->offered++;
	if (!*counts->why)
		g_strlcpy(counts->why, l->fault.text, sizeof(counts->why));
	return false;
}

static bool run_on_host(struct dc_device *d, struct simt_launch *l, struct dc_kernel_counts *counts, bool is_waiting,
			uint32_t lanes, struct device_result *result)
{
	counts->host_launches++;
	counts->host_lanes = lanes;
	return dc_system_run_on_host(d->system, l, is_waiting, lanes, result);
}

/* The form of a kernel that the arrays do not have, by its text alone. */
static uint32_t form_of(const struct dc_device *d, const struct simt_launch *l, const struct code *c)
{
	g_autofree double *rounds =
	    dc_host_rounds(l->program, c ? c->kernel : NULL, (double)d->p->analysis_rounds_count);

	return dc_host_form(&d->host, l->program, rounds, l->block);
}

static bool launch(struct device *d, struct simt_launch *l, struct device_result *result)
{
	struct dc_device *self = d->self;
	struct dc_kernel_counts *counts = counts_of(self, l->program->name);
	const struct dc_stats before = *dc_system_stats(self->system);
	struct dc_placing placing;
	struct dc_choice choice;
	struct code *c;
	bool is_done;

	*result = (struct device_result){.start_ps = dc_system_now_ps(self->system)};
	result->end_ps = result->start_ps;
	counts->offered++;
	c = code_of(self, l);
	if (!c || !place(self, c, l, &placing)) {
		if (!*counts->why)
			g_strlcpy(counts->why, l->fault.text, sizeof(counts->why));
		CHECK(self->p->host_kernels != DC_HOST_NONE);
		l->fault = (struct simt_fault){0};
		return run_on_host(self, l, counts, c || l->is_cooperative, form_of(self, l, c), result);
	}
	if (self->p->host_kernels == DC_HOST_ALL)
		return run_on_host(self, l, counts, l->is_cooperative || placing.waits, form_of(self, l, c), result);
	choice = dc_choose(&self->host, c->kernel, l, placing);
	counts->reckoned_arrays_us += choice.arrays_us;
	counts->reckoned_host_us += choice.host_us;
	if (choice.is_host) {
		if (!*counts->why)
			g_snprintf(counts->why, sizeof(counts->why),
				   "reckoned with %.3f us there and %.3f us on the host's cores", choice.arrays_us,
				   choice.host_us);
		return run_on_host(self, l, counts, false, choice.host_lanes, result);
	}
	is_done = dc_system_launch(self->system, c->program, l, choice.cache_ways, placing.is_spread, result);
	count_launch(counts, &before, dc_system_stats(self->system), result);
	return is_done;
}

static void interrupt(struct device *d, enum device_stop why)
{
	struct dc_device *self = d->self;

	dc_system_stop(self->system, why);
}

static uint64_t now_ps(const struct device *d)
{
	const struct dc_device *self = d->self;

	return dc_system_now_ps(self->system);
}

static void advance_ps(struct device *d, uint64_t time_ps)
{
	struct dc_device *self = d->self;

	dc_system_advance_ps(self->system, time_ps);
}

static void host_wrote(struct device *d, uint64_t address, uint64_t bytes)
{
	struct dc_device *self = d->self;

	dc_system_host_wrote(self->system, address, bytes);
}

static void progress(const struct device *d, struct sim_progress *out)
{
	const struct dc_device *self = d->self;

	dc_system_progress(self->system, out);
}

static const struct device_ops ops = {
    .registers_per_thread = registers_per_thread,
    .ctas_fit = ctas_fit,
    .warp_capacity = warp_capacity,
    .accepts = accepts,
    .launch = launch,
    .interrupt = interrupt,
    .now_ps = now_ps,
    .advance_ps = advance_ps,
    .host_wrote = host_wrote,
    .progress = progress,
};

struct dc_device *dc_device_new(struct dc_system *system, const struct dc_params *p, const struct cpu_params *cores,
				uint64_t memory_mbytes_per_s)
{
	struct dc_device *d = g_new0(struct dc_device, 1);
	const uint64_t sockets = p->socket_count;

	d->system = system;
	d->p = p;
	d->kernels = g_ptr_array_new_with_free_func(g_free);
	d->memory_bytes_per_s = (double)memory_mbytes_per_s * BASE_BYTES_PER_MBYTE;
	if (cores)
		d->cores = *cores;
	d->host = (struct dc_host_machine){p, &d->cores, d->memory_bytes_per_s};
	d->isa = simt_isa_choose(getenv("STRATA_ISA"));
	d->traits = (struct device_traits){
	    .compute_capability = COMPUTE_CAPABILITY,
	    .clock_khz = p->clock_khz,
	    .multiprocessor_count = dc_system_blocks(system),
	    .cta_thread_count = (uint64_t)dc_system_blocks(system) * THREADS,
	    .thread_count = THREADS,
	    .warp_count = THREADS / SIMT_LANES,
	    .cta_count = THREADS / SIMT_LANES,
	    .register_count = REGISTERS,
	    .shared_bytes = SHARED_BYTES,
	    .double_interval_ratio = 2,
	    .cache_bytes = sockets * p->slice_count * p->way_count * 131072,
	    .memory_count = sockets,
	    .memory_mbytes_per_s = memory_mbytes_per_s / sockets,
	    .copy_mbytes_per_s = MAX(memory_mbytes_per_s / 2, 1),
	    .fill_mbytes_per_s = MAX(memory_mbytes_per_s, 1),
	    .shares_memory = true,
	    .shared_copy_mbytes_per_s = p->copy == DC_COPY_DRAM ? MAX(memory_mbytes_per_s / 2, 1) : 0,
	};
	return d;
}

uint32_t dc_device_kernel_count(const struct dc_device *d)
{
	return d->kernels->len;
}

const struct dc_kernel_counts *dc_device_kernel(const struct dc_device *d, uint32_t index)
{
	return d->kernels->pdata[index];
}

void dc_device_free(struct dc_device *d)
{
	g_ptr_array_free(d->kernels, TRUE);
	g_free(d);
}

struct device dc_device_table(struct dc_device *d)
{
	return (struct device){.ops = &ops, .self = d, .traits = d->traits};
}
