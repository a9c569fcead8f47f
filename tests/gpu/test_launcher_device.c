/* Tests the launcher on the emulator, or on the device of GPUTUNE_DRIVER ("cuda"). Skipped without
 * NVRTC or that driver. */
#include "gpu/device.h"
#include "gpu/launcher.h"
#include "gpu/module.h"
#include "gpu/nvrtc.h"
#include "support/test.h"

enum { COUNT = 2000, SPLIT = 512, THREADS = 4, ROUNDS = 25 };

static const gt_driver *driver;
static gt_device device;
static CUcontext context;
static char why_not[1100];

/* The kernel `spread` writes out[i] = value i of the parameter block + `add`. PASS selects how the
 * block is passed. */
static const char source[] =
    "#define COUNT 2000\n"
    "#define SPLIT 512\n"
    "#if PASS == 2\n"
    "struct part { int value[SPLIT]; };\n"
    "__constant__ int gputune_pass_constant_c[COUNT - SPLIT];\n"
    "#define PARAMETER const __grid_constant__ part first,\n"
    "#define AT(i) ((i) < SPLIT ? first.value[i] : gputune_pass_constant_c[(i) - SPLIT])\n"
    "#elif PASS == 1\n"
    "struct whole { int value[COUNT]; };\n"
    "#define PARAMETER const __grid_constant__ whole all,\n"
    "#define AT(i) all.value[i]\n"
    "#elif PASS == 3\n"
    "__constant__ int gputune_pass_constant_c[COUNT];\n"
    "#define PARAMETER\n"
    "#define AT(i) gputune_pass_constant_c[i]\n"
    "#else\n"
    "#define PARAMETER const int *block,\n"
    "#define AT(i) block[i]\n"
    "#endif\n"
    "extern \"C\" __global__ void spread(PARAMETER int *out, int add)\n"
    "{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < COUNT) out[i] = AT(i) + add;\n"
    "}\n"
    "extern \"C\" __global__ void tally(int *out, int *scratch, int add)\n"
    "{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    atomicAdd(&scratch[i % 16], add);\n"
    "    atomicAdd(&out[i % 16], add);\n"
    "    if (i < 16) out[16 + i] = 1;\n"
    "}\n"
    "extern \"C\" __global__ void slow(int *out, long long turns)\n"
    "{\n"
    "    unsigned x = threadIdx.x;\n"
    "    for (long long i = 0; i < turns; i++) x = x * 1664525u + 1013904223u;\n"
    "    if (x != 12345u) out[threadIdx.x] = 7;\n"
    "}\n"
    "extern \"C\" __global__ void rank(int *out)\n"
    "{\n"
    "    extern __shared__ int tile[];\n"
    "    tile[threadIdx.x] = 1;\n"
    "    unsigned r = 0, s = 1;\n"
    "#if __CUDA_ARCH__ >= 900\n"
    "    asm(\"mov.u32 %0, %%cluster_ctarank;\" : \"=r\"(r));\n"
    "    asm(\"mov.u32 %0, %%cluster_nctarank;\" : \"=r\"(s));\n"
    "#endif\n"
    "    if (threadIdx.x == 0) out[blockIdx.x] = (int)(s * 100 + r);\n"
    "}\n";

