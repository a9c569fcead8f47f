/* The host's side of the farm: what farm*.c share. One thread uses all of it. */
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
    bool is_remote; /* the process runs a command that starts a worker (worker.h, gt_engine()) */
    bool is_thread;
    pthread_t thread;
    gt_page *page; /* of a measure worker: shared memory, or the thread's; else NULL */
    bool greeted;  /* its handshake was right */
    int64_t start_ns;
    gt_frame_reader reader;
} gt_link;

/* How to start a worker. */
typedef struct gt_link_start {
    const char *path;
    const char *const *arguments;
    char *const *environment;
    const char *command; /* starts it elsewhere, behind the process; NULL: the process is it */
    bool with_page, low_priority;
} gt_link_start;

/* Starts a process. EWORKER, ENOMEM. The link is all zero but `open` before and closed after a
 * failure. */
gputune_status gt_link_spawn(gt_link *link, const gt_link_start *start);
/* Adds to the thread's message what to try where the command that is to start the measure worker
 * starts none. Returns EWORKER. */
gputune_status gt_engine_hint(const gt_host_farm *farm);
/* Starts the measure loop on a thread of this process. */
gputune_status gt_link_thread(gt_link *link, const char *driver, int ordinal);

typedef enum gt_push { GT_PUSH_DONE, GT_PUSH_AGAIN, GT_PUSH_CLOSED } gt_push;

/* How a worker ended, with a text ("was killed by signal 11 (Segmentation fault)"). */
typedef struct gt_death {
    gt_end end;
    int code;
    char words[128];
} gt_death;
/* Waits up to `seconds` for the worker's end, kills it if it still runs, and closes the link. *out
 * may be NULL. */
void gt_link_finish(gt_link *link, gt_death *out, double seconds);
/* Ends a worker that may be at something; its channel stays open. */
void gt_link_kill(gt_link *link);
/* Kills and closes without waiting; a thread is given the time to close its device. */
void gt_link_abandon(gt_link *link);

typedef struct gt_event_node {
    struct gt_event_node *next;
    gt_event event;
} gt_event_node;

typedef struct gt_event_list {
    gt_event_node *first, **last;
} gt_event_list;

/* Appends an event with `status` and, when that is a failure, the thread's message. NULL: out of
 * memory. */
gt_event *gt_event_add(gt_event_list *list, gt_event_kind kind, uint64_t id, gputune_status status);
/* Takes the first event; false if there is none. */
bool gt_event_take(gt_event *out, gt_event_list *list);
void gt_event_clear(gt_event_list *list);

/* An encoded frame that a variant and its requests share. */
typedef struct gt_packet {
    unsigned references;
    gt_text text;
} gt_packet;

typedef struct gt_farm_request {
    gt_frame_kind kind;
    uint64_t sequence, id;
    gt_packet *packet;
    unsigned attempts;
    bool forgotten;     /* a compile that was canceled: its answer is dropped */
    uint64_t *variants; /* of a sample or recheck: what must be loaded */
    uint32_t variant_count;
    gputune_objective objective;
    bool internal; /* sent again after a restart, so that it has no event */
    bool alone;    /* sent only when it is first: what it needs is being loaded again */
    bool patient;  /* has ten times the deadline */
    bool doubted;  /* a worker that a command started has failed at it: one of this machine tells */
    const struct gt_slot *failed_on; /* the worker whose compiler failed */
} gt_farm_request;

typedef GT_ARRAY(gt_farm_request *) gt_queue;

/* A command that starts compile workers elsewhere. */
typedef struct gt_engine_host {
    char *command;
    char doubt[192];  /* the first failure of a compiler there */
    int64_t start_ns; /* of the first worker */
    bool has_answered, told_silent, told_retired, told_death, told_doubt;
} gt_engine_host;

typedef struct gt_slot gt_slot;

/* What a slot's worker does, and what becomes of its requests. */
typedef struct gt_role {
    /* A frame has come. False: the worker is of no more use. */
    bool (*handle)(gt_host_farm *farm, gt_slot *slot, const gt_frame *frame);
    /* No such worker can be used, with the thread's message: one of another version, or a mute one.
     */
    void (*refuse)(gt_host_farm *farm, gt_slot *slot);
    void (*died)(gt_host_farm *farm, gt_slot *slot);
    /* Seconds until what an open worker is at is late, or is to be looked at; INFINITY. */
    double (*left_s)(gt_host_farm *farm, gt_slot *slot);
    void (*late)(gt_host_farm *farm, gt_slot *slot);
} gt_role;

