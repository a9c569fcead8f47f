/* The state that each stream has in a launcher: an instance and staging memory of its own. */
#include "gpu/launcher_parts.h"

#include <string.h>

/* ---- making ---- */

static gputune_status make_slots(gt_stream_state *state, const gt_launcher *launcher)
{
    const gt_driver *driver = launcher->driver;
    if (launcher->slot_bytes && !state->staging) {
        void *host;
        GT_CUDA(driver, MemAllocHost, &host, launcher->slot_bytes * GT_LAUNCHER_SLOTS);
        state->staging = host;
    }
    for (int i = 0; i < GT_LAUNCHER_SLOTS; i++) {
        if (!state->events[i]) {
            GT_CUDA(driver, EventCreate, &state->events[i], CU_EVENT_DISABLE_TIMING);
        }
    }
    return GPUTUNE_OK;
}

/* Makes what is missing. A failure leaves the state so that another call can go on from there. */
static gputune_status make_ready(gt_stream_state *state, gt_launcher *launcher)
{
    if (state->ready) {
        return GPUTUNE_OK;
    }
    GT_TRY(make_slots(state, launcher));
    GT_TRY(gt_instance_make(&state->instance, launcher));
    state->ready = true;
    return GPUTUNE_OK;
}

void gt_stream_state_free(gt_stream_state *state, const gt_driver *driver)
{
    for (int i = 0; i < GT_LAUNCHER_SLOTS; i++) {
        if (state->events[i]) {
            if (state->used[i]) {
                driver->EventSynchronize(state->events[i]);
            }
            driver->EventDestroy(state->events[i]);
        }
    }
    if (state->staging) {
        driver->MemFreeHost(state->staging);
    }
    if (state->ready) {
        gt_instance_free(&state->instance, driver);
    }
}

/* ---- finding ---- */

/* The state of `key`, locked, or NULL. The key is read again under the state's lock, as the state
 * may have become another stream's meanwhile. */
static gt_stream_state *lock_own(gt_launcher *launcher, uint64_t key)
{
    for (int i = 0; i < GT_LAUNCHER_STREAMS; i++) {
        gt_stream_state *state = &launcher->states[i];
        if (atomic_load(&state->key) != key) {
            continue;
        }
        pthread_mutex_lock(&state->lock);
        if (atomic_load(&state->key) == key) {
            return state;
        }
        pthread_mutex_unlock(&state->lock);
    }
    return NULL;
}

static gt_stream_state *choose_victim(gt_launcher *launcher)
{
    for (int i = 0; i < GT_LAUNCHER_STREAMS; i++) {
        if (atomic_load(&launcher->states[i].key) == 0) {
            return &launcher->states[i];
        }
    }
    return &launcher->states[launcher->next_victim++ % GT_LAUNCHER_STREAMS];
}

/* The state of `key`, locked. A stream without one gets a free state, or that of another stream. */
static gt_stream_state *lock_state(gt_launcher *launcher, uint64_t key)
{
    gt_stream_state *state = lock_own(launcher, key);
    if (state) {
        return state;
    }
    pthread_mutex_lock(&launcher->lock);
    state = lock_own(launcher, key); /* another thread on this stream may have been quicker */
    if (!state) {
        state = choose_victim(launcher);
        pthread_mutex_lock(&state->lock);
        state->must_wait = state->last != NULL;
        state->copied = false;
        atomic_store(&state->key, key);
    }
    pthread_mutex_unlock(&launcher->lock);
    return state;
}

/* ---- launching ---- */

/* Waits until the slot's last use has ended: its staging memory is then free. */
static gputune_status claim_slot(gt_stream_state *state, const gt_driver *driver, unsigned slot)
{
    if (!state->used[slot]) {
        return GPUTUNE_OK;
    }
    CUresult result = driver->EventQuery(state->events[slot]);
    if (result == CUDA_ERROR_NOT_READY) {
        GT_CUDA(driver, EventSynchronize, state->events[slot]);
        result = CUDA_SUCCESS;
    }
    return gt_cuda_check(driver, result, "cuEventQuery");
}

static gputune_status wait_for_previous_owner(gt_stream_state *state, const gt_driver *driver,
                                              CUstream stream)
{
    if (state->must_wait) {
        GT_CUDA(driver, StreamWaitEvent, stream, state->last, CU_EVENT_WAIT_DEFAULT);
        state->must_wait = false;
    }
    return GPUTUNE_OK;
}

