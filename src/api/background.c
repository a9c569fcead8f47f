/* Runs queued tunings on a thread. A tuning pauses while the application uses the GPU. */
#include "api/background.h"

#include "api/tuner.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/condition.h"
#include "base/signals.h"
#include "base/sized.h"
#include "gpu/nvml.h"
#include "tuner/request.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

atomic_bool gt_launch_seen;

static const int64_t lately_ns = 200000000;  /* after a launch, the GPU is busy for this long */
static const int64_t gap_ns = 100000000;     /* a pause ends after this time without is_busy() */
static const int64_t window_ns = 1200000000; /* the tuning pauses so long before NVML is read */
static const int64_t again_ns = 200000000;   /* interval between queries of NVML */
enum { BUSY_PERCENT = 10 };

typedef struct activity {
    gt_nvml *nvml;
    int64_t launched_ns;
    int64_t asked_ns;
    int64_t resting_ns; /* start of the current pause */
    int64_t read_ns;
    bool others; /* true if NVML reported a busy GPU */
} activity;

static void read_others(activity *activity, int64_t now)
{
    uint32_t percent;
    activity->others = gt_nvml_busy_percent(&percent, activity->nvml) && percent >= BUSY_PERCENT;
    activity->read_ns = now;
}

static const double default_share = 0.025; /* slows the application by up to 4.3% */
static const double default_limit_s = 60;
static const double way_given_s = 0.5;

typedef enum job_state { JOB_WAITING, JOB_RUNNING, JOB_TUNED, JOB_FAILED } job_state;

typedef struct job {
    uint64_t *key;
    size_t key_words;
    uint32_t forgets;
    gt_terms terms;
    uint32_t changes; /* value of gt_plan_table_changes() when the job ended */
    gt_request *request;
    gt_background_use use;
    job_state state;
    volatile int cancel;
    bool gave_way; /* true if the tuning stopped because another call wants to tune */
} job;

struct gt_background {
    gputune *tuner;
    gt_services services; /* like the tuner's, but with workers of its own */
    gt_workers workers;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    GT_ARRAY(job *) jobs;
    bool started, working, stopping;
    pthread_t thread;
    activity activity; /* accessed only by the background thread */
    job *current;      /* accessed only by the background thread */
};

gputune_status gt_background_open(gt_background **out, gputune *tuner)
{
    gt_background *background = calloc(1, sizeof *background);
    GT_TRY(gt_allocated(background));
    gt_farm_options options = tuner->workers.options;
    options.compile_workers = (tuner->services.compile_workers + 3) / 4;
    pthread_mutex_init(&background->mutex, NULL);
    gt_condition_open(&background->changed);
    background->tuner = tuner;
    gt_workers_open(&background->workers, &options, false);
    background->services = tuner->services;
    background->services.compile_workers = options.compile_workers;
    background->services.workers = &background->workers;
    background->services.gpu_user = GT_GPU_BACKGROUND;
    *out = background;
    return GPUTUNE_OK;
}

static void free_job(job **one)
{
    if (*one) {
        gt_request_free((*one)->request);
        free((*one)->key);
        free(*one);
    }
}

void gt_background_close(gt_background *background)
{
    if (!background) {
        return;
    }
    pthread_mutex_lock(&background->mutex);
    background->stopping = true;
    pthread_cond_broadcast(&background->changed);
    pthread_mutex_unlock(&background->mutex);
    if (background->started) {
        pthread_join(background->thread, NULL);
    }
    for (size_t i = 0; i < background->jobs.count; i++) {
        free_job(&background->jobs.items[i]);
    }
    gt_array_free(&background->jobs);
    gt_workers_close(&background->workers);
    pthread_cond_destroy(&background->changed);
    pthread_mutex_destroy(&background->mutex);
    free(background);
}

/* ---- tuning ---------------------------------------------------------------------------------- */

/* Returns true if the application uses the GPU. NVML reports an average that includes the tuning
 * itself, so NVML is read only after the tuning has paused for the averaging period. */
static bool is_busy(void *user)
{
    activity *activity = &((gt_background *)user)->activity;
    int64_t now = gt_now_ns();
    if (now - activity->asked_ns > gap_ns) {
        activity->resting_ns = now;
    }
    activity->asked_ns = now;
    if (atomic_exchange_explicit(&gt_launch_seen, false, memory_order_relaxed)) {
        activity->launched_ns = now;
    }
    bool launched = activity->launched_ns && now - activity->launched_ns < lately_ns;
    if (activity->nvml && now - activity->resting_ns > window_ns &&
        now - activity->read_ns > again_ns) {
        read_others(activity, now);
    }
    return launched || activity->others;
}