/* One worker at a time, and its requests. */
struct gt_slot {
    const gt_role *role;
    gt_link link;
    gt_queue queue;      /* the first `sent` are with the worker, which is at [0] */
    size_t sent, offset; /* requests; bytes of the next one */
    bool full;           /* the channel took no more */
    bool ready;          /* its compiler is loaded, or its context open */
    int64_t since_ns;    /* when it started, then when it came to [0], or was seen at it */
    bool begun;          /* the page showed that the worker is at it */
    uint64_t seen;       /* page->current when it was last read */
    uint64_t generation; /* counts workers, from 1 */
    int nvrtc_version;   /* of a compile worker that is ready; 0: it has none */
    /* of a compile worker that a command starts: */
    gt_engine_host *engine; /* else NULL */
    unsigned deaths;        /* in a row */
    bool is_retired;        /* no worker is started again */
};

/* *out has one reference. ENOMEM. */
gputune_status gt_packet_make(gt_packet **out, gt_frame_kind kind, const gt_record *record,
                              const void *object);
/* Adds, or drops, a reference. NULL may be dropped. */
gt_packet *gt_packet_keep(gt_packet *packet);
void gt_packet_drop(gt_packet *packet);

/* A request; the packet's reference goes to it, or is dropped on failure (ENOMEM). */
gputune_status gt_farm_request_make(gt_farm_request **out, gt_host_farm *farm, gt_frame_kind kind,
                                    uint64_t id, gt_packet *packet);
void gt_farm_request_free(gt_farm_request *request);

/* Puts a request at `index`, or frees it (ENOMEM). */
gputune_status gt_queue_put(gt_queue *queue, size_t index, gt_farm_request *request);
gt_farm_request *gt_queue_take(gt_queue *queue, size_t index);
/* Frees all requests, not the array. */
void gt_queue_clear(gt_queue *queue);

/* A worker has started: it has no requests, and its clock runs. */
void gt_slot_begin(gt_slot *slot);
/* The requests are with no worker any more. */
void gt_slot_unsend(gt_slot *slot);
/* Frees all requests. The worker may be at the first. */
void gt_slot_clear(gt_slot *slot);
/* Ends the worker without waiting, and frees its requests. */
void gt_slot_free(gt_slot *slot);
/* Takes a request off the queue, sent or not. */
gt_farm_request *gt_slot_take(gt_slot *slot, size_t index);
/* Takes the request that the worker is at; the clock of the next one runs. */
gt_farm_request *gt_slot_pop(gt_slot *slot);
/* Sends the next request, as far as the channel takes it. The clock of one that is alone runs. */
gt_push gt_slot_push(gt_slot *slot);
/* Handles what has come from a worker, also its end. */
void gt_slot_receive(gt_host_farm *farm, gt_slot *slot);
/* Seconds until gt_slot_check() has something to do; INFINITY. */
double gt_slot_patience(gt_host_farm *farm, gt_slot *slot);
/* Ends a worker that is late with its first word, or with what it is at. */
void gt_slot_check(gt_host_farm *farm, gt_slot *slot);

/* ---- farm_compile.c -------------------------------------------------------------------------- */

enum { GT_IN_FLIGHT = 2, GT_COMPILE_WORKERS_MAX = 256 };

typedef struct gt_compile_host {
    gt_slot *slots;
    uint32_t slot_count, own_count; /* behind this machine's own are those that commands start */
    gt_engine_host *engines;
    uint32_t engine_count;
    int nvrtc_version;     /* of this machine's own; 0: not known yet */
    uint32_t limit;        /* how many may run: fewer if the system does not start more */
    uint32_t allowed;      /* how many may be at a source now: farms share the cores */
    uint32_t told_at_work; /* to the farms with which it shares them */
    bool shares_cores;
    unsigned start_failures; /* in a row */
    gt_queue queue;
    char **environment;
    char driver_version[16];
    char memory_mb[24]; /* what a worker may take */
} gt_compile_host;

/* ---- farm_cores.c ---------------------------------------------------------------------------- */

/* The farm is one of those of this process that compile on all cores, until it leaves. */
void gt_cores_join(gt_compile_host *host);
void gt_cores_leave(gt_compile_host *host);
/* How many of its own workers are at a source that somebody waits for. */
uint32_t gt_cores_at_work(const gt_compile_host *host);
/* Sets host->allowed: its share of the cores, and all that the others leave. Tells those how many
 * are at work here. */
