/* Tests calls of a tuner in which an allocation or the farm fails: tuning, a hit, a search, a
 * comparison, and a ranking. The error must have the right status, the chosen configuration must be
 * correct, and the next call must work. */
#include "failing_world.h"
#include "support/folder.h"
#include "tuner/tune.h"

static gputune_status tune_and_hit(failing_world *f)
{
    GT_TRY(tune_once(f, NULL));
    return tune_once(f, NULL);
}

static gputune_status search(failing_world *f)
{
    static const gputune_size other = {"n", 8192};
    gputune_options options = OPTIONS(.strategy = GPUTUNE_STRATEGY_MODEL, .max_variants = 4);
    f->sizes = (gputune_sizes){1, &other};
    gputune_status status = tune_once(f, NULL);
    f->sizes = (gputune_sizes){0, NULL};
    return status == GPUTUNE_OK ? tune_once(f, &options) : status;
}

/* Tunes with one variant, then with all. */
static gputune_status tune_more(failing_world *f)
{
    const char *best = f->best;
    f->best = NULL;
    gputune_status status = tune_once(f, &OPTIONS(.max_variants = 1));
    f->best = best;
    return status == GPUTUNE_OK ? tune_once(f, NULL) : status;
}

static int take(void *user, const gputune_record *record)
{
    *(uint32_t *)user += record->kernel != NULL;
    return 0;
}

static gputune_status compare(failing_world *f)
{
    gt_request *request;
    uint32_t taken = 0;
    const char *samples = path_in(f->w, "samples.csv");
    GT_TRY(make_request(&request, f, &OPTIONS(.samples_path = samples)));
    gt_config configs[3];
    for (int i = 0; i < 3; i++) {
        configs[i] = gt_config_default(request->template);
        configs[i].choice[0] = (uint16_t)(i + 1);
    }
    gputune_status status = gt_run(request, configs, 3, GT_RUN_FULLY, take, &taken);
    assert_true(status != GPUTUNE_OK || taken == 3);
    gt_request_free(request);
    return status;
}

static gputune_status tune_with_trouble(failing_world *f)
{
    f->w->farm.spoiled = 1;
    f->w->farm.blameless = 1;
    f->w->farm.late = 2;
    return tune_once(f, NULL);
}

static bool is_busy(void *user)
{
    return ++*(uint32_t *)user % 4 != 0;
}

static bool must_give_way(void *user)
{
    return false;
}

static gputune_status tune_in_the_background(failing_world *f)
{
    uint32_t asked = 0;
    const gt_background_use use = {0.5, is_busy, must_give_way, &asked};
    f->background = &use;
    gputune_status status = tune_once(f, NULL);
    f->background = NULL;
    return status;
}

static const char pipeline_text[] =
    "#pragma gputune kernel(pipe) problem(n = 4096) tune(BLOCK = 64, 128, 256, 512)\n"
    "#pragma gputune args(out float y[n], in float x[n], int n) work(flops = n * BLOCK)\n"
    "#pragma gputune vector(VEC = 1, 2 : x, y) default(BLOCK = 128, VEC = 2)\n"
    "#pragma gputune launch(first, block = BLOCK, grid = ceil_div(n, BLOCK))\n"
    "#pragma gputune launch(second, block = 64, grid = 2)\n"
    "__global__ void first(float *y, const float *x, int n) { y[0] = VEC; }\n"
    "__global__ void second(float *y, const float *x, int n) {}\n";

TEST_OF(a_tuning_and_a_hit, failing_world *f, open_failing, close_failing)
{
    short_of_memory(f, tune_and_hit, 2, 997);
    without_the_farm(f, tune_and_hit);
}

TEST_OF(a_tuning_by_launches, failing_world *f, open_failing, close_failing)
{
    launches_cost_the_host(f->w);
    f->best = NULL; /* noise */
    f->options.objective = GPUTUNE_OBJECTIVE_LAUNCH;
    short_of_memory(f, tune_as_asked, 5, 997);
    without_the_farm(f, tune_as_asked);
}

