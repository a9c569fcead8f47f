/* Opens and closes tuners, and counts the calls that gputune_close() waits for. */
#include "api/tuner.h"

#include "base/condition.h"
#include "base/environment.h"
#include "base/file.h"
#include "base/signals.h"
#include "base/sized.h"
#include "base/text.h"

#include "gpu/device.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- calls ----------------------------------------------------------------------------------- */

static _Thread_local gt_call *innermost;

/* Number of forks since the library was loaded; faster to read than getpid(). */
static atomic_uint forks;

static void count_fork(void)
{
    atomic_fetch_add(&forks, 1);
}

static void count_forks(void)
{
    (void)pthread_atfork(NULL, NULL, count_fork);
}

void gt_calls_open(gt_calls *calls)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, count_forks);
    pthread_mutex_init(&calls->mutex, NULL);
    pthread_cond_init(&calls->ended, NULL);
    calls->forks = atomic_load(&forks);
}

bool gt_calls_closing(const gt_calls *calls)
{
    return __atomic_load_n(&calls->closing, __ATOMIC_SEQ_CST);
}

static gputune_status check_owner(const gt_calls *calls, const char *function)
{
    return atomic_load_explicit(&forks, memory_order_relaxed) == calls->forks
               ? GPUTUNE_OK
               : gt_fail(GPUTUNE_EUNSUPPORTED,
                         "%s: a tuner does not work in a fork of the process that opened it; start "
                         "child processes by exec (in Python, by spawn)",
                         function);
}

gputune_status gt_call_begin_briefly(gt_call *out, gputune *tuner, const char *function)
{
    GT_TRY(gt_need(function, "the tuner", tuner));
    gt_calls *calls = &tuner->calls;
    /* check this first, because a forked child must not lock the mutex */
    GT_TRY(check_owner(calls, function));
    pthread_mutex_lock(&calls->mutex);
    bool open = !gt_calls_closing(calls);
    calls->inside += open;
    pthread_mutex_unlock(&calls->mutex);
    GT_REFUSE(!open, GPUTUNE_EINVAL, "%s: the tuner has been closed", function);
    *out = (gt_call){.calls = calls, .brief = true, .outer = innermost};
    innermost = out;
    return GPUTUNE_OK;
}

gputune_status gt_call_begin(gt_call *out, gputune *tuner, const char *function)
{
    GT_TRY(gt_call_begin_briefly(out, tuner, function));
    out->brief = false;
    gt_signal_hold(&out->held);
    return GPUTUNE_OK;
}

void gt_call_end(gt_call *call)
{
    gt_calls *calls = call->calls;
    if (!calls) {
        return;
    }
    innermost = call->outer;
    if (!call->brief) {
        gt_signal_release(&call->held);
    }
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&calls->mutex);
    calls->inside--;
    pthread_cond_broadcast(&calls->ended);
}

/* Cancels the calls in progress, and waits until they end. EINVAL if the tuner is closed already,
 * EBUSY in a callback of one of its calls, EUNSUPPORTED in a forked child. */
static gputune_status close_calls(gt_calls *calls)
{
    GT_TRY(check_owner(calls, "gputune_close"));
    const gt_call *call = innermost;
    while (call && call->calls != calls) {
        call = call->outer;
    }
    GT_REFUSE(call, GPUTUNE_EBUSY,
              "gputune_close: called from a callback of the same tuner, which stays open; close it "
              "after that call has returned");
    GT_REFUSE(__atomic_exchange_n(&calls->closing, 1, __ATOMIC_SEQ_CST), GPUTUNE_EINVAL,
              "gputune_close: the tuner has been closed");
    pthread_mutex_lock(&calls->mutex);
    while (calls->inside) {
        pthread_cond_wait(&calls->ended, &calls->mutex);
    }
    pthread_mutex_unlock(&calls->mutex);
    return GPUTUNE_OK;
}

const char *gputune_version(void)
{
    return GPUTUNE_VERSION_STRING;
}

/* --- workers ---------------------------------------------------------------------------------- */

static gt_farm_options farm_options(const gputune *tuner, const gputune_open_options *o)
{
    return (gt_farm_options){.worker = tuner->worker,
                             .driver = tuner->driver_name,
                             .device_uuid = tuner->device.uuid,
                             .device_ordinal = tuner->device.ordinal,
                             .compile_workers = o->compile_workers,
                             .driver_version = tuner->device.driver_version,
                             .arch = tuner->has_device ? tuner->device.arch : NULL,
                             .log = tuner->log};
}

