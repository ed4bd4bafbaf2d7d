/* list.c - the parts of machines, and one more: in place of src/machine/list.c. */
#include "machine/parts.h"
#include "toy.h"

#define MACHINE_PART(name) extern const struct machine_part machine_##name##_part;
#include "machine/parts.def"
#undef MACHINE_PART

const struct machine_part *const machine_parts[] = {
#define MACHINE_PART(name) &machine_##name##_part,
#include "machine/parts.def"
#undef MACHINE_PART
    &machine_toy_part, NULL};
