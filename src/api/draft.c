/* gputune_draft_template(): makes a first template for a CUDA program in a worker process. */
#include "api/call.h"

#include "farm/farm.h"
#include "farm/process.h"
#include "farm/wire.h"

#include "base/text.h"
#include "kernel/template/template.h"

#include <errno.h>
#include <gputune_tools.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { LIMIT_SECONDS = 300 };

static gputune_status receive_all(gt_text *out, int channel, const char *path)
{
    const struct timeval limit = {LIMIT_SECONDS, 0};
    char part[4096];
    ssize_t count;
    setsockopt(channel, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    while ((count = recv(channel, part, sizeof part, 0)) > 0 || (count < 0 && errno == EINTR)) {
        gt_text_append_bytes(out, part, count > 0 ? (size_t)count : 0);
    }
    GT_REFUSE(count < 0 && errno == EAGAIN, GPUTUNE_ETIMEOUT, "%s: could not be read within %d s",
              path, LIMIT_SECONDS);
    return out->failed ? gt_fail_memory() : GPUTUNE_OK;
}

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
    if (gt_send_all(host, &bytes, sizeof bytes) == GPUTUNE_OK) {
        (void)gt_send_all(host, text, bytes);
    }
    status = receive_all(out, host, path);
    close(host);
    gt_end end = status == GPUTUNE_OK ? gt_process_wait(&process, &code, 1) : GT_END_RUNNING;
    if (end == GT_END_RUNNING) {
        gt_process_end(&process);
    }
    GT_REFUSE(end == GT_END_SIGNALED || (end == GT_END_EXITED && code != 0), GPUTUNE_ECRASHED,
              "%s: the process that read it ended with %s %d, probably because of a bug in "
              "libclang; no draft was made",
              path, end == GT_END_SIGNALED ? "signal" : "exit code", code);
    return status;
}

/* Refuses a text that is already a template of the kernel. `to` has the path and, unless NULL, the
 * kernel's name. */
static gputune_status refuse_template(void *to, const char *name)
{
    const char *const *program = to;
    GT_REFUSE(!program[1] || strcmp(program[1], name) == 0, GPUTUNE_EINVAL,
              "%s: already a template of '%s'; expected a program without '#pragma gputune' lines",
              program[0], name);
    return GPUTUNE_OK;
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
    GT_SCOPED(gt_signal_release) gt_held_signal held;
    gt_signal_hold(&held);
    const gputune_status known =
        gt_template_names(path, text, NULL, NULL, refuse_template, (const char *[]){path, kernel});
    if (known == GPUTUNE_EINVAL) {
        return known;
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
    const char *line = strchr(gt_text_string(&answer), '\n');
    const int status = (int)strtol(gt_text_string(&answer), NULL, 10);
    GT_REFUSE(!line, GPUTUNE_EWORKER, "the process that makes drafts did not answer");
    GT_REFUSE(status != GPUTUNE_OK, (gputune_status)status, "%s", line + 1);
    return gt_strdup(out, line + 1);
}
