/* account.c - arithmetic over amounts of time by part. */
#include "account/account.h"

#include <stddef.h>
#include <string.h>

const char *const account_kind_names[ACCOUNT_KIND_COUNT] = {
    [ACCOUNT_KIND_WORK] = "work",     [ACCOUNT_KIND_OWN] = "own",	[ACCOUNT_KIND_ROOM] = "room",
    [ACCOUNT_KIND_MEMORY] = "memory", [ACCOUNT_KIND_OTHERS] = "others", [ACCOUNT_KIND_IDLE] = "idle",
};

const struct account_row *account_find(const struct account_parts *parts, const char *name)
{
	for (uint32_t i = 0; i < parts->count; i++)
		if (!strcmp(parts->rows[i].name, name))
			return &parts->rows[i];
	return NULL;
}

uint64_t account_sum(const struct account_parts *parts, const uint64_t *amounts)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < parts->count; i++)
		sum += amounts[i];
	return sum;
}

void account_add(const struct account_parts *parts, uint64_t *to, const uint64_t *amounts)
{
	for (uint32_t i = 0; i < parts->count; i++)
		to[i] += amounts[i];
}

bool account_is_same(const struct account_parts *parts, const uint64_t *a, const uint64_t *b)
{
	return !memcmp(a, b, parts->count * sizeof(a[0]));
}

uint64_t account_rounded(uint64_t amount, uint64_t per, uint64_t *before)
{
	const uint64_t rounded = (*before + amount) / per - *before / per;

	*before += amount;
	return rounded;
}
