/* nvtx.c - ranges of NVTX: which ones are open, on each thread and in all.
 *
 * NVTX has no library any more: its calls are functions in a header, which do nothing unless NVTX_INJECTION64_PATH
 * names a library with InitializeInjectionNvtx2. `strata run` names this one where run.only asks for a range. The
 * header hands over tables of pointers, by module, which a tool points at its own functions; what is written here
 * follows nvtxTypes.h and nvToolsExt.h of CUDA 13 (version 3 of NVTX). A program and its libraries each have such a
 * table.
 */
#include "cuda/nvtx.h"

#include <glib.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <wchar.h>

/* ---- the interface ---- */

typedef void any_function(void);

enum { TABLE_OF_CALLBACKS = 1, MODULE_CORE = 1, MODULE_CORE2 = 5 };

struct export_callbacks {
	size_t struct_size;
	int (*module_table)(uint32_t module, any_function ****table, uint32_t *size);
};

enum message_type { MESSAGE_ASCII = 1, MESSAGE_UNICODE = 2, MESSAGE_REGISTERED = 3 };

/* nvtxEventAttributes_t */
struct attributes {
	uint16_t version, size;
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type, reserved;
	uint64_t payload;
	int32_t message_type;
	const void *message; /* a text, or what register_text gave */
};

/* ---- ranges ---- */

struct range {
	char *text;
	const char *domain; /* of domain_create; NULL: the default one */
	uint64_t id;	    /* of what was started */
};

static void clear_range(void *p)
{
	struct range *r = p;

	g_free(r->text);
}

static void free_ranges(void *p)
{
	g_array_free(p, TRUE);
}

static GArray *new_ranges(void)
{
	GArray *ranges = g_array_new(FALSE, FALSE, sizeof(struct range));

	g_array_set_clear_func(ranges, clear_range);
	return ranges;
}

static GPrivate of_thread = G_PRIVATE_INIT(free_ranges); /* pushed, the innermost last */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static GArray *started; /* by any thread; under the lock */
static uint64_t last_id;

static GArray *pushed(void)
{
	GArray *ranges = g_private_get(&of_thread);

	if (!ranges) {
		ranges = new_ranges();
		g_private_set(&of_thread, ranges);
	}
	return ranges;
}

/* Takes the text. Returns the range's depth in its domain, from 0. */
static int push(const char *domain, char *text)
{
	const struct range new = {.text = text, .domain = domain};
	GArray *ranges = pushed();
	int depth = 0;

	for (uint32_t i = 0; i < ranges->len; i++)
		depth += g_array_index(ranges, struct range, i).domain == domain;
	g_array_append_val(ranges, new);
	return depth;
}

/* Ends the innermost range of the domain. Returns its depth, -1 where there is none. */
static int pop(const char *domain)
{
	GArray *ranges = pushed();
	uint32_t last = ranges->len;
	int depth = -1;

	for (uint32_t i = 0; i < ranges->len; i++)
		if (g_array_index(ranges, struct range, i).domain == domain) {
			last = i;
			depth++;
		}
	if (depth >= 0)
		g_array_remove_index(ranges, last);
	return depth;
}

static uint64_t start(const char *domain, char *text)
{
	struct range new = {.text = text, .domain = domain};

	pthread_mutex_lock(&lock);
	new.id = ++last_id;
	if (!started)
		started = new_ranges();
	g_array_append_val(started, new);
	pthread_mutex_unlock(&lock);
	return new.id;
}

static void end(uint64_t id)
{
	pthread_mutex_lock(&lock);
	for (uint32_t i = 0; started && i < started->len; i++)
		if (g_array_index(started, struct range, i).id == id) {
			g_array_remove_index(started, i);
			break;
		}
	pthread_mutex_unlock(&lock);
}

static bool is_called(const struct range *r, const char *name)
{
	const size_t length = r->domain ? strlen(r->domain) : 0;

	return !strcmp(r->text, name) || (r->domain && g_str_has_prefix(name, r->domain) && name[length] == '@' &&
					  !strcmp(r->text, name + length + 1));
}

static bool has_name(const GArray *ranges, const char *name)
{
	for (uint32_t i = 0; ranges && i < ranges->len; i++)
		if (is_called(&g_array_index(ranges, struct range, i), name))
			return true;
	return false;
}

