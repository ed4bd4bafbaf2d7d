/* message.c - messages on the channels, and what observers are told. */
#include "channel/priv.h"

struct message *channel_message_new(struct channel_system *s, void (*fire)(void *self, struct cpu_event *e))
{
	struct message *g = base_pool_take(&s->message_pool, next);

	*g = (struct message){.event = {.fire = fire, .self = s}};
	return g;
}

uint64_t channel_message_up_with(struct channel_system *s, uint32_t channel, uint32_t data_bytes)
{
	s->stats.messages_up++;
	s->stats.message_bytes += s->p->message_bytes;
	s->stats.data_up_bytes += data_bytes;
	return cpu_channels_up(s->channels, channel, s->p->message_bytes + data_bytes, s->message_ps);
}

uint64_t channel_message_up(struct channel_system *s, uint32_t channel)
{
	return channel_message_up_with(s, channel, 0);
}

uint64_t channel_message_down(struct channel_system *s, uint32_t channel)
{
	s->stats.messages_down++;
	s->stats.message_bytes += s->p->message_bytes;
	return cpu_channels_down(s->channels, channel, s->p->message_bytes, s->message_ps);
}

void channel_observe(struct channel_system *s, uint32_t unit, uint64_t line, cpu_version quarters, bool is_write,
		     cpu_version version)
{
	if (unlikely(s->observer.see))
		s->observer.see(s->observer.self, unit, line, quarters, is_write, version);
}

void channel_moved(struct channel_system *s, uint64_t line, cpu_version quarters, uint32_t unit)
{
	if (unlikely(s->observer.moved))
		s->observer.moved(s->observer.self, line, quarters, unit);
}
