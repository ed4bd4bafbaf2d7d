/* fixture.h - what the tests of the PTX folder share. */
#ifndef STRATA_TESTS_PTX_FIXTURE_H
#define STRATA_TESTS_PTX_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "ptx/ptx.h"

/* The bytes of a file, NUL-terminated, malloc'ed; fails the test if it cannot be read. */
char *fixture_read(const char *path, size_t *size_bytes);

/* The files of a folder whose names end in suffix, sorted, NULL-terminated; paths and list malloc'ed. */
char **fixture_list(const char *folder, const char *suffix);
void fixture_list_free(char **list);

/* Parses text that must be right: fails the test with the messages otherwise. */
struct ptx_module *fixture_parse(const char *name, const char *text, size_t size_bytes);

/* A module of one kernel k(.param .u64 a, .param .u32 n) with the registers %p %h %r %f %d %e and the body given. */
struct ptx_module *fixture_kernel(const char *body);

/* True if both modules are the same program; on false what[] says where they differ. Places in the text, order of
 * source lines and frame places of call-site variables may differ. */
bool fixture_equal(const struct ptx_module *a, const struct ptx_module *b, char *what, size_t size_bytes);

#endif
