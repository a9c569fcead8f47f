/* Tests the plan table, and launches that a plan must refuse. Needs no GPU. */
#include "api/plan.h"
#include "base/text.h"
#include "gpu/device.h"
#include "support/test.h"

#include <stdatomic.h>

typedef struct world {
    gt_catalog *catalog;
    gt_device device;
    gt_services services;
    gt_plan_pool pool;
    gputune_plan *plan;
    gt_plan_table *table;
} world;

static gputune_plan *plan_for(world *w, int64_t n)
{
    gt_request *request;
    gputune_plan *plan;
    ASSERT_OK(
        gt_request_make(&request, &w->services, &w->device, "axpy", GPUTUNE_SIZES({"n", n}), NULL));
    gt_choice choice = {.config = gt_config_default(request->template), .time_ns = 5};
    choice.image.data = strdup("image");
    choice.image.bytes = 5;
    choice.stop_reason = strdup("");
    ASSERT_OK(gt_plan_make(&plan, request, &choice, &w->pool));
    gt_choice_free(&choice);
    gt_request_free(request);
    return plan;
}

static int open_world(void **state)
{
    world *w = calloc(1, sizeof *w);
    setenv("GPUTUNE_TEMPLATES", "templates", 0);
    ASSERT_OK(gt_catalog_open(&w->catalog, NULL, NULL));
    ASSERT_OK(gt_device_for_arch(&w->device, "sm_90"));
    ASSERT_OK(gt_plan_table_new(&w->table, GT_PLAN_TABLE_LIMIT));
    gt_plan_pool_open(&w->pool, NULL, &w->device, false);
    w->services = (gt_services){.catalog = w->catalog};
    w->plan = plan_for(w, 1024);
    *state = w;
    return 0;
}

static int close_world(void **state)
{
    world *w = *state;
    gt_plan_pool_end(&w->pool);
    gt_catalog_close(w->catalog);
    gputune_plan_release(w->plan);
    gt_plan_table_free(w->table);
    gt_plan_pool_free(&w->pool);
    free(w);
    return 0;
}

static const gt_terms *terms_of(gputune_effort effort)
{
    static _Thread_local gt_terms terms;
    terms = (gt_terms){.effort = effort, .final = true, .proved = true};
    return &terms;
}

static void key_of(gt_plan_key *key, int64_t n)
{
    const gputune_options options = GPUTUNE_OPTIONS_INIT;
    gt_plan_key_make(key, "axpy", GPUTUNE_SIZES({"n", n}), &options);
}

static void add_key(world *w, const gt_plan_key *key, const gt_terms *terms, gputune_plan *plan)
{
    ASSERT_OK(gt_plan_table_add(w->table, key, terms, plan, false, 0));
}

static void add(world *w, int64_t n, const gt_terms *terms, gputune_plan *plan)
{
    gt_plan_key key;
    key_of(&key, n);
    add_key(w, &key, terms, plan);
}

static gputune_plan *find(world *w, int64_t n, const gt_terms *terms)
{
    gt_plan_key key;
    key_of(&key, n);
    gt_watch *due;
    return gt_plan_table_find(&due, w->table, &key, terms);
}

static void expect(world *w, int64_t n, const gt_terms *terms, const gputune_plan *plan)
{
    assert_ptr_equal(find(w, n, terms), plan);
}

TEST_OF(test_table_finds_by_size_and_effort, world *w, open_world, close_world)
{
    add(w, 1024, terms_of(GPUTUNE_MEASURE), w->plan);
    expect(w, 1024, terms_of(GPUTUNE_CACHED_ONLY), w->plan);
    expect(w, 1024, terms_of(GPUTUNE_EXHAUSTIVE), NULL);
    expect(w, 2048, terms_of(GPUTUNE_CACHED_ONLY), NULL);
}

/* A request uses an earlier result only if its time limit is not above that of the result. */
TEST_OF(test_table_keeps_results_with_enough_time, world *w, open_world, close_world)
{
    gt_terms five = *terms_of(GPUTUNE_MEASURE), nine;
    gputune_plan *second = plan_for(w, 1024);
    five.final = false;
    five.limit_s = 5;
    nine = five;
    nine.limit_s = 9;
    add(w, 1024, &five, w->plan);
    gt_plan_table_note_result(w->table);
    expect(w, 1024, &five, w->plan);
    expect(w, 1024, &nine, NULL);
    add(w, 1024, &nine, second);
    expect(w, 1024, &five, second);
}

