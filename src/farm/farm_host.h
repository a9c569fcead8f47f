/* The host's side of the farm, shared by farm.c, farm_slot.c, farm_compile.c and farm_measure.c. */
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

/* Starts a worker. The first argument is the path farm->worker; NULL ends the list. *link must be
 * zeroed before the call, and is not changed on failure. Returns EWORKER or ENOMEM. */
gputune_status gt_link_spawn(gt_link *link, const gt_host_farm *farm, bool measure,
                             const char *const *arguments);

typedef enum gt_push { GT_PUSH_DONE, GT_PUSH_AGAIN, GT_PUSH_CLOSED } gt_push;

typedef struct gt_death {
    bool crashed; /* true if the worker was ended by a signal such as SIGSEGV */
    char words[128];
} gt_death;
/* Waits up to `seconds` for the worker to exit, kills it if it has not, and closes the link. Does
 * nothing if the link is not open. `out` may be NULL. */
void gt_link_finish(gt_link *link, gt_death *out, double seconds);

/* An encoded frame. It has a reference count, because several requests can use the same frame. */
typedef struct gt_packet {
    unsigned references;
    gt_text text;
} gt_packet;

typedef struct gt_farm_request {
    struct gt_farm_request *next;
    gt_frame_kind kind;
    /* `sequence`: number of the frame, which is repeated in the answer; `id`: id of the event */
    uint64_t sequence, id;
    gt_packet *packet;
    gt_event event;     /* the event to be returned by wait() when the request has ended */
    unsigned attempts;  /* number of workers that died while processing this request */
    bool forgotten;     /* true if the request is a cancelled compile job */
    uint64_t key;       /* gt_compile_job.key */
    uint64_t *variants; /* variants that must be loaded for this sample or recheck; owned */
    uint32_t variant_count;
    gputune_objective objective;
    /* true if the farm itself made this request, to load a setup or variant again; has no event */
    bool internal;
    /* true: variants of this request are loaded by earlier ones, so send it after their answers */
    bool alone;
} gt_farm_request;

typedef struct gt_queue {
    gt_farm_request *first;
    size_t count;
} gt_queue;

typedef struct gt_slot gt_slot;

/* The functions in which compile workers and measure workers differ. */
typedef struct gt_worker_role {
    /* Handles a frame from the worker. Returns false if the worker must be replaced. */
    bool (*handle)(gt_slot *slot, const gt_frame *frame);
    void (*died)(gt_slot *slot);
    /* Returns the seconds until the first request exceeds its time limit; INFINITY: no limit. */
    double (*left_s)(gt_slot *slot);
    /* Called when the first request has exceeded its time limit. Ends the worker. */
    void (*late)(gt_slot *slot);
} gt_worker_role;

/* A worker process, which is replaced when it ends, and the requests for it. The clock is started
 * again with each new worker, request and variant. */
struct gt_slot {
    gt_host_farm *farm;
    const gt_worker_role *role;
    gt_link link;
    /* requests in order; the first `sent` were sent, and the worker is processing the first one */
    gt_queue queue;
    /* `sent`: number of requests sent; `offset`: number of bytes sent of the next request */
    size_t sent, offset;
    bool full;  /* true if the channel does not accept more data at the moment */
    bool ready; /* true after the worker has loaded the compiler or opened the device */
    int64_t since_ns;
    int64_t computed_ns; /* processor time of the worker when the clock was started */
    gt_hand hand;        /* last report of the measure worker about its current work */
    uint64_t generation; /* number of workers that have been started for this slot */
};

/* Encodes `job` as a frame. The caller owns the packet's only reference. */
gputune_status gt_packet_make(gt_packet **out, gt_frame_kind kind, const void *job);
/* Add and remove a reference. gt_packet_drop() accepts NULL. */
gt_packet *gt_packet_keep(gt_packet *packet);
void gt_packet_drop(gt_packet *packet);

/* Makes a request. It takes over the caller's reference to the packet, even on failure. */
gputune_status gt_farm_request_make(gt_farm_request **out, gt_host_farm *farm, gt_frame_kind kind,
                                    uint64_t id, gt_packet *packet);
void gt_farm_request_free(gt_farm_request *request);

