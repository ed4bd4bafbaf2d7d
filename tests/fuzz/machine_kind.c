/* machine_kind.c - descriptions of machines: loaded, checked, written as text and loaded again, and some built. */
#include <string.h>

#include "base/check.h"
#include "machine/description.h"
#include "machine/machine.h"
#include "machine/parts.h"
#include "mutants.h"

enum { BUILT = 8 }; /* one of so many is built, too */

static const char *const machine_dirs[] = {MACHINES_DIR}, *const memory_dirs[] = {MEMORIES_DIR};
static const struct sim_search machines = {machine_dirs, 1}, memories = {memory_dirs, 1};

static char *load_text(const char *path, struct machine_description *d, struct base_diag_list *diag)
{
	const bool is_taken = machine_description_load(path, &machines, &memories, d, diag) &&
			      machine_config_check(&d->config, diag);

	CHECK(is_taken == !diag->error_count);
	return is_taken ? machine_description_text(&d->config) : NULL;
}

/* A file of the text of a machine is this machine. */
static void check_text(const char *text)
{
	static struct machine_description again;
	struct base_diag_list diag;

	base_diag_init(&diag);

	g_autofree char *same = load_text(mutants_file(text, strlen(text)), &again, &diag);

	if (!same)
		base_bug_at(__FILE__, __LINE__, diag.first->text);
	CHECK(!strcmp(same, text));
	base_diag_free(&diag);
}

static void build(const struct machine_config *config, struct base_diag_list *diag)
{
	struct machine *m = machine_has_memory(config) ? machine_new(config, true, diag) : NULL;

	if (m)
		machine_free(m);
}

static bool read_machine(const char *text, size_t bytes)
{
	static struct machine_description d;
	struct base_diag_list diag;

	base_diag_init(&diag);

	g_autofree char *written = load_text(mutants_file(text, bytes), &d, &diag);

	if (written) {
		check_text(written);
		if (g_str_hash(written) % BUILT == 0)
			build(&d.config, &diag);
	}
	base_diag_free(&diag);
	return written != NULL;
}

const struct mutants_kind mutants_kind = {.name = "machine", .part_count = 1, .read = read_machine};
