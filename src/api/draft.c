/* gputune_draft_template(): makes a first template of a CUDA program in a worker process. */
#include "api/call.h"

#include "farm/farm.h"
#include "farm/process.h"

#include "base/clock.h"
#include "base/text.h"

#include <errno.h>
#include <gputune_tools.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LIMIT_SECONDS = 300 };

static void send_all(int channel, const void *bytes, size_t count)
{
    for (size_t done = 0; done < count;) {
        ssize_t sent = send(channel, (const char *)bytes + done, count - done, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR) {
            return; /* the worker has ended, so no answer will arrive */
        }
        done += sent > 0 ? (size_t)sent : 0;
    }
}

/* Reads until the worker closes the channel. ETIMEOUT. */
static gputune_status receive_all(gt_text *out, int channel, const char *path)
{
    const int64_t start_ns = gt_now_ns();
    char part[1 << 16];
    ssize_t count = 1;
    while (count) {
        struct pollfd input = {channel, POLLIN, 0};
        GT_REFUSE(gt_seconds_since(start_ns) > LIMIT_SECONDS, GPUTUNE_ETIMEOUT,
                  "%s: could not be read within %d s", path, LIMIT_SECONDS);
        if (poll(&input, 1, 1000) <= 0) {
            continue;
        }
        count = recv(channel, part, sizeof part, 0);
        count = count < 0 && errno != EINTR ? 0 : count;
        gt_text_append_bytes(out, part, count > 0 ? (size_t)count : 0);
    }
    return out->failed ? gt_fail_memory() : GPUTUNE_OK;
}

/* Starts a worker, sends it the text's length and the text, and reads its answer. */
static gputune_status run_worker(gt_text *out, const char *const *words, const char *path,
                                 const char *text)
{
    const uint64_t bytes = strlen(text);
    gt_process process;
    int host, child, code;
    GT_TRY(gt_process_channel(&host, &child));
    gputune_status status = gt_process_spawn(&process, words, environ, child);
    close(child);
    if (status != GPUTUNE_OK) {
        close(host);
        return status;
    }
    send_all(host, &bytes, sizeof bytes);
    send_all(host, text, bytes);
    status = receive_all(out, host, path);
    close(host);
    gt_end end = status == GPUTUNE_OK ? gt_process_wait(&process, &code, 1) : GT_END_RUNNING;
    if (end == GT_END_RUNNING) {
        gt_process_kill(&process);
        gt_process_abandon(&process);
    }
    GT_REFUSE(end == GT_END_SIGNALED || (end == GT_END_EXITED && code != 0), GPUTUNE_ECRASHED,
              "%s: the process that read it ended with %s %d, probably because of a bug in "
              "libclang; no draft was made",
              path, end == GT_END_SIGNALED ? "signal" : "exit code", code);
    return status;
}

int gputune_draft_template(char **out, const char *path, const char *text, const char *kernel,
                           const char *const *arguments)
{
    enum { OWN = 6 };
    size_t count = 0;
    GT_TRY(gt_need(__func__, "out", out));
    GT_TRY(gt_need(__func__, "path", path));
    GT_TRY(gt_need(__func__, "text", text));
    while (arguments && arguments[count]) {
        count++;
    }
    GT_FREED char *worker = NULL;
    GT_FREED const char **words = calloc(count + OWN + 2, sizeof *words);
    GT_SCOPED(gt_text_free) gt_text answer = {0};
    GT_TRY(gt_allocated(words));
    GT_TRY(gt_worker_find(&worker, NULL));
    const char *const own[OWN] = {worker, "--role=draft", "--memory=16384",
                                  "--",   path,           kernel ? kernel : ""};
    memcpy(words, own, sizeof own);
    memcpy(words + OWN, arguments ? arguments : own, count * sizeof *words);
    GT_TRY(run_worker(&answer, words, path, text));
    /* the answer: a line with the status, then the draft or the error message */
    const char *line = strchr(gt_text_string(&answer), '\n');
    const int status = (int)strtol(gt_text_string(&answer), NULL, 10);
    GT_REFUSE(!line, GPUTUNE_EWORKER, "the process that makes drafts did not answer");
    GT_REFUSE(status != GPUTUNE_OK, (gputune_status)status, "%s", line + 1);
    return gt_strdup(out, line + 1);
}
