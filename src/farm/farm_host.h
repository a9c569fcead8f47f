/* The host's side of the farm: the declarations that farm*.c share. A farm's structs are used by
 * one thread at a time. */
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
    int channel; /* non-blocking */
    gt_process process;
    bool is_thread;
    pthread_t thread;
    bool greeted; /* the worker has said hello, and is of the same version */
    int64_t start_ns;
    gt_frame_reader reader;
} gt_link;

/* Starts a process for a worker. The arguments begin with farm->worker and end with NULL. *link
 * must be closed (all zero), and stays as it was on failure. EWORKER, ENOMEM. */
gputune_status gt_link_spawn(gt_link *link, const gt_host_farm *farm, bool measure,
                             const char *const *arguments);
/* Starts the measure loop on a thread of this process. Otherwise as gt_link_spawn(). */
gputune_status gt_link_thread(gt_link *link, const char *driver, int ordinal);

/* Result of sending a request: it is sent, or the channel is full, or the worker has closed it. */
typedef enum gt_push { GT_PUSH_DONE, GT_PUSH_AGAIN, GT_PUSH_CLOSED } gt_push;

/* How a worker ended. `words` says it as a predicate: "was ended by signal 11 (Segmentation
 * fault)". */
typedef struct gt_death {
    gt_end end;
    int code;
    char words[128];
} gt_death;
/* Waits up to `seconds` for the worker's end, kills the worker if it still runs, and closes the
 * link, unless it is closed. `out` may be NULL. */
void gt_link_finish(gt_link *link, gt_death *out, double seconds);
/* Ends the worker at once, even in the middle of a request. The link stays open. Does nothing to a
 * thread. */
void gt_link_kill(gt_link *link);
/* Kills the worker and closes the link without waiting. A thread has 3 s to close its device. */
void gt_link_abandon(gt_link *link);

/* An encoded frame, with a count of references: a live variant and its requests share one. */
typedef struct gt_packet {
    unsigned references;
    gt_text text;
} gt_packet;

/* One request to a worker. */
typedef struct gt_farm_request {
    struct gt_farm_request *next; /* in its queue */
    gt_frame_kind kind, sent_as;  /* PREPARE and VERIFY may be sent as the next frame kinds */
    uint64_t sequence, id;        /* the frame's number, which its answer repeats; the event's id */
    gt_packet *packet;
    gt_event event;     /* with which it ends */
    unsigned attempts;  /* workers that have died at it */
    bool forgotten;     /* a compile job that was canceled: its answer is dropped */
    uint64_t *variants; /* of a sample or recheck: the variants that must be loaded; owned */
    uint32_t variant_count;
    gputune_objective objective;
    bool internal; /* the farm's own, to load a setup or variant into a new worker: no event */
    bool alone;    /* is sent only as the first: the variants that it needs are being loaded */
    bool patient;  /* has ten times the deadline */
} gt_farm_request;

/* A list of requests, which the queue owns. */
typedef struct gt_queue {
    gt_farm_request *first;
    size_t count;
} gt_queue;

typedef struct gt_slot gt_slot;

/* The functions by which the compile role and the measure role differ. */
typedef struct gt_worker_role {
    /* Handles a frame from the worker. Returns false if the worker cannot be used any more. */
    bool (*handle)(gt_slot *slot, const gt_frame *frame);
    /* Handles a worker of another version, or without a hello; a new one would be alike. The
     * thread's message has the reason. */
    void (*refuse)(gt_slot *slot);
    /* Handles the worker's end. */
    void (*died)(gt_slot *slot);
    /* Returns the seconds until late() must be called for the first request; INFINITY: never. */
    double (*left_s)(gt_slot *slot);
    /* Looks at a worker whose time is over, and ends it if it makes no progress. */
    void (*late)(gt_slot *slot);
} gt_worker_role;

/* A place for one worker at a time, and its requests. Its clock (`since_ns`, `computed_ns`) starts
 * with the worker, and again with each request or variant that the worker comes to. */
struct gt_slot {
    gt_host_farm *farm;
    const gt_worker_role *role;
    gt_link link;
    gt_queue queue;      /* the first `sent` requests are with the worker, which is at the first */
    size_t sent, offset; /* requests that are sent; bytes sent of the next request */
    bool full;           /* the channel takes no more now */
    bool ready;          /* the worker's compiler is loaded, or its context is open */
    int64_t since_ns;    /* when the clock started */
    int64_t computed_ns; /* processor time that the worker had used by then */
    gt_hand hand;        /* of a measure worker: its latest report */
    uint64_t generation; /* number of the worker among those of this slot, from 1 */
};

/* Encodes `job` as a frame. *out has one reference, the caller's. ENOMEM. */
gputune_status gt_packet_make(gt_packet **out, gt_frame_kind kind, const void *job);
/* Adds, or drops, a reference. NULL may be dropped. */
gt_packet *gt_packet_keep(gt_packet *packet);
void gt_packet_drop(gt_packet *packet);

