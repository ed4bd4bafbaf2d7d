/* traffic.c - see traffic.h. */
#include "machine/traffic.h"

#include "machine/json.h"

#include <string.h>

static const char bytes_key[] = "traffic_bytes", peaks_key[] = "peak_bytes_per_s";

static const char *name_of(enum machine_way way)
{
	static const char *const names[] = {
#define MACHINE_WAY(enumerator, name) #name,
	    MACHINE_WAYS(MACHINE_WAY)
#undef MACHINE_WAY
	};

	return names[way];
}

bool machine_traffic_has(const char *name)
{
	for (uint32_t i = 0; i < MACHINE_WAY_COUNT; i++)
		if (!strcmp(name_of((enum machine_way)i), name))
			return true;
	return false;
}

void machine_traffic_bytes_begin(json_t *fields)
{
	json_t *bytes = json_object();

	for (uint32_t i = 0; i < MACHINE_WAY_COUNT; i++)
		json_object_set_new(bytes, name_of((enum machine_way)i), json_null());
	json_object_set_new(fields, bytes_key, bytes);
}

void machine_traffic_begin(json_t *fields, json_t *units)
{
	json_t *peaks = json_object();

	for (uint32_t i = 0; i < MACHINE_WAY_COUNT; i++)
		if (i != MACHINE_WAY_DRAM_READ && i != MACHINE_WAY_DRAM_WRITE)
			json_object_set_new(peaks, name_of((enum machine_way)i), json_null());
	machine_traffic_bytes_begin(fields);
	json_object_set_new(fields, peaks_key, peaks);
	put_text(units, bytes_key, "bytes; tx: to the memory, rx: from it; null: not counted");
	put_text(units, peaks_key, "bytes per second");
}

void machine_traffic_count(json_t *fields, enum machine_way way, uint64_t bytes)
{
	put_int(json_object_get(fields, bytes_key), name_of(way), bytes);
}

void machine_traffic_count_dram(json_t *fields, uint64_t read_bytes, uint64_t written_bytes)
{
	machine_traffic_count(fields, MACHINE_WAY_DRAM_READ, read_bytes);
	machine_traffic_count(fields, MACHINE_WAY_DRAM_WRITE, written_bytes);
	machine_traffic_count(fields, MACHINE_WAY_DRAM, read_bytes + written_bytes);
}

void machine_traffic_peak(json_t *fields, enum machine_way way, double bytes_per_s)
{
	put_real(json_object_get(fields, peaks_key), name_of(way), bytes_per_s);
}
