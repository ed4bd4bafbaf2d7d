/* cta_audit.h - the auditor of CTAs that move (run.audit). Private to the carriers.
 *
 * What a move promises: the CTA stops at once, leaves when nothing of it is in flight, gives its place up when it
 * leaves and not before, arrives whole, and never runs in two places. The auditor shares nothing with the carrier: it
 * hears from the SMs where a CTA starts, issues and ends, and which of its stores are under way, ended warps' too; from
 * the carrier only that it stops, leaves and arrives. Functions that may find something wrong return what, or
 * NULL.
 */
#ifndef STRATA_NDP_CARRY_CTA_AUDIT_H
#define STRATA_NDP_CARRY_CTA_AUDIT_H

#include <stdint.h>

struct cta_audit;

struct cta_audit *cta_audit_new(uint32_t sm_count);
void cta_audit_free(struct cta_audit *a);
/* A kernel begins: there is no CTA yet, and nothing under way. */
void cta_audit_kernel(struct cta_audit *a);
/* The kernel has ended. Sets *cta to the one that is wrong. */
const char *cta_audit_end(const struct cta_audit *a, uint64_t *cta);

/* CTAs go by their index in the grid. resident_count: what the SM itself holds now. */
const char *cta_audit_placed(struct cta_audit *a, uint64_t cta, uint32_t sm, uint32_t resident_count);
const char *cta_audit_done(struct cta_audit *a, uint64_t cta, uint32_t sm, uint32_t resident_count);
/* A warp of it has issued at the SM; what that computes is there at ready_cycle. */
const char *cta_audit_stepped(struct cta_audit *a, uint64_t cta, uint32_t sm, uint64_t ready_cycle);

/* A store of so many lines is issued; one of them leaves its SM as a request; that request is acknowledged. */
void cta_audit_store_issued(struct cta_audit *a, uint64_t cta, uint32_t line_count);
void cta_audit_store_sent(struct cta_audit *a, uint64_t cta, const void *request);
void cta_audit_store_acknowledged(struct cta_audit *a, const void *request);

/* It is told to move: its state is this, of which so many bytes are to be sent. */
const char *cta_audit_stopped(struct cta_audit *a, uint64_t cta, uint64_t digest, uint64_t context_bytes);
/* No SM has it: it is to begin at one, of which so many bytes tell. */
const char *cta_audit_starts(struct cta_audit *a, uint64_t cta, uint64_t digest, uint64_t message_bytes);
/* A part of that is there. */
void cta_audit_packet(struct cta_audit *a, uint64_t cta, uint32_t bytes);
/* It is about to leave its SM; load_count: accesses whose results its warps still wait for. */
const char *cta_audit_leaves(struct cta_audit *a, uint64_t cta, uint64_t now_cycle, uint32_t load_count);
/* It has; slot_count: warp slots that its warps still hold, anywhere. */
const char *cta_audit_left(struct cta_audit *a, uint64_t cta, uint32_t resident_count, uint32_t slot_count);
/* It is about to go on at an SM. */
const char *cta_audit_arrives(struct cta_audit *a, uint64_t cta, uint32_t sm, uint64_t digest);

#endif
