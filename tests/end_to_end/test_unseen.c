/* Tests rules, which choose variants for new sizes. The resulting plans must compute the same as
 * the default, and need neither compiling nor measuring. */
#include "base/random.h"
#include "support/folder.h"
#include "support/put_rule.h"
#include "world.h"

#include <dlfcn.h>
#include <malloc.h>

#define LOSS "loss mean=1.02 p90=1.05 worst=1.2 sizes=100\n"

static const char axpy_rule[] = "region n=64:1M\n" LOSS "variant VEC=4 BLOCK=256 UNROLL=2\n"
                                "variant VEC=2 BLOCK=64 UNROLL=1\n"
                                "if n <= 4096\n  use 1\nelse\n  use 0\n";

static gputune_options by_rule(void)
{
    return OPTIONS(.unseen = GPUTUNE_RULE);
}

static gputune_plan *ask_with(gputune *tuner, const char *kernel, gputune_sizes sizes,
                              const gputune_options *options)
{
    gputune_plan *plan;
    OK(tune_kernel(&plan, tuner, kernel, sizes, options));
    return plan;
}

static gputune_plan *request_source(gputune *tuner, int64_t n, gputune_source source)
{
    const gputune_options options = by_rule();
    gputune_plan *plan = ask_with(tuner, "axpy", GPUTUNE_SIZES({"n", n}), &options);
    assert_string_equal(gputune_source_name(info_of(plan).source), gputune_source_name(source));
    return plan;
}

static void expect(gputune *tuner, int64_t n, gputune_source source)
{
    gputune_plan_release(request_source(tuner, n, source));
}

/* Takes the store and the workers from a tuner, and keeps them in `services`. Calls that need them
 * then fail, but planning by a loaded rule must succeed. */
typedef struct hidden {
    gputune *tuner;
    gt_services services;
} hidden;

static hidden hide_services(gputune *tuner)
{
    hidden was = {tuner, tuner->services};
    tuner->services.store = NULL;
    tuner->services.workers = NULL;
    return was;
}

static void show_services(hidden *was)
{
    was->tuner->services = was->services;
}

TEST_WITH_TUNER(new_sizes_need_neither_database_nor_workers, world.database)
{
    gt_random random = {1};
    put_rule(tuner, "axpy", axpy_rule);
    expect(tuner, 64, GPUTUNE_SOURCE_RULE);
    GT_SCOPED(show_services) hidden was = hide_services(tuner);
    for (int i = 0; i < 300; i++) {
        const size_t n = 64 + gt_random_below(&random, i % 2 ? 8000 : (1 << 20) - 64);
        gputune_plan *plan = request_source(tuner, (int64_t)n, GPUTUNE_SOURCE_RULE), *again;
        assert_string_equal(info_of(plan).configuration,
                            n <= 4096 ? "VEC=2 BLOCK=64 UNROLL=1" : "VEC=4 BLOCK=256 UNROLL=2");
        OK(launch_axpy(plan, n));
        assert_true(launch_axpy(plan, n - 1) == GPUTUNE_EINVAL);
        again = request_source(tuner, (int64_t)n, GPUTUNE_SOURCE_RULE);
        assert_ptr_equal(plan, again);
    }
}

static int share_message(void *is_sent, void *data, size_t bytes)
{
    static char message[8192];
    assert_true(bytes <= sizeof message);
    memcpy(is_sent ? message : data, is_sent ? data : message, bytes);
    return 0;
}

TEST(rule_needs_no_other_proof_on_other_ranks)
{
    GT_SCOPED(tuner_end) gputune *first = tuner_open(world.database);
    GT_SCOPED(tuner_end) gputune *second = tuner_open(world.database);
    const gputune_options options = by_rule();
    gputune_group group = {
        .size = sizeof group, .broadcast = share_message, .user = &group /* sends */};
    gputune_plan *plans[2];
    put_rule(first, "axpy", axpy_rule);
    OK(gputune_tune_together(&plans[0], first, "axpy", GPUTUNE_SIZES({"n", 5000}), &options,
                             &group));
    group.rank = 1;
    group.user = NULL;
    OK(gputune_tune_together(&plans[1], second, "axpy", GPUTUNE_SIZES({"n", 5000}), &options,
                             &group));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(info_of(plans[i]).source, GPUTUNE_SOURCE_RULE);
        assert_string_equal(info_of(plans[i]).configuration, "VEC=4 BLOCK=256 UNROLL=2");
        gputune_plan_release(plans[i]);
    }
}

