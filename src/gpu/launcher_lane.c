#include "gpu/launcher_parts.h"

#include <string.h>

/* ---- making ---- */

static gputune_status make_slots(gt_lane *lane, const gt_launcher *launcher)
{
    const gt_driver *driver = launcher->driver;
    if (launcher->copy_bytes && !lane->staging) {
        void *host;
        GT_CUDA(driver, MemAllocHost, &host, launcher->slot_bytes * GT_LAUNCHER_SLOTS);
        lane->staging = host;
    }
    for (int i = 0; i < GT_LAUNCHER_SLOTS; i++) {
        if (!lane->events[i]) {
            GT_CUDA(driver, EventCreate, &lane->events[i], CU_EVENT_DISABLE_TIMING);
        }
    }
    return GPUTUNE_OK;
}

/* What is missing of the lane; it may fail half-way and be tried again. */
static gputune_status make_ready(gt_lane *lane, gt_launcher *launcher)
{
    if (lane->ready) {
        return GPUTUNE_OK;
    }
    GT_TRY(make_slots(lane, launcher));
    GT_TRY(gt_instance_make(&lane->instance, launcher));
    lane->ready = true;
    return GPUTUNE_OK;
}

void gt_lane_free(gt_lane *lane, const gt_driver *driver)
{
    for (int i = 0; i < GT_LAUNCHER_SLOTS; i++) {
        if (lane->events[i]) {
            if (lane->used[i]) {
                driver->EventSynchronize(lane->events[i]);
            }
            driver->EventDestroy(lane->events[i]);
        }
    }
    if (lane->staging) {
        driver->MemFreeHost(lane->staging);
    }
    if (lane->ready) {
        gt_instance_free(&lane->instance, driver);
    }
}

/* ---- finding ---- */

/* The lane of `key`, locked, or NULL. The key is read again under the lane's lock, as the lane may
 * have become another stream's meanwhile. */
static gt_lane *lock_own(gt_launcher *launcher, uint64_t key)
{
    for (int i = 0; i < GT_LAUNCHER_STREAMS; i++) {
        gt_lane *lane = &launcher->lanes[i];
        if (atomic_load(&lane->key) != key) {
            continue;
        }
        pthread_mutex_lock(&lane->lock);
        if (atomic_load(&lane->key) == key) {
            return lane;
        }
        pthread_mutex_unlock(&lane->lock);
    }
    return NULL;
}

static gt_lane *choose_victim(gt_launcher *launcher)
{
    for (int i = 0; i < GT_LAUNCHER_STREAMS; i++) {
        if (atomic_load(&launcher->lanes[i].key) == 0) {
            return &launcher->lanes[i];
        }
    }
    return &launcher->lanes[launcher->next_victim++ % GT_LAUNCHER_STREAMS];
}

/* The lane of `key`, locked; one without owner, or taken from another stream, if it has none. */
static gt_lane *lock_lane(gt_launcher *launcher, uint64_t key)
{
    gt_lane *lane = lock_own(launcher, key);
    if (lane) {
        return lane;
    }
    pthread_mutex_lock(&launcher->lock);
    lane = lock_own(launcher, key); /* another thread on this stream may have been quicker */
    if (!lane) {
        lane = choose_victim(launcher);
        pthread_mutex_lock(&lane->lock);
        lane->must_wait = lane->last != NULL;
        lane->copied = false;
        atomic_store(&lane->key, key);
    }
    pthread_mutex_unlock(&launcher->lock);
    return lane;
}

/* ---- launching ---- */

/* Waits until the slot's last use has ended: its staging memory is then free. */
static gputune_status claim_slot(gt_lane *lane, const gt_driver *driver, unsigned slot)
{
    if (!lane->used[slot]) {
        return GPUTUNE_OK;
    }
    CUresult result = driver->EventQuery(lane->events[slot]);
    if (result == CUDA_ERROR_NOT_READY) {
        GT_CUDA(driver, EventSynchronize, lane->events[slot]);
        result = CUDA_SUCCESS;
    }
    return gt_cuda_check(driver, result, "cuEventQuery");
}

static gputune_status wait_for_previous_owner(gt_lane *lane, const gt_driver *driver,
                                              CUstream stream)
{
    if (lane->must_wait) {
        GT_CUDA(driver, StreamWaitEvent, stream, lane->last, CU_EVENT_WAIT_DEFAULT);
        lane->must_wait = false;
    }
    return GPUTUNE_OK;
}

