/* capture.h - stream capture: what entry points ask before they give work to a stream.
 *
 * A capture has branches: the stream in which it began, and those that joined it by waiting for one of its events. A
 * branch remembers the nodes that its next node depends on. An illegal call invalidates the captures that it concerns;
 * from then on they only wait for cuStreamEndCapture.
 */
#ifndef STRATA_CUDA_CAPTURE_H
#define STRATA_CUDA_CAPTURE_H

#include "cuda/driver.h"
#include "cuda/event.h"
#include "cuda/launch.h"

struct capture_branch;

/* Work is given to the stream: CUDA_SUCCESS with *branch NULL if it is to be done, with *branch set if it is to become
 * a node of a graph. An error if the stream is dead, its capture invalid, or the work would wait for streams that
 * capture. is_async: the call does not wait for the work. */
CUresult cuda_capture_enter(struct CUctx_st *ctx, CUstream stream, bool is_async, struct capture_branch **branch);
/* The call is not for streams that capture, or reads the state of one. */
CUresult cuda_capture_forbid(struct CUctx_st *ctx, CUstream stream);
/* The call waits for everything in ctx. */
CUresult cuda_capture_forbid_context(struct CUctx_st *ctx);
/* The call could interfere with a capture (cuThreadExchangeStreamCaptureMode). */
CUresult cuda_capture_forbid_unsafe(void);

/* Adds the work to the branch's graph. */
CUresult cuda_capture_add(struct CUctx_st *ctx, struct capture_branch *b, CUgraphNodeParams *params);
/* Takes block. */
CUresult cuda_capture_kernel(struct CUctx_st *ctx, struct capture_branch *b, const struct cuda_launch *l,
			     uint8_t *block);

/* The event stands for what the branch's next node would depend on. */
void cuda_capture_record(struct capture_branch *b, struct CUevent_st *e);
/* The event is not, or no longer, one of a capture. */
void cuda_capture_forget(struct CUevent_st *e);
/* The call needs the time of an event of a capture: CAPTURED_EVENT. */
CUresult cuda_capture_forbid_event(const struct CUevent_st *e);
/* A stream, in branch b or not capturing (NULL), waits for an event of a capture. */
CUresult cuda_capture_wait(struct CUctx_st *ctx, CUstream stream, struct capture_branch *b, struct CUevent_st *e);
/* b waits for an event outside its capture, which is an error. */
CUresult cuda_capture_isolate(struct capture_branch *b);
/* The stream is destroyed. What it did in a capture stays; the capture ends if it began there. */
void cuda_capture_leave(struct CUctx_st *ctx, CUstream stream);
/* The context is destroyed. */
void cuda_capture_drop(const struct CUctx_st *ctx);

#endif