#define OK(call)                                                                                   \
    do {                                                                                           \
        if ((call) < 0) {                                                                          \
            fail_msg("%s: %s", #call, gt_message());                                               \
        }                                                                                          \
    } while (0)
#define CU(call) OK(gt_cuda_check(driver, driver->call, #call))

static gt_image images[5]; /* by gt_pass */

static gputune_status start(void)
{
    GT_TRY(gt_driver_open(&driver, getenv("GPUTUNE_DRIVER") ? NULL : "emu"));
    GT_TRY(gt_device_query(&device, driver, 0));
    GT_CUDA(driver, DevicePrimaryCtxRetain, &context, 0);
    GT_CUDA(driver, CtxSetCurrent, context);
    const gt_nvrtc *nvrtc;
    GT_TRY(gt_nvrtc_open(&nvrtc, driver->version));
    for (int pass = GT_PASS_VALUE; pass <= GT_PASS_GLOBAL; pass++) {
        char define[32];
        snprintf(define, sizeof define, "-DPASS=%d", pass);
        const char *options[] = {define};
        gt_nvrtc_request request = {.text = source,
                                    .arch = device.arch,
                                    .options = options,
                                    .option_count = 1,
                                    .ptx = device.emulated};
        gt_compiled result;
        gputune_status status = gt_nvrtc_compile(&result, nvrtc, &request, NULL);
        images[pass] = result.image;
        free(result.log);
        GT_TRY(status);
    }
    return GPUTUNE_OK;
}

static void need_device(void)
{
    SKIP_IF(why_not[0]);
}

#define ONE_STEP(name, blocks, threads, blocks_of_cluster, bytes)                                  \
    {                                                                                              \
        .entry = name, .grid = {(blocks), 1, 1}, .block = {(threads), 1, 1},                       \
        .cluster = {(blocks_of_cluster), 1, 1}, .shared_bytes = (bytes), .times = 1                \
    }

static gt_launch spread_launch(gt_pass pass)
{
    gt_launch launch = {
        .step_count = 1,
        .steps = {ONE_STEP("spread", (COUNT + 255) / 256, 256, 1, 0)},
        .carveout_kb = -1,
        .block_count = 1,
        .blocks = {{.pass = pass,
                    .bytes = COUNT * 4,
                    .by_value_bytes = pass == GT_PASS_VALUE   ? COUNT * 4
                                      : pass == GT_PASS_SPLIT ? SPLIT * 4
                                                              : 0,
                    .symbol = GT_PASS_SYMBOL "c"}},
        .argument_count = 3,
    };
    if (pass != GT_PASS_CONSTANT) {
        uint32_t bytes = pass == GT_PASS_GLOBAL ? 8 : launch.blocks[0].by_value_bytes;
        launch.parameters[launch.parameter_count++] =
            (gt_parameter){.kind = GT_PARAMETER_BLOCK, .bytes = bytes, .argument = 0};
    }
    launch.parameters[launch.parameter_count++] =
        (gt_parameter){.kind = GT_PARAMETER_BUFFER, .bytes = 8, .argument = 1};
    launch.parameters[launch.parameter_count++] =
        (gt_parameter){.kind = GT_PARAMETER_SCALAR, .bytes = 4, .argument = 2};
    return launch;
}

static gputune_status load(gt_launcher **out, gt_pass pass, gt_launch *launch)
{
    gt_launch_take_all(launch);
    return gt_launcher_load(out, driver, &device, &images[pass], NULL, launch);
}

static gt_launcher *load_spread(gt_pass pass)
{
    static gt_launch launches[GT_PASS_GLOBAL + 1];
    gt_launcher *launcher;
    launches[pass] = spread_launch(pass);
    OK(load(&launcher, pass, &launches[pass]));
    return launcher;
}

static CUdeviceptr allocate(size_t ints)
{
    CUdeviceptr address;
    CU(MemAlloc(&address, ints * 4));
    CU(MemsetD8(address, 0, ints * 4));
    return address;
}

static CUstream make_stream(void)
{
    CUstream stream;
    CU(StreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    return stream;
}

static void fill(int *block, int seed)
{
    for (int i = 0; i < COUNT; i++) {
        block[i] = seed * 10007 + i;
    }
}

/* Counts the results that are wrong for a parameter block filled from `seed` and this `add`. */
static int count_wrong(CUdeviceptr out, int seed, int add)
{
    static _Thread_local int result[COUNT];
    int wrong = 0;
    CU(MemcpyDtoH(result, out, sizeof result));
    for (int i = 0; i < COUNT; i++) {
        wrong += result[i] != seed * 10007 + i + add;
    }
    return wrong;
}

TEST(test_every_way_of_passing)
{
    need_device();
    CUdeviceptr out = allocate(COUNT);
    CUstream stream = make_stream();
    int block[COUNT], add = 3;
    for (int pass = GT_PASS_VALUE; pass <= GT_PASS_GLOBAL; pass++) {
        gt_launcher *launcher = load_spread((gt_pass)pass);
        const void *arguments[] = {block, &out, &add};
        for (int seed = 0; seed < 3; seed++) {
            fill(block, seed);
            OK(gt_launcher_launch(launcher, stream, arguments));
            fill(block, -1);
            CU(StreamSynchronize(stream));
            assert_int_equal(count_wrong(out, seed, add), 0);
        }
        gt_launcher_free(launcher);
    }
}

TEST(test_more_streams_than_instances)
{
    need_device();
    enum { STREAMS = GT_LAUNCHER_STREAMS + 3 };
    CUstream streams[STREAMS];
    CUdeviceptr outs[STREAMS];
    int block[COUNT], add = 0;
    for (int i = 0; i < STREAMS; i++) {
        streams[i] = make_stream();
        outs[i] = allocate(COUNT);
    }
    for (int pass = GT_PASS_SPLIT; pass <= GT_PASS_GLOBAL; pass++) {
        gt_launcher *launcher = load_spread((gt_pass)pass);
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < STREAMS; i++) {
                const void *arguments[] = {block, &outs[i], &add};
                fill(block, round * 100 + i);
                OK(gt_launcher_launch(launcher, streams[i], arguments));
            }
            for (int i = 0; i < STREAMS; i++) {
                CU(StreamSynchronize(streams[i]));
                assert_int_equal(count_wrong(outs[i], round * 100 + i, 0), 0);
            }
        }
        gt_launcher_free(launcher);
    }
}