gputune_status gt_tuner_need_device(const gputune *tuner, gputune_status code, const char *what)
{
    return tuner->has_device
               ? GPUTUNE_OK
               : gt_fail(code, "%s: this tuner was opened without a device; open one with a device",
                         what);
}

gputune_status gt_tuner_not_pinned(const gputune *tuner, const char *what)
{
    return tuner->pinned ? gt_fail(GPUTUNE_EUNSUPPORTED,
                                   "%s: this tuner is pinned to %s, so it neither measures nor "
                                   "imports results; open one without `pinned` and GPUTUNE_PINNED",
                                   what, tuner->pinned)
                         : GPUTUNE_OK;
}

/* --- opening ---------------------------------------------------------------------------------- */

static const char *named_driver(const gputune_open_options *o)
{
    return o->driver ? o->driver : gt_environment("GPUTUNE_DRIVER");
}

static const char *wanted_driver(const gputune_open_options *o)
{
    const char *name = named_driver(o);
    return name ? name : "cuda";
}

static gputune_status choose_device(gputune *tuner, const gputune_open_options *o)
{
    int ordinal;
    if (o->device && strcmp(o->device, "none") == 0) {
        return GPUTUNE_OK;
    }
    const char *name = wanted_driver(o);
    gputune_status status = gt_driver_open(&tuner->driver, name);
    if (status == GPUTUNE_ENODRIVER && !named_driver(o) && o->emulate_without_gpu) {
        name = "emu";
        status = gt_driver_open(&tuner->driver, name);
    }
    GT_TRY(status);
    free(gt_take(&tuner->driver_name));
    GT_TRY(gt_strdup(&tuner->driver_name, name));
    GT_TRY(gt_device_find(&ordinal, tuner->driver, o->device));
    GT_TRY(gt_device_identify(&tuner->device, tuner->driver, ordinal));
    tuner->has_device = true;
    return GPUTUNE_OK;
}

static gputune_status complete_device(gputune *tuner)
{
    if (!tuner->has_device || tuner->device.environment[0]) {
        return GPUTUNE_OK;
    }
    if (gt_store_clock_rates(&tuner->device, tuner->store) != GPUTUNE_OK) {
        GT_TRY(gt_device_read_clock_rates(&tuner->device, tuner->driver));
    }
    gt_device_environment(&tuner->device);
    return GPUTUNE_OK;
}

/* Returns true if `device` is a number or NULL. A worker can open such a device. */
static bool is_numbered(int *ordinal, const char *device)
{
    char *end;
    long number = device ? strtol(device, &end, 10) : 0;
    *ordinal = (int)number;
    return !device || (end != device && !*end && number >= 0 && number <= INT_MAX);
}

/* Starts workers that open the device. Returns NULL if workers cannot open it. */
static gt_farm *query_worker(gputune *tuner, const gputune_open_options *o)
{
    gt_farm *farm = NULL;
    bool may_query = o->tune_only && is_numbered(&tuner->device.ordinal, o->device) &&
                     gt_driver_probe(&tuner->device.driver_version, named_driver(o)) == GPUTUNE_OK;
    if (!may_query || gt_strdup(&tuner->driver_name, wanted_driver(o)) != GPUTUNE_OK) {
        return NULL;
    }
    const gt_farm_options options = farm_options(tuner, o);
    return gt_farm_open(&farm, &options) == GPUTUNE_OK ? farm : NULL;
}

static char *system_database(void)
{
    static const char *const places[] = {".", "../share/gputune", "gputune/share"};
    GT_FREED char *own = NULL;
    if (gt_file_own_folder(&own) != GPUTUNE_OK) {
        return NULL;
    }
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char *path = NULL;
        if (gt_format(&path, "%s/%s/gputune.db", own, places[i]) == GPUTUNE_OK &&
            gt_file_exists(path)) {
            return path;
        }
        free(path);
    }
    return NULL;
}

