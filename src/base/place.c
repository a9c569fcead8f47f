/* Places of threads. None is ever freed: a thread that ends leaves its place to a later one. */
#include "base/place.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

enum { FIRST_PLACES = 64 }; /* those need no memory */

static gt_message_place first_places[FIRST_PLACES];
static _Atomic(gt_message_place *) places;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t leaver;
static bool has_leaver;

static _Thread_local gt_message_place *own;

static void give_back(void *gone)
{
    own = NULL;
    atomic_store_explicit(&((gt_message_place *)gone)->taken, false, memory_order_release);
}

/* The other threads do not exist in a forked child. */
static void forget_others(void)
{
    for (gt_message_place *at = atomic_load(&places); at; at = at->next) {
        atomic_store(&at->taken, at == own);
    }
}

static void add(gt_message_place *added)
{
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

/* A place that no thread has, or a new one. */
static gt_message_place *take_place(void)
{
    for (gt_message_place *at = atomic_load(&places); at; at = at->next) {
        if (!atomic_exchange_explicit(&at->taken, true, memory_order_acquire)) {
            return at;
        }
    }
    gt_message_place *made = calloc(1, sizeof *made);
    if (made) {
        atomic_init(&made->taken, true);
        add(made);
    }
    return made;
}

gt_message_place *gt_place_own(void)
{
    if (own) {
        return own;
    }
    pthread_once(&once, start);
    own = take_place();
    if (own) {
        own->message[0] = '\0';
    }
    if (own && has_leaver) {
        pthread_setspecific(leaver, own);
    }
    return own;
}
