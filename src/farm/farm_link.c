/* One worker as the host sees it: its process, its channel and its handshake. */
#include "base/clock.h"
#include "base/condition.h"
#include "base/signals.h"
#include "farm/farm_host.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

/* A hello is the first thing that a worker sends; later where many start on few cores. */
enum { HELLO_S = 5, CROWDED_S = 60, LOW_PRIORITY = 10 };

/* ---- Starting -------------------------------------------------------------------------------- */

static gputune_status make_page(gt_page **out, int *descriptor)
{
    int low = memfd_create("gputune", MFD_CLOEXEC);
    int high = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, 10);
    if (low >= 0) {
        close(low);
    }
    void *page = MAP_FAILED;
    if (high >= 0 && ftruncate(high, sizeof(gt_page)) == 0) {
        page = mmap(NULL, sizeof(gt_page), PROT_READ | PROT_WRITE, MAP_SHARED, high, 0);
    }
    if (page == MAP_FAILED) {
        int error = errno;
        if (high >= 0) {
            close(high);
        }
        return gt_fail(GPUTUNE_EWORKER, "cannot make memory to share with a worker: %s",
                       strerror(error));
    }
    *out = page;
    *descriptor = high;
    return GPUTUNE_OK;
}

/* A host that waited for a worker in a read would not hear its own deadlines. */
static gputune_status set_nonblocking(int descriptor)
{
    int flags = fcntl(descriptor, F_GETFL);
    if (flags < 0 || fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) < 0) {
        return gt_fail(GPUTUNE_EWORKER, "cannot make the channel to a worker non-blocking: %s",
                       strerror(errno));
    }
    return GPUTUNE_OK;
}

gputune_status gt_link_spawn(gt_link *link, const gt_link_start *start)
{
    gt_link made = {.open = true,
                    .is_remote = start->remote,
                    .start_ns = gt_now_ns(),
                    .reader = {.limit_bytes = GT_FRAME_HOST_BYTES}};
    int child = -1, page = -1;
    gputune_status status = gt_process_channel(&made.channel, &child);
    if (status < 0) {
        return status;
    }
    status = set_nonblocking(made.channel);
    if (status == GPUTUNE_OK && start->with_page) {
        status = make_page(&made.page, &page);
    }
    if (status == GPUTUNE_OK) {
        gt_spawn spawn = {start->path, start->arguments, start->environment, child, page};
        status = gt_process_spawn(&made.process, &spawn);
        if (status == GPUTUNE_OK && start->low_priority) {
            (void)setpriority(PRIO_PROCESS, (id_t)made.process.pid, LOW_PRIORITY);
        }
    }
    close(child);
    if (page >= 0) {
        close(page);
    }
    if (status < 0) {
        close(made.channel);
        if (made.page) {
            munmap(made.page, sizeof *made.page);
        }
        return status;
    }
    *link = made;
    return GPUTUNE_OK;
}

/* What a measure thread needs. It owns this, because a thread that hangs is abandoned. */
typedef struct thread_work {
    gt_page page; /* first: the link's page is this */
    int channel, ordinal;
    char *driver;
} thread_work;

static void *measure_thread(void *argument)
{
    thread_work *work = argument;
    gt_measure_worker(work->channel, work->channel, &work->page, work->driver, work->ordinal, true);
    close(work->channel);
    return NULL;
}

static void free_work(thread_work *work)
{
    free(work->driver);
    free(work);
}

gputune_status gt_link_thread(gt_link *link, const char *driver, int ordinal)
{
    gt_link made = {
        .open = true, .is_thread = true, .reader = {.limit_bytes = GT_FRAME_HOST_BYTES}};
    thread_work *work = calloc(1, sizeof *work);
    if (!work || (driver && gt_strdup(&work->driver, driver) < 0)) {
        free(work);
        return gt_fail_memory();
    }
    work->ordinal = ordinal;
    gputune_status status = gt_process_channel(&made.channel, &work->channel);
    if (status < 0) {
        free_work(work);
        return status;
    }
    status = set_nonblocking(made.channel);
    if (status < 0) {
        close(made.channel);
        close(work->channel);
        free_work(work);
        return status;
    }
    if (gt_thread_start(&made.thread, NULL, measure_thread, work) != 0) {
        close(made.channel);
        close(work->channel);
        free_work(work);
        return gt_fail(GPUTUNE_EWORKER, "cannot start a thread to measure on: %s", strerror(errno));
    }
    made.page = &work->page;
    *link = made;
    return GPUTUNE_OK;
}

/* ---- Talking --------------------------------------------------------------------------------- */

gt_push gt_link_push(gt_link *link, const char *data, size_t bytes, size_t *offset)
{
    while (*offset < bytes) {
        ssize_t sent = send(link->channel, data + *offset, bytes - *offset, MSG_NOSIGNAL);
        if (sent > 0) {
            *offset += (size_t)sent;
        } else if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            return GT_PUSH_AGAIN;
        } else if (sent < 0 && errno != EINTR) {
            return GT_PUSH_CLOSED;
        }
    }
    return GT_PUSH_DONE;
}

