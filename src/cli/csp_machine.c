/* csp_machine.c - loads a coprocessor. */
#include "cli/csp_machine.h"

bool cli_csp_machine_load(const struct cli_paths *paths, const char *name, const GPtrArray *sets,
			  struct csp_config *out, struct base_diag_list *diag)
{
	GPtrArray *dirs = g_ptr_array_new_with_free_func(g_free);
	struct sim_search search;
	bool is_ok;

	for (uint32_t i = 0; i < paths->machines.dir_count; i++)
		g_ptr_array_add(dirs, g_build_filename(paths->machines.dirs[i], "csp", NULL));
	search = (struct sim_search){(const char *const *)dirs->pdata, dirs->len};
	is_ok = csp_config_load(name, &search, out, diag);
	for (uint32_t i = 0; is_ok && i < sets->len; i++)
		is_ok = csp_config_set(out, sets->pdata[i], "--set", diag);
	g_ptr_array_free(dirs, TRUE);
	return is_ok && csp_config_check(out, diag);
}
