/* The valid handles, in a hash table. Adding one cannot fail, because objects contain the links. */
#include "emulator/handle.h"

#include <pthread.h>
#include <stdlib.h>

enum { BUCKET_COUNT = 1024, FREED_COUNT = 4096 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static emu_handle *buckets[BUCKET_COUNT];
static void *freed[FREED_COUNT]; /* ring of freed objects; freed_next is the index of the oldest */
static unsigned freed_next;

static emu_handle **bucket_of(const void *object)
{
    uint64_t mixed = (uint64_t)(uintptr_t)object * UINT64_C(0x9e3779b97f4a7c15);
    return &buckets[mixed >> 54];
}

void emu_handle_add(emu_handle *handle, const void *object, emu_kind kind, CUcontext context)
{
    emu_handle **bucket = bucket_of(object);
    pthread_mutex_lock(&lock);
    *handle = (emu_handle){.object = object, .kind = kind, .context = context, .next = *bucket};
    *bucket = handle;
    pthread_mutex_unlock(&lock);
}

void emu_handle_drop(emu_handle *handle)
{
    pthread_mutex_lock(&lock);
    emu_handle **at = bucket_of(handle->object);
    while (handle->object && *at && *at != handle) {
        at = &(*at)->next;
    }
    if (*at == handle) {
        *at = handle->next;
        handle->object = NULL;
    }
    pthread_mutex_unlock(&lock);
}

void emu_handle_free(void *object)
{
    pthread_mutex_lock(&lock);
    void *oldest = freed[freed_next];
    freed[freed_next] = object;
    freed_next = (freed_next + 1) % FREED_COUNT;
    pthread_mutex_unlock(&lock);
    free(oldest);
}

static const emu_handle *find_handle(const void *object)
{
    const emu_handle *at = *bucket_of(object);
    while (at && at->object != object) {
        at = at->next;
    }
    return at;
}

bool emu_handle_is(const void *object, emu_kind kind)
{
    pthread_mutex_lock(&lock);
    const emu_handle *found = find_handle(object);
    bool is = found && found->kind == kind;
    pthread_mutex_unlock(&lock);
    return is;
}

bool emu_handle_is_of(const void *object, emu_kind kind, CUcontext context)
{
    pthread_mutex_lock(&lock);
    const emu_handle *found = find_handle(object);
    bool is = found && found->kind == kind && found->context == context;
    pthread_mutex_unlock(&lock);
    return is;
}

void *emu_handle_any(emu_kind kind, CUcontext context)
{
    const emu_handle *found = NULL;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < BUCKET_COUNT && !found; i++) {
        for (found = buckets[i]; found && (found->kind != kind || found->context != context);) {
            found = found->next;
        }
    }
    pthread_mutex_unlock(&lock);
    return found ? (void *)(uintptr_t)found->object : NULL;
}
