/* Readers that take no lock: a place for each thread, and a wait until all have moved on. */
#include "base/readers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

enum { FIRST_PLACES = 64, LINE_BYTES = 128 }; /* processors fetch lines of 64 bytes in pairs */

/* A thread's place. `turns` is odd while the thread is inside. Places are never freed. */
typedef struct place {
    _Alignas(LINE_BYTES) atomic_uint turns;
    atomic_bool taken;
    unsigned number;
    struct place *next;
} place;

static place first_places[FIRST_PLACES];
static _Atomic(place *) places; /* newest first */
static atomic_uint count;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t leaver;
static bool has_leaver;

/* Is read in every lookup: without a function call, also in a shared library. */
static _Thread_local place *own __attribute__((tls_model("initial-exec")));

static void give_back(void *gone)
{
    own = NULL;
    atomic_store_explicit(&((place *)gone)->taken, false, memory_order_release);
}

/* The other threads do not exist in a forked child, and leave nothing. */
static void forget_others(void)
{
    for (place *at = atomic_load(&places); at; at = at->next) {
        if (at != own) {
            atomic_store(&at->turns, 0);
            atomic_store(&at->taken, false);
        }
    }
}

static void add(place *added)
{
    added->number = atomic_fetch_add(&count, 1);
    added->next = atomic_load(&places);
    while (!atomic_compare_exchange_weak(&places, &added->next, added)) {
    }
}

static void start(void)
{
    for (int i = 0; i < FIRST_PLACES; i++) {
        add(&first_places[i]);
    }
    has_leaver = pthread_key_create(&leaver, give_back) == 0;
    pthread_atfork(NULL, NULL, forget_others);
}

/* Threads may outlive the library. */
__attribute__((destructor)) static void stop(void)
{
    if (has_leaver) {
        pthread_key_delete(leaver);
    }
}

/* The free place of the least number, so that few threads have small ones. */
static place *take_free(void)
{
    for (;;) {
        place *least = NULL;
        for (place *at = atomic_load(&places); at; at = at->next) {
            if (!atomic_load_explicit(&at->taken, memory_order_relaxed) &&
                (!least || at->number < least->number)) {
                least = at;
            }
        }
        if (!least || !atomic_exchange_explicit(&least->taken, true, memory_order_acquire)) {
            return least;
        }
    }
}

static place *take_new(void)
{
    place *made = aligned_alloc(LINE_BYTES, sizeof *made);
    if (made) {
        *made = (place){.taken = true};
        add(made);
    }
    return made;
}

static place *take_place(void)
{
    pthread_once(&once, start);
    place *taken = take_free();
    taken = taken ? taken : take_new();
    if (taken && has_leaver) {
        pthread_setspecific(leaver, taken);
    }
    own = taken;
    return taken;
}

bool gt_readers_enter(void)
{
    place *at = own ? own : take_place();
    if (at) {
        atomic_fetch_add(&at->turns, 1); /* in order with what a writer unlinks and then reads */
    }
    return at != NULL;
}

void gt_readers_leave(void)
{
    unsigned turns = atomic_load_explicit(&own->turns, memory_order_relaxed);
    atomic_store_explicit(&own->turns, turns + 1, memory_order_release);
}

void gt_readers_wait(void)
{
    const struct timespec nap = {.tv_nsec = 20000};
    pthread_once(&once, start);
    for (place *at = atomic_load(&places); at; at = at->next) {
        unsigned turns = atomic_load(&at->turns);
        while (turns % 2 && atomic_load(&at->turns) == turns) {
            nanosleep(&nap, NULL);
        }
    }
}

unsigned gt_readers_place(void)
{
    const place *at = own ? own : take_place();
    return at ? at->number : 0;
}
