/* The handles of streams, and submission. Callers must hold the lock, except for emu_run_on(). */
#pragma once

#include "emulator/queue.h"

/* Adds a stream with a handle to the list of `context`. Fails with 2 if memory runs out. */
CUresult emu_stream_new(CUstream *out, CUcontext context, unsigned flags);

/* Creates the legacy stream of a context, which has no handle and is not in the list of streams. */
CUresult emu_stream_new_legacy(CUstream *out, CUcontext context);

/* Finds the stream of a handle. NULL and 1 are the legacy stream of the current context, 2 is the
 * thread's default stream. Fails with 400 for an invalid handle. */
CUresult emu_stream_resolve(CUstream *out, CUstream handle);

/* Submits a command to a stream, or adds it to the stream's capture. Takes ownership of the
 * command; NULL means that memory ran out. If `wait` is true, waits until the command has ended;
 * this fails with 900 during a capture. Acquires the lock itself. */
CUresult emu_run_on(CUstream handle, emu_command *command, bool wait);
