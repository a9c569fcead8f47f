/* The worker's side of the channel: the loop that serves requests (serve.c), the two kinds of
 * worker (compile_worker.c, measure_worker.c), and the one that makes a draft (draft_worker.c). */
#pragma once

#include "base/hash.h"
#include "farm/wire.h"
#include "gpu/nvrtc.h"

/* The variant that a worker is at, and the host that hears of it. */
typedef struct gt_current {
    gt_hand hand;
    int host;       /* the channel; 0: there is no host */
    bool in_thread; /* the worker is a thread of its host, which a crash would end */
} gt_current;

/* Notes the variant that the worker is at, or GT_NO_VARIANT, and reports it to the host, which
 * knows it even if the GPU's work for the variant ends the worker. */
void gt_current_set(gt_current *current, uint64_t variant);
/* Sends the HELLO frame, with which every worker begins. */
gputune_status gt_say_hello(int channel);
/* Returns the envelope of an answer; if it is a failure, with the thread's message. */
gt_answer gt_answer_for(gputune_status status, uint64_t culprit);

/* Carries out one request. `job` and `reply` are the structs that gt_carried names; the job may be
 * changed. `reply` is all zero at first, and is released when it was sent. */
typedef gputune_status gt_request_fn(void *worker, void *job, void *reply, gt_current *current);

typedef struct gt_server {
    void *worker;
    gt_request_fn *const *calls; /* by gt_frame_kind; NULL: the worker has no such request */
    void (*rest)(void);          /* called when no request has come for a while; NULL: never */
    bool in_thread;              /* the worker is a thread of its host */
} gt_server;
/* Reads requests from the channel, in order, and answers them, until the channel ends or ECRASHED
 * was answered. Returns the process's exit code. */
int gt_serve(const gt_server *server, int channel);

/* ---- compile_worker.c ------------------------------------------------------------------------ */

/* Precompiled headers of one compile worker. The sources of a template's variants begin alike, with
 * the prelude and the template's #includes. If reading them takes long (CUB: most of a compile),
 * the compiler keeps them and begins the next variants from there.
 *
 * They are bound to the process (they hold addresses), so each worker has its own. The compiler's
 * file is unlinked as soon as it is written, and kept open. It has a name until then, by which the
 * compiler deletes and makes it (NVRTC 13.0). */
enum { GT_HEADS = 4 }; /* the most heads that a worker keeps */

/* The heads that a worker knows. A cache that is all zero is empty. */
typedef struct gt_head_cache {
    struct gt_head {
        gt_hash key;
        bool failed;       /* the compiler did not keep or use this head */
        double plain_ns;   /* time of the last compile that read the head; 0: none went well yet */
        int file;          /* descriptor of the precompiled head; 0: none */
        uint64_t last_use; /* `clock` at the last compile; 0: the entry is not in use */
    } heads[GT_HEADS];
    uint64_t clock; /* number of compiles */
} gt_head_cache;

/* Compiles as gt_nvrtc_compile() does. If the first compile with a head took long, the second one
 * keeps the head, and later ones use it. A compile that fails while it keeps or uses a head is
 * repeated without. */
gputune_status gt_head_cache_compile(gt_compiled *out, gt_head_cache *cache, const gt_nvrtc *nvrtc,
                                     const gt_nvrtc_request *request);

/* Serves compile jobs one at a time, until the channel ends. Warms the compiler up for `arch`
 * (NULL: sm_90) first, unless a job is there or comes within 20 ms. `driver_version` is as
 * gt_nvrtc_open() takes it. Without a compiler every job is answered ENOCOMPILER. Returns the
 * process's exit code. */
int gt_compile_worker(int channel, const char *arch, int driver_version);

/* ---- draft_worker.c -------------------------------------------------------------------------- */

/* Makes one draft. `words` are the program's path, a kernel's name (may be empty), then -I, -D and
 * --host=FILE; NULL ends them. Reads the length of the program's text (8 bytes) and the text from
 * the channel. Answers with a line that has the status, then the draft or the message. Returns the
 * process's exit code. */
int gt_draft_worker(char *const *words);

/* ---- measure_worker.c ------------------------------------------------------------------------ */

/* Sends HELLO, opens the device, sends DEVICE, makes the context and sends READY. Then answers
 * requests, in order, until the channel ends or a fatal CUDA error was answered. A thread must
 * close the device before it returns (`close_device`), a process need not. Returns the process's
 * exit code. */
int gt_measure_worker(int channel, const char *driver, int ordinal, bool close_device);

/* Exit codes of workers: the channel has ended, a request could not be served or answered, no
 * device was opened. */
enum { GT_EXIT_DONE = 0, GT_EXIT_CHANNEL = 3, GT_EXIT_DEVICE = 4 };
