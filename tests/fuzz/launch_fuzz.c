/* launch_fuzz.c - seeded mutants of PTX, launched on the words of Duality Cache.
 *
 *   launch_fuzz COUNT SEED PTX...      (STRATA_FUZZ_KEEP=FILE keeps each mutant there before it runs)
 *
 * Each mutant that is a program is compiled with its launch's values known, so that loops are unrolled by what it reads
 * of its parameters; the compiler is checked behind every pass; its words are done until it ends, faults or has had its
 * steps. The sanitizer build finds what it reads and writes outside of its memory; a machine's own checks end the
 * process. Kernels have to end in every way, or the mutations would be too tame. Built with -DSTRATA_LIBFUZZER the same
 * is a target of libFuzzer, whose input is PTX.
 */
#include <glib.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "dc/compile/compile.h"
#include "dc/exec/exec.h"
#include "simt/simt.h"

enum { BUFFER_BYTES = 1 << 16, THREADS = 64, STEPS = 4000, PARAM_BYTES_MAX = 4096, BLOCKS_MAX = 64 };

enum answer { NO_PROGRAM, REFUSED, ENDED, FAULTED, UNENDED, ANSWER_COUNT };

static uint64_t state = 1;

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static uint32_t below(uint64_t bound)
{
	return (uint32_t)((next_random() >> 33) % bound);
}

/* ---- a launch ---- */

/* Addresses of the buffer, and below them numbers that are small as they are and as addresses. */
static void fill_params(uint8_t *params, uint64_t bytes, uint64_t buffer)
{
	for (uint64_t at = 0; at + 8 <= bytes; at += 8) {
		const uint64_t value = at < 24 ? buffer + at * 512 : at / 8;

		memcpy(params + at, &value, 8);
	}
}

static enum answer step_words(struct dc_program *p, struct simt_launch *l, const struct dc_segments *segments)
{
	static _Alignas(64) uint32_t registers[DC_BLOCK_REGISTERS];
	struct dc_block *b = dc_block_new(p, 0, registers);
	struct dc_warp warps[THREADS / SIMT_LANES];
	struct dc_step out = {0};
	bool is_right = true;
	uint32_t steps = 0;

	for (uint32_t w = 0; w < THREADS / SIMT_LANES; w++)
		warps[w] = (struct dc_warp){.warp = w, .launched = SIMT_FULL_MASK};
	dc_block_begin(b, warps, THREADS / SIMT_LANES, segments);
	while (is_right && !out.is_done && steps++ < STEPS)
		is_right = dc_block_step(p, b, l, steps, &out);
	dc_block_free(b);
	CHECK(is_right == !l->fault.kind);
	return !is_right ? FAULTED : out.is_done ? ENDED : UNENDED;
}

static enum answer run_words(struct simt_launch *l, const struct dc_kernel *k, struct base_diag_list *diag)
{
	const struct dc_exec_params params = {.line_bytes = 64, .clock_khz = 2500000, .progress_rounds = 1 << 20,
					      .arith.cordic_iterations = 26, .savings = DC_SAVE_ALL};
	struct dc_program *p = dc_program_new(k, &params, SIMT_ISA_PORTABLE, diag);
	const uint64_t shared = k->shared_bytes + l->shared_dynamic_bytes, lanes = DC_BLOCK_LANES;
	const uint64_t local = (k->local_bytes + 3) / 4 * 4 * lanes, spill = (uint64_t)k->spill_slots * 4 * lanes;
	enum answer answer = REFUSED;
	uint64_t at;

	if (!p)
		return answer;
	at = simt_memory_alloc(l->mem, shared + local + spill + 1, SIMT_ARENA_ALIGN_BYTES, SIMT_ALLOC_LOCAL);
	if (at) {
		const struct dc_segments segments = {at, shared, at + shared, at + shared + local};

		answer = dc_program_begin(p, l) ? step_words(p, l, &segments) : FAULTED;
	}
	dc_program_free(p);
	return answer;
}

static enum answer compile(struct simt_launch *l, struct base_diag_list *diag)
{
	struct dc_options o = dc_options_full;
	uint8_t used[PARAM_BYTES_MAX + 1] = {0};
	struct dc_kernel *k;
	enum answer answer = REFUSED;

	o.audit = true;
	for (uint32_t n = 0; n < 3; n++) {
		o.block[n] = l->block[n];
		o.grid[n] = l->grid[n];
	}
	o.params = l->params;
	o.param_used = used;
	k = dc_compile(l->program->entry, &o, diag);
	if (!k) {
		CHECK(diag->error_count);
		return answer;
	}
	answer = run_words(l, k, diag);
	dc_kernel_free(k);
	return answer;
}

