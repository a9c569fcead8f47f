/* Runs the commands of each stream on a thread, in the order that CUDA guarantees. */
#include "emulator/queue.h"

#include <stdlib.h>

void *emu_command_new(const emu_command_class *class, size_t bytes)
{
    emu_command *command = calloc(1, bytes);
    if (command) {
        command->class = class;
        command->references = 1;
    }
    return command;
}

emu_command *emu_command_retain(emu_command *command)
{
    command->references++;
    return command;
}

void emu_command_release(emu_command *command)
{
    if (!command || --command->references) {
        return;
    }
    if (command->class->release) {
        command->class->release(command);
    }
    if (command->class->has_handle) {
        emu_handle_free(command);
    } else {
        free(command);
    }
}

static emu_completion *completion_new(void)
{
    emu_completion *completion = calloc(1, sizeof *completion);
    if (completion) {
        completion->references = 1;
    }
    return completion;
}

static emu_completion *completion_retain(emu_completion *completion)
{
    if (completion) {
        completion->references++;
    }
    return completion;
}

void emu_completion_release(emu_completion *completion)
{
    if (completion && !--completion->references) {
        free(completion);
    }
}

/* Marks a completion as ended at `end_ns` and wakes its waiting threads. Needs the lock. */
static void completion_signal(emu_completion *completion, double end_ns)
{
    completion->done = true;
    completion->end_ns = end_ns;
    pthread_cond_broadcast(&emu.progress);
}

static void release_stream(CUstream stream)
{
    if (--stream->references) {
        return;
    }
    for (size_t i = 0; i < stream->wait_count; i++) {
        emu_completion_release(stream->waits[i]);
    }
    emu_completion_release(stream->last);
    pthread_cond_destroy(&stream->work);
    free(stream->waits);
    free(stream->dependencies);
    emu_handle_free(stream);
}

/* Returns the device time at which the submission starts. The host must have submitted it, and all
 * work for which it waits must have ended. */
static double start_time(CUstream stream, const emu_submission *submission)
{
    double gap = submission->command->class->is_kernel ? emu.profile.stream_gap_ns : 0;
    double start = submission->host_ns + emu.profile.host_start_ns;
    if (stream->clock_ns > 0 && stream->clock_ns + gap > start) {
        start = stream->clock_ns + gap;
    }
    for (size_t i = 0; i < submission->wait_count; i++) {
        if (submission->waits[i]->end_ns > start) {
            start = submission->waits[i]->end_ns;
        }
    }
    return start;
}

static void wait_for_others(const emu_submission *submission)
{
    for (size_t i = 0; i < submission->wait_count; i++) {
        while (!submission->waits[i]->done) {
            pthread_cond_wait(&emu.progress, &emu.lock);
        }
    }
}

static void free_submission(emu_submission *submission)
{
    for (size_t i = 0; i < submission->wait_count; i++) {
        emu_completion_release(submission->waits[i]);
    }
    emu_completion_release(submission->completion);
    emu_command_release(submission->command);
    free(submission);
}

/* Runs the oldest submission of the stream. Call it with the lock held; the lock is released while
 * the command runs. After a sticky error, commands end without running. */
static void run_one(CUstream stream)
{
    emu_submission *submission = stream->first;
    wait_for_others(submission);
    double start = start_time(stream, submission), length = 0;
    emu_command *command = submission->command;
    if (!emu.sticky_error) {
        pthread_mutex_unlock(&emu.lock);
        length = command->class->run(command, start) * emu.profile.slowness;
        pthread_mutex_lock(&emu.lock);
    }
    stream->clock_ns = start + length;
    stream->first = submission->next;
    if (!stream->first) {
        stream->last_submission = NULL;
    }
    completion_signal(submission->completion, stream->clock_ns);
    pthread_mutex_unlock(&emu.lock);
    free_submission(submission);
    pthread_mutex_lock(&emu.lock);
}

static void unlink_stream(CUstream stream)
{
    for (CUstream *at = &stream->context->streams; *at; at = &(*at)->next) {
        if (*at == stream) {
            *at = stream->next;
            return;
        }
    }
}

static void *run_worker(void *argument)
{
    CUstream stream = argument;
    pthread_mutex_lock(&emu.lock);
    for (;;) {
        while (!stream->first && !stream->stop) {
            pthread_cond_wait(&stream->work, &emu.lock);
        }
        if (!stream->first) {
            break;
        }
        run_one(stream);
    }
    unlink_stream(stream);
    release_stream(stream);
    pthread_mutex_unlock(&emu.lock);
    return NULL;
}

