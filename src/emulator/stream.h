/* Stream handles, and submission of work to streams. */
#pragma once

#include "emulator/queue.h"

/* Creates a stream in the list of `context`, with a handle; 2 if memory runs out. Lock held. */
CUresult emu_stream_new(CUstream *out, CUcontext context, unsigned flags);

/* Creates a context's legacy stream, which is in no list and has no handle. Lock held. */
CUresult emu_stream_new_legacy(CUstream *out, CUcontext context);

/* Resolves a handle: NULL and 1 mean the current context's legacy stream, 2 the thread's own. 400
 * if it is invalid. Lock held. */
CUresult emu_stream_resolve(CUstream *out, CUstream handle);

/* Submits a command to a stream, or adds a node if the stream is captured. Takes the lock, and
 * ownership of the command; a NULL command means out of memory. With `wait` it also waits for the
 * end (900 during a capture). */
CUresult emu_run_on(CUstream handle, emu_command *command, bool wait);
