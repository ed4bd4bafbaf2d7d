/*
 * near.c - an NDP's queue of merges, the switch value, and the lists that wait for others.
 *
 * The switch value (NDP thesis section 7.4) is the least size of lists that NDPs merge. It is doubled when the NDP's
 * queue is full and halved when it is almost empty, looked at every so many submissions. What is made of an NDP's list
 * is an NDP's as well.
 */
#include "sort.h"

#include <stdlib.h>

enum {
	CORES_OF_ACCELERATOR = 4, /* workloads/hdl/merge.v */
	LOOKED_AT_EVERY = 32,	  /* submissions */
	ALMOST_EMPTY = 2,
	STOP = 63, /* a level that no list has */
	LEVEL_SHIFT = 48
};

/* As workloads/hdl/merge.v takes it; the tag is level << LEVEL_SHIFT | list. */
struct words {
	uint64_t tag, a, as, b, bs, to, rest[2];
};

/* What the queue was when it was looked at, and the switch value from then on. */
struct look {
	double at;
	uint32_t queue, switch_items;
};

struct near {
	struct part *part;
	struct near_options o;
	uint32_t ndp, cores;
	bool is_accelerator;
	pthread_t *threads;
	uint32_t thread_count;

	pthread_mutex_t lock; /* of what follows */
	uint32_t under_way;   /* merges sent and not done */
	struct words *waiting; /* ring: merges that the queue has no room for */
	uint64_t waiting_first, waiting_count, waiting_room;
	uint64_t submissions, merges, switch_sum;
	uint32_t switch_items; /* read without the lock */
	double most_since, most_time, end;
	struct look *looks; /* in their order; NULL: nobody wants them */
	uint64_t looks_count, looks_room;
};

/* ---- the queue, with the lock held ---- */

static void send(struct near *n, const struct words *w)
{
	n->under_way++;
	if (n->is_accelerator ? strata_accelerator_send(n->ndp, w, sizeof(*w)) : strata_send(n->ndp, w, sizeof(*w)))
		workload_fail("NDP %u takes no messages", n->ndp);
}

static bool has_room(const struct near *n)
{
	return n->under_way < n->o.queue + n->cores;
}

static void put_by(struct near *n, const struct words *w)
{
	if (n->waiting_count == n->waiting_room) {
		struct words *more = workload_host_alloc(2 * n->waiting_room, sizeof(*more));

		for (uint64_t i = 0; i < n->waiting_count; i++)
			more[i] = n->waiting[(n->waiting_first + i) % n->waiting_room];
		free(n->waiting);
		n->waiting = more;
		n->waiting_room *= 2;
		n->waiting_first = 0;
	}
	n->waiting[(n->waiting_first + n->waiting_count++) % n->waiting_room] = *w;
}

static void switch_to(struct near *n, uint32_t items)
{
	const double now = workload_seconds();

	if (n->switch_items == n->o.switch_most)
		n->most_time += now - n->most_since;
	n->most_since = now;
	__atomic_store_n(&n->switch_items, items, __ATOMIC_RELAXED);
}

static void keep_look(struct near *n, uint64_t queue)
{
	if (n->looks_count == n->looks_room) {
		struct look *more = workload_host_alloc(2 * n->looks_room, sizeof(*more));

		for (uint64_t i = 0; i < n->looks_count; i++)
			more[i] = n->looks[i];
		free(n->looks);
		n->looks = more;
		n->looks_room *= 2;
	}
	n->looks[n->looks_count++] = (struct look){workload_seconds(), (uint32_t)queue, n->switch_items};
}

static void look_at_queue(struct near *n)
{
	const uint64_t all = n->under_way + n->waiting_count, queued = all > n->cores ? all - n->cores : 0;
	const uint32_t now = n->switch_items;

	n->switch_sum += now;
	if (++n->submissions % LOOKED_AT_EVERY)
		return;
	if (queued >= n->o.queue && now < n->o.switch_most)
		switch_to(n, 2 * now);
	else if (queued <= ALMOST_EMPTY && now > n->o.switch_least)
		switch_to(n, now / 2);
	if (n->looks)
		keep_look(n, queued);
}

static void submit(struct near *n, const struct words *w)
{
	pthread_mutex_lock(&n->lock);
	if (has_room(n))
		send(n, w);
	else
		put_by(n, w);
	look_at_queue(n);
	pthread_mutex_unlock(&n->lock);
}

