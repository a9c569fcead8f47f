/* Tests gputune.hpp on the emulator, with and without exceptions (-fno-exceptions). Prints the
 * failures and, on the last line, "N passed, N failed". */
#include <gputune.hpp>

#include <cuda.h>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gt = gputune_cxx;

static int passed, failed;

static void expect(bool good, const char *what, const std::string &detail = "")
{
    (good ? passed : failed)++;
    if (!good) {
        std::printf("%s: failed %s\n", what, detail.c_str());
    }
}

static void refuses(const gt::result<void> &result, const char *text)
{
    expect(!result && result.why().status == GPUTUNE_EINVAL &&
               result.why().message.find(text) != std::string::npos,
           text, result ? "(it was launched)" : result.why().message);
}

struct buffers {
    static constexpr std::size_t n = 1000;
    CUdeviceptr y = 0, x = 0;
    std::vector<float> host = std::vector<float>(n, 1.0f);

    buffers()
    {
        cuMemAlloc(&y, n * sizeof(float));
        cuMemAlloc(&x, n * sizeof(float));
        cuMemcpyHtoD(x, host.data(), n * sizeof(float));
        clear();
    }
    ~buffers()
    {
        cuMemFree(y);
        cuMemFree(x);
    }
    void clear()
    {
        cuMemcpyHtoD(y, host.data(), n * sizeof(float));
    }
    /* Returns true if y is 1 + a * 1, and resets it to 1. */
    bool is(float a)
    {
        std::vector<float> found(n);
        cuCtxSynchronize();
        cuMemcpyDtoH(found.data(), y, n * sizeof(float));
        clear();
        for (float value : found) {
            if (value != 1.0f + a) {
                return false;
            }
        }
        return true;
    }
};

static std::string temporary()
{
    const char *folder = std::getenv("TMPDIR");
    return folder ? folder : "/tmp";
}

static gputune_options quick()
{
    gputune_options options = gt::default_options();
    options.effort = GPUTUNE_CACHED_ONLY;
    options.time_limit_s = 600; /* a busy machine takes long to compile the default */
    return options;
}

static void arguments(const gt::plan &axpy)
{
    buffers b;
    const int n = 1000;
    auto *y = reinterpret_cast<float *>(b.y);
    auto *x = reinterpret_cast<const float *>(b.x);
    expect(bool(axpy.try_launch(nullptr, y, x, 2.0f, b.n)) && b.is(2), "pointers");
    expect(bool(axpy.try_launch(nullptr, b.y, b.x, 3.0, n)) && b.is(3),
           "addresses, and numbers converted");
    expect(bool(axpy.try_launch(nullptr, gt::span<float>(y, b.n), gt::span<const float>(b.x, b.n),
                                4, 1000u)) &&
               b.is(4),
           "spans");
    expect(bool(axpy.try_launch(nullptr, static_cast<void *>(y), static_cast<const void *>(x), 5.0f,
                                1000LL)) &&
               b.is(5),
           "void pointers");
#if defined(__cpp_lib_span)
    expect(bool(axpy.try_launch(nullptr, std::span<float>(y, b.n), std::span<const float>(x, b.n),
                                6.0f, n)) &&
               b.is(6),
           "the standard's spans");
#endif
    refuses(axpy.try_launch(nullptr, reinterpret_cast<double *>(y), x, 2.0f, n),
            "(float *y) points to another type");
    refuses(axpy.try_launch(nullptr, gt::span<float>(y, 10), x, 2.0f, n), "(float *y) is smaller");
    refuses(axpy.try_launch(nullptr, y, x, y, n), "(float a) is a pointer");
    refuses(axpy.try_launch(nullptr, y, x, 2.0f, 1000.0), "n) is a floating-point number");
    refuses(axpy.try_launch(nullptr, y, x, 2.0f, -1), "n) is out of the range");
    refuses(axpy.try_launch(nullptr, 7, x, 2.0f, n), "(float *y) is a number");
    refuses(axpy.try_launch(nullptr, std::array<float, 4>{}, x, 2.0f, n), "(float *y) is a value");
    refuses(axpy.try_launch(nullptr, y, x, std::array<float, 4>{}, n), "(float a) is a struct");
    refuses(axpy.try_launch(nullptr, y, x, gt::by_value(std::array<int, 1>{2}), n),
            "(float a) is a struct");
    refuses(axpy.try_launch(nullptr, y, x, "a word as long", n), "(float a) is a struct");
    enum { two = 2 };
    refuses(axpy.try_launch(nullptr, y, x, two, n), "(float a) is an enumerator");
    refuses(axpy.try_launch(nullptr, y, x, true, n), "(float a) is a bool");
    enum class count : unsigned long long { all = 1000 };
    refuses(axpy.try_launch(nullptr, count::all, x, 2.0f, n), "(float *y) is a value");
    expect(bool(axpy.try_launch(nullptr, y, x, 2.0L, count::all)) && b.is(2),
           "an enumerator for an integer");
    refuses(axpy.try_launch(nullptr, y, x, 2.0f, 999), "999");
    refuses(axpy.try_launch(nullptr, y, x, 2.0f),
            "axpy takes 4 arguments (y, x, a, n) after the stream; got 3");
    refuses(axpy.try_launch(nullptr, y, nullptr, 2.0f, n), "(float *x) is a null pointer");
    refuses(axpy.try_launch(nullptr, 0ULL, x, 2.0f, n), "(float *y) is a null pointer");
    refuses(axpy.try_launch(nullptr, y, x, 1e300, n), "(float a) is out of the range");
    const float array[4] = {};
    refuses(axpy.try_launch(nullptr, array, x, 2.0f, n), "(float *y) is a value");
    refuses(axpy.try_launch(nullptr, b.host, x, 2.0f, n),
            "(float *y) is a container in host memory");
    expect(b.is(0), "what is refused is not launched");
    gt::plan copy = axpy, moved = std::move(copy);
    expect(bool(moved.try_launch(nullptr, y, x, 2.0f, n)) && b.is(2) && !copy, "copies and moves");
    refuses(gt::plan().try_launch(nullptr), "this plan is empty");
}

