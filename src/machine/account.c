/* account.c - parts of an account as JSON. */
#include "machine/account.h"

#include "machine/json.h"

void machine_account_put(json_t *o, const struct account_parts *parts, const uint64_t *amounts)
{
	for (uint32_t i = 0; i < parts->count; i++)
		if (amounts[i])
			put_int(o, parts->rows[i].name, amounts[i]);
}

json_t *machine_account_json(const struct account_parts *parts, const uint64_t *amounts)
{
	json_t *o = json_object();

	machine_account_put(o, parts, amounts);
	return o;
}

json_t *machine_account_docs(const struct account_parts *parts)
{
	json_t *docs = json_object();

	for (uint32_t i = 0; i < parts->count; i++)
		put_text(docs, parts->rows[i].name, parts->rows[i].doc);
	return docs;
}
