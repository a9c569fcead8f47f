/* Is gputune's gemm as fast as the vendor's? Each size is tuned, or found in GPUTUNE_DB, and then
 * launched in turns with cuBLAS's SGEMM (fp32 throughout, no TF32) on the same matrices. A sample
 * is an event pair around a batch of launches; the ratio is that of neighbouring samples.
 *
 *   gemm_cublas [-d DRIVER] [-l SECONDS] [-j SECONDS] [-s SIZE | -s M,N,K]... [AXIS=V,V...]
 *
 * cuda, 12 s of tuning and 4 s of judging for each of 1024, 2048, 4096, 8192 and 4099,4095,4097,
 * the whole space. The library is GPUTUNE_CUBLAS, or what the loader or a toolkit has; without one
 * gputune's side is shown alone. */
#include "base/clock.h"
#include "gpu/driver.h"
#include "gputune.h"
#include "program.h"
#include "stats/paired.h"
#include "stats/summary.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIZES_MAX = 16, SAMPLES_MAX = 4000, LAUNCHES_MAX = 1000 };
static const double batch_ns = 10e6; /* how long a batch of launches takes, about */

typedef struct shape {
    uint32_t m, n, k;
} shape;

/* The matrices of one size, by rows, and what the two libraries are given. */
typedef struct product {
    shape size;
    CUdeviceptr a, b, c;
    float alpha, beta;
    gputune_plan *plan;
} product;

static const gt_driver *cuda;
static CUstream stream;
static CUevent begin, end;

static void check(CUresult result, const char *call)
{
    if (gt_cuda_check(cuda, result, call) < 0) {
        fprintf(stderr, "%s\n", gputune_error());
        exit(1);
    }
}
#define CUDA(function, ...) check(cuda->function(__VA_ARGS__), #function)

/* --- cuBLAS ------------------------------------------------------------------------------------
 */

typedef struct vendor {
    void *handle;
    int (*create)(void **handle);
    int (*set_stream)(void *handle, CUstream stream);
    int (*set_mode)(void *handle, int mode);
    int (*sgemm)(void *handle, int transpose_a, int transpose_b, int m, int n, int k,
                 const float *alpha, const float *a, int lda, const float *b, int ldb,
                 const float *beta, float *c, int ldc);
} vendor;

static void *open_library(void)
{
    const char *own = getenv("GPUTUNE_CUBLAS");
    const char *const names[] = {own ? own : "libcublas.so.13", "libcublas.so.13",
                                 "libcublas.so.12", "/usr/local/cuda/lib64/libcublas.so"};
    void *library = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++) {
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    }
    return library;
}

static void *symbol(void *library, const char *name)
{
    void *found = dlsym(library, name);
    if (!found) {
        fprintf(stderr, "cuBLAS has no %s\n", name);
        exit(1);
    }
    return found;
}

/* False without the library. */
static bool open_vendor(vendor *out)
{
    (void)setenv("NVIDIA_TF32_OVERRIDE", "0", 1);
    void *library = open_library();
    if (!library) {
        return false;
    }
    *(void **)&out->create = symbol(library, "cublasCreate_v2");
    *(void **)&out->set_stream = symbol(library, "cublasSetStream_v2");
    *(void **)&out->set_mode = symbol(library, "cublasSetMathMode");
    *(void **)&out->sgemm = symbol(library, "cublasSgemm_v2");
    int default_math = 0; /* fp32 for fp32 */
    if (out->create(&out->handle) != 0 || out->set_stream(out->handle, stream) != 0 ||
        out->set_mode(out->handle, default_math) != 0) {
        fprintf(stderr, "cuBLAS does not start\n");
        exit(1);
    }
    return true;
}

/* By columns, as cuBLAS sees them, the matrices are transposed: C' = B' A'. */
static void launch_vendor(const vendor *vendor, const product *at)
{
    const int m = (int)at->size.m, n = (int)at->size.n, k = (int)at->size.k;
    int result =
        vendor->sgemm(vendor->handle, 0, 0, n, m, k, &at->alpha, (const float *)(uintptr_t)at->b,
                      n, // NOLINT: a device's address
                      (const float *)(uintptr_t)at->a, k, &at->beta, (float *)(uintptr_t)at->c, n);
    if (result != 0) {
        fprintf(stderr, "cublasSgemm: status %d\n", result);
        exit(1);
    }
}