TEST_WITH_TUNER(facts_are_of_the_plans_own_sizes, world.database)
{
    gputune_function function = GPUTUNE_FUNCTION_INIT;
    gputune_parameter y = GPUTUNE_PARAMETER_INIT, n = GPUTUNE_PARAMETER_INIT;
    put_rule(tuner, "axpy", axpy_rule);
    expect(tuner, 5000, GPUTUNE_SOURCE_RULE);
    gputune_plan *plan = request_source(tuner, 20480, GPUTUNE_SOURCE_RULE);
    OK(gputune_plan_function(&function, plan, 0));
    OK(gputune_plan_argument(&y, plan, 0));
    OK(gputune_plan_argument(&n, plan, 3));
    const gputune_info info = info_of(plan);
    assert_string_equal(info.sizes, "n=20480 T=float");
    assert_string_equal(info.grids, "10");
    assert_string_equal(info.stop_reason, "rule, expected loss 2.0% (90th percentile 5.0%)");
    assert_int_equal(function.grid[0], 10);
    assert_int_equal(y.buffer_bytes, 4 * 20480);
    assert_int_equal(n.size_value, 20480);
}

/* Launches on buffers that are aligned only to the size of their elements. */
TEST_WITH_TUNER(fallback_has_its_own_grid, world.database)
{
    enum { MOST = 70000 };
    static float values[MOST + 1];
    const float a = 2;
    put_rule(tuner, "axpy", axpy_rule);
    for (int i = 0; i <= MOST; i++) {
        values[i] = (float)(i % 1000);
    }
    for (size_t n = 100; n < MOST; n = n * 3 + 1) {
        gputune_plan *plan = request_source(tuner, (int64_t)n, GPUTUNE_SOURCE_RULE);
        static float out[MOST + 1];
        CUdeviceptr x = buffer_of(values, sizeof values), y = buffer_of(values, sizeof values);
        const CUdeviceptr odd_x = x + sizeof(float), odd_y = y + sizeof(float);
        OK(gputune_launch(plan, NULL, GPUTUNE_ARGS(&odd_y, &odd_x, &a, &n)));
        CU(MemcpyDtoH(out, y, sizeof out));
        for (size_t i = 0; i <= MOST; i++) {
            assert_true(out[i] == (i >= 1 && i <= n ? 3 : 1) * values[i]);
        }
        CU(MemFree(x));
        CU(MemFree(y));
    }
}

enum { FLOATS = 1 << 18 };

typedef struct comparison {
    gputune *rules, *defaults;
    const char *kernel;
    CUdeviceptr out, in, other;
} comparison;

static comparison compare_open(const char *kernel, const char *rule)
{
    static float values[FLOATS];
    comparison c = {.rules = tuner_open(world.database), .kernel = kernel};
    c.defaults = tuner_open(":memory:");
    put_rule(c.rules, kernel, rule);
    for (int i = 0; i < FLOATS; i++) {
        values[i] = (float)(i * 7 % 13 - 6);
    }
    c.out = buffer_of(values, sizeof values);
    c.in = buffer_of(values, sizeof values);
    c.other = buffer_of(values, sizeof values);
    return c;
}

static void compare_close(comparison *c)
{
    gputune_close(c->rules);
    gputune_close(c->defaults);
    CU(MemFree(c->out));
    CU(MemFree(c->in));
    CU(MemFree(c->other));
}

