/* Compares the templates with the vendor's libraries: cuBLAS (fp32 without TF32, bfloat16) and CUB.
 * The library and the template compute the same result from the same buffers, and their results are
 * compared first. A batch of launches is a CUDA graph, so the host's time does not count. A sample
 * is the time between two events around a batch. Batches of the library and the template alternate,
 * and ratios are computed from adjacent samples.
 *
 * Memory-bound kernels are also compared with the driver's device-to-device copy of as many bytes
 * as the kernel must at least read and write. Kernels that no library has (copy, softmax, rmsnorm,
 * stencils) are only compared with this copy. Copies are not captured, because they are slower in
 * graphs.
 *
 * The rows "passing" repeat the vendor's comparison of two ways to pass thousands of parameters:
 * all by value; or 4 KB, the older limit, by value, and the rest by cudaMemcpyToSymbol() from
 * pageable memory before each launch. gputune's fastest plans are measured in the same way: one
 * passes all by value, and one passes 4 KB by value and the rest through a ring of pinned memory.
 * "Kernel" is the time of a kernel that is launched while the GPU is busy. "In a row" is the mean
 * of many launches with one wait, as in the vendor's sample. "Each waited for" is the host's time
 * from passing the parameters to the end of the kernel. In the row "sample", the compiler decides
 * about unrolling, as in the vendor's kernels.
 *
 *   libraries [-l SECONDS] [-j SECONDS] [ROW...]
 *
 * -l limits each tuning (10 s) and -j each comparison (1 s). Results in GPUTUNE_DB are used. A ROW
 * is the beginning of names of rows ("gemm", "scan 64M"; by default all), or it adds a row with its
 * own sizes: "gemm M,N,K" or "gemm_bf16 M,N,K". */
#include <cub/cub.cuh>
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <gputune_tools.h>

extern "C" {
#include "stats/paired.h"
#include "stats/summary.h"
}

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

