/* findings.c - the memory checker's findings to JSON and back. */
#include "machine/findings.h"

#include <errno.h>
#include <glib.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "machine/json.h"
#include "machine/message.h"
#include "machine/result.h"
#include "machine/session.h"

static json_t *triple(const uint32_t v[3])
{
	return json_pack("[i, i, i]", (int)v[0], (int)v[1], (int)v[2]);
}

static json_t *place_json(const struct simt_check_place *p)
{
	json_t *o = json_object();

	if (!p->ptx_line) {
		json_decref(o);
		return json_null();
	}
	put_text(o, "ptx", p->ptx_name);
	json_object_set_new(o, "ptx_line", json_integer(p->ptx_line));
	put_text(o, "instruction", p->ptx_text);
	put_text(o, "source", p->file);
	json_object_set_new(o, "line", p->file ? json_integer(p->line) : json_null());
	json_object_set_new(o, "column", p->file ? json_integer(p->col) : json_null());
	return o;
}

static json_t *finding_json(const struct simt_finding *f)
{
	json_t *o = json_object();

	put_text(o, "kind", simt_finding_name(f->kind));
	put_text(o, "text", f->text);
	json_object_set_new(o, "count", json_integer((json_int_t)f->count));
	put_text(o, "kernel", f->kernel);
	json_object_set_new(o, "cta", f->kernel ? triple(f->cta) : json_null());
	json_object_set_new(o, "thread", f->kernel ? triple(f->thread) : json_null());
	json_object_set_new(o, "at", place_json(&f->at));
	json_object_set_new(o, "other", place_json(&f->other));
	return o;
}

static bool write_whole(FILE *f, const json_t *o)
{
	bool is_written = !json_dumpf(o, f, JSON_INDENT(2)) && fputc('\n', f) != EOF && !fflush(f);
	int error = errno;

	if (fclose(f))
		return false;
	errno = error;
	return is_written;
}

/* Whole or not at all. */
static bool write_file(const char *path, const void *what)
{
	char temporary[4096 + 8];

	snprintf(temporary, sizeof(temporary), "%s.new", path);

	FILE *f = fopen(temporary, "w");
	bool is_written = f && write_whole(f, what) && !rename(temporary, path);
	int error = errno;

	if (f && !is_written)
		unlink(temporary);
	errno = error;
	return is_written;
}

void machine_findings_write(const struct machine_run *run, const struct simt_check *c, bool is_complete)
{
	const struct machine_launch_counts launches = machine_kernels_counts(run->kernels);
	const char *path = run->session->check_path;
	json_t *o = json_object(), *list = json_array();

	for (uint32_t i = 0; i < simt_check_finding_count(c); i++)
		json_array_append_new(list, finding_json(simt_check_finding(c, i)));
	json_object_set_new(o, "findings", list);
	json_object_set_new(o, "dropped", json_integer((json_int_t)simt_check_dropped_count(c)));
	json_object_set_new(o, "launches", json_integer((json_int_t)launches.asked));
	json_object_set_new(o, "launches_refused", json_integer((json_int_t)launches.refused));
	json_object_set_new(o, "is_complete", json_boolean(is_complete));
	if (!machine_session_keep(run->session, path, write_file, o)) {
		machine_message("error: cannot write the findings to %s: %s", path, strerror(errno));
		machine_result_lost(path);
	}
	json_decref(o);
}
