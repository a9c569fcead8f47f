/* Plans without a GPU: what a launch refuses, and the table of finished plans. */
#include "api/plan.h"
#include "base/readers.h"
#include "base/text.h"
#include "gpu/device.h"
#include "support/test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct world {
    gt_catalog *catalog;
    gt_device device;
    gt_services services;
} world;

static int open_world(void **state)
{
    world *w = calloc(1, sizeof *w);
    setenv("GPUTUNE_TEMPLATES", "templates", 0);
    assert_int_equal(gt_catalog_open(&w->catalog, NULL, NULL), GPUTUNE_OK);
    assert_int_equal(gt_device_for_arch(&w->device, "sm_90"), GPUTUNE_OK);
    w->services = (gt_services){.catalog = w->catalog, .device = &w->device};
    *state = w;
    return 0;
}

static int close_world(void **state)
{
    world *w = *state;
    gt_catalog_close(w->catalog);
    free(w);
    return 0;
}

/* A plan for axpy at n that was never loaded. */
static gputune_plan *plan_for(world *w, int64_t n)
{
    gt_request *request;
    gputune_plan *plan;
    assert_int_equal(
        gt_request_make(&request, &w->services, &w->device, "axpy", GPUTUNE_SIZES({"n", n}), NULL),
        GPUTUNE_OK);
    gt_choice choice = {.config = gt_config_default(request->template), .time_ns = 5};
    choice.image.data = strdup("image");
    choice.image.bytes = 5;
    choice.stop_reason = strdup("");
    assert_int_equal(gt_plan_make(&plan, request, &choice, NULL, false), GPUTUNE_OK);
    gt_choice_free(&choice);
    gt_request_free(request);
    return plan;
}

TEST_OF(test_launch_refuses_a_wrong_count, world *w, open_world, close_world)
{
    gputune_plan *plan = plan_for(w, 1024);
    void *y = NULL;
    assert_int_equal(gputune_launch(plan, NULL, GPUTUNE_ARGS(&y)), GPUTUNE_EINVAL);
    assert_string_equal(gputune_error(), "axpy takes 4 arguments, got 1");
    gputune_plan_release(plan);
}

TEST_OF(test_launch_refuses_another_size, world *w, open_world, close_world)
{
    gputune_plan *plan = plan_for(w, 1024);
    void *y = (void *)4096, *x = (void *)8192;
    float a = 1;
    size_t n = 1000;
    assert_int_equal(gputune_launch(plan, NULL, GPUTUNE_ARGS(&y, &x, &a, &n)), GPUTUNE_EINVAL);
    assert_non_null(strstr(gputune_error(), "n = 1024, launched with 1000"));
    gputune_plan_release(plan);
}

TEST_OF(test_launch_refuses_half_an_element, world *w, open_world, close_world)
{
    gputune_plan *plan = plan_for(w, 1024);
    void *y = (void *)4098, *x = (void *)8192;
    float a = 1;
    size_t n = 1024;
    assert_int_equal(gputune_launch(plan, NULL, GPUTUNE_ARGS(&y, &x, &a, &n)), GPUTUNE_EINVAL);
    assert_non_null(strstr(gputune_error(), "not aligned to its elements"));
    gputune_plan_release(plan);
}

TEST_OF(test_info_says_what_was_chosen, world *w, open_world, close_world)
{
    gputune_plan *plan = plan_for(w, 1024);
    gputune_info info = {.version = GPUTUNE_INFO_VERSION};
    assert_int_equal(gputune_plan_info(&info, plan), GPUTUNE_OK);
    assert_string_equal(info.kernel, "axpy");
    assert_string_equal(info.configuration, info.default_configuration);
    assert_float_equal(info.time_ns, 5, 0);
    gputune_parameter last = {.version = GPUTUNE_PARAMETER_VERSION};
    assert_int_equal(info.arguments, 4);
    assert_int_equal(gputune_plan_argument(&last, plan, info.arguments - 1), GPUTUNE_OK);
    assert_int_equal(gputune_plan_argument(&last, plan, info.arguments), GPUTUNE_ENOTFOUND);
    info.version = 0;
    assert_int_equal(gputune_plan_info(&info, plan), GPUTUNE_EINVAL);
    gputune_plan_release(plan);
}