/* Makes a request. Takes over the caller's reference to the packet, even on failure (ENOMEM). */
gputune_status gt_farm_request_make(gt_farm_request **out, gt_host_farm *farm, gt_frame_kind kind,
                                    uint64_t id, gt_packet *packet);
void gt_farm_request_free(gt_farm_request *request);

gt_farm_request *gt_queue_at(const gt_queue *queue, size_t index);
/* Inserts a request at `index`; the queue owns it. */
void gt_queue_put(gt_queue *queue, size_t index, gt_farm_request *request);
/* Removes the request at `index` and hands it to the caller. */
gt_farm_request *gt_queue_take(gt_queue *queue, size_t index);
/* Frees all requests of a queue. */
void gt_queue_clear(gt_queue *queue);

void gt_slot_start_clock(gt_slot *slot);
/* Returns the seconds that the worker has spent since then. For a compiler or the emulator, which
 * compute on this machine's cores, these are seconds of processor time. Never more than have
 * passed. */
double gt_slot_spent_s(const gt_slot *slot);
/* The same, but all seconds count if the worker sleeps now: it may wait for ever. */
double gt_slot_charged_s(const gt_slot *slot);
/* Returns the seconds until the worker has spent `allowed_s`, or until it must be looked at again;
 * 0 or less: it is late. A worker that sleeps is late when `allowed_s` have passed by the wall
 * clock: it may wait for ever. One that waits for a core, or is stopped, is late a minute after
 * that. */
double gt_slot_left_s(const gt_slot *slot, double allowed_s);

/* Notes that a new worker has started: no request is with it yet, and its clock starts. */
void gt_slot_begin(gt_slot *slot);
/* Notes that no request is with a worker any more. The requests stay queued. */
void gt_slot_unsend(gt_slot *slot);
/* Frees all requests, even one that the worker is at. */
void gt_slot_clear(gt_slot *slot);
/* Ends the worker without waiting, and frees the slot's requests. */
void gt_slot_free(gt_slot *slot);
/* Removes a request from the slot, sent or not, and hands it to the caller. */
gt_farm_request *gt_slot_take(gt_slot *slot, size_t index);
/* Reads the answer to a request into its event, and its message into the thread's. EWORKER if it is
 * malformed. */
gputune_status gt_answer_read(gt_farm_request *request, const gt_frame *frame);
/* Ends a request: hands its event to the caller of wait(), a failure with the thread's message.
 * Frees a request for which nobody waits: canceled, the farm's own, or without an answer. */
void gt_farm_request_end(gt_host_farm *farm, gt_farm_request *request);

/* Removes the request that the worker is at, and hands it to the caller. The clock starts for the
 * next request. */
gt_farm_request *gt_slot_pop(gt_slot *slot);
/* Sends the next unsent request, as far as the channel takes it. The clock starts if it is the only
 * request that the worker has. */
gt_push gt_slot_push(gt_slot *slot);
/* Gives all frames from the worker to the role. Notices the worker's end. */
void gt_slot_receive(gt_slot *slot);
/* Returns the seconds until gt_slot_check() has something to do; INFINITY: never. */
double gt_slot_patience(gt_slot *slot);
/* Once gt_slot_patience() is over, refuses a worker that has not said hello, or calls the role's
 * late(). */
void gt_slot_check(gt_slot *slot);

/* ---- farm_compile.c -------------------------------------------------------------------------- */

enum { GT_IN_FLIGHT = 2, GT_COMPILE_WORKERS_MAX = 256 };

typedef struct gt_compile_host {
    gt_slot *slots;
    uint32_t slot_count;
    uint32_t limit;          /* workers that may run: fewer if the system does not start more */
    uint32_t allowed;        /* workers that may compile at a time: farms share the cores */
    uint32_t told_at_work;   /* workers that compile, as last reported to the other farms */
    bool shares_cores;       /* between gt_cores_join() and gt_cores_leave() */
    int cores;               /* the file by which it shares them, */
    uint32_t place;          /* and its place there */
    unsigned start_failures; /* workers in a row that ended before they said hello */
    gt_queue queue;          /* jobs that no worker has yet */
    gt_texts environment;    /* of the workers */
    char driver_version[16]; /* arguments for the workers, as decimal text */
    char memory_mb[24];      /* the most that one worker may take */
} gt_compile_host;

/* Makes a farm that compiles on all cores share them with the other such farms of this process, or
 * of all processes whose GPUTUNE_CORES names the same file. They may be on different threads. A
 * farm that finds no place does not share. */
void gt_cores_join(gt_compile_host *host);
/* Does nothing for a farm that has not joined. */
void gt_cores_leave(gt_compile_host *host);
/* Sets host->allowed to an equal share of the cores, or to all that the other farms leave idle,
 * whichever is more; at most host->limit. Reports to the other farms how many cores this one uses.
 */
void gt_cores_divide(gt_compile_host *host);