typedef struct worker {
    gt_launcher *launcher;
    CUstream stream;
    CUdeviceptr outs[ROUNDS];
    int id, failures;
} worker;

static void *launch_many(void *user)
{
    worker *self = user;
    int block[COUNT], add = self->id;
    self->failures += driver->CtxSetCurrent(context) != CUDA_SUCCESS;
    for (int round = 0; round < ROUNDS; round++) {
        const void *arguments[] = {block, &self->outs[round], &add};
        fill(block, self->id * 1000 + round);
        self->failures += gt_launcher_launch(self->launcher, self->stream, arguments) < 0;
    }
    return NULL;
}

/* Launches from several threads, which share one stream or use one stream each. */
static void launch_from_threads(gt_pass pass, bool shared_stream)
{
    gt_launcher *launcher = load_spread(pass);
    worker workers[THREADS];
    pthread_t threads[THREADS];
    CUstream shared = make_stream();
    for (int t = 0; t < THREADS; t++) {
        workers[t] = (worker){launcher, shared_stream ? shared : make_stream(), {0}, t, 0};
        for (int round = 0; round < ROUNDS; round++) {
            workers[t].outs[round] = allocate(COUNT);
        }
    }
    for (int t = 0; t < THREADS; t++) {
        assert_int_equal(pthread_create(&threads[t], NULL, launch_many, &workers[t]), 0);
    }
    for (int t = 0; t < THREADS; t++) {
        pthread_join(threads[t], NULL);
        CU(StreamSynchronize(workers[t].stream));
        assert_int_equal(workers[t].failures, 0);
    }
    for (int t = 0; t < THREADS; t++) {
        for (int round = 0; round < ROUNDS; round++) {
            assert_int_equal(count_wrong(workers[t].outs[round], t * 1000 + round, t), 0);
            CU(MemFree(workers[t].outs[round]));
        }
        if (!shared_stream) {
            CU(StreamDestroy(workers[t].stream));
        }
    }
    CU(StreamDestroy(shared));
    gt_launcher_free(launcher);
}

TEST(test_threads)
{
    need_device();
    for (int pass = GT_PASS_VALUE; pass <= GT_PASS_GLOBAL; pass++) {
        launch_from_threads((gt_pass)pass, true);
        launch_from_threads((gt_pass)pass, false);
    }
}

static CUgraphExec end_capture(CUstream stream)
{
    CUgraph graph;
    CUgraphExec exec;
    CU(StreamEndCapture(stream, &graph));
    CU(GraphInstantiateWithFlags(&exec, graph, 0));
    CU(GraphDestroy(graph));
    return exec;
}

