/* Tests data from the host: inputs whose contents are part of the key, and a reference function. */
#include "world.h"

enum { N = 4099 };

typedef struct host {
    float error;        /* error that the reference function adds to every result */
    int answer;         /* status that the reference function returns */
    const float *x;     /* expected input at the requested size; NULL: any input is accepted */
    int calls, at_size; /* calls of the reference: in total, and at size N */
} host;

/* y[i] += a * x[i] */
static int axpy_on_host(void *user, gputune_sizes sizes, const gputune_host_argument *arguments,
                        size_t count)
{
    static const char *const names[] = {"y", "x", "a", "n"};
    static const char *const types[] = {"float", "float", "float", "unsigned long long"};
    host *self = user;
    int64_t n = sizes.items[0].value;
    self->calls++;
    self->at_size += n == N;
    assert_int_equal(sizes.count, 2);
    assert_string_equal(sizes.items[0].name, "n");
    assert_string_equal(sizes.items[1].name, "T=float");
    assert_int_equal(count, 4);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(arguments[i].name, names[i]);
        assert_string_equal(arguments[i].type, types[i]);
        assert_int_equal(arguments[i].element_bytes, i < 2 ? 4 : 0);
        assert_int_equal(arguments[i].is_output, i == 0);
        assert_int_equal(arguments[i].bytes, i < 2 ? 4 * n : i == 2 ? 4 : 8);
    }
    float *y = arguments[0].data, a = *(float *)arguments[2].data;
    const float *x = arguments[1].data;
    assert_int_equal(*(int64_t *)arguments[3].data, n);
    assert_true(!self->x || n != N || memcmp(x, self->x, 4 * N) == 0);
    for (int64_t i = 0; i < n; i++) {
        assert_true(fabsf(y[i]) <= 1);
        y[i] = fmaf(a, x[i], y[i]) + self->error;
    }
    return self->answer;
}

static gputune_options with_reference(host *self)
{
    gputune_options options = few_variants();
    options.reference = axpy_on_host;
    options.user = self;
    return options;
}

static int tune(gputune_info *info, gputune *tuner, const gputune_options *options)
{
    gputune_plan *plan = NULL;
    int status = tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", N}), options);
    if (status == GPUTUNE_OK) {
        *info = info_of(plan);
        gputune_plan_release(plan);
    }
    return status;
}

TEST_WITH_TUNER(host_function_is_the_reference, ":memory:")
{
    host right = {.error = 0}, wrong = {.error = 0.5f}, failing = {.answer = 7};
    gputune_options options = with_reference(&right);
    gputune_info info;
    OK(tune(&info, tuner, &options));
    assert_int_equal(info.source, GPUTUNE_SOURCE_MEASURED);
    assert_int_equal(info.failed, 0);
    assert_int_equal(right.calls, 2);
    assert_int_equal(right.at_size, 1);
    assert_null(strstr(world.log, "neither reference()"));
    OK(tune(&info, tuner, &options));
    assert_int_equal(right.calls, 2);
    options = with_reference(&wrong);
    options.force = true;
    ASSERT_FAILS(tune(&info, tuner, &options), GPUTUNE_EWRONG, "expected");
    options = with_reference(&failing);
    options.force = true;
    ASSERT_FAILS(tune(&info, tuner, &options), GPUTUNE_EINVAL, "failed with 7");
}

/* Tunes with a new tuner, as another process would. */
static gputune_info tune_again(host *self, const char *tag)
{
    gputune *tuner = tuner_open(world.database);
    gputune_options options = with_reference(self);
    gputune_info info;
    options.reference_tag = tag;
    OK(tune(&info, tuner, &options));
    gputune_close(tuner);
    return info;
}

