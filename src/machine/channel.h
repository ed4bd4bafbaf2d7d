/* channel.h - the near-data processors beside a machine's processors: the group "channel". */
#ifndef STRATA_MACHINE_CHANNEL_H
#define STRATA_MACHINE_CHANNEL_H

#include "channel/channel.h"
#include "machine/machine.h"

extern const struct machine_part machine_channel_part;

/* NULL: the machine has none. */
const struct channel_params *machine_channel_params(const struct machine_config *c);
struct channel_system *machine_channel(const struct machine *m);

#endif
