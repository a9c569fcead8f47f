/* The compile worker: one source at a time through NVRTC. */
#include "farm/head_cache.h"
#include "farm/wire.h"
#include "farm/worker.h"
#include "gpu/nvrtc.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

typedef struct compiler {
    const gt_nvrtc *nvrtc; /* NULL: not available; `refusal` says why */
    gt_answer refusal;
    gt_head_cache heads;
} compiler;

/* Whether a job is there, or comes at once: a worker that is started while the device is opened
 * gets one after some 15 ms where the driver is in use, and the warm-up would hold it up. */
static bool job_comes(int channel)
{
    enum { MILLISECONDS = 20 };
    struct pollfd poller = {channel, POLLIN, 0};
    return poll(&poller, 1, MILLISECONDS) > 0;
}

/* The first compile of a process takes twice as long as the others. */
static void warm_up(const gt_nvrtc *nvrtc, const char *arch)
{
    gt_nvrtc_request request = {.text = "extern \"C\" __global__ void warm(float *x) { *x += 1; }",
                                .arch = arch};
    gt_compiled compiled = {0};
    gt_nvrtc_compile(&compiled, nvrtc, &request, NULL);
    gt_compiled_free(&compiled);
}

static gputune_status compile(void *worker, const void *asked, void *reply, gt_page *page)
{
    compiler *compiler = worker;
    const gt_nvrtc_request *source = &((const gt_compile_job *)asked)->source;
    (void)page;
    GT_REFUSE(!compiler->nvrtc, (gputune_status)compiler->refusal.status, "%s",
              compiler->refusal.message);
    GT_REFUSE(!source->text || !source->arch || source->head_bytes > strlen(source->text),
              GPUTUNE_EWORKER, "a compile job without a source, or of a longer head");
    return gt_head_cache_compile(reply, &compiler->heads, compiler->nvrtc, source);
}

static gt_request_fn *const calls[GT_FRAME_KINDS] = {[GT_FRAME_COMPILE] = compile};

int gt_compile_worker(int in, int out, const char *arch, int driver_version)
{
    compiler compiler = {0};
    gt_page page = {0};
    gputune_status status = gt_say_hello(out);
    gputune_status opened = gt_nvrtc_open(&compiler.nvrtc, driver_version);
    compiler.nvrtc = opened < 0 ? NULL : compiler.nvrtc;
    compiler.refusal = gt_answer_for(opened, GT_NO_VARIANT);
    if (status == GPUTUNE_OK && compiler.nvrtc && !job_comes(in)) {
        warm_up(compiler.nvrtc, arch ? arch : "sm_90");
    }
    /* what comes next is compiling alone */
    const gt_ready ready = {compiler.nvrtc ? gt_nvrtc_version(compiler.nvrtc) : 0};
    GT_THEN(status, gt_frame_send(out, GT_FRAME_READY, 0, NULL, &ready));
    const gt_server server = {&compiler, calls, &page};
    return status == GPUTUNE_OK ? gt_serve(&server, in, out) : GT_EXIT_CHANNEL;
}
