/* stat.c - statistics: groups of instances that share a table, read merged or one by one. */
#include "sim/stat.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "sim/counts.h"

struct stat_group {
	const char *prefix;
	const struct sim_stat_desc *rows;
	uint32_t row_count;
	GPtrArray *instances; /* not owned */
	double *added;	      /* [instance][row]: estimated beside what was counted; NULL: nothing */
};

enum { LAW_TERMS_MAX = 16 };

struct stat_law {
	const char *text;
	struct {
		const struct stat_group *group;
		const struct sim_stat_desc *row;
		bool is_left;
	} terms[LAW_TERMS_MAX];
	uint32_t term_count; /* 0: text has not been read */
	uint64_t open;	     /* by how much the left side is larger, for aborted kernels */
};

struct sim_stats {
	GPtrArray *groups; /* of struct stat_group, in order of addition */
	GArray *laws;	   /* of struct stat_law */
	bool is_estimated;
};

uint64_t sim_hist_edge(uint32_t i)
{
	if (i < SIM_HIST_STEPS)
		return i;

	uint32_t log2 = i / SIM_HIST_STEPS + 3;

	return (uint64_t)(i % SIM_HIST_STEPS + SIM_HIST_STEPS) << (log2 - 4);
}

uint64_t sim_hist_quantile(const struct sim_hist *h, double q)
{
	if (h->count == 0)
		return 0;

	double wanted = ceil(q * (double)h->count);
	uint64_t rank = wanted < 1 ? 1 : (uint64_t)wanted, seen = 0;

	for (uint32_t i = 0; i < SIM_HIST_BUCKETS; i++) {
		seen += h->bucket[i];
		if (seen >= rank)
			return sim_hist_edge(i);
	}
	return h->max; /* q > 1 by rounding */
}

void sim_hist_merge(struct sim_hist *into, const struct sim_hist *from)
{
	into->count += from->count;
	into->sum += from->sum;
	if (from->max > into->max)
		into->max = from->max;
	for (uint32_t i = 0; i < SIM_HIST_BUCKETS; i++)
		into->bucket[i] += from->bucket[i];
}

void sim_stat_tables_add(struct sim_stat_tables *tables, const struct sim_stat_table *table)
{
	for (uint32_t i = 0; i < tables->count; i++)
		if (tables->items[i].rows == table->rows && !strcmp(tables->items[i].prefix, table->prefix))
			return;
	CHECK(tables->count < SIM_STAT_TABLES_MAX);
	tables->items[tables->count++] = *table;
}

void sim_stat_tables_add_rows(struct sim_stat_tables *tables, const char *prefix, const struct sim_stat_desc *rows,
			      uint32_t row_count)
{
	const struct sim_stat_table table = {prefix, rows, row_count};

	sim_stat_tables_add(tables, &table);
}

static bool prefix_is(const char *prefix, const char *key, size_t length)
{
	return strlen(prefix) == length && !strncmp(prefix, key, length);
}

static const struct sim_stat_desc *find_name(const struct sim_stat_desc *rows, uint32_t row_count, const char *name)
{
	for (uint32_t i = 0; i < row_count; i++)
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	return NULL;
}

const struct sim_stat_desc *sim_stat_tables_find(const struct sim_stat_tables *tables, const char *key)
{
	const char *dot = strrchr(key, '.');

	for (uint32_t i = 0; dot && i < tables->count; i++) {
		const struct sim_stat_table *t = &tables->items[i];
		const struct sim_stat_desc *row = prefix_is(t->prefix, key, (size_t)(dot - key))
						      ? find_name(t->rows, t->row_count, dot + 1)
						      : NULL;

		if (row)
			return row;
	}
	return NULL;
}

static void free_group(void *p)
{
	struct stat_group *g = p;

	g_ptr_array_free(g->instances, TRUE);
	g_free(g->added);
	g_free(g);
}

struct sim_stats *sim_stats_new(void)
{
	struct sim_stats *s = g_new0(struct sim_stats, 1);

	s->groups = g_ptr_array_new_with_free_func(free_group);
	s->laws = g_array_new(FALSE, TRUE, sizeof(struct stat_law));
	return s;
}