/* What a result of that effort was made under, or what is asked for at least. */
static const gt_terms *terms_of(gputune_effort effort)
{
    static _Thread_local gt_terms terms;
    terms = (gt_terms){.effort = effort, .final = true, .proved = true};
    return &terms;
}

static void key_of(gt_plan_key *key, int64_t n, const gputune_options *options)
{
    gt_plan_key_make(key, "axpy", GPUTUNE_SIZES({"n", n}), options);
}

TEST_OF(test_table_finds_by_size_and_effort, world *w, open_world, close_world)
{
    const gputune_options options = GPUTUNE_OPTIONS_INIT;
    gt_plan_table *table;
    gt_plan_key one, two;
    gputune_plan *plan = plan_for(w, 1024);
    assert_int_equal(gt_plan_table_new(&table, GT_PLAN_TABLE_LIMIT), GPUTUNE_OK);
    key_of(&one, 1024, &options);
    key_of(&two, 2048, &options);
    assert_int_equal(gt_plan_table_add(table, &one, terms_of(GPUTUNE_MEASURE), plan, false, 0),
                     GPUTUNE_OK);
    gputune_plan *found = gt_plan_table_find(table, &one, terms_of(GPUTUNE_CACHED_ONLY));
    assert_ptr_equal(found, plan);
    gputune_plan_release(found);
    assert_null(gt_plan_table_find(table, &one, terms_of(GPUTUNE_EXHAUSTIVE)));
    assert_null(gt_plan_table_find(table, &two, terms_of(GPUTUNE_CACHED_ONLY)));
    gt_plan_table_free(table);
    gputune_plan_release(plan);
}

TEST_OF(test_table_grows, world *w, open_world, close_world)
{
    const gputune_options options = GPUTUNE_OPTIONS_INIT;
    gt_plan_table *table;
    gt_plan_key key;
    gputune_plan *plan = plan_for(w, 1024);
    assert_int_equal(gt_plan_table_new(&table, GT_PLAN_TABLE_LIMIT), GPUTUNE_OK);
    for (int n = 1; n <= 500; n++) {
        key_of(&key, n, &options);
        assert_int_equal(gt_plan_table_add(table, &key, terms_of(GPUTUNE_MEASURE), plan, false, 0),
                         GPUTUNE_OK);
    }
    for (int n = 1; n <= 500; n++) {
        key_of(&key, n, &options);
        gputune_plan *found = gt_plan_table_find(table, &key, terms_of(GPUTUNE_MEASURE));
        assert_ptr_equal(found, plan);
        gputune_plan_release(found);
    }
    gt_plan_table_free(table);
    gputune_plan_release(plan);
}

TEST_OF(test_table_replaces, world *w, open_world, close_world)
{
    const gputune_options options = GPUTUNE_OPTIONS_INIT;
    gt_plan_table *table;
    gt_plan_key key;
    gputune_plan *first = plan_for(w, 1024), *second = plan_for(w, 1024);
    assert_int_equal(gt_plan_table_new(&table, GT_PLAN_TABLE_LIMIT), GPUTUNE_OK);
    key_of(&key, 1024, &options);
    assert_int_equal(gt_plan_table_add(table, &key, terms_of(GPUTUNE_CACHED_ONLY), first, false, 0),
                     GPUTUNE_OK);
    assert_int_equal(gt_plan_table_add(table, &key, terms_of(GPUTUNE_MEASURE), second, false, 0),
                     GPUTUNE_OK);
    gputune_plan *found = gt_plan_table_find(table, &key, terms_of(GPUTUNE_MEASURE));
    assert_ptr_equal(found, second);
    gputune_plan_release(found);
    gt_plan_table_free(table);
    gputune_plan_release(first);
    gputune_plan_release(second);
}