/* Launches a plan of the tuner on zeroed output, and reads the output. */
static void compute(float *out, size_t floats, const comparison *c, gputune *tuner,
                    gputune_sizes sizes, gputune_args args)
{
    const gputune_options options = by_rule();
    gputune_options cached = options;
    cached.effort = GPUTUNE_CACHED_ONLY;
    GT_SCOPED(plan_end)
    gputune_plan *plan = ask_with(tuner, c->kernel, sizes, tuner == c->rules ? &options : &cached);
    assert_int_equal(info_of(plan).source,
                     tuner == c->rules ? GPUTUNE_SOURCE_RULE : GPUTUNE_SOURCE_DEFAULT);
    CU(MemsetD8Async(c->out, 0, floats * sizeof *out, NULL));
    OK(gputune_launch(plan, NULL, args));
    CU(MemcpyDtoH(out, c->out, floats * sizeof *out));
}

static void expect_same_results(const comparison *c, size_t floats, gputune_sizes sizes,
                                gputune_args args)
{
    static float ours[FLOATS], standard[FLOATS];
    compute(ours, floats, c, c->rules, sizes, args);
    compute(standard, floats, c, c->defaults, sizes, args);
    for (size_t i = 0; i < floats; i++) {
        assert_float_equal(ours[i], standard[i], 1e-3);
    }
}

/* The rule uses variant 1 only if every row consists of whole vectors. The elements are integers,
 * so sums are exact. */
TEST(gemm_computes_the_same)
{
    GT_SCOPED(compare_close)
    comparison c = compare_open("gemm", "region m=1:256 n=1:256 k=1:256\n" LOSS
                                        "variant BM=64 BN=64 TN=4 VK=1 VN=1\n"
                                        "variant BM=64 BN=128 TN=8 VK=4 VN=4 WARPS=8\n"
                                        "if n % 4 == 0 && k % 4 == 0\n  use 1\nelse\n  use 0\n");
    gt_random random = {2};
    const float alpha = 1, beta = 0;
    for (int i = 0; i < 25; i++) {
        const unsigned unit = i % 2 ? 4 : 1;
        unsigned sizes[3];
        for (int s = 0; s < 3; s++) {
            sizes[s] = unit * (unsigned)(1 + gt_random_below(&random, 150 / unit));
        }
        expect_same_results(
            &c, (size_t)sizes[0] * sizes[1],
            GPUTUNE_SIZES({"m", sizes[0]}, {"n", sizes[1]}, {"k", sizes[2]}),
            GPUTUNE_ARGS(&c.out, &c.in, &c.other, &sizes[0], &sizes[1], &sizes[2], &alpha, &beta));
    }
}

/* A scan's scratch memory depends on the size, and is zeroed before the first launch. */
TEST(scan_computes_the_same_with_scratch_memory_of_each_size)
{
    GT_SCOPED(compare_close)
    comparison c =
        compare_open("scan", "region n=1:262144 T=float\n" LOSS "variant VEC=1 BLOCK=128 STEPS=1\n"
                             "variant VEC=4 BLOCK=256 STEPS=2\n"
                             "if n % 2 == 0\n  use 1\nelse\n  use 0\n");
    gt_random random = {3};
    for (int i = 0; i < 40; i++) {
        const size_t n = 1 + gt_random_below(&random, UINT64_C(1) << gt_random_below(&random, 19));
        for (int again = 0; again < 2; again++) {
            expect_same_results(&c, n, GPUTUNE_SIZES({"n", n}, {"T=float", 0}),
                                GPUTUNE_ARGS(&c.out, &c.in, &n));
        }
    }
}

