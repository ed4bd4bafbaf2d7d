/* port.c - the table of ports: filled while a machine is built, read while it runs. */
#include "net/port.h"

#include <glib.h>

uint16_t net_port_add(struct net_ports *ports, const struct net_port_ops *ops, void *self, uint16_t place,
		      uint32_t number)
{
	CHECK(ops->done && ports->count < UINT16_MAX && number <= UINT16_MAX);
	if ((ports->count & (ports->count - 1)) == 0) /* full: a power of two, or none */
		ports->items = g_renew(struct net_port, ports->items, ports->count ? 2 * ports->count : 1);
	ports->items[ports->count] = (struct net_port){ops, self, place, (uint16_t)number};
	return (uint16_t)ports->count++;
}

void net_ports_free(struct net_ports *ports)
{
	g_free(ports->items);
	*ports = (struct net_ports){0};
}
