/* check.c - the driver's side of the memory checker: who allocated and freed what, and where the findings go. */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <stdio.h>
#include <string.h>

#include "cuda/driver.h"
#include "machine/findings.h"
#include "simt/check.h"

enum { FRAMES_MAX = 24 };

void cuda_check_begin(void)
{
	struct cuda_driver *d = &cuda_driver;

	d->check = simt_check_new(d->mem);
	if (!d->check)
		machine_message("error: cannot reserve address space for the memory checker: %s", strerror(errno));
}

/* The innermost return address outside libcuda and libcudart: where the user's code, or its library, made the call. */
static void *user_caller(void)
{
	void *frames[FRAMES_MAX];
	int count = backtrace(frames, FRAMES_MAX);

	for (int i = 0; i < count; i++) {
		Dl_info info;
		const char *name = dladdr(frames[i], &info) ? strrchr(info.dli_fname, '/') : NULL;

		if (!name || strncmp(name, "/libcuda", 8))
			return frames[i];
	}
	return NULL;
}

/* ", called from main (a.out+0x11a2)": what addr2line takes. */
static void describe_caller(void *caller, char *text, size_t size_bytes)
{
	Dl_info info;

	text[0] = '\0';
	if (!caller || !dladdr(caller, &info) || !info.dli_fname)
		return;

	const char *slash = strrchr(info.dli_fname, '/');
	const char *name = slash ? slash + 1 : info.dli_fname;
	/* A return address is behind the call. */
	unsigned long long offset = (unsigned long long)((char *)caller - (char *)info.dli_fbase) - 1;

	if (info.dli_sname)
		snprintf(text, size_bytes, ", called from %s (%s+0x%llx)", info.dli_sname, name, offset);
	else
		snprintf(text, size_bytes, ", called from %s+0x%llx", name, offset);
}

void cuda_check_allocated(struct cuda_alloc *a)
{
	if (cuda_driver.check)
		a->caller = user_caller();
}

void cuda_check_leaked(const struct cuda_alloc *a, const char *when)
{
	static const char *const names[] = {"device memory", "managed memory", "pinned host memory"};
	const struct simt_alloc *s = simt_memory_find(cuda_driver.mem, a->addr, 1);
	char caller[256];

	if (!cuda_driver.check || a->kind > SIMT_ALLOC_HOST || !s)
		return;
	describe_caller(a->caller, caller, sizeof(caller));
	simt_check_host(cuda_driver.check, SIMT_FINDING_LEAK, (uint64_t)a->caller,
			"allocation %u of %llu bytes of %s at 0x%llx is not freed %s%s", s->ordinal,
			(unsigned long long)a->size_bytes, names[a->kind], (unsigned long long)a->addr, when, caller);
}

void cuda_check_bad_free(uint64_t addr)
{
	struct cuda_driver *d = &cuda_driver;
	const struct simt_alloc *near;
	char text[512], caller[256];
	void *from;

	if (!d->check)
		return;
	from = user_caller();
	describe_caller(from, caller, sizeof(caller));
	near = simt_memory_nearest(d->mem, addr);
	if (near && near->addr == addr && !near->is_live)
		snprintf(text, sizeof(text), "double free of allocation %u of %llu bytes at 0x%llx", near->ordinal,
			 (unsigned long long)near->size_bytes, (unsigned long long)addr);
	else {
		snprintf(text, sizeof(text), "free of 0x%llx, which no allocation of this kind begins at",
			 (unsigned long long)addr);
		simt_memory_describe(d->mem, addr, text, sizeof(text));
	}
	simt_check_host(d->check, SIMT_FINDING_FREE, (uint64_t)from, "%s%s", text, caller);
}

void cuda_check_written(uint64_t addr, uint64_t bytes)
{
	if (cuda_driver.check)
		simt_check_written(cuda_driver.check, addr, bytes);
}

void cuda_check_copied(uint64_t to, uint64_t from, uint64_t bytes)
{
	if (cuda_driver.check)
		simt_check_copied(cuda_driver.check, to, from, bytes);
}

/* A program that crashes later has at least these. */
void cuda_check_launched(void)
{
	static uint32_t written_count;
	const struct simt_check *c = cuda_driver.check;

	if (!c)
		return;
	if (simt_check_finding_count(c) == written_count && machine_kernels_counts(cuda_driver.run.kernels).asked > 1)
		return;
	written_count = simt_check_finding_count(c);
	machine_findings_write(&cuda_driver.run, c, false);
}

void cuda_check_refused(const char *kernel, const char *reason)
{
	if (!cuda_driver.check)
		return;
	simt_check_host(cuda_driver.check, SIMT_FINDING_REFUSED, g_str_hash(reason) | 1ull << 32,
			"kernel %s did not run: %s", kernel ? kernel : "(unknown)", reason);
	cuda_check_launched();
}

static void find_leaks(void)
{
	GHashTableIter i;
	void *object;
	GPtrArray *leaked = g_ptr_array_new();

	g_hash_table_iter_init(&i, cuda_driver.objects);
	while (g_hash_table_iter_next(&i, &object, NULL)) {
		if (((struct cuda_object *)object)->kind == CUDA_KIND_ALLOC && !((struct cuda_alloc *)object)->is_freed)
			g_ptr_array_add(leaked, object);
	}
	/* The table is in no order; allocations are. */
	for (uint32_t k = 0;; k++) {
		const struct simt_alloc *s = simt_memory_entry(cuda_driver.mem, k);

		if (!s)
			break;
		for (uint32_t n = 0; s->is_live && n < leaked->len; n++) {
			if (((struct cuda_alloc *)leaked->pdata[n])->addr == s->addr)
				cuda_check_leaked(leaked->pdata[n], "when the program ends");
		}
	}
	g_ptr_array_free(leaked, TRUE);
}

void cuda_check_end(struct machine_run *run, bool is_complete)
{
	if (!cuda_driver.check)
		return;
	/* Where a kernel took its context along, nothing could be freed any more. */
	if (is_complete && !run->fault)
		find_leaks();
	machine_findings_write(run, cuda_driver.check, is_complete);
}
