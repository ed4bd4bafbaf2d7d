/* program.c - a settled timeline as JSON. */
#include "machine/program.h"

#include "base/units.h"
#include "machine/json.h"

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
	static const char *const in_copies[] = {"to_device_ps", "to_host_ps", "on_device_ps", "fill_ps"};
	json_t *o = json_object(), *copies = json_object();

#define STAT_COUNT(name, unit, doc) put_int(o, #name, p->name);
#include "machine/program_stats.def"
#include "sim/stat_end.inc"
	/* The copies' times stand with them. */
	for (uint32_t i = 0; i < G_N_ELEMENTS(in_copies); i++)
		json_object_del(o, in_copies[i]);
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