/* ---- farm_measure.c -------------------------------------------------------------------------- */

/* A variant that may be sampled, or is being verified. */
typedef struct gt_live_variant {
    uint64_t id;
    gt_packet *packet;   /* the verify request that loads it into a new worker */
    uint64_t generation; /* of the worker (gt_slot) that has it, or is to load it again; 0: none */
    double work;         /* gt_verify_job.work */
    bool standard;       /* gt_verify_job.standard */
} gt_live_variant;

typedef struct gt_measure_host {
    gt_slot slot;
    bool has_device; /* a worker has reported `device` */
    gt_device device;
    gt_packet *setup; /* the last prepare request; NULL: nothing is prepared */
    gt_lost lost;     /* the experiments of this setup's trial that have ended workers; */
    GT_ARRAY(gt_live_variant) variants;
    /* The default, once it is proved, even if it was dropped; no packet: none. Each new worker
     * proves it again, before all others: rare data that it fails on are not demanded of others. */
    gt_live_variant standard;
    double least_s;                 /* that a proof or a sample may take in any case */
    double reference_ns, prepare_s; /* of the last setup: the reference's time, and how long
                                       preparing took */
    /* Workers in a row that ended before their context was open, or by no variant's fault. */
    unsigned start_failures, blameless;
    gputune_status refusal; /* no worker can be used, and every request fails with this; 0: none */
    char refusal_message[512];
    bool refusal_told;    /* a request has failed with it: the next prepare() tries a new worker */
    gt_texts environment; /* of the worker */
    char ordinal[16];     /* of the device among those that the worker sees, as decimal text */
} gt_measure_host;

/* ---- The farm -------------------------------------------------------------------------------- */

struct gt_host_farm {
    gt_farm farm;            /* must be first: a gt_farm * is cast to a gt_host_farm * */
    gt_farm_options options; /* the caller's, with defaults filled in */
    char *worker;            /* the path of gputune-worker; owned */
    bool emulated;
    uint64_t next_sequence;
    gt_queue ended;        /* requests whose events wait() has not returned yet */
    gputune_status broken; /* the failure of the farm as a whole; 0: none */
    char broken_message[512];
    gt_compile_host compile;
    gt_measure_host measure;
    GT_ARRAY(gt_slot *) watched;         /* whose workers this turn waits for */
    GT_ARRAY(struct pollfd) descriptors; /* [i]: the channel of watched.items[i] */
};

static inline gt_host_farm *gt_host_of(gt_farm *farm)
{
    return (gt_host_farm *)(void *)farm;
}

/* Makes every further request to the farm fail with this status and the thread's message. The first
 * such failure stays. */
void gt_farm_break(gt_host_farm *farm, gputune_status status);

extern const gt_worker_role gt_compile_role, gt_measure_role;

/* Queues a copy of the job, and calls gt_compile_pump(). ENOMEM. */
gputune_status gt_compile_submit(gt_host_farm *farm, const gt_compile_job *job);
/* Starts at most `most` workers without jobs: their compilers load before the first job comes. */
void gt_compile_start_ahead(gt_host_farm *farm, uint32_t most);
/* Gives queued jobs to workers, starts the workers that the jobs need, and sends requests. */
void gt_compile_pump(gt_host_farm *farm);
/* Returns the seconds until gt_compile_pump() should look again for a worker; INFINITY if no job is
 * queued. */
double gt_compile_patience(const gt_host_farm *farm);
/* As gt_farm_ops.compiling and .give_up. */
uint32_t gt_compile_list(gt_farm *base, gt_compiling *out, uint32_t count);
void gt_compile_give_up(gt_farm *base, uint64_t id);
/* Drops queued jobs. Workers finish the jobs that they have, and the answers are dropped. */
void gt_compile_cancel(gt_host_farm *farm);
/* Ends all compile workers without waiting, and frees slots and jobs. */
void gt_compile_close(gt_host_farm *farm);

/* Queues a request for the measure worker, and sends as much as the channel takes. */
void gt_measure_submit(gt_measure_host *host, gt_farm_request *request);
/* Starts a measure worker, and with it a new generation of the slot. Sets host->refusal on failure.
 */
void gt_measure_start(gt_measure_host *host);
/* Starts a measure worker if a request needs one, and sends the queued requests. If no worker can
 * be used (host->refusal), all of them fail. */
void gt_measure_pump(gt_measure_host *host);
/* Forgets requests, variants and setup. Ends a worker that has a request. */
void gt_measure_cancel(gt_measure_host *host);
/* Ends the measure worker, and frees requests, variants and setup. */
void gt_measure_free(gt_measure_host *host);

/* Forgets all variants, or that of an id, if the host knows it. Sends nothing to the worker. */
void gt_live_forget_all(gt_measure_host *host);
void gt_live_forget(gt_measure_host *host, uint64_t id);

/* As gt_farm_ops.interrupt. */
void gt_measure_interrupt(gt_farm *base);