static CUresult start_worker(CUstream stream)
{
    pthread_t thread;
    if (stream->has_worker) {
        return CUDA_SUCCESS;
    }
    stream->references++;
    if (pthread_create(&thread, NULL, run_worker, stream)) {
        stream->references--;
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    pthread_detach(thread);
    stream->has_worker = true;
    return CUDA_SUCCESS;
}

CUresult emu_queue_wait_for(CUstream stream, emu_completion *completion)
{
    if (!completion) {
        return CUDA_SUCCESS;
    }
    emu_completion **waits = realloc(stream->waits, (stream->wait_count + 1) * sizeof waits[0]);
    if (!waits) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    stream->waits = waits;
    stream->waits[stream->wait_count++] = completion_retain(completion);
    return CUDA_SUCCESS;
}

static bool orders_with_legacy(CUstream stream)
{
    return !stream->is_legacy && !(stream->flags & CU_STREAM_NON_BLOCKING);
}

/* Makes the legacy stream wait for blocking streams, or a blocking stream for the legacy stream. */
static CUresult add_implicit_waits(CUstream stream)
{
    if (orders_with_legacy(stream)) {
        return emu_queue_wait_for(stream, stream->context->legacy->last);
    }
    if (!stream->is_legacy) {
        return CUDA_SUCCESS;
    }
    for (CUstream other = stream->context->streams; other; other = other->next) {
        if (orders_with_legacy(other)) {
            EMU_TRY(emu_queue_wait_for(stream, other->last));
        }
    }
    return CUDA_SUCCESS;
}

/* Creates a submission and moves the completions in stream->waits to it. Completions of ended work
 * are kept, because the command starts after the modelled end of that work. */
static emu_submission *new_submission(CUstream stream, emu_command *command)
{
    size_t bytes = sizeof(emu_submission) + stream->wait_count * sizeof(emu_completion *);
    emu_submission *submission = calloc(1, bytes);
    emu_completion *completion = completion_new();
    if (!submission || !completion) {
        free(submission);
        free(completion);
        return NULL;
    }
    submission->command = command;
    submission->completion = completion;
    submission->host_ns = emu_host_now();
    submission->wait_count = stream->wait_count;
    for (size_t i = 0; i < stream->wait_count; i++) {
        submission->waits[i] = stream->waits[i];
    }
    stream->wait_count = 0;
    return submission;
}

static void append_submission(CUstream stream, emu_submission *submission)
{
    if (stream->last_submission) {
        stream->last_submission->next = submission;
    } else {
        stream->first = submission;
    }
    stream->last_submission = submission;
    emu_completion_release(stream->last);
    stream->last = completion_retain(submission->completion);
    pthread_cond_signal(&stream->work);
}

CUresult emu_queue_submit(emu_completion **out, CUstream stream, emu_command *command)
{
    CUresult code = start_worker(stream);
    code = code ? code : add_implicit_waits(stream);
    emu_submission *submission = code ? NULL : new_submission(stream, command);
    if (!submission) {
        emu_command_release(command);
        return code ? code : CUDA_ERROR_OUT_OF_MEMORY;
    }
    append_submission(stream, submission);
    if (out) {
        *out = completion_retain(submission->completion);
    }
    return CUDA_SUCCESS;
}

CUresult emu_queue_join(emu_completion *completion)
{
    if (completion) {
        completion_retain(completion);
        while (!completion->done) {
            pthread_cond_wait(&emu.progress, &emu.lock);
        }
        emu_host_reach(completion->end_ns);
        emu_completion_release(completion);
    }
    return (CUresult)emu.sticky_error;
}

static CUstream busy_stream(CUcontext context, bool only_blocking)
{
    for (CUstream stream = context->streams; stream; stream = stream->next) {
        if (!emu_queue_idle(stream) && (!only_blocking || orders_with_legacy(stream))) {
            return stream;
        }
    }
    return NULL;
}

/* Searches again after each wait, which releases the lock, so the list of streams may change. */
static CUresult join_streams(CUcontext context, bool only_blocking)
{
    CUstream busy;
    while ((busy = busy_stream(context, only_blocking))) {
        EMU_TRY(emu_queue_join(busy->last));
    }
    for (CUstream stream = context->streams; stream; stream = stream->next) {
        if (!only_blocking || orders_with_legacy(stream)) {
            EMU_TRY(emu_queue_join(stream->last));
        }
    }
    return (CUresult)emu.sticky_error;
}

CUresult emu_queue_join_stream(CUstream stream)
{
    CUcontext context = stream->context;
    bool is_legacy = stream->is_legacy;
    EMU_TRY(emu_queue_join(stream->last));
    return is_legacy ? join_streams(context, true) : CUDA_SUCCESS;
}

CUresult emu_queue_join_context(CUcontext context)
{
    EMU_TRY(emu_queue_join(context->legacy->last));
    return join_streams(context, false);
}

bool emu_queue_idle(CUstream stream)
{
    return !stream->last || stream->last->done;
}

void emu_stream_retire(CUstream stream)
{
    stream->stop = true;
    emu_handle_drop(&stream->handle);
    if (stream->has_worker) {
        pthread_cond_signal(&stream->work);
    } else {
        unlink_stream(stream);
    }
    release_stream(stream);
}
