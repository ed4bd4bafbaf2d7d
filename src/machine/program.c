/* program.c - a settled timeline as JSON. */
#include "machine/program.h"

#include "base/units.h"

static void put_int(json_t *o, const char *key, uint64_t value)
{
	json_object_set_new(o, key, json_integer((json_int_t)value));
}

static json_t *copies_json(uint64_t count, uint64_t bytes, uint64_t time_ps)
{
	json_t *o = json_object();

	put_int(o, "count", count);
	put_int(o, "bytes", bytes);
	put_int(o, "time_ps", time_ps);
	json_object_set_new(o, "bytes_per_s",
			    json_real(time_ps ? (double)bytes / ((double)time_ps / BASE_PS_PER_S) : 0));
	return o;
}

json_t *machine_program_json(const struct machine_timeline *t)
{
	const struct machine_program_stats *p = machine_timeline_program(t);
	const struct machine_copy_stats *c = machine_timeline_copies(t);
	const struct {
		const char *key;
		uint64_t value;
	} fields[] = {
	    {"time_ps", p->time_ps},		   {"kernel_ps", p->kernel_ps},
	    {"kernel_overlap_ps", p->kernel_overlap_ps}, {"overlap_ps", p->overlap_ps},
	    {"device_busy_ps", p->device_busy_ps}, {"device_idle_ps", p->device_idle_ps},
	    {"host_call_ps", p->host_call_ps},	   {"host_wait_ps", p->host_wait_ps},
	    {"host_code_ps", p->host_code_ps},	   {"launches", p->launches},
	    {"calls", p->calls},		   {"host_functions", p->host_functions},
	};
	json_t *o = json_object(), *copies = json_object();

	for (uint32_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		put_int(o, fields[i].key, fields[i].value);
	json_object_set_new(copies, "to_device",
			    copies_json(c->to_device_count, c->to_device_bytes, p->to_device_ps));
	json_object_set_new(copies, "to_host", copies_json(c->to_host_count, c->to_host_bytes, p->to_host_ps));
	json_object_set_new(copies, "on_device",
			    copies_json(c->on_device_count, c->on_device_bytes, p->on_device_ps));
	json_object_set_new(copies, "fill", copies_json(c->fill_count, c->fill_bytes, p->fill_ps));
	json_object_set_new(o, "copies", copies);
	return o;
}

json_t *machine_program_work_json(const struct machine_timeline *t)
{
	uint32_t count;
	const struct machine_work *work = machine_timeline_work(t, &count);
	json_t *list = json_array();
	uint64_t launch = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct machine_work *w = &work[i];
		const char *kind = machine_work_kind_name(w->kind);
		json_t *o = json_object();

		json_object_set_new(o, "kind", json_string(kind));
		json_object_set_new(o, "name", json_string(w->name ? w->name : kind));
		put_int(o, "stream", w->stream);
		put_int(o, "start_ps", w->start_ps);
		put_int(o, "end_ps", w->end_ps);
		if (w->kind == MACHINE_WORK_KERNEL)
			put_int(o, "launch", ++launch); /* its number in the kernels, which come in the same order */
		else
			put_int(o, "bytes", w->bytes);
		json_array_append_new(list, o);
	}
	return list;
}
