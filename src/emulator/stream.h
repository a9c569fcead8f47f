/* Streams as driver calls name them, and the one way in which a call hands work to a stream. */
#pragma once

#include "emulator/queue.h"

/* A stream of `context`, in its list, with a handle; 2 when memory runs out. Lock held. */
CUresult emu_stream_new(CUstream *out, CUcontext context, unsigned flags);

/* A context's legacy stream, which is in no list and has no handle of its own. Lock held. */
CUresult emu_stream_new_legacy(CUstream *out, CUcontext context);

/* The stream behind a handle: NULL and 1 are the current context's legacy stream, 2 the thread's
 * own. 400 for none. Lock held. */
CUresult emu_stream_resolve(CUstream *out, CUstream handle);

/* Submits to a stream, or adds a node when it is being captured. Takes the lock itself and takes
 * over the command. With `wait` it also waits for the end (refused while capturing, 900). NULL
 * command is out of memory. */
CUresult emu_run_on(CUstream handle, emu_command *command, bool wait);