void sim_stats_free(struct sim_stats *s)
{
	if (!s)
		return;
	g_ptr_array_free(s->groups, TRUE);
	g_array_free(s->laws, TRUE);
	g_free(s);
}

static struct stat_group *find_table(const struct sim_stats *s, const char *prefix, const struct sim_stat_desc *rows)
{
	for (uint32_t i = 0; i < s->groups->len; i++) {
		struct stat_group *g = s->groups->pdata[i];

		if (g->rows == rows && !strcmp(g->prefix, prefix))
			return g;
	}
	return NULL;
}

void sim_stats_add(struct sim_stats *s, const char *prefix, const struct sim_stat_desc *rows, uint32_t row_count,
		   void *instance, size_t bytes)
{
	struct stat_group *g = find_table(s, prefix, rows);

	if (!g) {
		g = g_new0(struct stat_group, 1);
		g->prefix = prefix;
		g->rows = rows;
		g->row_count = row_count;
		g->instances = g_ptr_array_new();
		g_ptr_array_add(s->groups, g);
	}
	CHECK(g->row_count == row_count && !g->added);
	for (uint32_t i = 0; i < row_count; i++)
		CHECK(rows[i].offset < bytes);
	g_ptr_array_add(g->instances, instance);
}

void sim_stats_add_table(struct sim_stats *s, const struct sim_stat_table *table, void *instance, size_t bytes)
{
	sim_stats_add(s, table->prefix, table->rows, table->row_count, instance, bytes);
}

static uint64_t read_u64(const struct stat_group *g, const struct sim_stat_desc *row, uint32_t instance)
{
	return *(const uint64_t *)((const char *)g->instances->pdata[instance] + row->offset);
}

/* With what was estimated. */
static uint64_t value_of(const struct stat_group *g, const struct sim_stat_desc *row, uint32_t instance)
{
	const uint64_t counted = read_u64(g, row, instance);
	const double added = g->added ? g->added[instance * g->row_count + (uint32_t)(row - g->rows)] : 0;

	return counted + (uint64_t)(added + 0.5);
}

static uint64_t counted_value(const struct stat_group *g, const struct sim_stat_desc *row)
{
	uint64_t value = 0;

	for (uint32_t i = 0; i < g->instances->len; i++)
		value += read_u64(g, row, i);
	return value;
}

static uint64_t merged_value(const struct stat_group *g, const struct sim_stat_desc *row)
{
	uint64_t value = 0;

	for (uint32_t i = 0; i < g->instances->len; i++) {
		uint64_t v = value_of(g, row, i);

		if (row->kind == SIM_STAT_COUNT)
			value += v;
		else if (v > value)
			value = v;
	}
	return value;
}

static void merged_hist(const struct stat_group *g, const struct sim_stat_desc *row, struct sim_hist *hist)
{
	memset(hist, 0, sizeof(*hist));
	for (uint32_t i = 0; i < g->instances->len; i++)
		sim_hist_merge(hist, (const struct sim_hist *)((const char *)g->instances->pdata[i] + row->offset));
}

void sim_stats_each(const struct sim_stats *s,
		    void (*fn)(void *ctx, const char *prefix, const struct sim_stat_desc *row, uint64_t value,
			       const struct sim_hist *hist),
		    void *ctx)
{
	for (uint32_t i = 0; i < s->groups->len; i++) {
		const struct stat_group *g = s->groups->pdata[i];

		for (uint32_t j = 0; j < g->row_count; j++) {
			if (g->rows[j].kind == SIM_STAT_HIST) {
				struct sim_hist hist;

				merged_hist(g, &g->rows[j], &hist);
				fn(ctx, g->prefix, &g->rows[j], hist.count, &hist);
			} else {
				fn(ctx, g->prefix, &g->rows[j], merged_value(g, &g->rows[j]), NULL);
			}
		}
	}
}