TEST(results_are_verified_again_for_another_reference)
{
    host first = {.error = 0}, other = {.error = 0}, wrong = {.error = 0.5f};
    gputune_info info;
    assert_int_equal(tune_again(&first, NULL).source, GPUTUNE_SOURCE_MEASURED);
    assert_int_equal(tune_again(&first, NULL).source, GPUTUNE_SOURCE_CACHED);
    assert_int_equal(first.calls, 2);
    assert_int_equal(tune_again(&other, NULL).source, GPUTUNE_SOURCE_CACHED);
    assert_int_equal(other.calls, 2);
    assert_int_equal(tune_again(&other, "axpy 1").source, GPUTUNE_SOURCE_CACHED);
    assert_int_equal(other.calls, 4);
    assert_int_equal(tune_again(&first, "axpy 1").source, GPUTUNE_SOURCE_CACHED);
    assert_int_equal(first.calls, 2);
    GT_SCOPED(tuner_end) gputune *tuner = tuner_open(world.database);
    gputune_options options = with_reference(&wrong);
    assert_int_equal(tune(&info, tuner, &options), GPUTUNE_EWRONG);
    options = with_reference(&first);
    OK(tune(&info, tuner, &options));
}

TEST_WITH_TUNER(contents_of_host_inputs_are_part_of_the_key, ":memory:")
{
    static float x[N], same[N];
    const gputune_input inputs[] = {{"x", x, sizeof x, true}, {"x", same, sizeof same, true}};
    host self = {.x = x};
    gputune_options options = with_reference(&self);
    gputune_info info;
    for (int i = 0; i < N; i++) {
        x[i] = same[i] = (float)(i % 100);
    }
    options.inputs = inputs;
    options.input_count = 1;
    OK(tune(&info, tuner, &options));
    assert_int_equal(info.source, GPUTUNE_SOURCE_MEASURED);
    options.inputs = &inputs[1];
    OK(tune(&info, tuner, &options));
    assert_int_equal(info.source, GPUTUNE_SOURCE_CACHED);
    same[7] = 0;
    self.x = same;
    OK(tune(&info, tuner, &options));
    assert_int_equal(info.source, GPUTUNE_SOURCE_MEASURED);
    options.inputs_tag = "mine";
    OK(tune(&info, tuner, &options));
    assert_int_equal(info.source, GPUTUNE_SOURCE_MEASURED);
    same[8] = 0;
    OK(tune(&info, tuner, &options));
    assert_int_equal(info.source, GPUTUNE_SOURCE_CACHED);
}

static void expect_refused(gputune *tuner, const gputune_options *options, const char *part)
{
    gputune_info info;
    ASSERT_FAILS(tune(&info, tuner, options), GPUTUNE_EINVAL, part);
}

TEST_WITH_TUNER(impossible_inputs_are_refused, ":memory:")
{
    static float x[N];
    gputune_input input = {"x", x, sizeof x, false};
    gputune_options options = OPTIONS(.inputs = &input, .input_count = 1);
    expect_refused(tuner, &options, "the data of 'x' is not a device address");
    input.on_host = true;
    input.data = NULL;
    expect_refused(tuner, &options, "the data of 'x' is NULL");
    options.input_count = 0;
    options.share = nan("");
    expect_refused(tuner, &options, "share is nan");
    options.share = 2;
    expect_refused(tuner, &options, "share is 2");
}

/* An inout buffer is restored before each run of the reference, even if the host has filled it. */
TEST(inout_buffer_is_filled_by_an_expression)
{
    static const char text[] =
        "#pragma gputune kernel(halve) problem(n = 1600)\n"
        "#pragma gputune args(inout float a[n] = index * 0.5, int n)\n"
        "#pragma gputune tune(BLOCK = 32, 128) block(BLOCK) grid(ceil_div(n, BLOCK))\n"
        "#pragma gputune reference(right, block = 256)\n"
        "__global__ void halve(float *a, int n)\n"
        "{ int i = blockIdx.x * BLOCK + threadIdx.x; if (i < n) a[i] /= 2; }\n"
        "__global__ void right(float *a, int n)\n"
        "{ int i = blockIdx.x * 256 + threadIdx.x; if (i < n) a[i] /= 2; }\n";
    GT_SCOPED(tuner_end) gputune *tuner = tuner_open(":memory:");
    OK(gputune_add_source(tuner, "halve.cu", text, NULL));
    gputune_plan *plan = plan_measured(tuner, "halve", GPUTUNE_SIZES({"n", 1600}));
    assert_int_equal(info_of(plan).failed, 0);
}

TESTS_WITHIN(open_h200, world_close)