static enum answer launch(const struct simt_program *program, struct simt_memory *mem, struct base_diag_list *diag)
{
	const uint64_t buffer = simt_memory_alloc(mem, BUFFER_BYTES, 256, SIMT_ALLOC_DEVICE);
	/* As long as the block is, and no longer: the sanitizer sees what is beside it. */
	g_autofree uint8_t *params = g_malloc0(program->param_bytes + 1);
	struct simt_launch l = {.program = program, .mem = mem, .grid = {2, 1, 1}, .block = {THREADS, 1, 1},
				.params = params, .shared_dynamic_bytes = 256, .grid_id = 1, .sm_count = 1};
	enum answer answer;

	if (!buffer || program->param_bytes > PARAM_BYTES_MAX)
		return NO_PROGRAM;
	fill_params(params, program->param_bytes, buffer);
	if (!simt_launch_begin(&l, BLOCKS_MAX, diag))
		return NO_PROGRAM;
	answer = compile(&l, diag);
	simt_launch_end(&l);
	return answer;
}

static enum answer run(const char *text, size_t bytes)
{
	struct simt_memory *mem = simt_memory_new(1ull << 28);
	struct base_diag_list diag;
	enum answer answer = NO_PROGRAM;

	base_diag_init(&diag);
	struct ptx_module *ptx = ptx_module_parse("mutant", text, bytes, &diag);
	struct simt_module *module = ptx ? simt_module_load(ptx, mem, &diag) : NULL;

	for (uint32_t f = 0; module && f < ptx->func_count; f++) {
		if (!ptx->funcs[f]->is_entry || !ptx->funcs[f]->has_body)
			continue;
		struct simt_program *program =
		    simt_program_build(module, ptx->funcs[f]->name, SIMT_ISA_PORTABLE, NULL, &diag);

		if (program)
			answer = launch(program, mem, &diag);
		simt_program_free(program);
	}
	if (module)
		simt_module_unload(module);
	ptx_module_free(ptx);
	base_diag_free(&diag);
	simt_memory_free(mem);
	return answer;
}

#ifdef STRATA_LIBFUZZER
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	run((const char *)data, size);
	return 0;
}
#else

/* ---- mutants ---- */