TEST_WITH_TUNER(tensor_maps_and_computed_arguments_have_each_size, world.database)
{
    enum { MOST = 64 };
    static const char text[] =
        "#pragma gputune kernel(rows) problem(m = 64) tune(A = 1, 2)\n"
        "#pragma gputune args(out float y[m], in float x[m][8], unsigned m)\n"
        "#pragma gputune tensormap(map : x, box = (8, 8))\n"
        "#pragma gputune launch(rows, block = 64, grid = 1, args = (y, map, m, A * m))\n"
        "__global__ void rows(float *y, const __grid_constant__ CUtensorMap map, unsigned m,\n"
        "                     unsigned more) {\n"
        "  if (threadIdx.x < m) y[threadIdx.x] = map.opaque[3] + 1000 * more;\n"
        "}\n"; /* opaque[3] is the number of rows in the emulator's tensor maps */
    static float values[MOST * 8];
    char path[160];
    const gputune_options options = by_rule();
    CUdeviceptr x = buffer_of(values, sizeof values), y = buffer_of(values, sizeof values);
    snprintf(path, sizeof path, "%s/rows.cu", world.folder);
    file_write(path, text);
    OK(gputune_add_template(tuner, path));
    put_rule(tuner, "rows", "region m=1:64\n" LOSS "variant A=2\nuse 0\n");
    gputune_plan_release(ask_with(tuner, "rows", GPUTUNE_SIZES({"m", MOST}), &options));
    GT_SCOPED(show_services) hidden was = hide_services(tuner);
    for (unsigned m = 1; m <= MOST; m++) {
        gputune_plan *plan = ask_with(tuner, "rows", GPUTUNE_SIZES({"m", m}), &options);
        assert_int_equal(info_of(plan).source, GPUTUNE_SOURCE_RULE);
        OK(gputune_launch(plan, NULL, GPUTUNE_ARGS(&y, &x, &m)));
        CU(MemcpyDtoH(values, y, m * sizeof *values));
        assert_true(values[m - 1] == (float)(m + 2000 * m));
    }
    CU(MemFree(x));
    CU(MemFree(y));
}