TEST(test_a_graph_replays_the_captured_launch)
{
    need_device();
    CUdeviceptr first = allocate(COUNT), second = allocate(COUNT);
    CUstream stream = make_stream();
    int block[COUNT], add = 5;
    const void *to_first[] = {block, &first, &add}, *to_second[] = {block, &second, &add};
    for (int pass = GT_PASS_VALUE; pass <= GT_PASS_GLOBAL; pass++) {
        gt_launcher *launcher = load_spread((gt_pass)pass);
        CU(StreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
        fill(block, 1);
        OK(gt_launcher_launch(launcher, stream, to_first));
        fill(block, 2);
        OK(gt_launcher_launch(launcher, stream, to_second));
        fill(block, 3);
        CUgraphExec exec = end_capture(stream);
        for (int replay = 0; replay < 2; replay++) {
            CU(MemsetD8(first, 0, COUNT * 4));
            CU(MemsetD8(second, 0, COUNT * 4));
            OK(gt_launcher_launch(launcher, stream, to_first));
            CU(GraphLaunch(exec, stream));
            CU(StreamSynchronize(stream));
            assert_int_equal(count_wrong(first, 1, add), 0);
            assert_int_equal(count_wrong(second, 2, add), 0);
        }
        CU(GraphExecDestroy(exec));
        gt_launcher_free(launcher);
    }
}

TEST(test_repeats_in_a_graph_use_the_last_block)
{
    need_device();
    CUdeviceptr out = allocate(COUNT);
    CUstream stream = make_stream();
    int block[COUNT], add = 1;
    const void *arguments[] = {block, &out, &add};
    for (int pass = GT_PASS_VALUE; pass <= GT_PASS_GLOBAL; pass++) {
        gt_launcher *launcher = load_spread((gt_pass)pass);
        fill(block, 4);
        OK(gt_launcher_launch(launcher, stream, arguments));
        CU(StreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
        for (int i = 0; i < 5; i++) {
            OK(gt_launcher_repeat(launcher, stream, arguments));
        }
        CUgraphExec exec = end_capture(stream);
        CU(StreamSynchronize(stream));
        CU(MemsetD8(out, 0, COUNT * 4));
        CU(GraphLaunch(exec, stream));
        CU(StreamSynchronize(stream));
        assert_int_equal(count_wrong(out, 4, add), 0);
        CU(GraphExecDestroy(exec));
        gt_launcher_free(launcher);
    }
}

TEST(test_loading_and_freeing_leave_other_captures_alone)
{
    need_device();
    CUdeviceptr out = allocate(COUNT);
    CUstream capturing = make_stream(), stream = make_stream();
    int block[COUNT], add = 1;
    const void *arguments[] = {block, &out, &add};
    gt_launcher *captured = load_spread(GT_PASS_VALUE), *old = load_spread(GT_PASS_VALUE);
    fill(block, 6);
    OK(gt_launcher_launch(old, stream, arguments));
    CU(StreamBeginCapture(capturing, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(gt_launcher_launch(captured, capturing, arguments));
    gt_launcher_free(old);
    for (int pass = GT_PASS_VALUE; pass <= GT_PASS_GLOBAL; pass++) {
        gt_launcher *launcher = load_spread((gt_pass)pass);
        OK(gt_launcher_launch(launcher, stream, arguments));
        gt_launcher_free(launcher);
    }
    CUgraphExec exec = end_capture(capturing);
    CU(GraphLaunch(exec, capturing));
    CU(StreamSynchronize(capturing));
    assert_int_equal(count_wrong(out, 6, add), 0);
    CU(GraphExecDestroy(exec));
    gt_launcher_free(captured);
}

TEST(test_scratch_and_clears)
{
    need_device();
    CUdeviceptr out = allocate(32);
    CUstream stream = make_stream();
    int result[32], add = 2;
    gt_launch launch = {
        .step_count = 1,
        .steps = {ONE_STEP("tally", 4, 128, 1, 0)},
        .carveout_kb = -1,
        .argument_count = 2,
        .parameter_count = 3,
        .parameters = {{GT_PARAMETER_BUFFER, 8, 0, .clear_bytes = 64},
                       {GT_PARAMETER_SCRATCH, 8, -1, .scratch_bytes = 64, .clear_bytes = 64},
                       {GT_PARAMETER_SCALAR, 4, 1, 0}},
    };
    gt_launcher *launcher;
    const void *arguments[] = {&out, &add};
    OK(load(&launcher, GT_PASS_GLOBAL, &launch));
    for (int i = 0; i < 3; i++) {
        OK(gt_launcher_launch(launcher, stream, arguments));
    }
    CU(StreamSynchronize(stream));
    CU(MemcpyDtoH(result, out, sizeof result));
    for (int i = 0; i < 16; i++) {
        assert_int_equal(result[i], 4 * 128 / 16 * add);
        assert_int_equal(result[16 + i], 1);
    }
    gt_launcher_free(launcher);
}

static gt_launch rank_launch(uint32_t cluster, uint32_t shared_bytes)
{
    return (gt_launch){
        .step_count = 1,
        .steps = {ONE_STEP("rank", 32, 128, cluster, shared_bytes)},
        .carveout_kb = -1,
        .argument_count = 1,
        .parameter_count = 1,
        .parameters = {{GT_PARAMETER_BUFFER, 8, 0, 0}},
    };
}

TEST(test_clusters_up_to_the_device_limit)
{
    need_device();
    CUdeviceptr out = allocate(32);
    const void *arguments[] = {&out};
    for (uint32_t cluster = 1; cluster <= (uint32_t)device.max_cluster; cluster *= 2) {
        int result[32];
        double occupancy;
        gt_launch launch = rank_launch(cluster, 64 * 1024);
        gt_launcher *launcher;
        OK(load(&launcher, GT_PASS_GLOBAL, &launch));
        OK(gt_launcher_launch(launcher, NULL, arguments));
        CU(CtxSynchronize());
        CU(MemcpyDtoH(result, out, sizeof result));
        for (uint32_t i = 0; i < 32; i++) {
            assert_int_equal(result[i], (int)(cluster * 100 + i % cluster));
        }
        OK(gt_launcher_occupancy(&occupancy, launcher));
        assert_true(occupancy > 0 && occupancy <= 1);
        gt_launcher_free(launcher);
    }
}

TEST(too_large_launch_is_refused)
{
    need_device();
    gt_launcher *launcher = NULL;
    gt_launch launch = rank_launch(1, (uint32_t)device.shared_per_block_optin_bytes + 1024);
    ASSERT_FAILS(load(&launcher, GT_PASS_GLOBAL, &launch), GPUTUNE_ECUDA, "shared memory");
    launch = rank_launch(32, 0);
    ASSERT_FAILS(load(&launcher, GT_PASS_GLOBAL, &launch), GPUTUNE_ECUDA, "cluster");
    assert_null(launcher);
}

TEST(bad_ptx_is_reported_once)
{
    static char text[] = ".version 7.0\n.target sm_75\n.address_size 64\n.entry k() { nonsense; }";
    const gt_image image = {text, sizeof text};
    CUmodule module;
    assert_true(gt_image_load(&module, driver, &image) < 0);
    const char *place = strstr(gt_message(), "line 4");
    assert_non_null(place);
    assert_null(strstr(place + 1, "line 4"));
}

TEST(test_free_waits_for_a_running_kernel)
{
    need_device();
    CUdeviceptr out = allocate(32);
    CUstream stream = make_stream();
    long long turns = device.emulated ? 100000 : 100000000;
    gt_launch launch = {
        .step_count = 1,
        .steps = {ONE_STEP("slow", 1, 32, 1, 0)},
        .carveout_kb = -1,
        .argument_count = 2,
        .parameter_count = 2,
        .parameters = {{GT_PARAMETER_BUFFER, 8, 0, 0}, {GT_PARAMETER_SCALAR, 8, 1, 0}},
    };
    const void *arguments[] = {&out, &turns};
    gt_launcher *launcher;
    OK(load(&launcher, GT_PASS_GLOBAL, &launch));
    OK(gt_launcher_launch(launcher, stream, arguments));
    gt_launcher_free(launcher);
    assert_int_equal(driver->StreamQuery(stream), CUDA_SUCCESS);
    int result[32];
    CU(MemcpyDtoH(result, out, sizeof result));
    assert_int_equal(result[0], 7);
}

int main(void)
{
    if (start() < 0) {
        snprintf(why_not, sizeof why_not, "%s", gt_message());
    }
    int failed = tests_run(NULL, NULL);
    for (int pass = 0; pass <= GT_PASS_GLOBAL; pass++) {
        free(images[pass].data);
    }
    return failed;
}
