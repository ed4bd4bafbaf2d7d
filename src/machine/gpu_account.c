/* gpu_account.c - cells of the account, those that are not zero. */
#include "machine/gpu_account.h"

#include <string.h>

#include "gpu/account.h"
#include "gpu/gpu.h"
#include "machine/account.h"
#include "machine/json.h"

/* Of the cells, by where the SM is. */
static const char *const places[2] = {"gpu", "stacks"};

static bool is_empty(const struct account_cell *c)
{
	static const struct account_cell nothing;

	return !memcmp(c, &nothing, sizeof(nothing));
}

static void put_parts(json_t *o, const char *of, const uint64_t counts[ACCOUNT_PART_COUNT])
{
	g_autofree char *key = g_strconcat(of, "_parts", NULL);
	json_t *parts = machine_account_json(&gpu_account_parts, counts);

	if (json_object_size(parts))
		json_object_set(o, key, parts);
	json_decref(parts);
}

static json_t *cell_json(const struct account_cell *c)
{
	json_t *o = json_object();

	if (c->issued)
		put_int(o, "issued", c->issued);
	machine_account_put(o, &gpu_account_reasons, c->stalls);
	put_parts(o, "memory", c->memory);
	for (uint32_t i = 0; i < ACCOUNT_ANSWER_COUNT; i++)
		put_parts(o, account_answer_name(i), c->answers[i]);
	put_parts(o, "offload", c->offload);
	return o;
}

static void put_cells(json_t *o, const struct account_cell cells[2])
{
	for (uint32_t i = 0; i < 2; i++)
		if (!is_empty(&cells[i]))
			json_object_set_new(o, places[i], cell_json(&cells[i]));
}

/* What a mechanism did with the block that begins there. */
static json_t *block_json(const struct account_block *b)
{
	json_t *o = json_object(), *refused = json_object();

	json_object_set_new(o, "of_ctas", json_boolean(b->is_ctas));
	put_int(o, "entries", b->entries);
	put_int(o, "offered", b->offered);
	put_int(o, "taken", b->taken);
	for (uint32_t i = 0; i < ACCOUNT_REFUSALS && b->refused[i].why; i++)
		put_int(refused, b->refused[i].why, b->refused[i].count);
	json_object_set_new(o, "refused", refused);
	put_int(o, "request_bytes", b->request_bytes);
	put_int(o, "answer_bytes", b->answer_bytes);
	put_int(o, "message_bytes", b->message_bytes);
	put_int(o, "read_lines", b->read_lines);
	put_int(o, "read_hits", b->read_hits);
	put_int(o, "write_lines", b->write_lines);
	put_int(o, "there_count", b->there_count);
	put_int(o, "there_ps", b->there_ps);
	json_object_set_new(o, "there_parts_ps", machine_account_json(&gpu_account_parts, b->there_parts_ps));
	put_int(o, "here_count", b->here_count);
	put_int(o, "here_ps", b->here_ps);
	return o;
}

static json_t *inst_json(const struct account_inst *inst, uint32_t pc)
{
	json_t *o = json_object();

	put_int(o, "pc", pc);
	put_int(o, "line", inst->line);
	put_int(o, "block", inst->block);
	put_text(o, "text", inst->text);
	if (inst->source_line) {
		put_text(o, "source_file", inst->source_file);
		put_int(o, "source_line", inst->source_line);
	}
	put_cells(o, inst->cell);
	if (inst->ledger)
		json_object_set_new(o, "ledger", block_json(inst->ledger));
	return o;
}

static json_t *kernel_json(const struct account_kernel *k)
{
	json_t *o = json_object(), *lines = json_array(), *nowhere = json_object(), *uses = json_object();

	put_text(o, "name", k->name);
	for (uint32_t i = 0; i < ACCOUNT_USE_COUNT; i++)
		put_int(uses, account_use_name((enum account_use)i), k->uses[i]);
	json_object_set_new(o, "uses", uses);
	put_cells(nowhere, k->nowhere);
	json_object_set_new(o, "nowhere", nowhere);
	for (uint32_t pc = 0; pc < k->inst_count; pc++)
		if (!is_empty(&k->insts[pc].cell[0]) || !is_empty(&k->insts[pc].cell[1]) || k->insts[pc].ledger)
			json_array_append_new(lines, inst_json(&k->insts[pc], pc));
	json_object_set_new(o, "lines", lines);
	return o;
}

static json_t *vaults_json(const struct account *a, uint32_t stack)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < a->vault_count; i++) {
		const struct account_vault *v = &a->vaults[stack * a->vault_count + i];
		json_t *o = json_object();

		put_int(o, "queue", v->queue);
		put_int(o, "bank", v->bank);
		put_int(o, "tsv", v->tsv);
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *stack_json(const struct account *a, uint32_t stack)
{
	json_t *o = json_object(), *parts = json_object();

	for (uint32_t i = 0; i < NET_STAGE_COUNT; i++)
		put_int(parts, gpu_account_parts.rows[i].name, a->stacks[stack].memory[i]);
	json_object_set_new(o, "memory_parts", parts);
	json_object_set_new(o, "vaults", vaults_json(a, stack));
	return o;
}

static json_t *rows_json(const struct account *a)
{
	json_t *o = json_object();

	put_int(o, "hit", a->rows[NET_ROW_HIT]);
	put_int(o, "closed", a->rows[NET_ROW_MISS]);
	put_int(o, "conflict", a->rows[NET_ROW_CONFLICT]);
	return o;
}

json_t *machine_gpu_account_json(const struct gpu *gpu)
{
	const struct account *a = gpu ? gpu_account_of(gpu) : NULL;
	json_t *o, *kernels, *stacks;

	if (!a)
		return json_null();
	o = json_object();
	kernels = json_array();
	stacks = json_array();
	for (uint32_t i = 0; i < a->kernel_count; i++)
		json_array_append_new(kernels, kernel_json(a->kernels[i]));
	for (uint32_t i = 0; i < a->stack_count; i++)
		json_array_append_new(stacks, stack_json(a, i));
	json_object_set_new(o, "kernels", kernels);
	json_object_set_new(o, "stacks", stacks);
	json_object_set_new(o, "bank_by_row", rows_json(a));
	json_object_set_new(o, "parts", machine_account_docs(&gpu_account_parts));
	return o;
}