/* What kernels of workloads have little of. */
static const char own[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n.const .align 8 .b64 C[4] = {1, 2, 3, 4};\n"
    ".visible .entry k(.param .u64 A, .param .u64 O, .param .align 8 .b8 P[64])\n{\n"
    "\t.reg .b64 %a, %o, %e, %x, %y;\n\t.reg .b32 %t, %i, %j;\n\t.reg .pred %p;\n"
    "\t.shared .align 8 .b8 S[64];\n\t.local .align 8 .b8 L[64];\n"
    "\tld.param.u64 %a, [A];\n\tld.param.u64 %o, [P+24];\n\tmov.u32 %t, %tid.x;\n\tmov.u64 %x, 0;\n"
    "\tld.param.u32 %j, [P+8];\n\tmov.u32 %i, 0;\nAGAIN:\n\tadd.u32 %i, %i, 1;\n\tadd.u64 %x, %x, 3;\n"
    "\tsetp.lt.u32 %p, %i, %j;\n\t@%p bra AGAIN;\n"
    "\tand.b32 %i, %t, 1;\nts: .branchtargets P0, P1;\n\tbrx.idx %i, ts;\nP0:\n\tadd.u64 %x, %x, 1;\nP1:\n"
    "\tadd.u64 %x, %x, 2;\n\tst.shared.u64 [S+8], %x;\n\tbar.sync 0;\n\tld.shared.u64 %y, [S+8];\n"
    "\tst.local.u64 [L+16], %y;\n\tld.local.u64 %x, [L+16];\n\tld.const.u64 %y, [C+8];\n\tadd.u64 %x, %x, %y;\n"
    "\tmov.u64 %e, P;\n\tand.b32 %i, %t, 7;\n\tmul.wide.u32 %y, %i, 8;\n\tadd.u64 %e, %e, %y;\n"
    "\tld.param.u64 %y, [%e];\n\tadd.u64 %x, %x, %y;\n\tmul.wide.u32 %y, %t, 8;\n\tadd.u64 %e, %a, %y;\n"
    "\tatom.global.add.u64 %y, [%e], %x;\n\tst.global.u64 [%e], %x;\n\tret;\n}\n";

/* A number, a type, a space or another word of one kind becomes another of it. */
static const char *const kinds[][12] = {
    {"-8", "0", "1", "2", "4", "8", "16", "64", "4096", "1048576", "0x7ffffff8", "0xfffffffffffffff8"},
    {".u8", ".u16", ".u32", ".u64", ".s8", ".s16", ".s32", ".s64", ".f16", ".f32", ".f64", ".b32"},
    {".global", ".shared", ".local", ".const", ".param", "", NULL},
    {".v2", ".v4", "", NULL},
    {"%tid.x", "%ctaid.x", "%laneid", "%ntid.x", "%clock", "%nctaid.x", NULL},
    {"add", "sub", "mul.lo", "and", "or", "xor", "shl", "shr", "min", "max", "div", "rem"},
    {".eq", ".ne", ".lt", ".le", ".gt", ".ge", NULL},
};

static bool is_word(char c)
{
	return g_ascii_isalnum(c) || c == '_' || c == '%' || c == '$';
}

static uint32_t count_of(uint32_t kind)
{
	uint32_t n = 0;

	while (n < G_N_ELEMENTS(kinds[kind]) && kinds[kind][n])
		n++;
	return n;
}

/* Another word of its kind stands where one that is found from a random place on stood. */
static void replace(GString *text)
{
	const uint32_t kind = below(G_N_ELEMENTS(kinds)), count = count_of(kind);
	const char *old = kinds[kind][below(count)], *with = kinds[kind][below(count)], *at;
	const size_t length = strlen(old);

	if (!length)
		return;
	at = strstr(text->str + below(text->len), old);
	if (!at || is_word(at[length]) || (at > text->str && is_word(at[-1])))
		return;
	const gssize place = at - text->str;

	g_string_erase(text, place, (gssize)length);
	g_string_insert(text, place, with);
}

/* The line at a random place is left out, done twice, or stands elsewhere, too. */
static void move_line(GString *text)
{
	const char *from = strchr(text->str + below(text->len), '\n'), *to = from ? strchr(from + 1, '\n') : NULL;
	const char *where = strchr(text->str + below(text->len), '\n');

	if (!to || !where)
		return;
	g_autofree char *line = g_strndup(from, (gsize)(to - from));
	const gssize place = from - text->str, other = where - text->str;

	if (below(3))
		g_string_insert(text, other, line);
	else
		g_string_erase(text, place, (gssize)strlen(line));
}

static void change_digit(GString *text)
{
	const uint32_t at = below(text->len);

	for (size_t k = at; k < text->len; k++)
		if (g_ascii_isdigit(text->str[k])) {
			text->str[k] = (char)('0' + below(10));
			return;
		}
}

static void mutate(GString *text)
{
	const uint32_t changes = 1 + below(4);

	for (uint32_t k = 0; k < changes; k++)
		switch (below(4)) {
		case 0: move_line(text); break;
		case 1: change_digit(text); break;
		default: replace(text); break;
		}
}

int main(int argc, char **argv)
{
	const uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 0) : 1000;
	uint64_t answers[ANSWER_COUNT] = {0};
	g_autoptr(GPtrArray) seeds = g_ptr_array_new_with_free_func(g_free);

	state = argc > 2 ? strtoull(argv[2], NULL, 0) * 2 + 1 : 1;
	g_ptr_array_add(seeds, g_strdup(own));
	for (int k = 3; k < argc; k++) {
		char *text;

		CHECK(g_file_get_contents(argv[k], &text, NULL, NULL));
		g_ptr_array_add(seeds, text);
	}
	for (uint64_t n = 0; n < count; n++) {
		/* Every second one is of the kernel that has all. */
		const uint32_t seed = n % 2 ? 0 : below(seeds->len);
		GString *text = g_string_new(seeds->pdata[seed]);

		if (n)
			mutate(text);
		if (getenv("STRATA_FUZZ_KEEP"))
			g_file_set_contents(getenv("STRATA_FUZZ_KEEP"), text->str, (gssize)text->len, NULL);
		answers[run(text->str, text->len)]++;
		g_string_free(text, TRUE);
	}
	printf("%llu no programs, %llu refused, %llu ended, %llu faulted, %llu had their steps\n",
	       (unsigned long long)answers[NO_PROGRAM], (unsigned long long)answers[REFUSED],
	       (unsigned long long)answers[ENDED], (unsigned long long)answers[FAULTED],
	       (unsigned long long)answers[UNENDED]);
	for (uint32_t k = 0; k < ANSWER_COUNT; k++)
		if (count >= 1000 && !answers[k]) {
			fprintf(stderr, "no mutant has answer %u: the mutations are too tame\n", k);
			return 1;
		}
	return 0;
}
#endif
