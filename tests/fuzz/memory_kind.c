/* memory_kind.c - descriptions of memories: loaded, checked, and their tables of energy made. */
#include "base/check.h"
#include "memory/standard.h"
#include "mutants.h"

static const char *const dirs[] = {MEMORIES_DIR};
static const struct sim_search search = {dirs, 1};

static bool read_memory(const char *text, size_t bytes)
{
	static struct memory_standard s;
	struct base_diag_list diag;

	base_diag_init(&diag);

	const bool is_taken = memory_standard_load(mutants_file(text, bytes), &search, &s, &diag) &&
			      memory_standard_check(&s, &diag);

	CHECK(is_taken == !diag.error_count);
	if (is_taken) {
		static struct energy_list list;

		list = (struct energy_list){0};
		memory_energy_add(&list, NULL, &s.memory, &s.dram, &s.link, &s.energy);
	}
	base_diag_free(&diag);
	return is_taken;
}

const struct mutants_kind mutants_kind = {.name = "memory", .part_count = 1, .read = read_memory};