gt_farm_request *gt_queue_at(const gt_queue *queue, size_t index);
/* Inserts a request at `index`. The queue owns the request from now on. */
void gt_queue_put(gt_queue *queue, size_t index, gt_farm_request *request);
/* Removes the request at `index` and returns it. The caller owns it from now on. */
gt_farm_request *gt_queue_take(gt_queue *queue, size_t index);
void gt_queue_clear(gt_queue *queue);

void gt_slot_start_clock(gt_slot *slot);
/* Returns the seconds since the slot's clock was started. For a compiler or the emulator, returns
 * the processor time since then instead. */
double gt_slot_spent_s(const gt_slot *slot);
/* Returns the seconds until the worker must be checked again; 0 or less if it has exceeded its time
 * limit of `allowed_s` seconds. A compiler or the emulator may have waited for a core. It gets up
 * to a minute more if it is still running and has used less processor time than `allowed_s`. */
double gt_slot_left_s(const gt_slot *slot, double allowed_s);

/* Resets the slot after a worker was started, and starts the clock. */
void gt_slot_begin(gt_slot *slot);
/* Marks all requests as not sent, but keeps them in the queue. */
void gt_slot_unsend(gt_slot *slot);
/* Frees all requests, including the one that is being processed. */
void gt_slot_clear(gt_slot *slot);
/* Removes the request at `index` and returns it. The caller owns it from now on. */
gt_farm_request *gt_slot_take(gt_slot *slot, size_t index);
/* Decodes an answer. Its result goes to the request's event, and its message becomes the thread's
 * message. EWORKER if the answer is malformed. */
gputune_status gt_answer_read(gt_farm_request *request, const gt_frame *frame);
/* Ends a request. Its event is queued for wait(); if the request failed, the event gets the
 * thread's message. A request without an event is freed. The latest cancelled compile jobs that
 * succeeded are kept, because the next tuning may submit them again. */
void gt_farm_request_end(gt_host_farm *farm, gt_farm_request *request);

/* Removes the request that is being processed, and returns it to the caller. Restarts the clock. */
gt_farm_request *gt_slot_pop(gt_slot *slot);
/* Sends the next request, or as much of it as the channel accepts. Starts the clock if it is the
 * only request that was sent. */
gt_push gt_slot_push(gt_slot *slot);
/* Reads frames and passes them to the role. If the worker has ended, calls role->died(). */
void gt_slot_receive(gt_slot *slot);
/* Returns the seconds until role->late() must be called; INFINITY: there is no time limit. */
double gt_slot_patience(gt_slot *slot);

/* ---- farm_compile.c -------------------------------------------------------------------------- */

enum { GT_IN_FLIGHT = 2, GT_COMPILE_WORKERS_MAX = 256 };

typedef struct gt_compile_host {
    gt_slot *slots;
    uint32_t slot_count;
    uint32_t limit; /* maximum number of workers; reduced if a worker cannot be started */
    /* number of workers that may compile now; less than `limit` while other farms use cores */
    uint32_t allowed;
    bool shares_cores;
    int cores;
    uint32_t place;
    unsigned start_failures; /* number of consecutive workers that ended before they were ready */
    gt_queue queue;          /* jobs that are not assigned to a worker yet */
    gt_queue kept;           /* cancelled jobs that compiled successfully, oldest first */
    gt_texts environment;
    char driver_version[16]; /* value of the workers' option --driver-version */
    char memory_mb[24];
} gt_compile_host;

/* Lets this farm share the cores with the other farms of this process, or with the farms of all
 * processes that use the file named by GPUTUNE_CORES. If too many farms use the file, this farm
 * does not share, but uses all cores. */
void gt_cores_join(gt_compile_host *host);
void gt_cores_leave(gt_compile_host *host);
/* Sets host->allowed to the number of cores that other farms leave idle, but at least to an equal
 * share and at most to host->limit. Shows other farms how many cores this farm uses. */
void gt_cores_divide(gt_compile_host *host);

/* ---- farm_measure.c -------------------------------------------------------------------------- */

/* A variant that is loaded, or will be loaded, in the measure worker. */
typedef struct gt_live_variant {
    uint64_t id;
    gt_packet *packet;   /* request with which a new worker can load the variant again */
    uint64_t generation; /* number of the worker that last loaded the variant; 0: none */
    double work;
    double launch_ns; /* time of the variant's first launch */
    bool standard, patient;
} gt_live_variant;

