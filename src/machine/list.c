/* list.c - the parts of parts.def. It is alone in its file, so that a program that has a machine_parts of its own is
 * linked without it. */
#include "machine/parts.h"

#define MACHINE_PART(name) extern const struct machine_part machine_##name##_part;
#include "machine/parts.def"
#undef MACHINE_PART

const struct machine_part *const machine_parts[] = {
#define MACHINE_PART(name) &machine_##name##_part,
#include "machine/parts.def"
#undef MACHINE_PART
    NULL,
};