/* A prefix may itself contain dots: the name is what follows the last one. */
static const struct sim_stat_desc *find_row(const struct sim_stats *s, const char *key, const struct stat_group **group)
{
	const char *dot = strrchr(key, '.');

	for (uint32_t k = 0; dot && k < s->groups->len; k++) {
		*group = s->groups->pdata[k];

		const struct sim_stat_desc *row = prefix_is((*group)->prefix, key, (size_t)(dot - key))
						      ? find_name((*group)->rows, (*group)->row_count, dot + 1)
						      : NULL;

		if (row)
			return row;
	}
	return NULL;
}

void sim_stats_tables(const struct sim_stats *s, struct sim_stat_tables *out)
{
	for (uint32_t i = 0; i < s->groups->len; i++) {
		const struct stat_group *g = s->groups->pdata[i];

		sim_stat_tables_add_rows(out, g->prefix, g->rows, g->row_count);
	}
}

bool sim_stats_value(const struct sim_stats *s, const char *key, uint64_t *value)
{
	const struct stat_group *g = NULL;
	const struct sim_stat_desc *row = find_row(s, key, &g);

	if (!row || row->kind == SIM_STAT_HIST)
		return false;
	*value = merged_value(g, row);
	return true;
}

const uint64_t **sim_stats_addresses(const struct sim_stats *s, const char *key, uint32_t *count)
{
	const struct stat_group *g = NULL;
	const struct sim_stat_desc *row = find_row(s, key, &g);
	const uint64_t **addresses;

	*count = 0;
	if (!row || row->kind != SIM_STAT_COUNT)
		return NULL;
	addresses = g_new(const uint64_t *, g->instances->len + 1);
	for (; *count < g->instances->len; ++*count)
		addresses[*count] = (const uint64_t *)((const char *)g->instances->pdata[*count] + row->offset);
	return addresses;
}

bool sim_stats_hist(const struct sim_stats *s, const char *key, struct sim_hist *hist)
{
	const struct stat_group *g = NULL;
	const struct sim_stat_desc *row = find_row(s, key, &g);

	if (!row || row->kind != SIM_STAT_HIST)
		return false;
	merged_hist(g, row, hist);
	return true;
}

bool sim_stats_instance_value(const struct sim_stats *s, const char *key, uint32_t instance, uint64_t *value)
{
	const struct stat_group *g = NULL;
	const struct sim_stat_desc *row = find_row(s, key, &g);

	if (!row || row->kind == SIM_STAT_HIST || instance >= g->instances->len)
		return false;
	*value = value_of(g, row, instance);
	return true;
}

uint32_t sim_stats_instance_count(const struct sim_stats *s, const char *prefix)
{
	for (uint32_t i = 0; i < s->groups->len; i++) {
		const struct stat_group *g = s->groups->pdata[i];

		if (!strcmp(g->prefix, prefix))
			return g->instances->len;
	}
	return 0;
}

/* ---- some counts, read often ---- */

struct counted {
	const struct stat_group *group; /* NULL: the machine has no such group */
	const struct sim_stat_desc *row;
	const char *key; /* kept by GLib */
};

struct sim_counts {
	const struct sim_stats *stats;
	GArray *items; /* of struct counted */
};

struct sim_counts *sim_counts_new(const struct sim_stats *s)
{
	struct sim_counts *c = g_new0(struct sim_counts, 1);

	c->stats = s;
	c->items = g_array_new(FALSE, FALSE, sizeof(struct counted));
	return c;
}

void sim_counts_free(struct sim_counts *c)
{
	if (!c)
		return;
	g_array_free(c->items, TRUE);
	g_free(c);
}

static bool has_instances(const struct sim_stats *s, const char *key)
{
	g_autofree char *prefix = g_strndup(key, (size_t)(strrchr(key, '.') - key));

	return sim_stats_instance_count(s, prefix);
}

uint32_t sim_counts_add(struct sim_counts *c, const char *key)
{
	struct counted new = {.key = g_intern_string(key)};

	for (uint32_t i = 0; i < c->items->len; i++)
		if (g_array_index(c->items, struct counted, i).key == new.key)
			return i;
	new.row = find_row(c->stats, key, &new.group);
	CHECK(new.row ? new.row->kind == SIM_STAT_COUNT : !has_instances(c->stats, key));
	if (!new.row)
		new.group = NULL;
	g_array_append_val(c->items, new);
	return c->items->len - 1;
}

