/* Compiles CUDA sources with NVRTC, runs them, and compares the results with those of the host. */
#include "cuda_fixture.h"

#include "support/comma_locale.h"

/* device math functions, which the compiler inlines */

static const char functions[] =
    "extern \"C\" __global__ void functions(const float *x, float *y, int n) {\n"
    "  int i = threadIdx.x;\n"
    "  if (i >= n) return;\n"
    "  float v = x[i];\n"
    "  y[i] = sinf(v); y[n + i] = cosf(v * 1e5f); y[2 * n + i] = expf(v);\n"
    "  y[3 * n + i] = logf(v); y[4 * n + i] = powf(v, 1.5f); y[5 * n + i] = erff(v);\n"
    "  y[6 * n + i] = atan2f(v, 0.7f); y[7 * n + i] = cbrtf(v); y[8 * n + i] = fmodf(v, 0.3f);\n"
    "  y[9 * n + i] = (float)exp((double)v); y[10 * n + i] = (float)sin((double)v);\n"
    "  y[11 * n + i] = rsqrtf(v); y[12 * n + i] = (float)lgamma((double)v);\n"
    "}\n";

static float reference(int which, float v)
{
    switch (which) {
    case 0:
        return sinf(v);
    case 1:
        return cosf(v * 1e5f);
    case 2:
        return expf(v);
    case 3:
        return logf(v);
    case 4:
        return powf(v, 1.5f);
    case 5:
        return erff(v);
    case 6:
        return atan2f(v, 0.7f);
    case 7:
        return cbrtf(v);
    case 8:
        return fmodf(v, 0.3f);
    case 9:
        return (float)exp(v);
    case 10:
        return (float)sin(v);
    case 11:
        return 1 / sqrtf(v);
    default:
        return (float)lgamma(v);
    }
}

TEST(test_functions)
{
    enum { N = 100, FUNCTIONS = 13 };
    GT_SCOPED(machine_free) machine m = {.count = 0};
    load(&m, functions);
    float *x = machine_alloc(&m, N * 4), *y = machine_alloc(&m, N * FUNCTIONS * 4);
    for (int i = 0; i < N; i++)
        x[i] = 0.013f + 0.087f * (float)i;
    struct {
        float *x, *y;
        int n;
    } p = {x, y, N};
    machine_launch(&m, "functions", 1, 128, &p);
    for (int f = 0; f < FUNCTIONS; f++)
        for (int i = 0; i < N; i++) {
            float want = reference(f, x[i]), got = y[f * N + i];
            if (fabsf(got - want) > 1e-6f + 4e-6f * fabsf(want))
                print_error("function %d of %g: %g, want %g\n", f, (double)x[i], (double)got,
                            (double)want);
            assert_true(fabsf(got - want) <= 1e-6f + 4e-6f * fabsf(want));
        }
}

/* kernels that call functions of the CUDA device runtime */

static const char talks[] =
    "extern \"C\" __device__ int printf(const char *, ...);\n"
    "extern \"C\" __global__ void talks(int n, double d) {\n"
    "  if (threadIdx.x == n) printf(\"%d %s %5.2f %lld%% %c|%-4u|\\n\", n, \"word\", d,\n"
    "                               1LL << 40, 'x', 7u);\n"
    "}\n";

TEST(test_printf)
{
    GT_SCOPED(machine_free) machine m = {.count = 0};
    load(&m, talks);
    struct {
        int n;
        double d;
    } p = {3, 2.5};
    machine_launch(&m, "talks", 1, 32, &p);
    assert_string_equal(m.printed, "3 word  2.50 1099511627776% x|7   |\n");
}

TEST_WITHIN(test_printf_with_a_comma, comma_locale_set, comma_locale_reset)
{
    test_printf(NULL);
}

TESTS_WITHIN(find_nvrtc, NULL)