static gputune_status record(gt_lane *lane, const gt_driver *driver, CUstream stream, unsigned slot)
{
    lane->used[slot] = true;
    lane->last = lane->events[slot];
    lane->next = (slot + 1) % GT_LAUNCHER_SLOTS;
    GT_CUDA(driver, EventRecord, lane->events[slot], stream);
    return GPUTUNE_OK;
}

static gputune_status launch_locked(gt_lane *lane, gt_launcher *launcher, CUstream stream,
                                    const void *const *arguments, bool copy)
{
    const gt_driver *driver = launcher->driver;
    unsigned slot = lane->next;
    const void *staged = NULL;
    GT_TRY(make_ready(lane, launcher));
    GT_TRY(claim_slot(lane, driver, slot));
    GT_TRY(wait_for_previous_owner(lane, driver, stream));
    if (copy && launcher->copy_bytes) {
        staged =
            memcpy(lane->staging + slot * launcher->slot_bytes,
                   (const uint8_t *)arguments[0] + launcher->copy_offset, launcher->copy_bytes);
    }
    gputune_status status = gt_launcher_queue(launcher, &lane->instance, stream, arguments, staged);
    /* Recorded even after a failure, as the copy may be under way. */
    if (status < 0) {
        driver->EventRecord(lane->events[slot], stream);
        lane->used[slot] = true;
        lane->last = lane->events[slot];
        return status;
    }
    lane->copied = lane->copied || copy;
    return record(lane, driver, stream, slot);
}

static gputune_status no_block(void)
{
    return gt_fail(GPUTUNE_EINVAL,
                   "no block was passed on this stream yet: launch once with gt_launcher_launch");
}

gputune_status gt_lane_launch(gt_launcher *launcher, CUstream stream, uint64_t key,
                              const void *const *arguments, bool copy)
{
    gt_lane *lane = lock_lane(launcher, key);
    atomic_store_explicit(&lane->stream, (uintptr_t)stream, memory_order_relaxed);
    gputune_status status =
        copy || lane->copied ? launch_locked(lane, launcher, stream, arguments, copy) : no_block();
    pthread_mutex_unlock(&lane->lock);
    return status;
}

static gputune_status poison_locked(gt_lane *lane, gt_launcher *launcher, CUstream stream,
                                    uint8_t byte)
{
    const gt_launch *launch = &launcher->launch;
    GT_TRY(make_ready(lane, launcher));
    GT_TRY(wait_for_previous_owner(lane, launcher->driver, stream));
    for (uint32_t i = 0; i < launch->parameter_count; i++) {
        if (lane->instance.scratch[i] && launch->parameters[i].scratch_bytes) {
            GT_CUDA(launcher->driver, MemsetD8Async, lane->instance.scratch[i], byte,
                    launch->parameters[i].scratch_bytes, stream);
        }
    }
    return GPUTUNE_OK;
}

gputune_status gt_lane_poison(gt_launcher *launcher, CUstream stream, uint64_t key, uint8_t byte)
{
    gt_lane *lane = lock_lane(launcher, key);
    CUstreamCaptureMode mode = gt_relaxed_enter(launcher->driver);
    gputune_status status = poison_locked(lane, launcher, stream, byte);
    gt_relaxed_leave(launcher->driver, mode);
    pthread_mutex_unlock(&lane->lock);
    return status;
}

/* The key under which the stream launched last, 0: it never did. */
static uint64_t key_of(const gt_launcher *launcher, CUstream stream)
{
    for (int i = 0; i < GT_LAUNCHER_STREAMS; i++) {
        const gt_lane *lane = &launcher->lanes[i];
        uint64_t key = atomic_load(&lane->key);
        if (key && atomic_load(&lane->stream) == (uintptr_t)stream) {
            return key;
        }
    }
    return 0;
}

gputune_status gt_lane_capture(gt_launcher *launcher, CUstream stream, const void *const *arguments)
{
    uint64_t key = key_of(launcher, stream);
    gt_lane *lane = key ? lock_own(launcher, key) : NULL;
    if (!lane) {
        return no_block();
    }
    gputune_status status =
        lane->copied ? gt_launcher_queue(launcher, &lane->instance, stream, arguments, NULL)
                     : no_block();
    pthread_mutex_unlock(&lane->lock);
    return status;
}
