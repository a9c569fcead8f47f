/* Streams as queues of commands: a worker thread each, completions for what is still to come, and
 * the modelled time at which each command starts and ends. */
#pragma once

#include "emulator/context.h"
#include "emulator/driver.h"

typedef struct emu_command emu_command;
typedef struct emu_completion emu_completion;

/* What a stream runs. Immutable once submitted, shared by reference: a graph runs the same command
 * many times. */
typedef struct emu_command_class {
    /* Does the work and returns its modelled length in ns. Called without the lock, by one thread
     * at a time; `start_ns` is the modelled time at which it begins. */
    double (*run)(emu_command *command, double start_ns);
    void (*release)(emu_command *command); /* frees its own members; NULL: none */
    bool is_kernel;                        /* pays the gap between kernels */
    bool has_handle;                       /* the command is the object of a handle */
} emu_command_class;

struct emu_command {
    const emu_command_class *class;
    atomic_int references;
};

/* Allocates a command of `bytes` with one reference; NULL when memory runs out. */
void *emu_command_new(const emu_command_class *class, size_t bytes);
emu_command *emu_command_retain(emu_command *command);
void emu_command_release(emu_command *command);

/* Says when a submitted command is done, and its modelled end. */
struct emu_completion {
    atomic_int references;
    bool done;
    double end_ns;
};
void emu_completion_release(emu_completion *completion);

typedef struct emu_submission {
    struct emu_submission *next;
    emu_command *command;
    emu_completion *completion;
    double host_ns; /* modelled host clock when it was handed over */
    size_t wait_count;
    emu_completion *waits[]; /* other streams' work to wait for */
} emu_submission;

struct CUstream_st {
    emu_handle handle;
    CUcontext context;
    CUstream next; /* in the context */
    unsigned flags;
    uint64_t id;
    bool is_legacy;
    bool is_thread_default; /* made for one thread by handle 2 */
    pthread_t thread_default_of;

    atomic_int references; /* the handle, the worker, events of a capture */
    bool has_worker, stop; /* stop: the handle is destroyed */
    pthread_cond_t work;
    emu_submission *first, *last_submission;
    emu_completion *last; /* of the newest command, NULL before the first */
    double clock_ns;      /* modelled end of what has run */

    size_t wait_count; /* completions that the next command must wait for (cuStreamWaitEvent) */
    emu_completion **waits;

    struct emu_capture *capture; /* NULL: none */
    CUstream next_captured;      /* in the capture */
    size_t dependency_count;
    CUgraphNode *dependencies; /* nodes that the next captured one depends on */
};

/* Hands a command to a stream, after everything that CUDA orders before it: earlier commands, waits
 * added, and across the legacy stream and blocking streams. Takes over the caller's reference in
 * any case. Sets *out (may be NULL) to a new reference on its completion. Lock held; the stream is
 * not being captured. */
CUresult emu_queue_submit(emu_completion **out, CUstream stream, emu_command *command);

/* Makes the stream's next command wait for `completion`. Lock held. */
CUresult emu_queue_wait_for(CUstream stream, emu_completion *completion);

/* Waits until `completion` is done (NULL: nothing to wait for) and moves the modelled host clock
 * there. Lock held; it is given up meanwhile. Returns the sticky error if the process is lost. */
CUresult emu_queue_join(emu_completion *completion);
/* The same for all that was submitted to a stream, or to every stream of a context. Lock held. */
CUresult emu_queue_join_stream(CUstream stream);
CUresult emu_queue_join_context(CUcontext context);
/* Whether all that was submitted to the stream is done. Lock held. */
bool emu_queue_idle(CUstream stream);

/* Ends the handle's validity, and the worker once its queue is empty. Until then the stream stays
 * in its context's list, so that a wait for the context includes its work. Lock held. */
void emu_stream_retire(CUstream stream);
