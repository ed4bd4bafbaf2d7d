/* near.c - programs of direct.csv that ask something of the machine: where pages are, who owns lines, flushes, messages
 * to NDPs, and accelerators. */
#include "direct.h"

#include <string.h>

enum { WORD = 8, BLOCK_BYTES = 32, NODES_MAX = 4 };

static const uint16_t loop[THREAD_CLASS_COUNT] = {
    [THREAD_CLASS_integer] = 2, [THREAD_CLASS_branch] = 1, [THREAD_CLASS_memory] = 1};

static struct barrier *all;

static uint32_t node_count(void)
{
	const uint32_t nodes = direct.machine->node_count;

	return nodes < NODES_MAX ? nodes : NODES_MAX;
}

static size_t page_bytes(void)
{
	return direct.machine->page_bytes ? direct.machine->page_bytes : 4096;
}

/* ---- pages: the first worker places, moves, protects and unmaps what the others read and write ---- */

enum { PAGES = 12, PAGE_STEP = 512 };

static struct {
	uint8_t *pages;
	uint64_t *sums;
} paged;

static void pages_begin(void)
{
	all = direct_room(sizeof(*all));
	paged.pages = direct_room(PAGES * page_bytes());
	paged.sums = direct_room(direct.workers * WORD);
}

/* What happens to the pages before each round; the last one unmaps some, whose words begin anew. */
static void change_pages(uint64_t round)
{
	const uint64_t node = node_count() > 1 ? round % node_count() : 0;
	uint8_t *page = paged.pages + round % PAGES * page_bytes();

	if (node_count() > 1) {
		ask_range(THREAD_ASK_MOVE, page, 2 * page_bytes(), 0, 1ull << node);
		ask_range(THREAD_ASK_WHERE, page, 0, 0, 0);
	}
	ask_range(THREAD_ASK_PROTECT, paged.pages, page_bytes() / 2, 0, 0);
	fence();
	ask_range(THREAD_ASK_FLUSH, page, page_bytes(), 0, 0);
	if (round % 3 == 2) {
		page = paged.pages + (round + 5) % PAGES * page_bytes();
		ask_range(THREAD_ASK_UNMAP, page, page_bytes(), round % 2, 0);
		memset(page, 0, page_bytes());
	}
}

/* A word of each worker's own in every piece of every page, and a look at the next worker's. */
static void use_pages(uint32_t worker)
{
	for (size_t at = 0; at + PAGE_STEP <= PAGES * page_bytes(); at += PAGE_STEP * 4) {
		uint64_t *mine = (uint64_t *)(paged.pages + at) + worker % (PAGE_STEP / WORD);

		pass(loop);
		store(mine, load(mine, 1) + 1);
		load((const uint64_t *)(paged.pages + at) + (worker + 1) % (PAGE_STEP / WORD), 3);
		fetch_add(&paged.sums[worker], 1);
	}
}

static void pages_work(uint32_t worker)
{
	if (!worker && node_count() > 1)
		ask_range(THREAD_ASK_PLACE, paged.pages, PAGES / 2 * page_bytes(), THREAD_PLACE_NODES, 3);
	for (uint64_t round = 0; round < direct.count; round++) {
		barrier(all);
		use_pages(worker);
		barrier(all);
		if (!worker)
			change_pages(round);
	}
}

static bool pages_check(void)
{
	const uint64_t each = (PAGES * page_bytes() / PAGE_STEP + 3) / 4;

	for (uint32_t i = 0; i < direct.workers; i++)
		if (paged.sums[i] != each * direct.count)
			return false;
	return true;
}

/* ---- remote: blocks that one worker writes and the others read, kept in their caches and flushed between rounds;
 * atomics on words of the others; and claims of the range for all states ---- */

enum { REMOTE_BLOCKS = 64 };

static struct {
	uint8_t *blocks; /* a page or more of each worker */
	uint64_t *counts;
	size_t stride;
} remote;

static void remote_begin(void)
{
	all = direct_room(sizeof(*all));
	remote.stride = page_bytes();
	remote.blocks = direct_room(direct.workers * remote.stride);
	remote.counts = direct_room(direct.workers * page_bytes());
}

