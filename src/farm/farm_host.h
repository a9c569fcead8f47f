/* The host's side of the farm: declarations shared by farm.c, farm_slot.c, farm_compile.c and
 * farm_measure.c. Only one thread at a time uses a farm. */
#pragma once

#include "base/array.h"
#include "farm/farm.h"
#include "farm/process.h"
#include "farm/wire.h"
#include "farm/worker.h"

#include <poll.h>
#include <pthread.h>

typedef struct gt_host_farm gt_host_farm;

/* ---- farm_slot.c: one worker and the channel to it ------------------------------------------- */

typedef struct gt_link {
    bool open;
    int channel;
    gt_process process;
    bool greeted; /* true if the worker has sent a hello with the right version */
    int64_t start_ns;
    gt_frame_reader reader;
} gt_link;

/* Starts a worker process. `arguments` begin with farm->worker and end with NULL. *link must be all
 * zero, and is not changed on failure. EWORKER, ENOMEM. */
gputune_status gt_link_spawn(gt_link *link, const gt_host_farm *farm, bool measure,
                             const char *const *arguments);

/* The result of sending a request. */
typedef enum gt_push { GT_PUSH_DONE, GT_PUSH_AGAIN, GT_PUSH_CLOSED } gt_push;

typedef struct gt_death {
    bool crashed; /* true if a signal such as SIGSEGV ended it; false: it exited or was killed */
    /* description of the death, such as "was ended by signal 11 (Segmentation fault)" */
    char words[128];
} gt_death;
/* Waits up to `seconds` for the worker to end, then kills it if it still runs. Closes the link.
 * Does nothing to a closed link. `out` may be NULL. */
void gt_link_finish(gt_link *link, gt_death *out, double seconds);
/* Kills the worker, even if it is processing a request. The link stays open. */
void gt_link_kill(gt_link *link);
/* Kills the worker and closes the link without waiting. */
void gt_link_abandon(gt_link *link);

/* An encoded frame with a reference count. A live variant and its requests share one frame. */
typedef struct gt_packet {
    unsigned references;
    gt_text text;
} gt_packet;

typedef struct gt_farm_request {
    struct gt_farm_request *next;
    gt_frame_kind kind;
    uint64_t sequence, id; /* number of the frame, which the answer repeats; id of the event */
    gt_packet *packet;
    gt_event event;     /* the event to return when the request ends */
    unsigned attempts;  /* number of workers that died during this request */
    bool forgotten;     /* true for a compile job that was cancelled, whose answer is ignored */
    uint64_t *variants; /* owned list of the variants that a sample or recheck needs */
    uint32_t variant_count;
    gputune_objective objective;
    /* true if the farm made the request to load a setup or variant again; no event follows */
    bool internal;
    /* true if the request must be sent alone, because its variants are being loaded again */
    bool alone;
} gt_farm_request;

typedef struct gt_queue {
    gt_farm_request *first;
    size_t count;
} gt_queue;

typedef struct gt_slot gt_slot;

/* The functions that differ between compile workers and measure workers. */
typedef struct gt_worker_role {
    /* Handles a frame from the worker. Returns false if the worker must not be used any more. */
    bool (*handle)(gt_slot *slot, const gt_frame *frame);
    /* Handles a worker of another version, or one that sent no hello. A new worker would be the
     * same. The thread's message contains the reason. */
    void (*refuse)(gt_slot *slot);
    void (*died)(gt_slot *slot);
    /* Returns the seconds until late() must be called for the first request, or INFINITY. */
    double (*left_s)(gt_slot *slot);
    /* Called when the time of the first request has expired. Ends a worker that makes no
     * progress. */
    void (*late)(gt_slot *slot);
} gt_worker_role;

/* A place for one worker at a time, with the worker's requests. Its clock starts with the worker,
 * and again with each request or variant that the worker begins. */
struct gt_slot {
    gt_host_farm *farm;
    const gt_worker_role *role;
    gt_link link;
    /* the first `sent` requests were sent; the worker is processing the first of them */
    gt_queue queue;
    size_t sent, offset; /* number of requests sent, and of bytes sent of the next request */
    bool full;           /* true if the channel currently accepts no more data */
    bool ready;          /* true if the worker has loaded its compiler, or opened its context */
    int64_t since_ns;
    int64_t computed_ns; /* processor time of the worker when the clock started */
    gt_hand hand;        /* latest report of a measure worker */
    uint64_t generation; /* number of workers that this slot has had */
};

/* Encodes `job` as a frame. *out has one reference, which is the caller's. ENOMEM. */
gputune_status gt_packet_make(gt_packet **out, gt_frame_kind kind, const void *job);
/* Add and drop a reference. gt_packet_drop() accepts NULL. */
gt_packet *gt_packet_keep(gt_packet *packet);
void gt_packet_drop(gt_packet *packet);

