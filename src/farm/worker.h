/* A worker's side of the channel: the loop that serves requests (serve.c), and the workers that
 * compile (compile_worker.c), measure (measure_worker.c) and make drafts (draft_worker.c). */
#pragma once

#include "base/hash.h"
#include "farm/wire.h"
#include "gpu/nvrtc.h"

/* A worker's current work, which is reported to the host. */
typedef struct gt_current {
    gt_hand hand;
    int host; /* channel to the host; 0: no host */
} gt_current;

/* Sets the current variant, or GT_NO_VARIANT, and reports it to the host as a possible culprit. */
void gt_current_set(gt_current *current, uint64_t variant);
/* Makes an answer with the status; after a failure, also with the thread's message. */
gt_answer gt_answer_for(gputune_status status, uint64_t culprit);

/* Carries out a request. gt_carried contains the types of `job` and `reply`. The function may
 * change the job. The reply is zeroed before the call, and released after it was sent. */
typedef gputune_status gt_request_fn(void *worker, void *job, void *reply, gt_current *current);

typedef struct gt_server {
    void *worker;
    gt_request_fn *const *calls; /* handlers by gt_frame_kind; NULL: refused */
    void (*rest)(void);          /* called when no request has come for a while; may be NULL */
} gt_server;
/* Serves requests until the channel ends or an answer is ECRASHED. Returns the exit code. */
int gt_serve(const gt_server *server, int channel);

/* ---- compile_worker.c ------------------------------------------------------------------------ */

/* Precompiled headers ("heads") of a compile worker. The sources of a template's variants begin
 * with the same prelude and #includes. If reading these takes long (with CUB, most of a compile),
 * the compiler stores its state after reading them in a file. Later compiles start from that file.
 * Only this process can use it, because it contains addresses. */
enum { GT_HEADS = 4 }; /* maximum number of heads in the cache */

/* A cache of precompiled headers; empty if zeroed. */
typedef struct gt_head_cache {
    struct gt_head {
        gt_hash key;
        bool failed;       /* true if storing or using the precompiled header failed */
        double plain_ns;   /* time of the last compile without the precompiled header; 0: none */
        int file;          /* descriptor of the stored precompiled header; 0: none */
        uint64_t last_use; /* value of `clock` at the last compile; 0: unused entry */
    } heads[GT_HEADS];
    uint64_t clock; /* number of compiles so far */
} gt_head_cache;

/* Like gt_nvrtc_compile(). If the first compile with a head took long, the second one stores the
 * head as a precompiled header. If storing or using a precompiled header fails, compiles again
 * without it. */
gputune_status gt_head_cache_compile(gt_compiled *out, gt_head_cache *cache, const gt_nvrtc *nvrtc,
                                     const gt_nvrtc_request *request);

/* Serves compile jobs until the channel ends, and returns the exit code. If no job arrives within
 * 20 ms, first warms the compiler up for `arch` (NULL: sm_90). Without NVRTC, answers
 * ENOCOMPILER. */
int gt_compile_worker(int channel, const char *arch, int driver_version);

/* ---- draft_worker.c -------------------------------------------------------------------------- */

/* Makes one draft and returns the exit code. `words` are the program's path, a kernel's name or "",
 * options -I, -D and --host=FILE, and NULL. Reads the length (8 bytes) and the text of the program
 * from the channel. Writes a line with the status, and then the draft or an error message. */
int gt_draft_worker(char *const *words);

/* ---- measure_worker.c ------------------------------------------------------------------------ */

/* Opens the device, sends DEVICE, makes the context and sends READY. Then serves
 * requests until the channel ends or an answer is ECRASHED. Returns the exit code. */
int gt_measure_worker(int channel, const char *driver, int ordinal);

/* Exit codes: the channel has ended; a request could not be answered; no device could be opened. */
enum { GT_EXIT_DONE = 0, GT_EXIT_CHANNEL = 3, GT_EXIT_DEVICE = 4 };