TEST(graphs_hold_the_scratch_memory_of_each_size)
{
    GT_SCOPED(compare_close)
    comparison c = compare_open("scan", "region n=1:262144 T=float\n" LOSS
                                        "variant VEC=1 BLOCK=128 STEPS=1\nuse 0\n");
    enum { SIZES = 3, MOST = 60000 };
    static const size_t sizes[SIZES] = {500, MOST, 20000};
    static float outs[SIZES][MOST], expected[MOST];
    const gputune_options options = by_rule();
    CUdeviceptr results[SIZES];
    CUstream stream = stream_new();
    gputune_plan *plans[SIZES];
    for (int i = 0; i < SIZES; i++) {
        results[i] = buffer_of(expected, sizeof expected);
        plans[i] =
            ask_with(c.rules, "scan", GPUTUNE_SIZES({"n", sizes[i]}, {"T=float", 0}), &options);
    }
    CU(StreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    for (int i = 0; i < SIZES; i++) {
        OK(gputune_launch(plans[i], stream, GPUTUNE_ARGS(&results[i], &c.in, &sizes[i])));
    }
    CUgraphExec exec = capture_end(stream);
    for (int replay = 0; replay < 3; replay++) {
        CU(GraphLaunch(exec, stream));
    }
    CU(StreamSynchronize(stream));
    for (int i = 0; i < SIZES; i++) {
        CU(MemcpyDtoH(outs[i], results[i], sizes[i] * sizeof(float)));
        compute(expected, sizes[i], &c, c.defaults, GPUTUNE_SIZES({"n", sizes[i]}, {"T=float", 0}),
                GPUTUNE_ARGS(&c.out, &c.in, &sizes[i]));
        assert_memory_equal(outs[i], expected, sizes[i] * sizeof(float));
        CU(MemFree(results[i]));
    }
    CU(GraphExecDestroy(exec));
    CU(StreamDestroy(stream));
}

TEST_WITH_TUNER(other_calls_follow_their_effort, ":memory:")
{
    const gputune_options cached = OPTIONS(.unseen = GPUTUNE_RULE, .effort = GPUTUNE_CACHED_ONLY);
    gputune_options only = few_variants();
    only.unseen = GPUTUNE_RULE;
    gputune_plan *plan = ask_with(tuner, "axpy", GPUTUNE_SIZES({"n", 1000}), &cached);
    assert_int_equal(info_of(plan).source, GPUTUNE_SOURCE_DEFAULT);
    assert_non_null(strstr(world.log, "no rule is stored for this version of the template"));
    put_rule(tuner, "axpy", axpy_rule);
    expect(tuner, 1000, GPUTUNE_SOURCE_RULE);
    plan = ask_with(tuner, "axpy", GPUTUNE_SIZES({"n", 63}), &cached);
    assert_int_equal(info_of(plan).source, GPUTUNE_SOURCE_DEFAULT);
    assert_non_null(strstr(world.log, "n=63 T=float is outside the rule's region"));
    plan = ask_with(tuner, "axpy", GPUTUNE_SIZES({"n", 1000}), &only);
    assert_int_equal(info_of(plan).source, GPUTUNE_SOURCE_MEASURED);
}

static void write_template(const char *path, const char *values, const char *blocks)
{
    static const char text[] = "#pragma gputune kernel(twice) problem(n = 4096) block(64)\n"
                               "#pragma gputune args(inout float y[n], size_t n) tune(A = 1%s)\n"
                               "#pragma gputune grid(ceil_div(n, 64 * A%s))\n"
                               "__global__ void twice(float *y, size_t n) {\n"
                               "  for (size_t i = blockIdx.x * 64 + threadIdx.x; i < n;\n"
                               "       i += gridDim.x * 64) y[i] *= 2;\n"
                               "}\n";
    file_write(path, text, values, blocks);
}

static int read_outdated(void *user, const gputune_rule *rule)
{
    *(bool *)user = rule->outdated;
    return 0;
}

static bool is_rule_outdated(const char *path)
{
    const gputune_open_options reading = {
        .size = sizeof reading, .database = world.database, .driver = "emu", .read_only = true};
    GT_SCOPED(tuner_end) gputune *tuner = NULL;
    const gputune_record_filter filter = {.size = sizeof filter, .kernel = path};
    bool outdated = false;
    OK(gputune_open(&tuner, &reading));
    OK(gputune_rules(tuner, &filter, read_outdated, &outdated));
    return outdated;
}

static void an_edited_template_has_no_rule(const char *values, const char *blocks)
{
    char path[160];
    const gputune_options options = OPTIONS(.unseen = GPUTUNE_RULE, .effort = GPUTUNE_CACHED_ONLY);
    snprintf(path, sizeof path, "%s/twice.cu", world.folder);
    write_template(path, ", 2", "");
    gputune *tuner = tuner_open(world.database);
    put_rule(tuner, path, "region n=1:1M\n" LOSS "variant A=2\nuse 0\n");
    gputune_plan *plan = ask_with(tuner, path, GPUTUNE_SIZES({"n", 100}), &options);
    assert_int_equal(info_of(plan).source, GPUTUNE_SOURCE_RULE);
    assert_false(is_rule_outdated(path));
    sleep(1); /* makes sure that the file's modification time changes */
    write_template(path, values, blocks);
    assert_true(is_rule_outdated(path));
    sleep(1);
    plan = ask_with(tuner, path, GPUTUNE_SIZES({"n", 100}), &options);
    assert_int_equal(info_of(plan).source, GPUTUNE_SOURCE_DEFAULT);
    plan = ask_with(tuner, path, GPUTUNE_SIZES({"n", 200}), &options);
    assert_int_equal(info_of(plan).source, GPUTUNE_SOURCE_DEFAULT);
    assert_non_null(strstr(world.log, "the template was edited since the rule was made"));
    gputune_close(tuner);
    unlink(path);
}

TEST(a_template_with_another_launch_has_no_rule)
{
    an_edited_template_has_no_rule(", 2", " * 2");
}

TEST(a_template_without_a_value_has_no_rule_that_chooses_it)
{
    an_edited_template_has_no_rule(", 4", "");
}

TEST(an_excluded_variant_gets_no_header)
{
    char path[160], *text;
    snprintf(path, sizeof path, "%s/twice.cu", world.folder);
    write_template(path, ", 2", "");
    gputune *tuner = tuner_open(world.database);
    put_rule(tuner, path, "region n=1:1K\n" LOSS "variant A=2\nuse 0\n");
    OK(gputune_emit_rule(&text, tuner, path, GPUTUNE_SIZES({"n", 100}), NULL, 0, 0));
    gputune_free(text);
    OK(gputune_emit_rule(&text, tuner, path, GPUTUNE_NO_SIZES, NULL, 0, 0));
    gputune_free(text);
    ASSERT_FAILS(gputune_emit_rule(&text, tuner, path, GPUTUNE_SIZES({"n", 4096}), NULL, 0, 0),
                 GPUTUNE_EINVAL, "n=4096 is outside the region of the rule");
    gputune_close(tuner);
    assert_false(is_rule_outdated(path));
    write_template(path, ", 2) require(A < 2", "");
    assert_true(is_rule_outdated(path));
    tuner = tuner_open(world.database);
    ASSERT_FAILS(gputune_emit_rule(&text, tuner, path, GPUTUNE_SIZES({"n", 100}), NULL, 0, 0),
                 GPUTUNE_ENOTFOUND, "excludes what the rule chooses");
    gputune_close(tuner);
    write_template(path, ", 2) require(n % 2 == 0", "");
    assert_false(is_rule_outdated(path));
    tuner = tuner_open(world.database);
    OK(gputune_emit_rule(&text, tuner, path, GPUTUNE_SIZES({"n", 100}), NULL, 0, 0));
    assert_non_null(strstr(text, "return n % 2 == 0 ? 0 : TWICE_OUTSIDE;"));
    gputune_free(text);
    gputune_close(tuner);
    unlink(path);
}

TEST_WITH_TUNER(an_unverified_rule_is_verified_at_each_size_but_not_in_a_header, ":memory:")
{
    const gputune_options options = by_rule();
    char *text;
    put_rule_for(tuner, "axpy", (gputune_sizes){0, NULL}, &options, axpy_rule, false);
    gputune_plan *plan = request_source(tuner, 1000, GPUTUNE_SOURCE_RULE);
    OK(launch_axpy(plan, 1000));
    gputune_plan_release(plan);
    OK(gputune_emit_rule(&text, tuner, "axpy", GPUTUNE_SIZES({"n", 100}), NULL, 0, 0));
    gputune_free(text);
    assert_non_null(strstr(world.log, "a program with the header does not verify it"));
}

TEST(variables_prevail)
{
    setenv("GPUTUNE_DISABLE", "1", 1);
    gputune *tuner = tuner_open(world.database);
    put_rule(tuner, "axpy", axpy_rule);
    expect(tuner, 1000, GPUTUNE_SOURCE_DEFAULT);
    gputune_close(tuner);
    unsetenv("GPUTUNE_DISABLE");
    setenv("GPUTUNE_FORCE", "axpy:VEC=1 BLOCK=64", 1);
    tuner = tuner_open(world.database);
    expect(tuner, 1000, GPUTUNE_SOURCE_FORCED);
    gputune_close(tuner);
    unsetenv("GPUTUNE_FORCE");
}

TEST_WITH_TUNER(winner_of_the_size_precedes_the_rule_and_the_nearest_follows, ":memory:")
{
    const gputune_options few = few_variants();
    gputune_options cached = few;
    cached.effort = GPUTUNE_CACHED_ONLY;
    cached.only_count = 0;
    gputune_plan_release(ask_with(tuner, "axpy", GPUTUNE_SIZES({"n", 3000}), &few));
    gputune_plan *plan = ask_with(tuner, "axpy", GPUTUNE_SIZES({"n", 3001}), &cached);
    assert_int_equal(info_of(plan).source, GPUTUNE_SOURCE_NEAREST);
    put_rule(tuner, "axpy", axpy_rule);
    plan = ask_with(tuner, "axpy", GPUTUNE_SIZES({"n", 3000}), &cached);
    assert_int_equal(info_of(plan).source, GPUTUNE_SOURCE_CACHED);
    plan = ask_with(tuner, "axpy", GPUTUNE_SIZES({"n", 3002}), &cached);
    assert_int_equal(info_of(plan).source, GPUTUNE_SOURCE_RULE);
    expect(tuner, 3000, GPUTUNE_SOURCE_CACHED);
}

TEST_WITH_TUNER(measured_plan_stays_after_a_refresh, ":memory:")
{
    put_rule(tuner, "axpy", axpy_rule);
    expect(tuner, 2000, GPUTUNE_SOURCE_RULE);
    gputune_plan *plan = plan_measured(tuner, "axpy", GPUTUNE_SIZES({"n", 2000}));
    gputune_plan *again = request_source(tuner, 2000, GPUTUNE_SOURCE_MEASURED);
    assert_ptr_equal(plan, again);
    expect(tuner, 2001, GPUTUNE_SOURCE_RULE);
    gputune_refresh(tuner);
    expect(tuner, 2000, GPUTUNE_SOURCE_CACHED);
    expect(tuner, 2001, GPUTUNE_SOURCE_RULE);
}

TEST_WITH_TUNER(winner_of_the_background_replaces_the_rules_plan, ":memory:")
{
    gputune_options options = OPTIONS(.unseen = GPUTUNE_RULE, .background = true);
    put_rule(tuner, "axpy", axpy_rule);
    gputune_plan *plan = ask_with(tuner, "axpy", GPUTUNE_SIZES({"n", 7000}), &options);
    assert_int_equal(info_of(plan).source, GPUTUNE_SOURCE_RULE);
    OK(gputune_wait(tuner, 200));
    plan = ask_with(tuner, "axpy", GPUTUNE_SIZES({"n", 7000}), &options);
    assert_int_equal(info_of(plan).source, GPUTUNE_SOURCE_CACHED);
}

TEST_WITH_TUNER(a_refresh_takes_the_newer_rule, world.database)
{
    GT_SCOPED(tuner_end) gputune *other = tuner_open(world.database);
    put_rule(tuner, "axpy", axpy_rule);
    gputune_plan *first = request_source(tuner, 5000, GPUTUNE_SOURCE_RULE), *second;
    gputune_refresh(tuner);
    second = request_source(tuner, 5000, GPUTUNE_SOURCE_RULE);
    assert_string_equal(info_of(second).configuration, info_of(first).configuration);
    gputune_plan_release(second);
    put_rule(other, "axpy", "region n=64:1M\n" LOSS "variant VEC=1 BLOCK=128 UNROLL=1\nuse 0\n");
    expect(tuner, 5001, GPUTUNE_SOURCE_RULE);
    gputune_refresh(tuner);
    second = request_source(tuner, 5000, GPUTUNE_SOURCE_RULE);
    assert_string_equal(info_of(second).configuration, "VEC=1 BLOCK=128 UNROLL=1");
    OK(launch_axpy(second, 5000));
    OK(launch_axpy(first, 5000));
}

TEST(plans_end_with_their_tuner)
{
    gputune *tuner = tuner_open(world.database);
    gputune_info info = GPUTUNE_INFO_INIT;
    put_rule(tuner, "axpy", axpy_rule);
    gputune_plan *plan = request_source(tuner, 9000, GPUTUNE_SOURCE_RULE);
    OK(launch_axpy(plan, 9000));
    gputune_close(tuner);
    ASSERT_FAILS(launch_axpy(plan, 9000), GPUTUNE_EINVAL,
                 "axpy: the tuner of this plan was closed");
    assert_int_equal(gputune_plan_info(&info, plan), GPUTUNE_EINVAL);
}

TEST_WITH_TUNER(each_context_gets_the_variants, world.database)
{
    CUresult (*create)(CUcontext *, unsigned, CUdevice), (*destroy)(CUcontext);
    CUcontext second;
    *(void **)&create = dlsym(world.driver->handle, "cuCtxCreate_v2");
    *(void **)&destroy = dlsym(world.driver->handle, "cuCtxDestroy_v2");
    put_rule(tuner, "axpy", axpy_rule);
    gputune_plan *plan = request_source(tuner, 9001, GPUTUNE_SOURCE_RULE);
    assert_int_equal(create(&second, 0, 0), CUDA_SUCCESS);
    OK(launch_axpy(plan, 9001));
    gputune_plan *other = request_source(tuner, 9002, GPUTUNE_SOURCE_RULE);
    OK(launch_axpy(other, 9002));
    CU(CtxSetCurrent(world.context));
    OK(launch_axpy(other, 9002));
    assert_int_equal(destroy(second), CUDA_SUCCESS);
    CU(CtxSetCurrent(world.context));
}

static void *ask_for_many(void *user)
{
    enum { CALLS = 10000 };
    const gputune_options options = by_rule();
    CU(CtxSetCurrent(world.context));
    for (int i = 0; i < CALLS; i++) {
        const size_t n = (size_t)(100 + i);
        gputune_plan *plan = ask_with(user, "axpy", GPUTUNE_SIZES({"n", n}), &options);
        if (i % 1000 == 0) {
            assert_int_equal(info_of(plan).source, GPUTUNE_SOURCE_RULE);
            OK(launch_axpy(plan, n));
        }
        gputune_plan_release(plan);
    }
    return NULL;
}

TEST_WITH_TUNER(threads_ask_for_the_same_new_sizes, world.database)
{
    enum { THREADS = 2 };
    pthread_t threads[THREADS];
    put_rule(tuner, "axpy", axpy_rule);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, ask_for_many, tuner), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
}

