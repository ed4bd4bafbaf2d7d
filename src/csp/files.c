/* files.c - the user's values into a core's memory, and results out of it: a program's inputs and outputs. */
#include <errno.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/check.h"
#include "csp/priv.h"

enum { COMPLEX_BYTES = 8 };

static const char *kind_name(bool is_output)
{
	return is_output ? "output" : "input";
}

static const struct csp_port *port_find(const struct csp_machine *m, const char *name, bool is_output,
					struct base_diag_list *diag)
{
	const struct csp_program *p = m->program;
	const char *names[64], *nearest;
	uint32_t count = 0;

	for (uint32_t i = 0; i < p->port_count; i++) {
		if (p->ports[i].is_output != is_output)
			continue;
		if (!strcmp(p->ports[i].name, name))
			return &p->ports[i];
		if (count < ARRAY_COUNT(names))
			names[count++] = p->ports[i].name;
	}
	nearest = base_nearest_name(name, names, count);
	base_diag_error(diag, (struct base_place){.file = p->path}, "no %s '%s'%s%s%s", kind_name(is_output), name,
			nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
	return NULL;
}

/* The port, if its lines are there in all of its cores. */
static const struct csp_port *port_checked(const struct csp_machine *m, const char *name, bool is_output,
					   struct base_diag_list *diag)
{
	const struct csp_port *p = port_find(m, name, is_output, diag);

	for (uint32_t i = p ? p->first_core : 1; p && i <= p->last_core; i++)
		if ((uint64_t)p->first + (uint64_t)p->count > m->cores[i].line_count) {
			base_diag_error(diag, (struct base_place){p->file, p->line, 1},
					".%s %s: lines %lld to %lld: core %u has %llu", kind_name(is_output), name,
					(long long)p->first, (long long)(p->first + p->count - 1), i,
					(unsigned long long)m->cores[i].line_count);
			return NULL;
		}
	return p;
}

bool csp_port_exists(const struct csp_machine *m, const char *name, bool is_output, struct base_diag_list *diag)
{
	return port_checked(m, name, is_output, diag) != NULL;
}

static uint64_t port_bytes(const struct csp_machine *m, const struct csp_port *p)
{
	return (uint64_t)p->count * (p->last_core - p->first_core + 1) * m->config->csp.fu_count * COMPLEX_BYTES;
}

/* "cannot read FILE: WHY" */
static bool failed(const char *what, const char *path, struct base_diag_list *diag)
{
	base_diag_error(diag, (struct base_place){.file = path}, "cannot %s it: %s", what, strerror(errno));
	return false;
}

/* Lines are of real parts and then imaginary parts; a file has them by turns. Host and file: the lowest byte first. */
static bool lines_read(struct csp_machine *m, const struct csp_port *p, FILE *f)
{
	const uint32_t lanes = (uint32_t)m->config->csp.fu_count;
	g_autofree float *values = g_new(float, 2 * lanes);

	for (uint32_t core = p->first_core; core <= p->last_core; core++)
		for (int64_t i = 0; i < p->count; i++) {
			float *line = csp_machine_line(m, core, (uint64_t)(p->first + i));

			if (fread(values, COMPLEX_BYTES, lanes, f) != lanes)
				return false;
			for (uint32_t l = 0; l < lanes; l++) {
				line[l] = values[2 * l];
				line[lanes + l] = values[2 * l + 1];
			}
		}
	return true;
}

static bool lines_write(struct csp_machine *m, const struct csp_port *p, FILE *f)
{
	const uint32_t lanes = (uint32_t)m->config->csp.fu_count;
	g_autofree float *values = g_new(float, 2 * lanes);

	for (uint32_t core = p->first_core; core <= p->last_core; core++)
		for (int64_t i = 0; i < p->count; i++) {
			const float *line = csp_machine_line(m, core, (uint64_t)(p->first + i));

			for (uint32_t l = 0; l < lanes; l++) {
				values[2 * l] = line[l];
				values[2 * l + 1] = line[lanes + l];
			}
			if (fwrite(values, COMPLEX_BYTES, lanes, f) != lanes)
				return false;
		}
	return true;
}

bool csp_machine_input(struct csp_machine *m, const char *name, const char *path, struct base_diag_list *diag)
{
	const struct csp_port *p = port_checked(m, name, false, diag);
	FILE *f = p ? fopen(path, "rb") : NULL;
	struct stat about;
	bool is_ok;

	if (!p)
		return false;
	if (!f)
		return failed("read", path, diag);
	is_ok = !fstat(fileno(f), &about);
	if (is_ok && S_ISREG(about.st_mode) && (uint64_t)about.st_size != port_bytes(m, p)) {
		base_diag_error(diag, (struct base_place){.file = path},
				"%lld bytes; input '%s' takes %llu: %lld lines of %llu complex values of %d bytes, for "
				"each of %u cores",
				(long long)about.st_size, name, (unsigned long long)port_bytes(m, p),
				(long long)p->count, (unsigned long long)m->config->csp.fu_count, COMPLEX_BYTES,
				p->last_core - p->first_core + 1);
		fclose(f);
		return false;
	}
	errno = 0;
	is_ok = is_ok && lines_read(m, p, f);
	if (!is_ok && !errno)
		base_diag_error(diag, (struct base_place){.file = path}, "ends before the %llu bytes of input '%s'",
				(unsigned long long)port_bytes(m, p), name);
	else if (!is_ok)
		failed("read", path, diag);
	fclose(f);
	return is_ok;
}

bool csp_machine_output(struct csp_machine *m, const char *name, const char *path, struct base_diag_list *diag)
{
	const struct csp_port *p = port_checked(m, name, true, diag);
	FILE *f = p ? fopen(path, "wb") : NULL;
	bool is_ok;

	if (!p)
		return false;
	is_ok = f && lines_write(m, p, f);
	if (f && fclose(f))
		is_ok = false;
	return is_ok || failed("write", path, diag);
}