/* Makes a request. Takes ownership of the caller's reference to the packet, even on failure. */
gputune_status gt_farm_request_make(gt_farm_request **out, gt_host_farm *farm, gt_frame_kind kind,
                                    uint64_t id, gt_packet *packet);
void gt_farm_request_free(gt_farm_request *request);

gt_farm_request *gt_queue_at(const gt_queue *queue, size_t index);
/* Inserts a request at `index`. The queue then owns it. */
void gt_queue_put(gt_queue *queue, size_t index, gt_farm_request *request);
/* Removes and returns the request at `index`, which the caller then owns. */
gt_farm_request *gt_queue_take(gt_queue *queue, size_t index);
void gt_queue_clear(gt_queue *queue);

void gt_slot_start_clock(gt_slot *slot);
/* Returns the seconds that the worker has spent since the clock started. For compilers and the
 * emulator this is processor time, because they compute on this machine's cores. */
double gt_slot_spent_s(const gt_slot *slot);
/* Like gt_slot_spent_s(), but returns the elapsed time if the worker sleeps, because it may never
 * wake up. */
double gt_slot_charged_s(const gt_slot *slot);
/* Returns the seconds until the worker is late or should be checked again; 0 or less if it is late.
 * A worker is late if it has spent `allowed_s`, or if it sleeps after that time. A worker that
 * waits for a core or is stopped gets up to a minute more. */
double gt_slot_left_s(const gt_slot *slot, double allowed_s);

/* Resets the slot for a new worker, and starts the clock. */
void gt_slot_begin(gt_slot *slot);
/* Marks all requests as not sent; they stay queued. */
void gt_slot_unsend(gt_slot *slot);
/* Frees all requests, including the one that the worker is processing. */
void gt_slot_clear(gt_slot *slot);
/* Ends the worker without waiting, and frees all requests. */
void gt_slot_free(gt_slot *slot);
/* Removes and returns a request, sent or not, which the caller then owns. */
gt_farm_request *gt_slot_take(gt_slot *slot, size_t index);
/* Reads an answer into the request's event, and the message of the answer into the thread's
 * message. EWORKER if the answer is malformed. */
gputune_status gt_answer_read(gt_farm_request *request, const gt_frame *frame);
/* Ends a request: queues its event for wait(), with the thread's message if the request failed.
 * Frees the request instead if nobody waits for it: if it was cancelled, is internal, or is of a
 * kind without answers. */
void gt_farm_request_end(gt_host_farm *farm, gt_farm_request *request);

/* Removes and returns the request that the worker is processing, which the caller then owns. Starts
 * the clock for the next request. */
gt_farm_request *gt_slot_pop(gt_slot *slot);
/* Sends as much of the next unsent request as the channel accepts. Starts the clock if the worker
 * has no other request. */
gt_push gt_slot_push(gt_slot *slot);
/* Passes all frames from the worker to the role. Handles the end of the worker. */
void gt_slot_receive(gt_slot *slot);
/* Returns the seconds until gt_slot_check() must be called, or INFINITY. */
double gt_slot_patience(gt_slot *slot);
/* Must be called when gt_slot_patience() has expired. Refuses a worker that has not sent its hello;
 * otherwise calls the role's late(). */
void gt_slot_check(gt_slot *slot);

/* ---- farm_compile.c -------------------------------------------------------------------------- */

enum { GT_IN_FLIGHT = 2, GT_COMPILE_WORKERS_MAX = 256 };

typedef struct gt_compile_host {
    gt_slot *slots;
    uint32_t slot_count;
    uint32_t limit; /* maximum number of workers; lowered if the system cannot start as many */
    /* number of workers that may compile at the same time, because farms share the cores */
    uint32_t allowed;
    bool shares_cores;
    int cores;
    uint32_t place;
    unsigned start_failures; /* number of consecutive workers that ended before their hello */
    gt_queue queue;          /* jobs that no worker has received yet */
    gt_texts environment;
    char driver_version[16]; /* command-line arguments of the workers */
    char memory_mb[24];
} gt_compile_host;

/* Makes a farm share the cores with other farms: those of this process, or those of all processes
 * whose GPUTUNE_CORES names the same file. A farm that finds no free place does not share. */
void gt_cores_join(gt_compile_host *host);
void gt_cores_leave(gt_compile_host *host);
/* Sets host->allowed to an equal share of the cores, or to all cores that the other farms leave
 * idle if these are more, but at most to host->limit. Reports to the other farms how many cores
 * this farm uses. */
