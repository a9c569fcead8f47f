/* Reads plain and gzip files alike: zlib passes plain ones through. */
#include "api/recorded_text.h"

#include "base/file.h"
#include "base/patience.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { PIECE = 16384 };

static gputune_status fail(gzFile file, const char *path)
{
    int code;
    const char *message = gzerror(file, &code);
    if (code == Z_ERRNO) {
        return gt_fail(GPUTUNE_EIO, "%s: cannot be read: %s", path, strerror(errno));
    }
    if (code == Z_MEM_ERROR) {
        return gt_fail_memory();
    }
    if (code == Z_BUF_ERROR) {
        return gt_fail(GPUTUNE_ERECORDED,
                       "%s: the gzip data is cut short; expected a whole file: copy it again",
                       path);
    }
    return gt_fail(GPUTUNE_ERECORDED, "%s: the gzip data is damaged (%s): copy it again", path,
                   message);
}

/* A small packed file may have a text that fills all memory. */
static gputune_status read_all(gt_text *out, gzFile file, const char *path, size_t most,
                               const volatile int *cancel)
{
    char piece[PIECE];
    int count, code;
    while ((count = gzread(file, piece, sizeof piece)) > 0) {
        gt_text_append_bytes(out, piece, (size_t)count);
        if (out->length > most) {
            return gt_fail(GPUTUNE_ERECORDED,
                           "%s: its text is longer than %zu bytes; expected a recorded space", path,
                           most);
        }
        if (gt_is_canceled(cancel)) {
            return gt_fail(GPUTUNE_ECANCELED, "%s: stopped on request", path);
        }
    }
    gzerror(file, &code);
    if (count < 0 || code != Z_OK) {
        return fail(file, path);
    }
    return out->failed ? gt_fail_memory() : GPUTUNE_OK;
}

gputune_status gt_recorded_text(gt_text *out, const char *path, size_t most,
                                const volatile int *cancel)
{
    int descriptor;
    GT_TRY(gt_file_open(&descriptor, path));
    gzFile file = gzdopen(descriptor, "rb");
    if (!file) {
        close(descriptor);
        return gt_fail_memory();
    }
    gputune_status status = read_all(out, file, path, most, cancel);
    gzclose(file);
    return status;
}
