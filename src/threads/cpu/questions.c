/* questions.c - what a program asks of the machine besides accesses. */
#include "threads/cpu/host.h"

#include <errno.h>

static const char sum[] = ".sum";

static void keep_statistic(void *self, const char *prefix, const struct sim_stat_desc *row, uint64_t value,
			   const struct sim_hist *hist)
{
	struct host *h = self;

	g_hash_table_insert(h->reset, g_strconcat(prefix, ".", row->name, hist ? sum : NULL, NULL),
			    (gpointer)(hist ? hist->sum : value));
}

/* A count by its name, or of a distribution NAME the sum of its values, NAME.sum. */
static bool value_of(const struct sim_stats *stats, const char *name, uint64_t *value)
{
	g_autofree char *of = g_str_has_suffix(name, sum) ? g_strndup(name, strlen(name) - strlen(sum)) : NULL;
	struct sim_hist hist;

	if (!of)
		return sim_stats_value(stats, name, value);
	if (!sim_stats_hist(stats, of, &hist))
		return false;
	*value = hist.sum;
	return true;
}

/* Since they were reset. */
static int64_t statistic(struct host *h, const char *name, uint64_t now_ps)
{
	uint64_t value;

	awake_until(h->awake, now_ps);
	if (!name) {
		g_hash_table_remove_all(h->reset);
		sim_stats_each(h->run.machine->ctx.stats, keep_statistic, h);
		return 0;
	}
	if (!value_of(h->run.machine->ctx.stats, name, &value))
		return -1;
	return (int64_t)(value - (uint64_t)(uintptr_t)g_hash_table_lookup(h->reset, name));
}

/* Also says when the thread goes on. */
static int64_t answer_about_ndps(struct host *h, const struct thread_at *at, const struct thread_ask *a,
				 uint64_t *done_ps)
{
	static const enum channel_owner owners[] = {[THREAD_OWNER_CPU] = CHANNEL_OWNER_CPU,
						    [THREAD_OWNER_NDP] = CHANNEL_OWNER_NDP,
						    [THREAD_OWNER_SHARED] = CHANNEL_OWNER_SHARED};
	const bool is_near = at->unit >= h->cpu_units;
	const uint32_t core = is_near ? at->unit - h->cpu_units : 0;

	switch (a->kind) {
	case THREAD_ASK_CLAIM:
		*done_ps = channel_claim(h->near, at->now_ps, a->address, a->address + a->bytes, owners[a->value]);
		return 0;
	case THREAD_ASK_CACHEABLE:
		(a->value ? channel_uninhibit : channel_inhibit)(h->near, a->address, a->address + a->bytes);
		return 0;
	case THREAD_ASK_SEND:
		if (a->value >= h->near_params->ndp_count)
			return -EINVAL;
		return (int64_t)channel_send(h->near, at->now_ps,
					     is_near ? core / (uint32_t)h->near_params->core_count : UINT32_MAX,
					     (uint32_t)a->value);
	default:
		return -ENOSYS;
	}
}

static int64_t move_pages(struct host *h, const struct thread_ask *a, uint64_t *done_ps)
{
	const uint64_t page = h->params->page_bytes, first = a->address / page * page;
	const int32_t channel = __builtin_ctzll(a->nodes);
	int64_t result = 0;

	if (h->params->placement == CPU_PLACE_LINE)
		return -ENOSYS;
	for (uint64_t at = first; at < a->address + a->bytes; at += page) {
		const int32_t now = cpu_channel_of(h->cpu, at);

		if (now < 0 || now == channel)
			continue;
		if (!cpu_has_room(h->cpu, (uint32_t)channel)) {
			result = -ENOMEM;
			break;
		}
		cpu_leave(h->cpu, at);
		if (h->bytes)
			bytes_unmap(h->bytes, at, page);
		cpu_move(h->cpu, at, (uint32_t)channel, done_ps);
	}
	return result;
}

static uint64_t flush(struct host *h, const struct thread_at *at, const struct thread_ask *a)
{
	const bool is_near = at->unit >= h->cpu_units;
	uint64_t done;

	host_account_hook(h, at);
	if (is_near)
		done = channel_flush(h->near, at->unit - h->cpu_units, at->now_ps, a->address, a->address + a->bytes);
	else
		done = cpu_flush(h->cpu, at->now_ps, a->address, a->address + a->bytes);
	if (unlikely(h->account != NULL))
		cpu_account_until(h->account, at->unit, is_near ? CPU_PART_L1 : CPU_PART_DOWN, done * h->per_ps);
	return done;
}

static void cold(struct host *h)
{
	cpu_cold(h->cpu);
	if (h->near)
		channel_cold(h->near);
}

struct thread_reply host_answer(void *self, const struct thread_at *at, const struct thread_ask *a)
{
	struct host *h = self;
	struct thread_reply reply = {at->now_ps, 0};

	host_run_until(h, at->now_ps);
	switch (a->kind) {
	case THREAD_ASK_UNMAP:
		if (h->accelerators)
			accelerators_unmap(h->accelerators, a->address, a->bytes);
		if (h->bytes)
			bytes_unmap(h->bytes, a->address, a->bytes);
		reply.done_ps = cpu_unmap(h->cpu, at->now_ps, a->address, a->bytes, a->value);
		break;
	case THREAD_ASK_PROTECT:
		if (h->accelerators)
			accelerators_unmap(h->accelerators, a->address, a->bytes);
		reply.done_ps = cpu_protect(h->cpu, at->now_ps, a->address, a->bytes);
		break;
	case THREAD_ASK_MAP:
	case THREAD_ASK_COMMAND:
	case THREAD_ASK_REPLY:
	case THREAD_ASK_KEY:
	case THREAD_ASK_LINE:
		reply = accelerators_ask(h->accelerators, at, a);
		break;
	case THREAD_ASK_END:
		break;
	case THREAD_ASK_BEGIN:
		if (!a->value)
			cold(h);
		if (h->bytes)
			bytes_forget_all(h->bytes);
		break;
	case THREAD_ASK_FLUSH:
		reply.done_ps = flush(h, at, a);
		break;
	case THREAD_ASK_STATISTIC:
		reply.result = statistic(h, a->text, at->now_ps);
		break;
	case THREAD_ASK_PLACE:
		if (a->value != THREAD_PLACE_DEFAULT)
			cpu_place(h->cpu, a->address, a->bytes, a->value == THREAD_PLACE_NODES ? a->nodes : 0);
		break;
	case THREAD_ASK_MOVE:
		reply.result = move_pages(h, a, &reply.done_ps);
		break;
	case THREAD_ASK_WHERE:
		reply.result = cpu_channel_of(h->cpu, a->address);
		break;
	default:
		reply.result = h->near ? answer_about_ndps(h, at, a, &reply.done_ps) : -ENOSYS;
	}
	host_come_back(h); /* the memory may have been asked, too */
	return reply;
}
