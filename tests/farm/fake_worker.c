/* The loops of gputune-worker with a scripted compiler and a scripted GPU. A script is the text of
 * a variant's image or of a compile job's source; the device's script is the name of the driver:
 *   ok, wrong, segv, fatal, hang, spin, stop, killed, exit   what happens while verifying
 *   sample-segv, sample-fatal, sample-hang, sample-error     what happens while sampling
 *   hang-if PATH, killed-if PATH, segv-if PATH               only if PATH exists; removes it
 *   slow MS                                                  takes MS milliseconds
 *   fast PATH                                                is fast enough only if PATH exists
 * The scripts refill-segv and refill-hang of a reference fail a sample before its first variant. */
#include "farm/measure.h"
#include "gpu/nvrtc.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void end_by(int number)
{
    signal(number, SIG_DFL);
    raise(number);
}

static gputune_status misbehave(const char *script)
{
    static const struct {
        const char *word;
        int signal;
    } ends[] = {{"segv", SIGSEGV}, {"killed", SIGKILL}, {"abort", SIGABRT}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        if (strcmp(script, ends[i].word) == 0) {
            end_by(ends[i].signal);
        }
    }
    if (strcmp(script, "exit") == 0) {
        syscall(SYS_exit_group, 9); /* with a sanitizer, _exit() would take a second */
    }
    while (strcmp(script, "hang") == 0) {
        pause();
    }
    for (volatile int turns = 0; strcmp(script, "spin") == 0;) {
        turns ^= 1;
    }
    if (strcmp(script, "stop") == 0) {
        raise(SIGSTOP);
    }
    if (strcmp(script, "fatal") == 0) {
        return gt_fail(GPUTUNE_ECRASHED, "cuStreamSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS (700)");
    }
    if (strcmp(script, "wrong") == 0) {
        return gt_fail(GPUTUNE_EWRONG, "y[3] is 1, expected 2");
    }
    if (strncmp(script, "slow ", 5) == 0) {
        usleep((useconds_t)strtoul(script + 5, NULL, 10) * 1000);
    }
    return GPUTUNE_OK;
}

/* Runs a script "WORD-if PATH": runs WORD if PATH exists and can be removed, otherwise succeeds. */
static gputune_status follow(const char *script)
{
    const char *condition = strstr(script, "-if ");
    if (!condition) {
        return misbehave(script);
    }
    char what[32] = "";
    snprintf(what, sizeof what, "%.*s", (int)(condition - script), script);
    return unlink(condition + 4) == 0 ? misbehave(what) : GPUTUNE_OK;
}

enum { LOADED_MAX = 256 };

struct gt_measure {
    gt_device device;
    bool prepared, lost;
    gt_current *current;
    uint32_t left_out;   /* number of experiments that the next data proof leaves out */
    bool plain;          /* true if the data proof is skipped */
    char reference[128]; /* script that the reference runs */
    size_t count;
    struct {
        uint64_t id;
        char script[128];
    } loaded[LOADED_MAX];
};

gputune_status gt_measure_open(gt_measure **out, const char *driver, int ordinal)
{
    if (strcmp(driver, "none") == 0) {
        return gt_fail(GPUTUNE_ENODRIVER, "no driver here");
    }
    GT_TRY(follow(driver));
    gt_measure *measure = calloc(1, sizeof *measure);
    if (!measure) {
        return gt_fail_memory();
    }
    measure->device =
        (gt_device){.name = "fake", .ordinal = ordinal, .cc = 90, .carveout_count = 1};
    *out = measure;
    return GPUTUNE_OK;
}

gputune_status gt_measure_attach(gt_measure *measure)
{
    return GPUTUNE_OK;
}

const gt_device *gt_measure_device(const gt_measure *measure)
{
    return &measure->device;
}

void gt_measure_close(gt_measure *measure)
{
    free(measure);
}

static void read_script(char out[128], const gt_image *image)
{
    snprintf(out, 128, "%.*s", (int)image->bytes, image->data ? (const char *)image->data : "");
}

void gt_measure_attend(gt_measure *measure, gt_current *current)
{
    measure->current = current;
}

void gt_measure_leave_out(gt_measure *measure, const gt_lost *lost)
{
    measure->left_out = lost->item_count;
    measure->plain = lost->plain;
}

/* Runs the script "data-..." of a reference as if it had three experiments, or infinitely many for
 * "data-segv". Each experiment that is not left out fails. */
gputune_status gt_measure_try(gt_measure *measure, const gt_measure_setup *setup, gt_prepared *out)
{
    char script[128];
    read_script(script, &setup->reference);
    bool endless = strcmp(script, "data-segv") == 0;
    bool tries =
        !measure->plain && strncmp(script, "data-", 5) == 0 && (measure->left_out < 3 || endless);
    if (tries) {
        measure->current->hand.trying = 1 + measure->left_out;
        gt_current_set(measure->current, GT_NO_VARIANT);
        GT_TRY(misbehave(strcmp(script, "data-hangs") == 0 ? "hang" : script + 5));
    }
    measure->left_out = 0;
    measure->plain = false;
    measure->lost |= tries;
    return measure->lost ? gt_fail(GPUTUNE_ECRASHED, "the data proof failed") : GPUTUNE_OK;
}