static gputune_status record(gt_stream_state *state, const gt_driver *driver, CUstream stream,
                             unsigned slot)
{
    state->used[slot] = true;
    state->last = state->events[slot];
    state->next = (slot + 1) % GT_LAUNCHER_SLOTS;
    GT_CUDA(driver, EventRecord, state->events[slot], stream);
    return GPUTUNE_OK;
}

static gputune_status launch_locked(gt_stream_state *state, gt_launcher *launcher, CUstream stream,
                                    const void *const *arguments, bool copy)
{
    const gt_driver *driver = launcher->driver;
    unsigned slot = state->next;
    uint8_t *staged = NULL;
    GT_TRY(make_ready(state, launcher));
    GT_TRY(claim_slot(state, driver, slot));
    GT_TRY(wait_for_previous_owner(state, driver, stream));
    if (copy && launcher->slot_bytes) {
        staged = state->staging + slot * launcher->slot_bytes;
        gt_launcher_stage(staged, launcher, arguments);
    }
    gputune_status status =
        gt_launcher_queue(launcher, &state->instance, stream, arguments, staged);
    /* Recorded even after a failure, because the copy may still be running. */
    if (status < 0) {
        driver->EventRecord(state->events[slot], stream);
        state->used[slot] = true;
        state->last = state->events[slot];
        return status;
    }
    state->copied = state->copied || copy;
    return record(state, driver, stream, slot);
}

static gputune_status no_block(void)
{
    return gt_fail(GPUTUNE_EINVAL,
                   "no block was passed on this stream yet; call gt_launcher_launch() on it first");
}

gputune_status gt_stream_launch(gt_launcher *launcher, CUstream stream, uint64_t key,
                                const void *const *arguments, bool copy)
{
    gt_stream_state *state = lock_state(launcher, key);
    atomic_store_explicit(&state->stream, (uintptr_t)stream, memory_order_relaxed);
    gputune_status status = copy || state->copied
                                ? launch_locked(state, launcher, stream, arguments, copy)
                                : no_block();
    pthread_mutex_unlock(&state->lock);
    return status;
}

static gputune_status poison_locked(gt_stream_state *state, gt_launcher *launcher, CUstream stream,
                                    uint8_t byte)
{
    const gt_launch *launch = launcher->launch;
    const gt_instance *instance = &state->instance;
    GT_TRY(make_ready(state, launcher));
    GT_TRY(wait_for_previous_owner(state, launcher->driver, stream));
    for (uint32_t i = 0; i < launch->parameter_count; i++) {
        uint64_t bytes = launch->parameters[i].scratch_bytes;
        if (instance->scratch[i] && bytes) {
            GT_CUDA(launcher->driver, MemsetD8Async, instance->scratch[i] - instance->guard_bytes,
                    byte, bytes + 2 * (uint64_t)instance->guard_bytes, stream);
            if (launch->parameters[i].zero_first) {
                GT_CUDA(launcher->driver, MemsetD8Async, instance->scratch[i], 0, bytes, stream);
            }
        }
    }
    return GPUTUNE_OK;
}

gputune_status gt_stream_poison(gt_launcher *launcher, CUstream stream, uint64_t key, uint8_t byte)
{
    gt_stream_state *state = lock_state(launcher, key);
    CUstreamCaptureMode mode = gt_relaxed_enter(launcher->driver);
    gputune_status status = poison_locked(state, launcher, stream, byte);
    gt_relaxed_leave(launcher->driver, mode);
    pthread_mutex_unlock(&state->lock);
    return status;
}

/* The key of the stream's latest launch; 0 if it has none. */
static uint64_t key_of(const gt_launcher *launcher, CUstream stream)
{
    for (int i = 0; i < GT_LAUNCHER_STREAMS; i++) {
        const gt_stream_state *state = &launcher->states[i];
        uint64_t key = atomic_load(&state->key);
        if (key && atomic_load(&state->stream) == (uintptr_t)stream) {
            return key;
        }
    }
    return 0;
}

gputune_status gt_stream_capture(gt_launcher *launcher, CUstream stream,
                                 const void *const *arguments)
{
    uint64_t key = key_of(launcher, stream);
    gt_stream_state *state = key ? lock_own(launcher, key) : NULL;
    if (!state) {
        return no_block();
    }
    gputune_status status =
        state->copied ? gt_launcher_queue(launcher, &state->instance, stream, arguments, NULL)
                      : no_block();
    pthread_mutex_unlock(&state->lock);
    return status;
}