#if __GLIBC_PREREQ(2, 33) /* which has mallinfo2() */

TEST_WITH_TUNER(a_size_takes_less_than_a_kilobyte, world.database)
{
    enum { PLANS = 4000, MOST_BYTES = 1000 };
    const gputune_options options = by_rule();
    put_rule(tuner, "axpy", axpy_rule);
    expect(tuner, 64, GPUTUNE_SOURCE_RULE);
    size_t bytes = mallinfo2().uordblks;
    for (int i = 0; i < PLANS; i++) {
        gputune_plan_release(ask_with(tuner, "axpy", GPUTUNE_SIZES({"n", 1000 + i}), &options));
    }
    bytes = (mallinfo2().uordblks - bytes) / PLANS;
    print_message("%zu bytes for each size\n", bytes);
    assert_in_range(bytes, 0, MOST_BYTES);
}

#endif

TEST(rules_of_an_unreadable_database_are_unknown)
{
    char path[128];
    bool ignored;
    snprintf(path, sizeof path, "%s/no.db", world.folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs("no database\n", file) >= 0);
    fclose(file);
    GT_SCOPED(tuner_end) gputune *tuner = tuner_open(path);
    assert_int_equal(gputune_rules(tuner, NULL, read_outdated, &ignored), GPUTUNE_EDATABASE);
}