/* The plan of an interrupted tuning was not re-verified. A later result replaces it. */
TEST_OF(unproved_plan_is_outdated_by_a_result, world *w, open_world, close_world)
{
    gt_terms unproved = *terms_of(GPUTUNE_MEASURE);
    unproved.final = unproved.proved = false;
    unproved.limit_s = 5;
    add(w, 1024, &unproved, w->plan);
    expect(w, 1024, terms_of(GPUTUNE_CACHED_ONLY), w->plan);
    gt_plan_table_note_result(w->table);
    expect(w, 1024, terms_of(GPUTUNE_CACHED_ONLY), NULL);
}

enum { SHARED_KEYS = 600, SHARED_READERS = 3 };

typedef struct shared_table {
    world *w;
    atomic_int added; /* the table contains the keys 1 to `added` */
    atomic_int missing, wrong;
} shared_table;

static void *read_table(void *user)
{
    shared_table *shared = user;
    for (int sure = 0; sure < SHARED_KEYS;) {
        sure = atomic_load(&shared->added);
        for (int n = sure + 4; n > 0 && n > sure - 20; n--) {
            gputune_plan *found = find(shared->w, n, terms_of(GPUTUNE_CACHED_ONLY));
            gputune_info info = GPUTUNE_INFO_INIT;
            shared->missing += !found && n <= sure;
            shared->wrong += found && (gputune_plan_info(&info, found) < 0 || info.time_ns != 5);
        }
    }
    return NULL;
}

TEST_OF(test_readers_find_added_plans, world *w, open_world, close_world)
{
    shared_table shared = {.w = w};
    pthread_t readers[SHARED_READERS];
    for (int i = 0; i < SHARED_READERS; i++) {
        assert_int_equal(pthread_create(&readers[i], NULL, read_table, &shared), 0);
    }
    for (int n = 1; n <= SHARED_KEYS; n++) {
        add(w, n, terms_of(GPUTUNE_CACHED_ONLY), w->plan);
        atomic_store(&shared.added, n);
        add(w, 1 + n / 2, terms_of(GPUTUNE_MEASURE), w->plan);
    }
    for (int i = 0; i < SHARED_READERS; i++) {
        pthread_join(readers[i], NULL);
    }
    assert_int_equal(shared.missing, 0);
    assert_int_equal(shared.wrong, 0);
}

static bool is_in(world *w, const gt_plan_key *key)
{
    gt_watch *due;
    return gt_plan_table_find(&due, w->table, key, terms_of(GPUTUNE_CACHED_ONLY)) != NULL;
}

static void make_table(world *w, size_t limit)
{
    gt_plan_table_free(w->table);
    ASSERT_OK(gt_plan_table_new(&w->table, limit));
}

TEST_OF(test_a_full_table_keeps_its_plans, world *w, open_world, close_world)
{
    const gt_terms *terms = terms_of(GPUTUNE_CACHED_ONLY);
    make_table(w, 3);
    for (int n = 1; n <= 10; n++) {
        add(w, n, terms, w->plan);
    }
    for (int n = 1; n <= 10; n++) {
        expect(w, n, terms, n <= 3 ? w->plan : NULL);
    }
}

TEST_OF(test_a_full_table_gives_no_replaced_plan, world *w, open_world, close_world)
{
    gputune_plan *second = plan_for(w, 1024);
    make_table(w, 1);
    add(w, 1024, terms_of(GPUTUNE_CACHED_ONLY), w->plan);
    add(w, 1024, terms_of(GPUTUNE_MEASURE), second);
    expect(w, 1024, terms_of(GPUTUNE_CACHED_ONLY), NULL);
    gputune_plan_release(second);
}