namespace
{

constexpr double batch_ms = 5;    // approximate duration of a batch
constexpr int launches_max = 100; // maximum number of launches in a batch
constexpr size_t samples_max = 2000;
constexpr double copied_at_least = 40e6; // minimum number of bytes that a copy reads and writes
constexpr size_t workspace = 64 << 20;   // cuBLAS cannot allocate during a capture

cudaStream_t stream;
cublasHandle_t blas;
gputune *tuner;
double tuning_s = 10, judging_s = 1;

void check(bool right, const char *what, const char *message)
{
    if (!right) {
        std::fprintf(stderr, "%s: %s\n", what, message);
        std::exit(1);
    }
}
void check(cudaError_t result, const char *what)
{
    check(result == cudaSuccess, what, cudaGetErrorString(result));
}
void check(cublasStatus_t result, const char *what)
{
    check(result == CUBLAS_STATUS_SUCCESS, what, cublasGetStatusString(result));
}
void check(int status, const char *what)
{
    check(status >= 0, what, gputune_error());
}
#define CHECK(call) check(call, #call)

// --- buffers
// --------------------------------------------------------------------------------------

template <typename T> struct device_array {
    explicit device_array(size_t count) : count(count)
    {
        CHECK(cudaMalloc(&data, count * sizeof(T)));
    }
    device_array(const device_array &) = delete;
    ~device_array()
    {
        cudaFree(data);
    }
    std::vector<T> read() const
    {
        std::vector<T> host(count);
        CHECK(cudaMemcpy(host.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
        return host;
    }
    T *data = nullptr;
    size_t count;
};

// Fills with pseudo-random floats in (-1, 1), or integers below `limit`. `first` is a seed.
template <typename T> __global__ void fill(T *data, size_t count, unsigned int limit, size_t first)
{
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    for (; i < count; i += size_t(gridDim.x) * blockDim.x) {
        unsigned long long bits = (i + first) * 6364136223846793005ULL;
        bits = (bits ^ bits >> 29) * 2862933555777941757ULL >> 32;
        data[i] = limit ? T(bits % limit) : T(float(int(bits)) * 0x1p-31f);
    }
}
template <typename T>
void refill(const device_array<T> &array, unsigned int limit = 0, size_t first = 1)
{
    fill<<<1024, 256, 0, stream>>>(array.data, array.count, limit, first);
    CHECK(cudaGetLastError());
}

// --- judging
// --------------------------------------------------------------------------------------

using launcher = std::function<void()>; // on the stream

enum way { CAPTURED, PLAIN };

struct batch {
    batch(const launcher &launch, int launches, way how = CAPTURED)
        : launch(launch), launches(launches)
    {
        CHECK(cudaEventCreate(&begin));
        CHECK(cudaEventCreate(&end));
        if (how == PLAIN) {
            return;
        }
        cudaGraph_t graph;
        CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        launch_all();
        CHECK(cudaStreamEndCapture(stream, &graph));
        CHECK(cudaGraphInstantiate(&executable, graph, 0));
        CHECK(cudaGraphDestroy(graph));
    }
    batch(const batch &) = delete;
    ~batch()
    {
        if (executable) {
            cudaGraphExecDestroy(executable);
        }
        cudaEventDestroy(begin);
        cudaEventDestroy(end);
    }
    double sample() const // returns nanoseconds per launch
    {
        float ms = 0;
        CHECK(cudaEventRecord(begin, stream));
        if (executable) {
            CHECK(cudaGraphLaunch(executable, stream));
        } else {
            launch_all();
        }
        CHECK(cudaEventRecord(end, stream));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        return ms * 1e6 / launches;
    }
    void launch_all() const
    {
        for (int i = 0; i < launches; i++) {
            launch();
        }
    }
    launcher launch;
    int launches;
    cudaGraphExec_t executable = nullptr;
    cudaEvent_t begin, end;
};

struct verdict {
    gt_summary ours, theirs;
    gt_paired ratio; // mean of log(time of the library / time of gputune)
};

verdict judge(const launcher &ours, const launcher &theirs, way how_theirs = CAPTURED)
{
    double once = batch(ours, 1).sample();
    once = std::max(once, batch(ours, 1).sample());
    int launches = int(std::clamp(batch_ms * 1e6 / once, 1.0, double(launches_max)));
    batch one(ours, launches), other(theirs, launches, how_theirs);
    std::vector<double> our_times, their_times, ratios;
    one.sample(), other.sample();
    auto started = std::chrono::steady_clock::now();
    std::chrono::duration<double> passed;
    do {
        bool first = ratios.size() % 2; // the two sides take turns in going first
        double a = first ? other.sample() : one.sample(), b = first ? one.sample() : other.sample();
        our_times.push_back(first ? b : a);
        their_times.push_back(first ? a : b);
        ratios.push_back(std::log(their_times.back() / our_times.back()));
        passed = std::chrono::steady_clock::now() - started;
    } while (ratios.size() < samples_max && passed.count() < judging_s);
    verdict result;
    CHECK(gt_summarise(&result.ours, our_times.data(), our_times.size()));
    CHECK(gt_summarise(&result.theirs, their_times.data(), their_times.size()));
    CHECK(gt_paired_interval(&result.ratio, ratios.data(), ratios.size(), 0.95));
    return result;
}

// A copy by the driver that reads and writes this many bytes, counted together.
struct driver_copy {
    explicit driver_copy(double bytes) : to(size_t(bytes / 2)), from(to.count)
    {
    }
    launcher launch() const
    {
        return [this] {
            CHECK(cudaMemcpyAsync(to.data, from.data, to.count, cudaMemcpyDeviceToDevice, stream));
        };
    }
    double median_ns() const
    {
        const double once = std::max(batch(launch(), 1, PLAIN).sample(), 1.0);
        batch many(launch(), int(std::clamp(batch_ms * 1e6 / once, 1.0, double(launches_max))),
                   PLAIN);
        std::vector<double> times(9);
        for (double &time : times) {
            time = many.sample();
        }
        std::nth_element(times.begin(), times.begin() + 4, times.end());
        return times[4];
    }
    device_array<char> to, from;
};

template <typename T> double number(T value)
{
    return double(value);
}
template <> double number(__nv_bfloat16 value)
{
    return float(value);
}

// Runs the library, then gputune. Ends the program if their results differ by more than `within`.
template <typename T>
void compare(const std::string &row, const device_array<T> &output, const launcher &ours,
             const launcher &theirs, double within)
{
    CHECK(cudaMemset(output.data, 0xff, output.count * sizeof(T)));
    theirs();
    CHECK(cudaStreamSynchronize(stream));
    std::vector<T> expected = output.read();
    CHECK(cudaMemset(output.data, 0xff, output.count * sizeof(T)));
    ours();
    CHECK(cudaStreamSynchronize(stream));
    std::vector<T> found = output.read();
    double largest = 0;
    for (size_t i = 0; i < found.size(); i++) {
        double difference = std::fabs(number(found[i]) - number(expected[i]));
        largest = std::isnan(largest) || difference <= largest ? largest : difference; // NaN counts as largest
    }
    if (!(largest <= within)) {
        std::fprintf(stderr, "%s: results differ by %g\n", row.c_str(), largest);
        std::exit(1);
    }
}

// ---- rows

struct plan_holder {
    plan_holder(const char *kernel, gputune_sizes sizes, const char *only = nullptr)
    {
        gputune_options options = GPUTUNE_OPTIONS_INIT;
        options.time_limit_s = tuning_s;
        options.only = &only;
        options.only_count = only != nullptr;
        check(tune_kernel(&plan, tuner, kernel, sizes, &options), kernel);
    }
    plan_holder(const plan_holder &) = delete;
    ~plan_holder()
    {
        gputune_plan_release(plan);
    }
    launcher with(std::vector<const void *> arguments) const
    {
        return [this, arguments] {
            gputune_args given = {arguments.size(), arguments.data()};
            check(gputune_launch(plan, stream, given), "gputune_launch()");
        };
    }
    gputune_plan *plan = nullptr;
};

/* Prints a row; `work` is in units per launch. If the unit is bytes, also prints a row for a copy
 * of the same size, unless the copy fits in the L2 cache. */
void show(const std::string &row, const plan_holder &plan, const char *library,
          const verdict &result, double work, const char *unit)
{
    gputune_info info = {};
    info.size = sizeof(gputune_info);
    CHECK(gputune_plan_info(&info, plan.plan));
    char share[16] = "";
    if (std::strcmp(unit, "GB/s") == 0 && work > copied_at_least) {
        std::snprintf(share, sizeof share, "%.3f",
                      driver_copy(work).median_ns() / result.ours.median);
    }
    std::printf("%-26s %10.2f %8.1f %-7s %10.2f %-8s %6.3f [%.3f, %.3f] %7s  %s%s\n", row.c_str(),
                result.ours.median * 1e-3, work / result.ours.median, unit,
                result.theirs.median * 1e-3, library, std::exp(result.ratio.mean),
                std::exp(result.ratio.low), std::exp(result.ratio.high), share, info.configuration,
                info.source == GPUTUNE_SOURCE_DEFAULT ? " (default)" : "");
    std::fflush(stdout);
}

template <typename T>
void row(const std::string &name, const plan_holder &plan, const char *library,
         const device_array<T> &output, double within, const launcher &ours, const launcher &theirs,
         double work, const char *unit = "GB/s")
{
    compare(name, output, ours, theirs, within);
    show(name, plan, library, judge(ours, theirs), work, unit);
}

// An element type: its name in templates, a bound for rounding errors, and its cuBLAS functions.
template <typename T> struct elements;
template <> struct elements<float> {
    static constexpr const char *type = "T=float";
    static constexpr double rounding = 1e-6;
    static constexpr auto axpy = cublasSaxpy_64;
    static constexpr auto dot = cublasSdot_64;
    static constexpr auto gemv = cublasSgemv;
    static constexpr auto geam = cublasSgeam;
};
template <> struct elements<double> {
    static constexpr const char *type = "T=double";
    static constexpr double rounding = 2e-15;
    static constexpr auto axpy = cublasDaxpy_64;
    static constexpr auto dot = cublasDdot_64;
    static constexpr auto gemv = cublasDgemv;
    static constexpr auto geam = cublasDgeam;
};

template <typename T> void axpy(const std::string &name, size_t n)
{
    device_array<T> x(n), y(n);
    refill(x);
    plan_holder plan("axpy", GPUTUNE_SIZES({"n", n}, {elements<T>::type, 0}));
    T a = 0;
    launcher fresh = [&] { refill(y); }, ours = plan.with({&y.data, &x.data, &a, &n});
    launcher theirs = [&] { CHECK(elements<T>::axpy(blas, int64_t(n), &a, x.data, 1, y.data, 1)); };
    a = 0.5;
    compare(
        name, y, [&] { fresh(), ours(); }, [&] { fresh(), theirs(); }, elements<T>::rounding);
    a = 1e-30f; // y must stay finite, although each launch adds to it
    show(name, plan, "cuBLAS", judge(ours, theirs), 3.0 * sizeof(T) * double(n), "GB/s");
}

template <typename T> void dot(const std::string &name, size_t n)
{
    device_array<T> x(n), y(n), result(1);
    refill(x), refill(y);
    plan_holder plan("dot", GPUTUNE_SIZES({"n", n}, {elements<T>::type, 0}));
    launcher theirs = [&] {
        CHECK(cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_DEVICE));
        CHECK(elements<T>::dot(blas, int64_t(n), x.data, 1, y.data, 1, result.data));
        CHECK(cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_HOST));
    };
    row(name, plan, "cuBLAS", result, elements<T>::rounding * double(n),
        plan.with({&result.data, &x.data, &y.data, &n}), theirs, 2.0 * sizeof(T) * double(n));
}

// Returns the side of a square matrix of about `count` elements whose rows fill cache lines.
unsigned int side_of(size_t count)
{
    return unsigned(std::sqrt(double(count))) / 32 * 32;
}

// cuBLAS stores matrices by columns, so the matrix is transposed.
template <typename T> void gemv(const std::string &name, size_t count)
{
    const unsigned int side = side_of(count);
    device_array<T> a(size_t(side) * side), x(side), y(side);
    refill(a), refill(x);
    plan_holder plan("gemv",
                     GPUTUNE_SIZES({"rows", side}, {"columns", side}, {elements<T>::type, 0}));
    T one = 1, zero = 0;
    int n = int(side);
    launcher theirs = [&] {
        CHECK(elements<T>::gemv(blas, CUBLAS_OP_T, n, n, &one, a.data, n, x.data, 1, &zero, y.data,
                                1));
    };
    row(name, plan, "cuBLAS", y, elements<T>::rounding * side,
        plan.with({&y.data, &a.data, &x.data, &side, &side}), theirs,
        sizeof(T) * (1.0 * side * side + 2.0 * side));
}

template <typename T> void transpose(const std::string &name, size_t count)
{
    const unsigned int side = side_of(count);
    device_array<T> x(size_t(side) * side), y(size_t(side) * side);
    refill(x);
    plan_holder plan("transpose",
                     GPUTUNE_SIZES({"rows", side}, {"columns", side}, {elements<T>::type, 0}));
    T one = 1, zero = 0;
    int n = int(side);
    launcher theirs = [&] {
        CHECK(elements<T>::geam(blas, CUBLAS_OP_T, CUBLAS_OP_N, n, n, &one, x.data, n, &zero,
                                x.data, n, y.data, n));
    };
    row(name, plan, "geam", y, 0, plan.with({&y.data, &x.data, &side, &side}), theirs,
        2.0 * sizeof(T) * side * side);
}

/* Allocates temporary memory for a CUB function. `call` returns the size first, then uses the
 * memory. */
launcher with_memory(const std::function<cudaError_t(void *, size_t &)> &call,
                     std::vector<std::shared_ptr<device_array<char>>> &kept)
{
    size_t bytes = 0;
    check(call(nullptr, bytes), "CUB");
    kept.push_back(std::make_shared<device_array<char>>(std::max<size_t>(bytes, 1)));
    char *memory = kept.back()->data;
    return [call, memory, bytes]() mutable { check(call(memory, bytes), "CUB"); };
}

// Compares sums, which are accumulated in type `A`, or maxima.
template <typename T, typename A>
void reduce_as(const std::string &name, size_t n, gputune_sizes sizes, bool is_sum)
{
    device_array<T> x(n);
    device_array<A> result(1);
    std::vector<std::shared_ptr<device_array<char>>> kept;
    refill(x);
    plan_holder plan("reduce", sizes);
    launcher theirs = with_memory(
        [&](void *memory, size_t &bytes) {
            return is_sum
                       ? cub::DeviceReduce::Reduce(memory, bytes, x.data, result.data, int64_t(n),
                                                   cuda::std::plus<A>(), A(0), stream)
                       : cub::DeviceReduce::Max(memory, bytes, x.data, result.data, int64_t(n),
                                                stream);
        },
        kept);
    row(name, plan, "CUB", result, 1e-6 * double(n), plan.with({&result.data, &x.data, &n}), theirs,
        double(sizeof(T)) * double(n));
}

void reduce(const std::string &name, size_t n)
{
    reduce_as<float, float>(
        name, n, GPUTUNE_SIZES({"n", n}, {"T=float", 0}, {"A=float", 0}, {"OP=sum", 0}), true);
}
void reduce_max(const std::string &name, size_t n)
{
    reduce_as<float, float>(
        name, n, GPUTUNE_SIZES({"n", n}, {"T=float", 0}, {"A=float", 0}, {"OP=max", 0}), false);
}
void reduce_double(const std::string &name, size_t n)
{
    reduce_as<double, double>(
        name, n, GPUTUNE_SIZES({"n", n}, {"T=double", 0}, {"A=double", 0}, {"OP=sum", 0}), true);
}
void reduce_half(const std::string &name, size_t n)
{
    reduce_as<__half, float>(
        name, n, GPUTUNE_SIZES({"n", n}, {"T=half", 0}, {"A=float", 0}, {"OP=sum", 0}), true);
}
void reduce_bfloat16(const std::string &name, size_t n)
{
    reduce_as<__nv_bfloat16, float>(
        name, n, GPUTUNE_SIZES({"n", n}, {"T=__nv_bfloat16", 0}, {"A=float", 0}, {"OP=sum", 0}),
        true);
}

void scan(const std::string &name, size_t n)
{
    device_array<float> x(n), y(n);
    std::vector<std::shared_ptr<device_array<char>>> kept;
    refill(x);
    plan_holder plan("scan", GPUTUNE_SIZES({"n", n}, {"T=float", 0}));
    launcher theirs = with_memory(
        [&](void *memory, size_t &bytes) {
            return cub::DeviceScan::InclusiveSum(memory, bytes, x.data, y.data, int64_t(n), stream);
        },
        kept);
    row(name, plan, "CUB", y, 1e-3 * std::sqrt(double(n)), plan.with({&y.data, &x.data, &n}),
        theirs, 8.0 * double(n));
}

void histogram_of(const std::string &name, size_t n, unsigned int bins)
{
    device_array<unsigned int> keys(n), counts(bins);
    std::vector<std::shared_ptr<device_array<char>>> kept;
    refill(keys, bins);
    plan_holder plan("histogram", GPUTUNE_SIZES({"n", n}, {"bins", bins}));
    launcher theirs = with_memory(
        [&](void *memory, size_t &bytes) {
            return cub::DeviceHistogram::HistogramEven(memory, bytes, keys.data, counts.data,
                                                       int(bins) + 1, 0u, bins, int64_t(n), stream);
        },
        kept);
    row(name, plan, "CUB", counts, 0, plan.with({&counts.data, &keys.data, &n, &bins}), theirs,
        4.0 * double(n));
}

// --- kernels that are compared only with a copy by the driver

void beside_copy(const std::string &name, const plan_holder &plan, const launcher &ours,
                 double bytes)
{
    driver_copy copy(bytes);
    show(name, plan, "driver", judge(ours, copy.launch(), PLAIN), bytes, "GB/s");
}

void copy(const std::string &name, size_t n)
{
    device_array<float> x(n), y(n);
    refill(x);
    plan_holder plan("copy", GPUTUNE_SIZES({"n", n}, {"T=float", 0}));
    launcher ours = plan.with({&y.data, &x.data, &n});
    compare(
        name, y, ours,
        [&] { CHECK(cudaMemcpyAsync(y.data, x.data, n * 4, cudaMemcpyDeviceToDevice, stream)); },
        0);
    beside_copy(name, plan, ours, 8.0 * double(n));
}

void softmax(const std::string &name, size_t n)
{
    unsigned int columns = 4096, rows = unsigned(n / columns);
    device_array<float> x(n), y(n);
    refill(x);
    plan_holder plan("softmax",
                     GPUTUNE_SIZES({"rows", rows}, {"columns", columns}, {"T=float", 0}));
    beside_copy(name, plan, plan.with({&y.data, &x.data, &rows}), 8.0 * double(n));
}

void rmsnorm(const std::string &name, size_t n)
{
    unsigned int columns = 4096, rows = unsigned(n / columns);
    float epsilon = 1e-5f;
    device_array<__nv_bfloat16> x(n), y(n), weight(columns);
    refill(x), refill(weight);
    plan_holder plan("rmsnorm",
                     GPUTUNE_SIZES({"rows", rows}, {"columns", columns}, {"T=__nv_bfloat16", 0}));
    beside_copy(name, plan, plan.with({&y.data, &x.data, &weight.data, &epsilon, &rows}),
                4.0 * double(n));
}

template <typename T> void stencil2d(const std::string &name, size_t n)
{
    int side = int(std::sqrt(double(n)));
    n = size_t(side) * side;
    T c[] = {0.5, 0.125};
    device_array<T> x(n), y(n);
    refill(x);
    plan_holder plan("stencil2d",
                     GPUTUNE_SIZES({"height", uint64_t(side)}, {"width", uint64_t(side)}, {"R", 1},
                                   {elements<T>::type, 0}));
    beside_copy(name, plan, plan.with({c, &y.data, &x.data, &side, &side}),
                2.0 * sizeof(T) * double(n));
}

template <typename T> void stencil3d(const std::string &name, size_t n)
{
    int depth = 1, height, width;
    while (8.0 * depth * depth * depth <= double(n)) {
        depth *= 2;
    }
    height = depth;
    width = int(n / depth / height);
    T c[] = {0.4, 0.1};
    device_array<T> x(n), y(n);
    refill(x);
    plan_holder plan("stencil3d",
                     GPUTUNE_SIZES({"depth", uint64_t(depth)}, {"height", uint64_t(height)},
                                   {"width", uint64_t(width)}, {"R", 1}, {elements<T>::type, 0}));
    beside_copy(name, plan, plan.with({c, &y.data, &x.data, &depth, &height, &width}),
                2.0 * sizeof(T) * double(n));
}

// cuBLAS stores matrices by columns, so they are transposed: C' = B' A'.
void gemm(const std::string &name, unsigned int m, unsigned int n, unsigned int k)
{
    device_array<float> a(size_t(m) * k), b(size_t(k) * n), c(size_t(m) * n);
    float alpha = 1, beta = 0;
    refill(a), refill(b), refill(c);
    plan_holder plan("gemm", GPUTUNE_SIZES({"m", m}, {"n", n}, {"k", k}));
    launcher fresh = [&] { refill(c); }; // beta is 0, but 0 * NaN would be NaN
    launcher ours = plan.with({&c.data, &a.data, &b.data, &m, &n, &k, &alpha, &beta});
    launcher theirs = [&] {
        CHECK(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, int(n), int(m), int(k), &alpha, b.data,
                          int(n), a.data, int(k), &beta, c.data, int(n)));
    };
    compare(
        name, c, [&] { fresh(), ours(); }, [&] { fresh(), theirs(); }, 1e-6 * k);
    show(name, plan, "cuBLAS", judge(ours, theirs), 2.0 * m * n * k, "GFLOP/s");
}

