/* Tests that the fallback of a tuning may become a contestant at any time. */
#include "search_world.h"
#include "tuner/field.h"

/* With n=256, all values of G give the same launch. */
static const char text[] =
    "#pragma gputune kernel(twice) problem(n = 256)\n"
    "#pragma gputune args(out float y[n], in float x[n], size_t n)\n"
    "#pragma gputune vector(VEC = 1, 2 : x, y) tune(BLOCK = 64, 128%s)\n"
    "#pragma gputune tune(G = 16, 32, 64) default(VEC = 2, BLOCK = 128, G = 16)\n"
    "#pragma gputune block(BLOCK) grid(min(ceil_div(n, BLOCK * VEC), G))\n"
    "#pragma gputune reference(y[i] = 2 * x[i])\n"
    "__global__ void twice(float *y, const float *x, size_t n)\n"
    "{ for (size_t i = blockIdx.x * BLOCK + threadIdx.x; i < n / VEC; i += gridDim.x * BLOCK)\n"
    "  for (int k = 0; k < VEC; k++) y[i * VEC + k] = 2 * x[i * VEC + k]; }\n";

static int slow_compiles;

static bool is_slow_once(void *user, const char *source)
{
    return strstr(source, "#define VEC 1\n") && block_of(source) == 128 && !slow_compiles++;
}

/* VEC=2 BLOCK=64 is the fastest. */
static scripted_variant behave_by_grid(void *user, const gt_launch *launch)
{
    const gt_kernel_step *step = &launch->steps[0];
    return (scripted_variant){.time_ns = step->block[0] == 64 && step->grid[0] == 2 ? 500 : 1000};
}

/* The compile of the fallback is postponed, and a variant with the same launch is proposed. */
TEST_OF(a_fallback_that_is_tried_again_drops_no_other_variant, world *w, open_world, close_world)
{
    const gputune_options options = OPTIONS(.strategy = GPUTUNE_STRATEGY_EXHAUSTIVE);
    file_write(w->path, text, "");
    slow_compiles = 0;
    w->farm.behave = behave_by_grid;
    w->farm.compiles_for_ever = is_slow_once;
    assert_string_equal(tuned(w, &options), "VEC=2 BLOCK=64 G=16");
    assert_int_equal(slow_compiles, 2);
    assert_true(w->choice.has_fallback);
}

/* While one round runs, the fallback is verified, and then the search proposes it too. Contestants
 * may join the race only after the round. */
TEST_OF(a_fallback_joins_the_race_once, world *w, open_world, close_world)
{
    file_write(w->path, text, "");
    w->farm.compile_s = 0.001;
    w->farm.slowness = 1e-6;
    w->farm.farm.compile_workers = 1;
    gputune_options options = OPTIONS(.strategy = GPUTUNE_STRATEGY_RANDOM, .force = true);
    for (options.seed = 1; options.seed <= 40; options.seed++) {
        ASSERT_OK(tune(w, &options));
    }
}

static scripted_variant scalar_is_fastest(void *user, const gt_launch *launch)
{
    const gt_kernel_step *step = &launch->steps[0];
    const double time_ns = step->block[0] == 128 && step->grid[0] == 16 ? 500 : 1000;
    return (scripted_variant){.time_ns = time_ns, .pilot_ns = time_ns};
}

/* A search does not propose a variant whose time it already knows. */
TEST_OF(a_fallback_that_was_timed_can_win, world *w, open_world, close_world)
{
    file_write(w->path, text, ", 32, 96, 160, 192, 224, 256, 320, 384, 512, 640");
    w->device.emulated = true; /* on an emulator, the first launch counts as a sample */
    w->farm.behave = scalar_is_fastest;
    w->farm.compile_s = 0.01;
    w->farm.slowness = 1e-6;
    gputune_options options = OPTIONS(.strategy = GPUTUNE_STRATEGY_LOCAL, .force = true);
    for (options.seed = 1; options.seed <= 10; options.seed++) {
        ASSERT_OK(tune_at(w, 2304, &options));
        assert_string_equal(w->config, "VEC=1 BLOCK=128 G=16");
    }
}

/* A variant that hung once is tried again, and is the fastest. */
static scripted_variant behave_late(void *user, const gt_launch *launch)
{
    const gt_kernel_step *step = &launch->steps[0];
    const bool late = step->block[0] == 64 && step->grid[0] == 2;
    return (scripted_variant){.time_ns = late ? 1000 : 1000 + step->grid[0], .hangs_once = late};
}

/* The limits end the second race while the variants of the first race are verified again. */
TEST_OF(a_limit_during_a_second_race_keeps_the_fallback, world *w, open_world, close_world)
{
    file_write(w->path, text, ", 96");
    w->farm.behave = behave_late;
    w->farm.slowness = 2e-5;
    gputune_options options = OPTIONS(.strategy = GPUTUNE_STRATEGY_EXHAUSTIVE, .force = true);
    for (options.time_limit_s = 3; options.time_limit_s < 3.6; options.time_limit_s += 0.05) {
        assert_string_equal(tuned(w, &options), "VEC=2 BLOCK=128 G=16");
        assert_true(w->choice.has_fallback);
        /* the late variant and its duplicates are not counted */
        assert_in_range(w->choice.variants, 15, 18);
    }
}

static void count_result(gt_proposer *self, const gt_config *config, const gt_tried *result,
                         bool is_quick)
{
    (void)config;
    (void)result;
    (void)is_quick;
    self->total++;
}

TEST_OF(duplicate_of_a_variant_with_a_result_is_reported, world *w, open_world, close_world)
{
    gt_config configs[2];
    gt_field field;
    gt_event event;
    file_write(w->path, text, "");
    gt_request *request = request_for(w, NULL);
    ASSERT_OK(gt_config_parse(&configs[0], request->template, "VEC=2 BLOCK=64 G=16", true));
    ASSERT_OK(gt_config_parse(&configs[1], request->template, "VEC=2 BLOCK=64 G=32", true));
    gt_list_proposer list = gt_list_proposer_make(configs, 1);
    list.proposer.on_result = count_result;
    ASSERT_OK(gt_field_open(&field, &(gt_field_options){.request = request,
                                                        .farm = &w->farm.farm,
                                                        .proposer = &list.proposer,
                                                        .races = true}));
    for (int turn = 0; turn < 8; turn++) {
        list.count = turn < 4 ? 1 : 2;
        list.proposer.exhausted = false;
        ASSERT_OK(gt_field_pump(&field));
        ASSERT_OK(w->farm.farm.ops->wait(&w->farm.farm, &event, 0));
        ASSERT_OK(gt_field_handle(&field, &event));
        gt_event_free(&event);
    }
    assert_int_equal(field.duplicates, 1);
    assert_int_equal(list.proposer.total, 2);
    gt_field_close(&field);
    gt_request_free(request);
}
