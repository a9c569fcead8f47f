/* The loop of a compile worker: one source at a time through NVRTC. */
#include "farm/head_cache.h"
#include "farm/wire.h"
#include "farm/worker.h"
#include "gpu/nvrtc.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct compiler {
    const gt_nvrtc *nvrtc; /* NULL: not available; `refusal` says why */
    gt_answer refusal;
    gt_head_cache heads;
} compiler;

static void answer_set(gt_answer *answer, gputune_status status)
{
    *answer = (gt_answer){.status = status};
    if (status < 0) {
        snprintf(answer->message, sizeof answer->message, "%s", gt_message());
    }
}

static void open_compiler(compiler *compiler, int driver_version)
{
    gputune_status status = gt_nvrtc_open(&compiler->nvrtc, driver_version);
    if (status < 0) {
        compiler->nvrtc = NULL;
    }
    answer_set(&compiler->refusal, status);
}

static bool input_waits(int channel)
{
    struct pollfd poller = {channel, POLLIN, 0};
    return poll(&poller, 1, 0) > 0;
}

/* The first compile of a process takes twice as long as the others. */
static void warm_up(const compiler *compiler, const char *arch)
{
    gt_nvrtc_request request = {.text = "extern \"C\" __global__ void warm(float *x) { *x += 1; }",
                                .arch = arch,
                                .want_cubin = true};
    gt_nvrtc_result result = {0};
    if (compiler->nvrtc) {
        gt_nvrtc_compile(&result, compiler->nvrtc, &request);
        gt_nvrtc_result_free(&result);
    }
}

/* The figures of registers and spills come from ptxas, so there is a cubin even for PTX. */
static gputune_status compile(gt_compiled *out, compiler *compiler, const gt_compile_job *job)
{
    gt_nvrtc_request request = {.text = job->text,
                                .arch = job->arch,
                                .options = job->options,
                                .option_count = job->option_count,
                                .instances = job->instances,
                                .instance_count = job->instance_count,
                                .want_cubin = true,
                                .want_ptx = job->ptx || job->want_ptx,
                                .head_bytes = job->head_bytes};
    gt_nvrtc_result result = {0};
    gputune_status status =
        gt_head_cache_compile(&result, &compiler->heads, compiler->nvrtc, &request);
    *out = (gt_compiled){.image = job->ptx ? result.ptx : result.cubin,
                         .ptx = job->ptx ? (gt_image){0} : result.ptx,
                         .log = result.log,
                         .resources = result.resources,
                         .compile_ns = result.compile_ns,
                         .nvrtc_version = gt_nvrtc_version(compiler->nvrtc)};
    if (job->ptx) {
        free(result.cubin.data);
    }
    return status;
}

static gputune_status answer_job(compiler *compiler, int channel, const gt_frame *frame,
                                 const gt_compile_job *job)
{
    gt_compiled compiled = {0};
    gt_answer answer = compiler->refusal;
    if (compiler->nvrtc) {
        answer_set(&answer, compile(&compiled, compiler, job));
    }
    gputune_status status = gt_frame_send(channel, GT_FRAME_COMPILE, frame->sequence, &answer,
                                          &gt_record_compiled, &compiled);
    gt_record_release(&gt_record_compiled, &compiled);
    return status;
}

static gputune_status serve(compiler *compiler, int channel, const gt_frame *frame)
{
    gt_compile_job job;
    GT_TRY(gt_frame_body(&job, frame, &gt_record_compile_job));
    gputune_status status = GPUTUNE_EWORKER;
    if (frame->kind == GT_FRAME_COMPILE && job.text && job.arch &&
        job.head_bytes <= strlen(job.text)) {
        status = answer_job(compiler, channel, frame, &job);
    }
    gt_record_release(&gt_record_compile_job, &job);
    return status;
}

gputune_status gt_say_hello(int channel)
{
    gt_hello hello = {{0}};
    gt_wire_version(hello.version);
    return gt_frame_send(channel, GT_FRAME_HELLO, 0, NULL, &gt_record_hello, &hello);
}

int gt_compile_worker(int in, int out, const char *arch, int driver_version)
{
    compiler compiler = {0};
    gputune_status status = gt_say_hello(out);
    open_compiler(&compiler, driver_version);
    if (status == GPUTUNE_OK && !input_waits(in)) {
        warm_up(&compiler, arch ? arch : "sm_90");
    }
    if (status == GPUTUNE_OK) { /* what comes next is compiling alone */
        const gt_ready ready = {compiler.nvrtc ? gt_nvrtc_version(compiler.nvrtc) : 0};
        status = gt_frame_send(out, GT_FRAME_READY, 0, NULL, &gt_record_ready, &ready);
    }
    GT_SCOPED(gt_frame_reader_free) gt_frame_reader reader = {.limit_bytes = GT_FRAME_WORKER_BYTES};
    gt_frame frame;
    while (status == GPUTUNE_OK && gt_frame_read(&frame, &reader, in) == GT_READ_FRAME) {
        status = serve(&compiler, out, &frame);
        gt_frame_release(&frame);
    }
    return status == GPUTUNE_OK ? GT_EXIT_DONE : GT_EXIT_CHANNEL;
}
