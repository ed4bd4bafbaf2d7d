/* clock.h - how the driver's calls spend simulated time: a clock per host thread, and streams on the machine's timeline
 * (machine/timeline.h).
 *
 * The first thread that calls cuInit is the main one. Another thread's clock begins, at its first call, where the main
 * one's stands; nothing else about the order of threads is known, so clocks meet only where threads wait for the same
 * work. All functions are called with the driver's lock held.
 */
#ifndef STRATA_CUDA_CLOCK_H
#define STRATA_CUDA_CLOCK_H

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

#include "machine/timeline.h"

struct CUctx_st;

/* The calling thread becomes the main one and its clock 0. Called once, by cuInit. */
void cuda_time_begin(void);
/* An entry point begins: the thread's code since its last call counts (host.code), and the call itself when is_paid.
 * Entry points called by entry points are part of them. */
void cuda_time_enter(bool is_paid);
void cuda_time_leave(void);
/* The entry point that runs was called by another one, by a kernel for instance. */
bool cuda_time_is_nested(void);

/* The calling thread's clock. */
uint64_t cuda_time_now_ps(void);
/* The thread is busy in the driver. */
void cuda_time_spend_ps(uint64_t duration_ps);
/* The thread gives work to the device, which takes it a while. */
void cuda_time_issue(void);
/* Between begin and end, work that the thread gives was given by a graph's launch: it costs the thread nothing more,
 * and the thread waits for none of it. */
void cuda_time_graph_begin(void);
void cuda_time_graph_end(void);
bool cuda_time_is_in_graph(void);
/* The thread waits until then, if that is not past. */
void cuda_time_wait_ps(uint64_t until_ps);
/* Has what ends at end_ps ended? Asking before takes some time, whatever host.call_ps is: polling loops end. */
bool cuda_time_is_over(uint64_t end_ps);

/* The stream's place on the timeline; s has passed cuda_stream_check. */
struct machine_stream *cuda_time_stream(struct CUctx_st *ctx, CUstream s);
/* A number for a new stream. */
uint32_t cuda_time_stream_number(void);

/* Gives work of a known duration to the stream. Returns its end. */
uint64_t cuda_time_give(struct machine_stream *s, enum machine_work_kind kind, uint64_t duration_ps, uint64_t bytes,
			bool is_pageable);
/* A host function: its callback has run, using this much CPU time of this host. */
void cuda_time_host_function(struct machine_stream *place, uint64_t cpu_ns);
/* CPU time of the calling thread. */
uint64_t cuda_time_cpu_ns(void);

/* Entry points named _ptsz and _ptds: between begin and end, no stream means the thread's own default stream. */
bool cuda_per_thread_begin(void);
void cuda_per_thread_end(bool before);

#endif
