/* copies.c - by line and quarter the latest names with their bytes. */
#include "values/copies.h"

#include "base/check.h"

#include <glib.h>
#include <string.h>

enum { QUARTERS = 4, IMAGES = 16, EARLIER = 12 };

/* What a name stands for. */
struct image {
	uint64_t moment;      /* when it was made */
	uint16_t name, count; /* count: of stores behind it */
	bool is_named;
	bool is_blank; /* its bytes are not known (yet) */
	/* So many quarters: its bytes, and before the latest early stores into each, the latest first. */
	uint8_t bytes[];
};

/* The latest images of a quarter, in a ring. */
struct quarter {
	struct image *images[IMAGES], *newest; /* newest: NULL, nothing is known */
	uint32_t next;
	uint16_t last; /* name that was made */
	bool has_made;
};

struct record {
	struct quarter quarters[QUARTERS];
	uint64_t generation;
	bool is_forked;
};

struct copies {
	uint32_t line_bytes, quarter_bytes;
	uint64_t generation, moment;
	GHashTable *records; /* by line */
};

static void free_record(void *record)
{
	struct record *r = record;

	for (uint32_t q = 0; q < QUARTERS; q++)
		for (uint32_t i = 0; i < IMAGES; i++)
			g_free(r->quarters[q].images[i]);
	g_free(r);
}

struct copies *copies_new(uint32_t line_bytes)
{
	struct copies *c = g_new0(struct copies, 1);

	c->line_bytes = line_bytes;
	c->quarter_bytes = line_bytes / QUARTERS;
	c->records = g_hash_table_new_full(NULL, NULL, NULL, free_record);
	return c;
}

void copies_free(struct copies *c)
{
	if (!c)
		return;
	g_hash_table_destroy(c->records);
	g_free(c);
}

/* Its names go on where they were: copies from before may be about. */
static void empty(struct copies *c, struct record *r)
{
	for (uint32_t q = 0; q < QUARTERS; q++) {
		struct quarter *quarter = &r->quarters[q];

		for (uint32_t i = 0; i < IMAGES; i++)
			g_clear_pointer(&quarter->images[i], g_free);
		quarter->newest = NULL;
	}
	r->generation = c->generation;
	r->is_forked = false;
}

/* NULL: nothing is known of the line. */
static struct record *find(struct copies *c, uint64_t line)
{
	struct record *r = g_hash_table_lookup(c->records, (gpointer)line);

	if (r && r->generation != c->generation)
		empty(c, r);
	return r;
}

static struct record *get(struct copies *c, uint64_t line)
{
	struct record *r = find(c, line);

	if (r)
		return r;
	r = g_new0(struct record, 1);
	r->generation = c->generation;
	g_hash_table_insert(c->records, (gpointer)line, r);
	return r;
}

/* ---- images ---- */

/* Another image of the quarter, in the place of the oldest that is not the newest. */
static struct image *image_new(const struct copies *c, struct quarter *quarter)
{
	struct image **at = &quarter->images[quarter->next++ % IMAGES], *image;

	if (*at && *at == quarter->newest)
		at = &quarter->images[quarter->next++ % IMAGES];
	image = *at;
	if (!image)
		image = *at = g_malloc(sizeof(*image) + (1 + EARLIER) * c->quarter_bytes);
	*image = (struct image){.is_blank = true};
	return image;
}

static void fill(const struct copies *c, struct image *image, const uint8_t *bytes)
{
	for (uint32_t i = 0; i <= EARLIER; i++)
		memcpy(image->bytes + i * c->quarter_bytes, bytes, c->quarter_bytes);
	image->is_blank = false;
}

/* NULL: nobody knows it. */
static struct image *named(const struct quarter *quarter, uint16_t name)
{
	for (uint32_t i = 1; i <= IMAGES; i++) {
		struct image *image = quarter->images[(quarter->next - i) % IMAGES];

		if (image && image->is_named && image->name == name)
			return image;
	}
	return NULL;
}

static uint16_t lane(cpu_version names, uint32_t q)
{
	return (uint16_t)(names >> 16 * q);
}

/* ---- stores ---- */

void copies_begin(struct copies *c, uint64_t line, const void *host)
{
	struct record *r = get(c, line);

	for (uint32_t q = 0; q < QUARTERS; q++) {
		struct quarter *quarter = &r->quarters[q];
		const uint8_t *bytes = (const uint8_t *)host + q * c->quarter_bytes;

		if (!quarter->newest)
			quarter->newest = image_new(c, quarter);
		for (uint32_t i = 0; i < IMAGES; i++)
			if (quarter->images[i] && quarter->images[i]->is_blank)
				fill(c, quarter->images[i], bytes);
	}
}

/* The newest bytes have this name, if they have none: the first store into them says so. */
static void learn(const struct copies *c, struct quarter *quarter, uint16_t name)
{
	if (!quarter->newest)
		quarter->newest = image_new(c, quarter);
	if (quarter->newest->is_named)
		return;
	quarter->newest->name = quarter->newest->count = name;
	quarter->newest->is_named = true;
	if (!quarter->has_made)
		quarter->last = name;
	quarter->has_made = true;
}

