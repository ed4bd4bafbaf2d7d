/* pages.c - a table of the pages touched, and the frames behind each channel. */
#include "cpu/pages.h"

#include "base/check.h"

enum { ENTRY_BYTES = 8, TABLE_PAGES_LOG2 = 54 };
/* Beyond all addresses of programs. */
#define TABLE_PAGES ((uint64_t)1 << 60)

/* The next of the channels in turn. */
static uint32_t next_channel(struct cpu_pages *p, uint64_t channels)
{
	uint32_t channel = p->turn;

	while (channels && !(channels >> channel & 1))
		channel = (channel + 1) % p->place_count;
	p->turn = (channel + 1) % p->place_count;
	return channel;
}

static uint32_t wanted_channel(struct cpu_pages *p, uint32_t unit, uint64_t page, uint32_t own)
{
	const uint32_t cores = (uint32_t)p->c->p->core_count;
	const uint64_t all = p->place_count < 64 ? (UINT64_C(1) << p->place_count) - 1 : UINT64_MAX;

	for (uint32_t i = p->words->len; i--;) {
		const struct cpu_pages_word *w = &g_array_index(p->words, struct cpu_pages_word, i);

		if (page < w->first || page >= w->end)
			continue;
		if (w->channels & all)
			return next_channel(p, w->channels & all);
		return own != CPU_NO_CHANNEL ? own : unit % cores * p->place_count / cores;
	}
	if (own != CPU_NO_CHANNEL)
		return own;
	if (p->c->p->placement >= CPU_PLACE_TOUCH)
		return unit % cores * p->place_count / cores;
	return next_channel(p, 0);
}

bool cpu_pages_has_room(const struct cpu_pages *p, uint32_t channel)
{
	return p->gone[channel]->len || p->frame_counts[channel] < p->frames_max / p->place_count;
}

/* The channel has room. */
static uint64_t frame_take(struct cpu_pages *p, uint32_t channel)
{
	GArray *gone = p->gone[channel];
	uint64_t frame;

	if (!gone->len)
		return p->frame_counts[channel]++ * p->place_count + channel;
	frame = g_array_index(gone, uint64_t, gone->len - 1);
	g_array_set_size(gone, gone->len - 1);
	return frame;
}

static void frame_give(struct cpu_pages *p, uint64_t frame)
{
	g_array_append_val(p->gone[frame % p->place_count], frame);
}

/* A channel without room leaves the page to the next one. */
static uint64_t frame_new(struct cpu_pages *p, uint32_t unit, uint64_t page, uint32_t own)
{
	uint32_t channel = p->place_count > 1 ? wanted_channel(p, unit, page, own) : 0;

	for (uint32_t i = 1; i < p->place_count && !cpu_pages_has_room(p, channel); i++)
		channel = (channel + 1) % p->place_count;
	if (!cpu_pages_has_room(p, channel))
		p->c->user.full(p->c->user.self, unit);
	return frame_take(p, channel);
}

static uint64_t flat_frame(const struct cpu_pages *p, uint64_t page)
{
	return page < TABLE_PAGES ? page : p->frames_max - 1 - (page - TABLE_PAGES) % p->frames_max;
}

uint64_t cpu_pages_line_at(struct cpu_pages *p, uint32_t unit, uint64_t page, uint32_t own)
{
	uint64_t frame = unlikely(p->is_flat) ? flat_frame(p, page) + 1 : base_map_get(&p->frames, page);

	if (!frame) {
		frame = frame_new(p, unit, page, own) + 1;
		p->c->stats.pages += page < TABLE_PAGES;
		base_map_set(&p->frames, page, frame);
	}
	return (frame - 1) << (p->c->page_shift - p->c->line_shift);
}

uint64_t cpu_pages_line(struct cpu_pages *p, uint32_t unit, uint64_t page)
{
	return cpu_pages_line_at(p, unit, page, CPU_NO_CHANNEL);
}

void cpu_pages_place(struct cpu_pages *p, const struct cpu_pages_word *word)
{
	g_array_append_vals(p->words, word, 1);
}

uint64_t cpu_pages_reserve(struct cpu_pages *p)
{
	const uint64_t each = p->frames_max / p->place_count, kept = MIN(each, each / 512 + 1);

	p->frames_max = (each - kept) * p->place_count;
	return each - kept;
}

uint32_t cpu_pages_channel(const struct cpu_pages *p, uint64_t page)
{
	const uint64_t frame = base_map_get(&p->frames, page);

	if (!frame || p->c->p->placement == CPU_PLACE_LINE)
		return CPU_NO_CHANNEL;
	return (uint32_t)((frame - 1) % p->place_count);
}

uint64_t cpu_pages_table_entry(struct cpu_pages *p, uint32_t unit, uint32_t table, uint64_t index)
{
	const uint64_t each = p->c->p->page_bytes / ENTRY_BYTES;
	const uint64_t first = TABLE_PAGES + ((uint64_t)table << TABLE_PAGES_LOG2);

	return cpu_pages_line(p, unit, first + index / each) + (index % each * ENTRY_BYTES >> p->c->line_shift);
}

uint64_t cpu_pages_entry(struct cpu_pages *p, uint32_t unit, uint64_t page)
{
	return cpu_pages_table_entry(p, unit, 0, page);
}

bool cpu_pages_is_touched(const struct cpu_pages *p, uint64_t page)
{
	return p->is_flat || base_map_get(&p->frames, page);
}

void cpu_pages_unmap(struct cpu_pages *p, uint64_t first, uint64_t end)
{
	for (uint64_t page = first; page < end; page++) {
		uint64_t frame = base_map_get(&p->frames, page);

		if (!frame--)
			continue;
		base_map_set(&p->frames, page, 0);
		frame_give(p, frame);
	}
}

void cpu_pages_move(struct cpu_pages *p, uint64_t page, uint32_t channel)
{
	const uint64_t frame = base_map_get(&p->frames, page) - 1;

	CHECK(cpu_pages_has_room(p, channel));
	base_map_set(&p->frames, page, frame_take(p, channel) + 1);
	frame_give(p, frame);
}

/* Lines go round the memory's stacks, of which each channel has every channel_count-th. */
uint64_t cpu_line_address(const struct cpu_common *c, uint64_t line)
{
	uint64_t of_channel, channel, round, stack;

	if (c->p->placement == CPU_PLACE_LINE)
		return line << c->line_shift;
	of_channel = cpu_line_place(c, line, &channel);
	round = base_divide(of_channel, &c->by_stacks, &stack);
	return (round * c->stack_count + stack * c->p->channel_count + channel) << c->line_shift;
}

void cpu_pages_init(struct cpu_pages *p, struct cpu_common *c, uint64_t memory_bytes)
{
	*p = (struct cpu_pages){.c = c,
				.frames_max = memory_bytes / c->p->page_bytes,
				.place_count = cpu_place_count(c->p)};
	base_map_init(&p->frames);
	p->words = g_array_new(FALSE, FALSE, sizeof(struct cpu_pages_word));
	p->frame_counts = g_new0(uint64_t, p->place_count);
	p->gone = g_new(GArray *, p->place_count);
	for (uint32_t i = 0; i < p->place_count; i++)
		p->gone[i] = g_array_new(FALSE, FALSE, sizeof(uint64_t));
}

void cpu_pages_free(struct cpu_pages *p)
{
	for (uint32_t i = 0; i < p->place_count; i++)
		g_array_free(p->gone[i], TRUE);
	g_free(p->gone);
	g_array_free(p->words, TRUE);
	base_map_free(&p->frames);
	g_free(p->frame_counts);
}
