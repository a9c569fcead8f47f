/* The worker's side of the channel: the loop that handles requests (serve.c), and the workers that
 * compile (compile_worker.c), measure (measure_worker.c) and write drafts (draft_worker.c). */
#pragma once

#include "base/hash.h"
#include "farm/wire.h"
#include "gpu/nvrtc.h"

/* The current work of a worker, as reported to the host. */
typedef struct gt_current {
    gt_hand hand;
    int host; /* channel to the host; 0: no host */
} gt_current;

/* Sets the variant that is launched next, or GT_NO_VARIANT, and reports it to the host. If the
 * worker dies, the host blames this variant. */
void gt_current_set(gt_current *current, uint64_t variant);
/* Makes an answer with this status. After a failure, it contains the thread's message. */
gt_answer gt_answer_for(gputune_status status, uint64_t culprit);

/* Handles a request. gt_carried has the types of `job` and `reply`. The function may modify the
 * job. The reply is zero before the call, and is released after it was sent. */
typedef gputune_status gt_request_fn(void *worker, void *job, void *reply, gt_current *current);

typedef struct gt_server {
    void *worker;
    gt_request_fn *const *calls; /* handlers by gt_frame_kind; NULL: not supported */
    void (*rest)(void);          /* called when there was no request for a while; may be NULL */
} gt_server;
/* Handles requests until the channel is closed or an answer is ECRASHED. Returns the exit code. */
int gt_serve(const gt_server *server, int channel);

/* ---- compile_worker.c ------------------------------------------------------------------------ */

/* Precompiled headers ("heads") in a compile worker. The sources of a template's variants begin
 * with the same prelude and #includes. If reading this head takes long (with CUB, it takes most of
 * a compile), the compiler saves its state at the end of the head to a file, and later compiles
 * start from this file. The file contains addresses, so no other process can use it. */
enum { GT_HEADS = 4 }; /* maximum number of heads in a cache */

/* A cache of precompiled headers; empty if zeroed. */
typedef struct gt_head_cache {
    struct gt_head {
        gt_hash key;
        bool failed;       /* true if the precompiled header could not be stored or used */
        double plain_ns;   /* time of the last compile without precompiled header; 0: none */
        int file;          /* descriptor of the precompiled header; 0: none */
        uint64_t last_use; /* value of `clock` at the last compile; 0: the element is unused */
    } heads[GT_HEADS];
    uint64_t clock; /* number of compiles so far */
} gt_head_cache;

/* Compiles like gt_nvrtc_compile(). If the first compile with a head takes long, the second one
 * stores a precompiled header. If this header cannot be stored or used, compiles without it. */
gputune_status gt_head_cache_compile(gt_compiled *out, gt_head_cache *cache, const gt_nvrtc *nvrtc,
                                     const gt_nvrtc_request *request);

/* Handles compile jobs until the channel is closed, and returns the exit code. If there is no job
 * within 20 ms, first compiles a small kernel for `arch` (NULL: sm_90), because the first compile
 * is slow. If NVRTC cannot be loaded, answers with ENOCOMPILER. */
int gt_compile_worker(int channel, const char *arch, int driver_version);

/* ---- draft_worker.c -------------------------------------------------------------------------- */

/* Writes one draft and returns the exit code. `words` are the path of the program, the name of a
 * kernel or "", options -I, -D and --host=FILE, and NULL. Reads the program from the channel: its
 * length (8 bytes) and its text. Sends a line with the status, and then the draft or a message. */
int gt_draft_worker(char *const *words);

/* ---- measure_worker.c ------------------------------------------------------------------------ */

/* Opens the device and sends DEVICE, then makes the context and sends READY. Handles requests until
 * the channel is closed or an answer is ECRASHED. Returns the exit code. */
int gt_measure_worker(int channel, const char *driver, int ordinal);

/* Exit codes: the channel was closed; a request could not be answered; no device could be
 * opened. */
enum { GT_EXIT_DONE = 0, GT_EXIT_CHANNEL = 3, GT_EXIT_DEVICE = 4 };