static bool must_give_way(void *user)
{
    gt_background *background = user;
    if (!gt_gpu_is_wanted(&background->tuner->gpu)) {
        return false;
    }
    background->current->gave_way = true;
    background->current->cancel = 1;
    return true;
}

static gputune_status needs_tuning(const gputune *tuner, const gt_request *request,
                                   const gt_choice *choice)
{
    bool won = choice->source == GPUTUNE_SOURCE_MEASURED || choice->source == GPUTUNE_SOURCE_CACHED;
    GT_FREED char *text = NULL;
    GT_TRY(gt_config_text(&text, request->template, &choice->config));
    gt_log_line(&tuner->log, GPUTUNE_LOG_INFO, "%s %s: %s in the background: %s (%s)%s%s",
                request->template->name, request->problem_text, won ? "tuned" : "not tuned", text,
                gputune_source_name(choice->source), choice->stop_reason[0] ? ": " : "",
                choice->stop_reason);
    return won ? GPUTUNE_OK : GPUTUNE_ENOTFOUND;
}

static gputune_status tune_job(gt_background *background, job *one)
{
    gputune *tuner = background->tuner;
    GT_SCOPED(gt_call_end) gt_call call = {0};
    GT_SCOPED(gt_choice_free) gt_choice choice = {0};
    gt_request *request = one->request;
    GT_TRY(gt_call_begin(&call, tuner, "a tuning in the background"));
    gt_request_begin(request);
    request->patience.cancel = &one->cancel;
    gputune_status status = gt_tune(&choice, request);
    if (status == GPUTUNE_OK) {
        status = needs_tuning(tuner, request, &choice);
    } else if (!one->gave_way && status != GPUTUNE_ECANCELED) {
        gt_log_line(&tuner->log, GPUTUNE_LOG_WARNING, "%s: tuning in the background failed: %s",
                    request->template->name, gt_message());
    }
    gt_plan_table_note_result(tuner->plans);
    return status;
}

/* ---- the thread ------------------------------------------------------------------------------ */

/* Runs a job. The caller holds the mutex; do_job() releases it while the job runs. */
static void do_job(gt_background *background, job *one)
{
    one->state = JOB_RUNNING;
    one->cancel = 0;
    one->gave_way = false;
    background->current = one;
    pthread_mutex_unlock(&background->mutex);
    gputune_status status = tune_job(background, one);
    pthread_mutex_lock(&background->mutex);
    one->changes = gt_plan_table_changes(background->tuner->plans);
    one->state = one->gave_way ? JOB_WAITING : status == GPUTUNE_OK ? JOB_TUNED : JOB_FAILED;
    pthread_cond_broadcast(&background->changed);
    if (one->gave_way && !background->stopping) {
        gt_condition_wait(&background->changed, &background->mutex, way_given_s);
    }
}

/* The thread ends one second after the last job, because it would otherwise keep the process alive
 * after the main thread has called pthread_exit(). */
static void *run_jobs(void *user)
{
    static const double linger_s = 1;
    gt_background *background = user;
    if (!background->activity.nvml) {
        background->activity.nvml = gt_nvml_open(background->tuner->device.uuid);
    }
    read_others(&background->activity, gt_now_ns());
    pthread_mutex_lock(&background->mutex);
    for (int64_t idle_ns = gt_now_ns(); !background->stopping;) {
        size_t at = 0;
        while (at < background->jobs.count && background->jobs.items[at]->state != JOB_WAITING) {
            at++;
        }
        job *one = at < background->jobs.count ? background->jobs.items[at] : NULL;
        double left_s = linger_s - gt_seconds_since(idle_ns);
        if (one) {
            do_job(background, one);
            idle_ns = gt_now_ns();
        } else if (left_s <= 0) {
            break;
        } else {
            gt_condition_wait(&background->changed, &background->mutex, left_s);
        }
    }
    background->working = false;
    pthread_mutex_unlock(&background->mutex);
    return NULL;
}

static gputune_status start_thread(gt_background *background)
{
    if (background->working) {
        return GPUTUNE_OK;
    }
    if (background->started) {
        pthread_join(background->thread, NULL);
    }
    int error = gt_thread_start(&background->thread, NULL, run_jobs, background);
    background->started = background->working = error == 0;
    return error ? gt_fail(GPUTUNE_EWORKER, "cannot start a thread to tune in the background: %s",
                           strerror(error))
                 : GPUTUNE_OK;
}

/* ---- requests -------------------------------------------------------------------------------- */

