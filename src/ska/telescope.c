/* telescope.c - the groups of a telescope, from its file. */
#include "ska/telescope.h"

#include <glib.h>
#include <string.h>

#include "base/check.h"

static const struct sim_param_desc station_rows[] = {
#define PARAM_STRUCT struct ska_station_params
#include "sim/param_rows.inc"
#include "ska/station_params.def"
#include "sim/param_end.inc"
};
static const struct sim_param_desc csp_rows[] = {
#define PARAM_STRUCT struct ska_csp_params
#include "sim/param_rows.inc"
#include "ska/csp_params.def"
#include "sim/param_end.inc"
};
static const struct sim_param_desc imaging_rows[] = {
#define PARAM_STRUCT struct ska_imaging_params
#include "sim/param_rows.inc"
#include "ska/imaging_params.def"
#include "sim/param_end.inc"
};
static const struct sim_param_desc device_rows[] = {
#define PARAM_STRUCT struct ska_device_params
#include "sim/param_rows.inc"
#include "ska/device_params.def"
#include "sim/param_end.inc"
};

enum { STATED_GROUPS = 3 }; /* the last group has defaults */

void ska_telescope_groups(struct ska_telescope *t, struct sim_param_groups *out)
{
	out->count = 0;
	sim_param_groups_add(out, "station", station_rows, ARRAY_COUNT(station_rows), &t->station);
	sim_param_groups_add(out, "csp", csp_rows, ARRAY_COUNT(csp_rows), &t->csp);
	sim_param_groups_add(out, "imaging", imaging_rows, ARRAY_COUNT(imaging_rows), &t->imaging);
	sim_param_groups_add(out, "device", device_rows, ARRAY_COUNT(device_rows), &t->device);
}

/* Keeps what the files state, and leaves it to be set. */
static bool note(void *ctx, const struct base_item *item, bool is_first, struct base_diag_list *diag)
{
	GHashTable *stated = ctx;

	(void)is_first;
	(void)diag;
	if (item->group && item->value[0])
		g_hash_table_add(stated, g_strconcat(item->group, ".", item->name, NULL));
	return false;
}

static const char *kind_of(const struct sim_param_desc *row)
{
	return row->kind == SIM_PARAM_U64 ? "whole number" : "number";
}

static void report_missing(const struct sim_param_groups *groups, GHashTable *stated, const char *path,
			   struct base_diag_list *diag)
{
	for (uint32_t g = 0; g < STATED_GROUPS; g++) {
		const struct sim_param_group *group = &groups->items[g];

		for (uint32_t i = 0; i < group->row_count; i++) {
			const struct sim_param_desc *row = &group->rows[i];
			g_autofree char *key = g_strconcat(group->prefix, ".", row->name, NULL);

			if (!g_hash_table_contains(stated, key))
				base_diag_error(diag, (struct base_place){.file = path, .line = 1, .col = 1},
						"%s is missing: %s; a %s from %.15g to %.15g, in %s", key, row->doc,
						kind_of(row), row->min, row->max, row->unit);
		}
	}
}

bool ska_telescope_load(const char *name_or_path, const struct sim_search *search, struct ska_telescope *out,
			struct base_diag_list *diag)
{
	struct sim_description_form form = {
	    .words = {.thing = "telescope", .example = "station"},
	    .things = "telescopes",
	    .hint = "the groups are station, csp, imaging and device",
	    .take = note,
	    .ctx = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
	};
	bool is_ok;

	memset(out, 0, sizeof(*out));
	ska_telescope_groups(out, &form.groups);
	for (uint32_t i = 0; i < form.groups.count; i++)
		sim_param_defaults(&form.groups.items[i]);
	is_ok = sim_description_load(name_or_path, search, &form, &out->about, diag);
	if (is_ok) {
		report_missing(&form.groups, form.ctx, out->about.path, diag);
		is_ok = !diag->error_count;
	}
	g_hash_table_destroy(form.ctx);
	return is_ok;
}

bool ska_telescope_set(struct ska_telescope *t, const char *assignment, const char *where, struct base_diag_list *diag)
{
	struct sim_param_groups groups;

	ska_telescope_groups(t, &groups);
	return sim_description_set(&groups, assignment, where, diag);
}

bool ska_telescope_check(const struct ska_telescope *t, struct base_diag_list *diag)
{
	const uint32_t before = diag->error_count;
	const struct base_place at = {.file = t->about.path[0] ? t->about.path : NULL};

	if (t->imaging.patch_pixels > t->imaging.image_pixels)
		base_diag_error(diag, at,
				"imaging.patch_pixels = %llu: the patch is larger than the image of %llu pixels a side",
				(unsigned long long)t->imaging.patch_pixels,
				(unsigned long long)t->imaging.image_pixels);
	if (t->device.gops_per_w > 0 && t->device.peak_gops <= 0)
		base_diag_error(diag, at, "device.gops_per_w is given without device.peak_gops, the rate of a node");
	return diag->error_count == before;
}