/* A number type of a library, like __half. */
struct scaled {
    std::int16_t quarters;
    explicit operator float() const
    {
        return static_cast<float>(quarters) / 4;
    }
};

/* Tests 16-bit numbers, structs and enumerations by value. */
static void values(const gt::tuner &tuner)
{
    static const char source[] =
        "#pragma gputune kernel(bits) problem(type T = half, __nv_bfloat16)\n"
        "#pragma gputune args(out unsigned y[32], T a = 1, float f = 1, pair p = {1, 2}, int m = "
        "1)\n"
        "#pragma gputune block(32) grid(1)\n"
        "#include <cuda_fp16.h>\n"
        "#include <cuda_bf16.h>\n"
        "struct pair { int first, second; };\n"
        "__global__ void bits(unsigned *y, T a, float f, pair p, int m)\n"
        "{\n"
        "    y[threadIdx.x] = *(unsigned short *)&a + (unsigned)(f * 4) * 65536 +\n"
        "                     (m == 1 ? p.first + p.second : 0);\n"
        "}\n";
    struct pair {
        int first, second;
    };
    enum mode { MINUS, PLUS };
    buffers b;
    const auto found = [&](const gt::result<void> &launched) {
        unsigned out = 0;
        cuCtxSynchronize();
        cuMemcpyDtoH(&out, b.y, sizeof out);
        return launched ? out : 1u;
    };
    const auto added = tuner.try_add_source("bits.cu", source);
    expect(bool(added), "a template of values", added.why().message);
    const pair none = {0, 0};
    const gt::span<unsigned> y(b.y, 32);
    for (const bool is_half : {true, false}) {
        auto bits = tuner.try_tune("bits", {{"T", is_half ? "half" : "__nv_bfloat16"}}, quick());
        if (!bits) {
            expect(false, "a template of values", bits.why().message);
            return;
        }
        const struct {
            double value;
            unsigned half, bfloat16;
        } rows[] = {{1, 0x3c00, 0x3f80},           {-2.5, 0xc100, 0xc020},
                    {65504, 0x7bff, 0x4780},       {1e-7, 0x0002, 0x33d7},
                    {1 + 0x1p-11, 0x3c00, 0x3f80}, {1 + 0x3p-11, 0x3c02, 0x3f80},
                    {0x1.8p-25, 0x0001, 0x3340},   {-0.0, 0x8000, 0x8000},
                    {HUGE_VAL, 0x7c00, 0x7f80}};
        for (const auto &row : rows) {
            const unsigned got =
                found(bits->try_launch(nullptr, y, row.value, 0, gt::by_value(none), MINUS));
            expect(got == (is_half ? row.half : row.bfloat16), "a number of 16 bits",
                   std::to_string(row.value) + " is " + std::to_string(got));
        }
        refuses(bits->try_launch(nullptr, y, 1e39, 0, gt::by_value(none), MINUS),
                "a) is out of the range");
        const unsigned one = is_half ? 0x3c00 : 0x3f80;
        expect(found(bits->try_launch(nullptr, y, 1, scaled{3}, gt::by_value(pair{3, 4}), PLUS)) ==
                   one + 3 * 65536 + 7,
               "a library's number, a small struct and an enumerator");
        refuses(bits->try_launch(nullptr, y, 1, gt::by_value(none), gt::by_value(none), MINUS),
                "(float f) is a struct");
        refuses(bits->try_launch(nullptr, y, 1, 0, gt::by_value(none), 1.0f),
                "m) is a floating-point number");
    }
}

