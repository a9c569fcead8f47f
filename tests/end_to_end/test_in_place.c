/* Tests that a launch on overlapping buffers is refused, unless in_place() allows the overlap.
 * Overlaps that are allowed are also verified. */
#include "world.h"

enum { N = 5003 };

/* y = 3 x. The variant STEPS=2 is correct only if y and x are different buffers. */
static const char template_text[] =
    "#pragma gputune kernel(triple)\n"
    "#pragma gputune problem(n = 5003)\n"
    "#pragma gputune args(out float y[n], in float x[n], inout float z[n], size_t n)\n"
    "#pragma gputune tune(STEPS = 1, 2)\n"
    "#pragma gputune block(64)\n"
    "#pragma gputune grid(ceil_div(n, 64))\n"
    "#pragma gputune reference(right)\n"
    "%s"
    "__global__ void triple(float *y, const float *x, float *z, size_t n)\n"
    "{ size_t i = blockIdx.x * 64ul + threadIdx.x; if (i >= n) return;\n"
    "  if (STEPS == 1) y[i] = 3 * x[i]; else { y[i] = 2 * x[i]; y[i] += x[i]; } z[i] += 1; }\n"
    "__global__ void right(float *y, const float *x, float *z, size_t n)\n"
    "{ size_t i = blockIdx.x * 256ul + threadIdx.x; if (i < n) { y[i] = 3 * x[i]; z[i] += 1; } }\n";

static const char clause[] = "#pragma gputune in_place(y : x)\n";

static gputune *tuner_with(const char *more)
{
    gputune *tuner = tuner_open(":memory:");
    char text[2048];
    snprintf(text, sizeof text, template_text, more);
    OK(gputune_add_source(tuner, "triple.cu", text, NULL));
    return tuner;
}

static int launch(gputune_plan *plan, CUdeviceptr y, CUdeviceptr x, CUdeviceptr z)
{
    size_t n = N;
    return gputune_launch(plan, NULL, GPUTUNE_ARGS(&y, &x, &z, &n));
}

static CUdeviceptr room_for(size_t buffers)
{
    float *values = calloc(buffers, N * sizeof *values);
    assert_non_null(values);
    for (size_t i = 0; i < buffers * N; i++) {
        values[i] = 1;
    }
    CUdeviceptr at = buffer_of(values, buffers * N * sizeof *values);
    free(values);
    return at;
}

TEST(overlapping_buffers_are_refused)
{
    const CUdeviceptr bytes = N * sizeof(float);
    GT_SCOPED(tuner_end) gputune *tuner = tuner_with("");
    GT_SCOPED(plan_end) gputune_plan *plan = plan_untuned(tuner, "triple", GPUTUNE_SIZES({"n", N}));
    CUdeviceptr at = room_for(3);
    ASSERT_FAILS(launch(plan, at, at, at + bytes), GPUTUNE_EINVAL, "triple: the output y");
    ASSERT_FAILS(launch(plan, at, at, at + bytes), GPUTUNE_EINVAL,
                 "put in_place(y : x) into the template");
    ASSERT_FAILS(launch(plan, at, at + bytes - 4, at + 2 * bytes), GPUTUNE_EINVAL, "overlaps x");
    ASSERT_FAILS(launch(plan, at + bytes - 4, at, at + 2 * bytes), GPUTUNE_EINVAL, "overlaps x");
    ASSERT_FAILS(launch(plan, at, at + bytes, at), GPUTUNE_EINVAL, "overlaps z");
    ASSERT_FAILS(launch(plan, at, at + bytes, at + bytes), GPUTUNE_EINVAL, "pass separate buffers");
    OK(launch(plan, at, at + bytes, at + 2 * bytes));
    CU(CtxSynchronize());
}

TEST(in_place_allows_one_buffer_for_both)
{
    float result;
    const CUdeviceptr bytes = N * sizeof(float);
    GT_SCOPED(tuner_end) gputune *tuner = tuner_with(clause);
    GT_SCOPED(plan_end) gputune_plan *plan = plan_untuned(tuner, "triple", GPUTUNE_SIZES({"n", N}));
    CUdeviceptr at = room_for(3);
    OK(launch(plan, at, at, at + bytes));
    CU(CtxSynchronize());
    CU(MemcpyDtoH(&result, at + bytes - sizeof result, sizeof result));
    assert_float_equal(result, 3, 0);
    ASSERT_FAILS(launch(plan, at, at + 16, at + 2 * bytes), GPUTUNE_EINVAL,
                 "or the same address for both");
    ASSERT_FAILS(launch(plan, at, at + bytes, at), GPUTUNE_EINVAL, "overlaps z");
}

static noted prove(const char *more)
{
    static const char *const configurations[] = {"STEPS=1", "STEPS=2"};
    noted last = {"", ""};
    GT_SCOPED(tuner_end) gputune *tuner = tuner_with(more);
    OK(gputune_run(tuner, "triple", GPUTUNE_SIZES({"n", N}), configurations, 2, &OPTIONS(),
                   note_record, &last));
    return last;
}

TEST(in_place_is_verified_with_one_buffer)
{
    assert_string_equal(prove("").status, "ok");
    noted last = prove(clause);
    assert_string_equal(last.status, "wrong");
    assert_non_null(strstr(last.message, "one buffer for each pair of in_place()"));
}

TESTS_WITHIN(open_device, world_close)
