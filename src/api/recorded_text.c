/* Reads plain and gzip files alike: zlib passes plain ones through. */
#include "api/recorded_text.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
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

static gputune_status read_all(gt_text *out, gzFile file, const char *path)
{
    char piece[PIECE];
    int count, code;
    while ((count = gzread(file, piece, sizeof piece)) > 0) {
        gt_text_append_bytes(out, piece, (size_t)count);
    }
    gzerror(file, &code);
    if (count < 0 || code != Z_OK) {
        return fail(file, path);
    }
    return out->failed ? gt_fail_memory() : GPUTUNE_OK;
}

gputune_status gt_recorded_text(gt_text *out, const char *path)
{
    struct stat about;
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode)) {
        return gt_fail(GPUTUNE_EIO, "%s: is a folder; expected a file", path);
    }
    errno = 0;
    gzFile file = gzopen(path, "rb");
    if (!file && (!errno || errno == ENOMEM)) { /* zlib sets none where it lacks memory */
        return gt_fail_memory();
    }
    if (!file) {
        return gt_fail(errno == ENOENT ? GPUTUNE_ENOTFOUND : GPUTUNE_EIO, "%s: %s", path,
                       strerror(errno));
    }
    gputune_status status = read_all(out, file, path);
    gzclose(file);
    return status;
}