static void launch(const vendor *vendor, const product *at)
{
    if (vendor) {
        launch_vendor(vendor, at);
        return;
    }
    must(gputune_launch(at->plan, stream,
                        GPUTUNE_ARGS(&at->c, &at->a, &at->b, &at->size.m, &at->size.n, &at->size.k,
                                     &at->alpha, &at->beta)),
         "launch");
}

/* --- matrices ----------------------------------------------------------------------------------
 */

/* Device memory of floats in (-1, 1). */
static CUdeviceptr filled(size_t elements)
{
    uint64_t state = elements;
    float *host = malloc(4 * elements);
    CUdeviceptr device;
    if (!host) {
        exit(1);
    }
    for (size_t i = 0; i < elements; i++) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        host[i] = (float)(int32_t)(state >> 32) * 0x1p-31f;
    }
    CUDA(MemAlloc, &device, 4 * elements);
    CUDA(MemcpyHtoD, device, host, 4 * elements);
    free(host);
    return device;
}

static product make_product(shape size)
{
    product at = {.size = size, .alpha = 1, .beta = 0};
    at.a = filled((size_t)size.m * size.k);
    at.b = filled((size_t)size.k * size.n);
    at.c = filled((size_t)size.m * size.n);
    return at;
}

static void free_product(product *at)
{
    CUDA(MemFree, at->a);
    CUDA(MemFree, at->b);
    CUDA(MemFree, at->c);
    gputune_plan_release(at->plan);
}

static float *result_of(const vendor *vendor, const product *at)
{
    size_t bytes = 4 * (size_t)at->size.m * at->size.n;
    float *host = malloc(bytes);
    if (!host) {
        exit(1);
    }
    CUDA(MemsetD8Async, at->c, 0xff, bytes, stream);
    launch(vendor, at);
    CUDA(StreamSynchronize, stream);
    CUDA(MemcpyDtoH, host, at->c, bytes);
    return host;
}

/* Ends the program where the two disagree by more than rounding: sums of k products of about 1/3
 * each in different orders. */
static void compare_results(const vendor *vendor, const product *at)
{
    float *one = result_of(NULL, at), *other = result_of(vendor, at);
    double largest = 0;
    for (size_t i = 0; i < (size_t)at->size.m * at->size.n; i++) {
        double difference = fabs((double)one[i] - other[i]);
        largest = difference <= largest ? largest : difference; /* NaN is largest */
    }
    free(one);
    free(other);
    if (!(largest <= 1e-6 * at->size.k)) {
        fprintf(stderr, "%u x %u x %u: results differ by %g\n", at->size.m, at->size.n, at->size.k,
                largest);
        exit(1);
    }
}

/* --- judging -----------------------------------------------------------------------------------
 */

/* Nanoseconds of one launch out of `launches`. */
static double sample(const vendor *vendor, const product *at, int launches)
{
    float milliseconds = 0;
    CUDA(EventRecord, begin, stream);
    for (int i = 0; i < launches; i++) {
        launch(vendor, at);
    }
    CUDA(EventRecord, end, stream);
    CUDA(EventSynchronize, end);
    CUDA(EventElapsedTime, &milliseconds, begin, end);
    return milliseconds * 1e6 / launches;
}

typedef struct verdict {
    gt_summary ours, theirs;
    gt_paired ratio; /* of logarithms: their time over ours */
} verdict;

static verdict judge(const vendor *vendor, const product *at, double seconds)
{
    static double ours[SAMPLES_MAX], theirs[SAMPLES_MAX], ratios[SAMPLES_MAX];
    verdict result = {0};
    size_t count = 0;
    (void)sample(NULL, at, 1);
    double once = fmax(sample(NULL, at, 3), 1);
    int launches = (int)fmin(fmax(batch_ns / once, 1), LAUNCHES_MAX);
    int64_t started = gt_now_ns();
    do {
        bool first = count % 2; /* who begins takes turns */
        if (vendor && first) {
            theirs[count] = sample(vendor, at, launches);
        }
        ours[count] = sample(NULL, at, launches);
        if (vendor && !first) {
            theirs[count] = sample(vendor, at, launches);
        }
        ratios[count] = vendor ? log(theirs[count] / ours[count]) : 0;
        count++;
    } while (count < SAMPLES_MAX && gt_seconds_since(started) < seconds);
    must(gt_summarise(&result.ours, ours, count), "samples");
    must(gt_summarise(&result.theirs, theirs, count), "samples");
    must(gt_paired_interval(&result.ratio, ratios, count, 0.95), "samples");
    return result;
}

