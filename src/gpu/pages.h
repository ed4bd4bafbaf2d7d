/* pages.h - private to gpu/ and its carriers: device memory whose pages come from the host on demand (gpu.pages), as in
 * NSU (SC'17) section 4.1.1.
 *
 * Pages of gpu.page_bytes that hold the user's device or managed memory are in the host's memory until an SM first
 * accesses them. The access, and what is behind it in its SM's load-store unit, waits: a packet of a partitioned block
 * leaves with its translation only. All pages of an instruction are asked for at once. A page comes after
 * gpu.page_fetch_ps over the host's wires, and is written to its stack line by line, on the way that requests take.
 * These writes begin when no write address is under way to a unit for a line of the stack, by the extension's counter;
 * other data of the stack stay accessible meanwhile. A page that has come stays until its memory is freed.
 */
#ifndef STRATA_GPU_PAGES_H
#define STRATA_GPU_PAGES_H

#include <stdbool.h>
#include <stdint.h>

struct gpu;
struct lsu_entry;
struct pages;
struct sm;

struct pages *pages_new(struct gpu *g);
void pages_free(struct pages *p);
/* A kernel begins. */
void pages_kernel_begin(struct pages *p);
/* Are all pages that the SM's first entry accesses on the device? False: it waits, and the SM is woken. */
bool pages_are_here(struct pages *p, struct sm *sm, const struct lsu_entry *e);
/* No write address is under way any more for a line of this stack. */
void pages_are_clear(struct pages *p, uint32_t stack);
bool pages_are_idle(const struct pages *p);
/* After an aborted launch: pages that were on their way are with the host. */
void pages_reset(struct pages *p);

#endif