gputune_status gt_measure_prepare(gt_measure *measure, const gt_measure_setup *setup,
                                  gt_prepared *out)
{
    char *script = measure->reference;
    read_script(script, &setup->reference);
    if (measure->lost) {
        return gt_fail(GPUTUNE_ECUDA, "this process lost the GPU");
    }
    if (strcmp(script, "reference-fatal") == 0) {
        measure->lost = true;
        return gt_fail(GPUTUNE_ETEMPLATE, "the reference failed");
    }
    GT_TRY(follow(script));
    measure->prepared = true;
    measure->count = 0;
    *out = (gt_prepared){.reference_ns = 1000, .copy_bytes_per_s = 1e12, .prepare_ns = 2000};
    return GPUTUNE_OK;
}

gputune_status gt_measure_verify(gt_measure *measure, const gt_verify_job *job, gt_verified *out)
{
    char script[128];
    if (!measure->prepared) {
        return gt_fail(GPUTUNE_EINVAL, "nothing is prepared");
    }
    read_script(script, &job->image);
    GT_TRY(follow(script));
    bool slower = strncmp(script, "fast ", 5) == 0 && unlink(script + 5) != 0;
    measure->loaded[measure->count].id = job->id;
    memcpy(measure->loaded[measure->count++].script, script, sizeof script);
    *out = (gt_verified){.proved = !slower || job->slower_ns <= 0,
                         .max_error = 0.5,
                         .pilot_ns = (double)job->id,
                         .occupancy = 1};
    return GPUTUNE_OK;
}

static const char *find(const gt_measure *measure, uint64_t id)
{
    for (size_t i = 0; i < measure->count; i++) {
        if (measure->loaded[i].id == id) {
            return measure->loaded[i].script;
        }
    }
    return NULL;
}

gputune_status gt_measure_recheck(gt_measure *measure, const gt_recheck_job *job, gt_verified *out)
{
    *out = (gt_verified){.proved = true, .max_error = (double)job->seed};
    return find(measure, job->id) ? GPUTUNE_OK : gt_fail(GPUTUNE_EINVAL, "not loaded");
}

static gputune_status sample_one(const gt_measure *measure, uint64_t id)
{
    const char *script = find(measure, id);
    if (!script) {
        return gt_fail(GPUTUNE_EINVAL, "variant %llu is not loaded", (unsigned long long)id);
    }
    if (strcmp(script, "sample-error") == 0) {
        return gt_fail(GPUTUNE_ECUDA, "cuLaunchKernelEx: CUDA_ERROR_INVALID_VALUE (1)");
    }
    return strncmp(script, "sample-", 7) == 0 ? follow(script + 7) : GPUTUNE_OK;
}

/* Returns the process ID as the clock rate, so tests can tell which worker took the sample. */
gputune_status gt_measure_sample(gt_measure *measure, const gt_sample_job *job, gt_sampled *out)
{
    const char *reference = measure->reference;
    GT_TRY(strncmp(reference, "refill-", 7) == 0 ? misbehave(reference + 7) : GPUTUNE_OK);
    double *values = calloc(job->count + 1, sizeof *values);
    if (!values) {
        return gt_fail_memory();
    }
    for (uint32_t i = 0; i < job->count; i++) {
        gt_current_set(measure->current, job->variants[i]);
        gputune_status status = sample_one(measure, job->variants[i]);
        if (status < 0) {
            free(values);
            return status;
        }
        values[i] = job->variants[i] == 13 ? (double)NAN : 10.0 * (double)job->variants[i];
    }
    *out = (gt_sampled){.values = values, .count = job->count, .used_ratio = getpid()};
    return GPUTUNE_OK;
}

void gt_measure_drop(gt_measure *measure, uint64_t variant)
{
    for (size_t i = 0; i < measure->count; i++) {
        if (measure->loaded[i].id == variant) {
            measure->loaded[i] = measure->loaded[--measure->count];
            return;
        }
    }
}

gputune_status gt_nvrtc_open(const gt_nvrtc **out, int driver_version)
{
    static const char anything;
    if (driver_version == 1) {
        return gt_fail(GPUTUNE_ENOCOMPILER, "no NVRTC here");
    }
    *out = (const gt_nvrtc *)(const void *)&anything;
    return GPUTUNE_OK;
}

static gputune_status copy_image(gt_image *out, const char *prefix, const char *text)
{
    char whole[256];
    int length = snprintf(whole, sizeof whole, "%s%s", prefix, text);
    out->data = strdup(whole);
    out->bytes = out->data ? (size_t)length : 0;
    return out->data ? GPUTUNE_OK : gt_fail_memory();
}

bool gt_nvrtc_keeps_heads(const gt_nvrtc *nvrtc)
{
    return false;
}

int gt_nvrtc_version(const gt_nvrtc *nvrtc)
{
    return 13000;
}

gputune_status gt_nvrtc_compile(gt_compiled *out, const gt_nvrtc *nvrtc,
                                const gt_nvrtc_request *request, const gt_nvrtc_head *head)
{
    out->nvrtc_version = gt_nvrtc_version(nvrtc);
    out->log = strdup("the log");
    if (strcmp(request->text, "error") == 0) {
        return gt_fail(GPUTUNE_ECOMPILE, "x.cu(1): error: caf\xe9 is undefined");
    }
    if (strcmp(request->text, "environment") == 0) {
        const char *blocking = getenv("CUDA_LAUNCH_BLOCKING");
        return copy_image(&out->image, "CUDA_LAUNCH_BLOCKING=", blocking ? blocking : "none");
    }
    GT_TRY(follow(request->text));
    out->resources.registers = 42;
    return copy_image(&out->image, request->ptx ? "ptx of " : "cubin of ", request->text);
}

void gt_compiled_free(gt_compiled *result)
{
    free(result->image.data);
    free(result->log);
    *result = (gt_compiled){0};
}