/* Tests that a tuner is closed with the last object that uses it: the tuner or a plan. */
static void held_tuner(const gputune_open_options &options)
{
    gt::plan axpy = *gt::tuner::try_open(options)->try_tune("axpy", {{"n", 1000}}, quick());
    expect(axpy && std::string(axpy.info().kernel) == "axpy", "a plan holds its tuner");
    gputune_plan *const handle = axpy.get();
    gputune_info info = GPUTUNE_INFO_INIT;
    axpy = gt::plan();
    expect(gputune_plan_info(&info, handle) == GPUTUNE_EINVAL, "the last plan closes the tuner");
}

/* A plan that outlives its tuner, because it is destroyed after main(). */
static gt::plan last;

/* Plans are destroyed before and after a static tuner; a mistake changes the exit code. */
static void static_objects(const gputune_open_options &options)
{
    static auto tuner = gt::tuner::try_open(options);
    static std::map<std::string, gt::plan> held;
    held["axpy"] = *tuner->try_tune("axpy", {{"n", 1000}}, quick());
    last = held["axpy"];
    expect(last.get() == held["axpy"].get(), "plans with static storage");
}

static void null_pointers(const gt::tuner &tuner)
{
    static const char source[] = "#pragma gputune kernel(twice)\n"
                                 "#pragma gputune args(inout float y[1000], float *z = null)\n"
                                 "#pragma gputune problem(n = 1000)\n"
                                 "#pragma gputune block(250) grid(n / 250)\n"
                                 "__global__ void twice(float *y, float *z)\n"
                                 "{\n"
                                 "    y[blockIdx.x * 250 + threadIdx.x] *= z ? 0 : 2;\n"
                                 "}\n";
    buffers b;
    const auto added = tuner.try_add_source("twice.cu", source);
    expect(bool(added), "a template in memory", added.why().message);
    auto twice = tuner.try_tune("twice", {}, quick());
    expect(bool(twice), "a null pointer among the arguments", twice ? "" : twice.why().message);
    if (twice) {
        float *none = nullptr;
        expect(bool(twice->try_launch(nullptr, b.y, nullptr)) && b.is(1), "nullptr");
        expect(bool(twice->try_launch(nullptr, b.y, none)) && b.is(1), "a pointer that is null");
        refuses(twice->try_launch(nullptr, b.y, reinterpret_cast<float *>(b.x)),
                "z) is a pointer; the template has null there");
    }
}

/* Launches paramsum on a parameter block; returns the sum, or -1 if the launch was refused. */
template <typename Block> static int sum_of(const gt::plan &plan, const Block &values)
{
    CUdeviceptr out = 0;
    int sum = 0;
    cuMemAlloc(&out, 64);
    const auto launched = plan.try_launch(nullptr, values, out);
    cuCtxSynchronize();
    cuMemcpyDtoH(&sum, out, sizeof sum);
    cuMemFree(out);
    if (!launched) {
        std::printf("  (%s)\n", launched.why().message.c_str());
    }
    return launched ? sum : -1;
}