typedef struct gt_measure_host {
    gt_slot slot;
    bool has_device;
    gt_device device;
    gt_packet *setup; /* latest prepare request; NULL: nothing is prepared */
    gt_lost lost;     /* experiments that crashed or blocked a worker */
    GT_ARRAY(gt_live_variant) variants;
    double least_s; /* minimum time limit of a proof or sample in seconds */
    /* launch time of the reference in ns, and preparation time of the setup in seconds */
    double reference_ns, prepare_s;
    unsigned blameless;     /* number of workers that died in a row without a variant to blame */
    gputune_status refusal; /* status with which all requests fail; 0: requests are accepted */
    char refusal_message[512];
    gt_texts environment;
    char ordinal[16]; /* value of the worker's option --ordinal */
} gt_measure_host;

/* ---- The farm -------------------------------------------------------------------------------- */

struct gt_host_farm {
    gt_farm farm;            /* first member, because gt_host_of() casts a gt_farm to this struct */
    gt_farm_options options; /* options of the caller, with default values filled in */
    char *worker;            /* path of gputune-worker; owned */
    bool emulated;
    uint64_t next_sequence;
    gt_queue ended;        /* requests that have ended; wait() returns their events */
    gputune_status broken; /* status with which all calls fail; 0: the farm is usable */
    char broken_message[512];
    gt_compile_host compile;
    gt_measure_host measure;
    /* file descriptors for poll(): those of the compile slots, then the measure slot's */
    struct pollfd *descriptors;
};

static inline gt_host_farm *gt_host_of(gt_farm *farm)
{
    return (gt_host_farm *)(void *)farm;
}

/* Makes the farm unusable: from now on, all calls fail with `status` and the current message of
 * this thread. If the farm is unusable already, does nothing. */
void gt_farm_break(gt_host_farm *farm, gputune_status status);
/* Fails if the farm is unusable. */
gputune_status gt_farm_usable(const gt_host_farm *farm);

extern const gt_worker_role gt_compile_role, gt_measure_role;

/* Queues a copy of the job, and assigns it to a worker if one is available. */
gputune_status gt_compile_submit(gt_farm *base, const gt_compile_job *job);
/* Starts some workers, so they load the compiler before the first job arrives. */
void gt_compile_start_ahead(gt_host_farm *farm);
/* Assigns queued jobs to workers, starts workers if necessary, and sends requests. */
void gt_compile_pump(gt_host_farm *farm);
/* Returns the seconds after which gt_compile_pump() must be called again, or INFINITY. */
double gt_compile_patience(const gt_host_farm *farm);
uint32_t gt_compile_list(gt_farm *base, gt_compiling *out, uint32_t count);
void gt_compile_give_up(gt_farm *base, uint64_t id);
/* Discards queued jobs. Workers finish the jobs that they have, but their answers are ignored. */
void gt_compile_cancel(gt_host_farm *farm);
/* Kills all compile workers, and frees slots and jobs. */
void gt_compile_close(gt_host_farm *farm);

/* Queues a request for the measure worker, and sends as much of it as the channel accepts. */
void gt_measure_submit(gt_measure_host *host, gt_farm_request *request);
/* Starts a measure worker. Sets host->refusal on failure. */
void gt_measure_start(gt_measure_host *host);
/* Starts a worker if there is none, and sends queued requests. If host->refusal is set, fails all
 * requests instead. */
void gt_measure_pump(gt_measure_host *host);
/* Discards all requests and variants and the setup. Kills the worker if it is busy. */
void gt_measure_cancel(gt_measure_host *host);
/* Ends the measure worker and frees its requests, variants and setup. */
void gt_measure_free(gt_measure_host *host);

/* Remove variants from the list, without informing the worker. gt_live_drop() keeps the default
 * variant if it is proved. */
void gt_live_forget_all(gt_measure_host *host);
void gt_live_forget(gt_measure_host *host, uint64_t id);
void gt_live_drop(gt_measure_host *host, uint64_t id);

void gt_measure_interrupt(gt_farm *base);
