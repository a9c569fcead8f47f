/* The struct that a gputune handle points to. */
#pragma once

#include "api/background.h"
#include "api/call.h"
#include "api/overrides.h"
#include "api/rules.h"
#include "base/array.h"

/* Plans in flight. If several calls need the same new plan, the first caller makes it and the
 * others wait (tune.c). */
typedef struct gt_in_flight gt_in_flight;
typedef struct gt_in_flight_list {
    pthread_mutex_t mutex;
    pthread_cond_t some_made;
    gt_in_flight *first;
} gt_in_flight_list;
void gt_in_flight_open(gt_in_flight_list *list);
/* Frees the list. No plan may be in flight. */
void gt_in_flight_close(gt_in_flight_list *list);

struct gputune {
    gt_calls calls;
    gt_log_output output;
    gt_log log; /* writes to `output` */
    gt_overrides overrides;
    gt_misses *misses; /* the recorded misses; NULL: not recorded */
    char *driver_name; /* "cuda", "emu:PROFILE" or a path; used by this process and its workers */
    const gt_driver *driver; /* NULL if there is no device, or only a worker uses it */
    gt_device device;
    bool has_device;
    gt_catalog *catalog;
    gt_store *store;
    gt_plan_pool pool;
    gt_plan_table *plans;
    gt_rules *rules;
    gt_in_flight_list in_flight;
    gt_services services;
    gt_workers workers;
    gt_gpu_right gpu;
    gt_background *background;
    char *worker;
    char *pinned; /* path of the wisdom file to which the tuner is pinned, or NULL */
};

/* Reads a caller's options; NULL means the defaults. */
gputune_status gt_open_options_read(gputune_open_options *out, const gputune_open_options *given);

double gt_limit_of(const gputune_options *options);

/* Fails with `code` if the tuner has no device. `what` begins the error message. */
gputune_status gt_tuner_need_device(const gputune *tuner, gputune_status code, const char *what);

/* Imports the file to which the tuner is pinned (records.c). ENOTFOUND or EIO if the file cannot be
 * read, ERECORDED if it is not wisdom. */
gputune_status gt_load_pinned(gputune *tuner);
/* Fails with EUNSUPPORTED if the tuner is pinned. `what` begins the error message. */
gputune_status gt_tuner_not_pinned(const gputune *tuner, const char *what);

/* Gets the device of the architecture `arch`. NULL means the tuner's device. EINVAL if there is no
 * such device. */
gputune_status gt_tuner_arch(gt_device *out, const gputune *tuner, const char *arch);

/* Makes an input available to the measure worker (memory.c). If the memory can be shared, *out has
 * an IPC handle. Otherwise *out has a copy of the bytes, which the caller frees. */
gputune_status gt_inputs_share(void *tuner, gt_live_input *out, const gputune_input *input);
/* Waits for the event `inputs_ready` of the options, if it is set (memory.c). */
gputune_status gt_inputs_wait(void *tuner, const gputune_options *options);