/* Ignores jobs that ended before the last refresh, because their results may have been deleted. */
static bool is_known(const gt_background *background, const gt_plan_key *key, uint32_t forgets,
                     const gt_terms *terms)
{
    const uint32_t changes = gt_plan_table_changes(background->tuner->plans);
    for (size_t i = 0; i < background->jobs.count; i++) {
        const job *one = background->jobs.items[i];
        bool is_recent = one->state < JOB_TUNED || one->changes == changes;
        if (is_recent && one->forgets == forgets && gt_plan_key_is(key, one->key, one->key_words) &&
            gt_answers_for(&one->terms, terms)) {
            return true;
        }
    }
    return false;
}

static gputune_status make_job(job **out, const gt_plan_call *call, uint32_t forgets,
                               const gputune_options *options)
{
    gt_background *background = call->tuner->background;
    const gt_plan_key *key = call->key;
    GT_SCOPED(free_job) job *one = calloc(1, sizeof *one);
    GT_TRY(gt_allocated(one));
    one->forgets = forgets;
    one->key_words = key->count;
    one->key = malloc((key->count + 1) * sizeof *one->key);
    GT_TRY(gt_allocated(one->key));
    GT_TRY(gt_request_make(&one->request, &background->services, &call->tuner->device, call->kernel,
                           call->sizes, options));
    GT_TRY(gt_request_outlive_call(one->request));
    memcpy(one->key, key->words, key->count * sizeof *key->words);
    one->use = (gt_background_use){.share = options->share > 0 ? options->share : default_share,
                                   .is_busy = is_busy,
                                   .must_give_way = must_give_way,
                                   .user = background};
    one->request->background = &one->use;
    *out = gt_take(&one);
    return GPUTUNE_OK;
}

gputune_status gt_background_want(const gt_plan_call *call, uint32_t forgets)
{
    gt_background *background = call->tuner->background;
    gputune_options o = *call->options;
    GT_SCOPED(free_job) job *one = NULL;
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&background->mutex);
    gt_terms terms = call->terms;
    o.effort = terms.effort;
    terms.limit_s = o.time_limit_s = o.time_limit_s > 0 ? o.time_limit_s : default_limit_s;
    if (is_known(background, call->key, forgets, &terms)) {
        return GPUTUNE_OK;
    }
    GT_TRY(make_job(&one, call, forgets, &o));
    one->terms = terms;
    GT_TRY(start_thread(background));
    GT_TRY(gt_array_push(&background->jobs, one));
    one = NULL;
    pthread_cond_broadcast(&background->changed);
    return GPUTUNE_OK;
}

/* ---- public functions ------------------------------------------------------------------------ */

static gputune_background_state count_jobs(const gt_background *background)
{
    gputune_background_state out = {.size = sizeof(gputune_background_state)};
    for (size_t i = 0; i < background->jobs.count; i++) {
        uint32_t *const counts[] = {&out.waiting, &out.running, &out.tuned, &out.failed};
        ++*counts[background->jobs.items[i]->state];
    }
    return out;
}

int gputune_background(gputune_background_state *out, gputune *tuner)
{
    GT_SCOPED(gt_call_end) gt_call call = {0};
    GT_TRY(gt_need(__func__, "out", out));
    GT_TRY(gt_call_begin(&call, tuner, __func__));
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&tuner->background->mutex);
    const gputune_background_state state = count_jobs(tuner->background);
    return GT_SIZED_WRITE(gputune_background_state, out, &state);
}

static gputune_status wait_until_done(gt_background *background, double seconds)
{
    static const double slice_s = 0.05; /* how often to check whether the tuner is being closed */
    const gt_patience patience = gt_patience_for(seconds, NULL);
    for (;;) {
        const gputune_background_state state = count_jobs(background);
        double left = gt_patience_left_s(&patience);
        if (!state.waiting && !state.running) {
            return GPUTUNE_OK;
        }
        GT_REFUSE(gt_calls_closing(&background->tuner->calls), GPUTUNE_ECANCELED,
                  "gputune_wait: the tuner is being closed");
        GT_REFUSE(left <= 0, GPUTUNE_ETIMEOUT,
                  "gputune_wait: %u tunings did not finish within %.3g s",
                  state.waiting + state.running, seconds);
        gt_condition_wait(&background->changed, &background->mutex, fmin(left, slice_s));
    }
}

int gputune_wait(gputune *tuner, double seconds)
{
    GT_SCOPED(gt_call_end) gt_call call = {0};
    GT_TRY(gt_call_begin(&call, tuner, __func__));
    GT_REFUSE(!(seconds >= 0), GPUTUNE_EINVAL, "gputune_wait: %g seconds; expected 0 or more",
              seconds);
    gt_background *background = tuner->background;
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&background->mutex);
    GT_REFUSE(background->working && pthread_equal(background->thread, pthread_self()),
              GPUTUNE_EBUSY,
              "gputune_wait: a callback of a background tuning cannot wait for that tuning");
    return wait_until_done(background, seconds);
}
