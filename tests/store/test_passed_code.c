/* Tests that code that is kept in case a tuning is interrupted is deleted when the tuning has a
 * winner. */
#include "store_support.h"

TEST_OF(a_winner_is_not_dropped_with_the_others, world *w, open_world, close_world)
{
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    gt_scenario scenario = scenario_at(1024);
    const gt_terms terms = terms_of(GPUTUNE_MEASURE);
    const gt_code passed[] = {code_of(1, "a"), code_of(2, "b"), code_of(5, "c"), code_of(6, "d")};
    const gt_trial trial = trial_of(2, "VEC=4", 100);
    gt_winner winner = {.config = (char *)"VEC=4",
                        .default_config = (char *)"VEC=1",
                        .trial = trial.hash,
                        .default_trial = trial.hash,
                        .terms = terms,
                        .code = code_of(2, "b"),
                        .stop_reason = (char *)""};
    const gt_site site = {.scenario = scenario};
    gt_outcome outcome = {.site = &site, .codes = passed, .code_count = 4};
    put_size(store, 2048, 50); /* uses codes 1 and 2 */
    ASSERT_OK(gt_store_put_winner(store, &outcome, NULL));
    assert_true(has_code(store, 5) && has_code(store, 6));
    outcome = (gt_outcome){.site = &site,
                           .trials = &trial,
                           .trial_count = 1,
                           .winner = &winner,
                           .passed = passed,
                           .passed_count = 4};
    ASSERT_OK(gt_store_put_winner(store, &outcome, NULL));
    assert_true(has_code(store, 1) && has_code(store, 2));
    assert_false(has_code(store, 5) || has_code(store, 6));
}