static double tera_per_second(const product *at, double ns)
{
    return 2.0 * at->size.m * at->size.n * at->size.k / ns * 1e-3;
}

static void show(const product *at, const verdict *result, bool compared)
{
    gputune_info info = {.version = GPUTUNE_INFO_VERSION};
    char size[48];
    must(gputune_plan_info(&info, at->plan), "plan");
    (void)snprintf(size, sizeof size, "%u x %u x %u", at->size.m, at->size.n, at->size.k);
    printf("%-20s %9.4f %7.2f", size, result->ours.median * 1e-6,
           tera_per_second(at, result->ours.median));
    if (compared) {
        printf(" %9.4f %7.2f %7.3f [%.3f, %.3f]", result->theirs.median * 1e-6,
               tera_per_second(at, result->theirs.median), exp(result->ratio.mean),
               exp(result->ratio.low), exp(result->ratio.high));
    }
    printf("  %s (%s): %s\n", gputune_source_name(info.source), info.stop_reason,
           info.configuration);
    (void)fflush(stdout);
}

/* --- the command -------------------------------------------------------------------------------
 */

static void open_device(const char *driver)
{
    CUdevice device;
    CUcontext context;
    must(gt_driver_open(&cuda, driver), "driver");
    CUDA(DeviceGet, &device, 0);
    CUDA(DevicePrimaryCtxRetain, &context, device);
    CUDA(CtxSetCurrent, context);
    CUDA(StreamCreate, &stream, CU_STREAM_NON_BLOCKING);
    CUDA(EventCreate, &begin, CU_EVENT_DEFAULT);
    CUDA(EventCreate, &end, CU_EVENT_DEFAULT);
}

static void one_size(gputune *tuner, const vendor *vendor, shape size,
                     const gputune_options *options, double seconds)
{
    product at = make_product(size);
    must(tune_kernel(&at.plan, tuner, "gemm",
                     GPUTUNE_SIZES({"m", size.m}, {"n", size.n}, {"k", size.k}), options),
         "tune");
    if (vendor) {
        compare_results(vendor, &at);
    }
    verdict result = judge(vendor, &at, seconds);
    show(&at, &result, vendor != NULL);
    free_product(&at);
}

static shape read_size(const char *text)
{
    shape size;
    if (sscanf(text, "%u,%u,%u", &size.m, &size.n, &size.k) != 3) { // NOLINT: checked below
        size.m = size.n = size.k = (uint32_t)strtoul(text, NULL, 10);
    }
    if (!size.m || !size.n || !size.k) {
        fprintf(stderr, "-s %s: expected SIZE or M,N,K\n", text);
        exit(2);
    }
    return size;
}

int main(int argc, char **argv)
{
    shape sizes[SIZES_MAX] = {{1024, 1024, 1024},
                              {2048, 2048, 2048},
                              {4096, 4096, 4096},
                              {8192, 8192, 8192},
                              {4099, 4095, 4097}};
    size_t count = 0;
    double judging = 4;
    gputune_open_options open = GPUTUNE_OPEN_OPTIONS_INIT;
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    options.time_limit_s = 12;
    open.driver = "cuda";
    open.database = getenv("GPUTUNE_DB") ? NULL : ":memory:";
    for (int option; (option = getopt(argc, argv, "d:l:j:s:")) != -1;) {
        switch (option) {
        case 'd':
            open.driver = optarg;
            break;
        case 'l':
            options.time_limit_s = strtod(optarg, NULL);
            break;
        case 'j':
            judging = strtod(optarg, NULL);
            break;
        case 's':
            if (count < SIZES_MAX) {
                sizes[count++] = read_size(optarg);
            }
            break;
        default:
            return 2;
        }
    }
    options.only = (const char *const *)argv + optind;
    options.only_count = (size_t)(argc - optind);
    gputune *tuner;
    vendor cublas;
    open_device(open.driver);
    must(gputune_open(&tuner, &open), "open");
    bool compared = strncmp(open.driver, "emu", 3) != 0 && open_vendor(&cublas);
    printf("%-20s %9s %7s%s\n", "m x n x k", "gemm ms", "TFLOP/s",
           compared ? " cuBLAS ms TFLOP/s   ratio" : "  no cuBLAS here");
    for (size_t i = 0; i < (count ? count : 5); i++) {
        one_size(tuner, compared ? &cublas : NULL, sizes[i], &options, judging);
    }
    gputune_close(tuner);
    return 0;
}
