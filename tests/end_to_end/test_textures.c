/* Launches of a plan whose kernel reads a texture: of several buffers, on several streams, and in a
 * graph that outlives plan and tuner. GPUTUNE_TEST_DRIVER=cuda: on a GPU. */
#include "world.h"

enum { N = 64 };

/* y[j][i] is the texel to the right of (i, j), which wraps round. */
static const char template_text[] =
    "#pragma gputune kernel(turn)\n"
    "#pragma gputune problem(n = 64)\n"
    "#pragma gputune args(out float y[n][n], in float image[n][n], int n)\n"
    "#pragma gputune texture(image, address = wrap, coordinates = normalized)\n"
    "#pragma gputune block(64)\n"
    "#pragma gputune grid(n)\n"
    "__global__ void turn(float *y, cudaTextureObject_t image, int n)\n"
    "{ int i = threadIdx.x, j = blockIdx.x;\n"
    "  if (i < n) y[j * n + i] = tex2D<float>(image, (i + 1.5f) / n, (j + 0.5f) / n); }\n";

static int open_world(void **state)
{
    (void)state;
    return world_open(world_driver());
}

static CUdeviceptr image_of(float first)
{
    float values[N * N];
    for (int i = 0; i < N * N; i++) {
        values[i] = first + (float)i;
    }
    return buffer_of(values, sizeof values);
}

static gputune_plan *plan_of(gputune *tuner)
{
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    gputune_plan *plan;
    options.effort = GPUTUNE_CACHED_ONLY;
    OK(gputune_add_source(tuner, "turn.cu", template_text, NULL));
    OK(tune_kernel(&plan, tuner, "turn", GPUTUNE_SIZES({"n", N}), &options));
    return plan;
}

static int launch(gputune_plan *plan, CUstream stream, CUdeviceptr y, CUdeviceptr image)
{
    int n = N;
    return gputune_launch(plan, stream, GPUTUNE_ARGS(&y, &image, &n));
}

static void expect_turned(CUdeviceptr y, float first)
{
    float values[N * N];
    CU(MemcpyDtoH(values, y, sizeof values));
    for (int i = 0; i < N * N; i++) {
        int from = i % N == N - 1 ? i - N + 1 : i + 1;
        assert_float_equal(values[i], first + (float)from, 0);
    }
}

TEST(each_buffer_is_read_by_its_launches)
{
    gputune *tuner = tuner_open(":memory:");
    gputune_plan *plan = plan_of(tuner);
    CUstream streams[2] = {stream_new(), stream_new()};
    CUdeviceptr images[2] = {image_of(0), image_of(5000)}, results[2] = {image_of(0), image_of(0)};
    for (int round = 0; round < 4; round++) {
        OK(launch(plan, streams[round / 2], results[round % 2], images[round % 2]));
        CU(StreamSynchronize(streams[round / 2]));
        expect_turned(results[round % 2], round % 2 ? 5000 : 0);
    }
    assert_int_equal(launch(plan, NULL, results[0], images[0] + 256), GPUTUNE_EINVAL);
    gputune_plan_release(plan);
    gputune_close(tuner);
}

TEST(a_graph_keeps_its_texture)
{
    CUgraph graph;
    CUgraphExec exec;
    gputune *tuner = tuner_open(":memory:");
    gputune_plan *plan = plan_of(tuner);
    CUstream stream = stream_new();
    CUdeviceptr image = image_of(7), y = image_of(0);
    CU(StreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(launch(plan, stream, y, image));
    CU(StreamEndCapture(stream, &graph));
    CU(GraphInstantiateWithFlags(&exec, graph, 0));
    CU(GraphDestroy(graph));
    gputune_plan_release(plan);
    gputune_close(tuner);
    CU(GraphLaunch(exec, stream));
    CU(StreamSynchronize(stream));
    expect_turned(y, 7);
    CU(GraphExecDestroy(exec));
}

int main(void)
{
    return tests_run(open_world, world_close);
}
