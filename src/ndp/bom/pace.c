/* pace.c - halves and doubles the interval, towards more instructions per step. */
#include "ndp/bom/pace.h"

enum { RANGE = 8 };

void bom_pace_begin(struct bom_pace *p, uint64_t interval_cycles)
{
	*p = (struct bom_pace){
	    .interval_cycles = interval_cycles,
	    .min_cycles = interval_cycles / RANGE ? interval_cycles / RANGE : 1,
	    .max_cycles = interval_cycles * RANGE,
	};
}

void bom_pace_step(struct bom_pace *p, uint64_t instruction_count)
{
	if (p->last_count && instruction_count < p->last_count)
		p->is_rising = !p->is_rising;
	p->last_count = instruction_count;
	if (p->is_rising)
		p->interval_cycles *= 2;
	else
		p->interval_cycles /= 2;
	if (p->interval_cycles < p->min_cycles)
		p->interval_cycles = p->min_cycles;
	if (p->interval_cycles > p->max_cycles)
		p->interval_cycles = p->max_cycles;
}
