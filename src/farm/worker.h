/* The worker's side of the channel: the loop that serves requests (serve.c), and the workers that
 * compile (compile_worker.c), measure (measure_worker.c) and make drafts (draft_worker.c). */
#pragma once

#include "base/hash.h"
#include "farm/wire.h"
#include "gpu/nvrtc.h"

/* The current work of a worker, which is reported to the host. */
typedef struct gt_current {
    gt_hand hand;
    int host; /* the channel; 0: there is no host */
} gt_current;

/* Sets the current variant, or GT_NO_VARIANT, and reports it to the host. The host then knows the
 * culprit if the worker dies. */
void gt_current_set(gt_current *current, uint64_t variant);
gputune_status gt_send_hello(int channel);
/* Returns the gt_answer for a status, with the thread's message if it is a failure. */
gt_answer gt_answer_for(gputune_status status, uint64_t culprit);

/* Carries out one request. `job` and `reply` are the structs that gt_carried names for it. The
 * function may change the job. The reply is all zero at first, and is released after it was
 * sent. */
typedef gputune_status gt_request_fn(void *worker, void *job, void *reply, gt_current *current);

typedef struct gt_server {
    void *worker;
    gt_request_fn *const *calls; /* by gt_frame_kind; NULL: the worker does not accept this kind */
    void (*rest)(void);          /* called if no request has come for a while; NULL: never */
} gt_server;
/* Reads and answers requests until the channel ends or an answer is ECRASHED. Returns the exit
 * code. */
int gt_serve(const gt_server *server, int channel);

/* ---- compile_worker.c ------------------------------------------------------------------------ */

/* Precompiled headers ("heads") of one compile worker. The sources of a template's variants begin
 * with the same prelude and #includes. If reading them takes long (with CUB, most of a compile),
 * the compiler stores its state after them in a file, and later compiles start from that state. The
 * file contains addresses, so only its process can use it. It is unlinked when it is complete, and
 * kept open. */
enum { GT_HEADS = 4 }; /* maximum number of heads that a worker keeps */

/* The precompiled headers of a worker. All zero: an empty cache. */
typedef struct gt_head_cache {
    struct gt_head {
        gt_hash key;
        bool failed;       /* true if the compiler could not store or use the precompiled header */
        double plain_ns;   /* time of the last compile without a precompiled header; 0: none yet */
        int file;          /* descriptor of the file with the precompiled header; 0: none */
        uint64_t last_use; /* value of `clock` at the last compile; 0: this entry is unused */
    } heads[GT_HEADS];
    uint64_t clock; /* number of compiles so far */
} gt_head_cache;

/* Compiles like gt_nvrtc_compile(). If the first compile with a head took long, the second one
 * stores the head as a precompiled header for later compiles. If storing or using the precompiled
 * header fails, compiles again without it. */
gputune_status gt_head_cache_compile(gt_compiled *out, gt_head_cache *cache, const gt_nvrtc *nvrtc,
                                     const gt_nvrtc_request *request);

/* Serves compile jobs until the channel ends, and returns the exit code. Warms the compiler up for
 * `arch` (NULL: sm_90), unless a job arrives within 20 ms. If there is no compiler, every answer is
 * ENOCOMPILER. */
int gt_compile_worker(int channel, const char *arch, int driver_version);

/* ---- draft_worker.c -------------------------------------------------------------------------- */

/* Makes one draft, and returns the exit code. `words` are the program's path, a kernel's name or
 * "", and the options -I, -D and --host=FILE; NULL ends them. Reads from the channel the length of
 * the program's text in 8 bytes, and the text. Answers with a line that contains the status, and
 * after it the draft or the message. */
int gt_draft_worker(char *const *words);

/* ---- measure_worker.c ------------------------------------------------------------------------ */

/* Sends HELLO, opens the device, sends DEVICE, makes the context and sends READY. Then answers
 * requests until the channel ends or an answer is ECRASHED. Returns the exit code. */
int gt_measure_worker(int channel, const char *driver, int ordinal);

/* Exit codes: the channel ended; a request could not be answered; no device could be opened. */
enum { GT_EXIT_DONE = 0, GT_EXIT_CHANNEL = 3, GT_EXIT_DEVICE = 4 };
