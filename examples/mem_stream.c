/* mem_stream.c - reads a memory from one end to the other and prints bandwidth and latency.
 *
 *	cc -O2 -o mem_stream mem_stream.c $(pkg-config --cflags --libs strata-mem)
 *	./mem_stream ddr5-4800 64        64 reads at a time
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <strata/mem.h>

enum { REQUESTS = 200000 };

struct stream {
	strata_mem *m;
	uint64_t next_addr, sent, done, last_ps, window;
	uint64_t latency_ps; /* of all answers together */
};

static void send(void *ctx)
{
	struct stream *s = ctx;
	uint32_t line = strata_mem_line_bytes(s->m);

	while (s->sent < REQUESTS && s->sent - s->done < s->window &&
	       strata_mem_offer(s->m, s->next_addr, line, STRATA_MEM_READ, NULL) == STRATA_MEM_TAKEN) {
		s->next_addr = (s->next_addr + line) % strata_mem_capacity_bytes(s->m);
		s->sent++;
	}
}

static void done(void *ctx, const struct strata_mem_answer *a)
{
	struct stream *s = ctx;

	s->done++;
	s->latency_ps += a->done_ps - a->offered_ps;
	s->last_ps = a->done_ps;
	send(s);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "ddr5-4800";
	struct stream s = {.window = argc > 2 ? strtoull(argv[2], NULL, 10) : 64};
	struct strata_mem_stat hits;
	char *error;

	s.m = strata_mem_new(name, NULL, 0, &error);
	if (!s.m) {
		fprintf(stderr, "%s\n", error);
		free(error);
		return 2;
	}
	strata_mem_on_done(s.m, done, &s);
	strata_mem_on_room(s.m, send, &s);
	send(&s);
	strata_mem_run_until(s.m, STRATA_MEM_NEVER);

	double gbytes_per_s = (double)s.done * strata_mem_line_bytes(s.m) / (double)s.last_ps * 1000;

	printf("%s: %" PRIu64 " reads, %.2f of %.2f GB/s, %.1f ns each\n", strata_mem_name(s.m), s.done, gbytes_per_s,
	       strata_mem_peak_bytes_per_s(s.m) / 1e9, (double)s.latency_ps / (double)s.done / 1000);
	if (strata_mem_stat_find(s.m, "vault.row_hits", &hits))
		printf("%.1f %% row hits, %.1f pJ per bit\n", 100.0 * (double)hits.value / (double)s.done,
		       strata_mem_energy_pj(s.m) / ((double)s.done * strata_mem_line_bytes(s.m) * 8));
	strata_mem_free(s.m);
	return 0;
}
