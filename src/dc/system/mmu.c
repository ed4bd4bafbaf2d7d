/* mmu.c - DC-pages: the simple MMU at the memory's controller (Duality Cache, ISCA'19, section 3.3), which shuffles
 * physical addresses so that all channels and banks have their share.
 *
 * Both steps exchange addresses within a block of them. Of as many successive interleaves as there are channels each
 * channel has one, in an order that a hash of what lies above turns. Of 256 successive pages, or of as many as the
 * capacity allows, the numbers are XORed with a hash of what lies above, so that pages that share a row still do. */
#include <string.h>

#include "dc/system/priv.h"

enum { FRAMES_MAX = 256, WINDOW_LINES = 64 /* of each channel, were they balanced */ };

void dc_mmu_init(struct dc_system *s)
{
	const uint64_t pages = s->behind.bytes / s->p->page_bytes;

	s->interleave_shift = (uint32_t)__builtin_ctzll(s->behind.interleave_bytes);
	s->frame_mask = pages ? (uint32_t)MIN(pages & -pages, FRAMES_MAX) - 1 : 0;
	s->by_channels = base_divisor_of(s->behind.channel_count);
	s->channel_lines = g_new0(uint64_t, s->behind.channel_count);
}

uint64_t dc_page_of(const struct dc_system *s, uint64_t address)
{
	return address % s->behind.bytes >> s->page_shift;
}

/* The interleaves of a block that the capacity cuts off stay where they are. */
static uint64_t turn_channels(const struct dc_system *s, uint64_t address)
{
	const uint64_t number = address >> s->interleave_shift, rest = address & (s->behind.interleave_bytes - 1);
	uint64_t slot, channel;
	const uint64_t block = base_divide(number, &s->by_channels, &slot);

	if ((block + 1) * s->behind.channel_count << s->interleave_shift > s->behind.bytes)
		return address;
	base_divide(slot + (dc_mix(block) >> 24), &s->by_channels, &channel);
	return (block * s->behind.channel_count + channel) << s->interleave_shift | rest;
}

uint64_t dc_physical(const struct dc_system *s, uint64_t address)
{
	const uint64_t in_page = s->p->page_bytes - 1;
	uint64_t page = dc_page_of(s, address);

	if (!s->p->page_shuffle)
		return address % s->behind.bytes;
	page ^= dc_mix(page / (s->frame_mask + 1)) >> 24 & s->frame_mask;
	return turn_channels(s, page << s->page_shift | (address & in_page));
}

void dc_channels_settle(struct dc_system *s)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < s->behind.channel_count; i++)
		most = dc_max(most, s->channel_lines[i]);
	s->stats.channel_most_lines += most;
	s->window_lines = 0;
	memset(s->channel_lines, 0, sizeof(*s->channel_lines) * s->behind.channel_count);
}

void dc_channel_count(struct dc_system *s, uint64_t physical)
{
	uint64_t channel;

	base_divide(physical >> s->interleave_shift, &s->by_channels, &channel);
	s->channel_lines[channel]++;
	if (++s->window_lines == (uint64_t)WINDOW_LINES * s->behind.channel_count)
		dc_channels_settle(s);
}
