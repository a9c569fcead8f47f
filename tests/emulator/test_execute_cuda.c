/* Runs CUDA sources that NVRTC compiles, and compares the results with those of C. */
#include "cuda_fixture.h"

#include "support/comma_locale.h"

#include <math.h>

/* ---- a block-wide algorithm ---- */

static const char multiply[] =
    "extern \"C\" __global__ void multiply(const float *a, const float *b, float *c, int n) {\n"
    "  __shared__ float x[16][17], y[16][17];\n"
    "  int col = threadIdx.x % 16, row = threadIdx.x / 16, tiles = n / 16;\n"
    "  int by = blockIdx.x / tiles * 16, bx = blockIdx.x % tiles * 16;\n"
    "  float sum = 0;\n"
    "  for (int t = 0; t < n; t += 16) {\n"
    "    x[row][col] = a[(by + row) * n + t + col];\n"
    "    y[row][col] = b[(t + row) * n + bx + col];\n"
    "    __syncthreads();\n"
    "    for (int k = 0; k < 16; k++) sum += x[row][k] * y[k][col];\n"
    "    __syncthreads();\n"
    "  }\n"
    "  c[(by + row) * n + bx + col] = sum;\n"
    "}\n";

TEST(test_matrix_product)
{
    enum { N = 64 };
    GT_SCOPED(machine_free) machine m = {.count = 0};
    load(&m, multiply);
    float *a = machine_alloc(&m, N * N * 4), *b = machine_alloc(&m, N * N * 4);
    float *c = machine_alloc(&m, N * N * 4);
    for (int i = 0; i < N * N; i++) {
        a[i] = (float)(i * 7 % 11 - 5);
        b[i] = (float)(i * 5 % 13 - 6) / 4;
    }
    struct {
        float *a, *b, *c;
        int n;
    } p = {a, b, c, N};
    m.limits.workers = 2;
    machine_launch(&m, "multiply", (N / 16) * (N / 16), 256, &p);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0;
            for (int k = 0; k < N; k++)
                sum += a[i * N + k] * b[k * N + j]; /* exact for quarters of small integers */
            assert_true(c[i * N + j] == sum);
        }
    /* each store of a tile has one conflict: columns 0 of two rows of 17 words share a bank */
    assert_int_equal(m.counters.shared_wavefronts - m.counters.shared_requests, 1024);
}

/* ---- mathematical functions of the device, which the compiler inlines ---- */

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

/* ---- functions of the runtime ---- */

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

static const char histogram[] =
    "extern \"C\" __global__ void histogram(const unsigned *in, unsigned *bins, int n, int per) {\n"
    "  extern __shared__ unsigned own[];\n"
    "  unsigned rank, size;\n"
    "  asm(\"mov.u32 %0, %%cluster_ctarank;\" : \"=r\"(rank));\n"
    "  size = __clusterSizeInBlocks();\n"
    "  for (int i = threadIdx.x; i < per; i += blockDim.x) own[i] = 0;\n"
    "  __cluster_barrier_arrive(); __cluster_barrier_wait();\n"
    "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {\n"
    "    unsigned v = in[i] % (per * size);\n"
    "    unsigned *there = (unsigned *)__cluster_map_shared_rank(own, v / per);\n"
    "    atomicAdd(there + v % per, 1);\n"
    "  }\n"
    "  __cluster_barrier_arrive(); __cluster_barrier_wait();\n"
    "  for (int i = threadIdx.x; i < per; i += blockDim.x)\n"
    "    atomicAdd(bins + rank * per + i, own[i]);\n"
    "}\n";

TEST_WITHIN(test_printf_with_a_comma, comma_locale_set, comma_locale_reset)
{
    test_printf(NULL);
}

TEST(test_histogram_in_a_cluster)
{
    enum { N = 20000, PER = 100 };
    GT_SCOPED(machine_free) machine m = {.count = 0};
    load(&m, histogram);
    uint32_t *in = machine_alloc(&m, N * 4), *bins = machine_alloc(&m, 8 * PER * 4);
    for (uint32_t i = 0; i < N; i++)
        in[i] = i * 2654435761u >> 7;
    struct {
        uint32_t *in, *bins;
        int n, per;
    } p = {in, bins, N, PER};
    m.dynamic_shared = PER * 4;
    m.cluster = 8;
    m.limits.workers = 2;
    machine_launch(&m, "histogram", 32, 96, &p);
    uint32_t want[8 * PER] = {0};
    for (uint32_t i = 0; i < N; i++)
        want[in[i] % (8 * PER)]++;
    assert_memory_equal(bins, want, sizeof want);
}

TESTS_WITHIN(find_nvrtc, NULL)
