/* The host's side of the farm, for farm.c, farm_slot.c, farm_compile.c and farm_measure.c. */
#pragma once

#include "base/array.h"
#include "farm/farm.h"
#include "farm/process.h"
#include "farm/wire.h"
#include "farm/worker.h"

#include <poll.h>
#include <pthread.h>

typedef struct gt_host_farm gt_host_farm;

typedef struct gt_link {
    bool open;
    int channel;
    gt_process process;
    gt_frame_reader reader;
} gt_link;

/* Starts a worker. `arguments` begin with farm->worker and end with NULL. *link must be zeroed; it
 * is unchanged on failure. EWORKER, ENOMEM. */
gputune_status gt_link_spawn(gt_link *link, const gt_host_farm *farm, bool measure,
                             const char *const *arguments);

typedef enum gt_push { GT_PUSH_DONE, GT_PUSH_AGAIN, GT_PUSH_CLOSED } gt_push;

typedef struct gt_death {
    bool crashed; /* true if a signal such as SIGSEGV ended the worker */
    char words[128];
} gt_death;
/* Waits up to `seconds` for the worker to end, then kills it, and closes the link. Does nothing if
 * the link is closed. `out` may be NULL. */
void gt_link_finish(gt_link *link, gt_death *out, double seconds);

/* An encoded frame with a reference count, so requests about one variant can share it. */
typedef struct gt_packet {
    unsigned references;
    gt_text text;
} gt_packet;

typedef struct gt_farm_request {
    struct gt_farm_request *next;
    gt_frame_kind kind;
    /* `sequence`: number of the frame, which the answer repeats; `id`: id of the event */
    uint64_t sequence, id;
    gt_packet *packet;
    gt_event event;     /* the event that wait() returns when the request ends */
    unsigned attempts;  /* number of workers that died during this request */
    bool forgotten;     /* true for a cancelled compile job */
    uint64_t key;       /* gt_compile_job.key */
    uint64_t *variants; /* variants that a sample or recheck needs; owned */
    uint32_t variant_count;
    gputune_objective objective;
    /* true if the farm itself made the request, to reload a setup or variant; it has no event */
    bool internal;
    /* true: send it only after all earlier requests are answered, as some reload its variants */
    bool alone;
} gt_farm_request;

typedef struct gt_queue {
    gt_farm_request *first;
    size_t count;
} gt_queue;

typedef struct gt_slot gt_slot;

/* The functions that differ between compile and measure workers. */
typedef struct gt_worker_role {
    /* Handles a frame from the worker. Returns false if the worker is unusable. */
    bool (*handle)(gt_slot *slot, const gt_frame *frame);
    void (*died)(gt_slot *slot);
    /* Returns the seconds until the first request exceeds its time limit, or INFINITY. */
    double (*left_s)(gt_slot *slot);
    /* Ends the worker, because its first request has exceeded the time limit. */
    void (*late)(gt_slot *slot);
} gt_worker_role;

/* Holds one worker at a time, and its requests. The clock restarts with each worker, and with each
 * request or variant that the worker begins. */
struct gt_slot {
    gt_host_farm *farm;
    const gt_worker_role *role;
    gt_link link;
    /* requests in order; the first `sent` were sent, and the worker is processing the first one */
    gt_queue queue;
    /* `sent`: number of requests sent; `offset`: bytes sent of the next request */
    size_t sent, offset;
    bool full;  /* true if the channel accepts no more data for now */
    bool ready; /* true after the worker has loaded its compiler or opened its context */
    int64_t since_ns;
    int64_t computed_ns; /* the worker's processor time when the clock started */
    gt_hand hand;        /* current work, as a measure worker last reported it */
    uint64_t generation; /* number of workers that this slot has had */
};

/* Encodes `job` as a frame with one reference. ENOMEM. */
gputune_status gt_packet_make(gt_packet **out, gt_frame_kind kind, const void *job);
/* Add and drop a reference. NULL may be dropped. */
gt_packet *gt_packet_keep(gt_packet *packet);
void gt_packet_drop(gt_packet *packet);