uint32_t sim_counts_length(const struct sim_counts *c)
{
	return c->items->len;
}

void sim_counts_read(const struct sim_counts *c, uint64_t *values)
{
	for (uint32_t i = 0; i < c->items->len; i++) {
		const struct counted *one = &g_array_index(c->items, struct counted, i);

		values[i] = one->group ? merged_value(one->group, one->row) : 0;
	}
}

/* ---- estimates ---- */

uint32_t sim_stats_count_total(const struct sim_stats *s)
{
	uint32_t total = 0;

	for (uint32_t i = 0; i < s->groups->len; i++) {
		const struct stat_group *g = s->groups->pdata[i];

		total += g->row_count * g->instances->len;
	}
	return total;
}

/* Of what is no count: 0. */
void sim_stats_counts(const struct sim_stats *s, uint64_t *values)
{
	for (uint32_t i = 0; i < s->groups->len; i++) {
		const struct stat_group *g = s->groups->pdata[i];

		for (uint32_t k = 0; k < g->instances->len; k++)
			for (uint32_t r = 0; r < g->row_count; r++)
				*values++ = g->rows[r].kind == SIM_STAT_COUNT ? read_u64(g, &g->rows[r], k) : 0;
	}
}

void sim_stats_estimate(struct sim_stats *s, const double *added, double scale)
{
	for (uint32_t i = 0; i < s->groups->len; i++) {
		struct stat_group *g = s->groups->pdata[i];
		const uint32_t count = g->row_count * g->instances->len;

		if (!g->added)
			g->added = g_new0(double, count + 1);
		for (uint32_t k = 0; k < count; k++)
			g->added[k] += *added++ * scale;
	}
	s->is_estimated = true;
}

bool sim_stats_is_estimated(const struct sim_stats *s)
{
	return s->is_estimated;
}

/* ---- laws ---- */

void sim_stats_law(struct sim_stats *s, const char *text)
{
	const struct stat_law law = {.text = text};

	for (uint32_t i = 0; i < s->laws->len; i++) {
		if (!strcmp(g_array_index(s->laws, struct stat_law, i).text, text))
			return;
	}
	g_array_append_val(s->laws, law);
}

static void read_law(const struct sim_stats *s, struct stat_law *law)
{
	char **words = g_strsplit(law->text, " ", 2 * LAW_TERMS_MAX);
	bool is_left = true;

	for (uint32_t i = 0; words[i]; i += 2) {
		CHECK(law->term_count < LAW_TERMS_MAX);
		law->terms[law->term_count].is_left = is_left;
		law->terms[law->term_count].row = find_row(s, words[i], &law->terms[law->term_count].group);
		CHECK(law->terms[law->term_count].row && law->terms[law->term_count].row->kind == SIM_STAT_COUNT);
		law->term_count++;
		if (!words[i + 1])
			break;
		CHECK(!strcmp(words[i + 1], "+") || (is_left && !strcmp(words[i + 1], "=")));
		is_left &= strcmp(words[i + 1], "=") != 0;
	}
	CHECK(!is_left);
	g_strfreev(words);
}

/* By how much the left side is larger. */
static uint64_t law_difference(const struct sim_stats *s, struct stat_law *law)
{
	uint64_t difference = 0;

	if (!law->term_count)
		read_law(s, law);
	for (uint32_t i = 0; i < law->term_count; i++) {
		uint64_t value = counted_value(law->terms[i].group, law->terms[i].row);

		difference += law->terms[i].is_left ? value : -value;
	}
	return difference;
}

const char *sim_stats_broken_law(const struct sim_stats *s)
{
	for (uint32_t i = 0; i < s->laws->len; i++) {
		struct stat_law *law = &g_array_index(s->laws, struct stat_law, i);

		if (law_difference(s, law) != law->open)
			return law->text;
	}
	return NULL;
}

void sim_stats_laws_settle(struct sim_stats *s)
{
	for (uint32_t i = 0; i < s->laws->len; i++) {
		struct stat_law *law = &g_array_index(s->laws, struct stat_law, i);

		law->open = law_difference(s, law);
	}
}