bool cuda_nvtx_is_open(const char *name)
{
	bool is_open = has_name(g_private_get(&of_thread), name);

	pthread_mutex_lock(&lock);
	is_open = is_open || has_name(started, name);
	pthread_mutex_unlock(&lock);
	return is_open;
}

/* ---- texts ---- */

static char *text_of(const char *text)
{
	return g_strdup(text ? text : "");
}

static char *text_of_wide(const wchar_t *text)
{
	char *utf8 = text ? g_ucs4_to_utf8((const gunichar *)text, -1, NULL, NULL, NULL) : NULL;

	return utf8 ? utf8 : g_strdup("");
}

static char *text_of_attributes(const struct attributes *a)
{
	if (!a)
		return g_strdup("");
	switch (a->message_type) {
	case MESSAGE_ASCII:
	case MESSAGE_REGISTERED:
		return text_of(a->message);
	case MESSAGE_UNICODE:
		return text_of_wide(a->message);
	}
	return g_strdup("");
}

/* ---- the functions of the tables ---- */

static int push_text(const char *text)
{
	return push(NULL, text_of(text));
}

static int push_wide(const wchar_t *text)
{
	return push(NULL, text_of_wide(text));
}

static int push_attributes(const struct attributes *a)
{
	return push(NULL, text_of_attributes(a));
}

static int pop_default(void)
{
	return pop(NULL);
}

static uint64_t start_text(const char *text)
{
	return start(NULL, text_of(text));
}

static uint64_t start_wide(const wchar_t *text)
{
	return start(NULL, text_of_wide(text));
}

static uint64_t start_attributes(const struct attributes *a)
{
	return start(NULL, text_of_attributes(a));
}

static int push_in_domain(const char *domain, const struct attributes *a)
{
	return push(domain, text_of_attributes(a));
}

static uint64_t start_in_domain(const char *domain, const struct attributes *a)
{
	return start(domain, text_of_attributes(a));
}

static void end_in_domain(const char *domain, uint64_t id)
{
	(void)domain;
	end(id);
}

/* Domains and registered texts are known by their interned names, as long as the process. */
static const char *domain_create(const char *name)
{
	return g_intern_string(name ? name : "");
}

static const char *domain_create_wide(const wchar_t *name)
{
	g_autofree char *text = text_of_wide(name);

	return g_intern_string(text);
}

static const char *register_text(const char *domain, const char *text)
{
	(void)domain;
	return domain_create(text);
}

static const char *register_wide(const char *domain, const wchar_t *text)
{
	(void)domain;
	return domain_create_wide(text);
}

struct entry {
	uint32_t number; /* in the module's table */
	any_function *function;
};

#define ENTRY(number, function) {number, (any_function *)(function)}
static const struct entry core[] = {
    ENTRY(4, start_attributes), ENTRY(5, start_text),  ENTRY(6, start_wide), ENTRY(7, end),
    ENTRY(8, push_attributes),	ENTRY(9, push_text), ENTRY(10, push_wide), ENTRY(11, pop_default),
};
static const struct entry core2[] = {
    ENTRY(2, start_in_domain), ENTRY(3, end_in_domain),	 ENTRY(4, push_in_domain), ENTRY(5, pop),
    ENTRY(10, register_text),  ENTRY(11, register_wide), ENTRY(12, domain_create), ENTRY(13, domain_create_wide),
};
#undef ENTRY

static bool attach(const struct export_callbacks *callbacks, uint32_t module, const struct entry *entries, size_t count)
{
	any_function ***table = NULL;
	uint32_t size = 0;

	if (!callbacks->module_table(module, &table, &size) || !table)
		return false;
	for (size_t i = 0; i < count; i++)
		if (entries[i].number < size && table[entries[i].number])
			*table[entries[i].number] = entries[i].function;
	return true;
}

/* The header's first call asks for this by its name; 0: no tool is there. */
__attribute__((visibility("default"))) int InitializeInjectionNvtx2(const void *(*export_table)(uint32_t id));
int InitializeInjectionNvtx2(const void *(*export_table)(uint32_t id))
{
	const struct export_callbacks *callbacks = export_table(TABLE_OF_CALLBACKS);

	if (!callbacks || callbacks->struct_size < sizeof(*callbacks))
		return 0;
	attach(callbacks, MODULE_CORE2, core2, G_N_ELEMENTS(core2));
	return attach(callbacks, MODULE_CORE, core, G_N_ELEMENTS(core));
}