/* Who asks again with no more time gets what the first call got, whatever else was tuned since. */
TEST_OF(test_table_keeps_what_had_its_time, world *w, open_world, close_world)
{
    const gputune_options options = GPUTUNE_OPTIONS_INIT;
    gt_plan_table *table;
    gt_plan_key key;
    gt_terms five = *terms_of(GPUTUNE_MEASURE), nine;
    gputune_plan *first = plan_for(w, 1024), *second = plan_for(w, 1024);
    five.final = false;
    five.limit_s = 5;
    nine = five;
    nine.limit_s = 9;
    assert_int_equal(gt_plan_table_new(&table, GT_PLAN_TABLE_LIMIT), GPUTUNE_OK);
    key_of(&key, 1024, &options);
    assert_int_equal(gt_plan_table_add(table, &key, &five, first, false, 0), GPUTUNE_OK);
    gt_plan_table_note_result(table);
    gputune_plan *found = gt_plan_table_find(table, &key, &five);
    assert_ptr_equal(found, first);
    gputune_plan_release(found);
    assert_null(gt_plan_table_find(table, &key, &nine));
    assert_int_equal(gt_plan_table_add(table, &key, &nine, second, false, 0), GPUTUNE_OK);
    found = gt_plan_table_find(table, &key, &five);
    assert_ptr_equal(found, second);
    gputune_plan_release(found);
    gt_plan_table_free(table);
    gputune_plan_release(first);
    gputune_plan_release(second);
}

enum { SHARED_KEYS = 600, SHARED_READERS = 3 };

typedef struct shared_table {
    gt_plan_table *table;
    gputune_plan *plan;
    atomic_int added; /* keys 1 to this are in the table */
    atomic_int missing, wrong;
} shared_table;

static void *read_table(void *user)
{
    shared_table *shared = user;
    const gputune_options options = GPUTUNE_OPTIONS_INIT;
    gt_plan_key key;
    for (int sure = 0; sure < SHARED_KEYS;) {
        sure = atomic_load(&shared->added);
        for (int n = sure + 4; n > 0 && n > sure - 20; n--) { /* the first ones as they appear */
            key_of(&key, n, &options);
            assert_true(gt_readers_enter());
            gputune_plan *found =
                gt_plan_table_find(shared->table, &key, terms_of(GPUTUNE_CACHED_ONLY));
            gt_readers_leave();
            gputune_info info = {.version = GPUTUNE_INFO_VERSION};
            shared->missing += !found && n <= sure;
            shared->wrong += found && (gputune_plan_info(&info, found) < 0 || info.time_ns != 5);
            gputune_plan_release(found);
        }
    }
    return NULL;
}

/* Readers take no lock while a writer adds, replaces and makes the table grow. */
TEST_OF(test_readers_find_what_was_added, world *w, open_world, close_world)
{
    const gputune_options options = GPUTUNE_OPTIONS_INIT;
    shared_table shared = {.plan = plan_for(w, 1024)};
    pthread_t readers[SHARED_READERS];
    gt_plan_key key;
    assert_int_equal(gt_plan_table_new(&shared.table, GT_PLAN_TABLE_LIMIT), GPUTUNE_OK);
    for (int i = 0; i < SHARED_READERS; i++) {
        assert_int_equal(pthread_create(&readers[i], NULL, read_table, &shared), 0);
    }
    for (int n = 1; n <= SHARED_KEYS; n++) {
        key_of(&key, n, &options);
        assert_int_equal(gt_plan_table_add(shared.table, &key, terms_of(GPUTUNE_CACHED_ONLY),
                                           shared.plan, false, 0),
                         GPUTUNE_OK);
        atomic_store(&shared.added, n);
        key_of(&key, 1 + n / 2, &options);
        assert_int_equal(
            gt_plan_table_add(shared.table, &key, terms_of(GPUTUNE_MEASURE), shared.plan, false, 0),
            GPUTUNE_OK);
    }
    for (int i = 0; i < SHARED_READERS; i++) {
        pthread_join(readers[i], NULL);
    }
    assert_int_equal(shared.missing, 0);
    assert_int_equal(shared.wrong, 0);
    gt_plan_table_free(shared.table);
    gputune_plan_release(shared.plan);
}

