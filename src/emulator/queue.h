/* Streams as command queues, each with a worker thread; completions of submitted work; and the
 * modelled start and end of each command. */
#pragma once

#include "emulator/context.h"
#include "emulator/driver.h"

typedef struct emu_command emu_command;
typedef struct emu_completion emu_completion;

/* A class of commands. Commands are immutable once submitted and shared by reference: a graph runs
 * the same command many times. */
typedef struct emu_command_class {
    /* Executes the command and returns its modelled time in ns. Called without the lock, by one
     * thread at a time; `start_ns` is the modelled start. */
    double (*run)(emu_command *command, double start_ns);
    void (*release)(emu_command *command); /* frees the command's members; may be NULL */
    bool is_kernel;                        /* costs the gap between kernels */
    bool has_handle;                       /* the command has a handle */
} emu_command_class;

struct emu_command {
    const emu_command_class *class;
    atomic_int references;
};

/* Allocates a command of `bytes` with one reference; NULL if memory runs out. */
void *emu_command_new(const emu_command_class *class, size_t bytes);
emu_command *emu_command_retain(emu_command *command);
void emu_command_release(emu_command *command);

/* The completion of a submitted command, and its modelled end. */
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
    double host_ns; /* modelled host clock at submission */
    size_t wait_count;
    emu_completion *waits[]; /* work of other streams to wait for */
} emu_submission;

struct CUstream_st {
    emu_handle handle;
    CUcontext context;
    CUstream next; /* next in the context */
    unsigned flags;
    uint64_t id;
    bool is_legacy;
    bool is_thread_default; /* created for one thread by handle 2 */
    pthread_t thread_default_of;

    atomic_int references; /* the handle, the worker, and events of a capture */
    bool has_worker, stop; /* stop: the handle was destroyed */
    pthread_cond_t work;
    emu_submission *first, *last_submission;
    emu_completion *last; /* of the latest command; NULL before the first */
    double clock_ns;      /* modelled end of executed commands */

    size_t wait_count; /* completions that the next command waits for (cuStreamWaitEvent) */
    emu_completion **waits;

    struct emu_capture *capture; /* NULL: none */
    CUstream next_captured;      /* next in the capture */
    size_t dependency_count;
    CUgraphNode *dependencies; /* dependencies of the next captured node */
};

/* Submits a command to a stream, after everything that CUDA orders before it: earlier commands,
 * added waits, and work across the legacy stream and blocking streams. Always takes over the
 * caller's reference. Sets *out, which may be NULL, to a new reference to its completion. Lock
 * held; the stream must not be captured. */
CUresult emu_queue_submit(emu_completion **out, CUstream stream, emu_command *command);

/* Makes the stream's next command wait for `completion`. Lock held. */
CUresult emu_queue_wait_for(CUstream stream, emu_completion *completion);

/* Waits for `completion` (NULL: returns at once) and advances the modelled host clock to its end.
 * Lock held, but released while waiting. Returns the sticky error if there is one. */
CUresult emu_queue_join(emu_completion *completion);
/* The same for all work of a stream, or of every stream of a context. Lock held. */
CUresult emu_queue_join_stream(CUstream stream);
CUresult emu_queue_join_context(CUcontext context);
/* Returns true if all work of the stream is done. Lock held. */
bool emu_queue_idle(CUstream stream);

/* Invalidates the handle, and ends the worker when its queue is empty. Until then the stream stays
 * in its context's list, so waits for the context include its work. Lock held. */
void emu_stream_retire(CUstream stream);
