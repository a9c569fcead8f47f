/* The struct behind a gputune handle (tuner.c), for all files of the API. */
#pragma once

#include "api/background.h"
#include "api/call.h"
#include "api/overrides.h"
#include "base/array.h"

/* The plans that calls are making now, each for all that want it (tune.c): the first call makes it,
 * the others wait for it (single-flight, as golang.org/x/sync/singleflight calls it). */
typedef struct gt_flight gt_flight;
typedef struct gt_flights {
    pthread_mutex_t mutex;
    pthread_cond_t landed;
    gt_flight *first;
} gt_flights;
void gt_flights_open(gt_flights *flights);
/* No flight may be left. */
void gt_flights_close(gt_flights *flights);

struct gputune {
    gt_calls calls;
    gt_log_output output;
    gt_log log; /* writes to `output` */
    gt_overrides overrides;
    gt_misses *misses;       /* NULL: misses are not recorded */
    char *driver_name;       /* "cuda", "emu:PROFILE" or a path; workers get the same name */
    const gt_driver *driver; /* NULL with device "none", or if only a worker has started it */
    gt_device device;
    bool has_device;
    gt_hash surroundings; /* those that led to the device (gpu/surroundings.h) */
    bool remembers;       /* remembered in the store when the tuner is closed */
    gt_catalog *catalog;
    gt_store *store;
    gt_plan_pool pool;
    gt_plan_table *plans;
    gt_flights flights;
    gt_services services;
    gt_workers workers;
    gt_gpu_right gpu;
    gt_background *background;
    char *worker;
};

/* Reads the options of a caller of any version; `given` NULL: the defaults. */
gputune_status gt_open_options_read(gputune_open_options *out, const gputune_open_options *given);

/* Fails with `code`, and a message that begins with `what`, for a tuner without a device. */
gputune_status gt_tuner_need_device(const gputune *tuner, gputune_status code, const char *what);

/* Fills a device for an architecture, or copies the tuner's (`arch` NULL). EINVAL: it has none. */
gputune_status gt_tuner_arch(gt_device *out, const gputune *tuner, const char *arch);

/* Makes one live input ready for the measure worker: *out has an IPC handle if the allocation can
 * be shared, else staged bytes, which the caller frees (memory.c). */
gputune_status gt_inputs_share(void *tuner, gt_live_input *out, const gputune_input *input);
/* Waits for the event after which the inputs are filled, if the options name one (memory.c). */
gputune_status gt_inputs_await(void *tuner, const gputune_options *options);