static gputune_status open_files(gputune *tuner, const gputune_open_options *o)
{
    for (size_t i = 0; i < o->include_path_count; i++) {
        GT_TRY(gt_need("gputune_open", "a folder of include_paths",
                       o->include_paths ? o->include_paths[i] : NULL));
    }
    GT_TRY(gt_catalog_open(&tuner->catalog, o->templates, &tuner->log));
    GT_TRY(gt_catalog_set_include_paths(tuner->catalog, o->include_paths, o->include_path_count));
    GT_FREED char *system =
        tuner->pinned || (o->read_only && o->database) ? NULL : system_database();
    const char *database = tuner->pinned ? ":memory:" : o->database;
    return gt_store_open(&tuner->store, database, system, &tuner->log, o->read_only);
}

/* Gets the device from a worker. If that fails, opens the device in this process. */
static gputune_status query_device(gputune *tuner, const gputune_open_options *o, gt_farm **farm)
{
    gt_device device;
    if ((*farm)->ops->device(*farm, &device) == GPUTUNE_OK) {
        device.ordinal = tuner->device.ordinal; /* the worker may number devices differently */
        tuner->device = device;
        tuner->has_device = true;
        return GPUTUNE_OK;
    }
    (*farm)->ops->close(*farm);
    *farm = NULL;
    return choose_device(tuner, o);
}

/* Opens the device and the tuner's files. If a worker can open the device, sets *farm, and opens
 * the files while the worker starts. */
static gputune_status open_device_and_files(gputune *tuner, const gputune_open_options *o,
                                            gt_farm **farm)
{
    *farm = query_worker(tuner, o);
    if (!*farm) {
        GT_TRY(choose_device(tuner, o));
    }
    GT_TRY(open_files(tuner, o));
    if (*farm) {
        GT_TRY(query_device(tuner, o, farm));
    }
    return complete_device(tuner);
}

static gputune_status open_parts(gputune *tuner, const gputune_open_options *o)
{
    const size_t most = o->max_plans ? o->max_plans : GT_PLAN_TABLE_LIMIT;
    GT_TRY(gt_plan_table_new(&tuner->plans, most));
    if (o->worker) {
        GT_TRY(gt_worker_find(&tuner->worker, o->worker));
    }
    gt_farm *farm = NULL;
    gputune_status status = open_device_and_files(tuner, o, &farm);
    const gt_farm_options options = farm_options(tuner, o);
    gt_workers_open(&tuner->workers, &options, o->keep_workers);
    if (farm) {
        gt_workers_adopt(&tuner->workers, farm);
    }
    return status;
}

gputune_status gt_open_options_read(gputune_open_options *out, const gputune_open_options *given)
{
    *out = (gputune_open_options)GPUTUNE_OPEN_OPTIONS_INIT;
    return GT_SIZED_READ(gputune_open_options, out, given);
}

static gputune_status open_tuner(gputune *tuner, const gputune_open_options *known)
{
    gt_plan_pool_open(&tuner->pool, NULL, &tuner->device, false);
    gt_calls_open(&tuner->calls);
    gt_in_flight_open(&tuner->in_flight);
    gt_log_output_open(&tuner->output, &(gt_log){known->log, known->user});
    tuner->log = gt_log_output_log(&tuner->output);
    GT_TRY(gt_overrides_read(&tuner->overrides, &tuner->log));
    GT_TRY(gt_rules_open(&tuner->rules));
    const char *record = tuner->overrides.record ? tuner->overrides.record : known->record;
    if (record) {
        GT_TRY(gt_misses_open(&tuner->misses, record, &tuner->log));
    }
    const char *pinned = tuner->overrides.pinned ? tuner->overrides.pinned : known->pinned;
    if (pinned) {
        GT_TRY(gt_strdup(&tuner->pinned, pinned));
    }
    GT_TRY(open_parts(tuner, known));
    if (tuner->pinned) {
        GT_TRY(gt_load_pinned(tuner));
    }
    tuner->services = (gt_services){
        .catalog = tuner->catalog,
        .store = tuner->store,
        .log = tuner->log,
        .compile_workers = known->compile_workers ? known->compile_workers : gt_cores(),
        .workers = &tuner->workers,
        .gpu = &tuner->gpu,
        .pinned = tuner->pinned,
        .input = gt_inputs_share,
        .wait_for_inputs = gt_inputs_wait,
        .user = tuner,
        .closing = &tuner->calls.closing};
    tuner->pool.driver = tuner->driver;
    tuner->pool.debug = tuner->overrides.debug;
    return gt_background_open(&tuner->background, tuner);
}

/* --- closing ---------------------------------------------------------------------------------- */