/* One merge is done. */
static void make_room(struct near *n)
{
	pthread_mutex_lock(&n->lock);
	n->under_way--;
	n->merges++;
	if (n->waiting_count && has_room(n)) {
		const struct words w = n->waiting[n->waiting_first];

		n->waiting_first = (n->waiting_first + 1) % n->waiting_room;
		n->waiting_count--;
		send(n, &w);
	}
	pthread_mutex_unlock(&n->lock);
}

/* ---- lists that wait ---- */

/* Of the last levels there are fewer merges than cores. */
static uint32_t pieces_of(const struct near *n, unsigned int level)
{
	const uint64_t lists = part_lists(n->part, level);

	return lists >= n->cores ? 1 : (uint32_t)((n->cores + lists - 1) / lists);
}

/* Caches that hold the items write them back and forget them. */
static void flush(const struct near *n, const struct item *items, uint64_t count)
{
	if (n->o.is_flushed && count)
		strata_flush(items, count * sizeof(*items));
}

static void begin_list(struct near *n, unsigned int level, uint64_t list)
{
	const struct merge whole = part_merge(n->part, level, list);
	const uint32_t pieces = pieces_of(n, level);

	if (pieces > 1) { /* who divides it reads what an NDP has written where others stood */
		flush(n, whole.a, whole.as);
		flush(n, whole.b, whole.bs);
	}
	__atomic_store_n(&n->part->missing[level][list], pieces, __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < pieces; i++) {
		const struct merge m = pieces > 1 ? merge_piece(&whole, i, pieces) : whole;
		const struct words w = {(uint64_t)level << LEVEL_SHIFT | list,
					(uint64_t)m.a,
					m.as,
					(uint64_t)m.b,
					m.bs,
					(uint64_t)m.to,
					{0, 0}};

		submit(n, &w);
	}
}

/* A list of the level below is there. */
static void arrive(struct near *n, unsigned int level, uint64_t list)
{
	if (!__atomic_sub_fetch(&n->part->missing[level][list], 1, __ATOMIC_ACQ_REL))
		begin_list(n, level, list);
}

/* A merge of the list is done; true: the part is sorted. */
static bool is_last(struct near *n, uint64_t tag)
{
	const unsigned int level = (unsigned int)(tag >> LEVEL_SHIFT);
	const uint64_t list = tag & ((UINT64_C(1) << LEVEL_SHIFT) - 1);

	make_room(n);
	if (__atomic_sub_fetch(&n->part->missing[level][list], 1, __ATOMIC_ACQ_REL))
		return false;
	if (level == n->part->levels)
		return true;
	arrive(n, level + 1, list / 2);
	return false;
}

static void end(struct near *n)
{
	pthread_mutex_lock(&n->lock);
	switch_to(n, n->switch_items);
	n->end = workload_seconds();
	pthread_mutex_unlock(&n->lock);
}

/* ---- who does it ---- */

static void *receive(void *near)
{
	struct near *n = near;
	struct words w;

	do {
		if (!strata_accelerator_receive(n->ndp, &w, sizeof(w)))
			workload_fail("NDP %u sends no messages", n->ndp);
	} while (!is_last(n, w.tag));
	end(n);
	return NULL;
}

/* A core of an NDP. */
static void *core(void *near)
{
	struct near *n = near;
	const struct words stop = {.tag = (uint64_t)STOP << LEVEL_SHIFT};
	struct words w;

	while (strata_receive(&w, sizeof(w)) && w.tag >> LEVEL_SHIFT != STOP) {
		const struct merge m = {(const struct item *)w.a, (const struct item *)w.b, w.as, w.bs,
					(struct item *)w.to};

		merge_do(&m);
		if (!is_last(n, w.tag))
			continue;
		end(n);
		for (uint32_t i = 0; i < n->thread_count; i++)
			strata_send(n->ndp, &stop, sizeof(stop));
	}
	return NULL;
}

/* ---- the CPU's side ---- */

/* The largest lists that the CPU may make; the last merge is the NDP's. */
static unsigned int chunk_level(const struct near *n)
{
	unsigned int level = LEAST_LEVEL;

	while (1u << level < n->o.switch_most && level + 1 < n->part->levels)
		level++;
	return level;
}

uint64_t near_chunks(const struct near *n)
{
	return part_lists(n->part, chunk_level(n));
}

/* What the NDP is to read, and what caches still have of where it is to write: written back later, that would be over
 * what it has written. */
static void hand_over(struct near *n, unsigned int level, uint64_t list)
{
	const uint64_t begin = list << level, size = UINT64_C(1) << level, left = n->part->items - begin;

	for (uint32_t i = 0; i < 2; i++)
		flush(n, n->part->buffers[i] + begin, left < size ? left : size);
	arrive(n, level + 1, list / 2);
}