TEST_OF(a_tuning_by_energy, failing_world *f, open_failing, close_failing)
{
    SET_EACH(f->w, energy_nj, f->w->by_block[block].time_ns * 300);
    f->options.objective = GPUTUNE_OBJECTIVE_ENERGY;
    short_of_memory(f, tune_as_asked, 5, 997);
    without_the_farm(f, tune_as_asked);
}

/* The four fastest variants crash while their energy is measured, and others replace them. */
TEST_OF(a_tuning_by_energy_whose_finalists_fail, failing_world *f, open_failing, close_failing)
{
    write_template(f->w, "32, 64, 96, 128, 160, 192, 224, 256");
    for (int block = 32; block <= 256; block += 32) {
        f->w->by_block[block] = (scripted_variant){.time_ns = 1000, .energy_nj = 1000};
        f->w->by_block[block].weigh = block < 192 ? GPUTUNE_ECRASHED : GPUTUNE_OK;
    }
    f->best = NULL;
    f->may_refute = true;
    f->options.objective = GPUTUNE_OBJECTIVE_ENERGY;
    short_of_memory(f, tune_as_asked, 11, 997);
    without_the_farm(f, tune_as_asked);
}

TEST_OF(a_tuning_that_writes_its_samples, failing_world *f, open_failing, close_failing)
{
    const char *samples = path_in(f->w, "samples.csv");
    f->options = OPTIONS(.samples_path = samples, .effort = GPUTUNE_EXHAUSTIVE);
    short_of_memory(f, tune_as_asked, 5, 997);
}

TEST_OF(a_search, failing_world *f, open_failing, close_failing)
{
    short_of_memory(f, search, 23, 3989);
    without_the_farm(f, search);
}

TEST_OF(a_tuning_of_more, failing_world *f, open_failing, close_failing)
{
    short_of_memory(f, tune_more, 7, 997);
}

TEST_OF(a_ranking, failing_world *f, open_failing, close_failing)
{
    f->best = NULL; /* an estimate */
    f->options.effort = GPUTUNE_ESTIMATE;
    short_of_memory(f, tune_as_asked, 1, 99);
    without_the_farm(f, tune_as_asked);
}

TEST_OF(a_call_that_is_canceled, failing_world *f, open_failing, close_failing)
{
    int cancel = 1;
    f->best = "BLOCK=128"; /* the default */
    f->options.cancel = &cancel;
    short_of_memory(f, tune_as_asked, 1, 99);
    without_the_farm(f, tune_as_asked);
}

TEST_OF(a_comparison, failing_world *f, open_failing, close_failing)
{
    short_of_memory(f, compare, 1, 99);
    without_the_farm(f, compare);
}

TEST_OF(a_tuning_with_trouble, failing_world *f, open_failing, close_failing)
{
    f->w->by_block[64].hangs_once = true;
    f->w->by_block[256].recheck = GPUTUNE_EWRONG;
    f->best = "BLOCK=128";
    short_of_memory(f, tune_with_trouble, 5, 997);
    without_the_farm(f, tune_with_trouble);
}

/* Tunes a restricted space with the objective `rate`. */
TEST_OF(a_tuning_of_a_pipeline, failing_world *f, open_failing, close_failing)
{
    static const char *const only[] = {"BLOCK=64,128,256"};
    file_write(f->w->path, "%s", pipeline_text);
    f->options = OPTIONS(.only = only, .only_count = 1);
    short_of_memory(f, tune_as_asked, 11, 997);
    without_the_farm(f, tune_as_asked);
}

TEST_OF(a_tuning_in_the_background, failing_world *f, open_failing, close_failing)
{
    short_of_memory(f, tune_in_the_background, 11, 997);
}

int main(void)
{
    count_sqlite_apart();
    return tests_run(NULL, NULL);
}
