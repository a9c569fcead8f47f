/* Streams, whose commands run on threads, and completions, which record when a command ends. Call
 * the emu_queue_ functions with the lock held. */
#pragma once

#include "emulator/context.h"
#include "emulator/driver.h"

typedef struct emu_command emu_command;
typedef struct emu_completion emu_completion;

/* The type of a command. Commands are immutable and shared, because graphs run them repeatedly. */
typedef struct emu_command_class {
    /* Executes the command, beginning at the modelled time `start_ns`, and returns its duration in
     * modelled ns. Called without the lock, by one thread at a time. */
    double (*run)(emu_command *command, double start_ns);
    void (*release)(emu_command *command); /* frees the members of the command; may be NULL */
    bool is_kernel; /* true if the gap between two kernels is added to the time of the command */
    bool has_handle;
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
    double host_ns; /* modelled host clock when the command was submitted */
    size_t wait_count;
    emu_completion *waits[]; /* work of other streams that must end before the command starts */
} emu_submission;

struct CUstream_st {
    emu_handle handle;
    CUcontext context;
    CUstream next; /* next stream of the context */
    unsigned flags;
    uint64_t id;
    bool is_legacy;
    bool is_thread_default; /* true for the default stream of a thread (handle 2) */
    pthread_t thread_default_of;

    atomic_int references; /* number of references from the handle and the worker */
    bool has_worker, stop; /* `stop` is set when the stream is destroyed */
    pthread_cond_t work;
    emu_submission *first, *last_submission;
    emu_completion *last; /* completion of the latest command; NULL without commands */
    double clock_ns;      /* modelled end of the commands that have already run */

    size_t wait_count; /* completions that the next command waits for */
    emu_completion **waits;

    struct emu_capture *capture; /* the capture of the stream, or NULL */
    CUstream next_captured;
    size_t dependency_count;
    CUgraphNode *dependencies; /* dependencies of the next captured node */
};

/* Submits a command to a stream that is not being captured. The command runs after the stream's
 * earlier commands and waits, and is ordered with the legacy stream as in CUDA. Takes ownership of
 * the caller's reference. If `out` is not NULL, sets *out to a new reference to the completion. */
CUresult emu_queue_submit(emu_completion **out, CUstream stream, emu_command *command);

/* Makes the stream's next command wait for `completion`, which may be NULL. */
CUresult emu_queue_wait_for(CUstream stream, emu_completion *completion);

/* Waits for `completion`, unless it is NULL, and advances the modelled host clock to its end_ns.
 * The lock is released during the wait. Returns the sticky error if there is one. */
CUresult emu_queue_join(emu_completion *completion);
/* Wait for all work of a stream, or of all streams of a context. */
CUresult emu_queue_join_stream(CUstream stream);
CUresult emu_queue_join_context(CUcontext context);
bool emu_queue_idle(CUstream stream);

/* Makes the handle invalid, and ends the worker after its last command. Until then, the stream
 * stays in its context's list, so waits for the context include its work. Call it with the lock
 * held. */
void emu_stream_retire(CUstream stream);