static gputune_status check_hello(const gt_frame *frame)
{
    gt_hello hello;
    char mine[64];
    GT_TRY(gt_frame_body(&hello, frame, &gt_record_hello));
    if (strcmp(hello.version, gt_wire_version(mine)) != 0) {
        return gt_fail(
            GPUTUNE_EWORKER,
            "the worker is gputune %s, but this library is %s; install both from one build, "
            "or point GPUTUNE_WORKER at the right gputune-worker",
            hello.version, mine);
    }
    return GPUTUNE_OK;
}

gt_read gt_link_read(gt_frame *out, gt_link *link)
{
    gt_frame frame;
    for (;;) {
        gt_read read = gt_frame_read(&frame, &link->reader, link->channel);
        if (read != GT_READ_FRAME) {
            return read;
        }
        if (frame.kind != GT_FRAME_HELLO) {
            *out = frame;
            return read;
        }
        gputune_status status = check_hello(&frame);
        gt_frame_release(&frame);
        if (status == GPUTUNE_OK && link->greeted) {
            status = gt_fail(GPUTUNE_EWORKER, "several workers answer on one channel; start each "
                                              "by a command of its own, as 8:COMMAND does");
            link->greeted = false;
        }
        if (status < 0) {
            return GT_READ_FAILED;
        }
        link->greeted = true;
    }
}

/* Whether the process runs, waits for a core to run on, or for a file to be read. */
static bool is_at_work(const gt_process *process)
{
    char path[32], text[256] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process->pid);
    FILE *file = fopen(path, "re");
    if (file) {
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        (void)fclose(file);
    }
    const char *end = strrchr(text, ')'); /* of its name */
    return end && (end[2] == 'R' || end[2] == 'D');
}

double gt_link_hello_s(const gt_link *link)
{
    static const double look_again_s = 0.5;
    if (!link->open || link->greeted || link->is_thread || link->is_remote) {
        return INFINITY;
    }
    double waited_s = gt_seconds_since(link->start_ns);
    bool late = waited_s >= HELLO_S && waited_s < CROWDED_S && is_at_work(&link->process);
    return late ? look_again_s : HELLO_S - waited_s;
}

gputune_status gt_link_say_mute(const char *path)
{
    return gt_fail(GPUTUNE_EWORKER,
                   "%s was started and said nothing for %d s; run it by hand with --version, or "
                   "point GPUTUNE_WORKER at the right gputune-worker",
                   path, HELLO_S);
}

/* ---- Ending ---------------------------------------------------------------------------------- */

static void describe(gt_death *death)
{
    switch (death->end) {
    case GT_END_EXITED:
        snprintf(death->words, sizeof death->words, "exited with code %d", death->code);
        return;
    case GT_END_SIGNALED:
        snprintf(death->words, sizeof death->words, "was ended by signal %d (%s)", death->code,
                 strsignal(death->code));
        return;
    case GT_END_RUNNING:
        snprintf(death->words, sizeof death->words, "stopped answering");
        return;
    case GT_END_UNKNOWN:
        snprintf(death->words, sizeof death->words, "ended");
    }
}

static void finish_thread(gt_link *link, double seconds)
{
    if (gt_thread_wait(link->thread, seconds + 1)) {
        free_work((thread_work *)(void *)link->page);
    } else {
        pthread_detach(link->thread); /* the thread hangs in a kernel: its memory must stay */
    }
}

void gt_link_kill(gt_link *link)
{
    if (link->is_remote) { /* its process ends the command when it hears nothing any more */
        shutdown(link->channel, SHUT_RDWR);
    } else if (!link->is_thread) {
        gt_process_kill(&link->process);
    }
}

/* Closes the channel last: a worker exits when its channel closes, and that would be reported as
 * the reason of its end. */
void gt_link_finish(gt_link *link, gt_death *out, double seconds)
{
    gt_death death = {GT_END_UNKNOWN, 0, ""};
    if (!link->open) {
        return;
    }
    if (link->is_thread) {
        shutdown(link->channel, SHUT_RDWR);
        finish_thread(link, seconds);
    } else {
        death.end = gt_process_wait(&link->process, &death.code, seconds);
        gt_link_kill(link);
        gt_process_abandon(&link->process);
        if (link->page) {
            munmap(link->page, sizeof *link->page);
        }
    }
    describe(&death);
    close(link->channel);
    gt_frame_reader_free(&link->reader);
    *link = (gt_link){0};
    if (out) {
        *out = death;
    }
}

void gt_link_abandon(gt_link *link)
{
    if (link->open) {
        gt_link_kill(link);
    }
    gt_link_finish(link, NULL, link->is_thread ? 2 : 0);
}
