/* pages.h - where in the memory a program's pages lie. A page gets a frame when it is first touched; caches and bus
 * know lines by their frame. */
#ifndef STRATA_CPU_PAGES_H
#define STRATA_CPU_PAGES_H

#include "base/check.h"
#include "base/map.h"
#include "cpu/common.h"

struct cpu_pages {
	struct cpu_common *c;
	struct base_map frames; /* of pages, + 1 */
	/* By place: a channel, a socket, or all. Frame f has place f modulo place_count. */
	GArray **gone; /* frames of pages that were unmapped: the last one is the next */
	uint64_t *frame_counts, frames_max;
	GArray *words; /* struct cpu_pages_word, the last one counts */
	uint32_t place_count, turn; /* turn: of the page that comes next */
	bool is_flat; /* pages are frames, all touched; those of tables are the last ones */
};

void cpu_pages_init(struct cpu_pages *p, struct cpu_common *c, uint64_t memory_bytes);
void cpu_pages_free(struct cpu_pages *p);
/* A word about pages that nobody has touched yet. */
struct cpu_pages_word {
	uint64_t first, end;	/* pages */
	uint64_t channels;	/* a bit each, taken in turns; 0: that of who touches it */
};
void cpu_pages_place(struct cpu_pages *p, const struct cpu_pages_word *word);
/* Keeps the last share of each channel's frames, 1/512 of them and one, free for a directory. Before any page; how many
 * each has left. */
uint64_t cpu_pages_reserve(struct cpu_pages *p);
/* The channel of a touched page, if pages have channels; else CPU_NO_CHANNEL. */
#define CPU_NO_CHANNEL UINT32_MAX
uint32_t cpu_pages_channel(const struct cpu_pages *p, uint64_t page);
/* The first line of a page, as cpu_pages_line gives it, for a unit that has a channel of its own. */
uint64_t cpu_pages_line_at(struct cpu_pages *p, uint32_t unit, uint64_t page, uint32_t channel);
/* The first line of a page that the unit touches; calls the user's full where there is no frame. */
uint64_t cpu_pages_line(struct cpu_pages *p, uint32_t unit, uint64_t page);
/* The line that has the page's entry of the table of pages, whose pages lie as any others. */
uint64_t cpu_pages_entry(struct cpu_pages *p, uint32_t unit, uint64_t page);
/* The line of an entry of another table, at most the 63rd; the table of pages is the first, 0. */
uint64_t cpu_pages_table_entry(struct cpu_pages *p, uint32_t unit, uint32_t table, uint64_t index);
bool cpu_pages_is_touched(const struct cpu_pages *p, uint64_t page);
/* Pages from first to before end have no frames any more. */
void cpu_pages_unmap(struct cpu_pages *p, uint64_t first, uint64_t end);
/* Whether a channel has frames left. */
bool cpu_pages_has_room(const struct cpu_pages *p, uint32_t channel);
/* A touched page gets a frame of another channel, which has room, where pages have channels. */
void cpu_pages_move(struct cpu_pages *p, uint64_t page, uint32_t channel);

/* The channel of a line, and its place among that channel's lines, where pages have places. The striped channels'
 * frames of one round are as many lines of each; a socket's lines go round its channels. */
static inline uint64_t cpu_line_place(const struct cpu_common *c, uint64_t line, uint64_t *channel)
{
	const uint32_t shift = c->page_shift - c->line_shift;
	const uint64_t round = base_divide(line >> shift, &c->by_places, channel) << shift;
	const uint64_t of_page = line & ((UINT64_C(1) << shift) - 1);
	const uint64_t first_striped = c->p->channel_count - c->p->striped_count;
	uint64_t turn, of_turn;

	if (unlikely(c->p->placement == CPU_PLACE_SOCKET)) {
		of_turn = base_divide(round | of_page, &c->by_sockets_channels, &turn);
		*channel = *channel * c->by_sockets_channels.count + turn;
		return of_turn;
	}
	if (likely(*channel < first_striped))
		return round | of_page;
	of_turn = base_divide((*channel - first_striped) << shift | of_page, &c->by_striped, &turn);
	*channel = first_striped + turn;
	return round | of_turn;
}
static inline bool cpu_line_is_striped(const struct cpu_common *c, uint64_t line)
{
	uint64_t channel;

	base_divide(line >> (c->page_shift - c->line_shift), &c->by_places, &channel);
	return channel >= c->p->channel_count - c->p->striped_count;
}
static inline uint32_t cpu_line_channel(const struct cpu_common *c, uint64_t line)
{
	uint64_t channel;

	cpu_line_place(c, line, &channel);
	return (uint32_t)channel;
}
/* The line's number among those of its page's channel, which has them all where it is not striped. */
static inline uint64_t cpu_line_index(const struct cpu_common *c, uint64_t line)
{
	const uint32_t shift = c->page_shift - c->line_shift;
	uint64_t channel;

	return (base_divide(line >> shift, &c->by_places, &channel) << shift) |
	       (line & ((UINT64_C(1) << shift) - 1));
}
/* The line of an index. */
static inline uint64_t cpu_line_at(const struct cpu_common *c, uint32_t channel, uint64_t index)
{
	const uint32_t shift = c->page_shift - c->line_shift;

	return (((index >> shift) * c->p->channel_count + channel) << shift) | (index & ((UINT64_C(1) << shift) - 1));
}
/* Where a line is in the memory: cpu.placement. */
uint64_t cpu_line_address(const struct cpu_common *c, uint64_t line);

#endif
