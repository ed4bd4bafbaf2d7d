/* demangle.c - finds the host's demangler at the first name. */
#include "base/demangle.h"

#include <dlfcn.h>
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Itanium C++ ABI, section 3.4. */
typedef char *(*demangle_fn)(const char *name, char *buffer, size_t *length, int *status);

static demangle_fn demangler(void)
{
	static demangle_fn found;
	static gsize is_tried;

	if (g_once_init_enter(&is_tried)) {
		void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
		void *symbol = library ? dlsym(library, "__cxa_demangle") : NULL;

		memcpy(&found, &symbol, sizeof(found)); /* ISO C has no cast for it */
		g_once_init_leave(&is_tried, 1);
	}
	return found;
}

static bool is_word(char c)
{
	return g_ascii_isalnum(c) || c == '_' || c == '$' || c == '.';
}

static void add_word(GString *out, const char *word, size_t length)
{
	g_autofree char *name = g_strndup(word, length);
	const demangle_fn demangle = g_str_has_prefix(name, "_Z") ? demangler() : NULL;
	int status = -1;
	char *plain = demangle ? demangle(name, NULL, NULL, &status) : NULL;

	g_string_append(out, plain && !status ? plain : name);
	free(plain);
}

char *base_demangle(const char *text)
{
	GString *out = g_string_new(NULL);

	while (*text) {
		size_t length = 0;

		while (is_word(text[length]))
			length++;
		add_word(out, text, length);
		text += length;
		if (*text)
			g_string_append_c(out, *text++);
	}
	return g_string_free(out, FALSE);
}