static void write_blocks(uint32_t worker, uint64_t round)
{
	for (uint32_t i = 0; i < REMOTE_BLOCKS; i++) {
		uint64_t *words;

		pass(loop);
		words = access_write(remote.blocks + worker * remote.stride + i * BLOCK_BYTES, BLOCK_BYTES);
		for (uint32_t word = 0; word < BLOCK_BYTES / WORD; word++)
			words[word] = worker + round;
	}
}

/* 0: all are of this round. */
static uint64_t read_blocks(uint32_t of, uint64_t round)
{
	uint64_t wrong = 0;

	for (uint32_t i = 0; i < REMOTE_BLOCKS; i++) {
		const uint8_t *block = remote.blocks + of * remote.stride + i * BLOCK_BYTES;

		pass(loop);
		if (i % 8 == 0)
			prefetch(block + BLOCK_BYTES);
		wrong |= *(const uint64_t *)access_read(block, BLOCK_BYTES, 2) ^ (of + round);
		wrong |= load((const uint64_t *)block + 2, 1) ^ (of + round);
	}
	return wrong;
}

static void remote_work(uint32_t worker)
{
	const uint32_t next = (worker + 1) % direct.workers, far = (worker + 2) % direct.workers;
	const size_t bytes = direct.workers * remote.stride;
	uint64_t wrong = 0;

	if (!worker)
		ask_range(THREAD_ASK_CACHEABLE, remote.blocks, bytes / 2, 1, 0);
	for (uint64_t round = 0; round < direct.count; round++) {
		write_blocks(worker, round);
		fence();
		barrier(all);
		ask_range(THREAD_ASK_FLUSH, remote.blocks, bytes / 2, 0, 0);
		wrong |= read_blocks(next, round);
		wrong |= read_blocks(far, round);
		for (uint32_t i = 0; i < 16; i++)
			fetch_add(&remote.counts[(worker + i) % direct.workers * page_bytes() / WORD], 1);
		store(&remote.counts[worker * page_bytes() / WORD + 2], round);
		barrier(all);
		if (!worker)
			ask_range(THREAD_ASK_CLAIM, remote.blocks, bytes, round % 3, 0);
		barrier(all);
	}
	fetch_add(&remote.counts[1], wrong != 0);
}

static bool remote_check(void)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < direct.workers; i++)
		sum += remote.counts[i * page_bytes() / WORD];
	return sum == 16 * direct.workers * direct.count && !remote.counts[1];
}

/* ---- send: messages from each worker to the next one's NDP, which wakes who waits for them ---- */

static struct {
	uint64_t *boxes; /* of each worker, on a page of its own: messages that have come, and what they said */
} sent;

static void send_begin(void)
{
	sent.boxes = direct_room(direct.workers * page_bytes());
}

static void send_work(uint32_t worker)
{
	const uint32_t next = (worker + 1) % direct.workers;
	uint64_t *mine = sent.boxes + worker * page_bytes() / WORD, *theirs = sent.boxes + next * page_bytes() / WORD;

	for (uint64_t i = 0; i < direct.count; i++) {
		uint64_t there_ps = now_ps();

		while (worker && atomic_load(mine) <= i)
			wait_while(mine, i, THREAD_FOR_OTHER);
		pass(loop);
		if (unit_ndp(next) != UINT32_MAX)
			there_ps = (uint64_t)ask(&(struct thread_ask){
			    .kind = THREAD_ASK_SEND, .bytes = WORD, .value = unit_ndp(next)});
		sleep_until(there_ps);
		fetch_add(theirs, 1);
		wake(theirs);
	}
}

static bool send_check(void)
{
	for (uint32_t i = 0; i < direct.workers; i++)
		if (sent.boxes[i * page_bytes() / WORD] != direct.count)
			return false;
	return true;
}

/* ---- merge: pairs of lists for the accelerators, which merge them (workloads/hdl/merge.v) ---- */

enum { MERGE_ITEMS = 48, MERGE_WORDS = 8 };

struct item {
	uint64_t key, value;
};

static struct {
	struct item *lists, *out; /* of each worker one after the other, on its accelerator's channel */
	uint64_t *sums;
	size_t items; /* of each worker */
} merged;