/* Makes a request. Takes over the caller's reference to the packet, even on failure. */
gputune_status gt_farm_request_make(gt_farm_request **out, gt_host_farm *farm, gt_frame_kind kind,
                                    uint64_t id, gt_packet *packet);
void gt_farm_request_free(gt_farm_request *request);

gt_farm_request *gt_queue_at(const gt_queue *queue, size_t index);
/* Inserts a request, which the queue then owns, at `index`. */
void gt_queue_put(gt_queue *queue, size_t index, gt_farm_request *request);
/* Removes and returns the request at `index`, which the caller then owns. */
gt_farm_request *gt_queue_take(gt_queue *queue, size_t index);
void gt_queue_clear(gt_queue *queue);

void gt_slot_start_clock(gt_slot *slot);
/* Returns the seconds since the clock started. For compilers and the emulator, which compute on the
 * host, these are seconds of processor time. */
double gt_slot_spent_s(const gt_slot *slot);
/* Returns the seconds until the worker is late or must be checked again; <= 0 if it is late. A
 * worker is late after `allowed_s` seconds. A compiler or the emulator gets up to a minute more,
 * until it has used `allowed_s` seconds of processor time, or sleeps. */
double gt_slot_left_s(const gt_slot *slot, double allowed_s);

/* Resets the slot for a new worker, and starts the clock. */
void gt_slot_begin(gt_slot *slot);
/* Marks all requests as unsent; they stay queued. */
void gt_slot_unsend(gt_slot *slot);
/* Frees all requests, including one in progress. */
void gt_slot_clear(gt_slot *slot);
/* Removes and returns a request, which the caller then owns. */
gt_farm_request *gt_slot_take(gt_slot *slot, size_t index);
/* Reads an answer into the request's event and the thread's message. EWORKER if malformed. */
gputune_status gt_answer_read(gt_farm_request *request, const gt_frame *frame);
/* Ends a request: queues its event for wait(), with the thread's message after a failure. Frees a
 * request that has no event. Keeps the latest cancelled compile jobs that succeeded, because the
 * next tuning may submit them again. */
void gt_farm_request_end(gt_host_farm *farm, gt_farm_request *request);

/* Removes and returns the request in progress, which the caller then owns. Restarts the clock. */
gt_farm_request *gt_slot_pop(gt_slot *slot);
/* Sends as much of the next request as the channel accepts. The first request starts the clock. */
gt_push gt_slot_push(gt_slot *slot);
/* Passes the worker's frames to the role, and handles the worker's end. */
void gt_slot_receive(gt_slot *slot);
/* Returns the seconds until the role's late() must be called, or INFINITY. */
double gt_slot_patience(gt_slot *slot);

/* ---- farm_compile.c -------------------------------------------------------------------------- */

enum { GT_IN_FLIGHT = 2, GT_COMPILE_WORKERS_MAX = 256 };

typedef struct gt_compile_host {
    gt_slot *slots;
    uint32_t slot_count;
    uint32_t limit; /* maximum number of workers; lowered if starting a worker fails */
    /* number of workers that may compile now; less than `limit` if other farms use cores */
    uint32_t allowed;
    bool shares_cores;
    int cores;
    uint32_t place;
    unsigned start_failures; /* consecutive workers that ended before they were ready */
    gt_queue queue;          /* jobs not yet given to a worker */
    gt_queue kept;           /* cancelled jobs whose compile succeeded, oldest first */
    gt_texts environment;
    char driver_version[16]; /* argument --driver-version of the workers */
    char memory_mb[24];
} gt_compile_host;

/* Shares the cores with the other farms of this process or, if GPUTUNE_CORES names a file, with the
 * farms of all processes that use this file. Shares nothing if the file has no free place. */
void gt_cores_join(gt_compile_host *host);
void gt_cores_leave(gt_compile_host *host);
/* Sets host->allowed to an equal share of the cores or, if that is more, to the number of cores
 * that other farms leave idle, but at most to host->limit. Reports this farm's cores to other
 * farms. */
void gt_cores_divide(gt_compile_host *host);

/* ---- farm_measure.c -------------------------------------------------------------------------- */