static bool is_in(gt_plan_table *table, const gt_plan_key *key)
{
    gputune_plan *found = gt_plan_table_find(table, key, terms_of(GPUTUNE_CACHED_ONLY));
    gputune_plan_release(found);
    return found != NULL;
}

static void add(gt_plan_table *table, const gt_plan_key *key, gputune_plan *plan)
{
    assert_int_equal(gt_plan_table_add(table, key, terms_of(GPUTUNE_CACHED_ONLY), plan, false, 0),
                     GPUTUNE_OK);
}

TEST_OF(test_a_full_table_keeps_what_is_in_use, world *w, open_world, close_world)
{
    enum { LIMIT = 100, MORE = 1000 };
    const gputune_options options = GPUTUNE_OPTIONS_INIT;
    gt_plan_table *table;
    gt_plan_key key, often;
    gputune_plan *plan = plan_for(w, 1024);
    int kept = 0;
    assert_int_equal(gt_plan_table_new(&table, LIMIT), GPUTUNE_OK);
    key_of(&often, 0, &options);
    add(table, &often, plan);
    for (int n = 1; n <= MORE; n++) {
        key_of(&key, n, &options);
        add(table, &key, plan);
        assert_true(is_in(table, &often));
    }
    for (int n = 1; n <= MORE; n++) {
        key_of(&key, n, &options);
        kept += is_in(table, &key);
    }
    assert_in_range(kept, LIMIT - LIMIT / 8, LIMIT);
    gt_plan_table_free(table);
    gputune_plan_release(plan);
}

enum { CROWD = 8, CROWD_KEYS = 24, CROWD_LIMIT = 5, CROWD_TURNS = 2500 };

typedef struct crowd {
    gt_plan_table *table;
    gputune_plan *plans[CROWD_KEYS];
    atomic_int next, wrong;
} crowd;

/* Looks up one key after the other, and adds what is missing. */
static void *use_table(void *user)
{
    crowd *all = user;
    const gputune_options options = GPUTUNE_OPTIONS_INIT;
    gt_plan_key key;
    unsigned at = (unsigned)atomic_fetch_add(&all->next, 1);
    for (int i = 0; i < CROWD_TURNS; i++) {
        at = at * 5 + 7;
        size_t n = at / 64 % CROWD_KEYS;
        key_of(&key, (int64_t)n, &options);
        assert_true(gt_readers_enter());
        gputune_plan *found = gt_plan_table_find(all->table, &key, terms_of(GPUTUNE_CACHED_ONLY));
        gt_readers_leave();
        all->wrong += found && found != all->plans[n];
        if (!found) {
            assert_int_equal(gt_plan_table_add(all->table, &key, terms_of(GPUTUNE_CACHED_ONLY),
                                               all->plans[n], false, 0),
                             GPUTUNE_OK);
        }
        gputune_plan_release(found);
    }
    return NULL;
}

TEST_OF(test_a_crowd_uses_more_plans_than_are_kept, world *w, open_world, close_world)
{
    crowd all = {.next = 0};
    pthread_t threads[CROWD];
    for (int i = 0; i < CROWD_KEYS; i++) {
        all.plans[i] = plan_for(w, 1024 + i);
    }
    assert_int_equal(gt_plan_table_new(&all.table, CROWD_LIMIT), GPUTUNE_OK);
    for (int i = 0; i < CROWD; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, use_table, &all), 0);
    }
    for (int i = 0; i < CROWD; i++) {
        pthread_join(threads[i], NULL);
    }
    assert_int_equal(all.wrong, 0);
    gt_plan_table_free(all.table);
    for (int i = 0; i < CROWD_KEYS; i++) {
        gputune_plan_release(all.plans[i]);
    }
}