static void free_tuner(gputune *tuner)
{
    gt_plan_table_free(tuner->plans);
    gt_plan_pool_free(&tuner->pool);
    gt_catalog_close(tuner->catalog);
    pthread_mutex_destroy(&tuner->calls.mutex);
    pthread_cond_destroy(&tuner->calls.ended);
    free(tuner);
}

/* Keeps a closed tuner's handle, the structs of its plans and their watches, because the
 * application may still use the handle. */
static void retire_tuner(gputune *tuner)
{
    enum { KEPT = 64 };
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static gputune *kept[KEPT];
    static unsigned next;
    pthread_mutex_lock(&mutex);
    gputune *oldest = kept[next];
    kept[next] = tuner;
    next = (next + 1) % KEPT;
    pthread_mutex_unlock(&mutex);
    if (oldest) {
        free_tuner(oldest);
    }
}

static void close_parts(gputune *tuner)
{
    gt_background_close(tuner->background);
    gt_workers_close(&tuner->workers);
    gt_misses_close(tuner->misses);
    gt_in_flight_close(&tuner->in_flight);
    gt_plan_pool_end(&tuner->pool);
    gt_rules_close(tuner->rules);
    gt_store_close(tuner->store);
    if (gt_plan_table_is_empty(tuner->plans)) {
        gt_catalog_close(tuner->catalog);
        tuner->catalog = NULL;
    } else {
        gt_catalog_clear(tuner->catalog);
    }
    gt_log_output_close(&tuner->output);
    gt_overrides_free(&tuner->overrides);
    free(tuner->driver_name);
    free(tuner->worker);
    free(tuner->pinned);
}

void gputune_close(gputune *tuner)
{
    GT_SCOPED(gt_signal_release) gt_held_signal held;
    gt_signal_hold(&held);
    if (tuner && close_calls(&tuner->calls) == GPUTUNE_OK) {
        close_parts(tuner);
        retire_tuner(tuner);
    }
}

int gputune_open(gputune **out, const gputune_open_options *options)
{
    gputune_open_options known;
    GT_TRY(gt_need(__func__, "out", out));
    GT_TRY(gt_open_options_read(&known, options));
    GT_SCOPED(gt_signal_release) gt_held_signal held;
    gt_signal_hold(&held);
    gputune *tuner = calloc(1, sizeof *tuner);
    GT_TRY(gt_allocated(tuner));
    gputune_status status = open_tuner(tuner, &known);
    if (status == GPUTUNE_OK) {
        *out = tuner;
    } else { /* the application has no handle, so nothing needs to be kept */
        close_parts(tuner);
        free_tuner(tuner);
    }
    return status;
}

void gputune_refresh(gputune *tuner)
{
    GT_SCOPED(gt_call_end) gt_call call = {0};
    if (gt_call_begin(&call, tuner, __func__) == GPUTUNE_OK) {
        gt_plan_table_refresh(tuner->plans);
    }
}

static int forget_template(void *user, const gt_template *template)
{
    const gputune *tuner = user;
    gt_plan_table_forget(tuner->plans, template->name, template->path);
    return GPUTUNE_OK;
}

int gputune_add_template(gputune *tuner, const char *path)
{
    GT_SCOPED(gt_call_end) gt_call call = {0};
    GT_TRY(gt_need(__func__, "path", path));
    GT_TRY(gt_call_begin(&call, tuner, __func__));
    return gt_catalog_add(tuner->catalog, path, NULL, NULL, forget_template, tuner);
}

int gputune_add_source(gputune *tuner, const char *name, const char *text,
                       const gputune_include *includes)
{
    GT_SCOPED(gt_call_end) gt_call call = {0};
    GT_TRY(gt_need(__func__, "name", name));
    GT_TRY(gt_need(__func__, "text", text));
    GT_REFUSE(!*name, GPUTUNE_EINVAL, "gputune_add_source: the name is empty");
    GT_TRY(gt_call_begin(&call, tuner, __func__));
    return gt_catalog_add(tuner->catalog, name, text, includes, forget_template, tuner);
}

gputune_status gt_tuner_arch(gt_device *out, const gputune *tuner, const char *arch)
{
    if (arch) {
        return gt_device_for_arch(out, arch);
    }
    GT_REFUSE(!tuner->has_device, GPUTUNE_EINVAL,
              "no device is open; name an architecture such as sm_90");
    *out = tuner->device;
    return GPUTUNE_OK;
}
