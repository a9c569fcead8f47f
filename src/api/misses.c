/* Counts requests without a stored result, in memory and in a file (GPUTUNE_RECORD). */
#include "api/misses.h"

#include "api/call.h"
#include "base/array.h"
#include "base/file.h"
#include "base/patience.h"
#include "base/signals.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char heading[] = "# gputune misses 1: count, environment, GPU, kernel, sizes, "
                              "objective, cache, alignment, inputs, restrictions\n";
static const char beginning[] = "# gputune misses 1:";
enum { COUNT_DIGITS = 12, COLUMNS = 9 };

static gputune_status fail_at(const char *path, const char *what)
{
    return gt_fail(GPUTUNE_EIO, "cannot %s %s: %s", what, path, strerror(errno));
}

/* Locks the file until it is closed. EBUSY if another process has kept the lock for 0.1 s. */
static gputune_status lock_file(int file, const char *path)
{
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    const gt_patience patience = gt_patience_for(0.1, NULL);
    while (fcntl(file, F_OFD_SETLK, &all) != 0) {
        if (errno != EAGAIN && errno != EACCES && errno != EINTR) {
            return fail_at(path, "lock");
        }
        GT_REFUSE(gt_patience_left_s(&patience) <= 0, GPUTUNE_EBUSY,
                  "other processes keep %s locked", path);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return GPUTUNE_OK;
}

static bool is_count(const char *line)
{
    return strspn(line, "0123456789") == COUNT_DIGITS && line[COUNT_DIGITS] == '\t';
}

static const char *find_line(const char *text, const char *key)
{
    const size_t length = strlen(key);
    const char *line = text;
    while (line && !(is_count(line) && strncmp(line + COUNT_DIGITS + 1, key, length) == 0 &&
                     line[COUNT_DIGITS + 1 + length] == '\n')) {
        line = strchr(line, '\n');
        line += line != NULL;
    }
    return line;
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

static gputune_status append_miss(int file, const char *path, const char *text, size_t bytes,
                                  const char *key, uint64_t count)
{
    GT_SCOPED(gt_text_free) gt_text line = {0};
    if (!bytes) {
        gt_text_append(&line, heading);
    } else if (text[bytes - 1] != '\n') {
        gt_text_append(&line, "\n"); /* end a line that a full disk has cut short */
    }
    gt_text_printf(&line, "%0*" PRIu64 "\t%s\n", (int)COUNT_DIGITS, count, key);
    GT_REFUSE(bytes + line.length > GT_FILE_MOST, GPUTUNE_EIO,
              "%s is full (%d MB), so only requests that it already has are counted; tune them "
              "('gputune warm --from'), and delete it",
              path, GT_FILE_MOST >> 20);
    return line.failed ? gt_fail_memory()
                       : write_at(file, path, line.data, line.length, (off_t)bytes);
}

static gputune_status check_heading(const char *text, const char *path)
{
    return !*text || strncmp(text, beginning, strlen(beginning)) == 0
               ? GPUTUNE_OK
               : gt_fail(GPUTUNE_EIO,
                         "%s was not written by GPUTUNE_RECORD; expected a first line '%s ...'",
                         path, beginning);
}

static gputune_status add_locked(int file, const char *path, const char *key, uint64_t count)
{
    static const uint64_t most = 999999999999;
    GT_FREED char *text = NULL;
    char digits[COUNT_DIGITS + 8];
    size_t bytes;
    GT_TRY(gt_file_read(&text, &bytes, path));
    GT_TRY(check_heading(text, path));
    const char *line = find_line(text, key);
    if (!line) {
        return append_miss(file, path, text, bytes, key, count);
    }
    uint64_t known = strtoull(line, NULL, 10), sum = known + count < most ? known + count : most;
    snprintf(digits, sizeof digits, "%0*" PRIu64, (int)COUNT_DIGITS, sum);
    return write_at(file, path, digits, COUNT_DIGITS, line - text);
}

gputune_status gt_misses_file_add(const char *path, const char *key, uint64_t count)
{
    GT_REFUSE(strpbrk(key, "\n\r"), GPUTUNE_EINVAL, "'%s' has a line break; expected none", key);
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) {
        return fail_at(path, "open");
    }
    gputune_status status = lock_file(file, path);
    if (status == GPUTUNE_OK) {
        status = add_locked(file, path, key, count);
    }
    close(file);
    return status;
}

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
    *out = (gputune_miss){.size = sizeof(gputune_miss),
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
    int order = (a->count < b->count) - (a->count > b->count);
    order = order ? order : strcmp(a->kernel, b->kernel);
    return order ? order : strcmp(a->sizes, b->sizes);
}

/* Reads all lines. Skips malformed lines, because a full disk may cut a line short. */
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
    gt_array_sort(out, most_wanted_first);
    return GPUTUNE_OK;
}

int gputune_misses(const char *path, int (*each)(void *user, const gputune_miss *miss), void *user)
{
    GT_FREED char *text = NULL;
    GT_FREED miss_list list = {0};
    GT_TRY(gt_need(__func__, "path", path));
    GT_TRY(gt_need_callback(__func__, each != NULL));
    GT_SCOPED(gt_signal_release) gt_held_signal held;
    gt_signal_hold(&held);
    GT_TRY(gt_file_read(&text, NULL, path));
    GT_TRY(check_heading(text, path));
    GT_TRY(read_lines(&list, text));
    int answer = 0;
    for (size_t i = 0; i < list.count && !answer; i++) {
        answer = each(user, &list.items[i]);
    }
    return answer;
}

