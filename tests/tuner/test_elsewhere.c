/* Tests the use of results from the nearest size, and from other constraints. */
#include "search_world.h"
#include "support/folder.h"

static const char sized_text[] =
    "#pragma gputune kernel(scale)\n"
    "#pragma gputune problem(n = 4096)\n"
    "#pragma gputune args(out float y[n], in float x[n], float a = 2, size_t n)\n"
    "#pragma gputune tune(BLOCK = 64, 128, 256, 512)\n"
    "#pragma gputune default(BLOCK = 128)\n"
    "#pragma gputune block(BLOCK)\n"
    "#pragma gputune grid(ceil_div(n, BLOCK))\n"
    "#pragma gputune %s\n"
    "#pragma gputune reference(right, rtol = 1e-6)\n"
    "__global__ void scale(float *y, const float *x, float a, size_t n) {\n"
    "    size_t i = blockIdx.x * (size_t)BLOCK + threadIdx.x;\n"
    "    if (i < n) y[i] = a * x[i];\n"
    "}\n"
    "__global__ void right(float *y, const float *x, float a, size_t n) {\n"
    "    size_t i = blockIdx.x * 256ul + threadIdx.x;\n"
    "    if (i < n) y[i] = a * x[i];\n"
    "}\n";

enum { SMALL = 33792, LARGE = 60000 };

/* BLOCK=256 is the fastest variant, but it is wrong if it has at least this many threads. */
static uint64_t wrong_from;

static scripted_variant behave_by_size(void *user, const gt_launch *launch)
{
    const gt_kernel_step *g = &launch->steps[0];
    scripted_variant variant = ((world *)user)->by_block[g->block[0]];
    if (g->block[0] == 256 && (uint64_t)g->grid[0] * 256 >= wrong_from) {
        variant.verify = GPUTUNE_EWRONG;
    }
    return variant;
}

static void write_sized(world *w, const char *clause)
{
    file_write(w->path, sized_text, clause);
    w->farm.behave = behave_by_size;
    wrong_from = UINT64_MAX;
}

static void expect(world *w, int64_t n, gputune_effort effort, gputune_source source,
                   const char *config)
{
    expect_answer(w, n, &OPTIONS(.effort = effort), source, config);
}

static void expect_proof_with(world *w, int64_t n, const gputune_options *options, bool proves,
                              gputune_source source, const char *config)
{
    uint32_t before = w->farm.verifies;
    expect_answer(w, n, options, source, config);
    assert_int_equal(w->farm.verifies > before, proves);
}

static void expect_proof(world *w, int64_t n, gputune_effort effort, bool proves,
                         gputune_source source, const char *config)
{
    expect_proof_with(w, n, &OPTIONS(.effort = effort), proves, source, config);
}

TEST_OF(test_the_nearest_is_proved_at_the_size, world *w, open_world, close_world)
{
    write_sized(w, "require(n > 0)");
    expect(w, SMALL, GPUTUNE_MEASURE, GPUTUNE_SOURCE_MEASURED, "BLOCK=256");
    expect_proof(w, LARGE, GPUTUNE_CACHED_ONLY, true, GPUTUNE_SOURCE_NEAREST, "BLOCK=256");
    expect_proof(w, LARGE, GPUTUNE_CACHED_ONLY, false, GPUTUNE_SOURCE_NEAREST, "BLOCK=256");
    expect(w, LARGE, GPUTUNE_MEASURE, GPUTUNE_SOURCE_MEASURED, "BLOCK=256");
}

TEST_OF(test_a_nearest_that_is_wrong_here_is_no_answer, world *w, open_world, close_world)
{
    write_sized(w, "require(n > 0)");
    expect(w, SMALL, GPUTUNE_MEASURE, GPUTUNE_SOURCE_MEASURED, "BLOCK=256");
    wrong_from = 50000;
    expect_proof(w, LARGE, GPUTUNE_CACHED_ONLY, true, GPUTUNE_SOURCE_DEFAULT, "BLOCK=128");
    expect_proof(w, LARGE, GPUTUNE_CACHED_ONLY, false, GPUTUNE_SOURCE_DEFAULT, "BLOCK=128");
}

TEST_OF(background_request_gets_verified_results_only, world *w, open_world, close_world)
{
    gputune_options options = OPTIONS(.effort = GPUTUNE_CACHED_ONLY, .background = true);
    write_sized(w, "require(n > 0)");
    expect(w, SMALL, GPUTUNE_MEASURE, GPUTUNE_SOURCE_MEASURED, "BLOCK=256");
    expect_proof_with(w, LARGE, &options, false, GPUTUNE_SOURCE_DEFAULT, "BLOCK=128");
    expect(w, LARGE, GPUTUNE_CACHED_ONLY, GPUTUNE_SOURCE_NEAREST, "BLOCK=256");
    expect_proof_with(w, LARGE, &options, false, GPUTUNE_SOURCE_NEAREST, "BLOCK=256");
}

TEST_OF(nearest_needs_a_worker_to_verify, world *w, open_world, close_world)
{
    write_sized(w, "require(n > 0)");
    expect(w, SMALL, GPUTUNE_MEASURE, GPUTUNE_SOURCE_MEASURED, "BLOCK=256");
    w->farm.prepare = GPUTUNE_EWORKER;
    expect(w, LARGE, GPUTUNE_CACHED_ONLY, GPUTUNE_SOURCE_DEFAULT, "BLOCK=128");
}

/* The default has won at the nearest size, but fails in this call. */
TEST_OF(nearest_is_not_a_default_that_failed, world *w, open_world, close_world)
{
    write_sized(w, "require(n > 0)");
    w->by_block[128].time_ns = 500;
    expect(w, SMALL, GPUTUNE_MEASURE, GPUTUNE_SOURCE_MEASURED, "BLOCK=128");
    SET_EACH(w, verify, GPUTUNE_EWORKER);
    w->by_block[128].verify = GPUTUNE_ECRASHED;
    ASSERT_FAILS(tune_at(w, LARGE, NULL), GPUTUNE_ECRASHED, "the default failed");
}

/* The require() excludes the old odd-tail size, so variants are verified at another size. */
TEST_OF(test_a_failure_is_none_once_the_template_is_corrected, world *w, open_world, close_world)
{
    write_sized(w, "require(n > 0)");
    w->by_block[512].time_ns = 900;
    wrong_from = 0;
    expect(w, SMALL, GPUTUNE_MEASURE, GPUTUNE_SOURCE_MEASURED, "BLOCK=512");
    write_sized(w, "require(n % 256 == 0)");
    expect(w, SMALL, GPUTUNE_MEASURE, GPUTUNE_SOURCE_MEASURED, "BLOCK=256");
}

TEST_OF(test_a_failure_stays_one_if_the_proof_is_the_same, world *w, open_world, close_world)
{
    write_sized(w, "require(n > 0)");
    w->by_block[512].time_ns = 900;
    wrong_from = 0;
    expect(w, SMALL, GPUTUNE_MEASURE, GPUTUNE_SOURCE_MEASURED, "BLOCK=512");
    write_sized(w, "require(BLOCK <= 512)");
    expect(w, SMALL, GPUTUNE_MEASURE, GPUTUNE_SOURCE_MEASURED, "BLOCK=512");
}