void gt_cores_divide(gt_compile_host *host);

/* ---- farm_measure.c -------------------------------------------------------------------------- */

/* A variant that may be sampled, or is being verified. */
typedef struct gt_live_variant {
    uint64_t id;
    gt_packet *packet;   /* the verify request, which also loads the variant into a new worker */
    uint64_t generation; /* number of the worker that proved or last loaded the variant; 0: none */
    double work;
    bool standard, patient;
} gt_live_variant;

typedef struct gt_measure_host {
    gt_slot slot;
    bool has_device;
    gt_device device;
    gt_packet *setup; /* the last prepare request; NULL: nothing is prepared */
    gt_lost lost;     /* experiments of this data proof that crashed a worker */
    GT_ARRAY(gt_live_variant) variants;
    double least_s;                 /* least time allowed for a proof or a sample, in seconds */
    double reference_ns, prepare_s; /* time of the reference, and of preparing the last setup */
    /* consecutive workers that ended before their context was open, and that ended without any
     * variant being the cause */
    unsigned start_failures, blameless;
    gputune_status
        refusal; /* status with which every request fails, because no worker can be used; 0: none */
    char refusal_message[512];
    bool refusal_reported; /* true if a request reported the refusal; prepare() may try a new worker
                            */
    gt_texts environment;
    char ordinal[16]; /* argument --ordinal of the worker */
} gt_measure_host;

/* ---- The farm -------------------------------------------------------------------------------- */

struct gt_host_farm {
    gt_farm farm;            /* first member, because a gt_farm * is cast to a gt_host_farm */
    gt_farm_options options; /* options of the caller, completed with defaults */
    char *worker;            /* path of gputune-worker; owned */
    bool emulated;
    uint64_t next_sequence;
    gt_queue ended;        /* requests that ended and whose events wait() has not returned yet */
    gputune_status broken; /* status of a failure that makes the whole farm unusable; 0: none */
    char broken_message[512];
    gt_compile_host compile;
    gt_measure_host measure;
    GT_ARRAY(gt_slot *) watched;         /* slots whose workers are polled */
    GT_ARRAY(struct pollfd) descriptors; /* channels of these slots, in the same order */
};

static inline gt_host_farm *gt_host_of(gt_farm *farm)
{
    return (gt_host_farm *)(void *)farm;
}

/* Makes every later request to the farm fail with this status and the thread's message. Only the
 * first call counts. */
void gt_farm_break(gt_host_farm *farm, gputune_status status);

extern const gt_worker_role gt_compile_role, gt_measure_role;

/* Queues a copy of the job, and calls gt_compile_pump(). ENOMEM. */
gputune_status gt_compile_submit(gt_host_farm *farm, const gt_compile_job *job);
/* Starts at most `most` workers, so their compilers are loaded before the first job. */
void gt_compile_start_ahead(gt_host_farm *farm, uint32_t most);
/* Gives queued jobs to workers, starts workers if needed, and sends requests. */
void gt_compile_pump(gt_host_farm *farm);
/* Returns the seconds until gt_compile_pump() should look for a worker again, or INFINITY if no job
 * is queued. */
double gt_compile_patience(const gt_host_farm *farm);
uint32_t gt_compile_list(gt_farm *base, gt_compiling *out, uint32_t count);
void gt_compile_give_up(gt_farm *base, uint64_t id);
/* Discards queued jobs. Workers finish their jobs, but the answers are discarded. */
void gt_compile_cancel(gt_host_farm *farm);
/* Ends all compile workers without waiting, and frees slots and jobs. */
void gt_compile_close(gt_host_farm *farm);

/* Queues a request for the measure worker, and sends as much as the channel accepts. */
void gt_measure_submit(gt_measure_host *host, gt_farm_request *request);
/* Starts a measure worker. On failure sets host->refusal. */
void gt_measure_start(gt_measure_host *host);
/* Sends the queued requests, and starts a measure worker if they need one. If no worker can be used
 * (host->refusal), all requests fail. */
void gt_measure_pump(gt_measure_host *host);
/* Discards requests, variants and setup. Ends a worker that is processing a request. */
void gt_measure_cancel(gt_measure_host *host);
/* Ends the measure worker, and frees requests, variants and setup. */
void gt_measure_free(gt_measure_host *host);

/* Forget all variants, or one. gt_live_drop() is for a variant that the tuner no longer needs, and
 * keeps a proved default. The worker is not notified. */
void gt_live_forget_all(gt_measure_host *host);
void gt_live_forget(gt_measure_host *host, uint64_t id);
void gt_live_drop(gt_measure_host *host, uint64_t id);

void gt_measure_interrupt(gt_farm *base);