cpu_version copies_make(struct copies *c, uint64_t line, cpu_version names, cpu_version quarters)
{
	struct record *r = get(c, line);

	for (uint32_t q = 0; q < QUARTERS; q++) {
		struct quarter *quarter = &r->quarters[q];
		struct image *base, *image;

		if (!(quarters >> 16 * q & 1))
			continue;
		learn(c, quarter, lane(names, q));
		base = named(quarter, lane(names, q));
		image = image_new(c, quarter);
		if (base == image) /* it was the oldest */
			base = NULL;
		image->name = ++quarter->last;
		image->count = (uint16_t)(base ? base->count + 1 : quarter->newest->count + 0x4000);
		image->is_named = true;
		image->moment = ++c->moment;
		r->is_forked |= base != quarter->newest;
		if (base && !base->is_blank)
			fill(c, image, base->bytes);
		quarter->newest = image;
		names = cpu_version_merge(names, (cpu_version)image->name << 16 * q, (cpu_version)1 << 16 * q);
	}
	return names;
}

static void put(const struct copies *c, struct image *image, uint32_t at, uint8_t byte, bool is_early)
{
	const uint32_t bytes = c->quarter_bytes;

	for (uint32_t i = EARLIER; i; i--)
		image->bytes[i * bytes + at] = is_early ? image->bytes[(i - 1) * bytes + at] : byte;
	image->bytes[at] = byte;
}

static bool has_had(const struct copies *c, const struct image *image, uint32_t at, uint8_t byte)
{
	for (uint32_t i = 1; i <= EARLIER; i++)
		if (image->bytes[i * c->quarter_bytes + at] == byte)
			return true;
	return false;
}

uint64_t copies_moment(const struct copies *c)
{
	return c->moment;
}

void copies_write(struct copies *c, uint64_t line, uint64_t moment, bool is_early, uint32_t offset, uint32_t size,
		  const void *bytes)
{
	struct record *r = find(c, line);

	for (uint32_t i = 0; r && i < size; i++) {
		const uint32_t at = (offset + i) % c->quarter_bytes;
		struct quarter *quarter = &r->quarters[(offset + i) / c->quarter_bytes];
		const uint8_t byte = ((const uint8_t *)bytes)[i];

		for (uint32_t k = 0; k < IMAGES; k++) {
			struct image *image = quarter->images[k];

			if (!image || (image != quarter->newest && image->moment <= moment))
				continue;
			put(c, image, at, byte, is_early || image != quarter->newest);
		}
	}
}

void copies_forget(struct copies *c, uint64_t first_line, uint64_t count)
{
	for (uint64_t line = first_line; line < first_line + count; line++) {
		struct record *r = find(c, line);

		if (r)
			empty(c, r);
	}
}

void copies_forget_all(struct copies *c)
{
	c->generation++;
}

/* ---- what is asked ---- */

bool copies_is_forked(struct copies *c, uint64_t line)
{
	const struct record *r = find(c, line);

	return r && r->is_forked;
}

cpu_version copies_counts(struct copies *c, uint64_t line, cpu_version names)
{
	const struct record *r = find(c, line);

	for (uint32_t q = 0; r && q < QUARTERS; q++) {
		const struct quarter *quarter = &r->quarters[q];
		const struct image *image = named(quarter, lane(names, q));
		uint16_t count;

		if (!quarter->newest || !quarter->newest->is_named)
			continue;
		count = image ? image->count : (uint16_t)(quarter->newest->count + 0x8000); /* of none that is known */
		names = cpu_version_merge(names, (cpu_version)count << 16 * q, (cpu_version)1 << 16 * q);
	}
	return names;
}

/* NULL: nothing is known. */
static struct image *image_at(struct copies *c, uint64_t line, cpu_version names, uint32_t offset,
			      const struct quarter **quarter)
{
	const uint32_t q = offset / c->quarter_bytes;
	struct record *r = find(c, line);

	*quarter = r ? &r->quarters[q] : NULL;
	return r ? named(*quarter, lane(names, q)) : NULL;
}

bool copies_is_newest(struct copies *c, uint64_t line, cpu_version names, uint32_t offset)
{
	const struct quarter *quarter;
	const struct image *image = image_at(c, line, names, offset, &quarter);

	return image && image == quarter->newest;
}

int copies_byte(struct copies *c, uint64_t line, cpu_version names, uint32_t offset)
{
	const struct quarter *quarter;
	const struct image *image = image_at(c, line, names, offset, &quarter);

	return image && !image->is_blank ? image->bytes[offset % c->quarter_bytes] : -1;
}

uint32_t copies_differ(struct copies *c, uint64_t line, cpu_version names, uint32_t offset, uint32_t size,
		       const void *is, bool is_before)
{
	for (uint32_t i = 0; i < size; i++) {
		const uint32_t at = (offset + i) % c->quarter_bytes;
		const struct quarter *quarter;
		const struct image *image = image_at(c, line, names, offset + i, &quarter);
		const uint8_t byte = ((const uint8_t *)is)[i];

		if (!image || image->is_blank || byte == image->bytes[at])
			continue;
		if ((image == quarter->newest && !is_before) || !has_had(c, image, at, byte))
			return i;
	}
	return size;
}

void copies_adopt(struct copies *c, uint64_t line, cpu_version names, uint32_t offset, uint8_t byte)
{
	const struct quarter *quarter;
	struct image *image = image_at(c, line, names, offset, &quarter);

	CHECK(image && image == quarter->newest);
	image->bytes[offset % c->quarter_bytes] = byte;
}