TEST_OF(test_a_table_of_one_plan, world *w, open_world, close_world)
{
    const gputune_options options = GPUTUNE_OPTIONS_INIT;
    gt_plan_table *table;
    gt_plan_key key;
    gputune_plan *plan = plan_for(w, 1024);
    assert_int_equal(gt_plan_table_new(&table, 1), GPUTUNE_OK);
    for (int n = 1; n <= 10; n++) {
        key_of(&key, n, &options);
        add(table, &key, plan);
        assert_true(is_in(table, &key));
        key_of(&key, n - 1, &options);
        assert_false(is_in(table, &key));
    }
    gt_plan_table_free(table);
    gputune_plan_release(plan);
}

TEST_OF(test_a_kernel_is_forgotten_and_the_others_stay, world *w, open_world, close_world)
{
    const gputune_options options = GPUTUNE_OPTIONS_INIT;
    gt_plan_table *table;
    gt_plan_key by_name, by_path, by_other_path, other;
    gputune_plan *plan = plan_for(w, 1024);
    assert_int_equal(gt_plan_table_new(&table, GT_PLAN_TABLE_LIMIT), GPUTUNE_OK);
    gt_plan_key_make(&by_name, "stencil", GPUTUNE_NO_SIZES, &options);
    gt_plan_key_make(&by_path, "./stencil.cu", GPUTUNE_NO_SIZES, &options);
    gt_plan_key_make(&by_other_path, "x/../stencil.cu", GPUTUNE_NO_SIZES, &options);
    gt_plan_key_make(&other, "gemm", GPUTUNE_NO_SIZES, &options);
    add(table, &by_name, plan);
    add(table, &by_path, plan);
    add(table, &other, plan);
    assert_int_equal(gt_plan_table_forget(table, "stencil", "./stencil.cu"), GPUTUNE_OK);
    assert_false(is_in(table, &by_name));
    assert_false(is_in(table, &by_path));
    assert_true(is_in(table, &other));
    /* the plan was begun before: it may be of the template that was replaced */
    add(table, &by_name, plan);
    assert_false(is_in(table, &by_name));
    /* plans are axpy's, however they were asked for */
    assert_int_equal(gt_plan_table_add(table, &by_other_path, terms_of(GPUTUNE_CACHED_ONLY), plan,
                                       false, gt_plan_table_forgets(table)),
                     GPUTUNE_OK);
    assert_true(is_in(table, &by_other_path));
    assert_int_equal(gt_plan_table_forget(table, "axpy", "axpy.cu"), GPUTUNE_OK);
    assert_false(is_in(table, &by_other_path));
    gt_plan_table_free(table);
    gputune_plan_release(plan);
}

TEST_OF(test_keys_of_any_length, world *w, open_world, close_world)
{
    enum { LONG = 5000 };
    static char path[LONG + 1];
    const char *const only[] = {path};
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    gt_plan_table *table;
    gt_plan_key one, two;
    gputune_plan *plan = plan_for(w, 1024);
    memset(path, 'x', LONG);
    options.only = only;
    options.only_count = 1;
    assert_int_equal(gt_plan_table_new(&table, GT_PLAN_TABLE_LIMIT), GPUTUNE_OK);
    gt_plan_key_make(&one, path, GPUTUNE_SIZES({"n", 1}), &options);
    gt_plan_key_make(&two, path, GPUTUNE_SIZES({"n", 2}), &options);
    add(table, &one, plan);
    assert_true(is_in(table, &one));
    assert_false(is_in(table, &two));
    gt_plan_key_free(&one);
    gt_plan_key_free(&two);
    gt_plan_table_free(table);
    gputune_plan_release(plan);
}

TEST_WITHIN(test_live_inputs_are_never_in_the_table, open_world, close_world)
{
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    gt_plan_key key;
    options.input_count = 1;
    key_of(&key, 1024, &options);
    assert_int_equal(key.count, 0);
}
