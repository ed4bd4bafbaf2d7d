/* symbols.c - names: module scope is 0, every { } in a function is a scope of its own. One hash table holds them all.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "ptx/priv.h"

static uint32_t symbol_hash(uint32_t scope, const char *name, uint32_t length)
{
	uint32_t h = 2166136261u ^ scope * 0x9E3779B1u;

	for (uint32_t i = 0; i < length; i++)
		h = (h ^ (unsigned char)name[i]) * 16777619u;
	return h ^ h >> 15;
}

static void table_grow(struct ptx_module_priv *m)
{
	uint32_t count = m->bucket_count ? m->bucket_count * 2 : 64;
	struct ptx_symbol **buckets = calloc(count, sizeof(struct ptx_symbol *));

	CHECK(buckets);
	for (uint32_t i = 0; i < m->bucket_count; i++) {
		struct ptx_symbol *s = m->buckets[i];

		while (s) {
			struct ptx_symbol *next = s->next;

			s->next = buckets[s->hash & (count - 1)];
			buckets[s->hash & (count - 1)] = s;
			s = next;
		}
	}
	free(m->buckets);
	m->buckets = buckets;
	m->bucket_count = count;
}

struct ptx_symbol *ptx_symbol_add(struct ptx_module_priv *m, uint32_t scope, const char *name, uint32_t length,
				  enum ptx_symbol_kind kind)
{
	if (m->symbol_count >= m->bucket_count)
		table_grow(m);
	struct ptx_symbol *s = ptx_arena_alloc(&m->arena, sizeof(*s));

	s->name = ptx_arena_text(&m->arena, name, length);
	s->length = length;
	s->scope = scope;
	s->kind = kind;
	s->hash = symbol_hash(scope, name, length);
	s->next = m->buckets[s->hash & (m->bucket_count - 1)];
	m->buckets[s->hash & (m->bucket_count - 1)] = s;
	m->symbol_count++;
	return s;
}

static struct ptx_symbol *lookup(const struct ptx_module_priv *m, uint32_t scope, const char *name, uint32_t length,
				 bool range)
{
	if (!m->bucket_count)
		return NULL;
	uint32_t h = symbol_hash(scope, name, length);

	for (struct ptx_symbol *s = m->buckets[h & (m->bucket_count - 1)]; s; s = s->next)
		if (s->hash == h && s->scope == scope && s->length == length && (s->kind == PTX_SYM_RANGE) == range &&
		    memcmp(s->name, name, length) == 0)
			return s;
	return NULL;
}

struct ptx_symbol *ptx_symbol_get(const struct ptx_module_priv *m, uint32_t scope, const char *name, uint32_t length)
{
	return lookup(m, scope, name, length, false);
}

/* A register that a range of that scope declares: "%r12" of "%r<20>". The range is numbered without leading zeros. */
static struct ptx_symbol *lookup_ranged(const struct ptx_parser *p, uint32_t scope, const char *name, uint32_t length,
					uint32_t *number)
{
	uint32_t stem = length;

	while (stem && name[stem - 1] >= '0' && name[stem - 1] <= '9')
		stem--;
	for (; stem < length; stem++) {
		if (stem == 0 || length - stem > 7 || (name[stem] == '0' && length - stem > 1))
			continue;
		struct ptx_symbol *s = lookup(p->m, scope, name, stem, true);

		if (!s)
			continue;
		*number = 0;
		for (uint32_t k = stem; k < length; k++)
			*number = *number * 10 + (uint32_t)(name[k] - '0');
		if (*number < s->range_count)
			return s;
	}
	return NULL;
}

/* Scopes that hold the names taken in a whole function; ordinary scopes are numbered from 0. */
#define TAKEN_SCOPE (1u << 31)

static bool is_taken(const struct ptx_parser *p, const char *name, uint32_t length)
{
	uint32_t number;

	return lookup(p->m, TAKEN_SCOPE | p->func_scope, name, length, false) || lookup(p->m, 0, name, length, false) ||
	       ptx_sreg_find(name, length, &number) != PTX_SREG_COUNT;
}

const char *ptx_symbol_unique(struct ptx_parser *p, const char *name, uint32_t length)
{
	char *unique = ptx_arena_text(p->arena, name, length);

	if (is_taken(p, name, length)) {
		struct ptx_symbol *s = lookup(p->m, TAKEN_SCOPE | p->func_scope, name, length, false);
		uint32_t suffix = s && s->index ? s->index : 2;

		do
			unique = ptx_arena_printf(p->arena, "%.*s$%u", (int)length, name, suffix++);
		while (is_taken(p, unique, (uint32_t)strlen(unique)));
		if (s)
			s->index = suffix;
	}
	ptx_symbol_add(p->m, TAKEN_SCOPE | p->func_scope, unique, (uint32_t)strlen(unique), PTX_SYM_REG);
	return unique;
}

uint32_t ptx_reg_add(struct ptx_parser *p, const char *name, uint32_t length, enum ptx_type type, uint8_t vec)
{
	struct ptx_reg *r = PTX_VECTOR_ADD(&p->regs);

	r->name = ptx_symbol_unique(p, name, length);
	r->type = type;
	r->vec = vec;
	return p->regs.count - 1;
}

struct ptx_symbol *ptx_symbol_find_from(const struct ptx_parser *p, uint32_t scope, const char *name, uint32_t length)
{
	for (;;) {
		struct ptx_symbol *s = ptx_symbol_get(p->m, scope, name, length);

		if (s || !scope)
			return s;
		scope = p->scopes.at[scope].parent;
	}
}

struct ptx_symbol *ptx_symbol_find(const struct ptx_parser *p, const char *name, uint32_t length)
{
	return ptx_symbol_find_from(p, p->scope, name, length);
}

uint32_t ptx_symbol_reg(struct ptx_parser *p, const char *name, uint32_t length)
{
	uint32_t number;

	for (uint32_t scope = p->scope;; scope = p->scopes.at[scope].parent) {
		struct ptx_symbol *s = ptx_symbol_get(p->m, scope, name, length);

		if (s)
			return s->kind == PTX_SYM_REG ? s->index : PTX_NO_REG;
		s = lookup_ranged(p, scope, name, length, &number);
		if (s) {
			struct ptx_symbol *made = ptx_symbol_add(p->m, scope, name, length, PTX_SYM_REG);

			made->index = ptx_reg_add(p, name, length, s->type, s->vec);
			made->line = s->line;
			return made->index;
		}
		if (!scope)
			return PTX_NO_REG;
	}
}

struct ptx_symbol *ptx_symbol_declare(struct ptx_parser *p, const struct ptx_token *name, enum ptx_symbol_kind kind)
{
	struct ptx_symbol *old = lookup(p->m, p->scope, name->text, name->length, kind == PTX_SYM_RANGE);
	uint32_t number;

	if (ptx_token_is(name, "_") || ptx_token_is(name, "WARP_SZ")) {
		ptx_parse_error_tok(p, name, "'%.*s' cannot be declared: PTX uses the name itself", (int)name->length,
				    name->text);
		return NULL;
	}
	if (!old && kind == PTX_SYM_REG)
		old = lookup_ranged(p, p->scope, name->text, name->length, &number);
	if (old) {
		ptx_parse_error_tok(p, name, "'%s' is already declared in line %u", old->name, old->line);
		return NULL;
	}
	struct ptx_symbol *s = ptx_symbol_add(p->m, p->scope, name->text, name->length, kind);

	s->line = name->line;
	return s;
}
