/* The worker that makes a template's first draft. worker.h describes its input and output. */
#include "farm/worker.h"

#include "base/array.h"
#include "base/file.h"
#include "base/text.h"
#include "draft/draft.h"
#include "farm/process.h"
#include "farm/wire.h"
#include "gpu/toolkit.h"

#include <string.h>
#include <unistd.h>

static bool read_exactly(int file, void *out, size_t bytes)
{
    ssize_t count = 1;
    for (size_t done = 0; done < bytes && count > 0; done += (size_t)count) {
        count = read(file, (char *)out + done, bytes - done);
    }
    return count > 0;
}

static gputune_status read_text(char **out)
{
    uint64_t bytes;
    GT_REFUSE(!read_exactly(GT_CHILD_CHANNEL, &bytes, sizeof bytes) || bytes > GT_FILE_MOST,
              GPUTUNE_EWORKER, "the program could not be read");
    *out = calloc(bytes + 1, 1);
    GT_TRY(gt_allocated(*out));
    GT_REFUSE(bytes && !read_exactly(GT_CHILD_CHANNEL, *out, bytes), GPUTUNE_EWORKER,
              "the program could not be read");
    return GPUTUNE_OK;
}

static gputune_status take_words(gt_draft_request *request, char *const *words)
{
    static const char host[] = "--host=";
    size_t count = 0;
    while (words[count]) {
        count++;
    }
    const char **arguments = calloc(2 * count + 1, sizeof *arguments);
    const char **hosts = arguments + count;
    GT_TRY(gt_allocated(arguments));
    request->arguments = arguments;
    request->hosts = hosts;
    for (size_t i = 0; i < count; i++) {
        if (strncmp(words[i], host, sizeof host - 1) == 0) {
            hosts[request->host_count++] = words[i] + sizeof host - 1;
        } else {
            arguments[request->argument_count++] = words[i];
        }
    }
    return GPUTUNE_OK;
}

/* Adds the path of the libclang that tools/setup installs beside gputune's programs. */
static gputune_status add_built(gt_texts *out)
{
    GT_FREED char *program = realpath("/proc/self/exe", NULL);
    GT_FREED char *path = NULL;
    char *slash = program ? strrchr(program, '/') : NULL;
    if (!slash) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_format(&path, "%.*s/libclang/clang/native/libclang.so", (int)(slash - program),
                     program));
    return gt_file_exists(path) ? gt_texts_add(out, path, strlen(path)) : GPUTUNE_OK;
}

static gputune_status make_draft(char **out, char *const *words)
{
    char *text;
    gt_draft_request request = {0};
    gt_texts libraries = {0};
    GT_REFUSE(!words[0] || !words[1], GPUTUNE_EINVAL, "expected PATH and KERNEL");
    GT_TRY(read_text(&text));
    request.path = words[0];
    request.kernel = *words[1] ? words[1] : NULL;
    request.text = text;
    GT_TRY(take_words(&request, words + 2));
    GT_TRY(add_built(&libraries));
    GT_TRY(gt_wheel_find(&libraries, "clang/native/libclang.so*"));
    return gt_draft_make(out, &request, (const char *const *)libraries.items, libraries.count);
}

int gt_draft_worker(char *const *words)
{
    char *draft = NULL;
    gputune_status status = make_draft(&draft, words);
    GT_SCOPED(gt_text_free) gt_text answer = {0};
    gt_text_printf(&answer, "%d\n%s", (int)status, status == GPUTUNE_OK ? draft : gt_message());
    return !answer.failed && gt_send_all(GT_CHILD_CHANNEL, answer.data, answer.length) == GPUTUNE_OK
               ? GT_EXIT_DONE
               : GT_EXIT_CHANNEL;
}
