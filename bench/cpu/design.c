/* design.c - design LIBRARY LISTS ITEMS LATENCY: the merges of merge.c by the library that strata has made of
 * workloads/hdl/merge.v, and nothing else: what an access asks for comes LATENCY cycles later. Prints cycles, and
 * cycles per second of the host's CPU time. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ports.h"

struct item {
	uint64_t key, value;
};

/* As a machine of 64 cores has them under way, of both ports. */
enum { ACCESSES = 64 };

struct access {
	uint64_t come_cycle;
	void *at;
	uint8_t bytes, is_write, data[HDL_PORT_BYTES];
};

struct port {
	struct access accesses[ACCESSES]; /* a ring */
	uint32_t first, count;
};

struct bench {
	const struct hdl_library *library;
	void *design;
	struct hdl_ports ports;
	struct port port[HDL_PORTS];
	uint64_t cycle, latency_cycles, lists, items, sent;
	struct item *in, *out;
};

static void give_message(struct bench *b)
{
	const uint64_t i = b->sent, n = b->items;
	const uint64_t message[8] = {i, (uint64_t)(b->in + 2 * i * n), n, (uint64_t)(b->in + (2 * i + 1) * n),
				     n, (uint64_t)(b->out + 2 * i * n)};

	b->ports.message_valid = i < b->lists;
	memcpy(b->ports.message, message, sizeof(message));
}

static void give_answer(struct bench *b, uint32_t i, uint32_t room)
{
	const struct access *x = &b->port[i].accesses[b->port[i].first];
	struct hdl_port_in *in = &b->ports.in[i];

	in->request_ready = room > i;
	in->answer_valid = b->port[i].count && x->come_cycle <= b->cycle;
	if (!in->answer_valid)
		return;
	if (x->is_write)
		memcpy(x->at, x->data, x->bytes);
	else
		memcpy(in->answer, x->at, x->bytes);
}

static void take(struct bench *b, uint32_t i)
{
	const struct hdl_port_out *out = &b->ports.out[i];
	struct port *p = &b->port[i];

	if (b->ports.in[i].answer_valid) {
		p->first = (p->first + 1) % ACCESSES;
		p->count--;
	}
	if (!out->request_valid || !b->ports.in[i].request_ready)
		return;

	struct access *x = &p->accesses[(p->first + p->count++) % ACCESSES];

	*x = (struct access){
	    b->cycle + b->latency_cycles, (void *)out->request_address, out->request_bytes, out->request_write, {0}};
	memcpy(x->data, out->request_data, sizeof(x->data));
}

/* True: the design says that a merge is done. */
static int step(struct bench *b)
{
	const uint32_t room = ACCESSES - b->port[0].count - b->port[1].count;

	b->cycle++;
	b->ports.reply_ready = 1;
	give_message(b);
	for (uint32_t i = 0; i < HDL_PORTS; i++)
		give_answer(b, i, room);
	b->library->cycle(b->design, &b->ports);
	if (b->ports.error) {
		fprintf(stderr, "design: error in cycle %lu\n", (unsigned long)b->cycle);
		exit(1);
	}
	b->sent += b->ports.message_valid && b->ports.message_ready;
	for (uint32_t i = 0; i < HDL_PORTS; i++)
		take(b, i);
	return b->ports.reply_valid;
}

static int is_merged(const struct bench *b)
{
	for (uint64_t i = 0; i < b->lists; i++)
		for (uint64_t k = 1; k < 2 * b->items; k++)
			if (b->out[2 * i * b->items + k - 1].key > b->out[2 * i * b->items + k].key)
				return 0;
	return 1;
}

int main(int argc, char **argv)
{
	static struct bench b;
	struct timespec begin, end;
	void *handle = argc == 5 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;

	if (!handle) {
		fprintf(stderr, "design LIBRARY LISTS ITEMS LATENCY: %s\n", argc == 5 ? dlerror() : "four arguments");
		return 2;
	}
	b.library = dlsym(handle, "strata_hdl_design");
	b.lists = strtoull(argv[2], NULL, 10);
	b.items = strtoull(argv[3], NULL, 10);
	b.latency_cycles = strtoull(argv[4], NULL, 10);
	b.in = aligned_alloc(HDL_PORT_BYTES, 2 * b.lists * b.items * sizeof(struct item));
	b.out = aligned_alloc(HDL_PORT_BYTES, 2 * b.lists * b.items * sizeof(struct item));
	for (uint64_t i = 0; i < 2 * b.lists * b.items; i++) {
		b.in[i] = (struct item){i % b.items * (2 + i / b.items % 2), i};
		b.out[i] = (struct item){UINT64_MAX - i, 0};
	}
	b.design = b.library->make(NULL);
	b.ports.reset = 1;
	b.library->cycle(b.design, &b.ports);
	b.ports.reset = 0;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
	for (uint64_t replies = 0; replies < b.lists;)
		replies += step(&b);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
	printf("%lu %.0f\n", (unsigned long)b.cycle,
	       b.cycle / ((double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9));
	return !is_merged(&b);
}