/* A variant that the measure worker has loaded or will load. */
typedef struct gt_live_variant {
    uint64_t id;
    gt_packet *packet;   /* the variant's verify request, which a new worker uses to load it */
    uint64_t generation; /* number of the worker that proved or last loaded the variant; 0: none */
    double work;
    bool standard, patient;
} gt_live_variant;

typedef struct gt_measure_host {
    gt_slot slot;
    bool has_device;
    gt_device device;
    gt_packet *setup; /* the latest prepare request; NULL: nothing is prepared */
    gt_lost lost;     /* experiments of the data proof that ended a worker */
    GT_ARRAY(gt_live_variant) variants;
    double least_s; /* minimum time limit of a proof or sample, in seconds */
    /* time of one launch of the reference in ns, and of preparing the setup in seconds */
    double reference_ns, prepare_s;
    unsigned blameless;     /* consecutive workers whose end no variant caused */
    gputune_status refusal; /* if not 0, all requests fail with this status */
    char refusal_message[512];
    gt_texts environment;
    char ordinal[16]; /* argument --ordinal of the worker */
} gt_measure_host;

/* ---- The farm -------------------------------------------------------------------------------- */

struct gt_host_farm {
    gt_farm farm;            /* must be first, because gt_farm * is cast to gt_host_farm * */
    gt_farm_options options; /* the caller's options, completed with defaults */
    char *worker;            /* path of gputune-worker; owned */
    bool emulated;
    uint64_t next_sequence;
    gt_queue ended;        /* ended requests whose events wait() will return */
    gputune_status broken; /* if not 0, all calls fail with this status */
    char broken_message[512];
    gt_compile_host compile;
    gt_measure_host measure;
    struct pollfd *descriptors; /* for poll(): one per compile slot, then the measure slot's */
};

static inline gt_host_farm *gt_host_of(gt_farm *farm)
{
    return (gt_host_farm *)(void *)farm;
}

/* Makes the farm unusable, so all later calls fail with this status and the thread's message. Later
 * calls of this function have no effect. */
void gt_farm_break(gt_host_farm *farm, gputune_status status);
/* Fails if the farm is unusable. */
gputune_status gt_farm_usable(const gt_host_farm *farm);

extern const gt_worker_role gt_compile_role, gt_measure_role;

/* Queues a copy of the job and calls gt_compile_pump(). ENOMEM. */
gputune_status gt_compile_submit(gt_farm *base, const gt_compile_job *job);
/* Starts up to `most` workers, so compilers are loaded before the first job. */
void gt_compile_start_ahead(gt_host_farm *farm, uint32_t most);
/* Distributes queued jobs, starts workers as needed, and sends requests. */
void gt_compile_pump(gt_host_farm *farm);
/* Returns the seconds until gt_compile_pump() must be called again, or INFINITY. */
double gt_compile_patience(const gt_host_farm *farm);
uint32_t gt_compile_list(gt_farm *base, gt_compiling *out, uint32_t count);
void gt_compile_give_up(gt_farm *base, uint64_t id);
/* Discards queued jobs. Workers finish their current jobs, whose answers are ignored. */
void gt_compile_cancel(gt_host_farm *farm);
/* Kills all compile workers, and frees slots and jobs. */
void gt_compile_close(gt_host_farm *farm);

/* Queues a request for the measure worker, and sends as much as the channel accepts. */
void gt_measure_submit(gt_measure_host *host, gt_farm_request *request);
/* Starts a measure worker. On failure sets host->refusal. */
void gt_measure_start(gt_measure_host *host);
/* Sends queued requests, and starts a worker if necessary. After a refusal, fails all requests. */
void gt_measure_pump(gt_measure_host *host);
/* Discards requests, variants and setup, and kills a busy worker. */
void gt_measure_cancel(gt_measure_host *host);
/* Ends the measure worker and frees its requests, variants and setup. */
void gt_measure_free(gt_measure_host *host);

/* Forget variants without notifying the worker. gt_live_drop() does not forget a proved default. */
void gt_live_forget_all(gt_measure_host *host);
void gt_live_forget(gt_measure_host *host, uint64_t id);
void gt_live_drop(gt_measure_host *host, uint64_t id);

void gt_measure_interrupt(gt_farm *base);
