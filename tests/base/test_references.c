/* Distributed reference counts, and readers that a writer waits for. */
#include "base/readers.h"
#include "base/references.h"
#include "support/test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 6, ROUNDS = 2000 };

TEST(reference_count_is_exact_after_gather)
{
    static gt_references count;
    gt_references_init(&count);
    gt_references_add(&count);
    gt_references_spread(&count);
    gt_references_add(&count);
    assert_false(gt_references_drop(&count));
    assert_false(gt_references_drop(&count));
    gt_references_gather(&count);
    assert_true(gt_references_drop(&count));
}

/* --- a writer replaces an object that readers use --------------------------------------------- */

typedef struct thing {
    gt_references references;
    int alive;
} thing;

static _Atomic(thing *) shown;
static atomic_int freed, dead;
static atomic_bool over;

static thing *new_thing(void)
{
    thing *made = aligned_alloc(_Alignof(thing), sizeof *made);
    assert_non_null(made);
    gt_references_init(&made->references);
    gt_references_spread(&made->references);
    made->alive = 1;
    return made;
}

static void release(thing *held)
{
    if (gt_references_drop(&held->references)) {
        held->alive = 0;
        free(held);
        freed++;
    }
}

static void *hold_and_release(void *unused)
{
    while (!over) {
        if (!gt_readers_enter()) {
            continue;
        }
        thing *held = atomic_load(&shown);
        gt_references_add(&held->references);
        gt_readers_leave();
        gt_references_add(&held->references);
        dead += held->alive != 1;
        release(held);
        release(held);
    }
    return unused;
}

TEST(writer_waits_for_readers)
{
    pthread_t threads[THREADS];
    shown = new_thing();
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, hold_and_release, NULL), 0);
    }
    for (int i = 0; i < ROUNDS; i++) {
        thing *before = atomic_exchange(&shown, new_thing());
        gt_readers_wait();
        gt_references_gather(&before->references);
        release(before);
    }
    over = true;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    gt_references_gather(&shown->references);
    release(shown);
    assert_int_equal(dead, 0);
    assert_int_equal(freed, ROUNDS + 1);
}

/* --- slots
 * -------------------------------------------------------------------------------------- */

static void *note_place(void *user)
{
    *(unsigned *)user = gt_readers_place();
    return NULL;
}

TEST(slots_are_reused)
{
    unsigned own = gt_readers_place(), other, most = 0;
    for (int i = 0; i < 200; i++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, note_place, &other), 0);
        pthread_join(thread, NULL);
        assert_int_not_equal(other, own);
        most = other > most ? other : most;
    }
    assert_in_range(most, 0, 2);
}

static atomic_bool inside;

static void *stay_inside(void *unused)
{
    gt_readers_enter();
    inside = true;
    while (inside) {
        usleep(100);
    }
    gt_readers_leave();
    return unused;
}

TEST(forked_child_does_not_wait_for_readers_of_its_parent)
{
    pthread_t thread;
    int status;
    assert_int_equal(pthread_create(&thread, NULL, stay_inside, NULL), 0);
    while (!inside) {
        usleep(100);
    }
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        alarm(20);
        gt_readers_wait();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    inside = false;
    pthread_join(thread, NULL);
    assert_int_equal(status, 0);
}