/* True: the list is there, and was made by the caller. */
static bool sort_list(struct near *n, unsigned int level, uint64_t list)
{
	const bool has_second = level > LEAST_LEVEL && 2 * list + 1 < part_lists(n->part, level - 1);
	bool is_first, is_second;

	if (level == LEAST_LEVEL) {
		part_least(n->part, list);
		return true;
	}
	is_first = sort_list(n, level - 1, 2 * list);
	is_second = has_second && sort_list(n, level - 1, 2 * list + 1);
	if (is_first && (is_second || !has_second) &&
	    1u << (level - 1) < __atomic_load_n(&n->switch_items, __ATOMIC_RELAXED)) {
		const struct merge m = part_merge(n->part, level, list);

		merge_do(&m);
		return true;
	}
	if (is_first)
		hand_over(n, level - 1, 2 * list);
	if (is_second)
		hand_over(n, level - 1, 2 * list + 1);
	return false;
}

void near_sort(struct near *n, uint64_t chunk)
{
	const unsigned int level = chunk_level(n);

	if (sort_list(n, level, chunk))
		hand_over(n, level, chunk);
}

/* ---- making ---- */

uint32_t near_count(void)
{
	return strata_accelerator_count() ? strata_accelerator_count() : strata_ndp_count();
}

static void threads_make(struct near *n)
{
	n->thread_count = n->is_accelerator ? 1 : n->cores;
	n->threads = workload_host_alloc(n->thread_count, sizeof(*n->threads));
	if (!n->is_accelerator && strata_team_on_ndp(n->ndp))
		workload_fail("there is no NDP %u", n->ndp);
	for (uint32_t i = 0; i < n->thread_count; i++)
		if (pthread_create(&n->threads[i], NULL, n->is_accelerator ? receive : core, n))
			workload_fail("no thread for NDP %u", n->ndp);
	strata_team_on_ndp(STRATA_ANY);
}

static void map(const struct near *n)
{
	for (uint32_t i = 0; i < 2; i++)
		if (strata_accelerator_map(n->ndp, n->part->buffers[i], n->part->items * sizeof(struct item)))
			workload_fail("the accelerator of NDP %u cannot map %llu items", n->ndp,
				      (unsigned long long)n->part->items);
}

struct near *near_make(struct part *p, uint32_t ndp, const struct near_options *o)
{
	struct near *n = workload_host_alloc(1, sizeof(*n));

	*n = (struct near){.part = p, .o = *o, .ndp = ndp, .is_accelerator = strata_accelerator_count()};
	n->cores = n->is_accelerator ? CORES_OF_ACCELERATOR : strata_ndp_cores();
	n->switch_items = o->switch_least;
	n->waiting_room = 1024;
	n->waiting = workload_host_alloc(n->waiting_room, sizeof(*n->waiting));
	pthread_mutex_init(&n->lock, NULL);
	for (unsigned int level = LEAST_LEVEL + 1; level <= p->levels; level++) {
		const uint64_t lists = part_lists(p, level), below = part_lists(p, level - 1);

		p->missing[level] = workload_host_alloc(lists, sizeof(**p->missing));
		for (uint64_t i = 0; i < lists; i++)
			p->missing[level][i] = 2 * i + 1 < below ? 2 : 1;
	}
	if (n->is_accelerator)
		map(n);
	if (o->is_kept) {
		n->looks_room = 1024;
		n->looks = workload_host_alloc(n->looks_room, sizeof(*n->looks));
	}
	n->most_since = workload_seconds();
	threads_make(n);
	return n;
}

void near_wait(struct near *n)
{
	for (uint32_t i = 0; i < n->thread_count; i++)
		pthread_join(n->threads[i], NULL);
	flush(n, part_sorted(n->part), n->part->items); /* the CPU reads it next */
}

struct near_counts near_counts(const struct near *n)
{
	return (struct near_counts){n->merges, n->most_time, n->end,
				    (double)n->switch_sum / (double)n->submissions};
}

struct near_state near_state_at(const struct near *n, double at)
{
	struct near_state state = {0, n->o.switch_least};

	for (uint64_t i = 0; i < n->looks_count && n->looks[i].at <= at; i++)
		state = (struct near_state){n->looks[i].queue, n->looks[i].switch_items};
	return state;
}

void near_free(struct near *n)
{
	for (unsigned int level = LEAST_LEVEL + 1; level <= n->part->levels; level++)
		free(n->part->missing[level]);
	pthread_mutex_destroy(&n->lock);
	free(n->waiting);
	free(n->looks);
	free(n->threads);
	free(n);
}
