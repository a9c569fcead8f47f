/* Counts what no stored result answered. */
#include "api/misses.h"

#include "base/array.h"
#include "base/hash_index.h"
#include "base/signals.h"
#include "base/text.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct gt_miss {
    char *key;
    atomic_uint_least64_t asked;
    uint64_t written; /* of them; under the lock */
};

struct gt_misses {
    char *path;
    gt_log log;
    pid_t owner; /* a forked child writes nothing: another thread may hold the lock for good */
    pthread_mutex_t lock;
    bool told; /* a failure was logged */
    GT_ARRAY(gt_miss *) list;
    gt_hash_index places; /* in the list, by the key's hash */
};

gputune_status gt_misses_open(gt_misses **out, const char *path, const gt_log *log)
{
    gt_misses *misses = calloc(1, sizeof *misses);
    if (!misses || gt_strdup(&misses->path, path) != GPUTUNE_OK) {
        free(misses);
        return gt_fail_memory();
    }
    misses->log = *log;
    misses->owner = getpid();
    pthread_mutex_init(&misses->lock, NULL);
    *out = misses;
    return GPUTUNE_OK;
}

/* What could not be written is tried again with the next count. */
static gputune_status write_locked(gt_misses *misses, gt_miss *miss)
{
    uint64_t asked = atomic_load(&miss->asked);
    if (asked == miss->written) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_misses_file_add(misses->path, miss->key, asked - miss->written));
    miss->written = asked;
    return GPUTUNE_OK;
}

/* Called without the lock, because the callback may call the tuner again. */
static void say_failure(gt_misses *misses, bool first)
{
    if (first) {
        gt_log_line(&misses->log, GPUTUNE_LOG_WARNING, "misses are not recorded: %s", gt_message());
    }
}

static void write_miss(gt_misses *misses, gt_miss *miss)
{
    if (getpid() != misses->owner) {
        return;
    }
    gt_held_signal held;
    pthread_mutex_lock(&misses->lock);
    gt_signal_hold(&held); /* looking up a plan is no call */
    gputune_status status = write_locked(misses, miss);
    gt_signal_release(&held);
    bool first = status != GPUTUNE_OK && !misses->told;
    misses->told |= first;
    pthread_mutex_unlock(&misses->lock);
    say_failure(misses, first);
}

void gt_misses_close(gt_misses *misses)
{
    if (!misses) {
        return;
    }
    for (size_t i = 0; i < misses->list.count; i++) {
        write_miss(misses, misses->list.items[i]);
        free(misses->list.items[i]->key);
        free(misses->list.items[i]);
    }
    gt_array_free(&misses->list);
    gt_hash_index_free(&misses->places);
    pthread_mutex_destroy(&misses->lock);
    free(misses->path);
    free(misses);
}

/* The columns of a line, in the order that misses_file.c knows. A template that was given by its
 * path is named by that, from the root. */
static gputune_status make_key(char **out, const gt_request *request)
{
    const gt_scenario *s = &request->scenario;
    const char *path = request->template->path;
    GT_FREED char *real = request->by_path ? realpath(path, NULL) : NULL;
    gt_text text = {0};
    gt_text_printf(&text, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s", request->environment,
                   request->device->name, real ? real : s->kernel, s->bucket,
                   gputune_objective_name(s->objective),
                   s->cache == GPUTUNE_CACHE_HOT ? "hot" : "cold", s->alignment, s->inputs,
                   request->only_text);
    return gt_text_take(out, &text);
}

/* The miss of that key, which is taken over. NULL: there is no memory. */
static gt_miss *intern_locked(gt_misses *misses, char *key)
{
    uint32_t count = (uint32_t)misses->list.count, place;
    gt_miss *miss = calloc(1, sizeof *miss);
    if (!miss || gt_array_reserve(&misses->list) != GPUTUNE_OK ||
        gt_hash_index_intern(&misses->places, gt_hash_string(key), count, &place) != GPUTUNE_OK) {
        free(miss);
        free(key);
        return NULL;
    }
    if (place < count) {
        free(miss);
        free(key);
        return misses->list.items[place];
    }
    miss->key = key;
    misses->list.items[misses->list.count++] = miss;
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
        write_miss(misses, miss);
    }
}