// Compares matrix products in which B is transposed.
void gemm_bf16(const std::string &name, unsigned int m, unsigned int n, unsigned int k)
{
    device_array<__nv_bfloat16> a(size_t(m) * k), b(size_t(n) * k), c(size_t(m) * n);
    float one = 1, zero = 0;
    refill(a), refill(b, 0, size_t(1) << 40); // different seeds, so no row of a equals a row of b
    plan_holder plan("gemm_bf16",
                     GPUTUNE_SIZES({"m", m}, {"n", n}, {"k", k}, {"OUT=__nv_bfloat16", 0}));
    launcher theirs = [&] {
        CHECK(cublasGemmEx(blas, CUBLAS_OP_T, CUBLAS_OP_N, int(n), int(m), int(k), &one, b.data,
                           CUDA_R_16BF, int(k), a.data, CUDA_R_16BF, int(k), &zero, c.data,
                           CUDA_R_16BF, int(n), CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
    };
    row(name, plan, "cuBLAS", c, 0.01 * std::sqrt(double(k)),
        plan.with({&c.data, &a.data, &b.data, &m, &n, &k}), theirs, 2.0 * m * n * k, "GFLOP/s");
}

// --- thousands of parameters

constexpr int by_value_at_most = 1024; // number of words in 4096 bytes, which was the limit before

// Parameters that are passed by value. Those beyond the older limit are in constant memory.
template <typename T, int COUNT> struct parameters {
    T values[COUNT];
};
__constant__ unsigned int rest[8000 - by_value_at_most];

// Calls `body` for the parameters at `first`, `first` + STEP, ...
template <int STEP, typename T, int COUNT, typename BODY>
__device__ void each_parameter(const parameters<T, COUNT> &p, int first, int count, BODY body)
{
#pragma unroll 16
    for (int i = first; i < COUNT; i += STEP) {
        body(i, p.values[i]);
    }
#pragma unroll 16
    for (int i = COUNT + first; i < count; i += STEP) {
        body(i, reinterpret_cast<const T *>(rest)[i - COUNT]);
    }
}

template <bool AS_IT_LIKES, int COUNT>
__global__ void sum_of(const __grid_constant__ parameters<int, COUNT> p, int *sum)
{
    int total = 0;
    if (AS_IT_LIKES) {
        for (int i = 0; i < COUNT; i++) {
            total += p.values[i];
        }
        for (int i = COUNT; i < 8000; i++) {
            total += reinterpret_cast<const int *>(rest)[i - COUNT];
        }
    } else {
        each_parameter<1>(p, 0, 8000, [&](int, int value) { total += value; });
    }
    *sum = total;
}

// The warps of a block share 32 elements, because one thread per element does not saturate memory.
constexpr int warps = 16;
template <int COUNT>
__global__ void combination(const __grid_constant__ parameters<float, COUNT> p, float *y,
                            const float *x, size_t n)
{
    __shared__ float sums[warps][32];
    const size_t i = size_t(blockIdx.x) * 32 + threadIdx.x; // n is a multiple of 32
    float sum = 0;
    each_parameter<warps>(p, threadIdx.y, 4000,
                          [&](int k, float value) { sum += value * x[k * n + i]; });
    sums[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y == 0) {
        for (int w = 1; w < warps; w++) {
            sum += sums[w][threadIdx.x];
        }
        y[i] = sum;
    }
}

// A way to pass parameters: a kernel, and the work that is needed before its launch.
struct passing {
    launcher before, kernel;
};

// Keeps the GPU busy while the host launches. The time between events then excludes the host.
__global__ void busy_for(long long clocks)
{
    for (const long long began = clock64(); clock64() - began < clocks;) {
    }
}

enum timing { ALONE, IN_A_ROW, WAITED_FOR };

// Returns the time of one launch in microseconds.
double time_of(const passing &way, timing how)
{
    const int launches = how == IN_A_ROW ? 100 : 1;
    cudaEvent_t begin, end;
    float ms = 0;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < launches; i++) {
        way.before();
        if (how == ALONE) {
            busy_for<<<1, 1, 0, stream>>>(100000);
            CHECK(cudaEventRecord(begin, stream));
        }
        way.kernel();
    }
    if (how == ALONE) {
        CHECK(cudaEventRecord(end, stream));
    }
    CHECK(cudaStreamSynchronize(stream));
    std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    if (how == ALONE) {
        CHECK(cudaEventElapsedTime(&ms, begin, end));
    }
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    return how == ALONE ? ms * 1e3 : passed.count() * 1e6 / launches;
}

// Measures the median time of each way. The ways are measured alternately.
std::vector<double> times_of(const std::vector<passing> &ways, timing how)
{
    std::vector<std::vector<double>> times(ways.size());
    std::vector<double> medians;
    auto began = std::chrono::steady_clock::now();
    std::chrono::duration<double> passed;
    do {
        for (size_t i = 0; i < ways.size(); i++) {
            times[i].push_back(time_of(ways[i], how));
        }
        passed = std::chrono::steady_clock::now() - began;
    } while (passed.count() < judging_s);
    for (auto &each : times) {
        std::nth_element(each.begin(), each.begin() + each.size() / 2, each.end());
        medians.push_back(each[each.size() / 2]);
    }
    return medians;
}

void show_saving(const std::string &name, const char *timing, const char *ways, double split,
                 double value)
{
    std::printf("%-26s %-16s %-26s %8.2f us; by value %8.2f us: %5.1f%% less\n", name.c_str(),
                timing, ways, split, value, 100 - 100 * value / split);
}

// `split` and `value` launch plain kernels; `ring` and `plan` launch kernels of gputune.
void show_passing(const std::string &name, const launcher &copy, const launcher &split,
                  const launcher &value, const launcher &ring, const launcher &plan)
{
    static const char *const names[] = {"kernel", "in a row", "each waited for"};
    const launcher nothing = [] {};
    const cudaStream_t own = stream;
    stream = nullptr; // use the default stream, because it waits for cudaMemcpyToSymbol()
    for (timing how : {ALONE, IN_A_ROW, WAITED_FOR}) {
        std::vector<passing> ways = {{copy, split}, {nothing, value}};
        if (how != ALONE) {
            ways.push_back({nothing, ring});
            ways.push_back({nothing, plan});
        }
        const std::vector<double> times = times_of(ways, how);
        show_saving(name, names[how], "copied, pageable", times[0], times[1]);
        if (how != ALONE) {
            show_saving(name, names[how], "gputune, split by its ring", times[2], times[3]);
        }
    }
    stream = own;
}

void copy_rest(const void *from, size_t bytes)
{
    CHECK(cudaMemcpyToSymbol(rest, from, bytes));
}

template <bool AS_IT_LIKES> void passing_sum(const std::string &name)
{
    auto p = std::make_unique<parameters<int, 8000>>();
    auto first = std::make_unique<parameters<int, by_value_at_most>>();
    device_array<int> sum(1);
    plan_holder ring("paramsum", GPUTUNE_SIZES({"COUNT", 8000}), "values=split");
    plan_holder plan("paramsum", GPUTUNE_SIZES({"COUNT", 8000}), "values=value");
    const std::vector<const void *> arguments = {p.get(), &sum.data};
    show_passing(
        name, [&] { copy_rest(p->values + by_value_at_most, sizeof *p - sizeof *first); },
        [&] { sum_of<AS_IT_LIKES><<<1, 1, 0, stream>>>(*first, sum.data); },
        [&] { sum_of<AS_IT_LIKES><<<1, 1, 0, stream>>>(*p, sum.data); }, ring.with(arguments),
        plan.with(arguments));
}

void passing_combination(const std::string &name, size_t n)
{
    auto p = std::make_unique<parameters<float, 4000>>();
    auto first = std::make_unique<parameters<float, by_value_at_most>>();
    device_array<float> x(4000 * n), y(n);
    refill(x);
    plan_holder ring("lincomb", GPUTUNE_SIZES({"n", n}, {"COUNT", 4000}), "a=split");
    plan_holder plan("lincomb", GPUTUNE_SIZES({"n", n}, {"COUNT", 4000}), "a=value");
    const dim3 block(32, warps);
    const unsigned int blocks = unsigned(n / 32);
    const std::vector<const void *> arguments = {p.get(), &y.data, &x.data, &n};
    show_passing(
        name, [&] { copy_rest(p->values + by_value_at_most, sizeof *p - sizeof *first); },
        [&] { combination<<<blocks, block, 0, stream>>>(*first, y.data, x.data, n); },
        [&] { combination<<<blocks, block, 0, stream>>>(*p, y.data, x.data, n); },
        ring.with(arguments), plan.with(arguments));
}

// --- the command
// ----------------------------------------------------------------------------------

struct entry {
    std::string name;
    std::function<void(const std::string &)> run;
};

std::vector<entry> all_rows()
{
    std::vector<entry> rows;
    struct {
        const char *name;
        void (*run)(const std::string &, size_t);
        unsigned int bytes; // size of an element of the largest buffer
    } kernels[] = {{"axpy", axpy<float>, 4},
                   {"axpy double", axpy<double>, 8},
                   {"dot", dot<float>, 4},
                   {"dot double", dot<double>, 8},
                   {"gemv", gemv<float>, 4},
                   {"gemv double", gemv<double>, 8},
                   {"transpose", transpose<float>, 4},
                   {"transpose double", transpose<double>, 8},
                   {"reduce", reduce, 4},
                   {"reduce max", reduce_max, 4},
                   {"reduce double", reduce_double, 8},
                   {"reduce half", reduce_half, 2},
                   {"reduce bfloat16", reduce_bfloat16, 2},
                   {"scan", scan, 4},
                   {"copy", copy, 4},
                   {"softmax", softmax, 4},
                   {"rmsnorm", rmsnorm, 2},
                   {"stencil2d", stencil2d<float>, 4},
                   {"stencil2d double", stencil2d<double>, 8},
                   {"stencil3d", stencil3d<float>, 4},
                   {"stencil3d double", stencil3d<double>, 8}};
    const std::pair<const char *, size_t> sizes[] = {
        {"4M", 4u << 20}, {"64M", 64u << 20}, {"1G", 1u << 30}};
    for (auto &kernel : kernels) {
        for (auto &[text, bytes] : sizes) {
            rows.push_back({std::string(kernel.name) + " " + text,
                            [run = kernel.run, n = bytes / kernel.bytes](const std::string &name) {
                                run(name, n);
                            }});
        }
    }
    for (unsigned int bins : {256u, 2048u, 65536u}) {
        for (auto &[text, bytes] : sizes) {
            rows.push_back(
                {"histogram " + std::to_string(bins) + " " + text,
                 [n = bytes / 4, bins](const std::string &name) { histogram_of(name, n, bins); }});
        }
    }
    for (unsigned int side : {256u, 512u, 1024u, 2048u, 4096u, 8192u, 16384u}) {
        rows.push_back({"gemm " + std::to_string(side),
                        [side](const std::string &name) { gemm(name, side, side, side); }});
        rows.push_back({"gemm_bf16 " + std::to_string(side),
                        [side](const std::string &name) { gemm_bf16(name, side, side, side); }});
    }
    rows.push_back({"passing 8000 sample", passing_sum<true>});
    rows.push_back({"passing 8000 paramsum", passing_sum<false>});
    for (size_t n : {1024, 4096}) {
        rows.push_back({"passing 4000 lincomb " + std::to_string(n),
                        [n](const std::string &name) { passing_combination(name, n); }});
    }
    return rows;
}

void run_rows(const std::vector<entry> &rows, const std::string &beginning)
{
    unsigned int m, n, k, count = 0;
    if (std::sscanf(beginning.c_str(), "gemm %u,%u,%u", &m, &n, &k) == 3) {
        gemm(beginning, m, n, k);
        return;
    }
    if (std::sscanf(beginning.c_str(), "gemm_bf16 %u,%u,%u", &m, &n, &k) == 3) {
        gemm_bf16(beginning, m, n, k);
        return;
    }
    for (auto &row : rows) {
        if (row.name.compare(0, beginning.size(), beginning) == 0) {
            row.run(row.name);
            count++;
        }
    }
    check(count > 0, beginning.c_str(), "no row is called so");
}

} // namespace