void gt_cores_divide(gt_compile_host *host);

/* ---- farm_compile.c -------------------------------------------------------------------------- */

/* Prepares a slot for each command, behind the own ones. ENOMEM. */
gputune_status gt_engines_open(gt_compile_host *host, const char *const *commands, uint32_t count);

/* ---- farm_measure.c -------------------------------------------------------------------------- */

/* A variant that may be sampled, with what it takes to load it into a new worker. */
typedef struct gt_live_variant {
    uint64_t id;
    gt_packet *packet;
    uint64_t generation; /* of the worker that has it, 0: none yet */
    double work;         /* of its verify job */
} gt_live_variant;

typedef struct gt_measure_host {
    bool wanted; /* this farm measures */
    gt_slot slot;
    bool has_device; /* a worker has reported it */
    gt_device device;
    gt_packet *setup; /* NULL: nothing prepared */
    bool plain;       /* the trial of this setup has ended a worker */
    GT_ARRAY(gt_live_variant) variants;
    double reference_ns, prepare_s;
    unsigned start_failures, blameless; /* in a row */
    gputune_status refusal;             /* why there is no worker; 0: none */
    char refusal_message[512];
    bool refusal_told;
    char **environment;
    char *command; /* starts the worker elsewhere; NULL: it is here */
    char ordinal[16];
    double deadline_s;
} gt_measure_host;

/* ---- The farm -------------------------------------------------------------------------------- */

/* A worker that is waited for, and the farm that it is of. */
typedef struct gt_watched {
    gt_host_farm *farm;
    gt_slot *slot;
} gt_watched;

struct gt_host_farm {
    gt_farm farm; /* first: a gt_farm * is one of these */
    char *worker, *driver, *device_uuid, *arch;
    int ordinal;
    bool emulated, low_priority;
    gputune_isolation isolation;
    gt_log log;
    uint64_t next_sequence;
    gt_event_list events;
    gputune_status broken; /* the failure of the farm as a whole */
    char broken_message[512];
    gt_compile_host compile;
    gt_measure_host measure;
    GT_ARRAY(gt_watched) watched; /* in this turn of waiting, helpers' too */
    GT_ARRAY(struct pollfd) descriptors;
};

/* Makes every further call of the farm fail with this status and the current message. */
void gt_farm_break(gt_host_farm *farm, gputune_status status);

extern const gt_role gt_compile_role, gt_measure_role;

/* Queues a copy of the job, and gives jobs to the workers that have room. ENOMEM. */
gputune_status gt_compile_submit(gt_host_farm *farm, const gt_compile_job *job);
/* Jobs for each worker that are not done. */
double gt_compile_load(const gt_host_farm *farm);
/* Gives queued jobs to workers, which are started as jobs need them, and sends what is unsent. */
void gt_compile_pump(gt_host_farm *farm);
/* Seconds until queued jobs may find a worker; INFINITY when nothing is queued. */
double gt_compile_patience(const gt_host_farm *farm);
/* As gt_farm_ops.compiling and .give_up. */
uint32_t gt_compile_list(const gt_host_farm *farm, gt_compiling *out, uint32_t count);
void gt_compile_give_up(gt_host_farm *farm, uint64_t id);
/* Drops queued jobs. Jobs that a worker has begun are finished, and their answers dropped. */
void gt_compile_cancel(gt_host_farm *farm);
/* Ends all workers without waiting, and frees. */
void gt_compile_close(gt_host_farm *farm);

/* Queues a request and sends as much as the channel takes. The queue owns the request, also on
 * failure. ENOMEM. */
gputune_status gt_measure_submit(gt_host_farm *farm, gt_farm_request *request);
/* Starts a worker, and with it a new generation. If that fails, requests are refused. */
void gt_measure_start(gt_host_farm *farm);
/* Tells the worker, and those that follow it, to do without the trial of the setup, or with it. One
 * elsewhere that does without, and shall not, is ended. */
void gt_measure_set_plain(gt_measure_host *host, bool plain);
/* Sends the queued requests, and starts a worker if there is none; or refuses all of them. */
void gt_measure_pump(gt_host_farm *farm);
/* Forgets requests, variants and setup. Ends a worker that is at a request. */
void gt_measure_cancel(gt_host_farm *farm);
/* Ends the worker and frees everything. */
void gt_measure_free(gt_host_farm *farm);

void gt_live_forget(gt_measure_host *host, uint64_t id);

/* As gt_farm_ops.interrupt. */
void gt_measure_interrupt(gt_host_farm *farm);