/* Launch times depend on the host, so the environment of their results includes the processor. */
TEST(edited_rule_of_launch_times_is_outdated)
{
    GT_SCOPED(tuner_end) gputune *tuner = tuner_open(":memory:");
    GT_SCOPED(gt_request_end) gt_request *request = NULL;
    const gputune_options options = OPTIONS(.objective = GPUTUNE_OBJECTIVE_LAUNCH);
    bool outdated = false;
    OK(gt_request_make(&request, &tuner->services, &tuner->device, "axpy", (gputune_sizes){0, NULL},
                       &options));
    char environment[GT_ENVIRONMENT_MAX];
    request->scenario.environment =
        gt_environment_join(environment, tuner->device.environment, tuner->device.processor);
    const gt_site site = gt_site_of(&request->scenario, &tuner->device, tuner->device.processor);
    const gt_stored_rule stored = {
        .text = (char *)axpy_rule, .sources = (char *)"of another version", .proved = true};
    const gt_rule_outcome outcome = {.site = &site, .rule = &stored};
    OK(gt_store_put_rule(tuner->store, &outcome, NULL));
    OK(gputune_rules(tuner, NULL, read_outdated, &outdated));
    assert_true(outdated);
}

/* The plan table does not keep plans that come from a rule, so the application owns such a plan. */
TEST(owned_plan_outlives_the_tuner)
{
    gputune_open_options options = GPUTUNE_OPEN_OPTIONS_INIT;
    gputune *tuner;
    options.database = ":memory:";
    options.max_plans = 1;
    OK(gputune_open(&tuner, &options));
    put_rule(tuner, "axpy", axpy_rule);
    GT_SCOPED(plan_end) gputune_plan *plan = request_source(tuner, 4096, GPUTUNE_SOURCE_RULE);
    gputune_close(tuner);
    options.device = "none";
    for (int i = 0; i < 65; i++) { /* more than the closed tuners that the library remembers */
        OK(gputune_open(&tuner, &options));
        gputune_close(tuner);
    }
    ASSERT_FAILS(gputune_launch(plan, NULL, (gputune_args){0, NULL}), GPUTUNE_EINVAL,
                 "axpy: the tuner of this plan was closed");
}

TESTS_WITHIN(open_h200, world_close)
