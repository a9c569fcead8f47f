/* Memory that is short at any moment of a tuning, a hit, a comparison or a ranking: it is named as
 * what was short, what was chosen is right all the same, and the next call works. */
#include "search_world.h"

#include "support/each_failure.h"
#include "tuner/run.h"

#include <stdlib.h>

static gputune_status request(gt_request **out, world *w, const gputune_options *options)
{
    return gt_request_make(out, &w->services, &w->device, w->path, GPUTUNE_NO_SIZES, options);
}

/* A tuner of its own for each attempt. */
static gputune_status with_a_new_tuner(world *w, each_act act)
{
    gputune_status status = gt_catalog_open(&w->catalog, NULL, NULL);
    if (status != GPUTUNE_OK) {
        return status;
    }
    status = gt_store_open(&w->store, ":memory:", NULL, NULL);
    if (status == GPUTUNE_OK) {
        w->services.catalog = w->catalog;
        w->services.store = w->store;
        scripted_farm_open(&w->farm);
        status = act(w);
        scripted_farm_close(&w->farm);
        gt_store_close(w->store);
    }
    gt_catalog_close(w->catalog);
    return status;
}

static gputune_status tune_once(world *w, const gputune_options *options)
{
    gt_request *made;
    gt_choice choice;
    GT_TRY(request(&made, w, options));
    gputune_status status = gt_tune(&choice, made);
    if (status == GPUTUNE_OK) {
        gt_choice_free(&choice);
    }
    gt_request_free(made);
    return status;
}

static gputune_status tune_and_hit(void *user)
{
    GT_TRY(tune_once(user, NULL));
    return tune_once(user, NULL);
}

static gputune_status tune_by_launch(void *user)
{
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    options.objective = GPUTUNE_OBJECTIVE_LAUNCH;
    return tune_once(user, &options);
}

static gputune_status search(void *user)
{
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    options.strategy = GPUTUNE_STRATEGY_MODEL;
    options.max_variants = 4;
    return tune_once(user, &options);
}

static gputune_status rank(void *user)
{
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    options.effort = GPUTUNE_ESTIMATE;
    return tune_once(user, &options);
}

static int take(void *user, const gputune_record *record)
{
    *(uint32_t *)user += record->kernel != NULL;
    return 0;
}

static gputune_status compare(void *user)
{
    gt_request *made;
    uint32_t taken = 0;
    GT_TRY(request(&made, user, NULL));
    gt_config configs[2] = {gt_config_default(made->template), gt_config_default(made->template)};
    configs[1].choice[0]++;
    gputune_status status = gt_run(made, configs, 2, take, &taken);
    gt_request_free(made);
    return status;
}

#define ANEW(act)                                                                                  \
    static gputune_status act##_anew(void *user)                                                   \
    {                                                                                              \
        return with_a_new_tuner(user, act);                                                        \
    }
ANEW(tune_and_hit)
ANEW(tune_by_launch)
ANEW(search)
ANEW(rank)
ANEW(compare)

static void fail_each(void **state, each_act act)
{
    world *w = *state;
    scripted_farm_close(&w->farm);
    gt_store_close(w->store);
    gt_catalog_close(w->catalog);
    w->store = NULL;
    w->catalog = NULL;
    long step = getenv("GPUTUNE_TEST_LONG") ? 1 : 7;
    assert_true(each_failure("allocation", step, act, NULL, w) > 10);
    assert_int_equal(gt_catalog_open(&w->catalog, NULL, NULL), GPUTUNE_OK);
    assert_int_equal(gt_store_open(&w->store, ":memory:", NULL, NULL), GPUTUNE_OK);
    scripted_farm_open(&w->farm);
}
#define TEST(name, act)                                                                            \
    static void name(void **state)                                                                 \
    {                                                                                              \
        fail_each(state, act##_anew);                                                              \
    }
TEST(a_tuning_and_a_hit, tune_and_hit)
TEST(a_tuning_by_launches, tune_by_launch)
TEST(a_search, search)
TEST(a_ranking, rank)
TEST(a_comparison, compare)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_tuning_and_a_hit, open_world, close_world),
        cmocka_unit_test_setup_teardown(a_tuning_by_launches, open_world, close_world),
        cmocka_unit_test_setup_teardown(a_search, open_world, close_world),
        cmocka_unit_test_setup_teardown(a_ranking, open_world, close_world),
        cmocka_unit_test_setup_teardown(a_comparison, open_world, close_world),
    };
    tell_sqlite_apart();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
