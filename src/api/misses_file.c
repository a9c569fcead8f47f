/* The file of misses: lines of a count and a key, each key once. A process that adds to it holds a
 * lock, changes a count in its place or appends a line, so that a process that is killed leaves
 * the other lines as they were. */
#include "api/call.h"
#include "api/misses.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/patience.h"
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char heading[] = "# gputune misses 1: count, environment, GPU, kernel, sizes, "
                              "objective, cache, alignment, inputs, restrictions\n";
static const char beginning[] = "# gputune misses 1:";
enum { COUNT_DIGITS = 12, COLUMNS = 9 };

/* ---- writing --------------------------------------------------------------------------------- */

static gputune_status fail_at(const char *path, const char *what)
{
    return gt_fail(GPUTUNE_EIO, "cannot %s %s: %s", what, path, strerror(errno));
}

/* The lock belongs to the open file: closing it ends it. */
static gputune_status lock(int file, const char *path)
{
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    const gt_patience patience = gt_patience_for(0.1, NULL);
    while (fcntl(file, F_OFD_SETLK, &all) != 0) {
        if (errno != EAGAIN && errno != EACCES && errno != EINTR) {
            return fail_at(path, "lock");
        }
        if (gt_patience_left_s(&patience) <= 0) {
            return gt_fail(GPUTUNE_EBUSY, "other processes keep %s locked", path);
        }
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return GPUTUNE_OK;
}

static bool is_count(const char *line)
{
    for (int i = 0; i < COUNT_DIGITS; i++) {
        if (!isdigit((unsigned char)line[i])) {
            return false;
        }
    }
    return line[COUNT_DIGITS] == '\t';
}

/* Where the line of that key begins, or NULL. */
static const char *find_line(const char *text, const char *key)
{
    size_t length = strlen(key);
    for (const char *line = text; *line;) {
        if (is_count(line) && strncmp(line + COUNT_DIGITS + 1, key, length) == 0 &&
            line[COUNT_DIGITS + 1 + length] == '\n') {
            return line;
        }
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    return NULL;
}

static gputune_status write_at(int file, const char *path, const char *text, size_t bytes,
                               off_t offset)
{
    ssize_t written = pwrite(file, text, bytes, offset);
    if (written >= 0 && (size_t)written < bytes) {
        errno = ENOSPC;
    }
    return (size_t)written == bytes ? GPUTUNE_OK : fail_at(path, "write to");
}

static gputune_status append(int file, const char *path, const char *text, size_t bytes,
                             const char *key, uint64_t count)
{
    GT_SCOPED(gt_text_free) gt_text line = {0};
    if (!bytes) {
        gt_text_append(&line, heading);
    } else if (text[bytes - 1] != '\n') {
        gt_text_append(&line, "\n"); /* of a line that a full disk cut short */
    }
    gt_text_printf(&line, "%0*" PRIu64 "\t%s\n", (int)COUNT_DIGITS, count, key);
    return line.failed ? gt_fail_memory()
                       : write_at(file, path, line.data, line.length, (off_t)bytes);
}

static gputune_status check_heading(const char *text, const char *path)
{
    return !*text || strncmp(text, beginning, strlen(beginning)) == 0
               ? GPUTUNE_OK
               : gt_fail(GPUTUNE_EIO, "%s is no file of misses; expected a first line '%s ...'",
                         path, beginning);
}

static gputune_status add_locked(int file, const char *path, const char *key, uint64_t count)
{
    char *text, digits[COUNT_DIGITS + 8];
    size_t bytes;
    GT_TRY(gt_file_read(&text, &bytes, path));
    gputune_status status = check_heading(text, path);
    const char *line = status == GPUTUNE_OK ? find_line(text, key) : NULL;
    if (line) {
        static const uint64_t most = 999999999999;
        uint64_t known = strtoull(line, NULL, 10),
                 sum = known + count < most ? known + count : most;
        snprintf(digits, sizeof digits, "%0*" PRIu64, (int)COUNT_DIGITS, sum);
        status = write_at(file, path, digits, COUNT_DIGITS, line - text);
    } else if (status == GPUTUNE_OK) {
        status = append(file, path, text, bytes, key, count);
    }
    free(text);
    return status;
}

gputune_status gt_misses_file_add(const char *path, const char *key, uint64_t count)
{
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) {
        return fail_at(path, "open");
    }
    gputune_status status = strpbrk(key, "\n\r")
                                ? gt_fail(GPUTUNE_EINVAL, "a line break in '%s'", key)
                                : lock(file, path);
    GT_THEN(status, add_locked(file, path, key, count));
    close(file);
    return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

typedef GT_ARRAY(gputune_miss) miss_list;

static bool read_objective(gputune_objective *out, const char *word)
{
    for (int i = 1; i < GPUTUNE_OBJECTIVE_COUNT; i++) {
        if (strcmp(gputune_objective_name((gputune_objective)i), word) == 0) {
            *out = (gputune_objective)i;
            return true;
        }
    }
    return false;
}

/* Splits a line in place. False if it is no line of this format. */
static bool read_line(gputune_miss *out, char *line)
{
    char *columns[COLUMNS];
    if (!is_count(line)) {
        return false;
    }
    char *at = line + COUNT_DIGITS;
    for (int i = 0; i < COLUMNS; i++) {
        if (*at != '\t') {
            return false;
        }
        *at++ = '\0';
        columns[i] = at;
        at += strcspn(at, "\t");
    }
    *out = (gputune_miss){.version = GPUTUNE_MISS_VERSION,
                          .count = strtoull(line, NULL, 10),
                          .environment = columns[0],
                          .gpu = columns[1],
                          .kernel = columns[2],
                          .sizes = columns[3],
                          .cache = strcmp(columns[5], "hot") == 0 ? GPUTUNE_CACHE_HOT
                                                                  : GPUTUNE_CACHE_COLD,
                          .alignment = columns[6],
                          .inputs = columns[7],
                          .only = columns[8]};
    return !*at && out->count && *out->kernel && read_objective(&out->objective, columns[4]);
}

static int most_wanted_first(const void *left, const void *right)
{
    const gputune_miss *a = left, *b = right;
    if (a->count != b->count) {
        return a->count > b->count ? -1 : 1;
    }
    int order = strcmp(a->kernel, b->kernel);
    return order ? order : strcmp(a->sizes, b->sizes);
}

/* What is no line, such as one that a full disk cut short, is left out. */
static gputune_status read_lines(miss_list *out, char *text)
{
    for (char *line = text; *line;) {
        gputune_miss miss;
        char *end = line + strcspn(line, "\n");
        bool last = !*end;
        *end = '\0';
        if (read_line(&miss, line)) {
            GT_TRY(gt_array_push(out, miss));
        }
        line = last ? end : end + 1;
    }
    if (out->count) {
        qsort(out->items, out->count, sizeof *out->items, most_wanted_first);
    }
    return GPUTUNE_OK;
}

int gputune_misses(const char *path, int (*each)(void *user, const gputune_miss *miss), void *user)
{
    GT_FREED char *text = NULL;
    GT_FREED miss_list list = {0};
    GT_TRY(gt_need(__func__, "path", path));
    GT_TRY(gt_need_callback(__func__, each != NULL));
    GT_TRY(gt_file_read(&text, NULL, path));
    int status = check_heading(text, path);
    GT_THEN(status, read_lines(&list, text));
    for (size_t i = 0; i < list.count && status == GPUTUNE_OK; i++) {
        status = each(user, &list.items[i]);
    }
    return status;
}