static uint32_t accelerator_of(uint32_t worker)
{
	return worker % direct.machine->accelerator_count;
}

static void merge_begin(void)
{
	const size_t page = page_bytes();

	merged.items = 2 * MERGE_ITEMS * direct.count;
	merged.items = (merged.items * sizeof(struct item) + page - 1) / page * page / sizeof(struct item);
	merged.lists = direct_room(direct.workers * merged.items * sizeof(struct item));
	merged.out = direct_room(direct.workers * merged.items * sizeof(struct item));
	merged.sums = direct_room(direct.workers * WORD);
}

static void map_for(uint32_t worker, struct item *items)
{
	const size_t bytes = merged.items * sizeof(*items);

	ask_range(THREAD_ASK_PLACE, items, bytes, THREAD_PLACE_NODES, 1ull << accelerator_of(worker));
	ask_range(THREAD_ASK_MAP, items, bytes, accelerator_of(worker), 0);
}

static void make_lists(uint32_t worker, struct item *items)
{
	uint64_t state = worker + 1, key = 0;

	for (uint64_t i = 0; i < 2 * MERGE_ITEMS * direct.count; i++) {
		struct item *to;

		if (i % MERGE_ITEMS == 0)
			key = 0;
		key += direct_random(&state) % 4;
		pass(loop);
		to = access_write(&items[i], sizeof(*items));
		*to = (struct item){key, i};
	}
	fence();
}

static void merge_work(uint32_t worker)
{
	struct item *lists = merged.lists + worker * merged.items, *out = merged.out + worker * merged.items;
	uint64_t reply[MERGE_WORDS], sum = 0;

	map_for(worker, lists);
	map_for(worker, out);
	make_lists(worker, lists);
	for (uint64_t i = 0; i < direct.count; i++) {
		struct item *first = lists + 2 * i * MERGE_ITEMS;
		uint64_t message[MERGE_WORDS] = {i, (uint64_t)first, MERGE_ITEMS - i % 3,
			(uint64_t)(first + MERGE_ITEMS), MERGE_ITEMS, (uint64_t)(out + 2 * i * MERGE_ITEMS)};

		ask(&(struct thread_ask){.kind = THREAD_ASK_COMMAND, .bytes = sizeof(message),
			.value = accelerator_of(worker), .data = message});
	}
	for (uint64_t i = 0; i < direct.count; i++)
		ask(&(struct thread_ask){.kind = THREAD_ASK_REPLY, .bytes = sizeof(reply),
			.value = accelerator_of(worker), .data = reply});
	for (uint64_t i = 0; i < 2 * MERGE_ITEMS * direct.count; i++) {
		const struct item *item = access_read(&out[i], sizeof(*out), 1);

		sum += item->key + item->value;
		pass(loop);
	}
	store(&merged.sums[worker], sum);
}

static bool merge_check(void)
{
	for (uint32_t worker = 0; worker < direct.workers; worker++) {
		const struct item *lists = merged.lists + worker * merged.items;
		const struct item *out = merged.out + worker * merged.items;
		uint64_t sum = 0;

		for (uint64_t i = 0; i < 2 * direct.count; i++)
			for (uint64_t j = 0; j < MERGE_ITEMS - (i % 2 ? 0 : i / 2 % 3); j++)
				sum += lists[i * MERGE_ITEMS + j].key + lists[i * MERGE_ITEMS + j].value;
		for (uint64_t i = 0; i < direct.count; i++)
			for (uint64_t j = 1; j < 2 * MERGE_ITEMS - i % 3; j++)
				if (out[2 * i * MERGE_ITEMS + j].key < out[2 * i * MERGE_ITEMS + j - 1].key)
					return false;
		if (merged.sums[worker] != sum)
			return false;
	}
	return true;
}

const struct kind direct_near[] = {
    {"pages", pages_begin, pages_work, pages_check},
    {"remote", remote_begin, remote_work, remote_check},
    {"send", send_begin, send_work, send_check},
    {"merge", merge_begin, merge_work, merge_check},
    {NULL, NULL, NULL, NULL},
};