struct gt_miss {
    gt_miss *next;
    char *key;
    atomic_uint_least64_t asked;
    uint64_t written; /* number of requests that the file counts; protected by the lock */
};

struct gt_misses {
    char *path;
    gt_log log;
    pid_t owner; /* a forked child must not write: another thread may have locked `lock` */
    pthread_mutex_t lock;
    bool logged;
    gt_miss *first;
};

gputune_status gt_misses_open(gt_misses **out, const char *path, const gt_log *log)
{
    GT_FREED gt_misses *misses = calloc(1, sizeof *misses);
    GT_TRY(gt_allocated(misses));
    GT_TRY(gt_path_absolute(&misses->path, path));
    misses->log = *log;
    misses->owner = getpid();
    pthread_mutex_init(&misses->lock, NULL);
    *out = gt_take(&misses);
    return GPUTUNE_OK;
}

/* Adds the requests that the file does not count yet. If that fails, the next call adds them. */
static gputune_status write_miss(gt_misses *misses, gt_miss *miss)
{
    if (getpid() != misses->owner) {
        return GPUTUNE_OK;
    }
    gt_held_signal held;
    pthread_mutex_lock(&misses->lock);
    gt_signal_hold(&held); /* not blocked by a call that only looks up a plan */
    uint64_t asked = atomic_load(&miss->asked), more = asked - miss->written;
    gputune_status status = more ? gt_misses_file_add(misses->path, miss->key, more) : GPUTUNE_OK;
    miss->written = status == GPUTUNE_OK ? asked : miss->written;
    gt_signal_release(&held);
    bool is_first_failure = status != GPUTUNE_OK && !misses->logged;
    misses->logged |= is_first_failure;
    pthread_mutex_unlock(&misses->lock);
    if (is_first_failure) { /* log after unlocking, because the log callback may call the tuner */
        gt_log_line(&misses->log, GPUTUNE_LOG_WARNING, "cannot record a request: %s", gt_message());
    }
    return status;
}

void gt_misses_close(gt_misses *misses)
{
    static const double longest_s = 1; /* after this time, the first failure ends the writing */
    if (!misses) {
        return;
    }
    const gt_patience patience = gt_patience_for(longest_s, NULL);
    gputune_status status = GPUTUNE_OK;
    for (gt_miss *miss = misses->first, *next; miss; miss = next) {
        next = miss->next;
        if (status == GPUTUNE_OK || gt_patience_left_s(&patience) > 0) {
            status = write_miss(misses, miss);
        }
        free(miss->key);
        free(miss);
    }
    pthread_mutex_destroy(&misses->lock);
    free(misses->path);
    free(misses);
}

/* Formats the columns that follow the count. Uses the GPU's environment, even if results also
 * depend on the host, because `warm --from` compares this column with the environment of its own
 * GPU. Writes a kernel from the caller's own file as PATH:KERNEL, with an absolute path. */
static gputune_status make_key(char **out, const gt_request *request)
{
    const gt_scenario *s = &request->scenario;
    const gt_template *template = request->template;
    const bool has_file =
        gt_catalog_has_own_file(request->services->catalog, template, request->by_path);
    GT_FREED char *real = has_file ? realpath(template->path, NULL) : NULL;
    return gt_format(out, "%s\t%s\t%s%s%s\t%s\t%s\t%s\t%s\t%s\t%s", request->device->environment,
                     request->device->name, real ? real : "", real ? ":" : "", s->kernel,
                     s->problem, gputune_objective_name(s->objective), gputune_cache_name(s->cache),
                     s->alignment, s->inputs, request->only_text);
}

/* Finds the miss with this key, or adds it. Takes over the key. Returns NULL if out of memory. */
static gt_miss *intern_locked(gt_misses *misses, char *key)
{
    gt_miss *miss = misses->first;
    while (miss && strcmp(miss->key, key) != 0) {
        miss = miss->next;
    }
    if (!miss && (miss = calloc(1, sizeof *miss)) != NULL) {
        miss->key = gt_take(&key);
        miss->next = misses->first;
        misses->first = miss;
    }
    free(key);
    return miss;
}

gt_miss *gt_misses_note(gt_misses *misses, const gt_request *request)
{
    char *key;
    if (getpid() != misses->owner || make_key(&key, request) != GPUTUNE_OK) {
        return NULL;
    }
    pthread_mutex_lock(&misses->lock);
    gt_miss *miss = intern_locked(misses, key);
    pthread_mutex_unlock(&misses->lock);
    if (miss) {
        gt_misses_again(misses, miss);
    }
    return miss;
}

void gt_misses_again(gt_misses *misses, gt_miss *miss)
{
    uint64_t asked = atomic_fetch_add(&miss->asked, 1) + 1;
    if ((asked & (asked - 1)) == 0) {
        (void)write_miss(misses, miss);
    }
}
