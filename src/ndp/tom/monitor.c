/* monitor.c - busy time of channels, window by window. */
#include "ndp/tom/monitor.h"

void tom_monitor_init(struct tom_channel_monitor *m, uint64_t window_ps, double busy_ratio)
{
	*m = (struct tom_channel_monitor){.window_ps = window_ps, .busy_ratio = busy_ratio};
}

static void sample(struct tom_channel_monitor *m, uint64_t now_ps, uint64_t busy_ps)
{
	m->last = (m->last + 1) % TOM_MONITOR_SAMPLES;
	m->time_ps[m->last] = now_ps;
	m->busy_ps[m->last] = busy_ps;
	if (m->count < TOM_MONITOR_SAMPLES)
		m->count++;
}

/* Busy time up to at_ps, between the samples around it; before the oldest the wire is taken to have been idle. */
static double busy_at(const struct tom_channel_monitor *m, uint64_t at_ps, uint64_t now_ps, uint64_t busy_ps)
{
	uint64_t later_ps = now_ps, later_busy_ps = busy_ps;

	for (uint32_t k = 0; k < m->count; k++) {
		uint32_t i = (m->last + TOM_MONITOR_SAMPLES - k) % TOM_MONITOR_SAMPLES;

		if (m->time_ps[i] <= at_ps) {
			double share = later_ps > m->time_ps[i]
					   ? (double)(at_ps - m->time_ps[i]) / (double)(later_ps - m->time_ps[i])
					   : 0;

			return (double)m->busy_ps[i] + share * (double)(later_busy_ps - m->busy_ps[i]);
		}
		later_ps = m->time_ps[i];
		later_busy_ps = m->busy_ps[i];
	}
	return (double)later_busy_ps;
}

bool tom_monitor_is_busy(struct tom_channel_monitor *m, uint64_t now_ps, uint64_t busy_ps)
{
	uint64_t begin_ps = now_ps > m->window_ps ? now_ps - m->window_ps : 0;
	double used_ps = (double)busy_ps - busy_at(m, begin_ps, now_ps, busy_ps);

	if (m->count == 0 || now_ps - m->time_ps[m->last] >= m->window_ps / 8)
		sample(m, now_ps, busy_ps);
	return used_ps >= m->busy_ratio * (double)m->window_ps;
}