TEST_OF(test_lookups_that_find_the_same_keep_no_plan, world *w, open_world, close_world)
{
    gt_terms unproved = *terms_of(GPUTUNE_CACHED_ONLY);
    unproved.final = false;
    make_table(w, 2);
    add(w, 1024, &unproved, w->plan);
    for (int i = 0; i < 10; i++) {
        gputune_plan *again = plan_for(w, 1024);
        gt_plan_table_note_result(w->table);
        expect(w, 1024, &unproved, NULL);
        add(w, 1024, &unproved, again);
        expect(w, 1024, &unproved, w->plan);
        gputune_plan_release(again);
    }
}

TEST_OF(test_plans_end_with_their_pool, world *w, open_world, close_world)
{
    gputune_plan *kept = plan_for(w, 2048), *plans[] = {w->plan, kept};
    add(w, 2048, terms_of(GPUTUNE_MEASURE), kept);
    assert_ptr_equal(gputune_plan_retain(kept), kept);
    gputune_plan_release(kept); /* releases no reference */
    gputune_plan_release(kept);
    gputune_plan_release(kept);
    expect(w, 2048, terms_of(GPUTUNE_MEASURE), kept);
    gputune_plan_retain(w->plan);
    gt_plan_pool_end(&w->pool);
    for (int i = 0; i < 2; i++) {
        gputune_info info = GPUTUNE_INFO_INIT;
        void *y = NULL;
        ASSERT_FAILS(gputune_launch(plans[i], NULL, GPUTUNE_ARGS(&y)), GPUTUNE_EINVAL,
                     "axpy: the tuner of this plan was closed");
        assert_int_equal(gputune_plan_info(&info, plans[i]), GPUTUNE_EINVAL);
        gputune_plan_release(plans[i]);
    }
}

TEST_OF(test_a_kernel_is_forgotten_and_the_others_stay, world *w, open_world, close_world)
{
    static const char *const names[] = {"stencil", "./stencil.cu", "gemm", "x/../stencil.cu"};
    const gputune_options options = GPUTUNE_OPTIONS_INIT;
    const gt_terms *terms = terms_of(GPUTUNE_CACHED_ONLY);
    gt_plan_key keys[4];
    for (int i = 0; i < 4; i++) {
        gt_plan_key_make(&keys[i], names[i], GPUTUNE_NO_SIZES, &options);
    }
    for (int i = 0; i < 3; i++) {
        add_key(w, &keys[i], terms, w->plan);
    }
    gt_plan_table_forget(w->table, "stencil", "./stencil.cu");
    assert_false(is_in(w, &keys[0]));
    assert_false(is_in(w, &keys[1]));
    assert_true(is_in(w, &keys[2]));
    /* refused: the plan was requested before its template was replaced, so it may be outdated */
    add_key(w, &keys[0], terms, w->plan);
    assert_false(is_in(w, &keys[0]));
    ASSERT_OK(gt_plan_table_add(w->table, &keys[3], terms, w->plan, false,
                                gt_plan_table_forgets(w->table)));
    assert_true(is_in(w, &keys[3]));
    gt_plan_table_forget(w->table, "axpy", "axpy.cu");
    assert_false(is_in(w, &keys[3]));
}

TEST_OF(test_keys_of_any_length, world *w, open_world, close_world)
{
    enum { LONG = 5000 };
    static char path[LONG + 1];
    const char *const only[] = {path};
    gt_plan_key one, two;
    memset(path, 'x', LONG);
    gputune_options options = OPTIONS(.only = only, .only_count = 1);
    gt_plan_key_make(&one, path, GPUTUNE_SIZES({"n", 1}), &options);
    gt_plan_key_make(&two, path, GPUTUNE_SIZES({"n", 2}), &options);
    add_key(w, &one, terms_of(GPUTUNE_CACHED_ONLY), w->plan);
    assert_true(is_in(w, &one));
    assert_false(is_in(w, &two));
    gt_plan_key_free(&one);
    gt_plan_key_free(&two);
}

TEST_WITHIN(test_live_inputs_are_never_in_the_table, open_world, close_world)
{
    gt_plan_key key;
    gt_plan_key_make(&key, "axpy", GPUTUNE_SIZES({"n", 1024}), &OPTIONS(.input_count = 1));
    assert_int_equal(key.count, 0);
}
