/* Reads throttling and other users of the GPU through NVML on a separate thread. */
#include "farm/measure_monitor.h"

#include "base/clock.h"
#include "base/condition.h"
#include "base/file.h"
#include "base/signals.h"
#include "gpu/nvml.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double INTERVAL_S = 0.05; /* seconds between readings */
enum { USERS_EVERY = 4 /* number of readings after which the users are listed again */ };

struct gt_monitor {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    char uuid[48];
    bool stopping, opened;
    gt_nvml *nvml;       /* the GPU's handle once `opened` is set; NULL without NVML */
    bool spoils;         /* true if the last reading makes times invalid */
    bool spoiled, noisy; /* `spoiled`: times since the start of the round are invalid */
    char other[96];
};

/* Records other users of the GPU. The host application is not one of them, because it often uses
 * the GPU only after the tuning. */
static void note_users(gt_monitor *monitor, const gt_nvml_users *users)
{
    char name[32], path[32];
    int length = 0;
    monitor->noisy = users->others > 0;
    monitor->other[0] = 0;
    if (!monitor->noisy) {
        return;
    }
    if (users->others > 1 || !users->one) {
        length =
            snprintf(monitor->other, sizeof monitor->other, "%u other process%s%s", users->others,
                     users->others > 1 ? "es" : "", users->one ? ", one is " : "");
    }
    if (users->one) {
        snprintf(path, sizeof path, "/proc/%u/comm", users->one);
        gt_file_peek(name, sizeof name, path);
        name[strcspn(name, "\n")] = 0;
        snprintf(monitor->other + length, sizeof monitor->other - (size_t)length, "process %u%s%s",
                 users->one, name[0] ? " " : "", name);
    }
}

static void read_now(gt_monitor *monitor, bool looks_at_users)
{
    gt_nvml_state state;
    gt_nvml_users users;
    gt_nvml_read(&state, monitor->nvml);
    if (looks_at_users) {
        gt_nvml_read_users(&users, monitor->nvml, getppid());
    }
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&monitor->mutex);
    monitor->spoils = state.spoils;
    monitor->spoiled |= state.spoils;
    if (looks_at_users) {
        note_users(monitor, &users);
    }
}

static void *watch_gpu(void *argument)
{
    gt_monitor *monitor = argument;
    gt_nvml *nvml = gt_nvml_open(monitor->uuid);
    pthread_mutex_lock(&monitor->mutex);
    monitor->nvml = nvml;
    monitor->opened = true;
    pthread_cond_broadcast(&monitor->changed);
    for (unsigned turn = 0; nvml && !monitor->stopping; ++turn) {
        pthread_mutex_unlock(&monitor->mutex);
        read_now(monitor, turn % USERS_EVERY == 0);
        pthread_mutex_lock(&monitor->mutex);
        const int64_t start_ns = gt_now_ns();
        for (double left_s = INTERVAL_S; !monitor->stopping && left_s > 0;
             left_s = INTERVAL_S - gt_seconds_since(start_ns)) {
            gt_condition_wait(&monitor->changed, &monitor->mutex, left_s);
        }
    }
    pthread_mutex_unlock(&monitor->mutex);
    return NULL;
}

gt_monitor *gt_monitor_start(const char *uuid)
{
    gt_monitor *monitor = calloc(1, sizeof *monitor);
    if (!monitor) {
        return NULL;
    }
    snprintf(monitor->uuid, sizeof monitor->uuid, "%s", uuid);
    pthread_mutex_init(&monitor->mutex, NULL);
    gt_condition_open(&monitor->changed);
    if (gt_thread_start(&monitor->thread, NULL, watch_gpu, monitor) != 0) {
        free(monitor);
        return NULL;
    }
    return monitor;
}

void gt_monitor_stop(gt_monitor *monitor)
{
    if (!monitor) {
        return;
    }
    pthread_mutex_lock(&monitor->mutex);
    monitor->stopping = true;
    pthread_cond_broadcast(&monitor->changed);
    pthread_mutex_unlock(&monitor->mutex);
    pthread_join(monitor->thread, NULL);
    pthread_cond_destroy(&monitor->changed);
    pthread_mutex_destroy(&monitor->mutex);
    free(monitor);
}

void gt_monitor_begin(gt_monitor *monitor)
{
    if (!monitor) {
        return;
    }
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&monitor->mutex);
    monitor->spoiled = monitor->spoils;
}

void gt_monitor_end(gt_monitor *monitor, gt_sampled *out)
{
    if (!monitor) {
        return;
    }
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&monitor->mutex);
    out->spoiled = monitor->spoiled;
    out->noisy = monitor->noisy;
    memcpy(out->other, monitor->other, sizeof out->other);
}

bool gt_monitor_energy_mj(uint64_t *out, gt_monitor *monitor)
{
    if (!monitor) {
        return false;
    }
    pthread_mutex_lock(&monitor->mutex);
    while (!monitor->opened) {
        pthread_cond_wait(&monitor->changed, &monitor->mutex);
    }
    pthread_mutex_unlock(&monitor->mutex);
    return monitor->nvml && gt_nvml_energy_mj(out, monitor->nvml);
}
