/* monitor.h - TOM's channel busy monitor (TOM section 4.1): which channels of the stacks were used above a threshold.
 *
 * TX wires are driven by the GPU, RX wires end in it: both are seen on the GPU's side. A channel's utilisation is the
 * share of a window, up to now, in which its wire was busy. The window's begin is interpolated between samples, which
 * are taken when the monitor is asked and the last one is an eighth of a window old: the controller asks at every
 * candidate block, and nobody else does.
 */
#ifndef STRATA_NDP_TOM_MONITOR_H
#define STRATA_NDP_TOM_MONITOR_H

#include <stdbool.h>
#include <stdint.h>

enum { TOM_MONITOR_SAMPLES = 16 };

struct tom_channel_monitor {
	uint64_t window_ps;
	double busy_ratio;
	uint64_t time_ps[TOM_MONITOR_SAMPLES], busy_ps[TOM_MONITOR_SAMPLES]; /* ring, newest at [last] */
	uint32_t last, count;
};

/* busy_ratio: 0 (exclusive) to 1. */
void tom_monitor_init(struct tom_channel_monitor *m, uint64_t window_ps, double busy_ratio);
/* busy_ps: time the wire has been busy from the beginning to now_ps. Calls have ascending now_ps. */
bool tom_monitor_is_busy(struct tom_channel_monitor *m, uint64_t now_ps, uint64_t busy_ps);

#endif
