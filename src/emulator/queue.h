/* Streams, each of which runs commands on its own thread, and completions, which hold the modelled
 * time at which a command ended. */
#pragma once

#include "emulator/context.h"
#include "emulator/driver.h"

typedef struct emu_command emu_command;
typedef struct emu_completion emu_completion;

/* A class of commands. A submitted command does not change and is shared by reference, because a
 * graph runs the same command many times. */
typedef struct emu_command_class {
    /* Executes the command and returns how long it takes in modelled ns. Called without the lock,
     * by one thread at a time; `start_ns` is the modelled start. */
    double (*run)(emu_command *command, double start_ns);
    void (*release)(emu_command *command); /* frees the members of the command; may be NULL */
    bool is_kernel;  /* true if the gap between kernels is part of the command's time */
    bool has_handle; /* true if the command has a handle */
} emu_command_class;

struct emu_command {
    const emu_command_class *class;
    atomic_int references;
};

/* Allocates a command of `bytes` bytes with one reference, or returns NULL if memory runs out. */
void *emu_command_new(const emu_command_class *class, size_t bytes);
emu_command *emu_command_retain(emu_command *command);
void emu_command_release(emu_command *command);

/* The time at which a submitted command ends. */
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
    double host_ns; /* modelled host clock when it was submitted */
    size_t wait_count;
    emu_completion *waits[]; /* work of other streams that must end first */
} emu_submission;

struct CUstream_st {
    emu_handle handle;
    CUcontext context;
    CUstream next; /* next stream of the context */
    unsigned flags;
    uint64_t id;
    bool is_legacy;
    bool is_thread_default; /* true for the default stream of a thread, which has handle 2 */
    pthread_t thread_default_of;

    atomic_int references; /* references of the handle and of the worker */
    bool has_worker, stop; /* stop: true after the stream was destroyed */
    pthread_cond_t work;
    emu_submission *first, *last_submission;
    emu_completion *last; /* completion of the latest command; NULL: no command was submitted */
    double clock_ns;      /* modelled end of the commands that have run */

    size_t
        wait_count; /* number of completions that the next command waits for (cuStreamWaitEvent) */
    emu_completion **waits;

    struct emu_capture *capture; /* the capture of the stream; NULL: the stream is not captured */
    CUstream next_captured;
    size_t dependency_count;
    CUgraphNode *dependencies; /* dependencies of the next captured node */
};

/* Submits a command to a stream. It runs after the stream's earlier commands and waits, and is
 * ordered with the legacy stream like in CUDA. Takes ownership of the caller's reference. Sets
 * *out, unless `out` is NULL, to a new reference to the completion. The stream must not be
 * captured. Lock held. */
CUresult emu_queue_submit(emu_completion **out, CUstream stream, emu_command *command);

/* Makes the next command of the stream wait for `completion`, which may be NULL. Lock held. */
CUresult emu_queue_wait_for(CUstream stream, emu_completion *completion);

/* Waits for `completion` (NULL: returns immediately) and advances the modelled host clock to its
 * end. Returns the sticky error if there is one. The lock is held, but released while waiting. */
CUresult emu_queue_join(emu_completion *completion);
/* Wait for all work of a stream, or of all streams of a context. Lock held. */
CUresult emu_queue_join_stream(CUstream stream);
CUresult emu_queue_join_context(CUcontext context);
/* Returns true if all work of the stream is done. Lock held. */
bool emu_queue_idle(CUstream stream);

/* Makes the handle invalid, and ends the worker after its last command. Until then the stream is in
 * its context's list, so waits for the context include its work. Lock held. */
void emu_stream_retire(CUstream stream);
