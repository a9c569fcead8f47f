/* The worker's side of the channel: the loop that serves requests (serve.c), the two kinds of
 * worker (compile_worker.c, measure_worker.c), and the one that makes a draft (draft_worker.c). */
#pragma once

#include "base/hash.h"
#include "farm/wire.h"
#include "gpu/nvrtc.h"

/* What a worker has in hand, and where its host hears of that. */
typedef struct gt_current {
    gt_hand hand;
    int host;       /* the channel; 0: there is no host */
    bool in_thread; /* the worker is a thread of its host, which a crash would end */
} gt_current;

/* Notes the variant that the worker is at, or GT_NO_VARIANT, and tells the host. Called before the
 * GPU is used for the variant, so that the host knows it after the worker's death. */
void gt_current_set(gt_current *current, uint64_t variant);
/* Sends the HELLO frame, with which every worker begins. */
gputune_status gt_say_hello(int channel);
/* The envelope of an answer with that status; of a failure, with the thread's message. */
gt_answer gt_answer_for(gputune_status status, uint64_t culprit);

/* Carries out one request. `job` and `reply` are the structs that gt_carried names. The function
 * may change the job. `reply` is all zero at first; what it then owns is freed when it was sent. */
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
 * the prelude and the template's #includes; where reading them takes long (CUB: most of a compile),
 * the compiler keeps what it made of them and begins the next variants from there.
 *
 * What the compiler keeps is bound to its process (it holds addresses), so each worker has its own;
 * nothing is shared and nothing can race. The compiler's file is unlinked as soon as it is written,
 * and kept open, so that no file is left, however the worker ends. It has a name until then, by
 * which the compiler deletes and makes it: a file without a name will not do (NVRTC 13.0). */
enum { GT_HEADS = 4 }; /* the most heads that a worker keeps */

/* The heads that a worker knows. A cache that is all zero is empty. */
typedef struct gt_head_cache {
    struct gt_head {
        gt_hash key;
        bool failed;       /* the compiler did not keep or use this head */
        double plain_ns;   /* time of the last compile that read the head; 0: none went well yet */
        int file;          /* descriptor of what the compiler kept, 0: nothing */
        uint64_t last_use; /* `clock` at the last compile; 0: the entry is not in use */
    } heads[GT_HEADS];
    uint64_t clock; /* number of compiles */
} gt_head_cache;

/* Compiles as gt_nvrtc_compile() does, and has the compiler keep the source's head where that saves
 * time: if the first compile with a head took long, the second one keeps the head, and later ones
 * use it. A compile that fails while it keeps or uses a head is repeated without. */
gputune_status gt_head_cache_compile(gt_compiled *out, gt_head_cache *cache, const gt_nvrtc *nvrtc,
                                     const gt_nvrtc_request *request);

/* Serves compile jobs one at a time, until the channel ends. Warms the compiler up for `arch`
 * (NULL: sm_90) first, unless a job is there or comes within 20 ms. `driver_version` is as
 * gt_nvrtc_open() takes it. Without a compiler every job is answered ENOCOMPILER. Returns the
 * process's exit code. */
int gt_compile_worker(int channel, const char *arch, int driver_version);

/* ---- draft_worker.c -------------------------------------------------------------------------- */

/* Makes one draft. `words` are the program's path, a kernel's name (may be empty), then -I, -D and
 * --host=FILE; NULL ends them. Reads the program's text, behind its length in 8 bytes, from the
 * channel. Answers there with a line that has the status, then the draft or the message. Returns
 * the process's exit code. */
int gt_draft_worker(char *const *words);

/* ---- measure_worker.c ------------------------------------------------------------------------ */

/* Serves measure requests. Sends HELLO, opens the device, sends DEVICE, makes the context and sends
 * READY. Then answers requests, in order, until the channel ends or a fatal CUDA error was
 * answered. With `close_device` the device is closed before the return; a thread must do so, a
 * process need not. Returns the process's exit code. */
int gt_measure_worker(int channel, const char *driver, int ordinal, bool close_device);

/* Exit codes of workers: the channel has ended, a request could not be served or answered, no
 * device was opened. */
enum { GT_EXIT_DONE = 0, GT_EXIT_CHANNEL = 3, GT_EXIT_DEVICE = 4 };