static void blocks(const gt::tuner &tuner)
{
    struct eight {
        int values[8];
    };
    const int array[8] = {1, 2, 3, 4, 5, 6, 7, 8}, square[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
    const std::array<int, 8> standard = {1, 2, 3, 4, 5, 6, 7, 8};
    const std::vector<int> vector(array, array + 8);
    const eight whole = {{1, 2, 3, 4, 5, 6, 7, 8}};
    for (const char *way : {"values=value", "values=constant", "values=global"}) {
        gputune_options options = quick();
        options.only = &way;
        options.only_count = 1;
        auto plan = tuner.try_tune("paramsum", {{"COUNT", 8}}, options);
        if (!plan) {
            expect(false, way, plan.why().message);
            continue;
        }
        expect(sum_of(*plan, array) == 36, "a block in a C array", way);
        expect(sum_of(*plan, square) == 36, "a block in an array of arrays", way);
        expect(sum_of(*plan, standard) == 36, "a block in a std::array", way);
        expect(sum_of(*plan, vector) == 36, "a block in a std::vector", way);
        expect(sum_of(*plan, gt::span<const int>(array, 8)) == 36, "a block in a span", way);
        expect(sum_of(*plan, whole) == 36, "a block in a struct", way);
        expect(sum_of(*plan, vector.data()) == 36, "a block by its address", way);
        refuses(plan->try_launch(nullptr, std::array<double, 4>{}, 0ULL),
                "(int values) has elements of another type");
        const float floats[8] = {};
        refuses(plan->try_launch(nullptr, floats, 0ULL),
                "(int values) has elements of another type");
        refuses(plan->try_launch(nullptr, std::array<int, 7>{}, 0ULL),
                "(int values) has another size");
        refuses(plan->try_launch(nullptr, std::vector<int>(9), 0ULL),
                "(int values) has another size");
        refuses(plan->try_launch(nullptr, gt::span<const int>(array, 7), 0ULL),
                "(int values) has another size");
        refuses(plan->try_launch(nullptr, &floats[0], 0ULL), "(int values) points to another type");
    }
}

static void sizes(const gt::tuner &tuner)
{
    const std::map<std::string, int> map = {{"m", 64}, {"n", 48}, {"k", 32}};
    const std::vector<std::pair<const char *, std::size_t>> pairs(map.size(), {"n", 7});
    std::vector<gt::size> list = {{"m", 64}};
    list.emplace_back(std::string("n"), 48);
    list.push_back({"k=32"});
    for (const gt::sizes &given : {gt::sizes(map), gt::sizes(list)}) {
        auto plan = tuner.try_tune("gemm", given, quick());
        expect(plan && std::string(plan->info().sizes).find("m=64 n=48 k=32") != std::string::npos,
               "sizes from a container", plan ? plan->info().sizes : plan.why().message);
    }
    expect(!tuner.try_tune("axpy", pairs, quick()), "a size that is given several times");
    enum { N = 48 };
    const auto of_enum = tuner.try_tune("axpy", {{"n", N}}, quick());
    expect(of_enum && std::string(of_enum->info().sizes).find("n=48") == 0, "an enumerator");
    const auto kept = GPUTUNE_SIZES({"n", N}, {"T=double", 0});
    gputune_plan *handle = nullptr;
    const gputune_options cached = quick();
    expect(tune_kernel(&handle, tuner.get(), "axpy", kept, &cached) == GPUTUNE_OK, "kept sizes");
    const gt::plan plan = gt::plan::adopt(handle);
    CUdeviceptr y = 0;
    double a = 3, host[N] = {1, 1};
    const std::int64_t n = N;
    cuMemAlloc(&y, 2 * sizeof host);
    cuMemcpyHtoD(y, host, sizeof host);
    cuMemcpyHtoD(y + sizeof host, host, sizeof host);
    const CUdeviceptr x = y + sizeof host;
    const auto arguments = GPUTUNE_ARGS(&y, &x, &a, &n);
    for (int i = 0; i < 2; i++) {
        expect(gputune_launch(plan.get(), nullptr, arguments) == GPUTUNE_OK, "kept arguments");
    }
    cuCtxSynchronize();
    cuMemcpyDtoH(host, y, sizeof host);
    cuMemFree(y);
    expect(host[1] == 7 && host[2] == 0, "what was launched twice");
}

static void devices()
{
    gputune_open_options options = gt::default_open_options();
    options.database = ":memory:";
    options.device = "1";
    auto other = gt::tuner::try_open(options);
    expect(bool(other), "a second GPU", other ? "" : other.why().message);
    if (!other) {
        return;
    }
    int gpus = 0;
    const auto all = gt::try_devices([&](const gputune_device &one) { gpus += !one.ordinal + 1; });
    const auto device = other->try_device();
    expect(all && gpus == 3 && device && device->ordinal == 1, "which GPUs there are");
    const auto count = gt::try_device_count();
    expect(count && *count == 2, "how many GPUs there are");
}

/* Tests options with C++ strings, callables and durations. */
static void options_of_cxx(const gt::tuner &tuner)
{
    using namespace std::chrono_literals;
    const std::string kernel = "axpy";
    std::vector<float> x(buffers::n, 3.0f);
    buffers b;
    unsigned seen = 0, proved = 0;
    const gt::options own = gt::options()
                                .time_limit(1min)
                                .only("BLOCK=128,256")
                                .only("UNROLL=1")
                                .force()
                                .progress([&](const gputune_progress &) { seen++; });
    auto plan = tuner.try_tune(kernel, {{"n", b.n}}, own);
    expect(plan && seen && plan->info().variants == 8, "limits, restrictions, progress",
           plan ? std::to_string(plan->info().variants) : plan.why().message);
    const gt::options few = gt::options().start("VEC=8 BLOCK=64").start("BLOCK=1024").force();
    gt::options three = few;
    three.plain.max_variants = 3;
    plan = tuner.try_tune(kernel, {{"n", b.n}}, three);
    expect(plan && plan->info().variants == 3, "configurations to try first");
    const gt::options little = gt::options(few).memory_limit(1 << 20);
    plan = tuner.try_tune(kernel, {{"n", b.n}}, little);
    expect(plan && std::string(plan->info().stop_reason).find("memory limit") != std::string::npos,
           "a memory limit", plan ? plan->info().stop_reason : plan.why().message);
    gt::canceler stop;
    std::string first;
    unsigned plain = 0;
    gt::options logged = gt::options()
                             .effort(GPUTUNE_CACHED_ONLY)
                             .only("BLOCK=1024")
                             .cancel(stop)
                             .alignment("y", 4)
                             .log([&](gputune_log_level, const char *line) { first += line; });
    logged.plain.user = &plain;
    plan = tuner.try_tune(kernel, {{"n", b.n}}, logged);
    expect(plan && first.find("outside") != std::string::npos && !stop.is_set() &&
               plan->try_argument(0)->alignment == 4,
           "a log, a canceler, an alignment", plan ? first : plan.why().message);
    gt::options of_c = gt::options().force().only("BLOCK=128").log([](auto, const char *) {});
    of_c.plain.user = &plain;
    of_c.plain.progress = [](void *user, const gputune_progress *) {
        ++*static_cast<unsigned *>(user);
    };
    expect(tuner.try_tune(kernel, {{"n", b.n}}, of_c) && plain > 0,
           "plain's functions get its user");
    stop.set();
    plan = tuner.try_tune("gemm", {{"m", 48}}, gt::options().cancel(stop));
    expect(stop.is_set() && (!plan || plan->info().source != GPUTUNE_SOURCE_MEASURED),
           "a canceler that is set", plan ? plan->info().stop_reason : "");
    gt::options data = own;
    data.input("x", x).reference(
        [&](gputune_sizes sizes, const gputune_host_argument *arguments, std::size_t count) {
            auto *y = static_cast<float *>(arguments[0].data);
            const auto *from = static_cast<const float *>(arguments[1].data);
            const double a = *static_cast<const float *>(arguments[2].data);
            for (std::size_t i = 0; i < arguments[0].bytes / sizeof *y; i++) {
                y[i] = static_cast<float>(a * from[i] + y[i]);
            }
            proved += count == 4 && sizes.count == 2;
        },
        "y += a x");
    plan = tuner.try_tune(kernel, {{"n", b.n}}, data);
    expect(plan && proved > 1, "a reference and inputs in host memory",
           plan ? "" : plan.why().message);
    for (const float factor : {1.0f, 2.0f}) {
        data = gt::options()
                   .only("BLOCK=256")
                   .only("UNROLL=1")
                   .reference([factor](gputune_sizes, const gputune_host_argument *arguments,
                                       std::size_t) {
                       auto *y = static_cast<float *>(arguments[0].data);
                       const auto *from = static_cast<const float *>(arguments[1].data);
                       const double a = *static_cast<const float *>(arguments[2].data);
                       for (std::size_t i = 0; i < arguments[0].bytes / sizeof *y; i++) {
                           y[i] = static_cast<float>(factor * a * from[i] + y[i]);
                       }
                   });
        plan = tuner.try_tune(kernel, {{"n", 777}}, data);
        expect(bool(plan) == (factor == 1.0f), "results of one function are not another's");
    }
    double factors[] = {1, 2};
    for (double &factor : factors) {
        gt::options of_user = gt::options().only("BLOCK=64").progress([](auto &) {});
        of_user.plain.user = &factor;
        of_user.plain.reference = [](void *user, gputune_sizes, const gputune_host_argument *all,
                                     std::size_t) {
            auto *y = static_cast<float *>(all[0].data);
            const auto *from = static_cast<const float *>(all[1].data);
            const double a = *static_cast<const float *>(all[2].data);
            for (std::size_t i = 0; i < all[0].bytes / sizeof *y; i++) {
                y[i] = static_cast<float>(*static_cast<double *>(user) * a * from[i] + y[i]);
            }
            return 0;
        };
        plan = tuner.try_tune(kernel, {{"n", 779}}, of_user);
        expect(bool(plan) == (&factor == factors), "results of one user are not another's");
    }
    plan = tuner.try_tune(kernel, {{"n", 778}},
                          gt::options(data).effort(GPUTUNE_ESTIMATE).background());
    expect(!plan && plan.why().status == GPUTUNE_EWRONG,
           "a reference of a call that does not wait for a tuning", plan ? "" : plan.why().message);
    data = own;
    data.input("x", gt::span<const float>(b.x, b.n));
    expect(bool(tuner.try_tune(kernel, {{"n", b.n}}, data)), "inputs in device memory");
    const std::string notes = temporary() + "/gputune-cxx-inputs";
    gputune_open_options noting = gt::default_open_options();
    noting.database = ":memory:";
    noting.record = notes.c_str();
    const auto other = gt::tuner::try_open(noting);
    bool is_other = false;
    stop.set();
    plan = other->try_tune(kernel, {{"n", b.n}}, gt::options().input("x", x).cancel(stop));
    (void)gt::try_misses(notes, [&](const gputune_miss &miss) {
        is_other = is_other || std::string(miss.inputs).find("x=") == std::string::npos;
    });
    std::remove(notes.c_str());
    expect((plan || plan.why().status == GPUTUNE_ECANCELED) && !is_other,
           "inputs are checked by the call alone", plan ? "" : plan.why().message);
    data.input("z", x);
    plan = tuner.try_tune(kernel, {{"n", b.n}}, data);
    expect(!plan && plan.why().status == GPUTUNE_EINVAL, "an input that is no argument");
    unsigned rows = 0;
    const auto ran = tuner.try_run(kernel, {{"n", b.n}}, {"BLOCK=128", "BLOCK=256"},
                                   [&](const gputune_record &one) { rows += one.median_ns > 0; });
    expect(ran && rows == 2, "two configurations side by side");
    rows = 0;
    const auto kept = tuner.try_run(kernel, {{"n", b.n}}, {}, [&](const gputune_record &one) {
        rows += one.is_default && one.median_ns > 0;
    });
    expect(kept && rows == 1, "the default is run", kept ? "" : kept.why().message);
    const std::string folder = temporary();
    plan = tuner.try_tune(kernel, {{"n", 2000}}, gt::options(own).background());
    expect(plan && tuner.try_wait(60s) && tuner.background().tuned == 1, "in the background");
    const char twice[] = "tests/language/corner.cu";
    const auto made = tuner.try_make_rule(twice, {{"rows", 8, 60}, {"columns", 8, 60}}, 2);
    expect(made && made->rfind("region rows=8:60", 0) == 0, "a rule is made",
           made ? *made : made.why().message);
    int rules = 0;
    expect(tuner.try_rules([&](const gputune_rule &rule) { rules += *made == rule.text; }) &&
               rules == 1,
           "a rule is listed");
    plan = tuner.try_tune(twice, {{"rows", 21}, {"columns", 9}}, gt::options().by_rule());
    expect(plan && plan->info().source == GPUTUNE_SOURCE_RULE, "a rule answers");
    const std::string path = folder + "/gputune-cxx-wisdom.json";
    const auto saved = tuner.try_save_wisdom(path);
    const auto loaded = tuner.try_load_wisdom(path);
    std::remove(path.c_str());
    expect(saved && *saved > 0 && loaded, "wisdom");
    expect(!tuner.try_load_wisdom(path), "wisdom that is not there");
}

/* Tests functions that merge, list and delete records. */
static void databases(const gt::tuner &tuner)
{
    const std::string here = temporary() + "/gputune-cxx-here.db",
                      there = temporary() + "/gputune-cxx-there.db";
    const auto open = [](const std::string &path) {
        gputune_open_options options = gt::default_open_options();
        options.database = path.c_str();
        return gt::tuner::try_open(options);
    };
    unsigned count = 0;
    const auto counted = [&](const gputune_record &one) { count += one.is_winner; };
    unsigned lines = 0;
    gputune_open_options wrong = gt::default_open_options();
    const std::string folder = temporary();
    wrong.database = folder.c_str();
    expect(gt::tuner::try_open(wrong, [&](gputune_log_level, const char *) { lines++; }) && lines,
           "a tuner's log");
    const auto one = open(here), other = open(there);
    const gt::options quickly = gt::options().only("BLOCK=128").only("UNROLL=1");
    expect(one && other && other->try_tune("axpy", {{"n", 64}}, quickly), "a tuner of a file");
    const auto merged = one->try_merge({there});
    expect(merged && merged->taken_winners == 1, "merge", merged ? "" : merged.why().message);
    expect(!one->try_merge({there + ".none"}), "a file that is not there");
    gputune_record_filter of_size = GPUTUNE_RECORD_FILTER_INIT;
    of_size.sizes = "n=65";
    expect(one->try_forget(counted, &of_size) && count == 0, "forget another size");
    of_size.sizes = "n=64";
#if defined(__cpp_exceptions)
    try {
        one->forget([](const gputune_record &) { throw 4; }, &of_size);
        expect(false, "an exception ends forget");
    } catch (int number) {
        expect(number == 4, "an exception ends forget");
    }
#endif
    expect(!one->try_forget(counted, nullptr) && count == 0, "nothing says what to forget");
    expect(one->try_forget(counted, &of_size) && count == 1, "forget");
    expect(!tuner.try_forget(counted, nullptr), "no file to forget of");
    for (const char *end : {"", "-wal", "-shm", "-journal"}) {
        std::remove((here + end).c_str());
        std::remove((there + end).c_str());
    }
}

/* Tests the remaining functions of gputune.h. */
static void tools(const gt::tuner &tuner)
{
    unsigned count = 0;
    const auto counted = [&](const auto &) { count++; };
    const auto since = [&] { return std::exchange(count, 0u); };
    expect(tuner.try_kernels(counted) && since() > 10, "kernels");
    expect(tuner.try_kernels(counted, "axpy") && since() == 1, "kernels of a name");
    expect(!tuner.try_kernels(counted, "nosuch"), "kernels of an unknown name");
    const gt::options one = gt::options().only("BLOCK=128").only("UNROLL=1").only("VEC=1");
    gt::options two = one;
    two.plain.max_variants = 1;
    const auto checked = tuner.try_check("axpy", {{"n", 64}}, counted, two);
    expect(checked && since() == 1, "check", checked ? "" : checked.why().message);
    const auto space = tuner.try_describe_space("axpy", {{"n", 64}}, "sm_90", one);
    expect(space && (*space)->valid == 1, "describe_space",
           space ? std::to_string((*space)->valid) : space.why().message);
    expect(!tuner.try_describe_space("axpy", {{"m", 64}}), "a space that is wrong");
    const auto source = tuner.try_emit("axpy", {{"n", 64}}, "VEC=4");
    expect(source && source->find("__global__ void axpy") != std::string::npos &&
               *source != *tuner.try_emit("axpy", {{"n", 64}}, "VEC=1"),
           "emit", source ? source->substr(0, 300) : source.why().message);
    const auto ptx = tuner.try_emit("axpy", {}, "", GPUTUNE_FORM_PTX);
    expect(ptx && ptx->find(".entry") != std::string::npos, "emit PTX",
           ptx ? "" : ptx.why().message);
    const auto rule = tuner.try_make_rule("axpy", {{"n", 64, 64}});
    expect(!rule && rule.why().message.find("a size that varies") != std::string::npos,
           "a rule for one size", rule ? *rule : rule.why().message);
    int rules = 0;
    gputune_record_filter of_axpy = GPUTUNE_RECORD_FILTER_INIT;
    of_axpy.kernel = "axpy";
    expect(tuner.try_rules([&](const gputune_rule &) { rules++; }, &of_axpy) && !rules, "no rules");
    expect(!tuner.try_emit_rule("axpy", {}, {"sm_90"}, true), "the header of no rule");
    const auto draft = gt::try_draft_template("k.cu", "__global__ void k(float *y) { y[0] = 1; }");
    const bool can_draft = draft || draft.why().message.find("libclang") == std::string::npos;
    expect(!can_draft || (draft && draft->find("#pragma gputune kernel(k)") != std::string::npos),
           "draft", draft ? *draft : draft.why().message);
    expect(!gt::try_draft_template("k.cu", "int main() {}"), "a draft of nothing");
    expect(bool(tuner.try_check_database()), "check_database");
    tuner.refresh();
    expect(std::string(gt::name(GPUTUNE_STRATEGY_MODEL)) == "model" &&
               std::string(gt::name(GPUTUNE_SOURCE_CACHED)) == "cached" &&
               std::string(gt::name(GPUTUNE_OBJECTIVE_RATE)) == "rate" &&
               std::string(gt::status_text(GPUTUNE_EBUSY)).find("in use") != std::string::npos &&
               std::string(gt::version()) == GPUTUNE_VERSION_STRING,
           "names");
}

/* Tests files: wisdom, recorded misses, and other data for tools. */
static void files(const gt::tuner &tuner)
{
    const std::string folder = temporary(), misses = folder + "/misses";
    gputune_open_options options = gt::default_open_options();
    options.database = ":memory:";
    options.record = misses.c_str();
    const auto other = gt::tuner::try_open(options);
    const gt::options one = gt::options().only("BLOCK=128").only("UNROLL=1");
    expect(other && tuner.try_tune("axpy", {{"n", 96}}, one), "tune");
    gputune_record_filter filter = GPUTUNE_RECORD_FILTER_INIT;
    filter.sizes = "n=96";
    const auto text = tuner.try_export_wisdom(&filter);
    const auto taken = other->try_import_wisdom(text ? *text : "");
    expect(taken && *taken == 1, "wisdom as text", taken ? "" : taken.why().message);
    expect(!other->try_import_wisdom("{"), "a text that is no wisdom");
    gputune_options cached = gt::default_options();
    cached.effort = GPUTUNE_CACHED_ONLY;
    unsigned count = 0;
    std::uint64_t asked = 0;
    expect(bool(other->try_tune("axpy", {{"n", 97}}, cached)), "what is not stored");
    const auto read =
        gt::try_misses(misses, [&](const gputune_miss &miss) { asked += miss.count; });
    std::remove(misses.c_str());
    expect(read && asked == 1, "misses", read ? "" : read.why().message);
    const auto compiled = other->try_compile(
        "axpy", {{"n", 96}}, "sm_90a",
        [&](const gputune_compiled &it) { count += std::string(it.status) == "ok"; }, one);
    expect(compiled && count > 1, "compile", compiled ? "" : compiled.why().message);
}

/* Tests a group of one process, and launches without gputune. */
static void by_oneself(const gt::tuner &tuner)
{
    int broadcasts = 0;
    const auto broadcast = [&](void *, std::size_t bytes) {
        broadcasts += bytes > 0;
        return 0;
    };
    const gt::options one = gt::options().only("BLOCK=128").only("UNROLL=1");
    const auto plan = tuner.try_tune_together("axpy", {{"n", 98}}, 0, broadcast, one);
    expect(plan && broadcasts > 0, "tune_together", plan ? "" : plan.why().message);
    expect(!tuner.try_tune_together(
               "axpy", {{"n", 98}}, 0, [](void *, std::size_t) { return 1; }, one),
           "a broadcast that fails");
    if (!plan) {
        return;
    }
    const auto function = plan->try_function();
    expect(function && function->function && function->parameter_count == 4 &&
               function->block[0] == plan->info().block[0] && !plan->try_function(1),
           "what is launched");
    const auto first = plan->try_parameter(0), last = plan->try_argument(3);
    expect(first && std::string(first->name) == "y" && last && last->is_size &&
               last->size_value == 98 && !plan->try_parameter(4) && !plan->try_argument(4),
           "its parameters");
    expect(plan->try_check_argument<float>(0) && !plan->try_check_argument<double>(0),
           "types of arguments");
    const gt::plan same = gt::plan::retain(plan->get());
    expect(same.get() == plan->get() && std::string(same.info().kernel) == "axpy", "a reference");
}

static void diagnosis()
{
    unsigned good = 0, bad = 0;
    const auto each = [&](const gputune_diagnosis &one) {
        good += one.verdict == GPUTUNE_VERDICT_OK;
        bad += one.verdict == GPUTUNE_VERDICT_FAILURE && *one.remedy;
    };
    expect(gt::try_diagnose(each) && good > 3, "diagnose", std::to_string(good));
    gputune_open_options options = gt::default_open_options();
    options.driver = "/none/libcuda.so.1";
    expect(gt::try_diagnose(each, options) && bad > 0, "what is wrong has a remedy");
}

#if defined(__cpp_exceptions)
/* Expects the call to throw `wanted`: a status, or the number that a callback throws. */
template <typename Call> static void throws(int wanted, const char *what, Call call)
{
    int thrown = 0;
    try {
        call();
    } catch (const gt::error &e) {
        thrown = e.status();
    } catch (int number) {
        thrown = number;
    }
    expect(thrown == wanted, what, std::to_string(thrown));
}

static void exceptions(const gt::tuner &tuner)
{
    throws(GPUTUNE_ENOTFOUND, "an unknown kernel throws", [&] { tuner.tune("nosuch"); });
    throws(GPUTUNE_ENODRIVER, "no driver throws", [] {
        gputune_open_options options = gt::default_open_options();
        options.driver = "/none/libcuda.so.1";
        gt::tuner other(options);
    });
    buffers b;
    gputune_options few = gt::default_options();
    few.max_variants = 8;
    gt::plan axpy = tuner.tune("axpy", {{"n", b.n}}, few);
    axpy.launch(nullptr, b.y, b.x, 2.0f, b.n);
    expect(b.is(2) && axpy.info().source == GPUTUNE_SOURCE_MEASURED, "tune and launch");
    int count = 0;
    tuner.records([&](const gputune_record &record) { count += record.is_winner; });
    expect(count == 1, "records", std::to_string(count));
    gt::canceler stop;
    throws(8, "a progress function's exception comes through", [&] {
        tuner.tune("axpy", {{"n", 3000}},
                   gt::options().progress([](const auto &) { throw 8; }).cancel(stop));
    });
    gt::options later = gt::options().only("BLOCK=128").only("UNROLL=1").cancel(stop);
    expect(!stop.is_set() && tuner.tune("axpy", {{"n", 3000}}, later).info().variants > 0,
           "an exception does not cancel later calls");
    throws(9, "a broadcast's exception comes through", [&] {
        tuner.tune_together("axpy", {{"n", 99}}, 0, [](void *, std::size_t) -> int { throw 9; });
    });
    expect(!tuner.emit("axpy", {}, "").empty() && tuner.describe_space("axpy", {})->valid > 1 &&
               axpy.function().parameter_count == 4 && !tuner.export_wisdom().empty(),
           "what throws where it fails");
    throws(6, "a reference's exception comes through", [&] {
        tuner.tune("axpy", {{"n", 3001}},
                   gt::options().reference([](auto...) -> void { throw 6; }));
    });
    throws(5, "a log's exception comes through", [&] {
        tuner.tune("axpy", {{"n", 3002}}, gt::options().log([](auto...) { throw 5; }));
    });
    throws(7, "a callback's exception comes through",
           [&] { tuner.records([](const gputune_record &) { throw 7; }); });
}
#endif

int main() // NOLINT(bugprone-exception-escape)
{
    CUdevice device;
    CUcontext context;
    setenv("GPUTUNE_EMU_DEVICES", "h200,h200", 1);
    cuInit(0);
    cuDeviceGet(&device, 0);
    cuDevicePrimaryCtxRetain(&context, device);
    cuCtxSetCurrent(context);
    {
        gputune_open_options options = gt::default_open_options();
        options.database = ":memory:";
        auto tuner = gt::tuner::try_open(options);
        if (!tuner) {
            std::printf("%s\n", tuner.why().message.c_str());
            return 1;
        }
        auto axpy = tuner->try_tune("axpy", {{"n", 1000}}, quick());
        if (!axpy) {
            std::printf("%s\n", axpy.why().message.c_str());
            return 1;
        }
        arguments(*axpy);
        values(*tuner);
        held_tuner(options);
        static_objects(options);
        null_pointers(*tuner);
        blocks(*tuner);
        sizes(*tuner);
#if defined(__cpp_exceptions)
        exceptions(*tuner);
#endif
        options_of_cxx(*tuner);
        devices();
        databases(*tuner);
        tools(*tuner);
        files(*tuner);
        by_oneself(*tuner);
        diagnosis();
        expect(tuner->try_tune("axpy", {{"m", 1}}).why().status != GPUTUNE_OK,
               "a result that failed");
    }
    cuDevicePrimaryCtxRelease(device);
    std::printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
