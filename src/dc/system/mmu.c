/* mmu.c - DC-pages: the simple MMU at the memory's controller (Duality Cache, ISCA'19, section 3.3), which shuffles
 * physical addresses so that all channels and banks have their share.
 *
 * Both steps exchange addresses within a block of them. Of as many successive interleaves as there are channels each
 * channel has one, in an order that a hash of what lies above turns. Of 256 successive pages, or of as many as the
 * capacity allows, the numbers are XORed with a hash of what lies above, so that pages that share a row still do.
 *
 * A channel belongs to a socket: of as many successive interleaves as there are sockets each socket has one, and a page
 * lies in those of the socket in which its lines are at home (duality.channels_are_near). */
#include <string.h>

#include "dc/system/priv.h"

enum { FRAMES_MAX = 256, WINDOW_LINES = 64 /* of each channel, were they balanced */ };

/* Each socket has as many channels, pages, and interleaves of each of them as another. */
static bool can_be_near(const struct dc_system *s)
{
	const uint64_t sockets = s->p->socket_count, page = s->p->page_bytes;

	return s->p->channels_are_near && s->behind.channel_count % sockets == 0 &&
	       page % s->behind.interleave_bytes == 0 && s->behind.bytes % (page * sockets) == 0;
}

void dc_mmu_init(struct dc_system *s)
{
	const uint64_t pages = s->behind.bytes / s->p->page_bytes;

	s->channel_lines = g_new0(uint64_t, s->behind.channel_count);
	s->interleave_shift = (uint32_t)__builtin_ctzll(s->behind.interleave_bytes);
	s->near_sockets = can_be_near(s) ? (uint32_t)s->p->socket_count : 1;
	s->frame_count = pages / s->near_sockets;
	s->frame_mask = s->frame_count ? (uint32_t)MIN(s->frame_count & -s->frame_count, FRAMES_MAX) - 1 : 0;
	s->by_channels = base_divisor_of(s->behind.channel_count);
	s->by_pages = base_divisor_of(MAX(pages, 1));
	s->by_near_channels = base_divisor_of(s->behind.channel_count / s->near_sockets);
	if (s->p->pages != DC_FIRST_TOUCH)
		return;
	s->page_sockets = g_new0(uint8_t, pages + 1);
	s->page_frames = g_new0(uint32_t, pages + 1);
}

void dc_mmu_free(struct dc_system *s)
{
	g_free(s->page_sockets);
	g_free(s->page_frames);
	g_free(s->channel_lines);
}

uint64_t dc_page_of(const struct dc_system *s, uint64_t address)
{
	return address % s->behind.bytes >> s->page_shift;
}

void dc_mmu_touch(struct dc_system *s, uint64_t line, uint32_t socket)
{
	const uint64_t page = dc_page_of(s, line);

	if (s->page_sockets[page])
		return;
	while (s->near_sockets > 1 && s->frames_used[socket] == s->frame_count) /* the next one has room */
		socket = (socket + 1) % s->near_sockets;
	s->page_sockets[page] = (uint8_t)(socket + 1);
	s->page_frames[page] = (uint32_t)s->frames_used[socket]++;
}

/* The interleaves of a block that the capacity cuts off stay where they are. */
static uint64_t turn_channels(const struct dc_system *s, uint64_t address)
{
	const uint64_t number = address >> s->interleave_shift, rest = address & (s->behind.interleave_bytes - 1);
	uint64_t slot, channel;
	const uint64_t block = base_divide(number, &s->by_channels, &slot), socket = slot % s->near_sockets;

	if ((block + 1) * s->behind.channel_count << s->interleave_shift > s->behind.bytes)
		return address;
	base_divide(slot / s->near_sockets + (dc_mix(block) >> 24), &s->by_near_channels, &channel);
	return (block * s->behind.channel_count + channel * s->near_sockets + socket) << s->interleave_shift | rest;
}

/* The number of the address' page among those of its socket; where channels are of no socket, among all. */
static uint64_t frame_of(const struct dc_system *s, uint64_t address)
{
	const uint64_t page = dc_page_of(s, address);

	if (s->near_sockets == 1)
		return page;
	return s->page_sockets ? s->page_frames[page] : page / s->near_sockets;
}

uint64_t dc_physical(const struct dc_system *s, uint64_t address)
{
	const uint64_t rest = address & (s->p->page_bytes - 1);
	const bool is_shuffled = s->p->page_shuffle;
	uint64_t frame = frame_of(s, address), at;

	if (is_shuffled)
		frame ^= dc_mix(frame / (s->frame_mask + 1)) >> 24 & s->frame_mask;
	at = frame << s->page_shift | rest;
	if (s->near_sockets > 1) {
		const uint64_t interleave = s->behind.interleave_bytes;

		at = (at / interleave * s->near_sockets + dc_socket_of(s, address)) * interleave + at % interleave;
	}
	return is_shuffled ? turn_channels(s, at) : at;
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
