/* json.h - members of a JSON object. */
#ifndef STRATA_MACHINE_JSON_H
#define STRATA_MACHINE_JSON_H

#include <glib.h>
#include <jansson.h>
#include <stdint.h>

static inline void put_int(json_t *o, const char *key, uint64_t value)
{
	json_object_set_new(o, key, json_integer((json_int_t)value));
}

static inline void put_real(json_t *o, const char *key, double value)
{
	json_object_set_new(o, key, json_real(value));
}

/* Names and paths of the user are bytes. NULL is null. */
static inline void put_text(json_t *o, const char *key, const char *value)
{
	g_autofree char *valid = value ? g_utf8_make_valid(value, -1) : NULL;

	json_object_set_new(o, key, valid ? json_string(valid) : json_null());
}

#endif