int main(int argc, char **argv)
{
    for (int option; (option = getopt(argc, argv, "l:j:")) != -1;) {
        if (option != 'l' && option != 'j') {
            return 2;
        }
        (option == 'l' ? tuning_s : judging_s) = std::strtod(optarg, nullptr);
    }
    setenv("NVIDIA_TF32_OVERRIDE", "0", 1);
    gputune_open_options open = GPUTUNE_OPEN_OPTIONS_INIT;
    open.driver = "cuda";
    open.database = std::getenv("GPUTUNE_DB") ? nullptr : ":memory:";
    CHECK(cudaSetDevice(0));
    CHECK(cudaFree(nullptr));
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    device_array<char> memory(workspace);
    CHECK(cublasCreate(&blas));
    CHECK(cublasSetStream(blas, stream));
    CHECK(cublasSetWorkspace(blas, memory.data, workspace));
    CHECK(cublasSetMathMode(blas, CUBLAS_DEFAULT_MATH));
    CHECK(gputune_open(&tuner, &open));
    std::printf("%-26s %10s %16s %10s %-8s %6s %22s\n", "row", "gputune us", "", "library us", "",
                "ratio", "of copy");
    std::vector<entry> rows = all_rows();
    for (int i = optind; i < argc; i++) {
        run_rows(rows, argv[i]);
    }
    if (optind == argc) {
        run_rows(rows, "");
    }
    gputune_close(tuner);
    return 0;
}
